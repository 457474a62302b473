//! The bytes of a source: unpacked, in an encoding that begins like ASCII, and with their beginning at hand for a look, so
//! that one pass is enough and a pipe will do.

use std::io::{self, Cursor, Read};

use super::statistics::Statistics;
use crate::Knowledge;
use crate::error::{Error, Place, Problem, Result};
use crate::format::is_tetrad_graph;

/// Bytes that are looked at before the first row is read: enough for hundreds of rows, little enough to wait for.
const HEAD: usize = 1 << 18;

/// Formats that are not text, by what their files begin with, and what a person calls them.
const BINARY: [(&[u8], &str); 10] = [
    (b"\xFD7zXZ\0", "packed by xz"),
    (b"7z\xBC\xAF", "packed by 7z"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x93NUMPY", "a numpy array"),
    (b"RDX2\nX\n", "an R workspace"),
    (b"RDX3\nX\n", "an R workspace"),
    (b"%PDF", "a PDF document"),
    (b"<", "XML or HTML"),
    (b"@relation", "an ARFF file"),
];

/// What follows the fourth byte of a file packed by bzip2. The first three are letters, and a column may be called so.
const BZIP2: &[u8] = b"1AY&SY";

/// Excel workbooks, new and old.
const WORKBOOKS: [&[u8]; 2] = [b"PK\x03\x04", b"\xD0\xCF\x11\xE0"];
/// Parquet files.
const PARQUET: &[u8] = b"PAR1";

/// Whether bytes are those of an Excel workbook, or of another archive of its sort.
pub(super) fn is_workbook(head: &[u8]) -> bool {
    WORKBOOKS.iter().any(|magic| head.starts_with(magic))
}

/// Arrow IPC files, and Feather files of today.
const ARROW: &[u8] = b"ARROW1";

/// Whether bytes are those of an Arrow file.
pub(super) fn is_arrow(head: &[u8]) -> bool {
    head.starts_with(ARROW)
}

/// Whether bytes are those of a Parquet file.
pub(super) fn is_parquet(head: &[u8]) -> bool {
    head.starts_with(PARQUET)
}

/// What is to be read, with its beginning at hand.
pub(super) struct Input<'a> {
    /// The first bytes.
    pub(super) head: Vec<u8>,
    /// Whether there are no others.
    pub(super) is_whole: bool,
    rest: Box<dyn Read + 'a>,
    /// What was unpacked or translated.
    pub(super) notes: Vec<String>,
}

impl<'a> Input<'a> {
    pub(super) fn new(reader: impl Read + 'a, file: &str) -> Result<Self> {
        let failed = |problem| Error::Io { file: file.to_owned(), problem };
        let refused = |problem| {
            let place = Place { file: file.to_owned(), line: None, column: None };
            Error::Content { place, problem }
        };
        let mut notes = Vec::new();
        let mut rest: Box<dyn Read + 'a> = Box::new(reader);
        let mut head = beginning(&mut rest).map_err(failed)?;
        if head.starts_with(b"\x1F\x8B") {
            rest = Box::new(flate2::read::MultiGzDecoder::new(Cursor::new(head).chain(rest)));
            head = beginning(&mut rest).map_err(failed)?;
            notes.push("gzip".to_owned());
        } else if head.starts_with(b"\x28\xB5\x2F\xFD") {
            let decoder = ruzstd::decoding::StreamingDecoder::new(Cursor::new(head).chain(rest));
            rest = Box::new(decoder.map_err(|problem| failed(io::Error::other(problem.to_string())))?);
            head = beginning(&mut rest).map_err(failed)?;
            notes.push("zstd".to_owned());
        }
        // These are no text, and have readers of their own.
        if Statistics::is_one(&head) || is_workbook(&head) || is_parquet(&head) || is_arrow(&head) {
            let is_whole = false;
            return Ok(Self { head, is_whole, rest, notes });
        }
        // Of these one is text, in which capitals do not matter.
        let begins = |(magic, _): &&(&[u8], &str)| {
            head.starts_with(magic)
                || magic.starts_with(b"@")
                    && head.get(..magic.len()).is_some_and(|start| start.eq_ignore_ascii_case(magic))
        };
        let what = match BINARY.iter().find(begins) {
            None if head.starts_with(b"BZh") && head.get(4..).is_some_and(|rest| rest.starts_with(BZIP2)) => {
                Some("packed by bzip2")
            }
            found => found.map(|(_, what)| *what),
        };
        if let Some(what) = what {
            return Err(refused(Problem::NotText { what: what.to_owned() }));
        }
        if let Some(is_little) = utf16_order(&head) {
            rest = Box::new(Utf16::new(Cursor::new(head).chain(rest), is_little));
            head = beginning(&mut rest).map_err(failed)?;
            notes.push("UTF-16".to_owned());
        }
        if head.starts_with(b"\xEF\xBB\xBF") {
            head.drain(..3);
        }
        if head.contains(&0) {
            return Err(refused(Problem::NotText { what: "no text".to_owned() }));
        }
        if Knowledge::is_one(&head) {
            return Err(refused(Problem::IsKnowledge));
        }
        if is_tetrad_graph(&head) {
            return Err(refused(Problem::IsGraph));
        }
        if matches!(head.trim_ascii_start().first(), Some(b'{' | b'[')) {
            return Err(refused(Problem::NotText { what: "JSON".to_owned() }));
        }
        let is_whole = head.len() < HEAD - 3;
        Ok(Self { head, is_whole, rest, notes })
    }

    /// All bytes at once.
    pub(super) fn bytes(self, file: &str) -> Result<Vec<u8>> {
        plackett::memory::read(self.into_reader())
            .map_err(|problem| Error::Io { file: file.to_owned(), problem })
    }

    /// All bytes, the first ones again.
    pub(super) fn into_reader(self) -> impl Read + 'a {
        Cursor::new(self.head).chain(self.rest)
    }
}

fn beginning(reader: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Whether the low bytes come first, if this is UTF-16: by its mark, or by the zeros that ASCII has in it.
fn utf16_order(head: &[u8]) -> Option<bool> {
    /// Bytes in which to look for zeros.
    const LOOK: usize = 256;
    if head.starts_with(b"\xFF\xFE") {
        return Some(true);
    }
    if head.starts_with(b"\xFE\xFF") {
        return Some(false);
    }
    let look = &head[..head.len().min(LOOK) & !1];
    let zeros = |offset: usize| look.iter().skip(offset).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let most = look.len() / 2;
    (most >= 2 && (even == 0 || odd == 0) && 2 * even.max(odd) > most).then_some(odd > 0)
}

/// UTF-16 as UTF-8.
struct Utf16<R> {
    reader: R,
    is_little: bool,
    /// Bytes of the source that are not yet translated: at most three.
    left: Vec<u8>,
    text: Cursor<Vec<u8>>,
}

impl<R: Read> Utf16<R> {
    fn new(reader: R, is_little: bool) -> Self {
        Self { reader, is_little, left: Vec::new(), text: Cursor::new(Vec::new()) }
    }

    /// Translates some more; `false` at the end.
    fn translate(&mut self) -> io::Result<bool> {
        let before = self.left.len();
        Read::by_ref(&mut self.reader).take(1 << 14).read_to_end(&mut self.left)?;
        let is_last = self.left.len() == before;
        let unit = |pair: &[u8]| {
            let pair = [pair[0], pair[1]];
            if self.is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
        };
        let mut units: Vec<u16> = self.left.chunks_exact(2).map(unit).collect();
        // The second half of a pair may be yet to come.
        if !is_last && units.last().is_some_and(|unit| (0xD800..0xDC00).contains(unit)) {
            units.pop();
        }
        self.left.drain(..2 * units.len());
        let text: String =
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        self.text = Cursor::new(text.into_bytes());
        Ok(!is_last)
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.text.read(buffer)?;
            if read > 0 || buffer.is_empty() || !self.translate()? {
                return Ok(read);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &[u8]) -> String {
        let mut text = String::new();
        Input::new(bytes, "d").unwrap().into_reader().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn utf16_of_either_order_is_read_whole() {
        let text = "a,b\n1,𝄞é\n".repeat(9000);
        for with_mark in [true, false] {
            let units: Vec<u16> =
                with_mark.then_some(0xFEFF).into_iter().chain(text.encode_utf16()).collect();
            let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            assert!(whole(&little) == text && whole(&big) == text);
        }
    }

    #[test]
    fn what_is_no_text_is_called_by_its_name() {
        for (bytes, name) in [
            (&b"BZh91AY&SY\xD5"[..], "bzip2"),
            (b"%PDF-1", "PDF"),
            (b"RDX3\nX\n\0\0\0\x03", "R workspace"),
            (b"@RELATION iris", "ARFF"),
            (b"a,b\n\0\0\0\x01", "no text"),
        ] {
            let error = Input::new(bytes, "d").err().unwrap().to_string();
            assert!(error.contains(name), "{error}");
        }
    }

    #[test]
    fn columns_may_be_called_as_other_files_begin() {
        for text in ["rdx,b\n1,2\n", "RDX\n1\n", "RDX2\n7\n", "BZh,b\n1,2\n", "bzh9\n1\n", "%pdf,b\n1,2\n"] {
            assert_eq!(whole(text.as_bytes()), text);
        }
    }
}
