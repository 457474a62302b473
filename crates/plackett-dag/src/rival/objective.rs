//! The rivals' objective on a relaxed order, from the Gram matrix alone.
//!
//! With R the relaxed permutation matrix (rows are ranks, columns are nodes: the paper's Pᵀ), A strictly upper
//! triangular and W = Rᵀ A R the weights in which entry (i, j) belongs to i → j,
//!
//! F(R, A) = ½ tr((I − W)ᵀ G (I − W)) + λ‖A‖₁, or with the Huber function λ Σ H_μ(W_ij) in place of the L1 norm.
//!
//! With D = G(W − I), plus λ H_μ'(W) in the second case, ∂F/∂R = A R Dᵀ + Aᵀ R D. The constraint that makes R a
//! permutation is c(R) = ‖R Rᵀ − I‖² = 0 with ∂c/∂R = 4 (R Rᵀ − I) R; for square matrices ‖R Rᵀ − I‖ = ‖Rᵀ R − I‖.

use super::dense::{multiply, transpose};
use crate::cholesky::dot;

/// What keeps the weights sparse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Penalty {
    /// λ‖A‖₁.
    L1,
    /// λ Σ H_μ(W_ij) with this μ.
    Huber(f64),
}

/// H_μ(x): x²/2μ up to μ, |x| − μ/2 beyond.
pub(super) fn huber(x: f64, mu: f64) -> f64 {
    if x.abs() <= mu { 0.5 * x * x / mu } else { x.abs() - 0.5 * mu }
}

/// H_μ'(x).
pub(super) fn huber_slope(x: f64, mu: f64) -> f64 {
    (x / mu).clamp(-1.0, 1.0)
}

/// F and c with their gradients in R, and the memory that they need.
#[derive(Debug)]
pub(super) struct Objective<'a> {
    gram: &'a [f64],
    nodes: usize,
    lambda: f64,
    penalty: Penalty,
    product: Vec<f64>,
    transposed: Vec<f64>,
    weights: Vec<f64>,
    slope: Vec<f64>,
    other: Vec<f64>,
}

impl<'a> Objective<'a> {
    pub(super) fn new(gram: &'a [f64], nodes: usize, lambda: f64, penalty: Penalty) -> Self {
        let square = || vec![0.0; nodes * nodes];
        Self {
            gram,
            nodes,
            lambda,
            penalty,
            product: square(),
            transposed: square(),
            weights: square(),
            slope: square(),
            other: square(),
        }
    }

    /// F(R, A), and its gradient in R into `gradient`. Seven products of k × k matrices.
    pub(super) fn evaluate(&mut self, r: &[f64], a: &[f64], gradient: &mut [f64]) -> f64 {
        let k = self.nodes;
        let Self { gram, product, transposed, weights, slope, other, .. } = self;
        multiply(k, a, r, product);
        transpose(k, r, transposed);
        multiply(k, transposed, product, weights);
        for node in 0..k {
            weights[node * k + node] -= 1.0;
        }
        multiply(k, gram, weights, slope);
        let mut value = 0.5 * dot(weights, slope);
        for node in 0..k {
            weights[node * k + node] += 1.0;
        }
        value += self.lambda
            * match self.penalty {
                Penalty::L1 => a.iter().map(|a| a.abs()).sum::<f64>(),
                Penalty::Huber(mu) => {
                    for (slope, &w) in slope.iter_mut().zip(&*weights) {
                        *slope += self.lambda * huber_slope(w, mu);
                    }
                    weights.iter().map(|&w| huber(w, mu)).sum()
                }
            };
        // A R Dᵀ, then Aᵀ R D.
        transpose(k, slope, transposed);
        multiply(k, product, transposed, gradient);
        transpose(k, a, transposed);
        multiply(k, transposed, r, product);
        multiply(k, product, slope, other);
        for (g, o) in gradient.iter_mut().zip(&*other) {
            *g += o;
        }
        value
    }

    /// c(R), and ∂c/∂R into `gradient`. Two products of k × k matrices.
    pub(super) fn constraint(&mut self, r: &[f64], gradient: &mut [f64]) -> f64 {
        let k = self.nodes;
        transpose(k, r, &mut self.transposed);
        multiply(k, r, &self.transposed, &mut self.product);
        for rank in 0..k {
            self.product[rank * k + rank] -= 1.0;
        }
        multiply(k, &self.product, r, gradient);
        gradient.iter_mut().for_each(|g| *g *= 4.0);
        dot(&self.product, &self.product)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use plackett::relaxation::{NeuralSort, Relaxation, Sinkhorn};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// A random Gram matrix, a random strictly upper triangular matrix, and a generator for the rest.
    pub(in crate::rival) fn problem(k: usize, seed: u64) -> (Vec<f64>, Vec<f64>, ChaCha8Rng) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let x: Vec<f64> = (0..3 * k * k).map(|_| rng.random_range(-1.5..1.5)).collect();
        let mut gram = vec![0.0; k * k];
        for i in 0..k {
            for j in 0..k {
                gram[i * k + j] = x.chunks(k).map(|row| row[i] * row[j]).sum::<f64>() / (3 * k) as f64;
            }
        }
        let mut a = vec![0.0; k * k];
        for r in 0..k {
            for s in r + 1..k {
                a[r * k + s] = rng.random_range(-1.0..1.0);
            }
        }
        (gram, a, rng)
    }

    /// The largest relative error of a gradient against central differences.
    pub(in crate::rival) fn gradient_error(
        x: &[f64],
        gradient: &[f64],
        mut value: impl FnMut(&[f64]) -> f64,
    ) -> f64 {
        let step = 1e-5;
        let mut x = x.to_vec();
        let scale = gradient.iter().fold(1.0f64, |m, g| m.max(g.abs()));
        let mut worst: f64 = 0.0;
        for at in 0..x.len() {
            let here = x[at];
            x[at] = here + step;
            let above = value(&x);
            x[at] = here - step;
            let below = value(&x);
            x[at] = here;
            worst = worst.max(((above - below) / (2.0 * step) - gradient[at]).abs() / scale);
        }
        worst
    }

    #[test]
    fn gradients_in_r_agree_with_differences() {
        for (k, penalty) in
            [(3, Penalty::L1), (5, Penalty::L1), (5, Penalty::Huber(0.3)), (6, Penalty::Huber(1e-2))]
        {
            let (gram, a, mut rng) = problem(k, k as u64);
            let r: Vec<f64> = (0..k * k).map(|_| rng.random_range(0.0..1.0)).collect();
            let mut objective = Objective::new(&gram, k, 0.5, penalty);
            let mut gradient = vec![0.0; k * k];
            let mut unused = vec![0.0; k * k];
            objective.evaluate(&r, &a, &mut gradient);
            assert!(gradient_error(&r, &gradient, |r| objective.evaluate(r, &a, &mut unused)) < 1e-6);
            objective.constraint(&r, &mut gradient);
            assert!(gradient_error(&r, &gradient, |r| objective.constraint(r, &mut unused)) < 1e-6);
        }
    }

    /// The whole of the augmented Lagrangian, through both relaxations down to their parameters.
    #[test]
    fn gradients_in_the_parameters_agree_with_differences() {
        fn check(k: usize, mut relaxation: impl Relaxation, tau: f64) {
            let (gram, a, mut rng) = problem(k, 40 + k as u64);
            let phi: Vec<f64> = (0..relaxation.input_len()).map(|_| rng.random_range(-1.0..1.0)).collect();
            let (multiplier, weight) = (0.7, 3.0);
            let mut objective = Objective::new(&gram, k, 0.5, Penalty::Huber(0.1));
            let (mut r, mut slope, mut other) = (vec![0.0; k * k], vec![0.0; k * k], vec![0.0; k * k]);
            let mut value = |phi: &[f64], gradient: Option<&mut [f64]>| {
                relaxation.forward(phi, tau, &mut r);
                let fit = objective.evaluate(&r, &a, &mut slope);
                let c = objective.constraint(&r, &mut other);
                for (s, o) in slope.iter_mut().zip(&other) {
                    *s += (multiplier + weight * c) * o;
                }
                if let Some(gradient) = gradient {
                    relaxation.vjp(&slope, gradient);
                }
                fit + multiplier * c + 0.5 * weight * c * c
            };
            let mut gradient = vec![0.0; phi.len()];
            value(&phi, Some(&mut gradient));
            assert!(gradient_error(&phi, &gradient, |phi| value(phi, None)) < 1e-6);
        }
        check(4, Sinkhorn::new(4, 15).unwrap(), 0.7);
        check(5, NeuralSort::new(5), 1.3);
    }

    #[test]
    fn at_a_permutation_the_objective_is_the_score_of_its_weights() {
        let k = 5;
        let (gram, a, _) = problem(k, 9);
        let order = plackett::Order::new(vec![3, 0, 4, 1, 2]).unwrap();
        let mut weights = vec![0.0; k * k];
        for r in 0..k {
            for s in r + 1..k {
                weights[order[r] * k + order[s]] = a[r * k + s];
            }
        }
        let expected = crate::Gram::from_matrix(100, k, gram.clone()).unwrap().q(&weights, 0.5).unwrap();
        let mut objective = Objective::new(&gram, k, 0.5, Penalty::L1);
        let mut gradient = vec![0.0; k * k];
        assert!((objective.evaluate(&order.matrix(), &a, &mut gradient) - expected).abs() < 1e-12);
        assert_eq!(objective.constraint(&order.matrix(), &mut gradient), 0.0);
    }

    #[test]
    fn the_huber_function_is_smooth_and_below_the_absolute_value() {
        let mu = 0.2;
        for x in [-3.0, -0.2, -0.1, 0.0, 0.15, 0.2, 0.7f64] {
            assert!(huber(x, mu) <= x.abs() && huber(x, mu) >= x.abs() - 0.5 * mu);
            let slope = (huber(x + 1e-7, mu) - huber(x - 1e-7, mu)) / 2e-7;
            assert!((slope - huber_slope(x, mu)).abs() < 1e-6);
        }
    }
}
