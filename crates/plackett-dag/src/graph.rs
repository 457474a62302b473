//! Directed acyclic graphs. A [`Dag`] is checked once, when it is built, so that nothing after it has to ask whether
//! there is a cycle; a [`NamedDag`] is a `Dag` whose nodes have the names that data and graph files give them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::error::Error;

/// A directed acyclic graph over the nodes `0..d`, each edge with a weight (1 unless given).
///
/// A node that does not exist has no parents, no children and no edges.
///
/// # Example
/// ```
/// use plackett_dag::Dag;
///
/// let dag = Dag::from_parents(vec![vec![1, 2], vec![], vec![1]])?;
/// assert_eq!(dag.topological_order(), [1, 2, 0]);
/// assert!(dag.has_edge(1, 0) && !dag.has_edge(0, 1));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dag {
    parents: Vec<Vec<usize>>,
    weights: Vec<Vec<f64>>,
    children: Vec<Vec<usize>>,
    order: Vec<usize>,
}

impl Dag {
    /// The graph of `nodes` nodes and no edges.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::empty(3);
    /// assert_eq!((dag.nodes(), dag.edge_count()), (3, 0));
    /// ```
    pub fn empty(nodes: usize) -> Self {
        Dag {
            parents: vec![Vec::new(); nodes],
            weights: vec![Vec::new(); nodes],
            children: vec![Vec::new(); nodes],
            order: (0..nodes).collect(),
        }
    }

    /// The graph in which `parents[i]` are the parents of node i, in any order; every edge weighs 1.
    ///
    /// # Errors
    /// A cycle, a parent that does not exist, or a parent given twice.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![], vec![0]])?;
    /// assert_eq!(dag.parents(1), [0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn from_parents(parents: Vec<Vec<usize>>) -> Result<Self, Error> {
        let weighted =
            parents.into_iter().map(|list| list.into_iter().map(|parent| (parent, 1.0)).collect()).collect();
        Self::from_weighted_parents(weighted)
    }

    /// The graph in which `parents[i]` lists the parents of node i with the weights of their edges.
    ///
    /// # Errors
    /// A cycle, a parent that does not exist, a parent given twice, or a weight that is zero or not finite.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_weighted_parents(vec![vec![], vec![(0, -0.5)]])?;
    /// assert_eq!(dag.weight(0, 1), -0.5);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn from_weighted_parents(parents: Vec<Vec<(usize, f64)>>) -> Result<Self, Error> {
        Self::build(parents, &|node| node.to_string())
    }

    /// The graph of `nodes` nodes with the edges `(from, to, weight)`.
    ///
    /// # Errors
    /// A cycle, a node that does not exist, an edge given twice, or a weight that is zero or not finite.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_edges(3, [(2, 0, 1.0), (0, 1, 0.7)])?;
    /// assert_eq!(dag.topological_order(), [2, 0, 1]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn from_edges(
        nodes: usize,
        edges: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, Error> {
        Self::from_weighted_parents(parents_of_edges(nodes, edges)?)
    }

    /// The graph of a row-major `nodes` × `nodes` matrix whose entry (row i, column j) is the weight of i → j, and 0
    /// where there is no such edge.
    ///
    /// # Errors
    /// A cycle, an entry that is not finite, or a matrix of another size.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_adjacency(2, &[0.0, 1.5, 0.0, 0.0])?;
    /// assert!(dag.has_edge(0, 1));
    /// assert_eq!(dag.adjacency(), [0.0, 1.5, 0.0, 0.0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn from_adjacency(nodes: usize, matrix: &[f64]) -> Result<Self, Error> {
        if nodes.checked_mul(nodes) != Some(matrix.len()) {
            return Err(Error::NotSquare { nodes, entries: matrix.len() });
        }
        let entries = matrix.iter().enumerate().filter(|&(_, &weight)| weight != 0.0);
        Self::from_edges(nodes, entries.map(|(at, &weight)| (at / nodes, at % nodes, weight)))
    }

    fn build(mut parents: Vec<Vec<(usize, f64)>>, name: &dyn Fn(usize) -> String) -> Result<Self, Error> {
        let nodes = parents.len();
        let mut children = vec![Vec::new(); nodes];
        for (child, list) in parents.iter_mut().enumerate() {
            list.sort_unstable_by_key(|&(parent, _)| parent);
            if let Some(&(node, _)) = list.last().filter(|&&(parent, _)| parent >= nodes) {
                return Err(Error::NoSuchNode { node, nodes });
            }
            if let Some(pair) = list.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(Error::RepeatedEdge { from: name(pair[0].0), to: name(child) });
            }
            for &(parent, weight) in list.iter() {
                if !weight.is_finite() || weight == 0.0 {
                    return Err(Error::BadWeight { from: name(parent), to: name(child), weight });
                }
                children[parent].push(child);
            }
        }
        let weights = parents.iter().map(|list| list.iter().map(|&(_, weight)| weight).collect()).collect();
        let parents: Vec<Vec<usize>> =
            parents.iter().map(|list| list.iter().map(|&(parent, _)| parent).collect()).collect();
        match sort_topologically(&parents, &children) {
            Ok(order) => Ok(Dag { parents, weights, children, order }),
            Err(cycle) => Err(Error::Cycle { nodes: cycle.into_iter().map(name).collect() }),
        }
    }

    /// The number of nodes, d.
    ///
    /// # Example
    /// ```
    /// assert_eq!(plackett_dag::Dag::empty(4).nodes(), 4);
    /// ```
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// The number of edges.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![], vec![0], vec![0, 1]])?;
    /// assert_eq!(dag.edge_count(), 3);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn edge_count(&self) -> usize {
        self.parents.iter().map(Vec::len).sum()
    }

    /// The parents of a node, ascending.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![2, 1], vec![], vec![]])?;
    /// assert_eq!(dag.parents(0), [1, 2]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn parents(&self, node: usize) -> &[usize] {
        self.parents.get(node).map_or(&[], Vec::as_slice)
    }

    /// The weights of the edges from [`Dag::parents`] to the node, in the same order.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_weighted_parents(vec![vec![(2, 0.5), (1, -3.0)], vec![], vec![]])?;
    /// assert_eq!(dag.parent_weights(0), [-3.0, 0.5]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn parent_weights(&self, node: usize) -> &[f64] {
        self.weights.get(node).map_or(&[], Vec::as_slice)
    }

    /// The children of a node, ascending.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![], vec![0], vec![0]])?;
    /// assert_eq!(dag.children(0), [1, 2]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn children(&self, node: usize) -> &[usize] {
        self.children.get(node).map_or(&[], Vec::as_slice)
    }

    /// Whether there is an edge `from` → `to`.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![], vec![0]])?;
    /// assert!(dag.has_edge(0, 1) && !dag.has_edge(1, 0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn has_edge(&self, from: usize, to: usize) -> bool {
        self.parents(to).binary_search(&from).is_ok()
    }

    /// The weight of the edge `from` → `to`, 0 if there is none.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_edges(2, [(0, 1, 0.7)])?;
    /// assert_eq!((dag.weight(0, 1), dag.weight(1, 0)), (0.7, 0.0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn weight(&self, from: usize, to: usize) -> f64 {
        self.parents(to).binary_search(&from).map_or(0.0, |at| self.weights[to][at])
    }

    /// The edges `(from, to, weight)`, by head and then by tail.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![1], vec![], vec![0, 1]])?;
    /// let edges: Vec<_> = dag.edges().map(|(from, to, _)| (from, to)).collect();
    /// assert_eq!(edges, [(1, 0), (0, 2), (1, 2)]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.parents.iter().zip(&self.weights).enumerate().flat_map(|(to, (parents, weights))| {
            parents.iter().zip(weights).map(move |(&from, &weight)| (from, to, weight))
        })
    }

    /// The row-major d × d matrix of weights: entry (row i, column j) is the weight of i → j, 0 without an edge.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![1], vec![]])?;
    /// assert_eq!(dag.adjacency(), [0.0, 0.0, 1.0, 0.0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn adjacency(&self) -> Vec<f64> {
        let nodes = self.nodes();
        let mut matrix = vec![0.0; nodes * nodes];
        for (from, to, weight) in self.edges() {
            matrix[from * nodes + to] = weight;
        }
        matrix
    }

    /// An order in which every parent comes before its children; among the possible ones the first in dictionary
    /// order.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![2], vec![], vec![]])?;
    /// assert_eq!(dag.topological_order(), [1, 2, 0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn topological_order(&self) -> &[usize] {
        &self.order
    }

    /// The nodes from which a directed path leads to the node, ascending, without the node itself.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![], vec![0], vec![1], vec![]])?;
    /// assert_eq!(dag.ancestors(2), [0, 1]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn ancestors(&self, node: usize) -> Vec<usize> {
        reachable(&self.parents, node)
    }

    /// The nodes to which a directed path leads from the node, ascending, without the node itself.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![], vec![0], vec![1], vec![]])?;
    /// assert_eq!(dag.descendants(0), [1, 2]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn descendants(&self, node: usize) -> Vec<usize> {
        reachable(&self.children, node)
    }
}

impl Dag {
    /// What makes a node independent of all others once it is known: its parents, its children and their other parents, ascending.
    ///
    /// # Example
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![], vec![], vec![0, 1], vec![2], vec![]])?;
    /// assert_eq!(dag.markov_blanket(0), [1, 2]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn markov_blanket(&self, node: usize) -> Vec<usize> {
        let spouses = self.children(node).iter().flat_map(|&child| self.parents(child));
        let mut blanket: Vec<usize> =
            self.parents(node).iter().chain(self.children(node)).chain(spouses).copied().collect();
        blanket.sort_unstable();
        blanket.dedup();
        blanket.retain(|&other| other != node);
        blanket
    }
}

/// A [`Dag`] whose nodes have names: no name is empty, and no two are the same.
///
/// # Example
/// ```
/// use plackett_dag::{Dag, NamedDag};
///
/// let names = vec!["rain".into(), "wet".into()];
/// let graph = NamedDag::new(names, Dag::from_parents(vec![vec![], vec![0]])?)?;
/// assert_eq!(graph.name(1), Some("wet"));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NamedDag {
    names: Vec<String>,
    dag: Dag,
}

impl NamedDag {
    /// Gives the nodes of a graph their names, `names[i]` to node i.
    ///
    /// # Errors
    /// Another number of names than of nodes, an empty name, or a name given twice.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dag, NamedDag};
    ///
    /// let error = NamedDag::new(vec!["a".into(), "a".into()], Dag::empty(2)).unwrap_err();
    /// assert_eq!(error.to_string(), "two nodes are named \"a\"");
    /// ```
    pub fn new(names: Vec<String>, dag: Dag) -> Result<Self, Error> {
        if names.len() != dag.nodes() {
            return Err(Error::NameCount { names: names.len(), nodes: dag.nodes() });
        }
        check_names(&names)?;
        Ok(NamedDag { names, dag })
    }

    /// The graph with the edges `(from, to, weight)` between nodes of these names.
    ///
    /// # Errors
    /// What [`NamedDag::new`] and [`Dag::from_edges`] refuse; a cycle is given by the names of its nodes.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::NamedDag;
    ///
    /// let names = vec!["rain".to_string(), "wet".to_string()];
    /// let error = NamedDag::from_edges(names, [(0, 1, 1.0), (1, 0, 1.0)]).unwrap_err();
    /// assert_eq!(error.to_string(), "the graph has a cycle: rain -> wet -> rain");
    /// ```
    pub fn from_edges(
        names: Vec<String>,
        edges: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, Error> {
        check_names(&names)?;
        let parents = parents_of_edges(names.len(), edges)?;
        let dag = Dag::build(parents, &|node| names[node].clone())?;
        Ok(NamedDag { names, dag })
    }

    /// The names, that of node i at place i.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Dag, NamedDag};
    /// let graph = NamedDag::new(vec!["a".into(), "b".into()], Dag::empty(2))?;
    /// assert_eq!(graph.names(), ["a", "b"]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of a node, `None` if there is no such node.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Dag, NamedDag};
    /// let graph = NamedDag::new(vec!["a".into(), "b".into()], Dag::empty(2))?;
    /// assert_eq!((graph.name(1), graph.name(2)), (Some("b"), None));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn name(&self, node: usize) -> Option<&str> {
        self.names.get(node).map(String::as_str)
    }

    /// The graph by the indices of its nodes.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Dag, NamedDag};
    /// let graph = NamedDag::new(vec!["a".into(), "b".into()], Dag::empty(2))?;
    /// assert_eq!(graph.dag(), &Dag::empty(2));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// The same graph with its nodes in the order of `names`.
    ///
    /// # Errors
    /// [`Error::DifferentNames`] unless `names` holds exactly this graph's names, each once; the graph itself is
    /// taken for the estimate, `names` for the truth.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Dag, NamedDag};
    /// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, 2.0)])?;
    /// let turned = graph.aligned_to(&["b".into(), "a".into()])?;
    /// assert_eq!(turned.dag().weight(1, 0), 2.0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn aligned_to(&self, names: &[String]) -> Result<NamedDag, Error> {
        check_names(names)?;
        let place: HashMap<&str, usize> =
            names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let own: HashSet<&str> = self.names.iter().map(String::as_str).collect();
        let only_truth: Vec<String> =
            names.iter().filter(|name| !own.contains(name.as_str())).cloned().collect();
        let only_estimate: Vec<String> =
            self.names.iter().filter(|name| !place.contains_key(name.as_str())).cloned().collect();
        if !only_truth.is_empty() || !only_estimate.is_empty() {
            return Err(Error::DifferentNames { only_truth, only_estimate });
        }
        let moved = |node: usize| place[self.names[node].as_str()];
        let edges = self.dag.edges().map(|(from, to, weight)| (moved(from), moved(to), weight));
        NamedDag::from_edges(names.to_vec(), edges)
    }
}

fn check_names(names: &[String]) -> Result<(), Error> {
    let mut seen = HashSet::with_capacity(names.len());
    for (node, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(Error::NoName { node });
        }
        if !seen.insert(name) {
            return Err(Error::RepeatedName { name: name.clone() });
        }
    }
    Ok(())
}

fn parents_of_edges(
    nodes: usize,
    edges: impl IntoIterator<Item = (usize, usize, f64)>,
) -> Result<Vec<Vec<(usize, f64)>>, Error> {
    let mut parents = vec![Vec::new(); nodes];
    for (from, to, weight) in edges {
        if let Some(node) = [from, to].into_iter().find(|&node| node >= nodes) {
            return Err(Error::NoSuchNode { node, nodes });
        }
        parents[to].push((from, weight));
    }
    Ok(parents)
}

/// Kahn's algorithm, the smallest free node first so that the order depends on the graph alone; `Err` is a cycle in
/// the direction of its edges.
fn sort_topologically(parents: &[Vec<usize>], children: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut waiting: Vec<usize> = parents.iter().map(Vec::len).collect();
    let mut free: BinaryHeap<Reverse<usize>> =
        (0..parents.len()).filter(|&node| waiting[node] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(parents.len());
    while let Some(Reverse(node)) = free.pop() {
        order.push(node);
        for &child in &children[node] {
            waiting[child] -= 1;
            if waiting[child] == 0 {
                free.push(Reverse(child));
            }
        }
    }
    // Every node left has a parent among those left, so walking from parent to parent must come round.
    let left_parent = |node: usize| parents[node].iter().copied().find(|&parent| waiting[parent] > 0);
    let Some(start) = (0..parents.len()).find(|&node| waiting[node] > 0) else {
        return Ok(order);
    };
    let mut walk = vec![start];
    let mut step_of = HashMap::from([(start, 0)]);
    let mut at = start;
    while let Some(parent) = left_parent(at) {
        if let Some(&first) = step_of.get(&parent) {
            walk.drain(..first);
            break;
        }
        step_of.insert(parent, walk.len());
        walk.push(parent);
        at = parent;
    }
    walk.reverse();
    let smallest = (0..walk.len()).min_by_key(|&step| walk[step]).unwrap_or(0);
    walk.rotate_left(smallest);
    Err(walk)
}

fn reachable(next: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut seen = vec![false; next.len()];
    let mut stack = vec![start];
    while let Some(node) = stack.pop() {
        for &other in next.get(node).map_or(&[][..], Vec::as_slice) {
            if !std::mem::replace(&mut seen[other], true) {
                stack.push(other);
            }
        }
    }
    (0..next.len()).filter(|&node| seen[node]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_cycle_named_is_a_cycle_and_no_more() {
        // 5 -> 0 -> 1 -> 2 -> 0 and 2 -> 3: the tail 5 and the side branch 3 are not part of it.
        let parents = vec![vec![5, 2], vec![0], vec![1], vec![2], vec![], vec![]];
        let Err(Error::Cycle { nodes }) = Dag::from_parents(parents) else { panic!("a cycle was accepted") };
        assert_eq!(nodes, ["0", "1", "2"]);
    }

    #[test]
    fn a_loop_is_a_cycle_of_one_node() {
        let error = Dag::from_parents(vec![vec![0]]).unwrap_err();
        assert_eq!(error.to_string(), "the graph has a cycle: 0 -> 0");
    }

    #[test]
    fn bad_edges_are_named() {
        let text = |result: Result<Dag, Error>| result.unwrap_err().to_string();
        assert_eq!(
            text(Dag::from_parents(vec![vec![7], vec![]])),
            "node 7 does not exist in a graph of 2 nodes (0 to 1)"
        );
        assert_eq!(text(Dag::from_parents(vec![vec![1, 1], vec![]])), "the edge 1 -> 0 is given twice");
        assert!(text(Dag::from_edges(2, [(0, 1, f64::NAN)])).starts_with("the edge 0 -> 1 has weight NaN"));
        assert!(text(Dag::from_edges(2, [(0, 1, 0.0)])).starts_with("the edge 0 -> 1 has weight 0"));
        assert!(matches!(Dag::from_adjacency(2, &[0.0; 3]), Err(Error::NotSquare { nodes: 2, entries: 3 })));
        assert!(matches!(Dag::from_adjacency(usize::MAX, &[]), Err(Error::NotSquare { .. })));
    }

    #[test]
    fn nodes_that_do_not_exist_have_no_neighbors() {
        let dag = Dag::empty(1);
        assert!(dag.parents(9).is_empty() && dag.children(9).is_empty() && dag.descendants(9).is_empty());
        assert!(!dag.has_edge(9, 0) && !dag.has_edge(0, 9));
    }

    #[test]
    fn different_names_are_listed() {
        let named = |names: &[&str]| {
            NamedDag::new(names.iter().map(ToString::to_string).collect(), Dag::empty(names.len())).unwrap()
        };
        let error = named(&["a", "b", "c"]).compare(&named(&["b", "x", "a", "y"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the graphs have different nodes: only the true graph has \"c\"; only the estimate has \"x\", \"y\""
        );
    }

    proptest! {
        #[test]
        fn any_matrix_gives_a_sorted_graph_or_a_real_cycle(
            (nodes, entries) in (0_usize..8).prop_flat_map(|d| (Just(d), proptest::collection::vec(
                prop_oneof![3 => Just(0.0), 1 => -2.0..2.0_f64], d * d)))
        ) {
            match Dag::from_adjacency(nodes, &entries) {
                Ok(dag) => {
                    prop_assert_eq!(dag.adjacency(), entries);
                    let mut rank = vec![0; nodes];
                    for (at, &node) in dag.topological_order().iter().enumerate() {
                        rank[node] = at;
                    }
                    for (from, to, _) in dag.edges() {
                        prop_assert!(rank[from] < rank[to]);
                    }
                    for node in 0..nodes {
                        for other in dag.descendants(node) {
                            prop_assert!(dag.ancestors(other).contains(&node));
                        }
                    }
                }
                Err(Error::Cycle { nodes: cycle }) => {
                    let cycle: Vec<usize> = cycle.iter().map(|text| text.parse().unwrap()).collect();
                    for (at, &from) in cycle.iter().enumerate() {
                        let to = cycle[(at + 1) % cycle.len()];
                        prop_assert!(entries[from * nodes + to] != 0.0);
                    }
                }
                Err(other) => prop_assert!(false, "unexpected error {}", other),
            }
        }
    }
}
