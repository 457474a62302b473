//! Precedences, pins and windows: contradictions are named, samples keep them, and probabilities are those of the definition.

use plackett::{ConstrainedPlackettLuce, Constraints, Distribution as _, Error, Noise, PlackettLuce};
use proptest::prelude::*;
use statrs::distribution::{ChiSquared, ContinuousCDF};
use std::collections::BTreeMap;

fn orders(items: usize) -> Vec<Vec<usize>> {
    let latent = PlackettLuce::new(&vec![0.0; items]).unwrap();
    latent.enumerate().unwrap().into_iter().map(|(order, _)| order.into_vec()).collect()
}

#[test]
fn contradictions_are_named() {
    for (items, before, pins, expected) in [
        (3, vec![(1, 1)], vec![], "items must come before themselves: 1 before 1"),
        (
            4,
            vec![(3, 1), (1, 2), (2, 3), (0, 1)],
            vec![],
            "items must come before themselves: 1 before 2 before 3 before 1",
        ),
        (3, vec![], vec![(0, 1), (2, 1)], "the pins cannot be kept: items 0 and 2 both at rank 1"),
        (3, vec![], vec![(0, 1), (0, 2)], "the pins cannot be kept: item 0 at rank 1 and at rank 2"),
        (3, vec![], vec![(0, 3)], "the pins cannot be kept: item 0 at rank 3, but the ranks are 0 to 2"),
        (
            3,
            vec![(0, 1)],
            vec![(1, 0)],
            "the pins cannot be kept: item 1 at rank 0, but what must come before it leaves no rank before 1",
        ),
        (
            3,
            vec![(0, 1)],
            vec![(0, 2)],
            "the constraints cannot be kept: item 1 has no rank left between what is before it and what is after it",
        ),
        (
            4,
            vec![(0, 3), (1, 3), (2, 3)],
            vec![(3, 2)],
            "the constraints cannot be kept: items 0, 1, 2 must all stand in ranks 0 to 1",
        ),
        (3, vec![(0, 5)], vec![], "item 5 at rank 0 does not exist: the items are 0 to 2"),
    ] {
        assert_eq!(Constraints::new(items, &before, &pins).unwrap_err().to_string(), expected);
    }
    assert!(Constraints::new(3, &[(0, 1), (0, 1)], &[(2, 0), (2, 0)]).is_ok()); // said twice is no contradiction
    for (windows, expected) in [
        (
            vec![(0, 2, 1)],
            "the windows cannot be kept: item 0 at ranks 2 to 1, but windows begin before they end and the ranks are 0 to 3",
        ),
        (
            vec![(0, 2, 4)],
            "the windows cannot be kept: item 0 at ranks 2 to 4, but windows begin before they end and the ranks are 0 to 3",
        ),
        (
            vec![(0, 0, 1), (0, 2, 3)],
            "the windows cannot be kept: no rank lies in all windows of item 0, its pin among them",
        ),
        (
            vec![(3, 0, 2)],
            "the windows cannot be kept: no rank lies in all windows of item 3, its pin among them",
        ),
        (
            vec![(0, 0, 1), (2, 0, 0)],
            "the constraints cannot be kept: items 1, 2 must all stand in ranks 0 to 0",
        ),
        (
            vec![(1, 2, 2), (0, 0, 2)],
            "the constraints cannot be kept: item 0 has no rank left between what is before it and what is after it",
        ),
        (vec![(4, 0, 1)], "item 4 at rank 0 does not exist: the items are 0 to 3"),
    ] {
        let made = Constraints::new(4, &[(1, 0)], &[(3, 3)]).unwrap().with_ranks(&windows);
        assert_eq!(made.unwrap_err().to_string(), expected);
    }
    assert!(matches!(Constraints::none(2).check(&[0]), Err(Error::Length { .. })));
}

proptest! {
    /// Whatever the constraints: an error exactly if no order keeps them; else the probabilities of the orders that do add up
    /// to one, every sample is one of them, and gradients are those of finite differences.
    #[test]
    fn probabilities_cover_what_is_allowed_and_nothing_else(
        before in prop::collection::vec((0..5usize, 0..5usize), 0..5),
        pins in prop::collection::vec((0..5usize, 0..5usize), 0..3),
        windows in prop::collection::vec((0..5usize, 0..5usize, 0..5usize), 0..4),
        scores in prop::collection::vec(-3.0..3.0f64, 5),
    ) {
        let keeps = |order: &[usize]| {
            let rank = |item: usize| order.iter().position(|&other| other == item).unwrap();
            before.iter().all(|&(a, b)| rank(a) < rank(b))
                && pins.iter().all(|&(item, at)| rank(item) == at)
                && windows.iter().all(|&(item, first, last)| (first..=last).contains(&rank(item)))
        };
        let allowed: Vec<Vec<usize>> = orders(5).into_iter().filter(|order| keeps(order)).collect();
        let made = Constraints::new(5, &before, &pins).and_then(|made| made.with_ranks(&windows));
        prop_assert_eq!(made.is_err(), allowed.is_empty());
        let Ok(constraints) = made else { return Ok(()) };
        let latent = ConstrainedPlackettLuce::new(&scores, constraints.clone()).unwrap();
        let total: f64 = allowed.iter().map(|order| latent.log_prob(order).unwrap().exp()).sum();
        prop_assert!((total - 1.0).abs() < 1e-12, "{}", total);
        for order in orders(5) {
            prop_assert_eq!(latent.log_prob(&order).is_ok(), keeps(&order));
        }
        for stream in 0..20 {
            prop_assert!(keeps(&latent.sample(Noise::new(1).stream(stream))));
        }
        prop_assert!(keeps(&latent.greedy()));
        for order in orders(5) {
            let followed = constraints.follow(&order).unwrap();
            prop_assert!(keeps(&followed));
            prop_assert!(!keeps(&order) || followed.as_slice() == order);
        }
        let order = &allowed[0];
        let gradient = latent.grad_log_prob(order).unwrap();
        for item in 0..5 {
            let at = |step: f64| {
                let mut moved = scores.clone();
                moved[item] += step;
                ConstrainedPlackettLuce::new(&moved, constraints.clone()).unwrap().log_prob(order).unwrap()
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            prop_assert!((gradient[item] - slope).abs() < 1e-8, "{} {}", gradient[item], slope);
        }
    }
}

#[test]
fn without_constraints_it_is_plackett_luce() {
    let scores = [0.3, -1.2, 2.0, 0.0];
    let free = ConstrainedPlackettLuce::new(&scores, Constraints::none(4)).unwrap();
    let plain = PlackettLuce::new(&scores).unwrap();
    for order in orders(4) {
        assert!((free.log_prob(&order).unwrap() - plain.log_prob(&order).unwrap()).abs() < 1e-14);
        let pairs = free.grad_log_prob(&order).unwrap().into_iter().zip(plain.grad_log_prob(&order).unwrap());
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-14));
    }
    let far = ConstrainedPlackettLuce::new(&[0.0, 1e300, -1e300], Constraints::none(3)).unwrap();
    assert_eq!(far.sample(Noise::new(0).stream(0)).as_slice(), [1, 0, 2]);
    assert!(far.grad_log_prob(&[2, 1, 0]).unwrap().iter().all(|g| g.is_finite()));
}

#[test]
fn samples_have_their_probabilities() {
    let constraints = Constraints::new(5, &[(0, 3), (4, 1)], &[]).unwrap().with_ranks(&[(2, 1, 2)]).unwrap();
    let latent = ConstrainedPlackettLuce::new(&[0.5, -0.5, 1.0, 0.2, -1.0], constraints).unwrap();
    let (draws, mut counts) = (20_000u32, BTreeMap::new());
    let mut noise = Noise::new(7);
    for stream in 0..u64::from(draws) {
        *counts.entry(latent.sample(noise.stream(stream)).into_vec()).or_insert(0u32) += 1;
    }
    let mut statistic = 0.0;
    for (order, count) in &counts {
        let expected = f64::from(draws) * latent.log_prob(order).unwrap().exp();
        statistic += (f64::from(*count) - expected).powi(2) / expected;
    }
    let limit = ChiSquared::new(counts.len() as f64 - 1.0).unwrap().inverse_cdf(1.0 - 1e-6);
    assert!(statistic < limit, "{statistic} {limit}");
}

/// Candidates share the unit interval, each from where the one before ends: the start of a share is its own, and the end of the last, which
/// rounding may reach, is the last one's.
#[test]
fn the_edges_of_shares_belong_to_somebody() {
    let latent = ConstrainedPlackettLuce::new(&[0.0; 4], Constraints::new(4, &[], &[]).unwrap()).unwrap();
    let drawn = |u: [f64; 4]| {
        let mut order = [9; 4];
        latent.draw(&u, &mut [], &mut order);
        order
    };
    assert_eq!(drawn([0.25, 0.0, 0.0, 0.0]), [1, 0, 2, 3]);
    assert_eq!(drawn([0.5, 0.0, 0.5, 0.0])[0], 2);
    assert_eq!(drawn([1.0, 0.0, 0.0, 0.0])[0], 3);
    // Of equals the first is the best.
    let mut best = [9; 4];
    latent.choose_best(&mut best);
    assert_eq!(best, [0, 1, 2, 3]);
}
