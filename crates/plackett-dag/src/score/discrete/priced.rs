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
