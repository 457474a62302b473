//! Files that are either whole or not there.
//!
//! The bytes are written under a temporary name beside the file, synced to disk, and renamed into place. An interrupted run or
//! a full disk leaves the previous file, or none. A process that is killed leaves its temporary file behind: it is locked for as
//! long as somebody writes it, so that whoever writes there next can tell, and takes it away.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::faults;

/// Temporary files that are younger may be about to be locked.
const STALE: Duration = Duration::from_secs(600);

/// Writes a file in a single step, replacing any earlier one. Where the name is a link, it is what that leads to.
///
/// ```
/// let path = std::env::temp_dir().join("plackett-doc-replaced.txt");
/// plackett::files::replace(&path, b"whole")?;
/// assert_eq!(std::fs::read(&path)?, b"whole");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Whatever the system says; an earlier file is untouched then.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = linked(path);
    // Same directory, hence same file system: a rename across file systems would not be atomic.
    let mut temporary = Temporary::beside(folder_of(&path))?;
    faults::at("write")?;
    temporary.file.write_all(bytes)?;
    faults::at("sync")?;
    // Without the sync a power cut may leave the new name on an empty file.
    temporary.file.sync_all()?;
    faults::at("rename")?;
    fs::rename(&temporary.path, path)?;
    temporary.is_renamed = true;
    Ok(())
}

/// Whether files can be written into a folder, so that a slip costs no run. Takes away what killed processes have left there.
///
/// ```
/// assert!(plackett::files::try_folder(&std::env::temp_dir()).is_ok());
/// assert!(plackett::files::try_folder("no such folder".as_ref()).is_err());
/// ```
///
/// # Errors
/// Whatever the system says.
pub fn try_folder(folder: &Path) -> io::Result<()> {
    Temporary::beside(folder).map(drop)
}

/// The folder that a file is in.
///
/// ```
/// use std::path::Path;
/// assert_eq!(plackett::files::folder_of("state.json".as_ref()), Path::new("."));
/// assert_eq!(plackett::files::folder_of("runs/state.json".as_ref()), Path::new("runs"));
/// ```
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file under a name of its own, which goes unless it is renamed.
struct Temporary {
    file: File,
    path: PathBuf,
    is_renamed: bool,
}

impl Temporary {
    fn beside(folder: &Path) -> io::Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        sweep_once(folder);
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".plackett-{}-{number}.tmp", std::process::id()));
            faults::at("create")?;
            match File::create_new(&path) {
                // Where there are no locks, nobody takes files away.
                Ok(file) => {
                    file.try_lock().ok();
                    return Ok(Self { file, path, is_renamed: false });
                }
                // Of a process that had this number before.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_renamed {
            fs::remove_file(&self.path).ok();
        }
    }
}

/// The file that a name stands for: where it is a link, what that leads to, so that the link stays one.
fn linked(path: &Path) -> PathBuf {
    match (fs::canonicalize(path), fs::read_link(path)) {
        (Ok(file), Ok(_)) => file,
        // A link to what is not there yet.
        (Err(_), Ok(next)) => folder_of(path).join(next),
        _ => path.to_owned(),
    }
}

/// Sweeps a folder, the first time that this process writes there.
fn sweep_once(folder: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let is_new = SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned());
    if is_new {
        sweep(folder);
    }
}

/// Takes away what processes that were killed have left in a folder: files of ours that are old and that nobody holds.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(".plackett-")?.strip_suffix(".tmp"));
        let is_ours = number.is_some();
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) && is_left_behind(&entry.path()) {
            fs::remove_file(entry.path()).ok();
        }
    }
}

fn is_left_behind(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let age = file.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age > STALE) && file.try_lock().is_ok()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("curve.csv");
        for text in ["a longer first version", "second"] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        try_folder(folder.path()).unwrap();
        assert_eq!(names(folder.path()), ["curve.csv"]);
    }

    #[test]
    fn a_failed_rename_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("curve.csv")).unwrap();
        replace(&folder.path().join("curve.csv"), b"bytes").unwrap_err();
        assert_eq!(names(folder.path()), ["curve.csv"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one() {
        let root = tempfile::tempdir().unwrap();
        let (link, file) = (root.path().join("link.json"), root.path().join("elsewhere/state.json"));
        fs::create_dir(root.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink("elsewhere/state.json", &link).unwrap();
        for text in ["first", "second"] {
            replace(&link, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        assert_eq!(names(&root.path().join("elsewhere")), ["state.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_an_ordinary_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        fs::write(folder.path().join("ordinary"), "").unwrap();
        replace(&folder.path().join("ours"), b"").unwrap();
        assert_eq!(mode("ours"), mode("ordinary"));
    }

    #[test]
    fn what_a_killed_process_left_is_taken_away_and_what_somebody_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        let make = |name: &str, is_old: bool| {
            let file = File::create(folder.path().join(name)).unwrap();
            if is_old {
                file.set_modified(long_ago).unwrap();
            }
            file
        };
        make(".plackett-1-0.tmp", true);
        make(".plackett-2-0.tmp", false);
        make("mine.tmp", true);
        make(".plackett-notes.txt", true);
        let held = make(".plackett-3-0.tmp", true);
        held.lock().unwrap();
        replace(&folder.path().join("result"), b"whole").unwrap();
        assert_eq!(
            names(folder.path()),
            [".plackett-2-0.tmp", ".plackett-3-0.tmp", ".plackett-notes.txt", "mine.tmp", "result"]
        );
    }
}
