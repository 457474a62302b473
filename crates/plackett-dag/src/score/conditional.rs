//! The conditional Gaussian score (Andrews, Ramsey and Cooper 2018): within each cell, that is each combination of categories
//! that occurs, numbers are Gaussian with moments of their own. A family costs what its joint distribution costs less what that
//! of the parents does, so a category given numbers is a ratio of densities, and equivalent graphs cost the same:
//!
//! J(A) = Σ over cells c of A's categories: −n_c log(n_c/n) + ½(n_c + ν) log det Σ_c − ½ν log det V + price of the parameters,
//!
//! where Σ_c is the covariance of A's k numbers in the cell with ν = [`PSEUDO_ROWS`] more rows that have the variances V of
//! all rows and no covariance. So a cell of few rows, or one in which a number never changes, costs no more than it should. A cell
//! is charged for k means and k(k+1)/2 covariances, but for no more than one parameter for each number that it holds. With
//! categories alone this is their BIC, with numbers alone the Gaussian one.
//!
//! Rows may stand for several, with a scatter of their own: then the moments of the numbers in each combination of all categories
//! are enough.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;

use std::collections::HashMap;

use plackett::{elementary::ln, run::Run};

use super::family::Family;
use super::mixed::{MixedScoreEntry, PSEUDO_ROWS, Price};
use crate::cells::triangle;
use crate::counts::Partition;
use crate::mixed::{Mixed, MixedColumn};
use crate::pace::Pace;
use crate::{JointMoments, NodeSet, Result};

pub(super) const ENTRY: MixedScoreEntry = MixedScoreEntry {
    name: "cg",
    summary: "Conditional Gaussian: numbers have moments of their own in every combination of categories",
};

/// Parts of the memory of joint costs, each behind a lock of its own.
const SHARDS: usize = 64;
/// Joint costs that are remembered in each part: about 100 MB in all for up to 64 columns. A full part starts anew.
const MOST_REMEMBERED: usize = 1 << 14;

/// The most others that a walk looks at for each node.
const MOST_CANDIDATES: usize = 20;

/// The score on rows, or on cells.
pub(crate) struct ConditionalGaussian {
    rows: usize,
    /// How many rows each stands for, if not one, and all together.
    weights: Option<Vec<f64>>,
    total: f64,
    columns: Vec<Column>,
    /// For each row the scatter of what it stands for, if it stands for several that differ.
    scatters: Option<Scatters>,
    price: Price,
    known: Vec<Mutex<HashMap<NodeSet, f64>>>,
}

enum Column {
    /// Numbers with mean 0 and variance 1, and the logarithm of the variance that they had.
    Numbers(Vec<f64>, f64),
    Categories(Vec<u8>, usize),
}

/// The lower triangle of a scatter of all numbers for each row, in units of the columns' deviations.
struct Scatters {
    /// Where a node is among the numbers.
    ranks: Vec<usize>,
    size: usize,
    entries: Vec<f64>,
}

impl Scatters {
    /// That of two numbers in a row, by their ranks.
    fn entry(&self, row: usize, i: usize, j: usize) -> f64 {
        self.entries[row * self.size + triangle(i, j)]
    }
}

/// Workspace of a joint cost.
#[derive(Debug, Default)]
pub(crate) struct Space {
    cells: Partition,
    finer: Partition,
    map: Vec<u32>,
    tally: Vec<u32>,
    counts: Vec<f64>,
    /// For each cell the sums of the numbers and then of their products, the lower triangle.
    sums: Vec<f64>,
    matrix: Vec<f64>,
    set: Vec<usize>,
    values: Vec<f64>,
}

impl ConditionalGaussian {
    /// The score on complete data.
    pub(crate) fn new(data: &Mixed, price: Price) -> Self {
        Self::of_rows(data, None, price)
    }

    /// The score on the moments of each combination of categories; nothing if these are not known.
    ///
    /// # Errors
    /// [`Error::Empty`](crate::Error::Empty) without rows.
    pub(crate) fn of_moments(data: &JointMoments, price: Price) -> Result<Option<Self>> {
        let Some(cells) = data.cells() else { return Ok(None) };
        let (rows, entries) = cells.to_rows(data.all_levels())?;
        let size = entries.len() / rows.rows();
        let mut numbers = 0;
        let rank = |column: usize| {
            numbers += usize::from(data.is_numeric(column));
            numbers.saturating_sub(1)
        };
        let ranks = (0..data.columns()).map(rank).collect();
        Ok(Some(Self::of_rows(&rows, Some(Scatters { ranks, size, entries }), price)))
    }

    fn of_rows(data: &Mixed, mut scatters: Option<Scatters>, price: Price) -> Self {
        // What 1 is in each column of numbers.
        let mut units = vec![1.0; data.columns().len()];
        let mut column = |(node, column): (usize, &MixedColumn)| match column {
            MixedColumn::Numbers(numbers) => {
                let weighted = |(row, value): (usize, f64)| value * data.weight(row);
                let mean =
                    numbers.iter().copied().enumerate().map(|one| weighted(one) / data.total()).sum::<f64>();
                let within = |row: usize| {
                    scatters.as_ref().map_or(0.0, |all| all.entry(row, all.ranks[node], all.ranks[node]))
                };
                // Relative to the largest, so that no square overflows.
                let largest = numbers.iter().map(|number| (number - mean).abs()).fold(0.0, f64::max);
                let spread = (0..numbers.len()).map(|row| (within(row) / data.weight(row)).sqrt());
                let largest = spread.fold(largest, f64::max);
                let scaled = |number: &f64| if largest > 0.0 { (number - mean) / largest } else { 0.0 };
                let squares = numbers.iter().map(|number| scaled(number).powi(2)).enumerate().map(weighted);
                let between = squares.sum::<f64>();
                let inside = (0..numbers.len()).map(|row| within(row) / largest / largest);
                let variance = match &scatters {
                    Some(_) if largest > 0.0 => (between + inside.sum::<f64>()) / data.total(),
                    _ => between / data.total(),
                };
                if variance == 0.0 {
                    return Column::Numbers(vec![0.0; numbers.len()], 0.0);
                }
                let deviation = variance.sqrt();
                units[node] = largest * deviation;
                let values = numbers.iter().map(|number| scaled(number) / deviation).collect();
                Column::Numbers(values, ln(variance) + 2.0 * ln(largest))
            }
            MixedColumn::Categories { codes, levels } => Column::Categories(codes.clone(), (*levels).max(1)),
        };
        let columns: Vec<Column> = data.columns().iter().enumerate().map(&mut column).collect();
        if let Some(Scatters { size, entries, .. }) = &mut scatters {
            let is_number = |&node: &usize| data.columns()[node].is_numeric();
            let units: Vec<f64> = (0..columns.len()).filter(is_number).map(|node| units[node]).collect();
            for triangle in entries.chunks_exact_mut((*size).max(1)) {
                let mut entries = triangle.iter_mut();
                for (i, unit) in units.iter().enumerate() {
                    units[..=i]
                        .iter()
                        .zip(&mut entries)
                        .for_each(|(other, entry)| *entry = *entry / unit / other);
                }
            }
        }
        Self {
            rows: data.rows(),
            weights: data.weights().map(<[f64]>::to_vec),
            total: data.total(),
            columns,
            scatters,
            price,
            known: (0..SHARDS).map(|_| Mutex::default()).collect(),
        }
    }

    /// J(A) of an ascending set, without the prices of edges.
    fn joint(&self, set: &[usize], space: &mut Space) -> f64 {
        if set.is_empty() {
            return 0.0;
        }
        let key: NodeSet = set.iter().copied().collect();
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let shard = &self.known[hasher.finish() as usize % SHARDS];
        let locked = || shard.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(&cost) = locked().get(&key) {
            return cost;
        }
        let cost = self.compute(set, space);
        let mut known = locked();
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        known.insert(key, cost);
        cost
    }

    fn compute(&self, set: &[usize], space: &mut Space) -> f64 {
        let Space { cells, finer, map, tally, counts, sums, matrix, values, .. } = space;
        cells.start(self.rows);
        let mut configurations = 1.0_f64;
        let mut numbers: Vec<&[f64]> = Vec::new();
        let mut nodes: Vec<usize> = Vec::new();
        let mut log_variances = 0.0;
        for &node in set {
            match &self.columns[node] {
                Column::Numbers(values, log_variance) => {
                    numbers.push(values);
                    nodes.push(node);
                    log_variances += log_variance;
                }
                Column::Categories(codes, levels) => {
                    finer.refine(cells, codes, *levels, map);
                    std::mem::swap(cells, finer);
                    configurations *= *levels as f64;
                }
            }
        }
        let rows = self.total;
        let size = numbers.len();
        let weight = |row: usize| self.weights.as_ref().map_or(1.0, |weights| weights[row]);
        counts.clear();
        if self.weights.is_none() {
            cells.sizes(None, tally);
            counts.extend(tally.iter().map(|&count| f64::from(count)));
        } else {
            counts.resize(cells.groups(), 0.0);
            cells.ids().iter().enumerate().for_each(|(row, &cell)| counts[cell as usize] += weight(row));
        }
        let mut parameters = (configurations - 1.0).min(super::MOST_CONFIGURATIONS);
        let log_counts: f64 =
            counts.iter().filter(|&&count| count > 0.0).map(|&count| count * ln(count / rows)).sum();
        let mut fit = -log_counts + 0.5 * rows * log_variances;
        if size > 0 {
            let stride = size + size * (size + 1) / 2;
            sums.clear();
            sums.resize(stride * counts.len(), 0.0);
            values.clear();
            values.resize(size, 0.0);
            for (row, &cell) in cells.ids().iter().enumerate() {
                let sums = &mut sums[cell as usize * stride..(cell as usize + 1) * stride];
                values.iter_mut().zip(&numbers).for_each(|(value, column)| *value = column[row]);
                let (first, mut second) = sums.split_at_mut(size);
                let weight = weight(row);
                for (at, &value) in values.iter().enumerate() {
                    let value = weight * value;
                    first[at] += value;
                    let (products, rest) = second.split_at_mut(at + 1);
                    products.iter_mut().zip(&*values).for_each(|(sum, other)| *sum += value * other);
                    if let Some(all) = &self.scatters {
                        let ranks = nodes[..=at].iter().map(|&node| all.ranks[node]);
                        let entries = ranks.map(|rank| all.entry(row, all.ranks[nodes[at]], rank));
                        products.iter_mut().zip(entries).for_each(|(sum, entry)| *sum += entry);
                    }
                    second = rest;
                }
            }
            let most = (size * (size + 3) / 2) as f64;
            for (&count, sums) in
                counts.iter().zip(sums.chunks_exact(stride)).filter(|(count, _)| **count > 0.0)
            {
                fit += 0.5 * (count + PSEUDO_ROWS) * log_determinant(count, size, sums, matrix);
                parameters += most.min(size as f64 * count);
            }
        }
        fit + self.price.parameters(parameters)
    }
}

/// log det of (S + ν·I)/(n + ν), S the scatter of `rows` rows about their means, by their sums: Cholesky on the lower triangle.
fn log_determinant(rows: f64, size: usize, sums: &[f64], matrix: &mut Vec<f64>) -> f64 {
    let (first, second) = sums.split_at(size);
    matrix.clear();
    let mut start = 0;
    for i in 0..size {
        for j in 0..=i {
            let scatter = second[start + j] - first[i] * first[j] / rows;
            // Rounding must not make of a number that never changes one that does less than never.
            let scatter = if i == j { scatter.max(0.0) + PSEUDO_ROWS } else { scatter };
            matrix.push(scatter / (rows + PSEUDO_ROWS));
        }
        start += i + 1;
    }
    let least = PSEUDO_ROWS / (rows + PSEUDO_ROWS);
    let mut log_determinant = 0.0;
    for i in 0..size {
        let row = i * (i + 1) / 2;
        for j in 0..i {
            let other = j * (j + 1) / 2;
            let known: f64 = (0..j).map(|t| matrix[row + t] * matrix[other + t]).sum();
            matrix[row + j] = (matrix[row + j] - known) / matrix[other + j];
        }
        let known: f64 = matrix[row..row + i].iter().map(|entry| entry * entry).sum();
        let pivot = (matrix[row + i] - known).max(least);
        log_determinant += ln(pivot);
        matrix[row + i] = pivot.sqrt();
    }
    log_determinant
}

impl Family for ConditionalGaussian {
    type Space = Space;

    const NAME: &'static str = ENTRY.name;
    const EFFORT: (usize, usize) = (2, 10);
    /// Of 0, 0.75, 1.5 and 2.5 it has the least mean SHD-CPDAG over 31 conditional Gaussian sets of 10 to 50 columns: 11.9.
    const GAMMA: f64 = 0.75;

    fn price_of_parent(&self, _: usize) -> f64 {
        self.price.parameters(2.0)
    }

    /// Those that each goes with most, one by one.
    fn candidates(&self, run: &Run<'_>) -> Option<Vec<Vec<usize>>> {
        let nodes = self.columns.len();
        if nodes <= MOST_CANDIDATES + 1 {
            return Some(Vec::new());
        }
        let (mut space, mut pace) = (Space::default(), Pace::new(run));
        let alone: Vec<f64> = (0..nodes).map(|node| self.joint(&[node], &mut space)).collect();
        let mut costs = vec![Vec::with_capacity(nodes); nodes];
        for a in 0..nodes {
            for b in a + 1..nodes {
                pace.spend(self.work())?;
                let cost = self.joint(&[a, b], &mut space) - alone[a] - alone[b];
                costs[a].push((cost, b));
                costs[b].push((cost, a));
            }
        }
        let strongest = |mut costs: Vec<(f64, usize)>| {
            costs.sort_by(|a, b| a.0.total_cmp(&b.0));
            costs.into_iter().take(MOST_CANDIDATES).map(|(_, node)| node).collect()
        };
        Some(costs.into_iter().map(strongest).collect())
    }

    fn work(&self) -> usize {
        8 * self.rows
    }

    fn cost(&self, node: usize, parents: &[usize], space: &mut Space) -> f64 {
        let mut set = std::mem::take(&mut space.set);
        set.clear();
        set.extend_from_slice(parents);
        set.insert(parents.partition_point(|&other| other < node), node);
        let cost = self.joint(&set, space) - self.joint(parents, space);
        space.set = set;
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, normal};

    #[test]
    fn the_moments_of_cells_cost_what_their_rows_do() {
        let mut rng = Rng::new(5);
        let codes: Vec<u8> = (0..400_u32).map(|row| (row * row % 7 % 3) as u8).collect();
        let numbers: Vec<f64> =
            codes.iter().map(|&code| 1e3 + f64::from(code) * (1.0 + normal(&mut rng))).collect();
        let effects = numbers.iter().map(|number| 1e-3 * (number + normal(&mut rng))).collect();
        let others = (0..400_u32).map(|row| (row % 5 / 2) as u8).collect();
        let columns = vec![
            MixedColumn::Numbers(numbers),
            MixedColumn::Categories { codes, levels: 3 },
            MixedColumn::Numbers(effects),
            MixedColumn::Categories { codes: others, levels: 4 },
        ];
        let data = Mixed::new(columns).unwrap();
        let price = Price::new(400.0, None).unwrap();
        let moments = JointMoments::of(&data, &Run::default()).unwrap().unwrap();
        let by_rows = ConditionalGaussian::new(&data, price);
        let by_cells = ConditionalGaussian::of_moments(&moments, price).unwrap().unwrap();
        assert!(by_cells.rows < 13);
        for set in 0..16_usize {
            let set: Vec<usize> = (0..4).filter(|node| set >> node & 1 == 1).collect();
            let costs = [&by_rows, &by_cells].map(|score| score.joint(&set, &mut Space::default()));
            assert!((costs[0] - costs[1]).abs() < 1e-8 * costs[0].abs().max(1.0), "{set:?}: {costs:?}");
        }
    }
}
