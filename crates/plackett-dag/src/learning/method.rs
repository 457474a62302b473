//! The order searches by name. Each runs on the caller's thread and ends with the best order so far when the run is over.

use std::sync::Arc;

use plackett::Noise;
use plackett::run::{Run, Trace};
use serde::{Serialize, Serializer};

use crate::{
    Error, Oracle, OrderSolution, Result,
    search::{Exact, GradientKind, Insertion, OrderMcmc, PlSearch},
};

/// A way to learn, by name. One's own is a value of this type.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{Gram, LearnMethod, Learning, Observations, OrderSolution, learning::Found};
/// static NO_EDGES: LearnMethod = LearnMethod {
///     name: "no-edges",
///     summary: "The graph without edges",
///     search: Some(|oracle, _, _| Ok(Found::new(OrderSolution::empty(oracle), oracle))),
/// };
/// let data = Observations::Numbers(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?.into());
/// let learned = Learning { method: &NO_EDGES, ..Learning::default() }.run(&data, &Run::default())?;
/// assert_eq!(learned.dag.edge_count(), 0);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LearnMethod {
    /// Name for settings and the command line.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Searches for an order, and ends with the best so far as soon as the run is over. PC-stable has none: it tests pairs.
    pub search: Option<Search>,
}

type Search = fn(&mut Oracle, &SearchTask, &Run<'_>) -> Result<Found>;

impl Serialize for LearnMethod {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// What a search is told; each reads what concerns it.
///
/// ```
/// let task = plackett_dag::learning::SearchTask { restarts: Some(2), ..Default::default() };
/// assert_eq!(task.start, None);
/// ```
#[derive(Clone, Debug)]
pub struct SearchTask {
    /// An order to fall back on.
    pub first: Vec<usize>,
    /// A good order to improve, besides random ones.
    pub start: Option<Vec<usize>>,
    /// Orders to start from.
    pub restarts: Option<usize>,
    /// Steps of the gradient methods and moves of the Markov chain, if the user said how many.
    pub steps: Option<u64>,
    /// Step sizes and the like of the gradient methods.
    pub descent: PlSearch,
    /// Most memory for tables.
    pub memory_bytes: usize,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Default for SearchTask {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            start: None,
            restarts: None,
            steps: None,
            descent: PlSearch::default(),
            memory_bytes: 1 << 30,
            seed: 0,
        }
    }
}

/// What a search found.
///
/// ```
/// use std::sync::Arc;
/// use plackett_dag::{Gram, Oracle, OrderSolution, learning::Found, score::{Bic, ScoreSettings}};
/// let gram = Arc::new(Gram::from_matrix(1000, 1, vec![1.0])?);
/// let oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
/// let found = Found::new(OrderSolution::empty(&oracle), &oracle);
/// assert_eq!(found.evaluations, 0);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Found {
    /// The answer.
    pub solution: OrderSolution,
    /// How many local scores it looked at.
    pub evaluations: u64,
    /// When better orders were found.
    pub trace: Trace,
}

impl Found {
    /// A solution, and what the oracle was asked for it.
    pub fn new(solution: OrderSolution, oracle: &Oracle) -> Self {
        Self { solution, evaluations: oracle.stats().queries, trace: Trace::default() }
    }
}

pub(super) static INSERTION: LearnMethod = LearnMethod {
    name: "insertion",
    summary: "Move one node at a time to its best place, from several starts",
    search: Some(insertion),
};

pub(super) static EXACT: LearnMethod = LearnMethod {
    name: "exact",
    summary: "The best order of all, by dynamic programming (to about 23 nodes)",
    search: Some(exact),
};

/// The methods by name, the default one first: a new one is one line here.
///
/// ```
/// assert_eq!(plackett_dag::learning::LEARN_METHODS[0].name, "auto");
/// ```
pub static LEARN_METHODS: [LearnMethod; 11] = [
    LearnMethod {
        name: AUTO,
        summary: "exact for up to 16 columns of numbers or of categories, insertion otherwise",
        search: Some(insertion),
    },
    INSERTION,
    LearnMethod {
        name: "pl-relax",
        summary: "The paper's method: RELAX on the score as a black box, then the mode of the distribution",
        search: Some(|oracle, task, run| gradient(GradientKind::Relax, oracle, task, run)),
    },
    LearnMethod {
        name: "pl-reinforce",
        summary: "The same with REINFORCE and a leave-one-out baseline",
        search: Some(|oracle, task, run| gradient(GradientKind::Reinforce, oracle, task, run)),
    },
    LearnMethod {
        name: "pl",
        summary: "The same with reward-to-go: each choice answers for the local scores that follow it",
        search: Some(|oracle, task, run| gradient(GradientKind::RewardToGo, oracle, task, run)),
    },
    LearnMethod {
        name: "pl-surrogate",
        summary: "The same with a surrogate of ranks and precedences, whose gradient is exact, learned on the way",
        search: Some(|oracle, task, run| gradient(GradientKind::Surrogate, oracle, task, run)),
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
    EXACT,
    LearnMethod {
        name: "pc",
        summary: "PC-stable: tests of conditional independence in place of a score",
        search: None,
    },
];

const AUTO: &str = "auto";

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

    /// Whether the choice is left open.
    pub(super) fn is_auto(&self) -> bool {
        self.name == AUTO
    }

    /// Whether this is PC-stable, which needs no order.
    pub(super) fn is_pc(&self) -> bool {
        self.search.is_none()
    }

    /// One order is scored before the search begins: there must be something to show.
    pub(super) fn run(&self, oracle: &mut Oracle, task: &SearchTask, run: &Run<'_>) -> Result<Found> {
        let Some(search) = self.search else {
            let reason = "has no order to search for".to_owned();
            return Err(Error::Misfit { setting: "method", reason });
        };
        let first = OrderSolution::so_far(&task.first, oracle, run)?;
        let mut found = search(oracle, task, run)?;
        // A search that was cut short may have less to show than it began with.
        if run.is_over() && first.score < found.solution.score {
            found.solution = first;
        }
        Ok(found)
    }
}

/// Keeps the best order of a search that takes several steps.
#[derive(Default)]
struct Best {
    solution: Option<OrderSolution>,
    trace: Trace,
}

impl Best {
    fn see(&mut self, found: &OrderSolution, oracle: &Oracle, run: &Run<'_>) {
        if self.solution.as_ref().is_none_or(|best| found.score < best.score) {
            self.solution = Some(found.clone());
            let evaluations = oracle.stats().queries;
            self.trace.note(evaluations, run.seconds(), found.score);
            run.note(evaluations, Some(found.score));
        }
    }

    fn finish(self, oracle: &Oracle) -> Found {
        let solution = self.solution.unwrap_or_else(|| OrderSolution::empty(oracle));
        Found { trace: self.trace, ..Found::new(solution, oracle) }
    }
}

/// Gradient descent; the answer is the mode of the distribution that it ends with.
fn gradient(kind: GradientKind, oracle: &mut Oracle, task: &SearchTask, run: &Run<'_>) -> Result<Found> {
    let search = PlSearch { gradient: kind, seed: task.seed, ..task.descent };
    let search = PlSearch { steps: task.steps.unwrap_or(search.steps), ..search };
    let found = search.run(oracle, run)?;
    Ok(Found { trace: found.trace, ..Found::new(found.mode, oracle) })
}

fn polished(oracle: &mut Oracle, task: &SearchTask, run: &Run<'_>) -> Result<Found> {
    let found = gradient(GradientKind::Relax, oracle, task, run)?;
    if run.is_over() {
        return Ok(found);
    }
    let insertion = Insertion { starts: Some(1), seed: task.seed, ..Insertion::default() };
    let improved = insertion.improve(oracle, &found.solution.order, run)?;
    let mut best = Best { solution: Some(found.solution), trace: found.trace };
    best.see(&improved, oracle, run);
    Ok(best.finish(oracle))
}

fn insertion(oracle: &mut Oracle, task: &SearchTask, run: &Run<'_>) -> Result<Found> {
    let insertion = Insertion { starts: task.restarts, seed: task.seed, ..Insertion::default() };
    let found = match &task.start {
        Some(start) => insertion.improve(oracle, start, run)?,
        None => insertion.run(oracle, run),
    };
    Ok(Found::new(found, oracle))
}

fn order_mcmc(oracle: &mut Oracle, task: &SearchTask, run: &Run<'_>) -> Result<Found> {
    let chain =
        OrderMcmc { temperature: oracle.score().temperature(), seed: task.seed, ..OrderMcmc::default() };
    let chain = OrderMcmc { steps: task.steps.unwrap_or(chain.steps), ..chain };
    let found = chain.run(oracle, run)?;
    Ok(Found::new(found.best, oracle))
}

/// As many as the paper has.
const RANDOM_ORDERS: usize = 1000;

fn random(oracle: &mut Oracle, task: &SearchTask, run: &Run<'_>) -> Result<Found> {
    run.begin("random orders", Some(RANDOM_ORDERS as u64));
    let mut best = Best::default();
    for order in oracle.bounds().random_orders(RANDOM_ORDERS, Noise::new(task.seed).stream(0))? {
        let Some(found) = OrderSolution::of(order, oracle, run)? else { break };
        best.see(&found, oracle, run);
        run.advance(1);
    }
    Ok(best.finish(oracle))
}

fn exact(oracle: &mut Oracle, task: &SearchTask, run: &Run<'_>) -> Result<Found> {
    let search = Exact { memory_bytes: task.memory_bytes };
    let nodes = oracle.nodes();
    // A good order in hand, for those who cannot wait; but a refusal comes at once.
    let mut best = Best::default();
    if Exact::bytes_needed(nodes) <= task.memory_bytes as u128 {
        if let Some(start) = &task.start {
            best.see(&OrderSolution::so_far(start, oracle, run)?, oracle, run);
        } else {
            let quick = insertion(oracle, &SearchTask { restarts: Some(1), ..task.clone() }, run)?;
            best = Best { solution: Some(quick.solution), trace: quick.trace };
        }
    }
    let Some(found) = search.run_within(Arc::clone(oracle.score()), oracle.bounds(), run)? else {
        return Ok(best.finish(oracle));
    };
    // Of orders that score the same, its own, whatever the quick search came upon.
    best.see(&found, oracle, run);
    best.solution = Some(found);
    let looked_up = (nodes as u64) << (nodes - 1);
    let found = best.finish(oracle);
    Ok(Found { evaluations: found.evaluations + looked_up, ..found })
}
