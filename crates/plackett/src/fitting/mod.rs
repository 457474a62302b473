//! Scores from rankings, by maximum likelihood: the Plackett–Luce model of who is ranked before whom.
//!
//! A ranking lists groups of items, the first-ranked first. Items of one group are tied: in which order they came is not known, and the
//! likelihood is the probability of all orders that it could have been. So a ranking of the best m among all items is one whose
//! last group are the others. The logarithm of that probability is concave in the scores (the perturbed scores that sort into such an
//! order are a convex set), and Newton's method finds its maximum.

mod likelihood;
mod solve;
mod tie;

use crate::{
    error::{Error, check_setting},
    order::check_distinct,
    run::Run,
};
use likelihood::{Sums, log_likelihood, sums};
use solve::Cholesky;

/// Newton's method is given up after so many steps; it takes five to ten.
const MOST_STEPS: usize = 200;

/// A step is halved so often, until it gains.
const MOST_HALVINGS: usize = 50;

/// The scores have settled when a step moves none of them by more.
const SETTLED: f64 = 1e-10;

/// More items than this would need gigabytes for the information matrix.
const MOST_ITEMS: usize = 10_000;

/// Some items in the order of their ranks, perhaps with ties, and how often that was seen.
///
/// ```
/// use plackett::fitting::Ranking;
/// let whole = Ranking::new(&[2, 0, 1]); // 2 before 0 before 1; other items did not take part
/// let best = Ranking::top(&[2], 4);     // 2 before 0, 1 and 3, of which nothing more is known
/// let tied = Ranking::tied(vec![vec![2], vec![0, 1]]).weighted(3.0);
/// assert_eq!(best.groups(), [vec![2], vec![0, 1, 3]]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    groups: Vec<Vec<usize>>,
    weight: f64,
}

impl Ranking {
    /// Items without ties; those that are not listed did not take part.
    pub fn new(ranked: &[usize]) -> Self {
        Self::tied(ranked.iter().map(|&item| vec![item]).collect())
    }

    /// Groups of tied items; those that are not listed did not take part.
    pub fn tied(groups: Vec<Vec<usize>>) -> Self {
        Self { groups, weight: 1.0 }
    }

    /// The best of all items: those that are not listed come after them.
    pub fn top(ranked: &[usize], items: usize) -> Self {
        Self::new(ranked).before_others(items)
    }

    /// The same ranking with all other items tied behind it.
    #[must_use]
    pub fn before_others(mut self, items: usize) -> Self {
        let mut is_left = vec![true; items];
        self.groups.iter().flatten().filter(|&&item| item < items).for_each(|&item| is_left[item] = false);
        let others: Vec<usize> = (0..items).filter(|&item| is_left[item]).collect();
        self.groups.extend((!others.is_empty()).then_some(others));
        self
    }

    /// The same ranking, seen so often (or counted so much).
    #[must_use]
    pub fn weighted(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// The groups of tied items, the first-ranked first.
    pub fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    fn check(&self, items: usize) -> Result<(), Error> {
        let is_valid = self.weight.is_finite() && self.weight >= 0.0;
        check_setting("the weight", self.weight, is_valid, "it must not be negative")?;
        if self.groups.iter().any(Vec::is_empty) {
            return Err(Error::Empty { what: "a group of tied items" });
        }
        check_distinct(&self.groups.concat(), items)
    }
}

/// The scores that explain rankings best.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fit {
    /// The scores θ, which sum to zero.
    pub scores: Vec<f64>,
    /// The covariance of the scores' errors, row by row: the inverse of the observed information, for scores that sum to zero.
    pub covariance: Vec<f64>,
    /// The logarithm of the likelihood, without the ridge.
    pub log_likelihood: f64,
    /// The steps of Newton's method.
    pub steps: usize,
}

impl Fit {
    /// The standard errors of the scores.
    ///
    /// ```
    /// use plackett::{fitting::{Ranking, fit}, run::Run};
    /// let games = [Ranking::new(&[0, 1]).weighted(30.0), Ranking::new(&[1, 0]).weighted(10.0)];
    /// let found = fit(&games, 2, 0.0, &Run::default())?.expect("nothing stops it");
    /// assert!((found.scores[0] - found.scores[1] - 3f64.ln()).abs() < 1e-12);
    /// // The variance of the log-odds is 1/30 + 1/10; a score is half of it.
    /// assert!((found.standard_errors()[0] - 0.5 * (1.0f64 / 30.0 + 0.1).sqrt()).abs() < 1e-12);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn standard_errors(&self) -> Vec<f64> {
        let items = self.scores.len();
        (0..items).map(|item| self.covariance[item * (items + 1)].max(0.0).sqrt()).collect()
    }
}

/// The scores with the largest likelihood, less `ridge`/2 Σθ² (a normal prior; 0 for none). O(nk²) a step for n rankings, and k³/3.
/// `None` if the run was over before.
///
/// ```
/// use plackett::{fitting::{Ranking, fit}, run::Run};
/// let seen = [Ranking::new(&[0, 1, 2]), Ranking::new(&[1, 2, 0]), Ranking::new(&[0, 2, 1]), Ranking::top(&[0], 3)];
/// let found = fit(&seen, 3, 0.0, &Run::default())?.expect("nothing stops it");
/// assert!(found.scores[0] > found.scores[1] && found.scores[1] > found.scores[2]);
/// // Item 2 is never ranked before another here, and its score would be −∞:
/// let error = fit(&seen[..1], 3, 0.0, &Run::default()).unwrap_err();
/// assert!(error.to_string().contains("no maximum"));
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// Rankings with repeated or unknown items or empty groups; a ridge that is negative; items of which the likelihood does not bound
/// the scores: some are never ranked behind any of the others, or never before them.
pub fn fit(rankings: &[Ranking], items: usize, ridge: f64, run: &Run) -> Result<Option<Fit>, Error> {
    check_setting("items", items as f64, (1..=MOST_ITEMS).contains(&items), "it must be from 1 to 10000")?;
    check_setting("ridge", ridge, ridge.is_finite() && ridge >= 0.0, "it must not be negative")?;
    for (index, ranking) in rankings.iter().enumerate() {
        ranking.check(items).map_err(|error| error.of(index))?;
    }
    if ridge == 0.0 {
        check_maximum(rankings, items)?;
    }
    let penalty = |scores: &[f64]| 0.5 * ridge * scores.iter().map(|score| score * score).sum::<f64>();
    let mut scores = vec![0.0; items];
    for steps in 1..=MOST_STEPS {
        let Some(mut sums) = sums(rankings, &scores, run) else { return Ok(None) };
        sums.add_ridge(ridge, &scores);
        let (Sums { value, gradient, .. }, factor) = (&sums, Cholesky::of_gauged(&sums.information, items));
        let step = factor.solve(gradient);
        let gain: f64 = step.iter().zip(gradient).map(|(step, slope)| step * slope).sum();
        let largest = step.iter().fold(0.0, |most: f64, step| most.max(step.abs()));
        if largest <= SETTLED * (1.0 + scores.iter().fold(0.0, |most: f64, score| most.max(score.abs()))) {
            let covariance = factor.inverse();
            return Ok(Some(Fit { log_likelihood: value + penalty(&scores), scores, covariance, steps }));
        }
        let (mut length, start, value) = (1.0, scores.clone(), *value);
        for _ in 0..MOST_HALVINGS {
            for ((score, start), step) in scores.iter_mut().zip(&start).zip(&step) {
                *score = start + length * step;
            }
            let Some(reached) = log_likelihood(rankings, &scores, run) else { return Ok(None) };
            // Where the gain is lost in rounding, Newton's step itself is trusted.
            if reached - penalty(&scores) >= value + 1e-4 * length * gain
                || gain < 1e-12 * (1.0 + value.abs())
            {
                break;
            }
            length *= 0.5;
        }
        let mean = scores.iter().sum::<f64>() / items as f64;
        scores.iter_mut().for_each(|score| *score -= mean);
    }
    Err(Error::NotSettled { steps: MOST_STEPS })
}

/// The likelihood has a maximum if, and only if, whichever way the items are split in two, some item of each part is ranked before one
/// of the other (Hunter 2004): if the graph of who was ranked before whom is strongly connected.
fn check_maximum(rankings: &[Ranking], items: usize) -> Result<(), Error> {
    let (mut behind, mut ahead) = (vec![Vec::new(); items], vec![Vec::new(); items]);
    for ranking in rankings.iter().filter(|ranking| ranking.weight > 0.0) {
        for pair in ranking.groups.windows(2) {
            for &first in &pair[0] {
                for &second in &pair[1] {
                    behind[first].push(second);
                    ahead[second].push(first);
                }
            }
        }
    }
    for (links, never) in [(&behind, "behind"), (&ahead, "before")] {
        let mut is_reached = vec![false; items];
        is_reached[0] = true;
        let mut waiting = vec![0];
        while let Some(item) = waiting.pop() {
            for &next in &links[item] {
                if !std::mem::replace(&mut is_reached[next], true) {
                    waiting.push(next);
                }
            }
        }
        let (reached, missed): (Vec<_>, Vec<_>) = (0..items).partition(|&item| is_reached[item]);
        if !missed.is_empty() {
            // No reached item is ever before (or behind) a missed one. Name the fewer of the two.
            let opposite = if never == "behind" { "before" } else { "behind" };
            let (items, never) =
                if missed.len() <= reached.len() { (missed, never) } else { (reached, opposite) };
            return Err(Error::NoMaximum { items, never });
        }
    }
    Ok(())
}
