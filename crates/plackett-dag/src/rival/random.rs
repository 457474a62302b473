//! RANDOM: an Erdős–Rényi graph with the expected number of edges and random weights that no data were asked about.

use plackett::Noise;
use plackett::run::Ending;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::{Learned, order_of};
use crate::error::check_setting;
use crate::{Dag, Error};

/// The sizes of the weights, those of the simulated models; their signs are fair coins.
const WEIGHT_SIZES: std::ops::Range<f64> = 0.5..2.0;

/// The method RANDOM.
///
/// ```
/// use plackett_dag::rival::Random;
/// let learned = Random { expected_edges: 45.0 }.run(10, 0)?;
/// assert_eq!(learned.dag.edge_count(), 45); // every pair
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Random {
    /// How many edges to expect; more than there are pairs means all of them.
    pub expected_edges: f64,
}

impl Random {
    /// Draws a graph of this many nodes: each pair is joined with the same probability, along a random order.
    ///
    /// # Errors
    /// [`Error::Setting`] if the expected number of edges is negative or not a number.
    pub fn run(&self, nodes: usize, seed: u64) -> Result<Learned, Error> {
        let expected = self.expected_edges;
        check_setting("expected_edges", expected, expected >= 0.0, "it must not be negative")?;
        let pairs = nodes as f64 * (nodes as f64 - 1.0) / 2.0;
        let probability = if expected < pairs { expected / pairs } else { 1.0 };
        let mut noise = Noise::new(seed);
        let rng = noise.stream(0);
        let mut items: Vec<usize> = (0..nodes).collect();
        items.shuffle(rng);
        let mut edges = Vec::new();
        for late in 0..nodes {
            for early in 0..late {
                if rng.random_bool(probability) {
                    let size = rng.random_range(WEIGHT_SIZES);
                    edges.push((items[early], items[late], if rng.random() { size } else { -size }));
                }
            }
        }
        let order = order_of(items);
        Ok(Learned {
            dag: Dag::from_edges(nodes, edges)?,
            order,
            trace: Vec::new(),
            ending: Ending::Finished,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_expected_number_of_edges_and_follows_its_order() {
        let mut total = 0;
        for seed in 0..400 {
            let learned = Random { expected_edges: 20.0 }.run(20, seed).unwrap();
            let ranks = learned.order.inverse();
            assert!(
                learned
                    .dag
                    .edges()
                    .all(|(from, to, w)| { ranks[from] < ranks[to] && (0.5..2.0).contains(&w.abs()) })
            );
            total += learned.dag.edge_count();
        }
        // 400 draws of mean 20 and variance 20·(1 − 20/190): six standard errors are 1.27.
        assert!((total as f64 / 400.0 - 20.0).abs() < 1.27);
    }

    #[test]
    fn is_a_function_of_its_seed_and_refuses_nonsense() {
        let random = Random { expected_edges: 10.0 };
        assert_eq!(random.run(10, 3).unwrap(), random.run(10, 3).unwrap());
        assert_ne!(random.run(10, 3).unwrap(), random.run(10, 4).unwrap());
        assert!(Random { expected_edges: -1.0 }.run(10, 0).is_err());
        assert!(Random { expected_edges: f64::NAN }.run(10, 0).is_err());
        assert_eq!(Random { expected_edges: f64::INFINITY }.run(4, 0).unwrap().dag.edge_count(), 6);
        assert_eq!(Random { expected_edges: 3.0 }.run(1, 0).unwrap().dag.nodes(), 1);
        assert_eq!(Random { expected_edges: 3.0 }.run(0, 0).unwrap().dag.nodes(), 0);
    }
}
