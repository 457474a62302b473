//! What `plackett learn` gives: a JSON document, or the text of the summary; and files. A field of the document is one in `document`, a file
//! one in `files`.

mod document;
mod files;
mod knowledge;
mod page;
mod path;
mod support;

use plackett_dag::{Knowledge, Learned, NamedDag, dataset::Reading, diagnostics::Diagnostic, learning::Path};
use plackett_report::warnings;

use super::{
    Arguments, Settings,
    bootstrap::Supported,
    data::Data,
    knowledge::Known,
    summary::{Face, Summary, Truth},
    true_score,
};
use crate::{
    console,
    files::{OutDir, OutFile},
};

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

/// Where the results go beside the screen, and what only some of them tell.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a> {
    pub out: Option<&'a OutDir>,
    pub page: Option<&'a OutFile>,
    pub reading: &'a Reading,
    pub knowledge: &'a Knowledge,
}

/// Prints the result, writes the files, if there is a folder for them, and the page last, which takes longest: none is lost if another
/// cannot be had.
pub(super) fn give(
    arguments: &Arguments,
    settings: Settings<'_>,
    data: &Data,
    found: &Found<'_>,
    truth: Option<&NamedDag>,
    ends: Ends<'_>,
) -> anyhow::Result<()> {
    let learned = found.learned;
    let graph = NamedDag::new(data.names.clone(), learned.dag.clone())?;
    let truth = match truth {
        Some(truth) => Some(Truth {
            graph: truth,
            score: true_score(arguments, data, learned, truth)?,
            comparison: plackett_report::comparison(truth, &data.values, learned)?,
        }),
        None => None,
    };
    let of_graph = warnings(&data.warnings, &data.names, &data.values, learned, settings.learning);
    let mut warnings = of_graph.clone();
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
    let is_json = arguments.common.json;
    let note = |text: String| if is_json { Ok(()) } else { console::say(&text) };
    let shown = if is_json { console::say_json(&document) } else { console::say(&summary.text()) };
    let written = ends.out.map_or(Ok(()), |out| {
        let files = report.write(out, &document)?;
        note(format!("Written to {}: {}", out.path().display(), files.join(", ")))
    });
    let paged = ends.page.map_or(Ok(()), |page| {
        let path = page.write(report.page(arguments, &of_graph, ends)?.as_bytes())?;
        note(format!("Report in {}", path.display()))
    });
    shown.and(written).and(paged)
}

impl Report<'_> {
    fn name(&self, node: usize) -> &str {
        self.summary.name(node)
    }
}
