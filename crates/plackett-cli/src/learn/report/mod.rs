//! What `plackett learn` gives: a JSON document, or the text of the summary; and files. A field of the document is one in `document`, a file
//! one in `files`.

mod document;
mod files;
mod knowledge;
mod path;
mod support;

use plackett_dag::{
    Learned, NamedDag,
    diagnostics::Diagnostic,
    learning::Path,
    metrics::{Comparison, shd_classes},
};

use super::{
    Arguments, Settings,
    bootstrap::Supported,
    data::Data,
    knowledge::Known,
    summary::{Face, Summary, Truth, warnings},
    true_score,
};
use crate::{console, files::OutDir};

/// What came out, beside the graph what there is to say of it.
pub(super) struct Found<'a> {
    pub learned: &'a Learned,
    pub known: Option<&'a Known>,
    pub diagnostics: Vec<Diagnostic>,
    pub path: Option<&'a Path>,
    pub support: Option<&'a Supported>,
    pub seconds: f64,
}

struct Report<'a> {
    settings: Settings<'a>,
    data: &'a Data,
    /// The learned graph under the names of the columns.
    graph: NamedDag,
    support: Option<&'a Supported>,
    summary: Summary<'a>,
}

/// Writes the files, if there is a folder for them, and prints the rest.
pub(super) fn give(
    arguments: &Arguments,
    settings: Settings<'_>,
    data: &Data,
    found: &Found<'_>,
    truth: Option<&NamedDag>,
    out: Option<&OutDir>,
) -> anyhow::Result<()> {
    let learned = found.learned;
    let graph = NamedDag::new(data.names.clone(), learned.dag.clone())?;
    let truth = match truth {
        Some(truth) => Some(Truth {
            graph: truth,
            score: true_score(arguments, data, learned, truth)?,
            comparison: comparison(truth, &graph, data, learned)?,
        }),
        None => None,
    };
    let mut warnings = warnings(&data.warnings, &data.names, &data.values, learned, settings.learning);
    warnings.extend(found.support.and_then(support::warning));
    let summary = Summary {
        face: Face::Program,
        source: &data.source,
        names: &data.names,
        data: &data.values,
        kind: data.kind,
        kind_choice: data.kind_choice.as_deref(),
        centering: settings.centering,
        notes: &data.input.notes,
        learning: settings.learning,
        learned,
        warnings: &warnings,
        known: found.known.map(|known| (&known.resolved, &known.cost)),
        support: found.support.map(|found| (&found.support, found.seconds)),
        path: found.path,
        diagnostics: &found.diagnostics,
        truth,
        seconds: found.seconds,
    };
    let report = Report { settings, data, graph, support: found.support, summary };
    let document = report.document();
    let written = out.map(|out| report.write(out, &document)).transpose()?;
    if arguments.common.json {
        return console::say_json(&document);
    }
    console::say(&summary.text())?;
    if let (Some(out), Some(files)) = (&arguments.out, written) {
        console::say(&format!("Written to {}: {}", out.display(), files.join(", ")))?;
    }
    Ok(())
}

/// How the graph differs from the truth; where columns were set from outside, its class by what such data can tell.
fn comparison(
    truth: &NamedDag,
    graph: &NamedDag,
    data: &Data,
    learned: &Learned,
) -> anyhow::Result<Comparison> {
    let comparison = truth.compare(graph)?;
    let Some(told) = data.values.interventions() else { return Ok(comparison) };
    let class = told.class(truth.aligned_to(&data.names)?.dag())?;
    Ok(Comparison { shd_cpdag: shd_classes(&class, &learned.cpdag)?, ..comparison })
}

impl Report<'_> {
    fn name(&self, node: usize) -> &str {
        self.summary.name(node)
    }
}
