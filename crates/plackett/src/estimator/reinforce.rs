//! REINFORCE: f(b) ∇ log p(b), less a baseline (section 2.1 of the paper); and the same with reward-to-go.

use super::{Demand, Estimator, Samples, check_fit};
use crate::{
    distribution::Distribution,
    error::{Error, check_finite, check_length, check_setting},
    linear::add_scaled,
};

/// What REINFORCE subtracts from the objective's value; all of these keep it unbiased.
///
/// ```
/// use plackett::{Categorical, estimator::{Baseline, Reinforce}};
/// let estimator = Reinforce::new(&Categorical::new(&[0.0; 3])?, Baseline::MovingAverage { decay: 0.9 })?;
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Baseline {
    /// Nothing: the plain estimator.
    None,
    /// An exponential moving average of the values of earlier steps.
    MovingAverage {
        /// How much of the average is kept at each step, from 0 to just below 1.
        decay: f64,
    },
    /// For each sample the mean of the others; needs at least two samples a step.
    LeaveOneOut,
}

/// The estimator (f(b) − baseline) ∇_θ log p(b | θ). O(k) a sample.
///
/// ```
/// use plackett::{PlackettLuce, Training, TrainingSettings, estimator::{Baseline, Reinforce}, run::{Limits, Run}};
/// let latent = PlackettLuce::new(&[0.0; 4])?;
/// let estimator = Reinforce::new(&latent, Baseline::LeaveOneOut)?;
/// let settings = TrainingSettings { samples: 8, learning_rate: 0.05, ..TrainingSettings::default() };
/// let mut training = Training::new(latent, estimator, settings)?;
/// let mut displacement = |order: &[usize]| order.iter().enumerate().map(|(r, &i)| r.abs_diff(i) as f64).sum::<f64>();
/// training.run(&mut displacement, &Run::new(Limits::steps(500)))?;
/// assert_eq!(training.mode(), [0, 1, 2, 3]);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reinforce<D: Distribution> {
    baseline: Baseline,
    /// The moving average before correction for its start at zero, and the weight that it has gathered.
    average: (f64, f64),
    room: D::Room,
    score: Vec<f64>,
    ones: Vec<f64>,
}

impl<D: Distribution> Reinforce<D> {
    /// REINFORCE with a baseline.
    ///
    /// # Errors
    /// A decay outside [0, 1).
    pub fn new(distribution: &D, baseline: Baseline) -> Result<Self, Error> {
        if let Baseline::MovingAverage { decay } = baseline {
            check_setting("decay", decay, (0.0..1.0).contains(&decay), "it must be at least 0 and below 1")?;
        }
        Ok(Self {
            baseline,
            average: (0.0, 0.0),
            room: distribution.room(),
            score: vec![0.0; distribution.items()],
            ones: vec![1.0; distribution.outcome_len()],
        })
    }
}

impl<D: Distribution> Estimator for Reinforce<D> {
    type Latent = D;

    fn demand(&self) -> Demand {
        Demand::Values
    }

    fn gradient(&mut self, latent: &D, samples: &Samples, gradient: &mut [f64]) -> Result<f64, Error> {
        check_fit(self.score.len(), latent, samples, gradient)?;
        let (count, mean) = (samples.count() as f64, samples.mean_value());
        if self.baseline == Baseline::LeaveOneOut {
            check_left_out(samples)?;
        }
        let average = if self.average.1 > 0.0 { self.average.0 / self.average.1 } else { 0.0 };
        gradient.fill(0.0);
        for sample in samples.iter() {
            let advantage = match self.baseline {
                Baseline::None => sample.value,
                Baseline::MovingAverage { .. } => sample.value - average,
                Baseline::LeaveOneOut => less_others(sample.value, mean, count),
            };
            latent.weighted_grad_log_prob(sample.outcome, &self.ones, &mut self.score, &mut self.room);
            add_scaled(gradient, advantage / count, &self.score);
        }
        check_finite("gradient", gradient)?; // before the average takes in the values
        if let Baseline::MovingAverage { decay } = self.baseline {
            self.average =
                (decay * self.average.0 + (1.0 - decay) * mean, decay * self.average.1 + (1.0 - decay));
        }
        Ok(mean)
    }
}

/// REINFORCE with reward-to-go: a choice answers only for the parts of the objective that are paid from it on, with a leave-one-out
/// baseline for every choice. It is unbiased if no [part](crate::Objective::evaluate_parts) depends on later choices.
/// O(k) a sample.
///
/// ```
/// use plackett::{Objective, ObjectiveError, PlackettLuce, Training, TrainingSettings, estimator::RewardToGo, run::{Limits, Run}};
/// /// Every item that comes before a smaller one costs their difference.
/// struct Inversions;
/// impl Objective for Inversions {
///     fn evaluate(&mut self, order: &[usize]) -> Result<f64, ObjectiveError> {
///         let mut parts = vec![0.0; order.len()];
///         self.evaluate_parts(order, &mut parts)?;
///         Ok(parts.iter().sum())
///     }
///     fn evaluate_parts(&mut self, order: &[usize], parts: &mut [f64]) -> Result<(), ObjectiveError> {
///         for (rank, part) in parts.iter_mut().enumerate() {
///             *part = order[..rank].iter().map(|before| before.saturating_sub(order[rank]) as f64).sum();
///         }
///         Ok(())
///     }
/// }
/// let latent = PlackettLuce::new(&[0.0; 5])?;
/// let settings = TrainingSettings { samples: 4, learning_rate: 0.1, ..TrainingSettings::default() };
/// let mut training = Training::new(latent.clone(), RewardToGo::new(&latent), settings)?;
/// training.run(&mut Inversions, &Run::new(Limits::steps(300)))?;
/// assert_eq!(training.mode(), [0, 1, 2, 3, 4]);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RewardToGo<D: Distribution> {
    room: D::Room,
    score: Vec<f64>,
    /// What is still to be paid at every choice: its mean over the samples, and, less that, the weights of one of them.
    means: Vec<f64>,
    weights: Vec<f64>,
}

impl<D: Distribution> RewardToGo<D> {
    /// The estimator for a distribution of this size.
    pub fn new(distribution: &D) -> Self {
        let choices = distribution.outcome_len();
        Self {
            room: distribution.room(),
            score: vec![0.0; distribution.items()],
            means: vec![0.0; choices],
            weights: vec![0.0; choices],
        }
    }
}

impl<D: Distribution> Estimator for RewardToGo<D> {
    type Latent = D;

    fn demand(&self) -> Demand {
        Demand::Parts
    }

    fn gradient(&mut self, latent: &D, samples: &Samples, gradient: &mut [f64]) -> Result<f64, Error> {
        check_fit(self.score.len(), latent, samples, gradient)?;
        check_left_out(samples)?;
        check_length("parts", samples.parts().count(), samples.count())?;
        let count = samples.count() as f64;
        self.means.fill(0.0);
        for parts in samples.parts() {
            let mut to_go = 0.0;
            for (mean, part) in self.means.iter_mut().zip(parts).rev() {
                to_go += part;
                *mean += to_go / count;
            }
        }
        gradient.fill(0.0);
        for (outcome, parts) in samples.outcomes().zip(samples.parts()) {
            let mut to_go = 0.0;
            for ((weight, mean), part) in self.weights.iter_mut().zip(&self.means).zip(parts).rev() {
                to_go += part;
                *weight = less_others(to_go, *mean, count);
            }
            latent.weighted_grad_log_prob(outcome, &self.weights, &mut self.score, &mut self.room);
            add_scaled(gradient, 1.0 / count, &self.score);
        }
        Ok(samples.mean_value())
    }
}

/// A value less the mean of the others, f − (n·mean − f)/(n − 1), rearranged.
fn less_others(value: f64, mean: f64, count: f64) -> f64 {
    (value - mean) * count / (count - 1.0)
}

fn check_left_out(samples: &Samples) -> Result<(), Error> {
    let count = samples.count();
    check_setting("samples", count as f64, count >= 2, "a leave-one-out baseline needs at least 2")
}
