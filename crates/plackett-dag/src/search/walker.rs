//! An order under improvement, with the best parents known of every node. A search moves one node at a time to its best
//! place; how the places are valued is the walker's business: [`Cached`] asks an [`Oracle`], [`Warm`](super::warm::Warm)
//! keeps every node's regression up to date.

use plackett::Queue;
use plackett::run::Run;

use super::walk::Walk;
use crate::{NodeSet, Oracle};

/// A gain below this share of the score is rounding: without a margin two equal orders could alternate for ever.
pub(super) const IMPROVEMENT: f64 = 1e-12;

/// An order under improvement.
pub(crate) trait Walker: Send {
    /// The order.
    fn order(&self) -> &[usize];

    /// Its score, with the parents that are known.
    fn score(&self) -> f64;

    /// The parents known of a node.
    fn parents(&mut self, node: usize) -> NodeSet;

    /// Moves a node to its best place, if that is not where it stands, and queues the nodes for which other places may be
    /// better now. Says whether it moved.
    fn improve(&mut self, node: usize, queue: &mut Queue, run: &Run) -> bool;

    /// Moves a node to a place, whatever that costs, and queues the nodes concerned.
    fn relocate(&mut self, node: usize, place: usize, queue: &mut Queue);

    /// Makes the present order the one to go [`back`](Self::go_back) to.
    fn keep(&mut self);

    /// Goes back to the order that was kept last.
    fn go_back(&mut self);

    /// Looks once more at the parents of every node under the present order, more widely than while walking, and queues
    /// the nodes whose parents became better. Says whether any did.
    fn polish(&mut self, queue: &mut Queue, run: &Run) -> bool;
}

/// A walker on any local score, through the oracle's cache.
pub(super) struct Cached<'a> {
    walk: Walk<'a>,
    kept: (Vec<usize>, Vec<f64>),
}
