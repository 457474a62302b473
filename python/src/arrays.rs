//! The entries of numpy arrays, and numpy arrays of entries. What goes in is copied: work is done without the interpreter, and whoever has
//! it meanwhile may write to the array.

use numpy::{
    Element, PyArray, PyArray2, PyReadonlyArray, PyUntypedArrayMethods,
    ndarray::{Array2, Dimension},
};
use plackett::memory;
use pyo3::{exceptions::PyMemoryError, prelude::*};
use rayon::prelude::*;

use crate::error::Failure;

/// The entries of an array, row by row.
pub(crate) fn entries<T: Element + Copy, D: Dimension>(
    array: &PyReadonlyArray<'_, T, D>,
    what: &str,
) -> Result<Vec<T>, Failure> {
    let Ok(entries) = array.as_slice() else {
        let text = format!("{what} must be contiguous in memory: pass numpy.ascontiguousarray({what})");
        return Err(Failure::new(text));
    };
    let mut copy = room(entries.len(), 1)?;
    copy.extend_from_slice(entries);
    Ok(copy)
}

/// A matrix whose number of columns the caller has settled.
pub(crate) struct Rows<T> {
    entries: Vec<T>,
    count: usize,
    columns: usize,
}

impl<T: Element + Copy> Rows<T> {
    /// The rows of an array.
    pub(crate) fn of(array: &PyReadonlyArray<'_, T, numpy::Ix2>, what: &str) -> Result<Self, Failure> {
        let [count, columns] = [array.shape()[0], array.shape()[1]];
        Ok(Self { entries: entries(array, what)?, count, columns })
    }

    /// The number of rows.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// All entries, row by row.
    pub(crate) fn entries(&self) -> &[T] {
        &self.entries
    }

    /// One row; rows without columns are there too.
    pub(crate) fn row(&self, row: usize) -> &[T] {
        &self.entries[row * self.columns..(row + 1) * self.columns]
    }

    /// The rows in turn.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.count).map(|row| self.row(row))
    }
}

/// Items as the libraries count them, into `items`. Negative ones are refused here.
pub(crate) fn to_items(row: &[i64], items: &mut Vec<usize>) -> Result<(), Failure> {
    items.clear();
    for (rank, &item) in row.iter().enumerate() {
        items.push(usize::try_from(item).map_err(|_| {
            Failure::new(format!("item {item} at rank {rank} does not exist: items count from 0"))
        })?);
    }
    Ok(())
}

/// Room for a matrix. Sizes come from the caller: without asking first, one that does not fit would end the process.
pub(crate) fn room<T>(rows: usize, columns: usize) -> Result<Vec<T>, Failure> {
    let refused = |text: String| Failure::Raised(PyMemoryError::new_err(text));
    let bytes = (rows as u128 * columns as u128).saturating_mul(size_of::<T>() as u128);
    // Systems promise more than they have.
    if bytes > memory::FEW_BYTES {
        memory::check("so large an array", bytes).map_err(|error| refused(error.to_string()))?;
    }
    let mut entries = Vec::new();
    entries
        .try_reserve_exact(rows * columns)
        .map_err(|_| refused(format!("there is no memory for {rows} times {columns} numbers")))?;
    Ok(entries)
}

/// Rows that one thread works on, and that share a random stream.
const CHUNK: usize = 1024;

/// Chunks that are held apart before they are joined: all of them would take the memory twice.
const GROUP: usize = 256;

/// The results of so many rows, `width` entries each, worked out chunk by chunk on all threads. `fill` gets the number of a
/// chunk, its rows, and room for their results; of several complaints that of the first chunk is kept, whatever the threads do.
pub(crate) fn by_chunks<T: Send>(
    rows: usize,
    width: usize,
    fill: impl Fn(u64, std::ops::Range<usize>, &mut Vec<T>) -> Result<(), Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let mut results = room(rows, width)?;
    if rows <= CHUNK {
        // A single order is not worth waking the others for.
        fill(0, 0..rows, &mut results)?;
        return Ok(results);
    }
    let chunk = |number: usize| {
        let range = number * CHUNK..rows.min((number + 1) * CHUNK);
        let mut results = Vec::with_capacity(range.len() * width);
        fill(number as u64, range, &mut results).map(|()| results)
    };
    let count = rows.div_ceil(CHUNK);
    for first in (0..count).step_by(GROUP) {
        let numbers = first..count.min(first + GROUP);
        let chunks: Vec<_> = match plackett::run::threads() {
            1 => numbers.map(chunk).collect(),
            _ => numbers.into_par_iter().map(chunk).collect(),
        };
        for chunk in chunks {
            results.append(&mut chunk?);
        }
    }
    Ok(results)
}

/// A matrix for Python from its entries, row by row.
pub(crate) fn matrix<T: Element>(
    py: Python<'_>,
    entries: Vec<T>,
    rows: usize,
    columns: usize,
) -> Result<Bound<'_, PyArray2<T>>, Failure> {
    let array = Array2::from_shape_vec((rows, columns), entries)
        .map_err(|error| Failure::new(format!("{rows} rows of {columns} columns: {error}")))?;
    Ok(PyArray::from_owned_array(py, array))
}
