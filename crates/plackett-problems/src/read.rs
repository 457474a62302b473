//! Problems from texts and files.

use std::path::Path;

use crate::{
    error::Error,
    flow_shop::{self, FlowShop},
    instance::Instance,
    kind::Kind,
    linear_assignment::LinearAssignment,
    linear_ordering::LinearOrdering,
    quadratic_assignment::QuadraticAssignment,
    text,
    traveling_salesman::{self, TravelingSalesman},
};

impl Kind {
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
    let bytes = std::fs::File::open(path).and_then(plackett::memory::read_text).map_err(cannot_read)?;
    let (file, text) = (path.display().to_string(), String::from_utf8_lossy(&bytes));
    let kind = kind.map_or_else(|| Kind::detect(&file, &text), Ok)?;
    kind.parse(&file, &text)
}
