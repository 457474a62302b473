//! The penalized node-average likelihood of incomplete categories (Balov 2013; Bodewes and Scutari 2021): each family is counted
//! on the rows in which it is complete, and its mean log-likelihood there stands for that of all rows,
//! n·(−(1/n_l) Σ N_jk log(N_jk/N_j)) + c_n·(r − 1)·q.
//!
//! Families are counted on different rows, which makes differences of likelihoods vary by some √n. The price of a parameter must
//! outgrow that for the graph to be found in the end: c_n = ½ log n where nothing is missing, and more as more is.

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
    columns: Vec<(Vec<u8>, usize)>,
    price: Price,
}

/// Workspace of a cost.
#[derive(Debug, Default)]
pub(crate) struct Space {
    rows: Vec<u32>,
    column: Vec<u8>,
    groups: Partition,
    finer: Partition,
    map: Vec<u32>,
    counts: FamilyCounts,
}

impl NodeAverage {
    /// # Errors
    /// [`Error::Misfit`] for columns of numbers.
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
        Ok(Self { rows: data.rows(), columns, price })
    }
}

impl Family for NodeAverage {
    type Space = Space;

    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn nodes(&self) -> usize {
        self.columns.len()
    }

    fn work(&self) -> usize {
        8 * self.rows
    }

    fn cost(&self, node: usize, parents: &[usize], space: &mut Space) -> f64 {
        let Space { rows, column, groups, finer, map, counts } = space;
        rows.clear();
        rows.extend(0..self.rows as u32);
        for &member in parents.iter().chain([&node]) {
            let (codes, levels) = &self.columns[member];
            rows.retain(|&row| usize::from(codes[row as usize]) < *levels);
        }
        if rows.is_empty() {
            // Nothing is known of such a family.
            return if parents.is_empty() { 0.0 } else { f64::INFINITY };
        }
        groups.start(rows.len());
        let mut configurations = 1.0_f64;
        let gather = |codes: &[u8], column: &mut Vec<u8>| {
            column.clear();
            column.extend(rows.iter().map(|&row| codes[row as usize]));
        };
        for &parent in parents {
            let (codes, levels) = &self.columns[parent];
            gather(codes, column);
            finer.refine(groups, column, *levels, map);
            std::mem::swap(groups, finer);
            configurations = (configurations * *levels as f64).min(super::MOST_CONFIGURATIONS);
        }
        let (codes, levels) = &self.columns[node];
        gather(codes, column);
        counts.count(groups, column, *levels, None);
        let average = counts.log_likelihood() / rows.len() as f64;
        let parameters = (*levels as f64 - 1.0) * configurations;
        self.price.of(parameters, parents.len()) - self.rows as f64 * average
    }
}
