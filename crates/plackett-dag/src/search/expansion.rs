//! Growing the search space until it is no longer in the way (Kuipers, Suter and Moffa): each node may have one parent from
//! outside its candidates; where the best order found makes use of that, the parent becomes a candidate, and the search
//! goes on in the larger space.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Insertion, OrderSolution};
use crate::{Candidates, Categories, Error, FamilyScore, Keep, Oracle, ParentSets, Reach, Result};

/// Settings of the expansion.
///
/// ```
/// use plackett_dag::{BayesNet, Candidates, Expansion, NodeSet, Qnml};
/// let data = BayesNet::embedded("cancer")?.sample(2000, 0, BayesNet::TRAINING)?;
/// // Nobody is anybody's candidate to begin with.
/// let none = Candidates::from_neighbors(vec![NodeSet::default(); 5])?;
/// let grown = Expansion::default().run(&data, &Qnml, none)?;
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
        Self { insertion: Insertion { starts: 2, kicks: 10, seed: 0 }, rounds: 20 }
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
    /// Grows the space from `candidates` until the best order found has no parent from outside.
    ///
    /// # Errors
    /// What [`ParentSets::build`] objects to.
    pub fn run(
        &self,
        data: &Categories,
        score: &dyn FamilyScore,
        candidates: Candidates,
    ) -> Result<Expanded> {
        self.run_with(data, score, candidates, &|_| ControlFlow::Continue(()))
    }

    /// The same with an observer that is told how many spaces have been searched, often and from several threads. It may
    /// end the growth with the best order so far; only the first space is built whole before it is asked.
    ///
    /// # Errors
    /// What [`ParentSets::build_with`] objects to.
    pub fn run_with(
        &self,
        data: &Categories,
        score: &dyn FamilyScore,
        mut candidates: Candidates,
        observe: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<Expanded> {
        candidates.reach = Reach::PlusOne;
        let mut last: Option<Expanded> = None;
        loop {
            let rounds = last.as_ref().map_or(0, |last| last.rounds);
            if let Some(last) =
                last.take_if(|last| last.rounds >= self.rounds.max(1) || observe(last.rounds).is_break())
            {
                return Ok(last);
            }
            let built = ParentSets::build_with(data, score, &candidates, Keep::Best, &|_| {
                // Without the first space there would be nothing to show.
                if rounds == 0 { ControlFlow::Continue(()) } else { observe(rounds) }
            });
            let sets = match (built, last) {
                (Err(Error::Stopped), Some(last)) => return Ok(last),
                (built, before) => {
                    last = before;
                    Arc::new(built?)
                }
            };
            let mut oracle = Oracle::new(sets.clone());
            let stop = || observe(rounds).is_break();
            let solution = match &last {
                None => self.insertion.run_until(&mut oracle, &stop)?,
                Some(last) => self.insertion.improve_until(&mut oracle, &last.solution.order, &stop)?,
            };
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
            let expanded = Expanded { candidates: candidates.clone(), sets, solution, rounds: rounds + 1 };
            if !has_grown {
                return Ok(expanded);
            }
            last = Some(expanded);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BayesNet, NodeSet, Qnml, graph_cost};

    #[test]
    fn a_space_that_starts_empty_grows_as_good_as_one_without_bounds() {
        let network = BayesNet::embedded("asia").unwrap();
        let data = network.sample(5000, 1, BayesNet::TRAINING).unwrap();
        let none = Candidates::from_neighbors(vec![NodeSet::default(); 8]).unwrap();
        let grown = Expansion::default().run(&data, &Qnml, none).unwrap();
        let everything = ParentSets::build(&data, &Qnml, &Candidates::all(8, 6)).unwrap();
        let best = crate::Exact { memory_bytes: 1 << 20 }.run(Arc::new(everything)).unwrap();
        assert!((grown.solution.score - best.score).abs() < 1e-6, "{} {}", grown.solution.score, best.score);
        assert!(grown.solution.score <= graph_cost(&data, &Qnml, network.dag()).unwrap());
        for (node, parents) in grown.solution.parents.iter().enumerate() {
            assert!(parents.is_subset(grown.candidates.core(node)));
        }
    }

    #[test]
    fn the_growth_can_be_ended_at_any_moment() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let data = BayesNet::embedded("asia").unwrap().sample(2000, 1, BayesNet::TRAINING).unwrap();
        let none = Candidates::from_neighbors(vec![NodeSet::default(); 8]).unwrap();
        let (looks, most) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
        let count = |_| {
            let is_early = looks.fetch_add(1, Ordering::Relaxed) < most.load(Ordering::Relaxed);
            if is_early { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let whole = Expansion::default().run_with(&data, &Qnml, none.clone(), &count).unwrap();
        assert!(whole.rounds > 1);
        assert_eq!(whole.solution, Expansion::default().run(&data, &Qnml, none.clone()).unwrap().solution);
        let all = looks.load(Ordering::Relaxed);
        assert!(all > 20 * whole.rounds, "asked {all} times only");
        for end in 0..all {
            looks.store(0, Ordering::Relaxed);
            most.store(end, Ordering::Relaxed);
            let part = Expansion::default().run_with(&data, &Qnml, none.clone(), &count).unwrap();
            assert!(part.solution.score >= whole.solution.score - 1e-6 && part.rounds <= whole.rounds);
            let mut oracle = Oracle::new(part.sets.clone());
            assert_eq!(oracle.order_score(&part.solution.order).unwrap(), part.solution.score);
            // Told to stop, it asks a few times more at most: each thread, and each level of the search.
            let more = looks.load(Ordering::Relaxed) - end;
            assert!(more <= 10, "{more} after {end} of {all}");
        }
    }

    #[test]
    fn the_observer_ends_the_growth_after_the_first_space() {
        let data = BayesNet::embedded("asia").unwrap().sample(5000, 1, BayesNet::TRAINING).unwrap();
        let none = Candidates::from_neighbors(vec![NodeSet::default(); 8]).unwrap();
        let stop = |_| ControlFlow::Break(());
        let grown = Expansion::default().run_with(&data, &Qnml, none, &stop).unwrap();
        assert_eq!(grown.rounds, 1);
        assert!(grown.solution.parents.iter().all(|parents| parents.len() <= 1));
    }
}
