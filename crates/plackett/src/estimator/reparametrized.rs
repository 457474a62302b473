//! The plain reparametrized gradient of a relaxed objective (Gumbel–softmax, NeuralSort): low variance, but biased.

use super::{Demand, Estimator, Samples, check_fit};
use crate::{
    critic::Critic,
    error::{Error, check_finite, check_length},
    latent::Latent,
    linear::add_scaled,
};

/// The gradient ∂/∂θ f(σ(z, τ)) at a fixed temperature: section 2.2 of the paper. Biased for f on outcomes.
///
/// The relaxed objective is given as a critic, since that is what a function of z with a gradient is called here.
///
/// ```
/// use plackett::{Noise, PlackettLuce, Toy, critic::RelaxedObjective, estimator::{Demand, Estimator, Reparametrized, Samples}, relaxation::NeuralSort};
/// let latent = PlackettLuce::new(&[0.0; 4])?;
/// let relaxed = RelaxedObjective::unscaled(Toy::permutation(4, 0.1)?, NeuralSort::new(4));
/// let temperature: f64 = 0.5;
/// let mut estimator = Reparametrized::new(&latent, relaxed, vec![temperature.ln()])?;
/// let mut samples = Samples::new(&latent, 100)?;
/// samples.draw(&latent, Demand::Perturbed, &mut Noise::new(0), 0)?;
/// let mut gradient = [0.0; 4];
/// estimator.gradient(&latent, &samples, &mut gradient)?;
/// assert!(gradient[0] < 0.0); // item 0 should come first
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reparametrized<L, C> {
    critic: C,
    parameters: Vec<f64>,
    slope: Vec<f64>,
    pulled_back: Vec<f64>,
    latent: std::marker::PhantomData<L>,
}

impl<L: Latent, C: Critic> Reparametrized<L, C> {
    /// The gradient of this function of z at these parameters.
    ///
    /// # Errors
    /// A critic for another number of items, or parameters of another length or not finite.
    pub fn new(latent: &L, critic: C, parameters: Vec<f64>) -> Result<Self, Error> {
        check_length("the critic's input", critic.inputs(), latent.items())?;
        check_length("the critic's parameters", parameters.len(), critic.parameters())?;
        check_finite("parameters", &parameters)?;
        let zeros = vec![0.0; latent.items()];
        Ok(Self {
            critic,
            parameters,
            slope: zeros.clone(),
            pulled_back: zeros,
            latent: std::marker::PhantomData,
        })
    }
}

impl<L: Latent, C: Critic> Estimator for Reparametrized<L, C> {
    type Latent = L;

    fn demand(&self) -> Demand {
        Demand::Perturbed
    }

    fn gradient(&mut self, latent: &L, samples: &Samples, gradient: &mut [f64]) -> Result<f64, Error> {
        check_fit(self.slope.len(), latent, samples, gradient)?;
        let weight = 1.0 / samples.count() as f64;
        let mut mean = 0.0;
        gradient.fill(0.0);
        for sample in samples.iter() {
            mean +=
                weight * self.critic.value_and_gradient(&self.parameters, sample.perturbed, &mut self.slope);
            latent.perturb_vjp(&self.slope, &mut self.pulled_back);
            add_scaled(gradient, weight, &self.pulled_back);
        }
        if !mean.is_finite() {
            return Err(Error::CriticNotFinite { what: "value" });
        }
        if gradient.iter().any(|g| !g.is_finite()) {
            return Err(Error::CriticNotFinite { what: "gradient" });
        }
        Ok(mean)
    }
}
