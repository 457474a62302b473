//! Named columns with their rows: what a model is fitted to, and what effects are estimated from.

use std::borrow::Cow;

use crate::learning::Observations;
use crate::mixed::MixedColumn;
use crate::text::number_text;
use crate::{Error, Interventions, Result};

/// Columns with their names, the texts of their categories, and their rows; of numbers the moments are enough. Made by
/// [`Dataset::sample`](crate::Dataset::sample).
///
/// ```
/// use plackett_dag::{Dataset, dataset::Reading};
///
/// let text = "dose,cured\n0.5,no\n1.5,yes\n0.7,no\n2.5,yes\n";
/// let sample = Dataset::from_reader(text.as_bytes(), "data.csv", &Reading::default())?.sample()?;
/// assert_eq!((sample.names(), sample.rows()), (&["dose".to_owned(), "cured".to_owned()][..], 4));
/// assert_eq!((sample.is_numeric(0), sample.labels(1)), (true, &["no".to_owned(), "yes".to_owned()][..]));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sample {
    names: Vec<String>,
    labels: Vec<Vec<String>>,
    values: Observations,
}

/// The values of a column, where rows are held.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ColumnValues<'a> {
    /// NaN where they are missing.
    Numbers(&'a [f64]),
    /// The code `levels` where they are missing.
    Categories { codes: &'a [u8], levels: usize },
}

impl ColumnValues<'_> {
    /// The number, or the code as a number; nothing if it is missing.
    pub(crate) fn get(self, row: usize) -> Option<f64> {
        match self {
            Self::Numbers(numbers) => Some(numbers[row]).filter(|number| !number.is_nan()),
            Self::Categories { codes, levels } => {
                Some(f64::from(codes[row])).filter(|_| usize::from(codes[row]) < levels)
            }
        }
    }
}

impl Sample {
    /// Puts names and texts to data: `labels[i]` are the categories of column i, and empty if it holds numbers.
    ///
    /// # Errors
    /// [`Error::Size`] unless there is a name and a list for each column; [`Error::Misfit`] for the joint moments of numbers and
    /// categories, which do not tell the rows.
    pub fn new(names: Vec<String>, labels: Vec<Vec<String>>, values: Observations) -> Result<Self> {
        for (what, found) in [("the list of names", names.len()), ("the list of categories", labels.len())] {
            if found != values.columns() {
                return Err(Error::Size { what, expected: values.columns(), found });
            }
        }
        if matches!(values, Observations::Joint(_)) {
            let reason = "need the rows, and of these data only the moments are known: give the rows themselves and, if they are \
                          too many to be held, more memory or a part of them";
            return Err(Error::Misfit { setting: "models", reason: reason.to_owned() });
        }
        Ok(Self { names, labels, values })
    }

    /// The same columns with other rows.
    #[must_use]
    pub(crate) fn with_values(&self, values: Observations) -> Self {
        Self { names: self.names.clone(), labels: self.labels.clone(), values }
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The categories of a column; empty if it holds numbers, or is not there.
    pub fn labels(&self, column: usize) -> &[String] {
        self.labels.get(column).map_or(&[], Vec::as_slice)
    }

    /// Whether a column holds numbers.
    pub fn is_numeric(&self, column: usize) -> bool {
        match &self.values {
            Observations::Numbers(_) => true,
            Observations::Categories(_) => false,
            Observations::Mixed(data) => data.columns().get(column).is_some_and(MixedColumn::is_numeric),
            Observations::Joint(moments) => moments.is_numeric(column),
        }
    }

    /// The number of rows that are held; none if there are only moments.
    pub fn rows(&self) -> usize {
        match &self.values {
            Observations::Numbers(gram) => {
                gram.number_rows().map_or(0, |rows| rows.columns().first().map_or(0, |column| column.len()))
            }
            Observations::Categories(data) => data.row_count(),
            Observations::Mixed(data) => data.rows(),
            Observations::Joint(_) => 0,
        }
    }

    /// The number of rows that the data stand for.
    pub fn total(&self) -> usize {
        self.values.rows()
    }

    /// What a graph is learned from.
    pub fn observations(&self) -> &Observations {
        &self.values
    }

    /// The values of an existing column; nothing if rows are not held.
    pub(crate) fn values(&self, column: usize) -> Option<ColumnValues<'_>> {
        match &self.values {
            Observations::Numbers(gram) => {
                gram.number_rows().map(|rows| ColumnValues::Numbers(&rows.columns()[column]))
            }
            Observations::Categories(data) => {
                Some(ColumnValues::Categories { codes: data.column(column), levels: data.arity(column) })
            }
            Observations::Mixed(data) => Some(match &data.columns()[column] {
                MixedColumn::Numbers(numbers) => ColumnValues::Numbers(numbers),
                MixedColumn::Categories { codes, levels } => {
                    ColumnValues::Categories { codes, levels: *levels }
                }
            }),
            Observations::Joint(_) => None,
        }
    }

    /// How much each row counts, if not once.
    pub(crate) fn weights(&self) -> Option<Cow<'_, [f64]>> {
        match &self.values {
            Observations::Numbers(gram) => gram.number_rows()?.weights().map(Cow::Borrowed),
            Observations::Categories(data) => {
                data.counts().map(|counts| counts.iter().map(|&count| f64::from(count)).collect())
            }
            Observations::Mixed(data) => data.weights().map(Cow::Borrowed),
            Observations::Joint(_) => None,
        }
    }

    pub(crate) fn interventions(&self) -> Option<&Interventions> {
        self.values.interventions()
    }

    /// Where columns of these names are.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`] with all names that are not there.
    pub(crate) fn places(&self, names: &[String]) -> Result<Vec<usize>> {
        let place = |name: &String| self.names.iter().position(|own| own == name);
        let missing: Vec<String> = names.iter().filter(|name| place(name).is_none()).cloned().collect();
        if missing.is_empty() {
            return Ok(names.iter().filter_map(place).collect());
        }
        Err(Error::NoSuchColumn { names: missing, known: self.names.clone() })
    }

    /// The rows that tell of some columns, with what they count: no value of these is missing, and none of `followers` was set from
    /// outside. Nothing if rows are not held.
    pub(crate) fn telling(&self, columns: &[usize], followers: &[usize]) -> Option<Vec<(usize, f64)>> {
        let values: Vec<ColumnValues<'_>> =
            columns.iter().map(|&at| self.values(at)).collect::<Option<_>>()?;
        let weights = self.weights();
        let set: Option<(Vec<bool>, &[u32])> = self.interventions().map(|told| {
            let is_set =
                |targets: &Vec<usize>| followers.iter().any(|node| targets.binary_search(node).is_ok());
            (told.regimes().iter().map(is_set).collect(), told.regime_of_rows())
        });
        let weight = |row: usize| weights.as_ref().map_or(1.0, |weights| weights[row]);
        let follows =
            |row: &usize| set.as_ref().is_none_or(|(is_set, regimes)| !is_set[regimes[*row] as usize]);
        let is_whole = |row: &usize| values.iter().all(|values| values.get(*row).is_some());
        let rows = (0..self.rows()).filter(|row| weight(*row) > 0.0).filter(follows).filter(is_whole);
        Some(rows.map(|row| (row, weight(row))).collect())
    }

    /// A column's values in the words of a model: codes of these states as numbers, or numbers if there are no states.
    ///
    /// # Errors
    /// [`Error::UnknownCategory`] for what is none of the states, or no number; [`Error::Misfit`] where rows are not held or a value
    /// is missing.
    pub(crate) fn in_states(&self, column: usize, states: &[String]) -> Result<Vec<f64>> {
        let misfit = |reason: &str| Error::Misfit { setting: "data", reason: reason.to_owned() };
        let values =
            self.values(column).ok_or_else(|| misfit("come as moments, and a model is asked about rows"))?;
        let unknown = |category: String| Error::UnknownCategory {
            column: self.names[column].clone(),
            category,
            known: if states.is_empty() { vec!["a number".to_owned()] } else { states.to_vec() },
        };
        let found = |text: &str| -> Result<f64> {
            if states.is_empty() {
                return text.parse().map_err(|_| unknown(text.to_owned()));
            }
            let number = text.parse::<f64>().ok();
            let by_text = states.iter().position(|state| state == text);
            let by_number =
                || states.iter().position(|state| number.is_some() && state.parse::<f64>().ok() == number);
            by_text.or_else(by_number).map(|place| place as f64).ok_or_else(|| unknown(text.to_owned()))
        };
        let translated: Vec<Option<f64>> = match values {
            ColumnValues::Numbers(_) => Vec::new(),
            ColumnValues::Categories { codes, levels } => {
                // Categories that do not occur need not be known.
                let mut occurs = vec![false; levels + 1];
                codes.iter().for_each(|&code| occurs[usize::from(code)] = true);
                let labels = self.labels(column).iter().zip(occurs);
                labels
                    .map(|(label, occurs)| occurs.then(|| found(label)).transpose())
                    .collect::<Result<_>>()?
            }
        };
        (0..self.rows())
            .map(|row| {
                let name = &self.names[column];
                let value = values.get(row).ok_or_else(|| {
                    misfit(&format!(
                        "lack a value of \"{}\" in row {}: leave such rows out",
                        crate::text::shown(name),
                        row + 1
                    ))
                })?;
                match values {
                    ColumnValues::Numbers(_) if states.is_empty() => Ok(value),
                    ColumnValues::Numbers(_) => found(&number_text(value)),
                    #[expect(clippy::cast_sign_loss, reason = "a code")]
                    ColumnValues::Categories { .. } => {
                        translated[value as usize].ok_or_else(|| unknown(String::new()))
                    }
                }
            })
            .collect()
    }
}
