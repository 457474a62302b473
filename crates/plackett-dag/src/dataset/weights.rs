//! Weights of rows: a column that says how much each row counts.

use super::column::{Content, RawColumn};
use crate::error::{Error, Result};
use crate::finding::{Concern, Finding};
use crate::gram::Weights;

/// How much each row counts.
#[derive(Clone, Debug)]
pub(super) struct RowWeights {
    pub(super) name: String,
    /// One for each row that is held.
    pub(super) values: Vec<f64>,
    pub(super) tally: Weights,
}

impl RowWeights {
    /// The weights in a column, and what is wrong with them.
    pub(super) fn of(raw: RawColumn, rows: usize, faults: &mut Vec<Finding>) -> Self {
        if let (1.., Some((place, text))) = (raw.words, &raw.first_word) {
            let concern = Concern::NotNumbers { text: text.clone(), place: *place, count: raw.words, rows };
            faults.push(Finding::of(&raw.name, concern));
        }
        let values: Vec<f64> = match raw.content {
            Content::Numbers(values) => values,
            Content::Few { texts, codes } => {
                let number = |code: &u8| texts[usize::from(*code)].1.number().unwrap_or(f64::NAN);
                codes.iter().map(number).collect()
            }
            Content::Many { codes, .. } => vec![f64::NAN; codes.len()],
        };
        let is_bad = |value: &&f64| !value.is_nan() && !(0.0..f64::INFINITY).contains(*value);
        if let Some(&value) = values.iter().find(is_bad) {
            faults.push(Finding::of(&raw.name, Concern::BadWeight { value }));
        }
        let mut weights = Self { name: raw.name, values, tally: Weights::NONE };
        weights.count();
        weights
    }

    /// Leaves out the rows that are not to be kept.
    pub(super) fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        let mut row = 0;
        self.values.retain(|_| {
            row += 1;
            is_kept(row - 1)
        });
        self.count();
    }

    fn count(&mut self) {
        self.tally = Weights::NONE;
        self.values.iter().for_each(|&value| self.tally.add(value));
    }

    /// The weights as numbers of rows.
    ///
    /// # Errors
    /// [`Error::Misfit`] if one is not whole.
    pub(super) fn counts(&self) -> Result<Vec<u32>> {
        let count = |value: &f64| -> Option<u32> {
            #[expect(clippy::cast_sign_loss, reason = "checked")]
            (value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(value)).then_some(*value as u32)
        };
        self.values.iter().map(count).collect::<Option<Vec<u32>>>().ok_or_else(|| Error::Misfit {
            setting: "weights",
            reason: "are not whole, and the scores of categories count rows".to_owned(),
        })
    }
}
