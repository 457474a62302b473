//! exp by a table of powers of two and a short series; and, for probabilities and relaxed matrices, by a longer series alone, without branches
//! or calls, so that a loop over it runs several at a time.

use super::{LN_2_HIGH, LN_2_LOW};

/// 1.5·2⁵²: adding it rounds a small number to an integer, which is then in the lowest bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// Below this the result is taken as zero. Against the largest entry of its row such a number is nothing, and products
/// of a few of them would be subnormal numbers, on which processors are a hundred times slower.
const LOWEST: f64 = -300.0;
/// 1/n! and 1/(n + 1)! for n = 12, 10, …, 0: for |r| ≤ ln 2 / 2 the rest of the series is below 10⁻¹⁷.
const COEFFICIENTS: [(f64, f64); 7] = [
    (1.0 / 479_001_600.0, 1.0 / 6_227_020_800.0),
    (1.0 / 3_628_800.0, 1.0 / 39_916_800.0),
    (1.0 / 40_320.0, 1.0 / 362_880.0),
    (1.0 / 720.0, 1.0 / 5_040.0),
    (1.0 / 24.0, 1.0 / 120.0),
    (0.5, 1.0 / 6.0),
    (1.0, 1.0),
];

/// exp(x) = 2^(n/128) exp(r) with |r| ≤ ln 2 / 256: the table has 2^(j/128) for j = 0, …, 127.
const STEPS: usize = 128;
/// Up to this size the result is a normal number, whose exponent can be added to.
const PLAIN: f64 = 708.0;
/// From here on, and below this, the result is no longer a number, or no longer more than zero.
const OVERFLOW: f64 = 709.79;
const UNDERFLOW: f64 = -745.14;

#[derive(Clone, Copy)]
struct Power {
    value: f64,
    /// What rounding the value has lost, relative to it.
    lost: f64,
}

static POWERS: [Power; STEPS] = powers();

const fn powers() -> [Power; STEPS] {
    // Fractions of 2⁷⁶, whose products fit into 128 bits when they are made in two halves.
    const BITS: u32 = 76;
    const HALF: u32 = BITS / 2;
    const ONE: u128 = 1 << BITS;
    const VALUE_UNIT: u128 = 1 << (BITS + 1 - f64::MANTISSA_DIGITS);
    // ln 2 = 2 atanh(1/3).
    let (mut ln_2, mut power, mut odd) = (0, 2 * ONE / 3, 1);
    while power > 0 {
        ln_2 += power / odd;
        power /= 9;
        odd += 2;
    }
    let mut powers = [Power { value: 1.0, lost: 0.0 }; STEPS];
    let mut at = 1;
    while at < STEPS {
        let y = ln_2 * at as u128 / STEPS as u128;
        let (mut exp, mut term, mut k) = (0, ONE, 1);
        while term > 0 {
            exp += term;
            term = (((term * (y >> HALF)) >> HALF) + ((term * (y % (1 << HALF))) >> BITS)) / k;
            k += 1;
        }
        let value = (exp + VALUE_UNIT / 2) / VALUE_UNIT;
        let lost = exp.cast_signed() - (value * VALUE_UNIT).cast_signed();
        powers[at] =
            Power { value: value as f64 / (ONE / VALUE_UNIT) as f64, lost: lost as f64 / exp as f64 };
        at += 1;
    }
    powers
}

/// e to the power of x, within 0.7 units in the last place.
///
/// ```
/// use plackett::elementary::exp;
/// assert_eq!((exp(0.0), exp(1.0), exp(f64::NEG_INFINITY)), (1.0, std::f64::consts::E, 0.0));
/// assert_eq!(exp(1000.0), f64::INFINITY);
/// ```
#[inline]
pub fn exp(x: f64) -> f64 {
    if x.abs() <= PLAIN {
        let (power, exponent, rest) = parts(x);
        let scale = f64::from_bits(power.to_bits().wrapping_add(exponent));
        scale + scale * rest
    } else {
        of_far(x)
    }
}

/// exp(x) = 2ᵏ power (1 + rest), with k where a number has its exponent.
#[inline]
fn parts(x: f64) -> (f64, u64, f64) {
    const SIZE: f64 = STEPS as f64;
    let rounded = x * (SIZE * std::f64::consts::LOG2_E) + ROUNDER;
    let n = rounded - ROUNDER;
    let r = (x - n * (LN_2_HIGH / SIZE)) - n * (LN_2_LOW / SIZE);
    let power = &POWERS[rounded.to_bits() as usize % STEPS];
    let square = r * r;
    let series = (1.0 / 2.0 + r * (1.0 / 6.0)) + square * (1.0 / 24.0 + r * (1.0 / 120.0));
    (
        power.value,
        (rounded.to_bits() << (52 - STEPS.trailing_zeros())) & !(u64::MAX >> 12),
        power.lost + r + square * series,
    )
}

#[cold]
#[inline(never)]
fn of_far(x: f64) -> f64 {
    if x.is_nan() || x >= OVERFLOW {
        x + f64::INFINITY
    } else if x <= UNDERFLOW {
        0.0
    } else {
        // In two steps, neither of which is too long.
        let (power, exponent, rest) = parts(x);
        let k = exponent.cast_signed() >> 52;
        let two_to = |k: i64| f64::from_bits(((k + 1023) << 52).cast_unsigned());
        (power + power * rest) * two_to(k / 2) * two_to(k - k / 2)
    }
}

/// exp(x) for x ≤ 0 to within two units in the last place; zero below −300.
///
/// x = n ln 2 + r with an integer n and |r| ≤ ln 2 / 2, so exp(x) = 2ⁿ exp(r): a series, and an addition to the
/// exponent's bits.
#[inline]
pub(crate) fn exp_of_negative(x: f64) -> f64 {
    let clamped = x.max(LOWEST);
    let rounded = clamped * std::f64::consts::LOG2_E + ROUNDER;
    let n = rounded - ROUNDER;
    let r = (clamped - n * LN_2_HIGH) - n * LN_2_LOW;
    // In pairs, so that the chain of operations that wait for each other is half as long.
    let square = r * r;
    let series = COEFFICIENTS.iter().fold(0.0, |sum, (even, odd)| sum * square + (even + odd * r));
    let power = f64::from_bits((rounded.to_bits() << 52).wrapping_add(1.0f64.to_bits()));
    if x < LOWEST { 0.0 } else { series * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_the_standard_library() {
        let mut worst: f64 = 0.0;
        for step in 0..2_000_000 {
            let x = -f64::from(step) * 1.5e-4;
            let exact = x.exp();
            worst = worst.max(((exp_of_negative(x) - exact) / exact).abs());
        }
        assert!(worst < 2.0 * f64::EPSILON, "{worst:e}");
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(-1e-300), 1.0);
        assert_eq!(exp_of_negative(-301.0), 0.0);
        assert_eq!(exp_of_negative(f64::NEG_INFINITY), 0.0);
    }

    /// The standard library is within a unit in the last place on the systems that there are.
    #[test]
    fn is_that_of_the_standard_library_but_for_the_last_bit() {
        for step in -1_000_000..1_000_000 {
            for x in [f64::from(step) * 7.0e-4, f64::from(step) * 1e-9] {
                let apart = exp(x).to_bits().abs_diff(x.exp().to_bits());
                assert!(apart <= 1, "{x}: {} against {}", exp(x), x.exp());
            }
        }
    }

    /// Computed with 160 bits.
    #[test]
    fn is_right_at_the_ends() {
        let ends = [
            (-745.0, 5e-324),
            (-744.0, 1e-323),
            (-720.0, 2.031e-313),
            (-708.5, 2.005_013_323_849_25e-308),
            (709.0, 8.218_407_461_554_972e307),
            (709.78, 1.792_822_793_925_967e308),
            (1e-17, 1.0),
            (-1e-300, 1.0),
        ];
        for (x, expected) in ends {
            assert!((exp(x) / expected - 1.0).abs() < 1e-3 && exp(x).is_finite(), "{x}: {:e}", exp(x));
        }
        assert_eq!((exp(-745.2), exp(f64::NEG_INFINITY), exp(709.8)), (0.0, 0.0, f64::INFINITY));
        assert!(exp(f64::NAN).is_nan());
    }
}
