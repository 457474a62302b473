//! Scores of categorical data and the best parents under an order, against brute force with counts of its own.

mod common;

use std::collections::HashMap;

use common::Rng;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plackett::run::{Limits, Run};
use plackett_dag::{
    Categories, Dag, Error, LocalScore, NodeSet, Oracle,
    parent_sets::{Candidates, Keep, ParentSets, Reach, SizePrior},
    score::{Bdeu, DiscreteBic, FamilyScore, K2, Qnml, Scratch, graph_cost},
};

/// Columns of the given arities in which each but the first depends on one or two before it.
fn random_data(rows: usize, arities: &[usize], rng: &mut Rng) -> Categories {
    let mut columns: Vec<Vec<u8>> = Vec::new();
    for (column, &arity) in arities.iter().enumerate() {
        let codes = (0..rows).map(|row| {
            if column > 0 && rng.uniform() < 0.6 {
                let first = usize::from(columns[column * 7 % column.max(1)][row]);
                let second = usize::from(columns[(column * 3 + 1) % column][row]);
                ((first + 2 * second) % arity) as u8
            } else {
                rng.below(arity) as u8
            }
        });
        let codes = codes.collect();
        columns.push(codes);
    }
    named(arities, columns)
}

fn named(arities: &[usize], columns: Vec<Vec<u8>>) -> Categories {
    let names = (0..arities.len()).map(|column| format!("x{column}")).collect();
    let levels = arities.iter().map(|&arity| (0..arity).map(|code| code.to_string()).collect()).collect();
    Categories::new(names, levels, columns).expect("codes below the arities")
}

/// log Γ(a + count) − log Γ(a), factor by factor.
fn rising(a: f64, count: usize) -> f64 {
    (0..count).map(|i| (a + i as f64).ln()).sum()
}

/// log C(N, K) by the recursion, scaled to stay finite, and C(N, 2) by its sum with products for binomials.
fn regret(rows: usize, categories: usize) -> f64 {
    let n = rows as f64;
    let mut two = 0.0;
    for h in 0..=rows {
        let (a, b) = (h as f64, (rows - h) as f64);
        let choose: f64 = (0..h).map(|i| ((n - i as f64) / (i as f64 + 1.0)).ln()).sum();
        let power = |x: f64| if x > 0.0 { x * (x / n).ln() } else { 0.0 };
        two += (choose + power(a) + power(b)).exp();
    }
    let (mut before, mut last, mut scale) = (1.0_f64, two, 0.0);
    if categories == 1 {
        return 0.0;
    }
    for k in 1..categories - 1 {
        let next = last + n / k as f64 * before;
        (before, last) = (last / next, 1.0);
        scale += next.ln();
    }
    scale + last.ln()
}

type Cells = HashMap<Vec<u8>, HashMap<u8, usize>>;

/// The cost of a family from its definition.
fn family_cost(score: &str, data: &Categories, node: usize, parents: &[usize]) -> f64 {
    let n = data.row_count();
    let r = data.arity(node);
    let q: usize = parents.iter().map(|&parent| data.arity(parent)).product();
    let mut cells = Cells::new();
    for row in 0..n {
        let key = parents.iter().map(|&parent| data.column(parent)[row]).collect();
        *cells.entry(key).or_default().entry(data.column(node)[row]).or_default() += 1;
    }
    let mut log_score = 0.0;
    for values in cells.values() {
        let group: usize = values.values().sum();
        for &count in values.values() {
            log_score += match score {
                "k2" => rising(1.0, count),
                "bdeu" => rising(1.0 / (q * r) as f64, count),
                _ => count as f64 * (count as f64 / group as f64).ln(),
            };
        }
        log_score -= match score {
            "k2" => rising(r as f64, group),
            "bdeu" => rising(1.0 / q as f64, group),
            _ => 0.0,
        };
    }
    match score {
        "bic" => 0.5 * (n as f64).ln() * ((r - 1) * q) as f64 - log_score,
        "qnml" => regret(n, q * r) - regret(n, q) - log_score,
        _ => -log_score,
    }
}

fn scores() -> [(&'static str, Box<dyn FamilyScore>); 4] {
    [
        ("qnml", Box::new(Qnml)),
        ("bdeu", Box::new(Bdeu::default())),
        ("bic", Box::new(DiscreteBic)),
        ("k2", Box::new(K2)),
    ]
}

fn subsets(of: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..1_usize << of.len()).map(|mask| {
        of.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, &node)| node).collect()
    })
}

/// Whether a parent set belongs to the search space.
fn in_space(candidates: &Candidates, node: usize, set: &[usize]) -> bool {
    let outside = set.iter().filter(|&&parent| !candidates.core(node).contains(parent)).count();
    set.len() <= candidates.max_parents && outside <= usize::from(candidates.reach == Reach::PlusOne)
}

/// Compares with brute force: the best parents and the sums, for every node and every allowed set.
fn check(data: &Categories, candidates: &Candidates, name: &str, score: &dyn FamilyScore, prior: SizePrior) {
    let d = data.columns();
    let plain = ParentSets::build(data, score, candidates, Keep::Best, &Run::default()).unwrap().unwrap();
    let full =
        ParentSets::build(data, score, candidates, Keep::All(prior), &Run::default()).unwrap().unwrap();
    let sums = full.sums().unwrap();
    let binomial = |k: usize| (0..k).fold(1.0, |value, i| value * (d - 1 - i) as f64 / (i + 1) as f64);
    for node in 0..d {
        let others: Vec<usize> = (0..d).filter(|&other| other != node).collect();
        let space: Vec<(Vec<usize>, f64)> = subsets(&others)
            .filter(|set| in_space(candidates, node, set))
            .map(|set| {
                let cost = family_cost(name, data, node, &set);
                (set, cost)
            })
            .collect();
        for allowed in subsets(&others) {
            let within: Vec<&(Vec<usize>, f64)> =
                space.iter().filter(|(set, _)| set.iter().all(|parent| allowed.contains(parent))).collect();
            let least = within.iter().map(|(_, cost)| *cost).fold(f64::INFINITY, f64::min);
            let allowed: NodeSet = allowed.into_iter().collect();
            let found = plain
                .best(node, &allowed, &NodeSet::default(), &mut Scratch::default(), &Run::default())
                .unwrap();
            assert!(
                (found.score - least).abs() < 1e-7,
                "{name}, node {node}, {allowed:?}: {found:?} {least}"
            );
            assert!(found.parents.is_subset(&allowed));
            let parents: Vec<usize> = found.parents.iter().collect();
            let own = within.iter().find(|(set, _)| *set == parents).expect("in the space").1;
            assert!((own - least).abs() < 1e-7, "{name}, node {node}, {allowed:?}: {parents:?} costs {own}");
            // Of sets that cost the same, none with a parent too many.
            assert!(within.iter().all(|(set, cost)| (cost - least).abs() > 1e-7
                || set.len() >= parents.len()
                || !set.iter().all(|node| parents.contains(node))));
            assert_eq!(
                full.best(node, &allowed, &NodeSet::default(), &mut Scratch::default(), &Run::default())
                    .unwrap(),
                found
            );

            let weight = |(set, cost): &(Vec<usize>, f64)| {
                let factor = if prior == SizePrior::Even { 1.0 } else { 1.0 / binomial(set.len()) };
                factor * (least - cost).exp()
            };
            let total: f64 = within.iter().map(|entry| weight(entry)).sum();
            assert!((sums.log_sum(node, &allowed) - (total.ln() - least)).abs() < 1e-7);
            let mut shares = vec![f64::NAN; d];
            sums.edge_probabilities(node, &allowed, &mut shares);
            for (parent, share) in shares.into_iter().enumerate() {
                let wanted =
                    within.iter().filter(|(set, _)| set.contains(&parent)).map(|entry| weight(entry));
                assert!((share - wanted.sum::<f64>() / total).abs() < 1e-7);
            }
        }
    }
}

#[test]
fn best_parents_and_sums_under_every_allowed_set() {
    let mut rng = Rng::new(1);
    let arities = [2, 3, 1, 2, 4, 2];
    let neighbors: Vec<NodeSet> = [vec![1, 3], vec![0, 2, 4], vec![], vec![0, 1, 4, 5], vec![5], vec![1]]
        .map(NodeSet::from_iter)
        .into();
    for rows in [1, 2, 40, 300] {
        let data = random_data(rows, &arities, &mut rng);
        for (name, score) in &scores() {
            for reach in [Reach::Core, Reach::PlusOne] {
                for max_parents in [0, 1, 2, 6] {
                    let mut candidates = Candidates::from_neighbors(neighbors.clone()).unwrap();
                    candidates.reach = reach;
                    candidates.max_parents = max_parents;
                    check(&data, &candidates, name, &**score, SizePrior::Even);
                }
            }
            for max_parents in [1, 3, 5] {
                check(&data, &Candidates::all(6, max_parents), name, &**score, SizePrior::EvenSizes);
            }
        }
    }
}

#[test]
fn whole_graphs_cost_the_sum_of_their_families() {
    let mut rng = Rng::new(2);
    let arities = [2, 3, 1, 2, 4];
    let parents = [vec![], vec![0], vec![0, 1], vec![2, 1, 0], vec![3, 2]];
    let dag = Dag::from_parents(parents.to_vec()).unwrap();
    for rows in [1, 17, 400] {
        let data = random_data(rows, &arities, &mut rng);
        for (name, score) in &scores() {
            let wanted: f64 = (0..5).map(|node| family_cost(name, &data, node, &parents[node])).sum();
            let found = graph_cost(&data, &**score, &dag).unwrap();
            assert!((found - wanted).abs() < 1e-7, "{name}, {rows} rows: {found} {wanted}");
        }
    }
    let data = random_data(3, &arities, &mut rng);
    assert!(matches!(graph_cost(&data, &Qnml, &Dag::empty(4)), Err(Error::Size { .. })));
    let none = named(&[2], vec![vec![]]);
    assert!(matches!(graph_cost(&none, &Qnml, &Dag::empty(1)), Err(Error::Empty)));
    assert!(matches!(
        ParentSets::build(&none, &Qnml, &Candidates::all(1, 1), Keep::Best, &Run::default()),
        Err(Error::Empty)
    ));
}

/// Worked by hand: 8 rows, a = 0 0 0 0 1 1 1 1 and b = 0 0 0 1 1 1 1 0, b with parent a: both groups have counts 3 and 1.
#[test]
fn a_family_worked_by_hand() {
    let data = named(&[2, 2], vec![vec![0, 0, 0, 0, 1, 1, 1, 1], vec![0, 0, 0, 1, 1, 1, 1, 0]]);
    let dag = Dag::from_parents(vec![vec![], vec![0]]).unwrap();
    let without = named(&[2], vec![vec![0, 0, 0, 0, 1, 1, 1, 1]]);
    let cost = |score: &dyn FamilyScore| {
        graph_cost(&data, score, &dag).unwrap() - graph_cost(&without, score, &Dag::empty(1)).unwrap()
    };
    let log_likelihood = 2.0 * (3.0 * 0.75_f64.ln() + 0.25_f64.ln());
    // BIC: one free parameter in each of two groups, ½ log 8 each.
    assert!((cost(&DiscreteBic) - (8_f64.ln() - log_likelihood)).abs() < 1e-12);
    // K2: 3!·1!/5! = 1/20 in each group.
    assert!((cost(&K2) - 400_f64.ln()).abs() < 1e-12);
    // BDeu, α = 4: prior counts of 1 a cell and 2 a group, the same 1·2·3·1/(2·3·4·5) = 1/20 as uniform priors.
    assert!((cost(&Bdeu::new(4.0).unwrap()) - 400_f64.ln()).abs() < 1e-12);
    // qNML: C(8, 4)/C(8, 2), where C(8, 2) = Σ 8!/(8−k)!/8^k = 4.245018005371094, C(8, 3) = C(8, 2) + 8·C(8, 1) and
    // C(8, 4) = C(8, 3) + 4·C(8, 2).
    let two: f64 = 4.245_018_005_371_094;
    assert!((cost(&Qnml) - ((5.0 * two + 8.0) / two).ln() + log_likelihood).abs() < 1e-12);
}

#[test]
fn wide_columns_and_many_nodes() {
    let mut rng = Rng::new(3);
    // Two columns of 256 categories, another that follows both, and 67 columns of noise: more than 64 nodes.
    let rows = 600;
    let mut arities = vec![2; 70];
    arities[..3].copy_from_slice(&[256, 256, 2]);
    let mut columns: Vec<Vec<u8>> =
        arities.iter().map(|&arity| (0..rows).map(|_| rng.below(arity) as u8).collect()).collect();
    columns[69] = columns[3].iter().zip(&columns[68]).map(|(a, b)| a ^ b).collect();
    let data = named(&arities, columns);
    for (name, score) in &scores() {
        let mut candidates = Candidates::from_neighbors(
            (0..70)
                .map(|node| match node {
                    69 => NodeSet::from_iter([0, 1, 3]),
                    3 => NodeSet::from_iter([68, 69]),
                    0 => NodeSet::from_iter([1, 2, 69]),
                    _ => NodeSet::default(),
                })
                .collect(),
        )
        .unwrap();
        candidates.max_parents = 3;
        for reach in [Reach::Core, Reach::PlusOne] {
            candidates.reach = reach;
            let sets = ParentSets::build(&data, &**score, &candidates, Keep::Best, &Run::default())
                .unwrap()
                .unwrap();
            let everyone = NodeSet::full(70);
            for node in [0, 3, 69] {
                let core: Vec<usize> = candidates.core(node).iter().collect();
                for set in subsets(&core) {
                    let others: Vec<Option<usize>> = match reach {
                        Reach::Core => vec![None],
                        Reach::PlusOne => [None, Some(68), Some(50), Some(2)].into(),
                    };
                    for other in others.into_iter().filter(|&other| other != Some(node)) {
                        let mut set: NodeSet = set.iter().copied().collect();
                        other.iter().for_each(|&other| set.insert(other));
                        let parents: Vec<usize> = set.iter().collect();
                        if parents.len() > 3 {
                            continue;
                        }
                        let own = family_cost(name, &data, node, &parents);
                        let found = sets
                            .best(node, &set, &NodeSet::default(), &mut Scratch::default(), &Run::default())
                            .unwrap();
                        assert!(found.score < own + 1e-7, "{name}, {node} with {parents:?}");
                        let list: Vec<usize> = found.parents.iter().collect();
                        assert!((family_cost(name, &data, node, &list) - found.score).abs() < 1e-7);
                    }
                }
            }
            let best = sets
                .best(69, &everyone, &NodeSet::default(), &mut Scratch::default(), &Run::default())
                .unwrap()
                .parents;
            assert_eq!(best == NodeSet::from_iter([3, 68]), reach == Reach::PlusOne, "{name}: {best:?}");
            let mut oracle = Oracle::new(std::sync::Arc::new(sets));
            assert!(oracle.order_score(&rng.permutation(70), &Run::default()).unwrap().unwrap().is_finite());
        }
    }
}

#[test]
fn parents_of_more_configurations_than_doubles_can_count() {
    // 200 parents of 256 categories: 2^1600 configurations.
    let mut rng = Rng::new(4);
    let columns: Vec<Vec<u8>> = (0..201).map(|_| (0..50).map(|_| rng.below(256) as u8).collect()).collect();
    let data = named(&[256; 201], columns);
    let mut parents = vec![Vec::new(); 200];
    parents.push((0..200).collect());
    let dag = Dag::from_parents(parents).unwrap();
    for (name, score) in &scores() {
        let cost = graph_cost(&data, &**score, &dag).unwrap()
            - graph_cost(&data, &**score, &Dag::empty(201)).unwrap();
        assert!(cost.is_finite(), "{name}: {cost}");
        if *name == "qnml" {
            // Every row is a configuration of its own, and the regrets differ by N log r.
            let alone = family_cost(name, &data, 200, &[]);
            assert!((cost + alone - 50.0 * 256_f64.ln()).abs() < 1e-6, "{cost} {alone}");
        }
    }
}

#[test]
fn a_build_can_be_watched_and_stopped() {
    let data = random_data(100, &[2; 8], &mut Rng::new(5));
    let mut candidates = Candidates::from_neighbors(vec![NodeSet::from_iter([0, 1]); 8]).unwrap();
    for reach in [Reach::Core, Reach::PlusOne] {
        candidates.reach = reach;
        for candidates in [&candidates, &Candidates::all(8, 3)] {
            let run = Run::default();
            assert!(ParentSets::build(&data, &Qnml, candidates, Keep::Best, &run).unwrap().is_some());
            assert_eq!(run.progress().total, Some(run.progress().done));
            // Each look at the clock takes a second.
            let looks = AtomicU64::new(0);
            let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
            let run = Run::by(&clock, Limits::time(Duration::from_secs(3)));
            assert!(ParentSets::build(&data, &Qnml, candidates, Keep::Best, &run).unwrap().is_none());
        }
    }
    let short = Candidates::all(7, 3);
    assert!(matches!(
        ParentSets::build(&data, &Qnml, &short, Keep::Best, &Run::default()),
        Err(Error::Size { .. })
    ));
}

#[test]
fn too_many_sets_lower_the_limit() {
    let data = random_data(50, &[2; 9], &mut Rng::new(6));
    let mut candidates = Candidates::all(9, 8);
    candidates.max_sets = 1 + 8 + 28;
    let sets = ParentSets::build(&data, &K2, &candidates, Keep::Best, &Run::default()).unwrap().unwrap();
    assert_eq!(sets.lowered_limits(), (0..9).map(|node| (node, 2)).collect::<Vec<_>>());
    assert_eq!(sets.set_count(), 9 * 37);
    assert!((0..9).all(|node| sets.best_sets(node).all(|(_, parents)| parents.len() <= 2)));
    candidates.max_sets = usize::MAX;
    assert!(
        ParentSets::build(&data, &K2, &candidates, Keep::Best, &Run::default())
            .unwrap()
            .unwrap()
            .lowered_limits()
            .is_empty()
    );
}

#[test]
fn threads_do_not_change_what_comes_out() {
    let data = random_data(500, &[2, 3, 2, 4, 2, 3, 2, 2, 3, 2], &mut Rng::new(7));
    let mut plus = Candidates::from_neighbors(vec![NodeSet::from_iter([0, 3, 5]); 10]).unwrap();
    plus.reach = Reach::PlusOne;
    for candidates in [plus, Candidates::all(10, 4)] {
        let build = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let sets = pool
                .install(|| {
                    ParentSets::build(&data, &Bdeu::default(), &candidates, Keep::Best, &Run::default())
                })
                .unwrap()
                .unwrap();
            (0..10).map(|node| sets.best_sets(node).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        assert_eq!(build(1), build(4));
    }
}
