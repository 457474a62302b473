//! All subsets of at most so many out of a number of elements, each with a number of its own: sets of one size follow one
//! another in the order of their largest elements (the combinatorial number system), smaller sizes first.

/// The number of subsets of `elements` things with at most `limit` members, or the largest integer if that is less.
pub(crate) fn count_subsets(elements: usize, limit: usize) -> usize {
    let mut total = 0_usize;
    let mut term = 1_u128;
    for size in 0..=limit.min(elements) {
        total = total.saturating_add(usize::try_from(term).unwrap_or(usize::MAX));
        if total == usize::MAX {
            break;
        }
        term = term * (elements - size) as u128 / (size + 1) as u128;
    }
    total
}

/// The numbering. Sets are lists of their elements in decreasing order.
#[derive(Clone, Debug)]
pub(super) struct Subsets {
    limit: usize,
    /// Row by size k, `binomials[k][s]` = binom(s, k).
    binomials: Vec<Vec<usize>>,
    /// The number of the first set of each size.
    first: Vec<usize>,
}

impl Subsets {
    /// The subsets of `0..elements` with at most `limit` members, of which there must not be too many for memory.
    pub(super) fn new(elements: usize, limit: usize) -> Self {
        let limit = limit.min(elements);
        let mut binomials = vec![vec![1_usize; elements + 1]];
        for size in 1..=limit {
            let mut row = vec![0; elements + 1];
            for s in 1..=elements {
                row[s] = row[s - 1] + binomials[size - 1][s - 1];
            }
            binomials.push(row);
        }
        let mut first = vec![0];
        for row in &binomials {
            first.push(first[first.len() - 1] + row[elements]);
        }
        Self { limit, binomials, first }
    }

    /// The number of sets.
    pub(super) fn len(&self) -> usize {
        self.first[self.limit + 1]
    }

    /// The most members a set has.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The number of a set, given its elements in decreasing order.
    #[inline]
    pub(super) fn index(&self, decreasing: impl ExactSizeIterator<Item = usize>) -> usize {
        let size = decreasing.len();
        let mut index = self.first[size];
        for (rank, element) in decreasing.enumerate() {
            index += self.binomials[size - rank][element];
        }
        index
    }

    /// Calls `visit` with the number of each set that has one member less.
    #[inline]
    pub(super) fn for_each_smaller(&self, decreasing: &[usize], mut visit: impl FnMut(usize)) {
        let size = decreasing.len();
        if size == 0 {
            return;
        }
        // Elements before the one left out count one place less than in the whole set, those after it as in the whole.
        let mut index = self.first[size - 1];
        for (rank, &element) in decreasing.iter().enumerate().skip(1) {
            index += self.binomials[size - rank][element];
        }
        visit(index);
        for rank in 1..size {
            index += self.binomials[size - rank][decreasing[rank - 1]];
            index -= self.binomials[size - rank][decreasing[rank]];
            visit(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_its_own_number() {
        for (elements, limit) in [(0, 3), (1, 1), (7, 0), (7, 3), (7, 7), (10, 4)] {
            let subsets = Subsets::new(elements, limit);
            assert_eq!(subsets.len(), count_subsets(elements, limit));
            let mut seen = vec![false; subsets.len()];
            for mask in 0_usize..1 << elements {
                let set: Vec<usize> = (0..elements).rev().filter(|&e| mask >> e & 1 == 1).collect();
                if set.len() > limit {
                    continue;
                }
                let index = subsets.index(set.iter().copied());
                assert!(!std::mem::replace(&mut seen[index], true));
                let mut smaller = Vec::new();
                subsets.for_each_smaller(&set, |index| smaller.push(index));
                let wanted: Vec<usize> = (0..set.len())
                    .map(|out| {
                        let rest: Vec<usize> = set.iter().copied().filter(|&e| e != set[out]).collect();
                        subsets.index(rest.into_iter())
                    })
                    .collect();
                assert_eq!(smaller, wanted, "{set:?}");
            }
            assert!(seen.into_iter().all(|seen| seen));
        }
        assert_eq!(count_subsets(500, 500), usize::MAX);
        assert_eq!(count_subsets(36, 3), 1 + 36 + 630 + 7140);
    }
}
