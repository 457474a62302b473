//! Local refinement by ask and tell: the moves of one item after another, kicks when none helps any more.

use rand::{rngs::ChaCha8Rng, seq::SliceRandom as _};
use serde::{Deserialize, Serialize};

use super::batch::{Batch, Origin};
use crate::{
    constraints::Constraints,
    moves::{Move, MoveKind},
    neighborhood::{is_gain, kicked_within, moves_of},
    problem::Sense,
};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Climb {
    order: Vec<usize>,
    /// None until it is told.
    cost: Option<f64>,
    /// The best local optimum so far, which kicks start from.
    base: Option<(Vec<usize>, f64)>,
    /// Items still to be tried in this pass, the next one last.
    queue: Vec<usize>,
    /// Whether the order has become better, or another, since the pass began.
    is_changed: bool,
    /// Whether the order could not be evaluated, so that another one must be found.
    has_failed: bool,
}

impl Climb {
    pub(super) fn from_known(order: Vec<usize>, cost: f64) -> Self {
        Self { order, cost: Some(cost), base: None, queue: Vec::new(), is_changed: true, has_failed: false }
    }

    pub(super) fn from_unknown(order: Vec<usize>) -> Self {
        Self { order, cost: None, base: None, queue: Vec::new(), is_changed: true, has_failed: false }
    }

    /// The next orders to ask about; none if that depends on answers that are missing (`is_quiet` is false).
    pub(super) fn open(
        &mut self,
        constraints: &Constraints,
        kinds: &[MoveKind],
        is_quiet: bool,
        rng: &mut ChaCha8Rng,
    ) -> Option<(Origin, Vec<Vec<usize>>)> {
        let mut ranks = vec![0; self.order.len()];
        self.order.iter().enumerate().for_each(|(rank, &item)| ranks[item] = rank);
        loop {
            let Some(cost) = self.cost else {
                if std::mem::take(&mut self.has_failed) {
                    let from = self.base.as_ref().map_or(&self.order, |(base, _)| base);
                    self.order = kicked_within(from, constraints, rng);
                }
                return is_quiet.then(|| (Origin::Start, vec![self.order.clone()]));
            };
            let Some(item) = self.queue.pop() else {
                if !is_quiet {
                    return None;
                }
                if self.is_changed {
                    self.is_changed = false;
                    self.queue = (0..self.order.len()).collect();
                    self.queue.shuffle(rng);
                    continue;
                }
                let (base, _) = match self.base.take() {
                    Some(base) if base.1 < cost => self.base.insert(base),
                    _ => self.base.insert((self.order.clone(), cost)),
                };
                self.order = kicked_within(base, constraints, rng);
                (self.cost, self.is_changed) = (None, true);
                continue;
            };
            let moves = moves_of(kinds, &self.order, &ranks, constraints, item);
            if !moves.is_empty() {
                let moved = |step: Move| {
                    let mut order = self.order.clone();
                    step.apply(&mut order);
                    order
                };
                return Some((Origin::Moves, moves.into_iter().map(moved).collect()));
            }
        }
    }

    /// Goes on from the best order of a batch if it is better.
    pub(super) fn settle(&mut self, batch: &Batch, sense: Sense) {
        let mut best: Option<(f64, &[usize])> = None;
        for (_, order, _, value) in batch.successes() {
            let cost = sense.cost(value);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, order));
            }
        }
        match (best, self.cost) {
            (Some((cost, order)), Some(present)) if is_gain(cost - present, present) => {
                self.order = order.to_vec();
                (self.cost, self.is_changed) = (Some(cost), true);
            }
            (Some((cost, order)), None) => {
                self.order = order.to_vec();
                self.cost = Some(cost);
                self.queue.clear();
            }
            (None, None) => self.has_failed = true,
            _ => {}
        }
    }

    #[cfg(feature = "json")]
    pub(super) fn is_sound(&self, is_order: impl Fn(&[usize]) -> bool) -> bool {
        let items = self.order.len();
        is_order(&self.order)
            && self.base.iter().all(|(order, cost)| is_order(order) && cost.is_finite())
            && self.cost.is_none_or(f64::is_finite)
            && self.queue.iter().all(|&item| item < items)
    }
}
