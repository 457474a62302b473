//! What there is to say about columns of data before a graph is learned from them: faults that stand in the way, warnings, and
//! for each the remedies that exist. How a remedy is spelled belongs to whoever offers it: a flag, or a keyword.

use std::fmt;

use crate::text::{counted, listed, number_text, shown};

/// One thing to know about some columns, or about the data as a whole.
///
/// # Example
/// ```
/// use plackett_dag::finding::{Concern, Finding};
///
/// let finding = Finding { columns: vec!["age".into()], concern: Concern::TooLarge };
/// assert_eq!(finding.to_string(), "column \"age\": the values are too large for their squares to be finite");
/// assert!(finding.is_fault());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The columns that it is about; none if it is about the data as a whole.
    pub columns: Vec<String>,
    /// What it is.
    pub concern: Concern,
}

/// Where in the source a value stands.
///
/// # Example
/// ```
/// use plackett_dag::finding::Where;
///
/// assert_eq!((Where::Line(3).to_string(), Where::Row(0).to_string()), ("line 3".to_owned(), "row 0".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Where {
    /// A line of a file, the first being 1.
    Line(u64),
    /// A row in memory, the first being 0.
    Row(u64),
}

impl fmt::Display for Where {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// What can be said about columns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Concern {
    /// There is no second column.
    OnlyColumn,
    /// There is no second row.
    OnlyRow,
    /// All values are the same.
    Constant,
    /// The values differ, by less than is left of them when squares are summed.
    TooFine,
    /// The column is another one shifted and scaled.
    Copy {
        /// The name of the column, further left, of which it is a copy.
        original: String,
        /// Their correlation, 1 or −1 up to rounding.
        correlation: f64,
    },
    /// The column has more different values than categories can have, in statistics, which keep them all.
    TooManyCategories {
        /// The most there may be.
        most: usize,
    },
    /// The column has more different values than categories can have: the rare ones are one category together.
    Lumped {
        /// Different values.
        different: usize,
        /// Those that are categories of their own.
        kept: usize,
        /// Whether they are dates.
        are_dates: bool,
    },
    /// Categories have more rows than can be counted.
    TooManyRows {
        /// The most there may be.
        most: usize,
    },
    /// A column of numbers holds something else here and there.
    NotNumbers {
        /// The first such text.
        text: String,
        /// Where it is, if that is known.
        place: Option<Where>,
        /// How often there is such a text.
        count: usize,
        /// Rows.
        rows: usize,
    },
    /// A column of numbers holds infinite ones.
    Infinite {
        /// The first of them as it is written.
        text: String,
        /// Where it is, if that is known.
        place: Option<Where>,
    },
    /// The squares of the numbers are not finite.
    TooLarge,
    /// Values are missing.
    Missing {
        /// The columns in which they are and how many there, the most first.
        counts: Vec<(String, usize)>,
        /// The first of them: its column, its place and what is written there.
        first: (String, Option<Where>, String),
        /// Rows.
        rows: usize,
        /// Rows in which none is missing.
        complete: usize,
        /// Whether all the columns in which they are hold categories.
        are_categories: bool,
        /// Whether all rows can be used all the same: they are held, and have no weights.
        can_estimate: bool,
        /// Columns of few whole numbers in which a word such as "none" was taken for a missing value.
        perhaps_words: Vec<String>,
    },
    /// Values are missing, and something was done about it.
    Incomplete {
        /// The columns in which they are and how many there, the most first.
        counts: Vec<(String, usize)>,
        /// Rows.
        rows: usize,
        /// Rows in which none is missing.
        complete: usize,
        /// What was done.
        treatment: Treatment,
    },
    /// The column divides the rows as another one does.
    SameCategories {
        /// The name of the column, further left, of which it is a copy.
        original: String,
    },
    /// The column has too many categories for its rows.
    Crowded {
        /// Categories.
        categories: usize,
        /// Rows.
        rows: usize,
    },
    /// The column is nearly another one shifted and scaled.
    NearCopy {
        /// The name of the column, further left.
        original: String,
        /// Their correlation.
        correlation: f64,
    },
    /// The column numbers the rows or names them.
    Id,
    /// The column holds dates.
    Date,
    /// A value far from all others comes more than once, as marks of missing values do.
    Sentinel {
        /// The value.
        value: f64,
        /// How often it comes.
        count: usize,
    },
    /// Few different whole numbers were taken for numbers.
    Codes,
    /// A few values are so far out that they decide the moments.
    HeavyTails,
    /// A column without a name was given one.
    Unnamed,
    /// A row's weight is negative or not finite.
    BadWeight {
        /// The first such weight.
        value: f64,
    },
    /// Rows have weights, and numbers stand beside categories.
    WeightedMixed {
        /// The columns of numbers.
        numbers: Vec<String>,
        /// The columns of categories.
        categories: Vec<String>,
    },
    /// What tells of interventions names columns that are not there.
    UnknownTargets {
        /// The names.
        names: Vec<String>,
    },
    /// What should say whether a column was set from outside does not.
    NotIndicator {
        /// The first such text.
        text: String,
        /// The column.
        target: String,
    },
    /// Interventions are told of rows that are not there.
    NoSuchRows {
        /// The first of them.
        first: usize,
        /// The last.
        last: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// A column was set from outside in so many rows that nothing tells of its parents.
    AlwaysSet {
        /// Rows in which it was not.
        kept: usize,
    },
    /// There are no more rows than columns.
    FewRows {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
}

/// What is done about missing values.
///
/// # Example
/// ```
/// use plackett_dag::finding::Treatment;
/// assert_eq!(Treatment::LeftOut.assumption(), "values are missing completely at random");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// Rows are left out.
    LeftOut,
    /// The moments of all rows are estimated by EM.
    Moments,
    /// Rows of categories are used by what is there in each.
    AllRows,
    /// A missing value is a category of its own.
    OwnCategory,
}

impl Treatment {
    /// What is assumed by it.
    pub fn assumption(self) -> &'static str {
        match self {
            Self::LeftOut => "values are missing completely at random",
            Self::AllRows => "whether a value is missing depends on what is observed only",
            Self::Moments => {
                "whether a value is missing depends on what is observed only, and the columns are Gaussian"
            }
            Self::OwnCategory => "a missing value means something of its own",
        }
    }
}

/// What can be done about a [`Finding`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remedy {
    /// Leave these columns out.
    Drop(Vec<String>),
    /// Leave out the rows in which a value is missing; so many are left.
    DropRows(usize),
    /// Estimate the moments of all rows, so many.
    Em(usize),
    /// Take a missing value as a category of its own, in all rows, so many.
    OwnCategory(usize),
    /// Take these columns as categories.
    Categorical(Vec<String>),
    /// Take this text for a missing value.
    MissingMark(String),
    /// Let every row count once.
    NoWeights,
}

impl Finding {
    /// Something about the data as a whole.
    pub(crate) fn whole(concern: Concern) -> Self {
        Self { columns: Vec::new(), concern }
    }

    /// Something about one column.
    pub(crate) fn of(column: &str, concern: Concern) -> Self {
        Self { columns: vec![column.to_owned()], concern }
    }

    /// Whether nothing can be learned before it is mended.
    pub fn is_fault(&self) -> bool {
        use Concern::{
            AlwaysSet, BadWeight, Infinite, Missing, NoSuchRows, NotIndicator, NotNumbers, OnlyColumn,
            OnlyRow, TooLarge, TooManyCategories, TooManyRows, UnknownTargets, WeightedMixed,
        };
        matches!(
            self.concern,
            OnlyColumn
                | OnlyRow
                | BadWeight { .. }
                | UnknownTargets { .. }
                | NotIndicator { .. }
                | NoSuchRows { .. }
                | AlwaysSet { .. }
                | WeightedMixed { .. }
                | TooManyCategories { .. }
                | TooManyRows { .. }
                | NotNumbers { .. }
                | Infinite { .. }
                | TooLarge
                | Missing { .. }
        )
    }

    /// What can be done about it, the best first.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::finding::{Concern, Finding, Remedy};
    ///
    /// let finding = Finding { columns: vec!["age".into()], concern: Concern::Constant };
    /// assert_eq!(finding.remedies(), [Remedy::Drop(vec!["age".into()])]);
    /// ```
    pub fn remedies(&self) -> Vec<Remedy> {
        let drop = || Remedy::Drop(self.columns.clone());
        match &self.concern {
            Concern::OnlyColumn
            | Concern::OnlyRow
            | Concern::TooManyRows { .. }
            | Concern::HeavyTails
            | Concern::Unnamed
            | Concern::BadWeight { .. }
            | Concern::UnknownTargets { .. }
            | Concern::NotIndicator { .. }
            | Concern::NoSuchRows { .. }
            | Concern::Incomplete { .. }
            | Concern::FewRows { .. } => Vec::new(),
            Concern::Constant
            | Concern::TooFine
            | Concern::AlwaysSet { .. }
            | Concern::Copy { .. }
            | Concern::TooManyCategories { .. }
            | Concern::Lumped { .. }
            | Concern::TooLarge
            | Concern::SameCategories { .. }
            | Concern::Crowded { .. }
            | Concern::NearCopy { .. }
            | Concern::Id
            | Concern::Date => vec![drop()],
            Concern::NotNumbers { text, count, rows, .. } => {
                // A word that comes often is no slip.
                let mark = (count * ROWS_PER_SLIP <= *rows).then(|| Remedy::MissingMark(text.clone()));
                mark.into_iter().chain([Remedy::Categorical(self.columns.clone()), drop()]).collect()
            }
            Concern::Infinite { text, .. } => vec![Remedy::MissingMark(text.clone()), drop()],
            Concern::Missing {
                counts, rows, complete, are_categories, can_estimate, perhaps_words, ..
            } => {
                let columns = counts.iter().map(|(name, _)| name.clone()).collect();
                let em = can_estimate.then_some(Remedy::Em(*rows));
                let own = are_categories.then_some(Remedy::OwnCategory(*rows));
                let others = [Remedy::DropRows(*complete), Remedy::Drop(columns)];
                let words = (!perhaps_words.is_empty()).then(|| Remedy::Categorical(perhaps_words.clone()));
                em.into_iter().chain(own).chain(others).chain(words).collect()
            }
            Concern::WeightedMixed { numbers, categories } => {
                let drop = |names: &[String], others: &[String]| {
                    (others.len() > 1).then(|| Remedy::Drop(names.to_vec()))
                };
                let drops = drop(categories, numbers).into_iter().chain(drop(numbers, categories));
                drops.chain([Remedy::NoWeights]).collect()
            }
            Concern::Sentinel { value, .. } => vec![Remedy::MissingMark(number_text(*value))],
            Concern::Codes => vec![Remedy::Categorical(self.columns.clone())],
        }
    }

    /// The column's name as a message has it, or the names.
    fn subject(&self) -> String {
        match &self.columns[..] {
            [only] => format!("column \"{}\"", shown(only)),
            columns => format!("columns {}", listed(columns)),
        }
    }
}

impl fmt::Display for Finding {
    #[expect(clippy::too_many_lines, reason = "a text for each concern")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = self.subject();
        // A verb for one column or for several.
        let (is, holds) = if self.columns.len() == 1 { ("is", "holds") } else { ("are", "hold") };
        let at = |place: &Option<Where>| place.map_or(String::new(), |place| format!("{place}, "));
        match &self.concern {
            Concern::OnlyColumn => {
                write!(f, "{} is the only column; a graph needs at least two", listed(&self.columns))
            }
            Concern::OnlyRow => f.write_str("there is only one row; nothing can be learned from it"),
            Concern::Constant => {
                write!(f, "{subject} {is} constant, so that no edge leads there or from there")
            }
            Concern::TooFine => write!(
                f,
                "{subject}: the values differ by less than sums of squares can show, so that no edge leads there or from there; take a \
                 constant off them, or write them in a smaller unit"
            ),
            Concern::BadWeight { value } => {
                write!(f, "{subject}: the weight {value} is negative or not finite")
            }
            Concern::UnknownTargets { names } => {
                if !self.columns.is_empty() {
                    write!(f, "{subject}: ")?;
                }
                let (is, columns) = if names.len() == 1 {
                    ("is", "no column that is")
                } else {
                    ("are", "no columns that are")
                };
                let quoted: Vec<String> = names.iter().map(|name| format!("\"{}\"", shown(name))).collect();
                write!(f, "{} {is} {columns} learned from", quoted.join(", "))
            }
            Concern::NotIndicator { text, target } => write!(
                f,
                "{subject}: {} does not say whether \"{}\" was set; 1 or 0, true or false, yes or no would",
                if text.is_empty() { "an empty field".to_owned() } else { format!("\"{}\"", shown(text)) },
                shown(target)
            ),
            Concern::NoSuchRows { first, last, rows } => {
                write!(f, "rows {first} to {last} are said to have targets, and the rows are 1 to {rows}")
            }
            Concern::AlwaysSet { kept } => {
                write!(f, "{subject} was set in all rows but {kept}: nothing tells of its parents")
            }
            Concern::WeightedMixed { numbers, categories } => write!(
                f,
                "{subject} weighs the rows, and the scores of numbers beside categories count each row once: numbers {}; \
                 categories {}",
                listed(numbers),
                listed(categories)
            ),
            Concern::Copy { original, correlation } => write!(
                f,
                "{subject} is a copy of column \"{}\" up to shift and scale (correlation {}): directions among them mean nothing",
                shown(original),
                correlation.signum()
            ),
            Concern::TooManyCategories { most } => {
                write!(f, "{subject} {holds} too many different words: categories are {most} at most")
            }
            Concern::Lumped { different, kept: 0, are_dates } => {
                let what = if *are_dates { "dates" } else { "values, as names do" };
                write!(
                    f,
                    "{subject} {holds} {different} different {what}, none of them twice: no edge leads there or from there"
                )
            }
            Concern::Lumped { different, kept, are_dates } => {
                let what = if *are_dates { "dates" } else { "values" };
                write!(
                    f,
                    "{subject} {holds} {different} different {what}: the {kept} most frequent are categories, and the others \
                     together one"
                )
            }
            Concern::TooManyRows { most } => write!(f, "categorical data may have {most} rows at most"),
            Concern::NotNumbers { text, place, count, .. } => {
                write!(f, "{}{subject}: \"{}\" is not a number", at(place), shown(text))?;
                if *count > 1 { write!(f, ", and {} more", counted(count - 1, "field")) } else { Ok(()) }
            }
            Concern::Infinite { text, place } => {
                write!(f, "{}{subject}: {} is not a finite number", at(place), shown(text))
            }
            Concern::TooLarge => {
                write!(f, "{subject}: the values are too large for their squares to be finite")
            }
            Concern::Missing {
                counts, first: (column, place, text), rows, complete, can_estimate, ..
            } => {
                let text = if text.is_empty() { "empty field".to_owned() } else { shown(text) };
                write!(f, "{}column \"{}\": the value is missing ({text}); ", at(place), shown(column))?;
                f.write_str(&gaps_text(counts, *rows, *complete))?;
                if *can_estimate {
                    return Ok(());
                }
                f.write_str("; rows that have weights, or of which some columns were set, or that are too many to be held, cannot be used \
                     without them")
            }
            Concern::Incomplete { counts, rows, complete, treatment } => {
                let what = match treatment {
                    Treatment::LeftOut => "these rows are left out",
                    Treatment::Moments => "the moments of all rows are estimated by EM",
                    Treatment::AllRows => "all rows are used, each by what is there in it",
                    Treatment::OwnCategory => "a missing value is taken as a category of its own",
                };
                let gaps = gaps_text(counts, *rows, *complete);
                write!(f, "{gaps}; {what}, which assumes that {}", treatment.assumption())
            }
            Concern::SameCategories { original } => write!(
                f,
                "{subject} tells the same as column \"{}\": directions among them mean nothing",
                shown(original)
            ),
            Concern::Crowded { categories, rows } => write!(
                f,
                "{subject} has {categories} categories in {rows} rows: too many for it to show parents or children"
            ),
            Concern::NearCopy { original, correlation } => write!(
                f,
                "{subject} is nearly a copy of column \"{}\" (correlation {correlation:.5}): directions among them mean \
                 little",
                shown(original)
            ),
            Concern::Id => write!(f, "{subject} {holds} a different value in every row, as row numbers do"),
            Concern::Date => write!(f, "{subject} {holds} dates, each a category of its own"),
            Concern::Sentinel { value, count } => write!(
                f,
                "{subject} holds {} {count} times, far from all other values: it may stand for missing values",
                number_text(*value)
            ),
            Concern::Codes => {
                write!(f, "{subject} {holds} few different whole numbers and {is} taken as numbers")
            }
            Concern::HeavyTails => write!(
                f,
                "{subject} {holds} a few values so far out that they decide everything: look at them, or take logarithms"
            ),
            Concern::Unnamed => write!(f, "{subject} had no name in the file"),
            Concern::FewRows { rows, columns } => write!(
                f,
                "{} for {}: too few to tell causes from chance; take the graph as a list of suspicions",
                counted(*rows, "row"),
                counted(*columns, "column")
            ),
        }
    }
}

/// In how many rows and in which columns values are missing.
fn gaps_text(counts: &[(String, usize)], rows: usize, complete: usize) -> String {
    let gaps = format!("values are missing in {} of {}", rows - complete, counted(rows, "row"));
    // Statistics do not tell of the weights, in which they may have been.
    if counts.is_empty() {
        return gaps;
    }
    format!("{gaps} and {}: {}", counted(counts.len(), "column"), counts_text(counts))
}

/// How many values are missing in each column, for the first few.
fn counts_text(counts: &[(String, usize)]) -> String {
    let shown_counts =
        counts.iter().take(MOST_COUNTS).map(|(name, count)| format!("\"{}\" {count}", shown(name)));
    let text = shown_counts.collect::<Vec<_>>().join(", ");
    let rest = counts.len().saturating_sub(MOST_COUNTS);
    if rest > 0 { format!("{text} and {rest} more") } else { text }
}

/// If at most one in this many values of a column is a word, the word may stand for a missing value.
const ROWS_PER_SLIP: usize = 10;
/// Columns whose missing values are counted in a message.
const MOST_COUNTS: usize = 8;
/// Findings of one kind that are told one by one.
const MOST_ALIKE: usize = 5;

/// Findings as sentences, those of one kind cut where they become many; `spell` writes a remedy as its reader would type it.
///
/// # Example
/// ```
/// use plackett_dag::finding::{Concern, Finding, Remedy, finding_texts};
///
/// let findings = [Finding { columns: vec!["age".into()], concern: Concern::Date }];
/// let flag = |remedy: &Remedy| match remedy {
///     Remedy::Drop(names) => format!("--drop {}", names.join(",")),
///     _ => String::new(),
/// };
/// assert_eq!(finding_texts(&findings, flag), ["column \"age\" holds dates, each a category of its own (--drop age)"]);
/// ```
pub fn finding_texts(findings: &[Finding], spell: impl Fn(&Remedy) -> String) -> Vec<String> {
    let mut texts = Vec::new();
    let mut from = 0;
    while from < findings.len() {
        let kind = std::mem::discriminant(&findings[from].concern);
        let alike =
            findings[from..].iter().take_while(|finding| std::mem::discriminant(&finding.concern) == kind);
        let count = alike.count();
        for finding in &findings[from..from + count.min(MOST_ALIKE)] {
            let remedies: Vec<String> = finding.remedies().iter().map(&spell).collect();
            let end =
                if remedies.is_empty() { String::new() } else { format!(" ({})", remedies.join("; or ")) };
            texts.push(finding.to_string() + &end);
        }
        if count > MOST_ALIKE {
            texts.push(format!("and {} more of that kind", count - MOST_ALIKE));
        }
        from += count;
    }
    texts
}

/// What stands in the way of learning from a file, as an error says it: one line for one fault, a list for several.
///
/// # Example
/// ```
/// use plackett_dag::finding::{Concern, Finding, faults_text};
///
/// let faults = [Finding { columns: vec!["age".into()], concern: Concern::Date }];
/// let text = faults_text("data.csv", &faults, |_| "drop it".into());
/// assert_eq!(text, "data.csv: column \"age\" holds dates, each a category of its own (drop it)");
/// ```
pub fn faults_text(file: &str, faults: &[Finding], spell: impl Fn(&Remedy) -> String) -> String {
    let texts = finding_texts(faults, spell);
    match &texts[..] {
        [only] => in_file(file, only),
        _ => format!("{file}: {} stand in the way\n  {}", counted(faults.len(), "fault"), texts.join("\n  ")),
    }
}

/// A fault with the file before it; a line and a row are places in the file.
pub(crate) fn in_file(file: &str, text: &str) -> String {
    format!("{file}{} {text}", if text.starts_with("line ") || text.starts_with("row ") { "," } else { ":" })
}
