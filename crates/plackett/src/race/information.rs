//! Entropy and cross-entropy: what is left at each rank.
//!
//! With Θ_r the sum of the rates that are left at rank r, log p(b) = Σ_i θ_i − Σ_r log Θ_r. Since log Θ = ∫ (e^{−u} − e^{−uΘ}) du/u, all that
//! is needed is L(u) = Σ_r E e^{−uΘ_r}. The item of rank r arrives at some time s, and of the others each is left with probability
//! q_l(s), so that L(u) = Σ_i ∫ f_i(s) e^{−u w_i} Π_{l ≠ i} (p_l(s) + q_l(s) e^{−u w_l}) ds. The w of the exponents may be
//! another distribution's. O(Q² k).

use super::{FIRST_NODE, Grain, LOG_CERTAIN, Race, WIDEST_GAP};
use crate::elementary::exp;

/// −E log p'(b) for orders b of the first scores, p' having the second ones. Both sum to one as exponentials.
pub(crate) fn cross_entropy(scores: &[f64], others: &[f64]) -> f64 {
    let items = scores.len();
    let mut race = Race::new(items, Grain::Pairs);
    race.set_scores(others); // for its rates alone
    let mut log_rate = vec![0.0; items];
    for (&item, rate) in race.ranking.iter().zip(&race.log_rate) {
        log_rate[item] = *rate;
    }
    let narrowed: Vec<(f64, f64)> = (1..items)
        .map(|place| {
            (others[race.ranking[place - 1]] - others[race.ranking[place]], race.log_rate[place - 1])
        })
        .filter(|(gap, _)| *gap > WIDEST_GAP)
        .map(|(gap, above)| (gap - WIDEST_GAP, above))
        .collect();
    let last = LOG_CERTAIN - race.log_rate[items - 1];
    race.set_scores(scores);
    let mut left = Left::new(&race, log_rate);
    let mut sum_of_logs = 0.0;
    let mut number = 0.0;
    loop {
        let x = FIRST_NODE + race.step * number;
        let shift = exp(-x);
        let log_u = x - shift;
        if log_u > last {
            break;
        }
        let first = items as f64 * exp(-exp(log_u));
        sum_of_logs += race.step * (1.0 + shift) * (first - left.at(log_u));
        number += 1.0;
    }
    // Where a gap was narrowed, L(u) is constant in it: as many ranks as have nothing left above the gap.
    for (excess, above) in narrowed {
        sum_of_logs -= excess * left.at(LOG_CERTAIN - above);
    }
    sum_of_logs - others.iter().sum::<f64>()
}

/// L(u).
struct Left<'a> {
    race: &'a Race,
    /// Logarithms of the rates of the exponents.
    log_rate: Vec<f64>,
    /// e^{−u w_l} in the order of the race, and its products from each place to the end.
    chance: Vec<f64>,
    rest: Vec<f64>,
}

impl<'a> Left<'a> {
    fn new(race: &'a Race, log_rate: Vec<f64>) -> Self {
        let items = log_rate.len();
        Self { race, log_rate, chance: vec![0.0; items], rest: vec![1.0; items + 1] }
    }

    fn at(&mut self, log_u: f64) -> f64 {
        for (place, &item) in self.race.ranking.iter().enumerate().rev() {
            self.chance[place] = exp(-exp((self.log_rate[item] + log_u).min(LOG_CERTAIN + 1.0)));
            self.rest[place] = self.rest[place + 1] * self.chance[place];
        }
        let mut total = 0.0;
        for node in &self.race.nodes {
            let under_way = self.race.under_way(node);
            let (mut product, mut sum) = (self.rest[node.end], 0.0);
            for (i, e) in self.chance[node.begin..node.end].iter().enumerate() {
                let (q, p) = (under_way.out[i], under_way.arrived[i]);
                let factor = p + q * e;
                product *= factor;
                sum += under_way.rate[i] * q * e / factor;
            }
            total += node.measure * product * sum;
        }
        total
    }
}
