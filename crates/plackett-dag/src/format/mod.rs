//! Graph files. An adjacency matrix as CSV with a header of names, in which entry (row i, column j) other than zero is
//! the weight of i → j, and the JSON document that learning prints are ours; the texts of Tetrad and causal-learn, DOT, GraphML, GML,
//! DAGitty, bnlearn's model strings and the graphs of BIF files are read and written for others. Names carry the
//! meaning: two files may list the same nodes in different orders.

mod bnlearn;
mod claim;
mod dot;
mod gml;
mod graphml;
mod markup;
mod statements;
mod tetrad;
mod written;

pub use bnlearn::to_model_string;
pub use claim::Claim;
pub use dot::{cpdag_to_dot, to_dagitty, to_dot};
pub use gml::to_gml;
pub use graphml::to_graphml;
pub(crate) use tetrad::is_tetrad_graph;
pub use tetrad::{parse_graph_tetrad, to_tetrad};
pub use written::GraphFormat;

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cpdag::Cpdag;
use crate::error::{Error, Place, Problem};
use crate::graph::NamedDag;
use crate::network::BayesNet;
use crate::records::{Records, open};
use crate::text::number_text;

/// Reads a graph from a file, in whichever of the formats it is: see [`read_claim`]. Of edges whose direction is open, it has one.
///
/// # Errors
/// Those of [`read_claim`].
///
/// # Example
/// ```
/// let error = plackett_dag::format::read_graph("no-such-file.csv").unwrap_err();
/// assert!(error.to_string().starts_with("no-such-file.csv: "));
/// ```
pub fn read_graph(path: impl AsRef<Path>) -> Result<NamedDag, Error> {
    Ok(read_claim(path)?.graph)
}

/// Reads a graph and which of its directions are open from a file, in whichever of the formats it is: JSON if its name ends in `.json`
/// or its text begins with a brace, CSV if nothing else fits, and the others by how they begin.
///
/// # Errors
/// A file that cannot be read, and whatever [`parse_claim`] refuses.
///
/// # Example
/// ```
/// let error = plackett_dag::format::read_claim("no-such-file.dot").unwrap_err();
/// assert!(error.to_string().starts_with("no-such-file.dot: "));
/// ```
pub fn read_claim(path: impl AsRef<Path>) -> Result<Claim, Error> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let read = plackett::memory::read_text(open(path)?);
    let text = read.map_err(|problem| Error::Io { file: file.clone(), problem })?;
    parse_claim(&text, &file)
}

/// Reads a graph and which of its directions are open from a text, in whichever of the formats it is; `file` is what errors call it, and
/// how it ends counts.
///
/// # Errors
/// By file and, where there are such, by line: what does not follow its format, edges that are neither directed nor undirected, names that
/// are repeated, edges that make a cycle, and undirected ones that no DAG could direct without new arrows that meet.
///
/// # Example
/// ```
/// use plackett_dag::format::parse_claim;
///
/// for text in ["[a][c][b|a:c]", "dag { a -> b <- c }", "digraph { a -> b; c -> b }", "Graph Nodes:\na;b;c\n\nGraph Edges:\n1. a --> b\n2. c --> b\n"] {
///     let claim = parse_claim(text.as_bytes(), "the text")?;
///     assert_eq!((claim.graph.names().len(), claim.graph.dag().edge_count(), claim.class.undirected().len()), (3, 2, 0));
/// }
/// assert_eq!(parse_claim(b"pdag { a -- b }", "the text")?.class.undirected(), [(0, 1)]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn parse_claim(text: &[u8], file: &str) -> Result<Claim, Error> {
    let ends_in = |wanted: &str| {
        Path::new(file).extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
    };
    let bytes = without_mark(text);
    let start = bytes.trim_ascii_start();
    if ends_in("json") || (start.starts_with(b"{") && !ends_in("csv")) {
        return parse_claim_json(text, file);
    }
    if ends_in("csv") {
        return Ok(Claim::certain(parse_graph_csv(text, file)?));
    }
    let words = String::from_utf8_lossy(bytes);
    let head = statements::head(&words);
    if is_tetrad_graph(bytes) {
        tetrad::parse(&words, file)
    } else if start.starts_with(b"<") {
        graphml::parse(&words, file)
    } else if head.is_some_and(|(word, mark)| word == "graph" && mark == '[') || start.starts_with(b"Creator")
    {
        gml::parse(&words, file)
    } else if head.is_some() {
        statements::parse(&words, file)
    } else if start.starts_with(b"[") {
        bnlearn::parse(&words, file)
    } else if ends_in("bif") || start.starts_with(b"network ") || start.starts_with(b"variable ") {
        Ok(Claim::certain(BayesNet::from_bif(&words, file)?.graph().clone()))
    } else {
        Ok(Claim::certain(parse_graph_csv(text, file)?))
    }
}

/// Reads an adjacency matrix in CSV; `file` is what errors call it. A first column of row labels, under an empty field
/// of the header, is allowed if it repeats the header's names in their order.
///
/// # Errors
/// A matrix that is not square, a field that is not a finite number, names that are empty or repeated, and edges that
/// make a cycle; by file, line and column.
///
/// # Example
/// ```
/// let graph = plackett_dag::format::parse_graph_csv("a,b\n0,0.5\n0,0\n".as_bytes(), "graph.csv")?;
/// assert_eq!(graph.dag().weight(0, 1), 0.5);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn parse_graph_csv(reader: impl BufRead, file: &str) -> Result<NamedDag, Error> {
    let mut records = Records::new(reader, file);
    let mut names = records.read_names()?;
    let labels = usize::from(names.len() > 1 && names[0].is_empty());
    names.drain(..labels);
    records.check_names(&names)?;
    let nodes = names.len();
    let mut edges = Vec::new();
    let mut rows = 0;
    while records.advance_past_blanks()? {
        records.check_width(nodes + labels)?;
        if let Some(expected) = names.get(rows) {
            if labels == 1 && records.field(0, "1")? != expected {
                let found = records.field(0, "1")?.to_string();
                return Err(records.error(Some("1"), Problem::RowLabel { expected: expected.clone(), found }));
            }
            for (to, name) in names.iter().enumerate() {
                let weight = records.number(to + labels, name)?;
                if weight != 0.0 {
                    edges.push((rows, to, weight));
                }
            }
        }
        rows += 1;
    }
    if rows != nodes {
        return Err(records.error_at(None, None, Problem::NotSquare { columns: nodes, rows }));
    }
    NamedDag::from_edges(names, edges).map_err(|problem| in_file(records.file(), problem))
}

/// Reads a graph from the JSON of a [`GraphDocument`], of which only `edges` is needed; `file` is what errors call it.
///
/// # Errors
/// Text that is not such a document, an edge between names that `order` does not list, names that are empty or
/// repeated, and edges that are repeated or make a cycle.
///
/// # Example
/// ```
/// let text = br#"{"order": ["b", "a", "c"], "edges": [{"from": "b", "to": "a", "weight": 0.5}], "seconds": 2}"#;
/// let graph = plackett_dag::format::parse_graph_json(text, "graph.json")?;
/// assert_eq!(graph.names(), ["b", "a", "c"]);
/// assert!(graph.dag().has_edge(0, 1));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn parse_graph_json(text: &[u8], file: &str) -> Result<NamedDag, Error> {
    graph_document(text, file)?.to_graph().map_err(|problem| in_file(file, problem))
}

/// What a document that learning prints says of directions: edges whose `direction` is open are so.
fn parse_claim_json(text: &[u8], file: &str) -> Result<Claim, Error> {
    let document = graph_document(text, file)?;
    let graph = document.to_graph().map_err(|problem| in_file(file, problem))?;
    let place = |name: &String| graph.names().iter().position(|own| own == name);
    let is_open = |edge: &&EdgeDocument| edge.direction.as_deref() == Some(OPEN);
    let open = document.edges.iter().filter(is_open);
    let open: Vec<(usize, usize)> = open.filter_map(|edge| place(&edge.from).zip(place(&edge.to))).collect();
    Claim::open_in(&graph, |from, to| open.contains(&(from, to))).map_err(|problem| in_file(file, problem))
}

/// The `direction` of an edge that might as well point the other way.
const OPEN: &str = "open";

fn graph_document(text: &[u8], file: &str) -> Result<GraphDocument, Error> {
    serde_json::from_slice(without_mark(text)).map_err(|error| {
        // The reader's own message ends with the line and column of the text, which the place gives too.
        let line = Some(error.line() as u64).filter(|&line| line > 0);
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_string();
        let column = line.map(|_| error.column().to_string());
        Error::Content {
            place: Place { file: file.into(), line, column },
            problem: Problem::Json { message },
        }
    })
}

/// Writes the adjacency matrix in CSV; `file` is what errors call it.
///
/// # Errors
/// [`Error::Io`] if the writer fails; more entries than there is memory for.
///
/// # Example
/// ```
/// # use plackett_dag::{NamedDag, format::write_graph_csv};
/// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, -1.5)])?;
/// let mut text = Vec::new();
/// write_graph_csv(&graph, &mut text, "graph.csv")?;
/// assert_eq!(text, b"a,b\n0,-1.5\n0,0\n");
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn write_graph_csv(graph: &NamedDag, writer: impl Write, file: &str) -> Result<(), Error> {
    let failed = |problem: csv::Error| Error::Io { file: file.to_string(), problem: problem.into() };
    let nodes = graph.names().len();
    // A digit and a comma for each entry.
    plackett::memory::check("the adjacency matrix", 2 * (nodes as u128).pow(2))?;
    let mut writer = csv::Writer::from_writer(writer);
    writer.write_record(graph.names()).map_err(failed)?;
    for row in 0..nodes {
        let fields = (0..nodes).map(|column| number_text(graph.dag().weight(row, column)));
        writer.write_record(fields).map_err(failed)?;
    }
    writer.flush().map_err(|problem| Error::Io { file: file.to_string(), problem })
}

/// A graph as JSON has it: the part of the learning program's output that describes the graph. Flatten it into a
/// larger document, or serialize it alone.
///
/// # Example
/// ```
/// use plackett_dag::{NamedDag, format::GraphDocument};
///
/// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(1, 0, 2.0)])?;
/// let text = serde_json::to_string(&GraphDocument::new(&graph)).unwrap();
/// assert_eq!(
///     text,
///     r#"{"order":["b","a"],"edges":[{"from":"b","to":"a","weight":2.0}],"cpdag":{"directed":[],"undirected":[["a","b"]]}}"#
/// );
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphDocument {
    /// The names of the nodes, each parent before its children. Without it, a reader takes the names from the edges.
    #[serde(default)]
    pub order: Vec<String>,
    /// The edges.
    pub edges: Vec<EdgeDocument>,
    /// The CPDAG, for readers who want it; it follows from the edges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpdag: Option<CpdagDocument>,
}

/// One edge of a [`GraphDocument`].
///
/// # Example
/// ```
/// use plackett_dag::format::EdgeDocument;
///
/// let edge: EdgeDocument = serde_json::from_str(r#"{"from": "a", "to": "b"}"#).unwrap();
/// assert_eq!(edge.weight, 1.0);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeDocument {
    /// The tail's name.
    pub from: String,
    /// The head's name.
    pub to: String,
    /// The weight, 1 if it is left out.
    #[serde(default = "default_weight")]
    pub weight: f64,
    /// What the direction rests on, `open` if on nothing; not known if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
}

fn default_weight() -> f64 {
    1.0
}

/// The CPDAG of a [`GraphDocument`], by names.
///
/// # Example
/// ```
/// use plackett_dag::{Cpdag, Dag, format::CpdagDocument};
///
/// let names = ["a".to_string(), "b".to_string()];
/// let cpdag = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0]])?);
/// assert_eq!(CpdagDocument::new(&names, &cpdag).undirected, [["a", "b"]]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpdagDocument {
    /// The directed edges, `[from, to]`.
    pub directed: Vec<[String; 2]>,
    /// The undirected edges.
    pub undirected: Vec<[String; 2]>,
}

impl CpdagDocument {
    /// Describes a CPDAG whose node i has the name `names[i]`, or the number i where there are too few names.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Cpdag, Dag, format::CpdagDocument};
    /// let names = ["a", "b", "c"].map(String::from);
    /// let cpdag = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0, 2], vec![]])?);
    /// assert_eq!(CpdagDocument::new(&names, &cpdag).directed, [["a", "b"], ["c", "b"]]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(names: &[String], cpdag: &Cpdag) -> Self {
        let named = |edges: &[(usize, usize)]| {
            edges.iter().map(|&(a, b)| [name_of(names, a), name_of(names, b)]).collect::<Vec<_>>()
        };
        CpdagDocument { directed: named(cpdag.directed()), undirected: named(cpdag.undirected()) }
    }
}

impl GraphDocument {
    /// Describes a graph, with its topological order and its CPDAG.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{NamedDag, format::GraphDocument};
    /// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(1, 0, 2.0)])?;
    /// assert_eq!(GraphDocument::new(&graph).order, ["b", "a"]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(graph: &NamedDag) -> Self {
        let names = graph.names();
        let name = |node: usize| name_of(names, node);
        GraphDocument {
            order: graph.dag().topological_order().iter().map(|&node| name(node)).collect(),
            edges: graph
                .dag()
                .edges()
                .map(|(from, to, weight)| EdgeDocument {
                    from: name(from),
                    to: name(to),
                    weight,
                    direction: None,
                })
                .collect(),
            cpdag: Some(CpdagDocument::new(names, &Cpdag::of(graph.dag()))),
        }
    }

    /// The graph described, its nodes in the order of `order`, or of their first appearance where that is empty.
    ///
    /// # Errors
    /// An edge between names that `order` does not list, names that are empty or repeated, and edges that are repeated
    /// or make a cycle.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{NamedDag, format::GraphDocument};
    /// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, 2.0)])?;
    /// assert_eq!(GraphDocument::new(&graph).to_graph()?, graph);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn to_graph(&self) -> Result<NamedDag, Error> {
        let mut names = self.order.clone();
        let mut node_of: HashMap<String, usize> = names.iter().cloned().zip(0..).collect();
        let mut node = |name: &String| match node_of.get(name) {
            Some(&node) => Ok(node),
            None if self.order.is_empty() => {
                node_of.insert(name.clone(), names.len());
                names.push(name.clone());
                Ok(names.len() - 1)
            }
            None => Err(Error::UnknownName { name: name.clone() }),
        };
        let edges: Result<Vec<_>, Error> =
            self.edges.iter().map(|edge| Ok((node(&edge.from)?, node(&edge.to)?, edge.weight))).collect();
        NamedDag::from_edges(names, edges?)
    }
}

fn name_of(names: &[String], node: usize) -> String {
    names.get(node).cloned().unwrap_or_else(|| node.to_string())
}

/// Refuses names that a format of another program cannot hold.
fn check_plain(names: &[String], program: &str, marks: &[char]) -> Result<(), Error> {
    let is_plain =
        |name: &&String| !name.chars().any(|letter| letter.is_whitespace() || marks.contains(&letter));
    match names.iter().find(|name| !is_plain(name)) {
        None => Ok(()),
        Some(name) => {
            let reason = format!(
                "\"{}\" cannot be written for {program}: rename the column",
                crate::text::shown(name)
            );
            Err(Error::Misfit { setting: "name", reason })
        }
    }
}

/// What a text does not follow of its format.
fn fault(file: &str, line: Option<usize>, what: &'static str, message: impl Into<String>) -> Error {
    let place = Place { file: file.to_owned(), line: line.map(|line| line as u64), column: None };
    Error::Content { place, problem: Problem::GraphText { what, message: message.into() } }
}

fn in_file(file: &str, problem: Error) -> Error {
    Error::GraphFile { file: file.to_string(), problem: Box::new(problem) }
}

fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_dag;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    fn csv_message(text: &str) -> String {
        parse_graph_csv(text.as_bytes(), "g.csv").unwrap_err().to_string()
    }

    fn json_message(text: &str) -> String {
        parse_graph_json(text.as_bytes(), "g.json").unwrap_err().to_string()
    }

    #[test]
    fn faults_in_csv_are_named() {
        for (text, wanted) in [
            ("", "g.csv: the file is empty"),
            ("a,b\n0,1\n", "g.csv: the adjacency matrix has 2 columns and 1 rows; it must be square"),
            (
                "a,b\n0,1\n0,0\n0,0\n",
                "g.csv: the adjacency matrix has 2 columns and 3 rows; it must be square",
            ),
            ("a,b\n0,1\n0,0,0\n", "g.csv, line 3: the row has 3 fields, the header has 2"),
            ("a,b\n0,yes\n0,0\n", "g.csv, line 2, column \"b\": \"yes\" is not a number"),
            ("a,b\n0,1\n1,0\n", "g.csv: the graph has a cycle: a -> b -> a"),
            ("a,b\n0,0\n0,2\n", "g.csv: the graph has a cycle: b -> b"),
            ("a,a\n0,0\n0,2\n", "g.csv, line 1, column \"a\": two columns have this name"),
            (
                ",a,b\nb,0,0\na,0,0\n",
                "g.csv, line 2, column \"1\": the row is labeled \"b\", but the header's order makes it \"a\"",
            ),
        ] {
            assert_eq!(csv_message(text), wanted, "{text:?}");
        }
        assert!(csv_message("a;b\n0;1\n0;0\n").contains("separated by ';'"));
    }

    #[test]
    fn row_labels_are_accepted() {
        let graph = parse_graph_csv("\u{feff},a,b\r\na,0,0\r\nb,2,0\r\n".as_bytes(), "g.csv").unwrap();
        assert_eq!((graph.names(), graph.dag().weight(1, 0)), (&["a".to_string(), "b".to_string()][..], 2.0));
    }

    #[test]
    fn faults_in_json_are_named() {
        for (text, wanted) in [
            (
                "{\n\"edges\": 3}",
                "g.json, line 2, column \"10\": not a graph in JSON: invalid type: integer `3`, expected a sequence",
            ),
            ("{}", "g.json, line 1, column \"2\": not a graph in JSON: missing field `edges`"),
            (
                r#"{"order": ["a"], "edges": [{"from": "a", "to": "b"}]}"#,
                "g.json: an edge uses the name \"b\", which is not in `order`",
            ),
            (
                r#"{"edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "c", "to": "a"}]}"#,
                "g.json: the graph has a cycle: a -> b -> c -> a",
            ),
            (
                r#"{"edges": [{"from": "a", "to": "b"}, {"from": "a", "to": "b"}]}"#,
                "g.json: the edge a -> b is given twice",
            ),
            (
                r#"{"edges": [{"from": "a", "to": "b", "weight": 0}]}"#,
                "g.json: the edge a -> b has weight 0; it must be finite and not zero",
            ),
            (r#"{"order": ["a", "a"], "edges": []}"#, "g.json: two nodes are named \"a\""),
        ] {
            assert_eq!(json_message(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn files_of_both_kinds_compare_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("truth.csv"), "a,b,c\n0,1,0\n0,0,0\n0,0,0\n").unwrap();
        let text =
            "\u{feff} {\"order\": [\"c\", \"b\", \"a\"], \"edges\": [{\"from\": \"b\", \"to\": \"a\"}]}";
        std::fs::write(path("estimate"), text).unwrap();
        let (truth, estimate) =
            (read_graph(path("truth.csv")).unwrap(), read_graph(path("estimate")).unwrap());
        let found = truth.compare(&estimate).unwrap();
        assert_eq!((found.shd, found.reversed, found.shd_cpdag, found.sid), (1, 1, 0, 2));
        let error = read_graph(path("missing.json")).unwrap_err();
        assert!(error.to_string().contains("missing.json"));
    }

    /// A random graph some of whose open edges are open indeed.
    fn claim_of(names: Vec<String>, density: f64, seed: u64) -> Claim {
        let dag = random_dag(names.len(), density, &mut ChaCha8Rng::seed_from_u64(seed));
        let class = Cpdag::of_known(&dag, |from, to| (from + to) % 3 == 0);
        let open = |from: usize, to: usize| class.undirected().contains(&(from.min(to), from.max(to)));
        Claim::open_in(&NamedDag::new(names, dag).unwrap(), open).unwrap()
    }

    #[test]
    fn what_others_write_is_read() {
        let edges = |text: &str| -> Vec<(String, String)> {
            let claim = parse_claim(text.as_bytes(), "g").unwrap();
            let name = |node: usize| claim.graph.names()[node].clone();
            let arrows = claim.class.directed().iter().map(|&(from, to)| (name(from), name(to)));
            let open = claim.class.undirected().iter().map(|&(a, b)| (format!("{} -", name(a)), name(b)));
            arrows.chain(open).collect()
        };
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect()
        };
        // As networkx and pydot write DOT, with attributes of the graph and of all nodes.
        let dot = "strict digraph \"g\" {\ngraph [bb=\"0,0,1,2\"];\nnode [shape=box];\n# a remark\na [label=\"A\"];\na -> b -> c [weight=2];\nd -> c [dir=back]; rankdir=LR\n}";
        assert_eq!(edges(dot), pairs(&[("a", "b"), ("b", "c"), ("c", "d")]));
        assert_eq!(edges("graph { a -- b }"), pairs(&[("a -", "b")]));
        assert_eq!(
            edges("digraph { {a b} -> c; subgraph cluster_1 { d -> c } }"),
            pairs(&[("a", "c"), ("b", "c"), ("d", "c")])
        );
        // As dagitty.net gives it.
        let dagitty = "dag {\nbb=\"0,0,1,1\"\nE [exposure,pos=\"-1,0\"]\nD [outcome,pos=\"1,0\"]\nZ [pos=\"0,1\"]\nE -> D\nZ -> D\nZ -> E\n}";
        assert_eq!(edges(dagitty), pairs(&[("E", "D"), ("Z", "E"), ("Z", "D")]));
        assert_eq!(edges("dag{ x <- y ; y -> z }"), pairs(&[("y", "x"), ("y", "z")]));
        // As networkx writes GraphML and GML, and as DoWhy's manual does.
        let graphml = "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\" />\n<graph edgedefault=\"directed\"><node id=\"a &amp; b\" />\n<node id=\"c\"/><edge source=\"c\" target=\"a &amp; b\"><data key=\"d0\">2.5</data></edge></graph></graphml>";
        assert_eq!(edges(graphml), pairs(&[("c", "a & b")]));
        assert_eq!(parse_claim(graphml.as_bytes(), "g").unwrap().graph.dag().weight(1, 0), 2.5);
        let gml = "graph[directed 1 node[id \"Z\" label \"Z\"] node[id \"v\" label \"v\"] edge[source \"Z\" target \"v\"]]";
        assert_eq!(edges(gml), pairs(&[("Z", "v")]));
        // As bnlearn prints it.
        assert_eq!(
            edges("[A][S][T|A][L|S][B|S][E|T:L]"),
            pairs(&[("A", "T"), ("S", "L"), ("S", "B"), ("T", "E"), ("L", "E")])
        );
        // As Tetrad and causal-learn save it.
        let tetrad = "Graph Nodes:\nX1;X2;X3\n\nGraph Edges:\n1. X1 --- X2\n2. X3 <-- X2\n\nGraph Attributes:\nscore: 3\n";
        assert_eq!(edges(tetrad), pairs(&[("X2", "X3"), ("X1 -", "X2")]));
    }

    #[test]
    fn faults_in_other_formats_are_named() {
        let message = |text: &str| parse_claim(text.as_bytes(), "g").unwrap_err().to_string();
        assert_eq!(message("digraph {\na -> b\nb -> a }"), "g: the graph has a cycle: a -> b -> a");
        assert_eq!(
            message("dag {\na <-> b }"),
            "g, line 2: this is no graph that can be read (DAGitty): the edge a <-> b is neither directed nor undirected"
        );
        assert!(message("[a|b]").contains("\"b\" is a parent and no node"));
        assert!(message("[a][b|a").contains("a bracket is never closed"));
        assert!(
            message("<graphml><graph><edge source=\"a\"/></graph></graphml>")
                .contains("an edge has no target")
        );
        assert!(message("graph [ node [ id 1 ] edge [ source 1 target 2 ] ]").contains("there is no node 2"));
        assert!(message("graph { a -- b -- c -- d -- a }").contains("stands for no directed acyclic graph"));
        assert!(message("digraph { a -> ").contains("ends where"));
    }

    proptest! {
        #[test]
        fn graphs_survive_csv_and_json(
            names in proptest::collection::hash_set("[a-z][ -~é]{0,5}[a-z]", 1..9),
            density in 0.0..1.0,
            seed: u64,
        ) {
            let names: Vec<String> = names.into_iter().collect();
            let dag = random_dag(names.len(), density, &mut ChaCha8Rng::seed_from_u64(seed));
            let graph = NamedDag::new(names, dag).unwrap();
            let mut text = Vec::new();
            write_graph_csv(&graph, &mut text, "g.csv").unwrap();
            prop_assert_eq!(&parse_graph_csv(text.as_slice(), "g.csv").unwrap(), &graph);
            let text = serde_json::to_vec_pretty(&GraphDocument::new(&graph)).unwrap();
            let read = parse_graph_json(&text, "g.json").unwrap();
            prop_assert_eq!(&read.aligned_to(graph.names()).unwrap(), &graph);
            prop_assert_eq!(to_dot(&graph, |_, _| false).lines().count(), 2 + graph.names().len() + graph.dag().edge_count());
        }

        #[test]
        fn claims_survive_every_format_that_can_hold_them(
            names in proptest::collection::hash_set("[a-z][ -~é\u{4e00}]{0,5}[a-z]", 1..9),
            density in 0.0..1.0,
            seed: u64,
        ) {
            let claim = claim_of(names.into_iter().collect(), density, seed);
            let (graph, is_open) = (&claim.graph, |from: usize, to: usize| claim.is_open(from, to));
            for (text, keeps_direction) in [
                (to_dot(graph, is_open), true),
                (to_graphml(graph, is_open), true),
                (to_gml(graph, is_open), true),
                (to_dagitty(graph, is_open), false),
            ] {
                let read = parse_claim(text.as_bytes(), "g").unwrap();
                prop_assert_eq!(read.graph.names(), graph.names(), "{}", text);
                prop_assert_eq!(&read.class, &claim.class, "{}", text);
                if keeps_direction {
                    prop_assert_eq!(&read.graph, graph, "{}", text);
                }
            }
        }

        #[test]
        fn graphs_of_plain_names_survive_the_formats_of_others(
            names in proptest::collection::hash_set("[a-zA-Z][a-zA-Z0-9_.]{0,5}", 1..9),
            density in 0.0..1.0,
            seed: u64,
        ) {
            let claim = claim_of(names.into_iter().collect(), density, seed);
            let text = to_tetrad(&claim.graph, |from, to| claim.is_open(from, to)).unwrap();
            let read = parse_claim(text.as_bytes(), "g.txt").unwrap();
            prop_assert_eq!((read.graph.names(), &read.class), (claim.graph.names(), &claim.class));
            let read = parse_claim(to_model_string(&claim.graph).unwrap().as_bytes(), "g.txt").unwrap();
            prop_assert_eq!(read.graph.names(), claim.graph.names());
            let edges = |graph: &NamedDag| graph.dag().edges().map(|(from, to, _)| (from, to)).collect::<Vec<_>>();
            prop_assert_eq!(edges(&read.graph), edges(&claim.graph));
        }

        #[test]
        fn no_text_makes_a_reader_of_other_formats_panic(
            head in prop_oneof!["digraph \\{", "dag \\{", "graph \\[", "<graphml>", "\\[", "Graph Nodes:", ""],
            text in "[ab1 \n\\[\\]{}<>=/\"';:,&#|.-]{0,60}",
        ) {
            let _ = parse_claim(format!("{head}{text}").as_bytes(), "g");
        }

        #[test]
        fn no_text_makes_a_reader_panic(text in "[a01.,;\"\n\r {}\\[\\]:-]{0,60}") {
            let _ = parse_graph_csv(text.as_bytes(), "g");
            let _ = parse_graph_json(text.as_bytes(), "g");
        }
    }
}
