//! Table 4: ALARM, from categories that its network draws, and three more networks that the paper does not have. The paper's
//! methods search within PC-stable's candidates; ours are below the line.

use std::{sync::Arc, time::Instant};

use plackett::{Noise, PlackettLuce};
use plackett_dag::{
    BayesNet, Candidates, Categories, Comparison, Dag, Expanded, Expansion, GSquare, GradientKind, Insertion,
    Oracle, OrderMcmc, ParentSets, Pc, PlSearch, Qnml, compare, graph_cost, orient,
};
use serde::{Deserialize, Serialize};

use super::{
    Report,
    cells::{self, Metric, Setting},
    jobs, paper,
};
use crate::{console, files::OutDir, interrupt};

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
    run: fn(&Problem) -> Outcome,
}

static METHODS: [Method; 12] = [
    Method { name: "PL-RELAX", note: "", run: |problem| gradient(problem, GradientKind::Relax) },
    Method {
        name: "ORDER-MCMC",
        note: "",
        run: |problem| {
            let mut oracle = within_candidates(problem)?;
            let chain = OrderMcmc { seed: problem.seed, ..OrderMcmc::default() };
            Ok(vec![chain.run(&mut oracle, |_| interrupt::check())?.best.dag()?])
        },
    },
    Method {
        name: "RANDOM",
        note: "",
        run: |problem| {
            let mut oracle = within_candidates(problem)?;
            let uniform = PlackettLuce::new(&vec![0.0; oracle.nodes()])?;
            let orders = uniform.sample_many(RANDOM_ORDERS, Noise::new(problem.seed).stream(0));
            let dag = |order: &plackett::Order| {
                let parents = oracle.order_parents(order)?;
                Dag::from_parents(parents.iter().map(|parents| parents.iter().collect()).collect())
            };
            orders.iter().map(dag).collect()
        },
    },
    Method {
        name: "PC-STABLE",
        note: "the tests alone, with a DAG that agrees with the directions they give",
        run: |problem| Ok(vec![problem.test(0.01)?.to_dag()]),
    },
    Method {
        name: "PL-REINFORCE",
        note: "PL-RELAX with REINFORCE and a leave-one-out baseline",
        run: |problem| gradient(problem, GradientKind::Reinforce),
    },
    Method {
        name: "PL",
        note: "PL-RELAX with reward-to-go in place of the critic",
        run: |problem| gradient(problem, GradientKind::RewardToGo),
    },
    Method {
        name: "PL-RELAX+INSERTION",
        note: "the mode of PL-RELAX, then insertion moves",
        run: |problem| {
            let mut oracle = within_candidates(problem)?;
            let mode = pl_search(problem, GradientKind::Relax).run(&mut oracle, |_| interrupt::check())?.mode;
            Ok(vec![insertion(problem).improve(&mut oracle, &mode.order)?.dag()?])
        },
    },
    Method {
        name: "INSERTION",
        note: "insertion moves with kicks within the same candidates",
        run: |problem| Ok(vec![insertion(problem).run(&mut within_candidates(problem)?)?.dag()?]),
    },
    Method {
        name: "PL-RELAX, PLUS-ONE",
        note: "PL-RELAX where the candidates have grown by parents from outside while that helped",
        run: |problem| {
            let mut oracle = Oracle::new(grown(problem)?.sets);
            let search = pl_search(problem, GradientKind::Relax);
            Ok(vec![search.run(&mut oracle, |_| interrupt::check())?.mode.dag()?])
        },
    },
    Method {
        name: "ORDER-MCMC, PLUS-ONE",
        note: "order MCMC in that space",
        run: |problem| {
            let mut oracle = Oracle::new(grown(problem)?.sets);
            let chain = OrderMcmc { seed: problem.seed, ..OrderMcmc::default() };
            Ok(vec![chain.run(&mut oracle, |_| interrupt::check())?.best.dag()?])
        },
    },
    Method {
        name: "INSERTION, PLUS-ONE",
        note: "insertion moves with kicks in that space",
        run: |problem| Ok(vec![plus_one(problem)?]),
    },
    Method {
        name: "LEARN",
        note: "the same, and the directions that the score leaves open chosen by factorized NML: what `plackett learn` does \
               unless told otherwise",
        run: |problem| Ok(vec![orient(&problem.training, &plus_one(problem)?)?]),
    },
];

fn plus_one(problem: &Problem) -> Result<Dag, plackett_dag::Error> {
    let grown = grown(problem)?;
    let mut oracle = Oracle::new(grown.sets);
    let again = insertion(problem).run(&mut oracle)?;
    let improved = insertion(problem).improve(&mut oracle, &grown.solution.order)?;
    if again.score < improved.score { again } else { improved }.dag()
}

fn gradient(problem: &Problem, kind: GradientKind) -> Outcome {
    let mut oracle = within_candidates(problem)?;
    Ok(vec![pl_search(problem, kind).run(&mut oracle, |_| interrupt::check())?.mode.dag()?])
}

fn pl_search(problem: &Problem, gradient: GradientKind) -> PlSearch {
    PlSearch { gradient, seed: problem.seed, ..PlSearch::for_categories() }
}

fn insertion(problem: &Problem) -> Insertion {
    Insertion { starts: 4, kicks: 30, seed: problem.seed }
}

/// The paper's space: parents are neighbors in PC-stable's skeleton.
fn within_candidates(problem: &Problem) -> Result<Oracle, plackett_dag::Error> {
    let candidates = Candidates::from_neighbors(problem.test(ALPHA)?.skeleton)?;
    Ok(Oracle::new(Arc::new(ParentSets::build(&problem.training, &Qnml, &candidates)?)))
}

fn grown(problem: &Problem) -> Result<Expanded, plackett_dag::Error> {
    let candidates = Candidates::from_neighbors(problem.test(ALPHA)?.skeleton)?;
    let insertion = Insertion { seed: problem.seed, ..Expansion::default().insertion };
    Expansion { insertion, ..Expansion::default() }.run(&problem.training, &Qnml, candidates)
}

/// Data of one seed, with the graph behind them.
struct Problem {
    seed: u64,
    training: Categories,
    validation: Categories,
    truth: Dag,
}

impl Problem {
    fn new(source: Source, seed: u64) -> Result<Self, plackett_dag::Error> {
        let network = BayesNet::embedded(source.name)?;
        Ok(Self {
            seed,
            training: network.sample(source.rows, seed, BayesNet::TRAINING)?,
            validation: network.sample(source.rows, seed, BayesNet::VALIDATION)?,
            truth: network.dag().clone(),
        })
    }

    fn test(&self, alpha: f64) -> Result<plackett_dag::PcResult, plackett_dag::Error> {
        Ok(Pc::default().run(&GSquare::new(&self.training, alpha)?, |_| interrupt::check()))
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

    fn run(&self) -> anyhow::Result<Measured> {
        let problem = Problem::new(self.source, self.seed)?;
        let start = Instant::now();
        let dags = (self.method.run)(&problem)?;
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
            if interrupt::check().is_break() {
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
    Metric { name: "val_q_diff", heading: "Val Q − Q*", digits: 1, pick: |m| Some(m.val_q_diff) },
    Metric { name: "train_q_diff", heading: "Q − Q*", digits: 1, pick: |m| Some(m.train_q_diff) },
    Metric { name: "shd", heading: "SHD", digits: 1, pick: |m| Some(m.shd) },
    Metric { name: "shd_cpdag", heading: "SHD-CPDAG", digits: 1, pick: |m| Some(m.shd_cpdag) },
    Metric { name: "sid", heading: "SID", digits: 1, pick: |m| Some(m.sid) },
    Metric { name: "seconds", heading: "seconds", digits: 2, pick: |m| Some(m.seconds) },
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

pub(super) fn make(out: &OutDir, seeds: &[u64], quick: bool) -> anyhow::Result<Report> {
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
        vec![out.write("table4.csv", &cells::csv(&all)?)?, out.write("table4.md", markdown.as_bytes())?];
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
