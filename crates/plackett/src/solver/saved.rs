//! Saving a solver and resuming it.

use super::Solver;
use crate::{
    error::Error,
    state::{from_json, to_json},
};

impl Solver {
    /// The whole state as JSON, to be resumed with [`from_json`](Self::from_json).
    ///
    /// # Errors
    /// None that is known; the signature is that of the serializer.
    pub fn to_json(&self) -> Result<String, Error> {
        to_json("solver", self)
    }

    /// The run of a saved state, which goes on exactly as the one that was saved.
    ///
    /// ```
    /// use plackett::{problem::Problem, run::Limits, solver::{Method, Solver}};
    /// struct First;
    /// impl Problem for First {
    ///     fn items(&self) -> usize { 3 }
    ///     fn value(&self, order: &[usize]) -> f64 { order[0] as f64 }
    /// }
    /// let solver = Solver::new(&First, Method::Default, 0, &Limits::default())?;
    /// assert_eq!(Solver::from_json(&solver.to_json()?)?.method(), Method::Default);
    /// assert!(Solver::from_json("{}").is_err());
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A text that is no such state, one of another version, or one whose parts contradict each other.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let solver: Self = from_json("solver", text)?;
        let is_sound = solver.optimizer.iter().all(|o| o.is_sound() && o.items() == solver.items)
            && solver.walks.iter().all(|walks| walks.is_sound(solver.items))
            && solver.constraints.items() == solver.items
            && (solver.optimizer.is_some() || solver.walks.is_some());
        if is_sound { Ok(solver) } else { Err(Error::StateContradiction) }
    }
}
