//! The cache never changes an answer: not when warm, not at its bound, not without memory, not beyond 64 or 128 nodes.

#[path = "common/mod.rs"]
mod testing;

use std::sync::Arc;

use plackett::run::Run;
use plackett_dag::{
    Error, Gram, LocalScore, NodeSet, Oracle,
    gram::Centering,
    score::{SCORES, ScoreSettings, Scratch, score_by_name},
};
use testing::{Rng, sem};

fn scores(nodes: usize, degree: f64, seed: u64) -> Vec<Arc<dyn LocalScore>> {
    let sem = sem(nodes, degree, 400, seed);
    let gram = Arc::new(Gram::with_rows(&sem.data, nodes, Centering::Center).unwrap());
    let make = |name| score_by_name(name, Arc::clone(&gram), &ScoreSettings::default()).unwrap();
    SCORES.iter().map(|entry| make(entry.name)).collect()
}

#[test]
fn cached_answers_equal_fresh_ones_at_any_bound() {
    let mut rng = Rng::new(11);
    for (nodes, degree) in [(1, 0.0), (9, 4.0), (20, 4.0), (64, 1.0), (70, 1.0), (130, 0.5)] {
        for score in scores(nodes, degree, 3) {
            for bound in [0, 5_000, 60_000, Oracle::DEFAULT_BYTES] {
                let mut oracle = Oracle::with_memory(Arc::clone(&score), bound);
                let mut scratch = Scratch::default();
                for _ in 0..400 {
                    let node = rng.below(nodes);
                    let share = rng.uniform();
                    let allowed: NodeSet =
                        (0..nodes).filter(|&j| j != node && rng.uniform() < share).collect();
                    let cached = oracle.best(node, &allowed, &Run::default()).unwrap().unwrap();
                    let fresh = score
                        .best(node, &allowed, &NodeSet::default(), &mut scratch, &Run::default())
                        .unwrap();
                    assert_eq!(cached.score.to_bits(), fresh.score.to_bits());
                    assert_eq!(cached.parents, fresh.parents);
                    assert!(oracle.stats().bytes <= bound);
                }
            }
        }
    }
}

#[test]
fn order_scores_are_sums_of_local_scores_and_equal_in_clones() {
    let nodes = 15;
    let mut rng = Rng::new(12);
    for score in scores(nodes, 4.0, 5) {
        let mut oracle = Oracle::new(Arc::clone(&score));
        let mut scratch = Scratch::default();
        for _ in 0..50 {
            let order = rng.permutation(nodes);
            let mut clone = oracle.clone();
            let total = oracle.order_score(&order, &Run::default()).unwrap().unwrap();
            let parents = oracle.order_parents(&order, &Run::default()).unwrap().unwrap();
            assert_eq!(
                clone.order_score(&order, &Run::default()).unwrap().unwrap().to_bits(),
                total.to_bits()
            );
            let mut direct = 0.0;
            let mut before = NodeSet::default();
            for &node in &order {
                let choice =
                    score.best(node, &before, &NodeSet::default(), &mut scratch, &Run::default()).unwrap();
                direct += choice.score;
                assert_eq!(parents[node], choice.parents);
                before.insert(node);
            }
            assert_eq!(total.to_bits(), direct.to_bits());
        }
        let before = oracle.stats();
        let order = rng.permutation(nodes);
        oracle.order_score(&order, &Run::default()).unwrap().unwrap();
        let solved = oracle.stats().solved;
        oracle.order_score(&order, &Run::default()).unwrap().unwrap();
        assert_eq!(oracle.stats().solved, solved, "a warm order is not solved again");
        assert_eq!(oracle.stats().queries, before.queries + 2 * nodes as u64);
    }
}

#[test]
fn bad_input_is_an_error_and_strange_sets_are_cut_to_size() {
    let score = scores(5, 1.0, 1).remove(0);
    let mut oracle = Oracle::new(score);
    assert!(matches!(
        oracle.order_score(&[0, 1, 2, 3], &Run::default()),
        Err(Error::NotAnOrder { position: 4, .. })
    ));
    assert!(matches!(
        oracle.order_score(&[0, 1, 1, 3, 4], &Run::default()),
        Err(Error::NotAnOrder { position: 2, .. })
    ));
    assert!(matches!(
        oracle.order_score(&[0, 1, 5, 3, 4], &Run::default()),
        Err(Error::NotAnOrder { position: 2, .. })
    ));
    assert!(oracle.best(5, &NodeSet::default(), &Run::default()).is_err());
    let wide = oracle.best(2, &NodeSet::full(1000), &Run::default()).unwrap().unwrap();
    assert_eq!(wide, oracle.best(2, &NodeSet::full(5), &Run::default()).unwrap().unwrap());
    assert!(!wide.parents.contains(2));
}
