//! Rows in which columns were set from outside: every local score against the same score on the rows that are left for the node, and
//! what learning makes of them.

use std::sync::Arc;

use plackett::run::Run;
use plackett_dag::{
    Categories, Cpdag, Dag, Error, Gram, Interventions, LearnMethod, Learning, LocalScore, Mixed, NodeSet,
    Observations, ScoreChoice, Sem,
    gram::Centering,
    learning::NumberSettings,
    metrics::shd,
    mixed::MixedColumn,
    orientation::orient,
    parent_sets::{Candidates, Keep, ParentSets},
    score::{
        Bic, DISCRETE_SCORES, DiscreteScoreSettings, EvL0, MixedScoreSettings, ScoreSettings, Scratch,
        discrete_score_by_name, graph_cost, mixed_score_by_name, score_by_name,
    },
    simulate::{Noise, SemSettings, simulate_sem},
};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

const NODES: usize = 6;

/// Correlated columns with offsets, and what was set in them: nothing, one or two columns; in some rows to values far out.
fn numbers(rows: usize, far: f64, seed: u64) -> (Vec<f64>, Interventions) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let regimes = [vec![], vec![0], vec![2, 4], vec![5], vec![0, 2]];
    let (mut data, mut targets) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let regime = &regimes[(row * row + row / 3) % regimes.len()];
        let start = data.len();
        for node in 0..NODES {
            let earlier: f64 = (0..node).map(|other| 0.4 * data[start + other]).sum();
            let noise = rng.random_range(-1.0..1.0) * (1.0 + node as f64);
            data.push(if regime.contains(&node) { far * (1.0 + noise) } else { 3.0 + earlier + noise });
        }
        targets.push(regime.clone());
    }
    (data, Interventions::new(NODES, targets).unwrap())
}

/// The rows in which a node was not set.
fn kept(data: &[f64], told: &Interventions, node: usize) -> Vec<f64> {
    let rows = data.chunks_exact(NODES).zip(told.row_targets());
    rows.filter(|(_, targets)| !targets.contains(&node)).flat_map(|(row, _)| row.to_vec()).collect()
}

fn subsets(node: usize) -> impl Iterator<Item = NodeSet> {
    let others: Vec<usize> = (0..NODES).filter(|&other| other != node).collect();
    (0..1_usize << others.len()).map(move |bits| {
        others.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, &other)| other).collect()
    })
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let gap = (found - expected).abs() / expected.abs().max(1.0);
    assert!(gap < tolerance, "{what}: {found} for {expected}");
}

#[test]
fn scores_of_numbers_are_those_of_the_kept_rows() {
    // Few rows in a regime, more than columns, and rows far out, where the rest of a difference would be rounding.
    for (rows, far, tolerance) in [(24, 1.0, 1e-9), (400, 1.0, 1e-9), (24, 1e4, 1e-5), (400, 1e4, 1e-5)] {
        let (data, told) = numbers(rows, far, rows as u64);
        for centering in [Centering::Center, Centering::None, Centering::Standardize] {
            let gram = Arc::new(Gram::with_interventions(&data, &told, centering).unwrap());
            let scales = gram.scales().to_vec();
            let settings =
                ScoreSettings { noise_variance: Some(2.0), lambda: 0.3, ..ScoreSettings::default() };
            let bic = Bic::new(Arc::clone(&gram), &settings).unwrap();
            let ev = EvL0::new(Arc::clone(&gram), &settings).unwrap();
            let l1 = score_by_name("l1", Arc::clone(&gram), &settings).unwrap();
            for node in 0..NODES {
                let mut left = kept(&data, &told, node);
                // All columns are divided by the deviations over all rows.
                left.chunks_exact_mut(NODES)
                    .for_each(|row| row.iter_mut().zip(&scales).for_each(|(value, scale)| *value /= scale));
                let plain = if centering == Centering::None { Centering::None } else { Centering::Center };
                let own = Arc::new(Gram::from_rows(&left, NODES, plain).unwrap());
                assert_eq!(gram.kept_rows(node), own.rows());
                let share = own.rows() as f64 / gram.rows() as f64;
                let own_bic = Bic::new(Arc::clone(&own), &settings).unwrap();
                let own_ev = EvL0::new(Arc::clone(&own), &settings).unwrap();
                let own_l1 = score_by_name("l1", Arc::clone(&own), &settings).unwrap();
                let what = |name: &str| format!("{name}, {rows} rows, {far}, {centering:?}, node {node}");
                for set in subsets(node) {
                    close(bic.cost(node, &set), own_bic.cost(node, &set), tolerance, &what("bic"));
                    let expected = share * LocalScore::cost(&own_ev, node, &set).unwrap();
                    close(LocalScore::cost(&ev, node, &set).unwrap(), expected, tolerance, &what("ev-l0"));
                    let best = |score: &dyn LocalScore| {
                        let none = NodeSet::default();
                        score.best(node, &set, &none, &mut Scratch::default(), &Run::default()).unwrap()
                    };
                    close(
                        best(l1.as_ref()).score,
                        share * best(own_l1.as_ref()).score,
                        tolerance,
                        &what("l1"),
                    );
                    if far == 1.0 {
                        assert_eq!(best(&bic).parents, best(&own_bic).parents, "{}", what("parents"));
                    }
                }
            }
        }
    }
}

/// What the search over orders keeps by itself must be what the score says.
#[test]
fn every_method_agrees_with_the_scores_and_with_the_exact_one() {
    let (data, told) = numbers(300, 2.0, 5);
    let gram = Arc::new(Gram::with_interventions(&data, &told, Centering::Center).unwrap());
    let observations = Observations::Numbers(Arc::clone(&gram));
    for score in ["bic", "ev-l0"] {
        let learn = |method: &str| {
            let learning = Learning {
                method: LearnMethod::by_name(method).unwrap(),
                score: ScoreChoice::from(score),
                numbers: plackett_dag::learning::NumberSettings {
                    penalty: Some(1.0),
                    noise_variance: (score == "ev-l0").then_some(2.0),
                    ..Default::default()
                },
                ..Learning::default()
            };
            learning.run(&observations, &Run::default()).unwrap()
        };
        let exact = learn("exact");
        for method in ["insertion", "order-mcmc", "pl", "random"] {
            let learned = learn(method);
            let mut total = 0.0;
            for node in 0..NODES {
                let left = kept(&data, &told, node);
                let own = Arc::new(Gram::from_rows(&left, NODES, Centering::Center).unwrap());
                let settings = ScoreSettings {
                    penalty_factor: Some(1.0),
                    noise_variance: Some(2.0),
                    ..ScoreSettings::default()
                };
                let parents: NodeSet = learned.dag.parents(node).iter().copied().collect();
                let share = own.rows() as f64 / 300.0;
                total += match score {
                    "bic" => Bic::new(own, &settings).unwrap().cost(node, &parents),
                    _ => share * EvL0::new(own, &settings).unwrap().cost(node, &parents).unwrap(),
                };
            }
            close(learned.score.unwrap(), total, 1e-9, &format!("{score} {method}"));
            assert!(learned.score.unwrap() >= exact.score.unwrap() - 1e-9, "{score} {method}");
            if method == "insertion" {
                close(learned.score.unwrap(), exact.score.unwrap(), 1e-9, score);
            }
            assert_eq!(learned.cpdag, told.class(&learned.dag).unwrap());
        }
    }
}

/// Categories that follow one another, of which some were set.
fn categories(rows: usize, seed: u64) -> (Categories, Interventions) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let sets = [vec![], vec![1], vec![2, 3], vec![]];
    let arities: [u8; 4] = [2, 3, 2, 3];
    let mut codes = vec![Vec::new(); 4];
    let mut targets = Vec::new();
    for _ in 0..rows {
        let set = sets[rng.random_range(0..4)].clone();
        let mut sum = 0;
        for (node, (column, &arity)) in codes.iter_mut().zip(&arities).enumerate() {
            if set.contains(&node) || rng.random_bool(0.4) {
                sum = rng.random_range(0..arity);
            }
            sum %= arity;
            column.push(sum);
        }
        targets.push(set);
    }
    let names = (0..4).map(|node| format!("x{node}")).collect();
    let levels = arities.iter().map(|&arity| (0..arity).map(|level| level.to_string()).collect()).collect();
    let told = Interventions::new(4, targets).unwrap();
    (Categories::new(names, levels, codes).unwrap(), told)
}

/// Some columns of the rows that are kept.
fn part(data: &Categories, is_kept: &[bool], columns: &[usize]) -> Categories {
    let codes = columns.iter().map(|&column| {
        let rows = data.column(column).iter().zip(is_kept);
        rows.filter(|(_, is_kept)| **is_kept).map(|(&code, _)| code).collect()
    });
    let names = columns.iter().map(|&column| data.names()[column].clone()).collect();
    let levels = columns.iter().map(|&column| data.levels(column).to_vec()).collect();
    Categories::new(names, levels, codes.collect()).unwrap()
}

/// Whether each row tells of a node.
fn mask(told: &Interventions, node: usize) -> Vec<bool> {
    told.row_targets().map(|targets| !targets.contains(&node)).collect()
}

#[test]
fn scores_of_categories_are_those_of_the_kept_rows() {
    let (plain, told) = categories(600, 3);
    let data = plain.clone().with_interventions(told.clone()).unwrap();
    for entry in DISCRETE_SCORES {
        let score = discrete_score_by_name(entry.name, &DiscreteScoreSettings::default()).unwrap();
        // A family on the rows that are left: that of the family less that of the parents alone.
        let family = |node: usize, parents: &[usize]| {
            let is_kept = mask(&told, node);
            let columns: Vec<usize> = parents.iter().copied().chain([node]).collect();
            let last = columns.len() - 1;
            let mut lists = vec![Vec::new(); columns.len()];
            lists[last] = (0..last).collect();
            let whole = part(&plain, &is_kept, &columns);
            let with = graph_cost(&whole, score.as_ref(), &Dag::from_parents(lists).unwrap()).unwrap();
            let without = match parents {
                [] => 0.0,
                _ => graph_cost(&part(&plain, &is_kept, parents), score.as_ref(), &Dag::empty(last)).unwrap(),
            };
            with - without
        };
        for dag in [
            vec![vec![], vec![0], vec![0, 1], vec![2]],
            vec![vec![1, 2], vec![2], vec![3], vec![]],
            vec![vec![], vec![], vec![], vec![0, 1, 2]],
        ] {
            let expected: f64 = dag.iter().enumerate().map(|(node, parents)| family(node, parents)).sum();
            let dag = Dag::from_parents(dag).unwrap();
            close(graph_cost(&data, score.as_ref(), &dag).unwrap(), expected, 1e-9, entry.name);
        }
        let candidates = Candidates::all(4, 3);
        let sets = ParentSets::build(&data, score.as_ref(), &candidates, Keep::Best, &Run::default());
        let sets = sets.unwrap().unwrap();
        for node in 0..4 {
            for (cost, parents) in sets.best_sets(node) {
                let parents: Vec<usize> = parents.iter().collect();
                close(cost, family(node, &parents), 1e-9, entry.name);
            }
        }
        // Without the price of parents, which is not the score's own.
        let numbers = NumberSettings { penalty: Some(0.0), ..NumberSettings::default() };
        let learning = Learning { score: ScoreChoice::from(entry.name), numbers, ..Learning::default() };
        let learned = learning.run(&Observations::Categories(data.clone().into()), &Run::default()).unwrap();
        assert_eq!(learned.cpdag, told.class(&learned.dag).unwrap());
        close(
            learned.score.unwrap(),
            graph_cost(&data, score.as_ref(), &learned.dag).unwrap(),
            1e-9,
            entry.name,
        );
    }
}

#[test]
fn equivalent_scores_are_the_same_within_an_interventional_class_and_differ_between_them() {
    let (plain, told) = categories(400, 9);
    let data = plain.with_interventions(told.clone()).unwrap();
    let dags = all_dags(4);
    let classes: Vec<Cpdag> = dags.iter().map(|dag| told.class(dag).unwrap()).collect();
    for name in ["bdeu", "bic", "qnml"] {
        let score = discrete_score_by_name(name, &DiscreteScoreSettings::default()).unwrap();
        let costs: Vec<f64> =
            dags.iter().map(|dag| graph_cost(&data, score.as_ref(), dag).unwrap()).collect();
        for (a, class) in classes.iter().enumerate() {
            for b in 0..a {
                let is_same = (costs[a] - costs[b]).abs() < 1e-8;
                assert_eq!(is_same, *class == classes[b], "{name}: {:?} {:?}", dags[a], dags[b]);
            }
        }
    }
    for (dag, class) in dags.iter().zip(&classes) {
        let oriented = orient(&data, dag, &Run::default()).unwrap();
        assert_eq!(told.class(&oriented).unwrap(), *class);
    }
}

fn all_dags(nodes: usize) -> Vec<Dag> {
    let pairs: Vec<(usize, usize)> = (0..nodes).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    let dag = |mut code: usize| {
        let mut parents = vec![Vec::new(); nodes];
        for &(a, b) in &pairs {
            match code % 3 {
                1 => parents[b].push(a),
                2 => parents[a].push(b),
                _ => {}
            }
            code /= 3;
        }
        Dag::from_parents(parents).ok()
    };
    (0..3_usize.pow(pairs.len() as u32)).filter_map(dag).collect()
}

#[test]
fn scores_of_mixed_data_are_those_of_the_kept_rows() {
    let (codes, told) = categories(500, 4);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let number = |column: usize, rng: &mut ChaCha8Rng| -> Vec<f64> {
        codes.column(column).iter().map(|&code| f64::from(code) + rng.random_range(-1.0..1.0)).collect()
    };
    let category = |column: usize| MixedColumn::Categories {
        codes: codes.column(column).to_vec(),
        levels: codes.arity(column),
    };
    let columns = [
        category(0),
        MixedColumn::Numbers(number(1, &mut rng)),
        category(2),
        MixedColumn::Numbers(number(3, &mut rng)),
    ];
    let all: Vec<MixedColumn> = (0..4).map(category).collect();
    for (name, columns) in [("dg", columns.to_vec()), ("cg", columns.to_vec()), ("nal", all)] {
        let settings = MixedScoreSettings::default();
        let data = Arc::new(Mixed::new(columns.clone()).unwrap().with_interventions(told.clone()).unwrap());
        let score = mixed_score_by_name(name, &data, &settings).unwrap();
        for node in 0..4 {
            let is_kept = mask(&told, node);
            let left = columns.iter().map(|column| match column {
                MixedColumn::Numbers(numbers) => {
                    let rows = numbers.iter().zip(&is_kept).filter(|(_, is_kept)| **is_kept);
                    MixedColumn::Numbers(rows.map(|(&number, _)| number).collect())
                }
                MixedColumn::Categories { codes, levels } => {
                    let rows = codes.iter().zip(&is_kept).filter(|(_, is_kept)| **is_kept);
                    MixedColumn::Categories { codes: rows.map(|(&code, _)| code).collect(), levels: *levels }
                }
            });
            let own = Arc::new(Mixed::new(left.collect()).unwrap());
            let own = mixed_score_by_name(name, &own, &settings).unwrap();
            for bits in 0..16_usize {
                let parents: NodeSet =
                    (0..4).filter(|other| bits >> other & 1 == 1 && *other != node).collect();
                let cost = |score: &dyn LocalScore| score.cost(node, &parents).unwrap();
                close(cost(score.as_ref()), cost(own.as_ref()), 1e-12, name);
            }
        }
        let learning = Learning { score: ScoreChoice::from(name), ..Learning::default() };
        let learned = learning.run(&Observations::Mixed(Arc::clone(&data)), &Run::default()).unwrap();
        assert_eq!(learned.cpdag, told.class(&learned.dag).unwrap());
    }
}

#[test]
fn experiments_tell_directions_that_observation_leaves_open() {
    let (mut better, mut distances) = (0, [0, 0]);
    for seed in 0..6 {
        let settings = SemSettings {
            nodes: 12,
            degree: 2,
            noise: Noise::Unequal { low: 0.5, high: 2.0 },
            ..SemSettings::default()
        };
        let sem = simulate_sem(&settings, seed).unwrap();
        let experiments: Vec<Vec<usize>> =
            sem.random_targets(4).into_iter().map(|target| vec![target]).collect();
        let (data, told) = sem.sample_experiments(1000, &experiments, 200, Sem::TRAINING).unwrap();
        let learn = |gram: Gram| {
            let learning = Learning { score: ScoreChoice::from("bic"), ..Learning::default() };
            learning.run(&Observations::Numbers(gram.into()), &Run::default()).unwrap()
        };
        let with = learn(Gram::with_interventions(data.values(), &told, Centering::Center).unwrap());
        let without = learn(Gram::from_rows(data.values(), 12, Centering::Center).unwrap());
        let found = [shd(sem.dag(), &with.dag).unwrap(), shd(sem.dag(), &without.dag).unwrap()];
        better += usize::from(found[0] <= found[1]);
        distances.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
        assert!(with.cpdag.undirected().len() <= Cpdag::of(&with.dag).undirected().len());
    }
    // Rows pooled without their targets are those of no graph at all.
    assert!(better >= 5 && 3 * distances[0] < distances[1], "{distances:?}");
}

#[test]
fn what_has_no_meaning_is_refused() {
    let (data, told) = numbers(100, 1.0, 1);
    let gram = Gram::with_interventions(&data, &told, Centering::Center).unwrap();
    let pc = Learning { method: LearnMethod::by_name("pc").unwrap(), ..Learning::default() };
    let refused = pc.run(&Observations::Numbers(gram.into()), &Run::default());
    assert!(matches!(refused, Err(Error::Misfit { setting: "method", .. })));
    let always = Interventions::new(NODES, vec![vec![1]; 100]).unwrap();
    assert!(matches!(
        Gram::with_interventions(&data, &always, Centering::Center),
        Err(Error::Misfit { setting: "interventions", .. })
    ));
    let short = Interventions::new(NODES, vec![vec![1]; 99]).unwrap();
    assert!(matches!(Gram::with_interventions(&data, &short, Centering::Center), Err(Error::Size { .. })));
    let (codes, _) = categories(50, 1);
    assert!(
        codes
            .with_interventions(Interventions::new(3, vec![vec![]; 50] as Vec<Vec<usize>>).unwrap())
            .is_err()
    );
}
