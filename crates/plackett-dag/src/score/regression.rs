//! A node's regression on its parents, kept as it changes: one parent more or less costs O(k² + k·d) for k parents of d
//! nodes, and whether any candidate would be a good one can be told at once, without solving anything. What the search
//! over orders is made of where a score is a function of residual variances.

use super::subset::{Criterion, PERFECT_FIT};
use super::warm::{Allowed, must_have};
use crate::cholesky::{COLLINEAR, Cholesky, dot};
use crate::gram::NodeMoments;
use crate::{Bounds, Gram, NodeSet};

/// An improvement of a local score by less than this is rounding, not improvement.
const IMPROVEMENT: f64 = 1e-7;

/// Changes of a regression until everything is computed anew.
const CHANGES: usize = 32;

/// The correlations of the columns and their variances: with them no unit of measurement can overflow. Where a node has moments of
/// its own, they are in the same units.
#[derive(Debug)]
pub(crate) struct Correlations {
    gram: Gram,
    variances: Vec<f64>,
}

impl Correlations {
    pub(crate) fn of(gram: &Gram) -> Self {
        let variances: Vec<f64> = (0..gram.nodes()).map(|node| gram.row(node)[node]).collect();
        let deviations: Vec<f64> = variances.iter().map(|variance| variance.sqrt()).collect();
        Self { gram: gram.in_units(&deviations), variances }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.gram.nodes()
    }

    /// What the parents of a node are told from.
    fn of_node(&self, node: usize) -> NodeMoments<'_> {
        self.gram.of(node)
    }

    fn row(&self, node: usize) -> &[f64] {
        self.gram.row(node)
    }

    /// The nodes by how much of each all others leave unexplained, the most first: effects are easier to explain than causes,
    /// where many edges meet. O(d³); `None` if columns are collinear or `is_over` says so.
    pub(crate) fn by_fit(&self, is_over: impl Fn() -> bool) -> Option<Vec<usize>> {
        let mut factor = Cholesky::default();
        factor.reset(self.nodes());
        let mut row = Vec::new();
        for node in 0..self.nodes() {
            row.clear();
            row.extend_from_slice(&self.row(node)[..node]);
            factor.solve_lower(&mut row);
            let left = self.row(node)[node] - dot(&row, &row);
            if left <= COLLINEAR || is_over() {
                return None;
            }
            factor.append(&row, left);
        }
        let mut precisions = Vec::with_capacity(self.nodes());
        for node in 0..self.nodes() {
            if is_over() {
                return None;
            }
            precisions.push(factor.inverse_entry(node, &mut row));
        }
        let mut order: Vec<usize> = (0..self.nodes()).collect();
        order.sort_by(|&a, &b| precisions[a].total_cmp(&precisions[b]));
        Some(order)
    }

    /// The order of a pivoted Cholesky decomposition: next is always the node of which those before it explain the least.
    /// Causes come early in it, as far as correlations alone can tell. O(d²·r) for rank r; `None` if `is_over` says so.
    pub(crate) fn pivoted(&self, is_over: impl Fn() -> bool) -> Option<Vec<usize>> {
        let nodes = self.nodes();
        let mut rests: Vec<f64> = (0..nodes).map(|node| self.row(node)[node]).collect();
        let mut left: Vec<usize> = (0..nodes).collect();
        let mut order = Vec::with_capacity(nodes);
        let mut rows: Vec<Vec<f64>> = Vec::new();
        while !left.is_empty() {
            if is_over() {
                return None;
            }
            let mut first = 0;
            for at in 1..left.len() {
                if rests[left[at]] > rests[left[first]] {
                    first = at;
                }
            }
            let pivot = left.remove(first);
            order.push(pivot);
            if rests[pivot] <= COLLINEAR {
                continue; // nothing is left to explain
            }
            let scale = 1.0 / rests[pivot].sqrt();
            let mut row = self.row(pivot).to_vec();
            for earlier in &rows {
                subtract(&mut row, earlier[pivot], earlier);
            }
            for (x, rest) in row.iter_mut().zip(&mut rests) {
                *x *= scale;
                *rest -= *x * *x;
            }
            rows.push(row);
        }
        Some(order)
    }
}

/// x − factor·y.
fn subtract(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x -= factor * y);
}

/// Workspace of the changes of a regression.
#[derive(Debug, Default)]
pub(crate) struct Space {
    projections: Vec<f64>,
    coefficients: Vec<f64>,
    weights: Vec<f64>,
    residual: Vec<f64>,
    rows: Vec<f64>,
}

/// A node regressed on its parents, all columns scaled to variance 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regression {
    node: usize,
    parents: Vec<usize>,
    /// The factor L of the parents' correlation matrix. Its entries stay below one, however close to collinear the parents
    /// are; those of an inverse do not.
    factor: Cholesky,
    /// L⁻¹ times the parents' correlations with the node: the squares are what each explains beyond those before it.
    projections: Vec<f64>,
    /// The least-squares weights of the parents.
    weights: Vec<f64>,
    /// One over the variance of each parent given the others.
    precisions: Vec<f64>,
    /// Whether it has as many parents as it may.
    is_full: bool,
    /// How many parents have come and gone since everything was computed anew.
    changes: usize,
    /// The share of the node's variance that the parents leave.
    rest: f64,
    /// By how much one more parent must lower that to be worth its price.
    needed: f64,
    /// Covariance of every column with what the parents leave of the node.
    covariances: Vec<f64>,
    /// Variance of every column given the parents.
    variances: Vec<f64>,
}

/// Correlations and what a parent costs: all that regressions are made from.
#[derive(Debug)]
pub(crate) struct Model<'a, C> {
    pub(crate) correlations: &'a Correlations,
    /// By node.
    pub(crate) criteria: &'a [C],
    pub(crate) bounds: &'a Bounds,
    /// A regression with so many parents takes up no more.
    pub(crate) most_parents: usize,
}

impl<C: Criterion> Model<'_, C> {
    /// The local score of a node of which a number of parents leave the share `rest`.
    fn cost(&self, node: usize, rest: f64, parents: usize) -> f64 {
        let variance = (rest.max(PERFECT_FIT) * self.correlations.variances[node]).max(f64::MIN_POSITIVE);
        let criterion = &self.criteria[node];
        criterion.fit(variance) + criterion.price(parents)
    }
}

impl Regression {
    pub(crate) fn node(&self) -> usize {
        self.node
    }

    pub(crate) fn parents(&self) -> &[usize] {
        &self.parents
    }

    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(crate) fn cost<C: Criterion>(&self, model: &Model<C>) -> f64 {
        model.cost(self.node, self.rest, self.parents.len())
    }

    /// Starts with no parents. Of a column that may not be a parent no variance is left: so it stays, whatever is added to it, and
    /// nothing that is left of a column is as little.
    pub(crate) fn start<C: Criterion>(&mut self, model: &Model<C>, node: usize) {
        let own = model.correlations.of_node(node);
        self.node = node;
        self.parents.clear();
        self.changes = 0;
        self.factor.reset(0);
        self.projections.clear();
        self.weights.clear();
        self.precisions.clear();
        self.covariances.clear();
        self.covariances.extend_from_slice(&own.row(node));
        self.variances.clear();
        self.variances.extend((0..own.nodes()).map(|other| own.variance(other)));
        self.rest = self.variances[node];
        if !model.bounds.is_free() {
            let barred = (0..own.nodes()).filter(|&other| !model.bounds.permits(other, node));
            barred.for_each(|other| self.variances[other] = f64::NEG_INFINITY);
        }
        self.price(model);
    }

    /// Whether the score would be better with `candidate` as one more parent. O(1).
    pub(crate) fn wants(&self, candidate: usize) -> bool {
        let (covariance, variance) = (self.covariances[candidate], self.variances[candidate]);
        covariance * covariance > self.needed * variance && variance > COLLINEAR && !self.is_full
    }

    fn price<C: Criterion>(&mut self, model: &Model<C>) {
        self.is_full = self.parents.len() >= model.most_parents;
        let scale = model.correlations.variances[self.node];
        let variance = (self.rest.max(PERFECT_FIT) * scale).max(f64::MIN_POSITIVE);
        let criterion = &model.criteria[self.node];
        let count = self.parents.len();
        let price = criterion.price(count + 1) - criterion.price(count) + IMPROVEMENT;
        self.needed = if self.rest > PERFECT_FIT {
            criterion.needed_gain(variance, price) / scale
        } else {
            f64::INFINITY // there is nothing left to explain
        };
    }

    /// Adds a parent, unless it is a combination of those that are there. O(k² + k·d).
    pub(crate) fn add<C: Criterion>(&mut self, model: &Model<C>, parent: usize, space: &mut Space) -> bool {
        let left = self.explain(model, parent, space);
        if left <= COLLINEAR {
            return false;
        }
        let covariance = self.covariances[parent];
        self.rest -= covariance * covariance / left;
        self.shift(-covariance / left, -1.0 / left, &space.residual);
        self.factor.append(&space.projections, left);
        self.projections.push(covariance / left.sqrt());
        for ((weight, precision), coefficient) in
            self.weights.iter_mut().zip(&mut self.precisions).zip(&space.coefficients)
        {
            *weight -= coefficient * covariance / left;
            *precision += coefficient * coefficient / left;
        }
        self.weights.push(covariance / left);
        self.precisions.push(1.0 / left);
        self.parents.push(parent);
        self.changes += 1;
        self.price(model);
        true
    }

    /// The local score with one more parent. O(1).
    pub(crate) fn cost_with<C: Criterion>(&self, model: &Model<C>, parent: usize) -> f64 {
        let (covariance, variance) = (self.covariances[parent], self.variances[parent]);
        let gain = if variance > COLLINEAR { covariance * covariance / variance } else { 0.0 };
        model.cost(self.node, self.rest - gain, self.parents.len() + 1)
    }

    /// The local score without the parent at a position. O(1).
    pub(crate) fn cost_without<C: Criterion>(&self, model: &Model<C>, position: usize) -> f64 {
        model.cost(self.node, self.rest + self.loss(position), self.parents.len() - 1)
    }

    /// By how much the residual variance rises without the parent at a position.
    fn loss(&self, position: usize) -> f64 {
        self.weights[position] * self.weights[position] / self.precisions[position]
    }

    /// Removes the parent at a position. O(k² + k·d).
    pub(crate) fn remove<C: Criterion>(&mut self, model: &Model<C>, position: usize, space: &mut Space) {
        let parent = self.parents[position];
        self.forget(position);
        let left = self.explain(model, parent, space).max(COLLINEAR);
        let own = model.correlations.of_node(self.node).row(parent)[self.node];
        let covariance = own - dot(&space.projections, &self.projections);
        self.shift(covariance / left, 1.0 / left, &space.residual);
        for ((weight, precision), coefficient) in
            self.weights.iter_mut().zip(&mut self.precisions).zip(&space.coefficients)
        {
            *weight += coefficient * covariance / left;
            *precision = (*precision - coefficient * coefficient / left).max(1.0);
        }
        self.changes += 1;
        self.price(model);
    }

    /// The same but for what the candidates would explain and what the others are worth now: only the cost is right
    /// after it. O(k²).
    pub(crate) fn forget(&mut self, position: usize) {
        self.parents.remove(position);
        self.weights.remove(position);
        self.precisions.remove(position);
        self.factor.remove(position, &mut self.projections);
        let lost = self.projections.pop().unwrap_or_default();
        self.rest += lost * lost;
    }

    /// The variance of a column that the parents leave, its projections on them into `space.projections` and the
    /// covariances of all columns with what is left of it into `space.residual`.
    fn explain<C: Criterion>(&self, model: &Model<C>, column: usize, space: &mut Space) -> f64 {
        let row = model.correlations.of_node(self.node).row(column);
        let Space { projections, coefficients, .. } = space;
        projections.clear();
        projections.extend(self.parents.iter().map(|&parent| row[parent]));
        self.factor.solve_lower(projections);
        let left = row[column] - dot(projections, projections);
        coefficients.clone_from(projections);
        self.factor.solve_upper(coefficients);
        self.residual_of(model, column, space);
        left
    }

    /// The covariances of all columns with what the parents leave of one, by its coefficients on them, into
    /// `space.residual`.
    fn residual_of<C: Criterion>(&self, model: &Model<C>, parent: usize, space: &mut Space) {
        let own = model.correlations.of_node(self.node);
        let Space { residual, coefficients, .. } = space;
        residual.clear();
        residual.extend_from_slice(&own.row(parent));
        // Four at a time: the sums are bound by how often the residual is read and written.
        let mut fours = coefficients.chunks_exact(4).zip(self.parents.chunks_exact(4));
        for (factors, parents) in &mut fours {
            let [a, b, c, d] = [0, 1, 2, 3].map(|t| own.row(parents[t]));
            for ((((x, a), b), c), d) in residual.iter_mut().zip(&*a).zip(&*b).zip(&*c).zip(&*d) {
                *x -= factors[0] * a + factors[1] * b + factors[2] * c + factors[3] * d;
            }
        }
        let done = coefficients.len() / 4 * 4;
        for (&factor, &other) in coefficients[done..].iter().zip(&self.parents[done..]) {
            subtract(residual, factor, &own.row(other));
        }
    }

    /// Takes a column's part into or out of the covariances and variances of all.
    fn shift(&mut self, weight: f64, precision: f64, residual: &[f64]) {
        for ((x, covariance), variance) in residual.iter().zip(&mut self.covariances).zip(&mut self.variances)
        {
            *covariance += weight * x;
            *variance += precision * x * x;
        }
    }

    /// Adds the parent that helps most while one helps, removes the one that matters least while that helps, and so on
    /// until nothing helps.
    pub(crate) fn settle<C: Criterion>(&mut self, model: &Model<C>, allowed: Allowed, space: &mut Space) {
        let mut least = f64::INFINITY;
        loop {
            self.price(model);
            while !self.is_full
                && let Some(candidate) = self.best_candidate(allowed)
                && self.add(model, candidate, space)
            {}
            let mut is_smaller = false;
            while let Some((position, loss)) = self.least_loss(model, space) {
                let size = self.parents.len();
                let without = model.cost(self.node, self.rest + loss, size - 1);
                if without >= model.cost(self.node, self.rest, size) - IMPROVEMENT {
                    break;
                }
                self.remove(model, position, space);
                is_smaller = true;
            }
            // Nearly collinear columns could come and go for ever, each time by rounding.
            let cost = self.cost(model);
            if !is_smaller || cost >= least - IMPROVEMENT {
                return;
            }
            least = cost;
        }
    }

    /// The allowed candidate that lowers the score most, if one does.
    fn best_candidate(&self, allowed: Allowed) -> Option<usize> {
        let mut largest = self.needed;
        let mut best = None;
        for candidate in allowed.iter() {
            let (covariance, variance) = (self.covariances[candidate], self.variances[candidate]);
            if covariance * covariance > largest * variance
                && variance > COLLINEAR
                && !self.parents.contains(&candidate)
            {
                largest = covariance * covariance / variance;
                best = Some(candidate);
            }
        }
        best
    }

    /// The candidates that would explain most, as many as are asked for, helpful or not.
    pub(crate) fn strongest(&self, before: &[usize], count: usize) -> Vec<usize> {
        let gain = |&candidate: &usize| self.covariances[candidate].powi(2) / self.variances[candidate];
        let mut candidates: Vec<usize> =
            before.iter().copied().filter(|&candidate| self.variances[candidate] > COLLINEAR).collect();
        candidates.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
        candidates.truncate(count);
        candidates
    }

    /// Takes these parents in place of those that it has.
    pub(crate) fn replace<C: Criterion>(&mut self, model: &Model<C>, parents: &NodeSet, space: &mut Space) {
        self.parents.clear();
        self.parents.extend(parents);
        self.refresh(model, space);
    }

    /// The parent that may go and without which the residual variance rises least, and by how much. O(k²).
    fn least_loss<C: Criterion>(&self, model: &Model<C>, space: &mut Space) -> Option<(usize, f64)> {
        let may_go = |&position: &usize| !must_have(model.bounds, self.node, self.parents[position]);
        let losses = (0..self.parents.len()).filter(may_go).map(|position| (position, self.loss(position)));
        let (position, _) = losses.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        // Weights and precisions have been added to and taken from; the factor knows better.
        let Space { coefficients, weights, .. } = space;
        weights.clone_from(&self.projections);
        self.factor.solve_upper(weights);
        let precision = self.factor.inverse_entry(position, coefficients);
        Some((position, weights[position] * weights[position] / precision))
    }

    /// [`refresh`](Self::refresh) after so many changes that rounding may have added up.
    pub(crate) fn tidy<C: Criterion>(&mut self, model: &Model<C>, space: &mut Space) {
        if self.changes >= CHANGES {
            self.refresh(model, space);
        }
    }

    /// Computes everything anew from the parents, by orthogonal rows: after several changes, rounding would add up in
    /// nearly collinear columns. O(k²·d).
    pub(crate) fn refresh<C: Criterion>(&mut self, model: &Model<C>, space: &mut Space) {
        let own = model.correlations.of_node(self.node);
        let nodes = own.nodes();
        let parents = std::mem::take(&mut self.parents);
        self.start(model, self.node);
        let Space { rows, projections, .. } = space;
        rows.clear();
        for &parent in &parents {
            if self.variances[parent] <= COLLINEAR {
                continue;
            }
            let start = rows.len();
            rows.extend_from_slice(&own.row(parent));
            let (before, row) = rows.split_at_mut(start);
            before.chunks_exact(nodes).for_each(|earlier| subtract(row, earlier[parent], earlier));
            let left = self.variances[parent];
            let scale = 1.0 / left.sqrt();
            let projection = self.covariances[parent] * scale;
            row.iter_mut().for_each(|x| *x *= scale);
            projections.clear();
            projections.extend(before.chunks_exact(nodes).map(|earlier| earlier[parent]));
            self.factor.append(projections, left);
            self.shift(-projection, -1.0, row);
            self.rest -= projection * projection;
            self.projections.push(projection);
            self.parents.push(parent);
        }
        self.weights.clone_from(&self.projections);
        self.factor.solve_upper(&mut self.weights);
        self.factor.inverse_diagonal_of_gram(&mut self.precisions, projections);
        self.price(model);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::subset::{self, tests::Priced};
    use crate::testing::random_gram;

    /// ½·v or (n/2)·log v, with prices that rise or do not.
    fn priced(half_rows: Option<f64>, penalty: f64, rise: f64) -> Vec<Priced> {
        vec![Priced { half_rows, penalty, rise }; 15]
    }

    fn partial(correlations: &Correlations, given: &[usize], a: usize, b: usize) -> f64 {
        subset::tests::partial(|i, j| correlations.row(i)[j], given, (a, b))
    }

    /// The local score of a node with these parents.
    fn cost_of(model: &Model<Priced>, node: usize, parents: &[usize]) -> f64 {
        let rest = partial(model.correlations, parents, node, node) * model.correlations.variances[node];
        model.criteria[node].fit(rest) + model.criteria[node].price(parents.len())
    }

    fn with(set: &[usize], member: usize) -> Vec<usize> {
        set.iter().copied().chain([member]).collect()
    }

    fn without(set: &[usize], position: usize) -> Vec<usize> {
        let mut fewer = set.to_vec();
        fewer.remove(position);
        fewer
    }

    fn check(model: &Model<Priced>, regression: &Regression, tolerance: f64) {
        let (node, parents) = (regression.node, &regression.parents);
        let close = |x: f64, y: f64, what: &str| assert!((x - y).abs() < tolerance, "{what}: {x} for {y}");
        close(regression.rest, partial(model.correlations, parents, node, node), "rest");
        let cost = cost_of(model, node, parents);
        close(regression.cost(model), cost, "cost");
        assert_eq!(regression.is_full(), parents.len() >= model.most_parents);
        for other in
            (0..model.correlations.nodes()).filter(|other| !parents.contains(other) && *other != node)
        {
            let covariance = partial(model.correlations, parents, node, other);
            let variance = partial(model.correlations, parents, other, other);
            close(regression.covariances[other], covariance, "covariance");
            close(regression.variances[other], variance, "variance");
            let more = cost_of(model, node, &with(parents, other));
            close(regression.cost_with(model, other), more, "cost with one more");
            assert_eq!(regression.wants(other), more < cost - IMPROVEMENT && !regression.is_full());
        }
        for (position, &parent) in parents.iter().enumerate() {
            let others = without(parents, position);
            let variance = partial(model.correlations, &others, parent, parent);
            let weight = partial(model.correlations, &others, node, parent) / variance;
            close(regression.weights[position], weight, "weight");
            close(regression.precisions[position] * variance, 1.0, "precision");
            close(regression.loss(position), weight * weight * variance, "loss");
            let fewer = cost_of(model, node, &others);
            close(regression.cost_without(model, position), fewer, "cost with one less");
            let mut forgetful = regression.clone();
            forgetful.forget(position);
            close(forgetful.cost(model), fewer, "cost after one is forgotten");
        }
    }

    #[test]
    fn every_change_leaves_what_elimination_gives() {
        let gram = random_gram(12, 40, 3);
        for (criteria, most_parents) in [
            (priced(None, 0.01, 0.0), 20),
            (priced(None, 0.001, 0.004), 4),
            (priced(Some(20.0), 0.5, 0.1), 20),
        ] {
            let model = Model {
                correlations: &Correlations::of(&gram),
                criteria: &criteria,
                bounds: &Bounds::free(12),
                most_parents,
            };
            let mut space = Space::default();
            let mut regression = Regression::default();
            regression.start(&model, 5);
            check(&model, &regression, 1e-12);
            let mut changes = 0;
            for (step, parent) in [0, 7, 3, 11, 9, 1, 10, 2, 4, 8].into_iter().enumerate() {
                assert!(regression.add(&model, parent, &mut space));
                check(&model, &regression, 1e-8);
                changes += 1;
                if step % 3 == 2 {
                    regression.remove(&model, step / 3, &mut space);
                    check(&model, &regression, 1e-8);
                    changes += 1;
                }
                assert_eq!(regression.changes, changes);
            }
            let before = regression.clone();
            regression.refresh(&model, &mut space);
            check(&model, &regression, 1e-10);
            assert_eq!((&regression.parents, regression.changes), (&before.parents, 0));
            let parents: NodeSet = [1, 4, 6].into_iter().collect();
            regression.replace(&model, &parents, &mut space);
            check(&model, &regression, 1e-10);
            assert_eq!(regression.parents, [1, 4, 6]);
        }
    }

    #[test]
    fn combinations_of_parents_and_columns_that_do_not_vary_are_never_parents() {
        // Column 2 is the sum of 0 and 1; column 3 does not vary.
        let rows = vec![2.0, 0.5, 2.5, 0.0, 0.5, 1.0, 1.5, 0.0, 2.5, 1.5, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let gram = Gram::from_matrix(100, 4, rows).unwrap();
        let model = Model {
            correlations: &Correlations::of(&gram),
            criteria: &priced(None, 1e-6, 0.0),
            bounds: &Bounds::free(4),
            most_parents: 20,
        };
        let (mut space, mut regression) = (Space::default(), Regression::default());
        regression.start(&model, 2);
        let allowed = Allowed { before: &[3, 0, 1], with: None, without: None };
        regression.settle(&model, allowed, &mut space);
        assert_eq!(regression.parents().len(), 2);
        assert!(regression.rest.abs() < 1e-9 && !regression.wants(3));
        regression.start(&model, 3);
        regression.settle(&model, Allowed { before: &[0, 1, 2], with: None, without: None }, &mut space);
        assert!(regression.parents().is_empty());
        regression.start(&model, 3);
        assert!(regression.add(&model, 0, &mut space) && regression.add(&model, 1, &mut space));
        assert!(!regression.add(&model, 2, &mut space));
    }

    #[test]
    fn settling_ends_where_no_single_change_helps() {
        let gram = random_gram(15, 60, 8);
        let model = Model {
            correlations: &Correlations::of(&gram),
            criteria: &priced(None, 0.02, 0.0),
            bounds: &Bounds::free(15),
            most_parents: 20,
        };
        let (mut space, mut regression) = (Space::default(), Regression::default());
        let others: Vec<usize> = (0..14).collect();
        regression.start(&model, 14);
        assert!([3, 4, 5].iter().all(|&parent| regression.add(&model, parent, &mut space)));
        let allowed = Allowed { before: &others, with: None, without: Some(6) };
        regression.settle(&model, allowed, &mut space);
        let cost = |parents: &[usize]| {
            let rest = partial(model.correlations, parents, 14, 14);
            model.cost(14, rest, parents.len())
        };
        let settled = regression.cost(&model);
        assert!((settled - cost(regression.parents())).abs() < 1e-9);
        assert!(!regression.parents().contains(&6));
        for other in others.into_iter().filter(|&other| other != 6) {
            let mut changed = regression.parents().to_vec();
            match regression.parents().iter().position(|&parent| parent == other) {
                Some(position) => _ = changed.remove(position),
                None => changed.push(other),
            }
            assert!(cost(&changed) > settled - 1e-6, "{other}");
        }
    }

    #[test]
    fn the_pivoted_order_takes_what_is_least_explained() {
        let gram = random_gram(9, 30, 1);
        let correlations = Correlations::of(&gram);
        let order = correlations.pivoted(|| false).unwrap();
        for rank in 1..order.len() {
            let rest = |node: usize| partial(&correlations, &order[..rank], node, node);
            assert!(order[rank..].iter().all(|&later| rest(later) <= rest(order[rank]) + 1e-12));
        }
        assert!(correlations.pivoted(|| true).is_none());
    }

    #[test]
    fn everything_is_computed_anew_after_so_many_changes() {
        let gram = random_gram(5, 40, 3);
        let model = Model {
            correlations: &Correlations::of(&gram),
            criteria: &priced(None, 0.01, 0.0),
            bounds: &Bounds::free(5),
            most_parents: 20,
        };
        let (mut space, mut regression) = (Space::default(), Regression::default());
        regression.start(&model, 4);
        for change in 1..=3 * CHANGES {
            if regression.parents.is_empty() {
                assert!(regression.add(&model, change % 4, &mut space));
            } else {
                regression.remove(&model, 0, &mut space);
            }
            regression.tidy(&model, &mut space);
            assert_eq!(regression.changes, change % CHANGES);
            check(&model, &regression, 1e-10);
        }
    }

    #[test]
    fn settling_is_growing_and_shrinking_with_every_score_computed_afresh() {
        let mut shrunk = 0;
        for seed in 0..60 {
            let gram = random_gram(10, [14, 20, 40][seed as usize % 3], seed);
            let criteria = match seed % 3 {
                0 => priced(None, 0.01, 0.0),
                1 => priced(None, 0.001, 0.003),
                _ => priced(Some(8.0), 0.4, 0.05),
            };
            // 2 → 9 is required, and 1 → 9 barred, every other time.
            let bounds = if seed % 2 == 0 {
                Bounds::free(10)
            } else {
                Bounds::new(10, &[(1, 9)], &[(2, 9)], &[]).unwrap()
            };
            let model = Model {
                correlations: &Correlations::of(&gram),
                criteria: &criteria,
                bounds: &bounds,
                most_parents: [20, 3][usize::from(seed % 5 == 0)],
            };
            let (mut space, mut regression) = (Space::default(), Regression::default());
            regression.start(&model, 9);
            let start = [2, 5, 0, 7];
            assert!(start.iter().all(|&parent| regression.add(&model, parent, &mut space)));
            let before = [0, 1, 2, 3, 4, 5, 6, 7];
            regression.settle(
                &model,
                Allowed { before: &before, with: Some(8), without: Some(3) },
                &mut space,
            );

            let mut parents = start.to_vec();
            let mut rounds = 0;
            loop {
                let cost = |set: &[usize]| cost_of(&model, 9, set);
                let least =
                    |sets: Vec<Vec<usize>>| sets.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
                while parents.len() < model.most_parents {
                    let open = [0, 1, 2, 4, 5, 6, 7, 8].into_iter();
                    let open = open.filter(|&one| !parents.contains(&one) && bounds.permits(one, 9));
                    let best = least(open.map(|one| with(&parents, one)).collect());
                    let Some(best) = best.filter(|best| cost(best) < cost(&parents) - IMPROVEMENT) else {
                        break;
                    };
                    parents = best;
                }
                let size = parents.len();
                loop {
                    let open = (0..parents.len()).filter(|&at| bounds.is_free() || parents[at] != 2);
                    let best = least(open.map(|at| without(&parents, at)).collect());
                    let Some(best) = best.filter(|best| cost(best) < cost(&parents) - IMPROVEMENT) else {
                        break;
                    };
                    parents = best;
                }
                if parents.len() == size {
                    break;
                }
                rounds += 1;
            }
            shrunk += rounds;
            assert_eq!(regression.parents, parents, "{seed}");
            assert!((regression.cost(&model) - cost_of(&model, 9, &parents)).abs() < 1e-8);
        }
        assert!(shrunk > 10, "some parents must go: {shrunk}");
    }

    #[test]
    fn the_strongest_candidates_are_those_that_would_explain_most() {
        let gram = random_gram(10, 30, 6);
        let bounds = Bounds::new(10, &[(3, 9)], &[], &[]).unwrap();
        let model = Model {
            correlations: &Correlations::of(&gram),
            criteria: &priced(None, 0.01, 0.0),
            bounds: &bounds,
            most_parents: 20,
        };
        let (mut space, mut regression) = (Space::default(), Regression::default());
        regression.start(&model, 9);
        assert!(!regression.wants(3), "it is barred");
        assert!([5, 2].iter().all(|&parent| regression.add(&model, parent, &mut space)));
        let rest = |other: usize| partial(model.correlations, &[5, 2, other], 9, 9);
        let mut expected = [0, 1, 4, 6, 8];
        expected.sort_by(|&a, &b| rest(a).total_cmp(&rest(b)));
        let before = [0, 1, 2, 3, 4, 5, 6, 8];
        assert_eq!(regression.strongest(&before, 4), expected[..4]);
        assert_eq!(regression.strongest(&before, 20), expected);
    }

    #[test]
    fn what_is_exactly_at_a_limit_is_not_beyond_it() {
        let gram = random_gram(6, 30, 6);
        let model = Model {
            correlations: &Correlations::of(&gram),
            criteria: &priced(None, 0.01, 0.0),
            bounds: &Bounds::free(6),
            most_parents: 20,
        };
        let mut regression = Regression::default();
        regression.start(&model, 5);
        let all = [0, 1, 2, 3, 4];
        let best = |regression: &Regression| {
            regression.best_candidate(Allowed { before: &all, with: None, without: None })
        };
        // No more than is needed is too little, and of two that explain the same the first is better.
        regression.needed = 0.25;
        regression.variances[..5].fill(1.0);
        regression.covariances[..5].copy_from_slice(&[0.5, 0.1, 0.75, 0.75, 0.5]);
        assert_eq!([0, 1, 2].map(|candidate| regression.wants(candidate)), [false, false, true]);
        assert_eq!(best(&regression), Some(2));
        regression.covariances[2..4].fill(0.5);
        assert_eq!(best(&regression), None);
        // What little is left of a column is rounding.
        regression.covariances[..5].fill(0.6);
        regression.variances[..2].fill(COLLINEAR);
        assert!(!regression.wants(0) && regression.wants(2));
        assert_eq!(best(&regression), Some(2));
        assert_eq!(regression.strongest(&all, 5), [2, 3, 4]);
        assert_eq!(regression.cost_with(&model, 0), regression.cost(&model) + 0.01);
        regression.rest = PERFECT_FIT;
        regression.price(&model);
        assert_eq!(regression.needed, f64::INFINITY);
    }

    #[test]
    fn gains_of_rounding_change_nothing() {
        // One parent is worth 0.18.
        let gram = Gram::from_matrix(50, 2, vec![1.0, 0.6, 0.6, 1.0]).unwrap();
        for (beyond, expected) in [(2e-7, [0, 0]), (5e-8, [0, 1]), (-5e-8, [0, 1]), (-2e-7, [1, 1])] {
            let model = Model {
                correlations: &Correlations::of(&gram),
                criteria: &priced(None, 0.18 + beyond, 0.0),
                bounds: &Bounds::free(2),
                most_parents: 20,
            };
            let (mut space, mut regression) = (Space::default(), Regression::default());
            let allowed = Allowed { before: &[0], with: None, without: None };
            // From no parent, and from it.
            let sizes = [false, true].map(|has_parent| {
                regression.start(&model, 1);
                assert!(!has_parent || regression.add(&model, 0, &mut space));
                regression.settle(&model, allowed, &mut space);
                regression.parents.len()
            });
            assert_eq!(sizes, expected, "{beyond}");
        }
    }

    #[test]
    fn what_is_explained_perfectly_wants_nothing_more() {
        // Column 2 is the sum of 0 and 1, and 3 goes with all; 4 does not vary.
        let (mut rows, mut rng) = (Vec::new(), crate::testing::Rng::new(4));
        for _ in 0..30 {
            let [a, b, c] = [(); 3].map(|()| rng.uniform());
            rows.extend([a, b, a + b, a + b + c, 1.0]);
        }
        let gram = Gram::from_rows(&rows, 5, crate::gram::Centering::Center).unwrap();
        let model = Model {
            correlations: &Correlations::of(&gram),
            criteria: &priced(Some(15.0), 1.0, 0.0),
            bounds: &Bounds::free(5),
            most_parents: 20,
        };
        let (mut space, mut regression) = (Space::default(), Regression::default());
        regression.start(&model, 2);
        assert!(regression.add(&model, 0, &mut space) && regression.add(&model, 1, &mut space));
        assert_eq!(regression.needed, f64::INFINITY);
        assert!(!regression.wants(3));
        let scale = model.correlations.variances[2];
        let least = 15.0 * (PERFECT_FIT * scale).ln();
        assert!((regression.cost(&model) - least - 2.0).abs() < 1e-8);
        // What is a combination of the parents costs its price and adds nothing.
        regression.start(&model, 3);
        assert!(regression.add(&model, 0, &mut space) && regression.add(&model, 1, &mut space));
        let cost = regression.cost(&model);
        assert!((regression.cost_with(&model, 2) - cost - 1.0).abs() < 1e-8);
        assert!(
            !regression.wants(2)
                && regression
                    .best_candidate(Allowed { before: &[2, 4], with: None, without: None })
                    .is_none()
        );
        let parents: NodeSet = [0, 1, 2, 4].into_iter().collect();
        regression.replace(&model, &parents, &mut space);
        assert_eq!(regression.parents, [0, 1]);
        check_cost(&model, &regression);
        // Nothing varies, and nothing is explained.
        regression.start(&model, 4);
        assert_eq!(regression.needed, f64::INFINITY);
        assert!((regression.cost(&model) - 15.0 * f64::MIN_POSITIVE.ln()).abs() < 1e-8);
    }

    fn check_cost(model: &Model<Priced>, regression: &Regression) {
        let expected = cost_of(model, regression.node, &regression.parents);
        assert!((regression.cost(model) - expected).abs() < 1e-8);
    }

    #[test]
    fn the_order_by_fit_has_first_what_all_others_explain_least() {
        let gram = random_gram(9, 30, 1);
        let correlations = Correlations::of(&gram);
        let rest = |node: usize| {
            let others: Vec<usize> = (0..9).filter(|&other| other != node).collect();
            partial(&correlations, &others, node, node)
        };
        let order = correlations.by_fit(|| false).unwrap();
        let rests: Vec<f64> = order.iter().map(|&node| rest(node)).collect();
        assert!(rests.is_sorted_by(|a, b| a > b), "{rests:?}");
        assert_eq!(crate::NodeSet::full(9), order.into_iter().collect());
        // Wherever it is cut short there is nothing.
        let asked = std::cell::Cell::new(0);
        for limit in 1..=18 {
            asked.set(0);
            let is_over = || {
                asked.set(asked.get() + 1);
                asked.get() >= limit
            };
            assert!(correlations.by_fit(is_over).is_none(), "{limit}");
        }
        // A column twice: nothing to tell, and last where each is the next that the others leave most of.
        let nodes = [0, 1, 2, 0, 4];
        let twice = Correlations::of(&gram.of_nodes(&nodes));
        assert!(twice.by_fit(|| false).is_none());
        let order = twice.pivoted(|| false).unwrap();
        assert!([0, 3].contains(&order[4]), "{order:?}");
        for rank in 1..4 {
            let rest = |node: usize| partial(&twice, &order[..rank], node, node);
            assert!(order[rank..].iter().all(|&later| rest(later) <= rest(order[rank]) + 1e-9));
        }
        // Of equals the first: at the beginning all are.
        let even = Gram::from_matrix(50, 3, vec![1.0, 0.5, 0.2, 0.5, 1.0, 0.1, 0.2, 0.1, 1.0]).unwrap();
        assert_eq!(Correlations::of(&even).pivoted(|| false), Some(vec![0, 2, 1]));
    }
}
