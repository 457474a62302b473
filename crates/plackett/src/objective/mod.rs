//! What is optimized: a black box f(b), and, where there is more to know, f on relaxed matrices.

mod additive;

pub use additive::Additive;
pub(crate) use additive::Terms;

use crate::{
    elementary::cbrt,
    error::{Error, ObjectiveError},
};

/// A function of an outcome, to be minimized in expectation.
///
/// Any closure of a slice of items that returns a number, or a `Result` with one, is an objective:
///
/// ```
/// use plackett::Objective;
/// let mut displacement = |order: &[usize]| order.iter().enumerate().map(|(r, &i)| r.abs_diff(i) as f64).sum::<f64>();
/// assert_eq!(displacement.evaluate(&[1, 0, 2])?, 2.0);
///
/// let mut fussy = |order: &[usize]| if order[0] == 0 { Ok(1.0) } else { Err("item 0 must come first") };
/// assert!(fussy.evaluate(&[1, 0]).is_err());
/// # Ok::<(), plackett::ObjectiveError>(())
/// ```
pub trait Objective {
    /// The value of an outcome.
    ///
    /// # Errors
    /// Whatever went wrong in computing it; the run that asked stops and reports it.
    fn evaluate(&mut self, outcome: &[usize]) -> Result<f64, ObjectiveError>;

    /// The value as a sum of parts, one for each choice, none of which depends on later choices: what reward-to-go needs. Without an
    /// implementation of its own all is paid with the last choice, so that every choice answers for all of it.
    ///
    /// ```
    /// use plackett::Objective;
    /// let mut parts = [0.0; 3];
    /// (|order: &[usize]| order[1] as f64).evaluate_parts(&[0, 2, 1], &mut parts)?;
    /// assert_eq!(parts, [0.0, 0.0, 2.0]);
    /// # Ok::<(), plackett::ObjectiveError>(())
    /// ```
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    fn evaluate_parts(&mut self, outcome: &[usize], parts: &mut [f64]) -> Result<(), ObjectiveError> {
        let value = self.evaluate(outcome)?;
        parts.fill(0.0);
        if let Some(last) = parts.last_mut() {
            *last = value;
        }
        Ok(())
    }

    /// The objective as a sum over ranks, pairs and neighbors, if it is one: [`Exact`](crate::estimator::Exact) then needs no list of
    /// orders. It is asked once, and must say what [`evaluate`](Self::evaluate) does.
    ///
    /// ```
    /// use plackett::{Objective, Toy};
    /// let declared = Toy::permutation(8, 0.05)?.additive().unwrap();
    /// assert!(declared.positions().is_some() && declared.precedences().is_none());
    /// assert!((|order: &[usize]| order[0] as f64).additive().is_none());
    /// # Ok::<(), plackett::Error>(())
    /// ```
    fn additive(&self) -> Option<Additive> {
        None
    }
}

impl<F, V> Objective for F
where
    F: FnMut(&[usize]) -> V,
    V: IntoValue,
{
    fn evaluate(&mut self, outcome: &[usize]) -> Result<f64, ObjectiveError> {
        self(outcome).into_value()
    }
}

/// What an objective given as a closure may return: a number, or a result with one.
///
/// ```
/// use plackett::IntoValue;
/// assert_eq!(1.5.into_value().unwrap(), 1.5);
/// assert!(Err::<f64, _>("no license").into_value().is_err());
/// ```
pub trait IntoValue {
    /// The value or the error.
    ///
    /// # Errors
    /// The objective's own.
    fn into_value(self) -> Result<f64, ObjectiveError>;
}

impl IntoValue for f64 {
    fn into_value(self) -> Result<f64, ObjectiveError> {
        Ok(self)
    }
}

impl<E: Into<ObjectiveError>> IntoValue for Result<f64, E> {
    fn into_value(self) -> Result<f64, ObjectiveError> {
        self.map_err(Into::into)
    }
}

/// Evaluates an objective and insists on a finite value.
pub(crate) fn evaluate(objective: &mut (impl Objective + ?Sized), outcome: &[usize]) -> Result<f64, Error> {
    match objective.evaluate(outcome) {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) => Err(Error::ObjectiveNotFinite { outcome: outcome.to_vec(), value }),
        Err(source) => Err(Error::ObjectiveFailed { outcome: outcome.to_vec(), source }),
    }
}

/// The same for its parts, and their sum.
pub(crate) fn evaluate_parts(
    objective: &mut (impl Objective + ?Sized),
    outcome: &[usize],
    parts: &mut [f64],
) -> Result<f64, Error> {
    let mut whole = |outcome: &[usize]| {
        objective.evaluate_parts(outcome, parts)?;
        Ok::<f64, ObjectiveError>(parts.iter().sum())
    };
    evaluate(&mut whole, outcome)
}

/// An objective that is also defined, and differentiable, on relaxed matrices: what REBAR's critic is made of.
///
/// ```
/// use plackett::Differentiable;
/// /// ½ Σ x³ / 3, with no Hessian of its own: the library differences the gradient.
/// struct Cubic;
/// impl Differentiable for Cubic {
///     fn value_and_gradient(&self, matrix: &[f64], gradient: &mut [f64]) -> f64 {
///         for (g, x) in gradient.iter_mut().zip(matrix) {
///             *g = x * x / 2.0;
///         }
///         matrix.iter().map(|x| x.powi(3) / 6.0).sum()
///     }
/// }
/// let (mut product, mut scratch) = ([0.0; 2], [0.0; 4]);
/// Cubic.hessian_product(&[0.3, 0.7], &[1.0, 2.0], &mut product, &mut scratch);
/// assert!((product[0] - 0.3).abs() < 1e-9 && (product[1] - 1.4).abs() < 1e-9);
/// ```
pub trait Differentiable {
    /// f at a relaxed matrix (row-major: row = rank, column = item) and its gradient there.
    fn value_and_gradient(&self, matrix: &[f64], gradient: &mut [f64]) -> f64;

    /// The Hessian at `matrix` times `direction`. Without an implementation of its own, the gradient is differenced
    /// centrally, good to about ten digits. `scratch` is twice as long as the matrix.
    fn hessian_product(&self, matrix: &[f64], direction: &[f64], product: &mut [f64], scratch: &mut [f64]) {
        let largest = direction.iter().fold(0.0, |max: f64, d| max.max(d.abs()));
        if largest == 0.0 || !largest.is_finite() {
            product.fill(largest);
            return;
        }
        // Entries of relaxed matrices are of order one, so the best central step is about ε^(1/3).
        let step = cbrt(f64::EPSILON) / largest;
        if step.is_infinite() {
            product.fill(0.0); // along a direction of 10⁻³¹⁴ and less nothing is left of the product either
            return;
        }
        let (point, behind) = scratch.split_at_mut(matrix.len());
        for (point, (x, d)) in point.iter_mut().zip(matrix.iter().zip(direction)) {
            *point = x + step * d;
        }
        self.value_and_gradient(point, product);
        for (point, (x, d)) in point.iter_mut().zip(matrix.iter().zip(direction)) {
            *point = x - step * d;
        }
        self.value_and_gradient(point, behind);
        for (ahead, behind) in product.iter_mut().zip(behind) {
            *ahead = (*ahead - *behind) / (2.0 * step);
        }
    }
}
