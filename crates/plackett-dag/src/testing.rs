//! What several test modules need: every DAG of a few nodes, and random ones.

use plackett::elementary::{cos, ln};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::graph::Dag;

/// Every DAG over `nodes` nodes: each pair joined one way, the other way or not at all, without the cyclic ones.
pub(crate) fn all_dags(nodes: usize) -> Vec<Dag> {
    let pairs: Vec<(usize, usize)> = (0..nodes).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    (0..3_usize.pow(pairs.len() as u32))
        .filter_map(|mut code| {
            let mut parents = vec![Vec::new(); nodes];
            for &(a, b) in &pairs {
                match code % 3 {
                    1 => parents[b].push(a),
                    2 => parents[a].push(b),
                    _ => {}
                }
                code /= 3;
            }
            Dag::from_parents(parents).ok()
        })
        .collect()
}

/// A DAG over a random order in which each pair is joined with probability `density`, weights in ±[0.5, 2].
pub(crate) fn random_dag(nodes: usize, density: f64, rng: &mut impl rand::Rng) -> Dag {
    let mut order: Vec<usize> = (0..nodes).collect();
    for at in (1..nodes).rev() {
        order.swap(at, rng.random_range(0..=at));
    }
    let mut edges = Vec::new();
    for late in 0..nodes {
        for early in 0..late {
            if rng.random_bool(density) {
                let size: f64 = rng.random_range(0.5..2.0);
                edges.push((order[early], order[late], if rng.random() { size } else { -size }));
            }
        }
    }
    Dag::from_edges(nodes, edges).expect("edges follow an order")
}

/// Random numbers for data.
pub(crate) struct Rng(ChaCha8Rng);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Uniform in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0.random()
    }
}

/// Standard normal by the Box–Muller transform.
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * ln(1.0 - rng.uniform())).sqrt();
    radius * cos(std::f64::consts::TAU * rng.uniform())
}

/// The moments of correlated columns: each new one is noise plus some of those before it.
pub(crate) fn random_gram(nodes: usize, rows: usize, seed: u64) -> crate::Gram {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let weights: Vec<f64> = (0..nodes * nodes).map(|_| rng.random_range(-0.8..0.8)).collect();
    let mut values = Vec::with_capacity(rows * nodes);
    for _ in 0..rows {
        let start = values.len();
        for node in 0..nodes {
            let earlier: f64 =
                (0..node).map(|other| weights[node * nodes + other] * values[start + other]).sum();
            values.push(earlier + rng.random_range(-1.0..1.0));
        }
    }
    crate::Gram::from_rows(&values, nodes, crate::gram::Centering::Center).unwrap()
}
