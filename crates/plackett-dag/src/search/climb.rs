//! A climb over graphs of categories: add, take away or turn one edge, whichever betters the score most, and past an optimum a few steps
//! on among graphs not seen before (tabu search). It knows no candidates: what it joins are those that a search over orders
//! begins with, and it finds the edges that such a search, kept to its candidates, cannot.

use std::collections::{HashMap, HashSet, VecDeque};

use plackett::run::Run;

use crate::counts::{FamilyCounts, Partition};
use crate::score::{CountScore, FamilyScore, MOST_CONFIGURATIONS};
use crate::{Bounds, Categories, NodeSet, parallel};

/// Up to so many nodes every other one may become a parent; beyond, those that say most about a node on their own, so many of them, and
/// those that say most given other parents.
const ALL_NEAR: usize = 128;
const NEAR: usize = 48;

/// These are so many for each of the sets that a node grows in turn, disjoint, so many of them, on so many rows at most; and so many for the
/// parents that it comes to have.
const NEAR_GIVEN: usize = 24;
const LAYERS: usize = 3;
const ROWS_TO_LOOK: usize = 1000;
const NEAR_NOW: usize = 4;

/// Steps past an optimum that lead nowhere better before the climb is over.
const PATIENCE: usize = 15;

/// A gain below this is rounding.
pub(super) const GAIN: f64 = 1e-7;

/// A graph under change, with what every change of one edge would cost.
pub(super) struct Climb<'a> {
    data: &'a Categories,
    score: &'a dyn FamilyScore,
    bounds: &'a Bounds,
    most_parents: usize,
    counted: Box<dyn CountScore>,
    /// For nodes that were set from outside in some rows: how often the rows count, and the score of so many.
    own: Vec<Option<OwnRows>>,
    /// The nodes that may become parents of each, ascending.
    near: Vec<Vec<usize>>,
    now: Graph,
    /// The parents that must be there.
    first: Vec<Vec<usize>>,
}

/// What a node costs with some parents, and with each of those near taken in or out.
type Rows = HashMap<Vec<usize>, (f64, Vec<f64>)>;

#[derive(Clone, Default)]
struct Graph {
    parents: Vec<Vec<usize>>,
    costs: Vec<f64>,
    /// What a node costs with each of those near taken in, or out if it is a parent.
    toggled: Vec<Vec<f64>>,
}

impl Graph {
    fn cost(&self) -> f64 {
        self.costs.iter().sum()
    }
}

/// How often each row counts for a node, and the score of so many.
type OwnRows = (Vec<u32>, Box<dyn CountScore>);

/// One edge more, or less, or turned round.
#[derive(Clone, Copy)]
enum Move {
    Toggle { from: usize, to: usize },
    Turn { from: usize, to: usize },
}

/// Room to count in.
#[derive(Default)]
struct Room {
    groups: Partition,
    finer: Partition,
    counts: FamilyCounts,
    map: Vec<u32>,
}

impl<'a> Climb<'a> {
    /// Begins with the edges that must be there. Nothing if the run is over before every edge is known by itself. O(rows · d²).
    pub(super) fn new(
        data: &'a Categories,
        score: &'a dyn FamilyScore,
        bounds: &'a Bounds,
        most_parents: usize,
        run: &Run<'_>,
    ) -> Option<Self> {
        let nodes = data.columns();
        let own = |node: usize| {
            let counts = data.kept_counts(node)?;
            let total = counts.iter().map(|&count| count as usize).sum();
            Some((counts, score.on_rows(total)))
        };
        let least = bounds.least();
        let mut climb = Self {
            data,
            score,
            bounds,
            most_parents,
            counted: score.on_rows(data.total()),
            own: (0..nodes).map(own).collect(),
            near: everyone(nodes),
            now: Graph::default(),
            first: (0..nodes).map(|node| least.parents(node).to_vec()).collect(),
        };
        run.begin("edges one by one", Some(nodes as u64));
        climb.place(climb.first.clone(), run)?;
        if nodes > ALL_NEAR {
            let given = climb.near_given(run)?;
            climb.keep_near(given);
        }
        Some(climb)
    }

    /// By node those that say most about it where others are its parents already, as a part of the rows tells. Some say nothing on their
    /// own: which of two parents a node takes after, say.
    fn near_given(&self, run: &Run<'_>) -> Option<Vec<NodeSet>> {
        let part = self.data.part(usize::MAX, ROWS_TO_LOOK);
        let (look, nodes) = (self.on(&part), self.nodes());
        parallel::map(&nodes, |&node| {
            let (mut rows, mut barred) = (Rows::new(), NodeSet::default());
            for _ in 0..LAYERS {
                let parents = look.grow(node, &barred, &mut rows, run)?;
                parents.into_iter().for_each(|parent| barred.insert(parent));
            }
            let strongest = |toggled: &[f64]| ranked(&look.near[node], toggled).into_iter().take(NEAR_GIVEN);
            Some(rows.values().flat_map(|(_, toggled)| strongest(toggled)).collect())
        })
    }

    /// Brings near what would better a node with the parents that it has, as a part of the rows tells. Nothing if the run is over before.
    pub(super) fn look_around(&mut self, run: &Run<'_>) -> Option<()> {
        let nodes = self.nodes();
        if nodes.len() <= ALL_NEAR {
            return Some(());
        }
        let part = self.data.part(usize::MAX, ROWS_TO_LOOK);
        let look = self.on(&part);
        let found: Option<Vec<Vec<usize>>> = parallel::map(&nodes, |&node| {
            let (cost, toggled) = look.row(node, &self.now.parents[node], run)?;
            let is_better = |&other: &usize| {
                let at = look.near[node].binary_search(&other);
                at.is_ok_and(|at| toggled[at] < cost - GAIN)
            };
            let ranked = ranked(&look.near[node], &toggled).into_iter();
            Some(ranked.take_while(is_better).take(NEAR_NOW).collect())
        });
        let before: Vec<usize> = self.near.iter().map(Vec::len).collect();
        for (node, others) in found?.into_iter().enumerate() {
            others.into_iter().for_each(|other| self.join_near(node, other));
        }
        let changed: Vec<usize> =
            nodes.into_iter().filter(|&node| self.near[node].len() > before[node]).collect();
        self.fill(&changed, self.now.parents.clone(), run)
    }

    fn nodes(&self) -> Vec<usize> {
        (0..self.data.columns()).collect()
    }

    /// The same on other rows, with all nodes near each other and no graph.
    fn on<'b>(&'b self, rows: &'b Categories) -> Climb<'b> {
        Climb {
            data: rows,
            counted: self.score.on_rows(rows.total()),
            own: (0..rows.columns()).map(|_| None).collect(),
            near: everyone(rows.columns()),
            now: Graph::default(),
            first: self.first.clone(),
            ..*self
        }
    }

    /// Leaves those that say most about a node, and those about which it says most, and some more.
    fn keep_near(&mut self, mut near: Vec<NodeSet>) {
        for (node, parents) in self.now.parents.iter().enumerate() {
            for &parent in parents {
                near[node].insert(parent);
                near[parent].insert(node);
            }
        }
        for node in 0..near.len() {
            for other in &near[node].clone() {
                near[other].insert(node);
            }
        }
        for node in 0..near.len() {
            for other in ranked(&self.near[node], &self.now.toggled[node]).into_iter().take(NEAR) {
                near[node].insert(other);
                near[other].insert(node);
            }
        }
        for (node, kept) in near.iter().enumerate() {
            let is_kept: Vec<bool> = self.near[node].iter().map(|&other| kept.contains(other)).collect();
            let mut is_next = is_kept.iter();
            self.now.toggled[node].retain(|_| *is_next.next().unwrap_or(&false));
            let mut is_next = is_kept.iter();
            self.near[node].retain(|_| *is_next.next().unwrap_or(&false));
        }
    }

    /// Takes another graph; nothing if the run is over before its changes are known.
    pub(super) fn place(&mut self, parents: Vec<Vec<usize>>, run: &Run<'_>) -> Option<()> {
        let changed: Vec<usize> = (0..parents.len())
            .filter(|&node| self.now.parents.get(node).is_none_or(|old| *old != parents[node]))
            .collect();
        // A parent from elsewhere comes near.
        for &node in &changed {
            parents[node].iter().for_each(|&parent| self.join_near(node, parent));
        }
        self.fill(&changed, parents, run)
    }

    /// Brings two nodes near each other. What that would cost is not known yet.
    fn join_near(&mut self, one: usize, other: usize) {
        for (node, other) in [(one, other), (other, one)] {
            if let Err(at) = self.near[node].binary_search(&other) {
                self.near[node].insert(at, other);
                if let Some(toggled) = self.now.toggled.get_mut(node) {
                    toggled.insert(at, f64::INFINITY);
                }
            }
        }
    }

    /// Takes the graph, of whose changes those of some nodes are to be made known first.
    fn fill(&mut self, changed: &[usize], parents: Vec<Vec<usize>>, run: &Run<'_>) -> Option<()> {
        let found: Option<Vec<(f64, Vec<f64>)>> = parallel::map(changed, |&node| {
            let row = self.row(node, &parents[node], run)?;
            run.advance(1);
            Some(row)
        });
        let nodes = parents.len();
        self.now.costs.resize(nodes, 0.0);
        self.now.toggled.resize(nodes, Vec::new());
        for (&node, (cost, toggled)) in changed.iter().zip(found?) {
            self.now.costs[node] = cost;
            self.now.toggled[node] = toggled;
        }
        self.now.parents = parents;
        Some(())
    }

    /// The cost of the graph.
    pub(super) fn cost(&self) -> f64 {
        self.now.cost()
    }

    /// The parents of every node, ascending.
    pub(super) fn parents(&self) -> &[Vec<usize>] {
        &self.now.parents
    }

    /// How many others may become parents, all nodes together.
    pub(super) fn near_count(&self) -> usize {
        self.near.iter().map(Vec::len).sum()
    }

    /// What a node costs.
    pub(super) fn cost_of(&self, node: usize) -> f64 {
        self.now.costs[node]
    }

    /// The others by what a node would lose by taking them in, or out: the strongest first, parents before all.
    pub(super) fn ranked(&self, node: usize) -> Vec<(f64, usize)> {
        let is_parent = |other: &usize| self.now.parents[node].binary_search(other).is_ok();
        let change = |(at, other): (usize, &usize)| {
            let change = self.now.toggled[node][at] - self.now.costs[node];
            (if is_parent(other) { -change.abs() - f64::MAX / 2.0 } else { change }, *other)
        };
        let mut ranked: Vec<(f64, usize)> = self.near[node].iter().enumerate().map(change).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        ranked
    }

    /// The nodes that have as many parents as they may, and that one more would better.
    pub(super) fn bound(&self) -> Vec<usize> {
        let Graph { parents, costs, toggled } = &self.now;
        let ancestors = ancestors(parents);
        let is_better = |node: usize, at: usize, other: usize| {
            let is_parent = parents[node].binary_search(&other).is_ok();
            !is_parent && !ancestors[other].contains(node) && toggled[node][at] < costs[node] - GAIN
        };
        let is_bound = |&node: &usize| {
            let mut near = self.near[node].iter().enumerate();
            parents[node].len() >= self.most_parents && near.any(|(at, &other)| is_better(node, at, other))
        };
        (0..parents.len()).filter(is_bound).collect()
    }

    /// Good families of a node whatever the others' are, and their costs: what it comes to by taking parents in and out one by one, what
    /// it comes to without all of these, then without each; and all sets on the way. So there is something good under most orders.
    /// Nothing if the run is over before.
    pub(super) fn families(
        &self,
        node: usize,
        growths: usize,
        run: &Run<'_>,
    ) -> Option<Vec<(Vec<usize>, f64)>> {
        let mut rows = Rows::new();
        let mut barred = VecDeque::from([NodeSet::default()]);
        let mut tried = HashSet::new();
        while let Some(without) = barred.pop_front() {
            if tried.len() == growths {
                break;
            }
            if tried.insert(without.clone()) {
                let parents = self.grow(node, &without, &mut rows, run)?;
                let bar = |some: &[usize]| -> NodeSet { some.iter().copied().chain(&without).collect() };
                if !parents.is_empty() {
                    barred.push_front(bar(&parents));
                }
                barred.extend(parents.chunks(1).map(bar));
            }
        }
        let costs = rows.into_iter().map(|(parents, (cost, _))| (parents, cost));
        let mut families: Vec<(Vec<usize>, f64)> = costs.collect();
        families.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
        Some(families)
    }

    /// What a node comes to by taking parents in and out one by one, those barred excepted, with its cost.
    pub(super) fn family(&self, node: usize, barred: &NodeSet, run: &Run<'_>) -> Option<(Vec<usize>, f64)> {
        let mut rows = Rows::new();
        let parents = self.grow(node, barred, &mut rows, run)?;
        let cost = rows[&parents].0;
        Some((parents, cost))
    }

    fn grow(&self, node: usize, barred: &NodeSet, rows: &mut Rows, run: &Run<'_>) -> Option<Vec<usize>> {
        let mut parents = self.first[node].clone();
        loop {
            if !rows.contains_key(&parents) {
                rows.insert(parents.clone(), self.row(node, &parents, run)?);
            }
            let (cost, toggled) = &rows[&parents];
            let is_open = |other: usize| match parents.binary_search(&other) {
                Ok(_) => !self.bounds.joins(other, node),
                Err(_) => parents.len() < self.most_parents && !barred.contains(other),
            };
            let open = self.near[node].iter().zip(toggled).filter(|(other, _)| is_open(**other));
            match open.min_by(|a, b| a.1.total_cmp(b.1)) {
                Some((&other, &next)) if next < cost - GAIN => toggle(&mut parents, other),
                _ => return Some(parents),
            }
        }
    }

    /// Climbs to the best graph within reach. Cut short, it has the best so far.
    pub(super) fn run(&mut self, run: &Run<'_>) {
        let mut best = None::<Graph>;
        let mut least = self.now.cost();
        let mut seen = HashSet::from([self.hash()]);
        let mut vain = 0;
        while !run.is_over() {
            let Some((change, step)) = self.best_move(&seen) else { break };
            let is_worse = self.now.cost() + change >= least - GAIN;
            if is_worse {
                if vain == PATIENCE {
                    break;
                }
                vain += 1;
                best.get_or_insert_with(|| self.now.clone());
            }
            if self.apply(step, run).is_none() {
                break;
            }
            seen.insert(self.hash());
            if !is_worse {
                (least, vain, best) = (self.now.cost(), 0, None);
                run.show(least, || Some(self.now.parents.clone()));
            }
        }
        if let Some(best) = best {
            self.now = best;
        }
    }

    fn best_move(&self, seen: &HashSet<u64>) -> Option<(f64, Move)> {
        let Graph { parents, costs, toggled } = &self.now;
        let ancestors = ancestors(parents);
        let hash = self.hash();
        let mut best: Option<(f64, Move)> = None;
        let mut take = |change: f64, step: Move, next: u64, is_possible: &dyn Fn() -> bool| {
            if best.is_none_or(|best| change < best.0) && !seen.contains(&next) && is_possible() {
                best = Some((change, step));
            }
        };
        for to in 0..parents.len() {
            for (at, &from) in self.near[to].iter().enumerate() {
                let change = toggled[to][at] - costs[to];
                if parents[to].binary_search(&from).is_err() {
                    let is_possible = || !ancestors[from].contains(to);
                    if change < f64::INFINITY && parents[to].len() < self.most_parents {
                        take(change, Move::Toggle { from, to }, hash ^ edge(from, to), &is_possible);
                    }
                    continue;
                }
                let is_free = !self.bounds.joins(from, to);
                take(change, Move::Toggle { from, to }, hash ^ edge(from, to), &|| is_free);
                // Where one is near the other is.
                let Ok(back) = self.near[from].binary_search(&to) else { continue };
                let change = change + toggled[from][back] - costs[from];
                let is_possible = || {
                    let leads = |&other: &usize| other != from && ancestors[other].contains(from);
                    self.bounds.permits(to, from) && !parents[to].iter().any(leads)
                };
                if change < f64::INFINITY && parents[from].len() < self.most_parents {
                    let next = hash ^ edge(from, to) ^ edge(to, from);
                    take(change, Move::Turn { from, to }, next, &is_possible);
                }
            }
        }
        best
    }

    fn apply(&mut self, step: Move, run: &Run<'_>) -> Option<()> {
        let mut parents = self.now.parents.clone();
        match step {
            Move::Toggle { from, to } => toggle(&mut parents[to], from),
            Move::Turn { from, to } => {
                toggle(&mut parents[to], from);
                toggle(&mut parents[from], to);
            }
        }
        self.place(parents, run)
    }

    fn hash(&self) -> u64 {
        let parents = self.now.parents.iter().enumerate();
        parents
            .flat_map(|(to, set)| set.iter().map(move |&from| edge(from, to)))
            .fold(0, |hash, edge| hash ^ edge)
    }

    /// What a node costs with these parents, and with each of those near taken in or out. O(rows) for each.
    fn row(&self, node: usize, parents: &[usize], run: &Run<'_>) -> Option<(f64, Vec<f64>)> {
        let data = self.data;
        let (weights, score) = match &self.own[node] {
            Some((counts, score)) => (Some(&counts[..]), &**score),
            None => (data.counts(), &*self.counted),
        };
        let target = (data.column(node), data.arity(node));
        let group = |room: &mut Room, members: &mut dyn Iterator<Item = usize>| {
            room.groups.start(data.row_count());
            members.fold(1.0, |cells: f64, member| {
                room.finer.refine(&room.groups, data.column(member), data.arity(member), &mut room.map);
                std::mem::swap(&mut room.groups, &mut room.finer);
                (cells * data.arity(member) as f64).min(MOST_CONFIGURATIONS)
            })
        };
        let mut whole = Room::default();
        let cells = group(&mut whole, &mut parents.iter().copied());
        whole.counts.count(&whole.groups, target.0, target.1, weights);
        let cost = whole.counts.cost(score, cells, target.1) + self.score.price(parents.len());
        let groups = &whole.groups;
        let toggle = |room: &mut Room, &other: &usize| {
            if run.is_over() {
                return None;
            }
            if parents.contains(&other) {
                let cells = group(room, &mut parents.iter().copied().filter(|&parent| parent != other));
                room.counts.count(&room.groups, target.0, target.1, weights);
                return Some(room.counts.cost(score, cells, target.1) + self.score.price(parents.len() - 1));
            }
            if !self.bounds.permits(other, node) {
                return Some(f64::INFINITY);
            }
            let parent = (data.column(other), data.arity(other));
            room.counts.count_with(groups, parent, target, weights);
            let cells = (cells * parent.1 as f64).min(MOST_CONFIGURATIONS);
            Some(room.counts.cost(score, cells, target.1) + self.score.price(parents.len() + 1))
        };
        let toggled: Option<Vec<f64>> = parallel::map_with(&self.near[node], Room::default, toggle);
        Some((cost, toggled?))
    }
}

/// What the graph costs that a climb without bounds ends with, and the parents of every node in it; those so far if the run is over
/// before, and nothing if it is before any were looked at.
pub(crate) fn climbed(
    data: &Categories,
    score: &dyn FamilyScore,
    run: &Run<'_>,
) -> Option<(f64, Vec<Vec<usize>>)> {
    let bounds = Bounds::free(data.columns());
    let mut climb = Climb::new(data, score, &bounds, usize::MAX, run)?;
    climb.run(run);
    Some((climb.cost(), climb.parents().to_vec()))
}

/// For each of so many nodes all others.
fn everyone(nodes: usize) -> Vec<Vec<usize>> {
    (0..nodes).map(|node| (0..nodes).filter(|&other| other != node).collect()).collect()
}

/// Nodes by what another costs with them, the least first.
fn ranked(nodes: &[usize], costs: &[f64]) -> Vec<usize> {
    let mut ranked: Vec<(f64, usize)> = costs.iter().copied().zip(nodes.iter().copied()).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().map(|(_, node)| node).collect()
}

/// Takes a node into a set in ascending order, or out of it.
fn toggle(set: &mut Vec<usize>, node: usize) {
    match set.binary_search(&node) {
        Ok(at) => drop(set.remove(at)),
        Err(at) => set.insert(at, node),
    }
}

/// Bits that stand for an edge: those of a graph are their exclusive or.
fn edge(from: usize, to: usize) -> u64 {
    // SplitMix64's finalizer, a bijection with well-mixed bits.
    let mut bits = ((from as u64) << 32 | to as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// The ancestors of every node. O(edges · d / 64).
pub(super) fn ancestors(parents: &[Vec<usize>]) -> Vec<NodeSet> {
    fn visit(node: usize, parents: &[Vec<usize>], known: &mut [Option<NodeSet>]) {
        // Depth first without recursion: graphs may be chains of a thousand nodes.
        let mut stack = vec![node];
        while let Some(&top) = stack.last() {
            if known[top].is_some() {
                stack.pop();
                continue;
            }
            let open = parents[top].iter().copied().filter(|&parent| known[parent].is_none());
            let before = stack.len();
            stack.extend(open);
            if stack.len() == before {
                let mut set = NodeSet::with_capacity(parents.len());
                for &parent in &parents[top] {
                    set.insert(parent);
                    if let Some(theirs) = &known[parent] {
                        for (word, more) in set.words_mut().iter_mut().zip(theirs.words()) {
                            *word |= more;
                        }
                    }
                }
                known[top] = Some(set);
                stack.pop();
            }
        }
    }
    let mut known = vec![None; parents.len()];
    (0..parents.len()).for_each(|node| visit(node, parents, &mut known));
    known.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plackett::run::Limits;

    use super::*;
    use crate::{
        BayesNet, Dag,
        score::{Priced, Qnml, graph_cost},
    };

    /// All graphs that differ in one edge.
    fn beside(dag: &Dag) -> Vec<Dag> {
        let nodes = dag.nodes();
        let edges: Vec<(usize, usize)> = dag.edges().map(|(from, to, _)| (from, to)).collect();
        let mut found = Vec::new();
        for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
            let others = || edges.iter().copied().filter(|&edge| edge != (from, to));
            let is_there = edges.contains(&(from, to));
            let mut changed =
                vec![if is_there { others().collect() } else { others().chain([(from, to)]).collect() }];
            if is_there {
                changed.push(others().chain([(to, from)]).collect::<Vec<_>>());
            }
            found.extend(changed.into_iter().filter_map(|edges| {
                Dag::from_edges(nodes, edges.into_iter().map(|(a, b)| (a, b, 1.0))).ok()
            }));
        }
        found
    }

    #[test]
    fn it_ends_where_no_change_of_one_edge_is_better() {
        for (name, seed) in [("asia", 1), ("survey", 2), ("cancer", 3)] {
            let data = BayesNet::embedded(name).unwrap().sample(1000, seed, BayesNet::TRAINING).unwrap();
            let score = Priced::new(Box::new(Qnml), data.columns(), 1.0);
            let bounds = Bounds::free(data.columns());
            let mut climb = Climb::new(&data, &score, &bounds, usize::MAX, &Run::default()).unwrap();
            climb.run(&Run::default());
            let dag = Dag::from_parents(climb.parents().to_vec()).unwrap();
            let cost = graph_cost(&data, &score, &dag).unwrap();
            assert!((cost - climb.cost()).abs() < 1e-7, "{cost} {}", climb.cost());
            assert!(dag.edge_count() > 0);
            for other in beside(&dag) {
                assert!(graph_cost(&data, &score, &other).unwrap() > cost - 1e-6, "{name}");
            }
        }
    }

    #[test]
    fn it_keeps_the_bounds_and_the_most_parents() {
        let data = BayesNet::embedded("asia").unwrap().sample(2000, 1, BayesNet::TRAINING).unwrap();
        let bounds = Bounds::new(8, &[(3, 5), (5, 3)], &[(0, 7)], &[]).unwrap();
        let mut climb = Climb::new(&data, &Qnml, &bounds, 1, &Run::default()).unwrap();
        climb.run(&Run::default());
        let dag = Dag::from_parents(climb.parents().to_vec()).unwrap();
        assert!(bounds.hold(&dag) && (0..8).all(|node| dag.parents(node).len() <= 1));
        let over = Run::new(Limits::time(Duration::ZERO));
        assert!(Climb::new(&data, &Qnml, &bounds, 1, &over).is_none());
    }
}
