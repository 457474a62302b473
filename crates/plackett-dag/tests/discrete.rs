//! Scores of categorical data and the best parents under an order, against brute force with counts of its own.

mod common;

use std::collections::HashMap;
use std::ops::ControlFlow;

use common::Rng;
use plackett_dag::{
    Bdeu, Candidates, Categories, DiscreteBic, FamilyScore, K2, Keep, LocalScore, NodeSet, ParentSets, Qnml,
    Reach, Scratch, SizePrior,
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
    let plain = ParentSets::build(data, score, candidates).unwrap();
    let full =
        ParentSets::build_with(data, score, candidates, Keep::All(prior), &|_| ControlFlow::Continue(()))
            .unwrap();
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
            let found = plain.best(node, &allowed, &mut Scratch::default());
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
            assert_eq!(full.best(node, &allowed, &mut Scratch::default()), found);

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
    let neighbours: Vec<NodeSet> = [vec![1, 3], vec![0, 2, 4], vec![], vec![0, 1, 4, 5], vec![5], vec![1]]
        .map(NodeSet::from_iter)
        .into();
    for rows in [1, 2, 40, 300] {
        let data = random_data(rows, &arities, &mut rng);
        for (name, score) in &scores() {
            for reach in [Reach::Core, Reach::PlusOne] {
                for max_parents in [0, 1, 2, 6] {
                    let mut candidates = Candidates::from_neighbours(neighbours.clone()).unwrap();
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
