//! Problems over permutations that people have, read from the text files that they are published in.
//!
//! | kind | problem | files |
//! | --- | --- | --- |
//! | `lop` | [`LinearOrdering`] | LOLIB |
//! | `qap` | [`QuadraticAssignment`] | QAPLIB |
//! | `tsp` | [`TravelingSalesman`] | TSPLIB |
//! | `pfsp` | [`FlowShop`] | Taillard's |
//! | `assignment` | [`LinearAssignment`] | a matrix |
//!
//! Each is a [`Problem`] with a neighborhood of its own, made of nothing but the public interface of the crate `plackett`, so
//! it is also an example of how to bring another.
//!
//! ```
//! use plackett::{run::{Limits, Run}, solver::{Method, Solver}};
//! use plackett_problems::{Instance, Kind};
//! let text = "4\n0 1 2 3\n1 0 5 4\n2 5 0 6\n3 4 6 0\n\n0 9 1 2\n9 0 3 1\n1 3 0 4\n2 1 4 0\n";
//! let problem = Kind::QuadraticAssignment.parse("four.dat", text)?;
//! let limits = Limits::evaluations(1000);
//! let mut solver = Solver::new(problem.as_ref(), Method::Default, 0, &limits)?;
//! solver.run(problem.as_ref(), &Run::new(limits))?;
//! assert_eq!((problem.name(), solver.best().unwrap().1), ("four", 108.0));
//! # Ok::<(), plackett_problems::Error>(())
//! ```

mod error;
mod flow_shop;
mod linear_assignment;
mod linear_ordering;
mod published;
mod quadratic_assignment;
mod text;
mod traveling_salesman;

pub use error::Error;
pub use flow_shop::FlowShop;
pub use linear_assignment::LinearAssignment;
pub use linear_ordering::LinearOrdering;
pub use quadratic_assignment::QuadraticAssignment;
pub use traveling_salesman::TravelingSalesman;

use std::{fmt, path::Path, str::FromStr};

use plackett::problem::Problem;

use error::{check_finite, check_length, check_matrix};

/// The kinds of problems that can be read.
///
/// ```
/// use plackett_problems::Kind;
/// assert_eq!("qap".parse::<Kind>()?, Kind::QuadraticAssignment);
/// assert_eq!(Kind::FlowShop.to_string(), "pfsp");
/// # Ok::<(), plackett_problems::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// assert_eq!(plackett_problems::Kind::LinearOrdering.name(), "lop");
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

    /// What it is, in a few words.
    ///
    /// ```
    /// assert_eq!(plackett_problems::Kind::TravelingSalesman.description(), "traveling salesman");
    /// ```
    pub fn description(self) -> &'static str {
        match self {
            Self::LinearOrdering => "linear ordering (maximize)",
            Self::QuadraticAssignment => "quadratic assignment",
            Self::TravelingSalesman => "traveling salesman",
            Self::FlowShop => "permutation flow shop, makespan",
            Self::LinearAssignment => "linear assignment",
        }
    }

    /// The kind that a text looks like: by keywords, else by how many numbers follow the first. A single matrix is taken
    /// for a linear ordering problem; nothing in the text can tell it from an assignment problem.
    ///
    /// ```
    /// use plackett_problems::Kind;
    /// assert_eq!(Kind::detect("x", "2\n0 1\n2 0\n")?, Kind::LinearOrdering);
    /// assert_eq!(Kind::detect("x", "2\n0 1\n2 0\n\n0 1\n1 0\n")?, Kind::QuadraticAssignment);
    /// assert!(Kind::detect("x", "2\n0 1 2\n").is_err());
    /// # Ok::<(), plackett_problems::Error>(())
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
    /// use plackett_problems::Kind;
    /// let problem = Kind::LinearOrdering.parse("two.mat", "2\n0 3\n1 0\n")?;
    /// assert_eq!(problem.value(&[0, 1]), 3.0);
    /// # Ok::<(), plackett_problems::Error>(())
    /// ```
    ///
    /// # Errors
    /// A text that does not follow the format, with the line and what is wrong there.
    pub fn parse(self, file: &str, text: &str) -> Result<Box<dyn Instance>, Error> {
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
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| Error::UnknownKind {
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// The best value that has been published for a problem, or that its file states.
///
/// ```
/// use plackett_problems::{Instance, TravelingSalesman};
/// let triangle = TravelingSalesman::from_distances("mine", 3, vec![0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0])?;
/// assert!(triangle.best_known().is_none());
/// # Ok::<(), plackett_problems::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestKnown {
    /// The value.
    pub value: f64,
    /// Whether it is proven that there is none better.
    pub is_optimal: bool,
}

/// A problem of one of these kinds, with a name and perhaps a published value.
///
/// ```
/// use plackett_problems::{Instance, Kind, LinearOrdering};
/// let problem = LinearOrdering::new("mine", 2, vec![0.0, 1.0, 2.0, 0.0])?;
/// assert_eq!((problem.kind(), problem.name()), (Kind::LinearOrdering, "mine"));
/// # Ok::<(), plackett_problems::Error>(())
/// ```
pub trait Instance: Problem + fmt::Debug {
    /// Which kind it is.
    fn kind(&self) -> Kind;

    /// Its name, by which published values are found.
    fn name(&self) -> &str;

    /// The best value known.
    fn best_known(&self) -> Option<BestKnown>;
}

/// Reads a problem from a file, of the given kind or of the one that its text looks like.
///
/// ```no_run
/// let problem = plackett_problems::read_problem("nug12.dat".as_ref(), None)?;
/// println!("{} items, best known {:?}", problem.items(), problem.best_known());
/// # Ok::<(), plackett_problems::Error>(())
/// ```
///
/// # Errors
/// A file that cannot be read, or a text that does not follow the format, with the line and what is wrong there.
pub fn read_problem(path: &Path, kind: Option<Kind>) -> Result<Box<dyn Instance>, Error> {
    let cannot_read = |source| Error::File { path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(cannot_read)?;
    let (file, text) = (path.display().to_string(), String::from_utf8_lossy(&bytes));
    let kind = kind.map_or_else(|| Kind::detect(&file, &text), Ok)?;
    kind.parse(&file, &text)
}
