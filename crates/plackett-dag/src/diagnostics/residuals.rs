//! What is left of each column of numbers once its parents have had their say: its shape, and what the squares of the parents would
//! still explain of it.

use plackett::{elementary::powf, run::Run};

use crate::{
    Dag, Gram,
    cholesky::{Cholesky, dot},
    gram::NumberRows,
    parallel,
};

/// A residual variance below this share of the column's own is rounding, and has no shape.
const ROUNDING: f64 = 1e-10;

/// The residuals of all columns.
pub(super) struct Residuals {
    /// By column; nothing for one that is a function of its parents.
    pub(super) columns: Vec<Option<Residual>>,
}

/// The residual of a column, in the rows in which it was not set from outside.
pub(super) struct Residual {
    /// How many rows it is worth.
    pub(super) rows: f64,
    /// The third moment over the variance's power 3/2.
    pub(super) skewness: f64,
    /// The fourth moment over the variance's square, less 3.
    pub(super) excess_kurtosis: f64,
    /// What squares of the parents explain, for a column that has any.
    pub(super) squares: Option<Squares>,
}

/// What the squares of the parents explain beside the parents themselves.
pub(super) struct Squares {
    /// The share of the residual variance.
    pub(super) share: f64,
    /// The squares that are not functions of the parents themselves.
    pub(super) count: usize,
    /// Rows less the coefficients that are fitted.
    pub(super) freedom: f64,
}

impl Residuals {
    /// Nothing if the run is over first. O(n · Σ (1 + 2·parents)²).
    pub(super) fn of(gram: &Gram, rows: &NumberRows, dag: &Dag, run: &Run<'_>) -> Option<Self> {
        let nodes: Vec<usize> = (0..dag.nodes()).collect();
        let columns: Option<Vec<Option<Residual>>> =
            parallel::map(
                &nodes,
                |&node| {
                    if run.is_over() { None } else { residual(gram, rows, dag, node, run) }
                },
            );
        Some(Self { columns: columns? })
    }

    /// How many rows the least known of them is worth.
    pub(super) fn fewest_rows(&self) -> f64 {
        self.columns.iter().flatten().map(|residual| residual.rows).fold(f64::INFINITY, f64::min)
    }
}

/// Nothing inside if the column has no residual; nothing at all if the run is over.
#[expect(clippy::option_option, reason = "one for what there is not, one for the end of the run")]
fn residual(
    gram: &Gram,
    rows: &NumberRows,
    dag: &Dag,
    node: usize,
    run: &Run<'_>,
) -> Option<Option<Residual>> {
    let (columns, count) = (rows.columns(), gram.of(node).rows());
    let kept = gram.interventions().map(|told| told.weights_without(node, rows.weights()));
    let weights = kept.as_deref().or(rows.weights());
    let scaled = |column: usize, factor: f64| {
        let (mean, factor) = (gram.means()[column], factor / gram.scales()[column]);
        columns[column].iter().map(move |value| (value - mean) * factor)
    };
    let mut left: Vec<f64> = scaled(node, 1.0).collect();
    for (&parent, &weight) in dag.parents(node).iter().zip(dag.parent_weights(node)) {
        left.iter_mut().zip(scaled(parent, weight)).for_each(|(left, part)| *left -= part);
    }
    center(&mut left, weights);
    let variance = moment(&left, weights, 2);
    if variance <= ROUNDING * gram.of(node).variance(node) {
        return Some(None);
    }
    let squares = match dag.parents(node) {
        [] => None,
        parents => {
            let mut terms = Vec::with_capacity(2 * parents.len());
            for &parent in parents {
                terms.extend(unit(scaled(parent, 1.0).collect(), weights));
            }
            let squared: Vec<Vec<f64>> = terms
                .iter()
                .filter_map(|term: &Vec<f64>| unit(term.iter().map(|z| z * z).collect(), weights))
                .collect();
            let linear = terms.len();
            terms.extend(squared);
            terms.push(left.clone());
            explained(&terms, linear, weights, count, run)?
        }
    };
    Some(Some(Residual {
        rows: count as f64,
        skewness: moment(&left, weights, 3) / powf(variance, 1.5),
        excess_kurtosis: moment(&left, weights, 4) / variance.powi(2) - 3.0,
        squares,
    }))
}

/// What the terms after the first `linear` ones explain of the last one beside those; nothing inside if they are all functions of them;
/// nothing at all if the run is over.
#[expect(clippy::option_option, reason = "one for what there is not, one for the end of the run")]
fn explained(
    terms: &[Vec<f64>],
    linear: usize,
    weights: Option<&[f64]>,
    rows: usize,
    run: &Run<'_>,
) -> Option<Option<Squares>> {
    let width = terms.len();
    let mut matrix = vec![0.0; width * width];
    for a in 0..width {
        if run.is_over() {
            return None;
        }
        for b in 0..=a {
            let entry = mean_product(&terms[a], &terms[b], weights);
            (matrix[a * width + b], matrix[b * width + a]) = (entry, entry);
        }
    }
    let Ok(gram) = Gram::from_matrix(rows, width, matrix) else { return Some(None) };
    let last = width - 1;
    let mut factor = Cholesky::default();
    factor.reset(width);
    let mut active = Vec::with_capacity(width);
    let mut linear_active = 0;
    for term in 0..last {
        if factor.push(gram.pooled(), &active, term) {
            active.push(term);
            linear_active += usize::from(term < linear);
        }
    }
    let mut projection: Vec<f64> = active.iter().map(|&term| gram.entry(last, term)).collect();
    factor.solve_lower(&mut projection);
    let (by_terms, by_squares) = projection.split_at(linear_active);
    let before = gram.entry(last, last) - dot(by_terms, by_terms);
    let count = by_squares.len();
    let freedom = rows as f64 - 1.0 - active.len() as f64;
    if count == 0 || before <= 0.0 {
        return Some(None);
    }
    Some(Some(Squares { share: (dot(by_squares, by_squares) / before).min(1.0), count, freedom }))
}

/// The column with mean 0 and variance 1; nothing for one that does not vary.
fn unit(mut column: Vec<f64>, weights: Option<&[f64]>) -> Option<Vec<f64>> {
    center(&mut column, weights);
    let deviation = moment(&column, weights, 2).sqrt();
    if deviation.is_nan() || deviation <= 0.0 {
        return None;
    }
    column.iter_mut().for_each(|value| *value /= deviation);
    Some(column)
}

fn center(column: &mut [f64], weights: Option<&[f64]>) {
    let mean = moment(column, weights, 1);
    column.iter_mut().for_each(|value| *value -= mean);
}

fn moment(column: &[f64], weights: Option<&[f64]>, power: i32) -> f64 {
    match weights {
        None => column.iter().map(|value| value.powi(power)).sum::<f64>() / column.len() as f64,
        Some(weights) => {
            column.iter().zip(weights).map(|(value, weight)| weight * value.powi(power)).sum::<f64>()
                / weights.iter().sum::<f64>()
        }
    }
}

fn mean_product(a: &[f64], b: &[f64], weights: Option<&[f64]>) -> f64 {
    match weights {
        None => dot(a, b) / a.len() as f64,
        Some(weights) => {
            a.iter().zip(b).zip(weights).map(|((x, y), weight)| weight * x * y).sum::<f64>()
                / weights.iter().sum::<f64>()
        }
    }
}
