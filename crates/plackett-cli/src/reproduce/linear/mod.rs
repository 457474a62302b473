//! Tables 1 to 3: every method on simulated linear models of 10, 20 and 50 nodes, on raw and on standardized data.

mod methods;
mod report;

use std::{sync::Arc, time::Instant};

use plackett::run::Run;
use plackett_dag::{
    Dag, Gram, Sem, Table,
    gram::{Centering, GramBuilder},
    metrics::{Comparison, compare},
    simulate::{GraphKind, Noise, SemSettings, simulate_sem},
};
use serde::{Deserialize, Serialize};

use super::{Report, Wish, jobs};
use crate::files::OutDir;
use methods::{METHODS, Method};

/// The paper's λ, and the numbers of rows that fit its figures.
const LAMBDA: f64 = 0.5;
const ROWS: usize = 1000;
/// Smaller weights are not counted as edges in the second count of every method on the paper's objective.
const THRESHOLD: f64 = 0.3;

/// A kind of random graph with the number of edges per node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Graph {
    name: &'static str,
    kind: GraphKind,
    degree: usize,
}

const GRAPHS: [Graph; 4] = [
    Graph { name: "ER1", kind: GraphKind::ErdosRenyi, degree: 1 },
    Graph { name: "ER4", kind: GraphKind::ErdosRenyi, degree: 4 },
    Graph { name: "SF1", kind: GraphKind::ScaleFree, degree: 1 },
    Graph { name: "SF4", kind: GraphKind::ScaleFree, degree: 4 },
];

/// What is done to the columns beyond centering them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preparation {
    Raw,
    Standardized,
}

impl Preparation {
    fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Standardized => "standardized",
        }
    }
}

/// One data set with everything that is known of it.
struct Problem {
    graph: Graph,
    seed: u64,
    training: Arc<Gram>,
    validation: Gram,
    truth: Dag,
    /// The paper's objective of the true weights on the validation data.
    true_objective: f64,
}

impl Problem {
    fn new(
        nodes: usize,
        graph: Graph,
        seed: u64,
        preparation: Preparation,
    ) -> Result<Self, plackett_dag::Error> {
        let settings = SemSettings { graph: graph.kind, degree: graph.degree, nodes, noise: Noise::Standard };
        let sem = simulate_sem(&settings, seed)?;
        let centering = match preparation {
            Preparation::Raw => Centering::Center,
            Preparation::Standardized => Centering::Standardize,
        };
        let training = gram(&sem.sample(ROWS, Sem::TRAINING), |builder| builder.finish(centering))?;
        let validation = gram(&sem.sample(ROWS, Sem::VALIDATION), |builder| builder.finish_like(&training))?;
        let mut weights = sem.dag().adjacency();
        for (at, weight) in weights.iter_mut().enumerate() {
            *weight *= training.scales()[at / nodes] / training.scales()[at % nodes];
        }
        let true_objective = validation.q(&weights, LAMBDA)?;
        Ok(Self {
            graph,
            seed,
            training: Arc::new(training),
            validation,
            truth: sem.dag().clone(),
            true_objective,
        })
    }

    fn expected_edges(&self) -> f64 {
        (self.graph.degree * self.training.nodes()) as f64
    }
}

fn gram(
    table: &Table,
    finish: impl FnOnce(GramBuilder) -> Result<Gram, plackett_dag::Error>,
) -> Result<Gram, plackett_dag::Error> {
    let mut builder = GramBuilder::new(table.columns())?;
    for row in table.rows() {
        builder.push_row(row)?;
    }
    finish(builder)
}

/// One method on one data set.
#[derive(Clone, Copy)]
struct Job {
    nodes: usize,
    graph: Graph,
    preparation: Preparation,
    seed: u64,
    method: &'static Method,
}

impl jobs::Job for Job {
    type Measured = Measured;

    fn name(&self) -> String {
        let Self { nodes, graph, preparation, seed, method } = self;
        format!("{nodes}-{}-{}-{seed}-{}", graph.name, preparation.name(), method.name)
    }

    fn run(&self, run: &Run<'_>) -> anyhow::Result<Measured> {
        let problem = Problem::new(self.nodes, self.graph, self.seed, self.preparation)?;
        let start = Instant::now();
        let answer = (self.method.run)(&problem, run)?;
        let seconds = start.elapsed().as_secs_f64();
        let Comparison { shd, shd_cpdag, sid, .. } = compare(&problem.truth, &answer.dag)?;
        let above_threshold =
            self.method.is_l1.then(|| above_threshold(&problem.truth, &answer.dag)).transpose()?;
        let difference = problem.validation.q(&answer.weights, LAMBDA)? - problem.true_objective;
        Ok(Measured {
            val_q_diff: self.method.has_objective.then_some(difference),
            train_q: problem.training.q(&answer.weights, LAMBDA)?,
            shd: shd as f64,
            shd_cpdag: shd_cpdag as f64,
            sid: sid as f64,
            above_threshold,
            seconds,
            trace: answer.trace,
        })
    }
}

fn above_threshold(truth: &Dag, learned: &Dag) -> Result<[f64; 3], plackett_dag::Error> {
    let heavy = learned.edges().filter(|(_, _, weight)| weight.abs() > THRESHOLD);
    let Comparison { shd, shd_cpdag, sid, .. } = compare(truth, &Dag::from_edges(learned.nodes(), heavy)?)?;
    Ok([shd, shd_cpdag, sid].map(|count| count as f64))
}

/// What is measured of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Measured {
    val_q_diff: Option<f64>,
    train_q: f64,
    shd: f64,
    shd_cpdag: f64,
    sid: f64,
    /// SHD, SHD-CPDAG and SID of the edges above the threshold alone.
    above_threshold: Option<[f64; 3]>,
    seconds: f64,
    trace: Vec<(f64, f64)>,
}

/// A job with its result.
type Done = (Job, Measured);

/// Makes the table of so many nodes.
pub(super) fn make(
    out: &OutDir,
    nodes: usize,
    Wish { seeds, quick, .. }: Wish<'_>,
) -> anyhow::Result<Report> {
    let preparations: &[Preparation] =
        if quick { &[Preparation::Raw] } else { &[Preparation::Raw, Preparation::Standardized] };
    let mut jobs = Vec::new();
    for method in METHODS.iter().filter(|method| nodes <= method.most_nodes) {
        // The rivals take minutes on many dense nodes; a first look does without them.
        if quick && nodes > QUICK_NODES && method.note.is_empty() && method.name != "PL-RELAX" {
            continue;
        }
        for &preparation in preparations {
            for graph in GRAPHS {
                jobs.extend(seeds.iter().map(|&seed| Job { nodes, graph, preparation, seed, method }));
            }
        }
    }
    let done = jobs::run(out, format!("{nodes} nodes"), jobs)?;
    report::make(nodes, &done, seeds)
}

/// Up to here the rivals are quick.
const QUICK_NODES: usize = 10;
