//! The text: paragraphs, each a function that is named in the list of [`Summary::text`].

use super::Summary;
use crate::{
    console::{self, counted},
    evaluate,
};

/// Names of the order beyond these would fill the screen; the files have them all.
const MOST_NAMES_SHOWN: usize = 150;
/// Characters of a line of names.
pub(super) const LINE: usize = 90;

impl Summary<'_> {
    /// The whole text.
    pub fn text(&self) -> String {
        let paragraphs = [
            Some(self.head()),
            Some(self.graph()),
            self.consensus(),
            Some(self.outcome()),
            self.knowledge(),
            self.path(),
            self.diagnostics(),
            self.against_truth(),
        ];
        paragraphs.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }

    /// What was learned from and how, and what to know of it.
    fn head(&self) -> String {
        let Self { learning, learned, .. } = self;
        let mut lines = vec![format!(
            "Learned from {}: {}, {} ({})",
            self.source,
            counted(self.data.rows(), "row"),
            counted(self.names.len(), "column"),
            self.preparation(),
        )];
        if !self.notes.is_empty() {
            lines.push(format!("Read    {}", self.notes.join(", ")));
        }
        if let Some(reason) = self.kind_choice {
            lines.push(format!("Data    {reason}"));
        }
        if let Some(name) = &learned.score_name {
            let reason = learned.score_choice.as_ref().map(|reason| format!(": {reason}"));
            lines.push(format!("Score   {name}{}", reason.unwrap_or_default()));
        }
        if let Some(price) = learned.price {
            let why = if learning.numbers.penalty.is_none() { ", by the density found" } else { "" };
            lines.push(format!("Price   {price:.2} a parent{why}"));
        }
        if let Some(estimation) = &learned.estimation {
            lines.push(format!(
                "EM      {} steps to a change of {:.1e}{}; worth {:.0} complete rows",
                estimation.iterations,
                estimation.change,
                if estimation.is_converged { "" } else { ", not converged" },
                estimation.effective_rows
            ));
        }
        lines.push(format!("Method  {}, seed {}", learned.method.name, learning.seed));
        if let Some(found) = &learned.convergence {
            lines.push(format!(
                "Chains  {} of {} moves, R-hat {:.3}, effective size {:.0}; probabilities are right within about {:.3}",
                found.chains,
                console::thousands(found.steps),
                found.r_hat,
                found.effective_size,
                2.0 * found.standard_error
            ));
        }
        lines.extend(self.warnings.iter().map(|warning| format!("Warning: {warning}")));
        lines.join("\n")
    }

    /// The edges, and what their directions rest on.
    fn graph(&self) -> String {
        let learned = self.learned;
        let mut lines = vec![self.edges()];
        if learned.strengths.is_some() && learned.dag.edge_count() > 0 {
            lines.push("strength: what the score would lose without the edge".to_owned());
        }
        if learned.p_values.is_some() && learned.dag.edge_count() > 0 {
            lines.push(format!(
                "p-value: the largest of the tests that kept the edge, of {} in all",
                console::thousands(learned.evaluations)
            ));
        }
        if learned.p_values.is_some() && !learned.cpdag.undirected().is_empty() {
            let class = self.face.class();
            lines.push(format!("open: the tests do not tell which way (see {class} for their pattern)"));
        } else if learned.is_equivalent && !learned.cpdag.undirected().is_empty() {
            let class = self.face.class();
            lines.push(format!(
                "open: the data fit as well with this edge turned round (see {class} for the class)"
            ));
        }
        if let Some(threshold) = self.learning.numbers.threshold {
            lines.push(format!(
                "threshold: {} with a weight below {threshold} left out; the score is that of the graph with {}",
                counted(learned.dropped.len(), "edge"),
                if learned.dropped.len() == 1 { "it" } else { "them" },
            ));
        }
        if self.known.is_some() {
            lines.push("known: what is known of the graph rules out the other direction".to_owned());
        }
        if let Some(basis) = &learned.basis {
            lines.push(format!(
                "{}: the direction is open in the class and rests on {}",
                basis.name, basis.text
            ));
        }
        lines.join("\n")
    }

    /// The order, the class and the figures of the search.
    fn outcome(&self) -> String {
        let learned = self.learned;
        let mut lines =
            vec![format!("Order   {}", first_of(&self.order(), MOST_NAMES_SHOWN, 8)), self.class()];
        lines.push(format!(
            "{} of {}, {}{} {} in {:.2} s{}",
            counted(learned.dag.edge_count(), "edge"),
            counted(self.names.len(), "node"),
            learned.score.map_or_else(String::new, |score| format!("score {score:.6}, ")),
            console::thousands(learned.evaluations),
            if learned.score_name.is_none() { "tests" } else { "local scores" },
            self.seconds,
            if learned.ending.is_early() {
                format!(" ({}: the best graph so far)", learned.ending)
            } else {
                String::new()
            },
        ));
        lines.extend(
            self.truth
                .and_then(|truth| truth.score)
                .map(|score| format!("The true graph's score is {score:.6}")),
        );
        lines.join("\n")
    }

    fn against_truth(&self) -> Option<String> {
        let table = evaluate::table(&self.truth?.comparison, self.names.len());
        Some(format!("Against the true graph (i -> j where row i, column j is non-zero)\n{table}"))
    }
}

/// The first of a list, and how many more there are.
pub(super) fn first_of(names: &[&str], most: usize, indent: usize) -> String {
    let shown = console::wrapped(&names[..most.min(names.len())], LINE, indent);
    match names.len().saturating_sub(most) {
        0 => shown,
        rest => format!("{shown} and {} more", console::thousands(rest as u64)),
    }
}
