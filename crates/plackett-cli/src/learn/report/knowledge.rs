//! What is said of the knowledge: how much there was, what it cost, and which statements decided.

use serde::Serialize;

use super::Report;
use crate::console::{self, counted};

/// What the class is called that knowledge has directed.
const CLASS: &str = "maximally oriented under the knowledge";

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
        let known = self.known?;
        let decisive = known.cost.decisive.iter().map(|decisive| DecisiveDocument {
            statement: known.resolved.statements()[decisive.statement].to_string(),
            cost: decisive.cost,
            edges: decisive.edges.iter().map(|&(from, to)| [self.name(from), self.name(to)]).collect(),
        });
        Some(KnowledgeDocument {
            statements: known.resolved.statements().iter().map(ToString::to_string).collect(),
            cpdag: CLASS,
            score: self.learned.score,
            free_score: known.cost.free_score,
            cost: known.cost.cost,
            decisive: decisive.collect(),
            complete: known.cost.is_whole,
        })
    }

    /// The class by the name that it has with knowledge or without.
    pub(super) fn class(&self) -> String {
        let cpdag = &self.learned.cpdag;
        let (directed, open) = (counted(cpdag.directed().len(), "direction"), cpdag.undirected().len());
        let which = match self.data.values.interventions() {
            Some(_) => " (the interventional class)",
            None => "",
        };
        match self.known {
            Some(_) => format!("CPDAG   {directed} known or compelled, {open} open: {CLASS}{which}"),
            None => format!("CPDAG   {directed} compelled, {open} open{which}"),
        }
    }

    /// What the knowledge cost, and by which statements.
    pub(super) fn knowledge(&self) -> Option<String> {
        let known = self.known?;
        let cost = &known.cost;
        let mut text = format!("Knowledge: {}", counted(known.resolved.statements().len(), "statement"));
        text += &match (cost.cost, cost.free_score, self.learned.score) {
            (Some(cost), Some(free), Some(score)) if cost.abs() > 1e-9 * score.abs() => {
                format!(", which cost {cost:.6} of the score ({free:.6} without them)")
            }
            (Some(_), ..) => ", which cost nothing: the score is as good without them".to_owned(),
            _ if self.learned.score.is_some() => ", kept; there was no time to see what they cost".to_owned(),
            _ => ", kept".to_owned(),
        };
        if cost.decisive.is_empty() {
            return Some(text);
        }
        let rows = cost.decisive.iter().take(MOST_SHOWN).map(|decisive| {
            let statement = &known.resolved.statements()[decisive.statement];
            let edge = |&(from, to): &(usize, usize)| {
                let is_there = if statement.forbids(from, to) { "" } else { "no " };
                format!("{is_there}{} -> {}", self.name(from), self.name(to))
            };
            vec![
                statement.to_string(),
                decisive.cost.map_or_else(|| "-".to_owned(), |cost| format!("{cost:.3}")),
                decisive.edges.iter().take(MOST_EDGES).map(edge).collect::<Vec<_>>().join(", "),
            ]
        });
        let header = ["decisive statement", "costs", "the graph without knowledge has"];
        text = format!("{text}\n{}", console::table_with_notes(&header, rows));
        if let Some(rest) = cost.decisive.len().checked_sub(MOST_SHOWN).filter(|&rest| rest > 0) {
            text += &format!("\nand {rest} more (--json has them all)");
        }
        Some(text)
    }
}

/// Statements and edges beyond these would fill the screen.
const MOST_SHOWN: usize = 12;
const MOST_EDGES: usize = 4;
