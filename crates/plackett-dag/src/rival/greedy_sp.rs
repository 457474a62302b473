//! GREEDY-SP: the sparsest permutation, greedily (Solus, Wang and Uhler).
//!
//! A permutation has a minimal I-map: i → j, for i before j, iff the two depend on each other given all other nodes
//! before j. The sparsest of these graphs is in the true equivalence class under assumptions weaker than faithfulness.
//! From the I-map of a random permutation the search follows covered arrows i → j, those with Pa(j) = Pa(i) ∪ {i}:
//! turned round, the graph is still an I-map, and an arrow from a common parent p can go if p and i are independent
//! given j and the other parents, or p and j given the other parents. Depth first, up to a bound, until a
//! sparser graph appears; then from there again.

use std::collections::HashMap;

use plackett::Noise;
use plackett::run::{Ending, Run};
use rand::seq::SliceRandom;

use super::{Learned, check_count, order_of};
use crate::cholesky::Cholesky;
use crate::{
    Dag, Error, Gram, NodeSet,
    independence::{FisherZ, IndependenceTest},
};

/// The method GREEDY-SP. Memory and time are bounded by `visits`, whatever the machine's speed. On the paper's
/// kinds of graphs 5 starts give about the paper's SHD and 30 give that or less.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{
///     Gram, Sem, gram::Centering, metrics::shd_cpdag, rival::GreedySp, simulate::{SemSettings, simulate_sem},
/// };
/// let sem = simulate_sem(&SemSettings::default(), 1)?;
/// let data = sem.sample(1000, Sem::TRAINING);
/// let gram = Gram::from_rows(data.values(), data.columns(), Centering::Center)?;
/// let learned = GreedySp::default().run(&gram, 0, &Run::default())?;
/// assert!(shd_cpdag(sem.dag(), &learned.dag)? <= 3);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GreedySp {
    /// The level of the independence tests.
    pub alpha: f64,
    /// How many covered arrows may be turned in a row without a sparser graph appearing.
    pub depth: usize,
    /// Random permutations to start from; the sparsest graph of all wins.
    pub starts: usize,
    /// Graphs looked at from each start, at most. One costs up to O(d³) on a dense graph of d nodes.
    pub visits: usize,
}

impl Default for GreedySp {
    fn default() -> Self {
        Self { alpha: 0.01, depth: 4, starts: 30, visits: 20_000 }
    }
}

impl GreedySp {
    /// Learns a graph by tests of partial correlation and fits its weights by least squares.
    ///
    /// # Errors
    /// [`Error::Setting`].
    pub fn run(&self, gram: &Gram, seed: u64, run: &Run<'_>) -> Result<Learned, Error> {
        let mut test = FisherZ::new(gram, self.alpha)?;
        let mut learned = self.search(&mut test, seed, run)?;
        learned.dag = least_squares(gram, &learned.dag)?;
        Ok(learned)
    }

    /// Learns a graph by any tests of independence; every edge weighs 1. `alpha` is not used.
    ///
    /// # Errors
    /// [`Error::Setting`].
    ///
    /// ```
    /// # use plackett::run::Run;
    /// # use plackett_dag::{Gram, independence::FisherZ, rival::GreedySp};
    /// let gram = Gram::from_matrix(1000, 2, vec![1.0, 0.0, 0.0, 1.0])?;
    /// let learned = GreedySp::default().search(&mut FisherZ::new(&gram, 0.05)?, 0, &Run::default())?;
    /// assert_eq!(learned.dag.edge_count(), 0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn search(
        &self,
        test: &mut impl IndependenceTest,
        seed: u64,
        run: &Run<'_>,
    ) -> Result<Learned, Error> {
        check_count("depth", self.depth)?;
        check_count("starts", self.starts)?;
        check_count("visits", self.visits)?;
        let nodes = test.nodes();
        let mut noise = Noise::new(seed);
        let mut search = Search::new(test, run, self.depth);
        run.begin("random permutations", Some(self.starts as u64));
        let mut best: Option<Vec<Vec<usize>>> = None;
        let mut fewest = usize::MAX;
        let mut trace = Vec::new();
        let mut ending = Ending::Finished;
        let mut order: Vec<usize> = (0..nodes).collect();
        for start in 0..self.starts {
            order.shuffle(noise.stream(start as u64));
            if search.begin(&order, self.visits).is_none() {
                ending = run.ending().unwrap_or(ending);
                break;
            }
            let end = loop {
                if search.graph.edges < fewest {
                    fewest = search.graph.edges;
                    best = Some(search.graph.parent_lists());
                    trace.push(fewest as f64);
                    run.note(search.step, Some(fewest as f64));
                }
                match search.improve(0) {
                    Found::Sparser => search.seen.clear(),
                    end => break end,
                }
            };
            match end {
                Found::Over => {
                    ending = run.ending().unwrap_or(ending);
                    break;
                }
                Found::Exhausted => ending = Ending::Steps,
                Found::Sparser | Found::Nothing => {}
            }
            run.advance(1);
        }
        let dag = Dag::from_parents(best.unwrap_or_else(|| vec![Vec::new(); nodes]))?;
        let order = order_of(dag.topological_order().to_vec());
        Ok(Learned { dag, order, trace, ending })
    }
}

/// How a descent into the neighbors ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// The graph is now a sparser one.
    Sparser,
    /// No sparser graph within the depth; the graph is as before.
    Nothing,
    /// The visits are used up.
    Exhausted,
    /// The run is over.
    Over,
}

/// A DAG as the parents of each node, with a hash that changes with its edges.
#[derive(Debug)]
struct HashedGraph {
    parents: Vec<NodeSet>,
    edges: usize,
    hash: u128,
    /// One random number per edge; a graph's hash is the exclusive or of its edges'.
    keys: Vec<u128>,
}

impl HashedGraph {
    fn new(nodes: usize) -> Self {
        let mut state = 0u64;
        let mut draw = || {
            // SplitMix64: any fixed, well-mixed numbers will do.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut x = state;
            x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            x ^ (x >> 31)
        };
        let keys = (0..nodes * nodes).map(|_| (u128::from(draw()) << 64) | u128::from(draw())).collect();
        Self { parents: vec![NodeSet::with_capacity(nodes); nodes], edges: 0, hash: 0, keys }
    }

    fn nodes(&self) -> usize {
        self.parents.len()
    }

    fn clear(&mut self) {
        self.parents.iter_mut().for_each(NodeSet::clear);
        (self.edges, self.hash) = (0, 0);
    }

    /// Adds the edge, or takes it away if it is there.
    fn toggle(&mut self, from: usize, to: usize) {
        let nodes = self.nodes();
        let parents = &mut self.parents[to];
        if parents.contains(from) {
            parents.remove(from);
            self.edges -= 1;
        } else {
            parents.insert(from);
            self.edges += 1;
        }
        self.hash ^= self.keys[to * nodes + from];
    }

    /// Whether Pa(to) = Pa(from) ∪ {from}, for an edge from → to.
    fn is_covered(&self, from: usize, to: usize) -> bool {
        let (before, after) = (&self.parents[from], &self.parents[to]);
        after.len() == before.len() + 1 && after.contains(from) && before.is_subset(after)
    }

    fn parent_lists(&self) -> Vec<Vec<usize>> {
        self.parents.iter().map(|parents| parents.iter().collect()).collect()
    }
}

/// The state of a search: the graph it stands on and how it may go on.
struct Search<'a, 'b, T> {
    test: &'a mut T,
    run: &'a Run<'b>,
    depth: usize,
    graph: HashedGraph,
    /// Graphs from which a search of at least this remaining depth found nothing.
    seen: HashMap<u128, usize>,
    visits_left: usize,
    step: u64,
    /// The covered arrows of the graphs along the current branch.
    arrows: Vec<Vec<(usize, usize)>>,
    /// The edges that each arrow along the current branch toggled.
    toggled: Vec<Vec<(usize, usize)>>,
    parents: Vec<usize>,
    candidates: Vec<usize>,
    kept: Vec<usize>,
}

impl<'a, 'b, T: IndependenceTest> Search<'a, 'b, T> {
    fn new(test: &'a mut T, run: &'a Run<'b>, depth: usize) -> Self {
        let graph = HashedGraph::new(test.nodes());
        Self {
            test,
            run,
            depth,
            graph,
            seen: HashMap::new(),
            visits_left: 0,
            step: 0,
            arrows: vec![Vec::new(); depth],
            toggled: vec![Vec::new(); depth],
            parents: Vec::new(),
            candidates: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Stands on the minimal I-map of a permutation; nothing if the run is over before.
    fn begin(&mut self, order: &[usize], visits: usize) -> Option<()> {
        self.graph.clear();
        self.seen.clear();
        self.visits_left = visits;
        let mut before = Vec::with_capacity(order.len());
        for &node in order {
            if self.run.is_over() {
                return None;
            }
            self.test.dependent(node, &before, &mut self.kept);
            for &parent in &self.kept {
                self.graph.toggle(parent, node);
            }
            let at = before.partition_point(|&other| other < node);
            before.insert(at, node);
        }
        Some(())
    }

    /// Looks for a sparser graph within the depth that is left, and stands on it if there is one.
    fn improve(&mut self, level: usize) -> Found {
        let left = self.depth - level;
        if self.seen.get(&self.graph.hash).is_some_and(|&searched| searched >= left) {
            return Found::Nothing;
        }
        self.seen.insert(self.graph.hash, left);
        let mut arrows = std::mem::take(&mut self.arrows[level]);
        self.covered_arrows(&mut arrows);
        let edges = self.graph.edges;
        let mut found = Found::Nothing;
        for &(from, to) in &arrows {
            if self.visits_left == 0 {
                found = Found::Exhausted;
                break;
            }
            self.visits_left -= 1;
            self.step += 1;
            self.turn(from, to, level);
            if self.run.is_over() {
                found = Found::Over;
                break;
            }
            if self.graph.edges < edges {
                found = Found::Sparser;
                break;
            }
            if level + 1 < self.depth {
                found = self.improve(level + 1);
                if found != Found::Nothing {
                    break;
                }
            }
            self.turn_back(level);
        }
        self.arrows[level] = arrows;
        found
    }

    fn covered_arrows(&self, arrows: &mut Vec<(usize, usize)>) {
        arrows.clear();
        for to in 0..self.graph.nodes() {
            let covered = self.graph.parents[to].iter().filter(|&from| self.graph.is_covered(from, to));
            arrows.extend(covered.map(|from| (from, to)));
        }
    }

    /// Turns a covered arrow and drops the arrows that are not needed any more.
    fn turn(&mut self, from: usize, to: usize, level: usize) {
        let mut toggled = std::mem::take(&mut self.toggled[level]);
        toggled.clear();
        toggled.extend([(from, to), (to, from)]);
        self.parents.clear();
        self.parents.extend(&self.graph.parents[from]);
        self.test.dependent(to, &self.parents, &mut self.kept);
        toggled.extend(self.parents.iter().filter(|p| !self.kept.contains(p)).map(|&p| (p, to)));
        self.candidates.clear();
        self.candidates.extend_from_slice(&self.parents);
        let at = self.candidates.partition_point(|&other| other < to);
        self.candidates.insert(at, to);
        self.test.dependent(from, &self.candidates, &mut self.kept);
        toggled.extend(self.parents.iter().filter(|p| !self.kept.contains(p)).map(|&p| (p, from)));
        for &(a, b) in &toggled {
            self.graph.toggle(a, b);
        }
        self.toggled[level] = toggled;
    }

    fn turn_back(&mut self, level: usize) {
        for &(from, to) in &self.toggled[level] {
            self.graph.toggle(from, to);
        }
    }
}

/// The graph with each node regressed on its parents. A parent that the others determine has no weight of its own and
/// goes.
fn least_squares(gram: &Gram, dag: &Dag) -> Result<Dag, Error> {
    let nodes = dag.nodes();
    let mut factor = Cholesky::default();
    let mut edges = Vec::with_capacity(dag.edge_count());
    let (mut active, mut weights) = (Vec::new(), Vec::new());
    for node in 0..nodes {
        factor.reset(nodes + 1);
        active.clear();
        for &parent in dag.parents(node) {
            if factor.push(gram.pooled(), &active, parent) {
                active.push(parent);
            }
        }
        weights.clear();
        weights.extend(active.iter().map(|&parent| gram.entry(parent, node)));
        factor.solve(&mut weights);
        edges.extend(
            active.iter().zip(&weights).filter(|&(_, &w)| w != 0.0).map(|(&from, &w)| (from, node, w)),
        );
    }
    Dag::from_edges(nodes, edges)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plackett::run::Limits;

    use super::*;
    use crate::testing::random_dag;
    use crate::{Cpdag, independence::DSeparation};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    #[test]
    fn with_perfect_answers_finds_the_equivalence_class() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for case in 0..60 {
            let nodes = 5 + case % 2;
            let truth = random_dag(nodes, 0.35, &mut rng);
            let learned = GreedySp::default()
                .search(&mut DSeparation::new(&truth), case as u64, &Run::default())
                .unwrap();
            assert_eq!(Cpdag::of(&learned.dag), Cpdag::of(&truth), "case {case}");
        }
    }

    #[test]
    fn the_minimal_i_map_is_that_of_the_definition() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        for _ in 0..20 {
            let truth = random_dag(6, 0.4, &mut rng);
            let mut order: Vec<usize> = (0..6).collect();
            order.shuffle(&mut rng);
            let mut test = DSeparation::new(&truth);
            let run = Run::default();
            let mut search = Search::new(&mut test, &run, 1);
            search.begin(&order, 1).unwrap();
            for late in 0..6 {
                for early in 0..late {
                    let mut given: Vec<usize> =
                        (0..late).filter(|&rank| rank != early).map(|rank| order[rank]).collect();
                    given.sort_unstable();
                    let expected =
                        !DSeparation::new(&truth).is_independent(order[early], order[late], &given);
                    assert_eq!(search.graph.parents[order[late]].contains(order[early]), expected);
                }
            }
        }
    }

    /// Turning a covered arrow gives the minimal I-map of the order with the two nodes exchanged.
    #[test]
    fn turning_an_arrow_keeps_the_i_map_minimal_and_can_be_undone() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut turned = 0;
        for _ in 0..30 {
            let truth = random_dag(6, 0.4, &mut rng);
            let mut order: Vec<usize> = (0..6).collect();
            order.shuffle(&mut rng);
            let run = Run::default();
            let mut test = DSeparation::new(&truth);
            let mut search = Search::new(&mut test, &run, 1);
            search.begin(&order, 1).unwrap();
            let before = (search.graph.parents.clone(), search.graph.edges, search.graph.hash);
            let mut arrows = Vec::new();
            search.covered_arrows(&mut arrows);
            for &(from, to) in &arrows {
                let rank = order.iter().position(|&node| node == from).unwrap();
                if order.get(rank + 1) != Some(&to) {
                    continue;
                }
                search.turn(from, to, 0);
                let mut exchanged = order.clone();
                exchanged.swap(rank, rank + 1);
                let mut other_test = DSeparation::new(&truth);
                let mut other = Search::new(&mut other_test, &run, 1);
                other.begin(&exchanged, 1).unwrap();
                assert_eq!(search.graph.parents, other.graph.parents);
                assert_eq!(search.graph.hash, other.graph.hash);
                search.turn_back(0);
                assert_eq!((search.graph.parents.clone(), search.graph.edges, search.graph.hash), before);
                turned += 1;
            }
        }
        assert!(turned > 20);
    }

    #[test]
    fn obeys_its_bounds_and_the_end_of_the_run() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let truth = random_dag(8, 0.5, &mut rng);
        let settings = GreedySp { visits: 7, starts: 2, ..GreedySp::default() };
        let learned = settings.search(&mut DSeparation::new(&truth), 1, &Run::default()).unwrap();
        assert_eq!(learned.ending, Ending::Steps);
        let over = Run::new(Limits::time(Duration::ZERO));
        let stopped = settings.search(&mut DSeparation::new(&truth), 1, &over).unwrap();
        assert_eq!((stopped.ending, stopped.dag), (Ending::Time, Dag::empty(8)));
        assert_eq!(learned, settings.search(&mut DSeparation::new(&truth), 1, &Run::default()).unwrap());
        for bad in [
            GreedySp { depth: 0, ..settings },
            GreedySp { starts: 0, ..settings },
            GreedySp { visits: 0, ..settings },
        ] {
            assert!(bad.search(&mut DSeparation::new(&truth), 1, &Run::default()).is_err());
        }
        let gram = Gram::from_matrix(10, 1, vec![1.0]).unwrap();
        assert!(GreedySp { alpha: 0.0, ..settings }.run(&gram, 0, &Run::default()).is_err());
        assert_eq!(settings.run(&gram, 0, &Run::default()).unwrap().dag, Dag::empty(1));
    }

    #[test]
    fn more_than_one_word_of_nodes() {
        let mut graph = HashedGraph::new(130);
        graph.toggle(129, 3);
        graph.toggle(64, 3);
        assert_eq!(graph.parent_lists()[3], [64, 129]);
        assert!(!graph.is_covered(129, 3));
        graph.toggle(129, 64);
        assert!(graph.is_covered(64, 3));
        graph.toggle(129, 3);
        assert_eq!(graph.edges, 2);
    }
}
