//! A row of a relaxed matrix: softmax of logits, and its derivatives in log space.

use crate::{elementary::exp_of_negative, linear::dot};

/// Logits this far below the largest have probability zero. Clamping there keeps products of a zero probability with
/// its logit zero at any temperature.
const LOWEST_LOGIT: f64 = -400.0;

/// Turns `row` (energies m) into softmax(m / τ) and `logits` into the logits (m − max m) / τ.
pub(super) fn softmax(row: &mut [f64], logits: &mut [f64], tau: f64) {
    let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let inverse = (1.0 / tau).min(f64::MAX); // finite for subnormal temperatures too
    for (p, logit) in row.iter_mut().zip(logits) {
        *logit = ((*p - max) * inverse).max(LOWEST_LOGIT);
        *p = exp_of_negative(*logit);
    }
    let scale = 1.0 / row.iter().sum::<f64>();
    row.iter_mut().for_each(|p| *p *= scale);
}

/// Turns changes of the logits into changes of the probabilities: p ∘ (d − ⟨p, d⟩).
pub(super) fn jvp(p: &[f64], changes: &mut [f64]) {
    let mean = dot(p, changes);
    for (d, p) in changes.iter_mut().zip(p) {
        *d = p * (*d - mean);
    }
}

/// The changes of the probabilities with log τ: the logits l change by −l.
pub(super) fn temperature_jvp(p: &[f64], logits: &[f64], changes: &mut [f64]) {
    let mean = dot(p, logits);
    for ((d, p), l) in changes.iter_mut().zip(p).zip(logits) {
        *d = p * (mean - l);
    }
}

/// Turns changes d of the logits by z into ∂/∂log τ of [`jvp`] of them.
///
/// In log τ the logits l change by −l and their changes d by −d, so the derivative of p ∘ (d − ⟨p, d⟩) is
/// p ∘ [(⟨p, l⟩ − l − 1)(d − ⟨p, d⟩) + ⟨p, l d⟩ − ⟨p, l⟩⟨p, d⟩].
pub(super) fn mixed(p: &[f64], logits: &[f64], changes: &mut [f64]) {
    let mean_change = dot(p, changes);
    let mean_logit = dot(p, logits);
    let covariance: f64 =
        p.iter().zip(logits).zip(&*changes).map(|((p, l), d)| p * (l - mean_logit) * (d - mean_change)).sum();
    for ((d, p), l) in changes.iter_mut().zip(p).zip(logits) {
        *d = p * ((mean_logit - l - 1.0) * (*d - mean_change) + covariance);
    }
}
