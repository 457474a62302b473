//! Searches over orders against enumeration of all orders.

#[path = "common/mod.rs"]
mod testing;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plackett::run::{Limits, Run};
use plackett_dag::score::{Choice, SCORES, ScoreSettings, Scratch, SubsetSearch, score_by_name};
use plackett_dag::{
    Dag, Error, Gram, Learning, LocalScore, NodeSet, Observations, Oracle,
    gram::Centering,
    metrics::shd_cpdag,
    score::L1,
    search::{Exact, Expectation, Insertion, LocalTable},
};
use testing::{Rng, Sem, sem};

fn gram_of(sem: &Sem) -> Arc<Gram> {
    Arc::new(Gram::from_rows(&sem.data, sem.nodes, Centering::Center).unwrap())
}

fn scores(nodes: usize, degree: f64, seed: u64, search: SubsetSearch) -> Vec<Arc<dyn LocalScore>> {
    let gram = gram_of(&sem(nodes, degree, 500, seed));
    let settings = ScoreSettings { subset_search: search, ..ScoreSettings::default() };
    let named = SCORES.iter().filter(|entry| !entry.needs_rows);
    named.map(|entry| score_by_name(entry.name, Arc::clone(&gram), &settings).unwrap()).collect()
}

/// Calls `visit` with every order, by Heap's algorithm.
fn for_each_order(nodes: usize, mut visit: impl FnMut(&[usize])) {
    let mut order: Vec<usize> = (0..nodes).collect();
    let mut counts = vec![0; nodes];
    visit(&order);
    let mut at = 0;
    while at < nodes {
        if counts[at] < at {
            order.swap(if at % 2 == 0 { 0 } else { counts[at] }, at);
            visit(&order);
            counts[at] += 1;
            at = 0;
        } else {
            counts[at] = 0;
            at += 1;
        }
    }
}

/// A score that finds every graph infinitely bad.
struct Hopeless;

impl LocalScore for Hopeless {
    fn name(&self) -> &'static str {
        "hopeless"
    }

    fn nodes(&self) -> usize {
        4
    }

    fn best(
        &self,
        _: usize,
        _: &NodeSet,
        required: &NodeSet,
        _: &mut Scratch,
        _: &Run<'_>,
    ) -> Option<Choice> {
        Some(Choice { score: f64::INFINITY, parents: required.clone(), witness: required.clone() })
    }
}

#[test]
fn what_is_best_of_all_is_an_order_even_if_none_is_any_good() {
    let found = Exact::default().run(Arc::new(Hopeless), &Run::default()).unwrap().unwrap();
    let mut items = found.order;
    items.sort_unstable();
    assert_eq!(items, [0, 1, 2, 3]);
}

/// With fewer rows than columns everything seems to explain everything; a graph of that would be worse than none.
#[test]
fn few_rows_give_a_graph_that_is_hardly_worse_than_none() {
    for (nodes, rows) in [(20, 5), (20, 12), (20, 20), (50, 30)] {
        let (mut wrong, mut edges) = (0, 0);
        for seed in 0..4 {
            let sem = sem(nodes, 1.0, rows, seed);
            let truth = Dag::from_adjacency(nodes, &sem.weights).unwrap();
            let gram = Gram::from_rows(&sem.data, nodes, Centering::Standardize).unwrap();
            let found =
                Learning::default().run(&Observations::Numbers(gram.into()), &Run::default()).unwrap();
            wrong += shd_cpdag(&truth, &found.dag).unwrap();
            edges += truth.edge_count();
        }
        // Columns that depend on each other through a third one pass for neighbors in so few rows: about as often as true edges are found.
        assert!(10 * wrong <= 11 * edges, "{rows} rows of {nodes} columns: {wrong} wrong, {edges} edges");
    }
}

#[test]
fn exact_search_equals_enumeration_of_all_orders() {
    for (nodes, degree, seed) in [(1, 0.0, 0), (5, 1.0, 1), (7, 1.0, 2), (7, 3.0, 3)] {
        for score in scores(nodes, degree, seed, SubsetSearch::BranchAndBound) {
            let mut oracle = Oracle::new(Arc::clone(&score));
            let mut least = f64::INFINITY;
            for_each_order(nodes, |order| {
                least = least.min(oracle.order_score(order, &Run::default()).unwrap().unwrap());
            });
            let exact = Exact::default().run(Arc::clone(&score), &Run::default()).unwrap().unwrap();
            assert!((exact.score - least).abs() <= 1e-12 * least.abs(), "{} {least}", exact.score);
            assert_eq!(
                oracle.order_score(&exact.order, &Run::default()).unwrap().unwrap().to_bits(),
                exact.score.to_bits()
            );
            assert_eq!(oracle.order_parents(&exact.order, &Run::default()).unwrap().unwrap(), exact.parents);
        }
    }
}

#[test]
fn tables_hold_what_the_score_answers() {
    let nodes = 9;
    for search in [SubsetSearch::GrowShrink, SubsetSearch::BranchAndBound] {
        for score in scores(nodes, 3.0, 4, search) {
            let table = LocalTable::new(score.as_ref(), 1 << 20, &Run::default()).unwrap().unwrap();
            let mut scratch = Scratch::default();
            for node in 0..nodes {
                for set in (0..1_u64 << nodes).filter(|set| set >> node & 1 == 0) {
                    let allowed: NodeSet = (0..nodes).filter(|&j| set >> j & 1 == 1).collect();
                    let expected = score
                        .best(node, &allowed, &NodeSet::default(), &mut scratch, &Run::default())
                        .unwrap()
                        .score;
                    assert_eq!(table.get(node, set).to_bits(), expected.to_bits());
                }
            }
        }
    }
}

#[test]
fn exact_search_does_not_depend_on_threads_and_says_what_it_needs() {
    for score in scores(11, 3.0, 6, SubsetSearch::GrowShrink) {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Exact::default().run(Arc::clone(&score), &Run::default()).unwrap().unwrap())
        };
        assert_eq!(with(1), with(3));
        let needed = Exact::bytes_needed(11);
        let refused = Exact { memory_bytes: needed as usize - 1 }.run(Arc::clone(&score), &Run::default());
        assert!(
            matches!(refused, Err(Error::Memory { nodes: 11, needed_bytes, .. }) if needed_bytes == needed)
        );
    }
}

#[test]
fn insertion_is_never_worse_than_its_start_and_repeats_itself() {
    let mut rng = Rng::new(21);
    let nodes = 14;
    for score in scores(nodes, 2.0, 7, SubsetSearch::GrowShrink) {
        let mut oracle = Oracle::new(Arc::clone(&score));
        for kicks in [0, 5] {
            let search = Insertion { starts: Some(2), kicks: Some(kicks), seed: 3 };
            for _ in 0..20 {
                let start = rng.permutation(nodes);
                let before = oracle.order_score(&start, &Run::default()).unwrap().unwrap();
                let found = search.improve(&mut oracle, &start, &Run::default()).unwrap();
                assert!(found.score <= before);
                assert_eq!(
                    found,
                    search
                        .improve(&mut Oracle::with_memory(Arc::clone(&score), 0), &start, &Run::default())
                        .unwrap()
                );
            }
            assert_eq!(
                search.run(&mut oracle, &Run::default()),
                search.run(&mut Oracle::new(Arc::clone(&score)), &Run::default())
            );
        }
        assert!(Insertion::default().improve(&mut oracle, &[0, 0], &Run::default()).is_err());
    }
}

#[test]
fn insertion_reaches_the_exact_optimum_of_the_paper_score() {
    for (nodes, degree) in [(10, 1.0), (10, 4.0), (14, 4.0)] {
        for seed in 0..5 {
            let gram = gram_of(&sem(nodes, degree, 1000, 100 + seed));
            let score = Arc::new(L1::new(gram, &ScoreSettings::default()).unwrap());
            let exact = Exact::default().run(score.clone(), &Run::default()).unwrap().unwrap();
            let found = Insertion::default().run(&mut Oracle::new(score), &Run::default());
            assert!((found.score - exact.score).abs() < 1e-9, "{nodes} {degree} {seed}");
        }
    }
}

#[test]
fn the_equal_variance_score_recovers_the_graph() {
    for (nodes, degree) in [(10, 1.0), (10, 4.0), (20, 1.0), (20, 4.0)] {
        for seed in 0..5 {
            let sem = sem(nodes, degree, 1000, 100 + seed);
            let score = score_by_name("ev-l0", gram_of(&sem), &ScoreSettings::default()).unwrap();
            let found = Insertion { starts: Some(2), kicks: Some(5), seed }
                .run(&mut Oracle::new(score), &Run::default());
            for from in 0..nodes {
                for to in 0..nodes {
                    let edge = sem.weights[from * nodes + to] != 0.0;
                    assert_eq!(
                        found.parents[to].contains(from),
                        edge,
                        "{nodes} {degree} {seed}: {from} -> {to}"
                    );
                }
            }
        }
    }
}

#[test]
fn expectation_equals_enumeration_and_its_gradient_finite_differences() {
    let nodes = 6;
    let mut rng = Rng::new(23);
    for score in scores(nodes, 2.0, 8, SubsetSearch::GrowShrink) {
        let table = LocalTable::new(score.as_ref(), 1 << 20, &Run::default()).unwrap().unwrap();
        let mut oracle = Oracle::new(Arc::clone(&score));
        for spread in [0.5, 3.0] {
            let theta: Vec<f64> = (0..nodes).map(|_| spread * (2.0 * rng.uniform() - 1.0)).collect();
            let found = Expectation::new(&table, &theta, &Run::default()).unwrap().unwrap();
            let mut value = 0.0;
            for_each_order(nodes, |order| {
                let mut probability = 1.0;
                for rank in 0..nodes {
                    let left: f64 = order[rank..].iter().map(|&node| theta[node].exp()).sum();
                    probability *= theta[order[rank]].exp() / left;
                }
                value += probability * oracle.order_score(order, &Run::default()).unwrap().unwrap();
            });
            assert!((found.value - value).abs() < 1e-11 * value.abs());
            for node in 0..nodes {
                let at = |step: f64| {
                    let mut moved = theta.clone();
                    moved[node] += step;
                    Expectation::new(&table, &moved, &Run::default()).unwrap().unwrap().value
                };
                let difference = (at(1e-4) - at(-1e-4)) / 2e-4;
                assert!((found.gradient[node] - difference).abs() < 1e-6 * (1.0 + value.abs()));
            }
            assert!(
                found.gradient.iter().sum::<f64>().abs() < 1e-9 * value.abs(),
                "a common shift changes nothing"
            );
        }
        let extreme: Vec<f64> = (0..nodes).map(|node| 1000.0 * (node as f64 - 2.0)).collect();
        let found = Expectation::new(&table, &extreme, &Run::default()).unwrap().unwrap();
        let order: Vec<usize> = (0..nodes).rev().collect();
        assert!(
            (found.value - oracle.order_score(&order, &Run::default()).unwrap().unwrap()).abs()
                < 1e-9 * found.value.abs()
        );
        assert!(found.gradient.iter().all(|slope| slope.abs() < 1e-9));
    }
}

#[test]
fn moves_that_take_back_each_others_gains_come_to_an_end() {
    // Few rows and a low price: on the set of seed 71 moves of the first approach followed each other for ever.
    for seed in 70..73 {
        let Sem { nodes, data, .. } = sem(20, 1.0, 60, seed);
        let gram = Arc::new(Gram::from_rows(&data, nodes, Centering::Standardize).unwrap());
        let settings = ScoreSettings { penalty_factor: Some(0.8), ..ScoreSettings::default() };
        let mut oracle = Oracle::new(score_by_name("bic", gram, &settings).unwrap());
        // Each look at the clock takes a second.
        let looks = AtomicU64::new(0);
        let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
        let run = Run::by(&clock, Limits::time(Duration::from_secs(100_000)));
        Insertion { starts: Some(1), kicks: Some(0), seed: 0 }.run(&mut oracle, &run);
        assert_eq!(run.ending(), None, "{seed}");
    }
}

#[test]
fn whenever_it_is_cut_short_the_order_is_no_worse_than_the_first() {
    let gram = gram_of(&sem(25, 3.0, 200, 5));
    for name in ["bic", "ev-l0"] {
        let score = score_by_name(name, Arc::clone(&gram), &ScoreSettings::default()).unwrap();
        let mut oracle = Oracle::new(Arc::clone(&score));
        let first_order = &score.first_orders(&Run::default())[0];
        let first = oracle.order_score(first_order, &Run::default()).unwrap().unwrap();
        // Each look at the clock takes a second.
        let looks = AtomicU64::new(0);
        let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
        let search = |most: u64| {
            looks.store(0, Ordering::Relaxed);
            let run = Run::by(&clock, Limits::time(Duration::from_secs(most)));
            let insertion = Insertion { starts: Some(1), kicks: Some(3), seed: 1 };
            insertion.run(&mut Oracle::new(Arc::clone(&score)), &run).score
        };
        let (nothing, whole) = (search(0), search(u64::MAX));
        let all = looks.load(Ordering::Relaxed);
        assert!(nothing > first && first > whole, "{nothing} {first} {whole}");
        for part in 1..=100 {
            let found = search(part * all / 100);
            // To find that order and its parents, nodes are looked at a few times each.
            let most = if part * all / 100 < 8 * score.nodes() as u64 { nothing } else { first };
            assert!(found <= most && found >= whole - 1e-9 * whole.abs(), "{name} {part}: {found} of {most}");
        }
    }
}
