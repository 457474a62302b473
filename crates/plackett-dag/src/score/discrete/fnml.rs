//! Factorized normalized maximum likelihood (Roos, Silander and others 2008): each row of a conditional table pays the regret of
//! its own draws, −Σ_j [Σ_k N_ijk log(N_ijk/N_ij) − log C(N_ij, r)]. The sum depends on direction: Budhathoki and Vreeken (2017)
//! tell the cause of a pair by it, the simpler description being the likelier.

use super::regret::log_normalizer;
use super::tabulated::{CountLogs, count_logs};
use super::{CountScore, DiscreteScoreEntry, FamilyScore};

pub(super) const ENTRY: DiscreteScoreEntry = DiscreteScoreEntry {
    name: "fnml",
    summary: "factorized NML; tells Markov-equivalent graphs apart, by how simple their tables are",
    build: |_| Ok(Box::new(Fnml)),
};

/// The factorized normalized maximum likelihood. A family costs O(configurations · √rows) besides the counting.
///
/// ```
/// use plackett_dag::{Categories, Dag, score::{Fnml, graph_cost}};
/// // Two draws of a coin, one each way: likelihood 1/4 of 1 + 1/2 + 1.
/// let data = Categories::new(vec!["coin".into()], vec![vec!["head".into(), "tail".into()]], vec![vec![0, 1]])?;
/// assert!((graph_cost(&data, &Fnml, &Dag::empty(1))? - 10_f64.ln()).abs() < 1e-12);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fnml;

impl FamilyScore for Fnml {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn on_rows(&self, rows: usize) -> Box<dyn CountScore> {
        Box::new(OnRows { logs: count_logs(rows) })
    }
}

#[derive(Debug)]
struct OnRows {
    logs: CountLogs,
}

impl CountScore for OnRows {
    fn joint(&self, counts: &[u32], _: f64) -> f64 {
        self.logs.sum(counts)
    }

    fn parents(&self, counts: &[u32], _: f64, arity: usize) -> f64 {
        let regrets: f64 = counts.iter().map(|&count| log_normalizer(count, arity)).sum();
        self.logs.sum(counts) + regrets
    }

    fn parents_differ(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Categories, Dag, score::graph_cost};

    #[test]
    fn every_row_of_a_table_is_described_by_itself() {
        // A parent with rows (3, 1) and (0, 4) of its child: C(4, 2) = 2 + 2·4·27/256 + 6/16 = 3.21875 in each.
        let parent = [0, 0, 0, 0, 1, 1, 1, 1].to_vec();
        let child = [0, 0, 0, 1, 1, 1, 1, 1].to_vec();
        let levels = vec![vec!["a".to_owned(), "b".to_owned()]; 2];
        let data = Categories::new(vec!["x".into(), "y".into()], levels, vec![parent, child]).unwrap();
        let dag = Dag::from_parents(vec![vec![], vec![0]]).unwrap();
        let source = 8.0 * 2_f64.ln() + log_normalizer(8, 2);
        let effect = -(3.0 * 0.75_f64.ln() + 0.25_f64.ln()) + 2.0 * 3.21875_f64.ln();
        assert!((graph_cost(&data, &Fnml, &dag).unwrap() - source - effect).abs() < 1e-12);
    }
}
