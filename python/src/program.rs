//! The program `plackett`, which the package installs too.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the program with these arguments, the first of which is its own name, and returns its exit code.
#[pyfunction]
#[pyo3(name = "_main")]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| plackett_cli::run(arguments))
}
