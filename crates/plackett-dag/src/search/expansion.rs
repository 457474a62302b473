//! Growing the search space until it is no longer in the way: a climb over graphs joins the nodes that the search over orders
//! takes as candidates of each other, with those that it nearly joined; where a climb from the best order's graph finds a better one, by a
//! parent that was no candidate or by more parents than were tried together, that becomes part of the space, and the search goes on.

use std::sync::Arc;

use plackett::run::Run;
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::climb::{Climb, GAIN, ancestors};
use super::{Insertion, OrderSolution};
use crate::{
    Categories, Dag, NodeSet, Oracle, Result, parallel,
    parent_sets::{Candidates, Keep, ParentSets, count_subsets},
    score::FamilyScore,
};

/// Nodes that become candidates though the climb did not join them: so many for each node, if a node would lose no more than so many
/// nats by the edge.
const NEARLY_JOINED: usize = 3;
const NEARLY: f64 = 8.0;

/// The work that scoring the parent sets may take, all nodes together, in rows counted: some seconds.
const WORK: f64 = 4e9;

/// The least and the most times that good parents of a node are grown before anything is known of the graph, and the work that may take in
/// all, in rows counted. One growth takes about so many looks at all those near the node.
const FEWEST_GROWTHS: f64 = 4.0;
const MOST_GROWTHS: f64 = 12.0;
const GROWTH_WORK: f64 = 12e9;
const LOOKS_OF_A_GROWTH: f64 = 2.0;

/// The least and the most sets that a node may have within it.
const FEWEST_SETS: f64 = 512.0;
const MOST_SETS: f64 = 32768.0;

/// So many parents are tried together whatever the number of candidates; rather there are fewer of these, the strongest.
const TOGETHER: usize = 3;

/// Where nothing is known of the graph, and up to so many columns, it is disturbed when no other next to it is better, each edge being kept with such a probability, and
/// the search goes on in a space that has what the climb finds from there; until so many of these in a row were in vain.
const DISTURBED_COLUMNS: usize = 100;
const KEPT: f64 = 0.6;
const VAIN_ROUNDS: usize = 4;

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
/// assert!(edges > 0 && grown.rounds > 0);
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
        Self { insertion: Insertion::default(), rounds: 20 }
    }
}

/// A space that was grown, and the best order in it.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The candidates at the end.
    pub candidates: Candidates,
    /// The scored parent sets of the last space.
    pub sets: Arc<ParentSets>,
    /// The best order found.
    pub solution: OrderSolution,
    /// How many spaces were searched.
    pub rounds: usize,
    /// The nodes that have as many parents as the candidates' limit allows, which one more would better.
    pub bound: Vec<usize>,
}

/// How far a growth has come.
pub(crate) enum Growth {
    /// There is a space that was searched.
    Whole(Expanded),
    /// The run was over before; the best graph so far.
    Begun(Dag),
}

impl Expansion {
    /// Grows the space from `candidates` until a climb over graphs finds none better than the best order's, or until the run is over,
    /// with the last space that was built whole; nothing if not even the first was. Parents may be more than the candidates' limit
    /// where that pays.
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
        Ok(match self.run_from(None, data, score, (candidates, false), run)? {
            Growth::Whole(expanded) => Some(expanded),
            Growth::Begun(_) => None,
        })
    }

    /// The same with an order to begin with, and perhaps with the candidates' limit on parents as the most that there may be.
    pub(crate) fn run_from(
        &self,
        start: Option<&[usize]>,
        data: &Categories,
        score: &dyn FamilyScore,
        (candidates, is_limited): (Candidates, bool),
        run: &Run<'_>,
    ) -> Result<Growth> {
        let most = if is_limited { candidates.max_parents } else { usize::MAX };
        let bounds = candidates.bounds().clone();
        let Some(mut climb) = Climb::new(data, score, &bounds, most, run) else {
            return Ok(Growth::Begun(bounds.least()));
        };
        run.begin("a climb over graphs", None);
        climb.run(run);
        let mut space = Space::new(data, candidates);
        run.begin("parents of every node", Some(data.columns() as u64));
        if !space.admit_families(data, &climb, run) {
            return Ok(Growth::Begun(Dag::from_parents(climb.parents().to_vec())?));
        }
        let mut last: Option<Expanded> = None;
        let mut rng = ChaCha8Rng::seed_from_u64(self.insertion.seed);
        let mut vain = 0;
        for rounds in 1..=self.rounds.max(1) {
            space.widen(&climb)?;
            let Some(sets) = space.score(data, score, run)? else { break };
            run.begin(&format!("orders in space {rounds} of parents"), None);
            let mut oracle = Oracle::new(sets.clone()).within(bounds.clone())?;
            let own = Dag::from_parents(climb.parents().to_vec())?.topological_order().to_vec();
            let known = last.as_ref().map_or(start, |last| Some(&last.solution.order[..]));
            let mut solution = self.insertion.improve(&mut oracle, known.unwrap_or(&own), run)?;
            if known.is_some() && !run.is_over() {
                let other = self.insertion.improve(&mut oracle, &own, run)?;
                solution = if other.score < solution.score { other } else { solution };
            }
            // The end of the run may have come before this space had as good an order.
            if let Some(last) = last.take_if(|last| run.is_over() && last.solution.score <= solution.score) {
                return Ok(Growth::Whole(last));
            }
            let (candidates, found) = (space.candidates.clone(), solution.score);
            let is_better = last.as_ref().is_none_or(|last| found < last.solution.score - GAIN);
            vain = if is_better { 0 } else { vain + 1 };
            let parents: Vec<Vec<usize>> = solution.parents.iter().map(|set| set.iter().collect()).collect();
            last = Some(Expanded { candidates, sets, solution, rounds, bound: Vec::new() });
            if run.is_over() || climb.place(parents.clone(), run).is_none() {
                break;
            }
            if climb.look_around(run).is_none() {
                break;
            }
            let Some(is_grown) = space.admit_beside(&climb, run) else { break };
            climb.run(run);
            if is_grown || climb.cost() < found - GAIN {
                continue;
            }
            if !bounds.is_free() || data.columns() > DISTURBED_COLUMNS || vain >= VAIN_ROUNDS {
                break;
            }
            // No graph next to it is better: whether one is that has other neighbors altogether, a climb from a part of it tells.
            let part = |set: Vec<usize>| set.into_iter().filter(|_| rng.random_bool(KEPT)).collect();
            let disturbed: Vec<Vec<usize>> = parents.into_iter().map(part).collect();
            if climb.place(disturbed, run).is_none() {
                break;
            }
            climb.run(run);
        }
        Ok(match last {
            Some(last) => Growth::Whole(Expanded { bound: climb.bound(), ..last }),
            None => Growth::Begun(Dag::from_parents(climb.parents().to_vec())?),
        })
    }
}

/// The candidates of every node and their parent sets.
struct Space {
    candidates: Candidates,
    /// All that ever were candidates, of which the strongest are.
    cores: Vec<NodeSet>,
    /// Sets that climbs came upon, with their costs.
    met: Vec<(usize, Vec<usize>, f64)>,
    sets: Option<ParentSets>,
    changed: Vec<usize>,
}

impl Space {
    fn new(data: &Categories, mut candidates: Candidates) -> Self {
        let nodes = candidates.nodes();
        let share = WORK / (nodes.max(1) as f64 * data.row_count().max(1) as f64);
        #[expect(clippy::cast_sign_loss, reason = "a number of sets")]
        let most = share.clamp(FEWEST_SETS, MOST_SETS) as usize;
        candidates.max_sets = candidates.max_sets.min(most);
        // Where all sets of the others can be scored there is nothing to choose.
        let others = nodes.saturating_sub(1);
        let fits = count_subsets(others, candidates.max_parents.min(others)) <= candidates.max_sets;
        let core = |node: usize| {
            let others = || (0..nodes).filter(|&other| other != node).collect();
            if fits { others() } else { candidates.core(node).clone() }
        };
        let cores = (0..nodes).map(core).collect();
        Self { candidates, cores, met: Vec::new(), sets: None, changed: (0..nodes).collect() }
    }

    /// Takes in good families of every node, whatever the others' are. Whether the run has let it.
    fn admit_families(&mut self, data: &Categories, climb: &Climb<'_>, run: &Run<'_>) -> bool {
        let growth = climb.near_count() as f64 * data.row_count().max(1) as f64 * LOOKS_OF_A_GROWTH;
        #[expect(clippy::cast_sign_loss, reason = "a number of growths")]
        let growths = (GROWTH_WORK / growth).clamp(FEWEST_GROWTHS, MOST_GROWTHS) as usize;
        let nodes: Vec<usize> = (0..self.cores.len()).collect();
        let found: Option<Vec<_>> = parallel::map(&nodes, |&node| {
            let families = climb.families(node, growths, run)?;
            run.advance(1);
            Some(families)
        });
        let Some(found) = found else { return false };
        for (node, families) in found.into_iter().enumerate() {
            for (parents, cost) in families {
                self.admit(node, parents, cost);
            }
        }
        true
    }

    /// Takes in what every node comes to while the others keep their parents, and tells whether that is better than what it has; nothing if
    /// the run is over before.
    fn admit_beside(&mut self, climb: &Climb<'_>, run: &Run<'_>) -> Option<bool> {
        let ancestors = ancestors(climb.parents());
        let nodes: Vec<usize> = (0..ancestors.len()).collect();
        let found: Option<Vec<_>> = parallel::map(&nodes, |&node| {
            let below = nodes.iter().copied().filter(|&other| ancestors[other].contains(node));
            climb.family(node, &below.collect(), run)
        });
        let mut is_better = false;
        for (node, (parents, cost)) in found?.into_iter().enumerate() {
            is_better |= cost < climb.cost_of(node) - GAIN;
            self.admit(node, parents, cost);
        }
        Some(is_better)
    }

    fn admit(&mut self, node: usize, parents: Vec<usize>, cost: f64) {
        parents.iter().for_each(|&parent| self.cores[node].insert(parent));
        self.met.push((node, parents, cost));
    }

    /// Makes the neighbors in the climb's graph candidates of each other, with those nearly joined, as many as there is room for.
    fn widen(&mut self, climb: &Climb<'_>) -> Result<()> {
        let nodes = self.cores.len();
        for node in 0..nodes {
            let parents = &climb.parents()[node];
            self.met.push((node, parents.clone(), climb.cost_of(node)));
            let mut missed = 0;
            for (change, other) in climb.ranked(node) {
                let is_parent = parents.contains(&other);
                if !is_parent && (change > NEARLY || missed == NEARLY_JOINED) {
                    break;
                }
                missed += usize::from(!is_parent);
                self.cores[node].insert(other);
                self.cores[other].insert(node);
            }
        }
        let mut cut = Vec::with_capacity(nodes);
        for node in 0..nodes {
            let ranked = climb.ranked(node).into_iter().map(|(_, other)| other);
            let mut core: Vec<usize> = ranked.filter(|&other| self.cores[node].contains(other)).collect();
            core.extend(self.cores[node].iter().filter(|other| !core.contains(other)).collect::<Vec<_>>());
            let fits = |size: &usize| {
                let sets = count_subsets(*size, TOGETHER.min(self.candidates.max_parents));
                sets <= self.candidates.max_sets
            };
            core.truncate((0..=core.len()).rev().find(fits).unwrap_or(0));
            cut.push(core.into_iter().collect::<NodeSet>());
        }
        let next = self.candidates.with_cores(cut)?;
        let is_changed = |&node: &usize| next.core(node) != self.candidates.core(node);
        if self.sets.is_some() {
            self.changed = (0..nodes).filter(is_changed).collect();
        }
        self.candidates = next;
        Ok(())
    }

    /// Scores the sets of the nodes whose candidates have changed.
    fn score(
        &mut self,
        data: &Categories,
        score: &dyn FamilyScore,
        run: &Run<'_>,
    ) -> Result<Option<Arc<ParentSets>>> {
        let scored = match &self.sets {
            None => ParentSets::build(data, score, &self.candidates, Keep::Best, run)?,
            Some(sets) => sets.rescored(&self.changed, data, score, &self.candidates, run)?,
        };
        let Some(mut scored) = scored else { return Ok(None) };
        if self.candidates.bounds().is_free() {
            self.met.iter().for_each(|(node, parents, cost)| scored.admit(*node, parents, *cost));
        }
        self.sets = Some(scored.clone());
        Ok(Some(Arc::new(scored)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use plackett::run::Limits;
    use rand::seq::SliceRandom as _;

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

    /// Nodes that take after one of two parents, as their own switches say. A switch says nothing of its node alone, and siblings say more of each other than
    /// either parent does, so that steps of one edge end among the siblings.
    fn heirs(rows: usize) -> (Categories, Dag) {
        let heirs = 8;
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut columns: Vec<Vec<u8>> =
            (0..2).map(|_| (0..rows).map(|_| rng.random_range(0..4)).collect()).collect();
        let mut parents = vec![vec![], vec![]];
        for heir in 0..heirs {
            let switch: Vec<u8> = (0..rows).map(|_| rng.random_range(0..2)).collect();
            let taken = (0..rows).map(|row| columns[usize::from(switch[row])][row]).collect();
            columns.extend([switch, taken]);
            parents.extend([vec![], vec![0, 1, 2 + 2 * heir]]);
        }
        let arity = |column: usize| if column < 2 || column % 2 == 1 { 4 } else { 2 };
        let levels =
            (0..columns.len()).map(|column| (0..arity(column)).map(|level| level.to_string()).collect());
        let names = (0..columns.len()).map(|column| format!("x{column}")).collect();
        let data = Categories::new(names, levels.collect(), columns).unwrap();
        (data, Dag::from_parents(parents).unwrap())
    }

    #[test]
    fn families_that_single_edges_do_not_lead_to_are_found() {
        let (data, truth) = heirs(500);
        let none = Candidates::from_neighbors(vec![NodeSet::default(); data.columns()]).unwrap();
        let grown = Expansion::default().run(&data, &Qnml, none, &Run::default()).unwrap().unwrap();
        let wanted = graph_cost(&data, &Qnml, &truth).unwrap();
        assert!(grown.solution.score <= wanted + 1e-6, "{} {wanted}", grown.solution.score);
    }

    #[test]
    fn the_optimum_is_found_on_sixteen_columns() {
        let network = BayesNet::embedded("alarm").unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for seed in 0..3 {
            let whole = network.sample(1000, seed, BayesNet::TRAINING).unwrap();
            let mut kept: Vec<usize> = (0..whole.columns()).collect();
            kept.shuffle(&mut rng);
            kept.truncate(16);
            let names = kept.iter().map(|&column| whole.names()[column].clone()).collect();
            let levels = kept.iter().map(|&column| whole.levels(column).to_vec()).collect();
            let codes = kept.iter().map(|&column| whole.column(column).to_vec()).collect();
            let data = Categories::new(names, levels, codes).unwrap();
            let none = Candidates::from_neighbors(vec![NodeSet::default(); 16]).unwrap();
            let run = Run::default();
            let grown = Expansion::default().run(&data, &Qnml, none, &run).unwrap().unwrap();
            let everything = ParentSets::build(&data, &Qnml, &Candidates::all(16, 4), Keep::Best, &run);
            let everything = Arc::new(everything.unwrap().unwrap());
            let best = crate::search::Exact { memory_bytes: 1 << 24 }.run(everything, &run).unwrap().unwrap();
            assert!(grown.solution.score <= best.score + 1e-6, "{} {}", grown.solution.score, best.score);
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
            let insertion = Insertion { starts: Some(1), kicks: Some(2), seed: 0 };
            let expansion = Expansion { insertion, ..Expansion::default() };
            let grown = expansion.run(&data, &Qnml, none.clone(), &run).unwrap();
            (grown, looks.load(Ordering::Relaxed))
        };
        let (whole, all) = grow(u64::MAX);
        let whole = whole.unwrap();
        assert!(all > 20, "asked {all} times only");
        // All moments would take minutes: a hundred of them.
        for end in (1..all).step_by((all as usize / 100).max(1)) {
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
