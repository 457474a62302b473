//! The data of `plackett learn`: a file or standard input, read as the flags say and otherwise as it looks; or an example that
//! needs no file.

use std::{path::Path, str::FromStr};

use clap::Args;
use plackett::run::Run;
use plackett_dag::{
    Dataset, Error, NamedDag, Observations, Resampler,
    dataset::{Column, Delimiter, Discretize, Kind, Missing, Reading},
    example::Example,
    finding::{Concern, Finding, Remedy, Treatment, faults_text},
    gram::Centering,
};
use plackett_report::{data_warnings, flag, option};
use serde::Serialize;

use super::interventions::{self, InterventionsDocument};
use crate::console::{self, BadInput};

/// How the data are written and what the columns are, where that is not to be told from them.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct ReadingArguments {
    /// What separates fields: comma, tab, semicolon, pipe, blanks, or a character [default: told from the data]
    #[arg(long, value_name = "D", value_parser = Delimiter::from_str)]
    delimiter: Option<Delimiter>,
    /// Numbers have a comma in place of the point
    #[arg(long)]
    decimal_comma: bool,
    /// The first line is data; the columns are named x1, x2, ...
    #[arg(long)]
    no_header: bool,
    /// Read these columns only, in this order
    #[arg(long, value_name = "A,B", value_parser = names)]
    columns: Option<Names>,
    /// Leave these columns out
    #[arg(long, value_name = "A,B", value_parser = names)]
    drop: Option<Names>,
    /// Take these columns as categories
    #[arg(long, value_name = "A,B", value_parser = names)]
    categorical: Option<Names>,
    /// Take these columns as numbers
    #[arg(long, value_name = "A,B", value_parser = names)]
    numeric: Option<Names>,
    /// Treat every column as categories
    #[arg(long, conflicts_with = "continuous")]
    discrete: bool,
    /// Treat every column as numbers, even one with few distinct values
    #[arg(long)]
    continuous: bool,
    /// What stands for a missing value, beside an empty field [default: NA, NaN, ?, * and the like]
    #[arg(long, value_name = "A,B", value_parser = names, allow_hyphen_values = true)]
    na: Option<Names>,
    /// What to do where values are missing: stop; leave those rows out; use all rows, by the moments that EM finds or, for
    /// categories alone, by drawing what is missing; or take a missing value as a category of its own
    #[arg(long, value_name = "WHAT", default_value = Missing::NAMES[0], value_parser = Missing::NAMES)]
    missing: String,
    /// Cut columns of numbers into categories: quantile (about equally many rows in each) or equal-width
    #[arg(long, value_name = "METHOD", value_parser = Discretize::NAMES)]
    discretize: Option<String>,
    /// Categories that --discretize makes of a column [default: 3]
    #[arg(long, value_name = "N", requires = "discretize", value_parser = clap::value_parser!(u16).range(2..=256))]
    bins: Option<u16>,
    /// The column that says how much each row counts: whole weights are numbers of rows, others are relative to one another
    #[arg(long, value_name = "COLUMN")]
    weights: Option<String>,
    /// What tells which columns were set from outside, in experiments, so that such rows say nothing of their causes: a column
    /// with the names of each row's targets (several with ; or + between them, none where it is empty); columns that are 1
    /// where a target was set, as TARGET=COLUMN,... or called do(TARGET); or a file first,last,targets of rows
    #[arg(long, value_name = "COLUMN|TARGET=COLUMN,...|FILE")]
    interventions: Option<String>,
    /// The data are a covariance matrix, of so many rows if its file does not begin with their number [default: told from the
    /// data]
    #[arg(long, value_name = "ROWS", num_args = 0..=1, default_missing_value = "0")]
    covariance: Option<usize>,
}

/// A list on the command line.
#[derive(Clone)]
struct Names(Vec<String>);

/// Names with commas between them; one that has a comma itself stands in quotation marks.
fn names(text: &str) -> Result<Names, String> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_reader(text.as_bytes());
    let record = reader.records().next().and_then(Result::ok);
    record
        .map(|record| Names(record.iter().map(str::to_owned).collect()))
        .ok_or_else(|| "a list is needed".to_owned())
}

impl ReadingArguments {
    /// How to read; `is_for_numbers` says whether there are settings that only numbers can have, `lean` what columns are that
    /// could be either.
    pub(crate) fn reading(
        &self,
        is_for_numbers: bool,
        lean: Option<Kind>,
        memory_bytes: usize,
    ) -> anyhow::Result<Reading> {
        let list = |names: &Option<Names>| names.as_ref().map(|names| names.0.clone());
        let discretize = self.discretize.as_ref().map(|method| method.parse::<Discretize>()).transpose()?;
        let bins = self.bins.map_or(Discretize::DEFAULT_BINS, usize::from);
        Ok(Reading {
            delimiter: self.delimiter,
            decimal_comma: self.decimal_comma.then_some(true),
            header: self.no_header.then_some(false),
            columns: list(&self.columns),
            drop: list(&self.drop).unwrap_or_default(),
            kind: match (self.discrete, self.continuous || is_for_numbers) {
                (true, _) => Some(Kind::Categories),
                (false, true) => Some(Kind::Numbers),
                (false, false) => None,
            },
            lean,
            discretize: discretize.map(|method| method.with_bins(bins)).transpose()?,
            categorical: list(&self.categorical).unwrap_or_default(),
            numeric: list(&self.numeric).unwrap_or_default(),
            missing_marks: list(&self.na),
            missing: self.missing.parse()?,
            weights: self.weights.clone(),
            interventions: self
                .interventions
                .as_ref()
                .map(|text| {
                    let list =
                        names(text).map_err(|problem| BadInput(format!("--interventions: {problem}")))?;
                    interventions::targets(text, &list.0)
                })
                .transpose()?,
            covariance: self.covariance.is_some(),
            covariance_rows: self.covariance.filter(|&rows| rows > 0),
            most_bytes: Some(memory_bytes),
        })
    }
}

/// What there is to learn from.
pub(super) struct Data {
    /// The file, or what stands for it.
    pub source: String,
    /// The same without its folders, for the head of a picture.
    pub title: String,
    pub names: Vec<String>,
    pub values: Observations,
    /// The same with the rows, if they are to be drawn anew.
    pub resampler: Option<Resampler>,
    /// What the columns are; nothing if they are mixed.
    pub kind: Option<Kind>,
    /// Why the columns were taken for numbers or for categories, where the program decided.
    pub kind_choice: Option<String>,
    /// What the user should know before trusting a graph from these data.
    pub warnings: Vec<String>,
    /// What was read.
    pub input: InputDocument,
    /// What is missing, if anything is.
    pub missing: Option<MissingDocument>,
}

/// What was read, as `--json` shows it.
#[derive(Serialize)]
pub(super) struct InputDocument {
    pub rows: usize,
    pub fingerprint: String,
    /// What is out of the ordinary in how the file is written.
    pub notes: Vec<String>,
    pub columns: Vec<ColumnDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interventions: Option<InterventionsDocument>,
}

/// What is missing and what was done about it, as `--json` shows it.
#[derive(Clone, Serialize)]
pub(super) struct MissingDocument {
    pub method: &'static str,
    pub values: usize,
    pub rows: usize,
    pub complete_rows: usize,
    pub assumes: &'static str,
}

#[derive(Serialize)]
pub(super) struct ColumnDocument {
    pub name: String,
    pub kind: &'static str,
    pub missing: usize,
    /// Whether they are categories with an order that means something.
    pub is_ordered: bool,
}

/// Columns that a complaint shows.
const MOST_COLUMNS_SHOWN: usize = 25;

/// What is to be made of the data.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub centering: Centering,
    /// Whether rows are drawn anew.
    pub is_resampled: bool,
}

/// Reads a file, or standard input if it is called `-`, in one pass.
pub(super) fn read(path: &Path, reading: &Reading, wanted: Use, run: &Run<'_>) -> anyhow::Result<Data> {
    observe(open(path, reading, run)?, &source(path), wanted)
}

/// The data in a file, or in standard input if it is called `-`.
pub(crate) fn open(path: &Path, reading: &Reading, run: &Run<'_>) -> anyhow::Result<Dataset> {
    let source = source(path);
    let data = if path.as_os_str() == "-" {
        Dataset::from_reader_within(std::io::stdin().lock(), &source, reading, run)
    } else {
        Dataset::read_within(path, reading, run)
    };
    data.map_err(|error| match error {
        Error::Misfit { setting, reason } => {
            BadInput(format!("{source}: {} {reason}", option(setting))).into()
        }
        error @ Error::NoSuchColumn { .. } => anyhow::Error::new(error).context(source),
        error => unfit(error, None),
    })
}

fn source(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

/// What stands in the way of learning, if anything does.
pub(crate) fn refused(data: &Dataset, source: &str) -> Option<String> {
    let faults = data.faults();
    (!faults.is_empty()).then(|| complaint(data, source, &faults))
}

/// An error of the library, with faults spelled out, or as the complaint has them that was made of the data.
pub(crate) fn unfit(error: Error, complaint: Option<String>) -> anyhow::Error {
    match error {
        Error::Unfit { file, faults } => {
            BadInput(complaint.unwrap_or_else(|| faults_text(&file, &faults, flag))).into()
        }
        error => error.into(),
    }
}

/// The data of an example, and the graph behind them.
pub(super) fn example(
    name: &str,
    rows: Option<usize>,
    seed: u64,
    reading: &Reading,
    wanted: Use,
) -> anyhow::Result<(Data, NamedDag)> {
    let example = Example::draw(name, rows, seed)?;
    let is_for_numbers = reading.kind == Some(Kind::Numbers) || reading.lean == Some(Kind::Numbers);
    match example.kind {
        Kind::Categories if is_for_numbers => {
            let text =
                format!("the example {name} has categories; --continuous and settings of numbers do not fit");
            return Err(BadInput(text).into());
        }
        Kind::Numbers if reading.kind == Some(Kind::Categories) => {
            let text = format!("the example {name} has numbers; --discrete does not fit");
            return Err(BadInput(text).into());
        }
        _ => {}
    }
    let (source, truth) = (example.source.clone(), example.truth.clone());
    Ok((observe(example.read(reading)?, &source, wanted)?, truth))
}

/// What a graph is learned from, or a complaint with all that stands in the way.
fn observe(data: Dataset, source: &str, wanted: Use) -> anyhow::Result<Data> {
    let Use { centering, is_resampled } = wanted;
    if let Some(complaint) = refused(&data, source) {
        return Err(BadInput(complaint).into());
    }
    let column = |column: &Column| ColumnDocument {
        name: column.name.clone(),
        kind: column.kind.name(),
        missing: column.missing,
        is_ordered: column.is_ordered,
    };
    let input = InputDocument {
        rows: data.rows(),
        fingerprint: data.fingerprint().to_owned(),
        notes: data.notes().to_vec(),
        columns: data.columns().iter().map(column).collect(),
        interventions: data.interventions().map(|told| InterventionsDocument::new(told, data.names())),
    };
    let warnings = data_warnings(&data);
    let missing = data.warnings().iter().find_map(missing_document);
    let kind = data.kind();
    let (names, kind_choice) = (data.names().to_vec(), data.choice());
    let refusal = |error| match error {
        Error::Misfit { setting, reason } => {
            BadInput(format!("{source}: {} {reason}", option(setting))).into()
        }
        error => unfit(error, None),
    };
    let (values, resampler) = if is_resampled {
        let resampler = data.resampler(centering).map_err(refusal)?;
        (resampler.observations().clone(), Some(resampler))
    } else {
        (data.observations(centering).map_err(refusal)?, None)
    };
    let title =
        Path::new(source).file_name().map_or(source.into(), |name| name.to_string_lossy()).into_owned();
    let source = source.to_owned();
    Ok(Data { source, title, names, values, resampler, kind, kind_choice, warnings, input, missing })
}

/// What a finding says of missing values.
fn missing_document(finding: &Finding) -> Option<MissingDocument> {
    let Concern::Incomplete { counts, rows, complete, treatment } = &finding.concern else { return None };
    let method = match treatment {
        Treatment::LeftOut => Missing::Drop,
        Treatment::Moments | Treatment::AllRows => Missing::Em,
        Treatment::OwnCategory => Missing::Category,
    };
    Some(MissingDocument {
        method: method.name(),
        values: counts.iter().map(|(_, count)| count).sum(),
        rows: *rows,
        complete_rows: *complete,
        assumes: treatment.assumption(),
    })
}

/// All that stands in the way, and the columns that it is about.
fn complaint(data: &Dataset, source: &str, faults: &[Finding]) -> String {
    let text = faults_text(source, faults, flag);
    let warnings = data.warnings();
    let notes = |column: &Column| -> Vec<&str> {
        let is_about = |finding: &&Finding| finding.columns.contains(&column.name);
        let words = faults.iter().chain(&warnings).filter(is_about).map(|finding| word(&finding.concern));
        words.filter(|word| !word.is_empty()).collect()
    };
    let mut columns: Vec<&Column> = data.columns().iter().collect();
    if columns.len() > MOST_COLUMNS_SHOWN {
        columns.sort_by_key(|column| column.missing == 0 && notes(column).is_empty());
    }
    let rows = columns.into_iter().take(MOST_COLUMNS_SHOWN).map(|column| {
        vec![
            column.name.chars().flat_map(char::escape_debug).take(40).collect(),
            column.distinct.map_or("> 256".to_owned(), |count| count.to_string()),
            column.missing.to_string(),
            column.kind.name().to_owned(),
            column.why.to_string(),
            notes(column).join(", "),
        ]
    });
    let table = console::table_with_notes(
        &["column", "distinct", "missing", "taken as", "because it", "beware"],
        rows,
    );
    let rest = data.columns().len().saturating_sub(MOST_COLUMNS_SHOWN);
    let end =
        if rest > 0 { format!("\nand {}", console::counted(rest, "more column")) } else { String::new() };
    let remedies =
        faults.iter().find_map(remedies_of_gaps).map_or(String::new(), |table| format!("\n{table}"));
    format!("{text}\n{table}{end}{remedies}")
}

/// What each way of dealing with missing values keeps, and assumes.
fn remedies_of_gaps(fault: &Finding) -> Option<String> {
    let Concern::Missing { rows, are_categories, .. } = &fault.concern else { return None };
    let row = |remedy: &Remedy| {
        let (option, kept, treatment) = match remedy {
            Remedy::DropRows(kept) => ("--missing drop", *kept, Treatment::LeftOut),
            Remedy::Em(kept) => ("--missing em", *kept, Treatment::Moments),
            Remedy::OwnCategory(kept) => ("--missing category", *kept, Treatment::OwnCategory),
            _ => return None,
        };
        let assumption = match treatment {
            Treatment::Moments if *are_categories => {
                "whether a value is missing depends on what is observed only"
            }
            treatment => treatment.assumption(),
        };
        Some(vec![option.to_owned(), format!("{kept} of {rows}"), assumption.to_owned()])
    };
    let table = fault.remedies().iter().filter_map(row).collect::<Vec<_>>();
    Some(console::table_with_notes(&["remedy", "keeps rows", "assumes that"], table))
}

/// A finding in a word or two, for a table.
fn word(concern: &Concern) -> &'static str {
    match concern {
        Concern::Constant => "constant",
        Concern::TooFine => "too fine",
        Concern::Copy { .. } | Concern::SameCategories { .. } => "a copy",
        Concern::NearCopy { .. } => "nearly a copy",
        Concern::TooManyCategories { .. } | Concern::Crowded { .. } | Concern::Lumped { .. } => {
            "too many categories"
        }
        Concern::NotNumbers { .. } => "not all numbers",
        Concern::Infinite { .. } | Concern::TooLarge => "too large",
        Concern::Id => "row numbers",
        Concern::Date => "dates",
        Concern::Sentinel { .. } => "a mark for missing values",
        Concern::Codes => "codes",
        Concern::HeavyTails => "heavy tails",
        Concern::BadWeight { .. } => "bad weights",
        _ => "",
    }
}
