//! A walker that keeps every node's fit to its parents at hand; when two neighbors change places, one of them loses a candidate
//! parent and the other gains one. Mostly neither matters, which is told in O(1); where it does, the fit goes on from the
//! parents that it has. What comes out depends on the way there, so it is kept with the order and never shared.

use plackett::neighborhood::Queue;
use plackett::run::Run;

use super::walker::{IMPROVEMENT, Patience, Walker};
use crate::{Bounds, NodeSet};

/// Once a move has made the order worse by this many parents' prices, those further in the same direction are not tried.
/// Ten give the same orders as all places do, in a third of the time (18 sets of 50 to 500 nodes); three do not.
const HOPELESS: f64 = 10.0;

/// What fits of nodes to their parents are made from, and all that a walker does with them.
pub(crate) trait Fits: Send {
    /// A node with the parents that it has.
    type Fit: Clone + Default + Send;

    fn bounds(&self) -> &Bounds;

    /// About what one parent costs a node.
    fn price(&self, node: usize) -> f64;

    /// The fit without parents.
    fn start(&mut self, node: usize, fit: &mut Self::Fit);

    fn parents<'f>(&self, fit: &'f Self::Fit) -> &'f [usize];

    /// The local score.
    fn cost(&self, fit: &Self::Fit) -> f64;

    /// Whether the score would be better with `candidate`, which is no parent, as one more. O(1).
    fn wants(&self, fit: &Self::Fit, candidate: usize) -> bool;

    /// Adds a parent, unless it can add nothing.
    fn add(&mut self, fit: &mut Self::Fit, parent: usize);

    /// Removes the parent at a position.
    fn remove(&mut self, fit: &mut Self::Fit, position: usize);

    /// Adds the parent that helps most while one helps, removes the one that matters least while that helps, and so on until
    /// nothing helps.
    fn settle(&mut self, fit: &mut Self::Fit, allowed: Allowed<'_>);

    /// Takes away the rounding of many changes.
    fn tidy(&mut self, fit: &mut Self::Fit) {
        let _ = fit;
    }

    /// The local score with one more parent. O(1).
    fn cost_with(&self, fit: &Self::Fit, parent: usize) -> f64;

    /// The local score without the parent at a position. O(1).
    fn cost_without(&self, fit: &Self::Fit, position: usize) -> f64;

    /// Removes the parent at a position; only the cost has to be right after it.
    fn forget(&mut self, fit: &mut Self::Fit, position: usize) {
        self.remove(fit, position);
    }

    /// From now on a fit may take up as many parents as help.
    fn widen(&mut self) {}

    /// Whether the fit may take up no more parents before it is [widened](Self::widen).
    fn is_full(&self, fit: &Self::Fit) -> bool {
        let _ = fit;
        false
    }

    /// Looks more widely for parents among those before the node, and takes up better ones if there are any. Says whether it did.
    fn refine(&mut self, fit: &mut Self::Fit, before: &[usize], run: &Run<'_>) -> bool;

    /// Walks on these fits that are worth their time, and kicks of each, if not as many as usual.
    fn effort(&self) -> Option<(usize, usize)> {
        None
    }
}

/// What a node may choose its parents from: a beginning of the order, one node more, one node less.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed<'a> {
    pub(crate) before: &'a [usize],
    pub(crate) with: Option<usize>,
    pub(crate) without: Option<usize>,
}

impl Allowed<'_> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        let all = self.before.iter().copied().chain(self.with);
        all.filter(|&candidate| self.without != Some(candidate))
    }
}

/// An order with the fit of every node to parents before it.
pub(crate) struct Warm<M: Fits> {
    model: M,
    order: Vec<usize>,
    ranks: Vec<usize>,
    fits: Vec<M::Fit>,
    /// The local score of every node.
    costs: Vec<f64>,
    journal: Journal<M::Fit>,
    /// Workspace of the trials.
    own: M::Fit,
    passed: M::Fit,
    /// How many places were valued.
    valued: u64,
}

/// What has changed since an order was kept.
struct Journal<F> {
    order: Vec<usize>,
    /// Nodes with their fits and costs as they were.
    changed: Vec<(usize, F, f64)>,
    is_changed: Vec<bool>,
    /// Fits to write the next ones into.
    spare: Vec<F>,
}

/// Whether a node before another must be its parent.
pub(crate) fn must_have(bounds: &Bounds, node: usize, before: usize) -> bool {
    !bounds.is_free() && bounds.joins(node, before)
}

/// Where a parent stands in a fit.
fn position<M: Fits>(model: &M, fit: &M::Fit, parent: usize) -> Option<usize> {
    model.parents(fit).iter().position(|&other| other == parent)
}

/// Whether a fit is to have a node before its own as one more parent.
fn takes<M: Fits>(model: &M, fit: &M::Fit, node: usize, before: usize) -> bool {
    model.wants(fit, before) || must_have(model.bounds(), node, before)
}

impl<M: Fits> Warm<M> {
    /// Starts from an order that is known to be one. Nodes that the run has no time for have the parents that they must have.
    pub(crate) fn new(model: M, order: Vec<usize>, run: &Run<'_>) -> Self {
        let nodes = order.len();
        let mut ranks = vec![0; nodes];
        order.iter().enumerate().for_each(|(rank, &node)| ranks[node] = rank);
        let (changed, spare) = (Vec::new(), Vec::new());
        let mut warm = Self {
            fits: vec![M::Fit::default(); nodes],
            costs: vec![0.0; nodes],
            journal: Journal { order: Vec::new(), changed, is_changed: vec![false; nodes], spare },
            own: M::Fit::default(),
            passed: M::Fit::default(),
            valued: 0,
            model,
            order,
            ranks,
        };
        for rank in 0..nodes {
            let node = warm.order[rank];
            let (model, fit) = (&mut warm.model, &mut warm.fits[node]);
            model.start(node, fit);
            for &other in &warm.order[..rank] {
                if must_have(model.bounds(), node, other) {
                    model.add(fit, other);
                }
            }
            if !run.is_over() {
                model.settle(fit, Allowed { before: &warm.order[..rank], with: None, without: None });
            }
            warm.costs[node] = model.cost(fit);
        }
        warm.keep();
        warm
    }

    /// The best place of a node and what the score changes by there. O(d) where no regression is concerned.
    fn best_place(&mut self, node: usize, run: &Run<'_>) -> (usize, f64) {
        let rank = self.ranks[node];
        let (low, high) = self.model.bounds().places(&self.order, rank);
        let Self { model, order, fits, costs, own, passed, valued, .. } = self;
        let scale: f64 = costs.iter().map(|cost| cost.abs()).sum();
        let hopeless = HOPELESS * model.price(node).max(IMPROVEMENT * scale);
        let mut best = (rank, -IMPROVEMENT * scale);

        // Towards the front: the node loses those that it passes, and they gain it.
        own.clone_from(&fits[node]);
        let mut own_cost = costs[node];
        let mut change = 0.0;
        for place in (low..rank).rev() {
            let other = order[place];
            if let Some(position) = position(model, own, other) {
                if run.is_over() {
                    return (rank, 0.0);
                }
                model.remove(own, position);
                model.settle(own, Allowed { before: &order[..place], with: None, without: None });
                let cost = model.cost(own);
                change += cost - own_cost;
                own_cost = cost;
            }
            if takes(model, &fits[other], other, node) {
                passed.clone_from(&fits[other]);
                model.add(passed, node);
                let allowed = Allowed { before: &order[..place], with: Some(node), without: None };
                model.settle(passed, allowed);
                change += model.cost(passed) - costs[other];
            }
            *valued += 1;
            if change < best.1 {
                best = (place, change);
            } else if change > hopeless {
                break;
            }
        }

        // Towards the back: the node gains those that it passes, and they lose it.
        own.clone_from(&fits[node]);
        own_cost = costs[node];
        change = 0.0;
        for place in rank + 1..=high {
            let other = order[place];
            if let Some(position) = position(model, &fits[other], node) {
                if run.is_over() {
                    return (rank, 0.0);
                }
                passed.clone_from(&fits[other]);
                model.remove(passed, position);
                let allowed = Allowed { before: &order[..place], with: None, without: Some(node) };
                model.settle(passed, allowed);
                change += model.cost(passed) - costs[other];
            }
            if takes(model, own, node, other) {
                model.add(own, other);
                let allowed = Allowed { before: &order[..=place], with: None, without: Some(node) };
                model.settle(own, allowed);
                let cost = model.cost(own);
                change += cost - own_cost;
                own_cost = cost;
            }
            *valued += 1;
            if change < best.1 {
                best = (place, change);
            } else if change > hopeless {
                break;
            }
        }
        best
    }

    /// The best place of a node at a glance: what each regression would gain or lose by the one parent alone, with no other to make up for
    /// it. Never better than the truth, so a move that looks good is.
    fn best_place_at_a_glance(&mut self, node: usize) -> usize {
        let rank = self.ranks[node];
        let (low, high) = self.model.bounds().places(&self.order, rank);
        let Self { model, order, fits, costs, own, valued, .. } = self;
        let scale: f64 = costs.iter().map(|cost| cost.abs()).sum();
        let mut best = (rank, -IMPROVEMENT * scale);
        let mut see = |place: usize, change: f64| {
            *valued += 1;
            if change < best.1 {
                best = (place, change);
            }
        };

        own.clone_from(&fits[node]);
        let mut passed = 0.0;
        for place in (low..rank).rev() {
            let other = order[place];
            if let Some(position) = position(model, own, other) {
                model.forget(own, position);
            }
            if takes(model, &fits[other], other, node) {
                passed += model.cost_with(&fits[other], node) - costs[other];
            }
            see(place, passed + model.cost(own) - costs[node]);
        }

        own.clone_from(&fits[node]);
        passed = 0.0;
        for (place, &other) in order.iter().enumerate().take(high + 1).skip(rank + 1) {
            if let Some(position) = position(model, &fits[other], node) {
                passed += model.cost_without(&fits[other], position) - costs[other];
            }
            if takes(model, own, node, other) {
                model.add(own, other);
            }
            see(place, passed + model.cost(own) - costs[node]);
        }
        best.0
    }

    fn approach_at_a_glance(&mut self, queue: &mut Queue, run: &Run<'_>) {
        let mut patience = Patience::new(self);
        while let Some(node) = queue.pop() {
            if run.is_over() {
                continue;
            }
            let place = self.best_place_at_a_glance(node);
            if place != self.ranks[node] {
                self.relocate(node, place, queue);
                if !patience.lasts(self.score()) {
                    break;
                }
            }
        }
        queue.clear();
    }

    /// Writes a node's fit down as it is, before it changes.
    fn note(&mut self, node: usize) {
        let journal = &mut self.journal;
        if !journal.is_changed[node] {
            journal.is_changed[node] = true;
            let mut kept = journal.spare.pop().unwrap_or_default();
            kept.clone_from(&self.fits[node]);
            journal.changed.push((node, kept, self.costs[node]));
        }
    }

    /// Changes a node's fit and settles it, and queues the node with the parents that it had and has.
    fn change(
        &mut self,
        node: usize,
        before: usize,
        (with, without): (Option<usize>, Option<usize>),
        queue: &mut Queue,
        change: impl FnOnce(&mut M, &mut M::Fit),
    ) {
        self.note(node);
        let Self { model, fits, order, .. } = self;
        let fit = &mut fits[node];
        model.parents(fit).iter().for_each(|&parent| queue.push(parent));
        change(model, fit);
        model.settle(fit, Allowed { before: &order[..before], with, without });
        model.tidy(fit);
        model.parents(fit).iter().for_each(|&parent| queue.push(parent));
        self.costs[node] = model.cost(fit);
        queue.push(node);
    }

    /// The nodes of a range of places have moved.
    fn number(&mut self, first: usize, last: usize) {
        (first..=last).for_each(|rank| self.ranks[self.order[rank]] = rank);
    }
}

impl<M: Fits> Walker for Warm<M> {
    fn order(&self) -> &[usize] {
        &self.order
    }

    fn score(&self) -> f64 {
        self.costs.iter().sum()
    }

    /// Required ones that can add nothing are no part of the fits.
    fn parents(&mut self) -> Option<Vec<NodeSet>> {
        let parents = |node: usize| {
            let before = self.order[..self.ranks[node]].iter().copied();
            let required = before.filter(|&other| must_have(self.model.bounds(), node, other));
            self.model.parents(&self.fits[node]).iter().copied().chain(required).collect()
        };
        Some((0..self.order.len()).map(parents).collect())
    }

    fn evaluations(&self) -> u64 {
        self.valued
    }

    fn effort(&self) -> Option<(usize, usize)> {
        self.model.effort()
    }

    fn improve(&mut self, node: usize, queue: &mut Queue, run: &Run<'_>) -> bool {
        let (place, _) = self.best_place(node, run);
        let moves = place != self.ranks[node];
        if moves {
            self.relocate(node, place, queue);
        }
        moves
    }

    fn relocate(&mut self, node: usize, place: usize, queue: &mut Queue) {
        let rank = self.ranks[node];
        queue.push(node);
        if place < rank {
            for at in (place..rank).rev() {
                let other = self.order[at];
                if let Some(position) = position(&self.model, &self.fits[node], other) {
                    self.change(node, at, (None, None), queue, |model, own| model.remove(own, position));
                }
                if takes(&self.model, &self.fits[other], other, node) {
                    self.change(other, at, (Some(node), None), queue, |model, passed| {
                        model.add(passed, node);
                    });
                }
            }
            self.order[place..=rank].rotate_right(1);
            self.number(place, rank);
        } else {
            for at in rank + 1..=place {
                let other = self.order[at];
                if let Some(position) = position(&self.model, &self.fits[other], node) {
                    let passed = (None, Some(node));
                    self.change(other, at, passed, queue, |model, passed| model.remove(passed, position));
                }
                if takes(&self.model, &self.fits[node], node, other) {
                    self.change(node, at + 1, (None, Some(node)), queue, |model, own| model.add(own, other));
                }
            }
            self.order[rank..=place].rotate_left(1);
            self.number(rank, place);
        }
    }

    fn keep(&mut self) {
        let journal = &mut self.journal;
        journal.order.clone_from(&self.order);
        for (node, kept, _) in journal.changed.drain(..) {
            journal.is_changed[node] = false;
            journal.spare.push(kept);
        }
    }

    fn go_back(&mut self) {
        self.order.clone_from(&self.journal.order);
        self.number(0, self.order.len() - 1);
        while let Some((node, kept, cost)) = self.journal.changed.pop() {
            self.journal.is_changed[node] = false;
            self.journal.spare.push(std::mem::replace(&mut self.fits[node], kept));
            self.costs[node] = cost;
        }
    }

    fn approach(&mut self, queue: &mut Queue, run: &Run<'_>) {
        self.approach_at_a_glance(queue, run);
        self.model.widen();
        for rank in 0..self.order.len() {
            let node = self.order[rank];
            if self.model.is_full(&self.fits[node]) && !run.is_over() {
                self.change(node, rank, (None, None), queue, |_, _| {});
            }
        }
        self.approach_at_a_glance(queue, run);
    }

    fn polish(&mut self, queue: &mut Queue, run: &Run<'_>) -> bool {
        let mut is_better = false;
        for rank in 0..self.order.len() {
            if run.is_over() {
                break;
            }
            let node = self.order[rank];
            self.own.clone_from(&self.fits[node]);
            if !self.model.refine(&mut self.own, &self.order[..rank], run) {
                continue;
            }
            self.note(node);
            std::mem::swap(&mut self.fits[node], &mut self.own);
            self.costs[node] = self.model.cost(&self.fits[node]);
            queue.push(node);
            for fit in [&self.own, &self.fits[node]] {
                self.model.parents(fit).iter().for_each(|&parent| queue.push(parent));
            }
            is_better = true;
        }
        is_better
    }
}
