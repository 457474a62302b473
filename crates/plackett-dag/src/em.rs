//! The means and covariances of incomplete data by expectation and maximization (EM): a saturated Gaussian over the numbers and
//! the indicators of categories, which assumes that whether a value is missing depends on what is observed only.
//!
//! Rows are grouped by what is missing in them. With K = Σ⁻¹, missing columns M and observed columns O, a group's missing values
//! are expected at μ_M − K_MM⁻¹ K_MO (x_O − μ_O) with covariance K_MM⁻¹, so a step costs what is missing and not what there is:
//! O(|M|²·(|M| + |O|)) for each group, and O(|M|·|O|) for each of its rows, or nothing where a group has more rows than columns.
//!
//! Where much is missing, steps are many and small. So every two are followed by a longer one in their direction (SQUAREM,
//! Varadhan and Roland 2008): with r the first change and v the change of the change, to θ − 2αr + α²v, α = −‖r‖/‖v‖.

use std::collections::HashMap;

use plackett::run::Run;

use crate::gram::{Centering, Gram};
use crate::mixed::{Blocks, Layout, Mixed};
use crate::pace::Pace;
use crate::{Error, Result, parallel};

/// Parts that the groups are dealt out to; their sums are added in order, so that threads do not matter.
const PARTS: usize = 16;

/// A pivot below this says that columns of variance 1 are combinations of each other.
const SINGULAR: f64 = 1e-9;
/// What is then added to all variances: enough to regress on such columns, too little to matter.
const RIDGE: f64 = 1e-6;

/// The longest leap, |α|, at first; it grows by this where it goes well.
const LONGEST_LEAP: f64 = 4.0;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Em {
    pub(crate) most_iterations: usize,
    /// The largest change of a mean or a covariance, in standard deviations, that counts as none.
    pub(crate) tolerance: f64,
}

impl Default for Em {
    fn default() -> Self {
        Self { most_iterations: 500, tolerance: 1e-5 }
    }
}

/// How the estimation of moments from incomplete data ended.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{Learning, Mixed, Observations, mixed::MixedColumn};
/// let numbers = |slope: f64| (0..50).map(|row| slope * f64::from(row % 7) + f64::from(row % 5)).collect::<Vec<_>>();
/// let (first, mut second) = (numbers(0.2), numbers(1.0));
/// second[3] = f64::NAN;
/// let data = Mixed::new(vec![MixedColumn::Numbers(first), MixedColumn::Numbers(second)])?;
/// let learned = Learning::default().run(&Observations::Mixed(data.into()), &Run::default())?;
/// let estimation = learned.estimation.unwrap();
/// assert!(estimation.is_converged && estimation.effective_rows == 49.0);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimation {
    /// Steps of the EM algorithm; for categories alone, rounds of drawing what is missing and learning from it.
    pub iterations: usize,
    /// The largest change of a mean or a covariance in the last step, in standard deviations; for categories alone, the edges that
    /// changed in the last round as a share of all.
    pub change: f64,
    /// Whether that was small enough to stop.
    pub is_converged: bool,
    /// How many complete rows the data are taken to be worth: those in which two columns are both there, on average over
    /// the pairs of columns.
    pub effective_rows: f64,
}

/// Moments in standard deviations of what is observed of each column.
#[derive(Clone, Debug)]
struct Moments {
    means: Vec<f64>,
    covariances: Vec<f64>,
}

impl Moments {
    fn values(&self) -> impl Iterator<Item = &f64> {
        self.means.iter().chain(&self.covariances)
    }
}

/// Rows with the same columns missing.
struct Group {
    missing: Vec<usize>,
    observed: Vec<usize>,
    rows: usize,
    /// How many rows they stand for, together and each; nothing where each stands for one.
    weight: f64,
    weights: Vec<f64>,
    content: Content,
}

impl Group {
    fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }
}

enum Content {
    /// The observed values, row by row.
    Rows(Vec<f64>),
    /// Their sums, and the sums of their products.
    Sums(Vec<f64>, Vec<f64>),
}

impl Em {
    /// The moments of data, as far as there is time to find them.
    ///
    /// # Errors
    /// [`Error::Empty`] if no column varies.
    pub(crate) fn moments(
        &self,
        data: &Mixed,
        centering: Centering,
        run: &Run<'_>,
    ) -> Result<(Blocks, Estimation)> {
        let layout = Layout::of(data);
        let width = layout.width();
        if width == 0 {
            return Err(Error::Empty);
        }
        let (shifts, scales) = observed_moments(data, &layout);
        let groups = groups(data, &layout, &shifts, &scales);
        let base = base_sums(&groups, width);
        let mut moments = Moments { means: vec![0.0; width], covariances: vec![0.0; width * width] };
        (0..width).for_each(|at| moments.covariances[at * width + at] = 1.0);
        let mut estimation = Estimation {
            iterations: 0,
            change: f64::INFINITY,
            is_converged: false,
            effective_rows: data.effective_rows(),
        };
        run.begin("EM", Some(self.most_iterations as u64));
        // The most likely covariances of no more rows than columns are singular, and EM would creep towards them for ever.
        let prior = if data.total() <= width as f64 { 1.0 / (1.0 + data.total()) } else { 0.0 };
        let mut advance = |from: &Moments| {
            let is_over = estimation.is_converged || estimation.iterations == self.most_iterations;
            if is_over || run.is_over() {
                return None;
            }
            let mut next = step(from, &groups, &base, data.total(), run)?;
            shrink(&mut next, prior);
            estimation.change = change(from, &next);
            estimation.iterations += 1;
            estimation.is_converged = estimation.change <= self.tolerance;
            run.advance(1);
            Some((next, estimation.change))
        };
        let mut longest = LONGEST_LEAP;
        while let Some((first, change)) = advance(&moments) {
            let Some((second, _)) = advance(&first) else {
                moments = first;
                break;
            };
            let landed = leap(&moments, &first, &second, longest).map(|far| advance(&far));
            moments = match landed {
                // Whatever a leap has led to, the next steps must not be longer than those before it.
                Some(Some((next, change_there))) if change_there <= change => {
                    longest *= LONGEST_LEAP;
                    next
                }
                Some(_) => {
                    longest = (longest / LONGEST_LEAP).max(LONGEST_LEAP);
                    second
                }
                None => second,
            };
        }
        let means: Vec<f64> = moments
            .means
            .iter()
            .zip(&shifts)
            .zip(&scales)
            .map(|((z, shift), scale)| shift + z * scale)
            .collect();
        let entry = |at: usize| moments.covariances[at] * scales[at / width] * scales[at % width];
        let covariances = (0..width * width).map(entry).collect();
        #[expect(clippy::cast_sign_loss, reason = "a mean of counts")]
        let rows = (estimation.effective_rows.round() as usize).max(1);
        let gram = Gram::from_moments(rows, means, covariances, centering)?;
        Ok((Blocks { layout, gram, rows: estimation.effective_rows }, estimation))
    }
}

/// The mean and the standard deviation of what is observed of each column; 1 where that does not vary.
fn observed_moments(data: &Mixed, layout: &Layout) -> (Vec<f64>, Vec<f64>) {
    let width = layout.width();
    let (mut counts, mut means, mut squares) = (vec![0.0; width], vec![0.0; width], vec![0.0; width]);
    let mut values = vec![0.0; width];
    for row in 0..data.rows() {
        layout.write_row(data, row, &mut values);
        let weight = data.weight(row);
        for (at, &value) in values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            counts[at] += weight;
            let ahead = value - means[at];
            means[at] += ahead * weight / counts[at];
            squares[at] += weight * ahead * (value - means[at]);
        }
    }
    let deviation = |at: usize| (squares[at] / counts[at]).sqrt();
    let scale = |at: usize| Some(deviation(at)).filter(|&size| size > 0.0 && size.is_finite()).unwrap_or(1.0);
    let scales = (0..width).map(scale).collect();
    (means, scales)
}

/// The rows in groups of what is missing, in the order of their first rows.
fn groups(data: &Mixed, layout: &Layout, shifts: &[f64], scales: &[f64]) -> Vec<Group> {
    let nodes = data.columns().len();
    let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    let mut values = vec![0.0; layout.width()];
    for row in 0..data.rows() {
        let mut key = vec![0_u64; nodes.div_ceil(64)];
        for (node, column) in data.columns().iter().enumerate() {
            key[node / 64] |= u64::from(column.is_missing(row)) << (node % 64);
        }
        let is_missing = |node: usize| key[node / 64] >> (node % 64) & 1 == 1;
        let place = *places.entry(key.clone()).or_insert_with(|| {
            let columns = |wanted: bool| {
                (0..nodes)
                    .filter(|&node| is_missing(node) == wanted)
                    .flat_map(|node| layout.block(node))
                    .collect()
            };
            let (missing, observed) = (columns(true), columns(false));
            let (weight, weights) = (0.0, Vec::new());
            groups.push(Group {
                missing,
                observed,
                rows: 0,
                weight,
                weights,
                content: Content::Rows(Vec::new()),
            });
            groups.len() - 1
        });
        let group = &mut groups[place];
        layout.write_row(data, row, &mut values);
        group.rows += 1;
        group.weight += data.weight(row);
        group.weights.extend(data.weights().map(|weights| weights[row]));
        if let Content::Rows(rows) = &mut group.content {
            rows.extend(group.observed.iter().map(|&at| (values[at] - shifts[at]) / scales[at]));
        }
    }
    for group in groups.iter_mut().filter(|group| group.rows > group.observed.len()) {
        let size = group.observed.len();
        let (mut first, mut second) = (vec![0.0; size], vec![0.0; size * size]);
        add_rows(group, &mut first, &mut second);
        group.content = Content::Sums(first, second);
    }
    groups
}

/// Adds the rows of a group that are there, and their products.
fn add_rows(group: &Group, first: &mut [f64], second: &mut [f64]) {
    let Content::Rows(rows) = &group.content else { return };
    for (at, row) in rows.chunks_exact(group.observed.len().max(1)).enumerate() {
        let weight = group.weight(at);
        first.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * value);
        for (sums, &value) in second.chunks_exact_mut(row.len()).zip(row) {
            sums.iter_mut().zip(row).for_each(|(sum, other)| *sum += weight * value * other);
        }
    }
}

/// What the observed values alone add to the sums of all columns: the same in every step.
fn base_sums(groups: &[Group], width: usize) -> Moments {
    let mut base = Moments { means: vec![0.0; width], covariances: vec![0.0; width * width] };
    for group in groups {
        let size = group.observed.len();
        let (mut first, mut second) = (vec![0.0; size], vec![0.0; size * size]);
        let (first, second) = match &group.content {
            Content::Sums(first, second) => (first, second),
            Content::Rows(_) => {
                add_rows(group, &mut first, &mut second);
                (&first, &second)
            }
        };
        for (i, &a) in group.observed.iter().enumerate() {
            base.means[a] += first[i];
            for (j, &b) in group.observed.iter().enumerate() {
                base.covariances[a * width + b] += second[i * size + j];
            }
        }
    }
    base
}

/// One step of expectation and maximization; nothing if the run is over before it is made.
fn step(moments: &Moments, groups: &[Group], base: &Moments, rows: f64, run: &Run<'_>) -> Option<Moments> {
    let width = moments.means.len();
    let precision = inverse(&moments.covariances, width);
    let part = |part: usize| -> Option<Moments> {
        let mut sums = Moments { means: vec![0.0; width], covariances: vec![0.0; width * width] };
        let mut pace = Pace::new(run);
        for group in groups.iter().skip(part).step_by(PARTS).filter(|group| !group.missing.is_empty()) {
            let (missing, observed) = (group.missing.len(), group.observed.len());
            pace.spend(missing * missing * (missing + observed) + group.rows * missing)?;
            expect(moments, group, &precision, &mut sums);
        }
        Some(sums)
    };
    let parts: Vec<Option<Moments>> = parallel::map(0..PARTS, part);
    let mut sums = base.clone();
    for part in parts {
        let part = part?;
        sums.means.iter_mut().zip(&part.means).for_each(|(sum, part)| *sum += part);
        sums.covariances.iter_mut().zip(&part.covariances).for_each(|(sum, part)| *sum += part);
    }
    sums.means.iter_mut().for_each(|sum| *sum /= rows);
    for i in 0..width {
        for j in 0..=i {
            let entry = sums.covariances[i * width + j] / rows - sums.means[i] * sums.means[j];
            let entry = if i == j { entry.max(0.0) } else { entry };
            sums.covariances[i * width + j] = entry;
            sums.covariances[j * width + i] = entry;
        }
    }
    Some(sums)
}

/// Moves covariances by a share of the way to those of uncorrelated columns with variances of 1.
fn shrink(moments: &mut Moments, share: f64) {
    let width = moments.means.len();
    moments.covariances.iter_mut().for_each(|entry| *entry *= 1.0 - share);
    (0..width).for_each(|at| moments.covariances[at * width + at] += share);
}

/// Where two steps lead if they are gone on with, no further than `longest` times as far; nothing if that is no further than
/// they have led already, or to no covariances.
fn leap(start: &Moments, first: &Moments, second: &Moments, longest: f64) -> Option<Moments> {
    let width = start.means.len();
    let (mut speed, mut turn) = (0.0, 0.0);
    for ((a, b), c) in start.values().zip(first.values()).zip(second.values()) {
        speed += (b - a).powi(2);
        turn += (c - 2.0 * b + a).powi(2);
    }
    let length = (speed / turn).sqrt().min(longest);
    // NaN where nothing has changed.
    if length.is_nan() || length <= 1.0 {
        return None;
    }
    let far = |a: &[f64], b: &[f64], c: &[f64]| -> Vec<f64> {
        let triples = a.iter().zip(b).zip(c);
        triples.map(|((a, b), c)| a + 2.0 * length * (b - a) + length.powi(2) * (c - 2.0 * b + a)).collect()
    };
    let moments = Moments {
        means: far(&start.means, &first.means, &second.means),
        covariances: far(&start.covariances, &first.covariances, &second.covariances),
    };
    // As far from singular as where it began.
    let ridge = if try_inverse(&second.covariances, width, 0.0).is_some() { 0.0 } else { RIDGE };
    try_inverse(&moments.covariances, width, ridge).map(|_| moments)
}

/// Adds what is expected of a group's missing values: their sums, and their products with the observed ones and with each
/// other; of a pair of columns one missing and one not, in the lower triangle.
fn expect(moments: &Moments, group: &Group, precision: &[f64], sums: &mut Moments) {
    let width = moments.means.len();
    let (missing, observed) = (&group.missing, &group.observed);
    let (m, o) = (missing.len(), observed.len());
    let block: Vec<f64> =
        missing.iter().flat_map(|&a| missing.iter().map(move |&b| precision[a * width + b])).collect();
    let covariance = inverse(&block, m);
    // Expected values are `constants + slopes · observed`.
    let mut slopes = vec![0.0; m * o];
    for (i, row) in slopes.chunks_exact_mut(o.max(1)).enumerate() {
        for (t, &a) in missing.iter().enumerate() {
            let factor = -covariance[i * m + t];
            row.iter_mut().zip(observed).for_each(|(slope, &b)| *slope += factor * precision[a * width + b]);
        }
    }
    let mut constants: Vec<f64> = missing.iter().map(|&a| moments.means[a]).collect();
    for (constant, slopes) in constants.iter_mut().zip(slopes.chunks_exact(o.max(1))) {
        *constant -= slopes.iter().zip(observed).map(|(slope, &b)| slope * moments.means[b]).sum::<f64>();
    }
    let rows = group.weight;
    let mut first = vec![0.0; m];
    let mut mixed = vec![0.0; m * o];
    let mut second: Vec<f64> = covariance.iter().map(|entry| rows * entry).collect();
    match &group.content {
        Content::Rows(values) => {
            let mut expected = vec![0.0; m];
            for at in 0..group.rows {
                let (weight, row) = (group.weight(at), &values[at * o..(at + 1) * o]);
                for (i, value) in expected.iter_mut().enumerate() {
                    *value = constants[i] + crate::cholesky::dot(&slopes[i * o..(i + 1) * o], row);
                }
                for (i, &value) in expected.iter().enumerate() {
                    let value = weight * value;
                    first[i] += value;
                    mixed[i * o..(i + 1) * o].iter_mut().zip(row).for_each(|(sum, x)| *sum += value * x);
                    let products = &mut second[i * m..(i + 1) * m];
                    products.iter_mut().zip(&expected).for_each(|(sum, x)| *sum += value * x);
                }
            }
        }
        Content::Sums(sum, products) => {
            for i in 0..m {
                let slopes = &slopes[i * o..(i + 1) * o];
                first[i] = rows * constants[i] + crate::cholesky::dot(slopes, sum);
                let mixed = &mut mixed[i * o..(i + 1) * o];
                mixed.iter_mut().zip(sum).for_each(|(mixed, x)| *mixed = constants[i] * x);
                for (slope, row) in slopes.iter().zip(products.chunks_exact(o.max(1))) {
                    mixed.iter_mut().zip(row).for_each(|(mixed, x)| *mixed += slope * x);
                }
            }
            for i in 0..m {
                for j in 0..m {
                    let slopes = &slopes[j * o..(j + 1) * o];
                    second[i * m + j] +=
                        first[i] * constants[j] + crate::cholesky::dot(&mixed[i * o..(i + 1) * o], slopes);
                }
            }
        }
    }
    for (i, &a) in missing.iter().enumerate() {
        sums.means[a] += first[i];
        for (j, &b) in observed.iter().enumerate() {
            let (low, high) = (a.min(b), a.max(b));
            sums.covariances[high * width + low] += mixed[i * o + j];
        }
        for (j, &b) in missing.iter().enumerate() {
            sums.covariances[a * width + b] += second[i * m + j];
        }
    }
}

/// The inverse of a symmetric matrix; of one that is singular, that of the nearest that is safely not.
fn inverse(matrix: &[f64], size: usize) -> Vec<f64> {
    let mut ridge = 0.0;
    loop {
        if let Some(inverse) = try_inverse(matrix, size, ridge) {
            return inverse;
        }
        ridge = if ridge == 0.0 { RIDGE } else { 10.0 * ridge };
        if ridge > 1e6 {
            // Only what is not finite comes here: its columns are then left alone.
            let mut identity = vec![0.0; size * size];
            (0..size).for_each(|at| identity[at * size + at] = 1.0);
            return identity;
        }
    }
}

fn try_inverse(matrix: &[f64], size: usize, ridge: f64) -> Option<Vec<f64>> {
    let mut lower = vec![0.0; size * size];
    for i in 0..size {
        let diagonal = matrix[i * size + i];
        for j in 0..=i {
            let known = crate::cholesky::dot(&lower[i * size..i * size + j], &lower[j * size..j * size + j]);
            let entry = matrix[i * size + j] - known;
            if i == j {
                let pivot = entry + ridge * diagonal.max(1.0);
                if pivot.is_nan() || pivot <= SINGULAR * diagonal.max(f64::MIN_POSITIVE) {
                    return None;
                }
                lower[i * size + i] = pivot.sqrt();
            } else {
                lower[i * size + j] = entry / lower[j * size + j];
            }
        }
    }
    // The rows of L⁻¹, then L⁻ᵀ L⁻¹.
    let mut inverse_lower = vec![0.0; size * size];
    for i in 0..size {
        let (before, row) = inverse_lower.split_at_mut(i * size);
        for (t, earlier) in before.chunks_exact(size).enumerate() {
            let factor = lower[i * size + t];
            row[..=t].iter_mut().zip(earlier).for_each(|(x, y)| *x -= factor * y);
        }
        let scale = 1.0 / lower[i * size + i];
        row[..i].iter_mut().for_each(|x| *x *= scale);
        row[i] = scale;
    }
    let mut inverse = vec![0.0; size * size];
    for row in inverse_lower.chunks_exact(size.max(1)) {
        for (i, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            inverse[i * size..(i + 1) * size].iter_mut().zip(row).for_each(|(sum, x)| *sum += value * x);
        }
    }
    Some(inverse)
}

fn change(before: &Moments, after: &Moments) -> f64 {
    before.values().zip(after.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
#[expect(clippy::needless_range_loop, reason = "formulas have indices")]
mod tests {
    use super::*;
    use crate::mixed::MixedColumn;
    use crate::testing::{Rng, normal};
    use plackett::run::Limits;
    use std::time::Duration;

    /// Correlated numbers and a category with values missing, some rows complete, some patterns common and some rare.
    fn data(rows: usize, numbers: usize, share: f64, seed: u64) -> Mixed {
        let mut rng = Rng::new(seed);
        let mut columns = vec![Vec::new(); numbers];
        let mut codes = Vec::new();
        for _ in 0..rows {
            let mut before = 0.0;
            for (at, column) in columns.iter_mut().enumerate() {
                let value = 0.8 * before + normal(&mut rng) + 3.0 * at as f64;
                before = value - 3.0 * at as f64;
                column.push(if rng.uniform() < share { f64::NAN } else { value });
            }
            let code = if before > 0.8 { 2 } else { u8::from(before > -0.3) };
            codes.push(if rng.uniform() < share { 3 } else { code });
        }
        let mut columns: Vec<MixedColumn> = columns.into_iter().map(MixedColumn::Numbers).collect();
        columns.insert(1, MixedColumn::Categories { codes, levels: 3 });
        Mixed::new(columns).unwrap()
    }

    /// x in A x = b, by elimination with pivots.
    fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
        let size = b.len();
        for i in 0..size {
            let pivot = (i..size).max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs())).unwrap();
            a.swap(i, pivot);
            b.swap(i, pivot);
            for j in i + 1..size {
                let factor = a[j][i] / a[i][i];
                for t in i..size {
                    a[j][t] -= factor * a[i][t];
                }
                b[j] -= factor * b[i];
            }
        }
        for i in (0..size).rev() {
            let known: f64 = (i + 1..size).map(|t| a[i][t] * b[t]).sum();
            b[i] = (b[i] - known) / a[i][i];
        }
        b
    }

    /// Row by row as textbooks have it (Little and Rubin), in the units of the data.
    fn textbook(rows: &[Vec<f64>], iterations: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
        let width = rows[0].len();
        let there = |at: usize| rows.iter().map(move |row| row[at]).filter(|value| !value.is_nan());
        let mut mean: Vec<f64> =
            (0..width).map(|at| there(at).sum::<f64>() / there(at).count() as f64).collect();
        let mut covariance = vec![vec![0.0; width]; width];
        for at in 0..width {
            let squares = there(at).map(|value| (value - mean[at]).powi(2));
            covariance[at][at] = squares.sum::<f64>() / there(at).count() as f64;
        }
        for _ in 0..iterations {
            let mut first = vec![0.0; width];
            let mut second = vec![vec![0.0; width]; width];
            for row in rows {
                let (missing, observed): (Vec<usize>, Vec<usize>) =
                    (0..width).partition(|&at| row[at].is_nan());
                let inner: Vec<Vec<f64>> =
                    observed.iter().map(|&a| observed.iter().map(|&b| covariance[a][b]).collect()).collect();
                let mut filled = row.clone();
                let slopes: Vec<Vec<f64>> = missing
                    .iter()
                    .map(|&m| solve(inner.clone(), observed.iter().map(|&o| covariance[m][o]).collect()))
                    .collect();
                for (&m, slopes) in missing.iter().zip(&slopes) {
                    filled[m] = mean[m]
                        + slopes
                            .iter()
                            .zip(&observed)
                            .map(|(slope, &o)| slope * (row[o] - mean[o]))
                            .sum::<f64>();
                }
                for a in 0..width {
                    first[a] += filled[a];
                    for b in 0..width {
                        second[a][b] += filled[a] * filled[b];
                    }
                }
                for (&a, slopes) in missing.iter().zip(&slopes) {
                    for &b in &missing {
                        let known: f64 =
                            slopes.iter().zip(&observed).map(|(slope, &o)| slope * covariance[o][b]).sum();
                        second[a][b] += covariance[a][b] - known;
                    }
                }
            }
            let count = rows.len() as f64;
            mean = first.iter().map(|sum| sum / count).collect();
            for a in 0..width {
                for b in 0..width {
                    covariance[a][b] = second[a][b] / count - mean[a] * mean[b];
                }
            }
        }
        (mean, covariance)
    }

    #[test]
    fn moments_are_those_of_the_slow_version() {
        for (rows, numbers, share, seed) in [(60, 3, 0.3, 1), (300, 2, 0.1, 2), (150, 5, 0.4, 3)] {
            let data = data(rows, numbers, share, seed);
            let layout = Layout::of(&data);
            let mut values = vec![vec![0.0; layout.width()]; rows];
            values.iter_mut().enumerate().for_each(|(row, values)| layout.write_row(&data, row, values));
            let em = Em { most_iterations: 200, tolerance: 1e-12 };
            let (found, estimation) = em.moments(&data, Centering::Center, &Run::default()).unwrap();
            assert!(estimation.is_converged, "{estimation:?}");
            let (mean, covariance) = textbook(&values, 2000);
            for a in 0..layout.width() {
                assert!((found.gram.means()[a] - mean[a]).abs() < 1e-8);
                for b in 0..layout.width() {
                    let gap = (found.gram.entry(a, b) - covariance[a][b]).abs();
                    assert!(gap < 1e-8, "{a} {b}: {gap}");
                }
            }
        }
    }

    #[test]
    fn fewer_rows_than_columns_have_moments_too() {
        let data = data(12, 14, 0.2, 6);
        let (found, estimation) = Em::default().moments(&data, Centering::Center, &Run::default()).unwrap();
        assert!(estimation.is_converged, "{estimation:?}");
        // A step from where it has ended leads nowhere else.
        let further = Em { tolerance: 1e-9, ..Em::default() };
        let (exact, _) = further.moments(&data, Centering::Center, &Run::default()).unwrap();
        for (a, b) in found.gram.matrix().iter().zip(exact.gram.matrix()) {
            assert!((a - b).abs() < 1e-2, "{a} {b}");
        }
    }

    #[test]
    fn complete_data_have_their_own_moments() {
        let data = data(50, 3, 0.0, 4);
        let (found, estimation) = Em::default().moments(&data, Centering::Center, &Run::default()).unwrap();
        let direct = Blocks::of(&data, &Run::default()).unwrap().unwrap();
        assert!(estimation.is_converged && estimation.effective_rows == 50.0);
        for (a, b) in found.gram.matrix().iter().zip(direct.gram.matrix()) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn it_ends_when_told_and_does_not_mind_copies_and_columns_without_values() {
        let data = data(200, 4, 0.3, 5);
        let over = Run::new(Limits::time(Duration::ZERO));
        let (found, estimation) = Em::default().moments(&data, Centering::Center, &over).unwrap();
        assert!(estimation.iterations == 0 && !estimation.is_converged);
        assert_eq!(found.gram.entry(0, 1), 0.0);
        let mut columns = data.columns().to_vec();
        columns.push(columns[0].clone());
        columns.push(MixedColumn::Numbers(vec![f64::NAN; 200]));
        columns.push(MixedColumn::Categories { codes: vec![0; 200], levels: 1 });
        let odd = Mixed::new(columns).unwrap();
        let (found, _) = Em::default().moments(&odd, Centering::Center, &Run::default()).unwrap();
        assert!(found.gram.matrix().iter().all(|entry| entry.is_finite()));
    }

    #[test]
    fn moments_about_zero_and_in_standard_deviations_follow() {
        let data = data(80, 2, 0.2, 6);
        let of = |centering| Em::default().moments(&data, centering, &Run::default()).unwrap().0.gram;
        let (centered, raw, unit) = (of(Centering::Center), of(Centering::None), of(Centering::Standardize));
        let means = centered.means();
        assert!((raw.entry(0, 3) - centered.entry(0, 3) - means[0] * means[3]).abs() < 1e-12);
        let deviation = |at: usize| centered.entry(at, at).sqrt();
        assert!((unit.entry(0, 3) - centered.entry(0, 3) / deviation(0) / deviation(3)).abs() < 1e-12);
    }
}
