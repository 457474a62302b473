//! What is said of the knowledge: how much there was, what it cost, and which statements decided.

use super::Summary;
use crate::console::{self, counted};

/// What the class is called that knowledge has directed.
pub(in crate::learn) const CLASS: &str = "maximally oriented under the knowledge";

/// Statements and edges beyond these would fill the screen.
const MOST_SHOWN: usize = 12;
const MOST_EDGES: usize = 4;

impl Summary<'_> {
    /// The class by the name that it has with knowledge or without.
    pub(super) fn class(&self) -> String {
        let cpdag = &self.learned.cpdag;
        let (directed, open) = (counted(cpdag.directed().len(), "direction"), cpdag.undirected().len());
        let which = match self.data.interventions() {
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
        let (resolved, cost) = self.known?;
        let mut text = format!("Knowledge: {}", counted(resolved.statements().len(), "statement"));
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
            let statement = &resolved.statements()[decisive.statement];
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
            text += &format!("\nand {rest} more ({})", self.face.all_in("knowledge.decisive"));
        }
        Some(text)
    }
}
