//! A set of rows, as bits; none take no memory.

/// A set of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RowSet(Vec<u64>);

impl RowSet {
    pub(super) fn insert(&mut self, row: usize) {
        if self.0.len() <= row / 64 {
            self.0.resize(row / 64 + 1, 0);
        }
        self.0[row / 64] |= 1 << (row % 64);
    }

    pub(super) fn contains(&self, row: usize) -> bool {
        self.0.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
