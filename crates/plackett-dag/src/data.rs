//! Data files: CSV with a header of names and rows of finite numbers, read whole into a [`Table`] or row by row by a
//! [`RowReader`] in memory that does not grow with the file. Whatever is wrong is named by file, line and column.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use crate::error::Error;
use crate::records::{Records, number_text, open};

/// Columns whose correlation is this close to ±1 are taken for copies of one another: rounding leaves about 1e-14
/// between true copies, and no order score could tell closer ones apart.
const COPY_TOLERANCE: f64 = 1e-12;

/// A column whose standard deviation is below this share of its mean's size is constant: a double has 16 digits, so
/// that what is left is rounding.
const CONSTANT_TOLERANCE: f64 = 1e-14;

/// A table of finite numbers with named columns.
///
/// # Example
/// ```
/// use plackett_dag::Table;
///
/// let table = Table::from_reader("a,b\n1,2\n3,4.5\n".as_bytes(), "data.csv")?;
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

    /// Reads a whole CSV file.
    ///
    /// # Errors
    /// A file that cannot be read, and whatever [`RowReader`] refuses.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::Table;
    ///
    /// let error = Table::read("no-such-file.csv").unwrap_err();
    /// assert!(error.to_string().starts_with("no-such-file.csv: "));
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        RowReader::open(path)?.into_table()
    }

    /// Reads a whole CSV text; `file` is what errors call it.
    ///
    /// # Errors
    /// Whatever [`RowReader`] refuses.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::Table;
    ///
    /// let error = Table::from_reader("a,b\n1,2\n3,four\n".as_bytes(), "data.csv").unwrap_err();
    /// assert_eq!(error.to_string(), "data.csv, line 3, column \"b\": \"four\" is not a number");
    /// ```
    pub fn from_reader(reader: impl Read, file: &str) -> Result<Self, Error> {
        RowReader::new(BufReader::new(reader), file)?.into_table()
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

    /// The columns that no graph can be learned from: constant ones, and copies of others up to shift, sign and scale.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Table;
    /// let table = Table::from_reader("a,b,c\n1,5,-2\n2,5,-4\n4,5,-8\n".as_bytes(), "data.csv")?;
    /// let faults: Vec<String> = table.diagnose().iter().map(ToString::to_string).collect();
    /// assert_eq!(faults, [
    ///     "column \"b\" is constant",
    ///     "column \"c\" is a copy of column \"a\" up to shift and scale (correlation -1)",
    /// ]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn diagnose(&self) -> Vec<ColumnFault> {
        let columns = self.columns();
        let count = self.row_count().max(1) as f64;
        // Taking off the first row first makes the rest exactly zero in a constant column, and keeps the digits of a
        // column whose mean is large.
        let origin = self.row(0);
        let mut mean = vec![0.0; columns];
        for row in self.rows() {
            for ((sum, value), first) in mean.iter_mut().zip(row).zip(origin) {
                *sum += (value - first) / count;
            }
        }
        let mut scatter = vec![0.0; columns * columns];
        let mut centered = vec![0.0; columns];
        for row in self.rows() {
            for (column, slot) in centered.iter_mut().enumerate() {
                *slot = row[column] - origin[column] - mean[column];
            }
            for (a, &left) in centered.iter().enumerate() {
                for (slot, &right) in scatter[a * columns..=a * columns + a].iter_mut().zip(&centered) {
                    *slot += left * right / count;
                }
            }
        }
        for (a, b) in (0..columns).flat_map(|a| (0..a).map(move |b| (a, b))) {
            scatter[b * columns + a] = scatter[a * columns + b];
        }
        let mean: Vec<f64> = mean.iter().zip(origin).map(|(mean, first)| mean + first).collect();
        diagnose_moments(&self.names, &mean, &scatter)
    }

    /// [`Table::diagnose`] as an error that lists every fault.
    ///
    /// # Errors
    /// [`Error::Columns`] if there is any fault.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Table;
    /// let table = Table::from_reader("a,b\n1,5\n2,5\n".as_bytes(), "data.csv")?;
    /// assert_eq!(table.check_columns().unwrap_err().to_string(), "column \"b\" is constant");
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn check_columns(&self) -> Result<(), Error> {
        let faults = self.diagnose();
        if faults.is_empty() { Ok(()) } else { Err(Error::Columns { faults }) }
    }
}

/// Why a column cannot be used.
///
/// # Example
/// ```
/// use plackett_dag::ColumnFault;
///
/// let fault = ColumnFault::Constant { column: "age".into() };
/// assert_eq!(fault.to_string(), "column \"age\" is constant");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ColumnFault {
    /// All its values are the same.
    Constant {
        /// The column's name.
        column: String,
    },
    /// It is another column shifted and scaled.
    Copy {
        /// The column's name.
        column: String,
        /// The name of the column, further left, of which it is a copy.
        original: String,
        /// Their correlation, 1 or −1 up to rounding.
        correlation: f64,
    },
    /// It divides the rows into the same categories as another column does.
    SameCategories {
        /// The column's name.
        column: String,
        /// The name of the column, further left, of which it is a copy.
        original: String,
    },
}

impl fmt::Display for ColumnFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnFault::Constant { column } => write!(f, "column \"{column}\" is constant"),
            ColumnFault::Copy { column, original, correlation } => write!(
                f,
                "column \"{column}\" is a copy of column \"{original}\" up to shift and scale (correlation {})",
                correlation.signum()
            ),
            ColumnFault::SameCategories { column, original } => write!(
                f,
                "column \"{column}\" is a copy of column \"{original}\" up to the names of the categories"
            ),
        }
    }
}

/// [`Table::diagnose`] from the means and the covariance matrix (d × d, row-major), for data that were never in memory
/// as a whole. Names, means or entries beyond the shortest of the three are not looked at.
///
/// # Example
/// ```
/// use plackett_dag::{ColumnFault, diagnose_moments};
///
/// let names = ["a".to_string(), "b".to_string()];
/// assert!(diagnose_moments(&names, &[0.0, 0.0], &[1.0, 0.5, 0.5, 1.0]).is_empty());
/// let faults = diagnose_moments(&names, &[0.0, 0.0], &[1.0, -2.0, -2.0, 4.0]);
/// assert!(matches!(&faults[..], [ColumnFault::Copy { column, original, .. }] if column == "b" && original == "a"));
/// ```
pub fn diagnose_moments(names: &[String], mean: &[f64], covariance: &[f64]) -> Vec<ColumnFault> {
    let columns = names.len().min(mean.len()).min(covariance.len().isqrt());
    let entry = |a: usize, b: usize| covariance[a * columns + b];
    let mut faults = Vec::new();
    let mut varying: Vec<usize> = Vec::new();
    for column in 0..columns {
        let deviation = entry(column, column).max(0.0).sqrt();
        if deviation <= CONSTANT_TOLERANCE * mean[column].abs() {
            faults.push(ColumnFault::Constant { column: names[column].clone() });
            continue;
        }
        let correlation = |other: usize| entry(column, other) / deviation / entry(other, other).sqrt();
        match varying.iter().find(|&&other| correlation(other).abs() > 1.0 - COPY_TOLERANCE) {
            Some(&other) => faults.push(ColumnFault::Copy {
                column: names[column].clone(),
                original: names[other].clone(),
                correlation: correlation(other),
            }),
            None => varying.push(column),
        }
    }
    faults
}

/// Reads a CSV file of numbers row by row, in memory that does not depend on the number of rows.
///
/// The first line that is not blank holds the names of the columns. Fields are separated by commas and may be quoted;
/// a byte-order mark, CRLF line ends, and white space around fields are fine, and blank lines are skipped (in a file
/// of one column a blank line between rows is a missing value). Refused, by file, line and column: an empty file or
/// one without rows, a first line of numbers, unnamed columns or two of the same name, rows of another length than
/// the header, and fields that are missing, not a number or not finite.
///
/// # Example
/// ```
/// use plackett_dag::RowReader;
///
/// let rows = RowReader::new("a,b\n1,2\n3,4\n".as_bytes(), "data.csv")?;
/// let mut sums = vec![0.0; rows.names().len()];
/// let count = rows.for_each(|row| sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value))?;
/// assert_eq!((count, sums), (2, vec![4.0, 6.0]));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub struct RowReader<R> {
    records: Records<R>,
    names: Vec<String>,
}

impl RowReader<BufReader<File>> {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// A file that cannot be read, or a header that is refused.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::RowReader;
    ///
    /// assert!(RowReader::open("no-such-file.csv").is_err());
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        Self::new(open(path)?, &path.display().to_string())
    }
}

impl<R: BufRead> RowReader<R> {
    /// Reads the header of a CSV text; `file` is what errors call it.
    ///
    /// # Errors
    /// A header that is refused.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::RowReader;
    ///
    /// let error = RowReader::new("a,b,a\n".as_bytes(), "data.csv").err().unwrap();
    /// assert_eq!(error.to_string(), "data.csv, line 1, column \"a\": two columns have this name");
    /// ```
    pub fn new(reader: R, file: &str) -> Result<Self, Error> {
        let mut records = Records::new(reader, file);
        let names = records.read_header()?;
        Ok(RowReader { records, names })
    }

    /// The names of the columns.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::RowReader;
    /// assert_eq!(RowReader::new("a,b\n1,2\n".as_bytes(), "data.csv")?.names(), ["a", "b"]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Hands every row to `take` and returns the number of rows.
    ///
    /// # Errors
    /// The first row that is refused; the rows before it have been handed over by then.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::RowReader;
    /// let mut first = Vec::new();
    /// RowReader::new("a,b\n1,2\n3,4\n".as_bytes(), "data.csv")?.for_each(|row| first.push(row[0]))?;
    /// assert_eq!(first, [1.0, 3.0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn for_each(mut self, mut take: impl FnMut(&[f64])) -> Result<u64, Error> {
        let mut row = vec![0.0; self.names.len()];
        let mut count = 0;
        while self.records.advance_row(&self.names)? {
            for (column, (slot, name)) in row.iter_mut().zip(&self.names).enumerate() {
                *slot = self.records.number(column, name)?;
            }
            take(&row);
            count += 1;
        }
        Ok(count)
    }

    fn into_table(self) -> Result<Table, Error> {
        let names = self.names.clone();
        let mut values = Vec::new();
        self.for_each(|row| values.extend_from_slice(row))?;
        Ok(Table::from_parts(names, values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Table, Error> {
        Table::from_reader(text.as_bytes(), "d.csv")
    }

    fn message(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn marks_line_ends_quotes_and_blanks_are_read_alike() {
        let plain = read("a,b c\n1,2\n-3e2,4\n").unwrap();
        assert_eq!(plain.values(), [1.0, 2.0, -300.0, 4.0]);
        for text in [
            "\u{feff}a,b c\r\n1,2\r\n-3e2,4\r\n",
            "\u{feff}\"a\",\"b c\"\n1,2\n\"-3e2\",\"4\"",
            "\n a , b c \n\n1,  2\n\n\n-3e2,4\n\n\n",
            "a,\"b c\n\"\n1,2\n-300,4.0",
        ] {
            assert_eq!(read(text).unwrap(), plain, "{text:?}");
        }
    }

    #[test]
    fn faults_are_named_by_line_and_column() {
        for (text, wanted) in [
            ("", "d.csv: the file is empty"),
            ("\u{feff}\n \r\n", "d.csv: the file is empty"),
            ("a,b\n", "d.csv: the file has a header and no rows"),
            ("a,b\n\n", "d.csv: the file has a header and no rows"),
            ("a,b\n1,2\n3\n", "d.csv, line 3: the row has 1 field, the header has 2"),
            ("a,b\r\n1,2\r\n3,4,5\r\n", "d.csv, line 3: the row has 3 fields, the header has 2"),
            ("a,b\r\n\r\n1,2\r\n\r\n3,x\r\n", "d.csv, line 5, column \"b\": \"x\" is not a number"),
            ("a,\"b\nc\"\n1,2\n3,x\n", "d.csv, line 4, column \"b\nc\": \"x\" is not a number"),
            ("a,b\n1,\n", "d.csv, line 2, column \"b\": the value is missing (empty field)"),
            ("a,b\nNA,1\n", "d.csv, line 2, column \"a\": the value is missing (NA)"),
            ("a,b\n1,NaN\n", "d.csv, line 2, column \"b\": the value is missing (NaN)"),
            ("a,b\n1,?\n", "d.csv, line 2, column \"b\": the value is missing (?)"),
            ("a,b\n1,-inf\n", "d.csv, line 2, column \"b\": -inf is not a finite number"),
            ("a,b\n1,1e999\n", "d.csv, line 2, column \"b\": 1e999 is not a finite number"),
            ("a,b,a\n1,2,3\n", "d.csv, line 1, column \"a\": two columns have this name"),
            (
                "1.5,2\n3,4\n",
                "d.csv, line 1: the first line must hold the names of the columns, but it holds numbers",
            ),
            (
                ",a\n0,1\n",
                "d.csv, line 1, column \"1\": the column has no name (a column of row numbers must be left out of the file)",
            ),
            ("a\n1\n\n\n2\n", "d.csv, line 3, column \"a\": the value is missing (empty field)"),
            ("a,b\n1,\"2\n", "d.csv, line 2: a quotation mark is never closed"),
            ("a,5\" b\n1,2\n3,4\n5\",6\n", "d.csv, line 1: a quotation mark is never closed"),
        ] {
            assert_eq!(message(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn text_that_is_not_utf8_is_named() {
        let error = Table::from_reader(&b"a,b\n1,\xff\n"[..], "d.csv").unwrap_err();
        assert_eq!(error.to_string(), "d.csv, line 2, column \"b\": the text is not encoded as UTF-8");
        let error = Table::from_reader(&b"\xff\xfea\0,\0b\0\n\0"[..], "d.csv").unwrap_err();
        assert_eq!(error.to_string(), "d.csv, line 1, column \"1\": the text is not encoded as UTF-8");
    }

    #[test]
    fn another_delimiter_is_recognized() {
        for (text, name) in [
            ("a;b\n1;2\n", "';'"),
            ("a;b\n1,5;2,5\n", "';'"),
            ("a\tb\n1\t2\n", "tabs"),
            ("a|b\n1|-2\n", "'|'"),
            ("a b\n1  2\n", "spaces"),
            ("a,b\n1;2\n", "';'"),
        ] {
            let wanted = format!("separated by {name}, but a comma is expected");
            assert!(message(text).contains(&wanted), "{text:?}: {}", message(text));
        }
        assert!(message("a,b\n1, 2, 3\n").contains("the row has 3 fields"));
        assert!(message("a,b\n1, 2 3\n").contains("\"2 3\" is not a number"));
    }

    #[test]
    fn one_column_and_numbered_columns_are_fine() {
        assert_eq!(read("a\n1\n2\n\n").unwrap().values(), [1.0, 2.0]);
        assert_eq!(read("0,1\n1,2\n").unwrap().names(), ["0", "1"]);
    }

    #[test]
    fn columns_far_from_zero_are_judged_by_their_spread() {
        let names = ["a", "b", "c", "d"].map(String::from).to_vec();
        let rows = (0..50).map(|step| (f64::from(step).sin(), f64::from(step % 7)));
        let rows = rows.flat_map(|(wave, saw)| [1e6 + wave, 0.1, 3.0 - 7.0 * wave, wave + 1e-4 * saw]);
        let faults = Table::new(names, rows.collect()).unwrap().diagnose();
        assert!(
            matches!(&faults[..], [ColumnFault::Constant { column: b }, ColumnFault::Copy { column: c, original, correlation }]
                if b == "b" && c == "c" && original == "a" && *correlation < 0.0),
            "{faults:?}"
        );
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        assert!(matches!(Table::new(vec!["a".into(), "b".into()], vec![1.0]), Err(Error::TableShape { .. })));
        assert!(matches!(Table::new(vec![], vec![1.0]), Err(Error::TableShape { .. })));
        let empty = Table::new(vec![], vec![]).unwrap();
        assert_eq!((empty.row_count(), empty.rows().count(), empty.diagnose().len()), (0, 0, 0));
    }

    #[test]
    fn files_are_read_and_directories_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data.csv");
        std::fs::write(&path, "a,b\n1,2\n").unwrap();
        assert_eq!(Table::read(&path).unwrap().values(), [1.0, 2.0]);
        assert!(matches!(Table::read(directory.path()), Err(Error::Io { .. })));
    }

    proptest! {
        #[test]
        fn tables_survive_writing_and_reading(
            names in proptest::collection::hash_set("[a-z][ -~]{0,5}[a-z]", 1..5),
            numbers in proptest::collection::vec(proptest::num::f64::NORMAL | proptest::num::f64::ZERO, 1..40),
        ) {
            let names: Vec<String> = names.into_iter().collect();
            let rows = numbers.len().div_ceil(names.len());
            let values: Vec<f64> = numbers.iter().copied().cycle().take(rows * names.len()).collect();
            let table = Table::new(names, values).unwrap();
            let mut text = Vec::new();
            table.write_csv(&mut text, "d.csv").unwrap();
            prop_assert_eq!(Table::from_reader(text.as_slice(), "d.csv").unwrap(), table);
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[a1.,;\"\n\r \t-]{0,60}") {
            let _ = read(&text);
        }
    }
}
