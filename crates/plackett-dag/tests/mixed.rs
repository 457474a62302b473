//! Mixed and incomplete data: scores against formulas written out, and learning from whatever there may be.

#![allow(clippy::needless_range_loop, reason = "formulas have indices")]

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{Rng, normal};
use plackett::run::Run;
use plackett_dag::mixed::MixedColumn;
use plackett_dag::score::{MixedScoreSettings, Scratch, mixed_score_by_name};
use plackett_dag::{
    BayesNet, Dataset, LearnMethod, Learning, LocalScore, Mixed, NodeSet, Observations, ScoreChoice,
    dataset::{Kind, Missing, Reading},
    gram::Centering,
    metrics::shd_cpdag,
};
use proptest::prelude::*;

/// Random columns, each of which follows some of those before it.
fn random_data(nodes: usize, rows: usize, seed: u64) -> Arc<Mixed> {
    let mut rng = Rng::new(seed);
    let levels: Vec<usize> =
        (0..nodes).map(|node| if node % 2 == 0 { 2 + rng.below(3) } else { 0 }).collect();
    let weights: Vec<f64> = (0..nodes * nodes)
        .map(|_| if rng.uniform() < 0.4 { 2.0 * rng.uniform() - 1.0 } else { 0.0 })
        .collect();
    let mut values = vec![vec![0.0; rows]; nodes];
    for row in 0..rows {
        for node in 0..nodes {
            let sum: f64 = (0..node).map(|other| weights[node * nodes + other] * values[other][row]).sum();
            let value = sum + normal(&mut rng);
            values[node][row] = match levels[node] {
                0 => 10.0 * value,
                levels => ((value + 1.5) * levels as f64 / 3.0).floor().clamp(0.0, levels as f64 - 1.0),
            };
        }
    }
    let column = |(values, &levels): (&Vec<f64>, &usize)| match levels {
        0 => MixedColumn::Numbers(values.clone()),
        levels => {
            let code = |value: &f64| (0..levels as u8).find(|&code| f64::from(code) == *value).unwrap();
            MixedColumn::Categories { codes: values.iter().map(code).collect(), levels }
        }
    };
    Arc::new(Mixed::new(values.iter().zip(&levels).map(column).collect()).unwrap())
}

/// The logarithm of a determinant by elimination.
fn log_determinant(mut matrix: Vec<Vec<f64>>) -> f64 {
    let size = matrix.len();
    let mut sum = 0.0;
    for i in 0..size {
        sum += matrix[i][i].ln();
        for j in i + 1..size {
            let factor = matrix[j][i] / matrix[i][i];
            for t in i..size {
                matrix[j][t] -= factor * matrix[i][t];
            }
        }
    }
    sum
}

fn covariance(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let rows = columns[0].len() as f64;
    let means: Vec<f64> = columns.iter().map(|column| column.iter().sum::<f64>() / rows).collect();
    let entry = |a: usize, b: usize| {
        columns[a].iter().zip(&columns[b]).map(|(x, y)| (x - means[a]) * (y - means[b])).sum::<f64>() / rows
    };
    (0..columns.len()).map(|a| (0..columns.len()).map(|b| entry(a, b)).collect()).collect()
}

/// Indicators of all levels but the most frequent.
fn indicators(column: &MixedColumn) -> Vec<Vec<f64>> {
    match column {
        MixedColumn::Numbers(numbers) => vec![numbers.clone()],
        MixedColumn::Categories { codes, levels } => {
            let count = |level: usize| codes.iter().filter(|&&code| usize::from(code) == level).count();
            let most = (0..*levels).map(count).max().unwrap();
            let reference = (0..*levels).find(|&level| count(level) == most).unwrap();
            let wanted = (0..*levels).filter(|&level| level != reference && count(level) > 0);
            wanted
                .map(|level| {
                    codes.iter().map(|&code| f64::from(u8::from(usize::from(code) == level))).collect()
                })
                .collect()
        }
    }
}

/// ½[(n + 1) log det R(A) + n Σ log v], R the correlations with one row more in which nothing goes with anything, and a price
/// for |A|(|A| + 1)/2 parameters; with the number of columns.
fn degenerate_joint(data: &Mixed, set: &[usize]) -> f64 {
    let columns: Vec<Vec<f64>> = set.iter().flat_map(|&node| indicators(&data.columns()[node])).collect();
    if columns.is_empty() {
        return 0.0;
    }
    let rows = data.rows() as f64;
    let covariance = covariance(&columns);
    let deviations: Vec<f64> = (0..columns.len()).map(|at| covariance[at][at].sqrt()).collect();
    let correlations = (0..columns.len())
        .map(|a| {
            let entry = |b: usize| {
                let r = covariance[a][b] / deviations[a] / deviations[b];
                if a == b { 1.0 } else { r * rows / (rows + 1.0) }
            };
            (0..columns.len()).map(entry).collect()
        })
        .collect();
    let size = columns.len() as f64;
    let log_variances: f64 = deviations.iter().map(|deviation| 2.0 * deviation.ln()).sum();
    0.5 * ((rows + 1.0) * log_determinant(correlations) + rows * log_variances)
        + 0.25 * rows.ln() * size * (size + 1.0)
}

fn conditional_joint(data: &Mixed, set: &[usize]) -> f64 {
    let rows = data.rows() as f64;
    let (mut codes, mut numbers, mut configurations) = (Vec::new(), Vec::new(), 1.0);
    for &node in set {
        match &data.columns()[node] {
            MixedColumn::Numbers(values) => numbers.push(values),
            MixedColumn::Categories { codes: own, levels } => {
                codes.push(own);
                configurations *= *levels as f64;
            }
        }
    }
    let mut cells: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
    for row in 0..data.rows() {
        cells.entry(codes.iter().map(|codes| codes[row]).collect()).or_default().push(row);
    }
    let overall = |values: &[f64]| covariance(&[values.to_vec()])[0][0];
    let variances: Vec<f64> = numbers.iter().map(|values| overall(values)).collect();
    let size = numbers.len();
    let (mut total, mut parameters) = (0.0, configurations - 1.0);
    for members in cells.values() {
        let count = members.len() as f64;
        total -= count * (count / rows).ln();
        if size > 0 {
            let within: Vec<Vec<f64>> =
                numbers.iter().map(|values| members.iter().map(|&row| values[row]).collect()).collect();
            let mut matrix = covariance(&within);
            for a in 0..size {
                for b in 0..size {
                    let prior = if a == b { variances[a] } else { 0.0 };
                    matrix[a][b] = (count * matrix[a][b] + prior) / (count + 1.0);
                }
            }
            let log_variances: f64 = variances.iter().map(|variance| variance.ln()).sum();
            total += 0.5 * ((count + 1.0) * log_determinant(matrix) - log_variances);
            parameters += (size as f64 * (size as f64 + 3.0) / 2.0).min(size as f64 * count);
        }
    }
    total + 0.5 * rows.ln() * parameters
}

/// A formula of the joint cost of a set of nodes.
type Joint = fn(&Mixed, &[usize]) -> f64;

#[test]
fn scores_are_their_formulas_on_random_graphs() {
    let formulas: [(&str, Joint); 2] = [("dg", degenerate_joint), ("cg", conditional_joint)];
    for seed in 0..6 {
        let data = random_data(6, [30, 200][seed as usize % 2], seed);
        let mut rng = Rng::new(100 + seed);
        for (name, joint) in formulas {
            let settings = MixedScoreSettings { penalty_factor: Some(1.0) };
            let score = mixed_score_by_name(name, &data, &settings).unwrap();
            let order = rng.permutation(6);
            for (rank, &node) in order.iter().enumerate() {
                let parents: Vec<usize> =
                    order[..rank].iter().copied().filter(|_| rng.uniform() < 0.5).collect();
                let found = score.cost(node, &parents.iter().copied().collect()).unwrap();
                let mut family = parents.clone();
                family.push(node);
                let mut expected = joint(&data, &family) - joint(&data, &parents);
                if name == "dg" {
                    // A block's own covariances are in every graph.
                    let own = indicators(&data.columns()[node]).len() as f64;
                    expected -= 0.25 * (data.rows() as f64).ln() * own * (own + 1.0);
                }
                assert!(
                    (found - expected).abs() < 1e-7 * expected.abs().max(1.0),
                    "{name}: {found} for {expected}"
                );
            }
        }
    }
}

#[test]
fn numbers_alone_cost_what_bic_says_and_categories_alone_as_theirs() {
    use plackett_dag::score::{Bic, DiscreteBic, ScoreSettings, graph_cost};
    use plackett_dag::{Categories, Dag, Gram};
    let mixed = random_data(6, 4000, 7);
    let numbers: Vec<MixedColumn> =
        mixed.columns().iter().filter(|column| column.is_numeric()).cloned().collect();
    let rows: Vec<f64> = (0..4000)
        .flat_map(|row| {
            numbers.iter().map(move |column| match column {
                MixedColumn::Numbers(values) => values[row],
                MixedColumn::Categories { .. } => f64::NAN,
            })
        })
        .collect();
    let gram = Arc::new(Gram::from_rows(&rows, 3, Centering::Center).unwrap());
    let bic = Bic::new(gram, &ScoreSettings { penalty_factor: Some(1.0), ..Default::default() }).unwrap();
    let data = Arc::new(Mixed::new(numbers).unwrap());
    let settings = MixedScoreSettings { penalty_factor: Some(1.0) };
    for name in ["dg", "cg"] {
        let score = mixed_score_by_name(name, &data, &settings).unwrap();
        let loss = |cost: &dyn Fn(&NodeSet) -> f64| cost(&NodeSet::default()) - cost(&NodeSet::full(2));
        let ours = loss(&|parents: &NodeSet| score.cost(2, parents).unwrap());
        let theirs = loss(&|parents: &NodeSet| bic.cost(2, parents));
        // A pseudo-row among 4000 makes about that difference.
        assert!((ours - theirs).abs() < 0.02 * theirs.abs().max(1.0), "{name}: {ours} for {theirs}");
    }
    let categories: Vec<MixedColumn> =
        mixed.columns().iter().filter(|column| !column.is_numeric()).cloned().collect();
    let (mut levels, mut codes) = (Vec::new(), Vec::new());
    for column in &categories {
        if let MixedColumn::Categories { codes: own, levels: count } = column {
            levels.push(vec![String::new(); *count]);
            codes.push(own.clone());
        }
    }
    let names = (0..3).map(|node| format!("x{node}")).collect();
    let table = Categories::new(names, levels, codes).unwrap();
    let dag = Dag::from_parents(vec![vec![], vec![0], vec![0, 1]]).unwrap();
    let data = Arc::new(Mixed::new(categories).unwrap());
    let expected = graph_cost(&table, &DiscreteBic, &dag).unwrap();
    for name in ["cg", "nal"] {
        let score = mixed_score_by_name(name, &data, &settings).unwrap();
        let cost = |node: usize| score.cost(node, &dag.parents(node).iter().copied().collect()).unwrap();
        assert!(((0..3).map(cost).sum::<f64>() - expected).abs() < 1e-8 * expected.abs(), "{name}");
    }
}

/// The law of local scores: what was not looked at may be forbidden, and the choice stays.
#[test]
fn the_best_parents_stay_the_best_without_those_that_were_never_taken_up() {
    let data = random_data(9, 300, 8);
    for name in ["dg", "cg"] {
        let score = mixed_score_by_name(name, &data, &MixedScoreSettings::default()).unwrap();
        let exact = score.exact().unwrap();
        for node in 0..9 {
            let mut allowed = NodeSet::full(9);
            allowed.remove(node);
            let best = |score: &dyn LocalScore, allowed: &NodeSet| {
                score
                    .best(node, allowed, &NodeSet::default(), &mut Scratch::default(), &Run::default())
                    .unwrap()
            };
            let choice = best(score.as_ref(), &allowed);
            assert_eq!(choice.score, score.cost(node, &choice.parents).unwrap());
            assert_eq!(best(score.as_ref(), &choice.witness).score, choice.score);
            assert!(best(exact.as_ref(), &allowed).score <= choice.score);
        }
    }
}

#[test]
fn exact_is_the_least_over_all_sets() {
    use plackett_dag::search::{Exact, LocalTable};
    let data = random_data(5, 200, 9);
    for name in ["dg", "cg"] {
        let score = mixed_score_by_name(name, &data, &MixedScoreSettings::default()).unwrap();
        let exact = score.exact().unwrap();
        let table = LocalTable::new(exact.as_ref(), 1 << 20, &Run::default()).unwrap().unwrap();
        for node in 0..5 {
            for set in (0_u64..32).filter(|set| set >> node & 1 == 0) {
                let subsets = (0_u64..32).filter(|subset| subset & !set == 0);
                let members = |bits: u64| (0..5).filter(|other| bits >> other & 1 == 1).collect::<NodeSet>();
                let least = subsets
                    .map(|bits| score.cost(node, &members(bits)).unwrap())
                    .fold(f64::INFINITY, f64::min);
                assert_eq!(table.get(node, set), least, "{name}");
            }
        }
        let found = Exact::default().run(Arc::clone(&score), &Run::default()).unwrap().unwrap();
        let learning = Learning { score: ScoreChoice::from(name), ..Learning::default() };
        let learned = learning.run(&Observations::Mixed(Arc::clone(&data)), &Run::default()).unwrap();
        assert!(found.score <= learned.score.unwrap() + 1e-9);
    }
}

fn read(text: &str, missing: Missing) -> plackett_dag::Result<Dataset> {
    Dataset::from_reader(text.as_bytes(), "data.csv", &Reading { missing, ..Reading::default() })
}

/// A dose that cures, and a fever that the cure ends.
fn trial(gaps: bool) -> String {
    let mut rng = Rng::new(11);
    let mut text = "dose,cured,fever\n".to_owned();
    for _ in 0..400 {
        let dose = normal(&mut rng);
        let cured = dose + 0.7 * normal(&mut rng) > 0.0;
        let fever = if cured { 0.0 } else { 2.0 } + 0.5 * normal(&mut rng);
        let mut gap = |field: String| if gaps && rng.uniform() < 0.15 { "NA".to_owned() } else { field };
        let row = [
            gap(format!("{dose:.4}")),
            gap(if cured { "yes" } else { "no" }.to_owned()),
            gap(format!("{fever:.4}")),
        ];
        text += &(row.join(",") + "\n");
    }
    text
}

#[test]
fn a_graph_is_learned_from_mixed_data_by_every_method() {
    let data = read(&trial(false), Missing::Error).unwrap();
    assert_eq!(data.kind(), None);
    let data = data.observations(Centering::Center).unwrap();
    for (method, score) in [
        ("insertion", "dg"),
        ("insertion", "cg"),
        ("exact", "dg"),
        ("pl", "dg"),
        ("order-mcmc", "cg"),
        ("pc", "auto"),
    ] {
        let method = LearnMethod::by_name(method).unwrap();
        let learning = Learning { method, score: ScoreChoice::from(score), ..Learning::default() };
        let learned = learning.run(&data, &Run::default()).unwrap();
        let mut pairs: Vec<(usize, usize)> =
            learned.dag.edges().map(|(a, b, _)| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        assert_eq!(pairs, [(0, 1), (1, 2)], "{} {score}", method.name);
        assert!(learned.is_equivalent && learned.dag.edges().all(|(_, _, strength)| strength > 5.0));
    }
    let learned = Learning::default().run(&data, &Run::default()).unwrap();
    assert_eq!(learned.score_name.as_deref(), Some("dg"));
}

#[test]
fn a_graph_is_learned_from_incomplete_data() {
    let error = read(&trial(true), Missing::Error).unwrap().observations(Centering::Center).unwrap_err();
    assert!(error.to_string().contains("values are missing in"), "{error}");
    let data = read(&trial(true), Missing::Em).unwrap();
    assert!(data.is_incomplete() && data.rows() == 400);
    let warning = data.warnings()[0].to_string();
    assert!(
        warning.contains("of 400 rows and 3 columns") && warning.contains("EM, which assumes"),
        "{warning}"
    );
    let learned =
        Learning::default().run(&data.observations(Centering::Center).unwrap(), &Run::default()).unwrap();
    assert_eq!((learned.dag.edge_count(), learned.score_name.as_deref()), (2, Some("dg")));
    let estimation = learned.estimation.unwrap();
    assert!(estimation.is_converged && (250.0..330.0).contains(&estimation.effective_rows));

    // Numbers alone are learned from the moments as ever, categories alone by drawing what is missing.
    let numbers = Reading { missing: Missing::Em, drop: vec!["cured".into()], ..Reading::default() };
    let data = Dataset::from_reader(trial(true).as_bytes(), "data.csv", &numbers).unwrap();
    let learned =
        Learning::default().run(&data.observations(Centering::Center).unwrap(), &Run::default()).unwrap();
    assert!(learned.estimation.is_some() && learned.dag.edge_count() == 1);
    let cut =
        Reading { missing: Missing::Em, discretize: Some("quantile".parse().unwrap()), ..Reading::default() };
    let data = Dataset::from_reader(trial(true).as_bytes(), "data.csv", &cut).unwrap();
    assert_eq!(data.kind(), Some(Kind::Categories));
    let data = data.observations(Centering::Center).unwrap();
    let learned = Learning::default().run(&data, &Run::default()).unwrap();
    assert_eq!((learned.dag.edge_count(), learned.score_name.as_deref()), (2, Some("qnml")));
    let estimation = learned.estimation.unwrap();
    assert!(estimation.is_converged && (250.0..330.0).contains(&estimation.effective_rows));
    let named = Learning { score: ScoreChoice::Named("nal".to_owned()), ..Learning::default() };
    let learned = named.run(&data, &Run::default()).unwrap();
    assert_eq!((learned.dag.edge_count(), learned.estimation), (2, None));
    // A missing value as a category of its own needs categories.
    assert!(read(&trial(true), Missing::Category).unwrap().faults().len() == 1);
    let own = Reading { missing: Missing::Category, ..cut };
    let data = Dataset::from_reader(trial(true).as_bytes(), "data.csv", &own).unwrap();
    assert!(!data.is_incomplete() && data.categories(1).unwrap().0.contains(&"missing".to_owned()));
}

#[test]
fn drawing_what_is_missing_finds_more_than_counting_where_nothing_is() {
    let network = BayesNet::embedded("child").unwrap();
    let (mut drawn, mut counted) = (0, 0);
    for seed in 0..3 {
        let whole = network.sample(1000, seed, BayesNet::TRAINING).unwrap();
        let mut rng = Rng::new(seed);
        let columns = (0..whole.columns()).map(|column| {
            let levels = whole.arity(column);
            let gap = |&code: &u8| if rng.uniform() < 0.2 { levels as u8 } else { code };
            MixedColumn::Categories { codes: whole.column(column).iter().map(gap).collect(), levels }
        });
        let data = Observations::Mixed(Mixed::new(columns.collect()).unwrap().into());
        let distance = |score: ScoreChoice| {
            let learned = Learning { score, ..Learning::default() }.run(&data, &Run::default()).unwrap();
            shd_cpdag(network.dag(), &learned.dag).unwrap()
        };
        drawn += distance(ScoreChoice::Auto);
        counted += distance(ScoreChoice::Named("nal".to_owned()));
    }
    assert!(drawn < counted, "{drawn} for {counted}");
}

#[test]
fn the_data_choose_between_one_model_and_one_for_each_combination() {
    for (name, is_flipped) in [("dg", false), ("cg", true)] {
        let mut rng = Rng::new(5);
        let (mut codes, mut x, mut y) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..300 {
            let code = u8::from(rng.uniform() < 0.5);
            let slope = if is_flipped && code == 1 { -1.0 } else { 1.0 };
            x.push(normal(&mut rng));
            y.push(slope * x[x.len() - 1] + f64::from(code) + 0.5 * normal(&mut rng));
            codes.push(code);
        }
        let columns = vec![
            MixedColumn::Categories { codes, levels: 2 },
            MixedColumn::Numbers(x),
            MixedColumn::Numbers(y),
        ];
        let data = Observations::Mixed(Mixed::new(columns).unwrap().into());
        let learned = Learning::default().run(&data, &Run::default()).unwrap();
        assert_eq!((learned.score_name.as_deref(), learned.dag.edge_count()), (Some(name), 2));
        let reason = if is_flipped { "a model for each combination" } else { "one linear model" };
        assert!(learned.score_choice.unwrap().contains(reason));
        // What was chosen is what it is by name.
        let named = Learning { score: ScoreChoice::Named(name.to_owned()), ..Learning::default() };
        assert_eq!(named.run(&data, &Run::default()).unwrap().cpdag, learned.cpdag);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Whatever the data are, there is a graph or an error, never a panic.
    #[test]
    fn nothing_panics(
        rows in 1_usize..12,
        kinds in proptest::collection::vec(0_u8..7, 1..6),
        seed in 0_u64..1000,
    ) {
        let mut rng = Rng::new(seed);
        let columns = kinds.iter().map(|kind| match kind {
            0 => MixedColumn::Numbers((0..rows).map(|_| normal(&mut rng)).collect()),
            1 => MixedColumn::Numbers(vec![3.0; rows]),
            2 => MixedColumn::Numbers((0..rows).map(|row| if row % 2 == 0 { f64::NAN } else { row as f64 }).collect()),
            3 => MixedColumn::Categories { codes: (0..rows).map(|row| row as u8).collect(), levels: rows },
            4 => MixedColumn::Categories { codes: vec![0; rows], levels: 2 },
            5 => MixedColumn::Categories { codes: vec![1; rows], levels: 1 },
            _ => MixedColumn::Categories { codes: (0..rows).map(|_| rng.below(3) as u8).collect(), levels: 2 },
        }).collect();
        let data = Observations::Mixed(Arc::new(Mixed::new(columns).unwrap()));
        for (method, score) in [("insertion", "auto"), ("insertion", "cg"), ("insertion", "dg"), ("pc", "auto")] {
            let method = LearnMethod::by_name(method).unwrap();
            let learning = Learning { method, score: ScoreChoice::from(score), ..Learning::default() };
            if let Ok(learned) = learning.run(&data, &Run::default()) {
                prop_assert!(learned.score.is_none_or(|score| !score.is_nan()));
            }
        }
    }
}
