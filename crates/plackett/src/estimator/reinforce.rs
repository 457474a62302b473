//! REINFORCE: f(b) ∇ log p(b), less a baseline (section 2.1 of the paper); and the same with reward-to-go.

use super::{Demand, Estimator, Samples, check_fit};
use crate::{
    average::MovingAverage,
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

impl Baseline {
    /// What of an average is kept at each step by default: it looks back some twenty steps, which adds a fortieth to the variance.
    pub const DECAY: f64 = MovingAverage::DECAY;

    /// The baseline to use unless there is a reason for another: leave-one-out, or, where a step has one sample only, the moving average.
    ///
    /// ```
    /// use plackett::estimator::Baseline;
    /// assert_eq!(Baseline::usual(8), Baseline::LeaveOneOut);
    /// assert_eq!(Baseline::usual(1), Baseline::MovingAverage { decay: Baseline::DECAY });
    /// ```
    pub fn usual(samples: usize) -> Self {
        if samples > 1 { Self::LeaveOneOut } else { Self::MovingAverage { decay: Self::DECAY } }
    }
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
    average: MovingAverage,
    room: D::Room,
    score: Vec<f64>,
    /// One for each choice that the objective reads.
    weights: Vec<f64>,
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
            average: MovingAverage::default(),
            room: distribution.room(),
            score: vec![0.0; distribution.items()],
            weights: vec![1.0; distribution.outcome_len()],
        })
    }

    /// For an objective that reads the first `top` items of an outcome alone: only their choices answer for its value, which takes the
    /// noise of all others out of the gradient at no cost.
    ///
    /// ```
    /// use plackett::{PlackettLuce, estimator::{Baseline, Demand, Estimator, Reinforce, Samples}};
    /// let latent = PlackettLuce::new(&[0.0; 3])?;
    /// let mut samples = Samples::new(&latent, 1)?;
    /// samples.set_outcomes([&[2, 0, 1][..]])?;
    /// samples.set_values(&[3.0])?;
    /// let mut gradient = [0.0; 3];
    /// Reinforce::new(&latent, Baseline::None)?.with_top(1)?.gradient(&latent, &samples, &mut gradient)?;
    /// assert_eq!(gradient, [-1.0, -1.0, 2.0]); // who comes second does not matter
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// No items, or more than an outcome has.
    pub fn with_top(mut self, top: usize) -> Result<Self, Error> {
        set_top(&mut self.weights, top)?;
        Ok(self)
    }
}

/// Weights of one for the first choices, and of zero for the others.
pub(super) fn set_top(weights: &mut [f64], top: usize) -> Result<(), Error> {
    let is_valid = (1..=weights.len()).contains(&top);
    check_setting("top", top as f64, is_valid, "from 1 to the length of an outcome")?;
    let (first, rest) = weights.split_at_mut(top);
    first.fill(1.0);
    rest.fill(0.0);
    Ok(())
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
        let average = self.average.value();
        gradient.fill(0.0);
        for sample in samples.iter() {
            let advantage = match self.baseline {
                Baseline::None => sample.value,
                Baseline::MovingAverage { .. } => sample.value - average,
                Baseline::LeaveOneOut => less_others(sample.value, mean, count),
            };
            latent.weighted_grad_log_prob(sample.outcome, &self.weights, &mut self.score, &mut self.room);
            add_scaled(gradient, advantage / count, &self.score);
        }
        check_finite("gradient", gradient)?; // before the average takes in the values
        if let Baseline::MovingAverage { decay } = self.baseline {
            self.average.take_in(mean, decay);
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
pub(super) fn less_others(value: f64, mean: f64, count: f64) -> f64 {
    (value - mean) * count / (count - 1.0)
}

pub(super) fn check_left_out(samples: &Samples) -> Result<(), Error> {
    let count = samples.count();
    check_setting("samples", count as f64, count >= 2, "a leave-one-out baseline needs at least 2")
}
