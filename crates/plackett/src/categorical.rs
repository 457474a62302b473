//! The categorical distribution with the face of a [`Latent`]: the Gumbel-max trick and equation 10 of the paper.

use rand::Rng;

use crate::{
    distribution::{Distribution, Enumerable},
    elementary::ln,
    error::{Error, check_length, check_noise},
    gumbel::{LogSum, exponential},
    latent::{Given, Latent, NormalizedScores},
    noise::fill_uniform,
    row::{check_log_prob, difference},
};

/// A distribution over k categories with log-scores θ: category i has probability exp θᵢ / Σ exp θ.
///
/// ```
/// use plackett::{Categorical, Noise};
/// let coin = Categorical::new(&[0.0, 3f64.ln()])?;
/// assert!((coin.log_prob(1)? - 0.75f64.ln()).abs() < 1e-15);
/// assert_eq!(coin.mode(), 1);
/// assert!(coin.sample(Noise::new(0).stream(0)) < 2);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Categorical {
    scores: NormalizedScores,
}

impl Categorical {
    /// The distribution with these scores.
    ///
    /// # Errors
    /// No scores, or one that is not finite.
    pub fn new(scores: &[f64]) -> Result<Self, Error> {
        Ok(Self { scores: NormalizedScores::new(scores)? })
    }

    /// The log-probability of a category.
    ///
    /// # Errors
    /// A category that does not exist, or a result below −1.8·10³⁰⁸.
    pub fn log_prob(&self, category: usize) -> Result<f64, Error> {
        self.check(category)?;
        check_log_prob(difference(self.scores.log[category], 0.0))
    }

    /// The gradient of [`log_prob`](Self::log_prob) in the scores: e_b − p.
    ///
    /// ```
    /// let gradient = plackett::Categorical::new(&[0.0, 0.0])?.grad_log_prob(1)?;
    /// assert_eq!(gradient, [-0.5, 0.5]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A category that does not exist.
    pub fn grad_log_prob(&self, category: usize) -> Result<Vec<f64>, Error> {
        self.check(category)?;
        let mut given = self.room();
        self.condition(&[category], &mut given);
        let mut gradient = vec![0.0; self.items()];
        given.grad_log_prob(&mut gradient);
        Ok(gradient)
    }

    /// One category. O(k).
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> usize {
        self.sample_many(1, rng)[0]
    }

    /// Many independent categories. O(k) each.
    ///
    /// ```
    /// use plackett::{Categorical, Noise};
    /// let draws = Categorical::new(&[0.0, 50.0])?.sample_many(100, Noise::new(0).stream(0));
    /// assert!(draws.iter().all(|&category| category == 1));
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn sample_many<R: Rng + ?Sized>(&self, count: usize, rng: &mut R) -> Vec<usize> {
        let mut noise = vec![0.0; self.items()];
        let mut z = vec![0.0; self.items()];
        let mut outcome = [0];
        let mut draw = || {
            fill_uniform(rng, &mut noise);
            Latent::perturb(self, &noise, &mut z);
            self.outcome(&z, &mut outcome);
            outcome[0]
        };
        (0..count).map(|_| draw()).collect()
    }

    /// The most probable category, the smallest among equals.
    pub fn mode(&self) -> usize {
        let mut outcome = [0];
        self.outcome(&self.scores.log, &mut outcome);
        outcome[0]
    }

    /// The entropy in nats. O(k).
    ///
    /// ```
    /// assert!((plackett::Categorical::new(&[0.0; 4])?.entropy() - 4f64.ln()).abs() < 1e-15);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn entropy(&self) -> f64 {
        let terms = self.scores.log.iter().zip(&self.scores.probability);
        -terms.map(|(log, p)| if *p == 0.0 { 0.0 } else { p * log }).sum::<f64>()
    }

    /// Perturbed scores z from explicit uniform noise, one number per category.
    ///
    /// ```
    /// let z = plackett::Categorical::new(&[0.0, 0.0])?.perturb(&[0.2, 0.8])?;
    /// assert!(z[0] < z[1]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Noise of the wrong length or outside [0, 1].
    pub fn perturb(&self, u: &[f64]) -> Result<Vec<f64>, Error> {
        check_length("u", u.len(), self.items())?;
        check_noise("u", u)?;
        let mut z = vec![0.0; u.len()];
        Latent::perturb(self, u, &mut z);
        Ok(z)
    }

    /// Conditional perturbed scores z̃ given the category, from explicit uniform noise v (equation 10): vᵢ belongs
    /// to category i.
    ///
    /// ```
    /// let z = plackett::Categorical::new(&[0.0, 5.0, -2.0])?.conditional(2, &[0.9, 0.9, 0.1])?;
    /// assert!(z[2] > z[0] && z[2] > z[1]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A category that does not exist, or noise of the wrong length or outside [0, 1].
    pub fn conditional(&self, category: usize, v: &[f64]) -> Result<Vec<f64>, Error> {
        self.check(category)?;
        check_length("v", v.len(), self.items())?;
        check_noise("v", v)?;
        let mut given = self.room();
        self.condition(&[category], &mut given);
        let mut z = vec![0.0; v.len()];
        given.perturb(v, &mut z);
        Ok(z)
    }

    fn check(&self, category: usize) -> Result<(), Error> {
        crate::order::check_distinct(&[category], self.items())
    }
}

impl Distribution for Categorical {
    type Room = GivenCategory;

    fn scores(&self) -> &[f64] {
        &self.scores.log
    }

    fn set_scores(&mut self, scores: &[f64]) -> Result<(), Error> {
        self.scores.set(scores)
    }

    fn outcome_len(&self) -> usize {
        1
    }

    fn room(&self) -> GivenCategory {
        GivenCategory { category: 0, scores: self.scores.clone(), free: vec![0.0; self.items()] }
    }

    fn draw(&self, u: &[f64], z: &mut [f64], outcome: &mut [usize]) {
        Latent::perturb(self, u, z);
        self.outcome(z, outcome);
    }

    fn choose_best(&self, outcome: &mut [usize]) {
        self.outcome(&self.scores.log, outcome);
    }

    fn log_prob_in(&self, outcome: &[usize], _given: &mut GivenCategory) -> f64 {
        self.scores.log[outcome[0]]
    }

    fn weighted_grad_log_prob(
        &self,
        outcome: &[usize],
        weights: &[f64],
        gradient: &mut [f64],
        _given: &mut GivenCategory,
    ) {
        for (gradient, p) in gradient.iter_mut().zip(&self.scores.probability) {
            *gradient = -weights[0] * p;
        }
        gradient[outcome[0]] += weights[0];
    }
}

impl Latent for Categorical {
    type Given = GivenCategory;

    fn probabilities(&self) -> &[f64] {
        &self.scores.probability
    }

    fn outcome(&self, z: &[f64], outcome: &mut [usize]) {
        outcome[0] = (1..z.len()).fold(0, |best, item| if z[item] > z[best] { item } else { best });
    }

    fn condition(&self, outcome: &[usize], given: &mut GivenCategory) {
        given.category = outcome[0];
        given.scores.log.copy_from_slice(&self.scores.log);
        given.scores.probability.copy_from_slice(&self.scores.probability);
    }
}

impl Enumerable for Categorical {
    fn outcomes(&self) -> Result<usize, Error> {
        Ok(self.items())
    }

    fn try_for_each_outcome(
        &self,
        visit: &mut dyn FnMut(&[usize]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        (0..self.items()).try_for_each(|category| visit(&[category]))
    }

    fn expectation(&self, values: &[f64], gradient: &mut [f64], _scratch: &mut Vec<f64>) -> f64 {
        let p = &self.scores.probability;
        let mean: f64 = p.iter().zip(values).map(|(p, value)| p * value).sum();
        for ((gradient, p), value) in gradient.iter_mut().zip(p).zip(values) {
            *gradient = p * (value - mean);
        }
        mean
    }
}

/// The categorical distribution with its outcome fixed. Made by [`Categorical`] for the estimators.
#[derive(Clone, Debug)]
pub struct GivenCategory {
    category: usize,
    scores: NormalizedScores,
    /// ∂z̃ᵢ/∂θᵢ before normalization: the share of category i's own noise in exp(−z̃ᵢ); zero for b itself.
    free: Vec<f64>,
}

impl Given for GivenCategory {
    fn log_prob(&self) -> f64 {
        self.scores.log[self.category]
    }

    fn grad_log_prob(&self, gradient: &mut [f64]) {
        for (gradient, p) in gradient.iter_mut().zip(&self.scores.probability) {
            *gradient = -p;
        }
        gradient[self.category] += 1.0;
    }

    fn perturb(&mut self, v: &[f64], z: &mut [f64]) {
        let top = -ln(exponential(v[self.category]));
        for (item, z) in z.iter_mut().enumerate() {
            let sum = LogSum::of(ln(exponential(v[item])) - self.scores.log[item], -top);
            *z = (-sum.log).min(top.next_down());
            self.free[item] = sum.first;
        }
        z[self.category] = top;
        self.free[self.category] = 0.0;
    }

    fn perturb_jvp(&self, direction: &[f64], product: &mut [f64]) {
        let mean: f64 = self.scores.probability.iter().zip(direction).map(|(p, d)| p * d).sum();
        for ((product, d), free) in product.iter_mut().zip(direction).zip(&self.free) {
            *product = free * (d - mean);
        }
    }

    fn perturb_vjp(&self, cotangent: &[f64], product: &mut [f64]) {
        let total: f64 = self.free.iter().zip(cotangent).map(|(free, g)| free * g).sum();
        for (item, product) in product.iter_mut().enumerate() {
            *product = self.free[item] * cotangent[item] - self.scores.probability[item] * total;
        }
    }
}
