//! The paper's search: gradient descent on E Q̂(b) over the scores of a Plackett–Luce distribution, then its mode.

use plackett::run::{Run, Trace};
use plackett::{
    Adam, Given as _, Latent as _, Noise, ObjectiveError, PlackettLuce, Training, TrainingSettings,
    critic::Network,
    estimator::{Baseline, Demand, Reinforce, Relax, Samples},
};

use super::{OrderSolution, known};
use crate::{Oracle, Result};

/// Random orders that the scale of the score is measured on.
const PILOT_ORDERS: usize = 100;

/// The stream of the pilot orders; the training's own streams are counted up from zero.
const PILOT_STREAM: u64 = u64::MAX;

/// How far below random orders the score that no order can beat is put, as a share of the distance between them.
const MARGIN: f64 = 1e-3;

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
    /// The mean of the logarithm.
    log_mean: f64,
}

impl Scale {
    fn measure(oracle: &mut Oracle, latent: &PlackettLuce, seed: u64, run: &Run<'_>) -> Result<Option<Self>> {
        let orders = latent.sample_many(PILOT_ORDERS, Noise::new(seed).stream(PILOT_STREAM));
        let mut scores = Vec::with_capacity(PILOT_ORDERS);
        for order in &orders {
            let Some(score) = oracle.order_score(order, run)? else { return Ok(None) };
            scores.push(score);
        }
        let average = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / PILOT_ORDERS as f64;
        let mean = average(&mut scores.iter().copied());
        let variance = average(&mut scores.iter().map(|score| (score - mean).powi(2)));
        let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        let Some(floor) = oracle.lowest_score(run) else { return Ok(None) };
        let shift = MARGIN * (mean - floor).max(deviation) - floor;
        let log_mean = average(&mut scores.iter().map(|score| (score + shift).ln()));
        Ok(Some(Self { mean, deviation, shift, log_mean }))
    }

    /// The centered logarithm of a score's distance from what no order can beat. On dense graphs scores of random orders
    /// span many orders of magnitude, and their mean would be that of the worst ones alone.
    fn logarithm(self, score: f64) -> f64 {
        (score + self.shift).ln() - self.log_mean
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
        let latent = PlackettLuce::new(&vec![0.0; oracle.nodes()])?;
        run.begin("gradient descent", Some(self.steps));
        let Some(scale) = Scale::measure(oracle, &latent, self.seed, run)? else {
            return Best::default().finish(latent.mode().into_vec(), 0, oracle, run);
        };
        match self.gradient {
            GradientKind::Relax => {
                let critic = Network::new(oracle.nodes(), self.hidden);
                let relax = Relax::new(&latent, critic, &mut Noise::new(self.seed))?;
                self.black_box(oracle, latent, relax, scale, run)
            }
            GradientKind::Reinforce => {
                let reinforce = Reinforce::new(&latent, Baseline::LeaveOneOut)?;
                self.black_box(oracle, latent, reinforce, scale, run)
            }
            GradientKind::RewardToGo => self.reward_to_go(oracle, latent, scale, run),
        }
    }

    fn black_box<E: plackett::estimator::Estimator<Latent = PlackettLuce>>(
        &self,
        oracle: &mut Oracle,
        latent: PlackettLuce,
        estimator: E,
        scale: Scale,
        run: &Run<'_>,
    ) -> Result<PlSolution> {
        let settings = TrainingSettings {
            learning_rate: self.learning_rate,
            samples: self.samples,
            seed: self.seed,
            ..TrainingSettings::default()
        };
        let mut training = Training::new(latent, estimator, settings)?;
        let mut best = Best::default();
        let mut objective = |order: &[usize]| match oracle.order_score(order, run) {
            Ok(Some(score)) => {
                best.see(order, score, oracle, run);
                Ok(scale.logarithm(score))
            }
            Ok(None) => Err(ObjectiveError::from("the run is over")),
            Err(error) => Err(error.into()),
        };
        while training.steps() < self.steps && !run.is_over() {
            match training.step(&mut objective) {
                // A step that the end of the run cut short is none.
                Err(_) if run.is_over() => break,
                made => made?,
            }
            run.advance(1);
            if training.mode_probability() >= DECIDED {
                break;
            }
        }
        best.finish(training.latent().mode().into_vec(), training.steps(), oracle, run)
    }

    fn reward_to_go(
        &self,
        oracle: &mut Oracle,
        mut latent: PlackettLuce,
        scale: Scale,
        run: &Run<'_>,
    ) -> Result<PlSolution> {
        let nodes = oracle.nodes();
        let mut samples = Samples::new(&latent, self.samples.max(2))?;
        let count = samples.count() as f64;
        let mut noise = Noise::new(self.seed);
        let mut adam = Adam::new(nodes, self.learning_rate);
        let mut scores = latent.scores().to_vec();
        let mut node_means = vec![scale.mean / nodes as f64; nodes];
        let mut next_means = node_means.clone(); // a step's own samples must not be in its baseline
        let mut costs = vec![0.0; samples.count() * nodes];
        let mut rank_means = vec![0.0; nodes];
        let (mut gradient, mut term) = (vec![0.0; nodes], vec![0.0; nodes]);
        let mut given = latent.unconditioned();
        let mut best = Best::default();
        let mut mode = vec![0; nodes];
        let mut step = 0;
        'steps: while step < self.steps && !run.is_over() {
            samples.draw(&latent, Demand::Perturbed, &mut noise, step * samples.count() as u64)?;
            for (order, costs) in samples.outcomes().zip(costs.chunks_exact_mut(nodes)) {
                if oracle.order_costs(order, costs, run)?.is_none() {
                    break 'steps;
                }
                for (&node, cost) in order.iter().zip(&*costs) {
                    next_means[node] += (1.0 - NODE_MEAN_DECAY) / count * (cost - next_means[node]);
                }
                best.see(order, costs.iter().sum(), oracle, run);
            }
            rank_means.fill(0.0);
            for (order, costs) in samples.outcomes().zip(costs.chunks_exact_mut(nodes)) {
                // From costs to what is still to be paid, less what is paid on average whatever the order.
                let mut to_go = 0.0;
                for ((&node, cost), rank_mean) in order.iter().zip(costs).zip(&mut rank_means).rev() {
                    let excess = *cost - node_means[node];
                    to_go += excess / scale.deviation;
                    *rank_mean += to_go / count;
                    *cost = to_go;
                }
            }
            gradient.fill(0.0);
            for (order, to_go) in samples.outcomes().zip(costs.chunks_exact_mut(nodes)) {
                for (weight, mean) in to_go.iter_mut().zip(&rank_means) {
                    *weight = (*weight - mean) / (count - 1.0);
                }
                latent.condition(order, &mut given);
                given.weighted_grad_log_prob(to_go, &mut term);
                gradient.iter_mut().zip(&term).for_each(|(sum, term)| *sum += term);
            }
            node_means.copy_from_slice(&next_means);
            adam.step(&mut scores, &gradient);
            latent.set_scores(&scores)?;
            step += 1;
            run.advance(1);
            latent.outcome(latent.scores(), &mut mode);
            latent.condition(&mode, &mut given);
            if given.log_prob() >= DECIDED.ln() {
                break;
            }
        }
        best.finish(latent.mode().into_vec(), step, oracle, run)
    }
}
