//! A surrogate of an objective over orders, which learns from its evaluations.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use plackett::{Families, Surrogate as Engine, SurrogateSettings};
use pyo3::prelude::*;

use crate::{
    arrays::{Rows, entries, matrix, to_items},
    batch::{Batch, zeros},
    error::Failure,
};

/// The families by their names.
const NAMES: [&str; 4] = ["positions", "precedences", "neighbors", "ends"];

/// A value for each distribution, and a row of slopes.
type Expectations<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// A surrogate, which all threads share.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct Surrogate {
    engine: Mutex<Engine>,
}

impl Surrogate {
    /// Never held while Python objects are made: making them may let other threads run, which may wait for the lock.
    fn lock(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What has each of some orders.
fn each_order(
    orders: &Rows<i64>,
    mut does: impl FnMut(usize, &[usize]) -> Result<(), plackett::Error>,
) -> Result<(), Failure> {
    let mut order = Vec::with_capacity(orders.columns());
    for (number, row) in orders.iter().enumerate() {
        to_items(row, &mut order)
            .and_then(|()| Ok(does(number, &order)?))
            .map_err(|error| error.in_row(number, orders.count()))?;
    }
    Ok(())
}

#[pymethods]
impl Surrogate {
    #[new]
    #[pyo3(signature = (items, families, window, top))]
    fn new(
        items: usize,
        families: Option<Vec<String>>,
        window: usize,
        top: Option<usize>,
    ) -> Result<Self, Failure> {
        let families = families
            .map(|names| {
                if let Some(name) = names.iter().find(|name| !NAMES.contains(&name.as_str())) {
                    let known = NAMES.join(", ");
                    return Err(Failure::new(format!("families has {name:?}: there are {known}")));
                }
                let [positions, precedences, neighbors, ends] =
                    NAMES.map(|known| names.iter().any(|name| name == known));
                Ok(Families { positions, precedences, neighbors, ends })
            })
            .transpose()?;
        let engine = Engine::with_settings(items, SurrogateSettings { families, window, top })?;
        Ok(Self { engine: Mutex::new(engine) })
    }

    /// The surrogate of a saved state.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> Result<Self, Failure> {
        let engine = py.detach(|| Engine::from_json(text))?;
        Ok(Self { engine: Mutex::new(engine) })
    }

    /// The whole state.
    fn to_json(&self, py: Python<'_>) -> Result<String, Failure> {
        Ok(py.detach(|| self.lock().to_json())?)
    }

    #[getter]
    fn items(&self) -> usize {
        self.lock().items()
    }

    #[getter]
    fn top(&self) -> Option<usize> {
        self.lock().settings().top
    }

    /// The families in use at present.
    #[getter]
    fn families(&self) -> Vec<&'static str> {
        let Families { positions, precedences, neighbors, ends } = self.lock().families();
        let used = [positions, precedences, neighbors, ends];
        NAMES.into_iter().zip(used).filter(|(_, is_used)| *is_used).map(|(name, _)| name).collect()
    }

    #[getter]
    fn evaluations(&self) -> u64 {
        self.lock().evaluations()
    }

    #[getter]
    fn explained(&self) -> f64 {
        self.lock().explained()
    }

    fn freeze(&self) {
        self.lock().freeze();
    }

    /// Takes note of evaluations, one after another.
    fn observe(
        &self,
        py: Python<'_>,
        orders: PyReadonlyArray2<'_, i64>,
        values: PyReadonlyArray1<'_, f64>,
    ) -> Result<(), Failure> {
        let (orders, values) = (Rows::of(&orders, "orders")?, entries(&values, "values")?);
        py.detach(|| {
            let mut engine = self.lock();
            each_order(&orders, |number, order| engine.observe(order, values[number]))
        })
    }

    /// What it predicts for orders.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        orders: PyReadonlyArray2<'py, i64>,
    ) -> Result<Bound<'py, PyArray1<f64>>, Failure> {
        let orders = Rows::of(&orders, "orders")?;
        let mut values = zeros(orders.count(), 1)?;
        py.detach(|| {
            let engine = self.lock();
            each_order(&orders, |number, order| {
                values[number] = engine.value(order)?;
                Ok(())
            })
        })?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Its expectation under every row of a batch, and the gradient.
    fn expectations<'py>(&self, py: Python<'py>, batch: &Batch) -> Result<Expectations<'py>, Failure> {
        let (rows, items) = (batch.batch.rows(), batch.batch.items());
        let (mut values, mut gradients) = (zeros(rows, 1)?, zeros(rows, items)?);
        py.detach(|| self.lock().expectations(&batch.batch, &mut values, &mut gradients))?;
        Ok((PyArray1::from_vec(py, values), matrix(py, gradients, rows, items)?))
    }
}
