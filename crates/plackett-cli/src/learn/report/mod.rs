//! What `plackett learn` shows: a JSON document, or a text with the edges, the order and what to make of them; and files.
//! A column of the table of edges is a function in `edges`, a paragraph of the text one in `text`, a field of the document
//! one in `document`, a file one in `files`.

mod diagnostics;
mod document;
mod edges;
mod files;
mod knowledge;
mod support;
mod text;
mod warnings;

use plackett_dag::{
    Learned, NamedDag,
    dataset::Kind,
    diagnostics::Diagnostic,
    learning::Direction,
    metrics::{Comparison, shd_classes},
};

use super::{Arguments, Settings, bootstrap::Supported, data::Data, knowledge::Known, true_score};
use crate::{console, files::OutDir};

/// What came out, beside the graph what there is to say of it.
pub(super) struct Found<'a> {
    pub learned: &'a Learned,
    pub known: Option<&'a Known>,
    pub diagnostics: Vec<Diagnostic>,
    pub support: Option<&'a Supported>,
    pub seconds: f64,
}

pub(super) struct Report<'a> {
    arguments: &'a Arguments,
    settings: Settings<'a>,
    data: &'a Data,
    learned: &'a Learned,
    known: Option<&'a Known>,
    /// The learned graph under the names of the columns.
    graph: NamedDag,
    truth: Option<&'a NamedDag>,
    true_score: Option<f64>,
    comparison: Option<Comparison>,
    seconds: f64,
    warnings: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    support: Option<&'a Supported>,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        arguments: &'a Arguments,
        settings: Settings<'a>,
        data: &'a Data,
        found: Found<'a>,
        truth: Option<&'a NamedDag>,
    ) -> anyhow::Result<Self> {
        let Found { learned, known, diagnostics, support, seconds } = found;
        let graph = NamedDag::new(data.names.clone(), learned.dag.clone())?;
        let mut comparison = truth.map(|truth| truth.compare(&graph)).transpose()?;
        if let (Some(comparison), Some(truth), Some(told)) =
            (&mut comparison, truth, data.values.interventions())
        {
            // The classes that such data can tell.
            let class = told.class(truth.aligned_to(&data.names)?.dag())?;
            comparison.shd_cpdag = shd_classes(&class, &learned.cpdag)?;
        }
        let true_score = true_score(arguments, data, learned, truth)?;
        let mut warnings = warnings::warnings(data, learned, arguments.posterior);
        warnings.extend(support.and_then(support::warning));
        Ok(Self {
            arguments,
            settings,
            data,
            learned,
            known,
            graph,
            truth,
            true_score,
            comparison,
            seconds,
            warnings,
            diagnostics,
            support,
        })
    }

    /// Writes the files, if there is a folder for them, and prints the rest.
    pub(super) fn give(&self, out: Option<&OutDir>) -> anyhow::Result<()> {
        let document = self.document();
        let written = out.map(|out| self.write(out, &document)).transpose()?;
        if self.arguments.common.json {
            return console::say_json(&document);
        }
        console::say(&self.text())?;
        if let (Some(out), Some(files)) = (&self.arguments.out, written) {
            console::say(&format!("Written to {}: {}", out.display(), files.join(", ")))?;
        }
        Ok(())
    }

    /// The learned order by name, causes first.
    fn order(&self) -> Vec<&str> {
        self.learned.order.iter().map(|&node| self.name(node)).collect()
    }

    fn name(&self, node: usize) -> &str {
        &self.data.names[node]
    }

    /// Whether the weights of edges are those of a linear model, rather than what the score would lose without them.
    fn is_linear(&self) -> bool {
        self.data.kind == Some(Kind::Numbers)
    }

    /// Whether the edge might as well point the other way.
    fn is_open(&self, from: usize, to: usize) -> bool {
        self.learned.direction(from, to) == Direction::Open
    }
}
