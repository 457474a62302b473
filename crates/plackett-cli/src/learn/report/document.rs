//! The JSON document: what `--json` prints and `graph.json` holds.

use plackett::run::Ending;
use plackett_dag::{
    dataset::Kind, diagnostics::Diagnostic, format::CpdagDocument, learning::LearnedEdge,
    metrics::Comparison, search::WorstEdge,
};
use serde::Serialize;

use super::{
    Report,
    knowledge::KnowledgeDocument,
    path::{PathEdgeDocument, PointDocument},
    support::{BootstrapDocument, PairDocument},
};
use crate::learn::{
    Settings,
    data::{InputDocument, MissingDocument},
};

/// The document that `--json` prints and `graph.json` holds.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    version: &'static str,
    method: &'a str,
    score_name: Option<&'a str>,
    score_choice: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<f64>,
    score: Option<f64>,
    seconds: f64,
    evaluations: u64,
    status: Ending,
    nodes: usize,
    rows: usize,
    data: &'static str,
    data_choice: Option<&'a str>,
    preprocessing: &'static str,
    seed: u64,
    order: Vec<&'a str>,
    edges: Vec<EdgeDocument<'a>>,
    /// What the threshold left out, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<Vec<DroppedEdge<'a>>>,
    cpdag: CpdagDocument,
    #[serde(skip_serializing_if = "Option::is_none")]
    directions_rest_on: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    knowledge: Option<KnowledgeDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<Vec<EdgeProbability<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    convergence: Option<ConvergenceDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    support: Option<Vec<PairDocument<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bootstrap: Option<BootstrapDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    true_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Comparison>,
    warnings: &'a [String],
    diagnostics: &'a [Diagnostic],
    #[serde(skip_serializing_if = "Option::is_none")]
    path_setting: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Vec<PointDocument<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_edges: Option<Vec<PathEdgeDocument<'a>>>,
    settings: Settings<'a>,
    input: &'a InputDocument,
    missing: Option<Gaps<'a>>,
}

/// An edge with what there is to say of it; what there is not is left out.
#[derive(Serialize)]
struct EdgeDocument<'a> {
    from: &'a str,
    to: &'a str,
    weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    standardized: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strength: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p_value: Option<f64>,
    direction: String,
}

/// An edge that is not in the graph, because its weight is too small.
#[derive(Serialize)]
struct DroppedEdge<'a> {
    from: &'a str,
    to: &'a str,
    weight: f64,
}

/// What is missing, what was done about it, and how that went.
#[derive(Serialize)]
struct Gaps<'a> {
    #[serde(flatten)]
    document: &'a MissingDocument,
    #[serde(flatten)]
    estimation: Option<EstimationDocument>,
}

#[derive(Serialize)]
struct EstimationDocument {
    effective_rows: f64,
    iterations: usize,
    change: f64,
    converged: bool,
}

/// How likely an edge is, whether the learned graph has it or not.
#[derive(Serialize)]
struct EdgeProbability<'a> {
    from: &'a str,
    to: &'a str,
    probability: f64,
}

/// How the chains went that the probabilities come from.
#[derive(Serialize)]
struct ConvergenceDocument<'a> {
    chains: usize,
    steps: u64,
    samples: u64,
    r_hat: f64,
    effective_size: f64,
    standard_error: f64,
    worst_edge: Option<EdgeConvergence<'a>>,
    agrees: bool,
}

/// What the chains agree on least.
#[derive(Serialize)]
struct EdgeConvergence<'a> {
    from: &'a str,
    to: &'a str,
    r_hat: f64,
}

/// Less likely edges are left out of the document; `probabilities.csv` has them all.
const LEAST_PROBABILITY: f64 = 0.01;

impl Report<'_> {
    pub(super) fn document(&self) -> Document<'_> {
        let learned = self.summary.learned;
        let edge = |edge: LearnedEdge| EdgeDocument {
            from: self.name(edge.from),
            to: self.name(edge.to),
            weight: edge.weight,
            standardized: edge.standardized,
            strength: edge.strength,
            p_value: edge.p_value,
            direction: learned.direction(edge.from, edge.to).to_string(),
        };
        Document {
            version: env!("CARGO_PKG_VERSION"),
            method: learned.method.name,
            score_name: learned.score_name.as_deref(),
            score_choice: learned.score_choice.as_deref(),
            price: learned.price,
            score: learned.score,
            seconds: self.summary.seconds,
            evaluations: learned.evaluations,
            // Of all that was to be done.
            status: self.support.map_or(learned.ending, |found| found.ending),
            nodes: self.data.names.len(),
            rows: self.data.values.rows(),
            data: match self.data.kind {
                Some(Kind::Numbers) => "continuous",
                Some(_) => "discrete",
                None => "mixed",
            },
            data_choice: self.data.kind_choice.as_deref(),
            preprocessing: self.summary.preparation(),
            seed: self.settings.learning.seed,
            order: self.summary.order(),
            edges: learned.edges().map(edge).collect(),
            dropped: self.summary.learning.numbers.threshold.map(|_| self.dropped_edges()),
            cpdag: CpdagDocument::new(&self.data.names, &learned.cpdag),
            directions_rest_on: learned.basis.as_ref().map(|basis| basis.text.as_str()),
            knowledge: self.knowledge_document(),
            probabilities: self.probable_edges(),
            convergence: self.convergence(),
            support: self.support_document(),
            bootstrap: self.bootstrap_document(),
            true_score: self.summary.truth.and_then(|truth| truth.score),
            comparison: self.summary.truth.map(|truth| truth.comparison),
            warnings: self.summary.warnings,
            diagnostics: self.summary.diagnostics,
            path_setting: self.path_setting(),
            path: self.path_points(),
            path_edges: self.path_edges(),
            settings: self.settings,
            input: &self.data.input,
            missing: self.gaps(),
        }
    }

    fn dropped_edges(&self) -> Vec<DroppedEdge<'_>> {
        let dropped = self.summary.learned.dropped.iter();
        dropped
            .map(|&(from, to, weight)| DroppedEdge { from: self.name(from), to: self.name(to), weight })
            .collect()
    }

    fn gaps(&self) -> Option<Gaps<'_>> {
        let document = self.data.missing.as_ref()?;
        let estimation = self.summary.learned.estimation.map(|estimation| EstimationDocument {
            effective_rows: estimation.effective_rows,
            iterations: estimation.iterations,
            change: estimation.change,
            converged: estimation.is_converged,
        });
        Some(Gaps { document, estimation })
    }

    fn convergence(&self) -> Option<ConvergenceDocument<'_>> {
        let found = self.summary.learned.convergence?;
        let edge = |edge: WorstEdge| EdgeConvergence {
            from: self.name(edge.from),
            to: self.name(edge.to),
            r_hat: edge.r_hat,
        };
        Some(ConvergenceDocument {
            chains: found.chains,
            steps: found.steps,
            samples: found.samples,
            r_hat: found.r_hat,
            effective_size: found.effective_size,
            standard_error: found.standard_error,
            worst_edge: found.worst_edge.map(edge),
            agrees: found.agrees(),
        })
    }

    /// The likely edges, the likeliest first.
    fn probable_edges(&self) -> Option<Vec<EdgeProbability<'_>>> {
        let probabilities = self.summary.learned.probabilities.as_ref()?;
        let nodes = self.data.names.len();
        let edge = |(at, &probability): (usize, &f64)| EdgeProbability {
            from: self.name(at / nodes),
            to: self.name(at % nodes),
            probability,
        };
        let mut edges: Vec<_> = probabilities.iter().enumerate().map(edge).collect();
        edges.retain(|edge| edge.probability >= LEAST_PROBABILITY);
        edges.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        Some(edges)
    }
}
