//! Graph files: an adjacency matrix as CSV with a header of names, in which entry (row i, column j) other than zero is
//! the weight of i → j; the JSON document that learning prints; the text that Tetrad saves; and DOT for pictures. Names carry the
//! meaning: two files may list the same nodes in different orders.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cpdag::Cpdag;
use crate::error::{Error, Place, Problem};
use crate::graph::NamedDag;
use crate::records::{Records, open};
use crate::text::number_text;

/// Reads a graph from a file: JSON if its name ends in `.json` or its text begins with a brace, Tetrad's text if it begins as that
/// does, CSV otherwise.
///
/// # Errors
/// A file that cannot be read, and whatever [`parse_graph_json`], [`parse_graph_tetrad`] and [`parse_graph_csv`] refuse.
///
/// # Example
/// ```
/// let error = plackett_dag::format::read_graph("no-such-file.csv").unwrap_err();
/// assert!(error.to_string().starts_with("no-such-file.csv: "));
/// ```
pub fn read_graph(path: impl AsRef<Path>) -> Result<NamedDag, Error> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let mut text = Vec::new();
    let read = std::io::Read::read_to_end(&mut open(path)?, &mut text);
    read.map_err(|problem| Error::Io { file: file.clone(), problem })?;
    let ends_in =
        |wanted: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted));
    let begins_with_brace = without_mark(&text).trim_ascii_start().starts_with(b"{");
    if ends_in("json") || (begins_with_brace && !ends_in("csv")) {
        parse_graph_json(&text, &file)
    } else if is_tetrad_graph(without_mark(&text)) {
        parse_graph_tetrad(&String::from_utf8_lossy(without_mark(&text)), &file)
    } else {
        parse_graph_csv(text.as_slice(), &file)
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
    let document: GraphDocument = serde_json::from_slice(without_mark(text)).map_err(|error| {
        // The reader's own message ends with the line and column of the text, which the place gives too.
        let line = Some(error.line() as u64).filter(|&line| line > 0);
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_string();
        let column = line.map(|_| error.column().to_string());
        Error::Content {
            place: Place { file: file.into(), line, column },
            problem: Problem::Json { message },
        }
    })?;
    document.to_graph().map_err(|problem| in_file(file, problem))
}

/// How the text of a graph that Tetrad has saved begins, and where its edges do.
const TETRAD: (&str, &str) = ("Graph Nodes:", "Graph Edges:");

/// Whether a text begins as a graph that Tetrad has saved does.
pub(crate) fn is_tetrad_graph(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(TETRAD.0.as_bytes())
}

/// Reads a graph as Tetrad saves it, the names of the nodes and then a line `1. a --> b` for each edge; `file` is what errors call
/// it. Edges weigh one.
///
/// # Errors
/// By file and line: what is no edge, or one that is not directed; names that are not listed, and edges that make a cycle.
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
    let mut names: Vec<String> = Vec::new();
    let mut edges = Vec::new();
    let mut is_among_edges = false;
    for (at, line) in text.lines().enumerate().map(|(at, line)| (at, line.trim())) {
        if line.is_empty() || line == TETRAD.0 {
            continue;
        }
        if !is_among_edges {
            is_among_edges = line == TETRAD.1;
            if !is_among_edges {
                names.extend(line.split([';', ',']).map(|name| name.trim().to_owned()));
            }
            continue;
        }
        let edge = line.split_once(". ").and_then(|(_, edge)| edge.split_once(" --> "));
        let Some((from, to)) = edge else {
            // Attributes of the graph may follow its edges.
            if line.starts_with(|first: char| first.is_ascii_digit()) {
                let place = Place { file: file.into(), line: Some(at as u64 + 1), column: None };
                return Err(Error::Content { place, problem: Problem::NotAnEdge { text: line.to_owned() } });
            }
            break;
        };
        let known = |name: &str| {
            let place = names.iter().position(|other| other == name.trim());
            place.ok_or_else(|| in_file(file, Error::UnknownName { name: name.trim().to_owned() }))
        };
        edges.push((known(from)?, known(to)?, 1.0));
    }
    NamedDag::from_edges(names, edges).map_err(|problem| in_file(file, problem))
}

/// Writes the adjacency matrix in CSV; `file` is what errors call it.
///
/// # Errors
/// [`Error::Io`] if the writer fails.
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
                .map(|(from, to, weight)| EdgeDocument { from: name(from), to: name(to), weight })
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

/// A graph in the DOT language, its edges labeled with their weights unless all of them are 1. Edges whose direction is
/// open, as `is_open(from, to)` tells, have no arrowheads.
///
/// # Example
/// ```
/// # use plackett_dag::{NamedDag, format::to_dot};
/// let graph = NamedDag::from_edges(vec!["a".into(), "the \"b\"".into()], [(0, 1, -0.5)])?;
/// assert_eq!(
///     to_dot(&graph, |_, _| false),
///     "digraph {\n  \"a\";\n  \"the \\\"b\\\"\";\n  \"a\" -> \"the \\\"b\\\"\" [label=\"-0.5\"];\n}\n"
/// );
/// assert!(to_dot(&graph, |_, _| true).contains("[label=\"-0.5\", dir=none]"));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn to_dot(graph: &NamedDag, is_open: impl Fn(usize, usize) -> bool) -> String {
    let weighted = graph.dag().edges().any(|(_, _, weight)| weight != 1.0);
    let edges = graph.dag().edges().map(|(from, to, weight)| {
        let label = weighted.then(|| format!("label=\"{}\"", short_number(weight)));
        let head = is_open(from, to).then(|| "dir=none".to_owned());
        let attributes: Vec<String> = label.into_iter().chain(head).collect();
        let text =
            if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        (from, to, text)
    });
    dot(graph.names(), edges)
}

/// A CPDAG in the DOT language, undirected edges without arrowheads; node i has the name `names[i]`, or the number i
/// where there are too few names.
///
/// # Example
/// ```
/// # use plackett_dag::{Cpdag, Dag, format::cpdag_to_dot};
/// let cpdag = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0]])?);
/// let text = cpdag_to_dot(&["a".into(), "b".into()], &cpdag);
/// assert_eq!(text, "digraph {\n  \"a\";\n  \"b\";\n  \"a\" -> \"b\" [dir=none];\n}\n");
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn cpdag_to_dot(names: &[String], cpdag: &Cpdag) -> String {
    let names: Vec<String> = (0..cpdag.nodes()).map(|node| name_of(names, node)).collect();
    let directed = cpdag.directed().iter().map(|&(from, to)| (from, to, String::new()));
    let undirected = cpdag.undirected().iter().map(|&(a, b)| (a, b, " [dir=none]".to_string()));
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

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', ""))
}

/// Three significant digits, which is what fits beside an arrow.
fn short_number(value: f64) -> String {
    number_text(format!("{value:.2e}").parse().unwrap_or(value))
}

fn name_of(names: &[String], node: usize) -> String {
    names.get(node).cloned().unwrap_or_else(|| node.to_string())
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

    #[test]
    fn labels_have_three_digits() {
        for (value, wanted) in
            [(1.0, "1"), (-12.345, "-12.3"), (1234.5, "1230"), (0.012_345, "0.0123"), (1e-9, "1e-9")]
        {
            assert_eq!(short_number(value), wanted);
        }
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
        fn no_text_makes_a_reader_panic(text in "[a01.,;\"\n\r {}\\[\\]:-]{0,60}") {
            let _ = parse_graph_csv(text.as_bytes(), "g");
            let _ = parse_graph_json(text.as_bytes(), "g");
        }
    }
}
