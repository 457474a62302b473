//! One training run on the toy problem, with what Figure 1 shows measured along the way.

use clap::ValueEnum;
use plackett::{
    Categorical, Enumerable, Error, Latent, Noise, PlackettLuce, Surrogate, Toy, Training, TrainingSettings,
    critic::{Critic, Network, RelaxedObjective, Sum},
    estimator::{Baseline, Demand, Estimator, Exact, Reinforce, Relax, Samples, SurrogateGradient},
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
/// The exact mean over orders of more items than this takes too long for every measurement; that many are sampled.
const MOST_ITEMS_EXACT: usize = 100;
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
    pub baseline: BaselineKind,
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
    /// E f(b) at the present scores: exact up to 100 items, the mean of 1000 samples beyond.
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
    let entries = (items as u128).saturating_mul(items as u128 + HIDDEN as u128);
    plackett::memory::check(
        "a relaxed order of so many items",
        entries.saturating_mul(size_of::<f64>() as u128),
    )?;
    let scores = vec![0.0; items];
    match settings.problem {
        Problem::Permutation => {
            let toy = Toy::permutation(items, offset)?;
            let latent = PlackettLuce::new(&scores)?;
            if settings.estimator == EstimatorKind::Surrogate {
                let estimator = SurrogateGradient::new(&latent, Surrogate::new(items)?)?;
                return train_with(estimator, settings, latent, toy, run);
            }
            choose(settings, latent, toy, NeuralSort::new(items), run)
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
    match settings.estimator {
        EstimatorKind::Reinforce => {
            let estimator = Reinforce::new(&latent, settings.baseline.baseline())?;
            train_with(estimator, settings, latent, toy, run)
        }
        EstimatorKind::Rebar => {
            let critic = RelaxedObjective::scaled(toy.clone(), relaxation);
            train_with(relax(&latent, critic, settings)?, settings, latent, toy, run)
        }
        EstimatorKind::Relax => {
            let network = Network::new(latent.items(), HIDDEN);
            let critic = Sum::new(RelaxedObjective::unscaled(toy.clone(), relaxation), network)?;
            train_with(relax(&latent, critic, settings)?, settings, latent, toy, run)
        }
        EstimatorKind::Surrogate => {
            Err(Error::Unsupported { what: "a surrogate over categories", instead: "the exact gradient" })
        }
        EstimatorKind::Exact => {
            let estimator = Exact::new(&latent, &mut toy)?;
            train_with(estimator, settings, latent, toy, run)
        }
    }
}

/// The paper's estimator; with several samples each less the others, unless no baseline is wanted.
fn relax<L: Latent, C: Critic>(latent: &L, critic: C, settings: &Settings) -> Result<Relax<L, C>, Error> {
    let relax = Relax::new(latent, critic, &mut Noise::new(settings.seed))?;
    let leaves_one_out = settings.baseline == BaselineKind::LeaveOneOut;
    Ok(if leaves_one_out { relax.with_leave_one_out() } else { relax })
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

/// E f(b): exactly for up to a hundred items, else from samples.
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
