//! Relaxed permutation matrices of batches.

use numpy::{PyArray2, PyReadonlyArray2};
use plackett::Error;
use pyo3::prelude::*;

use crate::{
    arrays::{Rows, by_chunks, matrix, room},
    error::Failure,
};

/// Applies a relaxation to every row; a row of the answer is its matrix.
fn relax<'py>(
    py: Python<'py>,
    input: &Rows<f64>,
    columns: usize,
    relaxation: impl Fn(&[f64]) -> Result<Vec<f64>, Error> + Sync,
) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
    let relaxed = py.detach(|| {
        by_chunks(input.count(), columns, |_, rows, relaxed| {
            for row in rows {
                let found = relaxation(input.row(row));
                relaxed.extend(found.map_err(|error| Failure::from(error).in_row(row, input.count()))?);
            }
            Ok(())
        })
    })?;
    matrix(py, relaxed, input.count(), columns)
}

/// NeuralSort of each row of z: a row of k² entries.
#[pyfunction]
pub(crate) fn neural_sort<'py>(
    py: Python<'py>,
    z: PyReadonlyArray2<'py, f64>,
    tau: f64,
) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
    let z = Rows::of(&z, "z")?;
    room::<f64>(z.columns(), z.columns())?;
    relax(py, &z, z.columns() * z.columns(), |z| plackett::relaxation::neural_sort(z, tau))
}

/// Softmax of each row of z.
#[pyfunction]
pub(crate) fn softmax<'py>(
    py: Python<'py>,
    z: PyReadonlyArray2<'py, f64>,
    tau: f64,
) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
    let z = Rows::of(&z, "z")?;
    relax(py, &z, z.columns(), |z| plackett::relaxation::softmax(z, tau))
}

/// The Sinkhorn operator on each row, a square matrix of log-weights.
#[pyfunction]
pub(crate) fn sinkhorn<'py>(
    py: Python<'py>,
    log_alpha: PyReadonlyArray2<'py, f64>,
    n_iter: usize,
) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
    let log_alpha = Rows::of(&log_alpha, "log_alpha")?;
    // The operator keeps every round, for its derivatives.
    room::<f64>(n_iter.saturating_mul(2), log_alpha.columns())?;
    relax(py, &log_alpha, log_alpha.columns(), |x| plackett::relaxation::sinkhorn(x, n_iter))
}
