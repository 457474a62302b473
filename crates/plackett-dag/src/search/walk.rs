//! An order that a search changes step by step, with the local score of every rank kept up to date: only the nodes that a
//! move touches are scored again. A move that the end of the run cuts short is taken back.

use plackett::run::Run;

use crate::{Bounds, NodeSet, Oracle};

/// An order under change.
pub(super) struct Walk<'a, 'b> {
    oracle: &'a mut Oracle,
    run: &'a Run<'b>,
    order: Vec<usize>,
    /// Local score of the node at each rank.
    locals: Vec<f64>,
    /// The nodes before the place under trial.
    before: NodeSet,
    /// Local scores to go back to.
    spare: Vec<f64>,
}

impl<'a, 'b> Walk<'a, 'b> {
    /// Starts from an order that is known to be one, and within the bounds; nothing if the run is over before its score is known.
    pub(super) fn new(oracle: &'a mut Oracle, order: Vec<usize>, run: &'a Run<'b>) -> Option<Self> {
        let nodes = order.len();
        let before = NodeSet::with_capacity(nodes);
        let mut walk = Self { oracle, run, order, locals: vec![0.0; nodes], before, spare: Vec::new() };
        walk.refresh(0, nodes)?;
        Some(walk)
    }

    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    pub(super) fn bounds(&self) -> &Bounds {
        self.oracle.bounds()
    }

    /// The best parents of every node, which are known as all local scores were looked at, unless the memory was too small
    /// to keep them and the run is over.
    pub(super) fn parents(&mut self) -> Option<Vec<NodeSet>> {
        self.oracle.order_parents(&self.order, self.run).ok().flatten()
    }

    /// Goes back to an order and its local scores.
    pub(super) fn restore(&mut self, order: &[usize], locals: &[f64]) {
        self.order.copy_from_slice(order);
        self.locals.copy_from_slice(locals);
    }

    pub(super) fn locals(&self) -> &[f64] {
        &self.locals
    }

    pub(super) fn score(&self) -> f64 {
        self.locals.iter().sum()
    }

    /// Scores every other place that the bounds allow the node at `rank`: `visit(place, change)` with the change of the order's score, places
    /// before `rank` first, each side from near to far. Each place costs two local scores.
    pub(super) fn visit_places(&mut self, rank: usize, mut visit: impl FnMut(usize, f64)) -> Option<()> {
        let node = self.order[rank];
        let (low, high) = self.oracle.bounds().places(&self.order, rank);

        // Towards the front: `node` passes the one before it.
        self.seek(rank);
        let mut change = 0.0;
        let mut own = self.locals[rank];
        for place in (low..rank).rev() {
            let passed = self.order[place];
            self.before.remove(passed);
            let own_after = self.oracle.local(node, &self.before, self.run)?;
            self.before.insert(node);
            let passed_after = self.oracle.local(passed, &self.before, self.run)?;
            self.before.remove(node);
            change += own_after - own + passed_after - self.locals[place];
            own = own_after;
            visit(place, change);
        }

        // Towards the back: `node` is passed by the one after it.
        self.seek(rank);
        change = 0.0;
        own = self.locals[rank];
        for place in rank + 1..=high {
            let passed = self.order[place];
            let passed_after = self.oracle.local(passed, &self.before, self.run)?;
            self.before.insert(passed);
            let own_after = self.oracle.local(node, &self.before, self.run)?;
            change += own_after - own + passed_after - self.locals[place];
            own = own_after;
            visit(place, change);
        }
        Some(())
    }

    /// Moves the node at `rank` to `place`; those between move up or down by one.
    pub(super) fn relocate(&mut self, rank: usize, place: usize) -> Option<()> {
        let (first, last) = (rank.min(place), rank.max(place));
        let shift = |order: &mut [usize], is_up: bool| {
            if is_up { order.rotate_right(1) } else { order.rotate_left(1) }
        };
        let mut old = std::mem::take(&mut self.spare);
        old.clear();
        old.extend_from_slice(&self.locals[first..=last]);
        shift(&mut self.order[first..=last], place < rank);
        let moved = self.refresh(first, last + 1);
        if moved.is_none() {
            shift(&mut self.order[first..=last], place > rank);
            self.locals[first..=last].copy_from_slice(&old);
        }
        self.spare = old;
        moved
    }

    /// Exchanges the nodes of two ranks, `first < second`, and puts the local scores that were there into `old`, for
    /// [`undo_exchange`](Self::undo_exchange). Returns the change of the order's score.
    pub(super) fn exchange(&mut self, first: usize, second: usize, old: &mut Vec<f64>) -> Option<f64> {
        old.clear();
        old.extend_from_slice(&self.locals[first..=second]);
        self.order.swap(first, second);
        if self.refresh(first, second + 1).is_none() {
            self.undo_exchange(first, second, old);
            return None;
        }
        Some(self.locals[first..=second].iter().zip(&*old).map(|(new, old)| new - old).sum())
    }

    pub(super) fn undo_exchange(&mut self, first: usize, second: usize, old: &[f64]) {
        self.order.swap(first, second);
        self.locals[first..=second].copy_from_slice(old);
    }

    /// Recomputes the local scores of the ranks `from..to`; `before` is left at rank `to`.
    fn refresh(&mut self, from: usize, to: usize) -> Option<()> {
        self.seek(from);
        for rank in from..to {
            let node = self.order[rank];
            self.locals[rank] = self.oracle.local(node, &self.before, self.run)?;
            self.before.insert(node);
        }
        Some(())
    }

    fn seek(&mut self, rank: usize) {
        self.before.clear();
        for &node in &self.order[..rank] {
            self.before.insert(node);
        }
    }
}
