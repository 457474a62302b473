//! Where data come from: a file, whatever can be read, or columns in memory. All end in the same columns.

use std::collections::HashSet;
use std::io::{BufReader, Read};
use std::path::Path;

use super::column::{ColumnReader, Content, RawColumn};
use super::dialect::{Dialect, Header};
use super::input::Input;
use super::reading::Reading;
use super::settle::settle;
use super::{Dataset, MOST_TEXTS};
use crate::error::{Error, Place, Problem, Result};
use crate::field::{Fields, Saying};
use crate::finding::{Concern, Finding, Where};
use crate::records::{Records, open};

/// A column in memory.
///
/// # Example
/// ```
/// use plackett_dag::{Dataset, dataset::{Kind, Reading, SourceColumn, SourceValues}};
///
/// let dose = SourceColumn { name: "dose".into(), values: SourceValues::Numbers(vec![0.5, 1.5, 0.2]) };
/// let labels = vec!["no".to_owned(), "yes".to_owned()];
/// let cured = SourceColumn { name: "cured".into(), values: SourceValues::Categories { labels, codes: vec![0, 1, 0] } };
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
    },
}

impl SourceValues {
    /// The code of a missing value.
    pub const MISSING: u32 = u32::MAX;

    fn rows(&self) -> usize {
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
        let path = path.as_ref();
        Self::from_reader(open(path)?, &path.display().to_string(), reading)
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
        let input = Input::new(reader, file)?;
        let dialect = Dialect::of(&input.head, input.is_whole, reading);
        if dialect.is_covariance {
            let place = Place { file: file.to_owned(), line: None, column: None };
            return Err(Error::Content { place, problem: Problem::Covariance });
        }
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
        let mut readers: Vec<(usize, ColumnReader)> =
            plan.wanted.iter().map(|&at| (at, ColumnReader::new(plan.names[at].clone()))).collect();
        let width = plan.names.len();
        let mut rows = 0_usize;
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
            let place = Some(Where::Line(records.line()));
            readers.iter_mut().for_each(|(at, reader)| reader.take(records.bytes(*at), place, &fields));
            rows += 1;
        }
        if rows == 0 {
            return Err(records.error_at(None, None, Problem::NoRows));
        }
        let is_western = first_is_western || readers.iter().any(|(_, reader)| reader.is_western);
        if is_western {
            notes.push("Latin-1".to_owned());
        }
        let columns: Vec<RawColumn> = readers.into_iter().map(|(_, reader)| reader.finish()).collect();
        Ok(Self::build(columns, plan.unnamed, file, notes, reading))
    }

    /// Data from columns in memory; `source` is what messages call them.
    ///
    /// # Errors
    /// [`Error::Size`] if the columns are not of one length or a code has no text, and names that are repeated or unknown
    /// as in [`Dataset::from_reader`].
    pub fn from_columns(columns: Vec<SourceColumn>, source: &str, reading: &Reading) -> Result<Self> {
        let rows = columns.first().map_or(0, |column| column.values.rows());
        if rows == 0 {
            let place = Place { file: source.to_owned(), line: None, column: None };
            return Err(Error::Content { place, problem: Problem::Empty });
        }
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let mut seen = HashSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
            let place = Place { file: source.to_owned(), line: None, column: Some(name.clone()) };
            return Err(Error::Content { place, problem: Problem::RepeatedName });
        }
        let fields = Fields {
            decimal_comma: reading.decimal_comma == Some(true),
            marks: reading.missing_marks.clone(),
        };
        let wanted = wanted(&names, reading)?;
        let mut columns: Vec<Option<SourceColumn>> = columns.into_iter().map(Some).collect();
        let mut raw = Vec::with_capacity(wanted.len());
        for at in wanted {
            let Some(column) = columns[at].take() else { continue };
            if column.values.rows() != rows {
                let found = column.values.rows();
                return Err(Error::Size { what: "a column", expected: rows, found });
            }
            raw.push(in_memory(column, &fields)?);
        }
        Ok(Self::build(raw, Vec::new(), source, Vec::new(), reading))
    }

    fn build(
        mut columns: Vec<RawColumn>,
        unnamed: Vec<String>,
        source: &str,
        notes: Vec<String>,
        reading: &Reading,
    ) -> Self {
        // What has neither a name nor a value is the end of lines with a delimiter there.
        columns.retain(|column| !unnamed.contains(&column.name) || !column.is_empty());
        let mut data = settle(columns, source, notes, reading);
        let is_there = |name: &String| data.names.contains(name);
        let unnamed: Vec<String> = unnamed.into_iter().filter(is_there).collect();
        if !unnamed.is_empty() {
            data.findings.push(Finding { columns: unnamed, concern: Concern::Unnamed });
        }
        data
    }
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
        if has_index && !is_asked_for {
            wanted.retain(|&at| at > 0);
        }
        Ok(Self { names, wanted, has_index: has_index && !is_asked_for, unnamed })
    }
}

/// The places of the columns that are to be read, in their order.
fn wanted(names: &[String], reading: &Reading) -> Result<Vec<usize>> {
    let asked = reading
        .columns
        .iter()
        .flatten()
        .chain(&reading.drop)
        .chain(&reading.categorical)
        .chain(&reading.numeric);
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
    wanted.retain(|&at| seen.insert(at) && !reading.drop.contains(&names[at]));
    if wanted.is_empty() {
        return Err(Error::Misfit {
            setting: "columns",
            reason: "and drop leave nothing to learn from".to_owned(),
        });
    }
    Ok(wanted)
}

fn in_memory(column: SourceColumn, fields: &Fields) -> Result<RawColumn> {
    let SourceColumn { name, values } = column;
    let is_typed = matches!(values, SourceValues::Categories { .. });
    let checked = |texts: &[String], codes: &[u32]| {
        let most = codes.iter().filter(|code| **code != SourceValues::MISSING).max();
        match most {
            Some(&most) if most as usize >= texts.len() => Err(Error::Size {
                what: "the list of categories",
                expected: most as usize + 1,
                found: texts.len(),
            }),
            _ => Ok(()),
        }
    };
    match values {
        SourceValues::Numbers(mut numbers) => {
            if fields.marks.is_some() {
                let marked = numbers.iter_mut().filter(|number| fields.is_missing_number(**number));
                marked.for_each(|number| *number = f64::NAN);
            }
            let first = |is_it: fn(f64) -> bool| {
                let row = numbers.iter().position(|&number| is_it(number))?;
                Some((Some(Where::Row(row as u64)), numbers[row].to_string()))
            };
            let (first_missing, first_infinite) = (first(f64::is_nan), first(f64::is_infinite));
            let content = Content::Numbers(numbers);
            Ok(RawColumn {
                name,
                content,
                is_typed,
                first_missing,
                first_word: None,
                words: 0,
                first_infinite,
            })
        }
        SourceValues::Texts { texts, codes } => {
            checked(&texts, &codes)?;
            let mut reader = ColumnReader::new(name);
            for (row, code) in codes.into_iter().enumerate() {
                let text = texts.get(code as usize).map_or("", String::as_str);
                reader.take(text.as_bytes(), Some(Where::Row(row as u64)), fields);
            }
            Ok(reader.finish())
        }
        SourceValues::Categories { labels, codes } => {
            checked(&labels, &codes)?;
            let (labels, codes) =
                if labels.len() < MOST_TEXTS { (labels, codes) } else { observed(&labels, codes) };
            let gap_row = codes.iter().position(|code| *code == SourceValues::MISSING);
            let missing = gap_row.is_some();
            if labels.len() + usize::from(missing) > MOST_TEXTS {
                let rows = codes.len();
                let gaps = codes.iter().zip(0..).filter(|(code, _)| **code == SourceValues::MISSING);
                let missing = gaps.map(|(_, row)| row).collect();
                let content = Content::Many { rows, missing, is_id: labels.len() == rows, is_date: false };
                return Ok(RawColumn {
                    name,
                    content,
                    is_typed,
                    first_missing: gap_row.map(|row| (Some(Where::Row(row as u64)), String::new())),
                    first_word: None,
                    words: rows,
                    first_infinite: None,
                });
            }
            let gap = labels.len() as u8;
            let code = |&code: &u32| u8::try_from(code).unwrap_or(gap);
            let codes: Vec<u8> = codes.iter().map(code).collect();
            // A label is never missing, whatever it reads.
            let plain = Fields { marks: Some(Vec::new()), ..Fields::default() };
            let saying = |label: &String| plain.number(label).filter(|number| !number.is_nan());
            let mut texts: Vec<(String, Saying)> = labels
                .into_iter()
                .map(|label| (saying(&label).map_or(Saying::Word, Saying::Number), label))
                .map(|(saying, label)| (label, saying))
                .collect();
            if missing {
                texts.push((String::new(), Saying::Missing));
            }
            let word = texts
                .iter()
                .find(|(_, saying)| *saying == Saying::Word)
                .map(|(text, _)| (None, text.clone()));
            let words = codes.iter().filter(|code| texts[usize::from(**code)].1 == Saying::Word).count();
            let first_missing = gap_row.map(|row| (Some(Where::Row(row as u64)), String::new()));
            Ok(RawColumn {
                name,
                content: Content::Few { texts, codes },
                is_typed,
                first_missing,
                first_word: word,
                words,
                first_infinite: None,
            })
        }
    }
}

/// The labels that occur, and the codes that index them.
fn observed(labels: &[String], mut codes: Vec<u32>) -> (Vec<String>, Vec<u32>) {
    let mut places = vec![SourceValues::MISSING; labels.len()];
    let mut occurs = vec![false; labels.len()];
    for &code in &codes {
        if let Some(slot) = occurs.get_mut(code as usize) {
            *slot = true;
        }
    }
    let mut kept = Vec::new();
    for (label, place) in
        labels.iter().zip(&mut places).zip(occurs).filter(|(_, occurs)| *occurs).map(|(pair, _)| pair)
    {
        *place = kept.len() as u32;
        kept.push(label.clone());
    }
    codes
        .iter_mut()
        .for_each(|code| *code = places.get(*code as usize).copied().unwrap_or(SourceValues::MISSING));
    (kept, codes)
}
