//! The upper tails of the χ² and the normal distribution.

use std::f64::consts::FRAC_1_SQRT_2;

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::gamma::gamma_ur;

/// The probability that a χ² variable of `freedom` degrees of freedom exceeds `x`: Q(freedom / 2, x / 2). One if there
/// is no freedom. O(√freedom).
pub(crate) fn chi_square_tail(x: f64, freedom: f64) -> f64 {
    match x {
        _ if freedom <= 0.0 || x <= 0.0 => 1.0,
        f64::INFINITY => 0.0,
        _ => gamma_ur(0.5 * freedom, 0.5 * x),
    }
}

/// The probability that a standard normal lies outside ±x.
pub(crate) fn normal_tails(x: f64) -> f64 {
    libm::erfc(x.abs() * FRAC_1_SQRT_2)
}

/// The x that a standard normal exceeds with probability `tail`, at most one half.
pub(super) fn normal_quantile(tail: f64) -> f64 {
    -Normal::standard().inverse_cdf(tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::ChiSquared;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (tail, quantile) in [
            (0.5, 0.0),
            (0.025, 1.959_963_984_540_054),
            (0.005, 2.575_829_303_548_901),
            (0.000_5, 3.290_526_731_491_926),
            (0.5e-9, 6.109_410_204_869_056),
        ] {
            assert!((normal_quantile(tail) - quantile).abs() < 1e-9, "{tail}: {}", normal_quantile(tail));
        }
    }

    #[test]
    fn tails_are_those_of_the_chi_square_distribution() {
        for freedom in [1.0, 2.0, 3.0, 7.0, 12.0, 50.0, 333.0, 4000.0] {
            let distribution = ChiSquared::new(freedom).unwrap();
            for scale in [0.01, 0.3, 0.8, 0.98, 1.0, 1.02, 1.3, 2.0, 6.0] {
                let x = freedom * scale;
                let (ours, theirs) = (chi_square_tail(x, freedom), distribution.sf(x));
                assert!((ours - theirs).abs() <= 1e-10, "{freedom} {x}: {ours} {theirs}");
            }
        }
        // With an even number of degrees of freedom the tail is a Poisson sum, here in closed form.
        for x in [0.1_f64, 1.0, 10.0, 100.0, 700.0] {
            let half = 0.5 * x;
            assert!((chi_square_tail(x, 2.0) / (-half).exp() - 1.0).abs() < 1e-12);
            let four = (-half).exp() * (1.0 + half);
            assert!((chi_square_tail(x, 4.0) / four - 1.0).abs() < 1e-12);
        }
        assert_eq!((chi_square_tail(3.0, 0.0), chi_square_tail(0.0, 3.0)), (1.0, 1.0));
        assert_eq!((chi_square_tail(1e9, 5.0), chi_square_tail(f64::INFINITY, 5.0)), (0.0, 0.0));
    }
}
