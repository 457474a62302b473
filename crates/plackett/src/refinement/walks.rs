//! The engine of local refinement: several walks from order to order, each a chain of kicks and descents.
//!
//! Walks go in rounds. What a walk does in a round is a function of the seed, the round and where the walk stands, so rounds
//! can be made side by side on any number of threads, and a run can be saved between them and resumed exactly.

use std::{ops::ControlFlow, time::Instant};

use rand::{RngExt as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Neighborhood, Queue, descent};
use crate::{
    constrained::ConstrainedPlackettLuce,
    constraints::Constraints,
    error::{Error, check_setting},
    noise::Noise,
    order::{Order, check_distinct},
    problem::Problem,
    refinement::MoveKind,
    run::{Ending, Limits, Trace},
};

/// Evaluations of a walk in a round, and per pair of items where those are many.
const ROUND_EVALUATIONS: u64 = 200_000;
const ROUND_EVALUATIONS_PER_PAIR: u64 = 10;

/// A walk that has found nothing better for as long as it took to get where it is, and for at least so many rounds, starts
/// anew from a random order.
const IDLE_ROUNDS: u64 = 20;

/// Which moves the walks make.
///
/// ```
/// assert_eq!(plackett::MoveSet::default(), plackett::MoveSet::Own);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MoveSet {
    /// Those that the problem has for itself.
    #[default]
    Own,
    /// Insertions alone, whatever the problem.
    Insertion,
}

/// How the walks are made.
///
/// ```
/// let settings = plackett::WalkSettings { seed: 7, ..plackett::WalkSettings::default() };
/// assert_eq!(settings.walks, 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkSettings {
    /// How many walks there are, whatever the number of threads.
    pub walks: usize,
    /// Which moves they make.
    pub moves: MoveSet,
    /// The seed of all randomness.
    pub seed: u64,
}

impl Default for WalkSettings {
    fn default() -> Self {
        Self { walks: 8, moves: MoveSet::Own, seed: 0 }
    }
}

/// Local refinement of a problem by several walks.
///
/// ```
/// use plackett::{Limits, LinearOrdering, Problem, Trace, WalkSettings, Walks};
/// use std::ops::ControlFlow;
/// // Items belong in the order 4, 3, 2, 1, 0.
/// let matrix = (0..25).map(|at| f64::from(u8::from(at / 5 > at % 5))).collect();
/// let problem = LinearOrdering::new("backwards", 5, matrix)?;
/// let mut walks = Walks::new(&problem, None, WalkSettings::default())?;
/// let limits = Limits { evaluations: Some(1000), ..Limits::default() };
/// walks.run(&problem, &limits, &mut Trace::default(), |_| ControlFlow::Continue(()))?;
/// assert_eq!(walks.best().unwrap().0, [4, 3, 2, 1, 0]);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Walks {
    settings: WalkSettings,
    constraints: Constraints,
    walkers: Vec<Walk>,
    rounds: u64,
    evaluations: u64,
    best: Option<(Vec<usize>, f64)>,
    /// What a last round found that was cut short: it is made again, in full, when the run is resumed.
    #[serde(skip)]
    cut_short: Option<CutShort>,
}

#[derive(Clone, Debug)]
struct CutShort {
    evaluations: u64,
    best: Option<(Vec<usize>, f64)>,
}

/// One walk: where it stands and the best it has met since it last started anew.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Walk {
    order: Vec<usize>,
    best: Vec<usize>,
    /// None until the first descent.
    costs: Option<Costs>,
    evaluations: u64,
    /// Evaluations until its best.
    found_after: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Costs {
    current: f64,
    best: f64,
}

/// What holds for all walks of a round.
struct Round<'a> {
    problem: &'a dyn Problem,
    constraints: &'a Constraints,
    moves: MoveSet,
    target: Option<f64>,
    evaluations: u64,
    /// All walks as they stood before the round, to mix with.
    others: &'a [Walk],
    /// Where a walk stops even in the middle of a descent.
    most_evaluations: u64,
}

impl Walks {
    /// Walks that start from a given order, or else from one that the problem constructs and from random ones.
    ///
    /// # Errors
    /// No walks, or a start that is no order of the problem's items.
    pub fn new(problem: &dyn Problem, start: Option<&Order>, settings: WalkSettings) -> Result<Self, Error> {
        Self::within(problem, Constraints::none(problem.items()), start, settings)
    }

    /// The same for orders that keep constraints.
    ///
    /// ```
    /// use plackett::{Constraints, Limits, LinearOrdering, Trace, WalkSettings, Walks};
    /// use std::ops::ControlFlow;
    /// let matrix = (0..25).map(|at| f64::from(u8::from(at / 5 > at % 5))).collect();
    /// let problem = LinearOrdering::new("backwards", 5, matrix)?;
    /// let constraints = Constraints::new(5, &[(0, 4)], &[(2, 1)])?;
    /// let mut walks = Walks::within(&problem, constraints, None, WalkSettings::default())?;
    /// let limits = Limits { evaluations: Some(1000), ..Limits::default() };
    /// walks.run(&problem, &limits, &mut Trace::default(), |_| ControlFlow::Continue(()))?;
    /// assert_eq!(walks.best().unwrap().0, [3, 2, 1, 0, 4]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// No walks, constraints on another number of items, or a start that breaks them.
    pub fn within(
        problem: &dyn Problem,
        constraints: Constraints,
        start: Option<&Order>,
        settings: WalkSettings,
    ) -> Result<Self, Error> {
        check_setting("walks", settings.walks as f64, settings.walks > 0, "at least 1 is needed")?;
        crate::error::check_length("the constraints", constraints.items(), problem.items())?;
        if let Some(start) = start {
            constraints.check(start)?;
        }
        let mut noise = Noise::new(settings.seed);
        let mut walkers = Vec::with_capacity(settings.walks);
        for index in 0..settings.walks {
            let own = if index == 0 && constraints.is_free() { problem.construct() } else { None };
            let order = match start.map(|start| start.to_vec()).or(own) {
                Some(order) => order,
                None => random_order(&constraints, noise.stream(index as u64))?,
            };
            walkers.push(Walk::new(order));
        }
        Ok(Self { settings, constraints, walkers, rounds: 0, evaluations: 0, best: None, cut_short: None })
    }

    /// Rounds until it is time to stop. The observer is called after each of them and may end the run.
    ///
    /// Evaluations are counted in orders valued, whether whole or by what a move changes. A limit on them cuts the last round
    /// short; the saved state has whole rounds only, so that a resumed run is the run that was never interrupted.
    ///
    /// # Errors
    /// Another problem than the one that the walks were made for.
    pub fn run(
        &mut self,
        problem: &dyn Problem,
        limits: &Limits,
        trace: &mut Trace,
        mut observe: impl FnMut(&Self) -> ControlFlow<()>,
    ) -> Result<Ending, Error> {
        crate::error::check_length("the problem", problem.items(), self.constraints.items())?;
        let (start, spent) = (Instant::now(), trace.seconds());
        self.cut_short = None;
        loop {
            let is_done =
                |value: f64| limits.target.is_some_and(|target| !problem.sense().is_better(target, value));
            if self.best().is_some_and(|(_, value)| is_done(value)) {
                return Ok(Ending::Target);
            }
            if limits.evaluations.is_some_and(|most| self.evaluations() >= most) || self.cut_short.is_some() {
                return Ok(Ending::Evaluations);
            }
            if limits.time.is_some_and(|most| start.elapsed() >= most) {
                return Ok(Ending::Time);
            }
            let left = limits.evaluations.map_or(u64::MAX, |most| most - self.evaluations);
            self.round(problem, left, limits.target)?;
            let seconds = spent + start.elapsed().as_secs_f64();
            match self.best() {
                Some((_, value)) => trace.note(self.evaluations(), seconds, value),
                None => trace.spend(seconds),
            }
            if observe(self).is_break() {
                return Ok(Ending::Interrupted);
            }
        }
    }

    fn round(&mut self, problem: &dyn Problem, left: u64, target: Option<f64>) -> Result<(), Error> {
        let pairs = (problem.items() * problem.items()) as u64;
        let usual = ROUND_EVALUATIONS.max(ROUND_EVALUATIONS_PER_PAIR * pairs);
        let count = self.walkers.len() as u64;
        // A last round that is cut short takes along what would be left after it, and is shared by no more walks than get
        // somewhere with their shares; the first ones take what is over.
        let is_last = left / count < 2 * usual;
        let active = if is_last { (left / usual).clamp(1, count) } else { count };
        let share = |index: usize| left / active + u64::from((index as u64) < left % active);
        let (seed, first_stream) = (self.settings.seed, (self.rounds + 1) * count);
        let made: Vec<(Walk, bool)> = self
            .walkers
            .par_iter()
            .enumerate()
            .take(usize::try_from(active).unwrap_or(usize::MAX))
            .map(|(index, walk)| {
                let round = Round {
                    problem,
                    constraints: &self.constraints,
                    moves: self.settings.moves,
                    target: target.map(|target| problem.sense().cost(target)),
                    others: &self.walkers,
                    evaluations: if is_last { share(index) } else { usual },
                    most_evaluations: share(index),
                };
                let mut walk = walk.clone();
                let is_whole = walk.round(&round, Noise::new(seed).stream(first_stream + index as u64));
                (walk, is_whole && !is_last)
            })
            .collect();
        let evaluations = made
            .iter()
            .zip(&self.walkers)
            .map(|((new, _), old)| new.evaluations - old.evaluations)
            .sum::<u64>();
        let mut best = self.best.clone();
        for (walk, _) in &made {
            let Some(costs) = walk.costs else { continue };
            let value = problem.sense().cost(costs.best);
            if best.as_ref().is_none_or(|(_, best)| problem.sense().is_better(value, *best)) {
                // Valued afresh, without what many small changes have added up to in rounding.
                best = Some((walk.best.clone(), problem.value(&walk.best)));
            }
        }
        if made.iter().all(|(_, is_whole)| *is_whole) {
            self.walkers = made.into_iter().map(|(walk, _)| walk).collect();
            self.best = best;
            self.evaluations += evaluations;
            self.rounds += 1;
            self.restart_idle(usual)?;
        } else {
            self.cut_short = Some(CutShort { evaluations, best });
        }
        Ok(())
    }

    /// Starts walks anew that get nowhere.
    fn restart_idle(&mut self, usual: u64) -> Result<(), Error> {
        let mut noise = Noise::new(self.settings.seed);
        let first_stream = u64::MAX / 2 + self.rounds * self.walkers.len() as u64;
        for (stream, walk) in (first_stream..).zip(&mut self.walkers) {
            let idle = walk.evaluations - walk.found_after;
            if idle > walk.found_after.max(IDLE_ROUNDS * usual) {
                *walk = Walk::new(random_order(&self.constraints, noise.stream(stream))?);
            }
        }
        Ok(())
    }

    /// Whether the parts of a saved state fit each other and orders of so many items.
    pub(crate) fn is_sound(&self, items: usize) -> bool {
        let is_order = |order: &Vec<usize>| order.len() == items && check_distinct(order, items).is_ok();
        let walk_fits = |walk: &Walk| {
            is_order(&walk.order) && is_order(&walk.best) && walk.found_after <= walk.evaluations
        };
        self.settings.walks > 0
            && self.settings.walks == self.walkers.len()
            && self.constraints.items() == items
            && self.walkers.iter().all(walk_fits)
            && self.best.iter().all(|(order, value)| is_order(order) && value.is_finite())
    }

    /// The best order so far and its value; none before the first round.
    pub fn best(&self) -> Option<(&[usize], f64)> {
        let best = self.cut_short.as_ref().map_or(&self.best, |last| &last.best);
        best.as_ref().map(|(order, value)| (order.as_slice(), *value))
    }

    /// Orders valued so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations + self.cut_short.as_ref().map_or(0, |last| last.evaluations)
    }
}

impl Walk {
    fn new(order: Vec<usize>) -> Self {
        Self { best: order.clone(), order, costs: None, evaluations: 0, found_after: 0 }
    }

    /// Kicks and descents until the evaluations are made. False if it had to stop in the middle of a descent.
    fn round(&mut self, round: &Round<'_>, rng: &mut ChaCha8Rng) -> bool {
        let mut walk = round.problem.neighborhood();
        let mut queue = Queue::new(self.order.len());
        walk.set_order(&self.order);
        let before = walk.evaluations();
        let most = before.saturating_add(round.most_evaluations);
        let mut costs = self.costs.unwrap_or_else(|| {
            let mut items: Vec<usize> = (0..self.order.len()).collect();
            items.shuffle(rng);
            items.into_iter().for_each(|item| queue.push(item));
            round.improve(walk.as_mut(), &mut queue, rng, most);
            self.order.copy_from_slice(walk.order());
            self.best.copy_from_slice(walk.order());
            self.found_after = walk.evaluations() - before;
            Costs { current: walk.cost(), best: walk.cost() }
        });
        let temperature = walk.temperature();
        let mixing = if round.is_own() { walk.mixing() } else { 0.0 };
        let is_done = |cost: f64| round.target.is_some_and(|target| cost <= target);
        let mut kicks = 0; // counted too: with constraints there may be nothing else to value
        while walk.evaluations() - before + kicks < round.evaluations && !is_done(costs.best) {
            kicks += 1;
            let partner =
                if mixing > 0.0 && rng.random::<f64>() < mixing { round.partner(rng) } else { None };
            if let Some(other) = partner {
                walk.set_order(&mixed(&self.order, &other.best, rng));
                (0..self.order.len()).for_each(|item| queue.push(item));
            } else {
                round.kick(walk.as_mut(), &mut queue, rng);
            }
            round.improve(walk.as_mut(), &mut queue, rng, most);
            let cost = walk.cost();
            if descent::is_gain(cost - costs.best, costs.best) {
                costs.best = cost;
                self.best.copy_from_slice(walk.order());
                self.found_after = self.evaluations + walk.evaluations() - before + kicks;
            }
            let worse = cost - costs.current;
            if worse <= 0.0 || (temperature > 0.0 && rng.random::<f64>() < (-worse / temperature).exp()) {
                costs.current = cost;
                self.order.copy_from_slice(walk.order());
            } else {
                walk.set_order(&self.order);
            }
        }
        self.costs = Some(costs);
        self.evaluations += walk.evaluations() - before + kicks;
        walk.evaluations() < most
    }
}

impl Round<'_> {
    fn is_own(&self) -> bool {
        self.moves == MoveSet::Own && self.constraints.is_free()
    }

    /// A random walk to mix with, unless it has not been anywhere yet.
    fn partner(&self, rng: &mut ChaCha8Rng) -> Option<&Walk> {
        let walk = &self.others[rng.random_range(0..self.others.len())];
        walk.costs.is_some().then_some(walk)
    }

    fn kick(&self, walk: &mut dyn Neighborhood, queue: &mut Queue, rng: &mut ChaCha8Rng) {
        if self.is_own() {
            walk.kick(queue, rng);
        } else {
            let order = descent::kicked_within(walk.order(), self.constraints, rng);
            walk.set_order(&order);
            descent::queue_all(order.len(), queue, rng);
        }
    }

    fn improve(&self, walk: &mut dyn Neighborhood, queue: &mut Queue, rng: &mut ChaCha8Rng, most: u64) {
        if self.is_own() {
            walk.improve(queue, rng, most);
            // A descent that ended early leaves items behind.
            while queue.pop().is_some() {}
            return;
        }
        let kinds = match self.moves {
            MoveSet::Own => walk.kinds(),
            MoveSet::Insertion => &[MoveKind::Insert],
        };
        // Insertions cannot cross a pin, exchanges can.
        let with_swaps = [kinds, &[MoveKind::Swap]].concat();
        let kinds =
            if self.constraints.has_pins() && !kinds.contains(&MoveKind::Swap) { &with_swaps } else { kinds };
        while let Some(item) = queue.pop() {
            while walk.evaluations() < most
                && descent::improve_item(walk, kinds, Some(self.constraints), item, queue)
            {}
        }
    }
}

/// One order with a random half of its items put into the order that they have in another.
fn mixed(order: &[usize], other: &[usize], rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut is_taken = vec![false; order.len()];
    order.iter().for_each(|&item| is_taken[item] = rng.random());
    let mut taken = other.iter().filter(|&&item| is_taken[item]);
    let next = |&item: &usize| if is_taken[item] { taken.next().copied().unwrap_or(item) } else { item };
    order.iter().map(next).collect()
}

/// A random order that keeps the constraints; all alike without any.
fn random_order(constraints: &Constraints, rng: &mut ChaCha8Rng) -> Result<Vec<usize>, Error> {
    if constraints.is_free() {
        let mut order: Vec<usize> = (0..constraints.items()).collect();
        order.shuffle(rng);
        return Ok(order);
    }
    let scores = vec![0.0; constraints.items()];
    Ok(ConstrainedPlackettLuce::new(&scores, constraints.clone())?.sample(rng).into_vec())
}
