//! The table of edges. What is said of an edge is a column: a function that is named in the list of [`Report::columns`].

use plackett_dag::NamedDag;

use super::{Report, text::first_of};
use crate::console;

/// Edges beyond these would fill the screen; the files have them all.
const MOST_EDGES_SHOWN: usize = 30;

/// An edge: where it comes from, where it goes, and its weight.
type Edge = (usize, usize, f64);

/// A column of the table.
struct Column<'a> {
    head: &'static str,
    cell: Box<dyn Fn(Edge) -> String + 'a>,
}

impl<'a> Column<'a> {
    fn new(head: &'static str, cell: impl Fn(Edge) -> String + 'a) -> Self {
        Self { head, cell: Box::new(cell) }
    }
}

impl Report<'_> {
    /// The columns that there is something to say in.
    fn columns(&self) -> Vec<Column<'_>> {
        let name = Column::new("edge", |(from, to, _)| format!("{} -> {}", self.name(from), self.name(to)));
        let all =
            [Some(name), Some(self.weight()), self.probability(), Some(self.direction()), self.true_edge()];
        all.into_iter().flatten().collect()
    }

    /// The strongest edges as a table, those that the truth alone has after it.
    pub(super) fn edges(&self) -> String {
        let mut edges: Vec<Edge> = self.learned.dag.edges().collect();
        if edges.is_empty() {
            return "No edges: no column helps to predict another by more than chance".to_owned()
                + &self.missing();
        }
        edges.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
        let columns = self.columns();
        let header: Vec<&str> = columns.iter().map(|column| column.head).collect();
        let shown = edges.iter().take(MOST_EDGES_SHOWN);
        let rows = shown.map(|&edge| columns.iter().map(|column| (column.cell)(edge)).collect());
        let mut text = console::table_with_notes(&header, rows);
        if let Some(rest) = edges.len().checked_sub(MOST_EDGES_SHOWN).filter(|&rest| rest > 0) {
            text += &format!(
                "\nand {} weaker ones (--json and --out have them all)",
                console::thousands(rest as u64)
            );
        }
        text + &self.missing()
    }

    fn weight(&self) -> Column<'_> {
        // What an edge between categories is worth is what the score would lose without it.
        let head = if self.is_linear() { "weight" } else { "strength" };
        Column::new(head, |(_, _, weight)| number(weight))
    }

    fn probability(&self) -> Option<Column<'_>> {
        let probabilities = self.learned.probabilities.as_ref()?;
        let nodes = self.learned.dag.nodes();
        Some(Column::new("probability", move |(from, to, _)| {
            format!("{:.3}", probabilities[from * nodes + to])
        }))
    }

    fn direction(&self) -> Column<'_> {
        Column::new("direction", |(from, to, _)| self.learned.direction(from, to).to_string())
    }

    fn true_edge(&self) -> Option<Column<'_>> {
        let truth = self.truth.map(NamedDag::dag)?;
        Some(Column::new("truth", |(from, to, _)| {
            if truth.has_edge(from, to) {
                if self.is_linear() { number(truth.weight(from, to)) } else { "yes".to_owned() }
            } else if truth.has_edge(to, from) {
                "reversed".to_owned()
            } else {
                "no edge".to_owned()
            }
        }))
    }

    /// The edges of the truth between columns that the graph does not join.
    fn missing(&self) -> String {
        let Some(truth) = self.truth else { return String::new() };
        let dag = &self.learned.dag;
        let missing: Vec<String> = truth
            .dag()
            .edges()
            .filter(|&(from, to, _)| !dag.has_edge(from, to) && !dag.has_edge(to, from))
            .map(|(from, to, _)| format!("{} -> {}", self.name(from), self.name(to)))
            .collect();
        if missing.is_empty() {
            return String::new();
        }
        let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
        format!("\nMissing: {}", first_of(&missing, MOST_EDGES_SHOWN, 9))
    }
}

/// Three digits after the point, or the form with an exponent where those would say nothing.
fn number(weight: f64) -> String {
    if (1e-2..1e5).contains(&weight.abs()) { format!("{weight:.3}") } else { format!("{weight:.2e}") }
}
