//! One training run on the toy problem, with what Figure 1 shows measured along the way.

use clap::ValueEnum;
use plackett::{
    Categorical, Enumerable, Error, Latent, Noise, PlackettLuce, Toy, Training, TrainingSettings,
    critic::{Network, RelaxedObjective, Sum},
    estimator::{Baseline, Demand, Estimator, Exact, Reinforce, Relax, Samples},
    relaxation::{NeuralSort, Relaxation, Softmax},
    run::{Ending, Run},
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
    let scores = vec![0.0; items];
    match settings.problem {
        Problem::Permutation => {
            let toy = Toy::permutation(items, offset)?;
            choose(settings, PlackettLuce::new(&scores)?, toy, NeuralSort::new(items), run)
        }
        Problem::Categorical => {
            let toy = Toy::categorical(items, offset)?;
            choose(settings, Categorical::new(&scores)?, toy, Softmax::new(items), run)
        }
    }
}

fn choose<L: Latent + Enumerable>(
    settings: &Settings,
    latent: L,
    mut toy: Toy,
    relaxation: impl Relaxation,
    run: &Run<'_>,
) -> Result<Trained, Error> {
    let noise = &mut Noise::new(settings.seed);
    match settings.estimator {
        EstimatorKind::Reinforce => {
            let estimator = Reinforce::new(&latent, Baseline::None)?;
            train_with(estimator, settings, latent, toy, run)
        }
        EstimatorKind::Rebar => {
            let critic = RelaxedObjective::scaled(toy.clone(), relaxation);
            let estimator = Relax::new(&latent, critic, noise)?;
            train_with(estimator, settings, latent, toy, run)
        }
        EstimatorKind::Relax => {
            let network = Network::new(latent.items(), HIDDEN);
            let critic = Sum::new(RelaxedObjective::unscaled(toy.clone(), relaxation), network)?;
            let estimator = Relax::new(&latent, critic, noise)?;
            train_with(estimator, settings, latent, toy, run)
        }
        EstimatorKind::Exact => {
            let estimator = Exact::new(&latent, &mut toy)?;
            train_with(estimator, settings, latent, toy, run)
        }
    }
}

fn train_with<E: Estimator<Latent: Enumerable>>(
    estimator: E,
    settings: &Settings,
    latent: E::Latent,
    mut toy: Toy,
    run: &Run<'_>,
) -> Result<Trained, Error> {
    let start = run.seconds();
    let mut mean = MeanObjective::new(&latent, &mut toy)?;
    let optimum = toy.optimum()?;
    let training_settings =
        TrainingSettings { samples: settings.samples, seed: settings.seed, ..TrainingSettings::default() };
    let mut training = Training::new(latent, estimator, training_settings)?;
    let interval = (settings.steps / RECORDS).clamp(1, LONGEST_INTERVAL);
    let mut curve = Vec::new();
    let mut training_seconds = 0.0;
    let status = loop {
        curve.push(measure(&mut training, &mut toy, &mut mean, settings.estimator)?);
        if training.steps() == settings.steps {
            break Ending::Finished;
        }
        if let Some(ending) = run.over() {
            break ending;
        }
        let start = run.seconds();
        let until = (training.steps() + interval).min(settings.steps);
        while training.steps() < until && !run.is_over() {
            let before = training.steps();
            while training.steps() < until.min(before + REPORT_EVERY) && !run.is_over() {
                training.step(&mut toy)?;
            }
            run.advance(training.steps() - before);
        }
        training_seconds += run.seconds() - start;
    };
    Ok(Trained {
        steps: training.steps(),
        seconds: run.seconds() - start,
        training_seconds,
        // Whoever interrupts at once gets no steps in no time.
        steps_per_second: training.steps() as f64 / training_seconds.max(f64::MIN_POSITIVE),
        optimum,
        final_mode_objective: curve[curve.len() - 1].mode_objective,
        mode: training.mode(),
        curve,
        status,
    })
}

fn measure<E: Estimator<Latent: Enumerable>>(
    training: &mut Training<E>,
    toy: &mut Toy,
    mean: &mut MeanObjective<E::Latent>,
    kind: EstimatorKind,
) -> Result<Record, Error> {
    let variance =
        if kind == EstimatorKind::Exact { 0.0 } else { training.gradient_variance(toy, GRADIENTS)? };
    Ok(Record {
        step: training.steps(),
        mean_objective: mean.at(training.latent(), toy, training.steps())?,
        mode_objective: value(toy, &training.mode())?,
        log_grad_variance: (variance > 0.0).then(|| variance.ln()),
    })
}

fn value(toy: &mut Toy, outcome: &[usize]) -> Result<f64, Error> {
    use plackett::Objective;
    toy.evaluate(outcome).map_err(|source| Error::ObjectiveFailed { outcome: outcome.to_vec(), source })
}

/// E f(b): by enumeration for few items, else from samples.
enum MeanObjective<L> {
    Exact(Box<Exact<L>>),
    Sampled(Box<Samples>),
}

impl<L: Enumerable> MeanObjective<L> {
    fn new(latent: &L, toy: &mut Toy) -> Result<Self, Error> {
        if latent.outcome_len() == 1 || latent.items() <= MOST_ITEMS_EXACT {
            Ok(Self::Exact(Box::new(Exact::new(latent, toy)?)))
        } else {
            Ok(Self::Sampled(Box::new(Samples::new(latent, MEAN_SAMPLES)?)))
        }
    }

    fn at(&mut self, latent: &L, toy: &mut Toy, step: u64) -> Result<f64, Error> {
        match self {
            Self::Exact(exact) => Ok(exact.expectation(latent)?.0),
            Self::Sampled(samples) => {
                // The same noise at every step: what changes along the curve is the scores.
                let noise = &mut Noise::new(u64::MAX - step);
                samples.draw(latent, Demand::Values, noise, 0)?;
                samples.evaluate(toy)?;
                Ok(samples.values().iter().sum::<f64>() / MEAN_SAMPLES as f64)
            }
        }
    }
}
