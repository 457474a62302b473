//! Ask and tell: an optimizer that proposes orders and is told their values, whoever works them out.
//!
//! Orders are proposed in batches. In the gradient phase a batch is a sample of the Plackett–Luce distribution and its
//! values are a step of Adam; in the refinement phase a batch is the next order of a [walk](Refinement::Walk), or the moves
//! of one item, the best of which is a step downhill. Batches are settled in the order in which they were opened, whatever
//! the order of the answers.

mod batch;
mod climb;
mod drive;
mod gradient;
#[cfg(feature = "json")]
mod journal;
#[cfg(feature = "json")]
mod saved;
mod walk;

pub use batch::Answer;
pub use drive::{AsTheyCome, Evaluator, Parallel, drive, step};
pub use gradient::Gradient;
#[cfg(feature = "json")]
pub use journal::Journal;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::{
    constrained::ConstrainedPlackettLuce,
    constraints::Constraints,
    error::{Error, check_length, check_setting},
    moves::MoveKind,
    noise::Noise,
    order::Order,
    plackett_luce::PlackettLuce,
    problem::Sense,
};
use batch::{Batch, Origin};
use climb::Climb;
use gradient::Learner;
use walk::Walk;

/// How an [`Optimizer`] improves an order without a gradient.
///
/// ```
/// assert_eq!(plackett::optimizer::Refinement::default(), plackett::optimizer::Refinement::Walk);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Refinement {
    /// A walk by insertions, exchanges and reversals, each the most promising of a few by a model of what moves change, that
    /// may go uphill. It asks about no order twice.
    #[default]
    Walk,
    /// The best move of one item after another, of the kinds in [`moves`](OptimizerSettings::moves), with kicks.
    Climb,
}

/// Whether the value of an order is the same each time that it is asked.
///
/// ```
/// assert_eq!(plackett::optimizer::Noisy::default(), plackett::optimizer::Noisy::No);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Noisy {
    /// It is, so no order is asked twice.
    #[default]
    No,
    /// It is not: the best few orders are asked again and again, and [`best`](Optimizer::best) is the best by its mean.
    Yes,
    /// One order is asked twice to find out.
    Detect,
}

/// No step of a learning rate up to this can carry a finite score beyond the finite numbers.
const LARGEST_RATE: f64 = 1e100;

/// What an item takes at least, in constraints, in orders and in what is known of moves.
const BYTES_PER_ITEM: u128 = 256;

/// How an [`Optimizer`] works. What it proposes is a function of these and of what it is told.
///
/// ```
/// use plackett::{optimizer::{Gradient, OptimizerSettings}, problem::Sense};
/// let walk = OptimizerSettings { evaluations: Some(10_000), window: 8, ..OptimizerSettings::default() };
/// let settings = OptimizerSettings {
///     gradient: Gradient::Reinforce,
///     gradient_evaluations: Some(500), // then local refinement
///     sense: Sense::Maximize,
///     ..OptimizerSettings::default()
/// };
/// assert_eq!((settings.samples, walk.gradient_evaluations), (10, Some(0)));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OptimizerSettings {
    /// How the gradient is estimated.
    pub gradient: Gradient,
    /// After how many proposals the gradient gives way to local refinement of the best order: none for never, zero, the
    /// default, for refinement alone.
    pub gradient_evaluations: Option<u64>,
    /// How an order is refined.
    pub refinement: Refinement,
    /// The moves of a [climb](Refinement::Climb).
    pub moves: Vec<MoveKind>,
    /// How long the run will be, if that is known: a walk then plans for it.
    pub evaluations: Option<u64>,
    /// What a walk asks n-th depends on the answers up to the (n − window)-th: so many can be worked on at a time, and their
    /// number makes no difference. One is best if evaluations are made one by one.
    pub window: usize,
    /// Orders that are asked first.
    pub starts: Vec<Vec<usize>>,
    /// How many of the first ranks the value depends on, if not on all: a choice of so many items.
    pub top: Option<usize>,
    /// Whether values are noisy (for a walk).
    pub noise: Noisy,
    /// Adam's rate for the scores.
    pub learning_rate: f64,
    /// Adam's rate for the critic's parameters.
    pub critic_learning_rate: f64,
    /// Orders in a gradient batch.
    pub samples: usize,
    /// Whether small or large values are wanted.
    pub sense: Sense,
    /// The seed of all noise.
    pub seed: u64,
    /// What every proposed order keeps.
    pub constraints: Option<Constraints>,
}

impl Default for OptimizerSettings {
    fn default() -> Self {
        Self {
            gradient: Gradient::default(),
            gradient_evaluations: Some(0),
            refinement: Refinement::Walk,
            moves: vec![MoveKind::Insert],
            evaluations: None,
            window: 1,
            starts: Vec::new(),
            top: None,
            noise: Noisy::No,
            learning_rate: 0.1,
            critic_learning_rate: 0.01,
            samples: 10,
            sense: Sense::Minimize,
            seed: 0,
            constraints: None,
        }
    }
}

/// An order that the optimizer wants to know the value of.
///
/// ```
/// use plackett::optimizer::{Optimizer, OptimizerSettings};
/// let asked = Optimizer::new(4, OptimizerSettings { window: 3, ..OptimizerSettings::default() })?.ask(3);
/// assert_eq!(asked.iter().map(|proposal| proposal.id).collect::<Vec<_>>(), [0, 1, 2]);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Its number, for the answer.
    pub id: u64,
    /// The order.
    pub order: Order,
}

/// How far an [`Optimizer`] has come.
///
/// ```
/// use plackett::optimizer::{Optimizer, OptimizerSettings};
/// let mut optimizer = Optimizer::new(4, OptimizerSettings { window: 3, ..OptimizerSettings::default() })?;
/// optimizer.ask(3);
/// assert_eq!((optimizer.status().asked, optimizer.status().pending), (3, 3));
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OptimizerStatus {
    /// Orders proposed.
    pub asked: u64,
    /// Values told for them.
    pub told: u64,
    /// Failures told for them.
    pub failed: u64,
    /// Proposals without an answer yet.
    pub pending: u64,
    /// Values told for orders that were not proposed.
    pub foreign: u64,
    /// Gradient steps made.
    pub steps: u64,
    /// Gradient steps left out because too few of the batch's evaluations succeeded.
    pub skipped_steps: u64,
    /// The mean of the last gradient batch's values.
    pub mean: Option<f64>,
    /// Whether local refinement has begun.
    pub is_refining: bool,
}

/// An optimizer over orders that is asked for orders and told their values.
///
/// ```
/// use plackett::optimizer::{Optimizer, OptimizerSettings};
/// let wanted = [3, 1, 4, 0, 2];
/// let mut optimizer = Optimizer::new(5, OptimizerSettings::default())?;
/// for _ in 0..120 {
///     for proposal in optimizer.ask(1) {
///         // Worked out here, on another thread, or by somebody else.
///         let value = proposal.order.iter().zip(wanted).map(|(&item, at)| item.abs_diff(at) as f64).sum();
///         optimizer.tell_id(proposal.id, plackett::optimizer::Answer::Value(value))?;
///     }
/// }
/// assert_eq!(optimizer.best().unwrap(), (&wanted[..], 0.0));
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # What a step is
///
/// A gradient batch has [`samples`](OptimizerSettings::samples) orders, drawn at the scores of the moment it is opened, and
/// makes one step when its last answer is in. Who asks for a batch and answers it before asking again has stochastic gradient
/// descent to the letter. Who asks ahead has several batches open: each gradient is then an unbiased estimate at the scores
/// that its batch was drawn at, and is applied to the scores as they have become since (delayed gradients).
///
/// Values of orders that were not proposed count for [`best`](Self::best), and a walk goes on from one that is better than all it
/// has met. For a gradient they count no more than that: nothing says how probable it was that somebody would come up with
/// them, so no weight could make them part of an unbiased gradient.
///
/// Orders whose evaluation failed (also those with a value that is not finite) are left out of their batch. With
/// REINFORCE's leave-one-out baseline what remains is an unbiased gradient of the expectation over orders that can be
/// evaluated, E\[f(b) | b succeeds\]; with fewer than two values left there is no step. RELAX has no such excuse: with
/// failures that depend on the order its gradient is biased.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Optimizer {
    settings: OptimizerSettings,
    constraints: Constraints,
    learner: Learner,
    climb: Option<Climb>,
    walk: Option<Walk>,
    batches: VecDeque<Batch>,
    next_id: u64,
    next_stream: u64,
    status: OptimizerStatus,
    best: Option<Best>,
}

/// The best order told. Of equals the one proposed first, so that the order of answers does not matter.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Best {
    order: Vec<usize>,
    value: f64,
    id: u64,
    /// The standard error of the value, if it is a mean of noisy ones.
    error: Option<f64>,
}

/// The number of an order that was not proposed: it gives way to one of equal value that was.
const FOREIGN: u64 = u64::MAX;

impl Optimizer {
    /// An optimizer for orders of so many items, with all scores alike.
    ///
    /// # Errors
    /// No items, a setting out of its range, or constraints on another number of items.
    pub fn new(items: usize, settings: OptimizerSettings) -> Result<Self, Error> {
        if items == 0 {
            return Err(Error::Empty { what: "the list of items" });
        }
        crate::memory::check("a search among orders of so many items", BYTES_PER_ITEM * items as u128)?;
        let OptimizerSettings { samples, learning_rate, critic_learning_rate, .. } = settings;
        check_setting("samples", samples as f64, samples >= 2, "at least 2 are needed")?;
        for (name, rate) in [("learning_rate", learning_rate), ("critic_learning_rate", critic_learning_rate)]
        {
            check_setting(name, rate, (0.0..=LARGEST_RATE).contains(&rate), "it must be from 0 to 1e100")?;
        }
        if settings.moves.is_empty() {
            return Err(Error::Empty { what: "the list of moves" });
        }
        check_setting("window", settings.window as f64, settings.window >= 1, "at least 1 is needed")?;
        let constraints = settings.constraints.clone().unwrap_or_else(|| Constraints::none(items));
        check_length("the constraints", constraints.items(), items)?;
        settings.starts.iter().try_for_each(|order| constraints.check(order))?;
        if let Some(top) = settings.top {
            check_setting(
                "top",
                top as f64,
                (1..=items).contains(&top),
                "it must be from 1 to the number of items",
            )?;
        }
        let is_walk = settings.refinement == Refinement::Walk && settings.gradient_evaluations == Some(0);
        if settings.noise != Noisy::No && !is_walk {
            let what = "noisy values with a gradient or a climb";
            return Err(Error::Unsupported { what, instead: "the walk, or the mode of a gradient" });
        }
        let learner = Learner::new(items, &settings)?;
        Ok(Self {
            settings,
            constraints,
            learner,
            climb: None,
            walk: None,
            batches: VecDeque::new(),
            next_id: 0,
            next_stream: 1,
            status: OptimizerStatus::default(),
            best: None,
        })
    }

    /// Proposes orders. In the gradient phase always as many as asked for; in the refinement phase perhaps fewer, as the next
    /// proposals may depend on answers that are still missing, but at least one if none is. A walk that has asked about all
    /// orders proposes none.
    pub fn ask(&mut self, count: usize) -> Vec<Proposal> {
        let mut proposals = Vec::with_capacity(count.min(self.settings.samples.max(self.items())));
        while proposals.len() < count {
            let Some(batch) = self.batches.iter_mut().find(|batch| batch.is_left()) else {
                if self.open_batch() {
                    continue;
                }
                break;
            };
            while proposals.len() < count
                && let Some((id, order)) = batch.give()
            {
                proposals.push(Proposal { id, order: Order::from_sorted(order.to_vec()) });
            }
        }
        self.status.asked += proposals.len() as u64;
        self.status.pending += proposals.len() as u64;
        proposals
    }

    /// Proposes what is left of the present batch, or a new one if all before it are answered: as much as can be asked without
    /// asking ahead, at most so many. Of a walk, as much as its window allows.
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// let mut optimizer = Optimizer::new(4, OptimizerSettings { window: 10, ..OptimizerSettings::default() })?;
    /// optimizer.ask(3);
    /// assert_eq!(optimizer.ask_batch(usize::MAX).len(), 7);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn ask_batch(&mut self, most: usize) -> Vec<Proposal> {
        if self.is_walking() {
            return self.ask(self.settings.window.min(most));
        }
        let left = |batches: &VecDeque<Batch>| batches.iter().map(Batch::left).find(|&left| left > 0);
        if self.batches.is_empty() {
            self.open_batch();
        }
        let count = left(&self.batches).unwrap_or(0).min(most);
        self.ask(count)
    }

    /// Proposals that wait for an answer, for those who lost them: a resumed run, or one whose workers died.
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// let mut optimizer = Optimizer::new(4, OptimizerSettings::default())?;
    /// let asked = optimizer.ask(3);
    /// assert_eq!(optimizer.pending(), asked);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn pending(&self) -> Vec<Proposal> {
        let waiting = self.batches.iter().flat_map(Batch::pending);
        waiting.map(|(id, order)| Proposal { id, order: Order::from_sorted(order.to_vec()) }).collect()
    }

    /// Tells the value of an order, proposed or not. If it waits for an answer, this is the answer.
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// let mut optimizer = Optimizer::new(3, OptimizerSettings::default())?;
    /// optimizer.tell(&[2, 0, 1], 5.0)?; // found elsewhere
    /// assert_eq!(optimizer.best().unwrap(), (&[2, 0, 1][..], 5.0));
    /// assert!(optimizer.tell(&[2, 0], 4.0).is_err());
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A list that is no order of the items, or that breaks a constraint.
    pub fn tell(&mut self, order: &[usize], value: f64) -> Result<(), Error> {
        if let Some(id) = self.batches.iter().find_map(|batch| batch.waiting_for(order)) {
            return self.tell_id(id, Answer::Value(value));
        }
        self.learn(order, value)
    }

    /// Takes the value of an order that somebody else has worked out. It counts for [`best`](Self::best), and a walk goes on from
    /// it if it is better than all that the walk has met; a proposal that asks for the same order still waits for its answer.
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// let mut optimizer = Optimizer::new(9, OptimizerSettings::default())?;
    /// optimizer.learn(&[8, 7, 6, 5, 4, 3, 2, 1, 0], -5.0)?;
    /// let next = &optimizer.ask(1)[0].order;
    /// let moved = next.iter().zip((0..9).rev()).filter(|(item, known)| *item != known).count();
    /// assert!(moved > 0, "a move away from the order that is known");
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A list that is no order of the items, or that breaks a constraint.
    pub fn learn(&mut self, order: &[usize], value: f64) -> Result<(), Error> {
        self.constraints.check(order)?;
        if !value.is_finite() {
            return Ok(());
        }
        self.status.foreign += 1;
        let cost = self.settings.sense.cost(value);
        if let Some(walk) = self.walk.as_mut().filter(|_| self.settings.noise == Noisy::No) {
            walk.learn(order, cost, &self.settings);
        }
        if self.is_best(value, FOREIGN) {
            self.best = Some(Best { order: order.to_vec(), value, id: FOREIGN, error: None });
        }
        Ok(())
    }

    /// Tells the answer to a proposal: its value, the parts of it rank by rank, or that the evaluation failed. A value that
    /// is not finite is a failure.
    ///
    /// # Errors
    /// A number that was not asked, or was answered before; parts of another length than the order.
    pub fn tell_id(&mut self, id: u64, answer: Answer) -> Result<(), Error> {
        let items = self.items();
        if let Answer::Parts(parts) = &answer {
            check_length("the list of parts", parts.len(), items)?;
        }
        let answer = answer.checked();
        let value = answer.value();
        let is_best = value.is_some_and(|value| self.is_best(value, id));
        let batch = self.batches.iter_mut().find(|batch| batch.contains(id)).ok_or(Error::NotAsked { id })?;
        let order = batch.answer(id, answer)?;
        self.status.pending -= 1;
        match value {
            None => self.status.failed += 1,
            Some(value) => {
                self.status.told += 1;
                if is_best {
                    self.best = Some(Best { order: order.to_vec(), value, id, error: None });
                }
            }
        }
        while self.batches.front().is_some_and(Batch::is_settled) {
            if let Some(batch) = self.batches.pop_front() {
                self.settle(&batch)?;
            }
        }
        Ok(())
    }

    /// The best order told and its value. None before the first value. Of noisy values it is the order with the best mean,
    /// where the value by which an order was noticed does not count, and its mean.
    pub fn best(&self) -> Option<(&[usize], f64)> {
        self.best.as_ref().map(|best| (best.order.as_slice(), best.value))
    }

    /// The standard error of the best order's value; none unless values are [noisy](Noisy).
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// assert_eq!(Optimizer::new(3, OptimizerSettings::default())?.error(), None);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn error(&self) -> Option<f64> {
        self.best.as_ref().and_then(|best| best.error)
    }

    /// The order of the largest scores first, as far as constraints allow: what the gradient has settled on so far.
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// assert_eq!(Optimizer::new(3, OptimizerSettings::default())?.mode()?.as_slice(), [0, 1, 2]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// None unless a gradient has carried the scores beyond the finite numbers.
    pub fn mode(&self) -> Result<Order, Error> {
        if self.constraints.is_free() {
            return Ok(PlackettLuce::new(self.learner.scores())?.mode());
        }
        Ok(ConstrainedPlackettLuce::new(self.learner.scores(), self.constraints.clone())?.greedy())
    }

    /// How far it has come.
    pub fn status(&self) -> OptimizerStatus {
        self.status
    }

    /// Answers told to proposals, failures among them.
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// assert_eq!(Optimizer::new(3, OptimizerSettings::default())?.evaluations(), 0);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn evaluations(&self) -> u64 {
        self.status.told + self.status.failed
    }

    /// The scores θ.
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// assert_eq!(Optimizer::new(3, OptimizerSettings::default())?.scores(), [0.0; 3]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn scores(&self) -> &[f64] {
        self.learner.scores()
    }

    /// The settings.
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// let optimizer = Optimizer::new(3, OptimizerSettings::default())?;
    /// assert_eq!(optimizer.settings(), &OptimizerSettings::default());
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn settings(&self) -> &OptimizerSettings {
        &self.settings
    }

    /// How many items an order has.
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// assert_eq!(Optimizer::new(3, OptimizerSettings::default())?.items(), 3);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn items(&self) -> usize {
        self.constraints.items()
    }

    /// Whether a walk is what is asked next.
    fn is_walking(&self) -> bool {
        let is_refining = self.settings.gradient_evaluations.is_some_and(|most| self.next_id >= most);
        self.settings.refinement == Refinement::Walk && is_refining
    }

    /// Opens the next batch, the next order of the walk; false if that must wait for answers, or if there is none.
    fn open_walk(&mut self) -> bool {
        if self.walk.is_none() {
            if !self.batches.is_empty() {
                return false;
            }
            self.status.is_refining = true;
            let known = self.best.as_ref().filter(|_| self.settings.noise == Noisy::No);
            self.walk =
                Some(Walk::new(known.map(|best| (best.order.clone(), self.settings.sense.cost(best.value)))));
        }
        let Some(walk) = &mut self.walk else { return false };
        let Some(order) = walk.propose(&self.settings, &self.constraints) else { return false };
        if let Some((order, cost, error)) = walk.estimate() {
            let value = self.settings.sense.cost(cost);
            self.best = Some(Best { order: order.to_vec(), value, id: 0, error: Some(error) });
        }
        self.batches.push_back(Batch::new(self.next_id, Origin::Walk, vec![order]));
        self.next_id += 1;
        true
    }

    /// Opens the next batch; false if that must wait for answers.
    fn open_batch(&mut self) -> bool {
        if self.is_walking() {
            return self.open_walk();
        }
        let opened = self.next_id;
        let left = self.settings.gradient_evaluations.map_or(u64::MAX, |most| most.saturating_sub(opened));
        let mut noise = Noise::new(self.settings.seed);
        let (origin, orders) = if left > 0 {
            let count = self.settings.samples.min(usize::try_from(left).unwrap_or(usize::MAX));
            let origin =
                Origin::Gradient { scores: self.learner.scores().to_vec(), stream: self.next_stream };
            let orders = self.learner.draw(
                self.settings.gradient,
                &self.constraints,
                count,
                &mut noise,
                self.next_stream,
            );
            self.next_stream += count as u64;
            (origin, orders)
        } else {
            if self.climb.is_none() {
                if !self.batches.is_empty() {
                    return false;
                }
                self.status.is_refining = true;
                let climb = if let Some(best) = &self.best {
                    Climb::from_known(best.order.clone(), self.settings.sense.cost(best.value))
                } else {
                    let mut drawn = self.learner.draw(
                        self.settings.gradient,
                        &self.constraints,
                        1,
                        &mut noise,
                        self.next_stream,
                    );
                    self.next_stream += 1;
                    Climb::from_unknown(drawn.swap_remove(0))
                };
                self.climb = Some(climb);
            }
            let Some(climb) = &mut self.climb else { return false };
            let stream = noise.stream(self.next_stream);
            self.next_stream += 1;
            match climb.open(&self.constraints, &self.settings.moves, self.batches.is_empty(), stream) {
                Some(opened) => opened,
                None => return false,
            }
        };
        self.batches.push_back(Batch::new(opened, origin, orders));
        self.next_id += self.batches.back().map_or(0, |batch| batch.len() as u64);
        true
    }

    /// Takes the step that a batch with all its answers allows.
    fn settle(&mut self, batch: &Batch) -> Result<(), Error> {
        let sense = self.settings.sense;
        match batch.origin() {
            Origin::Gradient { scores, stream } => {
                let mean = self.learner.learn(&self.settings, &self.constraints, batch, scores, *stream)?;
                match mean {
                    Some(mean) => {
                        self.status.steps += 1;
                        self.status.mean = Some(sense.cost(mean));
                    }
                    None => self.status.skipped_steps += 1,
                }
            }
            Origin::Walk => {
                let cost = batch.successes().next().map(|(_, _, _, value)| sense.cost(value));
                if let Some(walk) = &mut self.walk {
                    walk.tell(cost);
                }
            }
            Origin::Start | Origin::Moves => {
                if let Some(climb) = &mut self.climb {
                    climb.settle(batch, sense);
                }
            }
        }
        Ok(())
    }

    fn is_best(&self, value: f64, id: u64) -> bool {
        // Of noisy values the lowest is the luckiest: means decide there.
        self.best.as_ref().is_none_or(|best| {
            if best.error.is_some() {
                return false;
            }
            self.settings.sense.is_better(value, best.value) || (value == best.value && id < best.id)
        })
    }
}
