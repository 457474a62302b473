//! What is kept of numbers and categories side by side when their rows are not: their joint moments, and what the levels of the
//! categories are called.

use plackett::run::Run;

use super::labels::Labels;
use super::{Column, Dataset, Kind, Values, Why};
use crate::JointMoments;
use crate::cells::Cells;
use crate::error::{Problem, Result};
use crate::gram::GramBuilder;

/// Joint moments with the labels of the levels, which are in an order that does not depend on that of the rows.
#[derive(Clone, Debug)]
pub(super) struct LabeledMoments {
    /// Nothing for numbers.
    pub(super) labels: Vec<Option<Labels>>,
    pub(super) moments: JointMoments,
}

impl LabeledMoments {
    /// Of complete data that hold their rows.
    ///
    /// # Errors
    /// [`Problem::OutOfTime`] if the run is over first, and as [`JointMoments::of`].
    pub(super) fn of(data: Dataset, run: &Run<'_>) -> Result<Self> {
        let labels = |values: &Values| match values {
            Values::Categories { labels, is_typed, is_ordered, .. } => {
                Some(Labels { texts: labels.clone(), is_typed: *is_typed, is_ordered: *is_ordered })
            }
            _ => None,
        };
        let labels = data.values.iter().map(labels).collect();
        let out_of_time = Problem::OutOfTime { rows: data.rows, are_all: true }.in_file(&data.source);
        let moments = JointMoments::of(&data.into_mixed()?, run)?.ok_or(out_of_time)?;
        Ok(Self { labels, moments })
    }

    /// Of what was saved, if it fits.
    pub(super) fn from_parts(
        labels: Vec<Option<Labels>>,
        builder: GramBuilder,
        cells: Option<Cells>,
    ) -> Result<Self> {
        let levels = labels.iter().map(|labels| labels.as_ref().map(|labels| labels.texts.len())).collect();
        Ok(Self { labels, moments: JointMoments::from_parts(levels, builder, cells)? })
    }

    /// The kind of each column.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let kind = |labels: &Option<Labels>| match labels {
            None => Kind::Numbers,
            Some(_) => Kind::Categories,
        };
        self.labels.iter().map(kind).collect()
    }

    /// Takes in those of other rows, with columns of the same kinds. A level that one of them does not know has a count of
    /// zero there.
    ///
    /// # Errors
    /// [`Error::Unfit`](crate::Error::Unfit) if a column has more than 256 categories together, and as [`JointMoments::of`].
    pub(super) fn merge(&mut self, other: &Self, names: &[String]) -> Result<()> {
        if self.labels == other.labels {
            return self.moments.merge(&other.moments);
        }
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for ((labels, theirs), name) in self.labels.iter_mut().zip(&other.labels).zip(names) {
            let (Some(labels), Some(theirs)) = (labels, theirs) else {
                own.push(None);
                others.push(None);
                continue;
            };
            let known = labels.texts.len();
            let map = labels.merge(theirs, name)?;
            let order = labels.sort();
            let place = |at: &usize| map.iter().position(|&new| usize::from(new) == *at);
            own.push(Some(order.iter().map(|&at| (at < known).then_some(at)).collect()));
            others.push(Some(order.iter().map(place).collect()));
        }
        self.moments = self.moments.with_levels(&own)?;
        self.moments.merge(&other.moments.with_levels(&others)?)
    }

    /// The moments of some of the columns.
    pub(super) fn of_columns(&self, places: &[usize]) -> Self {
        Self {
            labels: places.iter().map(|&at| self.labels[at].clone()).collect(),
            moments: self.moments.of_columns(places),
        }
    }

    /// What there is to say about each column, under its name and with what was missing in it.
    pub(super) fn columns(&self, named: Vec<(String, usize)>) -> Vec<Column> {
        let (kinds, counts) = (self.kinds(), self.moments.counts());
        let column = |(at, (name, missing)): (usize, (String, usize))| Column {
            name,
            kind: kinds[at],
            why: Why::Moments,
            missing,
            distinct: counts[at].as_ref().map(|counts| counts.iter().filter(|&&count| count > 0).count()),
            is_ordered: self.labels[at].as_ref().is_some_and(|labels| labels.is_ordered),
        };
        named.into_iter().enumerate().map(column).collect()
    }

    /// The moments of the columns of numbers, with their places; nothing if there are none.
    pub(super) fn numbers(&self) -> Option<(Vec<usize>, GramBuilder)> {
        let places: Vec<usize> = (0..self.labels.len()).filter(|&at| self.labels[at].is_none()).collect();
        (!places.is_empty()).then(|| {
            let builder = self.moments.of_columns(&places).builder().clone();
            (places, builder)
        })
    }

    /// What each number or indicator is called, for fingerprints.
    pub(super) fn indicator_names(&self, names: &[String]) -> Vec<String> {
        let columns = names.iter().zip(&self.labels);
        let indicators = |(name, labels): (&String, &Option<Labels>)| match labels {
            None => vec![name.clone()],
            Some(labels) => labels.texts.iter().map(|text| format!("{name}\0{text}")).collect(),
        };
        columns.flat_map(indicators).collect()
    }
}
