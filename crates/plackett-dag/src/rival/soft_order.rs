//! The relaxed orders of the rivals, with parameters φ: Sinkhorn's doubly stochastic matrix of a k × k matrix φ, or
//! the unimodal row-stochastic matrix (URS, NeuralSort) of a vector φ; and how each becomes an order again.

use plackett::{
    Noise, Order,
    relaxation::{NeuralSort, Relaxation as _, Sinkhorn},
};

use crate::Error;
use crate::error::{check_positive, check_setting};

/// The set of matrices that an order is relaxed to.
///
/// ```
/// use plackett_dag::rival::{Relaxation, Relaxed};
/// assert_eq!(Relaxed::sinkhorn().relaxation, Relaxation::Sinkhorn { rounds: 20 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relaxation {
    /// Doubly stochastic matrices: the Sinkhorn operator of a k × k matrix. Rounded by the assignment problem.
    Sinkhorn {
        /// Rounds of row and column normalization.
        rounds: usize,
    },
    /// Unimodal row-stochastic matrices: `NeuralSort` of k numbers. Rounded by each row's arg-max.
    Urs,
}

impl Relaxation {
    /// The rounds of the defaults: doubly stochastic to about 10⁻³ at the temperatures used.
    pub(super) const SINKHORN: Self = Self::Sinkhorn { rounds: 20 };
}

/// A relaxed order R(φ) at a temperature; rows are ranks, columns are nodes.
#[derive(Debug)]
pub(super) struct SoftOrder {
    kind: Kind,
    temperature: f64,
    /// φ.
    pub(super) parameters: Vec<f64>,
    /// R(φ), as of the last [`refresh`](Self::refresh).
    pub(super) matrix: Vec<f64>,
}

#[derive(Debug)]
enum Kind {
    Sinkhorn(Sinkhorn),
    Urs(NeuralSort),
}

impl SoftOrder {
    /// Parameters drawn uniformly from ±`spread`.
    pub(super) fn new(
        relaxation: Relaxation,
        nodes: usize,
        temperature: f64,
        spread: f64,
        seed: u64,
    ) -> Result<Self, Error> {
        check_positive("temperature", temperature)?;
        let is_valid = spread >= 0.0 && spread.is_finite();
        check_setting("spread", spread, is_valid, "it must be at least 0 and finite")?;
        let kind = match relaxation {
            Relaxation::Sinkhorn { rounds } => match Sinkhorn::new(nodes, rounds) {
                Ok(sinkhorn) => Kind::Sinkhorn(sinkhorn),
                Err(_) => return Err(super::check_count("rounds", rounds).unwrap_err()),
            },
            Relaxation::Urs => Kind::Urs(NeuralSort::new(nodes)),
        };
        let length = match &kind {
            Kind::Sinkhorn(sinkhorn) => sinkhorn.input_len(),
            Kind::Urs(urs) => urs.input_len(),
        };
        let mut parameters = vec![0.0; length];
        Noise::new(seed).fill(0, &mut parameters);
        parameters.iter_mut().for_each(|u| *u = spread * (2.0 * *u - 1.0));
        let mut soft = Self { kind, temperature, parameters, matrix: vec![0.0; nodes * nodes] };
        soft.refresh();
        Ok(soft)
    }

    /// Computes R(φ) again.
    pub(super) fn refresh(&mut self) {
        match &mut self.kind {
            Kind::Sinkhorn(sinkhorn) => {
                sinkhorn.forward(&self.parameters, self.temperature, &mut self.matrix);
            }
            Kind::Urs(urs) => urs.forward(&self.parameters, self.temperature, &mut self.matrix),
        }
    }

    /// The gradient in φ of ⟨`cotangent`, R⟩.
    pub(super) fn pull_back(&mut self, cotangent: &[f64], gradient: &mut [f64]) {
        match &mut self.kind {
            Kind::Sinkhorn(sinkhorn) => sinkhorn.vjp(cotangent, gradient),
            Kind::Urs(urs) => urs.vjp(cotangent, gradient),
        };
    }

    /// The permutation that R is rounded to. The arg-max of row i of a URS matrix is the node with the i-th largest
    /// parameter, so that sorting the parameters rounds it, ties and underflowed rows included. An error if they have left
    /// the finite numbers.
    pub(super) fn round(&self) -> Result<Order, plackett::Error> {
        match &self.kind {
            Kind::Sinkhorn(_) => {
                let cost: Vec<f64> = self.matrix.iter().map(|p| -p).collect();
                plackett::assignment(&cost)
            }
            Kind::Urs(_) => Order::sorting(&self.parameters),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_urs_matrix_rounds_to_its_row_maxima() {
        for seed in 0..20 {
            let soft = SoftOrder::new(Relaxation::Urs, 7, 2.0, 3.0, seed).unwrap();
            assert_eq!(soft.round().unwrap(), NeuralSort::round(&soft.matrix).unwrap());
        }
    }

    /// The permutation nearest to a doubly stochastic matrix, among all permutations.
    #[test]
    fn a_sinkhorn_matrix_rounds_to_the_nearest_permutation() {
        fn best(matrix: &[f64], k: usize, row: usize, used: &mut Vec<usize>) -> f64 {
            if row == k {
                return 0.0;
            }
            let mut value = f64::NEG_INFINITY;
            for column in 0..k {
                if !used.contains(&column) {
                    used.push(column);
                    value = value.max(matrix[row * k + column] + best(matrix, k, row + 1, used));
                    used.pop();
                }
            }
            value
        }
        for seed in 0..20 {
            let soft = SoftOrder::new(Relaxation::SINKHORN, 5, 0.5, 1.0, seed).unwrap();
            let order = soft.round().unwrap();
            let value: f64 = order.iter().enumerate().map(|(rank, &node)| soft.matrix[rank * 5 + node]).sum();
            assert!((value - best(&soft.matrix, 5, 0, &mut Vec::new())).abs() < 1e-12);
        }
    }

    #[test]
    fn no_rounds_are_refused() {
        let error = SoftOrder::new(Relaxation::Sinkhorn { rounds: 0 }, 3, 1.0, 1.0, 0).unwrap_err();
        assert_eq!(error.to_string(), "rounds is 0: at least 1 is needed");
    }
}
