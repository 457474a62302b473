//! Local refinement: an order together with whatever makes a change of it cheap to value.
//!
//! A [`Neighborhood`] descends to a local optimum by trying the moves of one item after another, and can be disturbed; a
//! problem that knows better ways to descend or to disturb overrides just that. Whatever can take long asks the run whether to
//! go on, and leaves a whole order behind if not.

mod descent;

pub use descent::{improve_by_all_moves, is_gain, kick_by_insertions};
pub(crate) use descent::{improve_within, kicked_within, moves_of, queue_all};

use rand::rngs::ChaCha8Rng;

pub use crate::moves::{Move, MoveKind};
use crate::run::Run;

/// Items whose moves are still to be tried, first come, first served, each at most once.
///
/// ```
/// let mut queue = plackett::neighborhood::Queue::new(3);
/// queue.push(2);
/// queue.push(0);
/// queue.push(2);
/// assert_eq!([queue.pop(), queue.pop(), queue.pop()], [Some(2), Some(0), None]);
/// ```
#[derive(Clone, Debug)]
pub struct Queue {
    items: std::collections::VecDeque<usize>,
    is_in: Vec<bool>,
}

impl Queue {
    /// An empty queue for items 0 to `items` − 1.
    pub fn new(items: usize) -> Self {
        Self { items: std::collections::VecDeque::with_capacity(items), is_in: vec![false; items] }
    }

    /// Puts an item at the end, unless it waits already.
    #[inline]
    pub fn push(&mut self, item: usize) {
        if !self.is_in[item] {
            self.is_in[item] = true;
            self.items.push_back(item);
        }
    }

    /// Takes the first item.
    #[inline]
    pub fn pop(&mut self) -> Option<usize> {
        let item = self.items.pop_front()?;
        self.is_in[item] = false;
        Some(item)
    }

    /// Takes all items.
    pub fn clear(&mut self) {
        while self.pop().is_some() {}
    }
}

/// An order with the rank of every item, what it costs, and how many orders were valued on the way to it.
///
/// ```
/// use plackett::neighborhood::{Move, Standing};
/// let mut standing = Standing::new(3);
/// standing.set(&[2, 0, 1], 7.0);
/// standing.apply(Move::Swap { first: 0, second: 2 });
/// assert_eq!((standing.order, standing.ranks), (vec![1, 0, 2], vec![1, 0, 2]));
/// ```
#[derive(Clone, Debug)]
pub struct Standing {
    /// The items, first-ranked first.
    pub order: Vec<usize>,
    /// The rank of every item.
    pub ranks: Vec<usize>,
    /// What the order costs.
    pub cost: f64,
    /// Orders valued so far, whole or by what a move changes.
    pub evaluations: u64,
}

impl Standing {
    /// Items in the order of their numbers, not valued yet.
    pub fn new(items: usize) -> Self {
        Self { order: (0..items).collect(), ranks: (0..items).collect(), cost: 0.0, evaluations: 0 }
    }

    /// Takes another order of the same items, which was valued for it.
    ///
    /// # Panics
    /// If it has another number of items.
    pub fn set(&mut self, order: &[usize], cost: f64) {
        self.go_back(order, cost);
        self.evaluations += 1;
    }

    /// Takes an order whose cost is known from before.
    ///
    /// ```
    /// let mut standing = plackett::neighborhood::Standing::new(3);
    /// standing.go_back(&[2, 0, 1], 7.0);
    /// assert_eq!((standing.cost, standing.evaluations), (7.0, 0));
    /// ```
    ///
    /// # Panics
    /// If it has another number of items.
    pub fn go_back(&mut self, order: &[usize], cost: f64) {
        self.order.copy_from_slice(order);
        self.number(0, order.len());
        self.cost = cost;
    }

    /// Makes a move; the cost is left to the caller. O(ranks between).
    ///
    /// # Panics
    /// If a rank does not exist.
    #[inline]
    pub fn apply(&mut self, step: Move) {
        step.apply(&mut self.order);
        let (first, last) = step.span();
        self.number(first, last + 1);
    }

    fn number(&mut self, first: usize, end: usize) {
        for rank in first..end {
            self.ranks[self.order[rank]] = rank;
        }
    }
}

/// What a walk has written down: the order that it goes on from, and the best that it has met.
///
/// ```
/// let kept = plackett::neighborhood::Kept::new(vec![2, 0, 1]);
/// assert_eq!(kept.order, kept.best);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// The order that the walk goes on from.
    pub order: Vec<usize>,
    /// The best so far.
    pub best: Vec<usize>,
}

impl Kept {
    /// An order that is also the best so far.
    pub fn new(order: Vec<usize>) -> Self {
        Self { best: order.clone(), order }
    }

    /// Writes an order down as the one to go on from, and as the best so far if it is.
    ///
    /// ```
    /// let mut kept = plackett::neighborhood::Kept::new(vec![2, 0, 1]);
    /// kept.take(&[0, 1, 2], false);
    /// assert_eq!((kept.order[0], kept.best[0]), (0, 2));
    /// ```
    ///
    /// # Panics
    /// If it has another number of items.
    pub fn take(&mut self, order: &[usize], is_best: bool) {
        self.order.copy_from_slice(order);
        if is_best {
            self.best.copy_from_slice(order);
        }
    }
}

/// An order under improvement, with the means to value a change of it cheaply. The cost is to be small.
///
/// Five methods must be written; the rest have defaults that try every move of an item, and can be replaced by something
/// quicker. Ranks and items are trusted.
///
/// What is counted as an evaluation is a value that was worked out: of a whole order that is taken ([`set_order`](Self::set_order)),
/// or of what a move would change. No more are worked out than are [left](Self::left); a move that was valued is made for nothing.
///
/// ```
/// use plackett::neighborhood::{Move, MoveKind, Neighborhood, Queue, Standing};
/// /// Σ weight·rank: items of large weight belong at the front.
/// struct Front { weights: Vec<f64>, standing: Standing }
/// impl Front {
///     fn of(&self, order: &[usize]) -> f64 { order.iter().zip(0u32..).map(|(&i, r)| self.weights[i] * f64::from(r)).sum() }
/// }
/// impl Neighborhood for Front {
///     fn standing(&self) -> &Standing { &self.standing }
///     fn kinds(&self) -> &'static [MoveKind] { &[MoveKind::Insert] }
///     fn set_order(&mut self, order: &[usize]) { self.standing.set(order, self.of(order)); }
///     fn change(&mut self, step: Move) -> f64 {
///         self.standing.evaluations += 1;
///         let mut moved = self.standing.order.clone();
///         step.apply(&mut moved);
///         self.of(&moved) - self.standing.cost
///     }
///     fn apply(&mut self, step: Move) {
///         self.standing.apply(step);
///         self.standing.cost = self.of(&self.standing.order);
///     }
/// }
/// let mut front = Front { weights: vec![1.0, 3.0, 2.0], standing: Standing::new(3) };
/// front.set_order(&[0, 1, 2]);
/// let mut queue = Queue::new(3);
/// (0..3).for_each(|item| queue.push(item));
/// front.descend(&mut queue, &plackett::run::Run::default());
/// assert_eq!(front.order(), [1, 2, 0]);
/// ```
pub trait Neighborhood: Send {
    /// The order as it is, and what is known of it.
    fn standing(&self) -> &Standing;

    /// The kinds of moves that suit the problem.
    fn kinds(&self) -> &'static [MoveKind];

    /// Starts again from another order. One evaluation.
    fn set_order(&mut self, order: &[usize]);

    /// By how much a move would change the cost. One evaluation.
    fn change(&mut self, step: Move) -> f64;

    /// Makes a move, which counts as no evaluation.
    fn apply(&mut self, step: Move);

    /// The order as it is.
    fn order(&self) -> &[usize] {
        &self.standing().order
    }

    /// The rank of every item in it.
    fn ranks(&self) -> &[usize] {
        &self.standing().ranks
    }

    /// What it costs.
    fn cost(&self) -> f64 {
        self.standing().cost
    }

    /// How many orders have been valued so far, whole or by what a move changes.
    fn evaluations(&self) -> u64 {
        self.standing().evaluations
    }

    /// How many more orders may be valued, by the limits of the run.
    fn left(&self, run: &Run<'_>) -> u64 {
        run.limits().evaluations.map_or(u64::MAX, |most| most.saturating_sub(self.evaluations()))
    }

    /// What moving the item at `from` to every rank from `low` to `high` would change: `changes[to − low]`. What is not
    /// valued because no evaluations are [left](Self::left) or the run is over costs more than anything.
    fn insertions(&mut self, from: usize, low: usize, high: usize, changes: &mut Vec<f64>, run: &Run<'_>) {
        descent::insertions(self, from, low, high, changes, run);
    }

    /// Makes the best move of an item if it lowers the cost, and queues the items whose moves may have become better.
    fn improve_item(&mut self, item: usize, queue: &mut Queue, run: &Run<'_>) -> bool {
        improve_by_all_moves(self, item, queue, run)
    }

    /// Improves until no queued item has a better move, or [no more can be done](Self::is_over).
    fn descend(&mut self, queue: &mut Queue, run: &Run<'_>) {
        while !self.is_over(run)
            && let Some(item) = queue.pop()
        {
            while self.improve_item(item, queue, run) && !run.is_over() {}
        }
    }

    /// From a disturbed order to a good one nearby: a descent, unless the problem knows better.
    fn improve(&mut self, queue: &mut Queue, _rng: &mut ChaCha8Rng, run: &Run<'_>) {
        self.descend(queue, run);
    }

    /// Disturbs the order, little enough that most of what is good about it stays, and queues what was disturbed. One evaluation
    /// at least, and asked for only where one is [left](Self::left).
    fn kick(&mut self, queue: &mut Queue, rng: &mut ChaCha8Rng, _run: &Run<'_>) {
        kick_by_insertions(self, queue, rng);
    }

    /// Whether the run is over, or as many orders have been valued as its limits allow.
    fn is_over(&self, run: &Run<'_>) -> bool {
        self.left(run) == 0 || run.is_over()
    }

    /// Takes the present order as the one to [go back](Self::go_back) to, and as the best so far if it is. Who can find an order
    /// again without a copy of it may do so; [`write_down`](Self::write_down) is called before anyone reads what is kept.
    fn keep(&mut self, kept: &mut Kept, is_best: bool) {
        kept.take(self.order(), is_best);
    }

    /// Goes back to the order that was [kept](Self::keep) last. Asked for only where an evaluation is [left](Self::left).
    fn go_back(&mut self, kept: &Kept) {
        self.set_order(&kept.order);
    }

    /// Writes down what was kept without a copy. Called where the present order is the one that was kept last.
    fn write_down(&mut self, _kept: &mut Kept) {}

    /// The present order mixed with another: a random half of the items in the order that they have there, unless something else
    /// than which item comes before which is what two good orders have in common.
    fn mixed(&self, other: &[usize], rng: &mut ChaCha8Rng) -> Vec<usize> {
        descent::mixed(self.order(), other, rng)
    }

    /// The share of kicks that mix the order with that of another walk instead of disturbing it: for problems in which it
    /// matters which items come before which, so that what two good orders agree on is likely to be good.
    fn mixing(&self) -> f64 {
        0.0
    }

    /// How much worse an order may be and still be gone on from, with probability 1/e, in a walk that has made so many rounds;
    /// zero for never.
    fn temperature(&self, _rounds: u64) -> f64 {
        0.0
    }
}
