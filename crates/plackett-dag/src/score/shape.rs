//! The shape of a residual: how many nats a row the likelihood gains when its density need not be Gaussian.
//!
//! The densities are p(u) ∝ exp(a₁u + a₂u² + a₃√(1+u²) + a₄ log(1+u²) + a₅u/√(1+u²)) on the range of the values, u having mean 0 and
//! variance 1. The Gaussian is among them, and so are the uniform and the exponential distribution; the Laplace
//! distribution, Student's t and skewed or two-peaked ones nearly. The likelihood is concave in a, needs five means of the data and no
//! more, and is maximized by Newton's method on a fixed quadrature.

use std::sync::LazyLock;

use plackett::elementary::{asinh, cos, cosh, exp, ln, sinh};

/// Functions of u in the exponent.
const TERMS: usize = 5;

/// What a density has beyond the Gaussian's mean and variance.
pub(super) const PARAMETERS: f64 = 3.0;

/// Points of the quadrature, over asinh u: with 32 the gains of the tests' densities change by less than 1e-4, with 64 by 1e-9.
const POINTS: usize = 64;

/// A step that promises less than this, in nats a row, is the last.
const CONVERGED: f64 = 1e-9;

/// Newton's method takes four to ten steps; more are needed only where the likelihood has no maximum.
const MOST_STEPS: usize = 30;

/// Half the logarithm of 2πe: the entropy of the standard normal distribution.
const GAUSSIAN_ENTROPY: f64 = 1.418_938_533_204_672_7;

/// The most that a shape may gain, in nats a row. A lognormal variable has 0.7; more is a density that runs away on a few values.
const MOST_GAIN: f64 = 1.0;

/// What the likelihood needs of standardized values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    means: [f64; TERMS],
    low: f64,
    high: f64,
}

/// The nodes and weights of the Gauss–Legendre rule on [−1, 1].
static RULE: LazyLock<[(f64, f64); POINTS]> = LazyLock::new(|| std::array::from_fn(legendre));

/// One node and its weight: Newton's method on the Legendre polynomial from Tricomi's first guess.
fn legendre(at: usize) -> (f64, f64) {
    let mut x = cos(std::f64::consts::PI * (at as f64 + 0.75) / (POINTS as f64 + 0.5));
    let mut slope = 0.0;
    for _ in 0..8 {
        let (mut value, mut before) = (1.0, 0.0);
        for degree in 0..POINTS {
            let n = degree as f64;
            (value, before) = (((2.0 * n + 1.0) * x * value - n * before) / (n + 1.0), value);
        }
        slope = POINTS as f64 * (x * value - before) / (x * x - 1.0);
        x -= value / slope;
    }
    (x, 2.0 / ((1.0 - x * x) * slope * slope))
}

fn terms(u: f64) -> [f64; TERMS] {
    let root = (1.0 + u * u).sqrt();
    [u, u * u, root, ln(1.0 + u * u), u / root]
}

impl Shape {
    /// Of values that count as much as their weights; nothing if they do not vary. Brings them to mean 0 and variance 1.
    pub(super) fn of(values: &mut [f64], weights: Option<&[f64]>) -> Option<Self> {
        let total = weights.map_or(values.len() as f64, |weights| weights.iter().sum());
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let counts = |row: usize| weight(row) > 0.0;
        let mean = values.iter().enumerate().map(|(row, value)| weight(row) * value).sum::<f64>() / total;
        values.iter_mut().for_each(|value| *value -= mean);
        let squares = values.iter().enumerate().map(|(row, value)| weight(row) * value * value);
        let deviation = (squares.sum::<f64>() / total).sqrt();
        if deviation <= 0.0 || !deviation.is_finite() {
            return None;
        }
        values.iter_mut().for_each(|value| *value /= deviation);
        let there = || values.iter().enumerate().filter(|&(row, _)| counts(row)).map(|(_, &value)| value);
        let (low, high) = (there().fold(f64::INFINITY, f64::min), there().fold(f64::NEG_INFINITY, f64::max));
        let mut sums = match weights {
            None => sums(values),
            Some(weights) => {
                let mut sums = [0.0; TERMS];
                for (&value, &weight) in values.iter().zip(weights) {
                    sums.iter_mut().zip(terms(value)).for_each(|(sum, term)| *sum += weight * term);
                }
                sums
            }
        };
        sums.iter_mut().for_each(|sum| *sum /= total);
        Some(Self { means: sums, low, high })
    }

    /// The nats a row by which the best of the densities is above the Gaussian. O(1).
    pub(super) fn gain(&self) -> f64 {
        let (start, end) = (asinh(self.low), asinh(self.high));
        let (middle, half) = (0.5 * (start + end), 0.5 * (end - start));
        let points: [([f64; TERMS], f64); POINTS] = std::array::from_fn(|at| {
            let (x, weight) = RULE[at];
            let s = middle + half * x;
            (terms(sinh(s)), weight * half * cosh(s))
        });
        let mut density = Density::at([0.0, -0.5, 0.0, 0.0, 0.0], &self.means, &points);
        for _ in 0..MOST_STEPS {
            let (slope, step) = density.newton(&self.means, &points);
            if slope < CONVERGED {
                break;
            }
            let Some(next) = density.step(&step, slope, &self.means, &points) else { break };
            density = next;
        }
        (density.value + GAUSSIAN_ENTROPY).clamp(0.0, MOST_GAIN)
    }
}

/// Sums of the terms: the logarithms of eight values at a time, since no product of so few leaves the range of doubles.
fn sums(values: &[f64]) -> [f64; TERMS] {
    let mut sums = [0.0; TERMS];
    for some in values.chunks(8) {
        let mut product = 1.0;
        for &u in some {
            let square = u * u;
            let root = (1.0 + square).sqrt();
            sums[0] += u;
            sums[1] += square;
            sums[2] += root;
            sums[4] += u / root;
            product *= 1.0 + square;
        }
        sums[3] += ln(product);
    }
    sums
}

/// A density with its mean log-likelihood.
struct Density {
    coefficients: [f64; TERMS],
    value: f64,
    /// The probabilities of the points.
    masses: [f64; POINTS],
}

type Points = [([f64; TERMS], f64); POINTS];

fn dot(a: &[f64; TERMS], b: &[f64; TERMS]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl Density {
    fn at(coefficients: [f64; TERMS], means: &[f64; TERMS], points: &Points) -> Self {
        let exponents: [f64; POINTS] = std::array::from_fn(|at| dot(&coefficients, &points[at].0));
        let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut masses: [f64; POINTS] = std::array::from_fn(|at| points[at].1 * exp(exponents[at] - largest));
        let total: f64 = masses.iter().sum();
        masses.iter_mut().for_each(|mass| *mass /= total);
        Self { coefficients, value: dot(&coefficients, means) - largest - ln(total), masses }
    }

    /// Newton's step, and by how much it would raise the likelihood if that were linear.
    fn newton(&self, means: &[f64; TERMS], points: &Points) -> (f64, [f64; TERMS]) {
        let mut expected = [0.0; TERMS];
        for (mass, (terms, _)) in self.masses.iter().zip(points) {
            expected.iter_mut().zip(terms).for_each(|(sum, term)| *sum += mass * term);
        }
        let mut covariance = [[0.0; TERMS]; TERMS];
        for (mass, (terms, _)) in self.masses.iter().zip(points) {
            let apart: [f64; TERMS] = std::array::from_fn(|k| terms[k] - expected[k]);
            for (row, left) in covariance.iter_mut().zip(apart) {
                row.iter_mut().zip(apart).for_each(|(entry, right)| *entry += mass * left * right);
            }
        }
        let gradient: [f64; TERMS] = std::array::from_fn(|k| means[k] - expected[k]);
        let step = solve(covariance, gradient);
        (dot(&gradient, &step), step)
    }

    /// Along the step, half of it again and again until the likelihood rises as it should; nothing if it does not.
    fn step(&self, step: &[f64; TERMS], slope: f64, means: &[f64; TERMS], points: &Points) -> Option<Self> {
        let mut length = 1.0;
        while length > 1e-6 {
            let coefficients = std::array::from_fn(|k| self.coefficients[k] + length * step[k]);
            let next = Self::at(coefficients, means, points);
            if next.value >= self.value + 1e-4 * length * slope {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }
}

/// The solution of a system whose matrix is a covariance, with a little added to its diagonal: terms may be nearly functions of
/// each other on a narrow range.
fn solve(mut matrix: [[f64; TERMS]; TERMS], mut right: [f64; TERMS]) -> [f64; TERMS] {
    const RIDGE: f64 = 1e-9;
    for (k, row) in matrix.iter_mut().enumerate() {
        row[k] += RIDGE * row[k] + f64::MIN_POSITIVE;
    }
    for k in 0..TERMS {
        let (above, below) = matrix.split_at_mut(k + 1);
        let pivot = &above[k];
        let (known, open) = right.split_at_mut(k + 1);
        for (row, value) in below.iter_mut().zip(open) {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(pivot).skip(k).for_each(|(entry, other)| *entry -= factor * other);
            *value -= factor * known[k];
        }
    }
    for k in (0..TERMS).rev() {
        let known: f64 = (k + 1..TERMS).map(|column| matrix[k][column] * right[column]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 20_000;

    /// The gain of the quantiles of a distribution, which are as good as a sample without chance.
    fn gain_of(quantile: impl Fn(f64) -> f64) -> f64 {
        let mut values: Vec<f64> = (0..ROWS).map(|row| quantile((row as f64 + 0.5) / ROWS as f64)).collect();
        Shape::of(&mut values, None).unwrap().gain()
    }

    /// The negentropy of a distribution of this entropy and variance.
    fn negentropy(entropy: f64, variance: f64) -> f64 {
        GAUSSIAN_ENTROPY + 0.5 * variance.ln() - entropy
    }

    #[test]
    fn gains_are_negentropies() {
        use statrs::distribution::{ContinuousCDF as _, Normal};
        let normal = Normal::standard();
        let laplace = |p: f64| if p < 0.5 { (2.0 * p).ln() } else { -(2.0 * (1.0 - p)).ln() };
        let logistic = |p: f64| (p / (1.0 - p)).ln();
        let gumbel = |p: f64| -(-p.ln()).ln();
        let pi2 = std::f64::consts::PI.powi(2);
        let euler = 0.577_215_664_901_532_9;
        for (name, found, expected, tolerance) in [
            ("normal", gain_of(|p| normal.inverse_cdf(p)), 0.0, 1e-3),
            ("uniform", gain_of(|p| p), negentropy(0.0, 1.0 / 12.0), 1e-3),
            ("exponential", gain_of(|p| -(1.0 - p).ln()), negentropy(1.0, 1.0), 2e-3),
            ("Laplace", gain_of(laplace), negentropy(1.0 + 2_f64.ln(), 2.0), 5e-3),
            ("logistic", gain_of(logistic), negentropy(2.0, pi2 / 3.0), 1e-3),
            ("Gumbel", gain_of(gumbel), negentropy(1.0 + euler, pi2 / 6.0), 8e-3),
        ] {
            assert!((found - expected).abs() < tolerance, "{name}: {found} for {expected}");
        }
    }

    #[test]
    fn the_gain_does_not_change_with_units_nor_with_weights_that_are_counts() {
        let values: Vec<f64> = (0..500).map(|row| f64::from(row * 37 % 101).powi(2)).collect();
        let plain = Shape::of(&mut values.clone(), None).unwrap().gain();
        let mut scaled: Vec<f64> = values.iter().map(|value| 1e6 - 3e4 * value).collect();
        assert!((Shape::of(&mut scaled, None).unwrap().gain() - plain).abs() < 1e-6);
        let mut twice: Vec<f64> = values.iter().chain(&values[..100]).copied().collect();
        let weights: Vec<f64> = (0..500).map(|row| if row < 100 { 2.0 } else { 1.0 }).collect();
        let counted = Shape::of(&mut values.clone(), Some(&weights)).unwrap().gain();
        assert!((Shape::of(&mut twice, None).unwrap().gain() - counted).abs() < 1e-9);
        // Rows that count nothing are not there.
        let mut more: Vec<f64> = values.iter().copied().chain([1e9]).collect();
        let weights: Vec<f64> = [vec![1.0; 500], vec![0.0]].concat();
        assert!((Shape::of(&mut more, Some(&weights)).unwrap().gain() - plain).abs() < 1e-9);
    }

    #[test]
    fn the_rule_integrates_polynomials_exactly() {
        for power in [0, 2, 10, 100] {
            let found: f64 = RULE.iter().map(|(x, weight)| weight * x.powi(power)).sum();
            let exact = 2.0 / (f64::from(power) + 1.0);
            assert!((found - exact).abs() < 1e-13, "power {power}: {found}");
        }
    }

    #[test]
    fn what_does_not_vary_has_no_shape_and_two_values_are_bounded() {
        assert!(Shape::of(&mut [2.0; 10], None).is_none());
        let mut two: Vec<f64> = (0..100).map(|row| f64::from(row % 2)).collect();
        assert!(Shape::of(&mut two, None).unwrap().gain() <= MOST_GAIN);
    }

    /// The terms by the formulas above.
    fn plain_terms(u: f64) -> [f64; TERMS] {
        let root = u.hypot(1.0);
        [u, u.powi(2), root, 2.0 * root.ln(), u / root]
    }

    fn plain_dot(a: &[f64; TERMS], b: &[f64; TERMS]) -> f64 {
        (0..TERMS).map(|k| a[k] * b[k]).sum()
    }

    /// What values from one of the densities need, without chance, and their mean log-likelihood: Simpson's rule on u itself.
    fn of_density(coefficients: [f64; TERMS], low: f64, high: f64) -> (Shape, f64) {
        const STEPS: usize = 4000;
        let width = (high - low) / STEPS as f64;
        let (mut total, mut means) = (0.0, [0.0; TERMS]);
        for at in 0..=STEPS {
            let terms = plain_terms(low + width * at as f64);
            let weight = if at == 0 || at == STEPS { 1.0 } else { [2.0, 4.0][at % 2] };
            let mass = weight * width / 3.0 * plain_dot(&coefficients, &terms).exp();
            total += mass;
            means.iter_mut().zip(terms).for_each(|(mean, term)| *mean += mass * term);
        }
        means.iter_mut().for_each(|mean| *mean /= total);
        (Shape { means, low, high }, plain_dot(&coefficients, &means) - total.ln())
    }

    /// A density is its own best fit, so that the gain is by how much its entropy is below the Gaussian's.
    #[test]
    fn the_gain_of_a_density_of_the_family_is_exact() {
        let cases = [
            ([0.0, 0.0, 0.0, 0.0, 0.0], -1.0, 1.5),
            ([0.7, 0.0, 0.0, 0.0, 0.0], -1.2, 1.4),
            ([-0.4, 0.3, 0.2, -0.5, 0.6], 0.5, 3.0),
            ([0.5, -0.6, 0.4, -1.0, -0.8], -2.0, 3.0),
            ([0.1, 1.0, -2.0, 0.3, 1.2], -1.7, 1.6),
            ([-0.2, 0.1, -3.0, 0.2, 0.5], -6.0, 9.0),
            ([1.0, -0.2, 0.5, 0.5, -0.5], -4.0, -0.5),
        ];
        for (coefficients, low, high) in cases {
            let (shape, value) = of_density(coefficients, low, high);
            let expected = value + GAUSSIAN_ENTROPY;
            assert!(0.0 < expected && expected < MOST_GAIN, "{expected}");
            let found = shape.gain();
            assert!((found - expected).abs() < 2e-8, "{coefficients:?}: {found} for {expected}");
        }
    }

    #[test]
    fn the_terms_and_their_sums_are_those_of_the_formula() {
        let values: Vec<f64> = (0..21).map(|at| 0.37 * f64::from(at * at % 23) - 3.1).collect();
        for count in 0..values.len() {
            let (mut expected, found) = ([0.0; TERMS], sums(&values[..count]));
            for &value in &values[..count] {
                expected.iter_mut().zip(plain_terms(value)).for_each(|(sum, term)| *sum += term);
                assert!((0..TERMS).all(|k| (terms(value)[k] - plain_terms(value)[k]).abs() < 1e-14));
            }
            assert!((0..TERMS).all(|k| (found[k] - expected[k]).abs() < 1e-12), "{found:?} for {expected:?}");
        }
    }

    #[test]
    fn what_is_needed_of_values_is_their_range_and_means() {
        let values: Vec<f64> = (0..37).map(|row| f64::from(row * row % 41) - 7.0).collect();
        let weights: Vec<f64> = (0..37).map(|row| f64::from(row % 4) * 0.75).collect();
        let same = vec![1.0; 37];
        for (given, weights) in [(None, &same), (Some(&weights[..]), &weights)] {
            let total: f64 = weights.iter().sum();
            let mean = values.iter().zip(weights).map(|(value, weight)| weight * value).sum::<f64>() / total;
            let square = |(value, weight): (&f64, &f64)| weight * (value - mean).powi(2);
            let deviation = (values.iter().zip(weights).map(square).sum::<f64>() / total).sqrt();
            let mut scaled = values.clone();
            let found = Shape::of(&mut scaled, given).unwrap();
            let (mut means, mut low, mut high) = ([0.0; TERMS], f64::INFINITY, f64::NEG_INFINITY);
            for (row, &value) in values.iter().enumerate() {
                let u = (value - mean) / deviation;
                assert!((scaled[row] - u).abs() < 1e-13);
                let part = weights[row] / total;
                means.iter_mut().zip(plain_terms(u)).for_each(|(sum, term)| *sum += part * term);
                if weights[row] > 0.0 {
                    (low, high) = (low.min(u), high.max(u));
                }
            }
            assert!((found.low - low).abs() < 1e-13 && (found.high - high).abs() < 1e-13);
            assert!((0..TERMS).all(|k| (found.means[k] - means[k]).abs() < 1e-13), "{found:?} for {means:?}");
        }
    }

    /// A shape with a density that is not its best, and the points of the quadrature.
    fn apart() -> (Shape, Box<Points>, Density) {
        let (shape, _) = of_density([0.3, -0.8, 0.4, 0.2, 0.5], -2.0, 2.5);
        let (low, high) = (shape.low, shape.high);
        let points: Box<Points> = Box::new(std::array::from_fn(|at| {
            let (x, weight) = RULE[at];
            (plain_terms(0.5 * (low + high) + 0.5 * (high - low) * x), 0.5 * (high - low) * weight)
        }));
        let density = Density::at([-0.2, -0.3, 0.1, -0.4, 0.2], &shape.means, &points);
        (shape, points, density)
    }

    #[test]
    fn a_density_has_the_likelihood_and_masses_of_its_points() {
        let (shape, points, density) = apart();
        let weight = |at: usize| points[at].1 * plain_dot(&density.coefficients, &points[at].0).exp();
        let total: f64 = (0..POINTS).map(weight).sum();
        let value = plain_dot(&density.coefficients, &shape.means) - total.ln();
        assert!((density.value - value).abs() < 1e-12);
        assert!((0..POINTS).all(|at| (density.masses[at] - weight(at) / total).abs() < 1e-14));
    }

    /// The step solves −H·s = g, by differences of the likelihood.
    #[test]
    fn newton_s_step_is_that_of_the_derivatives() {
        const H: f64 = 1e-3;
        let (shape, points, density) = apart();
        let (slope, step) = density.newton(&shape.means, &points);
        let longest = step.iter().fold(0.0, |longest: f64, entry| longest.max(entry.abs()));
        let value = |k: usize, one: f64, along: f64| {
            let mut coefficients = density.coefficients;
            coefficients.iter_mut().zip(step).for_each(|(entry, s)| *entry += along * H * s / longest);
            coefficients[k] += one * H;
            Density::at(coefficients, &shape.means, &points).value
        };
        let mut along = 0.0;
        for (k, entry) in step.into_iter().enumerate() {
            let gradient = (value(k, 1.0, 0.0) - value(k, -1.0, 0.0)) / (2.0 * H);
            let mixed = (value(k, 1.0, 1.0) - value(k, 1.0, -1.0) - value(k, -1.0, 1.0)
                + value(k, -1.0, -1.0))
                / (4.0 * H * H)
                * longest;
            assert!((gradient + mixed).abs() < 1e-4 * gradient.abs().max(0.1), "{k}: {gradient} {mixed}");
            along += gradient * entry;
        }
        assert!((along - slope).abs() < 1e-5 * slope, "{along} for {slope}");
    }

    #[test]
    fn a_step_is_halved_until_the_likelihood_rises_as_it_should() {
        let (shape, points, density) = apart();
        let (slope, step) = density.newton(&shape.means, &points);
        let at = |length: f64| {
            let coefficients = std::array::from_fn(|k| density.coefficients[k] + length * step[k]);
            Density::at(coefficients, &shape.means, &points)
        };
        let found =
            |slope: f64| density.step(&step, slope, &shape.means, &points).map(|next| next.coefficients);
        let rise = at(1.0).value - density.value;
        assert!(rise > 0.0 && at(0.5).value - density.value > 0.6 * rise);
        assert_eq!(found(slope), Some(at(1.0).coefficients));
        assert_eq!(found(0.9e4 * rise), Some(at(1.0).coefficients));
        assert_eq!(found(1.2e4 * rise), Some(at(0.5).coefficients));
        assert_eq!(found(f64::INFINITY), None);
        // A step that is much too long.
        let long = step.map(|entry| 64.0 * entry);
        let next = density.step(&long, 64.0 * slope, &shape.means, &points).unwrap();
        assert!(next.value > density.value && next.coefficients != at(64.0).coefficients);
    }

    #[test]
    fn a_system_is_solved_with_a_little_added_to_its_diagonal() {
        let rows: [[f64; TERMS]; TERMS] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                ((7 * i + 3 * j * j + 2) % 11) as f64 - 4.0 + if i == j { 9.0 } else { 0.0 }
            })
        });
        let matrix: [[f64; TERMS]; TERMS] =
            std::array::from_fn(|i| std::array::from_fn(|j| plain_dot(&rows[i], &rows[j])));
        let right = [1.0, -2.0, 0.5, 3.0, -1.5];
        let found = solve(matrix, right);
        for k in 0..TERMS {
            let product = plain_dot(&matrix[k], &found) + 1e-9 * matrix[k][k] * found[k];
            assert!((product - right[k]).abs() < 1e-11, "{product} for {}", right[k]);
        }
        let diagonal = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 3.0 } else { 0.0 }));
        let exact = right.map(|value| value / (3.0 * (1.0 + 1e-9)));
        assert!((0..TERMS).all(|k| (solve(diagonal, right)[k] - exact[k]).abs() < 1e-15));
        // Nothing is divided by zero.
        let tiny = right.map(|value| 1e-300 * value);
        assert_eq!(solve([[0.0; TERMS]; TERMS], tiny), tiny.map(|value| value / f64::MIN_POSITIVE));
    }

    #[test]
    fn the_nodes_of_the_rule_descend_and_are_symmetric() {
        assert!(RULE.windows(2).all(|pair| pair[0].0 > pair[1].0));
        for at in 0..POINTS {
            let ((left, weight), (right, other)) = (RULE[at], RULE[POINTS - 1 - at]);
            assert!((left + right).abs() < 1e-14 && (weight - other).abs() < 1e-14);
        }
    }

    #[test]
    fn values_beyond_all_squares_have_no_shape() {
        assert!(Shape::of(&mut [1e200, -1e200, 0.0], None).is_none());
    }
}
