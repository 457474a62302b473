//! Whether a file of data is discrete or continuous, told from its columns: words and a few whole numbers are
//! categories, anything else that is numeric is a measurement.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::categories::whole_number;
use crate::dictionary::{Dictionary, Found};
use crate::error::{Problem, Result};
use crate::records::{Records, open};

/// A column of whole numbers is taken for categories if it has at most this many different ones.
const MOST_WHOLE_NUMBERS: usize = 20;

/// The rows that are looked at before data with a measurement among them are taken for continuous; words in later rows
/// are found by whoever reads the numbers.
const ROWS_LOOKED_AT: usize = 1000;

/// The two kinds of data.
///
/// # Example
/// ```
/// use plackett_dag::DataKind;
///
/// assert_ne!(DataKind::Discrete, DataKind::Continuous);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataKind {
    /// Every column holds categories: see [`Categories`](crate::Categories).
    Discrete,
    /// Every column holds numbers, and at least one of them measurements: see [`Table`](crate::Table).
    Continuous,
}

/// Tells the kind of the data in a CSV file, with the reason as the end of a sentence.
///
/// Discrete are data whose columns all hold words, or at most 20 different whole numbers (1.0 is one); continuous are
/// data of numbers with at least one column that is not of that sort, or whose numbers come less than twice each on
/// average. One pass, which ends as soon as the rest of the file cannot matter, in memory that does not grow with the
/// file.
///
/// # Errors
/// [`Problem::MixedColumns`] for words in some columns and measurements in others; what
/// [`Categories::read`](crate::Categories::read) refuses as long as the file is looked at.
///
/// # Example
/// ```
/// use plackett_dag::detect_kind;
///
/// assert!(detect_kind("no-such-file.csv").is_err());
/// ```
pub fn detect_kind(path: impl AsRef<Path>) -> Result<(DataKind, String)> {
    let path = path.as_ref();
    detect(open(path)?, &path.display().to_string())
}

/// [`detect_kind`] of a CSV text; `file` is what errors call it.
///
/// # Errors
/// What [`detect_kind`] refuses.
///
/// # Example
/// ```
/// use plackett_dag::{DataKind, detect_kind_from};
///
/// let (kind, reason) = detect_kind_from("smoke,dose\nyes,1\nno,3\n".as_bytes(), "data.csv")?;
/// assert_eq!(kind, DataKind::Discrete);
/// assert_eq!(reason, "every column holds words or at most 2 different whole numbers");
/// let (kind, reason) = detect_kind_from("dose,effect\n1,0.25\n3,2\n".as_bytes(), "data.csv")?;
/// assert_eq!(kind, DataKind::Continuous);
/// assert_eq!(reason, "column \"effect\" holds numbers that are not whole");
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn detect_kind_from(reader: impl Read, file: &str) -> Result<(DataKind, String)> {
    detect(BufReader::new(reader), file)
}

/// What a column has turned out to hold so far.
enum Content {
    /// Different whole numbers, few enough for categories.
    Few(Vec<i64>),
    /// Words, the first of them on this line.
    Words(u64),
    NotWhole,
    ManyWhole,
}

impl Content {
    fn is_measurement(&self) -> bool {
        matches!(self, Self::NotWhole | Self::ManyWhole)
    }

    fn take(&mut self, text: &str, line: u64) {
        let Self::Few(numbers) = self else { return };
        match (whole_number(text), text.parse::<f64>()) {
            (Some(number), _) if numbers.contains(&number) => {}
            (Some(number), _) => {
                numbers.push(number);
                if numbers.len() > MOST_WHOLE_NUMBERS {
                    *self = Self::ManyWhole;
                }
            }
            (None, Ok(_)) => *self = Self::NotWhole,
            (None, Err(_)) => *self = Self::Words(line),
        }
    }
}

fn detect(reader: impl BufRead, file: &str) -> Result<(DataKind, String)> {
    let mut records = Records::new(reader, file);
    let names = records.read_header()?;
    let mut columns: Vec<(Content, Dictionary)> =
        names.iter().map(|_| (Content::Few(Vec::new()), Dictionary::new())).collect();
    let mut rows = 0;
    let is_settled = |columns: &[(Content, Dictionary)], rows: usize| {
        columns.iter().all(|(content, _)| matches!(content, Content::Words(_)))
            || rows >= ROWS_LOOKED_AT && columns.iter().any(|(content, _)| content.is_measurement())
    };
    while !is_settled(&columns, rows) && records.advance_row(&names)? {
        rows += 1;
        for (column, (content, dictionary)) in columns.iter_mut().enumerate() {
            // What was seen before has nothing new to say.
            if let Found::Free(slot) = dictionary.find(records.bytes(column)) {
                let text = records.category(column, &names[column])?;
                content.take(text, records.line());
                dictionary.insert(slot, text);
            }
        }
    }
    decide(&records, &names, &columns, rows)
}

fn decide<R: BufRead>(
    records: &Records<R>,
    names: &[String],
    columns: &[(Content, Dictionary)],
    rows: usize,
) -> Result<(DataKind, String)> {
    let contents = || names.iter().zip(columns.iter().map(|(content, _)| content));
    let measurement = contents().find(|(_, content)| content.is_measurement());
    let word = contents().find_map(|(name, content)| match content {
        &Content::Words(line) => Some((name, line)),
        _ => None,
    });
    let scarce =
        contents().find(|(_, content)| matches!(content, Content::Few(numbers) if 2 * numbers.len() > rows));
    let most = columns.iter().filter_map(|(content, _)| match content {
        Content::Few(numbers) => Some(numbers.len()),
        _ => None,
    });
    let count = most
        .max()
        .map(|most| format!("at most {most} different whole number{}", if most == 1 { "" } else { "s" }));
    match (measurement, word) {
        (Some(_), Some((column, line))) => {
            let named = |wanted: &dyn Fn(&Content) -> bool| {
                contents().filter(|(_, content)| wanted(content)).map(|(name, _)| name.clone()).collect()
            };
            let problem = Problem::MixedColumns {
                words: named(&|content| matches!(content, Content::Words(_))),
                numbers: named(&Content::is_measurement),
            };
            Err(records.error_at(Some(line), Some(column), problem))
        }
        (Some((name, Content::NotWhole)), None) => {
            Ok((DataKind::Continuous, format!("column \"{name}\" holds numbers that are not whole")))
        }
        (Some((name, _)), None) => Ok((
            DataKind::Continuous,
            format!("column \"{name}\" holds more than {MOST_WHOLE_NUMBERS} different numbers"),
        )),
        (None, None) if scarce.is_some() => {
            let name = scarce.map_or("", |(name, _)| name);
            Ok((DataKind::Continuous, format!("column \"{name}\" hardly has a number twice")))
        }
        (None, word) => {
            let words = word.map(|_| "words".to_owned());
            let reason = [words, count].into_iter().flatten().collect::<Vec<_>>().join(" or ");
            Ok((DataKind::Discrete, format!("every column holds {reason}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Result<(DataKind, String)> {
        detect_kind_from(text.as_bytes(), "d.csv")
    }

    /// A file of one column with these values.
    fn column<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
        values.into_iter().fold("a".to_owned(), |text, value| text + "\n" + &value.to_string())
    }

    #[test]
    fn kinds_are_told_with_their_reason() {
        use DataKind::{Continuous, Discrete};
        let (few, many, scarce) = (column((0..20).chain(0..20)), column(0..21), column((0..20).chain(1..20)));
        for (text, wanted, reason) in [
            ("a,b\nx,1\nz,1\n", Discrete, "every column holds words or at most 1 different whole number"),
            ("a,b\nx,None\n", Discrete, "every column holds words"),
            (
                "a,b\n0,1\n1,2.0\n1.0,1\n1,2\n",
                Discrete,
                "every column holds at most 2 different whole numbers",
            ),
            (&scarce, Continuous, "column \"a\" hardly has a number twice"),
            (&few, Discrete, "every column holds at most 20 different whole numbers"),
            (&many, Continuous, "column \"a\" holds more than 20 different numbers"),
            ("a,b\n0,1.5\n1,2\n", Continuous, "column \"b\" holds numbers that are not whole"),
            ("a,b\n0,inf\n", Continuous, "column \"b\" holds numbers that are not whole"),
        ] {
            assert_eq!(kind(text).unwrap(), (wanted, reason.to_owned()), "{text}");
        }
    }

    #[test]
    fn words_beside_measurements_are_refused_by_name() {
        assert_eq!(
            kind("a,b,c,d\n1.5,0,x,3\n2.5,1,y,4.5\n").unwrap_err().to_string(),
            "d.csv, line 2, column \"c\": this is a word, but data must hold categories only or numbers only: \"c\" holds \
             words, \"a\", \"d\" hold measurements; leave the one or the other out, or take all columns as categories"
        );
    }

    #[test]
    fn bad_files_are_refused_by_line_and_column() {
        for (text, wanted) in [
            ("a,b\n1,\n", "d.csv, line 2, column \"b\": the value is missing (empty field)"),
            ("a,b\n1.5,2\nNA,3\n", "d.csv, line 3, column \"a\": the value is missing (NA)"),
            ("a,b\n1.5,2\n1\n", "d.csv, line 3: the row has 1 field, the header has 2"),
            ("a,b\n", "d.csv: the file has a header and no rows"),
            ("a,a\n1,2\n", "d.csv, line 1, column \"a\": two columns have this name"),
            (
                "a b\n1  2\n",
                "d.csv, line 2: the fields seem to be separated by spaces, but a comma is expected",
            ),
            ("a;b\nx;y\n", "d.csv, line 2: the fields seem to be separated by ';', but a comma is expected"),
        ] {
            assert_eq!(kind(text).unwrap_err().to_string(), wanted, "{text}");
        }
    }

    #[test]
    fn no_more_is_read_than_can_matter() {
        // A row that would be refused stands behind what settles the matter.
        assert_eq!(kind("a,b\nx,y\n,\n").unwrap().0, DataKind::Discrete);
        let rows = "1.5,0\n".repeat(ROWS_LOOKED_AT);
        assert_eq!(kind(&format!("a,b\n{rows},\n")).unwrap().0, DataKind::Continuous);
        assert!(kind(&format!("a,b\n{}", rows.replacen("1.5,0\n", ",\n", 1))).is_err());
        let rows = "x,0\n".repeat(3 * ROWS_LOOKED_AT);
        assert!(kind(&format!("a,b\n{rows}y,0.5\n")).is_err(), "a measurement may come late");
    }
}
