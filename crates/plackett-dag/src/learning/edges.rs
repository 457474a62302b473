//! What there is to say of each edge of a learned graph, beside its direction: how strong it is.

use super::Learned;
use crate::Dag;
use plackett::elementary::ln;

/// An edge of a learned graph.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, Learning, Observations};
/// // x₁ = 2·x₀ + noise of variance 1, x₀ of variance 1.
/// let gram = Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?;
/// let learned = Learning::default().run(&Observations::Numbers(Arc::new(gram)), &Run::default())?;
/// let edge = learned.edges().next().unwrap();
/// assert!((edge.weight - 2.0).abs() < 1e-12);
/// assert!((edge.standardized.unwrap() - 2.0 / 5_f64.sqrt()).abs() < 1e-12);
/// assert!(edge.strength.unwrap() > 0.0);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedEdge {
    /// The cause.
    pub from: usize,
    /// The effect.
    pub to: usize,
    /// The weight in the graph: the coefficient of the linear model, or, where there are categories, what a score would lose without the
    /// edge.
    pub weight: f64,
    /// The coefficient if every column had a standard deviation of one.
    pub standardized: Option<f64>,
    /// What the score would lose without the edge, the other parents fitted anew. Tests have none.
    pub strength: Option<f64>,
    /// The largest p-value of the tests that kept the edge.
    pub p_value: Option<f64>,
}

impl LearnedEdge {
    /// How strong the edge is beside others of the graph, whatever the units of its columns: its strength, or how small its p-value is, or
    /// the size of its weight.
    ///
    /// ```
    /// use plackett_dag::learning::LearnedEdge;
    /// let edge = LearnedEdge { from: 0, to: 1, weight: -3.0, standardized: None, strength: None, p_value: None };
    /// assert_eq!(edge.rank(), 3.0);
    /// assert_eq!(LearnedEdge { strength: Some(20.0), ..edge }.rank(), 20.0);
    /// ```
    pub fn rank(&self) -> f64 {
        // A p-value too small for a double is the smallest that there is.
        let surprise = self.p_value.map(|p_value| -ln(p_value.max(f64::MIN_POSITIVE)));
        self.strength.or(surprise).unwrap_or_else(|| self.standardized.unwrap_or(self.weight).abs())
    }
}

impl Learned {
    /// The edges of the graph, in the order of [`Dag::edges`](crate::Dag::edges).
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{BayesNet, Learning, Observations};
    /// let data = Observations::Categories(BayesNet::embedded("asia")?.sample(2000, 0, BayesNet::TRAINING)?.into());
    /// let learned = Learning::default().run(&data, &Run::default())?;
    /// assert!(learned.edges().all(|edge| edge.strength == Some(edge.weight)));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn edges(&self) -> impl Iterator<Item = LearnedEdge> + '_ {
        self.dag.edges().map(|(from, to, weight)| {
            let known = |figures: &Option<Dag>| {
                figures.as_ref().filter(|dag| dag.has_edge(from, to)).map(|dag| dag.weight(from, to))
            };
            // A column that never varies may have an edge that is known to be there.
            let standardized = |deviations: &Vec<f64>| {
                Some(weight * deviations[from] / deviations[to]).filter(|weight| weight.is_finite())
            };
            LearnedEdge {
                from,
                to,
                weight,
                standardized: self.deviations.as_ref().and_then(standardized),
                strength: known(&self.strengths),
                p_value: known(&self.p_values),
            }
        })
    }

    /// The same, the strongest first.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{BayesNet, Learning, Observations};
    /// let data = Observations::Categories(BayesNet::embedded("asia")?.sample(2000, 0, BayesNet::TRAINING)?.into());
    /// let learned = Learning::default().run(&data, &Run::default())?;
    /// assert!(learned.strongest_edges().is_sorted_by(|a, b| a.rank() >= b.rank()));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn strongest_edges(&self) -> Vec<LearnedEdge> {
        let mut edges: Vec<LearnedEdge> = self.edges().collect();
        // P-values may all be too small for a double.
        let size = |edge: &LearnedEdge| edge.standardized.unwrap_or(edge.weight).abs();
        edges.sort_by(|a, b| b.rank().total_cmp(&a.rank()).then(size(b).total_cmp(&size(a))));
        edges
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plackett::run::Run;

    use super::*;
    use crate::{
        Gram, LearnMethod, Learning, NodeSet, Observations, ScoreChoice, Sem,
        gram::Centering,
        independence::{FisherZ, IndependenceTest},
        learning::{NumberSettings, residual_variances},
        score::{ScoreSettings, fit_weights, score_by_name},
        simulate::{SemSettings, simulate_sem},
    };

    /// The moments of a simulated model.
    fn moments() -> Arc<Gram> {
        let sem = simulate_sem(&SemSettings { nodes: 6, degree: 2, ..SemSettings::default() }, 5).unwrap();
        let data = sem.sample(300, Sem::TRAINING);
        Arc::new(Gram::from_rows(data.values(), 6, Centering::Center).unwrap())
    }

    fn learn(gram: &Arc<Gram>, score: &str) -> Learned {
        // A price that is found by a search would depend on where that begins.
        let penalty = (score != "l1").then_some(2.0);
        let numbers = NumberSettings { penalty, ..NumberSettings::default() };
        let learning = Learning { score: ScoreChoice::from(score), numbers, ..Learning::default() };
        learning.run(&Observations::Numbers(Arc::clone(gram)), &Run::default()).unwrap()
    }

    #[test]
    fn the_strength_is_what_the_bic_loses_by_its_formula() {
        let gram = moments();
        let learned = learn(&gram, "bic");
        let score = score_by_name("bic", Arc::clone(&gram), &ScoreSettings::default()).unwrap();
        let variance = |node: usize, parents: NodeSet| {
            let mut sets = vec![NodeSet::default(); 6];
            sets[node] = parents;
            let weights = fit_weights(score.as_ref(), &sets).unwrap().unwrap();
            residual_variances(&gram, &Dag::from_adjacency(6, &weights).unwrap())[node]
        };
        assert!(learned.dag.edge_count() > 5);
        for edge in learned.edges() {
            let all: NodeSet = learned.dag.parents(edge.to).iter().copied().collect();
            let mut rest = all.clone();
            rest.remove(edge.from);
            let gain = 150.0 * (variance(edge.to, rest) / variance(edge.to, all)).ln();
            let expected = gain - learned.price.unwrap();
            assert!((edge.strength.unwrap() - expected).abs() < 1e-8, "{edge:?} for {expected}");
        }
    }

    #[test]
    fn units_change_neither_strengths_nor_standardized_weights() {
        // 0 → 2 ← 1 with weights 1 and 0.7: all directions are compelled.
        let matrix = [1.0, 0.0, 1.0, 0.0, 1.0, 0.7, 1.0, 0.7, 2.49];
        let in_units = |units: [f64; 3]| {
            let entries = (0..9).map(|at| matrix[at] * units[at / 3] * units[at % 3]);
            learn(&Arc::new(Gram::from_matrix(500, 3, entries.collect()).unwrap()), "bic")
        };
        let (plain, scaled) = (in_units([1.0; 3]), in_units([1e-3, 30.0, 1e4]));
        assert_eq!((plain.dag.edge_count(), scaled.dag.edge_count()), (2, 2));
        for (a, b) in plain.edges().zip(scaled.edges()) {
            assert_eq!((a.from, a.to), (b.from, b.to));
            assert!((a.strength.unwrap() / b.strength.unwrap() - 1.0).abs() < 1e-9);
            assert!((a.standardized.unwrap() - b.standardized.unwrap()).abs() < 1e-12);
            assert!((a.weight / b.weight - 1.0).abs() > 0.1);
        }
        let ranked = |learned: &Learned| {
            learned.strongest_edges().iter().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>()
        };
        assert_eq!(ranked(&plain), ranked(&scaled));
    }

    #[test]
    fn every_score_of_numbers_has_strengths() {
        let gram = moments();
        for score in ["bic", "ev-l0", "l1"] {
            let learned = learn(&gram, score);
            assert!(learned.dag.edge_count() > 3);
            assert!(learned.edges().all(|edge| edge.strength.unwrap() > 0.0), "{score}");
        }
    }

    #[test]
    fn tests_have_the_largest_p_value_that_kept_an_edge() {
        let gram = moments();
        let learning = Learning { method: LearnMethod::by_name("pc").unwrap(), ..Learning::default() };
        let learned = learning.run(&Observations::Numbers(Arc::clone(&gram)), &Run::default()).unwrap();
        let mut test = FisherZ::new(&gram, 0.01).unwrap();
        assert!(learned.dag.edge_count() > 2);
        for edge in learned.edges() {
            assert_eq!(edge.strength, None);
            let p_value = edge.p_value.unwrap();
            assert!(p_value <= 0.01);
            // The test given nothing is one of those.
            assert!(p_value >= test.p_value(edge.from, edge.to, &[]));
        }
    }
}
