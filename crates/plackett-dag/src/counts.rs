//! Counting: rows are put into groups by the values of some columns, and each group's rows are counted by another column.

use plackett::elementary::ln;

/// While a partition has at most this many groups, and not more than rows, empty ones are kept and the rows need no second
/// look.
const DENSE_GROUPS: usize = 1 << 12;
/// Numbers of possible groups up to this, or up to a small multiple of the rows, are looked up in a plain array; more in a
/// table of the size of the rows, so that memory follows the rows and not the arities.
const MAPPED_GROUPS: usize = 1 << 16;
const MAPPED_PER_ROW: usize = 8;
/// Histograms of at most this many cells are kept several times over and added up at the end: rows that fall into the same
/// cell one after another would each wait for the one before, which takes twice as long where one cell has most rows.
const SPLIT_CELLS: usize = 1 << 11;
const LANES: usize = 4;
const NONE: u32 = u32::MAX;
/// Odd, with well-mixed bits (the golden ratio).
const SPREAD: u32 = 0x9E37_79B9;

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

    /// Makes this the partition `coarse` refined by a column of `arity` codes. O(rows); at most as many groups
    /// as rows come out, whatever the arities. `map` is workspace. The rows may be 2²⁴, the arity 2⁸.
    pub(crate) fn refine(&mut self, coarse: &Self, column: &[u8], arity: usize, map: &mut Vec<u32>) {
        let keys = coarse.ids.iter().zip(column).map(|(&id, &code)| id * arity as u32 + u32::from(code));
        self.ids.clear();
        self.ids.extend(keys);
        self.groups = coarse.groups * arity;
        if self.groups > DENSE_GROUPS.min(self.ids.len()) {
            self.drop_empty(map);
        }
    }

    /// Leaves out the groups without rows and numbers the others in the order of their first rows.
    pub(crate) fn drop_empty(&mut self, map: &mut Vec<u32>) {
        let mut next = 0;
        map.clear();
        if self.groups <= MAPPED_GROUPS.max(MAPPED_PER_ROW * self.ids.len()) {
            map.resize(self.groups, NONE);
            for id in &mut self.ids {
                let slot = &mut map[*id as usize];
                if *slot == NONE {
                    *slot = next;
                    next += 1;
                }
                *id = *slot;
            }
        } else {
            // Open addressing, half empty: pairs of an old number and a new one.
            let bits = (2 * self.ids.len()).next_power_of_two().trailing_zeros().clamp(1, 31);
            let last = (1_usize << bits) - 1;
            map.resize(2 << bits, NONE);
            for id in &mut self.ids {
                let mut at = (id.wrapping_mul(SPREAD) >> (32 - bits)) as usize;
                while map[2 * at + 1] != NONE && map[2 * at] != *id {
                    at = (at + 1) & last;
                }
                if map[2 * at + 1] == NONE {
                    map[2 * at] = *id;
                    map[2 * at + 1] = next;
                    next += 1;
                }
                *id = map[2 * at + 1];
            }
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
        let cells = self.ids.iter().zip(column).map(|(&id, &code)| id as usize * arity + usize::from(code));
        tally(cells, self.groups * arity, weights, counts);
    }

    /// Counts each group's rows by two columns: `counts[(group · arity + code) · arity + code]`.
    pub(crate) fn tabulate_pair(
        &self,
        (column, arity): (&[u8], usize),
        (last_column, last_arity): (&[u8], usize),
        weights: Option<&[u32]>,
        counts: &mut Vec<u32>,
    ) {
        let cells = self.ids.iter().zip(column).zip(last_column).map(|((&id, &code), &last)| {
            (id as usize * arity + usize::from(code)) * last_arity + usize::from(last)
        });
        tally(cells, self.groups * arity * last_arity, weights, counts);
    }

    /// The number of rows in each group.
    pub(crate) fn sizes(&self, weights: Option<&[u32]>, counts: &mut Vec<u32>) {
        tally(self.ids.iter().map(|&id| id as usize), self.groups, weights, counts);
    }

    /// The first row of each group, none of which may be empty.
    pub(crate) fn first_rows(&self) -> Vec<u32> {
        let mut first = vec![0; self.groups];
        for (row, &id) in self.ids.iter().enumerate().rev() {
            first[id as usize] = row as u32;
        }
        first
    }
}

/// Counts how often each cell comes.
#[inline]
pub(crate) fn tally(
    cells: impl Iterator<Item = usize>,
    size: usize,
    weights: Option<&[u32]>,
    counts: &mut Vec<u32>,
) {
    counts.clear();
    if let Some(weights) = weights {
        counts.resize(size, 0);
        cells.zip(weights).for_each(|(cell, weight)| counts[cell] += weight);
    } else if size > SPLIT_CELLS {
        counts.resize(size, 0);
        cells.for_each(|cell| counts[cell] += 1);
    } else {
        counts.resize(LANES * size, 0);
        // Lanes side by side: four counters of one cell are neighbors.
        cells.enumerate().for_each(|(row, cell)| counts[LANES * cell + row % LANES] += 1);
        for cell in 0..size {
            counts[cell] = counts[LANES * cell..LANES * (cell + 1)].iter().sum();
        }
        counts.truncate(size);
    }
}

/// The counts of a node together with its parents, N_ijk, and of its parents alone, N_ij.
#[derive(Clone, Debug, Default)]
pub(crate) struct FamilyCounts {
    pub(crate) joint: Vec<u32>,
    pub(crate) parents: Vec<u32>,
    finer: Partition,
    map: Vec<u32>,
}

impl FamilyCounts {
    /// Counts a node's values in the groups that its parents make. O(rows), memory likewise.
    pub(crate) fn count(
        &mut self,
        parents: &Partition,
        column: &[u8],
        arity: usize,
        weights: Option<&[u32]>,
    ) {
        if is_dense(parents.groups * arity, column.len()) {
            parents.tabulate(column, arity, weights, &mut self.joint);
            self.sum_joint(arity);
        } else {
            self.finer.refine(parents, column, arity, &mut self.map);
            self.finer.sizes(weights, &mut self.joint);
            parents.sizes(weights, &mut self.parents);
        }
    }

    /// The same with one more parent, which need not be added to the partition first.
    pub(crate) fn count_with(
        &mut self,
        parents: &Partition,
        parent: (&[u8], usize),
        node: (&[u8], usize),
        weights: Option<&[u32]>,
    ) {
        if is_dense(parents.groups * parent.1 * node.1, node.0.len()) {
            parents.tabulate_pair(parent, node, weights, &mut self.joint);
            self.sum_joint(node.1);
        } else {
            let mut refined = Partition::default();
            refined.refine(parents, parent.0, parent.1, &mut self.map);
            self.count(&refined, node.0, node.1, weights);
        }
    }

    fn sum_joint(&mut self, arity: usize) {
        self.parents.clear();
        self.parents.extend(self.joint.chunks_exact(arity).map(|cells| cells.iter().sum::<u32>()));
    }

    /// Σ N_ijk log(N_ijk/N_ij), the largest log-likelihood of the node given its parents.
    pub(crate) fn log_likelihood(&self) -> f64 {
        let logs = |counts: &[u32]| -> f64 {
            counts
                .iter()
                .filter(|&&count| count > 1)
                .map(|&count| f64::from(count) * ln(f64::from(count)))
                .sum()
        };
        logs(&self.joint) - logs(&self.parents)
    }
}

/// Whether a plain table of so many cells is worth its memory for so many rows.
pub(crate) fn is_dense(cells: usize, rows: usize) -> bool {
    cells <= 4 * rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_combinations_that_occur() {
        // 7 columns of many categories: far more combinations than rows, and with 256 more than are looked up in an array.
        let rows = 500_usize;
        for arity in [2, 16, 256] {
            let columns: Vec<Vec<u8>> = (0..7)
                .map(|column| (0..rows).map(|row| ((row * row * (column + 3)) / 7 % arity) as u8).collect())
                .collect();
            let (mut partition, mut next, mut map) = (Partition::default(), Partition::default(), Vec::new());
            partition.start(rows);
            for column in &columns {
                next.refine(&partition, column, arity, &mut map);
                std::mem::swap(&mut partition, &mut next);
                assert!(partition.groups() <= rows);
            }
            let agree = |a: usize, b: usize| columns.iter().all(|column| column[a] == column[b]);
            for a in 0..rows {
                for b in 0..a {
                    assert_eq!(partition.ids()[a] == partition.ids()[b], agree(a, b), "rows {a} and {b}");
                }
            }
            let weights: Vec<u32> = (0..rows as u32).collect();
            let mut counts = Vec::new();
            for weights in [None, Some(&*weights)] {
                partition.tabulate(&columns[0], arity, weights, &mut counts);
                assert_eq!(counts.len(), partition.groups() * arity);
                let weight = |row: usize| weights.map_or(1, |weights| weights[row]);
                for a in (0..rows).step_by(17) {
                    let cell = partition.ids()[a] as usize * arity + usize::from(columns[0][a]);
                    let alike: u32 = (0..rows).filter(|&b| agree(a, b)).map(weight).sum();
                    assert_eq!(counts[cell], alike);
                }
                assert_eq!(counts.iter().sum::<u32>(), (0..rows).map(weight).sum::<u32>());
            }
            next.clone_from(&partition);
            next.drop_empty(&mut map);
            let distinct = (0..rows).filter(|&a| (0..a).all(|b| !agree(a, b))).collect::<Vec<_>>();
            assert_eq!(next.first_rows(), distinct.iter().map(|&row| row as u32).collect::<Vec<_>>());
        }
    }
}
