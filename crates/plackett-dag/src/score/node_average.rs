//! The penalized node-average likelihood of incomplete categories (Balov 2013; Bodewes and Scutari 2021): what a parent is worth is
//! counted on the rows in which the family is complete, and its mean there stands for that of all n rows.
//!
//! The mean log-likelihoods of two families that are counted on different rows differ by some √n for no reason, and a price that
//! outgrows that would hide most edges. So parents are taken one after another, the one that is worth most first, and each is
//! compared with those before it on the same n_l rows:
//!
//! cost(P) = n·H + Σ over p in P of (n / n_l)·(−Σ N log(N_jk/N_j) with p, less the same without it, + ½ log n for each parameter more).
//!
//! Without missing values this is the BIC. With them a parameter costs ½ log n·(n / n_l): the more, the fewer rows speak for it.

use super::family::Family;
use super::mixed::{MixedScoreEntry, Price};
use crate::counts::{FamilyCounts, Partition};
use crate::mixed::{Mixed, MixedColumn};
use crate::{Error, Result};

pub(super) const ENTRY: MixedScoreEntry = MixedScoreEntry {
    name: "nal",
    summary: "Node-average likelihood of categories with missing values, on the rows in which a family is complete",
};

/// The score on rows.
#[derive(Debug)]
pub(crate) struct NodeAverage {
    rows: usize,
    /// How many rows each stands for, if not one, and all together.
    weights: Option<Vec<u32>>,
    total: f64,
    columns: Vec<(Vec<u8>, usize)>,
    price: Price,
}

/// Workspace of a cost.
#[derive(Debug, Default)]
pub(crate) struct Space {
    rows: Vec<u32>,
    weights: Vec<u32>,
    /// How many rows those that were gathered stand for.
    total: f64,
    column: Vec<u8>,
    groups: Partition,
    finer: Partition,
    map: Vec<u32>,
    counts: FamilyCounts,
}

impl NodeAverage {
    /// # Errors
    /// [`Error::Misfit`] for columns of numbers, and for weights that are no numbers of rows.
    pub(crate) fn new(data: &Mixed, price: Price) -> Result<Self> {
        let column = |column: &MixedColumn| match column {
            MixedColumn::Categories { codes, levels } => Ok((codes.clone(), *levels)),
            MixedColumn::Numbers(_) => {
                let reason =
                    "nal does not fit: it counts categories, and there are columns of numbers".to_owned();
                Err(Error::Misfit { setting: "score", reason })
            }
        };
        let columns = data.columns().iter().map(column).collect::<Result<_>>()?;
        Ok(Self { rows: data.rows(), weights: data.whole_weights()?, total: data.total(), columns, price })
    }
}

impl NodeAverage {
    /// The rows in which these columns are all there, into `space.rows`.
    fn gather(&self, members: impl Iterator<Item = usize>, space: &mut Space) {
        space.rows.clear();
        space.rows.extend(0..self.rows as u32);
        for member in members {
            let (codes, levels) = &self.columns[member];
            space.rows.retain(|&row| usize::from(codes[row as usize]) < *levels);
        }
        space.weights.clear();
        space.total = space.rows.len() as f64;
        if let Some(weights) = &self.weights {
            space.weights.extend(space.rows.iter().map(|&row| weights[row as usize]));
            space.total = space.weights.iter().map(|&weight| f64::from(weight)).sum();
        }
    }

    /// The rows that were gathered in the groups that these columns make; with the number of groups that there may be.
    fn group(&self, parents: &[usize], space: &mut Space) -> f64 {
        let Space { rows, column, groups, finer, map, .. } = space;
        groups.start(rows.len());
        let mut configurations = 1.0_f64;
        for &parent in parents {
            let (codes, levels) = &self.columns[parent];
            column.clear();
            column.extend(rows.iter().map(|&row| codes[row as usize]));
            finer.refine(groups, column, *levels, map);
            std::mem::swap(groups, finer);
            configurations = (configurations * *levels as f64).min(super::MOST_CONFIGURATIONS);
        }
        configurations
    }

    /// The log-likelihood of a node in the present groups.
    fn log_likelihood(&self, node: usize, space: &mut Space) -> f64 {
        let Space { rows, weights, column, groups, counts, .. } = space;
        let (codes, levels) = &self.columns[node];
        column.clear();
        column.extend(rows.iter().map(|&row| codes[row as usize]));
        counts.count(groups, column, *levels, self.weights.as_ref().map(|_| &weights[..]));
        counts.log_likelihood()
    }

    /// What a node costs alone.
    fn alone(&self, node: usize, space: &mut Space) -> f64 {
        self.gather([node].into_iter(), space);
        if space.rows.is_empty() {
            return 0.0;
        }
        self.group(&[], space);
        let average = self.log_likelihood(node, space) / space.total;
        self.price.parameters(self.columns[node].1 as f64 - 1.0) - self.total * average
    }

    /// By how much one more parent lowers the cost. Nothing is known of a family that is never complete.
    fn gain(&self, node: usize, parents: &[usize], more: usize, space: &mut Space) -> f64 {
        self.gather(parents.iter().copied().chain([node, more]), space);
        if space.rows.is_empty() {
            return f64::NEG_INFINITY;
        }
        let configurations = self.group(parents, space);
        let without = self.log_likelihood(node, space);
        let (codes, levels) = &self.columns[more];
        let Space { rows, column, groups, finer, map, .. } = &mut *space;
        column.clear();
        column.extend(rows.iter().map(|&row| codes[row as usize]));
        finer.refine(groups, column, *levels, map);
        std::mem::swap(groups, finer);
        let with = self.log_likelihood(node, space);
        let parameters = (self.columns[node].1 as f64 - 1.0) * configurations * (*levels as f64 - 1.0);
        let weight = self.total / space.total;
        weight * (with - without - self.price.parameters(parameters))
    }
}

impl Family for NodeAverage {
    type Space = Space;

    const NAME: &'static str = ENTRY.name;
    const EFFORT: (usize, usize) = (2, 10);

    fn price_of_parent(&self, node: usize) -> f64 {
        self.price.parameters(self.columns[node].1 as f64)
    }

    fn work(&self) -> usize {
        16 * self.rows
    }

    fn cost(&self, node: usize, parents: &[usize], space: &mut Space) -> f64 {
        let mut cost = self.alone(node, space);
        let (mut taken, mut left) = (Vec::with_capacity(parents.len()), parents.to_vec());
        while !left.is_empty() {
            let mut best = (0, f64::NEG_INFINITY);
            for (at, &parent) in left.iter().enumerate() {
                let gain = self.gain(node, &taken, parent, space);
                if gain > best.1 {
                    best = (at, gain);
                }
            }
            cost -= best.1;
            taken.push(left.remove(best.0));
        }
        cost
    }

    /// A candidate is compared with the parents on the same rows.
    fn costs_with(
        &self,
        node: usize,
        parents: &[usize],
        candidates: &[usize],
        space: &mut Space,
        costs: &mut Vec<f64>,
    ) {
        costs.clear();
        let cost = self.cost(node, parents, space);
        for &candidate in candidates {
            costs.push(cost - self.gain(node, parents, candidate, space));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::testing::Rng;

    const LEVELS: [usize; 4] = [2, 3, 2, 4];

    /// Four columns that follow each other, with values missing here and there.
    fn columns(rows: usize, missing: f64) -> Vec<Vec<u8>> {
        let mut rng = Rng::new(21);
        let mut columns = vec![Vec::new(); 4];
        for _ in 0..rows {
            let mut sum = 0;
            for (column, levels) in columns.iter_mut().zip(LEVELS) {
                sum += usize::from(rng.uniform() < 0.4) + usize::from(rng.uniform() < 0.2);
                column.push(if rng.uniform() < missing { levels as u8 } else { (sum % levels) as u8 });
            }
        }
        columns
    }

    fn data(columns: &[Vec<u8>]) -> Mixed {
        let column =
            |(codes, levels): (&Vec<u8>, usize)| MixedColumn::Categories { codes: codes.clone(), levels };
        Mixed::new(columns.iter().zip(LEVELS).map(column).collect()).unwrap()
    }

    /// The log-likelihood of a node given others on the rows in which all of some columns are there, and how many these stand for.
    fn likelihood(
        columns: &[Vec<u8>],
        weights: &[f64],
        node: usize,
        parents: &[usize],
        there: &[usize],
    ) -> (f64, f64) {
        let (mut cells, mut groups) = (HashMap::new(), HashMap::new());
        let mut total = 0.0;
        for (row, &weight) in weights.iter().enumerate() {
            if there.iter().all(|&column| usize::from(columns[column][row]) < LEVELS[column]) {
                let group: Vec<u8> = parents.iter().map(|&parent| columns[parent][row]).collect();
                *cells.entry((group.clone(), columns[node][row])).or_insert(0.0) += weight;
                *groups.entry(group).or_insert(0.0) += weight;
                total += weight;
            }
        }
        let part = |((group, _), count): (&(Vec<u8>, u8), &f64)| count * (count / groups[group]).ln();
        (cells.iter().map(part).sum(), total)
    }

    /// The cost by its definition; sums over hashed cells are rounded in any order.
    fn expected(columns: &[Vec<u8>], weights: &[f64], node: usize, parents: &[usize]) -> f64 {
        let all: f64 = weights.iter().sum();
        let price = 0.5 * all.ln();
        let free = LEVELS[node] as f64 - 1.0;
        let (alone, total) = likelihood(columns, weights, node, &[], &[node]);
        let mut cost = price * free - all * alone / total;
        let (mut taken, mut left) = (Vec::new(), parents.to_vec());
        while !left.is_empty() {
            let gain = |parent: usize| {
                let with = [&taken[..], &[parent]].concat();
                let there = [&with[..], &[node]].concat();
                let (before, total) = likelihood(columns, weights, node, &taken, &there);
                let (after, _) = likelihood(columns, weights, node, &with, &there);
                let groups: f64 = taken.iter().map(|&parent| LEVELS[parent] as f64).product();
                all / total * (after - before - price * free * groups * (LEVELS[parent] as f64 - 1.0))
            };
            let best = left.iter().copied().max_by(|&a, &b| gain(a).total_cmp(&gain(b))).unwrap();
            cost -= gain(best);
            taken.push(best);
            left.retain(|&parent| parent != best);
        }
        cost
    }

    fn check(score: &NodeAverage, expected: impl Fn(usize, &[usize]) -> f64) {
        let mut space = Space::default();
        for node in 0..4 {
            for bits in (0..16_usize).filter(|bits| bits >> node & 1 == 0) {
                let parents: Vec<usize> = (0..4).filter(|other| bits >> other & 1 == 1).collect();
                let (found, wanted) = (score.cost(node, &parents, &mut space), expected(node, &parents));
                assert!((found - wanted).abs() < 1e-9, "{node} {parents:?}: {found} for {wanted}");
            }
        }
    }

    #[test]
    fn costs_are_those_of_the_definition() {
        let columns = columns(90, 0.15);
        let whole: Vec<f64> = (0..90).map(|row| f64::from(1 + row % 4)).collect();
        for weights in [None, Some(&whole)] {
            let data = weights.map_or_else(|| data(&columns), |own| data(&columns).weighted(own).unwrap());
            let weights = weights.cloned().unwrap_or_else(|| vec![1.0; 90]);
            let score = NodeAverage::new(&data, Price::new(data.total(), None).unwrap()).unwrap();
            check(&score, |node, parents| expected(&columns, &weights, node, parents));
        }
    }

    #[test]
    fn a_candidate_is_compared_with_the_parents_on_the_same_rows() {
        let columns = columns(90, 0.15);
        let score = NodeAverage::new(&data(&columns), Price::new(90.0, None).unwrap()).unwrap();
        let (mut space, mut costs) = (Space::default(), vec![3.0]);
        score.costs_with(3, &[1], &[0, 2], &mut space, &mut costs);
        let gain = |more: usize| {
            let there = [1, more, 3];
            let (without, total) = likelihood(&columns, &[1.0; 90], 3, &[1], &there);
            let (with, _) = likelihood(&columns, &[1.0; 90], 3, &[1, more], &there);
            90.0 / total * (with - without - 0.5 * 90_f64.ln() * 3.0 * 3.0)
        };
        let cost = score.cost(3, &[1], &mut space);
        let wanted = [0, 2].map(|more| cost - gain(more));
        assert_eq!(costs.len(), 2);
        assert!(costs.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-9), "{costs:?}");
    }

    #[test]
    fn nothing_is_known_of_what_is_never_there() {
        let mut columns = columns(40, 0.1);
        columns[0].fill(2);
        // The second is there where the third is not.
        columns[1] = (0..40).map(|row| if row % 2 == 0 { 3 } else { row / 2 % 3 }).collect();
        columns[2] = (0..40).map(|row| if row % 2 == 0 { row / 4 % 2 } else { 2 }).collect();
        let score = NodeAverage::new(&data(&columns), Price::new(40.0, None).unwrap()).unwrap();
        let mut space = Space::default();
        assert_eq!(score.cost(0, &[], &mut space), 0.0);
        assert!(score.cost(1, &[], &mut space).is_finite());
        assert_eq!(score.cost(1, &[2], &mut space), f64::INFINITY);
        assert_eq!(score.cost(3, &[0], &mut space), f64::INFINITY);
    }

    #[test]
    fn a_parent_costs_the_parameters_of_a_level_more_and_rows_are_work() {
        let score = |rows: usize| {
            NodeAverage::new(&data(&columns(rows, 0.1)), Price::new(rows as f64, None).unwrap()).unwrap()
        };
        for (node, levels) in LEVELS.into_iter().enumerate() {
            let wanted = 0.5 * 60_f64.ln() * levels as f64;
            assert!((score(60).price_of_parent(node) - wanted).abs() < 1e-12);
        }
        assert_eq!(score(120).work(), 2 * score(60).work());
        assert!(score(60).work() >= 60);
    }

    /// Of two parents that are worth the same the first is taken first, and what is counted after it is counted on other rows.
    #[test]
    fn of_equal_gains_the_first_is_taken() {
        let columns: [[u8; 12]; 4] = [
            [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1],
            [0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 0, 0],
            [0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1],
            [2, 1, 0, 0, 1, 1, 0, 1, 0, 2, 2, 1],
        ];
        let column = |codes: &[u8; 12]| MixedColumn::Categories { codes: codes.to_vec(), levels: 2 };
        let data = Mixed::new(columns.iter().map(column).collect()).unwrap();
        let score = NodeAverage::new(&data, Price::new(12.0, None).unwrap()).unwrap();
        let mut space = Space::default();
        let mut gain = |taken: &[usize], more: usize| score.gain(0, taken, more, &mut space);
        assert_eq!(gain(&[], 1), gain(&[], 2));
        assert!(
            gain(&[], 1) > gain(&[], 3) && gain(&[1], 3) > gain(&[1], 2) && gain(&[2], 1) > gain(&[2], 3)
        );
        let after = [
            gain(&[], 1) + gain(&[1], 3) + gain(&[1, 3], 2),
            gain(&[], 2) + gain(&[2], 1) + gain(&[1, 2], 3),
        ];
        assert!((after[0] - after[1]).abs() > 1.0, "{after:?}");
        let found = score.cost(0, &[1, 2, 3], &mut space);
        let alone = score.alone(0, &mut space);
        assert!((found - (alone - after[0])).abs() < 1e-9, "{found}");
    }
}
