//! The log-likelihood of rankings, its gradient and its information matrix (the second derivatives, negated).
//!
//! With Θ_j the sum of exp θ over what is left at stage j, an item alone at its rank adds θ − log Θ_j. So every item that was there at the stages
//! up to its own has the gradient −w Σ_j 1/Θ_j, and any two of them have −w w' Σ_j 1/Θ_j² in the information: two
//! sums that are carried along the ranking, and O(k²) for all pairs. A tie adds to both sums, and has terms of its own.

use super::{Ranking, tie::Tie};
use crate::{
    elementary::{exp, ln},
    parallel,
    run::Run,
};

/// Rankings that are worked on at a time: few enough to be stopped between, and always the same, so that sums do not depend on threads.
const PART: usize = 64;

/// Scores further below the largest of a ranking than this count as this far.
const FARTHEST: f64 = -300.0;

/// The log-likelihood with its derivatives.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    /// Row by row.
    pub(super) information: Vec<f64>,
}

impl Sums {
    /// Takes `ridge`/2 Σθ² off the log-likelihood, for scores that sum to zero: constants have no information from it either.
    pub(super) fn add_ridge(&mut self, ridge: f64, scores: &[f64]) {
        let items = scores.len();
        self.information.iter_mut().for_each(|entry| *entry -= ridge / items as f64);
        for (item, score) in scores.iter().enumerate() {
            self.value -= 0.5 * ridge * score * score;
            self.gradient[item] -= ridge * score;
            self.information[item * (items + 1)] += ridge;
        }
    }
}

/// The log-likelihood alone.
pub(super) fn log_likelihood(rankings: &[Ranking], scores: &[f64], run: &Run) -> Option<f64> {
    let parts: Vec<&[Ranking]> = rankings.chunks(PART).collect();
    let values = parallel::map(&parts, |_, part| {
        let mut stages = Stages::default();
        (!run.is_over())
            .then(|| part.iter().map(|ranking| ranking.weight * stages.value(ranking, scores)).sum::<f64>())
    });
    values.into_iter().sum()
}

/// The log-likelihood and its derivatives; nothing if the run is over.
pub(super) fn sums(rankings: &[Ranking], scores: &[f64], run: &Run) -> Option<Sums> {
    let items = scores.len();
    let zero = || Sums { value: 0.0, gradient: vec![0.0; items], information: vec![0.0; items * items] };
    // As many matrices at a time as there are threads, each of the same rankings whatever that number is.
    let parts: Vec<&[Ranking]> = rankings.chunks(PART.max(items)).collect();
    let mut total = zero();
    for parts in parts.chunks(parallel::width()) {
        let found = parallel::map(parts, |_, part| {
            let (mut sums, mut stages) = (zero(), Stages::default());
            part.iter().for_each(|ranking| stages.add(ranking, scores, &mut sums));
            sums
        });
        if run.is_over() {
            return None;
        }
        for sums in found {
            total.value += sums.value;
            crate::linear::add_scaled(&mut total.gradient, 1.0, &sums.gradient);
            crate::linear::add_scaled(&mut total.information, 1.0, &sums.information);
        }
    }
    for row in 0..items {
        for column in 0..row {
            total.information[row * items + column] = total.information[column * items + row];
        }
    }
    Some(total)
}

/// A ranking taken apart; room for all.
#[derive(Default)]
struct Stages {
    items: Vec<usize>,
    weights: Vec<f64>,
    /// Σ exp θ of all behind each group.
    behind: Vec<f64>,
    /// For each rank Σ 1/Θ and Σ 1/Θ² over the stages that its item was left at.
    inverse: Vec<f64>,
    squares: Vec<f64>,
    tie: Tie,
}

impl Stages {
    fn read(&mut self, ranking: &Ranking, scores: &[f64]) {
        self.items.clear();
        self.items.extend(ranking.groups.iter().flatten());
        let most = self.items.iter().map(|&item| scores[item]).fold(f64::NEG_INFINITY, f64::max);
        self.weights.clear();
        self.weights.extend(self.items.iter().map(|&item| exp((scores[item] - most).max(FARTHEST))));
        self.behind.clear();
        self.behind.resize(ranking.groups.len(), 0.0);
        let (mut sum, mut end) = (0.0, self.items.len());
        for (behind, group) in self.behind.iter_mut().zip(&ranking.groups).rev() {
            *behind = sum;
            sum += self.weights[end - group.len()..end].iter().sum::<f64>();
            end -= group.len();
        }
    }

    fn value(&mut self, ranking: &Ranking, scores: &[f64]) -> f64 {
        self.read(ranking, scores);
        let (mut value, mut start) = (0.0, 0);
        for (group, &behind) in
            ranking.groups.iter().zip(&self.behind).take(ranking.groups.len().saturating_sub(1))
        {
            let rates = &self.weights[start..start + group.len()];
            start += group.len();
            value += if let [rate] = rates {
                ln(rate / (rate + behind))
            } else {
                self.tie.set(rates, behind);
                self.tie.log_value
            };
        }
        value
    }

    /// Adds the upper half of the information, and the rest whole.
    fn add(&mut self, ranking: &Ranking, scores: &[f64], sums: &mut Sums) {
        self.read(ranking, scores);
        let Self { items, weights, behind, inverse, squares, tie } = self;
        let (count, times) = (scores.len(), ranking.weight);
        let place = |a: usize, b: usize| a.min(b) * count + a.max(b);
        inverse.clear();
        squares.clear();
        let (mut all_inverse, mut all_squares) = (0.0, 0.0);
        for (number, (group, &behind)) in ranking.groups.iter().zip(&*behind).enumerate() {
            let start = inverse.len();
            let end = start + group.len();
            let is_last = number + 1 == ranking.groups.len();
            if let (false, [rate]) = (is_last, &weights[start..end]) {
                let sum = rate + behind;
                sums.value += times * ln(rate / sum);
                sums.gradient[group[0]] += times;
                all_inverse += 1.0 / sum;
                all_squares += 1.0 / (sum * sum);
            }
            inverse.resize(end, all_inverse);
            squares.resize(end, all_squares);
            if is_last || group.len() == 1 {
                continue;
            }
            tie.set(&weights[start..end], behind);
            sums.value += times * tie.log_value;
            let size = group.len();
            for (at, &item) in group.iter().enumerate() {
                sums.gradient[item] += times * tie.gradient[at];
                let row = &tie.curvature[at * (size + 1)..][..=size];
                for (&other, curvature) in group[at..].iter().zip(&row[at..]) {
                    sums.information[place(item, other)] -= times * curvature;
                }
                for (&other, weight) in items[end..].iter().zip(&weights[end..]) {
                    sums.information[place(item, other)] -= times * row[size] * weight / behind;
                }
            }
            let (slope, curvature) = (tie.gradient[size], tie.curvature[size * (size + 1) + size]);
            all_inverse -= slope / behind;
            all_squares += (curvature - slope) / (behind * behind);
        }
        for (rank, (&item, &weight)) in items.iter().zip(&*weights).enumerate() {
            sums.gradient[item] -= times * weight * inverse[rank];
            sums.information[place(item, item)] += times * weight * inverse[rank];
            let factor = times * weight * squares[rank];
            for (&other, weight) in items[rank..].iter().zip(&weights[rank..]) {
                sums.information[place(item, other)] -= factor * weight;
            }
        }
    }
}
