//! Joint effects by linear models: every node between the causes and the outcome is regressed on its parents, and a change of the causes is
//! passed on along the arrows. Regressions of different nodes are independent of each other in large samples, so that by the delta method
//! each adds a variance of its own; together they have the freedom of Satterthwaite (1946).

use std::collections::HashMap;

use super::super::estimate::{quantile, robust, value};
use super::{Asked, JointValue, Part};
use crate::learning::Observations;
use crate::model::least_squares::{LeastSquares, Moments};
use crate::{Error, Result};

/// A column of a design: a node's number, or the indicator of one of its levels.
type Column = (usize, Option<usize>);

/// The regressions of a node on its parents.
struct Fitted {
    node: usize,
    /// The columns of its parents.
    design: Vec<Column>,
    /// One for each of its own columns.
    fits: Vec<LeastSquares>,
    /// The covariance of the coefficients of what it passes on to the outcome.
    covariance: Vec<f64>,
}

pub(super) fn answer(asked: &Asked<'_>) -> Result<JointValue> {
    let mut weights: HashMap<Column, f64> = HashMap::new();
    let mut nodes: Vec<Fitted> = Vec::with_capacity(asked.between.len());
    // What a column passes on is known once all that it leads to is.
    for &node in asked.between.iter().rev() {
        let passed: Vec<f64> = asked
            .columns(node)
            .iter()
            .map(
                |column| {
                    if node == asked.outcome { 1.0 } else { weights.get(column).copied().unwrap_or(0.0) }
                },
            )
            .collect();
        let fitted = asked.fit(node, &passed)?;
        for (at, column) in fitted.design.iter().enumerate() {
            let slope: f64 =
                fitted.fits.iter().zip(&passed).map(|(fit, passed)| fit.coefficients[at] * passed).sum();
            *weights.entry(*column).or_insert(0.0) += slope;
        }
        nodes.push(fitted);
    }
    nodes.reverse();
    let changed = |cause: usize, change: Option<(usize, usize)>| (cause, change.map(|(_, to)| to));
    let all: Vec<Column> =
        asked.causes.iter().zip(asked.changes).map(|(&cause, &change)| changed(cause, change)).collect();
    let parts = all.iter().map(|&column| asked.part(&nodes, &[column])).collect();
    let rows = nodes.last().map_or(0.0, |node| node.fits[0].rows);
    Ok(JointValue::new(parts, asked.part(&nodes, &all), rows))
}

impl Asked<'_> {
    /// The columns that stand for a node: itself, or an indicator of each level but one, which for causes is that they are changed from. Of an
    /// outcome that is a category it is the indicator of the state that is looked at.
    fn columns(&self, node: usize) -> Vec<Column> {
        let levels = self.labels(node).len();
        if levels == 0 {
            return vec![(node, None)];
        }
        if node == self.outcome {
            return vec![(node, self.state)];
        }
        let place = self.causes.iter().position(|&cause| cause == node);
        let reference = place.and_then(|place| self.changes[place]).map_or(0, |(from, _)| from);
        (0..levels).filter(|&level| level != reference).map(|level| (node, Some(level))).collect()
    }

    fn at(&self, (node, level): Column, row: usize) -> f64 {
        let found = value(self.sample.values(self.places[node]), row);
        level.map_or(found, |level| f64::from(u8::from(found == level as f64)))
    }

    /// The regressions of a node of whose columns so much is passed on to the outcome.
    fn fit(&self, node: usize, passed: &[f64]) -> Result<Fitted> {
        let parents = self.cut.parents(node);
        let design: Vec<Column> = parents.iter().flat_map(|&parent| self.columns(parent)).collect();
        let own = self.columns(node);
        let family = self.family(node);
        let size = design.len();
        let Some(rows) = self.sample.telling(&family, &family[family.len() - 1..]) else {
            let Observations::Numbers(gram) = self.sample.observations() else {
                let reason = "the rows are not held, and the effect cannot be told from moments";
                return Err(Error::Question { reason: reason.to_owned() });
            };
            let found = Moments::of_gram(gram, &family).regress_last();
            return self.checked(node, design, vec![found], passed, None);
        };
        let filled = |row: usize, values: &mut [f64], outcome: f64| {
            values.iter_mut().zip(&design).for_each(|(value, &column)| *value = self.at(column, row));
            values[size] = outcome;
        };
        let fit = |outcome: &dyn Fn(usize) -> f64| {
            Moments::of_rows(size + 1, &rows, |row, values| filled(row, values, outcome(row))).regress_last()
        };
        let fits: Vec<LeastSquares> = own.iter().map(|&column| fit(&|row| self.at(column, row))).collect();
        // Of indicators what they pass on together has variances that differ from row to row.
        let covariance = own[0].1.is_some().then(|| {
            let together = |row: usize| {
                own.iter().zip(passed).map(|(&column, passed)| passed * self.at(column, row)).sum()
            };
            robust(&fit(&together), &rows, |row, values| filled(row, values, together(row)))
        });
        self.checked(node, design, fits, passed, covariance)
    }

    /// The same if the data tell what is asked.
    fn checked(
        &self,
        node: usize,
        design: Vec<Column>,
        fits: Vec<LeastSquares>,
        passed: &[f64],
        covariance: Option<Vec<f64>>,
    ) -> Result<Fitted> {
        let first = &fits[0];
        if first.freedom <= 0.0 || first.freedom.is_nan() {
            let reason = format!(
                "{} rows are too few for the regression of \"{}\" on its parents, which takes {} coefficients",
                first.rows,
                self.name(node),
                design.len() + 1
            );
            return Err(Error::Question { reason });
        }
        let is_asked =
            |&(member, _): &Column| self.causes.contains(&member) || self.between.contains(&member);
        let aliased = design
            .iter()
            .zip(&first.is_aliased)
            .find(|(column, is_aliased)| **is_aliased && is_asked(column));
        if let Some((&(member, _), _)) = aliased {
            let reason = format!(
                "the data cannot tell what \"{}\" does to \"{}\": it does not vary, or the other parents tell it already",
                self.name(member),
                self.name(node)
            );
            return Err(Error::Question { reason });
        }
        let scale = passed[0] * passed[0] * first.variance;
        let covariance =
            covariance.unwrap_or_else(|| first.inverse.iter().map(|entry| entry * scale).collect());
        Ok(Fitted { node, design, fits, covariance })
    }

    /// The effect of raising some columns of the causes by one.
    fn part(&self, nodes: &[Fitted], raised: &[Column]) -> Part {
        let mut change: HashMap<Column, f64> = raised.iter().map(|&column| (column, 1.0)).collect();
        let (mut variance, mut spread, mut effect) = (0.0, 0.0, 0.0);
        for fitted in nodes {
            let size = fitted.design.len();
            let shift: Vec<f64> =
                fitted.design.iter().map(|column| change.get(column).copied().unwrap_or(0.0)).collect();
            for (column, fit) in self.columns(fitted.node).into_iter().zip(&fitted.fits) {
                let moved = fit.coefficients.iter().zip(&shift).map(|(slope, shift)| slope * shift).sum();
                change.insert(column, moved);
                // Not −0.
                effect = moved + 0.0;
            }
            let form: f64 = (0..size)
                .flat_map(|a| (0..size).map(move |b| (a, b)))
                .map(|(a, b)| shift[a] * shift[b] * fitted.covariance[a * size + b])
                .sum();
            variance += form.max(0.0);
            spread += form * form / fitted.fits[0].freedom;
        }
        let standard_error = variance.sqrt();
        let freedom =
            if self.state.is_some() || spread <= 0.0 { f64::INFINITY } else { variance * variance / spread };
        let reach = quantile(self.level, freedom) * standard_error;
        Part { effect, standard_error, low: effect - reach, high: effect + reach }
    }
}
