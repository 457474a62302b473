//! The walk of the black box: no order twice, the window, the memory of large orders, noise, choices, starts.

use std::collections::HashSet;

use plackett::{
    Constraints, Noise,
    optimizer::{Answer, Noisy, Optimizer, OptimizerSettings, Proposal},
};
use rand::RngExt as _;

fn distance(order: &[usize]) -> f64 {
    order.iter().enumerate().map(|(rank, &item)| (rank.abs_diff(item) * (1 + item % 3)) as f64).sum()
}

/// Asks and tells one by one, and returns what was asked.
fn advance(optimizer: &mut Optimizer, evaluations: usize, f: impl Fn(&[usize]) -> f64) -> Vec<Vec<usize>> {
    let mut asked = Vec::new();
    while asked.len() < evaluations {
        let Some(Proposal { id, order }) = optimizer.ask(1).pop() else { break };
        optimizer.tell_id(id, Answer::Value(f(&order))).unwrap();
        asked.push(order.into_vec());
    }
    asked
}

fn distinct(orders: &[Vec<usize>], top: usize) -> usize {
    orders.iter().map(|order| &order[..top]).collect::<HashSet<_>>().len()
}

#[test]
fn no_order_is_asked_twice_and_in_the_end_all_have_been() {
    let with = |change: fn(&mut OptimizerSettings)| {
        let mut settings = OptimizerSettings::default();
        change(&mut settings);
        settings
    };
    let tight = |s: &mut OptimizerSettings| {
        s.constraints = Some(Constraints::new(6, &[(0, 1), (1, 2), (2, 3)], &[(5, 0)]).unwrap());
    };
    let windows = |s: &mut OptimizerSettings| {
        let chain = Constraints::new(6, &[(0, 1)], &[]).unwrap();
        s.constraints = Some(chain.with_ranks(&[(0, 2, 3), (5, 0, 0), (4, 1, 2)]).unwrap());
    };
    for (settings, items, top, all) in [
        (with(windows), 6, 6, 14),
        (with(|_| ()), 1, 1, 1),
        (with(|_| ()), 2, 2, 2),
        (with(|_| ()), 6, 6, 720),
        (with(|s| s.window = 7), 6, 6, 720),
        (with(|s| s.evaluations = Some(500)), 6, 6, 720),
        (with(|s| s.top = Some(2)), 7, 2, 42),
        (with(tight), 6, 6, 5),
    ] {
        let mut optimizer = Optimizer::new(items, settings).unwrap();
        let asked = advance(&mut optimizer, 10_000, distance);
        assert_eq!((asked.len(), distinct(&asked, top)), (all, all));
        let best = asked.iter().map(|order| distance(order)).fold(f64::INFINITY, f64::min);
        assert_eq!(optimizer.best().unwrap().1, best);
        assert!(optimizer.ask(5).is_empty() && optimizer.pending().is_empty());
        let mut copy = Optimizer::from_json(&optimizer.to_json().unwrap()).unwrap();
        assert!(copy.ask(5).is_empty());
    }
    let mut optimizer = Optimizer::new(12, OptimizerSettings::default()).unwrap();
    let asked = advance(&mut optimizer, 20_000, distance);
    assert_eq!((asked.len(), distinct(&asked, 12)), (20_000, 20_000));
    assert_eq!(optimizer.best().unwrap().1, 0.0);
}

/// What is asked n-th depends on the answers up to the (n − W)-th, so one who works on one order at a time and one who works on
/// many, in any order, are asked the same.
#[test]
fn the_window_decides_and_not_who_is_quick() {
    let settings = OptimizerSettings { window: 6, evaluations: Some(900), ..OptimizerSettings::default() };
    let mut slow = Optimizer::new(9, settings.clone()).unwrap();
    let one_by_one = advance(&mut slow, 900, distance);
    for workers in [2, 4, 6] {
        let mut noise = Noise::new(workers as u64);
        let rng = noise.stream(0);
        let mut optimizer = Optimizer::new(9, settings.clone()).unwrap();
        let (mut working, mut asked) = (Vec::new(), Vec::new());
        while asked.len() < 900 || !working.is_empty() {
            let more = optimizer.ask((workers - working.len()).min(900 - asked.len()));
            asked.extend(more.iter().map(|proposal| proposal.order.to_vec()));
            working.extend(more);
            let done: Proposal = working.swap_remove(rng.random_range(0..working.len()));
            optimizer.tell_id(done.id, Answer::Value(distance(&done.order))).unwrap();
        }
        assert_eq!(asked, one_by_one, "{workers}");
        assert_eq!(optimizer.to_json().unwrap(), slow.to_json().unwrap());
    }
}

#[test]
fn starts_come_first_and_are_gone_on_from() {
    let start: Vec<usize> = vec![1, 0, 2, 3, 4, 5, 6, 8, 7];
    let starts = vec![(0..9).rev().collect(), start.clone(), start.clone()];
    let settings = OptimizerSettings { starts, ..OptimizerSettings::default() };
    let mut optimizer = Optimizer::new(9, settings).unwrap();
    let asked = advance(&mut optimizer, 300, distance);
    assert_eq!((&asked[0][..2], &asked[1]), (&[8, 7][..], &start));
    assert_eq!(distinct(&asked, 9), 300);
    // A walk from an order nearby is soon there.
    assert_eq!(optimizer.best().unwrap().1, 0.0);
}

#[test]
fn a_choice_of_some_items_is_found() {
    // The three items of largest weight, in their order.
    let f = |order: &[usize]| order[..3].iter().zip([3, 2, 1]).map(|(&item, w)| -((item * w) as f64)).sum();
    let settings = OptimizerSettings { top: Some(3), ..OptimizerSettings::default() };
    let mut optimizer = Optimizer::new(30, settings).unwrap();
    let asked = advance(&mut optimizer, 2000, f);
    assert_eq!(distinct(&asked, 3), 2000);
    assert_eq!(optimizer.best().unwrap().0[..3], [29, 28, 27]);
}

/// Penalties are no reason to walk about for ever once they are gone.
#[test]
fn penalties_do_not_set_the_scale_for_good() {
    let f = |order: &[usize]| distance(order) + if order[0] + order[1] > 20 { 1e9 } else { 0.0 };
    let mut optimizer = Optimizer::new(20, OptimizerSettings::default()).unwrap();
    advance(&mut optimizer, 20_000, f);
    assert!(optimizer.best().unwrap().1 < 40.0, "{:?}", optimizer.best());
}

#[test]
fn ten_thousand_items_take_little_memory() {
    let mut optimizer = Optimizer::new(10_000, OptimizerSettings::default()).unwrap();
    let asked = advance(&mut optimizer, 60, distance);
    assert_eq!(asked.len(), 60);
    let first = distance(&asked[0]);
    assert!(optimizer.best().unwrap().1 < first);
    // What is saved does not grow with the square of the items.
    let saved = optimizer.to_json().unwrap().len();
    assert!(saved < 1_000_000, "{saved}");
}

fn noisy(rng: &mut impl rand::Rng, order: &[usize], deviation: f64) -> f64 {
    let normal = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    distance(order) + deviation * normal
}

#[test]
fn noisy_values_give_a_good_order_and_an_honest_estimate() {
    for noise in [Noisy::Yes, Noisy::Detect] {
        let (mut errors, mut gaps) = (Vec::new(), 0.0);
        for seed in 0..12 {
            let settings =
                OptimizerSettings { noise, seed, evaluations: Some(3000), ..OptimizerSettings::default() };
            let mut optimizer = Optimizer::new(10, settings).unwrap();
            let mut streams = Noise::new(seed);
            let rng = streams.stream(7);
            let mut luckiest = f64::INFINITY;
            for _ in 0..3000 {
                let Proposal { id, order } = optimizer.ask(1).remove(0);
                let value = noisy(rng, &order, 5.0);
                luckiest = luckiest.min(value);
                optimizer.tell_id(id, Answer::Value(value)).unwrap();
            }
            let (order, value) = optimizer.best().unwrap();
            let error = optimizer.error().unwrap();
            assert!(value > luckiest && error > 0.0 && error < 2.0, "{value} {luckiest} {error}");
            errors.push((value - distance(order)) / error);
            gaps += distance(order) / 12.0;
        }
        // In units of the standard error, the estimates are about right: no order is reported for its luck.
        let mean = errors.iter().sum::<f64>() / 12.0;
        assert!(mean > -1.5 && mean < 1.5, "{errors:?}");
        assert!(gaps < 5.0, "{gaps}"); // the noise has a deviation of 5, a random order a value near 60
    }
}

#[test]
fn one_order_asked_twice_tells_noise_from_none() {
    let settings = OptimizerSettings { noise: Noisy::Detect, ..OptimizerSettings::default() };
    let mut optimizer = Optimizer::new(9, settings).unwrap();
    let asked = advance(&mut optimizer, 500, distance);
    assert_eq!((asked[0].clone(), distinct(&asked, 9)), (asked[1].clone(), 499));
    assert_eq!(optimizer.error(), None);
}

/// What somebody else has found is gone on from, and a run that is saved after that and resumed takes the same way.
#[test]
fn better_orders_from_elsewhere_are_gone_on_from_and_saved() {
    let items = 30;
    let value = |order: &[usize]| {
        order.iter().enumerate().map(|(rank, &item)| rank.abs_diff(item) as f64).sum::<f64>()
    };
    let settings = OptimizerSettings { window: 3, seed: 5, ..OptimizerSettings::default() };
    let mut optimizer = Optimizer::new(items, settings).unwrap();
    let mut best: Vec<usize> = (0..items).collect();
    best.swap(0, 1);
    let mut least = [f64::INFINITY; 2];
    for step in 0..20 {
        if step == 5 {
            optimizer.learn(&best, value(&best)).unwrap();
            optimizer.learn(&(0..items).rev().collect::<Vec<_>>(), 1e9).unwrap(); // of no use
            assert_eq!(optimizer.best(), Some((&best[..], 2.0)));
        }
        for proposal in optimizer.ask(3) {
            assert_ne!(proposal.order.as_slice(), &best[..], "it is known");
            let found = value(&proposal.order);
            least[usize::from(step >= 5)] = least[usize::from(step >= 5)].min(found);
            optimizer.tell_id(proposal.id, Answer::Value(found)).unwrap();
        }
        if step == 10 {
            let copy = Optimizer::from_json(&optimizer.to_json().unwrap()).unwrap();
            assert_eq!(copy.clone().ask(3), optimizer.clone().ask(3));
            optimizer = copy;
        }
    }
    assert!(least[0] > 100.0 && least[1] < 40.0, "a few moves away from what was found elsewhere: {least:?}");
    assert_eq!(optimizer.status().foreign, 2);
    assert!(optimizer.learn(&[0, 1], 3.0).is_err());
}
