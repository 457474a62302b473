//! The exact expected score of a random Plackett–Luce order, and its exact gradient in the scores θ:
//! `V(S) = Σ_{d∉S} p_d (r(d, S) + V(S∪d))` with `p_d ∝ exp θ_d` over what is left, and, with α(S) the probability that S is
//! what comes first, `∂V/∂θ_j = Σ_{S∌j} α(S)·p_j·(r(j, S) + V(S∪j) − V(S))`. An oracle for tests of gradient estimators.

use plackett::{elementary::exp, run::Run};

use super::LocalTable;
use crate::pace::Pace;
use crate::{Error, Result};

/// Expected order score and its gradient.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, score::{EvL0, ScoreSettings}, search::{Expectation, LocalTable}};
/// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let score = EvL0::new(gram, &ScoreSettings::default())?;
/// let table = LocalTable::new(&score, 1 << 20, &Run::default())?.expect("nothing ends the run");
/// let at = |scores: [f64; 2]| Expectation::new(&table, &scores, &Run::default());
/// let even = at([0.0, 0.0])?.expect("nothing ends the run");
/// // Node 0 first is better, so raising its score lowers the expectation.
/// assert!(even.gradient[0] < 0.0 && at([1.0, 0.0])?.is_some_and(|other| other.value < even.value));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// E f(b) over orders b drawn with scores θ.
    pub value: f64,
    /// ∂E f(b)/∂θ.
    pub gradient: Vec<f64>,
}

impl Expectation {
    /// Both, in O(k·2^k) time and 16·2^k bytes beside the table; nothing if the run is over before.
    ///
    /// # Errors
    /// [`Error::Size`] unless there is one score per node; [`Error::Setting`] if one is not finite.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, score::{Bic, ScoreSettings}, search::{Expectation, LocalTable}};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let score = Bic::new(gram, &ScoreSettings::default())?;
    /// let table = LocalTable::new(&score, 1 << 20, &Run::default())?.expect("nothing ends the run");
    /// assert!(Expectation::new(&table, &[0.0], &Run::default()).is_err());
    /// let found = Expectation::new(&table, &[1000.0, -1000.0], &Run::default())?.expect("nothing ends the run");
    /// assert!(found.value.is_finite());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(table: &LocalTable, scores: &[f64], run: &Run<'_>) -> Result<Option<Self>> {
        let k = table.nodes();
        if scores.len() != k {
            return Err(Error::Size { what: "the list of scores", expected: k, found: scores.len() });
        }
        if let Some(&value) = scores.iter().find(|score| !score.is_finite()) {
            let reason = "it must be finite";
            return Err(Error::Setting { name: "a score", value: value.to_string(), reason });
        }
        let whole = (1_usize << k) - 1;
        let mut probabilities = vec![0.0; k];

        let mut pace = Pace::new(run);
        let mut values = vec![0.0; whole + 1];
        for set in (0..whole).rev() {
            if pace.spend(k).is_none() {
                return Ok(None);
            }
            choice_probabilities(scores, whole & !set, &mut probabilities);
            values[set] = members(whole & !set)
                .map(|node| probabilities[node] * (table.get(node, set as u64) + values[set | 1 << node]))
                .sum();
        }

        let mut reached = vec![0.0; whole + 1];
        reached[0] = 1.0;
        let mut gradient = vec![0.0; k];
        for set in 0..whole {
            if pace.spend(k).is_none() {
                return Ok(None);
            }
            choice_probabilities(scores, whole & !set, &mut probabilities);
            for node in members(whole & !set) {
                let mass = reached[set] * probabilities[node];
                let next = set | 1 << node;
                reached[next] += mass;
                gradient[node] += mass * (table.get(node, set as u64) + values[next] - values[set]);
            }
        }
        Ok(Some(Self { value: values[0], gradient }))
    }
}

fn members(set: usize) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let node = (rest != 0).then_some(rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(node)
    })
}

/// Softmax of the scores over `left`, shifted by the largest of them so that no spread overflows.
fn choice_probabilities(scores: &[f64], left: usize, probabilities: &mut [f64]) {
    let largest = members(left).map(|node| scores[node]).fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for node in members(left) {
        probabilities[node] = exp(scores[node] - largest);
        total += probabilities[node];
    }
    for node in members(left) {
        probabilities[node] /= total;
    }
}
