//! Joint moments of numbers and of the indicators of categories: what the degenerate Gaussian needs of complete mixed data, in
//! O(columns²) memory however many rows there are. Beside them, while they are few, the cells of the categories with the moments of the
//! numbers in each, which the conditional Gaussian needs.
//!
//! Every level has an indicator here, so that the moments of parts merge; which levels become columns of a block, the whole
//! decides. The mean of an indicator is the share of the rows that have the level, so that the moments hold the counts too.

use std::ops::Range;

use plackett::run::Run;

use crate::cells::Cells;
use crate::gram::{Centering, GramBuilder};
use crate::mixed::{Blocks, Layout, Mixed, MixedColumn};
use crate::pace::Pace;
use crate::{Error, Gram, Result};

/// The moments of complete numbers and categories side by side, without their rows.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{JointMoments, Learning, Mixed, Observations, mixed::MixedColumn};
/// let dose: Vec<f64> = (0..100).map(|row| f64::from(row * 37 % 100)).collect();
/// let cured = dose.iter().map(|&dose| u8::from(dose > 50.0)).collect();
/// let columns = vec![MixedColumn::Numbers(dose), MixedColumn::Categories { codes: cured, levels: 2 }];
/// let Some(moments) = JointMoments::of(&Mixed::new(columns)?, &Run::default())? else { return Ok(()) };
/// assert_eq!((moments.rows(), moments.columns()), (100, 2));
/// let learned = Learning::default().run(&Observations::Joint(moments.into()), &Run::default())?;
/// assert_eq!(learned.dag.edge_count(), 1);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct JointMoments {
    /// How many levels each category has; nothing for numbers.
    levels: Vec<Option<usize>>,
    /// Of each column of numbers and of an indicator for each level of each category, in turn. All rows are merged.
    builder: GramBuilder,
    /// The moments of the numbers in each combination of categories; nothing once there are too many of these.
    cells: Option<Cells>,
    centering: Centering,
}

impl JointMoments {
    /// The most numbers and levels together: the moments of so many take 128 MiB.
    pub const MOST_COLUMNS: usize = 1 << 12;

    /// The moments of rows; nothing if the run is over before. O(rows · columns²).
    ///
    /// # Errors
    /// [`Error::Misfit`] if values are missing, or if there are more than [`JointMoments::MOST_COLUMNS`] numbers and levels
    /// together.
    pub fn of(data: &Mixed, run: &Run<'_>) -> Result<Option<Self>> {
        if !data.is_complete() {
            let reason = "need complete rows, and values are missing".to_owned();
            return Err(Error::Misfit { setting: "statistics", reason });
        }
        let levels = |column: &MixedColumn| match column {
            MixedColumn::Numbers(_) => None,
            MixedColumn::Categories { levels, .. } => Some(*levels),
        };
        let levels: Vec<Option<usize>> = data.columns().iter().map(levels).collect();
        let width = width(&levels)?;
        let mut builder = GramBuilder::new(width)?;
        let mut values = vec![0.0; width];
        let mut cells = Some(Cells::new(levels.iter().filter(|levels| levels.is_none()).count()));
        let (mut key, mut numbers) = (Vec::new(), Vec::new());
        let mut pace = Pace::new(run);
        for row in 0..data.rows() {
            values.fill(0.0);
            key.clear();
            numbers.clear();
            let mut start = 0;
            for (column, levels) in data.columns().iter().zip(&levels) {
                match column {
                    MixedColumn::Numbers(all) => {
                        values[start] = all[row];
                        numbers.push(all[row]);
                    }
                    MixedColumn::Categories { codes, .. } => {
                        values[start + usize::from(codes[row])] = 1.0;
                        key.push(codes[row]);
                    }
                }
                start += levels.unwrap_or(1);
            }
            builder.push_weighted(&values, data.weight(row))?;
            if cells.as_mut().is_some_and(|cells| cells.push(&key, &numbers, data.weight(row)).is_none()) {
                cells = None;
            }
            if pace.spend(width.pow(2)).is_none() {
                return Ok(None);
            }
        }
        builder.merge_block();
        Ok(Some(Self { levels, builder, cells, centering: data.centering() }))
    }

    /// Of columns with so many levels, and the moments of all their numbers and indicators, of at least one row, with cells if
    /// they are known.
    ///
    /// # Errors
    /// [`Error::Size`] if they do not fit each other, and as [`JointMoments::of`].
    pub(crate) fn from_parts(
        levels: Vec<Option<usize>>,
        builder: GramBuilder,
        cells: Option<Cells>,
    ) -> Result<Self> {
        let (expected, found) = (width(&levels)?, builder.columns());
        if expected != found {
            return Err(Error::Size { what: "the list of moments", expected, found });
        }
        Ok(Self { levels, builder, cells, centering: Centering::Center })
    }

    /// The moments of the numbers in each combination of categories, unless there were too many of these.
    pub(crate) fn cells(&self) -> Option<&Cells> {
        self.cells.as_ref()
    }

    /// The levels of each column; nothing for numbers.
    pub(crate) fn all_levels(&self) -> &[Option<usize>] {
        &self.levels
    }

    /// What is done to columns of numbers before their products are taken, if nothing but these varies.
    #[must_use]
    pub(crate) fn centered(self, centering: Centering) -> Self {
        Self { centering, ..self }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.builder.rows()
    }

    /// The number of columns, of numbers or of categories.
    pub fn columns(&self) -> usize {
        self.levels.len()
    }

    /// The number of numbers and levels together.
    pub(crate) fn width(&self) -> usize {
        self.builder.columns()
    }

    /// The moments of the numbers and indicators.
    pub(crate) fn builder(&self) -> &GramBuilder {
        &self.builder
    }

    /// How many levels a column of categories has; nothing for numbers.
    pub(crate) fn levels(&self, column: usize) -> Option<usize> {
        self.levels[column]
    }

    /// Whether a column holds numbers.
    pub(crate) fn is_numeric(&self, column: usize) -> bool {
        self.levels[column].is_none()
    }

    /// The moments of columns that all hold numbers.
    pub(crate) fn gram(&self) -> Result<Gram> {
        self.builder.clone().finish(self.centering)
    }

    /// The moments of some of the columns.
    pub(crate) fn of_columns(&self, places: &[usize]) -> Self {
        let spans = self.spans();
        let columns: Vec<Option<usize>> = places.iter().flat_map(|&at| spans[at].clone()).map(Some).collect();
        // Where a column is among those of its kind.
        let rank = |&at: &usize| {
            self.levels[..at].iter().filter(|other| other.is_some() == self.levels[at].is_some()).count()
        };
        let of_kind = |is_category: bool| -> Vec<usize> {
            places.iter().filter(|&&at| self.levels[at].is_some() == is_category).map(rank).collect()
        };
        let cells = |cells: &Cells| cells.of_columns(&of_kind(true), &of_kind(false), |_, code| Some(code));
        Self {
            levels: places.iter().map(|&at| self.levels[at]).collect(),
            builder: self.builder.clone().of_columns(&columns),
            cells: self.cells.as_ref().and_then(cells),
            centering: self.centering,
        }
    }

    /// The same moments with other levels: for each category, which of the old levels each of the new ones was, if any.
    ///
    /// # Errors
    /// As [`JointMoments::of`].
    pub(crate) fn with_levels(&self, sources: &[Option<Vec<Option<usize>>>]) -> Result<Self> {
        let levels: Vec<Option<usize>> =
            sources.iter().map(|sources| sources.as_ref().map(Vec::len)).collect();
        let mut columns = Vec::with_capacity(width(&levels)?);
        for (span, sources) in self.spans().into_iter().zip(sources) {
            match sources {
                None => columns.extend(span.map(Some)),
                Some(sources) => {
                    columns.extend(sources.iter().map(|level| level.map(|level| span.start + level)));
                }
            }
        }
        let maps: Vec<&Vec<Option<usize>>> = sources.iter().flatten().collect();
        let numbers: Vec<usize> = (0..levels.len() - maps.len()).collect();
        let recoded = |at: usize, code: u8| {
            let new = maps[at].iter().position(|&source| source == Some(usize::from(code)))?;
            u8::try_from(new).ok()
        };
        let categories: Vec<usize> = (0..maps.len()).collect();
        let cells = self.cells.as_ref().and_then(|cells| cells.of_columns(&categories, &numbers, recoded));
        let builder = self.builder.clone().of_columns(&columns);
        Ok(Self { levels, builder, cells, centering: self.centering })
    }

    /// Takes in the moments of other rows, with the same levels.
    ///
    /// # Errors
    /// [`Error::Size`] if the levels differ.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        self.builder.merge(&other.builder)?;
        let cells = self.cells.take().zip(other.cells.as_ref());
        self.cells = cells.and_then(|(mut cells, others)| cells.merge(others).map(|()| cells));
        Ok(())
    }

    /// In how many rows each level occurs; nothing for numbers.
    #[expect(clippy::cast_sign_loss, reason = "counts")]
    pub(crate) fn counts(&self) -> Vec<Option<Vec<usize>>> {
        let (means, rows) = (self.builder.merged_means(), self.rows() as f64);
        // Of a mean, rounding takes about 1e-15, so that the product is far closer to its count than to any other.
        let count = |at: usize| (means[at] * rows).round() as usize;
        let spans = self.spans().into_iter().zip(&self.levels);
        spans.map(|(span, levels)| levels.map(|_| span.map(count).collect())).collect()
    }

    /// The moments of the blocks that stand for the columns.
    ///
    /// # Errors
    /// [`Error::Empty`] if no column varies.
    pub(crate) fn blocks(&self) -> Result<Blocks> {
        let counts = |counts: Vec<usize>| counts.into_iter().map(|count| count as f64).collect();
        let layout = Layout::of_counts(self.counts().into_iter().map(|column| column.map(counts)));
        let mut columns = Vec::with_capacity(layout.width());
        for (node, span) in self.spans().into_iter().enumerate() {
            match self.levels[node] {
                None => columns.extend(span.map(Some)),
                Some(_) => columns.extend(layout.levels(node).map(|level| Some(span.start + level))),
            }
        }
        if columns.is_empty() {
            return Err(Error::Empty);
        }
        let gram = self.builder.clone().of_columns(&columns).finish(Centering::Center)?;
        Ok(Blocks { layout, gram, rows: self.rows() as f64 })
    }

    /// The least and the greatest of the numbers in each column; nothing for categories.
    pub(crate) fn ranges(&self) -> Vec<Option<(f64, f64)>> {
        let range = |(span, levels): (Range<usize>, &Option<usize>)| {
            levels.is_none().then(|| self.builder.range(span.start))
        };
        self.spans().into_iter().zip(&self.levels).map(range).collect()
    }

    /// Where the numbers or indicators of each column are.
    pub(crate) fn spans(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let span = |levels: &Option<usize>| {
            let span = start..start + levels.unwrap_or(1);
            start = span.end;
            span
        };
        self.levels.iter().map(span).collect()
    }
}

/// The number of numbers and levels together.
fn width(levels: &[Option<usize>]) -> Result<usize> {
    let width = levels.iter().map(|levels| levels.unwrap_or(1)).sum();
    if width > JointMoments::MOST_COLUMNS {
        let most = JointMoments::MOST_COLUMNS;
        let reason = format!(
            "need the moments of {width} numbers and categories together, and {most} are the most: leave out columns of many categories"
        );
        return Err(Error::Misfit { setting: "statistics", reason });
    }
    Ok(width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, normal};

    /// Two categories, of which the second has a level that never occurs, around a number.
    fn sample(rows: usize) -> Mixed {
        let mut rng = Rng::new(7);
        let numbers: Vec<f64> = (0..rows).map(|_| 1e3 + normal(&mut rng)).collect();
        let first = numbers.iter().enumerate().map(|(row, &number)| u8::from(number > 1e3) + (row % 2) as u8);
        let second = (0..rows).map(|row| [0, 0, 2, 3][row * 7 % 4]);
        Mixed::new(vec![
            MixedColumn::Categories { codes: first.collect(), levels: 3 },
            MixedColumn::Numbers(numbers.clone()),
            MixedColumn::Categories { codes: second.collect(), levels: 4 },
        ])
        .unwrap()
    }

    #[test]
    fn the_blocks_are_those_of_the_rows() {
        let data = sample(1501);
        let moments = JointMoments::of(&data, &Run::default()).unwrap().unwrap();
        let (found, expected) =
            (moments.blocks().unwrap(), Blocks::of(&data, &Run::default()).unwrap().unwrap());
        assert_eq!((found.layout.starts, found.rows), (expected.layout.starts, expected.rows));
        for (a, b) in found.gram.matrix().iter().zip(expected.gram.matrix()) {
            assert!((a - b).abs() < 1e-12, "{a} for {b}");
        }
        let MixedColumn::Categories { codes, .. } = &data.columns()[2] else { panic!("a category") };
        let mut counts = vec![0; 4];
        codes.iter().for_each(|&code| counts[usize::from(code)] += 1);
        assert_eq!((counts[1], moments.counts()[2].as_ref()), (0, Some(&counts)));
        assert_eq!(moments.counts()[1], None);
    }

    #[test]
    fn levels_change_places_and_new_ones_are_never_there() {
        let moments = JointMoments::of(&sample(300), &Run::default()).unwrap().unwrap();
        let counts = moments.counts()[0].clone().unwrap();
        let sources = [Some(vec![None, Some(2), Some(0), Some(1)]), None, Some((0..4).map(Some).collect())];
        let moved = moments.with_levels(&sources).unwrap();
        assert_eq!(moved.width(), moments.width() + 1);
        assert_eq!(moved.counts()[0], Some(vec![0, counts[2], counts[0], counts[1]]));
        let back = moved.with_levels(&[Some(vec![Some(2), Some(3), Some(1)]), None, sources[2].clone()]);
        assert_eq!(back.unwrap().gram().unwrap(), moments.gram().unwrap());
    }

    #[test]
    fn counts_are_exact_however_many_rows_are_merged() {
        let part = JointMoments::of(&sample(301), &Run::default()).unwrap().unwrap();
        let expected = |times: usize| -> Vec<Option<Vec<usize>>> {
            let times = |counts: Vec<usize>| counts.into_iter().map(|count| count * times).collect();
            part.counts().into_iter().map(|counts| counts.map(times)).collect()
        };
        let mut whole = part.clone();
        (1..3000).for_each(|_| whole.merge(&part).unwrap());
        assert_eq!(whole.counts(), expected(3000));
        for _ in 0..15 {
            let half = whole.clone();
            whole.merge(&half).unwrap();
        }
        assert_eq!((whole.rows(), whole.counts()), ((301 * 3000) << 15, expected(3000 << 15)));
    }

    #[test]
    fn too_many_levels_are_refused_before_they_take_memory() {
        let column = MixedColumn::Categories { codes: vec![0, 1], levels: 255 };
        let error = JointMoments::of(&Mixed::new(vec![column; 17]).unwrap(), &Run::default()).unwrap_err();
        assert!(error.to_string().contains("4335 numbers and categories"), "{error}");
    }
}
