//! Distances between a true and an estimated DAG: structural Hamming distance (SHD), the same between their CPDAGs,
//! and the structural intervention distance (SID) of Peters and Bühlmann (2015).

use crate::cpdag::{Cpdag, Mark};
use crate::error::Error;
use crate::graph::{Dag, NamedDag};

/// What [`compare`] finds.
///
/// # Example
/// ```
/// use plackett_dag::{Dag, metrics::{Comparison, compare}};
///
/// let truth = Dag::from_parents(vec![vec![], vec![0], vec![]])?;
/// let estimate = Dag::from_parents(vec![vec![], vec![], vec![0]])?;
/// let Comparison { shd, missing, extra, reversed, .. } = compare(&truth, &estimate)?;
/// assert_eq!((shd, missing, extra, reversed), (2, 1, 1, 0));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Comparison {
    /// Pairs of nodes that are joined in one graph only, or in opposite directions: `missing + extra + reversed`.
    pub shd: usize,
    /// Pairs of nodes that the two CPDAGs join differently.
    pub shd_cpdag: usize,
    /// Ordered pairs (i, j) for which the estimate gives a wrong intervention distribution p(xⱼ | do(xᵢ)).
    pub sid: usize,
    /// Edges of the true graph.
    pub edges_true: usize,
    /// Edges of the estimate.
    pub edges_est: usize,
    /// Pairs joined in the true graph only.
    pub missing: usize,
    /// Pairs joined in the estimate only.
    pub extra: usize,
    /// Pairs joined in both, in opposite directions.
    pub reversed: usize,
}

/// Every metric of an estimate against the true graph, nodes matched by index.
///
/// # Errors
/// [`Error::NodeCount`] if the graphs have different numbers of nodes.
///
/// # Example
/// ```
/// use plackett_dag::{Dag, metrics::compare};
///
/// let truth = Dag::from_parents(vec![vec![], vec![0], vec![1]])?;
/// assert_eq!(compare(&truth, &truth)?.shd, 0);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn compare(truth: &Dag, estimate: &Dag) -> Result<Comparison, Error> {
    check_sizes(truth, estimate)?;
    let Differences { missing, extra, reversed } = Differences::between(truth, estimate);
    Ok(Comparison {
        shd: missing + extra + reversed,
        shd_cpdag: marks_that_differ(&Cpdag::of(truth), &Cpdag::of(estimate)),
        sid: wrong_interventions(truth, estimate),
        edges_true: truth.edge_count(),
        edges_est: estimate.edge_count(),
        missing,
        extra,
        reversed,
    })
}

/// The structural Hamming distance: missing, extra and reversed edges, a reversal counting one.
///
/// # Errors
/// [`Error::NodeCount`] if the graphs have different numbers of nodes.
///
/// # Example
/// ```
/// use plackett_dag::{Dag, metrics::shd};
///
/// let truth = Dag::from_parents(vec![vec![], vec![0]])?;
/// let turned = Dag::from_parents(vec![vec![1], vec![]])?;
/// assert_eq!(shd(&truth, &turned)?, 1);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn shd(truth: &Dag, estimate: &Dag) -> Result<usize, Error> {
    check_sizes(truth, estimate)?;
    let Differences { missing, extra, reversed } = Differences::between(truth, estimate);
    Ok(missing + extra + reversed)
}

/// The structural Hamming distance between the CPDAGs of two DAGs: the number of pairs of nodes that are not joined
/// in the same way (directed, directed the other way, undirected, not joined).
///
/// # Errors
/// [`Error::NodeCount`] if the graphs have different numbers of nodes.
///
/// # Example
/// ```
/// use plackett_dag::{Dag, metrics::shd_cpdag};
///
/// let truth = Dag::from_parents(vec![vec![], vec![0]])?;
/// let turned = Dag::from_parents(vec![vec![1], vec![]])?;
/// assert_eq!(shd_cpdag(&truth, &turned)?, 0);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn shd_cpdag(truth: &Dag, estimate: &Dag) -> Result<usize, Error> {
    check_sizes(truth, estimate)?;
    Ok(marks_that_differ(&Cpdag::of(truth), &Cpdag::of(estimate)))
}

/// The number of pairs of nodes that two classes of graphs join differently: [`shd_cpdag`] of the classes themselves, as those that
/// [`Interventions`](crate::Interventions) tell.
///
/// # Errors
/// [`Error::Size`] if the numbers of nodes differ.
///
/// # Example
/// ```
/// use plackett_dag::{Cpdag, Dag, metrics::shd_classes};
///
/// let chain = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0], vec![1]])?);
/// let collider = Cpdag::of(&Dag::from_parents(vec![vec![], vec![0, 2], vec![]])?);
/// assert_eq!(shd_classes(&chain, &collider)?, 2);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn shd_classes(truth: &Cpdag, estimate: &Cpdag) -> Result<usize, Error> {
    if truth.nodes() != estimate.nodes() {
        return Err(Error::Size { what: "the graph", expected: truth.nodes(), found: estimate.nodes() });
    }
    Ok(marks_that_differ(truth, estimate))
}

/// The structural intervention distance: the number of ordered pairs (i, j), i ≠ j, for which adjusting for the
/// parents Z of i in the estimate gives a wrong p(xⱼ | do(xᵢ)) for some distribution that is Markov to the truth.
///
/// With j in Z, the estimate says that xᵢ has no effect on xⱼ, which is right unless j is a descendant of i in the
/// truth. With j outside Z, the estimate is right if and only if, in the truth,
///
/// 1. no node on a directed path from i to j, i itself left out and j included, is in Z or has a descendant in Z, and
/// 2. Z blocks every path between i and j that is not directed from i to j.
///
/// It is not symmetric. It takes O(d · (d + e)) steps for d nodes and e edges of the truth.
///
/// # Errors
/// [`Error::NodeCount`] if the graphs have different numbers of nodes.
///
/// # Example
/// ```
/// use plackett_dag::{Dag, metrics::sid};
///
/// let truth = Dag::from_parents(vec![vec![], vec![0]])?;
/// let turned = Dag::from_parents(vec![vec![1], vec![]])?;
/// assert_eq!(sid(&truth, &turned)?, 2);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn sid(truth: &Dag, estimate: &Dag) -> Result<usize, Error> {
    check_sizes(truth, estimate)?;
    Ok(wrong_interventions(truth, estimate))
}

fn check_sizes(truth: &Dag, estimate: &Dag) -> Result<(), Error> {
    if truth.nodes() == estimate.nodes() {
        Ok(())
    } else {
        Err(Error::NodeCount { truth: truth.nodes(), estimate: estimate.nodes() })
    }
}

struct Differences {
    missing: usize,
    extra: usize,
    reversed: usize,
}

impl Differences {
    fn between(truth: &Dag, estimate: &Dag) -> Self {
        let joined = |dag: &Dag, a, b| dag.has_edge(a, b) || dag.has_edge(b, a);
        let count =
            |dag: &Dag, wrong: &dyn Fn(usize, usize) -> bool| dag.edges().filter(|e| wrong(e.0, e.1)).count();
        Differences {
            missing: count(truth, &|a, b| !joined(estimate, a, b)),
            extra: count(estimate, &|a, b| !joined(truth, a, b)),
            reversed: count(truth, &|a, b| estimate.has_edge(b, a)),
        }
    }
}

fn marks_that_differ(truth: &Cpdag, estimate: &Cpdag) -> usize {
    let joined =
        |graph: &Cpdag| graph.directed().iter().chain(graph.undirected()).copied().collect::<Vec<_>>();
    let changed = joined(truth).into_iter().filter(|&(a, b)| truth.mark(a, b) != estimate.mark(a, b)).count();
    let extra = joined(estimate).into_iter().filter(|&(a, b)| truth.mark(a, b) == Mark::Absent).count();
    changed + extra
}

/// The memory of one [`sid`], reused for every i. Each field but the first holds one entry per node.
struct Walker<'a> {
    truth: &'a Dag,
    /// Is in Z.
    adjusted: Vec<bool>,
    /// Is in Z or has a descendant in Z.
    above_adjusted: Vec<bool>,
    /// Is a descendant of i.
    below: Vec<bool>,
    /// Lies on or behind a node that breaks condition 1.
    spoilt: Vec<bool>,
    /// How the walks of condition 2 have arrived, one flag per [`Arrival`].
    arrived: Vec<[bool; ARRIVALS]>,
    stack: Vec<(usize, Arrival)>,
}

/// How a walk that started at i has come to a node.
#[derive(Clone, Copy)]
enum Arrival {
    /// Along arrows all the way from i.
    Directed,
    /// Along an arrow, after at least one step against an arrow.
    Down,
    /// Against an arrow.
    Up,
}

const ARRIVALS: usize = 3;

fn wrong_interventions(truth: &Dag, estimate: &Dag) -> usize {
    let nodes = truth.nodes();
    let mut walker = Walker {
        truth,
        adjusted: vec![false; nodes],
        above_adjusted: vec![false; nodes],
        below: vec![false; nodes],
        spoilt: vec![false; nodes],
        arrived: vec![[false; ARRIVALS]; nodes],
        stack: Vec::new(),
    };
    (0..nodes).map(|i| walker.wrong_effects_of(i, estimate.parents(i))).sum()
}

impl Walker<'_> {
    /// The number of nodes j for which adjusting for `adjustment` (Z) gives a wrong p(xⱼ | do(xᵢ)).
    fn wrong_effects_of(&mut self, i: usize, adjustment: &[usize]) -> usize {
        self.adjusted.fill(false);
        for &z in adjustment {
            self.adjusted[z] = true;
        }
        self.sweep(i);
        self.walk(i);
        let wrong = |&j: &usize| {
            if self.adjusted[j] {
                self.below[j]
            } else {
                self.spoilt[j]
                    || self.arrived[j][Arrival::Down as usize]
                    || self.arrived[j][Arrival::Up as usize]
            }
        };
        (0..self.truth.nodes()).filter(|&j| j != i).filter(wrong).count()
    }

    /// Condition 1 for every j at once, by one sweep against and one along the topological order.
    fn sweep(&mut self, i: usize) {
        let truth = self.truth;
        for &node in truth.topological_order().iter().rev() {
            self.above_adjusted[node] =
                self.adjusted[node] || truth.children(node).iter().any(|&child| self.above_adjusted[child]);
        }
        for &node in truth.topological_order() {
            let parents = truth.parents(node);
            self.below[node] = parents.iter().any(|&parent| parent == i || self.below[parent]);
            self.spoilt[node] = self.below[node]
                && (self.above_adjusted[node] || parents.iter().any(|&parent| self.spoilt[parent]));
        }
    }

    /// Condition 2 for every j at once: which nodes a walk that Z leaves open reaches from i other than along arrows.
    ///
    /// A walk may bounce off a node of Z where two of its arrows meet, which stands for a collider with a descendant
    /// in Z, and never comes back to i. Where condition 1 holds, such a walk to j exists exactly when such a path
    /// does: one that leaves i along a directed path to j and turns later would have bounced off a node of Z below
    /// that path, against condition 1; any other is open as well when the arrows from i towards j are taken away, and
    /// in a graph an open walk always contains an open path.
    fn walk(&mut self, i: usize) {
        let truth = self.truth;
        self.arrived.fill([false; ARRIVALS]);
        self.arrived[i] = [true; ARRIVALS];
        self.push_all(truth.children(i), Arrival::Directed);
        self.push_all(truth.parents(i), Arrival::Up);
        while let Some((node, arrival)) = self.stack.pop() {
            match (arrival, self.adjusted[node]) {
                (Arrival::Directed, false) => {
                    self.push_all(truth.children(node), Arrival::Directed);
                }
                (Arrival::Down, false) => self.push_all(truth.children(node), Arrival::Down),
                (Arrival::Directed | Arrival::Down, true) => {
                    self.push_all(truth.parents(node), Arrival::Up);
                }
                (Arrival::Up, false) => {
                    self.push_all(truth.parents(node), Arrival::Up);
                    self.push_all(truth.children(node), Arrival::Down);
                }
                (Arrival::Up, true) => {}
            }
        }
    }

    fn push_all(&mut self, nodes: &[usize], arrival: Arrival) {
        for &node in nodes {
            if !std::mem::replace(&mut self.arrived[node][arrival as usize], true) {
                self.stack.push((node, arrival));
            }
        }
    }
}

impl NamedDag {
    /// Compares an estimate with this graph as the truth, matching their nodes by name.
    ///
    /// # Errors
    /// [`Error::DifferentNames`] if the two do not have the same names.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Dag, NamedDag};
    /// let truth = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, 1.0)])?;
    /// let estimate = NamedDag::from_edges(vec!["b".into(), "a".into()], [(1, 0, 1.0)])?;
    /// assert_eq!(truth.compare(&estimate)?.shd, 0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn compare(&self, estimate: &NamedDag) -> Result<Comparison, Error> {
        compare(self.dag(), estimate.aligned_to(self.names())?.dag())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{all_dags, random_dag};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// Solves `matrix · x = right` by elimination with pivoting; a few unknowns only.
    fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
        let size = right.len();
        for column in 0..size {
            let pivot = (column..size)
                .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))
                .unwrap();
            matrix.swap(column, pivot);
            right.swap(column, pivot);
            let upper = matrix[column].clone();
            for row in column + 1..size {
                let factor = matrix[row][column] / upper[column];
                for (entry, above) in matrix[row].iter_mut().zip(&upper) {
                    *entry -= factor * above;
                }
                right[row] -= factor * right[column];
            }
        }
        for row in (0..size).rev() {
            let rest: f64 = (row + 1..size).map(|at| matrix[row][at] * right[at]).sum();
            right[row] = (right[row] - rest) / matrix[row][row];
        }
        right
    }

    /// Total effects T with T[i][j] the effect of i on j, by summing over directed paths in topological order.
    fn total_effects(dag: &Dag) -> Vec<Vec<f64>> {
        let mut effects = vec![vec![0.0; dag.nodes()]; dag.nodes()];
        for (i, row) in effects.iter_mut().enumerate() {
            row[i] = 1.0;
            for &node in dag.topological_order() {
                for (&parent, &weight) in dag.parents(node).iter().zip(dag.parent_weights(node)) {
                    row[node] += row[parent] * weight;
                }
            }
        }
        effects
    }

    /// The SID from its meaning: in a linear Gaussian model over the truth with generic weights and noise variances,
    /// is the coefficient of xᵢ in the regression of xⱼ on xᵢ and Z the total effect of i on j?
    fn sid_by_regression(truth: &Dag, estimate: &Dag, noise: &[f64]) -> usize {
        let nodes = truth.nodes();
        let effects = total_effects(truth);
        let covariance = |a: usize, b: usize| -> f64 {
            (0..nodes).map(|k| effects[k][a] * effects[k][b] * noise[k]).sum()
        };
        let mut wrong = 0;
        for (i, effects_of_i) in effects.iter().enumerate() {
            for j in (0..nodes).filter(|&j| j != i) {
                let estimated = if estimate.has_edge(j, i) {
                    0.0
                } else {
                    let regressors: Vec<usize> =
                        std::iter::once(i).chain(estimate.parents(i).iter().copied()).collect();
                    let matrix = regressors
                        .iter()
                        .map(|&a| regressors.iter().map(|&b| covariance(a, b)).collect())
                        .collect();
                    solve(matrix, regressors.iter().map(|&a| covariance(a, j)).collect())[0]
                };
                wrong += usize::from((estimated - effects_of_i[j]).abs() > 1e-8);
            }
        }
        wrong
    }

    fn generic(dag: &Dag, rng: &mut ChaCha8Rng) -> (Dag, Vec<f64>) {
        let edges: Vec<_> = dag
            .edges()
            .map(|(a, b, _)| (a, b, rng.random_range(0.5..2.0) * if rng.random() { 1.0 } else { -1.0 }))
            .collect();
        let noise = (0..dag.nodes()).map(|_| rng.random_range(0.5..2.0)).collect();
        (Dag::from_edges(dag.nodes(), edges).unwrap(), noise)
    }

    #[test]
    fn the_example_of_peters_and_buehlmann() {
        let (x1, x2, ys) = (0, 1, [2, 3, 4]);
        let from =
            |edges: &[(usize, usize)]| Dag::from_edges(5, edges.iter().map(|&(a, b)| (a, b, 1.0))).unwrap();
        let mut edges: Vec<_> = ys.iter().flat_map(|&y| [(x1, y), (x2, y)]).collect();
        edges.push((x1, x2));
        let truth = from(&edges);
        edges.push((ys[0], ys[1]));
        let with_extra_edge = from(&edges);
        edges.truncate(6);
        edges.push((x2, x1));
        let with_reversal = from(&edges);
        let first = compare(&truth, &with_extra_edge).unwrap();
        assert_eq!((first.shd, first.sid, first.extra), (1, 0, 1));
        let second = compare(&truth, &with_reversal).unwrap();
        assert_eq!((second.shd, second.sid, second.reversed), (1, 8, 1));
    }

    #[test]
    fn sid_equals_regression_for_every_pair_of_dags_up_to_four_nodes() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for nodes in 1..=4 {
            let dags = all_dags(nodes);
            for truth in &dags {
                let (truth, noise) = generic(truth, &mut rng);
                for estimate in &dags {
                    assert_eq!(
                        sid(&truth, estimate).unwrap(),
                        sid_by_regression(&truth, estimate, &noise),
                        "{truth:?} {estimate:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn sid_equals_regression_for_random_pairs_of_dags() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for round in 0..3000 {
            let nodes = 5 + round % 3;
            let density = rng.random_range(0.1..0.9);
            let truth = random_dag(nodes, density, &mut rng);
            let (truth, noise) = generic(&truth, &mut rng);
            let density = rng.random_range(0.1..0.9);
            let estimate = random_dag(nodes, density, &mut rng);
            assert_eq!(
                sid(&truth, &estimate).unwrap(),
                sid_by_regression(&truth, &estimate, &noise),
                "{truth:?} {estimate:?}"
            );
        }
    }

    #[test]
    fn hamming_distances_equal_a_count_over_all_pairs() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..500 {
            let truth = random_dag(7, 0.4, &mut rng);
            let estimate = random_dag(7, 0.4, &mut rng);
            let (truth_cpdag, estimate_cpdag) = (Cpdag::of(&truth), Cpdag::of(&estimate));
            let (mut by_edge, mut by_mark) = (0, 0);
            for b in 0..7 {
                for a in 0..b {
                    let edge = |dag: &Dag| (dag.has_edge(a, b), dag.has_edge(b, a));
                    by_edge += usize::from(edge(&truth) != edge(&estimate));
                    by_mark += usize::from(truth_cpdag.mark(a, b) != estimate_cpdag.mark(a, b));
                }
            }
            let found = compare(&truth, &estimate).unwrap();
            assert_eq!((found.shd, found.shd_cpdag), (by_edge, by_mark));
            assert_eq!(found.shd, found.missing + found.extra + found.reversed);
            assert_eq!(found.edges_true + found.extra, found.edges_est + found.missing);
            assert_eq!(
                (
                    shd(&truth, &estimate).unwrap(),
                    shd_cpdag(&truth, &estimate).unwrap(),
                    sid(&truth, &estimate).unwrap()
                ),
                (found.shd, found.shd_cpdag, found.sid)
            );
        }
    }

    #[test]
    fn a_supergraph_in_the_same_order_has_sid_zero() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for _ in 0..50 {
            let truth = random_dag(12, 0.3, &mut rng);
            let order = truth.topological_order();
            let full = (0..12).flat_map(|late| (0..late).map(move |early| (order[early], order[late], 1.0)));
            assert_eq!(sid(&truth, &Dag::from_edges(12, full).unwrap()).unwrap(), 0);
            assert_eq!(sid(&truth, &truth).unwrap(), 0);
        }
    }

    #[test]
    fn graphs_of_different_sizes_are_refused() {
        let error = compare(&Dag::empty(3), &Dag::empty(4)).unwrap_err();
        assert_eq!(error.to_string(), "the true graph has 3 nodes, the estimate 4");
    }

    #[test]
    fn classes_are_as_far_apart_as_their_graphs() {
        let graphs: Vec<Dag> = all_dags(3);
        for (truth, estimate) in
            graphs.iter().flat_map(|truth| graphs.iter().map(move |other| (truth, other)))
        {
            let found = shd_classes(&Cpdag::of(truth), &Cpdag::of(estimate)).unwrap();
            assert_eq!(found, shd_cpdag(truth, estimate).unwrap());
        }
        let (two, three) = (Cpdag::of(&Dag::empty(2)), Cpdag::of(&Dag::empty(3)));
        assert!(matches!(shd_classes(&two, &three), Err(Error::Size { expected: 2, found: 3, .. })));
    }
}
