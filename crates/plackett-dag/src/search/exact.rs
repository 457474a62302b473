//! The best order of all, by dynamic programming over subsets: F(S) = min over i ∈ S of F(S∖i) + r(i, S∖i).
//! Where a score knows what every set of parents costs, r(i, S) is the least over the subsets of S that are permitted and have what is
//! required. Otherwise the table over all S is filled interval by interval: one solved problem with witness T for U settles all
//! S with T ⊆ S ⊆ U, and the sets that lack a member of T are split off and solved in turn. S without a required parent costs an
//! infinite amount, so that no order puts a node before it.

use std::sync::Arc;

use plackett::run::Run;

use super::OrderSolution;
use crate::pace::Pace;
use crate::{Bounds, Error, LocalScore, NodeSet, Result, parallel, score::Scratch};

/// Sets are indices into tables here; more nodes than this do not fit any memory.
const MOST_NODES: usize = 40;

/// r(i, S) for every node i and every set S of others.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, score::{Bic, ScoreSettings}, search::LocalTable};
/// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let table = LocalTable::new(&Bic::new(gram, &ScoreSettings::default())?, 1 << 20, &Run::default())?;
/// let table = table.expect("nothing ends the run");
/// assert!(table.get(1, 0b01) < table.get(1, 0b00));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LocalTable {
    nodes: usize,
    /// For each node, the scores by the set of the others with the node's own bit squeezed out.
    scores: Vec<Vec<f64>>,
}

impl LocalTable {
    /// Fills the table, nodes in parallel; the outcome does not depend on the threads. Memory 8·d·2^(d−1) bytes. Nothing if
    /// the run is over before it is full.
    ///
    /// # Errors
    /// [`Error::Memory`] with the figure if that is more than `bytes`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Error, Gram, score::{Bic, ScoreSettings}, search::LocalTable};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let score = Bic::new(gram, &ScoreSettings::default())?;
    /// let refused = LocalTable::new(&score, 31, &Run::default()).unwrap_err();
    /// assert!(matches!(refused, Error::Memory { needed_bytes: 32, .. }));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(score: &dyn LocalScore, bytes: usize, run: &Run<'_>) -> Result<Option<Self>> {
        Self::within(score, &Bounds::free(score.nodes()), bytes, run)
    }

    /// The same within bounds.
    fn within(score: &dyn LocalScore, bounds: &Bounds, bytes: usize, run: &Run<'_>) -> Result<Option<Self>> {
        let nodes = score.nodes();
        check_memory(nodes, Self::bytes(nodes), bytes)?;
        run.begin("tables over subsets", Some(nodes as u64));
        let fill = |node: usize| {
            if run.is_over() {
                return None;
            }
            let mut scores = vec![0.0; 1 << (nodes - 1)];
            let family = Family::of(node, bounds);
            if !score.fill_costs(node, &mut scores, run) || !family.take_least(&mut scores) {
                let others = ((1_u64 << nodes) - 1) & !(1 << node);
                let (scratch, pace) = (Scratch::default(), Pace::new(run));
                scores.fill(f64::INFINITY);
                let scores = &mut scores[..];
                let required = family.required;
                Filler { score, family, nodes, scratch, pace, run, scores }.fill(required, others)?;
            }
            run.advance(1);
            // A table that the end of the run cut short is none.
            (!run.is_over()).then_some(scores)
        };
        let scores: Option<Vec<Vec<f64>>> = parallel::map(0..nodes, fill);
        Ok(scores.map(|scores| Self { nodes, scores }))
    }

    /// Bytes of the table for `nodes` nodes.
    fn bytes(nodes: usize) -> u128 {
        if nodes == 0 { 0 } else { (nodes as u128 * size_of::<f64>() as u128) << (nodes - 1).min(100) }
    }

    /// Number of nodes.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, score::{Bic, ScoreSettings}, search::LocalTable};
    /// let gram = Arc::new(Gram::from_matrix(1000, 1, vec![1.0])?);
    /// let score = Bic::new(gram, &ScoreSettings::default())?;
    /// let table = LocalTable::new(&score, 1 << 20, &Run::default())?.expect("nothing ends the run");
    /// assert_eq!(table.nodes(), 1);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// r(node, set), the set given as bits; the node's own bit is ignored. Not a number outside the table.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, score::{Bic, ScoreSettings}, search::LocalTable};
    /// let gram = Arc::new(Gram::from_matrix(1000, 1, vec![1.0])?);
    /// let score = Bic::new(gram, &ScoreSettings::default())?;
    /// let table = LocalTable::new(&score, 1 << 20, &Run::default())?.expect("nothing ends the run");
    /// assert_eq!(table.get(0, 0), 0.0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    #[inline]
    pub fn get(&self, node: usize, set: u64) -> f64 {
        let entry = self.scores.get(node).and_then(|scores| scores.get(squeeze(set, node) as usize));
        entry.copied().unwrap_or(f64::NAN)
    }
}

fn check_memory(nodes: usize, needed_bytes: u128, allowed_bytes: usize) -> Result<()> {
    if nodes > MOST_NODES || needed_bytes > allowed_bytes as u128 {
        return Err(Error::Memory { nodes, needed_bytes, allowed_bytes });
    }
    Ok(())
}

/// Takes bit `node` out and closes the gap.
#[inline]
fn squeeze(set: u64, node: usize) -> u64 {
    let low = (1 << node) - 1;
    (set & low) | ((set >> 1) & !low)
}

/// What is known of the parents of a node, as bits.
struct Family {
    node: usize,
    permitted: u64,
    required: u64,
    /// Parents wherever they are allowed.
    joined: u64,
}

impl Family {
    fn of(node: usize, bounds: &Bounds) -> Self {
        let bits = |set: &NodeSet| set.words().first().copied().unwrap_or(0);
        let (required, joined) = bounds.fixed(node);
        let permitted = bits(&bounds.permitted(node));
        Self { node, permitted, required: bits(&required), joined: bits(&joined) }
    }

    /// Turns what each set costs into the least that a set within it costs. Whether that is known: where required parents are
    /// combinations of each other, a score may have left their costs out.
    fn take_least(&self, table: &mut [f64]) -> bool {
        let squeezed = |set: u64| squeeze(set, self.node) as usize;
        let (permitted, required) = (squeezed(self.permitted), squeezed(self.required));
        let (joined, whole) = (squeezed(self.joined), table.len() - 1);
        if permitted != whole || required != 0 {
            for (set, cost) in table.iter_mut().enumerate() {
                if set & !permitted != 0 || set & required != required {
                    *cost = f64::INFINITY;
                }
            }
        }
        // A set that has none of those joined stands for no set that has one.
        for step in (0..table.len().trailing_zeros()).map(|bit| 1 << bit).filter(|step| joined & step == 0) {
            for pair in table.chunks_exact_mut(2 * step) {
                let (without, with) = pair.split_at_mut(step);
                for (x, y) in with.iter_mut().zip(without) {
                    *x = x.min(*y);
                }
            }
        }
        let is_known = |set: usize| set & required != required || table[set] < f64::INFINITY;
        required | joined == 0 || (0..table.len()).all(is_known)
    }
}

struct Filler<'a, 'b> {
    score: &'a dyn LocalScore,
    family: Family,
    nodes: usize,
    scratch: Scratch,
    pace: Pace<'a, 'b>,
    run: &'a Run<'b>,
    scores: &'a mut [f64],
}

impl Filler<'_, '_> {
    /// Settles every S with `inside` ⊆ S ⊆ `full`; nothing if the run is over before.
    fn fill(&mut self, inside: u64, full: u64) -> Option<()> {
        let Family { node, permitted, required, joined } = self.family;
        let required = required | joined & full;
        let set = |bits: u64| NodeSet::from_words(&[bits], self.nodes);
        let (allowed, needed) = (set(full & permitted), set(required));
        self.pace.spend(self.nodes.pow(2))?;
        let choice = self.score.best(node, &allowed, &needed, &mut self.scratch, self.run)?;
        let witness = choice.witness.words()[0] | required;
        let mut inside = inside;
        let mut open = witness & full & !inside;
        while open != 0 {
            let member = open & open.wrapping_neg();
            open &= open - 1;
            self.fill(inside, full & !member)?;
            inside |= member;
        }
        let base = squeeze(inside, node);
        let free = squeeze(full & !inside, node);
        let mut chosen = 0_u64;
        loop {
            self.scores[(base | chosen) as usize] = choice.score;
            chosen = chosen.wrapping_sub(free) & free;
            if chosen == 0 {
                break;
            }
        }
        self.pace.spend(1 << free.count_ones())
    }
}

/// Exact search, within a bound on memory.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, score::{EvL0, ScoreSettings}, search::Exact};
/// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let score = Arc::new(EvL0::new(gram, &ScoreSettings::default())?);
/// assert_eq!(Exact::default().run(score, &Run::default())?.unwrap().order, [0, 1]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact {
    /// Most bytes that its tables may take: 23 nodes fit in 1 GiB.
    pub memory_bytes: usize,
}

impl Default for Exact {
    fn default() -> Self {
        Self { memory_bytes: 1 << 30 }
    }
}

impl Exact {
    /// Bytes that the tables for `nodes` nodes take.
    ///
    /// ```
    /// assert!(plackett_dag::search::Exact::bytes_needed(23) < 1 << 30);
    /// ```
    pub fn bytes_needed(nodes: usize) -> u128 {
        let per_set = (size_of::<f64>() + size_of::<u8>()) as u128;
        LocalTable::bytes(nodes) + (per_set << nodes.min(100))
    }

    /// An order with the least score, local problems solved to their optimum too; nothing if the run is over before that
    /// is known. O(d·2^d) after the table is filled.
    ///
    /// # Errors
    /// [`Error::Memory`] with the figure if the tables do not fit.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Error, Gram, score::{EvL0, ScoreSettings}, search::Exact};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let score = Arc::new(EvL0::new(gram, &ScoreSettings::default())?);
    /// let refused = Exact { memory_bytes: 10 }.run(score, &Run::default()).unwrap_err();
    /// assert!(matches!(refused, Error::Memory { nodes: 2, .. }));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn run(&self, score: Arc<dyn LocalScore>, run: &Run<'_>) -> Result<Option<OrderSolution>> {
        let free = Bounds::free(score.nodes());
        self.run_within(score, &free, run)
    }

    /// The best order of all that bounds allow.
    ///
    /// # Errors
    /// Those of [`run`](Self::run), and [`Error::Size`] if the bounds are those of another number of nodes.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Bounds, Gram, score::{EvL0, ScoreSettings}, search::Exact};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let score = Arc::new(EvL0::new(gram, &ScoreSettings::default())?);
    /// let bounds = Bounds::new(2, &[(0, 1)], &[], &[])?;
    /// let found = Exact::default().run_within(score, &bounds, &Run::default())?.unwrap();
    /// assert_eq!(found.order, [1, 0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn run_within(
        &self,
        score: Arc<dyn LocalScore>,
        bounds: &Bounds,
        run: &Run<'_>,
    ) -> Result<Option<OrderSolution>> {
        let nodes = score.nodes();
        if bounds.nodes() != nodes {
            return Err(Error::Size { what: "the bounds", expected: nodes, found: bounds.nodes() });
        }
        check_memory(nodes, Self::bytes_needed(nodes), self.memory_bytes)?;
        let score = score.exact().unwrap_or(score);
        let table = LocalTable::within(score.as_ref(), bounds, self.memory_bytes, run)?;
        let order = table.and_then(|table| best_order(&table, run)).map(|order| bounds.arrange(&order));
        Ok(order.and_then(|order| solution(order, score.as_ref(), bounds, run)))
    }
}

/// An order with its parents, each solved again: the tables keep the scores alone.
fn solution(
    order: Vec<usize>,
    score: &dyn LocalScore,
    bounds: &Bounds,
    run: &Run<'_>,
) -> Option<OrderSolution> {
    let nodes = order.len();
    let mut parents = vec![NodeSet::default(); nodes];
    let mut scratch = Scratch::default();
    let mut before = NodeSet::with_capacity(nodes);
    let mut required = NodeSet::with_capacity(nodes);
    let mut total = 0.0;
    for &node in &order {
        let mut allowed = before.clone();
        bounds.restrict(node, &mut allowed);
        bounds.required_of(node, &allowed, &mut required);
        let choice = score.best(node, &allowed, &required, &mut scratch, run)?;
        total += choice.score;
        parents[node] = choice.parents;
        required.iter().for_each(|parent| parents[node].insert(parent));
        before.insert(node);
    }
    Some(OrderSolution { order, score: total, parents })
}

fn best_order(table: &LocalTable, run: &Run<'_>) -> Option<Vec<usize>> {
    let sets = 1_usize << table.nodes;
    let mut pace = Pace::new(run);
    let mut least = vec![0.0; sets];
    let mut last = vec![0_u8; sets];
    for set in 1..sets {
        pace.spend(table.nodes)?;
        let mut best = f64::INFINITY;
        // One of the set, even if none has a finite score.
        let mut best_last = set.trailing_zeros() as u8;
        let mut rest = set as u64;
        while rest != 0 {
            let node = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let before = set & !(1 << node);
            let value = least[before] + table.scores[node][squeeze(set as u64, node) as usize];
            if value < best {
                best = value;
                best_last = node as u8;
            }
        }
        least[set] = best;
        last[set] = best_last;
    }
    let mut order = vec![0; table.nodes];
    let mut set = sets - 1;
    for rank in (0..table.nodes).rev() {
        let node = usize::from(last[set]);
        order[rank] = node;
        set &= !(1 << node);
    }
    Some(order)
}
