//! The bootstrap against a naive one, which copies rows and calls `learn` in a loop; its threads, its end and its going on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plackett::run::{Limits, Run};
use plackett_dag::dataset::{Missing, Reading, SourceColumn, SourceValues, Targets};
use plackett_dag::gram::Centering;
use plackett_dag::learning::{NumberSettings, SearchSettings};
use plackett_dag::simulate::{GraphKind, Noise, SemSettings, simulate_sem};
use plackett_dag::{
    BayesNet, Bootstrap, Cpdag, Dataset, Error, LearnMethod, Learned, Learning, Resampler, Sem, Support,
};
use proptest::prelude::*;

const REPLICATES: u64 = 12;

/// Columns of a linear model.
fn numbers(nodes: usize, rows: usize, seed: u64) -> Vec<SourceColumn> {
    let noise = Noise::Unequal { low: 0.4, high: 2.0 };
    let settings = SemSettings { nodes, degree: 2, graph: GraphKind::ErdosRenyi, noise };
    let table = simulate_sem(&settings, seed).unwrap().sample(rows, Sem::TRAINING);
    let column = |at: usize| SourceColumn {
        name: format!("x{at}"),
        values: SourceValues::Numbers(table.rows().map(|row| row[at]).collect()),
    };
    (0..nodes).map(column).collect()
}

/// Columns of a discrete network.
fn categories(rows: usize) -> Vec<SourceColumn> {
    let data = BayesNet::embedded("asia").unwrap().sample(rows, 3, BayesNet::TRAINING).unwrap();
    let column = |at: usize| SourceColumn {
        name: data.names()[at].clone(),
        values: SourceValues::Categories {
            labels: data.levels(at).to_vec(),
            codes: data.column(at).iter().map(|&code| u32::from(code)).collect(),
            is_ordered: false,
        },
    };
    (0..data.columns()).map(column).collect()
}

/// Numbers of which every other column is cut into three categories.
fn mixed(nodes: usize, rows: usize, seed: u64) -> Vec<SourceColumn> {
    let cut = |(at, column): (usize, SourceColumn)| match column.values {
        SourceValues::Numbers(values) if at % 2 == 1 => SourceColumn {
            name: column.name,
            values: SourceValues::Categories {
                labels: ["low", "middle", "high"].map(str::to_owned).to_vec(),
                codes: values.iter().map(|&value| u32::from(value > -0.7) + u32::from(value > 0.7)).collect(),
                is_ordered: false,
            },
        },
        values => SourceColumn { name: column.name, values },
    };
    numbers(nodes, rows, seed).into_iter().enumerate().map(cut).collect()
}

/// The same with gaps.
fn with_gaps(mut columns: Vec<SourceColumn>) -> Vec<SourceColumn> {
    for (at, column) in columns.iter_mut().enumerate().skip(1) {
        match &mut column.values {
            SourceValues::Numbers(values) => {
                values.iter_mut().skip(at).step_by(11).for_each(|value| *value = f64::NAN);
            }
            SourceValues::Categories { codes, .. } | SourceValues::Texts { codes, .. } => {
                codes.iter_mut().skip(at).step_by(13).for_each(|code| *code = SourceValues::MISSING);
            }
        }
    }
    columns
}

/// The same with a column that names what was set from outside: nothing in half of the rows, one column in the others, which are noise there.
fn with_targets(mut columns: Vec<SourceColumn>) -> Vec<SourceColumn> {
    let texts = [String::new(), columns[1].name.clone(), columns[3].name.clone()];
    let rows = rows_of(&columns);
    let target = |row: usize| [0, 1, 0, 2][row % 4];
    for (at, which) in [(1, 1), (3, 2)] {
        let set = (0..rows).filter(|&row| target(row) == which);
        match &mut columns[at].values {
            SourceValues::Numbers(values) => set.for_each(|row| values[row] = ((row * 37) % 11) as f64),
            SourceValues::Categories { labels, codes, .. } => {
                set.for_each(|row| codes[row] = ((row / 4) % labels.len()) as u32);
            }
            SourceValues::Texts { .. } => {}
        }
    }
    let codes = (0..rows).map(target).collect();
    let values = SourceValues::Texts { texts: texts.to_vec(), codes };
    columns.push(SourceColumn { name: "target".to_owned(), values });
    columns
}

/// Each row as often as its count says, one copy after another.
fn copied(columns: &[SourceColumn], counts: &[u32]) -> Vec<SourceColumn> {
    fn copies<T: Copy>(values: &[T], counts: &[u32]) -> Vec<T> {
        let rows = values.iter().zip(counts);
        rows.flat_map(|(&value, &count)| std::iter::repeat_n(value, count as usize)).collect()
    }
    let column = |column: &SourceColumn| {
        let values = match &column.values {
            SourceValues::Numbers(values) => SourceValues::Numbers(copies(values, counts)),
            SourceValues::Categories { labels, codes, is_ordered } => SourceValues::Categories {
                labels: labels.clone(),
                codes: copies(codes, counts),
                is_ordered: *is_ordered,
            },
            SourceValues::Texts { texts, codes } => {
                SourceValues::Texts { texts: texts.clone(), codes: copies(codes, counts) }
            }
        };
        SourceColumn { name: column.name.clone(), values }
    };
    columns.iter().map(column).collect()
}

fn dataset(columns: &[SourceColumn], reading: &Reading) -> Dataset {
    let all_once = vec![1; rows_of(columns)];
    Dataset::from_columns(copied(columns, &all_once), "data", reading).unwrap()
}

fn rows_of(columns: &[SourceColumn]) -> usize {
    match &columns[0].values {
        SourceValues::Numbers(values) => values.len(),
        SourceValues::Categories { codes, .. } | SourceValues::Texts { codes, .. } => codes.len(),
    }
}

/// What is said of directions, by the book: the class if all its graphs are equally good, otherwise the graph.
fn claim(learned: &Learned) -> Cpdag {
    if learned.is_equivalent {
        return learned.cpdag.clone();
    }
    let undecided = learned.basis.as_ref().map_or(&[][..], |basis| &basis.undecided);
    Cpdag::of_known(&learned.dag, |from, to| !undecided.contains(&(from, to)))
}

/// The support by copies of rows and calls of `learn`.
fn naive(columns: &[SourceColumn], reading: &Reading, learning: &Learning, rows: &Resampler) -> Support {
    let mut support = Support::new(rows.observations().columns());
    for number in 0..REPLICATES {
        let counts = rows.draw(learning.seed, number);
        let data = dataset(&copied(columns, &counts), reading).observations(Centering::Center).unwrap();
        support.add(number, &claim(&learning.run(&data, &Run::default()).unwrap()));
    }
    support
}

/// Copies have the same moments but for rounding, which the price that fits the density found and searches that climb may come to feel:
/// the one is given here, and the others are exact.
#[test]
fn it_is_a_loop_over_learn_with_rows_copied() {
    let em = Reading { missing: Missing::Em, ..Reading::default() };
    let plain = Reading::default();
    let set = Reading { interventions: Some(Targets::Named("target".to_owned())), ..Reading::default() };
    let learn = |method: &str, score: &str| Learning {
        method: LearnMethod::by_name(method).unwrap(),
        score: score.into(),
        seed: 5,
        ..Learning::default()
    };
    let priced = |score: &str| Learning {
        numbers: NumberSettings { penalty: Some(1.2), ..NumberSettings::default() },
        ..learn("exact", score)
    };
    for (what, columns, reading, learning) in [
        ("numbers", numbers(7, 150, 1), &plain, priced("bic")),
        ("numbers, all directions", numbers(6, 150, 2), &plain, priced("ev-l0")),
        ("numbers by tests", numbers(7, 150, 3), &plain, learn("pc", "auto")),
        ("categories", categories(300), &plain, learn("insertion", "auto")),
        ("categories by bdeu", categories(300), &plain, learn("exact", "bdeu")),
        ("mixed by dg", mixed(6, 200, 4), &plain, learn("exact", "dg")),
        ("mixed by cg", mixed(6, 200, 4), &plain, learn("exact", "cg")),
        ("numbers with gaps", with_gaps(numbers(6, 150, 5)), &em, priced("bic")),
        ("mixed with gaps", with_gaps(mixed(6, 200, 6)), &em, learn("exact", "auto")),
        ("categories with gaps", with_gaps(categories(300)), &em, learn("insertion", "nal")),
        ("numbers of experiments", with_targets(numbers(7, 150, 1)), &set, priced("bic")),
        ("few numbers of experiments", with_targets(numbers(7, 24, 1)), &set, priced("bic")),
        ("numbers of experiments by bge", with_targets(numbers(6, 150, 2)), &set, learn("exact", "bge")),
        ("categories of experiments", with_targets(categories(300)), &set, learn("exact", "bdeu")),
        ("mixed data of experiments", with_targets(mixed(6, 200, 4)), &set, learn("exact", "dg")),
    ] {
        let rows = dataset(&columns, reading).resampler(Centering::Center).unwrap();
        let bootstrap = Bootstrap { learning: &learning, rows: &rows, start: None };
        let found = bootstrap.run(0..REPLICATES, &Run::default()).unwrap();
        assert!(found.pairs().count() > 3, "{what}");
        assert!(found.pairs().any(|(_, _, edge)| edge.adjacent < 1.0), "{what}: nothing is uncertain");
        assert_eq!(found, naive(&columns, reading, &learning, &rows), "{what}");
    }
}

/// How many rows an experiment has was chosen, and every resample keeps it.
#[test]
fn experiments_keep_their_numbers_of_rows() {
    let reading = Reading { interventions: Some(Targets::Named("target".to_owned())), ..Reading::default() };
    let rows = dataset(&with_targets(numbers(5, 101, 1)), &reading).resampler(Centering::Center).unwrap();
    let told = rows.observations().interventions().unwrap().clone();
    let sizes = |counts: &[u32]| {
        let mut sizes = vec![0; 3];
        for (targets, count) in told.row_targets().zip(counts) {
            sizes[told.regimes().iter().position(|regime| regime == targets).unwrap()] += count;
        }
        sizes
    };
    let whole = sizes(&[1; 101]);
    let drawn: Vec<Vec<u32>> = (0..20).map(|number| rows.draw(3, number)).collect();
    assert!(drawn.iter().all(|counts| sizes(counts) == whole));
    assert!(drawn.iter().any(|counts| counts.contains(&0)) && drawn[0] != drawn[1]);
    let again = rows.resampled(&drawn[0]).unwrap();
    assert_eq!(again.interventions().unwrap().targets(), told.targets());
}

/// Rows with the counts as their weights have the same moments to the last bit, so that all that the data decide is decided alike.
#[test]
fn it_is_a_loop_over_learn_with_rows_weighted() {
    let reading = Reading { weights: Some("w".to_owned()), ..Reading::default() };
    for (columns, method) in
        [(numbers(9, 150, 2), "auto"), (numbers(17, 150, 2), "auto"), (categories(200), "insertion")]
    {
        let search =
            SearchSettings { restarts: (columns.len() > 16).then_some(1), ..SearchSettings::default() };
        let method = LearnMethod::by_name(method).unwrap();
        let learning = Learning { method, search, seed: 5, ..Learning::default() };
        let rows = dataset(&columns, &Reading::default()).resampler(Centering::Center).unwrap();
        let bootstrap = Bootstrap { learning: &learning, rows: &rows, start: None };
        let found = bootstrap.run(0..REPLICATES, &Run::default()).unwrap();
        let mut expected = Support::new(columns.len());
        for number in 0..REPLICATES {
            let counts = rows.draw(learning.seed, number);
            let weighted = weighed(columns.clone(), |row| f64::from(counts[row]));
            let data = dataset(&weighted, &reading).observations(Centering::Center).unwrap();
            expected.add(number, &claim(&learning.run(&data, &Run::default()).unwrap()));
        }
        assert_eq!(found, expected);
    }
}

/// The same with a column of weights.
fn weighed(mut columns: Vec<SourceColumn>, weight: impl Fn(usize) -> f64) -> Vec<SourceColumn> {
    let weights = (0..rows_of(&columns)).map(weight).collect();
    columns.push(SourceColumn { name: "w".to_owned(), values: SourceValues::Numbers(weights) });
    columns
}

/// Whole weights are rows: the same as if each were there so often. Others are drawn with their rows.
#[test]
fn weighted_rows_are_drawn_with_their_weights() {
    let reading = Reading { weights: Some("w".to_owned()), ..Reading::default() };
    let learning = Learning {
        method: LearnMethod::by_name("exact").unwrap(),
        score: "bic".into(),
        seed: 2,
        ..Learning::default()
    };
    let priced = |penalty: Option<f64>| Learning {
        numbers: NumberSettings { penalty, ..NumberSettings::default() },
        ..learning.clone()
    };
    // Relative ones.
    let learning = priced(Some(1.2));
    let columns = weighed(numbers(6, 200, 7), |row| 0.25 + (row % 3) as f64);
    let rows = dataset(&columns, &reading).resampler(Centering::Center).unwrap();
    let bootstrap = Bootstrap { learning: &learning, rows: &rows, start: None };
    let found = bootstrap.run(0..REPLICATES, &Run::default()).unwrap();
    assert_eq!(found, naive(&columns, &reading, &learning, &rows));
    // Numbers of rows.
    for (columns, learning) in [(numbers(6, 60, 7), priced(Some(1.2))), (categories(120), priced(None))] {
        let weighted = weighed(columns.clone(), |row| (row % 4) as f64);
        let rows = dataset(&weighted, &reading).resampler(Centering::Center).unwrap();
        let kept: Vec<u32> = (0..rows_of(&columns)).map(|row| row as u32 % 4).collect();
        let total: u32 = kept.iter().sum();
        let found =
            Bootstrap { learning: &learning, rows: &rows, start: None }.run(0..4, &Run::default()).unwrap();
        let mut expected = Support::new(rows.observations().columns());
        for number in 0..4 {
            let drawn = rows.draw(learning.seed, number);
            assert_eq!(drawn.iter().sum::<u32>(), total);
            // Categories that count for nothing are left out before.
            let mut drawn = drawn.into_iter();
            let is_short = rows.rows() < kept.len();
            let counts: Vec<u32> = kept
                .iter()
                .map(|&kept| if is_short && kept == 0 { 0 } else { drawn.next().unwrap() })
                .collect();
            assert!(counts.iter().zip(&kept).all(|(&count, &kept)| kept > 0 || count == 0));
            let data = dataset(&copied(&columns, &counts), &Reading::default());
            let learned =
                learning.run(&data.observations(Centering::Center).unwrap(), &Run::default()).unwrap();
            expected.add(number, &claim(&learned));
        }
        assert_eq!(found, expected);
    }
}

/// With an order to begin with, exact searches find the same, and others come as close as chance allows.
#[test]
fn a_warm_start_leads_to_the_same_support() {
    for (columns, replicates, is_exact) in [(numbers(8, 200, 1), 12, true), (numbers(18, 300, 2), 24, false)]
    {
        let learning = Learning { score: "bic".into(), ..Learning::default() };
        let rows = dataset(&columns, &Reading::default()).resampler(Centering::Center).unwrap();
        let whole = learning.run(rows.observations(), &Run::default()).unwrap();
        assert_eq!(whole.method.name == "exact", is_exact);
        let cold = Bootstrap { learning: &learning, rows: &rows, start: None };
        let warm = Bootstrap { start: Some(&whole.order), ..cold };
        let numbers = 0..replicates;
        let [cold_support, warm_support] =
            [cold, warm].map(|bootstrap| bootstrap.run(numbers.clone(), &Run::default()).unwrap());
        if is_exact {
            assert_eq!(cold_support, warm_support);
            continue;
        }
        for (a, b, edge) in cold_support.pairs() {
            let other = warm_support.of(a, b);
            // The two share their resamples, so that they differ by far less than two bootstraps would.
            let error =
                |share: f64| (share * (1.0 - share) / replicates as f64).sqrt().max(1.0 / replicates as f64);
            for (cold, warm) in [(edge.adjacent, other.adjacent), (edge.forward, other.forward)] {
                assert!((cold - warm).abs() <= 2.0 * error(cold), "{a} {b}: {cold} and {warm}");
            }
        }
        // Nor is a warm one stuck where it began: what it finds scores as well.
        let score = |bootstrap: Bootstrap<'_>, number: u64| {
            bootstrap.replicate(number, &Run::default()).unwrap().unwrap().score.unwrap()
        };
        let gap: f64 = (0..6).map(|number| score(warm, number) - score(cold, number)).sum::<f64>() / 6.0;
        assert!(gap < 0.05, "{gap}");
    }
}

#[test]
fn threads_make_no_difference() {
    for columns in [numbers(18, 100, 3), categories(200), with_gaps(mixed(6, 120, 3))] {
        let reading = Reading { missing: Missing::Em, ..Reading::default() };
        let rows = dataset(&columns, &reading).resampler(Centering::Center).unwrap();
        let learning = Learning::default();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let bootstrap = Bootstrap { learning: &learning, rows: &rows, start: None };
            pool.install(|| bootstrap.run(0..8, &Run::default()).unwrap())
        };
        assert_eq!(run(1), run(2));
    }
}

/// Whenever the end comes, what is there is of whole replicates, and going on leads to what would have been without an end.
#[test]
fn an_end_leaves_whole_replicates_and_can_be_gone_on_from() {
    let rows = dataset(&numbers(7, 120, 4), &Reading::default()).resampler(Centering::Center).unwrap();
    let learning = Learning::default();
    let bootstrap = Bootstrap { learning: &learning, rows: &rows, start: None };
    let whole = bootstrap.run(0..10, &Run::default()).unwrap();
    assert_eq!(whole.replicates(), 10);
    let ended = |replicates: u64, seconds: u64| {
        let looks = AtomicU64::new(0);
        let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
        let run = Run::by(&clock, Limits::time(Duration::from_secs(seconds)));
        let support = bootstrap.run(0..replicates, &run).unwrap();
        (support, looks.load(Ordering::Relaxed))
    };
    let (_, all) = ended(10, u64::MAX);
    let mut sizes = Vec::new();
    for part in [0, 1, 3, 5, 8] {
        let (mut support, _) = ended(10, part * all / 10);
        sizes.push(support.replicates());
        let mut expected = Support::new(7);
        for number in (0..10).filter(|&number| support.has(number)) {
            expected.merge(&bootstrap.run([number], &Run::default()).unwrap()).unwrap();
        }
        assert_eq!(support, expected);
        // From a file, too.
        support = Support::from_json(&support.to_json("these"), "these").unwrap();
        let mut shown = Vec::new();
        bootstrap
            .extend(&mut support, 0..10, &mut |support| shown.push(support.replicates()), &Run::default())
            .unwrap();
        assert_eq!(support, whole);
        assert_eq!(shown.len(), 10 - sizes[sizes.len() - 1]);
    }
    assert_eq!(sizes[0], 0);
    assert!(sizes.iter().any(|&size| 0 < size && size < 10), "{sizes:?}");
    // As many as there are numbers are never listed.
    let (support, _) = ended(u64::MAX, all);
    assert!(support.replicates() > 0);
}

#[test]
fn what_cannot_be_resampled_or_gone_on_from_is_refused() {
    let covariance = plackett_dag::dataset::Covariance::new(
        vec!["a".to_owned(), "b".to_owned()],
        vec![1.0, 0.5, 0.5, 1.0],
        100,
    );
    let data = covariance.unwrap().into_dataset("matrix", &Reading::default()).unwrap();
    let error = data.resampler(Centering::Center).unwrap_err();
    assert!(matches!(&error, Error::Misfit { setting: "bootstrap", .. }), "{error}");
    assert!(error.to_string().contains("give the rows"), "{error}");
    let text = Support::new(3).to_json("these");
    let mended = text.replace("\"plackett_support\":1", "\"plackett_support\":9");
    for (text, subject, reason) in [
        (&text, "those", "other data, settings or another seed"),
        (&mended, "these", "version 9"),
        (&"{}".to_owned(), "these", "cannot be used"),
    ] {
        let error = Support::from_json(text, subject).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let impossible =
        r#"{"plackett_support":1,"subject":"these","nodes":2,"done":[0],"pairs":[[0,1,[1,1,0]]]}"#;
    assert!(Support::from_json(impossible, "these").is_err());
}

proptest! {
    /// However replicates contradict each other, the directed edges of their consensus have no cycle, and it joins just the pairs
    /// that are beyond the threshold.
    #[test]
    fn a_consensus_has_no_cycle(
        graphs in proptest::collection::vec(proptest::collection::vec(0..4_u8, 15), 1..8),
        threshold in 0.0..1.0_f64,
    ) {
        let pairs: Vec<(usize, usize)> = (0..6).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
        let mut support = Support::new(6);
        for (number, marks) in graphs.iter().enumerate() {
            let of = |wanted: u8| pairs.iter().zip(marks).filter(move |(_, mark)| **mark == wanted).map(|(&pair, _)| pair);
            let directed = of(1).chain(of(2).map(|(a, b)| (b, a)));
            support.add(number as u64, &Cpdag::from_edges(6, directed, of(3)).unwrap());
        }
        let consensus = support.consensus(threshold);
        let parents = |node: usize| {
            consensus.directed().iter().filter(|edge| edge.1 == node).map(|edge| edge.0).collect::<Vec<_>>()
        };
        prop_assert!(plackett_dag::Dag::from_parents((0..6).map(parents).collect()).is_ok());
        for &(a, b) in &pairs {
            let is_joined = consensus.mark(a, b) != plackett_dag::cpdag::Mark::Absent;
            prop_assert_eq!(is_joined, support.of(a, b).adjacent > threshold);
        }
    }
}
