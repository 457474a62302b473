//! An order under improvement on lists of parent sets. The parents of a node depend on which of a few others come before it, so that a
//! move is valued by those that it passes among them, however many nodes there are in between.

use plackett::neighborhood::Queue;
use plackett::run::Run;

use super::list::List;
use crate::NodeSet;
use crate::score::{Walker, walker::IMPROVEMENT};

/// The lists in terms of the nodes that occur in them.
#[derive(Debug)]
pub(super) struct Compact {
    families: Vec<Family>,
    /// For each node those that its place matters to: the members of its sets, and the nodes in whose sets it is.
    concerned: Vec<Vec<usize>>,
}

/// The parent sets of a node, as bits over the nodes that occur in any of them.
#[derive(Debug)]
struct Family {
    members: Vec<usize>,
    words: usize,
    costs: Vec<f64>,
    sets: Vec<u64>,
}

impl Family {
    fn of(list: &List) -> Self {
        let mut members: Vec<usize> = (0..list.len()).flat_map(|at| list.members(at)).collect();
        members.sort_unstable();
        members.dedup();
        let words = members.len().div_ceil(64).max(1);
        let mut sets = vec![0; words * list.len()];
        for at in 0..list.len() {
            for member in list.members(at) {
                // Every member of a set is in the list of members.
                let bit = members.partition_point(|&other| other < member);
                sets[at * words + bit / 64] |= 1 << (bit % 64);
            }
        }
        Self { members, words, costs: list.costs().to_vec(), sets }
    }

    fn bit(&self, node: usize) -> Option<usize> {
        self.members.binary_search(&node).ok()
    }

    fn holds(&self, at: usize, bit: usize) -> bool {
        self.sets[at * self.words + bit / 64] >> (bit % 64) & 1 == 1
    }

    /// The first set from `from` on that has no member but those allowed; the empty set is always there.
    fn first(&self, allowed: &[u64], from: usize) -> usize {
        let found = if let [allowed] = allowed {
            self.sets[from..].iter().position(|set| set & !allowed == 0)
        } else {
            let mut sets = self.sets[from * self.words..].chunks_exact(self.words);
            sets.position(|set| set.iter().zip(allowed).all(|(set, allowed)| set & !allowed == 0))
        };
        found.map_or(self.costs.len() - 1, |at| from + at)
    }
}

impl Compact {
    pub(super) fn of(lists: &[List]) -> Self {
        let families: Vec<Family> = lists.iter().map(Family::of).collect();
        let mut concerned: Vec<Vec<usize>> = families.iter().map(|family| family.members.clone()).collect();
        for (node, family) in families.iter().enumerate() {
            family.members.iter().for_each(|&member| concerned[member].push(node));
        }
        for list in &mut concerned {
            list.sort_unstable();
            list.dedup();
        }
        Self { families, concerned }
    }
}

/// What an order makes of every node.
#[derive(Clone, Default)]
struct Standing {
    order: Vec<usize>,
    ranks: Vec<usize>,
    /// The members of a node's sets that come before it.
    allowed: Vec<Vec<u64>>,
    /// The place of the best set in a node's list.
    chosen: Vec<usize>,
}

/// An order with the best parents of every node from its list.
pub(super) struct Listed<'a> {
    compact: &'a Compact,
    nodes: usize,
    now: Standing,
    kept: Standing,
    valued: u64,
    /// Those that a node would pass, and room for what it would be allowed.
    passed: Vec<usize>,
    room: Vec<u64>,
    theirs: Vec<u64>,
}

impl<'a> Listed<'a> {
    pub(super) fn new(compact: &'a Compact, order: &[usize]) -> Self {
        let nodes = order.len();
        let mut ranks = vec![0; nodes];
        order.iter().enumerate().for_each(|(rank, &node)| ranks[node] = rank);
        let mut now = Standing { order: order.to_vec(), ranks, ..Standing::default() };
        for (node, family) in compact.families.iter().enumerate() {
            let mut allowed = vec![0; family.words];
            for (bit, &member) in family.members.iter().enumerate() {
                if now.ranks[member] < now.ranks[node] {
                    allowed[bit / 64] |= 1 << (bit % 64);
                }
            }
            now.chosen.push(family.first(&allowed, 0));
            now.allowed.push(allowed);
        }
        let kept = now.clone();
        let (passed, room, theirs) = (Vec::new(), Vec::new(), Vec::new());
        Self { compact, nodes, now, kept, valued: 0, passed, room, theirs }
    }

    fn cost(&self, node: usize) -> f64 {
        self.compact.families[node].costs[self.now.chosen[node]]
    }

    /// The nodes concerned by a node's place that lie on one side of it, the nearest first.
    fn beside(&mut self, node: usize, is_before: bool) {
        let ranks = &self.now.ranks;
        let rank = ranks[node];
        self.passed.clear();
        let concerned = self.compact.concerned[node].iter().copied();
        self.passed.extend(concerned.filter(|&other| (ranks[other] < rank) == is_before));
        self.passed.sort_unstable_by_key(|&other| ranks[other].abs_diff(rank));
    }

    /// The best place on one side and the change of the score there, if it is below `best`.
    fn best_place(&mut self, node: usize, is_before: bool, best: &mut (f64, usize)) {
        self.beside(node, is_before);
        let compact = self.compact;
        let family = &compact.families[node];
        let mut room = std::mem::take(&mut self.room);
        let mut theirs = std::mem::take(&mut self.theirs);
        room.clone_from(&self.now.allowed[node]);
        let (mut chosen, mut others) = (self.now.chosen[node], 0.0);
        for &other in &self.passed {
            // What the other one gains or loses by the node.
            let their = &compact.families[other];
            if let Some(bit) = their.bit(node) {
                let at = self.now.chosen[other];
                theirs.clone_from(&self.now.allowed[other]);
                if is_before {
                    theirs[bit / 64] |= 1 << (bit % 64);
                    others += their.costs[their.first(&theirs, 0).min(at)] - their.costs[at];
                } else if their.holds(at, bit) {
                    theirs[bit / 64] &= !(1 << (bit % 64));
                    others += their.costs[their.first(&theirs, at)] - their.costs[at];
                }
            }
            if let Some(bit) = family.bit(other) {
                if is_before {
                    room[bit / 64] &= !(1 << (bit % 64));
                    if family.holds(chosen, bit) {
                        chosen = family.first(&room, chosen);
                    }
                } else {
                    room[bit / 64] |= 1 << (bit % 64);
                    chosen = family.first(&room, 0).min(chosen);
                }
            }
            self.valued += 1;
            let change = others + family.costs[chosen] - self.cost(node);
            if change < best.0 {
                *best = (change, self.now.ranks[other]);
            }
        }
        (self.room, self.theirs) = (room, theirs);
    }

    /// Which set is the best one now; whether that is another one.
    fn choose_again(&mut self, node: usize) -> bool {
        let chosen = self.compact.families[node].first(&self.now.allowed[node], 0);
        std::mem::replace(&mut self.now.chosen[node], chosen) != chosen
    }

    fn set_allowed(&mut self, node: usize, other: usize, is_allowed: bool) -> bool {
        let Some(bit) = self.compact.families[node].bit(other) else { return false };
        let word = &mut self.now.allowed[node][bit / 64];
        *word = if is_allowed { *word | 1 << (bit % 64) } else { *word & !(1 << (bit % 64)) };
        true
    }
}

impl Walker for Listed<'_> {
    fn order(&self) -> &[usize] {
        &self.now.order
    }

    fn score(&self) -> f64 {
        (0..self.nodes).map(|node| self.cost(node)).sum()
    }

    fn parents(&mut self) -> Option<Vec<NodeSet>> {
        let parents = |node: usize| {
            let family = &self.compact.families[node];
            let is_parent = |&(bit, _): &(usize, &usize)| family.holds(self.now.chosen[node], bit);
            family.members.iter().enumerate().filter(is_parent).map(|(_, &member)| member).collect()
        };
        Some((0..self.nodes).map(parents).collect())
    }

    fn evaluations(&self) -> u64 {
        self.valued
    }

    fn improve(&mut self, node: usize, queue: &mut Queue, run: &Run<'_>) -> bool {
        let scale: f64 = (0..self.nodes).map(|node| self.cost(node).abs()).sum();
        let rank = self.now.ranks[node];
        let mut best = (-IMPROVEMENT * scale, rank);
        self.best_place(node, true, &mut best);
        self.best_place(node, false, &mut best);
        let moves = best.1 != rank && !run.is_over();
        if moves {
            self.relocate(node, best.1, queue);
        }
        moves
    }

    fn relocate(&mut self, node: usize, place: usize, queue: &mut Queue) {
        let rank = self.now.ranks[node];
        if rank == place {
            return;
        }
        let compact = self.compact;
        let is_before = place < rank;
        let (first, last) = (rank.min(place), rank.max(place));
        let is_passed = |other: &usize| (first..=last).contains(&self.now.ranks[*other]);
        let mut passed = std::mem::take(&mut self.passed);
        passed.clear();
        passed.extend(compact.concerned[node].iter().copied().filter(is_passed));
        if is_before {
            self.now.order[first..=last].rotate_right(1);
        } else {
            self.now.order[first..=last].rotate_left(1);
        }
        for at in first..=last {
            self.now.ranks[self.now.order[at]] = at;
        }
        for &other in &passed {
            self.set_allowed(node, other, !is_before);
            if self.set_allowed(other, node, is_before) && self.choose_again(other) {
                compact.concerned[other].iter().for_each(|&near| queue.push(near));
            }
            queue.push(other);
        }
        if self.choose_again(node) {
            compact.concerned[node].iter().for_each(|&near| queue.push(near));
        }
        queue.push(node);
        self.passed = passed;
    }

    fn keep(&mut self) {
        self.kept.clone_from(&self.now);
    }

    fn go_back(&mut self) {
        self.now.clone_from(&self.kept);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        BayesNet, LocalScore, Oracle,
        parent_sets::{Candidates, Keep, ParentSets},
        score::Qnml,
        testing::Rng,
    };

    #[test]
    fn moves_are_valued_as_orders_are_scored() {
        let run = Run::default();
        let data = BayesNet::embedded("sachs").unwrap().sample(500, 1, BayesNet::TRAINING).unwrap();
        let sets =
            ParentSets::build(&data, &Qnml, &Candidates::all(11, 3), Keep::Best, &run).unwrap().unwrap();
        let sets: Arc<dyn LocalScore> = Arc::new(sets);
        let mut oracle = Oracle::new(Arc::clone(&sets));
        let bounds = oracle.bounds().clone();
        let order: Vec<usize> = (0..11).collect();
        let mut walker = sets.walker(&order, &bounds, &run).unwrap();
        let (mut rng, mut queue) = (Rng::new(1), Queue::new(11));
        #[expect(clippy::cast_sign_loss, reason = "a place")]
        let mut draw = || (rng.uniform() * 11.0) as usize % 11;
        let mut score = |order: &[usize]| oracle.order_score(order, &run).unwrap().unwrap();
        let mut moved = 0;
        for step in 0..300 {
            let (node, place) = (draw(), draw());
            walker.relocate(node, place, &mut queue);
            assert!((walker.score() - score(walker.order())).abs() < 1e-8, "step {step}");
            let node = draw();
            let rank = walker.order().iter().position(|&other| other == node).unwrap();
            let mut best = f64::INFINITY;
            for place in 0..11 {
                let mut order = walker.order().to_vec();
                order.remove(rank);
                order.insert(place, node);
                best = best.min(score(&order));
            }
            moved += usize::from(walker.improve(node, &mut queue, &run));
            assert!((walker.score() - best).abs() < 1e-8, "step {step}: {} {best}", walker.score());
            let dag_cost: f64 = walker.score();
            assert!(walker.parents().unwrap().len() == 11 && dag_cost > 0.0);
        }
        assert!(moved > 30);
    }
}
