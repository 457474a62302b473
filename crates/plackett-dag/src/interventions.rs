//! Which columns were set from outside, and in which rows: the targets of experiments. In such rows a column does not follow its
//! parents, so that they say nothing of them; and they tell directions that mere observation leaves open.
//!
//! Graphs that no such data can tell apart form an interventional Markov equivalence class (Hauser and Bühlmann 2012): they
//! have one skeleton and one set of v-structures, and every edge points the same way of which some experiment set one end but not
//! the other.

use std::collections::HashMap;

use crate::{Cpdag, Dag, Error, Result};

/// The targets of interventions, row by row. Rows with the same targets form a regime.
///
/// ```
/// use plackett_dag::Interventions;
/// // Three columns; the first two rows were observed, the third was made by setting column 1, the last by setting 0 and 2.
/// let interventions = Interventions::new(3, [vec![], vec![], vec![1], vec![2, 0]])?;
/// assert_eq!(interventions.regimes(), [vec![], vec![1], vec![0, 2]]);
/// assert_eq!((interventions.rows(), interventions.kept_rows(1)), (4, 3));
/// assert!(Interventions::new(3, [[7]]).is_err());
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interventions {
    nodes: usize,
    /// The different sets of targets, each ascending, in the order in which they first occur.
    regimes: Vec<Vec<usize>>,
    /// The regime of each row.
    rows: Vec<u32>,
}

impl Interventions {
    /// The targets of each row, among so many nodes; none where nothing was set.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`].
    pub fn new<T: IntoIterator<Item = usize>>(
        nodes: usize,
        targets: impl IntoIterator<Item = T>,
    ) -> Result<Self> {
        let mut known: HashMap<Vec<usize>, u32> = HashMap::new();
        let mut interventions = Self { nodes, regimes: Vec::new(), rows: Vec::new() };
        for targets in targets {
            let mut targets: Vec<usize> = targets.into_iter().collect();
            targets.sort_unstable();
            targets.dedup();
            if let Some(&node) = targets.iter().find(|&&target| target >= nodes) {
                return Err(Error::NoSuchNode { node, nodes });
            }
            let regime = *known.entry(targets).or_insert_with_key(|targets| {
                interventions.regimes.push(targets.clone());
                interventions.regimes.len() as u32 - 1
            });
            interventions.rows.push(regime);
        }
        Ok(interventions)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The different sets of targets, each ascending; that of mere observation is empty.
    pub fn regimes(&self) -> &[Vec<usize>] {
        &self.regimes
    }

    /// The targets of each row, ascending.
    ///
    /// ```
    /// # use plackett_dag::Interventions;
    /// let interventions = Interventions::new(3, [vec![], vec![2, 1]])?;
    /// assert_eq!(interventions.row_targets().nth(1), Some(&[1, 2][..]));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn row_targets(&self) -> impl Iterator<Item = &[usize]> {
        self.rows.iter().map(|&regime| &self.regimes[regime as usize][..])
    }

    /// The regime of each row, by its place among [`regimes`](Self::regimes).
    pub(crate) fn regime_of_rows(&self) -> &[u32] {
        &self.rows
    }

    /// The nodes that were set in some row, ascending.
    ///
    /// ```
    /// # use plackett_dag::Interventions;
    /// assert_eq!(Interventions::new(3, [vec![2], vec![], vec![0, 2]])?.targets(), [0, 2]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn targets(&self) -> Vec<usize> {
        let mut targets = self.regimes.concat();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// How much each row counts for a node: as much as these weights say, or once, but nothing where the node was set.
    pub(crate) fn weights_without(&self, node: usize, weights: Option<&[f64]>) -> Vec<f64> {
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let keeps = self.keeps(node);
        let count = |(row, &regime): (usize, &u32)| if keeps[regime as usize] { weight(row) } else { 0.0 };
        self.rows.iter().enumerate().map(count).collect()
    }

    /// For each regime, whether a node follows its parents in it.
    pub(crate) fn keeps(&self, node: usize) -> Vec<bool> {
        self.regimes.iter().map(|targets| targets.binary_search(&node).is_err()).collect()
    }

    /// How many rows tell of a node's parents: those in which it was not set.
    pub fn kept_rows(&self, node: usize) -> usize {
        let keeps = self.keeps(node);
        self.rows.iter().filter(|&&regime| keeps[regime as usize]).count()
    }

    /// Whether they are of so many nodes and rows, and leave rows for every node.
    pub(crate) fn check(&self, nodes: usize, rows: usize) -> Result<()> {
        let parts =
            [("the interventions", nodes, self.nodes), ("the list of targets", rows, self.rows.len())];
        for (what, expected, found) in parts {
            if expected != found {
                return Err(Error::Size { what, expected, found });
            }
        }
        self.targets().into_iter().try_for_each(|target| Self::check_kept(target, self.kept_rows(target)))
    }

    /// Refuses a node of whose parents fewer than two rows tell.
    pub(crate) fn check_kept(node: usize, rows: usize) -> Result<()> {
        if rows >= 2 {
            return Ok(());
        }
        let reason = format!("set column {} in all rows but {rows}: nothing tells of its parents", node + 1);
        Err(Error::Misfit { setting: "interventions", reason })
    }

    /// Whether some regime sets one of two nodes but not the other.
    ///
    /// ```
    /// # use plackett_dag::Interventions;
    /// let interventions = Interventions::new(3, [vec![0, 1]])?;
    /// assert!(interventions.separates(1, 2) && !interventions.separates(0, 1));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn separates(&self, a: usize, b: usize) -> bool {
        let sets = |targets: &[usize], node: usize| targets.binary_search(&node).is_ok();
        self.regimes.iter().any(|targets| sets(targets, a) != sets(targets, b))
    }

    /// The interventional equivalence class of a graph: edges are directed where all graphs that such data cannot tell from it
    /// direct them so.
    ///
    /// # Errors
    /// [`Error::Size`] unless the graph has as many nodes.
    ///
    /// ```
    /// use plackett_dag::{Dag, Interventions};
    /// // 0 → 1 → 2: setting 0 shows that it is a cause of 1, and then 1 must be one of 2.
    /// let chain = Dag::from_parents(vec![vec![], vec![0], vec![1]])?;
    /// let class = Interventions::new(3, [vec![], vec![0]])?.class(&chain)?;
    /// assert_eq!(class.directed(), [(0, 1), (1, 2)]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn class(&self, dag: &Dag) -> Result<Cpdag> {
        if dag.nodes() != self.nodes {
            return Err(Error::Size { what: "the graph", expected: self.nodes, found: dag.nodes() });
        }
        Ok(Cpdag::of_known(dag, |from, to| self.separates(from, to)))
    }

    /// The same for some of the rows.
    pub(crate) fn of_rows(&self, is_kept: impl Fn(usize) -> bool) -> Self {
        let rows = (0..self.rows.len()).filter(|&row| is_kept(row));
        let targets = rows.map(|row| self.regimes[self.rows[row] as usize].iter().copied());
        let Ok(kept) = Self::new(self.nodes, targets) else { unreachable!("the nodes are the same") };
        kept
    }

    /// The same for some of the nodes, in their order; interventions on others are none.
    pub(crate) fn of_nodes(&self, nodes: &[usize]) -> Self {
        let place = |target: &usize| nodes.iter().position(|node| node == target);
        let regimes: Vec<Vec<usize>> =
            self.regimes.iter().map(|targets| targets.iter().filter_map(place).collect()).collect();
        let targets = self.rows.iter().map(|&regime| regimes[regime as usize].iter().copied());
        let Ok(kept) = Self::new(nodes.len(), targets) else { unreachable!("places are below their number") };
        kept
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::testing::all_dags;

    type Edges = BTreeSet<(usize, usize)>;
    type Colliders = BTreeSet<(usize, usize, usize)>;

    /// The skeleton and the v-structures of a graph without the edges into some nodes.
    fn structure(dag: &Dag, targets: &[usize]) -> (Edges, Colliders) {
        let edges: Edges =
            dag.edges().map(|(from, to, _)| (from, to)).filter(|(_, to)| !targets.contains(to)).collect();
        let joined = |a: usize, b: usize| edges.contains(&(a, b)) || edges.contains(&(b, a));
        let skeleton = edges.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
        let mut colliders = Colliders::new();
        for &(a, at) in &edges {
            for &(b, other) in &edges {
                if at == other && a < b && !joined(a, b) {
                    colliders.insert((a, at, b));
                }
            }
        }
        (skeleton, colliders)
    }

    /// The class by its definition: graphs whose intervention graphs all have the same skeletons and v-structures.
    fn check_against_enumeration(nodes: usize, regimes: &[Vec<usize>]) -> usize {
        let interventions = Interventions::new(nodes, regimes.iter().cloned()).unwrap();
        let dags = all_dags(nodes);
        let mut classes: BTreeMap<Vec<(Edges, Colliders)>, Vec<&Dag>> = BTreeMap::new();
        for dag in &dags {
            // That of the graph itself beside those of the experiments.
            let key = std::iter::once(structure(dag, &[]))
                .chain(regimes.iter().map(|targets| structure(dag, targets)))
                .collect();
            classes.entry(key).or_default().push(dag);
        }
        for members in classes.values() {
            let all = |from: usize, to: usize| members.iter().all(|dag| dag.has_edge(from, to));
            for dag in members {
                let class = interventions.class(dag).unwrap();
                for (from, to, _) in dag.edges() {
                    let is_directed = class.directed().binary_search(&(from, to)).is_ok();
                    assert_eq!(is_directed, all(from, to), "{dag:?} {regimes:?} {from} {to}");
                }
                assert_eq!(class.directed().len() + class.undirected().len(), dag.edge_count());
            }
        }
        classes.len()
    }

    #[test]
    fn the_class_is_that_of_the_definition_for_every_dag_of_up_to_four_nodes() {
        let none = check_against_enumeration(4, &[vec![]]);
        assert_eq!(none, 185); // the Markov equivalence classes
        let mut counts = Vec::new();
        // All families of one and of two sets of targets, with observations and without, as long as every node is free in one.
        for nodes in 2..=4_usize {
            let set = |bits: usize| (0..nodes).filter(|node| bits >> node & 1 == 1).collect::<Vec<_>>();
            for first in 0..1 << nodes {
                for second in 0..first {
                    if first & second == 0 {
                        counts.push(check_against_enumeration(nodes, &[set(first), set(second)]));
                    }
                }
            }
        }
        assert!(counts.iter().any(|&count| count > none));
        // Single targets on all nodes tell every graph of three nodes apart.
        let singles: Vec<Vec<usize>> = (0..3).map(|node| vec![node]).collect();
        assert_eq!(check_against_enumeration(3, &singles), 25);
        check_against_enumeration(4, &[vec![], vec![0, 1], vec![1, 2], vec![3]]);
    }

    #[test]
    fn parts_keep_their_targets() {
        let whole = Interventions::new(4, [vec![], vec![3, 1], vec![0], vec![1], vec![]]).unwrap();
        let rows = whole.of_rows(|row| row > 1);
        assert_eq!((rows.regimes(), rows.rows()), (&[vec![0], vec![1], vec![]][..], 3));
        let nodes = whole.of_nodes(&[1, 2]);
        assert_eq!((nodes.regimes(), nodes.rows(), nodes.nodes()), (&[vec![], vec![0]][..], 5, 2));
        assert!(whole.class(&Dag::empty(3)).is_err());
        assert_eq!(whole.keeps(1), [true, false, true, false]);
    }
}
