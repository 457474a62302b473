//! The search for a black box: a walk by random moves, screened by a model of what they change, that may go uphill.
//!
//! Most evaluations of a local search are wasted on moves that anybody who had seen the earlier answers would not have tried.
//! So the walk draws a few random moves, predicts what each would change ([`model`]), and asks about the most promising one;
//! a share of the moves is asked unseen, so that the model learns of moves that it does not favor. The sorts of moves that
//! lead downhill are drawn more often ([`arms`]). Worse orders are accepted with a probability that falls in the course of an
//! epoch (simulated annealing), on the scale of the first differences. No order is asked twice ([`asked`]).
//!
//! What is asked n-th depends on the answers up to the (n − W)-th, W being the window, and on nothing else: not on when
//! answers come, nor on how many are being worked on. So a walk is a function of its settings and of the values told, and
//! that is how it is saved: the values, from which the rest is made again.

mod annealing;
mod arms;
mod asked;
mod estimates;
mod model;

use std::collections::VecDeque;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use serde::{Deserialize, Serialize};

use self::{annealing::Annealing, arms::Arms, asked::Asked, estimates::Estimates, model::Model};
use super::{Noisy, OptimizerSettings};
use crate::{constraints::Constraints, elementary::exp, moves::Move, neighborhood::kicked_within};

/// Moves among which the model chooses.
const SCREENED: usize = 8;
/// The share of moves that are asked without asking the model.
const UNSCREENED: f64 = 0.3;
/// The share if the model's choices lead downhill less than [`SCREENING_PAYS`] times as often as others.
const UNSCREENED_IN_DOUBT: f64 = 0.8;
const SCREENING_PAYS: f64 = 1.2;
/// How often the model's choices are taken to lead downhill before there are any.
const TRUST: f64 = 0.5;
/// How fast old successes are forgotten.
const SUCCESS_FORGETTING: f64 = 0.03;
/// The model's choices that may have been asked before, until it is no longer asked.
const SCREENED_TRIES: usize = 6;
/// Moves tried until the neighborhood is taken for exhausted.
const MOST_TRIES: usize = 100;
/// Kicks and random orders tried until all orders are gone through one by one.
const KICKS: usize = 20;
/// Differences that the scale is the median of.
const DIFFERENCES: usize = 21;
/// The first temperature of an epoch, in units of the scale.
const TEMPERATURE: f64 = 0.35;
/// The most epochs of a run whose length is known.
const MOST_EPOCHS: u64 = 4;
/// The first epoch of a run whose length is not known, in evaluations per item; each is twice as long as the one before.
const FIRST_EPOCH: u64 = 5;

/// A walk, as it is saved: all else is a function of this and of the settings.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Walk {
    /// An order to start from and its cost, if it is known already.
    known: Option<(Vec<usize>, f64)>,
    /// The answers, in the order of the proposals.
    costs: Vec<Option<f64>>,
    /// Proposals made.
    proposed: usize,
    /// Better orders that others have found, each with how many proposals had been made then.
    #[serde(default)]
    found_elsewhere: Vec<(usize, Vec<usize>, f64)>,
    #[serde(skip)]
    state: Option<Box<State>>,
}

impl Clone for Walk {
    fn clone(&self) -> Self {
        let Self { known, costs, proposed, found_elsewhere, .. } = self;
        Self {
            known: known.clone(),
            costs: costs.clone(),
            proposed: *proposed,
            found_elsewhere: found_elsewhere.clone(),
            state: None,
        }
    }
}

impl Walk {
    pub(super) fn new(known: Option<(Vec<usize>, f64)>) -> Self {
        Self { known, costs: Vec::new(), proposed: 0, found_elsewhere: Vec::new(), state: None }
    }

    /// The next order to ask about; none if that depends on answers that are missing, or if all have been asked.
    pub(super) fn propose(
        &mut self,
        settings: &OptimizerSettings,
        constraints: &Constraints,
    ) -> Option<Vec<usize>> {
        if self.proposed >= self.costs.len() + settings.window {
            return None;
        }
        let Self { known, costs, proposed, found_elsewhere, state } = self;
        let state = state.get_or_insert_with(|| {
            let mut state = Box::new(State::new(settings, constraints.items(), known.as_ref()));
            let mut found = found_elsewhere.iter().peekable();
            for made in 0..=*proposed {
                while let Some((_, order, cost)) = found.next_if(|(at, ..)| *at == made) {
                    state.take(order, *cost, settings);
                }
                if made < *proposed {
                    state.learn(costs, made, settings.window);
                    state.propose(settings, constraints);
                }
            }
            state
        });
        state.learn(costs, *proposed, settings.window);
        let order = state.propose(settings, constraints)?;
        *proposed += 1;
        Some(order)
    }

    /// Takes the answer to the first proposal without one; none of a failure.
    pub(super) fn tell(&mut self, cost: Option<f64>) {
        self.costs.push(cost);
    }

    /// Takes an order that somebody else has found, if it is better than all that this walk has met.
    pub(super) fn learn(&mut self, order: &[usize], cost: f64, settings: &OptimizerSettings) {
        let least = self.costs.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let others =
            self.known.iter().map(|known| known.1).chain(self.found_elsewhere.iter().map(|found| found.2));
        if cost < others.fold(least, f64::min) {
            self.found_elsewhere.push((self.proposed, order.to_vec(), cost));
            if let Some(state) = &mut self.state {
                state.take(order, cost, settings);
            }
        }
    }

    /// Of noisy values: the order that is best by all that has been told of it, its mean cost, and the standard error.
    pub(super) fn estimate(&self) -> Option<(&[usize], f64, f64)> {
        let state = self.state.as_ref().filter(|state| state.is_noisy)?;
        state.estimates.best()
    }

    #[cfg(feature = "json")]
    pub(super) fn is_sound(&self, is_order: impl Fn(&[usize]) -> bool, window: usize) -> bool {
        self.known.iter().all(|(order, cost)| is_order(order) && cost.is_finite())
            && self.costs.iter().flatten().all(|cost| cost.is_finite())
            && self.found_elsewhere.iter().all(|(_, order, cost)| is_order(order) && cost.is_finite())
            && self.found_elsewhere.is_sorted_by_key(|found| found.0)
            && self.found_elsewhere.last().is_none_or(|found| found.0 <= self.proposed)
            && (self.costs.len()..=self.costs.len() + window).contains(&self.proposed)
    }
}

/// Whether the model's choices lead downhill more often than moves that it has not seen.
#[derive(Debug)]
struct Screening {
    /// How often moves have led downhill of late, the unscreened and the screened.
    successes: [f64; 2],
}

impl Screening {
    fn tell(&mut self, is_screened: bool, is_success: bool) {
        let success = &mut self.successes[usize::from(is_screened)];
        *success += SUCCESS_FORGETTING * (f64::from(u8::from(is_success)) - *success);
    }

    /// The share of moves to be asked without asking the model.
    fn unscreened(&self) -> f64 {
        let [unscreened, screened] = self.successes;
        if screened >= SCREENING_PAYS * unscreened { UNSCREENED } else { UNSCREENED_IN_DOUBT }
    }
}

/// Why an order was asked.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// To start from, if it is better than what there is.
    Start,
    /// To go on from, whatever it costs.
    Jump,
    /// For its noise.
    Again,
    /// As a move from the order of that version and cost.
    Step { sort: usize, step: Move, version: u64, cost: f64, is_screened: bool },
}

#[derive(Debug)]
struct Plan {
    order: Vec<usize>,
    reason: Reason,
}

#[derive(Debug)]
struct State {
    rng: ChaCha8Rng,
    order: Vec<usize>,
    ranks: Vec<usize>,
    /// None until an order has been valued.
    cost: Option<f64>,
    /// How often the order has become another.
    version: u64,
    best: Option<(Vec<usize>, f64)>,
    /// What was asked and not yet learned from.
    plans: VecDeque<Plan>,
    /// Answers learned from.
    learned: usize,
    starts: usize,
    asked: Asked,
    arms: Arms,
    model: Model,
    screening: Screening,
    annealing: Annealing,
    is_noisy: bool,
    /// What the order that was asked a second time, to see whether values are noisy, had cost at first.
    checked: Option<f64>,
    estimates: Estimates,
}

impl State {
    fn new(settings: &OptimizerSettings, items: usize, known: Option<&(Vec<usize>, f64)>) -> Self {
        let mut state = Self {
            rng: ChaCha8Rng::seed_from_u64(settings.seed),
            order: (0..items).collect(),
            ranks: (0..items).collect(),
            cost: None,
            version: 0,
            best: None,
            plans: VecDeque::new(),
            learned: 0,
            starts: 0,
            asked: Asked::default(),
            arms: Arms::new(),
            model: Model::new(items),
            screening: Screening { successes: [0.0, TRUST] },
            annealing: Annealing::new(settings.evaluations, items),
            is_noisy: settings.noise == Noisy::Yes,
            checked: None,
            estimates: Estimates::default(),
        };
        if let Some((order, cost)) = known {
            state.take(order, *cost, settings);
        }
        state
    }

    /// Goes on from an order whose cost is known.
    fn take(&mut self, order: &[usize], cost: f64, settings: &OptimizerSettings) {
        self.asked.insert(&order[..settings.top.unwrap_or(order.len())]);
        self.go_to(order.to_vec(), cost);
    }

    fn go_to(&mut self, order: Vec<usize>, cost: f64) {
        self.order = order;
        self.order.iter().enumerate().for_each(|(rank, &item)| self.ranks[item] = rank);
        self.cost = Some(cost);
        self.version += 1;
        if self.best.as_ref().is_none_or(|(_, least)| cost < *least) {
            self.best = Some((self.order.clone(), cost));
        }
    }

    /// Learns from all answers that the next proposal may depend on, and from no other.
    fn learn(&mut self, costs: &[Option<f64>], proposed: usize, window: usize) {
        while self.learned + window <= proposed
            && let (Some(&cost), Some(plan)) = (costs.get(self.learned), self.plans.pop_front())
        {
            self.learned += 1;
            match (cost, plan.reason) {
                (Some(cost), _) => self.learn_from(plan, cost),
                (None, Reason::Step { sort, .. }) => self.arms.tell(sort, false),
                (None, _) => {}
            }
        }
    }

    fn learn_from(&mut self, plan: Plan, cost: f64) {
        let is_again = matches!(plan.reason, Reason::Again);
        if is_again && !self.is_noisy {
            self.is_noisy = self.checked != Some(cost);
        }
        if self.is_noisy {
            let found = self.estimates.tell(&plan.order, cost, is_again);
            if is_again {
                if let Some(mean) = found.filter(|_| plan.order == self.order) {
                    self.cost = Some(mean);
                }
                return;
            }
        }
        match plan.reason {
            Reason::Again => {}
            Reason::Jump => self.go_to(plan.order, cost),
            Reason::Start => {
                if self.cost.is_none_or(|present| cost < present) {
                    self.go_to(plan.order, cost);
                }
            }
            Reason::Step { sort, step, version, cost: from, is_screened } => {
                let change = cost - from;
                self.screening.tell(is_screened, change < 0.0);
                self.arms.tell(sort, change < 0.0);
                self.annealing.note(change);
                let scale = self.annealing.scale();
                if scale > 0.0 && change.is_finite() {
                    let noise = if self.is_noisy { self.estimates.variance() / (scale * scale) } else { 0.0 };
                    if version == self.version {
                        self.model.learn(&self.order, step, change / scale, noise);
                    } else {
                        let mut origin = plan.order.clone();
                        step.inverse().apply(&mut origin);
                        self.model.learn(&origin, step, change / scale, noise);
                    }
                }
                let worse = cost - self.cost.unwrap_or(f64::INFINITY);
                let temperature = self.annealing.temperature(self.learned as u64);
                if worse <= 0.0 || (temperature > 0.0 && self.rng.random::<f64>() < exp(-worse / temperature))
                {
                    self.go_to(plan.order, cost);
                }
            }
        }
    }

    /// The next order to ask about; none if all have been asked.
    fn propose(&mut self, settings: &OptimizerSettings, constraints: &Constraints) -> Option<Vec<usize>> {
        let top = settings.top.unwrap_or(self.order.len());
        let plan = self.plan(settings, constraints, top)?;
        let order = plan.order.clone();
        self.plans.push_back(plan);
        Some(order)
    }

    fn plan(&mut self, settings: &OptimizerSettings, constraints: &Constraints, top: usize) -> Option<Plan> {
        while let Some(order) = settings.starts.get(self.starts) {
            self.starts += 1;
            if self.asked.insert(&order[..top]) {
                return Some(Plan { order: order.clone(), reason: Reason::Start });
            }
        }
        let Some(cost) = self.cost else {
            // Until there is a value, any order is as good as another.
            let order = self.unasked(top, |rng, _| constraints.random_order(rng));
            let order = order.or_else(|| self.asked.next_of_all(constraints, top))?;
            return Some(Plan { order, reason: Reason::Start });
        };
        if let Some(order) = self.again(settings) {
            return Some(Plan { order, reason: Reason::Again });
        }
        let family = self.model.best();
        let mut order = Vec::with_capacity(self.order.len());
        for tried in 0..MOST_TRIES {
            let is_screened = tried < SCREENED_TRIES
                && family.is_some()
                && self.rng.random::<f64>() >= self.screening.unscreened();
            let drawn = match family {
                Some(family) if is_screened => self.screened(family, constraints, top),
                _ => self.arms.draw(&self.order, &self.ranks, constraints, top, &mut self.rng),
            };
            let Some((sort, step)) = drawn else { continue };
            order.clone_from(&self.order);
            step.apply(&mut order);
            if self.asked.insert(&order[..top]) {
                return Some(Plan {
                    order,
                    reason: Reason::Step { sort, step, version: self.version, cost, is_screened },
                });
            }
        }
        // The neighborhood is exhausted: somewhere else, then.
        let kicked = self.unasked(top, |rng, best| kicked_within(best, constraints, rng));
        let random = kicked.or_else(|| self.unasked(top, |rng, _| constraints.random_order(rng)));
        let order = random.or_else(|| self.asked.next_of_all(constraints, top));
        if order.is_none() && self.is_noisy {
            // All orders have been asked; what remains is how good the best of them are.
            return self.estimates.doubtful().map(|order| Plan { order, reason: Reason::Again });
        }
        Some(Plan { order: order?, reason: Reason::Jump })
    }

    /// An order to ask again because its value is noisy, or because nobody knows whether it is.
    fn again(&mut self, settings: &OptimizerSettings) -> Option<Vec<usize>> {
        if settings.noise == Noisy::Detect
            && self.checked.is_none()
            && let Some((order, cost)) = &self.best
        {
            self.checked = Some(*cost);
            return Some(order.clone());
        }
        let is_time = self.is_noisy && self.rng.random::<f64>() < estimates::SHARE;
        if is_time { self.estimates.doubtful() } else { None }
    }

    /// The most promising of a few random moves.
    fn screened(&mut self, family: usize, constraints: &Constraints, top: usize) -> Option<(usize, Move)> {
        let mut best: Option<(f32, (usize, Move))> = None;
        for _ in 0..SCREENED {
            let Some(drawn) = self.arms.draw(&self.order, &self.ranks, constraints, top, &mut self.rng)
            else {
                continue;
            };
            if let Some(change) = self.model.predict(family, &self.order, drawn.1)
                && best.is_none_or(|(least, _)| change < least)
            {
                best = Some((change, drawn));
            }
        }
        best.map(|(_, drawn)| drawn)
    }

    /// One of a few such orders that has not been asked, noted as asked.
    fn unasked(
        &mut self,
        top: usize,
        make: impl Fn(&mut ChaCha8Rng, &[usize]) -> Vec<usize>,
    ) -> Option<Vec<usize>> {
        (0..KICKS).find_map(|_| {
            let from = self.best.as_ref().map_or(&self.order, |(best, _)| best);
            let order = make(&mut self.rng, from);
            self.asked.insert(&order[..top]).then_some(order)
        })
    }
}
