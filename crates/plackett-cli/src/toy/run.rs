//! One training run on the toy problem, with what Figure 1 shows measured along the way.

use clap::ValueEnum;
pub(crate) use plackett::trial::Measured as Record;
use plackett::{
    Error, TrainingSettings,
    estimator::Baseline,
    run::{Ending, Run},
    trial::{Method, Outcomes, Trial, TrialSettings},
};
use serde::Serialize;

use crate::plot::Color;

/// The curve is measured about this many times, but at least every [`LONGEST_INTERVAL`] steps.
const RECORDS: u64 = 100;
const LONGEST_INTERVAL: u64 = 500;
/// The progress is told after this many steps, since several runs may share the one that is told.
const REPORT_EVERY: u64 = 100;

/// The gradient estimators of Figure 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EstimatorKind {
    /// The score function alone
    Reinforce,
    /// The relaxed objective as control variate, its scale and temperature learned
    Rebar,
    /// The relaxed objective plus a neural network as control variate
    Relax,
    /// A prediction with an exact expectation as control variate, learned from earlier values
    Surrogate,
    /// The exact gradient
    Exact,
}

/// What is taken off the objective's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BaselineKind {
    /// Nothing, as in the paper
    None,
    /// The moving mean of earlier values
    Mean,
    /// For each sample the mean of the others (needs several samples)
    LeaveOneOut,
}

impl BaselineKind {
    /// The one to use unless another is asked for.
    pub(crate) fn usual(samples: usize) -> Self {
        if samples > 1 { Self::LeaveOneOut } else { Self::Mean }
    }

    /// As it is written on the command line.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Mean => "mean",
            Self::LeaveOneOut => "leave-one-out",
        }
    }

    fn baseline(self) -> Baseline {
        match self {
            Self::None => Baseline::None,
            Self::Mean => Baseline::MovingAverage { decay: Baseline::DECAY },
            Self::LeaveOneOut => Baseline::LeaveOneOut,
        }
    }
}

impl EstimatorKind {
    /// As it is written on the command line.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::Reinforce => "reinforce",
            Self::Rebar => "rebar",
            Self::Relax => "relax",
            Self::Surrogate => "surrogate",
            Self::Exact => "exact",
        }
    }

    /// As the paper calls it, for orders.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reinforce => "REINFORCE",
            Self::Rebar => "PL-REBAR",
            Self::Relax => "PL-RELAX",
            Self::Surrogate => "surrogate",
            Self::Exact => "EXACT",
        }
    }

    fn method(self) -> Method {
        match self {
            Self::Reinforce => Method::Reinforce,
            Self::Rebar => Method::Rebar,
            Self::Relax => Method::Relax,
            Self::Surrogate => Method::Surrogate,
            Self::Exact => Method::Exact,
        }
    }

    pub(crate) fn color(self) -> Color {
        match self {
            Self::Exact => Color::Black,
            Self::Reinforce => Color::Vermilion,
            Self::Rebar => Color::Blue,
            Self::Relax => Color::Green,
            Self::Surrogate => Color::Purple,
        }
    }
}

/// Everything that a run depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub problem: Outcomes,
    pub estimator: EstimatorKind,
    pub baseline: BaselineKind,
    pub items: usize,
    pub offset: f64,
    pub steps: u64,
    pub samples: usize,
    pub seed: u64,
}

/// What a run came to.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Trained {
    pub steps: u64,
    /// All the time, measurements included.
    pub seconds: f64,
    /// The training steps alone, and how many of them fit in a second.
    pub training_seconds: f64,
    pub steps_per_second: f64,
    pub optimum: f64,
    pub final_mode_objective: f64,
    pub mode: Vec<usize>,
    pub curve: Vec<Record>,
    /// Finished, or interrupted.
    pub status: Ending,
}

/// Trains on the toy problem, as part of a run that may have other parts beside it.
pub(crate) fn train(settings: &Settings, run: &Run<'_>) -> Result<Trained, Error> {
    let Settings { items, offset, steps, .. } = *settings;
    if steps == 0 {
        return Err(Error::Setting { name: "steps", value: 0.0, reason: "at least 1 is needed" });
    }
    let start = run.seconds();
    let mut trial = Trial::new(&TrialSettings {
        outcomes: settings.problem,
        method: settings.estimator.method(),
        baseline: settings.baseline.baseline(),
        items,
        offset,
        training: TrainingSettings {
            samples: settings.samples,
            seed: settings.seed,
            ..TrainingSettings::default()
        },
    })?;
    let interval = (steps / RECORDS).clamp(1, LONGEST_INTERVAL);
    let mut curve = Vec::new();
    let mut training_seconds = 0.0;
    let status = loop {
        curve.push(trial.measure()?);
        if trial.steps() == steps {
            break Ending::Finished;
        }
        if let Some(ending) = run.over() {
            break ending;
        }
        let start = run.seconds();
        let until = (trial.steps() + interval).min(steps);
        while trial.steps() < until && !run.is_over() {
            let before = trial.steps();
            trial.advance(REPORT_EVERY.min(until - before), run)?;
            run.advance(trial.steps() - before);
        }
        training_seconds += run.seconds() - start;
    };
    Ok(Trained {
        steps: trial.steps(),
        seconds: run.seconds() - start,
        training_seconds,
        // Whoever interrupts at once gets no steps in no time.
        steps_per_second: trial.steps() as f64 / training_seconds.max(f64::MIN_POSITIVE),
        optimum: trial.optimum(),
        final_mode_objective: curve[curve.len() - 1].mode_objective,
        mode: trial.mode(),
        curve,
        status,
    })
}
