//! Learning a graph from data.

use std::time::{Duration, Instant};

use numpy::{PyArray1, PyArray2};
use plackett::run::Progress;
use plackett_dag::{Error, LearnMethod, LearnProgress, LearnStatus, Learned, Learning, ParentSpace};
use pyo3::{exceptions::PyKeyboardInterrupt, prelude::*};

use crate::{
    arrays::matrix,
    data::Data,
    error::Failure,
    graph::{self, Pairs},
    interrupt::interruptible,
};

/// How to learn, as the Python half has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    method: String,
    score: Option<String>,
    #[pyo3(item("lambda_"))]
    lambda: Option<f64>,
    sigma2: Option<f64>,
    penalty: Option<f64>,
    ess: Option<f64>,
    candidates: Option<String>,
    max_parents: Option<usize>,
    alpha: Option<f64>,
    max_conditioning: Option<usize>,
    posterior: bool,
    restarts: Option<usize>,
    steps: Option<u64>,
    memory: usize,
    time_limit: Option<f64>,
    seed: u64,
}

impl Settings {
    fn learning(self) -> Result<Learning, Failure> {
        let space = match self.candidates.as_deref() {
            None => None,
            Some("plus-one") => Some(ParentSpace::PlusOne),
            Some("pc") => Some(ParentSpace::Neighbors),
            Some("all") => Some(ParentSpace::All),
            Some(other) => {
                let text = format!("candidates is \"{other}\": it must be plus-one, pc or all");
                return Err(Failure::new(text));
            }
        };
        Ok(Learning {
            method: LearnMethod::by_name(&self.method)?,
            score: self.score,
            lambda: self.lambda,
            noise_variance: self.sigma2,
            penalty: self.penalty,
            equivalent_sample_size: self.ess,
            space,
            max_parents: self.max_parents,
            alpha: self.alpha,
            max_conditioning: self.max_conditioning,
            posterior: self.posterior,
            restarts: self.restarts,
            steps: self.steps,
            memory_bytes: self.memory.saturating_mul(1 << 20),
            time: self.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            seed: self.seed,
        })
    }
}

/// A learned graph.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct LearnedGraph {
    learned: Learned,
    #[pyo3(get)]
    seconds: f64,
}

#[pymethods]
impl LearnedGraph {
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        graph::adjacency(py, &self.learned.dag)
    }

    #[getter]
    fn order<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.learned.order.iter().map(|&node| node as i64))
    }

    #[getter]
    fn cpdag(&self) -> (Pairs, Pairs) {
        (self.learned.cpdag.directed().to_vec(), self.learned.cpdag.undirected().to_vec())
    }

    #[getter]
    fn score_name(&self) -> &'static str {
        self.learned.score_name
    }

    #[getter]
    fn score_choice(&self) -> Option<&str> {
        self.learned.score_choice.as_deref()
    }

    #[getter]
    fn score(&self) -> f64 {
        self.learned.score
    }

    #[getter]
    fn is_equivalent(&self) -> bool {
        self.learned.is_equivalent
    }

    #[getter]
    fn probabilities<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyArray2<f64>>>, Failure> {
        let nodes = self.learned.dag.nodes();
        self.learned.probabilities.clone().map(|entries| matrix(py, entries, nodes, nodes)).transpose()
    }

    #[getter]
    fn evaluations(&self) -> u64 {
        self.learned.evaluations
    }

    #[getter]
    fn status(&self) -> &'static str {
        match self.learned.status {
            LearnStatus::Finished => "finished",
            LearnStatus::Interrupted => "interrupted",
            LearnStatus::TimeLimit => "time limit",
        }
    }

    #[getter]
    fn lowered_limits(&self) -> Pairs {
        self.learned.lowered_limits.clone()
    }
}

/// Learns a graph. `progress`, if given, is called with a stage, the parts of it done and those in all. Ctrl-C ends the
/// search with the best order so far.
#[pyfunction]
pub(crate) fn learn(
    py: Python<'_>,
    data: &Data,
    settings: Settings,
    progress: Option<Bound<'_, PyAny>>,
) -> Result<LearnedGraph, Failure> {
    let learning = settings.learning()?;
    let start = Instant::now();
    let tell = |news: &Progress| match &progress {
        Some(progress) => progress.call1((&news.stage, news.done, news.total)).map(drop),
        None => Ok(()),
    };
    let (outcome, raised) = interruptible(py, tell, |observer| {
        learning.run(&data.observations, &mut |LearnProgress { stage, done, total }| {
            let (stage, done, total) = (stage.clone(), *done, Some(*total));
            observer.observe(&Progress { stage, done, total, ..Progress::default() })
        })
    });
    match (raised, outcome) {
        (Some(error), Ok(_)) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error.into()),
        (Some(error), Err(Error::Stopped)) => Err(error.into()),
        (_, outcome) => Ok(LearnedGraph { learned: outcome?, seconds: start.elapsed().as_secs_f64() }),
    }
}
