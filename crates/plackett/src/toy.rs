//! The toy problem of Figure 1: E ‖P_b − P_t‖², a linear assignment with a nearly flat target.
//!
//! P_t has 1/k + t on the diagonal and 1/k − t/(k − 1) elsewhere. The permutation problem uses all of it; its
//! first row alone is the categorical problem, REBAR's own toy for k = 2.

use crate::{
    assignment::assignment,
    error::{Error, ObjectiveError, check_setting},
    objective::{Additive, Differentiable, Objective},
};

/// The objective f(P) = ‖P − P_t‖², on outcomes and on relaxed matrices. O(k) on an outcome.
///
/// ```
/// use plackett::{Objective, Toy};
/// let mut toy = Toy::permutation(8, 0.05)?;
/// assert!((toy.optimum()? - 6.2229).abs() < 1e-4);
/// assert_eq!(toy.evaluate(&[0, 1, 2, 3, 4, 5, 6, 7]).unwrap(), toy.optimum()?);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Toy {
    rows: usize,
    items: usize,
    target: Vec<f64>,
    /// ‖P_t‖² plus one for every row's one.
    constant: f64,
}

impl Toy {
    /// The paper's problem over orders of k items, with offset t.
    ///
    /// # Errors
    /// No items, or an offset that is not finite.
    pub fn permutation(items: usize, offset: f64) -> Result<Self, Error> {
        Self::new(items, items, offset)
    }

    /// The same for one of k categories: the first row of the target.
    ///
    /// ```
    /// use plackett::{Objective, Toy};
    /// let mut toy = Toy::categorical(2, 0.05)?; // twice REBAR's (b − 0.45)², up to naming the categories
    /// assert!((toy.evaluate(&[0]).unwrap() - 2.0 * 0.45f64.powi(2)).abs() < 1e-12);
    /// assert!((toy.evaluate(&[1]).unwrap() - 2.0 * 0.55f64.powi(2)).abs() < 1e-12);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// No items, or an offset that is not finite.
    pub fn categorical(items: usize, offset: f64) -> Result<Self, Error> {
        Self::new(1, items, offset)
    }

    fn new(rows: usize, items: usize, offset: f64) -> Result<Self, Error> {
        if items == 0 {
            return Err(Error::Empty { what: "the toy problem" });
        }
        check_setting("offset", offset, offset.is_finite(), "it must be finite")?;
        let uniform = 1.0 / items as f64;
        let on_diagonal = |at: usize| at / items == at % items;
        let entry = |at| {
            if on_diagonal(at) { uniform + offset } else { uniform - offset / (items - 1) as f64 }
        };
        let target: Vec<f64> = (0..rows * items).map(entry).collect();
        let constant = rows as f64 + target.iter().map(|t| t * t).sum::<f64>();
        Ok(Self { rows, items, target, constant })
    }

    /// The number of items, k.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The smallest value of f on an outcome, found by solving the assignment problem.
    ///
    /// # Errors
    /// None for a toy that was made; the signature is that of the solver.
    pub fn optimum(&self) -> Result<f64, Error> {
        // A categorical outcome picks one column; filling up with free rows makes the problem square.
        let mut cost = vec![0.0; self.items * self.items];
        for (cost, target) in cost.iter_mut().zip(&self.target) {
            *cost = -target;
        }
        let order = assignment(&cost)?;
        Ok(self.value(&order[..self.rows]))
    }

    fn value(&self, outcome: &[usize]) -> f64 {
        let rows = outcome.iter().zip(self.target.chunks_exact(self.items));
        self.constant - 2.0 * rows.map(|(&item, row)| row[item]).sum::<f64>()
    }
}

impl Objective for Toy {
    fn evaluate(&mut self, outcome: &[usize]) -> Result<f64, ObjectiveError> {
        if outcome.len() != self.rows || outcome.iter().any(|&item| item >= self.items) {
            return Err(
                format!("{outcome:?} is no outcome of {} ranks and {} items", self.rows, self.items).into()
            );
        }
        Ok(self.value(outcome))
    }

    /// Over orders, an assignment problem. One of several categories is no order.
    fn additive(&self) -> Option<Additive> {
        if self.rows != self.items {
            return None;
        }
        let costs = self.target.iter().map(|target| -2.0 * target).collect();
        Additive::new(self.items).ok()?.with_constant(self.constant).ok()?.with_positions(costs).ok()
    }
}

impl Differentiable for Toy {
    fn value_and_gradient(&self, matrix: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for ((gradient, p), target) in gradient.iter_mut().zip(matrix).zip(&self.target) {
            let difference = p - target;
            *gradient = 2.0 * difference;
            value += difference * difference;
        }
        value
    }

    fn hessian_product(&self, _: &[f64], direction: &[f64], product: &mut [f64], _: &mut [f64]) {
        for (product, d) in product.iter_mut().zip(direction) {
            *product = 2.0 * d;
        }
    }
}
