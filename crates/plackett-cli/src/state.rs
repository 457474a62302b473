//! The file of `--state`: written whole or not at all, every few seconds, by one process at a time.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context;

use crate::{console::BadInput, files::OutDir};

/// How often a run is saved.
const SAVED_EVERY: Duration = Duration::from_secs(3);

/// Where a run is saved, if it is.
pub(crate) struct StateFile {
    path: Option<PathBuf>,
    saved: Instant,
    /// Held, where there is one, until the run is over.
    lock: Option<File>,
}

impl StateFile {
    pub(crate) fn new(path: Option<&Path>) -> Self {
        Self { path: path.map(Path::to_owned), saved: Instant::now(), lock: None }
    }

    /// The same for this process alone, by a lock on a file beside it, which goes with the process however that ends.
    pub(crate) fn locked(path: Option<&Path>) -> anyhow::Result<Self> {
        let mut state = Self::new(path);
        if let Some(path) = path {
            let mut name = path.as_os_str().to_owned();
            name.push(".lock");
            let file = File::options().create(true).append(true).open(&name);
            // Where no lock can be had, neither can the state be written, and that is said when the result has been shown.
            if let Ok(file) = file {
                if let Err(TryLockError::WouldBlock) = file.try_lock() {
                    let what = format!("another run is using the state {}", path.display());
                    return Err(BadInput(what).into());
                }
                state.lock = Some(file);
            }
        }
        Ok(state)
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
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.with_context(|| format!("{} is not the name of a file", path.display()))?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        OutDir::create(folder)?.write(name, text()?.as_bytes())?;
        self.saved = Instant::now();
        Ok(())
    }
}
