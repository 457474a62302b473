//! The Sinkhorn operator: rows and columns of exp(X / τ) normalized in turn, in log space.
//!
//! Its limit is doubly stochastic; with Gumbel noise on X it is the Gumbel–Sinkhorn relaxation of a random
//! matching. The derivatives go through the iterations that were made, not through their limit: each
//! normalization L ← L − logsumexp(L) is differentiated by its own softmax weights, which are kept.

use super::{Relaxation, relax_once};
use crate::{
    elementary::{exp, ln},
    error::{Error, check_length, check_noise, check_setting},
    gumbel::exponential,
};

/// Logits do not spread further than this: colder temperatures are raised to the one that spreads them so. That is
/// still 10⁵ times beyond what a double can tell from zero probability, and finite after any number of
/// normalizations. Cutting the logits instead would forget how they compare, and with it the best matching.
const WIDEST_LOGIT: f64 = 1e8;

/// `iterations` rounds of row and column normalization of exp(X) for a square matrix X, row-major. O(k²) a round.
///
/// ```
/// let p = plackett::relaxation::sinkhorn(&[2.0, 0.0, 0.0, 2.0], 20)?;
/// assert!((p[0] + p[2] - 1.0).abs() < 1e-12 && (p[0] + p[1] - 1.0).abs() < 1e-9);
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// A matrix that is empty, not square or not finite, or no iterations.
pub fn sinkhorn(log_weights: &[f64], iterations: usize) -> Result<Vec<f64>, Error> {
    let relaxation = Sinkhorn::new(log_weights.len().isqrt(), iterations)?;
    relax_once(relaxation, log_weights, 1.0)
}

/// The Gumbel–Sinkhorn relaxation: the Sinkhorn operator on (X + Gumbel noise) / τ, with explicit uniform noise.
///
/// ```
/// let noise = [0.9, 0.2, 0.4, 0.7];
/// let p = plackett::relaxation::gumbel_sinkhorn(&[0.0; 4], &noise, 0.01, 50)?;
/// assert!(p[0] > 0.99 && p[3] > 0.99);
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// As [`sinkhorn`], and noise of the wrong length or outside [0, 1], or a temperature that is not positive.
pub fn gumbel_sinkhorn(
    log_weights: &[f64],
    u: &[f64],
    tau: f64,
    iterations: usize,
) -> Result<Vec<f64>, Error> {
    check_length("u", u.len(), log_weights.len())?;
    check_noise("u", u)?;
    let perturbed: Vec<f64> = log_weights.iter().zip(u).map(|(x, &u)| x - ln(exponential(u))).collect();
    relax_once(Sinkhorn::new(log_weights.len().isqrt(), iterations)?, &perturbed, tau)
}

/// The relaxation X ↦ Sinkhorn(X / τ) of the best matching. Every method is O(k²) a round, and so is the memory.
///
/// Round a result to a permutation with [`assignment`](crate::assignment).
///
/// ```
/// use plackett::relaxation::{Relaxation, Sinkhorn};
/// let mut matrix = [0.0; 4];
/// Sinkhorn::new(2, 30)?.forward(&[1.0, 0.0, 0.0, 1.0], 1e-300, &mut matrix);
/// assert_eq!(matrix, [1.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sinkhorn {
    items: usize,
    tau: f64,
    /// The logits X / τ before the first normalization.
    start: Vec<f64>,
    /// exp L after every normalization, rows and columns in turn: the weights of its derivative.
    weights: Vec<f64>,
    /// Changes along z, along log τ, and the mixed ones.
    tangents: [Vec<f64>; 2],
}

impl Sinkhorn {
    /// A relaxation for k × k matrices with this many rounds.
    ///
    /// # Errors
    /// No iterations.
    pub fn new(items: usize, iterations: usize) -> Result<Self, Error> {
        check_setting("iterations", iterations as f64, iterations > 0, "at least 1 is needed")?;
        let size = items * items;
        Ok(Self {
            items,
            tau: 1.0,
            start: vec![0.0; size],
            weights: vec![0.0; 2 * iterations * size],
            tangents: [vec![0.0; size], vec![0.0; size]],
        })
    }

    /// Turns changes of the first logits into changes of the final matrix.
    fn push_forward(&self, product: &mut [f64]) {
        for (step, weights) in self.weights.chunks_exact(self.start.len().max(1)).enumerate() {
            for line in lines(self.items, step) {
                let mean: f64 = line.clone().map(|at| weights[at] * product[at]).sum();
                line.for_each(|at| product[at] -= mean);
            }
        }
        for (change, p) in product.iter_mut().zip(self.matrix()) {
            *change *= p;
        }
    }

    /// The final matrix: the weights after the last normalization.
    fn matrix(&self) -> &[f64] {
        &self.weights[self.weights.len() - self.start.len()..]
    }
}

/// The lines of a square matrix that one normalization works on: rows first, then columns, and so on.
fn lines(items: usize, step: usize) -> impl Iterator<Item = impl Iterator<Item = usize> + Clone> {
    let (line_stride, entry_stride) = if step.is_multiple_of(2) { (items, 1) } else { (1, items) };
    (0..items).map(move |line| (0..items).map(move |entry| line * line_stride + entry * entry_stride))
}

impl Relaxation for Sinkhorn {
    fn input_len(&self) -> usize {
        self.start.len()
    }

    fn output_len(&self) -> usize {
        self.start.len()
    }

    fn forward(&mut self, z: &[f64], tau: f64, matrix: &mut [f64]) {
        let (items, size) = (self.items, self.start.len());
        // Halves throughout, because the difference of two finite numbers may not be finite.
        let max = z.iter().map(|z| 0.5 * z).fold(f64::NEG_INFINITY, f64::max);
        let min = z.iter().map(|z| 0.5 * z).fold(f64::INFINITY, f64::min);
        let half_tau = (0.5 * tau).max((max - min) / WIDEST_LOGIT).max(f64::MIN_POSITIVE);
        self.tau = 2.0 * half_tau;
        for (start, z) in self.start.iter_mut().zip(z) {
            *start = (0.5 * z - max) / half_tau;
        }
        let [logits, _] = &mut self.tangents;
        logits.copy_from_slice(&self.start);
        for (step, weights) in self.weights.chunks_exact_mut(size.max(1)).enumerate() {
            for line in lines(items, step) {
                let max = line.clone().map(|at| logits[at]).fold(f64::NEG_INFINITY, f64::max);
                let total: f64 = line.clone().map(|at| exp(logits[at] - max)).sum();
                let normalizer = max + ln(total);
                for at in line {
                    logits[at] -= normalizer;
                    weights[at] = exp(logits[at]);
                }
            }
        }
        matrix.copy_from_slice(self.matrix());
    }

    fn jvp(&mut self, dz: &[f64], product: &mut [f64]) {
        for (change, dz) in product.iter_mut().zip(dz) {
            *change = dz / self.tau;
        }
        self.push_forward(product);
    }

    fn temperature_jvp(&mut self, product: &mut [f64]) {
        for (change, start) in product.iter_mut().zip(&self.start) {
            *change = -start;
        }
        self.push_forward(product);
    }

    fn vjp(&mut self, cotangent: &[f64], gradient: &mut [f64]) -> f64 {
        for ((gradient, g), p) in gradient.iter_mut().zip(cotangent).zip(self.matrix()) {
            *gradient = g * p;
        }
        let steps = self.weights.chunks_exact(self.start.len().max(1)).enumerate();
        for (step, weights) in steps.rev() {
            for line in lines(self.items, step) {
                let total: f64 = line.clone().map(|at| gradient[at]).sum();
                line.for_each(|at| gradient[at] -= weights[at] * total);
            }
        }
        let dlog_tau = -gradient.iter().zip(&self.start).map(|(g, start)| g * start).sum::<f64>();
        gradient.iter_mut().for_each(|g| *g /= self.tau);
        dlog_tau
    }

    fn mixed(&mut self, dz: &[f64], product: &mut [f64]) {
        let [along_z, along_tau] = &mut self.tangents;
        for (at, dz) in dz.iter().enumerate() {
            along_z[at] = dz / self.tau;
            along_tau[at] = -self.start[at];
            product[at] = -along_z[at];
        }
        for (step, weights) in self.weights.chunks_exact(self.start.len().max(1)).enumerate() {
            for line in lines(self.items, step) {
                let mean = |values: &[f64]| line.clone().map(|at| weights[at] * values[at]).sum::<f64>();
                let (mean_z, mean_tau, mean_both) = (mean(along_z), mean(along_tau), mean(product));
                let covariance: f64 = line
                    .clone()
                    .map(|at| weights[at] * (along_z[at] - mean_z) * (along_tau[at] - mean_tau))
                    .sum();
                for at in line {
                    along_z[at] -= mean_z;
                    along_tau[at] -= mean_tau;
                    product[at] -= mean_both + covariance;
                }
            }
        }
        let matrix = &self.weights[self.weights.len() - self.start.len()..];
        for (at, p) in matrix.iter().enumerate() {
            product[at] = p * (product[at] + along_z[at] * along_tau[at]);
        }
    }
}
