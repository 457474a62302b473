//! The posterior probability of every edge, by order MCMC on sums over parent sets (Friedman and Koller). The prior is even
//! over orders, so a graph counts once for each order that it agrees with.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::{McmcSolution, McmcState, OrderMcmc};
use crate::{LocalScore as _, NodeSet, Oracle, Result, SumScore};

/// The first of so many parts of a chain, which still remembers where it started, is left out.
const BURN_IN: u64 = 5;

/// What a chain says of the edges.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgePosterior {
    /// The probability of each edge, row-major, entry (i, j) that of i → j.
    pub probabilities: Vec<f64>,
    /// Orders that they are averaged over.
    pub samples: u64,
    /// How the chain went.
    pub chain: McmcSolution,
}

impl OrderMcmc {
    /// Samples orders from their posterior and averages the exact edge probabilities given each. One order in d is looked
    /// at, after the first fifth of the chain.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use plackett_dag::{BayesNet, Bdeu, Candidates, Keep, OrderMcmc, ParentSets, SizePrior};
    /// let data = BayesNet::embedded("cancer")?.sample(5000, 0, BayesNet::TRAINING)?;
    /// let keep = Keep::All(SizePrior::Even);
    /// let go_on = |_| ControlFlow::Continue(());
    /// let sets = ParentSets::build_with(&data, &Bdeu::default(), &Candidates::all(5, 3), keep, &go_on)?;
    /// let chain = OrderMcmc { steps: 5000, ..OrderMcmc::default() };
    /// let sums = sets.sums().expect("asked for");
    /// let posterior = chain.posterior(&sums, |_| ControlFlow::Continue(()))?;
    /// let names = data.names();
    /// let of = |name: &str| names.iter().position(|other| other == name).unwrap();
    /// let (cancer, xray) = (of("Cancer"), of("Xray"));
    /// let joined = posterior.probabilities[cancer * 5 + xray] + posterior.probabilities[xray * 5 + cancer];
    /// assert!(joined > 0.99);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn posterior(
        &self,
        sums: &Arc<SumScore>,
        mut observe: impl FnMut(&McmcState) -> ControlFlow<()>,
    ) -> Result<EdgePosterior> {
        let mut oracle = Oracle::new(sums.clone());
        let nodes = sums.nodes();
        let first = self.steps / BURN_IN;
        let mut totals = vec![0.0; nodes * nodes];
        // What each node's parents were last found to be, and given which nodes: most stay from look to look.
        let mut given = vec![NodeSet::with_capacity(nodes); nodes];
        let mut shares = vec![f64::NAN; nodes * nodes];
        let mut before = NodeSet::with_capacity(nodes);
        let mut samples = 0;
        let chain = self.run(&mut oracle, |state| {
            if state.step > first && state.step % nodes as u64 == 0 {
                samples += 1;
                before.clear();
                for &node in state.order {
                    let row = &mut shares[node * nodes..][..nodes];
                    if row[0].is_nan() || given[node] != before {
                        sums.edge_probabilities(node, &before, row);
                        given[node].clone_from(&before);
                    }
                    for (parent, share) in row.iter().enumerate() {
                        totals[parent * nodes + node] += share;
                    }
                    before.insert(node);
                }
            }
            observe(state)
        })?;
        let count = samples.max(1) as f64;
        totals.iter_mut().for_each(|total| *total /= count);
        Ok(EdgePosterior { probabilities: totals, samples, chain })
    }
}
