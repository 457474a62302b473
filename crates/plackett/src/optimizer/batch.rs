//! A batch of proposals and the answers to them.

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The answer to a proposal.
///
/// ```
/// use plackett::optimizer::Answer;
/// assert_eq!(Answer::Parts(vec![1.0, 2.5]).value(), Some(3.5));
/// assert_eq!(Answer::Failed("out of memory".to_owned()).value(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The order's value.
    Value(f64),
    /// What every rank adds to the value once the ranks before it are fixed, first rank first.
    Parts(Vec<f64>),
    /// The evaluation failed, and why.
    Failed(String),
}

impl Answer {
    /// The value, the sum of the parts, or none of a failure.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Parts(parts) => Some(parts.iter().sum()),
            Self::Failed(_) => None,
        }
    }

    /// A failure instead of a value that is not finite.
    pub(super) fn checked(self) -> Self {
        match self.value() {
            Some(value) if !value.is_finite() => Self::Failed(format!("the value is {value}")),
            _ => self,
        }
    }
}

/// Where a batch comes from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Origin {
    /// Drawn at these scores, the first order from this stream of noise and the others from those after it.
    Gradient { scores: Vec<f64>, stream: u64 },
    /// The order to refine next.
    Start,
    /// Moves of the order being refined.
    Moves,
    /// The next order of the walk.
    Walk,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Batch {
    first_id: u64,
    origin: Origin,
    orders: Vec<Vec<usize>>,
    answers: Vec<Option<Answer>>,
    /// How many of the orders have been asked.
    given: usize,
}

impl Batch {
    pub(super) fn new(first_id: u64, origin: Origin, orders: Vec<Vec<usize>>) -> Self {
        Self { first_id, origin, answers: vec![None; orders.len()], orders, given: 0 }
    }

    pub(super) fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(super) fn len(&self) -> usize {
        self.orders.len()
    }

    pub(super) fn left(&self) -> usize {
        self.orders.len() - self.given
    }

    pub(super) fn is_left(&self) -> bool {
        self.left() > 0
    }

    /// The next order that has not been asked.
    pub(super) fn give(&mut self) -> Option<(u64, &[usize])> {
        let order = self.orders.get(self.given)?;
        self.given += 1;
        Some((self.first_id + self.given as u64 - 1, order))
    }

    pub(super) fn contains(&self, id: u64) -> bool {
        (self.first_id..self.first_id + self.given as u64).contains(&id)
    }

    pub(super) fn pending(&self) -> impl Iterator<Item = (u64, &[usize])> {
        let given = self.orders.iter().zip(&self.answers).zip(self.first_id..).take(self.given);
        given.filter(|((_, answer), _)| answer.is_none()).map(|((order, _), id)| (id, order.as_slice()))
    }

    /// The number of the first proposal of this order without an answer.
    pub(super) fn waiting_for(&self, order: &[usize]) -> Option<u64> {
        self.pending().find(|(_, pending)| *pending == order).map(|(id, _)| id)
    }

    /// Takes an answer and returns the order that it is about.
    pub(super) fn answer(&mut self, id: u64, answer: Answer) -> Result<&[usize], Error> {
        let at = usize::try_from(id - self.first_id).unwrap_or(usize::MAX);
        match self.answers.get_mut(at) {
            Some(slot @ None) => *slot = Some(answer),
            _ => return Err(Error::NotAsked { id }),
        }
        Ok(&self.orders[at])
    }

    /// Whether all of it has been asked and answered.
    pub(super) fn is_settled(&self) -> bool {
        self.given == self.orders.len() && self.answers.iter().all(Option::is_some)
    }

    /// The orders that have a value, by their place in the batch.
    pub(super) fn successes(&self) -> impl Iterator<Item = (usize, &[usize], &Answer, f64)> {
        self.orders.iter().zip(&self.answers).enumerate().filter_map(|(at, (order, answer))| {
            let answer = answer.as_ref()?;
            Some((at, order.as_slice(), answer, answer.value()?))
        })
    }

    /// Whether its lists fit each other and an order of so many items: what a saved state must obey.
    #[cfg(feature = "json")]
    pub(super) fn is_sound(&self, is_order: impl Fn(&[usize]) -> bool, items: usize) -> bool {
        let scores_fit = match &self.origin {
            Origin::Gradient { scores, .. } => scores.len() == items && scores.iter().all(|s| s.is_finite()),
            Origin::Start | Origin::Moves | Origin::Walk => true,
        };
        let parts_fit = self.answers.iter().flatten().all(|answer| match answer {
            Answer::Parts(parts) => parts.len() == items,
            Answer::Value(value) => value.is_finite(),
            Answer::Failed(_) => true,
        });
        scores_fit
            && parts_fit
            && self.given <= self.orders.len()
            && self.answers.len() == self.orders.len()
            && self.answers[self.given..].iter().all(Option::is_none)
            && self.orders.iter().all(|order| is_order(order))
    }
}
