//! The answer for Gaussian data: partial correlations by Fisher's z.

use std::borrow::Cow;

use super::{IndependenceTest, check_alpha};
use crate::cholesky::{COLLINEAR, Cholesky, dot};
use crate::tails::{normal_quantile, normal_tails};
use crate::{Gram, Result};
use plackett::elementary::{atanh, tanh};

/// The test of zero partial correlation by Fisher's z-transform: √(n − |S| − 3) · |atanh ρ| against the normal
/// quantile. With too few rows for that nothing can be shown to depend, and all is independent.
///
/// ```
/// use plackett_dag::{Gram, independence::{FisherZ, IndependenceTest}};
/// // 0 → 1 → 2 with weights and noise of one.
/// let gram = Gram::from_matrix(1000, 3, vec![1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 1.0, 2.0, 3.0])?;
/// let mut test = FisherZ::new(&gram, 0.01)?;
/// assert!(test.is_independent(0, 2, &[1]) && !test.is_independent(0, 2, &[]));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FisherZ<'a> {
    gram: Cow<'a, Gram>,
    alpha: f64,
    /// The two-sided normal quantile of α.
    critical: f64,
    factor: Cholesky,
    active: Vec<usize>,
    coefficients: Vec<f64>,
    inverse_diagonal: Vec<f64>,
    column: Vec<f64>,
}

impl<'a> FisherZ<'a> {
    /// Tests at level `alpha` on the (centered) Gram matrix.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) unless 0 < α < 1.
    ///
    /// ```
    /// let gram = plackett_dag::Gram::from_matrix(10, 1, vec![1.0])?;
    /// assert!(plackett_dag::independence::FisherZ::new(&gram, 1.5).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(gram: &'a Gram, alpha: f64) -> Result<Self> {
        check_alpha(alpha)?;
        // Correlations do not change with the units of the columns.
        let gram = gram.balanced().map_or(Cow::Borrowed(gram), |(gram, _)| Cow::Owned(gram));
        Ok(Self {
            gram,
            alpha,
            critical: normal_quantile(0.5 * alpha),
            factor: Cholesky::default(),
            active: Vec::new(),
            coefficients: Vec::new(),
            inverse_diagonal: Vec::new(),
            column: Vec::new(),
        })
    }
}

impl IndependenceTest for FisherZ<'_> {
    fn nodes(&self) -> usize {
        self.gram.nodes()
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    /// From the residuals of both nodes on the given ones: ρ = r_ab / √(r_aa r_bb). A node that the given ones determine
    /// has none and tells nothing new: it is independent. O(|S|³).
    fn p_value(&mut self, a: usize, b: usize, given: &[usize]) -> f64 {
        self.factor.reset(given.len() + 1);
        self.active.clear();
        for &node in given {
            if self.factor.push(self.gram.pooled(), &self.active, node) {
                self.active.push(node);
            }
        }
        let freedom = self.gram.rows() as f64 - self.active.len() as f64 - 3.0;
        if freedom <= 0.0 {
            return 1.0;
        }
        let (row_a, row_b) = (self.gram.row(a), self.gram.row(b));
        for (row, projection) in [(row_a, &mut self.coefficients), (row_b, &mut self.column)] {
            projection.clear();
            projection.extend(self.active.iter().map(|&node| row[node]));
            self.factor.solve_lower(projection);
        }
        let residual_a = row_a[a] - dot(&self.coefficients, &self.coefficients);
        let residual_b = row_b[b] - dot(&self.column, &self.column);
        if residual_a <= COLLINEAR * row_a[a] || residual_b <= COLLINEAR * row_b[b] {
            return 1.0;
        }
        let shared = row_a[b] - dot(&self.coefficients, &self.column);
        let correlation = (shared / (residual_a * residual_b).sqrt()).clamp(-1.0, 1.0);
        normal_tails(atanh(correlation) * freedom.sqrt())
    }

    /// One regression answers for all candidates C: with coefficients β and residual variance s² the partial
    /// correlation of candidate k is β_k / √(β_k² + s² (G_CC⁻¹)_kk). O(|C|³).
    fn dependent(&mut self, node: usize, candidates: &[usize], kept: &mut Vec<usize>) {
        kept.clear();
        self.factor.reset(candidates.len() + 1);
        self.active.clear();
        for &candidate in candidates {
            // One that the others determine tells nothing new: it is independent given them.
            if self.factor.push(self.gram.pooled(), &self.active, candidate) {
                self.active.push(candidate);
            }
        }
        let given = self.active.len().saturating_sub(1);
        let freedom = self.gram.rows() as f64 - given as f64 - 3.0;
        if freedom <= 0.0 || self.active.is_empty() {
            return;
        }
        let threshold = tanh(self.critical / freedom.sqrt());
        let row = self.gram.row(node);
        self.coefficients.clear();
        self.coefficients.extend(self.active.iter().map(|&candidate| row[candidate]));
        self.factor.solve_lower(&mut self.coefficients);
        let explained = dot(&self.coefficients, &self.coefficients);
        let residual = (row[node] - explained).max(COLLINEAR * row[node]);
        self.factor.solve_upper(&mut self.coefficients);
        self.factor.inverse_diagonal_of_gram(&mut self.inverse_diagonal, &mut self.column);
        for ((&candidate, &beta), inverse) in
            self.active.iter().zip(&self.coefficients).zip(&self.inverse_diagonal)
        {
            let square = beta * beta;
            if square > threshold * threshold * (square + residual * inverse) {
                kept.push(candidate);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, normal};
    use statrs::distribution::{ContinuousCDF, Normal};

    /// The answer for all candidates at once is that of the textbook recursion for partial correlations, and so is the
    /// p-value of each.
    #[test]
    fn agrees_with_the_recursion_for_partial_correlations() {
        fn partial(g: &[f64], k: usize, a: usize, b: usize, given: &[usize]) -> f64 {
            let Some((&c, rest)) = given.split_first() else {
                return g[a * k + b] / (g[a * k + a] * g[b * k + b]).sqrt();
            };
            let (ab, ac, bc) =
                (partial(g, k, a, b, rest), partial(g, k, a, c, rest), partial(g, k, b, c, rest));
            (ab - ac * bc) / ((1.0 - ac * ac) * (1.0 - bc * bc)).sqrt()
        }
        let (k, rows, alpha) = (6, 60, 0.2);
        let mut outcomes = [0, 0];
        for seed in 0..40 {
            let mut rng = Rng::new(300 + seed);
            let x: Vec<f64> = (0..3 * k * k).map(|_| normal(&mut rng)).collect();
            let entry = |at: usize| x.chunks(k).map(|row| row[at / k] * row[at % k]).sum::<f64>();
            let matrix: Vec<f64> = (0..k * k).map(entry).collect();
            let gram = Gram::from_matrix(rows, k, matrix.clone()).unwrap();
            let mut test = FisherZ::new(&gram, alpha).unwrap();
            let candidates = [0, 2, 3, 5];
            let mut kept = Vec::new();
            test.dependent(1, &candidates, &mut kept);
            for candidate in candidates {
                let given: Vec<usize> = candidates.iter().copied().filter(|&c| c != candidate).collect();
                let z = partial(&matrix, k, 1, candidate, &given).atanh().abs() * (rows as f64 - 6.0).sqrt();
                let is_dependent = z > normal_quantile(alpha / 2.0);
                assert_eq!(kept.contains(&candidate), is_dependent);
                assert_eq!(test.is_independent(1, candidate, &given), !is_dependent);
                let p_value = test.p_value(1, candidate, &given);
                assert!((p_value - 2.0 * Normal::standard().sf(z)).abs() < 1e-9);
                assert_eq!(test.p_value(candidate, 1, &given), p_value);
                outcomes[usize::from(is_dependent)] += 1;
            }
        }
        assert!(outcomes[0] > 20 && outcomes[1] > 20);
    }

    #[test]
    fn copies_constants_and_few_rows_are_independent_of_all() {
        // Node 1 is a copy of node 0, node 2 is constant.
        let matrix = vec![1.0, 1.0, 0.0, 0.8, 1.0, 1.0, 0.0, 0.8, 0.0, 0.0, 0.0, 0.0, 0.8, 0.8, 0.0, 1.0];
        let gram = Gram::from_matrix(100, 4, matrix.clone()).unwrap();
        let mut test = FisherZ::new(&gram, 0.05).unwrap();
        assert!(test.is_independent(3, 1, &[0]) && test.is_independent(3, 0, &[1]));
        assert!(test.is_independent(3, 2, &[0]) && test.is_independent(2, 3, &[]));
        assert!(!test.is_independent(3, 0, &[]));
        let few = Gram::from_matrix(3, 4, matrix).unwrap();
        assert!(FisherZ::new(&few, 0.05).unwrap().is_independent(3, 0, &[]));
    }
}
