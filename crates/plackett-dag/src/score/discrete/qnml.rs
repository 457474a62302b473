//! Quotient normalized maximum likelihood, the score of the paper's Table 4: the log score of node i with parents of q
//! configurations is Σ N_ijk log(N_ijk/N_ij) − [reg(N, q·r_i) − reg(N, q)], reg(N, K) the regret of a multinomial
//! distribution. It has no parameter to choose, and Markov-equivalent graphs score the same.

use super::regret::Regret;
use super::tabulated::{CountLogs, count_logs};
use super::{CountScore, DiscreteScoreEntry, FamilyScore};

pub(super) const ENTRY: DiscreteScoreEntry = DiscreteScoreEntry {
    name: "qnml",
    summary: "quotient normalized maximum likelihood: nothing to choose, the paper's score for discrete data",
    build: |_| Ok(Box::new(Qnml)),
};

/// The quotient normalized maximum likelihood.
///
/// ```
/// use plackett_dag::{Categories, Dag, score::{Qnml, graph_cost}};
/// // Two draws of a coin, one each way: −2 log ½, and the regret log C(2, 2) = log 2.5.
/// let data = Categories::new(vec!["coin".into()], vec![vec!["head".into(), "tail".into()]], vec![vec![0, 1]])?;
/// assert!((graph_cost(&data, &Qnml, &Dag::empty(1))? - (4_f64.ln() + 2.5_f64.ln())).abs() < 1e-12);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Qnml;

impl FamilyScore for Qnml {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn on_rows(&self, rows: usize) -> Box<dyn CountScore> {
        Box::new(OnRows { logs: count_logs(rows), regret: Regret::new(rows) })
    }
}

#[derive(Debug)]
struct OnRows {
    logs: CountLogs,
    regret: Regret,
}

impl CountScore for OnRows {
    fn joint(&self, counts: &[u32], cells: f64) -> f64 {
        self.logs.sum(counts) - self.regret.of(cells)
    }

    fn least_cost(&self, configurations: f64, arity: usize, log_likelihood: f64) -> f64 {
        let price = self.regret.of(configurations * arity as f64) - self.regret.of(configurations);
        price - log_likelihood - Regret::SLACK
    }
}
