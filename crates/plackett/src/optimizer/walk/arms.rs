//! Random moves of six sorts, those that have led downhill of late more often than others.

use rand::{RngExt as _, rngs::ChaCha8Rng};

use crate::{constraints::Constraints, moves::Move};

/// Insertions, exchanges and reversals over any distance, and the same nearby.
const SORTS: usize = 6;
/// A move nearby spans at most one in so many items.
const NEARBY: usize = 5;
/// How fast old successes are forgotten.
const FORGETTING: f64 = 0.02;
/// The share of its full probability that a sort keeps without any success.
const LEAST: f64 = 0.3;

/// A bandit over the sorts of moves.
#[derive(Clone, Debug)]
pub(super) struct Arms {
    /// How often each has led downhill, the older the less it counts.
    successes: [f64; SORTS],
    /// The sums of their weights up to each.
    sums: [f64; SORTS],
}

impl Arms {
    pub(super) fn new() -> Self {
        let mut arms = Self { successes: [0.0; SORTS], sums: [0.0; SORTS] };
        arms.weigh();
        arms
    }

    fn weigh(&mut self) {
        let most = self.successes.iter().fold(0.0, |most: f64, &s| most.max(s));
        let mut sum = 0.0;
        for (success, total) in self.successes.iter().zip(&mut self.sums) {
            sum += if most > 0.0 { LEAST + (1.0 - LEAST) * success / most } else { 1.0 };
            *total = sum;
        }
    }

    pub(super) fn tell(&mut self, sort: usize, is_success: bool) {
        self.successes[sort] += FORGETTING * (f64::from(u8::from(is_success)) - self.successes[sort]);
        self.weigh();
    }

    /// A random move that keeps the constraints and changes one of the first `top` ranks, with its sort. None if the draw
    /// was unlucky.
    pub(super) fn draw(
        &self,
        order: &[usize],
        ranks: &[usize],
        constraints: &Constraints,
        top: usize,
        rng: &mut ChaCha8Rng,
    ) -> Option<(usize, Move)> {
        let items = order.len();
        if items < 2 {
            return None;
        }
        let at = rng.random::<f64>() * self.sums[SORTS - 1];
        let sort = self.sums.iter().position(|&sum| at < sum).unwrap_or(0);
        let (kind, is_near) = (sort % 3, sort >= 3);
        let least = if kind == 2 && is_near && items > 2 { 2 } else { 1 };
        let reach = if is_near { (items / NEARBY).max(least) } else { items - 1 };
        let (first, second) = if is_near {
            let distance = rng.random_range(least..=reach);
            let first = rng.random_range(0..(items - distance).min(top));
            (first, first + distance)
        } else {
            let first = rng.random_range(0..top);
            let second = rng.random_range(0..items - 1);
            let second = if second >= first { second + 1 } else { second };
            (first.min(second), first.max(second))
        };
        let step = match kind {
            0 if constraints.is_free() => {
                if rng.random() {
                    Move::Insert { from: first, to: second }
                } else {
                    Move::Insert { from: second, to: first }
                }
            }
            0 => {
                // Where constraints are tight, most ranks are closed to an item: choose among those that are not.
                let from = if rng.random() { first } else { second };
                let (low, high) = constraints.insertion_range(order, ranks, from);
                let (low, high) = (low.max(from.saturating_sub(reach)), high.min(from + reach));
                let to = if low < high { rng.random_range(low..high) } else { return None };
                Move::Insert { from, to: if to >= from { to + 1 } else { to } }
            }
            1 => Move::Swap { first, second },
            _ => Move::Reverse { first, last: second },
        };
        let is_allowed = step.span().0 < top && constraints.allow(order, ranks, step);
        is_allowed.then_some((sort, step))
    }
}
