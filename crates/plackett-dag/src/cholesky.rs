//! A Cholesky factor of a principal submatrix that grows by one node at a time: `G_AA = L Lᵀ`.
//! Shared by the lasso and by the subset scores; a node that adds nothing new to A is refused, never divided by.

use crate::gram::NodeMoments;
use plackett::elementary::{hypot, ln};

/// A node whose variance given the others falls below this share of its own counts as a combination of them: the
/// entries of a Gram matrix carry about 1e-16 of rounding each, and products of a few dozen of them 1e-14.
pub(crate) const COLLINEAR: f64 = 1e-13;

/// The factor, its rows stored with a fixed stride so that growing allocates only when the capacity is passed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cholesky {
    stride: usize,
    lower: Vec<f64>,
    inverse_diagonal: Vec<f64>,
}

impl Cholesky {
    /// Forgets everything and makes room for `capacity` nodes.
    pub(crate) fn reset(&mut self, capacity: usize) {
        if capacity > self.stride {
            self.stride = capacity;
            self.lower.resize(capacity * capacity, 0.0);
        }
        self.inverse_diagonal.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.inverse_diagonal.len()
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.inverse_diagonal.truncate(len);
    }

    /// Appends `node` to the factor of `nodes`; false, leaving the factor as it was, if it is collinear. O(k²).
    pub(crate) fn push(&mut self, gram: NodeMoments<'_>, nodes: &[usize], node: usize) -> bool {
        let size = self.len();
        debug_assert_eq!(size, nodes.len());
        let gram_row = gram.row(node);
        let gram_row = &*gram_row;
        let mut rest = gram_row[node];
        let (above, row) = self.lower.split_at_mut(size * self.stride);
        for (t, &other) in nodes.iter().enumerate() {
            let other_row = &above[t * self.stride..t * self.stride + t];
            let value = (gram_row[other] - dot(other_row, &row[..t])) * self.inverse_diagonal[t];
            row[t] = value;
            rest -= value * value;
        }
        if rest <= COLLINEAR * gram_row[node] {
            return false;
        }
        self.inverse_diagonal.push(1.0 / rest.sqrt());
        true
    }

    /// The logarithm of the variance that the node pushed last has given those before it.
    pub(crate) fn last_log_variance(&self) -> f64 {
        self.inverse_diagonal.last().map_or(0.0, |&inverse| -2.0 * ln(inverse))
    }

    /// Row `t` of L without its diagonal entry.
    pub(crate) fn row(&self, t: usize) -> &[f64] {
        &self.lower[t * self.stride..t * self.stride + t]
    }

    /// The row that the last [`push`](Self::push) computed, also if it was refused: `L⁻¹ G_A,node`.
    pub(crate) fn last_row(&self, size: usize) -> &[f64] {
        &self.lower[size * self.stride..size * self.stride + size]
    }

    /// The last entry of L⁻¹ x, given those before it and the last entry of x. O(k).
    pub(crate) fn extend(&self, before: &[f64], last: f64) -> f64 {
        let t = before.len();
        (last - dot(self.row(t), before)) * self.inverse_diagonal[t]
    }

    /// `x ← L⁻¹ x`. O(k²).
    pub(crate) fn solve_lower(&self, x: &mut [f64]) {
        for t in 0..x.len() {
            x[t] = (x[t] - dot(self.row(t), &x[..t])) * self.inverse_diagonal[t];
        }
    }

    /// `x ← L⁻ᵀ x`. O(k²).
    pub(crate) fn solve_upper(&self, x: &mut [f64]) {
        for t in (0..x.len()).rev() {
            let value = x[t] * self.inverse_diagonal[t];
            x[t] = value;
            for (xs, l) in x.iter_mut().zip(self.row(t)) {
                *xs -= l * value;
            }
        }
    }

    /// `x ← G_AA⁻¹ x`. O(k²).
    pub(crate) fn solve(&self, x: &mut [f64]) {
        self.solve_lower(x);
        self.solve_upper(x);
    }

    /// Appends a row that is known: `L⁻¹ G_A,node`, with the node's variance given A. O(k) but for room.
    pub(crate) fn append(&mut self, row: &[f64], rest: f64) {
        let size = self.len();
        if size >= self.stride {
            let wide = (2 * self.stride).max(8);
            let mut lower = vec![0.0; wide * wide];
            (0..size).for_each(|t| lower[t * wide..t * wide + t].copy_from_slice(self.row(t)));
            (self.lower, self.stride) = (lower, wide);
        }
        self.lower[size * self.stride..size * self.stride + size].copy_from_slice(row);
        self.inverse_diagonal.push(1.0 / rest.sqrt());
    }

    /// Removes the node at a position, and turns `x`, which was `L⁻¹ y`, into the same for what is left: its last entry is
    /// what the removed node alone explained. By rotations of neighboring columns. O(k²).
    pub(crate) fn remove(&mut self, position: usize, x: &mut [f64]) {
        let (size, stride) = (self.len(), self.stride);
        for t in position..size - 1 {
            // The row below moves up, and its diagonal entry is turned into the one beside it.
            let from = (t + 1) * stride;
            self.lower.copy_within(from..=from + t, t * stride);
            let (beside, diagonal) = (self.lower[t * stride + t], 1.0 / self.inverse_diagonal[t + 1]);
            let length = hypot(beside, diagonal);
            let (cosine, sine) = (beside / length, diagonal / length);
            self.inverse_diagonal[t] = 1.0 / length;
            let turn = |left: &mut f64, right: &mut f64| {
                (*left, *right) = (cosine * *left + sine * *right, cosine * *right - sine * *left);
            };
            for below in t + 2..size {
                let (left, right) = self.lower[below * stride + t..].split_at_mut(1);
                turn(&mut left[0], &mut right[0]);
            }
            let (left, right) = x[t..].split_at_mut(1);
            turn(&mut left[0], &mut right[0]);
        }
        self.inverse_diagonal.pop();
    }

    /// The diagonal entry of `G_AA⁻¹` at a position, with `column` as workspace. O(k²).
    pub(crate) fn inverse_entry(&self, position: usize, column: &mut Vec<f64>) -> f64 {
        column.clear();
        column.push(self.inverse_diagonal[position]);
        let mut square = column[0] * column[0];
        for t in position + 1..self.len() {
            let value = -dot(&self.row(t)[position..], column) * self.inverse_diagonal[t];
            column.push(value);
            square += value * value;
        }
        square
    }

    /// The diagonal of `G_AA⁻¹` into `diagonal`, with `column` as workspace. O(k³).
    pub(crate) fn inverse_diagonal_of_gram(&self, diagonal: &mut Vec<f64>, column: &mut Vec<f64>) {
        diagonal.clear();
        diagonal.extend((0..self.len()).map(|position| self.inverse_entry(position, column)));
    }
}

#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
