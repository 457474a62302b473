//! REINFORCE on what a surrogate does not explain, plus the exact gradient of what it does.

use super::{
    Demand, Estimator, Samples, check_fit,
    reinforce::{less_others, set_top},
};
use crate::{
    distribution::Distribution as _,
    error::{Error, check_finite, check_length},
    linear::add_scaled,
    plackett_luce::{GivenOrder, PlackettLuce},
    surrogate::Surrogate,
};

/// The estimator (K − 1)⁻¹ Σ_n (e_n − ē) s(b_n) + ∇E h(b), with e = f − h what a [`Surrogate`] h leaves unexplained; for one sample the surrogate's own
/// moving average of earlier e takes the place of ē.
///
/// The surrogate learns from each step's values after the step's gradient is made, so that it never depends on the samples that it is
/// held against: the estimator is unbiased whatever it has learned. It needs no critic, no relaxation and no conditional perturbed scores.
/// Beside the objective a step costs the gradient of E h: O(k²) for pairs, O(Q k²) for ranks and O(Q² k²) for neighbors.
///
/// ```
/// use plackett::{PlackettLuce, Surrogate, Training, TrainingSettings, estimator::SurrogateGradient, run::{Limits, Run}};
/// let mut displacement = |order: &[usize]| order.iter().enumerate().map(|(r, &i)| r.abs_diff(i) as f64).sum::<f64>();
/// let latent = PlackettLuce::new(&[0.0; 6])?;
/// let estimator = SurrogateGradient::new(&latent, Surrogate::new(6)?)?;
/// let settings = TrainingSettings { samples: 4, learning_rate: 0.1, ..TrainingSettings::default() };
/// let mut training = Training::new(latent, estimator, settings)?;
/// training.run(&mut displacement, &Run::new(Limits::steps(200)))?;
/// assert_eq!(training.mode(), [0, 1, 2, 3, 4, 5]);
/// assert!(training.estimator().surrogate().explained() > 0.999); // a sum over ranks
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SurrogateGradient {
    surrogate: Surrogate,
    room: GivenOrder,
    score: Vec<f64>,
    weights: Vec<f64>,
    rests: Vec<f64>,
}

impl SurrogateGradient {
    /// The estimator with a surrogate, which may have learned something already.
    ///
    /// # Errors
    /// A surrogate for another number of items.
    pub fn new(latent: &PlackettLuce, surrogate: Surrogate) -> Result<Self, Error> {
        check_length("the surrogate's list of items", surrogate.items(), latent.items())?;
        let mut weights = vec![1.0; latent.items()];
        set_top(&mut weights, surrogate.settings().top.unwrap_or(latent.items()))?;
        Ok(Self {
            surrogate,
            room: latent.room(),
            score: vec![0.0; latent.items()],
            weights,
            rests: Vec::new(),
        })
    }

    /// The surrogate as it is now.
    pub fn surrogate(&self) -> &Surrogate {
        &self.surrogate
    }

    /// The surrogate, to be kept for another estimator.
    pub fn into_surrogate(self) -> Surrogate {
        self.surrogate
    }
}

impl Estimator for SurrogateGradient {
    type Latent = PlackettLuce;

    fn demand(&self) -> Demand {
        Demand::Values
    }

    fn gradient(
        &mut self,
        latent: &PlackettLuce,
        samples: &Samples,
        gradient: &mut [f64],
    ) -> Result<f64, Error> {
        check_fit(self.score.len(), latent, samples, gradient)?;
        let count = samples.count() as f64;
        let expected = self.surrogate.expectation(latent, gradient)?;
        self.rests.clear();
        self.rests.extend(samples.iter().map(|sample| sample.value - self.surrogate.predict(sample.outcome)));
        let mean: f64 = self.rests.iter().map(|rest| rest / count).sum();
        for (sample, &rest) in samples.iter().zip(&self.rests) {
            let advantage = if count > 1.0 { less_others(rest, mean, count) } else { rest };
            latent.weighted_grad_log_prob(sample.outcome, &self.weights, &mut self.score, &mut self.room);
            add_scaled(gradient, advantage / count, &self.score);
        }
        check_finite("gradient", gradient)?;
        for sample in samples.iter() {
            // Only now may the surrogate see these values.
            self.surrogate.note(sample.outcome, sample.value);
        }
        Ok(expected + mean)
    }
}
