//! GraphML, as networkx, igraph, yEd and Gephi read it: weights and whether a direction is open are attributes of the edges.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::claim::{Claim, Gathered};
use super::fault;
use super::markup::{escaped, unescaped};
use crate::error::Error;
use crate::graph::NamedDag;
use crate::text::number_text;

const WHAT: &str = "GraphML";

/// A graph in GraphML: nodes by their names, edges with `weight` and `open`.
///
/// ```
/// # use plackett_dag::{NamedDag, format::to_graphml};
/// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, 0.5)])?;
/// assert!(to_graphml(&graph, |_, _| false).contains("<edge source=\"a\" target=\"b\">"));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn to_graphml(graph: &NamedDag, is_open: impl Fn(usize, usize) -> bool) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n\
         <key id=\"open\" for=\"edge\" attr.name=\"open\" attr.type=\"boolean\"/>\n\
         <graph edgedefault=\"directed\">\n",
    );
    let name = |node: usize| escaped(&graph.names()[node], false);
    for node in 0..graph.names().len() {
        let _ = writeln!(text, "<node id=\"{}\"/>", name(node));
    }
    for (from, to, weight) in graph.dag().edges() {
        let _ = writeln!(
            text,
            "<edge source=\"{}\" target=\"{}\"><data key=\"weight\">{}</data><data key=\"open\">{}</data></edge>",
            name(from),
            name(to),
            number_text(weight),
            is_open(from, to)
        );
    }
    text + "</graph>\n</graphml>\n"
}

/// A tag with its attributes.
struct Tag<'a> {
    name: &'a str,
    attributes: HashMap<&'a str, String>,
    is_end: bool,
    is_alone: bool,
}

/// An edge as it is read.
#[derive(Default)]
struct Edge {
    source: String,
    target: String,
    weight: f64,
    is_open: bool,
}

pub(super) fn parse(text: &str, file: &str) -> Result<Claim, Error> {
    let mut names: Vec<(String, Option<String>)> = Vec::new();
    let mut edges: Vec<Edge> = Vec::new();
    let mut keys: HashMap<String, String> = HashMap::new();
    let mut is_directed = true;
    let mut within: Option<&str> = None;
    let mut rest = text;
    let line = |rest: &str| Some(text[..text.len() - rest.len()].matches('\n').count() + 1);
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        if rest.starts_with("<!--") {
            rest = rest.find("-->").map_or("", |end| &rest[end + 3..]);
            continue;
        }
        let Some(end) = tag_end(rest) else {
            return Err(fault(file, line(rest), WHAT, "a tag is never closed"));
        };
        let tag = read_tag(&rest[1..end]);
        rest = &rest[end + 1..];
        let attribute = |key: &str| tag.attributes.get(key).cloned();
        match (tag.name, tag.is_end) {
            ("key", false) => {
                if let (Some(id), Some(name)) = (attribute("id"), attribute("attr.name")) {
                    keys.insert(id, name);
                }
            }
            ("graph", false) => is_directed = attribute("edgedefault").as_deref() != Some("undirected"),
            ("node", false) => {
                let Some(id) = attribute("id") else {
                    return Err(fault(file, line(rest), WHAT, "a node has no id"));
                };
                names.push((id, None));
                within = (!tag.is_alone).then_some("node");
            }
            ("edge", false) => {
                let end = |what: &str| {
                    attribute(what)
                        .ok_or_else(|| fault(file, line(rest), WHAT, format!("an edge has no {what}")))
                };
                let is_open = attribute("directed").map_or(!is_directed, |directed| directed == "false");
                edges.push(Edge { source: end("source")?, target: end("target")?, weight: 1.0, is_open });
                within = (!tag.is_alone).then_some("edge");
            }
            ("node" | "edge", true) => within = None,
            ("data", false) if !tag.is_alone => {
                let key = attribute("key").unwrap_or_default();
                let key = keys.get(&key).cloned().unwrap_or(key);
                let value = unescaped(rest[..rest.find('<').unwrap_or(rest.len())].trim());
                match (within, key.as_str()) {
                    (Some("node"), "label" | "name") if !value.is_empty() => {
                        names.iter_mut().last().into_iter().for_each(|node| node.1 = Some(value.clone()));
                    }
                    (Some("edge"), "weight") => {
                        let weight =
                            value.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight != 0.0);
                        edges
                            .iter_mut()
                            .last()
                            .into_iter()
                            .for_each(|edge| edge.weight = weight.unwrap_or(1.0));
                    }
                    (Some("edge"), "open") => {
                        let is_open = value.eq_ignore_ascii_case("true") || value == "1";
                        edges.iter_mut().last().into_iter().for_each(|edge| edge.is_open |= is_open);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    let mut found = Gathered::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (id, label) in names {
        let name = label.unwrap_or_else(|| id.clone());
        if found.find(&name).is_some() {
            return Err(fault(file, None, WHAT, format!("two nodes are named \"{name}\"")));
        }
        places.insert(id, found.node(&name));
    }
    for edge in edges {
        let place = |id: &String| {
            places
                .get(id)
                .copied()
                .ok_or_else(|| fault(file, None, WHAT, format!("an edge names \"{id}\", which is no node")))
        };
        let ends = (place(&edge.source)?, place(&edge.target)?, edge.weight);
        if edge.is_open { found.open.push(ends) } else { found.arrows.push(ends) }
    }
    found.claim(file)
}

/// Where a tag ends: at the first `>` outside quotation marks.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
    }
    None
}

fn read_tag(text: &str) -> Tag<'_> {
    let is_end = text.starts_with('/');
    let is_alone = text.ends_with('/');
    let text = text.trim_start_matches('/').trim_end_matches('/');
    let name_end = text.find(char::is_whitespace).unwrap_or(text.len());
    // A prefix says which names these are, which does not matter here.
    let name = text[..name_end].rsplit(':').next().unwrap_or_default();
    let mut attributes = HashMap::new();
    let mut rest = &text[name_end..];
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let Some(quote @ ('"' | '\'')) = after.chars().next() else { break };
        let Some((value, next)) = after[1..].split_once(quote) else { break };
        attributes.insert(key.trim(), unescaped(value));
        rest = next;
    }
    Tag { name, attributes, is_end, is_alone }
}
