//! The Plackett–Luce distribution over orders: definition 1, lemma 1 and proposition 1 of the paper.
//!
//! With Θ_j = Σ_{u ≥ j} exp θ_{b_u} (a suffix sum along the order), p(b | θ) = Π_j exp θ_{b_j} / Θ_j, and the
//! conditional perturbed scores are exp(−z̃_{b_i}) = Σ_{j ≤ i} (−log v_j) / Θ_j (a prefix sum). Both sums are
//! kept in logarithms, and every derivative below is a chain of convex combinations with the shares of those
//! sums as weights: O(k), and finite whatever the scores.

use rand::Rng;

use crate::{
    distribution::{Distribution, Enumerable},
    elementary::{exp, ln},
    enumeration,
    error::{Error, check_length, check_noise},
    gumbel::{LogSum, exponential},
    latent::{Given, Latent, NormalizedScores},
    noise::fill_uniform,
    order::{Order, check_distinct, sort_descending},
    race,
    row::{Extent, Room, Row, Suffix, fill_suffixes, weighted_gradient},
};

/// The exact entropy of more items would take longer than a second.
const MOST_ITEMS_FOR_ENTROPY: usize = 10_000;

/// A distribution over orders of k items with log-scores θ: items are drawn one after another, each with
/// probability proportional to exp θ among those that are left.
///
/// ```
/// use plackett::{Noise, PlackettLuce};
/// let pl = PlackettLuce::new(&[0.0, 2f64.ln(), -1000.0])?;
/// assert_eq!(pl.mode().as_slice(), [1, 0, 2]);
/// assert!((pl.log_prob(&[1, 0, 2])? - (2.0f64 / 3.0).ln()).abs() < 1e-15);
/// assert!((pl.log_prob(&[0])? - (1.0f64 / 3.0).ln()).abs() < 1e-15); // item 0 comes first
/// let order = pl.sample(Noise::new(0).stream(0));
/// assert_eq!(order[2], 2);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlackettLuce {
    scores: NormalizedScores,
}

impl PlackettLuce {
    /// The distribution with these scores, any finite numbers; adding a constant to all changes nothing.
    ///
    /// # Errors
    /// No scores, or one that is not finite.
    pub fn new(scores: &[f64]) -> Result<Self, Error> {
        Ok(Self { scores: NormalizedScores::new(scores)? })
    }

    /// The log-probability of an order, or that an order begins with these items (a top-m prefix). O(k).
    ///
    /// # Errors
    /// Items that repeat or do not exist (an empty prefix has probability one), or a result below −1.8·10³⁰⁸.
    pub fn log_prob(&self, ranked: &[usize]) -> Result<f64, Error> {
        self.row().log_prob(ranked, &mut Room::default())
    }

    /// The gradient of [`log_prob`](Self::log_prob) in the scores, for an order or a prefix. O(k).
    ///
    /// ```
    /// let pl = plackett::PlackettLuce::new(&[0.0, 0.0])?;
    /// assert_eq!(pl.grad_log_prob(&[1, 0])?, [-0.5, 0.5]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Items that repeat or do not exist.
    pub fn grad_log_prob(&self, ranked: &[usize]) -> Result<Vec<f64>, Error> {
        let mut gradient = vec![0.0; self.items()];
        self.row().add_grad_log_prob(ranked, 1.0, &mut gradient, &mut Room::default())?;
        Ok(gradient)
    }

    /// One order. O(k log k).
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Order {
        let mut ranked = vec![0; self.items()];
        self.row().sample(rng, &mut ranked, &mut Room::default());
        Order::from_sorted(ranked)
    }

    /// Many independent orders. O(k log k) each.
    ///
    /// ```
    /// use plackett::{Noise, PlackettLuce};
    /// let orders = PlackettLuce::new(&[0.0; 3])?.sample_many(600, Noise::new(0).stream(0));
    /// let first = orders.iter().filter(|order| order[0] == 0).count();
    /// assert!((150..250).contains(&first)); // about a third
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn sample_many<R: Rng + ?Sized>(&self, count: usize, rng: &mut R) -> Vec<Order> {
        let (row, mut room) = (self.row(), Room::default());
        let mut draw = || {
            let mut ranked = vec![0; self.items()];
            row.sample(rng, &mut ranked, &mut room);
            Order::from_sorted(ranked)
        };
        (0..count).map(|_| draw()).collect()
    }

    /// One order into an existing one, which takes this distribution's length. After the first call with the same
    /// `scratch` nothing is allocated.
    ///
    /// ```
    /// use plackett::{Noise, Order, PlackettLuce};
    /// let pl = PlackettLuce::new(&[0.0; 4])?;
    /// let (mut order, mut scratch) = (Order::identity(4), Vec::new());
    /// pl.sample_into(Noise::new(3).stream(0), &mut order, &mut scratch);
    /// assert_eq!(order, pl.sample(Noise::new(3).stream(0)));
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn sample_into<R: Rng + ?Sized>(&self, rng: &mut R, order: &mut Order, scratch: &mut Vec<f64>) {
        let items = self.items();
        scratch.resize(items, 0.0);
        fill_uniform(rng, scratch);
        for (z, score) in scratch.iter_mut().zip(&self.scores.log) {
            *z = score - ln(exponential(*z));
        }
        let ranked = order.as_mut_vec();
        ranked.resize(items, 0);
        sort_descending(scratch, ranked);
    }

    /// The most probable order: scores descending, ties by the smaller item. O(k log k).
    pub fn mode(&self) -> Order {
        let mut ranked = vec![0; self.items()];
        self.outcome(&self.scores.log, &mut ranked);
        Order::from_sorted(ranked)
    }

    /// The exact entropy in nats: up to 20 items by a recursion over subsets of them, O(k 2ᵏ), beyond by integrals over time, O(Q² k) with
    /// some dozens of nodes Q.
    ///
    /// ```
    /// let entropy = plackett::PlackettLuce::new(&[1.0; 4])?.entropy()?;
    /// assert!((entropy - 24f64.ln()).abs() < 1e-14);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// More than 10,000 items, which would take seconds; use [`entropy_estimate`](Self::entropy_estimate) there.
    pub fn entropy(&self) -> Result<f64, Error> {
        let items = self.items();
        if items <= enumeration::MOST_ITEMS_IN_SUBSETS {
            enumeration::entropy(&self.scores.log)
        } else if items <= MOST_ITEMS_FOR_ENTROPY {
            Ok(race::cross_entropy(&self.scores.log, &self.scores.log))
        } else {
            Err(Error::TooManyItems { what: "the exact entropy", items, limit: MOST_ITEMS_FOR_ENTROPY })
        }
    }

    /// The entropy in nats estimated from samples: the mean of −log p(b), and its standard error. O(k log k) each.
    ///
    /// ```
    /// use plackett::{Noise, PlackettLuce};
    /// let pl = PlackettLuce::new(&[0.0, 1.0, 2.0])?;
    /// let (entropy, error) = pl.entropy_estimate(1000, Noise::new(0).stream(0))?;
    /// assert!((entropy - pl.entropy()?).abs() < 4.0 * error);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two samples.
    pub fn entropy_estimate<R: Rng + ?Sized>(
        &self,
        samples: usize,
        rng: &mut R,
    ) -> Result<(f64, f64), Error> {
        crate::error::check_setting("samples", samples as f64, samples >= 2, "at least 2 are needed")?;
        let mut order = Order::identity(self.items());
        let (mut scratch, mut given) = (Vec::new(), self.room());
        let (mut mean, mut squares) = (0.0, 0.0);
        for count in 1..=samples {
            self.sample_into(rng, &mut order, &mut scratch);
            self.condition(&order, &mut given);
            let surprise = -given.log_prob();
            let change = surprise - mean;
            mean += change / count as f64;
            squares += change * (surprise - mean);
        }
        let count = samples as f64;
        Ok((mean, (squares / (count - 1.0) / count).sqrt()))
    }

    /// Every order with its probability, in lexicographic order.
    ///
    /// ```
    /// let all = plackett::PlackettLuce::new(&[0.0, 1.0, 2.0])?.enumerate()?;
    /// assert_eq!(all.len(), 6);
    /// assert!((all.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-15);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// More than 10 items.
    pub fn enumerate(&self) -> Result<Vec<(Order, f64)>, Error> {
        let mut all = Vec::with_capacity(self.outcomes()?);
        let mut given = self.room();
        self.try_for_each_outcome(&mut |ranked| {
            self.condition(ranked, &mut given);
            all.push((Order::from_sorted(ranked.to_vec()), exp(given.log_prob())));
            Ok(())
        })?;
        Ok(all)
    }

    /// Perturbed scores z from explicit uniform noise, one number per item (lemma 1).
    ///
    /// ```
    /// let pl = plackett::PlackettLuce::new(&[0.0, 0.0])?;
    /// let z = pl.perturb(&[0.2, 0.8])?;
    /// assert_eq!(plackett::Order::sorting(&z)?.as_slice(), [1, 0]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Noise of the wrong length or outside [0, 1].
    pub fn perturb(&self, u: &[f64]) -> Result<Vec<f64>, Error> {
        check_length("u", u.len(), self.items())?;
        check_noise("u", u)?;
        let mut z = vec![0.0; u.len()];
        Latent::perturb(self, u, &mut z);
        Ok(z)
    }

    /// Conditional perturbed scores z̃ given the order, from explicit uniform noise v (proposition 1): vᵢ belongs
    /// to rank i. Sorting z̃ gives the order back.
    ///
    /// ```
    /// let pl = plackett::PlackettLuce::new(&[5.0, 0.0, -5.0])?;
    /// let order = plackett::Order::new(vec![2, 0, 1])?;
    /// let z = pl.conditional(&order, &[0.5, 0.9, 0.1])?;
    /// assert_eq!(plackett::Order::sorting(&z)?, order);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// An order that is not one of all items, or noise of the wrong length or outside [0, 1].
    pub fn conditional(&self, order: &[usize], v: &[f64]) -> Result<Vec<f64>, Error> {
        check_length("the order", order.len(), self.items())?;
        check_distinct(order, self.items())?;
        check_length("v", v.len(), self.items())?;
        check_noise("v", v)?;
        let mut given = self.room();
        self.condition(order, &mut given);
        let mut z = vec![0.0; v.len()];
        given.perturb(v, &mut z);
        Ok(z)
    }

    fn row(&self) -> Row<'_> {
        Row::new(&self.scores.log, &self.scores.probability, Extent::of(&self.scores.log))
    }
}

impl Distribution for PlackettLuce {
    type Room = GivenOrder;

    fn scores(&self) -> &[f64] {
        &self.scores.log
    }

    fn set_scores(&mut self, scores: &[f64]) -> Result<(), Error> {
        self.scores.set(scores)
    }

    fn outcome_len(&self) -> usize {
        self.items()
    }

    fn room(&self) -> GivenOrder {
        GivenOrder {
            order: vec![0; self.items()],
            suffixes: vec![Suffix::default(); self.items()],
            prefixes: vec![Prefix::default(); self.items()],
        }
    }

    fn draw(&self, u: &[f64], z: &mut [f64], outcome: &mut [usize]) {
        Latent::perturb(self, u, z);
        self.outcome(z, outcome);
    }

    fn choose_best(&self, outcome: &mut [usize]) {
        self.outcome(&self.scores.log, outcome);
    }

    fn log_prob_in(&self, outcome: &[usize], given: &mut GivenOrder) -> f64 {
        self.condition(outcome, given);
        given.log_prob()
    }

    fn weighted_grad_log_prob(
        &self,
        outcome: &[usize],
        weights: &[f64],
        gradient: &mut [f64],
        given: &mut GivenOrder,
    ) {
        self.condition(outcome, given);
        given.sum_of_gradients(weights.iter().copied(), gradient);
    }
}

impl Latent for PlackettLuce {
    type Given = GivenOrder;

    fn probabilities(&self) -> &[f64] {
        &self.scores.probability
    }

    fn outcome(&self, z: &[f64], outcome: &mut [usize]) {
        sort_descending(z, outcome);
    }

    fn condition(&self, outcome: &[usize], given: &mut GivenOrder) {
        given.order.copy_from_slice(outcome);
        fill_suffixes(&self.scores.log, outcome, &mut given.suffixes);
    }
}

impl Enumerable for PlackettLuce {
    fn outcomes(&self) -> Result<usize, Error> {
        enumeration::count(self.items())
    }

    fn try_for_each_outcome(
        &self,
        visit: &mut dyn FnMut(&[usize]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        enumeration::try_for_each_order(self.items(), visit)
    }

    fn expectation(&self, values: &[f64], gradient: &mut [f64], scratch: &mut Vec<f64>) -> f64 {
        enumeration::expectation(&self.scores.log, values, gradient, scratch)
    }

    fn race(&self) -> Option<&[f64]> {
        Some(&self.scores.log)
    }
}

/// Rank i's place in the prefix sums E_i = exp(−z̃_{b_i}).
#[derive(Clone, Copy, Debug, Default)]
struct Prefix {
    /// E_{i−1} / E_i.
    old: f64,
    /// (−log v_i / Θ_i) / E_i.
    new: f64,
}

/// The Plackett–Luce distribution with its order fixed. Made by [`PlackettLuce`] for the estimators.
#[derive(Clone, Debug)]
pub struct GivenOrder {
    order: Vec<usize>,
    suffixes: Vec<Suffix>,
    prefixes: Vec<Prefix>,
}

impl GivenOrder {
    /// ∇ Σ_j w_j log p(b_j | b_1 … b_{j−1}).
    fn sum_of_gradients(&self, weights: impl Iterator<Item = f64>, gradient: &mut [f64]) {
        weighted_gradient(&self.order, &self.suffixes, weights, |item, slope| gradient[item] = slope);
    }
}

impl Given for GivenOrder {
    fn log_prob(&self) -> f64 {
        self.suffixes.iter().map(|suffix| suffix.log_share).sum()
    }

    fn grad_log_prob(&self, gradient: &mut [f64]) {
        self.sum_of_gradients(std::iter::repeat(1.0), gradient);
    }

    fn perturb(&mut self, v: &[f64], z: &mut [f64]) {
        // Θ_1 = 1, because the scores are normalized: the first value is a standard Gumbel.
        let mut log_sum = ln(exponential(v[0]));
        let mut above = -log_sum;
        z[self.order[0]] = above;
        for rank in 1..self.order.len() {
            let sum = LogSum::of(log_sum, ln(exponential(v[rank])) - self.suffixes[rank].log_sum);
            log_sum = sum.log;
            // Rounding may swallow the new term; z̃ must still sort into this very order.
            above = (-log_sum).min(above.next_down());
            z[self.order[rank]] = above;
            self.prefixes[rank] = Prefix { old: sum.first, new: sum.second };
        }
    }

    /// d log Θ_j is the share-weighted mean A_j of d over the suffix, less A_1; dz̃_i is the mean of those over
    /// the prefix, weighted by the noise's shares.
    fn perturb_jvp(&self, direction: &[f64], product: &mut [f64]) {
        let mut mean = 0.0;
        for (&item, suffix) in self.order.iter().zip(&self.suffixes).rev() {
            mean = suffix.share * direction[item] + suffix.rest * mean;
            product[item] = mean;
        }
        let overall = mean;
        let mut change = 0.0;
        product[self.order[0]] = 0.0;
        for (&item, prefix) in self.order.iter().zip(&self.prefixes).skip(1) {
            change = prefix.old * change + prefix.new * (product[item] - overall);
            product[item] = change;
        }
    }

    /// The transpose: the two chains of [`perturb_jvp`](Given::perturb_jvp) run backwards.
    fn perturb_vjp(&self, cotangent: &[f64], product: &mut [f64]) {
        let (mut carried, mut total) = (0.0, 0.0);
        for (&item, prefix) in self.order.iter().zip(&self.prefixes).skip(1).rev() {
            let change = cotangent[item] + carried;
            carried = prefix.old * change;
            product[item] = prefix.new * change;
            total += product[item];
        }
        product[self.order[0]] = -total;
        let mut mean = 0.0;
        for (&item, suffix) in self.order.iter().zip(&self.suffixes) {
            mean += product[item];
            product[item] = suffix.share * mean;
            mean *= suffix.rest;
        }
    }
}
