//! What is wrong with columns that have a kind, and what is suspicious: constants, copies, ids, dates, marks of missing values
//! that pass for numbers, codes that pass for numbers, heavy tails. All of it is found before anything is said.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher};

use super::profile::Profile;
use super::{Column, Dataset, Kind, Values, Why};
use crate::categories::Categories;
use crate::field::is_date;
use crate::finding::{Concern, Finding};
use crate::gram::{Centering, Gram, GramBuilder};

/// Columns whose correlation is this close to ±1 are taken for copies of one another: rounding leaves about 1e-14
/// between true copies, and no order score could tell closer ones apart.
const COPY_TOLERANCE: f64 = 1e-12;

/// Columns with a correlation beyond this are the same quantity in all but name.
const NEAR_COPY: f64 = 0.999;

/// A column with more categories than this is worth a warning: few methods make sense of it.
const MANY_CATEGORIES: usize = 50;

/// A column with more categories than one in this many rows has about that few rows for each, too few to count by.
const ROWS_PER_CATEGORY: usize = 5;

/// So few different whole numbers are more often codes or grades than quantities.
const MOST_CODES: usize = 10;

/// The normal distribution has a kurtosis of 3, the exponential one 9; the first moments say little beyond this one.
const HEAVY_KURTOSIS: f64 = 30.0;

/// What is known of the columns of numbers.
pub(super) struct Numbers {
    /// The moments of some of them, by their places.
    pub(super) moments: Option<(Vec<usize>, GramBuilder)>,
    /// The profiles of those of which there are rows.
    pub(super) profiles: Vec<Option<Profile>>,
}

/// Finds what is wrong and what is suspicious.
pub(super) fn inspect(data: &mut Dataset, mut numbers: Numbers) {
    // Once for all who finish them.
    if let Some((_, builder)) = &mut numbers.moments {
        builder.merge_block();
    }
    let mut findings = std::mem::take(&mut data.findings);
    if let [only] = &data.names[..] {
        findings.push(Finding::of(only, Concern::OnlyColumn));
    }
    // Each row may stand for several.
    let counted = data.weights.as_ref().map_or(data.rows, |weights| weights.tally.effective_rows());
    let has_faults = findings.iter().any(Finding::is_fault);
    if data.rows == 1 || counted <= 1 && !has_faults {
        findings.push(Finding::whole(Concern::OnlyRow));
    } else {
        constants_and_copies(data, &numbers, &mut findings);
    }
    if let Some((places, builder)) = numbers.moments
        && places.len() == data.names.len()
    {
        data.moments = Some(builder);
    }
    if let (None, false, Some(weights)) = (data.kind(), data.columns.is_empty(), &data.weights) {
        let of_kind = |kind: Kind| -> Vec<String> {
            let columns = data.columns.iter().filter(|column| column.kind == kind);
            columns.map(|column| column.name.clone()).collect()
        };
        let (numbers, categories) = (of_kind(Kind::Numbers), of_kind(Kind::Categories));
        findings.push(Finding::of(&weights.name, Concern::WeightedMixed { numbers, categories }));
    }
    let has_categories = data.columns.iter().any(|column| column.kind == Kind::Categories);
    // Moments do not count the rows one by one.
    if has_categories && data.joint.is_none() && data.rows > Categories::MOST_ROWS {
        findings.push(Finding::whole(Concern::TooManyRows { most: Categories::MOST_ROWS }));
    }
    if data.kind() != Some(Kind::Categories) && data.rows > 1 && data.rows <= data.names.len() {
        let (rows, columns) = (data.rows, data.names.len());
        findings.push(Finding::whole(Concern::FewRows { rows, columns }));
    }
    suspicions(data, counted, &numbers.profiles, &mut findings);
    // Faults first; the sort leaves the order among them and among the others.
    findings.sort_by_key(|finding| !finding.is_fault());
    data.findings = findings;
}

/// Whether a column has something in it that is no number.
fn blocks(finding: &Finding) -> bool {
    matches!(finding.concern, Concern::NotNumbers { .. } | Concern::Infinite { .. })
}

fn is_lumped(finding: &Finding) -> bool {
    matches!(finding.concern, Concern::Lumped { .. })
}

/// The columns that findings of some sort are about.
fn columns_of(findings: &[Finding], is_wanted: impl Fn(&Finding) -> bool) -> HashSet<String> {
    findings.iter().filter(|finding| is_wanted(finding)).flat_map(|finding| finding.columns.clone()).collect()
}

fn constants_and_copies(data: &Dataset, numbers: &Numbers, findings: &mut Vec<Finding>) {
    let mut constants = Vec::new();
    // Of a column that is not all numbers, what is left says nothing; of one with names, it has been said.
    let told = columns_of(findings, |finding| blocks(finding) || is_lumped(finding));
    for (column, values) in data.columns.iter().zip(&data.values) {
        let is_constant = match values {
            // Of categories without rows it is known which occur.
            Values::NotHeld => column.kind == Kind::Categories && column.distinct == Some(1),
            Values::Categories { codes, missing, .. } => {
                let mut there = (0..codes.len()).filter(|&row| !missing.contains(row)).map(|row| codes[row]);
                let first = there.next();
                there.all(|code| Some(code) == first)
            }
            // Those in which nothing is missing are looked at together.
            Values::Numbers(numbers) if numbers.iter().any(|number| number.is_nan()) => {
                let mut there = numbers.iter().filter(|number| !number.is_nan());
                let first = there.next();
                there.all(|number| Some(number) == first)
            }
            Values::Numbers(_) | Values::Unusable => false,
        };
        if is_constant && !told.contains(column.name.as_str()) {
            constants.push(column.name.clone());
        }
    }
    let is_blocked = findings.iter().any(blocks);
    let mut copies = Vec::new();
    if let Some((places, builder)) = &numbers.moments
        && let Ok(gram) = builder.clone().finish(Centering::Center)
    {
        let names: Vec<&str> = places.iter().map(|&at| data.names[at].as_str()).collect();
        let too_large = too_large(&names, &gram);
        if too_large.is_empty() {
            let (differing, alike): (Vec<usize>, Vec<usize>) = diagnose(&names, &gram, &mut copies)
                .into_iter()
                .partition(|&at| builder.range(at).0 < builder.range(at).1);
            constants.extend(alike.into_iter().map(|at| names[at].to_owned()));
            if !differing.is_empty() {
                let columns = differing.into_iter().map(|at| names[at].to_owned()).collect();
                findings.push(Finding { columns, concern: Concern::TooFine });
            }
            heavy_tails(data, &numbers.profiles, findings);
        } else {
            findings.push(Finding { columns: too_large, concern: Concern::TooLarge });
        }
    }
    if !is_blocked {
        copies_with_gaps(data, &constants, &mut copies);
    }
    if !constants.is_empty() {
        findings.push(Finding { columns: constants, concern: Concern::Constant });
    }
    findings.append(&mut copies);
}

/// Among more columns with gaps not every pair is compared, but only those whose gaps are in the same rows.
const MOST_COMPARED: usize = 2000;

/// What copies with gaps in the same rows have in common: where the gaps are, and, but for rounding, every number as a share of the
/// way from the first to the next one that differs. None where all are the same.
fn shape(numbers: &[f64]) -> Option<u64> {
    /// Digits that rounding leaves alone.
    const STEPS: f64 = 1e6;
    let mut there = numbers.iter().filter(|number| !number.is_nan());
    let first = there.next()?;
    let way = there.find(|&number| number != first)? - first;
    let mut hasher = DefaultHasher::new();
    for number in numbers {
        let share = (!number.is_nan()).then(|| ((number - first) / way * STEPS).round() as i64);
        share.hash(&mut hasher);
    }
    Some(hasher.finish())
}

/// Columns of numbers with missing values that are others up to shift and scale wherever both are there. Most pairs are told
/// apart by their first three rows.
fn copies_with_gaps(data: &Dataset, constants: &[String], copies: &mut Vec<Finding>) {
    let has_gaps: Vec<bool> = (0..data.names.len())
        .map(|at| data.numbers(at).is_some_and(|numbers| numbers.iter().any(|number| number.is_nan())))
        .collect();
    let constants: HashSet<&str> = constants.iter().map(String::as_str).collect();
    let known: Vec<usize> = (0..data.names.len())
        .filter(|&at| data.numbers(at).is_some() && !constants.contains(data.names[at].as_str()))
        .collect();
    let mut alike: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, &at) in known.iter().enumerate() {
        let among: &[usize] = if known.len() <= MOST_COMPARED {
            &known[..place]
        } else if let Some(shape) = data.numbers(at).and_then(shape) {
            let alike = alike.entry(shape).or_default();
            alike.push(at);
            // Copies of copies are those of the first.
            &alike[..(alike.len() - 1).min(1)]
        } else {
            &[]
        };
        let original = among
            .iter()
            .filter(|&&other| has_gaps[at] || has_gaps[other])
            .find_map(|&other| is_copy(data.numbers(at)?, data.numbers(other)?).map(|sign| (other, sign)));
        if let Some((other, correlation)) = original {
            let concern = Concern::Copy { original: data.names[other].clone(), correlation };
            copies.push(Finding::of(&data.names[at], concern));
        }
    }
}

/// The sign of the slope, if the numbers lie on a line in at least ten rows.
fn is_copy(numbers: &[f64], others: &[f64]) -> Option<f64> {
    let both = || numbers.iter().zip(others).filter(|(a, b)| !a.is_nan() && !b.is_nan());
    let (&first, &first_other) = both().next()?;
    let (&second, &second_other) = both().find(|(a, b)| **a != first || **b != first_other)?;
    let slope = (second - first) / (second_other - first_other);
    if !slope.is_finite() || slope == 0.0 {
        return None;
    }
    let mut rows = 0;
    for (&a, &b) in both() {
        let expected = first + slope * (b - first_other);
        if (a - expected).abs()
            > COPY_TOLERANCE.sqrt() * (a - first).abs().max(slope.abs() * (b - first_other).abs())
        {
            return None;
        }
        rows += 1;
    }
    (rows >= LEAST_ROWS_OF_COPIES).then(|| slope.signum())
}

/// Fewer rows may lie on a line by chance.
const LEAST_ROWS_OF_COPIES: usize = 10;

/// The columns whose squares are not finite, or of which products with others are not.
fn too_large(names: &[&str], gram: &Gram) -> Vec<String> {
    let is_finite = |column: usize, other: usize| gram.entry(column, other).is_finite();
    let nodes = 0..gram.nodes();
    let squares: Vec<String> =
        nodes.clone().filter(|&at| !is_finite(at, at)).map(|at| names[at].to_owned()).collect();
    if !squares.is_empty() {
        return squares;
    }
    let mut products = nodes.clone().filter(|&at| nodes.clone().any(|other| !is_finite(at, other)));
    products.next().map(|at| names[at].to_owned()).into_iter().collect()
}

/// Columns of numbers that are constant as far as moments tell, and those that are others up to shift, sign and scale, or nearly so.
fn diagnose(names: &[&str], gram: &Gram, copies: &mut Vec<Finding>) -> Vec<usize> {
    let mut constants = Vec::new();
    let mut varying: Vec<(usize, f64)> = Vec::new();
    let mut near = Vec::new();
    for column in 0..gram.nodes() {
        if !gram.varies(column) {
            constants.push(column);
            continue;
        }
        let deviation = gram.entry(column, column).sqrt();
        let correlation = |&(other, spread): &(usize, f64)| gram.entry(column, other) / deviation / spread;
        let closest = varying
            .iter()
            .map(|other| (other.0, correlation(other)))
            .find(|(_, correlation)| correlation.abs() > NEAR_COPY);
        let exact = varying
            .iter()
            .map(|other| (other.0, correlation(other)))
            .find(|(_, correlation)| correlation.abs() > 1.0 - COPY_TOLERANCE);
        match (exact, closest) {
            (Some((other, correlation)), _) => {
                let concern = Concern::Copy { original: names[other].to_owned(), correlation };
                copies.push(Finding::of(names[column], concern));
                continue;
            }
            (None, Some((other, correlation))) => {
                let concern = Concern::NearCopy { original: names[other].to_owned(), correlation };
                near.push(Finding::of(names[column], concern));
            }
            (None, None) => {}
        }
        varying.push((column, deviation));
    }
    copies.append(&mut near);
    constants
}

fn heavy_tails(data: &Dataset, profiles: &[Option<Profile>], findings: &mut Vec<Finding>) {
    let is_heavy = |(column, profile): &(&Column, &Option<Profile>)| {
        // Few whole numbers are codes, and their rare ones are far out by nature.
        let is_code = matches!(column.why, Why::BesideNumbers(_) | Why::FewWhole(_));
        let kurtosis = profile.as_ref().and_then(Profile::kurtosis);
        !is_code && kurtosis.is_some_and(|kurtosis| kurtosis > HEAVY_KURTOSIS)
    };
    let columns: Vec<String> =
        data.columns.iter().zip(profiles).filter(is_heavy).map(|(column, _)| column.name.clone()).collect();
    if !columns.is_empty() {
        findings.push(Finding { columns, concern: Concern::HeavyTails });
    }
}

fn suspicions(data: &Dataset, rows: usize, profiles: &[Option<Profile>], findings: &mut Vec<Finding>) {
    for (copy, original) in same_categories(data) {
        let concern = Concern::SameCategories { original: data.names[original].clone() };
        findings.push(Finding::of(&data.names[copy], concern));
    }
    let lumped = columns_of(findings, is_lumped);
    let (mut ids, mut dates, mut codes) = (Vec::new(), Vec::new(), Vec::new());
    for ((column, values), profile) in data.columns.iter().zip(&data.values).zip(profiles) {
        match values {
            Values::Categories { .. } if lumped.contains(column.name.as_str()) => {}
            Values::Categories { labels, .. } => {
                if !labels.is_empty() && labels.iter().all(|label| is_date(label)) {
                    dates.push(column.name.clone());
                } else if is_crowded(labels.len(), rows) {
                    let concern = Concern::Crowded { categories: labels.len(), rows };
                    findings.push(Finding::of(&column.name, concern));
                }
            }
            Values::Numbers(_) | Values::NotHeld => {
                if profile.as_ref().is_some_and(Profile::is_id) {
                    ids.push(column.name.clone());
                } else if let Some((value, count)) = profile.as_ref().and_then(Profile::sentinel) {
                    findings.push(Finding::of(&column.name, Concern::Sentinel { value, count }));
                }
                if matches!(column.why, Why::BesideNumbers(count) if (2..=MOST_CODES).contains(&count)) {
                    codes.push(column.name.clone());
                }
            }
            Values::Unusable => {}
        }
    }
    for (columns, concern) in [(ids, Concern::Id), (dates, Concern::Date), (codes, Concern::Codes)] {
        if !columns.is_empty() {
            findings.push(Finding { columns, concern });
        }
    }
}

fn is_crowded(categories: usize, rows: usize) -> bool {
    // Two categories are never too many.
    categories > MANY_CATEGORIES || categories > 2 && categories * ROWS_PER_CATEGORY > rows
}

/// The columns that are copies of others up to the names of the categories, as pairs of the copy and the first column of
/// which it is one. O(rows · columns).
fn same_categories(data: &Dataset) -> Vec<(usize, usize)> {
    let mut originals: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut copies = Vec::new();
    for (column, values) in data.values.iter().enumerate() {
        let Values::Categories { codes, missing, .. } = values else { continue };
        let ranks = ranks_of_appearance(codes);
        if ranks.iter().all(|&rank| rank == 0) || !missing.is_empty() {
            continue;
        }
        let mut hasher = DefaultHasher::new();
        hasher.write(&codes.iter().map(|&code| ranks[usize::from(code)]).collect::<Vec<u8>>());
        let alike = originals.entry(hasher.finish()).or_default();
        let is_same = |&&other: &&usize| {
            let Some((_, codes_there)) = data.categories(other) else { return false };
            let ranks_there = ranks_of_appearance(codes_there);
            let mut pairs = codes.iter().zip(codes_there);
            pairs.all(|(&here, &there)| ranks[usize::from(here)] == ranks_there[usize::from(there)])
        };
        match alike.iter().find(is_same) {
            Some(&original) => copies.push((column, original)),
            None => alike.push(column),
        }
    }
    copies
}

/// For each code its rank among the codes in the order of their first appearance, 0 for those that do not occur.
fn ranks_of_appearance(codes: &[u8]) -> [u8; Categories::MOST_LEVELS] {
    let mut ranks = [0; Categories::MOST_LEVELS];
    let mut seen = [false; Categories::MOST_LEVELS];
    let mut next = 0_u8;
    for &code in codes {
        if !std::mem::replace(&mut seen[usize::from(code)], true) {
            ranks[usize::from(code)] = next;
            next = next.wrapping_add(1);
        }
    }
    ranks
}
