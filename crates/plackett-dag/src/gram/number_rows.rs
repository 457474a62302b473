//! The rows of numbers beside their moments, for what moments do not tell.

use std::sync::Arc;

/// The rows of columns of numbers, as they were read: neither centered nor scaled. [`Gram::number_rows`](crate::Gram::number_rows)
/// has them where they are held.
///
/// ```
/// use plackett_dag::{Dataset, Observations, dataset::Reading, gram::Centering};
///
/// let data = Dataset::from_reader("a,b\n1.5,2\n2.5,7\n".as_bytes(), "data.csv", &Reading::default())?;
/// let Observations::Numbers(gram) = data.observations(Centering::Center)? else { unreachable!() };
/// assert_eq!(gram.number_rows().unwrap().columns()[1][..], [2.0, 7.0]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NumberRows {
    columns: Vec<Arc<Vec<f64>>>,
    weights: Option<Arc<Vec<f64>>>,
}

impl NumberRows {
    /// Columns of one length, with as many weights if rows do not all count once.
    pub(crate) fn new(columns: Vec<Vec<f64>>, weights: Option<Vec<f64>>) -> Self {
        Self { columns: columns.into_iter().map(Arc::new).collect(), weights: weights.map(Arc::new) }
    }

    /// The values, column by column.
    pub fn columns(&self) -> &[Arc<Vec<f64>>] {
        &self.columns
    }

    /// How much each row counts, if not once.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().map(|weights| weights.as_slice())
    }

    /// The same rows with other weights.
    pub(crate) fn weighing(&self, weights: Vec<f64>) -> Self {
        Self { columns: self.columns.clone(), weights: Some(Arc::new(weights)) }
    }

    /// Some of the columns.
    pub(super) fn of_nodes(&self, nodes: &[usize]) -> Self {
        let columns = nodes.iter().map(|&node| Arc::clone(&self.columns[node])).collect();
        Self { columns, weights: self.weights.clone() }
    }
}
