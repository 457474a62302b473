//! Multinomial logistic regression: P(state k) ∝ exp(aₖ + bₖ·x), with a₀ = 0 and b₀ = 0, by Newton's method.

use plackett::elementary::{exp, ln};
use serde::{Deserialize, Serialize};

use crate::cholesky::dot;

/// The precision of a normal prior on the coefficients of standardized predictors: so weak that it is not seen, and enough to keep them
/// finite where predictors tell the states without a doubt.
const RIDGE: f64 = 1e-3;

/// Steps of Newton's method; it takes a handful.
const STEPS: usize = 100;

/// A step that promises less than this is the last.
const ENOUGH: f64 = 1e-10;

/// The most coefficients, whose second derivatives take 32 MB.
pub(crate) const MOST_COEFFICIENTS: usize = 2000;

/// The probabilities of a category's states given numbers, and categories as indicators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Logistic {
    /// Of each state but the first, the intercept and then a coefficient for each predictor: the numbers among the parents, ascending,
    /// and of each category among them, ascending, its states but the first.
    pub coefficients: Vec<Vec<f64>>,
}

impl Logistic {
    /// Fits to rows of predictors, each with a state and what it counts. `rows` has `width` predictors each.
    pub(super) fn fit(rows: &[f64], width: usize, states: &[usize], weights: &[f64], count: usize) -> Self {
        let total: f64 = weights.iter().sum();
        let mut means = vec![0.0; width];
        let mut scales = vec![0.0; width];
        for (row, weight) in rows.chunks_exact(width).zip(weights) {
            means.iter_mut().zip(row).for_each(|(mean, value)| *mean += weight / total * value);
        }
        for (row, weight) in rows.chunks_exact(width).zip(weights) {
            let terms = scales.iter_mut().zip(row).zip(&means);
            terms.for_each(|((scale, value), mean)| *scale += weight / total * (value - mean).powi(2));
        }
        scales.iter_mut().for_each(|scale| *scale = if *scale > 0.0 { scale.sqrt() } else { 1.0 });
        let mut standardized = Vec::with_capacity(rows.len() / width.max(1) * (width + 1));
        for row in rows.chunks_exact(width) {
            standardized.push(1.0);
            let terms = row.iter().zip(&means).zip(&scales);
            standardized.extend(terms.map(|((value, mean), scale)| (value - mean) / scale));
        }
        let problem = Problem { rows: &standardized, width: width + 1, states, weights, count };
        let found = problem.solve();
        // Back to the units of the predictors.
        let coefficients = found.chunks_exact(width + 1).map(|slopes| {
            let own: Vec<f64> = slopes[1..].iter().zip(&scales).map(|(slope, scale)| slope / scale).collect();
            std::iter::once(slopes[0] - dot(&own, &means)).chain(own.iter().copied()).collect()
        });
        Self { coefficients: coefficients.collect() }
    }

    /// The logarithms of the states' probabilities given predictors.
    pub(super) fn log_probabilities(&self, predictors: &[f64]) -> Vec<f64> {
        let scores = self.coefficients.iter().map(|slopes| slopes[0] + dot(&slopes[1..], predictors));
        log_softmax(std::iter::once(0.0).chain(scores).collect())
    }
}

fn log_softmax(mut scores: Vec<f64>) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum = ln(scores.iter().map(|score| exp(score - most)).sum::<f64>()) + most;
    scores.iter_mut().for_each(|score| *score -= sum);
    scores
}

/// Rows that begin with a one, and what was seen in them.
struct Problem<'a> {
    rows: &'a [f64],
    width: usize,
    states: &'a [usize],
    weights: &'a [f64],
    count: usize,
}

impl Problem<'_> {
    fn log_probabilities(&self, slopes: &[f64], row: &[f64]) -> Vec<f64> {
        let scores = slopes.chunks_exact(self.width).map(|slopes| dot(slopes, row));
        log_softmax(std::iter::once(0.0).chain(scores).collect())
    }

    /// The penalized log-likelihood, to be maximized. The intercepts are free.
    fn value(&self, slopes: &[f64]) -> f64 {
        let rows = self.rows.chunks_exact(self.width).zip(self.states).zip(self.weights);
        let likelihood: f64 =
            rows.map(|((row, &state), weight)| weight * self.log_probabilities(slopes, row)[state]).sum();
        let penalty: f64 =
            slopes.chunks_exact(self.width).map(|slopes| dot(&slopes[1..], &slopes[1..])).sum();
        likelihood - 0.5 * RIDGE * penalty
    }

    fn solve(&self) -> Vec<f64> {
        let (width, size) = (self.width, self.width * (self.count - 1));
        let mut slopes = vec![0.0; size];
        let mut value = self.value(&slopes);
        for _ in 0..STEPS {
            let (gradient, curvature) = self.derivatives(&slopes);
            let Some(step) = solve_positive(&curvature, gradient.clone()) else { break };
            let promise = dot(&gradient, &step);
            let mut share = 1.0;
            // The log-likelihood is concave: a step that overshoots is halved.
            loop {
                let next: Vec<f64> =
                    slopes.iter().zip(&step).map(|(slope, step)| slope + share * step).collect();
                let there = self.value(&next);
                if there >= value || share < 1e-10 {
                    (slopes, value) = (next, there);
                    break;
                }
                share *= 0.5;
            }
            if promise < ENOUGH {
                break;
            }
        }
        debug_assert_eq!(slopes.len() % width.max(1), 0);
        slopes
    }

    /// The gradient, and the negative second derivatives.
    fn derivatives(&self, slopes: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (width, others) = (self.width, self.count - 1);
        let size = width * others;
        let mut gradient = vec![0.0; size];
        let mut curvature = vec![0.0; size * size];
        for ((row, &state), &weight) in self.rows.chunks_exact(width).zip(self.states).zip(self.weights) {
            let chances: Vec<f64> =
                self.log_probabilities(slopes, row).into_iter().skip(1).map(exp).collect();
            for k in 0..others {
                let surprise = f64::from(u8::from(state == k + 1)) - chances[k];
                for (a, value) in row.iter().enumerate() {
                    gradient[k * width + a] += weight * surprise * value;
                }
                for l in 0..=k {
                    let spread = weight * chances[k] * (f64::from(u8::from(k == l)) - chances[l]);
                    for (a, x) in row.iter().enumerate() {
                        let line = &mut curvature[(k * width + a) * size + l * width..][..width];
                        line.iter_mut().zip(row).for_each(|(entry, y)| *entry += spread * x * y);
                    }
                }
            }
        }
        for at in 0..size {
            for other in 0..at {
                curvature[other * size + at] = curvature[at * size + other];
            }
            if at % width > 0 {
                gradient[at] -= RIDGE * slopes[at];
                curvature[at * size + at] += RIDGE;
            } else {
                // Only where a state never occurs does an intercept run away.
                gradient[at] -= 1e-9 * slopes[at];
                curvature[at * size + at] += 1e-9;
            }
        }
        (gradient, curvature)
    }
}

/// The solution of a positive definite system; nothing if it is none.
fn solve_positive(matrix: &[f64], mut x: Vec<f64>) -> Option<Vec<f64>> {
    let size = x.len();
    let mut lower = vec![0.0; size * size];
    for at in 0..size {
        for other in 0..=at {
            let known = dot(&lower[at * size..at * size + other], &lower[other * size..other * size + other]);
            let rest = matrix[at * size + other] - known;
            lower[at * size + other] = if at == other {
                Some(rest.sqrt()).filter(|root| *root > 0.0)?
            } else {
                rest / lower[other * size + other]
            };
        }
    }
    for at in 0..size {
        x[at] = (x[at] - dot(&lower[at * size..at * size + at], &x[..at])) / lower[at * size + at];
    }
    for at in (0..size).rev() {
        let known: f64 = (at + 1..size).map(|below| lower[below * size + at] * x[below]).sum();
        x[at] = (x[at] - known) / lower[at * size + at];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With one indicator the fitted probabilities are the shares observed.
    #[test]
    fn with_one_indicator_the_probabilities_are_the_shares() {
        let counts = [[30.0, 12.0, 8.0], [5.0, 15.0, 40.0]];
        let (mut rows, mut states, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (x, shares) in counts.iter().enumerate() {
            for (state, &count) in shares.iter().enumerate() {
                rows.push(x as f64);
                states.push(state);
                weights.push(count);
            }
        }
        let found = Logistic::fit(&rows, 1, &states, &weights, 3);
        for (x, shares) in counts.iter().enumerate() {
            let chances = found.log_probabilities(&[x as f64]);
            for (state, &count) in shares.iter().enumerate() {
                let share = count / shares.iter().sum::<f64>();
                assert!(
                    (chances[state].exp() - share).abs() < 1e-3,
                    "{x} {state}: {} {share}",
                    chances[state].exp()
                );
            }
        }
    }

    /// The derivatives against finite differences.
    #[test]
    fn derivatives_are_those_of_the_value() {
        let rows: Vec<f64> = (0..20)
            .flat_map(|row| [1.0, f64::from(row * 7 % 11) - 5.0, f64::from(row * 5 % 9) - 4.0])
            .collect();
        let states: Vec<usize> = (0..20).map(|row| row * 3 % 7 % 3).collect();
        let weights: Vec<f64> = (0..20).map(|row| 1.0 + f64::from(row % 2)).collect();
        let problem = Problem { rows: &rows, width: 3, states: &states, weights: &weights, count: 3 };
        let slopes = [0.1, -0.2, 0.05, 0.3, 0.15, -0.1];
        let (gradient, curvature) = problem.derivatives(&slopes);
        let step = 1e-5;
        for at in 0..6 {
            let moved = |sign: f64| {
                let mut slopes = slopes;
                slopes[at] += sign * step;
                slopes
            };
            let slope = (problem.value(&moved(1.0)) - problem.value(&moved(-1.0))) / (2.0 * step);
            assert!((slope - gradient[at]).abs() < 1e-6, "{at}: {slope} {}", gradient[at]);
            let (up, down) = (problem.derivatives(&moved(1.0)).0, problem.derivatives(&moved(-1.0)).0);
            for other in 0..6 {
                let second = -(up[other] - down[other]) / (2.0 * step);
                assert!((second - curvature[at * 6 + other]).abs() < 1e-5, "{at} {other}");
            }
        }
    }

    #[test]
    fn states_that_predictors_tell_without_a_doubt_have_finite_coefficients() {
        let rows: Vec<f64> = (0..40).map(|row| f64::from(row) - 19.5).collect();
        let states: Vec<usize> = (0..40).map(|row| usize::from(row >= 20)).collect();
        let found = Logistic::fit(&rows, 1, &states, &[1.0; 40], 2);
        assert!(found.coefficients[0].iter().all(|slope| slope.is_finite()));
        assert!(found.log_probabilities(&[10.0])[1].exp() > 0.99);
    }
}
