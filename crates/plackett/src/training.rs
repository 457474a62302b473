//! Training: Adam on the scores with an estimated gradient, and on the critic with the gradient of its variance.

use crate::{
    adam::Adam,
    distribution::Distribution,
    elementary::exp,
    error::{Error, check_finite, check_length, check_setting},
    estimator::{Demand, Estimator, Samples},
    noise::Noise,
    objective::Objective,
    run::{Ending, Run},
};

/// The first stream of the first step; the one before it is the critic's.
const FIRST_STREAM: u64 = 1;
/// Streams from here on are for measuring variance; training itself never gets this far.
const VARIANCE_STREAMS: u64 = 1 << 63;

/// No step of a learning rate up to this can carry a finite score beyond the finite numbers.
const LARGEST_RATE: f64 = 1e100;

/// How to train. A run is a function of its input and these settings, the seed among them.
///
/// ```
/// let settings = plackett::TrainingSettings { seed: 7, samples: 4, ..plackett::TrainingSettings::default() };
/// assert_eq!(settings.learning_rate, 0.01);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingSettings {
    /// Adam's rate for the scores; zero freezes them.
    pub learning_rate: f64,
    /// Adam's rate for the critic's parameters; zero freezes them.
    pub critic_learning_rate: f64,
    /// Samples a step.
    pub samples: usize,
    /// The seed of all noise.
    pub seed: u64,
    /// The probability of the mode at which the distribution has made up its mind, and a run ends.
    pub mode_probability: Option<f64>,
}

impl Default for TrainingSettings {
    fn default() -> Self {
        Self { learning_rate: 0.01, critic_learning_rate: 0.01, samples: 1, seed: 0, mode_probability: None }
    }
}

/// A training run: scores, estimator, optimizers and the best outcome so far.
///
/// After an error it is as it was before the step that failed, so it can be looked at and continued. Who wants to look at it
/// between steps makes them one by one with [`step`](Self::step).
///
/// ```
/// use plackett::{Noise, PlackettLuce, Toy, Training, TrainingSettings, critic::{Network, RelaxedObjective, Sum}};
/// use plackett::{estimator::Relax, relaxation::NeuralSort, run::{Ending, Limits, Run}};
/// let toy = Toy::permutation(5, 0.1)?;
/// let latent = PlackettLuce::new(&[0.0; 5])?;
/// let critic = Sum::new(RelaxedObjective::unscaled(toy.clone(), NeuralSort::new(5)), Network::new(5, 32))?;
/// let relax = Relax::new(&latent, critic, &mut Noise::new(1))?;
/// let settings = TrainingSettings { seed: 1, mode_probability: Some(0.9), ..TrainingSettings::default() };
/// let mut training = Training::new(latent, relax, settings)?;
/// let ending = training.run(&mut toy.clone(), &Run::new(Limits::steps(20_000)))?;
/// assert_eq!(ending, Ending::Converged);
/// assert_eq!(training.mode(), [0, 1, 2, 3, 4]);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Debug)]
pub struct Training<E: Estimator> {
    latent: E::Latent,
    estimator: E,
    settings: TrainingSettings,
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
    room: <E::Latent as Distribution>::Room,
    mode: Vec<usize>,
}

impl<E: Estimator> Training<E> {
    /// A run that starts from the latent's scores.
    ///
    /// # Errors
    /// No samples, a learning rate that is negative or beyond 10¹⁰⁰, or a probability outside (0, 1].
    pub fn new(latent: E::Latent, mut estimator: E, settings: TrainingSettings) -> Result<Self, Error> {
        for (name, rate) in [
            ("learning_rate", settings.learning_rate),
            ("critic_learning_rate", settings.critic_learning_rate),
        ] {
            check_setting(name, rate, (0.0..=LARGEST_RATE).contains(&rate), "it must be from 0 to 1e100")?;
        }
        if let Some(probability) = settings.mode_probability {
            let is_valid = probability > 0.0 && probability <= 1.0;
            check_setting("mode_probability", probability, is_valid, "it must be above 0 and at most 1")?;
        }
        let samples = Samples::new(&latent, settings.samples)?;
        let (items, parameters) = (latent.items(), estimator.critic().0.len());
        let outcome = vec![0; latent.outcome_len()];
        Ok(Self {
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
            room: latent.room(),
            mode: outcome,
            latent,
            estimator,
            settings,
        })
    }

    /// One step: samples, values, gradient, and a move of scores and critic. It allocates nothing.
    ///
    /// # Errors
    /// The objective or the critic failed or is not finite; nothing has moved then.
    pub fn step(&mut self, objective: &mut (impl Objective + ?Sized)) -> Result<(), Error> {
        let demand = self.estimator.demand();
        let first_stream = FIRST_STREAM + self.steps * self.samples.count() as u64;
        self.samples.draw(&self.latent, demand, &mut self.noise, first_stream)?;
        self.samples.satisfy(demand, objective)?;
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

    /// Steps until the run is over, a limit is reached or the mode is [probable
    /// enough](TrainingSettings::mode_probability).
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn run(&mut self, objective: &mut (impl Objective + ?Sized), run: &Run<'_>) -> Result<Ending, Error> {
        let limits = run.limits();
        run.repeat(|| {
            let (evaluations, best) = (self.evaluations(), self.best);
            run.note(evaluations, best);
            if limits.target.is_some_and(|target| best.is_some_and(|best| best <= target)) {
                return Ok(Some(Ending::Target));
            }
            if limits.evaluations.is_some_and(|most| evaluations >= most) {
                return Ok(Some(Ending::Evaluations));
            }
            if let Some(ending) = run.over() {
                return Ok(Some(ending));
            }
            self.step(objective)?;
            Ok(self.has_converged().then_some(Ending::Converged))
        })
    }

    fn has_converged(&mut self) -> bool {
        self.settings.mode_probability.is_some_and(|enough| self.mode_probability() >= enough)
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
            samples.satisfy(estimator.demand(), objective)?;
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
        Ok(())
    }

    /// The estimator with its critic.
    pub fn estimator(&self) -> &E {
        &self.estimator
    }

    /// The settings of the run.
    pub fn settings(&self) -> &TrainingSettings {
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

    /// Outcomes evaluated so far.
    pub fn evaluations(&self) -> u64 {
        let is_evaluated = self.estimator.demand() >= Demand::Values;
        if is_evaluated { self.steps * self.samples.count() as u64 } else { 0 }
    }

    /// The most probable outcome. O(k log k).
    pub fn mode(&self) -> Vec<usize> {
        let mut mode = vec![0; self.latent.outcome_len()];
        self.latent.choose_best(&mut mode);
        mode
    }

    /// The probability of the most probable outcome. O(k log k).
    pub fn mode_probability(&mut self) -> f64 {
        self.latent.choose_best(&mut self.mode);
        exp(self.latent.log_prob_in(&self.mode, &mut self.room))
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
