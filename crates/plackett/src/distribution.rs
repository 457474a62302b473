//! What REINFORCE needs of a distribution: samples, and the gradient of the logarithms of its choices.

use crate::error::Error;

/// A distribution over outcomes, lists of items that are chosen one after another, with scores θ.
///
/// [`PlackettLuce`](crate::PlackettLuce) and [`Categorical`](crate::Categorical) are more than that, a [`Latent`](crate::Latent);
/// of [`ConstrainedPlackettLuce`](crate::ConstrainedPlackettLuce) this is all that is known.
///
/// These are unchecked pieces that training loops call millions of times: slices must have the lengths that
/// [`items`](Distribution::items) and [`outcome_len`](Distribution::outcome_len) say, or the call panics. The methods of the types
/// themselves check their input.
pub trait Distribution: Clone + std::fmt::Debug {
    /// Room to work in.
    type Room: Clone + std::fmt::Debug;

    /// The scores θ, normalized so that Σ exp θ = 1.
    fn scores(&self) -> &[f64];

    /// Replaces the scores. O(k), without allocation.
    ///
    /// # Errors
    /// Scores that are not finite or not as many as before; nothing has changed then.
    fn set_scores(&mut self, scores: &[f64]) -> Result<(), Error>;

    /// The number of items, k.
    fn items(&self) -> usize {
        self.scores().len()
    }

    /// How many items an outcome lists.
    fn outcome_len(&self) -> usize;

    /// Room for the calls below.
    fn room(&self) -> Self::Room;

    /// The outcome b of uniform noise, one number per item. A [`Latent`](crate::Latent) leaves its perturbed scores in `z`.
    fn draw(&self, u: &[f64], z: &mut [f64], outcome: &mut [usize]);

    /// The outcome whose every choice is the most probable one.
    fn choose_best(&self, outcome: &mut [usize]);

    /// log p(b | θ).
    fn log_prob_in(&self, outcome: &[usize], room: &mut Self::Room) -> f64;

    /// The gradient of Σ_j w_j log p(b_j | b_1 … b_{j−1}, θ), one weight for each choice: with all weights one this is ∇ log p(b | θ),
    /// and with what is still to be paid from each choice on as weights it is REINFORCE with reward-to-go.
    fn weighted_grad_log_prob(
        &self,
        outcome: &[usize],
        weights: &[f64],
        gradient: &mut [f64],
        room: &mut Self::Room,
    );
}

/// A distribution whose outcomes can be listed, if they are few.
pub trait Enumerable: Distribution {
    /// How many outcomes there are, or an error if they are too many to list.
    ///
    /// # Errors
    /// More outcomes than enumeration can reach.
    fn outcomes(&self) -> Result<usize, Error>;

    /// Visits every outcome once, always in the same order.
    ///
    /// # Errors
    /// What `visit` returns, or more outcomes than enumeration can reach.
    fn try_for_each_outcome(&self, visit: &mut dyn FnMut(&[usize]) -> Result<(), Error>)
    -> Result<(), Error>;

    /// E f(b) and its gradient in θ from the values of f on every outcome, listed as
    /// [`try_for_each_outcome`](Enumerable::try_for_each_outcome) visits them. `scratch` grows on the first call only.
    fn expectation(&self, values: &[f64], gradient: &mut [f64], scratch: &mut Vec<f64>) -> f64;

    /// The logarithms of the rates, if an outcome is the order of arrival in a race of exponential clocks: sums over ranks, pairs and
    /// neighbors then have expectations that need no list of outcomes.
    fn race(&self) -> Option<&[f64]> {
        None
    }
}
