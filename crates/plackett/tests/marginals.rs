//! Expectations by the exponential race, against enumeration of all orders, closed forms and finite differences.

mod common;

use common::{numerical_gradient, spread, uniform};
use plackett::{Additive, Objective as _, PlackettLuce, estimator::Exact};

/// What every probability, expectation and gradient may be off by.
const TOLERANCE: f64 = 1e-10;

/// Scores of many kinds: alike, random, peaked, tied, eight standard deviations apart, and spread beyond all reason.
fn kinds(items: usize) -> Vec<(&'static str, Vec<f64>)> {
    // About normal: the sum of twelve uniform numbers.
    let noise = uniform(5, items as u64, 12 * items);
    let normal: Vec<f64> = noise.chunks_exact(12).map(|u| u.iter().sum::<f64>() - 6.0).collect();
    let ramp = |width: f64| (0..items).map(|i| width * (2.0 * i as f64 / (items - 1) as f64 - 1.0)).collect();
    let two = |gap: f64| (0..items).map(|i| if i % 2 == 0 { gap } else { 0.1 * i as f64 }).collect();
    vec![
        ("alike", vec![0.0; items]),
        ("random", spread(3, items as u64, items, 1.5)),
        ("8σ", normal.iter().map(|x| 8.0 * x).collect()),
        ("ramp of 3", ramp(3.0)),
        ("ramp of 20", ramp(20.0)),
        ("ramp of 1000", ramp(1000.0)),
        ("±1000", spread(4, items as u64, items, 1000.0)),
        ("two groups near", two(6.0)),
        ("two groups apart", two(38.0)),
        ("two groups far apart", two(1000.0)),
        ("beyond", ramp(1e300)),
    ]
}

/// An objective with all families, and each family alone.
fn objectives(items: usize) -> Vec<(&'static str, Additive)> {
    let costs = |stream: u64, rows: usize| spread(8, stream, rows * items, 2.0);
    let new = || Additive::new(items).unwrap();
    let all = new().with_positions(costs(0, items)).unwrap().with_precedences(costs(1, items)).unwrap();
    let all = all.with_neighbors(costs(2, items)).unwrap().with_ends(costs(3, items)).unwrap();
    vec![
        ("positions", new().with_positions(costs(4, items)).unwrap()),
        ("top ranks", new().with_positions(costs(5, items.div_ceil(2))).unwrap()),
        ("precedences", new().with_precedences(costs(6, items)).unwrap()),
        ("neighbors", new().with_neighbors(costs(7, items)).unwrap()),
        ("ends", new().with_ends(costs(9, items)).unwrap()),
        ("all", all.with_constant(-3.0).unwrap()),
    ]
}

/// The same objective, which does not say what it is.
fn listed(latent: &PlackettLuce, objective: &Additive) -> (f64, Vec<f64>) {
    let mut silent = |order: &[usize]| objective.clone().evaluate(order);
    let mut exact = Exact::new(latent, &mut silent).unwrap();
    let (mean, gradient) = exact.expectation(latent).unwrap();
    (mean, gradient.to_vec())
}

fn raced(latent: &PlackettLuce, objective: &Additive) -> (f64, Vec<f64>) {
    let mut exact = Exact::new(latent, &mut objective.clone()).unwrap();
    let (mean, gradient) = exact.expectation(latent).unwrap();
    (mean, gradient.to_vec())
}

#[track_caller]
fn assert_all_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < TOLERANCE, "{what}: entry {at} is {found}, not {expected}");
    }
}

#[test]
fn expectations_and_gradients_equal_those_over_all_orders() {
    for items in 2..=7 {
        for (kind, scores) in kinds(items) {
            let latent = PlackettLuce::new(&scores).unwrap();
            for (name, objective) in objectives(items) {
                let what = format!("{name}, {items} items, {kind}");
                let (expected, slope) = listed(&latent, &objective);
                let (found, gradient) = raced(&latent, &objective);
                assert_all_close(&[found], &[expected], &what);
                assert_all_close(&gradient, &slope, &what);
            }
        }
    }
}

/// Probabilities as sums over all orders, and the Fisher information as the mean of s sᵀ.
#[test]
fn marginals_and_information_equal_those_over_all_orders() {
    for items in 2..=6 {
        for (kind, scores) in kinds(items) {
            let what = |name: &str| format!("{name}, {items} items, {kind}");
            let latent = PlackettLuce::new(&scores).unwrap();
            let square = items * items;
            let (mut ranks, mut before, mut after) =
                (vec![0.0; square], vec![0.0; square], vec![0.0; square]);
            let (mut expected_ranks, mut information) = (vec![0.0; items], vec![0.0; square]);
            let mut entropy = 0.0;
            for (order, p) in latent.enumerate().unwrap() {
                for (rank, &item) in order.iter().enumerate() {
                    ranks[rank * items + item] += p;
                    expected_ranks[item] += p * rank as f64;
                    order[rank + 1..].iter().for_each(|&later| before[item * items + later] += p);
                }
                order.windows(2).for_each(|pair| after[pair[0] * items + pair[1]] += p);
                let score = latent.grad_log_prob(&order).unwrap();
                for (at, entry) in information.iter_mut().enumerate() {
                    *entry += p * score[at / items] * score[at % items];
                }
                entropy -= if p > 0.0 { p * latent.log_prob(&order).unwrap() } else { 0.0 };
            }
            assert_all_close(&latent.rank_probabilities(), &ranks, &what("ranks"));
            assert_all_close(&latent.precedence_probabilities(), &before, &what("precedences"));
            assert_all_close(&latent.neighbor_probabilities(), &after, &what("neighbors"));
            assert_all_close(&latent.expected_ranks(), &expected_ranks, &what("expected ranks"));
            assert_all_close(&latent.fisher_information(), &information, &what("information"));
            assert_all_close(&[latent.entropy().unwrap()], &[entropy], &what("entropy"));
        }
    }
}

#[test]
fn divergences_equal_those_over_all_orders() {
    for items in [1, 2, 3, 5, 6] {
        for (kind, scores) in kinds(items.max(2)).into_iter().take(9) {
            for (other_kind, others) in kinds(items.max(2)).into_iter().take(9) {
                let latent = PlackettLuce::new(&scores[..items]).unwrap();
                let mut shifted = others[..items].to_vec();
                shifted.rotate_left(1);
                let other = PlackettLuce::new(&shifted).unwrap();
                let expected: f64 = latent
                    .enumerate()
                    .unwrap()
                    .into_iter()
                    .filter(|(_, p)| *p > 0.0)
                    .map(|(order, p)| {
                        p * (latent.log_prob(&order).unwrap() - other.log_prob(&order).unwrap())
                    })
                    .sum();
                let found = latent.divergence(&other).unwrap();
                let difference = (found - expected).abs();
                assert!(
                    difference < TOLERANCE * expected.max(1.0),
                    "{kind}, {other_kind}, {items}: {found} {expected}"
                );
            }
        }
    }
}

/// Nothing can be listed here; what is known is known by symmetry.
#[test]
fn many_items_alike_are_uniform() {
    for items in [20, 50, 100, 200, 500] {
        let latent = PlackettLuce::new(&vec![0.3; items]).unwrap();
        let k = items as f64;
        for p in latent.rank_probabilities() {
            assert!((p * k - 1.0).abs() < TOLERANCE, "{items}: {p}");
        }
        if items <= 200 {
            for (at, p) in latent.neighbor_probabilities().into_iter().enumerate() {
                let expected = if at % (items + 1) == 0 { 0.0 } else { 1.0 / k };
                assert!((p - expected).abs() * k < TOLERANCE, "{items}: {p}");
            }
        }
        let entropy = latent.entropy().unwrap();
        let expected: f64 = (1..=items).map(|i| (i as f64).ln()).sum();
        assert!((entropy - expected).abs() < 1e-9 * expected, "{items}: {entropy} {expected}");
        // Diagonal of the information: Σ_r (k − r)/k · (1/(k − r)) (1 − 1/(k − r)).
        if items <= 100 {
            let diagonal = (0..items).map(|r| (1.0 - 1.0 / (k - r as f64)) / k).sum::<f64>();
            let found = latent.fisher_information()[0];
            assert!((found - diagonal).abs() < TOLERANCE, "{items}: {found} {diagonal}");
        }
    }
}

#[test]
fn many_items_unlike_have_rows_and_columns_that_sum_to_one() {
    for items in [20, 100, 300] {
        for width in [0.5, 3.0, 12.0, 1000.0] {
            let latent = PlackettLuce::new(&spread(9, items as u64, items, width)).unwrap();
            let ranks = latent.rank_probabilities();
            for at in 0..items {
                let row: f64 = ranks[at * items..][..items].iter().sum();
                let column: f64 = ranks.iter().skip(at).step_by(items).sum();
                assert!(
                    (row - 1.0).abs() < TOLERANCE && (column - 1.0).abs() < TOLERANCE,
                    "{items}, {width}: {row} {column}"
                );
            }
            let expected = latent.expected_ranks();
            for item in 0..items {
                let mean: f64 = (0..items).map(|rank| rank as f64 * ranks[rank * items + item]).sum();
                assert!((mean - expected[item]).abs() < 1e-8, "{items}, {width}: {mean} {}", expected[item]);
            }
            if items == 20 || (items == 100 && width < 100.0) {
                // All but the last are followed by somebody, all but the first follow somebody.
                let after = latent.neighbor_probabilities();
                for item in 0..items {
                    let row: f64 = after[item * items..][..items].iter().sum();
                    let column: f64 = after.iter().skip(item).step_by(items).sum();
                    assert!(
                        (row + ranks[(items - 1) * items + item] - 1.0).abs() < TOLERANCE,
                        "{items}, {width}: {row}"
                    );
                    assert!((column + ranks[item] - 1.0).abs() < TOLERANCE, "{items}, {width}: {column}");
                }
            }
        }
    }
}

#[test]
fn gradients_over_many_items_equal_finite_differences() {
    for (items, width) in [(20, 2.0), (20, 10.0), (60, 3.0)] {
        let scores = spread(11, items as u64, items, width);
        for (name, objective) in objectives(items) {
            if items > 20 && matches!(name, "all" | "neighbors") {
                continue; // minutes of differences
            }
            let (_, gradient) = raced(&PlackettLuce::new(&scores).unwrap(), &objective);
            let at = |point: &[f64]| raced(&PlackettLuce::new(point).unwrap(), &objective).0;
            let expected = numerical_gradient(&scores, 1e-3, at);
            for (found, expected) in gradient.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-8, "{name}, {items}, {width}: {found} {expected}");
            }
        }
    }
}

#[test]
fn one_item_has_nothing_to_choose() {
    let latent = PlackettLuce::new(&[4.0]).unwrap();
    assert_all_close(&latent.rank_probabilities(), &[1.0], "ranks");
    assert_eq!(latent.neighbor_probabilities(), [0.0]);
    assert_eq!(latent.expected_ranks(), [0.0]);
    assert_eq!(latent.fisher_information(), [0.0]);
    let objective = Additive::new(1).unwrap().with_positions(vec![2.0]).unwrap();
    assert_all_close(&[raced(&latent, &objective).0], &[2.0], "expectation");
}

/// What is asked for after what is asked for again: a room that remembered something would show.
#[test]
fn rooms_can_be_used_again() {
    let items = 6;
    for (name, objective) in objectives(items) {
        let first = PlackettLuce::new(&[0.0; 6]).unwrap();
        let mut exact = Exact::new(&first, &mut objective.clone()).unwrap();
        for (kind, scores) in kinds(items) {
            let latent = PlackettLuce::new(&scores).unwrap();
            let (expected, slope) = raced(&latent, &objective);
            let (found, gradient) = exact.expectation(&latent).unwrap();
            assert_eq!((found, gradient), (expected, slope.as_slice()), "{name}, {kind}");
        }
    }
}
