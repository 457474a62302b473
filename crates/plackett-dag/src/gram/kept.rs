//! The moments of the rows in which a node was not set from outside, for every node that some rows set.
//!
//! A matrix for each would be too much: of 1,000 nodes a third of which are targets, 2.7 GB. So the moments of all rows stand for
//! everything, and beside them are those of each regime: its rows themselves where they are fewer than the columns, the matrix
//! of their products otherwise. A row of a node's own matrix is computed when it is asked for, as that of all rows less the
//! regimes in which the node was set, and kept as long as there is room. A search asks for the rows of nodes that were parents
//! once, which are few.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::{Gram, GramBuilder, Weights, add_scaled};
use crate::{Interventions, Result};

/// Bytes for rows that are kept once they are computed.
const MOST_BYTES: usize = 1 << 28;

/// If taking rows out leaves less than one in so many of a column's squares, what is kept is summed up instead: a difference would
/// have lost six of sixteen digits.
const CANCELLING: f64 = 1e6;

/// A variance below this share of the mean square is rounding.
const CONSTANT: f64 = 1e-13;

/// The moments of regimes, and of the nodes that they set.
#[derive(Debug)]
pub(crate) struct Kept {
    interventions: Arc<Interventions>,
    parts: Arc<Vec<Part>>,
    /// What the columns of the parts are still to be divided by.
    units: Vec<f64>,
    /// For each node that is set in some rows, which of these are its own.
    places: Vec<Option<usize>>,
    own: Vec<Own>,
    /// What all rows weigh.
    total: f64,
    /// The means of all rows, relative to what the parts are about.
    shift: Vec<f64>,
    is_centered: bool,
    /// Bytes that rows may still take.
    room: AtomicUsize,
}

/// The moments of a regime, about means that rows far out do not move: those of another regime.
#[derive(Debug)]
struct Part {
    targets: Vec<usize>,
    weights: Weights,
    /// Σ w x.
    sums: Vec<f64>,
    /// Σ w x².
    squares: Vec<f64>,
    products: Products,
}

/// Σ w x xᵀ of a regime.
#[derive(Debug)]
enum Products {
    /// By the rows √w x.
    Rows(Vec<f64>),
    Matrix(Vec<f64>),
}

/// What is known of the rows in which a node was not set.
#[derive(Debug)]
struct Own {
    /// By regime.
    is_kept: Vec<bool>,
    /// Whether what is kept is summed up, rather than the rest taken out.
    adds: bool,
    weights: Weights,
    /// Their means, relative to what the parts are about.
    means: Vec<f64>,
    variances: Vec<f64>,
    rows: Vec<OnceLock<Box<[f64]>>>,
}

impl Part {
    /// Adds the row of `column` of Σ w x xᵀ, times a factor.
    fn add_row(&self, column: usize, factor: f64, target: &mut [f64]) {
        let width = target.len();
        match &self.products {
            Products::Rows(rows) => {
                rows.chunks_exact(width).for_each(|row| add_scaled(target, row, factor * row[column]));
            }
            Products::Matrix(matrix) => {
                add_scaled(target, &matrix[column * width..(column + 1) * width], factor);
            }
        }
    }

    /// The products of `column` with some others, likewise.
    fn add_entries(&self, column: usize, others: &[usize], width: usize, target: &mut [f64]) {
        match &self.products {
            Products::Rows(rows) => {
                for row in rows.chunks_exact(width) {
                    target.iter_mut().zip(others).for_each(|(sum, &other)| *sum += row[column] * row[other]);
                }
            }
            Products::Matrix(matrix) => {
                let row = &matrix[column * width..(column + 1) * width];
                target.iter_mut().zip(others).for_each(|(sum, &other)| *sum += row[other]);
            }
        }
    }

    /// What its moments cost to add up, in rows.
    fn work(&self, width: usize) -> usize {
        match &self.products {
            Products::Rows(rows) => rows.len() / width,
            Products::Matrix(_) => 1,
        }
    }

    fn of_columns(&self, columns: &[usize]) -> Self {
        let width = self.sums.len();
        let pick = |values: &[f64]| -> Vec<f64> { columns.iter().map(|&column| values[column]).collect() };
        let products = match &self.products {
            Products::Rows(rows) => Products::Rows(rows.chunks_exact(width).flat_map(pick).collect()),
            Products::Matrix(matrix) => Products::Matrix(
                columns.iter().flat_map(|&row| pick(&matrix[row * width..(row + 1) * width])).collect(),
            ),
        };
        let place = |target: &usize| columns.iter().position(|column| column == target);
        Self {
            targets: self.targets.iter().filter_map(place).collect(),
            weights: self.weights,
            sums: pick(&self.sums),
            squares: pick(&self.squares),
            products,
        }
    }
}

/// Rows as they are asked for: `values(row, target)` writes one, and `weight(row)` says what it counts, and how many times it is there.
pub(crate) struct RowSource<V, W> {
    pub(crate) values: V,
    pub(crate) weight: W,
}

impl Kept {
    /// From the rows that `gram` is of.
    fn new<V: Fn(usize, &mut [f64]), W: Fn(usize) -> (f64, u32)>(
        gram: &Gram,
        interventions: &Interventions,
        rows: &RowSource<V, W>,
        is_centered: bool,
    ) -> Result<Self> {
        let width = gram.nodes;
        let regimes = interventions.regimes();
        let mut sizes = vec![0; regimes.len()];
        interventions.regime_of_rows().iter().for_each(|&regime| sizes[regime as usize] += 1);
        let mut parts: Vec<Part> = regimes
            .iter()
            .map(|targets| Part {
                targets: targets.clone(),
                weights: Weights::NONE,
                sums: vec![0.0; width],
                squares: vec![0.0; width],
                products: Products::Rows(Vec::new()),
            })
            .collect();
        let builders = sizes.iter().map(|&size| (size > width).then(|| GramBuilder::new(width)).transpose());
        let mut builders: Vec<Option<GramBuilder>> = builders.collect::<Result<_>>()?;
        let mut row = vec![0.0; width];
        let origin = if is_centered { origin(interventions, rows, width) } else { vec![0.0; width] };
        for (at, &regime) in interventions.regime_of_rows().iter().enumerate() {
            let (row_weight, times) = (rows.weight)(at);
            let weight = row_weight * f64::from(times);
            if weight == 0.0 {
                continue;
            }
            (rows.values)(at, &mut row);
            for ((value, origin), scale) in row.iter_mut().zip(&origin).zip(&gram.scales) {
                *value = (*value - origin) / scale;
            }
            let part = &mut parts[regime as usize];
            part.weights.add_times(row_weight, f64::from(times));
            add_scaled(&mut part.sums, &row, weight);
            part.squares.iter_mut().zip(&row).for_each(|(sum, value)| *sum += weight * value * value);
            match (&mut builders[regime as usize], &mut part.products) {
                (Some(builder), _) => builder.push_times(&row, row_weight, times)?,
                (None, Products::Rows(kept)) => kept.extend(row.iter().map(|value| weight.sqrt() * value)),
                (None, Products::Matrix(_)) => {}
            }
        }
        for (part, builder) in parts.iter_mut().zip(builders) {
            if let Some(builder) = builder {
                part.products = Products::Matrix(products(builder, &part.sums, part.weights.total));
            }
        }
        let shift = gram.means.iter().zip(&origin).zip(&gram.scales);
        let shift = shift.map(|((mean, origin), scale)| (mean - origin) / scale).collect();
        Self::of_parts(gram, interventions.clone().into(), parts, shift, is_centered)
    }

    fn of_parts(
        gram: &Gram,
        interventions: Arc<Interventions>,
        parts: Vec<Part>,
        shift: Vec<f64>,
        is_centered: bool,
    ) -> Result<Self> {
        let width = gram.nodes;
        let total = parts.iter().map(|part| part.weights.total).sum();
        let mut kept = Self {
            interventions,
            units: vec![1.0; width],
            places: vec![None; width],
            own: Vec::new(),
            total,
            shift,
            is_centered,
            room: AtomicUsize::new(MOST_BYTES),
            parts: Arc::new(Vec::new()),
        };
        let mut known: HashMap<Vec<bool>, usize> = HashMap::new();
        let mut targets: Vec<usize> = parts.iter().flat_map(|part| part.targets.iter().copied()).collect();
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            let is_kept: Vec<bool> =
                parts.iter().map(|part| part.targets.binary_search(&target).is_err()).collect();
            let next = known.len();
            let place = *known.entry(is_kept.clone()).or_insert(next);
            if place == next {
                kept.own.push(Own::new(gram, &parts, is_kept, (total, &kept.shift), is_centered));
                Interventions::check_kept(target, kept.own[place].weights.effective_rows())?;
            }
            kept.places[target] = Some(place);
        }
        kept.parts = Arc::new(parts);
        Ok(kept)
    }

    /// With each column in another unit.
    fn in_units(&self, units: &[f64]) -> Self {
        let unit = |column: usize| if units[column] > 0.0 { units[column] } else { 1.0 };
        let scaled = |values: &[f64], power: i32| -> Vec<f64> {
            values.iter().enumerate().map(|(column, value)| value / unit(column).powi(power)).collect()
        };
        let own = self.own.iter().map(|own| Own {
            is_kept: own.is_kept.clone(),
            adds: own.adds,
            weights: own.weights,
            means: scaled(&own.means, 1),
            variances: scaled(&own.variances, 2),
            rows: own.rows.iter().map(|_| OnceLock::new()).collect(),
        });
        Self {
            interventions: Arc::clone(&self.interventions),
            parts: Arc::clone(&self.parts),
            units: self.units.iter().enumerate().map(|(column, known)| known * unit(column)).collect(),
            places: self.places.clone(),
            own: own.collect(),
            total: self.total,
            shift: scaled(&self.shift, 1),
            is_centered: self.is_centered,
            room: AtomicUsize::new(MOST_BYTES),
        }
    }

    /// Takes the bytes of a row, if there are as many.
    fn reserve(&self, bytes: usize) -> bool {
        let take = |room: usize| room.checked_sub(bytes);
        self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}

impl Own {
    fn new(
        gram: &Gram,
        parts: &[Part],
        is_kept: Vec<bool>,
        (total, shift): (f64, &[f64]),
        is_centered: bool,
    ) -> Self {
        let width = gram.nodes;
        let (mut weights, mut means, mut squares) = (Weights::NONE, vec![0.0; width], vec![0.0; width]);
        let mut work = [0, 0];
        for (part, &is_kept) in parts.iter().zip(&is_kept) {
            work[usize::from(is_kept)] += part.work(width);
            if is_kept {
                weights.merge(&part.weights);
                add_scaled(&mut means, &part.sums, 1.0);
                add_scaled(&mut squares, &part.squares, 1.0);
            }
        }
        let share = 1.0 / weights.total.max(f64::MIN_POSITIVE);
        means.iter_mut().for_each(|mean| *mean = if is_centered { *mean * share } else { 0.0 });
        let variances: Vec<f64> = squares
            .iter()
            .zip(&means)
            .map(|(&square, mean)| {
                let variance = square * share - mean * mean;
                if variance > CONSTANT * square * share { variance } else { 0.0 }
            })
            .collect();
        let cancels = |column: usize| {
            let square = gram.matrix[column * width + column] + shift[column] * shift[column];
            total * square > CANCELLING * weights.total * variances[column]
        };
        let adds = work[1] < work[0] || (0..width).any(cancels);
        let rows = (0..width).map(|_| OnceLock::new()).collect();
        Self { is_kept, adds, weights, means, variances, rows }
    }
}

/// For each column its mean in the largest regime that does not set it: what a column is set to may be far from all that it is by
/// itself.
fn origin<V: Fn(usize, &mut [f64]), W: Fn(usize) -> (f64, u32)>(
    interventions: &Interventions,
    rows: &RowSource<V, W>,
    width: usize,
) -> Vec<f64> {
    let regimes = interventions.regimes();
    let (mut totals, mut sums) = (vec![0.0; regimes.len()], vec![vec![0.0; width]; regimes.len()]);
    let mut row = vec![0.0; width];
    for (at, &regime) in interventions.regime_of_rows().iter().enumerate() {
        let (row_weight, times) = (rows.weight)(at);
        let weight = row_weight * f64::from(times);
        (rows.values)(at, &mut row);
        totals[regime as usize] += weight;
        add_scaled(&mut sums[regime as usize], &row, weight);
    }
    let origin = |column: usize| {
        let others = (0..regimes.len()).filter(|&regime| regimes[regime].binary_search(&column).is_err());
        let largest = others.max_by(|&a, &b| totals[a].total_cmp(&totals[b]));
        largest
            .filter(|&regime| totals[regime] > 0.0)
            .map_or(0.0, |regime| sums[regime][column] / totals[regime])
    };
    (0..width).map(origin).collect()
}

/// Σ w x xᵀ, from sums about their own means.
fn products(builder: GramBuilder, sums: &[f64], weight: f64) -> Vec<f64> {
    let width = sums.len();
    let mut matrix = builder.into_moments().scatter;
    for i in 0..width {
        for j in i..width {
            let product = matrix[i * width + j] + sums[i] * sums[j] / weight;
            matrix[i * width + j] = product;
            matrix[j * width + i] = product;
        }
    }
    matrix
}

impl PartialEq for Kept {
    /// What is computed from it is no part of it.
    fn eq(&self, other: &Self) -> bool {
        self.interventions == other.interventions && self.units == other.units
    }
}

/// The moments that a node's parents are told from: of all rows, or of those in which it was not set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments<'a> {
    gram: &'a Gram,
    own: Option<(&'a Kept, &'a Own)>,
}

impl<'a> Moments<'a> {
    pub(crate) fn nodes(self) -> usize {
        self.gram.nodes
    }

    /// How many rows they are of.
    pub(crate) fn rows(self) -> usize {
        self.own.map_or(self.gram.rows, |(_, own)| own.weights.effective_rows())
    }

    /// The share of all rows that they are of.
    pub(crate) fn share(self) -> f64 {
        self.own.map_or(1.0, |(kept, own)| own.weights.total / kept.total)
    }

    /// Entry (i, i).
    #[inline]
    pub(crate) fn variance(self, i: usize) -> f64 {
        match self.own {
            None => self.gram.matrix[i * self.gram.nodes + i],
            Some((_, own)) => own.variances[i],
        }
    }

    /// Row `i`, which is also column `i`.
    #[inline]
    pub(crate) fn row(self, i: usize) -> Cow<'a, [f64]> {
        match self.own {
            None => Cow::Borrowed(self.gram.row(i)),
            Some((kept, own)) => match own.rows[i].get() {
                Some(row) => Cow::Borrowed(row),
                None => self.computed_row(kept, own, i),
            },
        }
    }

    #[cold]
    fn computed_row(self, kept: &'a Kept, own: &'a Own, i: usize) -> Cow<'a, [f64]> {
        let mut row = vec![0.0; self.gram.nodes];
        for (part, _) in kept.parts.iter().zip(&own.is_kept).filter(|(_, is_kept)| **is_kept == own.adds) {
            part.add_row(i, 1.0, &mut row);
        }
        for (j, product) in row.iter_mut().enumerate() {
            *product = self.entry_of(kept, own, (i, j), *product);
        }
        if kept.reserve(size_of_val(&*row)) {
            Cow::Borrowed(own.rows[i].get_or_init(|| row.into()))
        } else {
            Cow::Owned(row)
        }
    }

    /// An entry of a node's own matrix from a sum over regimes.
    fn entry_of(self, kept: &Kept, own: &Own, (i, j): (usize, usize), product: f64) -> f64 {
        if i == j || own.variances[i] == 0.0 || own.variances[j] == 0.0 {
            return if i == j { own.variances[i] } else { 0.0 };
        }
        let product = product / kept.units[i] / kept.units[j];
        let sum = if own.adds {
            product
        } else {
            kept.total * (self.gram.row(i)[j] + kept.shift[i] * kept.shift[j]) - product
        };
        sum / own.weights.total - own.means[i] * own.means[j]
    }

    /// Appends entries (i, others) to a list, without keeping more of the row.
    pub(crate) fn extend(self, i: usize, others: &[usize], list: &mut Vec<f64>) {
        match self.own {
            None => {
                let row = self.gram.row(i);
                list.extend(others.iter().map(|&other| row[other]));
            }
            Some((_, own)) if own.rows[i].get().is_some() => {
                let row = self.row(i);
                list.extend(others.iter().map(|&other| row[other]));
            }
            Some((kept, own)) => {
                let start = list.len();
                list.resize(start + others.len(), 0.0);
                let entries = &mut list[start..];
                let is_summed = |(_, is_kept): &(&Part, &bool)| **is_kept == own.adds;
                for (part, _) in kept.parts.iter().zip(&own.is_kept).filter(is_summed) {
                    part.add_entries(i, others, self.gram.nodes, entries);
                }
                for (entry, &j) in entries.iter_mut().zip(others) {
                    *entry = self.entry_of(kept, own, (i, j), *entry);
                }
            }
        }
    }
}

impl Gram {
    /// The moments of rows of which some were made by setting columns from outside, row-major. A node's local score then rests
    /// on the rows in which it was not set, with their own means and number; the rest of this matrix is that of all rows.
    /// O(n·d²).
    ///
    /// # Errors
    /// As [`Gram::from_rows`]; [`Error::Size`](crate::Error::Size) unless there are targets for each row, among as many nodes as columns;
    /// [`Error::Misfit`](crate::Error::Misfit) if fewer than two rows tell of a node.
    ///
    /// ```
    /// use plackett_dag::{Gram, Interventions, gram::Centering};
    /// let rows = [0.0, 1.0, 2.0, 5.0, 4.0, 9.0, 1.0, 70.0];
    /// let interventions = Interventions::new(2, [vec![], vec![], vec![], vec![1]])?;
    /// let gram = Gram::with_interventions(&rows, &interventions, Centering::Center)?;
    /// assert_eq!((gram.rows(), gram.kept_rows(0), gram.kept_rows(1)), (4, 4, 3));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn with_interventions(
        data: &[f64],
        interventions: &Interventions,
        centering: super::Centering,
    ) -> Result<Self> {
        let width = interventions.nodes();
        let gram = Self::with_rows(data, width, centering)?;
        let values = |row: usize, target: &mut [f64]| target.copy_from_slice(&data[row * width..][..width]);
        let rows = data.len() / width;
        gram.intervened(interventions, rows, &RowSource { values, weight: |_| (1.0, 1) }, centering)
    }

    /// These moments, with those of each regime: `rows` are the rows that they are of.
    pub(crate) fn intervened<V: Fn(usize, &mut [f64]), W: Fn(usize) -> (f64, u32)>(
        mut self,
        interventions: &Interventions,
        count: usize,
        rows: &RowSource<V, W>,
        centering: super::Centering,
    ) -> Result<Self> {
        interventions.check(self.nodes, count)?;
        let kept = Kept::new(&self, interventions, rows, centering != super::Centering::None)?;
        self.kept = Some(Arc::new(kept));
        Ok(self)
    }

    /// Which nodes were set from outside in which rows, if any were.
    ///
    /// ```
    /// let gram = plackett_dag::Gram::from_matrix(100, 1, vec![2.0])?;
    /// assert!(gram.interventions().is_none());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn interventions(&self) -> Option<&Interventions> {
        self.kept.as_ref().map(|kept| kept.interventions.as_ref())
    }

    /// The number of rows that tell of a node's parents: all, less those in which it was set from outside.
    ///
    /// ```
    /// let gram = plackett_dag::Gram::from_matrix(100, 1, vec![2.0])?;
    /// assert_eq!(gram.kept_rows(0), 100);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn kept_rows(&self, node: usize) -> usize {
        self.of(node).rows()
    }

    /// The moments that the parents of a node are told from.
    #[inline]
    pub(crate) fn of(&self, node: usize) -> Moments<'_> {
        let own = self.kept.as_deref().and_then(|kept| {
            let place = kept.places.get(node).copied().flatten()?;
            Some((kept, &kept.own[place]))
        });
        Moments { gram: self, own }
    }

    /// The moments of all rows.
    pub(crate) fn pooled(&self) -> Moments<'_> {
        Moments { gram: self, own: None }
    }

    /// The same moments with each column in another unit; a column whose unit is zero goes with nothing.
    pub(crate) fn in_units(&self, units: &[f64]) -> Self {
        let mut matrix = Vec::with_capacity(self.matrix.len());
        for (row, &unit) in self.matrix.chunks_exact(self.nodes).zip(units) {
            let scaled = |(entry, other): (&f64, &f64)| {
                if unit > 0.0 && *other > 0.0 { entry / unit / other } else { 0.0 }
            };
            matrix.extend(row.iter().zip(units).map(scaled));
        }
        let means = self.means.iter().zip(units);
        let means = means.map(|(mean, &unit)| if unit > 0.0 { mean / unit } else { *mean }).collect();
        let kept = self.kept.as_ref().map(|kept| Arc::new(kept.in_units(units)));
        Self { matrix, means, kept, scales: self.scales.clone(), held: self.held.clone(), ..*self }
    }

    /// The moments of some of the nodes, with those of the regimes.
    pub(super) fn kept_of_nodes(&self, picked: &Self, nodes: &[usize]) -> Option<Arc<Kept>> {
        let kept = self.kept.as_ref()?;
        let parts = kept.parts.iter().map(|part| part.of_columns(nodes)).collect();
        let shift = nodes.iter().map(|&node| kept.shift[node]).collect();
        let interventions = Arc::new(kept.interventions.of_nodes(nodes));
        // Whoever told of a node before does so still.
        Kept::of_parts(picked, interventions, parts, shift, kept.is_centered).ok().map(Arc::new)
    }
}
