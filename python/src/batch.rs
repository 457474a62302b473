//! Many Plackett–Luce distributions in one call, and scores from rankings.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use plackett::{
    fitting::{self, Ranking},
    run::{Limits, Run},
};
use pyo3::prelude::*;

use crate::{
    arrays::{Rows, entries, matrix, room, to_items},
    error::Failure,
    interrupt::interruptible,
};

/// Distributions by rows of scores, of which −inf is an absent item.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct Batch {
    pub(crate) batch: plackett::Batch,
}

/// What is wrong with one ranking of many is said of its row.
fn in_rows(error: plackett::Error, rows: usize) -> Failure {
    match error {
        plackett::Error::Ranking { index, source } => Failure::from(*source).in_row(index, rows),
        other => other.into(),
    }
}

/// Room for numbers, all zero.
pub(crate) fn zeros(rows: usize, columns: usize) -> Result<Vec<f64>, Failure> {
    let mut numbers = room(rows, columns)?;
    numbers.resize(rows * columns, 0.0);
    Ok(numbers)
}

impl Batch {
    /// The row of a ranking: the one that is given, or all rows in turn.
    fn row(&self, rows: Option<&[i64]>, ranking: usize) -> usize {
        // A negative number is no row, and is refused as such.
        rows.map_or(ranking % self.batch.rows(), |rows| usize::try_from(rows[ranking]).unwrap_or(usize::MAX))
    }
}

#[pymethods]
impl Batch {
    #[new]
    fn new(scores: PyReadonlyArray2<'_, f64>) -> Result<Self, Failure> {
        let rows = Rows::of(&scores, "scores")?;
        Ok(Self { batch: plackett::Batch::new(rows.entries(), rows.columns())? })
    }

    /// The normalized scores, row by row.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        matrix(py, self.batch.scores().to_vec(), self.batch.rows(), self.batch.items())
    }

    /// The first `top` items of as many orders of each row, row by row or, with `samples_first`, sample by sample.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        samples: usize,
        top: usize,
        seed: u64,
        samples_first: bool,
    ) -> Result<Bound<'py, PyArray2<i64>>, Failure> {
        let rows = self.batch.rows();
        let count = rows
            .checked_mul(samples)
            .ok_or_else(|| Failure::new(format!("{samples} samples are too many for {rows} rows")))?;
        let mut ranked: Vec<i64> = room(count, top)?;
        ranked.resize(count * top, 0);
        if count * top > 0 {
            let which = |ranking: usize| {
                if samples_first {
                    (ranking % rows, ranking / rows)
                } else {
                    (ranking / samples, ranking % samples)
                }
            };
            py.detach(|| self.batch.sample(top, seed, which, &mut ranked))?;
        }
        matrix(py, ranked, count, top)
    }

    /// The log-probability of each ranking, of the row that is given for it or of all rows in turn.
    #[pyo3(signature = (ranked, rows=None))]
    fn log_prob<'py>(
        &self,
        py: Python<'py>,
        ranked: PyReadonlyArray2<'py, i64>,
        rows: Option<PyReadonlyArray1<'py, i64>>,
    ) -> Result<Bound<'py, PyArray1<f64>>, Failure> {
        let ranked = Rows::of(&ranked, "orders")?;
        let rows = rows.as_ref().map(|rows| entries(rows, "rows")).transpose()?;
        let mut log_prob = zeros(ranked.count(), 1)?;
        py.detach(|| {
            let row = |ranking: usize| self.row(rows.as_deref(), ranking);
            self.batch.log_prob(ranked.entries(), ranked.columns(), row, &mut log_prob)
        })
        .map_err(|error| in_rows(error, ranked.count()))?;
        Ok(PyArray1::from_vec(py, log_prob))
    }

    /// The gradient of `log_prob` in the scores of its row.
    #[pyo3(signature = (ranked, rows=None))]
    fn grad_log_prob<'py>(
        &self,
        py: Python<'py>,
        ranked: PyReadonlyArray2<'py, i64>,
        rows: Option<PyReadonlyArray1<'py, i64>>,
    ) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        let ranked = Rows::of(&ranked, "orders")?;
        let rows = rows.as_ref().map(|rows| entries(rows, "rows")).transpose()?;
        let mut gradient = zeros(ranked.count(), self.batch.items())?;
        py.detach(|| {
            let row = |ranking: usize| self.row(rows.as_deref(), ranking);
            self.batch.grad_log_prob(ranked.entries(), ranked.columns(), row, &mut gradient)
        })
        .map_err(|error| in_rows(error, ranked.count()))?;
        matrix(py, gradient, ranked.count(), self.batch.items())
    }

    /// For each row the sum of its rankings' gradients, weighted; rankings are listed row by row.
    fn sum_grad_log_prob<'py>(
        &self,
        py: Python<'py>,
        ranked: PyReadonlyArray2<'py, i64>,
        weights: PyReadonlyArray1<'py, f64>,
    ) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        let (ranked, weights) = (Rows::of(&ranked, "orders")?, entries(&weights, "weights")?);
        let mut gradient = zeros(self.batch.rows(), self.batch.items())?;
        py.detach(|| {
            self.batch.sum_grad_log_prob(ranked.entries(), ranked.columns(), &weights, &mut gradient)
        })
        .map_err(|error| in_rows(error, ranked.count()))?;
        matrix(py, gradient, self.batch.rows(), self.batch.items())
    }
}

/// The scores, their covariance, the log-likelihood and the number of steps.
type Fitted<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, f64, usize);

/// Scores from rankings, which are listed as items, the sizes of the groups that are tied, and how many groups each has.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python half names them")]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    items: PyReadonlyArray1<'py, i64>,
    sizes: PyReadonlyArray1<'py, i64>,
    counts: PyReadonlyArray1<'py, i64>,
    weights: PyReadonlyArray1<'py, f64>,
    n_items: usize,
    before_others: bool,
    ridge: f64,
) -> Result<Fitted<'py>, Failure> {
    let [items, sizes, counts] = [(&items, "items"), (&sizes, "sizes"), (&counts, "counts")].map(
        |(array, what)| -> Result<Vec<usize>, Failure> {
            let mut numbers = Vec::new();
            to_items(&entries(array, what)?, &mut numbers)?;
            Ok(numbers)
        },
    );
    let (items, sizes, counts) = (items?, sizes?, counts?);
    let weights = entries(&weights, "weights")?;
    let mut groups = Vec::with_capacity(sizes.len());
    let mut rest = &items[..];
    for size in sizes {
        let Some((group, others)) = rest.split_at_checked(size) else {
            return Err(Failure::new("the groups have more items than there are"));
        };
        groups.push(group.to_vec());
        rest = others;
    }
    let mut groups = groups.into_iter();
    let rankings: Vec<Ranking> = counts
        .iter()
        .zip(weights)
        .map(|(&count, weight)| {
            let ranking = Ranking::tied(groups.by_ref().take(count).collect()).weighted(weight);
            if before_others { ranking.before_others(n_items) } else { ranking }
        })
        .collect();
    let (fitted, raised) = interruptible(
        py,
        |_| Ok(()),
        |observer| {
            let run = Run::new(Limits::default()).observed(observer);
            fitting::fit(&rankings, n_items, ridge, &run)
        },
    );
    match (fitted.map_err(|error| in_rows(error, rankings.len()))?, raised) {
        (Some(fit), None) => Ok((
            PyArray1::from_slice(py, &fit.scores),
            matrix(py, fit.covariance, n_items, n_items)?,
            fit.log_likelihood,
            fit.steps,
        )),
        (_, Some(raised)) => Err(raised.into()),
        (None, None) => Err(Failure::new("the fit was stopped")),
    }
}
