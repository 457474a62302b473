//! The order searches of `plackett learn` by name, and what they need to know of the world: how long they may take,
//! whether somebody has pressed Ctrl-C, and where to show how far they are.

use std::{
    fmt,
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use clap::{ValueEnum, builder::PossibleValue};
use indicatif::ProgressBar;
use plackett::{Noise, PlackettLuce};
use plackett_dag::{Exact, GradientKind, Insertion, Oracle, OrderMcmc, OrderSolution, PlSearch};
use serde::Serialize;

use crate::{console, interrupt};

/// An order search as the command line knows it.
#[derive(Clone, Copy)]
pub(super) struct Method {
    pub name: &'static str,
    summary: &'static str,
    /// Tells the watch of every order worth keeping, and asks it when to stop. PC-stable has none: it tests pairs.
    search: Option<Search>,
}

type Search = fn(&mut Oracle, &Settings, &Watch) -> anyhow::Result<Status>;

/// The methods by name, the default one first: a new one is one line here.
static METHODS: [Method; 9] = [
    Method {
        name: "insertion",
        summary: "Move one node at a time to its best place, from several starts",
        search: Some(insertion),
    },
    Method {
        name: "pl-relax",
        summary: "The paper's method: RELAX on the score as a black box, then the mode of the distribution",
        search: Some(|oracle, settings, watch| gradient(GradientKind::Relax, oracle, settings, watch)),
    },
    Method {
        name: "pl-reinforce",
        summary: "The same with REINFORCE and a leave-one-out baseline",
        search: Some(|oracle, settings, watch| gradient(GradientKind::Reinforce, oracle, settings, watch)),
    },
    Method {
        name: "pl",
        summary: "The same with reward-to-go: each choice answers for the local scores that follow it",
        search: Some(|oracle, settings, watch| gradient(GradientKind::RewardToGo, oracle, settings, watch)),
    },
    Method {
        name: "pl-relax+insertion",
        summary: "The mode of pl-relax, then one node at a time to its best place",
        search: Some(polished),
    },
    Method {
        name: "order-mcmc",
        summary: "A Markov chain over orders (Friedman and Koller); the best order that it visits",
        search: Some(order_mcmc),
    },
    Method {
        name: "random",
        summary: "The best of 1,000 random orders, to compare the others with",
        search: Some(random),
    },
    Method {
        name: "exact",
        summary: "The best order of all, by dynamic programming (to about 23 nodes)",
        search: Some(exact),
    },
    Method {
        name: "pc",
        summary: "PC-stable: tests of conditional independence in place of a score",
        search: None,
    },
];

impl ValueEnum for Method {
    fn value_variants<'a>() -> &'a [Self] {
        &METHODS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name).help(self.summary))
    }
}

impl Default for Method {
    fn default() -> Self {
        METHODS[0]
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Method {
    /// Whether this is PC-stable, which needs no order.
    pub(super) fn is_pc(&self) -> bool {
        self.search.is_none()
    }

    /// Searches in another thread, so that Ctrl-C and the limit, in seconds, end the wait with the best order so far
    /// even in the middle of a long step.
    pub(super) fn run(
        &self,
        mut oracle: Oracle,
        settings: Settings,
        label: String,
        limit: Option<f64>,
    ) -> anyhow::Result<Found> {
        let watch = Arc::new(Watch::start(label, limit));
        let (sender, receiver) = mpsc::channel();
        let (search, shared) =
            (self.search.context("PC-stable has no order to search for")?, Arc::clone(&watch));
        thread::spawn(move || {
            let outcome = first_order(&mut oracle, &settings, &shared)
                .and_then(|()| search(&mut oracle, &settings, &shared));
            // Nobody listens any more once the wait is over.
            let _ = sender.send(outcome);
        });
        let status = loop {
            match receiver.recv_timeout(POLL) {
                Ok(outcome) => break outcome,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if let (Some(status), true) = (watch.stop(), watch.has_order()) {
                        // A search between two steps ends by itself.
                        break receiver.recv_timeout(GRACE).unwrap_or(Ok(status));
                    }
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => bail!("the search broke off"),
            }
        };
        watch.bar.finish_and_clear();
        let status = status?;
        let Best { fallback, solution, evaluations } = watch.take();
        let solution = solution.or(fallback).context("the search found no order")?;
        Ok(Found { solution, evaluations, status })
    }
}

/// How often a search is asked whether it has ended.
const POLL: Duration = Duration::from_millis(20);
/// How long a search that should stop may take to do so.
const GRACE: Duration = Duration::from_millis(200);

/// What the methods can be told; each reads what concerns it.
#[derive(Clone)]
pub(super) struct Settings {
    /// An order to fall back on.
    pub first: Vec<usize>,
    /// A good order to improve, besides random ones.
    pub start: Option<Vec<usize>>,
    pub restarts: usize,
    /// Steps of the gradient methods and moves of the Markov chain, if the user said how many.
    pub steps: Option<u64>,
    /// Step sizes and the like of the gradient methods.
    pub descent: PlSearch,
    /// What scores are divided by to be negative log-probabilities.
    pub temperature: f64,
    pub seed: u64,
    pub memory_bytes: usize,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Finished,
    Interrupted,
    #[serde(rename = "time limit")]
    TimeLimit,
}

/// What a search found.
pub(super) struct Found {
    pub solution: OrderSolution,
    /// How many local scores it looked at.
    pub evaluations: u64,
    pub status: Status,
}

#[derive(Default)]
struct Best {
    /// The answer if the search is stopped before it has one.
    fallback: Option<OrderSolution>,
    solution: Option<OrderSolution>,
    evaluations: u64,
}

/// Keeps the best order of a search, tells the search when to stop, and the user how far it is.
struct Watch {
    deadline: Option<Instant>,
    bar: ProgressBar,
    best: Mutex<Best>,
}

impl Watch {
    fn start(label: String, limit: Option<f64>) -> Self {
        let limit = limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        Self { deadline, bar: console::progress(1, label), best: Mutex::default() }
    }

    /// Why the search should stop now, if it should.
    fn stop(&self) -> Option<Status> {
        if interrupt::check().is_break() {
            Some(Status::Interrupted)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Status::TimeLimit)
        } else {
            None
        }
    }

    /// Takes note of an order and of the local scores looked at so far.
    fn tell(&self, found: &OrderSolution, evaluations: u64) {
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        best.evaluations = evaluations;
        if best.solution.as_ref().is_none_or(|best| found.score < best.score) {
            best.solution = Some(found.clone());
        }
    }

    fn has_order(&self) -> bool {
        self.best.lock().unwrap_or_else(PoisonError::into_inner).fallback.is_some()
    }

    fn take(&self) -> Best {
        std::mem::take(&mut self.best.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// One order is scored before any search begins: there must be something to show.
fn first_order(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> anyhow::Result<()> {
    let order = settings.first.clone();
    let (score, parents) = (oracle.order_score(&order)?, oracle.order_parents(&order)?);
    let mut best = watch.best.lock().unwrap_or_else(PoisonError::into_inner);
    best.fallback = Some(OrderSolution { order, score, parents });
    best.evaluations = oracle.stats().queries;
    Ok(())
}

/// Gradient descent; the answer is the mode of the distribution that it ends with.
fn gradient(
    kind: GradientKind,
    oracle: &mut Oracle,
    settings: &Settings,
    watch: &Watch,
) -> anyhow::Result<Status> {
    let search = PlSearch { gradient: kind, seed: settings.seed, ..settings.descent };
    let search = PlSearch { steps: settings.steps.unwrap_or(search.steps), ..search };
    watch.bar.set_length(search.steps);
    let mut status = Status::Finished;
    let found = search.run(oracle, |_| {
        watch.bar.inc(1);
        match watch.stop() {
            Some(why) => {
                status = why;
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    })?;
    watch.tell(&found.mode, oracle.stats().queries);
    Ok(status)
}

fn polished(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> anyhow::Result<Status> {
    let status = gradient(GradientKind::Relax, oracle, settings, watch)?;
    let mode = watch.best.lock().unwrap_or_else(PoisonError::into_inner).solution.clone();
    let (Status::Finished, Some(mode)) = (status, mode) else {
        return Ok(status);
    };
    let insertion = Insertion { starts: 1, seed: settings.seed, ..Insertion::default() };
    let found = insertion.improve(oracle, &mode.order)?;
    watch.tell(&found, oracle.stats().queries);
    Ok(Status::Finished)
}

/// The search is asked to stop between rounds of this many kicks; each round begins with a pass over all nodes, which
/// fewer kicks would make a large share of the work.
const KICKS_PER_ROUND: usize = 5;

/// Far enough for the steps of one seed not to be those of the next.
const SEEDS_APART: u64 = 1 << 20;

fn insertion(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> anyhow::Result<Status> {
    let rounds = Insertion::default().kicks.div_ceil(KICKS_PER_ROUND);
    watch.bar.set_length((settings.restarts * (1 + rounds)) as u64);
    let mut steps = 0;
    for restart in 0..settings.restarts {
        let mut current: Option<OrderSolution> = None;
        for _ in 0..=rounds {
            if let Some(status) = watch.stop() {
                return Ok(status);
            }
            // Every step has its own seed, so that each is a function of the settings alone.
            let seed = settings.seed.wrapping_mul(SEEDS_APART).wrapping_add(steps);
            let found = match &current {
                None => match settings.start.as_ref().filter(|_| restart == 0) {
                    Some(start) => Insertion { starts: 1, kicks: 0, seed }.improve(oracle, start)?,
                    None => Insertion { starts: 1, kicks: 0, seed }.run(oracle)?,
                },
                Some(last) => {
                    Insertion { starts: 1, kicks: KICKS_PER_ROUND, seed }.improve(oracle, &last.order)?
                }
            };
            watch.tell(&found, oracle.stats().queries);
            watch.bar.inc(1);
            current = Some(found);
            steps += 1;
        }
    }
    Ok(Status::Finished)
}

/// Between looks at the clock the chain makes this many moves.
const MOVES_PER_LOOK: u64 = 256;

fn order_mcmc(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> anyhow::Result<Status> {
    let Settings { temperature, seed, .. } = *settings;
    let chain = OrderMcmc { temperature, seed, ..OrderMcmc::default() };
    let chain = OrderMcmc { steps: settings.steps.unwrap_or(chain.steps), ..chain };
    watch.bar.set_length(chain.steps);
    let mut status = Status::Finished;
    let found = chain.run(oracle, |state| {
        if state.step % MOVES_PER_LOOK > 0 {
            return ControlFlow::Continue(());
        }
        watch.bar.set_position(state.step);
        match watch.stop() {
            Some(why) => {
                status = why;
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    })?;
    watch.tell(&found.best, oracle.stats().queries);
    Ok(status)
}

/// As many as the paper has.
const RANDOM_ORDERS: usize = 1000;

fn random(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> anyhow::Result<Status> {
    let uniform = PlackettLuce::new(&vec![0.0; oracle.nodes()])?;
    let orders = uniform.sample_many(RANDOM_ORDERS, Noise::new(settings.seed).stream(0));
    watch.bar.set_length(RANDOM_ORDERS as u64);
    for order in orders {
        if let Some(status) = watch.stop() {
            return Ok(status);
        }
        let order = order.into_vec();
        let (score, parents) = (oracle.order_score(&order)?, oracle.order_parents(&order)?);
        watch.tell(&OrderSolution { order, score, parents }, oracle.stats().queries);
        watch.bar.inc(1);
    }
    Ok(Status::Finished)
}

fn exact(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> anyhow::Result<Status> {
    let search = Exact { memory_bytes: settings.memory_bytes };
    let nodes = oracle.nodes();
    // A good order in hand, for those who cannot wait; but a refusal comes at once.
    if Exact::bytes_needed(nodes) <= settings.memory_bytes as u128 {
        insertion(oracle, &Settings { restarts: 1, ..settings.clone() }, watch)?;
        watch.bar.set_message("exact, all sets of nodes");
    }
    let found = search
        .run(Arc::clone(oracle.score()))
        .context("--method exact (--memory allows it more; --method insertion needs little)")?;
    let looked_up = (nodes as u64) << (nodes - 1);
    watch.tell(&found, oracle.stats().queries + looked_up);
    Ok(Status::Finished)
}
