//! `plackett evaluate`: how far one graph is from another.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use plackett_dag::{format::read_graph, metrics::Comparison};

use crate::{
    arguments::Common,
    console::{self, counted},
};

#[derive(Args)]
// Accepted so that scripts may pass it to every command alike; nothing is random here.
#[command(mut_arg("seed", |seed| seed.hide(true)))]
pub(crate) struct Arguments {
    /// The true graph: an adjacency matrix in CSV (row i, column j non-zero means i -> j), the JSON of `learn`, a BIF file, or a graph in
    /// DOT, GraphML, GML, or as Tetrad, causal-learn, DAGitty or bnlearn write it
    #[arg(value_name = "TRUE")]
    truth: PathBuf,
    /// The estimated graph, in any of these forms
    #[arg(value_name = "EST")]
    estimate: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { truth: truth_path, estimate: estimate_path, .. } = arguments;
    let truth = read_graph(truth_path)?;
    let estimate = read_graph(estimate_path)?;
    let comparison = truth.compare(&estimate).with_context(|| {
        format!("{} (true) against {} (estimate)", truth_path.display(), estimate_path.display())
    })?;
    if arguments.common.json {
        return console::say_json(&comparison);
    }
    console::say(&format!(
        "True graph  {}\nEstimate    {}\n\
         Row i, column j non-zero means i -> j; {}, matched by name\n\n{}",
        truth_path.display(),
        estimate_path.display(),
        counted(truth.names().len(), "node"),
        table(&comparison, truth.names().len()),
    ))
}

/// The comparison as a person reads it.
pub(crate) fn table(comparison: &Comparison, nodes: usize) -> String {
    let &Comparison { shd, shd_cpdag, sid, edges_true, edges_est, missing, extra, reversed } = comparison;
    let most = nodes * nodes.saturating_sub(1);
    let row = |name: &str, count: usize, meaning: &str| {
        vec![name.to_owned(), console::thousands(count as u64), meaning.to_owned()]
    };
    console::table_with_notes(
        &["measure", "value", "meaning"],
        [
            row("SHD", shd, "edges to add, remove or turn round"),
            row("SHD-CPDAG", shd_cpdag, "the same between the equivalence classes"),
            row(
                "SID",
                sid,
                &format!("wrong effects of one node on another, of {}", console::thousands(most as u64)),
            ),
            row("edges, true", edges_true, "in the true graph"),
            row("edges, estimate", edges_est, "in the estimate"),
            row("missing", missing, "in the true graph only"),
            row("extra", extra, "in the estimate only"),
            row("reversed", reversed, "in both, the other way round"),
        ],
    )
}
