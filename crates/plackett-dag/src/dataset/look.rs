//! What the values of a column show, before the other columns are looked at.

use super::MOST_WHOLE_NUMBERS;
use crate::field::{Saying, as_whole, is_numbered};

/// A column is one of numbers with a slip or two, rather than of words, if at most one in this many values is a word.
const VALUES_PER_SLIP: usize = 10;

/// What the values of a column show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Look {
    Words,
    /// Different whole numbers, few enough for categories, and whether they hardly come twice.
    Few(usize, bool),
    NotWhole,
    ManyWhole,
    Empty,
}

impl Look {
    /// Of few different texts, and the code of each row.
    pub(super) fn of_few<'a>(
        texts: &(impl Iterator<Item = (&'a str, Saying)> + Clone),
        codes: &[u8],
    ) -> Self {
        let sayings = texts.clone().map(|(_, saying)| saying);
        let numbers = sayings.clone().filter(|saying| saying.number().is_some()).count();
        let is_among_words = numbers == 0 || sayings.clone().any(|saying| saying == Saying::Word);
        let is_word = |saying: Saying| {
            saying == Saying::Word || saying == Saying::MissingAmongNumbers && is_among_words
        };
        // Categories of a source with types need not occur.
        let mut occurrences = [0_usize; 256];
        codes.iter().for_each(|&code| occurrences[usize::from(code)] += 1);
        let occurring = || sayings.clone().zip(occurrences).filter(|(_, count)| *count > 0);
        let words: usize = occurring().filter(|(saying, _)| is_word(*saying)).map(|(_, count)| count).sum();
        // A number with a letter, such as 136A, that comes more than once is no slip: the numbers beside it are names too.
        let is_name = |((text, saying), count): ((&str, Saying), usize)| {
            count == 0 || !is_word(saying) || count > 1 && is_numbered(text)
        };
        let are_whole =
            || sayings.clone().filter_map(Saying::number).all(|number| as_whole(number).is_some());
        let are_names = || are_whole() && texts.clone().zip(occurrences).all(is_name);
        if words > 0 && (!is_slip(words, codes.len(), numbers) || are_names()) {
            return Self::Words;
        }
        let there = || occurring().filter(|(saying, _)| saying.number().is_some());
        Self::of_numbers(there().filter_map(|(saying, _)| saying.number()), || {
            there().map(|(_, count)| count).sum::<usize>() + words
        })
    }

    /// Of numbers, NaN where they are missing.
    pub(super) fn of_values(values: &[f64]) -> Self {
        let there = || values.iter().copied().filter(|value| !value.is_nan());
        Self::of_numbers(there(), || there().count())
    }

    /// What numbers show, each of them at least once, of which there are so many in all.
    fn of_numbers(numbers: impl Iterator<Item = f64>, count: impl Fn() -> usize) -> Self {
        let mut different: Vec<i64> = Vec::new();
        let mut is_many = false;
        for number in numbers {
            match as_whole(number) {
                None => return Self::NotWhole,
                Some(_) if is_many => {}
                Some(whole) if different.contains(&whole) => {}
                Some(whole) => {
                    different.push(whole);
                    is_many = different.len() > MOST_WHOLE_NUMBERS;
                }
            }
        }
        match different.len() {
            _ if is_many => Self::ManyWhole,
            0 => Self::Empty,
            few => Self::Few(few, 2 * few > count()),
        }
    }

    pub(super) fn is_measurement(self) -> bool {
        matches!(self, Self::NotWhole | Self::ManyWhole)
    }
}

/// Whether so few of the values are words, beside so many different numbers, that they are slips.
fn is_slip(words: usize, rows: usize, different_numbers: usize) -> bool {
    words * VALUES_PER_SLIP <= rows && different_numbers > MOST_WHOLE_NUMBERS
}
