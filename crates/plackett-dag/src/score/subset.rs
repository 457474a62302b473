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
use crate::error::check_setting;
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
            let is_valid = factor >= 0.0 && factor.is_finite();
            check_setting("the penalty factor", factor, is_valid, "it must be at least 0 and finite")?;
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
        factor.reset(size + 1);
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
        factor.reset(parents.len() + 1);
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
                if gain > 0.0 && improves(fit(grow.rest - gain) + pair, fit(grow.rest)) {
                    for c in [a, b] {
                        witness.insert(grow.candidates[c]);
                        grow.take(self.gram.of(node), c, pace)?;
                    }
                    continue;
                }
                let (position, c, gain) = grow.best_exchange(pace)?;
                if gain > 0.0 && improves(fit(grow.rest - gain), fit(grow.rest)) {
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
        space.factor.reset(self.gram.nodes() + 1);
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
        space.factor.reset(parents.len() + 1);
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
        factor.reset(size + 1);
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
