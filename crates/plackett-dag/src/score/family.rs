//! Local scores of anything that can say what a node costs with given parents: the best parents by growing and shrinking, or
//! all sets of parents one by one. What the scores of mixed and of incomplete data have in common.

use std::sync::{Arc, OnceLock};

use plackett::run::Run;

use super::families::{FamilyFits, Remembered};
use super::warm::Warm;
use super::{Choice, LocalScore, Scratch, Walker};
use crate::pace::Pace;
use crate::{Bounds, Dag, NodeSet, Result};

/// An improvement smaller than this share of the cost is rounding, not improvement.
const IMPROVEMENT: f64 = 1e-11;

/// What nodes cost with given parents, in nats, the prices of edges left out.
pub(crate) trait Family: Send + Sync + 'static {
    /// Workspace between calls.
    type Space: Default + Send + 'static;

    /// What the score is called.
    const NAME: &'static str;

    /// Whether equivalent graphs cost the same.
    const IS_EQUIVALENT: bool = true;

    /// Walks, and times that each is disturbed and begun again.
    const EFFORT: (usize, usize);

    /// γ of the price of an edge that fits the density of the graph ([`crate::learning`]).
    const GAMMA: f64 = 1.5;

    /// About how many operations one cost takes.
    fn work(&self) -> usize;

    /// About what the parameters of one parent cost a node.
    fn price_of_parent(&self, node: usize) -> f64;

    /// By node the others that a walk looks at, if to look at all takes too long; nothing if the run is over before they are known.
    fn candidates(&self, run: &Run<'_>) -> Option<Vec<Vec<usize>>> {
        let _ = run;
        Some(Vec::new())
    }

    /// What `node` costs with these parents, ascending. A pure function of its arguments.
    fn cost(&self, node: usize, parents: &[usize], space: &mut Self::Space) -> f64;

    /// What `node` costs with these parents and, in turn, each of the candidates, into `costs`.
    fn costs_with(
        &self,
        node: usize,
        parents: &[usize],
        candidates: &[usize],
        space: &mut Self::Space,
        costs: &mut Vec<f64>,
    ) {
        costs.clear();
        for &candidate in candidates {
            costs.push(self.cost(node, &with(parents, candidate), space));
        }
    }

    /// The edges of a graph whose direction the costs say nothing of, where they tell equivalent graphs apart.
    fn undecided(&self, dag: &Dag) -> Vec<(usize, usize)> {
        let _ = dag;
        Vec::new()
    }

    /// The weights of the parents, if there is a linear model behind the costs.
    fn weights(&self, node: usize, parents: &[usize]) -> Option<Vec<f64>> {
        let _ = (node, parents);
        None
    }
}

/// A local score on families.
#[derive(Debug)]
pub(crate) struct FamilyLocal<F> {
    nodes: usize,
    family: Arc<F>,
    /// Of nodes that were set from outside in some rows: the same on the others.
    own: Arc<Vec<Option<F>>>,
    /// The price of an edge beside that of its parameters.
    edge: f64,
    /// What walks have found, whatever the price of an edge.
    remembered: Arc<Remembered>,
    candidates: Arc<OnceLock<Vec<Vec<usize>>>>,
    /// Whether all sets of parents are tried.
    is_exact: bool,
}

impl<F> FamilyLocal<F> {
    pub(crate) fn new(family: F, nodes: usize) -> Self {
        Self::sharing(Arc::new(family), nodes)
    }

    /// On a family that others use as well.
    pub(crate) fn sharing(family: Arc<F>, nodes: usize) -> Self {
        Self {
            nodes,
            family,
            own: Arc::default(),
            edge: 0.0,
            remembered: Arc::new(Remembered::of(nodes)),
            candidates: Arc::default(),
            is_exact: false,
        }
    }

    /// With families of their own for some nodes.
    pub(crate) fn with_own(self, own: Vec<Option<F>>) -> Self {
        Self { own: Arc::new(own), ..self }
    }

    /// The same with another price of an edge, in nats. What has been found so far serves both.
    pub(crate) fn priced(&self, edge: f64) -> Self {
        Self {
            family: Arc::clone(&self.family),
            own: Arc::clone(&self.own),
            remembered: Arc::clone(&self.remembered),
            candidates: Arc::clone(&self.candidates),
            edge,
            ..*self
        }
    }

    pub(crate) fn edge_price(&self) -> f64 {
        self.edge
    }

    pub(super) fn remembered(&self) -> &Remembered {
        &self.remembered
    }

    pub(super) fn of(&self, node: usize) -> &F {
        self.own.get(node).and_then(Option::as_ref).unwrap_or(&self.family)
    }
}

/// What a search for parents works in.
pub(super) struct Growth<S> {
    pub(super) space: S,
    pub(super) candidates: Vec<usize>,
    pub(super) costs: Vec<f64>,
}

impl<S: Default> Default for Growth<S> {
    fn default() -> Self {
        Self { space: S::default(), candidates: Vec::new(), costs: Vec::new() }
    }
}

impl<F: Family> FamilyLocal<F> {
    pub(super) fn work(&self) -> usize {
        self.family.work()
    }

    /// By node the others that walks look at; all where it is empty.
    pub(super) fn candidates(&self, run: &Run<'_>) -> Option<&[Vec<usize>]> {
        if self.candidates.get().is_none() {
            // Whoever is first, they are the same.
            self.candidates.set(self.family.candidates(run)?).ok();
        }
        self.candidates.get().map(Vec::as_slice)
    }

    fn total(&self, node: usize, parents: &[usize], space: &mut F::Space) -> f64 {
        self.of(node).cost(node, parents, space) + self.edge * parents.len() as f64
    }

    /// Adds the parent that helps most while one helps, then removes the one that matters least while that helps; when neither
    /// does, exchanges one parent for another, and again until nothing helps. Returns the parents, with those that were taken up
    /// at some time: without the others every step would have been the same.
    pub(super) fn climb(
        &self,
        node: usize,
        (allowed, required): (&NodeSet, &NodeSet),
        mut parents: Vec<usize>,
        growth: &mut Growth<F::Space>,
        run: &Run<'_>,
    ) -> Option<(Vec<usize>, NodeSet)> {
        let Growth { space, candidates, costs } = growth;
        let (family, edge) = (self.of(node), self.edge);
        let mut pace = Pace::new(run);
        let mut witness = NodeSet::with_capacity(self.nodes);
        parents.iter().for_each(|&parent| witness.insert(parent));
        let may_go = |parents: &[usize]| -> Vec<usize> {
            (0..parents.len()).filter(|&at| !required.contains(parents[at])).collect()
        };
        let mut cost = self.total(node, &parents, space);
        loop {
            let mut is_better = false;
            loop {
                candidates.clear();
                candidates.extend(allowed.iter().filter(|other| !parents.contains(other)));
                pace.spend(family.work() * candidates.len())?;
                family.costs_with(node, &parents, candidates, space, costs);
                let more = edge * (parents.len() + 1) as f64;
                let best = least(costs.iter().map(|cost| cost + more).enumerate());
                let Some((at, lowest)) = best.filter(|&(_, lowest)| improves(lowest, cost)) else {
                    break;
                };
                witness.insert(candidates[at]);
                parents = with(&parents, candidates[at]);
                cost = lowest;
                is_better = true;
            }
            while !parents.is_empty() {
                pace.spend(family.work() * parents.len())?;
                let open = may_go(&parents);
                let fewer = open.iter().map(|&at| (at, self.total(node, &without(&parents, at), space)));
                let Some((at, lowest)) = least(fewer).filter(|&(_, lowest)| improves(lowest, cost)) else {
                    break;
                };
                parents.remove(at);
                cost = lowest;
                is_better = true;
            }
            if is_better {
                continue;
            }
            let mut exchange = None;
            for at in may_go(&parents) {
                let rest = without(&parents, at);
                candidates.clear();
                candidates.extend(allowed.iter().filter(|other| !parents.contains(other)));
                pace.spend(family.work() * candidates.len())?;
                family.costs_with(node, &rest, candidates, space, costs);
                let same = edge * parents.len() as f64;
                if let Some((place, lowest)) = least(costs.iter().map(|cost| cost + same).enumerate())
                    && improves(lowest, exchange.as_ref().map_or(cost, |&(_, lowest)| lowest))
                {
                    exchange = Some((with(&rest, candidates[place]), lowest));
                }
            }
            let Some((exchanged, lowest)) = exchange else { break };
            exchanged.iter().for_each(|&parent| witness.insert(parent));
            (parents, cost) = (exchanged, lowest);
        }
        Some((parents, witness))
    }

    /// The best parents that are found one by one.
    fn grow(
        &self,
        node: usize,
        within: (&NodeSet, &NodeSet),
        growth: &mut Growth<F::Space>,
        run: &Run<'_>,
    ) -> Option<Choice> {
        let (parents, witness) = self.climb(node, within, within.1.iter().collect(), growth, run)?;
        // Computed along the way it may differ in its last bits.
        let score = self.total(node, &parents, &mut growth.space);
        Some(Choice { score, parents: parents.into_iter().collect(), witness })
    }

    /// Tries every set with those required. 2^|allowed| costs.
    fn enumerate(
        &self,
        node: usize,
        (allowed, required): (&NodeSet, &NodeSet),
        space: &mut F::Space,
        run: &Run<'_>,
    ) -> Option<Choice> {
        let allowed: Vec<usize> = allowed.iter().filter(|&other| !required.contains(other)).collect();
        let mut pace = Pace::new(run);
        let required: Vec<usize> = required.iter().collect();
        let mut best = (self.total(node, &required, space), required.clone());
        let mut subset = Vec::with_capacity(allowed.len());
        for bits in 1_u64..1 << allowed.len().min(63) {
            pace.spend(self.of(node).work())?;
            subset.clear();
            subset.extend(
                allowed.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, &other)| other),
            );
            subset.extend_from_slice(&required);
            subset.sort_unstable();
            let cost = self.total(node, &subset, space);
            if cost < best.0 {
                best = (cost, subset.clone());
            }
        }
        let parents: NodeSet = best.1.into_iter().collect();
        Some(Choice { score: best.0, witness: parents.clone(), parents })
    }
}

impl<F: Family> LocalScore for FamilyLocal<F> {
    fn name(&self) -> &str {
        F::NAME
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn best(
        &self,
        node: usize,
        allowed: &NodeSet,
        required: &NodeSet,
        scratch: &mut Scratch,
        run: &Run<'_>,
    ) -> Option<Choice> {
        let growth = scratch.space::<Growth<F::Space>>();
        if self.is_exact {
            self.enumerate(node, (allowed, required), &mut growth.space, run)
        } else {
            self.grow(node, (allowed, required), growth, run)
        }
    }

    /// Differences within a class, where there are any, come from rounding and from which rows are complete. They say nothing of
    /// directions.
    fn is_equivalent(&self) -> bool {
        F::IS_EQUIVALENT
    }

    fn undecided(&self, dag: &Dag) -> Vec<(usize, usize)> {
        self.family.undecided(dag)
    }

    fn cost(&self, node: usize, parents: &NodeSet) -> Option<f64> {
        let parents: Vec<usize> = parents.iter().collect();
        Some(self.total(node, &parents, &mut F::Space::default()))
    }

    fn weights(&self, node: usize, parents: &NodeSet) -> Option<Vec<f64>> {
        self.of(node).weights(node, &parents.iter().collect::<Vec<_>>())
    }

    fn walker<'a>(
        &'a self,
        start: &[usize],
        bounds: &'a Bounds,
        run: &Run<'_>,
    ) -> Option<Box<dyn Walker + 'a>> {
        let fits = (!self.is_exact).then(|| FamilyFits::new(self, bounds, run)).flatten()?;
        Some(Box::new(Warm::new(fits, start.to_vec(), run)))
    }

    fn exact(&self) -> Option<Arc<dyn LocalScore>> {
        Some(Arc::new(Self { is_exact: true, ..self.priced(self.edge) }))
    }

    fn fill_costs(&self, node: usize, table: &mut [f64], run: &Run<'_>) -> bool {
        if !self.is_exact {
            return false;
        }
        let mut pace = Pace::new(run);
        let mut space = F::Space::default();
        let mut parents = Vec::new();
        for (set, cost) in table.iter_mut().enumerate() {
            if pace.spend(self.of(node).work()).is_none() {
                return true;
            }
            parents.clear();
            let others = (0..self.nodes).filter(|&other| other != node).enumerate();
            parents.extend(others.filter(|(at, _)| set >> at & 1 == 1).map(|(_, other)| other));
            *cost = self.total(node, &parents, &mut space);
        }
        true
    }
}

/// The same graph with each edge's weight set to what the score would lose without the edge, in nats, where the score knows
/// what families cost.
///
/// ```
/// use plackett_dag::{Dag, Mixed, mixed::MixedColumn, score::{MixedScoreSettings, mixed_score_by_name, weigh_by_cost}};
/// let codes: Vec<u8> = (0..100).map(|row| row % 2).collect();
/// let numbers = codes.iter().zip(0_u8..).map(|(&code, row)| f64::from(code) + 0.01 * f64::from(row % 7)).collect();
/// let columns = vec![MixedColumn::Categories { codes, levels: 2 }, MixedColumn::Numbers(numbers)];
/// let score = mixed_score_by_name("dg", &Mixed::new(columns)?.into(), &MixedScoreSettings::default())?;
/// let dag = weigh_by_cost(score.as_ref(), &Dag::from_parents(vec![vec![], vec![0]])?)?;
/// assert!(dag.weight(0, 1) > 100.0);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
///
/// # Errors
/// None for a graph with a node for each of the score's.
pub fn weigh_by_cost(score: &dyn LocalScore, dag: &Dag) -> Result<Dag> {
    let mut edges = Vec::with_capacity(dag.edge_count());
    for node in 0..dag.nodes() {
        let parents: NodeSet = dag.parents(node).iter().copied().collect();
        let cost = score.cost(node, &parents);
        for parent in &parents {
            let mut rest = parents.clone();
            rest.remove(parent);
            let loss = cost.zip(score.cost(node, &rest)).map_or(1.0, |(cost, rest)| rest - cost);
            // Zero would be no edge.
            edges.push((parent, node, if loss == 0.0 { f64::MIN_POSITIVE } else { loss }));
        }
    }
    Dag::from_edges(dag.nodes(), edges)
}

/// The least of some costs and what it belongs to, the first of equals.
pub(super) fn least(costs: impl Iterator<Item = (usize, f64)>) -> Option<(usize, f64)> {
    costs.reduce(|least, one| if one.1 < least.1 { one } else { least })
}

/// Whether a cost is lower than another by more than rounding.
pub(super) fn improves(new: f64, old: f64) -> bool {
    new < old - IMPROVEMENT * old.abs().max(1.0)
}

/// One member more, in its place.
pub(super) fn with(set: &[usize], member: usize) -> Vec<usize> {
    let place = set.partition_point(|&other| other < member);
    let mut more = Vec::with_capacity(set.len() + 1);
    more.extend_from_slice(&set[..place]);
    more.push(member);
    more.extend_from_slice(&set[place..]);
    more
}

/// The member at a place less.
pub(super) fn without(set: &[usize], place: usize) -> Vec<usize> {
    let mut fewer = set.to_vec();
    fewer.remove(place);
    fewer
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::score::subset::tests::{over, questions};
    use crate::testing::Rng;

    pub(in crate::score) const NODES: usize = 7;

    /// A cost for each set of parents, from a table: parents help or do not, alone and in pairs.
    pub(in crate::score) struct Toy {
        /// By node and, bit by bit, its parents.
        pub(in crate::score) table: Vec<Vec<f64>>,
        pub(in crate::score) work: usize,
        /// Those that walks look at.
        pub(in crate::score) promising: Vec<Vec<usize>>,
        /// How many costs were asked for.
        pub(in crate::score) asked: AtomicUsize,
    }

    impl Toy {
        pub(in crate::score) fn new(seed: u64) -> Self {
            let rng = &mut Rng::new(seed);
            let mut table = Vec::new();
            for _ in 0..NODES {
                let alone: Vec<f64> = (0..NODES).map(|_| -rng.uniform()).collect();
                let pairs: Vec<f64> = (0..NODES * NODES).map(|_| 2.0 * rng.uniform() - 0.4).collect();
                let cost = |set: usize| {
                    let is_in = |member: &usize| set >> member & 1 == 1;
                    let each = |a: usize| -> f64 {
                        alone[a] + (0..a).filter(is_in).map(|b| pairs[a * NODES + b]).sum::<f64>()
                    };
                    20.0 + (0..NODES).filter(is_in).map(each).sum::<f64>()
                };
                table.push((0..1 << NODES).map(cost).collect());
            }
            Self { table, work: 1, promising: Vec::new(), asked: AtomicUsize::new(0) }
        }

        pub(in crate::score) fn of(&self, node: usize, parents: &[usize]) -> f64 {
            self.table[node][parents.iter().map(|parent| 1 << parent).sum::<usize>()]
        }
    }

    impl Family for Toy {
        type Space = ();
        const NAME: &'static str = "toy";
        const IS_EQUIVALENT: bool = false;
        const EFFORT: (usize, usize) = (3, 5);

        fn work(&self) -> usize {
            self.work
        }

        fn price_of_parent(&self, node: usize) -> f64 {
            node as f64 + 0.25
        }

        fn candidates(&self, run: &Run<'_>) -> Option<Vec<Vec<usize>>> {
            (!run.is_over()).then(|| self.promising.clone())
        }

        fn cost(&self, node: usize, parents: &[usize], (): &mut ()) -> f64 {
            assert!(parents.is_sorted() && !parents.contains(&node));
            self.asked.fetch_add(1, Ordering::Relaxed);
            self.of(node, parents)
        }

        fn undecided(&self, dag: &Dag) -> Vec<(usize, usize)> {
            vec![(dag.nodes(), dag.edge_count())]
        }
    }

    /// A climb with the price of an edge, from `parents`, with how many exchanges were made: exchanges are looked for if `widely`.
    pub(in crate::score) fn naive_climb(
        cost: impl Fn(&[usize]) -> f64,
        allowed: &[usize],
        required: &[usize],
        mut parents: Vec<usize>,
        widely: bool,
    ) -> (Vec<usize>, NodeSet, usize) {
        let mut witness: NodeSet = parents.iter().copied().collect();
        let mut exchanges = 0;
        let better = |sets: Vec<Vec<usize>>, than: &[usize]| {
            let best = sets.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
            (cost(&best) < cost(than) - 1e-9).then_some(best)
        };
        let open = |parents: &[usize]| -> Vec<usize> {
            allowed.iter().copied().filter(|other| !parents.contains(other)).collect()
        };
        let fewer = |parents: &[usize]| -> Vec<Vec<usize>> {
            let may_go = (0..parents.len()).filter(|&at| !required.contains(&parents[at]));
            may_go.map(|at| without(parents, at)).collect()
        };
        loop {
            let mut is_same = true;
            while let Some(best) =
                better(open(&parents).iter().map(|&other| with(&parents, other)).collect(), &parents)
            {
                best.iter().for_each(|&parent| witness.insert(parent));
                (parents, is_same) = (best, false);
            }
            while let Some(best) = better(fewer(&parents), &parents) {
                (parents, is_same) = (best, false);
            }
            if is_same {
                let others = open(&parents);
                let exchanged = fewer(&parents)
                    .into_iter()
                    .flat_map(|rest| others.iter().map(move |&other| with(&rest, other)).collect::<Vec<_>>());
                let Some(best) = better(exchanged.collect(), &parents).filter(|_| widely) else {
                    return (parents, witness, exchanges);
                };
                best.iter().for_each(|&parent| witness.insert(parent));
                parents = best;
                exchanges += 1;
            }
        }
    }

    fn set(members: &[usize]) -> NodeSet {
        members.iter().copied().collect()
    }

    #[test]
    fn climbing_and_trying_all_are_what_they_are_on_a_table() {
        let mut exchanged = 0;
        for seed in 0..60 {
            let edge = [0.0, 0.15, 1.1][seed as usize % 3];
            let score = FamilyLocal::new(Toy::new(seed), NODES).priced(edge);
            let node = seed as usize % NODES;
            let toy = Toy::new(seed);
            let total = |parents: &[usize]| toy.of(node, parents) + edge * parents.len() as f64;
            let allowed: Vec<usize> =
                (0..NODES).filter(|&one| one != node && one != (node + 2) % NODES).collect();
            for required in [&[][..], &allowed[1..2], &allowed[2..4]] {
                let within = (&set(&allowed), &set(required));
                let (scratch, run) = (&mut Scratch::default(), &Run::default());
                let (parents, witness, count) =
                    naive_climb(total, &allowed, required, required.to_vec(), true);
                exchanged += count;
                let found = score.best(node, within.0, within.1, scratch, run).unwrap();
                assert_eq!(found.score, total(&parents), "{seed} {required:?}");
                assert_eq!((found.parents, found.witness), (set(&parents), witness), "{seed} {required:?}");

                let mut start: Vec<usize> = allowed[3..].iter().chain(required).copied().collect();
                start.sort_unstable();
                start.dedup();
                let (parents, witness, count) = naive_climb(total, &allowed, required, start.clone(), true);
                exchanged += count;
                let climbed = score.climb(node, within, start, &mut Growth::default(), run);
                assert_eq!(climbed, Some((parents, witness)), "{seed} {required:?}");

                let exact = score.exact().unwrap();
                let found = exact.best(node, within.0, within.1, scratch, run).unwrap();
                let sets =
                    (0..1_usize << NODES).map(|bits| (0..NODES).filter(|at| bits >> at & 1 == 1).collect());
                let sets = sets.filter(|one: &Vec<usize>| {
                    let may = one.iter().all(|member| allowed.contains(member));
                    may && required.iter().all(|member| one.contains(member))
                });
                let best = sets.min_by(|a, b| total(a).total_cmp(&total(b))).unwrap();
                assert_eq!((found.score, found.parents.clone()), (total(&best), set(&best)));
                assert_eq!(found.witness, found.parents);
            }
            assert_eq!(LocalScore::cost(&score, node, &set(&allowed)), Some(total(&allowed)));
        }
        assert!(exchanged > 5, "{exchanged} exchanges");
    }

    #[test]
    fn tables_are_of_exact_scores_and_walks_of_the_others() {
        let (score, toy) = (FamilyLocal::new(Toy::new(3), NODES).priced(0.5), Toy::new(3));
        let mut table = vec![-1.0; 1 << (NODES - 1)];
        assert!(!score.fill_costs(2, &mut table, &Run::default()));
        assert!(table.iter().all(|&cost| cost == -1.0));
        let exact = score.exact().unwrap();
        assert!(exact.fill_costs(2, &mut table, &Run::default()));
        for (bits, cost) in table.into_iter().enumerate() {
            let parents: Vec<usize> = [0, 1, 3, 4, 5, 6]
                .into_iter()
                .enumerate()
                .filter(|(at, _)| bits >> at & 1 == 1)
                .map(|(_, other)| other)
                .collect();
            assert_eq!(cost, toy.of(2, &parents) + 0.5 * parents.len() as f64);
        }
        let (bounds, start) = (Bounds::free(NODES), (0..NODES).collect::<Vec<_>>());
        assert_eq!(score.walker(&start, &bounds, &Run::default()).unwrap().effort(), Some((3, 5)));
        assert!(exact.walker(&start, &bounds, &Run::default()).is_none());
        let fresh = FamilyLocal::new(Toy::new(3), NODES);
        assert!(fresh.walker(&start, &bounds, &over()).is_none());
        assert!(fresh.candidates(&over()).is_none());
        assert_eq!(fresh.candidates(&Run::default()), Some(&[][..]));
    }

    #[test]
    fn a_node_that_was_set_has_a_family_of_its_own() {
        let mut own: Vec<Option<Toy>> = (0..NODES).map(|_| None).collect();
        own[4] = Some(Toy::new(8));
        let score = FamilyLocal::new(Toy::new(7), NODES).with_own(own).priced(0.25);
        for (node, seed) in [(3, 7), (4, 8), (5, 7)] {
            let expected = Toy::new(seed).of(node, &[0, 2]) + 0.5;
            assert_eq!(LocalScore::cost(&score, node, &set(&[0, 2])), Some(expected));
        }
        assert_eq!(score.edge_price(), 0.25);
        let dag = Dag::from_parents(vec![vec![], vec![0], vec![0, 1]]).unwrap();
        assert_eq!(score.undecided(&dag), [(3, 3)]);
        assert!(!score.is_equivalent());
        assert_eq!(LocalScore::weights(&score, 1, &set(&[0])), None);
    }

    #[test]
    fn edges_weigh_what_is_lost_without_them() {
        let mut toy = Toy::new(5);
        // Node 6 costs the same with 0 and without it, if 1 is a parent.
        toy.table[6][0b11] = toy.table[6][0b10];
        let expected =
            |node: usize, parents: &[usize], fewer: &[usize]| toy.of(node, fewer) - toy.of(node, parents);
        let losses = [expected(2, &[0, 1], &[1]), expected(2, &[0, 1], &[0]), expected(6, &[0, 1], &[0])];
        let score = FamilyLocal::new(toy, NODES);
        let parents = vec![vec![], vec![], vec![0, 1], vec![], vec![], vec![], vec![0, 1]];
        let dag = weigh_by_cost(&score, &Dag::from_parents(parents).unwrap()).unwrap();
        assert_eq!([dag.weight(0, 2), dag.weight(1, 2), dag.weight(1, 6)], losses);
        assert_eq!((dag.edge_count(), dag.weight(0, 6)), (4, f64::MIN_POSITIVE));
    }

    #[test]
    fn an_improvement_is_more_than_rounding_and_the_first_of_equals_the_least() {
        for before in [-100.0, -1.0, -0.01, 0.0, 0.01, 1.0, 100.0_f64] {
            let share = before.abs().max(1.0);
            assert!(!improves(before, before) && !improves(before + share, before));
            assert!(!improves(before - 5e-12 * share, before));
            assert!(improves(before - 2e-11 * share, before));
        }
        assert!(!improves(-IMPROVEMENT, 0.0));
        // Of sets that cost the same the first that is tried is taken, which has fewer.
        let mut toy = Toy::new(1);
        toy.table.iter_mut().for_each(|costs| costs.fill(20.0));
        let exact = FamilyLocal::new(toy, NODES).exact().unwrap();
        let found =
            exact.best(2, &set(&[0, 1]), &set(&[0]), &mut Scratch::default(), &Run::default()).unwrap();
        assert_eq!(found.parents, set(&[0]));
        assert_eq!(least([(3, 1.0), (5, 0.5), (4, 0.5), (6, 2.0)].into_iter()), Some((5, 0.5)));
        assert_eq!(least(std::iter::empty()), None);
    }

    #[test]
    fn the_run_is_asked_in_proportion_to_the_work() {
        let nodes = NODES - 1;
        let all: NodeSet = (0..nodes).collect();
        // All families cost the same: no change helps.
        let even = |work: usize| {
            let mut toy = Toy { work, ..Toy::new(1) };
            toy.table.iter_mut().for_each(|costs| costs.fill(20.0));
            FamilyLocal::new(toy, NODES)
        };
        for work in [1 << 11, 1 << 12, 1 << 14] {
            let score = even(work);
            for parents in 0..=nodes {
                let asked = questions(|run| {
                    let (within, growth) = ((&all, &NodeSet::default()), &mut Growth::default());
                    score.climb(nodes, within, (0..parents).collect(), growth, run).unwrap();
                });
                // One more of all that are open, one less, and each in turn in exchange.
                let open = nodes - parents;
                let amounts = [work * open, work * parents].into_iter();
                let amounts: Vec<usize> = amounts.chain(vec![work * open; parents]).collect();
                let expected = questions(|run| {
                    let pace = &mut Pace::new(run);
                    amounts.iter().for_each(|&amount| pace.spend(amount).unwrap());
                });
                assert_eq!(asked, expected, "{work} {parents}");
            }
        }
        let exact = even(1 << 14).exact().unwrap();
        let asked = |required: &[usize]| {
            questions(|run| {
                _ = exact.best(nodes, &all, &set(required), &mut Scratch::default(), run).unwrap();
            })
        };
        assert_eq!((asked(&[]), asked(&[0])), (63, 31));
        let mut table = vec![0.0; 1 << nodes];
        assert_eq!(questions(|run| assert!(exact.fill_costs(0, &mut table, run))), 64);
    }
}
