//! The Gaussian BIC: r(i, S) = min over P ⊆ S of (n/2)·log v(P) + κ·(log n / 2)·|P|, v(P) the residual variance;
//! κ = 1 is the BIC proper, without a κ the price of a parent is ½ log n + (3/2) log d, in the manner of the extended BIC.
//! It does not change with the units of a column, and so suits data whose noise variances differ. Without a κ, parents cost more where
//! rows are few ([`small_sample`](super::small_sample)).

use std::collections::HashMap;
use std::sync::Arc;

use plackett::{
    elementary::{exp_m1, ln},
    run::Run,
};

use super::small_sample;
use super::subset::{Criterion, Space, Subset, price};
use super::{Choice, LocalScore, ScoreEntry, ScoreSettings, Scratch, SubsetSearch, Walker};
use crate::gram::NodeMoments;
use crate::{Bounds, Gram, NodeSet, Result};

pub(super) const ENTRY: ScoreEntry = ScoreEntry {
    name: "bic",
    summary: "Gaussian BIC, for data whose noise variances differ; finds the graph up to equivalence",
    needs_rows: false,
    build: |gram, settings| Ok(Arc::new(Bic::new(gram, settings)?)),
};

#[derive(Debug, Clone)]
struct LogVariance {
    half_rows: f64,
    penalty: f64,
    /// What so many parents cost together, where rows are few.
    prices: Arc<[f64]>,
}

impl Criterion for LogVariance {
    fn fit(&self, variance: f64) -> f64 {
        self.half_rows * ln(variance)
    }

    fn penalty(&self) -> f64 {
        self.penalty
    }

    fn price(&self, parents: usize) -> f64 {
        match (self.prices.get(parents), self.prices.last()) {
            (Some(price), _) => *price,
            (None, Some(most)) => most + self.penalty * (parents + 1 - self.prices.len()) as f64,
            (None, None) => self.penalty * parents as f64,
        }
    }

    fn needed_gain(&self, variance: f64, price: f64) -> f64 {
        variance * -exp_m1(-price / self.half_rows)
    }
}

/// The Gaussian BIC score (half the usual one, lower being better, with RSS/n for RSS: a constant apart).
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, LocalScore, NodeSet, score::{Bic, ScoreSettings, Scratch}};
/// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let score = Bic::new(gram, &ScoreSettings { penalty_factor: Some(1.0), ..Default::default() })?;
/// let choice = score.best(1, &NodeSet::full(1), &NodeSet::default(), &mut Scratch::default(), &Run::default());
/// assert_eq!(choice.unwrap().score, 500.0 * 1_f64.ln() + 0.5 * 1000_f64.ln());
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bic {
    subset: Subset<LogVariance>,
    price: f64,
    /// The units that the columns were given, if theirs were too far apart: variances in them are smaller by their squares.
    units: Option<Vec<f64>>,
}

impl Bic {
    /// The score on `gram`.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) unless the penalty factor is finite and not negative.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(10, 1, vec![1.0])?);
    /// assert!(Bic::new(gram, &ScoreSettings { penalty_factor: Some(f64::NAN), ..Default::default() }).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(gram: Arc<Gram>, settings: &ScoreSettings) -> Result<Self> {
        let mut known: HashMap<usize, Arc<[f64]>> = HashMap::new();
        let mut criterion = |moments: NodeMoments<'_>| {
            let rows = moments.rows() as f64;
            let (penalty, prices) = match (settings.penalty_factor, settings.price) {
                (Some(_), _) => (price(moments, settings.penalty_factor, 0.5 * ln(rows))?, Arc::default()),
                (None, wanted) => {
                    let penalty = wanted.map_or_else(|| price(moments, None, 0.0), Ok)?;
                    let make = || small_sample::prices(penalty, moments.rows(), moments.nodes()).into();
                    (penalty, Arc::clone(known.entry(moments.rows()).or_insert_with(make)))
                }
            };
            Ok(LogVariance { half_rows: 0.5 * rows, penalty, prices })
        };
        let price = criterion(gram.pooled())?.penalty;
        let criteria = (0..gram.nodes()).map(|node| criterion(gram.of(node))).collect::<Result<_>>()?;
        let (gram, units) = match gram.balanced() {
            Some((gram, units)) => (Arc::new(gram), Some(units)),
            None => (gram, None),
        };
        Ok(Self { subset: Subset::new(gram, criteria, settings.subset_search), price, units })
    }

    /// What a parent costs a node that no row sets from outside, where rows are many.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 1, vec![1.0])?);
    /// let score = Bic::new(gram, &ScoreSettings { penalty_factor: Some(1.0), ..Default::default() })?;
    /// assert_eq!(score.price(), 0.5 * 1000_f64.ln());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn price(&self) -> f64 {
        self.price
    }

    /// What the score of a node is more in the columns' own units.
    fn shift(&self, node: usize) -> f64 {
        let rows = 2.0 * self.subset.criteria[node].half_rows;
        self.units.as_ref().map_or(0.0, |units| rows * ln(units[node]))
    }

    /// What `node` costs with exactly these parents, each another node.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, NodeSet, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 0.0, 0.0, 1.0])?);
    /// let score = Bic::new(gram, &ScoreSettings { penalty_factor: Some(1.0), ..Default::default() })?;
    /// assert_eq!(score.cost(1, &NodeSet::full(1)), 0.5 * 1000_f64.ln());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn cost(&self, node: usize, parents: &NodeSet) -> f64 {
        self.shift(node) + self.subset.score(node, parents, &mut Space::default())
    }
}

impl LocalScore for Bic {
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
        let choice = self.subset.best(node, allowed, required, scratch, run)?;
        Some(Choice { score: self.shift(node) + choice.score, ..choice })
    }

    fn is_equivalent(&self) -> bool {
        true
    }

    fn cost(&self, node: usize, parents: &NodeSet) -> Option<f64> {
        Some(self.shift(node) + self.subset.score(node, parents, &mut Space::default()))
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
        let is_filled = self.subset.fill_costs(node, table, run);
        let shift = self.shift(node);
        table.iter_mut().for_each(|score| *score += shift);
        is_filled
    }

    fn weights(&self, node: usize, parents: &NodeSet) -> Option<Vec<f64>> {
        let mut weights = self.subset.weights(node, parents);
        if let Some(units) = &self.units {
            weights
                .iter_mut()
                .zip(parents)
                .for_each(|(weight, parent)| *weight *= units[node] / units[parent]);
        }
        Some(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_prices_of_few_rows_a_parent_costs_the_penalty() {
        let criterion = LogVariance { half_rows: 5.0, penalty: 2.0, prices: [0.0, 3.0, 7.0].into() };
        let prices: Vec<f64> = (0..6).map(|parents| criterion.price(parents)).collect();
        assert_eq!(prices, [0.0, 3.0, 7.0, 9.0, 11.0, 13.0]);
        let plain = LogVariance { prices: [].into(), ..criterion };
        assert_eq!((plain.price(3), plain.penalty()), (6.0, 2.0));
    }

    #[test]
    fn what_is_needed_lowers_the_fit_by_its_price() {
        let criterion = LogVariance { half_rows: 5.0, penalty: 2.0, prices: [].into() };
        for (variance, price) in [(0.3, 0.7), (4.0, 2.5), (1.0, 0.0)] {
            let after = criterion.fit(variance - criterion.needed_gain(variance, price));
            assert!((after + price - criterion.fit(variance)).abs() < 1e-12);
        }
        assert_eq!(criterion.fit(1.0), 0.0);
        assert!((criterion.fit(2.0) - 5.0 * 2_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn tables_have_the_costs_in_the_units_of_the_columns() {
        // In units so far apart that their squares leave the range of doubles.
        let units = [1e-120, 1.0, 1e130];
        let plain = [1.0, 0.6, -0.3, 0.6, 2.0, 0.5, -0.3, 0.5, 1.5];
        let far = (0..9).map(|at| plain[at] * units[at / 3] * units[at % 3]).collect();
        let settings = ScoreSettings { penalty_factor: Some(1.0), ..ScoreSettings::default() };
        let make =
            |matrix: Vec<f64>| Bic::new(Arc::new(Gram::from_matrix(50, 3, matrix).unwrap()), &settings);
        let (plain, far) = (make(plain.to_vec()).unwrap(), make(far).unwrap());
        assert!(far.units.is_some() && plain.units.is_none());
        for (node, unit) in units.iter().enumerate() {
            let shift = 50.0 * unit.ln();
            let others: Vec<usize> = (0..3).filter(|&other| other != node).collect();
            let mut tables = [[0.0; 4]; 2];
            let exact = [plain.exact().unwrap(), far.exact().unwrap()];
            for (score, table) in exact.iter().zip(&mut tables) {
                assert!(score.fill_costs(node, table, &Run::default()));
            }
            for (set, (near, far_off)) in tables[0].into_iter().zip(tables[1]).enumerate() {
                let parents: NodeSet = (0..2).filter(|at| set >> at & 1 == 1).map(|at| others[at]).collect();
                let cost = plain.cost(node, &parents) + shift;
                let close =
                    |found: f64| assert!((found - cost).abs() < 1e-9 * cost.abs(), "{found} for {cost}");
                close(far.cost(node, &parents));
                close(LocalScore::cost(&far, node, &parents).unwrap());
                close(far_off);
                close(near + shift);
            }
        }
        assert!(!plain.fill_costs(0, &mut [0.0; 4], &Run::default()));
    }

    #[test]
    fn equivalent_graphs_cost_the_same_and_a_parent_what_is_said() {
        let gram = Arc::new(crate::testing::random_gram(3, 40, 2));
        for (penalty_factor, price) in
            [(Some(2.0), 40_f64.ln()), (None, 0.5 * 40_f64.ln() + 1.5 * 3_f64.ln())]
        {
            let settings = ScoreSettings { penalty_factor, ..ScoreSettings::default() };
            let score = Bic::new(Arc::clone(&gram), &settings).unwrap();
            assert!((score.price() - price).abs() < 1e-12);
            assert!(score.is_equivalent());
            let cost = |node: usize, parents: &[usize]| score.cost(node, &parents.iter().copied().collect());
            let one = cost(0, &[]) + cost(1, &[0]);
            assert!((one - cost(1, &[]) - cost(0, &[1])).abs() < 1e-9);
        }
    }
}
