//! Reading graphs made of statements, `a -> b; c -- d [attributes]`, as DOT and DAGitty have them.

use super::claim::{Claim, Gathered};
use super::fault;
use crate::error::Error;

/// The kinds of graphs of DOT, and those of DAGitty.
const DOT: [&str; 2] = ["digraph", "graph"];
const DAGITTY: [&str; 2] = ["dag", "pdag"];

/// The most braces within each other.
const MOST_DEPTH: usize = 64;

/// The first word of a text and the brace or bracket that opens what follows, if it begins so: `digraph name {`, `graph [`.
pub(super) fn head(text: &str) -> Option<(&str, char)> {
    let at = text.find(['{', '['])?;
    let words: Vec<&str> = text[..at].split_whitespace().collect();
    let words = if words.first() == Some(&"strict") { &words[1..] } else { &words[..] };
    let is_kind = words.first().is_some_and(|word| DOT.contains(word) || DAGITTY.contains(word));
    // A remark may come first in DOT.
    let known = is_kind && (words.len() <= 2 || words[1].starts_with('"'));
    known.then(|| (words[0], text[at..].chars().next().unwrap_or('{')))
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Mark(char),
    Edge(&'static str),
}

struct Reader<'a> {
    text: &'a str,
    line: usize,
    file: &'a str,
    what: &'static str,
    ahead: Option<(Token, usize)>,
}

/// How an edge is written, from the longest; those of which nothing is said are refused.
const EDGES: [&str; 9] = ["<->", "@->", "<-@", "@-@", "@--", "--@", "->", "--", "<-"];

pub(super) fn parse(text: &str, file: &str) -> Result<Claim, Error> {
    let what = if head(text).is_some_and(|(word, _)| DAGITTY.contains(&word)) { "DAGitty" } else { "DOT" };
    let mut reader = Reader { text, line: 1, file, what, ahead: None };
    let mut found = Gathered::default();
    // Up to the brace stand the kind of graph and perhaps a name.
    while reader.next()?.is_some_and(|token| token != Token::Mark('{')) {}
    reader.statements(&mut found, 0)?;
    found.claim(file)
}

impl Reader<'_> {
    fn fault(&self, message: impl Into<String>) -> Error {
        fault(self.file, Some(self.line), self.what, message)
    }

    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.text.split_at(bytes.min(self.text.len()));
        self.line += skipped.matches('\n').count();
        self.text = rest;
    }

    fn skip_space(&mut self) {
        loop {
            let blank = self.text.len() - self.text.trim_start().len();
            self.skip(blank);
            let end_of_line = |text: &str| text.find('\n').unwrap_or(text.len());
            if self.text.starts_with("/*") {
                self.skip(self.text.find("*/").map_or(self.text.len(), |end| end + 2));
            } else if self.text.starts_with("//") || self.text.starts_with('#') {
                self.skip(end_of_line(self.text));
            } else {
                return;
            }
        }
    }

    fn peek(&mut self) -> Result<Option<&Token>, Error> {
        if self.ahead.is_none() {
            self.ahead = self.read()?.map(|token| (token, self.line));
        }
        Ok(self.ahead.as_ref().map(|(token, _)| token))
    }

    fn next(&mut self) -> Result<Option<Token>, Error> {
        match self.ahead.take() {
            Some((token, _)) => Ok(Some(token)),
            None => self.read(),
        }
    }

    fn read(&mut self) -> Result<Option<Token>, Error> {
        self.skip_space();
        let Some(first) = self.text.chars().next() else { return Ok(None) };
        if let Some(edge) = EDGES.iter().find(|edge| self.text.starts_with(**edge)) {
            self.skip(edge.len());
            return Ok(Some(Token::Edge(edge)));
        }
        if first == '"' {
            return self.quoted().map(|text| Some(Token::Word(text)));
        }
        if "{}[];,=:".contains(first) {
            self.skip(first.len_utf8());
            return Ok(Some(Token::Mark(first)));
        }
        let is_word = |at: usize, letter: char| {
            let is_sign = letter == '-' && at == 0;
            letter.is_alphanumeric()
                || "_.'+*/%&!?$^~|\\()@".contains(letter)
                || is_sign
                || !letter.is_ascii()
        };
        let end = self.text.char_indices().find(|&(at, letter)| !is_word(at, letter));
        let end = end.map_or(self.text.len(), |(at, _)| at);
        if end == 0 {
            return Err(self.fault(format!("the character {first:?} is out of place")));
        }
        let word = self.text[..end].to_owned();
        self.skip(end);
        Ok(Some(Token::Word(word)))
    }

    fn quoted(&mut self) -> Result<String, Error> {
        let mut word = String::new();
        let mut letters = self.text.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.skip(at + 1);
                    return Ok(word);
                }
                '\\' => match letters.next() {
                    Some((_, 'n')) => word.push('\n'),
                    Some((_, other @ ('"' | '\\'))) => word.push(other),
                    Some((_, other)) => word.extend(['\\', other]),
                    None => break,
                },
                letter => word.push(letter),
            }
        }
        Err(self.fault("a quotation mark is never closed"))
    }

    /// Statements up to the closing brace; the nodes that they are about.
    fn statements(&mut self, found: &mut Gathered, depth: usize) -> Result<Vec<usize>, Error> {
        if depth > MOST_DEPTH {
            return Err(self.fault("too many braces stand within each other"));
        }
        let mut nodes = Vec::new();
        loop {
            match self.peek()? {
                None => return Err(self.fault("the text ends where a closing brace should be")),
                Some(Token::Mark('}')) => {
                    self.next()?;
                    return Ok(nodes);
                }
                Some(Token::Mark(';' | ',')) => {
                    self.next()?;
                }
                Some(Token::Mark('{') | Token::Word(_)) => self.statement(found, depth, &mut nodes)?,
                Some(other) => {
                    let text = format!("{} stands where a node should", shown(other));
                    return Err(self.fault(text));
                }
            }
        }
    }

    /// A node, a chain of edges, or something that is about neither.
    fn statement(&mut self, found: &mut Gathered, depth: usize, nodes: &mut Vec<usize>) -> Result<(), Error> {
        if let Some(Token::Word(word)) = self.peek()?
            && ["node", "edge", "graph"].contains(&word.as_str())
        {
            let word = self.next()?;
            if self.peek()? == Some(&Token::Mark('[')) {
                self.attributes()?;
                return Ok(());
            }
            self.ahead = word.map(|word| (word, self.line)).or_else(|| self.ahead.take());
            return Err(
                self.fault("node, edge and graph have attributes, or stand in quotation marks as names")
            );
        }
        let Some(mut left) = self.group(found, depth)? else { return Ok(()) };
        nodes.extend(&left);
        let mut edges: Vec<(usize, usize, &'static str)> = Vec::new();
        while let Some(Token::Edge(edge)) = self.peek()? {
            let edge = *edge;
            self.next()?;
            let Some(right) = self.group(found, depth)? else {
                return Err(self.fault("an edge leads nowhere"));
            };
            edges.extend(left.iter().flat_map(|&from| right.iter().map(move |&to| (from, to, edge))));
            nodes.extend(&right);
            left = right;
        }
        let attributes = self.attributes()?;
        let value = |wanted: &str| {
            attributes.iter().rev().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str())
        };
        let number = |key: &str| value(key).and_then(|text| text.parse::<f64>().ok());
        let weight = ["coefficient", "weight", "beta", "label"].into_iter().find_map(number);
        let weight = weight.filter(|weight| weight.is_finite() && *weight != 0.0).unwrap_or(1.0);
        for (from, to, edge) in edges {
            match (edge, value("dir")) {
                ("->", None | Some("forward")) | ("<-", Some("back")) => {
                    found.arrows.push((from, to, weight));
                }
                ("<-", None | Some("forward")) | ("->", Some("back")) => {
                    found.arrows.push((to, from, weight));
                }
                ("--", None | Some("none" | "forward")) | ("->" | "<-", Some("none")) => {
                    found.open.push((from, to, weight));
                }
                _ => {
                    let name = |node: usize| found.name(node);
                    let text = format!(
                        "the edge {} {edge} {} is neither directed nor undirected",
                        name(from),
                        name(to)
                    );
                    return Err(self.fault(text));
                }
            }
        }
        Ok(())
    }

    /// A node, or several in braces; nothing for a setting such as `rankdir=LR`.
    fn group(&mut self, found: &mut Gathered, depth: usize) -> Result<Option<Vec<usize>>, Error> {
        match self.next()? {
            Some(Token::Mark('{')) => self.statements(found, depth + 1).map(Some),
            Some(Token::Word(word)) if word == "subgraph" => {
                while let Some(token) = self.next()? {
                    if token == Token::Mark('{') {
                        return self.statements(found, depth + 1).map(Some);
                    }
                }
                Err(self.fault("a subgraph has no braces"))
            }
            Some(Token::Word(word)) => match self.peek()? {
                Some(Token::Mark('=')) => {
                    self.next()?;
                    self.next()?;
                    Ok(None)
                }
                // Ports of a node are for pictures.
                Some(Token::Mark(':')) => {
                    while self.peek()? == Some(&Token::Mark(':')) {
                        self.next()?;
                        self.next()?;
                    }
                    Ok(Some(vec![found.node(&word)]))
                }
                _ => Ok(Some(vec![found.node(&word)])),
            },
            Some(other) => {
                let text = format!("{} stands where a node should", shown(&other));
                Err(self.fault(text))
            }
            None => Err(self.fault("the text ends where a node should be")),
        }
    }

    /// Attributes in brackets, if there are any.
    fn attributes(&mut self) -> Result<Vec<(String, String)>, Error> {
        let mut attributes = Vec::new();
        while self.peek()? == Some(&Token::Mark('[')) {
            self.next()?;
            loop {
                match self.next()? {
                    Some(Token::Mark(']')) => break,
                    Some(Token::Word(key)) => {
                        let mut value = String::new();
                        if self.peek()? == Some(&Token::Mark('=')) {
                            self.next()?;
                            if let Some(Token::Word(text)) = self.next()? {
                                value = text;
                            }
                        }
                        attributes.push((key, value));
                    }
                    Some(_) => {}
                    None => return Err(self.fault("the text ends where a closing bracket should be")),
                }
            }
        }
        Ok(attributes)
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(word) => format!("\"{}\"", crate::text::shown(word)),
        Token::Mark(mark) => format!("\"{mark}\""),
        Token::Edge(edge) => format!("\"{edge}\""),
    }
}
