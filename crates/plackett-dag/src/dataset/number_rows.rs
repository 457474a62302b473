//! Rows of complete numbers, kept beside their moments for what moments do not tell.

/// The rows of columns of numbers, as they were read: neither centered nor scaled. Taken out of a
/// [`Dataset`](crate::Dataset) by [`take_number_rows`](crate::Dataset::take_number_rows).
///
/// ```
/// use plackett_dag::{Dataset, dataset::Reading};
///
/// let mut data = Dataset::from_reader("a,b\n1.5,2\n2.5,7\n".as_bytes(), "data.csv", &Reading::default())?;
/// let rows = data.take_number_rows().unwrap();
/// assert_eq!(rows.columns()[1], [2.0, 7.0]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NumberRows {
    columns: Vec<Vec<f64>>,
    weights: Option<Vec<f64>>,
}

impl NumberRows {
    pub(super) fn new(columns: Vec<Vec<f64>>, weights: Option<Vec<f64>>) -> Self {
        Self { columns, weights }
    }

    /// The values, column by column.
    pub fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }

    /// How much each row counts, if not once.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }
}
