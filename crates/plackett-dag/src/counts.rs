//! Counting: rows are put into groups by the values of some columns, and each group's rows are counted by another column.

/// While a partition has at most this many groups, empty ones are kept and the rows need no second look.
const DENSE_GROUPS: usize = 1 << 12;

/// Rows in groups: two rows share one if they agree in every column that the partition was refined by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partition {
    /// The group of each row, below `groups`. Some groups may be empty.
    ids: Vec<u32>,
    groups: usize,
}

impl Partition {
    /// All rows in one group.
    pub(crate) fn start(&mut self, rows: usize) {
        self.ids.clear();
        self.ids.resize(rows, 0);
        self.groups = 1;
    }

    pub(crate) fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub(crate) fn groups(&self) -> usize {
        self.groups
    }

    /// Makes this the partition `coarse` refined by a column of `arity` codes. O(rows); at most max(rows, 2¹²) groups come
    /// out, whatever the arities. `map` is workspace.
    pub(crate) fn refine(&mut self, coarse: &Self, column: &[u8], arity: usize, map: &mut Vec<u32>) {
        let keys = coarse.ids.iter().zip(column).map(|(&id, &code)| id * arity as u32 + u32::from(code));
        let groups = coarse.groups * arity;
        self.ids.clear();
        self.ids.extend(keys);
        self.groups = groups;
        if groups <= DENSE_GROUPS {
            return;
        }
        map.clear();
        map.resize(groups, u32::MAX);
        let mut next = 0;
        for id in &mut self.ids {
            let slot = &mut map[*id as usize];
            if *slot == u32::MAX {
                *slot = next;
                next += 1;
            }
            *id = *slot;
        }
        self.groups = next as usize;
    }

    /// Counts each group's rows by a column: `counts[group · arity + code]`, a row counting as often as its weight says.
    pub(crate) fn tabulate(
        &self,
        column: &[u8],
        arity: usize,
        weights: Option<&[u32]>,
        counts: &mut Vec<u32>,
    ) {
        counts.clear();
        counts.resize(self.groups * arity, 0);
        let cells = self.ids.iter().zip(column).map(|(&id, &code)| id as usize * arity + usize::from(code));
        match weights {
            Some(weights) => cells.zip(weights).for_each(|(cell, weight)| counts[cell] += weight),
            None => cells.for_each(|cell| counts[cell] += 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_combinations_that_occur() {
        // 7 columns of 16 categories: far more combinations than groups may be kept.
        let rows = 500_usize;
        let columns: Vec<Vec<u8>> = (0..7)
            .map(|column| (0..rows).map(|row| ((row * row * (column + 3)) % 16) as u8).collect())
            .collect();
        let (mut partition, mut next, mut map) = (Partition::default(), Partition::default(), Vec::new());
        partition.start(rows);
        for column in &columns {
            next.refine(&partition, column, 16, &mut map);
            std::mem::swap(&mut partition, &mut next);
        }
        for a in 0..rows {
            for b in 0..a {
                let agree = columns.iter().all(|column| column[a] == column[b]);
                assert_eq!(partition.ids()[a] == partition.ids()[b], agree, "rows {a} and {b}");
            }
        }
        let weights: Vec<u32> = (0..rows as u32).collect();
        let mut counts = Vec::new();
        partition.tabulate(&columns[0], 16, Some(&weights), &mut counts);
        assert_eq!(counts.iter().sum::<u32>(), weights.iter().sum());
        assert_eq!(counts.len(), partition.groups() * 16);
    }
}
