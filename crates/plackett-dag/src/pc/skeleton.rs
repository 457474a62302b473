//! Which nodes are joined: all at first; then two are parted as soon as some set of neighbors of one of them makes them
//! independent, sets of one size after the other. The neighbors are those that a size began with (PC-stable).

use std::cmp::Ordering;

use super::crew::{Asked, Crew};
use super::place;
use super::subsets::Subsets;
use crate::{Bounds, NodeSet, independence::IndependenceTest};

/// A set that makes two nodes independent, and its p-value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Separator {
    pub(super) p_value: f64,
    pub(super) given: Vec<usize>,
}

impl Separator {
    /// Whether this one is to be remembered: the larger p-value, then the first in dictionary order.
    fn is_better(&self, other: Option<&Self>) -> bool {
        other.is_none_or(|other| match self.p_value.total_cmp(&other.p_value) {
            Ordering::Greater => true,
            Ordering::Equal => self.given < other.given,
            Ordering::Less => false,
        })
    }
}

#[derive(Debug)]
pub(super) struct Skeleton {
    pub(super) neighbors: Vec<NodeSet>,
    /// By [`place`]; none for joined nodes.
    pub(super) separators: Vec<Option<Separator>>,
    /// By [`place`]: the largest p-value of the tests of two nodes, if there were any.
    pub(super) p_values: Vec<Option<f64>>,
    /// Sizes of sets gone through.
    pub(super) levels: usize,
}

impl Skeleton {
    /// Joins every two nodes that may be joined.
    pub(super) fn full(bounds: &Bounds) -> Self {
        let nodes = bounds.nodes();
        let mut neighbors: Vec<NodeSet> = (0..nodes).map(|node| bounds.permitted(node)).collect();
        for to in 0..nodes {
            for from in &neighbors[to].clone() {
                neighbors[from].insert(to);
            }
        }
        let pairs = nodes * nodes.saturating_sub(1) / 2;
        Self { neighbors, separators: vec![None; pairs], p_values: vec![None; pairs], levels: 0 }
    }

    /// Parts all that sets of up to `most` nodes can part, but for those that must be joined; nothing if the run is over after some
    /// size.
    pub(super) fn thin<T: IndependenceTest + Clone + Sync>(
        &mut self,
        crew: &Crew<'_, '_, T>,
        bounds: &Bounds,
        most: usize,
    ) -> Option<()> {
        for size in 0..=most {
            let nodes = 0..self.neighbors.len();
            let busy: Vec<usize> = nodes.filter(|&node| self.neighbors[node].len() > size).collect();
            if busy.is_empty() {
                break;
            }
            let neighbors = &self.neighbors;
            let stage = format!("PC-stable, given {size}");
            let found =
                crew.visit(&stage, &busy, |test, node| separate(test, (neighbors, bounds), node, size))?;
            self.levels += 1;
            for (a, b, p_value, separator) in found.into_iter().flatten() {
                let largest = &mut self.p_values[place(a, b)];
                *largest = larger(*largest, p_value);
                let Some(separator) = separator else { continue };
                self.neighbors[a].remove(b);
                self.neighbors[b].remove(a);
                let best = &mut self.separators[place(a, b)];
                if separator.is_better(best.as_ref()) {
                    *best = Some(separator);
                }
            }
        }
        Some(())
    }
}

/// What the tests of a node with each of its neighbors say: the pair, the largest p-value, and the best separator if there is one.
type Answers = Vec<(usize, usize, Option<f64>, Option<Separator>)>;

/// The larger p-value, of those that there are.
fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

/// Tries every set of `size` neighbors of the node on every other neighbor. Stopping at the first one would save a quarter of the tests on ALARM, and make the
/// separators depend on the order of the columns.
fn separate<T: IndependenceTest>(
    test: &mut Asked<'_, '_, T>,
    (neighbors, bounds): (&[NodeSet], &Bounds),
    node: usize,
    size: usize,
) -> Option<Answers> {
    let near: Vec<usize> = neighbors[node].iter().collect();
    if size > 0 {
        let mut all = near.clone();
        all.push(node);
        test.focus(&all);
    }
    let mut found: Answers = near.iter().map(|&other| (node, other, None, None)).collect();
    let mut subsets = Subsets::new(&near, size);
    while let Some(given) = subsets.next() {
        for (_, other, largest, best) in &mut found {
            if given.contains(other)
                || is_left_to(neighbors, *other, node, given)
                || bounds.joins(node, *other)
            {
                continue;
            }
            let p_value = test.p_value(node, *other, given)?;
            *largest = larger(*largest, Some(p_value));
            if p_value > test.alpha() && best.as_ref().is_none_or(|best| p_value > best.p_value) {
                *best = Some(Separator { p_value, given: given.to_vec() });
            }
        }
    }
    Some(found)
}

/// Whether a set that may be tried from both sides is tried from the other one.
pub(super) fn is_left_to(neighbors: &[NodeSet], other: usize, node: usize, given: &[usize]) -> bool {
    other < node && given.iter().all(|&member| neighbors[other].contains(member))
}
