//! The cache in front of a local score: `best(node, allowed)` for any number of queries, most answered without solving.
//! By the law of [`LocalScore`], if the answer for U rests on T ⊆ S ⊆ U it is also the answer for S. So a query for S starts
//! at U = "all others allowed" and forbids T∖S, all at once, until nothing is left to forbid. Where that chain mostly meets
//! sets not solved yet, as it does in dense graphs, S itself is looked up first and solved.
//!
//! Measured at 50 nodes (5 insertion searches, `ev-l0`): forbidding one node at a time solves 345,000 problems on dense and
//! 11,200 on sparse graphs, all at once 76,600 and 4,900, S itself 41,400 and 24,200. Hence the choice by what each node's
//! queries have met so far.

use std::sync::Arc;

use plackett::run::Run;

use crate::{
    Bounds, Error, LocalScore, NodeSet, Result,
    score::{Choice, Scratch},
};

/// An entry may lie this many slots past its home. Longer searches would cost more than solving again.
const WINDOW: usize = 16;
/// Slots of a table when its first entry comes.
const FIRST_SLOTS: usize = 16;
/// Once more than one query in this many has led to solving, beyond the first few, a node's sets are looked up directly.
const SOLVED_SHARE: u64 = 4;
const FIRST_QUERIES: u64 = 128;
/// The bits of a score that mark an empty slot: a not-a-number that arithmetic does not produce.
const EMPTY: u64 = u64::MAX;
/// Odd, with well-mixed bits (the golden ratio): multiplication by it spreads sets over the top bits.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Counts of what an [`Oracle`] did.
///
/// ```
/// assert_eq!(plackett_dag::oracle::OracleStats::default().solved, 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OracleStats {
    /// Local scores asked for.
    pub queries: u64,
    /// Local problems solved because the cache had no answer.
    pub solved: u64,
    /// Entries held.
    pub entries: usize,
    /// Bytes held by the cache.
    pub bytes: usize,
}

/// A local score behind a cache of bounded memory, for any number of nodes, within the [`Bounds`] of what is known.
///
/// At the bound old entries give way to new ones: answers are never wrong, only slower. Answers do not depend on what was
/// asked before, so threads may each have their own ([`Clone`] copies the entries too) and agree to the last bit.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, NodeSet, Oracle, score::{Bic, ScoreSettings}};
/// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let mut oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
/// let run = Run::default();
/// assert_eq!(oracle.best(1, &NodeSet::full(1), &run)?.unwrap().parents, NodeSet::full(1));
/// let scores = [oracle.order_score(&[0, 1], &run)?.unwrap(), oracle.order_score(&[1, 0], &run)?.unwrap()];
/// assert!((scores[0] - scores[1]).abs() < 1e-9);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub struct Oracle {
    score: Arc<dyn LocalScore>,
    bounds: Bounds,
    scratch: Scratch,
    nodes: usize,
    words: usize,
    tables: Vec<Table>,
    bound: usize,
    /// Local scores asked for without it.
    elsewhere: u64,
    bytes: usize,
    /// The set being looked up, U above.
    current: NodeSet,
    /// What is asked for, without the nodes that may not be parents.
    permitted: NodeSet,
    required: NodeSet,
    prefix: NodeSet,
}

/// Open addressing over records of a score and three sets: what was asked, the witness, the parents.
#[derive(Debug, Clone, Default)]
struct Table {
    slots: Vec<u64>,
    count: usize,
    entries: usize,
    /// Which slot of a full window gives way next.
    victim: usize,
    queries: u64,
    solved: u64,
    /// Whether sets are looked up directly. Once so, always so: answers kept for sets themselves are not on any chain.
    direct: bool,
}

/// Where an answer is.
enum Found {
    Slot(usize),
    Uncached(Choice),
}

impl Oracle {
    /// Default bound on the memory of the cache.
    pub const DEFAULT_BYTES: usize = 512 << 20;

    /// A cache for `score` with the default bound on memory.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, Oracle, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 1, vec![1.0])?);
    /// assert_eq!(Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?)).nodes(), 1);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(score: Arc<dyn LocalScore>) -> Self {
        Self::with_memory(score, Self::DEFAULT_BYTES)
    }

    /// A cache for `score` that never holds more than `bytes` bytes of entries; with too few for any, it only solves.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, NodeSet, Oracle, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let score = Arc::new(Bic::new(gram, &ScoreSettings::default())?);
    /// let mut tight = Oracle::with_memory(score.clone(), 0);
    /// let run = Run::default();
    /// assert_eq!(tight.order_score(&[0, 1], &run)?, Oracle::new(score).order_score(&[0, 1], &run)?);
    /// assert_eq!(tight.stats().bytes, 0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn with_memory(score: Arc<dyn LocalScore>, bytes: usize) -> Self {
        let nodes = score.nodes();
        Self {
            bounds: Bounds::free(nodes),
            scratch: Scratch::default(),
            nodes,
            words: nodes.div_ceil(64).max(1),
            tables: vec![Table::default(); nodes],
            bound: bytes,
            elsewhere: 0,
            bytes: 0,
            current: NodeSet::with_capacity(nodes),
            permitted: NodeSet::with_capacity(nodes),
            required: NodeSet::with_capacity(nodes),
            prefix: NodeSet::with_capacity(nodes),
            score,
        }
    }

    /// The same within bounds: local scores see permitted parents only, and always those required. Searches go through the orders
    /// that the bounds allow; in another, a node that lacks a required parent costs an infinite amount.
    ///
    /// # Errors
    /// [`Error::Size`] if the bounds are those of another number of nodes.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Bounds, Gram, NodeSet, Oracle, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 0.0, 0.0, 5.0])?);
    /// let score = Arc::new(Bic::new(gram, &ScoreSettings::default())?);
    /// let mut oracle = Oracle::new(score).within(Bounds::new(2, &[], &[(0, 1)], &[])?)?;
    /// let run = Run::default();
    /// assert_eq!(oracle.best(1, &NodeSet::full(1), &run)?.unwrap().parents, NodeSet::full(1));
    /// assert_eq!(oracle.order_score(&[1, 0], &run)?, Some(f64::INFINITY));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn within(self, bounds: Bounds) -> Result<Self> {
        if bounds.nodes() != self.nodes {
            let found = bounds.nodes();
            return Err(Error::Size { what: "the bounds", expected: self.nodes, found });
        }
        Ok(Self { bounds, ..Self::with_memory(self.score, self.bound) })
    }

    /// What is known of the graph.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, Oracle, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 1, vec![1.0])?);
    /// assert!(Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?)).bounds().is_free());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Number of nodes.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, Oracle, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 1, vec![1.0])?);
    /// let oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
    /// assert_eq!(oracle.nodes(), 1);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The score behind the cache.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, Oracle, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 1, vec![1.0])?);
    /// let oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
    /// assert_eq!(oracle.score().nodes(), 1);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn score(&self) -> &Arc<dyn LocalScore> {
        &self.score
    }

    /// What was asked and solved so far, and the memory held.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett_dag::{Gram, Oracle, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 1, vec![1.0])?);
    /// let oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
    /// assert_eq!(oracle.stats().queries, 0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn stats(&self) -> OracleStats {
        OracleStats {
            queries: self.elsewhere + self.tables.iter().map(|table| table.queries).sum::<u64>(),
            solved: self.tables.iter().map(|table| table.solved).sum(),
            entries: self.tables.iter().map(|table| table.entries).sum(),
            bytes: self.bytes,
        }
    }

    /// The best parents of `node` among `allowed`; `node` itself and nodes that do not exist are never parents. Nothing if
    /// the run was over before the answer was known; what is known already is answered all the same.
    ///
    /// # Errors
    /// [`Error::Size`] if there is no such node.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, NodeSet, Oracle, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let mut oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
    /// assert!(oracle.best(0, &NodeSet::default(), &Run::default())?.unwrap().parents.is_empty());
    /// assert!(oracle.best(2, &NodeSet::default(), &Run::default()).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn best(&mut self, node: usize, allowed: &NodeSet, run: &Run<'_>) -> Result<Option<Choice>> {
        if node >= self.nodes {
            return Err(Error::Size { what: "the node", expected: self.nodes, found: node });
        }
        let mut known = NodeSet::with_capacity(self.nodes);
        for other in allowed.iter().filter(|&other| other < self.nodes && other != node) {
            known.insert(other);
        }
        Ok(self.choice(node, &known, run))
    }

    /// Score of an order (`order[rank] = node`): `Σ r(b_i, {b_1 … b_{i−1}})`; nothing if the run was over before it was
    /// known. Allocates nothing once warm.
    ///
    /// # Errors
    /// [`Error::NotAnOrder`] unless each node is listed once.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, Oracle, score::{EvL0, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let mut oracle = Oracle::new(Arc::new(EvL0::new(gram, &ScoreSettings::default())?));
    /// let run = Run::default();
    /// assert!(oracle.order_score(&[0, 1], &run)? < oracle.order_score(&[1, 0], &run)?);
    /// assert!(oracle.order_score(&[1, 1], &run).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn order_score(&mut self, order: &[usize], run: &Run<'_>) -> Result<Option<f64>> {
        self.check_order(order)?;
        let mut total = 0.0;
        let is_known = self.each_prefix(order, |oracle, _, node, prefix| {
            total += oracle.local(node, prefix, run)?;
            Some(())
        });
        Ok(is_known.map(|()| total))
    }

    /// The sum of the local scores with every other node allowed, and none required that need not be a parent: no order scores
    /// below it.
    pub(crate) fn lowest_score(&mut self, run: &Run<'_>) -> Option<f64> {
        let nodes = self.nodes;
        let mut lowest = |node: usize| {
            let others = self.bounds.permitted(node);
            let (required, joined) = self.bounds.fixed(node);
            if joined.is_empty() {
                return self.local(node, &others, run);
            }
            Some(self.score.best(node, &others, &required, &mut self.scratch, run)?.score)
        };
        let mut total = 0.0;
        for node in 0..nodes {
            total += lowest(node)?;
        }
        Some(total)
    }

    /// The terms of [`order_score`](Self::order_score), rank by rank, into `costs`.
    pub(crate) fn order_costs(
        &mut self,
        order: &[usize],
        costs: &mut [f64],
        run: &Run<'_>,
    ) -> Result<Option<()>> {
        self.check_order(order)?;
        Ok(self.each_prefix(order, |oracle, rank, node, prefix| {
            costs[rank] = oracle.local(node, prefix, run)?;
            Some(())
        }))
    }

    /// Visits the rank and the node at every rank of an order with the nodes before it, until nothing comes back.
    fn each_prefix(
        &mut self,
        order: &[usize],
        mut visit: impl FnMut(&mut Self, usize, usize, &NodeSet) -> Option<()>,
    ) -> Option<()> {
        let mut prefix = std::mem::take(&mut self.prefix);
        prefix.clear();
        let visited = order.iter().enumerate().try_for_each(|(rank, &node)| {
            visit(self, rank, node, &prefix)?;
            prefix.insert(node);
            Some(())
        });
        self.prefix = prefix;
        visited
    }

    /// The parents of each node in the best graph that follows `order`; nothing if the run was over before they were
    /// known.
    ///
    /// # Errors
    /// [`Error::NotAnOrder`] unless each node is listed once.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, NodeSet, Oracle, score::{Bic, ScoreSettings}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let mut oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
    /// let parents = oracle.order_parents(&[0, 1], &Run::default())?;
    /// assert_eq!(parents, Some(vec![NodeSet::default(), NodeSet::full(1)]));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn order_parents(&mut self, order: &[usize], run: &Run<'_>) -> Result<Option<Vec<NodeSet>>> {
        self.check_order(order)?;
        let mut parents = vec![NodeSet::with_capacity(self.nodes); self.nodes];
        let is_known = self.each_prefix(order, |oracle, _, node, prefix| {
            parents[node] = oracle.choice(node, prefix, run)?.parents;
            Some(())
        });
        Ok(is_known.map(|()| parents))
    }

    /// Counts local scores that were worked out without it.
    pub(crate) fn count(&mut self, elsewhere: u64) {
        self.elsewhere += elsewhere;
    }

    pub(crate) fn check_order(&mut self, order: &[usize]) -> Result<()> {
        let fault = |position| Error::NotAnOrder { nodes: self.nodes, position };
        self.current.clear();
        for (position, &node) in order.iter().enumerate() {
            if node >= self.nodes || self.current.contains(node) {
                return Err(fault(position));
            }
            self.current.insert(node);
        }
        if order.len() < self.nodes { Err(fault(order.len())) } else { Ok(()) }
    }

    /// r(node, allowed) for input known to be valid.
    #[inline]
    pub(crate) fn local(&mut self, node: usize, allowed: &NodeSet, run: &Run<'_>) -> Option<f64> {
        Some(match self.find(node, allowed, run)? {
            Found::Slot(at) => f64::from_bits(self.tables[node].slots[at]),
            Found::Uncached(choice) => choice.score,
        })
    }

    fn choice(&mut self, node: usize, allowed: &NodeSet, run: &Run<'_>) -> Option<Choice> {
        Some(match self.find(node, allowed, run)? {
            Found::Slot(at) => {
                let record = &self.tables[node].slots[at..at + 1 + 3 * self.words];
                Choice {
                    score: f64::from_bits(record[0]),
                    witness: NodeSet::from_words(&record[1 + self.words..][..self.words], self.nodes),
                    parents: NodeSet::from_words(&record[1 + 2 * self.words..], self.nodes),
                }
            }
            Found::Uncached(choice) => choice,
        })
    }

    fn find(&mut self, node: usize, allowed: &NodeSet, run: &Run<'_>) -> Option<Found> {
        if self.bounds.is_free() {
            return self.look_up(node, allowed, run);
        }
        let mut permitted = std::mem::take(&mut self.permitted);
        permitted.clone_from(allowed);
        self.bounds.restrict(node, &mut permitted);
        let found = if self.bounds.required_of(node, &permitted, &mut self.required) {
            self.look_up(node, &permitted, run)
        } else {
            let parents = self.required.clone();
            Some(Found::Uncached(Choice { score: f64::INFINITY, witness: permitted.clone(), parents }))
        };
        self.permitted = permitted;
        found
    }

    /// The answer for permitted parents, among which are those required.
    fn look_up(&mut self, node: usize, allowed: &NodeSet, run: &Run<'_>) -> Option<Found> {
        let words = self.words;
        let table = &mut self.tables[node];
        table.queries += 1;
        table.direct |= SOLVED_SHARE * table.solved > table.queries + FIRST_QUERIES;
        let direct = table.direct;
        if direct && let Some(at) = table.get(&allowed.words()[..words]) {
            return Some(Found::Slot(at));
        }
        for (index, word) in self.current.words_mut().iter_mut().enumerate().take(words) {
            let below = self.nodes - 64 * index;
            *word = if below >= 64 { u64::MAX } else { (1 << below) - 1 };
        }
        self.current.remove(node);
        self.bounds.restrict(node, &mut self.current);
        loop {
            let key = &self.current.words()[..words];
            let at = if let Some(at) = self.tables[node].get(key) {
                at
            } else {
                if direct {
                    self.current.words_mut()[..words].copy_from_slice(&allowed.words()[..words]);
                }
                match self.solve(node, allowed, run)? {
                    Found::Slot(at) => at,
                    uncached @ Found::Uncached(_) => return Some(uncached),
                }
            };
            let witness = &self.tables[node].slots[at + 1 + words..at + 1 + 2 * words];
            let mut enough = true;
            for ((open, needed), allowed) in
                self.current.words_mut().iter_mut().zip(witness).zip(allowed.words())
            {
                // Within the open set, so that a witness that breaks the law cannot keep this going for ever.
                let outside = needed & !allowed & *open;
                enough &= outside == 0;
                *open &= !outside;
            }
            if enough {
                return Some(Found::Slot(at));
            }
        }
    }

    /// Solves for the current set and keeps the answer, or for `allowed` at once if nothing can be kept. An answer cut
    /// short by the end of the run is none, and is not kept.
    #[cold]
    fn solve(&mut self, node: usize, allowed: &NodeSet, run: &Run<'_>) -> Option<Found> {
        if run.is_over() {
            return None;
        }
        let words = self.words;
        let room = (self.bound - self.bytes) / ((1 + 3 * words) * size_of::<u64>());
        let table = &mut self.tables[node];
        table.solved += 1;
        let grown = table.reserve(&self.current.words()[..words], room);
        self.bytes = self.bytes + grown.1 - grown.0;
        let is_kept = table.count > 0;
        let asked = if is_kept { &self.current } else { allowed };
        self.bounds.required_of(node, asked, &mut self.required);
        let mut choice = self.score.best(node, asked, &self.required, &mut self.scratch, run)?;
        // Whatever a score makes of them, they are parents.
        for parent in &self.required {
            choice.parents.insert(parent);
            choice.witness.insert(parent);
        }
        Some(if is_kept {
            Found::Slot(self.tables[node].insert(words, self.current.words(), &choice))
        } else {
            Found::Uncached(choice)
        })
    }
}

impl Clone for Oracle {
    fn clone(&self) -> Self {
        Self {
            score: Arc::clone(&self.score),
            bounds: self.bounds.clone(),
            scratch: Scratch::default(),
            nodes: self.nodes,
            words: self.words,
            tables: self.tables.clone(),
            bound: self.bound,
            elsewhere: self.elsewhere,
            bytes: self.bytes,
            current: self.current.clone(),
            permitted: self.permitted.clone(),
            required: self.required.clone(),
            prefix: self.prefix.clone(),
        }
    }
}

impl std::fmt::Debug for Oracle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Oracle")
            .field("nodes", &self.nodes)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

impl Table {
    #[inline]
    fn home(&self, key: &[u64]) -> usize {
        let mut hash = 0_u64;
        for &word in key {
            let mixed = hash.rotate_left(29) ^ word;
            hash = (mixed ^ (mixed >> 32)).wrapping_mul(SPREAD);
        }
        // The count is a power of two: the top bits of the product choose the slot.
        (hash >> (u64::BITS - self.count.trailing_zeros())) as usize
    }

    /// Offset of the record of `key`.
    #[inline]
    fn get(&self, key: &[u64]) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        let stride = 1 + 3 * key.len();
        let home = self.home(key);
        for step in 0..WINDOW {
            let at = ((home + step) & (self.count - 1)) * stride;
            let record = &self.slots[at..at + stride];
            if record[0] == EMPTY {
                return None;
            }
            if record[1..=key.len()] == *key {
                return Some(at);
            }
        }
        None
    }

    /// Makes the table larger if it is half full, or full where `key` belongs, and `room` more slots may be held while
    /// the old ones still are. Returns the bytes held before and after.
    fn reserve(&mut self, key: &[u64], room: usize) -> (usize, usize) {
        let before = self.slots.len() * size_of::<u64>();
        let wanted = if self.count == 0 { FIRST_SLOTS } else { 2 * self.count };
        let crowded =
            2 * self.entries >= self.count || (8 * self.entries >= self.count && self.vacancy(key).is_none());
        if wanted <= room && crowded {
            let stride = 1 + 3 * key.len();
            let old = std::mem::replace(&mut self.slots, vec![EMPTY; wanted * stride]);
            self.count = wanted;
            self.entries = 0;
            for record in old.chunks_exact(stride).filter(|record| record[0] != EMPTY) {
                let at = self.place(&record[1..=key.len()]);
                self.slots[at..at + stride].copy_from_slice(record);
            }
        }
        (before, self.slots.len() * size_of::<u64>())
    }

    /// Offset of the first empty slot where `key` may go.
    fn vacancy(&self, key: &[u64]) -> Option<usize> {
        let stride = 1 + 3 * key.len();
        let home = self.home(key);
        (0..WINDOW)
            .map(|step| ((home + step) & (self.count - 1)) * stride)
            .find(|&at| self.slots[at] == EMPTY)
    }

    /// Offset of the slot where a new `key` goes: an empty one if there is one, or else the next victim's.
    fn place(&mut self, key: &[u64]) -> usize {
        if let Some(at) = self.vacancy(key) {
            self.entries += 1;
            return at;
        }
        self.victim = (self.victim + 1) % WINDOW;
        ((self.home(key) + self.victim) & (self.count - 1)) * (1 + 3 * key.len())
    }

    fn insert(&mut self, words: usize, key: &[u64], choice: &Choice) -> usize {
        let at = self.place(&key[..words]);
        let record = &mut self.slots[at..at + 1 + 3 * words];
        record[0] = choice.score.to_bits();
        record[1..=words].copy_from_slice(&key[..words]);
        copy_set(&mut record[1 + words..][..words], &choice.witness);
        copy_set(&mut record[1 + 2 * words..], &choice.parents);
        at
    }
}

/// Writes the words of a set, which may have fewer than there is room for.
fn copy_set(target: &mut [u64], set: &NodeSet) {
    let known = set.words().len().min(target.len());
    target[..known].copy_from_slice(&set.words()[..known]);
    target[known..].fill(0);
}
