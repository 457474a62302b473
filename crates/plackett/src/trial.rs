//! The toy problem under one estimator, with what the paper's Figure 1 shows measured along the way: the objective, and the variance of
//! the gradient.

use crate::{
    Categorical, Enumerable, Error, Latent, Noise, Objective, PlackettLuce, Surrogate, Toy, Training,
    TrainingSettings,
    critic::{Critic, Network, RelaxedObjective, Sum},
    elementary::ln,
    estimator::{Baseline, Demand, Estimator, Exact, Reinforce, Relax, Samples, SurrogateGradient},
    memory,
    relaxation::{NeuralSort, Relaxation, Softmax},
    run::Run,
};

/// Hidden units of ρ in RELAX's critic.
const HIDDEN: usize = 32;
/// Fresh gradients for one measurement of the variance.
const GRADIENTS: usize = 10;
/// The exact mean over orders of more items than this takes too long for every measurement; that many are sampled.
const MOST_ITEMS_EXACT: usize = 100;
const MEAN_SAMPLES: usize = 1000;

/// The gradient estimators of Figure 1, and one past them.
///
/// ```
/// assert_eq!(plackett::trial::Method::ALL.len(), 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The score function alone.
    Reinforce,
    /// The relaxed objective as control variate, its scale and temperature learned.
    Rebar,
    /// The relaxed objective plus a neural network as control variate.
    Relax,
    /// A prediction with an exact expectation as control variate, learned from earlier values; for orders.
    Surrogate,
    /// The exact gradient.
    Exact,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Reinforce, Self::Rebar, Self::Relax, Self::Surrogate, Self::Exact];
}

/// What is chosen: an order of the items, or one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcomes {
    /// Orders.
    Orders,
    /// Single items.
    Items,
}

/// Everything that a trial depends on.
#[derive(Clone, Copy, Debug)]
pub struct TrialSettings {
    /// What is chosen.
    pub outcomes: Outcomes,
    /// How the gradient is estimated.
    pub method: Method,
    /// What REINFORCE takes off the values; with leave-one-out REBAR and RELAX do the same.
    pub baseline: Baseline,
    /// The number of items, k.
    pub items: usize,
    /// The target's offset, t.
    pub offset: f64,
    /// Samples, learning rates and the seed.
    pub training: TrainingSettings,
}

/// What is measured between two steps.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Measured {
    /// Steps made before.
    pub step: u64,
    /// E f(b) at the present scores: exact up to 100 items, the mean of 1000 samples beyond.
    pub mean_objective: f64,
    /// f of the mode.
    pub mode_objective: f64,
    /// The natural logarithm of the gradient's variance summed over the scores; none for the exact gradient, or where
    /// the gradients that measure it were all the same.
    pub log_grad_variance: Option<f64>,
}

/// The toy problem under one estimator.
///
/// ```
/// use plackett::{TrainingSettings, estimator::Baseline, run::Run, trial::{Method, Outcomes, Trial, TrialSettings}};
/// let mut trial = Trial::new(&TrialSettings {
///     outcomes: Outcomes::Orders,
///     method: Method::Relax,
///     baseline: Baseline::usual(1),
///     items: 5,
///     offset: 0.1,
///     training: TrainingSettings::default(),
/// })?;
/// let before = trial.measure()?.mean_objective;
/// trial.advance(5000, &Run::default())?;
/// assert!(trial.measure()?.mean_objective < before);
/// # Ok::<(), plackett::Error>(())
/// ```
pub struct Trial {
    course: Box<dyn Course>,
    optimum: f64,
}

impl std::fmt::Debug for Trial {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Trial").field("steps", &self.steps()).finish_non_exhaustive()
    }
}

impl Trial {
    /// A trial that begins with equal scores.
    ///
    /// # Errors
    /// No items, an offset that is not finite, settings of training that are none, a surrogate over single items, or more items than
    /// there is memory for.
    pub fn new(settings: &TrialSettings) -> Result<Self, Error> {
        let TrialSettings { items, offset, .. } = *settings;
        let entries = (items as u128).saturating_mul(items as u128 + HIDDEN as u128);
        memory::check("a relaxed order of so many items", entries.saturating_mul(size_of::<f64>() as u128))?;
        let scores = vec![0.0; items];
        match settings.outcomes {
            Outcomes::Orders => {
                let toy = Toy::permutation(items, offset)?;
                let latent = PlackettLuce::new(&scores)?;
                if settings.method == Method::Surrogate {
                    let estimator = SurrogateGradient::new(&latent, Surrogate::new(items)?)?;
                    return Self::of(estimator, settings, latent, toy);
                }
                choose(settings, latent, toy, NeuralSort::new(items))
            }
            Outcomes::Items => {
                let toy = Toy::categorical(items, offset)?;
                choose(settings, Categorical::new(&scores)?, toy, Softmax::new(items))
            }
        }
    }

    fn of<E: Estimator<Latent: Enumerable + 'static> + 'static>(
        estimator: E,
        settings: &TrialSettings,
        latent: E::Latent,
        mut toy: Toy,
    ) -> Result<Self, Error> {
        let (mean, optimum) = (MeanObjective::new(&latent, &mut toy)?, toy.optimum()?);
        let training = Training::new(latent, estimator, settings.training)?;
        let has_variance = settings.method != Method::Exact;
        Ok(Self { course: Box::new(Racer { training, toy, mean, has_variance }), optimum })
    }

    /// The smallest value that there is.
    pub fn optimum(&self) -> f64 {
        self.optimum
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.course.steps()
    }

    /// The most probable outcome.
    pub fn mode(&self) -> Vec<usize> {
        self.course.mode()
    }

    /// Makes so many steps, fewer if the run is over before.
    ///
    /// # Errors
    /// The critic failed or is not finite; nothing has moved then.
    pub fn advance(&mut self, steps: u64, run: &Run<'_>) -> Result<(), Error> {
        self.course.advance(steps, run)
    }

    /// Measures where the trial is, which changes nothing of it.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub fn measure(&mut self) -> Result<Measured, Error> {
        self.course.measure()
    }
}

fn choose<L: Latent + Enumerable + 'static>(
    settings: &TrialSettings,
    latent: L,
    mut toy: Toy,
    relaxation: impl Relaxation + 'static,
) -> Result<Trial, Error> {
    match settings.method {
        Method::Reinforce => {
            let estimator = Reinforce::new(&latent, settings.baseline)?;
            Trial::of(estimator, settings, latent, toy)
        }
        Method::Rebar => {
            let critic = RelaxedObjective::scaled(toy.clone(), relaxation);
            Trial::of(relax(&latent, critic, settings)?, settings, latent, toy)
        }
        Method::Relax => {
            let network = Network::new(latent.items(), HIDDEN);
            let critic = Sum::new(RelaxedObjective::unscaled(toy.clone(), relaxation), network)?;
            Trial::of(relax(&latent, critic, settings)?, settings, latent, toy)
        }
        Method::Surrogate => {
            Err(Error::Unsupported { what: "a surrogate over categories", instead: "the exact gradient" })
        }
        Method::Exact => {
            let estimator = Exact::new(&latent, &mut toy)?;
            Trial::of(estimator, settings, latent, toy)
        }
    }
}

/// The paper's estimator; with several samples each less the others, if that is wanted.
fn relax<L: Latent, C: Critic>(
    latent: &L,
    critic: C,
    settings: &TrialSettings,
) -> Result<Relax<L, C>, Error> {
    let relax = Relax::new(latent, critic, &mut Noise::new(settings.training.seed))?;
    let leaves_one_out = settings.baseline == Baseline::LeaveOneOut;
    Ok(if leaves_one_out { relax.with_leave_one_out() } else { relax })
}

/// A trial, whatever its estimator.
trait Course {
    fn steps(&self) -> u64;
    fn mode(&self) -> Vec<usize>;
    fn advance(&mut self, steps: u64, run: &Run<'_>) -> Result<(), Error>;
    fn measure(&mut self) -> Result<Measured, Error>;
}

struct Racer<E: Estimator> {
    training: Training<E>,
    toy: Toy,
    mean: MeanObjective<E::Latent>,
    has_variance: bool,
}

impl<E: Estimator<Latent: Enumerable>> Course for Racer<E> {
    fn steps(&self) -> u64 {
        self.training.steps()
    }

    fn mode(&self) -> Vec<usize> {
        self.training.mode()
    }

    fn advance(&mut self, steps: u64, run: &Run<'_>) -> Result<(), Error> {
        let until = self.training.steps() + steps;
        while self.training.steps() < until && !run.is_over() {
            self.training.step(&mut self.toy)?;
        }
        Ok(())
    }

    fn measure(&mut self) -> Result<Measured, Error> {
        let Self { training, toy, mean, has_variance } = self;
        let variance = if *has_variance { training.gradient_variance(toy, GRADIENTS)? } else { 0.0 };
        let mode = training.mode();
        let value = toy.evaluate(&mode);
        Ok(Measured {
            step: training.steps(),
            mean_objective: mean.at(training.latent(), toy, training.steps())?,
            mode_objective: value.map_err(|source| Error::ObjectiveFailed { outcome: mode, source })?,
            log_grad_variance: (variance > 0.0).then(|| ln(variance)),
        })
    }
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
