//! Maximum likelihood against definitions, finite differences and another algorithm.

use plackett::{
    Error, Noise, PlackettLuce,
    fitting::{Fit, Ranking, fit},
    run::{Limits, Run},
};

fn found(rankings: &[Ranking], items: usize, ridge: f64) -> Fit {
    fit(rankings, items, ridge, &Run::default()).unwrap().unwrap()
}

/// Rankings drawn from known scores: whole, partial and of the best.
fn drawn(items: usize, count: usize, seed: u64) -> (Vec<f64>, Vec<Ranking>) {
    let scores: Vec<f64> = (0..items).map(|item| 0.3 * item as f64 - 0.15 * (items - 1) as f64).collect();
    let law = PlackettLuce::new(&scores).unwrap();
    let mut noise = Noise::new(seed);
    let rankings =
        law.sample_many(count, noise.stream(0)).into_iter().enumerate().map(|(at, order)| match at % 4 {
            0 => Ranking::new(&order),
            1 => Ranking::top(&order[..2], items),
            // Those of even number alone: who is left out does not matter to the order of the others.
            2 => {
                Ranking::new(&order.iter().copied().filter(|item| item % 2 == at / 4 % 2).collect::<Vec<_>>())
            }
            _ => Ranking::tied(vec![order[..1].to_vec(), order[1..4].to_vec(), order[4..].to_vec()]),
        });
    (scores, rankings.collect())
}

/// The logarithm of the probability of a ranking, by its definition: over all orders of every tied group.
fn log_prob(ranking: &Ranking, scores: &[f64]) -> f64 {
    fn all_orders(group: &[usize], rest: f64, scores: &[f64]) -> f64 {
        if group.is_empty() {
            return 1.0;
        }
        let total: f64 = rest + group.iter().map(|&item| scores[item].exp()).sum::<f64>();
        let first = |at: usize| {
            let mut others = group.to_vec();
            let item = others.remove(at);
            scores[item].exp() / total * all_orders(&others, rest, scores)
        };
        (0..group.len()).map(first).sum()
    }
    let groups = ranking.groups();
    let rest = |at: usize| groups[at + 1..].iter().flatten().map(|&item| scores[item].exp()).sum::<f64>();
    (0..groups.len() - 1).map(|at| all_orders(&groups[at], rest(at), scores).ln()).sum()
}

#[test]
fn the_fit_is_a_maximum_with_the_curvature_that_it_says() {
    let (_, rankings) = drawn(6, 60, 1);
    for ridge in [0.0, 0.7] {
        let fit = found(&rankings, 6, ridge);
        let value = |scores: &[f64]| {
            let penalty = 0.5 * ridge * scores.iter().map(|s| s * s).sum::<f64>();
            rankings.iter().map(|ranking| log_prob(ranking, scores)).sum::<f64>() - penalty
        };
        let plain: f64 = rankings.iter().map(|ranking| log_prob(ranking, &fit.scores)).sum();
        assert!((fit.log_likelihood - plain).abs() < 1e-9);
        assert!(fit.scores.iter().sum::<f64>().abs() < 1e-12);
        let moved = |changes: &[(usize, f64)]| {
            let mut scores = fit.scores.clone();
            changes.iter().for_each(|&(item, change)| scores[item] += change);
            value(&scores)
        };
        // Second differences of the definition times the covariance are the projection onto scores that sum to zero.
        let width = 1e-3;
        let information = |a: usize, b: usize| {
            let corner = |x: f64, y: f64| moved(&[(a, x * width), (b, y * width)]);
            let second = corner(1.0, 1.0) - corner(1.0, -1.0) - corner(-1.0, 1.0) + corner(-1.0, -1.0);
            -second / (4.0 * width * width)
        };
        for a in 0..6 {
            assert!(((moved(&[(a, 1e-5)]) - moved(&[(a, -1e-5)])) / 2e-5).abs() < 1e-6);
            for b in 0..6 {
                let product: f64 = (0..6).map(|c| information(a, c) * fit.covariance[c * 6 + b]).sum();
                let expected = f64::from(u8::from(a == b)) - 1.0 / 6.0;
                assert!((product - expected).abs() < 1e-4, "{a} {b} {product} {expected}");
            }
        }
    }
}

#[test]
fn newton_and_the_minorizing_algorithm_agree() {
    // Hunter's algorithm: w_i ← wins_i / Σ 1/Θ over the stages that i was left at; slow, and quite another way.
    let (_, all) = drawn(7, 80, 2);
    let rankings: Vec<&Ranking> =
        all.iter().enumerate().filter(|(at, _)| at % 4 != 3).map(|(_, ranking)| ranking).collect();
    let fit = found(&rankings.iter().map(|&ranking| ranking.clone()).collect::<Vec<_>>(), 7, 0.0);
    let mut weights = [1.0; 7];
    for _ in 0..5000 {
        let (mut wins, mut exposures) = ([0.0; 7], [0.0; 7]);
        for ranking in &rankings {
            let groups = ranking.groups();
            for stage in 0..groups.len() - 1 {
                wins[groups[stage][0]] += 1.0;
                let left: Vec<usize> = groups[stage..].concat();
                let total: f64 = left.iter().map(|&item| weights[item]).sum();
                left.iter().for_each(|&item| exposures[item] += 1.0 / total);
            }
        }
        for item in 0..7 {
            weights[item] = wins[item] / exposures[item];
        }
    }
    let mean = weights.iter().map(|weight| weight.ln()).sum::<f64>() / 7.0;
    for (score, weight) in fit.scores.iter().zip(weights) {
        assert!((score - (weight.ln() - mean)).abs() < 1e-9, "{score} {}", weight.ln() - mean);
    }
}

#[test]
fn scores_are_found_again_within_their_errors() {
    let (scores, rankings) = drawn(8, 4000, 3);
    let fit = found(&rankings, 8, 0.0);
    for ((found, error), true_score) in fit.scores.iter().zip(fit.standard_errors()).zip(scores) {
        assert!(error > 0.01 && error < 0.1);
        assert!((found - true_score).abs() < 4.0 * error, "{found} {true_score} {error}");
    }
}

#[test]
fn weights_are_repetitions_and_threads_make_no_difference() {
    let (_, rankings) = drawn(6, 300, 4);
    let twice: Vec<Ranking> = rankings.iter().chain(&rankings).cloned().collect();
    let weighted: Vec<Ranking> = rankings.iter().map(|ranking| ranking.clone().weighted(2.0)).collect();
    let (a, b) = (found(&twice, 6, 0.0), found(&weighted, 6, 0.0));
    assert!(
        a.covariance
            .iter()
            .chain(&a.scores)
            .zip(b.covariance.iter().chain(&b.scores))
            .all(|(a, b)| (a - b).abs() < 1e-10)
    );
    #[cfg(feature = "threads")]
    {
        let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let [one, four] = [1, 4].map(|threads| pool(threads).install(|| found(&twice, 6, 0.0)));
        assert_eq!((one.scores, one.covariance), (four.scores, four.covariance));
    }
}

#[test]
fn items_without_a_bound_are_named() {
    let never = |rankings: &[Ranking], items: usize| match fit(rankings, items, 0.0, &Run::default()) {
        Err(Error::NoMaximum { items, never }) => (items, never),
        other => panic!("{other:?}"),
    };
    let circle = [Ranking::new(&[0, 1, 2]), Ranking::new(&[2, 0])];
    assert!(fit(&circle, 3, 0.0, &Run::default()).is_ok());
    assert_eq!(never(&circle, 4), (vec![3], "behind")); // never seen at all
    assert_eq!(never(&[&circle[..], &[Ranking::new(&[3, 1])]].concat(), 4), (vec![3], "behind"));
    assert_eq!(never(&[&circle[..], &[Ranking::new(&[1, 3])]].concat(), 4), (vec![3], "before"));
    assert_eq!(never(&[Ranking::tied(vec![vec![0, 1, 2]])], 3), (vec![0], "before"));
    // A ridge bounds everything, a strong one nearly to zero.
    assert!(found(&[Ranking::new(&[0, 1])], 3, 1.0).scores[2].abs() < 1e-12);
    assert!(found(&[Ranking::new(&[0, 1])], 2, 1e6).scores[0].abs() < 1e-5);
    // One item needs no rankings.
    assert_eq!(found(&[], 1, 0.0).scores, [0.0]);
}

#[test]
fn bad_rankings_are_refused_and_a_run_that_is_over_has_no_answer() {
    let refused = |ranking: Ranking| {
        fit(&[Ranking::new(&[0, 1]), ranking], 2, 0.0, &Run::default()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(Ranking::new(&[0, 2])),
        "ranking 1: item 2 at rank 1 does not exist: the items are 0 to 1"
    );
    assert!(
        refused(Ranking::tied(vec![vec![1, 1]])).starts_with("ranking 1: item 1 stands at ranks 0 and 1")
    );
    assert!(refused(Ranking::tied(vec![vec![0], vec![]])).contains("is empty"));
    assert!(refused(Ranking::new(&[0, 1]).weighted(-1.0)).contains("must not be negative"));
    assert!(fit(&[], 2, f64::NAN, &Run::default()).is_err());
    let run = Run::new(Limits::time(std::time::Duration::ZERO));
    assert!(fit(&[Ranking::new(&[0, 1]), Ranking::new(&[1, 0])], 2, 0.0, &run).unwrap().is_none());
}
