//! The exact gradient, EXACT in Figure 1: by enumeration of all outcomes, or, for sums over ranks, pairs and neighbors, without.

use super::{Demand, Estimator, Samples};
use crate::{
    distribution::Enumerable,
    error::{Error, check_length},
    objective::{Additive, Objective, evaluate},
    race::Expectation,
};

/// ∇_θ E f(b) without any noise.
///
/// If the objective [declares](Objective::additive) itself a sum over ranks, pairs or neighbors of an order, a step costs O(Q k²), O(k²) or
/// O(Q² k²) with some dozens of nodes Q ([`Additive`]), for hundreds of items. Any other objective is evaluated once on every outcome
/// when this is made, so it must be deterministic and the items few; a step then costs O(e·k!) for orders and O(k) for categories.
///
/// ```
/// use plackett::{PlackettLuce, Toy, estimator::Exact};
/// let latent = PlackettLuce::new(&[0.0; 8])?;
/// let mut exact = Exact::new(&latent, &mut Toy::permutation(8, 0.05)?)?;
/// let (mean, gradient) = exact.expectation(&latent)?;
/// assert!((mean - 7.0229).abs() < 1e-4); // at the uniform distribution
/// assert!(gradient[0] < 0.0 && gradient[7] > 0.0);
///
/// let latent = PlackettLuce::new(&[0.0; 200])?;
/// let mut exact = Exact::new(&latent, &mut Toy::permutation(200, 0.05)?)?;
/// assert!(exact.expectation(&latent)?.1[0] < 0.0);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Exact<L> {
    known: Known,
    gradient: Vec<f64>,
    latent: std::marker::PhantomData<L>,
}

/// What the expectation is made of.
#[derive(Clone, Debug)]
enum Known {
    /// The objective's value on every outcome.
    Values { values: Vec<f64>, scratch: Vec<f64> },
    /// Its declaration as a sum.
    Sum { additive: Additive, room: Expectation },
}

impl<L: Enumerable> Exact<L> {
    /// Asks the objective whether it is a sum, and if not evaluates it on all outcomes.
    ///
    /// # Errors
    /// Too many outcomes to list (more than 10 items to order), or an objective that fails or is not finite.
    pub fn new(latent: &L, objective: &mut (impl Objective + ?Sized)) -> Result<Self, Error> {
        let known = match objective.additive() {
            Some(additive) if latent.race().is_some() => {
                check_length("the additive objective's list of items", additive.items(), latent.items())?;
                Known::Sum { additive, room: Expectation::new(latent.items()) }
            }
            _ => {
                let mut values = Vec::with_capacity(latent.outcomes()?);
                latent.try_for_each_outcome(&mut |outcome| {
                    values.push(evaluate(objective, outcome)?);
                    Ok(())
                })?;
                Known::Values { values, scratch: Vec::new() }
            }
        };
        Ok(Self { known, gradient: vec![0.0; latent.items()], latent: std::marker::PhantomData })
    }

    /// E f(b) and its gradient at the latent's present scores.
    ///
    /// # Errors
    /// A latent of another number of items.
    pub fn expectation(&mut self, latent: &L) -> Result<(f64, &[f64]), Error> {
        check_length("the estimator's list of scores", self.gradient.len(), latent.items())?;
        let mean = match &mut self.known {
            Known::Values { values, scratch } => latent.expectation(values, &mut self.gradient, scratch),
            Known::Sum { additive, room } => {
                room.of(additive.terms(), latent.race().unwrap_or_default(), &mut self.gradient)?
            }
        };
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
