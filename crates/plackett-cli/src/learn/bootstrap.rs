//! `--bootstrap`: how often two columns are joined, and which way, in graphs learned from rows that are drawn anew. Saved and gone on
//! with by `--state`.

use std::path::Path;

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
}

/// Makes the replicates that are wanted and not in the file yet, as many as there is time for.
pub(super) fn run(
    arguments: &Arguments,
    learning: &Learning,
    settings: &Settings<'_>,
    data: &Data,
    learned: &Learned,
    run: &Run<'_>,
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
    let mut state = State::new(arguments.state.as_deref(), subject.to_string());
    let mut support = state.read(data.names.len())?;
    // What ended before its time is not the graph to begin with, and there is no time left anyway.
    if !learned.ending.is_early() {
        bootstrap.extend(&mut support, 0..wanted, &mut |support| state.save_sometimes(support), run)?;
        state.finish(&support)?;
    }
    let ending = run.ending().unwrap_or(Ending::Finished);
    Ok(Some(Supported { support, wanted, is_warm, seconds: run.seconds() - start, ending }))
}

/// The file of `--state`, with what it is of.
struct State {
    file: StateFile,
    subject: String,
    failed: Option<anyhow::Error>,
}

impl State {
    fn new(path: Option<&Path>, subject: String) -> Self {
        Self { file: StateFile::new(path), subject, failed: None }
    }

    /// What was saved; nothing yet if there is no file.
    fn read(&self, nodes: usize) -> anyhow::Result<Support> {
        Ok(match self.file.read()? {
            Some(text) => Support::from_json(&text, &self.subject)?,
            None => Support::new(nodes),
        })
    }

    fn save_sometimes(&mut self, support: &Support) {
        let saved = self.file.save_sometimes(|| Ok(support.to_json(&self.subject)));
        self.failed = self.failed.take().or(saved.err());
    }

    fn finish(&mut self, support: &Support) -> anyhow::Result<()> {
        self.file.save(|| Ok(support.to_json(&self.subject)))?;
        self.failed.take().map_or(Ok(()), Err)
    }
}
