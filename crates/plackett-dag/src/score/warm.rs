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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::subset::tests::over;
    use crate::testing::Rng;

    const NODES: usize = 10;
    /// Candidates are of so many groups, of each of which the best counts alone.
    const GROUPS: usize = 3;
    /// What a parent costs.
    const EACH: f64 = 0.01;

    /// Fits of which the best is known at once, whatever the way there: of each group the best parent, if it helps.
    #[derive(Clone)]
    struct Groups<'a> {
        bounds: &'a Bounds,
        /// What a node costs without parents.
        base: f64,
        /// By node what each other one would add to that, no two of them alike.
        effects: Vec<Vec<f64>>,
        price: f64,
        most_parents: usize,
        /// Settling looks at so many groups, refining at all.
        seen: usize,
    }

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Chosen {
        node: usize,
        parents: Vec<usize>,
        is_full: bool,
    }

    impl<'a> Groups<'a> {
        fn new(seed: u64, bounds: &'a Bounds) -> Self {
            let rng = &mut Rng::new(seed);
            let mut effects = Vec::new();
            for _ in 0..NODES {
                let steps = shuffled(rng);
                let effect = |&step: &usize| 0.1 * step as f64 - 0.55 + 0.02 * rng.uniform();
                effects.push(steps.iter().map(effect).collect());
            }
            Self { bounds, base: 2.0, effects, price: 1e9, most_parents: usize::MAX, seen: GROUPS }
        }

        fn of_group(&self, node: usize, group: usize, parents: &[usize]) -> f64 {
            let effects = parents.iter().filter(|&&parent| parent % GROUPS == group);
            effects.map(|&parent| self.effects[node][parent]).fold(0.0, f64::min)
        }

        fn cost_of(&self, node: usize, parents: &[usize]) -> f64 {
            let gains: f64 = (0..GROUPS).map(|group| self.of_group(node, group, parents)).sum();
            self.base + gains + EACH * parents.len() as f64
        }

        /// The best parents among some, with those that must be, ascending.
        fn best(
            &self,
            node: usize,
            before: impl Iterator<Item = usize>,
            most: usize,
            seen: usize,
        ) -> Vec<usize> {
            let before: Vec<usize> = before.collect();
            let required = before.iter().copied().filter(|&one| must_have(self.bounds, node, one));
            let mut parents: Vec<usize> = required.collect();
            for group in 0..seen {
                let open = before.iter().copied().filter(|&one| one % GROUPS == group);
                let open = open.filter(|&one| self.bounds.permits(one, node));
                let effect = |one: &usize| self.effects[node][*one];
                let best = open.min_by(|a, b| effect(a).total_cmp(&effect(b)));
                let best = best.filter(|one| effect(one) < self.of_group(node, group, &parents) - EACH);
                if parents.len() < most {
                    parents.extend(best);
                }
            }
            parents.sort_unstable();
            parents
        }

        /// The best parents of all nodes under an order.
        fn parents_under(&self, order: &[usize]) -> Vec<Vec<usize>> {
            let mut all = vec![Vec::new(); NODES];
            for (rank, &node) in order.iter().enumerate() {
                all[node] = self.best(node, order[..rank].iter().copied(), usize::MAX, GROUPS);
            }
            all
        }

        fn total(&self, order: &[usize]) -> f64 {
            let parents = self.parents_under(order);
            (0..NODES).map(|node| self.cost_of(node, &parents[node])).sum()
        }
    }

    impl Fits for Groups<'_> {
        type Fit = Chosen;

        fn bounds(&self) -> &Bounds {
            self.bounds
        }

        fn price(&self, _: usize) -> f64 {
            self.price
        }

        fn start(&mut self, node: usize, fit: &mut Chosen) {
            *fit = Chosen { node, ..Chosen::default() };
        }

        fn parents<'f>(&self, fit: &'f Chosen) -> &'f [usize] {
            &fit.parents
        }

        fn cost(&self, fit: &Chosen) -> f64 {
            self.cost_of(fit.node, &fit.parents)
        }

        fn wants(&self, fit: &Chosen, candidate: usize) -> bool {
            let (effect, group) = (self.effects[fit.node][candidate], candidate % GROUPS);
            let is_open = self.bounds.permits(candidate, fit.node) && !fit.is_full && group < self.seen;
            is_open && effect < self.of_group(fit.node, group, &fit.parents) - EACH
        }

        fn add(&mut self, fit: &mut Chosen, parent: usize) {
            assert!(!fit.parents.contains(&parent));
            fit.parents.push(parent);
        }

        fn remove(&mut self, fit: &mut Chosen, position: usize) {
            fit.parents.remove(position);
        }

        fn settle(&mut self, fit: &mut Chosen, allowed: Allowed<'_>) {
            assert!(fit.parents.iter().all(|&parent| allowed.iter().any(|one| one == parent)));
            let required = |one: usize| must_have(self.bounds, fit.node, one);
            assert!(allowed.iter().all(|one| !required(one) || fit.parents.contains(&one)));
            fit.parents = self.best(fit.node, allowed.iter(), self.most_parents, self.seen);
            fit.is_full = fit.parents.len() >= self.most_parents;
        }

        fn cost_with(&self, fit: &Chosen, parent: usize) -> f64 {
            let parents: Vec<usize> = fit.parents.iter().copied().chain([parent]).collect();
            self.cost_of(fit.node, &parents)
        }

        fn cost_without(&self, fit: &Chosen, position: usize) -> f64 {
            let mut parents = fit.parents.clone();
            parents.remove(position);
            self.cost_of(fit.node, &parents)
        }

        fn widen(&mut self) {
            self.most_parents = usize::MAX;
        }

        fn is_full(&self, fit: &Chosen) -> bool {
            fit.is_full
        }

        fn refine(&mut self, fit: &mut Chosen, before: &[usize], _: &Run<'_>) -> bool {
            let parents = self.best(fit.node, before.iter().copied(), usize::MAX, GROUPS);
            let is_better = parents != fit.parents;
            fit.parents = parents;
            is_better
        }
    }

    fn shuffled(rng: &mut Rng) -> Vec<usize> {
        let mut order: Vec<(f64, usize)> = (0..NODES).map(|node| (rng.uniform(), node)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order.into_iter().map(|(_, node)| node).collect()
    }

    fn moved(order: &[usize], rank: usize, place: usize) -> Vec<usize> {
        let mut order = order.to_vec();
        let node = order.remove(rank);
        order.insert(place, node);
        order
    }

    fn all_bounds() -> [Bounds; 2] {
        let known = Bounds::new(NODES, &[(0, 5), (7, 2)], &[(1, 4)], &[(3, 8), (6, 9)]).unwrap();
        [Bounds::free(NODES), known]
    }

    fn sorted(parents: &[usize]) -> Vec<usize> {
        let mut parents = parents.to_vec();
        parents.sort_unstable();
        parents
    }

    /// Whether a walker has what an order gives from scratch.
    fn check(warm: &mut Warm<Groups<'_>>, order: &[usize]) {
        assert_eq!(warm.order(), order);
        let expected = warm.model.parents_under(order);
        for (node, expected) in expected.iter().enumerate() {
            assert_eq!(warm.order[warm.ranks[node]], node);
            assert_eq!(&sorted(&warm.fits[node].parents), expected, "the parents of {node}");
            assert!((warm.costs[node] - warm.model.cost_of(node, expected)).abs() < 1e-12);
        }
        assert!((warm.score() - warm.model.total(order)).abs() < 1e-9);
        let parents: Vec<Vec<usize>> =
            warm.parents().unwrap().iter().map(|parents| parents.iter().collect()).collect();
        assert_eq!(parents, expected);
    }

    fn drained(mut queue: Queue) -> Vec<usize> {
        let mut items: Vec<usize> = std::iter::from_fn(|| queue.pop()).collect();
        items.sort_unstable();
        items
    }

    fn full_queue() -> Queue {
        let mut queue = Queue::new(NODES);
        (0..NODES).for_each(|node| queue.push(node));
        queue
    }

    #[test]
    fn the_best_place_is_the_best_of_all_until_it_is_hopeless() {
        for (seed, bounds) in (0..12).flat_map(|seed| all_bounds().map(|bounds| (seed, bounds))) {
            let order = bounds.arrange(&shuffled(&mut Rng::new(100 + seed)));
            // Also where a gain of a tenth is rounding, for all nodes together cost so much.
            for (base, price) in [(2.0, 1e9), (2.0, 0.02), (2.0, 0.0), (1e10, 0.0), (1e10, 1e9)] {
                let model = Groups { base, price, ..Groups::new(seed, &bounds) };
                let scale = NODES as f64 * base - 15.0;
                let margin = if base > 10.0 { 1e-12 * scale } else { 0.0 };
                let hopeless = 10.0 * price.max(margin + 1e-11);
                // What all nodes cost alike is left out here: of it nothing is to be rounded.
                let plain = Groups { base: 0.0, ..model.clone() };
                let before = plain.total(&order);
                let mut warm = Warm::new(model, order.clone(), &Run::default());
                for node in 0..NODES {
                    let rank = order.iter().position(|&other| other == node).unwrap();
                    let (low, high) = bounds.places(&order, rank);
                    let (mut best, mut count) = ((rank, -margin), 0);
                    let ways: [Vec<usize>; 2] = [(low..rank).rev().collect(), (rank + 1..=high).collect()];
                    for way in ways {
                        for place in way {
                            let change = plain.total(&moved(&order, rank, place)) - before;
                            count += 1;
                            if change < best.1 - 1e-9 {
                                best = (place, change);
                            } else if change > hopeless {
                                break;
                            }
                        }
                    }
                    let valued = warm.evaluations();
                    let (place, change) = warm.best_place(node, &Run::default());
                    assert_eq!(place, best.0, "{seed} {base} {price} {node}");
                    assert!((change - best.1).abs() < 1e-4, "{change} for {}", best.1);
                    assert_eq!(warm.evaluations() - valued, count, "{seed} {base} {price} {node}");
                }
                check(&mut warm, &order);
            }
        }
    }

    #[test]
    fn a_place_that_costs_the_same_is_not_hopeless() {
        let bounds = Bounds::free(NODES);
        // Nothing costs anything.
        let effects = vec![vec![0.0; NODES]; NODES];
        let model = Groups { base: 0.0, price: 0.0, effects, ..Groups::new(1, &bounds) };
        let mut warm = Warm::new(model, (0..NODES).collect(), &Run::default());
        assert_eq!(warm.best_place(4, &Run::default()), (4, 0.0));
        assert_eq!(warm.evaluations(), NODES as u64 - 1);
    }

    #[test]
    fn a_glance_values_places_by_the_one_parent_alone() {
        for (seed, bounds) in (0..12).flat_map(|seed| all_bounds().map(|bounds| (seed, bounds))) {
            let order = bounds.arrange(&shuffled(&mut Rng::new(200 + seed)));
            let model = Groups { base: if seed % 3 == 0 { 1e10 } else { 2.0 }, ..Groups::new(seed, &bounds) };
            let margin = if model.base > 10.0 { 1e-12 * (NODES as f64 * model.base) } else { 0.0 };
            let parents = model.parents_under(&order);
            let cost = |node: usize, parents: &[usize]| model.cost_of(node, parents) - model.base;
            let takes = |node: usize, parents: &[usize], one: usize| {
                let fit = Chosen { node, parents: parents.to_vec(), is_full: false };
                model.wants(&fit, one) || must_have(&bounds, node, one)
            };
            let mut warm = Warm::new(model.clone(), order.clone(), &Run::default());
            for (rank, &node) in order.iter().enumerate() {
                let (low, high) = bounds.places(&order, rank);
                let mut best = (rank, -margin);
                for place in (low..rank).rev().chain(rank + 1..=high) {
                    let passed = &order[place.min(rank + 1)..rank.max(place + 1)];
                    let passed = if place < rank { &order[place..rank] } else { passed };
                    let mut own = parents[node].clone();
                    let mut change = 0.0;
                    for &other in passed {
                        if place < rank {
                            own.retain(|&parent| parent != other);
                            if takes(other, &parents[other], node) {
                                let more: Vec<usize> = parents[other].iter().copied().chain([node]).collect();
                                change += cost(other, &more) - cost(other, &parents[other]);
                            }
                        } else {
                            let mut fewer = parents[other].clone();
                            fewer.retain(|&parent| parent != node);
                            change += cost(other, &fewer) - cost(other, &parents[other]);
                            if takes(node, &own, other) {
                                own.push(other);
                            }
                        }
                    }
                    change += cost(node, &own) - cost(node, &parents[node]);
                    if change < best.1 - 1e-9 {
                        best = (place, change);
                    }
                }
                let valued = warm.evaluations();
                assert_eq!(warm.best_place_at_a_glance(node), best.0, "{seed} {node}");
                assert_eq!(warm.evaluations() - valued, (high - low) as u64);
            }
            check(&mut warm, &order);
        }
    }

    #[test]
    fn wherever_nodes_go_and_come_back_from_all_is_as_from_scratch() {
        for (seed, bounds) in (0..6).flat_map(|seed| all_bounds().map(|bounds| (seed, bounds))) {
            let rng = &mut Rng::new(300 + seed);
            let model = Groups::new(seed, &bounds);
            let mut order = bounds.arrange(&shuffled(rng));
            let mut kept = order.clone();
            let mut warm = Warm::new(model.clone(), order.clone(), &Run::default());
            check(&mut warm, &order);
            for step in 0..60 {
                let rank = shuffled(rng)[0];
                let node = order[rank];
                let (low, high) = bounds.places(&order, rank);
                let place = shuffled(rng).into_iter().find(|place| (low..=high).contains(place)).unwrap();
                let mut queue = Queue::new(NODES);
                warm.relocate(node, place, &mut queue);
                // It passes one after another, and whoever has other parents then is queued with both.
                let mut expected = vec![node];
                let mut at = rank;
                while at != place {
                    let next = if place < at { at - 1 } else { at + 1 };
                    let before = model.parents_under(&order);
                    order = moved(&order, at, next);
                    let after = model.parents_under(&order);
                    for (one, (before, after)) in before.iter().zip(&after).enumerate() {
                        if before != after {
                            expected.push(one);
                            expected.extend(before.iter().chain(after));
                        }
                    }
                    at = next;
                }
                expected.sort_unstable();
                expected.dedup();
                assert_eq!(drained(queue), expected);
                check(&mut warm, &order);
                if step % 7 == 6 {
                    warm.go_back();
                    order.clone_from(&kept);
                    check(&mut warm, &order);
                } else if step % 5 == 4 {
                    warm.keep();
                    kept.clone_from(&order);
                }
            }
        }
    }

    #[test]
    fn improving_moves_a_node_to_its_best_place_while_there_is_time() {
        let over = over();
        let [free, _] = all_bounds();
        let mut moves = [0; 2];
        for seed in 0..6 {
            let order = shuffled(&mut Rng::new(400 + seed));
            let model = Groups::new(seed, &free);
            let mut warm = Warm::new(model, order.clone(), &Run::default());
            for node in 0..NODES {
                let order = warm.order().to_vec();
                let before = warm.score();
                let (place, change) = warm.best_place(node, &Run::default());
                let rank = warm.ranks[node];
                let has_moved = warm.improve(node, &mut Queue::new(NODES), &Run::default());
                assert_eq!(has_moved, place != rank);
                let expected = moved(&order, rank, place);
                check(&mut warm, &expected);
                assert!(!has_moved || (warm.score() - before - change).abs() < 1e-9);
                moves[usize::from(has_moved)] += 1;
                // There is something to compute in one direction at least, and no time for it.
                if !warm.fits[node].parents.is_empty() {
                    assert_eq!(warm.best_place(node, &over), (warm.ranks[node], 0.0));
                }
            }
        }
        assert!(moves[0] > 0 && moves[1] > 0);
    }

    #[test]
    fn without_time_nodes_have_the_parents_that_they_must_have() {
        let over = over();
        for bounds in all_bounds() {
            let order = bounds.arrange(&shuffled(&mut Rng::new(5)));
            let mut warm = Warm::new(Groups::new(5, &bounds), order.clone(), &over);
            for (rank, &node) in order.iter().enumerate() {
                let before = order[..rank].iter().copied();
                let required: Vec<usize> = before.filter(|&one| must_have(&bounds, node, one)).collect();
                assert_eq!(sorted(&warm.fits[node].parents), sorted(&required));
            }
            assert_eq!(must_have(&bounds, 4, 1), !bounds.is_free());
            let mut queue = full_queue();
            warm.approach(&mut queue, &over);
            assert_eq!((warm.order(), drained(queue)), (&order[..], Vec::new()));
            let mut queue = Queue::new(NODES);
            assert!(!warm.polish(&mut queue, &over) && drained(queue).is_empty());
        }
    }

    /// Moves nodes to the places that a glance says are better, one by one, until as many moves as there are nodes were in vain.
    fn glance(warm: &mut Warm<Groups<'_>>, queue: &mut Queue) {
        let (mut least, mut vain) = (warm.score(), 0);
        while let Some(node) = queue.pop() {
            let place = warm.best_place_at_a_glance(node);
            if place != warm.ranks[node] {
                warm.relocate(node, place, queue);
                vain = if warm.score() < least { 0 } else { vain + 1 };
                least = least.min(warm.score());
                if vain == NODES {
                    queue.clear();
                }
            }
        }
    }

    #[test]
    fn an_approach_goes_where_glances_say_at_first_with_few_parents() {
        for (seed, bounds) in (0..6).flat_map(|seed| all_bounds().map(|bounds| (seed, bounds))) {
            let order = bounds.arrange(&shuffled(&mut Rng::new(500 + seed)));
            for most_parents in [1, 2, usize::MAX] {
                let model = Groups { most_parents, ..Groups::new(seed, &bounds) };
                let mut warm = Warm::new(model, order.clone(), &Run::default());
                let (before, fits) = (warm.score(), warm.fits.clone());
                let mut queue = full_queue();
                warm.approach(&mut queue, &Run::default());
                assert!(drained(queue).is_empty());
                let reached = warm.order().to_vec();
                check(&mut warm, &reached);
                assert!(warm.score() < before);
                warm.go_back();
                assert_eq!((warm.order(), warm.score(), &warm.fits), (&order[..], before, &fits));

                // The same by hand.
                warm.model.most_parents = most_parents;
                let mut queue = full_queue();
                glance(&mut warm, &mut queue);
                warm.model.widen();
                for rank in 0..NODES {
                    let node = warm.order[rank];
                    if warm.fits[node].is_full {
                        warm.change(node, rank, (None, None), &mut queue, |_, _| {});
                    }
                }
                glance(&mut warm, &mut queue);
                assert_eq!(warm.order(), reached);
            }
        }
    }

    #[test]
    fn polishing_takes_up_what_settling_has_not_seen() {
        for (seed, bounds) in (0..6).flat_map(|seed| all_bounds().map(|bounds| (seed, bounds))) {
            let order = bounds.arrange(&shuffled(&mut Rng::new(600 + seed)));
            let model = Groups { seen: 1, ..Groups::new(seed, &bounds) };
            let mut warm = Warm::new(model.clone(), order.clone(), &Run::default());
            let (before, score) = (warm.fits.clone(), warm.score());
            let mut queue = Queue::new(NODES);
            assert!(warm.polish(&mut queue, &Run::default()));
            check(&mut warm, &order);
            let mut expected = Vec::new();
            for (old, new) in before.iter().zip(&warm.fits).filter(|(old, new)| old.parents != new.parents) {
                expected.push(old.node);
                expected.extend(old.parents.iter().chain(&new.parents));
            }
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(drained(queue), expected);
            assert!(!warm.polish(&mut Queue::new(NODES), &Run::default()));
            warm.go_back();
            assert_eq!((&warm.fits, warm.score()), (&before, score));
        }
    }

    #[test]
    fn what_fits_do_not_say_is_the_usual() {
        let bounds = Bounds::free(NODES);
        let mut model = Groups::new(1, &bounds);
        assert_eq!(model.effort(), None);
        assert_eq!(Warm::new(model.clone(), (0..NODES).collect(), &Run::default()).effort(), None);
        let mut fit = Chosen { node: 3, parents: vec![4, 1, 7], is_full: false };
        model.tidy(&mut fit);
        model.forget(&mut fit, 1);
        assert_eq!(fit.parents, [4, 7]);
    }
}
