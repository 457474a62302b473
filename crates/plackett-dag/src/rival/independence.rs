//! Conditional independence: what GREEDY-SP asks of the data, and the answer for Gaussian data by Fisher's z.

use super::check;
use crate::cholesky::{COLLINEAR, Cholesky, dot};
use crate::{Error, Gram};

/// Answers whether two nodes are independent given others: from data, or from a known graph.
///
/// ```
/// use plackett_dag::rival::{GreedySp, IndependenceTest, keep_going};
/// /// The chain 0 → 1 → 2.
/// struct Chain;
/// impl IndependenceTest for Chain {
///     fn nodes(&self) -> usize {
///         3
///     }
///     fn is_independent(&mut self, a: usize, b: usize, given: &[usize]) -> bool {
///         a.abs_diff(b) == 2 && given == [1]
///     }
/// }
/// let learned = GreedySp::default().search(&mut Chain, 0, keep_going)?;
/// assert_eq!(learned.dag.edge_count(), 2);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub trait IndependenceTest {
    /// The number of nodes.
    fn nodes(&self) -> usize;

    /// Whether `a` and `b` are independent given the others; `given` is ascending and contains neither.
    fn is_independent(&mut self, a: usize, b: usize, given: &[usize]) -> bool;

    /// Those of the candidates, ascending, that depend on `node` given all the other candidates, into `kept`. One
    /// question for all of them: a test that can answer it at once, rather than one by one as here, should.
    fn dependent(&mut self, node: usize, candidates: &[usize], kept: &mut Vec<usize>) {
        kept.clear();
        let mut given = Vec::with_capacity(candidates.len());
        for &candidate in candidates {
            given.clear();
            given.extend(candidates.iter().copied().filter(|&other| other != candidate));
            if !self.is_independent(node, candidate, &given) {
                kept.push(candidate);
            }
        }
    }
}

/// The test of zero partial correlation by Fisher's z-transform: √(n − |S| − 3) · |atanh ρ| against the normal
/// quantile. With too few rows for that nothing can be shown to depend, and all is independent.
///
/// ```
/// use plackett_dag::{Gram, rival::{FisherZ, IndependenceTest}};
/// // 0 → 1 → 2 with weights and noise of one.
/// let gram = Gram::from_matrix(1000, 3, vec![1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 1.0, 2.0, 3.0])?;
/// let mut test = FisherZ::new(&gram, 0.01)?;
/// assert!(test.is_independent(0, 2, &[1]) && !test.is_independent(0, 2, &[]));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug)]
pub struct FisherZ<'a> {
    gram: &'a Gram,
    /// The two-sided normal quantile of α.
    critical: f64,
    factor: Cholesky,
    active: Vec<usize>,
    coefficients: Vec<f64>,
    inverse_diagonal: Vec<f64>,
    column: Vec<f64>,
    question: Vec<usize>,
    answer: Vec<usize>,
}

impl<'a> FisherZ<'a> {
    /// Tests at level `alpha` on the (centred) Gram matrix.
    ///
    /// # Errors
    /// [`Error::BadSetting`] unless 0 < α < 1.
    ///
    /// ```
    /// let gram = plackett_dag::Gram::from_matrix(10, 1, vec![1.0])?;
    /// assert!(plackett_dag::rival::FisherZ::new(&gram, 1.5).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(gram: &'a Gram, alpha: f64) -> Result<Self, Error> {
        check("alpha", alpha, alpha > 0.0 && alpha < 1.0, "it must lie between 0 and 1")?;
        Ok(Self {
            gram,
            critical: normal_quantile(0.5 * alpha),
            factor: Cholesky::default(),
            active: Vec::new(),
            coefficients: Vec::new(),
            inverse_diagonal: Vec::new(),
            column: Vec::new(),
            question: Vec::new(),
            answer: Vec::new(),
        })
    }
}

impl IndependenceTest for FisherZ<'_> {
    fn nodes(&self) -> usize {
        self.gram.nodes()
    }

    fn is_independent(&mut self, a: usize, b: usize, given: &[usize]) -> bool {
        let (mut question, mut answer) =
            (std::mem::take(&mut self.question), std::mem::take(&mut self.answer));
        question.clear();
        question.extend_from_slice(given);
        // Last, so that a node which the given ones determine is the one that adds nothing.
        question.push(b);
        self.dependent(a, &question, &mut answer);
        let is_independent = !answer.contains(&b);
        (self.question, self.answer) = (question, answer);
        is_independent
    }

    /// One regression answers for all candidates C: with coefficients β and residual variance s² the partial
    /// correlation of candidate k is β_k / √(β_k² + s² (G_CC⁻¹)_kk). O(|C|³).
    fn dependent(&mut self, node: usize, candidates: &[usize], kept: &mut Vec<usize>) {
        kept.clear();
        self.factor.reset(candidates.len() + 1);
        self.active.clear();
        for &candidate in candidates {
            // One that the others determine tells nothing new: it is independent given them.
            if self.factor.push(self.gram, &self.active, candidate) {
                self.active.push(candidate);
            }
        }
        let given = self.active.len().saturating_sub(1);
        let freedom = self.gram.rows() as f64 - given as f64 - 3.0;
        if freedom <= 0.0 || self.active.is_empty() {
            return;
        }
        let threshold = (self.critical / freedom.sqrt()).tanh();
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

/// The x that a standard normal exceeds with probability `tail`, at most one half: bisection on the upper tail.
fn normal_quantile(tail: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    while high - low > 1e-14 * high {
        let middle = 0.5 * (low + high);
        if middle == low || middle == high {
            break;
        }
        if upper_tail(middle) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The probability that a standard normal exceeds x ≥ 0: the series of the integral from 0 near the centre, Laplace's
/// continued fraction φ(x)/(x + 1/(x + 2/(x + 3/…))) in the tail.
fn upper_tail(x: f64) -> f64 {
    const SWITCH: f64 = 3.0;
    const TERMS: u32 = 200;
    let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
    if x < SWITCH {
        let (mut term, mut sum) = (x, x);
        for n in 1..TERMS {
            term *= x * x / f64::from(2 * n + 1);
            sum += term;
        }
        0.5 - density * sum
    } else {
        density / (1..TERMS).rev().fold(x, |fraction, n| x + f64::from(n) / fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rival::objective::tests::problem;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (tail, quantile) in [
            (0.5, 0.0),
            (0.025, 1.959_963_984_540_054),
            (0.005, 2.575_829_303_548_901),
            (0.000_5, 3.290_526_731_491_926),
            (0.5e-9, 6.109_410_204_869_056),
        ] {
            assert!((normal_quantile(tail) - quantile).abs() < 1e-9, "{tail}: {}", normal_quantile(tail));
        }
    }

    /// The answer for all candidates at once is that of the textbook recursion for partial correlations.
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
            let (matrix, _, _) = problem(k, 300 + seed);
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
                assert_eq!(test.is_independent(candidate, 1, &given), !is_dependent);
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
