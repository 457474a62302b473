//! A problem with a name, by which the best value that is known of it is found.

use std::fmt;

use plackett::problem::Problem;

use crate::{
    kind::Kind,
    published::{self, BestKnown},
};

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

    /// The best value known: the one published under its name or for the same numbers, unless there is a better source.
    fn best_known(&self) -> Option<BestKnown> {
        published::find(self.kind(), self.name(), self.items(), |order| self.value(order))
    }
}
