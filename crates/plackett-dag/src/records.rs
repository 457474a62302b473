//! The records of a CSV file with the number of the line on which each begins. The `csv` crate does the quoting; lines
//! are counted here because its own count is late by the blank lines it skips and by one in files with CRLF.

use std::collections::HashSet;
use std::io::{BufRead, ErrorKind};

use csv::ByteRecord;

use crate::error::{Error, Place, Problem};

/// Delimiters that files use in place of a comma, the most telling first.
const OTHER_DELIMITERS: [char; 4] = [';', '\t', '|', ' '];

/// Reads one record after another, reusing its memory.
pub(crate) struct Records<R> {
    reader: R,
    file: String,
    text: Vec<u8>,
    /// Where in the text the fields are, if none of them is quoted.
    bounds: Vec<(usize, usize)>,
    /// The fields, if one of them is quoted.
    record: Option<ByteRecord>,
    lines_read: u64,
    line: u64,
    rows: usize,
}

impl<R: BufRead> Records<R> {
    pub(crate) fn new(reader: R, file: &str) -> Self {
        let (text, bounds) = (Vec::new(), Vec::new());
        Records {
            reader,
            file: file.to_string(),
            text,
            bounds,
            record: None,
            lines_read: 0,
            line: 0,
            rows: 0,
        }
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// The line on which the current record begins, the first being 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Whether the current record is a line with nothing on it.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim_ascii().is_empty()
    }

    /// Goes to the next record, blank lines included; `false` at the end of the file.
    pub(crate) fn advance(&mut self) -> Result<bool, Error> {
        self.text.clear();
        self.line = self.lines_read + 1;
        if !self.read_line()? {
            return Ok(false);
        }
        if self.line == 1 && self.text.starts_with(b"\xEF\xBB\xBF") {
            self.text.drain(..3);
        }
        // A line break inside quotation marks belongs to the field.
        let mut quotes = count_quotes(&self.text);
        let quoted = quotes > 0;
        while quotes % 2 == 1 {
            let from = self.text.len();
            if !self.read_line()? {
                return Err(self.error(None, Problem::OpenQuote));
            }
            quotes += count_quotes(&self.text[from..]);
        }
        if quoted {
            self.split_quoted()?;
        } else {
            self.split_plain();
        }
        Ok(true)
    }

    /// Goes to the next record that is not blank.
    pub(crate) fn advance_past_blanks(&mut self) -> Result<bool, Error> {
        while self.advance()? {
            if !self.is_blank() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes to the next row of data, which must have one field per name; `false` at the end of the file. Blank lines are
    /// skipped; in a file of one column a blank line between rows is a missing value.
    pub(crate) fn advance_row(&mut self, names: &[String]) -> Result<bool, Error> {
        let mut blank_line = None;
        while self.advance()? {
            if self.is_blank() {
                blank_line = blank_line.or(Some(self.line));
                continue;
            }
            if let ([name], Some(line)) = (names, blank_line) {
                let problem = Problem::Missing { text: String::new() };
                return Err(self.error_at(Some(line), Some(name), problem));
            }
            self.check_width(names.len())?;
            if let ([name], 0) = (names, self.rows) {
                self.check_single_name(name)?;
            }
            self.rows += 1;
            return Ok(true);
        }
        if self.rows == 0 { Err(self.error_at(None, None, Problem::NoRows)) } else { Ok(false) }
    }

    fn read_line(&mut self) -> Result<bool, Error> {
        let read = self.reader.read_until(b'\n', &mut self.text);
        let read = read.map_err(|problem| Error::Io { file: self.file.clone(), problem })?;
        self.lines_read += 1;
        Ok(read > 0)
    }

    fn split_plain(&mut self) {
        self.record = None;
        self.bounds.clear();
        let mut start = 0;
        let commas = self.text.iter().enumerate().filter(|&(_, &byte)| byte == b',').map(|(at, _)| at);
        for end in commas.chain([self.text.len()]) {
            let field = self.text[start..end].trim_ascii_start();
            let from = end - field.len();
            self.bounds.push((from, from + field.trim_ascii_end().len()));
            start = end + 1;
        }
    }

    fn split_quoted(&mut self) -> Result<(), Error> {
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(self.text.as_slice());
        let (mut record, mut rest) = (ByteRecord::new(), ByteRecord::new());
        let mut read = |record: &mut ByteRecord| reader.read_byte_record(record).unwrap_or(false);
        // A second record in the text means that a quotation mark inside a field was taken for an opening one.
        if !read(&mut record) || read(&mut rest) {
            return Err(self.error(None, Problem::OpenQuote));
        }
        record.trim();
        self.record = Some(record);
        Ok(())
    }

    /// Refuses a file of one column whose header and first row would have several fields with another delimiter than a
    /// comma.
    fn check_single_name(&self, name: &str) -> Result<(), Error> {
        let row = self.field(0, name)?;
        let count = |text: &str, delimiter: char| text.matches(delimiter).count();
        // A space is a delimiter between numbers only.
        let as_often =
            |&delimiter: &char| delimiter != ' ' && count(name, delimiter) == count(row, delimiter);
        let mut possible = OTHER_DELIMITERS.into_iter().filter(|&delimiter| count(name, delimiter) > 0);
        let found = possible.find(as_often).map(|delimiter| Problem::Delimiter { delimiter });
        let numeric = || self.other_delimiter().filter(|_| name.contains(OTHER_DELIMITERS));
        match found.or_else(numeric) {
            Some(problem) => Err(self.error(None, problem)),
            None => Ok(()),
        }
    }

    /// A field as text, or the error that it is not UTF-8.
    pub(crate) fn field(&self, column: usize, name: &str) -> Result<&str, Error> {
        std::str::from_utf8(self.bytes(column)).map_err(|_| self.error(Some(name), Problem::Encoding))
    }

    /// A field as it stands in the file, without the white space around it.
    pub(crate) fn bytes(&self, column: usize) -> &[u8] {
        match &self.record {
            Some(record) => record.get(column).unwrap_or_default(),
            None => self.bounds.get(column).map_or(&[], |&(start, end)| &self.text[start..end]),
        }
    }

    /// The number of fields of the current record.
    fn width(&self) -> usize {
        self.record.as_ref().map_or(self.bounds.len(), ByteRecord::len)
    }

    /// The names of the columns of a data file. Refused: a line of numbers, unnamed columns, and names that occur twice.
    pub(crate) fn read_header(&mut self) -> Result<Vec<String>, Error> {
        let names = self.read_names()?;
        // Whole numbers are what data frames without names write as a header, others can only be data.
        let number = |name: &String| name.parse::<f64>().ok().filter(|number| number.is_finite());
        let numbers: Option<Vec<f64>> = names.iter().map(number).collect();
        if numbers.is_some_and(|numbers| numbers.iter().any(|number| number.fract() != 0.0)) {
            return Err(self.error(None, Problem::NoHeader));
        }
        self.check_names(&names)?;
        Ok(names)
    }

    /// Refuses unnamed columns and names that occur twice, at the current record.
    pub(crate) fn check_names(&self, names: &[String]) -> Result<(), Error> {
        let mut seen = HashSet::with_capacity(names.len());
        for (column, name) in names.iter().enumerate() {
            if name.is_empty() {
                return Err(self.error(Some(&(column + 1).to_string()), Problem::NoName));
            }
            if !seen.insert(name) {
                return Err(self.error(Some(name), Problem::RepeatedName));
            }
        }
        Ok(())
    }

    /// The names in the first record that is not blank.
    pub(crate) fn read_names(&mut self) -> Result<Vec<String>, Error> {
        if !self.advance_past_blanks()? {
            return Err(self.error_at(None, None, Problem::Empty));
        }
        (0..self.width())
            .map(|column| Ok(self.field(column, &(column + 1).to_string())?.to_string()))
            .collect()
    }

    /// Checks that the current record has one field per name.
    pub(crate) fn check_width(&self, expected: usize) -> Result<(), Error> {
        let found = self.width();
        if found == expected {
            return Ok(());
        }
        Err(self.error(None, self.other_delimiter().unwrap_or(Problem::Ragged { expected, found })))
    }

    /// The category in a field of the current record.
    pub(crate) fn category(&self, column: usize, name: &str) -> Result<&str, Error> {
        let text = self.field(column, name)?;
        if is_missing_category(text) {
            return Err(self.error(Some(name), Problem::Missing { text: text.into() }));
        }
        Ok(text)
    }

    /// The number in a field of the current record.
    pub(crate) fn number(&self, column: usize, name: &str) -> Result<f64, Error> {
        let text = self.field(column, name)?;
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(value) if value.is_infinite() => {
                Err(self.error(Some(name), Problem::Infinite { text: text.into() }))
            }
            Err(_) if !says_missing(text) => {
                let problem = self.other_delimiter();
                Err(self.error(Some(name), problem.unwrap_or(Problem::NotANumber { text: text.into() })))
            }
            _ => Err(self.error(Some(name), Problem::Missing { text: text.into() })),
        }
    }

    /// The delimiter, other than a comma, that would make numbers of the whole record, if there is one.
    fn other_delimiter(&self) -> Option<Problem> {
        let text = std::str::from_utf8(&self.text).ok()?.trim();
        // A decimal comma often goes with another delimiter, as in "1,5;2,5"; with spaces it is more likely that the
        // comma separates, as in "1, 2".
        let is_number = |part: &str| {
            part.ends_with(|end: char| end.is_ascii_digit())
                && part.replacen(',', ".", 1).parse::<f64>().is_ok()
        };
        let fits = |delimiter: char| {
            let mut parts = text.split(delimiter).map(str::trim).filter(|part| !part.is_empty());
            text.contains(delimiter) && !(delimiter == ' ' && text.contains(',')) && parts.all(is_number)
        };
        OTHER_DELIMITERS
            .into_iter()
            .find(|&delimiter| fits(delimiter))
            .map(|delimiter| Problem::Delimiter { delimiter })
    }

    /// An error at the current record.
    pub(crate) fn error(&self, column: Option<&str>, problem: Problem) -> Error {
        self.error_at(Some(self.line), column, problem)
    }

    /// An error at a line, or in the file as a whole.
    pub(crate) fn error_at(&self, line: Option<u64>, column: Option<&str>, problem: Problem) -> Error {
        let place = Place { file: self.file.clone(), line, column: column.map(Into::into) };
        Error::Content { place, problem }
    }
}

/// Opens a file for reading.
pub(crate) fn open(path: &std::path::Path) -> Result<std::io::BufReader<std::fs::File>, Error> {
    let failed = |problem| Error::Io { file: path.display().to_string(), problem };
    let file = std::fs::File::open(path).map_err(failed)?;
    // A directory opens well on some systems and fails at the first read, with a message that names no reason.
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(std::io::Error::new(ErrorKind::IsADirectory, "is a directory")));
    }
    Ok(std::io::BufReader::with_capacity(1 << 16, file))
}

fn count_quotes(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'"').count()
}

fn says_missing(text: &str) -> bool {
    text.eq_ignore_ascii_case("none") || is_missing_category(text)
}

/// Whether a category stands for a value that is missing. "None" does not: it is an honest answer to "which damage?".
pub(crate) fn is_missing_category(text: &str) -> bool {
    ["", "na", "n/a", "nan", "?", "null"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A number as the shortest text that reads back as the same number.
pub(crate) fn number_text(value: f64) -> String {
    // Display writes 1e300 as 301 digits, Debug writes 1 as "1.0": take the shorter form for either kind.
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value}") } else { format!("{value:?}") }
}
