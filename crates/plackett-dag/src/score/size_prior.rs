//! How likely a set of parents is before the data are seen, by its size.

use plackett::elementary::ln;

/// The prior probability of a parent set by its size, up to a factor. Equivalent graphs have the same: reversing a covered edge
/// exchanges the numbers of parents of two nodes.
///
/// ```
/// assert_eq!(plackett_dag::parent_sets::SizePrior::default(), plackett_dag::parent_sets::SizePrior::Even);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SizePrior {
    /// All sets alike.
    #[default]
    Even,
    /// All sizes alike, and all sets of a size: 1/binom(d − 1, |S|) (Friedman and Koller). Favors few parents.
    EvenSizes,
}

impl SizePrior {
    /// −log of the prior for each size up to `limit`, in a graph of so many nodes.
    pub(crate) fn costs(self, nodes: usize, limit: usize) -> Vec<f64> {
        let others = nodes.saturating_sub(1);
        let mut costs = vec![0.0];
        for size in 1..=limit.min(others) {
            let step = ln((others + 1 - size) as f64 / size as f64);
            costs.push(match self {
                Self::Even => 0.0,
                Self::EvenSizes => costs[size - 1] + step,
            });
        }
        costs
    }
}
