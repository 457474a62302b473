//! Many distributions in one call against one at a time, and against enumeration.

use plackett::{
    Batch, Enumerable, Error, Noise, PlackettLuce,
    estimator::{Baseline, Demand, Estimator, Reinforce, Samples},
};

const ABSENT: f64 = f64::NEG_INFINITY;

/// Scores with a spread, different in every row.
fn scores(rows: usize, items: usize, spread: f64, seed: u64) -> Vec<f64> {
    let mut uniform = vec![0.0; rows * items];
    Noise::new(seed).fill(0, &mut uniform);
    uniform.iter().map(|u| spread * (u - 0.5)).collect()
}

fn drawn(batch: &Batch, samples: usize, top: usize, seed: u64) -> Vec<usize> {
    let mut ranked = vec![0; batch.rows() * samples * top];
    batch.sample(top, seed, |ranking| (ranking / samples, ranking % samples), &mut ranked).unwrap();
    ranked
}

#[test]
fn rows_are_single_distributions() {
    for (items, spread) in [(1, 1.0), (2, 3.0), (7, 8.0), (33, 100.0), (70, 150.0), (12, 2000.0)] {
        let scores = scores(5, items, spread, 3);
        let batch = Batch::new(&scores, items).unwrap();
        for top in [1, items.div_ceil(2), items] {
            let ranked = drawn(&batch, 4, top, 11);
            let mut log_prob = vec![0.0; 20];
            batch.log_prob(&ranked, top, |ranking| ranking / 4, &mut log_prob).unwrap();
            let mut gradient = vec![0.0; 20 * items];
            batch.grad_log_prob(&ranked, top, |ranking| ranking / 4, &mut gradient).unwrap();
            for ranking in 0..20 {
                let alone = PlackettLuce::new(&scores[ranking / 4 * items..][..items]).unwrap();
                let ranked = &ranked[ranking * top..][..top];
                // A stream for each row and sample: row 0 has those that single distributions have.
                if ranking < 4 {
                    assert_eq!(ranked, &alone.sample(Noise::new(11).stream(ranking as u64))[..top]);
                }
                let (value, slope) = in_log_space(alone_scores(&scores, ranking / 4, items), ranked);
                assert!((log_prob[ranking] - value).abs() < 1e-12 * (1.0 + value.abs()));
                assert!((alone.log_prob(ranked).unwrap() - value).abs() < 1e-12 * (1.0 + value.abs()));
                let found = &gradient[ranking * items..][..items];
                for (a, b) in found.iter().zip(&slope) {
                    assert!((a - b).abs() < 1e-12 * items as f64, "{a} {b}");
                }
            }
        }
    }
}

fn alone_scores(scores: &[f64], row: usize, items: usize) -> &[f64] {
    &scores[row * items..][..items]
}

/// log p and its gradient as the definition has them: O(k²), rank by rank.
fn in_log_space(scores: &[f64], ranked: &[usize]) -> (f64, Vec<f64>) {
    let mut left: Vec<usize> = (0..scores.len()).collect();
    let (mut value, mut gradient) = (0.0, vec![0.0; scores.len()]);
    for &item in ranked {
        let max = left.iter().map(|&i| scores[i]).fold(ABSENT, f64::max);
        let total: f64 = left.iter().map(|&i| (scores[i] - max).exp()).sum();
        value += scores[item] - max - total.ln();
        for &i in &left {
            gradient[i] -= (scores[i] - max).exp() / total;
        }
        gradient[item] += 1.0;
        left.retain(|&i| i != item);
    }
    (value, gradient)
}

#[test]
fn absent_items_are_as_if_they_were_not_there() {
    for far in [0.0, 1000.0] {
        let batch = Batch::new(&[0.3, ABSENT, far, -1.0, ABSENT], 5).unwrap();
        let fewer = PlackettLuce::new(&[0.3, far, -1.0]).unwrap();
        let names = [0, 2, 3];
        let ranked = drawn(&batch, 200, 5, 5);
        for ranked in ranked.chunks(5) {
            assert_eq!(ranked[3..], [1, 4]);
            let mut log_prob = [0.0];
            batch.log_prob(ranked, 5, |_| 0, &mut log_prob).unwrap();
            let order: Vec<usize> =
                ranked[..3].iter().map(|item| names.iter().position(|name| name == item).unwrap()).collect();
            assert!((log_prob[0] - fewer.log_prob(&order).unwrap()).abs() < 1e-13);
            let mut gradient = [0.0; 5];
            batch.grad_log_prob(ranked, 5, |_| 0, &mut gradient).unwrap();
            let expected = fewer.grad_log_prob(&order).unwrap();
            assert_eq!((gradient[1], gradient[4]), (0.0, 0.0));
            for (name, expected) in names.iter().zip(expected) {
                assert!((gradient[*name] - expected).abs() < 1e-13);
            }
        }
        // An absent item before a present one cannot be, and one behind all of them says nothing.
        let mut log_prob = [0.0; 4];
        let orders = [[0, 1, 2, 3], [2, 0, 3, 1], [2, 0, 3, -1], [2, 0, -1, -1]].concat();
        batch.log_prob::<i64>(&orders, 4, |_| 0, &mut log_prob).unwrap();
        assert_eq!(log_prob[0], ABSENT);
        assert_eq!(log_prob[1], log_prob[2]);
        // With one present item left, two ranks say as much as three.
        assert!((log_prob[3] - log_prob[2]).abs() < 1e-13);
    }
}

#[test]
fn samples_follow_the_law() {
    // The frequencies of all 24 orders of a row in the middle, by a chi-squared test with a fixed seed.
    let scores = [vec![9.0; 4], vec![0.5, -0.5, 1.0, 0.0], vec![0.0; 4]].concat();
    let batch = Batch::new(&scores, 4).unwrap();
    let samples = 48_000;
    let ranked = drawn(&batch, samples, 4, 1);
    let all = PlackettLuce::new(&scores[4..8]).unwrap().enumerate().unwrap();
    let mut statistic = 0.0;
    for (order, probability) in all {
        let seen = ranked[4 * samples..][..4 * samples].chunks(4).filter(|ranked| **ranked == *order).count();
        let expected = samples as f64 * probability;
        statistic += (seen as f64 - expected).powi(2) / expected;
    }
    assert!(statistic < 49.7, "{statistic}"); // 0.999 of chi-squared with 23 degrees of freedom
}

#[test]
fn leave_one_out_is_unbiased_exactly() {
    // Over all pairs of prefixes, weighted by their probability: no sampling.
    let (theta, top) = ([0.4, -0.7, 1.1, 0.0], 2);
    let batch = Batch::new(&theta, 4).unwrap();
    let value = |ranked: &[usize]| (1 + 3 * ranked[0] + ranked[1] * ranked[1]) as f64;
    let mut prefixes: Vec<(Vec<usize>, f64)> = Vec::new();
    for (order, probability) in PlackettLuce::new(&theta).unwrap().enumerate().unwrap() {
        match prefixes.iter_mut().find(|(prefix, _)| prefix[..] == order[..top]) {
            Some((_, sum)) => *sum += probability,
            None => prefixes.push((order[..top].to_vec(), probability)),
        }
    }
    let mut mean = [0.0; 4];
    for (a, p) in &prefixes {
        for (b, q) in &prefixes {
            let mut gradient = [0.0; 4];
            batch.reinforce(&[&a[..], b].concat(), top, &[value(a), value(b)], &mut gradient).unwrap();
            mean.iter_mut().zip(gradient).for_each(|(mean, g)| *mean += p * q * g);
        }
    }
    let law = PlackettLuce::new(&theta).unwrap();
    let mut values = Vec::new();
    law.try_for_each_outcome(&mut |order| {
        values.push(value(order));
        Ok(())
    })
    .unwrap();
    let mut exact = [0.0; 4];
    law.expectation(&values, &mut exact, &mut Vec::new());
    for (mean, exact) in mean.iter().zip(exact) {
        assert!((mean - exact).abs() < 1e-13);
    }
}

#[test]
fn reinforce_is_that_of_single_distributions() {
    for spread in [4.0, 500.0] {
        let theta = scores(6, 9, spread, 8);
        let batch = Batch::new(&theta, 9).unwrap();
        let ranked = drawn(&batch, 5, 9, 2);
        let values: Vec<f64> = ranked.chunks(9).map(|order| (order[0] * 7 + order[4]) as f64).collect();
        let mut gradient = vec![0.0; 6 * 9];
        batch.reinforce(&ranked, 9, &values, &mut gradient).unwrap();
        for (row, gradient) in gradient.chunks(9).enumerate() {
            let law = PlackettLuce::new(alone_scores(&theta, row, 9)).unwrap();
            let mut samples = Samples::new(&law, 5).unwrap();
            samples.draw(&law, Demand::Values, &mut Noise::new(2), (row as u64) << 32).unwrap();
            samples.evaluate(&mut |order: &[usize]| (order[0] * 7 + order[4]) as f64).unwrap();
            let mut expected = [0.0; 9];
            let mut reinforce = Reinforce::new(&law, Baseline::LeaveOneOut).unwrap();
            reinforce.gradient(&law, &samples, &mut expected).unwrap();
            for (a, b) in gradient.iter().zip(expected) {
                assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} {b}");
            }
        }
    }
}

#[cfg(feature = "threads")]
#[test]
fn threads_make_no_difference() {
    let theta = scores(40, 30, 5.0, 6);
    let work = || {
        let batch = Batch::new(&theta, 30).unwrap();
        let ranked = drawn(&batch, 9, 13, 4);
        let values: Vec<f64> = ranked.chunks(13).map(|ranked| (ranked[0] + ranked[12]) as f64).collect();
        let (mut log_prob, mut gradient) = (vec![0.0; values.len()], vec![0.0; theta.len()]);
        batch.log_prob(&ranked, 13, |ranking| ranking / 9, &mut log_prob).unwrap();
        batch.reinforce(&ranked, 13, &values, &mut gradient).unwrap();
        (ranked, log_prob, gradient)
    };
    let [one, many] = [1, 4].map(|threads| rayon_pool(threads).install(work));
    assert!(one == many);
}

#[cfg(feature = "threads")]
fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn fewer_ranks_and_other_rows_change_nothing() {
    let theta = scores(3, 20, 6.0, 1);
    let batch = Batch::new(&theta, 20).unwrap();
    let whole = drawn(&batch, 6, 20, 9);
    let mut beginning = [0i64; 4];
    // Samples 2 and 5 of the last row alone, two ranks of each.
    batch.sample(2, 9, |ranking| (2, [2, 5][ranking]), &mut beginning).unwrap();
    for (beginning, sample) in beginning.chunks(2).zip([2, 5]) {
        let place = (2 * 6 + sample) * 20;
        assert!(beginning.iter().zip(&whole[place..]).all(|(&a, &b)| a == b.cast_signed() as i64));
    }
}

#[test]
fn bad_input_is_refused_with_its_place() {
    assert!(matches!(Batch::new(&[], 0), Err(Error::Empty { .. })));
    assert!(matches!(Batch::new(&[0.0; 5], 2), Err(Error::Length { .. })));
    assert!(matches!(
        Batch::new(&[0.0, 0.0, f64::NAN, 0.0], 2),
        Err(Error::RowScore { row: 1, item: 0, .. })
    ));
    assert!(matches!(Batch::new(&[0.0, f64::INFINITY], 2), Err(Error::RowScore { row: 0, item: 1, .. })));
    assert!(matches!(Batch::new(&[0.0, 1.0, ABSENT, ABSENT], 2), Err(Error::EmptyRow { row: 1 })));
    let batch = Batch::new(&[0.0, 0.0, ABSENT, 0.0, 0.0, 0.0], 3).unwrap();
    let mut room = [0.0; 6];
    let of = |error: Error| match error {
        Error::Ranking { index, source } => (index, *source),
        other => panic!("{other}"),
    };
    let mut gradient = |ranked: &[i64]| batch.grad_log_prob(ranked, 2, |ranking| ranking, &mut room);
    assert!(matches!(
        of(gradient(&[0, 1, 1, 1]).unwrap_err()),
        (1, Error::RepeatedItem { item: 1, first: 0, second: 1 })
    ));
    assert!(matches!(
        of(gradient(&[0, 3, 1, 0]).unwrap_err()),
        (0, Error::UnknownItem { item: 3, rank: 1, items: 3 })
    ));
    assert!(matches!(of(gradient(&[2, 0, 1, 0]).unwrap_err()), (0, Error::AbsentItem { item: 2, rank: 0 })));
    assert!(matches!(
        of(gradient(&[-1, 0, 1, 0]).unwrap_err()),
        (0, Error::RankedAfterEnd { rank: 1, end: 0 })
    ));
    assert!(gradient(&[0, 1, 1, 0]).is_ok());
    assert!(batch.sample(4, 0, |_| (0, 0), &mut [0usize; 4]).is_err());
    assert!(batch.sample(0, 0, |_| (0, 0), &mut [0usize; 4]).is_err());
    assert!(batch.sample(3, 0, |_| (0, 0), &mut [0usize; 4]).is_err());
    assert!(batch.sample(1, 0, |_| (2, 0), &mut [0usize; 1]).is_err());
    assert!(batch.reinforce(&[0usize, 1], 1, &[1.0, f64::NAN], &mut [0.0; 6]).is_err());
    assert!(batch.reinforce(&[0usize, 1, 0], 1, &[1.0; 3], &mut [0.0; 6]).is_err());
}
