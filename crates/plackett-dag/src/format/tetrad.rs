//! Graphs as Tetrad and causal-learn save them: the names of the nodes, and then a line `1. a --> b` for each edge, or `1. a --- b` where the
//! direction is open.

use std::fmt::Write as _;

use super::claim::{Claim, Gathered};
use super::in_file;
use crate::error::{Error, Place, Problem};
use crate::graph::NamedDag;

/// How the text begins, and where its edges do.
const HEADS: (&str, &str) = ("Graph Nodes:", "Graph Edges:");

/// Whether a text begins as a graph that Tetrad has saved does.
pub(crate) fn is_tetrad_graph(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(HEADS.0.as_bytes())
}

/// Reads a graph as Tetrad and causal-learn save it; `file` is what errors call it. Edges weigh one; of those whose direction is open, the
/// graph has one.
///
/// # Errors
/// By file and line: what is no edge, or one with circles; names that are not listed, and edges that make a cycle.
///
/// # Example
/// ```
/// let text = "Graph Nodes:\na;b;c\n\nGraph Edges:\n1. a --> b\n2. c --> b\n";
/// let graph = plackett_dag::format::parse_graph_tetrad(text, "graph.txt")?;
/// assert_eq!((graph.names().len(), graph.dag().edge_count()), (3, 2));
/// assert!(plackett_dag::format::parse_graph_tetrad(&text.replace("1. a -->", "1. a o->"), "graph.txt").is_err());
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn parse_graph_tetrad(text: &str, file: &str) -> Result<NamedDag, Error> {
    Ok(parse(text, file)?.graph)
}

pub(super) fn parse(text: &str, file: &str) -> Result<Claim, Error> {
    let mut found = Gathered::default();
    let mut is_among_edges = false;
    for (at, line) in text.lines().enumerate().map(|(at, line)| (at, line.trim())) {
        if line.is_empty() || line == HEADS.0 {
            continue;
        }
        if !is_among_edges {
            is_among_edges = line == HEADS.1;
            if !is_among_edges {
                for name in line.split([';', ',']).map(str::trim) {
                    if found.find(name).is_some() {
                        return Err(in_file(file, Error::RepeatedName { name: name.to_owned() }));
                    }
                    found.node(name);
                }
            }
            continue;
        }
        let split = |mark: &'static str| line.split_once(". ").and_then(|(_, edge)| edge.split_once(mark));
        let (from, to, is_open) = match (split(" --> "), split(" <-- "), split(" --- ")) {
            (Some((from, to)), ..) | (_, Some((to, from)), _) => (from, to, false),
            (.., Some((from, to))) => (from, to, true),
            // Attributes of the graph may follow its edges.
            _ if !line.starts_with(|first: char| first.is_ascii_digit()) => break,
            _ => {
                let place = Place { file: file.into(), line: Some(at as u64 + 1), column: None };
                return Err(Error::Content { place, problem: Problem::NotAnEdge { text: line.to_owned() } });
            }
        };
        // Properties of an edge may follow its head, as in "a --> b dd nl".
        let known = |name: &str| {
            let name = name.trim();
            let first = name.split(' ').next().unwrap_or_default();
            let place = found.find(name).or_else(|| found.find(first));
            place.ok_or_else(|| in_file(file, Error::UnknownName { name: name.to_owned() }))
        };
        let edge = (known(from)?, known(to)?, 1.0);
        if is_open { found.open.push(edge) } else { found.arrows.push(edge) }
    }
    found.claim(file)
}

/// A graph as Tetrad and causal-learn read it, edges whose direction is open without arrowheads.
///
/// # Errors
/// [`Error::Misfit`] for names that such a text cannot hold: with commas, semicolons, line breaks or spaces.
///
/// ```
/// # use plackett_dag::{NamedDag, format::to_tetrad};
/// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, 0.5)])?;
/// assert_eq!(to_tetrad(&graph, |_, _| false)?, "Graph Nodes:\na;b\n\nGraph Edges:\n1. a --> b\n");
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn to_tetrad(graph: &NamedDag, is_open: impl Fn(usize, usize) -> bool) -> Result<String, Error> {
    super::check_plain(graph.names(), "Tetrad", &[',', ';'])?;
    let mut text = format!("{}\n{}\n\n{}\n", HEADS.0, graph.names().join(";"), HEADS.1);
    for (at, (from, to, _)) in graph.dag().edges().enumerate() {
        let mark = if is_open(from, to) { "---" } else { "-->" };
        let _ = writeln!(text, "{}. {} {mark} {}", at + 1, graph.names()[from], graph.names()[to]);
    }
    Ok(text)
}
