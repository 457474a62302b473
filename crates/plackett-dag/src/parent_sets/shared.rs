//! Scoring the parent sets of all nodes from shared counts. Node i with parents P needs the counts of P and those of P ∪ i,
//! and a set of four nodes is the P ∪ i of four families and the P of many: where the cores overlap, each set of nodes is
//! counted once for all of them.

use rayon::prelude::*;

use super::rows::Rows;
use super::sieve::Sieve;
use super::subsets::Subsets;
use super::watch::Watch;
use crate::NodeSet;
use crate::counts::Partition;
use crate::score::{CountScore, MOST_CONFIGURATIONS};

/// Sums over the counts of sets of nodes: what they bring as a node with its parents, and what they cost as parents.
pub(super) struct SetSums {
    subsets: Subsets,
    /// The arities for which the sums as parents are kept apart; none if they are the same as the others.
    arities: Vec<usize>,
    /// For each set its sum as a family, then those as parents for each arity.
    values: Vec<f64>,
}

/// The sets of nodes that are needed: those that lie in some node's core together with the node.
pub(super) struct NeededSets {
    nodes: usize,
    limit: usize,
    /// For each node the nodes whose core, or who themselves, it belongs to.
    users: Vec<NodeSet>,
}

impl NeededSets {
    pub(super) fn new(cores: &[Vec<usize>], limit: usize) -> Self {
        let nodes = cores.len();
        let mut users = vec![NodeSet::with_capacity(nodes); nodes];
        for (node, core) in cores.iter().enumerate() {
            users[node].insert(node);
            core.iter().for_each(|&other| users[other].insert(node));
        }
        Self { nodes, limit: (limit + 1).min(nodes), users }
    }

    fn intersect(&self, with: &NodeSet, node: usize) -> Option<NodeSet> {
        let mut both = with.clone();
        both.words_mut().iter_mut().zip(self.users[node].words()).for_each(|(a, b)| *a &= b);
        (!both.is_empty()).then_some(both)
    }

    /// How many there are, or a number beyond `most` if there are more.
    pub(super) fn count(&self, most: usize) -> usize {
        let mut count = 1;
        self.count_below(&NodeSet::full(self.nodes), self.nodes, 0, most, &mut count);
        count
    }

    fn count_below(&self, users: &NodeSet, below: usize, depth: usize, most: usize, count: &mut usize) {
        for node in 0..below {
            if *count > most {
                return;
            }
            if let Some(users) = self.intersect(users, node) {
                *count += 1;
                if depth + 1 < self.limit {
                    self.count_below(&users, node, depth + 1, most, count);
                }
            }
        }
    }

    /// The number of all sets of the same sizes, needed or not.
    pub(super) fn space(&self) -> usize {
        super::subsets::count_subsets(self.nodes, self.limit)
    }
}

impl SetSums {
    /// Counts every needed set: one pass over the rows each, two if it is not one of the largest. The parts watched are the
    /// nodes.
    pub(super) fn new(
        rows: &Rows<'_>,
        arities: &[usize],
        score: &dyn CountScore,
        needed: &NeededSets,
        watch: &Watch,
    ) -> Self {
        let subsets = Subsets::new(needed.nodes, needed.limit);
        let mut distinct = if score.parents_differ() { arities.to_vec() } else { Vec::new() };
        distinct.sort_unstable();
        distinct.dedup();
        let stride = 1 + distinct.len();
        let mut values = vec![f64::NAN; subsets.len() * stride];

        // One part for each pair of the two largest members, so that the parts are even and many.
        let pairs: Vec<(usize, Option<usize>)> = (0..needed.nodes)
            .flat_map(|first| {
                std::iter::once((first, None)).chain((0..first).map(move |next| (first, Some(next))))
            })
            .collect();
        let found: Vec<Found> = pairs
            .par_iter()
            .map_init(
                || Counter::new(rows, arities, &distinct, score, needed, &subsets),
                |counter, &(first, second)| {
                    let found =
                        if watch.stopped() { Found::default() } else { counter.run(first, second, watch) };
                    if second.is_none() {
                        watch.advance();
                    }
                    found
                },
            )
            .collect();
        for found in found {
            for (&index, sums) in found.indices.iter().zip(found.sums.chunks_exact(stride)) {
                values[index * stride..(index + 1) * stride].copy_from_slice(sums);
            }
        }
        // The empty set: all rows in one group, as parents only.
        let total = [rows.weights().map_or(rows.count as u32, |weights| weights.iter().sum())];
        values[0] = score.joint(&total, 1.0);
        for (value, &arity) in values[1..].iter_mut().zip(&distinct) {
            *value = score.parents(&total, 1.0, arity);
        }
        Self { subsets, arities: distinct, values }
    }

    /// Takes the costs of a node's parent sets, subsets of its core, into the sieve.
    pub(super) fn sift(&self, node: usize, arity: usize, core: &[usize], sieve: &mut Sieve<'_>) {
        let stride = 1 + self.arities.len();
        let column = self.arities.binary_search(&arity).map_or(0, |at| 1 + at);
        let mut family = Vec::new();
        for_each_subset(core.len(), sieve.subsets().limit(), &mut |chosen| {
            let members = chosen.iter().map(|&place| core[place]);
            family.clear();
            family.extend(members.clone());
            let parents = self.values[self.subsets.index(family.iter().copied()) * stride + column];
            family.insert(family.partition_point(|&member| member > node), node);
            let joint = self.values[self.subsets.index(family.iter().copied()) * stride];
            let floor = sieve.floor(chosen);
            sieve.admit(chosen, parents - joint, floor);
        });
    }
}

/// Calls `visit` with each subset of `0..elements` of at most `limit` members, in decreasing order, subsets first.
fn for_each_subset(elements: usize, limit: usize, visit: &mut impl FnMut(&[usize])) {
    fn extend(chosen: &mut Vec<usize>, below: usize, limit: usize, visit: &mut impl FnMut(&[usize])) {
        visit(chosen);
        if chosen.len() < limit {
            for place in 0..below {
                chosen.push(place);
                extend(chosen, place, limit, visit);
                chosen.pop();
            }
        }
    }
    extend(&mut Vec::new(), elements, limit, visit);
}

/// The sums of some sets, by their numbers.
#[derive(Default)]
struct Found {
    indices: Vec<usize>,
    sums: Vec<f64>,
}

struct Counter<'a> {
    rows: &'a Rows<'a>,
    arities: &'a [usize],
    distinct: &'a [usize],
    score: &'a dyn CountScore,
    needed: &'a NeededSets,
    subsets: &'a Subsets,
    groups: Vec<Partition>,
    counts: Vec<u32>,
    map: Vec<u32>,
    chosen: Vec<usize>,
    found: Found,
}

impl<'a> Counter<'a> {
    fn new(
        rows: &'a Rows<'a>,
        arities: &'a [usize],
        distinct: &'a [usize],
        score: &'a dyn CountScore,
        needed: &'a NeededSets,
        subsets: &'a Subsets,
    ) -> Self {
        let mut groups = vec![Partition::default(); needed.limit + 1];
        groups[0].start(rows.count);
        Self {
            rows,
            arities,
            distinct,
            score,
            needed,
            subsets,
            groups,
            counts: Vec::new(),
            map: Vec::new(),
            chosen: Vec::new(),
            found: Found::default(),
        }
    }

    /// The set of `first` alone, or all sets whose two largest members are `first` and `second`.
    fn run(&mut self, first: usize, second: Option<usize>, watch: &Watch) -> Found {
        let users = self.needed.users[first].clone();
        self.chosen.clear();
        match second {
            None => self.take(first, 1.0, false),
            Some(second) if self.needed.limit > 1 => {
                if let Some(users) = self.needed.intersect(&users, second) {
                    self.refine(first);
                    self.visit(second, &users, self.arities[first] as f64, watch);
                }
            }
            Some(_) => {}
        }
        std::mem::take(&mut self.found)
    }

    /// The chosen set with one node more, and all sets that add smaller nodes to that.
    fn visit(&mut self, node: usize, users: &NodeSet, configurations: f64, watch: &Watch) {
        if watch.stopped() {
            return;
        }
        let last = node == 0 || self.chosen.len() + 1 == self.needed.limit;
        self.take(node, configurations, !last);
        if !last {
            let configurations = (configurations * self.arities[node] as f64).min(MOST_CONFIGURATIONS);
            for next in 0..node {
                if let Some(users) = self.needed.intersect(users, next) {
                    self.visit(next, &users, configurations, watch);
                }
            }
            self.chosen.pop();
        }
    }

    /// Counts the chosen set with one node more, which stays chosen if wanted.
    fn take(&mut self, node: usize, configurations: f64, keep: bool) {
        let (column, arity) = (&*self.rows.columns[node], self.arities[node]);
        let cells = (configurations * arity as f64).min(MOST_CONFIGURATIONS);
        let weights = self.rows.weights();
        let groups = &self.groups[self.chosen.len()];
        if !keep && groups.groups() * arity <= 4 * self.rows.count {
            groups.tabulate(column, arity, weights, &mut self.counts);
            self.chosen.push(node);
        } else {
            self.refine(node);
            self.groups[self.chosen.len()].sizes(weights, &mut self.counts);
        }
        self.found.indices.push(self.subsets.index(self.chosen.iter().copied()));
        self.found.sums.push(self.score.joint(&self.counts, cells));
        for &arity in self.distinct {
            self.found.sums.push(self.score.parents(&self.counts, cells, arity));
        }
        if !keep {
            self.chosen.pop();
        }
    }

    /// Chooses a node.
    fn refine(&mut self, node: usize) {
        let depth = self.chosen.len();
        let (coarse, finer) = self.groups.split_at_mut(depth + 1);
        finer[0].refine(&coarse[depth], &self.rows.columns[node], self.arities[node], &mut self.map);
        self.chosen.push(node);
    }
}
