//! The moments of numbers in each cell, that is each combination of categories that occurs: what the conditional Gaussian needs of
//! complete mixed data, as long as the cells are few.

use std::collections::BTreeMap;

use crate::mixed::{Mixed, MixedColumn};
use crate::{Error, Result};

/// How often each combination of categories occurs, and the moments of the numbers beside it. They are in the order of the codes, so that
/// it does not matter in which order the rows came.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// How many columns of numbers there are.
    numbers: usize,
    /// By the codes of all categories, in the order of the columns.
    all: BTreeMap<Box<[u8]>, Cell>,
}

/// The rows with one combination of categories.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) count: f64,
    /// The means of the numbers.
    pub(crate) means: Vec<f64>,
    /// The lower triangle of the scatter about them.
    pub(crate) scatter: Vec<f64>,
}

impl Cell {
    /// Takes in other rows, as if in one pass over both.
    fn merge(&mut self, other: &Self) {
        let total = self.count + other.count;
        let mut at = 0;
        for i in 0..self.means.len() {
            let share = (other.means[i] - self.means[i]) * (self.count / total) * other.count;
            for j in 0..=i {
                let more = other.scatter.get(at).copied().unwrap_or(0.0);
                self.scatter[at] += more + share * (other.means[j] - self.means[j]);
                at += 1;
            }
        }
        let part = other.count / total;
        self.means.iter_mut().zip(&other.means).for_each(|(mean, other)| *mean += (other - *mean) * part);
        self.count = total;
    }
}

/// The most means and entries of scatters of all cells together: 32 MiB.
const MOST_MOMENTS: usize = 1 << 22;

/// The entries of the lower triangle of a matrix of this size.
pub(crate) fn triangle_size(size: usize) -> usize {
    size * (size + 1) / 2
}

impl Cells {
    /// Of rows of so many numbers; none yet.
    pub(crate) fn new(numbers: usize) -> Self {
        Self { numbers, all: BTreeMap::new() }
    }

    /// The number of cells.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The cells with the codes of their categories.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &Cell)> {
        self.all.iter().map(|(codes, cell)| (codes.as_ref(), cell))
    }

    /// Takes in a row; nothing if there are too many cells then.
    pub(crate) fn push(&mut self, codes: &[u8], numbers: &[f64], weight: f64) -> Option<()> {
        // The scatter of one row is zero, and need not be made.
        self.add(codes, Cell { count: weight, means: numbers.to_vec(), scatter: Vec::new() })
    }

    /// Takes in rows of one combination of categories; nothing if there are too many cells then.
    pub(crate) fn add(&mut self, codes: &[u8], mut cell: Cell) -> Option<()> {
        if let Some(own) = self.all.get_mut(codes) {
            own.merge(&cell);
            return Some(());
        }
        let size = self.numbers + triangle_size(self.numbers);
        if (self.len() + 1) * size.max(1) > MOST_MOMENTS {
            return None;
        }
        cell.scatter.resize(triangle_size(self.numbers), 0.0);
        self.all.insert(codes.into(), cell);
        Some(())
    }

    /// Takes in the cells of other rows, whose codes mean the same; nothing if there are too many cells then.
    pub(crate) fn merge(&mut self, other: &Self) -> Option<()> {
        other.iter().try_for_each(|(codes, cell)| self.add(codes, cell.clone()))
    }

    /// The cells of some of the columns: of the categories, and of the numbers, at these places among their kind, with other codes for the
    /// categories. Nothing if a code that occurs has none.
    pub(crate) fn of_columns(
        &self,
        categories: &[usize],
        numbers: &[usize],
        recoded: impl Fn(usize, u8) -> Option<u8>,
    ) -> Option<Self> {
        let mut cells = Self::new(numbers.len());
        for (codes, cell) in self.iter() {
            let codes: Option<Vec<u8>> = categories.iter().map(|&at| recoded(at, codes[at])).collect();
            let means = numbers.iter().map(|&at| cell.means[at]).collect();
            let entry = |at: usize| {
                numbers[..=at].iter().map(move |&other| cell.scatter[triangle(numbers[at], other)])
            };
            let scatter = (0..numbers.len()).flat_map(entry).collect();
            cells.add(&codes?, Cell { count: cell.count, means, scatter })?;
        }
        Some(cells)
    }

    /// The cells as rows that stand for several, and the scatters within them, one after the other.
    ///
    /// # Errors
    /// [`Error::Empty`] if there are none.
    pub(crate) fn to_rows(&self, levels: &[Option<usize>]) -> Result<(Mixed, Vec<f64>)> {
        if self.all.is_empty() {
            return Err(Error::Empty);
        }
        let (mut category, mut number) = (0, 0);
        let column = |levels: &Option<usize>| {
            if let Some(levels) = *levels {
                category += 1;
                let codes = self.all.keys().map(|codes| codes[category - 1]).collect();
                MixedColumn::Categories { codes, levels }
            } else {
                number += 1;
                MixedColumn::Numbers(self.all.values().map(|cell| cell.means[number - 1]).collect())
            }
        };
        let counts: Vec<f64> = self.all.values().map(|cell| cell.count).collect();
        let rows = Mixed::new(levels.iter().map(column).collect())?.weighted(&counts)?;
        Ok((rows, self.all.values().flat_map(|cell| &cell.scatter).copied().collect()))
    }
}

/// Where the entry of row `i` and column `j` is in a lower triangle.
pub(crate) fn triangle(i: usize, j: usize) -> usize {
    let (low, high) = (i.min(j), i.max(j));
    high * (high + 1) / 2 + low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, normal};

    #[test]
    fn the_moments_are_those_of_the_rows_of_each_cell_however_they_are_divided() {
        let mut rng = Rng::new(3);
        let rows: Vec<(u8, [f64; 2])> =
            (0..600_u32).map(|row| ((row % 3) as u8, [1e3 + normal(&mut rng), f64::from(row % 7)])).collect();
        let of = |rows: &[(u8, [f64; 2])]| {
            let mut cells = Cells::new(2);
            rows.iter().for_each(|(code, numbers)| cells.push(&[*code], numbers, 2.0).unwrap());
            cells
        };
        let mut cells = of(&rows[..250]);
        cells.merge(&of(&rows[250..])).unwrap();
        for (codes, cell) in cells.iter() {
            let own: Vec<[f64; 2]> =
                rows.iter().filter(|(code, _)| *code == codes[0]).map(|(_, numbers)| *numbers).collect();
            let count = own.len() as f64;
            let mean = [0, 1].map(|at| own.iter().map(|row| row[at]).sum::<f64>() / count);
            let scatter = |i: usize, j: usize| -> f64 {
                own.iter().map(|row| 2.0 * (row[i] - mean[i]) * (row[j] - mean[j])).sum()
            };
            let expected = [mean[0], mean[1], scatter(0, 0), scatter(1, 0), scatter(1, 1)];
            assert_eq!(cell.count, 2.0 * count);
            for (found, expected) in cell.means.iter().chain(&cell.scatter).zip(expected) {
                assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} for {expected}");
            }
        }
        // Without the category all rows are of one cell.
        let alone = cells.of_columns(&[], &[1], |_, code| Some(code)).unwrap();
        let mean = rows.iter().map(|(_, numbers)| numbers[1]).sum::<f64>() / 600.0;
        let [(codes, cell)] = alone.iter().collect::<Vec<_>>()[..] else { panic!("one cell") };
        assert_eq!((codes, cell.count), ([].as_slice(), 1200.0));
        assert!((cell.means[0] - mean).abs() < 1e-12);
    }

    #[test]
    fn too_many_cells_are_given_up() {
        let mut cells = Cells::new(2000);
        let numbers = vec![0.5; 2000];
        assert_eq!(
            [0, 1, 2, 3].map(|code| cells.push(&[code], &numbers, 1.0)),
            [Some(()), Some(()), None, None]
        );
        assert_eq!(cells.push(&[1], &numbers, 1.0), Some(()));
    }
}
