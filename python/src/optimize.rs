//! The ask/tell optimizer, which whoever evaluates orders shares between threads.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use numpy::{PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1};
use plackett::{
    Constraints,
    neighborhood::MoveKind,
    optimizer::{
        Answer, Gradient, Journal as SharedJournal, Noisy, Optimizer as Engine, OptimizerSettings,
        OptimizerStatus, Proposal,
    },
    problem::Sense,
    run::Limits,
    solver::{Method, gradient_share},
};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    arrays::{entries, matrix, room, to_items},
    error::Failure,
};

/// An optimizer over orders.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct Optimizer {
    engine: Mutex<Engine>,
}

/// How to optimize, as the Python half has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    method: String,
    /// What the whole run may have, for methods of two stages.
    max_evaluations: Option<u64>,
    samples: Option<usize>,
    learning_rate: Option<f64>,
    critic_learning_rate: Option<f64>,
    hidden: Option<usize>,
    window: usize,
    starts: Vec<Vec<usize>>,
    top: Option<usize>,
    noise: Option<bool>,
    moves: Vec<String>,
    maximize: bool,
    before: Vec<(usize, usize)>,
    pins: Vec<(usize, usize)>,
    ranks: Vec<(usize, usize, usize)>,
    seed: u64,
}

impl Settings {
    fn settings(self, items: usize) -> Result<OptimizerSettings, Failure> {
        let method: Method = self.method.parse()?;
        let limits = Limits { evaluations: self.max_evaluations, ..Limits::default() };
        let mut settings = method.settings(gradient_share(items, &limits));
        let constraints = Constraints::new(items, &self.before, &self.pins)?.with_ranks(&self.ranks)?;
        settings.constraints = (!constraints.is_free()).then_some(constraints);
        settings.samples = self.samples.unwrap_or(settings.samples);
        settings.learning_rate = self.learning_rate.unwrap_or(settings.learning_rate);
        settings.critic_learning_rate = self.critic_learning_rate.unwrap_or(settings.critic_learning_rate);
        if let (Gradient::Relax { hidden }, Some(wanted)) = (&mut settings.gradient, self.hidden) {
            *hidden = wanted;
        }
        settings.evaluations = self.max_evaluations;
        settings.window = self.window;
        settings.starts = self.starts;
        settings.top = self.top;
        settings.noise = match self.noise {
            Some(true) => Noisy::Yes,
            Some(false) => Noisy::No,
            None => Noisy::Detect,
        };
        settings.moves = self.moves.iter().map(|name| move_kind(name)).collect::<Result<_, _>>()?;
        settings.sense = if self.maximize { Sense::Maximize } else { Sense::Minimize };
        settings.seed = self.seed;
        Ok(settings)
    }
}

fn move_kind(name: &str) -> Result<MoveKind, Failure> {
    match name {
        "insert" => Ok(MoveKind::Insert),
        "swap" => Ok(MoveKind::Swap),
        "reverse" => Ok(MoveKind::Reverse),
        other => Err(Failure::new(format!("there is no move \"{other}\"; there are insert, swap, reverse"))),
    }
}

/// Numbers of proposals, and a row of items for each.
type Asked<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray2<i64>>);

impl Optimizer {
    /// Never held while Python objects are made: making them may let other threads run, which may wait for the lock.
    fn lock(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the engine while Python goes on with other things.
    fn with<T: Send>(&self, py: Python<'_>, does: impl FnOnce(&mut Engine) -> T + Send) -> T {
        py.detach(|| does(&mut self.lock()))
    }

    fn asked<'py>(&self, py: Python<'py>, proposals: &[Proposal]) -> Result<Asked<'py>, Failure> {
        let items = self.lock().items();
        let orders = proposals.iter().flat_map(|proposal| proposal.order.iter().map(|&item| item as i64));
        let ids = PyArray1::from_iter(py, proposals.iter().map(|proposal| proposal.id));
        Ok((ids, matrix(py, orders.collect(), proposals.len(), items)?))
    }
}

#[pymethods]
impl Optimizer {
    #[new]
    fn new(py: Python<'_>, items: usize, settings: Settings) -> Result<Self, Failure> {
        let widest = settings.hidden.unwrap_or(0).max(settings.samples.unwrap_or(0));
        room::<f64>(items, widest.saturating_add(1))?;
        let settings = settings.settings(items)?;
        Ok(Self { engine: Mutex::new(py.detach(|| Engine::new(items, settings))?) })
    }

    /// The optimizer of a saved state.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> Result<Self, Failure> {
        Ok(Self { engine: Mutex::new(py.detach(|| Engine::from_json(text))?) })
    }

    /// The whole state.
    fn to_json(&self, py: Python<'_>) -> Result<String, Failure> {
        Ok(self.with(py, |engine| engine.to_json())?)
    }

    /// Writes the state to a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> Result<(), Failure> {
        Ok(self.with(py, |engine| engine.save(&path))?)
    }

    #[getter]
    fn n_items(&self) -> usize {
        self.lock().items()
    }

    #[getter]
    fn is_maximizing(&self) -> bool {
        self.lock().settings().sense == Sense::Maximize
    }

    /// Whether the values are told rank by rank.
    #[getter]
    fn takes_parts(&self) -> bool {
        self.lock().settings().gradient == Gradient::RewardToGo
    }

    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.with(py, |engine| engine.scores().to_vec()))
    }

    /// Proposes so many orders.
    fn ask<'py>(&self, py: Python<'py>, count: usize) -> Result<Asked<'py>, Failure> {
        room::<i64>(count, self.lock().items())?;
        let proposals = self.with(py, |engine| engine.ask(count));
        self.asked(py, &proposals)
    }

    /// Proposes the rest of a batch, at most so many orders.
    fn ask_batch<'py>(&self, py: Python<'py>, most: usize) -> Result<Asked<'py>, Failure> {
        let proposals = self.with(py, |engine| engine.ask_batch(most));
        self.asked(py, &proposals)
    }

    /// The next proposal, its number and its order, which cannot be written to; none if there is none.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<(u64, Bound<'py, PyArray1<i64>>)>> {
        let Some(Proposal { id, order }) = self.with(py, |engine| engine.ask_batch(1).pop()) else {
            return Ok(None);
        };
        let order = PyArray1::from_iter(py, order.iter().map(|&item| item as i64));
        order.try_readwrite()?.make_nonwriteable();
        Ok(Some((id, order)))
    }

    /// Proposals without an answer.
    fn pending<'py>(&self, py: Python<'py>) -> Result<Asked<'py>, Failure> {
        let proposals = self.with(py, |engine| engine.pending());
        self.asked(py, &proposals)
    }

    /// Tells the value of a proposal, and returns the best one so far.
    fn tell(&self, py: Python<'_>, id: u64, value: f64) -> Result<Option<f64>, Failure> {
        self.with(py, |engine| {
            engine.tell_id(id, Answer::Value(value))?;
            Ok(engine.best().map(|(_, value)| value))
        })
    }

    /// Tells the value of a proposal rank by rank.
    fn tell_parts(&self, py: Python<'_>, id: u64, parts: PyReadonlyArray1<'_, f64>) -> Result<(), Failure> {
        let parts = entries(&parts, "parts")?;
        Ok(self.with(py, |engine| engine.tell_id(id, Answer::Parts(parts)))?)
    }

    /// Tells that a proposal has no value.
    fn tell_failed(&self, py: Python<'_>, id: u64, reason: String) -> Result<(), Failure> {
        Ok(self.with(py, |engine| engine.tell_id(id, Answer::Failed(reason)))?)
    }

    /// Tells the value of any order.
    fn tell_order(
        &self,
        py: Python<'_>,
        order: PyReadonlyArray1<'_, i64>,
        value: f64,
    ) -> Result<(), Failure> {
        let mut items = Vec::new();
        to_items(&entries(&order, "order")?, &mut items)?;
        Ok(self.with(py, |engine| engine.tell(&items, value))?)
    }

    /// Takes the value of an order that somebody else has worked out.
    fn learn(&self, py: Python<'_>, order: Vec<usize>, value: f64) -> Result<(), Failure> {
        Ok(self.with(py, |engine| engine.learn(&order, value))?)
    }

    /// The best order told, and its value.
    fn best<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyArray1<i64>>, f64)> {
        let best = self.with(py, |engine| engine.best().map(|(order, value)| (order.to_vec(), value)));
        best.map(|(order, value)| (PyArray1::from_iter(py, order.into_iter().map(|item| item as i64)), value))
    }

    /// The value of the best order told.
    fn best_value(&self) -> Option<f64> {
        self.lock().best().map(|(_, value)| value)
    }

    /// The standard error of the best value, of noisy ones.
    #[getter]
    fn error(&self) -> Option<f64> {
        self.lock().error()
    }

    /// How many of the first ranks count.
    #[getter]
    fn top(&self) -> Option<usize> {
        self.lock().settings().top
    }

    /// The order of the largest scores first.
    fn mode<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<i64>>, Failure> {
        let mode = self.with(py, |engine| engine.mode())?;
        Ok(PyArray1::from_iter(py, mode.iter().map(|&item| item as i64)))
    }

    /// How far it has come.
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let OptimizerStatus {
            asked,
            told,
            failed,
            pending,
            foreign,
            steps,
            skipped_steps,
            mean,
            is_refining,
        } = self.lock().status();
        let status = PyDict::new(py);
        for (name, count) in [
            ("asked", asked),
            ("told", told),
            ("failed", failed),
            ("pending", pending),
            ("foreign", foreign),
            ("steps", steps),
            ("skipped_steps", skipped_steps),
        ] {
            status.set_item(name, count)?;
        }
        status.set_item("mean", mean)?;
        status.set_item("is_refining", is_refining)?;
        Ok(status)
    }
}

/// A file that several processes share a run through.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct Journal {
    shared: Mutex<SharedJournal>,
}

impl Journal {
    fn with<T: Send>(&self, py: Python<'_>, does: impl FnOnce(&mut SharedJournal) -> T + Send) -> T {
        // Whoever holds the lock of the file may take a while.
        py.detach(|| does(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Journal {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, items: usize, objective: &str) -> Result<Self, Failure> {
        let joined = py.detach(|| SharedJournal::join(&path, items, objective))?;
        Ok(Self { shared: Mutex::new(joined) })
    }

    /// A seed that no other process of the run has.
    fn seed(&self, py: Python<'_>, seed: u64) -> u64 {
        self.with(py, |journal| journal.seed(seed))
    }

    /// What others have evaluated since the last call.
    fn news(&self, py: Python<'_>) -> Result<Vec<(Vec<usize>, f64)>, Failure> {
        let news = self.with(py, SharedJournal::news)?;
        Ok(news.into_iter().map(|(order, value)| (order.to_vec(), value)).collect())
    }

    /// The value of an order, if somebody has evaluated it.
    fn value_of(&self, py: Python<'_>, order: Vec<usize>) -> Option<f64> {
        self.with(py, |journal| journal.value_of(&order))
    }

    /// Tells the others of a value, or why there is none.
    #[pyo3(signature = (order, value, why))]
    fn append(
        &self,
        py: Python<'_>,
        order: Vec<usize>,
        value: Option<f64>,
        why: String,
    ) -> Result<(), Failure> {
        let answer = value.map_or(Answer::Failed(why), Answer::Value);
        Ok(self.with(py, |journal| journal.append(&order, &answer))?)
    }
}
