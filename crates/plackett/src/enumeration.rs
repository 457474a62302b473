//! Sums over all orders, exactly: what the stochastic estimators are tested against, and the EXACT curve of
//! Figure 1.
//!
//! An order is a path through the tree of prefixes, and the next item's probability depends only on the *set*
//! of items before it. So the probabilities are a table over 2ᵏ subsets, and the expectation and its gradient
//! are one walk over the tree with a few multiplications at each node.

use crate::{
    elementary::{exp, ln},
    error::Error,
};

/// Orders of more items than this are not enumerated: 10! is 3.6 million.
const MOST_ITEMS: usize = 10;

/// Recursions over subsets go this far: 2²⁰ is a million.
pub(crate) const MOST_ITEMS_IN_SUBSETS: usize = 20;

/// k!, if that many orders can be visited.
pub(crate) fn count(items: usize) -> Result<usize, Error> {
    if items > MOST_ITEMS {
        return Err(Error::TooManyItems { what: "listing all orders", items, limit: MOST_ITEMS });
    }
    Ok((1..=items).product())
}

/// Visits all orders lexicographically.
pub(crate) fn try_for_each_order(
    items: usize,
    visit: &mut dyn FnMut(&[usize]) -> Result<(), Error>,
) -> Result<(), Error> {
    count(items)?;
    let mut order: Vec<usize> = (0..items).collect();
    loop {
        visit(&order)?;
        let Some(pivot) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else {
            return Ok(());
        };
        let successor = order.iter().rposition(|&item| item > order[pivot]).unwrap_or(pivot);
        order.swap(pivot, successor);
        order[pivot + 1..].reverse();
    }
}

/// E f(b) and its gradient from the values of f on all orders, listed lexicographically. O(e · k!) time.
///
/// With V(prefix) the expected value once a prefix is drawn, ∂V/∂θ_d = p_d (V(prefix, d) − V(prefix)) at the node
/// itself, weighted by the probability of reaching it.
pub(crate) fn expectation(
    scores: &[f64],
    values: &[f64],
    gradient: &mut [f64],
    scratch: &mut Vec<f64>,
) -> f64 {
    gradient.fill(0.0);
    fill_choice_table(scores, scratch);
    let mut walk = Walk { items: scores.len(), choice: scratch, values: values.iter(), gradient };
    walk.visit(0, 1.0, scores.len())
}

/// The largest score m and Σ exp(θ − m). They are kept apart because far below zero m would swallow log Σ.
fn largest_and_total(scores: &[f64]) -> (f64, f64) {
    let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (max, scores.iter().map(|score| exp(score - max)).sum())
}

/// Entry (set, item) is the probability that `item` comes next when the items of `set` have been ranked.
fn fill_choice_table(scores: &[f64], table: &mut Vec<f64>) {
    let items = scores.len();
    table.resize(items << items, 0.0);
    let mut left = [0.0; MOST_ITEMS];
    for (ranked, row) in table.chunks_exact_mut(items).enumerate() {
        let is_left = |item: usize| ranked >> item & 1 == 0;
        let mut lefts = 0;
        for item in (0..items).filter(|&item| is_left(item)) {
            left[lefts] = scores[item];
            lefts += 1;
        }
        let (max, total) = largest_and_total(&left[..lefts]);
        for (item, choice) in row.iter_mut().enumerate() {
            *choice = if is_left(item) { exp(scores[item] - max) / total } else { 0.0 };
        }
    }
}

/// A walk over the tree of prefixes, depth first, children ascending: leaves are met lexicographically.
struct Walk<'a> {
    items: usize,
    choice: &'a [f64],
    values: std::slice::Iter<'a, f64>,
    gradient: &'a mut [f64],
}

impl Walk<'_> {
    fn visit(&mut self, ranked: usize, reach: f64, left: usize) -> f64 {
        if left == 1 {
            return self.leaf();
        }
        let choice = &self.choice[ranked * self.items..][..self.items];
        let unranked = !ranked & ((1 << self.items) - 1);
        if left == 2 {
            // Half of all nodes are such pairs of leaves: no recursion for them.
            let (first, second) = (unranked.trailing_zeros() as usize, unranked.ilog2() as usize);
            let (p, q) = (choice[first], choice[second]);
            let (a, b) = (self.leaf(), self.leaf());
            let slope = reach * p * q * (a - b);
            self.gradient[first] += slope;
            self.gradient[second] -= slope;
            return p * a + q * b;
        }
        let mut values = [0.0; MOST_ITEMS];
        let mut expected = 0.0;
        for item in members(unranked) {
            let value = self.visit(ranked | 1 << item, reach * choice[item], left - 1);
            expected += choice[item] * value;
            values[item] = value;
        }
        for item in members(unranked) {
            self.gradient[item] += reach * choice[item] * (values[item] - expected);
        }
        expected
    }

    /// The objective's value on the next order.
    fn leaf(&mut self) -> f64 {
        self.values.next().copied().unwrap_or(0.0)
    }
}

/// The items of a set, ascending.
fn members(mut set: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let item = set.trailing_zeros() as usize;
            set &= set - 1;
            item
        })
    })
}

/// H(set) = Σ_d p_d (H(set ∪ d) − log p_d), from the full set down to the empty one.
pub(crate) fn entropy(scores: &[f64]) -> Result<f64, Error> {
    let items = scores.len();
    if items > MOST_ITEMS_IN_SUBSETS {
        let limit = MOST_ITEMS_IN_SUBSETS;
        return Err(Error::TooManyItems { what: "the exact entropy", items, limit });
    }
    let mut remaining = vec![0.0; 1 << items];
    let mut left = Vec::with_capacity(items);
    for ranked in (0..remaining.len() - 1).rev() {
        left.clear();
        left.extend((0..items).filter(|item| ranked >> item & 1 == 0).map(|item| scores[item]));
        let (max, total) = largest_and_total(&left);
        let log_total = ln(total);
        for item in (0..items).filter(|item| ranked >> item & 1 == 0) {
            let log_choice = scores[item] - max - log_total;
            let choice = exp(log_choice);
            if choice > 0.0 {
                remaining[ranked] += choice * (remaining[ranked | 1 << item] - log_choice);
            }
        }
    }
    Ok(remaining[0])
}
