//! The methods of the tables: the paper's, and ours below the line.

use std::sync::Arc;

use plackett::run::Run;
use plackett_dag::{
    Dag, Error, Gram, LearnMethod, Learned, Learning, LocalScore, Observations, Oracle,
    learning::SearchSettings,
    rival::{self, Constrained, GreedySp, Random, Relaxed, variance_order},
    score::{L1, ScoreSettings, fit_weights},
};

use super::Problem;

type Outcome = Result<Answer, Error>;

/// A method by its name in the tables: a new one is one line in [`METHODS`].
pub(super) struct Method {
    pub name: &'static str,
    /// What it is, in a line; nothing for the paper's own.
    pub note: &'static str,
    /// It is not run on more nodes than this.
    pub most_nodes: usize,
    /// Whether the paper's objective says anything about it.
    pub has_objective: bool,
    /// Whether it minimizes that objective, whose weights are shrunk and may be hardly different from zero.
    pub is_l1: bool,
    pub run: fn(&Problem, &Run<'_>) -> Outcome,
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

pub(super) static METHODS: [Method; 16] = [
    paper("PL-RELAX", |problem, run| learn(problem, "pl-relax", "l1", run)),
    paper("SINKHORN_ECP", |problem, run| {
        rival(problem, run, |gram, seed| Constrained::sinkhorn().run(gram, seed, run))
    }),
    paper("URS_ECP", |problem, run| {
        rival(problem, run, |gram, seed| Constrained::urs().run(gram, seed, run))
    }),
    paper("SINKHORN", |problem, run| {
        rival(problem, run, |gram, seed| Relaxed::sinkhorn().run(gram, seed, run))
    }),
    paper("URS", |problem, run| rival(problem, run, |gram, seed| Relaxed::urs().run(gram, seed, run))),
    Method {
        has_objective: false,
        is_l1: false,
        ..paper("GREEDY-SP", |problem, run| {
            rival(problem, run, |gram, seed| GreedySp::default().run(gram, seed, run))
        })
    },
    Method {
        is_l1: false,
        ..paper("RANDOM", |problem, run| {
            let edges = problem.expected_edges();
            rival(problem, run, |gram, seed| Random { expected_edges: edges }.run(gram.nodes(), seed))
        })
    },
    ours(
        "VARIANCE-SORT",
        "nodes sorted by variance, one lasso each: the baseline that the paper lacks",
        |problem, run| {
            let score: Arc<dyn LocalScore> =
                Arc::new(L1::new(Arc::clone(&problem.training), &ScoreSettings::default())?);
            let order = variance_order(&problem.training);
            let parents = Oracle::new(Arc::clone(&score)).order_parents(&order, run)?.unwrap_or_default();
            let weights = fit_weights(score.as_ref(), &parents)?.unwrap_or_default();
            answer(problem, Dag::from_adjacency(order.len(), &weights)?, Vec::new(), run)
        },
    ),
    ours("PL-REINFORCE", "PL-RELAX with REINFORCE and a leave-one-out baseline", |problem, run| {
        learn(problem, "pl-reinforce", "l1", run)
    }),
    ours("PL", "PL-RELAX with reward-to-go in place of the critic", |problem, run| {
        learn(problem, "pl", "l1", run)
    }),
    ours(
        "PL-SURROGATE",
        "PL-RELAX with a surrogate of ranks and precedences in place of the critic",
        |problem, run| learn(problem, "pl-surrogate", "l1", run),
    ),
    ours("PL-RELAX+INSERTION", "the mode of PL-RELAX, then insertion moves", |problem, run| {
        learn(problem, "pl-relax+insertion", "l1", run)
    }),
    ours("INSERTION", "insertion moves with kicks, on the paper's score", |problem, run| {
        learn(problem, "insertion", "l1", run)
    }),
    Method {
        most_nodes: 20,
        ..ours("EXACT", "the optimum of the paper's score, by dynamic programming", |problem, run| {
            learn(problem, "exact", "l1", run)
        })
    },
    Method {
        is_l1: false,
        ..ours("EV-L0", "insertion moves on the equal-variance L0 score", |problem, run| {
            learn(problem, "insertion", "ev-l0", run)
        })
    },
    Method {
        is_l1: false,
        ..ours(
            "BIC",
            "insertion moves on the Gaussian BIC, which needs no equal variances",
            |problem, run| learn(problem, "insertion", "bic", run),
        )
    },
];

const fn paper(name: &'static str, run: fn(&Problem, &Run<'_>) -> Outcome) -> Method {
    Method { name, note: "", most_nodes: ANY, has_objective: true, is_l1: true, run }
}

const fn ours(name: &'static str, note: &'static str, run: fn(&Problem, &Run<'_>) -> Outcome) -> Method {
    Method { name, note, most_nodes: ANY, has_objective: true, is_l1: true, run }
}

/// What `plackett learn` does.
fn learn(problem: &Problem, method: &str, score: &str, run: &Run<'_>) -> Outcome {
    let learning = Learning {
        method: LearnMethod::by_name(method)?,
        score: score.into(),
        search: SearchSettings { memory_bytes: EXACT_BYTES, ..SearchSettings::default() },
        seed: problem.seed,
        ..Learning::default()
    };
    let Learned { dag, trace, .. } =
        learning.run(&Observations::Numbers(Arc::clone(&problem.training)), run)?;
    let trace = trace.points().iter().map(|point| (point.seconds, point.best)).collect();
    answer(problem, dag, trace, run)
}

fn rival(
    problem: &Problem,
    run: &Run<'_>,
    learn: impl Fn(&Gram, u64) -> Result<rival::Learned, Error>,
) -> Outcome {
    answer(problem, learn(&problem.training, problem.seed)?.dag, Vec::new(), run)
}

/// A graph with its objective at the end, for those that have none on the way.
fn answer(problem: &Problem, dag: Dag, mut trace: Vec<(f64, f64)>, run: &Run<'_>) -> Outcome {
    let weights = dag.adjacency();
    if trace.is_empty() {
        trace.push((run.seconds(), problem.training.q(&weights, super::LAMBDA)?));
    }
    Ok(Answer { dag, weights, trace })
}
