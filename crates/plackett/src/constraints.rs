//! What an order must keep: items before others, items at ranks, items within windows of ranks.
//!
//! An order of n items is n unit jobs on one machine, so the textbook applies: every item has an earliest and a latest
//! rank, made consistent along the precedences, and orders that keep everything exist exactly if serving the most urgent
//! item first succeeds. The same dates say which items may come next without spoiling the rest, so orders are built
//! rank by rank and never have to be thrown away.

use rand::{RngExt as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, check_length},
    moves::Move,
    order::{Order, check_distinct},
};

/// Precedences (item a before item b), pins (item i at rank r) and [windows](Self::with_ranks) (item i at ranks r to s) that every
/// order must keep.
///
/// ```
/// use plackett::{Constraints, Error};
/// let constraints = Constraints::new(4, &[(2, 0), (0, 1)], &[(3, 1)])?; // 2 before 0 before 1, item 3 at rank 1
/// assert!(constraints.check(&[2, 3, 0, 1]).is_ok());
/// assert!(constraints.check(&[0, 3, 2, 1]).is_err());
///
/// let circle = Constraints::new(3, &[(0, 1), (1, 2), (2, 0)], &[]).unwrap_err();
/// assert_eq!(circle.to_string(), "items must come before themselves: 0 before 1 before 2 before 0");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stated", into = "Stated")]
pub struct Constraints {
    stated: Stated,
    predecessors: Vec<Vec<usize>>,
    successors: Vec<Vec<usize>>,
    /// The earliest and the latest rank of every item.
    earliest: Vec<usize>,
    latest: Vec<usize>,
}

/// The constraints as the caller gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Stated {
    items: usize,
    before: Vec<(usize, usize)>,
    pins: Vec<(usize, usize)>,
    /// Item, first rank, last rank.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    windows: Vec<(usize, usize, usize)>,
}

impl TryFrom<Stated> for Constraints {
    type Error = Error;
    fn try_from(stated: Stated) -> Result<Self, Error> {
        Self::of(stated)
    }
}

impl From<Constraints> for Stated {
    fn from(constraints: Constraints) -> Self {
        constraints.stated
    }
}

/// What the lists of an item take.
const BYTES_PER_ITEM: u128 = 128;

impl Constraints {
    /// No constraints on orders of so many items.
    ///
    /// ```
    /// assert!(plackett::Constraints::none(3).check(&[2, 1, 0]).is_ok());
    /// ```
    pub fn none(items: usize) -> Self {
        Self {
            stated: Stated { items, ..Stated::default() },
            predecessors: vec![Vec::new(); items],
            successors: vec![Vec::new(); items],
            earliest: vec![0; items],
            latest: vec![items.saturating_sub(1); items],
        }
    }

    /// Constraints on orders of so many items: pairs (a, b) for "a before b", and pairs (item, rank). O(k² + pairs).
    ///
    /// # Errors
    /// Items or ranks that do not exist, precedences that go round in a circle (which is named), or pins that clash with
    /// each other or with the precedences (named likewise).
    pub fn new(items: usize, before: &[(usize, usize)], pins: &[(usize, usize)]) -> Result<Self, Error> {
        Self::of(Stated { items, before: before.to_vec(), pins: pins.to_vec(), windows: Vec::new() })
    }

    /// The same with windows of ranks: (item, first rank, last rank), both included. Several for one item must all be kept.
    ///
    /// ```
    /// use plackett::Constraints;
    /// let early = Constraints::new(4, &[(2, 0)], &[])?.with_ranks(&[(0, 0, 1), (3, 1, 2)])?;
    /// assert_eq!(early.first_order().as_slice(), [2, 0, 3, 1]); // 0 in the first half, but after 2
    /// assert!(early.check(&[2, 0, 1, 3]).is_err());
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Items or ranks that do not exist, or windows that clash with each other or with what the constraints are already.
    pub fn with_ranks(self, windows: &[(usize, usize, usize)]) -> Result<Self, Error> {
        let windows = [&self.stated.windows[..], windows].concat();
        Self::of(Stated { windows, ..self.stated })
    }

    /// The same for several orders that stand one after another as one: of the first so many items, of the next so many, and so on.
    ///
    /// ```
    /// use plackett::Constraints;
    /// let two = Constraints::none(5).with_blocks(&[3, 2])?;
    /// assert!(two.check(&[2, 0, 1, 4, 3]).is_ok() && two.check(&[2, 0, 4, 1, 3]).is_err());
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Blocks that have more or fewer items together than there are, and as [`with_ranks`](Self::with_ranks).
    pub fn with_blocks(self, sizes: &[usize]) -> Result<Self, Error> {
        let all = sizes.iter().fold(0_usize, |all, &size| all.saturating_add(size));
        check_length("an order of all blocks", all, self.items())?;
        let mut windows = Vec::with_capacity(all);
        for &size in sizes {
            let first = windows.len();
            windows.extend((first..first + size).map(|item| (item, first, first + size - 1)));
        }
        self.with_ranks(&windows)
    }

    fn of(stated: Stated) -> Result<Self, Error> {
        let items = stated.items;
        crate::memory::check("a table of constraints on so many items", BYTES_PER_ITEM * items as u128)?;
        let mut constraints = Self { stated, ..Self::none(items) };
        for &(first, second) in &constraints.stated.before {
            for item in [first, second] {
                check_item(item, items)?;
            }
            constraints.successors[first].push(second);
            constraints.predecessors[second].push(first);
        }
        for list in constraints.successors.iter_mut().chain(&mut constraints.predecessors) {
            list.sort_unstable();
            list.dedup();
        }
        let rank_of = constraints.stated.ranks_of_pins()?;
        for (item, rank) in rank_of.iter().enumerate().filter_map(|(item, rank)| Some((item, (*rank)?))) {
            (constraints.earliest[item], constraints.latest[item]) = (rank, rank);
        }
        for &(item, first, last) in &constraints.stated.windows {
            check_item(item, items)?;
            if first > last || last >= items {
                return Err(Error::WindowOutside { item, first, last, items });
            }
            let (earliest, latest) = (&mut constraints.earliest[item], &mut constraints.latest[item]);
            (*earliest, *latest) = ((*earliest).max(first), (*latest).min(last));
            if earliest > latest {
                return Err(Error::WindowsApart { item });
            }
        }
        constraints.find_dates(&rank_of)?;
        Ok(constraints)
    }

    /// Makes the earliest and latest ranks consistent with the precedences, and proves that some order keeps everything.
    fn find_dates(&mut self, rank_of: &[Option<usize>]) -> Result<(), Error> {
        let sorted = self.sorted()?;
        for &item in &sorted {
            let soonest = self.predecessors[item].iter().map(|&p| self.earliest[p] + 1).max().unwrap_or(0);
            if soonest > self.latest[item] {
                return Err(match rank_of[item] {
                    Some(rank) => Error::PinTooEarly { item, rank, earliest: soonest },
                    None => Error::NoRankLeft { item },
                });
            }
            self.earliest[item] = self.earliest[item].max(soonest);
        }
        for &item in sorted.iter().rev() {
            let room = self.successors[item].iter().map(|&s| self.latest[s]).min();
            let last = room
                .map_or(Some(self.latest[item]), |rank| Some(self.latest[item].min(rank.checked_sub(1)?)));
            let Some(last) = last.filter(|&last| self.earliest[item] <= last) else {
                return Err(match rank_of[item] {
                    Some(rank) => Error::PinTooLate { item, rank },
                    None => Error::NoRankLeft { item },
                });
            };
            self.latest[item] = last;
        }
        self.check_room()
    }

    /// Items so that each comes after its predecessors.
    fn sorted(&self) -> Result<Vec<usize>, Error> {
        let mut waiting: Vec<usize> = self.predecessors.iter().map(Vec::len).collect();
        let mut sorted: Vec<usize> = (0..waiting.len()).filter(|&item| waiting[item] == 0).collect();
        let mut at = 0;
        while at < sorted.len() {
            for &next in &self.successors[sorted[at]] {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    sorted.push(next);
                }
            }
            at += 1;
        }
        match waiting.iter().position(|&count| count > 0) {
            None => Ok(sorted),
            Some(stuck) => Err(Error::Cycle { items: self.circle(stuck, &waiting) }),
        }
    }

    /// A circle among the items that wait for ever, found by going back from one of them; its smallest item first.
    fn circle(&self, stuck: usize, waiting: &[usize]) -> Vec<usize> {
        let mut path: Vec<usize> = vec![stuck];
        loop {
            let item = path[path.len() - 1];
            // An item that waits has a predecessor that waits.
            let Some(&before) = self.predecessors[item].iter().find(|&&p| waiting[p] > 0) else {
                return path;
            };
            if let Some(start) = path.iter().position(|&seen| seen == before) {
                let mut circle = path.split_off(start);
                circle.reverse();
                let smallest =
                    circle.iter().enumerate().min_by_key(|&(_, item)| item).map_or(0, |(at, _)| at);
                circle.rotate_left(smallest);
                return circle;
            }
            path.push(before);
        }
    }

    /// Refuses dates that leave too few ranks for some items: no stretch of ranks may have more items to hold than ranks.
    fn check_room(&self) -> Result<(), Error> {
        if !self.has_ranks() {
            return Ok(());
        }
        let items = self.stated.items;
        for last in 0..items {
            let mut starting = vec![0; items];
            for item in (0..items).filter(|&item| self.latest[item] <= last) {
                starting[self.earliest[item]] += 1;
            }
            let mut held = 0;
            for first in (0..=last).rev() {
                held += starting[first];
                if held > last - first + 1 {
                    let is_held = |&item: &usize| self.latest[item] <= last && self.earliest[item] >= first;
                    return Err(Error::TooFewRanks {
                        items: (0..items).filter(is_held).collect(),
                        first,
                        last,
                    });
                }
            }
        }
        Ok(())
    }

    /// The number of items.
    ///
    /// ```
    /// assert_eq!(plackett::Constraints::none(3).items(), 3);
    /// ```
    pub fn items(&self) -> usize {
        self.stated.items
    }

    /// Whether every order is allowed.
    ///
    /// ```
    /// assert!(plackett::Constraints::none(3).is_free());
    /// assert!(!plackett::Constraints::new(3, &[(0, 1)], &[])?.is_free());
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn is_free(&self) -> bool {
        self.stated.before.is_empty() && !self.has_ranks()
    }

    /// Whether there are pins or windows.
    pub(crate) fn has_ranks(&self) -> bool {
        !self.stated.pins.is_empty() || !self.stated.windows.is_empty()
    }

    /// Refuses an order that breaks a constraint, and names it. O(k + pairs).
    ///
    /// ```
    /// let constraints = plackett::Constraints::new(3, &[(0, 1)], &[])?;
    /// let error = constraints.check(&[1, 0, 2]).unwrap_err();
    /// assert_eq!(error.to_string(), "the order breaks a constraint: item 0 does not come before item 1");
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Also a list that is not an order of these items.
    pub fn check(&self, order: &[usize]) -> Result<(), Error> {
        check_length("the order", order.len(), self.items())?;
        check_distinct(order, self.items())?;
        let mut ranks = vec![0; order.len()];
        for (rank, &item) in order.iter().enumerate() {
            ranks[item] = rank;
        }
        for &(first, second) in &self.stated.before {
            if ranks[first] > ranks[second] {
                return Err(Error::BrokenPrecedence { first, second });
            }
        }
        for &(item, rank) in &self.stated.pins {
            if ranks[item] != rank {
                return Err(Error::BrokenPin { item, rank: ranks[item], pinned: rank });
            }
        }
        for &(item, first, last) in &self.stated.windows {
            if !(first..=last).contains(&ranks[item]) {
                return Err(Error::BrokenWindow { item, rank: ranks[item], first, last });
            }
        }
        Ok(())
    }

    /// An order that keeps the constraints: the items ascending, as far as they allow it.
    ///
    /// ```
    /// let constraints = plackett::Constraints::new(4, &[(2, 0)], &[(3, 1)])?;
    /// assert_eq!(constraints.first_order().as_slice(), [1, 3, 2, 0]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn first_order(&self) -> Order {
        if self.is_free() {
            return Order::identity(self.items());
        }
        let mut order = Vec::with_capacity(self.items());
        self.build(&mut Stages::default(), |_, candidates| {
            order.push(candidates[0]);
            0
        });
        Order::from_sorted(order)
    }

    /// A random order that keeps the constraints; all alike without any.
    pub(crate) fn random_order(&self, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.items()).collect();
        if self.is_free() {
            order.shuffle(rng);
        } else {
            self.build(&mut Stages::default(), |rank, candidates| {
                let chosen = rng.random_range(0..candidates.len());
                order[rank] = candidates[chosen];
                chosen
            });
        }
        order
    }

    /// The items as in an order, as far as the constraints allow: at every rank the first of those that may come. An order that keeps
    /// the constraints stays as it is.
    ///
    /// ```
    /// let constraints = plackett::Constraints::new(4, &[(2, 0)], &[])?.with_ranks(&[(3, 0, 1)])?;
    /// assert_eq!(constraints.follow(&[0, 1, 2, 3])?.as_slice(), [1, 3, 2, 0]);
    /// assert_eq!(constraints.follow(&[3, 2, 1, 0])?.as_slice(), [3, 2, 1, 0]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A list that is not an order of these items.
    pub fn follow(&self, order: &[usize]) -> Result<Order, Error> {
        check_length("the order", order.len(), self.items())?;
        check_distinct(order, self.items())?;
        let mut ranks = vec![0.0; order.len()];
        order.iter().enumerate().for_each(|(rank, &item)| ranks[item] = rank as f64);
        Ok(Order::from_sorted(self.arrange(&ranks)))
    }

    /// At every rank, of the items that may come there, the one with the smallest wish.
    pub(crate) fn arrange(&self, wishes: &[f64]) -> Vec<usize> {
        let mut order = vec![0; self.items()];
        self.build(&mut Stages::default(), |rank, candidates| {
            let mut first = 0;
            for (at, &item) in candidates.iter().enumerate() {
                if wishes[item] < wishes[candidates[first]] {
                    first = at;
                }
            }
            order[rank] = candidates[first];
            first
        });
        order
    }

    /// The first and last rank that the item at `from` may be moved to, the others closing up. O(ranks between) with pins or windows.
    pub(crate) fn insertion_range(&self, order: &[usize], ranks: &[usize], from: usize) -> (usize, usize) {
        let item = order[from];
        let (mut low, mut high) = (self.earliest[item], self.latest[item]);
        for &other in &self.predecessors[item] {
            low = low.max(ranks[other] + 1);
        }
        for &other in &self.successors[item] {
            high = high.min(ranks[other] - 1);
        }
        if self.has_ranks() {
            let stays_late = |rank: &usize| self.latest[order[*rank]] == *rank;
            low = (low..from).rev().find(stays_late).map_or(low, |rank| rank + 1);
            let stays_early = |rank: &usize| self.earliest[order[*rank]] == *rank;
            high = (from + 1..=high).find(stays_early).map_or(high, |rank| rank - 1);
        }
        (low, high)
    }

    /// Whether an order that keeps the constraints still does after the move. O(pairs and ranks that it touches).
    pub(crate) fn allow(&self, order: &[usize], ranks: &[usize], step: Move) -> bool {
        if self.is_free() {
            return true;
        }
        let may_stand = |item: usize, rank: usize| (self.earliest[item]..=self.latest[item]).contains(&rank);
        match step {
            Move::Insert { from, to } => {
                let (low, high) = self.insertion_range(order, ranks, from);
                (low..=high).contains(&to)
            }
            Move::Swap { first, second } => {
                let (left, right) = (order[first], order[second]);
                let is_between = |item: &usize| (first..=second).contains(&ranks[*item]);
                may_stand(left, second)
                    && may_stand(right, first)
                    && !self.successors[left].iter().any(is_between)
                    && !self.predecessors[right].iter().any(is_between)
            }
            Move::Reverse { first, last } => (first..=last).all(|rank| {
                let item = order[rank];
                may_stand(item, first + last - rank)
                    && !self.successors[item].iter().any(|&after| ranks[after] <= last)
            }),
        }
    }

    /// Builds an order rank by rank: `choose` is given the items that may come next, ascending, and picks one by its place
    /// in the list. With pins or windows O(k²), else O(k + pairs) beside the lists.
    pub(crate) fn build(&self, stages: &mut Stages, mut choose: impl FnMut(usize, &[usize]) -> usize) {
        let items = self.items();
        stages.reset(self);
        for rank in 0..items {
            let urgent = if self.has_ranks() { stages.tightest(rank) } else { items };
            let may_come = |item: &usize| self.earliest[*item] <= rank && self.latest[*item] <= urgent;
            stages.candidates.clear();
            stages.candidates.extend(stages.open.iter().copied().filter(may_come));
            let item = stages.candidates[choose(rank, &stages.candidates)];
            stages.place(self, item);
        }
    }
}

impl Stated {
    /// The rank of every item that is pinned.
    fn ranks_of_pins(&self) -> Result<Vec<Option<usize>>, Error> {
        let items = self.items;
        let (mut rank_of, mut item_at) = (vec![None; items], vec![None; items]);
        for &(item, rank) in &self.pins {
            check_item(item, items)?;
            if rank >= items {
                return Err(Error::PinOutside { item, rank, items });
            }
            match (rank_of[item], item_at[rank]) {
                (Some(other), _) if other != rank => {
                    return Err(Error::PinnedTwice { item, first: other, second: rank });
                }
                (_, Some(other)) if other != item => {
                    return Err(Error::PinsShareRank { rank, first: other, second: item });
                }
                _ => (rank_of[item], item_at[rank]) = (Some(rank), Some(item)),
            }
        }
        Ok(rank_of)
    }
}

/// Room for [`Constraints::build`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Stages {
    waiting: Vec<usize>,
    /// Items whose predecessors are all placed, ascending.
    open: Vec<usize>,
    candidates: Vec<usize>,
    /// How many of the items that are left have each rank as their latest.
    due: Vec<usize>,
}

impl Stages {
    fn reset(&mut self, constraints: &Constraints) {
        self.waiting.clear();
        self.waiting.extend(constraints.predecessors.iter().map(Vec::len));
        self.open.clear();
        self.open.extend((0..constraints.items()).filter(|&item| self.waiting[item] == 0));
        self.due.clear();
        self.due.resize(constraints.items(), 0);
        for &rank in &constraints.latest {
            self.due[rank] += 1;
        }
    }

    /// The first rank up to which every rank from this one on is needed by items that must be placed by then.
    fn tightest(&self, rank: usize) -> usize {
        let mut owed = 0;
        for last in rank..self.due.len() {
            owed += self.due[last];
            if owed == last - rank + 1 {
                return last;
            }
        }
        self.due.len()
    }

    fn place(&mut self, constraints: &Constraints, item: usize) {
        self.due[constraints.latest[item]] -= 1;
        if let Ok(at) = self.open.binary_search(&item) {
            self.open.remove(at);
        }
        for &next in &constraints.successors[item] {
            self.waiting[next] -= 1;
            if self.waiting[next] == 0 {
                let at = self.open.partition_point(|&other| other < next);
                self.open.insert(at, next);
            }
        }
    }
}

fn check_item(item: usize, items: usize) -> Result<(), Error> {
    if item < items { Ok(()) } else { Err(Error::UnknownItem { item, rank: 0, items }) }
}
