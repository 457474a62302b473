//! The methods of the tables: the paper's, and ours below the line.

use std::{ops::ControlFlow, sync::Arc, time::Instant};

use plackett_dag::{
    Bic, Dag, EvL0, Exact, GradientKind, Gram, Insertion, L1, LocalScore, Oracle, OrderSolution, PlSearch,
    ScoreSettings, fit_weights,
    rival::{Constrained, GreedySp, Learned, Progress, Random, Relaxed, variance_order},
};

use super::Problem;
use crate::interrupt;

type Outcome = Result<Answer, plackett_dag::Error>;

/// A method by its name in the tables: a new one is one line in [`METHODS`].
pub(super) struct Method {
    pub name: &'static str,
    /// What it is, in a line; nothing for the paper's own.
    pub note: &'static str,
    /// It is not run on more nodes than this.
    pub most_nodes: usize,
    /// Whether the paper's objective says anything about it.
    pub has_objective: bool,
    pub run: fn(&Problem) -> Outcome,
}

/// What a method learned: a graph, its weights (row i, column j for i → j), and the objective over time.
pub(super) struct Answer {
    pub dag: Dag,
    pub weights: Vec<f64>,
    /// Seconds since the start, and the best training objective by then.
    pub trace: Vec<(f64, f64)>,
}

const ANY: usize = usize::MAX;

/// Memory for dynamic programming over subsets, enough for 22 nodes.
const EXACT_BYTES: usize = 2 << 30;

/// Insertion search here: this many random starts, each improved in rounds of kicks. At 50 nodes it ends at least as well
/// as the best of 20 random starts without kicks, and at 10 and 20 in the optimum of every raw data set.
const STARTS: u64 = 4;
const ROUNDS: u64 = 6;
const KICKS: usize = 10;

pub(super) static METHODS: [Method; 15] = [
    paper("PL-RELAX", |problem| gradient(problem, GradientKind::Relax)),
    paper("SINKHORN_ECP", |problem| {
        rival(problem, |gram, seed, observe| Constrained::sinkhorn().run(gram, seed, observe))
    }),
    paper("URS_ECP", |problem| {
        rival(problem, |gram, seed, observe| Constrained::urs().run(gram, seed, observe))
    }),
    paper("SINKHORN", |problem| {
        rival(problem, |gram, seed, observe| Relaxed::sinkhorn().run(gram, seed, observe))
    }),
    paper("URS", |problem| rival(problem, |gram, seed, observe| Relaxed::urs().run(gram, seed, observe))),
    Method {
        has_objective: false,
        ..paper("GREEDY-SP", |problem| {
            rival(problem, |gram, seed, observe| GreedySp::default().run(gram, seed, observe))
        })
    },
    paper("RANDOM", |problem| {
        rival(problem, |gram, seed, _| {
            Random { expected_edges: problem.expected_edges() }.run(gram.nodes(), seed)
        })
    }),
    ours(
        "VARIANCE-SORT",
        "nodes sorted by variance, one lasso each: the baseline that the paper lacks",
        |problem| {
            let start = Instant::now();
            let mut oracle = Oracle::new(l1(problem)?);
            let order = variance_order(&problem.training).into_vec();
            let (score, parents) = (oracle.order_score(&order)?, oracle.order_parents(&order)?);
            let trace = vec![(start.elapsed().as_secs_f64(), score)];
            answer(problem, oracle.score(), &OrderSolution { order, score, parents }, trace)
        },
    ),
    ours("PL-REINFORCE", "PL-RELAX with REINFORCE and a leave-one-out baseline", |problem| {
        gradient(problem, GradientKind::Reinforce)
    }),
    ours("PL", "PL-RELAX with reward-to-go in place of the critic", |problem| {
        gradient(problem, GradientKind::RewardToGo)
    }),
    ours("PL-RELAX+INSERTION", "the mode of PL-RELAX, then insertion moves", |problem| {
        let start = Instant::now();
        let mut oracle = Oracle::new(l1(problem)?);
        let mut trace = Vec::new();
        let found =
            pl_search(problem, GradientKind::Relax).run(&mut oracle, keep_trace(&mut trace, start))?;
        let polished = improve(&mut oracle, found.mode, problem.seed, &mut trace, start)?;
        answer(problem, oracle.score(), &polished, trace)
    }),
    ours("INSERTION", "insertion moves with kicks, on the paper's score", |problem| {
        insertion(problem, l1(problem)?)
    }),
    Method {
        most_nodes: 20,
        ..ours("EXACT", "the optimum of the paper's score, by dynamic programming", |problem| {
            let start = Instant::now();
            let score = l1(problem)?;
            let found = Exact { memory_bytes: EXACT_BYTES }.run(Arc::clone(&score))?;
            answer(problem, &score, &found, vec![(start.elapsed().as_secs_f64(), found.score)])
        })
    },
    ours("EV-L0", "insertion moves on the equal-variance L0 score", |problem| {
        let score = EvL0::new(Arc::clone(&problem.training), &ScoreSettings::default())?;
        insertion(problem, Arc::new(score))
    }),
    ours("BIC", "insertion moves on the Gaussian BIC, which needs no equal variances", |problem| {
        let score = Bic::new(Arc::clone(&problem.training), &ScoreSettings::default())?;
        insertion(problem, Arc::new(score))
    }),
];

const fn paper(name: &'static str, run: fn(&Problem) -> Outcome) -> Method {
    Method { name, note: "", most_nodes: ANY, has_objective: true, run }
}

const fn ours(name: &'static str, note: &'static str, run: fn(&Problem) -> Outcome) -> Method {
    Method { name, note, most_nodes: ANY, has_objective: true, run }
}

fn l1(problem: &Problem) -> Result<Arc<dyn LocalScore>, plackett_dag::Error> {
    Ok(Arc::new(L1::new(Arc::clone(&problem.training), &ScoreSettings::default())?))
}

fn pl_search(problem: &Problem, gradient: GradientKind) -> PlSearch {
    PlSearch { gradient, seed: problem.seed, ..PlSearch::default() }
}

/// Keeps every improvement with its time.
fn keep_trace(trace: &mut Vec<(f64, f64)>, start: Instant) -> impl FnMut(f64) -> ControlFlow<()> {
    move |best| {
        if trace.last().is_none_or(|(_, last)| best < *last) {
            trace.push((start.elapsed().as_secs_f64(), best));
        }
        interrupt::check()
    }
}

fn gradient(problem: &Problem, kind: GradientKind) -> Outcome {
    let start = Instant::now();
    let mut oracle = Oracle::new(l1(problem)?);
    let mut trace = Vec::new();
    let found = pl_search(problem, kind).run(&mut oracle, keep_trace(&mut trace, start))?;
    trace.push((start.elapsed().as_secs_f64(), found.best.score));
    answer(problem, oracle.score(), &found.mode, trace)
}

fn insertion(problem: &Problem, score: Arc<dyn LocalScore>) -> Outcome {
    let start = Instant::now();
    let mut oracle = Oracle::new(score);
    let (mut trace, mut best) = (Vec::new(), None::<OrderSolution>);
    for index in 0..STARTS {
        let seed = STARTS * problem.seed + index;
        let first = Insertion { starts: 1, kicks: 0, seed }.run(&mut oracle)?;
        let found = improve(&mut oracle, first, seed, &mut trace, start)?;
        if best.as_ref().is_none_or(|best| found.score < best.score) {
            best = Some(found);
        }
    }
    let best = best.ok_or(plackett_dag::Error::Empty)?;
    answer(problem, oracle.score(), &best, trace)
}

/// Kicks an order and improves it again, round by round.
fn improve(
    oracle: &mut Oracle,
    mut found: OrderSolution,
    seed: u64,
    trace: &mut Vec<(f64, f64)>,
    start: Instant,
) -> Result<OrderSolution, plackett_dag::Error> {
    for round in 0..ROUNDS {
        let kicks = Insertion { starts: 1, kicks: KICKS, seed: ROUNDS * seed + round };
        found = kicks.improve(oracle, &found.order)?;
        if keep_trace(trace, start)(found.score).is_break() {
            break;
        }
    }
    Ok(found)
}

/// An order's graph with the weights that its score gives it.
fn answer(
    problem: &Problem,
    score: &Arc<dyn LocalScore>,
    found: &OrderSolution,
    trace: Vec<(f64, f64)>,
) -> Outcome {
    let nodes = problem.training.nodes();
    let weights = fit_weights(score.as_ref(), &found.parents)?.unwrap_or_else(|| vec![0.0; nodes * nodes]);
    Ok(Answer { dag: Dag::from_adjacency(nodes, &weights)?, weights, trace })
}

fn rival(
    problem: &Problem,
    run: impl Fn(&Gram, u64, fn(&Progress) -> ControlFlow<()>) -> Result<Learned, plackett_dag::Error>,
) -> Outcome {
    let start = Instant::now();
    let learned = run(&problem.training, problem.seed, |_| interrupt::check())?;
    let weights = learned.dag.adjacency();
    let objective = problem.training.q(&weights, super::LAMBDA)?;
    Ok(Answer { dag: learned.dag, weights, trace: vec![(start.elapsed().as_secs_f64(), objective)] })
}
