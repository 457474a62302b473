//! Ranks: P(b_r = i) = ∫ f_i(t) [y^r] Π_{j ≠ i} (q_j + p_j y) dt, f_i = w_i q_i, and the gradient of Σ C[r, i] P(b_r = i).
//!
//! The product over all items is built once a node, and each item's factor is divided out of it again: from the lowest power up if
//! q_i ≥ p_i, else from the highest down, so that the quotient of the recursion is never above one. Both are linear maps D_i of the
//! product; their adjoints give all derivatives at once. O(k²) a node.

use super::{Grain, Race, UnderWay};

/// Room for the polynomials of a node.
#[derive(Clone, Debug)]
pub(super) struct Room {
    /// Coefficients of Π (q_j + p_j y), and their adjoints.
    product: Vec<f64>,
    adjoint: Vec<f64>,
    /// Row d: the coefficients of y^d of the product without item i, for all i under way.
    without: Vec<f64>,
    /// The costs with their columns in the order of the race.
    costs: Vec<f64>,
    /// For every item under way: the recursion's carry, ⟨C_i, A_i⟩, ⟨c̃_i, (1 − y) A_i⟩ and ⟨P̄, (1 − y) A_i⟩.
    carry: Vec<f64>,
    inner: Vec<f64>,
    own: Vec<f64>,
    all: Vec<f64>,
}

impl Room {
    pub(super) fn new(items: usize) -> Self {
        let zeros = vec![0.0; items];
        Self {
            product: vec![0.0; items + 1],
            adjoint: vec![0.0; items + 1],
            without: vec![0.0; items * items],
            costs: vec![0.0; items * items],
            carry: zeros.clone(),
            inner: zeros.clone(),
            own: zeros.clone(),
            all: zeros,
        }
    }

    /// Π (q_j + p_j y), and it divided by each factor. Returns how many items are divided out downwards: those with q < p, which
    /// are the first, because the rates descend.
    fn divide(&mut self, under_way: UnderWay<'_>) -> usize {
        let UnderWay { out, arrived, .. } = under_way;
        let n = out.len();
        let product = &mut self.product[..=n];
        product.fill(0.0);
        product[0] = 1.0;
        for (degree, (q, p)) in out.iter().zip(arrived).enumerate() {
            for d in (0..=degree).rev() {
                product[d + 1] = q * product[d + 1] + p * product[d];
            }
            product[0] *= q;
        }
        let down = out.partition_point(|&q| q < 0.5);
        self.carry[..n].fill(0.0);
        for d in (0..n).rev() {
            let row = &mut self.without[d * n..][..down];
            for (((entry, carry), q), p) in row.iter_mut().zip(&mut self.carry).zip(out).zip(arrived) {
                *carry = (product[d + 1] - q * *carry) / p;
                *entry = *carry;
            }
        }
        for (d, &power) in product[..n].iter().enumerate() {
            let row = &mut self.without[d * n + down..][..n - down];
            let carries = &mut self.carry[down..n];
            for (((entry, carry), q), p) in
                row.iter_mut().zip(carries).zip(&out[down..]).zip(&arrived[down..])
            {
                *carry = (power - p * *carry) / q;
                *entry = *carry;
            }
        }
        down
    }
}

/// P(b_r = i) for all ranks (rows) and items (columns).
pub(crate) fn rank_probabilities(scores: &[f64]) -> Vec<f64> {
    let items = scores.len();
    let mut race = Race::new(items, Grain::Ranks);
    race.set_scores(scores);
    let mut room = Room::new(items);
    let mut sorted = vec![0.0; items * items];
    for node in &race.nodes {
        let under_way = race.under_way(node);
        let n = under_way.out.len();
        room.divide(under_way);
        for (d, row) in room.without[..n * n].chunks_exact(n).enumerate() {
            let sums = &mut sorted[(node.begin + d) * items + node.begin..][..n];
            for (i, (sum, a)) in sums.iter_mut().zip(row).enumerate() {
                *sum += node.measure * under_way.rate[i] * under_way.out[i] * a;
            }
        }
    }
    let mut probabilities = vec![0.0; items * items];
    for (row, sorted) in probabilities.chunks_exact_mut(items).zip(sorted.chunks_exact(items)) {
        for (&item, probability) in race.ranking.iter().zip(sorted) {
            row[item] = *probability;
        }
    }
    probabilities
}

impl Race {
    /// E Σ_r C[r, b_r] for the ranks that C has rows for; adds the gradient in the scores.
    pub(super) fn add_positions(&self, costs: &[f64], gradient: &mut [f64], room: &mut Room) -> f64 {
        let items = self.items();
        let ranks = costs.len() / items;
        for (row, sorted) in costs.chunks_exact(items).zip(room.costs.chunks_exact_mut(items)) {
            for (entry, &item) in sorted.iter_mut().zip(&self.ranking) {
                *entry = row[item];
            }
        }
        let mut value = 0.0;
        // Once the ranks that matter are taken for certain, later nodes add nothing.
        for node in self.nodes.iter().take_while(|node| node.begin < ranks) {
            let under_way = self.under_way(node);
            let UnderWay { rate, out, arrived } = under_way;
            let n = out.len();
            let down = room.divide(under_way);
            let depth = n.min(ranks - node.begin);
            let Room { adjoint, without, costs, carry, inner, own, all, .. } = &mut *room;
            let cost_row = |d: usize| &costs[(node.begin + d) * items + node.begin..][..n];
            let (carry, inner, own, all) = (&mut carry[..n], &mut inner[..n], &mut own[..n], &mut all[..n]);
            adjoint[..=n].fill(0.0);
            for list in [&mut *carry, &mut *inner, &mut *own, &mut *all] {
                list.fill(0.0);
            }
            for d in 0..depth {
                let row = &without[d * n..][..n];
                for ((inner, cost), a) in inner.iter_mut().zip(cost_row(d)).zip(row) {
                    *inner += cost * a;
                }
            }
            // c̃_i = f_i D_iᵀ C_i, item by item of the first kind from the lowest power up …
            for d in 0..n {
                let mut sum = 0.0;
                for i in 0..down {
                    let cost = if d < depth { cost_row(d)[i] } else { 0.0 };
                    let x = (rate[i] * out[i] * cost + carry[i]) / arrived[i];
                    carry[i] = -out[i] * x;
                    sum += x;
                    let next = if d + 1 < n { without[(d + 1) * n + i] } else { 0.0 };
                    own[i] += x * (next - without[d * n + i]);
                }
                adjoint[d + 1] += sum;
            }
            // … and of the second from the highest power down.
            for d in (0..n).rev() {
                let mut sum = 0.0;
                for i in down..n {
                    let cost = if d < depth { cost_row(d)[i] } else { 0.0 };
                    let x = (rate[i] * out[i] * cost + carry[i]) / out[i];
                    carry[i] = -arrived[i] * x;
                    sum += x;
                    let before = if d > 0 { without[(d - 1) * n + i] } else { 0.0 };
                    own[i] += x * (without[d * n + i] - before);
                }
                adjoint[d] += sum;
            }
            for d in 0..n {
                let change = adjoint[d] - adjoint[d + 1];
                for (all, a) in all.iter_mut().zip(&without[d * n..][..n]) {
                    *all += change * a;
                }
            }
            for i in 0..n {
                let density = node.measure * rate[i] * out[i];
                value += density * inner[i];
                gradient[self.ranking[node.begin + i]] +=
                    density * ((1.0 - rate[i]) * inner[i] - (all[i] - own[i]));
            }
        }
        value
    }
}
