//! Sums of exp(−cost) over the parent sets that a node may have, which the posterior probabilities of edges are made of. For each
//! node there is a table with a row for every subset M of its core (Viinikka et al. 2020): the sum over all sets within M, and over those that
//! hold one node from outside besides, for each such node. A sum over any allowed nodes is then one pass over one row.

use std::sync::Arc;

use plackett::{
    elementary::{exp, ln, ln_1p},
    run::Run,
};

use super::SizePrior;
use super::candidates::Candidates;
use super::list::List;
use crate::{Error, LocalScore, NodeSet, Result, parallel};

/// What the work is called while it goes on.
pub(super) const STAGE: &str = "parent sets";

/// Sets that are together this much less likely than one of their subsets, on the scale of logarithms, are left out: e⁻¹⁴ is 10⁻⁶.
pub(super) const NEGLIGIBLE: f64 = 14.0;

/// A difference of two sums below this share of them is rounding, and whatever it stands for is as good as impossible.
const ROUNDING: f64 = 1e-10;

/// Shares of a sum, relative to the sets within the core, that a double holds with room to spare; beyond, a row has logarithms.
const MOST_LOG_SHARE: f64 = 600.0;

/// No place among the core.
const OUTSIDE: u8 = u8::MAX;

/// Sums over the parent sets of each node, made by [`ParentSets::build`](crate::parent_sets::ParentSets::build) on request for
/// categories, and by [`ParentSums::of`] for any score that can say what families cost.
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
pub struct ParentSums {
    tables: Vec<Table>,
}

/// The sums of one node. A subset of its core is a number whose bits are places in the core.
#[derive(Clone, Debug)]
struct Table {
    nodes: usize,
    core: Vec<usize>,
    /// The place of each node in the core.
    places: Vec<u8>,
    /// The part of the core that the node must be joined to: whichever of it comes before is a parent.
    joined: usize,
    /// log of the sum over the sets within each subset of the core.
    within: Vec<f64>,
    /// For each subset a row of as many numbers as there are nodes: the sum over the sets within it and one node from outside,
    /// relative to that without. Empty if none come from outside.
    beside: Vec<f64>,
    /// The subsets whose row has logarithms, not relative, because one is too large.
    is_log: Vec<bool>,
    /// The sets themselves, the cheapest first.
    list: List,
}

impl Table {
    /// From all sets with their costs.
    fn new(nodes: usize, core: Vec<usize>, joined: &NodeSet, list: List) -> Self {
        let subsets = 1_usize << core.len();
        let mut places = vec![OUTSIDE; nodes];
        core.iter().zip(0..).for_each(|(&node, place)| places[node] = place);
        let joined = joined.iter().map(|node| 1 << places[node]).sum();
        let mut within = vec![f64::NEG_INFINITY; subsets];
        let mut beside = Vec::new();
        for at in 0..list.len() {
            let (subset, other) = parts(&list, at, &places);
            let Some(other) = other else {
                within[subset] = -list.costs()[at];
                continue;
            };
            if beside.is_empty() {
                beside = vec![f64::NEG_INFINITY; subsets * nodes];
            }
            beside[subset * nodes + other] = -list.costs()[at];
        }
        let mut table =
            Self { nodes, core, places, joined, within, beside, is_log: vec![false; subsets], list };
        table.accumulate();
        table.prune();
        table.scale();
        table
    }

    /// Turns what is known of each subset into sums over all that it holds.
    fn accumulate(&mut self) {
        // Of what must be a parent where it comes before, there is nothing to leave out.
        for place in (0..self.core.len()).filter(|place| self.joined >> place & 1 == 0) {
            let step = 1_usize << place;
            for subset in (0..self.within.len()).filter(|subset| subset & step != 0) {
                let smaller = subset ^ step;
                self.within[subset] = add(self.within[subset], self.within[smaller]);
                if !self.beside.is_empty() {
                    let (before, row) = self.beside.split_at_mut(subset * self.nodes);
                    let smaller = &before[smaller * self.nodes..][..self.nodes];
                    row.iter_mut().zip(smaller).for_each(|(sum, &part)| *sum = add(*sum, part));
                }
            }
        }
    }

    /// Leaves sets out of the list, not of the sums, that are together negligible beside their subsets.
    fn prune(&mut self) {
        let margin = NEGLIGIBLE + ln(self.list.len() as f64);
        let mut kept = List::new(self.nodes.div_ceil(64).max(1));
        for at in 0..self.list.len() {
            let (subset, other) = parts(&self.list, at, &self.places);
            let beside = other.map_or(f64::NEG_INFINITY, |other| self.beside[subset * self.nodes + other]);
            if -self.list.costs()[at] >= add(self.within[subset], beside) - margin {
                kept.push(self.list.costs()[at], self.list.members(at));
            }
        }
        self.list = kept;
    }

    fn scale(&mut self) {
        for (subset, row) in self.beside.chunks_exact_mut(self.nodes).enumerate() {
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let alone = self.within[subset];
            self.is_log[subset] = most > alone + MOST_LOG_SHARE;
            if !self.is_log[subset] {
                row.iter_mut()
                    .for_each(|sum| *sum = if *sum == f64::NEG_INFINITY { 0.0 } else { exp(*sum - alone) });
            }
        }
    }

    fn row(&self, subset: usize) -> &[f64] {
        self.beside.get(subset * self.nodes..(subset + 1) * self.nodes).unwrap_or_default()
    }

    /// The part of the core that is among these nodes, which are ones of zeros and ones.
    #[inline]
    fn subset(&self, among: &[f64]) -> usize {
        self.core.iter().enumerate().map(|(place, &node)| usize::from(among[node] != 0.0) << place).sum()
    }

    /// The sum over the sets within this part of the core and at most one of these nodes besides.
    #[inline]
    fn sum(&self, subset: usize, among: &[f64]) -> Sum {
        let (alone, row) = (self.within[subset], self.row(subset));
        if self.is_log[subset] {
            let logs = row.iter().zip(among).filter(|&(_, &is_in)| is_in != 0.0);
            return Sum { log: logs.fold(alone, |sum, (&log, _)| add(sum, log)), times: 1.0 };
        }
        Sum { log: alone, times: 1.0 + sum_of_products(row, among) }
    }

    /// The same for a part of what may be chosen from; nothing if none of its sets is one of those within `all`, because what must be
    /// a parent is missing.
    #[inline]
    fn part(&self, subset: usize, all: usize, among: &[f64]) -> Sum {
        if (subset ^ all) & self.joined == 0 { self.sum(subset, among) } else { Sum::NOTHING }
    }

    /// The sum over the sets within this part of the core that hold this node from outside.
    #[inline]
    fn holding(&self, subset: usize, other: usize) -> Sum {
        match self.row(subset).get(other) {
            None => Sum::NOTHING,
            Some(&log) if self.is_log[subset] => Sum { log, times: 1.0 },
            Some(&share) => Sum { log: self.within[subset], times: share },
        }
    }

    fn bytes(&self) -> usize {
        8 * (self.within.len() + self.beside.len()) + self.is_log.len() + self.list.bytes()
    }
}

/// The part of a set that is in the core, and the one node from outside.
fn parts(list: &List, at: usize, places: &[u8]) -> (usize, Option<usize>) {
    let (mut subset, mut other) = (0, None);
    for member in list.members(at) {
        match places[member] {
            OUTSIDE => other = Some(member),
            place => subset |= 1 << place,
        }
    }
    (subset, other)
}

/// log(eᵃ + eᵇ).
#[inline]
fn add(a: f64, b: f64) -> f64 {
    let (more, less) = if a > b { (a, b) } else { (b, a) };
    if more - less > 40.0 || less == f64::NEG_INFINITY { more } else { more + ln_1p(exp(less - more)) }
}

/// A sum, as e to the power of `log`, so many times: those over subsets of the same part of the core have the same scale, and are added
/// and subtracted without an exponential or a logarithm, which the chains would spend most of their time on.
#[derive(Clone, Copy, Debug)]
struct Sum {
    log: f64,
    times: f64,
}

impl Sum {
    const NOTHING: Self = Self { log: f64::NEG_INFINITY, times: 0.0 };

    #[inline]
    fn log(self) -> f64 {
        self.log + ln(self.times)
    }

    /// The larger scale of two sums, and how many times each is that.
    #[inline]
    fn alike(self, other: Self) -> (f64, f64, f64) {
        if self.log == other.log {
            (self.log, self.times, other.times)
        } else if self.log > other.log {
            (self.log, self.times, other.times * exp(other.log - self.log))
        } else {
            (other.log, self.times * exp(self.log - other.log), other.times)
        }
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        let (log, mine, theirs) = self.alike(other);
        Self { log, times: mine + theirs }
    }

    /// log of the difference to a sum that is not larger; minus infinity where it is rounding.
    #[inline]
    fn log_without(self, part: Self) -> f64 {
        let (log, whole, part) = self.alike(part);
        let rest = whole - part;
        if rest > ROUNDING * whole { log + ln(rest) } else { f64::NEG_INFINITY }
    }
}

/// Σ x·y, four sums at a time.
#[inline]
fn sum_of_products(x: &[f64], y: &[f64]) -> f64 {
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
    let mut sums = [0.0; 4];
    for (x, y) in xs.zip(ys) {
        sums.iter_mut().zip(x).zip(y).for_each(|((sum, x), y)| *sum += x * y);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The nodes before a layer of a partition, as zeros and ones.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    /// Those in any layer before.
    pub(crate) all: Vec<f64>,
    /// Those not in the layer just before.
    pub(crate) earlier: Vec<f64>,
}

/// How likely a node is where another one is put, in four ways.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ways {
    /// The other does not come before.
    pub(crate) absent: f64,
    /// It is somewhere before.
    pub(crate) earlier: f64,
    /// It is one of the layer just before.
    pub(crate) beside: f64,
    /// It is the layer just before.
    pub(crate) alone: f64,
}

impl ParentSums {
    /// From all sets of each node with their costs; `priors` has the cost of each size.
    pub(super) fn new(lists: Vec<List>, candidates: &Candidates, priors: &[f64]) -> Self {
        let nodes = lists.len();
        let tasks: Vec<(usize, List)> = lists.into_iter().enumerate().collect();
        let tables = parallel::map(tasks, |(node, mut list)| {
            list.add_by_size(priors);
            list.sort();
            let (_, joined) = candidates.bounds().fixed(node);
            Table::new(nodes, candidates.core(node).iter().collect(), &joined, list)
        });
        Self { tables }
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
    ///     Mixed, NodeSet, mixed::MixedColumn, parent_sets::{Candidates, ParentSums, SizePrior},
    ///     score::{MixedScoreSettings, mixed_score_by_name},
    /// };
    /// let codes: Vec<u8> = (0..60).map(|row| row % 2).collect();
    /// let numbers = codes.iter().zip(0..).map(|(&code, row)| f64::from(code) + 0.1 * f64::from(row % 7)).collect();
    /// let columns = vec![MixedColumn::Categories { codes, levels: 2 }, MixedColumn::Numbers(numbers)];
    /// let score = mixed_score_by_name("dg", &Mixed::new(columns)?.into(), &MixedScoreSettings::default())?;
    /// let sums = ParentSums::of(score.as_ref(), &Candidates::all(2, 1), SizePrior::Even, &Run::default())?.unwrap();
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
        Ok(lists.map(|lists| Arc::new(Self::new(lists, candidates, &priors))))
    }

    /// The bytes that the sums within these candidates take, to be asked before they are made.
    ///
    /// ```
    /// use plackett_dag::parent_sets::{Candidates, ParentSums};
    /// assert!(ParentSums::bytes_needed(&Candidates::all(30, 3)) > 1 << 30);
    /// ```
    pub fn bytes_needed(candidates: &Candidates) -> u128 {
        let nodes = candidates.nodes();
        let bytes = |node: usize| {
            let rows = 1_u128 << candidates.core(node).len().min(100);
            let row = if candidates.outside(node).is_empty() { 9 } else { 9 + 8 * nodes as u128 };
            let sets = candidates.sets(node, candidates.limit(node).0) as u128;
            rows * row + sets * 8 * (1 + nodes.div_ceil(64) as u128)
        };
        (0..nodes).map(bytes).sum()
    }

    pub(super) fn bytes(&self) -> usize {
        self.tables.iter().map(Table::bytes).sum()
    }

    /// The number of nodes.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use plackett::run::Run;
    /// # use plackett_dag::{Gram, parent_sets::{Candidates, ParentSums, SizePrior}, score::{ScoreSettings, score_by_name}};
    /// # let gram = Arc::new(Gram::from_matrix(100, 2, vec![1.0, 0.5, 0.5, 1.0])?);
    /// let score = score_by_name("bge", gram, &ScoreSettings::default())?;
    /// let sums = ParentSums::of(score.as_ref(), &Candidates::all(2, 1), SizePrior::Even, &Run::default())?.unwrap();
    /// assert_eq!(sums.nodes(), 2);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn nodes(&self) -> usize {
        self.tables.len()
    }

    fn zeros_and_ones(&self, set: &NodeSet) -> Vec<f64> {
        (0..self.nodes()).map(|node| f64::from(u8::from(set.contains(node)))).collect()
    }

    /// log Σ exp(−cost) over the parent sets of `node` within `allowed`, the prior of their sizes included; minus infinity
    /// if there is no such node. O(d).
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
        let among = self.zeros_and_ones(allowed);
        self.tables.get(node).map_or(f64::NEG_INFINITY, |table| table.sum(table.subset(&among), &among).log())
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
        let among = self.zeros_and_ones(allowed);
        let Some(table) = self.tables.get(node) else { return };
        let subset = table.subset(&among);
        let total = table.sum(subset, &among);
        let relative = |log: f64| exp(log - total.log());
        for (other, share) in shares.iter_mut().enumerate().take(self.nodes()) {
            *share = match table.places[other] {
                _ if among[other] == 0.0 => 0.0,
                OUTSIDE => relative(table.holding(subset, other).log()),
                place => relative(total.log_without(table.sum(subset & !(1 << place), &among))),
            };
        }
    }

    /// log of the sum over the parents of a node in a layer: all of them before it, and at least one in the layer just before; none in the
    /// first layer.
    pub(crate) fn log_term(&self, node: usize, before: Option<&Before>) -> f64 {
        let table = &self.tables[node];
        let Some(Before { all, earlier }) = before else { return table.within[0] };
        let subset = table.subset(all);
        table.sum(subset, all).log_without(table.part(table.subset(earlier), subset, earlier))
    }

    /// Whether two nodes must be joined, and so cannot be in one layer.
    pub(crate) fn are_joined(&self, node: usize, other: usize) -> bool {
        let table = &self.tables[node];
        let place = table.places[other];
        place != OUTSIDE && table.joined >> place & 1 == 1
    }

    /// Whether any two nodes must be joined.
    pub(crate) fn joins_some(&self) -> bool {
        self.tables.iter().any(|table| table.joined != 0)
    }

    /// The same for every place where another node, which is not among those before, could be.
    pub(crate) fn log_ways(&self, node: usize, other: usize, before: Option<&Before>) -> Ways {
        let table = &self.tables[node];
        let step = match table.places[other] {
            OUTSIDE if table.beside.is_empty() => None,
            OUTSIDE => Some(0),
            place => Some(1 << place),
        };
        // The sum over the sets within a part of the core and at most one of these nodes and the other.
        let more = |subset: usize, among: &[f64], sum: Sum| match step {
            None => sum,
            Some(0) => sum.plus(table.holding(subset, other)),
            Some(step) => table.sum(subset | step, among),
        };
        let Some(Before { all, earlier }) = before else {
            let within = |subset: usize| Sum { log: table.within[subset], times: 1.0 };
            let alone = match step {
                None => f64::NEG_INFINITY,
                Some(0) => table.holding(0, other).log(),
                Some(step) if table.joined & step != 0 => table.within[step],
                Some(step) => within(step).log_without(within(0)),
            };
            let [earlier, beside] = [f64::NEG_INFINITY; 2];
            return Ways { absent: table.within[0], earlier, beside, alone };
        };
        let (subset, smaller) = (table.subset(all), table.subset(earlier));
        let (whole, part) = (table.sum(subset, all), table.part(smaller, subset, earlier));
        let whole_more = more(subset, all, whole);
        // Without the other there may be no set at all, where it is required.
        let is_part = (subset ^ smaller) & table.joined == 0;
        let part_more = if is_part { more(smaller, earlier, part) } else { Sum::NOTHING };
        let is_joined = step.is_some_and(|step| table.joined & step != 0);
        Ways {
            absent: whole.log_without(part),
            earlier: whole_more.log_without(part_more),
            beside: if is_joined { whole_more.log() } else { whole_more.log_without(part) },
            alone: match step {
                Some(0) => table.holding(subset, other).log(),
                Some(_) if is_joined => whole_more.log(),
                _ => whole_more.log_without(whole),
            },
        }
    }

    /// The probability of each parent of a node in a layer, given the layers.
    pub(crate) fn shares(&self, node: usize, before: Option<&Before>, shares: &mut [f64]) {
        shares.fill(0.0);
        let Some(Before { all, earlier }) = before else { return };
        let table = &self.tables[node];
        let (subset, smaller) = (table.subset(all), table.subset(earlier));
        let (whole, part) = (table.sum(subset, all), table.part(smaller, subset, earlier));
        let scale = whole.log_without(part);
        if scale == f64::NEG_INFINITY {
            return;
        }
        let relative = |sum: Sum| sum.times * exp(sum.log - scale);
        let has_part = part.log > f64::NEG_INFINITY;
        // For every place of the core what is left without it; differences of four sums, which rounding may leave below zero.
        for (place, &other) in table.core.iter().enumerate().filter(|&(_, &other)| all[other] != 0.0) {
            let step = 1 << place;
            let without = table.part(subset & !step, subset, all);
            if without.log == f64::NEG_INFINITY {
                shares[other] = 1.0;
                continue;
            }
            let mut share = relative(whole) - relative(without);
            if earlier[other] != 0.0 && has_part {
                share -= relative(part) - relative(table.sum(smaller & !step, earlier));
            }
            shares[other] = share.clamp(0.0, 1.0);
        }
        if table.beside.is_empty() {
            return;
        }
        for other in 0..table.nodes {
            if all[other] != 0.0 && table.places[other] == OUTSIDE {
                let mut share = relative(table.holding(subset, other));
                if earlier[other] != 0.0 && has_part {
                    share -= relative(table.holding(smaller, other));
                }
                shares[other] = share.clamp(0.0, 1.0);
            }
        }
    }

    /// log of the sum over the parent sets of `node` within `allowed` that hold one of `needed`, unless that is empty.
    pub(crate) fn log_total(&self, node: usize, allowed: &NodeSet, needed: &NodeSet) -> f64 {
        let (table, mut among) = (&self.tables[node], self.zeros_and_ones(allowed));
        let subset = table.subset(&among);
        let whole = table.sum(subset, &among);
        if needed.is_empty() {
            return whole.log();
        }
        needed.iter().for_each(|other| among[other] = 0.0);
        whole.log_without(table.part(table.subset(&among), subset, &among))
    }

    /// The parent set that a uniform number between 0 and 1 draws of those that [`log_total`](Self::log_total) sums over, each having the
    /// probability of its share; and that sum's log. Nothing if there is none.
    pub(crate) fn draw(
        &self,
        node: usize,
        allowed: &NodeSet,
        needed: &NodeSet,
        uniform: f64,
    ) -> Option<(NodeSet, f64)> {
        let list = &self.tables[node].list;
        let fits = |at: usize| {
            needed.is_empty() || list.set(at).iter().zip(needed.words()).any(|(set, need)| set & need != 0)
        };
        let total = self.log_total(node, allowed, needed);
        let (mut left, mut first, mut from) = (uniform, None, 0);
        while let Some(at) = list.first_within(allowed.words(), from..list.len()) {
            from = at + 1;
            if !fits(at) {
                continue;
            }
            first.get_or_insert(at);
            left -= exp(-list.costs()[at] - total);
            if left < 0.0 {
                return Some((list.node_set(at, self.nodes()), total));
            }
        }
        // One in a million is not in the list: the likeliest stands for it.
        first.filter(|_| total > f64::NEG_INFINITY).map(|at| (list.node_set(at, self.nodes()), total))
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
