//! A search over orders: exchanges of neighbors, the best of them at a time, until none helps.

use plackett::run::Run;
use plackett_dag::{
    Error, Oracle,
    learning::{Found, LearnMethod, SearchTask},
    search::OrderSolution,
};

/// The search, as `Learning` takes it.
pub static EXCHANGES: LearnMethod = LearnMethod {
    name: "exchanges",
    summary: "Exchange two neighbors while that helps",
    search: Some(exchanges),
};

fn exchanges(oracle: &mut Oracle, task: &SearchTask, run: &Run<'_>) -> Result<Found, Error> {
    let mut order = task.first.clone();
    let Some(mut least) = oracle.order_score(&order, run)? else {
        return Ok(Found::new(OrderSolution::empty(oracle), oracle));
    };
    loop {
        let mut best = None;
        for rank in 1..order.len() {
            order.swap(rank - 1, rank);
            match oracle.order_score(&order, run)? {
                Some(score) if score < least - 1e-9 => (least, best) = (score, Some(rank)),
                _ => {}
            }
            order.swap(rank - 1, rank);
        }
        match best {
            Some(rank) if !run.is_over() => order.swap(rank - 1, rank),
            _ => break,
        }
    }
    let solution = OrderSolution::of(order, oracle, run)?;
    let nothing = || OrderSolution::empty(oracle);
    Ok(Found::new(solution.unwrap_or_else(nothing), oracle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plackett::run::{Ending, Limits};
    use plackett_dag::{BayesNet, Learning, Observations};
    use std::sync::Arc;

    #[test]
    fn learning_takes_it_as_it_is() {
        let data = BayesNet::embedded("asia").unwrap().sample(500, 0, BayesNet::TRAINING).unwrap();
        let data = Observations::Categories(Arc::new(data));
        let learn = |learning: Learning| learning.run(&data, &Run::default()).unwrap();
        let own = learn(Learning { method: &EXCHANGES, ..Learning::default() });
        let theirs = learn(Learning::default());
        let random = LearnMethod::by_name("random").unwrap();
        let chance = learn(Learning { method: random, ..Learning::default() });
        assert!(own.score >= theirs.score && theirs.score <= chance.score);
        assert!(own.dag.edge_count() > 0);
    }

    #[test]
    fn it_ends_with_the_run() {
        let data = BayesNet::embedded("asia").unwrap().sample(500, 0, BayesNet::TRAINING).unwrap();
        let run = Run::new(Limits::time(std::time::Duration::ZERO));
        let learning = Learning { method: &EXCHANGES, ..Learning::default() };
        let found = learning.run(&Observations::Categories(Arc::new(data)), &run).unwrap();
        assert_eq!((found.ending, found.dag.edge_count()), (Ending::Time, 0));
    }
}
