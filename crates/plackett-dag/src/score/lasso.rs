//! The lasso on a Gram matrix, solved exactly: the least `½(G_ii − 2 g·w + wᵀGw) + λ‖w‖₁` with `g = G_·i`, over the allowed nodes.
//! A primal active-set method: each visited support and sign pattern is solved in closed form by a Cholesky factor and
//! the objective falls strictly from one to the next, so it ends after finitely many steps, at the optimum, not near it.

use crate::NodeSet;
use crate::cholesky::Cholesky;
use crate::gram::NodeMoments;
use crate::pace::Pace;

/// A node enters when its correlation exceeds λ by more than this share of λ plus that of the largest correlation:
/// well above the rounding of a correlation, well below anything that matters.
const ENTRY_TOLERANCE: f64 = 1e-11;
const ENTRY_ROUNDING: f64 = 1e-14;
/// Steps allowed per allowed node. Ten thousand random problems need at most 1.6; the cap only guards against cycling
/// by rounding.
const STEPS_PER_NODE: usize = 50;

/// The lasso solver with its workspace. After [`Lasso::solve`] the solution stays in it.
#[derive(Debug, Default)]
pub(crate) struct Lasso {
    factor: Cholesky,
    active: Vec<usize>,
    weights: Vec<f64>,
    signs: Vec<f64>,
    target: Vec<f64>,
    correlations: Vec<f64>,
    /// Nodes barred from entering because rounding makes them useless now; emptied whenever the support changes.
    barred: NodeSet,
}

impl Lasso {
    /// Solves for `node` with parents from `allowed`, from a cold start, and returns the optimal objective; nothing if the
    /// run is over before.
    ///
    /// The value depends on the final support alone, not on the way to it. O(d·k) per step for k active nodes.
    pub(crate) fn solve(
        &mut self,
        gram: NodeMoments<'_>,
        node: usize,
        allowed: &NodeSet,
        lambda: f64,
        pace: &mut Pace<'_, '_>,
    ) -> Option<f64> {
        let d = gram.nodes();
        self.factor.reset(d + 1);
        self.active.clear();
        self.weights.clear();
        self.signs.clear();
        self.barred.clear();
        let g = gram.row(node);
        let largest = allowed.iter().map(|j| g[j].abs()).fold(0.0, f64::max);
        let threshold = lambda * (1.0 + ENTRY_TOLERANCE) + ENTRY_ROUNDING * largest;
        for _ in 0..STEPS_PER_NODE * (d + 1) {
            pace.spend(d * (self.active.len() + 1))?;
            let Some((entering, sign)) = self.violation(gram, node, allowed, threshold) else {
                break;
            };
            let entered = self.enter(gram, entering, sign);
            if self.descend(gram, node, lambda, pace)? && entered {
                self.barred.clear();
            } else {
                self.barred.insert(entering);
            }
        }
        self.refit(gram, node, lambda);
        Some(self.objective(gram, node, lambda))
    }

    /// The nodes with non-zero weight, increasing.
    pub(crate) fn support(&self) -> &[usize] {
        &self.active
    }

    /// Their weights.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The inactive node that violates the optimality conditions most, with the sign it would enter with.
    fn violation(
        &mut self,
        gram: NodeMoments<'_>,
        node: usize,
        allowed: &NodeSet,
        threshold: f64,
    ) -> Option<(usize, f64)> {
        self.correlations.clear();
        self.correlations.extend_from_slice(&gram.row(node));
        for (&a, &weight) in self.active.iter().zip(&self.weights) {
            for (c, x) in self.correlations.iter_mut().zip(&*gram.row(a)) {
                *c -= weight * x;
            }
        }
        let mut worst = None;
        let mut size = threshold;
        for j in allowed {
            let c = self.correlations[j];
            if c.abs() > size && !self.active.contains(&j) && !self.barred.contains(j) {
                size = c.abs();
                worst = Some((j, c.signum()));
            }
        }
        worst
    }

    /// Makes `entering` active. If it is a combination of the active nodes the objective falls along the direction
    /// that trades them for it, until one of them reaches zero and leaves.
    fn enter(&mut self, gram: NodeMoments<'_>, entering: usize, sign: f64) -> bool {
        let size = self.active.len();
        let mut weight = 0.0;
        if !self.factor.push(gram, &self.active, entering) {
            self.target.clear();
            self.target.extend_from_slice(self.factor.last_row(size));
            self.factor.solve_upper(&mut self.target);
            let mut step = f64::INFINITY;
            let mut leaving = None;
            for (position, &direction) in self.target.iter().enumerate() {
                let towards_zero = sign * direction * self.signs[position];
                let length = self.weights[position].abs() / towards_zero;
                if towards_zero > 0.0 && length < step {
                    step = length;
                    leaving = Some(position);
                }
            }
            let Some(leaving) = leaving else { return false };
            for (w, direction) in self.weights.iter_mut().zip(&self.target) {
                *w -= step * sign * direction;
            }
            self.remove(gram, leaving);
            weight = step * sign;
            if !self.factor.push(gram, &self.active, entering) {
                return false;
            }
        }
        self.active.push(entering);
        self.weights.push(weight);
        self.signs.push(sign);
        true
    }

    /// Walks to the optimum of the current support and signs, dropping each node whose weight reaches zero on the way.
    /// False if a node was dropped before it moved at all, which only rounding can bring about.
    fn descend(
        &mut self,
        gram: NodeMoments<'_>,
        node: usize,
        lambda: f64,
        pace: &mut Pace<'_, '_>,
    ) -> Option<bool> {
        let g = gram.row(node);
        let mut progress = true;
        loop {
            pace.spend(self.active.len().pow(2))?;
            self.target.clear();
            self.target.extend(self.active.iter().zip(&self.signs).map(|(&a, s)| g[a] - lambda * s));
            self.factor.solve(&mut self.target);
            let mut step = 1.0;
            let mut leaving = None;
            for (position, (&w, &t)) in self.weights.iter().zip(&self.target).enumerate() {
                if t * self.signs[position] <= 0.0 {
                    let length = if w == t { 0.0 } else { w / (w - t) };
                    if length < step || leaving.is_none() {
                        step = length;
                        leaving = Some(position);
                    }
                }
            }
            let Some(leaving) = leaving else {
                self.weights.copy_from_slice(&self.target);
                return Some(progress);
            };
            progress &= step > 0.0;
            for (w, t) in self.weights.iter_mut().zip(&self.target) {
                *w += step * (t - *w);
            }
            self.remove(gram, leaving);
        }
    }

    fn remove(&mut self, gram: NodeMoments<'_>, position: usize) {
        self.active.remove(position);
        self.weights.remove(position);
        self.signs.remove(position);
        self.factor.truncate(position);
        let mut kept = position;
        while kept < self.active.len() {
            if self.factor.push(gram, &self.active[..kept], self.active[kept]) {
                kept += 1;
            } else {
                // A subset of independent nodes is independent; only rounding at the threshold ends here.
                self.active.remove(kept);
                self.weights.remove(kept);
                self.signs.remove(kept);
            }
        }
    }

    /// Solves the final support once more, in increasing order and with one step of refinement, so that equal supports
    /// have equal weights to the last bit, whichever way they were reached.
    fn refit(&mut self, gram: NodeMoments<'_>, node: usize, lambda: f64) {
        let g = gram.row(node);
        for sorted in 1..self.active.len() {
            for position in (1..=sorted).rev() {
                if self.active[position - 1] <= self.active[position] {
                    break;
                }
                self.active.swap(position - 1, position);
                self.weights.swap(position - 1, position);
                self.signs.swap(position - 1, position);
            }
        }
        self.factor.truncate(0);
        for position in 0..self.active.len() {
            if !self.factor.push(gram, &self.active[..position], self.active[position]) {
                return;
            }
        }
        self.target.clear();
        self.target.extend(self.active.iter().zip(&self.signs).map(|(&a, s)| g[a] - lambda * s));
        self.factor.solve(&mut self.target);
        self.correlations.clear();
        for (&a, s) in self.active.iter().zip(&self.signs) {
            let row = gram.row(a);
            let fitted: f64 = self.active.iter().zip(&self.target).map(|(&b, w)| row[b] * w).sum();
            self.correlations.push(g[a] - lambda * s - fitted);
        }
        self.factor.solve(&mut self.correlations);
        for (t, c) in self.target.iter_mut().zip(&self.correlations) {
            *t += c;
        }
        if self.target.iter().zip(&self.signs).all(|(t, s)| t * s > 0.0) {
            self.weights.copy_from_slice(&self.target);
        }
    }

    fn objective(&self, gram: NodeMoments<'_>, node: usize, lambda: f64) -> f64 {
        let g = gram.row(node);
        let mut square = g[node];
        let mut norm = 0.0;
        for (&a, &weight) in self.active.iter().zip(&self.weights) {
            let row = gram.row(a);
            let fitted: f64 = self.active.iter().zip(&self.weights).map(|(&b, w)| row[b] * w).sum();
            square += weight * (fitted - 2.0 * g[a]);
            norm += weight.abs();
        }
        0.5 * square + lambda * norm
    }
}
