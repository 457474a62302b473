//! Surrogates: sums over ranks, pairs and neighbors that predict an objective from what it was before.
//!
//! A surrogate h has an exact expectation and gradient, so that (f − h) s + ∇E h is an unbiased gradient of E f whatever h is, as long as
//! it does not depend on the sample at hand. It leaves only what h does not explain to chance.

mod features;
mod fit;
mod saved;

pub use features::Families;

use crate::{
    average::MovingAverage,
    batch::Batch,
    distribution::Distribution as _,
    error::{Error, check_finite, check_length, check_setting},
    objective::{Additive, Terms},
    order::check_distinct,
    parallel,
    plackett_luce::PlackettLuce,
    race::Expectation,
};
use features::Layout;
use fit::{Plan, Trial};
use serde::{Deserialize, Serialize};

/// Evaluations before the first fit: fewer say nothing.
const FIRST_FIT: usize = 16;
/// A richer set of features must take this much off the squared error, because its gradient costs more.
const WORTH_MORE: f64 = 0.95;
/// The squared error on m evaluations that a fit was not shown must fall by this over m to be no accident: what predicts nothing takes
/// 1/m off by its factor alone, and of the many that are tried one is the luckiest.
const LUCK: f64 = 6.0;
/// Where there are so few evaluations that all might be luck, this share of the error may be left.
const BEYOND_LUCK: f64 = 0.05;
/// Shares of what is remembered, the newest of it, that a fit may do better with than with all; the newest quarter is what it is tried on.
const NEWEST: [f64; 2] = [0.75, 0.5];
/// While less than this is left unexplained there is nothing to gain from fitting again.
const NEARLY_ALL: f64 = 1e-6;
/// The gradient of neighbors is O(Q² k²): beyond so many items it is left to who asks for it.
const MOST_ITEMS_FOR_NEIGHBORS: usize = 100;
/// Of a batch, a thread takes on so many rows at a time, each some dozens of microseconds' worth, and makes room once for them.
const ROWS_OF_THREAD: usize = 8;
/// More coefficients than this are not fitted: they and the room for them would take gigabytes.
const MOST_COEFFICIENTS: usize = 1 << 26;

/// How a [`Surrogate`] learns.
///
/// ```
/// let settings = plackett::SurrogateSettings { window: 500, ..plackett::SurrogateSettings::default() };
/// assert_eq!(settings.top, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurrogateSettings {
    /// The features that it may use; of these it takes the set that predicts best. All by default, beyond 100 items without neighbors
    /// and ends, whose gradient takes tenths of a second there.
    pub families: Option<Families>,
    /// How many evaluations it remembers.
    pub window: usize,
    /// If the objective reads the first m items of an order alone, their number. The surrogate then reads nothing else either.
    pub top: Option<usize>,
}

impl Default for SurrogateSettings {
    fn default() -> Self {
        Self { families: None, window: 10_000, top: None }
    }
}

/// A prediction h(b) of an objective, learned from its evaluations: a sum over ranks, pairs and neighbors with an exact expectation.
///
/// It remembers the last evaluations, and fits itself to them anew each time that half as many have come in. The sets of features are compared
/// by how well each predicts the newest quarter from the others, multiplied by the factor from 0 to 1 that is best there; and if none does better
/// than luck it is a constant.
///
/// ```
/// use plackett::{Noise, PlackettLuce, Surrogate};
/// let latent = PlackettLuce::new(&[0.0; 5])?;
/// let inversions = |order: &[usize]| (0..5).flat_map(|r| (0..r).map(move |s| (s, r))).filter(|&(s, r)| order[s] > order[r]).count() as f64;
/// let mut surrogate = Surrogate::new(5)?;
/// for order in latent.sample_many(100, Noise::new(0).stream(0)) {
///     surrogate.observe(&order, inversions(&order))?;
/// }
/// assert!((surrogate.value(&[4, 1, 0, 3, 2])? - inversions(&[4, 1, 0, 3, 2])).abs() < 1e-6); // a sum over pairs: learned exactly
/// let mut gradient = [0.0; 5];
/// let mean = surrogate.expectation(&latent, &mut gradient)?;
/// assert!((mean - 5.0).abs() < 1e-6 && gradient[0] < 0.0);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Surrogate {
    settings: SurrogateSettings,
    allowed: Families,
    layout: Layout,
    memory: Memory,
    model: Model,
    /// What the model leaves unexplained on average: the level of what is drawn now, for which it need not be fitted anew.
    left: MovingAverage,
    room: fit::Room,
    expectation: Expectation,
}

/// What is learned.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Model {
    families: Families,
    constant: f64,
    coefficients: Vec<f64>,
    /// Of the variance of the newest quarter, the share that was predicted.
    explained: f64,
}

/// The last evaluations, in a ring.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Memory {
    window: usize,
    /// How many items of an order are kept.
    depth: usize,
    orders: Vec<usize>,
    values: Vec<f64>,
    /// Where the oldest stands.
    oldest: usize,
    /// Evaluations ever, and how many there will be at the next fit.
    seen: u64,
    next_fit: u64,
}

impl Memory {
    fn count(&self) -> usize {
        self.values.len()
    }

    /// The place of an evaluation, counted from the oldest.
    fn place(&self, at: usize) -> usize {
        (self.oldest + at) % self.count()
    }

    fn order(&self, at: usize) -> &[usize] {
        &self.orders[self.place(at) * self.depth..][..self.depth]
    }

    fn value(&self, at: usize) -> f64 {
        self.values[self.place(at)]
    }

    fn push(&mut self, order: &[usize], value: f64) {
        let order = &order[..self.depth];
        if self.count() < self.window {
            self.orders.extend_from_slice(order);
            self.values.push(value);
        } else {
            self.orders[self.oldest * self.depth..][..self.depth].copy_from_slice(order);
            self.values[self.oldest] = value;
            self.oldest = (self.oldest + 1) % self.window;
        }
        self.seen += 1;
    }
}

impl Surrogate {
    /// A surrogate for orders of k items, zero until it has learned.
    ///
    /// # Errors
    /// No items.
    pub fn new(items: usize) -> Result<Self, Error> {
        Self::with_settings(items, SurrogateSettings::default())
    }

    /// The same with settings. Its memory is O(k²), and k for each evaluation of the window.
    ///
    /// ```
    /// use plackett::{Families, Surrogate, SurrogateSettings};
    /// // A ranking measure that reads the first five items.
    /// let surrogate = Surrogate::with_settings(100, SurrogateSettings { top: Some(5), ..SurrogateSettings::default() })?;
    /// let all = SurrogateSettings { top: Some(5), families: Some(Families::ALL), ..SurrogateSettings::default() };
    /// assert!(Surrogate::with_settings(100, all).is_err()); // pairs would read further
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// No items, a window of fewer than 16 evaluations, no or too many ranks, or with a top other features than ranks.
    pub fn with_settings(items: usize, settings: SurrogateSettings) -> Result<Self, Error> {
        if items == 0 {
            return Err(Error::Empty { what: "the surrogate's list of items" });
        }
        let window = settings.window;
        check_setting("window", window as f64, window >= FIRST_FIT, "at least 16 are needed")?;
        let depth = settings.top.unwrap_or(items);
        check_setting("top", depth as f64, (1..=items).contains(&depth), "from 1 to the number of items")?;
        let is_part = depth < items;
        let allowed = match settings.families {
            Some(families) if is_part && families.and(Families::POSITIONS) != families => {
                return Err(Error::Unsupported {
                    what: "a surrogate of the first items that reads pairs",
                    instead: "positions alone",
                });
            }
            Some(families) => families,
            None if is_part => Families::POSITIONS,
            None if items > MOST_ITEMS_FOR_NEIGHBORS => {
                Families { neighbors: false, ends: false, ..Families::ALL }
            }
            None => Families::ALL,
        };
        let count = Layout::size(items, depth, allowed);
        if count.is_none_or(|count| count > MOST_COEFFICIENTS) {
            let limit = MOST_COEFFICIENTS.isqrt() / 2;
            return Err(Error::TooManyItems { what: "a surrogate of these families", items, limit });
        }
        let fits = window.checked_mul(depth).is_some_and(|entries| entries <= MOST_COEFFICIENTS);
        check_setting("window", window as f64, fits, "so many orders do not fit into memory")?;
        let layout = Layout::new(items, depth, allowed);
        let model = Model {
            families: Families::NONE,
            constant: 0.0,
            coefficients: vec![0.0; layout.length()],
            explained: 0.0,
        };
        let memory = Memory {
            window,
            depth,
            orders: Vec::with_capacity(window * depth),
            values: Vec::with_capacity(window),
            oldest: 0,
            seen: 0,
            next_fit: FIRST_FIT.max(2 * items).min(window) as u64,
        };
        let room = fit::Room::new(&layout, window);
        let mut expectation = Expectation::new(items);
        expectation.prepare(allowed.positions, allowed.neighbors || allowed.ends);
        Ok(Self {
            settings,
            allowed,
            layout,
            memory,
            model,
            left: MovingAverage::default(),
            room,
            expectation,
        })
    }

    /// A surrogate that is known beforehand, and does not learn.
    ///
    /// ```
    /// use plackett::{Additive, Surrogate};
    /// let guess = Additive::new(3)?.with_precedences(vec![0.0, 1.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0])?;
    /// let surrogate = Surrogate::known(&guess)?;
    /// assert_eq!(surrogate.value(&[0, 2, 1])?, 3.0);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// None for an additive objective that was made; the signature is that of the others.
    pub fn known(additive: &Additive) -> Result<Self, Error> {
        let terms = additive.terms();
        let families = Families {
            positions: terms.positions.is_some(),
            precedences: terms.precedences.is_some(),
            neighbors: terms.neighbors.is_some(),
            ends: terms.ends.is_some(),
        };
        let settings = SurrogateSettings { families: Some(families), ..SurrogateSettings::default() };
        let mut surrogate = Self::with_settings(additive.items(), settings)?;
        surrogate.layout.write(terms, &mut surrogate.model.coefficients);
        surrogate.model.constant = terms.constant;
        surrogate.model.families = families;
        surrogate.freeze();
        Ok(surrogate)
    }

    /// Stops learning: of what it is told from here on, it follows the mean of what it leaves unexplained alone.
    pub fn freeze(&mut self) {
        self.memory.next_fit = u64::MAX;
    }

    /// The number of items, k.
    pub fn items(&self) -> usize {
        self.layout.items
    }

    /// Its settings.
    pub fn settings(&self) -> &SurrogateSettings {
        &self.settings
    }

    /// The features that it uses at present.
    pub fn families(&self) -> Families {
        self.model.families
    }

    /// How many evaluations it was told of.
    pub fn evaluations(&self) -> u64 {
        self.memory.seen
    }

    /// The share of the objective's variance that it predicted when it was fitted last, on evaluations that it was not shown then.
    pub fn explained(&self) -> f64 {
        self.model.explained
    }

    /// Takes note of an evaluation, and fits anew if it is time. Nothing is allocated.
    ///
    /// # Errors
    /// A list that is no order of these items (or, with a top, too short a beginning of one), or a value that is not finite.
    pub fn observe(&mut self, order: &[usize], value: f64) -> Result<(), Error> {
        self.check(order)?;
        check_finite("value", &[value])?;
        self.note(order, value);
        Ok(())
    }

    /// The same for an order that is one.
    pub(crate) fn note(&mut self, order: &[usize], value: f64) {
        self.left.take_in(value - self.terms().value(order), MovingAverage::DECAY);
        self.memory.push(order, value);
        if self.memory.seen >= self.memory.next_fit {
            self.memory.next_fit = self.memory.seen + (self.memory.count() / 2) as u64;
            if self.fit() {
                self.left = MovingAverage::default(); // what another model left says nothing of this one
            }
        }
    }

    fn terms(&self) -> Terms<'_> {
        self.layout.terms(&self.model.coefficients, self.model.constant, self.model.families)
    }

    /// Its prediction h(b).
    ///
    /// # Errors
    /// A list that is no order of these items, or, with a top, too short a beginning of one.
    pub fn value(&self, order: &[usize]) -> Result<f64, Error> {
        self.check(order)?;
        Ok(self.predict(order))
    }

    /// The same for an order that is one.
    pub(crate) fn predict(&self, order: &[usize]) -> f64 {
        self.terms().value(order) + self.left.value()
    }

    /// E h(b), exactly, and its gradient in the scores.
    ///
    /// # Errors
    /// A distribution over another number of items, or room for another number of scores.
    pub fn expectation(&mut self, latent: &PlackettLuce, gradient: &mut [f64]) -> Result<f64, Error> {
        let Model { families, constant, coefficients, .. } = &self.model;
        let terms = self.layout.terms(coefficients, *constant + self.left.value(), *families);
        self.expectation.of(terms, latent.scores(), gradient)
    }

    /// The same for every distribution of a batch, side by side.
    ///
    /// ```
    /// use plackett::{Additive, Batch, Surrogate};
    /// let surrogate = Surrogate::known(&Additive::new(2)?.with_precedences(vec![0.0, 1.0, 0.0, 0.0])?)?;
    /// let (mut values, mut gradients) = ([0.0; 2], [0.0; 4]);
    /// surrogate.expectations(&Batch::new(&[0.0, 0.0, 50.0, 0.0], 2)?, &mut values, &mut gradients)?;
    /// assert_eq!((values, &gradients[..2]), ([0.5, 1.0], &[0.25, -0.25][..]));
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Distributions over another number of items, an absent item, or room for another number of scores.
    pub fn expectations(
        &self,
        batch: &Batch,
        values: &mut [f64],
        gradients: &mut [f64],
    ) -> Result<(), Error> {
        let (rows, items) = (batch.rows(), self.items());
        check_length("the surrogate's list of items", items, batch.items())?;
        check_length("the list of values", values.len(), rows)?;
        check_length("the gradient", gradients.len(), rows * items)?;
        check_finite("scores", batch.scores())?;
        let mut terms = self.terms();
        terms.constant += self.left.value();
        // A row's value beside its gradient.
        let mut found = vec![0.0; rows * (items + 1)];
        let room = || Expectation::new(items);
        parallel::fill(&mut found, items + 1, 1, ROWS_OF_THREAD, room, |row, found, room| {
            let (value, gradient) = found.split_at_mut(1);
            value[0] = room.of(terms, &batch.scores()[row * items..][..items], gradient)?;
            Ok(())
        })?;
        let places = values.iter_mut().zip(gradients.chunks_exact_mut(items));
        for ((value, gradient), found) in places.zip(found.chunks_exact(items + 1)) {
            *value = found[0];
            gradient.copy_from_slice(&found[1..]);
        }
        Ok(())
    }

    fn check(&self, order: &[usize]) -> Result<(), Error> {
        if self.layout.ranks == self.items() || order.len() < self.layout.ranks {
            check_length("the order", order.len(), self.layout.ranks)?;
        }
        check_distinct(order, self.items())
    }

    /// Fits anew, if there is something to gain.
    fn fit(&mut self) -> bool {
        let Self { allowed, layout, memory, model, room, .. } = self;
        if model.families != Families::NONE {
            // Nothing to gain?
            let terms = layout.terms(&model.coefficients, model.constant, model.families);
            let recent = memory.count() - memory.count() / 3..memory.count();
            let (mut left, mut all, middle) = (0.0, 0.0, memory.value(0));
            let (mut sum, count) = (0.0, recent.len() as f64);
            for at in recent {
                let value = memory.value(at) - middle;
                left += (memory.value(at) - terms.value(memory.order(at))).powi(2);
                all += value * value;
                sum += value;
            }
            if left <= NEARLY_ALL * (all - sum * sum / count) {
                return false;
            }
        }
        let plan = |families: Families| Plan { families, is_product: false, share: 1.0 };
        let constant = room.try_out(layout, memory, plan(Families::NONE));
        let mut best = constant;
        let sure = (1.0 - LUCK / (memory.count() / 4) as f64).max(BEYOND_LUCK);
        if allowed.positions {
            let plan = Plan { is_product: true, ..plan(Families::POSITIONS) };
            best = better(best, room.try_out(layout, memory, plan), sure);
        }
        let both = Families { positions: true, ..Families::PRECEDENCES };
        let mut tried = Families::NONE;
        for families in [Families::POSITIONS, Families::PRECEDENCES, both, Families::TOURS, Families::ALL] {
            let families = families.and(*allowed);
            if families != Families::NONE && families != tried {
                best = better(best, room.try_out(layout, memory, plan(families)), sure.min(WORTH_MORE));
                tried = families;
            }
        }
        // Scores move while it learns, and what is old may say little of where they are now.
        for share in NEWEST {
            best = better(best, room.try_out(layout, memory, Plan { share, ..best.plan }), sure);
        }
        model.constant = room.fit(layout, memory, best, &mut model.coefficients);
        model.families = if best.steps == 0 { Families::NONE } else { best.plan.families };
        model.explained = if constant.error > 0.0 { 1.0 - best.error / constant.error } else { 0.0 };
        true
    }
}

/// The trial that predicts better, if by as much as it is worth.
fn better(best: Trial, trial: Trial, worth: f64) -> Trial {
    if trial.error < worth * best.error { trial } else { best }
}
