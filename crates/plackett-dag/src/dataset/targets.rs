//! Which columns were set from outside in which rows, as data tell it: by columns beside those of the graph, or by the numbers
//! of rows.

use std::collections::HashMap;

use super::column::{Content, RawColumn};
use super::source::SourceValues;
use crate::field::Saying;
use crate::finding::{Concern, Finding};
use crate::text::number_text;
use crate::{Interventions, Result};

/// What stands between the names of several targets.
const SEPARATORS: [char; 2] = [';', '+'];

/// Words for rows in which nothing was set, besides an empty field.
const OBSERVED: [&str; 2] = ["none", "observational"];

/// How data tell which columns were set from outside. What tells it is no node of the graph.
///
/// # Example
/// ```
/// use plackett_dag::{Dataset, dataset::{Reading, Targets}};
///
/// let text = "a,b,set\n1.5,2,\n2.5,1,a\n0.5,7,b\n3,2,\n";
/// let reading = Reading { interventions: Some(Targets::Named("set".into())), ..Reading::default() };
/// let data = Dataset::from_reader(text.as_bytes(), "data.csv", &reading)?;
/// assert_eq!(data.names(), ["a", "b"]);
/// assert_eq!(data.interventions().unwrap().regimes(), [vec![], vec![0], vec![1]]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Targets {
    /// A column holds the names of each row's targets, with `;` or `+` between several; nothing, `none` or `observational`
    /// where nothing was set.
    Named(String),
    /// Columns say with 1 or 0 (true or false, yes or no) whether their target was set.
    Indicators(Vec<Indicator>),
    /// By the numbers of rows; nothing was set in the others.
    Rows(Vec<RowTargets>),
}

/// A column that says whether another was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indicator {
    /// Its name.
    pub column: String,
    /// The name of the column that is set where it says so.
    pub target: String,
}

/// Rows in which the same columns were set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowTargets {
    /// The first of them, the first row of the data being 1.
    pub first: usize,
    /// The last of them.
    pub last: usize,
    /// The names of the columns.
    pub targets: Vec<String>,
}

impl Targets {
    /// The columns that tell it.
    pub(super) fn columns(&self) -> Vec<String> {
        match self {
            Self::Named(column) => vec![column.clone()],
            Self::Indicators(indicators) => {
                let mut columns: Vec<String> = Vec::new();
                for indicator in indicators {
                    if !columns.contains(&indicator.column) {
                        columns.push(indicator.column.clone());
                    }
                }
                columns
            }
            Self::Rows(_) => Vec::new(),
        }
    }

    /// The targets among columns of these names, and all that is wrong with them.
    pub(super) fn interventions(
        &self,
        raw: Vec<RawColumn>,
        names: &[String],
        rows: usize,
        faults: &mut Vec<Finding>,
    ) -> Result<Interventions> {
        let known: HashMap<&str, usize> =
            names.iter().zip(0..).map(|(name, at)| (name.as_str(), at)).collect();
        let mut targets: Vec<Vec<usize>> = vec![Vec::new(); rows];
        match self {
            Self::Named(column) => {
                let Some(texts) = raw.into_iter().next().map(Texts::of) else {
                    return Interventions::new(names.len(), targets);
                };
                let mut unknown = Vec::new();
                let places: Vec<Vec<usize>> =
                    texts.different.iter().map(|text| named(text, &known, &mut unknown)).collect();
                if !unknown.is_empty() {
                    faults.push(Finding::of(column, Concern::UnknownTargets { names: unknown }));
                }
                for (targets, text) in targets.iter_mut().zip(&texts.rows) {
                    text.iter().for_each(|&text| targets.clone_from(&places[text]));
                }
            }
            Self::Indicators(indicators) => {
                let texts: Vec<(String, Texts)> =
                    raw.into_iter().map(|raw| (raw.name.clone(), Texts::of(raw))).collect();
                for Indicator { column, target } in indicators {
                    let Some(&place) = known.get(target.as_str()) else {
                        let names = vec![target.clone()];
                        faults.push(Finding::of(column, Concern::UnknownTargets { names }));
                        continue;
                    };
                    let Some((_, texts)) = texts.iter().find(|(name, _)| name == column) else { continue };
                    let says: Vec<Option<bool>> = texts.different.iter().map(|text| truth(text)).collect();
                    let odd = texts.different.iter().zip(&says).find(|(_, says)| says.is_none());
                    let missing = texts.rows.iter().any(Option::is_none).then(String::new);
                    if let Some(text) = odd.map(|(text, _)| text.clone()).or(missing) {
                        let target = target.clone();
                        faults.push(Finding::of(column, Concern::NotIndicator { text, target }));
                        continue;
                    }
                    for (targets, text) in targets.iter_mut().zip(&texts.rows) {
                        if text.and_then(|text| says[text]) == Some(true) {
                            targets.push(place);
                        }
                    }
                }
            }
            Self::Rows(ranges) => {
                let mut unknown = Vec::new();
                for range in ranges {
                    let mut places = Vec::new();
                    for name in &range.targets {
                        places.extend(named(name, &known, &mut unknown));
                    }
                    if range.first == 0 || range.first > range.last || range.last > rows {
                        let &RowTargets { first, last, .. } = range;
                        faults.push(Finding::whole(Concern::NoSuchRows { first, last, rows }));
                        continue;
                    }
                    targets[range.first - 1..range.last]
                        .iter_mut()
                        .for_each(|targets| targets.extend(&places));
                }
                unknown.sort();
                unknown.dedup();
                if !unknown.is_empty() {
                    faults.push(Finding::whole(Concern::UnknownTargets { names: unknown }));
                }
            }
        }
        Interventions::new(names.len(), targets)
    }
}

/// The columns that a text names: as a whole, or one by one.
fn named(text: &str, known: &HashMap<&str, usize>, unknown: &mut Vec<String>) -> Vec<usize> {
    let text = text.trim();
    if let Some(&place) = known.get(text) {
        return vec![place];
    }
    if text.is_empty() || OBSERVED.contains(&text.to_lowercase().as_str()) {
        return Vec::new();
    }
    let mut places = Vec::new();
    for part in text.split(SEPARATORS).map(str::trim).filter(|part| !part.is_empty()) {
        match known.get(part) {
            Some(&place) => places.push(place),
            None => unknown.push(part.to_owned()),
        }
    }
    places
}

/// Whether a text says yes or no.
fn truth(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "1" | "1.0" | "true" | "yes" => Some(true),
        "0" | "0.0" | "false" | "no" => Some(false),
        _ => None,
    }
}

/// The texts of a column.
struct Texts {
    different: Vec<String>,
    /// The place of each row's text; none where it is missing.
    rows: Vec<Option<usize>>,
}

impl Texts {
    fn of(raw: RawColumn) -> Self {
        match raw.content {
            Content::Few { texts, codes } => {
                let place = |code: &u8| {
                    let place = usize::from(*code);
                    (texts[place].1 != Saying::Missing).then_some(place)
                };
                let rows = codes.iter().map(place).collect();
                let different = texts.iter().map(|(text, _)| text.clone()).collect();
                Self { different, rows }.without_unused()
            }
            Content::Many { labels, codes } => {
                let place = |code: &u32| (*code != SourceValues::MISSING).then_some(*code as usize);
                Self { rows: codes.iter().map(place).collect(), different: labels }
            }
            Content::Numbers(values) => {
                let (mut different, mut places) = (Vec::new(), HashMap::new());
                let rows = values.iter().map(|value| {
                    (!value.is_nan()).then(|| {
                        *places.entry(value.to_bits()).or_insert_with(|| {
                            different.push(number_text(*value));
                            different.len() - 1
                        })
                    })
                });
                let rows = rows.collect();
                Self { different, rows }
            }
        }
    }

    /// Leaves out the texts of no row.
    fn without_unused(self) -> Self {
        let mut places = vec![None; self.different.len()];
        let mut different = Vec::new();
        for &place in self.rows.iter().flatten() {
            if places[place].is_none() {
                places[place] = Some(different.len());
                different.push(self.different[place].clone());
            }
        }
        Self {
            different,
            rows: self.rows.iter().map(|place| place.and_then(|place| places[place])).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dataset, Missing, Reading};
    use super::*;

    fn read(text: &str, targets: Targets, missing: Missing) -> Result<Dataset> {
        let reading = Reading { interventions: Some(targets), missing, ..Reading::default() };
        Dataset::from_reader(text.as_bytes(), "data.csv", &reading)
    }

    fn indicators(pairs: &[(&str, &str)]) -> Targets {
        let indicator = |&(column, target): &(&str, &str)| Indicator {
            column: column.to_owned(),
            target: target.to_owned(),
        };
        Targets::Indicators(pairs.iter().map(indicator).collect())
    }

    fn targets(data: &Dataset) -> Vec<Vec<usize>> {
        let interventions = data.interventions().unwrap();
        let regimes = interventions.regime_of_rows().iter();
        regimes.map(|&regime| interventions.regimes()[regime as usize].clone()).collect()
    }

    #[test]
    fn the_three_ways_to_tell_targets_say_the_same() {
        let named = "a,b,c,set\n1.5,2,3,\n2.5,1,1,a\n0.5,7,2,c+a\n3,2,8,none\n,1,4,b\n1,2,7,b\n2,2,1,a;c\n";
        let flags = "a,x,b,c,y,z\n1.5,0,2,3,0,no\n2.5,1,1,1,0,no\n0.5,1,7,2,0,yes\n3,0,2,8,0,no\n,0,1,4,1,no\n1,0,2,7,1,no\n2,1,2,1,0,yes\n";
        let plain = "a,b,c\n1.5,2,3\n2.5,1,1\n0.5,7,2\n3,2,8\n,1,4\n1,2,7\n2,2,1\n";
        let range = |first, last, targets: &[&str]| RowTargets {
            first,
            last,
            targets: targets.iter().map(|&name| name.to_owned()).collect(),
        };
        let rows = vec![range(2, 3, &["a"]), range(3, 3, &["c"]), range(5, 6, &["b"]), range(7, 7, &["c;a"])];
        let expected = vec![vec![], vec![0], vec![0, 2], vec![], vec![1], vec![0, 2]];
        for (text, how) in [
            (named, Targets::Named("set".to_owned())),
            (flags, indicators(&[("x", "a"), ("y", "b"), ("z", "c")])),
            (plain, Targets::Rows(rows)),
        ] {
            let data = read(text, how, Missing::Drop).unwrap();
            assert!(data.faults().is_empty(), "{:?}", data.faults());
            assert_eq!((data.names(), data.rows()), (&["a", "b", "c"].map(str::to_owned)[..], 6));
            // The fifth row has a gap and is left out.
            assert_eq!(targets(&data), expected);
        }
    }

    #[test]
    fn all_that_is_wrong_is_said_with_its_place() {
        let text = "a,b,set\n1.5,2,\n2.5,1,q\n0.5,7,b\n3,2,b;r\n";
        let faults = |how: Targets| -> Vec<String> {
            let data = read(text, how, Missing::Error).unwrap();
            data.faults().iter().map(ToString::to_string).collect()
        };
        let unknown = faults(Targets::Named("set".to_owned()));
        assert_eq!(unknown, ["column \"set\": \"q\", \"r\" are no columns that are learned from"]);
        let odd = faults(indicators(&[("set", "a")]));
        assert!(odd[0].starts_with("column \"set\": \"q\" does not say whether \"a\" was set"), "{odd:?}");
        let range = |first, last, name: &str| RowTargets { first, last, targets: vec![name.to_owned()] };
        let drop = Reading { drop: vec!["set".to_owned()], ..Reading::default() };
        let how = Targets::Rows(vec![range(2, 9, "a"), range(1, 3, "b"), range(1, 1, "set")]);
        let reading = Reading { interventions: Some(how), ..drop };
        let data = Dataset::from_reader(text.as_bytes(), "data.csv", &reading).unwrap();
        let texts: Vec<String> = data.faults().iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), 3, "{texts:?}");
        assert!(texts[0].contains("rows 2 to 9") && texts[1].contains("\"set\""), "{texts:?}");
        assert!(texts[2].contains("column \"b\" was set in all rows but 1"), "{texts:?}");
        let missing = read(text, Targets::Named("nowhere".to_owned()), Missing::Error);
        assert!(missing.unwrap_err().to_string().contains("nowhere"));
    }

    #[test]
    fn the_fingerprint_tells_the_targets() {
        let print = |last: &str| {
            let text = format!("a,b,set\n1.5,2,\n2.5,1,a\n0.5,7,b\n3,2,{last}\n1,4,\n");
            read(&text, Targets::Named("set".to_owned()), Missing::Error).unwrap().fingerprint().to_owned()
        };
        assert_ne!(print("a"), print("b"));
        assert_eq!(print(""), print("none"));
    }
}
