//! Numbers and categories side by side, perhaps with missing values: what the scores of mixed data are made from.
//!
//! As a Gaussian sees them (`Blocks`), a column of numbers is itself and a category is a block of indicator columns, one for
//! each of its levels that occurs but the most frequent: the rest is told by their sum. So one Gram matrix holds all moments.

use plackett::run::Run;

use crate::gram::{Centering, GramBuilder};
use crate::interventions::Interventions;
use crate::pace::Pace;
use crate::{Error, Gram, Result};

/// A column of [`Mixed`] data.
///
/// ```
/// use plackett_dag::mixed::MixedColumn;
/// let column = MixedColumn::Categories { codes: vec![0, 2, 1], levels: 2 };
/// assert_eq!((column.rows(), column.missing()), (3, 1));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum MixedColumn {
    /// Finite numbers, NaN where they are missing.
    Numbers(Vec<f64>),
    /// Codes below the number of levels; that number itself stands for a missing value.
    Categories {
        /// A code for each row.
        codes: Vec<u8>,
        /// How many categories there are.
        levels: usize,
    },
}

impl MixedColumn {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Categories { codes, .. } => codes.len(),
        }
    }

    /// How many values are missing.
    pub fn missing(&self) -> usize {
        (0..self.rows()).filter(|&row| self.is_missing(row)).count()
    }

    /// Whether the value of an existing row is missing.
    pub(crate) fn is_missing(&self, row: usize) -> bool {
        match self {
            Self::Numbers(numbers) => numbers[row].is_nan(),
            Self::Categories { codes, levels } => usize::from(codes[row]) == *levels,
        }
    }

    /// Whether it holds numbers.
    pub fn is_numeric(&self) -> bool {
        matches!(self, Self::Numbers(_))
    }
}

/// Columns of numbers and of categories, all of one length.
///
/// ```
/// use plackett_dag::{Mixed, mixed::MixedColumn};
/// let dose = MixedColumn::Numbers(vec![0.5, 1.5, 0.2]);
/// let cured = MixedColumn::Categories { codes: vec![0, 1, 0], levels: 2 };
/// let data = Mixed::new(vec![dose, cured])?;
/// assert_eq!((data.rows(), data.columns().len(), data.is_complete()), (3, 2, true));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mixed {
    rows: usize,
    columns: Vec<MixedColumn>,
    is_complete: bool,
    centering: Centering,
    /// How many rows each stands for, if not one.
    weights: Option<Vec<f64>>,
    /// What all rows together stand for.
    total: f64,
    interventions: Option<Interventions>,
}

impl Mixed {
    /// Puts columns side by side.
    ///
    /// # Errors
    /// [`Error::Empty`] without rows; [`Error::Size`] if the columns are not of one length or a code is beyond the levels;
    /// [`Error::NotFinite`] for an infinite number; [`Error::TooManyRows`] for more rows than categories can be counted in.
    ///
    /// ```
    /// use plackett_dag::{Mixed, mixed::MixedColumn};
    /// assert!(Mixed::new(vec![MixedColumn::Numbers(vec![1.0]), MixedColumn::Numbers(vec![])]).is_err());
    /// ```
    pub fn new(columns: Vec<MixedColumn>) -> Result<Self> {
        let rows = columns.first().map_or(0, MixedColumn::rows);
        if rows == 0 {
            return Err(Error::Empty);
        }
        for (at, column) in columns.iter().enumerate() {
            if column.rows() != rows {
                return Err(Error::Size { what: "a column", expected: rows, found: column.rows() });
            }
            match column {
                MixedColumn::Numbers(numbers) => {
                    if let Some(row) = numbers.iter().position(|number| number.is_infinite()) {
                        return Err(Error::NotFinite { row, column: at });
                    }
                }
                MixedColumn::Categories { codes, levels } => {
                    crate::categories::check_rows(rows)?;
                    let most = codes.iter().max().map_or(0, |&code| usize::from(code));
                    if most > *levels {
                        return Err(Error::Size {
                            what: "the list of categories",
                            expected: most,
                            found: *levels,
                        });
                    }
                }
            }
        }
        let is_complete = columns.iter().all(|column| column.missing() == 0);
        Ok(Self {
            rows,
            columns,
            is_complete,
            centering: Centering::Center,
            weights: None,
            total: rows as f64,
            interventions: None,
        })
    }

    /// The same rows, each of which stands for so many, whole or not; those that stand for none are left out.
    ///
    /// # Errors
    /// [`Error::Size`] unless there is a weight for each row; [`Error::Setting`] for one that is negative or not finite;
    /// [`Error::Empty`] if all are zero.
    ///
    /// ```
    /// use plackett_dag::{Mixed, mixed::MixedColumn};
    /// let data = Mixed::new(vec![MixedColumn::Numbers(vec![0.5, 1.5, 0.2])])?.weighted(&[2.0, 0.0, 1.0])?;
    /// assert_eq!((data.rows(), data.total()), (2, 3.0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn weighted(&self, weights: &[f64]) -> Result<Self> {
        if weights.len() != self.rows {
            return Err(Error::Size {
                what: "the list of weights",
                expected: self.rows,
                found: weights.len(),
            });
        }
        if let Some(weight) = weights.iter().find(|weight| !(0.0..f64::INFINITY).contains(*weight)) {
            let reason = "weights are finite and not negative";
            return Err(Error::Setting { name: "weight", value: weight.to_string(), reason });
        }
        let kept: Vec<usize> = (0..self.rows).filter(|&row| weights[row] > 0.0).collect();
        if kept.is_empty() {
            return Err(Error::Empty);
        }
        let column = |column: &MixedColumn| match column {
            MixedColumn::Numbers(numbers) => {
                MixedColumn::Numbers(kept.iter().map(|&row| numbers[row]).collect())
            }
            MixedColumn::Categories { codes, levels } => MixedColumn::Categories {
                codes: kept.iter().map(|&row| codes[row]).collect(),
                levels: *levels,
            },
        };
        let columns: Vec<MixedColumn> = self.columns.iter().map(column).collect();
        let is_complete = self.is_complete || columns.iter().all(|column| column.missing() == 0);
        let weights: Vec<f64> = kept.iter().map(|&row| weights[row] * self.weight(row)).collect();
        let total = weights.iter().sum();
        Ok(Self {
            rows: kept.len(),
            columns,
            is_complete,
            centering: self.centering,
            weights: Some(weights),
            total,
            interventions: self
                .interventions
                .as_ref()
                .map(|told| told.of_rows(|row| kept.binary_search(&row).is_ok())),
        })
    }

    /// How many rows an existing one stands for.
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// How many rows each stands for, if not one.
    pub(crate) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The same as whole numbers.
    ///
    /// # Errors
    /// [`Error::Misfit`] for weights that are no numbers of rows.
    pub(crate) fn whole_weights(&self) -> Result<Option<Vec<u32>>> {
        #[expect(clippy::cast_sign_loss, reason = "checked")]
        let whole = |&weight: &f64| -> Result<u32> {
            if weight.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&self.total) {
                return Ok(weight as u32);
            }
            let reason = "are not whole, and the scores of categories count rows".to_owned();
            Err(Error::Misfit { setting: "weights", reason })
        };
        self.weights().map(|weights| weights.iter().map(whole).collect()).transpose()
    }

    /// The number of rows, each counting as often as its weight says.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// What is done to columns of numbers before their products are taken, if all columns are numbers. Scores of mixed data do not
    /// depend on the units.
    #[must_use]
    pub fn centered(self, centering: Centering) -> Self {
        Self { centering, ..self }
    }

    /// The same rows, of which some were made by setting columns from outside. A column is then scored on the rows in which it
    /// was not.
    ///
    /// # Errors
    /// [`Error::Size`] unless there are targets for each row, among as many nodes as columns; [`Error::Misfit`] if fewer
    /// than two rows tell of a column.
    pub fn with_interventions(self, interventions: Interventions) -> Result<Self> {
        interventions.check(self.columns.len(), self.rows)?;
        Ok(Self { interventions: Some(interventions), ..self })
    }

    /// Which columns were set from outside in which rows, if any were.
    pub fn interventions(&self) -> Option<&Interventions> {
        self.interventions.as_ref()
    }

    /// The rows in which a column was not set from outside, if it was in others.
    pub(crate) fn kept_by(&self, column: usize) -> Option<Self> {
        let interventions = self.interventions.as_ref()?;
        let keeps = interventions.keeps(column);
        if keeps.iter().all(|&is_kept| is_kept) {
            return None;
        }
        let regimes = interventions.regime_of_rows();
        let columns: Vec<MixedColumn> = self
            .columns
            .iter()
            .map(|column| match column {
                MixedColumn::Numbers(numbers) => MixedColumn::Numbers(kept(numbers, regimes, &keeps)),
                MixedColumn::Categories { codes, levels } => {
                    MixedColumn::Categories { codes: kept(codes, regimes, &keeps), levels: *levels }
                }
            })
            .collect();
        let is_complete = columns.iter().all(|column| column.missing() == 0);
        let rows = interventions.kept_rows(column);
        let weights = self.weights.as_ref().map(|weights| kept(weights, regimes, &keeps));
        let total = weights.as_ref().map_or(rows as f64, |weights| weights.iter().sum());
        Some(Self {
            rows,
            columns,
            is_complete,
            centering: self.centering,
            weights,
            total,
            interventions: None,
        })
    }

    pub(crate) fn centering(&self) -> Centering {
        self.centering
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns.
    pub fn columns(&self) -> &[MixedColumn] {
        &self.columns
    }

    /// Whether no value is missing.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Some of the columns, of which there is at least one.
    pub(crate) fn of_columns(&self, places: &[usize]) -> Self {
        let columns: Vec<MixedColumn> = places.iter().map(|&at| self.columns[at].clone()).collect();
        let is_complete = columns.iter().all(|column| column.missing() == 0);
        let interventions = self.interventions.as_ref().map(|told| told.of_nodes(places));
        Self { columns, is_complete, weights: self.weights.clone(), interventions, ..*self }
    }

    /// Whether all columns hold numbers, or none does; nothing if they are mixed.
    pub(crate) fn is_numeric(&self) -> Option<bool> {
        let first = self.columns[0].is_numeric();
        self.columns.iter().all(|column| column.is_numeric() == first).then_some(first)
    }

    /// For how many rows the values of two columns are both there, on average over all pairs of columns. The moments of
    /// incomplete data say about as much as those of so many complete rows.
    pub(crate) fn effective_rows(&self) -> f64 {
        let columns = self.columns.len();
        if columns < 2 || self.is_complete {
            return self.total;
        }
        let mut pairs = 0.0;
        for row in 0..self.rows {
            let there = self.columns.iter().filter(|column| !column.is_missing(row)).count() as u64;
            pairs += (there * there.saturating_sub(1) / 2) as f64 * self.weight(row);
        }
        (pairs / (columns * (columns - 1) / 2) as f64).max(1.0)
    }
}

/// The values in rows whose regime is kept.
fn kept<T: Copy>(values: &[T], regimes: &[u32], keeps: &[bool]) -> Vec<T> {
    let rows = values.iter().zip(regimes).filter(|(_, regime)| keeps[**regime as usize]);
    rows.map(|(&value, _)| value).collect()
}

/// Which columns stand for which nodes when categories become indicators.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Where the columns of each node start; the last entry is where they all end.
    pub(crate) starts: Vec<usize>,
    /// For each level of each category its own column, counted from the node's first; none for the reference level and for
    /// levels that do not occur.
    places: Vec<Vec<Option<usize>>>,
}

impl Layout {
    pub(crate) fn of(data: &Mixed) -> Self {
        Self::of_counts(data.columns.iter().map(|column| match column {
            MixedColumn::Numbers(_) => None,
            MixedColumn::Categories { codes, levels } => {
                let mut counts = vec![0.0; levels + 1];
                codes
                    .iter()
                    .enumerate()
                    .for_each(|(row, &code)| counts[usize::from(code)] += data.weight(row));
                counts.truncate(*levels);
                Some(counts)
            }
        }))
    }

    /// Of columns in turn: nothing for numbers, and in how many rows each level of a category occurs.
    pub(crate) fn of_counts(columns: impl Iterator<Item = Option<Vec<f64>>>) -> Self {
        let (mut starts, mut places) = (vec![0], Vec::new());
        for counts in columns {
            let (width, place) = match counts {
                None => (1, Vec::new()),
                Some(counts) => {
                    let most = counts.iter().copied().fold(0.0, f64::max);
                    let reference = counts.iter().position(|&count| count == most);
                    let mut width = 0;
                    let place = counts.iter().enumerate().map(|(level, &count)| {
                        let is_column = count > 0.0 && Some(level) != reference;
                        width += usize::from(is_column);
                        is_column.then(|| width - 1)
                    });
                    let place = place.collect();
                    (width, place)
                }
            };
            starts.push(starts[starts.len() - 1] + width);
            places.push(place);
        }
        Self { starts, places }
    }

    /// The number of columns of all nodes together.
    pub(crate) fn width(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The columns of a node.
    pub(crate) fn block(&self, node: usize) -> std::ops::Range<usize> {
        self.starts[node]..self.starts[node + 1]
    }

    /// The levels of a category that have columns, in their order.
    pub(crate) fn levels(&self, node: usize) -> impl Iterator<Item = usize> {
        let place = |(level, place): (usize, &Option<usize>)| place.map(|_| level);
        self.places[node].iter().enumerate().filter_map(place)
    }

    /// A row of the data as numbers and indicators, NaN where a value is missing.
    pub(crate) fn write_row(&self, data: &Mixed, row: usize, values: &mut [f64]) {
        for (node, column) in data.columns.iter().enumerate() {
            let block = &mut values[self.block(node)];
            match column {
                MixedColumn::Numbers(numbers) => block[0] = numbers[row],
                MixedColumn::Categories { codes, levels } => {
                    let code = usize::from(codes[row]);
                    block.fill(if code == *levels { f64::NAN } else { 0.0 });
                    if let Some(place) = self.places[node].get(code).copied().flatten() {
                        block[place] = 1.0;
                    }
                }
            }
        }
    }
}

/// Moments of blocks of columns, a block for each node.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    pub(crate) layout: Layout,
    /// The moments of all columns about their means.
    pub(crate) gram: Gram,
    /// How many rows they are worth.
    pub(crate) rows: f64,
}

impl Blocks {
    /// Bytes that the moments of so many columns take, with what is made from them.
    pub(crate) fn bytes(columns: usize) -> u128 {
        3 * (columns as u128).pow(2) * size_of::<f64>() as u128
    }

    /// The moments of complete data; nothing if the run is over before. O(rows · columns²).
    ///
    /// # Errors
    /// [`Error::Empty`] if no column varies.
    pub(crate) fn of(data: &Mixed, run: &Run<'_>) -> Result<Option<Self>> {
        let layout = Layout::of(data);
        let mut builder = GramBuilder::new(layout.width())?;
        let mut values = vec![0.0; layout.width()];
        let mut pace = Pace::new(run);
        for row in 0..data.rows() {
            layout.write_row(data, row, &mut values);
            builder.push_weighted(&values, data.weight(row))?;
            if pace.spend(values.len().pow(2)).is_none() {
                return Ok(None);
            }
        }
        let gram = builder.finish(Centering::Center)?;
        Ok(Some(Self { layout, gram, rows: data.total() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_becomes_an_indicator_for_each_level_but_the_most_frequent() {
        let data = Mixed::new(vec![
            MixedColumn::Categories { codes: vec![0, 3, 3, 1, 4], levels: 4 },
            MixedColumn::Numbers(vec![0.5, f64::NAN, 1.0, 2.0, 3.0]),
            MixedColumn::Categories { codes: vec![1; 5], levels: 2 },
        ])
        .unwrap();
        let layout = Layout::of(&data);
        assert_eq!(layout.starts, [0, 2, 3, 3]);
        let mut values = vec![0.0; 3];
        let expected = [[1.0, 0.0, 0.5], [0.0, 0.0, f64::NAN], [0.0, 0.0, 1.0], [0.0, 1.0, 2.0]];
        for (row, expected) in expected.iter().enumerate() {
            layout.write_row(&data, row, &mut values);
            assert!(
                values.iter().zip(expected).all(|(a, b)| a == b || a.is_nan() && b.is_nan()),
                "{values:?}"
            );
        }
        layout.write_row(&data, 4, &mut values);
        assert!(values[..2].iter().all(|value| value.is_nan()));
        // Both of the first two in three rows, each with the third in four.
        assert_eq!(data.effective_rows(), 11.0 / 3.0);
    }
}
