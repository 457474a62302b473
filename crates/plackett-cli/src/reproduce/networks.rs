//! Table 4: ALARM, from categories that its network draws, and three more networks that the paper does not have. The paper's
//! methods search within PC-stable's candidates; ours are below the line.

use std::{sync::Arc, time::Instant};

use plackett::{Noise, PlackettLuce, run::Run};
use plackett_dag::{
    BayesNet, Categories, Dag, LearnMethod, Learning, Observations, Oracle, Pc,
    independence::GSquare,
    learning::{CategorySettings, Orient, ParentSpace},
    metrics::{Comparison, compare},
    parent_sets::{Candidates, Keep, ParentSets},
    score::{Qnml, graph_cost},
};
use serde::{Deserialize, Serialize};

use super::{
    Report, Wish,
    cells::{self, Metric, Setting},
    jobs, paper,
};
use crate::{console, files::OutDir};

/// A network to draw from.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Source {
    /// Its name in the table, and among the embedded networks.
    graph: &'static str,
    name: &'static str,
    nodes: usize,
    rows: usize,
}

/// ALARM with about as many rows as the paper must have had, and others.
const SOURCES: [Source; 4] = [
    Source { graph: "ALARM", name: "alarm", nodes: 37, rows: 20_000 },
    Source { graph: "CHILD", name: "child", nodes: 20, rows: 10_000 },
    Source { graph: "INSURANCE", name: "insurance", nodes: 27, rows: 10_000 },
    Source { graph: "SACHS", name: "sachs", nodes: 11, rows: 10_000 },
];

/// For a first look.
const QUICK: Source = Source { graph: "ALARM", name: "alarm", nodes: 37, rows: 5_000 };

/// The level of PC-stable's tests for candidates.
const ALPHA: f64 = 0.05;

/// As many as in the paper.
const RANDOM_ORDERS: usize = 1000;

type Outcome = Result<Vec<Dag>, plackett_dag::Error>;

/// A method by its name in the table: a new one is one line in [`METHODS`].
struct Method {
    name: &'static str,
    /// What it is, in a line; nothing for the paper's own.
    note: &'static str,
    /// The graphs that it gives: one, or many to be averaged over.
    run: fn(&Problem, &Run<'_>) -> Outcome,
}

static METHODS: [Method; 13] = [
    Method { name: "PL-RELAX", note: "", run: |problem, run| learn(problem, "pl-relax", PAPER, run) },
    Method { name: "ORDER-MCMC", note: "", run: |problem, run| learn(problem, "order-mcmc", PAPER, run) },
    Method { name: "RANDOM", note: "", run: random },
    Method {
        name: "PC-STABLE",
        note: "the tests alone, with a DAG that agrees with the directions they give",
        run: |problem, run| learn(problem, "pc", CategorySettings::default(), run),
    },
    Method {
        name: "PL-REINFORCE",
        note: "PL-RELAX with REINFORCE and a leave-one-out baseline",
        run: |problem, run| learn(problem, "pl-reinforce", PAPER, run),
    },
    Method {
        name: "PL",
        note: "PL-RELAX with reward-to-go in place of the critic",
        run: |problem, run| learn(problem, "pl", PAPER, run),
    },
    Method {
        name: "PL-RELAX+INSERTION",
        note: "the mode of PL-RELAX, then insertion moves",
        run: |problem, run| learn(problem, "pl-relax+insertion", PAPER, run),
    },
    Method {
        name: "INSERTION",
        note: "insertion moves with kicks within the same candidates",
        run: |problem, run| learn(problem, "insertion", PAPER, run),
    },
    Method {
        name: "PL-RELAX, PLUS-ONE",
        note: "PL-RELAX where the candidates have grown by parents from outside while that helped",
        run: |problem, run| learn(problem, "pl-relax", GROWN, run),
    },
    Method {
        name: "ORDER-MCMC, PLUS-ONE",
        note: "order MCMC in that space",
        run: |problem, run| learn(problem, "order-mcmc", GROWN, run),
    },
    Method {
        name: "INSERTION, PLUS-ONE",
        note: "insertion moves with kicks in that space",
        run: |problem, run| learn(problem, "insertion", GROWN, run),
    },
    Method {
        name: "LEARN",
        note: "what `plackett learn` does unless told otherwise",
        run: |problem, run| learn(problem, "auto", CategorySettings::default(), run),
    },
    Method {
        name: "LEARN, ORIENTED",
        note: "the same with `--orient fnml`: directions that the score leaves open chosen by factorized NML",
        run: |problem, run| learn(problem, "auto", ORIENTED, run),
    },
];

/// The paper's space: parents are neighbors in PC-stable's skeleton. Directions are those of the order.
const PAPER: CategorySettings = CategorySettings {
    space: Some(ParentSpace::Neighbors),
    orient: None,
    equivalent_sample_size: None,
    max_parents: None,
};

/// The space that grows from the graph of a climb.
const GROWN: CategorySettings = CategorySettings { space: Some(ParentSpace::PlusOne), ..PAPER };

/// Open directions by factorized NML.
const ORIENTED: CategorySettings = CategorySettings { space: None, orient: Some(Orient::Fnml), ..PAPER };

/// What `plackett learn` does.
fn learn(problem: &Problem, method: &str, categories: CategorySettings, run: &Run<'_>) -> Outcome {
    let learning = Learning {
        method: LearnMethod::by_name(method)?,
        categories,
        seed: problem.seed,
        ..Learning::default()
    };
    let data = Observations::Categories(Arc::clone(&problem.training));
    Ok(vec![learning.run(&data, run)?.dag])
}

/// Random orders in the paper's space, to be averaged over.
fn random(problem: &Problem, run: &Run<'_>) -> Outcome {
    let data = &*problem.training;
    let skeleton = Pc::default().run(&GSquare::new(data, ALPHA)?, run).skeleton;
    let candidates = Candidates::from_neighbors(skeleton)?;
    let Some(sets) = ParentSets::build(data, &Qnml, &candidates, Keep::Best, run)? else {
        return Ok(Vec::new());
    };
    let mut oracle = Oracle::new(Arc::new(sets));
    let uniform = PlackettLuce::new(&vec![0.0; oracle.nodes()])?;
    let mut dags = Vec::with_capacity(RANDOM_ORDERS);
    for order in uniform.sample_many(RANDOM_ORDERS, Noise::new(problem.seed).stream(0)) {
        let Some(parents) = oracle.order_parents(&order, run)? else { break };
        dags.push(Dag::from_parents(parents.iter().map(|parents| parents.iter().collect()).collect())?);
    }
    Ok(dags)
}

/// Data of one seed, with the graph behind them.
struct Problem {
    seed: u64,
    training: Arc<Categories>,
    validation: Categories,
    truth: Dag,
}

impl Problem {
    fn new(source: Source, seed: u64) -> Result<Self, plackett_dag::Error> {
        let network = BayesNet::embedded(source.name)?;
        Ok(Self {
            seed,
            training: Arc::new(network.sample(source.rows, seed, BayesNet::TRAINING)?),
            validation: network.sample(source.rows, seed, BayesNet::VALIDATION)?,
            truth: network.dag().clone(),
        })
    }
}

/// One method on one data set.
struct Job {
    source: Source,
    seed: u64,
    method: &'static Method,
}

impl jobs::Job for Job {
    type Measured = Measured;

    fn name(&self) -> String {
        format!("{}-{}-{}-{}", self.source.graph, self.source.rows, self.seed, self.method.name)
    }

    fn run(&self, run: &Run<'_>) -> anyhow::Result<Measured> {
        let problem = Problem::new(self.source, self.seed)?;
        let start = Instant::now();
        let dags = (self.method.run)(&problem, run)?;
        let seconds = start.elapsed().as_secs_f64();
        let mut measured = Measured { seconds, ..Measured::default() };
        let share = 1.0 / dags.len() as f64;
        // The score is minus the cost: higher is better, as in the paper.
        let true_validation = graph_cost(&problem.validation, &Qnml, &problem.truth)?;
        let true_training = graph_cost(&problem.training, &Qnml, &problem.truth)?;
        for dag in &dags {
            let Comparison { shd, shd_cpdag, sid, .. } = compare(&problem.truth, dag)?;
            measured.val_q_diff += share * (true_validation - graph_cost(&problem.validation, &Qnml, dag)?);
            measured.train_q_diff += share * (true_training - graph_cost(&problem.training, &Qnml, dag)?);
            measured.shd += share * shd as f64;
            measured.shd_cpdag += share * shd_cpdag as f64;
            measured.sid += share * sid as f64;
            if run.is_over() {
                break;
            }
        }
        Ok(measured)
    }
}

/// What is measured of a job.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Measured {
    val_q_diff: f64,
    train_q_diff: f64,
    shd: f64,
    shd_cpdag: f64,
    sid: f64,
    seconds: f64,
}

const METRICS: [Metric<Measured>; 6] = [
    Metric {
        name: "val_q_diff",
        heading: "Val Q − Q*",
        paper: "val_q_diff",
        digits: 1,
        pick: |m| Some(m.val_q_diff),
    },
    Metric {
        name: "train_q_diff",
        heading: "Q − Q*",
        paper: "train_q_diff",
        digits: 1,
        pick: |m| Some(m.train_q_diff),
    },
    Metric { name: "shd", heading: "SHD", paper: "shd", digits: 1, pick: |m| Some(m.shd) },
    Metric {
        name: "shd_cpdag",
        heading: "SHD-CPDAG",
        paper: "shd_cpdag",
        digits: 1,
        pick: |m| Some(m.shd_cpdag),
    },
    Metric { name: "sid", heading: "SID", paper: "sid", digits: 1, pick: |m| Some(m.sid) },
    Metric { name: "seconds", heading: "seconds", paper: "seconds", digits: 2, pick: |m| Some(m.seconds) },
];

impl Source {
    fn setting(self) -> Setting {
        let published = self.graph == "ALARM";
        Setting { table: "table4", graph: self.graph, nodes: self.nodes, data: "categories", published }
    }

    fn title(self) -> String {
        format!("{}, {} nodes, {} rows", self.graph, self.nodes, console::thousands(self.rows as u64))
    }
}

pub(super) fn make(out: &OutDir, Wish { seeds, quick, .. }: Wish<'_>) -> anyhow::Result<Report> {
    let sources: &[Source] = if quick { &[QUICK] } else { &SOURCES };
    let mut jobs = Vec::new();
    for &source in sources {
        for method in &METHODS {
            jobs.extend(seeds.iter().map(|&seed| Job { source, seed, method }));
        }
    }
    let done = jobs::run(out, "networks".to_owned(), jobs)?;
    let published = paper::figures()?;
    let mut all = Vec::new();
    let mut text = Vec::new();
    let mut markdown = introduction(seeds);
    for &source in sources {
        for method in &METHODS {
            let results =
                done.iter().filter(|(job, _)| job.source == source && job.method.name == method.name);
            let results: Vec<&Measured> = results.map(|(_, measured)| measured).collect();
            all.extend(source.setting().cells(method.name, &METRICS, &results, &published));
        }
        let rows = source.setting().rows(METHODS.iter().map(|method| method.name), &METRICS, &all);
        let header = cells::header(&METRICS);
        markdown += &format!("\n## {}\n\n{}", source.title(), cells::markdown(&header, &rows));
        let note = if source.setting().published { "; [the paper's mean]" } else { "" };
        text.push(format!("{}{note}\n{}", source.title(), console::table(&header, rows)));
    }
    let files =
        vec![("table4.csv".to_owned(), cells::csv(&all)?), ("table4.md".to_owned(), markdown.into_bytes())];
    Ok(Report { cells: all, text: text.join("\n\n"), files })
}

fn introduction(seeds: &[u64]) -> String {
    let mut text = format!(
        "# table4: ALARM and other networks\n\nMean ± standard deviation over seeds {seeds:?}; the paper's mean, for ALARM, in \
         brackets. As many rows drawn from the network to validate on as to learn from; the score is qNML, higher being better. \
         Val Q − Q* compares the learned graph with the true one on the validation rows, Q − Q* on the rows learned from. \
         SINKHORN and URS do not apply: the score is no function of a relaxed permutation.\n\n",
    );
    for method in METHODS.iter().filter(|method| !method.note.is_empty()) {
        text += &format!("- {}: {}\n", method.name, method.note);
    }
    text
}
