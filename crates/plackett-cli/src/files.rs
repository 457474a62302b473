//! Output files that are either whole or not there.
//!
//! A reader who finds `curve.csv` may trust it: the bytes are written under a temporary name beside it, synced to
//! disk, and renamed into place. An interrupted run or a full disk leaves the previous file, or none.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::console::BadInput;

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
        replace(&target, bytes).with_context(|| format!("cannot write {}", target.display()))?;
        Ok(target)
    }

    /// Writes one file, which may be anywhere, in a single step.
    pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        Self::create(folder_of(path))?;
        replace(path, bytes).with_context(|| format!("cannot write {}", path.display()))
    }
}

fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = linked(target);
    // Same directory, hence same file system: a rename across file systems would not be atomic.
    let mut file = temporary().tempfile_in(folder_of(&target))?;
    file.write_all(bytes)?;
    // Without the sync a power cut may leave the new name on an empty file.
    file.as_file().sync_all()?;
    // A failed rename hands the temporary file back; dropping it with the error deletes it.
    file.persist(target).map_err(|failed| failed.error)?;
    Ok(())
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

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// One file that a command writes, whole or not at all.
#[derive(Debug)]
pub(crate) struct OutFile {
    folder: OutDir,
    name: String,
}

impl OutFile {
    /// A file of this path, whose folder is made unless it is there already.
    pub(crate) fn at(path: &Path) -> anyhow::Result<Self> {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.with_context(|| format!("{} is not the name of a file", path.display()))?;
        Ok(Self { folder: OutDir::create(folder_of(path))?, name: name.to_owned() })
    }

    /// The same once it is clear that the file can be written there, so that a slip costs no run.
    pub(crate) fn tried(path: &Path) -> anyhow::Result<Self> {
        let file = Self::at(path)?;
        if path.is_dir() {
            return Err(BadInput(format!(
                "{} is a folder, and the name of a file is needed",
                path.display()
            ))
            .into());
        }
        temporary()
            .tempfile_in(&file.folder.path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(file)
    }

    /// Writes it, and returns its path.
    pub(crate) fn write(&self, bytes: &[u8]) -> anyhow::Result<PathBuf> {
        self.folder.write(&self.name, bytes)
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

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one() {
        let root = tempfile::tempdir().unwrap();
        let (link, file) = (root.path().join("link.json"), root.path().join("elsewhere/state.json"));
        fs::create_dir(root.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink("elsewhere/state.json", &link).unwrap();
        for text in ["first", "second"] {
            OutFile::at(&link).unwrap().write(text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        assert_eq!(names(&root.path().join("elsewhere")), ["state.json"]);
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

    #[test]
    fn a_place_is_tried_before_it_is_written_to() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("new/report.html");
        let file = OutFile::tried(&path).unwrap();
        assert_eq!(names(path.parent().unwrap()), Vec::<String>::new());
        file.write(b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert!(OutFile::tried(root.path()).unwrap_err().is::<BadInput>());
        assert!(OutFile::tried(&path.join("below.html")).is_err());
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
