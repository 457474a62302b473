//! Changes of an order: one item to another rank, two items exchanged, a stretch turned round.

use serde::{Deserialize, Serialize};

/// A change of an order, by ranks.
///
/// ```
/// use plackett::neighborhood::Move;
/// let mut order = [10, 11, 12, 13];
/// Move::Insert { from: 0, to: 2 }.apply(&mut order);
/// assert_eq!(order, [11, 12, 10, 13]);
/// Move::Swap { first: 0, second: 3 }.apply(&mut order);
/// assert_eq!(order, [13, 12, 10, 11]);
/// Move::Reverse { first: 1, last: 3 }.apply(&mut order);
/// assert_eq!(order, [13, 11, 10, 12]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// The item at rank `from` goes to rank `to`, and those between close up.
    Insert {
        /// Where it stands.
        from: usize,
        /// Where it will stand.
        to: usize,
    },
    /// Two items change places.
    Swap {
        /// The smaller rank.
        first: usize,
        /// The larger rank.
        second: usize,
    },
    /// A stretch of the order is turned round.
    Reverse {
        /// Its first rank.
        first: usize,
        /// Its last rank.
        last: usize,
    },
}

impl Move {
    /// Makes the move. O(ranks between).
    ///
    /// # Panics
    /// If a rank does not exist.
    #[inline]
    pub fn apply(self, order: &mut [usize]) {
        match self {
            Self::Insert { from, to } if from <= to => order[from..=to].rotate_left(1),
            Self::Insert { from, to } => order[to..=from].rotate_right(1),
            Self::Swap { first, second } => order.swap(first, second),
            Self::Reverse { first, last } => order[first..=last].reverse(),
        }
    }

    /// The move that takes it back.
    #[inline]
    pub(crate) fn inverse(self) -> Self {
        match self {
            Self::Insert { from, to } => Self::Insert { from: to, to: from },
            Self::Swap { .. } | Self::Reverse { .. } => self,
        }
    }

    /// The first and last rank that it touches.
    ///
    /// ```
    /// use plackett::neighborhood::Move;
    /// assert_eq!(Move::Insert { from: 5, to: 2 }.span(), (2, 5));
    /// ```
    #[inline]
    pub fn span(self) -> (usize, usize) {
        match self {
            Self::Insert { from, to } => (from.min(to), from.max(to)),
            Self::Swap { first, second } => (first, second),
            Self::Reverse { first, last } => (first, last),
        }
    }
}

/// The kinds of [`Move`].
///
/// ```
/// use plackett::neighborhood::MoveKind;
/// assert_ne!(MoveKind::Insert, MoveKind::Swap);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum MoveKind {
    /// One item to another rank.
    Insert,
    /// Two items exchanged.
    Swap,
    /// A stretch turned round.
    Reverse,
}
