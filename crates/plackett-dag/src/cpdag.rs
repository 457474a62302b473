//! The completed partially directed graph (CPDAG) of a DAG: what observational data alone can tell of it. An edge is
//! directed when every DAG with the same skeleton and the same v-structures directs it so, undirected otherwise.
//! The edges are labeled in Chickering's (1995) order, without searching for Meek's patterns.

use std::collections::HashSet;

use crate::Error;
use crate::graph::Dag;

/// How two nodes of a [`Cpdag`] are joined, seen from the first of the two.
///
/// # Example
/// ```
/// use plackett_dag::{Cpdag, Dag, cpdag::Mark};
///
/// let collider = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0, 2], vec![]])?);
/// assert_eq!(collider.mark(0, 1), Mark::Forward);
/// assert_eq!(collider.mark(1, 0), Mark::Backward);
/// assert_eq!(collider.mark(0, 2), Mark::Absent);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// No edge.
    Absent,
    /// An edge from the first node to the second.
    Forward,
    /// An edge from the second node to the first.
    Backward,
    /// An edge whose direction the data cannot tell.
    Undirected,
}

/// The CPDAG of a DAG, which stands for the DAG's whole Markov equivalence class; or another graph of directed and
/// undirected edges, which tests on data gave in place of one.
///
/// # Example
/// ```
/// use plackett_dag::{Cpdag, Dag};
///
/// // 0 -> 1 -> 2 may be turned round; with 3 -> 1 added, the edges into 1 and the one out of it may not.
/// let chain = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0], vec![1]])?);
/// assert_eq!(chain.undirected(), [(0, 1), (1, 2)]);
/// let collider = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0, 3], vec![1], vec![]])?);
/// assert_eq!(collider.directed(), [(0, 1), (1, 2), (3, 1)]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpdag {
    nodes: usize,
    directed: Vec<(usize, usize)>,
    undirected: Vec<(usize, usize)>,
}

impl Cpdag {
    /// The CPDAG of a DAG.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Cpdag, Dag};
    ///
    /// let cpdag = Cpdag::of(&Dag::from_parents(vec![vec![1], vec![]])?);
    /// assert_eq!((cpdag.directed().len(), cpdag.undirected()), (0, &[(0, 1)][..]));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn of(dag: &Dag) -> Self {
        let nodes = dag.nodes();
        let mut rank = vec![0; nodes];
        for (at, &node) in dag.topological_order().iter().enumerate() {
            rank[node] = at;
        }
        // compelled[y][k] labels the edge from dag.parents(y)[k] to y.
        let mut compelled: Vec<Vec<bool>> =
            (0..nodes).map(|node| vec![false; dag.parents(node).len()]).collect();
        for &y in dag.topological_order() {
            let labels = label_edges_into(dag, y, &rank, &compelled);
            compelled[y] = labels;
        }
        let mut directed = Vec::new();
        let mut undirected = Vec::new();
        for (y, labels) in compelled.iter().enumerate() {
            for (&x, &is_compelled) in dag.parents(y).iter().zip(labels) {
                if is_compelled {
                    directed.push((x, y));
                } else {
                    undirected.push((x.min(y), x.max(y)));
                }
            }
        }
        directed.sort_unstable();
        undirected.sort_unstable();
        Self::from_sorted(nodes, directed, undirected)
    }

    /// The graph of these edges, whether or not it is the CPDAG of a DAG; an undirected edge may be given either way
    /// round.
    ///
    /// # Errors
    /// A node that does not exist, an edge from a node to itself, or two edges between the same two nodes.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Cpdag, Dag};
    ///
    /// let chain = Cpdag::from_edges(3, [], [(2, 1), (0, 1)])?;
    /// assert_eq!(chain, Cpdag::of(&Dag::from_parents(vec![vec![], vec![0], vec![1]])?));
    /// assert!(Cpdag::from_edges(3, [(0, 1)], [(1, 0)]).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn from_edges(
        nodes: usize,
        directed: impl IntoIterator<Item = (usize, usize)>,
        undirected: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, Error> {
        let mut directed: Vec<_> = directed.into_iter().collect();
        let mut undirected: Vec<_> = undirected.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
        directed.sort_unstable();
        undirected.sort_unstable();
        let mut pairs = HashSet::new();
        for &(a, b) in directed.iter().chain(&undirected) {
            if a.max(b) >= nodes {
                return Err(Error::NoSuchNode { node: a.max(b), nodes });
            }
            if a == b {
                return Err(Error::Cycle { nodes: vec![a.to_string()] });
            }
            if !pairs.insert((a.min(b), a.max(b))) {
                return Err(Error::RepeatedEdge { from: a.to_string(), to: b.to_string() });
            }
        }
        Ok(Self::from_sorted(nodes, directed, undirected))
    }

    /// The graph of edges that are as [`directed`](Self::directed) and [`undirected`](Self::undirected) give them.
    pub(crate) fn from_sorted(
        nodes: usize,
        directed: Vec<(usize, usize)>,
        undirected: Vec<(usize, usize)>,
    ) -> Self {
        debug_assert!(directed.is_sorted() && undirected.is_sorted());
        Cpdag { nodes, directed, undirected }
    }

    /// The number of nodes.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Cpdag, Dag};
    /// assert_eq!(Cpdag::of(&Dag::empty(3)).nodes(), 3);
    /// ```
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The directed edges `(from, to)`, ascending.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Cpdag, Dag};
    /// let cpdag = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0, 2], vec![]])?);
    /// assert_eq!(cpdag.directed(), [(0, 1), (2, 1)]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn directed(&self) -> &[(usize, usize)] {
        &self.directed
    }

    /// The undirected edges, each once as `(smaller, larger)`, ascending.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Cpdag, Dag};
    /// let cpdag = Cpdag::of(&Dag::from_parents(vec![vec![1], vec![]])?);
    /// assert_eq!(cpdag.undirected(), [(0, 1)]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn undirected(&self) -> &[(usize, usize)] {
        &self.undirected
    }

    /// How `a` is joined to `b`.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Cpdag, Dag, cpdag::Mark};
    /// let cpdag = Cpdag::of(&Dag::from_parents(vec![vec![1], vec![]])?);
    /// assert_eq!(cpdag.mark(1, 0), Mark::Undirected);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn mark(&self, a: usize, b: usize) -> Mark {
        if self.directed.binary_search(&(a, b)).is_ok() {
            Mark::Forward
        } else if self.directed.binary_search(&(b, a)).is_ok() {
            Mark::Backward
        } else if self.undirected.binary_search(&(a.min(b), a.max(b))).is_ok() {
            Mark::Undirected
        } else {
            Mark::Absent
        }
    }
}

/// Which edges into `y` are compelled, given those labels for every node before it in topological order. In
/// Chickering's order the edge from the latest parent x comes first, and it settles all of them: the edges into y are
/// compelled together or reversible together, apart from those that a compelled edge into x holds in place.
fn label_edges_into(dag: &Dag, y: usize, rank: &[usize], compelled: &[Vec<bool>]) -> Vec<bool> {
    let parents = dag.parents(y);
    let Some(&x) = parents.iter().max_by_key(|&&parent| rank[parent]) else {
        return Vec::new();
    };
    let parents_of_x = dag.parents(x);
    // Some z -> y <- x with z and x apart: a v-structure, or an edge that turning round would make into one.
    let mut labels =
        vec![parents.iter().any(|z| *z != x && parents_of_x.binary_search(z).is_err()); parents.len()];
    for (w, _) in parents_of_x.iter().zip(&compelled[x]).filter(|&(_, &is_compelled)| is_compelled) {
        match parents.binary_search(w) {
            // w -> x -> y with w and y apart: turning x -> y would make a v-structure at x.
            Err(_) => return vec![true; parents.len()],
            // w -> x -> y and w -> y: turning w -> y would close a cycle unless x -> y turned as well.
            Ok(place) => labels[place] = true,
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::all_dags;
    use std::collections::HashMap;

    /// The skeleton and the v-structures, by which Verma and Pearl define the equivalence class.
    type Class = (Vec<(usize, usize)>, Vec<(usize, usize, usize)>);

    fn class_of(dag: &Dag) -> Class {
        let mut skeleton: Vec<_> = dag.edges().map(|(a, b, _)| (a.min(b), a.max(b))).collect();
        skeleton.sort_unstable();
        let mut colliders = Vec::new();
        for y in 0..dag.nodes() {
            for &a in dag.parents(y) {
                for &b in dag.parents(y) {
                    if a < b && !dag.has_edge(a, b) && !dag.has_edge(b, a) {
                        colliders.push((a, y, b));
                    }
                }
            }
        }
        (skeleton, colliders)
    }

    #[test]
    fn equals_enumeration_of_the_class_for_every_dag_up_to_five_nodes() {
        // The numbers of DAGs and of equivalence classes are known (OEIS A003024 and A007984).
        for (nodes, dags_known, classes_known) in
            [(1, 1, 1), (2, 3, 2), (3, 25, 11), (4, 543, 185), (5, 29281, 8782)]
        {
            let dags = all_dags(nodes);
            assert_eq!(dags.len(), dags_known);
            let mut classes: HashMap<Class, Vec<&Dag>> = HashMap::new();
            for dag in &dags {
                classes.entry(class_of(dag)).or_default().push(dag);
            }
            assert_eq!(classes.len(), classes_known);
            for ((skeleton, _), members) in &classes {
                let mut directed = Vec::new();
                let mut undirected = Vec::new();
                for &(a, b) in skeleton {
                    let forward = members.iter().filter(|dag| dag.has_edge(a, b)).count();
                    if forward == members.len() {
                        directed.push((a, b));
                    } else if forward == 0 {
                        directed.push((b, a));
                    } else {
                        undirected.push((a, b));
                    }
                }
                directed.sort_unstable();
                for dag in members {
                    let cpdag = Cpdag::of(dag);
                    assert_eq!(
                        (cpdag.directed(), cpdag.undirected()),
                        (&directed[..], &undirected[..]),
                        "{dag:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn no_nodes_and_one_node_have_no_edges() {
        for nodes in [0, 1] {
            let cpdag = Cpdag::of(&Dag::empty(nodes));
            assert!(cpdag.directed().is_empty() && cpdag.undirected().is_empty());
        }
    }
}
