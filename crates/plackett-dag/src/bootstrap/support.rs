//! How often two columns were joined in the replicates of a bootstrap, and which way.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{Cpdag, Error, Result};

/// The version of the saved form; another one is refused.
const VERSION: u32 = 1;

/// The shares of replicates in which two columns are joined.
///
/// ```
/// use plackett_dag::{Cpdag, Support};
/// let mut support = Support::new(2);
/// support.add(0, &Cpdag::from_edges(2, [(0, 1)], [])?);
/// support.add(1, &Cpdag::from_edges(2, [], [])?);
/// let edge = support.of(1, 0);
/// assert_eq!((edge.adjacent, edge.forward, edge.backward, edge.undirected), (0.5, 0.0, 0.5, 0.0));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EdgeSupport {
    /// In any way.
    pub adjacent: f64,
    /// From the first to the second.
    pub forward: f64,
    /// From the second to the first.
    pub backward: f64,
    /// Without a direction.
    pub undirected: f64,
}

/// How often each two columns were joined, and in which replicates.
///
/// ```
/// use plackett_dag::{Cpdag, Support};
/// let mut support = Support::new(3);
/// for number in 0..10 {
///     let graph = if number < 7 { Cpdag::from_edges(3, [(0, 1)], [(1, 2)])? } else { Cpdag::from_edges(3, [(1, 0)], [])? };
///     support.add(number, &graph);
/// }
/// assert_eq!((support.replicates(), support.of(0, 1).forward), (10, 0.7));
/// assert_eq!(support.consensus(0.5), Cpdag::from_edges(3, [(0, 1)], [(1, 2)])?);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    nodes: usize,
    done: BTreeSet<u64>,
    /// Pairs (a, b) with a < b that were ever joined.
    pairs: BTreeMap<(usize, usize), Tally>,
}

/// Replicates in which a pair (a, b) is a → b, b → a, and a — b.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Tally(u32, u32, u32);

impl Tally {
    fn adjacent(self) -> u32 {
        self.0 + self.1 + self.2
    }

    fn turned(self) -> Self {
        Self(self.1, self.0, self.2)
    }
}

/// No data have more columns than this; a text that says so is not believed, as lists of that length would be made.
const MOST_NODES: usize = 1 << 20;

/// A support as it is saved.
#[derive(Serialize, Deserialize)]
struct Saved {
    plackett_support: u32,
    subject: String,
    nodes: usize,
    done: Vec<u64>,
    pairs: Vec<(usize, usize, Tally)>,
}

impl Support {
    /// The support of so many nodes by no replicate.
    pub fn new(nodes: usize) -> Self {
        Self { nodes, done: BTreeSet::new(), pairs: BTreeMap::new() }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The number of replicates.
    pub fn replicates(&self) -> usize {
        self.done.len()
    }

    /// Whether the replicate of this number is one of them.
    pub fn has(&self, number: u64) -> bool {
        self.done.contains(&number)
    }

    /// Takes in the graph of a replicate; one that it has already is not counted again.
    pub fn add(&mut self, number: u64, graph: &Cpdag) {
        if !self.done.insert(number) {
            return;
        }
        for &(from, to) in graph.directed() {
            let tally = self.pairs.entry((from.min(to), from.max(to))).or_default();
            *(if from < to { &mut tally.0 } else { &mut tally.1 }) += 1;
        }
        for &pair in graph.undirected() {
            self.pairs.entry(pair).or_default().2 += 1;
        }
    }

    /// Takes in the replicates of another.
    ///
    /// # Errors
    /// [`Error::Size`] if the number of nodes differs; [`Error::Misfit`] if both have a replicate of the same number.
    ///
    /// ```
    /// use plackett_dag::{Cpdag, Support};
    /// let (mut one, mut two) = (Support::new(2), Support::new(2));
    /// one.add(0, &Cpdag::from_edges(2, [(0, 1)], [])?);
    /// two.add(1, &Cpdag::from_edges(2, [], [])?);
    /// one.merge(&two)?;
    /// assert_eq!(one.of(0, 1).forward, 0.5);
    /// assert!(one.merge(&two).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if other.nodes != self.nodes {
            return Err(Error::Size { what: "the support", expected: self.nodes, found: other.nodes });
        }
        if let Some(number) = other.done.iter().find(|number| self.has(**number)) {
            let reason = format!("has replicate {number} twice");
            return Err(Error::Misfit { setting: "bootstrap", reason });
        }
        self.done.extend(&other.done);
        for (&pair, tally) in &other.pairs {
            let sum = self.pairs.entry(pair).or_default();
            *sum = Tally(sum.0 + tally.0, sum.1 + tally.1, sum.2 + tally.2);
        }
        Ok(())
    }

    /// How `from` and `to` are joined; nothing of nodes that never were, and without replicates.
    pub fn of(&self, from: usize, to: usize) -> EdgeSupport {
        let tally = self.pairs.get(&(from.min(to), from.max(to))).copied().unwrap_or_default();
        self.shares(if from <= to { tally } else { tally.turned() })
    }

    fn shares(&self, tally: Tally) -> EdgeSupport {
        let share = |count: u32| f64::from(count) / self.done.len().max(1) as f64;
        EdgeSupport {
            adjacent: share(tally.adjacent()),
            forward: share(tally.0),
            backward: share(tally.1),
            undirected: share(tally.2),
        }
    }

    /// The pairs (a, b), a < b, that were joined in some replicate, ascending.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize, EdgeSupport)> {
        self.pairs.iter().map(|(&(a, b), &tally)| (a, b, self.shares(tally)))
    }

    /// What most replicates agree on. Two nodes are joined if they are so in more than this share of the replicates, and the edge has a
    /// direction if more than half of those that join them have it. Directions that would close a cycle are left out, the least
    /// frequent first: so the directed edges have no cycle, and the others can be directed without one.
    ///
    /// ```
    /// use plackett_dag::{Cpdag, Support};
    /// let mut support = Support::new(3);
    /// // Each of these arrows has a majority, and all together are a cycle.
    /// for (number, arrows) in [[(0, 1), (1, 2), (0, 2)], [(1, 2), (2, 0), (1, 0)], [(2, 0), (0, 1), (2, 1)]].into_iter().enumerate() {
    ///     support.add(number as u64, &Cpdag::from_edges(3, arrows, [])?);
    /// }
    /// assert_eq!(support.consensus(0.5), Cpdag::from_edges(3, [(0, 1), (2, 0)], [(1, 2)])?);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn consensus(&self, threshold: f64) -> Cpdag {
        let least = threshold * self.done.len() as f64;
        let mut undirected = Vec::new();
        let mut arrows = Vec::new();
        for (&(a, b), &tally) in &self.pairs {
            let adjacent = tally.adjacent();
            let majority = |count: u32| 2 * count > adjacent;
            match () {
                () if f64::from(adjacent) <= least => {}
                () if majority(tally.0) => arrows.push((tally.0, a, b)),
                () if majority(tally.1) => arrows.push((tally.1, b, a)),
                () => undirected.push((a, b)),
            }
        }
        // The sort keeps equally frequent ones in the order of their nodes.
        arrows.sort_by_key(|&(count, _, _)| std::cmp::Reverse(count));
        let mut children = vec![Vec::new(); self.nodes];
        let mut directed = Vec::new();
        for (_, from, to) in arrows {
            if reaches(&children, to, from) {
                undirected.push((from.min(to), from.max(to)));
            } else {
                children[from].push(to);
                directed.push((from, to));
            }
        }
        directed.sort_unstable();
        undirected.sort_unstable();
        Cpdag::from_sorted(self.nodes, directed, undirected)
    }

    /// The support as text, with what it is the support of: data and settings in any words.
    ///
    /// ```
    /// use plackett_dag::Support;
    /// let text = Support::new(2).to_json("these data, bic, seed 0");
    /// assert!(Support::from_json(&text, "these data, bic, seed 0").is_ok());
    /// let other = Support::from_json(&text, "these data, bic, seed 1").unwrap_err();
    /// assert_eq!(other.to_string(), "state is of other data, settings or another seed");
    /// ```
    pub fn to_json(&self, subject: &str) -> String {
        let saved = Saved {
            plackett_support: VERSION,
            subject: subject.to_owned(),
            nodes: self.nodes,
            done: self.done.iter().copied().collect(),
            pairs: self.pairs.iter().map(|(&(a, b), &tally)| (a, b, tally)).collect(),
        };
        serde_json::json!(saved).to_string()
    }

    /// The support of such a text.
    ///
    /// # Errors
    /// [`Error::Misfit`] if it is none, or of something else.
    pub fn from_json(text: &str, subject: &str) -> Result<Self> {
        let misfit = |reason: String| Error::Misfit { setting: "state", reason };
        let saved: Saved =
            serde_json::from_str(text).map_err(|error| misfit(format!("cannot be used: {error}")))?;
        if saved.plackett_support != VERSION {
            let found = saved.plackett_support;
            return Err(misfit(format!("has version {found} of its form, and {VERSION} is known here")));
        }
        if saved.subject != subject {
            return Err(misfit("is of other data, settings or another seed".to_owned()));
        }
        let support = Self {
            nodes: saved.nodes,
            done: saved.done.into_iter().collect(),
            pairs: saved.pairs.into_iter().map(|(a, b, tally)| ((a, b), tally)).collect(),
        };
        let most = support.done.len() as u64;
        let fits = |(&(a, b), tally): (&(usize, usize), &Tally)| {
            a < b
                && b < support.nodes
                && [tally.0, tally.1, tally.2].iter().map(|&n| u64::from(n)).sum::<u64>() <= most
        };
        if support.nodes > MOST_NODES || !support.pairs.iter().all(fits) {
            return Err(misfit("has counts that cannot be".to_owned()));
        }
        Ok(support)
    }
}

/// Whether arrows lead from one node to another.
fn reaches(children: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; children.len()];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if node == to {
            return true;
        }
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(&children[node]);
        }
    }
    false
}
