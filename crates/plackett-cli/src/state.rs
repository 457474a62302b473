//! The file of `--state`: written whole or not at all, every few seconds.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context;

use crate::files::OutFile;

/// How often a run is saved.
const SAVED_EVERY: Duration = Duration::from_secs(3);

/// Where a run is saved, if it is.
pub(crate) struct StateFile {
    path: Option<PathBuf>,
    saved: Instant,
}

impl StateFile {
    pub(crate) fn new(path: Option<&Path>) -> Self {
        Self { path: path.map(Path::to_owned), saved: Instant::now() }
    }

    /// The text of an earlier run; none if there is no file yet.
    pub(crate) fn read(&self) -> anyhow::Result<Option<String>> {
        match &self.path {
            Some(path) if path.exists() => {
                let text = std::fs::read_to_string(path);
                Ok(Some(text.with_context(|| format!("cannot read {}", path.display()))?))
            }
            _ => Ok(None),
        }
    }

    /// Saves if it is time to.
    pub(crate) fn save_sometimes(
        &mut self,
        text: impl FnOnce() -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        if self.path.is_some() && self.saved.elapsed() >= SAVED_EVERY { self.save(text) } else { Ok(()) }
    }

    /// Saves now.
    pub(crate) fn save(&mut self, text: impl FnOnce() -> anyhow::Result<String>) -> anyhow::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        OutFile::at(path)?.write(text()?.as_bytes())?;
        self.saved = Instant::now();
        Ok(())
    }
}
