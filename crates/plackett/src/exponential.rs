//! exp for probabilities and relaxed matrices: without branches or calls, so that a loop over it runs several at a time.

/// 1.5·2⁵²: adding it rounds a small number to an integer, which is then in the lowest bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts, the first with so few digits that its products with exponents are exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
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
}
