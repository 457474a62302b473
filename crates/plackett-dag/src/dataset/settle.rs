//! From columns as they were read to columns of a kind: what each is taken for and why, and what is left where values are
//! missing.

use plackett::run::Run;

use super::builder::Stream;
use super::column::{Content, RawColumn, Spot};
use super::fingerprint::Print;
use super::inspect::{Numbers, inspect};
use super::labeled::LabeledMoments;
use super::look::Look;
use super::profile::Profile;
use super::reading::{Missing, Reading};
use super::rows::RowSet;
use super::source::SourceValues;
use super::summary::Summary;
use super::weights::RowWeights;
use super::words::{Lumped, lumped};
use super::{Column, Dataset, Kind, MOST_TEXTS, Values, Why};
use crate::error::{Problem, Result};
use crate::field::Saying;
use crate::finding::{Concern, Finding, Treatment, Where};
use crate::gram::GramBuilder;
use crate::text::number_text;

/// Data whose columns have their kinds, and the summary of rows that are not held.
pub(super) struct Settled(Dataset, Option<Summary>);

/// What was read beside the columns of the graph.
pub(super) struct Beside {
    pub(super) weights: Option<RawColumn>,
    /// What tells of interventions.
    pub(super) targets: Vec<RawColumn>,
}

/// Gives every column its kind and deals with missing values. What a stream has taken is no longer in the columns.
#[expect(clippy::too_many_lines, reason = "the steps share what they find missing")]
pub(super) fn settle(
    mut raw: Vec<RawColumn>,
    beside: Beside,
    stream: Option<Stream>,
    rows: usize,
    source: &str,
    notes: Vec<String>,
    reading: &Reading,
) -> Result<Settled> {
    let kinds = if let Some(stream) = &stream {
        stream.kinds.clone()
    } else {
        let looks: Vec<_> =
            raw.iter().map(|column| (column.name.as_str(), column.is_typed, column.look())).collect();
        kinds(&looks, reading)
    };
    let mut perhaps_words = Vec::new();
    for (column, &(kind, why)) in raw.iter_mut().zip(&kinds) {
        if column.settle_marks(kind, why) && matches!(why, Why::FewWhole(_)) {
            perhaps_words.push(column.name.clone());
        }
    }
    let mut incomplete = RowSet::default();
    let mut columns = Vec::with_capacity(raw.len());
    let mut faults = Vec::new();
    let mut gaps = Gaps::default();
    for (at, (column, &(kind, why))) in raw.iter().zip(&kinds).enumerate() {
        let mut missing = 0;
        if let (Kind::Numbers, Some((place, text))) = (kind, &column.first_infinite) {
            let concern = Concern::Infinite { text: text.clone(), place: *place };
            faults.push(Finding::of(&column.name, concern));
        }
        let slips = if kind == Kind::Numbers { column.words } else { 0 };
        if let (1.., Some((place, text))) = (slips, &column.first_word) {
            let concern = Concern::NotNumbers { text: text.clone(), place: *place, count: slips, rows };
            faults.push(Finding::of(&column.name, concern));
        } else if let Some(stream) = &stream {
            missing = stream.gaps[at];
        } else {
            column.content.each_missing(|row| {
                missing += 1;
                incomplete.insert(row);
            });
        }
        gaps.note(&column.name, missing, column.first_missing.as_ref());
        let is_ordered = column.is_ordered && kind == Kind::Categories;
        columns.push(Column { name: column.name.clone(), kind, why, missing, distinct: None, is_ordered });
    }
    let mut weights = beside.weights.map(|mut raw| {
        raw.settle_marks(Kind::Numbers, Why::Told);
        let mut missing = 0;
        if let Some(stream) = &stream {
            missing = stream.weight_gaps - raw.words.min(stream.weight_gaps);
        } else if raw.words == 0 {
            raw.content.each_missing(|row| {
                missing += 1;
                incomplete.insert(row);
            });
        }
        gaps.note(&raw.name, missing, raw.first_missing.as_ref());
        RowWeights::of(raw, rows, &mut faults)
    });
    let incomplete_rows = stream.as_ref().map_or(incomplete.len(), |stream| stream.summary.incomplete);
    let mut dropped_rows = 0;
    if let (1.., Some(first)) = (incomplete_rows, gaps.first) {
        let complete = rows - incomplete_rows;
        let mut counts = gaps.counts;
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let are_all_categories = columns.iter().all(|column| column.kind == Kind::Categories);
        // The moments that EM finds are those of all rows together.
        let is_pooled = reading.interventions.is_none() || are_all_categories;
        let can_estimate = weights.is_none() && stream.is_none() && is_pooled;
        let is_category = |name: &String| {
            let column = columns.iter().find(|column| column.name == *name);
            column.is_some_and(|column| column.kind == Kind::Categories || reading.discretize.is_some())
        };
        let are_categories = counts.iter().all(|(name, _)| is_category(name));
        let treatment = match reading.missing {
            Missing::Drop if complete > 0 => Some(Treatment::LeftOut),
            Missing::Em if !can_estimate => None,
            Missing::Em if are_all_categories => Some(Treatment::AllRows),
            Missing::Em => Some(Treatment::Moments),
            Missing::Category if are_categories => Some(Treatment::OwnCategory),
            _ => None,
        };
        if treatment == Some(Treatment::LeftOut) {
            dropped_rows = rows - complete;
        }
        faults.push(Finding::whole(match treatment {
            Some(treatment) => Concern::Incomplete { counts, rows, complete, treatment },
            None => Concern::Missing {
                counts,
                first,
                rows,
                complete,
                are_categories,
                can_estimate,
                perhaps_words,
            },
        }));
    }
    let mut values = Vec::with_capacity(raw.len());
    for (raw, column) in raw.into_iter().zip(&mut columns) {
        let mut content = raw.content;
        if stream.is_some() {
            values.push(Values::NotHeld);
            continue;
        }
        if dropped_rows > 0 {
            content.keep(|row| !incomplete.contains(row));
        }
        let settled = values_of(content, raw.is_typed, column, &mut faults);
        values.push(finished(settled, column, reading));
    }
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let mut interventions = None;
    if let Some(targets) = &reading.interventions {
        let told = targets.interventions(beside.targets, &names, rows, &mut faults)?;
        let told = if dropped_rows > 0 { told.of_rows(|row| !incomplete.contains(row)) } else { told };
        for target in told.targets() {
            let kept = told.kept_rows(target);
            if kept < 2 {
                faults.push(Finding::of(&names[target], Concern::AlwaysSet { kept }));
            }
        }
        interventions = Some(told);
    }
    let rows = rows - dropped_rows;
    if let (1.., Some(weights)) = (dropped_rows, &mut weights) {
        weights.keep(|row| !incomplete.contains(row));
    }
    if let (Some(weights), Some(stream)) = (&mut weights, &stream) {
        weights.tally = stream.summary.builder.weights();
        let bad = stream.first_bad_weight;
        faults.extend(bad.map(|value| Finding::of(&weights.name, Concern::BadWeight { value })));
    }
    let data = Dataset {
        source: source.to_owned(),
        names,
        columns,
        values,
        rows,
        dropped_rows,
        notes,
        findings: faults,
        fingerprint: String::new(),
        weights,
        interventions,
        moments: None,
        has_means: true,
        joint: None,
    };
    Ok(Settled(data, stream.map(|stream| stream.summary)))
}

impl Settled {
    /// The data with their fingerprint, their moments and what is to be said about them, of their rows or of the summary of
    /// those that are not held.
    ///
    /// # Errors
    /// [`Problem::OutOfTime`] if the run is over first.
    pub(super) fn inspected(self, run: &Run<'_>) -> Result<Dataset> {
        let Self(mut data, summary) = self;
        let weight_print = |weights: &RowWeights| {
            let mut print = Print::of_numbers("");
            print.take(&weights.values);
            print
        };
        let (numbers, prints, weight_print) = if let Some(summary) = summary {
            let moments = Some(((0..data.names.len()).collect(), summary.builder));
            let profiles = summary.profiles.into_iter().map(Some).collect();
            (Numbers { moments, profiles }, summary.prints, Some(summary.weight_print))
        } else {
            let (numbers, prints) = summed_up(&data, run)?
                .ok_or_else(|| Problem::OutOfTime { rows: data.rows, are_all: true }.in_file(&data.source))?;
            (numbers, prints, data.weights.as_ref().map(weight_print))
        };
        let weight_print = weight_print.filter(|_| data.weights.is_some());
        let target_print = data.interventions.as_ref().map(|interventions| {
            let mut print = Print::of_numbers("");
            for &regime in interventions.regime_of_rows() {
                print.take(&[f64::from(regime)]);
            }
            for targets in interventions.regimes() {
                print.take(&[-1.0]);
                targets.iter().for_each(|&target| print.take(&[target as f64]));
            }
            print
        });
        let prints = prints.into_iter().chain(weight_print).chain(target_print);
        data.fingerprint = Print::combined(data.rows, prints);
        if let Some(interventions) = &data.interventions {
            let set = interventions.regime_of_rows().iter();
            let set = set.filter(|&&regime| !interventions.regimes()[regime as usize].is_empty()).count();
            let (targets, rows) = (interventions.targets().len(), data.rows);
            let columns = crate::text::counted(targets, "column");
            data.notes.push(format!("interventions on {columns}, in {set} of {rows} rows"));
        }
        // Counts of distinct rows have no column of their own.
        if let Some(weights) = data.weights.as_ref().filter(|weights| !weights.name.is_empty()) {
            let rows = weights.tally.effective_rows();
            data.notes
                .push(format!("weights in \"{}\", by which n = {rows}", crate::text::shown(&weights.name)));
        }
        inspect(&mut data, numbers);
        Ok(data)
    }
}

impl Dataset {
    /// Data of which there are only moments, of columns of numbers.
    pub(super) fn of_moments(
        source: &str,
        columns: Vec<Column>,
        moments: GramBuilder,
        has_means: bool,
        notes: Vec<String>,
    ) -> Self {
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let fingerprint = moments_print(&names, &moments);
        let data = Self { notes, has_means, ..Self::not_held(source, columns, moments.rows(), fingerprint) };
        let places = (0..names.len()).collect();
        data.inspected_without_rows(Some((places, moments)))
    }

    /// Data of which there are only joint moments, of columns with these names and so many missing values.
    pub(super) fn of_joint(source: &str, named: Vec<(String, usize)>, joint: LabeledMoments) -> Self {
        let columns = joint.columns(named);
        if let Some((places, moments)) = joint.numbers()
            && places.len() == columns.len()
        {
            return Self::of_moments(source, columns, moments, true, Vec::new());
        }
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let fingerprint = moments_print(&joint.indicator_names(&names), joint.moments.builder());
        let (rows, numbers) = (joint.moments.rows(), joint.numbers());
        let data = Self { joint: Some(joint), ..Self::not_held(source, columns, rows, fingerprint) };
        data.inspected_without_rows(numbers)
    }

    fn not_held(source: &str, columns: Vec<Column>, rows: usize, fingerprint: String) -> Self {
        Self {
            source: source.to_owned(),
            names: columns.iter().map(|column| column.name.clone()).collect(),
            values: vec![Values::NotHeld; columns.len()],
            columns,
            rows,
            dropped_rows: 0,
            notes: Vec::new(),
            findings: Vec::new(),
            fingerprint,
            weights: None,
            interventions: None,
            moments: None,
            has_means: true,
            joint: None,
        }
    }

    fn inspected_without_rows(mut self, moments: Option<(Vec<usize>, GramBuilder)>) -> Self {
        let profiles = vec![None; self.names.len()];
        inspect(&mut self, Numbers { moments, profiles });
        self
    }
}

impl Column {
    /// Numbers that come as moments.
    pub(super) fn of_moments(name: String, missing: usize) -> Self {
        let (kind, why) = (Kind::Numbers, Why::Moments);
        Self { name, kind, why, missing, distinct: None, is_ordered: false }
    }
}

/// The print of moments.
fn moments_print(names: &[String], moments: &GramBuilder) -> String {
    let moments = moments.clone().into_moments();
    let width = names.len();
    let print = |(at, name): (usize, &String)| {
        let mut print = Print::of_numbers(name);
        print.take(&[moments.origin[at] + moments.means[at]]);
        print.take(&moments.scatter[at * width + at..(at + 1) * width]);
        print
    };
    Print::combined(moments.rows, names.iter().enumerate().map(print))
}

/// What there is to know of the columns of numbers whose rows are held, and the prints of all columns;
/// nothing if the run is over first.
fn summed_up(data: &Dataset, run: &Run<'_>) -> Result<Option<(Numbers, Vec<Print>)>> {
    // Where rows must be left out, what is left says little of the columns in which nothing is missing.
    let is_whole = |numbers: &[f64]| !numbers.iter().any(|number| number.is_nan());
    let places: Vec<usize> =
        (0..data.names.len()).filter(|&at| data.numbers(at).is_some_and(is_whole)).collect();
    let is_blocked = data.findings.iter().map(|finding| &finding.concern).any(|concern| {
        matches!(concern, Concern::NotNumbers { .. } | Concern::Infinite { .. } | Concern::BadWeight { .. })
    });
    let mut profiles: Vec<Option<Profile>> = vec![None; data.names.len()];
    let mut prints: Vec<Option<Print>> = vec![None; data.names.len()];
    let summary = Summary::new(places.iter().map(|&at| data.names[at].as_str()))?.filter(|_| !is_blocked);
    let mut moments = None;
    if let Some(mut summary) = summary {
        let columns: Vec<&[f64]> = places.iter().filter_map(|&at| data.numbers(at)).collect();
        let weights = data.weights.as_ref().map(|weights| &weights.values[..]);
        if summary.take(&columns, weights, run).is_none() {
            return Ok(None);
        }
        if summary.incomplete == 0 {
            for ((&at, profile), print) in places.iter().zip(summary.profiles).zip(summary.prints) {
                profiles[at] = Some(profile);
                prints[at] = Some(print);
            }
        }
        moments = (summary.builder.rows() > 0).then_some((places, summary.builder));
    }
    for (at, name) in data.names.iter().enumerate() {
        let Some(numbers) = data.numbers(at) else { continue };
        profiles[at].get_or_insert_with(|| {
            let mut profile = Profile::new(name);
            profile.take(numbers);
            profile
        });
    }
    let print = |(at, print): (usize, Option<Print>)| {
        let name = &data.names[at];
        print.unwrap_or_else(|| match &data.values[at] {
            Values::Numbers(numbers) => {
                let mut print = Print::of_numbers(name);
                print.take(numbers);
                print
            }
            Values::Categories { labels, codes, missing, .. } => {
                Print::of_categories(name, labels, codes, missing)
            }
            Values::NotHeld | Values::Unusable => Print::of_nothing(name),
        })
    };
    let prints = prints.into_iter().enumerate().map(print).collect();
    Ok(Some((Numbers { moments, profiles }, prints)))
}

/// Where values are missing.
#[derive(Default)]
struct Gaps {
    counts: Vec<(String, usize)>,
    first: Option<(String, Option<Where>, String)>,
}

impl Gaps {
    fn note(&mut self, name: &str, missing: usize, first: Option<&Spot>) {
        if missing == 0 {
            return;
        }
        self.counts.push((name.to_owned(), missing));
        if let Some((place, text)) = first
            && self.first.as_ref().is_none_or(|(_, first, _)| place < first)
        {
            self.first = Some((name.to_owned(), *place, text.clone()));
        }
    }
}

/// The values with numbers cut, and missing ones made a category, where that is wanted.
fn finished(mut values: Values, column: &mut Column, reading: &Reading) -> Values {
    if let (Some(discretize), Values::Numbers(numbers)) = (reading.discretize, &values) {
        let (labels, codes, missing) = discretize.cut(numbers);
        (column.kind, column.why) = (Kind::Categories, Why::Cut(labels.len()));
        column.distinct = Some(labels.len());
        // The cuts are in the order of the numbers, which the scores of categories take no notice of.
        values = Values::Categories { labels, codes, missing, is_typed: true, is_ordered: false };
    }
    if let (Missing::Category, Values::Categories { labels, codes, missing, .. }) =
        (reading.missing, &mut values)
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

/// What every column is taken for, and why: by its name, whether its type says that it holds categories, and its look.
pub(super) fn kinds(columns: &[(&str, bool, Look)], reading: &Reading) -> Vec<(Kind, Why)> {
    let has = |names: &[String], name: &str| names.iter().any(|other| other == name);
    let told = |&(name, is_typed, look): &(&str, bool, Look)| {
        if has(&reading.categorical, name) {
            Some((Kind::Categories, Why::Told))
        } else if has(&reading.numeric, name) {
            Some((Kind::Numbers, Why::Told))
        } else {
            let typed = is_typed.then_some((Kind::Categories, Why::Typed));
            let is_either = matches!(look, Look::Few(..) | Look::Empty);
            let lean = reading.lean.filter(|_| is_either).map(|kind| (kind, Why::Told));
            reading.kind.map(|kind| (kind, Why::Told)).or(typed).or(lean)
        }
    };
    let looks: Vec<(Option<(Kind, Why)>, Look)> =
        columns.iter().map(|column| (told(column), column.2)).collect();
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
            // Where there are categories anyhow, one of two codes is one too.
            Look::Few(count @ 2, _) if has_words => (Kind::Categories, Why::FewWhole(count)),
            Look::Few(count, _) if has_numbers => (Kind::Numbers, Why::BesideNumbers(count)),
            Look::Few(count, _) => (Kind::Categories, Why::FewWhole(count)),
            Look::Empty if has_numbers => (Kind::Numbers, Why::Empty),
            Look::Empty => (Kind::Categories, Why::Empty),
        })
    };
    looks.iter().map(settled).collect()
}

/// The values of a column under its kind.
fn values_of(content: Content, is_typed: bool, column: &mut Column, findings: &mut Vec<Finding>) -> Values {
    let mut many = |labels: &[String], codes: &[u32]| {
        let Lumped { labels, codes, missing, different, kept, are_dates } = lumped(labels, codes);
        column.distinct = Some(different);
        column.is_ordered &= kept == different;
        if kept < different {
            let concern = Concern::Lumped { different, kept, are_dates };
            findings.push(Finding::of(&column.name, concern));
        }
        Values::Categories { labels, codes, missing, is_typed, is_ordered: column.is_ordered }
    };
    match (content, column.kind) {
        (Content::Many { labels, codes }, Kind::Categories) => many(&labels, &codes),
        (Content::Many { .. }, Kind::Numbers) => Values::Unusable,
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
            Values::Categories { labels, codes, missing, is_typed, is_ordered: column.is_ordered }
        }
        (Content::Numbers(numbers), Kind::Categories) => {
            let mut sorted: Vec<f64> =
                numbers.iter().filter(|number| !number.is_nan()).map(|number| number + 0.0).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted.dedup();
            let place = |number: &f64| {
                let place = sorted.binary_search_by(|other| other.total_cmp(&(number + 0.0)));
                place.map_or(SourceValues::MISSING, |place| place as u32)
            };
            let codes: Vec<u32> = numbers.iter().map(place).collect();
            let labels: Vec<String> = sorted.into_iter().map(number_text).collect();
            many(&labels, &codes)
        }
    }
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
pub(super) fn sorted_labels(texts: &[(String, Saying)], codes: &[u8]) -> (Vec<String>, Vec<Option<u8>>) {
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
