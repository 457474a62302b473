//! What is known of a graph before the data are looked at, node by node: which parents a node may have, which it must have, and
//! which nodes stand before others in every order. Orders are searched within them, so that what comes out keeps them.
//!
//! An order that puts causes first can be asked for more than the required edges say, at no loss: where the permitted edges
//! lead from a to b, directly or not, and not back, no graph has b before a for a reason, and a goes first. That is how tiers
//! become orders.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use plackett::{ConstrainedPlackettLuce, Constraints, Order, PlackettLuce};
use rand::Rng;

use crate::{Cpdag, Dag, Error, NodeSet, Result};

/// The edges that a graph may have and those that it must have. Cheap to clone.
///
/// ```
/// use plackett_dag::Bounds;
/// // 0 → 1 must be there, and nothing may lead into 0 from 2.
/// let bounds = Bounds::new(3, &[(2, 0)], &[(0, 1)], &[])?;
/// assert!(bounds.permits(0, 2) && !bounds.permits(2, 0) && !bounds.permits(1, 0));
/// assert_eq!(bounds.arrange(&[1, 0, 2]), [0, 1, 2]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    nodes: usize,
    /// Nothing if everything is permitted and nothing required.
    known: Option<Arc<Known>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    /// The parents that each node may have.
    permitted: Vec<NodeSet>,
    /// The parents that each node must have.
    required: Vec<NodeSet>,
    /// The nodes that each node must be joined to, one way or the other: of the two, the first in the order is the parent.
    joined: Vec<NodeSet>,
    /// The nodes before each node in every order, and those after it.
    before: Vec<NodeSet>,
    after: Vec<NodeSet>,
}

impl Bounds {
    /// Nothing is known: any edge may be there, and none must.
    ///
    /// ```
    /// assert!(plackett_dag::Bounds::free(3).permits(2, 0));
    /// ```
    pub fn free(nodes: usize) -> Self {
        Self { nodes, known: None }
    }

    /// Edges that must not be there, edges that must, and pairs that must be joined by an edge in one direction or the other.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`]; [`Error::Cycle`] if the required edges go round in a circle; [`Error::Misfit`] for an edge that is
    /// both required and forbidden.
    ///
    /// ```
    /// use plackett_dag::{Bounds, Error};
    /// assert!(matches!(Bounds::new(2, &[], &[(0, 1), (1, 0)], &[]), Err(Error::Cycle { .. })));
    /// assert!(matches!(Bounds::new(2, &[(0, 1)], &[(0, 1)], &[]), Err(Error::Misfit { .. })));
    /// // Joined, and not from 0: so from 1.
    /// assert!(Bounds::new(2, &[(0, 1)], &[], &[(0, 1)])?.requires(1, 0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(
        nodes: usize,
        forbidden: &[(usize, usize)],
        required: &[(usize, usize)],
        joined: &[(usize, usize)],
    ) -> Result<Self> {
        let pairs = || forbidden.iter().chain(required).chain(joined);
        if let Some(node) = pairs().flat_map(|&(a, b)| [a, b]).find(|&node| node >= nodes) {
            return Err(Error::NoSuchNode { node, nodes });
        }
        if pairs().next().is_none() {
            return Ok(Self::free(nodes));
        }
        let none = vec![NodeSet::with_capacity(nodes); nodes];
        let mut known = Known {
            permitted: vec![NodeSet::full(nodes); nodes],
            required: none.clone(),
            joined: none.clone(),
            before: none.clone(),
            after: none,
        };
        (0..nodes).for_each(|node| known.permitted[node].remove(node));
        for &(from, to) in forbidden {
            known.permitted[to].remove(from);
        }
        for &(from, to) in required {
            known.require(from, to)?;
        }
        for &(a, b) in joined {
            match (known.permitted[b].contains(a), known.permitted[a].contains(b)) {
                (true, true) => {
                    known.joined[a].insert(b);
                    known.joined[b].insert(a);
                }
                (true, false) => known.require(a, b)?,
                _ => known.require(b, a)?,
            }
        }
        known.find_order()?;
        Ok(Self { nodes, known: Some(Arc::new(known)) })
    }

    /// The number of nodes.
    ///
    /// ```
    /// assert_eq!(plackett_dag::Bounds::free(3).nodes(), 3);
    /// ```
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Whether nothing is known.
    ///
    /// ```
    /// assert!(plackett_dag::Bounds::free(3).is_free());
    /// ```
    pub fn is_free(&self) -> bool {
        self.known.is_none()
    }

    /// Whether there may be an edge `from` → `to`.
    ///
    /// ```
    /// assert!(!plackett_dag::Bounds::new(2, &[(0, 1)], &[], &[])?.permits(0, 1));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn permits(&self, from: usize, to: usize) -> bool {
        from != to && self.known.as_ref().is_none_or(|known| known.permitted[to].contains(from))
    }

    /// Whether there must be an edge `from` → `to`.
    ///
    /// ```
    /// assert!(plackett_dag::Bounds::new(2, &[], &[(0, 1)], &[])?.requires(0, 1));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn requires(&self, from: usize, to: usize) -> bool {
        self.known.as_ref().is_some_and(|known| known.required[to].contains(from))
    }

    /// Whether the two must be joined, in whichever direction.
    ///
    /// ```
    /// assert!(plackett_dag::Bounds::new(2, &[], &[], &[(0, 1)])?.joins(1, 0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn joins(&self, a: usize, b: usize) -> bool {
        self.known.as_ref().is_some_and(|known| {
            known.joined[a].contains(b) || known.required[a].contains(b) || known.required[b].contains(a)
        })
    }

    /// Whether a graph keeps all of it.
    ///
    /// ```
    /// use plackett_dag::{Bounds, Dag};
    /// let bounds = Bounds::new(2, &[], &[(0, 1)], &[])?;
    /// assert!(bounds.hold(&Dag::from_parents(vec![vec![], vec![0]])?) && !bounds.hold(&Dag::empty(2)));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn hold(&self, dag: &Dag) -> bool {
        let Some(known) = &self.known else { return true };
        dag.nodes() == self.nodes
            && dag.edges().all(|(from, to, _)| known.permitted[to].contains(from))
            && (0..self.nodes).all(|node| {
                known.required[node].iter().all(|from| dag.has_edge(from, node))
                    && known.joined[node]
                        .iter()
                        .all(|other| dag.has_edge(other, node) || dag.has_edge(node, other))
            })
    }

    /// The edges that must be there in an order that is allowed.
    pub(crate) fn required_in(&self, order: &[usize]) -> Vec<(usize, usize)> {
        let mut before = NodeSet::with_capacity(self.nodes);
        let (mut required, mut edges) = (before.clone(), Vec::new());
        for &node in order {
            self.required_of(node, &before, &mut required);
            edges.extend(required.iter().map(|parent| (parent, node)));
            before.insert(node);
        }
        edges
    }

    /// The graph of the edges that must be there and no others.
    pub(crate) fn least(&self) -> Dag {
        let order = self.arrange(&(0..self.nodes).collect::<Vec<_>>());
        let edges = self.required_in(&order).into_iter().map(|(from, to)| (from, to, 1.0));
        let Ok(dag) = Dag::from_edges(self.nodes, edges) else { unreachable!("they follow an order") };
        dag
    }

    /// Puts a node into an allowed order of others, as late as that can be.
    pub(crate) fn insert(&self, node: usize, order: &mut Vec<usize>) {
        let after = self.known.as_ref().map(|known| &known.after[node]);
        let place = order.iter().position(|&other| after.is_some_and(|after| after.contains(other)));
        order.insert(place.unwrap_or(order.len()), node);
    }

    /// The maximally oriented graph: what the graphs that are equivalent to this one and keep the bounds have in common.
    ///
    /// ```
    /// use plackett_dag::{Bounds, Dag};
    /// // 0 → 1 → 2, and nothing may lead into 0.
    /// let chain = Dag::from_parents(vec![vec![], vec![0], vec![1]])?;
    /// let known = Bounds::new(3, &[(1, 0), (2, 0)], &[], &[])?.orient(&chain);
    /// assert_eq!(known.directed(), [(0, 1), (1, 2)]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn orient(&self, dag: &Dag) -> Cpdag {
        Cpdag::of_known(dag, |from, to| !self.permits(to, from))
    }

    /// Whether a node may stand behind all of these.
    pub(crate) fn may_be_last(&self, node: usize, of: &NodeSet) -> bool {
        self.known.as_ref().is_none_or(|known| !known.after[node].iter().any(|other| of.contains(other)))
    }

    /// The parents that a node may have.
    pub(crate) fn permitted(&self, node: usize) -> NodeSet {
        if let Some(known) = &self.known {
            return known.permitted[node].clone();
        }
        let mut others = NodeSet::full(self.nodes);
        others.remove(node);
        others
    }

    /// Leaves of a set the nodes that may be parents of `node`.
    pub(crate) fn restrict(&self, node: usize, set: &mut NodeSet) {
        if let Some(known) = &self.known {
            let permitted = known.permitted[node].words();
            for (at, word) in set.words_mut().iter_mut().enumerate() {
                *word &= permitted.get(at).copied().unwrap_or(0);
            }
        }
    }

    /// The parents that a node must have whatever the order, and the nodes that it must be joined to besides.
    pub(crate) fn fixed(&self, node: usize) -> (NodeSet, NodeSet) {
        match &self.known {
            Some(known) => (known.required[node].clone(), known.joined[node].clone()),
            None => Default::default(),
        }
    }

    /// Writes into `required` the parents that a node must have if these are before it. Says whether they are all among them.
    pub(crate) fn required_of(&self, node: usize, allowed: &NodeSet, required: &mut NodeSet) -> bool {
        required.clear();
        let Some(known) = &self.known else { return true };
        known.joined[node]
            .iter()
            .filter(|&other| allowed.contains(other))
            .for_each(|other| required.insert(other));
        known.required[node].iter().for_each(|other| required.insert(other));
        known.required[node].is_subset(allowed)
    }

    /// The places that the node at `rank` may move to, those of the others staying as they are.
    pub(crate) fn places(&self, order: &[usize], rank: usize) -> (usize, usize) {
        let Some(known) = &self.known else { return (0, order.len() - 1) };
        let (before, after) = (&known.before[order[rank]], &known.after[order[rank]]);
        let low = order[..rank].iter().rposition(|&other| before.contains(other)).map_or(0, |at| at + 1);
        let high = order[rank + 1..].iter().position(|&other| after.contains(other));
        (low, high.map_or(order.len() - 1, |steps| rank + steps))
    }

    /// Whether the nodes of two ranks may change places, `first < second`.
    pub(crate) fn may_exchange(&self, order: &[usize], first: usize, second: usize) -> bool {
        self.known.as_ref().is_none_or(|known| {
            let (after, before) = (&known.after[order[first]], &known.before[order[second]]);
            !after.contains(order[second])
                && !order[first + 1..second].iter().any(|&node| after.contains(node) || before.contains(node))
        })
    }

    /// The nodes in an order that these bounds allow, each as early as the order given has it and the bounds let it.
    ///
    /// ```
    /// let bounds = plackett_dag::Bounds::new(4, &[], &[(3, 1)], &[])?;
    /// assert_eq!(bounds.arrange(&[0, 1, 2, 3]), [0, 2, 3, 1]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn arrange(&self, order: &[usize]) -> Vec<usize> {
        let Some(known) = &self.known else { return order.to_vec() };
        let mut ranks = vec![0; self.nodes];
        order.iter().enumerate().for_each(|(rank, &node)| ranks[node] = rank);
        let mut waiting: Vec<usize> = known.before.iter().map(NodeSet::len).collect();
        let ready = order.iter().filter(|&&node| waiting[node] == 0);
        let mut open: BinaryHeap<_> = ready.map(|&node| Reverse((ranks[node], node))).collect();
        let mut arranged = Vec::with_capacity(order.len());
        while let Some(Reverse((_, node))) = open.pop() {
            arranged.push(node);
            for next in &known.after[node] {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    open.push(Reverse((ranks[next], next)));
                }
            }
        }
        arranged
    }

    /// An order and parents that follow it, brought within the bounds: without those that may not be, with those that must be.
    pub(crate) fn confine(&self, order: &[usize], parents: &[NodeSet]) -> (Vec<usize>, Vec<NodeSet>) {
        let order = self.arrange(order);
        let mut confined = vec![NodeSet::with_capacity(self.nodes); self.nodes];
        let mut before = NodeSet::with_capacity(self.nodes);
        for &node in &order {
            self.required_of(node, &before, &mut confined[node]);
            let is_kept = |parent: &usize| before.contains(*parent) && self.permits(*parent, node);
            parents[node].iter().filter(is_kept).for_each(|parent| confined[node].insert(parent));
            before.insert(node);
        }
        (order, confined)
    }

    /// Random orders that the bounds allow.
    pub(crate) fn random_orders<R: Rng + ?Sized>(
        &self,
        count: usize,
        rng: &mut R,
    ) -> Result<Vec<Vec<usize>>> {
        let scores = vec![0.0; self.nodes];
        if self.is_free() {
            let orders = PlackettLuce::new(&scores)?.sample_many(count, rng);
            return Ok(orders.into_iter().map(Order::into_vec).collect());
        }
        let latent = ConstrainedPlackettLuce::new(&scores, self.constraints()?)?;
        Ok((0..count).map(|_| latent.sample(rng).into_vec()).collect())
    }

    /// Which nodes stand before which, for the distributions of orders.
    pub(crate) fn constraints(&self) -> Result<Constraints> {
        let Some(known) = &self.known else { return Ok(Constraints::none(self.nodes)) };
        let pairs: Vec<(usize, usize)> =
            known.after.iter().enumerate().flat_map(|(a, after)| after.iter().map(move |b| (a, b))).collect();
        Ok(Constraints::new(self.nodes, &pairs, &[])?)
    }

    /// What is known of some of the nodes, ascending, as if they were all.
    pub(crate) fn of_nodes(&self, nodes: &[usize]) -> Self {
        let Some(known) = &self.known else { return Self::free(nodes.len()) };
        let restricted = |sets: &[NodeSet]| -> Vec<NodeSet> {
            let of = |set: &NodeSet| -> NodeSet {
                (0..nodes.len()).filter(|&at| set.contains(nodes[at])).collect()
            };
            nodes.iter().map(|&node| of(&sets[node])).collect()
        };
        let known = Known {
            permitted: restricted(&known.permitted),
            required: restricted(&known.required),
            joined: restricted(&known.joined),
            before: restricted(&known.before),
            after: restricted(&known.after),
        };
        Self { nodes: nodes.len(), known: Some(Arc::new(known)) }
    }
}

impl Known {
    fn require(&mut self, from: usize, to: usize) -> Result<()> {
        if !self.permitted[to].contains(from) && !self.required[from].contains(to) {
            let reason = format!("contradicts itself: an edge {from} -> {to} must be there and must not");
            return Err(Error::Misfit { setting: "knowledge", reason });
        }
        self.required[to].insert(from);
        self.permitted[from].remove(to);
        Ok(())
    }

    /// Finds which nodes come before which.
    fn find_order(&mut self) -> Result<()> {
        let nodes = self.permitted.len();
        let parents = self.required.iter().map(|set| set.iter().collect()).collect();
        Dag::from_parents(parents)?;
        // Where permitted edges lead to each node from, directly or not.
        let mut sources = self.permitted.clone();
        close(&mut sources);
        for to in 0..nodes {
            for from in 0..nodes {
                if from != to && sources[to].contains(from) && !sources[from].contains(to) {
                    self.before[to].insert(from);
                }
            }
            self.required[to].iter().for_each(|from| self.before[to].insert(from));
        }
        close(&mut self.before);
        for to in 0..nodes {
            for from in &self.before[to] {
                self.after[from].insert(to);
                self.permitted[from].remove(to);
            }
        }
        Ok(())
    }
}

/// Adds to each node's set the sets of its members, and of theirs. O(nodes³/64).
fn close(sets: &mut [NodeSet]) {
    for middle in 0..sets.len() {
        let through = sets[middle].clone();
        for set in sets.iter_mut().filter(|set| set.contains(middle)) {
            set.words_mut().iter_mut().zip(through.words()).for_each(|(word, more)| *word |= more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, all_dags};

    /// Random pairs of four nodes, few of them required; nothing if they contradict each other.
    fn random(rng: &mut Rng) -> Option<Bounds> {
        let mut pairs = |share: f64| -> Vec<(usize, usize)> {
            let all = (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).filter(|(a, b)| a != b);
            all.filter(|_| rng.uniform() < share).collect()
        };
        Bounds::new(4, &pairs(0.3), &pairs(0.08), &pairs(0.05)).ok()
    }

    fn orders() -> Vec<Vec<usize>> {
        let mut orders = vec![vec![]];
        for _ in 0..4 {
            orders = orders
                .iter()
                .flat_map(|order: &Vec<usize>| {
                    let left = (0..4).filter(|node| !order.contains(node));
                    left.map(|node| [&order[..], &[node]].concat()).collect::<Vec<_>>()
                })
                .collect();
        }
        orders
    }

    /// No graph that keeps the bounds is lost by the orders that they allow, and every such order has one.
    #[test]
    fn the_orders_are_those_of_the_graphs() {
        let (dags, orders, mut rng) = (all_dags(4), orders(), Rng::new(7));
        let mut looked_at = 0;
        for _ in 0..300 {
            let Some(bounds) = random(&mut rng) else { continue };
            let allowed: Vec<&Vec<usize>> =
                orders.iter().filter(|order| bounds.arrange(order) == **order).collect();
            assert!(!allowed.is_empty());
            let follows = |dag: &Dag, order: &[usize]| {
                let rank = |node: usize| order.iter().position(|&other| other == node);
                dag.edges().all(|(from, to, _)| rank(from) < rank(to))
            };
            let kept: Vec<&Dag> = dags.iter().filter(|dag| bounds.hold(dag)).collect();
            for dag in &kept {
                assert!(allowed.iter().any(|order| follows(dag, order)), "{bounds:?} {dag:?}");
            }
            for order in &allowed {
                assert!(kept.iter().any(|dag| follows(dag, order)), "{bounds:?} {order:?}");
                bounds.constraints().unwrap().check(order).unwrap();
            }
            let constraints = bounds.constraints().unwrap();
            assert_eq!(orders.iter().filter(|order| constraints.check(order).is_ok()).count(), allowed.len());
            looked_at += usize::from(!bounds.is_free());
        }
        assert!(looked_at > 100, "{looked_at}");
    }

    #[test]
    fn moves_are_allowed_exactly_where_their_outcome_is() {
        let (orders, mut rng) = (orders(), Rng::new(3));
        for _ in 0..100 {
            let Some(bounds) = random(&mut rng) else { continue };
            for order in orders.iter().filter(|order| bounds.arrange(order) == **order) {
                for rank in 0..4 {
                    let (low, high) = bounds.places(order, rank);
                    for place in 0..4 {
                        let mut moved = order.clone();
                        let node = moved.remove(rank);
                        moved.insert(place, node);
                        assert_eq!((low..=high).contains(&place), bounds.arrange(&moved) == moved);
                        if place > rank {
                            let mut exchanged = order.clone();
                            exchanged.swap(rank, place);
                            let is_kept = bounds.arrange(&exchanged) == exchanged;
                            assert_eq!(bounds.may_exchange(order, rank, place), is_kept);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn tiers_are_orders_and_columns_of_no_tier_are_free() {
        // {0, 1} before {2, 3}; 4 is in no tier, so that 2 → 4 → 0 stays possible.
        let later: Vec<(usize, usize)> = [(2, 0), (2, 1), (3, 0), (3, 1)].to_vec();
        let tiers = Bounds::new(4, &later, &[], &[]).unwrap();
        assert_eq!(tiers.arrange(&[3, 1, 2, 0]), [1, 0, 3, 2]);
        let with_other = Bounds::new(5, &later, &[], &[]).unwrap();
        assert_eq!(with_other.arrange(&[2, 4, 0, 1, 3]), [2, 4, 0, 1, 3]);
        assert_eq!(with_other.of_nodes(&[0, 2]).arrange(&[1, 0]), [1, 0]);
        assert_eq!(tiers.of_nodes(&[0, 2]).arrange(&[1, 0]), [0, 1]);
    }
}
