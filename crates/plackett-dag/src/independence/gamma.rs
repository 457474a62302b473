//! The upper tails of the χ² and the normal distribution, both from the incomplete gamma function.

use std::f64::consts::TAU;

/// Terms after which series and fractions are cut. They need about √a of them.
const MOST_TERMS: u32 = 1_000_000;

/// The probability that a χ² variable of `freedom` degrees of freedom exceeds `x`: Q(freedom / 2, x / 2). One if there
/// is no freedom. O(√freedom).
pub(super) fn chi_square_tail(x: f64, freedom: f64) -> f64 {
    match x {
        _ if freedom <= 0.0 || x <= 0.0 => 1.0,
        f64::INFINITY => 0.0,
        _ => upper_gamma(0.5 * freedom, 0.5 * x),
    }
}

/// The probability that a standard normal lies outside ±x: that its square, χ² of one degree of freedom, exceeds x².
pub(super) fn normal_tails(x: f64) -> f64 {
    chi_square_tail(x * x, 1.0)
}

/// The x that a standard normal exceeds with probability `tail`, at most one half: bisection on the tails.
pub(super) fn normal_quantile(tail: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    while high - low > 1e-14 * high {
        let middle = 0.5 * (low + high);
        if middle == low || middle == high {
            break;
        }
        if normal_tails(middle) > 2.0 * tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The regularized upper incomplete gamma function Q(a, x) for positive a and x: one minus the power series of the
/// lower one below x = a + 1, Legendre's continued fraction (by Lentz's method) above.
fn upper_gamma(a: f64, x: f64) -> f64 {
    // x^a e^−x / Γ(a)
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..MOST_TERMS {
            term *= x / (a + f64::from(n));
            sum += term;
            if term < sum * f64::EPSILON {
                break;
            }
        }
        (1.0 - front * sum).clamp(0.0, 1.0)
    } else {
        let mut b = x + 1.0 - a;
        let mut d = 1.0 / b;
        let (mut c, mut fraction) = (f64::INFINITY, d);
        for n in 1..MOST_TERMS {
            let n = f64::from(n);
            let numerator = n * (a - n);
            b += 2.0;
            d = 1.0 / (b + numerator * d);
            c = b + numerator / c;
            let factor = c * d;
            fraction *= factor;
            if (factor - 1.0).abs() < f64::EPSILON {
                break;
            }
        }
        (front * fraction).min(1.0)
    }
}

/// ln Γ(a) for positive a: Stirling's series, the argument raised until it is exact to rounding.
fn ln_gamma(a: f64) -> f64 {
    let (mut a, mut product) = (a, 1.0);
    while a < 12.0 {
        product *= a;
        a += 1.0;
    }
    let inverse = 1.0 / a;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0
            - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))));
    (a - 0.5) * a.ln() - a + 0.5 * TAU.ln() + series - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ChiSquared, ContinuousCDF};

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
