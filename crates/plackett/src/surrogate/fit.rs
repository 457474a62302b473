//! Least squares by conjugate gradients, stopped where it predicts best what it has not seen.
//!
//! Every step of conjugate gradients on the features of N orders costs O(N k²) at most and no memory beyond a few vectors, however
//! many coefficients there are. Stopped early it shrinks as ridge regression does, the sooner the more; how soon is found on the
//! newest quarter of the orders, which the fit is not shown.

use super::{
    Memory,
    features::{Families, Layout},
};
use crate::linear::add_scaled;
use std::ops::Range;

/// Steps at most, and steps without a better prediction after which no more is hoped for.
const MOST_STEPS: usize = 80;
const PATIENCE: usize = 8;
/// Where the squared slope has come down to this share of the first there is nothing left to find: what remains is rounding, and a step along
/// it may be as long as it likes.
const SOLVED: f64 = 1e-22;
/// A step must take this share off the error to be better, for the same reason.
const BETTER: f64 = 1e-6;

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
}

/// How a fit predicted what it was not shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    pub(super) families: Families,
    /// The sum of squared errors, and the steps that it took.
    pub(super) error: f64,
    pub(super) steps: usize,
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
        }
    }

    /// Fits on the older three quarters, and looks for the number of steps that predicts the newest best. None at all is a constant.
    pub(super) fn try_out(&mut self, layout: &Layout, memory: &Memory, families: Families) -> Trial {
        let count = memory.count();
        let shown = count - count / 4;
        let mut best = Trial { families, error: f64::INFINITY, steps: 0 };
        self.descend(layout, memory, families, shown, MOST_STEPS, |steps, rest| {
            let error: f64 = rest[shown..count].iter().map(|rest| rest * rest).sum();
            if error < (1.0 - BETTER) * best.error {
                best = Trial { families, error, steps };
            }
            steps < best.steps + PATIENCE
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
        let (count, families) = (memory.count(), trial.families);
        self.descend(layout, memory, families, count, trial.steps, |_, _| true);
        coefficients.copy_from_slice(&self.coefficients);
        layout.scale(coefficients, families);
        let terms = layout.terms(coefficients, 0.0, families);
        mean(0..count, |at| memory.value(at) - terms.value(memory.order(at)))
    }

    /// Conjugate gradients for the coefficients that explain the first `shown` values, less their mean. After every step `go_on` sees
    /// what is left to explain of all values.
    fn descend(
        &mut self,
        layout: &Layout,
        memory: &Memory,
        families: Families,
        shown: usize,
        most: usize,
        mut go_on: impl FnMut(usize, &[f64]) -> bool,
    ) {
        let Self { coefficients, slope, direction, scaled, predicted, rest } = self;
        let count = memory.count();
        coefficients.fill(0.0);
        direction.fill(0.0);
        let middle = mean(0..shown, |at| memory.value(at));
        (0..count).for_each(|at| rest[at] = memory.value(at) - middle);
        let (mut steepness, mut first) = (0.0, 0.0);
        for step in 0.. {
            if !go_on(step, rest) || step == most {
                return;
            }
            slope.fill(0.0);
            (0..shown).for_each(|at| layout.add(slope, memory.order(at), rest[at], families));
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
            let middle = mean(0..shown, |at| predicted[at]);
            predicted[..count].iter_mut().for_each(|p| *p -= middle);
            let curvature: f64 = predicted[..shown].iter().map(|p| p * p).sum();
            let length = steepness / curvature;
            if !length.is_finite() {
                return;
            }
            add_scaled(coefficients, length, direction);
            add_scaled(&mut rest[..count], -length, &predicted[..count]);
        }
    }
}

fn mean(range: Range<usize>, value: impl Fn(usize) -> f64) -> f64 {
    let weight = 1.0 / range.len().max(1) as f64;
    range.map(|at| weight * value(at)).sum()
}
