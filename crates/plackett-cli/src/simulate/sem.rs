//! `plackett simulate sem`: the paper's linear Gaussian models, as training data, validation data and true weights.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use plackett::memory;
use plackett_dag::{
    Sem,
    format::write_graph_csv,
    simulate::{GraphKind, Noise, SemSettings, simulate_sem},
};
use serde::Serialize;

use super::Drawing;
use crate::{
    arguments::Common,
    console::{self, counted},
    files::OutDir,
};

#[derive(Args)]
pub(crate) struct Arguments {
    /// How the graph is drawn
    #[arg(long, value_enum, default_value = "er")]
    graph: Kind,
    /// Edges per node: expected ones (er), or those that each new node draws (sf); the paper has 1 and 4
    #[arg(long, default_value_t = 1)]
    degree: usize,
    /// How many variables
    #[arg(long, default_value_t = 10)]
    nodes: usize,
    /// The share of variables to intervene on, one at a time: data.csv then has rows of these experiments after those that are
    /// observed, and a last column "target" that names what was set
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    interventions: Option<f64>,
    /// Rows of each experiment
    #[arg(long, value_name = "N", default_value_t = 100, requires = "interventions")]
    intervention_rows: usize,
    #[command(flatten)]
    drawing: Drawing,
    /// The folder for data.csv, validation.csv and weights.csv
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Erdős–Rényi: every pair of nodes is joined with the same probability
    Er,
    /// Scale-free, by preferential attachment: a few nodes have many parents
    Sf,
}

impl Kind {
    fn flag(self) -> &'static str {
        match self {
            Self::Er => "er",
            Self::Sf => "sf",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Er => "Erdős–Rényi",
            Self::Sf => "scale-free",
        }
    }
}

impl Arguments {
    /// How many nodes are set, each in rows of its own.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the nodes")]
    fn experiments(&self) -> usize {
        (self.interventions.unwrap_or(0.0) * self.nodes as f64).round() as usize
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a number from 0 to 1 is needed".to_owned()),
    }
}

/// The rows of data.csv, with those of experiments if there are any, and their number.
fn data(arguments: &Arguments, sem: &Sem) -> anyhow::Result<(Vec<u8>, usize)> {
    let samples = arguments.drawing.samples;
    let mut text = Vec::new();
    let count = arguments.experiments();
    if arguments.interventions.is_none() {
        sem.sample(samples, Sem::TRAINING).write_csv(&mut text, "data.csv")?;
        return Ok((text, samples));
    }
    let experiments: Vec<Vec<usize>> =
        sem.random_targets(count).into_iter().map(|target| vec![target]).collect();
    let rows_each = arguments.intervention_rows;
    let (table, told) = sem.sample_experiments(samples, &experiments, rows_each, Sem::TRAINING)?;
    table.write_csv(&mut text, "data.csv")?;
    let name = |target: &usize| table.names()[*target].clone();
    let targets = told.row_targets().map(|set| set.iter().map(name).collect::<Vec<_>>().join(";"));
    let last = std::iter::once(TARGET.to_owned()).chain(targets);
    let text = String::from_utf8(text)?;
    let lines: Vec<String> = text.lines().zip(last).map(|(line, last)| format!("{line},{last}\n")).collect();
    Ok((lines.concat().into_bytes(), told.rows()))
}

/// A number, and its text.
const BYTES_PER_VALUE: usize = 8 + 20;

/// The column of data.csv that names what was set.
const TARGET: &str = "target";

/// The document that `--json` prints.
#[derive(Serialize)]
struct Document {
    graph: &'static str,
    degree: usize,
    nodes: usize,
    edges: usize,
    samples: usize,
    validation: usize,
    seed: u64,
    files: Vec<PathBuf>,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    let &Arguments { graph, degree, nodes, .. } = arguments;
    let &Drawing { common: Common { seed, json }, .. } = &arguments.drawing;
    let validation = arguments.drawing.validation();
    let kind = match graph {
        Kind::Er => GraphKind::ErdosRenyi,
        Kind::Sf => GraphKind::ScaleFree,
    };
    // The matrix of weights has a digit and a comma at least for each entry.
    memory::check("the matrix of weights", (2 * nodes as u128).saturating_mul(nodes as u128))?;
    let set = arguments.experiments() as u128 * arguments.intervention_rows as u128;
    arguments.drawing.check(set, nodes, BYTES_PER_VALUE)?;
    let sem = simulate_sem(&SemSettings { graph: kind, degree, nodes, noise: Noise::Standard }, seed)?;
    let out = OutDir::create(&arguments.out)?;
    let mut files = Vec::new();
    let (text, samples) = data(arguments, &sem)?;
    files.push(out.write("data.csv", &text)?);
    let mut text = Vec::new();
    sem.sample(validation, Sem::VALIDATION).write_csv(&mut text, "validation.csv")?;
    files.push(out.write("validation.csv", &text)?);
    let mut text = Vec::new();
    write_graph_csv(sem.graph(), &mut text, "weights.csv")?;
    files.push(out.write("weights.csv", &text)?);

    let edges = sem.dag().edge_count();
    if json {
        let graph = graph.flag();
        return console::say_json(&Document {
            graph,
            degree,
            nodes,
            edges,
            samples,
            validation,
            seed,
            files,
        });
    }
    let [data, validation_file, weights] = [0, 1, 2].map(|at| files[at].display());
    console::say(&format!(
        "A linear model over {} graph of {} and {} ({}, degree {degree}), weights ±U(0.5, 2), \
         noise N(0, 1), seed {seed}\n  \
         {data}: {} to learn from\n  \
         {validation_file}: {} more, drawn independently\n  \
         {weights}: the true weights (row i, column j non-zero means i -> j)",
        if matches!(arguments.graph, Kind::Er) { "an" } else { "a" }.to_owned()
            + " "
            + arguments.graph.name(),
        counted(nodes, "node"),
        counted(edges, "edge"),
        arguments.graph.flag(),
        counted(samples, "row"),
        counted(validation, "row"),
    ))
}
