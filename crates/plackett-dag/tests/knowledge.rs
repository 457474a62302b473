//! What is known of a graph is kept: by every method, with every score, on every kind of data, whatever is known.

#![allow(clippy::needless_range_loop, reason = "rows have numbers")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::{Rng, normal};
use plackett::run::{Ending, Limits, Run};
use plackett_dag::{
    Bounds, Categories, Cpdag, Dag, Gram, LearnMethod, Learned, Learning, LocalScore, Mixed, NodeSet,
    Observations, ScoreChoice,
    gram::Centering,
    learning::{CategorySettings, LEARN_METHODS, ParentSpace, SearchSettings},
    mixed::MixedColumn,
    parent_sets::{Candidates, Keep, ParentSets},
    score::{
        DISCRETE_SCORES, DiscreteScoreSettings, MIXED_SCORES, MixedScoreSettings, SCORES, ScoreSettings,
        Scratch, discrete_score_by_name, mixed_score_by_name, score_by_name,
    },
    search::Exact,
};

const ROWS: usize = 120;

/// Columns of which each follows some of those before it.
fn columns(nodes: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = Rng::new(seed);
    let order = rng.permutation(nodes);
    let mut columns = vec![vec![0.0; ROWS]; nodes];
    let weights: Vec<f64> = (0..nodes * nodes)
        .map(|_| if rng.uniform() < 0.5 { 2.0 * rng.uniform() - 1.0 } else { 0.0 })
        .collect();
    for row in 0..ROWS {
        for (rank, &node) in order.iter().enumerate() {
            let before =
                order[..rank].iter().map(|&other| weights[node * nodes + other] * columns[other][row]);
            columns[node][row] = before.sum::<f64>() + normal(&mut rng);
        }
    }
    columns
}

fn codes(column: &[f64]) -> Vec<u8> {
    column.iter().map(|&value| u8::from(value > -0.6) + u8::from(value > 0.6)).collect()
}

fn gram(nodes: usize, seed: u64) -> Arc<Gram> {
    let columns = columns(nodes, seed);
    let rows: Vec<f64> = (0..ROWS).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
    Arc::new(Gram::with_rows(&rows, nodes, Centering::Center).unwrap())
}

fn categories(nodes: usize, seed: u64) -> Arc<Categories> {
    let names = (0..nodes).map(|node| format!("x{node}")).collect();
    let levels = vec![["low", "middle", "high"].map(str::to_owned).to_vec(); nodes];
    let codes = columns(nodes, seed).iter().map(|column| codes(column)).collect();
    Arc::new(Categories::new(names, levels, codes).unwrap())
}

/// Every so many-th column is one of categories, and every so many-th value is missing, if any.
fn mixed(nodes: usize, seed: u64, category: usize, gap: usize) -> Arc<Mixed> {
    let is_gap = |node: usize, row: usize| gap > 0 && (row + 7 * node).is_multiple_of(gap);
    let column = |(node, values): (usize, Vec<f64>)| {
        if category > 0 && node.is_multiple_of(category) {
            let code = |(row, code)| if is_gap(node, row) { 3 } else { code };
            let codes = codes(&values).into_iter().enumerate().map(code).collect();
            return MixedColumn::Categories { codes, levels: 3 };
        }
        let value = |(row, value)| if is_gap(node, row) { f64::NAN } else { value };
        MixedColumn::Numbers(values.into_iter().enumerate().map(value).collect())
    };
    Arc::new(Mixed::new(columns(nodes, seed).into_iter().enumerate().map(column).collect()).unwrap())
}

/// Random knowledge that does not contradict itself: forbidden edges, as of tiers or one by one, some required, some only joined.
fn knowledge(nodes: usize, rng: &mut Rng) -> Bounds {
    loop {
        let pairs = || (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b))).filter(|(a, b)| a != b);
        let tiers: Vec<usize> = (0..nodes).map(|_| rng.below(4)).collect();
        let has_tiers = rng.uniform() < 0.5;
        let share = 0.4 * rng.uniform();
        // Columns of the last tier are in none.
        let is_later = |a: usize, b: usize| has_tiers && tiers[a] < 3 && tiers[b] < tiers[a];
        let forbidden: Vec<_> = pairs().filter(|&(a, b)| is_later(a, b) || rng.uniform() < share).collect();
        let required: Vec<_> = pairs().filter(|_| rng.uniform() < 0.5 / nodes as f64).collect();
        let joined: Vec<_> = pairs().filter(|_| rng.uniform() < 0.3 / nodes as f64).collect();
        if let Ok(bounds) = Bounds::new(nodes, &forbidden, &required, &joined)
            && !bounds.is_free()
        {
            return bounds;
        }
    }
}

fn check(learned: &Learned, bounds: &Bounds, what: &str) {
    assert!(bounds.hold(&learned.dag), "{what}: {:?} breaks {bounds:?}", learned.dag);
    assert_eq!(learned.ending, Ending::Finished, "{what}");
    let rank = |node: usize| learned.order.iter().position(|&other| other == node);
    assert!(learned.dag.edges().all(|(from, to, _)| rank(from) < rank(to)), "{what}");
    let is_permitted = |&(from, to): &(usize, usize)| bounds.permits(from, to);
    assert!(learned.cpdag.directed().iter().all(is_permitted), "{what}");
    let is_open = |&(a, b): &(usize, usize)| bounds.permits(a, b) && bounds.permits(b, a);
    assert!(learned.cpdag.undirected().iter().all(is_open), "{what}");
    if learned.method.name != "pc" {
        let known = Cpdag::of_known(&learned.dag, |from, to| !bounds.permits(to, from));
        assert_eq!(learned.cpdag, known, "{what}");
    }
}

/// Few steps, so that hundreds of runs take seconds.
fn quick(method: &'static LearnMethod, score: &str) -> Learning {
    let search = SearchSettings { steps: Some(40), ..SearchSettings::default() };
    Learning { method, score: ScoreChoice::from(score), search, ..Learning::default() }
}

#[test]
fn no_method_breaks_what_is_known_with_any_score_on_any_data() {
    let numbers: Vec<&str> = SCORES.iter().map(|entry| entry.name).chain(["auto"]).collect();
    let discrete: Vec<&str> = DISCRETE_SCORES.iter().map(|entry| entry.name).chain(["auto"]).collect();
    let (nodes, mut rng, mut runs, mut most) = (6, Rng::new(1), 0, 0.0_f64);
    for seed in 0..3 {
        let kinds: Vec<(&str, Observations, Vec<&str>)> = vec![
            ("numbers", Observations::Numbers(gram(nodes, seed)), numbers.clone()),
            ("incomplete numbers", Observations::Mixed(mixed(nodes, seed, 0, 11)), vec!["auto", "bic"]),
            ("categories", Observations::Categories(categories(nodes, seed)), discrete.clone()),
            ("incomplete categories", Observations::Mixed(mixed(nodes, seed, 1, 11)), vec!["auto", "dg"]),
            ("mixed", Observations::Mixed(mixed(nodes, seed, 2, 0)), vec!["auto", "cg"]),
            ("incomplete mixed", Observations::Mixed(mixed(nodes, seed, 2, 11)), vec!["auto"]),
        ];
        for (kind, data, scores) in kinds {
            for method in &LEARN_METHODS {
                let scores = if method.name == "pc" { vec!["auto"] } else { scores.clone() };
                for score in scores {
                    let learning = quick(method, score);
                    let free = learning.run(&data, &Run::default()).unwrap();
                    for _ in 0..2 {
                        let bounds = knowledge(nodes, &mut rng);
                        let learning = Learning { bounds: Some(bounds.clone()), ..learning.clone() };
                        let what = format!("{kind}, {}, {score}, seed {seed}", method.name);
                        let learned = learning.run(&data, &Run::default());
                        let learned = learned.unwrap_or_else(|error| panic!("{what}: {error} {bounds:?}"));
                        check(&learned, &bounds, &what);
                        // What PC-stable counts are tests: nodes that must be joined have more neighbors to condition on.
                        let is_scored = method.name != "pc";
                        let times = f64::from(u8::from(is_scored)) * learned.evaluations as f64
                            / free.evaluations as f64;
                        // Free walks over lists of parent sets count places; within bounds every place is two questions or more.
                        let limit = if kind == "categories" { 8.0 } else { 2.0 };
                        assert!(times <= limit, "{what}: {} for {}", learned.evaluations, free.evaluations);
                        most = most.max(times);
                        runs += 1;
                    }
                }
            }
        }
    }
    assert!(runs > 600, "{runs} runs, at most {most:.2} times the local scores of the free one");
}

/// The least that any order costs that begins with these nodes.
fn least(nodes: usize, before: usize, locals: &[Vec<f64>]) -> f64 {
    let left = (0..nodes).filter(|node| before >> node & 1 == 0);
    let next = left.map(|node| locals[node][before] + least(nodes, before | 1 << node, locals));
    next.reduce(f64::min).unwrap_or(0.0)
}

/// The least that any order costs within the bounds: all orders, and for each all sets of parents that it and the bounds allow.
fn brute_force(nodes: usize, bounds: &Bounds, cost: impl Fn(usize, &NodeSet) -> f64 + Copy) -> f64 {
    let members = |set: usize| (0..nodes).filter(move |node| set >> node & 1 == 1);
    let known = |node: usize| {
        move |set: usize| if set >> node & 1 == 1 { f64::NAN } else { cost(node, &members(set).collect()) }
    };
    let costs: Vec<Vec<f64>> = (0..nodes).map(|node| (0..1 << nodes).map(known(node)).collect()).collect();
    let local = |node: usize, before: usize| {
        let fits = |set: usize| {
            set & !before == 0
                && members(set).all(|parent| bounds.permits(parent, node))
                && members(before).all(|other| set >> other & 1 == 1 || !bounds.joins(other, node))
                && (0..nodes).all(|other| set >> other & 1 == 1 || !bounds.requires(other, node))
        };
        let sets = (0..1_usize << nodes).filter(|&set| fits(set));
        sets.map(|set| costs[node][set]).fold(f64::INFINITY, f64::min)
    };
    let locals: Vec<Vec<f64>> =
        (0..nodes).map(|node| (0..1 << nodes).map(|before| local(node, before)).collect()).collect();
    least(nodes, 0, &locals)
}

fn exact_within(score: &Arc<dyn LocalScore>, bounds: &Bounds) -> (f64, Dag) {
    let found = Exact::default().run_within(Arc::clone(score), bounds, &Run::default()).unwrap().unwrap();
    (found.score, found.dag().unwrap())
}

#[test]
fn exact_search_finds_what_brute_force_finds() {
    let mut rng = Rng::new(5);
    for nodes in 2..=6 {
        for seed in 0..4 {
            let bounds = knowledge(nodes, &mut rng);
            // `non-gaussian` takes the parents that the BIC chooses.
            let mut scores: Vec<Arc<dyn LocalScore>> = SCORES
                .iter()
                .filter(|entry| entry.name != "non-gaussian")
                .map(|entry| score_by_name(entry.name, gram(nodes, seed), &ScoreSettings::default()).unwrap())
                .collect();
            for entry in MIXED_SCORES {
                let data = mixed(nodes, seed, if entry.name == "nal" { 1 } else { 2 }, 0);
                scores.push(mixed_score_by_name(entry.name, &data, &MixedScoreSettings::default()).unwrap());
            }
            for entry in DISCRETE_SCORES {
                let score = discrete_score_by_name(entry.name, &DiscreteScoreSettings::default()).unwrap();
                let candidates = Candidates::all(nodes, nodes - 1).within(bounds.clone()).unwrap();
                let (data, run) = (categories(nodes, seed), Run::default());
                let sets =
                    ParentSets::build(&data, score.as_ref(), &candidates, Keep::Best, &run).unwrap().unwrap();
                let (found, dag) = exact_within(&(Arc::new(sets) as Arc<dyn LocalScore>), &bounds);
                let cost = |node: usize, parents: &NodeSet| {
                    let graph = |parents: &NodeSet| {
                        let mut all = vec![Vec::new(); nodes];
                        all[node] = parents.iter().collect();
                        let dag = Dag::from_parents(all).unwrap();
                        plackett_dag::score::graph_cost(&data, score.as_ref(), &dag).unwrap()
                    };
                    let others: f64 = graph(&NodeSet::default());
                    // What the family costs more than the node alone; all alone is added below.
                    graph(parents) - others
                };
                let alone =
                    plackett_dag::score::graph_cost(&data, score.as_ref(), &Dag::empty(nodes)).unwrap();
                let expected = alone + brute_force(nodes, &bounds, cost);
                assert!((found - expected).abs() < 1e-6, "{}: {found} for {expected}", entry.name);
                assert!(bounds.hold(&dag), "{}: {dag:?} {bounds:?}", entry.name);
            }
            for score in scores {
                let (found, dag) = exact_within(&score, &bounds);
                assert!(bounds.hold(&dag), "{}: {dag:?} {bounds:?}", score.name());
                let exact = score.exact().unwrap_or(score);
                // The lasso has no cost of a set as such: what it costs to have no others to choose from, as required ones are free.
                let cost = |node: usize, parents: &NodeSet| {
                    exact.cost(node, parents).unwrap_or_else(|| {
                        let (mut scratch, none) = (Scratch::default(), NodeSet::default());
                        exact.best(node, parents, &none, &mut scratch, &Run::default()).unwrap().score
                    })
                };
                let expected = brute_force(nodes, &bounds, cost);
                assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{}", exact.name());
            }
        }
    }
}

/// However early the end comes, and whatever was going on.
#[test]
fn what_is_known_is_kept_at_any_moment() {
    let mut rng = Rng::new(2);
    for (data, methods) in [
        (Observations::Numbers(gram(6, 1)), vec!["insertion", "exact", "pl", "pl-relax", "order-mcmc", "pc"]),
        (Observations::Categories(categories(6, 1)), vec!["insertion", "exact", "random", "pc"]),
        (Observations::Mixed(mixed(6, 1, 2, 11)), vec!["insertion", "pc"]),
    ] {
        for method in methods {
            let bounds = knowledge(6, &mut rng);
            let learning = quick(LearnMethod::by_name(method).unwrap(), "auto");
            let learning = Learning { bounds: Some(bounds.clone()), ..learning };
            // Each look at the clock takes a second.
            let learn = |seconds: u64| {
                let looks = AtomicU64::new(0);
                let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
                let run = Run::by(&clock, Limits::time(Duration::from_secs(seconds)));
                let learned = learning.run(&data, &run).unwrap();
                assert!(
                    bounds.hold(&learned.dag),
                    "{method}, ended after {seconds}: {:?} {bounds:?}",
                    learned.dag
                );
                let is_permitted = |&(from, to): &(usize, usize)| bounds.permits(from, to);
                assert!(learned.cpdag.directed().iter().all(is_permitted), "{method}");
                looks.load(Ordering::Relaxed)
            };
            let all = learn(u64::MAX);
            (0..=8).for_each(|part| _ = learn(part * all / 8));
        }
    }
}

/// Beyond the sizes at which everything can be looked at.
#[test]
fn tiers_and_required_edges_are_kept_by_long_searches() {
    let nodes = 30;
    let mut rng = Rng::new(8);
    for seed in 0..2 {
        let data = Observations::Numbers(gram(nodes, seed));
        let insertion =
            Learning { method: LearnMethod::by_name("insertion").unwrap(), ..Learning::default() };
        let free = insertion.run(&data, &Run::default()).unwrap();
        for _ in 0..2 {
            let bounds = knowledge(nodes, &mut rng);
            let learned = Learning { bounds: Some(bounds.clone()), ..insertion.clone() };
            let learned = learned.run(&data, &Run::default()).unwrap();
            check(&learned, &bounds, "30 nodes");
            let (own, others) = (learned.evaluations, free.evaluations);
            assert!(own <= 2 * others, "{own} for {others}");
        }
    }
}

#[test]
fn probabilities_keep_it_too() {
    let mut rng = Rng::new(4);
    for data in [Observations::Categories(categories(5, 3)), Observations::Mixed(mixed(5, 3, 2, 0))] {
        for _ in 0..4 {
            let bounds = knowledge(5, &mut rng);
            let search = SearchSettings { steps: Some(500), posterior: true, ..SearchSettings::default() };
            let learning = Learning { search, bounds: Some(bounds.clone()), ..Learning::default() };
            let learned = learning.run(&data, &Run::default()).unwrap();
            check(&learned, &bounds, "with probabilities");
            let probabilities = learned.probabilities.unwrap();
            for (from, to) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
                let probability = probabilities[5 * from + to];
                assert!(bounds.permits(from, to) || probability == 0.0, "{from} -> {to}: {probability}");
                assert!(
                    !bounds.requires(from, to) || probability > 1.0 - 1e-9,
                    "{from} -> {to}: {probability}"
                );
                let joined = probability + probabilities[5 * to + from];
                assert!(!bounds.joins(from, to) || joined > 1.0 - 1e-9, "{from} - {to}: {joined}");
            }
        }
    }
}

#[test]
fn every_space_of_parents_has_those_required() {
    let (nodes, mut rng) = (7, Rng::new(6));
    for seed in 0..3 {
        let data = Observations::Categories(categories(nodes, seed));
        for space in [ParentSpace::All, ParentSpace::Neighbors, ParentSpace::PlusOne] {
            for max_parents in [1, 3] {
                let bounds = knowledge(nodes, &mut rng);
                let categories = CategorySettings {
                    space: Some(space),
                    max_parents: Some(max_parents),
                    ..CategorySettings::default()
                };
                let learning = Learning { categories, bounds: Some(bounds.clone()), ..Learning::default() };
                let learned = learning.run(&data, &Run::default()).unwrap();
                check(&learned, &bounds, &format!("{space:?}, {max_parents}"));
            }
        }
    }
}

/// Columns that are sums of others, or do not vary, are parents all the same if they must be.
#[test]
fn required_parents_that_explain_nothing_stay() {
    let mut columns = columns(4, 1);
    let sum = columns[0].iter().zip(&columns[1]).map(|(a, b)| a + b).collect();
    columns.push(sum);
    columns.push(vec![1.0; ROWS]);
    let rows: Vec<f64> = (0..ROWS).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
    let data = Observations::Numbers(Gram::from_rows(&rows, 6, Centering::Center).unwrap().into());
    // The sum and both its parts, and what does not vary, between two others.
    let required = [(0, 3), (1, 3), (4, 3), (2, 5), (5, 3)];
    let bounds = Bounds::new(6, &[], &required, &[(5, 0)]).unwrap();
    for method in &LEARN_METHODS {
        for score in ["auto", "bic", "l1", "ev-l0"] {
            if method.name == "pc" && score != "auto" {
                continue;
            }
            let learning = Learning { bounds: Some(bounds.clone()), ..quick(method, score) };
            let learned = learning.run(&data, &Run::default()).unwrap();
            assert!(bounds.hold(&learned.dag), "{}, {score}: {:?}", method.name, learned.dag);
            assert!(learned.score.is_none_or(f64::is_finite), "{}, {score}", method.name);
        }
    }
}

#[test]
fn bounds_of_other_columns_are_refused() {
    let learning = Learning { bounds: Some(Bounds::free(3)), ..Learning::default() };
    assert!(learning.run(&Observations::Numbers(gram(4, 1)), &Run::default()).is_err());
}
