//! The exact gradient, by enumeration of all outcomes: EXACT in Figure 1.

use super::{Demand, Estimator, Samples};
use crate::{
    distribution::Enumerable,
    error::{Error, check_length},
    objective::{Objective, evaluate},
};

/// ∇_θ E f(b) without any noise, for few items. The objective is evaluated once on every outcome when this is made,
/// so it must be deterministic; a step then costs O(e·k!) for orders and O(k) for categories.
///
/// ```
/// use plackett::{PlackettLuce, Toy, estimator::Exact};
/// let latent = PlackettLuce::new(&[0.0; 8])?;
/// let mut exact = Exact::new(&latent, &mut Toy::permutation(8, 0.05)?)?;
/// let (mean, gradient) = exact.expectation(&latent)?;
/// assert!((mean - 7.0229).abs() < 1e-4); // at the uniform distribution
/// assert!(gradient[0] < 0.0 && gradient[7] > 0.0);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Exact<L> {
    values: Vec<f64>,
    gradient: Vec<f64>,
    scratch: Vec<f64>,
    latent: std::marker::PhantomData<L>,
}

impl<L: Enumerable> Exact<L> {
    /// Evaluates the objective on all outcomes.
    ///
    /// # Errors
    /// Too many outcomes to list (more than 10 items to order), or an objective that fails or is not finite.
    pub fn new(latent: &L, objective: &mut (impl Objective + ?Sized)) -> Result<Self, Error> {
        let mut values = Vec::with_capacity(latent.outcomes()?);
        latent.try_for_each_outcome(&mut |outcome| {
            values.push(evaluate(objective, outcome)?);
            Ok(())
        })?;
        let gradient = vec![0.0; latent.items()];
        Ok(Self { values, gradient, scratch: Vec::new(), latent: std::marker::PhantomData })
    }

    /// E f(b) and its gradient at the latent's present scores.
    ///
    /// # Errors
    /// A latent of another number of items.
    pub fn expectation(&mut self, latent: &L) -> Result<(f64, &[f64]), Error> {
        check_length("the estimator's list of scores", self.gradient.len(), latent.items())?;
        let mean = latent.expectation(&self.values, &mut self.gradient, &mut self.scratch);
        Ok((mean, &self.gradient))
    }
}

impl<L: Enumerable> Estimator for Exact<L> {
    type Latent = L;

    fn demand(&self) -> Demand {
        Demand::Nothing
    }

    fn gradient(&mut self, latent: &L, _samples: &Samples, gradient: &mut [f64]) -> Result<f64, Error> {
        check_length("the gradient", gradient.len(), latent.items())?;
        let (mean, exact) = self.expectation(latent)?;
        gradient.copy_from_slice(exact);
        Ok(mean)
    }
}
