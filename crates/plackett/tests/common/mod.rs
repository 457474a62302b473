//! What the integration tests share: noise, scores to test at, an objective without symmetries, numerical derivatives.

#![allow(dead_code, reason = "every test file uses a part of this")]

use plackett::{Differentiable, Noise, Objective, ObjectiveError};

/// Uniform noise of a seed and a stream.
pub(crate) fn uniform(seed: u64, stream: u64, length: usize) -> Vec<f64> {
    let mut noise = vec![0.0; length];
    Noise::new(seed).fill(stream, &mut noise);
    noise
}

/// Numbers between −`width` and `width`.
pub(crate) fn spread(seed: u64, stream: u64, length: usize, width: f64) -> Vec<f64> {
    uniform(seed, stream, length).into_iter().map(|u| width * (2.0 * u - 1.0)).collect()
}

/// The scores at which the estimators are tested: none preferred, a linear ramp, random.
pub(crate) fn scores_to_test(items: usize) -> [(&'static str, Vec<f64>); 3] {
    let ramp = (0..items).map(|item| 0.4 * item as f64 - 1.0).collect();
    [("zero", vec![0.0; items]), ("ramp", ramp), ("random", spread(91, items as u64, items, 1.5))]
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The derivative at `x` by a five-point rule: off by h⁴ f⁗′/30, and by 10⁻¹² from rounding at h = 10⁻⁴.
pub(crate) fn derivative_at(x: f64, h: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h)
}

/// The gradient of a function of many variables, one five-point rule per coordinate.
pub(crate) fn numerical_gradient(x: &[f64], h: f64, mut f: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let mut point = x.to_vec();
    (0..x.len())
        .map(|at| {
            let slope = derivative_at(x[at], h, |moved| {
                point[at] = moved;
                f(&point)
            });
            point[at] = x[at];
            slope
        })
        .collect()
}

/// The derivative of a vector function along a direction.
pub(crate) fn numerical_jvp(
    x: &[f64],
    direction: &[f64],
    h: f64,
    mut f: impl FnMut(&[f64]) -> Vec<f64>,
) -> Vec<f64> {
    let mut at = |t: f64| f(&x.iter().zip(direction).map(|(x, d)| x + t * d).collect::<Vec<_>>());
    let (ahead, behind, far_ahead, far_behind) = (at(h), at(-h), at(2.0 * h), at(-2.0 * h));
    (0..ahead.len())
        .map(|i| (8.0 * (ahead[i] - behind[i]) - (far_ahead[i] - far_behind[i])) / (12.0 * h))
        .collect()
}

/// Two vectors agree to a relative error, measured in the largest entry.
#[track_caller]
pub(crate) fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-3, |max: f64, x| max.max(x.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = (found - expected).abs();
        assert!(difference <= tolerance * scale, "{what}: entry {at} is {found}, not {expected}");
    }
}

#[track_caller]
pub(crate) fn assert_finite(values: &[f64], what: &str) {
    assert!(values.iter().all(|x| x.is_finite()), "{what}: {values:?}");
}

/// An objective with no symmetry to hide behind: random assignment costs, a quadratic and a cubic term of
/// another random assignment, and on outcomes, where no critic can see it, a jagged random term.
///
/// It has no Hessian product of its own.
#[derive(Clone, Debug)]
pub(crate) struct Puzzle {
    items: usize,
    costs: Vec<f64>,
    weights: Vec<f64>,
    jaggedness: f64,
}

impl Puzzle {
    /// A puzzle on relaxed matrices of this many rows (k for orders, one for categories).
    pub(crate) fn new(rows: usize, items: usize) -> Self {
        let size = rows * items;
        Self {
            items,
            costs: spread(17, size as u64, size, 2.0),
            weights: spread(18, size as u64, size, 1.0),
            jaggedness: 1.0,
        }
    }

    pub(crate) fn value(&self, outcome: &[usize]) -> f64 {
        let (mut cost, mut weight, mut hash) = (0.0, 0.0, 1u32);
        for (rank, &item) in outcome.iter().enumerate() {
            cost += self.costs[rank * self.items + item];
            weight += self.weights[rank * self.items + item];
            hash = hash.wrapping_mul(0x9E37_79B1).wrapping_add(item as u32 + 1);
        }
        let jag = f64::from(hash >> 8) / f64::from(1u32 << 24) - 0.5;
        cost + nonlinear(weight).0 + self.jaggedness * jag
    }
}

/// 1 + x² + x³/3, with its derivative.
fn nonlinear(x: f64) -> (f64, f64) {
    (1.0 + x * x + x.powi(3) / 3.0, 2.0 * x + x * x)
}

impl Objective for Puzzle {
    fn evaluate(&mut self, outcome: &[usize]) -> Result<f64, ObjectiveError> {
        Ok(self.value(outcome))
    }
}

impl Differentiable for Puzzle {
    fn value_and_gradient(&self, matrix: &[f64], gradient: &mut [f64]) -> f64 {
        let (value, slope) = nonlinear(dot(matrix, &self.weights));
        for ((gradient, cost), weight) in gradient.iter_mut().zip(&self.costs).zip(&self.weights) {
            *gradient = cost + slope * weight;
        }
        dot(matrix, &self.costs) + value
    }
}

/// All orders of these items, by the definition: every item first, followed by all orders of the others.
pub(crate) fn all_orders(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut orders = Vec::new();
    for (at, &first) in items.iter().enumerate() {
        let mut others = items.to_vec();
        others.remove(at);
        for rest in all_orders(&others) {
            orders.push(std::iter::once(first).chain(rest).collect());
        }
    }
    orders
}

/// The probability of an order or prefix by the definition, in plain arithmetic.
pub(crate) fn plain_probability(scores: &[f64], ranked: &[usize]) -> f64 {
    let weights: Vec<f64> = scores.iter().map(|score| score.exp()).collect();
    let mut left: f64 = weights.iter().sum();
    let mut probability = 1.0;
    for &item in ranked {
        probability *= weights[item] / left;
        left -= weights[item];
    }
    probability
}
