//! The functions of calculus, the same to the last bit on every system.
//!
//! Those of the standard library are the system's, and no two systems round alike. A search compares sums of logarithms, though: where two graphs are
//! nearly as good, the last bit decides which one is found. So all crates of this workspace take these functions from here (a lint keeps
//! it so), and the same data, settings and seed give the same answer in the program, in Python and in a browser. Sums, products,
//! quotients and square roots are exact but for one rounding everywhere.
//!
//! ```
//! use plackett::elementary::{exp, ln};
//! assert_eq!(ln(10.0).to_bits(), 0x4002_6bb1_bbb5_5516);
//! assert_eq!(exp(10.0).to_bits(), 0x40d5_829d_cf95_0560);
//! ```
//!
//! `ln` and `exp`, of which there are many in a run, are made for speed; the others are those of the crate `libm`.

mod exponential;
mod logarithm;

pub use exponential::exp;
pub(crate) use exponential::exp_of_negative;
pub use logarithm::ln;

/// ln 2 in two parts, the first with so few digits that its products with exponents are exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Functions of one number under the names that the standard library has for them.
macro_rules! from_libm {
    ($($name:ident = $libm:ident: $says:literal, $example:literal;)*) => {
        $(
            #[doc = concat!($says, ".\n\n```\nuse plackett::elementary::", stringify!($name), ";\n", $example, ";\n```")]
            pub fn $name(x: f64) -> f64 {
                libm::$libm(x)
            }
        )*
    };
}

from_libm! {
    ln_1p = log1p: "ln(1 + x), also where x is so small that 1 + x is 1", "assert_eq!(ln_1p(1e-300), 1e-300)";
    exp_m1 = expm1: "eˣ − 1, also where x is so small that eˣ is 1", "assert_eq!(exp_m1(1e-300), 1e-300)";
    log2 = log2: "The logarithm to the base two", "assert_eq!(log2(1024.0), 10.0)";
    exp2 = exp2: "Two to the power of x", "assert_eq!(exp2(-1.0), 0.5)";
    log10 = log10: "The logarithm to the base ten", "assert_eq!(log10(1e-5), -5.0)";
    cbrt = cbrt: "The cube root", "assert_eq!(cbrt(-27.0), -3.0)";
    sin = sin: "The sine", "assert_eq!(sin(0.0), 0.0)";
    cos = cos: "The cosine", "assert_eq!(cos(0.0), 1.0)";
    acos = acos: "The angle, from 0 to π, of a cosine", "assert_eq!(acos(-1.0), std::f64::consts::PI)";
    sinh = sinh: "The hyperbolic sine", "assert_eq!(sinh(0.0), 0.0)";
    cosh = cosh: "The hyperbolic cosine", "assert_eq!(cosh(0.0), 1.0)";
    tanh = tanh: "The hyperbolic tangent", "assert_eq!(tanh(100.0), 1.0)";
    asinh = asinh: "The inverse of the hyperbolic sine", "assert_eq!(asinh(1e-300), 1e-300)";
    atanh = atanh: "The inverse of the hyperbolic tangent", "assert_eq!(atanh(1.0), f64::INFINITY)";
}

/// x to the power of y.
///
/// ```
/// assert_eq!(plackett::elementary::powf(2.0, 0.5), 2f64.sqrt());
/// ```
pub fn powf(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// √(x² + y²), also where a square is too large or too small for a number.
///
/// ```
/// assert!((plackett::elementary::hypot(3e200, 4e200) / 5e200 - 1.0).abs() < 1e-15);
/// ```
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all systems must give: the bits of many values, one after the other, mixed into one number.
    #[test]
    fn every_bit_is_the_same_everywhere() {
        let mixed = |function: fn(f64) -> f64, from: f64, to: f64| {
            let values = (0..10_000).map(|step| function(from + (to - from) / 10_000.0 * f64::from(step)));
            values.fold(0_u64, |sum, value| sum.wrapping_mul(0x100_0000_01b3) ^ value.to_bits())
        };
        let all = [
            (mixed(ln, 0.0, 5.0), 0x06dc_e866_dbb0_1cb8),
            (mixed(exp, -750.0, 710.0), 0x88b4_ff99_02e5_64fe),
            (mixed(exp_of_negative, -310.0, 0.0), 0x6cff_b78a_f6ef_dc5c),
            (mixed(ln_1p, -0.9, 3.0), 0x501d_1644_c021_92a0),
            (mixed(exp_m1, -3.0, 3.0), 0xccab_a679_e6e5_d47b),
            (mixed(log2, 0.0, 5.0), 0x61d1_0dc7_453d_cd8d),
            (mixed(log10, 0.0, 5.0), 0x877c_316f_c81f_2c84),
            (mixed(exp2, -3.0, 3.0), 0x616e_8ac0_6f92_18ae),
            (mixed(cbrt, -9.0, 9.0), 0x44cf_f595_49d8_0d07),
            (mixed(sin, -9.0, 9.0), 0x0890_4f93_e627_8a17),
            (mixed(cos, -9.0, 9.0), 0xd6a0_2ab6_ff31_2d6c),
            (mixed(acos, -1.0, 1.0), 0x863c_1514_04f9_a7cc),
            (mixed(sinh, -3.0, 3.0), 0xa9af_260c_fc40_2a77),
            (mixed(cosh, -3.0, 3.0), 0xdd32_bfbb_1148_64ff),
            (mixed(tanh, -3.0, 3.0), 0x38bf_c14c_db42_063d),
            (mixed(asinh, -3.0, 3.0), 0x7c62_d6f8_dd7b_1f36),
            (mixed(atanh, -0.99, 0.99), 0x1166_c011_f335_498c),
            (mixed(|x| powf(x, 1.7), 0.0, 9.0), 0xd4ce_e983_205a_2ed4),
            (mixed(|x| hypot(x, 1.7), -9.0, 9.0), 0x1269_7ced_c1ce_68f3),
        ];
        for (at, (found, expected)) in all.into_iter().enumerate() {
            assert_eq!(found, expected, "function {at} of the list");
        }
    }
}
