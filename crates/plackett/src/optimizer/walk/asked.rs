//! Which orders have been asked, and one that has not when chance no longer finds any.

use std::{
    collections::HashSet,
    hash::{BuildHasherDefault, Hasher},
};

use crate::constraints::{Constraints, Stages};

/// Orders asked, by a number of 64 bits. Two orders share one with probability 10⁻¹¹ among ten thousand; the second is then
/// taken for asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    numbers: HashSet<u64, BuildHasherDefault<AsItIs>>,
    /// Where the search through all orders has come to: the choice made at every rank.
    choices: Vec<usize>,
    is_through: bool,
}

/// The numbers are mixed already.
#[derive(Clone, Copy, Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

impl Asked {
    /// Notes an order, by the ranks that count; false if it was asked before.
    pub(super) fn insert(&mut self, order: &[usize]) -> bool {
        self.numbers.insert(number(order))
    }

    /// The next order in lexicographic order that keeps the constraints and has not been asked, noted; none if all have been.
    pub(super) fn next_of_all(&mut self, constraints: &Constraints, top: usize) -> Option<Vec<usize>> {
        let items = constraints.items();
        self.choices.resize(items, 0);
        let mut stages = Stages::default();
        let (mut order, mut widths) = (Vec::with_capacity(items), vec![0; items]);
        while !self.is_through {
            order.clear();
            constraints.build(&mut stages, |rank, candidates| {
                widths[rank] = candidates.len();
                order.push(candidates[self.choices[rank]]);
                self.choices[rank]
            });
            // The next choices, as on an odometer. Ranks that do not count do not turn.
            match (0..top).rev().find(|&rank| self.choices[rank] + 1 < widths[rank]) {
                Some(rank) => {
                    self.choices[rank] += 1;
                    self.choices[rank + 1..].fill(0);
                }
                None => self.is_through = true,
            }
            if self.insert(&order[..top]) {
                return Some(order);
            }
        }
        None
    }
}

/// A sum over ranks of well mixed numbers, one for each item and rank.
fn number(order: &[usize]) -> u64 {
    order.iter().enumerate().fold(0, |sum: u64, (rank, &item)| {
        let mixed = ((rank as u64) << 32 | item as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        sum.wrapping_add(mixed ^ (mixed >> 29))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_come_once() {
        let free = Constraints::none(5);
        let mut asked = Asked::default();
        assert!(asked.insert(&[3, 1, 0, 2, 4]) && !asked.insert(&[3, 1, 0, 2, 4]));
        let mut found = Vec::new();
        while let Some(order) = asked.next_of_all(&free, 5) {
            found.push(order);
        }
        found.dedup();
        assert_eq!(found.len(), 119);
        // Pairs out of five, without order of the rest.
        let mut asked = Asked::default();
        assert_eq!(std::iter::from_fn(|| asked.next_of_all(&free, 2)).count(), 20);
        // Item 0 before 1 before 2, item 3 in the middle: 4 takes one of four places.
        let tight = Constraints::new(5, &[(0, 1), (1, 2)], &[(3, 2)]).unwrap();
        let mut asked = Asked::default();
        let all: Vec<_> = std::iter::from_fn(|| asked.next_of_all(&tight, 5)).collect();
        assert!(all.len() == 4 && all.iter().all(|order| tight.check(order).is_ok()), "{all:?}");
    }
}
