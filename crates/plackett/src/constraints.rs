//! What an order must keep: items before others, and items at ranks.
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

/// Precedences (item a before item b) and pins (item i at rank r) that every order must keep.
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
    item_at: Vec<Option<usize>>,
    rank_of: Vec<Option<usize>>,
    /// The latest rank of every item.
    latest: Vec<usize>,
    /// For every rank the first and last of the ranks around it that no pin interrupts.
    free: Vec<(usize, usize)>,
}

/// The constraints as the caller gave them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stated {
    items: usize,
    before: Vec<(usize, usize)>,
    pins: Vec<(usize, usize)>,
}

impl TryFrom<Stated> for Constraints {
    type Error = Error;
    fn try_from(stated: Stated) -> Result<Self, Error> {
        Self::new(stated.items, &stated.before, &stated.pins)
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
            stated: Stated { items, before: Vec::new(), pins: Vec::new() },
            predecessors: vec![Vec::new(); items],
            successors: vec![Vec::new(); items],
            item_at: vec![None; items],
            rank_of: vec![None; items],
            latest: vec![items.saturating_sub(1); items],
            free: vec![(0, items.saturating_sub(1)); items],
        }
    }

    /// Constraints on orders of so many items: pairs (a, b) for "a before b", and pairs (item, rank). O(k² + pairs).
    ///
    /// # Errors
    /// Items or ranks that do not exist, precedences that go round in a circle (which is named), or pins that clash with
    /// each other or with the precedences (named likewise).
    pub fn new(items: usize, before: &[(usize, usize)], pins: &[(usize, usize)]) -> Result<Self, Error> {
        crate::memory::check("the constraints on so many items", BYTES_PER_ITEM * items as u128)?;
        let mut constraints = Self::none(items);
        constraints.stated = Stated { items, before: before.to_vec(), pins: pins.to_vec() };
        for &(first, second) in before {
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
        for &(item, rank) in pins {
            constraints.pin(item, rank)?;
        }
        constraints.find_dates()?;
        Ok(constraints)
    }

    fn pin(&mut self, item: usize, rank: usize) -> Result<(), Error> {
        let items = self.stated.items;
        check_item(item, items)?;
        if rank >= items {
            return Err(Error::PinOutside { item, rank, items });
        }
        match (self.rank_of[item], self.item_at[rank]) {
            (Some(other), _) if other != rank => Err(Error::PinnedTwice { item, first: other, second: rank }),
            (_, Some(other)) if other != item => {
                Err(Error::PinsShareRank { rank, first: other, second: item })
            }
            _ => {
                self.rank_of[item] = Some(rank);
                self.item_at[rank] = Some(item);
                Ok(())
            }
        }
    }

    /// Latest ranks, and the proof that some order keeps everything.
    fn find_dates(&mut self) -> Result<(), Error> {
        let items = self.stated.items;
        let sorted = self.sorted()?;
        let mut earliest = vec![0; items];
        for &item in &sorted {
            let soonest = self.predecessors[item].iter().map(|&p| earliest[p] + 1).max().unwrap_or(0);
            if let Some(rank) = self.rank_of[item].filter(|&rank| rank < soonest) {
                return Err(Error::PinTooEarly { item, rank, earliest: soonest });
            }
            earliest[item] = self.rank_of[item].unwrap_or(soonest);
        }
        for &item in sorted.iter().rev() {
            let room = self.successors[item].iter().map(|&s| self.latest[s]).min();
            let Some(last) = room.map_or(Some(items - 1), |rank| rank.checked_sub(1)) else {
                return Err(self.clash_of(item));
            };
            if earliest[item] > last {
                return Err(self.clash_of(item));
            }
            self.latest[item] = self.rank_of[item].unwrap_or(last);
        }
        self.check_room(&earliest)?;
        let mut start = 0;
        for rank in 0..items {
            let is_pinned = self.item_at[rank].is_some();
            start = if is_pinned { rank + 1 } else { start };
            self.free[rank].0 = start.min(rank);
        }
        let mut end = items.saturating_sub(1);
        for rank in (0..items).rev() {
            let is_pinned = self.item_at[rank].is_some();
            end = if is_pinned { rank.saturating_sub(1) } else { end };
            self.free[rank].1 = end.max(rank);
        }
        Ok(())
    }

    fn clash_of(&self, item: usize) -> Error {
        match self.rank_of[item] {
            Some(rank) => Error::PinTooLate { item, rank },
            None => Error::NoRankLeft { item },
        }
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
    fn check_room(&self, earliest: &[usize]) -> Result<(), Error> {
        if !self.has_pins() {
            return Ok(());
        }
        let items = self.stated.items;
        for last in 0..items {
            let mut starting = vec![0; items];
            for item in (0..items).filter(|&item| self.latest[item] <= last) {
                starting[earliest[item]] += 1;
            }
            let mut held = 0;
            for first in (0..=last).rev() {
                held += starting[first];
                if held > last - first + 1 {
                    let is_held = |&item: &usize| self.latest[item] <= last && earliest[item] >= first;
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
        self.stated.before.is_empty() && !self.has_pins()
    }

    pub(crate) fn has_pins(&self) -> bool {
        !self.stated.pins.is_empty()
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

    /// The first and last rank that the item at `from` may be moved to, the others closing up.
    pub(crate) fn insertion_range(&self, order: &[usize], ranks: &[usize], from: usize) -> (usize, usize) {
        let item = order[from];
        if self.rank_of[item].is_some() {
            return (from, from);
        }
        let (mut low, mut high) = self.free[from];
        for &other in &self.predecessors[item] {
            low = low.max(ranks[other] + 1);
        }
        for &other in &self.successors[item] {
            high = high.min(ranks[other] - 1);
        }
        (low, high)
    }

    /// Whether an order that keeps the constraints still does after the move. O(pairs that it touches).
    pub(crate) fn allow(&self, order: &[usize], ranks: &[usize], step: Move) -> bool {
        if self.is_free() {
            return true;
        }
        match step {
            Move::Insert { from, to } => {
                let (low, high) = self.insertion_range(order, ranks, from);
                (low..=high).contains(&to)
            }
            Move::Swap { first, second } => {
                let (left, right) = (order[first], order[second]);
                let is_between = |item: &usize| (first..=second).contains(&ranks[*item]);
                self.rank_of[left].is_none()
                    && self.rank_of[right].is_none()
                    && !self.successors[left].iter().any(is_between)
                    && !self.predecessors[right].iter().any(is_between)
            }
            Move::Reverse { first, last } => {
                self.free[first].1 >= last
                    && self.item_at[first].is_none()
                    && !order[first..=last]
                        .iter()
                        .any(|&item| self.successors[item].iter().any(|&after| ranks[after] <= last))
            }
        }
    }

    /// Builds an order rank by rank: `choose` is given the items that may come next, ascending, and picks one by its place
    /// in the list. With pins O(k²), else O(k + pairs) beside the lists.
    pub(crate) fn build(&self, stages: &mut Stages, mut choose: impl FnMut(usize, &[usize]) -> usize) {
        let items = self.items();
        stages.reset(self);
        for rank in 0..items {
            stages.candidates.clear();
            let item = if let Some(item) = self.item_at[rank] {
                stages.candidates.push(item);
                choose(rank, &stages.candidates);
                item
            } else {
                let urgent = if self.has_pins() { stages.tightest(rank) } else { items };
                let may_come = |item: &usize| self.rank_of[*item].is_none() && self.latest[*item] <= urgent;
                stages.candidates.extend(stages.open.iter().copied().filter(may_come));
                stages.candidates[choose(rank, &stages.candidates)]
            };
            stages.place(self, item);
        }
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
