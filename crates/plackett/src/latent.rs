//! The pieces that every gradient estimator is built from: a latent made by a deterministic map of Gumbel noise.
//!
//! REINFORCE, REBAR and RELAX (the paper's section 2) need the map H(z), a reparametrized p(z | θ), a
//! reparametrized p(z | b, θ), and log p(b | θ). [`Latent`] and [`Given`] are those pieces; section 3 of the
//! paper supplies them for Plackett–Luce, and its equation 10 for the categorical distribution.

use crate::{
    distribution::Distribution,
    elementary::ln,
    error::{Error, check_finite},
    gumbel::exponential,
    row::normalize,
};

/// Scores θ normalized so that Σ exp θ = 1, with their exponentials.
#[derive(Clone, Debug)]
pub(crate) struct NormalizedScores {
    pub(crate) log: Vec<f64>,
    pub(crate) probability: Vec<f64>,
}

impl NormalizedScores {
    pub(crate) fn new(scores: &[f64]) -> Result<Self, Error> {
        if scores.is_empty() {
            return Err(Error::Empty { what: "the list of scores" });
        }
        let mut normalized = Self { log: vec![0.0; scores.len()], probability: vec![0.0; scores.len()] };
        normalized.set(scores)?;
        Ok(normalized)
    }

    /// Replaces the scores. O(k), without allocation; on an error nothing has changed.
    pub(crate) fn set(&mut self, scores: &[f64]) -> Result<(), Error> {
        crate::error::check_length("the list of scores", scores.len(), self.log.len())?;
        check_finite("scores", scores)?;
        normalize(scores, &mut self.log, &mut self.probability);
        Ok(())
    }
}

/// A discrete latent b = H(z) made from Gumbel noise z, with scores θ.
///
/// Implemented by [`PlackettLuce`](crate::PlackettLuce) and [`Categorical`](crate::Categorical). An outcome is
/// a list of items: the whole order for Plackett–Luce, one item for the categorical distribution.
///
/// As with [`Distribution`], these are unchecked pieces, and none of them allocates.
pub trait Latent: Distribution<Room = Self::Given> {
    /// The latent with its outcome fixed: p(z | b, θ) and p(b | θ).
    type Given: Given;

    /// exp θ of the normalized scores.
    fn probabilities(&self) -> &[f64];

    /// The outcome of perturbed scores, H(z).
    fn outcome(&self, z: &[f64], outcome: &mut [usize]);

    /// Fixes the outcome. O(k), without allocation.
    fn condition(&self, outcome: &[usize], given: &mut Self::Given);

    /// Perturbed scores z = θ − log(−log u), θ normalized.
    fn perturb(&self, u: &[f64], z: &mut [f64]) {
        for ((z, score), &u) in z.iter_mut().zip(self.scores()).zip(u) {
            *z = score - ln(exponential(u));
        }
    }

    /// J g, where J = ∂z/∂θ = I − 1 pᵀ is the derivative of [`perturb`](Latent::perturb).
    fn perturb_jvp(&self, direction: &[f64], product: &mut [f64]) {
        let mean: f64 = self.probabilities().iter().zip(direction).map(|(p, d)| p * d).sum();
        for (product, d) in product.iter_mut().zip(direction) {
            *product = d - mean;
        }
    }

    /// Jᵀ g, where J = ∂z/∂θ = I − 1 pᵀ.
    fn perturb_vjp(&self, cotangent: &[f64], product: &mut [f64]) {
        let total: f64 = cotangent.iter().sum();
        for ((product, g), p) in product.iter_mut().zip(cotangent).zip(self.probabilities()) {
            *product = g - p * total;
        }
    }
}

/// A latent with its outcome b fixed: log p(b | θ), and z̃ drawn from p(z | b, θ).
///
/// Slices must be as long as there are items. None of these calls allocates.
pub trait Given: Clone + std::fmt::Debug {
    /// log p(b | θ).
    fn log_prob(&self) -> f64;

    /// s = ∇_θ log p(b | θ).
    fn grad_log_prob(&self, gradient: &mut [f64]);

    /// Conditional perturbed scores z̃ from uniform noise v; H(z̃) is b, always.
    fn perturb(&mut self, v: &[f64], z: &mut [f64]);

    /// J̃ d, where J̃ = ∂z̃/∂θ at the noise of the last [`perturb`](Given::perturb).
    fn perturb_jvp(&self, direction: &[f64], product: &mut [f64]);

    /// J̃ᵀ g, where J̃ = ∂z̃/∂θ at the noise of the last [`perturb`](Given::perturb).
    fn perturb_vjp(&self, cotangent: &[f64], product: &mut [f64]);
}
