//! How data are to be read: what the caller says, each of which is otherwise told from the data.

use std::str::FromStr;

use super::{Discretize, Kind, Targets};
use crate::error::{Error, Result};

/// How to read data. What is not said is told from the data themselves.
///
/// # Example
/// ```
/// use plackett_dag::{Dataset, dataset::Reading};
///
/// let reading = Reading { drop: vec!["day".into()], ..Reading::default() };
/// let data = Dataset::from_reader("day;x;y\n1;0,5;2\n2;1,5;1\n3;0,1;5\n".as_bytes(), "data.csv", &reading)?;
/// assert_eq!(data.names(), ["x", "y"]);
/// assert_eq!(data.numbers(0).unwrap(), [0.5, 1.5, 0.1]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// What stands between fields.
    pub delimiter: Option<Delimiter>,
    /// Whether numbers have a comma in place of the point.
    pub decimal_comma: Option<bool>,
    /// Whether the first record holds the names of the columns.
    pub header: Option<bool>,
    /// The columns to read, in this order; all if not given.
    pub columns: Option<Vec<String>>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// What every column is.
    pub kind: Option<Kind>,
    /// Columns that are categories, whatever they look like.
    pub categorical: Vec<String>,
    /// Columns that are numbers, however few they are.
    pub numeric: Vec<String>,
    /// The texts that stand for a missing value, beside an empty field.
    pub missing_marks: Option<Vec<String>>,
    /// What to do where values are missing.
    pub missing: Missing,
    /// What columns are that could be either, being few different whole numbers.
    pub lean: Option<Kind>,
    /// Whether and how to cut numbers into categories.
    pub discretize: Option<Discretize>,
    /// The column that says how much each row counts. Whole weights are numbers of rows; others are relative to one another.
    pub weights: Option<String>,
    /// What tells which columns were set from outside in which rows.
    pub interventions: Option<Targets>,
    /// Whether a file holds a covariance matrix, which is otherwise told from its shape.
    pub covariance: bool,
    /// The rows that a covariance matrix is of, if its file does not say.
    pub covariance_rows: Option<usize>,
    /// The most bytes for rows, 1 GiB unless said otherwise. Of more numbers, only what their moments need is kept.
    pub most_bytes: Option<usize>,
}

/// Bytes for rows, unless another limit is given.
const MOST_BYTES: usize = 1 << 30;

impl Reading {
    pub(super) fn most_bytes(&self) -> usize {
        self.most_bytes.unwrap_or(MOST_BYTES)
    }

    /// Whether the caller says that a column holds categories.
    pub(super) fn is_categorical(&self, name: &str) -> bool {
        let is_told = self.categorical.iter().any(|other| other == name);
        is_told || self.kind == Some(Kind::Categories) && !self.numeric.iter().any(|other| other == name)
    }

    /// Whether rows are needed for more than their sums and counts.
    pub(super) fn needs_rows(&self) -> bool {
        self.discretize.is_some()
            || self.interventions.is_some()
            || matches!(self.missing, Missing::Em | Missing::Category)
    }

    /// The columns that tell of interventions.
    pub(super) fn target_columns(&self) -> Vec<String> {
        self.interventions.as_ref().map(Targets::columns).unwrap_or_default()
    }

    /// Takes every column as one kind.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, dataset::{Kind, Reading}};
    ///
    /// let reading = Reading::all(Kind::Categories);
    /// let data = Dataset::from_reader("a,b\n1,x\n2,y\n".as_bytes(), "data.csv", &reading)?;
    /// assert_eq!(data.columns()[0].kind, Kind::Categories);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn all(kind: Kind) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }
}

/// What stands between fields.
///
/// # Example
/// ```
/// use plackett_dag::dataset::Delimiter;
///
/// assert_eq!("tab".parse::<Delimiter>()?, Delimiter::Byte(b'\t'));
/// assert_eq!(";".parse::<Delimiter>()?, Delimiter::Byte(b';'));
/// assert!("and".parse::<Delimiter>().is_err());
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// One byte of ASCII.
    Byte(u8),
    /// Spaces and tabs, as many as there are.
    Blanks,
}

impl FromStr for Delimiter {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "comma" => Ok(Self::Byte(b',')),
            "tab" | "\\t" => Ok(Self::Byte(b'\t')),
            "semicolon" => Ok(Self::Byte(b';')),
            "pipe" => Ok(Self::Byte(b'|')),
            "blanks" | "space" | " " => Ok(Self::Blanks),
            _ => match text.as_bytes() {
                &[byte]
                    if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"\"\r\n.+-".contains(&byte) =>
                {
                    Ok(Self::Byte(byte))
                }
                _ => Err(Error::Misfit {
                    setting: "delimiter",
                    reason: format!(
                        "is \"{}\", which is none of comma, tab, semicolon, pipe, blanks or one character",
                        crate::text::shown(text)
                    ),
                }),
            },
        }
    }
}

/// What to do where values are missing.
///
/// # Example
/// ```
/// assert_eq!("drop".parse::<plackett_dag::dataset::Missing>()?, plackett_dag::dataset::Missing::Drop);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// Nothing is learned.
    #[default]
    Error,
    /// The rows in which they are missing are left out.
    Drop,
    /// All rows are used: by the moments that the EM algorithm finds, or, for categories alone, by drawing what is missing from
    /// the graph learned before until it stays the same.
    Em,
    /// A missing value is a category of its own.
    Category,
}

impl Missing {
    /// The words for them.
    pub const NAMES: [&str; 4] = ["error", "drop", "em", "category"];

    /// The word for it.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

impl FromStr for Missing {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "error" => Ok(Self::Error),
            "drop" => Ok(Self::Drop),
            "em" => Ok(Self::Em),
            "category" => Ok(Self::Category),
            _ => Err(Error::Misfit {
                setting: "missing",
                reason: format!(
                    "is \"{}\": it must be one of {}",
                    crate::text::shown(text),
                    Self::NAMES.join(", ")
                ),
            }),
        }
    }
}
