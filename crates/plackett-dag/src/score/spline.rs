//! Smooth functions of a column, as nested spaces of 1, 2, 4 and 8 functions beside the constant: the column itself, its square, and
//! natural cubic splines with knots at the quartiles, the median, the outer deciles and one between. Each is uncorrelated with those before
//! it. The square lets them bend at the ends of the range, where natural splines are straight.

use crate::cholesky::dot;

/// The sizes of the spaces.
pub(super) const LEVELS: [usize; 4] = [1, 2, 4, 8];

/// Where the knots are within the column's values, in the order in which they come in.
const KNOTS: [f64; 6] = [0.25, 0.75, 0.5, 0.1, 0.9, 0.375];

/// A function of which less than this share is new is not taken: a column of few values has few functions.
const NEW: f64 = 1e-6;

/// Up to eight functions of the values, each with mean 0 and mean square 1 over rows that count as much as their weights; none for a
/// column that does not vary.
pub(super) fn functions(values: &[f64], weights: Option<&[f64]>) -> Vec<Vec<f64>> {
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    // Rows that count nothing are like one that does, so that they change no digit, whatever they hold.
    let usual = (0..values.len()).find(|&row| weight(row) > 0.0).map_or(0.0, |row| values[row]);
    let there = |(row, &value): (usize, &f64)| if weight(row) > 0.0 { value } else { usual };
    let mut basis = Vec::with_capacity(2 + KNOTS.len());
    add(&mut basis, values.iter().enumerate().map(there).collect(), weights);
    let Some(column) = basis.first().cloned() else { return basis };
    let mut sorted: Vec<(f64, f64)> =
        column.iter().enumerate().map(|(row, &value)| (value, weight(row))).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (low, high) = (sorted[0].0, sorted[sorted.len() - 1].0);
    add(&mut basis, column.iter().map(|x| x * x).collect(), weights);
    let mut used = vec![low, high];
    for knot in KNOTS.map(|share| quantile(&sorted, share)) {
        if !used.contains(&knot) {
            used.push(knot);
            add(&mut basis, column.iter().map(|&x| bend(x, knot, low, high)).collect(), weights);
        }
    }
    basis
}

/// Where so large a share of the weight is passed in ascending values with their weights: a row of weight two is two rows.
fn quantile(sorted: &[(f64, f64)], share: f64) -> f64 {
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let mut left = (share * (total - 1.0)).round().max(0.0);
    let mut found = f64::NAN;
    for &(value, weight) in sorted {
        found = value;
        if left < weight {
            break;
        }
        left -= weight;
    }
    found
}

/// The natural cubic spline with these three knots that is zero up to the first.
fn bend(x: f64, knot: f64, low: f64, high: f64) -> f64 {
    let cube = |apart: f64| apart.max(0.0).powi(3);
    let part = |from: f64| (cube(x - from) - cube(x - high)) / (high - from);
    part(low) - part(knot)
}

/// Takes a function up with what is new in it.
fn add(basis: &mut Vec<Vec<f64>>, mut function: Vec<f64>, weights: Option<&[f64]>) {
    if normalize(&mut function, weights) == 0.0 {
        return;
    }
    let mut new = 1.0;
    // Twice, because the first time leaves rounding of what was large.
    for _ in 0..2 {
        for other in basis.iter() {
            let shared = mean_product(&function, other, weights);
            function.iter_mut().zip(other).for_each(|(value, other)| *value -= shared * other);
        }
        new *= normalize(&mut function, weights);
    }
    if new > NEW {
        basis.push(function);
    }
}

/// Brings values to mean 0 and mean square 1, and tells the deviation that they had; zero if they do not vary.
fn normalize(values: &mut [f64], weights: Option<&[f64]>) -> f64 {
    // Relative to the largest, so that no square overflows.
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return 0.0;
    }
    values.iter_mut().for_each(|value| *value /= largest);
    let total = weights.map_or(values.len() as f64, |weights| weights.iter().sum());
    let mean = match weights {
        None => values.iter().sum::<f64>() / total,
        Some(weights) => {
            values.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>() / total
        }
    };
    values.iter_mut().for_each(|value| *value -= mean);
    let deviation = mean_product(values, values, weights).sqrt();
    if deviation <= ROUNDING {
        return 0.0;
    }
    values.iter_mut().for_each(|value| *value /= deviation);
    deviation * largest
}

/// A deviation below this share of the values is rounding.
const ROUNDING: f64 = 1e-14;

fn mean_product(a: &[f64], b: &[f64], weights: Option<&[f64]>) -> f64 {
    match weights {
        None => dot(a, b) / a.len() as f64,
        Some(weights) => {
            let products = a.iter().zip(b).zip(weights).map(|((x, y), weight)| weight * x * y);
            products.sum::<f64>() / weights.iter().sum::<f64>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(rows: usize) -> Vec<f64> {
        (0..rows).map(|row| ((row * 37 % 101) as f64).powf(1.5) + row as f64 * 0.01).collect()
    }

    #[test]
    fn functions_are_orthonormal_and_the_first_is_the_column() {
        let values = column(400);
        let weights: Vec<f64> = (0..400).map(|row| f64::from(row % 3)).collect();
        for weights in [None, Some(&weights[..])] {
            let found = functions(&values, weights);
            assert_eq!(found.len(), 8);
            for (a, left) in found.iter().enumerate() {
                assert!(mean_product(left, &vec![1.0; 400], weights).abs() < 1e-12);
                for (b, right) in found.iter().enumerate() {
                    let expected = if a == b { 1.0 } else { 0.0 };
                    assert!((mean_product(left, right, weights) - expected).abs() < 1e-10, "{a} {b}");
                }
            }
            let slope = (found[0][2] - found[0][1]) / (values[2] - values[1]);
            let line = |row: usize| found[0][1] + slope * (values[row] - values[1]);
            let counts = |row: &usize| weights.is_none_or(|weights| weights[*row] > 0.0);
            assert!((0..400).filter(counts).all(|row| (found[0][row] - line(row)).abs() < 1e-9));
        }
    }

    /// The share of a function's variance that so many of the functions leave.
    fn left(values: &[f64], function: impl Fn(f64) -> f64, count: usize) -> f64 {
        let mut target: Vec<f64> = values.iter().map(|&x| function(x)).collect();
        normalize(&mut target, None);
        let basis = functions(values, None);
        1.0 - basis[..count].iter().map(|one| mean_product(one, &target, None).powi(2)).sum::<f64>()
    }

    #[test]
    fn more_functions_follow_more_bends() {
        let values: Vec<f64> = (0..500).map(|row| f64::from(row) / 250.0 - 1.0).collect();
        assert!(left(&values, |x| 3.0 * x + 1.0, 1) < 1e-12);
        assert!(left(&values, |x| x * x, 1) > 0.99 && left(&values, |x| x * x, 2) < 1e-12);
        assert!(
            left(&values, |x| (4.0 * x).sin(), 4) > 0.001 && left(&values, |x| (4.0 * x).sin(), 8) < 0.001
        );
        // A natural spline with all its knots, by its definition: straight beyond the ends, a cubic between the knots.
        let spline = |x: f64| bend(x, 0.0, -1.0, 1.0);
        assert!(left(&values, spline, 8) < 1e-3);
        assert!(
            (bend(2.0, 0.0, -1.0, 1.0) - 2.0 * bend(1.5, 0.0, -1.0, 1.0) + bend(1.0, 0.0, -1.0, 1.0)).abs()
                < 1e-12
        );
    }

    #[test]
    fn few_values_have_few_functions() {
        assert_eq!(functions(&[3.0; 20], None).len(), 0);
        let two: Vec<f64> = (0..20).map(|row| f64::from(row % 2)).collect();
        assert_eq!(functions(&two, None).len(), 1);
        let three: Vec<f64> = (0..30).map(|row| f64::from(row % 3)).collect();
        assert_eq!(functions(&three, None).len(), 2);
        assert_eq!(functions(&[1e308, -1e308, 0.5e308, 0.0], None).len().min(1), 1);
    }

    #[test]
    #[expect(clippy::cast_sign_loss, reason = "numbers of rows")]
    fn quantiles_are_those_of_rows_as_often_as_they_count() {
        let mut values: Vec<(f64, f64)> =
            (0..23).map(|at| (f64::from(at * 7 % 23), f64::from(1 + at % 4))).collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        for count in 1..=values.len() {
            let sorted = &values[..count];
            let all: Vec<f64> =
                sorted.iter().flat_map(|&(value, weight)| vec![value; weight as usize]).collect();
            for share in [0.0, 0.1, 0.25, 0.375, 0.5, 0.75, 0.9, 1.0] {
                let place = (share * (all.len() - 1) as f64).round() as usize;
                assert_eq!(quantile(sorted, share), all[place], "{count} {share}");
            }
        }
        // Less than one row is all there is.
        assert_eq!(quantile(&[(1.0, 0.1), (2.0, 0.1)], 0.9), 1.0);
    }

    #[test]
    fn rows_that_count_nothing_change_no_digit() {
        let values: Vec<f64> = column(60).iter().map(|value| value + 50.0).collect();
        let weights: Vec<f64> = (0..60).map(|row| f64::from(1 + row % 3)).collect();
        let expected = functions(&values, Some(&weights));
        assert_eq!(expected.len(), 8);
        for (place, other) in [(17, -1e300), (0, 0.3), (0, 1e300), (60, 70.0)] {
            let (mut more, mut counts) = (values.clone(), weights.clone());
            more.insert(place, other);
            counts.insert(place, 0.0);
            let mut found = functions(&more, Some(&counts));
            found.iter_mut().for_each(|one| {
                one.remove(place);
            });
            assert_eq!(found, expected, "{other} in row {place}");
        }
    }

    #[test]
    fn means_of_products_are_over_what_counts() {
        let (a, b) = ([1.0, -2.0, 4.0], [3.0, 5.0, 0.5]);
        assert_eq!(mean_product(&a, &b, None), -5.0 / 3.0);
        assert_eq!(mean_product(&a, &b, Some(&[1.0, 0.5, 2.5])), (3.0 - 5.0 + 5.0) / 4.0);
    }

    #[test]
    fn values_are_brought_to_mean_0_and_mean_square_1() {
        let weights = [2.0, 1.0, 0.0, 3.0];
        for own in [None, Some(&weights[..])] {
            let values = [1e200, -2e200, 5e200, 0.5e200];
            let mut found = values;
            let deviation = normalize(&mut found, own);
            let weight = |row: usize| own.map_or(1.0, |own| own[row]);
            let total: f64 = (0..4).map(weight).sum();
            let mean = (0..4).map(|row| weight(row) * values[row] / total).sum::<f64>();
            let away = |row: usize| (values[row] - mean) / 1e200;
            let expected =
                ((0..4).map(|row| weight(row) * away(row) * away(row)).sum::<f64>() / total).sqrt();
            assert!((deviation / 1e200 - expected).abs() < 1e-14, "{deviation} for {expected}");
            assert!((0..4).all(|row| (found[row] - away(row) / expected).abs() < 1e-14));
        }
        assert_eq!(normalize(&mut [0.0; 4], None), 0.0);
        assert_eq!(normalize(&mut [0.1; 4], None), 0.0);
        assert_eq!(normalize(&mut [1.0, f64::INFINITY, 2.0], None), 0.0);
    }
}
