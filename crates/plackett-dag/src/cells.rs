//! The moments of numbers in each cell, that is each combination of categories that occurs: what the conditional Gaussian needs of
//! complete mixed data, as long as the cells are few.

use std::collections::HashMap;

use crate::mixed::{Mixed, MixedColumn};
use crate::{Error, Result};

/// How often each combination of categories occurs, and the moments of the numbers beside it.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// How many columns of numbers there are.
    numbers: usize,
    /// Where the cell of the codes of all categories is, in the order of the columns.
    places: HashMap<Box<[u8]>, u32>,
    counts: Vec<f64>,
    /// For each cell the means of the numbers, and then the lower triangle of their scatter about these.
    moments: Vec<f64>,
}

/// The most means and scatters of all cells together: 32 MiB.
const MOST_MOMENTS: usize = 1 << 22;

/// The means and scatters of one cell of so many numbers.
pub(crate) fn stride(numbers: usize) -> usize {
    numbers + numbers * (numbers + 1) / 2
}

impl Cells {
    /// Of rows of so many numbers; none yet.
    pub(crate) fn new(numbers: usize) -> Self {
        Self { numbers, places: HashMap::new(), counts: Vec::new(), moments: Vec::new() }
    }

    /// What was saved: the codes of all cells, their counts and their moments, if they fit the levels of the categories.
    pub(crate) fn from_parts(
        levels: &[usize],
        codes: &[u8],
        counts: &[f64],
        moments: &[f64],
        numbers: usize,
    ) -> Option<Self> {
        let mut cells = Self::new(numbers);
        let width = levels.len();
        let fits = |key: &[u8]| key.iter().zip(levels).all(|(&code, &levels)| usize::from(code) < levels);
        for (at, (&count, moments)) in
            counts.iter().zip(moments.chunks_exact(stride(numbers).max(1))).enumerate()
        {
            let key = codes.get(at * width..(at + 1) * width)?;
            if !fits(key)
                || !(count > 0.0 && count.is_finite())
                || moments.iter().any(|value| !value.is_finite())
            {
                return None;
            }
            let (means, scatter) = moments.split_at(numbers);
            cells.add(key, count, means, scatter)?;
        }
        (cells.counts.len() == counts.len()).then_some(cells)
    }

    /// The number of cells.
    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    /// How many rows each cell has.
    pub(crate) fn counts(&self) -> &[f64] {
        &self.counts
    }

    /// The moments of all cells, one after the other.
    pub(crate) fn moments(&self) -> &[f64] {
        &self.moments
    }

    /// The codes of the cells, in their order.
    pub(crate) fn keys(&self) -> Vec<&[u8]> {
        let mut keys: Vec<&[u8]> = vec![&[]; self.len()];
        self.places.iter().for_each(|(key, &place)| keys[place as usize] = key);
        keys
    }

    /// Takes in a row; nothing if there are too many cells then.
    pub(crate) fn push(&mut self, codes: &[u8], numbers: &[f64], weight: f64) -> Option<()> {
        self.add(codes, weight, numbers, &[])
    }

    /// Takes in the cells of other rows, whose codes mean the same; nothing if there are too many cells then.
    pub(crate) fn merge(&mut self, other: &Self) -> Option<()> {
        let stride = stride(self.numbers);
        for (place, key) in other.keys().into_iter().enumerate() {
            let (means, scatter) = other.moments[place * stride..(place + 1) * stride].split_at(self.numbers);
            self.add(key, other.counts[place], means, scatter)?;
        }
        Some(())
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
        let own = stride(self.numbers);
        let (mut chosen, mut products) = (Vec::new(), Vec::new());
        for (place, key) in self.keys().into_iter().enumerate() {
            let key: Option<Vec<u8>> = categories.iter().map(|&at| recoded(at, key[at])).collect();
            let (means, scatter) = self.moments[place * own..(place + 1) * own].split_at(self.numbers);
            chosen.clear();
            chosen.extend(numbers.iter().map(|&at| means[at]));
            products.clear();
            for (at, &i) in numbers.iter().enumerate() {
                products.extend(numbers[..=at].iter().map(|&j| scatter[triangle(i, j)]));
            }
            cells.add(&key?, self.counts[place], &chosen, &products)?;
        }
        Some(cells)
    }

    /// The cells as rows that stand for several, and the scatters within them, in the order of the numbers.
    ///
    /// # Errors
    /// [`Error::Empty`] if there are none.
    pub(crate) fn to_rows(&self, levels: &[Option<usize>]) -> Result<(Mixed, Vec<f64>)> {
        if self.counts.is_empty() {
            return Err(Error::Empty);
        }
        let (keys, stride) = (self.keys(), stride(self.numbers));
        let (mut category, mut number) = (0, 0);
        let column = |levels: &Option<usize>| match *levels {
            Some(levels) => {
                category += 1;
                MixedColumn::Categories { codes: keys.iter().map(|key| key[category - 1]).collect(), levels }
            }
            None => {
                number += 1;
                MixedColumn::Numbers(self.moments.iter().skip(number - 1).step_by(stride).copied().collect())
            }
        };
        let rows = Mixed::new(levels.iter().map(column).collect())?.weighted(&self.counts)?;
        let scatters =
            self.moments.chunks_exact(stride).flat_map(|one| &one[self.numbers..]).copied().collect();
        Ok((rows, scatters))
    }

    /// Takes in rows of one cell by their moments, those of two parts being joined as in one pass over both. Without a scatter it is one
    /// row. Nothing if there are too many cells then.
    fn add(&mut self, key: &[u8], count: f64, means: &[f64], scatter: &[f64]) -> Option<()> {
        let stride = stride(self.numbers);
        let Some(&place) = self.places.get(key) else {
            if (self.len() + 1) * stride.max(1) > MOST_MOMENTS {
                return None;
            }
            self.places.insert(key.into(), self.len() as u32);
            self.counts.push(count);
            self.moments.extend_from_slice(means);
            self.moments.extend_from_slice(scatter);
            self.moments.resize(self.len() * stride, 0.0);
            return Some(());
        };
        let place = place as usize;
        let before = self.counts[place];
        let total = before + count;
        let (own, products) = self.moments[place * stride..(place + 1) * stride].split_at_mut(self.numbers);
        let mut at = 0;
        for i in 0..means.len() {
            let share = (means[i] - own[i]) * (before / total) * count;
            for j in 0..=i {
                products[at] += scatter.get(at).copied().unwrap_or(0.0) + share * (means[j] - own[j]);
                at += 1;
            }
        }
        own.iter_mut().zip(means).for_each(|(mean, other)| *mean += (other - *mean) * (count / total));
        self.counts[place] = total;
        Some(())
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
            (0..600).map(|row| ((row % 3) as u8, [1e3 + normal(&mut rng), f64::from(row % 7)])).collect();
        let of = |rows: &[(u8, [f64; 2])]| {
            let mut cells = Cells::new(2);
            rows.iter().for_each(|(code, numbers)| cells.push(&[*code], numbers, 2.0).unwrap());
            cells
        };
        let mut cells = of(&rows[..250]);
        cells.merge(&of(&rows[250..])).unwrap();
        for (place, key) in cells.keys().into_iter().enumerate() {
            let own: Vec<[f64; 2]> =
                rows.iter().filter(|(code, _)| *code == key[0]).map(|(_, numbers)| *numbers).collect();
            let count = own.len() as f64;
            let mean = [0, 1].map(|at| own.iter().map(|row| row[at]).sum::<f64>() / count);
            let scatter = |i: usize, j: usize| -> f64 {
                own.iter().map(|row| 2.0 * (row[i] - mean[i]) * (row[j] - mean[j])).sum()
            };
            let expected = [mean[0], mean[1], scatter(0, 0), scatter(1, 0), scatter(1, 1)];
            assert_eq!(cells.counts()[place], 2.0 * count);
            for (found, expected) in cells.moments()[5 * place..5 * (place + 1)].iter().zip(expected) {
                assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} for {expected}");
            }
        }
        // Without the category all rows are of one cell.
        let alone = cells.of_columns(&[], &[1], |_, code| Some(code)).unwrap();
        let mean = rows.iter().map(|(_, numbers)| numbers[1]).sum::<f64>() / 600.0;
        assert_eq!((alone.len(), alone.counts()), (1, [1200.0].as_slice()));
        assert!((alone.moments()[0] - mean).abs() < 1e-12);
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

    #[test]
    fn what_does_not_fit_is_refused() {
        let saved = |codes: &[u8], count: f64, mean: f64| {
            Cells::from_parts(&[2], codes, &[1.0, count], &[0.0, 0.0, mean, 0.0], 1)
        };
        assert!(saved(&[0, 1], 1.0, 0.5).is_some());
        assert!(saved(&[0, 2], 1.0, 0.5).is_none(), "a code beyond the levels");
        assert!(saved(&[0, 0], 1.0, 0.5).is_none(), "the same cell twice");
        assert!(saved(&[0, 1], 0.0, 0.5).is_none(), "a cell without rows");
        assert!(saved(&[0, 1], 1.0, f64::NAN).is_none(), "no number");
        assert!(saved(&[0], 1.0, 0.5).is_none(), "codes that are not there");
    }
}
