//! Saved states: JSON with what it is the state of and its version, read back to the last bit.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{error::Error, files};

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
    if !is_plausible(&serde_json::from_str(text).map_err(wrong)?, text.len()) {
        return Err(Error::StateContradiction);
    }
    Ok(serde_json::from_str::<Saved<S>>(text).map_err(wrong)?.state)
}

/// What is counted up while a run goes on.
const COUNTERS: [&str; 14] = [
    "asked",
    "failed",
    "first_id",
    "foreign",
    "found_after",
    "given",
    "next_id",
    "next_stream",
    "pending",
    "rounds",
    "skipped_steps",
    "steps",
    "stream",
    "told",
];

/// No run comes so far.
const MOST_COUNTED: u64 = 1 << 53;

/// Whether no object claims more items than its text has room for, as what is made of them would be allocated before anything
/// contradicts, nor has counted to where numbers end.
fn is_plausible(value: &Value, bytes: usize) -> bool {
    match value {
        Value::Object(fields) => fields.iter().all(|(name, value)| {
            let most = match name.as_str() {
                "items" => bytes as u64,
                name if COUNTERS.contains(&name) => MOST_COUNTED,
                _ => u64::MAX,
            };
            value.as_u64().is_none_or(|number| number <= most) && is_plausible(value, bytes)
        }),
        Value::Array(values) => values.iter().all(|value| is_plausible(value, bytes)),
        _ => true,
    }
}

/// Writes a file in a single step.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    files::replace(path, bytes).map_err(|source| Error::File { verb: "write", path: path.to_owned(), source })
}
