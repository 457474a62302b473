//! The file of `--state`: written whole or not at all, every few seconds, by one process at a time.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context;
use plackett::{faults, memory};

use crate::{console::BadInput, files::OutFile};

/// How often a run is saved.
const SAVED_EVERY: Duration = Duration::from_secs(3);

/// Where a run is saved, if it is.
pub(crate) struct StateFile {
    place: Option<Place>,
    saved: Instant,
}

struct Place {
    path: PathBuf,
    file: OutFile,
    /// Held until the run is over.
    _lock: File,
}

impl StateFile {
    /// The file of this path for this process alone, by a lock on a file beside it, which goes with the process however that ends.
    pub(crate) fn locked(path: Option<&Path>) -> anyhow::Result<Self> {
        let place = path.map(Place::locked).transpose()?;
        Ok(Self { place, saved: Instant::now() })
    }

    /// The text of an earlier run; none if there is no file yet.
    pub(crate) fn read(&self) -> anyhow::Result<Option<String>> {
        let Some(Place { path, .. }) = self.place.as_ref().filter(|place| place.path.exists()) else {
            return Ok(None);
        };
        let cannot_read = || format!("cannot read {}", path.display());
        let bytes = File::open(path).and_then(memory::read_text).with_context(cannot_read)?;
        Ok(Some(String::from_utf8(bytes).with_context(cannot_read)?))
    }

    /// Saves if it is time to.
    pub(crate) fn save_sometimes(
        &mut self,
        text: impl FnOnce() -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        if self.place.is_some() && self.saved.elapsed() >= SAVED_EVERY { self.save(text) } else { Ok(()) }
    }

    /// Saves now.
    pub(crate) fn save(&mut self, text: impl FnOnce() -> anyhow::Result<String>) -> anyhow::Result<()> {
        let Some(place) = &self.place else { return Ok(()) };
        place.file.write(text()?.as_bytes())?;
        self.saved = Instant::now();
        Ok(())
    }
}

impl Place {
    fn locked(path: &Path) -> anyhow::Result<Self> {
        let file = OutFile::tried(path)?;
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let opened = faults::at("lock").and_then(|()| File::options().create(true).append(true).open(&name));
        let lock = opened.with_context(|| format!("cannot write {}", Path::new(&name).display()))?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Err(BadInput(format!("another run is using the state {}", path.display())).into());
        }
        Ok(Self { path: path.to_owned(), file, _lock: lock })
    }
}
