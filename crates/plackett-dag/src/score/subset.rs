//! Best subset on a Gram matrix: min over P ⊆ S of f(v(P)) + c·|P|, with the residual variance
//! `v(P) = G_ii − G_iP G_PP⁻¹ G_Pi` and f increasing. Grow–shrink adds and removes one parent at a time by Cholesky updates; branch and bound is exact.

use std::sync::{Arc, OnceLock};

use plackett::{elementary::ln, run::Run};

use super::regression::Correlations;
use super::regressions::Regressions;
use super::walker::Walker;
use super::warm::Warm;
use super::{Choice, Scratch};
use crate::cholesky::{COLLINEAR, Cholesky, dot};
use crate::error::check_factor;
use crate::gram::NodeMoments;
use crate::pace::Pace;
use crate::{Bounds, Gram, NodeSet, Result};

/// An improvement smaller than this share of the score is rounding, not improvement.
const IMPROVEMENT: f64 = 1e-12;
/// A residual variance below this share of the marginal one is a perfect fit up to rounding.
pub(crate) const PERFECT_FIT: f64 = 1e-13;
/// Two candidates closer to collinear than this are not taken up as a pair: their joint gain would be rounding.
const PAIR_COLLINEAR: f64 = 1e-8;
/// Visits after which branch and bound settles for the best set found so far.
const MOST_VISITS: usize = 2_000_000;

/// How the subset scores look for the best set of parents.
///
/// ```
/// assert_eq!(plackett_dag::score::SubsetSearch::default(), plackett_dag::score::SubsetSearch::GrowShrink);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SubsetSearch {
    /// Add the parent that helps most while one helps, then remove the one that matters least while that helps; when
    /// neither does, add the best pair or exchange one parent, and again until nothing helps. O(|S|²·k) for k parents.
    #[default]
    GrowShrink,
    /// The optimum by branch and bound, started from grow–shrink. Exponential in the worst case; after two million
    /// visits it settles for the best set found.
    BranchAndBound,
}

/// What log d adds to the price of a parent: the more nodes, the more pairs that could pass for an edge by chance.
const PER_LOG_NODES: f64 = 1.5;

/// The price of a parent in units of log-likelihood: `factor` times `usual`, or by default ½ log n + (3/2) log d, n being the rows
/// that tell of the node.
///
/// Measured at n = 1000 over 10 and 20 graphs: with κ = 1 throughout, sparse graphs of 50 nodes get 0.25 to 0.5 false edges
/// each under `ev-l0` and 14 under `bic`; with the default, 0.05 and 0.2, and dense graphs of 10 nodes lose none under
/// `ev-l0`, as they do with a larger κ throughout.
pub(crate) fn price(moments: NodeMoments<'_>, factor: Option<f64>, usual: f64) -> Result<f64> {
    match factor {
        Some(factor) => {
            check_factor(factor)?;
            Ok(factor * usual)
        }
        None => Ok(0.5 * ln(moments.rows() as f64) + PER_LOG_NODES * ln(moments.nodes() as f64)),
    }
}

/// What a subset score charges.
pub(crate) trait Criterion: Send + Sync {
    /// f(v), increasing in the residual variance v > 0.
    fn fit(&self, variance: f64) -> f64;
    /// c, the price of one parent where rows are many.
    fn penalty(&self) -> f64;
    /// The price of so many parents: c for each, and where rows are few more for those beyond the first.
    fn price(&self, parents: usize) -> f64 {
        self.penalty() * parents as f64
    }
    /// How far the residual variance must fall from `variance` for f to fall by `price`.
    fn needed_gain(&self, variance: f64, price: f64) -> f64;
}

/// A criterion for each node, on a Gram matrix.
#[derive(Debug, Clone)]
pub(crate) struct Subset<C> {
    pub(crate) gram: Arc<Gram>,
    pub(crate) criteria: Vec<C>,
    pub(crate) search: SubsetSearch,
    correlations: Arc<OnceLock<Correlations>>,
}

impl<C> Subset<C> {
    pub(crate) fn new(gram: Arc<Gram>, criteria: Vec<C>, search: SubsetSearch) -> Self {
        Self { gram, criteria, search, correlations: Arc::default() }
    }

    /// Made when they are first asked for, and the same for all walks.
    pub(crate) fn correlations(&self) -> &Correlations {
        self.correlations.get_or_init(|| Correlations::of(&self.gram))
    }
}

/// Workspace of the two searches.
#[derive(Debug, Default)]
pub(crate) struct Space {
    grow: Grow,
    bound: BranchAndBound,
    sorted: Vec<usize>,
    factor: Cholesky,
    projection: Vec<f64>,
}

/// The growing factor, with one row per parent taken and one column per candidate: entry (t, c) is the covariance of
/// candidate c with what parent t adds to the parents before it.
#[derive(Debug, Default)]
struct Grow {
    candidates: Vec<usize>,
    /// Variance of each candidate given the parents taken; infinite for those taken.
    variances: Vec<f64>,
    /// Below this a candidate is a combination of the parents taken.
    floors: Vec<f64>,
    /// Covariance of each candidate with the node given the parents taken.
    covariances: Vec<f64>,
    rows: Vec<f64>,
    /// Parents in the order taken, as positions among the candidates. Those that are required come first.
    taken: Vec<usize>,
    /// How many are required.
    kept: usize,
    /// The parents of the best round so far.
    best: Vec<usize>,
    /// Residual variance of the node.
    rest: f64,
    parents: Vec<usize>,
    factor: Cholesky,
    weights: Vec<f64>,
    diagonal: Vec<f64>,
    column: Vec<f64>,
}

impl Grow {
    fn start(&mut self, gram: NodeMoments<'_>, node: usize, allowed: &NodeSet) {
        self.candidates.clear();
        self.candidates.extend(allowed);
        self.taken.clear();
        self.kept = 0;
        self.reset(gram, node);
    }

    /// Takes the required ones, to stay, but for those that are combinations of others.
    fn start_with(
        &mut self,
        gram: NodeMoments<'_>,
        required: &NodeSet,
        pace: &mut Pace<'_, '_>,
    ) -> Option<()> {
        for c in 0..self.candidates.len() {
            if required.contains(self.candidates[c]) && self.variances[c] > self.floors[c] {
                self.take(gram, c, pace)?;
            }
        }
        self.kept = self.taken.len();
        Some(())
    }

    /// Back to no parents, with the same candidates.
    fn reset(&mut self, gram: NodeMoments<'_>, node: usize) {
        let g = gram.row(node);
        self.variances.clear();
        self.floors.clear();
        self.covariances.clear();
        self.rows.clear();
        for &candidate in &self.candidates {
            let variance = gram.variance(candidate);
            self.variances.push(variance);
            self.floors.push(COLLINEAR * variance);
            self.covariances.push(g[candidate]);
        }
        self.rest = g[node];
    }

    /// The candidate that lowers the residual variance most, and by how much.
    fn best_gain(&self) -> Option<(usize, f64)> {
        let mut best = None;
        let mut largest = 0.0;
        for (c, ((&variance, &floor), &covariance)) in
            self.variances.iter().zip(&self.floors).zip(&self.covariances).enumerate()
        {
            let square = covariance * covariance;
            if square > largest * variance && variance > floor {
                largest = square / variance;
                best = Some((c, largest));
            }
        }
        best
    }

    /// Conditions everything on candidate `c` too. O(k·|S|).
    fn condition_on(&mut self, gram: NodeMoments<'_>, c: usize, pace: &mut Pace<'_, '_>) -> Option<()> {
        let m = self.candidates.len();
        pace.spend(self.rows.len() + m)?;
        let scale = 1.0 / self.variances[c].sqrt();
        let start = self.rows.len();
        let gram_row = gram.row(self.candidates[c]);
        let gram_row = &*gram_row;
        self.rows.extend(self.candidates.iter().map(|&other| gram_row[other]));
        let (before, row) = self.rows.split_at_mut(start);
        for earlier in before.chunks_exact(m) {
            let factor = earlier[c];
            for (x, y) in row.iter_mut().zip(earlier) {
                *x -= factor * y;
            }
        }
        let projection = self.covariances[c] * scale;
        for ((x, variance), covariance) in row.iter_mut().zip(&mut self.variances).zip(&mut self.covariances)
        {
            *x *= scale;
            *variance -= *x * *x;
            *covariance -= *x * projection;
        }
        self.variances[c] = f64::INFINITY;
        self.rest -= projection * projection;
        Some(())
    }

    fn take(&mut self, gram: NodeMoments<'_>, c: usize, pace: &mut Pace<'_, '_>) -> Option<()> {
        self.condition_on(gram, c, pace)?;
        self.taken.push(c);
        Some(())
    }

    /// Factor of the parents alone and their least-squares weights. A parent that is a combination of those before it, by
    /// this sequence of sums if not by the one that it was taken up by, is dropped. Returns whether one was.
    fn fit(&mut self, gram: NodeMoments<'_>, node: usize, pace: &mut Pace<'_, '_>) -> Option<bool> {
        let size = self.taken.len();
        pace.spend(size * size * size)?;
        let Self { taken, kept, parents, candidates, factor, .. } = self;
        parents.clear();
        factor.reset(size);
        let (mut at, first) = (0, *kept);
        taken.retain(|&c| {
            let is_new = factor.push(gram, parents, candidates[c]);
            if is_new {
                parents.push(candidates[c]);
            }
            *kept -= usize::from(!is_new && at < first);
            at += 1;
            is_new
        });
        let g = gram.row(node);
        self.weights.clear();
        self.weights.extend(self.parents.iter().map(|&parent| g[parent]));
        self.factor.solve_lower(&mut self.weights);
        self.rest = g[node] - dot(&self.weights, &self.weights);
        self.factor.solve_upper(&mut self.weights);
        Some(self.taken.len() < size)
    }

    /// The parent that may go and whose removal raises the residual variance least, as a position in `taken`, and by how much.
    fn least_loss(&mut self) -> Option<(usize, f64)> {
        self.factor.inverse_diagonal_of_gram(&mut self.diagonal, &mut self.column);
        let mut best = None;
        let weights = self.weights.iter().zip(&self.diagonal).enumerate();
        for (position, (weight, diagonal)) in weights.skip(self.kept) {
            let loss = weight * weight / diagonal;
            if best.is_none_or(|(_, least)| loss < least) {
                best = Some((position, loss));
            }
        }
        best
    }
}

/// What there is to say where neither a pair nor an exchange lowers the residual variance.
const NO_GAIN: (usize, usize, f64) = (0, 0, 0.0);

impl Grow {
    /// The two candidates that together lower the residual variance most, if by more than `needed`, and by how much:
    /// neither may help alone, when one hides the other. O(k·|S|²).
    fn best_pair(
        &mut self,
        gram: NodeMoments<'_>,
        needed: f64,
        pace: &mut Pace<'_, '_>,
    ) -> Option<(usize, usize, f64)> {
        let m = self.candidates.len();
        let mut best = NO_GAIN;
        let mut largest = needed;
        for a in 0..m {
            let variance = self.variances[a];
            if variance <= self.floors[a] || variance == f64::INFINITY {
                continue;
            }
            pace.spend(self.rows.len() + m)?;
            let covariance = self.covariances[a];
            let square = covariance * covariance;
            self.column.clear();
            gram.extend(self.candidates[a], &self.candidates[a + 1..], &mut self.column);
            for earlier in self.rows.chunks_exact(m) {
                let factor = earlier[a];
                for (x, y) in self.column.iter_mut().zip(&earlier[a + 1..]) {
                    *x -= factor * y;
                }
            }
            let others = self.variances[a + 1..].iter().zip(&self.covariances[a + 1..]).zip(&self.column);
            for (offset, ((&other_variance, &other_covariance), &both)) in others.enumerate() {
                let product = variance * other_variance;
                let determinant = product - both * both;
                let numerator = square * other_variance
                    + other_covariance * (other_covariance * variance - 2.0 * covariance * both);
                if numerator > largest * determinant
                    && determinant > PAIR_COLLINEAR * product
                    && other_variance < f64::INFINITY
                    && other_variance > self.floors[a + 1 + offset]
                {
                    largest = numerator / determinant;
                    best = (a, a + 1 + offset, largest);
                }
            }
        }
        Some(best)
    }

    /// The exchange of a parent, as a position in `taken`, for a candidate that lowers the residual variance most, and by
    /// how much. Reads what [`fit`](Self::fit) and [`least_loss`](Self::least_loss) left. O(k²·|S|).
    fn best_exchange(&mut self, pace: &mut Pace<'_, '_>) -> Option<(usize, usize, f64)> {
        let m = self.candidates.len();
        let mut best = NO_GAIN;
        let mut largest = 0.0;
        for c in 0..m {
            if self.variances[c] == f64::INFINITY {
                continue;
            }
            pace.spend(self.taken.len().pow(2))?;
            self.column.clear();
            self.column.extend(self.rows.chunks_exact(m).map(|row| row[c]));
            self.factor.solve_upper(&mut self.column);
            let parents = self.column.iter().zip(&self.weights).zip(&self.diagonal);
            for (position, ((&slope, &weight), &diagonal)) in parents.enumerate().skip(self.kept) {
                let freed = 1.0 / diagonal;
                let variance = self.variances[c].max(0.0) + slope * slope * freed;
                let covariance = self.covariances[c] + weight * slope * freed;
                let gain = covariance * covariance / variance - weight * weight * freed;
                if gain > largest && variance > self.floors[c] {
                    largest = gain;
                    best = (position, c, gain);
                }
            }
        }
        Some(best)
    }
}

impl<C: Criterion> Subset<C> {
    pub(crate) fn best(
        &self,
        node: usize,
        allowed: &NodeSet,
        required: &NodeSet,
        scratch: &mut Scratch,
        run: &Run<'_>,
    ) -> Option<Choice> {
        let space: &mut Space = scratch.space();
        let pace = &mut Pace::new(run);
        let mut witness = NodeSet::with_capacity(self.gram.nodes());
        required.iter().for_each(|parent| witness.insert(parent));
        let mut parents = witness.clone();
        space.grow.start(self.gram.of(node), node, allowed);
        space.grow.start_with(self.gram.of(node), required, pace)?;
        self.climb(node, &mut space.grow, &mut witness, pace)?;
        for &c in &space.grow.taken {
            parents.insert(space.grow.candidates[c]);
        }
        if self.search == SubsetSearch::BranchAndBound {
            let (better, proved) =
                self.bounded(node, (allowed, required), parents, MOST_VISITS, space, pace)?;
            // Cut short, the answer may rest on anything allowed.
            witness = if proved { better.clone() } else { allowed.clone() };
            parents = better;
        }
        let score = self.score(node, &parents, space);
        Some(Choice { score, parents, witness })
    }

    /// Least-squares weights of `parents`, zero for one that is a combination of those before it.
    pub(crate) fn weights(&self, node: usize, parents: &NodeSet) -> Vec<f64> {
        let mut factor = Cholesky::default();
        factor.reset(parents.len());
        let mut independent = Vec::new();
        for parent in parents {
            if factor.push(self.gram.of(node), &independent, parent) {
                independent.push(parent);
            }
        }
        let own = self.gram.of(node).row(node);
        let mut solution: Vec<f64> = independent.iter().map(|&parent| own[parent]).collect();
        factor.solve(&mut solution);
        let weight = |parent| independent.iter().position(|&a| a == parent).map_or(0.0, |at| solution[at]);
        parents.iter().map(weight).collect()
    }

    /// The orders that correlations suggest, those of quick walks.
    pub(crate) fn first_orders(&self, run: &Run<'_>) -> Vec<Vec<usize>> {
        let correlations = self.correlations();
        let is_over = || run.is_over();
        [correlations.by_fit(is_over), correlations.pivoted(is_over)].into_iter().flatten().collect()
    }

    /// An order with the regression of every node, unless parents are to be searched exactly or there is no time.
    pub(crate) fn walker<'a>(
        &'a self,
        start: &[usize],
        bounds: &'a Bounds,
        run: &Run<'_>,
    ) -> Option<Box<dyn Walker + 'a>> {
        let is_quick = self.search == SubsetSearch::GrowShrink && !run.is_over();
        is_quick.then(|| -> Box<dyn Walker + 'a> {
            Box::new(Warm::new(Regressions::new(self, bounds), start.to_vec(), run))
        })
    }

    /// Better parents than these among `allowed`, with those `required`, by pairs and exchanges and by branch and bound with so many
    /// visits; nothing if there are none, or if the run is over before they are found.
    pub(crate) fn refine(
        &self,
        node: usize,
        (allowed, required): (&NodeSet, &NodeSet),
        parents: &NodeSet,
        most_visits: usize,
        space: &mut Space,
        run: &Run<'_>,
    ) -> Option<NodeSet> {
        let (grow, pace) = (&mut space.grow, &mut Pace::new(run));
        grow.start(self.gram.of(node), node, allowed);
        grow.start_with(self.gram.of(node), required, pace)?;
        for position in 0..grow.candidates.len() {
            let candidate = grow.candidates[position];
            if parents.contains(candidate) && !required.contains(candidate) {
                grow.take(self.gram.of(node), position, pace)?;
            }
        }
        self.climb(node, grow, &mut NodeSet::with_capacity(self.gram.nodes()), pace)?;
        let climbed: NodeSet = grow.taken.iter().map(|&c| grow.candidates[c]).chain(required).collect();
        let (found, _) = self.bounded(node, (allowed, required), climbed, most_visits, space, pace)?;
        improves(self.score(node, &found, space), self.score(node, parents, space)).then_some(found)
    }

    /// The best parents by branch and bound from those that `space.grow` came to, and whether they are proved to be.
    fn bounded(
        &self,
        node: usize,
        (allowed, required): (&NodeSet, &NodeSet),
        mut parents: NodeSet,
        most_visits: usize,
        space: &mut Space,
        pace: &mut Pace<'_, '_>,
    ) -> Option<(NodeSet, bool)> {
        // Required ones that are combinations of others are parents, but there is nothing to say for or against them.
        let (mut open, mut kept) = (allowed.clone(), NodeSet::default());
        space.grow.taken[..space.grow.kept].iter().for_each(|&c| kept.insert(space.grow.candidates[c]));
        for idle in required.iter().filter(|&parent| !kept.contains(parent)) {
            open.remove(idle);
            parents.remove(idle);
        }
        let start = self.score(node, &parents, space);
        let (mut found, is_proved) =
            space.bound.run(self, node, (&open, &kept), (parents, start), most_visits, pace)?;
        required.iter().for_each(|parent| found.insert(parent));
        Some((found, is_proved))
    }

    /// Takes parents in and out of `grow.taken`, one at a time, in pairs and in exchange, until nothing helps. Each change must
    /// lower their score, computed afresh: gains that are rounding could otherwise go round in circles for ever.
    fn climb(
        &self,
        node: usize,
        grow: &mut Grow,
        witness: &mut NodeSet,
        pace: &mut Pace<'_, '_>,
    ) -> Option<()> {
        let mut least = f64::INFINITY;
        let floor = self.floor(node);
        let criterion = &self.criteria[node];
        let fit = |variance: f64| criterion.fit(variance.max(floor));
        // What is paid for more parents, or saved by one less.
        let more = |taken: &[usize], count: usize| {
            criterion.price(taken.len() + count) - criterion.price(taken.len())
        };
        loop {
            while let Some((c, gain)) = grow.best_gain() {
                if !improves(fit(grow.rest - gain) + more(&grow.taken, 1), fit(grow.rest)) {
                    break;
                }
                witness.insert(grow.candidates[c]);
                grow.take(self.gram.of(node), c, pace)?;
            }
            let mut changed = false;
            loop {
                changed |= grow.fit(self.gram.of(node), node, pace)?;
                let Some((position, loss)) = grow.least_loss() else {
                    break;
                };
                if !improves(fit(grow.rest + loss), fit(grow.rest) + more(&grow.taken[1..], 1)) {
                    break;
                }
                grow.taken.remove(position);
                changed = true;
            }
            let score = fit(grow.rest) + criterion.price(grow.taken.len());
            if score < least {
                least = score;
                grow.best.clone_from(&grow.taken);
            } else if changed || grow.taken != grow.best {
                grow.taken.clone_from(&grow.best);
                return Some(());
            }
            if !changed {
                let pair = more(&grow.taken, 2);
                let needed = criterion.needed_gain(grow.rest.max(floor), pair);
                let (a, b, gain) = grow.best_pair(self.gram.of(node), needed, pace)?;
                if improves(fit(grow.rest - gain) + pair, fit(grow.rest)) {
                    for c in [a, b] {
                        witness.insert(grow.candidates[c]);
                        grow.take(self.gram.of(node), c, pace)?;
                    }
                    continue;
                }
                let (position, c, gain) = grow.best_exchange(pace)?;
                if improves(fit(grow.rest - gain), fit(grow.rest)) {
                    witness.insert(grow.candidates[c]);
                    grow.taken[position] = c;
                    changed = true;
                }
            }
            if !changed {
                return Some(());
            }
            grow.reset(self.gram.of(node), node);
            for position in 0..grow.taken.len() {
                let c = grow.taken[position];
                grow.condition_on(self.gram.of(node), c, pace)?;
            }
        }
    }

    /// The score of every set of parents, each from the set without its last member by one row of the factor. O(d²·2^d) for all
    /// sets together.
    pub(crate) fn fill_costs(&self, node: usize, table: &mut [f64], run: &Run<'_>) -> bool {
        if self.search == SubsetSearch::GrowShrink {
            return false;
        }
        let others: Vec<usize> = (0..self.gram.nodes()).filter(|&other| other != node).collect();
        table.fill(f64::INFINITY);
        let mut space = Space::default();
        space.factor.reset(others.len());
        // Cut short, what is there does not matter.
        _ = self.fill_from(node, &others, (0, 0), &mut space, table, &mut Pace::new(run));
        true
    }

    /// Scores `set` and every set that adds later members to it. A set with a collinear member is left at infinity, and so
    /// is all that adds to it: leaving that member out is as good and cheaper.
    fn fill_from(
        &self,
        node: usize,
        others: &[usize],
        (set, next): (usize, usize),
        space: &mut Space,
        table: &mut [f64],
        pace: &mut Pace<'_, '_>,
    ) -> Option<()> {
        table[set] = self.score_of_projection(node, &space.projection, space.sorted.len());
        for position in next..others.len() {
            pace.spend(space.sorted.len().pow(2) + 1)?;
            if !space.factor.push(self.gram.of(node), &space.sorted, others[position]) {
                continue;
            }
            let projection =
                space.factor.extend(&space.projection, self.gram.of(node).row(node)[others[position]]);
            space.sorted.push(others[position]);
            space.projection.push(projection);
            self.fill_from(node, others, (set | 1 << position, position + 1), space, table, pace)?;
            space.sorted.pop();
            space.projection.pop();
            space.factor.truncate(space.sorted.len());
        }
        Some(())
    }

    /// Residual variances are not let below this.
    fn floor(&self, node: usize) -> f64 {
        (PERFECT_FIT * self.gram.of(node).variance(node)).max(f64::MIN_POSITIVE)
    }

    /// The score of a set of parents, summed in increasing order so that it depends on the set alone.
    pub(crate) fn score(&self, node: usize, parents: &NodeSet, space: &mut Space) -> f64 {
        let g = self.gram.of(node).row(node);
        space.sorted.clear();
        space.projection.clear();
        space.factor.reset(parents.len());
        for parent in parents {
            if space.factor.push(self.gram.of(node), &space.sorted, parent) {
                space.sorted.push(parent);
                let projection = space.factor.extend(&space.projection, g[parent]);
                space.projection.push(projection);
            }
        }
        self.score_of_projection(node, &space.projection, parents.len())
    }

    fn score_of_projection(&self, node: usize, projection: &[f64], parents: usize) -> f64 {
        let variance = self.gram.of(node).variance(node) - dot(projection, projection);
        let criterion = &self.criteria[node];
        criterion.fit(variance.max(self.floor(node))) + criterion.price(parents)
    }
}

fn improves(after: f64, before: f64) -> bool {
    after < before - IMPROVEMENT * before.abs()
}

/// Depth-first over "in, out or open" for each candidate. With I in and R open, f(v(I ∪ R)) + c·|I| bounds every set
/// between I and I ∪ R from below; a candidate whose exclusion would pass the best score so far must be in.
#[derive(Debug, Default)]
struct BranchAndBound {
    candidates: Vec<usize>,
    best: f64,
    best_set: NodeSet,
    visits: usize,
    most_visits: usize,
}

/// A branch: the nodes in and open, and the inverse of their Gram matrix bordered by the node's weights.
#[derive(Clone)]
struct Branch {
    /// Candidates that are in or open, as positions among the candidates.
    full: Vec<usize>,
    inside: Vec<bool>,
    inverse: Vec<f64>,
    weights: Vec<f64>,
    rest: f64,
}

impl Branch {
    fn fixed(&self) -> usize {
        self.inside.iter().filter(|&&inside| inside).count()
    }

    fn loss(&self, position: usize) -> f64 {
        self.weights[position].powi(2) / self.inverse[position * self.full.len() + position]
    }

    /// The branch without the open candidate at `position`. O(|full|²).
    fn without(&self, position: usize) -> Self {
        let size = self.full.len();
        let pivot = self.inverse[position * size + position];
        let column = &self.inverse[position * size..(position + 1) * size];
        let keep = |index: &usize| *index != position;
        let mut inverse = Vec::with_capacity((size - 1) * (size - 1));
        let mut weights = Vec::with_capacity(size - 1);
        for i in (0..size).filter(keep) {
            let factor = column[i] / pivot;
            let row = &self.inverse[i * size..(i + 1) * size];
            inverse.extend((0..size).filter(keep).map(|j| row[j] - factor * column[j]));
            weights.push(self.weights[i] - factor * self.weights[position]);
        }
        let mut full = self.full.clone();
        full.remove(position);
        let mut inside = self.inside.clone();
        inside.remove(position);
        Self { full, inside, inverse, weights, rest: self.rest + self.loss(position) }
    }
}

impl BranchAndBound {
    fn run<C: Criterion>(
        &mut self,
        subset: &Subset<C>,
        node: usize,
        (allowed, required): (&NodeSet, &NodeSet),
        (start, start_score): (NodeSet, f64),
        most_visits: usize,
        pace: &mut Pace<'_, '_>,
    ) -> Option<(NodeSet, bool)> {
        self.candidates.clear();
        self.candidates.extend(allowed);
        self.best = start_score;
        self.best_set = start;
        self.visits = 0;
        self.most_visits = most_visits;
        let full: Vec<usize> = (0..self.candidates.len()).collect();
        let inside = self.candidates.iter().map(|&candidate| required.contains(candidate)).collect();
        self.split_dependent(subset, node, full, inside, pace)?;
        Some((std::mem::take(&mut self.best_set), self.visits < most_visits))
    }

    /// Branches on candidates that are combinations of others until the rest are independent, then visits.
    fn split_dependent<C: Criterion>(
        &mut self,
        subset: &Subset<C>,
        node: usize,
        full: Vec<usize>,
        inside: Vec<bool>,
        pace: &mut Pace<'_, '_>,
    ) -> Option<()> {
        self.visits += 1;
        if self.visits >= self.most_visits {
            return Some(());
        }
        let gram = subset.gram.of(node);
        let size = full.len();
        pace.spend(size.pow(3))?;
        // Those that are in come first: if they depend on one another no optimum holds them all.
        let mut sequence: Vec<usize> = (0..size).filter(|&p| inside[p]).collect();
        let fixed = sequence.len();
        sequence.extend((0..size).filter(|&p| !inside[p]));
        let mut factor = Cholesky::default();
        factor.reset(size);
        let mut nodes = Vec::with_capacity(size);
        let mut dependent = None;
        for (step, &position) in sequence.iter().enumerate() {
            let candidate = self.candidates[full[position]];
            if factor.push(gram, &nodes, candidate) {
                nodes.push(candidate);
            } else if step < fixed {
                return Some(());
            } else {
                dependent = dependent.or(Some(position));
            }
        }
        let own = gram.row(node);
        let mut projection: Vec<f64> = nodes.iter().map(|&other| own[other]).collect();
        factor.solve_lower(&mut projection);
        let rest = gram.variance(node) - dot(&projection, &projection);
        let criterion = &subset.criteria[node];
        let bound = criterion.fit(rest.max(subset.floor(node))) + criterion.price(fixed);
        if !improves(bound, self.best) {
            return Some(());
        }
        if let Some(position) = dependent {
            let (mut fewer, mut fewer_inside) = (full.clone(), inside.clone());
            fewer.remove(position);
            fewer_inside.remove(position);
            self.split_dependent(subset, node, fewer, fewer_inside, pace)?;
            let mut more = inside;
            more[position] = true;
            return self.split_dependent(subset, node, full, more, pace);
        }
        factor.solve_upper(&mut projection);
        let mut inverse = vec![0.0; size * size];
        let mut column = vec![0.0; size];
        for i in 0..size {
            column.fill(0.0);
            column[i] = 1.0;
            factor.solve(&mut column);
            inverse[i * size..(i + 1) * size].copy_from_slice(&column);
        }
        let branch = Branch {
            full: sequence.iter().map(|&position| full[position]).collect(),
            inside: sequence.iter().map(|&position| inside[position]).collect(),
            inverse,
            weights: projection,
            rest,
        };
        self.visit(subset, node, branch, pace)
    }

    fn visit<C: Criterion>(
        &mut self,
        subset: &Subset<C>,
        node: usize,
        mut branch: Branch,
        pace: &mut Pace<'_, '_>,
    ) -> Option<()> {
        let floor = subset.floor(node);
        let criterion = &subset.criteria[node];
        let fit = |variance: f64| criterion.fit(variance.max(floor));
        loop {
            self.visits += 1;
            if self.visits >= self.most_visits {
                return Some(());
            }
            pace.spend(branch.full.len().pow(2))?;
            let whole = fit(branch.rest) + criterion.price(branch.full.len());
            if improves(whole, self.best) {
                self.best = whole;
                self.best_set = branch.full.iter().map(|&c| self.candidates[c]).collect();
            }
            let mut fixed = branch.fixed();
            let mut open = None;
            let mut forced = true;
            while forced {
                if !improves(fit(branch.rest) + criterion.price(fixed), self.best) {
                    return Some(());
                }
                forced = false;
                open = None;
                let mut largest = -1.0;
                for position in 0..branch.full.len() {
                    if branch.inside[position] {
                        continue;
                    }
                    let loss = branch.loss(position);
                    if !improves(fit(branch.rest + loss) + criterion.price(fixed), self.best) {
                        branch.inside[position] = true;
                        fixed += 1;
                        forced = true;
                    } else if loss > largest {
                        largest = loss;
                        open = Some(position);
                    }
                }
            }
            let Some(position) = open else { return Some(()) };
            let excluded = branch.without(position);
            self.visit(subset, node, excluded, pace)?;
            branch.inside[position] = true;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use plackett::run::Limits;

    use super::*;
    use crate::testing::{Rng, random_gram};

    /// ½·v, or (n/2)·log v, and prices of parents that rise with their number.
    #[derive(Debug, Clone, Default)]
    pub(crate) struct Priced {
        pub(crate) half_rows: Option<f64>,
        pub(crate) penalty: f64,
        pub(crate) rise: f64,
    }

    impl Criterion for Priced {
        fn fit(&self, variance: f64) -> f64 {
            self.half_rows.map_or(0.5 * variance, |half| half * variance.ln())
        }
        fn penalty(&self) -> f64 {
            self.penalty
        }
        fn price(&self, parents: usize) -> f64 {
            (self.penalty + self.rise * parents as f64) * parents as f64
        }
        fn needed_gain(&self, variance: f64, price: f64) -> f64 {
            self.half_rows.map_or(2.0 * price, |half| variance * -(-price / half).exp_m1())
        }
    }

    /// What is left of the covariance of two columns given others, by elimination.
    pub(crate) fn partial(
        entry: impl Fn(usize, usize) -> f64,
        given: &[usize],
        (a, b): (usize, usize),
    ) -> f64 {
        let size = given.len();
        let mut members = given.to_vec();
        members.extend([a, b]);
        let mut matrix: Vec<Vec<f64>> =
            members.iter().map(|&row| members.iter().map(|&column| entry(row, column)).collect()).collect();
        for pivot in 0..size {
            let top = matrix[pivot].clone();
            for row in &mut matrix[pivot + 1..] {
                let factor = row[pivot] / top[pivot];
                row.iter_mut().zip(&top).for_each(|(x, y)| *x -= factor * y);
            }
        }
        matrix[size][size + 1]
    }

    /// How often a run is asked whether it is over.
    pub(crate) fn questions(work: impl FnOnce(&Run<'_>)) -> u64 {
        let looks = AtomicU64::new(0);
        let clock = || Duration::from_nanos(looks.fetch_add(1, Ordering::Relaxed));
        let run = Run::by(&clock, Limits::time(Duration::MAX));
        let before = looks.load(Ordering::Relaxed);
        work(&run);
        looks.load(Ordering::Relaxed) - before
    }

    /// A run that is over before it begins.
    pub(crate) fn over() -> Run<'static> {
        static CLOCK: fn() -> Duration = || Duration::ZERO;
        let run = Run::by(&CLOCK, Limits::time(Duration::ZERO));
        assert!(run.is_over());
        run
    }

    fn priced(gram: Gram, criterion: &Priced, search: SubsetSearch) -> Subset<Priced> {
        let criteria = vec![criterion.clone(); gram.nodes()];
        Subset::new(Arc::new(gram), criteria, search)
    }

    /// Problems of eight nodes with what parents cost, some of each kind.
    fn problems(count: u64) -> impl Iterator<Item = Subset<Priced>> {
        (0..count).map(|seed| {
            let rows = [9, 14, 20, 40][seed as usize % 4];
            let half_rows = (seed % 3 > 0).then_some(0.5 * rows as f64);
            let penalty = [0.004, 0.3, 1.0][seed as usize % 3] * (1.0 + (seed % 5) as f64);
            let criterion = Priced { half_rows, penalty, rise: 0.05 * penalty * (seed % 2) as f64 };
            let gram = random_gram(8, rows, seed);
            // Logarithms of any sign.
            let unit = half_rows.map_or(1.0, |_| [1.0, 1e-3, 1e3][seed as usize / 3 % 3]);
            let matrix = gram.matrix().iter().map(|entry| unit * entry).collect();
            let gram = Gram::from_matrix(rows, 8, matrix).unwrap();
            priced(gram, &criterion, SubsetSearch::BranchAndBound)
        })
    }

    /// Everything about one node from residual variances that elimination gives.
    struct Naive<'a> {
        subset: &'a Subset<Priced>,
        node: usize,
        best: (f64, Vec<usize>),
        visits: usize,
    }

    fn with(set: &[usize], more: &[usize]) -> Vec<usize> {
        set.iter().chain(more).copied().collect()
    }

    fn without(set: &[usize], position: usize) -> Vec<usize> {
        let mut fewer = set.to_vec();
        fewer.remove(position);
        fewer
    }

    impl<'a> Naive<'a> {
        fn of(subset: &'a Subset<Priced>, node: usize) -> Self {
            Self { subset, node, best: (f64::INFINITY, Vec::new()), visits: 0 }
        }

        fn rest(&self, parents: &[usize]) -> f64 {
            partial(|i, j| self.subset.gram.entry(i, j), parents, (self.node, self.node))
        }

        fn fit(&self, parents: &[usize]) -> f64 {
            self.subset.criteria[self.node].fit(self.rest(parents))
        }

        fn score(&self, parents: &[usize]) -> f64 {
            self.fit(parents) + self.subset.criteria[self.node].price(parents.len())
        }

        /// The best of some sets, if it is better than `than`.
        fn better(&self, sets: impl Iterator<Item = Vec<usize>>, than: &[usize]) -> Option<Vec<usize>> {
            let best = sets.min_by(|a, b| self.score(a).total_cmp(&self.score(b)))?;
            improves(self.score(&best), self.score(than)).then_some(best)
        }

        /// The climb, of which the first `kept` parents are never left: the parents, all that were parents, and how often a pair
        /// was taken up, and one exchanged.
        fn climb(
            &self,
            allowed: &[usize],
            kept: usize,
            mut taken: Vec<usize>,
        ) -> (Vec<usize>, NodeSet, [usize; 2]) {
            let mut witness: NodeSet = taken[..kept].iter().copied().collect();
            let mut counts = [0, 0];
            loop {
                let mut is_same = true;
                loop {
                    let open = allowed.iter().filter(|other| !taken.contains(other));
                    let more = self.better(open.map(|&other| with(&taken, &[other])), &taken);
                    let Some(more) = more else { break };
                    witness.insert(more[more.len() - 1]);
                    taken = more;
                }
                while let Some(fewer) =
                    self.better((kept..taken.len()).map(|position| without(&taken, position)), &taken)
                {
                    taken = fewer;
                    is_same = false;
                }
                if is_same {
                    let open: Vec<usize> =
                        allowed.iter().copied().filter(|other| !taken.contains(other)).collect();
                    let pairs = open.iter().flat_map(|&a| open.iter().map(move |&b| (a, b)));
                    let pairs = pairs.filter(|(a, b)| a < b).map(|(a, b)| with(&taken, &[a, b]));
                    if let Some(pair) = self.better(pairs, &taken) {
                        pair.iter().for_each(|&parent| witness.insert(parent));
                        counts[0] += 1;
                        taken = pair;
                        continue;
                    }
                    let exchanges = (kept..taken.len()).flat_map(|position| {
                        let rest = without(&taken, position);
                        open.iter().map(move |&other| with(&rest, &[other]))
                    });
                    if let Some(exchanged) = self.better(exchanges, &taken) {
                        witness.insert(exchanged[exchanged.len() - 1]);
                        counts[1] += 1;
                        taken = exchanged;
                        is_same = false;
                    }
                }
                if is_same {
                    return (taken, witness, counts);
                }
            }
        }

        /// Branch and bound on the sets between `inside` and `full`, of columns none of which is a combination of others.
        fn visit(&mut self, full: &[usize], mut inside: Vec<usize>) {
            loop {
                self.visits += 1;
                if improves(self.score(full), self.best.0) {
                    self.best = (self.score(full), full.to_vec());
                }
                let mut open;
                let price = |count: usize| self.subset.criteria[self.node].price(count);
                loop {
                    if !improves(self.fit(full) + price(inside.len()), self.best.0) {
                        return;
                    }
                    open = None;
                    let before = inside.len();
                    let mut most = f64::NEG_INFINITY;
                    for (position, one) in full.iter().enumerate() {
                        if inside.contains(one) {
                            continue;
                        }
                        let fewer = without(full, position);
                        if !improves(self.fit(&fewer) + price(inside.len()), self.best.0) {
                            inside.push(*one);
                        } else if self.rest(&fewer) > most {
                            (most, open) = (self.rest(&fewer), Some((*one, fewer)));
                        }
                    }
                    if inside.len() == before {
                        break;
                    }
                }
                let Some((one, fewer)) = open else { return };
                self.visit(&fewer, inside.clone());
                inside.push(one);
            }
        }

        /// The same on any columns: the first that is a combination of others is out or in.
        fn split(&mut self, full: &[usize], inside: &[usize]) {
            self.visits += 1;
            let is_in = |one: &&usize| inside.contains(one);
            let sequence = full.iter().filter(is_in).chain(full.iter().filter(|one| !is_in(one)));
            let sequence: Vec<usize> = sequence.copied().collect();
            let (mut independent, mut dependent) = (Vec::new(), None);
            for &one in &sequence {
                let left = partial(|i, j| self.subset.gram.entry(i, j), &independent, (one, one));
                if left > 1e-9 {
                    independent.push(one);
                } else if inside.contains(&one) {
                    return;
                } else {
                    dependent = dependent.or(Some(one));
                }
            }
            let price = self.subset.criteria[self.node].price(inside.len());
            if !improves(self.fit(&independent) + price, self.best.0) {
                return;
            }
            let Some(one) = dependent else { return self.visit(&sequence, inside.to_vec()) };
            let fewer: Vec<usize> = full.iter().copied().filter(|&other| other != one).collect();
            self.split(&fewer, inside);
            self.split(full, &with(inside, &[one]));
        }

        /// The best set of all between `required` and `allowed`.
        fn best_of_all(&self, allowed: &[usize], required: &[usize]) -> (f64, NodeSet) {
            let open: Vec<usize> =
                allowed.iter().copied().filter(|other| !required.contains(other)).collect();
            let sets = (0..1_usize << open.len()).map(|bits| {
                let chosen = (0..open.len()).filter(|at| bits >> at & 1 == 1).map(|at| open[at]);
                required.iter().copied().chain(chosen).collect::<Vec<_>>()
            });
            let scored = sets.map(|set| (self.score(&set), set));
            let (score, set) = scored.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            (score, set.into_iter().collect())
        }
    }

    fn close(x: f64, y: f64) {
        assert!((x - y).abs() < 1e-8 * (1.0 + y.abs()), "{x} for {y}");
    }

    /// A growing factor that has taken up these of the candidates.
    fn grown(gram: &Gram, node: usize, allowed: &NodeSet, taken: &[usize]) -> Grow {
        let run = Run::default();
        let mut grow = Grow::default();
        grow.start(gram.of(node), node, allowed);
        taken.iter().for_each(|&c| grow.take(gram.of(node), c, &mut Pace::new(&run)).unwrap());
        grow
    }

    #[test]
    fn prices_are_a_factor_of_the_usual_one_or_grow_with_rows_and_nodes() {
        let gram = random_gram(5, 40, 1);
        let usual = price(gram.of(0), None, 7.0).unwrap();
        close(usual, 0.5 * 40_f64.ln() + 1.5 * 5_f64.ln());
        assert_eq!(price(gram.of(0), Some(3.0), 7.0).unwrap(), 21.0);
        assert_eq!(price(gram.of(0), Some(0.0), 7.0).unwrap(), 0.0);
        assert!(
            [-0.1, f64::INFINITY, f64::NAN].iter().all(|&bad| price(gram.of(0), Some(bad), 7.0).is_err())
        );
    }

    #[test]
    fn an_improvement_is_more_than_rounding() {
        for before in [-100.0, -1.0, 1.0, 100.0_f64] {
            let share = before.abs();
            assert!(!improves(before, before) && !improves(before + share, before));
            assert!(!improves(before - 5e-13 * share, before));
            assert!(improves(before - 2e-12 * share, before));
        }
        assert!(!improves(0.0, 0.0) && improves(-1e-300, 0.0));
    }

    #[test]
    fn what_is_taken_up_conditions_all_that_is_left() {
        let gram = random_gram(9, 30, 4);
        let node = 6;
        let allowed: NodeSet = [0, 1, 2, 3, 5, 7, 8].into_iter().collect();
        let candidates: Vec<usize> = allowed.iter().collect();
        let taken = [4, 1, 6];
        let parents = taken.map(|c| candidates[c]);
        let mut grow = grown(&gram, node, &allowed, &taken);
        let left = |given: &[usize], a: usize, b: usize| partial(|i, j| gram.entry(i, j), given, (a, b));
        let rest = |given: &[usize]| left(given, node, node);
        close(grow.rest, rest(&parents));
        let open = [0, 2, 3, 5];
        for c in open {
            close(grow.variances[c], left(&parents, candidates[c], candidates[c]));
            close(grow.covariances[c], left(&parents, candidates[c], node));
        }
        assert!(taken.iter().all(|&c| grow.variances[c] == f64::INFINITY));
        let far = Gram::from_matrix(50, 3, vec![1e-9, 0.0, 1e-9, 0.0, 1e9, 1e3, 1e-9, 1e3, 4.0]).unwrap();
        assert_eq!(grown(&far, 2, &NodeSet::full(2), &[]).floors, [1e-9 * COLLINEAR, 1e9 * COLLINEAR]);

        let gains = open.map(|c| (c, rest(&parents) - rest(&with(&parents, &[candidates[c]]))));
        let expected = gains.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        let (c, gain) = grow.best_gain().unwrap();
        assert_eq!(c, expected.0);
        close(gain, expected.1);

        let run = Run::default();
        assert!(!grow.fit(gram.of(node), node, &mut Pace::new(&run)).unwrap());
        assert_eq!((&grow.parents[..], &grow.taken[..]), (&parents[..], &taken[..]));
        close(grow.rest, rest(&parents));
        for (position, weight) in grow.weights.iter().enumerate() {
            let others = without(&parents, position);
            let own = parents[position];
            close(*weight, left(&others, node, own) / left(&others, own, own));
        }
        let losses = (0..3).map(|position| (position, rest(&without(&parents, position)) - rest(&parents)));
        let losses: Vec<(usize, f64)> = losses.collect();
        for kept in 0..3 {
            grow.kept = kept;
            let expected = losses[kept..].iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            let (position, loss) = grow.least_loss().unwrap();
            assert_eq!(position, expected.0);
            close(loss, expected.1);
        }
        grow.kept = 3;
        assert!(grow.least_loss().is_none());
    }

    #[test]
    fn pairs_and_exchanges_are_the_best_of_all() {
        let mut has = [false; 2];
        for seed in 0..30 {
            let gram = random_gram(9, 25, seed);
            let node = (seed % 9) as usize;
            let allowed: NodeSet = (0..9).filter(|&other| other != node).collect();
            let candidates: Vec<usize> = allowed.iter().collect();
            let taken = [2, 5, 0];
            let parents = taken.map(|c| candidates[c]);
            let rest = |given: &[usize]| partial(|i, j| gram.entry(i, j), given, (node, node));
            let (run, mut grow) = (Run::default(), grown(&gram, node, &allowed, &taken));
            let pace = &mut Pace::new(&run);
            let open = [1, 3, 4, 6, 7];
            let gain_of = |set: &[usize]| rest(&parents) - rest(set);

            let pairs = open.iter().flat_map(|&a| open.iter().map(move |&b| (a, b))).filter(|(a, b)| a < b);
            let gains = pairs.map(|(a, b)| (a, b, gain_of(&with(&parents, &[candidates[a], candidates[b]]))));
            let expected = gains.max_by(|a, b| a.2.total_cmp(&b.2)).unwrap();
            let (a, b, gain) = grow.best_pair(gram.of(node), 0.0, pace).unwrap();
            assert_eq!((a, b), (expected.0, expected.1));
            close(gain, expected.2);
            // Less than is needed is nothing.
            assert_eq!(grow.best_pair(gram.of(node), 0.999 * gain, pace).unwrap(), (a, b, gain));
            assert_eq!(grow.best_pair(gram.of(node), 1.001 * gain, pace).unwrap(), NO_GAIN);

            for kept in 0..=3 {
                grow.kept = kept;
                grow.fit(gram.of(node), node, pace).unwrap();
                grow.least_loss();
                let exchanges = (kept..3).flat_map(|position| open.map(|c| (position, c)));
                let gains = exchanges.map(|(position, c)| {
                    (position, c, gain_of(&with(&without(&parents, position), &[candidates[c]])))
                });
                let expected =
                    gains.max_by(|a, b| a.2.total_cmp(&b.2)).filter(|best| best.2 > 0.0).unwrap_or(NO_GAIN);
                let (position, c, gain) = grow.best_exchange(pace).unwrap();
                assert_eq!((position, c), (expected.0, expected.1), "{seed} {kept}");
                close(gain, expected.2);
                has[usize::from(gain > 0.0)] = true;
            }
        }
        assert_eq!(has, [true; 2], "some help and some do not");
    }

    #[test]
    fn of_equals_the_first_is_taken_and_combinations_never() {
        // Columns 1 and 2 are the same, 3 does not vary, and 4 is what is explained.
        let covariances = |i: usize, j: usize| match (i.min(j), i.max(j)) {
            (3, _) | (_, 3) => 0.0,
            (_, 4) if i == j => 4.0,
            (_, 4) | (0, 0) | (1 | 2, 1 | 2) => 1.0,
            _ => 0.0,
        };
        let matrix = (0..25).map(|at| covariances(at / 5, at % 5)).collect();
        let gram = Gram::from_matrix(50, 5, matrix).unwrap();
        let allowed = NodeSet::full(4);
        let run = Run::default();
        let pace = &mut Pace::new(&run);
        let mut grow = grown(&gram, 4, &allowed, &[]);
        assert_eq!(grow.best_gain(), Some((0, 1.0)));
        assert_eq!(grow.best_pair(gram.of(4), 0.0, pace), Some((0, 1, 2.0)));
        let mut grow = grown(&gram, 4, &allowed, &[0]);
        assert_eq!(grow.best_gain(), Some((1, 1.0)));
        grow = grown(&gram, 4, &allowed, &[0, 1]);
        assert_eq!(grow.best_gain(), None);
        assert_eq!(grow.best_pair(gram.of(4), 0.0, pace), Some(NO_GAIN));
        grow.fit(gram.of(4), 4, pace).unwrap();
        // Both matter alike, and no exchange is worth anything.
        assert_eq!(grow.least_loss(), Some((0, 1.0)));
        assert_eq!(grow.best_exchange(pace), Some(NO_GAIN));

        // Required ones that are combinations are not taken, and never dropped from what is kept.
        let mut grow = grown(&gram, 4, &allowed, &[]);
        let required: NodeSet = [1, 2, 3].into_iter().collect();
        grow.start_with(gram.of(4), &required, pace).unwrap();
        assert_eq!((&grow.taken[..], grow.kept), (&[1][..], 1));
        for (taken, kept, left, still) in [
            (vec![0, 1, 2], 3, vec![0, 1], 2),
            (vec![0, 1, 2], 2, vec![0, 1], 2),
            (vec![0, 1, 2], 1, vec![0, 1], 1),
            (vec![1, 2, 0], 1, vec![1, 0], 1),
            (vec![1, 2, 0], 2, vec![1, 0], 1),
            (vec![1, 2, 0], 3, vec![1, 0], 2),
            (vec![1, 3, 2, 0], 4, vec![1, 0], 2),
        ] {
            let mut grow = grown(&gram, 4, &allowed, &[]);
            (grow.taken, grow.kept) = (taken, kept);
            assert!(grow.fit(gram.of(4), 4, pace).unwrap());
            assert_eq!((&grow.taken, grow.kept), (&left, still));
            close(grow.rest, 2.0);
            grow.weights.iter().for_each(|&weight| close(weight, 1.0));
        }
    }

    #[test]
    fn candidates_at_their_floors_and_pairs_close_to_collinear_are_left_out() {
        let gram = random_gram(6, 25, 3);
        let (run, allowed) = (Run::default(), NodeSet::full(5));
        let pace = &mut Pace::new(&run);
        let mut grow = grown(&gram, 5, &allowed, &[2]);
        let (best, _) = grow.best_gain().unwrap();
        let (a, b, _) = grow.best_pair(gram.of(5), 0.0, pace).unwrap();
        // All but `c` are combinations now: there is no pair, and one candidate.
        for c in [0, 1, 3, 4] {
            let mut grow = grown(&gram, 5, &allowed, &[2]);
            for other in [0, 1, 3, 4].into_iter().filter(|&other| other != c) {
                grow.floors[other] = grow.variances[other];
            }
            assert_eq!(grow.best_gain().unwrap().0, c);
            assert_eq!(grow.best_pair(gram.of(5), 0.0, pace), Some(NO_GAIN));
        }
        grow.floors[best] = grow.variances[best];
        assert_ne!(grow.best_gain().unwrap().0, best);
        for one in [a, b] {
            let mut grow = grown(&gram, 5, &allowed, &[2]);
            grow.floors[one] = grow.variances[one];
            let (c, d, gain) = grow.best_pair(gram.of(5), 0.0, pace).unwrap();
            assert!(c != one && d != one && gain > 0.0);
        }

        // Two columns that differ by little, and their difference beside noise, in any unit.
        for (gap, unit, expected) in [
            (4e-9, 1.0, false),
            (4e-9, 1e4, false),
            (4e-9, 1e-4, false),
            (2e-8, 1.0, true),
            (2e-8, 1e-4, true),
        ] {
            let close_by: f64 = 1.0 - gap;
            let matrix = [1.0, close_by, gap, close_by, 1.0, -gap, gap, -gap, 3.0 * gap];
            let matrix = matrix.iter().map(|entry| unit * entry).collect();
            let gram = Gram::from_matrix(50, 3, matrix).unwrap();
            let mut grow = grown(&gram, 2, &NodeSet::full(2), &[]);
            let (_, _, gain) = grow.best_pair(gram.of(2), 0.0, pace).unwrap();
            assert_eq!(gain > 0.0, expected, "{gap}");
        }
    }

    #[test]
    fn an_exchange_needs_a_candidate_that_is_none_of_the_others() {
        let gram = random_gram(6, 25, 3);
        let (run, allowed) = (Run::default(), NodeSet::full(5));
        let pace = &mut Pace::new(&run);
        let fitted = |pace: &mut Pace<'_, '_>| {
            let mut grow = grown(&gram, 5, &allowed, &[1, 2]);
            grow.fit(gram.of(5), 5, pace).unwrap();
            grow.least_loss();
            grow
        };
        let (position, c, gain) = fitted(pace).best_exchange(pace).unwrap();
        assert!(gain > 0.0, "the problem has one");
        let candidates: Vec<usize> = allowed.iter().collect();
        let rest = without(&[1, 2], position);
        let variance = partial(|i, j| gram.entry(i, j), &rest, (candidates[c], candidates[c]));
        for (floor, is_there) in [(0.999 * variance, true), (1.001 * variance, false)] {
            let mut grow = fitted(pace);
            grow.floors[c] = floor;
            let (at, other, _) = grow.best_exchange(pace).unwrap();
            assert_eq!((at, other) == (position, c), is_there);
        }
        // Rounding may leave less than nothing of a candidate.
        let mut grow = fitted(pace);
        grow.variances[c] = -1e-3;
        let mut none = fitted(pace);
        none.variances[c] = 0.0;
        assert_eq!(grow.best_exchange(pace), none.best_exchange(pace));
    }

    #[test]
    fn climbing_is_what_it_is_with_every_score_computed_afresh() {
        let (mut pairs, mut exchanges) = (0, 0);
        let mut scratch = Scratch::default();
        for (seed, mut subset) in problems(60).enumerate() {
            subset.search = SubsetSearch::GrowShrink;
            let node = seed % 8;
            let allowed: Vec<usize> =
                (0..8).filter(|&other| other != node && other != (node + 3) % 8).collect();
            let all: NodeSet = allowed.iter().copied().collect();
            let naive = Naive::of(&subset, node);
            for required in [&[][..], &allowed[2..3], &allowed[..2]] {
                let must: NodeSet = required.iter().copied().collect();
                let (parents, witness, [twos, swaps]) =
                    naive.climb(&allowed, required.len(), required.to_vec());
                let found = subset.best(node, &all, &must, &mut scratch, &Run::default()).unwrap();
                close(found.score, naive.score(&parents));
                assert_eq!(found.parents, parents.iter().copied().collect(), "{seed} {required:?}");
                assert_eq!(found.witness, witness, "{seed} {required:?}");
                pairs += twos;
                exchanges += swaps;
                // From other parents, with no visits of branch and bound.
                let start = with(required, &allowed[3..]);
                let (parents, ..) = naive.climb(&allowed, required.len(), start.clone());
                let from: NodeSet = start.iter().copied().collect();
                let (space, run) = (&mut Space::default(), Run::default());
                let refined = subset.refine(node, (&all, &must), &from, 1, space, &run);
                let is_better = improves(naive.score(&parents), naive.score(&start));
                assert_eq!(refined, is_better.then(|| parents.into_iter().collect()), "{seed} {required:?}");
            }
        }
        assert!(pairs > 3 && exchanges > 3, "{pairs} pairs and {exchanges} exchanges");
    }

    #[test]
    fn branch_and_bound_visits_what_it_must_and_finds_the_best() {
        let mut scratch = Scratch::default();
        let mut most = 0;
        for (seed, subset) in problems(40).enumerate() {
            let node = seed % 8;
            let allowed: Vec<usize> = (0..8).filter(|&other| other != node).collect();
            let all: NodeSet = allowed.iter().copied().collect();
            for required in [&[][..], &allowed[1..3]] {
                let must: NodeSet = required.iter().copied().collect();
                let mut naive = Naive::of(&subset, node);
                let (score, best) = naive.best_of_all(&allowed, required);
                let found = subset.best(node, &all, &must, &mut scratch, &Run::default()).unwrap();
                close(found.score, score);
                assert_eq!((&found.parents, &found.witness), (&best, &best));

                // From a bad start, which is all of them: one visit to look for combinations, and those of the naive search.
                let run = Run::default();
                let start = naive.score(&allowed);
                naive.best = (start, allowed.clone());
                let full = with(
                    required,
                    &allowed.iter().copied().filter(|one| !must.contains(*one)).collect::<Vec<_>>(),
                );
                naive.visit(&full, required.to_vec());
                let visits = naive.visits + 1;
                let visited = |limit: usize| {
                    let mut bound = BranchAndBound::default();
                    let within = (&all, &must);
                    let pace = &mut Pace::new(&run);
                    let (set, is_proved) =
                        bound.run(&subset, node, within, (all.clone(), start), limit, pace).unwrap();
                    (set, is_proved, bound.visits)
                };
                assert_eq!(visited(usize::MAX), (best.clone(), true, visits), "{seed}");
                assert_eq!(visited(visits + 1), (best, true, visits));
                let (_, is_proved, cut) = visited(visits);
                assert!(!is_proved && cut == visits);
                let (set, is_proved, cut) = visited(1);
                assert_eq!((set, is_proved, cut), (all.clone(), false, 1));
                most = most.max(visits);
            }
        }
        assert!(most > 20, "{most} visits at most");
    }

    #[test]
    fn columns_that_are_combinations_are_tried_in_and_out() {
        // 2 = 0 + 1, 5 = 3, and 6 is what is explained; 4 does not vary.
        for seed in 0..12 {
            let mut rng = Rng::new(seed);
            let mut rows = Vec::new();
            for _ in 0..20 {
                let [a, b, c, noise] = [(); 4].map(|()| rng.uniform());
                rows.extend([a, b, a + b, c, 1.0, c, a - b + 0.5 * (seed % 3) as f64 * c + noise]);
            }
            let gram = Gram::from_rows(&rows, 7, crate::gram::Centering::Center).unwrap();
            let criterion = Priced { half_rows: None, penalty: 0.002 * (1 + seed % 4) as f64, rise: 0.0 };
            let subset = priced(gram, &criterion, SubsetSearch::BranchAndBound);
            let entry = |i: usize, j: usize| subset.gram.entry(i, j);
            // The least score of any set, each by those of its members that are no combinations of others before.
            let score = |set: &[usize]| {
                let mut independent = Vec::new();
                for &one in set {
                    if partial(entry, &independent, (one, one)) > 1e-9 {
                        independent.push(one);
                    }
                }
                criterion.fit(partial(entry, &independent, (6, 6))) + criterion.price(set.len())
            };
            let all = NodeSet::full(6);
            for required in [vec![], vec![2], vec![0, 1], vec![0, 1, 2], vec![3, 4, 5]] {
                let must: NodeSet = required.iter().copied().collect();
                // From what is required alone, and from all that are no combinations of others.
                let run = Run::default();
                for start in [&required[..], &[0, 1, 3]] {
                    let mut naive = Naive::of(&subset, 6);
                    naive.best = (score(start), start.to_vec());
                    naive.split(&[0, 1, 2, 3, 4, 5], &required);
                    let mut bound = BranchAndBound::default();
                    let from = (start.iter().copied().collect(), score(start));
                    let (set, is_proved) =
                        bound.run(&subset, 6, (&all, &must), from, usize::MAX, &mut Pace::new(&run)).unwrap();
                    assert_eq!((is_proved, bound.visits), (true, naive.visits), "{seed} {required:?}");
                    let set: Vec<usize> = set.iter().collect();
                    close(score(&set), naive.best.0);
                }
                let found = subset.best(6, &all, &must, &mut Scratch::default(), &Run::default()).unwrap();
                let sets = (0..64_usize).map(|bits| (0..6).filter(|at| bits >> at & 1 == 1).collect());
                let sets = sets.filter(|set: &Vec<usize>| required.iter().all(|one| set.contains(one)));
                let least = sets.map(|set| score(&set)).fold(f64::INFINITY, f64::min);
                close(found.score, least);
                let parents: Vec<usize> = found.parents.iter().collect();
                close(score(&parents), least);
                assert!(must.is_subset(&found.parents));
            }
        }
    }

    #[test]
    fn tables_weights_and_floors_are_those_of_the_sets() {
        for (seed, subset) in problems(6).enumerate() {
            let node = (seed + 2) % 8;
            let naive = Naive::of(&subset, node);
            let others: Vec<usize> = (0..8).filter(|&other| other != node).collect();
            let mut table = vec![0.0; 1 << 7];
            assert!(subset.fill_costs(node, &mut table, &Run::default()));
            for (bits, &cost) in table.iter().enumerate() {
                let set: Vec<usize> = (0..7).filter(|at| bits >> at & 1 == 1).map(|at| others[at]).collect();
                close(cost, naive.score(&set));
                let set: NodeSet = set.into_iter().collect();
                close(subset.score(node, &set, &mut Space::default()), cost);
                let weights = subset.weights(node, &set);
                // What is left of the node goes with none of its parents.
                for one in &set {
                    let fitted: f64 =
                        set.iter().zip(&weights).map(|(other, w)| w * subset.gram.entry(one, other)).sum();
                    close(fitted, subset.gram.entry(one, node));
                }
                assert_eq!(weights.len(), set.len());
            }
            let greedy = Subset { search: SubsetSearch::GrowShrink, ..subset.clone() };
            assert!(!greedy.fill_costs(node, &mut table, &Run::default()));
        }
        // Node 2 is the sum of the others, node 3 a copy of the first, and node 4 does not vary.
        let matrix = [
            [1.0, 0.0, 1.0, 1.0, 0.0],
            [0.0, 1.0, 1.0, 0.0, 0.0],
            [1.0, 1.0, 2.0, 1.0, 0.0],
            [1.0, 0.0, 1.0, 1.0, 0.0],
            [0.0; 5],
        ];
        let gram = Gram::from_matrix(50, 5, matrix.as_flattened().to_vec()).unwrap();
        let criterion = Priced { half_rows: Some(25.0), penalty: 2.0, rise: 0.0 };
        let subset = priced(gram, &criterion, SubsetSearch::BranchAndBound);
        let set: NodeSet = [0, 1, 3].into_iter().collect();
        assert_eq!(subset.weights(2, &set), [1.0, 1.0, 0.0]);
        let score = subset.score(2, &set, &mut Space::default());
        close(score, 25.0 * (2.0 * PERFECT_FIT).ln() + 6.0);
        let score = subset.score(4, &NodeSet::full(1), &mut Space::default());
        close(score, 25.0 * f64::MIN_POSITIVE.ln() + 2.0);
        let mut table = vec![0.0; 16];
        assert!(subset.fill_costs(2, &mut table, &Run::default()));
        // The places are those of nodes 0, 1, 3 and 4.
        assert_eq!(table[0b0101], f64::INFINITY, "0 and its copy");
        assert_eq!(table[0b1000], f64::INFINITY, "one that does not vary");
        close(table[0b0110], table[0b0011]);
    }

    #[test]
    fn of_two_equals_the_first_is_tried_without() {
        // One of two is worth its price, and both are not.
        let gram = Gram::from_matrix(50, 3, vec![1.0, 0.0, 0.5, 0.0, 1.0, 0.5, 0.5, 0.5, 1.0]).unwrap();
        let criterion = Priced { half_rows: None, penalty: 0.0, rise: 0.1 };
        let subset = priced(gram, &criterion, SubsetSearch::BranchAndBound);
        let (run, none, both) = (Run::default(), NodeSet::default(), NodeSet::full(2));
        let mut bound = BranchAndBound::default();
        let from = (none.clone(), subset.score(2, &none, &mut Space::default()));
        let pace = &mut Pace::new(&run);
        let (set, _) = bound.run(&subset, 2, (&both, &none), from, usize::MAX, pace).unwrap();
        assert_eq!(set, [1].into_iter().collect());
    }

    #[test]
    fn walks_are_for_quick_searches_with_time_left() {
        let criterion = Priced { half_rows: None, penalty: 0.01, rise: 0.0 };
        let subset = priced(random_gram(4, 20, 2), &criterion, SubsetSearch::GrowShrink);
        let bounds = Bounds::free(4);
        let over = over();
        let start = [2, 0, 1, 3];
        assert!(subset.walker(&start, &bounds, &Run::default()).is_some());
        assert!(subset.walker(&start, &bounds, &over).is_none());
        let exact = Subset { search: SubsetSearch::BranchAndBound, ..subset.clone() };
        assert!(exact.walker(&start, &bounds, &Run::default()).is_none());
        assert!(exact.walker(&start, &bounds, &over).is_none());
        assert!(subset.first_orders(&over).is_empty());
        assert_eq!(subset.first_orders(&Run::default()).len(), 2);
        let none = NodeSet::default();
        let refined = subset.refine(3, (&NodeSet::full(3), &none), &none, 100, &mut Space::default(), &over);
        assert!(refined.is_some(), "so little work is done before the run is asked");
    }

    #[test]
    fn the_run_is_asked_in_proportion_to_the_work() {
        let nodes = 41;
        let gram = random_gram(nodes, 100, 1);
        let (node, allowed) = (nodes - 1, NodeSet::full(nodes - 1));
        let m = nodes - 1;
        let spent = |amounts: &[usize]| {
            questions(|run| {
                let pace = &mut Pace::new(run);
                amounts.iter().for_each(|&amount| pace.spend(amount).unwrap());
            })
        };
        let mut grow = grown(&gram, node, &allowed, &[]);
        let asked = questions(|run| {
            let pace = &mut Pace::new(run);
            (0..m).for_each(|c| grow.take(gram.of(node), c, pace).unwrap());
        });
        let amounts: Vec<usize> = (0..m).map(|taken| taken * m + m).collect();
        assert_eq!(asked, spent(&amounts));
        let asked = questions(|run| _ = grow.fit(gram.of(node), node, &mut Pace::new(run)).unwrap());
        assert_eq!(asked, spent(&[m.pow(3)]));

        let taken: Vec<usize> = (0..20).collect();
        let mut grow = grown(&gram, node, &allowed, &taken);
        let asked = questions(|run| {
            let pace = &mut Pace::new(run);
            (0..5).for_each(|_| _ = grow.best_pair(gram.of(node), 0.0, pace).unwrap());
        });
        assert_eq!(asked, spent(&[20 * m + m; 5 * 20]));
    }
}
