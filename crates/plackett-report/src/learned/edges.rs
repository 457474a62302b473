//! The table of edges. What is said of an edge is a column: a function that is named in the list of [`Report::edge_columns`].

use plackett_dag::learning::LearnedEdge;

use super::{Report, THRESHOLD, number};
use crate::html::Html;

/// Smaller p-values differ by nothing that their distribution is known to.
const LEAST_P_VALUE: f64 = 1e-16;

/// A column of the table.
struct Column<'a> {
    head: &'static str,
    is_number: bool,
    cell: Box<dyn Fn(&LearnedEdge) -> String + 'a>,
}

fn words<'a>(head: &'static str, cell: impl Fn(&LearnedEdge) -> String + 'a) -> Column<'a> {
    Column { head, is_number: false, cell: Box::new(cell) }
}

fn numbers<'a>(head: &'static str, cell: impl Fn(&LearnedEdge) -> String + 'a) -> Column<'a> {
    Column { head, is_number: true, cell: Box::new(cell) }
}

impl Report<'_> {
    /// The edges, the strongest first, and after them what is not in the graph and yet to be told.
    pub(super) fn edges(&self) -> Html {
        let edges = self.learned.strongest_edges();
        let mut body = if edges.is_empty() {
            Html::paragraph("There are no edges: no column helps to predict another by more than chance.")
        } else {
            let columns = self.edge_columns();
            let head: Vec<(&str, bool)> =
                columns.iter().map(|column| (column.head, column.is_number)).collect();
            let rows = edges.iter().map(|edge| columns.iter().map(|column| (column.cell)(edge)).collect());
            Html::table("Edges, the strongest first", &head, rows)
        };
        body.extend([self.often_joined(), self.left_out(), self.missed()].into_iter().flatten());
        body
    }

    fn edge_columns(&self) -> Vec<Column<'_>> {
        let learned = self.learned;
        let nodes = self.names.len();
        let or_nothing = |figure: Option<f64>| figure.map(number).unwrap_or_default();
        let share = |share: f64| format!("{:.0} %", 100.0 * share);
        let mut columns = vec![
            words("from", |edge| self.names[edge.from].clone()),
            words("to", |edge| self.names[edge.to].clone()),
        ];
        if self.is_linear() {
            columns.push(numbers("weight", |edge| number(edge.weight)));
        }
        let differs =
            |edge: LearnedEdge| edge.standardized.is_some_and(|other| (other - edge.weight).abs() > 1e-9);
        if learned.edges().any(differs) {
            columns.push(numbers("standardized", move |edge| or_nothing(edge.standardized)));
        }
        if learned.strengths.is_some() {
            columns.push(numbers("strength", move |edge| or_nothing(edge.strength)));
        }
        if learned.p_values.is_some() {
            columns.push(numbers("p-value", |edge| match edge.p_value {
                Some(p_value) if p_value < LEAST_P_VALUE => format!("<{LEAST_P_VALUE:.0e}"),
                Some(p_value) => number(p_value),
                None => "not tested".to_owned(),
            }));
        }
        if let Some(probabilities) = &learned.probabilities {
            columns.push(numbers("probability", move |edge| {
                format!("{:.3}", probabilities[edge.from * nodes + edge.to])
            }));
        }
        columns.push(words("direction", |edge| self.direction(edge.from, edge.to)));
        if let Some(support) = self.replicated() {
            columns.push(numbers("support", move |edge| share(support.of(edge.from, edge.to).adjacent)));
            columns.push(numbers("this way", move |edge| share(support.of(edge.from, edge.to).forward)));
            columns.push(numbers("other way", move |edge| share(support.of(edge.from, edge.to).backward)));
        }
        if let Some(truth) = self.truth {
            let truth = truth.dag();
            columns.push(words("truth", |edge| {
                let (there, turned) =
                    (truth.has_edge(edge.from, edge.to), truth.has_edge(edge.to, edge.from));
                if there {
                    "right"
                } else if turned {
                    "reversed"
                } else {
                    "extra"
                }
                .to_owned()
            }));
        }
        columns
    }

    /// Pairs that the graph does not join, but most resamples do.
    fn often_joined(&self) -> Option<Html> {
        let dag = &self.learned.dag;
        let pairs: Vec<String> = self
            .replicated()?
            .pairs()
            .filter(|&(a, b, pair)| pair.adjacent > THRESHOLD && !dag.has_edge(a, b) && !dag.has_edge(b, a))
            .map(|(a, b, pair)| {
                format!("{} – {} ({:.0} %)", self.names[a], self.names[b], 100.0 * pair.adjacent)
            })
            .collect();
        (!pairs.is_empty()).then(|| {
            Html::paragraph(&format!("Joined in most resamples, but not in the graph: {}.", pairs.join(", ")))
        })
    }

    /// Edges below the threshold.
    fn left_out(&self) -> Option<Html> {
        let threshold = self.recipe.learning.numbers.threshold?;
        let edges: Vec<String> = self
            .learned
            .dropped
            .iter()
            .map(|&(from, to, weight)| {
                format!("{} → {} ({})", self.names[from], self.names[to], number(weight))
            })
            .collect();
        (!edges.is_empty()).then(|| {
            Html::paragraph(&format!("Left out, with weights below {threshold}: {}.", edges.join(", ")))
        })
    }

    /// Edges of the truth between columns that the graph does not join.
    fn missed(&self) -> Option<Html> {
        let dag = &self.learned.dag;
        let edges: Vec<String> = self
            .truth?
            .dag()
            .edges()
            .filter(|&(from, to, _)| !dag.has_edge(from, to) && !dag.has_edge(to, from))
            .map(|(from, to, _)| format!("{} → {}", self.names[from], self.names[to]))
            .collect();
        (!edges.is_empty())
            .then(|| Html::paragraph(&format!("Missing, in the true graph only: {}.", edges.join(", "))))
    }
}
