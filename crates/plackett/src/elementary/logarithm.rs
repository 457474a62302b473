//! ln by a table of logarithms and a short series.
//!
//! x = 2ᵏ m with m between 0.705 and 1.41. A cell of the table has an n/1024 near 1/m and the logarithm of its inverse, so that
//! ln x = k ln 2 + ln(1024/n) + ln(1 + r) with r = m·n/1024 − 1, which is exact but for one rounding, and at most 0.0052 in size.

use super::{LN_2_HIGH, LN_2_LOW};

const CELLS: usize = 128;
/// The cell of a number is in the first seven bits of its fraction, counted from [`FIRST`].
const CELL_SHIFT: u32 = f64::MANTISSA_DIGITS - 1 - CELLS.trailing_zeros();
/// The least m, as bits: 75 and a half cells below one, about √½. So one is within a cell, whose r is exact and whose logarithm is zero,
/// and the logarithms of numbers near one lose no digits.
const FIRST: u64 = 1.0f64.to_bits() - (75 << CELL_SHIFT) - (1 << (CELL_SHIFT - 1));
/// The inverses are multiples of 1/1024: eleven bits, so their products with the first 42 bits of m are exact.
const INVERSE_UNIT: f64 = 1024.0;
const LAST_ELEVEN_BITS: u64 = 0x7ff;
const EXPONENT_AND_SIGN: u64 = 0xfff << 52;
/// Numbers below the smallest normal one are scaled up by 2⁵⁴ first.
const UP: f64 = 18_014_398_509_481_984.0;
const UP_EXPONENT: f64 = -54.0;

#[derive(Clone, Copy)]
struct Cell {
    inverse: f64,
    /// −ln of the inverse in two parts, the first a multiple of 2⁻⁴², so that its sum with multiples of [`LN_2_HIGH`] is exact.
    log_high: f64,
    log_low: f64,
}

static TABLE: [Cell; CELLS] = table();

const fn table() -> [Cell; CELLS] {
    // Fractions of 2¹⁰⁰.
    const ONE: i128 = 1 << 100;
    const HIGH_UNIT: i128 = 1 << (100 - 42);
    let mut table = [Cell { inverse: 1.0, log_high: 0.0, log_low: 0.0 }; CELLS];
    let mut at = 0;
    while at < CELLS {
        let center = f64::from_bits(FIRST + ((at as u64) << CELL_SHIFT) + (1 << (CELL_SHIFT - 1)));
        let n = (INVERSE_UNIT / center + 0.5) as i128;
        // ln(1024/n) = 2 atanh(p/q) = 2 (s + s³/3 + s⁵/5 + …) with s = p/q.
        let (p, q) = (INVERSE_UNIT as i128 - n, INVERSE_UNIT as i128 + n);
        let (mut power, mut odd, mut log) = (2 * p * ONE / q, 1, 0);
        while power != 0 {
            log += power / odd;
            power = power * (p * p) / (q * q);
            odd += 2;
        }
        let high = (log + HIGH_UNIT / 2).div_euclid(HIGH_UNIT);
        table[at] = Cell {
            inverse: n as f64 / INVERSE_UNIT,
            log_high: high as f64 / (ONE / HIGH_UNIT) as f64,
            log_low: (log - high * HIGH_UNIT) as f64 / ONE as f64,
        };
        at += 1;
    }
    table
}

/// The natural logarithm, within 0.6 units in the last place.
///
/// ```
/// use plackett::elementary::ln;
/// assert_eq!((ln(1.0), ln(std::f64::consts::E), ln(0.0)), (0.0, 1.0, f64::NEG_INFINITY));
/// assert!(ln(-1.0).is_nan());
/// ```
#[inline]
pub fn ln(x: f64) -> f64 {
    const LEAST: u64 = f64::MIN_POSITIVE.to_bits();
    let bits = x.to_bits();
    if bits.wrapping_sub(LEAST) < f64::INFINITY.to_bits() - LEAST {
        of_normal(bits, 0.0)
    } else {
        of_other(x)
    }
}

/// Of a positive normal number by its bits, times two to the power of `exponent`.
#[inline]
fn of_normal(bits: u64, exponent: f64) -> f64 {
    let offset = bits.wrapping_sub(FIRST);
    let cell = &TABLE[(offset >> CELL_SHIFT) as usize % CELLS];
    let k = (offset.cast_signed() >> 52) as f64 + exponent;
    let bits = bits.wrapping_sub(offset & EXPONENT_AND_SIGN);
    let (m, begin) = (f64::from_bits(bits), f64::from_bits(bits & !LAST_ELEVEN_BITS));
    let r = (begin * cell.inverse - 1.0) + (m - begin) * cell.inverse;
    // The first part is exact; what is lost by adding r is added at the end, with all that is small.
    let first = k * LN_2_HIGH + cell.log_high;
    let sum = first + r;
    let lost = (first - sum) + r;
    let square = r * r;
    let series = (-1.0 / 2.0 + r * (1.0 / 3.0))
        + square * ((-1.0 / 4.0 + r * (1.0 / 5.0)) + square * (-1.0 / 6.0 + r * (1.0 / 7.0)));
    sum + ((lost + (k * LN_2_LOW + cell.log_low)) + square * series)
}

#[cold]
#[inline(never)]
fn of_other(x: f64) -> f64 {
    match x {
        0.0 => f64::NEG_INFINITY,
        f64::INFINITY => f64::INFINITY,
        _ if x > 0.0 => of_normal((x * UP).to_bits(), UP_EXPONENT),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library is within a unit in the last place on the systems that there are.
    #[test]
    fn is_that_of_the_standard_library_but_for_the_last_bit() {
        let near = |x: f64| {
            let apart = ln(x).to_bits().abs_diff(x.ln().to_bits());
            assert!(apart <= 1, "{x:e}: {} against {}", ln(x), x.ln());
        };
        for step in 1..1_000_000 {
            near(f64::from(step) * 1e-6);
            near(f64::from(step) * 2.5e-6);
            near(f64::from(step));
            near(1.0 + f64::from(step) * 1e-12);
            near(1.0 - f64::from(step) * 1e-9);
        }
        for exponent in -1074..1024 {
            near(1.7 * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2));
        }
    }

    /// Every cell from its begin to its end: the sum of what is looked up and of what is added must not jump.
    #[test]
    fn cells_join() {
        for cell in 0..CELLS as u64 {
            let first = FIRST + (cell << CELL_SHIFT);
            let places = [first - 1, first, first + 1, first + (1 << (CELL_SHIFT - 1))];
            let logs = places.map(|bits| ln(f64::from_bits(bits)));
            assert!(logs.windows(2).all(|pair| pair[0] <= pair[1]), "{cell}: {logs:?}");
        }
    }

    #[test]
    fn the_ends_of_the_numbers_have_logarithms() {
        assert_eq!((ln(0.0), ln(-0.0)), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        assert_eq!((ln(1.0), ln(f64::INFINITY)), (0.0, f64::INFINITY));
        // Computed with 160 bits.
        assert_eq!((ln(f64::from_bits(1)), ln(f64::MAX)), (-744.440_071_921_381_2, 709.782_712_893_384));
        assert!(ln(-1.0).is_nan() && ln(f64::NEG_INFINITY).is_nan() && ln(f64::NAN).is_nan());
    }
}
