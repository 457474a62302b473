//! From columns as they were read to columns of a kind: what each is taken for and why, and what is left where values are
//! missing.

use std::collections::HashMap;

use super::column::{Content, RawColumn};
use super::fingerprint::fingerprint;
use super::inspect::inspect;
use super::reading::{Missing, Reading};
use super::rows::RowSet;
use super::{Column, Dataset, Kind, MOST_TEXTS, MOST_WHOLE_NUMBERS, Values, Why};
use crate::field::{Saying, as_whole};
use crate::finding::{Concern, Finding, Treatment, Where};
use crate::text::number_text;

/// A column is one of numbers with a slip or two, rather than of words, if at most one in this many values is a word.
const VALUES_PER_SLIP: usize = 10;

/// What the values of a column show, before the other columns are looked at.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    Words,
    /// Different whole numbers, few enough for categories, and whether they hardly come twice.
    Few(usize, bool),
    NotWhole,
    ManyWhole,
    Empty,
}

impl Look {
    fn of(column: &RawColumn) -> Self {
        let rows = column.content.rows();
        match &column.content {
            Content::Many { .. } => Self::Words,
            Content::Few { texts, codes } => {
                let numbers: Vec<f64> = texts.iter().filter_map(|(_, saying)| saying.number()).collect();
                if column.words > 0 && !is_slip(column.words, rows, numbers.len()) {
                    return Self::Words;
                }
                // Categories of a source with types need not occur.
                let mut occurs = vec![false; texts.len()];
                codes.iter().for_each(|&code| occurs[usize::from(code)] = true);
                let occurring = texts.iter().zip(occurs).filter(|(_, occurs)| *occurs);
                Self::of_numbers(occurring.filter_map(|((_, saying), _)| saying.number()), || {
                    let is_missing: Vec<bool> =
                        texts.iter().map(|(_, saying)| *saying == Saying::Missing).collect();
                    codes.iter().filter(|code| !is_missing[usize::from(**code)]).count()
                })
            }
            Content::Numbers(values) => {
                let there = || values.iter().copied().filter(|value| !value.is_nan());
                Self::of_numbers(there(), || there().count())
            }
        }
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

    fn is_measurement(self) -> bool {
        matches!(self, Self::NotWhole | Self::ManyWhole)
    }
}

/// Whether so few of the values are words, beside so many different numbers, that they are slips.
fn is_slip(words: usize, rows: usize, different_numbers: usize) -> bool {
    words * VALUES_PER_SLIP <= rows && different_numbers > MOST_WHOLE_NUMBERS
}

/// Gives every column its kind and deals with missing values.
pub(super) fn settle(raw: Vec<RawColumn>, source: &str, notes: Vec<String>, reading: &Reading) -> Dataset {
    let kinds = kinds(&raw, reading);
    let mut rows = raw.first().map_or(0, |column| column.content.rows());
    let mut incomplete = RowSet::default();
    let mut columns = Vec::with_capacity(raw.len());
    let mut faults = Vec::new();
    let mut first_missing: Option<(String, Option<Where>, String)> = None;
    for (column, &(kind, why)) in raw.iter().zip(&kinds) {
        let mut missing = 0;
        if let (Kind::Numbers, Some((place, text))) = (kind, &column.first_infinite) {
            let concern = Concern::Infinite { text: text.clone(), place: *place };
            faults.push(Finding::of(&column.name, concern));
        }
        let slips = if kind == Kind::Numbers { column.words } else { 0 };
        if let (1.., Some((place, text))) = (slips, &column.first_word) {
            let concern = Concern::NotNumbers { text: text.clone(), place: *place, count: slips };
            faults.push(Finding::of(&column.name, concern));
        } else {
            column.content.each_missing(|row| {
                missing += 1;
                incomplete.insert(row);
            });
        }
        if let (1.., Some((place, text))) = (missing, &column.first_missing)
            && first_missing.as_ref().is_none_or(|(_, first, _)| place < first)
        {
            first_missing = Some((column.name.clone(), *place, text.clone()));
        }
        columns.push(Column { name: column.name.clone(), kind, why, missing, distinct: None });
    }
    let mut dropped_rows = 0;
    if let (false, Some(first)) = (incomplete.is_empty(), first_missing) {
        let complete = rows - incomplete.len();
        let gaps = || columns.iter().filter(|column| column.missing > 0);
        let mut counts: Vec<(String, usize)> =
            gaps().map(|column| (column.name.clone(), column.missing)).collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let are_categories =
            gaps().all(|column| column.kind == Kind::Categories || reading.discretize.is_some());
        let treatment = match reading.missing {
            Missing::Drop if complete > 0 => Some(Treatment::LeftOut),
            Missing::Em if columns.iter().all(|column| column.kind == Kind::Categories) => {
                Some(Treatment::LocallyComplete)
            }
            Missing::Em => Some(Treatment::Moments),
            Missing::Category if are_categories => Some(Treatment::OwnCategory),
            _ => None,
        };
        if treatment == Some(Treatment::LeftOut) {
            dropped_rows = rows - complete;
        }
        faults.push(Finding::whole(match treatment {
            Some(treatment) => Concern::Incomplete { counts, rows, complete, treatment },
            None => Concern::Missing { counts, first, rows, complete, are_categories },
        }));
    }
    let mut values = Vec::with_capacity(raw.len());
    for (raw, column) in raw.into_iter().zip(&mut columns) {
        let mut content = raw.content;
        if dropped_rows > 0 {
            content.keep(|row| !incomplete.contains(row));
        }
        let settled = values_of(content, raw.is_typed, column, &mut faults);
        values.push(finished(settled, column, reading));
    }
    rows -= dropped_rows;
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let fingerprint = fingerprint(rows, names.iter().map(String::as_str).zip(&values));
    let mut data = Dataset {
        source: source.to_owned(),
        names,
        columns,
        values,
        rows,
        dropped_rows,
        notes,
        findings: faults,
        fingerprint,
        moments: None,
    };
    inspect(&mut data);
    data
}

/// The values with numbers cut, and missing ones made a category, where that is wanted.
fn finished(mut values: Values, column: &mut Column, reading: &Reading) -> Values {
    if let (Some(discretize), Values::Numbers(numbers)) = (reading.discretize, &values) {
        let (labels, codes, missing) = discretize.cut(numbers);
        (column.kind, column.why) = (Kind::Categories, Why::Cut(labels.len()));
        column.distinct = Some(labels.len());
        values = Values::Categories { labels, codes, missing };
    }
    if let (Missing::Category, Values::Categories { labels, codes, missing }) = (reading.missing, &mut values)
        && !missing.is_empty()
        && labels.len() < MOST_TEXTS
    {
        let own = labels.len() as u8;
        let gaps = codes.iter_mut().enumerate().filter(|(row, _)| missing.contains(*row));
        gaps.for_each(|(_, code)| *code = own);
        let mut label = "missing".to_owned();
        while labels.contains(&label) {
            label = format!("({label})");
        }
        labels.push(label);
        *missing = RowSet::default();
    }
    values
}

/// What every column is taken for, and why.
fn kinds(columns: &[RawColumn], reading: &Reading) -> Vec<(Kind, Why)> {
    let told = |column: &RawColumn| {
        if reading.categorical.contains(&column.name) {
            Some((Kind::Categories, Why::Told))
        } else if reading.numeric.contains(&column.name) {
            Some((Kind::Numbers, Why::Told))
        } else {
            let typed = column.is_typed.then_some((Kind::Categories, Why::Typed));
            let is_either = || matches!(Look::of(column), Look::Few(..) | Look::Empty);
            let lean = || reading.lean.filter(|_| is_either()).map(|kind| (kind, Why::Told));
            reading.kind.map(|kind| (kind, Why::Told)).or(typed).or_else(lean)
        }
    };
    let looks: Vec<(Option<(Kind, Why)>, Look)> =
        columns.iter().map(|column| (told(column), Look::of(column))).collect();
    let is_number = |(told, look): &(Option<(Kind, Why)>, Look)| match told {
        Some((kind, _)) => *kind == Kind::Numbers,
        None => look.is_measurement(),
    };
    let is_word = |(told, look): &(Option<(Kind, Why)>, Look)| match told {
        Some((kind, _)) => *kind == Kind::Categories,
        None => *look == Look::Words,
    };
    let has_words = looks.iter().any(is_word);
    let is_scarce = |look: Look| matches!(look, Look::Few(_, true)) && !has_words;
    let has_numbers =
        looks.iter().any(|column| is_number(column) || column.0.is_none() && is_scarce(column.1));
    let settled = |&(told, look): &(Option<(Kind, Why)>, Look)| {
        told.unwrap_or(match look {
            Look::Words => (Kind::Categories, Why::Words),
            Look::NotWhole => (Kind::Numbers, Why::NotWhole),
            Look::ManyWhole => (Kind::Numbers, Why::ManyWhole),
            Look::Few(..) if is_scarce(look) => (Kind::Numbers, Why::Scarce),
            Look::Few(count, _) if has_numbers => (Kind::Numbers, Why::BesideNumbers(count)),
            Look::Few(count, _) => (Kind::Categories, Why::FewWhole(count)),
            Look::Empty if has_numbers => (Kind::Numbers, Why::Empty),
            Look::Empty => (Kind::Categories, Why::Empty),
        })
    };
    looks.iter().map(settled).collect()
}

/// The values of a column under its kind.
fn values_of(content: Content, is_typed: bool, column: &mut Column, faults: &mut Vec<Finding>) -> Values {
    let too_many = |is_id| Finding::of(&column.name, Concern::TooManyCategories { most: MOST_TEXTS, is_id });
    match (content, column.kind) {
        (Content::Many { is_id, is_date, .. }, kind) => {
            if kind == Kind::Categories {
                let fault =
                    if is_date { Finding::of(&column.name, Concern::ManyDates) } else { too_many(is_id) };
                faults.push(fault);
            }
            Values::Unusable
        }
        (Content::Few { texts, codes }, Kind::Numbers) => {
            let numbers: Vec<f64> =
                texts.iter().map(|(_, saying)| saying.number().unwrap_or(f64::NAN)).collect();
            column.distinct = Some(numbers.iter().filter(|number| !number.is_nan()).count());
            Values::Numbers(codes.iter().map(|&code| numbers[usize::from(code)]).collect())
        }
        (Content::Numbers(numbers), Kind::Numbers) => Values::Numbers(numbers),
        (Content::Few { texts, codes }, Kind::Categories) => {
            let (labels, map) = if is_typed { labels_as_given(texts) } else { sorted_labels(&texts, &codes) };
            column.distinct = Some(labels.len());
            let mut missing = RowSet::default();
            let mut codes = codes;
            for (row, code) in codes.iter_mut().enumerate() {
                *code = map[usize::from(*code)].unwrap_or_else(|| {
                    missing.insert(row);
                    0
                });
            }
            Values::Categories { labels, codes, missing }
        }
        (Content::Numbers(numbers), Kind::Categories) => match different(&numbers) {
            None => {
                faults.push(too_many(false));
                Values::Unusable
            }
            Some(sorted) => {
                let place: HashMap<u64, u8> =
                    sorted.iter().map(|number| number.to_bits()).zip(0..=u8::MAX).collect();
                let mut missing = RowSet::default();
                let code = |(row, number): (usize, &f64)| {
                    place.get(&(number + 0.0).to_bits()).copied().unwrap_or_else(|| {
                        missing.insert(row);
                        0
                    })
                };
                let codes = numbers.iter().enumerate().map(code).collect();
                column.distinct = Some(sorted.len());
                Values::Categories { labels: sorted.into_iter().map(number_text).collect(), codes, missing }
            }
        },
    }
}

/// The different numbers in their order, if they are few enough for categories.
fn different(numbers: &[f64]) -> Option<Vec<f64>> {
    let mut seen: HashMap<u64, f64> = HashMap::new();
    for number in numbers.iter().filter(|number| !number.is_nan()) {
        seen.insert((number + 0.0).to_bits(), number + 0.0);
        if seen.len() > MOST_TEXTS {
            return None;
        }
    }
    let mut sorted: Vec<f64> = seen.into_values().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    Some(sorted)
}

/// Labels in the order of their source, and the new code of each old one.
fn labels_as_given(texts: Vec<(String, Saying)>) -> (Vec<String>, Vec<Option<u8>>) {
    let mut labels = Vec::with_capacity(texts.len());
    let mut map = Vec::with_capacity(texts.len());
    for (text, saying) in texts {
        let is_there = saying != Saying::Missing;
        map.push(is_there.then_some(labels.len() as u8));
        labels.extend(is_there.then_some(text));
    }
    (labels, map)
}

/// Labels in an order that does not depend on that of the rows, and the new code of each old one: by number where all are
/// numbers (1 and 1.0 are then the same), and as text otherwise.
fn sorted_labels(texts: &[(String, Saying)], codes: &[u8]) -> (Vec<String>, Vec<Option<u8>>) {
    // Those of rows that were left out may not occur any more.
    let mut occurs = vec![false; texts.len()];
    codes.iter().for_each(|&code| occurs[usize::from(code)] = true);
    let there =
        || texts.iter().enumerate().filter(|&(code, (_, saying))| *saying != Saying::Missing && occurs[code]);
    let numbers: Option<Vec<(usize, f64)>> =
        there().map(|(code, (_, saying))| saying.number().map(|number| (code, number + 0.0))).collect();
    let order: Vec<(usize, String)> = if let Some(mut numbers) = numbers {
        numbers.sort_by(|a, b| a.1.total_cmp(&b.1));
        numbers.into_iter().map(|(code, number)| (code, number_text(number))).collect()
    } else {
        let mut words: Vec<(usize, String)> = there().map(|(code, (text, _))| (code, text.clone())).collect();
        words.sort_by(|a, b| a.1.cmp(&b.1));
        words
    };
    let mut map = vec![None; texts.len()];
    let mut labels: Vec<String> = Vec::new();
    for (code, label) in order {
        if labels.last() != Some(&label) {
            labels.push(label);
        }
        // There are at most 256 texts.
        map[code] = Some((labels.len() - 1) as u8);
    }
    (labels, map)
}
