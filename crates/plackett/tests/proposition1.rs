//! Lemma 1 and proposition 1: the order of perturbed scores has the Plackett–Luce law, and z̃ given the order has
//! the law of z given the order. The same for categories, and the laws' probabilities themselves.

mod common;

use common::{all_orders, assert_close, dot, plain_probability, scores_to_test, spread, uniform};
use plackett::{
    Batch, Categorical, ConstrainedPlackettLuce, Constraints, Distribution as _, Error, Latent, Noise, Order,
    PlackettLuce, estimator::Exact, gumbel, truncated_gumbel,
};
use statrs::distribution::{ChiSquared, ContinuousCDF};
use std::collections::HashMap;

/// The Kolmogorov–Smirnov statistic scaled by √n exceeds this with a probability of 2·exp(−2·2.4²) ≈ 2·10⁻⁵.
const KS_LIMIT: f64 = 2.4;

/// χ² tests fail with this probability.
const CHI_SQUARED_LEVEL: f64 = 1e-5;

/// The scaled distance of two empirical laws.
fn two_sample_ks(a: &[f64], b: &[f64]) -> f64 {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let (n, m) = (a.len() as f64, b.len() as f64);
    let (mut i, mut j, mut distance) = (0, 0, 0.0f64);
    while i < a.len() && j < b.len() {
        let at = a[i].min(b[j]);
        i += a[i..].iter().take_while(|x| **x <= at).count();
        j += b[j..].iter().take_while(|x| **x <= at).count();
        distance = distance.max((i as f64 / n - j as f64 / m).abs());
    }
    distance * (n * m / (n + m)).sqrt()
}

/// The scaled distance of an empirical law from a distribution function.
fn one_sample_ks(values: &[f64], cdf: impl Fn(f64) -> f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let distance = values.iter().enumerate().fold(0.0f64, |max, (at, &x)| {
        let p = cdf(x);
        max.max((p - at as f64 / n).abs()).max(((at + 1) as f64 / n - p).abs())
    });
    distance * n.sqrt()
}

/// Refuses counts that do not come from these probabilities; rare outcomes are pooled.
#[track_caller]
fn assert_chi_squared(counts: &[usize], probabilities: &[f64], what: &str) {
    let total = counts.iter().sum::<usize>() as f64;
    assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{what}");
    let (mut statistic, mut cells, mut rare) = (0.0, 0, (0.0, 0.0));
    for (&count, probability) in counts.iter().zip(probabilities) {
        let expected = total * probability;
        if expected < 10.0 {
            rare = (rare.0 + count as f64, rare.1 + expected);
        } else {
            statistic += (count as f64 - expected).powi(2) / expected;
            cells += 1;
        }
    }
    if rare.1 >= 1.0 {
        statistic += (rare.0 - rare.1).powi(2) / rare.1;
        cells += 1;
    }
    let limit = ChiSquared::new(f64::from(cells - 1)).unwrap().inverse_cdf(1.0 - CHI_SQUARED_LEVEL);
    assert!(statistic < limit, "{what}: χ² is {statistic}, over {limit} for {cells} cells");
}

/// Noise that a generator would never make beside noise that it does.
fn noises_to_test(items: usize, seed: u64) -> Vec<Vec<f64>> {
    let random = uniform(seed, 0, items);
    let ends = random.iter().map(|u| u.round()).collect();
    let tiny = random.iter().map(|u| u * 1e-300).collect();
    let high = random.iter().map(|u| 1.0 - u * 1e-15).collect();
    vec![vec![0.0; items], vec![1.0; items], vec![0.5; items], random, ends, tiny, high]
}

fn scores_of_all_kinds(items: usize, seed: u64) -> Vec<Vec<f64>> {
    [0.0, 1.0, 30.0, 1000.0, 1e10, 1e300, 1e308]
        .iter()
        .map(|width| spread(seed, 7, items, *width))
        .chain([(0..items).map(|i| if i % 2 == 0 { f64::MAX } else { f64::MIN }).collect()])
        .collect()
}

#[test]
fn conditional_scores_sort_into_their_order_always() {
    for (items, trials) in [(1, 1), (2, 20), (3, 20), (8, 20), (100, 10), (5000, 2)] {
        for seed in 0..trials {
            let order = Order::sorting(&uniform(seed, 1, items)).unwrap();
            for scores in scores_of_all_kinds(items, seed) {
                let latent = PlackettLuce::new(&scores).unwrap();
                for v in noises_to_test(items, seed) {
                    let z = latent.conditional(&order, &v).unwrap();
                    common::assert_finite(&z, "conditional scores");
                    assert_eq!(Order::sorting(&z).unwrap(), order, "{scores:?} {v:?}");
                    assert!(order.windows(2).all(|pair| z[pair[0]] > z[pair[1]]), "not strictly");
                }
            }
        }
    }
}

#[test]
fn conditional_scores_have_their_category_on_top_always() {
    for (items, trials) in [(1, 1), (2, 20), (8, 20), (5000, 1)] {
        for seed in 0..trials {
            for scores in scores_of_all_kinds(items, seed) {
                let latent = Categorical::new(&scores).unwrap();
                for v in noises_to_test(items, seed) {
                    for category in [0, items / 2, items - 1] {
                        let z = latent.conditional(category, &v).unwrap();
                        common::assert_finite(&z, "conditional scores");
                        let is_below =
                            |(item, z_item): (usize, &f64)| item == category || *z_item < z[category];
                        assert!(z.iter().enumerate().all(is_below), "{scores:?} {v:?}");
                        let mut outcome = [usize::MAX];
                        latent.outcome(&z, &mut outcome);
                        assert_eq!(outcome[0], category);
                    }
                }
            }
        }
    }
}

/// Samples of z and z̃, gathered by outcome.
type Groups = HashMap<Vec<usize>, (Vec<Vec<f64>>, Vec<Vec<f64>>)>;

/// Coordinates, and sums and differences of neighbors, which see the dependence between them.
fn assert_same_law(a: &[Vec<f64>], b: &[Vec<f64>], what: &str) {
    let items = a[0].len();
    let column = |rows: &[Vec<f64>], i: usize, j: usize, sign: f64| -> Vec<f64> {
        rows.iter().map(|z| if i == j { z[i] } else { z[i] + sign * z[j] }).collect()
    };
    for i in 0..items {
        for (j, sign) in [(i, 0.0), ((i + 1) % items, 1.0), ((i + 1) % items, -1.0)] {
            let statistic = two_sample_ks(&column(a, i, j, sign), &column(b, i, j, sign));
            assert!(statistic < KS_LIMIT, "{what}: coordinates {i} and {j} ({sign}): {statistic}");
        }
    }
}

#[test]
fn z_and_conditional_z_have_the_same_joint_law_with_the_order() {
    for seed in 0..3 {
        let scores = spread(seed, 3, 3, 1.5);
        let latent = PlackettLuce::new(&scores).unwrap();
        let mut groups = Groups::new();
        for stream in 0..100_000 {
            let noise = uniform(seed + 100, stream, 6);
            let z = latent.perturb(&noise[..3]).unwrap();
            let order = Order::sorting(&z).unwrap();
            let z_tilde = latent.conditional(&order, &noise[3..]).unwrap();
            let group = groups.entry(order.into_vec()).or_default();
            group.0.push(z);
            group.1.push(z_tilde);
        }
        assert_eq!(groups.len(), 6);
        for (order, (z, z_tilde)) in &groups {
            assert!(z.len() > 300, "{} samples of {order:?} say little", z.len());
            assert_same_law(z, z_tilde, &format!("scores {scores:?}, order {order:?}"));
        }
        // The test would notice: the laws given different orders differ.
        let (one, other) = (&groups[&vec![0, 1, 2]].0, &groups[&vec![2, 1, 0]].1);
        let first = |rows: &[Vec<f64>]| rows.iter().map(|z| z[0]).collect::<Vec<_>>();
        assert!(two_sample_ks(&first(one), &first(other)) > 5.0);
    }
}

#[test]
fn z_and_conditional_z_have_the_same_joint_law_with_the_category() {
    for seed in 0..3 {
        let scores = spread(seed, 4, 4, 1.5);
        let latent = Categorical::new(&scores).unwrap();
        let mut groups = Groups::new();
        for stream in 0..100_000 {
            let noise = uniform(seed + 200, stream, 8);
            let z = latent.perturb(&noise[..4]).unwrap();
            let mut outcome = [0];
            latent.outcome(&z, &mut outcome);
            let z_tilde = latent.conditional(outcome[0], &noise[4..]).unwrap();
            let group = groups.entry(outcome.to_vec()).or_default();
            group.0.push(z);
            group.1.push(z_tilde);
        }
        assert_eq!(groups.len(), 4);
        for (category, (z, z_tilde)) in &groups {
            assert_same_law(z, z_tilde, &format!("scores {scores:?}, category {category:?}"));
        }
    }
}

/// The paper's formula as it is printed: normalized scores, suffix sums, no logarithm that could be avoided.
fn proposition_1_in_plain_arithmetic(scores: &[f64], order: &[usize], v: &[f64]) -> Vec<f64> {
    let total: f64 = scores.iter().map(|score| score.exp()).sum();
    let p: Vec<f64> = scores.iter().map(|score| score.exp() / total).collect();
    let mut z = vec![0.0; scores.len()];
    for (i, &item) in order.iter().enumerate() {
        z[item] = if i == 0 {
            -(-v[0].ln()).ln()
        } else {
            let suffix: f64 = order[i..].iter().map(|&j| p[j]).sum();
            -(-v[i].ln() / suffix + (-z[order[i - 1]]).exp()).ln()
        };
    }
    z
}

/// Equation 10 as it is printed.
fn equation_10_in_plain_arithmetic(scores: &[f64], category: usize, v: &[f64]) -> Vec<f64> {
    let total: f64 = scores.iter().map(|score| score.exp()).sum();
    let top = -(-v[category].ln()).ln();
    let entry = |(item, score): (usize, &f64)| {
        if item == category { top } else { -(-v[item].ln() / (score.exp() / total) + (-top).exp()).ln() }
    };
    scores.iter().enumerate().map(entry).collect()
}

#[test]
fn the_formulas_agree_with_plain_arithmetic() {
    for items in [1, 2, 3, 5, 20, 100] {
        for seed in 0..20 {
            let scores = spread(seed, 5, items, 3.0);
            let order = Order::sorting(&uniform(seed, 6, items)).unwrap();
            let v = uniform(seed, 7, items);
            let found = PlackettLuce::new(&scores).unwrap().conditional(&order, &v).unwrap();
            let plain = proposition_1_in_plain_arithmetic(&scores, &order, &v);
            assert_close(&found, &plain, 1e-12, "proposition 1");
            let category = seed as usize % items;
            let found = Categorical::new(&scores).unwrap().conditional(category, &v).unwrap();
            assert_close(
                &found,
                &equation_10_in_plain_arithmetic(&scores, category, &v),
                1e-12,
                "equation 10",
            );
        }
    }
}

#[test]
fn orders_of_perturbed_scores_follow_lemma_1() {
    for items in [2, 3, 4, 5] {
        for (name, scores) in scores_to_test(items) {
            let latent = PlackettLuce::new(&scores).unwrap();
            let orders = all_orders(&(0..items).collect::<Vec<_>>());
            let index: HashMap<&[usize], usize> =
                orders.iter().enumerate().map(|(at, order)| (order.as_slice(), at)).collect();
            let probabilities: Vec<f64> =
                orders.iter().map(|order| plain_probability(&scores, order)).collect();
            let mut drawn = vec![0; orders.len()];
            for order in latent.sample_many(100_000, Noise::new(31).stream(items as u64)) {
                drawn[index[order.as_slice()]] += 1;
            }
            assert_chi_squared(&drawn, &probabilities, &format!("sampling, {items} items, {name}"));
            let mut sorted = vec![0; orders.len()];
            for stream in 0..50_000 {
                let z = latent.perturb(&uniform(32, stream, items)).unwrap();
                sorted[index[Order::sorting(&z).unwrap().as_slice()]] += 1;
            }
            assert_chi_squared(&sorted, &probabilities, &format!("sorting z, {items} items, {name}"));
        }
    }
}

#[test]
fn categories_follow_their_probabilities() {
    for items in [2, 5, 50] {
        for (name, scores) in scores_to_test(items) {
            let mut counts = vec![0; items];
            let latent = Categorical::new(&scores).unwrap();
            for category in latent.sample_many(100_000, Noise::new(33).stream(items as u64)) {
                counts[category] += 1;
            }
            let probabilities: Vec<f64> =
                (0..items).map(|item| plain_probability(&scores, &[item])).collect();
            assert_chi_squared(&counts, &probabilities, &format!("{items} categories, {name}"));
        }
    }
}

#[test]
fn every_way_to_sample_is_the_same() {
    let latent = PlackettLuce::new(&spread(1, 1, 6, 2.0)).unwrap();
    let mut noise = Noise::new(8);
    let many = latent.sample_many(50, noise.stream(3));
    let rng = noise.stream(3);
    let one_by_one: Vec<Order> = (0..50).map(|_| latent.sample(rng)).collect();
    assert_eq!(many, one_by_one);
    let (mut order, mut scratch) = (Order::identity(2), vec![1.0; 40]);
    let rng = noise.stream(3);
    for expected in &many {
        latent.sample_into(rng, &mut order, &mut scratch);
        assert_eq!(&order, expected);
    }
    let latent = Categorical::new(&spread(1, 1, 6, 2.0)).unwrap();
    let many = latent.sample_many(50, noise.stream(4));
    let rng = noise.stream(4);
    assert_eq!(many, (0..50).map(|_| latent.sample(rng)).collect::<Vec<_>>());
}

#[test]
fn gumbel_and_truncated_gumbel_have_their_laws() {
    let noise = uniform(41, 0, 50_000);
    let values: Vec<f64> = noise.iter().map(|&u| gumbel(u).unwrap()).collect();
    assert!(one_sample_ks(&values, |z| (-(-z).exp()).exp()) < KS_LIMIT);
    for (location, bound) in
        [(0.0, 0.0), (1.0, -2.0), (-3.0, 1.0), (5.0, 40.0), (700.0, 698.0), (-900.0, -899.5)]
    {
        let values: Vec<f64> = noise.iter().map(|&u| truncated_gumbel(location, bound, u).unwrap()).collect();
        assert!(values.iter().all(|z| *z < bound));
        // Φ(z) / Φ(z₀) in one exponential, so that neither underflows.
        let cdf = |z: f64| ((location - bound).exp() - (location - z).exp()).exp();
        let statistic = one_sample_ks(&values, cdf);
        assert!(statistic < KS_LIMIT, "location {location}, bound {bound}: {statistic}");
        // And the test would notice another location.
        assert!(one_sample_ks(&values, |z| cdf(z - 0.3)) > KS_LIMIT);
    }
}

#[test]
fn entropies_agree() {
    for items in [1, 2, 3, 5, 8] {
        for (name, scores) in scores_to_test(items) {
            let latent = PlackettLuce::new(&scores).unwrap();
            let plain: f64 = all_orders(&(0..items).collect::<Vec<_>>())
                .iter()
                .map(|order| plain_probability(&scores, order))
                .map(|p| -p * p.ln())
                .sum();
            let exact = latent.entropy().unwrap();
            assert_close(&[exact], &[plain], 1e-10, &format!("{items} items, {name}"));
            let (estimate, error) = latent.entropy_estimate(20_000, Noise::new(51).stream(0)).unwrap();
            assert!((estimate - exact).abs() <= 4.5 * error + 1e-12, "{items} {name}: {estimate} {exact}");
            assert!(error < 0.02);

            let latent = Categorical::new(&scores).unwrap();
            let plain: f64 =
                (0..items).map(|item| plain_probability(&scores, &[item])).map(|p| -p * p.ln()).sum();
            assert_close(&[latent.entropy()], &[plain], 1e-12, "categories");
        }
    }
    let sure = PlackettLuce::new(&[1e308, 0.0, -1e308]).unwrap();
    assert_eq!(sure.entropy().unwrap(), 0.0);
    assert_eq!(sure.entropy_estimate(10, Noise::new(0).stream(0)).unwrap(), (0.0, 0.0));
}

#[test]
fn an_entropy_from_few_samples_is_their_mean_with_its_standard_error() {
    let latent = PlackettLuce::new(&[0.5, -1.0, 2.0, 0.0]).unwrap();
    for samples in [2, 3, 7] {
        let count = samples as f64;
        let orders = latent.sample_many(samples, Noise::new(52).stream(0));
        let surprises: Vec<f64> = orders.iter().map(|order| -latent.log_prob(order).unwrap()).collect();
        let mean = surprises.iter().sum::<f64>() / count;
        let variance =
            surprises.iter().map(|surprise| (surprise - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let found = latent.entropy_estimate(samples, Noise::new(52).stream(0)).unwrap();
        assert!(variance > 0.01, "{samples} samples that say nothing");
        assert_close(&[found.0, found.1], &[mean, (variance / count).sqrt()], 1e-12, &format!("{samples}"));
    }
}

#[test]
fn probabilities_sum_to_one_and_prefixes_to_their_completions() {
    for items in [1, 2, 3, 5, 6] {
        for (name, scores) in scores_to_test(items) {
            let latent = PlackettLuce::new(&scores).unwrap();
            let orders = all_orders(&(0..items).collect::<Vec<_>>());
            let probability = |ranked: &[usize]| latent.log_prob(ranked).unwrap().exp();
            for order in &orders {
                let plain = plain_probability(&scores, order);
                assert!((probability(order) / plain - 1.0).abs() < 1e-12, "{items} items, {name}");
            }
            let total: f64 = orders.iter().map(|order| probability(order)).sum();
            assert!((total - 1.0).abs() < 1e-12);
            for ranks in 0..=items {
                for order in orders.iter().step_by(7) {
                    let prefix = &order[..ranks];
                    let completions: f64 =
                        orders.iter().filter(|o| o.starts_with(prefix)).map(|o| probability(o)).sum();
                    assert!((probability(prefix) / completions - 1.0).abs() < 1e-12, "{prefix:?}");
                }
            }
            let listed = latent.enumerate().unwrap();
            assert_eq!(listed.len(), orders.len());
            for ((listed, p), order) in listed.iter().zip(&orders) {
                assert_eq!(listed.as_slice(), order); // both lexicographic
                assert!((p - probability(order)).abs() < 1e-14);
            }
            let best = listed.iter().map(|(_, p)| *p).fold(0.0, f64::max);
            assert!((probability(&latent.mode()) - best).abs() < 1e-14);
        }
    }
}

/// However far below the first item the others are, among themselves they are still a distribution.
#[test]
fn probabilities_sum_to_one_at_extreme_scores() {
    let far = [-1e12, -1e15, -1e17, -1e100, -1e300, -1e308];
    for scores in
        far.iter().flat_map(|&far| [vec![0.0, far, far], vec![1e308, far, far], vec![0.0, far, 0.0, far]])
    {
        let latent = PlackettLuce::new(&scores).unwrap();
        let orders = all_orders(&(0..scores.len()).collect::<Vec<_>>());
        // What no number can hold is refused, and is nothing beside the rest.
        let probability = |order: &Vec<usize>| latent.log_prob(order).map_or(0.0, f64::exp);
        let total: f64 = orders.iter().map(probability).sum();
        assert!((total - 1.0).abs() < 1e-12, "{scores:?}: {total}");
        let listed: f64 = latent.enumerate().unwrap().iter().map(|(_, p)| p).sum();
        assert!((listed - 1.0).abs() < 1e-12, "{scores:?}: {listed}");
        let ties = if scores.len() == 3 { 2f64 } else { 4f64 };
        assert!((latent.entropy().unwrap() - ties.ln()).abs() < 1e-12, "{scores:?}");
        let mut exact = Exact::new(&latent, &mut |_: &[usize]| 5.0).unwrap();
        let (mean, gradient) = exact.expectation(&latent).unwrap();
        assert!((mean - 5.0).abs() < 1e-12, "{scores:?}: {mean}");
        assert!(gradient.iter().all(|g| g.abs() < 1e-12), "{scores:?}: {gradient:?}");
    }
}

/// Differences beyond 1e290 are not those that are computed with; what is told is right all the same, or refused.
#[test]
fn log_probabilities_are_right_however_far_apart_the_scores_are() {
    for far in [-1e100, -0.9e290, -1.1e290, -1e295, -1e300, -0.8e308] {
        let near = 0.9 * far;
        let latent = PlackettLuce::new(&[0.0, far, near]).unwrap();
        // Against the best order each rank costs the distance to the best that is left.
        for (order, expected) in [
            (vec![0, 2, 1], 0.0),
            (vec![2, 0, 1], near),
            (vec![2], near),
            (vec![0, 1, 2], far - near),
            (vec![1, 0, 2], far),
            (vec![1, 2, 0], far + near),
        ] {
            let told = latent.log_prob(&order).unwrap();
            assert!((told - expected).abs() <= 1e-12 * expected.abs(), "{far:e} {order:?}: {told:e}");
            let batch = Batch::new(&[0.0, far, near], 3).unwrap();
            let mut many = [0.0];
            batch.log_prob(&order, order.len(), |_| 0, &mut many).unwrap();
            assert_eq!(many[0], told);
        }
        let free = ConstrainedPlackettLuce::new(&[0.0, far, near], Constraints::none(3)).unwrap();
        let told = free.log_prob(&[1, 2, 0]).unwrap();
        assert!((told / (far + near) - 1.0).abs() < 1e-12, "{told:e}");
        let told = Categorical::new(&[0.0, far, near]).unwrap().log_prob(1).unwrap();
        assert!((told / far - 1.0).abs() < 1e-12, "{told:e}");
    }
    // Equal ones are equal, and those that differ in the ninth digit do not become so.
    let latent = PlackettLuce::new(&[0.0, -1e300, -1e300]).unwrap();
    assert_close(&[latent.log_prob(&[0, 2, 1]).unwrap()], &[-2f64.ln()], 1e-15, "equal");
    let latent = PlackettLuce::new(&[0.0, -1e300, -1.000_000_001e300]).unwrap();
    assert_eq!(latent.log_prob(&[0, 1, 2]).unwrap(), 0.0);
    assert_close(&[latent.log_prob(&[0, 2, 1]).unwrap()], &[-1e291], 1e-4, "nearly equal");
    // What no number can hold.
    let latent = PlackettLuce::new(&[1e308, -1e308]).unwrap();
    assert!(matches!(latent.log_prob(&[1, 0]), Err(Error::TooImprobable)));
    let three = [0.0, -1.1e308, -1e308];
    assert!(matches!(PlackettLuce::new(&three).unwrap().log_prob(&[1, 2, 0]), Err(Error::TooImprobable)));
    let free = ConstrainedPlackettLuce::new(&three, Constraints::none(3)).unwrap();
    assert!(matches!(free.log_prob(&[1, 2, 0]), Err(Error::TooImprobable)));
    let categories = Categorical::new(&[1e308, -1e308]).unwrap();
    assert!(matches!(categories.log_prob(1), Err(Error::TooImprobable)));
    assert_eq!(categories.log_prob(0).unwrap(), 0.0);
}

/// Where plain arithmetic gives up: 2000 apart, the order against the scores has probability e⁻²⁰⁰⁰, not zero.
#[test]
fn probabilities_survive_extreme_scores() {
    let latent = PlackettLuce::new(&[1000.0, -1000.0]).unwrap();
    assert_close(&[latent.log_prob(&[1, 0]).unwrap()], &[-2000.0], 1e-15, "against the scores");
    assert_eq!(latent.log_prob(&[0, 1]).unwrap(), 0.0);
    assert_eq!(latent.grad_log_prob(&[1, 0]).unwrap(), [-1.0, 1.0]);
    let latent = PlackettLuce::new(&[1e308, -1e308, 0.0]).unwrap();
    assert_eq!(latent.mode().as_slice(), [0, 2, 1]);
    assert_eq!(latent.log_prob(&[0, 2, 1]).unwrap(), 0.0);
    let drawn = latent.sample_many(100, Noise::new(0).stream(0));
    assert!(drawn.iter().all(|order| order == &latent.mode()));
    for order in all_orders(&[0, 1, 2]) {
        match latent.log_prob(&order) {
            Ok(log_prob) => assert!(log_prob.is_finite() && log_prob <= 0.0),
            // 2e308 and more.
            Err(error) => assert!(matches!(error, Error::TooImprobable) && order[..2] != [2, 0]),
        }
        let gradient = latent.grad_log_prob(&order).unwrap();
        assert!(dot(&gradient, &[1.0; 3]).abs() < 1e-15, "{gradient:?}");
    }
}

#[test]
fn probabilities_in_a_room_that_is_used_again_are_those_of_the_definition() {
    let scores = [0.3, -1.2, 2.0, 0.0];
    let latent = PlackettLuce::new(&scores).unwrap();
    let mut room = latent.room();
    for order in all_orders(&[0, 1, 2, 3]) {
        let expected = plain_probability(&scores, &order).ln();
        assert_close(&[latent.log_prob_in(&order, &mut room)], &[expected], 1e-12, "log p");
    }
}
