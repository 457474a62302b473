//! `plackett convert`: a graph from the format of one program to that of another.

use std::path::PathBuf;

use clap::{Args, builder::PossibleValuesParser};
use plackett_dag::{
    BayesNet, Error,
    format::{Claim, GraphFormat, read_claim},
};
use serde::Serialize;

use crate::{
    console::{self, BadInput, counted},
    files::OutFile,
    query,
};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The graph: a file in any of the forms that `plackett evaluate` reads, or a model of `plackett fit`
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,
    /// The file to write; - is standard output. Its ending tells the format: .csv (an adjacency matrix), .json (as `plackett learn` prints),
    /// .dot or .gv (Graphviz), .graphml (networkx, igraph, yEd, Gephi), .gml (networkx, DoWhy), .dagitty, .tetrad or .txt (Tetrad, causal-learn),
    /// .bnlearn (a model string), or .bif for a network or a model of categories, with its probabilities
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The format, whatever the file's ending
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(names()))]
    format: Option<String>,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

const BIF: &str = "bif";

fn names() -> Vec<&'static str> {
    GraphFormat::NAMES.into_iter().chain([BIF]).collect()
}

#[derive(Serialize)]
struct Document {
    version: &'static str,
    out: String,
    format: String,
    nodes: usize,
    edges: usize,
    open: usize,
    warnings: Vec<String>,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    let to_stdout = arguments.out.as_os_str() == "-";
    if to_stdout && arguments.json {
        return Err(
            BadInput("--json describes the file that is written: give it a name, not -".to_owned()).into()
        );
    }
    if to_stdout && arguments.format.is_none() {
        return Err(BadInput("standard output has no ending: say which format by --format".to_owned()).into());
    }
    let ends_in_bif = arguments.out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(BIF));
    let is_bif = arguments.format.as_deref().map_or(ends_in_bif, |format| format == BIF);
    let mut warnings = Vec::new();
    let (claim, format, text) = if is_bif {
        let network = tables(arguments)?;
        (Claim::certain(network.graph().clone()), BIF.to_owned(), network.to_bif())
    } else {
        let format = match &arguments.format {
            Some(name) => GraphFormat::by_name(name)?,
            None => GraphFormat::of_path(&arguments.out).map_err(|error| match error {
                Error::Setting { value, reason, .. } => {
                    BadInput(format!("{value}: {reason}, .bif for networks; or say it by --format")).into()
                }
                error => anyhow::Error::from(error),
            })?,
        };
        let claim = match query::read_model(&arguments.graph)? {
            Some(model) => Claim::certain(model.graph().clone()),
            None => read_claim(&arguments.graph)?,
        };
        let open = claim.class.undirected().len();
        if open > 0 && !format.holds_open_directions() {
            warnings.push(format!(
                "{} has no place for open directions: {} got a direction all the same",
                format.name(),
                counted(open, "edge")
            ));
        }
        let text = claim.write(format)?;
        (claim, format.name().to_owned(), text)
    };
    if to_stdout {
        warnings.iter().for_each(|warning| console::warn(warning));
        return console::say(text.trim_end_matches('\n'));
    }
    OutFile::tried(&arguments.out)?.write(text.as_bytes())?;
    let document = Document {
        version: env!("CARGO_PKG_VERSION"),
        out: arguments.out.display().to_string(),
        format,
        nodes: claim.graph.names().len(),
        edges: claim.graph.dag().edge_count(),
        open: claim.class.undirected().len(),
        warnings,
    };
    if arguments.json {
        return console::say_json(&document);
    }
    let mut text = format!(
        "Written to {}: {}, {}",
        document.out,
        counted(document.nodes, "node"),
        counted(document.edges, "edge")
    );
    if document.open > 0 {
        text += &format!(", {} of open direction", document.open);
    }
    for warning in &document.warnings {
        text += &format!("\nWarning: {warning}");
    }
    console::say(&text)
}

/// What BIF holds beyond a graph.
fn tables(arguments: &Arguments) -> anyhow::Result<BayesNet> {
    query::read_network(&arguments.graph).map_err(|error| {
        let remedy =
            "BIF holds the states and probabilities of categories: convert a model that `plackett fit` wrote";
        error.context(format!("{} cannot be written as BIF. {remedy}", arguments.graph.display()))
    })
}
