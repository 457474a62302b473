//! The different words of a column that has more of them than a byte can tell apart. The most frequent become categories, and
//! the rare ones together one more: a word that hardly comes twice says nothing of other columns that could be counted.

use std::collections::HashMap;

use super::rows::RowSet;
use super::source::SourceValues;
use crate::dictionary::MOST_TEXTS;
use crate::field::is_date;

/// Different words beyond which new ones are rare by decree, so that memory is bounded.
const MOST_WORDS: usize = 1 << 20;
/// Bytes that a word takes beside its letters.
const BYTES_PER_WORD: usize = 64;
/// The code of a word that was not remembered.
const FORGOTTEN: u32 = SourceValues::MISSING - 1;
/// The most categories, with room for the rare ones and for what is missing.
const MOST_KEPT: usize = MOST_TEXTS - 2;
/// A category of its own comes at least so often.
const LEAST_COUNT: u32 = 2;

/// The words of a column, row by row.
#[derive(Default)]
pub(super) struct Words {
    places: HashMap<String, u32>,
    codes: Vec<u32>,
    letters: usize,
}

/// Categories made of words.
pub(super) struct Lumped {
    pub(super) labels: Vec<String>,
    pub(super) codes: Vec<u8>,
    pub(super) missing: RowSet,
    /// Different words that occur.
    pub(super) different: usize,
    /// How many of them are categories of their own.
    pub(super) kept: usize,
    pub(super) are_dates: bool,
}

impl Words {
    pub(super) fn push(&mut self, word: &str) {
        let code = match self.places.get(word) {
            Some(&code) => code,
            None if self.places.len() >= MOST_WORDS => FORGOTTEN,
            None => {
                let next = self.places.len() as u32;
                self.letters += word.len();
                self.places.insert(word.to_owned(), next);
                next
            }
        };
        self.codes.push(code);
    }

    pub(super) fn push_missing(&mut self) {
        self.codes.push(SourceValues::MISSING);
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<u32>() * self.codes.len() + BYTES_PER_WORD * self.places.len() + self.letters
    }

    /// The words in their order, and the place of each row's among them.
    pub(super) fn sorted(self) -> (Vec<String>, Vec<u32>) {
        let Self { places, mut codes, .. } = self;
        let mut words: Vec<(String, u32)> = places.into_iter().collect();
        words.sort_unstable();
        let mut rank = vec![0; words.len()];
        words.iter().zip(0..).for_each(|((_, code), place)| rank[*code as usize] = place);
        codes.iter_mut().for_each(|code| *code = rank.get(*code as usize).copied().unwrap_or(*code));
        (words.into_iter().map(|(word, _)| word).collect(), codes)
    }
}

/// Categories of at most a byte: all labels that occur if they are few enough, and otherwise the most frequent, the earlier of
/// equally frequent ones. They stay in their order.
pub(super) fn lumped(labels: &[String], codes: &[u32]) -> Lumped {
    let mut counts = vec![0_u32; labels.len()];
    let mut is_forgetful = false;
    for &code in codes {
        match counts.get_mut(code as usize) {
            Some(count) => *count += 1,
            None => is_forgetful |= code == FORGOTTEN,
        }
    }
    let mut kept: Vec<usize> = (0..labels.len()).filter(|&place| counts[place] > 0).collect();
    let are_dates = !kept.is_empty() && kept.iter().all(|&place| is_date(&labels[place]));
    let different = kept.len() + usize::from(is_forgetful);
    if different > MOST_KEPT + 1 {
        kept.retain(|&place| counts[place] >= LEAST_COUNT);
        kept.sort_by_key(|&place| std::cmp::Reverse(counts[place]));
        kept.truncate(MOST_KEPT);
        kept.sort_unstable();
    }
    let others = kept.len() as u8;
    let mut new_codes = vec![others; labels.len()];
    kept.iter().zip(0..).for_each(|(&place, code)| new_codes[place] = code);
    let mut missing = RowSet::default();
    let codes = codes.iter().enumerate().map(|(row, &code)| {
        if code == SourceValues::MISSING {
            missing.insert(row);
            return 0;
        }
        new_codes.get(code as usize).copied().unwrap_or(others)
    });
    let codes = codes.collect();
    let mut names: Vec<String> = kept.iter().map(|&place| labels[place].clone()).collect();
    if kept.len() < different {
        let mut name = "others".to_owned();
        while names.contains(&name) {
            name = format!("({name})");
        }
        names.push(name);
    }
    Lumped { labels: names, codes, missing, different, kept: kept.len(), are_dates }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row r holds word r mod 300 and, from row 300 on, one of the first 100: those come most often.
    fn words() -> Words {
        let mut words = Words::default();
        (0..300).rev().for_each(|row| words.push(&format!("w{row:03}")));
        (0..1000).for_each(|row| words.push(&format!("w{:03}", row % 100)));
        words.push_missing();
        words
    }

    #[test]
    fn frequent_words_are_categories_and_rare_ones_are_one_together() {
        let (labels, codes) = words().sorted();
        assert_eq!((labels.len(), labels[0].as_str(), codes[299], codes[1]), (300, "w000", 0, 298));
        let found = lumped(&labels, &codes);
        assert_eq!((found.different, found.kept, found.labels.len()), (300, 100, 101));
        assert_eq!((found.labels[99].as_str(), found.labels[100].as_str()), ("w099", "others"));
        for (row, &code) in found.codes.iter().enumerate().take(1300) {
            let word = if row < 300 { 299 - row } else { (row - 300) % 100 };
            assert_eq!(usize::from(code), word.min(100), "row {row}");
        }
        assert!(found.missing.contains(1300) && found.missing.len() == 1);
    }

    #[test]
    fn few_words_stay_as_they_are_and_names_become_nothing() {
        let labels: Vec<String> = (0..255).map(|word| format!("w{word:03}")).collect();
        let found = lumped(&labels, &(0..255).collect::<Vec<_>>());
        assert_eq!((found.kept, found.labels), (255, labels));
        let labels: Vec<String> = (0..1000).map(|day| format!("2024-01-{:02}", day % 100)).collect();
        let found = lumped(&labels, &(0..1000).collect::<Vec<_>>());
        assert_eq!((found.kept, found.labels, found.are_dates), (0, vec!["others".to_owned()], true));
        assert!(found.codes.iter().all(|&code| code == 0));
    }

    #[test]
    fn of_many_frequent_words_the_most_frequent_stay() {
        let labels: Vec<String> =
            (0..400).map(|word| format!("w{word:03}")).chain(["others".into()]).collect();
        // Word w comes 2 + w mod 7 times, "others" thrice.
        let mut codes: Vec<u32> = (0..400).flat_map(|word| vec![word; 2 + word as usize % 7]).collect();
        codes.extend([400; 10]);
        let found = lumped(&labels, &codes);
        assert_eq!((found.kept, found.different, found.labels.len()), (254, 401, 255));
        assert_eq!(&found.labels[253..], ["others", "(others)"]);
        let least = found.labels[..253].iter().map(|label| label[1..].parse::<usize>().unwrap() % 7).min();
        // 57 words of each frequency: four of them whole, and a part of the fifth.
        assert_eq!(least, Some(2));
        let counts = |label: &String| 2 + label[1..].parse::<usize>().unwrap() % 7;
        let known: usize = found.labels[..253].iter().map(counts).sum::<usize>() + 10;
        let rare = (0..codes.len()).filter(|&row| found.codes[row] == 254).count();
        assert_eq!(rare, codes.len() - known);
    }
}
