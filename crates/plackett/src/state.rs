//! Saved states: JSON with what it is the state of and its version, read back to the last bit.

use std::{fs, io::Write as _, path::Path};

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The version of the format; another one is refused.
const VERSION: u32 = 2;

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
        .map_err(|error| Error::StateText { why: error.to_string() })
}

/// The state of such a text.
pub(crate) fn from_json<S: for<'a> Deserialize<'a>>(what: &'static str, text: &str) -> Result<S, Error> {
    let wrong = |error: serde_json::Error| Error::StateText { why: error.to_string() };
    let head: Head = serde_json::from_str(text).map_err(wrong)?;
    if head.plackett_state != what {
        return Err(Error::StateSort { found: head.plackett_state, wanted: what });
    }
    if head.version != VERSION {
        return Err(Error::StateVersion { found: head.version, known: VERSION });
    }
    Ok(serde_json::from_str::<Saved<S>>(text).map_err(wrong)?.state)
}

/// Writes a file under a temporary name beside it, syncs it to disk and renames it into place.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
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
