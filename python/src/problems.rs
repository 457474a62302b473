//! Published problems, from arrays or files, with the searches that know them.

use std::path::PathBuf;

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use plackett::{
    Constraints, Order,
    problem::Sense,
    run::{Limits, Run},
    solver::{Method, Solver},
};
use plackett_problems::{
    FlowShop, Instance, Kind, LinearAssignment, LinearOrdering, QuadraticAssignment, TravelingSalesman,
    read_problem,
};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    arrays::{Rows, entries, to_items},
    error::Failure,
    interrupt::interruptible,
};

/// A problem.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct Problem {
    instance: Box<dyn Instance>,
}

/// How to search, as the Python half has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wishes {
    method: String,
    time_limit: Option<f64>,
    max_evaluations: Option<u64>,
    target: Option<f64>,
    patience: Option<u64>,
    before: Vec<(usize, usize)>,
    pins: Vec<(usize, usize)>,
    ranks: Vec<(usize, usize, usize)>,
    seed: u64,
}

impl Problem {
    fn of(instance: impl Instance + 'static) -> Self {
        Self { instance: Box::new(instance) }
    }
}

fn square(matrix: &PyReadonlyArray2<'_, f64>) -> Result<(usize, Vec<f64>), Failure> {
    let rows = Rows::of(matrix, "matrix")?;
    if rows.count() != rows.columns() {
        let text = format!(
            "the matrix has {} rows and {} columns: as many are needed",
            rows.count(),
            rows.columns()
        );
        return Err(Failure::new(text));
    }
    Ok((rows.count(), rows.entries().to_vec()))
}

#[pymethods]
impl Problem {
    /// A round trip by a matrix of distances.
    #[staticmethod]
    fn tsp(name: &str, distances: PyReadonlyArray2<'_, f64>) -> Result<Self, Failure> {
        let (cities, distances) = square(&distances)?;
        Ok(Self::of(TravelingSalesman::from_distances(name, cities, distances)?))
    }

    /// A round trip by points in the plane.
    #[staticmethod]
    fn tsp_points(name: &str, points: PyReadonlyArray2<'_, f64>) -> Result<Self, Failure> {
        let rows = Rows::of(&points, "cities")?;
        let points = rows.entries().chunks_exact(rows.columns()).map(|point| (point[0], point[1])).collect();
        Ok(Self::of(TravelingSalesman::from_points(name, points)?))
    }

    /// Quadratic assignment by two matrices.
    #[staticmethod]
    fn qap(name: &str, a: PyReadonlyArray2<'_, f64>, b: PyReadonlyArray2<'_, f64>) -> Result<Self, Failure> {
        let ((items, a), (_, b)) = (square(&a)?, square(&b)?);
        Ok(Self::of(QuadraticAssignment::new(name, items, a, b)?))
    }

    /// A flow shop by the times of jobs on machines.
    #[staticmethod]
    fn flow_shop(name: &str, times: PyReadonlyArray2<'_, f64>) -> Result<Self, Failure> {
        let rows = Rows::of(&times, "times")?;
        Ok(Self::of(FlowShop::new(name, rows.count(), rows.columns(), rows.entries().to_vec())?))
    }

    /// Linear ordering by a matrix.
    #[staticmethod]
    fn linear_ordering(name: &str, matrix: PyReadonlyArray2<'_, f64>) -> Result<Self, Failure> {
        let (items, matrix) = square(&matrix)?;
        Ok(Self::of(LinearOrdering::new(name, items, matrix)?))
    }

    /// Linear assignment by a matrix.
    #[staticmethod]
    fn assignment(name: &str, matrix: PyReadonlyArray2<'_, f64>) -> Result<Self, Failure> {
        let (items, matrix) = square(&matrix)?;
        Ok(Self::of(LinearAssignment::new(name, items, matrix)?))
    }

    /// The problem of a file.
    #[staticmethod]
    fn read(path: PathBuf, kind: Option<&str>) -> Result<Self, Failure> {
        let kind: Option<Kind> = kind.map(str::parse).transpose()?;
        Ok(Self { instance: read_problem(&path, kind)? })
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.instance.kind().name()
    }

    #[getter]
    fn name(&self) -> &str {
        self.instance.name()
    }

    #[getter]
    fn n_items(&self) -> usize {
        self.instance.items()
    }

    #[getter]
    fn is_maximizing(&self) -> bool {
        self.instance.sense() == Sense::Maximize
    }

    /// The best value known, and whether it is proven.
    #[getter]
    fn best_known(&self) -> Option<(f64, bool)> {
        self.instance.best_known().map(|best| (best.value, best.is_optimal))
    }

    /// The value of an order.
    fn value(&self, order: PyReadonlyArray1<'_, i64>) -> Result<f64, Failure> {
        let mut items = Vec::new();
        to_items(&entries(&order, "order")?, &mut items)?;
        if items.len() != self.instance.items() {
            let text =
                format!("the order has {} items, and {} are needed", items.len(), self.instance.items());
            return Err(Failure::new(text));
        }
        Ok(self.instance.value(&Order::new(items)?))
    }

    /// A good order: order, value, evaluations, seconds, how the search ended, when better orders were found.
    fn solve<'py>(&self, py: Python<'py>, wishes: Wishes) -> PyResult<Bound<'py, PyDict>> {
        let instance = self.instance.as_ref();
        let ((found, seconds), raised) = interruptible(
            py,
            |_| Ok(()),
            |observer| {
                let limits = Limits {
                    time: wishes.time_limit.map(std::time::Duration::from_secs_f64),
                    evaluations: wishes.max_evaluations,
                    target: wishes.target,
                    patience: wishes.patience,
                    ..Limits::default()
                };
                let run = Run::new(limits).observed(observer);
                let solve = || {
                    let constraints = Constraints::new(instance.items(), &wishes.before, &wishes.pins)?
                        .with_ranks(&wishes.ranks)?;
                    let method: Method = wishes.method.parse()?;
                    let mut solver = Solver::within(instance, constraints, method, wishes.seed, &limits)?;
                    let ending = solver.run(instance, &run)?;
                    Ok::<_, Failure>((solver, ending))
                };
                (solve(), run.seconds())
            },
        );
        let (solver, ending) = found?;
        let Some((order, value)) = solver.best() else {
            return Err(raised
                .unwrap_or_else(|| Failure::new("there was no time to value an order".to_owned()).into()));
        };
        let solved = PyDict::new(py);
        solved.set_item("order", PyArray1::from_iter(py, order.iter().map(|&item| item as i64)))?;
        solved.set_item("value", value)?;
        solved.set_item("evaluations", solver.evaluations())?;
        solved.set_item("seconds", seconds)?;
        solved.set_item("status", ending.name())?;
        let trace =
            solver.trace().points().iter().map(|point| (point.evaluations, point.seconds, point.best));
        solved.set_item("trace", trace.collect::<Vec<_>>())?;
        Ok(solved)
    }
}
