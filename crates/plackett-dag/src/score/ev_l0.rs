//! The equal-variance L0 score: r(i, S) = min over P ⊆ S of ½·v(P) + κ·(σ² log n / n)·|P|, v(P) the residual variance;
//! without a κ, log n gives way to ½ log n + (3/2) log d, which is the same where d³ = n.
//! With one noise variance σ² for all nodes its minimizer over orders identifies the graph itself, not only its class.

use std::sync::Arc;

use plackett::{elementary::ln, run::Run};

use super::subset::{Criterion, Space, Subset, price};
use super::{Choice, LocalScore, ScoreEntry, ScoreSettings, Scratch, SubsetSearch, Walker};
use crate::cholesky::Cholesky;
use crate::error::check_positive;
use crate::{Bounds, Gram, NodeSet, Result};

pub(super) const ENTRY: ScoreEntry = ScoreEntry {
    name: "ev-l0",
    summary: "half the residual variance plus a price per parent; finds the graph if all noise variances are equal",
    needs_rows: false,
    build: |gram, settings| Ok(Arc::new(EvL0::new(gram, settings)?)),
};

#[derive(Debug, Clone)]
struct HalfVariance {
    /// The share of all rows that tell of the node: the variances of all nodes are means over the same rows then.
    share: f64,
    penalty: f64,
}

impl Criterion for HalfVariance {
    fn fit(&self, variance: f64) -> f64 {
        0.5 * self.share * variance
    }

    fn penalty(&self) -> f64 {
        self.penalty
    }

    fn needed_gain(&self, _: f64, price: f64) -> f64 {
        2.0 * price / self.share
    }
}

/// The L0 score for noise of equal variance.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, LocalScore, NodeSet, score::{EvL0, ScoreSettings, Scratch}};
/// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let score = EvL0::new(gram, &ScoreSettings { noise_variance: Some(1.0), penalty_factor: Some(1.0), ..Default::default() })?;
/// let choice = score.best(1, &NodeSet::full(1), &NodeSet::default(), &mut Scratch::default(), &Run::default());
/// assert_eq!(choice.unwrap().score, 0.5 + 1000_f64.ln() / 1000.0);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct EvL0 {
    subset: Subset<HalfVariance>,
    noise_variance: f64,
}

impl EvL0 {
    /// The score on `gram`; without a noise variance in the settings, [`noise_variance`](Self::noise_variance) is
    /// estimated. O(d³) then.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) unless the noise variance is positive and the penalty factor not negative, both finite.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, score::{EvL0, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// assert!(EvL0::new(gram, &ScoreSettings { noise_variance: Some(-1.0), ..Default::default() }).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(gram: Arc<Gram>, settings: &ScoreSettings) -> Result<Self> {
        let estimate = || estimate_noise_variance(&gram, &Run::default());
        let noise_variance = settings.noise_variance.unwrap_or_else(estimate);
        check_positive("the noise variance", noise_variance)?;
        let all_rows = gram.rows() as f64;
        let criterion = |node: usize| {
            let moments = gram.of(node);
            let price = price(moments, settings.penalty_factor, ln(moments.rows() as f64))?;
            Ok(HalfVariance { share: moments.share(), penalty: noise_variance / all_rows * price })
        };
        let criteria = (0..gram.nodes()).map(criterion).collect::<Result<_>>()?;
        let subset = Subset::new(gram, criteria, settings.subset_search);
        Ok(Self { subset, noise_variance })
    }

    /// The common noise variance σ², given or estimated.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, score::{EvL0, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1_000_000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let score = EvL0::new(gram, &ScoreSettings::default())?;
    /// assert!((score.noise_variance() - 1.0).abs() < 1e-5);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn noise_variance(&self) -> f64 {
        self.noise_variance
    }
}

/// σ² from the two ends of the graph, without knowing the graph: a source has marginal variance σ² and nobody has less; a
/// sink has variance σ² given all others and nobody has more. The geometric mean of the smallest marginal and the largest
/// conditional variance (times n/(n−d+1) for the degrees of freedom) is consistent, and its two biases, low and high,
/// oppose each other. Without enough rows for the conditional variances the marginal one stands alone. O(d³).
pub(crate) fn estimate_noise_variance(gram: &Gram, run: &Run<'_>) -> f64 {
    let d = gram.nodes();
    let marginal = (0..d).map(|i| gram.of(i).variance(i)).filter(|&v| v > 0.0).fold(f64::INFINITY, f64::min);
    let mut factor = Cholesky::default();
    factor.reset(d);
    let nodes: Vec<usize> = (0..d).collect();
    let independent =
        gram.rows() > d && (0..d).all(|i| !run.is_over() && factor.push(gram.pooled(), &nodes[..i], i));
    if !independent {
        return marginal;
    }
    let freedom = gram.rows() as f64 / (gram.rows() - d + 1) as f64;
    let mut column = Vec::new();
    let mut conditional = 0.0_f64;
    // A node that some rows set has another variance there; of the others, none has more given all than given its parents.
    let is_free = |&node: &usize| gram.kept_rows(node) == gram.rows();
    for node in (0..d).filter(is_free) {
        if run.is_over() {
            return marginal;
        }
        conditional = conditional.max(freedom / factor.inverse_entry(node, &mut column));
    }
    if conditional > 0.0 { (marginal * conditional).sqrt() } else { marginal }
}

impl LocalScore for EvL0 {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn nodes(&self) -> usize {
        self.subset.gram.nodes()
    }

    fn best(
        &self,
        node: usize,
        allowed: &NodeSet,
        required: &NodeSet,
        scratch: &mut Scratch,
        run: &Run<'_>,
    ) -> Option<Choice> {
        self.subset.best(node, allowed, required, scratch, run)
    }

    /// It is a sum of squares per row.
    fn temperature(&self) -> f64 {
        1.0 / self.subset.gram.rows() as f64
    }

    fn cost(&self, node: usize, parents: &NodeSet) -> Option<f64> {
        Some(self.subset.score(node, parents, &mut Space::default()))
    }

    fn first_orders(&self, run: &Run<'_>) -> Vec<Vec<usize>> {
        self.subset.first_orders(run)
    }

    fn walker<'a>(
        &'a self,
        start: &[usize],
        bounds: &'a Bounds,
        run: &Run<'_>,
    ) -> Option<Box<dyn Walker + 'a>> {
        self.subset.walker(start, bounds, run)
    }

    fn exact(&self) -> Option<Arc<dyn LocalScore>> {
        let mut exact = self.clone();
        exact.subset.search = SubsetSearch::BranchAndBound;
        Some(Arc::new(exact))
    }

    fn fill_costs(&self, node: usize, table: &mut [f64], run: &Run<'_>) -> bool {
        self.subset.fill_costs(node, table, run)
    }

    fn weights(&self, node: usize, parents: &NodeSet) -> Option<Vec<f64>> {
        Some(self.subset.weights(node, parents))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dag, score::score_by_name};

    #[test]
    fn the_estimate_has_its_closed_form_without_edges() {
        // Both ends of a graph without edges have variance one, the conditional one but for the degrees of freedom.
        let gram = Gram::from_matrix(10, 2, vec![1.0, 0.0, 0.0, 1.0]).unwrap();
        let estimate = estimate_noise_variance(&gram, &Run::default());
        assert!((estimate - (10.0_f64 / 9.0).sqrt()).abs() < 1e-12, "{estimate}");
    }

    #[test]
    fn a_set_costs_what_it_costs_as_the_best() {
        let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0]).unwrap());
        let score = EvL0::new(gram, &ScoreSettings::default()).unwrap();
        let (others, none) = (NodeSet::full(1), NodeSet::default());
        let best = score.best(1, &others, &none, &mut Scratch::default(), &Run::default()).unwrap();
        assert_eq!((best.parents.clone(), score.cost(1, &best.parents)), (others, Some(best.score)));
        // All its directions are told.
        assert_eq!(score.undecided(&Dag::from_parents(vec![vec![], vec![0]]).unwrap()), []);
    }

    #[test]
    fn scores_per_row_have_the_temperature_of_their_rows() {
        let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0]).unwrap());
        for (name, temperature) in [("ev-l0", 1e-3), ("l1", 1e-3), ("bic", 1.0)] {
            let score = score_by_name(name, Arc::clone(&gram), &ScoreSettings::default()).unwrap();
            assert_eq!(score.temperature(), temperature, "{name}");
        }
    }

    #[test]
    fn what_is_needed_lowers_the_fit_by_its_price() {
        let criterion = HalfVariance { share: 0.8, penalty: 0.3 };
        assert_eq!((criterion.fit(2.0), criterion.penalty()), (0.8, 0.3));
        for (variance, price) in [(0.3, 0.07), (4.0, 0.5), (1.0, 0.0)] {
            let after = criterion.fit(variance - criterion.needed_gain(variance, price));
            assert!((after + price - criterion.fit(variance)).abs() < 1e-12);
        }
    }

    #[test]
    fn without_rows_or_nodes_to_tell_it_from_the_estimate_is_the_smallest_variance() {
        let estimate = |rows: usize| {
            let gram = Gram::from_matrix(rows, 2, vec![3.0, 0.0, 0.0, 2.0]).unwrap();
            estimate_noise_variance(&gram, &Run::default())
        };
        // As many rows as nodes, one more, and no time.
        assert_eq!(estimate(2), 2.0);
        assert!((estimate(3) - (2.0_f64 * 3.0 * 1.5).sqrt()).abs() < 1e-12);
        let gram = Gram::from_matrix(30, 2, vec![3.0, 0.0, 0.0, 2.0]).unwrap();
        assert_eq!(estimate_noise_variance(&gram, &crate::score::subset::tests::over()), 2.0);
        // Each node is set in some rows.
        let rows: Vec<f64> = (0..60).map(|at| f64::from(at * at % 17)).collect();
        let targets = (0..30).map(|row| match row {
            0..5 => vec![0],
            5..10 => vec![1],
            _ => vec![],
        });
        let told = crate::Interventions::new(2, targets).unwrap();
        let gram = Gram::with_interventions(&rows, &told, crate::gram::Centering::Center).unwrap();
        let least = gram.of(0).variance(0).min(gram.of(1).variance(1));
        assert_eq!(estimate_noise_variance(&gram, &Run::default()), least);
    }

    #[test]
    fn what_the_subset_score_does_is_passed_on() {
        let gram = Arc::new(crate::testing::random_gram(4, 40, 2));
        let settings = ScoreSettings { noise_variance: Some(2.5), ..ScoreSettings::default() };
        let score = EvL0::new(gram, &settings).unwrap();
        assert_eq!(score.noise_variance(), 2.5);
        let (run, bounds) = (Run::default(), Bounds::free(4));
        assert!(score.walker(&[0, 1, 2, 3], &bounds, &run).is_some());
        assert_eq!(score.first_orders(&run), score.subset.first_orders(&run));
        assert_eq!(score.first_orders(&run).len(), 2);
        let mut table = vec![0.0; 8];
        assert!(!score.fill_costs(3, &mut table, &run));
        assert!(score.exact().unwrap().fill_costs(3, &mut table, &run));
        for (set, cost) in table.into_iter().enumerate() {
            let parents: NodeSet = (0..3).filter(|at| set >> at & 1 == 1).collect();
            assert!((cost - score.cost(3, &parents).unwrap()).abs() < 1e-12);
        }
    }
}
