//! The order searches of `plackett learn` by name, and what they need to know of the world: how long they may take,
//! whether somebody has pressed Ctrl-C, and where to show how far they are.

use std::{
    fmt,
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::{ValueEnum, builder::PossibleValue};
use indicatif::ProgressBar;
use plackett_dag::{Exact, Insertion, Oracle, OrderSolution};
use serde::Serialize;

use crate::{console, interrupt};

/// An order search as the command line knows it.
#[derive(Clone, Copy)]
pub(super) struct Method {
    pub name: &'static str,
    summary: &'static str,
    run: fn(&mut Oracle, &Settings, &Watch) -> anyhow::Result<Found>,
}

/// The methods by name, the default one first: a new one is one line here.
static METHODS: [Method; 2] = [
    Method {
        name: "insertion",
        summary: "Move one node at a time to its best place, from several starts",
        run: insertion,
    },
    Method {
        name: "exact",
        summary: "The best order of all, by dynamic programming (to about 23 nodes)",
        run: exact,
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
    pub(super) fn run(
        &self,
        oracle: &mut Oracle,
        settings: &Settings,
        watch: &Watch,
    ) -> anyhow::Result<Found> {
        (self.run)(oracle, settings, watch)
    }
}

/// What the methods can be told; each reads what concerns it.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    pub restarts: usize,
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

/// Tells a search when to stop, and the user how far it is.
pub(super) struct Watch {
    deadline: Option<Instant>,
    bar: ProgressBar,
}

impl Watch {
    /// Starts now; `limit` is in seconds.
    pub(super) fn start(label: String, limit: Option<f64>) -> Self {
        let limit = limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        Self { deadline, bar: console::progress(1, label) }
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

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The search is asked to stop between rounds of this many kicks; each round begins with a pass over all nodes, which
/// fewer kicks would make a large share of the work.
const KICKS_PER_ROUND: usize = 5;

/// Far enough for the steps of one seed not to be those of the next.
const SEEDS_APART: u64 = 1 << 20;

fn insertion(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> anyhow::Result<Found> {
    let rounds = Insertion::default().kicks.div_ceil(KICKS_PER_ROUND);
    watch.bar.set_length((settings.restarts * (1 + rounds)) as u64);
    let mut best: Option<OrderSolution> = None;
    let mut status = Status::Finished;
    let mut steps = 0;
    'restarts: for _ in 0..settings.restarts {
        let mut current: Option<OrderSolution> = None;
        for _ in 0..=rounds {
            // The first step is always made: there must be an order to show.
            if let (Some(why), true) = (watch.stop(), steps > 0) {
                status = why;
                break 'restarts;
            }
            // Every step has its own seed, so that each is a function of the settings alone.
            let seed = settings.seed.wrapping_mul(SEEDS_APART).wrapping_add(steps);
            let found = match &current {
                None => Insertion { starts: 1, kicks: 0, seed }.run(oracle)?,
                Some(last) => {
                    Insertion { starts: 1, kicks: KICKS_PER_ROUND, seed }.improve(oracle, &last.order)?
                }
            };
            if best.as_ref().is_none_or(|best| found.score < best.score) {
                best = Some(found.clone());
            }
            current = Some(found);
            steps += 1;
            watch.bar.inc(1);
        }
    }
    let solution = best.context("the search made no step")?;
    Ok(Found { solution, evaluations: oracle.stats().queries, status })
}

/// How often a search in another thread is asked for.
const POLL: Duration = Duration::from_millis(20);

/// The tables are filled in another thread, so that Ctrl-C and the time limit end the wait with what a quick insertion
/// search has found.
fn exact(oracle: &mut Oracle, settings: &Settings, watch: &Watch) -> anyhow::Result<Found> {
    let search = Exact { memory_bytes: settings.memory_bytes };
    let score = Arc::clone(oracle.score());
    let nodes = oracle.nodes();
    let hint = "--method exact (--memory allows it more; --method insertion needs little)";
    if Exact::bytes_needed(nodes) > settings.memory_bytes as u128 {
        search.run(Arc::clone(&score)).context(hint)?;
    }
    let quick = insertion(oracle, &Settings { restarts: 1, ..*settings }, watch)?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // Nobody listens any more once the wait is over.
        let _ = sender.send(search.run(score));
    });
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(solution) => {
                let looked_up = (nodes as u64) << (nodes - 1);
                return Ok(Found {
                    solution: solution.context(hint)?,
                    evaluations: quick.evaluations + looked_up,
                    status: Status::Finished,
                });
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                if let Some(status) = watch.stop() {
                    return Ok(Found { status, ..quick });
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => anyhow::bail!("the exact search broke off"),
        }
    }
}
