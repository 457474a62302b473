//! Rows of finite numbers under named columns, as models draw them and files take them.

use std::io::Write;

use crate::error::Error;
use crate::text::number_text;

/// A table of finite numbers with named columns.
///
/// # Example
/// ```
/// use plackett_dag::Table;
///
/// let table = Table::new(vec!["a".into(), "b".into()], vec![1.0, 2.0, 3.0, 4.5])?;
/// assert_eq!(table.names(), ["a", "b"]);
/// assert_eq!((table.row_count(), table.row(1)), (2, &[3.0, 4.5][..]));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    names: Vec<String>,
    values: Vec<f64>,
}

impl Table {
    /// A table of the values of all rows, one row after another.
    ///
    /// # Errors
    /// [`Error::TableShape`] if the values do not fill whole rows.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::Table;
    ///
    /// let table = Table::new(vec!["a".into(), "b".into()], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(table.row(1), [3.0, 4.0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(names: Vec<String>, values: Vec<f64>) -> Result<Self, Error> {
        let (columns, count) = (names.len(), values.len());
        if if columns == 0 { count > 0 } else { count % columns > 0 } {
            return Err(Error::TableShape { columns, values: count });
        }
        Ok(Table { names, values })
    }

    /// A table of values that are known to fill whole rows.
    pub(crate) fn from_parts(names: Vec<String>, values: Vec<f64>) -> Self {
        Table { names, values }
    }

    /// The names of the columns.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Table;
    /// assert_eq!(Table::new(vec!["a".into()], vec![1.0])?.names(), ["a"]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of columns, d.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Table;
    /// assert_eq!(Table::new(vec!["a".into(), "b".into()], vec![])?.columns(), 2);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn columns(&self) -> usize {
        self.names.len()
    }

    /// The number of rows, n.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Table;
    /// assert_eq!(Table::new(vec!["a".into()], vec![1.0, 2.0])?.row_count(), 2);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn row_count(&self) -> usize {
        self.values.len().checked_div(self.names.len()).unwrap_or(0)
    }

    /// The values, one row after another.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Table;
    /// assert_eq!(Table::new(vec!["a".into()], vec![1.0, 2.0])?.values(), [1.0, 2.0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// One row; a row that does not exist is empty.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Table;
    /// let table = Table::new(vec!["a".into(), "b".into()], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!((table.row(0), table.row(2)), (&[1.0, 2.0][..], &[][..]));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn row(&self, row: usize) -> &[f64] {
        let start = row.saturating_mul(self.columns());
        self.values.get(start..start.saturating_add(self.columns())).unwrap_or_default()
    }

    /// All rows in turn.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Table;
    /// let table = Table::new(vec!["a".into(), "b".into()], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(table.rows().map(|row| row[1]).sum::<f64>(), 6.0);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.columns().max(1))
    }

    /// Writes the table as CSV, each number so that it reads back as the same number; `file` is what errors call it.
    ///
    /// # Errors
    /// [`Error::Io`] if the writer fails.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Table;
    /// let mut text = Vec::new();
    /// Table::new(vec!["a".into(), "b".into()], vec![1.0, -0.25])?.write_csv(&mut text, "data.csv")?;
    /// assert_eq!(text, b"a,b\n1,-0.25\n");
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn write_csv(&self, writer: impl Write, file: &str) -> Result<(), Error> {
        let failed = |problem: csv::Error| Error::Io { file: file.to_string(), problem: problem.into() };
        let mut writer = csv::Writer::from_writer(writer);
        writer.write_record(&self.names).map_err(failed)?;
        for row in self.rows() {
            writer.write_record(row.iter().map(|&value| number_text(value))).map_err(failed)?;
        }
        writer.flush().map_err(|problem| Error::Io { file: file.to_string(), problem })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Dataset,
        dataset::{Kind, Reading},
    };
    use proptest::prelude::*;

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        assert!(matches!(Table::new(vec!["a".into(), "b".into()], vec![1.0]), Err(Error::TableShape { .. })));
        assert!(matches!(Table::new(vec![], vec![1.0]), Err(Error::TableShape { .. })));
        let empty = Table::new(vec![], vec![]).unwrap();
        assert_eq!((empty.row_count(), empty.rows().count()), (0, 0));
    }

    proptest! {
        #[test]
        fn tables_survive_writing_and_reading(
            names in proptest::collection::hash_set("[a-z][ -~]{0,5}[a-z]", 2..5),
            numbers in proptest::collection::vec(proptest::num::f64::NORMAL | proptest::num::f64::ZERO, 1..40),
        ) {
            let names: Vec<String> = names.into_iter().collect();
            let rows = numbers.len().div_ceil(names.len());
            let values: Vec<f64> = numbers.iter().copied().cycle().take(rows * names.len()).collect();
            let table = Table::new(names, values).unwrap();
            let mut text = Vec::new();
            table.write_csv(&mut text, "d.csv").unwrap();
            let reading = Reading { delimiter: Some(crate::dataset::Delimiter::Byte(b',')), header: Some(true), ..Reading::all(Kind::Numbers) };
            let read = Dataset::from_reader(text.as_slice(), "d.csv", &reading).unwrap();
            prop_assert_eq!(read.names(), table.names());
            for column in 0..table.columns() {
                let wanted: Vec<f64> = table.rows().map(|row| row[column]).collect();
                prop_assert_eq!(read.numbers(column).unwrap(), wanted);
            }
        }
    }
}
