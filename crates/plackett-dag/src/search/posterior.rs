//! The posterior probability of every edge, by order MCMC on sums over parent sets (Friedman and Koller). The prior is even
//! over orders, so a graph counts once for each order that it agrees with.

use std::sync::Arc;

use plackett::run::Run;

use super::order_mcmc::State;
use super::{McmcSolution, OrderMcmc};
use crate::{LocalScore as _, NodeSet, Oracle, Result, parent_sets::SumScore};

/// The first of so many parts of a chain, which still remembers where it started, is left out.
const BURN_IN: u64 = 5;

/// What a chain says of the edges.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgePosterior {
    /// The probability of each edge, row-major, entry (i, j) that of i → j.
    pub probabilities: Vec<f64>,
    /// Orders that they are averaged over.
    pub samples: u64,
    /// How the chain went.
    pub chain: McmcSolution,
}

impl OrderMcmc {
    /// Samples orders from their posterior and averages the exact edge probabilities given each. One order in d is looked
    /// at, after the first fifth of the chain; of a chain too short for that, the last order. Nothing is known, and all
    /// probabilities are zero, if there are no [`samples`](EdgePosterior::samples) because the run was over before.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{
    ///     BayesNet, parent_sets::{Candidates, Keep, ParentSets, SizePrior}, score::Bdeu, search::OrderMcmc,
    /// };
    /// let data = BayesNet::embedded("cancer")?.sample(5000, 0, BayesNet::TRAINING)?;
    /// let (run, keep) = (Run::default(), Keep::All(SizePrior::Even));
    /// let sets = ParentSets::build(&data, &Bdeu::default(), &Candidates::all(5, 3), keep, &run)?;
    /// let sums = sets.expect("nothing ends the run").sums().expect("asked for");
    /// let chain = OrderMcmc { steps: 5000, ..OrderMcmc::default() };
    /// let posterior = chain.posterior(&sums, &run)?;
    /// let names = data.names();
    /// let of = |name: &str| names.iter().position(|other| other == name).unwrap();
    /// let (cancer, xray) = (of("Cancer"), of("Xray"));
    /// let joined = posterior.probabilities[cancer * 5 + xray] + posterior.probabilities[xray * 5 + cancer];
    /// assert!(joined > 0.99);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn posterior(&self, sums: &Arc<SumScore>, run: &Run<'_>) -> Result<EdgePosterior> {
        let mut oracle = Oracle::new(sums.clone()).within(sums.bounds().clone())?;
        let nodes = sums.nodes();
        let first = self.steps / BURN_IN;
        let mut totals = vec![0.0; nodes * nodes];
        // What each node's parents were last found to be, and given which nodes: most stay from look to look.
        let mut given = vec![NodeSet::with_capacity(nodes); nodes];
        let mut shares = vec![f64::NAN; nodes * nodes];
        let mut before = NodeSet::with_capacity(nodes);
        let mut samples = 0;
        let look = |state: &State| {
            let is_due = state.step.is_multiple_of(nodes as u64) || samples == 0 && state.step == self.steps;
            if state.step <= first || !is_due {
                return Some(());
            }
            before.clear();
            for &node in state.order {
                let row = &mut shares[node * nodes..][..nodes];
                if row[0].is_nan() || given[node] != before {
                    if run.is_over() {
                        return None;
                    }
                    sums.edge_probabilities(node, &before, row);
                    given[node].clone_from(&before);
                }
                before.insert(node);
            }
            samples += 1;
            for (to, row) in shares.chunks_exact(nodes).enumerate() {
                row.iter().enumerate().for_each(|(from, share)| totals[from * nodes + to] += share);
            }
            Some(())
        };
        let chain = self.visit(&mut oracle, look, run)?;
        let count = samples.max(1) as f64;
        totals.iter_mut().for_each(|total| *total /= count);
        Ok(EdgePosterior { probabilities: totals, samples, chain })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plackett::run::Limits;

    use super::*;
    use crate::mixed::MixedColumn;
    use crate::testing::{Rng, all_dags, normal};
    use crate::{
        BayesNet, Categories, Dag, Mixed,
        parent_sets::{Candidates, Keep, ParentSets, Reach, SizePrior},
        score::{Bdeu, MixedScoreSettings, graph_cost, mixed_score_by_name},
    };

    fn sums(prior: SizePrior) -> Arc<SumScore> {
        let (keep, run) = (Keep::All(prior), Run::default());
        let sets = ParentSets::build(&data(), &Bdeu::default(), &Candidates::all(4, 3), keep, &run);
        sets.unwrap().unwrap().sums().unwrap()
    }

    /// The first four columns of ASIA, few enough rows for the answer to be open.
    fn data() -> Categories {
        let sample = BayesNet::embedded("asia").unwrap().sample(150, 5, BayesNet::TRAINING).unwrap();
        let levels = (0..4).map(|column| sample.levels(column).to_vec()).collect();
        let codes = (0..4).map(|column| sample.column(column).to_vec()).collect();
        Categories::new(sample.names()[..4].to_vec(), levels, codes).unwrap()
    }

    /// The orders of four nodes that a graph agrees with.
    fn linear_extensions(dag: &Dag) -> f64 {
        let mut count = 0.0;
        for code in 0..256_usize {
            let ranks: Vec<usize> = (0..4).map(|node| code >> (2 * node) & 3).collect();
            let is_order = (0..4).all(|rank| ranks.contains(&rank));
            if is_order && dag.edges().all(|(from, to, _)| ranks[from] < ranks[to]) {
                count += 1.0;
            }
        }
        count
    }

    #[test]
    fn edge_probabilities_are_those_of_all_graphs_enumerated() {
        let data = data();
        for prior in [SizePrior::Even, SizePrior::EvenSizes] {
            let size_weight = |parents: usize| match prior {
                SizePrior::Even => 1.0,
                SizePrior::EvenSizes => 1.0 / [1.0, 3.0, 3.0, 1.0][parents],
            };
            let mut exact = [0.0; 16];
            let mut total = 0.0;
            for dag in all_dags(4) {
                let priors: f64 = (0..4).map(|node| size_weight(dag.parents(node).len())).product();
                let cost = graph_cost(&data, &Bdeu::default(), &dag).unwrap();
                // The cost of the empty graph is taken off, lest the exponential underflow.
                let empty = graph_cost(&data, &Bdeu::default(), &Dag::empty(4)).unwrap();
                let weight = priors * linear_extensions(&dag) * (empty - cost).exp();
                total += weight;
                dag.edges().for_each(|(from, to, _)| exact[4 * from + to] += weight);
            }
            let chain = OrderMcmc { steps: 60_000, seed: 1, ..OrderMcmc::default() };
            let found = chain.posterior(&sums(prior), &Run::default()).unwrap();
            assert_eq!(found.samples, 12_000);
            let mut open = 0;
            for (exact, found) in exact.iter().map(|sum| sum / total).zip(&found.probabilities) {
                assert!((exact - found).abs() < 0.02, "{found} for {exact}");
                open += usize::from(exact > 0.05 && exact < 0.95);
            }
            assert!(open >= 4, "a test of certainties would show nothing");
        }
    }

    /// Numbers and a category, few enough rows for the answer to be open.
    fn mixed() -> Arc<Mixed> {
        let mut rng = Rng::new(3);
        let (mut codes, mut columns) = (Vec::new(), vec![Vec::new(); 3]);
        for _ in 0..40 {
            let code = u8::from(rng.uniform() < 0.5);
            let first = 0.5 * f64::from(code) + normal(&mut rng);
            let second = 0.4 * first + normal(&mut rng);
            columns[0].push(first);
            columns[1].push(second);
            columns[2].push(0.4 * second + 0.4 * f64::from(code) + normal(&mut rng));
            codes.push(code);
        }
        let mut columns: Vec<MixedColumn> = columns.into_iter().map(MixedColumn::Numbers).collect();
        columns.insert(1, MixedColumn::Categories { codes, levels: 2 });
        Arc::new(Mixed::new(columns).unwrap())
    }

    #[test]
    fn edge_probabilities_of_mixed_data_are_those_of_all_graphs_enumerated() {
        for name in ["dg", "cg"] {
            let score = mixed_score_by_name(name, &mixed(), &MixedScoreSettings::default()).unwrap();
            let cost = |dag: &Dag| -> f64 {
                let parents = |node: usize| dag.parents(node).iter().copied().collect::<NodeSet>();
                (0..4).map(|node| score.cost(node, &parents(node)).unwrap()).sum()
            };
            let (mut exact, mut total) = ([0.0; 16], 0.0);
            for dag in all_dags(4) {
                let weight = linear_extensions(&dag) * (cost(&Dag::empty(4)) - cost(&dag)).exp();
                total += weight;
                dag.edges().for_each(|(from, to, _)| exact[4 * from + to] += weight);
            }
            // All sets, from the core alone and with one node from outside of it.
            for candidates in [Candidates::all(4, 3), nearly_all()] {
                let sums = SumScore::of(score.as_ref(), &candidates, SizePrior::Even, &Run::default());
                let chain = OrderMcmc { steps: 60_000, seed: 1, ..OrderMcmc::default() };
                let found = chain.posterior(&sums.unwrap().unwrap(), &Run::default()).unwrap();
                let mut open = 0;
                for (exact, found) in exact.iter().map(|sum| sum / total).zip(&found.probabilities) {
                    assert!((exact - found).abs() < 0.02, "{name}: {found} for {exact}");
                    open += usize::from(exact > 0.05 && exact < 0.95);
                }
                assert!(open >= 4, "a test of certainties would show nothing");
            }
        }
    }

    /// Cores that lack one node each, which may come from outside.
    fn nearly_all() -> Candidates {
        let core = |node: usize| (0..4).filter(|&other| other != (node + 1) % 4).collect();
        let mut candidates = Candidates::from_neighbors((0..4).map(core).collect()).unwrap();
        candidates.reach = Reach::PlusOne;
        candidates
    }

    #[test]
    fn sums_need_costs_and_candidates_and_time() {
        let score = mixed_score_by_name("dg", &mixed(), &MixedScoreSettings::default()).unwrap();
        let (prior, over) = (SizePrior::Even, Run::new(Limits::time(Duration::ZERO)));
        assert!(SumScore::of(score.as_ref(), &Candidates::all(3, 1), prior, &Run::default()).is_err());
        assert!(SumScore::of(score.as_ref(), &Candidates::all(4, 1), prior, &over).unwrap().is_none());
        let sums = sums(SizePrior::Even);
        assert!(SumScore::of(sums.as_ref(), &Candidates::all(4, 1), prior, &Run::default()).is_err());
    }

    #[test]
    fn short_chains_are_looked_at_once_and_those_ended_early_not_at_all() {
        let sums = sums(SizePrior::Even);
        for steps in 1..=3 {
            let chain = OrderMcmc { steps, ..OrderMcmc::default() };
            let found = chain.posterior(&sums, &Run::default()).unwrap();
            assert_eq!(found.samples, 1);
            assert!(found.probabilities.iter().any(|&probability| probability > 0.1));
        }
        let over = Run::new(Limits::time(Duration::ZERO));
        let found = OrderMcmc::default().posterior(&sums, &over).unwrap();
        assert_eq!((found.samples, found.probabilities), (0, vec![0.0; 16]));
    }

    #[test]
    fn the_same_seed_gives_the_same_probabilities() {
        let sums = sums(SizePrior::Even);
        let run = |seed| {
            let chain = OrderMcmc { steps: 2000, seed, ..OrderMcmc::default() };
            chain.posterior(&sums, &Run::default()).unwrap().probabilities
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}
