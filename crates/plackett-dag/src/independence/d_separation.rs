//! Independence as a graph has it, d-separation: what a test would answer on data without end.

use super::IndependenceTest;
use crate::{Dag, NodeSet};

/// Answers from a known graph: two nodes are independent given others if every path between them is blocked, by a
/// member of the others where the arrows do not meet, or by a node where they meet that has none of the others among
/// itself and its descendants.
///
/// A p-value is 1 or 0, the level ½.
///
/// ```
/// use plackett_dag::{Dag, independence::{DSeparation, IndependenceTest}};
///
/// // 0 → 2 ← 1, 2 → 3
/// let dag = Dag::from_parents(vec![vec![], vec![], vec![0, 1], vec![2]])?;
/// let mut test = DSeparation::new(&dag);
/// assert!(test.is_independent(0, 1, &[]) && !test.is_independent(0, 1, &[3]));
/// assert!(test.is_independent(0, 3, &[2]));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DSeparation<'a> {
    dag: &'a Dag,
    given: NodeSet,
    /// The given nodes and their ancestors.
    opening: NodeSet,
    /// Nodes that a ball came to from a child, and from a parent.
    from_child: NodeSet,
    from_parent: NodeSet,
    /// Balls on their way: the node, and whether they come from a child of it.
    queue: Vec<(usize, bool)>,
}

impl<'a> DSeparation<'a> {
    /// Answers from this graph.
    ///
    /// ```
    /// use plackett_dag::{Dag, independence::{DSeparation, IndependenceTest}};
    /// assert!(DSeparation::new(&Dag::empty(2)).is_independent(0, 1, &[]));
    /// ```
    pub fn new(dag: &'a Dag) -> Self {
        let empty = NodeSet::with_capacity(dag.nodes());
        Self {
            dag,
            given: empty.clone(),
            opening: empty.clone(),
            from_child: empty.clone(),
            from_parent: empty,
            queue: Vec::new(),
        }
    }
}

impl IndependenceTest for DSeparation<'_> {
    fn nodes(&self) -> usize {
        self.dag.nodes()
    }

    fn alpha(&self) -> f64 {
        0.5
    }

    /// Balls roll from `a` along the paths that are not blocked (Bayes ball). O(nodes + edges).
    fn p_value(&mut self, a: usize, b: usize, given: &[usize]) -> f64 {
        for set in [&mut self.given, &mut self.opening, &mut self.from_child, &mut self.from_parent] {
            set.clear();
        }
        self.queue.clear();
        for &node in given {
            self.given.insert(node);
            self.queue.push((node, true));
        }
        while let Some((node, _)) = self.queue.pop() {
            if !self.opening.contains(node) {
                self.opening.insert(node);
                self.queue.extend(self.dag.parents(node).iter().map(|&parent| (parent, true)));
            }
        }
        self.queue.push((a, true));
        while let Some((node, is_from_child)) = self.queue.pop() {
            let seen = if is_from_child { &mut self.from_child } else { &mut self.from_parent };
            if seen.contains(node) {
                continue;
            }
            if node == b {
                return 0.0;
            }
            seen.insert(node);
            let is_given = self.given.contains(node);
            if if is_from_child { !is_given } else { self.opening.contains(node) } {
                self.queue.extend(self.dag.parents(node).iter().map(|&parent| (parent, true)));
            }
            if !is_given {
                self.queue.extend(self.dag.children(node).iter().map(|&child| (child, false)));
            }
        }
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{all_dags, random_dag};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    /// The other definition: no path in the moral graph of the ancestors avoids the given nodes.
    fn separated_in_moral_graph(dag: &Dag, a: usize, b: usize, given: &[usize]) -> bool {
        let mut ancestral: Vec<usize> = given.iter().copied().chain([a, b]).collect();
        for node in ancestral.clone() {
            ancestral.extend(dag.ancestors(node));
        }
        let joined = |x: usize, y: usize| {
            dag.has_edge(x, y)
                || dag.has_edge(y, x)
                || ancestral.iter().any(|&child| dag.has_edge(x, child) && dag.has_edge(y, child))
        };
        let mut reached = vec![a];
        let mut at = 0;
        while at < reached.len() {
            for &next in &ancestral {
                if joined(reached[at], next) && !reached.contains(&next) && !given.contains(&next) {
                    reached.push(next);
                }
            }
            at += 1;
        }
        !reached.contains(&b)
    }

    fn compare_every_question(dag: &Dag) {
        let nodes = dag.nodes();
        let mut test = DSeparation::new(dag);
        for a in 0..nodes {
            for b in (0..nodes).filter(|&b| b != a) {
                for code in 0..1_usize << nodes {
                    if code >> a & 1 == 1 || code >> b & 1 == 1 {
                        continue;
                    }
                    let given: Vec<usize> = (0..nodes).filter(|node| code >> node & 1 == 1).collect();
                    let expected = separated_in_moral_graph(dag, a, b, &given);
                    assert_eq!(test.is_independent(a, b, &given), expected, "{dag:?} {a} {b} {given:?}");
                }
            }
        }
    }

    #[test]
    fn equals_separation_in_the_moral_graph() {
        all_dags(4).iter().for_each(compare_every_question);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..5 {
            compare_every_question(&random_dag(7, 0.35, &mut rng));
        }
    }
}
