//! Output files that are either whole or not there.
//!
//! A reader who finds `curve.csv` may trust it: the bytes are written under a temporary name beside it, synced to
//! disk, and renamed into place. An interrupted run or a full disk leaves the previous file, or none.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The directory a command writes its results to.
#[derive(Debug)]
pub(crate) struct OutDir {
    path: PathBuf,
}

impl OutDir {
    /// Makes the directory, with its parents, unless it is there already.
    pub(crate) fn create(path: impl Into<PathBuf>) -> anyhow::Result<Self> {
        let path = path.into();
        fs::create_dir_all(&path)
            .with_context(|| format!("cannot create the directory {}", path.display()))?;
        Ok(Self { path })
    }

    /// A directory within this one.
    pub(crate) fn folder(&self, name: &str) -> anyhow::Result<Self> {
        Self::create(self.path.join(name))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file called `name`, replacing any earlier one in a single step, and returns its path.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<PathBuf> {
        let target = self.path.join(name);
        self.replace(&target, bytes).with_context(|| format!("cannot write {}", target.display()))?;
        Ok(target)
    }

    /// Writes one file, which may be anywhere, in a single step.
    pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self::create(folder)?.replace(path, bytes).with_context(|| format!("cannot write {}", path.display()))
    }

    fn replace(&self, target: &Path, bytes: &[u8]) -> io::Result<()> {
        // Same directory, hence same file system: a rename across file systems would not be atomic.
        let mut file = temporary().tempfile_in(&self.path)?;
        file.write_all(bytes)?;
        // Without the sync a power cut may leave the new name on an empty file.
        file.as_file().sync_all()?;
        // A failed rename hands the temporary file back; dropping it with the error deletes it.
        file.persist(target).map_err(|failed| failed.error)?;
        Ok(())
    }
}

/// Temporary files are private by default (0600) and would stay so after the rename; results get what any new file
/// gets, that is 0666 less the umask.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".plackett-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn writes_and_replaces() {
        let root = tempfile::tempdir().unwrap();
        let out = OutDir::create(root.path().join("deep/er")).unwrap();
        let path = out.write("curve.csv", b"a longer first version").unwrap();
        assert_eq!(path, root.path().join("deep/er/curve.csv"));
        out.write("curve.csv", b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(path.parent().unwrap()), ["curve.csv"]);
    }

    #[test]
    fn an_existing_directory_keeps_its_files() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("mine.txt"), "kept").unwrap();
        let out = OutDir::create(root.path()).unwrap();
        out.write("ours.txt", b"new").unwrap();
        assert_eq!(names(root.path()), ["mine.txt", "ours.txt"]);
    }

    #[test]
    fn a_failed_rename_leaves_nothing_behind_and_names_the_file() {
        let root = tempfile::tempdir().unwrap();
        let out = OutDir::create(root.path()).unwrap();
        fs::create_dir(root.path().join("curve.csv")).unwrap();
        let error = out.write("curve.csv", b"bytes").unwrap_err();
        let path = root.path().join("curve.csv");
        assert!(error.to_string().contains(&path.display().to_string()));
        assert_eq!(names(root.path()), ["curve.csv"]);
        assert!(path.is_dir());
    }

    #[test]
    fn a_directory_that_vanished_is_an_error_that_names_the_file() {
        let root = tempfile::tempdir().unwrap();
        let out = OutDir::create(root.path().join("gone")).unwrap();
        fs::remove_dir(root.path().join("gone")).unwrap();
        let error = out.write("curve.csv", b"bytes").unwrap_err();
        assert!(error.to_string().contains("curve.csv"));
    }

    #[test]
    fn a_file_in_the_place_of_the_directory_is_an_error_that_names_it() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("results");
        fs::write(&path, "not a directory").unwrap();
        let error = OutDir::create(&path).unwrap_err();
        assert!(error.to_string().contains(&path.display().to_string()));
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_an_ordinary_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        let root = tempfile::tempdir().unwrap();
        let ordinary = root.path().join("ordinary");
        fs::write(&ordinary, "").unwrap();
        let ours = OutDir::create(root.path()).unwrap().write("ours", b"").unwrap();
        assert_eq!(mode(&ours), mode(&ordinary));
    }
}
