//! Graphs of which some edges are directed: Meek's (1995) rules, which direct what follows from the directed edges, and
//! Dor and Tarsi's (1992) way to a DAG. The answers do not depend on how the nodes are numbered, unless it is said.

use crate::{Bounds, Cpdag, Dag, NodeSet};

/// A partially directed graph in rows of bits.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    parents: Vec<NodeSet>,
    children: Vec<NodeSet>,
    /// Those joined by an undirected edge.
    neighbors: Vec<NodeSet>,
}

impl Pattern {
    pub(crate) fn undirected(neighbors: Vec<NodeSet>) -> Self {
        let empty = vec![NodeSet::with_capacity(neighbors.len()); neighbors.len()];
        Self { parents: empty.clone(), children: empty, neighbors }
    }

    pub(crate) fn of(graph: &Cpdag) -> Self {
        let mut pattern = Self::undirected(vec![NodeSet::with_capacity(graph.nodes()); graph.nodes()]);
        for &(a, b) in graph.undirected() {
            pattern.neighbors[a].insert(b);
            pattern.neighbors[b].insert(a);
        }
        for &(from, to) in graph.directed() {
            pattern.children[from].insert(to);
            pattern.parents[to].insert(from);
        }
        pattern
    }

    pub(crate) fn nodes(&self) -> usize {
        self.neighbors.len()
    }

    pub(crate) fn is_adjacent(&self, a: usize, b: usize) -> bool {
        self.neighbors[a].contains(b) || self.parents[a].contains(b) || self.children[a].contains(b)
    }

    /// The nodes that an undirected edge joins to one, ascending.
    pub(crate) fn neighbors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.neighbors[node].iter()
    }

    pub(crate) fn has_arrow(&self, from: usize, to: usize) -> bool {
        self.children[from].contains(to)
    }

    /// Gives an undirected edge its direction; one that has a direction keeps it.
    pub(crate) fn direct(&mut self, from: usize, to: usize) {
        if self.neighbors[from].contains(to) {
            self.neighbors[from].remove(to);
            self.neighbors[to].remove(from);
            self.children[from].insert(to);
            self.parents[to].insert(from);
        }
    }

    /// Applies Meek's rules until none applies. Each round looks at the graph as the last one left it; an edge that the
    /// rules want both ways in one round, which happens only if no DAG fits the pattern, stays undirected for good.
    pub(crate) fn complete(&mut self) {
        let mut contested = vec![NodeSet::with_capacity(self.nodes()); self.nodes()];
        loop {
            let mut wanted = Vec::new();
            for (a, contested) in contested.iter().enumerate() {
                let is_wanted = |&b: &usize| !contested.contains(b) && self.is_implied(a, b);
                wanted.extend(self.neighbors[a].iter().filter(is_wanted).map(|b| (a, b)));
            }
            if wanted.is_empty() {
                return;
            }
            for &(a, b) in &wanted {
                if wanted.binary_search(&(b, a)).is_ok() {
                    contested[a].insert(b);
                } else {
                    self.direct(a, b);
                }
            }
        }
    }

    /// Whether one of the four rules directs the undirected edge a – b into b.
    fn is_implied(&self, a: usize, b: usize) -> bool {
        let apart = |x: usize, y: usize| !self.is_adjacent(x, y);
        // c → a, c and b apart: otherwise a new v-structure.
        self.parents[a].iter().any(|c| apart(c, b))
            // a → c → b: otherwise a cycle.
            || self.children[a].iter().any(|c| self.has_arrow(c, b))
            // a – c → b ← d – a, c and d apart: otherwise a new v-structure at a or a cycle.
            || self.neighbors[a].iter().filter(|&c| self.has_arrow(c, b)).any(|c| {
                self.neighbors[a].iter().any(|d| c < d && self.has_arrow(d, b) && apart(c, d))
            })
            // a – c → d → b, c and b apart, a and d adjacent: likewise.
            || self.neighbors[a].iter().filter(|&c| apart(c, b)).any(|c| {
                self.children[c].iter().any(|d| self.has_arrow(d, b) && self.is_adjacent(a, d))
            })
    }

    /// Whether all arrows that meet in a graph of this skeleton, from nodes that are apart, meet here too.
    pub(crate) fn has_colliders_of(&self, dag: &Dag) -> bool {
        let meets = |node: usize| {
            let apart = |&&parent: &&usize| {
                dag.parents(node).iter().any(|&other| other != parent && !self.is_adjacent(parent, other))
            };
            dag.parents(node).iter().filter(apart).all(|&parent| self.has_arrow(parent, node))
        };
        (0..dag.nodes()).all(meets)
    }

    pub(crate) fn to_cpdag(&self) -> Cpdag {
        let edges = |sets: &[NodeSet]| -> Vec<(usize, usize)> {
            sets.iter().enumerate().flat_map(|(a, set)| set.iter().map(move |b| (a, b))).collect()
        };
        let mut undirected = edges(&self.neighbors);
        undirected.retain(|&(a, b)| a < b);
        Cpdag::from_sorted(self.nodes(), edges(&self.children), undirected)
    }

    /// A DAG of the same skeleton, built from its sinks: the node to go next is the last one that breaks the fewest
    /// rules, and its remaining edges all point to it. The rules are that no arrow is turned, and that no v-structure
    /// is made. Also whether none was broken. O(nodes³) for bounded degree.
    ///
    /// What the bounds forbid is not done at all: a node does not go before those behind it, and an edge that could not point to it
    /// is dropped.
    fn into_dag(mut self, bounds: &Bounds) -> (Dag, bool) {
        let nodes = self.nodes();
        let mut left = NodeSet::full(nodes);
        let mut parents = vec![Vec::new(); nodes];
        let mut is_consistent = true;
        for _ in 0..nodes {
            let broken = |node: usize| {
                let arrows = self.children[node].len();
                let others =
                    self.neighbors[node].iter().chain(&self.parents[node]).chain(&self.children[node]);
                let dropped = others.filter(|&other| !bounds.permits(other, node)).count();
                let apart = |b: usize| {
                    let others = self.neighbors[node].iter().chain(&self.parents[node]);
                    others.filter(|&c| c != b && !self.is_adjacent(b, c)).count()
                };
                (dropped, arrows, self.neighbors[node].iter().map(apart).sum::<usize>())
            };
            let last = left.iter().filter(|&node| bounds.may_be_last(node, &left));
            let sinks = last.map(|node| (broken(node), std::cmp::Reverse(node)));
            let Some((faults, std::cmp::Reverse(sink))) = sinks.min() else { break };
            is_consistent &= faults == (0, 0, 0);
            left.remove(sink);
            for sets in [&mut self.parents, &mut self.children, &mut self.neighbors] {
                parents[sink].extend(sets[sink].iter().filter(|&other| bounds.permits(other, sink)));
                sets[sink].clear();
                sets.iter_mut().for_each(|set| set.remove(sink));
            }
        }
        let Ok(dag) = Dag::from_parents(parents) else { unreachable!("each node's parents went after it") };
        (dag, is_consistent)
    }
}

impl Cpdag {
    /// The maximally oriented graph (Meek 1995) of those DAGs equivalent to `dag` that agree with it in the edges known: an edge is
    /// directed when all of them direct it so. With nothing known it is the CPDAG. What is known may be a direction that knowledge gives,
    /// or one that an intervention shows.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Cpdag, Dag};
    ///
    /// // 0 → 1 → 2: once the first edge is known, the second follows, lest arrows meet at 1.
    /// let chain = Dag::from_parents(vec![vec![], vec![0], vec![1]])?;
    /// assert_eq!(Cpdag::of_known(&chain, |from, _| from == 0).directed(), [(0, 1), (1, 2)]);
    /// assert_eq!(Cpdag::of_known(&chain, |from, _| from == 1).undirected(), [(0, 1)]);
    /// assert_eq!(Cpdag::of_known(&chain, |_, _| false), Cpdag::of(&chain));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn of_known(dag: &Dag, is_known: impl Fn(usize, usize) -> bool) -> Self {
        let class = Self::of(dag);
        let known: Vec<(usize, usize)> =
            dag.edges().map(|(from, to, _)| (from, to)).filter(|&(from, to)| is_known(from, to)).collect();
        if known.iter().all(|edge| class.directed().binary_search(edge).is_ok()) {
            return class;
        }
        let mut pattern = Pattern::of(&class);
        known.into_iter().for_each(|(from, to)| pattern.direct(from, to));
        pattern.complete();
        pattern.to_cpdag()
    }

    /// A DAG that this graph stands for: with the same skeleton, the same arrows and no v-structure that is not among
    /// them. `None` if there is none, which cannot be for the CPDAG of a DAG, but happens when the edges come from
    /// tests on data. Which of several DAGs it is depends on the numbers of the nodes.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Cpdag, Dag};
    ///
    /// let chain = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0], vec![1]])?);
    /// assert_eq!(chain.extension().map(|dag| Cpdag::of(&dag)), Some(chain));
    /// let square = Cpdag::from_edges(4, [], [(0, 1), (1, 2), (2, 3), (3, 0)])?;
    /// assert_eq!(square.extension(), None);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn extension(&self) -> Option<Dag> {
        let (dag, is_consistent) = Pattern::of(self).into_dag(&Bounds::free(self.nodes()));
        is_consistent.then_some(dag)
    }

    /// The [`extension`](Self::extension) if there is one, and otherwise a DAG of the same skeleton that turns few
    /// arrows and adds few v-structures.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::Cpdag;
    ///
    /// let square = Cpdag::from_edges(4, [], [(0, 1), (1, 2), (2, 3), (3, 0)])?;
    /// assert_eq!(square.to_dag().edge_count(), 4);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn to_dag(&self) -> Dag {
        self.to_dag_within(&Bounds::free(self.nodes()))
    }

    /// A DAG that keeps the bounds and is close to this graph; edges that no such DAG has room for are left out.
    pub(crate) fn to_dag_within(&self, bounds: &Bounds) -> Dag {
        Pattern::of(self).into_dag(bounds).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::cpdag::Mark;
    use crate::testing::{Rng, all_dags};

    /// The pairs of nodes whose arrows meet in a third although they are apart.
    fn colliders(graph: &Pattern) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        for middle in 0..graph.nodes() {
            for a in &graph.parents[middle] {
                let others = graph.parents[middle].iter().filter(|&b| a < b && !graph.is_adjacent(a, b));
                found.extend(others.map(|b| (a, middle, b)));
            }
        }
        found
    }

    fn pattern_of(dag: &Dag) -> Pattern {
        let mut pattern = Pattern::undirected(vec![NodeSet::default(); dag.nodes()]);
        for (from, to, _) in dag.edges() {
            pattern.children[from].insert(to);
            pattern.parents[to].insert(from);
        }
        pattern
    }

    fn has_skeleton_of(dag: &Dag, graph: &Pattern) -> bool {
        let is_joined = |a, b| dag.has_edge(a, b) || dag.has_edge(b, a);
        (0..dag.nodes()).all(|b| (0..b).all(|a| is_joined(a, b) == graph.is_adjacent(a, b)))
    }

    /// Whether the DAG has the skeleton, the arrows and the colliders of the graph, and no colliders more.
    fn is_extension(dag: &Dag, graph: &Pattern) -> bool {
        let is_kept = |to: usize| graph.parents[to].iter().all(|from| dag.has_edge(from, to));
        has_skeleton_of(dag, graph)
            && (0..dag.nodes()).all(is_kept)
            && colliders(&pattern_of(dag)) == colliders(graph)
    }

    /// For every graph of four nodes, each pair apart, joined or joined by an arrow.
    #[test]
    fn an_extension_is_found_exactly_where_there_is_one() {
        let dags = all_dags(4);
        let pairs: Vec<(usize, usize)> = (0..4).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
        let mut outcomes = [0, 0];
        for mut code in 0..4_usize.pow(6) {
            let (mut directed, mut undirected) = (Vec::new(), Vec::new());
            for &(a, b) in &pairs {
                match code % 4 {
                    1 => directed.push((a, b)),
                    2 => directed.push((b, a)),
                    3 => undirected.push((a, b)),
                    _ => {}
                }
                code /= 4;
            }
            let graph = Cpdag::from_edges(4, directed, undirected).unwrap();
            let pattern = Pattern::of(&graph);
            assert!(has_skeleton_of(&graph.to_dag(), &pattern));
            let exists = dags.iter().any(|dag| is_extension(dag, &pattern));
            match graph.extension() {
                Some(dag) => assert!(is_extension(&dag, &pattern), "{graph:?} {dag:?}"),
                None => assert!(!exists, "{graph:?}"),
            }
            outcomes[usize::from(exists)] += 1;
        }
        assert!(outcomes[0] > 500 && outcomes[1] > 500, "{outcomes:?}");
    }

    /// From the skeleton, the colliders and any arrows known besides, the rules direct what all DAGs that agree with
    /// them have in common (Meek's theorem). The fourth rule is needed for arrows known besides only.
    #[test]
    fn the_rules_direct_what_all_extensions_share() {
        let dags = all_dags(4);
        let mut completed = 0;
        for dag in &dags {
            let edges: Vec<(usize, usize)> = dag.edges().map(|(from, to, _)| (from, to)).collect();
            for known in 0..1_u32 << edges.len() {
                let truth = pattern_of(dag);
                let neighbors =
                    (0..4).map(|node| truth.parents[node].iter().chain(&truth.children[node]).collect());
                let mut pattern = Pattern::undirected(neighbors.collect());
                for (a, middle, b) in colliders(&truth) {
                    pattern.direct(a, middle);
                    pattern.direct(b, middle);
                }
                for (at, &(from, to)) in edges.iter().enumerate() {
                    if known >> at & 1 == 1 {
                        pattern.direct(from, to);
                    }
                }
                let members: Vec<&Dag> = dags.iter().filter(|other| is_extension(other, &pattern)).collect();
                pattern.complete();
                let graph = pattern.to_cpdag();
                for &(from, to) in &edges {
                    let is_shared = members.iter().all(|member| member.has_edge(from, to));
                    let expected = if is_shared { Mark::Forward } else { Mark::Undirected };
                    assert_eq!(graph.mark(from, to), expected, "{dag:?} knowing {known:b}");
                }
                completed += 1;
            }
        }
        assert!(completed > 5000);
    }

    /// Every class of up to five nodes, with edges known at random, against all its graphs that agree in them.
    #[test]
    fn the_maximally_oriented_graph_has_what_all_graphs_that_agree_share() {
        let mut rng = Rng::new(11);
        let mut directed = 0;
        for nodes in 1..=5 {
            let mut classes: BTreeMap<Vec<_>, Vec<(Cpdag, Dag)>> = BTreeMap::new();
            for dag in all_dags(nodes) {
                let class = Cpdag::of(&dag);
                let key = [class.directed(), &[(nodes, nodes)], class.undirected()].concat();
                classes.entry(key).or_default().push((class, dag));
            }
            for members in classes.values() {
                let Some((class, dag)) = members.iter().max_by_key(|_| rng.uniform().to_bits()) else {
                    continue;
                };
                let edges: Vec<(usize, usize)> = dag.edges().map(|(from, to, _)| (from, to)).collect();
                let share = rng.uniform();
                let known: Vec<(usize, usize)> =
                    edges.iter().copied().filter(|_| rng.uniform() < share).collect();
                let agrees = |other: &Dag| known.iter().all(|&(from, to)| other.has_edge(from, to));
                let agreeing: Vec<&Dag> =
                    members.iter().map(|member| &member.1).filter(|dag| agrees(dag)).collect();
                let graph = Cpdag::of_known(dag, |from, to| known.contains(&(from, to)));
                for &(from, to) in &edges {
                    let is_shared = agreeing.iter().all(|other| other.has_edge(from, to));
                    let expected = if is_shared { Mark::Forward } else { Mark::Undirected };
                    assert_eq!(graph.mark(from, to), expected, "{dag:?} knowing {known:?}");
                    let is_new = class.mark(from, to) == Mark::Undirected && !known.contains(&(from, to));
                    directed += usize::from(is_shared && is_new);
                }
                assert_eq!(graph.directed().len() + graph.undirected().len(), edges.len());
            }
        }
        assert!(directed > 500, "{directed} edges followed from others");
    }

    #[test]
    fn an_edge_wanted_both_ways_stays_undirected() {
        // 0 → 1 – 2 ← 3: either direction makes a new collider.
        let mut pattern = Pattern::of(&Cpdag::from_edges(4, [(0, 1), (3, 2)], [(1, 2)]).unwrap());
        pattern.complete();
        assert_eq!(pattern.to_cpdag().undirected(), [(1, 2)]);
    }
}
