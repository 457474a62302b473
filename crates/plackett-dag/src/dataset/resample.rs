//! Rows that can be drawn again. A resample is made by weights on the rows, how often each was drawn: the moments XᵀWX of numbers, the
//! weighted counts of categories. No row is copied to stand beside itself.

use std::sync::Arc;

use plackett::Noise;
use rand::RngExt as _;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Binomial, Distribution as _};

use crate::gram::{Centering, GramBuilder, NumberRows, RowSource};
use crate::{Error, Observations, Result};

/// Resamples draw from streams of their own, not from those that the searches have under the same seed.
const STREAMS: u64 = 0x626f_6f74_7374_7261;

/// What a graph is learned from, with its rows at hand. Made by [`Dataset::resampler`](crate::Dataset::resampler).
///
/// ```
/// use plackett_dag::{Dataset, dataset::Reading, gram::Centering};
/// let text = "a,b\n1.5,2.5\n2.25,1.75\n3.5,0.5\n1.75,2.25\n";
/// let rows = Dataset::from_reader(text.as_bytes(), "data.csv", &Reading::default())?.resampler(Centering::Center)?;
/// let counts = rows.draw(7, 0); // how often each row is in the first resample under the seed 7
/// assert_eq!((counts.len(), counts.iter().sum::<u32>()), (4, 4));
/// assert_eq!(rows.resampled(&counts)?.rows(), 4);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Resampler {
    whole: Observations,
    centering: Centering,
    chances: Chances,
}

/// How likely rows are to be drawn, and what they weigh then.
#[derive(Clone, Debug)]
enum Chances {
    /// So many rows, all alike.
    Equal(usize),
    /// Each stands for so many rows, and is drawn as often as they are.
    Counts(Vec<u32>),
    /// Drawn alike, each has its own weight, relative to the others.
    Relative(Vec<f64>),
}

impl Resampler {
    /// Data that hold their rows, to be drawn again; `centering` is what was done to their numbers.
    ///
    /// # Errors
    /// [`Error::Misfit`] if they hold moments only.
    pub fn of(whole: Observations, centering: Centering) -> Result<Self> {
        let is_held = match &whole {
            Observations::Numbers(_) => rows_of(&whole).is_some(),
            Observations::Joint(_) => false,
            Observations::Categories(_) | Observations::Mixed(_) => true,
        };
        if is_held {
            return Ok(Self::new(whole, centering));
        }
        let reason =
            "draws rows anew, and the rows of these numbers cannot be taken apart from what is said of them";
        Err(Error::Misfit { setting: "bootstrap", reason: reason.to_owned() })
    }

    /// Data that hold their rows.
    fn new(whole: Observations, centering: Centering) -> Self {
        let chances = match &whole {
            Observations::Categories(data) => match data.counts() {
                Some(counts) => Chances::Counts(counts.to_vec()),
                None => Chances::Equal(data.row_count()),
            },
            Observations::Mixed(data) => Chances::Equal(data.rows()),
            Observations::Numbers(_) | Observations::Joint(_) => match rows_of(&whole) {
                Some(rows) => match rows.weights() {
                    Some(weights) => Chances::of_weights(weights),
                    None => Chances::Equal(rows.columns().first().map_or(0, |column| column.len())),
                },
                None => Chances::Equal(0),
            },
        };
        Self { whole, centering, chances }
    }

    /// What a graph is learned from without any resampling.
    pub fn observations(&self) -> &Observations {
        &self.whole
    }

    /// The number of rows that a resample has counts for.
    pub fn rows(&self) -> usize {
        match &self.chances {
            Chances::Equal(rows) => *rows,
            Chances::Counts(counts) => counts.len(),
            Chances::Relative(weights) => weights.len(),
        }
    }

    /// How often each row is in a resample: the same for the same seed and number of the resample, whatever was drawn before.
    /// As many rows are drawn, with replacement, as there are; where weights are numbers of rows, as many as they stand for. Where
    /// columns were set from outside in some rows, every experiment keeps its number of rows: that was chosen, not observed.
    pub fn draw(&self, seed: u64, replicate: u64) -> Vec<u32> {
        let mut noise = Noise::new(seed ^ STREAMS);
        let rng = noise.stream(replicate);
        let mut counts = vec![0; self.rows()];
        for rows in self.strata() {
            match &self.chances {
                Chances::Counts(weights) => {
                    let weights: Vec<u32> = rows.iter().map(|&row| weights[row]).collect();
                    let drawn = multinomial(&weights, rng);
                    rows.iter().zip(drawn).for_each(|(&row, count)| counts[row] = count);
                }
                Chances::Equal(_) | Chances::Relative(_) => {
                    for _ in 0..rows.len() {
                        counts[rows[rng.random_range(0..rows.len() as u64) as usize]] += 1;
                    }
                }
            }
        }
        counts
    }

    /// The rows among which each is drawn: those of one experiment, or all.
    fn strata(&self) -> Vec<Vec<usize>> {
        let Some(told) = self.whole.interventions() else { return vec![(0..self.rows()).collect()] };
        let mut strata = vec![Vec::new(); told.regimes().len()];
        for (row, &regime) in told.regime_of_rows().iter().enumerate() {
            strata[regime as usize].push(row);
        }
        strata
    }

    /// What a graph is learned from where each row is there so many times. O(rows·columns²) for numbers, O(rows·columns) for others.
    ///
    /// # Errors
    /// [`Error::Size`] unless there is a count for each row; [`Error::Empty`] if all are zero.
    pub fn resampled(&self, counts: &[u32]) -> Result<Observations> {
        if counts.len() != self.rows() {
            let (expected, found) = (self.rows(), counts.len());
            return Err(Error::Size { what: "the list of counts", expected, found });
        }
        Ok(match &self.whole {
            Observations::Categories(data) => {
                Observations::Categories(Arc::new(data.uncounted().with_counts(counts.to_vec())?))
            }
            Observations::Mixed(data) => {
                let weights: Vec<f64> = counts.iter().map(|&count| f64::from(count)).collect();
                Observations::Mixed(Arc::new(data.weighted(&weights)?))
            }
            Observations::Numbers(_) | Observations::Joint(_) => {
                let rows = rows_of(&self.whole).ok_or(Error::Empty)?;
                let columns = rows.columns();
                let mut builder = GramBuilder::new(columns.len())?;
                let mut values = vec![0.0; columns.len()];
                let source = RowSource {
                    values: |row: usize, target: &mut [f64]| {
                        target.iter_mut().zip(columns).for_each(|(value, column)| *value = column[row]);
                    },
                    weight: |row: usize| match &self.chances {
                        Chances::Relative(weights) => (weights[row], counts[row]),
                        Chances::Equal(_) | Chances::Counts(_) => (1.0, counts[row]),
                    },
                };
                for row in (0..counts.len()).filter(|&row| counts[row] > 0) {
                    (source.values)(row, &mut values);
                    let (weight, count) = (source.weight)(row);
                    builder.push_times(&values, weight, count)?;
                }
                let gram = builder.finish(self.centering)?;
                let gram = match self.whole.interventions() {
                    Some(told) => gram.intervened(told, counts.len(), &source, self.centering)?,
                    None => gram,
                };
                let weight = |row: usize| {
                    let (weight, count) = (source.weight)(row);
                    weight * f64::from(count)
                };
                Observations::Numbers(Arc::new(
                    gram.holding(rows.weighing((0..counts.len()).map(weight).collect())),
                ))
            }
        })
    }
}

/// The rows of complete numbers; other data have theirs by themselves.
fn rows_of(data: &Observations) -> Option<&NumberRows> {
    match data {
        Observations::Numbers(gram) => gram.number_rows(),
        _ => None,
    }
}

impl Chances {
    /// Whole weights are numbers of rows, others are relative to one another.
    fn of_weights(weights: &[f64]) -> Self {
        #[expect(clippy::cast_sign_loss, reason = "checked")]
        let count = |&weight: &f64| {
            (weight.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&weight)).then_some(weight as u32)
        };
        match weights.iter().map(count).collect::<Option<Vec<u32>>>() {
            Some(counts) => Self::Counts(counts),
            None => Self::Relative(weights.to_vec()),
        }
    }
}

/// Draws as many rows as there are, each standing for so many: row by row, how many of those still to be drawn are of it.
fn multinomial(weights: &[u32], rng: &mut ChaCha8Rng) -> Vec<u32> {
    let mut rows_left: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    let mut draws_left = rows_left;
    let draw = |&weight: &u32| {
        let weight = u64::from(weight);
        let count = match Binomial::new(draws_left, weight as f64 / rows_left.max(1) as f64) {
            Ok(_) if weight == 0 || draws_left == 0 => 0,
            Ok(_) if weight == rows_left => draws_left,
            Ok(binomial) => binomial.sample(rng),
            // Not for a share between 0 and 1.
            Err(_) => 0,
        };
        rows_left -= weight;
        draws_left -= count;
        count as u32
    };
    weights.iter().map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Categories;

    fn categories(counts: Vec<u32>) -> Resampler {
        let rows = counts.len();
        let levels = vec![(0..rows).map(|row| row.to_string()).collect()];
        let data = Categories::new(vec!["a".into()], levels, vec![(0..rows as u8).collect()]).unwrap();
        let whole = Observations::Categories(Arc::new(data.with_counts(counts).unwrap()));
        Resampler::new(whole, Centering::Center)
    }

    /// Means and covariances of the counts against those of the multinomial distribution, within six standard errors.
    #[test]
    fn rows_are_drawn_as_often_as_they_stand_for_rows() {
        const DRAWS: u64 = 20_000;
        for counts in [vec![1, 1, 1, 1], vec![5, 0, 1, 14], vec![1_000_000, 2_000_000]] {
            let counts: Vec<u32> = counts.into_iter().filter(|&count| count > 0).collect();
            let total = f64::from(counts.iter().sum::<u32>());
            let rows = categories(counts.clone());
            let drawn: Vec<Vec<u32>> = (0..DRAWS).map(|replicate| rows.draw(3, replicate)).collect();
            assert!(drawn.iter().all(|draw| f64::from(draw.iter().sum::<u32>()) == total));
            for (a, &count) in counts.iter().enumerate() {
                let share = f64::from(count) / total;
                let values = || drawn.iter().map(|draw| f64::from(draw[a]));
                let mean = values().sum::<f64>() / DRAWS as f64;
                let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / DRAWS as f64;
                let expected = total * share * (1.0 - share);
                let error = (expected / DRAWS as f64).sqrt();
                assert!((mean - f64::from(count)).abs() <= 6.0 * error, "{mean} for {count}");
                let spread = expected * (3.0 / DRAWS as f64).sqrt();
                assert!((variance - expected).abs() <= 6.0 * spread + 1e-9, "{variance} for {expected}");
            }
        }
    }

    #[test]
    fn a_resample_depends_on_its_seed_and_number_alone() {
        let rows = categories(vec![1; 50]);
        let again = rows.clone();
        assert_eq!(rows.draw(1, 5), again.draw(1, 5));
        assert_ne!(rows.draw(1, 5), rows.draw(1, 6));
        assert_ne!(rows.draw(1, 5), rows.draw(2, 5));
        assert!(matches!(rows.resampled(&[1]), Err(Error::Size { .. })));
        assert!(Resampler::rows(&rows) == 50);
    }
}
