//! What a move will change, predicted before it is asked: linear models of Δf, learned from the moves made so far.
//!
//! A move takes some features of the order away and brings others. In each family of features a weight per feature is
//! learned by a Kalman filter that keeps variances and no covariances, so that an update costs as much as a prediction:
//! with x the signed features, w += v·x·(Δf − w·x) / (Σ v x² + R) and v ← v (1 − v x² / (Σ v x² + R)), never below a
//! floor, as weights drift while the order changes. Traveling salesmen are exact sums over neighbors and linear orderings
//! over pairs; for others one of the families is a fair guess, or none is, and then nothing is predicted.

use crate::moves::Move;

/// The variance of an observation per feature, when a weight that nothing is known of has 1.
const NOISE: f32 = 0.1;
/// The least variance of a weight: what it may have drifted since it was last seen.
const DRIFT: f32 = 0.2;
/// A move that touches more features than this is not predicted in that family.
const MOST_FEATURES: usize = 300;
/// Moves that a family must have seen before it is believed.
const LEAST_MOVES: u32 = 10;
/// How fast old errors are forgotten.
const FORGETTING: f64 = 0.02;
/// A family is believed if it leaves less than this share of the variance of Δf.
const WORST_FIT: f64 = 0.75;
/// Differences beyond this many times the scale teach no more than it: penalties, mostly.
const LARGEST_CHANGE: f64 = 100.0;
/// The most weights of a family; more items share weights, by hashing.
const MOST_WEIGHTS: usize = 1 << 20;

/// What an order is made of, for the purpose of prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Item i has rank r.
    Positions,
    /// Item i stands before item j, wherever.
    Pairs,
    /// Items i and j are neighbors; the last and the first are, too.
    Neighbors,
    /// Item j follows item i; the first follows the last.
    Successors,
}

const FAMILIES: [Family; 4] = [Family::Positions, Family::Pairs, Family::Neighbors, Family::Successors];

#[derive(Clone, Debug)]
struct Linear {
    family: Family,
    weights: Vec<f32>,
    variances: Vec<f32>,
    moves: u32,
    /// Mean squares, the older the less they count: of the error and of Δf.
    error: f64,
    total: f64,
}

/// The models of all families, the best of which predicts.
#[derive(Clone, Debug)]
pub(super) struct Model {
    items: usize,
    linear: Vec<Linear>,
    features: Vec<(u32, f32)>,
}

impl Model {
    pub(super) fn new(items: usize) -> Self {
        let weights = items.saturating_mul(items).min(MOST_WEIGHTS);
        let linear = |family| Linear {
            family,
            weights: vec![0.0; weights],
            variances: vec![1.0; weights],
            moves: 0,
            error: 1.0,
            total: 1.0,
        };
        Self { items, linear: FAMILIES.map(linear).into(), features: Vec::new() }
    }

    /// The family that predicts best of late, by its place; none if no family is worth listening to.
    pub(super) fn best(&self) -> Option<usize> {
        let fit = |at: &usize| self.linear[*at].error / self.linear[*at].total;
        let believed = (0..FAMILIES.len()).filter(|&at| self.linear[at].moves > LEAST_MOVES);
        believed.filter(|at| fit(at) < WORST_FIT).min_by(|a, b| fit(a).total_cmp(&fit(b)))
    }

    /// What this family thinks that a move changes; none of a move that touches too much.
    pub(super) fn predict(&mut self, family: usize, order: &[usize], step: Move) -> Option<f32> {
        let linear = &self.linear[family];
        collect(linear.family, self.items, order, step, &mut self.features)
            .then(|| linear.predict(&self.features))
    }

    /// Learns what a move has changed, in units of the scale; `noise` is the variance of a value, in units of its square.
    pub(super) fn learn(&mut self, order: &[usize], step: Move, change: f64, noise: f64) {
        let change = change.clamp(-LARGEST_CHANGE, LARGEST_CHANGE);
        for linear in &mut self.linear {
            let is_known = collect(linear.family, self.items, order, step, &mut self.features);
            if is_known && !self.features.is_empty() {
                linear.learn(&self.features, change, noise as f32);
            }
        }
    }
}

impl Linear {
    fn predict(&self, features: &[(u32, f32)]) -> f32 {
        features.iter().map(|&(at, sign)| self.weights[at as usize] * sign).sum()
    }

    fn learn(&mut self, features: &[(u32, f32)], change: f64, noise: f32) {
        let error = change as f32 - self.predict(features);
        self.moves = self.moves.saturating_add(1);
        let rate = FORGETTING.max(1.0 / f64::from(self.moves));
        self.error += rate * (f64::from(error * error) - self.error);
        self.total += rate * (change * change - self.total);
        let uncertain =
            features.iter().map(|&(at, _)| self.variances[at as usize] + NOISE).sum::<f32>() + 2.0 * noise;
        for &(at, sign) in features {
            let (weight, variance) = (&mut self.weights[at as usize], &mut self.variances[at as usize]);
            *weight += *variance * sign * error / uncertain;
            *variance = (*variance * (1.0 - *variance / uncertain)).max(DRIFT);
        }
    }
}

/// The features that a move takes away (−) and brings (+). False if there are too many.
fn collect(
    family: Family,
    items: usize,
    order: &[usize],
    step: Move,
    features: &mut Vec<(u32, f32)>,
) -> bool {
    features.clear();
    let (first, last) = step.span();
    let length = last - first;
    let is_swap = matches!(step, Move::Swap { .. });
    let is_reversal = matches!(step, Move::Reverse { .. });
    let count = match family {
        Family::Positions if is_swap => 4,
        Family::Pairs if is_reversal => length.saturating_mul(length + 1) / 2,
        Family::Neighbors => 8,
        Family::Successors if !is_reversal => 8,
        Family::Positions | Family::Pairs | Family::Successors => 2 * length,
    };
    if count > MOST_FEATURES {
        return false;
    }
    let mut add = |a: usize, b: usize, sign: f32| features.push((index(a, b, items), sign));
    match family {
        Family::Positions => positions(order, step, &mut add),
        Family::Pairs => flips(order, step, |before, after| {
            // One weight for both directions, with the sign of the smaller item first.
            if before < after { add(before, after, 1.0) } else { add(after, before, -1.0) }
        }),
        Family::Neighbors => edges(order, step, false, |a, b, sign| add(a.min(b), a.max(b), sign)),
        Family::Successors => edges(order, step, true, add),
    }
    true
}

fn index(a: usize, b: usize, items: usize) -> u32 {
    let at = a * items + b;
    if items * items <= MOST_WEIGHTS {
        return at as u32;
    }
    ((at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u32 & (MOST_WEIGHTS as u32 - 1)
}

/// Items that leave a rank and take another.
fn positions(order: &[usize], step: Move, add: &mut impl FnMut(usize, usize, f32)) {
    let mut shift = |from: usize, to: usize| {
        if from != to {
            add(order[from], from, -1.0);
            add(order[from], to, 1.0);
        }
    };
    match step {
        Move::Insert { from, to } => {
            shift(from, to);
            if from < to {
                (from + 1..=to).for_each(|rank| shift(rank, rank - 1));
            } else {
                (to..from).for_each(|rank| shift(rank, rank + 1));
            }
        }
        Move::Swap { first, second } => {
            shift(first, second);
            shift(second, first);
        }
        Move::Reverse { first, last } => (first..=last).for_each(|rank| shift(rank, first + last - rank)),
    }
}

/// Pairs that change sides: `add(a, b)` if a stands before b from now on.
fn flips(order: &[usize], step: Move, mut add: impl FnMut(usize, usize)) {
    match step {
        Move::Insert { from, to } if from < to => {
            order[from + 1..=to].iter().for_each(|&other| add(other, order[from]));
        }
        Move::Insert { from, to } => order[to..from].iter().for_each(|&other| add(order[from], other)),
        Move::Swap { first, second } => {
            let (left, right) = (order[first], order[second]);
            add(right, left);
            for &between in &order[first + 1..second] {
                add(between, left);
                add(right, between);
            }
        }
        Move::Reverse { first, last } => {
            for (at, &left) in order[first..=last].iter().enumerate() {
                order[first + at + 1..=last].iter().for_each(|&right| add(right, left));
            }
        }
    }
}

/// Neighbors in the closed round that part or meet. Within a stretch turned round only their direction changes.
fn edges(order: &[usize], step: Move, is_directed: bool, mut add: impl FnMut(usize, usize, f32)) {
    let items = order.len();
    let after = |rank: usize| if rank + 1 == items { 0 } else { rank + 1 };
    let before = |rank: usize| if rank == 0 { items - 1 } else { rank - 1 };
    let (first, last) = step.span();
    // In a round of three all are neighbors, and to carry an item from one end to the other turns the round.
    let is_turn = matches!(step, Move::Insert { .. }) && last - first + 1 == items;
    if items < 4 || is_turn {
        return;
    }
    let mut change = |a: usize, b: usize, sign: f32| add(order[a], order[b], sign);
    match step {
        Move::Insert { from, to } => {
            let (left, right) = if from < to { (to, after(to)) } else { (before(to), to) };
            change(before(from), from, -1.0);
            change(from, after(from), -1.0);
            change(left, right, -1.0);
            change(before(from), after(from), 1.0);
            change(left, from, 1.0);
            change(from, right, 1.0);
        }
        Move::Swap { first, second } if after(first) == second || after(second) == first => {
            let (left, right) = if after(first) == second { (first, second) } else { (second, first) };
            change(before(left), left, -1.0);
            change(left, right, -1.0);
            change(right, after(right), -1.0);
            change(before(left), right, 1.0);
            change(right, left, 1.0);
            change(left, after(right), 1.0);
        }
        Move::Swap { first, second } => {
            for (leaves, comes) in [(first, second), (second, first)] {
                change(before(leaves), leaves, -1.0);
                change(leaves, after(leaves), -1.0);
                change(before(leaves), comes, 1.0);
                change(comes, after(leaves), 1.0);
            }
        }
        Move::Reverse { first, last } => {
            if last - first + 1 < items {
                change(before(first), first, -1.0);
                change(last, after(last), -1.0);
                change(before(first), last, 1.0);
                change(first, after(last), 1.0);
            } else if is_directed {
                change(last, first, -1.0);
                change(first, last, 1.0);
            }
            if is_directed {
                for rank in first..last {
                    change(rank, rank + 1, -1.0);
                    change(rank + 1, rank, 1.0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// All features of an order, by their definition.
    fn of(family: Family, order: &[usize]) -> BTreeMap<u32, i32> {
        let items = order.len();
        let mut all = BTreeMap::new();
        let mut add = |a, b, sign| *all.entry(index(a, b, items)).or_insert(0) += sign;
        for (rank, &item) in order.iter().enumerate() {
            let next = order[(rank + 1) % items];
            match family {
                Family::Positions => add(item, rank, 1),
                Family::Neighbors => add(item.min(next), item.max(next), 1),
                Family::Successors => add(item, next, 1),
                Family::Pairs => order[rank + 1..].iter().for_each(|&after| {
                    // A pair counts one half in its own direction, minus one half in the other.
                    if item < after { add(item, after, 1) } else { add(after, item, 0) }
                }),
            }
        }
        all.retain(|_, count| *count != 0);
        all
    }

    fn moves(items: usize) -> Vec<Move> {
        let pairs = (0..items).flat_map(|a| (0..items).map(move |b| (a, b)));
        let of_pair = |(a, b)| {
            let mut moves = if a == b { Vec::new() } else { vec![Move::Insert { from: a, to: b }] };
            if a < b {
                moves.extend([Move::Swap { first: a, second: b }, Move::Reverse { first: a, last: b }]);
            }
            moves
        };
        pairs.flat_map(of_pair).collect()
    }

    #[test]
    fn the_features_of_a_move_are_the_difference_of_two_orders() {
        for order in [vec![2, 0, 3, 1], vec![4, 1, 0, 3, 2], vec![3, 6, 0, 5, 2, 1, 4]] {
            for family in FAMILIES {
                for step in moves(order.len()) {
                    let mut moved = order.clone();
                    step.apply(&mut moved);
                    let mut expected = of(family, &moved);
                    of(family, &order)
                        .into_iter()
                        .for_each(|(at, count)| *expected.entry(at).or_insert(0) -= count);
                    let mut features = Vec::new();
                    assert!(collect(family, order.len(), &order, step, &mut features));
                    features.iter().for_each(|&(at, sign)| *expected.entry(at).or_insert(0) -= sign as i32);
                    expected.retain(|_, count| *count != 0);
                    assert!(expected.is_empty(), "{family:?} {step:?} {expected:?}");
                }
            }
        }
    }

    #[test]
    fn sums_over_a_family_are_learned_and_told_from_noise() {
        let order: Vec<usize> = (0..8).collect();
        for (at, family) in FAMILIES.into_iter().enumerate() {
            let mut model = Model::new(8);
            let mut features = Vec::new();
            for round in 0..200_usize {
                for step in moves(8) {
                    collect(family, 8, &order, step, &mut features);
                    let change: f32 = features.iter().map(|&(i, sign)| sign * (i * 7 % 13) as f32).sum();
                    if round == 199 {
                        let predicted = model.predict(at, &order, step).unwrap();
                        assert!((predicted - change / 10.0).abs() < 0.1, "{family:?} {step:?}");
                    }
                    model.learn(&order, step, f64::from(change) / 10.0, 0.0);
                }
            }
            let linear = &model.linear[at];
            assert!(model.best().is_some() && linear.error < 1e-3 * linear.total, "{family:?}");
        }
        let mut model = Model::new(8);
        for (at, step) in moves(8).into_iter().cycle().take(2000).enumerate() {
            model.learn(&order, step, ((at * 7919 % 101) as f64 - 50.0) / 30.0, 0.0);
        }
        assert_eq!(model.best(), None);
    }
}
