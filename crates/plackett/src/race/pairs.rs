//! Neighbors, and first and last.
//!
//! Item j comes right after i if i arrives at s, j at s + r, and every other item l before s or after s + r: the factor of l is
//! g_l = p_l(s) + q_l(s) e_l(r) with e_l(r) = exp(−w_l r). Two integrals, O(k²) a pair of nodes.
//!
//! Item i comes first with probability w_i, and the race of the others begins anew; j comes last in it with probability
//! ∫ f_j(r) Π_{l ≠ i, j} p_l(r) dr. One integral, O(k²) a node.

use super::{Grain, Race};
use crate::{
    elementary::exp_of_negative,
    linear::{add_scaled, dot},
};

/// What a pair of nodes can add at most if it is left out.
const NEGLIGIBLE: f64 = 1e-16;

/// Room for the vectors of a pair of nodes, in the order of the race.
#[derive(Clone, Debug)]
pub(super) struct Room {
    /// Costs with rows and columns in the order of the race.
    costs: Vec<f64>,
    /// u_i = s f_i(s) / g_i and v_j = r f_j(s + r) / g_j, so that a pair's probability is u_i v_j Π g.
    u: Vec<f64>,
    v: Vec<f64>,
    /// ∂ log g / ∂θ, w s and w (s + r).
    slope: Vec<f64>,
    sooner: Vec<f64>,
    later: Vec<f64>,
    /// s f_i(s) e_i / g_i: i arrives at s, and r has not come to an end.
    outlasting: Vec<f64>,
    /// A v and uᵀ A.
    rows: Vec<f64>,
    columns: Vec<f64>,
    gradient: Vec<f64>,
}

impl Room {
    pub(super) fn new(items: usize) -> Self {
        let zeros = vec![0.0; items];
        Self {
            costs: vec![0.0; items * items],
            u: zeros.clone(),
            v: zeros.clone(),
            slope: zeros.clone(),
            sooner: zeros.clone(),
            later: zeros.clone(),
            outlasting: zeros.clone(),
            rows: zeros.clone(),
            columns: zeros.clone(),
            gradient: zeros,
        }
    }
}

/// What a pair of nodes means for an item: g, u, v and ∂ log g / ∂θ.
struct Chance {
    factor: f64,
    u: f64,
    v: f64,
    slope: f64,
}

impl Chance {
    /// From w s, q and p at s, and w r and e at r.
    #[inline]
    fn new((rate_s, q, p): (f64, f64, f64), (rate_r, e): (f64, f64)) -> Self {
        let still_out = q * e;
        let factor = p + still_out;
        let per_factor = 1.0 / factor;
        Self {
            factor,
            u: rate_s * q * per_factor,
            v: rate_r * still_out * per_factor,
            slope: (rate_s * q - (rate_s + rate_r) * still_out) * per_factor,
        }
    }
}

/// A pair of nodes that matters: i is one of `first`, j one of `second`, and a pair's probability is `weight` u_i v_j.
struct Pair {
    weight: f64,
    first: std::ops::Range<usize>,
    second: std::ops::Range<usize>,
    /// All whose factor is not one.
    others: std::ops::Range<usize>,
}

impl Race {
    /// Visits all pairs of nodes that matter, with the vectors of the room filled for them.
    fn for_each_pair(&self, room: &mut Room, mut visit: impl FnMut(&Pair, &mut Room)) {
        for early in &self.nodes {
            let at_s = self.under_way(early);
            for late in &self.nodes {
                if late.begin > early.end {
                    break; // somebody who had not started at s has arrived by s + r for certain
                }
                if late.end <= early.begin {
                    continue; // whoever could arrive at r after s had arrived before s
                }
                let at_r = self.under_way(late);
                let first = early.begin..early.end;
                let second = early.begin.max(late.begin)..late.end;
                let others = early.begin..early.end.max(late.end);
                // Under way at both nodes; those before and after are at the edges of the spread, and few.
                let both =
                    second.start.min(first.end)..second.end.min(first.end).max(second.start.min(first.end));
                let n = both.len();
                let (in_s, in_r) = (both.start - early.begin, both.start.max(late.begin) - late.begin);
                let s = (&at_s.rate[in_s..][..n], &at_s.out[in_s..][..n], &at_s.arrived[in_s..][..n]);
                let r = (&at_r.rate[in_r..][..n], &at_r.out[in_r..][..n]);
                let mut sums = (1.0, 0.0, 0.0);
                let (u, v) = (&mut room.u[both.clone()], &mut room.v[both.clone()]);
                let (slope, outlasting) = (&mut room.slope[both.clone()], &mut room.outlasting[both.clone()]);
                let (sooner, later) = (&mut room.sooner[both.clone()], &mut room.later[both.clone()]);
                for l in 0..n {
                    let chance = Chance::new((s.0[l], s.1[l], s.2[l]), (r.0[l], r.1[l]));
                    sums = (sums.0 * chance.factor, sums.1 + chance.u, sums.2 + chance.v);
                    (u[l], v[l], slope[l]) = (chance.u, chance.v, chance.slope);
                    (sooner[l], later[l], outlasting[l]) = (s.0[l], s.0[l] + r.0[l], chance.u * r.1[l]);
                }
                for l in others.clone().filter(|l| !both.contains(l)) {
                    let in_s = if l < early.end {
                        let i = l - early.begin;
                        (at_s.rate[i], at_s.out[i], at_s.arrived[i])
                    } else {
                        (0.0, 1.0, 0.0)
                    };
                    let in_r = if l < late.begin {
                        (0.0, 0.0)
                    } else if l < late.end {
                        (at_r.rate[l - late.begin], at_r.out[l - late.begin])
                    } else {
                        (0.0, 1.0)
                    };
                    let chance = Chance::new(in_s, in_r);
                    sums = (sums.0 * chance.factor, sums.1 + chance.u, sums.2 + chance.v);
                    (room.u[l], room.v[l], room.slope[l]) = (chance.u, chance.v, chance.slope);
                    (room.sooner[l], room.later[l]) = (in_s.0, in_s.0 + in_r.0);
                    room.outlasting[l] = chance.u * in_r.1;
                }
                let (product, u_sum, v_sum) = sums;
                let weight = early.measure * late.measure * product;
                if weight * u_sum * v_sum > NEGLIGIBLE {
                    visit(&Pair { weight, first, second, others }, room);
                }
            }
        }
    }

    /// E Σ A[i, j] over neighbors, j right after i; adds the gradient in the scores.
    pub(super) fn add_neighbors(&self, costs: &[f64], gradient: &mut [f64], room: &mut Room) -> f64 {
        let items = self.items();
        self.sort_pairs(costs, &mut room.costs);
        room.gradient.fill(0.0);
        let mut value = 0.0;
        self.for_each_pair(room, |pair, room| {
            let Room { costs, u, v, slope, sooner, later, rows, columns, gradient, .. } = room;
            let Pair { weight, first, second, others } = pair;
            columns[second.clone()].fill(0.0);
            let mut total = 0.0;
            for i in first.clone() {
                let row = &costs[i * items..][second.clone()];
                rows[i] = dot(row, &v[second.clone()]);
                total += u[i] * rows[i];
                add_scaled(&mut columns[second.clone()], u[i], row);
            }
            value += weight * total;
            for l in others.clone() {
                gradient[l] += weight * slope[l] * total;
            }
            for i in first.clone() {
                gradient[i] += weight * u[i] * rows[i] * (1.0 - sooner[i] - slope[i]);
            }
            for j in second.clone() {
                gradient[j] += weight * v[j] * columns[j] * (1.0 - later[j] - slope[j]);
            }
        });
        for (&item, slope) in self.ranking.iter().zip(&room.gradient) {
            gradient[item] += slope;
        }
        value
    }

    /// E B[b_1, b_k], the cost of the first item and the last one; adds the gradient in the scores.
    pub(super) fn add_ends(&self, costs: &[f64], gradient: &mut [f64], room: &mut Room) -> f64 {
        let items = self.items();
        self.sort_pairs(costs, &mut room.costs);
        room.gradient.fill(0.0);
        let Room { costs, u, v, slope, rows, columns, gradient: sorted, .. } = room;
        let mut value = 0.0;
        // All but one must have arrived, so all must be under way.
        for node in self.nodes.iter().filter(|node| node.end == items) {
            let under_way = self.under_way(node);
            let mut product = node.measure;
            for l in 0..items {
                let first = exp_of_negative(self.log_rate[l].min(0.0));
                (u[l], v[l], slope[l]) = (first, 0.0, 0.0);
                if let Some(i) = l.checked_sub(node.begin) {
                    let (rate, q, p) = (under_way.rate[i], under_way.out[i], under_way.arrived[i]);
                    product *= p;
                    (u[l], v[l], slope[l]) = (first / p, rate * q / p, rate * q / p);
                }
            }
            if product * u.iter().sum::<f64>() * v.iter().sum::<f64>() < NEGLIGIBLE {
                continue;
            }
            columns.fill(0.0);
            let mut total = 0.0;
            for i in 0..items {
                let row = &costs[i * items..][..items];
                rows[i] = dot(row, v);
                total += u[i] * rows[i];
                add_scaled(columns, u[i], row);
            }
            value += product * total;
            for l in 0..items {
                let rate = l.checked_sub(node.begin).map_or(0.0, |i| under_way.rate[i]);
                let change = u[l] * rows[l] * (1.0 - slope[l])
                    + v[l] * columns[l] * (1.0 - rate - slope[l])
                    + slope[l] * total;
                sorted[l] += product * change;
            }
        }
        for ((&item, slope), log_rate) in self.ranking.iter().zip(sorted).zip(&self.log_rate) {
            // The chance of coming first is normalized.
            gradient[item] += *slope - exp_of_negative(log_rate.min(0.0)) * value;
        }
        value
    }
}

/// P(j comes right after i) for all i (rows) and j (columns).
pub(crate) fn neighbor_probabilities(scores: &[f64]) -> Vec<f64> {
    let items = scores.len();
    let mut race = Race::new(items, Grain::Pairs);
    race.set_scores(scores);
    let mut probabilities = vec![0.0; items * items];
    race.for_each_pair(&mut Room::new(items), |pair, room| {
        for i in pair.first.clone() {
            let row = &mut probabilities[race.ranking[i] * items..][..items];
            for j in pair.second.clone().filter(|&j| j != i) {
                row[race.ranking[j]] += pair.weight * room.u[i] * room.v[j];
            }
        }
    });
    probabilities
}

/// The Fisher information E ∇log p ∇log pᵀ, by rows.
///
/// It is −E ∇² log p: for i ≠ j the entry is −E Σ_r w_i w_j / Θ_r² over the ranks r at which both are left, and rows sum to zero. With
/// 1/Θ² = ∫ u exp(−uΘ) du this is an integral over the same pairs of nodes as above, u in the place of r.
pub(crate) fn fisher_information(scores: &[f64]) -> Vec<f64> {
    let items = scores.len();
    let mut race = Race::new(items, Grain::Pairs);
    race.set_scores(scores);
    let mut information = vec![0.0; items * items];
    race.for_each_pair(&mut Room::new(items), |pair, room| {
        let Room { v, sooner, outlasting, .. } = room;
        // Whoever arrives at s is somebody else, i itself or j itself.
        let others: f64 = pair.first.clone().map(|m| outlasting[m]).sum();
        for i in pair.second.clone() {
            for j in i + 1..pair.second.end {
                let own = sooner[i] - outlasting[i] + sooner[j] - outlasting[j];
                let entry = pair.weight * v[i] * v[j] * (others + own);
                let (row, column) = (race.ranking[i], race.ranking[j]);
                for (from, to) in [(row, column), (column, row)] {
                    information[from * items + to] -= entry;
                    information[from * items + from] += entry;
                }
            }
        }
    });
    information
}
