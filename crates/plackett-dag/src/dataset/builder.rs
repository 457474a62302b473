//! Data as they arrive: rows of text, or batches of columns. Rows are held while memory lasts; after that, numbers go into
//! their summary, categories alone or beside numbers into statistics, and rows are let go.

use std::collections::HashSet;

use plackett::run::Run;

use super::column::ColumnReader;
use super::reading::Reading;
use super::settle::{Beside, kinds, settle};
use super::source::{SourceColumn, wanted};
use super::statistics::Statistics;
use super::summary::Summary;
use super::{Dataset, Kind, Why};
use crate::error::{Error, Place, Problem, Result};
use crate::field::Fields;
use crate::finding::Where;

/// Rows after which the memory is looked at, and after which numbers that are not held are summed up.
const ROWS_BETWEEN_LOOKS: usize = 4096;

/// Makes a [`Dataset`] of batches of columns, however many there are.
///
/// # Example
/// ```
/// use plackett_dag::dataset::{DatasetBuilder, Reading, SourceColumn, SourceValues};
///
/// // No memory for rows: of numbers, only their moments are kept.
/// let reading = Reading { most_bytes: Some(0), ..Reading::default() };
/// let mut builder = DatasetBuilder::new("a stream", &reading);
/// for batch in 0..100 {
///     let column = |name: &str, step: f64| SourceColumn {
///         name: name.into(),
///         values: SourceValues::Numbers((0..1000).map(|row| (f64::from(batch * 1000 + row) * step).sin()).collect()),
///     };
///     builder.push(vec![column("a", 0.1), column("b", 0.7)])?;
/// }
/// let data = builder.finish()?;
/// assert_eq!((data.rows(), data.numbers(0)), (100_000, None));
/// assert!(data.faults().is_empty());
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub struct DatasetBuilder {
    source: String,
    reading: Reading,
    fields: Fields,
    readers: Vec<ColumnReader>,
    weights: Option<ColumnReader>,
    /// What tells of interventions, and where it is among the columns.
    targets: Vec<(usize, ColumnReader)>,
    /// The names of all columns of the first batch, and which of them are read.
    names: Vec<String>,
    wanted: Vec<usize>,
    rows: usize,
    /// Rows that are not held any more, of numbers or with categories.
    stream: Option<Stream>,
    counted: Option<Statistics>,
    /// Rows that are.
    held_rows: usize,
    is_text: bool,
}

/// What is kept of rows that are not held.
pub(super) struct Stream {
    pub(super) kinds: Vec<(Kind, Why)>,
    pub(super) summary: Summary,
    /// Values that are missing or no numbers, in each column.
    pub(super) gaps: Vec<usize>,
    pub(super) weight_gaps: usize,
    pub(super) first_bad_weight: Option<f64>,
}

impl DatasetBuilder {
    /// Without rows yet; `source` is what messages call the data.
    pub fn new(source: &str, reading: &Reading) -> Self {
        let fields = Fields {
            decimal_comma: reading.decimal_comma == Some(true),
            marks: reading.missing_marks.clone(),
        };
        Self {
            source: source.to_owned(),
            reading: reading.clone(),
            fields,
            readers: Vec::new(),
            weights: None,
            targets: Vec::new(),
            names: Vec::new(),
            wanted: Vec::new(),
            rows: 0,
            stream: None,
            counted: None,
            held_rows: 0,
            is_text: false,
        }
    }

    /// For rows of text under these names.
    pub(super) fn of_texts(
        source: &str,
        reading: &Reading,
        fields: Fields,
        names: Vec<String>,
        wanted: Vec<usize>,
    ) -> Self {
        let read = |at: &usize| ColumnReader::new(names[*at].clone(), reading.is_categorical(&names[*at]));
        let target = |name: String| {
            let place = names.iter().position(|other| *other == name)?;
            Some((place, ColumnReader::new(name, true)))
        };
        Self {
            readers: wanted.iter().map(read).collect(),
            targets: reading.target_columns().into_iter().filter_map(target).collect(),
            weights: reading.weights.clone().map(|name| ColumnReader::new(name, false)),
            fields,
            names,
            wanted,
            is_text: true,
            ..Self::new(source, reading)
        }
    }

    /// The place among the columns of that with the weights.
    pub(super) fn weights_at(&self) -> Option<usize> {
        let name = self.reading.weights.as_ref()?;
        self.names.iter().position(|other| other == name)
    }

    /// Takes a row of text: `field` gives the text in a column.
    ///
    /// # Errors
    /// As [`DatasetBuilder::push`] if the rows do not fit in memory, and [`Problem::OutOfTime`] if the run is over.
    #[inline]
    pub(super) fn push_row<'a>(
        &mut self,
        weights_at: Option<usize>,
        line: u64,
        field: impl Fn(usize) -> &'a [u8],
        run: &Run<'_>,
    ) -> Result<()> {
        if run.is_over() {
            return Err(self.out_of_time());
        }
        let place = Some(Where::Line(line));
        for (&at, reader) in self.wanted.iter().zip(&mut self.readers) {
            reader.take(field(at), place, &self.fields);
        }
        if let (Some(at), Some(reader)) = (weights_at, &mut self.weights) {
            reader.take(field(at), place, &self.fields);
        }
        for (at, reader) in &mut self.targets {
            reader.take(field(*at), place, &self.fields);
        }
        self.rows += 1;
        self.held_rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_LOOKS) { self.relieve(run) } else { Ok(()) }
    }

    /// Takes a batch. All must have columns of the same names and types, in any order after the first.
    ///
    /// # Errors
    /// [`Error::Size`] if the columns are not of one length or a code has no text, [`Error::ColumnNames`] and
    /// [`Error::Misfit`] if the batch differs from those before, [`Error::NoSuchColumn`] if a column that was asked for is
    /// not there, [`Problem::RepeatedName`], and [`Problem::Memory`] if there are too many rows that must be held.
    pub fn push(&mut self, columns: Vec<SourceColumn>) -> Result<()> {
        self.push_within(columns, &Run::default())
    }

    /// As [`DatasetBuilder::push`], unless the run is over first: [`Problem::OutOfTime`].
    pub(super) fn push_within(&mut self, mut columns: Vec<SourceColumn>, run: &Run<'_>) -> Result<()> {
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        if self.names.is_empty() {
            let mut seen = HashSet::new();
            if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
                let place = Place { file: self.source.clone(), line: None, column: Some(name.clone()) };
                return Err(Error::Content { place, problem: Problem::RepeatedName });
            }
            self.wanted = wanted(&names, &self.reading)?;
            self.readers = self.wanted.iter().map(|&at| ColumnReader::typed(names[at].clone())).collect();
            self.weights = self.reading.weights.clone().map(ColumnReader::typed);
            let target = |name: String| {
                let place = names.iter().position(|other| *other == name)?;
                Some((place, ColumnReader::typed(name)))
            };
            self.targets = self.reading.target_columns().into_iter().filter_map(target).collect();
            self.names = names;
        } else if names != self.names {
            let is_in = |names: &[String], name: &String| names.contains(name);
            let missing: Vec<String> =
                self.names.iter().filter(|name| !is_in(&names, name)).cloned().collect();
            let extra: Vec<String> = names.iter().filter(|name| !is_in(&self.names, name)).cloned().collect();
            if !missing.is_empty() || !extra.is_empty() || names.len() != self.names.len() {
                return Err(Error::ColumnNames { missing, extra });
            }
            let place = |column: &SourceColumn| self.names.iter().position(|name| *name == column.name);
            columns.sort_by_key(place);
        }
        let rows = columns.first().map_or(0, |column| column.values.rows());
        if let Some(column) = columns.iter().find(|column| column.values.rows() != rows) {
            return Err(Error::Size { what: "a column", expected: rows, found: column.values.rows() });
        }
        let weights_at = self.weights_at();
        let mut values: Vec<Option<_>> = columns.into_iter().map(|column| Some(column.values)).collect();
        for (&at, reader) in self.wanted.iter().zip(&mut self.readers) {
            if let Some(values) = values[at].take() {
                reader.take_values(values, self.rows, &self.fields)?;
            }
        }
        if let (Some(values), Some(reader)) = (weights_at.and_then(|at| values[at].take()), &mut self.weights)
        {
            reader.take_values(values, self.rows, &self.fields)?;
        }
        for (at, reader) in &mut self.targets {
            if let Some(values) = values[*at].take() {
                reader.take_values(values, self.rows, &self.fields)?;
            }
        }
        self.rows += rows;
        self.held_rows += rows;
        self.relieve(run)
    }

    /// Makes data of all that was taken.
    ///
    /// # Errors
    /// [`Problem::Empty`] without rows.
    pub fn finish(self) -> Result<Dataset> {
        if self.rows == 0 {
            let place = Place { file: self.source, line: None, column: None };
            return Err(Error::Content { place, problem: Problem::Empty });
        }
        self.settled(&[], Vec::new(), &Run::default())
    }

    /// As [`DatasetBuilder::finish`], where some columns had no names, and some things are to be noted.
    pub(super) fn settled(
        mut self,
        unnamed: &[String],
        notes: Vec<String>,
        run: &Run<'_>,
    ) -> Result<Dataset> {
        if self.counted.is_some() {
            self.count(run)?;
        }
        if let Some(counted) = self.counted {
            let mut data = counted.into_dataset(&self.source, &Reading::default())?;
            data.notes = notes;
            return Ok(data);
        }
        self.sum_up(run)?;
        let finish = |reader: ColumnReader| reader.finish();
        let mut columns: Vec<_> = self.readers.into_iter().map(finish).collect();
        // What has neither a name nor a value is the end of lines with a delimiter there.
        if self.stream.is_none() {
            columns.retain(|column| !unnamed.contains(&column.name) || !column.is_empty());
        }
        let weights = self.weights.map(finish);
        let targets = self.targets.into_iter().map(|(_, reader)| finish(reader)).collect();
        let beside = Beside { weights, targets };
        settle(columns, beside, self.stream, self.rows, &self.source, notes, &self.reading)?.inspected(run)
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn is_western(&self) -> bool {
        self.readers.iter().any(|reader| reader.is_western)
    }

    /// That the run was over before all rows were read.
    pub(super) fn out_of_time(&self) -> Error {
        Problem::OutOfTime { rows: self.rows, are_all: false }.in_file(&self.source)
    }

    /// Lets go of rows if they take too much memory.
    fn relieve(&mut self, run: &Run<'_>) -> Result<()> {
        if self.stream.is_some() {
            return self.sum_up(run);
        }
        let held: usize = self.readers.iter().chain(&self.weights).map(ColumnReader::held_bytes).sum();
        let most = self.reading.most_bytes();
        if held <= most {
            return Ok(());
        }
        if self.counted.is_some() {
            return self.count(run);
        }
        if self.reading.needs_rows() {
            return Err(Problem::Memory { rows: self.rows, most }.in_file(&self.source));
        }
        let looks: Vec<_> =
            self.readers.iter().map(|reader| (reader.name(), reader.is_typed(), reader.look())).collect();
        let kinds = kinds(&looks, &self.reading);
        let are_all = |wanted: Kind| kinds.iter().all(|(kind, _)| *kind == wanted);
        let mut readers = self.readers.iter().chain(&self.weights);
        if !are_all(Kind::Numbers) && readers.all(|reader| !reader.is_many()) {
            let of_kind = |wanted: Kind| -> Vec<String> {
                let columns = self.readers.iter().zip(&kinds).filter(|(_, (kind, _))| *kind == wanted);
                columns.map(|(reader, _)| reader.name().to_owned()).collect()
            };
            // The rows so far settle what the columns are.
            let (categorical, numeric) = (of_kind(Kind::Categories), of_kind(Kind::Numbers));
            self.reading = Reading { categorical, numeric, ..self.reading.clone() };
            return self.count(run);
        }
        let mut readers = self.readers.iter().chain(&self.weights);
        let are_numbers =
            are_all(Kind::Numbers) && readers.all(|reader| !reader.is_typed() && !reader.is_many());
        let names = self.wanted.iter().map(|&at| self.names[at].as_str());
        let Some(summary) = Summary::new(names)?.filter(|_| are_numbers) else {
            return Err(Problem::Memory { rows: self.rows, most }.in_file(&self.source));
        };
        let gaps = vec![0; kinds.len()];
        self.stream = Some(Stream { kinds, summary, gaps, weight_gaps: 0, first_bad_weight: None });
        self.sum_up(run)
    }

    /// Lets the held rows go, but for their statistics.
    fn count(&mut self, run: &Run<'_>) -> Result<()> {
        if self.held_rows == 0 {
            return Ok(());
        }
        let is_text = self.is_text;
        let fresh =
            |name: String| if is_text { ColumnReader::new(name, false) } else { ColumnReader::typed(name) };
        let finish = |reader: &mut ColumnReader| {
            let next = fresh(reader.name().to_owned());
            std::mem::replace(reader, next).finish()
        };
        let columns: Vec<_> = self.readers.iter_mut().map(finish).collect();
        let weights = self.weights.as_mut().map(finish);
        let beside = Beside { weights, targets: Vec::new() };
        let part = settle(columns, beside, None, self.held_rows, &self.source, Vec::new(), &self.reading)?;
        let part = Statistics::within(part.inspected(run)?, run)?;
        self.held_rows = 0;
        if let Some(counted) = &mut self.counted {
            return counted.merge(&part);
        }
        self.counted = Some(part);
        Ok(())
    }

    /// Lets the held numbers go into the summary, if there is one.
    fn sum_up(&mut self, run: &Run<'_>) -> Result<()> {
        let out_of_time = self.out_of_time();
        let Some(stream) = &mut self.stream else { return Ok(()) };
        let mut held: Vec<Vec<f64>> = Vec::with_capacity(self.readers.len());
        for (reader, gaps) in self.readers.iter_mut().zip(&mut stream.gaps) {
            reader.hand_over(|values| held.push(std::mem::take(values)));
            *gaps += held.last().map_or(0, |values| values.iter().filter(|value| value.is_nan()).count());
        }
        let mut weights: Option<Vec<f64>> = None;
        if let Some(reader) = &mut self.weights {
            reader.hand_over(|values| weights = Some(std::mem::take(values)));
        }
        for weight in weights.iter_mut().flatten() {
            if weight.is_nan() {
                stream.weight_gaps += 1;
            } else if !(0.0..f64::INFINITY).contains(weight) {
                stream.first_bad_weight.get_or_insert(*weight);
                *weight = f64::NAN;
            }
        }
        let slices: Vec<&[f64]> = held.iter().map(Vec::as_slice).collect();
        stream.summary.take(&slices, weights.as_deref(), run).ok_or(out_of_time)?;
        // The memory serves for the next rows.
        for (reader, mut values) in self.readers.iter_mut().zip(held) {
            values.clear();
            reader.hand_over(|place| *place = values);
        }
        Ok(())
    }
}
