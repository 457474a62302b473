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
