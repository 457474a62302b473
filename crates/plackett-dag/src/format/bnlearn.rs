//! Model strings of bnlearn: each node in brackets, with its parents after a bar, as in `[rain][wet|rain:sprinkler][sprinkler]`.

use super::claim::{Claim, Gathered};
use super::fault;
use crate::error::Error;
use crate::graph::NamedDag;

const WHAT: &str = "bnlearn's model string";

pub(super) fn parse(text: &str, file: &str) -> Result<Claim, Error> {
    let mut found = Gathered::default();
    let mut families: Vec<(usize, Vec<&str>)> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let Some(inner) = rest.strip_prefix('[') else {
            let start: String = rest.chars().take(20).collect();
            return Err(fault(
                file,
                None,
                WHAT,
                format!("\"{start}\" stands where a node in brackets should"),
            ));
        };
        let Some((node, after)) = inner.split_once(']') else {
            return Err(fault(file, None, WHAT, "a bracket is never closed"));
        };
        let (name, parents) = node.split_once('|').unwrap_or((node, ""));
        if found.find(name.trim()).is_some() {
            return Err(fault(file, None, WHAT, format!("\"{}\" is there twice", name.trim())));
        }
        let parents = parents.split(':').map(str::trim).filter(|parent| !parent.is_empty()).collect();
        families.push((found.node(name.trim()), parents));
        rest = after.trim_start();
    }
    for (node, parents) in families {
        for parent in parents {
            let from = found.find(parent).ok_or_else(|| {
                fault(file, None, WHAT, format!("\"{parent}\" is a parent and no node of its own"))
            })?;
            found.arrows.push((from, node, 1.0));
        }
    }
    found.claim(file)
}

/// A graph as a model string of bnlearn, for `model2network`. It has no place for weights, nor for directions that are open.
///
/// # Errors
/// [`Error::Misfit`] for names that such a text cannot hold: with brackets, bars, colons or spaces.
///
/// ```
/// # use plackett_dag::{NamedDag, format::to_model_string};
/// let names = ["rain", "sprinkler", "wet"].map(String::from).to_vec();
/// let graph = NamedDag::from_edges(names, [(0, 2, 1.0), (1, 2, 1.0)])?;
/// assert_eq!(to_model_string(&graph)?, "[rain][sprinkler][wet|rain:sprinkler]");
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn to_model_string(graph: &NamedDag) -> Result<String, Error> {
    super::check_plain(graph.names(), "bnlearn", &['[', ']', '|', ':'])?;
    let node = |(node, name): (usize, &String)| {
        let parents: Vec<&str> =
            graph.dag().parents(node).iter().map(|&parent| graph.names()[parent].as_str()).collect();
        if parents.is_empty() { format!("[{name}]") } else { format!("[{name}|{}]", parents.join(":")) }
    };
    Ok(graph.names().iter().enumerate().map(node).collect())
}
