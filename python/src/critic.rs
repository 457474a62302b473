//! Critics for Python: networks, relaxed objectives whose function is Python's, critics that are Python's altogether, and sums of them.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{
    PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use plackett::{
    Differentiable, Noise,
    critic::{Critic as _, Network, RelaxedObjective, Sum},
    relaxation::{NeuralSort, Relaxation, Softmax},
};
use pyo3::prelude::*;

use crate::{
    arrays::{Rows, entries, matrix, room},
    error::Failure,
};

/// A critic without its parameters, which the Python half keeps.
#[pyclass(frozen, module = "plackett._plackett")]
#[derive(Clone)]
pub(crate) struct Critic {
    kind: Kind,
    /// What the functions of all relaxed objectives in it raise.
    raised: Vec<Raised>,
}

/// The first exception of a function called from where exceptions cannot pass: it is kept, the function's value is NaN, and
/// whoever called from Python raises it.
#[derive(Clone, Default)]
struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[derive(Clone)]
enum Kind {
    Network(Network),
    Relaxed(Box<RelaxedObjective<Function, Soft>>),
    Sum(Box<Sum<Critic, Critic>>),
    Own(Own),
}

impl Critic {
    /// Raises what a function of the caller's raised, or else passes on the result.
    pub(crate) fn settle<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        match self.raised.iter().find_map(Raised::take) {
            Some(error) => Err(Failure::Raised(error)),
            None => result,
        }
    }

    fn new(kind: Kind) -> Self {
        Self { kind, raised: Vec::new() }
    }
}

/// A value for each row of z, and a row of its gradient.
type ValuesAndGradients<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

#[pymethods]
impl Critic {
    /// A network with one hidden layer.
    #[staticmethod]
    fn network(inputs: usize, hidden: usize) -> Result<Self, Failure> {
        room::<f64>(inputs.saturating_add(2), hidden)?;
        Ok(Self::new(Kind::Network(Network::new(inputs, hidden))))
    }

    /// A function of a relaxed matrix; `function` returns its value and its gradient, a matrix of `rows` rows.
    #[staticmethod]
    fn relaxed(
        function: Py<PyAny>,
        items: usize,
        relaxation: &str,
        is_scaled: bool,
    ) -> Result<Self, Failure> {
        room::<f64>(items, items)?;
        let (soft, rows) = match relaxation {
            "neural_sort" => (Soft::Sort(NeuralSort::new(items)), items),
            "softmax" => (Soft::Max(Softmax::new(items)), 1),
            other => return Err(Failure::new(format!("there is no relaxation named \"{other}\""))),
        };
        let raised = Raised::default();
        let function = Function { callable: Arc::new(function), rows, items, raised: raised.clone() };
        let objective = if is_scaled {
            RelaxedObjective::scaled(function, soft)
        } else {
            RelaxedObjective::unscaled(function, soft)
        };
        Ok(Self { kind: Kind::Relaxed(Box::new(objective)), raised: vec![raised] })
    }

    /// A critic of the caller's own: `value_and_gradient` takes z, `parameter_gradient` takes z, a and v.
    #[staticmethod]
    fn own(
        value_and_gradient: Py<PyAny>,
        parameter_gradient: Py<PyAny>,
        items: usize,
        parameters: usize,
    ) -> Result<Self, Failure> {
        room::<f64>(items, 1)?;
        let raised = Raised::default();
        let functions = Arc::new([value_and_gradient, parameter_gradient]);
        let own = Own { functions, parameters, z: vec![0.0; items], raised: raised.clone() };
        Ok(Self { kind: Kind::Own(own), raised: vec![raised] })
    }

    /// The sum of two critics.
    #[staticmethod]
    fn sum(first: &Self, second: &Self) -> Result<Self, Failure> {
        let raised = first.raised.iter().chain(&second.raised).cloned().collect();
        Ok(Self { kind: Kind::Sum(Box::new(Sum::new(first.clone(), second.clone())?)), raised })
    }

    /// The number of items.
    #[getter]
    fn n_items(&self) -> usize {
        self.inputs()
    }

    /// The number of parameters.
    #[getter]
    fn n_parameters(&self) -> usize {
        self.parameters()
    }

    /// The parameters that training starts from.
    fn initial<'py>(&self, py: Python<'py>, seed: u64) -> Bound<'py, PyArray1<f64>> {
        let mut uniform = vec![0.0; self.parameters()];
        Noise::new(seed).fill(0, &mut uniform);
        let mut parameters = vec![0.0; uniform.len()];
        self.initialize(&uniform, &mut parameters);
        PyArray1::from_vec(py, parameters)
    }

    /// The values at each row of z, and their gradients.
    fn values_and_gradients<'py>(
        &self,
        py: Python<'py>,
        parameters: PyReadonlyArray1<'py, f64>,
        z: PyReadonlyArray2<'py, f64>,
    ) -> Result<ValuesAndGradients<'py>, Failure> {
        let (parameters, z) = (entries(&parameters, "parameters")?, Rows::of(&z, "z")?);
        for (what, found, expected) in [
            ("z", z.columns(), self.inputs()),
            ("the list of parameters", parameters.len(), self.parameters()),
        ] {
            if found != expected {
                return Err(Failure::new(format!("{what} has {found} entries where {expected} are needed")));
            }
        }
        if let Some(at) = z.entries().iter().position(|z| !z.is_finite()) {
            return Err(Failure::new(format!(
                "z[{at}] is {}: only finite numbers are allowed",
                z.entries()[at]
            )));
        }
        let mut critic = self.clone();
        let mut values = Vec::with_capacity(z.count());
        let mut gradients = vec![0.0; z.entries().len()];
        py.detach(|| {
            for (row, z) in z.iter().enumerate() {
                let gradient = &mut gradients[row * z.len()..(row + 1) * z.len()];
                values.push(critic.value_and_gradient(&parameters, z, gradient));
            }
        });
        self.settle(Ok(()))?;
        Ok((PyArray1::from_vec(py, values), matrix(py, gradients, z.count(), z.columns())?))
    }
}

impl plackett::critic::Critic for Critic {
    fn inputs(&self) -> usize {
        match &self.kind {
            Kind::Network(critic) => critic.inputs(),
            Kind::Relaxed(critic) => critic.inputs(),
            Kind::Sum(critic) => critic.inputs(),
            Kind::Own(critic) => critic.inputs(),
        }
    }

    fn parameters(&self) -> usize {
        match &self.kind {
            Kind::Network(critic) => critic.parameters(),
            Kind::Relaxed(critic) => critic.parameters(),
            Kind::Sum(critic) => critic.parameters(),
            Kind::Own(critic) => critic.parameters(),
        }
    }

    fn initialize(&self, uniform: &[f64], parameters: &mut [f64]) {
        match &self.kind {
            Kind::Network(critic) => critic.initialize(uniform, parameters),
            Kind::Relaxed(critic) => critic.initialize(uniform, parameters),
            Kind::Sum(critic) => critic.initialize(uniform, parameters),
            Kind::Own(critic) => critic.initialize(uniform, parameters),
        }
    }

    fn value_and_gradient(&mut self, parameters: &[f64], z: &[f64], gradient: &mut [f64]) -> f64 {
        match &mut self.kind {
            Kind::Network(critic) => critic.value_and_gradient(parameters, z, gradient),
            Kind::Relaxed(critic) => critic.value_and_gradient(parameters, z, gradient),
            Kind::Sum(critic) => critic.value_and_gradient(parameters, z, gradient),
            Kind::Own(critic) => critic.value_and_gradient(parameters, z, gradient),
        }
    }

    fn add_parameter_gradient(&mut self, parameters: &[f64], a: f64, v: &[f64], gradient: &mut [f64]) {
        match &mut self.kind {
            Kind::Network(critic) => critic.add_parameter_gradient(parameters, a, v, gradient),
            Kind::Relaxed(critic) => critic.add_parameter_gradient(parameters, a, v, gradient),
            Kind::Sum(critic) => critic.add_parameter_gradient(parameters, a, v, gradient),
            Kind::Own(critic) => critic.add_parameter_gradient(parameters, a, v, gradient),
        }
    }
}

/// A critic that Python computes. Its parameters are kept there, too.
#[derive(Clone)]
struct Own {
    functions: Arc<[Py<PyAny>; 2]>,
    parameters: usize,
    /// Where it was asked last.
    z: Vec<f64>,
    raised: Raised,
}

impl Own {
    fn value(&self, py: Python<'_>, gradient: &mut [f64]) -> PyResult<f64> {
        let z = PyArray1::from_slice(py, &self.z);
        let (value, found): (f64, PyReadonlyArray1<'_, f64>) =
            self.functions[0].bind(py).call1((z,))?.extract()?;
        gradient.copy_from_slice(&entries(&found, "the gradient")?);
        Ok(value)
    }

    fn slope(&self, py: Python<'_>, a: f64, v: &[f64], gradient: &mut [f64]) -> PyResult<()> {
        let [z, v] = [&self.z, v].map(|list| PyArray1::from_slice(py, list));
        let found: PyReadonlyArray1<'_, f64> = self.functions[1].bind(py).call1((z, a, v))?.extract()?;
        for (sum, slope) in gradient.iter_mut().zip(entries(&found, "the gradient")?) {
            *sum += slope;
        }
        Ok(())
    }
}

impl plackett::critic::Critic for Own {
    fn inputs(&self) -> usize {
        self.z.len()
    }

    fn parameters(&self) -> usize {
        self.parameters
    }

    fn initialize(&self, _uniform: &[f64], parameters: &mut [f64]) {
        parameters.fill(0.0);
    }

    fn value_and_gradient(&mut self, _parameters: &[f64], z: &[f64], gradient: &mut [f64]) -> f64 {
        self.z.copy_from_slice(z);
        Python::attach(|py| {
            self.value(py, gradient).unwrap_or_else(|error| {
                self.raised.keep(error);
                gradient.fill(f64::NAN);
                f64::NAN
            })
        })
    }

    fn add_parameter_gradient(&mut self, _parameters: &[f64], a: f64, v: &[f64], gradient: &mut [f64]) {
        Python::attach(|py| {
            if let Err(error) = self.slope(py, a, v, gradient) {
                self.raised.keep(error);
                gradient.fill(f64::NAN);
            }
        });
    }
}

/// A Python function of a relaxed matrix that returns its value and its gradient.
#[derive(Clone)]
struct Function {
    callable: Arc<Py<PyAny>>,
    rows: usize,
    items: usize,
    raised: Raised,
}

impl Function {
    fn call(&self, py: Python<'_>, entries: &[f64], gradient: &mut [f64]) -> PyResult<f64> {
        let argument = matrix(py, entries.to_vec(), self.rows, self.items)?;
        let (value, found): (f64, PyReadonlyArrayDyn<'_, f64>) =
            self.callable.bind(py).call1((argument,))?.extract()?;
        let found_entries = found
            .as_slice()
            .ok()
            .filter(|entries| entries.len() == gradient.len())
            .ok_or_else(|| Failure::new(format!("the gradient has the shape {:?}", found.shape())))?;
        gradient.copy_from_slice(found_entries);
        Ok(value)
    }
}

impl Differentiable for Function {
    fn value_and_gradient(&self, matrix: &[f64], gradient: &mut [f64]) -> f64 {
        Python::attach(|py| {
            self.call(py, matrix, gradient).unwrap_or_else(|error| {
                self.raised.keep(error);
                gradient.fill(f64::NAN);
                f64::NAN
            })
        })
    }
}

/// The relaxations of perturbed scores.
#[derive(Clone)]
enum Soft {
    Sort(NeuralSort),
    Max(Softmax),
}

impl Relaxation for Soft {
    fn input_len(&self) -> usize {
        match self {
            Self::Sort(soft) => soft.input_len(),
            Self::Max(soft) => soft.input_len(),
        }
    }

    fn output_len(&self) -> usize {
        match self {
            Self::Sort(soft) => soft.output_len(),
            Self::Max(soft) => soft.output_len(),
        }
    }

    fn forward(&mut self, z: &[f64], tau: f64, matrix: &mut [f64]) {
        match self {
            Self::Sort(soft) => soft.forward(z, tau, matrix),
            Self::Max(soft) => soft.forward(z, tau, matrix),
        }
    }

    fn jvp(&mut self, dz: &[f64], product: &mut [f64]) {
        match self {
            Self::Sort(soft) => soft.jvp(dz, product),
            Self::Max(soft) => soft.jvp(dz, product),
        }
    }

    fn temperature_jvp(&mut self, product: &mut [f64]) {
        match self {
            Self::Sort(soft) => soft.temperature_jvp(product),
            Self::Max(soft) => soft.temperature_jvp(product),
        }
    }

    fn vjp(&mut self, cotangent: &[f64], gradient: &mut [f64]) -> f64 {
        match self {
            Self::Sort(soft) => soft.vjp(cotangent, gradient),
            Self::Max(soft) => soft.vjp(cotangent, gradient),
        }
    }

    fn mixed(&mut self, dz: &[f64], product: &mut [f64]) {
        match self {
            Self::Sort(soft) => soft.mixed(dz, product),
            Self::Max(soft) => soft.mixed(dz, product),
        }
    }
}
