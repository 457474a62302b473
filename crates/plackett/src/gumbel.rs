//! Gumbel noise in log space: the pieces shared by both distributions (the paper's appendix).
//!
//! A uniform u gives the exponential e = −log u, the Gumbel −log e, and the Gumbel with location μ truncated
//! at z₀: −log(e·exp(−μ) + exp(−z₀)). Sums of exponentials are kept as logarithms throughout, so scores
//! spread over thousands and noise at the very ends of the unit interval stay finite.

use crate::{
    elementary::{exp, ln, ln_1p},
    error::{Error, check_finite, check_noise},
};

/// The smallest and largest uniform noise that is used as it is. Noise of exactly 0 or 1 is moved here, which
/// bounds the exponential by 708 and keeps it above 1e-16.
const NOISE_RANGE: (f64, f64) = (f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);

/// The exponential variable −log u.
pub(crate) fn exponential(u: f64) -> f64 {
    -ln(u.clamp(NOISE_RANGE.0, NOISE_RANGE.1))
}

/// The standard Gumbel variable −log(−log u).
///
/// Noise of exactly 0 or 1 gives the smallest and the largest value, about −6.6 and 36.7.
///
/// ```
/// let z = plackett::gumbel(0.5)?;
/// assert!((z - 0.366_512_920_581_664_3).abs() < 1e-15);
/// assert!(plackett::gumbel(0.0)?.is_finite() && plackett::gumbel(1.0)?.is_finite());
/// assert!(plackett::gumbel(1.5).is_err());
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// Noise that is NaN or outside [0, 1].
pub fn gumbel(u: f64) -> Result<f64, Error> {
    check_noise("u", &[u])?;
    Ok(-ln(exponential(u)))
}

/// A Gumbel variable with location μ given that it lies below z₀: −log(−log u · exp(−μ) + exp(−z₀)).
///
/// The result is always strictly below the bound, even where rounding would make them equal, and always finite.
///
/// ```
/// let z = plackett::truncated_gumbel(1000.0, -3.0, 0.5)?; // the bound is 1000 below the location
/// assert!(z < -3.0 && z > -3.1);
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// A location or bound that is not finite, or noise outside [0, 1].
pub fn truncated_gumbel(location: f64, bound: f64, u: f64) -> Result<f64, Error> {
    check_finite("the location", &[location])?;
    check_finite("the bound", &[bound])?;
    check_noise("u", &[u])?;
    let sum = LogSum::of(ln(exponential(u)) - location, -bound);
    Ok((-sum.log).min(bound.next_down()).max(f64::MIN))
}

/// log(eᵃ + eᵇ) together with the shares of its two terms: the weights that its derivative needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogSum {
    /// log(eᵃ + eᵇ).
    pub(crate) log: f64,
    /// eᵃ / (eᵃ + eᵇ).
    pub(crate) first: f64,
    /// log `first`, not computed as a − `log`, which would lose its digits.
    pub(crate) log_first: f64,
    /// eᵇ / (eᵃ + eᵇ), not computed as 1 − `first`, which would lose its digits.
    pub(crate) second: f64,
}

impl LogSum {
    /// Adds two finite numbers given by their logarithms.
    pub(crate) fn of(a: f64, b: f64) -> Self {
        let ratio = exp(-(a - b).abs());
        let (large, small) = (1.0 / (1.0 + ratio), ratio / (1.0 + ratio));
        let excess = ln_1p(ratio);
        let log = a.max(b) + excess;
        let log_first = (a - b).min(0.0) - excess;
        if a >= b {
            Self { log, first: large, log_first, second: small }
        } else {
            Self { log, first: small, log_first, second: large }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_sum_and_its_shares_match_plain_arithmetic() {
        for (a, b) in [(0.0, 0.0), (1.5, -2.0), (-3.0, 4.0), (0.1, 0.2)] {
            let sum = LogSum::of(a, b);
            let plain: f64 = f64::exp(a) + f64::exp(b);
            assert!((sum.log - plain.ln()).abs() < 1e-14);
            assert!((sum.first - f64::exp(a) / plain).abs() < 1e-15);
            assert!((sum.log_first - (a - plain.ln())).abs() < 1e-14);
            assert!((sum.second - f64::exp(b) / plain).abs() < 1e-15);
        }
        let far = LogSum::of(-1e300, 1e300);
        assert_eq!((far.log, far.first, far.second), (1e300, 0.0, 1.0));
    }

    #[test]
    fn truncation_keeps_its_law_and_its_bound() {
        // The conditional law has the closed form Φ(z) / Φ(z₀); invert it independently.
        let (location, bound) = (0.7, 0.9);
        for u in [1e-12, 0.01, 0.3, 0.5, 0.999] {
            let z = truncated_gumbel(location, bound, u).unwrap();
            let cdf = |z: f64| (-(location - z).exp()).exp();
            assert!((cdf(z) / cdf(bound) - u).abs() < 1e-12);
        }
        for u in [0.0, 1.0] {
            for location in [-1000.0, 0.0, 1000.0] {
                let z = truncated_gumbel(location, 0.0, u).unwrap();
                assert!(z.is_finite() && z < 0.0);
            }
        }
        assert!(truncated_gumbel(f64::NAN, 0.0, 0.5).is_err());
        assert!(truncated_gumbel(0.0, f64::INFINITY, 0.5).is_err());
        assert!(truncated_gumbel(0.0, 0.0, -0.1).is_err());
    }
}
