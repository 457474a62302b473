//! η·f(σ(z, τ)): the objective itself on a relaxation, with learned scale and temperature (the critic of REBAR).

use super::Critic;
use crate::{elementary::exp, linear::dot, objective::Differentiable, relaxation::Relaxation};

/// log τ is kept in this range whatever the optimizer does to it, so that τ is a positive finite number.
const LOG_TAU_RANGE: (f64, f64) = (-300.0, 300.0);

/// The critic η·f(σ(z, τ)). Its parameters are log τ, then η where the scale is learned; both τ and η start at one.
///
/// ```
/// use plackett::{Toy, critic::{Critic, RelaxedObjective}, relaxation::NeuralSort};
/// let mut critic = RelaxedObjective::scaled(Toy::permutation(3, 0.1)?, NeuralSort::new(3));
/// let mut gradient = [0.0; 3];
/// let cold = critic.value_and_gradient(&[-9.0, 2.0], &[3.0, 2.0, 1.0], &mut gradient);
/// assert!((cold - 2.0 * Toy::permutation(3, 0.1)?.optimum()?).abs() < 1e-9); // η = 2, τ = e⁻⁹
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RelaxedObjective<F, R> {
    objective: F,
    relaxation: R,
    has_scale: bool,
    /// f and its derivative in log τ at the last point.
    value: f64,
    slope_in_tau: f64,
    /// σ and ∇f at the last point.
    matrix: Vec<f64>,
    gradient: Vec<f64>,
    /// σ's changes along v and along log τ.
    along_v: Vec<f64>,
    along_tau: Vec<f64>,
    product: Vec<f64>,
    scratch: Vec<f64>,
}

impl<F: Differentiable + Clone, R: Relaxation> RelaxedObjective<F, R> {
    /// η·f(σ(z, τ)) with η and log τ learned: REBAR's critic.
    pub fn scaled(objective: F, relaxation: R) -> Self {
        Self::new(objective, relaxation, true)
    }

    /// f(σ(z, τ)) with log τ learned: the first half of RELAX's critic.
    ///
    /// ```
    /// use plackett::{Toy, critic::{Critic, RelaxedObjective}, relaxation::NeuralSort};
    /// assert_eq!(RelaxedObjective::unscaled(Toy::permutation(3, 0.1)?, NeuralSort::new(3)).parameters(), 1);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn unscaled(objective: F, relaxation: R) -> Self {
        Self::new(objective, relaxation, false)
    }

    fn new(objective: F, relaxation: R, has_scale: bool) -> Self {
        let size = relaxation.output_len();
        Self {
            has_scale,
            value: 0.0,
            slope_in_tau: 0.0,
            matrix: vec![0.0; size],
            gradient: vec![0.0; size],
            along_v: vec![0.0; size],
            along_tau: vec![0.0; size],
            product: vec![0.0; size],
            scratch: vec![0.0; 2 * size],
            objective,
            relaxation,
        }
    }

    fn scale(&self, parameters: &[f64]) -> f64 {
        if self.has_scale { parameters[1] } else { 1.0 }
    }
}

impl<F: Differentiable + Clone, R: Relaxation> Critic for RelaxedObjective<F, R> {
    fn inputs(&self) -> usize {
        self.relaxation.input_len()
    }

    fn parameters(&self) -> usize {
        1 + usize::from(self.has_scale)
    }

    fn initialize(&self, _uniform: &[f64], parameters: &mut [f64]) {
        parameters.fill(1.0);
        parameters[0] = 0.0;
    }

    fn value_and_gradient(&mut self, parameters: &[f64], z: &[f64], gradient: &mut [f64]) -> f64 {
        let scale = self.scale(parameters);
        let tau = exp(parameters[0].clamp(LOG_TAU_RANGE.0, LOG_TAU_RANGE.1));
        self.relaxation.forward(z, tau, &mut self.matrix);
        self.value = self.objective.value_and_gradient(&self.matrix, &mut self.gradient);
        self.slope_in_tau = self.relaxation.vjp(&self.gradient, gradient);
        gradient.iter_mut().for_each(|g| *g *= scale);
        scale * self.value
    }

    /// With F = f(σ(z, τ)) and D_v its derivative along v: ∂/∂η = a·F + D_v F, and ∂/∂log τ = η (a·F_τ + D_v F_τ), where
    /// D_v F_τ = ⟨∇²f σ_v, σ_τ⟩ + ⟨∇f, σ_vτ⟩.
    fn add_parameter_gradient(&mut self, parameters: &[f64], a: f64, v: &[f64], gradient: &mut [f64]) {
        let scale = self.scale(parameters);
        self.relaxation.jvp(v, &mut self.along_v);
        self.relaxation.temperature_jvp(&mut self.along_tau);
        self.objective.hessian_product(&self.matrix, &self.along_v, &mut self.product, &mut self.scratch);
        let curvature = dot(&self.product, &self.along_tau);
        self.relaxation.mixed(v, &mut self.product);
        let mixed = curvature + dot(&self.gradient, &self.product);
        gradient[0] += scale * (a * self.slope_in_tau + mixed);
        if self.has_scale {
            gradient[1] += a * self.value + dot(&self.gradient, &self.along_v);
        }
    }
}
