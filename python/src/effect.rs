//! Effects of one column on another, or of several together, as JSON documents.

use numpy::PyReadonlyArray2;
use plackett::run::{Limits, Progress, Run};
use plackett_dag::{
    Bootstrap, Error, NamedDag, Resampler,
    effect::{AnyEffect, AnyQuery, EffectQuery, JointQuery},
    format::Claim,
};
use pyo3::{exceptions::PyKeyboardInterrupt, prelude::*};

use crate::{
    data::Data,
    error::Failure,
    graph::{self, Pairs},
    interrupt::interruptible,
    learn::LearnedGraph,
};

/// What is asked, as the Python half has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Question {
    causes: Vec<String>,
    is_joint: bool,
    outcome: String,
    changes: Vec<(String, String, String)>,
    state: Option<String>,
    adjustment: String,
    level: f64,
}

impl Question {
    fn query(self) -> Result<AnyQuery, Failure> {
        let Self { causes, outcome, changes, state, level, .. } = self;
        if self.is_joint {
            return Ok(AnyQuery::Several(JointQuery {
                changes,
                state,
                level,
                ..JointQuery::new(causes, outcome)
            }));
        }
        Ok(AnyQuery::One(EffectQuery {
            change: changes.into_iter().next().map(|(_, from, to)| (from, to)),
            state,
            adjustment: self.adjustment.parse()?,
            level,
            ..EffectQuery::new(causes.concat(), outcome)
        }))
    }
}

fn document(effect: &AnyEffect) -> Result<String, Failure> {
    serde_json::to_string(effect).map_err(|error| Failure::new(error.to_string()))
}

/// The effect in a graph some of whose directions are open.
#[pyfunction]
pub(crate) fn effect(
    py: Python<'_>,
    names: Vec<String>,
    graph: PyReadonlyArray2<'_, f64>,
    open: Pairs,
    data: &Data,
    question: Question,
) -> Result<String, Failure> {
    let graph = NamedDag::new(names, graph::dag(&graph)?)?;
    let is_open = |from, to| open.contains(&(from, to)) || open.contains(&(to, from));
    let claim = Claim::open_in(&graph, is_open)?;
    let query = question.query()?;
    let sample = data.sample()?;
    let found = py.detach(|| query.answer(claim.graph.names(), &claim.class, &sample))?;
    document(&found)
}

/// The effect in what a learned graph claims, and in so many graphs learned from rows drawn anew.
#[pyfunction]
pub(crate) fn learned_effect(
    py: Python<'_>,
    learned: &LearnedGraph,
    data: &Data,
    question: Question,
    replicates: u64,
    seconds: Option<f64>,
    progress: Option<Bound<'_, PyAny>>,
) -> Result<String, Failure> {
    let query = question.query()?;
    let sample = data.sample()?;
    let answer = py.detach(|| query.answer(data.names(), &learned.learned.claim(), &sample))?;
    if replicates == 0 {
        return document(&answer);
    }
    let rows = Resampler::of(data.observations.clone(), data.centering).map_err(crate::data::refused)?;
    let tell = |news: &Progress| match &progress {
        Some(progress) => progress.call1((&news.stage, news.done, news.total)).map(drop),
        None => Ok(()),
    };
    let limits = match seconds {
        Some(seconds) => Limits::time(std::time::Duration::from_secs_f64(seconds)),
        None => Limits::default(),
    };
    let (found, raised) = interruptible(py, tell, |observer| -> Result<AnyEffect, Error> {
        let run = Run::new(limits).observed(observer);
        let bootstrap =
            Bootstrap { learning: &learned.learning, rows: &rows, start: Some(&learned.learned.order) };
        query.resampled(answer, &bootstrap, &sample, 0..replicates, &run)
    });
    match raised {
        // Ctrl-C asks for the interval by the resamples so far.
        Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error.into()),
        _ => document(&found?),
    }
}
