//! The gradient phase: draws batches from the Plackett–Luce distribution and turns their values into steps of Adam.

use serde::{Deserialize, Serialize};

use super::{
    OptimizerSettings,
    batch::{Answer, Batch},
};
use crate::{
    adam::Adam,
    constrained::ConstrainedPlackettLuce,
    constraints::Constraints,
    critic::{Critic, Network},
    distribution::Distribution,
    error::{Error, check_finite},
    estimator::{Baseline, Demand, Estimator, Reinforce, Relax, RewardToGo, Samples, SurrogateGradient},
    noise::{Noise, fill_uniform},
    plackett_luce::PlackettLuce,
    surrogate::Surrogate,
};

/// Values from which the size of the objective is known well enough for the critic's sake. Until then RELAX makes the
/// steps of REINFORCE.
const SCALE_VALUES: u64 = 10;

/// How the gradient of the expected value is estimated. All are unbiased.
///
/// ```
/// assert_eq!(plackett::optimizer::Gradient::default(), plackett::optimizer::Gradient::Reinforce);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Gradient {
    /// REINFORCE with a leave-one-out baseline: the default, because for some ten thousand evaluations in batches of ten it
    /// is ahead of RELAX, whose critic has as much to learn as the scores have.
    #[default]
    Reinforce,
    /// RELAX with a small neural network as critic, which needs nothing but values. Values are shifted and scaled once to
    /// be of order one. Within constraints, orders are drawn as if there were none and then made to keep them by
    /// [`Constraints::follow`]: no way is known to draw z̃ otherwise.
    Relax {
        /// Hidden units of the network.
        hidden: usize,
    },
    /// REINFORCE with reward-to-go and a leave-one-out baseline for every rank: a choice answers only for what is paid from
    /// its rank on. For objectives that decompose by rank or by prefix, told as [`Answer::Parts`].
    RewardToGo,
    /// REINFORCE on what a [`Surrogate`](crate::Surrogate) leaves unexplained, plus the exact gradient of what it does explain. For objectives
    /// whose evaluation takes longer than the tenths of a millisecond to milliseconds that this does. Within constraints as RELAX: expectations of
    /// ranks and pairs are known without them only.
    Surrogate,
}

impl Gradient {
    /// Whether, within constraints, it is of orders drawn without them, which the proposed ones follow.
    fn follows(self) -> bool {
        matches!(self, Self::Relax { .. } | Self::Surrogate)
    }
}

/// Scores, critic and their optimizers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Learner {
    scores: Vec<f64>,
    score_optimizer: Adam,
    critic: Option<CriticState>,
    #[serde(default)]
    surrogate: Option<Box<Surrogate>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct CriticState {
    hidden: usize,
    parameters: Vec<f64>,
    optimizer: Adam,
    /// Count, mean and sum of squared deviations of the first values: the shift and the scale for the critic.
    first_values: (u64, f64, f64),
}

impl CriticState {
    fn is_scaled(&self) -> bool {
        self.first_values.0 >= SCALE_VALUES
    }

    fn note(&mut self, cost: f64) {
        let (count, mean, squares) = &mut self.first_values;
        *count += 1;
        let change = cost - *mean;
        *mean += change / *count as f64;
        *squares += change * (cost - *mean);
    }

    fn scaled(&self, cost: f64) -> f64 {
        let (count, mean, squares) = self.first_values;
        let deviation = (squares / count as f64).sqrt();
        (cost - mean) / if deviation > 0.0 && deviation.is_finite() { deviation } else { 1.0 }
    }
}

impl Learner {
    pub(super) fn new(items: usize, settings: &OptimizerSettings) -> Result<Self, Error> {
        let critic = match settings.gradient {
            Gradient::Relax { hidden } => {
                // Parameters, their gradients and averages, and what is kept of a step.
                let bytes = 64 * (hidden as u128) * (items as u128 + 2);
                crate::memory::check("a critic of so many hidden units", bytes)?;
                let latent = PlackettLuce::new(&vec![0.0; items])?;
                let network = Network::new(items, hidden);
                let relax = Relax::new(&latent, network.clone(), &mut Noise::new(settings.seed))?;
                Some(CriticState {
                    hidden,
                    parameters: relax.parameters().to_vec(),
                    optimizer: Adam::new(network.parameters(), settings.critic_learning_rate),
                    first_values: (0, 0.0, 0.0),
                })
            }
            Gradient::Reinforce | Gradient::RewardToGo | Gradient::Surrogate => None,
        };
        let surrogate = match settings.gradient {
            Gradient::Surrogate => Some(Box::new(Surrogate::new(items)?)),
            _ => None,
        };
        Ok(Self {
            scores: vec![0.0; items],
            score_optimizer: Adam::new(items, settings.learning_rate),
            critic,
            surrogate,
        })
    }

    pub(super) fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Orders at the present scores, the first from `stream` and the others from those after it.
    pub(super) fn draw(
        &self,
        gradient: Gradient,
        constraints: &Constraints,
        count: usize,
        noise: &mut Noise,
        stream: u64,
    ) -> Vec<Vec<usize>> {
        let drawn = if constraints.is_free() {
            draw_freely(&self.scores, count, noise, stream)
        } else if gradient.follows() {
            let follow = |order: Vec<usize>| Ok(constraints.follow(&order)?.into_vec());
            draw_freely(&self.scores, count, noise, stream)
                .and_then(|drawn| drawn.into_iter().map(follow).collect())
        } else {
            ConstrainedPlackettLuce::new(&self.scores, constraints.clone())
                .and_then(|latent| draw(&latent, count, noise, stream))
        };
        // Scores are finite: steps are bounded by Adam, and every state that is read is checked.
        drawn.unwrap_or_default()
    }

    /// One step from a batch that was drawn at these scores, and the mean cost; none if too few succeeded.
    pub(super) fn learn(
        &mut self,
        settings: &OptimizerSettings,
        constraints: &Constraints,
        batch: &Batch,
        scores: &[f64],
        stream: u64,
    ) -> Result<Option<f64>, Error> {
        let costs: Vec<f64> = batch.successes().map(|(.., value)| settings.sense.cost(value)).collect();
        if costs.len() < 2 {
            return Ok(None);
        }
        let mean = costs.iter().map(|cost| cost / costs.len() as f64).sum();
        // What was proposed, or what was drawn before the constraints had their say.
        let follows = !constraints.is_free() && settings.gradient.follows();
        let drawn = if follows {
            draw_freely(scores, batch.len(), &mut Noise::new(settings.seed), stream)?
        } else {
            Vec::new()
        };
        let order_of = |(place, order, ..): (usize, _, _, _)| drawn.get(place).map_or(order, Vec::as_slice);
        let orders: Vec<&[usize]> = batch.successes().map(order_of).collect();
        let gradient = match (&mut self.critic, &mut self.surrogate) {
            (_, Some(surrogate)) => with_surrogate(surrogate, orders, &costs, scores)?,
            (Some(critic), None) if critic.is_scaled() => critic.relax(settings, batch, scores, stream)?,
            (critic, None) => {
                if let Some(critic) = critic {
                    costs.iter().for_each(|&cost| critic.note(cost));
                }
                if follows || constraints.is_free() {
                    reinforce(&PlackettLuce::new(scores)?, settings, batch, orders)?
                } else {
                    let latent = ConstrainedPlackettLuce::new(scores, constraints.clone())?;
                    reinforce(&latent, settings, batch, orders)?
                }
            }
        };
        check_finite("gradient", &gradient)?;
        self.score_optimizer.step(&mut self.scores, &gradient);
        Ok(Some(mean))
    }

    #[cfg(feature = "json")]
    pub(super) fn is_sound(&self, items: usize, settings: &OptimizerSettings) -> bool {
        let critic_fits = self.critic.iter().all(|critic| {
            let parameters = Network::new(items, critic.hidden.min(MOST_HIDDEN)).parameters();
            critic.parameters.len() == parameters
                && critic.optimizer.is_sound(parameters, settings.critic_learning_rate)
                && critic.parameters.iter().all(|p| p.is_finite())
        });
        critic_fits
            && self.surrogate.iter().all(|surrogate| surrogate.items() == items)
            && self.scores.len() == items
            && self.score_optimizer.is_sound(items, settings.learning_rate)
            && self.scores.iter().all(|score| score.is_finite())
    }
}

/// More hidden units than any saved state can have.
#[cfg(feature = "json")]
const MOST_HIDDEN: usize = 1 << 20;

impl CriticState {
    /// RELAX on the orders of a batch that succeeded: the noise is drawn again from the same streams.
    fn relax(
        &mut self,
        settings: &OptimizerSettings,
        batch: &Batch,
        scores: &[f64],
        stream: u64,
    ) -> Result<Vec<f64>, Error> {
        let items = scores.len();
        let latent = PlackettLuce::new(scores)?;
        let mut relax = Relax::new(&latent, Network::new(items, self.hidden), &mut Noise::new(0))?;
        relax.set_parameters(&self.parameters)?;
        let (places, values): (Vec<usize>, Vec<f64>) = batch
            .successes()
            .map(|(place, .., value)| (place, self.scaled(settings.sense.cost(value))))
            .unzip();
        let mut noise = Noise::new(settings.seed);
        let mut samples = Samples::new(&latent, places.len())?;
        if places.len() == batch.len() {
            samples.draw(&latent, Demand::ValuesAndConditional, &mut noise, stream)?;
        } else {
            let (mut u, mut v) = (vec![0.0; places.len() * items], vec![0.0; places.len() * items]);
            for ((place, u), v) in places.iter().zip(u.chunks_exact_mut(items)).zip(v.chunks_exact_mut(items))
            {
                let rng = noise.stream(stream + *place as u64);
                fill_uniform(rng, u);
                fill_uniform(rng, v);
            }
            samples.set_noise(&latent, &u, &v)?;
        }
        samples.set_values(&values)?;
        let mut gradient = vec![0.0; items];
        relax.gradient(&latent, &samples, &mut gradient)?;
        self.optimizer.step(&mut self.parameters, relax.critic().1);
        Ok(gradient)
    }
}

/// The gradient with a surrogate, which then learns from the batch.
fn with_surrogate(
    surrogate: &mut Surrogate,
    orders: Vec<&[usize]>,
    costs: &[f64],
    scores: &[f64],
) -> Result<Vec<f64>, Error> {
    let latent = PlackettLuce::new(scores)?;
    let mut samples = Samples::new(&latent, orders.len())?;
    samples.set_outcomes(orders)?;
    samples.set_values(costs)?;
    let mut gradient = vec![0.0; scores.len()];
    let mut estimator = SurrogateGradient::new(&latent, surrogate.clone())?;
    estimator.gradient(&latent, &samples, &mut gradient)?;
    *surrogate = estimator.into_surrogate();
    Ok(gradient)
}

fn draw_freely(
    scores: &[f64],
    count: usize,
    noise: &mut Noise,
    stream: u64,
) -> Result<Vec<Vec<usize>>, Error> {
    draw(&PlackettLuce::new(scores)?, count, noise, stream)
}

fn draw(
    latent: &impl Distribution,
    count: usize,
    noise: &mut Noise,
    stream: u64,
) -> Result<Vec<Vec<usize>>, Error> {
    let mut samples = Samples::new(latent, count)?;
    samples.draw(latent, Demand::Values, noise, stream)?;
    Ok(samples.outcomes().map(<[usize]>::to_vec).collect())
}

/// REINFORCE with leave-one-out baselines, for the whole value or for what is still to be paid at every rank.
fn reinforce<D: Distribution>(
    latent: &D,
    settings: &OptimizerSettings,
    batch: &Batch,
    orders: Vec<&[usize]>,
) -> Result<Vec<f64>, Error> {
    let mut samples = Samples::new(latent, orders.len())?;
    samples.set_outcomes(orders)?;
    let mut gradient = vec![0.0; latent.items()];
    if settings.gradient == Gradient::RewardToGo {
        let mut parts = Vec::new();
        for (_, order, answer, value) in batch.successes() {
            if let Answer::Parts(told) = answer {
                parts.extend(told.iter().map(|part| settings.sense.cost(*part)));
            } else {
                // All is paid with the last choice: every choice answers for all of it.
                parts.resize(parts.len() + order.len() - 1, 0.0);
                parts.push(settings.sense.cost(value));
            }
        }
        samples.set_parts(&parts)?;
        RewardToGo::new(latent).gradient(latent, &samples, &mut gradient)?;
    } else {
        let costs: Vec<f64> = batch.successes().map(|(.., value)| settings.sense.cost(value)).collect();
        samples.set_values(&costs)?;
        Reinforce::new(latent, Baseline::LeaveOneOut)?.gradient(latent, &samples, &mut gradient)?;
    }
    Ok(gradient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{linear::add_scaled, optimizer::batch::Origin};

    const SCORES: [f64; 4] = [0.4, -0.3, 0.0, 0.9];

    /// What rank r adds: a number that depends on the ranks before it and on nothing else.
    fn parts(order: &[usize]) -> Vec<f64> {
        let part =
            |rank: usize| (1..=rank).fold(order[0] as f64, |sum, r| 1.7 * sum + (order[r] * r) as f64).sin();
        (0..order.len()).map(part).collect()
    }

    fn value(order: &[usize]) -> f64 {
        parts(order).iter().sum()
    }

    /// The mean of the gradient over all batches of two orders, and the gradient of the mean, given that orders succeed.
    fn compare(gradient: Gradient, constraints: &Constraints, succeeds: impl Fn(&[usize]) -> bool) {
        let settings = OptimizerSettings { gradient, ..OptimizerSettings::default() };
        let at = |scores: &[f64]| {
            let latent = ConstrainedPlackettLuce::new(scores, constraints.clone()).unwrap();
            let all = PlackettLuce::new(&SCORES).unwrap().enumerate().unwrap();
            let all = all.into_iter().map(|(order, _)| order.into_vec());
            let allowed: Vec<Vec<usize>> =
                all.filter(|order| constraints.check(order).is_ok() && succeeds(order)).collect();
            let weights: Vec<f64> =
                allowed.iter().map(|order| latent.log_prob(order).unwrap().exp()).collect();
            let total: f64 = weights.iter().sum();
            (allowed, weights.into_iter().map(|weight| weight / total).collect::<Vec<f64>>())
        };
        let expected = |scores: &[f64]| {
            let (orders, weights) = at(scores);
            orders.iter().zip(weights).map(|(order, weight)| weight * value(order)).sum::<f64>()
        };
        let (orders, weights) = at(&SCORES);
        let mut mean = [0.0; 4];
        for (one, p) in orders.iter().zip(&weights) {
            for (two, q) in orders.iter().zip(&weights) {
                let mut batch = Batch::new(0, Origin::Start, vec![one.clone(), two.clone()]);
                for (id, order) in [one, two].into_iter().enumerate() {
                    batch.give();
                    batch.answer(id as u64, Answer::Parts(parts(order))).unwrap();
                }
                let latent = ConstrainedPlackettLuce::new(&SCORES, constraints.clone()).unwrap();
                let gradient = reinforce(&latent, &settings, &batch, vec![one, two]).unwrap();
                add_scaled(&mut mean, p * q, &gradient);
            }
        }
        for item in 0..4 {
            let moved = |step: f64| {
                let mut scores = SCORES;
                scores[item] += step;
                expected(&scores)
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((mean[item] - slope).abs() < 1e-8, "{gradient:?} {} {slope}", mean[item]);
        }
    }

    #[test]
    fn gradients_are_unbiased_with_and_without_constraints() {
        for gradient in [Gradient::Reinforce, Gradient::RewardToGo] {
            compare(gradient, &Constraints::none(4), |_| true);
            compare(gradient, &Constraints::new(4, &[(3, 0)], &[]).unwrap(), |_| true);
            compare(gradient, &Constraints::new(4, &[(2, 1)], &[(0, 2)]).unwrap(), |_| true);
            let windows = Constraints::new(4, &[(2, 1)], &[]).unwrap().with_ranks(&[(0, 1, 2), (3, 2, 3)]);
            compare(gradient, &windows.unwrap(), |_| true);
        }
    }

    /// Failures that depend on the order leave an unbiased gradient of the mean over orders that succeed.
    #[test]
    fn with_failures_the_gradient_is_that_of_the_orders_that_succeed() {
        compare(Gradient::Reinforce, &Constraints::none(4), |order| order[0] != 2 && order[3] != 1);
        let constraints = Constraints::new(4, &[(3, 0)], &[]).unwrap();
        compare(Gradient::Reinforce, &constraints, |order| order[1] != 2);
    }
}
