//! Data for tests and benchmarks: a random Erdős–Rényi DAG, weights ±U(0.5, 2) and a linear Gaussian SEM on it.

#![allow(dead_code, unreachable_pub, clippy::missing_panics_doc, missing_docs)]

use rand::RngExt as _;
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;

pub struct Rng(ChaCha8Rng);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0.random_range(0..limit)
    }

    pub fn permutation(&mut self, length: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..length).collect();
        for last in (1..length).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}

/// Standard normal by the Box–Muller transform.
pub fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.uniform()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.uniform()).cos()
}

pub struct Sem {
    pub nodes: usize,
    /// Causes first.
    pub order: Vec<usize>,
    /// Row-major, entry (i, j) the weight of i → j.
    pub weights: Vec<f64>,
    /// Row-major, one row per observation.
    pub data: Vec<f64>,
}

/// An Erdős–Rényi SEM with `degree · nodes` expected edges and unit noise.
pub fn sem(nodes: usize, degree: f64, rows: usize, seed: u64) -> Sem {
    let mut rng = Rng::new(seed);
    let order = rng.permutation(nodes);
    let probability = degree * 2.0 / (nodes as f64 - 1.0);
    let mut weights = vec![0.0; nodes * nodes];
    for later in 0..nodes {
        for earlier in 0..later {
            if rng.uniform() < probability {
                let size = 0.5 + 1.5 * rng.uniform();
                let sign = if rng.uniform() < 0.5 { -1.0 } else { 1.0 };
                weights[order[earlier] * nodes + order[later]] = sign * size;
            }
        }
    }
    let mut data = vec![0.0; rows * nodes];
    for row in data.chunks_exact_mut(nodes) {
        for &j in &order {
            row[j] = normal(&mut rng) + (0..nodes).map(|i| row[i] * weights[i * nodes + j]).sum::<f64>();
        }
    }
    Sem { nodes, order, weights, data }
}
