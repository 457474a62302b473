//! The gradient searches: they find easy optima, depend on their seed alone, can be stopped, and the reward-to-go
//! gradient that one of them rests on is unbiased.

#[path = "common/mod.rs"]
mod testing;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plackett::run::{Limits, Run};
use plackett::{
    Noise, PlackettLuce,
    estimator::{Estimator as _, RewardToGo, Samples},
};
use plackett_dag::{
    Gram, LocalScore, NodeSet, Oracle,
    gram::Centering,
    score::{L1, ScoreSettings},
    search::{Exact, Expectation, GradientKind, Insertion, LocalTable, PlSearch},
};
use testing::sem;

const KINDS: [GradientKind; 3] = [GradientKind::Relax, GradientKind::Reinforce, GradientKind::RewardToGo];

fn l1(nodes: usize, degree: f64, seed: u64) -> Arc<dyn LocalScore> {
    let data = sem(nodes, degree, 1000, seed).data;
    let gram = Arc::new(Gram::from_rows(&data, nodes, Centering::Center).unwrap());
    Arc::new(L1::new(gram, &ScoreSettings::default()).unwrap())
}

#[test]
fn sparse_problems_are_nearly_solved() {
    for seed in 0..3 {
        let score = l1(7, 1.0, seed);
        let optimum =
            Exact { memory_bytes: 1 << 30 }.run(Arc::clone(&score), &Run::default()).unwrap().unwrap().score;
        for gradient in KINDS {
            let search = PlSearch { gradient, seed, ..PlSearch::default() };
            let mut oracle = Oracle::new(Arc::clone(&score));
            let found = search.run(&mut oracle, &Run::default()).unwrap();
            assert!(found.best.score <= found.mode.score);
            // Descent may settle in a neighboring order; anything further off would be a wrong gradient.
            assert!(found.mode.score <= 1.05 * optimum, "{gradient:?}: {} above {optimum}", found.mode.score);
            let reversed: Vec<usize> = found.mode.order.iter().rev().copied().collect();
            assert!(
                oracle.order_score(&reversed, &Run::default()).unwrap().unwrap() > 1.2 * optimum,
                "any order would do"
            );
        }
    }
}

#[test]
fn insertion_never_worsens_the_mode() {
    let mut oracle = Oracle::new(l1(12, 4.0, 3));
    let search = PlSearch { steps: 200, ..PlSearch::default() };
    let found = search.run(&mut oracle, &Run::default()).unwrap();
    let polished = Insertion::default().improve(&mut oracle, &found.mode.order, &Run::default()).unwrap();
    assert!(polished.score <= found.mode.score);
}

#[test]
fn the_same_seed_gives_the_same_search_and_time_can_end_it() {
    let score = l1(8, 2.0, 1);
    for gradient in KINDS {
        let search = PlSearch { gradient, steps: 100, ..PlSearch::default() };
        let run = |search: &PlSearch| {
            let still = || Duration::ZERO;
            let run = Run::by(&still, Limits::default());
            search.run(&mut Oracle::new(Arc::clone(&score)), &run).unwrap()
        };
        let whole = run(&search);
        assert_eq!(whole, run(&search));
        let bests: Vec<f64> = whole.trace.points().iter().map(|point| point.best).collect();
        assert!(bests.windows(2).all(|pair| pair[1] < pair[0]), "{bests:?}");
        // Each look at the clock takes a second: the end comes in the middle of a step.
        let timed = |seconds: u64| {
            let looks = AtomicU64::new(0);
            let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
            let run = Run::by(&clock, Limits::time(Duration::from_secs(seconds)));
            let found = search.run(&mut Oracle::new(Arc::clone(&score)), &run).unwrap();
            (found, looks.load(Ordering::Relaxed))
        };
        let (_, looks) = timed(u64::MAX);
        let (part, _) = timed(looks / 2);
        assert!(part.steps < whole.steps && part.best.score.is_finite(), "{} steps", part.steps);
    }
}

#[test]
fn reward_to_go_is_unbiased() {
    const STEPS: u64 = 50_000;
    let nodes = 4;
    let score = l1(nodes, 1.5, 6);
    let scores = [0.3, -0.5, 0.0, 0.8];
    let table = LocalTable::new(score.as_ref(), 1 << 20, &Run::default()).unwrap().unwrap();
    let exact = Expectation::new(&table, &scores, &Run::default()).unwrap().unwrap();
    let mut oracle = Oracle::new(score);
    let latent = PlackettLuce::new(&scores).unwrap();
    let (mut noise, mut estimator) = (Noise::new(9), RewardToGo::new(&latent));
    let mut samples = Samples::new(&latent, 2).unwrap();
    let mut gradient = vec![0.0; nodes];
    let (mut sum, mut squares) = (vec![0.0; nodes], vec![0.0; nodes]);
    for step in 0..STEPS {
        samples.draw(&latent, estimator.demand(), &mut noise, 2 * step).unwrap();
        let mut parts = Vec::new();
        for order in samples.outcomes() {
            let mut before = NodeSet::default();
            for &node in order {
                // Any number that depends on the node alone may be taken off its cost.
                let cost = oracle.best(node, &before, &Run::default()).unwrap().unwrap().score;
                parts.push(cost - 1.0 - node as f64);
                before.insert(node);
            }
        }
        samples.set_parts(&parts).unwrap();
        estimator.gradient(&latent, &samples, &mut gradient).unwrap();
        for node in 0..nodes {
            sum[node] += gradient[node];
            squares[node] += gradient[node].powi(2);
        }
    }
    let count = STEPS as f64;
    let mut is_telling = false;
    for node in 0..nodes {
        let mean = sum[node] / count;
        let error = ((squares[node] / count - mean * mean) / count).sqrt();
        let difference = (mean - exact.gradient[node]).abs();
        assert!(difference < 4.5 * error, "node {node}: {mean} is not {} ± {error}", exact.gradient[node]);
        is_telling |= exact.gradient[node].abs() > 20.0 * error;
    }
    assert!(is_telling, "a wrong sign would go unseen");
}
