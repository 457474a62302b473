//! Noise of any shape and effects of any bend: the scores that look at the rows, and when the data call for them.

use plackett::run::Run;
use plackett_dag::{
    Dag, Dataset, Gram, Interventions, Learned, Learning, NodeSet, Observations, ScoreChoice,
    dataset::{Kind, Reading, SourceColumn, SourceValues},
    gram::Centering,
    learning::Direction,
    metrics::shd,
    score::{ScoreSettings, score_by_name},
};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use rand_distr::{Distribution as _, Exp1, StandardNormal, StudentT};

type Columns = Vec<Vec<f64>>;

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    rng.random_range(-1.7..1.7)
}

fn exponential(rng: &mut ChaCha8Rng) -> f64 {
    let draw: f64 = Exp1.sample(rng);
    draw - 1.0
}

fn heavy(rng: &mut ChaCha8Rng) -> f64 {
    StudentT::new(3.0).unwrap().sample(rng)
}

/// A random graph over the nodes in a random order, three neighbors each, with columns made by `effect` of parents and noise.
fn simulated(
    nodes: usize,
    rows: usize,
    seed: u64,
    noise: fn(&mut ChaCha8Rng) -> f64,
    effect: fn(f64) -> f64,
) -> (Dag, Columns) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let place: Vec<usize> = (0..nodes).map(|node| node * 7 % nodes).collect();
    let mut parents = vec![Vec::new(); nodes];
    for later in 1..nodes {
        for earlier in 0..later {
            if rng.random_bool(3.0 / (nodes as f64 - 1.0)) {
                parents[place[later]].push(place[earlier]);
            }
        }
    }
    let mut columns: Columns = vec![Vec::new(); nodes];
    for &node in &place {
        let weights: Vec<f64> = parents[node]
            .iter()
            .map(|_| rng.random_range(0.6..1.2) * if rng.random_bool(0.5) { 1.0 } else { -1.0 })
            .collect();
        let column = (0..rows).map(|row| {
            let causes = parents[node].iter().zip(&weights);
            causes.map(|(&parent, weight)| weight * effect(columns[parent][row])).sum::<f64>()
                + noise(&mut rng)
        });
        columns[node] = column.collect();
    }
    parents.iter_mut().for_each(|set| set.sort_unstable());
    (Dag::from_parents(parents).unwrap(), columns)
}

fn observed(columns: &Columns, centering: Centering) -> Observations {
    let column = |(at, values): (usize, &Vec<f64>)| SourceColumn {
        name: format!("x{at}"),
        values: SourceValues::Numbers(values.clone()),
    };
    let columns = columns.iter().enumerate().map(column).collect();
    Dataset::from_columns(columns, "made here", &Reading::all(Kind::Numbers))
        .unwrap()
        .observations(centering)
        .unwrap()
}

fn learn(data: &Observations, score: &str) -> Learned {
    let learning = Learning { score: ScoreChoice::from(score), ..Learning::default() };
    learning.run(data, &Run::default()).unwrap()
}

#[test]
fn linear_effects_and_noise_that_is_not_gaussian_tell_the_whole_graph() {
    for (name, noise) in [("uniform", uniform as fn(&mut _) -> _), ("exponential", exponential), ("t", heavy)]
    {
        for seed in 0..3 {
            let (truth, columns) = simulated(8, 1000, seed, noise, |x| x);
            let found = learn(&observed(&columns, Centering::Standardize), "auto");
            assert_eq!(found.score_name.as_deref(), Some("non-gaussian"), "{name}, seed {seed}");
            assert!(shd(&truth, &found.dag).unwrap() <= 1, "{name}, seed {seed}");
            // The weights are still those of the linear model.
            let (from, to, weight) = found.dag.edges().next().unwrap();
            let bic = learn(&observed(&columns, Centering::Standardize), "bic");
            let same = bic.dag.edges().find(|&(a, b, _)| (a, b) == (from, to));
            assert!(same.is_none_or(|(_, _, other)| other.signum() == weight.signum()));
        }
    }
}

#[test]
fn bent_effects_tell_the_whole_graph() {
    for (name, effect) in [
        ("waves", (|x: f64| 1.5 * x.sin()) as fn(f64) -> f64),
        ("squares", |x| 0.5 * x * x.clamp(-3.0, 3.0).abs() - x),
    ] {
        for seed in 0..3 {
            let (truth, columns) = simulated(8, 1000, 10 + seed, normal, effect);
            let found = learn(&observed(&columns, Centering::Center), "auto");
            assert_eq!(found.score_name.as_deref(), Some("additive"), "{name}, seed {seed}");
            assert!(shd(&truth, &found.dag).unwrap() <= 2, "{name}, seed {seed}");
        }
    }
}

#[test]
fn straight_lines_and_gaussian_noise_are_left_to_the_bic() {
    for seed in 0..20 {
        let (_, columns) = simulated(8, [200, 500, 1000][seed as usize % 3], 100 + seed, normal, |x| x);
        let found = learn(&observed(&columns, Centering::Standardize), "auto");
        assert_eq!(found.score_name.as_deref(), Some("bic"), "seed {seed}: {:?}", found.score_choice);
    }
}

#[test]
fn directions_between_gaussian_nodes_stay_open() {
    // Two pairs that have nothing to do with each other: one with uniform noise, one with Gaussian noise.
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let a: Vec<f64> = (0..1000).map(|_| uniform(&mut rng)).collect();
    let b: Vec<f64> = a.iter().map(|value| value + uniform(&mut rng)).collect();
    let c: Vec<f64> = (0..1000).map(|_| normal(&mut rng)).collect();
    let d: Vec<f64> = c.iter().map(|value| value + normal(&mut rng)).collect();
    let found = learn(&observed(&vec![a, b, c, d], Centering::Standardize), "auto");
    assert_eq!(found.direction(0, 1), Direction::Assumed("shape of the noise"));
    let (from, to, _) = found.dag.edges().find(|&(from, _, _)| from > 1).unwrap();
    assert_eq!(found.direction(from, to), Direction::Open);
    let claim = found.claim();
    assert_eq!((claim.directed(), claim.undirected()), (&[(0, 1)][..], &[(2, 3)][..]));
}

#[test]
fn costs_are_likelihoods_of_the_rows() {
    // Of one uniform column and a line through it, by the formulas.
    let rows = 4000;
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let x: Vec<f64> = (0..rows).map(|_| uniform(&mut rng)).collect();
    let y: Vec<f64> = x.iter().map(|value| 2.0 * value + uniform(&mut rng)).collect();
    let Observations::Numbers(gram) = observed(&vec![x, y], Centering::Center) else { unreachable!() };
    let settings = ScoreSettings { penalty_factor: Some(1.0), ..ScoreSettings::default() };
    let cost = |name: &str, node: usize, parents: &[usize]| {
        let score = score_by_name(name, gram.clone(), &settings).unwrap();
        score.cost(node, &parents.iter().copied().collect::<NodeSet>()).unwrap()
    };
    let half_log = 0.5 * f64::from(rows).ln();
    // A uniform density on the range has the logarithm of its width for entropy; the Gaussian one ½ log 2πe more than ½ log v.
    let gaussian = 0.5 * (2.0 * std::f64::consts::PI * std::f64::consts::E).ln();
    let expected = f64::from(rows) * ((2.0 * 1.7_f64).ln() - gaussian) + 3.0 * half_log;
    let found = cost("non-gaussian", 0, &[]);
    assert!((found - expected).abs() < 12.0, "{found} for {expected}");
    // With a line alone an additive model is the linear one, up to the pseudo-row.
    let (additive, bic) = (cost("additive", 1, &[0]), cost("bic", 1, &[0]));
    assert!((additive - bic).abs() < 3.0, "{additive} for {bic}");
}

#[test]
fn moments_without_rows_are_refused_by_name_and_passed_over_by_auto() {
    let gram = Gram::from_matrix(1000, 2, vec![1.0, 0.6, 0.6, 1.0]).unwrap();
    let data = Observations::Numbers(gram.into());
    for score in ["non-gaussian", "additive"] {
        let learning = Learning { score: ScoreChoice::from(score), ..Learning::default() };
        let error = learning.run(&data, &Run::default()).unwrap_err().to_string();
        assert!(error.contains("only moments are known"), "{error}");
    }
    assert_eq!(learn(&data, "auto").score_name.as_deref(), Some("bic"));
}

#[test]
fn rows_in_which_a_column_was_set_say_nothing_of_its_causes() {
    // b follows a in half of the rows, with uniform noise, and is set in the others, by which it seems to have nothing to do with a.
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut rows = Vec::new();
    let targets: Vec<Vec<usize>> = (0..1000).map(|row| if row % 2 == 0 { vec![] } else { vec![1] }).collect();
    for set in &targets {
        let a = uniform(&mut rng);
        let b = if set.is_empty() { a + uniform(&mut rng) } else { 5.0 + exponential(&mut rng) };
        rows.extend([a, b]);
    }
    let interventions = Interventions::new(2, targets.clone()).unwrap();
    let whole = Gram::with_interventions(&rows, &interventions, Centering::Center).unwrap();
    let kept: Vec<f64> = rows
        .chunks(2)
        .zip(&targets)
        .filter(|(_, set)| set.is_empty())
        .flat_map(|(row, _)| row.to_vec())
        .collect();
    let kept = Gram::with_rows(&kept, 2, Centering::Center).unwrap();
    let settings = ScoreSettings { penalty_factor: Some(1.0), ..ScoreSettings::default() };
    for name in ["non-gaussian", "additive"] {
        let cost = |gram: &Gram| {
            let score = score_by_name(name, gram.clone().into(), &settings).unwrap();
            score.cost(1, &NodeSet::from_iter([0])).unwrap()
        };
        let (found, expected) = (cost(&whole), cost(&kept));
        assert!((found - expected).abs() < 1e-6 * expected.abs(), "{name}: {found} for {expected}");
    }
}
