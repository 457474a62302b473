//! Insertion search: take one node out of the order and put it back where the order scores best, until no node moves.
//! All places of a node are tried by exchanging neighbors, and an exchange changes two local scores only. From random
//! starts, each followed by kicks: a few nodes of the best order so far moved at random, and the search again from there.

use plackett::run::Run;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::{OrderSolution, known, walk::Walk};
use crate::{Oracle, Result};

/// A gain below this share of the score is rounding: without a margin two equal orders could alternate for ever.
const IMPROVEMENT: f64 = 1e-12;

/// Nodes moved to random places by one kick. At 50 dense nodes 5 leaves a quarter of the gap that 2 leaves; 8 is no better.
const KICKED_NODES: usize = 5;

/// Settings of the insertion search: how many random starts and kicks, and the seed that all its randomness comes from.
///
/// Outcomes depend on the score, these settings and nothing else.
///
/// A pass over d nodes asks for at most 2d² local scores.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{EvL0, Gram, Insertion, Oracle, ScoreSettings};
/// // x₁ = 2·x₀ + noise of variance 1.
/// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let mut oracle = Oracle::new(Arc::new(EvL0::new(gram, &ScoreSettings::default())?));
/// assert_eq!(Insertion { starts: 3, kicks: 0, seed: 7 }.run(&mut oracle, &Run::default()).order, [0, 1]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insertion {
    /// Number of random orders to start from.
    pub starts: usize,
    /// Number of times that each start's best order is disturbed and improved again.
    pub kicks: usize,
    /// Seed of the starts; start `i` draws from stream `i`.
    pub seed: u64,
}

impl Default for Insertion {
    fn default() -> Self {
        Self { starts: 2, kicks: 30, seed: 0 }
    }
}

impl Insertion {
    /// The best order over all starts, the first of equals; the best so far if the run ends before, and the graph without
    /// edges if it ends before there is one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Bic, Gram, Insertion, Oracle, ScoreSettings};
    /// let gram = Arc::new(Gram::from_matrix(1000, 1, vec![1.0])?);
    /// let mut oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
    /// assert_eq!(Insertion::default().run(&mut oracle, &Run::default()).order, [0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn run(&self, oracle: &mut Oracle, run: &Run<'_>) -> OrderSolution {
        let mut best: Option<(f64, Vec<usize>)> = None;
        for start in 0..self.starts.max(1) {
            let mut rng = self.stream(start as u64);
            let mut order: Vec<usize> = (0..oracle.nodes()).collect();
            order.shuffle(&mut rng);
            let Some(score) = self.climb(oracle, &mut order, &mut rng, run) else { break };
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, order));
            }
        }
        known(best.map(|(_, order)| order), oracle, run)
    }

    /// Improves `start`: the outcome is never worse, unless the run is over before its score is known.
    ///
    /// # Errors
    /// [`Error::NotAnOrder`](crate::Error::NotAnOrder) unless `start` lists each node once.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{EvL0, Gram, Insertion, Oracle, ScoreSettings};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let mut oracle = Oracle::new(Arc::new(EvL0::new(gram, &ScoreSettings::default())?));
    /// assert_eq!(Insertion::default().improve(&mut oracle, &[1, 0], &Run::default())?.order, [0, 1]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn improve(&self, oracle: &mut Oracle, start: &[usize], run: &Run<'_>) -> Result<OrderSolution> {
        oracle.check_order(start)?;
        let mut order = start.to_vec();
        let climbed = self.climb(oracle, &mut order, &mut self.stream(0), run);
        Ok(known(climbed.map(|_| order), oracle, run))
    }

    /// Improves `order` until no move of one node helps, then disturbs it and tries again, keeping what is not worse.
    /// Nothing if the run is over before the order's score is known.
    fn climb(
        &self,
        oracle: &mut Oracle,
        order: &mut Vec<usize>,
        rng: &mut ChaCha8Rng,
        run: &Run<'_>,
    ) -> Option<f64> {
        let mut score = climb(oracle, order, rng, run)?;
        let kicks = if order.len() > 2 { self.kicks } else { 0 };
        for _ in 0..kicks {
            if run.is_over() {
                break;
            }
            let mut trial = order.clone();
            for _ in 0..KICKED_NODES {
                let node = trial.remove(rng.random_range(0..trial.len()));
                trial.insert(rng.random_range(0..=trial.len()), node);
            }
            let Some(trial_score) = climb(oracle, &mut trial, rng, run) else { break };
            if trial_score <= score {
                score = trial_score;
                *order = trial;
            }
        }
        Some(score)
    }

    fn stream(&self, index: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(index);
        rng
    }
}

/// Moves one node after another to its best place until none moves or the run is over, and returns the score.
fn climb(oracle: &mut Oracle, order: &mut Vec<usize>, rng: &mut ChaCha8Rng, run: &Run<'_>) -> Option<f64> {
    let mut walk = Walk::new(oracle, std::mem::take(order), run)?;
    let mut visits: Vec<usize> = (0..walk.order().len()).collect();
    // Nodes visited since the last move: once all of them stay, the order is a local optimum.
    let mut unmoved = 0;
    'passes: while unmoved < visits.len() {
        visits.shuffle(rng);
        for &node in &visits {
            if run.is_over() {
                break 'passes;
            }
            match move_to_best_place(&mut walk, node) {
                Some(true) => unmoved = 0,
                Some(false) => unmoved += 1,
                None => break 'passes,
            }
        }
    }
    let score = walk.score();
    *order = walk.into_order();
    Some(score)
}

fn move_to_best_place(walk: &mut Walk, node: usize) -> Option<bool> {
    let rank = walk.order().iter().position(|&other| other == node)?;
    let scale: f64 = walk.locals().iter().map(|local| local.abs()).sum();
    let mut best = (-IMPROVEMENT * scale, rank);
    walk.visit_places(rank, |place, change| {
        if change < best.0 {
            best = (change, place);
        }
    })?;
    let moves = best.1 != rank;
    if moves {
        walk.relocate(rank, best.1)?;
    }
    Some(moves)
}
