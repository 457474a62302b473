//! Plackett–Luce with constraints: the next item is drawn among those that may come next.
//!
//! With A_j the items that the constraints allow at rank j after b_1 … b_{j−1}, p(b | θ) = Π_j exp θ_{b_j} / Σ_{i ∈ A_j} exp θ_i:
//! definition 1 of the paper with a smaller sum. It gives every order that keeps the constraints a positive probability,
//! and no other; the log-probability and its gradient stay closed forms. The perturbed scores of RELAX do not carry over:
//! an item that becomes available late would have to start its clock late, so gradients here are REINFORCE's. Where RELAX or a
//! surrogate are wanted within constraints, it is an order of plain Plackett–Luce that is drawn, and
//! [`Constraints::follow`] makes of it one that keeps them: f(follow(b)) is an objective like any other.

use crate::{
    constraints::{Constraints, Stages},
    distribution::Distribution,
    elementary::{exp_of_negative, ln},
    error::{Error, check_length},
    latent::NormalizedScores,
    noise::fill_uniform,
    order::Order,
    row::{check_log_prob, difference},
};
use rand::Rng;

/// A Plackett–Luce distribution over the orders that keep [`Constraints`].
///
/// ```
/// use plackett::{ConstrainedPlackettLuce, Constraints, Noise};
/// let constraints = Constraints::new(3, &[(2, 0)], &[])?; // 2 before 0
/// let latent = ConstrainedPlackettLuce::new(&[0.0; 3], constraints)?;
/// // First 2 or 1, one half each; after 2 again one half each.
/// assert!((latent.log_prob(&[2, 0, 1])? - 0.25f64.ln()).abs() < 1e-15);
/// assert!((latent.log_prob(&[1, 2, 0])? - 0.5f64.ln()).abs() < 1e-15);
/// assert!(latent.log_prob(&[0, 1, 2]).is_err());
/// let order = latent.sample(Noise::new(0).stream(0));
/// assert!(latent.constraints().check(&order).is_ok());
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConstrainedPlackettLuce {
    scores: NormalizedScores,
    constraints: Constraints,
}

impl ConstrainedPlackettLuce {
    /// The distribution with these scores, any finite numbers.
    ///
    /// # Errors
    /// No scores, one that is not finite, or constraints on another number of items.
    pub fn new(scores: &[f64], constraints: Constraints) -> Result<Self, Error> {
        check_length("the list of scores", scores.len(), constraints.items())?;
        Ok(Self { scores: NormalizedScores::new(scores)?, constraints })
    }

    /// What the orders keep.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// One order. O(k²) at most.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Order {
        let mut uniform = vec![0.0; self.constraints.items()];
        fill_uniform(rng, &mut uniform);
        let mut ranked = vec![0; uniform.len()];
        self.draw(&uniform, &mut [], &mut ranked);
        Order::from_sorted(ranked)
    }

    /// The largest score first at every rank: the most probable choice each time. O(k²) at most.
    ///
    /// ```
    /// use plackett::{ConstrainedPlackettLuce, Constraints};
    /// let constraints = Constraints::new(3, &[(2, 0)], &[])?;
    /// let latent = ConstrainedPlackettLuce::new(&[9.0, 1.0, 0.0], constraints)?;
    /// assert_eq!(latent.greedy().as_slice(), [1, 2, 0]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn greedy(&self) -> Order {
        let mut ranked = vec![0; self.constraints.items()];
        self.choose_best(&mut ranked);
        Order::from_sorted(ranked)
    }

    /// log p(b | θ). O(k²) at most.
    ///
    /// # Errors
    /// An order that breaks a constraint, a list that is no order of these items, or a result below −1.8·10³⁰⁸.
    pub fn log_prob(&self, order: &[usize]) -> Result<f64, Error> {
        self.constraints.check(order)?;
        check_log_prob(self.log_prob_in(order, &mut self.room()))
    }

    /// ∇_θ log p(b | θ). O(k²) at most.
    ///
    /// ```
    /// use plackett::{ConstrainedPlackettLuce, Constraints};
    /// let constraints = Constraints::new(3, &[(2, 0)], &[])?;
    /// let latent = ConstrainedPlackettLuce::new(&[0.0; 3], constraints)?;
    /// assert_eq!(latent.grad_log_prob(&[1, 2, 0])?, [0.0, 0.5, -0.5]); // only the first rank had a choice
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// An order that breaks a constraint, or a list that is no order of these items.
    pub fn grad_log_prob(&self, order: &[usize]) -> Result<Vec<f64>, Error> {
        self.constraints.check(order)?;
        let mut gradient = vec![0.0; order.len()];
        self.weighted_grad_log_prob(order, &vec![1.0; order.len()], &mut gradient, &mut self.room());
        Ok(gradient)
    }

    fn highest(&self, candidates: &[usize]) -> f64 {
        candidates.iter().map(|&item| self.scores.log[item]).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Calls are O(k²) at most. Noise is one number per rank, and there are no perturbed scores.
impl Distribution for ConstrainedPlackettLuce {
    type Room = ConstrainedRoom;

    fn scores(&self) -> &[f64] {
        &self.scores.log
    }

    fn set_scores(&mut self, scores: &[f64]) -> Result<(), Error> {
        self.scores.set(scores)
    }

    fn outcome_len(&self) -> usize {
        self.items()
    }

    fn room(&self) -> ConstrainedRoom {
        ConstrainedRoom::default()
    }

    fn draw(&self, u: &[f64], _z: &mut [f64], outcome: &mut [usize]) {
        self.constraints.build(&mut Stages::default(), |rank, candidates| {
            let highest = self.highest(candidates);
            let weight = |&item: &usize| exp_of_negative(self.scores.log[item] - highest);
            let mut left = u[rank] * candidates.iter().map(weight).sum::<f64>();
            let at = candidates.iter().position(|item| {
                left -= weight(item);
                left < 0.0
            });
            let at = at.unwrap_or(candidates.len() - 1);
            outcome[rank] = candidates[at];
            at
        });
    }

    fn choose_best(&self, outcome: &mut [usize]) {
        self.constraints.build(&mut Stages::default(), |rank, candidates| {
            let mut best = 0;
            for (at, &item) in candidates.iter().enumerate() {
                if self.scores.log[item] > self.scores.log[candidates[best]] {
                    best = at;
                }
            }
            outcome[rank] = candidates[best];
            best
        });
    }

    fn log_prob_in(&self, order: &[usize], room: &mut ConstrainedRoom) -> f64 {
        let mut log_prob = 0.0;
        self.constraints.build(&mut room.0, |rank, candidates| {
            let highest = self.highest(candidates);
            let total: f64 =
                candidates.iter().map(|&item| exp_of_negative(self.scores.log[item] - highest)).sum();
            log_prob += difference(self.scores.log[order[rank]], highest) - ln(total);
            place_of(candidates, order[rank])
        });
        log_prob
    }

    fn weighted_grad_log_prob(
        &self,
        order: &[usize],
        weights: &[f64],
        gradient: &mut [f64],
        room: &mut ConstrainedRoom,
    ) {
        gradient.fill(0.0);
        self.constraints.build(&mut room.0, |rank, candidates| {
            let highest = self.highest(candidates);
            let weight = |item: usize| exp_of_negative(self.scores.log[item] - highest);
            let scale = weights[rank] / candidates.iter().map(|&item| weight(item)).sum::<f64>();
            for &item in candidates {
                gradient[item] -= scale * weight(item);
            }
            gradient[order[rank]] += weights[rank];
            place_of(candidates, order[rank])
        });
    }
}

/// Room for building orders within constraints. Made by [`ConstrainedPlackettLuce`] for the estimators.
#[derive(Clone, Debug, Default)]
pub struct ConstrainedRoom(Stages);

/// Where an item stands among the candidates, which are sorted and have it: the order keeps the constraints.
fn place_of(candidates: &[usize], item: usize) -> usize {
    candidates.binary_search(&item).unwrap_or(0)
}
