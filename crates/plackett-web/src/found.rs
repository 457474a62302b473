//! A learned graph with all that there is to say of it, and what the page gets of that.

use plackett_dag::{
    Dataset, Knowledge, Learned, Learning, NamedDag, Observations, Resampler, Result, Support,
    bootstrap::EdgeSupport,
    dataset::Reading,
    diagnostics::Diagnostic,
    format::{CpdagDocument, GraphFormat},
    gram::Centering,
    knowledge::Resolved,
    learning::{Direction, KnowledgeCost, Path},
};
use plackett_report::{Column, Input, Recipe, Report, Resampling, Source};
use serde_json::{Value, json};

/// What the data are of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    File(String),
    Example(String, Option<usize>),
}

/// Data as they were read.
pub(crate) struct Loaded {
    pub(crate) origin: Origin,
    /// What they are called.
    pub(crate) source: String,
    pub(crate) data: Dataset,
    pub(crate) reading: Reading,
    pub(crate) warnings: Vec<String>,
    pub(crate) truth: Option<NamedDag>,
    /// What graphs are learned from, once it is asked for.
    pub(crate) prepared: Option<Prepared>,
}

/// What graphs are learned from.
pub(crate) struct Prepared {
    pub(crate) centering: Centering,
    pub(crate) values: Observations,
    /// The same with rows that can be drawn anew, if they are held.
    pub(crate) resampler: Option<Resampler>,
}

/// A graph, and how it came about.
pub(crate) struct Found {
    pub(crate) learning: Learning,
    pub(crate) centering: Centering,
    pub(crate) knowledge: Knowledge,
    pub(crate) learned: Learned,
    pub(crate) known: Option<(Resolved, KnowledgeCost)>,
    pub(crate) path: Option<Path>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) support: Option<(Support, u64)>,
    pub(crate) seconds: f64,
}

impl Loaded {
    fn origin(&self) -> Source<'_> {
        match &self.origin {
            Origin::File(name) => Source::File(name),
            Origin::Example(name, rows) => Source::Example(name, *rows),
        }
    }
}

impl Found {
    /// Hands the report to whoever has a use for it.
    fn with_report<T>(&self, of: &Loaded, values: &Observations, work: impl FnOnce(&Report<'_>) -> T) -> T {
        let choice = of.data.choice();
        let column = |column: &plackett_dag::dataset::Column| Column {
            kind: column.kind.name(),
            missing: column.missing,
        };
        let names = of.data.names();
        let warnings = plackett_report::warnings(&of.warnings, names, values, &self.learned, &self.learning);
        let report = Report {
            source: &of.source,
            names,
            input: Input {
                rows: of.data.rows(),
                fingerprint: of.data.fingerprint(),
                notes: of.data.notes(),
                columns: of.data.columns().iter().map(column).collect(),
            },
            data: values,
            kind: of.data.kind(),
            kind_choice: choice.as_deref(),
            learned: &self.learned,
            warnings: &warnings,
            known: self.known.as_ref().map(|(resolved, cost)| (resolved, cost)),
            support: self.support.as_ref().map(|(support, _)| support),
            path: self.path.as_ref(),
            diagnostics: &self.diagnostics,
            truth: of.truth.as_ref(),
            recipe: Recipe {
                source: of.origin(),
                reading: &of.reading,
                centering: self.centering,
                learning: &self.learning,
                knowledge: (!self.knowledge.is_empty()).then_some(&self.knowledge),
                resampling: self
                    .support
                    .as_ref()
                    .map(|(_, wanted)| Resampling { wanted: *wanted, is_warm: true }),
                has_path: self.path.is_some(),
                time: None,
            },
        };
        work(&report)
    }

    /// The report as a file.
    pub(crate) fn report(&self, of: &Loaded, values: &Observations) -> Result<String> {
        fn html(report: &Report<'_>) -> Result<String> {
            report.html()
        }
        self.with_report(of, values, html)
    }

    /// The graph in one of the formats, or the table of its support.
    pub(crate) fn graph(&self, of: &Loaded, format: &str) -> Result<String> {
        let graph = NamedDag::new(of.data.names().to_vec(), self.learned.dag.clone())?;
        let is_open = |from: usize, to: usize| self.learned.direction(from, to) == Direction::Open;
        GraphFormat::by_name(format)?.text(&graph, is_open)
    }

    /// What the page shows.
    pub(crate) fn view(&self, of: &Loaded, values: &Observations) -> Result<Value> {
        self.with_report(of, values, |report| {
            let sections = report.sections()?.into_iter().filter(|section| section.name != "graph");
            let section = |section: plackett_report::Section| {
                json!({ "name": section.name, "heading": section.heading, "html": section.body.as_str() })
            };
            Ok(json!({
                "graph": serde_json::from_str::<Value>(&report.graph_json()).unwrap_or_default(),
                "sections": sections.map(section).collect::<Vec<_>>(),
                "command": report.recipe.command(),
                "python": report.recipe.python(),
                "result": self.result(of.data.names()),
            }))
        })
    }

    /// The bare result, as `plackett learn --json` has it.
    fn result(&self, names: &[String]) -> Value {
        let learned = &self.learned;
        let edges = learned
            .edges()
            .map(|edge| json!({ "from": names[edge.from], "to": names[edge.to], "weight": edge.weight }));
        let pair = |(from, to, pair): (usize, usize, EdgeSupport)| {
            json!({
                "from": names[from],
                "to": names[to],
                "adjacent": pair.adjacent,
                "forward": pair.forward,
                "backward": pair.backward,
            })
        };
        json!({
            "method": learned.method.name,
            "score_name": learned.score_name,
            "score": learned.score,
            "evaluations": learned.evaluations,
            "status": learned.ending.name(),
            "seconds": self.seconds,
            "order": learned.order.iter().map(|&node| &names[node]).collect::<Vec<_>>(),
            "edges": edges.collect::<Vec<_>>(),
            "cpdag": CpdagDocument::new(names, &learned.cpdag),
            "support": self.support.as_ref().map(|(support, _)| support.pairs().map(pair).collect::<Vec<_>>()),
            "replicates": self.support.as_ref().map(|(support, _)| support.replicates()),
        })
    }
}
