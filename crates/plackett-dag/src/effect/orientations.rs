//! The parents that a node may have in the graphs of a class: which of the edges at it can point to it together. For each choice the graphs
//! of the class that agree with it share the effects of the node (IDA: Maathuis, Kalisch and Bühlmann 2009; with knowledge: Perković,
//! Kalisch and Maathuis 2017; Guo and Perković 2021).

use crate::pattern::Pattern;
use crate::{Cpdag, Dag, Error, Result};

impl Cpdag {
    /// A graph of the class for each set of parents that a node can have in it. Parents that meet must be joined already, so it is the
    /// cliques among the neighbors that are tried.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`]; [`Error::Question`] if this graph stands for no DAG at all.
    ///
    /// ```
    /// use plackett_dag::{Cpdag, Dag};
    ///
    /// // 0 – 1 – 2: node 1 has no parents, or one of the two, but not both.
    /// let chain = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0], vec![1]])?);
    /// let parents: Vec<Vec<usize>> = chain.orientations(1)?.iter().map(|dag| dag.parents(1).to_vec()).collect();
    /// assert_eq!(parents, [vec![], vec![0], vec![2]]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn orientations(&self, node: usize) -> Result<Vec<Dag>> {
        if node >= self.nodes() {
            return Err(Error::NoSuchNode { node, nodes: self.nodes() });
        }
        let whole = Pattern::of(self);
        let open = self.undirected().iter();
        let neighbors: Vec<usize> =
            open.filter_map(|&(a, b)| if a == node { Some(b) } else { (b == node).then_some(a) }).collect();
        let mut found = Vec::new();
        let mut cliques: Vec<Vec<usize>> = vec![Vec::new()];
        while let Some(clique) = cliques.pop() {
            if let Some(dag) = oriented(&whole, node, &neighbors, &clique) {
                found.push(dag);
            }
            let later = neighbors.iter().filter(|&&other| clique.last().is_none_or(|&last| other > last));
            let joined =
                later.filter(|&&other| clique.iter().all(|&member| whole.is_adjacent(member, other)));
            cliques.extend(joined.map(|&other| [clique.as_slice(), &[other]].concat()));
        }
        if found.is_empty() {
            let reason = "the graph stands for no directed acyclic graph: its arrows contradict each other";
            return Err(Error::Question { reason: reason.to_owned() });
        }
        found.sort_by(|a, b| a.parents(node).cmp(b.parents(node)));
        Ok(found)
    }
}

/// A graph of the class in which the edges between a node and its neighbors point to it from these and away from it otherwise.
fn oriented(whole: &Pattern, node: usize, neighbors: &[usize], parents: &[usize]) -> Option<Dag> {
    let mut pattern = whole.clone();
    for &other in neighbors {
        let (from, to) = if parents.contains(&other) { (other, node) } else { (node, other) };
        pattern.direct(from, to);
    }
    pattern.complete();
    pattern.to_cpdag().extension().filter(|dag| whole.has_colliders_of(dag))
}
