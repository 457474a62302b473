//! What an effect is once its adjustment set is known: by a linear model of the outcome on the cause and the set, or, where all of them are
//! categories, by standardization, P(y | do(x)) = Σ_z P(y | x, z) P(z).

use std::collections::HashMap;

use super::{EffectValue, Expected, Level, Shown};
use crate::dataset::{ColumnValues, Sample};
use crate::learning::Observations;
use crate::model::least_squares::{LeastSquares, Moments};
use crate::tails::{normal_quantile, student_quantile};
use crate::{Error, Result};

/// What P(y | x) counts for, in rows, in each P(y | x, z): where a stratum has no row with this cause, it stands in.
const PRIOR: f64 = 1.0;

/// The most cells of strata, causes and outcomes, 512 MB of them.
const MOST_CELLS: usize = 1 << 26;

/// Beyond so many degrees of freedom Student's t is normal.
const MANY: f64 = 1e6;

/// What an effect is estimated from: columns of the data.
pub(super) struct Question<'a> {
    pub(super) sample: &'a Sample,
    pub(super) cause: usize,
    pub(super) outcome: usize,
    pub(super) set: &'a [usize],
    /// Columns that must not have been set from outside.
    pub(super) followers: &'a [usize],
    pub(super) shown: &'a Shown,
    pub(super) level: f64,
}

impl Question<'_> {
    pub(super) fn answer(&self) -> Result<EffectValue> {
        let all = || self.set.iter().chain([&self.cause, &self.outcome]);
        if all().all(|&column| !self.sample.is_numeric(column)) { self.standardized() } else { self.linear() }
    }

    fn names(&self) -> Vec<String> {
        self.set.iter().map(|&column| self.sample.names()[column].clone()).collect()
    }

    /// The value where the cause does not lead to the outcome: what is expected is the same whatever is done.
    pub(super) fn absent(&self) -> EffectValue {
        let columns = [self.outcome];
        let rows = self.sample.telling(&columns, self.followers);
        let expected: Vec<Expected> = match rows {
            None => Vec::new(),
            Some(rows) => {
                let total: f64 = rows.iter().map(|row| row.1).sum();
                let shares = self.outcome_columns().into_iter().map(|state| {
                    let fill = |row: usize, values: &mut [f64]| values[0] = self.outcome_value(row, state);
                    let moments = Moments::of_rows(1, &rows, fill);
                    let mean = moments.regress_last().intercept;
                    let reach =
                        quantile(self.level, f64::INFINITY) * (moments.last_variance() / total).sqrt();
                    self.expected(state, mean, reach)
                });
                shares.collect()
            }
        };
        let levels = self.sample.labels(self.cause).iter();
        EffectValue {
            effect: 0.0,
            standard_error: 0.0,
            low: 0.0,
            high: 0.0,
            adjustment: Vec::new(),
            is_absent: true,
            rows: self.sample.total() as f64,
            unsupported: 0.0,
            levels: levels.map(|level| Level { cause: level.clone(), expected: expected.clone() }).collect(),
        }
    }

    /// The states of a category that is the outcome; of numbers there is one mean.
    fn outcome_columns(&self) -> Vec<Option<usize>> {
        match self.sample.labels(self.outcome).len() {
            0 => vec![None],
            states => (0..states).map(Some).collect(),
        }
    }

    /// The outcome's number, or whether it is in a state.
    fn outcome_value(&self, row: usize, state: Option<usize>) -> f64 {
        let value = value(self.sample.values(self.outcome), row);
        state.map_or(value, |state| f64::from(u8::from(value == state as f64)))
    }

    fn expected(&self, state: Option<usize>, value: f64, reach: f64) -> Expected {
        let (low, high) = (value - reach, value + reach);
        let Some(state) = state else { return Expected { state: None, value, low, high } };
        Expected {
            state: Some(self.sample.labels(self.outcome)[state].clone()),
            value,
            low: low.max(0.0),
            high: high.min(1.0),
        }
    }

    /// A linear model of the outcome, or of the probability of one of its states, on the cause and the adjustment set; categories among
    /// these are indicators.
    fn linear(&self) -> Result<EffectValue> {
        let columns: Vec<usize> = [self.cause].into_iter().chain(self.set.iter().copied()).collect();
        let design: Vec<(usize, Option<usize>)> =
            columns.iter().flat_map(|&column| self.indicators(column)).collect();
        let of_cause = self.indicators(self.cause).len();
        let all: Vec<usize> = columns.iter().copied().chain([self.outcome]).collect();
        let Some(rows) = self.sample.telling(&all, self.followers) else {
            return self.linear_of_moments(&all);
        };
        let fill_predictors = |row: usize, values: &mut [f64]| {
            for (target, &(column, level)) in values.iter_mut().zip(&design) {
                let value = value(self.sample.values(column), row);
                *target = level.map_or(value, |level| f64::from(u8::from(value == level as f64)));
            }
        };
        let fit = |state: Option<usize>| {
            let fill = |row: usize, values: &mut [f64]| {
                fill_predictors(row, values);
                values[design.len()] = self.outcome_value(row, state);
            };
            let moments = Moments::of_rows(design.len() + 1, &rows, fill);
            let found = moments.regress_last();
            let covariance = match state {
                None => found.inverse.iter().map(|entry| entry * found.variance).collect(),
                Some(_) => robust(&found, &rows, fill),
            };
            let mean_variance = match state {
                None => found.variance / found.rows,
                Some(_) => moments.last_variance() / found.rows,
            };
            Linear { found, covariance, of_cause, mean_variance }
        };
        if rows.len() < 2 {
            return Err(self.too_few(rows.len() as f64, design.len()));
        }
        let main = fit(self.shown.state);
        if main.found.freedom <= 0.0 {
            return Err(self.too_few(main.found.rows, design.len()));
        }
        let freedom = if self.shown.state.is_some() { f64::INFINITY } else { main.found.freedom };
        let place = match self.shown.change {
            None => 0,
            Some((_, to)) => {
                self.indicators(self.cause).iter().position(|level| level.1 == Some(to)).unwrap_or(0)
            }
        };
        if main.found.is_aliased[place] {
            return Err(self.untold());
        }
        let mut levels = Vec::new();
        if !self.sample.labels(self.cause).is_empty() {
            let fits: Vec<(Option<usize>, Linear)> =
                self.outcome_columns().into_iter().map(|state| (state, fit(state))).collect();
            for (level, cause) in self.sample.labels(self.cause).iter().enumerate() {
                let column = self.indicators(self.cause).iter().position(|at| at.1 == Some(level));
                let expected = fits.iter().map(|(state, linear)| {
                    let (mean, deviation) = linear.expected(column);
                    self.expected(*state, mean, quantile(self.level, freedom) * deviation)
                });
                levels.push(Level { cause: cause.clone(), expected: expected.collect() });
            }
        }
        let effect = main.found.coefficients[place];
        let error = main.covariance[place * design.len() + place].max(0.0).sqrt();
        Ok(self.value(effect, error, freedom, main.found.rows, levels))
    }

    fn linear_of_moments(&self, columns: &[usize]) -> Result<EffectValue> {
        let Observations::Numbers(gram) = self.sample.observations() else {
            let reason = "the rows are not held, and the effect cannot be told from moments";
            return Err(Error::Question { reason: reason.to_owned() });
        };
        let found = Moments::of_gram(gram, columns).regress_last();
        if found.freedom <= 0.0 {
            return Err(self.too_few(found.rows, columns.len() - 1));
        }
        let error = found.error(0).ok_or_else(|| self.untold())?;
        Ok(self.value(found.coefficients[0], error, found.freedom, found.rows, Vec::new()))
    }

    fn value(&self, effect: f64, error: f64, freedom: f64, rows: f64, levels: Vec<Level>) -> EffectValue {
        let reach = quantile(self.level, freedom) * error;
        EffectValue {
            effect,
            standard_error: error,
            low: effect - reach,
            high: effect + reach,
            adjustment: self.names(),
            is_absent: false,
            rows,
            unsupported: 0.0,
            levels,
        }
    }

    fn too_few(&self, rows: f64, coefficients: usize) -> Error {
        let (cause, outcome) = (&self.sample.names()[self.cause], &self.sample.names()[self.outcome]);
        let reason = format!(
            "{rows} rows are too few for the effect of \"{cause}\" on \"{outcome}\", which takes {} coefficients",
            coefficients + 1
        );
        Error::Question { reason }
    }

    fn untold(&self) -> Error {
        let cause = &self.sample.names()[self.cause];
        let reason = format!(
            "the data cannot tell the effect of \"{cause}\": it does not vary, or what is adjusted for tells it already"
        );
        Error::Question { reason }
    }

    /// The columns of the design that stand for a column: itself, or an indicator of each level but one. Of the cause that is the level
    /// that it is changed from.
    fn indicators(&self, column: usize) -> Vec<(usize, Option<usize>)> {
        let levels = self.sample.labels(column).len();
        if levels == 0 {
            return vec![(column, None)];
        }
        let reference = if column == self.cause { self.shown.change.map_or(0, |(from, _)| from) } else { 0 };
        (0..levels).filter(|&level| level != reference).map(|level| (column, Some(level))).collect()
    }

    /// Standardization over the strata that the adjustment set makes.
    fn standardized(&self) -> Result<EffectValue> {
        let (causes, outcomes) =
            (self.sample.labels(self.cause).len(), self.sample.labels(self.outcome).len());
        let all: Vec<usize> = self.set.iter().copied().chain([self.cause, self.outcome]).collect();
        let rows = self.sample.telling(&all, self.followers).unwrap_or_default();
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut cells: Vec<f64> = Vec::new();
        #[expect(clippy::cast_sign_loss, reason = "codes")]
        for &(row, weight) in &rows {
            let key: Vec<u8> =
                self.set.iter().map(|&column| value(self.sample.values(column), row) as u8).collect();
            let next = places.len();
            let stratum = *places.entry(key).or_insert(next);
            if stratum == next {
                let needed = (next + 1).saturating_mul(causes * outcomes);
                if needed > MOST_CELLS {
                    let reason = format!(
                        "the adjustment set makes more than {next} strata, and the {MOST_CELLS} cells that are allowed are full: \
                         ask for the minimal adjustment set"
                    );
                    return Err(Error::Question { reason });
                }
                cells.resize(needed, 0.0);
            }
            let cause = value(self.sample.values(self.cause), row) as usize;
            let outcome = value(self.sample.values(self.outcome), row) as usize;
            cells[(stratum * causes + cause) * outcomes + outcome] += weight;
        }
        let strata = Strata { cells, causes, outcomes, total: rows.iter().map(|row| row.1).sum() };
        let (from, to) = self.shown.change.unwrap_or_default();
        for level in [from, to] {
            if strata.of_cause(level) <= 0.0 {
                let reason = format!(
                    "\"{}\" is never \"{}\" in these data",
                    self.sample.names()[self.cause],
                    self.sample.labels(self.cause)[level]
                );
                return Err(Error::Question { reason });
            }
        }
        let state = self.shown.state.unwrap_or_default();
        let (effect, variance) = strata.contrast(state, to, Some(from));
        let reach = quantile(self.level, f64::INFINITY);
        let level = |cause: usize| {
            let expected = (0..outcomes).map(|outcome| {
                let (mean, variance) = strata.contrast(outcome, cause, None);
                self.expected(Some(outcome), mean, reach * variance.sqrt())
            });
            Level { cause: self.sample.labels(self.cause)[cause].clone(), expected: expected.collect() }
        };
        let levels = (0..causes).filter(|&cause| strata.of_cause(cause) > 0.0).map(level).collect();
        let unsupported = strata.unsupported(from).max(strata.unsupported(to));
        let value = self.value(effect, variance.sqrt(), f64::INFINITY, strata.total, levels);
        Ok(EffectValue { unsupported, low: value.low.max(-1.0), high: value.high.min(1.0), ..value })
    }
}

/// A value, or its code; the rows asked for have it.
pub(super) fn value(values: Option<ColumnValues<'_>>, row: usize) -> f64 {
    values.and_then(|values| values.get(row)).unwrap_or(0.0)
}

/// A linear model whose first predictors are those of the cause.
struct Linear {
    found: LeastSquares,
    covariance: Vec<f64>,
    of_cause: usize,
    /// The variance of the outcome's mean.
    mean_variance: f64,
}

impl Linear {
    /// What is expected where the cause has the level of one of its columns, or none of them, and its standard deviation.
    fn expected(&self, column: Option<usize>) -> (f64, f64) {
        let size = self.found.coefficients.len();
        let shift: Vec<f64> = (0..self.of_cause)
            .map(|at| f64::from(u8::from(Some(at) == column)) - self.found.means[at])
            .collect();
        let mean: f64 = self.found.intercept
            + self
                .found
                .coefficients
                .iter()
                .zip(&self.found.means)
                .map(|(slope, mean)| slope * mean)
                .sum::<f64>();
        let value =
            mean + shift.iter().zip(&self.found.coefficients).map(|(x, slope)| x * slope).sum::<f64>();
        let form: f64 = (0..self.of_cause)
            .flat_map(|a| (0..self.of_cause).map(move |b| (a, b)))
            .map(|(a, b)| shift[a] * shift[b] * self.covariance[a * size + b])
            .sum();
        (value, (self.mean_variance + form).max(0.0).sqrt())
    }
}

/// The covariance of coefficients whose errors have variances of their own, as those of probabilities do (HC1).
pub(super) fn robust(
    found: &LeastSquares,
    rows: &[(usize, f64)],
    fill: impl Fn(usize, &mut [f64]),
) -> Vec<f64> {
    let size = found.coefficients.len();
    let total: f64 = rows.iter().map(|row| row.1).sum();
    let mut values = vec![0.0; size + 1];
    let mut meat = vec![0.0; size * size];
    for &(row, weight) in rows {
        fill(row, &mut values);
        let fitted: f64 =
            found.intercept + found.coefficients.iter().zip(&values).map(|(b, x)| b * x).sum::<f64>();
        let square = (values[size] - fitted).powi(2) * weight * found.rows / total;
        values.iter_mut().zip(&found.means).for_each(|(value, mean)| *value -= mean);
        for a in 0..size {
            for b in 0..size {
                meat[a * size + b] += square * values[a] * values[b];
            }
        }
    }
    let correction = found.rows / found.freedom.max(1.0);
    let product = |x: &[f64], y: &[f64]| -> Vec<f64> {
        let entry = |a: usize, b: usize| (0..size).map(|c| x[a * size + c] * y[c * size + b]).sum();
        (0..size).flat_map(|a| (0..size).map(move |b| (a, b))).map(|(a, b)| entry(a, b)).collect()
    };
    let sandwich = product(&product(&found.inverse, &meat), &found.inverse);
    sandwich.into_iter().map(|entry| entry * correction).collect()
}

/// How often each outcome occurred with each cause, stratum by stratum.
struct Strata {
    cells: Vec<f64>,
    causes: usize,
    outcomes: usize,
    total: f64,
}

impl Strata {
    fn rows_of(&self, cause: usize) -> impl Iterator<Item = &[f64]> {
        self.cells.chunks_exact(self.outcomes).skip(cause).step_by(self.causes)
    }

    /// In how many rows the cause has a level.
    fn of_cause(&self, cause: usize) -> f64 {
        self.rows_of(cause).flatten().sum()
    }

    /// The share of rows whose stratum never has the cause at a level.
    fn unsupported(&self, cause: usize) -> f64 {
        let strata = self.cells.chunks_exact(self.outcomes * self.causes).zip(self.rows_of(cause));
        let without = strata.filter(|(_, cells)| cells.iter().sum::<f64>() <= 0.0);
        without.map(|(stratum, _)| stratum.iter().sum::<f64>()).sum::<f64>() / self.total
    }

    /// P(outcome | do(to)), less P(outcome | do(from)) if that is given, and its variance by the delta method: that of the shares in the
    /// strata, and that of how frequent the strata are.
    fn contrast(&self, outcome: usize, to: usize, from: Option<usize>) -> (f64, f64) {
        let overall = |cause: usize| {
            self.rows_of(cause).map(|cells| cells[outcome]).sum::<f64>()
                / self.of_cause(cause).max(f64::MIN_POSITIVE)
        };
        let share = |cells: &[f64], overall: f64| {
            let rows: f64 = cells.iter().sum::<f64>() + PRIOR;
            let share = (cells[outcome] + PRIOR * overall) / rows;
            (share, share * (1.0 - share) / rows)
        };
        let (to_overall, from_overall) = (overall(to), from.map(overall));
        let (mut mean, mut square, mut within) = (0.0, 0.0, 0.0);
        for stratum in self.cells.chunks_exact(self.outcomes * self.causes) {
            let weight = stratum.iter().sum::<f64>() / self.total;
            let cells = |cause: usize| &stratum[cause * self.outcomes..][..self.outcomes];
            let (mut difference, mut variance) = share(cells(to), to_overall);
            if let (Some(from), Some(from_overall)) = (from, from_overall) {
                let (other, other_variance) = share(cells(from), from_overall);
                difference -= other;
                variance += other_variance;
            }
            mean += weight * difference;
            square += weight * difference * difference;
            within += weight * weight * variance;
        }
        (mean, within + (square - mean * mean).max(0.0) / self.total)
    }
}

/// How many standard errors an interval of a level reaches to either side.
pub(super) fn quantile(level: f64, freedom: f64) -> f64 {
    let tail = 0.5 - 0.5 * level;
    if freedom > 0.0 && freedom < MANY { student_quantile(tail, freedom) } else { normal_quantile(tail) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (level, freedom, table) in [
            (0.95, 1.0, 12.706_204_736_4),
            (0.9, 5.0, 2.015_048_373_3),
            (0.95, 30.0, 2.042_272_456_3),
            (0.99, 1000.0, 2.580_754_698_1),
            (0.95, f64::INFINITY, 1.959_963_984_5),
        ] {
            assert!(
                (quantile(level, freedom) - table).abs() < 1e-6,
                "{level} {freedom}: {}",
                quantile(level, freedom)
            );
        }
    }

    /// Two strata by hand: P(y | do(x)) = ½·8/11 + ½·2/11 and so on with the prior.
    #[test]
    fn standardization_is_the_weighted_sum_over_strata() {
        // Strata × causes × outcomes.
        let cells = vec![2.0, 8.0, 6.0, 4.0, 9.0, 1.0, 3.0, 7.0];
        let strata = Strata { cells, causes: 2, outcomes: 2, total: 40.0 };
        let overall = [9.0 / 20.0, 11.0 / 20.0];
        let share = |count: f64, cause: usize| (count + overall[cause]) / 11.0;
        let (to, from) = (0.5 * (share(4.0, 1) + share(7.0, 1)), 0.5 * (share(8.0, 0) + share(1.0, 0)));
        let (found, variance) = strata.contrast(1, 1, Some(0));
        assert!((found - (to - from)).abs() < 1e-15 && variance > 0.0);
        assert_eq!(strata.unsupported(0), 0.0);
    }
}
