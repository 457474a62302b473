//! The probabilities of edges, whatever the data are: where parents may come from, within the memory and the work that they may take, and the
//! chains on the sums over them.

use std::sync::Arc;

use plackett::run::Run;

use super::Learning;
use crate::{
    Dag, Error, LocalScore, NodeSet, Pc, Result,
    independence::IndependenceTest,
    parent_sets::{Candidates, ParentSums, Reach, SizePrior},
    search::{EdgePosterior, PartitionMcmc},
};

/// The most candidates that a node's parents are taken from in any combination; any one other may join them.
const MOST_CANDIDATES: usize = 12;

/// The most parent sets to be scored, all nodes together: a microsecond or so each for numbers, tens of them for categories.
const MOST_SETS: usize = 1 << 20;
pub(super) const MOST_SETS_OF_CATEGORIES: usize = 1 << 18;

/// Up to so many columns of numbers all the others are candidates, and nothing is left out.
const COMPLETE_COLUMNS: usize = 16;

/// The most columns that the tests which find candidates condition on: a pair kept in error does no harm.
const CANDIDATE_CONDITIONING: usize = 2;

impl Learning {
    /// The probability of every edge by a score that says what families cost; nothing if the run is over before it is known. The price
    /// that the score has for an edge is its prior. Candidates are those that tests leave and the neighbors in the graph.
    pub(super) fn posterior_of(
        &self,
        score: &Arc<dyn LocalScore>,
        test: &(impl IndependenceTest + Clone + Sync),
        dag: &Dag,
        run: &Run<'_>,
    ) -> Result<Option<EdgePosterior>> {
        let nodes = score.nodes();
        let bounds = self.bounds_of(nodes);
        let candidates = if nodes <= COMPLETE_COLUMNS {
            Candidates::all(nodes, nodes).within(bounds)?
        } else {
            let most = CANDIDATE_CONDITIONING;
            let found = Pc { max_conditioning: Some(most) }.run_within(test, &bounds, run);
            if found.ending.is_early() {
                return Ok(None);
            }
            let mut candidates = Candidates::from_neighbors(found.skeleton)?.within(bounds)?;
            candidates.reach = Reach::PlusOne;
            candidates.max_parents = nodes;
            candidates
        };
        let gain = |node: usize, other: usize| {
            let cost = |set: &NodeSet| score.cost(node, set).unwrap_or_default();
            cost(&NodeSet::default()) - cost(&NodeSet::from_iter([other]))
        };
        let candidates = self.summable(candidates, dag, MOST_SETS, gain)?;
        match ParentSums::of(score.as_ref(), &candidates, SizePrior::Even, run)? {
            Some(sums) => self.edge_probabilities(&sums, dag, run),
            None => Ok(None),
        }
    }

    /// The candidates with the neighbors in the graph, cut down to the strongest of each node so that there is room and time for sums over
    /// all sets of them.
    ///
    /// # Errors
    /// [`Error::Misfit`] if there is not enough memory for any.
    pub(super) fn summable(
        &self,
        mut candidates: Candidates,
        dag: &Dag,
        most_sets: usize,
        gain: impl Fn(usize, usize) -> f64,
    ) -> Result<Candidates> {
        for (from, to, _) in dag.edges() {
            candidates.insert(to, from)?;
            candidates.insert(from, to)?;
        }
        let nodes = candidates.nodes();
        let chains = PartitionMcmc::default().bytes_needed(nodes);
        let is_complete = nodes <= COMPLETE_COLUMNS && candidates.reach == Reach::Core;
        let strength = |node: usize, other: usize| {
            if dag.has_edge(other, node) { f64::INFINITY } else { gain(node, other) }
        };
        for most in (0..=if is_complete { COMPLETE_COLUMNS } else { MOST_CANDIDATES }).rev() {
            let cut = candidates.strongest(most, strength);
            if cut.all_sets() <= most_sets
                && ParentSums::bytes_needed(&cut) + chains <= self.search.memory_bytes as u128
            {
                return Ok(cut);
            }
        }
        let needed = ParentSums::bytes_needed(&candidates.strongest(0, strength)) + chains;
        let reason = format!("is too small: the probabilities of edges need {} MiB", 1 + (needed >> 20));
        Err(Error::Misfit { setting: "memory", reason })
    }

    /// The probability of every edge, by chains on the sums over all parent sets; nothing if the run is over before the
    /// chains have forgotten their start.
    pub(super) fn edge_probabilities(
        &self,
        sums: &ParentSums,
        dag: &Dag,
        run: &Run<'_>,
    ) -> Result<Option<EdgePosterior>> {
        let chains = PartitionMcmc { steps: self.search.steps, seed: self.seed, ..PartitionMcmc::default() };
        let posterior = chains.run(sums, dag, run)?;
        Ok((posterior.convergence.samples > 0).then_some(posterior))
    }
}
