//! The probability that a group of tied items arrives before all that come after it, in whatever order, and its derivatives.
//!
//! Item j arrives at an exponential time with rate w_j, and the first of those that come after at one with rate R. So
//! V = ∫ R e^{−Rt} Π_{i ∈ group} (1 − e^{−w_i t}) dt, a smooth integral over log t whatever the size of the group. Its integrand is
//! log-concave in log t, and falls at least like t to the left and like e^{−Rt} to the right: the trapezoid rule is right to rounding.

use crate::elementary::{exp, exp_m1, ln};

/// The width of the trapezoids, for few tied items and for many, where the integrand is narrow.
const WIDEST_STEP: f64 = 0.2;
const STEP: f64 = 0.5;

/// The logarithm of what is too small a part of the integrand's largest value to count.
const NEGLIGIBLE: f64 = -42.0;

/// log V with its first and second derivatives in the group's scores and in log R, which comes last.
#[derive(Clone, Debug, Default)]
pub(super) struct Tie {
    pub(super) log_value: f64,
    pub(super) gradient: Vec<f64>,
    /// The matrix of second derivatives, row by row.
    pub(super) curvature: Vec<f64>,
    slopes: Vec<f64>,
    nodes: Vec<(f64, f64)>,
}

impl Tie {
    /// Works it out for rates w of the group and R of all behind it.
    pub(super) fn set(&mut self, rates: &[f64], behind: f64) {
        let size = rates.len() + 1;
        let step = WIDEST_STEP.min(STEP / (size as f64).sqrt());
        // From where e^{−Rt} has ended everything, down to where nothing is left on the other side of the largest value.
        let mut log_time = ln((50.0 + 4.0 * size as f64) / behind);
        let mut most = f64::NEG_INFINITY;
        self.nodes.clear();
        loop {
            let time = exp(log_time);
            let arrived: f64 = rates.iter().map(|rate| ln(-exp_m1(-rate * time))).sum();
            let height = ln(behind) + log_time - behind * time + arrived;
            if height < most + NEGLIGIBLE {
                break;
            }
            most = most.max(height);
            self.nodes.push((time, height));
            log_time -= step;
        }
        let total: f64 = self.nodes.iter().map(|(_, height)| exp(height - most)).sum();
        self.log_value = (most + ln(step * total)).min(0.0);
        self.slopes.resize(size, 0.0);
        for list in [&mut self.gradient, &mut self.curvature] {
            list.clear();
        }
        self.gradient.resize(size, 0.0);
        self.curvature.resize(size * size, 0.0);
        for &(time, height) in &self.nodes {
            let weight = exp(height - most) / total;
            for (at, slope) in self.slopes.iter_mut().enumerate() {
                let (first, second) = match rates.get(at) {
                    // d log(1 − e^{−x}) / d log x = x / (eˣ − 1), and once more.
                    Some(rate) => {
                        let x = rate * time;
                        let first = if x > 0.0 { x / exp_m1(x) } else { 1.0 };
                        (first, if first > 0.0 { first * (1.0 - first - x) } else { 0.0 })
                    }
                    None => (1.0 - behind * time, -behind * time),
                };
                *slope = first;
                self.gradient[at] += weight * first;
                self.curvature[at * size + at] += weight * second;
            }
            for (row, first) in self.curvature.chunks_exact_mut(size).zip(&self.slopes) {
                crate::linear::add_scaled(row, weight * first, &self.slopes);
            }
        }
        for (row, first) in self.curvature.chunks_exact_mut(size).zip(&self.gradient) {
            crate::linear::add_scaled(row, -first, &self.gradient);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// V by adding up all orders in which the group can arrive: V(S) = Σ_i w_i / (W(S) + R) V(S less i).
    fn by_subsets(rates: &[f64], behind: f64) -> f64 {
        let mut table = vec![1.0; 1 << rates.len()];
        for set in 1..table.len() {
            let is_in = |item: usize| set >> item & 1 == 1;
            let total: f64 = (0..rates.len()).filter(|&item| is_in(item)).map(|item| rates[item]).sum();
            table[set] = (0..rates.len())
                .filter(|&item| is_in(item))
                .map(|item| rates[item] / (total + behind) * table[set & !(1 << item)])
                .sum();
        }
        table[table.len() - 1]
    }

    #[test]
    fn equals_the_sum_over_all_orders() {
        let mut tie = Tie::default();
        for rates in [vec![1.0, 1.0], vec![0.1, 3.0, 1e-4], vec![1e6, 1.0, 1e-6, 2.0], vec![0.7; 10]] {
            for behind in [1e-8, 0.5, 1.0, 30.0, 1e5] {
                tie.set(&rates, behind);
                let exact = by_subsets(&rates, behind).ln();
                assert!((tie.log_value - exact).abs() < 1e-12 * (1.0 + exact.abs()), "{rates:?} {behind}");
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let (rates, behind) = ([0.3, 2.0, 1.1], 0.8);
        let at = |change: &[f64; 4]| {
            let mut tie = Tie::default();
            let rates: Vec<f64> =
                rates.iter().zip(change).map(|(rate, change)| rate * change.exp()).collect();
            tie.set(&rates, behind * change[3].exp());
            tie
        };
        let (middle, width) = (at(&[0.0; 4]), 1e-5);
        for direction in 0..4 {
            let mut change = [0.0; 4];
            change[direction] = width;
            let more = at(&change);
            change[direction] = -width;
            let less = at(&change);
            assert!(
                ((more.log_value - less.log_value) / (2.0 * width) - middle.gradient[direction]).abs() < 1e-9
            );
            for other in 0..4 {
                let found = (more.gradient[other] - less.gradient[other]) / (2.0 * width);
                assert!((found - middle.curvature[direction * 4 + other]).abs() < 1e-9);
            }
        }
    }
}
