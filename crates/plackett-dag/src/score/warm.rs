//! A walker for scores of residual variances. Every node has its regression at hand; when two neighbors change places,
//! one of them loses a candidate parent and the other gains one. Mostly neither matters, which is told in O(1); where it
//! does, the regression goes on from the parents that it has. What comes out depends on the way there, so it is kept with
//! the order and never shared.

use plackett::neighborhood::Queue;
use plackett::run::Run;

use super::regression::{Allowed, Model, Regression, Space};
use super::subset::{Criterion, Space as SubsetSpace, Subset};
use super::walker::{IMPROVEMENT, Patience, Walker};
use crate::{Bounds, NodeSet};

/// Once a move has made the order worse by this many parents' prices, those further in the same direction are not tried.
/// Ten give the same orders as all places do, in a third of the time (18 sets of 50 to 500 nodes); three do not.
const HOPELESS: f64 = 10.0;

/// The most parents of a node while the first places are looked for: in a bad order many seem to help, and each is dear.
const FIRST_PARENTS: usize = 32;

/// Candidates among which pairs and exchanges are looked for at the end, the strongest ones.
const POLISHED_CANDIDATES: usize = 40;

/// Visits of branch and bound at the end, of all nodes together. At 20 dense nodes and 100 rows they bettered one of four
/// scores; at 50 nodes and more, where they are too few to matter, none of 20.
const POLISHING_VISITS: usize = 10_000;

/// An order with the regression of every node on parents before it.
pub(crate) struct Warm<'a, C> {
    model: Model<'a, C>,
    subset: &'a Subset<C>,
    order: Vec<usize>,
    ranks: Vec<usize>,
    regressions: Vec<Regression>,
    /// The local score of every node.
    costs: Vec<f64>,
    journal: Journal,
    work: Work,
    /// How many places were valued.
    valued: u64,
}

/// What has changed since an order was kept.
#[derive(Default)]
struct Journal {
    order: Vec<usize>,
    /// Nodes with their regressions and costs as they were.
    changed: Vec<(usize, Regression, f64)>,
    is_changed: Vec<bool>,
    /// Regressions to write the next ones into.
    spare: Vec<Regression>,
}

/// Workspace of the trials.
#[derive(Default)]
struct Work {
    space: Space,
    own: Regression,
    passed: Regression,
    subset: SubsetSpace,
}

impl<'a, C: Criterion> Warm<'a, C> {
    /// Starts from an order that is known to be one. Nodes that the run has no time for have no parents.
    pub(crate) fn new(subset: &'a Subset<C>, order: Vec<usize>, bounds: &'a Bounds, run: &Run<'_>) -> Self {
        let correlations = subset.correlations();
        let criteria = &subset.criteria;
        let model = Model { correlations, criteria, bounds, most_parents: FIRST_PARENTS };
        let nodes = model.correlations.nodes();
        let mut ranks = vec![0; nodes];
        order.iter().enumerate().for_each(|(rank, &node)| ranks[node] = rank);
        let mut warm = Self {
            regressions: vec![Regression::default(); nodes],
            costs: vec![0.0; nodes],
            journal: Journal { is_changed: vec![false; nodes], ..Journal::default() },
            work: Work::default(),
            valued: 0,
            model,
            subset,
            order,
            ranks,
        };
        for rank in 0..nodes {
            let node = warm.order[rank];
            let regression = &mut warm.regressions[node];
            regression.start(&warm.model, node);
            for &other in warm.order[..rank].iter().filter(|&&other| warm.model.must_have(node, other)) {
                regression.add(&warm.model, other, &mut warm.work.space);
            }
            if !run.is_over() {
                let allowed = Allowed { before: &warm.order[..rank], with: None, without: None };
                regression.settle(&warm.model, allowed, &mut warm.work.space);
            }
            warm.costs[node] = regression.cost(&warm.model);
        }
        warm.keep();
        warm
    }

    /// The best place of a node and what the score changes by there. O(d) where no regression is concerned.
    fn best_place(&mut self, node: usize, run: &Run<'_>) -> (usize, f64) {
        let rank = self.ranks[node];
        let (low, high) = self.model.bounds.places(&self.order, rank);
        let Self { model, order, regressions, costs, work, valued, .. } = self;
        let Work { space, own, passed, .. } = work;
        let scale: f64 = costs.iter().map(|cost| cost.abs()).sum();
        let hopeless = HOPELESS * model.criteria[node].penalty().max(IMPROVEMENT * scale);
        let mut best = (rank, -IMPROVEMENT * scale);

        // Towards the front: the node loses those that it passes, and they gain it.
        own.clone_from(&regressions[node]);
        let mut own_cost = costs[node];
        let mut change = 0.0;
        for place in (low..rank).rev() {
            let other = order[place];
            if let Some(position) = own.position(other) {
                if run.is_over() {
                    return (rank, 0.0);
                }
                own.remove(model, position, space);
                own.settle(model, Allowed { before: &order[..place], with: None, without: None }, space);
                let cost = own.cost(model);
                change += cost - own_cost;
                own_cost = cost;
            }
            if regressions[other].wants(node) || model.must_have(other, node) {
                passed.clone_from(&regressions[other]);
                passed.add(model, node, space);
                let allowed = Allowed { before: &order[..place], with: Some(node), without: None };
                passed.settle(model, allowed, space);
                change += passed.cost(model) - costs[other];
            }
            *valued += 1;
            if change < best.1 {
                best = (place, change);
            } else if change > hopeless {
                break;
            }
        }

        // Towards the back: the node gains those that it passes, and they lose it.
        own.clone_from(&regressions[node]);
        own_cost = costs[node];
        change = 0.0;
        for place in rank + 1..=high {
            let other = order[place];
            if let Some(position) = regressions[other].position(node) {
                if run.is_over() {
                    return (rank, 0.0);
                }
                passed.clone_from(&regressions[other]);
                passed.remove(model, position, space);
                let allowed = Allowed { before: &order[..place], with: None, without: Some(node) };
                passed.settle(model, allowed, space);
                change += passed.cost(model) - costs[other];
            }
            if own.wants(other) || model.must_have(node, other) {
                own.add(model, other, space);
                let allowed = Allowed { before: &order[..=place], with: None, without: Some(node) };
                own.settle(model, allowed, space);
                let cost = own.cost(model);
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
        let (low, high) = self.model.bounds.places(&self.order, rank);
        let Self { model, order, regressions, costs, work, valued, .. } = self;
        let Work { space, own, .. } = work;
        let scale: f64 = costs.iter().map(|cost| cost.abs()).sum();
        let mut best = (rank, -IMPROVEMENT * scale);
        let mut see = |place: usize, change: f64| {
            *valued += 1;
            if change < best.1 {
                best = (place, change);
            }
        };

        own.clone_from(&regressions[node]);
        let mut passed = 0.0;
        for place in (low..rank).rev() {
            let other = order[place];
            if let Some(position) = own.position(other) {
                own.forget(position);
            }
            if regressions[other].wants(node) || model.must_have(other, node) {
                passed += regressions[other].cost_with(model, node) - costs[other];
            }
            see(place, passed + own.cost(model) - costs[node]);
        }

        own.clone_from(&regressions[node]);
        passed = 0.0;
        for (place, &other) in order.iter().enumerate().take(high + 1).skip(rank + 1) {
            if let Some(position) = regressions[other].position(node) {
                passed += regressions[other].cost_without(model, position) - costs[other];
            }
            if own.wants(other) || model.must_have(node, other) {
                own.add(model, other, space);
            }
            see(place, passed + own.cost(model) - costs[node]);
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

    /// Writes a node's regression down as it is, before it changes.
    fn note(&mut self, node: usize) {
        let journal = &mut self.journal;
        if !journal.is_changed[node] {
            journal.is_changed[node] = true;
            let mut kept = journal.spare.pop().unwrap_or_default();
            kept.clone_from(&self.regressions[node]);
            journal.changed.push((node, kept, self.costs[node]));
        }
    }

    /// Changes a node's regression and settles it, and queues the node with the parents that it had and has.
    fn change(
        &mut self,
        node: usize,
        before: usize,
        with: Option<usize>,
        without: Option<usize>,
        queue: &mut Queue,
        change: impl FnOnce(&Model<C>, &mut Regression, &mut Space),
    ) {
        self.note(node);
        let regression = &mut self.regressions[node];
        regression.parents().iter().for_each(|&parent| queue.push(parent));
        change(&self.model, regression, &mut self.work.space);
        let allowed = Allowed { before: &self.order[..before], with, without };
        regression.settle(&self.model, allowed, &mut self.work.space);
        regression.tidy(&self.model, &mut self.work.space);
        regression.parents().iter().for_each(|&parent| queue.push(parent));
        self.costs[node] = regression.cost(&self.model);
        queue.push(node);
    }

    /// The nodes of a range of places have moved.
    fn number(&mut self, first: usize, last: usize) {
        (first..=last).for_each(|rank| self.ranks[self.order[rank]] = rank);
    }
}

impl<C: Criterion> Walker for Warm<'_, C> {
    fn order(&self) -> &[usize] {
        &self.order
    }

    fn score(&self) -> f64 {
        self.costs.iter().sum()
    }

    /// Required ones that are combinations of others are no part of the regressions.
    fn parents(&mut self) -> Option<Vec<NodeSet>> {
        let parents = |node: usize| {
            let before = self.order[..self.ranks[node]].iter().copied();
            let required = before.filter(|&other| self.model.must_have(node, other));
            self.regressions[node].parents().iter().copied().chain(required).collect()
        };
        Some((0..self.order.len()).map(parents).collect())
    }

    fn evaluations(&self) -> u64 {
        self.valued
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
                if let Some(position) = self.regressions[node].position(other) {
                    self.change(node, at, None, None, queue, |model, own, space| {
                        own.remove(model, position, space);
                    });
                }
                if self.regressions[other].wants(node) || self.model.must_have(other, node) {
                    self.change(other, at, Some(node), None, queue, |model, passed, space| {
                        passed.add(model, node, space);
                    });
                }
            }
            self.order[place..=rank].rotate_right(1);
            self.number(place, rank);
        } else {
            for at in rank + 1..=place {
                let other = self.order[at];
                if let Some(position) = self.regressions[other].position(node) {
                    self.change(other, at, None, Some(node), queue, |model, passed, space| {
                        passed.remove(model, position, space);
                    });
                }
                if self.regressions[node].wants(other) || self.model.must_have(node, other) {
                    self.change(node, at + 1, None, Some(node), queue, |model, own, space| {
                        own.add(model, other, space);
                    });
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
            self.journal.spare.push(std::mem::replace(&mut self.regressions[node], kept));
            self.costs[node] = cost;
        }
    }

    fn approach(&mut self, queue: &mut Queue, run: &Run<'_>) {
        self.approach_at_a_glance(queue, run);
        self.model.most_parents = usize::MAX;
        for rank in 0..self.order.len() {
            let node = self.order[rank];
            if self.regressions[node].is_full() && !run.is_over() {
                self.change(node, rank, None, None, queue, |_, _, _| {});
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
            let before = &self.order[..rank];
            let required: NodeSet =
                before.iter().copied().filter(|&other| self.model.must_have(node, other)).collect();
            let own = self.regressions[node].parents().iter().copied();
            let parents: NodeSet = own.chain(&required).collect();
            let mut allowed = parents.clone();
            let strongest = self.regressions[node].strongest(before, POLISHED_CANDIDATES);
            strongest.into_iter().for_each(|candidate| allowed.insert(candidate));
            let visits = POLISHING_VISITS / self.order.len();
            let within = (&allowed, &required);
            let better = self.subset.refine(node, within, &parents, visits, &mut self.work.subset, run);
            let Some(better) = better else { continue };
            self.note(node);
            let regression = &mut self.regressions[node];
            regression.replace(&self.model, &better, &mut self.work.space);
            self.costs[node] = regression.cost(&self.model);
            queue.push(node);
            parents.iter().chain(&better).for_each(|parent| queue.push(parent));
            is_better = true;
        }
        is_better
    }
}
