//! The sum of two critics: f(σ(z, τ)) + ρ_φ(z) is RELAX's.

use super::Critic;
use crate::{
    error::{Error, check_length},
    linear::add_scaled,
};

/// c(z) + c′(z), the parameters of the first before those of the second.
///
/// ```
/// use plackett::{Toy, critic::{Critic, Network, RelaxedObjective, Sum}, relaxation::NeuralSort};
/// let relaxed = RelaxedObjective::unscaled(Toy::permutation(8, 0.05)?, NeuralSort::new(8));
/// let critic = Sum::new(relaxed, Network::new(8, 32))?;
/// assert_eq!(critic.parameters(), 1 + 8 * 32 + 32 + 32 + 1);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sum<A, B> {
    first: A,
    second: B,
    gradient: Vec<f64>,
}

impl<A: Critic, B: Critic> Sum<A, B> {
    /// The sum of two critics of the same z.
    ///
    /// # Errors
    /// Critics of different numbers of items.
    pub fn new(first: A, second: B) -> Result<Self, Error> {
        check_length("the second critic's input", second.inputs(), first.inputs())?;
        Ok(Self { gradient: vec![0.0; first.inputs()], first, second })
    }
}

impl<A: Critic, B: Critic> Critic for Sum<A, B> {
    fn inputs(&self) -> usize {
        self.first.inputs()
    }

    fn parameters(&self) -> usize {
        self.first.parameters() + self.second.parameters()
    }

    fn initialize(&self, uniform: &[f64], parameters: &mut [f64]) {
        let split = self.first.parameters();
        self.first.initialize(&uniform[..split], &mut parameters[..split]);
        self.second.initialize(&uniform[split..], &mut parameters[split..]);
    }

    fn value_and_gradient(&mut self, parameters: &[f64], z: &[f64], gradient: &mut [f64]) -> f64 {
        let (first, second) = parameters.split_at(self.first.parameters());
        let value = self.first.value_and_gradient(first, z, gradient)
            + self.second.value_and_gradient(second, z, &mut self.gradient);
        add_scaled(gradient, 1.0, &self.gradient);
        value
    }

    fn add_parameter_gradient(&mut self, parameters: &[f64], a: f64, v: &[f64], gradient: &mut [f64]) {
        let split = self.first.parameters();
        let (first, second) = gradient.split_at_mut(split);
        self.first.add_parameter_gradient(&parameters[..split], a, v, first);
        self.second.add_parameter_gradient(&parameters[split..], a, v, second);
    }
}
