//! E f(b) and its gradient for an f that is a sum over ranks, pairs and neighbors.

use super::{Grain, Race, pairs, positions};
use crate::{
    elementary::exp,
    error::{Error, check_length},
    objective::Terms,
};

/// Room for the expectations of [additive](crate::Additive) objectives over k items. What a family needs is made when it is first met, and nothing
/// is allocated after that.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    items: usize,
    positions: Option<Box<(Race, positions::Room)>>,
    pairs: Option<Box<(Race, pairs::Room)>>,
}

impl Expectation {
    pub(crate) fn new(items: usize) -> Self {
        Self { items, positions: None, pairs: None }
    }

    /// Makes the room for some families at once, so that nothing is allocated later.
    pub(crate) fn prepare(&mut self, positions: bool, pairs: bool) {
        if positions {
            self.positions();
        }
        if pairs {
            self.pairs();
        }
    }

    fn positions(&mut self) -> &mut (Race, positions::Room) {
        let items = self.items;
        self.positions
            .get_or_insert_with(|| Box::new((Race::new(items, Grain::Ranks), positions::Room::new(items))))
    }

    fn pairs(&mut self) -> &mut (Race, pairs::Room) {
        let items = self.items;
        self.pairs.get_or_insert_with(|| Box::new((Race::new(items, Grain::Pairs), pairs::Room::new(items))))
    }

    /// E f(b) at scores whose exponentials sum to one, and its gradient. Precedences are O(k²), ranks and ends O(Q k²) with some
    /// dozens of nodes Q, and neighbors O(Q² k²).
    pub(crate) fn of(
        &mut self,
        terms: Terms<'_>,
        scores: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, Error> {
        check_length("the additive objective's list of items", terms.items, self.items)?;
        check_length("the list of scores", scores.len(), self.items)?;
        check_length("the gradient", gradient.len(), self.items)?;
        gradient.fill(0.0);
        let mut value = terms.constant;
        if let Some(costs) = terms.precedences {
            value += add_precedences(costs, scores, gradient);
        }
        if let Some(costs) = terms.positions {
            let (race, room) = self.positions();
            race.set_scores(scores);
            value += race.add_positions(costs, gradient, room);
        }
        if terms.neighbors.is_some() || terms.ends.is_some() {
            let (race, room) = self.pairs();
            race.set_scores(scores);
            if let Some(costs) = terms.neighbors {
                value += race.add_neighbors(costs, gradient, room);
            }
            if let Some(costs) = terms.ends {
                value += race.add_ends(costs, gradient, room);
            }
        }
        Ok(value)
    }
}

/// E Σ W[i, j] over pairs with i before j, where E[i before j] = 1 / (1 + exp(θ_j − θ_i)).
fn add_precedences(costs: &[f64], scores: &[f64], gradient: &mut [f64]) -> f64 {
    let items = scores.len();
    let mut value = 0.0;
    for i in 0..items {
        for j in i + 1..items {
            let (forward, backward) = (costs[i * items + j], costs[j * items + i]);
            let (before, after) = precedence(scores[i], scores[j]);
            value += forward * before + backward * after;
            let slope = (forward - backward) * before * after;
            gradient[i] += slope;
            gradient[j] -= slope;
        }
    }
    value
}

/// The probabilities that an item of the first score comes before one of the second, and after it.
pub(crate) fn precedence(one: f64, other: f64) -> (f64, f64) {
    let odds = exp(-(one - other).abs());
    let (likely, unlikely) = (1.0 / (1.0 + odds), odds / (1.0 + odds));
    if one >= other { (likely, unlikely) } else { (unlikely, likely) }
}
