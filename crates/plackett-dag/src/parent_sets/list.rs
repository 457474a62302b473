//! Parent sets with their costs, the cheapest first.

use std::cmp::Ordering;
use std::ops::Range;

use crate::NodeSet;

/// Sets as words of bits beside their costs; cheapest first once sorted.
#[derive(Clone, Debug)]
pub(super) struct List {
    words: usize,
    costs: Vec<f64>,
    /// `words` words for each set.
    sets: Vec<u64>,
}

impl List {
    pub(super) fn new(words: usize) -> Self {
        Self { words, costs: Vec::new(), sets: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.costs.len()
    }

    pub(super) fn costs(&self) -> &[f64] {
        &self.costs
    }

    pub(super) fn set(&self, at: usize) -> &[u64] {
        &self.sets[at * self.words..(at + 1) * self.words]
    }

    /// The members of a set.
    pub(super) fn members(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.set(at).iter().enumerate().flat_map(|(index, &word)| {
            let rest = std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)));
            rest.take_while(|&rest| rest != 0).map(move |rest| 64 * index + rest.trailing_zeros() as usize)
        })
    }

    /// The bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.costs.capacity() * size_of::<f64>() + self.sets.capacity() * size_of::<u64>()
    }

    pub(super) fn push(&mut self, cost: f64, members: impl Iterator<Item = usize>) {
        let start = self.sets.len();
        self.costs.push(cost);
        self.sets.resize(start + self.words, 0);
        for member in members {
            self.sets[start + member / 64] |= 1 << (member % 64);
        }
    }

    /// Adds to each cost what `by_size` has for the size of its set.
    pub(super) fn add_by_size(&mut self, by_size: &[f64]) {
        for (cost, set) in self.costs.iter_mut().zip(self.sets.chunks_exact(self.words)) {
            *cost += by_size[set.iter().map(|word| word.count_ones() as usize).sum::<usize>()];
        }
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.costs.append(&mut other.costs);
        self.sets.append(&mut other.sets);
    }

    /// Sorts by cost; of equal costs fewer parents come first, then those whose first difference is the smaller node.
    pub(super) fn sort(&mut self) {
        self.sort_by(|list, a, b| {
            list.costs[a].total_cmp(&list.costs[b]).then_with(|| by_members(list.set(a), list.set(b)))
        });
    }

    #[cfg(test)]
    pub(super) fn sort_by_members(&mut self) {
        self.sort_by(|list, a, b| by_members(list.set(a), list.set(b)));
    }

    fn sort_by(&mut self, compare: impl Fn(&Self, usize, usize) -> Ordering) {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by(|&a, &b| compare(self, a, b));
        let sets = order.iter().flat_map(|&at| self.set(at)).copied().collect();
        self.costs = order.iter().map(|&at| self.costs[at]).collect();
        self.sets = sets;
    }

    /// The first set of a range that holds no node but those of `allowed`.
    #[inline]
    pub(super) fn first_within(&self, allowed: &[u64], range: Range<usize>) -> Option<usize> {
        let start = range.start;
        if self.words == 1 {
            let outside = !allowed.first().copied().unwrap_or(0);
            let found = self.sets[range].iter().position(|set| set & outside == 0);
            return found.map(|at| start + at);
        }
        let fits = |set: &[u64]| {
            set.iter().enumerate().all(|(at, word)| word & !allowed.get(at).copied().unwrap_or(0) == 0)
        };
        let words = &self.sets[start * self.words..range.end * self.words];
        let found = words.chunks_exact(self.words).position(fits);
        found.map(|at| start + at)
    }

    /// The first set of a range that holds no node but those of `allowed`, and all of `required`.
    pub(super) fn first_between(
        &self,
        allowed: &[u64],
        required: &[u64],
        range: Range<usize>,
    ) -> Option<usize> {
        let mut start = range.start;
        while let Some(at) = self.first_within(allowed, start..range.end) {
            let set = self.set(at);
            if required.iter().enumerate().all(|(word, needed)| needed & !set.get(word).unwrap_or(&0) == 0) {
                return Some(at);
            }
            start = at + 1;
        }
        None
    }

    pub(super) fn node_set(&self, at: usize, nodes: usize) -> NodeSet {
        NodeSet::from_words(self.set(at), nodes)
    }
}

fn by_members(a: &[u64], b: &[u64]) -> Ordering {
    let size = |set: &[u64]| set.iter().map(|word| word.count_ones()).sum::<u32>();
    size(a).cmp(&size(b)).then_with(|| match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) if a >> (a ^ b).trailing_zeros() & 1 == 1 => Ordering::Less,
        Some(_) => Ordering::Greater,
        None => Ordering::Equal,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_fewer_then_smaller_nodes() {
        for far in [5, 100] {
            let mut list = List::new(2);
            let sets: [&[usize]; 5] = [&[3, 4], &[0, far], &[far], &[0, 3], &[]];
            for set in sets {
                list.push(if set.is_empty() { 2.0 } else { 1.0 }, set.iter().copied());
            }
            list.sort();
            let sorted: Vec<Vec<usize>> = (0..5).map(|at| list.node_set(at, 128).iter().collect()).collect();
            assert_eq!(sorted, [vec![far], vec![0, 3], vec![0, far], vec![3, 4], vec![]]);
            assert_eq!(list.first_within(&[0b11000], 0..5), Some(3));
            assert_eq!(list.first_within(&[0b11000], 4..5), Some(4));
            assert_eq!(list.first_within(&[], 0..5), Some(4));
        }
    }
}
