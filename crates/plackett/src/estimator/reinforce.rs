//! REINFORCE: f(b) ∇ log p(b), less a baseline (section 2.1 of the paper).

use super::{Demand, Estimator, Samples, check_fit};
use crate::{
    error::{Error, check_finite, check_setting},
    latent::{Given, Latent},
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
pub struct Reinforce<L: Latent> {
    baseline: Baseline,
    /// The moving average before correction for its start at zero, and the weight that it has gathered.
    average: (f64, f64),
    given: L::Given,
    score: Vec<f64>,
}

impl<L: Latent> Reinforce<L> {
    /// REINFORCE with a baseline.
    ///
    /// # Errors
    /// A decay outside [0, 1).
    pub fn new(latent: &L, baseline: Baseline) -> Result<Self, Error> {
        if let Baseline::MovingAverage { decay } = baseline {
            check_setting("decay", decay, (0.0..1.0).contains(&decay), "it must be at least 0 and below 1")?;
        }
        let (given, score) = (latent.unconditioned(), vec![0.0; latent.items()]);
        Ok(Self { baseline, average: (0.0, 0.0), given, score })
    }
}

impl<L: Latent> Estimator for Reinforce<L> {
    type Latent = L;

    fn demand(&self) -> Demand {
        Demand::Values
    }

    fn gradient(&mut self, latent: &L, samples: &Samples, gradient: &mut [f64]) -> Result<f64, Error> {
        check_fit(self.score.len(), latent, samples, gradient)?;
        let (count, mean) = (samples.count() as f64, samples.mean_value());
        if self.baseline == Baseline::LeaveOneOut {
            check_setting("samples", count, count >= 2.0, "a leave-one-out baseline needs at least 2")?;
        }
        let average = if self.average.1 > 0.0 { self.average.0 / self.average.1 } else { 0.0 };
        gradient.fill(0.0);
        for sample in samples.iter() {
            let advantage = match self.baseline {
                Baseline::None => sample.value,
                Baseline::MovingAverage { .. } => sample.value - average,
                // f − (n·mean − f)/(n − 1), rearranged.
                Baseline::LeaveOneOut => (sample.value - mean) * count / (count - 1.0),
            };
            latent.condition(sample.outcome, &mut self.given);
            self.given.grad_log_prob(&mut self.score);
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
