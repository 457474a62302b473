//! Covariance matrices in place of rows: a number of rows, names, and the lower triangle of the matrix or the whole of it. All
//! that linear scores need, and no more.

use plackett::run::Run;

use super::reading::Reading;
use super::source::wanted;
use super::{Column, Dataset, Kind};
use crate::error::{Error, Place, Problem, Result};
use crate::gram::{GramBuilder, Moments, Weights};
use crate::pace::Pace;

/// Entries may be rounded by a reader's or a printer's hand: what is short of positive by less than this share of a variance
/// passes.
const TOLERANCE: f64 = 1e-6;

/// The matrix, and what is left of it while it is looked at.
const TABLES: u128 = 2;

/// The covariance matrix of named columns.
///
/// # Example
/// ```
/// use plackett_dag::{Dataset, dataset::{Covariance, Reading}, gram::Centering};
///
/// let names = vec!["a".to_owned(), "b".to_owned()];
/// let data = Covariance::new(names, vec![1.0, 0.5, 0.5, 2.0], 100)?.into_dataset("matrix", &Reading::default())?;
/// assert_eq!((data.rows(), data.observations(Centering::Center)?.columns()), (100, 2));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Covariance {
    pub(super) names: Vec<String>,
    pub(super) matrix: Vec<f64>,
    pub(super) rows: usize,
}

impl Covariance {
    /// A matrix, row-major, of the covariances (or correlations) in so many rows.
    ///
    /// # Errors
    /// [`Error::Misfit`] unless it has a row and a column for each name, and is such that data can have it: symmetric, and
    /// positive semi-definite up to rounding.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::dataset::Covariance;
    ///
    /// let names = vec!["a".to_owned(), "b".to_owned()];
    /// assert!(Covariance::new(names, vec![1.0, 2.0, 2.0, 1.0], 100).is_err(), "a correlation of 2");
    /// ```
    pub fn new(names: Vec<String>, matrix: Vec<f64>, rows: usize) -> Result<Self> {
        Self::within(names, matrix, rows, &Run::default())
    }

    /// As [`Covariance::new`], unless the run is over before all is looked at.
    fn within(names: Vec<String>, matrix: Vec<f64>, rows: usize, run: &Run<'_>) -> Result<Self> {
        let nodes = names.len();
        if matrix.len() != nodes * nodes || nodes == 0 {
            return Err(refused(format!(
                "has {} entries for {nodes} names: it must be square",
                matrix.len()
            )));
        }
        if rows < 2 {
            return Err(refused(format!("is said to be of {rows} rows: at least two are needed")));
        }
        for row in 0..nodes {
            for column in 0..=row {
                let (below, above) = (matrix[row * nodes + column], matrix[column * nodes + row]);
                let scale = (matrix[row * nodes + row] * matrix[column * nodes + column]).abs().sqrt();
                if !below.is_finite() || (below - above).abs() > TOLERANCE * scale {
                    let (a, b) = (crate::text::shown(&names[row]), crate::text::shown(&names[column]));
                    return Err(refused(format!(
                        "has {below} and {above} for \"{a}\" and \"{b}\": it must be symmetric and finite"
                    )));
                }
            }
        }
        check_positive(&names, &matrix, run)?;
        Ok(Self { names, matrix, rows })
    }

    /// Reads lines: a number of rows, unless `reading` says it, names, and the lower triangle or the whole matrix, each row
    /// perhaps after its name.
    pub(super) fn parse(text: &str, file: &str, reading: &Reading, run: &Run<'_>) -> Result<Self> {
        let refused = |line: Option<u64>, message: String| {
            let place = Place { file: file.to_owned(), line, column: None };
            Error::Content { place, problem: Problem::Covariance { message } }
        };
        let mut lines = lines(text).peekable();
        let count = lines.next_if(|(_, fields)| number_of_rows(fields).is_some());
        let rows = reading.covariance_rows.or_else(|| count.and_then(|(_, fields)| number_of_rows(&fields)));
        let Some(rows) = rows else {
            return Err(refused(None, "it does not begin with the number of rows".to_owned()));
        };
        let Some((line, mut names)) = lines.next() else {
            return Err(refused(None, "there are no names".to_owned()));
        };
        if names.first().is_some_and(String::is_empty) {
            names.remove(0);
        }
        let is_number = |name: &String| name.parse::<f64>().is_ok();
        if names.iter().all(is_number) || names.iter().any(String::is_empty) {
            return Err(refused(Some(line), "names are needed here, one for each column".to_owned()));
        }
        let nodes = names.len();
        // As many as there are: names alone are no reason to make room for their square.
        let mut seen: Vec<Vec<f64>> = Vec::new();
        for (line, mut fields) in lines {
            let found = seen.len();
            if run.is_over() {
                return Err(Problem::OutOfTime { rows: seen.len(), are_all: false }.in_file(file));
            }
            if found == nodes {
                return Err(refused(Some(line), format!("there are more rows than the {nodes} names")));
            }
            if fields.len() > 1 && fields[0] == names[found] && !is_number(&fields[0]) {
                fields.remove(0);
            }
            while fields.len() > found + 1 && fields.last().is_some_and(String::is_empty) {
                fields.pop();
            }
            if fields.len() != found + 1 && fields.len() != nodes {
                let wanted = format!("{} numbers of a triangle, or {nodes} of a whole matrix", found + 1);
                return Err(refused(Some(line), format!("{} fields in place of {wanted}", fields.len())));
            }
            let number = |field: &String| {
                let is_none = || format!("\"{}\" is not a number", crate::text::shown(field));
                field.parse::<f64>().map_err(|_| refused(Some(line), is_none()))
            };
            seen.push(fields.iter().map(number).collect::<Result<_>>()?);
        }
        if seen.len() < nodes {
            return Err(refused(None, format!("there are {} rows for {nodes} names", seen.len())));
        }
        let bytes = (nodes as u128).pow(2) * size_of::<f64>() as u128;
        plackett::memory::check("the covariance matrix", TABLES * bytes)?;
        // What a triangle leaves out is the same on the other side; what a whole matrix has there is compared with it.
        let entry = |at: usize| {
            let (row, column) = (at / nodes, at % nodes);
            seen[row].get(column).copied().unwrap_or_else(|| seen[column][row])
        };
        let matrix = (0..nodes * nodes).map(entry).collect();
        Self::within(names, matrix, rows, run).map_err(|error| match error {
            Error::Misfit { reason, .. } => refused(None, format!("it {reason}")),
            error => error,
        })
    }

    /// Data to learn from; `source` is what messages call them.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`] if `reading` names a column that is not there, and [`Error::Misfit`] if it asks for what needs
    /// rows.
    pub fn into_dataset(self, source: &str, reading: &Reading) -> Result<Dataset> {
        let wanted = wanted(&self.names, reading)?;
        for (setting, is_given) in [
            ("weights", reading.weights.is_some()),
            ("interventions", reading.interventions.is_some()),
            ("discretize", reading.discretize.is_some()),
            ("categorical", !reading.categorical.is_empty() || reading.kind == Some(Kind::Categories)),
        ] {
            if is_given {
                let reason = "needs rows, and a covariance matrix has none".to_owned();
                return Err(Error::Misfit { setting, reason });
            }
        }
        let names: Vec<String> = wanted.iter().map(|&at| self.names[at].clone()).collect();
        let note = format!("the covariance matrix of {} rows", self.rows);
        let columns = names.iter().map(|name| Column::of_moments(name.clone(), 0)).collect();
        Ok(Dataset::of_moments(source, columns, self.moments(&wanted), false, vec![note]))
    }

    /// The moments of these columns, about means that are not known.
    pub(super) fn moments(&self, columns: &[usize]) -> GramBuilder {
        let (nodes, weight) = (self.names.len(), self.rows as f64);
        let scatter = columns
            .iter()
            .flat_map(|&row| columns.iter().map(move |&column| self.matrix[row * nodes + column] * weight));
        GramBuilder::from_moments(Moments {
            rows: self.rows,
            weights: Weights { total: weight, squares: weight, are_whole: true },
            origin: vec![0.0; columns.len()],
            means: vec![0.0; columns.len()],
            scatter: scatter.collect(),
            minima: columns.iter().map(|&at| -self.matrix[at * nodes + at].sqrt()).collect(),
            maxima: columns.iter().map(|&at| self.matrix[at * nodes + at].sqrt()).collect(),
        })
    }
}

/// Whether the beginning of a file is a number of rows, names, and a triangle.
pub(super) fn is_covariance(head: &[u8], is_whole: bool) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut lines: Vec<Vec<String>> = lines(&text).map(|(_, fields)| fields).collect();
    // The last line may be cut off.
    if !is_whole {
        lines.pop();
    }
    let [count, names, rows @ ..] = &lines[..] else { return false };
    let is_triangle = |(place, row): (usize, &Vec<String>)| {
        row.len() == place + 1 && row.iter().all(|field| field.parse::<f64>().is_ok())
    };
    number_of_rows(count).is_some()
        && names.len() > 1
        && names.iter().all(|name| name.parse::<f64>().is_err())
        && rows.len() > 1
        && rows.len() <= names.len()
        && (!is_whole || rows.len() == names.len())
        && rows.iter().enumerate().all(is_triangle)
}

fn number_of_rows(fields: &[String]) -> Option<usize> {
    let [count] = fields else { return None };
    count.parse().ok()
}

/// The lines that say something, with their numbers, divided into fields.
fn lines(text: &str) -> impl Iterator<Item = (u64, Vec<String>)> {
    let unquoted = |field: &str| field.trim().trim_matches('"').to_owned();
    text.trim_start_matches('\u{feff}')
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty() && !line.starts_with(['#', '%', '/']))
        .map(move |(line, number)| {
            let delimiter = [',', ';', '\t'].into_iter().find(|&mark| line.contains(mark));
            let fields = match delimiter {
                Some(mark) => line.split(mark).map(unquoted).collect(),
                None => line.split_whitespace().map(unquoted).collect(),
            };
            (number, fields)
        })
}

/// What is wrong with a matrix.
fn refused(reason: String) -> Error {
    Error::Misfit { setting: "covariance", reason }
}

/// Looks for a negative direction of a symmetric matrix, by elimination.
fn check_positive(names: &[String], matrix: &[f64], run: &Run<'_>) -> Result<()> {
    let negative = |node: usize| {
        let name = crate::text::shown(&names[node]);
        refused(format!("is that of no data: it is not positive semi-definite, which shows at \"{name}\""))
    };
    let out_of_time = || refused("is too large to be looked at in the time there was: allow more".to_owned());
    let nodes = names.len();
    let mut pace = Pace::new(run);
    let mut rest = matrix.to_vec();
    for pivot in 0..nodes {
        let variance = matrix[pivot * nodes + pivot];
        let left = rest[pivot * nodes + pivot];
        if variance < 0.0 || left < -TOLERANCE * variance {
            return Err(negative(pivot));
        }
        let is_spent = left <= TOLERANCE * variance;
        // The entries below the pivot, side by side.
        let below: Vec<f64> = (pivot + 1..nodes).map(|row| rest[row * nodes + pivot]).collect();
        for (row, entry) in (pivot + 1..nodes).zip(&below) {
            pace.spend(row - pivot).ok_or_else(out_of_time)?;
            if is_spent {
                // What is a function of the columns before varies with no other.
                if entry.abs() > TOLERANCE.sqrt() * (variance * matrix[row * nodes + row]).sqrt() {
                    return Err(negative(row));
                }
                continue;
            }
            let factor = entry / left;
            let target = &mut rest[row * nodes + pivot + 1..=row * nodes + row];
            target.iter_mut().zip(&below).for_each(|(entry, other)| *entry -= factor * other);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> std::result::Result<Covariance, String> {
        Covariance::parse(text, "d", &Reading::default(), &Run::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_triangle_and_the_whole_matrix_are_the_same() {
        let triangle = parse("100\na b c\n1\n.5 2\n-.25 0 4\n").unwrap();
        assert_eq!(triangle.matrix, [1.0, 0.5, -0.25, 0.5, 2.0, 0.0, -0.25, 0.0, 4.0]);
        assert_eq!((triangle.rows, &triangle.names[..]), (100, &["a", "b", "c"].map(str::to_owned)[..]));
        for text in [
            "/CovarianceMatrix\n100\na,b,c\n1,,\n.5,2,\n-.25,0,4\n",
            "100\n\"\",\"a\",\"b\",\"c\"\n\"a\",1,.5,-.25\n\"b\",.5,2,0\n\"c\",-.25,0,4\n",
            "# by hand\n100\na\tb\tc\n1\t.5\t-.25\n.5\t2\t0\n-.25\t0\t4\n",
        ] {
            assert_eq!(parse(text).unwrap(), triangle, "{text}");
        }
        let told = Reading { covariance_rows: Some(100), ..Reading::default() };
        let text = "a b c\n1\n.5 2\n-.25 0 4\n";
        assert_eq!(Covariance::parse(text, "d", &told, &Run::default()).unwrap(), triangle);
        assert!(is_covariance(b"100\na b c\n1\n.5 2\n-.25 0 4\n", true));
        assert!(is_covariance(b"100\na b c\n1\n.5 2\n-.2", false));
        assert!(!is_covariance(b"100\na b c\n1\n.5 2\n", true));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, wanted) in [
            ("a b\n1\n.5 2\n", "does not begin with the number of rows"),
            ("100\n1 2\n1\n.5 2\n", "line 2: this is no covariance matrix: names"),
            ("100\na b\n1\n.5 x\n", "line 4: this is no covariance matrix: \"x\" is not a number"),
            ("100\na b\n1\n", "there are 1 rows for 2 names"),
            ("100\na b\n1\n1 2\n3 4\n", "line 5: this is no covariance matrix: there are more rows"),
            ("100\na b c\n1\n.5 2 3 4\n", "4 fields in place of 2"),
            ("100\na b\n1 2\n.5 2\n", "symmetric"),
            ("100\na b\n1\n5 2\n", "positive semi-definite, which shows at \"b\""),
            ("100\na b c\n1\n1 1\n1 0 1\n", "positive semi-definite, which shows at \"c\""),
            ("1\na b\n1\n.5 2\n", "at least two"),
        ] {
            let found = parse(text).unwrap_err();
            assert!(found.contains(wanted), "{text:?}: {found}");
        }
        assert!(parse("100\na b\n1\n1 1\n").is_ok(), "copies are data");
    }
}
