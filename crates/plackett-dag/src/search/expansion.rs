//! Growing the search space until it is no longer in the way (Kuipers, Suter and Moffa): each node may have one parent from
//! outside its candidates; where the best order found makes use of that, the parent becomes a candidate, and the search
//! goes on in the larger space.

use std::sync::Arc;

use plackett::run::Run;

use super::{Insertion, OrderSolution};
use crate::{
    Categories, Oracle, Result,
    parent_sets::{Candidates, Keep, ParentSets, Reach},
    score::FamilyScore,
};

/// Settings of the expansion.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{BayesNet, NodeSet, parent_sets::Candidates, score::Qnml, search::Expansion};
/// let data = BayesNet::embedded("cancer")?.sample(2000, 0, BayesNet::TRAINING)?;
/// // Nobody is anybody's candidate to begin with.
/// let none = Candidates::from_neighbors(vec![NodeSet::default(); 5])?;
/// let grown = Expansion::default().run(&data, &Qnml, none, &Run::default())?.expect("nothing ends the run");
/// let edges: usize = grown.solution.parents.iter().map(NodeSet::len).sum();
/// assert!(edges > 0 && grown.rounds > 1);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// The search for the best order of each space.
    pub insertion: Insertion,
    /// The most spaces to search.
    pub rounds: usize,
}

impl Default for Expansion {
    fn default() -> Self {
        Self { insertion: Insertion { starts: Some(2), kicks: Some(10), seed: 0 }, rounds: 20 }
    }
}

/// A space that was grown, and the best order in it.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The candidates at the end, with [`Reach::PlusOne`].
    pub candidates: Candidates,
    /// The scored parent sets of the last space.
    pub sets: Arc<ParentSets>,
    /// The best order found.
    pub solution: OrderSolution,
    /// How many spaces were searched.
    pub rounds: usize,
}

impl Expansion {
    /// Grows the space from `candidates` until the best order found has no parent from outside, or until the run is over,
    /// with the last space that was built whole; nothing if not even the first was.
    ///
    /// # Errors
    /// What [`ParentSets::build`] objects to.
    pub fn run(
        &self,
        data: &Categories,
        score: &dyn FamilyScore,
        candidates: Candidates,
        run: &Run<'_>,
    ) -> Result<Option<Expanded>> {
        self.run_from(None, data, score, candidates, run)
    }

    /// The same with an order to begin with.
    pub(crate) fn run_from(
        &self,
        start: Option<&[usize]>,
        data: &Categories,
        score: &dyn FamilyScore,
        mut candidates: Candidates,
        run: &Run<'_>,
    ) -> Result<Option<Expanded>> {
        candidates.reach = Reach::PlusOne;
        let mut last: Option<Expanded> = None;
        for rounds in 1..=self.rounds.max(1) {
            let Some(sets) = ParentSets::build(data, score, &candidates, Keep::Best, run)? else { break };
            let sets = Arc::new(sets);
            run.begin(&format!("orders in space {rounds} of parents"), None);
            let mut oracle = Oracle::new(sets.clone()).within(candidates.bounds().clone())?;
            let solution = match last.as_ref().map(|last| &last.solution.order[..]).or(start) {
                None => self.insertion.run(&mut oracle, run),
                Some(order) => self.insertion.improve(&mut oracle, order, run)?,
            };
            // The end of the run may have come before this space had as good an order.
            if let Some(last) = last.take_if(|last| run.is_over() && last.solution.score <= solution.score) {
                return Ok(Some(last));
            }
            let mut has_grown = false;
            for (node, parents) in solution.parents.iter().enumerate() {
                for parent in parents {
                    if !candidates.core(node).contains(parent) {
                        // Both ways: the edge may yet turn round.
                        candidates.insert(node, parent)?;
                        candidates.insert(parent, node)?;
                        has_grown = true;
                    }
                }
            }
            last = Some(Expanded { candidates: candidates.clone(), sets, solution, rounds });
            if !has_grown || run.is_over() {
                break;
            }
        }
        Ok(last)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use plackett::run::Limits;

    use super::*;
    use crate::{
        BayesNet, NodeSet,
        score::{Qnml, graph_cost},
    };

    #[test]
    fn a_space_that_starts_empty_grows_as_good_as_one_without_bounds() {
        let network = BayesNet::embedded("asia").unwrap();
        let data = network.sample(5000, 1, BayesNet::TRAINING).unwrap();
        let none = Candidates::from_neighbors(vec![NodeSet::default(); 8]).unwrap();
        let run = Run::default();
        let grown = Expansion::default().run(&data, &Qnml, none, &run).unwrap().unwrap();
        let everything = ParentSets::build(&data, &Qnml, &Candidates::all(8, 6), Keep::Best, &run);
        let everything = Arc::new(everything.unwrap().unwrap());
        let best = crate::search::Exact { memory_bytes: 1 << 20 }.run(everything, &run).unwrap().unwrap();
        assert!((grown.solution.score - best.score).abs() < 1e-6, "{} {}", grown.solution.score, best.score);
        assert!(grown.solution.score <= graph_cost(&data, &Qnml, network.dag()).unwrap());
        for (node, parents) in grown.solution.parents.iter().enumerate() {
            assert!(parents.is_subset(grown.candidates.core(node)));
        }
    }

    #[test]
    fn the_growth_can_be_ended_at_any_moment() {
        let data = BayesNet::embedded("asia").unwrap().sample(2000, 1, BayesNet::TRAINING).unwrap();
        let none = Candidates::from_neighbors(vec![NodeSet::default(); 8]).unwrap();
        // Each look at the clock takes a second; those after the end are the last.
        let grow = |seconds: u64| {
            let looks = AtomicU64::new(0);
            let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
            let run = Run::by(&clock, Limits::time(Duration::from_secs(seconds)));
            let grown = Expansion::default().run(&data, &Qnml, none.clone(), &run).unwrap();
            (grown, looks.load(Ordering::Relaxed))
        };
        let (whole, all) = grow(u64::MAX);
        let whole = whole.unwrap();
        assert!(whole.rounds > 1);
        assert!(all > 20 * whole.rounds as u64, "asked {all} times only");
        for end in 1..all {
            let (part, asked) = grow(end);
            // Told to stop, it asks once more at most in each thread.
            assert!(asked <= end + 10, "{asked} after {end} of {all}");
            let Some(part) = part else { continue };
            assert!(part.rounds <= whole.rounds);
            let mut oracle = Oracle::new(part.sets.clone());
            let score = oracle.order_score(&part.solution.order, &Run::default()).unwrap().unwrap();
            assert!(part.solution.score >= score, "an order, or the graph without edges");
        }
        assert!(grow(0).0.is_none());
    }
}
