//! Least squares by conjugate gradients, stopped where it predicts best what it has not seen, and scaled so that it does.
//!
//! Every step of conjugate gradients on the features of N orders costs O(N k²) at most and no memory beyond a few vectors, however
//! many coefficients there are. Stopped early it shrinks as ridge regression does, the sooner the more; how soon, and by what factor the
//! prediction is best multiplied, is found on the newest quarter of the orders, which the fit is not shown. A prediction that is
//! worth nothing is so multiplied by nothing. What counts is how the prediction varies, not its level: estimators take off the mean.

use super::{
    Memory,
    features::{Families, Layout},
};
use crate::{
    linear::{add_scaled, dot},
    objective::Terms,
};
use std::ops::Range;

/// Steps at most, and steps without a better prediction after which no more is hoped for.
const MOST_STEPS: usize = 80;
const PATIENCE: usize = 8;
/// Where the squared slope has come down to this share of the first there is nothing left to find: what remains is rounding, and a step along
/// it may be as long as it likes.
const SOLVED: f64 = 1e-22;
/// A step must take this share off the error to be better, for the same reason.
const BETTER: f64 = 1e-6;

/// A first step says where the products are; more would fit the noise, which they are there to leave out.
const PRODUCT_STEPS: usize = 1;
const POWER_STEPS: usize = 30;

/// Room for a fit.
#[derive(Clone, Debug)]
pub(super) struct Room {
    coefficients: Vec<f64>,
    slope: Vec<f64>,
    direction: Vec<f64>,
    /// The direction, scaled as the features are.
    scaled: Vec<f64>,
    /// For every order: what the direction predicts, and what is not explained yet.
    predicted: Vec<f64>,
    rest: Vec<f64>,
    /// A factor for each rank and one for each item, whose products are the closest to the coefficients of positions.
    of_ranks: Vec<f64>,
    of_items: Vec<f64>,
}

/// How the coefficients are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) families: Families,
    /// Whether positions are products of a factor for the rank and one for the item: many fewer numbers to learn.
    pub(super) is_product: bool,
    /// The share of what is remembered, the newest of it, that is fitted to.
    pub(super) share: f64,
}

/// How a fit predicted what it was not shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    pub(super) plan: Plan,
    /// The sum of squared errors, less their mean, and the steps and the factor that it took.
    pub(super) error: f64,
    pub(super) steps: usize,
    scale: f64,
}

impl Room {
    pub(super) fn new(layout: &Layout, window: usize) -> Self {
        let zeros = vec![0.0; layout.length()];
        Self {
            coefficients: zeros.clone(),
            slope: zeros.clone(),
            direction: zeros.clone(),
            scaled: zeros,
            predicted: vec![0.0; window],
            rest: vec![0.0; window],
            of_ranks: vec![0.0; layout.ranks],
            of_items: vec![0.0; layout.items],
        }
    }

    /// Fits on the older three quarters, and looks for the number of steps and the factor that predict the newest best. None at all is a
    /// constant.
    pub(super) fn try_out(&mut self, layout: &Layout, memory: &Memory, plan: Plan) -> Trial {
        let count = memory.count();
        let newest = count - count / 4..count;
        let shown = beginning(count, plan.share)..newest.start;
        let mut best = Trial { plan, error: f64::INFINITY, steps: 0, scale: 0.0 };
        let mut better = |steps: usize, pairs: &mut dyn Iterator<Item = (f64, f64)>| {
            let (error, scale) = scaled_error(pairs);
            if error < (1.0 - BETTER) * best.error {
                best = Trial { plan, error, steps, scale };
            }
            best.steps
        };
        if plan.is_product {
            self.descend(layout, memory, plan.families, shown, PRODUCT_STEPS, |_, _, _| true);
            let terms = self.product(layout);
            let mut pairs = newest.map(|at| (memory.value(at), terms.value(memory.order(at))));
            better(PRODUCT_STEPS, &mut pairs);
            return best;
        }
        self.descend(layout, memory, plan.families, shown, MOST_STEPS, |steps, middle, rest| {
            let mut pairs = newest.clone().map(|at| {
                let value = memory.value(at) - middle;
                (value, value - rest[at])
            });
            steps < better(steps, &mut pairs) + PATIENCE
        });
        best
    }

    /// Fits on all that is remembered, and writes the coefficients; returns the constant.
    pub(super) fn fit(
        &mut self,
        layout: &Layout,
        memory: &Memory,
        trial: Trial,
        coefficients: &mut [f64],
    ) -> f64 {
        let (count, families) = (memory.count(), trial.plan.families);
        let shown = beginning(count, trial.plan.share)..count;
        self.descend(layout, memory, families, shown.clone(), trial.steps, |_, _, _| true);
        if trial.plan.is_product {
            self.product(layout);
            coefficients.copy_from_slice(&self.scaled);
        } else {
            coefficients.copy_from_slice(&self.coefficients);
            layout.scale(coefficients, families);
        }
        coefficients.iter_mut().for_each(|coefficient| *coefficient *= trial.scale);
        let terms = layout.terms(coefficients, 0.0, families);
        mean(shown, |at| memory.value(at) - terms.value(memory.order(at)))
    }

    /// The positions' coefficients as products, the closest that there are, by power iterations.
    fn product(&mut self, layout: &Layout) -> Terms<'_> {
        let Self { coefficients, scaled, of_ranks, of_items, .. } = self;
        let rows = || coefficients.chunks_exact(layout.items).take(layout.ranks);
        let length = |row: &[f64]| row.iter().map(|c| c * c).sum::<f64>();
        if let Some(longest) = rows().max_by(|a, b| length(a).total_cmp(&length(b))) {
            of_items.copy_from_slice(longest);
        }
        for _ in 0..POWER_STEPS {
            let scale = 1.0 / length(of_items).max(f64::MIN_POSITIVE);
            of_ranks.iter_mut().zip(rows()).for_each(|(of_rank, row)| *of_rank = scale * dot(row, of_items));
            let scale = 1.0 / length(of_ranks).max(f64::MIN_POSITIVE);
            of_items.fill(0.0);
            for (of_rank, row) in of_ranks.iter().zip(rows()) {
                add_scaled(of_items, scale * of_rank, row);
            }
        }
        scaled.fill(0.0);
        for (of_rank, row) in of_ranks.iter().zip(scaled.chunks_exact_mut(layout.items)) {
            row.iter_mut().zip(&*of_items).for_each(|(entry, of_item)| *entry = of_rank * of_item);
        }
        layout.scale(scaled, Families::POSITIONS);
        layout.terms(scaled, 0.0, Families::POSITIONS)
    }

    /// Conjugate gradients for the coefficients that explain the values that are `shown`, less their mean. After every step `go_on` sees
    /// that mean, and what is left to explain of all values.
    fn descend(
        &mut self,
        layout: &Layout,
        memory: &Memory,
        families: Families,
        shown: Range<usize>,
        most: usize,
        mut go_on: impl FnMut(usize, f64, &[f64]) -> bool,
    ) {
        let Self { coefficients, slope, direction, scaled, predicted, rest, .. } = self;
        let count = memory.count();
        coefficients.fill(0.0);
        direction.fill(0.0);
        let level = mean(shown.clone(), |at| memory.value(at));
        (0..count).for_each(|at| rest[at] = memory.value(at) - level);
        let (mut steepness, mut first) = (0.0, 0.0);
        for step in 0.. {
            if !go_on(step, level, rest) || step == most {
                return;
            }
            slope.fill(0.0);
            shown.clone().for_each(|at| layout.add(slope, memory.order(at), rest[at], families));
            layout.scale(slope, families);
            let before = std::mem::replace(&mut steepness, slope.iter().map(|s| s * s).sum());
            if step == 0 {
                first = steepness;
            }
            if steepness <= SOLVED * first {
                return;
            }
            let keep = if step == 0 { 0.0 } else { steepness / before };
            direction.iter_mut().zip(&*slope).for_each(|(d, s)| *d = s + keep * *d);
            scaled.copy_from_slice(direction);
            layout.scale(scaled, families);
            let terms = layout.terms(scaled, 0.0, families);
            (0..count).for_each(|at| predicted[at] = terms.value(memory.order(at)));
            let middle = mean(shown.clone(), |at| predicted[at]);
            predicted[..count].iter_mut().for_each(|p| *p -= middle);
            let curvature: f64 = predicted[shown.clone()].iter().map(|p| p * p).sum();
            let length = steepness / curvature;
            if !length.is_finite() {
                return;
            }
            add_scaled(coefficients, length, direction);
            add_scaled(&mut rest[..count], -length, &predicted[..count]);
        }
    }
}

/// Where the newest share of what is remembered begins.
#[allow(clippy::cast_sign_loss, reason = "a share of a number of orders")]
fn beginning(count: usize, share: f64) -> usize {
    count - (share * count as f64) as usize
}

/// The sum of squared errors, less their mean, of predictions of values, multiplied by the factor from 0 to 1 that makes it least; and that
/// factor.
fn scaled_error(pairs: &mut dyn Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let (mut count, mut value_mean, mut predicted_mean) = (0.0, 0.0, 0.0);
    let (mut values, mut predictions, mut products) = (0.0, 0.0, 0.0);
    for (value, predicted) in pairs {
        count += 1.0;
        let (from_value, from_predicted) = (value - value_mean, predicted - predicted_mean);
        value_mean += from_value / count;
        predicted_mean += from_predicted / count;
        values += from_value * (value - value_mean);
        predictions += from_predicted * (predicted - predicted_mean);
        products += from_predicted * (value - value_mean);
    }
    let scale = if predictions > 0.0 { (products / predictions).clamp(0.0, 1.0) } else { 0.0 };
    ((values - scale * (2.0 * products - scale * predictions)).max(0.0), scale)
}

fn mean(range: Range<usize>, value: impl Fn(usize) -> f64) -> f64 {
    let weight = 1.0 / range.len().max(1) as f64;
    range.map(|at| weight * value(at)).sum()
}
