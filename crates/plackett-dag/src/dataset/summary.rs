//! What is kept of columns of numbers when their rows are not: the moments, a profile and a print of each. Data that fit in
//! memory are summed up the same way, at the end.

use plackett::run::Run;

use super::fingerprint::Print;
use super::profile::Profile;
use crate::{Result, gram::GramBuilder};

/// Rows that are put together before they are taken: enough to read each column in long strides.
const BLOCK_ROWS: usize = 256;

/// The sum of rows of numbers.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) builder: GramBuilder,
    pub(super) profiles: Vec<Profile>,
    pub(super) prints: Vec<Print>,
    pub(super) weight_print: Print,
    /// Rows that were left out because values are missing in them.
    pub(super) incomplete: usize,
    block: Vec<f64>,
}

impl Summary {
    /// Of columns of these names; nothing without columns.
    ///
    /// # Errors
    /// More columns than there is memory for.
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Result<Option<Self>> {
        let columns = names.clone().count();
        if columns == 0 {
            return Ok(None);
        }
        Ok(Some(Self {
            builder: GramBuilder::new(columns)?,
            profiles: names.clone().map(Profile::new).collect(),
            prints: names.map(Print::of_numbers).collect(),
            weight_print: Print::of_numbers(""),
            incomplete: 0,
            block: vec![0.0; BLOCK_ROWS * columns],
        }))
    }

    /// Takes rows, column by column, with NaN where a value is missing; such rows are left out. Weights are not negative.
    /// Nothing if the run is over first.
    pub(super) fn take(&mut self, columns: &[&[f64]], weights: Option<&[f64]>, run: &Run<'_>) -> Option<()> {
        let rows = columns.first().map_or(0, |column| column.len());
        let has_gap = |row: usize| {
            columns.iter().any(|column| column[row].is_nan())
                || weights.is_some_and(|weights| weights[row].is_nan())
        };
        let incomplete = (0..rows).filter(|&row| has_gap(row)).count();
        if incomplete == 0 {
            return self.take_complete(columns, weights, run);
        }
        self.incomplete += incomplete;
        let complete = |column: &&[f64]| -> Vec<f64> {
            (0..rows).filter(|&row| !has_gap(row)).map(|row| column[row]).collect()
        };
        let kept: Vec<Vec<f64>> = columns.iter().map(complete).collect();
        let kept_weights = weights.as_ref().map(complete);
        let slices: Vec<&[f64]> = kept.iter().map(Vec::as_slice).collect();
        self.take_complete(&slices, kept_weights.as_deref(), run)
    }

    fn take_complete(&mut self, columns: &[&[f64]], weights: Option<&[f64]>, run: &Run<'_>) -> Option<()> {
        let rows = columns.first().map_or(0, |column| column.len());
        let width = columns.len();
        for start in (0..rows).step_by(BLOCK_ROWS) {
            if run.is_over() {
                return None;
            }
            let count = BLOCK_ROWS.min(rows - start);
            for (at, column) in columns.iter().enumerate() {
                let values = &column[start..start + count];
                self.profiles[at].take(values);
                self.prints[at].take(values);
                for (row, value) in values.iter().enumerate() {
                    self.block[row * width + at] = *value;
                }
            }
            if let Some(weights) = weights {
                self.weight_print.take(&weights[start..start + count]);
            }
            for (row, values) in self.block[..count * width].chunks_exact(width).enumerate() {
                let weight = weights.map_or(1.0, |weights| weights[start + row]);
                // A row with an infinite value is refused, and left out: it is a fault by then.
                let _ = self.builder.push_weighted(values, weight);
            }
        }
        Some(())
    }
}
