//! What there is to say of a learned graph, in words: what it was learned from, its edges with their strengths, support and directions, and how
//! far to trust it. A column of the table of edges is a function in `edges`, a paragraph one in `text`.

mod diagnostics;
mod edges;
mod knowledge;
mod path;
mod picture;
mod support;
mod text;

use plackett_dag::{
    Learned, Learning, NamedDag, Observations, Support,
    dataset::Kind,
    diagnostics::Diagnostic,
    gram::Centering,
    knowledge::Resolved,
    learning::{Direction, KnowledgeCost, Path},
    metrics::Comparison,
};

pub(super) use knowledge::CLASS;
pub use picture::graph_svg;
pub(super) use support::THRESHOLD;

/// A learned graph with all that a text about it is made of.
///
/// ```
/// use plackett::run::Run;
/// use plackett_cli::{Face, Summary};
/// use plackett_dag::{Gram, Learning, Observations, dataset::Kind, gram::Centering};
/// let data = Observations::Numbers(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?.into());
/// let (learning, names) = (Learning::default(), ["cause".to_owned(), "effect".to_owned()]);
/// let learned = learning.run(&data, &Run::default())?;
/// let summary = Summary {
///     face: Face::Python,
///     source: "the data",
///     names: &names,
///     data: &data,
///     kind: Some(Kind::Numbers),
///     kind_choice: None,
///     centering: Centering::Center,
///     notes: &[],
///     learning: &learning,
///     learned: &learned,
///     warnings: &plackett_report::warnings(&[], &names, &data, &learned, &learning),
///     known: None,
///     support: None,
///     path: None,
///     diagnostics: &[],
///     truth: None,
///     seconds: 0.0,
/// };
/// assert!(summary.text().contains("cause -> effect"));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// Who speaks.
    pub face: Face,
    /// What the data are called.
    pub source: &'a str,
    /// The names of the columns.
    pub names: &'a [String],
    /// What the graph was learned from.
    pub data: &'a Observations,
    /// What the columns are; nothing if they are numbers and categories.
    pub kind: Option<Kind>,
    /// Why they were taken for that, if it was not said.
    pub kind_choice: Option<&'a str>,
    /// What was done to columns of numbers first.
    pub centering: Centering,
    /// What is out of the ordinary in how a file is written.
    pub notes: &'a [String],
    /// How it was learned.
    pub learning: &'a Learning,
    /// The graph.
    pub learned: &'a Learned,
    /// What to know before trusting it.
    pub warnings: &'a [String],
    /// What was known of the graph, and what that cost.
    pub known: Option<(&'a Resolved, &'a KnowledgeCost)>,
    /// What was learned from rows drawn anew, and how many seconds that took.
    pub support: Option<(&'a Support, f64)>,
    /// Which edges stay at other prices.
    pub path: Option<&'a Path>,
    /// How far the graph can be trusted, as far as the data tell.
    pub diagnostics: &'a [Diagnostic],
    /// The true graph, where that is known.
    pub truth: Option<Truth<'a>>,
    /// How long learning took.
    pub seconds: f64,
}

/// The true graph, its nodes in the order of the columns.
#[derive(Clone, Copy, Debug)]
pub struct Truth<'a> {
    /// The graph.
    pub graph: &'a NamedDag,
    /// Its score, where the score of the learned graph says so.
    pub score: Option<f64>,
    /// How the learned graph differs from it.
    pub comparison: Comparison,
}

/// Who speaks, and so what settings and further figures are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// The program.
    Program,
    /// The Python package.
    Python,
}

impl Face {
    /// What a setting of the library is called.
    ///
    /// ```
    /// use plackett_cli::Face;
    /// assert_eq!((Face::Program.setting("lambda"), Face::Python.setting("lambda")), ("--lambda".to_owned(), "lambda_".to_owned()));
    /// ```
    pub fn setting(self, setting: &str) -> String {
        match (self, setting) {
            (Self::Program, setting) => plackett_report::option(setting),
            (Self::Python, "noise_variance") => "sigma2".to_owned(),
            (Self::Python, "equivalent_sample_size") => "ess".to_owned(),
            (Self::Python, "lambda") => "lambda_".to_owned(),
            (Self::Python, "space") => "candidates".to_owned(),
            (Self::Python, other) => other.to_owned(),
        }
    }

    /// Where all of a list is: in a field of the document, or in an attribute.
    fn all_in(self, attribute: &str) -> String {
        match self {
            Self::Program => "--json has them all".to_owned(),
            Self::Python => format!("`{attribute}` has them all"),
        }
    }

    /// Where the class is.
    fn class(self) -> &'static str {
        match self {
            Self::Program => "`cpdag` in --json",
            Self::Python => "`cpdag`",
        }
    }
}

impl Summary<'_> {
    pub(super) fn name(&self, node: usize) -> &str {
        &self.names[node]
    }

    /// The learned order by name, causes first.
    pub(super) fn order(&self) -> Vec<&str> {
        self.learned.order.iter().map(|&node| self.name(node)).collect()
    }

    /// What was done to the columns first, in a word or two.
    pub(super) fn preparation(&self) -> &'static str {
        match (self.kind, self.centering) {
            (Some(Kind::Categories), _) => "categories",
            (None, _) => "numbers and categories",
            (_, Centering::None) => "not centered",
            (_, Centering::Center) => "centered",
            (_, Centering::Standardize) => "standardized",
        }
    }

    /// Whether the weights of edges are those of a linear model, rather than what the score would lose without them.
    pub(super) fn is_linear(&self) -> bool {
        self.kind == Some(Kind::Numbers)
    }

    /// Whether the edge might as well point the other way.
    pub(super) fn is_open(&self, from: usize, to: usize) -> bool {
        self.learned.direction(from, to) == Direction::Open
    }
}
