//! What a score charges for parents before the data are seen, by their number.

use crate::score::FamilyScore;

/// The price of each number of parents, and the least of all that are as many or more: what no larger set can go below.
pub(super) struct Prices {
    by_size: Vec<f64>,
    least: Vec<f64>,
}

impl Prices {
    pub(super) fn new(score: &dyn FamilyScore, largest: usize) -> Self {
        let by_size: Vec<f64> = (0..=largest).map(|size| score.price(size)).collect();
        let mut least = by_size.clone();
        for size in (0..largest).rev() {
            least[size] = least[size].min(least[size + 1]);
        }
        Self { by_size, least }
    }

    pub(super) fn of(&self, size: usize) -> f64 {
        self.by_size[size]
    }

    pub(super) fn least(&self, size: usize) -> f64 {
        self.least[size]
    }
}
