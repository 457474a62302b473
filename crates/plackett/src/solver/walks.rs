//! The engine of local refinement: several walks from order to order, each a chain of kicks and descents.
//!
//! Walks go in rounds. What a walk does in a round is a function of the seed, the round and where the walk stands, so rounds
//! can be made side by side on any number of threads, and a run can be saved between them and resumed exactly.

use std::sync::{Mutex, PoisonError};

use rand::{RngExt as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use serde::{Deserialize, Serialize};

use crate::{
    constraints::Constraints,
    elementary::exp,
    error::{Error, check_length, check_setting},
    moves::MoveKind,
    neighborhood::{Kept, Neighborhood, Queue, improve_within, is_gain, kicked_within, queue_all},
    noise::Noise,
    order::Order,
    parallel,
    problem::Problem,
    run::{Ending, Limits, Run, Trace},
};

/// A walk that has found nothing better for so many times as long as it took to get where it is, and for at least so many rounds,
/// starts anew from a random order. One that is cooled again and again, twice as long each time, is given two coolings.
const IDLE_TIMES: u64 = 4;
const IDLE_ROUNDS: u64 = 20;

/// Where the random streams begin for what is left of a round; those of restarts begin at half of all.
const REST_STREAM: u64 = u64::MAX / 4;

/// Which moves the walks make.
///
/// ```
/// use plackett::solver::MoveSet;
/// assert_eq!(MoveSet::default(), MoveSet::Own);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
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
/// use plackett::solver::WalkSettings;
/// let settings = WalkSettings { seed: 7, ..WalkSettings::default() };
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
/// use plackett::{problem::Problem, run::{Limits, Run, Trace}, solver::{WalkSettings, Walks}};
/// /// Large items belong at the front.
/// struct Backwards;
/// impl Problem for Backwards {
///     fn items(&self) -> usize { 5 }
///     fn value(&self, order: &[usize]) -> f64 { order.iter().zip(0u32..).map(|(&i, r)| i as f64 * f64::from(r)).sum() }
/// }
/// let mut walks = Walks::new(&Backwards, None, WalkSettings::default())?;
/// walks.run(&Backwards, &Run::new(Limits::evaluations(1000)), &mut Trace::default())?;
/// assert_eq!(walks.best().unwrap().0, [4, 3, 2, 1, 0]);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Walks {
    settings: WalkSettings,
    constraints: Constraints,
    /// As they stood after the last whole round: one that was cut short is made again, in full, when the run goes on.
    walkers: Vec<Walk>,
    /// Whether the first walk starts from what the problem constructs.
    is_constructing: bool,
    rounds: u64,
    evaluations: u64,
    /// The best so far, of rounds that were cut short too.
    best: Option<(Vec<usize>, f64)>,
    /// Evaluations of the last round, if it was cut short.
    #[serde(skip)]
    cut_short: u64,
}

/// No run comes so far; a state that says so is not believed.
#[cfg(feature = "json")]
const MOST_COUNTED: u64 = 1 << 53;

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
struct Round<'a, 'r> {
    problem: &'a dyn Problem,
    constraints: &'a Constraints,
    moves: MoveSet,
    target: Option<f64>,
    /// All walks as they stood before the round, to mix with.
    others: &'a [Walk],
    is_constructing: bool,
    seed: u64,
    run: &'a Run<'r>,
    news: &'a Mutex<News>,
}

/// What a walk may do in a round.
struct Share {
    /// Where it stops after the present descent.
    evaluations: u64,
    /// Where it stops even in the middle of a descent.
    most_evaluations: u64,
}

/// What the walks of a round have told of so far.
struct News {
    evaluations: u64,
    best: Option<f64>,
}

/// Kicks of a walk after which it tells of its evaluations, even if it has found nothing better.
const QUIET_KICKS: u64 = 256;

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
    /// use plackett::{Constraints, problem::Problem, run::{Limits, Run, Trace}, solver::{WalkSettings, Walks}};
    /// struct Backwards;
    /// impl Problem for Backwards {
    ///     fn items(&self) -> usize { 5 }
    ///     fn value(&self, order: &[usize]) -> f64 { order.iter().zip(0u32..).map(|(&i, r)| i as f64 * f64::from(r)).sum() }
    /// }
    /// let constraints = Constraints::new(5, &[(0, 4)], &[(2, 1)])?;
    /// let mut walks = Walks::within(&Backwards, constraints, None, WalkSettings::default())?;
    /// walks.run(&Backwards, &Run::new(Limits::evaluations(1000)), &mut Trace::default())?;
    /// assert_eq!(walks.best().unwrap().0, [3, 2, 0, 4, 1]);
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
        check_length("the constraints", constraints.items(), problem.items())?;
        if let Some(start) = start {
            constraints.check(start)?;
        }
        let mut noise = Noise::new(settings.seed);
        let mut walkers = Vec::with_capacity(settings.walks);
        for index in 0..settings.walks {
            let order = match start {
                Some(start) => start.to_vec(),
                None => constraints.random_order(noise.stream(index as u64)),
            };
            walkers.push(Walk::new(order));
        }
        Ok(Self {
            settings,
            is_constructing: start.is_none() && constraints.is_free(),
            constraints,
            walkers,
            rounds: 0,
            evaluations: 0,
            best: None,
            cut_short: 0,
        })
    }

    /// Rounds until a limit is reached or the run is over. A step is a round.
    ///
    /// Evaluations are counted in orders valued, whether whole or by what a move changes. A limit on them, which is never exceeded,
    /// cuts the last round short, and so does the end of the run. What a problem [constructs](Problem::construct) to start from is
    /// counted as one order; a call of [`value`](Problem::value) at the beginning of a round and one for the best order at its end count as none.
    ///
    /// # Errors
    /// Another problem than the one that the walks were made for.
    pub fn run(&mut self, problem: &dyn Problem, run: &Run<'_>, trace: &mut Trace) -> Result<Ending, Error> {
        run.repeat(|| {
            let start = run.seconds();
            let ending = self.step(problem, run)?;
            let best = self.best().map(|(_, value)| value);
            trace.spend(run.seconds() - start, self.evaluations(), best);
            run.note(self.evaluations(), best);
            Ok(ending)
        })
    }

    /// One round; or how the run ends, if it does. A round that is cut short counts for [`best`](Self::best) and for
    /// [`evaluations`](Self::evaluations), but the walks stand where they stood before it: a run that goes on, or that is saved
    /// and resumed, makes it again in full, and so takes the same way as one that was never cut short.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn step(&mut self, problem: &dyn Problem, run: &Run<'_>) -> Result<Option<Ending>, Error> {
        check_length("the problem", problem.items(), self.constraints.items())?;
        self.cut_short = 0;
        let limits = run.limits();
        let is_at_target = |best: Option<(&[usize], f64)>| match (limits.target, best) {
            (Some(target), Some((_, value))) => problem.sense().reaches(value, target),
            _ => false,
        };
        if is_at_target(self.best()) {
            return Ok(Some(Ending::Target));
        }
        if limits.evaluations.is_some_and(|most| self.evaluations >= most) {
            return Ok(Some(Ending::Evaluations));
        }
        if let Some(ending) = run.over() {
            return Ok(Some(ending));
        }
        let left = limits.evaluations.map_or(u64::MAX, |most| most - self.evaluations);
        let is_whole = self.round(problem, left, run);
        if is_at_target(self.best()) {
            return Ok(Some(Ending::Target));
        }
        Ok((!is_whole).then(|| run.over().unwrap_or(Ending::Evaluations)))
    }

    /// False if it was cut short.
    fn round(&mut self, problem: &dyn Problem, left: u64, run: &Run<'_>) -> bool {
        let usual = problem.round_evaluations();
        let count = self.walkers.len() as u64;
        // A last round that is cut short takes along what would be left after it, and is shared by no more walks than get
        // somewhere with their shares; the first ones take what is over.
        let is_last = left / count < 2 * usual;
        let active = if is_last { (left / usual).clamp(1, count) } else { count };
        let first_stream = (self.rounds + 1) * count;
        let news = Mutex::new(News {
            evaluations: run.progress().evaluations,
            best: self.best.as_ref().map(|(_, value)| problem.sense().cost(*value)),
        });
        let mut round = Round {
            problem,
            constraints: &self.constraints,
            moves: self.settings.moves,
            target: run.limits().target.map(|target| problem.sense().cost(target)),
            others: &self.walkers,
            is_constructing: self.is_constructing && self.rounds == 0,
            seed: self.settings.seed,
            run,
            news: &news,
        };
        let walking = &self.walkers[..usize::try_from(active).unwrap_or(usize::MAX)];
        let mut made = round.go_on(walking, left, (!is_last).then_some(usual), first_stream);
        let since = |made: &[(Walk, bool)]| {
            made.iter().zip(walking).map(|((new, _), old)| new.evaluations - old.evaluations).sum::<u64>()
        };
        // A walk whose part of what is left did not suffice leaves the rest to all.
        let rest = left - since(&made);
        if !is_last && rest > 0 && made.iter().any(|(_, is_whole)| !is_whole) && !run.is_over() {
            round.is_constructing = false;
            let walks: Vec<Walk> = made.iter().map(|(walk, _)| walk.clone()).collect();
            made = round.go_on(&walks, rest, None, REST_STREAM + first_stream);
        }
        let evaluations = since(&made);
        for (walk, _) in &made {
            let Some(costs) = walk.costs else { continue };
            let value = problem.sense().cost(costs.best);
            if self.best.as_ref().is_none_or(|(_, best)| problem.sense().is_better(value, *best)) {
                // Valued afresh, without what many small changes have added up to in rounding.
                self.best = Some((walk.best.clone(), problem.value(&walk.best)));
            }
        }
        if !made.iter().all(|(_, is_whole)| *is_whole) {
            self.cut_short = evaluations;
            return false;
        }
        self.walkers = made.into_iter().map(|(walk, _)| walk).collect();
        self.evaluations += evaluations;
        self.rounds += 1;
        self.restart_idle(usual);
        true
    }

    /// Starts walks anew that get nowhere.
    fn restart_idle(&mut self, usual: u64) {
        let mut noise = Noise::new(self.settings.seed);
        let first_stream = u64::MAX / 2 + self.rounds * self.walkers.len() as u64;
        for (stream, walk) in (first_stream..).zip(&mut self.walkers) {
            let idle = walk.evaluations - walk.found_after;
            if idle > (IDLE_TIMES * walk.found_after).max(IDLE_ROUNDS * usual) {
                *walk = Walk::new(self.constraints.random_order(noise.stream(stream)));
            }
        }
    }

    /// Whether the parts of a saved state fit each other and orders of so many items.
    #[cfg(feature = "json")]
    pub(super) fn is_sound(&self, items: usize) -> bool {
        let is_order =
            |order: &Vec<usize>| order.len() == items && crate::order::check_distinct(order, items).is_ok();
        let walk_fits = |walk: &Walk| {
            is_order(&walk.order)
                && is_order(&walk.best)
                && walk.found_after <= walk.evaluations
                && walk.evaluations <= MOST_COUNTED
        };
        self.settings.walks > 0
            && self.evaluations <= MOST_COUNTED
            && self.settings.walks == self.walkers.len()
            && self.constraints.items() == items
            && self.walkers.iter().all(walk_fits)
            && self.best.iter().all(|(order, value)| is_order(order) && value.is_finite())
    }

    /// The best order so far and its value; none before the first round.
    pub fn best(&self) -> Option<(&[usize], f64)> {
        self.best.as_ref().map(|(order, value)| (order.as_slice(), *value))
    }

    /// Orders valued so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations + self.cut_short
    }
}

impl Walk {
    fn new(order: Vec<usize>) -> Self {
        Self { best: order.clone(), order, costs: None, evaluations: 0, found_after: 0 }
    }

    /// Kicks and descents until the evaluations are made. False if it had to stop in the middle of a descent, or the run is
    /// over.
    fn round(&mut self, round: &Round<'_, '_>, share: &Share, index: usize, rng: &mut ChaCha8Rng) -> bool {
        if index > 0 && round.run.is_over() {
            return false; // the first walk sees to it that there is at least one order
        }
        if round.is_constructing
            && index == 0
            && let Some(order) = round.problem.construct(round.run)
        {
            *self = Self::new(order);
        }
        let mut walk = round.problem.neighborhood();
        let mut queue = Queue::new(self.order.len());
        let before = walk.evaluations();
        let run = &round.run.part(Limits::evaluations(before.saturating_add(share.most_evaluations)));
        walk.set_order(&self.order);
        let mut kept = Kept { order: std::mem::take(&mut self.order), best: std::mem::take(&mut self.best) };
        let is_new = self.costs.is_none();
        if is_new {
            let mut items: Vec<usize> = (0..kept.order.len()).collect();
            items.shuffle(rng);
            items.into_iter().for_each(|item| queue.push(item));
            round.improve(walk.as_mut(), &mut queue, rng, run);
            self.found_after = walk.evaluations() - before;
        }
        walk.keep(&mut kept, is_new);
        let mut costs = self.costs.unwrap_or(Costs { current: walk.cost(), best: walk.cost() });
        let temperature = walk.temperature(self.evaluations / round.problem.round_evaluations());
        let mixing = if round.is_own() { walk.mixing() } else { 0.0 };
        let is_done = |cost: f64| round.target.is_some_and(|target| cost <= target);
        let (mut kicks, mut told) = (0, 0);
        while walk.evaluations() - before < share.evaluations && !is_done(costs.best) && !run.is_over() {
            if kicks % QUIET_KICKS == 0 {
                let made = walk.evaluations() - before;
                round.tell(made - told, costs.best);
                told = made;
            }
            kicks += 1;
            let partner =
                if mixing > 0.0 && rng.random::<f64>() < mixing { round.partner(rng) } else { None };
            if let Some(other) = partner {
                let mixed = walk.mixed(&other.best, rng);
                walk.set_order(&mixed);
                (0..mixed.len()).for_each(|item| queue.push(item));
            } else {
                round.kick(walk.as_mut(), &mut queue, rng, run);
            }
            round.improve(walk.as_mut(), &mut queue, rng, run);
            let cost = walk.cost();
            let is_best = is_gain(cost - costs.best, costs.best);
            if is_best {
                costs.best = cost;
                self.found_after = self.evaluations + walk.evaluations() - before;
            }
            let worse = cost - costs.current;
            let is_kept =
                worse <= 0.0 || (temperature > 0.0 && rng.random::<f64>() < exp(-worse / temperature));
            if is_best || is_kept {
                costs.current = cost;
                walk.keep(&mut kept, is_best);
            } else if walk.left(run) > 0 {
                walk.go_back(&kept);
            }
        }
        walk.write_down(&mut kept);
        (self.order, self.best) = (kept.order, kept.best);
        self.costs = Some(costs);
        self.evaluations += walk.evaluations() - before;
        !walk.is_over(run)
    }
}

impl Round<'_, '_> {
    /// Lets walks go on, each for the usual evaluations, or until all that are left are made if it is to be the last time; and
    /// whether they got there before their part of what is left was used up.
    fn go_on(&self, walks: &[Walk], left: u64, usual: Option<u64>, first_stream: u64) -> Vec<(Walk, bool)> {
        let count = walks.len() as u64;
        parallel::map(walks, |index, walk| {
            let most = left / count + u64::from((index as u64) < left % count);
            let share = Share { evaluations: usual.unwrap_or(most), most_evaluations: most };
            let mut walk = walk.clone();
            let rng = &mut Noise::new(self.seed);
            let is_whole = walk.round(self, &share, index, rng.stream(first_stream + index as u64));
            (walk, is_whole && usual.is_some())
        })
    }

    /// Tells the run of evaluations made and of what a walk has found.
    fn tell(&self, evaluations: u64, cost: f64) {
        let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        news.evaluations += evaluations;
        news.best = Some(news.best.map_or(cost, |best| best.min(cost)));
        self.run.note(news.evaluations, news.best.map(|cost| self.problem.sense().cost(cost)));
    }

    fn is_own(&self) -> bool {
        self.moves == MoveSet::Own && self.constraints.is_free()
    }

    /// A random walk to mix with, unless it has not been anywhere yet.
    fn partner(&self, rng: &mut ChaCha8Rng) -> Option<&Walk> {
        let walk = &self.others[rng.random_range(0..self.others.len())];
        walk.costs.is_some().then_some(walk)
    }

    fn kick(&self, walk: &mut dyn Neighborhood, queue: &mut Queue, rng: &mut ChaCha8Rng, run: &Run<'_>) {
        if self.is_own() {
            walk.kick(queue, rng, run);
        } else {
            let order = kicked_within(walk.order(), self.constraints, rng);
            walk.set_order(&order);
            queue_all(order.len(), queue, rng);
        }
    }

    fn improve(&self, walk: &mut dyn Neighborhood, queue: &mut Queue, rng: &mut ChaCha8Rng, run: &Run<'_>) {
        if self.is_own() {
            walk.improve(queue, rng, run);
            // A descent that ended early leaves items behind.
            while queue.pop().is_some() {}
            return;
        }
        let kinds = match self.moves {
            MoveSet::Own => walk.kinds(),
            MoveSet::Insertion => &[MoveKind::Insert],
        };
        // Insertions cannot cross a pin or the end of a window, exchanges can.
        let with_swaps = [kinds, &[MoveKind::Swap]].concat();
        let kinds = if self.constraints.has_ranks() && !kinds.contains(&MoveKind::Swap) {
            &with_swaps
        } else {
            kinds
        };
        while let Some(item) = queue.pop() {
            while !walk.is_over(run) && improve_within(walk, kinds, Some(self.constraints), item, queue, run)
            {
            }
        }
    }
}
