//! NeuralSort: the unimodal row-stochastic relaxation of sorting, the paper's σ(z, τ).
//!
//! Row i is softmax(((k + 1 − 2i) z − B) / τ) with B_j = Σ_m |z_j − z_m| and ranks i = 1, …, k: the arg-max of row i
//! is the item with the i-th largest z, at any temperature.

use super::{Relaxation, relax_once, rows};
use crate::{error::Error, linear::dot};

/// Numbers beyond this are shrunk, and the temperature with them, so that sums of k differences stay finite.
const LARGEST_INPUT: f64 = 1e280;

/// How far: an exact power of two, enough for more items than fit into memory.
const SHRINK: f64 = 1.0 / (1u64 << 60) as f64;

/// The relaxed permutation matrix that sorts z descending, row-major: row = rank, column = item. O(k²).
///
/// ```
/// let matrix = plackett::relaxation::neural_sort(&[0.3, 2.0], 0.1)?;
/// assert!(matrix[1] > 0.99 && matrix[2] > 0.99); // item 1 first, item 0 second
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// An empty z, one that is not finite, or a temperature that is not positive.
pub fn neural_sort(z: &[f64], tau: f64) -> Result<Vec<f64>, Error> {
    relax_once(NeuralSort::new(z.len()), z, tau)
}

/// The relaxation of sorting z ↦ σ(z, τ). Every method is O(k²).
///
/// ```
/// use plackett::{Order, relaxation::{NeuralSort, Relaxation}};
/// let z = [0.1, -4.0, 2.5];
/// let mut matrix = [0.0; 9];
/// NeuralSort::new(3).forward(&z, 50.0, &mut matrix); // very soft, and still:
/// assert_eq!(NeuralSort::round(&matrix)?, Order::sorting(&z)?);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NeuralSort {
    tau: f64,
    z: Vec<f64>,
    p: Vec<f64>,
    logits: Vec<f64>,
    /// B in the forward pass, its change or cotangent in the others.
    spread: Vec<f64>,
}

impl NeuralSort {
    /// A relaxation for this many items.
    pub fn new(items: usize) -> Self {
        Self {
            tau: 1.0,
            z: vec![0.0; items],
            p: vec![0.0; items * items],
            logits: vec![0.0; items * items],
            spread: vec![0.0; items],
        }
    }

    /// The order in a relaxed matrix of this family: each row's arg-max, which are all different unless z has ties.
    ///
    /// # Errors
    /// A matrix that is not square or not finite, or two rows with the same arg-max.
    pub fn round(matrix: &[f64]) -> Result<crate::Order, Error> {
        let items = matrix.len().isqrt();
        crate::error::check_length("the matrix", matrix.len(), items * items)?;
        crate::error::check_finite("matrix", matrix)?;
        let arg_max =
            |row: &[f64]| (1..items).fold(0, |best, item| if row[item] > row[best] { item } else { best });
        crate::Order::new(matrix.chunks_exact(items.max(1)).map(arg_max).collect())
    }

    /// k + 1 − 2i, for the rank i counted from zero here.
    fn slope(&self, rank: usize) -> f64 {
        let items = self.z.len() as f64;
        items - 1.0 - 2.0 * rank as f64
    }

    /// The changes of all logits as z moves along `dz`, into `changes`.
    fn logit_changes(&mut self, dz: &[f64], changes: &mut [f64]) {
        let items = self.z.len();
        self.spread.fill(0.0);
        for (&z, &d) in self.z.iter().zip(dz) {
            for ((spread, other), d_other) in self.spread.iter_mut().zip(&self.z).zip(dz) {
                *spread += sign(other - z) * (d_other - d);
            }
        }
        for (rank, row) in changes.chunks_exact_mut(items).enumerate() {
            let slope = self.slope(rank);
            for ((change, d), spread) in row.iter_mut().zip(dz).zip(&self.spread) {
                *change = (slope * d - spread) / self.tau;
            }
        }
    }
}

impl Relaxation for NeuralSort {
    fn input_len(&self) -> usize {
        self.z.len()
    }

    fn output_len(&self) -> usize {
        self.p.len()
    }

    fn forward(&mut self, z: &[f64], tau: f64, matrix: &mut [f64]) {
        let items = self.z.len();
        self.tau = tau;
        self.z.copy_from_slice(z);
        let mut tau = tau;
        if z.iter().any(|z| z.abs() > LARGEST_INPUT) {
            // σ(z, τ) = σ(cz, cτ).
            self.z.iter_mut().for_each(|z| *z *= SHRINK);
            tau = (tau * SHRINK).max(f64::MIN_POSITIVE);
        }
        self.spread.fill(0.0);
        for &other in &self.z {
            for (spread, z) in self.spread.iter_mut().zip(&self.z) {
                *spread += (z - other).abs();
            }
        }
        for rank in 0..items {
            let slope = self.slope(rank);
            let row = &mut self.p[rank * items..][..items];
            for ((energy, z), spread) in row.iter_mut().zip(&self.z).zip(&self.spread) {
                *energy = slope * z - spread;
            }
            rows::softmax(row, &mut self.logits[rank * items..][..items], tau);
        }
        matrix.copy_from_slice(&self.p);
    }

    fn temperature_jvp(&mut self, product: &mut [f64]) {
        let items = self.z.len();
        let rows = self.p.chunks_exact(items).zip(self.logits.chunks_exact(items));
        for (changes, (p, logits)) in product.chunks_exact_mut(items).zip(rows) {
            rows::temperature_jvp(p, logits, changes);
        }
    }

    fn jvp(&mut self, dz: &[f64], product: &mut [f64]) {
        self.logit_changes(dz, product);
        let items = self.z.len();
        for (changes, p) in product.chunks_exact_mut(items).zip(self.p.chunks_exact(items)) {
            rows::jvp(p, changes);
        }
    }

    fn vjp(&mut self, cotangent: &[f64], gradient: &mut [f64]) -> f64 {
        let items = self.z.len();
        let mut dlog_tau = 0.0;
        gradient.fill(0.0);
        self.spread.fill(0.0); // minus the cotangent of B, times τ
        for rank in 0..items {
            let slope = self.slope(rank);
            let row = rank * items..(rank + 1) * items;
            let (p, g, logits) = (&self.p[row.clone()], &cotangent[row.clone()], &self.logits[row]);
            let mean = dot(p, g);
            for item in 0..items {
                let logit_cotangent = p[item] * (g[item] - mean);
                dlog_tau -= logit_cotangent * logits[item];
                gradient[item] += slope * logit_cotangent;
                self.spread[item] += logit_cotangent;
            }
        }
        for (&z, &spread) in self.z.iter().zip(&self.spread) {
            for ((gradient, other), other_spread) in gradient.iter_mut().zip(&self.z).zip(&self.spread) {
                *gradient -= sign(other - z) * (other_spread + spread);
            }
        }
        gradient.iter_mut().for_each(|g| *g /= self.tau);
        dlog_tau
    }

    fn mixed(&mut self, dz: &[f64], product: &mut [f64]) {
        self.logit_changes(dz, product);
        let items = self.z.len();
        let rows = self.p.chunks_exact(items).zip(self.logits.chunks_exact(items));
        for (changes, (p, logits)) in product.chunks_exact_mut(items).zip(rows) {
            rows::mixed(p, logits, changes);
        }
    }
}

/// −1, 0 or 1: unlike `f64::signum`, zero has none. Written as selects, which run several at a time.
fn sign(x: f64) -> f64 {
    let positive = if x > 0.0 { 1.0 } else { 0.0 };
    if x < 0.0 { -1.0 } else { positive }
}
