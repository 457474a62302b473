//! The order searches by name, and the watch that keeps the best order while one of them runs in another thread: so an
//! observer or a time limit can end the wait with the best order so far, even in the middle of a long step.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use plackett::{Noise, PlackettLuce};

use super::{LearnObserver, LearnProgress, LearnStatus};
use crate::{Error, Exact, GradientKind, Insertion, Oracle, OrderMcmc, OrderSolution, PlSearch, Result};

/// A way to learn, by name.
#[derive(Clone, Copy, Debug)]
pub struct LearnMethod {
    /// Name for settings and the command line.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Tells the watch of every order worth keeping, and asks it when to stop. PC-stable has none: it tests pairs.
    search: Option<Search>,
}

type Search = fn(&mut Oracle, &Settings, &Watch) -> Result<LearnStatus>;

/// The methods by name, the default one first: a new one is one line here.
///
/// ```
/// assert_eq!(plackett_dag::LEARN_METHODS[0].name, "insertion");
/// ```
pub static LEARN_METHODS: [LearnMethod; 9] = [
    LearnMethod {
        name: "insertion",
        summary: "Move one node at a time to its best place, from several starts",
        search: Some(insertion),
    },
    LearnMethod {
        name: "pl-relax",
        summary: "The paper's method: RELAX on the score as a black box, then the mode of the distribution",
        search: Some(|oracle, settings, watch| gradient(GradientKind::Relax, oracle, settings, watch)),
    },
    LearnMethod {
        name: "pl-reinforce",
        summary: "The same with REINFORCE and a leave-one-out baseline",
        search: Some(|oracle, settings, watch| gradient(GradientKind::Reinforce, oracle, settings, watch)),
    },
    LearnMethod {
        name: "pl",
        summary: "The same with reward-to-go: each choice answers for the local scores that follow it",
        search: Some(|oracle, settings, watch| gradient(GradientKind::RewardToGo, oracle, settings, watch)),
    },
    LearnMethod {
        name: "pl-relax+insertion",
        summary: "The mode of pl-relax, then one node at a time to its best place",
        search: Some(polished),
    },
    LearnMethod {
        name: "order-mcmc",
        summary: "A Markov chain over orders (Friedman and Koller); the best order that it visits",
        search: Some(order_mcmc),
    },
    LearnMethod {
        name: "random",
        summary: "The best of 1,000 random orders, to compare the others with",
        search: Some(random),
    },
    LearnMethod {
        name: "exact",
        summary: "The best order of all, by dynamic programming (to about 23 nodes)",
        search: Some(exact),
    },
    LearnMethod {
        name: "pc",
        summary: "PC-stable: tests of conditional independence in place of a score",
        search: None,
    },
];

impl LearnMethod {
    /// The method of this name.
    ///
    /// # Errors
    /// [`Error::UnknownMethod`], which lists those that there are.
    ///
    /// ```
    /// use plackett_dag::LearnMethod;
    /// assert_eq!(LearnMethod::by_name("pc")?.name, "pc");
    /// assert!(LearnMethod::by_name("guess").is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn by_name(name: &str) -> Result<&'static Self> {
        LEARN_METHODS.iter().find(|method| method.name == name).ok_or_else(|| Error::UnknownMethod {
            name: name.to_owned(),
            known: LEARN_METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(", "),
        })
    }

    /// Whether this is PC-stable, which needs no order.
    pub(super) fn is_pc(&self) -> bool {
        self.search.is_none()
    }

    /// Searches in another thread while the observer is told of its progress in this one.
    pub(super) fn run(
        &self,
        mut oracle: Oracle,
        settings: Settings,
        stage: &str,
        deadline: Option<Instant>,
        observe: LearnObserver,
    ) -> Result<Found> {
        let search =
            self.search.ok_or_else(|| Error::Misfit("PC-stable has no order to search for".to_owned()))?;
        let watch = Arc::new(Watch { deadline, ..Watch::default() });
        let (sender, receiver) = mpsc::channel();
        let shared = Arc::clone(&watch);
        thread::spawn(move || {
            let outcome = first_order(&mut oracle, &settings, &shared)
                .and_then(|()| search(&mut oracle, &settings, &shared));
            // Nobody listens any more once the wait is over.
            let _ = sender.send(outcome);
        });
        let status = loop {
            match receiver.recv_timeout(POLL) {
                Ok(outcome) => break outcome?,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if observe(&watch.progress(stage)).is_break() {
                        watch.interrupted.store(true, Ordering::Relaxed);
                    }
                    if let (Some(status), true) = (watch.stop(), watch.has_order()) {
                        // A search between two steps ends by itself.
                        break receiver.recv_timeout(GRACE).unwrap_or(Ok(status))?;
                    }
                }
                // The search's thread has panicked, and has said so.
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Error::Stopped),
            }
        };
        let Best { fallback, solution, evaluations } = watch.take();
        let solution = solution.or(fallback).ok_or(Error::Stopped)?;
        Ok(Found { solution, evaluations, status })
    }
}

/// How often a search is asked whether it has ended.
const POLL: Duration = Duration::from_millis(20);
/// How long a search that should stop may take to do so.
const GRACE: Duration = Duration::from_millis(200);

/// What the searches can be told; each reads what concerns it.
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

/// What a search found.
pub(super) struct Found {
    pub solution: OrderSolution,
    /// How many local scores it looked at.
    pub evaluations: u64,
    pub status: LearnStatus,
}

#[derive(Default)]
struct Best {
    /// The answer if the search is stopped before it has one.
    fallback: Option<OrderSolution>,
    solution: Option<OrderSolution>,
    evaluations: u64,
}

/// Keeps the best order of a search, and tells the search when to stop.
#[derive(Default)]
struct Watch {
    deadline: Option<Instant>,
    interrupted: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
    best: Mutex<Best>,
}

impl Watch {
    /// Why the search should stop now, if it should.
    fn stop(&self) -> Option<LearnStatus> {
        if self.interrupted.load(Ordering::Relaxed) {
            Some(LearnStatus::Interrupted)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(LearnStatus::TimeLimit)
        } else {
            None
        }
    }

    /// The same as an observer's answer, with the reason kept in `status`.
    fn flow(&self, status: &mut LearnStatus) -> ControlFlow<()> {
        match self.stop() {
            Some(why) => {
                *status = why;
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    }

    fn expect(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    fn progress(&self, stage: &str) -> LearnProgress {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        LearnProgress { stage: stage.to_owned(), done, total }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Best> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of an order and of the local scores looked at so far.
    fn tell(&self, found: &OrderSolution, evaluations: u64) {
        let mut best = self.lock();
        best.evaluations = evaluations;
        if best.solution.as_ref().is_none_or(|best| found.score < best.score) {
            best.solution = Some(found.clone());
        }
    }

    fn has_order(&self) -> bool {
        self.lock().fallback.is_some()
    }

    fn take(&self) -> Best {
        std::mem::take(&mut self.lock())
    }
}

/// One order is scored before any search begins: there must be something to show.
fn first_order(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> Result<()> {
    let solution = OrderSolution::of(settings.first.clone(), oracle)?;
    let mut best = watch.lock();
    best.fallback = Some(solution);
    best.evaluations = oracle.stats().queries;
    Ok(())
}

/// Gradient descent; the answer is the mode of the distribution that it ends with.
fn gradient(
    kind: GradientKind,
    oracle: &mut Oracle,
    settings: &Settings,
    watch: &Watch,
) -> Result<LearnStatus> {
    let search = PlSearch { gradient: kind, seed: settings.seed, ..settings.descent };
    let search = PlSearch { steps: settings.steps.unwrap_or(search.steps), ..search };
    watch.expect(search.steps);
    let mut status = LearnStatus::Finished;
    let found = search.run(oracle, |_| {
        watch.advance(1);
        watch.flow(&mut status)
    })?;
    watch.tell(&found.mode, oracle.stats().queries);
    Ok(status)
}

fn polished(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> Result<LearnStatus> {
    let status = gradient(GradientKind::Relax, oracle, settings, watch)?;
    let mode = watch.lock().solution.clone();
    let (LearnStatus::Finished, Some(mode)) = (status, mode) else {
        return Ok(status);
    };
    let insertion = Insertion { starts: 1, seed: settings.seed, ..Insertion::default() };
    let found = insertion.improve(oracle, &mode.order)?;
    watch.tell(&found, oracle.stats().queries);
    Ok(LearnStatus::Finished)
}

/// The search is asked to stop between rounds of this many kicks; each round begins with a pass over all nodes, which
/// fewer kicks would make a large share of the work.
const KICKS_PER_ROUND: usize = 5;

/// Far enough for the steps of one seed not to be those of the next.
const SEEDS_APART: u64 = 1 << 20;

fn insertion(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> Result<LearnStatus> {
    let rounds = Insertion::default().kicks.div_ceil(KICKS_PER_ROUND);
    watch.expect((settings.restarts * (1 + rounds)) as u64);
    let mut steps = 0;
    for restart in 0..settings.restarts {
        let mut current: Option<OrderSolution> = None;
        for _ in 0..=rounds {
            if let Some(status) = watch.stop() {
                return Ok(status);
            }
            // Every step has its own seed, so that each is a function of the settings alone.
            let seed = settings.seed.wrapping_mul(SEEDS_APART).wrapping_add(steps);
            let plain = Insertion { starts: 1, kicks: 0, seed };
            let found = match (&current, &settings.start) {
                (Some(last), _) => {
                    Insertion { kicks: KICKS_PER_ROUND, ..plain }.improve(oracle, &last.order)?
                }
                (None, Some(start)) if restart == 0 => plain.improve(oracle, start)?,
                (None, _) => plain.run(oracle)?,
            };
            watch.tell(&found, oracle.stats().queries);
            watch.advance(1);
            current = Some(found);
            steps += 1;
        }
    }
    Ok(LearnStatus::Finished)
}

/// Between looks at the clock the chain makes this many moves.
const MOVES_PER_LOOK: u64 = 256;

fn order_mcmc(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> Result<LearnStatus> {
    let Settings { temperature, seed, .. } = *settings;
    let chain = OrderMcmc { temperature, seed, ..OrderMcmc::default() };
    let chain = OrderMcmc { steps: settings.steps.unwrap_or(chain.steps), ..chain };
    watch.expect(chain.steps);
    let mut status = LearnStatus::Finished;
    let found = chain.run(oracle, |state| {
        if state.step % MOVES_PER_LOOK > 0 {
            return ControlFlow::Continue(());
        }
        watch.advance(MOVES_PER_LOOK);
        watch.flow(&mut status)
    })?;
    watch.tell(&found.best, oracle.stats().queries);
    Ok(status)
}

/// As many as the paper has.
const RANDOM_ORDERS: usize = 1000;

fn random(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> Result<LearnStatus> {
    let uniform = PlackettLuce::new(&vec![0.0; oracle.nodes()])?;
    let orders = uniform.sample_many(RANDOM_ORDERS, Noise::new(settings.seed).stream(0));
    watch.expect(RANDOM_ORDERS as u64);
    for order in orders {
        if let Some(status) = watch.stop() {
            return Ok(status);
        }
        watch.tell(&OrderSolution::of(order.into_vec(), oracle)?, oracle.stats().queries);
        watch.advance(1);
    }
    Ok(LearnStatus::Finished)
}

fn exact(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> Result<LearnStatus> {
    let search = Exact { memory_bytes: settings.memory_bytes };
    let nodes = oracle.nodes();
    // A good order in hand, for those who cannot wait; but a refusal comes at once.
    if Exact::bytes_needed(nodes) <= settings.memory_bytes as u128 {
        insertion(oracle, &Settings { restarts: 1, ..settings.clone() }, watch)?;
    }
    let found = search.run(Arc::clone(oracle.score()))?;
    let looked_up = (nodes as u64) << (nodes - 1);
    watch.tell(&found, oracle.stats().queries + looked_up);
    Ok(LearnStatus::Finished)
}
