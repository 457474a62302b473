//! Searches over orders, each on any local score: gradient descent on a Plackett–Luce
//! distribution, one-node insertions, and exact dynamic programming over subsets.

mod cached;
mod climb;
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

pub(crate) use climb::climbed;
pub use exact::{Exact, LocalTable};
pub(crate) use expansion::Growth;
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

    /// The graph without edges but those that must be there: what a search that was over at once has to show. O(d).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Bounds, Gram, Oracle, OrderSolution, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
    /// let nothing = OrderSolution::empty(&oracle);
    /// assert_eq!((nothing.score, nothing.dag()?.edge_count()), (500.0 * 5_f64.ln(), 0));
    /// let required = OrderSolution::empty(&oracle.within(Bounds::new(2, &[], &[(1, 0)], &[])?)?);
    /// assert!(required.dag()?.has_edge(1, 0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn empty(oracle: &Oracle) -> Self {
        let order: Vec<usize> = (0..oracle.nodes()).collect();
        Self::least(oracle.bounds().arrange(&order), oracle).0
    }

    /// The same for an order that is allowed, with the score of each node.
    fn least(order: Vec<usize>, oracle: &Oracle) -> (Self, Vec<f64>) {
        let (nodes, mut scratch, run) = (order.len(), Scratch::default(), Run::default());
        let mut before = NodeSet::with_capacity(nodes);
        let mut parents = vec![before.clone(); nodes];
        let mut scores = vec![0.0; nodes];
        for &node in &order {
            let required = &mut parents[node];
            oracle.bounds().required_of(node, &before, required);
            let choice = oracle.score().best(node, required, required, &mut scratch, &run);
            scores[node] = choice.map_or(0.0, |choice| choice.score);
            before.insert(node);
        }
        (Self { order, score: scores.iter().sum(), parents }, scores)
    }

    /// The order, brought within the bounds, with its parents as far as there is time to find them; nodes beyond have those that they
    /// must have.
    ///
    /// # Errors
    /// [`Error::NotAnOrder`](crate::Error::NotAnOrder) unless each node is listed once.
    pub(crate) fn so_far(order: &[usize], oracle: &mut Oracle, run: &Run<'_>) -> Result<Self> {
        oracle.check_order(order)?;
        let order = oracle.bounds().arrange(order);
        let score = Arc::clone(oracle.score());
        if let Some(mut walker) = score.walker(&order, oracle.bounds(), run)
            && let Some(parents) = walker.parents()
        {
            let score = cost_of(score.as_ref(), &parents).unwrap_or_else(|| walker.score());
            return Ok(Self { order, score, parents });
        }
        if let Some(whole) = Self::of(order.clone(), oracle, run)? {
            return Ok(whole);
        }
        let (mut solution, alone) = Self::least(order, oracle);
        let least = solution.score;
        let mut before = NodeSet::with_capacity(alone.len());
        for &node in &solution.order {
            // What has been solved is known after the end of the run as well.
            let Some(choice) = oracle.best(node, &before, run)? else { break };
            solution.score += choice.score - alone[node];
            solution.parents[node] = choice.parents;
            before.insert(node);
        }
        // Differences may have lost what the sum had.
        solution.score = solution.score.min(least);
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
pub(crate) fn cost_of(score: &dyn LocalScore, parents: &[NodeSet]) -> Option<f64> {
    parents.iter().enumerate().map(|(node, parents)| score.cost(node, parents)).sum()
}

/// The best order with its parents, which are known, as all its local scores were looked at; the graph of the edges that must be there
/// if there is none, or if the memory was too small to keep them.
fn known(best: Option<Vec<usize>>, oracle: &mut Oracle, run: &Run<'_>) -> OrderSolution {
    let found = best.and_then(|order| OrderSolution::of(order, oracle, run).ok().flatten());
    found.unwrap_or_else(|| OrderSolution::empty(oracle))
}
