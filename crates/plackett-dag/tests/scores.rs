//! Local scores against independent solvers: proximal gradient for the lasso, enumeration of all sets for the others.

#[path = "common/mod.rs"]
mod testing;

use std::sync::Arc;

use plackett::run::Run;
use plackett_dag::score::{SCORES, SubsetSearch, fit_weights, score_by_name};
use plackett_dag::{
    Gram, LocalScore, NodeSet,
    gram::Centering,
    score::{Bic, EvL0, L1, ScoreSettings, Scratch},
};
use testing::{Rng, normal, sem};

/// Unit-scale data in one of five kinds: plain, nearly collinear, with duplicates, with exact combinations, n < d.
fn awkward_data(rng: &mut Rng, kind: usize, d: usize) -> Vec<f64> {
    let rows = if kind == 4 { 2 + rng.below(d) } else { d + 5 + rng.below(40) };
    let closeness = 10_f64.powf(-1.0 - 4.0 * rng.uniform());
    let mut data = vec![0.0; rows * d];
    for row in data.chunks_exact_mut(d) {
        for value in row.iter_mut() {
            *value = normal(rng);
        }
        match kind {
            1 => (1..d).for_each(|j| row[j] = row[0] + closeness * row[j]),
            2 => {
                (d / 2..d).for_each(|j| row[j] = if j % 2 == 0 { row[j / 2] } else { -row[j / 3] });
            }
            3 => (2..d).step_by(2).for_each(|j| row[j] = 0.5 * row[j - 1] - row[j - 2]),
            _ => (1..d).for_each(|j| row[j] += 0.7 * row[j - 1]),
        }
    }
    data
}

/// Columns that are combinations of three others up to noise at the edge of what counts as any: parents that one sequence of
/// sums takes for independent are dependent by another.
#[test]
fn nearly_dependent_columns_are_no_special_case() {
    let (d, rows) = (20, 80);
    for seed in 0..10 {
        let mut rng = Rng::new(seed);
        let mut data = Vec::new();
        for _ in 0..rows {
            let sources = [normal(&mut rng), normal(&mut rng), normal(&mut rng)];
            for column in 0..d {
                let weight = |source: usize| ((7 * column + 5 * source) % 11) as f64 / 5.0 - 1.0;
                let exact: f64 = (0..3).map(|source| weight(source) * sources[source]).sum();
                data.push(exact + 2e-6 * (1 + column % 3) as f64 * normal(&mut rng));
            }
        }
        let gram = Arc::new(Gram::from_rows(&data, d, Centering::Center).unwrap());
        for entry in SCORES.iter().filter(|entry| !entry.needs_rows) {
            let score = score_by_name(entry.name, Arc::clone(&gram), &ScoreSettings::default()).unwrap();
            for node in 0..d {
                let others: NodeSet = (0..d).filter(|&other| other != node).collect();
                let best = score
                    .best(node, &others, &NodeSet::default(), &mut Scratch::default(), &Run::default())
                    .unwrap();
                assert!(best.score.is_finite() && best.parents.is_subset(&best.witness));
            }
        }
    }
}

/// Units apart by 10^200 and more: products of variances would leave the range of doubles.
#[test]
fn the_bic_does_not_change_with_the_units_of_the_columns() {
    let sem = sem(8, 2.0, 300, 5);
    let unit = |column: usize| (90.0 * column as f64 - 315.0).exp2();
    let far: Vec<f64> = sem.data.iter().enumerate().map(|(at, value)| value * unit(at % 8)).collect();
    let score = |data: &[f64]| {
        let gram = Gram::from_rows(data, 8, Centering::Center).unwrap();
        Bic::new(Arc::new(gram), &ScoreSettings::default()).unwrap()
    };
    let (near, far) = (score(&sem.data), score(&far));
    for node in 0..8 {
        let others: NodeSet = (0..8).filter(|&other| other != node).collect();
        let best = |score: &Bic| {
            score.best(node, &others, &NodeSet::default(), &mut Scratch::default(), &Run::default()).unwrap()
        };
        let (expected, found) = (best(&near), best(&far));
        assert_eq!(found.parents, expected.parents);
        assert!((found.score - expected.score - 300.0 * unit(node).ln()).abs() < 1e-6);
        assert!((far.cost(node, &found.parents) - found.score).abs() < 1e-9);
        let weights =
            (near.weights(node, &found.parents).unwrap(), far.weights(node, &found.parents).unwrap());
        for ((near, far), parent) in weights.0.iter().zip(&weights.1).zip(&found.parents) {
            assert!((far * unit(parent) / unit(node) / near - 1.0).abs() < 1e-9);
        }
    }
}

/// `½(G_ii − 2g·w + wᵀGw)` and the correlations `g − Gw`, over all nodes, the node's own weight being zero.
fn smooth_part(gram: &Gram, node: usize, w: &[f64], correlations: &mut [f64]) -> f64 {
    let d = gram.nodes();
    let mut value = gram.entry(node, node);
    for j in 0..d {
        let fitted: f64 = (0..d).map(|k| gram.entry(j, k) * w[k]).sum();
        correlations[j] = gram.entry(node, j) - fitted;
        value -= w[j] * (gram.entry(node, j) + correlations[j]);
    }
    0.5 * value
}

/// Accelerated proximal gradient with restarts, until the duality gap is below 1e-10 of the start. The objective and
/// whether the gap was reached.
fn proximal_gradient(gram: &Gram, node: usize, allowed: &NodeSet, lambda: f64) -> (f64, bool) {
    let d = gram.nodes();
    // The trace bounds the largest eigenvalue.
    let step = 1.0 / allowed.iter().map(|j| gram.entry(j, j)).sum::<f64>().max(1e-12);
    let (mut w, mut ahead, mut c) = (vec![0.0; d], vec![0.0; d], vec![0.0; d]);
    let mut momentum: f64 = 1.0;
    let mut best = f64::INFINITY;
    let start = gram.entry(node, node);
    for iteration in 0..40_000 {
        smooth_part(gram, node, &ahead, &mut c);
        let mut backwards = 0.0;
        let next_momentum = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        for j in allowed {
            let moved = ahead[j] + step * c[j];
            let next = moved.signum() * (moved.abs() - step * lambda).max(0.0);
            backwards += (ahead[j] - next) * (next - w[j]);
            ahead[j] = next + (momentum - 1.0) / next_momentum * (next - w[j]);
            w[j] = next;
        }
        momentum = next_momentum;
        if backwards > 0.0 {
            momentum = 1.0;
            ahead.copy_from_slice(&w);
        }
        if iteration % 20 == 0 {
            let half_square = smooth_part(gram, node, &w, &mut c);
            let norm: f64 = w.iter().map(|x| x.abs()).sum();
            let primal = half_square + lambda * norm;
            best = best.min(primal);
            let largest = allowed.iter().map(|j| c[j].abs()).fold(0.0, f64::max);
            let scale = if largest > lambda { lambda / largest } else { 1.0 };
            let along = start - (0..d).map(|j| w[j] * gram.entry(node, j)).sum::<f64>();
            let dual = scale * along - scale * scale * half_square;
            if primal - dual < 1e-10 * start {
                return (best, true);
            }
        }
    }
    (best, false)
}

#[test]
fn lasso_agrees_with_proximal_gradient_and_satisfies_its_optimality_conditions() {
    let mut rng = Rng::new(1);
    let mut scratch = Scratch::default();
    let (mut converged, mut worst_violation, mut worst_gap) = (0, 0.0_f64, 0.0_f64);
    let problems = 10_000;
    for problem in 0..problems {
        let d = 2 + rng.below(9);
        let data = awkward_data(&mut rng, problem % 5, d);
        let gram = Arc::new(Gram::from_rows(&data, d, Centering::Center).unwrap());
        let node = rng.below(d);
        let allowed: NodeSet = (0..d).filter(|&j| j != node && rng.uniform() < 0.8).collect();
        let largest = allowed.iter().map(|j| gram.entry(node, j).abs()).fold(1e-3, f64::max);
        let lambda = largest * 10_f64.powf(-3.0 * rng.uniform());
        let settings = ScoreSettings { lambda, ..ScoreSettings::default() };
        let score = L1::new(Arc::clone(&gram), &settings).unwrap();
        let choice = score.best(node, &allowed, &NodeSet::default(), &mut scratch, &Run::default()).unwrap();
        assert!(choice.parents.is_subset(&allowed));

        let mut weights = vec![0.0; d];
        for (parent, weight) in choice.parents.iter().zip(score.weights(node, &choice.parents).unwrap()) {
            assert!(weight != 0.0);
            weights[parent] = weight;
        }
        let mut c = vec![0.0; d];
        let half_square = smooth_part(&gram, node, &weights, &mut c);
        let objective = half_square + lambda * weights.iter().map(|w| w.abs()).sum::<f64>();
        assert!((objective - choice.score).abs() < 1e-12 * (1.0 + gram.entry(node, node)));
        for j in &allowed {
            let violation = if weights[j] == 0.0 {
                c[j].abs() - lambda
            } else {
                (c[j] - lambda * weights[j].signum()).abs()
            };
            worst_violation = worst_violation.max(violation);
        }

        let (reference, reached) = proximal_gradient(&gram, node, &allowed, lambda);
        converged += usize::from(reached);
        let gap = (choice.score - reference) / gram.entry(node, node);
        assert!(gap < 1e-12, "problem {problem}: worse than proximal gradient by {gap:e}");
        if reached {
            worst_gap = worst_gap.max(-gap);
        }
    }
    assert!(worst_violation < 1e-8, "optimality conditions violated by {worst_violation:e}");
    assert!(worst_gap < 1e-10, "proximal gradient ends {worst_gap:e} above");
    assert!(converged > problems * 9 / 10, "only {converged} of {problems} references converged");
}

/// Residual variance by elimination with pivoting on the normal equations, an implementation of its own.
fn residual_variance(gram: &Gram, node: usize, parents: &[usize]) -> f64 {
    let mut all = parents.to_vec();
    all.push(node);
    let size = all.len();
    let mut matrix: Vec<Vec<f64>> =
        all.iter().map(|&i| all.iter().map(|&j| gram.entry(i, j)).collect()).collect();
    let mut open: Vec<usize> = (0..size - 1).collect();
    while let Some((at, &pivot)) = open.iter().enumerate().max_by(|a, b| {
        let share = |p: usize| matrix[p][p] / gram.entry(all[p], all[p]);
        share(*a.1).total_cmp(&share(*b.1))
    }) {
        if matrix[pivot][pivot] < 1e-10 * gram.entry(all[pivot], all[pivot]) {
            break;
        }
        open.remove(at);
        let row = matrix[pivot].clone();
        for i in (0..size).filter(|&i| i != pivot) {
            let factor = matrix[i][pivot] / row[pivot];
            for j in 0..size {
                matrix[i][j] -= factor * row[j];
            }
        }
    }
    matrix[size - 1][size - 1]
}

fn brute_force(allowed: &NodeSet, cost: impl Fn(&[usize]) -> f64) -> f64 {
    let members: Vec<usize> = allowed.iter().collect();
    (0..1_usize << members.len())
        .map(|bits| {
            let chosen: Vec<usize> =
                (0..members.len()).filter(|&at| bits >> at & 1 == 1).map(|at| members[at]).collect();
            cost(&chosen)
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn branch_and_bound_finds_the_best_of_all_sets() {
    let mut rng = Rng::new(2);
    let mut scratch = Scratch::default();
    for problem in 0..400 {
        let d = 2 + rng.below(8);
        let data = awkward_data(&mut rng, problem % 5, d);
        let gram = Arc::new(Gram::from_rows(&data, d, Centering::Center).unwrap());
        let rows = gram.rows() as f64;
        let node = rng.below(d);
        let allowed: NodeSet = (0..d).filter(|&j| j != node && rng.uniform() < 0.9).collect();
        let factor = 0.05 + rng.uniform();
        let settings = ScoreSettings {
            penalty_factor: Some(factor),
            noise_variance: Some(1.0),
            subset_search: SubsetSearch::BranchAndBound,
            ..ScoreSettings::default()
        };
        let floor = 1e-12 * gram.entry(node, node);
        let ev = EvL0::new(Arc::clone(&gram), &settings)
            .unwrap()
            .best(node, &allowed, &NodeSet::default(), &mut scratch, &Run::default())
            .unwrap();
        let expected = brute_force(&allowed, |set| {
            0.5 * residual_variance(&gram, node, set).max(floor)
                + factor * rows.ln() / rows * set.len() as f64
        });
        assert!((ev.score - expected).abs() < 1e-9, "problem {problem}: {} {expected}", ev.score);
        assert_eq!(ev.witness, ev.parents);
        // With fewer rows than nodes a perfect fit has a BIC of minus infinity up to rounding: nothing to compare.
        let fits =
            brute_force(&allowed, |set| residual_variance(&gram, node, set)) < 1e-6 * gram.entry(node, node);
        if !fits {
            let bic = Bic::new(Arc::clone(&gram), &settings)
                .unwrap()
                .best(node, &allowed, &NodeSet::default(), &mut scratch, &Run::default())
                .unwrap();
            let expected = brute_force(&allowed, |set| {
                0.5 * rows * residual_variance(&gram, node, set).ln()
                    + factor * 0.5 * rows.ln() * set.len() as f64
            });
            assert!((bic.score - expected).abs() < 1e-6, "problem {problem}: {} {expected}", bic.score);
        }
    }
}

fn all_scores(gram: &Arc<Gram>, search: SubsetSearch) -> Vec<Arc<dyn LocalScore>> {
    let settings = ScoreSettings { subset_search: search, ..ScoreSettings::default() };
    let served = SCORES.iter().filter(|entry| gram.number_rows().is_some() || !entry.needs_rows);
    served.map(|entry| score_by_name(entry.name, Arc::clone(gram), &settings).unwrap()).collect()
}

#[test]
fn forbidding_what_the_answer_does_not_rest_on_changes_nothing() {
    let mut rng = Rng::new(3);
    let mut scratch = Scratch::default();
    for seed in 0..6 {
        let d = 12;
        let sem = sem(d, if seed % 2 == 0 { 1.0 } else { 4.0 }, 300, seed);
        let gram = Arc::new(Gram::from_rows(&sem.data, d, Centering::Center).unwrap());
        for search in [SubsetSearch::GrowShrink, SubsetSearch::BranchAndBound] {
            for score in all_scores(&gram, search) {
                for _ in 0..300 {
                    let node = rng.below(d);
                    let allowed: NodeSet = (0..d).filter(|&j| j != node && rng.uniform() < 0.8).collect();
                    let choice = score
                        .best(node, &allowed, &NodeSet::default(), &mut scratch, &Run::default())
                        .unwrap();
                    assert!(choice.parents.is_subset(&choice.witness) && choice.witness.is_subset(&allowed));
                    let fewer: NodeSet = allowed
                        .iter()
                        .filter(|&j| choice.witness.contains(j) || rng.uniform() < 0.5)
                        .collect();
                    let again =
                        score.best(node, &fewer, &NodeSet::default(), &mut scratch, &Run::default()).unwrap();
                    assert_eq!(choice.score.to_bits(), again.score.to_bits());
                    assert_eq!(choice, again);
                }
            }
        }
    }
}

/// Share of queries with a suboptimal answer, and the mean of (found − optimum) in prices of one parent over all queries.
fn grow_shrink_gap(name: &str, degree: f64, along_true_order: bool) -> (f64, f64) {
    let mut rng = Rng::new(4);
    let mut scratch = Scratch::default();
    let (mut queries, mut worse, mut gap) = (0, 0, 0.0);
    for seed in 0..10 {
        let d = 16;
        let sem = sem(d, degree, 1000, 50 + seed);
        let gram = Arc::new(Gram::from_rows(&sem.data, d, Centering::Center).unwrap());
        let settings = ScoreSettings {
            penalty_factor: Some(1.0),
            noise_variance: Some(1.0),
            ..ScoreSettings::default()
        };
        let greedy = score_by_name(name, gram, &settings).unwrap();
        let price = if name == "bic" { 0.5 * 1000_f64.ln() } else { 1000_f64.ln() / 1000.0 };
        let exact = greedy.exact().unwrap();
        for _ in 0..100 {
            let order = if along_true_order { sem.order.clone() } else { rng.permutation(d) };
            let rank = rng.below(d);
            let allowed: NodeSet = order[..rank].iter().copied().collect();
            let found = greedy
                .best(order[rank], &allowed, &NodeSet::default(), &mut scratch, &Run::default())
                .unwrap()
                .score;
            let optimum = exact
                .best(order[rank], &allowed, &NodeSet::default(), &mut scratch, &Run::default())
                .unwrap()
                .score;
            assert!(found > optimum - 1e-6 * price);
            queries += 1;
            if found > optimum + 1e-6 * price {
                worse += 1;
                gap += (found - optimum) / price;
            }
        }
    }
    (f64::from(worse) / f64::from(queries), gap / f64::from(queries))
}

#[test]
fn grow_shrink_is_close_to_the_optimum() {
    // Sets from random orders of a dense graph are the hard case: all the causes of a node hide behind its effects.
    for (name, degree, along_true_order, most_worse, most_gap) in [
        ("ev-l0", 1.0, false, 0.01, 0.01),
        ("ev-l0", 4.0, false, 0.15, 0.2),
        ("ev-l0", 4.0, true, 0.01, 0.01),
        ("bic", 4.0, false, 0.05, 0.1),
        ("bic", 4.0, true, 0.01, 0.01),
    ] {
        let (worse, gap) = grow_shrink_gap(name, degree, along_true_order);
        assert!(
            worse <= most_worse,
            "{name} {degree} {along_true_order}: {worse} of the answers are not optimal"
        );
        assert!(gap <= most_gap, "{name} {degree} {along_true_order}: mean gap {gap} prices of a parent");
    }
}

#[test]
fn weights_are_those_of_the_model() {
    let d = 8;
    let sem = sem(d, 1.0, 2000, 9);
    let gram = Arc::new(Gram::from_rows(&sem.data, d, Centering::Center).unwrap());
    let parents: Vec<NodeSet> =
        (0..d).map(|j| (0..d).filter(|i| sem.weights[i * d + j] != 0.0).collect()).collect();
    let score = EvL0::new(Arc::clone(&gram), &ScoreSettings::default()).unwrap();
    let weights = fit_weights(&score, &parents).unwrap().unwrap();
    for (fitted, truth) in weights.iter().zip(&sem.weights) {
        assert!((fitted - truth).abs() < 0.15, "{fitted} {truth}");
        assert_eq!(*fitted == 0.0, *truth == 0.0);
    }
    let lasso = L1::new(Arc::clone(&gram), &ScoreSettings::default()).unwrap();
    let weights = fit_weights(&lasso, &parents).unwrap().unwrap();
    let mut scratch = Scratch::default();
    let local: f64 = (0..d)
        .map(|j| {
            lasso.best(j, &parents[j], &NodeSet::default(), &mut scratch, &Run::default()).unwrap().score
        })
        .sum();
    assert!((gram.q(&weights, L1::DEFAULT_LAMBDA).unwrap() - local).abs() < 1e-10 * local);
}

#[test]
fn noise_variance_is_estimated_within_a_tenth() {
    for (d, degree) in [(10, 1.0), (10, 4.0), (50, 1.0), (50, 4.0)] {
        for seed in 0..5 {
            let sem = sem(d, degree, 1000, 200 + seed);
            let gram = Arc::new(Gram::from_rows(&sem.data, d, Centering::Center).unwrap());
            let estimate = EvL0::new(gram, &ScoreSettings::default()).unwrap().noise_variance();
            assert!((estimate - 1.0).abs() < 0.1, "{d} {degree} {seed}: {estimate}");
        }
    }
}

#[test]
fn degenerate_columns_are_survived() {
    // A constant column, two equal ones, and more columns than rows.
    let rows =
        [[1.0, 2.0, 2.0, 5.0, 0.1, 0.3], [2.0, 1.0, 1.0, 5.0, 0.7, 0.2], [0.5, 3.0, 3.0, 5.0, 0.4, 0.9]];
    let gram = Arc::new(Gram::from_rows(rows.as_flattened(), 6, Centering::Center).unwrap());
    let mut scratch = Scratch::default();
    for search in [SubsetSearch::GrowShrink, SubsetSearch::BranchAndBound] {
        for score in all_scores(&gram, search) {
            for node in 0..6 {
                let allowed: NodeSet = (0..6).filter(|&j| j != node).collect();
                let choice =
                    score.best(node, &allowed, &NodeSet::default(), &mut scratch, &Run::default()).unwrap();
                assert!(choice.score.is_finite() && choice.parents.is_subset(&allowed));
                assert!(score.weights(node, &choice.parents).unwrap().iter().all(|w| w.is_finite()));
            }
        }
    }
}
