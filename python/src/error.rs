//! Errors of the libraries as Python exceptions.

use pyo3::{create_exception, exceptions::PyValueError, prelude::*};

create_exception!(
    plackett,
    PlackettError,
    PyValueError,
    "What is wrong with an input, said so that the place can be found."
);

/// What a call can fail with, before it is a Python exception: threads that have let go of the interpreter cannot make one.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A complaint of the libraries or of this one.
    Complaint(String),
    /// An exception of a function that the caller gave, to be raised as it is.
    Raised(PyErr),
}

impl Failure {
    /// A complaint of this crate's own.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::Complaint(text.into())
    }

    /// The same complaint with the row of a batch that it is about; one row needs no number.
    pub(crate) fn in_row(self, row: usize, rows: usize) -> Self {
        match self {
            Self::Complaint(text) if rows > 1 => Self::Complaint(format!("row {row}: {text}")),
            other => other,
        }
    }
}

impl From<plackett::Error> for Failure {
    fn from(error: plackett::Error) -> Self {
        match error {
            plackett::Error::ObjectiveFailed { outcome, source } => match source.downcast::<PyErr>() {
                Ok(raised) => Self::Raised(*raised),
                Err(source) => Self::Complaint(format!("the objective failed on {outcome:?}: {source}")),
            },
            error => Self::Complaint(error.to_string()),
        }
    }
}

impl From<plackett_dag::Error> for Failure {
    fn from(error: plackett_dag::Error) -> Self {
        match error {
            plackett_dag::Error::Engine(error) => error.into(),
            error => Self::Complaint(error.to_string()),
        }
    }
}

impl From<plackett_problems::Error> for Failure {
    fn from(error: plackett_problems::Error) -> Self {
        match error {
            plackett_problems::Error::Engine(error) => error.into(),
            plackett_problems::Error::File { path, source } => Self::Raised(PyErr::from(
                std::io::Error::new(source.kind(), format!("{}: {source}", path.display())),
            )),
            error => Self::Complaint(error.to_string()),
        }
    }
}

impl From<PyErr> for Failure {
    fn from(raised: PyErr) -> Self {
        Self::Raised(raised)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Complaint(text) => PlackettError::new_err(text),
            Failure::Raised(raised) => raised,
        }
    }
}
