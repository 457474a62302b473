//! Data for learning: files, and columns of arrays and frames, read by the library's one reader.

use numpy::PyReadonlyArray1;
use plackett_dag::{
    Dataset, Error, Observations, Resampler, Sample,
    dataset::{
        Covariance, DatasetBuilder, Discretize, Indicator, Kind, Reading, RowTargets, SourceColumn,
        SourceValues, Targets,
    },
    finding::{Concern, Finding, Remedy, Treatment, faults_text, finding_texts},
    gram::Centering,
};
use pyo3::prelude::*;

use crate::{arrays::entries, error::Failure, statistics::Statistics};

/// What there is to learn from, and what is worth a warning about it.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct Data {
    pub(crate) observations: Observations,
    /// The categories of each column; none for numbers.
    labels: Vec<Vec<String>>,
    /// The same with the rows, if they are to be drawn anew.
    pub(crate) rows_held: Option<Resampler>,
    /// What messages call the data.
    pub(crate) source: String,
    /// What all columns are, if they are of one kind.
    pub(crate) kind: Option<Kind>,
    /// What is done to columns of numbers first.
    pub(crate) centering: Centering,
    /// How they were read, and whether from a file.
    pub(crate) reading: Reading,
    pub(crate) is_file: bool,
    /// The warnings in the words of the command line, which reports have.
    pub(crate) plain_warnings: Vec<String>,
    /// The names of the columns.
    #[pyo3(get)]
    pub(crate) names: Vec<String>,
    /// What the user should know before trusting a graph from these data.
    #[pyo3(get)]
    warnings: Vec<String>,
    /// Why the columns were taken for what they are, if it was not said.
    #[pyo3(get)]
    choice: Option<String>,
    /// The kind of each column and how many of its values are missing.
    #[pyo3(get)]
    pub(crate) columns: Vec<(&'static str, usize, bool)>,
    /// What is out of the ordinary in how a file is written.
    #[pyo3(get)]
    notes: Vec<String>,
    #[pyo3(get)]
    pub(crate) fingerprint: String,
    #[pyo3(get)]
    pub(crate) rows: usize,
    /// What was done about missing values, how many there were, the rows and those of them that are complete, and what is assumed.
    #[pyo3(get)]
    missing: Option<Gaps>,
    /// The rows in which nothing was set from outside, and those in which each target was.
    #[pyo3(get)]
    interventions: Option<(usize, Vec<(String, usize)>)>,
}

type Gaps = (&'static str, usize, usize, usize, &'static str);

/// What is to be made of data.
#[derive(Clone, Copy)]
pub(crate) struct Use {
    pub(crate) centering: Centering,
    is_resampled: bool,
    /// Whether a model is fitted or asked, and no graph is learned.
    is_sample: bool,
}

/// How to read, as the Python half has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ReadingSettings {
    delimiter: Option<String>,
    decimal_comma: Option<bool>,
    header: Option<bool>,
    columns: Option<Vec<String>>,
    drop: Vec<String>,
    kind: Option<String>,
    categorical: Vec<String>,
    numeric: Vec<String>,
    na: Option<Vec<String>>,
    missing: String,
    lean: Option<String>,
    discretize: Option<String>,
    bins: Option<usize>,
    weights: Option<String>,
    target_column: Option<String>,
    indicators: Option<Vec<(String, String)>>,
    row_targets: Option<Vec<(usize, usize, Vec<String>)>>,
    covariance: Option<usize>,
    memory: usize,
    centering: String,
    is_resampled: bool,
    is_sample: bool,
}

impl ReadingSettings {
    pub(crate) fn reading(self) -> Result<(Reading, Use), Failure> {
        let centering = match self.centering.as_str() {
            "none" => Centering::None,
            "standardize" => Centering::Standardize,
            _ => Centering::Center,
        };
        let kind = |word: Option<&str>| {
            word.map(|word| if word == "discrete" { Kind::Categories } else { Kind::Numbers })
        };
        let discretize = self.discretize.map(|text| text.parse::<Discretize>()).transpose()?;
        let bins = self.bins.unwrap_or(Discretize::DEFAULT_BINS);
        let indicator = |(column, target)| Indicator { column, target };
        let row = |(first, last, targets)| RowTargets { first, last, targets };
        let interventions = match (self.target_column, self.indicators, self.row_targets) {
            (Some(column), ..) => Some(Targets::Named(column)),
            (_, Some(indicators), _) => {
                Some(Targets::Indicators(indicators.into_iter().map(indicator).collect()))
            }
            (.., Some(rows)) => Some(Targets::Rows(rows.into_iter().map(row).collect())),
            _ => None,
        };
        let reading = Reading {
            delimiter: self.delimiter.map(|text| text.parse()).transpose()?,
            decimal_comma: self.decimal_comma,
            header: self.header,
            columns: self.columns,
            drop: self.drop,
            kind: kind(self.kind.as_deref()),
            lean: kind(self.lean.as_deref()),
            discretize: discretize.map(|method| method.with_bins(bins)).transpose()?,
            categorical: self.categorical,
            numeric: self.numeric,
            missing_marks: self.na,
            missing: self.missing.parse()?,
            weights: self.weights,
            interventions,
            covariance: self.covariance.is_some(),
            covariance_rows: self.covariance.filter(|&rows| rows > 0),
            most_bytes: Some(self.memory.saturating_mul(1 << 20)),
        };
        Ok((reading, Use { centering, is_resampled: self.is_resampled, is_sample: self.is_sample }))
    }
}

/// A column of an array or of a frame: a name and numbers, or a name, labels, codes, and what these are: texts, categories, or
/// ordered categories.
#[derive(FromPyObject)]
pub(crate) enum ColumnArrays<'py> {
    Numbers(String, PyReadonlyArray1<'py, f64>),
    Labeled(String, Vec<String>, PyReadonlyArray1<'py, u32>, String),
}

impl ColumnArrays<'_> {
    pub(crate) fn source(self) -> Result<SourceColumn, Failure> {
        Ok(match self {
            Self::Numbers(name, values) => {
                SourceColumn { name, values: SourceValues::Numbers(entries(&values, "a column")?) }
            }
            Self::Labeled(name, labels, codes, what) => {
                let codes = entries(&codes, "codes")?;
                let values = match what.as_str() {
                    "texts" => SourceValues::Texts { texts: labels, codes },
                    what => SourceValues::Categories { labels, codes, is_ordered: what == "ordered" },
                };
                SourceColumn { name, values }
            }
        })
    }
}

impl Data {
    /// What a model is fitted to.
    pub(crate) fn sample(&self) -> Result<Sample, Failure> {
        Ok(Sample::new(self.names.clone(), self.labels.clone(), self.observations.clone())?)
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    pub(crate) fn choice(&self) -> Option<&str> {
        self.choice.as_deref()
    }
}

#[pymethods]
impl Data {
    /// The code of a missing value.
    #[classattr]
    const MISSING: u32 = SourceValues::MISSING;

    /// A file.
    #[staticmethod]
    fn read(py: Python<'_>, path: &str, settings: ReadingSettings) -> Result<Self, Failure> {
        let (reading, wanted) = settings.reading()?;
        py.detach(|| {
            let data = Self::new(Dataset::read(path, &reading).map_err(refused)?, path, &reading, wanted)?;
            Ok(Self { is_file: true, ..data })
        })
    }

    /// A covariance matrix, row-major, of so many rows.
    #[staticmethod]
    fn of_covariance(
        names: Vec<String>,
        matrix: PyReadonlyArray1<'_, f64>,
        rows: usize,
        settings: ReadingSettings,
    ) -> Result<Self, Failure> {
        let (reading, wanted) = settings.reading()?;
        let matrix = entries(&matrix, "the covariance matrix")?;
        let data = Covariance::new(names, matrix, rows).and_then(|data| data.into_dataset(SOURCE, &reading));
        Self::new(data.map_err(refused)?, SOURCE, &reading, wanted)
    }

    /// Statistics.
    #[staticmethod]
    fn of_statistics(statistics: &Statistics, settings: ReadingSettings) -> Result<Self, Failure> {
        let (reading, wanted) = settings.reading()?;
        let data = statistics.inner.clone().into_dataset("the statistics", &reading);
        Self::new(data.map_err(refused)?, "the statistics", &reading, wanted)
    }
}

/// What messages call data that are not in a file.
pub(crate) const SOURCE: &str = "the data";

impl Data {
    fn new(data: Dataset, source: &str, reading: &Reading, wanted: Use) -> Result<Self, Failure> {
        let faults = if wanted.is_sample { data.sample_faults() } else { data.faults() };
        if !faults.is_empty() {
            return Err(Failure::new(faults_text(source, &faults, keyword)));
        }
        let (names, choice, kind) = (data.names().to_vec(), data.choice(), data.kind());
        let columns = data.columns().iter();
        let columns = columns.map(|column| (column.kind.name(), column.missing, column.is_ordered)).collect();
        let (notes, fingerprint) = (data.notes().to_vec(), data.fingerprint().to_owned());
        let findings = data.warnings();
        let (rows, warnings) = (data.rows(), finding_texts(&findings, keyword));
        let missing = findings.iter().find_map(gaps);
        let plain_warnings = plackett_report::data_warnings(&data);
        let interventions = data.interventions().map(|told| {
            let observed = told.row_targets().filter(|targets| targets.is_empty()).count();
            let set = |target: usize| (names[target].clone(), told.rows() - told.kept_rows(target));
            (observed, told.targets().into_iter().map(set).collect())
        });
        let labels = data.labels();
        let (observations, rows_held) = if wanted.is_sample {
            (data.sample().map_err(refused)?.observations().clone(), None)
        } else if wanted.is_resampled {
            let rows = data.resampler(wanted.centering).map_err(refused)?;
            (rows.observations().clone(), Some(rows))
        } else {
            (data.observations(wanted.centering).map_err(refused)?, None)
        };
        Ok(Self {
            observations,
            labels,
            rows_held,
            source: source.to_owned(),
            kind,
            centering: wanted.centering,
            reading: reading.clone(),
            is_file: false,
            plain_warnings,
            names,
            warnings,
            choice,
            columns,
            notes,
            fingerprint,
            rows,
            missing,
            interventions,
        })
    }
}

/// Data that arrive in batches.
#[pyclass(module = "plackett._plackett")]
pub(crate) struct Batches {
    builder: Option<DatasetBuilder>,
    reading: Reading,
    wanted: Use,
}

#[pymethods]
impl Batches {
    #[new]
    fn new(settings: ReadingSettings) -> Result<Self, Failure> {
        let (reading, wanted) = settings.reading()?;
        Ok(Self { builder: Some(DatasetBuilder::new(SOURCE, &reading)), reading, wanted })
    }

    /// Takes one more.
    fn push(&mut self, py: Python<'_>, columns: Vec<ColumnArrays<'_>>) -> Result<(), Failure> {
        let columns = columns.into_iter().map(ColumnArrays::source).collect::<Result<Vec<_>, _>>()?;
        let builder = self.builder.as_mut().ok_or_else(spent)?;
        py.detach(|| builder.push(columns)).map_err(refused)
    }

    /// All of them as data to learn from.
    fn data(&mut self, py: Python<'_>) -> Result<Data, Failure> {
        let (builder, wanted) = (self.builder.take().ok_or_else(spent)?, self.wanted);
        let reading = &self.reading;
        py.detach(|| Data::new(builder.finish().map_err(refused)?, SOURCE, reading, wanted))
    }

    /// All of them summed up.
    fn statistics(&mut self, py: Python<'_>) -> Result<Statistics, Failure> {
        let builder = self.builder.take().ok_or_else(spent)?;
        py.detach(|| Statistics::of(builder.finish().map_err(refused)?))
    }
}

fn spent() -> Failure {
    Failure::new("these batches were put together already".to_owned())
}

/// The library's refusal in the words of the Python half.
pub(crate) fn refused(error: Error) -> Failure {
    match error {
        Error::Unfit { file, faults } => Failure::new(faults_text(&file, &faults, keyword)),
        Error::Misfit { setting: "no_center", reason } => Failure::new(format!("center=False {reason}")),
        Error::Misfit { setting: "bootstrap", reason } => Failure::new(format!("bootstrap {reason}")),
        error => error.into(),
    }
}

/// What a finding says of missing values.
fn gaps(finding: &Finding) -> Option<Gaps> {
    let Concern::Incomplete { counts, rows, complete, treatment } = &finding.concern else { return None };
    let method = match treatment {
        Treatment::LeftOut => "drop",
        Treatment::Moments | Treatment::AllRows => "em",
        Treatment::OwnCategory => "category",
    };
    Some((method, counts.iter().map(|(_, count)| count).sum(), *rows, *complete, treatment.assumption()))
}

/// Characters of a remedy's names that are spelled out; more are not to be typed.
const MOST_SPELLED: usize = 500;

/// A remedy as a keyword of `learn_dag`.
fn keyword(remedy: &Remedy) -> String {
    let spelled = |names: &[String], value: &str| {
        let mut texts = Vec::new();
        let mut length = 0;
        for name in names {
            let text = format!("{name:?}{value}");
            length += text.len();
            if length > MOST_SPELLED {
                texts.push("...".to_owned());
                break;
            }
            texts.push(text);
        }
        texts.join(", ")
    };
    match remedy {
        Remedy::Drop(names) => format!("drop=[{}]", spelled(names, "")),
        Remedy::DropRows(rows) => {
            format!("missing=\"drop\" keeps {rows} row{}", if *rows == 1 { "" } else { "s" })
        }
        Remedy::Categorical(names) => format!("kinds={{{}}}", spelled(names, ": \"categories\"")),
        Remedy::Em(rows) => format!("missing=\"em\" keeps all {rows}"),
        Remedy::OwnCategory(rows) => format!("missing=\"category\" keeps all {rows}"),
        Remedy::MissingMark(text) => format!("na=[{text:?}]"),
        Remedy::NoWeights => "weights=None".to_owned(),
        _ => String::new(),
    }
}
