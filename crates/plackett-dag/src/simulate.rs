//! Linear Gaussian structural equation models with a random graph: xⱼ = Σᵢ wᵢⱼ xᵢ + noiseⱼ. The graphs are those
//! of the NOTEARS generator that the paper's Tables 1–3 use: Erdős–Rényi over a random order, or Barabási–Albert
//! attachment with every edge pointing from the newer node to the older.

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};

use crate::error::Error;
use crate::error::check_setting;
use crate::graph::{Dag, NamedDag};
use crate::interventions::Interventions;
use crate::normal::standard_normal;
use crate::table::Table;

/// The range of the weights' sizes; their signs are fair coins.
const WEIGHT_SIZES: std::ops::Range<f64> = 0.5..2.0;

/// The mean of what a node is set to in an experiment; the deviation is 1.
const SET_MEAN: f64 = 2.0;

/// How the graph is drawn.
///
/// # Example
/// ```
/// use plackett_dag::simulate::{GraphKind, SemSettings, simulate_sem};
///
/// let settings = SemSettings { graph: GraphKind::ScaleFree, degree: 1, nodes: 20, ..SemSettings::default() };
/// assert_eq!(simulate_sem(&settings, 0)?.dag().edge_count(), 19);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphKind {
    /// Each pair of nodes is joined with probability min(1, 2·degree/(d − 1)), along a random order: degree·d edges
    /// are expected.
    ErdosRenyi,
    /// Each new node points to `degree` older ones, drawn with replacement in proportion to how often they were drawn
    /// before, plus one; draws of the same node make one edge. Hubs are sinks. Labels are shuffled.
    ScaleFree,
}

/// The standard deviations of the noise.
///
/// # Example
/// ```
/// use plackett_dag::simulate::{Noise, SemSettings, simulate_sem};
///
/// let noise = Noise::Unequal { low: 0.5, high: 2.0 };
/// let sem = simulate_sem(&SemSettings { noise, ..SemSettings::default() }, 0)?;
/// assert!(sem.noise_deviations().iter().all(|deviation| (0.5..2.0).contains(deviation)));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// 1 for every node, as in the paper.
    Standard,
    /// Drawn for each node from the uniform distribution between `low` and `high`, both positive.
    Unequal {
        /// The smallest standard deviation.
        low: f64,
        /// The largest standard deviation.
        high: f64,
    },
}

/// What [`simulate_sem`] draws; by default an Erdős–Rényi graph of degree 1 over 10 nodes with standard noise.
///
/// # Example
/// ```
/// use plackett_dag::simulate::{GraphKind, SemSettings};
///
/// let settings = SemSettings { degree: 4, nodes: 50, ..SemSettings::default() };
/// assert_eq!(settings.graph, GraphKind::ErdosRenyi);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SemSettings {
    /// How the graph is drawn.
    pub graph: GraphKind,
    /// Expected edges per node (Erdős–Rényi), or draws per new node (scale-free).
    pub degree: usize,
    /// The number of nodes, d, at least 1.
    pub nodes: usize,
    /// The standard deviations of the noise.
    pub noise: Noise,
}

impl Default for SemSettings {
    fn default() -> Self {
        SemSettings { graph: GraphKind::ErdosRenyi, degree: 1, nodes: 10, noise: Noise::Standard }
    }
}

/// A linear Gaussian structural equation model: a graph with weights, named x1, x2, …, and noise of given size.
///
/// # Example
/// ```
/// use plackett_dag::{Sem, simulate::{SemSettings, simulate_sem}};
///
/// let sem = simulate_sem(&SemSettings::default(), 7)?;
/// let training = sem.sample(1000, Sem::TRAINING);
/// let validation = sem.sample(1000, Sem::VALIDATION);
/// assert_eq!((training.row_count(), training.columns()), (1000, 10));
/// assert_ne!(training, validation);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sem {
    graph: NamedDag,
    deviations: Vec<f64>,
    seed: u64,
}

/// Draws a graph, its weights from ±U(0.5, 2), and its noise deviations. The result depends on the settings and the
/// seed alone.
///
/// # Errors
/// [`Error::Setting`] for no nodes, a degree above the number of nodes, or deviations that are not 0 < low ≤ high < ∞.
///
/// # Example
/// ```
/// use plackett_dag::simulate::{SemSettings, simulate_sem};
///
/// let sem = simulate_sem(&SemSettings::default(), 1)?;
/// assert!(sem.dag().edges().all(|(_, _, weight)| (0.5..2.0).contains(&weight.abs())));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn simulate_sem(settings: &SemSettings, seed: u64) -> Result<Sem, Error> {
    let &SemSettings { graph, degree, nodes, noise } = settings;
    check_setting("nodes", nodes, nodes > 0, "at least 1 is needed")?;
    // A scale-free node draws `degree` times, so that a slip of the pen here would run for ever.
    check_setting("degree", degree, degree <= nodes, "it cannot exceed the number of nodes")?;
    let deviations = draw_deviations(noise, nodes, &mut Purpose::Noise.stream(seed, 0))?;
    let mut rng = Purpose::Graph.stream(seed, 0);
    let mut order: Vec<usize> = (0..nodes).collect();
    order.shuffle(&mut rng);
    let ranks = match graph {
        GraphKind::ErdosRenyi => erdos_renyi(nodes, degree, &mut rng),
        GraphKind::ScaleFree => scale_free(nodes, degree, &mut rng),
    };
    let mut rng = Purpose::Weights.stream(seed, 0);
    let edges = ranks.into_iter().map(|(from, to)| {
        let size = rng.random_range(WEIGHT_SIZES);
        (order[from], order[to], if rng.random() { size } else { -size })
    });
    let names = (1..=nodes).map(|number| format!("x{number}")).collect();
    Ok(Sem { graph: NamedDag::from_edges(names, edges)?, deviations, seed })
}

impl Sem {
    /// The stream of [`Sem::sample`] for training data.
    pub const TRAINING: u64 = 0;
    /// The stream of [`Sem::sample`] for validation data.
    pub const VALIDATION: u64 = 1;

    /// The graph with its weights and names.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::simulate::{SemSettings, simulate_sem};
    /// assert_eq!(simulate_sem(&SemSettings::default(), 1)?.graph().name(0), Some("x1"));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn graph(&self) -> &NamedDag {
        &self.graph
    }

    /// The graph with its weights, by index.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::simulate::{SemSettings, simulate_sem};
    /// assert_eq!(simulate_sem(&SemSettings::default(), 1)?.dag().nodes(), 10);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn dag(&self) -> &Dag {
        self.graph.dag()
    }

    /// The standard deviation of each node's noise.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::simulate::{SemSettings, simulate_sem};
    /// assert_eq!(simulate_sem(&SemSettings::default(), 1)?.noise_deviations(), [1.0; 10]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn noise_deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// Draws `rows` rows from one of the model's independent streams. The same stream gives the same rows, and more
    /// rows begin with the fewer.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Sem, simulate::{SemSettings, simulate_sem}};
    /// let sem = simulate_sem(&SemSettings::default(), 1)?;
    /// assert_eq!(sem.sample(5, Sem::TRAINING).row(2), sem.sample(3, Sem::TRAINING).row(2));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn sample(&self, rows: usize, stream: u64) -> Table {
        let mut values = Vec::new();
        self.sample_each(rows, stream, |row| values.extend_from_slice(row));
        Table::from_parts(self.graph.names().to_vec(), values)
    }

    /// Hands the rows of [`Sem::sample`] to `take` one at a time, for more rows than fit in memory.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Sem, simulate::{SemSettings, simulate_sem}};
    /// let mut sum = 0.0;
    /// simulate_sem(&SemSettings::default(), 1)?.sample_each(100, Sem::TRAINING, |row| sum += row[0]);
    /// assert!(sum.is_finite());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn sample_each(&self, rows: usize, stream: u64, take: impl FnMut(&[f64])) {
        self.draw(rows, &[], &mut Purpose::Samples.stream(self.seed, stream), take);
    }

    /// Rows in which some nodes are set.
    fn draw(&self, rows: usize, targets: &[usize], rng: &mut impl Rng, mut take: impl FnMut(&[f64])) {
        let dag = self.dag();
        let mut row = vec![0.0; dag.nodes()];
        for _ in 0..rows {
            for &node in dag.topological_order() {
                let noise = standard_normal(rng);
                if targets.contains(&node) {
                    row[node] = SET_MEAN + noise;
                    continue;
                }
                let parents = dag.parents(node).iter().zip(dag.parent_weights(node));
                row[node] = self.deviations[node] * noise
                    + parents.map(|(&from, weight)| weight * row[from]).sum::<f64>();
            }
            take(&row);
        }
    }

    /// So many nodes to intervene on, at random, ascending; all if there are no more.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::simulate::{SemSettings, simulate_sem};
    /// assert_eq!(simulate_sem(&SemSettings::default(), 1)?.random_targets(3).len(), 3);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn random_targets(&self, count: usize) -> Vec<usize> {
        let mut targets: Vec<usize> = (0..self.dag().nodes()).collect();
        targets.shuffle(&mut Purpose::Targets.stream(self.seed, 0));
        targets.truncate(count);
        targets.sort_unstable();
        targets
    }

    /// Draws rows as [`Sem::sample`] does, and after them rows for each experiment: its targets do not follow their parents but
    /// are set to independent draws from N(2, 1).
    ///
    /// # Errors
    /// [`Error::NoSuchNode`].
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Sem, simulate::{SemSettings, simulate_sem}};
    /// let sem = simulate_sem(&SemSettings::default(), 1)?;
    /// let (data, interventions) = sem.sample_experiments(500, &[vec![0], vec![3, 4]], 100, Sem::TRAINING)?;
    /// assert_eq!((data.row_count(), interventions.kept_rows(3)), (700, 600));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn sample_experiments(
        &self,
        observed: usize,
        experiments: &[Vec<usize>],
        rows_each: usize,
        stream: u64,
    ) -> Result<(Table, Interventions), Error> {
        let none = Vec::new();
        let set = experiments.iter().flat_map(|targets| std::iter::repeat_n(targets, rows_each));
        let targets = std::iter::repeat_n(&none, observed).chain(set);
        let interventions = Interventions::new(self.dag().nodes(), targets.map(|set| set.iter().copied()))?;
        let mut values = Vec::new();
        self.sample_each(observed, stream, |row| values.extend_from_slice(row));
        let mut rng = Purpose::Interventions.stream(self.seed, stream);
        for targets in experiments {
            self.draw(rows_each, targets, &mut rng, |row| values.extend_from_slice(row));
        }
        Ok((Table::from_parts(self.graph.names().to_vec(), values), interventions))
    }

    /// The covariance matrix of the model, (I − W)⁻ᵀ D² (I − W)⁻¹ with D the noise deviations, d × d.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::simulate::{SemSettings, simulate_sem};
    /// let covariance = simulate_sem(&SemSettings::default(), 1)?.covariance();
    /// assert!((0..10).all(|node| covariance[node * 10 + node] >= 1.0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn covariance(&self) -> Vec<f64> {
        let (dag, nodes) = (self.dag(), self.dag().nodes());
        let mut covariance = vec![0.0; nodes * nodes];
        // Cov(x_k, x_node) = Σ_i w_i,node Cov(x_k, x_i) for every k before the node in topological order.
        for (rank, &node) in dag.topological_order().iter().enumerate() {
            let parents: Vec<(usize, f64)> =
                dag.parents(node).iter().copied().zip(dag.parent_weights(node).iter().copied()).collect();
            for &earlier in &dag.topological_order()[..rank] {
                let value =
                    parents.iter().map(|&(from, weight)| weight * covariance[from * nodes + earlier]).sum();
                covariance[node * nodes + earlier] = value;
                covariance[earlier * nodes + node] = value;
            }
            let explained: f64 =
                parents.iter().map(|&(from, weight)| weight * covariance[from * nodes + node]).sum();
            covariance[node * nodes + node] = self.deviations[node].powi(2) + explained;
        }
        covariance
    }
}

/// What random numbers are for. Each purpose has its own key, so that no stream of one is a stream of another and
/// drawing more for one leaves the others as they are.
#[derive(Clone, Copy)]
enum Purpose {
    Graph,
    Weights,
    Noise,
    Samples,
    Targets,
    Interventions,
}

impl Purpose {
    fn stream(self, seed: u64, stream: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8] = self as u8 + 1;
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(stream);
        rng
    }
}

fn draw_deviations(noise: Noise, nodes: usize, rng: &mut impl Rng) -> Result<Vec<f64>, Error> {
    match noise {
        Noise::Standard => Ok(vec![1.0; nodes]),
        Noise::Unequal { low, high } => {
            let is_range = 0.0 < low && low <= high && high.is_finite();
            let reason = "it must be a range of positive, finite standard deviations";
            check_setting("noise", format!("{low} to {high}"), is_range, reason)?;
            Ok((0..nodes).map(|_| low + (high - low) * rng.random::<f64>()).collect())
        }
    }
}

/// Edges between ranks, each from the earlier to the later.
fn erdos_renyi(nodes: usize, degree: usize, rng: &mut impl Rng) -> Vec<(usize, usize)> {
    let probability = (2.0 * degree as f64 / nodes.saturating_sub(1).max(1) as f64).min(1.0);
    let pairs = (0..nodes).flat_map(|late| (0..late).map(move |early| (early, late)));
    pairs.filter(|_| rng.random_bool(probability)).collect()
}

/// Edges between nodes numbered by age, each from the newer to the older.
fn scale_free(nodes: usize, degree: usize, rng: &mut impl Rng) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    // A node is in the bag once for itself and once for every time it was drawn.
    let mut bag = vec![0];
    for node in 1..nodes {
        let mut drawn: Vec<usize> = (0..degree).map(|_| bag[rng.random_range(0..bag.len())]).collect();
        bag.push(node);
        bag.extend_from_slice(&drawn);
        drawn.sort_unstable();
        drawn.dedup();
        edges.extend(drawn.into_iter().map(|older| (node, older)));
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(graph: GraphKind, degree: usize, nodes: usize) -> SemSettings {
        SemSettings { graph, degree, nodes, noise: Noise::Standard }
    }

    fn mean_edges(settings: &SemSettings, seeds: u64) -> f64 {
        let total: usize =
            (0..seeds).map(|seed| simulate_sem(settings, seed).unwrap().dag().edge_count()).sum();
        total as f64 / seeds as f64
    }

    #[test]
    fn edge_counts_are_those_of_the_paper() {
        for (nodes, degree) in [(10, 1), (20, 1), (50, 1), (10, 4), (20, 4), (50, 4)] {
            let expected = (degree * nodes) as f64;
            let found = mean_edges(&settings(GraphKind::ErdosRenyi, degree, nodes), 1000);
            // The count is binomial, so that its variance is below its mean: five standard errors.
            assert!(
                (found - expected).abs() < 5.0 * (expected / 1000.0).sqrt(),
                "ER{degree} {nodes}: {found}"
            );
        }
        // Means and standard deviations of an independent simulation of 4000 graphs; five standard errors.
        for (nodes, expected, deviation) in [(10, 17.44, 3.0), (20, 43.17, 5.9), (50, 130.5, 13.3)] {
            let found = mean_edges(&settings(GraphKind::ScaleFree, 4, nodes), 1000);
            let tolerance = 5.0 * deviation / 1000_f64.sqrt();
            assert!((found - expected).abs() < tolerance, "SF4 {nodes}: {found}");
        }
        for nodes in [1, 2, 10, 50] {
            for seed in 0..20 {
                let sem = simulate_sem(&settings(GraphKind::ScaleFree, 1, nodes), seed).unwrap();
                assert_eq!(sem.dag().edge_count(), nodes - 1);
            }
        }
    }

    #[test]
    fn hubs_are_sinks() {
        // In one attachment step a node gets at most `degree` children of its own, while it may gather any number of
        // parents: the largest in-degree is that of a hub, the largest out-degree never exceeds `degree`.
        let (mut most_in, mut most_out) = (0, 0);
        for seed in 0..20 {
            let sem = simulate_sem(&settings(GraphKind::ScaleFree, 4, 50), seed).unwrap();
            most_in = (0..50).map(|node| sem.dag().parents(node).len()).max().unwrap().max(most_in);
            most_out = (0..50).map(|node| sem.dag().children(node).len()).max().unwrap().max(most_out);
        }
        assert!(most_out <= 4 && most_in > 15, "{most_out} {most_in}");
    }

    #[test]
    fn weights_fill_their_range_and_both_signs() {
        let mut weights = Vec::new();
        for seed in 0..50 {
            let sem = simulate_sem(&settings(GraphKind::ErdosRenyi, 4, 50), seed).unwrap();
            weights.extend(sem.dag().edges().map(|(_, _, weight)| weight));
        }
        let count = weights.len() as f64;
        assert!(weights.iter().all(|weight| WEIGHT_SIZES.contains(&weight.abs())));
        let positive = weights.iter().filter(|&&weight| weight > 0.0).count() as f64 / count;
        let size = weights.iter().map(|weight| weight.abs()).sum::<f64>() / count;
        assert!((positive - 0.5).abs() < 2.5 / count.sqrt(), "{positive}");
        assert!((size - 1.25).abs() < 5.0 * 1.5 / (12.0 * count).sqrt(), "{size}");
    }

    #[test]
    fn samples_have_the_covariance_of_the_model() {
        let noise = Noise::Unequal { low: 0.5, high: 2.0 };
        for (seed, noise) in [(1, Noise::Standard), (2, noise)] {
            let sem =
                simulate_sem(&SemSettings { degree: 1, nodes: 6, noise, ..SemSettings::default() }, seed)
                    .unwrap();
            let covariance = sem.covariance();
            let rows = 200_000;
            let mut found = [0.0; 36];
            sem.sample_each(rows, 5, |row| {
                for (at, slot) in found.iter_mut().enumerate() {
                    *slot += row[at / 6] * row[at % 6] / rows as f64;
                }
            });
            for (at, value) in found.iter().enumerate() {
                let (a, b) = (at / 6, at % 6);
                let variance = covariance[a * 7] * covariance[b * 7] + covariance[at].powi(2);
                assert!((value - covariance[at]).abs() < 5.0 * (variance / rows as f64).sqrt(), "{a} {b}");
            }
        }
    }

    #[test]
    fn the_covariance_solves_the_model_s_equation() {
        // (I − W)ᵀ Σ (I − W) = D², which needs no inverse.
        let noise = Noise::Unequal { low: 0.5, high: 2.0 };
        let sem =
            simulate_sem(&SemSettings { degree: 2, nodes: 9, noise, ..SemSettings::default() }, 3).unwrap();
        let (covariance, weights) = (sem.covariance(), sem.dag().adjacency());
        let entry = |a: usize, b: usize| f64::from(u8::from(a == b)) - weights[a * 9 + b];
        for a in 0..9 {
            for b in 0..9 {
                let mut sum = 0.0;
                for k in 0..9 {
                    for l in 0..9 {
                        sum += entry(k, a) * covariance[k * 9 + l] * entry(l, b);
                    }
                }
                let wanted = if a == b { sem.noise_deviations()[a].powi(2) } else { 0.0 };
                assert!((sum - wanted).abs() < 1e-9, "{a} {b} {sum}");
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_data_and_another_seed_other_data() {
        let draw = |seed, stream| simulate_sem(&SemSettings::default(), seed).unwrap().sample(20, stream);
        assert_eq!(draw(1, Sem::TRAINING), draw(1, Sem::TRAINING));
        assert_ne!(draw(1, Sem::TRAINING), draw(1, Sem::VALIDATION));
        assert_ne!(draw(1, Sem::TRAINING), draw(2, Sem::TRAINING));
    }

    #[test]
    fn data_of_a_seed_stay_the_same_from_version_to_version() {
        let sem = simulate_sem(&settings(GraphKind::ErdosRenyi, 1, 4), 42).unwrap();
        let edges: Vec<_> =
            sem.dag().edges().map(|(from, to, weight)| format!("{from}>{to} {weight:.6}")).collect();
        assert_eq!(edges, FROZEN_EDGES);
        let row: Vec<_> =
            sem.sample(1, Sem::TRAINING).row(0).iter().map(|value| format!("{value:.6}")).collect();
        assert_eq!(row, FROZEN_ROW);
    }

    const FROZEN_EDGES: [&str; 3] = ["1>0 -1.427836", "1>2 -1.247548", "0>3 1.411807"];
    const FROZEN_ROW: [&str; 4] = ["0.298039", "-0.534498", "0.473324", "1.339466"];

    #[test]
    fn settings_out_of_range_are_refused() {
        let refused = |settings| matches!(simulate_sem(&settings, 0), Err(Error::Setting { .. }));
        assert!(refused(settings(GraphKind::ErdosRenyi, 1, 0)));
        assert!(refused(settings(GraphKind::ScaleFree, usize::MAX, 9)));
        for (low, high) in [(0.0, 1.0), (2.0, 1.0), (1.0, f64::INFINITY), (f64::NAN, 1.0)] {
            assert!(refused(SemSettings { noise: Noise::Unequal { low, high }, ..SemSettings::default() }));
        }
    }

    #[test]
    fn a_degree_too_large_gives_the_complete_graph() {
        let sem = simulate_sem(&settings(GraphKind::ErdosRenyi, 4, 5), 0).unwrap();
        assert_eq!(sem.dag().edge_count(), 10);
        assert_eq!(simulate_sem(&settings(GraphKind::ErdosRenyi, 1, 1), 0).unwrap().dag().edge_count(), 0);
        assert_eq!(simulate_sem(&settings(GraphKind::ScaleFree, 0, 9), 0).unwrap().dag().edge_count(), 0);
    }
}
