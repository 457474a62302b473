//! The Adam optimizer.

use serde::{Deserialize, Serialize};

/// Adam's moment decay rates and the number that keeps its division finite: its authors' defaults.
const DECAY: (f64, f64) = (0.9, 0.999);
const EPSILON: f64 = 1e-8;
/// Moments below this are zero. A parameter without gradient would otherwise let them decay into subnormal numbers,
/// on which processors are a hundred times slower.
const SMALLEST_MOMENT: f64 = 1e-200;
/// Gradients are cut here: their squares are finite. Adam's steps do not depend on the gradient's scale anyway.
const LARGEST_GRADIENT: f64 = 1e150;

/// Adam for a vector of parameters: steps against the gradient, scaled by its running moments.
///
/// ```
/// let (mut x, mut adam) = ([4.0, -2.0], plackett::Adam::new(2, 0.1));
/// for _ in 0..500 {
///     let gradient = [2.0 * x[0], 2.0 * x[1]];
///     adam.step(&mut x, &gradient);
/// }
/// assert!(x.iter().all(|x| x.abs() < 1e-3));
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Adam {
    rate: f64,
    mean: Vec<f64>,
    square: Vec<f64>,
    /// The decay rates to the power of the number of steps made.
    powers: (f64, f64),
}

impl Adam {
    /// An optimizer for this many parameters with a learning rate.
    pub fn new(parameters: usize, rate: f64) -> Self {
        Self { rate, mean: vec![0.0; parameters], square: vec![0.0; parameters], powers: (1.0, 1.0) }
    }

    /// How many parameters it is for.
    ///
    /// ```
    /// assert_eq!(plackett::Adam::new(3, 0.01).parameters(), 3);
    /// ```
    pub fn parameters(&self) -> usize {
        self.mean.len().min(self.square.len())
    }

    /// Whether it is one for so many parameters with this rate, whose steps lead to numbers: a saved one may hold anything.
    #[cfg(feature = "json")]
    pub(crate) fn is_sound(&self, parameters: usize, rate: f64) -> bool {
        // Rounding may exceed what gradients are cut at, by a little.
        let (first, second) = (2.0 * LARGEST_GRADIENT, 2.0 * LARGEST_GRADIENT * LARGEST_GRADIENT);
        self.rate == rate
            && self.mean.len() == parameters
            && self.square.len() == parameters
            && [self.powers.0, self.powers.1].iter().all(|power| (0.0..=1.0).contains(power))
            && self.mean.iter().all(|mean| mean.abs() <= first)
            && self.square.iter().all(|square| (0.0..=second).contains(square))
    }

    /// Moves the parameters one step against the gradient. O(number of parameters), without allocation.
    pub fn step(&mut self, parameters: &mut [f64], gradient: &[f64]) {
        self.powers = (self.powers.0 * DECAY.0, self.powers.1 * DECAY.1);
        // Both bias corrections, taken out of the loop: m̂/(√v̂ + ε) = (m·c₂/c₁)/(√v + ε·c₂) with c₂ = √(1 − β₂ᵗ).
        let unbias_square = (1.0 - self.powers.1).sqrt();
        let rate = self.rate * unbias_square / (1.0 - self.powers.0);
        let epsilon = EPSILON * unbias_square;
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((x, g), (mean, square)) in parameters.iter_mut().zip(gradient).zip(moments) {
            let g = g.clamp(-LARGEST_GRADIENT, LARGEST_GRADIENT);
            *mean = flush(*mean + (1.0 - DECAY.0) * (g - *mean));
            *square = flush(*square + (1.0 - DECAY.1) * (g * g - *square));
            *x -= rate * *mean / (square.sqrt() + epsilon);
        }
    }
}

fn flush(moment: f64) -> f64 {
    if moment.abs() < SMALLEST_MOMENT { 0.0 } else { moment }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The algorithm as its paper states it, without the rearrangement.
    #[test]
    fn equals_the_textbook() {
        let gradients = [0.3, -1.2, 0.0, 5.0, 0.7];
        let (mut m, mut v, mut expected) = (0.0f64, 0.0f64, 1.0f64);
        let (mut x, mut adam) = ([1.0], Adam::new(1, 0.01));
        for (t, g) in (1..).zip(gradients) {
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            let (m_hat, v_hat) = (m / (1.0 - 0.9f64.powi(t)), v / (1.0 - 0.999f64.powi(t)));
            expected -= 0.01 * m_hat / (v_hat.sqrt() + 1e-8);
            adam.step(&mut x, &[g]);
            assert!((x[0] - expected).abs() < 1e-14);
        }
    }
}
