//! Variances of the estimators at three places of a descent, and descents with each of them.

use plackett::{
    Distribution as _, Error, Noise, PlackettLuce, Surrogate, SurrogateSettings, Training, TrainingSettings,
    critic::Network,
    estimator::{Baseline, Demand, Estimator, Reinforce, Relax, Samples, SurrogateGradient},
    run::Run,
};
use serde::{Deserialize, Serialize};

use super::objectives::{Objective, Task};

/// Samples a gradient, everywhere.
pub(super) const SAMPLES: usize = 16;
/// Adam's rate in descents, and the critic's everywhere.
pub(super) const RATE: f64 = 0.1;
pub(super) const CRITIC_RATE: f64 = 0.01;
/// Hidden units of the critic.
pub(super) const HIDDEN: usize = 32;
/// Random orders that the objective's mean and deviation are taken from.
pub(super) const PILOT: usize = 1000;
/// Samples that E f is estimated with along a descent, the same noise every time; they are not counted.
const MEAN_SAMPLES: usize = 500;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Steps of a descent.
    pub steps: u64,
    /// Evaluations that the critic and the surrogate learn from before their variance is measured.
    pub evaluations: usize,
    /// Gradients that a variance is taken over.
    pub gradients: usize,
}

/// The estimators, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Reinforce,
    LeaveOneOut,
    /// Leave-one-out with the score of the prefix, for objectives of the first items.
    Prefix,
    Relax,
    RelaxLeaveOneOut,
    Surrogate,
}

impl Kind {
    pub(super) const ALL: [Self; 6] = [
        Self::Reinforce,
        Self::LeaveOneOut,
        Self::Prefix,
        Self::Relax,
        Self::RelaxLeaveOneOut,
        Self::Surrogate,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Reinforce => "REINFORCE",
            Self::LeaveOneOut => "leave-one-out",
            Self::Prefix => "leave-one-out, prefix",
            Self::Relax => "RELAX",
            Self::RelaxLeaveOneOut => "RELAX, leave-one-out",
            Self::Surrogate => "surrogate",
        }
    }

    /// Whether descents are made with it.
    pub(super) fn descends(self) -> bool {
        matches!(self, Self::LeaveOneOut | Self::RelaxLeaveOneOut | Self::Surrogate)
    }
}

/// Seconds that this thread has had of a processor: others may be at work on it too.
#[cfg(unix)]
fn processor_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Seconds; there is no better clock here.
#[cfg(not(unix))]
fn processor_seconds() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

/// Places along a descent.
pub(super) const PLACES: [&str; 3] = ["zero", "mid-training", "peaked"];

/// What one estimator was measured to have at one place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Variance {
    pub place: usize,
    pub kind: usize,
    /// The variance of a gradient summed over the scores, times its samples.
    pub per_evaluation: f64,
    /// Processor seconds a gradient of all samples while it learns, the objective included.
    pub seconds: f64,
}

/// A descent: evaluations, E f (in deviations from the mean of random orders) and seconds of training, point by point.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Descent {
    pub kind: usize,
    pub curve: Vec<(u64, f64, f64)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Measured {
    pub variances: Vec<Variance>,
    pub descents: Vec<Descent>,
}

/// An objective in units of its deviation over random orders. RELAX sees it less its mean too, as the optimizer shows it; REINFORCE
/// without a baseline sees it as it is.
struct Scaled {
    objective: Objective,
    mean: f64,
    deviation: f64,
    is_centered: bool,
}

impl Scaled {
    fn new(mut objective: Objective, items: usize) -> anyhow::Result<Self> {
        let latent = PlackettLuce::new(&vec![0.0; items])?;
        let orders = latent.sample_many(PILOT, Noise::new(0).stream(u64::MAX));
        let values = orders.iter().map(|order| objective(order)).collect::<Result<Vec<_>, _>>()?;
        let (mean, deviation) = crate::summary::mean_std(&values);
        let deviation = if deviation > 0.0 { deviation } else { 1.0 };
        Ok(Self { objective, mean, deviation, is_centered: false })
    }
}

impl plackett::Objective for Scaled {
    fn evaluate(&mut self, order: &[usize]) -> Result<f64, plackett::ObjectiveError> {
        let value = (self.objective)(order)?;
        let shift = if self.is_centered { self.mean } else { 0.0 };
        Ok((value - shift) / self.deviation)
    }
}

/// Everything of one objective.
pub(super) fn measure(
    task: Task,
    objective: Objective,
    items: usize,
    seed: u64,
    effort: Effort,
    run: &Run<'_>,
) -> anyhow::Result<Measured> {
    let mut bench = Bench { task, items, seed, effort, objective: Scaled::new(objective, items)? };
    let mut measured = Measured { variances: Vec::new(), descents: Vec::new() };
    let mut places = Vec::new();
    for (index, kind) in Kind::ALL.into_iter().enumerate().filter(|(_, kind)| kind.descends()) {
        let (curve, path) = bench.with(kind, &vec![0.0; items], &Descend { run })?;
        if kind == Kind::LeaveOneOut {
            places = places_of(&curve, path);
        }
        measured.descents.push(Descent { kind: index, curve });
    }
    for (place, scores) in places.iter().enumerate() {
        for (index, kind) in Kind::ALL.into_iter().enumerate() {
            if (kind == Kind::Prefix && task.top().is_none()) || run.is_over() {
                continue;
            }
            let (variance, seconds) = bench.with(kind, scores, &Measure)?;
            let per_evaluation = variance * SAMPLES as f64;
            measured.variances.push(Variance { place, kind: index, per_evaluation, seconds });
        }
    }
    Ok(measured)
}

/// The scores at the start, where half of the descent is made, and at the end.
fn places_of(curve: &[(u64, f64, f64)], path: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let (Some(first), Some(last)) = (curve.first(), curve.last()) else { return path };
    let half = 0.5 * (first.1 + last.1);
    let middle = curve.iter().position(|point| point.1 <= half).unwrap_or(0);
    let end = path.len() - 1;
    [0, middle, end].map(|at| path[at].clone()).to_vec()
}

struct Bench {
    task: Task,
    items: usize,
    seed: u64,
    effort: Effort,
    objective: Scaled,
}

/// Something that is done with an estimator, whatever its type.
trait Work {
    type Found;
    fn with<E: Estimator<Latent = PlackettLuce> + Frozen>(
        &self,
        bench: &mut Bench,
        kind: Kind,
        latent: PlackettLuce,
        estimator: E,
    ) -> Result<Self::Found, Error>;
}

/// An estimator that can be told to stop learning.
trait Frozen: Sized {
    fn frozen(self, _latent: &PlackettLuce) -> Result<Self, Error> {
        Ok(self)
    }
}

impl Frozen for Reinforce<PlackettLuce> {}
impl Frozen for Relax<PlackettLuce, Network> {}
impl Frozen for SurrogateGradient {
    fn frozen(self, latent: &PlackettLuce) -> Result<Self, Error> {
        let mut surrogate = self.into_surrogate();
        surrogate.freeze();
        Self::new(latent, surrogate)
    }
}

impl Bench {
    fn with<W: Work>(&mut self, kind: Kind, scores: &[f64], work: &W) -> Result<W::Found, Error> {
        let latent = PlackettLuce::new(scores)?;
        let top = self.task.top();
        self.objective.is_centered = matches!(kind, Kind::Relax | Kind::RelaxLeaveOneOut);
        match kind {
            Kind::Reinforce | Kind::LeaveOneOut | Kind::Prefix => {
                let baseline = if kind == Kind::Reinforce { Baseline::None } else { Baseline::LeaveOneOut };
                let mut reinforce = Reinforce::new(&latent, baseline)?;
                if let (Kind::Prefix, Some(top)) = (kind, top) {
                    reinforce = reinforce.with_top(top)?;
                }
                work.with(self, kind, latent, reinforce)
            }
            Kind::Relax | Kind::RelaxLeaveOneOut => {
                let critic = Network::new(self.items, HIDDEN);
                let relax = Relax::new(&latent, critic, &mut Noise::new(self.seed))?;
                let relax = if kind == Kind::Relax { relax } else { relax.with_leave_one_out() };
                work.with(self, kind, latent, relax)
            }
            Kind::Surrogate => {
                let settings = SurrogateSettings { top, ..SurrogateSettings::default() };
                let surrogate = Surrogate::with_settings(self.items, settings)?;
                let estimator = SurrogateGradient::new(&latent, surrogate)?;
                work.with(self, kind, latent, estimator)
            }
        }
    }

    fn settings(&self, learning_rate: f64) -> TrainingSettings {
        TrainingSettings {
            learning_rate,
            critic_learning_rate: CRITIC_RATE,
            samples: SAMPLES,
            seed: self.seed,
            ..TrainingSettings::default()
        }
    }
}

/// The variance at scores that do not move, after learning.
struct Measure;

impl Work for Measure {
    type Found = (f64, f64);

    fn with<E: Estimator<Latent = PlackettLuce> + Frozen>(
        &self,
        bench: &mut Bench,
        _: Kind,
        latent: PlackettLuce,
        estimator: E,
    ) -> Result<(f64, f64), Error> {
        let settings = bench.settings(0.0);
        let steps = bench.effort.evaluations.div_ceil(SAMPLES);
        let mut training = Training::new(latent.clone(), estimator, settings)?;
        let start = processor_seconds();
        for _ in 0..steps {
            training.step(&mut bench.objective)?;
        }
        let seconds = (processor_seconds() - start) / steps as f64;
        let learned = training.estimator().clone().frozen(&latent)?;
        // Other noise than it has learned from.
        let settings = TrainingSettings { seed: settings.seed ^ u64::MAX, ..settings };
        let mut training = Training::new(latent, learned, settings)?;
        Ok((training.gradient_variance(&mut bench.objective, bench.effort.gradients)?, seconds))
    }
}

/// A descent from scores, with all scores along the way.
struct Descend<'a, 'b> {
    run: &'a Run<'b>,
}

/// Steps between two points of a curve.
const EVERY: u64 = 5;

impl Work for Descend<'_, '_> {
    type Found = (Vec<(u64, f64, f64)>, Vec<Vec<f64>>);

    fn with<E: Estimator<Latent = PlackettLuce> + Frozen>(
        &self,
        bench: &mut Bench,
        _: Kind,
        latent: PlackettLuce,
        estimator: E,
    ) -> Result<Self::Found, Error> {
        let mut samples = Samples::new(&latent, MEAN_SAMPLES)?;
        let mut training = Training::new(latent, estimator, bench.settings(RATE))?;
        let (mut curve, mut path, mut seconds) = (Vec::new(), Vec::new(), 0.0);
        let is_centered = bench.objective.is_centered;
        while !self.run.is_over() {
            bench.objective.is_centered = true;
            samples.draw(training.latent(), Demand::Values, &mut Noise::new(u64::MAX - bench.seed), 0)?;
            samples.evaluate(&mut bench.objective)?;
            bench.objective.is_centered = is_centered;
            curve.push((training.evaluations(), samples.mean_value(), seconds));
            path.push(training.latent().scores().to_vec());
            if training.steps() >= bench.effort.steps {
                break;
            }
            let start = processor_seconds();
            for _ in 0..EVERY {
                training.step(&mut bench.objective)?;
            }
            seconds += processor_seconds() - start;
        }
        Ok((curve, path))
    }
}
