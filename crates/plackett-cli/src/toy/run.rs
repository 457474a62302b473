//! One training run on the toy problem, with what Figure 1 shows measured along the way.

use std::{ops::ControlFlow, time::Instant};

use clap::ValueEnum;
use plackett::{
    Baseline, Categorical, Estimator, Exact, Latent, Network, NeuralSort, Noise, PlackettLuce, Reinforce,
    Relax, Relaxation, RelaxedObjective, Softmax, Status, Stop, Sum, Toy, Training,
};
use serde::Serialize;

use crate::plot::Color;

/// Hidden units of ρ in RELAX's critic.
const HIDDEN: usize = 32;
/// The curve is measured about this many times, but at least every [`LONGEST_INTERVAL`] steps.
const RECORDS: u64 = 100;
const LONGEST_INTERVAL: u64 = 500;
/// Fresh gradients for one measurement of the variance.
const GRADIENTS: usize = 10;
/// Orders of more items than this are too many to average over at every measurement; that many are sampled.
const MOST_ITEMS_EXACT: usize = 8;
const MEAN_SAMPLES: usize = 1000;
/// The progress is told this often.
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
    /// The exact gradient, by enumeration (at most 10 items)
    Exact,
}

impl EstimatorKind {
    pub(crate) const ALL: [Self; 4] = [Self::Exact, Self::Reinforce, Self::Rebar, Self::Relax];

    /// As it is written on the command line.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::Reinforce => "reinforce",
            Self::Rebar => "rebar",
            Self::Relax => "relax",
            Self::Exact => "exact",
        }
    }

    /// As the paper calls it, for orders.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reinforce => "REINFORCE",
            Self::Rebar => "PL-REBAR",
            Self::Relax => "PL-RELAX",
            Self::Exact => "EXACT",
        }
    }

    pub(crate) fn color(self) -> Color {
        match self {
            Self::Exact => Color::Black,
            Self::Reinforce => Color::Vermilion,
            Self::Rebar => Color::Blue,
            Self::Relax => Color::Green,
        }
    }
}

/// What is chosen: an order of the items, or one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    Permutation,
    Categorical,
}

/// Everything that a run depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub problem: Problem,
    pub estimator: EstimatorKind,
    pub items: usize,
    pub offset: f64,
    pub steps: u64,
    pub samples: usize,
    pub seed: u64,
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Record {
    pub step: u64,
    /// E f(b) at the present scores: exact up to 8 items, the mean of 1000 samples beyond.
    pub mean_objective: f64,
    pub mode_objective: f64,
    /// The natural logarithm of the gradient's variance summed over the scores; none for the exact gradient, or where
    /// the gradients that measure it were all the same.
    pub log_grad_variance: Option<f64>,
}

/// A finished or interrupted run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Run {
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
    #[serde(skip)]
    pub is_interrupted: bool,
}

/// Trains on the toy problem. `advance` is told of every few steps made, and may end the run.
pub(crate) fn run(
    settings: &Settings,
    advance: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<Run, plackett::Error> {
    let Settings { items, offset, .. } = *settings;
    let scores = vec![0.0; items];
    match settings.problem {
        Problem::Permutation => {
            let toy = Toy::permutation(items, offset)?;
            choose(settings, PlackettLuce::new(&scores)?, toy, NeuralSort::new(items), advance)
        }
        Problem::Categorical => {
            let toy = Toy::categorical(items, offset)?;
            choose(settings, Categorical::new(&scores)?, toy, Softmax::new(items), advance)
        }
    }
}

fn choose<L: Latent>(
    settings: &Settings,
    latent: L,
    mut toy: Toy,
    relaxation: impl Relaxation,
    advance: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<Run, plackett::Error> {
    let noise = &mut Noise::new(settings.seed);
    match settings.estimator {
        EstimatorKind::Reinforce => {
            let estimator = Reinforce::new(&latent, Baseline::None)?;
            train(settings, latent, toy, estimator, advance)
        }
        EstimatorKind::Rebar => {
            let critic = RelaxedObjective::scaled(toy.clone(), relaxation);
            let estimator = Relax::new(&latent, critic, noise)?;
            train(settings, latent, toy, estimator, advance)
        }
        EstimatorKind::Relax => {
            let network = Network::new(latent.items(), HIDDEN);
            let critic = Sum::new(RelaxedObjective::unscaled(toy.clone(), relaxation), network)?;
            let estimator = Relax::new(&latent, critic, noise)?;
            train(settings, latent, toy, estimator, advance)
        }
        EstimatorKind::Exact => {
            let estimator = Exact::new(&latent, &mut toy)?;
            train(settings, latent, toy, estimator, advance)
        }
    }
}

fn train<E: Estimator>(
    settings: &Settings,
    latent: E::Latent,
    mut toy: Toy,
    estimator: E,
    mut advance: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<Run, plackett::Error> {
    let start = Instant::now();
    let mut mean = MeanObjective::new(&latent, &mut toy)?;
    let optimum = toy.optimum()?;
    let training_settings = plackett::Settings {
        samples: settings.samples,
        seed: settings.seed,
        ..plackett::Settings::default()
    };
    let mut training = Training::new(latent, estimator, training_settings)?;
    let interval = (settings.steps / RECORDS).clamp(1, LONGEST_INTERVAL);
    let mut curve = Vec::new();
    let mut training_seconds = 0.0;
    let is_interrupted = loop {
        curve.push(measure(&mut training, &mut toy, &mut mean, settings.estimator)?);
        // The first round goes to the library even with no steps to make: refusing that is its business.
        let left = settings.steps - training.steps();
        if left == 0 && training.steps() > 0 {
            break false;
        }
        let start = Instant::now();
        let mut told = training.steps();
        let status = training.run(&mut toy, Stop::steps(left.min(interval)), |training| {
            if training.steps() - told < REPORT_EVERY && training.steps() % interval != 0 {
                return ControlFlow::Continue(());
            }
            let steps = training.steps() - told;
            told = training.steps();
            advance(steps)
        })?;
        training_seconds += start.elapsed().as_secs_f64();
        if status == Status::Interrupted {
            curve.push(measure(&mut training, &mut toy, &mut mean, settings.estimator)?);
            break true;
        }
    };
    Ok(Run {
        steps: training.steps(),
        seconds: start.elapsed().as_secs_f64(),
        training_seconds,
        steps_per_second: training.steps() as f64 / training_seconds,
        optimum,
        final_mode_objective: curve[curve.len() - 1].mode_objective,
        mode: training.mode().to_vec(),
        curve,
        is_interrupted,
    })
}

fn measure<E: Estimator>(
    training: &mut Training<E>,
    toy: &mut Toy,
    mean: &mut MeanObjective<E::Latent>,
    kind: EstimatorKind,
) -> Result<Record, plackett::Error> {
    let variance =
        if kind == EstimatorKind::Exact { 0.0 } else { training.gradient_variance(toy, GRADIENTS)? };
    Ok(Record {
        step: training.steps(),
        mean_objective: mean.at(training.latent(), toy, training.steps())?,
        mode_objective: value(toy, training.mode())?,
        log_grad_variance: (variance > 0.0).then(|| variance.ln()),
    })
}

fn value(toy: &mut Toy, outcome: &[usize]) -> Result<f64, plackett::Error> {
    use plackett::Objective;
    toy.evaluate(outcome)
        .map_err(|source| plackett::Error::ObjectiveFailed { outcome: outcome.to_vec(), source })
}

/// E f(b): by enumeration for few items, else from samples.
enum MeanObjective<L> {
    Exact(Box<Exact<L>>),
    Sampled(Box<plackett::Samples>),
}

impl<L: Latent> MeanObjective<L> {
    fn new(latent: &L, toy: &mut Toy) -> Result<Self, plackett::Error> {
        if latent.outcome_len() == 1 || latent.items() <= MOST_ITEMS_EXACT {
            Ok(Self::Exact(Box::new(Exact::new(latent, toy)?)))
        } else {
            Ok(Self::Sampled(Box::new(plackett::Samples::new(latent, MEAN_SAMPLES)?)))
        }
    }

    fn at(&mut self, latent: &L, toy: &mut Toy, step: u64) -> Result<f64, plackett::Error> {
        match self {
            Self::Exact(exact) => Ok(exact.expectation(latent)?.0),
            Self::Sampled(samples) => {
                // The same noise at every step: what changes along the curve is the scores.
                let noise = &mut Noise::new(u64::MAX - step);
                samples.draw(latent, plackett::Demand::Values, noise, 0)?;
                samples.evaluate(toy)?;
                Ok(samples.values().iter().sum::<f64>() / MEAN_SAMPLES as f64)
            }
        }
    }
}
