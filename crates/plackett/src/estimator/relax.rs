//! RELAX, and REBAR as RELAX with a particular critic (equations 11 and 13 of the paper).

use super::{Demand, Estimator, Samples, check_fit};
use crate::{
    critic::{Critic, RelaxedObjective},
    error::{Error, check_finite, check_length},
    latent::{Given, Latent},
    linear::{add_scaled, dot},
    noise::Noise,
};

/// The stream that a critic's first parameters are drawn from; training steps use those after it.
const PARAMETER_STREAM: u64 = 0;

/// REBAR: RELAX with the critic η·f(σ(z, τ)).
///
/// ```
/// use plackett::{Noise, PlackettLuce, Toy, critic::RelaxedObjective, estimator::{Rebar, Relax}, relaxation::NeuralSort};
/// let latent = PlackettLuce::new(&[0.0; 8])?;
/// let critic = RelaxedObjective::scaled(Toy::permutation(8, 0.05)?, NeuralSort::new(8));
/// let rebar: Rebar<PlackettLuce, Toy, NeuralSort> = Relax::new(&latent, critic, &mut Noise::new(0))?;
/// # Ok::<(), plackett::Error>(())
/// ```
pub type Rebar<L, F, R> = Relax<L, RelaxedObjective<F, R>>;

/// The estimator g = (f(b) − c(z̃)) s + J_zᵀ∇c(z) − J_z̃ᵀ∇c(z̃), s = ∇_θ log p(b): unbiased for any critic c.
///
/// The critic's parameters are trained to make E‖g‖², and with it the variance, small; the gradient for that is
/// worked out along with g, as a mean over the samples of ∂‖g‖²/∂φ. O(k) a sample beside the critic's cost.
///
/// ```
/// use plackett::{Noise, PlackettLuce, Training, TrainingSettings, critic::Network, estimator::Relax, run::{Limits, Run}};
/// // A black box: no gradient, no relaxation, only values.
/// let mut objective = |order: &[usize]| if order[..2] == [3, 1] { 0.0 } else { 1.0 + order[0] as f64 / 8.0 };
/// let latent = PlackettLuce::new(&[0.0; 4])?;
/// let relax = Relax::new(&latent, Network::new(4, 32), &mut Noise::new(0))?;
/// let mut training = Training::new(latent, relax, TrainingSettings { samples: 4, ..TrainingSettings::default() })?;
/// training.run(&mut objective, &Run::new(Limits::steps(3000)))?;
/// assert_eq!(training.mode()[..2], [3, 1]);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Relax<L: Latent, C> {
    /// The critic at z, and again at z̃: each remembers its point between value and parameter gradient.
    critic: C,
    critic_tilde: C,
    parameters: Vec<f64>,
    parameter_gradient: Vec<f64>,
    given: L::Given,
    work: Work,
    /// Whether each sample's f(b) − c(z̃) is taken less that of the others, and those differences.
    leaves_one_out: bool,
    rests: Vec<f64>,
    /// Σ ∂c(z̃)/∂φ, through which every sample's baseline depends on the critic.
    shared: Vec<f64>,
}

/// Vectors of length k that a sample needs.
#[derive(Clone, Debug)]
struct Work {
    score: Vec<f64>,
    z_tilde: Vec<f64>,
    slope: Vec<f64>,
    slope_tilde: Vec<f64>,
    estimate: Vec<f64>,
    product: Vec<f64>,
}

impl<L: Latent, C: Critic> Relax<L, C> {
    /// RELAX with a critic, its parameters initialized from the noise.
    ///
    /// # Errors
    /// A critic for another number of items.
    pub fn new(latent: &L, critic: C, noise: &mut Noise) -> Result<Self, Error> {
        check_length("the critic's input", critic.inputs(), latent.items())?;
        let mut uniform = vec![0.0; critic.parameters()];
        noise.fill(PARAMETER_STREAM, &mut uniform);
        let mut parameters = vec![0.0; critic.parameters()];
        critic.initialize(&uniform, &mut parameters);
        let zeros = vec![0.0; latent.items()];
        let work = Work {
            score: zeros.clone(),
            z_tilde: zeros.clone(),
            slope: zeros.clone(),
            slope_tilde: zeros.clone(),
            estimate: zeros.clone(),
            product: zeros,
        };
        let parameter_gradient = vec![0.0; parameters.len()];
        let (critic_tilde, given) = (critic.clone(), latent.room());
        Ok(Self {
            critic,
            critic_tilde,
            parameters,
            parameter_gradient,
            given,
            work,
            leaves_one_out: false,
            rests: Vec::new(),
            shared: Vec::new(),
        })
    }

    /// With a leave-one-out baseline where a step has several samples: of each f(b) − c(z̃) the mean of the others' is taken off, which
    /// spares the critic learning what is the same for all. The critic is evaluated once more for each sample.
    ///
    /// ```
    /// use plackett::{Noise, PlackettLuce, critic::Network, estimator::Relax};
    /// let latent = PlackettLuce::new(&[0.0; 4])?;
    /// let relax = Relax::new(&latent, Network::new(4, 32), &mut Noise::new(0))?.with_leave_one_out();
    /// # Ok::<(), plackett::Error>(())
    /// ```
    #[must_use]
    pub fn with_leave_one_out(mut self) -> Self {
        self.leaves_one_out = true;
        self.shared = vec![0.0; self.parameters.len()];
        self
    }

    /// The critic's parameters φ.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// Replaces the critic's parameters.
    ///
    /// # Errors
    /// Another number of parameters, or one that is not finite.
    pub fn set_parameters(&mut self, parameters: &[f64]) -> Result<(), Error> {
        check_length("the critic's parameters", parameters.len(), self.parameters.len())?;
        check_finite("parameters", parameters)?;
        self.parameters.copy_from_slice(parameters);
        Ok(())
    }
}

impl<L: Latent, C: Critic> Estimator for Relax<L, C> {
    type Latent = L;

    fn demand(&self) -> Demand {
        Demand::ValuesAndConditional
    }

    fn gradient(&mut self, latent: &L, samples: &Samples, gradient: &mut [f64]) -> Result<f64, Error> {
        let Self {
            critic,
            critic_tilde,
            parameters,
            parameter_gradient,
            given,
            work,
            leaves_one_out,
            rests,
            shared,
        } = self;
        check_fit(work.score.len(), latent, samples, gradient)?;
        let count = samples.count();
        let weight = 1.0 / count as f64;
        let leaves_one_out = *leaves_one_out && count > 1;
        rests.clear();
        shared.fill(0.0);
        let mut mean_slope = 0.0;
        // f(b) − c(z̃) less the others' is its distance from the mean times this.
        let stretch = if leaves_one_out { count as f64 / (count as f64 - 1.0) } else { 1.0 };
        if leaves_one_out {
            for sample in samples.iter() {
                latent.condition(sample.outcome, given);
                given.perturb(sample.conditional_noise, &mut work.z_tilde);
                let value_tilde =
                    critic_tilde.value_and_gradient(parameters, &work.z_tilde, &mut work.slope_tilde);
                rests.push(sample.value - value_tilde);
            }
            let mean: f64 = rests.iter().map(|rest| weight * rest).sum();
            rests.iter_mut().for_each(|rest| *rest = stretch * (*rest - mean));
        }
        gradient.fill(0.0);
        parameter_gradient.fill(0.0);
        for (at, sample) in samples.iter().enumerate() {
            latent.condition(sample.outcome, given);
            given.grad_log_prob(&mut work.score);
            given.perturb(sample.conditional_noise, &mut work.z_tilde);

            critic.value_and_gradient(parameters, sample.perturbed, &mut work.slope);
            let value_tilde =
                critic_tilde.value_and_gradient(parameters, &work.z_tilde, &mut work.slope_tilde);
            if !value_tilde.is_finite() {
                return Err(Error::CriticNotFinite { what: "value" });
            }

            latent.perturb_vjp(&work.slope, &mut work.estimate);
            given.perturb_vjp(&work.slope_tilde, &mut work.product);
            add_scaled(&mut work.estimate, -1.0, &work.product);
            let rest = rests.get(at).copied().unwrap_or(sample.value - value_tilde);
            add_scaled(&mut work.estimate, rest, &work.score);
            add_scaled(gradient, weight, &work.estimate);

            // ∂‖g‖²/∂φ = ∂/∂φ [α·c(z̃) + v·∇c(z) − w·∇c(z̃)] with α = −2 g·s, v = 2 J_z g, w = 2 J_z̃ g held constant.
            let slope = 2.0 * weight * stretch * dot(&work.estimate, &work.score);
            mean_slope += weight * slope;
            let alpha = -slope;
            work.estimate.iter_mut().for_each(|g| *g *= 2.0 * weight);
            latent.perturb_jvp(&work.estimate, &mut work.product);
            critic.add_parameter_gradient(parameters, 0.0, &work.product, parameter_gradient);
            work.estimate.iter_mut().for_each(|g| *g = -*g);
            given.perturb_jvp(&work.estimate, &mut work.product);
            critic_tilde.add_parameter_gradient(parameters, alpha, &work.product, parameter_gradient);
            if leaves_one_out {
                work.product.fill(0.0);
                critic_tilde.add_parameter_gradient(parameters, 1.0, &work.product, shared);
            }
        }
        if leaves_one_out {
            add_scaled(parameter_gradient, mean_slope, shared);
        }
        if gradient.iter().any(|g| !g.is_finite()) {
            return Err(Error::CriticNotFinite { what: "gradient" });
        }
        if parameter_gradient.iter().any(|g| !g.is_finite()) {
            return Err(Error::CriticNotFinite { what: "parameters' gradient" });
        }
        Ok(samples.mean_value())
    }

    fn critic(&mut self) -> (&mut [f64], &[f64]) {
        (&mut self.parameters, &self.parameter_gradient)
    }
}
