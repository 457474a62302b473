//! Searches over orders, each on any local score: gradient descent on a Plackett–Luce
//! distribution, one-node insertions, and exact dynamic programming over subsets.

mod cached;
mod convergence;
mod exact;
mod expansion;
mod expectation;
mod insertion;
mod order_mcmc;
mod partition_mcmc;
mod plackett_luce;
mod posterior;
mod walk;

pub use exact::{Exact, LocalTable};
pub use expansion::{Expanded, Expansion};
pub use expectation::Expectation;
pub use insertion::Insertion;
pub use order_mcmc::{McmcSolution, OrderMcmc};
pub use plackett_luce::{GradientKind, PlSearch, PlSolution};
pub use posterior::{Convergence, EdgePosterior, PartitionMcmc, WorstEdge};

use std::sync::Arc;

use plackett::run::Run;

use crate::{Dag, LocalScore, NodeSet, Oracle, Result, score::Scratch};

/// An order with its score and the best graph that follows it.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, NodeSet, Oracle, score::{Bic, ScoreSettings}, search::Insertion};
/// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let mut oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
/// let found = Insertion::default().run(&mut oracle, &Run::default());
/// assert_eq!(Some(found.score), oracle.order_score(&found.order, &Run::default())?);
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

    /// The graph without edges, what a search that was over at once has to show. O(d).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, OrderSolution, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let nothing = OrderSolution::empty(&Bic::new(gram, &ScoreSettings::default())?);
    /// assert_eq!((nothing.score, nothing.dag()?.edge_count()), (500.0 * 5_f64.ln(), 0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn empty(score: &dyn LocalScore) -> Self {
        let nodes = score.nodes();
        let (nobody, mut scratch, run) = (NodeSet::with_capacity(nodes), Scratch::default(), Run::default());
        let choices = (0..nodes).map(|node| score.best(node, &nobody, &mut scratch, &run));
        Self {
            order: (0..nodes).collect(),
            score: choices.flatten().map(|choice| choice.score).sum(),
            parents: vec![nobody.clone(); nodes],
        }
    }

    /// The order with its parents as far as there is time to find them; nodes beyond have none.
    ///
    /// # Errors
    /// [`Error::NotAnOrder`](crate::Error::NotAnOrder) unless each node is listed once.
    pub(crate) fn so_far(order: Vec<usize>, oracle: &mut Oracle, run: &Run<'_>) -> Result<Self> {
        let score = Arc::clone(oracle.score());
        if let Some(mut walker) = score.walker(&order, run)
            && let Some(parents) = walker.parents()
        {
            let score = cost_of(score.as_ref(), &parents).unwrap_or_else(|| walker.score());
            return Ok(Self { order, score, parents });
        }
        if let Some(whole) = Self::of(order.clone(), oracle, run)? {
            return Ok(whole);
        }
        let mut solution = Self::empty(oracle.score().as_ref());
        let alone = solution.score;
        let mut before = NodeSet::with_capacity(order.len());
        let nobody = NodeSet::with_capacity(order.len());
        let mut scratch = Scratch::default();
        for &node in &order {
            // What has been solved is known after the end of the run as well.
            let Some(choice) = oracle.best(node, &before, run)? else { break };
            if let Some(nothing) = score.best(node, &nobody, &mut scratch, &Run::default()) {
                solution.score += choice.score - nothing.score;
                solution.parents[node] = choice.parents;
            }
            before.insert(node);
        }
        // Differences may have lost what the sum had.
        solution.score = solution.score.min(alone);
        solution.order = order;
        Ok(solution)
    }

    /// The order with its score and the best parents of every node; nothing if the run was over before they were known.
    ///
    /// # Errors
    /// [`Error::NotAnOrder`](crate::Error::NotAnOrder) unless each node is listed once.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, Oracle, OrderSolution, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let mut oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
    /// let solution = OrderSolution::of(vec![1, 0], &mut oracle, &Run::default())?.unwrap();
    /// assert!(solution.dag()?.has_edge(1, 0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn of(order: Vec<usize>, oracle: &mut Oracle, run: &Run<'_>) -> Result<Option<Self>> {
        let Some(score) = oracle.order_score(&order, run)? else { return Ok(None) };
        let Some(parents) = oracle.order_parents(&order, run)? else { return Ok(None) };
        Ok(Some(Self { order, score, parents }))
    }
}

/// The score of parents, from them alone, whatever way led to them; nothing if the score cannot say.
fn cost_of(score: &dyn LocalScore, parents: &[NodeSet]) -> Option<f64> {
    parents.iter().enumerate().map(|(node, parents)| score.cost(node, parents)).sum()
}

/// The best order with its parents, which are known, as all its local scores were looked at; the graph without edges if
/// there is none, or if the memory was too small to keep them.
fn known(best: Option<Vec<usize>>, oracle: &mut Oracle, run: &Run<'_>) -> OrderSolution {
    let found = best.and_then(|order| OrderSolution::of(order, oracle, run).ok().flatten());
    found.unwrap_or_else(|| OrderSolution::empty(oracle.score().as_ref()))
}
