//! `plackett fit`: the coefficients and the probabilities of a graph, from data.

use std::path::{Path, PathBuf};

use clap::Args;
use plackett::run::Run;
use plackett_dag::{
    Dataset, Fitting, Model,
    format::read_graph,
    model::{Distribution, Regression},
};
use serde::Serialize;

use crate::{
    console::{self, BadInput, counted},
    files::OutFile,
    learn::data::{ReadingArguments, open, refused, unfit},
};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The graph: a file in any of the forms that `plackett evaluate` reads; of open directions it takes those that it has
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,
    /// The data: a file with a row per line, as for `plackett learn`; - is standard input
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// The file to write: JSON, or BIF if its name ends in .bif and all columns are categories
    #[arg(long, value_name = "MODEL")]
    out: PathBuf,
    /// The equivalent sample size of the prior on probabilities, which spreads so many rows over the cells of a table; 0 for none
    #[arg(long, value_name = "N", default_value_t = 1.0, allow_negative_numbers = true)]
    ess: f64,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Maximum memory for rows of data, in MiB
    #[arg(long, value_name = "MiB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    version: &'static str,
    out: String,
    rows: usize,
    /// Of the rows that it was fitted to; none where there are only moments, or values are missing.
    log_likelihood: Option<f64>,
    nodes: Vec<Node<'a>>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Node<'a> {
    name: &'a str,
    rows: f64,
    parents: Vec<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    states: &'a [String],
    #[serde(flatten)]
    distribution: &'a Distribution,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    let out = OutFile::tried(&arguments.out)?;
    let graph = read_graph(&arguments.graph)?;
    let data = read(&arguments.data, &arguments.reading, graph.names(), arguments.memory)?;
    let warnings = plackett_report::data_warnings(&data);
    let sample = data.sample()?;
    let model = Fitting { ess: arguments.ess }.fit(&graph, &sample)?;
    let is_bif = arguments.out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bif"));
    let text = match (is_bif, model.to_network()) {
        (false, _) => model.to_json(),
        (true, Some(network)) => network.to_bif(),
        (true, None) => {
            let text = "--out ends in .bif, which holds categories only, and there are numbers: give it another ending";
            return Err(BadInput(text.to_owned()).into());
        }
    };
    // Neither the file nor what is shown is lost if the other cannot be had.
    let written = out.write(text.as_bytes());
    let names = graph.names();
    let nodes = model.nodes().iter().enumerate().map(|(node, fitted)| Node {
        name: &names[node],
        rows: fitted.rows,
        parents: graph.dag().parents(node).iter().map(|&parent| names[parent].as_str()).collect(),
        states: &fitted.states,
        distribution: &fitted.distribution,
    });
    let document = Document {
        version: env!("CARGO_PKG_VERSION"),
        out: arguments.out.display().to_string(),
        rows: sample.total(),
        log_likelihood: model.log_likelihood(&sample).ok().filter(|value| value.is_finite()),
        nodes: nodes.collect(),
        warnings,
    };
    let shown = if arguments.json {
        console::say_json(&document)
    } else {
        console::say(&describe(&document, &model))
    };
    shown.and(written.map(drop))
}

/// The columns of these names, without what stands in the way.
pub(crate) fn read(
    path: &Path,
    arguments: &ReadingArguments,
    names: &[String],
    memory: u32,
) -> anyhow::Result<Dataset> {
    let mut reading = arguments.reading(false, None, (memory as usize) << 20)?;
    if reading.columns.is_none() && reading.interventions.is_none() {
        reading.columns = Some(names.to_vec());
    }
    let source = path.display().to_string();
    let data = open(path, &reading, &Run::default())?;
    match refused(&data, &source) {
        Some(complaint) => {
            Err(unfit(plackett_dag::Error::Unfit { file: source, faults: data.faults() }, Some(complaint)))
        }
        None => Ok(data),
    }
}

fn describe(document: &Document<'_>, model: &Model) -> String {
    let mut text = format!(
        "Written to {}: {} fitted to {}\n",
        document.out,
        counted(document.nodes.len(), "node"),
        counted(document.rows, "row"),
    );
    for warning in &document.warnings {
        text += &format!("Warning: {warning}\n");
    }
    if let Some(value) = document.log_likelihood {
        text += &format!("Log-likelihood {value:.3}\n");
    }
    let rows: Vec<Vec<String>> =
        (0..document.nodes.len()).flat_map(|node| lines(&document.nodes[node], node, model)).collect();
    text + &console::table_of(&["column", "term", "estimate", "std. error", "rows"], rows, &[2, 3, 4])
}

/// The lines of a node in the table: coefficients of one regression, or what there is instead.
fn lines(node: &Node<'_>, place: usize, model: &Model) -> Vec<Vec<String>> {
    let line = |term: String, estimate: Option<f64>, error: Option<f64>| {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
        vec![node.name.to_owned(), term, number(estimate), number(error), format!("{:.0}", node.rows)]
    };
    match node.distribution {
        Distribution::Linear(regressions) if regressions.len() == 1 => {
            let Regression { intercept, intercept_error, coefficients, errors, variance, .. } =
                &regressions[0];
            let parents = model.graph().dag().parents(place);
            let numbers = parents.iter().filter(|&&parent| model.nodes()[parent].states.is_empty());
            let slopes = numbers.zip(coefficients.iter().zip(errors)).map(|(&parent, (&slope, &error))| {
                line(model.graph().names()[parent].clone(), Some(slope), error)
            });
            std::iter::once(line("intercept".to_owned(), Some(*intercept), *intercept_error))
                .chain(slopes)
                .chain([line("residual variance".to_owned(), Some(*variance), None)])
                .collect()
        }
        Distribution::Linear(regressions) => {
            let pooled = regressions.iter().filter(|regression| regression.is_pooled).count();
            let thin = if pooled > 0 { format!(", {pooled} of them by all rows") } else { String::new() };
            vec![line(
                format!("{} by {}{thin}", counted(regressions.len(), "regression"), node.parents.join(", ")),
                None,
                None,
            )]
        }
        Distribution::Table(table) => {
            let given = if node.parents.is_empty() {
                String::new()
            } else {
                format!(" given {}", node.parents.join(", "))
            };
            vec![line(
                format!("{} of probabilities{given}", counted(table.len() / node.states.len().max(1), "row")),
                None,
                None,
            )]
        }
        _ => vec![line(format!("logistic in {}", node.parents.join(", ")), None, None)],
    }
}
