//! The rivals of order search in the paper's Tables 1–3, and the baseline that the tables lack.
//!
//! | in the tables | here | what it does |
//! | --- | --- | --- |
//! | SINKHORN, URS | [`Relaxed`] | optimizes over relaxed permutations, then rounds |
//! | SINKHORN_ECP, URS_ECP | [`Constrained`] | the same with a constraint that makes them permutations |
//! | GREEDY-SP | [`GreedySp`] | the sparsest graph that explains the conditional independences |
//! | RANDOM | [`Random`] | a random graph, not looking at the data |
//! | (missing) | [`variance_order`] | the nodes by their variance |
//!
//! All of them need the Gram matrix only, and each is a function of its settings and its seed. If the run is over before
//! they are done, they return what they have.

mod constrained;
mod dense;
mod greedy_sp;
mod objective;
mod proximal;
mod random;
mod relaxed;
mod soft_order;

use std::sync::Arc;

use plackett::Order;
use plackett::run::{Ending, Run};

pub use constrained::Constrained;
pub use greedy_sp::GreedySp;
pub use random::Random;
pub use relaxed::Relaxed;
pub use soft_order::Relaxation;

use crate::error::check_setting;
use crate::{
    Dag, Error, Gram, LocalScore, NodeSet,
    score::{L1, ScoreSettings, Scratch},
};

/// What a rival learned.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{Gram, rival::GreedySp};
/// let gram = Gram::from_matrix(100, 2, vec![1.0, 2.0, 2.0, 5.0])?;
/// let learned = GreedySp::default().run(&gram, 0, &Run::default())?;
/// assert_eq!(learned.dag.edge_count(), 1);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The graph with its weights.
    pub dag: Dag,
    /// The order of the nodes behind it, causes first.
    pub order: Order,
    /// What the method minimizes, step by step: the relaxed score; for GREEDY-SP the number of edges, whenever it fell.
    pub trace: Vec<f64>,
    /// Why it ended.
    pub ending: Ending,
}

/// The nodes by increasing variance, ties by the smaller node: the order that simulated models betray when their
/// noise is equal and their data are not standardized. Score it like any other order.
///
/// ```
/// use plackett_dag::{Gram, rival::variance_order};
/// let gram = Gram::from_matrix(100, 2, vec![5.0, 2.0, 2.0, 1.0])?;
/// assert_eq!(variance_order(&gram).as_slice(), [1, 0]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn variance_order(gram: &Gram) -> Order {
    let mut nodes: Vec<usize> = (0..gram.nodes()).collect();
    nodes.sort_by(|&a, &b| gram.entry(a, a).total_cmp(&gram.entry(b, b)));
    order_of(nodes)
}

/// Nodes that are a permutation by construction, as an order.
fn order_of(nodes: Vec<usize>) -> Order {
    let Ok(order) = Order::new(nodes) else { unreachable!("sorting and shuffling permute") };
    order
}

/// The graph of the exact lasso at an order: each node's parents come from the nodes before it. Once the run is over,
/// nodes have no parents.
fn lasso_at(gram: &Gram, order: &Order, lambda: f64, run: &Run<'_>) -> Result<Dag, Error> {
    let nodes = gram.nodes();
    let score = L1::new(Arc::new(gram.clone()), &ScoreSettings { lambda, ..ScoreSettings::default() })?;
    let mut scratch = Scratch::default();
    let (mut allowed, none) = (NodeSet::with_capacity(nodes), NodeSet::with_capacity(nodes));
    let mut edges = Vec::new();
    for &node in order.iter() {
        let Some(choice) = score.best(node, &allowed, &none, &mut scratch, run) else { break };
        let parents = choice.parents;
        let weights = score.weights(node, &parents).unwrap_or_default();
        edges.extend(parents.iter().zip(weights).filter(|&(_, w)| w != 0.0).map(|(from, w)| (from, node, w)));
        allowed.insert(node);
    }
    Dag::from_edges(nodes, edges)
}

/// Refuses a count of zero.
fn check_count(setting: &'static str, value: usize) -> Result<(), Error> {
    check_setting(setting, value, value > 0, "at least 1 is needed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;

    /// 1000 rows of the chain 0 → 1 → … with weights from [1.2, 2] and noise of one.
    pub(super) fn chain(nodes: usize, seed: u64) -> Gram {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let weights: Vec<f64> = (0..nodes).map(|_| rng.random_range(1.2..2.0)).collect();
        let mut rows = Vec::new();
        for _ in 0..1000 {
            let mut before = 0.0;
            for weight in &weights {
                before = weight * before + rng.sample::<f64, _>(StandardNormal);
                rows.push(before);
            }
        }
        Gram::from_rows(&rows, nodes, crate::gram::Centering::Center).unwrap()
    }

    #[test]
    fn variance_order_breaks_ties_by_node() {
        let gram = Gram::from_matrix(10, 3, vec![2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
        assert_eq!(variance_order(&gram).as_slice(), [1, 2, 0]);
    }

    #[test]
    fn the_lasso_at_an_order_follows_it() {
        let gram = Gram::from_matrix(10, 2, vec![1.0, 2.0, 2.0, 5.0]).unwrap();
        let forwards = lasso_at(&gram, &Order::identity(2), 0.5, &Run::default()).unwrap();
        assert_eq!(forwards.weight(0, 1), 1.5);
        let backwards = lasso_at(&gram, &Order::new(vec![1, 0]).unwrap(), 0.5, &Run::default()).unwrap();
        assert!((backwards.weight(1, 0) - 0.3).abs() < 1e-15);
    }
}
