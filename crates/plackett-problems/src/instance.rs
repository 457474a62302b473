//! A problem with a name, and the best value that is known of it.

use std::fmt;

use plackett::problem::Problem;

use crate::kind::Kind;

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
