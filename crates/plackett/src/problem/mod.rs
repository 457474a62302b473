//! Problems over orders: their values, how those come about rank by rank, and how to change an order cheaply.

mod whole;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{neighborhood::Neighborhood, objective::Additive, run::Run};

/// Whether small or large values are wanted.
///
/// ```
/// use plackett::problem::Sense;
/// assert!(Sense::Maximize.is_better(2.0, 1.0));
/// assert_eq!(Sense::Maximize.cost(2.0), -2.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sense {
    /// The smallest value is the best.
    #[default]
    Minimize,
    /// The largest value is the best.
    Maximize,
}

impl Sense {
    /// The value as a cost, which is always to be small; also a cost as a value.
    pub fn cost(self, value: f64) -> f64 {
        match self {
            Self::Minimize => value,
            Self::Maximize => -value,
        }
    }

    /// Whether a value beats another.
    pub fn is_better(self, value: f64, other: f64) -> bool {
        self.cost(value) < self.cost(other)
    }

    /// Whether a value is as good as a target.
    ///
    /// ```
    /// use plackett::problem::Sense;
    /// assert!(Sense::Maximize.reaches(5.0, 5.0) && !Sense::Maximize.reaches(4.0, 5.0));
    /// ```
    pub fn reaches(self, value: f64, target: f64) -> bool {
        self.cost(value) <= self.cost(target)
    }
}

impl fmt::Display for Sense {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Minimize => "minimize",
            Self::Maximize => "maximize",
        })
    }
}

/// Walks of a search, unless the problem knows better.
const WALKS: usize = 8;

/// Evaluations of a walk in a round, and per pair of items where those are many.
const ROUND_EVALUATIONS: u64 = 200_000;
const ROUND_EVALUATIONS_PER_PAIR: u64 = 10;

/// A problem over orders. Two methods must be written; who knows more of the problem says more.
///
/// Orders are trusted to list every item once; [`Order`](crate::Order) checks that.
///
/// ```
/// use plackett::{problem::Problem, run::{Limits, Run}, solver::{Method, Solver}};
/// /// Neighbors should differ by as much as they can.
/// struct Zigzag(usize);
/// impl Problem for Zigzag {
///     fn items(&self) -> usize { self.0 }
///     fn value(&self, order: &[usize]) -> f64 { -order.windows(2).map(|pair| pair[0].abs_diff(pair[1]) as f64).sum::<f64>() }
/// }
/// let limits = Limits::evaluations(5000);
/// let mut solver = Solver::new(&Zigzag(6), Method::Default, 0, &limits)?;
/// solver.run(&Zigzag(6), &Run::new(limits))?;
/// assert_eq!(solver.best().unwrap().1, -17.0);
/// # Ok::<(), plackett::Error>(())
/// ```
pub trait Problem: Send + Sync {
    /// How many items an order has.
    fn items(&self) -> usize;

    /// The value of an order.
    fn value(&self, order: &[usize]) -> f64;

    /// Whether small or large values are wanted.
    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    /// What every rank adds to the value once the ranks before it are fixed; the sum is the [`value`](Problem::value), up to
    /// rounding. It is this that reward-to-go estimators use. Unless the problem knows better, all of it comes with the last
    /// rank.
    fn parts(&self, order: &[usize], parts: &mut [f64]) {
        parts.fill(0.0);
        if let Some(last) = parts.last_mut() {
            *last = self.value(order);
        }
    }

    /// The value as a sum over ranks, pairs and neighbors, if it is one: its expectation over a
    /// [`PlackettLuce`](crate::PlackettLuce) distribution is then [exact](crate::estimator::Exact) for hundreds of items.
    ///
    /// ```
    /// use plackett::{Additive, PlackettLuce, estimator::Exact, problem::Problem};
    /// struct Latest(usize);
    /// impl Problem for Latest {
    ///     fn items(&self) -> usize { self.0 }
    ///     fn value(&self, order: &[usize]) -> f64 { order[self.0 - 1] as f64 }
    ///     fn additive(&self) -> Option<Additive> {
    ///         let costs = (0..self.0 * self.0).map(|at| if at / self.0 + 1 == self.0 { (at % self.0) as f64 } else { 0.0 });
    ///         Additive::new(self.0).ok()?.with_positions(costs.collect()).ok()
    ///     }
    /// }
    /// let latent = PlackettLuce::new(&[0.0; 50])?;
    /// let (mean, _) = Exact::new(&latent, &mut Latest(50).additive().unwrap())?.expectation(&latent).map(|(m, g)| (m, g.len()))?;
    /// assert!((mean - 24.5).abs() < 1e-9);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    fn additive(&self) -> Option<Additive> {
        None
    }

    /// A way to change orders: unless the problem has a quicker one, insertions, each of them valued as a whole order.
    fn neighborhood(&self) -> Box<dyn Neighborhood + '_> {
        Box::new(whole::Walk::new(self))
    }

    /// How many [walks](crate::solver::Walks) share the evaluations of a search: many find different optima, few get deeper.
    fn walks(&self) -> usize {
        WALKS
    }

    /// Evaluations of a walk in a round: between two rounds walks meet, and a run can be saved.
    fn round_evaluations(&self) -> u64 {
        let pairs = (self.items() as u64).saturating_mul(self.items() as u64);
        ROUND_EVALUATIONS.max(pairs.saturating_mul(ROUND_EVALUATIONS_PER_PAIR))
    }

    /// A good order to start from, if there is a quick way to one; none if the run is over before it is found.
    fn construct(&self, run: &Run<'_>) -> Option<Vec<usize>> {
        let _ = run;
        None
    }
}
