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
                let shares = numbers.iter().copied().enumerate().map(|one| weighted(one) / data.total());
                // A sum of equal numbers is rounded, and what is rounding must not be taken for variance.
                let is_constant = numbers.iter().all(|&number| number == numbers[0]);
                let mean = if is_constant { numbers[0] } else { shares.sum::<f64>() };
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

    /// Numbers of all kinds beside two categories, of which one has a level that never occurs. The third column is constant; the fourth is so
    /// wherever both categories are, and as large as is asked for.
    fn columns(rows: usize, seed: u64, large: f64) -> Vec<MixedColumn> {
        let mut rng = Rng::new(seed);
        let codes: Vec<u8> = (0..rows).map(|row| (row * row % 7 % 3) as u8).collect();
        let others: Vec<u8> = (0..rows).map(|row| (row % 5 / 2) as u8).collect();
        let numbers: Vec<f64> =
            codes.iter().map(|&code| 40.0 + f64::from(code) * (1.0 + normal(&mut rng))).collect();
        let effects = numbers.iter().map(|number| 1e-3 * (number + normal(&mut rng))).collect();
        let apart = codes.iter().zip(&others).map(|(&a, &b)| large * (f64::from(a) - 0.4 * f64::from(b)));
        vec![
            MixedColumn::Numbers(numbers),
            MixedColumn::Categories { codes: codes.clone(), levels: 3 },
            MixedColumn::Numbers(vec![-2.5; rows]),
            MixedColumn::Numbers(apart.collect()),
            MixedColumn::Categories { codes: others, levels: 4 },
            MixedColumn::Numbers(effects),
        ]
    }

    /// All sets of six columns cost the same by both, to rounding.
    fn check_alike(a: &ConditionalGaussian, b: &ConditionalGaussian) {
        for set in 0..64_usize {
            let set: Vec<usize> = (0..6).filter(|node| set >> node & 1 == 1).collect();
            let costs = [a, b].map(|score| score.joint(&set, &mut Space::default()));
            assert!((costs[0] - costs[1]).abs() < 1e-9 * costs[0].abs().max(1.0), "{set:?}: {costs:?}");
        }
    }

    #[test]
    fn rows_that_stand_for_several_cost_what_these_do() {
        let times = |row: usize| 1 + row % 3;
        let rows: Vec<usize> = (0..60).flat_map(|row| vec![row; times(row)]).collect();
        let repeated = |column: &MixedColumn| match column {
            MixedColumn::Numbers(numbers) => {
                MixedColumn::Numbers(rows.iter().map(|&row| numbers[row]).collect())
            }
            MixedColumn::Categories { codes, levels } => MixedColumn::Categories {
                codes: rows.iter().map(|&row| codes[row]).collect(),
                levels: *levels,
            },
        };
        let all = |large: f64| Mixed::new(columns(60, 8, large).iter().map(repeated).collect()).unwrap();
        let price = Price::new(rows.len() as f64, None).unwrap();
        // Squares of the large column are beyond all numbers.
        let weights: Vec<f64> = (0..60).map(|row| times(row) as f64).collect();
        let weighted = Mixed::new(columns(60, 8, 1e200)).unwrap().weighted(&weights).unwrap();
        let by_rows = ConditionalGaussian::new(&all(1e200), price);
        check_alike(&by_rows, &ConditionalGaussian::new(&weighted, price));
        let moments = JointMoments::of(&all(1e3), &Run::default()).unwrap().unwrap();
        let by_cells = ConditionalGaussian::of_moments(&moments, price).unwrap().unwrap();
        check_alike(&ConditionalGaussian::new(&all(1e3), price), &by_cells);
    }

    /// Units change a cost by the logarithm of what they are multiplied by, for each row; and what is equal everywhere has no units.
    #[test]
    fn units_add_their_logarithms() {
        let data = |factor: f64, constant: f64| {
            let mut columns = columns(50, 3, 1e200);
            for (at, column) in columns.iter_mut().enumerate() {
                if let MixedColumn::Numbers(numbers) = column {
                    match at {
                        2 => numbers.fill(constant),
                        _ => numbers.iter_mut().for_each(|number| *number = factor * (*number - 3.0)),
                    }
                }
            }
            ConditionalGaussian::new(&Mixed::new(columns).unwrap(), Price::new(50.0, None).unwrap())
        };
        let (plain, other) = (data(1.0, -2.5), data(1e-90, 0.0));
        for set in [&[0][..], &[2], &[3], &[0, 5], &[0, 1, 5], &[1, 2, 3, 5]] {
            let numbers = set.iter().filter(|node| [0, 3, 5].contains(node)).count() as f64;
            let costs = [&plain, &other].map(|score| score.joint(set, &mut Space::default()));
            let expected = costs[0] + 50.0 * numbers * 1e-90_f64.ln();
            assert!((costs[1] - expected).abs() < 1e-6, "{set:?}: {} for {expected}", costs[1]);
        }
        // A number that is the same in all rows tells nothing: its determinants are those of the row more.
        let alone = plain.joint(&[2], &mut Space::default());
        assert!((alone - (0.5 * 51.0 * (1.0_f64 / 51.0).ln() + 50_f64.ln())).abs() < 1e-12, "{alone}");
    }

    #[test]
    fn a_walk_looks_at_those_that_a_node_goes_with_most() {
        let score = |nodes: usize| {
            let mut rng = Rng::new(4);
            let mut columns: Vec<Vec<f64>> = Vec::new();
            for node in 0..nodes {
                let noise = (0..40).map(|_| normal(&mut rng));
                let column = match node % 3 {
                    0 => noise.collect(),
                    _ => noise.zip(&columns[node - 1]).map(|(noise, other)| noise + other).collect(),
                };
                columns.push(column);
            }
            let code = |number: &f64| u8::from(*number > 0.0) + u8::from(*number > 1.0);
            let column = |(node, numbers): (usize, &Vec<f64>)| match node % 4 {
                1 => MixedColumn::Categories { codes: numbers.iter().map(code).collect(), levels: 3 },
                _ => MixedColumn::Numbers(numbers.clone()),
            };
            let data = Mixed::new(columns.iter().enumerate().map(column).collect()).unwrap();
            ConditionalGaussian::new(&data, Price::new(40.0, None).unwrap())
        };
        let run = Run::default();
        assert_eq!(score(MOST_CANDIDATES + 1).candidates(&run), Some(Vec::new()));
        let nodes = MOST_CANDIDATES + 6;
        let score = score(nodes);
        let found = score.candidates(&run).unwrap();
        assert_eq!(found.len(), nodes);
        for (node, found) in found.iter().enumerate() {
            let gain = |other: usize| {
                let mut space = Space::default();
                score.cost(node, &[other], &mut space) - score.cost(node, &[], &mut space)
            };
            let mut others: Vec<usize> = (0..nodes).filter(|&other| other != node).collect();
            others.sort_by(|&a, &b| gain(a).total_cmp(&gain(b)));
            let (worst, left_out) = (gain(found[MOST_CANDIDATES - 1]), gain(others[MOST_CANDIDATES]));
            assert_eq!(found.len(), MOST_CANDIDATES);
            assert!(worst <= left_out + 1e-9 && !found.contains(&node), "{node}");
            assert!(found.windows(2).all(|pair| gain(pair[0]) <= gain(pair[1]) + 1e-9), "{node}");
        }
    }

    #[test]
    fn a_parent_costs_two_parameters_and_rows_are_work() {
        let score = |rows: usize| {
            let data = Mixed::new(columns(rows, 1, 1.0)).unwrap();
            ConditionalGaussian::new(&data, Price::new(rows as f64, None).unwrap())
        };
        assert!((score(50).price_of_parent(0) - 50_f64.ln()).abs() < 1e-12);
        assert_eq!(score(100).work(), 2 * score(50).work());
        assert!(score(50).work() >= 50);
    }

    #[test]
    fn determinants_are_those_of_elimination() {
        let mut rng = Rng::new(12);
        let (size, rows) = (5, 8);
        let values: Vec<Vec<f64>> = (0..rows)
            .map(|row| (0..size).map(|at| (row * at % 3) as f64 + normal(&mut rng)).collect())
            .collect();
        let mut sums: Vec<f64> = (0..size).map(|i| values.iter().map(|row| row[i]).sum()).collect();
        let pairs = (0..size).flat_map(|i| (0..=i).map(move |j| (i, j)));
        sums.extend(pairs.map(|(i, j)| values.iter().map(|row| row[i] * row[j]).sum::<f64>()));
        let count = rows as f64;
        let entry = |i: usize, j: usize| {
            let mean = |at: usize| values.iter().map(|row| row[at]).sum::<f64>() / count;
            let scatter: f64 = values.iter().map(|row| (row[i] - mean(i)) * (row[j] - mean(j))).sum();
            (scatter + if i == j { PSEUDO_ROWS } else { 0.0 }) / (count + PSEUDO_ROWS)
        };
        let mut matrix: Vec<Vec<f64>> = (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect();
        let mut wanted = 0.0;
        for i in 0..size {
            let pivot = matrix[i].clone();
            wanted += pivot[i].ln();
            for line in &mut matrix[i + 1..] {
                let factor = line[i] / pivot[i];
                line.iter_mut().zip(&pivot).for_each(|(entry, above)| *entry -= factor * above);
            }
        }
        let found = log_determinant(count, size, &sums, &mut Vec::new());
        assert!((found - wanted).abs() < 1e-12, "{found} for {wanted}");
    }

    /// To the last bit: what is remembered of a set is the same, whichever of its families was asked for first.
    #[test]
    fn a_cost_does_not_depend_on_what_was_asked_before() {
        let mut rng = Rng::new(7);
        let mut columns: Vec<Vec<f64>> = vec![(0..50).map(|_| normal(&mut rng)).collect()];
        for node in 1..5 {
            let next = columns[node - 1].iter().map(|other| 0.7 * other + normal(&mut rng)).collect();
            columns.push(next);
        }
        let data = Mixed::new(columns.into_iter().map(MixedColumn::Numbers).collect()).unwrap();
        let costs = |nodes: [usize; 5]| {
            let score = ConditionalGaussian::new(&data, Price::new(50.0, None).unwrap());
            let cost = |node: usize| {
                let parents: Vec<usize> = (0..5).filter(|&other| other != node).collect();
                (node, score.cost(node, &parents, &mut Space::default()))
            };
            let mut costs = nodes.map(cost);
            costs.sort_by_key(|one| one.0);
            costs
        };
        let first = costs([0, 1, 2, 3, 4]);
        for nodes in [[1, 0, 2, 3, 4], [2, 0, 1, 3, 4], [3, 0, 1, 2, 4], [4, 3, 2, 1, 0]] {
            assert_eq!(costs(nodes), first);
        }
    }
}
