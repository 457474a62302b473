//! Gradient estimates from noise and values.

use numpy::{PyArray1, PyReadonlyArray1, PyUntypedArrayMethods};
use plackett::{
    Enumerable, Error, Latent, Noise,
    estimator::{Baseline, Estimator, Reinforce, Relax, Reparametrized, Samples},
};
use pyo3::prelude::*;

use crate::{
    arrays::{Rows, entries, matrix},
    critic::Critic,
    error::Failure,
};

/// Outcomes that are handed to Python at once when all are enumerated.
const BLOCK: usize = 4096;

/// An estimator with what it needs.
pub(crate) enum Method {
    Reinforce(Baseline),
    Relax(Critic, Vec<f64>),
    Reparametrized(Critic, Vec<f64>),
}

impl Method {
    /// An estimator that has no critic.
    pub(crate) fn without_critic(name: &str) -> Result<Self, Failure> {
        match name {
            "reinforce" => Ok(Self::Reinforce(Baseline::None)),
            "reinforce_leave_one_out" => Ok(Self::Reinforce(Baseline::LeaveOneOut)),
            other => Err(Failure::new(format!("there is no estimator named \"{other}\" without a critic"))),
        }
    }

    /// An estimator that has one.
    pub(crate) fn with_critic(name: &str, critic: Critic, parameters: &[f64]) -> Result<Self, Failure> {
        match name {
            "relax" => Ok(Self::Relax(critic, parameters.to_vec())),
            "reparametrized" => Ok(Self::Reparametrized(critic, parameters.to_vec())),
            other => Err(Failure::new(format!("there is no estimator named \"{other}\" with a critic"))),
        }
    }
}

/// The gradient, the value that goes with it, and the gradient for the critic's parameters.
pub(crate) struct Estimate {
    gradient: Vec<f64>,
    value: f64,
    critic_gradient: Vec<f64>,
}

impl<'py> IntoPyObject<'py> for Estimate {
    type Target = pyo3::types::PyTuple;
    type Output = Bound<'py, Self::Target>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let arrays = [self.gradient, self.critic_gradient].map(|array| PyArray1::from_vec(py, array));
        let [gradient, critic_gradient] = arrays;
        (gradient, self.value, critic_gradient).into_pyobject(py)
    }
}

/// The mean of the estimates, one for each row of noise.
pub(crate) fn gradient<L: Latent>(
    latent: &L,
    method: &Method,
    u: &Rows<f64>,
    v: &Rows<f64>,
    values: &[f64],
) -> Result<Estimate, Failure> {
    let mut samples = Samples::new(latent, u.count())?;
    samples.set_noise(latent, u.entries(), v.entries())?;
    samples.set_values(values)?;
    match method {
        Method::Reinforce(baseline) => estimate(Reinforce::new(latent, *baseline)?, latent, &samples),
        Method::Relax(critic, parameters) => {
            let mut relax = Relax::new(latent, critic.clone(), &mut Noise::new(0))?;
            relax.set_parameters(parameters)?;
            critic.settle(estimate(relax, latent, &samples))
        }
        Method::Reparametrized(critic, parameters) => {
            let estimator = Reparametrized::new(latent, critic.clone(), parameters.clone())?;
            critic.settle(estimate(estimator, latent, &samples))
        }
    }
}

fn estimate<L: Latent>(
    mut estimator: impl Estimator<Latent = L>,
    latent: &L,
    samples: &Samples,
) -> Result<Estimate, Failure> {
    let mut gradient = vec![0.0; latent.items()];
    let value = estimator.gradient(latent, samples, &mut gradient)?;
    let critic_gradient = estimator.critic().1.to_vec();
    Ok(Estimate { gradient, value, critic_gradient })
}

/// E f(b) and its gradient, by enumeration; `f` gets blocks of outcomes.
pub(crate) fn exact<L: Enumerable>(
    py: Python<'_>,
    latent: &L,
    f: &Bound<'_, PyAny>,
) -> Result<Estimate, Failure> {
    let length = latent.outcome_len();
    let mut values = Vec::with_capacity(latent.outcomes()?);
    let mut block: Vec<i64> = Vec::with_capacity(BLOCK * length);
    latent.try_for_each_outcome(&mut |outcome| {
        block.extend(outcome.iter().map(|&item| item as i64));
        if block.len() < BLOCK * length {
            return Ok(());
        }
        let source = match evaluate(py, f, &mut block, length, &mut values) {
            Ok(()) => return Ok(()),
            Err(failure) => Box::new(PyErr::from(failure)),
        };
        Err(Error::ObjectiveFailed { outcome: outcome.to_vec(), source })
    })?;
    evaluate(py, f, &mut block, length, &mut values)?;
    let mut gradient = vec![0.0; latent.items()];
    let value = latent.expectation(&values, &mut gradient, &mut Vec::new());
    Ok(Estimate { gradient, value, critic_gradient: Vec::new() })
}

/// Moves a block of outcomes through the function.
fn evaluate(
    py: Python<'_>,
    f: &Bound<'_, PyAny>,
    block: &mut Vec<i64>,
    length: usize,
    values: &mut Vec<f64>,
) -> Result<(), Failure> {
    let rows = block.len() / length;
    if rows == 0 {
        return Ok(());
    }
    let outcomes = matrix(py, std::mem::take(block), rows, length)?;
    let found: PyReadonlyArray1<'_, f64> = f.call1((outcomes,))?.extract()?;
    if found.len() != rows {
        return Err(Failure::new(format!("{} values for {rows} outcomes", found.len())));
    }
    values.extend_from_slice(&entries(&found, "the list of values")?);
    Ok(())
}
