//! The moves of an item, the best of them, and random disturbances, with constraints kept where there are any.

use rand::{RngExt as _, rngs::ChaCha8Rng};

use super::{Move, MoveKind, Neighborhood, Queue};
use crate::{constraints::Constraints, run::Run};

/// A gain below this share of the cost is rounding: without a margin two equal orders could alternate for ever.
const ROUNDING: f64 = 1e-12;

/// Items that a kick moves to random ranks: as few as make it unlikely that the descent undoes them all.
const KICKED_ITEMS: usize = 3;

/// Moves that are valued between two looks at the run: those of an objective that takes a twentieth of a second still end in
/// half a second, and those that take some nanoseconds are hardly slowed down.
const MOVES_BETWEEN_LOOKS: usize = 8;

/// Whether a change of the cost is an improvement, and not rounding.
///
/// ```
/// use plackett::neighborhood::is_gain;
/// assert!(is_gain(-1.0, 1e6) && !is_gain(-1e-9, 1e6) && !is_gain(0.0, 0.0));
/// ```
#[inline]
pub fn is_gain(change: f64, cost: f64) -> bool {
    change < -ROUNDING * cost.abs()
}

/// Visits every move of an item of these kinds but insertions, as far as constraints allow them.
fn for_each_exchange(
    kinds: &[MoveKind],
    order: &[usize],
    ranks: &[usize],
    constraints: Option<&Constraints>,
    item: usize,
    mut visit: impl FnMut(Move),
) {
    let rank = ranks[item];
    for kind in kinds {
        for other in (0..order.len()).filter(|&other| other != rank) {
            let (first, last) = (rank.min(other), rank.max(other));
            let step = match kind {
                MoveKind::Insert => break,
                MoveKind::Swap => Move::Swap { first, second: last },
                MoveKind::Reverse => Move::Reverse { first, last },
            };
            if constraints.is_none_or(|constraints| constraints.allow(order, ranks, step)) {
                visit(step);
            }
        }
    }
}

fn range_of(
    constraints: Option<&Constraints>,
    order: &[usize],
    ranks: &[usize],
    rank: usize,
) -> (usize, usize) {
    constraints.map_or((0, order.len() - 1), |constraints| constraints.insertion_range(order, ranks, rank))
}

/// Every move of an item of these kinds that the constraints allow.
pub(crate) fn moves_of(
    kinds: &[MoveKind],
    order: &[usize],
    ranks: &[usize],
    constraints: &Constraints,
    item: usize,
) -> Vec<Move> {
    let mut moves = Vec::new();
    if kinds.contains(&MoveKind::Insert) {
        let from = ranks[item];
        let (low, high) = range_of(Some(constraints), order, ranks, from);
        moves.extend((low..=high).filter(|&to| to != from).map(|to| Move::Insert { from, to }));
    }
    for_each_exchange(kinds, order, ranks, Some(constraints), item, |step| moves.push(step));
    moves
}

/// [`Neighborhood::insertions`] by one move after another.
pub(super) fn insertions<N: Neighborhood + ?Sized>(
    neighborhood: &mut N,
    from: usize,
    low: usize,
    high: usize,
    changes: &mut Vec<f64>,
    run: &Run<'_>,
) {
    changes.clear();
    changes.resize(high - low + 1, f64::INFINITY);
    changes[from - low] = 0.0;
    let most = at_most(neighborhood.left(run));
    for (at, to) in (low..=high).filter(|&to| to != from).take(most).enumerate() {
        if is_time_to_look(at) && run.is_over() {
            return;
        }
        changes[to - low] = neighborhood.change(Move::Insert { from, to });
    }
}

fn is_time_to_look(at: usize) -> bool {
    at % MOVES_BETWEEN_LOOKS == MOVES_BETWEEN_LOOKS - 1
}

fn at_most(left: u64) -> usize {
    usize::try_from(left).unwrap_or(usize::MAX)
}

/// The default of [`Neighborhood::improve_item`], for those who replace it in part: makes the best of all moves of an item if
/// it lowers the cost, and queues all items then.
///
/// ```
/// use plackett::{neighborhood::{Queue, improve_by_all_moves}, problem::Problem, run::Run};
/// /// Item 0 belongs at the end.
/// struct Last;
/// impl Problem for Last {
///     fn items(&self) -> usize { 3 }
///     fn value(&self, order: &[usize]) -> f64 { if order[2] == 0 { 0.0 } else { 1.0 } }
/// }
/// let mut neighborhood = Last.neighborhood();
/// assert!(improve_by_all_moves(neighborhood.as_mut(), 0, &mut Queue::new(3), &Run::default()));
/// assert_eq!(neighborhood.order(), [1, 2, 0]);
/// ```
pub fn improve_by_all_moves<N: Neighborhood + ?Sized>(
    neighborhood: &mut N,
    item: usize,
    queue: &mut Queue,
    run: &Run<'_>,
) -> bool {
    improve_within(neighborhood, neighborhood.kinds(), None, item, queue, run)
}

/// Makes the best allowed move of an item if it lowers the cost, and queues all items then.
pub(crate) fn improve_within<N: Neighborhood + ?Sized>(
    neighborhood: &mut N,
    kinds: &[MoveKind],
    constraints: Option<&Constraints>,
    item: usize,
    queue: &mut Queue,
    run: &Run<'_>,
) -> bool {
    let mut best = (0.0, None);
    if kinds.contains(&MoveKind::Insert) {
        let from = neighborhood.ranks()[item];
        let (low, high) = range_of(constraints, neighborhood.order(), neighborhood.ranks(), from);
        if low < high {
            let mut changes = Vec::new();
            neighborhood.insertions(from, low, high, &mut changes, run);
            for (to, &change) in (low..).zip(&changes) {
                if to != from && change < best.0 {
                    best = (change, Some(Move::Insert { from, to }));
                }
            }
        }
    }
    if kinds.iter().any(|&kind| kind != MoveKind::Insert) {
        let mut moves = Vec::new();
        let (order, ranks) = (neighborhood.order(), neighborhood.ranks());
        for_each_exchange(kinds, order, ranks, constraints, item, |step| moves.push(step));
        let most = at_most(neighborhood.left(run));
        for (at, step) in moves.into_iter().take(most).enumerate() {
            if is_time_to_look(at) && run.is_over() {
                break;
            }
            let change = neighborhood.change(step);
            if change < best.0 {
                best = (change, Some(step));
            }
        }
    }
    match best {
        (change, Some(step)) if is_gain(change, neighborhood.cost()) => {
            neighborhood.apply(step);
            (0..neighborhood.order().len()).for_each(|item| queue.push(item));
            true
        }
        _ => false,
    }
}

/// The default of [`Neighborhood::kick`], for those who replace it in part: moves a few items to random ranks, and queues all.
///
/// ```
/// use plackett::{Noise, neighborhood::{Queue, kick_by_insertions}, problem::Problem};
/// struct Any;
/// impl Problem for Any {
///     fn items(&self) -> usize { 9 }
///     fn value(&self, _: &[usize]) -> f64 { 0.0 }
/// }
/// let (mut neighborhood, mut queue) = (Any.neighborhood(), Queue::new(9));
/// kick_by_insertions(neighborhood.as_mut(), &mut queue, Noise::new(1).stream(0));
/// assert!(neighborhood.order() != [0, 1, 2, 3, 4, 5, 6, 7, 8] && queue.pop().is_some());
/// ```
pub fn kick_by_insertions<N: Neighborhood + ?Sized>(
    neighborhood: &mut N,
    queue: &mut Queue,
    rng: &mut ChaCha8Rng,
) {
    let mut order = neighborhood.order().to_vec();
    let items = order.len();
    for _ in 0..KICKED_ITEMS {
        let (from, to) = (rng.random_range(0..items), rng.random_range(0..items));
        Move::Insert { from, to }.apply(&mut order);
    }
    neighborhood.set_order(&order);
    queue_all(items, queue, rng);
}

/// Queues all items from a random one on, so that the first ones do not always have the first choice.
pub(crate) fn queue_all(items: usize, queue: &mut Queue, rng: &mut ChaCha8Rng) {
    let start = rng.random_range(0..items);
    (0..items).for_each(|at| queue.push((start + at) % items));
}

/// An order with a few items moved to random ranks, as far as constraints allow: every item has a wish, which for most is
/// the rank that it has, and the one with the smallest wish comes next among those that may.
pub(crate) fn kicked_within(order: &[usize], constraints: &Constraints, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let items = order.len();
    let mut wishes = vec![0.0; items];
    order.iter().enumerate().for_each(|(rank, &item)| wishes[item] = rank as f64);
    for _ in 0..KICKED_ITEMS {
        wishes[rng.random_range(0..items)] = rng.random_range(-0.5..items as f64 - 0.5);
    }
    constraints.arrange(&wishes)
}

/// One order with a random half of its items put into the order that they have in another.
pub(super) fn mixed(order: &[usize], other: &[usize], rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut is_taken = vec![false; order.len()];
    order.iter().for_each(|&item| is_taken[item] = rng.random());
    let mut taken = other.iter().filter(|&&item| is_taken[item]);
    let next = |&item: &usize| if is_taken[item] { taken.next().copied().unwrap_or(item) } else { item };
    order.iter().map(next).collect()
}
