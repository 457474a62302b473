//! Missing categories drawn from a network, several times over: each value given all others of its row, by the probabilities that
//! the drawn rows themselves have in the network (stochastic EM). What the draws have in common is what the data say.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};

use crate::mixed::{Mixed, MixedColumn};
use crate::pace::Pace;
use crate::{Error, NodeSet, Result};
use plackett::{
    elementary::{exp, ln},
    run::Run,
};

/// How often every row is drawn.
const DRAWS: usize = 5;

/// Times that every missing value is drawn anew after the network has changed. The first ones forget what was drawn under the
/// network before.
const SWEEPS: usize = 10;

/// Entries of a table of probabilities at most; parents that would make more have no say in what is drawn.
const MOST_ENTRIES: usize = 1 << 20;

/// Rows with drawn values in place of the missing ones, [`DRAWS`] times one after another.
#[derive(Clone, Debug)]
pub(crate) struct Completion {
    /// Codes and the number of levels.
    columns: Vec<(Vec<u8>, usize)>,
    weights: Option<Vec<u32>>,
    /// By column the drawn rows in which it was missing.
    missing: Vec<Vec<u32>>,
    seed: u64,
}

/// A node's probabilities given its parents.
struct Table {
    parents: Vec<usize>,
    /// What a step of the node's code, and of each parent's, is in the table.
    steps: Vec<usize>,
    levels: usize,
    /// Counts, then the logarithms of probabilities.
    entries: Vec<f64>,
}

impl Completion {
    /// Each missing value drawn from those that are there in its column.
    ///
    /// # Errors
    /// [`Error::Misfit`] for columns of numbers, for weights that are no numbers of rows, and for too many rows.
    pub(crate) fn new(data: &Mixed, seed: u64) -> Result<Self> {
        let misfit =
            |setting: &'static str, reason: &str| Error::Misfit { setting, reason: reason.to_owned() };
        crate::categories::check_rows(data.rows() * DRAWS)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut columns, mut missing) = (Vec::new(), Vec::new());
        for column in data.columns() {
            let MixedColumn::Categories { codes, levels } = column else {
                return Err(misfit("missing", "categories can be drawn, and there are columns of numbers"));
            };
            let there: Vec<u8> = codes.iter().copied().filter(|&code| usize::from(code) < *levels).collect();
            let mut drawn = codes.repeat(DRAWS);
            let mut gaps = Vec::new();
            for (row, code) in drawn.iter_mut().enumerate().filter(|(_, code)| usize::from(**code) >= *levels)
            {
                gaps.push(row as u32);
                *code = if there.is_empty() { 0 } else { there[rng.random_range(0..there.len())] };
            }
            columns.push((drawn, (*levels).max(1)));
            missing.push(gaps);
        }
        Ok(Self {
            columns,
            weights: data.whole_weights()?.map(|weights| weights.repeat(DRAWS)),
            missing,
            seed,
        })
    }

    pub(crate) fn columns(&self) -> &[(Vec<u8>, usize)] {
        &self.columns
    }

    pub(crate) fn weights(&self) -> Option<&[u32]> {
        self.weights.as_deref()
    }

    /// Draws every missing value anew, given the others of its row, from the network of these parents. Nothing if the run is over
    /// before it is done. O(draws · missing values · levels · children), [`SWEEPS`] times.
    pub(crate) fn draw(&mut self, parents: &[NodeSet], run: &Run<'_>) -> Option<()> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let nodes = self.columns.len();
        let mut tables: Vec<Table> = (0..nodes).map(|node| self.table(node, &parents[node])).collect();
        let mut children = vec![Vec::new(); nodes];
        for (node, table) in tables.iter().enumerate() {
            table.parents.iter().for_each(|&parent| children[parent].push(node));
        }
        let mut pace = Pace::new(run);
        let mut chances = Vec::new();
        for sweep in 0..SWEEPS {
            // In the last one the rows of all draws are from the same probabilities.
            if sweep + 1 < SWEEPS || sweep == 0 {
                tables.iter_mut().enumerate().for_each(|(node, table)| self.estimate(node, table));
            }
            for node in 0..nodes {
                let gaps = std::mem::take(&mut self.missing[node]);
                let levels = self.columns[node].1;
                let is_over = gaps.iter().any(|&row| {
                    let row = row as usize;
                    chances.clear();
                    chances.resize(levels, 0.0);
                    self.add_chances(&tables[node], (node, node), row, &mut chances);
                    for &child in &children[node] {
                        self.add_chances(&tables[child], (child, node), row, &mut chances);
                    }
                    self.columns[node].0[row] = pick(&mut chances, rng.random()) as u8;
                    pace.spend(8 * levels * (1 + children[node].len())).is_none()
                });
                self.missing[node] = gaps;
                if is_over {
                    return None;
                }
            }
        }
        Some(())
    }

    fn table(&self, node: usize, parents: &NodeSet) -> Table {
        let levels = self.columns[node].1;
        let (mut kept, mut steps, mut size) = (Vec::new(), vec![1], levels);
        for parent in parents {
            let more = size.saturating_mul(self.columns[parent].1);
            if more <= MOST_ENTRIES {
                kept.push(parent);
                steps.push(size);
                size = more;
            }
        }
        Table { parents: kept, steps, levels, entries: vec![0.0; size] }
    }

    /// Where a row is in the table of a node, were the code of one column zero.
    fn place(&self, table: &Table, node: usize, row: usize, without: Option<usize>) -> usize {
        let members = [node].into_iter().chain(table.parents.iter().copied()).zip(&table.steps);
        let others = members.filter(|&(member, _)| Some(member) != without);
        others.map(|(member, step)| usize::from(self.columns[member].0[row]) * step).sum()
    }

    /// The probabilities of a node given its parents among the drawn rows. One row more is spread over the levels of each configuration,
    /// so that nothing is impossible.
    fn estimate(&self, node: usize, table: &mut Table) {
        table.entries.fill(0.0);
        for row in 0..self.columns[node].0.len() {
            let at = self.place(table, node, row, None);
            table.entries[at] += self.weights.as_ref().map_or(1.0, |weights| f64::from(weights[row]));
        }
        let spread = DRAWS as f64 / table.levels as f64;
        for cells in table.entries.chunks_exact_mut(table.levels) {
            let total: f64 = cells.iter().sum::<f64>() + DRAWS as f64;
            cells.iter_mut().for_each(|cell| *cell = ln((*cell + spread) / total));
        }
    }

    /// Adds what a node's probabilities say of each code that a column might have in a row.
    fn add_chances(&self, table: &Table, (node, column): (usize, usize), row: usize, chances: &mut [f64]) {
        let at = self.place(table, node, row, Some(column));
        let mut members = [node].into_iter().chain(table.parents.iter().copied());
        let step = members.position(|member| member == column).map_or(0, |position| table.steps[position]);
        for (code, chance) in chances.iter_mut().enumerate() {
            *chance += table.entries[at + code * step];
        }
    }
}

/// A code by the logarithms of what each is worth, and a uniform number.
fn pick(chances: &mut [f64], uniform: f64) -> usize {
    let most = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    chances.iter_mut().for_each(|chance| *chance = exp(*chance - most));
    let mut left = uniform * chances.iter().sum::<f64>();
    for (code, chance) in chances.iter().enumerate() {
        left -= chance;
        if left < 0.0 {
            return code;
        }
    }
    chances.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    /// Three columns, each mostly the same as the one before it, the middle one missing in every other row.
    fn chain(rows: usize) -> Mixed {
        let mut rng = Rng::new(3);
        let mut columns: Vec<Vec<u8>> = vec![Vec::new(); 3];
        for row in 0..rows {
            let mut code = u8::from(rng.uniform() < 0.4);
            for (at, column) in columns.iter_mut().enumerate() {
                code ^= u8::from(rng.uniform() < 0.1);
                column.push(if at == 1 && row % 2 == 1 { 2 } else { code });
            }
        }
        let columns = columns.into_iter().map(|codes| MixedColumn::Categories { codes, levels: 2 });
        Mixed::new(columns.collect()).unwrap()
    }

    #[test]
    fn what_is_drawn_follows_the_network() {
        let rows = 4000;
        let data = chain(rows);
        let mut completion = Completion::new(&data, 1).unwrap();
        let parents = [vec![], vec![0], vec![1]].map(|set| set.into_iter().collect::<NodeSet>());
        completion.draw(&parents, &Run::default()).unwrap();
        let code = |column: usize, row: usize| completion.columns()[column].0[row];
        // What was there stays.
        for (at, column) in data.columns().iter().enumerate() {
            let MixedColumn::Categories { codes, .. } = column else { unreachable!() };
            let stays = |row: usize| codes[row % rows] == 2 || codes[row % rows] == code(at, row);
            assert!((0..DRAWS * rows).all(stays));
        }
        // Given that both neighbors agree, the middle is the same with probability 0.81 / 0.82; if they do not, with ½.
        let share = |agree: bool| {
            let fits = |row: &usize| row % rows % 2 == 1 && (code(0, *row) == code(2, *row)) == agree;
            let drawn: Vec<usize> = (0..DRAWS * rows).filter(fits).collect();
            let same = drawn.iter().filter(|&&row| code(1, row) == code(0, row)).count();
            same as f64 / drawn.len() as f64
        };
        assert!((share(true) - 0.81 / 0.82).abs() < 0.01, "{}", share(true));
        assert!((share(false) - 0.5).abs() < 0.08, "{}", share(false));
    }

    #[test]
    fn the_end_of_the_run_ends_the_drawing() {
        let mut completion = Completion::new(&chain(4000), 1).unwrap();
        let run = Run::new(plackett::run::Limits::time(std::time::Duration::ZERO));
        assert!(
            completion.draw(&[NodeSet::default(), NodeSet::default(), NodeSet::default()], &run).is_none()
        );
    }
}
