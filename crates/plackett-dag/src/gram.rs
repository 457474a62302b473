//! The Gram matrix `G = XᵀX / n`: all that the linear local scores need of the data, in one pass and O(d²) memory.
//! Rows are taken in blocks, each centered at its own mean and merged by the pairwise update of variances,
//! so a large common offset costs no digits. Also `Q(W) = ½ tr((I−W)ᵀ G (I−W)) + λ‖W‖₁`, the paper's objective.

mod kept;
mod number_rows;

use std::sync::Arc;

use crate::{Error, Result, parallel};
use kept::Kept;
pub(crate) use kept::{Moments as NodeMoments, RowSource};
pub use number_rows::NumberRows;
use plackett::elementary::{exp2, log2};

/// Rows per block: large enough to amortize the merge, small enough for a block of 50 columns to stay in L2.
const BLOCK_ROWS: usize = 256;

/// So many tables of the size of the second moments are there at the same time: as they are summed, as they are looked at, and as they are centered.
const TABLES: u128 = 3;
/// Relative asymmetry accepted in a matrix that a caller computed: rounding, not error.
const SYMMETRY_TOLERANCE: f64 = 1e-9;

/// A column whose standard deviation is below this share of its mean's size is constant: a double has 16 digits, so that what
/// is left is rounding.
pub(crate) const CONSTANT_TOLERANCE: f64 = 1e-14;
/// Smaller squares have fewer digits than others.
const FINEST_SQUARE: f64 = f64::MIN_POSITIVE / f64::EPSILON;

/// What is done to the columns before their products are taken.
///
/// ```
/// use plackett_dag::{Gram, gram::Centering};
/// let rows = [1.0, 3.0];
/// assert_eq!(Gram::from_rows(&rows, 1, Centering::None)?.entry(0, 0), 5.0);
/// assert_eq!(Gram::from_rows(&rows, 1, Centering::Center)?.entry(0, 0), 1.0);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Centering {
    /// Nothing: second moments about zero.
    None,
    /// The mean of each column is subtracted.
    #[default]
    Center,
    /// As `Center`, and each column that varies is divided by its standard deviation (with divisor n).
    Standardize,
}

/// Builds a [`Gram`] from rows as they arrive. O(d²) memory, O(d²) time per row.
///
/// ```
/// use plackett_dag::gram::{Centering, GramBuilder};
/// let mut builder = GramBuilder::new(2)?;
/// for row in [[1.0, 2.0], [3.0, 6.0], [5.0, 10.0]] {
///     builder.push_row(&row)?;
/// }
/// let gram = builder.finish(Centering::Standardize)?;
/// assert!((gram.entry(0, 1) - 1.0).abs() < 1e-15);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GramBuilder {
    columns: usize,
    rows: usize,
    /// What the merged rows weigh.
    merged_weight: f64,
    weights: Weights,
    /// The first row: all others are taken relative to it, so that means are small numbers even if the data are not.
    origin: Vec<f64>,
    /// Rows not merged yet, row-major, relative to the origin.
    block: Vec<f64>,
    /// Their weights, if not all weigh one.
    block_weights: Vec<f64>,
    /// Means of the merged rows, relative to the origin.
    means: Vec<f64>,
    /// Σ (x − mean)(x − mean)ᵀ of the merged rows: upper triangle, row-major.
    scatter: Vec<f64>,
    minima: Vec<f64>,
    maxima: Vec<f64>,
    block_means: Vec<f64>,
}

/// What there is to say about the weights of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weights {
    /// Σ w.
    pub(crate) total: f64,
    /// Σ w².
    pub(crate) squares: f64,
    /// Whether all of them are whole numbers, so that they count rows.
    pub(crate) are_whole: bool,
}

impl Weights {
    pub(crate) const NONE: Self = Self { total: 0.0, squares: 0.0, are_whole: true };

    pub(crate) fn add(&mut self, weight: f64) {
        self.add_times(weight, 1.0);
    }

    /// Adds the weight of a row that is there so many times.
    pub(crate) fn add_times(&mut self, weight: f64, times: f64) {
        self.total += times * weight;
        self.squares += times * weight * weight;
        self.are_whole &= weight.fract() == 0.0;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.total += other.total;
        self.squares += other.squares;
        self.are_whole &= other.are_whole;
    }

    /// How many rows of equal weight say as much: whole weights are numbers of rows; others are relative, and count by
    /// Kish's formula, (Σ w)² / Σ w².
    #[expect(clippy::cast_sign_loss, reason = "sums of weights that are not negative")]
    pub(crate) fn effective_rows(&self) -> usize {
        let rows = if self.are_whole { self.total } else { self.total * self.total / self.squares };
        (rows + ROUNDING).floor() as usize
    }
}

/// What rounding may take from an effective number of rows that is whole.
const ROUNDING: f64 = 1e-6;

/// The state of a [`GramBuilder`] with all its rows merged, as it is saved.
#[derive(Debug, Clone)]
pub(crate) struct Moments {
    pub(crate) rows: usize,
    pub(crate) weights: Weights,
    /// Means, as the sum of two numbers: the first row and the mean relative to it.
    pub(crate) origin: Vec<f64>,
    pub(crate) means: Vec<f64>,
    /// Σ w (x − mean)(x − mean)ᵀ: whole matrix, of which the upper triangle counts.
    pub(crate) scatter: Vec<f64>,
    pub(crate) minima: Vec<f64>,
    pub(crate) maxima: Vec<f64>,
}

impl GramBuilder {
    /// A builder for rows of `columns` values.
    ///
    /// # Errors
    /// [`Error::Empty`] if `columns` is zero.
    ///
    /// ```
    /// assert!(plackett_dag::gram::GramBuilder::new(0).is_err());
    /// ```
    pub fn new(columns: usize) -> Result<Self> {
        if columns == 0 {
            return Err(Error::Empty);
        }
        let entries = columns as u128 * (columns as u128 + BLOCK_ROWS as u128);
        plackett::memory::check("the table of second moments", entries * size_of::<f64>() as u128 * TABLES)?;
        Ok(Self {
            columns,
            rows: 0,
            merged_weight: 0.0,
            weights: Weights::NONE,
            origin: Vec::with_capacity(columns),
            block: Vec::with_capacity(BLOCK_ROWS * columns),
            block_weights: Vec::new(),
            means: vec![0.0; columns],
            scatter: vec![0.0; columns * columns],
            minima: vec![f64::INFINITY; columns],
            maxima: vec![f64::NEG_INFINITY; columns],
            block_means: vec![0.0; columns],
        })
    }

    /// Takes one row.
    ///
    /// # Errors
    /// [`Error::RowLength`] or [`Error::NotFinite`]; the row is then not taken and the builder stays usable.
    ///
    /// ```
    /// let mut builder = plackett_dag::gram::GramBuilder::new(2)?;
    /// assert!(builder.push_row(&[1.0, f64::NAN]).is_err());
    /// builder.push_row(&[1.0, 2.0])?;
    /// assert_eq!(builder.rows(), 1);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn push_row(&mut self, row: &[f64]) -> Result<()> {
        self.push_weighted(row, 1.0)
    }

    /// Takes one row that counts as `weight` rows. Whole weights are numbers of rows; if some are not, all are relative, and
    /// the rows count as (Σ w)² / Σ w² (Kish). A row of weight zero is not taken.
    ///
    /// # Errors
    /// As [`GramBuilder::push_row`], and [`Error::Setting`] for a weight that is negative or not finite.
    ///
    /// ```
    /// use plackett_dag::gram::{Centering, GramBuilder};
    /// let mut builder = GramBuilder::new(1)?;
    /// builder.push_weighted(&[0.0], 3.0)?;
    /// builder.push_weighted(&[4.0], 1.0)?;
    /// let gram = builder.finish(Centering::Center)?;
    /// assert_eq!((gram.rows(), gram.means()[0], gram.entry(0, 0)), (4, 1.0, 3.0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn push_weighted(&mut self, row: &[f64], weight: f64) -> Result<()> {
        self.push_times(row, weight, 1)
    }

    /// Takes one row of this weight as many times over: as pushing it again and again, but for rounding.
    ///
    /// # Errors
    /// As [`GramBuilder::push_weighted`].
    pub(crate) fn push_times(&mut self, row: &[f64], row_weight: f64, times: u32) -> Result<()> {
        let weight = row_weight * f64::from(times);
        if row.len() != self.columns {
            return Err(Error::RowLength { row: self.rows, expected: self.columns, found: row.len() });
        }
        if let Some(column) = row.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { row: self.rows, column });
        }
        if !(0.0..f64::INFINITY).contains(&weight) {
            let reason = "weights are finite and not negative";
            return Err(Error::Setting { name: "weight", value: weight.to_string(), reason });
        }
        if weight == 0.0 {
            return Ok(());
        }
        for ((low, high), &value) in self.minima.iter_mut().zip(&mut self.maxima).zip(row) {
            *low = low.min(value);
            *high = high.max(value);
        }
        if self.rows == 0 {
            self.origin.extend_from_slice(row);
        }
        self.block.extend(row.iter().zip(&self.origin).map(|(value, origin)| value - origin));
        if weight != 1.0 || !self.block_weights.is_empty() {
            let before = self.block.len() / self.columns - 1;
            self.block_weights.resize(before, 1.0);
            self.block_weights.push(weight);
        }
        self.rows += 1;
        self.weights.add_times(row_weight, f64::from(times));
        if self.block.len() == BLOCK_ROWS * self.columns {
            self.merge_block();
        }
        Ok(())
    }

    /// Number of rows taken.
    ///
    /// ```
    /// assert_eq!(plackett_dag::gram::GramBuilder::new(3)?.rows(), 0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Merges the rows that wait for others to make a block.
    pub(crate) fn merge_block(&mut self) {
        let d = self.columns;
        let rows = self.block.len() / d;
        if rows == 0 {
            return;
        }
        let weight = |row: usize| self.block_weights.get(row).copied().unwrap_or(1.0);
        let total: f64 = (0..rows).map(weight).sum();
        // The means are taken twice: the second pass, over residuals, removes the rounding of the first.
        self.block_means.fill(0.0);
        for _ in 0..2 {
            let mut shift = vec![0.0; d];
            for (at, row) in self.block.chunks_exact(d).enumerate() {
                add_scaled(&mut shift, row, weight(at) / total);
            }
            for row in self.block.chunks_exact_mut(d) {
                add_scaled(row, &shift, -1.0);
            }
            add_scaled(&mut self.block_means, &shift, 1.0);
        }
        for (row, weight) in self.block.chunks_exact_mut(d).zip(&self.block_weights) {
            let root = weight.sqrt();
            row.iter_mut().for_each(|value| *value *= root);
        }

        let panels = Panels::of(&self.block, d);
        let strips = self.scatter.chunks_mut(PANEL_COLUMNS * d).enumerate();
        let add = |(at, strip): (usize, &mut [f64])| panels.add_products(at, strip);
        if d < MANY_COLUMNS {
            strips.for_each(add);
        } else {
            parallel::map::<_, _, ()>(strips.collect::<Vec<_>>(), add);
        }

        for mean in 0..d {
            self.block_means[mean] -= self.means[mean];
        }
        let gaps = std::mem::take(&mut self.block_means);
        self.shift_means(&gaps, total);
        self.block_means = gaps;
        self.block.clear();
        self.block_weights.clear();
    }

    /// Takes in rows of this weight whose means differ by `gaps` from those of the merged rows; what they scatter about
    /// their own means is taken in already.
    fn shift_means(&mut self, gaps: &[f64], weight: f64) {
        let d = self.columns;
        let share = weight / (self.merged_weight + weight);
        for i in 0..d {
            let factor = gaps[i] * self.merged_weight * share;
            add_scaled(&mut self.scatter[i * d + i..(i + 1) * d], &gaps[i..], factor);
        }
        add_scaled(&mut self.means, gaps, share);
        self.merged_weight += weight;
    }

    /// Takes in the rows that another builder has taken. O(d²).
    ///
    /// However rows are divided among builders, the moments agree to about 1e-15 of the columns' standard deviations.
    ///
    /// # Errors
    /// [`Error::Size`] if the number of columns differs.
    ///
    /// ```
    /// use plackett_dag::gram::{Centering, GramBuilder};
    /// let (mut left, mut right) = (GramBuilder::new(1)?, GramBuilder::new(1)?);
    /// left.push_row(&[1.0])?;
    /// right.push_row(&[3.0])?;
    /// left.merge(&right)?;
    /// assert_eq!(left.finish(Centering::Center)?.entry(0, 0), 1.0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if other.columns != self.columns {
            return Err(Error::Size { what: "a builder", expected: self.columns, found: other.columns });
        }
        if other.rows == 0 {
            return Ok(());
        }
        self.merge_block();
        let other = other.clone().into_moments();
        if self.rows == 0 {
            *self = Self::from_moments(other);
            return Ok(());
        }
        let gaps: Vec<f64> = (0..self.columns)
            .map(|i| (other.means[i] - self.means[i]) + (other.origin[i] - self.origin[i]))
            .collect();
        add_scaled(&mut self.scatter, &other.scatter, 1.0);
        self.shift_means(&gaps, other.weights.total);
        self.rows += other.rows;
        self.weights.merge(&other.weights);
        for (low, other) in self.minima.iter_mut().zip(&other.minima) {
            *low = low.min(*other);
        }
        for (high, other) in self.maxima.iter_mut().zip(&other.maxima) {
            *high = high.max(*other);
        }
        Ok(())
    }

    /// A builder that has taken the same rows, of which there are some, but these columns of them; one that is none of
    /// them is zero in every row.
    pub(crate) fn of_columns(self, columns: &[Option<usize>]) -> Self {
        let width = self.columns;
        let moments = self.into_moments();
        let pick =
            |values: &[f64]| columns.iter().map(|column| column.map_or(0.0, |at| values[at])).collect();
        let entry = |i: Option<usize>, j: Option<usize>| match (i, j) {
            (Some(i), Some(j)) => moments.scatter[i.min(j) * width + i.max(j)],
            _ => 0.0,
        };
        Self::from_moments(Moments {
            origin: pick(&moments.origin),
            means: pick(&moments.means),
            scatter: columns.iter().flat_map(|&i| columns.iter().map(move |&j| entry(i, j))).collect(),
            minima: pick(&moments.minima),
            maxima: pick(&moments.maxima),
            ..moments
        })
    }

    /// The number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// The means of the merged rows.
    pub(crate) fn merged_means(&self) -> Vec<f64> {
        self.means.iter().zip(&self.origin).map(|(mean, origin)| mean + origin).collect()
    }

    /// The least and the greatest value of a column.
    pub(crate) fn range(&self, column: usize) -> (f64, f64) {
        (self.minima[column], self.maxima[column])
    }

    /// What the rows taken weigh.
    pub(crate) fn weights(&self) -> Weights {
        self.weights
    }

    /// All that is known of the rows taken.
    pub(crate) fn into_moments(mut self) -> Moments {
        self.merge_block();
        Moments {
            rows: self.rows,
            weights: self.weights,
            origin: self.origin,
            means: self.means,
            scatter: self.scatter,
            minima: self.minima,
            maxima: self.maxima,
        }
    }

    /// A builder that has taken the rows of these moments, whose parts are of one size.
    pub(crate) fn from_moments(moments: Moments) -> Self {
        let columns = moments.means.len();
        Self {
            columns,
            rows: moments.rows,
            merged_weight: moments.weights.total,
            weights: moments.weights,
            origin: moments.origin,
            block: Vec::with_capacity(BLOCK_ROWS * columns),
            block_weights: Vec::new(),
            means: moments.means,
            scatter: moments.scatter,
            minima: moments.minima,
            maxima: moments.maxima,
            block_means: vec![0.0; columns],
        }
    }

    /// The Gram matrix of the rows taken.
    ///
    /// # Errors
    /// [`Error::Empty`] without rows.
    ///
    /// ```
    /// use plackett_dag::gram::{Centering, GramBuilder};
    /// let mut builder = GramBuilder::new(1)?;
    /// builder.push_row(&[4.0])?;
    /// assert_eq!(builder.finish(Centering::None)?.entry(0, 0), 16.0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn finish(mut self, centering: Centering) -> Result<Gram> {
        if self.rows == 0 {
            return Err(Error::Empty);
        }
        self.merge_block();
        let d = self.columns;
        let means = if centering == Centering::None {
            vec![0.0; d]
        } else {
            (self.means.iter().zip(&self.origin)).map(|(mean, origin)| mean + origin).collect()
        };
        let scales = if centering == Centering::Standardize {
            let varies = |i: usize| self.minima[i] < self.maxima[i];
            let deviation = |i: usize| (self.scatter[i * d + i] / self.weights.total).sqrt();
            (0..d).map(|i| if varies(i) { deviation(i) } else { 1.0 }).collect()
        } else {
            vec![1.0; d]
        };
        Ok(self.into_gram(means, scales, centering != Centering::None))
    }

    /// The Gram matrix of the rows taken, shifted and scaled as `reference` was: validation data seen with the eyes of
    /// the training data.
    ///
    /// # Errors
    /// [`Error::Empty`] without rows; [`Error::Size`] if the number of columns differs.
    ///
    /// ```
    /// use plackett_dag::{Gram, gram::{Centering, GramBuilder}};
    /// let training = Gram::from_rows(&[0.0, 4.0], 1, Centering::Center)?;
    /// let mut builder = GramBuilder::new(1)?;
    /// builder.push_row(&[5.0])?;
    /// assert_eq!(builder.finish_like(&training)?.entry(0, 0), 9.0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn finish_like(mut self, reference: &Gram) -> Result<Gram> {
        if self.rows == 0 {
            return Err(Error::Empty);
        }
        if reference.nodes() != self.columns {
            return Err(Error::Size {
                what: "the reference",
                expected: self.columns,
                found: reference.nodes(),
            });
        }
        self.merge_block();
        Ok(self.into_gram(reference.means.clone(), reference.scales.clone(), false))
    }

    /// The matrix about `means`, which are the data's own if `centered`: what is left of a column's mean is then zero, not
    /// the rounding of it.
    fn into_gram(self, means: Vec<f64>, scales: Vec<f64>, centered: bool) -> Gram {
        let d = self.columns;
        let weight = self.weights.total;
        let left = |i: usize| {
            if centered { 0.0 } else { self.means[i] + (self.origin[i] - means[i]) }
        };
        let mut matrix = self.scatter;
        for i in 0..d {
            for j in i..d {
                let value = (matrix[i * d + j] / weight + left(i) * left(j)) / (scales[i] * scales[j]);
                matrix[i * d + j] = value;
                matrix[j * d + i] = value;
            }
        }
        Gram { rows: self.weights.effective_rows(), nodes: d, matrix, means, scales, kept: None, held: None }
    }
}

/// Columns that are worked on together: a block of so many fits in the nearest cache.
const PANEL_COLUMNS: usize = 8;
/// Fewer columns than this are not worth the threads.
const MANY_COLUMNS: usize = 128;

/// A block of rows, eight columns at a time, each such panel row-major; the last one is filled up with zeros.
struct Panels {
    columns: usize,
    rows: usize,
    values: Vec<f64>,
}

impl Panels {
    fn of(block: &[f64], columns: usize) -> Self {
        let (rows, panels) = (block.len() / columns, columns.div_ceil(PANEL_COLUMNS));
        let mut values = vec![0.0; panels * rows * PANEL_COLUMNS];
        for (at, row) in block.chunks_exact(columns).enumerate() {
            for (panel, part) in row.chunks(PANEL_COLUMNS).enumerate() {
                let start = (panel * rows + at) * PANEL_COLUMNS;
                values[start..start + part.len()].copy_from_slice(part);
            }
        }
        Self { columns, rows, values }
    }

    fn panel(&self, at: usize) -> &[[f64; PANEL_COLUMNS]] {
        let size = self.rows * PANEL_COLUMNS;
        self.values[at * size..(at + 1) * size].as_chunks().0
    }

    /// Adds the products of the columns of one panel with themselves and all later ones to their rows of the upper triangle.
    /// Each entry is summed in the same order, whoever works on it.
    fn add_products(&self, at: usize, strip: &mut [f64]) {
        let own: [Vec<f64>; PANEL_COLUMNS] =
            std::array::from_fn(|i| self.panel(at).iter().map(|row| row[i]).collect());
        for other in at..self.columns.div_ceil(PANEL_COLUMNS) {
            let first = other * PANEL_COLUMNS;
            let width = PANEL_COLUMNS.min(self.columns - first);
            for (i, (target, column)) in strip.chunks_exact_mut(self.columns).zip(&own).enumerate() {
                let mut sums = [0.0; PANEL_COLUMNS];
                sums[..width].copy_from_slice(&target[first..first + width]);
                add_column(&mut sums, column, self.panel(other));
                let skipped = if other == at { i } else { 0 };
                target[first + skipped..first + width].copy_from_slice(&sums[skipped..width]);
            }
        }
    }
}

/// Adds the products of one column with those of a panel, four rows at a time: their sum is then one chain of additions less
/// deep, and the arithmetic keeps up with the memory.
fn add_column(sums: &mut [f64; PANEL_COLUMNS], column: &[f64], panel: &[[f64; PANEL_COLUMNS]]) {
    let (quads, left) = column.as_chunks::<4>();
    let (panel_quads, panel_left) = panel.as_chunks::<4>();
    for ([fa, fb, fc, fe], [a, b, c, e]) in quads.iter().zip(panel_quads) {
        for j in 0..PANEL_COLUMNS {
            sums[j] += (fa * a[j] + fb * b[j]) + (fc * c[j] + fe * e[j]);
        }
    }
    for (factor, row) in left.iter().zip(panel_left) {
        add_scaled(sums, row, *factor);
    }
}

fn add_scaled(target: &mut [f64], source: &[f64], factor: f64) {
    for (t, s) in target.iter_mut().zip(source) {
        *t += factor * s;
    }
}

/// Standard deviations within this range may be multiplied by one another a few times without leaving that of doubles.
const FAR_UNITS: std::ops::Range<f64> = 1e-30..1e30;

/// The Gram matrix `G = XᵀX / n` of data with n rows and one column per node, with what was done to the columns.
///
/// ```
/// use plackett_dag::{Gram, gram::Centering};
/// let gram = Gram::from_rows(&[1.0, 2.0, 3.0, 8.0], 2, Centering::Center)?;
/// assert_eq!((gram.rows(), gram.nodes()), (2, 2));
/// assert_eq!((gram.entry(0, 1), gram.means()[1], gram.scales()[1]), (3.0, 5.0, 1.0));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Gram {
    rows: usize,
    nodes: usize,
    matrix: Vec<f64>,
    means: Vec<f64>,
    scales: Vec<f64>,
    /// The moments of the nodes that were set from outside in some rows, if any were.
    kept: Option<Arc<Kept>>,
    /// The rows, where they are held.
    held: Option<NumberRows>,
}

impl Gram {
    /// The Gram matrix of row-major data. O(n·d²).
    ///
    /// # Errors
    /// As [`GramBuilder::push_row`] and [`GramBuilder::finish`].
    ///
    /// ```
    /// use plackett_dag::{Gram, gram::Centering};
    /// assert!(Gram::from_rows(&[1.0, 2.0, 3.0], 2, Centering::Center).is_err());
    /// ```
    pub fn from_rows(data: &[f64], columns: usize, centering: Centering) -> Result<Self> {
        let mut builder = GramBuilder::new(columns)?;
        for row in data.chunks(columns) {
            builder.push_row(row)?;
        }
        builder.finish(centering)
    }

    /// As [`Gram::from_rows`], with the rows held beside their moments, for the scores that look at them.
    ///
    /// # Errors
    /// As [`Gram::from_rows`].
    ///
    /// ```
    /// use plackett_dag::{Gram, gram::Centering};
    /// let gram = Gram::with_rows(&[1.0, 2.0, 3.0, 8.0], 2, Centering::Center)?;
    /// assert_eq!(gram.number_rows().unwrap().columns()[1][..], [2.0, 8.0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn with_rows(data: &[f64], columns: usize, centering: Centering) -> Result<Self> {
        let gram = Self::from_rows(data, columns, centering)?;
        let column = |at: usize| data.iter().skip(at).step_by(columns).copied().collect();
        Ok(gram.holding(NumberRows::new((0..columns).map(column).collect(), None)))
    }

    /// A Gram (or covariance) matrix computed elsewhere from `rows` rows, row-major.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Size`] if it is not square, [`Error::NotGram`] if it is not symmetric with a
    /// non-negative diagonal and finite entries.
    ///
    /// ```
    /// use plackett_dag::Gram;
    /// let gram = Gram::from_matrix(100, 2, vec![1.0, 0.5, 0.5, 1.0])?;
    /// assert_eq!(gram.entry(1, 0), 0.5);
    /// assert!(Gram::from_matrix(100, 2, vec![1.0, 0.5, 0.4, 1.0]).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn from_matrix(rows: usize, nodes: usize, matrix: Vec<f64>) -> Result<Self> {
        if rows == 0 || nodes == 0 {
            return Err(Error::Empty);
        }
        if matrix.len() != nodes * nodes {
            return Err(Error::Size { what: "the matrix", expected: nodes * nodes, found: matrix.len() });
        }
        for row in 0..nodes {
            for column in 0..=row {
                let (below, above) = (matrix[row * nodes + column], matrix[column * nodes + row]);
                let scale = (matrix[row * nodes + row] * matrix[column * nodes + column]).sqrt();
                let symmetric = (below - above).abs() <= SYMMETRY_TOLERANCE * scale;
                if !below.is_finite() || !symmetric || (row == column && below < 0.0) {
                    return Err(Error::NotGram { row, column });
                }
            }
        }
        let (means, scales) = (vec![0.0; nodes], vec![1.0; nodes]);
        Ok(Self { rows, nodes, matrix, means, scales, kept: None, held: None })
    }

    /// The moments of some of the nodes.
    pub(crate) fn of_nodes(&self, nodes: &[usize]) -> Self {
        let pick = |values: &[f64]| nodes.iter().map(|&node| values[node]).collect();
        let picked = Self {
            rows: self.rows,
            nodes: nodes.len(),
            matrix: nodes.iter().flat_map(|&i| nodes.iter().map(move |&j| self.entry(i, j))).collect(),
            means: pick(&self.means),
            scales: pick(&self.scales),
            kept: None,
            held: self.held.as_ref().map(|held| held.of_nodes(nodes)),
        };
        Self { kept: self.kept_of_nodes(&picked, nodes), ..picked }
    }

    /// Moments that were found as means and covariances.
    ///
    /// # Errors
    /// Those of [`Gram::from_matrix`].
    pub(crate) fn from_moments(
        rows: usize,
        means: Vec<f64>,
        mut covariances: Vec<f64>,
        centering: Centering,
    ) -> Result<Self> {
        let nodes = means.len();
        let mut scales = vec![1.0; nodes];
        match centering {
            Centering::Center => {}
            Centering::None => {
                let products = means.iter().flat_map(|a| means.iter().map(move |b| a * b));
                covariances.iter_mut().zip(products).for_each(|(entry, product)| *entry += product);
            }
            Centering::Standardize => {
                // Nothing would make one of what does not vary.
                let scale = |at: usize| match covariances[at * nodes + at] {
                    variance if variance > 0.0 => variance.sqrt(),
                    _ => 1.0,
                };
                scales = (0..nodes).map(scale).collect();
                let factors = scales.iter().flat_map(|a| scales.iter().map(move |b| a * b));
                covariances.iter_mut().zip(factors).for_each(|(entry, factor)| *entry /= factor);
            }
        }
        let means = if centering == Centering::None { vec![0.0; nodes] } else { means };
        Ok(Self { means, scales, ..Self::from_matrix(rows, nodes, covariances)? })
    }

    /// The same moments with each column in another unit, where the columns' units are so far apart that products of
    /// entries would leave the range of doubles; and the units. They are powers of two, so that nothing is rounded.
    pub(crate) fn balanced(&self) -> Option<(Self, Vec<f64>)> {
        let deviations =
            || (0..self.nodes).map(|node| self.entry(node, node).sqrt()).filter(|&size| size > 0.0);
        if deviations().all(|size| FAR_UNITS.contains(&size)) {
            return None;
        }
        let unit = |node: usize| match self.entry(node, node).sqrt() {
            size if size > 0.0 => exp2(log2(size).floor()),
            _ => 1.0,
        };
        let units: Vec<f64> = (0..self.nodes).map(unit).collect();
        Some((self.in_units(&units), units))
    }

    /// Number of rows of the data, n; the effective one if they have weights.
    ///
    /// ```
    /// let gram = plackett_dag::Gram::from_matrix(100, 1, vec![2.0])?;
    /// assert_eq!(gram.rows(), 100);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether a column varies by more than rounding, as far as its square tells.
    pub(crate) fn varies(&self, node: usize) -> bool {
        let deviation = self.entry(node, node).max(0.0).sqrt() * self.scales[node];
        deviation > CONSTANT_TOLERANCE * self.means[node].abs() && deviation * deviation > FINEST_SQUARE
    }

    /// The same moments beside the rows that they are of.
    pub(crate) fn holding(self, rows: NumberRows) -> Self {
        Self { held: Some(rows), ..self }
    }

    /// The rows that the moments are of, where they are held: what scores and diagnostics need that look at the shape of the data.
    ///
    /// ```
    /// let gram = plackett_dag::Gram::from_matrix(100, 1, vec![2.0])?;
    /// assert!(gram.number_rows().is_none());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn number_rows(&self) -> Option<&NumberRows> {
        self.held.as_ref()
    }

    /// Number of nodes, d.
    ///
    /// ```
    /// let gram = plackett_dag::Gram::from_matrix(100, 1, vec![2.0])?;
    /// assert_eq!(gram.nodes(), 1);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// What was subtracted from each column.
    ///
    /// ```
    /// let gram = plackett_dag::Gram::from_matrix(100, 1, vec![2.0])?;
    /// assert_eq!(gram.means(), [0.0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// What each column was divided by.
    ///
    /// ```
    /// let gram = plackett_dag::Gram::from_matrix(100, 1, vec![2.0])?;
    /// assert_eq!(gram.scales(), [1.0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// The whole matrix, row-major.
    ///
    /// ```
    /// let gram = plackett_dag::Gram::from_matrix(100, 1, vec![2.0])?;
    /// assert_eq!(gram.matrix(), [2.0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// Row `i`, which is also column `i`.
    ///
    /// # Panics
    /// If `i` is not a node.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.matrix[i * self.nodes..(i + 1) * self.nodes]
    }

    /// Entry (i, j), or not-a-number outside the matrix.
    ///
    /// ```
    /// let gram = plackett_dag::Gram::from_matrix(100, 1, vec![2.0])?;
    /// assert_eq!(gram.entry(0, 0), 2.0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        if i < self.nodes && j < self.nodes { self.matrix[i * self.nodes + j] } else { f64::NAN }
    }

    /// The paper's objective `Q(W) = ½ tr((I−W)ᵀ G (I−W)) + λ‖W‖₁` of a row-major weight matrix, entry (i, j) the
    /// weight of i → j. On a validation Gram matrix this is the validation score. O(Σ (1 + parents of j)²).
    ///
    /// # Errors
    /// [`Error::Size`] if the weights are not d × d.
    ///
    /// ```
    /// use plackett_dag::Gram;
    /// let gram = Gram::from_matrix(100, 2, vec![1.0, 2.0, 2.0, 5.0])?;
    /// // Node 1 minus twice node 0 has variance 5 − 8 + 4 = 1, node 0 has variance 1.
    /// assert_eq!(gram.q(&[0.0, 2.0, 0.0, 0.0], 0.5)?, 0.5 * (1.0 + 1.0) + 0.5 * 2.0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn q(&self, weights: &[f64], lambda: f64) -> Result<f64> {
        let d = self.nodes;
        if weights.len() != d * d {
            return Err(Error::Size { what: "the weight matrix", expected: d * d, found: weights.len() });
        }
        let mut column = Vec::with_capacity(d);
        let mut total = 0.0;
        for j in 0..d {
            column.clear();
            let mut norm = 0.0;
            for i in 0..d {
                let weight = weights[i * d + j];
                norm += weight.abs();
                let entry = f64::from(u8::from(i == j)) - weight;
                if entry != 0.0 {
                    column.push((i, entry));
                }
            }
            let mut square = 0.0;
            for &(a, x) in &column {
                let row = self.row(a);
                square += x * column.iter().map(|&(b, y)| row[b] * y).sum::<f64>();
            }
            total += 0.5 * square + lambda * norm;
        }
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, normal};

    fn sample(rows: usize, columns: usize, offset: f64, seed: u64) -> Vec<f64> {
        let mut rng = Rng::new(seed);
        (0..rows * columns).map(|_| offset + normal(&mut rng)).collect()
    }

    /// Two-pass reference on data with the offset taken off exactly.
    fn reference(data: &[f64], d: usize, i: usize, j: usize) -> f64 {
        let n = data.len() / d;
        let mean = |c: usize| data.chunks(d).map(|row| row[c]).sum::<f64>() / n as f64;
        let (a, b) = (mean(i), mean(j));
        data.chunks(d).map(|row| (row[i] - a) * (row[j] - b)).sum::<f64>() / n as f64
    }

    #[test]
    fn an_offset_costs_no_digits() {
        let d = 7;
        for rows in [1, 2, 255, 256, 257, 3001] {
            let shifted = sample(rows, d, 1e8, 3);
            let plain: Vec<f64> = shifted.iter().map(|x| x - 1e8).collect();
            let gram = Gram::from_rows(&shifted, d, Centering::Center).unwrap();
            for i in 0..d {
                for j in 0..d {
                    let expected = reference(&plain, d, i, j);
                    assert!((gram.entry(i, j) - expected).abs() < 1e-13, "{rows} {i} {j}");
                    assert_eq!(gram.entry(i, j), gram.entry(j, i));
                }
            }
        }
    }

    #[test]
    fn panels_add_in_the_order_of_the_rows_to_the_last_bit() {
        // Rows in fours and some left over; whole panels and a part of one; with threads and without.
        for (rows, d) in [(11, 3), (64, 16), (255, MANY_COLUMNS + 5)] {
            let block = sample(rows, d, 0.3, 7);
            let mut found = vec![0.5; d * d];
            let panels = Panels::of(&block, d);
            for (at, strip) in found.chunks_mut(PANEL_COLUMNS * d).enumerate() {
                panels.add_products(at, strip);
            }
            for i in 0..d {
                let product = |row: &[f64], j: usize| row[i] * row[j];
                for j in 0..d {
                    let mut expected = 0.5;
                    let mut quads = block.chunks_exact(4 * d);
                    for quad in &mut quads {
                        let mut terms = quad.chunks_exact(d).map(|row| product(row, j));
                        let mut pair = || terms.next().unwrap() + terms.next().unwrap();
                        expected += pair() + pair();
                    }
                    for row in quads.remainder().chunks_exact(d) {
                        expected += product(row, j);
                    }
                    assert_eq!(found[i * d + j], if i <= j { expected } else { 0.5 }, "{rows} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn uncentered_and_standardized_forms_agree_with_their_definitions() {
        let (n, d) = (700, 5);
        let data = sample(n, d, 0.7, 4);
        let raw = Gram::from_rows(&data, d, Centering::None).unwrap();
        let direct = data.chunks(d).map(|row| row[1] * row[3]).sum::<f64>() / n as f64;
        assert!((raw.entry(1, 3) - direct).abs() < 1e-13);
        let unit = Gram::from_rows(&data, d, Centering::Standardize).unwrap();
        let r = reference(&data, d, 1, 3) / (reference(&data, d, 1, 1) * reference(&data, d, 3, 3)).sqrt();
        assert!((unit.entry(1, 3) - r).abs() < 1e-13);
        assert!((unit.entry(2, 2) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_row_of_weight_three_is_three_rows() {
        let d = 4;
        let data = sample(700, d, 5.0, 8);
        let (mut weighted, mut repeated) = (GramBuilder::new(d).unwrap(), GramBuilder::new(d).unwrap());
        for (at, row) in data.chunks(d).enumerate() {
            let times = at * 7 % 4;
            weighted.push_weighted(row, times as f64).unwrap();
            (0..times).for_each(|_| repeated.push_row(row).unwrap());
        }
        let (a, b) =
            (weighted.finish(Centering::Center).unwrap(), repeated.finish(Centering::Center).unwrap());
        assert_eq!(a.rows(), b.rows());
        for (x, y) in a.matrix().iter().zip(b.matrix()) {
            assert!((x - y).abs() < 1e-13, "{x} {y}");
        }
    }

    #[test]
    fn relative_weights_count_by_kish() {
        let d = 3;
        let data = sample(500, d, -2.0, 9);
        let weight = |at: usize| 0.25 + (at * 13 % 17) as f64 * 0.3;
        let mut builder = GramBuilder::new(d).unwrap();
        data.chunks(d).enumerate().for_each(|(at, row)| builder.push_weighted(row, weight(at)).unwrap());
        let gram = builder.finish(Centering::Center).unwrap();
        let total: f64 = (0..500).map(weight).sum();
        let squares: f64 = (0..500).map(|at| weight(at).powi(2)).sum();
        assert_eq!(gram.rows() as f64, (total * total / squares).floor());
        let mean =
            |c: usize| data.chunks(d).enumerate().map(|(at, row)| weight(at) * row[c]).sum::<f64>() / total;
        let (a, b) = (mean(0), mean(2));
        let direct: f64 =
            data.chunks(d).enumerate().map(|(at, row)| weight(at) * (row[0] - a) * (row[2] - b)).sum();
        assert!((gram.entry(0, 2) - direct / total).abs() < 1e-13);
        assert!(matches!(
            GramBuilder::new(1).unwrap().push_weighted(&[1.0], -1.0),
            Err(Error::Setting { .. })
        ));
    }

    #[test]
    fn merging_does_not_depend_on_the_partition() {
        let (n, d) = (3001, 6);
        let data = sample(n, d, 1e6, 10);
        let whole = Gram::from_rows(&data, d, Centering::Center).unwrap();
        for parts in [2, 7, 300] {
            let mut builders: Vec<GramBuilder> = (0..parts).map(|_| GramBuilder::new(d).unwrap()).collect();
            for (at, row) in data.chunks(d).enumerate() {
                builders[at * 31 % parts].push_row(row).unwrap();
            }
            let mut merged = GramBuilder::new(d).unwrap();
            builders.iter().rev().for_each(|builder| merged.merge(builder).unwrap());
            assert_eq!(merged.rows(), n);
            let gram = merged.finish(Centering::Center).unwrap();
            for (a, b) in gram.matrix().iter().zip(whole.matrix()) {
                assert!((a - b).abs() < 1e-13, "{parts} parts: {a} for {b}");
            }
        }
    }

    #[test]
    fn q_is_the_formula_on_the_data() {
        let (n, d, lambda) = (300, 6, 0.5);
        let data = sample(n, d, 0.0, 5);
        let mut rng = Rng::new(6);
        let mut weights = vec![0.0; d * d];
        for i in 0..d {
            for j in i + 1..d {
                weights[i * d + j] = normal(&mut rng);
            }
        }
        let gram = Gram::from_rows(&data, d, Centering::None).unwrap();
        let mut direct = lambda * weights.iter().map(|w| w.abs()).sum::<f64>();
        for row in data.chunks(d) {
            for j in 0..d {
                let fitted: f64 = (0..d).map(|i| row[i] * weights[i * d + j]).sum();
                direct += (row[j] - fitted).powi(2) / (2.0 * n as f64);
            }
        }
        let q = gram.q(&weights, lambda).unwrap();
        assert!((q - direct).abs() < 1e-10 * direct);
    }

    #[test]
    fn bad_input_is_named() {
        assert!(matches!(Gram::from_rows(&[], 2, Centering::Center), Err(Error::Empty)));
        let constant = Gram::from_rows(&[0.1, 1.0, 0.1, 2.0, 0.1, 3.0], 2, Centering::Standardize).unwrap();
        assert_eq!((constant.entry(0, 0), constant.scales()[0]), (0.0, 1.0));
        assert!(!constant.varies(0) && constant.varies(1));
        assert!(matches!(
            Gram::from_rows(&[0.1, 1.0, f64::INFINITY, 2.0], 2, Centering::Center),
            Err(Error::NotFinite { row: 1, column: 0 })
        ));
        assert!(matches!(
            Gram::from_rows(&[0.1, 1.0, 2.0], 2, Centering::Center),
            Err(Error::RowLength { row: 1, expected: 2, found: 1 })
        ));
    }
}
