//! Searches over orders, each on any local score: gradient descent on a Plackett–Luce
//! distribution, one-node insertions, and exact dynamic programming over subsets.

mod exact;
mod expansion;
mod expectation;
mod insertion;
mod order_mcmc;
mod plackett_luce;
mod posterior;
mod walk;

pub use exact::{Exact, LocalTable};
pub use expansion::{Expanded, Expansion};
pub use expectation::Expectation;
pub use insertion::Insertion;
pub use order_mcmc::{McmcSolution, McmcState, OrderMcmc};
pub use plackett_luce::{GradientKind, PlSearch, PlSolution};
pub use posterior::EdgePosterior;

use crate::{Dag, NodeSet, Oracle, Result};

/// An order with its score and the best graph that follows it.
///
/// ```
/// use std::sync::Arc;
/// use plackett_dag::{Bic, Gram, Insertion, NodeSet, Oracle, ScoreSettings};
/// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let mut oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
/// let found = Insertion::default().run(&mut oracle)?;
/// assert_eq!(found.score, oracle.order_score(&found.order)?);
/// assert_eq!(found.parents.iter().map(NodeSet::len).sum::<usize>(), 1);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct OrderSolution {
    /// `order[rank]` is the node at that rank, causes first.
    pub order: Vec<usize>,
    /// Sum of the local scores.
    pub score: f64,
    /// The parents of each node.
    pub parents: Vec<NodeSet>,
}

impl OrderSolution {
    /// The best graph that follows the order, all weights one.
    ///
    /// # Errors
    /// None for a solution that a search gave.
    ///
    /// ```
    /// use plackett_dag::{NodeSet, OrderSolution};
    /// let parents = vec![NodeSet::default(), NodeSet::full(1)];
    /// let solution = OrderSolution { order: vec![0, 1], score: 0.0, parents };
    /// assert!(solution.dag()?.has_edge(0, 1));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn dag(&self) -> Result<Dag> {
        Dag::from_parents(self.parents.iter().map(|parents| parents.iter().collect()).collect())
    }

    pub(crate) fn of(order: Vec<usize>, oracle: &mut Oracle) -> Result<Self> {
        let score = oracle.order_score(&order)?;
        let parents = oracle.order_parents(&order)?;
        Ok(Self { order, score, parents })
    }
}
