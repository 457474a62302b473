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
