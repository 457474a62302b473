//! Least squares on the moments of a few columns: coefficients, their covariance, and what is left unexplained.

use crate::Gram;

/// A predictor of which less than this share is its own, and not told by those before it, is taken for a combination of them: its
/// coefficient is zero. Correlations carry about 1e-16 of rounding, and products of a few dozen of them 1e-14.
const ALIASED: f64 = 1e-11;

/// The least variance that is left, as a share of the outcome's own: rounding leaves none of an outcome that is a combination of its
/// predictors, and a variance of zero has no density.
const LEAST_VARIANCE: f64 = 1e-16;

/// Means and centered products of some columns, per row.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    /// As many rows of equal weight would say as much.
    pub(crate) rows: f64,
    means: Vec<f64>,
    products: Vec<f64>,
}

impl Moments {
    /// Of `size` columns, which `fill` gives for a row; each row comes with what it counts. Whole weights are numbers of rows; others are
    /// relative, and count by Kish's formula. O(rows · size²).
    pub(crate) fn of_rows(
        size: usize,
        rows: &[(usize, f64)],
        mut fill: impl FnMut(usize, &mut [f64]),
    ) -> Self {
        let total: f64 = rows.iter().map(|row| row.1).sum();
        let squares: f64 = rows.iter().map(|row| row.1 * row.1).sum();
        let are_whole = rows.iter().all(|row| row.1.fract() == 0.0);
        let mut values = vec![0.0; size];
        let mut means = vec![0.0; size];
        for &(row, weight) in rows {
            fill(row, &mut values);
            means.iter_mut().zip(&values).for_each(|(mean, value)| *mean += weight / total * value);
        }
        let mut products = vec![0.0; size * size];
        for &(row, weight) in rows {
            fill(row, &mut values);
            values.iter_mut().zip(&means).for_each(|(value, mean)| *value -= mean);
            for (a, line) in products.chunks_exact_mut(size).enumerate() {
                let scaled = weight / total * values[a];
                line[..=a].iter_mut().zip(&values).for_each(|(product, value)| *product += scaled * value);
            }
        }
        for a in 0..size {
            for b in 0..a {
                products[b * size + a] = products[a * size + b];
            }
        }
        Self { rows: if are_whole { total } else { total * total / squares }, means, products }
    }

    /// Of some columns whose moments are known.
    pub(crate) fn of_gram(gram: &Gram, columns: &[usize]) -> Self {
        let (means, scales) = (gram.means(), gram.scales());
        let entry = |a: usize, b: usize| gram.entry(a, b) * scales[a] * scales[b];
        Self {
            rows: gram.rows() as f64,
            means: columns.iter().map(|&at| means[at]).collect(),
            products: columns.iter().flat_map(|&a| columns.iter().map(move |&b| entry(a, b))).collect(),
        }
    }

    /// The variance of the last column, the number of rows being the divisor.
    pub(crate) fn last_variance(&self) -> f64 {
        self.products.last().copied().unwrap_or(0.0)
    }

    /// The regression of the last column on the others. O(size³).
    pub(crate) fn regress_last(&self) -> LeastSquares {
        let size = self.means.len();
        let predictors = size - 1;
        let product = |a: usize, b: usize| self.products[a * size + b];
        let deviations: Vec<f64> = (0..size).map(|at| product(at, at).max(0.0).sqrt()).collect();
        // The factor of the predictors' correlations; aliased ones are left out of it.
        let mut lower: Vec<Vec<f64>> = Vec::new();
        let mut kept: Vec<usize> = Vec::new();
        for at in 0..predictors {
            if deviations[at] <= 0.0 {
                continue;
            }
            let correlation = |other: usize| product(at, other) / (deviations[at] * deviations[other]);
            let mut row: Vec<f64> = Vec::with_capacity(kept.len() + 1);
            for (t, &other) in kept.iter().enumerate() {
                let known: f64 = lower[t].iter().zip(&row).map(|(x, y)| x * y).sum();
                row.push((correlation(other) - known) / lower[t][t]);
            }
            let rest = 1.0 - row.iter().map(|value| value * value).sum::<f64>();
            if rest > ALIASED {
                row.push(rest.sqrt());
                lower.push(row);
                kept.push(at);
            }
        }
        let rank = kept.len();
        let solve = |mut x: Vec<f64>| {
            for t in 0..rank {
                let known: f64 = lower[t][..t].iter().zip(&x).map(|(l, y)| l * y).sum();
                x[t] = (x[t] - known) / lower[t][t];
            }
            for t in (0..rank).rev() {
                let known: f64 = (t + 1..rank).map(|s| lower[s][t] * x[s]).sum();
                x[t] = (x[t] - known) / lower[t][t];
            }
            x
        };
        let with_outcome: Vec<f64> =
            kept.iter().map(|&at| product(at, predictors) / deviations[at]).collect();
        let slopes = solve(with_outcome.clone());
        let explained: f64 = slopes.iter().zip(&with_outcome).map(|(slope, product)| slope * product).sum();
        let mut coefficients = vec![0.0; predictors];
        let mut inverse = vec![0.0; predictors * predictors];
        for (t, &at) in kept.iter().enumerate() {
            coefficients[at] = slopes[t] / deviations[at];
            let mut unit = vec![0.0; rank];
            unit[t] = 1.0;
            for (value, &other) in solve(unit).into_iter().zip(&kept) {
                inverse[at * predictors + other] = value / (deviations[at] * deviations[other] * self.rows);
            }
        }
        let mut is_aliased = vec![true; predictors];
        kept.iter().for_each(|&at| is_aliased[at] = false);
        let fitted: f64 = coefficients.iter().zip(&self.means).map(|(slope, mean)| slope * mean).sum();
        let freedom = self.rows - 1.0 - rank as f64;
        let unexplained = (self.last_variance() - explained).max(LEAST_VARIANCE * self.last_variance());
        LeastSquares {
            intercept: self.means[predictors] - fitted,
            coefficients,
            inverse,
            is_aliased,
            variance: (unexplained * self.rows / freedom.max(f64::MIN_POSITIVE)).max(f64::MIN_POSITIVE),
            freedom,
            rows: self.rows,
            means: self.means[..predictors].to_vec(),
        }
    }
}

/// A regression of an outcome on predictors, with an intercept.
#[derive(Clone, Debug)]
pub(crate) struct LeastSquares {
    pub(crate) intercept: f64,
    pub(crate) coefficients: Vec<f64>,
    /// The inverse of the predictors' centered products, row-major; zero where they are aliased.
    pub(crate) inverse: Vec<f64>,
    /// Predictors that those before them tell already.
    pub(crate) is_aliased: Vec<bool>,
    /// What is left unexplained, per degree of freedom.
    pub(crate) variance: f64,
    /// Rows less coefficients.
    pub(crate) freedom: f64,
    pub(crate) rows: f64,
    pub(crate) means: Vec<f64>,
}

impl LeastSquares {
    /// The standard error of a coefficient; nothing if it is aliased or no freedom is left.
    pub(crate) fn error(&self, at: usize) -> Option<f64> {
        let predictors = self.coefficients.len();
        let is_known = !self.is_aliased[at] && self.freedom > 0.0;
        is_known.then(|| (self.variance * self.inverse[at * predictors + at]).sqrt())
    }

    /// The standard error of the intercept.
    pub(crate) fn intercept_error(&self) -> Option<f64> {
        let predictors = self.coefficients.len();
        let row = |at: usize| &self.inverse[at * predictors..][..predictors];
        let form: f64 = (0..predictors)
            .map(|at| self.means[at] * row(at).iter().zip(&self.means).map(|(x, y)| x * y).sum::<f64>())
            .sum();
        (self.freedom > 0.0).then(|| (self.variance * (1.0 / self.rows + form)).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longley's data, an ill-conditioned set whose regression NIST has certified
    /// (<https://www.itl.nist.gov/div898/strd/lls/data/Longley.shtml>).
    const LONGLEY: [[f64; 7]; 16] = [
        [83.0, 234_289.0, 2356.0, 1590.0, 107_608.0, 1947.0, 60_323.0],
        [88.5, 259_426.0, 2325.0, 1456.0, 108_632.0, 1948.0, 61_122.0],
        [88.2, 258_054.0, 3682.0, 1616.0, 109_773.0, 1949.0, 60_171.0],
        [89.5, 284_599.0, 3351.0, 1650.0, 110_929.0, 1950.0, 61_187.0],
        [96.2, 328_975.0, 2099.0, 3099.0, 112_075.0, 1951.0, 63_221.0],
        [98.1, 346_999.0, 1932.0, 3594.0, 113_270.0, 1952.0, 63_639.0],
        [99.0, 365_385.0, 1870.0, 3547.0, 115_094.0, 1953.0, 64_989.0],
        [100.0, 363_112.0, 3578.0, 3350.0, 116_219.0, 1954.0, 63_761.0],
        [101.2, 397_469.0, 2904.0, 3048.0, 117_388.0, 1955.0, 66_019.0],
        [104.6, 419_180.0, 2822.0, 2857.0, 118_734.0, 1956.0, 67_857.0],
        [108.4, 442_769.0, 2936.0, 2798.0, 120_445.0, 1957.0, 68_169.0],
        [110.8, 444_546.0, 4681.0, 2637.0, 121_950.0, 1958.0, 66_513.0],
        [112.6, 482_704.0, 3813.0, 2552.0, 123_366.0, 1959.0, 68_655.0],
        [114.2, 502_601.0, 3931.0, 2514.0, 125_368.0, 1960.0, 69_564.0],
        [115.7, 518_173.0, 4806.0, 2572.0, 127_852.0, 1961.0, 69_331.0],
        [116.9, 554_894.0, 4007.0, 2827.0, 130_081.0, 1962.0, 70_551.0],
    ];

    fn close(found: f64, certified: f64) {
        assert!((found / certified - 1.0).abs() < 1e-8, "{found} {certified}");
    }

    #[test]
    fn coefficients_and_errors_are_the_certified_ones_of_longley() {
        let rows: Vec<(usize, f64)> = (0..16).map(|row| (row, 1.0)).collect();
        let moments = Moments::of_rows(7, &rows, |row, values| values.copy_from_slice(&LONGLEY[row]));
        let found = moments.regress_last();
        close(found.intercept, -3_482_258.634_595_82);
        close(found.intercept_error().unwrap(), 890_420.383_607_373);
        let certified = [
            (15.061_872_271_373_3, 84.914_925_774_766_9),
            (-0.358_191_792_925_910e-1, 0.334_910_077_722_432e-1),
            (-2.020_229_803_816_83, 0.488_399_681_651_699),
            (-1.033_226_867_173_59, 0.214_274_163_161_675),
            (-0.511_041_056_535_807e-1, 0.226_073_200_069_370),
            (1_829.151_464_613_55, 455.478_499_142_212),
        ];
        for (at, (slope, error)) in certified.into_iter().enumerate() {
            close(found.coefficients[at], slope);
            close(found.error(at).unwrap(), error);
        }
        close(found.variance.sqrt(), 304.854_073_561_965);
    }

    #[test]
    fn whole_weights_are_rows_and_combinations_are_left_out() {
        let values = |row: usize| {
            let x = (row * 7 % 5) as f64;
            let z = (row * 11 % 7) as f64;
            [x, z, x + 2.0 * z, 1.0 + x - 3.0 * z + (row * 13 % 3) as f64]
        };
        let weighted: Vec<(usize, f64)> = (0..9).map(|row| (row, 1.0 + (row % 3) as f64)).collect();
        let repeated: Vec<(usize, f64)> =
            weighted.iter().flat_map(|&(row, _)| vec![(row, 1.0); 1 + row % 3]).collect();
        let fit = |rows: &[(usize, f64)]| {
            Moments::of_rows(4, rows, |row, target| target.copy_from_slice(&values(row))).regress_last()
        };
        let (a, b) = (fit(&weighted), fit(&repeated));
        assert_eq!((a.is_aliased.as_slice(), a.coefficients[2]), (&[false, false, true][..], 0.0));
        assert_eq!((a.rows, a.freedom, a.error(2)), (18.0, 15.0, None));
        for at in 0..2 {
            assert!((a.coefficients[at] - b.coefficients[at]).abs() < 1e-12);
            assert!((a.error(at).unwrap() - b.error(at).unwrap()).abs() < 1e-12);
        }
    }
}
