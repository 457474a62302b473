//! A local score of numbers: the AIC of a regression on at most two parents, every pair tried.

use std::sync::Arc;

use plackett::run::Run;
use plackett_dag::{
    Gram, LocalScore, NodeSet,
    score::{Choice, Scratch},
};

/// (n/2)·log residual variance, and 1 for every parent. Of more that are required the first two explain.
pub struct AicOfTwo {
    /// The moments of the columns.
    pub gram: Arc<Gram>,
}

impl AicOfTwo {
    fn cost_of(&self, node: usize, parents: &[usize]) -> f64 {
        let g = |a: usize, b: usize| self.gram.entry(a, b);
        let explained = match *parents {
            [a] => g(node, a).powi(2) / g(a, a),
            [a, b, ..] => {
                let determinant = g(a, a) * g(b, b) - g(a, b).powi(2);
                (g(node, a).powi(2) * g(b, b) - 2.0 * g(node, a) * g(node, b) * g(a, b)
                    + g(node, b).powi(2) * g(a, a))
                    / determinant
            }
            [] => 0.0,
        };
        0.5 * self.gram.rows() as f64 * (g(node, node) - explained).ln() + parents.len() as f64
    }
}

impl LocalScore for AicOfTwo {
    fn name(&self) -> &'static str {
        "aic-of-two"
    }

    fn nodes(&self) -> usize {
        self.gram.nodes()
    }

    fn best(
        &self,
        node: usize,
        allowed: &NodeSet,
        required: &NodeSet,
        _: &mut Scratch,
        run: &Run<'_>,
    ) -> Option<Choice> {
        let required: Vec<usize> = required.iter().collect();
        let free: Vec<usize> = allowed.iter().filter(|other| !required.contains(other)).collect();
        let singles = free.iter().map(|&a| vec![a]);
        let pairs = free.iter().enumerate().flat_map(|(at, &a)| free[..at].iter().map(move |&b| vec![a, b]));
        let mut best = (self.cost_of(node, &required), required.clone());
        for more in singles.chain(pairs).filter(|more| required.len() + more.len() <= 2) {
            if run.is_over() {
                return None;
            }
            let parents = [&required[..], &more].concat();
            let cost = self.cost_of(node, &parents);
            if cost < best.0 {
                best = (cost, parents);
            }
        }
        let parents: NodeSet = best.1.into_iter().collect();
        Some(Choice { score: best.0, witness: parents.clone(), parents })
    }

    fn is_equivalent(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plackett_dag::{
        Learning, Observations,
        gram::Centering,
        learning::{LearnMethod, ScoreChoice},
        simulate::{Sem, SemSettings, simulate_sem},
    };

    #[test]
    fn learning_takes_it_as_it_is_and_the_search_finds_its_optimum() {
        let sem = simulate_sem(&SemSettings { nodes: 6, ..SemSettings::default() }, 1).unwrap();
        let data = sem.sample(500, Sem::TRAINING);
        let gram = Gram::from_rows(data.values(), data.columns(), Centering::Center).unwrap();
        let gram = Arc::new(gram);
        let score = ScoreChoice::Custom(Arc::new(AicOfTwo { gram: Arc::clone(&gram) }));
        let learn = |method: &str| {
            let method = LearnMethod::by_name(method).unwrap();
            let learning = Learning { method, score: score.clone(), ..Learning::default() };
            learning.run(&Observations::Numbers(Arc::clone(&gram)), &Run::default()).unwrap()
        };
        let (found, best) = (learn("insertion"), learn("exact"));
        assert_eq!(found.score_name.as_deref(), Some("aic-of-two"));
        assert!((found.score.unwrap() - best.score.unwrap()).abs() < 1e-9);
        assert!(found.dag.edge_count() > 0);
    }
}
