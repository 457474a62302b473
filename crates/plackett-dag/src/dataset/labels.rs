//! The categories of a column, by their words, where the rows are summed up: those of parts make those of the whole.

use serde::{Deserialize, Serialize};

use super::settle::sorted_labels;
use crate::categories::Categories;
use crate::error::{Error, Result};
use crate::field::{Fields, Saying};
use crate::finding::{Concern, Finding};

/// The categories of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Labels {
    pub(super) texts: Vec<String>,
    /// Whether their order is that of a type, to be kept.
    pub(super) is_typed: bool,
    /// Whether that order means something.
    pub(super) is_ordered: bool,
}

impl Labels {
    /// Takes in those of another part: where each of these is now. New ones come last.
    ///
    /// # Errors
    /// [`Error::Unfit`] if there are more than 256 together.
    pub(super) fn merge(&mut self, other: &Self, name: &str) -> Result<Vec<u8>> {
        if self != other {
            // Parts that bring their categories in different orders have none.
            self.is_typed &= other.is_typed && self.texts == other.texts;
            self.is_ordered &= self.is_typed && other.is_ordered;
        }
        let mut map = Vec::with_capacity(other.texts.len());
        for text in &other.texts {
            let place = self.texts.iter().position(|other| other == text).unwrap_or_else(|| {
                self.texts.push(text.clone());
                self.texts.len() - 1
            });
            map.push(u8::try_from(place).map_err(|_| {
                let most = Categories::MOST_LEVELS;
                let concern = Concern::TooManyCategories { most };
                Error::Unfit {
                    file: "the parts together".to_owned(),
                    faults: vec![Finding::of(name, concern)],
                }
            })?);
        }
        Ok(map)
    }

    /// Whether they are no more than a column may have.
    pub(super) fn are_few(&self) -> bool {
        self.texts.len() <= Categories::MOST_LEVELS
    }

    /// The texts with what they say. A label is never missing, whatever it reads.
    pub(super) fn sayings(&self) -> Vec<(String, Saying)> {
        let plain = Fields { marks: Some(Vec::new()), ..Fields::default() };
        let saying = |text: &String| match plain.number(text).filter(|number| !number.is_nan()) {
            Some(number) => Saying::Number(number),
            None => Saying::Word,
        };
        self.texts.iter().map(|text| (text.clone(), saying(text))).collect()
    }

    /// Puts them in the order in which readers have them, unless it is that of a type; where each was before.
    pub(super) fn sort(&mut self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.texts.len()).collect();
        if !self.is_typed {
            let all: Vec<u8> = order.iter().map(|&place| place as u8).collect();
            let (_, ranks) = sorted_labels(&self.sayings(), &all);
            order.sort_by_key(|&place| (ranks[place], &self.texts[place]));
            self.texts = order.iter().map(|&place| self.texts[place].clone()).collect();
        }
        order
    }
}
