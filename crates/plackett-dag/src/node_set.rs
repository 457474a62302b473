//! A set of nodes as bits: the parents a node may take, S in the local score r(i, S).
//! Up to 128 nodes live inside the value itself, so copies on hot paths touch no heap; larger sets grow one.

use std::fmt;
use std::hash::{Hash, Hasher};

const WORD: usize = u64::BITS as usize;
/// Two words have the size of a boxed slice, so keeping them inline makes the type no larger.
const INLINE: usize = 2;

#[derive(Clone)]
enum Words {
    Inline([u64; INLINE]),
    Heap(Box<[u64]>),
}

/// A set of nodes, of any size; membership is O(1), set algebra O(d / 64).
///
/// Sets compare by their members alone.
///
/// ```
/// use plackett_dag::NodeSet;
///
/// let mut set = NodeSet::from_iter([3, 1, 200]);
/// set.remove(3);
/// assert_eq!(set.iter().collect::<Vec<_>>(), [1, 200]);
/// assert_eq!(set, [200, 1].into_iter().collect());
/// ```
#[derive(Clone)]
pub struct NodeSet(Words);

impl NodeSet {
    /// The empty set, with room for nodes `0..nodes` before it has to grow.
    ///
    /// ```
    /// assert!(plackett_dag::NodeSet::with_capacity(300).is_empty());
    /// ```
    pub fn with_capacity(nodes: usize) -> Self {
        if nodes <= INLINE * WORD {
            Self(Words::Inline([0; INLINE]))
        } else {
            Self(Words::Heap(vec![0; nodes.div_ceil(WORD)].into()))
        }
    }

    /// The set `0..nodes`.
    ///
    /// ```
    /// use plackett_dag::NodeSet;
    /// assert_eq!(NodeSet::full(3), [0, 1, 2].into_iter().collect());
    /// assert_eq!(NodeSet::full(200).len(), 200);
    /// ```
    pub fn full(nodes: usize) -> Self {
        let mut set = Self::with_capacity(nodes);
        for (index, word) in set.words_mut().iter_mut().enumerate() {
            let below = nodes.saturating_sub(index * WORD);
            *word = if below >= WORD { u64::MAX } else { (1 << below) - 1 };
        }
        set
    }

    /// The members as words of 64 bits, lowest first; words past the end are zero.
    pub(crate) fn words(&self) -> &[u64] {
        match &self.0 {
            Words::Inline(words) => words,
            Words::Heap(words) => words,
        }
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        match &mut self.0 {
            Words::Inline(words) => words,
            Words::Heap(words) => words,
        }
    }

    /// The set whose members are the bits of `words`; `words` is never longer than the capacity for `nodes`.
    pub(crate) fn from_words(words: &[u64], nodes: usize) -> Self {
        let mut set = Self::with_capacity(nodes);
        set.words_mut()[..words.len()].copy_from_slice(words);
        set
    }

    /// Word `index`, zero past the end.
    fn word(&self, index: usize) -> u64 {
        self.words().get(index).copied().unwrap_or(0)
    }

    /// Whether `node` is a member.
    ///
    /// ```
    /// assert!(!plackett_dag::NodeSet::full(3).contains(3));
    /// ```
    #[inline]
    pub fn contains(&self, node: usize) -> bool {
        self.word(node / WORD) >> (node % WORD) & 1 == 1
    }

    /// Adds `node`.
    ///
    /// ```
    /// let mut set = plackett_dag::NodeSet::default();
    /// set.insert(500);
    /// assert!(set.contains(500));
    /// ```
    #[inline]
    pub fn insert(&mut self, node: usize) {
        if node / WORD >= self.words().len() {
            let mut wider = vec![0; node / WORD + 1];
            wider[..self.words().len()].copy_from_slice(self.words());
            self.0 = Words::Heap(wider.into());
        }
        self.words_mut()[node / WORD] |= 1 << (node % WORD);
    }

    /// Removes `node` if it is there.
    ///
    /// ```
    /// let mut set = plackett_dag::NodeSet::full(2);
    /// set.remove(0);
    /// assert_eq!(set, [1].into_iter().collect());
    /// ```
    #[inline]
    pub fn remove(&mut self, node: usize) {
        if let Some(word) = self.words_mut().get_mut(node / WORD) {
            *word &= !(1 << (node % WORD));
        }
    }

    /// Removes every member and keeps the capacity.
    ///
    /// ```
    /// let mut set = plackett_dag::NodeSet::full(2);
    /// set.clear();
    /// assert!(set.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.words_mut().fill(0);
    }

    /// Number of members.
    ///
    /// ```
    /// assert_eq!(plackett_dag::NodeSet::full(70).len(), 70);
    /// ```
    pub fn len(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is no member.
    ///
    /// ```
    /// assert!(plackett_dag::NodeSet::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.words().iter().all(|&word| word == 0)
    }

    /// Whether every member is in `other` too.
    ///
    /// ```
    /// use plackett_dag::NodeSet;
    /// assert!(NodeSet::full(2).is_subset(&NodeSet::full(3)));
    /// assert!(!NodeSet::full(300).is_subset(&NodeSet::full(3)));
    /// ```
    pub fn is_subset(&self, other: &Self) -> bool {
        (self.words().iter().enumerate()).all(|(index, &word)| word & !other.word(index) == 0)
    }

    /// The members, in increasing order.
    ///
    /// ```
    /// assert_eq!(plackett_dag::NodeSet::full(3).iter().sum::<usize>(), 3);
    /// ```
    pub fn iter(&self) -> Iter<'_> {
        Iter { words: self.words(), index: 0, rest: self.word(0) }
    }
}

impl Default for NodeSet {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl PartialEq for NodeSet {
    fn eq(&self, other: &Self) -> bool {
        let longest = self.words().len().max(other.words().len());
        (0..longest).all(|index| self.word(index) == other.word(index))
    }
}

impl Eq for NodeSet {}

impl Hash for NodeSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Trailing zero words must not count: sets with equal members may have different capacities.
        let words = self.words();
        let used = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        words[..used].hash(state);
    }
}

impl fmt::Debug for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl FromIterator<usize> for NodeSet {
    fn from_iter<I: IntoIterator<Item = usize>>(nodes: I) -> Self {
        let mut set = Self::default();
        for node in nodes {
            set.insert(node);
        }
        set
    }
}

impl<'a> IntoIterator for &'a NodeSet {
    type Item = usize;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// Members of a [`NodeSet`] in increasing order.
///
/// ```
/// let set = plackett_dag::NodeSet::full(2);
/// let mut iter: plackett_dag::node_set::Iter<'_> = set.iter();
/// assert_eq!(iter.next(), Some(0));
/// ```
#[derive(Debug, Clone)]
pub struct Iter<'a> {
    words: &'a [u64],
    index: usize,
    rest: u64,
}

impl Iterator for Iter<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.rest == 0 {
            self.index += 1;
            self.rest = *self.words.get(self.index)?;
        }
        let bit = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some(self.index * WORD + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_a_tree_set_at_every_capacity() {
        for nodes in [1_usize, 5, 64, 65, 128, 129, 500] {
            let mut set = NodeSet::with_capacity(nodes);
            let mut model = BTreeSet::new();
            let mut state = 1_usize;
            for _ in 0..2000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let node = (state >> 33) % nodes;
                if state >> 20 & 1 == 0 {
                    set.insert(node);
                    model.insert(node);
                } else {
                    set.remove(node);
                    model.remove(&node);
                }
                assert_eq!(set.contains(node), model.contains(&node));
            }
            assert!(set.iter().eq(model.iter().copied()));
            assert_eq!(set.len(), model.len());
            let rebuilt: NodeSet = model.iter().copied().collect();
            assert_eq!(set, rebuilt);
            assert!(set.is_subset(&NodeSet::full(nodes)));
        }
    }

    #[test]
    fn capacity_does_not_enter_equality_or_hash() {
        let hash = |set: &NodeSet| {
            let mut hasher = std::hash::DefaultHasher::new();
            set.hash(&mut hasher);
            hasher.finish()
        };
        let mut wide = NodeSet::with_capacity(1000);
        wide.insert(7);
        let narrow: NodeSet = [7].into_iter().collect();
        assert_eq!(wide, narrow);
        assert_eq!(hash(&wide), hash(&narrow));
    }
}
