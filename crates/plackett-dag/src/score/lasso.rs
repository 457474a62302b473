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
        self.factor.reset(d);
        self.active.clear();
        self.weights.clear();
        self.signs.clear();
        self.barred.clear();
        let g = gram.row(node);
        let largest = allowed.iter().map(|j| g[j].abs()).fold(0.0, f64::max);
        let threshold = lambda * (1.0 + ENTRY_TOLERANCE) + ENTRY_ROUNDING * largest;
        for _ in 0..STEPS_PER_NODE * d {
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

#[cfg(test)]
mod tests {
    use plackett::run::Run;

    use super::*;
    use crate::Gram;
    use crate::gram::Centering;
    use crate::score::subset::tests::{over, questions};
    use crate::testing::{Rng, normal, random_gram};

    /// The solution of a few linear equations, by elimination with pivoting; nothing if they are dependent.
    fn solved(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
        let size = rows.len();
        for pivot in 0..size {
            let best =
                (pivot..size).max_by(|&a, &b| rows[a][pivot].abs().total_cmp(&rows[b][pivot].abs()))?;
            rows.swap(pivot, best);
            if rows[pivot][pivot].abs() < 1e-9 {
                return None;
            }
            let top = rows[pivot].clone();
            for row in rows.iter_mut().enumerate().filter(|(at, _)| *at != pivot).map(|(_, row)| row) {
                let factor = row[pivot] / top[pivot];
                row.iter_mut().zip(&top).for_each(|(x, y)| *x -= factor * y);
            }
        }
        Some((0..size).map(|at| rows[at][size] / rows[at][at]).collect())
    }

    /// The least objective over all supports and signs of weights, with its weights, and by how much the next is worse.
    fn best_of_all(gram: &Gram, node: usize, allowed: &[usize], lambda: f64) -> (f64, Vec<f64>) {
        let mut best = (0.5 * gram.entry(node, node), vec![0.0; allowed.len()]);
        for mut code in 0..3_usize.pow(allowed.len() as u32) {
            let mut active = Vec::new();
            for at in 0..allowed.len() {
                match code % 3 {
                    1 => active.push((at, 1.0)),
                    2 => active.push((at, -1.0)),
                    _ => {}
                }
                code /= 3;
            }
            let own = |at: usize| gram.entry(node, allowed[at]);
            let both = |a: usize, b: usize| gram.entry(allowed[a], allowed[b]);
            let row = |&(a, sign): &(usize, f64)| -> Vec<f64> {
                active.iter().map(|&(b, _)| both(a, b)).chain([own(a) - lambda * sign]).collect()
            };
            let Some(weights) = solved(active.iter().map(row).collect()) else { continue };
            if active.iter().zip(&weights).any(|(&(_, sign), weight)| weight * sign <= 0.0) {
                continue;
            }
            let mut objective = 0.5 * gram.entry(node, node);
            for (&(a, _), x) in active.iter().zip(&weights) {
                objective += lambda * x.abs() - x * own(a);
                objective +=
                    active.iter().zip(&weights).map(|(&(b, _), y)| 0.5 * x * y * both(a, b)).sum::<f64>();
            }
            if objective < best.0 {
                let mut all = vec![0.0; allowed.len()];
                active.iter().zip(&weights).for_each(|(&(at, _), &weight)| all[at] = weight);
                best = (objective, all);
            }
        }
        best
    }

    /// Eight rows of columns in three or more dimensions, some of them combinations of others, or the same.
    fn awkward(seed: u64) -> Gram {
        let rng = &mut Rng::new(seed);
        let dimensions = 3 + (seed % 4) as usize;
        let weights: Vec<f64> = (0..6 * dimensions).map(|_| (5.0 * rng.uniform()).floor() - 2.0).collect();
        let mut rows = Vec::new();
        for _ in 0..8 {
            let sources: Vec<f64> = (0..dimensions).map(|_| normal(rng)).collect();
            let column = |at: usize| -> f64 {
                (0..dimensions).map(|source| weights[at * dimensions + source] * sources[source]).sum()
            };
            rows.extend((0..6).map(column));
        }
        Gram::from_rows(&rows, 6, Centering::Center).unwrap()
    }

    #[test]
    fn the_solution_is_the_best_of_all_supports_and_signs() {
        let run = Run::default();
        let mut lasso = Lasso::default();
        let mut sizes = [0; 6];
        for seed in 0..300 {
            let is_awkward = seed % 2 == 0;
            let gram = if is_awkward { awkward(seed) } else { random_gram(6, 12, seed) };
            let node = (seed % 6) as usize;
            let allowed: Vec<usize> = (0..6).filter(|&one| one != node).collect();
            let largest = allowed.iter().map(|&one| gram.entry(node, one).abs()).fold(0.01, f64::max);
            let lambda = largest * [0.9, 0.3, 0.05, 0.003][seed as usize / 6 % 4];
            let (least, weights) = best_of_all(&gram, node, &allowed, lambda);
            let set = allowed.iter().copied().collect();
            let found = lasso.solve(gram.of(node), node, &set, lambda, &mut Pace::new(&run)).unwrap();
            assert!((found - least).abs() < 1e-9 * (1.0 + least), "{seed}: {found} for {least}");
            assert!(lasso.support().is_sorted());
            sizes[lasso.support().len()] += 1;
            if !is_awkward {
                let mut all = [0.0; 6];
                lasso.support().iter().zip(lasso.weights()).for_each(|(&one, &weight)| all[one] = weight);
                for (&one, expected) in allowed.iter().zip(&weights) {
                    assert!((all[one] - expected).abs() < 1e-9, "{seed}: {} for {expected}", all[one]);
                }
            }
        }
        assert!(sizes[1..].iter().all(|&count| count > 3), "{sizes:?}");
    }

    /// A solver at some support, with these weights and signs.
    fn at(gram: &Gram, node: usize, active: &[usize], weights: &[f64], signs: &[f64]) -> Lasso {
        let mut lasso = Lasso::default();
        lasso.factor.reset(gram.nodes());
        for (position, &one) in active.iter().enumerate() {
            assert!(lasso.factor.push(gram.of(node), &active[..position], one));
        }
        (lasso.active, lasso.weights, lasso.signs) = (active.to_vec(), weights.to_vec(), signs.to_vec());
        lasso
    }

    #[test]
    fn descending_goes_to_the_optimum_of_the_signs_and_drops_what_reaches_zero() {
        let run = Run::default();
        let mut dropped = [0; 6];
        for seed in 0..200 {
            let gram = random_gram(6, 12, seed);
            let rng = &mut Rng::new(seed);
            let (node, lambda) = ((seed % 6) as usize, 0.02 * (1 + seed % 3) as f64);
            let mut active: Vec<usize> = (0..6).filter(|&one| one != node).collect();
            active.rotate_left((seed % 5) as usize);
            let mut signs: Vec<f64> = active.iter().map(|_| (rng.uniform() - 0.5).signum()).collect();
            let mut weights: Vec<f64> = signs.iter().map(|sign| sign * rng.uniform()).collect();
            // One that has just entered.
            if seed % 4 == 0 {
                weights[4] = 0.0;
            }
            let mut lasso = at(&gram, node, &active, &weights, &signs);
            let found = lasso.descend(gram.of(node), node, lambda, &mut Pace::new(&run)).unwrap();

            let mut progress = true;
            loop {
                let row = |(&a, sign): (&usize, &f64)| -> Vec<f64> {
                    let both = active.iter().map(|&b| gram.entry(a, b));
                    both.chain([gram.entry(node, a) - lambda * sign]).collect()
                };
                let target = solved(active.iter().zip(&signs).map(row).collect()).unwrap();
                let blocked = (0..active.len()).filter(|&at| target[at] * signs[at] <= 0.0);
                let lengths = blocked.map(|at| (at, weights[at] / (weights[at] - target[at])));
                let Some((at, step)) = lengths.min_by(|a, b| a.1.total_cmp(&b.1)) else {
                    weights = target;
                    break;
                };
                progress &= step != 0.0;
                weights.iter_mut().zip(&target).for_each(|(w, t)| *w = (1.0 - step) * *w + step * t);
                active.remove(at);
                weights.remove(at);
                signs.remove(at);
            }
            dropped[5 - active.len()] += 1;
            assert_eq!((&lasso.active, &lasso.signs, found), (&active, &signs, progress), "{seed}");
            for (weight, expected) in lasso.weights.iter().zip(&weights) {
                assert!((weight - expected).abs() < 1e-8, "{seed}: {weight} for {expected}");
            }
        }
        assert!(dropped[1..5].iter().all(|&count| count > 3), "{dropped:?}");
    }

    #[test]
    fn a_combination_enters_in_exchange_for_another_at_the_same_fit() {
        let mut exchanged = 0;
        for seed in (0..400).step_by(4) {
            // In three dimensions each is a combination of three others.
            let gram = awkward(seed);
            let (node, rng) = (5, &mut Rng::new(seed));
            let is_independent = |active: &[usize]| {
                let row = |&a: &usize| active.iter().map(|&b| gram.entry(a, b)).chain([0.0]).collect();
                solved(active.iter().map(row).collect()).is_some()
            };
            if !is_independent(&[0, 1, 2]) {
                continue;
            }
            for (entering, sign) in [(3, 1.0), (3, -1.0), (4, 1.0), (4, -1.0)] {
                let signs: Vec<f64> = (0..3).map(|_| (rng.uniform() - 0.5).signum()).collect();
                let weights: Vec<f64> = signs.iter().map(|sign| sign * (0.1 + rng.uniform())).collect();
                let mut lasso = at(&gram, node, &[0, 1, 2], &weights, &signs);
                if !lasso.enter(gram.of(node), entering, sign) {
                    continue;
                }
                exchanged += 1;
                assert_eq!((lasso.active.len(), lasso.active.last()), (3, Some(&entering)), "{seed}");
                assert_eq!(lasso.signs.last(), Some(&sign));
                for (weight, sign) in lasso.weights.iter().zip(&lasso.signs) {
                    assert!(weight * sign > -1e-12, "{seed}: no weight passes zero");
                }
                for one in 0..6 {
                    let fit = |active: &[usize], weights: &[f64]| -> f64 {
                        active.iter().zip(weights).map(|(&other, w)| w * gram.entry(one, other)).sum()
                    };
                    let gap = fit(&[0, 1, 2], &weights) - fit(&lasso.active, &lasso.weights);
                    assert!(gap.abs() < 1e-8, "{seed}: {gap}");
                }
                // The factor is that of the new support.
                let mut solution: Vec<f64> = lasso.active.iter().map(|&one| gram.entry(node, one)).collect();
                lasso.factor.solve(&mut solution);
                for &one in &lasso.active {
                    let fitted: f64 = lasso
                        .active
                        .iter()
                        .zip(&solution)
                        .map(|(&other, w)| w * gram.entry(one, other))
                        .sum();
                    assert!((fitted - gram.entry(node, one)).abs() < 1e-7, "{seed}");
                }
            }
        }
        assert!(exchanged > 50, "{exchanged}");
    }

    #[test]
    fn refitting_sorts_and_solves_and_keeps_what_has_other_signs() {
        let gram = random_gram(6, 12, 4);
        let (node, lambda, active) = (5, 0.02, [3, 0, 4, 2]);
        let row = |(&a, sign): (&usize, f64)| -> Vec<f64> {
            active.iter().map(|&b| gram.entry(a, b)).chain([gram.entry(node, a) - lambda * sign]).collect()
        };
        let solve = |signs: [f64; 4]| solved(active.iter().zip(signs).map(row).collect()).unwrap();
        let mut signs = [1.0; 4];
        for _ in 0..5 {
            let weights = solve(signs);
            signs = [0, 1, 2, 3].map(|at| weights[at].signum());
        }
        let expected = solve(signs);
        let by_node = |nodes: &[usize], values: &[f64]| -> Vec<(usize, f64)> {
            let mut pairs: Vec<(usize, f64)> = nodes.iter().copied().zip(values.iter().copied()).collect();
            pairs.sort_by_key(|pair| pair.0);
            pairs
        };
        let mut lasso = at(&gram, node, &active, &[0.1, -0.2, 0.3, -0.4], &signs);
        lasso.refit(gram.of(node), node, lambda);
        assert_eq!(lasso.active, [0, 2, 3, 4]);
        for ((_, found), (_, weight)) in
            by_node(&lasso.active, &lasso.weights).into_iter().zip(by_node(&active, &expected))
        {
            assert!((found - weight).abs() < 1e-12, "{found} for {weight}");
        }
        // Of the other signs there is no optimum here: what was found before stays, each beside its node.
        let opposite = signs.map(|sign| -sign);
        let mut lasso = at(&gram, node, &active, &[0.1, -0.2, 0.3, -0.4], &opposite);
        lasso.refit(gram.of(node), node, lambda);
        assert_eq!(by_node(&lasso.active, &lasso.weights), by_node(&active, &[0.1, -0.2, 0.3, -0.4]));
        assert_eq!(by_node(&lasso.active, &lasso.signs), by_node(&active, &opposite));
        assert_eq!(lasso.active, [0, 2, 3, 4]);
        // A weight of nothing has no sign.
        let gram = Gram::from_matrix(50, 2, vec![1.0, 0.5, 0.5, 1.0]).unwrap();
        let mut lasso = at(&gram, 1, &[0], &[0.3], &[1.0]);
        lasso.refit(gram.of(1), 1, 0.5);
        assert_eq!(lasso.weights, [0.3]);
    }

    #[test]
    fn a_node_enters_when_it_goes_with_more_than_the_price_and_rounding() {
        let run = Run::default();
        let support = |gram: &Gram, node: usize, lambda: f64| {
            let mut lasso = Lasso::default();
            lasso.solve(gram.of(node), node, &NodeSet::full(node), lambda, &mut Pace::new(&run)).unwrap();
            lasso.support().to_vec()
        };
        for own in [0.5, -0.5] {
            let gram = Gram::from_matrix(50, 2, vec![1.0, own, own, 1.0]).unwrap();
            for (share, expected) in [(0.0, 0), (-5e-12, 0), (-2e-11, 1), (-0.1, 1), (0.1, 0)] {
                let found = support(&gram, 1, 0.5 * (1.0 + share));
                assert_eq!(found.len(), expected, "{own} {share}");
            }
        }
        // Beside a large one, a correlation of a few last digits is none.
        for (own, expected) in [(5e-13, vec![0]), (2e-12, vec![0, 1])] {
            let gram =
                Gram::from_matrix(50, 3, vec![1.0, 0.0, 100.0, 0.0, 1.0, own, 100.0, own, 2e4]).unwrap();
            assert_eq!(support(&gram, 2, 1e-14), expected);
        }
        // Of equals the first.
        let same = Gram::from_matrix(50, 3, vec![1.0, 1.0, 0.7, 1.0, 1.0, 0.7, 0.7, 0.7, 1.0]).unwrap();
        assert_eq!(support(&same, 2, 0.1), [0]);
    }

    #[test]
    fn the_way_to_a_support_does_not_show_in_its_weights() {
        let run = Run::default();
        for seed in 0..40 {
            let gram = random_gram(12, 30, seed);
            let node = (seed % 12) as usize;
            let all: NodeSet = (0..12).filter(|&one| one != node).collect();
            let (mut lasso, mut again) = (Lasso::default(), Lasso::default());
            let wide = lasso.solve(gram.of(node), node, &all, 0.02, &mut Pace::new(&run)).unwrap();
            let support: NodeSet = lasso.support().iter().copied().collect();
            let narrow = again.solve(gram.of(node), node, &support, 0.02, &mut Pace::new(&run)).unwrap();
            assert_eq!(wide.to_bits(), narrow.to_bits());
            assert_eq!(lasso.weights(), again.weights());
            // At the optimum each goes with the rest as much as its price.
            let fitted = |one: usize| -> f64 {
                lasso
                    .support()
                    .iter()
                    .zip(lasso.weights())
                    .map(|(&other, w)| w * gram.entry(one, other))
                    .sum()
            };
            for (&one, weight) in lasso.support().iter().zip(lasso.weights()) {
                let left = gram.entry(one, node) - fitted(one) - 0.02 * weight.signum();
                assert!(left.abs() < 1e-14 * 8.0, "{seed}: {left:e}");
            }
        }
    }

    #[test]
    fn the_run_is_asked_in_proportion_to_the_work_and_can_end_it() {
        let nodes = 100;
        // Columns that have nothing to do with each other enter one after another, the strongest first, and stay.
        let mut matrix = vec![0.0; nodes * nodes];
        for one in 0..nodes {
            matrix[one * nodes + one] = 1.0;
        }
        let last = nodes - 1;
        for one in 0..last {
            let own = 0.05 + 1e-4 * one as f64;
            (matrix[one * nodes + last], matrix[last * nodes + one]) = (own, own);
        }
        let gram = Gram::from_matrix(500, nodes, matrix).unwrap();
        let all = NodeSet::full(last);
        let asked = questions(|run| {
            let pace = &mut Pace::new(run);
            for _ in 0..4 {
                assert!(Lasso::default().solve(gram.of(last), last, &all, 0.01, pace).is_some());
            }
        });
        let expected = questions(|run| {
            let pace = &mut Pace::new(run);
            for _ in 0..4 {
                for active in 0..last {
                    pace.spend(nodes * (active + 1)).unwrap();
                    pace.spend((active + 1) * (active + 1)).unwrap();
                }
                pace.spend(nodes * nodes).unwrap();
            }
        });
        assert_eq!(asked, expected);
        let run = over();
        assert!(Lasso::default().solve(gram.of(last), last, &all, 0.01, &mut Pace::new(&run)).is_none());
    }
}
