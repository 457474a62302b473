//! Training: Adam on the scores with an estimated gradient, and on the critic with the gradient of its variance.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use crate::{
    adam::Adam,
    error::{Error, check_finite, check_length, check_setting},
    estimator::{Demand, Estimator, Samples},
    latent::{Given, Latent},
    noise::Noise,
    objective::Objective,
};

/// The first stream of the first step; the one before it is the critic's.
const FIRST_STREAM: u64 = 1;
/// Streams from here on are for measuring variance; training itself never gets this far.
const VARIANCE_STREAMS: u64 = 1 << 63;

/// No step of a learning rate up to this can carry a finite score beyond the finite numbers.
const LARGEST_RATE: f64 = 1e100;

/// How a run is made. A run is a function of its input, these settings and the seed.
///
/// ```
/// let settings = plackett::Settings { seed: 7, samples: 4, ..plackett::Settings::default() };
/// assert_eq!(settings.learning_rate, 0.01);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Adam's rate for the scores; zero freezes them.
    pub learning_rate: f64,
    /// Adam's rate for the critic's parameters; zero freezes them.
    pub critic_learning_rate: f64,
    /// Samples a step.
    pub samples: usize,
    /// The seed of all noise.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { learning_rate: 0.01, critic_learning_rate: 0.01, samples: 1, seed: 0 }
    }
}

/// When a run ends; whatever comes first.
///
/// ```
/// use plackett::Stop;
/// use std::time::Duration;
/// let stop = Stop { time: Some(Duration::from_secs(60)), mode_probability: Some(0.99), ..Stop::steps(100_000) };
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// After this many steps of this run.
    pub steps: u64,
    /// After this long.
    pub time: Option<Duration>,
    /// Once the mode has at least this probability: the distribution has made up its mind.
    pub mode_probability: Option<f64>,
}

impl Stop {
    /// After a number of steps, whatever the time.
    pub fn steps(steps: u64) -> Self {
        Self { steps, time: None, mode_probability: None }
    }
}

/// Why a run ended. Not an error: in each case the training holds its result.
///
/// ```
/// assert_ne!(plackett::Status::Converged, plackett::Status::Interrupted);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All steps were made.
    StepLimit,
    /// The time was up.
    TimeLimit,
    /// The mode reached the probability asked for.
    Converged,
    /// The observer said to stop.
    Interrupted,
}

/// A training run: scores, estimator, optimizers and the best outcome so far.
///
/// After an error it is as it was before the step that failed, so it can be looked at and continued.
///
/// ```
/// use plackett::*;
/// use std::ops::ControlFlow;
/// let toy = Toy::permutation(5, 0.1)?;
/// let latent = PlackettLuce::new(&[0.0; 5])?;
/// let critic = Sum::new(RelaxedObjective::unscaled(toy.clone(), NeuralSort::new(5)), Network::new(5, 32))?;
/// let relax = Relax::new(&latent, critic, &mut Noise::new(1))?;
/// let mut training = Training::new(latent, relax, Settings { seed: 1, ..Settings::default() })?;
/// let stop = Stop { mode_probability: Some(0.9), ..Stop::steps(20_000) };
/// let status = training.run(&mut toy.clone(), stop, |training| {
///     if training.steps() % 1000 == 0 {
///         println!("{:>6} {:.4}", training.steps(), training.value());
///     }
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(status, Status::Converged);
/// assert_eq!(training.mode(), [0, 1, 2, 3, 4]);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Debug)]
pub struct Training<E: Estimator> {
    latent: E::Latent,
    estimator: E,
    settings: Settings,
    scores: Vec<f64>,
    gradient: Vec<f64>,
    /// Room for the next gradient, which takes the place of the last one only if the step succeeds.
    next_gradient: Vec<f64>,
    score_optimizer: Adam,
    critic_optimizer: Adam,
    samples: Samples,
    noise: Noise,
    steps: u64,
    value: f64,
    best: Option<f64>,
    best_outcome: Vec<usize>,
    given: <E::Latent as Latent>::Given,
    mode: Vec<usize>,
}

impl<E: Estimator> Training<E> {
    /// A run that starts from the latent's scores.
    ///
    /// # Errors
    /// No samples, or a learning rate that is negative or beyond 10¹⁰⁰.
    pub fn new(latent: E::Latent, mut estimator: E, settings: Settings) -> Result<Self, Error> {
        for (name, rate) in [
            ("learning_rate", settings.learning_rate),
            ("critic_learning_rate", settings.critic_learning_rate),
        ] {
            check_setting(name, rate, (0.0..=LARGEST_RATE).contains(&rate), "it must be from 0 to 1e100")?;
        }
        let samples = Samples::new(&latent, settings.samples)?;
        let (items, parameters) = (latent.items(), estimator.critic().0.len());
        let outcome = vec![0; latent.outcome_len()];
        let mut training = Self {
            scores: latent.scores().to_vec(),
            gradient: vec![0.0; items],
            next_gradient: vec![0.0; items],
            score_optimizer: Adam::new(items, settings.learning_rate),
            critic_optimizer: Adam::new(parameters, settings.critic_learning_rate),
            samples,
            noise: Noise::new(settings.seed),
            steps: 0,
            value: f64::NAN,
            best: None,
            best_outcome: outcome.clone(),
            given: latent.unconditioned(),
            mode: outcome,
            latent,
            estimator,
            settings,
        };
        training.find_mode();
        Ok(training)
    }

    /// One step: samples, values, gradient, and a move of scores and critic. It allocates nothing.
    ///
    /// # Errors
    /// The objective or the critic failed or is not finite; nothing has moved then.
    pub fn step(&mut self, objective: &mut (impl Objective + ?Sized)) -> Result<(), Error> {
        let demand = self.estimator.demand();
        let first_stream = FIRST_STREAM + self.steps * self.samples.count() as u64;
        self.samples.draw(&self.latent, demand, &mut self.noise, first_stream)?;
        if demand >= Demand::Values {
            self.samples.evaluate(objective)?;
        }
        let value = self.estimator.gradient(&self.latent, &self.samples, &mut self.next_gradient)?;
        check_finite("gradient", &self.next_gradient)?;
        // Nothing below can fail, and nothing above has changed what can be seen.
        std::mem::swap(&mut self.gradient, &mut self.next_gradient);
        if demand >= Demand::Values {
            self.keep_best();
        }
        self.score_optimizer.step(&mut self.scores, &self.gradient);
        let (parameters, gradient) = self.estimator.critic();
        self.critic_optimizer.step(parameters, gradient);
        self.latent.set_scores(&self.scores)?;
        self.value = value;
        self.steps += 1;
        Ok(())
    }

    /// Steps until it is time to stop. The observer is called after every step and may end the run.
    ///
    /// # Errors
    /// As [`step`](Self::step); also no steps, or a probability outside (0, 1].
    pub fn run(
        &mut self,
        objective: &mut (impl Objective + ?Sized),
        stop: Stop,
        mut observe: impl FnMut(&Self) -> ControlFlow<()>,
    ) -> Result<Status, Error> {
        check_setting("steps", stop.steps as f64, stop.steps > 0, "at least 1 is needed")?;
        if let Some(probability) = stop.mode_probability {
            let is_valid = probability > 0.0 && probability <= 1.0;
            check_setting("mode_probability", probability, is_valid, "it must be above 0 and at most 1")?;
        }
        let start = Instant::now();
        let mut made = Ok(Status::StepLimit);
        for _ in 0..stop.steps {
            if let Err(error) = self.step(objective) {
                made = Err(error);
                break;
            }
            if observe(self).is_break() {
                made = Ok(Status::Interrupted);
                break;
            }
            if stop.mode_probability.is_some_and(|probability| self.mode_probability() >= probability) {
                made = Ok(Status::Converged);
                break;
            }
            if stop.time.is_some_and(|limit| start.elapsed() >= limit) {
                made = Ok(Status::TimeLimit);
                break;
            }
        }
        self.find_mode(); // also of a run that failed after some steps
        made
    }

    /// The total variance (the sum over coordinates) of the gradient at the present scores and critic, measured on
    /// `count` fresh gradients; the training itself does not move.
    ///
    /// # Errors
    /// Fewer than two gradients, or an objective or critic that fails.
    pub fn gradient_variance(
        &mut self,
        objective: &mut (impl Objective + ?Sized),
        count: usize,
    ) -> Result<f64, Error> {
        check_setting("count", count as f64, count >= 2, "at least 2 gradients are needed")?;
        let mut estimator = self.estimator.clone(); // a moving baseline must not see these samples
        let mut samples = self.samples.clone();
        let mut mean = vec![0.0; self.gradient.len()];
        let mut gradient = mean.clone();
        let mut squares = 0.0;
        let per_gradient = samples.count() as u64;
        for index in 0..count as u64 {
            let stream = VARIANCE_STREAMS + (self.steps * count as u64 + index) * per_gradient;
            samples.draw(&self.latent, estimator.demand(), &mut self.noise, stream)?;
            if estimator.demand() >= Demand::Values {
                samples.evaluate(objective)?;
            }
            estimator.gradient(&self.latent, &samples, &mut gradient)?;
            for (mean, g) in mean.iter_mut().zip(&gradient) {
                let change = g - *mean;
                *mean += change / (index + 1) as f64;
                squares += change * (g - *mean);
            }
        }
        Ok(squares / (count - 1) as f64)
    }

    /// The distribution at its present scores.
    pub fn latent(&self) -> &E::Latent {
        &self.latent
    }

    /// The scores θ as they are trained, not normalized.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Replaces the scores, for a warm start.
    ///
    /// # Errors
    /// Another number of scores, or one that is not finite.
    pub fn set_scores(&mut self, scores: &[f64]) -> Result<(), Error> {
        check_length("the list of scores", scores.len(), self.scores.len())?;
        self.latent.set_scores(scores)?;
        self.scores.copy_from_slice(scores);
        self.find_mode();
        Ok(())
    }

    /// The estimator with its critic.
    pub fn estimator(&self) -> &E {
        &self.estimator
    }

    /// The settings of the run.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Steps made so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The estimate of E f(b) of the last step; NaN before the first.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The gradient of the last step.
    pub fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// The best outcome sampled so far and its value; none before the first step, or if nothing is sampled.
    pub fn best(&self) -> Option<(&[usize], f64)> {
        self.best.map(|value| (self.best_outcome.as_slice(), value))
    }

    /// The most probable outcome after the last [`run`](Self::run).
    pub fn mode(&self) -> &[usize] {
        &self.mode
    }

    /// The probability of the most probable outcome. O(k log k).
    pub fn mode_probability(&mut self) -> f64 {
        self.find_mode();
        self.latent.condition(&self.mode, &mut self.given);
        self.given.log_prob().exp()
    }

    fn find_mode(&mut self) {
        self.latent.outcome(self.latent.scores(), &mut self.mode);
    }

    fn keep_best(&mut self) {
        for (outcome, &value) in self.samples.outcomes().zip(self.samples.values()) {
            if self.best.is_none_or(|best| value < best) {
                self.best = Some(value);
                self.best_outcome.copy_from_slice(outcome);
            }
        }
    }
}
