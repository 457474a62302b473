//! Critics c_φ(z): differentiable control variates whose parameters φ are trained to cut the estimator's variance.
//!
//! RELAX needs ∂‖g‖²/∂φ, where g holds ∇c: a second derivative. With everything that does not depend on φ held
//! constant it is the φ-gradient of a·c(z) + v·∇c(z) for some number a and vector v, so that is all that a critic
//! offers beside its value and gradient. No tape is needed.

mod network;
mod relaxed;
mod sum;

pub use network::Network;
pub use relaxed::RelaxedObjective;
pub use sum::Sum;

/// A differentiable function c_φ of perturbed scores.
///
/// The parameters are the caller's: an estimator owns, trains and saves them. Slices have the lengths that
/// [`inputs`](Critic::inputs) and [`parameters`](Critic::parameters) say. A critic of your own is one
/// implementation of this trait, for example a linear one:
///
/// ```
/// use plackett::critic::Critic;
/// /// c(z) = φ·z, so ∇c = φ and the φ-gradient of a·c + v·∇c is a·z + v.
/// #[derive(Clone)]
/// struct Linear { z: Vec<f64> }
/// impl Critic for Linear {
///     fn inputs(&self) -> usize { self.z.len() }
///     fn parameters(&self) -> usize { self.z.len() }
///     fn initialize(&self, _uniform: &[f64], parameters: &mut [f64]) { parameters.fill(0.0); }
///     fn value_and_gradient(&mut self, parameters: &[f64], z: &[f64], gradient: &mut [f64]) -> f64 {
///         self.z.copy_from_slice(z);
///         gradient.copy_from_slice(parameters);
///         parameters.iter().zip(z).map(|(phi, z)| phi * z).sum()
///     }
///     fn add_parameter_gradient(&mut self, _: &[f64], a: f64, v: &[f64], gradient: &mut [f64]) {
///         for ((gradient, z), v) in gradient.iter_mut().zip(&self.z).zip(v) {
///             *gradient += a * z + v;
///         }
///     }
/// }
/// let latent = plackett::PlackettLuce::new(&[0.0; 4])?;
/// let relax = plackett::estimator::Relax::new(&latent, Linear { z: vec![0.0; 4] }, &mut plackett::Noise::new(0))?;
/// assert_eq!(relax.parameters().len(), 4);
/// # Ok::<(), plackett::Error>(())
/// ```
pub trait Critic: Clone {
    /// The length of z.
    fn inputs(&self) -> usize;

    /// The length of φ.
    fn parameters(&self) -> usize;

    /// The parameters to start from, given uniform noise of the same length.
    fn initialize(&self, uniform: &[f64], parameters: &mut [f64]);

    /// c(z), and ∇_z c(z) into `gradient`.
    fn value_and_gradient(&mut self, parameters: &[f64], z: &[f64], gradient: &mut [f64]) -> f64;

    /// Adds ∂/∂φ [a·c(z) + v·∇c(z)] to `gradient`, at the z and the parameters of the last
    /// [`value_and_gradient`](Critic::value_and_gradient).
    fn add_parameter_gradient(&mut self, parameters: &[f64], a: f64, v: &[f64], gradient: &mut [f64]);
}
