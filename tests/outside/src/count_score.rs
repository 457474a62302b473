//! A local score of categories: log-likelihood with one nat for every free parameter, the AIC.

use plackett_dag::score::{CountScore, FamilyScore};

/// The AIC of tables of counts.
pub struct DiscreteAic;

impl FamilyScore for DiscreteAic {
    fn name(&self) -> &'static str {
        "aic"
    }

    fn on_rows(&self, _: usize) -> Box<dyn CountScore> {
        Box::new(Self)
    }
}

impl CountScore for DiscreteAic {
    /// Σ N log N − cells: less the same of the parents, it is the log-likelihood less q·r − q parameters.
    fn joint(&self, counts: &[u32], cells: f64) -> f64 {
        let log = |&count: &u32| if count > 0 { f64::from(count) * f64::from(count).ln() } else { 0.0 };
        counts.iter().map(log).sum::<f64>() - cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plackett::run::Run;
    use plackett_dag::{
        BayesNet, Oracle,
        parent_sets::{Candidates, Keep, ParentSets},
        score::graph_cost,
        search::Insertion,
    };
    use std::sync::Arc;

    #[test]
    fn parent_sets_and_searches_take_it_as_it_is() {
        let network = BayesNet::embedded("asia").unwrap();
        let data = network.sample(1000, 0, BayesNet::TRAINING).unwrap();
        let candidates = Candidates::all(data.columns(), 3);
        let run = Run::default();
        let sets = ParentSets::build(&data, &DiscreteAic, &candidates, Keep::Best, &run).unwrap().unwrap();
        let found = Insertion::default().run(&mut Oracle::new(Arc::new(sets)), &run);
        let cost = graph_cost(&data, &DiscreteAic, &found.dag().unwrap()).unwrap();
        assert!((cost - found.score).abs() < 1e-6);
        assert!(cost < graph_cost(&data, &DiscreteAic, network.dag()).unwrap());
    }
}
