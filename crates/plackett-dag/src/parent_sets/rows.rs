//! Rows with weights: equal rows are one row that counts as often as they occur.

use std::borrow::Cow;

use crate::Categories;
use crate::counts::Partition;

/// Columns of codes, and how often each row counts; once each if there are no weights.
#[derive(Clone, Debug)]
pub(super) struct Rows<'a> {
    pub(super) columns: Vec<Cow<'a, [u8]>>,
    pub(super) weights: Option<Vec<u32>>,
    pub(super) count: usize,
}

impl<'a> Rows<'a> {
    /// The rows of the data, equal ones taken together if that at least halves them.
    pub(super) fn new(data: &'a Categories) -> Self {
        let count = data.row_count();
        let columns = (0..data.columns()).map(|column| Cow::Borrowed(data.column(column))).collect();
        let rows = Self { columns, weights: data.counts().map(<[u32]>::to_vec), count };
        let (mut groups, mut finer, mut map) = (Partition::default(), Partition::default(), Vec::new());
        groups.start(count);
        for (column, codes) in rows.columns.iter().enumerate() {
            finer.refine(&groups, codes, data.arity(column), &mut map);
            finer.drop_empty(&mut map);
            std::mem::swap(&mut groups, &mut finer);
            if 2 * groups.groups() > count {
                return rows;
            }
        }
        let everything: Vec<usize> = (0..data.columns()).collect();
        rows.distinct(&groups, &everything)
    }

    /// The rows of the data, each counting as often as it is said here.
    pub(super) fn counted(data: &'a Categories, counts: Vec<u32>) -> Self {
        let columns = (0..data.columns()).map(|column| Cow::Borrowed(data.column(column))).collect();
        Self { columns, weights: Some(counts), count: data.row_count() }
    }

    /// One row for each group of a partition without empty groups, with the columns named, in which the group's rows agree.
    pub(super) fn distinct(&self, groups: &Partition, columns: &[usize]) -> Rows<'static> {
        let mut weights = Vec::new();
        groups.sizes(self.weights.as_deref(), &mut weights);
        let first = groups.first_rows();
        let columns = (columns.iter())
            .map(|&column| Cow::Owned(first.iter().map(|&row| self.columns[column][row as usize]).collect()))
            .collect();
        Rows { columns, weights: Some(weights), count: groups.groups() }
    }

    pub(super) fn weights(&self) -> Option<&[u32]> {
        self.weights.as_deref()
    }
}
