//! The softmax relaxation of a one-hot vector (Gumbel–softmax once z is perturbed).

use super::{Relaxation, relax_once, rows};
use crate::{error::Error, linear::dot};

/// softmax(z / τ).
///
/// ```
/// let p = plackett::relaxation::softmax(&[0.0, 3f64.ln()], 1.0)?;
/// assert!((p[1] - 0.75).abs() < 1e-15);
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// An empty z, one that is not finite, or a temperature that is not positive.
pub fn softmax(z: &[f64], tau: f64) -> Result<Vec<f64>, Error> {
    relax_once(Softmax::new(z.len()), z, tau)
}

/// The relaxation z ↦ softmax(z / τ) of the arg-max.
///
/// ```
/// use plackett::relaxation::{Relaxation, Softmax};
/// let mut p = [0.0; 2];
/// Softmax::new(2).forward(&[0.0, 1.0], 1e-300, &mut p);
/// assert_eq!(p, [0.0, 1.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Softmax {
    tau: f64,
    p: Vec<f64>,
    logits: Vec<f64>,
}

impl Softmax {
    /// A relaxation for this many items.
    pub fn new(items: usize) -> Self {
        Self { tau: 1.0, p: vec![0.0; items], logits: vec![0.0; items] }
    }
}

impl Relaxation for Softmax {
    fn input_len(&self) -> usize {
        self.p.len()
    }

    fn output_len(&self) -> usize {
        self.p.len()
    }

    fn forward(&mut self, z: &[f64], tau: f64, matrix: &mut [f64]) {
        self.tau = tau;
        self.p.copy_from_slice(z);
        rows::softmax(&mut self.p, &mut self.logits, tau);
        matrix.copy_from_slice(&self.p);
    }

    fn jvp(&mut self, dz: &[f64], product: &mut [f64]) {
        for (d, dz) in product.iter_mut().zip(dz) {
            *d = dz / self.tau;
        }
        rows::jvp(&self.p, product);
    }

    fn temperature_jvp(&mut self, product: &mut [f64]) {
        rows::temperature_jvp(&self.p, &self.logits, product);
    }

    fn vjp(&mut self, cotangent: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.copy_from_slice(cotangent);
        rows::jvp(&self.p, gradient); // diag(p) − p pᵀ is symmetric
        let dlog_tau = -dot(gradient, &self.logits);
        gradient.iter_mut().for_each(|g| *g /= self.tau);
        dlog_tau
    }

    fn mixed(&mut self, dz: &[f64], product: &mut [f64]) {
        for (d, dz) in product.iter_mut().zip(dz) {
            *d = dz / self.tau;
        }
        rows::mixed(&self.p, &self.logits, product);
    }
}
