//! Where data come from: a file, whatever can be read, or columns in memory. All end in the same columns.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;

use plackett::run::Run;

use super::Dataset;
use super::builder::DatasetBuilder;
use super::covariance::{Covariance, is_covariance};
use super::dialect::{Dialect, Header};
use super::input::{Input, is_arrow, is_parquet, is_workbook};
use super::reading::Reading;
use super::statistics::Statistics;
use crate::error::{Error, Problem, Result};
use crate::field::Fields;
use crate::finding::{Concern, Finding};
use crate::records::{Records, decoded, open};

/// A column in memory.
///
/// # Example
/// ```
/// use plackett_dag::{Dataset, dataset::{Kind, Reading, SourceColumn, SourceValues}};
///
/// let dose = SourceColumn { name: "dose".into(), values: SourceValues::Numbers(vec![0.5, 1.5, 0.2]) };
/// let labels = vec!["no".to_owned(), "yes".to_owned()];
/// let values = SourceValues::Categories { labels, codes: vec![0, 1, 0], is_ordered: false };
/// let cured = SourceColumn { name: "cured".into(), values };
/// let data = Dataset::from_columns(vec![dose, cured], "trial", &Reading::default())?;
/// assert_eq!(data.kind(), None);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SourceColumn {
    /// Its name.
    pub name: String,
    /// Its values, one per row.
    pub values: SourceValues,
}

/// The values of a column in memory.
#[derive(Clone, Debug)]
pub enum SourceValues {
    /// Numbers, NaN where they are missing; few different whole ones may be categories.
    Numbers(Vec<f64>),
    /// Texts, read as the fields of a file are: different ones, and for each row the place of its own among them.
    Texts {
        /// Different texts.
        texts: Vec<String>,
        /// A place for each row; [`SourceValues::MISSING`] where there is none.
        codes: Vec<u32>,
    },
    /// What its type says to be categories: their labels, and for each row the place of its own among them.
    Categories {
        /// The labels, in their order.
        labels: Vec<String>,
        /// A place for each row; [`SourceValues::MISSING`] where there is none.
        codes: Vec<u32>,
        /// Whether their order means something.
        is_ordered: bool,
    },
}

impl SourceValues {
    /// The code of a missing value.
    pub const MISSING: u32 = u32::MAX;

    /// Whether all values are missing, so that nothing tells what they would be.
    pub(super) fn is_nothing(&self) -> bool {
        match self {
            Self::Numbers(numbers) => numbers.iter().all(|number| number.is_nan()),
            Self::Texts { codes, .. } => codes.iter().all(|&code| code == Self::MISSING),
            // Their type is known even so.
            Self::Categories { .. } => false,
        }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Texts { codes, .. } | Self::Categories { codes, .. } => codes.len(),
        }
    }
}

impl Dataset {
    /// Reads a file.
    ///
    /// # Errors
    /// As [`Dataset::from_reader`], and a file that cannot be opened.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, dataset::Reading};
    ///
    /// let error = Dataset::read("no-such-file.csv", &Reading::default()).unwrap_err();
    /// assert!(error.to_string().starts_with("no-such-file.csv: "));
    /// ```
    pub fn read(path: impl AsRef<Path>, reading: &Reading) -> Result<Self> {
        Self::read_within(path, reading, &Run::default())
    }

    /// Reads a file, unless the run is over before all of it is read and summed up.
    ///
    /// # Errors
    /// As [`Dataset::read`], and [`Problem::OutOfTime`].
    ///
    /// # Example
    /// ```
    /// use plackett::run::{Limits, Run};
    /// use plackett_dag::{Dataset, dataset::Reading};
    /// use std::time::Duration;
    ///
    /// # let folder = std::env::temp_dir().join(format!("plackett-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("data.csv");
    /// std::fs::write(&path, "a,b\n1,2\n3,5\n").unwrap();
    /// let run = Run::new(Limits::time(Duration::ZERO));
    /// let error = Dataset::read_within(&path, &Reading::default(), &run).unwrap_err();
    /// assert!(error.to_string().contains("there was no time for more than 0 rows"));
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn read_within(path: impl AsRef<Path>, reading: &Reading, run: &Run<'_>) -> Result<Self> {
        let path = path.as_ref();
        let (mut reader, name) = (open(path)?, path.display().to_string());
        let failed = |problem| Error::Io { file: name.clone(), problem };
        let head = reader.fill_buf().map_err(failed)?;
        if is_parquet(head) {
            return parquet_file(reader.into_inner(), &name, reading, run);
        }
        if is_arrow(head) {
            return arrow_file(reader.into_inner(), &name, reading, run);
        }
        Self::from_reader_within(reader, &name, reading, run)
    }

    /// Reads a text in one pass; `file` is what messages call it.
    ///
    /// Told from the beginning, unless `reading` says it: what stands between fields (commas, tabs, semicolons, bars or
    /// blanks), decimal commas, line ends, lines of remarks, whether there is a header. A first column without a name is
    /// left out. Fields may be quoted. The text may be packed by gzip or zstd, and encoded as UTF-8, UTF-16 or in the
    /// Western alphabet of Windows, which includes Latin-1.
    ///
    /// A column is of numbers or of categories: words are categories, and so are at most 20 different whole numbers (1.0 is
    /// one), unless another column holds measurements, that is numbers that are not whole or more different ones. Whatever
    /// is wrong with the values is found by the time the reader is at its end, and kept: see [`Dataset::faults`].
    ///
    /// # Errors
    /// By file, line and column: what is no table of text, has no rows, has rows of different lengths or columns of the
    /// same name; [`Error::NoSuchColumn`] if `reading` names a column that is not there.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, dataset::Reading};
    ///
    /// let error = Dataset::from_reader("a,b\n1,2\n3\n".as_bytes(), "data.csv", &Reading::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "data.csv, line 3: the row has 1 field, the header has 2");
    /// ```
    pub fn from_reader(reader: impl Read, file: &str, reading: &Reading) -> Result<Self> {
        Self::from_reader_within(reader, file, reading, &Run::default())
    }

    /// Reads a text, unless the run is over before all of it is read and summed up.
    ///
    /// # Errors
    /// As [`Dataset::from_reader`], and [`Problem::OutOfTime`].
    ///
    /// # Example
    /// ```
    /// use plackett::run::{Limits, Run};
    /// use plackett_dag::{Dataset, dataset::Reading};
    /// use std::time::Duration;
    ///
    /// let run = Run::new(Limits::time(Duration::from_secs(3600)));
    /// let data = Dataset::from_reader_within("a,b\n1,2\n3,5\n".as_bytes(), "data.csv", &Reading::default(), &run)?;
    /// assert_eq!(data.rows(), 2);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn from_reader_within(
        reader: impl Read,
        file: &str,
        reading: &Reading,
        run: &Run<'_>,
    ) -> Result<Self> {
        let input = Input::new(reader, file)?;
        if Statistics::is_one(&input.head) {
            return Statistics::from_bytes(&input.bytes(file)?, file)?.into_dataset(file, reading);
        }
        if is_workbook(&input.head) {
            return workbook(input, file, reading, run);
        }
        if is_parquet(&input.head) {
            return Err(Problem::NotFromPipe { what: "a Parquet file" }.in_file(file));
        }
        if is_arrow(&input.head) {
            return Err(Problem::NotFromPipe { what: "an Arrow file" }.in_file(file));
        }
        if reading.covariance || is_covariance(&input.head, input.is_whole) {
            let text = decoded(&input.bytes(file)?).into_owned();
            return Covariance::parse(&text, file, reading, run)?.into_dataset(file, reading);
        }
        let dialect = Dialect::of(&input.head, input.is_whole, reading);
        let mut notes = input.notes.clone();
        notes.extend(dialect.notes.iter().cloned());
        let fields = Fields { decimal_comma: dialect.decimal_comma, marks: reading.missing_marks.clone() };
        let reader = BufReader::with_capacity(1 << 16, input.into_reader());
        let mut records = Records::with_layout(reader, file, dialect.layout);
        if !records.advance_past_blanks()? {
            return Err(records.error_at(None, None, Problem::Empty));
        }
        let first: Vec<String> =
            (0..records.width()).map(|column| records.text(column).into_owned()).collect();
        let first_is_western = std::str::from_utf8(records.whole()).is_err();
        // The first record is a row already, unless it holds the names.
        let mut is_row = true;
        let names = match dialect.header {
            Header::FirstRecord => {
                is_row = false;
                dialect.has_row_names.then(String::new).into_iter().chain(first).collect()
            }
            Header::Comment(names) => names,
            Header::Nowhere => (1..=first.len()).map(|column| format!("x{column}")).collect(),
        };
        let plan = Plan::new(names, reading, &records)?;
        if plan.has_index {
            notes.push("an unnamed first column, left out".to_owned());
        }
        let width = plan.names.len();
        let mut builder = DatasetBuilder::of_texts(file, reading, fields, plan.names, plan.wanted);
        let weights_at = builder.weights_at();
        while is_row || records.advance_past_blanks()? {
            is_row = false;
            if records.width() != width {
                let is_remark = records.whole().starts_with(b"#");
                // A delimiter at the end of each row makes an empty field.
                let has_loose_end = records.width() == width + 1 && records.bytes(width).is_empty();
                if is_remark {
                    continue;
                }
                if !has_loose_end {
                    records.check_width(width)?;
                }
            }
            builder.push_row(weights_at, records.line(), |at| records.bytes(at), run)?;
        }
        if builder.rows() == 0 {
            return Err(records.error_at(None, None, Problem::NoRows));
        }
        if first_is_western || builder.is_western() {
            notes.push("Latin-1".to_owned());
        }
        let mut data = builder.settled(&plan.unnamed, notes, run)?;
        let is_there = |name: &String| data.names.contains(name);
        let unnamed: Vec<String> = plan.unnamed.into_iter().filter(is_there).collect();
        if !unnamed.is_empty() {
            data.findings.push(Finding { columns: unnamed, concern: Concern::Unnamed });
        }
        Ok(data)
    }

    /// Data from columns in memory; `source` is what messages call them.
    ///
    /// # Errors
    /// As [`DatasetBuilder::push`] and [`DatasetBuilder::finish`].
    pub fn from_columns(columns: Vec<SourceColumn>, source: &str, reading: &Reading) -> Result<Self> {
        let mut builder = DatasetBuilder::new(source, reading);
        builder.push(columns)?;
        builder.finish()
    }
}

#[cfg(feature = "parquet")]
use super::{arrow::read as arrow_file, parquet::read as parquet_file};

#[cfg(not(feature = "parquet"))]
fn arrow_file(_: std::fs::File, file: &str, _: &Reading, _: &Run<'_>) -> Result<Dataset> {
    Err(Problem::NotBuiltIn { what: "an Arrow file", feature: "parquet" }.in_file(file))
}

#[cfg(not(feature = "parquet"))]
fn parquet_file(_: std::fs::File, file: &str, _: &Reading, _: &Run<'_>) -> Result<Dataset> {
    Err(Problem::NotBuiltIn { what: "a Parquet file", feature: "parquet" }.in_file(file))
}

#[cfg(feature = "excel")]
fn workbook(input: Input<'_>, file: &str, reading: &Reading, run: &Run<'_>) -> Result<Dataset> {
    super::excel::read(input.bytes(file)?, file, reading, run)
}

#[cfg(not(feature = "excel"))]
fn workbook(_: Input<'_>, file: &str, _: &Reading, _: &Run<'_>) -> Result<Dataset> {
    let what = "an Excel workbook or another zip archive";
    Err(Problem::NotBuiltIn { what, feature: "excel" }.in_file(file))
}

/// Which columns of a file are read, under which names.
struct Plan {
    names: Vec<String>,
    wanted: Vec<usize>,
    /// Whether the first column has no name, as that of row numbers.
    has_index: bool,
    /// The names of other columns that had none.
    unnamed: Vec<String>,
}

impl Plan {
    fn new<R: std::io::BufRead>(
        mut names: Vec<String>,
        reading: &Reading,
        records: &Records<R>,
    ) -> Result<Self> {
        let has_index = names.len() > 1 && names[0].is_empty();
        let mut unnamed = Vec::new();
        for (at, name) in names.iter_mut().enumerate() {
            if name.is_empty() {
                *name = format!("column {}", at + 1);
                if at > 0 || !has_index {
                    unnamed.push(name.clone());
                }
            }
        }
        records.check_names(&names)?;
        let mut wanted = wanted(&names, reading)?;
        let is_asked_for = reading.columns.as_ref().is_some_and(|columns| columns.contains(&names[0]));
        let is_asked_for = is_asked_for
            || reading.weights.as_ref() == Some(&names[0])
            || reading.target_columns().contains(&names[0]);
        if has_index && !is_asked_for {
            wanted.retain(|&at| at > 0);
        }
        Ok(Self { names, wanted, has_index: has_index && !is_asked_for, unnamed })
    }
}

/// The places of the columns that are to be read, in their order.
pub(super) fn wanted(names: &[String], reading: &Reading) -> Result<Vec<usize>> {
    let asked = reading
        .columns
        .iter()
        .flatten()
        .chain(&reading.drop)
        .chain(&reading.categorical)
        .chain(&reading.numeric)
        .chain(&reading.weights);
    let target_columns = reading.target_columns();
    let asked = asked.chain(&target_columns);
    let unknown: Vec<String> = asked.filter(|name| !names.contains(name)).cloned().collect();
    if !unknown.is_empty() {
        return Err(Error::NoSuchColumn { names: unknown, known: names.to_vec() });
    }
    let place = |name: &String| names.iter().position(|other| other == name);
    let mut wanted: Vec<usize> = match &reading.columns {
        Some(columns) => columns.iter().filter_map(place).collect(),
        None => (0..names.len()).collect(),
    };
    let mut seen = HashSet::new();
    let is_aside =
        |at: usize| reading.weights.as_ref() == Some(&names[at]) || target_columns.contains(&names[at]);
    wanted.retain(|&at| seen.insert(at) && !reading.drop.contains(&names[at]) && !is_aside(at));
    if wanted.is_empty() {
        return Err(Error::Misfit {
            setting: "columns",
            reason: "and drop leave nothing to learn from".to_owned(),
        });
    }
    Ok(wanted)
}
