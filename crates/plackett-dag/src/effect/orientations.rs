//! The parents that nodes may have in the graphs of a class: which of the edges at them can point to them together. For each choice the
//! graphs of the class that agree with it share the effects of the nodes (IDA: Maathuis, Kalisch and Bühlmann 2009; with knowledge: Perković,
//! Kalisch and Maathuis 2017; Guo and Perković 2021; of several causes together: Nandy, Maathuis and Richardson 2017).

use crate::pattern::Pattern;
use crate::{Cpdag, Dag, Error, Result};

/// The most choices that are looked at; their number can grow with the factorial of how many nodes are joined to each other.
const MOST: usize = 10_000;

impl Cpdag {
    /// A graph of the class for each choice of the parents that some nodes can have in it together. Parents that meet must be joined
    /// already, so it is the cliques among the neighbors that are tried.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`]; [`Error::Question`] if this graph stands for no DAG at all, or for more than 10,000 choices.
    ///
    /// ```
    /// use plackett_dag::{Cpdag, Dag};
    ///
    /// // 0 – 1 – 2: node 1 has no parents, or one of the two, but not both.
    /// let chain = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0], vec![1]])?);
    /// let parents: Vec<Vec<usize>> = chain.orientations(&[1])?.iter().map(|dag| dag.parents(1).to_vec()).collect();
    /// assert_eq!(parents, [vec![], vec![0], vec![2]]);
    /// // Each of the three graphs gives 0 and 2 other parents.
    /// assert_eq!(chain.orientations(&[0, 2])?.len(), 3);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn orientations(&self, nodes: &[usize]) -> Result<Vec<Dag>> {
        if let Some(&node) = nodes.iter().find(|&&node| node >= self.nodes()) {
            return Err(Error::NoSuchNode { node, nodes: self.nodes() });
        }
        let whole = Pattern::of(self);
        let mut choices = vec![(whole.clone(), None)];
        for &node in nodes {
            let mut next = Vec::new();
            for (pattern, _) in &choices {
                let found = directed_at(&whole, pattern, node);
                next.extend(found.into_iter().map(|(pattern, dag)| (pattern, Some(dag))));
                if next.len() > MOST {
                    let reason = format!(
                        "the edges at the causes can be directed in more than {MOST} ways: name fewer causes, or close directions by \
                         what is known"
                    );
                    return Err(Error::Question { reason });
                }
            }
            choices = next;
        }
        let mut found: Vec<Dag> = if nodes.is_empty() {
            self.extension().into_iter().collect()
        } else {
            choices.into_iter().filter_map(|(_, dag)| dag).collect()
        };
        if found.is_empty() {
            let reason = "the graph stands for no directed acyclic graph: its arrows contradict each other";
            return Err(Error::Question { reason: reason.to_owned() });
        }
        let parents = |dag: &Dag| nodes.iter().map(|&node| dag.parents(node).to_vec()).collect::<Vec<_>>();
        found.sort_by_cached_key(parents);
        Ok(found)
    }
}

/// The ways to direct the open edges at a node in what was directed of a class before, each with a graph of the class that has it.
fn directed_at(whole: &Pattern, before: &Pattern, node: usize) -> Vec<(Pattern, Dag)> {
    let neighbors: Vec<usize> = before.neighbors(node).collect();
    let mut found = Vec::new();
    let mut cliques: Vec<Vec<usize>> = vec![Vec::new()];
    while let Some(clique) = cliques.pop() {
        found.extend(oriented(whole, before, node, &neighbors, &clique));
        let later = neighbors.iter().filter(|&&other| clique.last().is_none_or(|&last| other > last));
        let joined = later.filter(|&&other| clique.iter().all(|&member| whole.is_adjacent(member, other)));
        cliques.extend(joined.map(|&other| [clique.as_slice(), &[other]].concat()));
    }
    found
}

/// The pattern in which the edges between a node and its neighbors point to it from these and away from it otherwise, with a graph of the
/// class that agrees.
fn oriented(
    whole: &Pattern,
    before: &Pattern,
    node: usize,
    neighbors: &[usize],
    parents: &[usize],
) -> Option<(Pattern, Dag)> {
    let mut pattern = before.clone();
    for &other in neighbors {
        let (from, to) = if parents.contains(&other) { (other, node) } else { (node, other) };
        pattern.direct(from, to);
    }
    pattern.complete();
    let dag = pattern.to_cpdag().extension().filter(|dag| whole.has_colliders_of(dag))?;
    Some((pattern, dag))
}
