//! Each verdict of the diagnostics on data made for it, and on data where it must stay quiet.

use std::sync::Arc;

use plackett::run::{Limits, Run};
use plackett_dag::{
    Categories, Dataset, Gram, Learned, Learning, Observations, ScoreChoice, Sem,
    dataset::{Kind, Reading, RowTargets, SourceColumn, SourceValues, Targets},
    diagnostics::{Diagnostic, Evidence, Verdict, diagnose},
    gram::Centering,
    simulate::{Noise, SemSettings, simulate_sem},
};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use rand_distr::{Distribution as _, Exp1, StandardNormal, StudentT};

type Columns = Vec<Vec<f64>>;

fn names(count: usize) -> Vec<String> {
    (0..count).map(|column| format!("x{column}")).collect()
}

/// Learns from rows of numbers by a score, and looks at the result.
fn look(columns: Columns, score: &str) -> Vec<Diagnostic> {
    let data = observed(columns, Centering::Center);
    let learned = learn(&data, score);
    let names = names(data.columns());
    let evidence = Evidence { data: &data, learned: &learned, names: &names };
    diagnose(&evidence, &Run::default())
}

fn observed(columns: Columns, centering: Centering) -> Observations {
    let names = names(columns.len()).into_iter();
    let columns =
        names.zip(columns).map(|(name, values)| SourceColumn { name, values: SourceValues::Numbers(values) });
    let data = Dataset::from_columns(columns.collect(), "made here", &Reading::all(Kind::Numbers)).unwrap();
    data.observations(centering).unwrap()
}

fn learn(data: &Observations, score: &str) -> Learned {
    let learning = Learning { score: ScoreChoice::from(score), ..Learning::default() };
    learning.run(data, &Run::default()).unwrap()
}

fn named<'a>(found: &'a [Diagnostic], name: &str) -> &'a Diagnostic {
    found.iter().find(|diagnostic| diagnostic.name == name).unwrap_or_else(|| panic!("no {name}"))
}

fn verdict(found: &[Diagnostic], name: &str) -> Verdict {
    named(found, name).verdict
}

/// A chain x₀ → x₁ → …, each column a function of the one before plus noise.
fn chain(
    rows: usize,
    length: usize,
    seed: u64,
    mut noise: impl FnMut(&mut ChaCha8Rng) -> f64,
    link: impl Fn(f64) -> f64,
) -> Columns {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut columns = vec![Vec::with_capacity(rows); length];
    for _ in 0..rows {
        let mut value = noise(&mut rng);
        columns[0].push(value);
        for column in &mut columns[1..] {
            value = link(value) + noise(&mut rng);
            column.push(value);
        }
    }
    columns
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// Linear Gaussian data of a random graph.
fn gaussian(rows: usize, nodes: usize, seed: u64, noise: Noise) -> Columns {
    let sem = simulate_sem(&SemSettings { nodes, degree: 1, noise, ..SemSettings::default() }, seed).unwrap();
    let data = sem.sample(rows, Sem::TRAINING);
    (0..nodes).map(|column| data.rows().map(|row| row[column]).collect()).collect()
}

#[test]
fn shapes_of_residuals_are_told_from_normal_ones() {
    let skewed = look(chain(500, 4, 1, |rng| Exp1.sample(rng), |x| 0.8 * x), "bic");
    assert_eq!(verdict(&skewed, "normality"), Verdict::Caution);
    let heavy = look(chain(500, 4, 2, |rng| StudentT::new(3.0).unwrap().sample(rng), |x| 0.8 * x), "bic");
    assert_eq!(
        (verdict(&heavy, "normality"), verdict(&heavy, "tails")),
        (Verdict::Caution, Verdict::Caution)
    );
    assert!(named(&heavy, "tails").value.unwrap() > 2.0);
    // Light tails are not normal either, but no few rows decide.
    let light = look(chain(500, 4, 3, |rng| rng.random_range(-1.0..1.0), |x| 0.8 * x), "bic");
    assert_eq!((verdict(&light, "normality"), verdict(&light, "tails")), (Verdict::Caution, Verdict::Fine));
    let plain = look(chain(500, 4, 4, normal, |x| 0.8 * x), "bic");
    assert_eq!((verdict(&plain, "normality"), verdict(&plain, "tails")), (Verdict::Fine, Verdict::Fine));
}

#[test]
fn bends_are_told_from_straight_lines() {
    let bent = look(chain(500, 3, 5, normal, |x| x + 0.5 * x * x), "bic");
    let found = named(&bent, "nonlinearity");
    assert_eq!(found.verdict, Verdict::Caution);
    assert!(found.value.unwrap() > 0.1 && found.advice.contains('"'));
    assert_eq!(verdict(&look(chain(500, 3, 6, normal, |x| x), "bic"), "nonlinearity"), Verdict::Fine);
}

/// On linear Gaussian data each verdict stays quiet but for the share of sets that its level allows.
#[test]
fn false_alarms_are_rare() {
    let mut alarms = std::collections::BTreeMap::new();
    let sets = 100;
    for seed in 0..sets {
        let rows = [100, 300, 1000][seed as usize % 3];
        let found = look(gaussian(rows, 8, seed, Noise::Unequal { low: 0.5, high: 2.0 }), "bic");
        for diagnostic in found {
            let alarm = usize::from(diagnostic.verdict == Verdict::Caution);
            *alarms.entry(diagnostic.name).or_insert(0) += alarm;
        }
    }
    for name in
        ["normality", "tails", "nonlinearity", "rows per parameter", "equal variances", "varsortability"]
    {
        // The level is 1 % of sets: more than five of a hundred have a probability of 5·10⁻⁴.
        assert!(alarms[name] <= 5, "{name}: {} of {sets}", alarms[name]);
    }
}

/// The others on data that each of them has nothing to say of, by scores to which it matters.
#[test]
fn false_alarms_are_rare_where_there_is_nothing_to_tell() {
    const SETS: u64 = 100;
    let quiet = |name: &str, look: &dyn Fn(u64) -> Vec<Diagnostic>| {
        let alarms = (0..SETS).filter(|&seed| verdict(&look(seed), name) == Verdict::Caution).count();
        assert!(alarms <= 5, "{name}: {alarms} of {SETS}");
    };
    quiet("equal variances", &|seed| look(gaussian(300, 8, seed, Noise::Standard), "ev-l0"));
    // Standardized columns have no order by variance.
    quiet("varsortability", &|seed| {
        let data = observed(gaussian(300, 8, seed, Noise::Standard), Centering::Standardize);
        let learned = learn(&data, "l1");
        diagnose(&Evidence { data: &data, learned: &learned, names: &names(8) }, &Run::default())
    });
    // Two causes of one effect, three times: all directions are compelled, and no cause tells of another.
    let colliders = |seed: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut columns = vec![Vec::new(); 9];
        for _ in 0..300 {
            for three in columns.chunks_mut(3) {
                let causes = [normal(&mut rng), normal(&mut rng)];
                let effect = 0.8 * (causes[0] - causes[1]) + normal(&mut rng);
                three.iter_mut().zip([causes[0], causes[1], effect]).for_each(|(column, x)| column.push(x));
            }
        }
        look(columns, "bic")
    };
    quiet("open directions", &colliders);
    quiet("collinearity", &colliders);
    quiet("latent confounders", &colliders);
    // In twelve pairs each tells as much of the other.
    quiet("R2-sortability", &|seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut columns = vec![Vec::new(); 24];
        for _ in 0..200 {
            for pair in columns.chunks_mut(2) {
                let cause = normal(&mut rng);
                pair[0].push(cause);
                pair[1].push(0.7 * cause + normal(&mut rng));
            }
        }
        look(columns, "bic")
    });
    // A chain of three categories each.
    quiet("sparse cells", &|seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut columns = vec![Vec::new(); 5];
        for _ in 0..500 {
            let mut code = rng.random_range(0..3_u8);
            for column in &mut columns {
                column.push(code);
                code = if rng.random_range(0..10) < 6 { code } else { rng.random_range(0..3) };
            }
        }
        let labels = vec![["a", "b", "c"].map(str::to_owned).to_vec(); 5];
        let data = Observations::Categories(Categories::new(names(5), labels, columns).unwrap().into());
        let learned = learn(&data, "bdeu");
        diagnose(&Evidence { data: &data, learned: &learned, names: &names(5) }, &Run::default())
    });
}

/// Rows in which a column was set say nothing of its noise: the residuals are those of the others.
#[test]
fn residuals_are_those_of_the_rows_that_were_not_set() {
    let mut columns = chain(600, 3, 21, normal, |x| 0.8 * x);
    // Set in a third of the rows, by a rule that is far from normal and has nothing to do with its cause.
    let set: Vec<usize> = (0..600).step_by(3).collect();
    for &row in &set {
        let (before, after) = (columns[1][row], if row % 2 == 0 { 30.0 } else { -2.0 });
        columns[1][row] = after;
        columns[2][row] += 0.8 * (after - before);
    }
    let learn_with = |reading: &Reading, columns: Columns| {
        let names = names(3);
        let columns = names
            .iter()
            .zip(columns)
            .map(|(name, values)| SourceColumn { name: name.clone(), values: SourceValues::Numbers(values) });
        let data = Dataset::from_columns(columns.collect(), "made here", reading).unwrap();
        let data = data.observations(Centering::Center).unwrap();
        let learned = learn(&data, "bic");
        let evidence = Evidence { data: &data, learned: &learned, names: &names };
        diagnose(&evidence, &Run::default())
    };
    let plain = Reading::all(Kind::Numbers);
    let target = |&row: &usize| RowTargets { first: row + 1, last: row + 1, targets: vec!["x1".to_owned()] };
    let told = Reading {
        interventions: Some(Targets::Rows(set.iter().map(target).collect())),
        ..Reading::all(Kind::Numbers)
    };
    let found = learn_with(&told, columns.clone());
    assert_eq!(verdict(&found, "normality"), Verdict::Fine, "{found:?}");
    assert_eq!(verdict(&learn_with(&plain, columns), "normality"), Verdict::Caution);
}

#[test]
fn what_takes_rows_says_so_without_them() {
    let columns = gaussian(300, 5, 7, Noise::Standard);
    let rows: Vec<f64> = (0..300).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
    let data = Observations::Numbers(Gram::from_rows(&rows, 5, Centering::Center).unwrap().into());
    let learned = learn(&data, "bic");
    let names = names(5);
    let found = diagnose(&Evidence { data: &data, learned: &learned, names: &names }, &Run::default());
    for name in ["normality", "tails", "nonlinearity"] {
        assert_eq!(verdict(&found, name), Verdict::Unknown);
        assert!(named(&found, name).advice.contains("moments"));
    }
    assert_ne!(verdict(&found, "collinearity"), Verdict::Unknown);
}

#[test]
fn without_time_what_takes_rows_is_unknown() {
    let data = observed(gaussian(300, 5, 7, Noise::Standard), Centering::Center);
    let learned = learn(&data, "bic");
    let evidence = Evidence { data: &data, learned: &learned, names: &names(5) };
    let found = diagnose(&evidence, &Run::new(Limits::time(std::time::Duration::ZERO)));
    assert_eq!(verdict(&found, "normality"), Verdict::Unknown);
    assert!(named(&found, "normality").advice.contains("time"));
    assert_eq!(verdict(&found, "rows per parameter"), Verdict::Fine);
}

/// Centering and scaling of the moments change nothing of the residuals.
#[test]
fn residuals_are_those_of_the_moments_whatever_was_done_to_them() {
    let columns = gaussian(300, 5, 8, Noise::Standard);
    let figures = |centering| {
        let data = observed(columns.clone(), centering);
        let learned = learn(&data, "bic");
        let evidence = Evidence { data: &data, learned: &learned, names: &names(5) };
        let found = diagnose(&evidence, &Run::default());
        (learned.cpdag, named(&found, "tails").value.unwrap())
    };
    let (centered, standardized) = (figures(Centering::Center), figures(Centering::Standardize));
    assert_eq!(centered.0, standardized.0);
    assert!((centered.1 - standardized.1).abs() < 0.3, "{centered:?} {standardized:?}");
}

#[test]
fn equal_variances_matter_to_the_score_that_rests_on_them() {
    let unequal = gaussian(1000, 6, 9, Noise::Unequal { low: 0.2, high: 3.0 });
    assert_eq!(verdict(&look(unequal.clone(), "ev-l0"), "equal variances"), Verdict::Caution);
    assert_eq!(verdict(&look(unequal, "bic"), "equal variances"), Verdict::Unused);
    let equal = look(gaussian(1000, 6, 9, Noise::Standard), "ev-l0");
    assert_eq!(verdict(&equal, "equal variances"), Verdict::Fine);
    assert!(named(&equal, "equal variances").value.unwrap() < 2.0);
}

#[test]
fn a_sort_by_variance_matters_to_scores_that_compare_variances() {
    // Variances grow along a chain.
    let columns = chain(500, 6, 10, normal, |x| 1.2 * x);
    let found = look(columns.clone(), "ev-l0");
    assert_eq!(verdict(&found, "varsortability"), Verdict::Caution);
    assert!((named(&found, "varsortability").value.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(verdict(&look(columns.clone(), "bic"), "varsortability"), Verdict::Unused);
    // Standardized, all variances are equal: every pair is a tie.
    let data = observed(columns, Centering::Standardize);
    let learned = learn(&data, "ev-l0");
    let evidence = Evidence { data: &data, learned: &learned, names: &names(6) };
    let found = diagnose(&evidence, &Run::default());
    assert_eq!(
        (named(&found, "varsortability").value, verdict(&found, "varsortability")),
        (Some(0.5), Verdict::Fine)
    );
}

#[test]
fn a_sort_by_predictability_is_seen_after_standardizing_too() {
    // Two sums of ten causes each: causes tell most of a sum, and a sum little of each cause.
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut sums = vec![Vec::new(); 12];
    let mut pairs = vec![Vec::new(); 12];
    for _ in 0..2000 {
        let causes: Vec<f64> = (0..10).map(|_| normal(&mut rng)).collect();
        let sum = causes.iter().sum::<f64>();
        let effects = [sum + normal(&mut rng), sum - 2.0 * causes[0] + normal(&mut rng)];
        sums.iter_mut().zip(causes.iter().chain(&effects)).for_each(|(column, &value)| column.push(value));
        // In pairs each tells as much of the other.
        for pair in pairs.chunks_mut(2) {
            let cause = normal(&mut rng);
            pair[0].push(cause);
            pair[1].push(0.7 * cause + normal(&mut rng));
        }
    }
    let data = observed(sums, Centering::Standardize);
    let learned = learn(&data, "bic");
    let evidence = Evidence { data: &data, learned: &learned, names: &names(12) };
    let found = diagnose(&evidence, &Run::default());
    assert_eq!(verdict(&found, "R2-sortability"), Verdict::Caution);
    assert!(named(&found, "R2-sortability").value.unwrap() > 0.95);
    assert_eq!(verdict(&look(pairs, "bic"), "R2-sortability"), Verdict::Fine);
}

#[test]
fn parents_that_say_the_same_are_named() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let mut columns = vec![Vec::new(); 3];
    for _ in 0..2000 {
        let (a, b) = (normal(&mut rng), 0.03 * normal(&mut rng));
        let noise = 0.01 * normal(&mut rng);
        for (column, value) in columns.iter_mut().zip([a, a + b, a - 3.0 * b + noise]) {
            column.push(value);
        }
    }
    let found = look(columns, "bic");
    assert_eq!(verdict(&found, "collinearity"), Verdict::Caution);
    let apart = look(chain(500, 4, 14, normal, |x| 0.8 * x), "bic");
    assert_eq!(verdict(&apart, "collinearity"), Verdict::Fine);
    assert!((named(&apart, "collinearity").value.unwrap() - 1.0).abs() < 0.5);
}

#[test]
fn few_rows_for_many_parameters_are_told() {
    let few = look(gaussian(12, 5, 15, Noise::Standard), "l1");
    assert_eq!(verdict(&few, "rows per parameter"), Verdict::Caution);
    let many = look(gaussian(1000, 5, 15, Noise::Standard), "bic");
    assert_eq!(verdict(&many, "rows per parameter"), Verdict::Fine);
}

#[test]
fn open_directions_are_counted() {
    // A chain has no compelled direction, a collider no open one.
    let chain = look(chain(500, 3, 16, normal, |x| x), "bic");
    let open = named(&chain, "open directions");
    assert_eq!((open.value, open.verdict), (Some(1.0), Verdict::Caution));
    let matrix = vec![1.0, 0.0, 1.0, 0.0, 1.0, 0.7, 1.0, 0.7, 2.49];
    let data = Observations::Numbers(Arc::new(Gram::from_matrix(500, 3, matrix).unwrap()));
    let learned = learn(&data, "bic");
    let found = diagnose(&Evidence { data: &data, learned: &learned, names: &names(3) }, &Run::default());
    let open = named(&found, "open directions");
    assert_eq!((open.value, open.verdict), (Some(0.0), Verdict::Fine));
    assert_eq!(verdict(&found, "latent confounders"), Verdict::Assumed);
}

#[test]
fn thin_tables_of_categories_are_told() {
    let look = |rows: usize, arity: u8| {
        let mut rng = ChaCha8Rng::seed_from_u64(17);
        let mut columns = vec![Vec::new(); 2];
        for _ in 0..rows {
            let cause = rng.random_range(0..arity);
            let noise = rng.random_range(0..10);
            columns[0].push(cause);
            columns[1].push(if noise < 8 { cause } else { rng.random_range(0..arity) });
        }
        let labels = |_: usize| (0..arity).map(|label| label.to_string()).collect::<Vec<_>>();
        let data = Categories::new(names(2), (0..2).map(labels).collect(), columns).unwrap();
        let data = Observations::Categories(data.into());
        let learned = learn(&data, "bdeu");
        assert_eq!(learned.dag.edge_count(), 1);
        diagnose(&Evidence { data: &data, learned: &learned, names: &names(2) }, &Run::default())
    };
    let thin = look(100, 6);
    assert_eq!(
        (verdict(&thin, "sparse cells"), verdict(&thin, "rows per parameter")),
        (Verdict::Caution, Verdict::Caution)
    );
    let thick = look(2000, 3);
    assert_eq!(
        (verdict(&thick, "sparse cells"), verdict(&thick, "rows per parameter")),
        (Verdict::Fine, Verdict::Fine)
    );
    assert!(thick.iter().all(|diagnostic| diagnostic.name != "normality"));
}
