//! The paper's score Q̂, local part: r(i, S) = min over w supported on S of `½·E(x_i − w·x)² + λ‖w‖₁`.

use std::sync::Arc;

use plackett::run::Run;

use super::lasso::Lasso;
use super::{Choice, LocalScore, ScoreEntry, ScoreSettings, Scratch};
use crate::error::check_positive;
use crate::pace::Pace;
use crate::{Gram, NodeSet, Result};

pub(super) const ENTRY: ScoreEntry = ScoreEntry {
    name: "l1",
    summary: "half the residual variance plus lambda times the sum of absolute weights (the paper's score)",
    needs_rows: false,
    build: |gram, settings| Ok(Arc::new(L1::new(gram, settings)?)),
};

/// The L1 score of the paper, minimized exactly.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, LocalScore, NodeSet, score::{L1, ScoreSettings, Scratch}};
/// let gram = Arc::new(Gram::from_matrix(100, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let score = L1::new(gram, &ScoreSettings::default())?;
/// let choice = score.best(1, &NodeSet::full(1), &NodeSet::default(), &mut Scratch::default(), &Run::default()).unwrap();
/// // Soft threshold: w = 2 − 0.5, so ½(5 − 2·2·1.5 + 1.5²) + 0.5·1.5.
/// assert_eq!(choice.score, 1.375);
/// assert_eq!(score.weights(1, &choice.parents), Some(vec![1.5]));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct L1 {
    gram: Arc<Gram>,
    lambda: f64,
}

impl L1 {
    /// λ of the paper's experiments.
    pub const DEFAULT_LAMBDA: f64 = 0.5;

    /// The score on `gram` with the settings' λ.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) unless λ is positive and finite: without a penalty the parents are not unique.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, score::{L1, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(10, 1, vec![1.0])?);
    /// assert!(L1::new(gram, &ScoreSettings { lambda: 0.0, ..Default::default() }).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(gram: Arc<Gram>, settings: &ScoreSettings) -> Result<Self> {
        let lambda = settings.lambda;
        check_positive("lambda", lambda)?;
        Ok(Self { gram, lambda })
    }
}

impl LocalScore for L1 {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn nodes(&self) -> usize {
        self.gram.nodes()
    }

    /// A required parent costs what its weight costs, which may be nothing.
    fn best(
        &self,
        node: usize,
        allowed: &NodeSet,
        required: &NodeSet,
        scratch: &mut Scratch,
        run: &Run<'_>,
    ) -> Option<Choice> {
        let lasso: &mut Lasso = scratch.space();
        let score = lasso.solve(self.gram.of(node), node, allowed, self.lambda, &mut Pace::new(run))?;
        let mut parents = NodeSet::with_capacity(self.gram.nodes());
        for parent in lasso.support().iter().copied().chain(required) {
            parents.insert(parent);
        }
        let score = self.gram.of(node).share() * score;
        Some(Choice { score, witness: parents.clone(), parents })
    }

    /// It is a sum of squares per row.
    fn temperature(&self) -> f64 {
        1.0 / self.gram.rows() as f64
    }

    /// With the weights that cost least, of which some may be zero.
    fn cost(&self, node: usize, parents: &NodeSet) -> Option<f64> {
        let own = self.gram.of(node);
        let cost =
            Lasso::default().solve(own, node, parents, self.lambda, &mut Pace::new(&Run::default()))?;
        Some(own.share() * cost)
    }

    fn weights(&self, node: usize, parents: &NodeSet) -> Option<Vec<f64>> {
        let mut lasso = Lasso::default();
        lasso.solve(self.gram.of(node), node, parents, self.lambda, &mut Pace::new(&Run::default()))?;
        let weight =
            |parent| lasso.support().iter().position(|&a| a == parent).map_or(0.0, |at| lasso.weights()[at]);
        Some(parents.iter().map(weight).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interventions, gram::Centering};

    #[test]
    fn a_node_that_was_set_costs_its_share_of_the_rows() {
        // One parent: its weight is a soft threshold, and the rows in which the node was set say nothing.
        let lambda = 0.1;
        let values: Vec<(f64, f64)> =
            (0..40).map(|row| f64::from(row * row % 23)).map(|x| (x, 0.5 * x)).collect();
        let rows: Vec<f64> =
            values.iter().enumerate().flat_map(|(row, &(x, y))| [x, y + (row % 3) as f64]).collect();
        let is_set = |row: usize| row >= 30;
        let told =
            Interventions::new(2, (0..40).map(|row| if is_set(row) { vec![1] } else { vec![] })).unwrap();
        let gram = Gram::with_interventions(&rows, &told, Centering::Center).unwrap();
        let score = L1::new(Arc::new(gram), &ScoreSettings { lambda, ..ScoreSettings::default() }).unwrap();
        let kept = Gram::from_rows(&rows[..60], 2, Centering::Center).unwrap();
        let (own, variance) = (kept.entry(0, 1), kept.entry(0, 0));
        let weight = (own - lambda) / variance;
        let cost =
            0.5 * (kept.entry(1, 1) - 2.0 * weight * own + weight * weight * variance) + lambda * weight;
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
        let parents = NodeSet::full(1);
        close(score.cost(1, &parents).unwrap(), 0.75 * cost);
        close(score.cost(1, &NodeSet::default()).unwrap(), 0.75 * 0.5 * kept.entry(1, 1));
        let best =
            score.best(1, &parents, &NodeSet::default(), &mut Scratch::default(), &Run::default()).unwrap();
        close(best.score, 0.75 * cost);
        close(score.weights(1, &parents).unwrap()[0], weight);
        assert_eq!((score.name(), best.parents), ("l1", parents));
    }
}
