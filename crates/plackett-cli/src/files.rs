//! The files and folders of a command's results. Each file is either whole or not there ([`plackett::files`]), and a place is tried
//! before the work begins, so that a slip costs no run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use plackett::{
    faults,
    files::{folder_of, replace, try_folder},
};

use crate::console::BadInput;

/// The directory a command writes its results to.
#[derive(Debug)]
pub(crate) struct OutDir {
    path: PathBuf,
}

impl OutDir {
    /// Makes the directory, with its parents, unless it is there already, and sees whether files can be written there.
    pub(crate) fn create(path: impl Into<PathBuf>) -> anyhow::Result<Self> {
        let path = path.into();
        if let Some(there) = path.ancestors().find(|path| path.exists())
            && !there.is_dir()
        {
            let what = format!("cannot write into {}: {} is no folder", path.display(), there.display());
            return Err(BadInput(what).into());
        }
        faults::at("folder")
            .and_then(|()| fs::create_dir_all(&path))
            .with_context(|| format!("cannot create the directory {}", path.display()))?;
        try_folder(&path).with_context(|| format!("cannot write into {}", path.display()))?;
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
}

/// One file that a command writes, whole or not at all.
#[derive(Debug)]
pub(crate) struct OutFile {
    path: PathBuf,
}

impl OutFile {
    /// A file of this path, whose folder is made unless it is there already, once it is clear that it can be written there.
    pub(crate) fn tried(path: &Path) -> anyhow::Result<Self> {
        if path.is_dir() {
            let what = format!("{} is a folder, and the name of a file is needed", path.display());
            return Err(BadInput(what).into());
        }
        if path.file_name().is_none() {
            return Err(BadInput(format!("{} is not the name of a file", path.display())).into());
        }
        OutDir::create(folder_of(path)).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path: path.to_owned() })
    }

    /// Writes it, and returns its path.
    pub(crate) fn write(&self, bytes: &[u8]) -> anyhow::Result<PathBuf> {
        replace(&self.path, bytes).with_context(|| format!("cannot write {}", self.path.display()))?;
        Ok(self.path.clone())
    }
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
}
