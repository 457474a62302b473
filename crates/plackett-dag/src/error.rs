//! What can go wrong, as one enum for the crate: a caller may match on the kind, a reader sees the file, the line and
//! the column, or the names of the nodes concerned.

use std::fmt;

use crate::finding::{Finding, in_file};
use crate::text::{listed, shown};

/// Everything that can go wrong in this crate.
///
/// # Example
/// ```
/// use plackett_dag::{Dag, Error};
///
/// let error = Dag::from_parents(vec![vec![2], vec![0], vec![1]]).unwrap_err();
/// assert!(matches!(error, Error::Cycle { .. }));
/// assert_eq!(error.to_string(), "the graph has a cycle: 0 -> 1 -> 2 -> 0");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The gradient engine refused a setting.
    #[error(transparent)]
    Engine(#[from] plackett::Error),
    /// An iteration left the finite numbers.
    #[error(
        "the objective is not finite at step {step}: the data may be scaled beyond what doubles can hold"
    )]
    Diverged {
        /// The step, counted from one.
        step: usize,
    },
    /// A file could not be opened, read or written.
    #[error("{file}: {problem}")]
    Io {
        /// The file as the caller named it.
        file: String,
        /// What the operating system said.
        problem: std::io::Error,
    },
    /// The content of a file is not what it should be.
    #[error("{place}: {problem}")]
    Content {
        /// Where in which file.
        place: Place,
        /// What is wrong there.
        problem: Problem,
    },
    /// A file is well formed but does not describe a graph.
    #[error("{file}: {problem}")]
    GraphFile {
        /// The file as the caller named it.
        file: String,
        /// What is wrong with the graph.
        problem: Box<Error>,
    },
    /// The edges contain a cycle.
    #[error("the graph has a cycle: {}", cycle_text(nodes))]
    Cycle {
        /// The nodes of one cycle, each an arrow's tail to the next, the last one's arrow leading to the first.
        nodes: Vec<String>,
    },
    /// An edge names a node that does not exist.
    #[error("node {node} does not exist in a graph of {nodes} nodes (0 to {})", nodes.saturating_sub(1))]
    NoSuchNode {
        /// The index given.
        node: usize,
        /// The number of nodes of the graph.
        nodes: usize,
    },
    /// An edge is given twice.
    #[error("the edge {from} -> {to} is given twice")]
    RepeatedEdge {
        /// The edge's tail.
        from: String,
        /// The edge's head.
        to: String,
    },
    /// An edge's weight is zero, infinite or not a number.
    #[error("the edge {from} -> {to} has weight {weight}; it must be finite and not zero")]
    BadWeight {
        /// The edge's tail.
        from: String,
        /// The edge's head.
        to: String,
        /// The weight given.
        weight: f64,
    },
    /// An adjacency matrix does not have one row and one column per node.
    #[error("an adjacency matrix of {nodes} nodes has {nodes} times {nodes} entries, not {entries}")]
    NotSquare {
        /// The number of nodes.
        nodes: usize,
        /// The number of entries given.
        entries: usize,
    },
    /// The number of names differs from the number of nodes.
    #[error("{names} names for {nodes} nodes")]
    NameCount {
        /// The number of names.
        names: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// Two nodes have the same name.
    #[error("two nodes are named \"{name}\"")]
    RepeatedName {
        /// The name.
        name: String,
    },
    /// A node's name is empty.
    #[error("node {node} has no name")]
    NoName {
        /// The node's index.
        node: usize,
    },
    /// An edge uses a name that is not in the list of nodes.
    #[error("an edge uses the name \"{name}\", which is not in `order`")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// Two graphs to be compared have different numbers of nodes.
    #[error("the true graph has {truth} nodes, the estimate {estimate}")]
    NodeCount {
        /// Nodes of the true graph.
        truth: usize,
        /// Nodes of the estimate.
        estimate: usize,
    },
    /// Two graphs to be compared have nodes of different names.
    #[error("the graphs have different nodes: {}", difference_text(only_truth, only_estimate))]
    DifferentNames {
        /// Names that only the true graph has.
        only_truth: Vec<String>,
        /// Names that only the estimate has.
        only_estimate: Vec<String>,
    },
    /// A graph cannot be learned from the data as they are.
    #[error("{}", in_file(file, &faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")))]
    Unfit {
        /// The file, or what stands for it.
        file: String,
        /// All that stands in the way.
        faults: Vec<Finding>,
    },
    /// The caller names columns that the data do not have.
    #[error("there is no column {}; there are {}", listed(names), listed(known))]
    NoSuchColumn {
        /// Names that are not there.
        names: Vec<String>,
        /// Those that are.
        known: Vec<String>,
    },
    /// A table's number of values is not a multiple of its number of columns.
    #[error("{values} values do not fill rows of {columns} columns")]
    TableShape {
        /// The number of columns.
        columns: usize,
        /// The number of values.
        values: usize,
    },
    /// The data have no columns or no rows.
    #[error("the data are empty: at least one row and one column are needed")]
    Empty,
    /// A row has the wrong number of values.
    #[error("row {row} has {found} values where {expected} are expected")]
    RowLength {
        /// Row, counted from zero.
        row: usize,
        /// Number of values a row must have.
        expected: usize,
        /// Number of values found.
        found: usize,
    },
    /// A value is infinite or not a number.
    #[error("the value in row {row}, column {column} is not a finite number")]
    NotFinite {
        /// Row, counted from zero.
        row: usize,
        /// Column, counted from zero.
        column: usize,
    },
    /// Two inputs that must speak of the same nodes do not.
    #[error("{what} has size {found} where {expected} is expected")]
    Size {
        /// Which input.
        what: &'static str,
        /// Size it must have.
        expected: usize,
        /// Size it has.
        found: usize,
    },
    /// A matrix that must be symmetric with a non-negative diagonal is not, or has an entry that is not finite.
    #[error("entry ({row}, {column}) of the Gram matrix is not finite, not symmetric or a negative square")]
    NotGram {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
    },
    /// A list of nodes is not a permutation of `0..nodes`.
    #[error("an order must list each of the {nodes} nodes once; position {position} does not fit")]
    NotAnOrder {
        /// Number of nodes.
        nodes: usize,
        /// First position at fault.
        position: usize,
    },
    /// A setting is outside its range.
    #[error("{name} is {value}: {reason}")]
    Setting {
        /// The setting's name.
        name: &'static str,
        /// The value given.
        value: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Categorical data have more rows than can be counted.
    #[error("{rows} rows are more than the {most} that categorical data may have")]
    TooManyRows {
        /// The number of rows.
        rows: usize,
        /// The most there may be.
        most: usize,
    },
    /// Categories have more distinct rows than statistics hold.
    #[error(
        "after {rows} rows there are {most} different ones, the most that statistics hold: leave columns out, or learn from \
         the rows"
    )]
    TooManyDistinctRows {
        /// Rows that were counted.
        rows: usize,
        /// The most distinct ones there may be.
        most: usize,
    },
    /// Data do not have the columns that they should have.
    #[error("the columns are not those expected: {}", column_difference_text(missing, extra))]
    ColumnNames {
        /// Names that should be there.
        missing: Vec<String>,
        /// Names that should not be there.
        extra: Vec<String>,
    },
    /// A category occurs that is not known for its column.
    #[error("column \"{column}\" has the category \"{category}\", which is none of {}", listed(known))]
    UnknownCategory {
        /// The column's name.
        column: String,
        /// The category.
        category: String,
        /// The categories that are known.
        known: Vec<String>,
    },
    /// A node of a Bayesian network has states or probabilities that make no sense.
    #[error("node \"{node}\": {problem}")]
    NetworkNode {
        /// The node's name.
        node: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A node of a graph cannot be fitted to the data.
    #[error("column \"{}\": {problem}", shown(node))]
    Fit {
        /// The node's name.
        node: String,
        /// Why not.
        problem: String,
    },
    /// A question about a graph or a model has no answer.
    #[error("{reason}")]
    Question {
        /// Why not.
        reason: String,
    },
    /// Inference would need tables that do not fit in the memory allowed.
    #[error("the tables that this takes need {needed_bytes} bytes, more than the {allowed_bytes} allowed")]
    Inference {
        /// Bytes that they would need.
        needed_bytes: u128,
        /// Bytes allowed.
        allowed_bytes: usize,
    },
    /// No network is brought along under the name.
    #[error("there is no network named \"{name}\"; known are {known}")]
    UnknownNetwork {
        /// Name asked for.
        name: String,
        /// Names that exist, separated by commas.
        known: String,
    },
    /// A setting does not fit the others, or the data.
    #[error("{setting} {reason}")]
    Misfit {
        /// The name of the setting.
        setting: &'static str,
        /// Why not.
        reason: String,
    },
    /// What is said to be known of the graph contradicts itself, or speaks of what is not there.
    #[error("{}", problems.join("; "))]
    Knowledge {
        /// All that is wrong.
        problems: Vec<String>,
    },
    /// No method is registered under the name.
    #[error("there is no method named `{name}`; known are {known}")]
    UnknownMethod {
        /// Name asked for.
        name: String,
        /// Names that exist, separated by commas.
        known: String,
    },
    /// No score is registered under the name.
    #[error("there is no score named `{name}`; known are {known}")]
    UnknownScore {
        /// Name asked for.
        name: String,
        /// Names that exist, separated by commas.
        known: String,
    },
    /// Tables over all subsets of the nodes do not fit in the memory allowed.
    #[error(
        "{nodes} nodes need {needed_bytes} bytes for the tables over subsets, more than the {allowed_bytes} allowed"
    )]
    Memory {
        /// Number of nodes.
        nodes: usize,
        /// Bytes the tables would need.
        needed_bytes: u128,
        /// Bytes allowed.
        allowed_bytes: usize,
    },
}

/// A place in a file: the file, and the line and column where they are known.
///
/// # Example
/// ```
/// use plackett_dag::error::Place;
///
/// let place = Place { file: "data.csv".into(), line: Some(3), column: Some("age".into()) };
/// assert_eq!(place.to_string(), "data.csv, line 3, column \"age\"");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the caller named it.
    pub file: String,
    /// The line in the file, the first being 1.
    pub line: Option<u64>,
    /// The column's name, or its number where it has no name.
    pub column: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column \"{}\"", shown(column))?;
        }
        Ok(())
    }
}

/// What is wrong at a [`Place`].
///
/// # Example
/// ```
/// use plackett_dag::{Error, error::Problem, format::parse_graph_csv};
///
/// let error = parse_graph_csv("a,b\n0,1\n0,NA\n".as_bytes(), "graph.csv").unwrap_err();
/// let Error::Content { place, problem } = error else { panic!("another kind of error") };
/// assert_eq!((place.line, place.column.as_deref()), (Some(3), Some("b")));
/// assert_eq!(problem, Problem::Missing { text: "NA".into() });
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// There is nothing in the file.
    #[error("the file is empty")]
    Empty,
    /// There is a header and no row.
    #[error("the file has a header and no rows")]
    NoRows,
    /// A column of the header has no name.
    #[error("the column has no name")]
    NoName,
    /// Two columns have the same name.
    #[error("two columns have this name")]
    RepeatedName,
    /// A row has too few or too many fields.
    #[error("the row has {found} field{}, the header has {expected}", if *found == 1 { "" } else { "s" })]
    Ragged {
        /// Fields of the header.
        expected: usize,
        /// Fields of the row.
        found: usize,
    },
    /// A field is not a number.
    #[error("\"{}\" is not a number", shown(text))]
    NotANumber {
        /// The field.
        text: String,
    },
    /// A field is empty or says that its value is missing.
    #[error("the value is missing ({})", if text.is_empty() { "empty field".to_owned() } else { shown(text) })]
    Missing {
        /// The field.
        text: String,
    },
    /// A field is infinite or too large for a double.
    #[error("{text} is not a finite number")]
    Infinite {
        /// The field.
        text: String,
    },
    /// The file seems to use another delimiter than a comma.
    #[error("the fields seem to be separated by {}, but a comma is expected", delimiter_name(*delimiter))]
    Delimiter {
        /// The delimiter that the file seems to use.
        delimiter: char,
    },
    /// A quoted field has no end.
    #[error("a quotation mark is never closed")]
    OpenQuote,
    /// The file is no text, or none that is a table.
    #[error("this is {what}: tables are read as text with a row per line (save or export it as CSV)")]
    NotText {
        /// What it is.
        what: String,
    },
    /// The file says what is known of a graph.
    #[error(
        "this file says what is known of a graph, and has no data (give it beside the data, by --knowledge or knowledge=)"
    )]
    IsKnowledge,
    /// The file holds a graph.
    #[error(
        "this file is a graph as Tetrad saves it, and has no data (it can be compared with another by evaluate, and fitted to data by fit)"
    )]
    IsGraph,
    /// A line is no edge.
    #[error(
        "\"{}\" is neither a directed edge as in \"1. a --> b\" nor an undirected one as in \"1. a --- b\"",
        crate::text::shown(text)
    )]
    NotAnEdge {
        /// The line.
        text: String,
    },
    /// A covariance matrix is not written as it should be.
    #[error(
        "this is no covariance matrix: {message} (a number of rows, names, and a triangle of numbers are needed)"
    )]
    Covariance {
        /// What is wrong.
        message: String,
    },
    /// A file has a format that this build does not read.
    #[error(
        "this is {what}, and this program was built without it: the released programs and the Python package have it, `cargo \
         install plackett-cli --features {feature}` builds it in, and as CSV it is read by any"
    )]
    NotBuiltIn {
        /// What it is.
        what: &'static str,
        /// The feature that reads it.
        feature: &'static str,
    },
    /// A format is not read from a pipe.
    #[error("this is {what}, which is read from a file, not from a pipe")]
    NotFromPipe {
        /// What it is.
        what: &'static str,
    },
    /// A Parquet file is damaged or out of the ordinary.
    #[error("the Parquet file cannot be read: {message}")]
    Parquet {
        /// What is wrong.
        message: String,
    },
    /// An Arrow file is damaged or out of the ordinary.
    #[error("the Arrow file cannot be read: {message}")]
    Arrow {
        /// What is wrong.
        message: String,
    },
    /// Columns have types that are neither numbers nor texts.
    #[error("{} {} of a type that is neither numbers, truth values nor texts: leave out what is not needed", listed(columns), if columns.len() == 1 { "is" } else { "are" })]
    ColumnTypes {
        /// Their names.
        columns: Vec<String>,
    },
    /// An Excel workbook is damaged or empty.
    #[error("the workbook cannot be read: {message}")]
    Workbook {
        /// What is wrong.
        message: String,
    },
    /// A file of statistics cannot be used.
    #[error("these are no statistics that can be used: {message}")]
    Statistics {
        /// What is wrong.
        message: String,
    },
    /// Rows that must be held do not fit in the memory for them.
    #[error(
        "after {rows} rows they take more than the {} MiB that are allowed; rows need not be held \
         where columns have at most 256 categories, numbers are not cut, and missing values are refused or left out (memory allows more)",
        most >> 20
    )]
    Memory {
        /// Rows that were read.
        rows: usize,
        /// Bytes that are allowed.
        most: usize,
    },
    /// The run was over before the data were read and summed up.
    #[error(
        "there was no time for more than {rows} rows{}: allow more, as nothing is learned from a part of the data",
        if *are_all { ", which are all, and their sums" } else { "" }
    )]
    OutOfTime {
        /// Rows that were read.
        rows: usize,
        /// Whether there are no others.
        are_all: bool,
    },
    /// The text is not UTF-8.
    #[error("the text is not encoded as UTF-8")]
    Encoding,
    /// A category cannot be written because its name is that of a missing value.
    #[error(
        "the category \"{text}\" would be read as a missing value; it can be a category where something else is said to stand for missing values (--na), in writing and in reading"
    )]
    ReadsAsMissing {
        /// The category.
        text: String,
    },
    /// An adjacency matrix has another number of rows than of columns.
    #[error("the adjacency matrix has {columns} columns and {rows} rows; it must be square")]
    NotSquare {
        /// Names in the header.
        columns: usize,
        /// Rows after the header.
        rows: usize,
    },
    /// A row of an adjacency matrix is labeled with another name than the header says.
    #[error("the row is labeled \"{found}\", but the header's order makes it \"{expected}\"")]
    RowLabel {
        /// The name in the header.
        expected: String,
        /// The label in the file.
        found: String,
    },
    /// The description of a Bayesian network does not follow its format, or contradicts itself.
    #[error("{message}")]
    Network {
        /// What is wrong.
        message: String,
    },
    /// A file is no fitted model, or one of another version.
    #[error("this is no model that can be read: {message}")]
    Model {
        /// What is wrong.
        message: String,
    },
    /// A text does not describe a graph as its format has it.
    #[error("this is no graph that can be read ({what}): {message}")]
    GraphText {
        /// The format.
        what: &'static str,
        /// What is wrong.
        message: String,
    },
    /// A JSON document is malformed or lacks what a graph needs.
    #[error("not a graph in JSON: {message}")]
    Json {
        /// What the JSON reader said.
        message: String,
    },
}

impl Problem {
    /// An error about a file as a whole.
    pub(crate) fn in_file(self, file: &str) -> Error {
        Error::Content { place: Place { file: file.to_owned(), line: None, column: None }, problem: self }
    }
}

fn cycle_text(nodes: &[String]) -> String {
    nodes.iter().chain(nodes.first()).cloned().collect::<Vec<_>>().join(" -> ")
}

fn difference_text(only_truth: &[String], only_estimate: &[String]) -> String {
    let mut parts = Vec::new();
    for (names, owner) in [(only_truth, "true graph"), (only_estimate, "estimate")] {
        if !names.is_empty() {
            let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            parts.push(format!("only the {owner} has {}", quoted.join(", ")));
        }
    }
    parts.join("; ")
}

fn column_difference_text(missing: &[String], extra: &[String]) -> String {
    let lists = [(missing, "missing"), (extra, "not expected")];
    let parts = lists.into_iter().filter(|(names, _)| !names.is_empty());
    let text = |(names, fault): (&[String], &str)| {
        format!("{} {} {fault}", listed(names), if names.len() == 1 { "is" } else { "are" })
    };
    parts.map(text).collect::<Vec<_>>().join("; ")
}

fn delimiter_name(delimiter: char) -> String {
    match delimiter {
        '\t' => "tabs".into(),
        ' ' => "spaces".into(),
        other => format!("'{other}'"),
    }
}

/// Result with this crate's [`Error`].
///
/// ```
/// fn half(x: f64) -> plackett_dag::Result<f64> {
///     Ok(x / 2.0)
/// }
/// assert_eq!(half(3.0).unwrap(), 1.5);
/// ```
pub type Result<T> = std::result::Result<T, Error>;

/// Refuses a setting that is not valid.
pub(crate) fn check_setting(
    name: &'static str,
    value: impl std::fmt::Display,
    is_valid: bool,
    reason: &'static str,
) -> Result<()> {
    if is_valid { Ok(()) } else { Err(Error::Setting { name, value: value.to_string(), reason }) }
}

/// Refuses a number that is not positive and finite.
pub(crate) fn check_positive(name: &'static str, value: f64) -> Result<()> {
    check_setting(name, value, value > 0.0 && value.is_finite(), "it must be positive and finite")
}

/// A larger factor of a price would make every graph infinitely bad.
const LARGEST_FACTOR: f64 = 1e100;

/// Refuses a factor of the price of a parent that is none.
pub(crate) fn check_factor(factor: f64) -> Result<()> {
    let is_valid = (0.0..=LARGEST_FACTOR).contains(&factor);
    check_setting("the penalty factor", factor, is_valid, "it must be from 0 to 1e100")
}
