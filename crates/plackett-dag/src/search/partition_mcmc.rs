//! Partition MCMC (Kuipers and Moffa 2017): a Markov chain over ordered partitions of the nodes into layers. The layer of a node is the
//! length of the longest path that leads to it, so that every graph has one partition and counts once, where it counts once for each order
//! that it agrees with in a chain over orders. Given the layers, the nodes have their parents independently of each other: all of
//! them in the layers before, and at least one in the layer just before. So a partition's weight is a product of sums over
//! parent sets, and the probability of an edge given the partition is a ratio of sums.
//!
//! Moves of nodes alone would seldom turn around long chains of edges whose directions are open. So now and then a graph is drawn from the
//! partition, and edges of it are reversed, each with new parents for both of its ends (Grzegorczyk and Husmeier 2008).

use plackett::elementary::{exp, ln};
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use crate::parent_sets::{Before, ParentSums, Ways};
use crate::{Dag, NodeSet};

/// Which moves are made how often: exchanges of two nodes, of two in neighboring layers, layers split and joined, and graphs drawn with
/// edges reversed. The rest moves one node to a place drawn with its probability.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    pub(super) exchange: f64,
    pub(super) neighbors: f64,
    pub(super) split: f64,
    pub(super) reverse: f64,
}

impl Default for Shares {
    fn default() -> Self {
        Self { exchange: 0.15, neighbors: 0.15, split: 0.15, reverse: 0.01 }
    }
}

/// A partition under change, with the log-weight of every node.
pub(super) struct Chain<'a> {
    sums: &'a ParentSums,
    shares: Shares,
    rng: ChaCha8Rng,
    /// The nodes, layer by layer.
    order: Vec<usize>,
    /// Where each layer ends.
    ends: Vec<usize>,
    terms: Vec<f64>,
    before: Before,
    /// The order, the ends and the weights to go back to.
    old: (Vec<usize>, Vec<usize>, Vec<f64>),
    /// log k!
    log_factorials: Vec<f64>,
    ways: Vec<Ways>,
    /// Whether some nodes must be joined, in whichever direction.
    must_join: bool,
}

impl<'a> Chain<'a> {
    /// Starts from the partition of the first of some graphs that can be: one may have parents that no sum has, or lack what must be there.
    pub(super) fn new(
        sums: &'a ParentSums,
        starts: [&Dag; 2],
        shares: Shares,
        seed: u64,
        stream: u64,
    ) -> Self {
        let nodes = sums.nodes();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        let mut log_factorials = vec![0.0; nodes + 1];
        for k in 1..=nodes {
            log_factorials[k] = log_factorials[k - 1] + ln(k as f64);
        }
        let mut chain = Self {
            sums,
            shares,
            rng,
            order: Vec::with_capacity(nodes),
            ends: Vec::with_capacity(nodes),
            terms: vec![0.0; nodes],
            before: Before { all: vec![0.0; nodes], earlier: vec![0.0; nodes] },
            old: (Vec::new(), Vec::new(), Vec::new()),
            log_factorials,
            ways: vec![Ways::default(); nodes],
            must_join: sums.joins_some(),
        };
        for start in starts {
            let parents = |node: usize| start.parents(node).iter().copied().collect();
            chain.take_layers_of(&(0..nodes).map(parents).collect::<Vec<NodeSet>>());
            if chain.log_weight() > f64::NEG_INFINITY {
                break;
            }
        }
        chain
    }

    /// log of the probability of the partition and the data, up to a constant.
    pub(super) fn log_weight(&self) -> f64 {
        self.terms.iter().sum()
    }

    /// Makes one move, or not.
    pub(super) fn step(&mut self) {
        let nodes = self.order.len();
        if nodes < 2 {
            return;
        }
        let Shares { exchange, neighbors, split, reverse } = self.shares;
        let mut kind: f64 = self.rng.random();
        let mut is_next = |share: f64| {
            kind -= share;
            kind < 0.0
        };
        if is_next(exchange) {
            let (first, second) = (self.rng.random_range(0..nodes), self.rng.random_range(0..nodes));
            self.exchange(first.min(second), first.max(second));
        } else if is_next(neighbors) {
            self.exchange_neighbors();
        } else if is_next(split) {
            self.split_or_join();
        } else if is_next(reverse) {
            self.reverse_edges();
        } else {
            let rank = self.rng.random_range(0..nodes);
            self.relocate(rank);
        }
    }

    /// The probability of every edge given the partition, added to `sums`, row-major; squares to `squares`.
    pub(super) fn look(&mut self, row: &mut [f64], sums: &mut [f64], squares: &mut [f64]) {
        let nodes = self.order.len();
        self.for_each_layer(0, usize::MAX, |chain, layer, node| {
            let before = (layer > 0).then_some(&chain.before);
            chain.sums.shares(node, before, row);
            for (from, &share) in row.iter().enumerate() {
                sums[from * nodes + node] += share;
                squares[from * nodes + node] += share * share;
            }
        });
    }

    fn start(&self, layer: usize) -> usize {
        if layer == 0 { 0 } else { self.ends[layer - 1] }
    }

    fn layer_of(&self, rank: usize) -> usize {
        self.ends.partition_point(|&end| end <= rank)
    }

    /// Calls `visit` with the nodes of some layers, and `before` made up for each.
    fn for_each_layer(&mut self, first: usize, last: usize, mut visit: impl FnMut(&mut Self, usize, usize)) {
        self.before.all.fill(0.0);
        self.before.earlier.fill(0.0);
        let (start, previous) = (self.start(first), self.start(first.saturating_sub(1)));
        for rank in 0..start {
            self.before.all[self.order[rank]] = 1.0;
            self.before.earlier[self.order[rank]] = if rank < previous { 1.0 } else { 0.0 };
        }
        for layer in first..=last.min(self.ends.len() - 1) {
            let (start, end) = (self.start(layer), self.ends[layer]);
            for rank in start..end {
                visit(self, layer, self.order[rank]);
            }
            for rank in self.start(layer.saturating_sub(1))..start {
                self.before.earlier[self.order[rank]] = 1.0;
            }
            for rank in start..end {
                self.before.all[self.order[rank]] = 1.0;
            }
        }
    }

    /// Computes the weights of the nodes of some layers.
    fn refresh(&mut self, first: usize, last: usize) {
        self.for_each_layer(first, last, |chain, layer, node| {
            let before = (layer > 0).then_some(&chain.before);
            let clashes = chain.must_join && chain.clashes(node, layer);
            chain.terms[node] = if clashes { f64::NEG_INFINITY } else { chain.sums.log_term(node, before) };
        });
    }

    /// Whether a node must be joined to one of a layer.
    fn clashes(&self, node: usize, layer: usize) -> bool {
        self.order[self.start(layer)..self.ends[layer]].iter().any(|&other| self.sums.are_joined(node, other))
    }

    fn keep(&mut self) -> f64 {
        self.old.0.clone_from(&self.order);
        self.old.1.clone_from(&self.ends);
        self.old.2.clone_from(&self.terms);
        self.log_weight()
    }

    /// Metropolis–Hastings: goes back unless the partition is accepted, `log_ratio` being that of the proposals.
    fn accept(&mut self, old: f64, log_ratio: f64) {
        // Drawn whether needed or not, so that the same draws follow.
        let uniform: f64 = self.rng.random();
        if ln(uniform) >= self.log_weight() - old + log_ratio {
            self.go_back();
        }
    }

    fn go_back(&mut self) {
        std::mem::swap(&mut self.order, &mut self.old.0);
        std::mem::swap(&mut self.ends, &mut self.old.1);
        std::mem::swap(&mut self.terms, &mut self.old.2);
    }

    /// Exchanges two nodes of different layers, the first before the second.
    fn exchange(&mut self, first: usize, second: usize) {
        let (early, late) = (self.layer_of(first), self.layer_of(second));
        if early == late {
            return;
        }
        let old = self.keep();
        self.order.swap(first, second);
        self.refresh(early, late + 1);
        self.accept(old, 0.0);
    }

    fn exchange_neighbors(&mut self) {
        if self.ends.len() < 2 {
            return;
        }
        let layer = self.rng.random_range(0..self.ends.len() - 1);
        let first = self.rng.random_range(self.start(layer)..self.ends[layer]);
        let second = self.rng.random_range(self.ends[layer]..self.ends[layer + 1]);
        self.exchange(first, second);
    }

    /// log of the probability that a layer of so many nodes is split into these two, if it is one of so many that could be.
    fn log_split(&self, nodes: usize, first: usize, layers: usize) -> f64 {
        let log_ways =
            self.log_factorials[nodes] - self.log_factorials[first] - self.log_factorials[nodes - first];
        -ln(layers as f64) - ln((nodes - 1) as f64) - log_ways
    }

    /// Layers of more than one node.
    fn wide_layers(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.ends.len()).filter(|&layer| self.ends[layer] > self.start(layer) + 1)
    }

    /// Joins two neighboring layers, or splits one in two: its size into any two, and its nodes in any way into those.
    fn split_or_join(&mut self) {
        let layers = self.ends.len();
        if self.rng.random() {
            if layers < 2 {
                return;
            }
            let layer = self.rng.random_range(0..layers - 1);
            let old = self.keep();
            let (start, middle) = (self.start(layer), self.ends.remove(layer));
            let back = self.log_split(self.ends[layer] - start, middle - start, self.wide_layers().count());
            self.refresh(layer, layer + 1);
            self.accept(old, back + ln((layers - 1) as f64));
        } else {
            let wide = self.wide_layers().count();
            if wide == 0 {
                return;
            }
            let chosen = self.rng.random_range(0..wide);
            let layer = self.wide_layers().nth(chosen).unwrap_or_default();
            let old = self.keep();
            let (start, end) = (self.start(layer), self.ends[layer]);
            let size = self.rng.random_range(1..end - start);
            self.order[start..end].shuffle(&mut self.rng);
            self.ends.insert(layer, start + size);
            let there = self.log_split(end - start, size, wide);
            self.refresh(layer, layer + 2);
            self.accept(old, -ln(layers as f64) - there);
        }
    }

    /// Gibbs: takes a node out, and puts it into one of the layers or between two, each place with its probability.
    fn relocate(&mut self, rank: usize) {
        self.keep();
        let node = self.order.remove(rank);
        let layer = self.ends.partition_point(|&end| end <= rank);
        self.ends[layer..].iter_mut().for_each(|end| *end -= 1);
        if self.ends[layer] == self.start(layer) {
            self.ends.remove(layer);
        }
        let layers = self.ends.len();
        // The weights of whole layers where the node is not before, somewhere before, in the one just before, and that one itself.
        let mut totals = vec![Ways::default(); layers + 1];
        self.for_each_layer(0, usize::MAX, |chain, layer, other| {
            let ways = chain.sums.log_ways(other, node, (layer > 0).then_some(&chain.before));
            chain.ways[other] = ways;
            let total = &mut totals[layer];
            total.absent += ways.absent;
            total.earlier += ways.earlier;
            total.beside += ways.beside;
            total.alone += ways.alone;
        });
        // What the node itself is worth just after each layer: as one of the next layer, or between.
        let mut own = vec![self.sums.log_term(node, None)];
        self.before.all.fill(0.0);
        for layer in 0..layers {
            self.before.earlier.copy_from_slice(&self.before.all);
            for rank in self.start(layer)..self.ends[layer] {
                self.before.all[self.order[rank]] = 1.0;
            }
            own.push(self.sums.log_term(node, Some(&self.before)));
        }
        // Places 2k are between layers k − 1 and k, places 2k + 1 in layer k.
        let mut after: Vec<f64> = vec![0.0; layers + 2];
        for layer in (0..layers).rev() {
            after[layer] = after[layer + 1] + totals[layer].earlier;
        }
        let mut weights = Vec::with_capacity(2 * layers + 1);
        let mut absent = 0.0;
        for layer in 0..=layers {
            weights.push(own[layer] + absent + totals[layer].alone + after[layer + 1]);
            if layer < layers {
                absent += totals[layer].absent;
                let weight = own[layer] + absent + totals[layer + 1].beside + after[(layer + 2).min(layers)];
                let clashes = self.must_join && self.clashes(node, layer);
                weights.push(if clashes { f64::NEG_INFINITY } else { weight });
            }
        }
        let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            return self.go_back();
        }
        let total: f64 = weights.iter().map(|weight| exp(weight - most)).sum();
        let mut left = self.rng.random::<f64>() * total;
        let drawn = weights.iter().position(|weight| {
            left -= exp(weight - most);
            left < 0.0
        });
        let place =
            drawn.unwrap_or_else(|| weights.iter().position(|&weight| weight == most).unwrap_or_default());
        self.put(node, place, own[place / 2]);
    }

    /// Puts a node at a place of [`relocate`](Self::relocate).
    fn put(&mut self, node: usize, place: usize, own: f64) {
        let (layer, is_between) = (place / 2, place.is_multiple_of(2));
        for other_layer in 0..self.ends.len() {
            // The place as seen from there: how many layers before.
            let is_absent = other_layer < layer || !is_between && other_layer == layer;
            let is_next = other_layer == if is_between { layer } else { layer + 1 };
            for rank in self.start(other_layer)..self.ends[other_layer] {
                let other = self.order[rank];
                let ways = self.ways[other];
                self.terms[other] = match (is_absent, is_next) {
                    (true, _) => ways.absent,
                    (false, true) if is_between => ways.alone,
                    (false, true) => ways.beside,
                    (false, false) => ways.earlier,
                };
            }
        }
        self.terms[node] = own;
        let rank = self.start(layer);
        self.order.insert(rank, node);
        if is_between {
            self.ends.insert(layer, rank);
        }
        self.ends[layer..].iter_mut().for_each(|end| *end += 1);
    }

    /// Draws a graph from the partition, reverses edges of it, and takes the partition of what comes out. Not where nodes must be joined: what
    /// is reversed could leave no parents for its ends to choose from.
    fn reverse_edges(&mut self) {
        if self.must_join {
            return;
        }
        let nodes = self.order.len();
        let (mut all, mut previous) = (NodeSet::with_capacity(nodes), NodeSet::with_capacity(nodes));
        let mut parents = vec![NodeSet::with_capacity(nodes); nodes];
        for layer in 0..self.ends.len() {
            let (start, end) = (self.start(layer), self.ends[layer]);
            for rank in start..end {
                let (node, uniform) = (self.order[rank], self.rng.random());
                if let Some((drawn, _)) = self.sums.draw(node, &all, &previous, uniform) {
                    parents[node] = drawn;
                }
            }
            previous.clear();
            for rank in start..end {
                previous.insert(self.order[rank]);
                all.insert(self.order[rank]);
            }
        }
        for _ in 0..nodes.div_ceil(2) {
            self.reverse_edge(&mut parents);
        }
        self.take_layers_of(&parents);
    }

    /// Reverses one edge, with new parents for both of its ends.
    fn reverse_edge(&mut self, parents: &mut [NodeSet]) {
        let nodes = parents.len();
        let edges: usize = parents.iter().map(NodeSet::len).sum();
        if edges == 0 {
            return;
        }
        let chosen = self.rng.random_range(0..edges);
        let mut listed =
            parents.iter().enumerate().flat_map(|(to, set)| set.iter().map(move |from| (from, to)));
        let Some((from, to)) = listed.nth(chosen) else { return };
        let (old_from, old_to) = (std::mem::take(&mut parents[from]), std::mem::take(&mut parents[to]));
        let free = |parents: &[NodeSet], node: usize| {
            let below = descendants(parents, node);
            (0..nodes).filter(|&other| !below.contains(other)).collect::<NodeSet>()
        };
        let only = |node: usize| NodeSet::from_iter([node]);
        let restore = |parents: &mut [NodeSet]| {
            parents[from].clone_from(&old_from);
            parents[to].clone_from(&old_to);
        };
        let (uniforms, chance): ([f64; 2], f64) = ([self.rng.random(), self.rng.random()], self.rng.random());
        // There: parents of `from` with `to` among them, then any of `to`. Back: the same with the two exchanged.
        let there = self.sums.draw(from, &free(parents, from), &only(to), uniforms[0]);
        let log_back = self.sums.log_total(to, &free(parents, to), &only(from));
        let Some((new_from, log_there)) = there.filter(|_| log_back > f64::NEG_INFINITY) else {
            return restore(parents);
        };
        parents[to].clone_from(&old_to);
        let old_rest = self.sums.log_total(from, &free(parents, from), &NodeSet::default());
        parents[to] = NodeSet::default();
        parents[from] = new_from;
        let new_rest = self.sums.draw(to, &free(parents, to), &NodeSet::default(), uniforms[1]);
        let Some((new_to, new_rest)) = new_rest else { return restore(parents) };
        parents[to] = new_to;
        let new_edges: usize = parents.iter().map(NodeSet::len).sum();
        let log_ratio = log_there + new_rest - log_back - old_rest + ln(edges as f64 / new_edges as f64);
        if ln(chance) >= log_ratio {
            restore(parents);
        }
    }

    fn take_layers_of(&mut self, parents: &[NodeSet]) {
        let nodes = parents.len();
        self.order.clear();
        self.ends.clear();
        let mut placed = NodeSet::with_capacity(nodes);
        while self.order.len() < nodes {
            let start = self.order.len();
            let is_ready = |&node: &usize| !placed.contains(node) && parents[node].is_subset(&placed);
            self.order.extend((0..nodes).filter(is_ready));
            self.order[start..].iter().for_each(|&node| placed.insert(node));
            debug_assert!(self.order.len() > start, "parents are those of a graph without cycles");
            self.ends.push(self.order.len());
        }
        self.refresh(0, usize::MAX);
    }
}

/// A node and all that paths lead to from it.
fn descendants(parents: &[NodeSet], node: usize) -> NodeSet {
    let mut found = NodeSet::with_capacity(parents.len());
    found.insert(node);
    loop {
        let size = found.len();
        for (other, set) in parents.iter().enumerate() {
            if !found.contains(other)
                && set.words().iter().zip(found.words()).any(|(set, found)| set & found != 0)
            {
                found.insert(other);
            }
        }
        if found.len() == size {
            return found;
        }
    }
}
