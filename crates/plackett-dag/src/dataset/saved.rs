//! Bytes of a file with lines, lists of numbers and a checksum at the end, written whole or not at all.

use std::path::Path;

use super::fingerprint::Print;
use crate::error::{Error, Problem, Result};

/// Hexadecimal digits of the checksum, and the end of its line.
pub(super) const CHECK: usize = 33;

pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new(magic: &[u8]) -> Self {
        Self(magic.to_vec())
    }

    pub(super) fn line(&mut self, line: &[u8]) {
        self.0.extend_from_slice(line);
        self.0.push(b'\n');
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.0.extend_from_slice(&number.to_le_bytes()));
    }

    pub(super) fn counts(&mut self, counts: &[u64]) {
        counts.iter().for_each(|count| self.0.extend_from_slice(&count.to_le_bytes()));
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let check = Print::of_bytes(&self.0).digits();
        self.0.extend_from_slice(check.as_bytes());
        self.0.push(b'\n');
        self.0
    }
}

pub(super) struct Reader<'a> {
    rest: &'a [u8],
    file: &'a str,
}

impl<'a> Reader<'a> {
    /// Checks the beginning and the checksum.
    pub(super) fn new(bytes: &'a [u8], magic: &[u8], file: &'a str) -> Result<Self> {
        let refused = |message: &str| Problem::Statistics { message: message.to_owned() }.in_file(file);
        if !bytes.starts_with(magic) {
            return Err(refused("they do not begin as statistics do"));
        }
        let split = bytes.len().checked_sub(CHECK).filter(|&split| split >= magic.len());
        let (body, check) = bytes.split_at(split.ok_or_else(|| refused("they are cut off"))?);
        if check.trim_ascii_end() != Print::of_bytes(body).digits().as_bytes() {
            return Err(refused("their checksum is wrong: they are damaged or cut off"));
        }
        Ok(Self { rest: &body[magic.len()..], file })
    }

    fn refused(&self) -> Error {
        Problem::Statistics { message: "they are shorter than they say".to_owned() }.in_file(self.file)
    }

    /// What to say of rows that are not of the categories before them.
    pub(super) fn misfit(&self) -> Error {
        Problem::Statistics { message: "its rows do not fit its categories".to_owned() }.in_file(self.file)
    }

    pub(super) fn line(&mut self) -> Result<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.rest).ok_or_else(|| self.refused())?;
        let line = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        Ok(line)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let bytes = self.rest.get(..count).ok_or_else(|| self.refused())?;
        self.rest = &self.rest[count..];
        Ok(bytes)
    }

    pub(super) fn numbers(&mut self, count: usize) -> Result<Vec<f64>> {
        Ok(self.counts(count)?.into_iter().map(f64::from_bits).collect())
    }

    pub(super) fn counts(&mut self, count: usize) -> Result<Vec<u64>> {
        let bytes = self.bytes(count.saturating_mul(8))?;
        Ok(bytes
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
            .collect())
    }

    pub(super) fn finish(self) -> Result<()> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(Problem::Statistics { message: "they are longer than they say".to_owned() }.in_file(self.file))
    }
}

/// Writes a file in a single step: an earlier one stays until the new one is whole.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |problem| Error::Io { file: path.display().to_string(), problem };
    plackett::files::replace(path, bytes).map_err(failed)
}
