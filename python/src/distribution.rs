//! The two distributions, with one face for both: an outcome is a row of items, a whole order or its beginning for
//! Plackett–Luce and a single item for the categorical distribution.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use plackett::{Categorical, Distribution as _, Latent, Noise, Order, PlackettLuce};
use pyo3::prelude::*;

use crate::{
    arrays::{Rows, by_chunks, entries, matrix, room, to_items},
    critic::Critic,
    error::Failure,
    estimate::{self, Estimate, Method},
};

/// A distribution with its scores.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct Distribution {
    law: Law,
}

/// Which of the two it is.
pub(crate) enum Law {
    /// A distribution over orders.
    Orders(PlackettLuce),
    /// A distribution over categories.
    Categories(Categorical),
}

/// Does the same with whichever of the two it is.
macro_rules! either {
    ($law:expr, $latent:ident => $does:expr) => {
        match $law {
            Law::Orders($latent) => $does,
            Law::Categories($latent) => $does,
        }
    };
}

impl Law {
    fn items(&self) -> usize {
        either!(self, latent => latent.items())
    }

    fn outcome_len(&self) -> usize {
        either!(self, latent => latent.outcome_len())
    }

    fn log_prob(&self, outcome: &[usize]) -> Result<f64, plackett::Error> {
        match self {
            Self::Orders(latent) => latent.log_prob(outcome),
            Self::Categories(latent) => latent.log_prob(outcome[0]),
        }
    }

    fn grad_log_prob(&self, outcome: &[usize]) -> Result<Vec<f64>, plackett::Error> {
        match self {
            Self::Orders(latent) => latent.grad_log_prob(outcome),
            Self::Categories(latent) => latent.grad_log_prob(outcome[0]),
        }
    }

    fn perturb(&self, u: &[f64]) -> Result<Vec<f64>, plackett::Error> {
        either!(self, latent => latent.perturb(u))
    }

    fn conditional(&self, outcome: &[usize], v: &[f64]) -> Result<Vec<f64>, plackett::Error> {
        match self {
            Self::Orders(latent) => latent.conditional(outcome, v),
            Self::Categories(latent) => latent.conditional(outcome[0], v),
        }
    }

    /// The first `top` items of `count` outcomes.
    fn sample(&self, count: usize, top: usize, seed: u64) -> Result<Vec<i64>, Failure> {
        by_chunks(count, top, |chunk, rows, drawn| {
            let mut noise = Noise::new(seed);
            let rng = noise.stream(chunk);
            match self {
                Self::Orders(latent) => {
                    let (mut order, mut scratch) = (Order::identity(latent.items()), Vec::new());
                    for _ in rows {
                        latent.sample_into(rng, &mut order, &mut scratch);
                        drawn.extend(order[..top].iter().map(|&item| item as i64));
                    }
                }
                Self::Categories(latent) => {
                    drawn.extend(latent.sample_many(rows.len(), rng).into_iter().map(|item| item as i64));
                }
            }
            Ok(())
        })
    }

    /// `width` results for each row of items.
    fn map_outcomes(
        &self,
        outcomes: &Rows<i64>,
        width: usize,
        fill: impl Fn(usize, &[usize], &mut Vec<f64>) -> Result<(), plackett::Error> + Sync,
    ) -> Result<Vec<f64>, Failure> {
        if matches!(self, Self::Categories(_)) && outcomes.columns() != 1 {
            return Err(Failure::new(format!("a category is one item, not {}", outcomes.columns())));
        }
        by_chunks(outcomes.count(), width, |_, rows, results| {
            let mut items = Vec::with_capacity(outcomes.columns());
            for row in rows {
                to_items(outcomes.row(row), &mut items)
                    .and_then(|()| Ok(fill(row, &items, results)?))
                    .map_err(|failure| failure.in_row(row, outcomes.count()))?;
            }
            Ok(())
        })
    }
}

/// A row of doubles for each row of items, and noise to go with it.
type Noises<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

#[pymethods]
impl Distribution {
    /// The Plackett–Luce distribution with these scores.
    #[staticmethod]
    fn plackett_luce(scores: PyReadonlyArray1<'_, f64>) -> Result<Self, Failure> {
        Ok(Self { law: Law::Orders(PlackettLuce::new(&entries(&scores, "scores")?)?) })
    }

    /// The categorical distribution with these scores.
    #[staticmethod]
    fn categorical(scores: PyReadonlyArray1<'_, f64>) -> Result<Self, Failure> {
        Ok(Self { law: Law::Categories(Categorical::new(&entries(&scores, "scores")?)?) })
    }

    /// The normalized scores.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, either!(&self.law, latent => latent.scores()))
    }

    /// The entropy in nats.
    fn entropy(&self, py: Python<'_>) -> Result<f64, Failure> {
        py.detach(|| match &self.law {
            Law::Orders(latent) => Ok(latent.entropy()?),
            Law::Categories(latent) => Ok(latent.entropy()),
        })
    }

    /// The most probable outcome.
    fn mode<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let mode = match &self.law {
            Law::Orders(latent) => latent.mode().into_vec(),
            Law::Categories(latent) => vec![latent.mode()],
        };
        PyArray1::from_iter(py, mode.into_iter().map(|item| item as i64))
    }

    /// The first `top` items of each of `count` independent outcomes.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        top: usize,
        seed: u64,
    ) -> Result<Bound<'py, PyArray2<i64>>, Failure> {
        if top > self.law.outcome_len() {
            return Err(Failure::new(format!(
                "top is {top}: an outcome has {} ranks",
                self.law.outcome_len()
            )));
        }
        let drawn = py.detach(|| self.law.sample(count, top, seed))?;
        matrix(py, drawn, count, top)
    }

    /// The log-probability of each outcome, or that an order begins so.
    fn log_prob<'py>(
        &self,
        py: Python<'py>,
        outcomes: PyReadonlyArray2<'py, i64>,
    ) -> Result<Bound<'py, PyArray1<f64>>, Failure> {
        let outcomes = Rows::of(&outcomes, "orders")?;
        let values = py.detach(|| {
            self.law.map_outcomes(&outcomes, 1, |_, items, values| {
                values.push(self.law.log_prob(items)?);
                Ok(())
            })
        })?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// The gradient of `log_prob` in the scores.
    fn grad_log_prob<'py>(
        &self,
        py: Python<'py>,
        outcomes: PyReadonlyArray2<'py, i64>,
    ) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        let outcomes = Rows::of(&outcomes, "orders")?;
        let values = py.detach(|| {
            self.law.map_outcomes(&outcomes, self.law.items(), |_, items, values| {
                values.extend(self.law.grad_log_prob(items)?);
                Ok(())
            })
        })?;
        matrix(py, values, outcomes.count(), self.law.items())
    }

    /// Perturbed scores z from uniform noise.
    fn perturb<'py>(
        &self,
        py: Python<'py>,
        u: PyReadonlyArray2<'py, f64>,
    ) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        let u = Rows::of(&u, "u")?;
        let values = py.detach(|| {
            by_chunks(u.count(), self.law.items(), |_, rows, values| {
                for row in rows {
                    let z = self.law.perturb(u.row(row));
                    values.extend(z.map_err(|error| Failure::from(error).in_row(row, u.count()))?);
                }
                Ok(())
            })
        })?;
        matrix(py, values, u.count(), self.law.items())
    }

    /// The outcomes H(z) of perturbed scores.
    fn outcomes<'py>(
        &self,
        py: Python<'py>,
        z: PyReadonlyArray2<'py, f64>,
    ) -> Result<Bound<'py, PyArray2<i64>>, Failure> {
        let z = Rows::of(&z, "z")?;
        if z.columns() != self.law.items() {
            return Err(Failure::new(format!(
                "z has {} entries where {} are needed",
                z.columns(),
                self.law.items()
            )));
        }
        if let Some(at) = z.entries().iter().position(|z| !z.is_finite()) {
            return Err(Failure::new(format!(
                "z[{at}] is {}: only finite numbers are allowed",
                z.entries()[at]
            )));
        }
        let length = self.law.outcome_len();
        let items = py.detach(|| {
            by_chunks(z.count(), length, |_, rows, items| {
                let mut outcome = vec![0; length];
                for row in rows {
                    either!(&self.law, latent => latent.outcome(z.row(row), &mut outcome));
                    items.extend(outcome.iter().map(|&item| item as i64));
                }
                Ok(())
            })
        })?;
        matrix(py, items, z.count(), length)
    }

    /// Conditional perturbed scores z̃ given the outcomes, from uniform noise.
    fn conditional<'py>(
        &self,
        py: Python<'py>,
        outcomes: PyReadonlyArray2<'py, i64>,
        v: PyReadonlyArray2<'py, f64>,
    ) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        let (outcomes, v) = (Rows::of(&outcomes, "orders")?, Rows::of(&v, "v")?);
        if v.count() != outcomes.count() {
            return Err(Failure::new(format!(
                "{} outcomes and {} rows of noise",
                outcomes.count(),
                v.count()
            )));
        }
        let values = py.detach(|| {
            self.law.map_outcomes(&outcomes, self.law.items(), |row, items, values| {
                values.extend(self.law.conditional(items, v.row(row))?);
                Ok(())
            })
        })?;
        matrix(py, values, v.count(), self.law.items())
    }

    /// Uniform noise u and v for `count` samples, each from a random stream of its own, of a row of a batch.
    #[pyo3(signature = (count, seed, row=0))]
    fn noise<'py>(&self, py: Python<'py>, count: usize, seed: u64, row: u64) -> Result<Noises<'py>, Failure> {
        let first = row * plackett::Batch::STREAMS_OF_ROW;
        let items = self.law.items();
        let (mut u, mut v) = (room(count, items)?, room(count, items)?);
        py.detach(|| {
            let (mut noise, mut both) = (Noise::new(seed), vec![0.0; 2 * items]);
            for stream in first..first + count as u64 {
                noise.fill(stream, &mut both);
                u.extend_from_slice(&both[..items]);
                v.extend_from_slice(&both[items..]);
            }
        });
        Ok((matrix(py, u, count, items)?, matrix(py, v, count, items)?))
    }

    /// An estimate of the gradient of E f(b) from noise and the values of f on its outcomes.
    #[pyo3(signature = (method, u, v, values, critic=None, parameters=None))]
    #[expect(clippy::too_many_arguments, reason = "the Python half names them")]
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        u: PyReadonlyArray2<'py, f64>,
        v: PyReadonlyArray2<'py, f64>,
        values: PyReadonlyArray1<'py, f64>,
        critic: Option<&Critic>,
        parameters: Option<PyReadonlyArray1<'py, f64>>,
    ) -> Result<Estimate, Failure> {
        let (u, v) = (Rows::of(&u, "u")?, Rows::of(&v, "v")?);
        let values = entries(&values, "values")?;
        let method = match (critic, &parameters) {
            (Some(critic), Some(parameters)) => {
                Method::with_critic(method, critic.clone(), &entries(parameters, "parameters")?)?
            }
            _ => Method::without_critic(method)?,
        };
        py.detach(|| either!(&self.law, latent => estimate::gradient(latent, &method, &u, &v, &values)))
    }

    /// E f(b) and its exact gradient; `f` gets a block of outcomes and returns as many numbers.
    fn exact(&self, py: Python<'_>, f: &Bound<'_, PyAny>) -> Result<Estimate, Failure> {
        either!(&self.law, latent => estimate::exact(py, latent, f))
    }
}
