//! What is known of a Plackett–Luce distribution without listing its orders: ranks, pairs, neighbors, information.

use crate::{
    distribution::Distribution,
    error::{Error, check_length},
    plackett_luce::PlackettLuce,
    race,
};

/// Marginals and information. All are exact to about twelve digits, at any number of items and whatever the scores: those of ranks and
/// neighbors by integrals over time, the others in closed form.
impl PlackettLuce {
    /// P(b_r = i) for all ranks r (rows) and items i (columns), row by row. O(Q k²) with some dozens to hundreds of nodes Q.
    ///
    /// ```
    /// let pl = plackett::PlackettLuce::new(&[0.0, 2f64.ln()])?;
    /// let ranks = pl.rank_probabilities();
    /// assert!((ranks[0] - 1.0 / 3.0).abs() < 1e-12 && (ranks[2] - 2.0 / 3.0).abs() < 1e-12);
    /// let uniform = plackett::PlackettLuce::new(&[0.0; 100])?.rank_probabilities();
    /// assert!(uniform.iter().all(|p| (p - 0.01).abs() < 1e-12));
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn rank_probabilities(&self) -> Vec<f64> {
        race::rank_probabilities(self.scores())
    }

    /// P(i comes before j) for all i (rows) and j (columns), row by row; zero on the diagonal. O(k²).
    ///
    /// ```
    /// let before = plackett::PlackettLuce::new(&[3f64.ln(), 0.0, 7.0])?.precedence_probabilities();
    /// assert!((before[1] - 0.75).abs() < 1e-15 && (before[3] - 0.25).abs() < 1e-15);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn precedence_probabilities(&self) -> Vec<f64> {
        let scores = self.scores();
        let items = scores.len();
        let entry = |at: usize| {
            let (i, j) = (at / items, at % items);
            if i == j { 0.0 } else { race::precedence(scores[i], scores[j]).0 }
        };
        (0..items * items).map(entry).collect()
    }

    /// P(j comes right after i) for all i (rows) and j (columns), row by row. O(Q² k²).
    ///
    /// ```
    /// let after = plackett::PlackettLuce::new(&[0.0; 5])?.neighbor_probabilities();
    /// assert!((after[1] - 0.2).abs() < 1e-12); // (k − 1) places of k (k − 1) pairs
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn neighbor_probabilities(&self) -> Vec<f64> {
        race::neighbor_probabilities(self.scores())
    }

    /// The expected rank of every item, the first being 0: Σ_j P(j comes before i). O(k²).
    ///
    /// ```
    /// let ranks = plackett::PlackettLuce::new(&[0.0, 0.0, 900.0])?.expected_ranks();
    /// assert_eq!(ranks, [1.5, 1.5, 0.0]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn expected_ranks(&self) -> Vec<f64> {
        let scores = self.scores();
        let rank = |i: usize| -> f64 {
            let others = (0..scores.len()).filter(|&j| j != i);
            others.map(|j| race::precedence(scores[j], scores[i]).0).sum()
        };
        (0..scores.len()).map(rank).collect()
    }

    /// The Fisher information E ∇log p(b) ∇log p(b)ᵀ in the scores, row by row. Rows sum to zero, because adding a constant to all scores
    /// changes nothing. O(Q² k²).
    ///
    /// ```
    /// let information = plackett::PlackettLuce::new(&[0.0, 3f64.ln()])?.fisher_information();
    /// assert!((information[0] - 0.1875).abs() < 1e-12 && (information[1] + 0.1875).abs() < 1e-12);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn fisher_information(&self) -> Vec<f64> {
        race::fisher_information(self.scores())
    }

    /// The Kullback–Leibler divergence E log(p(b)/p'(b)) in nats from this distribution p to another one, p'. O(Q² k).
    ///
    /// ```
    /// use plackett::PlackettLuce;
    /// let (one, other) = (PlackettLuce::new(&[0.0, 0.0])?, PlackettLuce::new(&[0.0, 3f64.ln()])?);
    /// let expected = 0.5 * 2f64.ln() + 0.5 * (2.0f64 / 3.0).ln();
    /// assert!((one.divergence(&other)? - expected).abs() < 1e-12);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Another number of items.
    pub fn divergence(&self, other: &PlackettLuce) -> Result<f64, Error> {
        check_length("the other distribution's list of scores", other.items(), self.items())?;
        let (scores, others) = (self.scores(), other.scores());
        Ok(race::cross_entropy(scores, others) - race::cross_entropy(scores, scores))
    }
}
