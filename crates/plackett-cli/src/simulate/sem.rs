//! `plackett simulate sem`: the paper's linear Gaussian models, as training data, validation data and true weights.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
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
    let &Drawing { samples, common: Common { seed, json }, .. } = &arguments.drawing;
    let validation = arguments.drawing.validation();
    let kind = match graph {
        Kind::Er => GraphKind::ErdosRenyi,
        Kind::Sf => GraphKind::ScaleFree,
    };
    let sem = simulate_sem(&SemSettings { graph: kind, degree, nodes, noise: Noise::Standard }, seed)?;
    let out = OutDir::create(&arguments.out)?;
    let mut files = Vec::new();
    for (name, rows, stream) in
        [("data.csv", samples, Sem::TRAINING), ("validation.csv", validation, Sem::VALIDATION)]
    {
        let mut text = Vec::new();
        sem.sample(rows, stream).write_csv(&mut text, name)?;
        files.push(out.write(name, &text)?);
    }
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
