//! Cutting numbers into categories, for who wants all columns to be categories.

use std::str::FromStr;

use super::rows::RowSet;
use crate::error::{Error, Result};
use crate::text::number_text;

/// How numbers are cut into categories.
///
/// # Example
/// ```
/// use plackett_dag::{Dataset, dataset::{Discretize, Kind, Reading}};
///
/// let reading = Reading { discretize: Some(Discretize { bins: 2, .."quantile".parse()? }), ..Reading::default() };
/// let data = Dataset::from_reader("a,b\n0.1,x\n0.2,y\n0.3,x\n9.5,y\n".as_bytes(), "data.csv", &reading)?;
/// assert_eq!(data.kind(), Some(Kind::Categories));
/// assert_eq!(data.categories(0).unwrap().1, [0, 0, 1, 1]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discretize {
    /// Where the cuts are.
    pub method: Cuts,
    /// How many categories, from 2 to 256; fewer come out where values are repeated.
    pub bins: usize,
}

/// Where numbers are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cuts {
    /// So that about equally many rows are in each category.
    Quantile,
    /// So that each category is equally wide.
    EqualWidth,
}

impl Discretize {
    /// The words for the methods.
    pub const NAMES: [&str; 2] = ["quantile", "equal-width"];

    /// Categories unless another number is given: low, middle and high.
    pub const DEFAULT_BINS: usize = 3;

    /// Refuses a number of categories that cannot be.
    ///
    /// # Errors
    /// [`Error::Misfit`].
    ///
    /// # Example
    /// ```
    /// use plackett_dag::dataset::Discretize;
    /// assert!("quantile".parse::<Discretize>()?.with_bins(1).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn with_bins(self, bins: usize) -> Result<Self> {
        if (2..=256).contains(&bins) {
            return Ok(Self { bins, ..self });
        }
        Err(Error::Misfit { setting: "bins", reason: format!("is {bins}: it must be from 2 to 256") })
    }

    /// The labels of the categories, the code of each row, and the rows of which nothing is known.
    pub(super) fn cut(self, numbers: &[f64]) -> (Vec<String>, Vec<u8>, RowSet) {
        let mut sorted: Vec<f64> = numbers.iter().copied().filter(|number| number.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut cuts = match (sorted.first(), sorted.last()) {
            (Some(&low), Some(&high)) => {
                let inner = 1..self.bins.min(256);
                match self.method {
                    // Halves first: the width itself may not be finite.
                    Cuts::EqualWidth => inner
                        .map(|at| {
                            let share = at as f64 / self.bins as f64;
                            low * (1.0 - share) + high * share
                        })
                        .collect::<Vec<f64>>(),
                    Cuts::Quantile => inner.map(|at| sorted[at * sorted.len() / self.bins]).collect(),
                }
            }
            _ => Vec::new(),
        };
        // A cut at the lowest value would leave nothing below it.
        cuts.retain(|&cut| sorted.first().is_some_and(|&low| cut > low));
        cuts.dedup();
        let mut missing = RowSet::default();
        let code = |(row, number): (usize, &f64)| {
            if number.is_nan() {
                missing.insert(row);
                return 0;
            }
            cuts.partition_point(|cut| cut <= number) as u8
        };
        let codes = numbers.iter().enumerate().map(code).collect();
        let label = |at: usize| match (at.checked_sub(1).map(|below| cuts[below]), cuts.get(at)) {
            (None, None) => "all".to_owned(),
            (None, Some(&above)) => format!("below {}", short(above)),
            (Some(below), None) => format!("from {}", short(below)),
            (Some(below), Some(&above)) => format!("from {} to below {}", short(below), short(above)),
        };
        ((0..=cuts.len()).map(label).collect(), codes, missing)
    }
}

/// Six digits are enough to tell categories apart by.
fn short(number: f64) -> String {
    number_text(format!("{number:.5e}").parse().unwrap_or(number))
}

impl FromStr for Discretize {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let method = match text {
            "quantile" => Cuts::Quantile,
            "equal-width" => Cuts::EqualWidth,
            _ => {
                return Err(Error::Misfit {
                    setting: "discretize",
                    reason: format!(
                        "is \"{}\": it must be one of {}",
                        crate::text::shown(text),
                        Self::NAMES.join(", ")
                    ),
                });
            }
        };
        Ok(Self { method, bins: Self::DEFAULT_BINS })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_where_they_should_be() {
        let numbers = [5.0, 1.0, f64::NAN, 2.0, 4.0, 3.0, 100.0];
        let cut = |method, bins| Discretize { method, bins }.cut(&numbers);
        let (labels, codes, missing) = cut(Cuts::Quantile, 3);
        assert_eq!(labels, ["below 3", "from 3 to below 5", "from 5"]);
        assert_eq!(codes, [2, 0, 0, 0, 1, 1, 2]);
        assert!(missing.contains(2) && missing.len() == 1);
        let (labels, codes, _) = cut(Cuts::EqualWidth, 2);
        assert_eq!((labels[0].as_str(), codes), ("below 50.5", vec![0, 0, 0, 0, 0, 0, 1]));
        // Values that repeat leave fewer categories, and a constant one.
        let same = Discretize { method: Cuts::Quantile, bins: 4 };
        assert_eq!(same.cut(&[7.0; 9]).0, ["all"]);
        assert_eq!(same.cut(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]).0.len(), 2);
        assert_eq!(same.cut(&[f64::MIN, f64::MAX]).0.len(), 2);
    }
}
