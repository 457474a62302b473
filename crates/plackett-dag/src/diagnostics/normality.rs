//! Whether residuals are normal: skewness and kurtosis together (D'Agostino and Pearson 1973), each brought to a standard normal by the
//! transformations of D'Agostino (1970) and of Anscombe and Glynn (1983), which hold from some twenty rows on; and how heavy their tails
//! are.

use super::{Diagnostic, Look, judged, residuals::Residual, unused};
use crate::tails::normal_tails;
use plackett::elementary::{asinh, cbrt, exp, ln};

/// The level of a verdict over all columns together.
const LEVEL: f64 = 0.01;
/// Skewness below this matters little, however surely it is there: that of a Gamma distribution of shape 16.
const SKEWED: f64 = 0.5;
/// Likewise excess kurtosis: that of a t distribution of 10 degrees of freedom.
const HEAVY: f64 = 1.0;
/// Fewer rows do not tell a shape.
const LEAST_ROWS: f64 = 20.0;

/// The smallest p-value over the columns, times their number.
pub(super) fn normality(look: &Look<'_, '_>) -> Option<Diagnostic> {
    const NAME: &str = "normality";
    let residuals = match look.residuals(NAME)? {
        Ok(residuals) if residuals.fewest_rows() >= LEAST_ROWS => residuals,
        Ok(_) => return Some(super::unknown(NAME, "fewer than 20 rows do not tell a shape")),
        Err(unknown) => return Some(unknown),
    };
    let count = residuals.columns.len() as f64;
    let p_value = |residual: &Residual| (count * omnibus(residual)).min(1.0);
    let is_far =
        |residual: &Residual| residual.skewness.abs() >= SKEWED || residual.excess_kurtosis.abs() >= HEAVY;
    let known =
        || residuals.columns.iter().enumerate().filter_map(|(node, found)| Some((node, found.as_ref()?)));
    let least = known().map(|(_, residual)| p_value(residual)).fold(1.0, f64::min);
    let mut far: Vec<(usize, &Residual)> =
        known().filter(|(_, residual)| is_far(residual) && p_value(residual) < LEVEL).collect();
    far.sort_by(|a, b| p_value(a.1).total_cmp(&p_value(b.1)).then(a.0.cmp(&b.0)));
    let nodes: Vec<usize> = far.iter().map(|(node, _)| *node).collect();
    if look.is_by("non-gaussian") {
        return Some(unused(
            NAME,
            least,
            "the score allows for noise of any shape, and takes directions from it",
        ));
    }
    let caution = (!nodes.is_empty()).then(|| {
        format!(
            "the residuals of {} are not normal: a logarithm or a root of skewed columns may help; edges stand as \
             correlations, p-values and prices are off, and the score non-gaussian may tell more directions",
            look.named(&nodes)
        )
    });
    Some(judged(NAME, least, caution, "residuals are as normal as the scores take them to be"))
}

/// The largest excess kurtosis.
pub(super) fn tails(look: &Look<'_, '_>) -> Option<Diagnostic> {
    const NAME: &str = "tails";
    let residuals = match look.residuals(NAME)? {
        Ok(residuals) if residuals.fewest_rows() >= LEAST_ROWS => residuals,
        Ok(_) => return Some(super::unknown(NAME, "fewer than 20 rows do not tell tails")),
        Err(unknown) => return Some(unknown),
    };
    let count = residuals.columns.len() as f64;
    let known =
        || residuals.columns.iter().enumerate().filter_map(|(node, found)| Some((node, found.as_ref()?)));
    let is_heavy = |residual: &Residual| {
        let z = kurtosis_z(residual.excess_kurtosis, residual.rows);
        residual.excess_kurtosis >= HEAVY && count * normal_tails(z) < LEVEL
    };
    let largest = known().map(|(_, residual)| residual.excess_kurtosis).fold(f64::NEG_INFINITY, f64::max);
    let mut heavy: Vec<(usize, f64)> = known()
        .filter(|(_, residual)| is_heavy(residual))
        .map(|(node, residual)| (node, residual.excess_kurtosis))
        .collect();
    heavy.sort_by(|a, b| b.1.total_cmp(&a.1));
    let nodes: Vec<usize> = heavy.iter().map(|&(node, _)| node).collect();
    let caution = (!nodes.is_empty()).then(|| {
        format!(
            "few rows decide about {}: look at the largest values there, and learn again without them or with ranks",
            look.named(&nodes)
        )
    });
    Some(judged(NAME, largest, caution, "no residuals have heavy tails"))
}

/// The p-value of D'Agostino and Pearson's K², which is χ² with two degrees of freedom.
fn omnibus(residual: &Residual) -> f64 {
    let Residual { rows, skewness, excess_kurtosis, .. } = *residual;
    let (skewness, kurtosis) = (skewness_z(skewness, rows), kurtosis_z(excess_kurtosis, rows));
    exp(-0.5 * (skewness * skewness + kurtosis * kurtosis))
}

/// The skewness of n normal values as a standard normal (D'Agostino 1970).
fn skewness_z(skewness: f64, n: f64) -> f64 {
    let y = skewness * ((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0))).sqrt();
    let beta = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0)
        / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0));
    let square = (2.0 * (beta - 1.0)).sqrt() - 1.0;
    let (delta, alpha) = ((0.5 * ln(square)).sqrt().recip(), (2.0 / (square - 1.0)).sqrt());
    delta * asinh(y / alpha)
}

/// The kurtosis of n normal values as a standard normal (Anscombe and Glynn 1983).
fn kurtosis_z(excess: f64, n: f64) -> f64 {
    let mean = 3.0 * (n - 1.0) / (n + 1.0);
    let variance = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0).powi(2) * (n + 3.0) * (n + 5.0));
    let x = (excess + 3.0 - mean) / variance.sqrt();
    let root = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0))
        * (6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0))).sqrt();
    let a = 6.0 + 8.0 / root * (2.0 / root + (1.0 + 4.0 / (root * root)).sqrt());
    let denominator = 1.0 + x * (2.0 / (a - 4.0)).sqrt();
    let term = denominator.signum() * cbrt((1.0 - 2.0 / a) / denominator.abs());
    (1.0 - 2.0 / (9.0 * a) - term) / (2.0 / (9.0 * a)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of scipy 1.17: `skew`, `kurtosis`, `skewtest`, `kurtosistest` and `normaltest` of ((37k² + 11k) mod 101 / 101)^power
    /// for k below n.
    #[test]
    fn the_transformations_are_those_of_scipy() {
        for (n, skewness, excess_kurtosis, of_skewness, of_kurtosis, p_value) in [
            (
                20.0,
                -0.512_158_984_038_655_2,
                -0.890_397_262_557_006,
                -1.122_829_095_338_632_6,
                -0.855_492_303_962_811_8,
                0.369_240_852_990_026_5,
            ),
            (
                50.0,
                0.639_297_419_156_423,
                -0.348_280_870_861_424_7,
                1.937_649_905_524_718_7,
                -0.238_506_837_658_169_3,
                0.148_720_535_627_068_08,
            ),
            (
                200.0,
                1.219_011_219_395_047_8,
                0.557_441_928_332_707_4,
                5.901_162_373_291_306,
                1.594_914_306_197_657_8,
                7.687_005_738_715_843e-9,
            ),
            (
                1000.0,
                0.718_454_474_621_193_9,
                -0.565_155_759_370_742_6,
                8.445_469_176_436_221,
                -5.091_395_697_748_851,
                7.634_994_095_120_04e-22,
            ),
        ] {
            assert!((skewness_z(skewness, n) - of_skewness).abs() < 1e-9);
            assert!((kurtosis_z(excess_kurtosis, n) - of_kurtosis).abs() < 1e-9);
            let residual = Residual { rows: n, skewness, excess_kurtosis, squares: None };
            assert!((omnibus(&residual) / p_value - 1.0).abs() < 1e-8);
        }
    }
}
