//! A price for structure: a score together with a prior on graphs. Counts alone choose a parent wherever it pays by a fraction of a nat,
//! and among many columns some always do.

use super::{CountScore, FamilyScore};
use plackett::elementary::ln;

/// A score of categories with a price for parents, w·log binom(d − 1, k) for k of them: with w = 1 the prior under which all numbers of
/// parents are alike, and all sets of a number (Friedman and Koller). Markov-equivalent graphs pay the same.
///
/// ```
/// use plackett_dag::score::{FamilyScore, Priced, Qnml};
/// let score = Priced::new(Box::new(Qnml), 5, 1.0);
/// assert_eq!((score.name(), score.price(0)), ("qnml", 0.0));
/// assert!((score.price(2) - 6_f64.ln()).abs() < 1e-12);
/// ```
pub struct Priced {
    score: Box<dyn FamilyScore>,
    prices: Vec<f64>,
}

impl Priced {
    /// The score on graphs of so many nodes, the price multiplied by `weight`.
    pub fn new(score: Box<dyn FamilyScore>, nodes: usize, weight: f64) -> Self {
        let others = nodes.saturating_sub(1);
        let mut prices = vec![0.0];
        for size in 1..=others {
            prices.push(prices[size - 1] + weight * ln((others + 1 - size) as f64 / size as f64));
        }
        Self { score, prices }
    }
}

impl FamilyScore for Priced {
    fn name(&self) -> &'static str {
        self.score.name()
    }

    fn on_rows(&self, rows: usize) -> Box<dyn CountScore> {
        self.score.on_rows(rows)
    }

    fn price(&self, parents: usize) -> f64 {
        self.prices.get(parents).copied().unwrap_or(f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Qnml, graph_cost};
    use crate::{Categories, Dag};

    #[test]
    fn parents_cost_the_logarithm_of_how_many_such_sets_there_are() {
        let score = Priced::new(Box::new(Qnml), 6, 1.5);
        assert_eq!(score.name(), "qnml");
        for (parents, sets) in [1.0_f64, 5.0, 10.0, 10.0, 5.0, 1.0].into_iter().enumerate() {
            assert!((score.price(parents) - 1.5 * sets.ln()).abs() < 1e-12, "{parents}");
        }
        assert_eq!(score.price(6), f64::INFINITY);
    }

    #[test]
    fn a_graph_costs_its_price_more() {
        let names = (0..3).map(|column| format!("x{column}")).collect();
        let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 3];
        let columns = (1..4).map(|step| (0..20).map(|row| row / step % 2).collect()).collect();
        let data = Categories::new(names, levels, columns).unwrap();
        let dag = Dag::from_parents(vec![vec![], vec![0], vec![0, 1]]).unwrap();
        let priced = Priced::new(Box::new(Qnml), 3, 2.0);
        let costs = (graph_cost(&data, &Qnml, &dag).unwrap(), graph_cost(&data, &priced, &dag).unwrap());
        assert!((costs.1 - costs.0 - 2.0 * 2_f64.ln()).abs() < 1e-12);
    }
}
