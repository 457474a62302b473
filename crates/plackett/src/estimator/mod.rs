//! Gradient estimators (section 2 of the paper), each written once: REINFORCE for every
//! [`Distribution`], those that need perturbed scores for every [`Latent`](crate::Latent).
//!
//! A step has three parts that can be taken apart: [`Samples`] draws noise and outcomes, the caller evaluates
//! the objective on the outcomes, and the estimator turns outcomes and values into a gradient.

mod exact;
mod reinforce;
mod relax;
mod reparametrized;
mod samples;
mod surrogate;

pub use exact::Exact;
pub use reinforce::{Baseline, Reinforce, RewardToGo};
pub use relax::{Rebar, Relax};
pub use reparametrized::Reparametrized;
pub use samples::{Sample, Samples};
pub use surrogate::SurrogateGradient;

use crate::{
    distribution::Distribution,
    error::{Error, check_length},
};

/// What an estimator needs of a step's samples.
///
/// ```
/// use plackett::{PlackettLuce, estimator::{Baseline, Demand, Estimator, Reinforce}};
/// let estimator = Reinforce::new(&PlackettLuce::new(&[0.0; 3])?, Baseline::None)?;
/// assert_eq!(estimator.demand(), Demand::Values);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Demand {
    /// No samples at all.
    Nothing,
    /// Perturbed scores, but no values of the objective.
    Perturbed,
    /// Outcomes with the objective's values.
    Values,
    /// Outcomes with the parts of the objective's values.
    Parts,
    /// Outcomes with values, and noise for the conditional perturbed scores.
    ValuesAndConditional,
}

/// An estimator of ∇_θ E f(b). None of its calls allocates.
///
/// One of your own is an implementation of this trait, for example REINFORCE with the best value of the samples as baseline
/// (which is biased, and so is not among those here):
///
/// ```
/// use plackett::{Distribution, Error, PlackettLuce, Training, TrainingSettings};
/// use plackett::{estimator::{Demand, Estimator, Samples}, run::{Limits, Run}};
/// #[derive(Clone)]
/// struct AgainstBest<D: Distribution> { room: D::Room, slope: Vec<f64>, ones: Vec<f64> }
/// impl<D: Distribution> Estimator for AgainstBest<D> {
///     type Latent = D;
///     fn demand(&self) -> Demand { Demand::Values }
///     fn gradient(&mut self, latent: &D, samples: &Samples, gradient: &mut [f64]) -> Result<f64, Error> {
///         samples.check_fit(latent)?;
///         let best = samples.values().iter().copied().fold(f64::INFINITY, f64::min);
///         gradient.fill(0.0);
///         for sample in samples.iter() {
///             latent.weighted_grad_log_prob(sample.outcome, &self.ones, &mut self.slope, &mut self.room);
///             for (sum, slope) in gradient.iter_mut().zip(&self.slope) {
///                 *sum += (sample.value - best) * slope / samples.count() as f64;
///             }
///         }
///         Ok(samples.mean_value())
///     }
/// }
/// let latent = PlackettLuce::new(&[0.0; 4])?;
/// let estimator = AgainstBest { room: latent.room(), slope: vec![0.0; 4], ones: vec![1.0; 4] };
/// let settings = TrainingSettings { samples: 8, learning_rate: 0.05, ..TrainingSettings::default() };
/// let mut training = Training::new(latent, estimator, settings)?;
/// training.run(&mut |order: &[usize]| order[0] as f64, &Run::new(Limits::steps(300)))?;
/// assert_eq!(training.mode()[0], 0);
/// # Ok::<(), plackett::Error>(())
/// ```
pub trait Estimator: Clone {
    /// The distribution whose scores θ it differentiates in.
    type Latent: Distribution;

    /// What it needs of the samples.
    fn demand(&self) -> Demand;

    /// Writes the estimate, a mean over the samples, and returns the estimate of E f(b) that goes with it.
    ///
    /// # Errors
    /// Too few samples, or a critic that leaves the finite numbers.
    fn gradient(
        &mut self,
        latent: &Self::Latent,
        samples: &Samples,
        gradient: &mut [f64],
    ) -> Result<f64, Error>;

    /// The critic's parameters φ, and ∂‖g‖²/∂φ from the last [`gradient`](Estimator::gradient). Empty without a critic.
    fn critic(&mut self) -> (&mut [f64], &[f64]) {
        (&mut [], &[])
    }
}

/// Refuses to estimate for another latent than the one that the estimator (`items`), the samples and the room for the
/// gradient were made for.
fn check_fit(
    items: usize,
    latent: &impl Distribution,
    samples: &Samples,
    gradient: &[f64],
) -> Result<(), Error> {
    check_length("the estimator's list of scores", items, latent.items())?;
    samples.check_fit(latent)?;
    check_length("the gradient", gradient.len(), latent.items())
}
