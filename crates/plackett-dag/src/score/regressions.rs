//! Regressions as what a walker keeps of every node, for scores of residual variances.

use plackett::run::Run;

use super::regression::{Model, Regression, Space};
use super::subset::{Criterion, Space as SubsetSpace, Subset};
use super::warm::{Allowed, Fits, must_have};
use crate::{Bounds, NodeSet};

/// The most parents of a node while the first places are looked for: in a bad order many seem to help, and each is dear.
const FIRST_PARENTS: usize = 32;

/// Candidates among which pairs and exchanges are looked for at the end, the strongest ones.
const POLISHED_CANDIDATES: usize = 40;

/// Visits of branch and bound at the end, of all nodes together. At 20 dense nodes and 100 rows they bettered one of four
/// scores; at 50 nodes and more, where they are too few to matter, none of 20.
const POLISHING_VISITS: usize = 10_000;

/// What the regressions of a subset score are made from.
pub(crate) struct Regressions<'a, C> {
    model: Model<'a, C>,
    subset: &'a Subset<C>,
    space: Space,
    wider: SubsetSpace,
}

impl<'a, C: Criterion> Regressions<'a, C> {
    pub(crate) fn new(subset: &'a Subset<C>, bounds: &'a Bounds) -> Self {
        let (correlations, criteria) = (subset.correlations(), &subset.criteria);
        let model = Model { correlations, criteria, bounds, most_parents: FIRST_PARENTS };
        Self { model, subset, space: Space::default(), wider: SubsetSpace::default() }
    }
}

impl<C: Criterion> Fits for Regressions<'_, C> {
    type Fit = Regression;

    fn bounds(&self) -> &Bounds {
        self.model.bounds
    }

    fn price(&self, node: usize) -> f64 {
        self.model.criteria[node].penalty()
    }

    fn start(&mut self, node: usize, fit: &mut Regression) {
        fit.start(&self.model, node);
    }

    fn parents<'f>(&self, fit: &'f Regression) -> &'f [usize] {
        fit.parents()
    }

    fn cost(&self, fit: &Regression) -> f64 {
        fit.cost(&self.model)
    }

    fn wants(&self, fit: &Regression, candidate: usize) -> bool {
        fit.wants(candidate)
    }

    fn add(&mut self, fit: &mut Regression, parent: usize) {
        fit.add(&self.model, parent, &mut self.space);
    }

    fn remove(&mut self, fit: &mut Regression, position: usize) {
        fit.remove(&self.model, position, &mut self.space);
    }

    fn settle(&mut self, fit: &mut Regression, allowed: Allowed<'_>) {
        fit.settle(&self.model, allowed, &mut self.space);
    }

    fn tidy(&mut self, fit: &mut Regression) {
        fit.tidy(&self.model, &mut self.space);
    }

    fn cost_with(&self, fit: &Regression, parent: usize) -> f64 {
        fit.cost_with(&self.model, parent)
    }

    fn cost_without(&self, fit: &Regression, position: usize) -> f64 {
        fit.cost_without(&self.model, position)
    }

    fn forget(&mut self, fit: &mut Regression, position: usize) {
        fit.forget(position);
    }

    fn widen(&mut self) {
        self.model.most_parents = usize::MAX;
    }

    fn is_full(&self, fit: &Regression) -> bool {
        fit.is_full()
    }

    /// By pairs and exchanges, and by branch and bound.
    fn refine(&mut self, fit: &mut Regression, before: &[usize], run: &Run<'_>) -> bool {
        let node = fit.node();
        let is_required = |other: &usize| must_have(self.model.bounds, node, *other);
        let required: NodeSet = before.iter().copied().filter(is_required).collect();
        let parents: NodeSet = fit.parents().iter().copied().chain(&required).collect();
        let mut allowed = parents.clone();
        let strongest = fit.strongest(before, POLISHED_CANDIDATES);
        strongest.into_iter().for_each(|candidate| allowed.insert(candidate));
        let visits = POLISHING_VISITS / self.model.correlations.nodes();
        let within = (&allowed, &required);
        let better = self.subset.refine(node, within, &parents, visits, &mut self.wider, run);
        if let Some(better) = &better {
            fit.replace(&self.model, better, &mut self.space);
        }
        better.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::score::SubsetSearch;
    use crate::score::subset::tests::Priced;
    use crate::testing::random_gram;

    fn subset(nodes: usize, rows: usize, seed: u64, penalty: f64) -> Subset<Priced> {
        let criteria = vec![Priced { half_rows: None, penalty, rise: 0.0 }; nodes];
        Subset::new(Arc::new(random_gram(nodes, rows, seed)), criteria, SubsetSearch::GrowShrink)
    }

    #[test]
    fn fits_are_regressions() {
        let subset = subset(40, 200, 1, 1e-4);
        let bounds = Bounds::free(40);
        let mut fits = Regressions::new(&subset, &bounds);
        assert_eq!(fits.price(3), 1e-4);
        let mut fit = Regression::default();
        fits.start(39, &mut fit);
        let cost = |parents: &[usize]| {
            subset.score(39, &parents.iter().copied().collect(), &mut SubsetSpace::default())
        };
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
        fits.add(&mut fit, 7);
        fits.add(&mut fit, 4);
        assert_eq!(fits.parents(&fit), [7, 4]);
        close(fits.cost(&fit), cost(&[4, 7]));
        for other in (0..39).filter(|other| ![4, 7].contains(other)) {
            close(fits.cost_with(&fit, other), cost(&[4, 7, other]));
            assert_eq!(fits.wants(&fit, other), cost(&[4, 7, other]) < cost(&[4, 7]) - 1e-7);
        }
        // Where a parent is dear some are wanted and some are not.
        let price = 0.25 * cost(&[]);
        let dear = self::subset(40, 200, 1, price);
        let mut others = Regressions::new(&dear, &bounds);
        let mut alone = Regression::default();
        others.start(39, &mut alone);
        let wanted: Vec<usize> = (0..39).filter(|&other| others.wants(&alone, other)).collect();
        let gain = |other: usize| cost(&[]) - cost(&[other]) + 1e-4;
        let expected: Vec<usize> = (0..39).filter(|&other| gain(other) > price + 1e-7).collect();
        assert!(wanted == expected && !wanted.is_empty() && wanted.len() < 39, "{wanted:?}");
        close(fits.cost_without(&fit, 0), cost(&[4]));
        close(fits.cost_without(&fit, 1), cost(&[7]));
        let mut forgetful = fit.clone();
        fits.forget(&mut forgetful, 0);
        close(fits.cost(&forgetful), cost(&[4]));
        fits.remove(&mut fit, 0);
        assert_eq!(fits.parents(&fit), [4]);

        // After many changes it is computed anew, to the last bit.
        let mut fresh = Regression::default();
        fits.start(39, &mut fresh);
        for _ in 0..40 {
            fits.add(&mut fit, 9);
            fits.remove(&mut fit, 1);
        }
        fits.add(&mut fresh, 4);
        let is_same = |fits: &Regressions<'_, Priced>, fit: &Regression| {
            (0..39)
                .all(|other| fits.cost_with(fit, other).to_bits() == fits.cost_with(&fresh, other).to_bits())
        };
        assert!(!is_same(&fits, &fit), "rounding adds up");
        fits.tidy(&mut fit);
        assert!(is_same(&fits, &fit));

        // No more parents at first than are quickly looked through.
        let before: Vec<usize> = (0..39).collect();
        let allowed = Allowed { before: &before, with: None, without: None };
        assert!(!fits.is_full(&fit));
        fits.settle(&mut fit, allowed);
        assert!(fits.is_full(&fit));
        assert_eq!(fits.parents(&fit).len(), FIRST_PARENTS);
        fits.widen();
        fits.settle(&mut fit, allowed);
        assert!(!fits.is_full(&fit) && fits.parents(&fit).len() > FIRST_PARENTS);
    }

    #[test]
    fn refining_is_that_of_the_subset_score_with_so_many_visits() {
        let run = Run::default();
        let mut found = [0; 3];
        let small = (0..10).map(|seed| (20, subset(20, 25, seed, 0.004)));
        for (nodes, subset) in small.chain((0..6).map(|seed| (40, subset(40, 60, seed, 0.002)))) {
            let node = nodes - 1;
            let bounds = Bounds::new(nodes, &[(2, node)], &[(5, node)], &[]).unwrap();
            let mut fits = Regressions::new(&subset, &bounds);
            let mut fit = Regression::default();
            fits.start(node, &mut fit);
            fits.add(&mut fit, 5);
            let before: Vec<usize> = (0..node).rev().collect();
            fits.settle(&mut fit, Allowed { before: &before, with: None, without: None });
            let start: NodeSet = fits.parents(&fit).iter().copied().collect();
            let allowed: NodeSet = (0..node).filter(|&other| other != 2).collect();
            let required: NodeSet = [5].into_iter().collect();
            let mut space = SubsetSpace::default();
            let mut refine =
                |visits: usize| subset.refine(node, (&allowed, &required), &start, visits, &mut space, &run);
            let expected = refine(POLISHING_VISITS / nodes);
            // With fewer visits, or more, some would be others.
            found[0] += usize::from(expected.is_some());
            found[1] += usize::from(refine(1) != expected);
            found[2] += usize::from(refine(20_000) != expected);
            assert_eq!(fits.refine(&mut fit, &before, &run), expected.is_some());
            let parents: NodeSet = fits.parents(&fit).iter().copied().collect();
            assert_eq!(parents, expected.unwrap_or(start));
        }
        assert!(found.iter().all(|&count| count > 0), "{found:?}");
    }
}
