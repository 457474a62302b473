//! Saving an optimizer and resuming it to the bit.

use std::{fs, io::Write as _, path::Path};

use serde::{Deserialize, Serialize};

use super::Optimizer;
use crate::{error::Error, order::check_distinct};

/// The version of the format; another one is refused.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Saved<S> {
    /// What it is the state of.
    plackett_state: String,
    version: u32,
    state: S,
}

/// The beginning of a saved state, which every version has.
#[derive(Deserialize)]
struct Head {
    plackett_state: String,
    version: u32,
}

/// A state as JSON, with what it is of and its version.
pub(crate) fn to_json(what: &str, state: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(&Saved { plackett_state: what.to_owned(), version: VERSION, state })
        .map_err(|error| Error::State { what: error.to_string() })
}

/// The state of such a text.
pub(crate) fn from_json<S: for<'a> Deserialize<'a>>(what: &str, text: &str) -> Result<S, Error> {
    let wrong = |error: serde_json::Error| Error::State { what: error.to_string() };
    let head: Head = serde_json::from_str(text).map_err(wrong)?;
    if head.plackett_state != what {
        let what = format!("it is of a run of another sort ({}, not {what})", head.plackett_state);
        return Err(Error::State { what });
    }
    if head.version != VERSION {
        let what = format!("its version is {}, this program's is {VERSION}", head.version);
        return Err(Error::State { what });
    }
    Ok(serde_json::from_str::<Saved<S>>(text).map_err(wrong)?.state)
}

/// The error of a state that could be read but cannot be true.
pub(crate) fn contradictory() -> Error {
    Error::State { what: "its parts contradict each other".to_owned() }
}

impl Optimizer {
    /// The whole state as JSON: settings, scores, critic, open batches with the answers so far, the best order.
    ///
    /// ```
    /// use plackett::{Optimizer, OptimizerSettings};
    /// let mut optimizer = Optimizer::new(4, OptimizerSettings::default())?;
    /// optimizer.ask(25);
    /// let mut copy = Optimizer::from_json(&optimizer.to_json()?)?;
    /// assert_eq!(copy.pending(), optimizer.pending());
    /// assert_eq!(copy.ask(3), optimizer.ask(3));
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// None that is known; the signature is that of the serializer.
    pub fn to_json(&self) -> Result<String, Error> {
        to_json("optimizer", self)
    }

    /// The optimizer of a saved state, which goes on exactly as the one that was saved.
    ///
    /// # Errors
    /// A text that is no such state, one of another version, or one whose parts contradict each other.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let state: Self = from_json("optimizer", text)?;
        if !state.is_sound() {
            return Err(contradictory());
        }
        Ok(state)
    }

    /// Writes the state to a file, which is replaced in one step: a reader finds the old state or the new one.
    ///
    /// ```
    /// use plackett::{Optimizer, OptimizerSettings};
    /// let path = std::env::temp_dir().join("plackett-doc-example.json");
    /// let optimizer = Optimizer::new(4, OptimizerSettings::default())?;
    /// optimizer.save(&path)?;
    /// assert_eq!(Optimizer::load(&path)?.scores(), optimizer.scores());
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A file that cannot be written; an earlier one is untouched then.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        write_whole(path, self.to_json()?.as_bytes())
    }

    /// Reads the state from a file.
    ///
    /// # Errors
    /// A file that cannot be read, and as [`from_json`](Self::from_json).
    pub fn load(path: &Path) -> Result<Self, Error> {
        let cannot_read = |source| Error::File { verb: "read", path: path.to_owned(), source };
        Self::from_json(&fs::read_to_string(path).map_err(cannot_read)?)
    }

    pub(crate) fn is_sound(&self) -> bool {
        let items = self.items();
        let is_order = |order: &[usize]| order.len() == items && check_distinct(order, items).is_ok();
        let pending = self.batches.iter().map(|batch| batch.pending().count() as u64).sum::<u64>();
        items > 0
            && self.learner.is_sound(items)
            && self.progress.pending == pending
            && self.batches.iter().all(|batch| batch.is_sound(is_order, items))
            && self.climb.iter().all(|climb| climb.is_sound(is_order))
            && self.best.iter().all(|best| is_order(&best.order) && best.value.is_finite())
            && Self::new(items, self.settings.clone()).is_ok()
    }
}

/// Writes a file under a temporary name beside it, syncs it to disk and renames it into place.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let cannot_write = |source| Error::File { verb: "write", path: path.to_owned(), source };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let write = || {
        let mut file = fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().inspect_err(|_| drop(fs::remove_file(&temporary))).map_err(cannot_write)
}
