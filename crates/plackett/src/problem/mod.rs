//! Problems over permutations that people have, read from the text files that they are published in.

mod flow_shop;
mod linear_assignment;
mod linear_ordering;
mod published;
mod quadratic_assignment;
mod text;
mod traveling_salesman;

pub use flow_shop::FlowShop;
pub use linear_assignment::LinearAssignment;
pub use linear_ordering::LinearOrdering;
pub use quadratic_assignment::QuadraticAssignment;
pub use traveling_salesman::TravelingSalesman;

use std::{fmt, path::Path, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{error::Error, refinement::Neighborhood};

/// Whether small or large values are wanted.
///
/// ```
/// use plackett::Sense;
/// assert!(Sense::Maximize.is_better(2.0, 1.0));
/// assert_eq!(Sense::Maximize.cost(2.0), -2.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sense {
    /// The smallest value is the best.
    #[default]
    Minimize,
    /// The largest value is the best.
    Maximize,
}

impl Sense {
    /// The value as a cost, which is always to be small; also a cost as a value.
    pub fn cost(self, value: f64) -> f64 {
        match self {
            Self::Minimize => value,
            Self::Maximize => -value,
        }
    }

    /// Whether a value beats another.
    pub fn is_better(self, value: f64, other: f64) -> bool {
        self.cost(value) < self.cost(other)
    }
}

impl fmt::Display for Sense {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Minimize => "minimize",
            Self::Maximize => "maximize",
        })
    }
}

/// The kinds of problems that can be read.
///
/// ```
/// use plackett::Kind;
/// assert_eq!("qap".parse::<Kind>()?, Kind::QuadraticAssignment);
/// assert_eq!(Kind::FlowShop.to_string(), "pfsp");
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `lop`: [`LinearOrdering`].
    LinearOrdering,
    /// `qap`: [`QuadraticAssignment`].
    QuadraticAssignment,
    /// `tsp`: [`TravelingSalesman`].
    TravelingSalesman,
    /// `pfsp`: [`FlowShop`].
    FlowShop,
    /// `assignment`: [`LinearAssignment`].
    LinearAssignment,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::LinearOrdering,
        Self::QuadraticAssignment,
        Self::TravelingSalesman,
        Self::FlowShop,
        Self::LinearAssignment,
    ];

    /// The short name.
    ///
    /// ```
    /// assert_eq!(plackett::Kind::LinearOrdering.name(), "lop");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::LinearOrdering => "lop",
            Self::QuadraticAssignment => "qap",
            Self::TravelingSalesman => "tsp",
            Self::FlowShop => "pfsp",
            Self::LinearAssignment => "assignment",
        }
    }

    /// The kind that a text looks like: by keywords, else by how many numbers follow the first. A single matrix is taken
    /// for a linear ordering problem; nothing in the text can tell it from an assignment problem.
    ///
    /// ```
    /// use plackett::Kind;
    /// assert_eq!(Kind::detect("x", "2\n0 1\n2 0\n")?, Kind::LinearOrdering);
    /// assert_eq!(Kind::detect("x", "2\n0 1\n2 0\n\n0 1\n1 0\n")?, Kind::QuadraticAssignment);
    /// assert!(Kind::detect("x", "2\n0 1 2\n").is_err());
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A text that looks like none of them.
    pub fn detect(file: &str, text: &str) -> Result<Self, Error> {
        if traveling_salesman::is_like(text) {
            return Ok(Self::TravelingSalesman);
        }
        if flow_shop::has_headings(text) {
            return Ok(Self::FlowShop);
        }
        let mut words = text::words_after_title(file, text);
        let start = words.clone();
        let items = words.count("the number of items")?;
        let left = words.left();
        match left.checked_sub(1) {
            _ if left == items * items => Ok(Self::LinearOrdering),
            _ if left == 2 * items * items || left == 2 * items * items + 1 => Ok(Self::QuadraticAssignment),
            Some(rest) if flow_shop::is_table(items, words.number("the number of machines")?, rest) => {
                Ok(Self::FlowShop)
            }
            _ => {
                let what = format!(
                    "what kind of problem is this? {items} is followed by {left} numbers: one matrix would have {}, two {}",
                    items * items,
                    2 * items * items
                );
                Err(start.error(what))
            }
        }
    }

    /// Reads a problem of this kind from a text; `file` is what errors call it, and its stem names the problem.
    ///
    /// ```
    /// use plackett::{Kind, Problem};
    /// let problem = Kind::LinearOrdering.parse("two.mat", "2\n0 3\n1 0\n")?;
    /// assert_eq!(problem.value(&[0, 1]), 3.0);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A text that does not follow the format, with the line and what is wrong there.
    pub fn parse(self, file: &str, text: &str) -> Result<Box<dyn Problem>, Error> {
        Ok(match self {
            Self::LinearOrdering => Box::new(LinearOrdering::parse(file, text)?),
            Self::QuadraticAssignment => Box::new(QuadraticAssignment::parse(file, text)?),
            Self::TravelingSalesman => Box::new(TravelingSalesman::parse(file, text)?),
            Self::FlowShop => Box::new(FlowShop::parse(file, text)?),
            Self::LinearAssignment => Box::new(LinearAssignment::parse(file, text)?),
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| Error::Unknown {
            what: "kind of problem",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// The best value that has been published for a problem, or that its file states.
///
/// ```
/// use plackett::{Problem, TravelingSalesman};
/// let triangle = TravelingSalesman::from_distances("mine", 3, vec![0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0])?;
/// assert!(triangle.best_known().is_none());
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestKnown {
    /// The value.
    pub value: f64,
    /// Whether it is proven that there is none better.
    pub is_optimal: bool,
}

/// A problem over orders: its values, how they come about rank by rank, and how to change an order cheaply.
///
/// Orders are trusted to list every item once; [`Order`](crate::Order) checks that.
pub trait Problem: Send + Sync + fmt::Debug {
    /// Which kind it is.
    fn kind(&self) -> Kind;

    /// Its name, by which published values are found.
    fn name(&self) -> &str;

    /// How many items an order has.
    fn items(&self) -> usize;

    /// Whether small or large values are wanted.
    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    /// The value of an order.
    fn value(&self, order: &[usize]) -> f64;

    /// What every rank adds to the value once the ranks before it are fixed; the sum is the [`value`](Problem::value), up to
    /// rounding. It is this that reward-to-go estimators use.
    fn parts(&self, order: &[usize], parts: &mut [f64]);

    /// The problem's own way to change orders.
    fn neighborhood(&self) -> Box<dyn Neighborhood + '_>;

    /// A good order to start from, if there is a quick way to one.
    fn construct(&self) -> Option<Vec<usize>> {
        None
    }

    /// The best value known.
    fn best_known(&self) -> Option<BestKnown>;
}

/// Reads a problem from a file, of the given kind or of the one that its text looks like.
///
/// ```no_run
/// let problem = plackett::read_problem("nug12.dat".as_ref(), None)?;
/// println!("{} items, best known {:?}", problem.items(), problem.best_known());
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// A file that cannot be read, or a text that does not follow the format, with the line and what is wrong there.
pub fn read_problem(path: &Path, kind: Option<Kind>) -> Result<Box<dyn Problem>, Error> {
    let cannot_read = |source| Error::File { verb: "read", path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(cannot_read)?;
    let (file, text) = (path.display().to_string(), String::from_utf8_lossy(&bytes));
    let kind = kind.map_or_else(|| Kind::detect(&file, &text), Ok)?;
    kind.parse(&file, &text)
}

/// Refuses a matrix that is not square of this size, or not finite.
fn check_matrix(what: &'static str, items: usize, matrix: &[f64]) -> Result<(), Error> {
    if items == 0 {
        return Err(Error::Empty { what });
    }
    crate::error::check_length(what, matrix.len(), items * items)?;
    crate::error::check_finite(what, matrix)
}
