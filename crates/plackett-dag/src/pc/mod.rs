//! PC-stable (Colombo and Maathuis 2014): a graph from tests of conditional independence. The tests thin the complete
//! graph to a skeleton, tell where arrows meet, and Meek's rules direct what follows.

mod colliders;
mod crew;
mod skeleton;
mod subsets;

use plackett::run::{Ending, Run};

use crate::pattern::Pattern;
use crate::{Bounds, Cpdag, Dag, NodeSet, independence::IndependenceTest};
use crew::Crew;
use skeleton::{Separator, Skeleton};

/// The method PC-stable, with any test of independence.
///
/// With tests that do not err, as on data without end from a faithful distribution, it finds the CPDAG of the true graph.
/// The skeleton, the arrows and the number of tests are the same for any number of threads and any order of the columns.
/// The level of the test decides how sparse the graph is: larger levels keep more edges.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{BayesNet, Cpdag, Pc, independence::GSquare};
///
/// let cancer = BayesNet::embedded("cancer")?;
/// let data = cancer.sample(200_000, 1, BayesNet::TRAINING)?;
/// let found = Pc::default().run(&GSquare::new(&data, 0.01)?, &Run::default());
/// assert_eq!(found.pattern, Cpdag::of(cancer.dag()));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pc {
    /// The most nodes to condition on; `None` for as many as there are neighbors. The number of tests grows as
    /// neighbors to this power. With a bound, edges may stay that a larger set would take away.
    pub max_conditioning: Option<usize>,
}

/// What PC found.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{Dag, Pc, independence::DSeparation};
///
/// // 0 → 2 ← 1, 2 → 3
/// let dag = Dag::from_parents(vec![vec![], vec![], vec![0, 1], vec![2]])?;
/// let found = Pc::default().run(&DSeparation::new(&dag), &Run::default());
/// assert_eq!(found.pattern.directed(), [(0, 2), (1, 2), (2, 3)]);
/// assert_eq!(found.skeleton[2].iter().collect::<Vec<_>>(), [0, 1, 3]);
/// assert_eq!(found.separating_set(3, 0), Some(&[2][..]));
/// assert_eq!(found.to_dag(), dag);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PcResult {
    /// The neighbors of each node.
    pub skeleton: Vec<NodeSet>,
    /// The edges with the directions that follow. On data the tests may contradict one another; then it need not be the
    /// CPDAG of a DAG, and may even have directed cycles.
    pub pattern: Cpdag,
    /// The number of tests made.
    pub tests: u64,
    /// How it ended. If it was over before its work was done, the skeleton is that of the last level completed, and no edge
    /// has a direction.
    pub ending: Ending,
    /// The levels completed: sizes of sets conditioned on. At none of them, all nodes are still joined.
    pub levels: usize,
    separators: Vec<Option<Separator>>,
    p_values: Vec<Option<f64>>,
    bounds: Bounds,
}

impl PcResult {
    /// The set that separates two nodes which are not joined: of the smallest ones that do, the one with the largest
    /// p-value; of several with the same, the first in dictionary order (which alone depends on the order of the
    /// columns). `None` if the nodes are joined, or if it was known that they are not.
    ///
    /// ```
    /// # use plackett::run::Run;
    /// # use plackett_dag::{Dag, Pc, independence::DSeparation};
    /// let found = Pc::default().run(&DSeparation::new(&Dag::empty(2)), &Run::default());
    /// assert_eq!(found.separating_set(0, 1), Some(&[][..]));
    /// ```
    pub fn separating_set(&self, a: usize, b: usize) -> Option<&[usize]> {
        if a == b {
            return None;
        }
        self.separators.get(place(a, b))?.as_ref().map(|separator| &separator.given[..])
    }

    /// The largest p-value of all tests of two nodes that the skeleton came from: of nodes that are joined, how close they came to being
    /// parted; none if they were never tested. Many tests are made, so that it is no level at which the edge could be trusted.
    ///
    /// ```
    /// # use plackett::run::Run;
    /// # use plackett_dag::{Gram, Pc, independence::FisherZ};
    /// let gram = Gram::from_matrix(100, 2, vec![1.0, 0.3, 0.3, 1.0])?;
    /// let found = Pc::default().run(&FisherZ::new(&gram, 0.01)?, &Run::default());
    /// // Twice the normal tail beyond √97 · atanh 0.3.
    /// assert!((found.p_value(1, 0).unwrap() - 0.002_300_523).abs() < 1e-9);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn p_value(&self, a: usize, b: usize) -> Option<f64> {
        if a == b { None } else { self.p_values.get(place(a, b)).copied().flatten() }
    }

    /// A DAG of the equivalence class that was found, `None` if the pattern is not that of a DAG: see
    /// [`Cpdag::extension`].
    ///
    /// ```
    /// # use plackett::run::Run;
    /// # use plackett_dag::{Dag, Pc, independence::DSeparation};
    /// let found = Pc::default().run(&DSeparation::new(&Dag::empty(2)), &Run::default());
    /// assert_eq!(found.extension(), Some(Dag::empty(2)));
    /// ```
    pub fn extension(&self) -> Option<Dag> {
        self.pattern.extension()
    }

    /// A DAG with the skeleton that was found, in the class if there is one and otherwise close to the pattern: see
    /// [`Cpdag::to_dag`]. It keeps the bounds, if need be without an edge that the tests left.
    ///
    /// ```
    /// # use plackett::run::Run;
    /// # use plackett_dag::{Dag, Pc, independence::DSeparation};
    /// let found = Pc::default().run(&DSeparation::new(&Dag::empty(2)), &Run::default());
    /// assert_eq!(found.to_dag(), Dag::empty(2));
    /// ```
    pub fn to_dag(&self) -> Dag {
        self.pattern.to_dag_within(&self.bounds)
    }
}

/// The place of a pair in a list of all pairs.
fn place(a: usize, b: usize) -> usize {
    let (low, high) = (a.min(b), a.max(b));
    high * (high - 1) / 2 + low
}

impl Pc {
    /// Learns a graph; each thread asks a clone of the test.
    ///
    /// A node with k neighbors costs up to k 2^(k−1) tests.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{
    ///     Gram, Pc, Sem, gram::Centering, independence::FisherZ, metrics::shd_cpdag,
    ///     simulate::{SemSettings, simulate_sem},
    /// };
    ///
    /// let sem = simulate_sem(&SemSettings::default(), 1)?;
    /// let data = sem.sample(1000, Sem::TRAINING);
    /// let gram = Gram::from_rows(data.values(), data.columns(), Centering::Center)?;
    /// let found = Pc::default().run(&FisherZ::new(&gram, 0.01)?, &Run::default());
    /// assert!(shd_cpdag(sem.dag(), &found.to_dag())? <= 3);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn run<T: IndependenceTest + Clone + Sync>(&self, test: &T, run: &Run<'_>) -> PcResult {
        self.run_within(test, &Bounds::free(test.nodes()), run)
    }

    /// The same within bounds: pairs that may not be joined are never tested, those that must be are never parted, and a direction that
    /// is known comes before what the tests say of it. Bounds of another number of nodes than the test has are as if nothing were known.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{Bounds, Dag, Pc, independence::DSeparation};
    ///
    /// let chain = Dag::from_parents(vec![vec![], vec![0], vec![1]])?;
    /// let bounds = Bounds::new(3, &[(1, 0)], &[], &[])?;
    /// let found = Pc::default().run_within(&DSeparation::new(&chain), &bounds, &Run::default());
    /// assert_eq!(found.pattern.directed(), [(0, 1), (1, 2)]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn run_within<T: IndependenceTest + Clone + Sync>(
        &self,
        test: &T,
        bounds: &Bounds,
        run: &Run<'_>,
    ) -> PcResult {
        let bounds = if bounds.nodes() == test.nodes() { bounds.clone() } else { Bounds::free(test.nodes()) };
        let most = self.max_conditioning.unwrap_or(usize::MAX);
        let crew = Crew::new(test, run);
        let mut skeleton = Skeleton::full(&bounds);
        let is_thin = skeleton.thin(&crew, &bounds, most);
        let Skeleton { neighbors, separators, p_values, levels } = skeleton;
        let mut pattern = Pattern::undirected(neighbors.clone());
        if !bounds.is_free() {
            for (from, set) in neighbors.iter().enumerate() {
                set.iter().filter(|&to| !bounds.permits(to, from)).for_each(|to| pattern.direct(from, to));
            }
        }
        let is_directed = is_thin.and_then(|()| colliders::direct(&crew, &neighbors, most, &mut pattern));
        if is_directed.is_some() {
            pattern.complete();
        }
        PcResult {
            skeleton: neighbors,
            pattern: pattern.to_cpdag(),
            tests: crew.tests(),
            ending: match is_directed {
                Some(()) => Ending::Finished,
                None => run.ending().unwrap_or(Ending::Interrupted),
            },
            levels,
            separators,
            p_values,
            bounds,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use plackett::run::{Limits, Progress};

    use super::*;
    use crate::testing::{all_dags, random_dag};
    use crate::{
        BayesNet, Categories, Gram, Sem,
        gram::Centering,
        independence::{DSeparation, FisherZ, GSquare},
        network::EMBEDDED,
        simulate::{SemSettings, simulate_sem},
    };
    use rand::rngs::ChaCha8Rng;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};

    fn assert_exact(dag: &Dag) {
        let found = Pc::default().run(&DSeparation::new(dag), &Run::default());
        let truth = Cpdag::of(dag);
        assert_eq!(found.pattern, truth, "{dag:?}");
        assert_eq!(found.extension().map(|dag| Cpdag::of(&dag)), Some(truth));
        assert_eq!(found.ending, Ending::Finished);
        for b in 0..dag.nodes() {
            for a in 0..b {
                // What d-separation answers is 1 or 0.
                assert_eq!(found.p_value(a, b) == Some(1.0), found.separating_set(a, b).is_some());
                match found.separating_set(a, b) {
                    Some(given) => assert!(DSeparation::new(dag).is_independent(a, b, given)),
                    None => assert!(dag.has_edge(a, b) || dag.has_edge(b, a)),
                }
            }
        }
    }

    #[test]
    fn with_perfect_answers_finds_the_cpdag() {
        (0..=4).flat_map(all_dags).for_each(|dag| assert_exact(&dag));
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for case in 0..60 {
            let nodes = 10 + case % 21;
            assert_exact(&random_dag(nodes, rng.random_range(1.0..3.5) / nodes as f64, &mut rng));
        }
        for network in EMBEDDED {
            assert_exact(BayesNet::embedded(network.name).unwrap().dag());
        }
    }

    #[test]
    fn finds_networks_in_large_data() {
        for (name, rows, missing, extra, differing) in
            [("cancer", 200_000, 0, 0, 0), ("sachs", 50_000, 0, 0, 0), ("alarm", 20_000, 6, 1, 9)]
        {
            let net = BayesNet::embedded(name).unwrap();
            let data = net.sample(rows, 200, BayesNet::TRAINING).unwrap();
            let found = Pc::default().run(&GSquare::new(&data, 0.01).unwrap(), &Run::default());
            let truth = Cpdag::of(net.dag());
            let pairs = || (0..net.dag().nodes()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let is_joined = |a, b| net.dag().has_edge(a, b) || net.dag().has_edge(b, a);
            let counts = [
                pairs().filter(|&(a, b)| is_joined(a, b) && !found.skeleton[a].contains(b)).count(),
                pairs().filter(|&(a, b)| !is_joined(a, b) && found.skeleton[a].contains(b)).count(),
                pairs().filter(|&(a, b)| truth.mark(a, b) != found.pattern.mark(a, b)).count(),
            ];
            assert!(
                counts[0] <= missing && counts[1] <= extra && counts[2] <= differing,
                "{name} {counts:?}"
            );
        }
    }

    /// The result with node i renamed to `names[i]`.
    fn renamed(result: &PcResult, names: &[usize]) -> (Vec<NodeSet>, Cpdag) {
        let mut skeleton = vec![NodeSet::default(); names.len()];
        for (node, set) in result.skeleton.iter().enumerate() {
            skeleton[names[node]] = set.iter().map(|other| names[other]).collect();
        }
        let edges =
            |list: &[(usize, usize)]| list.iter().map(|&(a, b)| (names[a], names[b])).collect::<Vec<_>>();
        let pattern = &result.pattern;
        let pattern = Cpdag::from_edges(names.len(), edges(pattern.directed()), edges(pattern.undirected()));
        (skeleton, pattern.unwrap())
    }

    /// Few rows and a high level, so that the tests err and contradict one another.
    #[test]
    fn the_order_of_the_columns_does_not_matter() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut arrows = 0;
        for case in 0..8 {
            let net = BayesNet::embedded(["alarm", "insurance"][case % 2]).unwrap();
            let data = net.sample(400, 100 + case as u64, BayesNet::TRAINING).unwrap();
            let mut order: Vec<usize> = (0..data.columns()).collect();
            order.shuffle(&mut rng);
            let shuffled = Categories::new(
                order.iter().map(|&column| data.names()[column].clone()).collect(),
                order.iter().map(|&column| data.levels(column).to_vec()).collect(),
                order.iter().map(|&column| data.column(column).to_vec()).collect(),
            );
            let found = Pc::default().run(&GSquare::new(&data, 0.1).unwrap(), &Run::default());
            let other = Pc::default().run(&GSquare::new(&shuffled.unwrap(), 0.1).unwrap(), &Run::default());
            assert_eq!(
                renamed(&other, &order),
                (found.skeleton.clone(), found.pattern.clone()),
                "case {case}"
            );
            assert_eq!(other.tests, found.tests);
            arrows += found.pattern.directed().len();

            let sem =
                simulate_sem(&SemSettings { nodes: 20, degree: 2, ..SemSettings::default() }, case as u64);
            let data = sem.unwrap().sample(60, Sem::TRAINING);
            let gram = |order: &[usize]| {
                let rows = data.values().chunks(20).flat_map(|row| order.iter().map(|&column| row[column]));
                Gram::from_rows(&rows.collect::<Vec<f64>>(), 20, Centering::Center).unwrap()
            };
            order.retain(|&column| column < 20);
            let (plain, shuffled) = (gram(&(0..20).collect::<Vec<_>>()), gram(&order));
            let found = Pc::default().run(&FisherZ::new(&plain, 0.1).unwrap(), &Run::default());
            let other = Pc::default().run(&FisherZ::new(&shuffled, 0.1).unwrap(), &Run::default());
            assert_eq!(
                renamed(&other, &order),
                (found.skeleton.clone(), found.pattern.clone()),
                "case {case}"
            );
            arrows += found.pattern.directed().len();
        }
        assert!(arrows > 100);
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let net = BayesNet::embedded("insurance").unwrap();
        let data = net.sample(1000, 100, BayesNet::TRAINING).unwrap();
        let test = GSquare::new(&data, 0.05).unwrap();
        let runs: Vec<PcResult> = [1, 2, 5]
            .into_iter()
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| Pc::default().run(&test, &Run::default()))
            })
            .collect();
        assert_eq!(runs[0], runs[1]);
        assert_eq!(runs[0], runs[2]);
    }

    #[test]
    fn a_bound_on_the_sets_keeps_more_edges() {
        // 0 and 3 are apart given both 1 and 2 only.
        let dag = Dag::from_parents(vec![vec![], vec![0], vec![0], vec![1, 2]]).unwrap();
        let test = DSeparation::new(&dag);
        let edges = |max_conditioning| {
            let found = Pc { max_conditioning }.run(&test, &Run::default());
            found.skeleton.iter().map(NodeSet::len).sum::<usize>() / 2
        };
        assert_eq!([edges(Some(0)), edges(Some(1)), edges(Some(2)), edges(None)], [6, 5, 4, 4]);
    }

    #[test]
    fn the_observer_may_end_the_run() {
        let net = BayesNet::embedded("alarm").unwrap();
        let data = net.sample(500, 1, BayesNet::TRAINING).unwrap();
        let test = GSquare::new(&data, 0.05).unwrap();
        let stop_at = |stage: &str| {
            // Each look at the clock takes a second, and the observer looks at each.
            let looks = AtomicU64::new(0);
            let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
            let mut stop = |progress: &Progress| {
                if progress.stage == stage { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let run = Run::by(&clock, Limits::default()).observed(&mut stop);
            Pc::default().run(&test, &run)
        };
        let at_once = stop_at("PC-stable, given 0");
        assert_eq!((at_once.ending, at_once.levels), (Ending::Interrupted, 0));
        assert_eq!(at_once.skeleton[0].len(), 36);
        let before_directions = stop_at("PC-stable, directions");
        assert_eq!(before_directions.ending, Ending::Interrupted);
        assert!(before_directions.levels > 1 && before_directions.pattern.directed().is_empty());
        assert_eq!(before_directions.skeleton, Pc::default().run(&test, &Run::default()).skeleton);
    }

    #[test]
    fn constant_columns_few_rows_and_no_columns() {
        let levels = vec![vec!["a".to_owned(), "b".to_owned()]; 3];
        let names = vec!["x".to_owned(), "y".to_owned(), "z".to_owned()];
        let x: Vec<u8> = (0..100).map(|row| row % 2).collect();
        let data = Categories::new(names, levels, vec![x.clone(), vec![0; 100], x]).unwrap();
        let found = Pc::default().run(&GSquare::new(&data, 0.05).unwrap(), &Run::default());
        assert_eq!(found.pattern, Cpdag::from_edges(3, [], [(0, 2)]).unwrap());

        let net = BayesNet::embedded("alarm").unwrap();
        for rows in [1, 2, 10] {
            let data = net.sample(rows, 1, BayesNet::TRAINING).unwrap();
            let found = Pc::default().run(&GSquare::new(&data, 0.05).unwrap(), &Run::default());
            assert_eq!(found.to_dag().nodes(), 37);
        }
        let sem = simulate_sem(&SemSettings { nodes: 30, ..SemSettings::default() }, 1).unwrap();
        let data = sem.sample(8, Sem::TRAINING);
        let gram = Gram::from_rows(data.values(), 30, Centering::Center).unwrap();
        assert_eq!(
            Pc::default().run(&FisherZ::new(&gram, 0.05).unwrap(), &Run::default()).to_dag().nodes(),
            30
        );

        let names = vec!["x".to_owned(), "y".to_owned()];
        let no_rows = Categories::new(names, vec![vec![]; 2], vec![vec![]; 2]).unwrap();
        let found = Pc::default().run(&GSquare::new(&no_rows, 0.05).unwrap(), &Run::default());
        assert_eq!((found.tests, found.to_dag()), (1, Dag::empty(2)));
        let nothing = Categories::new(vec![], vec![], vec![]).unwrap();
        let found = Pc::default().run(&GSquare::new(&nothing, 0.05).unwrap(), &Run::default());
        assert_eq!((found.tests, found.to_dag()), (0, Dag::empty(0)));
    }

    #[test]
    fn levels_out_of_range_are_refused() {
        let nothing = Categories::new(vec![], vec![], vec![]).unwrap();
        let gram = Gram::from_matrix(10, 1, vec![1.0]).unwrap();
        for alpha in [0.0, 1.0, -0.1, f64::NAN] {
            for refused in [GSquare::new(&nothing, alpha).err(), FisherZ::new(&gram, alpha).err()] {
                assert!(matches!(refused, Some(crate::Error::Setting { name: "alpha", .. })), "{alpha}");
            }
        }
    }
}
