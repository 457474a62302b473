//! `plackett simulate network`: data from a discrete Bayesian network, with the network and its graph.

use std::path::{Path, PathBuf};

use clap::Args;
use plackett_dag::{BayesNet, Error, format::write_graph_csv, network::EMBEDDED};
use serde::Serialize;

use super::Drawing;
use crate::{
    arguments::Common,
    console::{self, counted},
    files::OutDir,
};

#[derive(Args)]
pub(crate) struct Arguments {
    #[arg(value_name = "NAME|FILE.bif", help = known())]
    network: String,
    #[command(flatten)]
    drawing: Drawing,
    /// What stands for a missing value when the data are read, so that a category may be called NA: `learn` is to be given the same
    #[arg(long, value_name = "MARK", allow_hyphen_values = true)]
    na: Option<String>,
    /// The folder for data.csv, validation.csv, graph.csv and network.bif
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

fn known() -> String {
    let names: Vec<&str> = EMBEDDED.iter().map(|network| network.name).collect();
    format!("One of {}, or a file in the BIF format", names.join(", "))
}

/// The document that `--json` prints.
#[derive(Serialize)]
struct Document {
    network: String,
    nodes: usize,
    edges: usize,
    free_parameters: usize,
    samples: usize,
    validation: usize,
    seed: u64,
    files: Vec<PathBuf>,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    let &Drawing { samples, common: Common { seed, json }, .. } = &arguments.drawing;
    let validation = arguments.drawing.validation();
    let net = network(&arguments.network)?;
    let longest = (0..net.dag().nodes()).flat_map(|node| net.states(node)).map(String::len).max();
    arguments.drawing.check(0, net.dag().nodes(), longest.unwrap_or(0) + 2)?;
    let draws =
        [("data.csv", samples, BayesNet::TRAINING), ("validation.csv", validation, BayesNet::VALIDATION)];
    let mut contents = Vec::new();
    for (name, rows, stream) in draws {
        let mut text = Vec::new();
        let data = net.sample(rows, seed, stream)?;
        match &arguments.na {
            Some(mark) => data.write_csv_marked(std::slice::from_ref(mark), &mut text, name)?,
            None => data.write_csv(&mut text, name)?,
        }
        contents.push((name, text));
    }
    let mut text = Vec::new();
    write_graph_csv(net.graph(), &mut text, "graph.csv")?;
    contents.extend([("graph.csv", text), ("network.bif", net.to_bif().into_bytes())]);
    let out = OutDir::create(&arguments.out)?;
    let files = contents.iter().map(|(name, text)| out.write(name, text)).collect::<Result<Vec<_>, _>>()?;

    let (nodes, edges, free_parameters) = (net.dag().nodes(), net.dag().edge_count(), net.free_parameters());
    if json {
        return console::say_json(&Document {
            network: arguments.network.clone(),
            nodes,
            edges,
            free_parameters,
            samples,
            validation,
            seed,
            files,
        });
    }
    let [data, validation_file, graph, bif] = [0, 1, 2, 3].map(|at| files[at].display());
    console::say(&format!(
        "The network {} of {}, {} and {}, seed {seed}\n  \
         {data}: {} to learn from\n  \
         {validation_file}: {} more, drawn independently\n  \
         {graph}: the true graph (row i, column j non-zero means i -> j)\n  \
         {bif}: the network with its probabilities",
        arguments.network,
        counted(nodes, "node"),
        counted(edges, "edge"),
        counted(free_parameters, "free parameter"),
        counted(samples, "row"),
        counted(validation, "row"),
    ))
}

/// A network by name, or from a file if the text looks like one or is one.
pub(crate) fn network(text: &str) -> Result<BayesNet, Error> {
    let path = Path::new(text);
    let is_known = EMBEDDED.iter().any(|network| network.name == text);
    let is_file = path.extension().is_some() || path.components().count() > 1 || path.exists();
    if is_file && !is_known { BayesNet::read_bif(path) } else { BayesNet::embedded(text) }
}
