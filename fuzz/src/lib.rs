//! The readers of everything that comes from outside, each as a function of bytes that must neither panic nor run on nor take the
//! machine's memory, and the cases that have been tried on them (`corpus`). `scripts/fuzz` makes new ones.

mod mutation;
mod targets;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

pub use mutation::Mutator;
pub use targets::TARGETS;

/// A reader by its name.
pub struct Target {
    /// The name, and that of its folder of cases.
    pub name: &'static str,
    /// Reads the bytes, and goes on with what it has read as a caller would; whether it accepts them.
    pub read: fn(&[u8]) -> bool,
    /// Words that its formats are made of.
    pub words: &'static [&'static str],
}

impl Target {
    /// The folder of its cases.
    ///
    /// ```
    /// assert!(plackett_fuzz::TARGETS[0].folder().is_dir());
    /// ```
    pub fn folder(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(self.name)
    }

    /// Its cases with their names, in order.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn corpus(&self) -> io::Result<Vec<(String, Vec<u8>)>> {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(self.folder())?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
        let case = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, fs::read(path)?))
        };
        paths.iter().map(case).collect()
    }
}
