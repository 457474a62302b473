//! The file of `--state`: written whole or not at all, every few seconds, by one process at a time.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context;
use plackett::{faults, memory};

use crate::{console::BadInput, files::OutFile};

/// How often a run is saved.
const SAVED_EVERY: Duration = Duration::from_secs(3);

/// How often a lock may be removed by its holder just as it is taken: others are then in a queue for it.
const LOCK_TRIES: usize = 100;

/// Where a run is saved, if it is.
pub(crate) struct StateFile {
    place: Option<Place>,
    saved: Instant,
}

struct Place {
    path: PathBuf,
    file: OutFile,
    _lock: Lock,
}

/// A lock on a file beside the state, held until the run is over, when the file goes. One that a killed process has left behind is taken
/// over.
struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Nothing if another process has it.
    fn of(state: &Path) -> io::Result<Option<Self>> {
        let mut name = state.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        for _ in 0..LOCK_TRIES {
            let file =
                faults::at("lock").and_then(|()| File::options().create(true).append(true).open(&path));
            let file = file.map_err(|error| {
                io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
            })?;
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Ok(None);
            }
            // Its holder may just have removed it: what is locked then is no longer what others find.
            if is_at(&file, &path) {
                return Ok(Some(Self { path, file }));
            }
        }
        Ok(None)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is held, so that nobody else's is removed. Elsewhere a file that is open cannot be taken away and made anew.
        if cfg!(unix) && is_at(&self.file, &self.path) {
            fs::remove_file(&self.path).ok();
        }
    }
}

/// Whether an open file is the one of this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    file.metadata().ok().zip(fs::metadata(path).ok()).is_some_and(|(file, path)| same(file, path))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
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
        let Some(lock) = Lock::of(path)? else {
            return Err(BadInput(format!("another run is using the state {}", path.display())).into());
        };
        Ok(Self { path: path.to_owned(), file, _lock: lock })
    }
}
