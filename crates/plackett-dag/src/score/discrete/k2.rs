//! K2 (Cooper and Herskovits): the marginal likelihood of the data with uniform priors over a node's distributions,
//! Π_j (r−1)!/(N_ij+r−1)! Π_k N_ijk!. Markov-equivalent graphs may score differently.

use super::tabulated::{MOST_ENTRIES, Tabulated};
use super::{CountScore, DiscreteScoreEntry, FamilyScore};

pub(super) const ENTRY: DiscreteScoreEntry = DiscreteScoreEntry {
    name: "k2",
    summary: "marginal likelihood with uniform priors; prefers some Markov-equivalent graphs over others, for no reason in the data",
    build: |_| Ok(Box::new(K2)),
};

/// The score of Cooper and Herskovits.
///
/// ```
/// use plackett_dag::{Categories, Dag, score::{K2, graph_cost}};
/// // Two draws of a coin, one each way: ∫ p(1−p) dp = 1/6.
/// let data = Categories::new(vec!["coin".into()], vec![vec!["head".into(), "tail".into()]], vec![vec![0, 1]])?;
/// assert!((graph_cost(&data, &K2, &Dag::empty(1))? - 6_f64.ln()).abs() < 1e-12);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct K2;

impl FamilyScore for K2 {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn on_rows(&self, rows: usize) -> Box<dyn CountScore> {
        Box::new(OnRows { factorials: Tabulated::new(rows, MOST_ENTRIES, |x| libm::lgamma(x + 1.0)) })
    }
}

#[derive(Debug)]
struct OnRows {
    factorials: Tabulated<fn(f64) -> f64>,
}

impl CountScore for OnRows {
    fn joint(&self, counts: &[u32], _: f64) -> f64 {
        self.factorials.sum(counts)
    }

    fn parents(&self, counts: &[u32], _: f64, arity: usize) -> f64 {
        let others = arity.saturating_sub(1) as u32;
        let base = self.factorials.at(others);
        // Zero at zero exactly, so that configurations without rows add nothing.
        counts.iter().map(|&count| self.factorials.at(count + others) - base).sum()
    }

    fn parents_differ(&self) -> bool {
        true
    }
}
