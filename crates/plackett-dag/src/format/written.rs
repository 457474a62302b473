//! The formats that a graph is written in, by name and by the ending of a file's name.

use std::path::Path;

use super::{
    Claim, CpdagDocument, GraphDocument, OPEN, to_dagitty, to_dot, to_gml, to_graphml, to_model_string,
    to_tetrad, write_graph_csv,
};
use crate::error::Error;
use crate::graph::NamedDag;

/// A format that graphs are written in.
///
/// ```
/// use plackett_dag::format::{GraphFormat, parse_claim};
///
/// let claim = parse_claim(b"pdag { a -- b; b -> c; d -> c }", "graph.dagitty")?;
/// let format = GraphFormat::of_path("graph.tetrad")?;
/// assert_eq!(format, GraphFormat::by_name("tetrad")?);
/// assert!(claim.write(format)?.ends_with("1. a --- b\n2. b --> c\n3. d --> c\n"));
/// // What cannot be told open is told as the graph has it.
/// assert_eq!(claim.write(GraphFormat::Bnlearn)?, "[a][b|a][c|b:d][d]");
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphFormat {
    /// An adjacency matrix.
    Csv,
    /// The document that learning prints.
    Json,
    /// The language of Graphviz.
    Dot,
    /// `GraphML`, for networkx, igraph, yEd and Gephi.
    GraphMl,
    /// GML, for networkx and `DoWhy`.
    Gml,
    /// `DAGitty`'s text.
    Dagitty,
    /// The text of Tetrad and causal-learn.
    Tetrad,
    /// A model string of bnlearn.
    Bnlearn,
}

/// Each format with its name, and the endings of the files that hold it.
const FORMATS: [(GraphFormat, &str, &[&str]); 8] = [
    (GraphFormat::Csv, "csv", &["csv"]),
    (GraphFormat::Json, "json", &["json"]),
    (GraphFormat::Dot, "dot", &["dot", "gv"]),
    (GraphFormat::GraphMl, "graphml", &["graphml", "xml"]),
    (GraphFormat::Gml, "gml", &["gml"]),
    (GraphFormat::Dagitty, "dagitty", &["dagitty"]),
    (GraphFormat::Tetrad, "tetrad", &["tetrad", "txt"]),
    (GraphFormat::Bnlearn, "bnlearn", &["bnlearn"]),
];

impl GraphFormat {
    /// The names by which they are asked for.
    pub const NAMES: [&'static str; FORMATS.len()] = {
        let mut names = [""; FORMATS.len()];
        let mut at = 0;
        while at < FORMATS.len() {
            names[at] = FORMATS[at].1;
            at += 1;
        }
        names
    };

    /// The format of a name.
    ///
    /// # Errors
    /// [`Error::Setting`] for a name that is none of [`NAMES`](Self::NAMES).
    pub fn by_name(name: &str) -> Result<Self, Error> {
        let found = FORMATS.iter().find(|format| format.1 == name);
        let reason = "it must be csv, json, dot, graphml, gml, dagitty, tetrad or bnlearn";
        found.map(|format| format.0).ok_or_else(|| Error::Setting {
            name: "format",
            value: name.to_owned(),
            reason,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|format| format.0 == self).map_or("", |format| format.1)
    }

    /// The format of a file, by the ending of its name: `txt` is Tetrad's, `gv` Graphviz's.
    ///
    /// # Errors
    /// [`Error::Setting`] for an ending that says nothing.
    pub fn of_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let ending =
            path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        let found = FORMATS.iter().find(|format| format.2.contains(&ending.as_str()));
        let reason = "its ending tells no format: .csv, .json, .dot, .graphml, .gml, .dagitty, .tetrad (.txt) or .bnlearn does";
        let unknown = || Error::Setting { name: "file name", value: path.display().to_string(), reason };
        found.map(|format| format.0).ok_or_else(unknown)
    }

    /// Whether it has a place for directions that are open.
    pub fn holds_open_directions(self) -> bool {
        !matches!(self, Self::Csv | Self::Bnlearn)
    }

    /// A graph as a text, the directions between some nodes being open; what the format has no place for, it leaves out.
    ///
    /// # Errors
    /// [`Error::Misfit`] for a name that the format cannot hold.
    pub fn text(self, graph: &NamedDag, is_open: impl Fn(usize, usize) -> bool) -> Result<String, Error> {
        Ok(match self {
            Self::Csv => {
                let mut text = Vec::new();
                write_graph_csv(graph, &mut text, "graph.csv")?;
                String::from_utf8_lossy(&text).into_owned()
            }
            Self::Json => document(graph, is_open),
            Self::Dot => to_dot(graph, is_open),
            Self::GraphMl => to_graphml(graph, is_open),
            Self::Gml => to_gml(graph, is_open),
            Self::Dagitty => to_dagitty(graph, is_open),
            Self::Tetrad => to_tetrad(graph, is_open)?,
            Self::Bnlearn => to_model_string(graph)?,
        })
    }
}

impl Claim {
    /// The graph as a text, with its open directions where the format has a place for them: see [`GraphFormat::holds_open_directions`].
    ///
    /// # Errors
    /// Those of [`GraphFormat::text`].
    pub fn write(&self, format: GraphFormat) -> Result<String, Error> {
        format.text(&self.graph, |from, to| self.is_open(from, to))
    }
}

fn document(graph: &NamedDag, is_open: impl Fn(usize, usize) -> bool) -> String {
    let mut document = GraphDocument::new(graph);
    let mut class = CpdagDocument::default();
    for ((from, to, _), edge) in graph.dag().edges().zip(&mut document.edges) {
        let pair = [edge.from.clone(), edge.to.clone()];
        if is_open(from, to) {
            edge.direction = Some(OPEN.to_owned());
            class.undirected.push(pair);
        } else {
            class.directed.push(pair);
        }
    }
    document.cpdag = Some(class);
    // Names and numbers always have a JSON.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}
