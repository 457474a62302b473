//! The table of edges. What is said of an edge is a column: a function that is named in the list of [`Summary::columns`].

use plackett_dag::learning::LearnedEdge;

use super::{Summary, support::DOUBTFUL, text::first_of};
use crate::console;

/// Edges beyond these would fill the screen; the files have them all.
const MOST_EDGES_SHOWN: usize = 30;

/// Smaller p-values differ by nothing that their distribution is known to.
const LEAST_P_VALUE: f64 = 1e-16;

/// A column of the table.
pub(super) struct Column<'a> {
    head: &'static str,
    is_number: bool,
    cell: Box<dyn Fn(&LearnedEdge) -> String + 'a>,
}

impl<'a> Column<'a> {
    fn words(head: &'static str, cell: impl Fn(&LearnedEdge) -> String + 'a) -> Self {
        Self { head, is_number: false, cell: Box::new(cell) }
    }

    pub(super) fn numbers(head: &'static str, cell: impl Fn(&LearnedEdge) -> String + 'a) -> Self {
        Self { head, is_number: true, cell: Box::new(cell) }
    }
}

impl Summary<'_> {
    /// The columns that there is something to say in.
    fn columns(&self) -> Vec<Column<'_>> {
        let name =
            Column::words("edge", |edge| format!("{} -> {}", self.name(edge.from), self.name(edge.to)));
        let [support, this_way] = self.support_columns();
        let all = [
            Some(name),
            self.weight(),
            self.standardized(),
            self.strength(),
            self.p_value(),
            self.probability(),
            Some(Column::words("direction", |edge| {
                let direction = self.learned.direction(edge.from, edge.to);
                if self.is_doubtful(edge) { DOUBTFUL.to_owned() } else { direction.to_string() }
            })),
            support,
            this_way,
            self.true_edge(),
        ];
        all.into_iter().flatten().collect()
    }

    /// The strongest edges as a table, those that the truth alone has after it.
    pub(super) fn edges(&self) -> String {
        let edges = self.learned.strongest_edges();
        if edges.is_empty() {
            return "No edges: no column helps to predict another by more than chance".to_owned()
                + &self.missing();
        }
        let columns = self.columns();
        let header: Vec<&str> = columns.iter().map(|column| column.head).collect();
        let shown = edges.iter().take(MOST_EDGES_SHOWN);
        let rows = shown.map(|edge| columns.iter().map(|column| (column.cell)(edge)).collect());
        let numbers: Vec<usize> = (0..columns.len()).filter(|&at| columns[at].is_number).collect();
        let mut text = console::table_of(&header, rows, &numbers);
        if let Some(rest) = edges.len().checked_sub(MOST_EDGES_SHOWN).filter(|&rest| rest > 0) {
            let rest = console::thousands(rest as u64);
            text += &format!("\nand {rest} weaker ones ({})", self.face.all_in("edge_table"));
        }
        text + &self.missing()
    }

    /// The coefficient of the linear model; what takes its place where there are categories is the strength.
    fn weight(&self) -> Option<Column<'_>> {
        self.is_linear().then(|| Column::numbers("weight", |edge| number(edge.weight)))
    }

    /// The same in standard deviations, where that is another number.
    fn standardized(&self) -> Option<Column<'_>> {
        let differs =
            |edge: LearnedEdge| edge.standardized.is_some_and(|other| (other - edge.weight).abs() > 1e-9);
        let cell = |edge: &LearnedEdge| edge.standardized.map(number).unwrap_or_default();
        self.learned.edges().any(differs).then(|| Column::numbers("standardized", cell))
    }

    fn strength(&self) -> Option<Column<'_>> {
        self.learned.strengths.as_ref()?;
        Some(Column::numbers("strength", |edge| edge.strength.map(number).unwrap_or_default()))
    }

    fn p_value(&self) -> Option<Column<'_>> {
        self.learned.p_values.as_ref()?;
        Some(Column::numbers("p-value", |edge| match edge.p_value {
            Some(p_value) if p_value < LEAST_P_VALUE => format!("<{LEAST_P_VALUE:.0e}"),
            Some(p_value) => number(p_value),
            None => "not tested".to_owned(),
        }))
    }

    fn probability(&self) -> Option<Column<'_>> {
        let probabilities = self.learned.probabilities.as_ref()?;
        let nodes = self.learned.dag.nodes();
        Some(Column::numbers("probability", move |edge| {
            format!("{:.3}", probabilities[edge.from * nodes + edge.to])
        }))
    }

    fn true_edge(&self) -> Option<Column<'_>> {
        let truth = self.truth?.graph.dag();
        Some(Column::words("truth", |edge| {
            if truth.has_edge(edge.from, edge.to) {
                if self.is_linear() { number(truth.weight(edge.from, edge.to)) } else { "yes".to_owned() }
            } else if truth.has_edge(edge.to, edge.from) {
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
            .graph
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
