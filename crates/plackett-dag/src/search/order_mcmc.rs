//! Order MCMC (Friedman and Koller): a Markov chain over orders that visits each in proportion to exp(−score). On a score that
//! takes the best parents of each node it looks for the best order, as in the paper's Table 4. Probabilities of edges come from
//! [`PartitionMcmc`](crate::search::PartitionMcmc), in which each graph counts once.

use plackett::{elementary::exp, run::Run};
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::{OrderSolution, known, walk::Walk};
use crate::error::check_positive;
use crate::{Oracle, Result};

/// Shares of the moves: exchange of neighbors, exchange of any two; the rest relocates a node. The first is cheapest, the
/// last goes farthest.
const ADJACENT: f64 = 0.4;
const EXCHANGE: f64 = 0.4;

/// Moves between two questions to the run: the cheapest take no longer than a question.
const STEPS_PER_QUESTION: u64 = 16;

/// Moves between two notes of how far the chain is.
const STEPS_PER_NOTE: u64 = 256;

/// Settings of the chain.
///
/// A move rescores the nodes that it touches and no others: two for neighbors, d/3 on average for any two. A relocation
/// looks at every place of one node, 2d local scores, and draws one of them in proportion to exp(−score).
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, Oracle, score::{Bic, ScoreSettings}, search::OrderMcmc};
/// let gram = Arc::new(Gram::from_matrix(1000, 3, vec![1.0, 0.8, 0.0, 0.8, 1.0, 0.0, 0.0, 0.0, 1.0])?);
/// let mut oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
/// let found = OrderMcmc { steps: 100, ..OrderMcmc::default() }.run(&mut oracle, &Run::default())?;
/// assert_eq!(Some(found.best.score), oracle.order_score(&found.best.order, &Run::default())?);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderMcmc {
    /// Moves proposed.
    pub steps: u64,
    /// The chain visits orders in proportion to exp(−score/temperature). One, if the score is a negative log-probability.
    pub temperature: f64,
    /// Seed of the start and of the moves.
    pub seed: u64,
}

impl Default for OrderMcmc {
    fn default() -> Self {
        Self { steps: 100_000, temperature: 1.0, seed: 0 }
    }
}

/// Where a chain is.
pub(super) struct State<'a> {
    /// The order now.
    #[cfg_attr(not(test), expect(dead_code, reason = "what the tests check"))]
    pub(super) order: &'a [usize],
    /// Its score.
    #[cfg_attr(not(test), expect(dead_code, reason = "what the tests check"))]
    pub(super) score: f64,
}

/// What a chain ends with.
#[derive(Debug, Clone, PartialEq)]
pub struct McmcSolution {
    /// The best order visited.
    pub best: OrderSolution,
    /// Moves proposed.
    pub steps: u64,
    /// Moves that changed the order.
    pub accepted: u64,
}

impl OrderMcmc {
    /// Runs the chain from a random order within the oracle's bounds.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) if the temperature is not positive and finite.
    pub fn run(&self, oracle: &mut Oracle, run: &Run<'_>) -> Result<McmcSolution> {
        self.visit(oracle, |_| Some(()), run)
    }

    /// The same with a visitor who sees its state after every move, and who may find that the run is over.
    pub(super) fn visit(
        &self,
        oracle: &mut Oracle,
        mut visitor: impl FnMut(&State) -> Option<()>,
        run: &Run<'_>,
    ) -> Result<McmcSolution> {
        check_positive("temperature", self.temperature)?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut order: Vec<usize> = (0..oracle.nodes()).collect();
        order.shuffle(&mut rng);
        order = oracle.bounds().arrange(&order);
        run.begin("order MCMC", Some(self.steps));
        let Some(walk) = Walk::new(oracle, order, run) else {
            let best = OrderSolution::empty(oracle);
            return Ok(McmcSolution { best, steps: 0, accepted: 0 });
        };
        let mut chain =
            Chain { walk, temperature: self.temperature, rng, old: Vec::new(), places: Vec::new() };
        let mut best = (chain.walk.score(), chain.walk.order().to_vec());
        let (mut step, mut accepted) = (0, 0);
        while step < self.steps {
            if step.is_multiple_of(STEPS_PER_QUESTION) && run.is_over() {
                break;
            }
            let Some(has_moved) = chain.propose() else { break };
            step += 1;
            if has_moved {
                accepted += 1;
                let score = chain.walk.score();
                if score < best.0 {
                    best.0 = score;
                    best.1.copy_from_slice(chain.walk.order());
                }
            }
            if step.is_multiple_of(STEPS_PER_NOTE) {
                run.advance(STEPS_PER_NOTE);
            }
            let state = State { order: chain.walk.order(), score: chain.walk.score() };
            if visitor(&state).is_none() {
                break;
            }
        }
        Ok(McmcSolution { best: known(Some(best.1), oracle, run), steps: step, accepted })
    }
}

struct Chain<'a, 'b> {
    walk: Walk<'a, 'b>,
    temperature: f64,
    rng: ChaCha8Rng,
    /// Local scores to go back to.
    old: Vec<f64>,
    /// The places of a node with the changes of the score.
    places: Vec<(usize, f64)>,
}

impl Chain<'_, '_> {
    /// Makes one move, or not; whether the order changed. Nothing if the run is over.
    fn propose(&mut self) -> Option<bool> {
        let nodes = self.walk.order().len();
        if nodes < 2 {
            return Some(false);
        }
        let kind: f64 = self.rng.random();
        if kind < ADJACENT {
            let first = self.rng.random_range(0..nodes - 1);
            self.exchange(first, first + 1)
        } else if kind < ADJACENT + EXCHANGE {
            let first = self.rng.random_range(0..nodes);
            let second = (first + self.rng.random_range(1..nodes)) % nodes;
            self.exchange(first.min(second), first.max(second))
        } else {
            let rank = self.rng.random_range(0..nodes);
            self.relocate(rank)
        }
    }

    /// Metropolis: the proposal is symmetric, so it is accepted with probability exp(−change/temperature), and never if it would
    /// leave the bounds.
    fn exchange(&mut self, first: usize, second: usize) -> Option<bool> {
        if !self.walk.bounds().may_exchange(self.walk.order(), first, second) {
            return Some(false);
        }
        let change = self.walk.exchange(first, second, &mut self.old)?;
        // Drawn whether needed or not, so that the same draws follow.
        let uniform: f64 = self.rng.random();
        let accepted = uniform < exp(-change / self.temperature);
        if !accepted {
            self.walk.undo_exchange(first, second, &self.old);
        }
        Some(accepted)
    }

    /// Gibbs: a place is drawn with its probability given the order of the others.
    fn relocate(&mut self, rank: usize) -> Option<bool> {
        self.places.clear();
        self.places.push((rank, 0.0));
        self.walk.visit_places(rank, |place, change| self.places.push((place, change)))?;
        let least = self.places.iter().map(|place| place.1).fold(f64::INFINITY, f64::min);
        for (_, weight) in &mut self.places {
            *weight = exp((least - *weight) / self.temperature);
        }
        let total: f64 = self.places.iter().map(|place| place.1).sum();
        let mut left = self.rng.random::<f64>() * total;
        let drawn = self.places.iter().find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        let place = drawn.map_or(rank, |place| place.0);
        if place != rank {
            self.walk.relocate(rank, place)?;
        }
        Some(place != rank)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;
    use std::time::Duration;

    use plackett::run::Limits;

    use super::*;
    use crate::{
        LocalScore, NodeSet,
        score::{Choice, Scratch},
    };

    /// A score without structure: any number between 0 and 2 for each node and set of predecessors.
    struct Rough(usize);

    impl LocalScore for Rough {
        fn name(&self) -> &'static str {
            "rough"
        }

        fn nodes(&self) -> usize {
            self.0
        }

        fn best(
            &self,
            node: usize,
            allowed: &NodeSet,
            _: &NodeSet,
            _: &mut Scratch,
            _: &Run<'_>,
        ) -> Option<Choice> {
            let bits = allowed.iter().fold(node as u64 + 1, |bits, other| bits | 1 << (8 + other));
            let mixed = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            let score = 2.0 * mixed as f64 / f64::from(u32::MAX);
            Some(Choice { score, parents: NodeSet::default(), witness: allowed.clone() })
        }
    }

    #[test]
    fn orders_are_visited_in_proportion_to_the_exponential_of_their_scores() {
        for temperature in [0.5, 1.0] {
            let mut oracle = Oracle::new(Arc::new(Rough(4)));
            let mut visits: HashMap<Vec<usize>, f64> = HashMap::new();
            let chain = OrderMcmc { steps: 400_000, temperature, seed: 3 };
            let found = chain
                .visit(
                    &mut oracle,
                    |state| {
                        *visits.entry(state.order.to_vec()).or_default() += 1.0;
                        Some(())
                    },
                    &Run::default(),
                )
                .unwrap();
            assert_eq!(visits.len(), 24);
            let weights: HashMap<&Vec<usize>, f64> = visits
                .keys()
                .map(|order| {
                    (
                        order,
                        (-oracle.order_score(order, &Run::default()).unwrap().unwrap() / temperature).exp(),
                    )
                })
                .collect();
            let total: f64 = weights.values().sum();
            let best = weights.values().copied().fold(0.0, f64::max);
            assert!(((-found.best.score / temperature).exp() - best).abs() < 1e-9);
            for (order, count) in &visits {
                let (share, expected) = (count / 400_000.0, weights[order] / total);
                // Independent visits would have this standard error; these are correlated over a few moves.
                let error = (expected / 400_000.0).sqrt();
                assert!((share - expected).abs() < 12.0 * error, "{order:?}: {share} for {expected}");
            }
        }
    }

    #[test]
    fn the_score_is_that_of_the_order_after_every_move() {
        let mut oracle = Oracle::new(Arc::new(Rough(7)));
        let mut copy = Oracle::new(Arc::new(Rough(7)));
        let chain = OrderMcmc { steps: 3000, ..OrderMcmc::default() };
        let found = chain
            .visit(
                &mut oracle,
                |state| {
                    let score = copy.order_score(state.order, &Run::default()).unwrap().unwrap();
                    assert!((score - state.score).abs() < 1e-9);
                    Some(())
                },
                &Run::default(),
            )
            .unwrap();
        assert!(found.accepted > 300 && found.accepted < 3000);
    }

    #[test]
    fn small_problems_and_bad_temperatures() {
        let mut oracle = Oracle::new(Arc::new(Rough(1)));
        let over = Run::new(Limits::time(Duration::ZERO));
        let found = OrderMcmc::default().run(&mut oracle, &over).unwrap();
        assert_eq!((found.best.order, found.steps), (vec![0], 0));
        for temperature in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let chain = OrderMcmc { temperature, ..OrderMcmc::default() };
            assert!(chain.run(&mut oracle, &Run::default()).is_err());
        }
    }
}
