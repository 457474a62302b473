//! The features of an order that a surrogate is linear in, and which of them it reads.

use crate::objective::Terms;

/// Families of features of an order. Each has an exact expectation and gradient.
///
/// ```
/// use plackett::{Families, Surrogate, SurrogateSettings};
/// let settings = SurrogateSettings { families: Some(Families::POSITIONS), ..SurrogateSettings::default() };
/// let surrogate = Surrogate::with_settings(50, settings)?;
/// assert_eq!(surrogate.families(), Families::NONE); // before it has seen anything
/// # Ok::<(), plackett::Error>(())
/// ```
#[allow(clippy::struct_excessive_bools, reason = "a set of four things, each in it or not")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Families {
    /// Which item stands at which rank.
    pub positions: bool,
    /// Which item comes before which.
    pub precedences: bool,
    /// Which item comes right after which.
    pub neighbors: bool,
    /// Which item is the first while which is the last: what closes a tour.
    pub ends: bool,
}

impl Families {
    /// No features: a constant.
    pub const NONE: Self = Self { positions: false, precedences: false, neighbors: false, ends: false };
    /// All of them.
    pub const ALL: Self = Self { positions: true, precedences: true, neighbors: true, ends: true };
    /// Ranks alone.
    pub const POSITIONS: Self = Self { positions: true, ..Self::NONE };
    /// Pairs alone.
    pub const PRECEDENCES: Self = Self { precedences: true, ..Self::NONE };
    /// Tours: neighbors and ends.
    pub const TOURS: Self = Self { neighbors: true, ends: true, ..Self::NONE };

    /// Those that are in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            positions: self.positions && other.positions,
            precedences: self.precedences && other.precedences,
            neighbors: self.neighbors && other.neighbors,
            ends: self.ends && other.ends,
        }
    }
}

/// Where the coefficients of every family stand in one list, and by what a family's features are multiplied before they are fitted: so
/// much that over all orders alike the variances of each family's features sum to about one.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) items: usize,
    pub(super) ranks: usize,
    pairs_from: usize,
    neighbors_from: usize,
    ends_from: usize,
    length: usize,
    scales: [f64; 4],
}

impl Layout {
    /// For the first `ranks` ranks of orders of `items`, and all pairs of items if those are all the ranks.
    pub(super) fn new(items: usize, ranks: usize, families: Families) -> Self {
        let square = items * items;
        let size = |is_there: bool| if is_there { square } else { 0 };
        let pairs_from = if families.positions { ranks * items } else { 0 };
        let neighbors_from = pairs_from + size(families.precedences);
        let ends_from = neighbors_from + size(families.neighbors);
        let k = items as f64;
        let per_rank = 1.0 / (ranks as f64).sqrt();
        let scales = [per_rank, 2.0 / (k * (k - 1.0).max(1.0)).sqrt(), 1.0 / k.sqrt(), 1.0];
        Self {
            items,
            ranks,
            pairs_from,
            neighbors_from,
            ends_from,
            length: ends_from + size(families.ends),
            scales,
        }
    }

    /// How many coefficients that takes, if they can be counted.
    pub(super) fn size(items: usize, ranks: usize, families: Families) -> Option<usize> {
        let square = items.checked_mul(items)?;
        let Families { positions, precedences, neighbors, ends } = families;
        let squares = [precedences, neighbors, ends].into_iter().filter(|is_there| *is_there).count();
        let of_ranks = if positions { ranks * items } else { 0 };
        square.checked_mul(squares)?.checked_add(of_ranks)
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The coefficients of some families as a sum over ranks, pairs and neighbors.
    pub(super) fn terms<'a>(&self, coefficients: &'a [f64], constant: f64, families: Families) -> Terms<'a> {
        let part =
            |is_there: bool, from: usize, length: usize| is_there.then(|| &coefficients[from..][..length]);
        let square = self.items * self.items;
        Terms {
            items: self.items,
            constant,
            positions: part(families.positions, 0, self.ranks * self.items),
            precedences: part(families.precedences, self.pairs_from, square),
            neighbors: part(families.neighbors, self.neighbors_from, square),
            ends: part(families.ends, self.ends_from, square),
        }
    }

    /// Takes over the coefficients of a sum; ranks that cost nothing are filled up.
    pub(super) fn write(&self, terms: Terms<'_>, coefficients: &mut [f64]) {
        let parts = [
            (terms.positions, 0),
            (terms.precedences, self.pairs_from),
            (terms.neighbors, self.neighbors_from),
            (terms.ends, self.ends_from),
        ];
        for (part, from) in parts {
            let part = part.unwrap_or_default();
            coefficients[from..][..part.len()].copy_from_slice(part);
        }
    }

    /// Multiplies the coefficients of each family by its scale.
    pub(super) fn scale(&self, coefficients: &mut [f64], families: Families) {
        let square = self.items * self.items;
        let parts = [
            (families.positions, 0, self.ranks * self.items),
            (families.precedences, self.pairs_from, square),
            (families.neighbors, self.neighbors_from, square),
            (families.ends, self.ends_from, square),
        ];
        for ((is_there, from, length), scale) in parts.into_iter().zip(self.scales) {
            if is_there {
                coefficients[from..][..length].iter_mut().for_each(|c| *c *= scale);
            }
        }
    }

    /// Adds an amount to the coefficients of all features that an order has.
    pub(super) fn add(&self, sums: &mut [f64], order: &[usize], amount: f64, families: Families) {
        let items = self.items;
        if families.positions {
            for (row, &item) in sums.chunks_exact_mut(items).zip(&order[..self.ranks]) {
                row[item] += amount;
            }
        }
        if families.precedences {
            let pairs = &mut sums[self.pairs_from..];
            for (rank, &item) in order.iter().enumerate() {
                let row = &mut pairs[item * items..][..items];
                order[rank + 1..].iter().for_each(|&later| row[later] += amount);
            }
        }
        if families.neighbors {
            let pairs = &mut sums[self.neighbors_from..];
            order.windows(2).for_each(|pair| pairs[pair[0] * items + pair[1]] += amount);
        }
        if let (true, [first, .., last]) = (families.ends, order) {
            sums[self.ends_from + first * items + last] += amount;
        }
    }
}
