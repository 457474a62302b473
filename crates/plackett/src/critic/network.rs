//! ρ_φ(z): a small neural network, Linear–ReLU–Linear, as critic for black-box objectives and in RELAX.

use super::Critic;
use crate::linear::{add_scaled, dot};

/// The network w₂·relu(W₁ᵀz + b₁) + b₂ with one hidden layer. O(k·h) for every call.
///
/// Its parameters are W₁ (one row of h weights per input), b₁, w₂, b₂, in this order, and start uniform in
/// ±1/√(inputs of the layer).
///
/// ```
/// use plackett::critic::{Critic, Network};
/// let mut network = Network::new(2, 1);
/// let mut gradient = [0.0; 2];
/// // One hidden unit: 3·relu(1·z₀ + 2·z₁ + 0.5) − 1.
/// let value = network.value_and_gradient(&[1.0, 2.0, 0.5, 3.0, -1.0], &[0.5, 1.0], &mut gradient);
/// assert_eq!(value, 8.0);
/// assert_eq!(gradient, [3.0, 6.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Network {
    inputs: usize,
    hidden: usize,
    z: Vec<f64>,
    /// Activations of the hidden layer.
    active: Vec<f64>,
    /// The output's derivative in the hidden layer's input: w₂ where a unit is active, else zero.
    slope: Vec<f64>,
    /// The hidden layer's change along v.
    change: Vec<f64>,
}

/// The parameters of a network, taken apart.
struct Layers<'a> {
    w1: &'a [f64],
    b1: &'a [f64],
    w2: &'a [f64],
    b2: f64,
}

impl Network {
    /// A network of z with this many hidden units.
    pub fn new(inputs: usize, hidden: usize) -> Self {
        let layer = vec![0.0; hidden];
        Self {
            inputs,
            hidden,
            z: vec![0.0; inputs],
            active: layer.clone(),
            slope: layer.clone(),
            change: layer,
        }
    }

    fn layers<'a>(&self, parameters: &'a [f64]) -> Layers<'a> {
        let (w1, rest) = parameters.split_at(self.inputs * self.hidden);
        let (b1, rest) = rest.split_at(self.hidden);
        Layers { w1, b1, w2: &rest[..self.hidden], b2: rest[self.hidden] }
    }
}

impl Critic for Network {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn parameters(&self) -> usize {
        self.hidden * (self.inputs + 2) + 1
    }

    fn initialize(&self, uniform: &[f64], parameters: &mut [f64]) {
        let first_layer = self.hidden * (self.inputs + 1);
        for (at, (parameter, u)) in parameters.iter_mut().zip(uniform).enumerate() {
            let fan_in = if at < first_layer { self.inputs } else { self.hidden };
            *parameter = (2.0 * u - 1.0) / (fan_in.max(1) as f64).sqrt();
        }
    }

    fn value_and_gradient(&mut self, parameters: &[f64], z: &[f64], gradient: &mut [f64]) -> f64 {
        let layers = self.layers(parameters);
        self.z.copy_from_slice(z);
        self.active.copy_from_slice(layers.b1);
        for (row, &z) in layers.w1.chunks_exact(self.hidden.max(1)).zip(z) {
            add_scaled(&mut self.active, z, row);
        }
        for ((active, slope), w2) in self.active.iter_mut().zip(&mut self.slope).zip(layers.w2) {
            let is_active = *active > 0.0;
            *slope = if is_active { *w2 } else { 0.0 };
            *active = active.max(0.0);
        }
        gradient.fill(0.0); // without hidden units there are no rows
        for (gradient, row) in gradient.iter_mut().zip(layers.w1.chunks_exact(self.hidden.max(1))) {
            *gradient = dot(row, &self.slope);
        }
        dot(layers.w2, &self.active) + layers.b2
    }

    fn add_parameter_gradient(&mut self, parameters: &[f64], a: f64, v: &[f64], gradient: &mut [f64]) {
        let layers = self.layers(parameters);
        self.change.fill(0.0);
        let (d_w1, rest) = gradient.split_at_mut(layers.w1.len());
        let (d_b1, rest) = rest.split_at_mut(self.hidden);
        let (d_w2, d_b2) = rest.split_at_mut(self.hidden);
        let hidden = self.hidden.max(1);
        let rows = layers.w1.chunks_exact(hidden).zip(d_w1.chunks_exact_mut(hidden));
        for ((row, d_row), (&z, &v)) in rows.zip(self.z.iter().zip(v)) {
            add_scaled(&mut self.change, v, row);
            add_scaled(d_row, a * z + v, &self.slope);
        }
        add_scaled(d_b1, a, &self.slope);
        for ((d_w2, active), change) in d_w2.iter_mut().zip(&self.active).zip(&self.change) {
            let change = if *active > 0.0 { *change } else { 0.0 };
            *d_w2 += a * active + change;
        }
        d_b2[0] += a;
    }
}
