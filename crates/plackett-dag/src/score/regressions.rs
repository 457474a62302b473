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
