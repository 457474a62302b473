//! The paper's search: gradient descent on E Q̂(b) over the scores of a Plackett–Luce distribution, then its mode.
//!
//! Within bounds the distribution is the constrained one, which draws each node from those that may come next. RELAX needs perturbed
//! scores, which that one does not have: it descends on E Q̂(a(b)), a(b) being the order b brought within the bounds.

use plackett::run::{Run, Trace};
use plackett::{
    ConstrainedPlackettLuce, Distribution, Families, Noise, Objective, ObjectiveError, PlackettLuce,
    Surrogate, SurrogateSettings, Training, TrainingSettings,
    critic::Network,
    elementary::ln,
    estimator::{Baseline, Estimator, Reinforce, Relax, RewardToGo, SurrogateGradient},
};

use super::{OrderSolution, known};
use crate::{Oracle, Result};

/// Random orders that the scale of the score is measured on.
const PILOT_ORDERS: usize = 100;

/// The stream of the pilot orders; the training's own streams are counted up from zero.
const PILOT_STREAM: u64 = u64::MAX;

/// How far below random orders the score that no order can beat is put, as a share of the distance between them.
const MARGIN: f64 = 1e-3;

/// A deviation below this share of the mean is rounding.
const ROUNDING: f64 = 1e-13;

/// How fast the running mean of each node's local score forgets.
const NODE_MEAN_DECAY: f64 = 0.99;

/// How the gradient of the expected score is estimated.
///
/// ```
/// assert_ne!(plackett_dag::search::GradientKind::Relax, plackett_dag::search::GradientKind::RewardToGo);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GradientKind {
    /// RELAX with a network as critic: the order's score is a black box, as in the paper. What is averaged is the
    /// logarithm of the score above a bound, which has the same minimizer and no outliers.
    Relax,
    /// The same with REINFORCE and a leave-one-out baseline, for comparison.
    Reinforce,
    /// REINFORCE with what the decomposition of the score gives: a choice answers only for the local scores from its
    /// rank on, each less its node's running mean, with a leave-one-out baseline for every rank.
    RewardToGo,
    /// REINFORCE on what a surrogate of ranks and precedences leaves unexplained of the logarithm, plus the exact gradient of the rest.
    Surrogate,
}

/// Gradient descent on the expected score of an order.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, Oracle, score::{EvL0, ScoreSettings}, search::PlSearch};
/// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let mut oracle = Oracle::new(Arc::new(EvL0::new(gram, &ScoreSettings::default())?));
/// let found = PlSearch { steps: 300, ..PlSearch::default() }.run(&mut oracle, &Run::default())?;
/// assert_eq!(found.mode.order, [0, 1]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlSearch {
    /// The estimator.
    pub gradient: GradientKind,
    /// Steps at the most; fewer if the distribution has made up its mind.
    pub steps: u64,
    /// Orders a step.
    pub samples: usize,
    /// Adam's rate for the scores.
    pub learning_rate: f64,
    /// Hidden units of the critic.
    pub hidden: usize,
    /// Seed of all noise.
    pub seed: u64,
}

impl Default for PlSearch {
    fn default() -> Self {
        Self {
            gradient: GradientKind::Relax,
            steps: 2000,
            samples: 8,
            learning_rate: 0.05,
            hidden: 32,
            seed: 0,
        }
    }
}

impl PlSearch {
    /// Settings for local scores of categories, whose gaps between orders are wide and whose gradients are small beside them:
    /// more steps, and larger ones. Chosen on ALARM, 20,000 rows, seeds 100 to 103.
    ///
    /// ```
    /// use plackett_dag::search::PlSearch;
    /// assert!(PlSearch::for_categories().steps > PlSearch::default().steps);
    /// ```
    pub fn for_categories() -> Self {
        Self { steps: 20_000, learning_rate: 0.1, ..Self::default() }
    }
}

/// What a gradient search ends with.
#[derive(Debug, Clone, PartialEq)]
pub struct PlSolution {
    /// The mode of the distribution: the paper's answer. If the run was over before its score was known, the best order.
    pub mode: OrderSolution,
    /// The best order that was sampled on the way, or the mode if that is better. If the run was over before there was one,
    /// the graph without edges.
    pub best: OrderSolution,
    /// Steps made.
    pub steps: u64,
    /// The best score so far and the seconds that it took, whenever a better one was found.
    pub trace: Trace,
}

/// The mode's probability at which the distribution has made up its mind.
const DECIDED: f64 = 0.999;

/// What random orders tell of the score, so that the searches see numbers of order one.
#[derive(Clone, Copy)]
struct Scale {
    /// The mean and the standard deviation of the score.
    mean: f64,
    deviation: f64,
    /// Added to the score before the logarithm is taken, so that the best order imaginable is at a finite distance.
    shift: f64,
    /// The least that the logarithm is taken of: where parents are searched for greedily, an order may beat what none should.
    least: f64,
    /// The mean of the logarithm.
    log_mean: f64,
}

impl Scale {
    fn measure(oracle: &mut Oracle, seed: u64, run: &Run<'_>) -> Result<Option<Self>> {
        let orders = oracle.bounds().random_orders(PILOT_ORDERS, Noise::new(seed).stream(PILOT_STREAM))?;
        let mut scores = Vec::with_capacity(PILOT_ORDERS);
        for order in &orders {
            let Some(score) = oracle.order_score(order, run)? else { return Ok(None) };
            scores.push(score);
        }
        let average = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / PILOT_ORDERS as f64;
        let mean = average(&mut scores.iter().copied());
        let variance = average(&mut scores.iter().map(|score| (score - mean).powi(2)));
        // Where little is left open all orders score the same, but for rounding.
        let is_even = variance.sqrt() <= ROUNDING * mean.abs();
        let deviation = if is_even { 1.0 } else { variance.sqrt() };
        let Some(floor) = oracle.lowest_score(run) else { return Ok(None) };
        let margin = MARGIN * (mean - floor).max(deviation);
        let mut scale =
            Self { mean, deviation, shift: margin - floor, least: MARGIN * margin, log_mean: 0.0 };
        scale.log_mean = average(&mut scores.iter().map(|&score| scale.logarithm(score)));
        Ok(Some(scale))
    }

    /// The centered logarithm of a score's distance from what no order can beat. On dense graphs scores of random orders
    /// span many orders of magnitude, and their mean would be that of the worst ones alone.
    fn logarithm(self, score: f64) -> f64 {
        ln((score + self.shift).max(self.least)) - self.log_mean
    }
}

/// The best order sampled so far.
#[derive(Default)]
struct Best {
    found: Option<(f64, Vec<usize>)>,
    trace: Trace,
}

impl Best {
    fn see(&mut self, order: &[usize], score: f64, oracle: &Oracle, run: &Run<'_>) {
        match &mut self.found {
            Some((least, _)) if *least <= score => return,
            Some((least, kept)) => {
                *least = score;
                kept.copy_from_slice(order);
            }
            None => self.found = Some((score, order.to_vec())),
        }
        let evaluations = oracle.stats().queries;
        self.trace.note(evaluations, run.seconds(), score);
        run.note(evaluations, Some(score));
    }

    /// With the mode, what a search ends with. All local scores of the best order are known; those of the mode need not be,
    /// and there may be no time to find out.
    fn finish(
        mut self,
        mode: Vec<usize>,
        steps: u64,
        oracle: &mut Oracle,
        run: &Run<'_>,
    ) -> Result<PlSolution> {
        let mode = OrderSolution::of(mode, oracle, run)?;
        let best = known(self.found.map(|(_, order)| order), oracle, run);
        let best = mode.clone().filter(|mode| mode.score <= best.score).unwrap_or(best);
        self.trace.note(oracle.stats().queries, run.seconds(), best.score);
        Ok(PlSolution { mode: mode.unwrap_or_else(|| best.clone()), best, steps, trace: self.trace })
    }
}

impl PlSearch {
    /// Searches until the distribution has made up its mind, the steps are made, or the run is over.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn run(&self, oracle: &mut Oracle, run: &Run<'_>) -> Result<PlSolution> {
        let scores = vec![0.0; oracle.nodes()];
        run.begin("gradient descent", Some(self.steps));
        let Some(scale) = Scale::measure(oracle, self.seed, run)? else {
            let first: Vec<usize> = (0..oracle.nodes()).collect();
            return Best::default().finish(oracle.bounds().arrange(&first), 0, oracle, run);
        };
        let samples = match self.gradient {
            GradientKind::Relax | GradientKind::Reinforce | GradientKind::Surrogate => self.samples,
            // A baseline that leaves one out needs another.
            GradientKind::RewardToGo => self.samples.max(2),
        };
        let constraints = (!oracle.bounds().is_free()).then(|| oracle.bounds().constraints()).transpose()?;
        let score = OrderScore::new(oracle, scale, samples, run);
        if let (Some(constraints), GradientKind::Reinforce | GradientKind::RewardToGo) =
            (constraints, self.gradient)
        {
            return self.descend_without_critic(ConstrainedPlackettLuce::new(&scores, constraints)?, score);
        }
        let latent = PlackettLuce::new(&scores)?;
        match self.gradient {
            GradientKind::Relax => {
                let critic = Network::new(latent.items(), self.hidden);
                let relax = Relax::new(&latent, critic, &mut Noise::new(self.seed))?;
                self.descend(latent, relax, score)
            }
            GradientKind::Surrogate => {
                let families = Families { positions: true, ..Families::PRECEDENCES };
                let settings = SurrogateSettings { families: Some(families), ..SurrogateSettings::default() };
                let surrogate = Surrogate::with_settings(latent.items(), settings)?;
                let estimator = SurrogateGradient::new(&latent, surrogate)?;
                self.descend(latent, estimator, score)
            }
            GradientKind::Reinforce | GradientKind::RewardToGo => self.descend_without_critic(latent, score),
        }
    }

    fn descend_without_critic<D: Distribution>(
        &self,
        latent: D,
        score: OrderScore<'_, '_>,
    ) -> Result<PlSolution> {
        if self.gradient == GradientKind::RewardToGo {
            let reward_to_go = RewardToGo::new(&latent);
            self.descend(latent, reward_to_go, score)
        } else {
            let reinforce = Reinforce::new(&latent, Baseline::LeaveOneOut)?;
            self.descend(latent, reinforce, score)
        }
    }

    fn descend<E: Estimator>(
        &self,
        latent: E::Latent,
        estimator: E,
        mut score: OrderScore<'_, '_>,
    ) -> Result<PlSolution> {
        let settings = TrainingSettings {
            learning_rate: self.learning_rate,
            samples: score.samples,
            seed: self.seed,
            ..TrainingSettings::default()
        };
        let mut training = Training::new(latent, estimator, settings)?;
        let run = score.run;
        while training.steps() < self.steps && !run.is_over() {
            match training.step(&mut score) {
                // A step that the end of the run cut short is none.
                Err(_) if run.is_over() => break,
                made => made?,
            }
            run.advance(1);
            if training.mode_probability() >= DECIDED {
                break;
            }
        }
        let mode = score.oracle.bounds().arrange(&training.mode());
        score.best.finish(mode, training.steps(), score.oracle, run)
    }
}

/// An order's score as a training run sees it: whole, as a logarithm, or in parts, the local scores.
struct OrderScore<'a, 'b> {
    oracle: &'a mut Oracle,
    run: &'a Run<'b>,
    scale: Scale,
    best: Best,
    /// Orders a step, and how many of the present step have been asked for in parts.
    samples: usize,
    asked: usize,
    /// The running mean of every node's local score until the present step, whose own orders must not be in its baseline, and with them.
    node_means: Vec<f64>,
    next_means: Vec<f64>,
}

impl<'a, 'b> OrderScore<'a, 'b> {
    fn new(oracle: &'a mut Oracle, scale: Scale, samples: usize, run: &'a Run<'b>) -> Self {
        let node_means = vec![scale.mean / oracle.nodes() as f64; oracle.nodes()];
        let next_means = node_means.clone();
        Self { oracle, run, scale, best: Best::default(), samples, asked: 0, node_means, next_means }
    }
}

impl Objective for OrderScore<'_, '_> {
    /// The score of the order brought within the bounds: RELAX draws orders without constraints, and each node then waits for those
    /// that go before it. Orders drawn within constraints stay as they are.
    fn evaluate(&mut self, order: &[usize]) -> std::result::Result<f64, ObjectiveError> {
        let arranged;
        let order = if self.oracle.bounds().is_free() {
            order
        } else {
            arranged = self.oracle.bounds().arrange(order);
            &arranged
        };
        let score = self.oracle.order_score(order, self.run)?.ok_or("the run is over")?;
        self.best.see(order, score, self.oracle, self.run);
        Ok(self.scale.logarithm(score))
    }

    /// What each node costs, less what it costs on average whatever the order.
    fn evaluate_parts(
        &mut self,
        order: &[usize],
        parts: &mut [f64],
    ) -> std::result::Result<(), ObjectiveError> {
        self.oracle.order_costs(order, parts, self.run)?.ok_or("the run is over")?;
        self.best.see(order, parts.iter().sum(), self.oracle, self.run);
        if self.asked == self.samples {
            self.asked = 0;
            self.node_means.copy_from_slice(&self.next_means);
        }
        self.asked += 1;
        for (&node, part) in order.iter().zip(parts) {
            let mean = &mut self.next_means[node];
            *mean += (1.0 - NODE_MEAN_DECAY) / self.samples as f64 * (*part - *mean);
            *part = (*part - self.node_means[node]) / self.scale.deviation;
        }
        Ok(())
    }
}
