//! Forward sampling: each node is drawn after its parents, by inverting the distribution function of its table's row.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::BayesNet;
use crate::categories::{Categories, check_rows};
use crate::error::Result;
use crate::parallel;

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
    /// A value takes O(1) steps for each parent and O(r) for its r states; the columns are all the memory there is.
    ///
    /// # Errors
    /// [`Error::TooManyRows`](crate::Error::TooManyRows) for more than [`Categories::MOST_ROWS`], and more than there is memory for.
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
        plackett::memory::check("so many rows", rows as u128 * nodes as u128)?;
        let bounds: Vec<Vec<f64>> = (0..nodes).map(|node| self.bounds(node)).collect();
        let mut columns = vec![vec![0_u8; rows]; nodes];
        let mut blocks: Vec<Vec<&mut [u8]>> =
            (0..rows.div_ceil(BLOCK)).map(|_| Vec::with_capacity(nodes)).collect();
        for column in &mut columns {
            blocks.iter_mut().zip(column.chunks_mut(BLOCK)).for_each(|(block, part)| block.push(part));
        }
        let blocks: Vec<_> = (0..).zip(blocks).collect();
        let () = parallel::map_with(
            blocks,
            || vec![0_u32; BLOCK],
            |configurations, (number, mut block)| {
                let mut rng = generator(seed, stream, number);
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
                // The last bound is 1, which no uniform number reaches, and there are at most 256 states. Counting takes
                // no branch, and a search would take the wrong one half of the time.
                *state = row.iter().map(|&bound| u8::from(bound <= uniform)).sum();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_as_frequent_as_their_probabilities() {
        for (name, rows) in [("alarm", 200_000), ("insurance", 100_000), ("asia", 50_000)] {
            let net = BayesNet::embedded(name).unwrap();
            let data = net.sample(rows, 3, BayesNet::TRAINING).unwrap();
            let (mut statistic, mut freedom) = (0.0, 0.0);
            for node in 0..net.dag().nodes() {
                let arity = net.states(node).len();
                let mut counts = vec![0_u32; net.table(node).len()];
                for row in 0..rows {
                    let mut configuration = 0;
                    for &parent in net.dag().parents(node) {
                        configuration =
                            configuration * net.states(parent).len() + usize::from(data.column(parent)[row]);
                    }
                    counts[configuration * arity + usize::from(data.column(node)[row])] += 1;
                }
                for (configuration, counts) in counts.chunks_exact(arity).enumerate() {
                    let total = f64::from(counts.iter().sum::<u32>());
                    let probabilities = net.row(node, configuration);
                    let cells =
                        || counts.iter().zip(probabilities).filter(|&(_, &probability)| probability > 0.0);
                    assert_eq!(
                        cells().map(|(&count, _)| f64::from(count)).sum::<f64>(),
                        total,
                        "an impossible state"
                    );
                    // Where fewer are expected the statistic does not follow its distribution.
                    if cells().all(|(_, probability)| probability * total >= 5.0) {
                        let term = |(&count, probability): (&u32, &f64)| {
                            let expected = probability * total;
                            (f64::from(count) - expected).powi(2) / expected
                        };
                        statistic += cells().map(term).sum::<f64>();
                        freedom += cells().count() as f64 - 1.0;
                    }
                }
            }
            // Mean and variance of χ² are its degrees of freedom and twice that: five standard deviations.
            assert!(
                freedom > 9.0 && (statistic - freedom).abs() < 5.0 * (2.0 * freedom).sqrt(),
                "{name}: {statistic} {freedom}"
            );
        }
    }

    #[test]
    fn marginals_are_the_published_ones() {
        // S. L. Lauritzen and D. J. Spiegelhalter give these to two digits; more follow by adding up by hand.
        let net = BayesNet::embedded("asia").unwrap();
        let rows = 400_000;
        let data = net.sample(rows, 8, BayesNet::VALIDATION).unwrap();
        for (name, probability) in [
            ("tub", 0.0104),
            ("lung", 0.055),
            ("bronc", 0.45),
            ("either", 0.064_828),
            ("xray", 0.110_290),
            ("dysp", 0.435_971),
        ] {
            let node = net.names().iter().position(|other| other == name).unwrap();
            let ones: f64 = data.column(node).iter().map(|&state| f64::from(u8::from(state == 0))).sum();
            let share = ones / f64::from(rows as u32);
            let error = (probability * (1.0 - probability) / f64::from(rows as u32)).sqrt();
            assert!((share - probability).abs() < 5.0 * error, "{name}: {share}");
        }
    }

    #[test]
    fn rows_depend_on_seed_and_stream_alone() {
        let net = BayesNet::embedded("child").unwrap();
        let draw = |rows, seed, stream, threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| net.sample(rows, seed, stream).unwrap())
        };
        let rows = 3 * BLOCK + 5;
        let data = draw(rows, 1, 0, 1);
        assert_eq!(data, draw(rows, 1, 0, 3));
        assert_ne!(data, draw(rows, 2, 0, 1));
        assert_ne!(data, draw(rows, 1, 1, 1));
        let fewer = draw(BLOCK + 7, 1, 0, 2);
        for column in 0..data.columns() {
            assert_eq!(data.column(column)[..BLOCK + 7], *fewer.column(column));
        }
        assert_ne!(data.column(1)[..BLOCK], data.column(1)[BLOCK..2 * BLOCK]);
        assert_eq!(draw(0, 1, 0, 1).row_count(), 0);
        assert!(net.sample(Categories::MOST_ROWS + 1, 1, 0).is_err());
    }

    #[test]
    fn data_of_a_seed_stay_the_same_from_version_to_version() {
        let data = BayesNet::embedded("survey").unwrap().sample(6, 42, BayesNet::TRAINING).unwrap();
        let columns: Vec<&[u8]> = (0..data.columns()).map(|column| data.column(column)).collect();
        assert_eq!(columns, FROZEN);
    }

    const FROZEN: [[u8; 6]; 6] =
        [[0, 2, 0, 2, 0, 1], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1], [0; 6], [1; 6], [0, 2, 0, 0, 1, 2]];

    #[test]
    fn every_state_is_a_category_even_if_it_is_never_drawn() {
        let text = "variable a { type discrete [3] { x, y, z }; } probability (a) { table 0, 1, 0; }";
        let data = BayesNet::from_bif(text, "n.bif").unwrap().sample(100, 0, 0).unwrap();
        assert_eq!((data.levels(0).len(), data.column(0)), (3, &[1; 100][..]));
    }
}
