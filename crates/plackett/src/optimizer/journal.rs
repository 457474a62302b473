//! A run that several processes share, on one machine or on many, through a file that all of them write to.
//!
//! The file has a line of JSON for every evaluation. Lines are appended under a lock, whole; one that a process could not end
//! before it died is closed by the next, and left out by all. Everybody searches with a seed of their own, goes on from what
//! others have found if it is better, and asks for no value that is there already. Who is first when depends on the machines,
//! so such a run cannot be repeated to the bit.

use std::{
    collections::HashMap,
    fs::File,
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::Answer;
use crate::{error::Error, faults, order::Order};

/// What the first line calls the file, and the only version of it that can be read.
const SORT: &str = "journal";
const VERSION: u32 = 1;

/// Seeds are so far apart: 2⁶⁴ divided by the golden ratio, so that no two of a few meet.
const SEED_STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The first line.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Head {
    plackett: String,
    version: u32,
    items: usize,
    objective: String,
}

/// Every other line.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Joined { joined: u64 },
    Value { by: u64, order: Vec<usize>, value: f64 },
    Failed { by: u64, order: Vec<usize>, failed: String },
}

/// A file that several processes share a run through.
///
/// ```
/// use plackett::{Order, optimizer::{Answer, Journal}};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("run.journal");
/// let (mut here, mut there) = (Journal::join(&path, 3, "sums")?, Journal::join(&path, 3, "sums")?);
/// here.append(&[2, 0, 1], &Answer::Value(5.0))?;
/// assert_eq!(there.news()?, [(Order::new(vec![2, 0, 1])?, 5.0)]);
/// assert_eq!(there.value_of(&[2, 0, 1]), Some(5.0));
/// assert_ne!(here.seed(7), there.seed(7));
/// assert!(Journal::join(&path, 4, "sums").is_err()); // of another run
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    items: usize,
    /// How many have joined before this one.
    number: u64,
    /// Bytes read so far, up to the end of a line.
    read: u64,
    known: HashMap<Vec<usize>, f64>,
}

impl Journal {
    /// Joins the run of this file, or begins it if there is none. `objective` says what is evaluated.
    ///
    /// # Errors
    /// A file that cannot be written or locked, or that is something else than the journal of a run with as many items and the
    /// same objective.
    pub fn join(path: &Path, items: usize, objective: &str) -> Result<Self, Error> {
        let wrong = |source| Error::File { verb: "open", path: path.to_owned(), source };
        let file = File::options().create(true).read(true).append(true).open(path).map_err(wrong)?;
        let mut journal =
            Self { file, path: path.to_owned(), items, number: 0, read: 0, known: HashMap::new() };
        let head =
            Head { plackett: SORT.to_owned(), version: VERSION, items, objective: objective.to_owned() };
        journal.locked(|journal| {
            let text = journal.unread()?;
            let mut lines = text.lines();
            let not_ours = |why: &str| Error::Journal { path: journal.path.clone(), why: why.to_owned() };
            match lines.next() {
                None => {
                    // What stands there is the beginning of a first line that was never ended.
                    journal.file.set_len(0).map_err(|source| journal.failed(source))?;
                    journal.write(&head)?;
                }
                Some(line) => {
                    let found: Head =
                        serde_json::from_str(line).map_err(|_| not_ours("it is no journal of a run"))?;
                    if found.items != head.items || found.objective != head.objective {
                        let why = format!(
                            "it is of a run with {} items and the objective '{}'",
                            found.items, found.objective
                        );
                        return Err(not_ours(&why));
                    }
                    if found != head {
                        return Err(not_ours("another version of this library has written it"));
                    }
                }
            }
            let joined = lines.filter(|line| matches!(serde_json::from_str(line), Ok(Line::Joined { .. })));
            journal.number = joined.count() as u64;
            journal.write(&Line::Joined { joined: journal.number })
        })?;
        Ok(journal)
    }

    /// A seed that no other process of the run has: that of the first is the one given.
    pub fn seed(&self, seed: u64) -> u64 {
        seed.wrapping_add(SEED_STEP.wrapping_mul(self.number))
    }

    /// What others have evaluated since the last call, and at the first call all that had been evaluated before.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn news(&mut self) -> Result<Vec<(Order, f64)>, Error> {
        let text = self.unread()?;
        self.read += text.len() as u64;
        let mut news = Vec::new();
        for line in text.lines() {
            // A line that cannot be read was never ended.
            let Ok(Line::Value { by, order, value }) = serde_json::from_str(line) else { continue };
            let (true, true, Ok(checked)) =
                (order.len() == self.items, value.is_finite(), Order::new(order.clone()))
            else {
                continue;
            };
            self.known.insert(order, value);
            if by != self.number {
                news.push((checked, value));
            }
        }
        Ok(news)
    }

    /// The value of an order, if somebody has evaluated it.
    pub fn value_of(&self, order: &[usize]) -> Option<f64> {
        self.known.get(order).copied()
    }

    /// Tells the others of an answer.
    ///
    /// # Errors
    /// A file that cannot be written or locked.
    pub fn append(&mut self, order: &[usize], answer: &Answer) -> Result<(), Error> {
        let (by, order) = (self.number, order.to_vec());
        let line = match (answer.clone().checked().value(), answer) {
            (Some(value), _) => Line::Value { by, order, value },
            (None, Answer::Failed(why)) => Line::Failed { by, order, failed: why.clone() },
            (None, _) => Line::Failed { by, order, failed: "the value is not finite".to_owned() },
        };
        if let Line::Value { order, value, .. } = &line {
            self.known.insert(order.clone(), *value);
        }
        self.locked(|journal| journal.write(&line))
    }

    fn failed(&self, source: std::io::Error) -> Error {
        Error::File { verb: "write", path: self.path.clone(), source }
    }

    fn locked(&mut self, does: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.file.lock().map_err(|source| self.failed(source))?;
        let done = does(self);
        let unlocked = self.file.unlock().map_err(|source| self.failed(source));
        done.and(unlocked)
    }

    /// The whole lines that have not been read.
    fn unread(&mut self) -> Result<String, Error> {
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(self.read)).and_then(|_| self.file.read_to_end(&mut bytes));
        read.map_err(|source| Error::File { verb: "read", path: self.path.clone(), source })?;
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(end);
        // Bytes that are no text are part of no line that can be read.
        Ok(String::from_utf8(bytes).unwrap_or_else(|error| {
            error
                .into_bytes()
                .into_iter()
                .map(|byte| if byte.is_ascii() { byte as char } else { '?' })
                .collect()
        }))
    }

    /// Appends a line, after closing one that was never ended. The lock is held.
    fn write(&mut self, line: &impl Serialize) -> Result<(), Error> {
        let text =
            serde_json::to_string(line).map_err(|error| Error::StateText { why: error.to_string() })?;
        let mut write = || {
            let length = self.file.seek(SeekFrom::End(0))?;
            let mut last = [b'\n'];
            if length > 0 {
                self.file.seek(SeekFrom::End(-1))?;
                self.file.read_exact(&mut last)?;
            }
            faults::at("append")?;
            let close = if last == [b'\n'] { "" } else { "\n" };
            self.file.write_all(format!("{close}{text}\n").as_bytes())
        };
        write().map_err(|source| Error::File { verb: "write", path: self.path.clone(), source })
    }
}
