//! What is wrong with columns that have a kind, and what is suspicious: constants, copies, ids, dates, marks of missing values
//! that pass for numbers, codes that pass for numbers, heavy tails. All of it is found before anything is said.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};

use super::{Column, Dataset, Kind, Values, Why};
use crate::categories::Categories;
use crate::field::{as_whole, is_date};
use crate::finding::{Concern, Finding};
use crate::gram::{Centering, Gram, GramBuilder};

/// Columns whose correlation is this close to ±1 are taken for copies of one another: rounding leaves about 1e-14
/// between true copies, and no order score could tell closer ones apart.
const COPY_TOLERANCE: f64 = 1e-12;

/// Columns with a correlation beyond this are the same quantity in all but name.
const NEAR_COPY: f64 = 0.999;

/// A column whose standard deviation is below this share of its mean's size is constant: a double has 16 digits, so
/// that what is left is rounding.
const CONSTANT_TOLERANCE: f64 = 1e-14;

/// A column with more categories than this is worth a warning: few methods make sense of it.
const MANY_CATEGORIES: usize = 50;

/// A column with more categories than one in this many rows has about that few rows for each, too few to count by.
const ROWS_PER_CATEGORY: usize = 5;

/// With fewer rows than this, a column in which no number comes twice is nothing special.
const LEAST_ROWS_OF_IDS: usize = 20;

/// Numbers that stand for missing values where they are far from all others.
const SENTINELS: [f64; 10] =
    [-9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0, 999_999.0];

/// So few different whole numbers are more often codes or grades than quantities.
const MOST_CODES: usize = 10;

/// The normal distribution has a kurtosis of 3, the exponential one 9; the first moments say little beyond this one.
const HEAVY_KURTOSIS: f64 = 30.0;

/// Rows below which a kurtosis says nothing.
const LEAST_ROWS_OF_TAILS: usize = 50;

/// Rows that are put together before they are taken: enough to read each column in long strides.
const BLOCK_ROWS: usize = 256;

/// Finds what is wrong and what is suspicious, and the moments of the numbers on the way.
pub(super) fn inspect(data: &mut Dataset) {
    let mut findings = std::mem::take(&mut data.findings);
    if let [only] = &data.names[..] {
        findings.push(Finding::of(only, Concern::OnlyColumn));
    }
    if data.rows == 1 {
        findings.push(Finding::whole(Concern::OnlyRow));
    } else {
        constants_and_copies(data, &mut findings);
    }
    let has_categories = data.columns.iter().any(|column| column.kind == Kind::Categories);
    if has_categories && data.rows > Categories::MOST_ROWS {
        findings.push(Finding::whole(Concern::TooManyRows { most: Categories::MOST_ROWS }));
    }
    if data.kind() != Some(Kind::Categories) && data.rows > 1 && data.rows <= data.names.len() {
        let (rows, columns) = (data.rows, data.names.len());
        findings.push(Finding::whole(Concern::FewRows { rows, columns }));
    }
    suspicions(data, &mut findings);
    // Faults first; the sort leaves the order among them and among the others.
    findings.sort_by_key(|finding| !finding.is_fault());
    data.findings = findings;
}

/// Whether a column has something in it that is no number.
fn blocks(finding: &Finding) -> bool {
    matches!(finding.concern, Concern::NotNumbers { .. } | Concern::Infinite { .. })
}

fn constants_and_copies(data: &mut Dataset, findings: &mut Vec<Finding>) {
    let mut constants = Vec::new();
    for (column, values) in data.columns.iter().zip(&data.values) {
        let is_constant = match values {
            Values::Categories { codes, missing, .. } => {
                let mut there = (0..codes.len()).filter(|&row| !missing.contains(row)).map(|row| codes[row]);
                let first = there.next();
                there.all(|code| Some(code) == first)
            }
            // Those in which nothing is missing are looked at together.
            Values::Numbers(numbers) if numbers.iter().any(|number| number.is_nan()) => {
                let (low, high) = range(numbers.iter().copied().filter(|number| !number.is_nan()));
                high <= low
            }
            Values::Numbers(_) | Values::Unusable => false,
        };
        // Of a column that is not all numbers, what is left says nothing.
        let is_blocked = |finding: &Finding| blocks(finding) && finding.columns.contains(&column.name);
        if is_constant && !findings.iter().any(is_blocked) {
            constants.push(column.name.clone());
        }
    }
    // Where rows must be left out, what is left says little of the columns in which nothing is missing.
    let is_whole =
        |at: &usize| data.numbers(*at).is_some_and(|numbers| !numbers.iter().any(|number| number.is_nan()));
    let numeric: Vec<usize> =
        (0..data.names.len()).filter(|&at| data.numbers(at).is_some()).filter(is_whole).collect();
    let is_blocked = findings.iter().any(blocks);
    let mut copies = Vec::new();
    if let (false, Some(builder)) = (is_blocked, moments(data, &numeric)) {
        if let Ok(gram) = builder.clone().finish(Centering::Center) {
            let names: Vec<&str> = numeric.iter().map(|&at| data.names[at].as_str()).collect();
            let too_large = too_large(&names, &gram);
            if too_large.is_empty() {
                diagnose(&names, &gram, &mut constants, &mut copies);
                heavy_tails(data, &numeric, &gram, findings);
            } else {
                findings.push(Finding { columns: too_large, concern: Concern::TooLarge });
            }
        }
        if numeric.len() == data.names.len() {
            data.moments = Some(builder);
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

/// Columns of numbers with missing values that are others up to shift and scale wherever both are there. Most pairs are told
/// apart by their first three rows.
fn copies_with_gaps(data: &Dataset, constants: &[String], copies: &mut Vec<Finding>) {
    let has_gaps: Vec<bool> = (0..data.names.len())
        .map(|at| data.numbers(at).is_some_and(|numbers| numbers.iter().any(|number| number.is_nan())))
        .collect();
    let is_known = |at: usize| data.numbers(at).is_some() && !constants.contains(&data.names[at]);
    for at in (0..data.names.len()).filter(|&at| is_known(at)) {
        let original = (0..at)
            .filter(|&other| is_known(other) && (has_gaps[at] || has_gaps[other]))
            .find_map(|other| is_copy(data.numbers(at)?, data.numbers(other)?).map(|sign| (other, sign)));
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

/// The moments of some columns of numbers, over the rows in which none of them is missing.
fn moments(data: &Dataset, numeric: &[usize]) -> Option<GramBuilder> {
    let columns: Vec<&[f64]> = numeric.iter().filter_map(|&at| data.numbers(at)).collect();
    let mut builder = GramBuilder::new(columns.len()).ok()?;
    let width = columns.len();
    let mut block = vec![0.0; BLOCK_ROWS * width];
    for start in (0..data.rows).step_by(BLOCK_ROWS) {
        let rows = BLOCK_ROWS.min(data.rows - start);
        for (at, column) in columns.iter().enumerate() {
            for (row, value) in column[start..start + rows].iter().enumerate() {
                block[row * width + at] = *value;
            }
        }
        for row in block[..rows * width].chunks_exact(width) {
            // A row with a missing value is refused, and left out.
            let _ = builder.push_row(row);
        }
    }
    (builder.rows() > 1).then_some(builder)
}

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

/// Columns of numbers that are constant, and those that are others up to shift, sign and scale, or nearly so.
fn diagnose(names: &[&str], gram: &Gram, constants: &mut Vec<String>, copies: &mut Vec<Finding>) {
    let mut varying: Vec<(usize, f64)> = Vec::new();
    let mut near = Vec::new();
    for column in 0..gram.nodes() {
        let deviation = gram.entry(column, column).max(0.0).sqrt();
        if deviation <= CONSTANT_TOLERANCE * gram.means()[column].abs() {
            constants.push(names[column].to_owned());
            continue;
        }
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
}

fn heavy_tails(data: &Dataset, numeric: &[usize], gram: &Gram, findings: &mut Vec<Finding>) {
    if gram.rows() < LEAST_ROWS_OF_TAILS {
        return;
    }
    let is_heavy = |&(place, &at): &(usize, &usize)| {
        let (mean, variance) = (gram.means()[place], gram.entry(place, place));
        // Few whole numbers are codes, and their rare ones are far out by nature.
        let is_code = matches!(data.columns[at].why, Why::BesideNumbers(_) | Why::FewWhole(_));
        let fourth: f64 = data
            .numbers(at)
            .unwrap_or_default()
            .iter()
            .filter(|number| !number.is_nan())
            .map(|number| ((number - mean) * (number - mean) / variance).powi(2))
            .sum();
        !is_code && variance > 0.0 && fourth / gram.rows() as f64 > HEAVY_KURTOSIS
    };
    let columns: Vec<String> =
        numeric.iter().enumerate().filter(is_heavy).map(|(_, &at)| data.names[at].clone()).collect();
    if !columns.is_empty() {
        findings.push(Finding { columns, concern: Concern::HeavyTails });
    }
}

fn suspicions(data: &Dataset, findings: &mut Vec<Finding>) {
    for (copy, original) in same_categories(data) {
        let concern = Concern::SameCategories { original: data.names[original].clone() };
        findings.push(Finding::of(&data.names[copy], concern));
    }
    let (mut ids, mut dates, mut codes) = (Vec::new(), Vec::new(), Vec::new());
    for (column, values) in data.columns.iter().zip(&data.values) {
        match values {
            Values::Categories { labels, .. } => {
                if !labels.is_empty() && labels.iter().all(|label| is_date(label)) {
                    dates.push(column.name.clone());
                } else if is_crowded(labels.len(), data.rows) {
                    let concern = Concern::Crowded { categories: labels.len(), rows: data.rows };
                    findings.push(Finding::of(&column.name, concern));
                }
            }
            Values::Numbers(numbers) => {
                if is_id(column, numbers) {
                    ids.push(column.name.clone());
                } else if let Some((value, count)) = sentinel(numbers) {
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

/// Whether numbers count the rows: whole, all different, and rising, or without a gap, or under the name of an id.
fn is_id(column: &Column, numbers: &[f64]) -> bool {
    if numbers.len() < LEAST_ROWS_OF_IDS || numbers.iter().any(|&number| as_whole(number).is_none()) {
        return false;
    }
    if numbers.windows(2).all(|pair| pair[0] < pair[1]) {
        return true;
    }
    let name = column.name.to_ascii_lowercase();
    let (low, high) = range(numbers.iter().copied());
    if high - low != (numbers.len() - 1) as f64 && name != "id" && !name.ends_with("_id") {
        return false;
    }
    let mut seen = HashSet::with_capacity(numbers.len());
    numbers.iter().all(|number| seen.insert(number.to_bits()))
}

/// A value that comes more than once and is further from all others than these are from one another, if it is one that is
/// used as a mark.
fn sentinel(numbers: &[f64]) -> Option<(f64, usize)> {
    let (low, high) = range(numbers.iter().copied().filter(|number| !number.is_nan()));
    [low, high].into_iter().filter(|end| SENTINELS.contains(end)).find_map(|end| {
        let count = numbers.iter().filter(|&&number| number == end).count();
        let others = range(numbers.iter().copied().filter(|&number| number != end && !number.is_nan()));
        let gap = if end == low { others.0 - end } else { end - others.1 };
        (count > 1 && others.1 > others.0 && gap > others.1 - others.0).then_some((end, count))
    })
}

fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)))
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
