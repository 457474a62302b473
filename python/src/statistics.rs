//! What learning needs of data, summed up.

use std::collections::HashMap;

use plackett_dag::{Dataset, dataset::Kind};
use pyo3::{prelude::*, types::PyBytes};

use crate::{
    data::{ReadingSettings, refused},
    error::Failure,
};

/// Statistics of data, which merge with those of other parts.
#[pyclass(module = "plackett._plackett")]
pub(crate) struct Statistics {
    pub(crate) inner: plackett_dag::Statistics,
}

impl Statistics {
    pub(crate) fn of(data: Dataset) -> Result<Self, Failure> {
        Ok(Self { inner: plackett_dag::Statistics::of(data).map_err(refused)? })
    }
}

#[pymethods]
impl Statistics {
    /// Of a file, which may be one of statistics.
    #[staticmethod]
    fn read(py: Python<'_>, path: &str, settings: ReadingSettings) -> Result<Self, Failure> {
        let (reading, _) = settings.reading()?;
        py.detach(|| Self::of(Dataset::read(path, &reading).map_err(refused)?))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        Ok(Self { inner: plackett_dag::Statistics::from_bytes(bytes, "the statistics").map_err(refused)? })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>, Failure> {
        Ok(PyBytes::new(py, &self.inner.to_bytes()?))
    }

    fn save(&self, path: &str) -> Result<(), Failure> {
        Ok(self.inner.save(path)?)
    }

    fn copy(&self) -> Self {
        Self { inner: self.inner.clone() }
    }

    /// Takes in those of other rows.
    fn merge(&mut self, other: &Self) -> Result<(), Failure> {
        self.inner.merge(&other.inner).map_err(refused)
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.inner.names().to_vec()
    }

    #[getter]
    fn rows(&self) -> usize {
        self.inner.rows()
    }

    #[getter]
    fn distinct_rows(&self) -> Option<usize> {
        self.inner.distinct_rows()
    }

    #[getter]
    fn scores(&self) -> Vec<&'static str> {
        self.inner.scores()
    }

    /// As `kind` of the settings has it, or mixed.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.inner.kind() {
            Some(Kind::Numbers) => "continuous",
            Some(_) => "discrete",
            None => "mixed",
        }
    }

    /// As `kinds` of the settings has them.
    #[getter]
    fn kinds(&self) -> HashMap<String, &'static str> {
        self.inner.names().iter().cloned().zip(self.inner.kinds().into_iter().map(Kind::name)).collect()
    }
}
