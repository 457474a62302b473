//! What a walker keeps of every node where a score says what families cost: its parents, with what each change by one parent would
//! cost. All of it depends on the node and its parents alone, so walks share what they have found.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use plackett::run::Run;

use super::family::{Family, FamilyLocal, Growth, improves, least, with, without};
use super::warm::{Allowed, Fits, must_have};
use crate::{Bounds, NodeSet};

/// Families of a node that are remembered, with what the families next to them cost; then it is begun anew. About 100 MB at 50
/// nodes if all are full.
const MOST_REMEMBERED: usize = 1 << 12;

/// Operations that may go into one family with its neighbors before the run is asked: a tenth of a second's.
const MOST_WORK: usize = 50_000_000;

/// A node with its parents and what is next to them, without the prices of edges.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    node: usize,
    parents: Vec<usize>,
    cost: f64,
    /// The cost with one more parent, by node; infinite for those that are none to look at.
    with: Vec<f64>,
    /// The cost with one less, by position.
    without: Vec<f64>,
}

/// What has been found of each node.
#[derive(Debug, Default)]
pub(crate) struct Remembered(Vec<Mutex<HashMap<NodeSet, Arc<Surroundings>>>>);

impl Remembered {
    pub(crate) fn of(nodes: usize) -> Self {
        Self((0..nodes).map(|_| Mutex::default()).collect())
    }
}

/// What the fits of families are made from.
pub(crate) struct FamilyFits<'a, F: Family> {
    score: &'a FamilyLocal<F>,
    bounds: &'a Bounds,
    /// By node those that are looked at while walking, those barred among them: what is found serves walks within other bounds too.
    candidates: Vec<Vec<usize>>,
    growth: Growth<F::Space>,
}

impl<'a, F: Family> FamilyFits<'a, F> {
    /// Nothing if one family with its neighbors takes too long for a walk that could be ended, or if the run is over.
    pub(crate) fn new(score: &'a FamilyLocal<F>, bounds: &'a Bounds, run: &Run<'_>) -> Option<Self> {
        let nodes = bounds.nodes();
        let known = score.candidates(run)?;
        let of_node = |node: usize| -> Vec<usize> {
            match known.get(node) {
                Some(promising) => promising.clone(),
                None => (0..nodes).filter(|&other| other != node).collect(),
            }
        };
        let candidates: Vec<Vec<usize>> = (0..nodes).map(of_node).collect();
        let most = candidates.iter().map(Vec::len).max().unwrap_or_default();
        let is_quick = score.work().saturating_mul(most) <= MOST_WORK && !run.is_over();
        is_quick.then(|| Self { score, bounds, candidates, growth: Growth::default() })
    }

    /// What a node costs with one more parent, without the prices of edges; infinite for one that the bounds bar.
    fn with(&self, fit: &Surroundings, parent: usize) -> f64 {
        if self.bounds.permits(parent, fit.node) { fit.with[parent] } else { f64::INFINITY }
    }

    fn find(&mut self, node: usize, parents: Vec<usize>) -> Arc<Surroundings> {
        let key: NodeSet = parents.iter().copied().collect();
        let shelf = &self.score.remembered().0[node];
        let locked = || shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = locked().get(&key) {
            return Arc::clone(known);
        }
        let found = Arc::new(self.look(node, parents));
        let mut known = locked();
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        known.insert(key, Arc::clone(&found));
        found
    }

    fn look(&mut self, node: usize, parents: Vec<usize>) -> Surroundings {
        let family = self.score.of(node);
        let Growth { space, candidates, costs } = &mut self.growth;
        let cost = family.cost(node, &parents, space);
        let fewer = |at: usize| family.cost(node, &without(&parents, at), space);
        let fewer: Vec<f64> = (0..parents.len()).map(fewer).collect();
        candidates.clear();
        candidates.extend(self.candidates[node].iter().filter(|candidate| !parents.contains(candidate)));
        family.costs_with(node, &parents, candidates, space, costs);
        let mut more = vec![f64::INFINITY; self.bounds.nodes()];
        candidates.iter().zip(&*costs).for_each(|(&candidate, &cost)| more[candidate] = cost);
        Surroundings { node, parents, cost, with: more, without: fewer }
    }
}

impl<F: Family> Fits for FamilyFits<'_, F> {
    type Fit = Arc<Surroundings>;

    fn bounds(&self) -> &Bounds {
        self.bounds
    }

    fn price(&self, node: usize) -> f64 {
        self.score.of(node).price_of_parent(node) + self.score.edge_price()
    }

    fn start(&mut self, node: usize, fit: &mut Self::Fit) {
        *fit = self.find(node, Vec::new());
    }

    fn parents<'f>(&self, fit: &'f Self::Fit) -> &'f [usize] {
        &fit.parents
    }

    fn cost(&self, fit: &Self::Fit) -> f64 {
        fit.cost + self.score.edge_price() * fit.parents.len() as f64
    }

    fn wants(&self, fit: &Self::Fit, candidate: usize) -> bool {
        improves(self.with(fit, candidate) + self.score.edge_price(), fit.cost)
    }

    fn add(&mut self, fit: &mut Self::Fit, parent: usize) {
        *fit = self.find(fit.node, with(&fit.parents, parent));
    }

    fn remove(&mut self, fit: &mut Self::Fit, position: usize) {
        *fit = self.find(fit.node, without(&fit.parents, position));
    }

    fn settle(&mut self, fit: &mut Self::Fit, allowed: Allowed<'_>) {
        let edge = self.score.edge_price();
        // Infinity less a share of itself is no number, and nothing would be less.
        let mut lowest = f64::MAX;
        loop {
            loop {
                let costs = allowed.iter().map(|candidate| (candidate, self.with(fit, candidate)));
                let Some((candidate, cost)) = least(costs) else { break };
                if !improves(cost + edge, fit.cost) {
                    break;
                }
                self.add(fit, candidate);
            }
            let mut is_smaller = false;
            loop {
                let may_go = |at: &usize| !must_have(self.bounds, fit.node, fit.parents[*at]);
                let open = (0..fit.parents.len()).filter(may_go).map(|at| (at, fit.without[at]));
                let Some((position, cost)) = least(open) else { break };
                if !improves(cost - edge, fit.cost) {
                    break;
                }
                self.remove(fit, position);
                is_smaller = true;
            }
            // What changes are worth is told to a few last digits: none may come and go for ever.
            let cost = self.cost(fit);
            if !is_smaller || !improves(cost, lowest) {
                return;
            }
            lowest = cost;
        }
    }

    fn cost_with(&self, fit: &Self::Fit, parent: usize) -> f64 {
        let more = self.with(fit, parent);
        let cost = if more.is_finite() { more } else { fit.cost };
        cost + self.score.edge_price() * (fit.parents.len() + 1) as f64
    }

    fn cost_without(&self, fit: &Self::Fit, position: usize) -> f64 {
        fit.without[position] + self.score.edge_price() * (fit.parents.len() - 1) as f64
    }

    /// By exchanges, among all that may be parents.
    fn refine(&mut self, fit: &mut Self::Fit, before: &[usize], run: &Run<'_>) -> bool {
        let node = fit.node;
        let is_open = |other: &usize| self.bounds.permits(*other, node);
        let allowed: NodeSet = before.iter().copied().filter(is_open).collect();
        let is_required = |other: &usize| must_have(self.bounds, node, *other);
        let required: NodeSet = before.iter().copied().filter(is_required).collect();
        let climbed =
            self.score.climb(node, (&allowed, &required), fit.parents.clone(), &mut self.growth, run);
        let Some((parents, _)) = climbed.filter(|(parents, _)| *parents != fit.parents) else { return false };
        let better = self.find(node, parents);
        let is_better = improves(self.cost(&better), self.cost(fit));
        if is_better {
            *fit = better;
        }
        is_better
    }

    fn effort(&self) -> Option<(usize, usize)> {
        Some(F::EFFORT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalScore;
    use crate::mixed::{Mixed, MixedColumn};
    use crate::score::family::tests::{NODES, Toy, naive_climb};
    use crate::score::mixed::conditional_gaussian;
    use crate::score::subset::tests::over;
    use crate::score::{degenerate::DegenerateGaussian, mixed::Price};
    use crate::testing::{Rng, normal};

    /// Every second column is of categories, and each depends on the two before it.
    fn data(columns: usize, rows: usize) -> Mixed {
        let mut rng = Rng::new(7);
        let mut values: Vec<Vec<f64>> = Vec::new();
        let column = |at: usize, rng: &mut Rng, values: &[Vec<f64>]| -> Vec<f64> {
            let earlier = |row: usize| values.iter().rev().take(2).map(|before| before[row]).sum::<f64>();
            let draw = |row: usize, rng: &mut Rng| 0.8 * earlier(row) + normal(rng);
            let numbers = (0..rows).map(|row| draw(row, rng));
            let level = |number: f64| f64::from(u8::from(number > -0.5) + u8::from(number > 0.7));
            if at % 2 == 1 { numbers.map(level).collect() } else { numbers.collect() }
        };
        for at in 0..columns {
            let next = column(at, &mut rng, &values);
            values.push(next);
        }
        #[expect(clippy::cast_sign_loss, reason = "levels are 0, 1 and 2")]
        let code = |&value: &f64| value as u8;
        let columns = values.into_iter().enumerate().map(|(at, values)| match at % 2 {
            1 => MixedColumn::Categories { codes: values.iter().map(code).collect(), levels: 3 },
            _ => MixedColumn::Numbers(values),
        });
        Mixed::new(columns.collect()).unwrap()
    }

    fn degenerate(data: &Mixed) -> FamilyLocal<DegenerateGaussian> {
        let blocks = crate::mixed::Blocks::of(data, &Run::default()).unwrap().unwrap();
        let gaussian = DegenerateGaussian::new(blocks, Price::new(data.total(), None).unwrap()).unwrap();
        FamilyLocal::new(gaussian, data.columns().len()).priced(1.5)
    }

    fn check<F: Family>(score: &FamilyLocal<F>) {
        let nodes = score.nodes();
        // 1 → 4 is required, 0 → 5 barred.
        let bounds = Bounds::new(nodes, &[(0, 5)], &[(1, 4)], &[]).unwrap();
        let mut fits = FamilyFits::new(score, &bounds, &Run::default()).unwrap();
        let cost = |node: usize, parents: &[usize]| {
            let parents: NodeSet = parents.iter().copied().collect();
            LocalScore::cost(score, node, &parents).unwrap()
        };
        for node in 0..nodes {
            let others: Vec<usize> = (0..nodes).filter(|&other| other != node).collect();
            let (mut fit, mut required) = (Arc::default(), Vec::new());
            fits.start(node, &mut fit);
            for &other in others.iter().filter(|&&other| must_have(&bounds, node, other)) {
                fits.add(&mut fit, other);
                required.push(other);
            }
            let allowed = Allowed { before: &others, with: None, without: Some(3) };
            fits.settle(&mut fit, allowed);
            let parents = fits.parents(&fit).to_vec();
            let settled = fits.cost(&fit);
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-7 * b.abs(), "{a} for {b}");
            close(settled, cost(node, &parents));
            assert!(required.iter().all(|parent| parents.contains(parent)));
            assert!(!parents.contains(&3) && (node != 5 || !parents.contains(&0)));
            // No change by one parent helps, and what each is worth is known.
            for (position, _) in parents.iter().enumerate() {
                let fewer = cost(node, &without(&parents, position));
                close(fits.cost_without(&fit, position), fewer);
                assert!(required.contains(&parents[position]) || fewer > settled - 1e-6);
            }
            for &other in others.iter().filter(|other| !parents.contains(other)) {
                let is_barred = !bounds.permits(other, node);
                let more = cost(node, &with(&parents, other));
                assert_eq!(fits.wants(&fit, other), !is_barred && improves(more, settled), "{node} {other}");
                if !is_barred {
                    close(fits.cost_with(&fit, other), more);
                    assert!(other == 3 || more > settled - 1e-6);
                }
            }
        }
    }

    #[test]
    fn what_is_kept_of_a_node_is_what_its_families_cost() {
        let data = data(8, 300);
        check(&degenerate(&data));
        check(&conditional_gaussian(&data, None).unwrap().priced(0.5));
    }

    #[test]
    fn few_candidates_are_looked_at_where_there_are_many() {
        let score = conditional_gaussian(&data(30, 60), None).unwrap();
        let candidates = score.candidates(&Run::default()).unwrap();
        assert!(candidates.iter().all(|ones| ones.len() == 20));
        // Each depends on the one before it more than on most.
        assert!((1..30).all(|node| candidates[node].contains(&(node - 1))));
    }

    /// As many costs as were asked for so far.
    fn asked(score: &FamilyLocal<Toy>) -> usize {
        score.of(0).asked.load(std::sync::atomic::Ordering::Relaxed)
    }

    #[test]
    fn settling_and_refining_are_what_they_are_on_a_table() {
        let mut refined = 0;
        for seed in 0..200 {
            let edge = [0.0, 0.15, 0.4, 0.7, 1.1][seed as usize % 5];
            let score = FamilyLocal::new(Toy::new(seed), NODES).priced(edge);
            // 3 → 6 is required and 1 → 6 barred, every other time.
            let bounds = if seed % 2 == 0 {
                Bounds::free(NODES)
            } else {
                Bounds::new(NODES, &[(1, 6)], &[(3, 6)], &[]).unwrap()
            };
            let required = if bounds.is_free() { &[][..] } else { &[3][..] };
            let mut fits = FamilyFits::new(&score, &bounds, &Run::default()).unwrap();
            let toy = Toy::new(seed);
            let total = |parents: &[usize]| toy.of(6, parents) + edge * parents.len() as f64;
            let mut fit = Arc::default();
            fits.start(6, &mut fit);
            [4, 0, 3].iter().for_each(|&parent| fits.add(&mut fit, parent));
            assert_eq!(fits.parents(&fit), [0, 3, 4]);
            fits.settle(&mut fit, Allowed { before: &[5, 4, 3, 2, 1], with: Some(0), without: Some(2) });
            let open: Vec<usize> =
                [0, 1, 3, 4, 5].into_iter().filter(|&one| bounds.permits(one, 6)).collect();
            let (parents, ..) = naive_climb(total, &open, required, vec![0, 3, 4], false);
            assert_eq!(fits.parents(&fit), parents, "{seed}");
            assert_eq!(fits.cost(&fit), total(&parents));
            let all: Vec<usize> = (0..6).filter(|&one| bounds.permits(one, 6)).collect();
            let (better, ..) = naive_climb(total, &all, required, parents.clone(), true);
            let is_better = fits.refine(&mut fit, &[5, 4, 3, 2, 1, 0], &Run::default());
            assert_eq!(is_better, better != parents, "{seed}");
            assert_eq!(fits.parents(&fit), better);
            refined += usize::from(is_better);
            assert!(!fits.refine(&mut fit, &[5, 4, 3, 2, 1, 0], &Run::default()));
            assert_eq!(fits.price(4), 4.25 + edge);
            assert_eq!((fits.effort(), fits.is_full(&fit)), (Some((3, 5)), false));
        }
        assert!(refined > 10, "{refined} were refined");
    }

    #[test]
    fn what_has_been_found_is_not_asked_for_again() {
        let score = FamilyLocal::new(Toy::new(2), NODES);
        let bounds = Bounds::free(NODES);
        let mut fits = FamilyFits::new(&score, &bounds, &Run::default()).unwrap();
        let mut fit = Arc::default();
        fits.start(5, &mut fit);
        assert_eq!(asked(&score), NODES, "no parent, and each of the others");
        fits.add(&mut fit, 2);
        fits.add(&mut fit, 4);
        let count = asked(&score);
        assert_eq!(count, 3 * NODES, "a family has as many neighbors as there are other nodes");
        fits.remove(&mut fit, 1);
        fits.remove(&mut fit, 0);
        // Whatever an edge costs.
        let other = score.priced(3.0);
        let mut fits = FamilyFits::new(&other, &bounds, &Run::default()).unwrap();
        fits.start(5, &mut fit);
        fits.add(&mut fit, 2);
        assert_eq!((asked(&score), asked(&other)), (count, count));
        assert_eq!(fits.cost(&fit), Toy::new(2).of(5, &[2]) + 3.0);
    }

    #[test]
    fn walks_look_at_promising_candidates_and_take_no_work_without_end() {
        let bounds = Bounds::free(NODES);
        let mut toy = Toy::new(4);
        toy.promising = vec![vec![1, 3]; NODES];
        toy.promising[1] = vec![0, 2];
        toy.promising[3] = vec![4, 5, 6];
        toy.work = MOST_WORK / 3;
        let score = FamilyLocal::new(toy, NODES);
        let fits = FamilyFits::new(&score, &bounds, &Run::default()).unwrap();
        assert_eq!(
            (fits.candidates[1].as_slice(), fits.candidates[3].as_slice()),
            (&[0, 2][..], &[4, 5, 6][..])
        );
        let mut fits = fits;
        let mut fit = Arc::default();
        fits.start(1, &mut fit);
        assert_eq!(asked(&score), 3);
        assert_eq!(fits.with(&fit, 2), Toy::new(4).of(1, &[2]));
        assert_eq!(fits.with(&fit, 3), f64::INFINITY);
        // One that is not looked at is taken to add nothing.
        assert_eq!(fits.cost_with(&fit, 3), fits.cost(&fit));

        let wide = |work: usize| FamilyLocal::new(Toy { work, ..Toy::new(4) }, NODES);
        let is_walked = |work: usize| FamilyFits::new(&wide(work), &bounds, &Run::default()).is_some();
        assert!(is_walked(MOST_WORK / (NODES - 1)) && !is_walked(MOST_WORK / (NODES - 1) + 1));
        assert!(!is_walked(usize::MAX));
        // What to look at is known, and there is no time.
        assert!(FamilyFits::new(&score, &bounds, &over()).is_none());
    }

    #[test]
    fn families_of_equivalent_scores_leave_no_edge_undecided() {
        let dag = crate::Dag::from_parents(vec![vec![], vec![0], vec![0, 1]]).unwrap();
        assert_eq!(degenerate(&data(3, 30)).undecided(&dag), []);
    }
}
