//! Graphs as statements: the DOT language of Graphviz, and the text of DAGitty, which is close to it.

use std::fmt::Write as _;

use super::name_of;
use crate::cpdag::Cpdag;
use crate::graph::NamedDag;
use crate::text::number_text;

/// How an edge whose direction is open is drawn.
const OPEN: &str = "dir=none, style=dashed";

/// A graph in the DOT language, its edges labeled with their weights unless all of them are 1; the whole weight is the attribute
/// `coefficient`, which Graphviz lets be. Edges whose direction is
/// open, as `is_open(from, to)` tells, are dashed and have no arrowheads.
///
/// # Example
/// ```
/// # use plackett_dag::{NamedDag, format::to_dot};
/// let graph = NamedDag::from_edges(vec!["a".into(), "the \"b\"".into()], [(0, 1, -0.5)])?;
/// assert_eq!(
///     to_dot(&graph, |_, _| false),
///     "digraph {\n  \"a\";\n  \"the \\\"b\\\"\";\n  \"a\" -> \"the \\\"b\\\"\" [label=\"-0.5\", coefficient=\"-0.5\"];\n}\n"
/// );
/// assert!(to_dot(&graph, |_, _| true).contains("[label=\"-0.5\", coefficient=\"-0.5\", dir=none, style=dashed]"));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn to_dot(graph: &NamedDag, is_open: impl Fn(usize, usize) -> bool) -> String {
    let weighted = graph.dag().edges().any(|(_, _, weight)| weight != 1.0);
    let edges = graph.dag().edges().map(|(from, to, weight)| {
        let label = weighted
            .then(|| format!("label=\"{}\", coefficient=\"{}\"", short_number(weight), number_text(weight)));
        let head = is_open(from, to).then(|| OPEN.to_owned());
        let attributes: Vec<String> = label.into_iter().chain(head).collect();
        let text =
            if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        (from, to, text)
    });
    dot(graph.names(), edges)
}

/// A CPDAG in the DOT language, undirected edges dashed and without arrowheads; node i has the name `names[i]`, or the number i
/// where there are too few names.
///
/// # Example
/// ```
/// # use plackett_dag::{Cpdag, Dag, format::cpdag_to_dot};
/// let cpdag = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0]])?);
/// let text = cpdag_to_dot(&["a".into(), "b".into()], &cpdag);
/// assert_eq!(text, "digraph {\n  \"a\";\n  \"b\";\n  \"a\" -> \"b\" [dir=none, style=dashed];\n}\n");
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn cpdag_to_dot(names: &[String], cpdag: &Cpdag) -> String {
    let names: Vec<String> = (0..cpdag.nodes()).map(|node| name_of(names, node)).collect();
    let directed = cpdag.directed().iter().map(|&(from, to)| (from, to, String::new()));
    let undirected = cpdag.undirected().iter().map(|&(a, b)| (a, b, format!(" [{OPEN}]")));
    dot(&names, directed.chain(undirected))
}

fn dot(names: &[String], edges: impl Iterator<Item = (usize, usize, String)>) -> String {
    let mut text = String::from("digraph {\n");
    for name in names {
        let _ = writeln!(text, "  {};", quoted(name));
    }
    for (from, to, attributes) in edges {
        let _ = writeln!(text, "  {} -> {}{attributes};", quoted(&names[from]), quoted(&names[to]));
    }
    text.push_str("}\n");
    text
}

/// A graph as a text of DAGitty: a `dag`, or a `pdag` in which the edges whose direction is open are undirected. Weights are its `beta`.
///
/// ```
/// # use plackett_dag::{NamedDag, format::to_dagitty};
/// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, 0.5)])?;
/// assert_eq!(to_dagitty(&graph, |_, _| false), "dag {\n\"a\"\n\"b\"\n\"a\" -> \"b\" [beta=\"0.5\"]\n}\n");
/// assert_eq!(to_dagitty(&graph, |_, _| true), "pdag {\n\"a\"\n\"b\"\n\"a\" -- \"b\"\n}\n");
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn to_dagitty(graph: &NamedDag, is_open: impl Fn(usize, usize) -> bool) -> String {
    let any_open = graph.dag().edges().any(|(from, to, _)| is_open(from, to));
    let mut text = format!("{} {{\n", if any_open { "pdag" } else { "dag" });
    for name in graph.names() {
        let _ = writeln!(text, "{}", quoted(name));
    }
    for (from, to, weight) in graph.dag().edges() {
        let (from_name, to_name) = (quoted(&graph.names()[from]), quoted(&graph.names()[to]));
        let _ = match (is_open(from, to), weight == 1.0) {
            (true, _) => writeln!(text, "{from_name} -- {to_name}"),
            (false, true) => writeln!(text, "{from_name} -> {to_name}"),
            (false, false) => writeln!(text, "{from_name} -> {to_name} [beta=\"{}\"]", number_text(weight)),
        };
    }
    text.push_str("}\n");
    text
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', ""))
}

/// Three significant digits, which is what fits beside an arrow.
fn short_number(value: f64) -> String {
    number_text(format!("{value:.2e}").parse().unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_three_digits() {
        for (value, wanted) in
            [(1.0, "1"), (-12.345, "-12.3"), (1234.5, "1230"), (0.012_345, "0.0123"), (1e-9, "1e-9")]
        {
            assert_eq!(short_number(value), wanted);
        }
    }
}
