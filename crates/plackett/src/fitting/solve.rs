//! Linear equations with the information matrix, by Cholesky's decomposition.

use crate::linear::dot;

/// The triangular factor L of a matrix A = L Lᵀ, where A is an information matrix made regular: adding a constant to all scores changes nothing,
/// and so that direction, in which there is no information, is given some of its own.
pub(super) struct Cholesky {
    size: usize,
    /// L, row by row, and the information given to the constants.
    lower: Vec<f64>,
    gauge: f64,
}

impl Cholesky {
    /// Decomposes the information and what is added to it, s/k in every entry. A pivot that is lost in rounding is taken as tiny: what it
    /// belongs to is not known, and its variance is huge.
    pub(super) fn of_gauged(information: &[f64], size: usize) -> Self {
        let trace: f64 = (0..size).map(|at| information[at * (size + 1)]).sum();
        let gauge = if trace > 0.0 { trace / size as f64 } else { 1.0 };
        let mut lower: Vec<f64> = information.iter().map(|entry| entry + gauge / size as f64).collect();
        let tiny = gauge * f64::EPSILON;
        for row in 0..size {
            let (done, rest) = lower.split_at_mut(row * size);
            let this = &mut rest[..size];
            for column in 0..row {
                let other = &done[column * size..][..size];
                this[column] = (this[column] - dot(&this[..column], &other[..column])) / other[column];
            }
            this[row] = (this[row] - dot(&this[..row], &this[..row])).max(tiny).sqrt();
        }
        Self { size, lower, gauge }
    }

    /// A⁻¹ b.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let (size, mut x) = (self.size, right.to_vec());
        for row in 0..size {
            let lower = &self.lower[row * size..][..size];
            x[row] = (x[row] - dot(&lower[..row], &x[..row])) / lower[row];
        }
        for row in (0..size).rev() {
            x[row] /= self.lower[row * size + row];
            let lower = &self.lower[row * size..][..row];
            let (done, value) = x.split_at_mut(row);
            crate::linear::add_scaled(done, -value[0], lower);
        }
        x
    }

    /// The inverse of the information, in which constants have no variance. O(k³).
    pub(super) fn inverse(&self) -> Vec<f64> {
        let size = self.size;
        let mut inverse = Vec::with_capacity(size * size);
        let mut unit = vec![0.0; size];
        for row in 0..size {
            unit[row] = 1.0;
            let column = self.solve(&unit);
            inverse.extend(column.iter().map(|entry| entry - 1.0 / (self.gauge * size as f64)));
            unit[row] = 0.0;
        }
        inverse
    }
}
