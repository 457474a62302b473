//! The records of a CSV file with the number of the line on which each begins. The `csv` crate does the quoting; lines
//! are counted here because its own count is late by the blank lines it skips and by one in files with CRLF.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{BufRead, ErrorKind};

use csv::ByteRecord;

use crate::error::{Error, Place, Problem};

/// Delimiters that files use in place of a comma, the most telling first.
const OTHER_DELIMITERS: [char; 4] = [';', '\t', '|', ' '];

/// What stands between fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    Byte(u8),
    /// Spaces and tabs, as many as there are.
    Blanks,
}

/// How a file is divided into records and fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) separator: Separator,
    /// The last byte of a line.
    pub(crate) line_end: u8,
    /// What lines begin with that are no records.
    pub(crate) comment: Option<u8>,
}

impl Default for Layout {
    fn default() -> Self {
        Self { separator: Separator::Byte(b','), line_end: b'\n', comment: None }
    }
}

impl Layout {
    /// Where the fields of a line without quotation marks are, without the white space around them.
    pub(crate) fn split_plain(self, text: &[u8], bounds: &mut Vec<(usize, usize)>) {
        bounds.clear();
        match self.separator {
            Separator::Byte(separator) => {
                let mut start = 0;
                let ends = memchr::memchr_iter(separator, text);
                for end in ends.chain([text.len()]) {
                    let field = text[start..end].trim_ascii_start();
                    let from = end - field.len();
                    bounds.push((from, from + field.trim_ascii_end().len()));
                    start = end + 1;
                }
            }
            Separator::Blanks => {
                let mut start = None;
                for (at, byte) in text.iter().enumerate() {
                    match (byte.is_ascii_whitespace(), start) {
                        (false, None) => start = Some(at),
                        (true, Some(from)) => {
                            bounds.push((from, at));
                            start = None;
                        }
                        _ => {}
                    }
                }
                bounds.extend(start.map(|from| (from, text.len())));
            }
        }
    }

    /// Whether some field begins with a quotation mark: one inside a field, as in 5" pipes, is a character like others.
    pub(crate) fn has_quoted_field(self, text: &[u8]) -> bool {
        let is_separator = |byte: u8| match self.separator {
            Separator::Byte(separator) => byte == separator,
            Separator::Blanks => byte.is_ascii_whitespace(),
        };
        let mut begins = true;
        text.iter().any(|&byte| {
            let is_opening = begins && byte == b'"';
            begins = is_separator(byte) || begins && byte.is_ascii_whitespace();
            is_opening
        })
    }

    /// The fields of a line with quotation marks in it, or nothing if the marks make no sense.
    pub(crate) fn split_quoted(self, text: &[u8]) -> Option<ByteRecord> {
        let (delimiter, text) = match self.separator {
            Separator::Byte(separator) => (separator, Cow::Borrowed(text)),
            Separator::Blanks => (b'\t', Cow::Owned(with_single_tabs(text))),
        };
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(text.as_ref());
        let (mut record, mut rest) = (ByteRecord::new(), ByteRecord::new());
        let mut read = |record: &mut ByteRecord| reader.read_byte_record(record).unwrap_or(false);
        // A second record in the text means that a quotation mark inside a field was taken for an opening one.
        if !read(&mut record) || read(&mut rest) {
            return None;
        }
        record.trim();
        Some(record)
    }
}

/// A line in which every run of blanks outside quotation marks is one tab.
fn with_single_tabs(text: &[u8]) -> Vec<u8> {
    let mut line = Vec::with_capacity(text.len());
    let mut is_quoted = false;
    for &byte in text.trim_ascii() {
        is_quoted ^= byte == b'"';
        if is_quoted || !byte.is_ascii_whitespace() {
            line.push(byte);
        } else if line.last() != Some(&b'\t') {
            line.push(b'\t');
        }
    }
    line
}

/// Reads one record after another, reusing its memory.
pub(crate) struct Records<R> {
    reader: R,
    layout: Layout,
    file: String,
    text: Vec<u8>,
    /// Where in the text the fields are, if none of them is quoted.
    bounds: Vec<(usize, usize)>,
    /// The fields, if one of them is quoted.
    record: Option<ByteRecord>,
    lines_read: u64,
    line: u64,
}

impl<R: BufRead> Records<R> {
    /// Records of fields that are separated by commas.
    pub(crate) fn new(reader: R, file: &str) -> Self {
        Self::with_layout(reader, file, Layout::default())
    }

    pub(crate) fn with_layout(reader: R, file: &str, layout: Layout) -> Self {
        let (text, bounds) = (Vec::new(), Vec::new());
        Records { reader, layout, file: file.to_string(), text, bounds, record: None, lines_read: 0, line: 0 }
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
        loop {
            self.text.clear();
            self.line = self.lines_read + 1;
            if !self.read_line()? {
                return Ok(false);
            }
            if self.layout.comment.is_none() || self.text.first() != self.layout.comment.as_ref() {
                break;
            }
        }
        if self.line == 1 && self.text.starts_with(b"\xEF\xBB\xBF") {
            self.text.drain(..3);
        }
        // A line break inside quotation marks belongs to the field.
        let mut quotes = count_quotes(&self.text);
        let quoted = quotes > 0 && self.layout.has_quoted_field(&self.text);
        if !quoted {
            quotes = 0;
        }
        while quotes % 2 == 1 {
            let from = self.text.len();
            if !self.read_line()? {
                return Err(self.error(None, Problem::OpenQuote));
            }
            quotes += count_quotes(&self.text[from..]);
        }
        if quoted {
            let record = self.layout.split_quoted(&self.text);
            self.record = Some(record.ok_or_else(|| self.error(None, Problem::OpenQuote))?);
        } else {
            self.record = None;
            self.layout.split_plain(&self.text, &mut self.bounds);
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

    fn read_line(&mut self) -> Result<bool, Error> {
        let read = self.reader.read_until(self.layout.line_end, &mut self.text);
        let read = read.map_err(|problem| Error::Io { file: self.file.clone(), problem })?;
        self.lines_read += 1;
        Ok(read > 0)
    }

    /// A field as text, or the error that it is not UTF-8.
    pub(crate) fn field(&self, column: usize, name: &str) -> Result<&str, Error> {
        std::str::from_utf8(self.bytes(column)).map_err(|_| self.error(Some(name), Problem::Encoding))
    }

    /// A field as text; bytes that are not UTF-8 are taken for those of Windows' Western alphabet, which includes Latin-1.
    pub(crate) fn text(&self, column: usize) -> Cow<'_, str> {
        decoded(self.bytes(column))
    }

    /// The current record as it stands in the file.
    pub(crate) fn whole(&self) -> &[u8] {
        &self.text
    }

    /// A field as it stands in the file, without the white space around it.
    pub(crate) fn bytes(&self, column: usize) -> &[u8] {
        match &self.record {
            Some(record) => record.get(column).unwrap_or_default(),
            None => self.bounds.get(column).map_or(&[], |&(start, end)| &self.text[start..end]),
        }
    }

    /// The number of fields of the current record.
    pub(crate) fn width(&self) -> usize {
        self.record.as_ref().map_or(self.bounds.len(), ByteRecord::len)
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

    /// The number in a field of the current record.
    pub(crate) fn number(&self, column: usize, name: &str) -> Result<f64, Error> {
        let text = self.field(column, name)?;
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(value) if value.is_infinite() => {
                Err(self.error(Some(name), Problem::Infinite { text: text.into() }))
            }
            Err(_) if !is_missing(text) => {
                let problem = self.other_delimiter();
                Err(self.error(Some(name), problem.unwrap_or(Problem::NotANumber { text: text.into() })))
            }
            _ => Err(self.error(Some(name), Problem::Missing { text: text.into() })),
        }
    }

    /// The delimiter, other than a comma, that would make numbers of the whole record, if there is one.
    fn other_delimiter(&self) -> Option<Problem> {
        if self.layout.separator != Separator::Byte(b',') {
            return None;
        }
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

pub(crate) fn count_quotes(text: &[u8]) -> usize {
    // Most lines have none, which is faster to tell than to count.
    if text.contains(&b'"') { text.split(|&byte| byte == b'"').count() - 1 } else { 0 }
}

/// Whether an entry of a matrix of numbers says that there is none.
fn is_missing(text: &str) -> bool {
    ["", "na", "n/a", "nan", "?", "null", "none"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Windows' Western alphabet from 0x80 to 0x9f; above, it is that of Latin-1 and of Unicode.
const WESTERN: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Bytes as text, whatever they are.
pub(crate) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(
            bytes
                .iter()
                .map(|&byte| match byte {
                    0x80..=0x9f => WESTERN[usize::from(byte - 0x80)],
                    _ => char::from(byte),
                })
                .collect(),
        ),
    }
}
