//! The Bayesian information criterion for categorical data: Σ N_ijk log(N_ijk/N_ij) − ½ log N · (r_i − 1)·q, half the
//! logarithm of the number of rows for each free parameter. Markov-equivalent graphs score the same.

use super::tabulated::{CountLogs, count_logs};
use super::{CountScore, DiscreteScoreEntry, FamilyScore};
use plackett::elementary::ln;

pub(super) const ENTRY: DiscreteScoreEntry = DiscreteScoreEntry {
    name: "bic",
    summary: "Bayesian information criterion for categorical data, ½ log n per free parameter",
    build: |_| Ok(Box::new(DiscreteBic)),
};

/// The Bayesian information criterion for categorical data.
///
/// ```
/// use plackett_dag::{Categories, Dag, score::{DiscreteBic, graph_cost}};
/// // Two draws of a coin, one each way: −2 log ½, and ½ log 2 for the coin's bias.
/// let data = Categories::new(vec!["coin".into()], vec![vec!["head".into(), "tail".into()]], vec![vec![0, 1]])?;
/// assert!((graph_cost(&data, &DiscreteBic, &Dag::empty(1))? - 2.5 * 2_f64.ln()).abs() < 1e-12);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiscreteBic;

impl FamilyScore for DiscreteBic {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn on_rows(&self, rows: usize) -> Box<dyn CountScore> {
        Box::new(OnRows { logs: count_logs(rows), price: 0.5 * ln(rows as f64) })
    }
}

#[derive(Debug)]
struct OnRows {
    logs: CountLogs,
    price: f64,
}

impl CountScore for OnRows {
    fn joint(&self, counts: &[u32], cells: f64) -> f64 {
        self.logs.sum(counts) - self.price * cells
    }

    fn least_cost(&self, configurations: f64, arity: usize, log_likelihood: f64) -> f64 {
        self.price * configurations * (arity - 1) as f64 - log_likelihood
    }
}
