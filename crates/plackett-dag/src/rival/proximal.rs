//! Accelerated proximal gradient (FISTA with restarts) for the weights A at a fixed relaxed order.
//!
//! With M = R G Rᵀ and N = R Rᵀ the smooth part is ½ tr G − ⟨M, A⟩ + ½⟨A, M A N⟩, so a step costs two products and
//! needs neither data nor W. Its Hessian M ⊗ N is at most diag(Σ|M|) ⊗ diag(Σ|N|), row sums of absolute values:
//! each entry has its own step 1/(Σ_q|M_rq| · Σ_q|N_sq|), which no eigenvalue need be computed for and which does not
//! slow down where variances differ by orders of magnitude. The Huber penalty adds λ/μ · N ⊗ N in the same way.

use super::dense::{multiply, transpose};
use super::objective::{Penalty, huber_slope};
use crate::cholesky::dot;

/// The solver with its memory.
#[derive(Debug)]
pub(super) struct Proximal<'a> {
    gram: &'a [f64],
    nodes: usize,
    lambda: f64,
    penalty: Penalty,
    /// R, Rᵀ, M = R G Rᵀ and N = R Rᵀ.
    r: Vec<f64>,
    r_transposed: Vec<f64>,
    m: Vec<f64>,
    n: Vec<f64>,
    m_sums: Vec<f64>,
    n_sums: Vec<f64>,
    /// The extrapolated point and the gradient there.
    point: Vec<f64>,
    gradient: Vec<f64>,
    product: Vec<f64>,
    other: Vec<f64>,
}

impl<'a> Proximal<'a> {
    pub(super) fn new(gram: &'a [f64], nodes: usize, lambda: f64, penalty: Penalty) -> Self {
        let square = || vec![0.0; nodes * nodes];
        Self {
            gram,
            nodes,
            lambda,
            penalty,
            r: square(),
            r_transposed: square(),
            m: square(),
            n: square(),
            m_sums: vec![0.0; nodes],
            n_sums: vec![0.0; nodes],
            point: square(),
            gradient: square(),
            product: square(),
            other: square(),
        }
    }

    /// Improves the strictly upper triangular `a` at the relaxed order `r` by at most `steps` steps, fewer once no entry
    /// moves by more than `tolerance` times the largest. Returns the steps made. Nothing is allocated.
    pub(super) fn fit(&mut self, r: &[f64], a: &mut [f64], steps: usize, tolerance: f64) -> usize {
        self.prepare(r);
        self.point.copy_from_slice(a);
        let mut momentum: f64 = 1.0;
        for step in 0..steps {
            self.slope();
            let (largest_move, largest) = self.descend(a);
            if largest_move <= tolerance * largest {
                return step + 1;
            }
            // `other` is how far A moved; a step against the momentum ends it (O'Donoghue and Candès).
            let next = if self.goes_uphill(a) {
                1.0
            } else {
                0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt())
            };
            let inertia = if next == 1.0 { 0.0 } else { (momentum - 1.0) / next };
            for ((point, a), moved) in self.point.iter_mut().zip(&*a).zip(&self.other) {
                *point = a + inertia * moved;
            }
            momentum = next;
        }
        steps
    }

    fn prepare(&mut self, r: &[f64]) {
        let k = self.nodes;
        self.r.copy_from_slice(r);
        transpose(k, r, &mut self.r_transposed);
        multiply(k, r, self.gram, &mut self.product);
        multiply(k, &self.product, &self.r_transposed, &mut self.m);
        multiply(k, r, &self.r_transposed, &mut self.n);
        for (sum, row) in self.m_sums.iter_mut().zip(self.m.chunks_exact(k)) {
            *sum = row.iter().map(|m| m.abs()).sum();
        }
        for (sum, row) in self.n_sums.iter_mut().zip(self.n.chunks_exact(k)) {
            *sum = row.iter().map(|n| n.abs()).sum();
        }
    }

    /// The gradient of the smooth part at the point: M A N − M, plus λ R H_μ'(Rᵀ A R) Rᵀ.
    fn slope(&mut self) {
        let k = self.nodes;
        multiply(k, &self.point, &self.n, &mut self.product);
        multiply(k, &self.m, &self.product, &mut self.gradient);
        for (g, m) in self.gradient.iter_mut().zip(&self.m) {
            *g -= m;
        }
        if let Penalty::Huber(mu) = self.penalty {
            multiply(k, &self.point, &self.r, &mut self.product);
            multiply(k, &self.r_transposed, &self.product, &mut self.other);
            self.other.iter_mut().for_each(|w| *w = self.lambda * huber_slope(*w, mu));
            multiply(k, &self.other, &self.r_transposed, &mut self.product);
            multiply(k, &self.r, &self.product, &mut self.other);
            for (g, o) in self.gradient.iter_mut().zip(&self.other) {
                *g += o;
            }
        }
    }

    /// A ← prox(point − gradient / L); the move goes to `other`. Returns the largest move and the largest entry.
    fn descend(&mut self, a: &mut [f64]) -> (f64, f64) {
        let k = self.nodes;
        let (mut largest_move, mut largest) = (0.0f64, 0.0f64);
        self.other.fill(0.0);
        for r in 0..k {
            for s in r + 1..k {
                let at = r * k + s;
                let (curvature, threshold) = match self.penalty {
                    Penalty::L1 => (self.m_sums[r] * self.n_sums[s], self.lambda),
                    Penalty::Huber(mu) => {
                        ((self.m_sums[r] + self.lambda / mu * self.n_sums[r]) * self.n_sums[s], 0.0)
                    }
                };
                // A rank that no node takes part in has no curvature, and no gradient either.
                let value = if curvature > 0.0 {
                    let target = self.point[at] - self.gradient[at] / curvature;
                    target.signum() * (target.abs() - threshold / curvature).max(0.0)
                } else {
                    0.0
                };
                self.other[at] = value - a[at];
                a[at] = value;
                largest_move = largest_move.max(self.other[at].abs());
                largest = largest.max(value.abs());
            }
        }
        (largest_move, largest)
    }

    /// Whether the last move points away from where the momentum came from.
    fn goes_uphill(&self, a: &[f64]) -> bool {
        dot(&self.point, &self.other) > dot(a, &self.other)
    }
}

#[cfg(test)]
mod tests {
    use super::super::objective::{Objective, tests::problem};
    use super::*;
    use rand::RngExt;

    /// The problem in vector form, min ½ aᵀHa − bᵀa + λ‖a‖₁ over the entries (r, s), r < s, by coordinate descent.
    fn coordinate_descent(k: usize, gram: &[f64], r: &[f64], lambda: f64) -> Vec<f64> {
        let project = |x: &[f64], i: usize, j: usize| -> f64 {
            (0..k)
                .flat_map(|p| (0..k).map(move |q| (p, q)))
                .map(|(p, q)| r[i * k + p] * x[p * k + q] * r[j * k + q])
                .sum()
        };
        let identity: Vec<f64> = (0..k * k).map(|at| f64::from(u8::from(at / k == at % k))).collect();
        let pairs: Vec<(usize, usize)> = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))).collect();
        let h: Vec<Vec<f64>> = pairs
            .iter()
            .map(|&(i, j)| {
                pairs.iter().map(|&(p, q)| project(gram, i, p) * project(&identity, j, q)).collect()
            })
            .collect();
        let mut a = vec![0.0; pairs.len()];
        for _ in 0..20_000 {
            for e in 0..a.len() {
                let rest: f64 = (0..a.len()).filter(|&f| f != e).map(|f| h[e][f] * a[f]).sum();
                let target: f64 = project(gram, pairs[e].0, pairs[e].1) - rest;
                a[e] = target.signum() * (target.abs() - lambda).max(0.0) / h[e][e];
            }
        }
        let mut matrix = vec![0.0; k * k];
        for (&(i, j), a) in pairs.iter().zip(a) {
            matrix[i * k + j] = a;
        }
        matrix
    }

    #[test]
    fn agrees_with_coordinate_descent() {
        for seed in 0..5 {
            let k = 4;
            let (mut gram, _, mut rng) = problem(k, 100 + seed);
            gram.iter_mut().for_each(|g| *g *= 4.0);
            let r: Vec<f64> = (0..k * k).map(|_| rng.random_range(0.0..1.0)).collect();
            let expected = coordinate_descent(k, &gram, &r, 0.2);
            let mut a = vec![0.0; k * k];
            Proximal::new(&gram, k, 0.2, Penalty::L1).fit(&r, &mut a, 200_000, 0.0);
            let value =
                |a: &[f64]| Objective::new(&gram, k, 0.2, Penalty::L1).evaluate(&r, a, &mut vec![0.0; k * k]);
            assert!((value(&a) - value(&expected)).abs() < 1e-9, "{} {}", value(&a), value(&expected));
        }
    }

    #[test]
    fn the_optimality_conditions_hold() {
        for (seed, penalty) in
            [(1, Penalty::L1), (2, Penalty::L1), (3, Penalty::Huber(0.1)), (4, Penalty::Huber(0.5))]
        {
            let (k, lambda) = (6, 0.2);
            let (gram, _, mut rng) = problem(k, seed);
            let phi: Vec<f64> = (0..k * k).map(|_| rng.random_range(-2.0..2.0)).collect();
            let r = plackett::relaxation::sinkhorn(&phi, 20).unwrap();
            let mut a = vec![0.0; k * k];
            let mut solver = Proximal::new(&gram, k, lambda, penalty);
            solver.fit(&r, &mut a, 200_000, 1e-14);
            solver.point.copy_from_slice(&a);
            solver.slope();
            for i in 0..k {
                for j in i + 1..k {
                    let (a, g) = (a[i * k + j], solver.gradient[i * k + j]);
                    match penalty {
                        Penalty::L1 if a == 0.0 => assert!(g.abs() <= lambda + 1e-9),
                        Penalty::L1 => assert!((g + lambda * a.signum()).abs() < 1e-9),
                        Penalty::Huber(_) => assert!(g.abs() < 1e-9),
                    }
                }
            }
        }
    }

    /// The gradient in A that the solver uses against differences of the objective.
    #[test]
    fn its_gradient_is_that_of_the_objective() {
        let k = 5;
        let (gram, a, mut rng) = problem(k, 7);
        let r: Vec<f64> = (0..k * k).map(|_| rng.random_range(0.0..1.0)).collect();
        for penalty in [Penalty::Huber(0.3), Penalty::L1] {
            // The objective's L1 norm is left out: λ = 0 there.
            let lambda = if penalty == Penalty::L1 { 0.0 } else { 0.4 };
            let mut solver = Proximal::new(&gram, k, lambda, penalty);
            solver.prepare(&r);
            solver.point.copy_from_slice(&a);
            solver.slope();
            let mut objective = Objective::new(&gram, k, lambda, penalty);
            let mut unused = vec![0.0; k * k];
            let error = super::super::objective::tests::gradient_error(&a, &solver.gradient, |a| {
                objective.evaluate(&r, a, &mut unused)
            });
            assert!(error < 1e-6);
        }
    }

    #[test]
    fn at_a_permutation_it_is_the_exact_lasso() {
        let k = 6;
        let (mut gram, _, _) = problem(k, 21);
        gram.iter_mut().for_each(|g| *g *= 3.0);
        let order = plackett::Order::new(vec![4, 1, 0, 5, 3, 2]).unwrap();
        let mut a = vec![0.0; k * k];
        Proximal::new(&gram, k, 0.3, Penalty::L1).fit(&order.matrix(), &mut a, 100_000, 1e-15);
        let gram = crate::Gram::from_matrix(10, k, gram).unwrap();
        let exact = super::super::lasso_at(&gram, &order, 0.3, &plackett::run::Run::default()).unwrap();
        for r in 0..k {
            for s in r + 1..k {
                assert!((a[r * k + s] - exact.weight(order[r], order[s])).abs() < 1e-8);
            }
        }
    }
}
