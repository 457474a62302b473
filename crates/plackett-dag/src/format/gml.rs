//! GML, lists of keys and values in brackets, as networkx, igraph and DoWhy read it.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::claim::{Claim, Gathered};
use super::fault;
use super::markup::{escaped, unescaped};
use crate::error::Error;
use crate::graph::NamedDag;
use crate::text::number_text;

const WHAT: &str = "GML";

/// A graph in GML: nodes with their names as labels, edges with `weight`, and `open 1` where the direction is.
///
/// ```
/// # use plackett_dag::{NamedDag, format::to_gml};
/// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, 0.5)])?;
/// assert!(to_gml(&graph, |_, _| false).contains("edge [ source 0 target 1 weight 0.5 open 0 ]"));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn to_gml(graph: &NamedDag, is_open: impl Fn(usize, usize) -> bool) -> String {
    let mut text = String::from("graph [\n  directed 1\n");
    for (node, name) in graph.names().iter().enumerate() {
        let _ = writeln!(text, "  node [ id {node} label \"{}\" ]", escaped(name, true));
    }
    for (from, to, weight) in graph.dag().edges() {
        let weight = number_text(weight);
        // A number with an exponent has a point in GML.
        let weight = match weight.split_once('e') {
            Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
            _ => weight,
        };
        let open = u8::from(is_open(from, to));
        let _ = writeln!(text, "  edge [ source {from} target {to} weight {weight} open {open} ]");
    }
    text + "]\n"
}

/// A value: a list, or a text or a number as it stands there.
enum Value {
    List(HashMap<String, Vec<Value>>),
    Word(String),
}

/// The most brackets within each other.
const MOST_DEPTH: usize = 64;

pub(super) fn parse(text: &str, file: &str) -> Result<Claim, Error> {
    let mut tokens = Tokens { text, file };
    let whole = tokens.list(0)?;
    let Some(Value::List(graph)) = whole.get("graph").and_then(|graphs| graphs.first()) else {
        return Err(fault(file, None, WHAT, "there is no graph in brackets"));
    };
    let lists = |key: &str| {
        graph.get(key).into_iter().flatten().filter_map(|value| match value {
            Value::List(list) => Some(list),
            Value::Word(_) => None,
        })
    };
    let word =
        |list: &HashMap<String, Vec<Value>>, key: &str| match list.get(key).and_then(|values| values.first())
        {
            Some(Value::Word(word)) => Some(word.clone()),
            _ => None,
        };
    let is_directed = word(graph, "directed").as_deref() == Some("1");
    let mut found = Gathered::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    for node in lists("node") {
        let id = word(node, "id").ok_or_else(|| fault(file, None, WHAT, "a node has no id"))?;
        let name = word(node, "label").unwrap_or_else(|| id.clone());
        if found.find(&name).is_some() {
            return Err(fault(file, None, WHAT, format!("two nodes are named \"{name}\"")));
        }
        places.insert(id, found.node(&name));
    }
    for edge in lists("edge") {
        let end = |key: &str| {
            let id =
                word(edge, key).ok_or_else(|| fault(file, None, WHAT, format!("an edge has no {key}")))?;
            places.get(&id).copied().ok_or_else(|| fault(file, None, WHAT, format!("there is no node {id}")))
        };
        let weight = word(edge, "weight").and_then(|text| text.parse::<f64>().ok());
        let weight = weight.filter(|weight| weight.is_finite() && *weight != 0.0).unwrap_or(1.0);
        let ends = (end("source")?, end("target")?, weight);
        let is_open = !is_directed || word(edge, "open").as_deref() == Some("1");
        if is_open { found.open.push(ends) } else { found.arrows.push(ends) }
    }
    found.claim(file)
}

struct Tokens<'a> {
    text: &'a str,
    file: &'a str,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Result<Option<&'a str>, Error> {
        self.text = self.text.trim_start();
        while let Some(remark) = self.text.strip_prefix('#') {
            self.text = remark.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
        }
        let Some(first) = self.text.chars().next() else { return Ok(None) };
        let end = match first {
            '[' | ']' => 1,
            '"' => match self.text[1..].find('"') {
                Some(end) => end + 2,
                None => return Err(fault(self.file, None, WHAT, "a quotation mark is never closed")),
            },
            _ => self
                .text
                .find(|letter: char| letter.is_whitespace() || "[]\"".contains(letter))
                .unwrap_or(self.text.len()),
        };
        let (token, rest) = self.text.split_at(end);
        self.text = rest;
        Ok(Some(token))
    }

    /// Keys and values up to the closing bracket, or up to the end if there was no opening one.
    fn list(&mut self, depth: usize) -> Result<HashMap<String, Vec<Value>>, Error> {
        if depth > MOST_DEPTH {
            return Err(fault(self.file, None, WHAT, "too many brackets stand within each other"));
        }
        let mut list: HashMap<String, Vec<Value>> = HashMap::new();
        loop {
            let key = match self.next()? {
                None if depth == 0 => return Ok(list),
                None => return Err(fault(self.file, None, WHAT, "a bracket is never closed")),
                Some("]") if depth > 0 => return Ok(list),
                Some(key) => key,
            };
            let value = match self.next()? {
                Some("[") => Value::List(self.list(depth + 1)?),
                Some("]") | None => {
                    return Err(fault(self.file, None, WHAT, format!("\"{key}\" has no value")));
                }
                Some(word) => Value::Word(unescaped(word.trim_matches('"'))),
            };
            list.entry(key.to_owned()).or_default().push(value);
        }
    }
}
