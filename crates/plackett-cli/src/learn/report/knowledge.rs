//! Knowledge in the document: what it cost, and which statements decided.

use serde::Serialize;

use super::Report;
use crate::learn::summary::CLASS;

/// Knowledge in the JSON document.
#[derive(Serialize)]
pub(super) struct KnowledgeDocument<'a> {
    statements: Vec<String>,
    /// What `cpdag` is.
    cpdag: &'static str,
    score: Option<f64>,
    free_score: Option<f64>,
    cost: Option<f64>,
    decisive: Vec<DecisiveDocument<'a>>,
    /// Whether there was time to weigh all statements that may have decided.
    complete: bool,
}

#[derive(Serialize)]
struct DecisiveDocument<'a> {
    statement: String,
    cost: Option<f64>,
    edges: Vec<[&'a str; 2]>,
}

impl Report<'_> {
    pub(super) fn knowledge_document(&self) -> Option<KnowledgeDocument<'_>> {
        let (resolved, cost) = self.summary.known?;
        let decisive = cost.decisive.iter().map(|decisive| DecisiveDocument {
            statement: resolved.statements()[decisive.statement].to_string(),
            cost: decisive.cost,
            edges: decisive.edges.iter().map(|&(from, to)| [self.name(from), self.name(to)]).collect(),
        });
        Some(KnowledgeDocument {
            statements: resolved.statements().iter().map(ToString::to_string).collect(),
            cpdag: CLASS,
            score: self.summary.learned.score,
            free_score: cost.free_score,
            cost: cost.cost,
            decisive: decisive.collect(),
            complete: cost.is_whole,
        })
    }
}
