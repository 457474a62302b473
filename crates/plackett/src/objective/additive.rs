//! Objectives that are sums over ranks, pairs and neighbors: their expectations are known without listing orders.

use super::Objective;
use crate::{
    elementary::log2,
    error::{Error, ObjectiveError, check_finite, check_length, check_setting},
};

/// f(b) = c + Σ_r C\[r, b_r\] + Σ W\[i, j\] over pairs with i before j + Σ A\[i, j\] over neighbors with j right after i + B\[b_1, b_k\].
///
/// Assignment problems are the first sum, linear ordering the second, open tours the third, and closed tours the last two. An
/// objective that [says so](Objective::additive) has an [exact](crate::estimator::Exact) expectation and gradient for hundreds of items.
///
/// ```
/// use plackett::{Additive, Objective, PlackettLuce, estimator::Exact};
/// let items = 100;
/// let late = (0..items * items).map(|at| (at / items * (at % items)) as f64).collect(); // C[rank, item] = rank · item
/// let mut objective = Additive::new(items)?.with_positions(late)?;
/// let latent = PlackettLuce::new(&vec![0.0; items])?;
/// let (mean, gradient) = Exact::new(&latent, &mut objective)?.expectation(&latent).map(|(mean, g)| (mean, g.to_vec()))?;
/// assert!((mean - 49.5 * 49.5 * 100.0).abs() < 1e-6); // all ranks alike
/// assert!(gradient[0] > 0.0 && gradient[99] < 0.0); // to make it small, 99 should come early
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Additive {
    items: usize,
    constant: f64,
    positions: Option<Vec<f64>>,
    precedences: Option<Vec<f64>>,
    neighbors: Option<Vec<f64>>,
    ends: Option<Vec<f64>>,
}

impl Additive {
    /// Nothing yet: zero on every order of k items.
    ///
    /// # Errors
    /// No items.
    pub fn new(items: usize) -> Result<Self, Error> {
        if items == 0 {
            return Err(Error::Empty { what: "the additive objective" });
        }
        Ok(Self { items, constant: 0.0, positions: None, precedences: None, neighbors: None, ends: None })
    }

    /// With a constant.
    ///
    /// # Errors
    /// A constant that is not finite.
    pub fn with_constant(mut self, constant: f64) -> Result<Self, Error> {
        check_finite("the constant", &[constant])?;
        self.constant = constant;
        Ok(self)
    }

    /// With costs of items at ranks, a row of k for each of the first ranks; later ranks cost nothing.
    ///
    /// ```
    /// use plackett::{Additive, Objective};
    /// let mut first = Additive::new(3)?.with_positions(vec![5.0, 6.0, 7.0])?; // the item of rank 0 alone
    /// assert_eq!(first.evaluate(&[2, 0, 1]).unwrap(), 7.0);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Not whole rows, more of them than items, or a cost that is not finite.
    pub fn with_positions(mut self, costs: Vec<f64>) -> Result<Self, Error> {
        let rows = costs.len().div_ceil(self.items).clamp(1, self.items);
        check_length("the costs of ranks", costs.len(), rows * self.items)?;
        check_finite("the costs of ranks", &costs)?;
        self.positions = Some(costs);
        Ok(self)
    }

    /// With the discounted cumulative gain of the first `top` ranks, negated because objectives are minimized:
    /// C\[r, i\] = −gain_i / log₂(r + 2).
    ///
    /// ```
    /// use plackett::{Additive, Objective};
    /// let mut dcg = Additive::new(3)?.with_gains(&[3.0, 0.0, 1.0], 2)?;
    /// assert!((dcg.evaluate(&[0, 2, 1]).unwrap() + 3.0 + 1.0 / 3f64.log2()).abs() < 1e-15);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Another number of gains than of items, one that is not finite, or no rank.
    pub fn with_gains(self, gains: &[f64], top: usize) -> Result<Self, Error> {
        check_length("the list of gains", gains.len(), self.items)?;
        check_setting("top", top as f64, top > 0, "at least 1 is needed")?;
        let ranks = top.min(self.items);
        let cost = |rank: usize| gains.iter().map(move |gain| -gain / log2(rank as f64 + 2.0));
        self.with_positions((0..ranks).flat_map(cost).collect())
    }

    /// With costs of pairs in the order in which they come: entry (i, j) is paid if i comes before j.
    ///
    /// # Errors
    /// Another number of costs than k², or one that is not finite.
    pub fn with_precedences(mut self, costs: Vec<f64>) -> Result<Self, Error> {
        self.precedences = Some(self.checked("the costs of pairs", costs)?);
        Ok(self)
    }

    /// With costs of neighbors: entry (i, j) is paid if j comes right after i.
    ///
    /// # Errors
    /// Another number of costs than k², or one that is not finite.
    pub fn with_neighbors(mut self, costs: Vec<f64>) -> Result<Self, Error> {
        self.neighbors = Some(self.checked("the costs of neighbors", costs)?);
        Ok(self)
    }

    /// With costs of the first and the last item: entry (i, j) is paid if i is the first and j the last.
    ///
    /// # Errors
    /// Another number of costs than k², or one that is not finite.
    pub fn with_ends(mut self, costs: Vec<f64>) -> Result<Self, Error> {
        self.ends = Some(self.checked("the costs of the ends", costs)?);
        Ok(self)
    }

    /// With the length of a tour through all items and back again: neighbors, and the way from the last to the first.
    ///
    /// ```
    /// use plackett::{Additive, Objective};
    /// let mut tour = Additive::new(3)?.with_tour(&[0.0, 1.0, 2.0, 4.0, 0.0, 8.0, 16.0, 32.0, 0.0])?;
    /// assert_eq!(tour.evaluate(&[0, 1, 2]).unwrap(), 1.0 + 8.0 + 16.0);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Another number of distances than k², or one that is not finite.
    pub fn with_tour(self, distances: &[f64]) -> Result<Self, Error> {
        let items = self.items;
        check_length("the distances", distances.len(), items * items)?;
        let back = (0..items * items).map(|at| distances[at % items * items + at / items]).collect();
        self.with_neighbors(distances.to_vec())?.with_ends(back)
    }

    fn checked(&self, what: &'static str, costs: Vec<f64>) -> Result<Vec<f64>, Error> {
        check_length(what, costs.len(), self.items * self.items)?;
        check_finite(what, &costs)?;
        Ok(costs)
    }

    /// The number of items, k.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The constant c.
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// C, a row for each of the first ranks.
    pub fn positions(&self) -> Option<&[f64]> {
        self.positions.as_deref()
    }

    /// W, by rows.
    pub fn precedences(&self) -> Option<&[f64]> {
        self.precedences.as_deref()
    }

    /// A, by rows.
    pub fn neighbors(&self) -> Option<&[f64]> {
        self.neighbors.as_deref()
    }

    /// B, by rows.
    pub fn ends(&self) -> Option<&[f64]> {
        self.ends.as_deref()
    }

    pub(crate) fn terms(&self) -> Terms<'_> {
        Terms {
            items: self.items,
            constant: self.constant,
            positions: self.positions(),
            precedences: self.precedences(),
            neighbors: self.neighbors(),
            ends: self.ends(),
        }
    }
}

/// The coefficients of a sum over ranks, pairs and neighbors, wherever they are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    pub(crate) items: usize,
    pub(crate) constant: f64,
    pub(crate) positions: Option<&'a [f64]>,
    pub(crate) precedences: Option<&'a [f64]>,
    pub(crate) neighbors: Option<&'a [f64]>,
    pub(crate) ends: Option<&'a [f64]>,
}

impl Terms<'_> {
    /// The sum for a list that is an order of these items, or for ranks alone its beginning. O(k), and O(k²) with precedences.
    pub(crate) fn value(&self, order: &[usize]) -> f64 {
        let items = self.items;
        let mut value = self.constant;
        if let Some(costs) = self.positions {
            value += costs.chunks_exact(items).zip(order).map(|(row, &item)| row[item]).sum::<f64>();
        }
        if let Some(costs) = self.precedences {
            for (rank, &item) in order.iter().enumerate() {
                let row = &costs[item * items..][..items];
                value += order[rank + 1..].iter().map(|&later| row[later]).sum::<f64>();
            }
        }
        if let Some(costs) = self.neighbors {
            value += order.windows(2).map(|pair| costs[pair[0] * items + pair[1]]).sum::<f64>();
        }
        if let (Some(costs), [first, .., last]) = (self.ends, order) {
            value += costs[first * items + last];
        }
        value
    }
}

impl Objective for Additive {
    fn evaluate(&mut self, outcome: &[usize]) -> Result<f64, ObjectiveError> {
        if outcome.len() != self.items || outcome.iter().any(|&item| item >= self.items) {
            return Err(format!("{outcome:?} is no order of {} items", self.items).into());
        }
        Ok(self.terms().value(outcome))
    }

    fn additive(&self) -> Option<Additive> {
        Some(self.clone())
    }
}
