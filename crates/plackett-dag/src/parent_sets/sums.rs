//! Sums over all parent sets that an order allows, Σ exp(−cost): what order MCMC samples orders by, and the posterior
//! probabilities of edges (Friedman and Koller).

use std::sync::Arc;

use plackett::run::Run;

use super::candidates::Candidates;
use super::list::List;
use crate::{
    Bounds, Error, LocalScore, NodeSet, Result, parallel,
    score::{Choice, Scratch},
};

/// What the work is called while it goes on.
pub(super) const STAGE: &str = "parent sets";

/// Terms that together make up less than this of a sum, on the scale of logarithms, are left out: e⁻³⁰ is 10⁻¹³.
pub(super) const NEGLIGIBLE: f64 = 30.0;

/// The prior probability of a parent set by its size, up to a factor.
///
/// ```
/// assert_eq!(plackett_dag::parent_sets::SizePrior::default(), plackett_dag::parent_sets::SizePrior::Even);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SizePrior {
    /// All sets alike.
    #[default]
    Even,
    /// All sizes alike, and all sets of a size: 1/binom(d − 1, |S|) (Friedman and Koller). Favors few parents.
    EvenSizes,
}

impl SizePrior {
    /// −log of the prior for each size up to `limit`, in a graph of so many nodes.
    pub(super) fn costs(self, nodes: usize, limit: usize) -> Vec<f64> {
        let others = nodes.saturating_sub(1);
        let mut costs = vec![0.0];
        for size in 1..=limit.min(others) {
            let step = ((others + 1 - size) as f64 / size as f64).ln();
            costs.push(match self {
                Self::Even => 0.0,
                Self::EvenSizes => costs[size - 1] + step,
            });
        }
        costs
    }
}

/// Sums over the parent sets of each node, made by [`ParentSets::build`](crate::parent_sets::ParentSets::build) on request for
/// categories, and by [`SumScore::of`] for any score that can say what families cost.
///
/// As a [`LocalScore`] its r(i, S) is −log of the sum, so that an order's score is −log of the probability of the data and
/// the order, up to a constant; the parents it names are the most probable ones.
///
/// A query goes through the sets from the cheapest on and stops where the rest cannot change the answer by more than
/// 10⁻¹² of itself.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{Categories, NodeSet, parent_sets::{Candidates, Keep, ParentSets, SizePrior}, score::Bdeu};
/// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 2];
/// let column: Vec<u8> = (0..40).map(|row| row % 2).collect();
/// let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![column.clone(), column])?;
/// let keep = Keep::All(SizePrior::Even);
/// let sets = ParentSets::build(&data, &Bdeu::default(), &Candidates::all(2, 1), keep, &Run::default())?;
/// let sums = sets.unwrap().sums().expect("asked for");
/// assert!(sums.log_sum(1, &NodeSet::full(1)) > sums.log_sum(1, &NodeSet::default()));
/// let mut chances = [0.0; 2];
/// sums.edge_probabilities(1, &NodeSet::full(1), &mut chances);
/// assert!(chances[0] > 0.99 && chances[1] == 0.0);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SumScore {
    /// Of the score that is summed over.
    name: String,
    lists: Vec<List>,
    /// The nodes that each node's sets hold: no others change a sum.
    reach: Vec<NodeSet>,
    /// What is known of the graph; all sets have what it requires whatever the order.
    bounds: Bounds,
}

impl SumScore {
    /// From all sets of each node with their costs; `priors` has the cost of each size.
    pub(super) fn new(name: &str, lists: Vec<List>, priors: &[f64], bounds: Bounds) -> Self {
        let nodes = lists.len();
        let mut lists = lists;
        for list in &mut lists {
            list.add_by_size(priors);
            list.sort();
        }
        let reach = lists.iter().map(|list| list.union(nodes)).collect();
        Self { name: name.to_owned(), lists, reach, bounds }
    }

    /// The sums over all parent sets within the candidates, by what a score says that they cost; nothing if the run is over
    /// before. Each set is scored once.
    ///
    /// # Errors
    /// [`Error::Size`] unless there are candidates for each node, and [`Error::Misfit`] if the score does not know what families
    /// cost.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{
    ///     Mixed, NodeSet, mixed::MixedColumn, parent_sets::{Candidates, SizePrior, SumScore},
    ///     score::{MixedScoreSettings, mixed_score_by_name},
    /// };
    /// let codes: Vec<u8> = (0..60).map(|row| row % 2).collect();
    /// let numbers = codes.iter().zip(0..).map(|(&code, row)| f64::from(code) + 0.1 * f64::from(row % 7)).collect();
    /// let columns = vec![MixedColumn::Categories { codes, levels: 2 }, MixedColumn::Numbers(numbers)];
    /// let score = mixed_score_by_name("dg", &Mixed::new(columns)?.into(), &MixedScoreSettings::default())?;
    /// let sums = SumScore::of(score.as_ref(), &Candidates::all(2, 1), SizePrior::Even, &Run::default())?.unwrap();
    /// let mut shares = [0.0; 2];
    /// sums.edge_probabilities(1, &NodeSet::from_iter([0]), &mut shares);
    /// assert!(shares[0] > 0.99);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn of(
        score: &dyn LocalScore,
        candidates: &Candidates,
        prior: SizePrior,
        run: &Run<'_>,
    ) -> Result<Option<Arc<Self>>> {
        let nodes = score.nodes();
        if candidates.nodes() != nodes {
            let found = candidates.nodes();
            return Err(Error::Size { what: "the list of candidates", expected: nodes, found });
        }
        if nodes > 0 && score.cost(0, &NodeSet::default()).is_none() {
            let reason = format!("{} does not say what families cost, and sums need that", score.name());
            return Err(Error::Misfit { setting: "score", reason });
        }
        let limits: Vec<usize> = (0..nodes).map(|node| candidates.limit(node).0).collect();
        run.begin(STAGE, Some(nodes as u64));
        let lists: Option<Vec<List>> = parallel::map(0..nodes, |node| {
            let mut list = List::new(nodes.div_ceil(64).max(1));
            let mut take = |members: &[usize]| {
                let set: NodeSet = members.iter().copied().collect();
                let cost = score.cost(node, &set).filter(|_| !run.is_over())? / score.temperature();
                list.push(cost, members.iter().copied());
                Some(())
            };
            let (core, outside) = (candidates.core_list(node), candidates.outside(node));
            for mut fixed in candidates.fixed_lists(node) {
                let limit = limits[node].saturating_sub(fixed.len());
                for_each_set(&mut fixed, &core, limit, &mut take)?;
                for &other in outside.iter().filter(|_| limit > 0) {
                    fixed.push(other);
                    for_each_set(&mut fixed, &core, limit - 1, &mut take)?;
                    fixed.pop();
                }
            }
            run.advance(1);
            Some(list)
        });
        let priors = prior.costs(nodes, nodes);
        Ok(lists.map(|lists| Arc::new(Self::new(score.name(), lists, &priors, candidates.bounds().clone()))))
    }

    /// What is known of the graph.
    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    pub(super) fn bytes(&self) -> usize {
        self.lists.iter().map(List::bytes).sum()
    }

    /// log Σ exp(−cost) over the parent sets of `node` within `allowed`, the prior of their sizes included; minus infinity
    /// if there is no such node, or if a required parent is not allowed. O(sets) at worst.
    ///
    /// ```
    /// # use plackett::run::Run;
    /// # use plackett_dag::{
    /// #     Categories, Dag, NodeSet, parent_sets::{Candidates, Keep, ParentSets, SizePrior},
    /// #     score::{Bdeu, graph_cost},
    /// # };
    /// # let levels = vec![vec!["no".to_owned(), "yes".to_owned()]];
    /// # let data = Categories::new(vec!["a".into()], levels, vec![vec![0, 1, 1]])?;
    /// # let keep = Keep::All(SizePrior::Even);
    /// # let sets = ParentSets::build(&data, &Bdeu::default(), &Candidates::all(1, 1), keep, &Run::default())?.unwrap();
    /// let sum = sets.sums().expect("asked for").log_sum(0, &NodeSet::default());
    /// assert_eq!(sum, -graph_cost(&data, &Bdeu::default(), &Dag::empty(1))?);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn log_sum(&self, node: usize, allowed: &NodeSet) -> f64 {
        let mut sum = 0.0;
        let first = self.for_each(node, allowed, |_, share| sum += share);
        first.map_or(f64::NEG_INFINITY, |cost| sum.ln() - cost)
    }

    /// For each other node the share of [`log_sum`](Self::log_sum)'s sum that comes from sets holding it, into `shares`
    /// (as many as there are nodes; those beyond are left alone).
    ///
    /// ```
    /// # use plackett::run::Run;
    /// # use plackett_dag::{
    /// #     Categories, NodeSet, parent_sets::{Candidates, Keep, ParentSets, SizePrior}, score::Bdeu,
    /// # };
    /// # let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 2];
    /// # let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![vec![0, 1, 1], vec![0, 1, 0]])?;
    /// # let keep = Keep::All(SizePrior::Even);
    /// # let sets = ParentSets::build(&data, &Bdeu::default(), &Candidates::all(2, 1), keep, &Run::default())?.unwrap();
    /// let mut shares = [0.0; 2];
    /// sets.sums().expect("asked for").edge_probabilities(0, &NodeSet::from_iter([1]), &mut shares);
    /// assert!(shares[1] > 0.0 && shares[1] < 1.0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn edge_probabilities(&self, node: usize, allowed: &NodeSet, shares: &mut [f64]) {
        let nodes = self.lists.len().min(shares.len());
        shares[..nodes].fill(0.0);
        let mut sum = 0.0;
        let least = self.for_each(node, allowed, |set, share| {
            sum += share;
            for (index, &word) in set.iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    if let Some(slot) = shares.get_mut(64 * index + rest.trailing_zeros() as usize) {
                        *slot += share;
                    }
                    rest &= rest - 1;
                }
            }
        });
        if least.is_some() {
            shares[..nodes].iter_mut().for_each(|share| *share /= sum);
        }
    }

    /// The parent set of `node` within `allowed` that a uniform number between 0 and 1 draws, each set having the
    /// probability of its share of the sum. With one draw for each node an order gives a graph from its posterior.
    ///
    /// ```
    /// # use plackett::run::Run;
    /// # use plackett_dag::{
    /// #     Categories, NodeSet, parent_sets::{Candidates, Keep, ParentSets, SizePrior}, score::Bdeu,
    /// # };
    /// # let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 2];
    /// # let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![vec![0, 1, 1], vec![0, 1, 0]])?;
    /// # let keep = Keep::All(SizePrior::Even);
    /// # let sets = ParentSets::build(&data, &Bdeu::default(), &Candidates::all(2, 1), keep, &Run::default())?.unwrap();
    /// let sums = sets.sums().expect("asked for");
    /// let (low, high) = (sums.draw(0, &NodeSet::full(2), 0.01), sums.draw(0, &NodeSet::full(2), 0.99));
    /// assert_ne!(low, high);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn draw(&self, node: usize, allowed: &NodeSet, uniform: f64) -> NodeSet {
        let mut sum = 0.0;
        self.for_each(node, allowed, |_, share| sum += share);
        let mut left = uniform * sum;
        let mut drawn = NodeSet::default();
        self.for_each(node, allowed, |set, share| {
            if left >= 0.0 {
                drawn = NodeSet::from_words(set, self.lists.len());
                left -= share;
            }
        });
        drawn
    }

    /// Calls `visit` with each set that matters and its term relative to the largest; returns the least cost.
    fn for_each(&self, node: usize, allowed: &NodeSet, mut visit: impl FnMut(&[u64], f64)) -> Option<f64> {
        let list = self.lists.get(node)?;
        let mut required = NodeSet::default();
        self.bounds.required_of(node, allowed, &mut required);
        let first = |range| list.first_between(allowed.words(), required.words(), range);
        let mut at = first(0..list.len())?;
        let least = list.costs()[at];
        let last = least + NEGLIGIBLE + (list.len() as f64).ln();
        let end = list.costs().partition_point(|&cost| cost <= last);
        loop {
            visit(list.set(at), (least - list.costs()[at]).exp());
            match first(at + 1..end) {
                Some(next) => at = next,
                None => return Some(least),
            }
        }
    }
}

/// Calls `visit` with the members and each set of at most `most` more out of `others`, as long as it answers.
fn for_each_set(
    members: &mut Vec<usize>,
    others: &[usize],
    most: usize,
    visit: &mut impl FnMut(&[usize]) -> Option<()>,
) -> Option<()> {
    visit(members)?;
    for (at, &other) in others.iter().enumerate().filter(|_| most > 0) {
        members.push(other);
        for_each_set(members, &others[at + 1..], most - 1, visit)?;
        members.pop();
    }
    Some(())
}

impl LocalScore for SumScore {
    fn name(&self) -> &str {
        &self.name
    }

    fn nodes(&self) -> usize {
        self.lists.len()
    }

    fn best(
        &self,
        node: usize,
        allowed: &NodeSet,
        required: &NodeSet,
        _: &mut Scratch,
        _: &Run<'_>,
    ) -> Option<Choice> {
        let list = &self.lists[node];
        let first = list.first_between(allowed.words(), required.words(), 0..list.len());
        let mut witness = self.reach[node].clone();
        witness.words_mut().iter_mut().zip(allowed.words()).for_each(|(reach, allowed)| *reach &= allowed);
        Some(Choice {
            score: -self.log_sum(node, allowed),
            parents: first.map_or_else(NodeSet::default, |at| list.node_set(at, self.lists.len())),
            witness,
        })
    }
}
