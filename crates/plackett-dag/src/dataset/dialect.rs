//! How a text file is written, told from its beginning: the delimiter, decimal commas, line ends, comments, whether there
//! is a header, and whether rows have names. What the caller says is taken as it is.

use std::collections::HashSet;

use super::reading::{Delimiter, Reading};
use crate::field::{Fields, Saying, as_whole};
use crate::records::{Layout, Separator, count_quotes, decoded};

/// Records that are looked at.
const RECORDS: usize = 200;

/// What a line of remarks begins with.
const COMMENTS: [u8; 2] = [b'#', b'%'];

/// Delimiters in the order in which they are preferred where several would do: the rarer inside fields first.
const CANDIDATES: [Separator; 5] = [
    Separator::Byte(b'\t'),
    Separator::Byte(b';'),
    Separator::Byte(b','),
    Separator::Byte(b'|'),
    Separator::Blanks,
];

/// How a file is written.
#[derive(Clone, Debug)]
pub(super) struct Dialect {
    pub(super) layout: Layout,
    pub(super) decimal_comma: bool,
    pub(super) header: Header,
    /// Whether rows begin with a field that the header has no name for, as R writes them.
    pub(super) has_row_names: bool,
    /// What is out of the ordinary, for a person to read.
    pub(super) notes: Vec<String>,
}

/// Where the names of the columns are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Header {
    FirstRecord,
    /// In a line of remarks.
    Comment(Vec<String>),
    Nowhere,
}

impl Dialect {
    /// Tells how a file is written that begins with `head`, of which `is_whole` says whether that is all.
    pub(super) fn of(head: &[u8], is_whole: bool, reading: &Reading) -> Self {
        let line_end = if !head.contains(&b'\n') && head.contains(&b'\r') { b'\r' } else { b'\n' };
        let mut lines: Vec<&[u8]> = head.split(|&byte| byte == line_end).collect();
        // The last one may be cut off.
        if !is_whole && lines.len() > 1 {
            lines.pop();
        }
        lines.retain(|line| !line.trim_ascii().is_empty());
        let comment = lines.first().and_then(|line| COMMENTS.into_iter().find(|&mark| line[0] == mark));
        let is_comment = |line: &&&[u8]| comment.is_some_and(|mark| line[0] == mark);
        let last_comment = lines.iter().take_while(is_comment).last().map(|line| &line[1..]);
        let text = joined(lines.into_iter().filter(|line| comment.is_none_or(|mark| line[0] != mark)));

        let separator = match reading.delimiter {
            Some(Delimiter::Byte(byte)) => Separator::Byte(byte),
            Some(Delimiter::Blanks) => Separator::Blanks,
            None => best_separator(&text),
        };
        let layout = Layout { separator, line_end, comment };
        let records: Vec<Vec<String>> = text.iter().map(|line| fields(layout, line)).collect();
        let decimal_comma = reading.decimal_comma.unwrap_or_else(|| has_decimal_commas(separator, &records));
        let reader = Fields { decimal_comma, marks: reading.missing_marks.clone() };
        let first_is_header = records.first().is_some_and(|_| is_header(&records, &reader));
        let commented = last_comment.map(|line| fields(layout, line)).filter(|names| {
            !first_is_header && names.len() > 1 && records.first().is_some_and(|row| row.len() == names.len())
        });
        let header = match (reading.header, commented) {
            (Some(true), _) => Header::FirstRecord,
            (None, Some(names)) => Header::Comment(names),
            (None, None) if first_is_header => Header::FirstRecord,
            (Some(false), _) | (None, None) => Header::Nowhere,
        };
        let has_row_names = header == Header::FirstRecord && has_row_names(&records);
        let mut dialect = Self { layout, decimal_comma, header, has_row_names, notes: Vec::new() };
        dialect.notes = dialect.describe(records.first().map_or(0, Vec::len));
        dialect
    }

    /// What differs from a file of comma-separated values with a header.
    fn describe(&self, columns: usize) -> Vec<String> {
        let mut notes = Vec::new();
        match self.layout.separator {
            _ if columns < 2 => {}
            Separator::Byte(b',') => {}
            Separator::Byte(b'\t') => notes.push("tabs".to_owned()),
            Separator::Byte(b';') => notes.push("semicolons".to_owned()),
            Separator::Byte(byte) => {
                notes.push(format!("'{}' between fields", char::from(byte).escape_default()));
            }
            Separator::Blanks => notes.push("blanks between fields".to_owned()),
        }
        if self.decimal_comma {
            notes.push("decimal commas".to_owned());
        }
        if self.layout.line_end == b'\r' {
            notes.push("CR line ends".to_owned());
        }
        if self.layout.comment.is_some() {
            notes.push("comment lines".to_owned());
        }
        match self.header {
            Header::FirstRecord => {}
            Header::Comment(_) => notes.push("names in a comment".to_owned()),
            Header::Nowhere => notes.push("no header".to_owned()),
        }
        notes
    }
}

/// Lines with those put together that a quoted line break divides.
fn joined<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
    let mut records: Vec<Vec<u8>> = Vec::new();
    let mut is_open = false;
    for line in lines {
        let quotes = count_quotes(line);
        match records.last_mut() {
            Some(record) if is_open => {
                record.push(b'\n');
                record.extend_from_slice(line);
            }
            _ => {
                if records.len() == RECORDS {
                    break;
                }
                records.push(line.to_vec());
            }
        }
        // A mark after a letter or a digit opens nothing.
        let opens = line.first() == Some(&b'"')
            || line.windows(2).any(|pair| !pair[0].is_ascii_alphanumeric() && pair[1] == b'"');
        is_open = if quotes % 2 == 1 { !is_open && opens } else { is_open };
    }
    records
}

/// The fields of a line as text.
fn fields(layout: Layout, line: &[u8]) -> Vec<String> {
    if layout.has_quoted_field(line)
        && let Some(record) = layout.split_quoted(line)
    {
        return record.iter().map(|field| decoded(field).into_owned()).collect();
    }
    let mut bounds = Vec::new();
    layout.split_plain(line, &mut bounds);
    bounds.into_iter().map(|(start, end)| decoded(&line[start..end]).into_owned()).collect()
}

/// The delimiter by which the most records have as many fields as the first one.
fn best_separator(records: &[Vec<u8>]) -> Separator {
    let agreement = |separator: Separator| {
        let layout = Layout { separator, ..Layout::default() };
        let counts: Vec<usize> = records.iter().map(|line| fields(layout, line).len()).collect();
        let first = counts.first().copied().unwrap_or(0);
        let rest = counts.get(1..).unwrap_or_default();
        let agreeing = |wanted: usize| rest.iter().filter(|&&count| count == wanted).count();
        // Rows may have names that the header does not name.
        let most = if agreeing(first + 1) == rest.len() { rest.len() } else { agreeing(first) };
        (first > 1).then_some(if rest.is_empty() { 1.0 } else { most as f64 / rest.len() as f64 })
    };
    let mut best = (Separator::Byte(b','), None);
    for separator in CANDIDATES {
        let found = agreement(separator);
        if found > best.1 {
            best = (separator, found);
        }
    }
    best.0
}

/// Whether numbers are written with commas and none with a point.
fn has_decimal_commas(separator: Separator, records: &[Vec<String>]) -> bool {
    if separator == Separator::Byte(b',') {
        return false;
    }
    let (mut with_comma, mut with_point) = (0, 0);
    for field in records.iter().flatten() {
        let (sign, comma) = (field.trim_start_matches(['-', '+']), ',');
        let is_number = |point: char| {
            sign.split_once(point).is_some_and(|(whole, part)| {
                let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                digits(whole) && digits(part)
            })
        };
        with_comma += usize::from(is_number(comma));
        with_point += usize::from(is_number('.'));
    }
    with_comma > 0 && with_point == 0
}

/// Whether the first record holds the names of the columns.
///
/// Numbers that are not whole can only be data. Whole numbers are names if they count the columns, as data frames without names
/// write them. Whole numbers beside words, and words that come twice, are data if every word comes again in its column.
fn is_header(records: &[Vec<String>], fields: &Fields) -> bool {
    let first = &records[0];
    let sayings: Vec<Saying> = first.iter().map(|field| fields.say(field)).collect();
    let number = |saying: &Saying| saying.number();
    if sayings.iter().filter_map(number).any(|number| as_whole(number).is_none()) {
        return false;
    }
    let numbers: Vec<i64> = sayings.iter().filter_map(number).filter_map(as_whole).collect();
    if numbers.len() == first.len() {
        return numbers[0].abs() <= 1 && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1);
    }
    let mut seen = HashSet::new();
    let comes_twice = first.iter().filter(|name| !name.is_empty()).any(|name| !seen.insert(name));
    if numbers.is_empty() && !comes_twice {
        return true;
    }
    let comes_again = |column: usize| {
        number(&sayings[column]).is_some()
            || records[1..].iter().any(|row| row.get(column) == first.get(column))
    };
    !(records.len() > 1 && (0..first.len()).all(comes_again))
}

/// Whether all rows have one field more than the header.
fn has_row_names(records: &[Vec<String>]) -> bool {
    let [header, rows @ ..] = records else { return false };
    // A delimiter at the end of each row makes an empty field.
    let has_one_more =
        |row: &Vec<String>| row.len() == header.len() + 1 && row.last().is_some_and(|last| !last.is_empty());
    !rows.is_empty() && header.len() > 1 && rows.iter().all(has_one_more)
}
