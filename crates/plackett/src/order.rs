//! Orders: validated permutations, the paper's b.
//!
//! An order lists items, first-ranked first: `order[rank] = item`. Its permutation matrix P_b has a one
//! at (rank, item), so the identity order has the identity matrix.

use std::{fmt, ops::Deref};

use crate::error::{Error, check_finite};

/// A permutation of the items 0 to k − 1, listed from the first rank to the last.
///
/// ```
/// use plackett::Order;
/// let order = Order::new(vec![2, 0, 1])?;
/// assert_eq!(order[0], 2); // item 2 is ranked first
/// assert_eq!(order.inverse().as_slice(), [1, 2, 0]); // item 0 has rank 1
/// assert_eq!(order.compose(&order.inverse())?, Order::identity(3));
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Order(Vec<usize>);

impl Order {
    /// Takes a list of items as an order. O(k).
    ///
    /// # Errors
    /// An item that stands twice, or one that is not among 0 to k − 1 (so that another is missing).
    pub fn new(items: Vec<usize>) -> Result<Self, Error> {
        check_distinct(&items, items.len())?;
        Ok(Self(items))
    }

    /// The order 0, 1, …, k − 1.
    ///
    /// ```
    /// assert_eq!(plackett::Order::identity(3).as_slice(), [0, 1, 2]);
    /// ```
    pub fn identity(items: usize) -> Self {
        Self((0..items).collect())
    }

    /// The order that sorts numbers descending, ties by the smaller item: the paper's H(z). O(k log k).
    ///
    /// ```
    /// use plackett::Order;
    /// assert_eq!(Order::sorting(&[0.5, 2.0, -1.0])?.as_slice(), [1, 0, 2]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A number that is NaN or infinite.
    pub fn sorting(numbers: &[f64]) -> Result<Self, Error> {
        check_finite("numbers", numbers)?;
        let mut items = vec![0; numbers.len()];
        sort_descending(numbers, &mut items);
        Ok(Self(items))
    }

    /// The items, first-ranked first.
    ///
    /// ```
    /// assert_eq!(plackett::Order::identity(2).as_slice(), [0, 1]);
    /// ```
    pub fn as_slice(&self) -> &[usize] {
        &self.0
    }

    /// The list of items by value.
    ///
    /// ```
    /// assert_eq!(plackett::Order::identity(2).into_vec(), vec![0, 1]);
    /// ```
    pub fn into_vec(self) -> Vec<usize> {
        self.0
    }

    /// The rank of every item, itself a permutation: `inverse[order[rank]] = rank`. O(k).
    ///
    /// ```
    /// use plackett::Order;
    /// assert_eq!(Order::new(vec![2, 0, 1])?.inverse().as_slice(), [1, 2, 0]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut ranks = vec![0; self.len()];
        for (rank, &item) in self.iter().enumerate() {
            ranks[item] = rank;
        }
        Self(ranks)
    }

    /// `self` after `first`: the permutation rank ↦ `self[first[rank]]`. O(k).
    ///
    /// ```
    /// use plackett::Order;
    /// let (a, b) = (Order::new(vec![1, 2, 0])?, Order::new(vec![0, 2, 1])?);
    /// assert_eq!(a.compose(&b)?.as_slice(), [1, 0, 2]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// The two orders are of different lengths.
    pub fn compose(&self, first: &Self) -> Result<Self, Error> {
        crate::error::check_length("the composed order", first.len(), self.len())?;
        Ok(Self(first.iter().map(|&rank| self[rank]).collect()))
    }

    /// The permutation matrix P_b, row-major: entry (rank, `order[rank]`) is one. O(k²).
    ///
    /// ```
    /// use plackett::Order;
    /// assert_eq!(Order::new(vec![1, 0])?.matrix(), [0.0, 1.0, 1.0, 0.0]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn matrix(&self) -> Vec<f64> {
        let items = self.len();
        let mut matrix = vec![0.0; items * items];
        for (rank, &item) in self.iter().enumerate() {
            matrix[rank * items + item] = 1.0;
        }
        matrix
    }

    /// The list itself, for those who leave a permutation in it.
    pub(crate) fn as_mut_vec(&mut self) -> &mut Vec<usize> {
        &mut self.0
    }

    /// Wraps items that are a permutation by construction.
    pub(crate) fn from_sorted(items: Vec<usize>) -> Self {
        debug_assert!(check_distinct(&items, items.len()).is_ok());
        Self(items)
    }
}

impl Deref for Order {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl TryFrom<Vec<usize>> for Order {
    type Error = Error;
    fn try_from(items: Vec<usize>) -> Result<Self, Error> {
        Self::new(items)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rank, item) in self.iter().enumerate() {
            let space = if rank == 0 { "" } else { " " };
            write!(formatter, "{space}{item}")?;
        }
        Ok(())
    }
}

/// Refuses a list of ranked items with a repeated or unknown one. O(k).
pub(crate) fn check_distinct(ranked: &[usize], items: usize) -> Result<(), Error> {
    const UNSEEN: usize = usize::MAX;
    let mut seen = vec![UNSEEN; items];
    for (rank, &item) in ranked.iter().enumerate() {
        match seen.get_mut(item) {
            None => return Err(Error::UnknownItem { item, rank, items }),
            Some(first) if *first != UNSEEN => {
                return Err(Error::RepeatedItem { item, first: *first, second: rank });
            }
            Some(first) => *first = rank,
        }
    }
    Ok(())
}

/// Writes the items into `order`, largest number first, ties by the smaller item.
pub(crate) fn sort_descending(numbers: &[f64], order: &mut [usize]) {
    for (rank, item) in order.iter_mut().enumerate() {
        *item = rank;
    }
    // Adding zero makes −0 and 0 the tie that they are.
    let number = |item: usize| numbers[item] + 0.0;
    order.sort_unstable_by(|&a, &b| number(b).total_cmp(&number(a)).then(a.cmp(&b)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wrong_lists_are_refused_with_their_place() {
        assert!(matches!(Order::new(vec![0, 0]), Err(Error::RepeatedItem { item: 0, first: 0, second: 1 })));
        assert!(matches!(Order::new(vec![0, 3, 1]), Err(Error::UnknownItem { item: 3, rank: 1, items: 3 })));
        assert!(matches!(Order::sorting(&[1.0, f64::NAN]), Err(Error::NotFinite { index: 1, .. })));
        assert!(Order::identity(2).compose(&Order::identity(3)).is_err());
    }

    #[test]
    fn ties_go_to_the_smaller_item() {
        assert_eq!(Order::sorting(&[1.0, 1.0, 2.0]).unwrap().as_slice(), [2, 0, 1]);
        assert_eq!(Order::identity(0).to_string(), "");
        assert_eq!(Order::new(vec![2, 0, 1]).unwrap().to_string(), "2 0 1");
    }

    proptest! {
        #[test]
        fn an_order_and_its_inverse_cancel(numbers in prop::collection::vec(-1e3..1e3, 1..40usize)) {
            let order = Order::sorting(&numbers).unwrap();
            prop_assert_eq!(order.compose(&order.inverse()).unwrap(), Order::identity(numbers.len()));
            prop_assert!(order.windows(2).all(|pair| numbers[pair[0]] >= numbers[pair[1]]));
            let matrix = order.matrix();
            for (rank, row) in matrix.chunks(numbers.len()).enumerate() {
                prop_assert_eq!(row.iter().sum::<f64>(), 1.0);
                prop_assert_eq!(row[order[rank]], 1.0);
            }
        }
    }
}
