//! `--bootstrap`: how often two columns are joined, and which way, in graphs learned from rows that are drawn anew. Saved and gone on
//! with by `--state`.

use plackett::run::{Ending, Run};
use plackett_dag::{Bootstrap, Learned, Learning, Support};
use serde_json::json;

use super::{Arguments, Settings, data::Data};
use crate::state::StateFile;

/// What came of a bootstrap.
pub(super) struct Supported {
    pub support: Support,
    /// How many replicates were asked for.
    pub wanted: u64,
    /// Whether the searches began with the order of the graph of all rows.
    pub is_warm: bool,
    pub seconds: f64,
    pub ending: Ending,
    /// Why they could not be saved, if they could not.
    pub unsaved: Option<anyhow::Error>,
}

/// Makes the replicates that are wanted and not in the file yet, as many as there is time for.
pub(super) fn run(
    arguments: &Arguments,
    learning: &Learning,
    settings: &Settings<'_>,
    data: &Data,
    learned: &Learned,
    run: &Run<'_>,
    state: &mut StateFile,
) -> anyhow::Result<Option<Supported>> {
    let (Some(wanted), Some(rows)) = (arguments.bootstrap.map(u64::from), &data.resampler) else {
        return Ok(None);
    };
    let start = run.seconds();
    let is_warm = !arguments.cold;
    let bootstrap = Bootstrap { learning, rows, start: is_warm.then_some(&learned.order) };
    // The time is no part of it: a longer run goes on with a shorter one.
    let subject = json!({
        "fingerprint": data.input.fingerprint,
        "settings": Settings { time: None, ..*settings },
        "knowledge": learning.bounds.as_ref().map(|bounds| format!("{bounds:?}")),
        "is_warm": is_warm,
    });
    let subject = subject.to_string();
    let mut support = match state.read()? {
        Some(text) => Support::from_json(&text, &subject)?,
        None => Support::new(data.names.len()),
    };
    let mut unsaved = None;
    // What ended before its time is not the graph to begin with, and there is no time left anyway.
    if !learned.ending.is_early() {
        // Whoever cannot be saved now may be saved in the end.
        let mut save = |support: &Support| drop(state.save_sometimes(|| Ok(support.to_json(&subject))));
        bootstrap.extend(&mut support, 0..wanted, &mut save, run)?;
        unsaved = state.save(|| Ok(support.to_json(&subject))).err();
    }
    let ending = run.ending().unwrap_or(Ending::Finished);
    Ok(Some(Supported { support, wanted, is_warm, seconds: run.seconds() - start, ending, unsaved }))
}
