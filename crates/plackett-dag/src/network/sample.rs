//! Forward sampling: each node is drawn after its parents, by inverting the distribution function of its table's row.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::BayesNet;
use crate::categories::{Categories, check_rows};
use crate::error::Result;

/// Rows that share a random stream, and that one thread draws together.
const BLOCK: usize = 4096;

/// Sets these streams apart from those of the linear models, whose keys have 1 to 4 in the same place.
const PURPOSE: u8 = 16;

impl BayesNet {
    /// The stream of [`BayesNet::sample`] for training data.
    pub const TRAINING: u64 = 0;
    /// The stream of [`BayesNet::sample`] for validation data.
    pub const VALIDATION: u64 = 1;

    /// Draws `rows` rows from one of a seed's independent streams, the columns in the order of the nodes and the
    /// categories in that of the states, whether all of them occur or not. The same seed and stream give the same rows
    /// whatever the number of threads, and more rows begin with the fewer.
    ///
    /// A value takes O(1) steps for each parent and O(log r) for its r states; the columns are all the memory there is.
    ///
    /// # Errors
    /// [`Error::TooManyRows`](crate::Error::TooManyRows) for more than [`Categories::MOST_ROWS`].
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::BayesNet;
    /// let net = BayesNet::embedded("alarm")?;
    /// let data = net.sample(500, 1, BayesNet::TRAINING)?;
    /// assert_eq!(data.column(3)[..100], net.sample(100, 1, BayesNet::TRAINING)?.column(3)[..]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn sample(&self, rows: usize, seed: u64, stream: u64) -> Result<Categories> {
        check_rows(rows)?;
        let nodes = self.dag().nodes();
        let bounds: Vec<Vec<f64>> = (0..nodes).map(|node| self.bounds(node)).collect();
        let mut columns = vec![vec![0_u8; rows]; nodes];
        let mut blocks: Vec<Vec<&mut [u8]>> =
            (0..rows.div_ceil(BLOCK)).map(|_| Vec::with_capacity(nodes)).collect();
        for column in &mut columns {
            blocks.iter_mut().zip(column.chunks_mut(BLOCK)).for_each(|(block, part)| block.push(part));
        }
        blocks.into_par_iter().enumerate().for_each_init(
            || vec![0_u32; BLOCK],
            |configurations, (number, mut block)| {
                let mut rng = generator(seed, stream, number as u64);
                self.fill(&mut block, &bounds, configurations, &mut rng);
            },
        );
        Categories::new(self.names().to_vec(), self.states.clone(), columns)
    }

    /// Of each row of a node's table, the sums of the probabilities up to each state.
    fn bounds(&self, node: usize) -> Vec<f64> {
        let arity = self.states(node).len();
        let mut bounds = Vec::with_capacity(self.table(node).len());
        for row in self.table(node).chunks_exact(arity) {
            let last = row.iter().rposition(|&probability| probability > 0.0).unwrap_or(arity - 1);
            let mut sum = 0.0;
            for (state, probability) in row.iter().enumerate() {
                sum += probability;
                // Rounding must leave no room for states of probability zero beyond the last possible one.
                bounds.push(if state < last { sum } else { 1.0 });
            }
        }
        bounds
    }

    /// Draws one block of rows, node by node: `block[node]` is a part of that node's column.
    fn fill(
        &self,
        block: &mut [&mut [u8]],
        bounds: &[Vec<f64>],
        configurations: &mut [u32],
        rng: &mut ChaCha8Rng,
    ) {
        for &node in self.dag().topological_order() {
            let rows = block[node].len();
            let configurations = &mut configurations[..rows];
            configurations.fill(0);
            for &parent in self.dag().parents(node) {
                let arity = self.states(parent).len() as u32;
                for (configuration, &state) in configurations.iter_mut().zip(block[parent].iter()) {
                    *configuration = *configuration * arity + u32::from(state);
                }
            }
            let arity = self.states(node).len();
            for (state, &configuration) in block[node].iter_mut().zip(configurations.iter()) {
                let row = &bounds[node][configuration as usize * arity..][..arity];
                let uniform: f64 = rng.random();
                // The last bound is 1, which no uniform number reaches, and there are at most 256 states.
                *state = row.partition_point(|&bound| bound <= uniform) as u8;
            }
            // A block that is not full draws as many numbers as one that is, so that more rows begin with the fewer.
            for _ in rows..BLOCK {
                let _: f64 = rng.random();
            }
        }
    }
}

fn generator(seed: u64, stream: u64, block: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8] = PURPOSE;
    key[16..24].copy_from_slice(&stream.to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(block);
    rng
}
