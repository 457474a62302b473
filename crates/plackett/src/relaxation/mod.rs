//! Relaxations σ(z, τ): differentiable stand-ins for one-hot vectors and permutation matrices.
//!
//! A relaxation maps an input (perturbed scores, or a square matrix of log-weights) to a matrix whose rows are
//! ranks and whose columns are items; as τ → 0 it tends to the matrix of the outcome. Besides the value a
//! critic needs the products of its Jacobian, and the mixed second derivative in (z, τ): all of them are
//! here, in O(k²), and all temperature derivatives are taken in log τ, which stays well scaled at any
//! temperature (divide by τ for ∂/∂τ).

mod neural_sort;
mod rows;
mod sinkhorn;
mod softmax;

pub use neural_sort::{NeuralSort, neural_sort};
pub use sinkhorn::{Sinkhorn, gumbel_sinkhorn, sinkhorn};
pub use softmax::{Softmax, softmax};

use crate::error::{Error, check_finite, check_length, check_temperature};

/// A soft one-hot vector or permutation matrix with a temperature.
///
/// [`forward`](Relaxation::forward) comes first; the others differentiate at its point. Slices have the lengths
/// that [`input_len`](Relaxation::input_len) and [`output_len`](Relaxation::output_len) say, or the calls panic.
/// None of them allocates.
///
/// ```
/// use plackett::relaxation::{NeuralSort, Relaxation};
/// let mut relaxation = NeuralSort::new(3);
/// let z = [0.3, 2.0, 1.0];
/// let mut matrix = [0.0; 9];
/// relaxation.forward(&z, 0.1, &mut matrix);
/// assert!(matrix[1] > 0.99); // item 1 is almost surely first
///
/// // The Jacobian and its transpose agree: ⟨G, J d⟩ = ⟨Jᵀ G, d⟩.
/// let (direction, cotangent) = ([1.0, -0.5, 0.25], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
/// let (mut product, mut transposed) = ([0.0; 9], [0.0; 3]);
/// relaxation.jvp(&direction, &mut product);
/// relaxation.vjp(&cotangent, &mut transposed);
/// let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
/// assert!((dot(&cotangent, &product) - dot(&transposed, &direction)).abs() < 1e-12);
/// ```
pub trait Relaxation: Clone {
    /// The length of the input z.
    fn input_len(&self) -> usize;

    /// The length of the relaxed matrix, row-major.
    fn output_len(&self) -> usize;

    /// The relaxed matrix σ(z, τ).
    fn forward(&mut self, z: &[f64], tau: f64, matrix: &mut [f64]);

    /// The change J `dz` of the matrix as z moves along `dz`.
    fn jvp(&mut self, dz: &[f64], product: &mut [f64]);

    /// The change ∂σ/∂log τ of the matrix with its temperature.
    fn temperature_jvp(&mut self, product: &mut [f64]);

    /// The gradient in z of ⟨`cotangent`, σ⟩; its derivative in log τ is returned.
    fn vjp(&mut self, cotangent: &[f64], gradient: &mut [f64]) -> f64;

    /// ∂/∂log τ of the product J `dz`: the mixed derivative for training the temperature.
    fn mixed(&mut self, dz: &[f64], product: &mut [f64]);
}

/// Runs a relaxation once on checked input.
fn relax_once(mut relaxation: impl Relaxation, z: &[f64], tau: f64) -> Result<Vec<f64>, Error> {
    if z.is_empty() {
        return Err(Error::Empty { what: "z" });
    }
    check_length("z", z.len(), relaxation.input_len())?;
    check_finite("z", z)?;
    check_temperature(tau)?;
    let mut matrix = vec![0.0; relaxation.output_len()];
    relaxation.forward(z, tau, &mut matrix);
    Ok(matrix)
}
