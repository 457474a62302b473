//! Data to learn from: named columns, each of numbers or of categories, with why it was taken for that, what is missing and
//! what is suspicious. One reader makes them in one pass from any source: a file, a pipe, or columns in memory.
//!
//! A value takes eight bytes in a column of numbers and one in a column of categories, while memory lasts; of more numbers,
//! only their moments are kept, and what else a warning needs.

#[cfg(feature = "parquet")]
mod arrow;
mod builder;
mod column;
mod covariance;
mod dialect;
mod discretize;
#[cfg(feature = "excel")]
mod excel;
mod fingerprint;
mod input;
mod inspect;
mod labeled;
mod labels;
mod look;
#[cfg(feature = "parquet")]
mod parquet;
mod profile;
mod reading;
mod resample;
mod rows;
mod sample;
mod saved;
mod settle;
mod source;
mod statistics;
mod summary;
mod targets;
mod weights;
mod words;

use std::fmt;
use std::sync::Arc;

pub use builder::DatasetBuilder;
pub use covariance::Covariance;
pub use discretize::{Cuts, Discretize};
pub use reading::{Delimiter, Missing, Reading};
pub use resample::Resampler;
pub(crate) use sample::ColumnValues;
pub use sample::Sample;
pub use source::{SourceColumn, SourceValues};
pub use statistics::Statistics;
pub use targets::{Indicator, RowTargets, Targets};

use crate::categories::Categories;
use crate::dictionary::MOST_TEXTS;
use crate::error::{Error, Result};
use crate::finding::{Concern, Finding};
use crate::gram::{Centering, GramBuilder, NumberRows, RowSource};
use crate::interventions::Interventions;
use crate::learning::Observations;
use crate::mixed::{Mixed, MixedColumn};
use labeled::LabeledMoments;
use rows::RowSet;
use weights::RowWeights;

/// A column of whole numbers is taken for categories if it has at most this many different ones.
const MOST_WHOLE_NUMBERS: usize = 20;

/// What a column holds.
///
/// # Example
/// ```
/// assert_eq!(plackett_dag::dataset::Kind::Categories.name(), "categories");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Numbers.
    Numbers,
    /// Categories, in no order that matters.
    Categories,
}

impl Kind {
    /// The word for it in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Categories => "categories",
        }
    }
}

/// Why a column is of its kind; as a text, the end of a sentence that begins with the column.
///
/// # Example
/// ```
/// assert_eq!(plackett_dag::dataset::Why::NotWhole.to_string(), "holds numbers that are not whole");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The caller said so.
    Told,
    /// The type in the source says so.
    Typed,
    /// It holds words.
    Words,
    /// It holds few different whole numbers, so many.
    FewWhole(usize),
    /// It holds few different whole numbers, so many, and other columns hold measurements.
    BesideNumbers(usize),
    /// It holds numbers that are not whole.
    NotWhole,
    /// It holds many different whole numbers.
    ManyWhole,
    /// It hardly has a number twice.
    Scarce,
    /// It holds nothing.
    Empty,
    /// It comes as moments, without rows.
    Moments,
    /// Its numbers were cut into so many.
    Cut(usize),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |count: usize| if count == 1 { "" } else { "s" };
        match *self {
            Self::Told => f.write_str("is said to be so"),
            Self::Typed => f.write_str("has a type that says so"),
            Self::Words => f.write_str("holds words"),
            Self::FewWhole(count) => write!(f, "holds {count} different whole number{}", s(count)),
            Self::BesideNumbers(count) => {
                write!(f, "holds {count} different whole number{} beside measurements", s(count))
            }
            Self::NotWhole => f.write_str("holds numbers that are not whole"),
            Self::ManyWhole => write!(f, "holds more than {MOST_WHOLE_NUMBERS} different numbers"),
            Self::Scarce => f.write_str("hardly has a number twice"),
            Self::Empty => f.write_str("holds nothing"),
            Self::Moments => f.write_str("comes as moments, without rows"),
            Self::Cut(count) => {
                write!(f, "is cut into {count} {}", if count == 1 { "category" } else { "categories" })
            }
        }
    }
}

/// What there is to say about a column.
///
/// # Example
/// ```
/// use plackett_dag::{Dataset, dataset::{Kind, Reading, Why}};
///
/// let data = Dataset::from_reader("a,b\n1.5,2\n2.5,NA\n".as_bytes(), "data.csv", &Reading::default())?;
/// let column = &data.columns()[1];
/// assert_eq!((column.name.as_str(), column.kind, column.missing), ("b", Kind::Numbers, 1));
/// assert_eq!((column.distinct, column.why), (Some(1), Why::Scarce));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// Why it is taken for that.
    pub why: Why,
    /// Values that are missing in the source.
    pub missing: usize,
    /// Different values, if they were counted: those of numbers up to 256.
    pub distinct: Option<usize>,
    /// Whether they are categories that have an order.
    pub is_ordered: bool,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    /// NaN is a missing value.
    Numbers(Vec<f64>),
    Categories {
        labels: Vec<String>,
        codes: Vec<u8>,
        missing: RowSet,
        /// Whether the labels are those of a type, in its order.
        is_typed: bool,
        /// Whether that order means something.
        is_ordered: bool,
    },
    /// Numbers or categories of which the moments are kept, but no rows.
    NotHeld,
    /// What is not what the caller says it is, which is a fault.
    Unusable,
}

/// Data to learn from.
///
/// # Example
/// ```
/// use plackett_dag::{Dataset, dataset::{Kind, Reading}, gram::Centering};
///
/// let text = "height;weight\n1,81;80,5\n1,62;61\n1,75;70,2\n";
/// let data = Dataset::from_reader(text.as_bytes(), "people.csv", &Reading::default())?;
/// assert_eq!((data.rows(), data.kind()), (3, Some(Kind::Numbers)));
/// assert_eq!(data.notes(), ["semicolons", "decimal commas"]);
/// assert_eq!(data.observations(Centering::Center)?.columns(), 2);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dataset {
    source: String,
    names: Vec<String>,
    columns: Vec<Column>,
    values: Vec<Values>,
    rows: usize,
    dropped_rows: usize,
    notes: Vec<String>,
    findings: Vec<Finding>,
    fingerprint: String,
    /// How much each row counts, if not once.
    weights: Option<RowWeights>,
    /// Which columns were set from outside in which rows, if that is told.
    interventions: Option<Interventions>,
    /// The moments of the columns of numbers, unless something stands in the way.
    moments: Option<GramBuilder>,
    /// Whether the moments include the means.
    has_means: bool,
    /// The moments of numbers and categories of which no rows are held.
    joint: Option<LabeledMoments>,
}

impl Dataset {
    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What there is to say about each column.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Rows that were left out because values are missing in them.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, dataset::{Missing, Reading}};
    ///
    /// let reading = Reading { missing: Missing::Drop, ..Reading::default() };
    /// let data = Dataset::from_reader("a,b\n1.5,2\n?,1\n2.5,4\n".as_bytes(), "data.csv", &reading)?;
    /// assert_eq!((data.rows(), data.dropped_rows()), (2, 1));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn dropped_rows(&self) -> usize {
        self.dropped_rows
    }

    /// What was out of the ordinary in how the source is written.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// 128 bits that tell these names, kinds and values from others, as 32 hexadecimal digits: the same for the same data
    /// from whatever source, on every machine.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, dataset::Reading};
    ///
    /// let read = |text: &str| Dataset::from_reader(text.as_bytes(), "data", &Reading::default());
    /// assert_eq!(read("a,b\n1,2.50\n3,4\n")?.fingerprint(), read("a;b\n1,0;2,5\n3,0;4,0\n")?.fingerprint());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Which columns were set from outside in which rows, if that is told.
    pub fn interventions(&self) -> Option<&Interventions> {
        self.interventions.as_ref()
    }

    /// What stands in the way of learning.
    pub fn faults(&self) -> Vec<Finding> {
        self.findings.iter().filter(|finding| finding.is_fault()).cloned().collect()
    }

    /// What to know before trusting a graph that is learned from these data.
    pub fn warnings(&self) -> Vec<Finding> {
        self.findings.iter().filter(|finding| !finding.is_fault()).cloned().collect()
    }

    /// The kind of all columns, if it is the same.
    pub fn kind(&self) -> Option<Kind> {
        let first = self.columns.first()?.kind;
        self.columns.iter().all(|column| column.kind == first).then_some(first)
    }

    /// Why the columns were taken for what they are, where it was not said: one sentence for all of them.
    pub fn choice(&self) -> Option<String> {
        let untold = || self.columns.iter().filter(|column| column.why != Why::Told);
        untold().next()?;
        if self.kind() != Some(Kind::Categories) {
            let decides =
                |column: &&Column| matches!(column.why, Why::NotWhole | Why::ManyWhole | Why::Scarce);
            return untold()
                .find(decides)
                .map(|column| format!("column \"{}\" {}", crate::text::shown(&column.name), column.why));
        }
        let is_word = |column: &Column| matches!(column.why, Why::Words | Why::Typed);
        let words = untold().any(is_word).then(|| "words".to_owned());
        let most = untold().filter_map(|column| match column.why {
            Why::FewWhole(count) => Some(count),
            _ => None,
        });
        let whole = most
            .max()
            .map(|most| format!("at most {most} different whole number{}", if most == 1 { "" } else { "s" }));
        let parts: Vec<String> = words.into_iter().chain(whole).collect();
        (!parts.is_empty()).then(|| format!("every column holds {}", parts.join(" or ")))
    }

    /// The values of a column of numbers, NaN where they are missing; none if the rows were too many to be held, or if there
    /// are only moments.
    pub fn numbers(&self, column: usize) -> Option<&[f64]> {
        numbers_of(&self.values, column)
    }

    /// The categories of a column, and the code of each row's category.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, dataset::Reading};
    ///
    /// let data = Dataset::from_reader("a,b\nx,1\ny,2\nx,1\n".as_bytes(), "data.csv", &Reading::default())?;
    /// assert_eq!(data.categories(0), Some((&["x".to_owned(), "y".to_owned()][..], &[0, 1, 0][..])));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn categories(&self, column: usize) -> Option<(&[String], &[u8])> {
        match self.values.get(column)? {
            Values::Categories { labels, codes, .. } => Some((labels, codes)),
            _ => None,
        }
    }

    /// Whether the value in a column and a row is missing.
    pub fn is_missing(&self, column: usize, row: usize) -> bool {
        match self.values.get(column) {
            Some(Values::Numbers(numbers)) => numbers.get(row).is_some_and(|number| number.is_nan()),
            Some(Values::Categories { missing, .. }) => missing.contains(row),
            _ => false,
        }
    }

    /// Whether values are missing in the rows that are left.
    pub fn is_incomplete(&self) -> bool {
        self.values.iter().any(|values| match values {
            Values::Numbers(numbers) => numbers.iter().any(|number| number.is_nan()),
            Values::Categories { missing, .. } => !missing.is_empty(),
            Values::NotHeld | Values::Unusable => false,
        })
    }

    /// What a graph is learned from.
    ///
    /// # Errors
    /// [`Error::Unfit`] with all faults, if there are any.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, dataset::Reading, gram::Centering};
    ///
    /// let data = Dataset::from_reader("a,b\n1,2\n2.5,inf\n3,6\n".as_bytes(), "data.csv", &Reading::default())?;
    /// assert_eq!(
    ///     data.observations(Centering::Center).unwrap_err().to_string(),
    ///     "data.csv, line 3, column \"b\": inf is not a finite number"
    /// );
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn observations(self, centering: Centering) -> Result<Observations> {
        let faults = self.faults();
        if !faults.is_empty() {
            return Err(Error::Unfit { file: self.source, faults });
        }
        self.into_observations(centering)
    }

    fn into_observations(self, centering: Centering) -> Result<Observations> {
        if let Some(joint) = self.joint {
            return Ok(Observations::Joint(Arc::new(joint.moments.centered(centering))));
        }
        if self.kind().is_none() || self.is_incomplete() {
            return Ok(Observations::Mixed(Arc::new(self.into_mixed()?.centered(centering))));
        }
        if self.kind() == Some(Kind::Categories) {
            return Ok(Observations::Categories(Arc::new(self.into_categories()?)));
        }
        if centering == Centering::None && !self.has_means {
            return Err(Error::Misfit {
                setting: "no_center",
                reason: "needs the means, and a covariance matrix does not tell them".to_owned(),
            });
        }
        let builder = self.moments.ok_or(Error::Empty)?;
        let mut gram = builder.finish(centering)?;
        if let Some(interventions) = &self.interventions {
            let columns: Vec<&[f64]> =
                (0..self.names.len()).filter_map(|at| numbers_of(&self.values, at)).collect();
            let values = |row: usize, target: &mut [f64]| {
                target.iter_mut().zip(&columns).for_each(|(value, column)| *value = column[row]);
            };
            let weight = |row: usize| (self.weights.as_ref().map_or(1.0, |weights| weights.values[row]), 1);
            gram = gram.intervened(interventions, self.rows, &RowSource { values, weight }, centering)?;
        }
        // Finite values that are not centered may have squares that are not.
        let is_too_large =
            |column: &usize| !(0..gram.nodes()).all(|other| gram.entry(*column, other).is_finite());
        if let Some(column) = (0..gram.nodes()).find(is_too_large) {
            let faults = vec![Finding::of(&self.names[column], Concern::TooLarge)];
            return Err(Error::Unfit { file: self.source, faults });
        }
        if self.values.iter().all(|values| matches!(values, Values::Numbers(_))) {
            let weights = self.weights.map(|weights| weights.values);
            let columns = self.values.into_iter().map(into_numbers).collect();
            gram = gram.holding(NumberRows::new(columns, weights));
        }
        Ok(Observations::Numbers(Arc::new(gram)))
    }

    /// What a graph is learned from, with the rows, so that they can be drawn again.
    ///
    /// # Errors
    /// As [`Dataset::observations`], and [`Error::Misfit`] if no rows are held.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, dataset::Reading, gram::Centering};
    ///
    /// let data = Dataset::from_reader("a,b\nx,1\ny,2\nx,1\n".as_bytes(), "data.csv", &Reading::default())?;
    /// assert_eq!(data.resampler(Centering::Center)?.rows(), 3);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn resampler(self, centering: Centering) -> Result<Resampler> {
        let is_held = |values: &Values| !matches!(values, Values::NotHeld);
        if self.faults().is_empty() && !self.values.iter().all(is_held) {
            let reason = "draws rows anew, and of these data only the moments are known: give the rows themselves \
                          and, if they are too many to be held, more memory or a part of them";
            return Err(Error::Misfit { setting: "bootstrap", reason: reason.to_owned() });
        }
        Resampler::of(self.observations(centering)?, centering)
    }

    /// What stands in the way of fitting a model or asking one: a single row or column does not.
    pub fn sample_faults(&self) -> Vec<Finding> {
        let mut faults = self.faults();
        faults.retain(|fault| !matches!(fault.concern, Concern::OnlyRow | Concern::OnlyColumn));
        faults
    }

    /// What a model is fitted to, and effects are estimated from.
    ///
    /// # Errors
    /// [`Error::Unfit`] with all [faults](Self::sample_faults), and [`Error::Misfit`] for numbers and categories of which only the
    /// moments are known.
    pub fn sample(self) -> Result<Sample> {
        let faults = self.sample_faults();
        if !faults.is_empty() {
            return Err(Error::Unfit { file: self.source, faults });
        }
        let (names, labels) = (self.names.clone(), self.labels());
        Sample::new(names, labels, self.into_observations(Centering::Center)?)
    }

    /// The same with rows that can be drawn again.
    ///
    /// # Errors
    /// As [`Dataset::sample`] and [`Dataset::resampler`].
    pub fn resampled_sample(self) -> Result<(Sample, Resampler)> {
        let (names, labels) = (self.names.clone(), self.labels());
        let rows = self.resampler(Centering::Center)?;
        Ok((Sample::new(names, labels, rows.observations().clone())?, rows))
    }

    /// The categories of each column; none for numbers.
    pub fn labels(&self) -> Vec<Vec<String>> {
        let labels = |values: &Values| match values {
            Values::Categories { labels, .. } => labels.clone(),
            _ => Vec::new(),
        };
        self.values.iter().map(labels).collect()
    }

    fn into_mixed(self) -> Result<Mixed> {
        let column = |values: Values| match values {
            Values::Numbers(numbers) => MixedColumn::Numbers(numbers),
            Values::Categories { labels, mut codes, missing, .. } => {
                // There is room for one code more where values are missing.
                let gap = labels.len() as u8;
                if !missing.is_empty() {
                    codes
                        .iter_mut()
                        .enumerate()
                        .filter(|(row, _)| missing.contains(*row))
                        .for_each(|(_, code)| *code = gap);
                }
                MixedColumn::Categories { codes, levels: labels.len() }
            }
            // Unusable columns are faults, and moments are what is learned from where rows are let go.
            Values::NotHeld | Values::Unusable => MixedColumn::Categories { codes: Vec::new(), levels: 0 },
        };
        let mixed = Mixed::new(self.values.into_iter().map(column).collect())?;
        match self.interventions {
            Some(interventions) => mixed.with_interventions(interventions),
            None => Ok(mixed),
        }
    }

    /// The data as categories, whether a graph could be learned from them or not.
    ///
    /// # Errors
    /// [`Error::Unfit`] if a column does not hold categories, or a value is missing.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, dataset::{Kind, Reading}};
    ///
    /// let text = "a,b\n1,x\n2,x\n1,y\n";
    /// let data = Dataset::from_reader(text.as_bytes(), "data.csv", &Reading::all(Kind::Categories))?;
    /// assert_eq!(data.into_categories()?.arity(1), 2);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn into_categories(self) -> Result<Categories> {
        let is_plain =
            |values: &Values| matches!(values, Values::Categories { missing, .. } if missing.is_empty());
        if !self.values.iter().all(is_plain) {
            return Err(match self.faults() {
                _ if self.joint.is_some() => Error::Misfit {
                    setting: "kinds",
                    reason: "come as moments, and rows of categories are needed".to_owned(),
                },
                faults if faults.is_empty() => Error::Misfit {
                    setting: "kinds",
                    reason: "has columns of numbers, not categories".to_owned(),
                },
                faults => Error::Unfit { file: self.source, faults },
            });
        }
        let columns = self.values.into_iter().filter_map(|values| match values {
            Values::Categories { labels, codes, .. } => Some((labels, codes)),
            _ => None,
        });
        let (labels, codes) = columns.unzip();
        let categories = Categories::new(self.names, labels, codes)?;
        let categories = match self.interventions {
            Some(interventions) => categories.with_interventions(interventions)?,
            None => categories,
        };
        match self.weights {
            Some(weights) => categories.with_counts(weights.counts()?),
            None => Ok(categories),
        }
    }
}

fn into_numbers(values: Values) -> Vec<f64> {
    match values {
        Values::Numbers(numbers) => numbers,
        _ => Vec::new(),
    }
}

fn numbers_of(values: &[Values], column: usize) -> Option<&[f64]> {
    match values.get(column)? {
        Values::Numbers(numbers) => Some(numbers),
        _ => None,
    }
}
