//! A walker on any local score, through the oracle's cache.

use plackett::neighborhood::Queue;
use plackett::run::Run;

use super::walk::Walk;
use crate::score::walker::IMPROVEMENT;
use crate::{NodeSet, Oracle, score::Walker};

/// An order whose local scores the oracle is asked for.
pub(super) struct Cached<'a, 'b> {
    walk: Walk<'a, 'b>,
    kept: (Vec<usize>, Vec<f64>),
    valued: u64,
}

impl<'a, 'b> Cached<'a, 'b> {
    /// Starts from an order that is known to be one, and within the bounds; nothing if the run is over before its score is known.
    pub(super) fn new(oracle: &'a mut Oracle, order: Vec<usize>, run: &'a Run<'b>) -> Option<Self> {
        let walk = Walk::new(oracle, order, run)?;
        let kept = (walk.order().to_vec(), walk.locals().to_vec());
        Some(Self { walk, kept, valued: 0 })
    }

    fn rank(&self, node: usize) -> usize {
        self.walk.order().iter().position(|&other| other == node).unwrap_or_default()
    }
}

impl Walker for Cached<'_, '_> {
    fn order(&self) -> &[usize] {
        self.walk.order()
    }

    fn score(&self) -> f64 {
        self.walk.score()
    }

    fn parents(&mut self) -> Option<Vec<NodeSet>> {
        self.walk.parents()
    }

    fn evaluations(&self) -> u64 {
        self.valued
    }

    fn improve(&mut self, node: usize, queue: &mut Queue, _: &Run<'_>) -> bool {
        let rank = self.rank(node);
        let scale: f64 = self.walk.locals().iter().map(|local| local.abs()).sum();
        let mut best = (-IMPROVEMENT * scale, rank);
        let is_whole = self.walk.visit_places(rank, |place, change| {
            if change < best.0 {
                best = (change, place);
            }
        });
        let moves = is_whole.is_some() && best.1 != rank;
        if moves {
            self.relocate(node, best.1, queue);
        }
        moves
    }

    /// Which nodes are concerned is not known, so all are queued, the node itself last.
    fn relocate(&mut self, node: usize, place: usize, queue: &mut Queue) {
        let rank = self.rank(node);
        // Cut short, it stays where it is.
        if rank != place && self.walk.relocate(rank, place).is_some() {
            let nodes = self.walk.order().len();
            (1..=nodes).for_each(|step| queue.push((node + step) % nodes));
        }
    }

    fn keep(&mut self) {
        self.kept.0.copy_from_slice(self.walk.order());
        self.kept.1.copy_from_slice(self.walk.locals());
    }

    fn go_back(&mut self) {
        self.walk.restore(&self.kept.0, &self.kept.1);
    }
}
