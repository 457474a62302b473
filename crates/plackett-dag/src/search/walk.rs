//! An order that a search changes step by step, with the local score of every rank kept up to date: only the nodes that a
//! move touches are scored again.

use crate::{NodeSet, Oracle};

/// An order under change.
pub(super) struct Walk<'a> {
    oracle: &'a mut Oracle,
    order: Vec<usize>,
    /// Local score of the node at each rank.
    locals: Vec<f64>,
    /// The nodes before the place under trial.
    before: NodeSet,
}

impl<'a> Walk<'a> {
    /// Starts from an order that is known to be one.
    pub(super) fn new(oracle: &'a mut Oracle, order: Vec<usize>) -> Self {
        let nodes = order.len();
        let mut walk =
            Self { oracle, order, locals: vec![0.0; nodes], before: NodeSet::with_capacity(nodes) };
        walk.refresh(0, nodes);
        walk
    }

    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    pub(super) fn into_order(self) -> Vec<usize> {
        self.order
    }

    pub(super) fn locals(&self) -> &[f64] {
        &self.locals
    }

    pub(super) fn score(&self) -> f64 {
        self.locals.iter().sum()
    }

    /// Scores every other place of the node at `rank`: `visit(place, change)` with the change of the order's score, places
    /// before `rank` first, each side from near to far. Each place costs two local scores.
    pub(super) fn visit_places(&mut self, rank: usize, mut visit: impl FnMut(usize, f64)) {
        let node = self.order[rank];

        // Towards the front: `node` passes the one before it.
        self.seek(rank);
        let mut change = 0.0;
        let mut own = self.locals[rank];
        for place in (0..rank).rev() {
            let passed = self.order[place];
            self.before.remove(passed);
            let own_after = self.oracle.local(node, &self.before);
            self.before.insert(node);
            let passed_after = self.oracle.local(passed, &self.before);
            self.before.remove(node);
            change += own_after - own + passed_after - self.locals[place];
            own = own_after;
            visit(place, change);
        }

        // Towards the back: `node` is passed by the one after it.
        self.seek(rank);
        change = 0.0;
        own = self.locals[rank];
        for place in rank + 1..self.order.len() {
            let passed = self.order[place];
            let passed_after = self.oracle.local(passed, &self.before);
            self.before.insert(passed);
            let own_after = self.oracle.local(node, &self.before);
            change += own_after - own + passed_after - self.locals[place];
            own = own_after;
            visit(place, change);
        }
    }

    /// Moves the node at `rank` to `place`; those between move up or down by one.
    pub(super) fn relocate(&mut self, rank: usize, place: usize) {
        if place < rank {
            self.order[place..=rank].rotate_right(1);
            self.refresh(place, rank + 1);
        } else {
            self.order[rank..=place].rotate_left(1);
            self.refresh(rank, place + 1);
        }
    }

    /// Exchanges the nodes of two ranks, `first < second`, and puts the local scores that were there into `old`, for
    /// [`undo_exchange`](Self::undo_exchange). Returns the change of the order's score.
    pub(super) fn exchange(&mut self, first: usize, second: usize, old: &mut Vec<f64>) -> f64 {
        old.clear();
        old.extend_from_slice(&self.locals[first..=second]);
        self.order.swap(first, second);
        self.refresh(first, second + 1);
        self.locals[first..=second].iter().zip(&*old).map(|(new, old)| new - old).sum()
    }

    pub(super) fn undo_exchange(&mut self, first: usize, second: usize, old: &[f64]) {
        self.order.swap(first, second);
        self.locals[first..=second].copy_from_slice(old);
    }

    /// Recomputes the local scores of the ranks `from..to`; `before` is left at rank `to`.
    fn refresh(&mut self, from: usize, to: usize) {
        self.seek(from);
        for rank in from..to {
            let node = self.order[rank];
            self.locals[rank] = self.oracle.local(node, &self.before);
            self.before.insert(node);
        }
    }

    fn seek(&mut self, rank: usize) {
        self.before.clear();
        for &node in &self.order[..rank] {
            self.before.insert(node);
        }
    }
}
