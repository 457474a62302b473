//! Tails and quantiles of the χ², the normal and Student's distribution, from [`elementary`](plackett::elementary) functions, so that they are the same to
//! the last bit on every system.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

use libm::{erfc, lgamma};
use plackett::elementary::{exp, ln, ln_1p};

/// Series and fractions end where another term changes no more than rounding does.
const NEGLIGIBLE: f64 = 4.0 * f64::EPSILON;
/// In place of a zero that a continued fraction would divide by.
const TINY: f64 = 1e-300;
/// From a start within 5·10⁻⁴ two steps of Halley's method give all digits; one is for safety.
const HALLEY_STEPS: usize = 3;
/// More of Newton's steps than any quantile needs: they double at first, and then digits do.
const MOST_NEWTON_STEPS: usize = 200;

/// The probability that a χ² variable of `freedom` degrees of freedom exceeds `x`: Q(freedom / 2, x / 2). One if there
/// is no freedom. O(√freedom).
pub(crate) fn chi_square_tail(x: f64, freedom: f64) -> f64 {
    match x {
        _ if freedom <= 0.0 || x <= 0.0 => 1.0,
        f64::INFINITY => 0.0,
        _ => gamma_tail(0.5 * freedom, 0.5 * x),
    }
}

/// Q(a, x) = Γ(a, x) / Γ(a): one minus a series below the mean, a continued fraction above it.
fn gamma_tail(a: f64, x: f64) -> f64 {
    let height = exp(a * ln(x) - x - lgamma(a));
    if x < a + 1.0 {
        let (mut term, mut sum, mut k) = (1.0 / a, 1.0 / a, a);
        while term > NEGLIGIBLE * sum {
            k += 1.0;
            term *= x / k;
            sum += term;
        }
        1.0 - height * sum
    } else {
        // 1/(x + 1 − a − 1(1 − a)/(x + 3 − a − 2(2 − a)/(x + 5 − a − …))).
        let first = x + 1.0 - a;
        height / continued_fraction(first, |k| (-k * (k - a), first + 2.0 * k))
    }
}

/// I_x(a, b), the share of a beta distribution that is below x.
pub(crate) fn beta_share(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_share(b, a, 1.0 - x);
    }
    let height = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * ln(x) + b * ln_1p(-x)) / a;
    let step = |k: f64| {
        let half = (0.5 * k).floor();
        let numerator = if half + half == k {
            half * (b - half) * x / ((a + k - 1.0) * (a + k))
        } else {
            -(a + half) * (a + b + half) * x / ((a + k - 1.0) * (a + k))
        };
        (numerator, 1.0)
    };
    height / continued_fraction(1.0, step)
}

/// b₀ + a₁/(b₁ + a₂/(b₂ + …)) with `step(k)` = (aₖ, bₖ), by Lentz's method.
fn continued_fraction(first: f64, step: impl Fn(f64) -> (f64, f64)) -> f64 {
    let away_from_zero = |x: f64| if x.abs() < TINY { TINY } else { x };
    let mut value = away_from_zero(first);
    let (mut above, mut below, mut k) = (value, 0.0, 0.0);
    loop {
        k += 1.0;
        let (a, b) = step(k);
        below = 1.0 / away_from_zero(b + a * below);
        above = away_from_zero(b + a / above);
        let change = above * below;
        value *= change;
        if change.is_nan() || (change - 1.0).abs() <= NEGLIGIBLE {
            return value;
        }
    }
}

/// The probability that a standard normal lies outside ±x.
pub(crate) fn normal_tails(x: f64) -> f64 {
    erfc(x.abs() * FRAC_1_SQRT_2)
}

/// The x that a standard normal exceeds with probability `tail`.
pub(crate) fn normal_quantile(tail: f64) -> f64 {
    match tail {
        _ if tail > 0.5 => return -normal_quantile(1.0 - tail),
        _ if tail <= 0.0 => return f64::INFINITY,
        0.5 => return 0.0,
        _ => {}
    }
    // Abramowitz and Stegun 26.2.23.
    let t = (-2.0 * ln(tail)).sqrt();
    let mut x = t
        - (2.515_517 + t * (0.802_853 + t * 0.010_328))
            / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)));
    for _ in 0..HALLEY_STEPS {
        let density = exp(-0.5 * x * x) / TAU.sqrt();
        let step = (0.5 * erfc(x * FRAC_1_SQRT_2) - tail) / density;
        x += step / (1.0 - 0.5 * x * step);
    }
    x
}

/// The x that a Student variable of `freedom` degrees of freedom exceeds with probability `tail`, at most one half.
pub(crate) fn student_quantile(tail: f64, freedom: f64) -> f64 {
    let log_density = lgamma(0.5 * (freedom + 1.0)) - lgamma(0.5 * freedom) - 0.5 * ln(freedom * PI);
    // The tail is convex and heavier than the normal one, so Newton's steps come from below and never pass it.
    let mut x = normal_quantile(tail);
    for _ in 0..MOST_NEWTON_STEPS {
        let above = 0.5 * beta_share(0.5 * freedom, 0.5, freedom / (freedom + x * x));
        let density = exp(log_density - 0.5 * (freedom + 1.0) * ln_1p(x * x / freedom));
        let step = (above - tail) / density;
        x += step;
        if step.is_nan() || step <= NEGLIGIBLE * x {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ChiSquared, ContinuousCDF as _, StudentsT};
    use statrs::function::beta::beta_reg;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // Computed with 130 bits.
        for (tail, quantile) in [
            (0.5, 0.0),
            (0.025, 1.959_963_984_540_054),
            (0.005, 2.575_829_303_548_901),
            (0.000_5, 3.290_526_731_491_895),
            (0.5e-9, 6.109_410_204_869_397),
            (0.975, -1.959_963_984_540_054),
            (1e-300, 37.047_096_299_361_2),
        ] {
            assert!(
                (normal_quantile(tail) - quantile).abs() <= 4e-15 * quantile.abs(),
                "{tail}: {}",
                normal_quantile(tail)
            );
        }
    }

    /// One and two degrees of freedom have closed forms; many have those of the normal.
    #[test]
    fn quantiles_are_those_of_students_distribution() {
        for tail in [0.4, 0.25, 0.1, 0.05, 0.025, 0.005, 1e-4, 1e-8] {
            let close = |freedom: f64, quantile: f64, within: f64| {
                let found = student_quantile(tail, freedom);
                assert!((found / quantile - 1.0).abs() < within, "{tail} {freedom}: {found} {quantile}");
            };
            close(1.0, 1.0 / (PI * tail).tan(), 1e-12);
            close(2.0, (1.0 - 2.0 * tail) / (2.0 * tail * (1.0 - tail)).sqrt(), 1e-12);
            close(1e6, normal_quantile(tail), 1e-5);
            for freedom in [3.0, 4.5, 10.0, 97.0, 1234.0] {
                close(freedom, StudentsT::new(0.0, 1.0, freedom).unwrap().inverse_cdf(1.0 - tail), 1e-6);
            }
        }
        assert_eq!(student_quantile(0.5, 7.0), 0.0);
    }

    #[test]
    fn shares_are_those_of_the_beta_distribution() {
        for (a, b) in [(0.5, 0.5), (0.5, 3.0), (5.5, 0.5), (50.0, 0.5), (2000.5, 0.5), (30.0, 40.0)] {
            for x in [1e-20, 1e-3, 0.1, 0.4, 0.5, 0.77, 0.99, 0.999_999] {
                let (ours, theirs) = (beta_share(a, b, x), beta_reg(a, b, x));
                assert!((ours - theirs).abs() <= 1e-10 * theirs.max(1e-30), "{a} {b} {x}: {ours} {theirs}");
            }
        }
        assert_eq!((beta_share(2.0, 3.0, 0.0), beta_share(2.0, 3.0, 1.0)), (0.0, 1.0));
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
