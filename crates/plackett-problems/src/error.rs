//! What can be wrong with a problem or with the text that it is read from.

/// Everything that this library refuses, with the place that is wrong.
///
/// ```
/// use plackett_problems::{Error, Kind};
/// let error = Kind::LinearOrdering.parse("some.mat", "2\n0 1\nx 0\n").unwrap_err();
/// assert!(matches!(error, Error::Format { line: 3, .. }));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text that does not follow its format.
    #[error("{file}, line {line}: {what}")]
    Format {
        /// The file, or what the caller calls the text.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// A file that cannot be read.
    #[error("cannot read {}", path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A name that is not on the list.
    #[error("{name} is no kind of problem: they are {known}")]
    UnknownKind {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A job that takes less than no time.
    #[error("a processing time is {time}: it must not be negative")]
    NegativeTime {
        /// The time.
        time: f64,
    },
    /// More cities than there is memory for.
    #[error("{cities} cities need {gigabytes:.0} GB for their distances, and there is no memory for that")]
    Memory {
        /// How many cities there are.
        cities: usize,
        /// What their distances would take.
        gigabytes: f64,
    },
    /// Something that the core refuses: a matrix that is empty, not square or not finite.
    #[error(transparent)]
    Engine(#[from] plackett::Error),
}

/// Refuses a list of the wrong length.
pub(crate) fn check_length(what: &'static str, got: usize, expected: usize) -> Result<(), Error> {
    if got == expected { Ok(()) } else { Err(plackett::Error::Length { what, expected, got }.into()) }
}

/// Refuses NaN and infinities, naming the first.
pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(plackett::Error::NotFinite { what, index, value: values[index] }.into()),
    }
}

/// Refuses a matrix that is not square of this size, or not finite.
pub(crate) fn check_matrix(what: &'static str, items: usize, matrix: &[f64]) -> Result<(), Error> {
    if items == 0 {
        return Err(plackett::Error::Empty { what }.into());
    }
    check_length(what, matrix.len(), items * items)?;
    check_finite(what, matrix)
}
