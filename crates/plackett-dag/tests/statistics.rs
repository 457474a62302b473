//! Statistics stand for the rows they were made of, however these were divided; so do weights, covariances, and rows that
//! are too many to be held.

use plackett::run::Run;
use plackett_dag::{
    BayesNet, Dataset, Error, JointMoments, LearnMethod, Learned, Learning, Observations, ScoreChoice, Sem,
    Statistics,
    dataset::{DatasetBuilder, Kind, Missing, Reading, SourceColumn, SourceValues},
    finding::{Concern, Remedy, finding_texts},
    gram::Centering,
    simulate::{SemSettings, simulate_sem},
};

fn read(text: &str, reading: &Reading) -> Dataset {
    Dataset::from_reader(text.as_bytes(), "d", reading).unwrap()
}

/// By a score that moments serve: with rows at hand, the data might choose one that looks at them.
fn learn(data: Dataset) -> Learned {
    let score = match data.kind() {
        Some(Kind::Numbers) => "bic",
        None => "dg",
        Some(_) => "auto",
    };
    let learning = Learning { score: score.into(), ..Learning::default() };
    learning.run(&data.observations(Centering::Center).unwrap(), &Run::default()).unwrap()
}

/// Rows of a linear model, as a file.
fn numbers(rows: usize) -> String {
    let sem = simulate_sem(&SemSettings { nodes: 8, degree: 2, ..SemSettings::default() }, 4).unwrap();
    let mut text = Vec::new();
    sem.sample(rows, Sem::TRAINING).write_csv(&mut text, "d").unwrap();
    String::from_utf8(text).unwrap()
}

fn categories(rows: usize) -> String {
    let mut text = Vec::new();
    let data = BayesNet::embedded("asia").unwrap().sample(rows, 3, BayesNet::TRAINING).unwrap();
    data.write_csv(&mut text, "d").unwrap();
    String::from_utf8(text).unwrap()
}

/// Rows of numbers and categories that go with them; the grade `rare` comes in few of them, and codes are out of order as texts.
fn mixed(rows: usize) -> String {
    let sem = simulate_sem(&SemSettings { nodes: 6, degree: 2, ..SemSettings::default() }, 9).unwrap();
    let mut text = "a,b,c,d,grade,code\n".to_owned();
    let mut at = 0;
    sem.sample_each(rows, Sem::TRAINING, |row| {
        let grade = match row[4] {
            _ if at % 97 == 5 => "rare",
            size if size < -1.0 => "low",
            size if size < 0.5 => "middle",
            _ => "top",
        };
        let code = if row[5] > row[0] { 2 } else { 10 };
        text += &format!("{},{},{},{},{grade},{code}\n", row[0], row[1], row[2], row[3]);
        at += 1;
    });
    text
}

/// The same rows, some without their first field.
fn with_gaps(text: &str) -> String {
    let row = |(at, row): (usize, &str)| match row.split_once(',') {
        Some((_, rest)) if at % 11 == 4 => format!("NA,{rest}\n"),
        _ => format!("{row}\n"),
    };
    text.lines().enumerate().map(row).collect()
}

/// The rows of a file divided among so many, in turn.
fn parts(text: &str, count: usize) -> Vec<String> {
    let (header, rows) = text.split_once('\n').unwrap();
    let mut parts = vec![format!("{header}\n"); count];
    for (at, row) in rows.lines().enumerate() {
        parts[at * 7 % count] += &format!("{row}\n");
    }
    parts
}

fn merged(parts: &[String], reading: &Reading) -> Statistics {
    let mut parts = parts.iter().map(|part| Statistics::of(read(part, reading)).unwrap());
    let mut whole = parts.next().unwrap();
    parts.for_each(|part| whole.merge(&part).unwrap());
    whole
}

#[test]
fn however_rows_are_divided_the_graph_is_theirs() {
    for (text, reading) in [
        (numbers(2000), Reading::default()),
        (categories(3000), Reading::default()),
        (mixed(2000), Reading::default()),
        (with_gaps(&numbers(900)), Reading { missing: Missing::Drop, ..Reading::default() }),
        (with_gaps(&mixed(900)), Reading { missing: Missing::Drop, ..Reading::default() }),
    ] {
        let whole = read(&text, &reading);
        let expected = learn(whole.clone());
        for count in [1, 2, 9] {
            let statistics = merged(&parts(&text, count), &reading);
            assert_eq!(statistics.rows(), whole.rows());
            let bytes = statistics.to_bytes().unwrap();
            let again = Statistics::from_bytes(&bytes, "d").unwrap();
            assert_eq!(again.to_bytes().unwrap(), bytes);
            let data = again.into_dataset("d", &Reading::default()).unwrap();
            assert_eq!((data.rows(), data.dropped_rows()), (whole.rows(), whole.dropped_rows()));
            let found = learn(data);
            assert_eq!(found.cpdag, expected.cpdag);
            assert_eq!(found.dag.edge_count(), expected.dag.edge_count());
            let (found, expected) = (found.score.unwrap(), expected.score.unwrap());
            assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found} for {expected}");
        }
    }
}

#[test]
fn merging_is_exact_to_the_twelfth_digit() {
    let text = numbers(1500);
    let gram = |data: Dataset| match data.observations(Centering::None).unwrap() {
        Observations::Numbers(gram) => gram,
        _ => panic!("these are numbers"),
    };
    let whole = gram(read(&text, &Reading::default()));
    let (mut forward, mut backward) = (parts(&text, 40), parts(&text, 40));
    backward.reverse();
    forward.rotate_left(13);
    for parts in [forward, backward] {
        let found = gram(merged(&parts, &Reading::default()).into_dataset("d", &Reading::default()).unwrap());
        for (a, b) in found.matrix().iter().zip(whole.matrix()) {
            assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} for {b}");
        }
    }
}

#[test]
fn a_damaged_file_is_told() {
    for text in [numbers(50), categories(50), mixed(50)] {
        let bytes = Statistics::of(read(&text, &Reading::default())).unwrap().to_bytes().unwrap();
        let refused = |bytes: &[u8]| match Statistics::from_bytes(bytes, "file") {
            Err(Error::Content { place, .. }) => place.file,
            other => panic!("{other:?}"),
        };
        for at in (0..bytes.len()).step_by(37) {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            assert_eq!(refused(&changed), "file");
            assert_eq!(refused(&bytes[..at]), "file");
        }
        let newer = [b"plackett statistics 2\n", &bytes[22..]].concat();
        let error = Dataset::from_reader(&newer[..], "file", &Reading::default()).unwrap_err().to_string();
        assert!(error.contains("version 2"), "{error}");
    }
}

#[test]
fn files_of_statistics_are_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.statistics");
    let text = numbers(500);
    let statistics = Statistics::of(read(&text, &Reading::default())).unwrap();
    statistics.save(&path).unwrap();
    statistics.save(&path).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing temporary is left");
    let reading = Reading { drop: vec!["x3".into()], ..Reading::default() };
    let (found, expected) = (Dataset::read(&path, &reading).unwrap(), read(&text, &reading));
    assert_eq!(found.names(), expected.names());
    assert!(found.notes()[0].contains("statistics of 500 rows"), "{:?}", found.notes());
    assert_eq!(learn(found).cpdag, learn(expected).cpdag);
    for reading in [
        Reading::all(Kind::Categories),
        Reading { weights: Some("x1".into()), ..Reading::default() },
        Reading { categorical: vec!["x2".into()], ..Reading::default() },
    ] {
        let error = Dataset::read(&path, &reading).unwrap_err();
        assert!(matches!(&error, Error::Misfit { reason, .. } if reason.contains("needs rows")), "{error}");
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let part = |text: &str| Statistics::of(read(text, &Reading::default())).unwrap();
    let mut numbers = part("a,b\n1.5,2\n2.5,1\n3.5,7\n");
    for (other, wanted) in [
        ("a,c\n1.5,2\n2.5,1\n3.5,7\n", "\"b\" is missing; \"c\" is not expected"),
        ("b,a\n1.5,2\n2.5,1\n3.5,7\n", "columns are in another order"),
        ("a,b\nx,2\ny,1\nx,1\ny,2\n", "kinds differ"),
    ] {
        let error = numbers.merge(&part(other)).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
    let words = |from: usize| {
        (from..from + 200).fold("a,b\n".to_owned(), |text, at| text + &format!("w{at},{}\nw{at},x\n", at % 3))
    };
    let error = part(&words(0)).merge(&part(&words(100))).unwrap_err().to_string();
    assert!(error.contains("column \"a\"") && error.contains("256 at most"), "{error}");
    let gap = Statistics::of(read("a,b\n1.5,2\nNA,1\n", &Reading::default())).unwrap_err();
    assert!(matches!(gap, Error::Unfit { .. }), "{gap}");
}

#[test]
fn rows_that_are_not_held_tell_the_same() {
    let mut text = String::from("x,id,age,income,w\n");
    for row in 0..10_000 {
        let noise = f64::from(row * 7919 % 1009) / 100.0;
        let age = if row % 37 == 5 { -999 } else { row * 31 % 71 };
        let income = if row == 77 { 1e6 } else { noise * f64::from(row % 13) };
        text += &format!("{},{},{age},{income},{}\n", noise + f64::from(row % 5), row + 10, row % 3);
    }
    for (reading, rows) in [
        (Reading { drop: vec!["w".into()], ..Reading::default() }, 10_000),
        (Reading { weights: Some("w".into()), ..Reading::default() }, 10_000),
        (
            Reading {
                missing: Missing::Drop,
                missing_marks: Some(vec!["-999".into()]),
                ..Reading::default()
            },
            9729,
        ),
    ] {
        let held = read(&text, &reading);
        let streamed = read(&text, &Reading { most_bytes: Some(1 << 12), ..reading });
        assert!(held.numbers(0).is_some() && streamed.numbers(0).is_none());
        assert_eq!((streamed.rows(), streamed.dropped_rows()), (held.rows(), held.dropped_rows()));
        assert_eq!(streamed.rows(), rows);
        assert_eq!(streamed.fingerprint(), held.fingerprint());
        assert_eq!(streamed.notes(), held.notes());
        let texts = |data: &Dataset| finding_texts(&data.warnings(), |_| String::new());
        assert_eq!(texts(&streamed), texts(&held));
        assert!(!texts(&held).is_empty());
        let missing = |data: &Dataset| data.columns().iter().map(|column| column.missing).collect::<Vec<_>>();
        assert_eq!(missing(&streamed), missing(&held));
        let (a, b) = (
            streamed.observations(Centering::Center).unwrap(),
            held.observations(Centering::Center).unwrap(),
        );
        let (Observations::Numbers(a), Observations::Numbers(b)) = (a, b) else {
            panic!("these are numbers")
        };
        assert_eq!(a.rows(), b.rows());
        for node in 0..a.nodes() {
            let scale = (a.entry(node, node) * a.entry(0, 0)).sqrt();
            assert!((a.entry(node, 0) - b.entry(node, 0)).abs() <= 1e-12 * scale);
        }
    }
    let late = text.clone() + "1,2,old,4,5\n";
    let faults = read(&late, &Reading { most_bytes: Some(1 << 12), ..Reading::default() }).faults();
    assert_eq!(faults[0].to_string(), "line 10002, column \"age\": \"old\" is not a number");
    let gap = text.clone() + "1,2,,4,5\n";
    let faults = read(&gap, &Reading { most_bytes: Some(1 << 12), ..Reading::default() }).faults();
    assert!(faults[0].to_string().starts_with("line 10002, column \"age\": the value is missing"));
}

#[test]
fn categories_that_are_not_held_are_counted() {
    let text = categories(9000);
    let held = read(&text, &Reading::default());
    let counted = read(&text, &Reading { most_bytes: Some(1 << 14), ..Reading::default() });
    assert_eq!((counted.rows(), counted.names()), (9000, held.names()));
    assert!(counted.categories(0).unwrap().1.len() < 300);
    let (a, b) = (learn(counted), learn(held));
    assert_eq!((a.cpdag, a.dag.edge_count()), (b.cpdag, b.dag.edge_count()));
    let reading = Reading { most_bytes: Some(1), missing: Missing::Em, ..Reading::default() };
    let error = Dataset::from_reader(text.as_bytes(), "d", &reading);
    assert!(error.unwrap_err().to_string().contains("after 4096 rows"));
}

#[test]
fn numbers_and_categories_that_are_not_held_are_summed_up() {
    let text = with_gaps(&mixed(9000));
    let reading = Reading { missing: Missing::Drop, ..Reading::default() };
    let held = read(&text, &reading);
    let summed = read(&text, &Reading { most_bytes: Some(1 << 14), ..reading });
    assert!(held.numbers(0).is_some() && summed.numbers(0).is_none() && summed.categories(4).is_none());
    assert_eq!((summed.rows(), summed.dropped_rows()), (held.rows(), held.dropped_rows()));
    let looks = |data: &Dataset| -> Vec<_> {
        data.columns().iter().map(|column| (column.name.clone(), column.kind, column.missing)).collect()
    };
    assert_eq!(looks(&summed), looks(&held));
    assert_eq!((summed.columns()[4].distinct, summed.columns()[5].distinct), (Some(4), Some(2)));
    let (a, b) = (learn(summed), learn(held));
    assert_eq!((a.cpdag, a.dag.edge_count()), (b.cpdag, b.dag.edge_count()));
    assert!((a.score.unwrap() / b.score.unwrap() - 1.0).abs() < 1e-9);
}

fn joint(statistics: Statistics) -> JointMoments {
    let data = statistics.into_dataset("d", &Reading::default()).unwrap();
    match data.observations(Centering::Center).unwrap() {
        Observations::Joint(moments) => moments.as_ref().clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn parts_that_miss_a_category_count_it_as_never_there() {
    let text = mixed(1500);
    let (header, rows) = text.split_once('\n').unwrap();
    // What is rare comes in one part alone, and what is low in two others.
    let mut parts = vec![format!("{header}\n"); 5];
    for (at, row) in rows.lines().enumerate() {
        let part = match row {
            row if row.contains("rare") => 3,
            row if row.contains("low") => at % 2,
            _ => at * 7 % 5,
        };
        parts[part] += &format!("{row}\n");
    }
    let whole = read(&text, &Reading::default());
    let expected = learn(whole.clone());
    let kinds = Statistics::of(whole.clone()).unwrap().kinds();
    let of_kind = |wanted: Kind| -> Vec<String> {
        let columns = whole.names().iter().zip(&kinds).filter(|(_, kind)| **kind == wanted);
        columns.map(|(name, _)| name.clone()).collect()
    };
    let (categorical, numeric) = (of_kind(Kind::Categories), of_kind(Kind::Numbers));
    assert_eq!((categorical.len(), numeric.len()), (2, 4));
    let reading = Reading { categorical, numeric, ..Reading::default() };
    // The same heads, so the same categories in the same order, whichever part comes first.
    let head = |statistics: &Statistics| {
        let bytes = statistics.to_bytes().unwrap();
        String::from_utf8_lossy(&bytes).lines().nth(1).unwrap().to_owned()
    };
    let direct = merged(std::slice::from_ref(&text), &reading);
    assert!(head(&direct).contains(r#"["low","middle","rare","top"]"#), "{}", head(&direct));
    assert!(head(&direct).contains(r#"["2","10"]"#));
    for turn in 0..5 {
        parts.rotate_left(1);
        let statistics = merged(&parts, &reading);
        assert_eq!(head(&statistics), head(&direct), "{turn}");
        // The bytes behind the head are numbers; those of whole and parts differ by rounding.
        let numbers = |statistics: &Statistics| -> Vec<f64> {
            let bytes = statistics.to_bytes().unwrap();
            let start = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 1;
            // Behind the moments of all there are those of each combination of categories, after its two codes.
            let (all, each) = bytes[start..bytes.len() - 33].split_at(8 * (4 * 10 + 55));
            let words = all
                .chunks_exact(8)
                .chain(each.chunks_exact(2 + 8 * 15).flat_map(|cell| cell[2..].chunks_exact(8)));
            words.map(|word| f64::from_le_bytes(word.try_into().unwrap())).collect()
        };
        let (found, whole) = (numbers(&statistics), numbers(&direct));
        let width = 4 + 4 + 2;
        let combinations = statistics.distinct_rows().unwrap();
        let expected_length = 4 * width + width * (width + 1) / 2 + 15 * combinations;
        assert_eq!((found.len(), whole.len()), (expected_length, found.len()));
        // Means are the sum of the first two lists.
        for at in 0..width {
            let mean = |list: &[f64]| list[at] + list[width + at];
            assert!((mean(&found) - mean(&whole)).abs() <= 1e-12 * mean(&whole).abs().max(1.0));
        }
        for (a, b) in found[2 * width..].iter().zip(&whole[2 * width..]) {
            assert!((a - b).abs() <= 1e-12 * b.abs().max(1500.0), "{a} for {b}");
        }
        let learned = learn(statistics.into_dataset("d", &Reading::default()).unwrap());
        assert_eq!(learned.cpdag, expected.cpdag, "{turn}");
        assert!((learned.score.unwrap() / expected.score.unwrap() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn moments_of_mixed_data_serve_what_needs_no_rows() {
    let text = mixed(1200);
    let whole = read(&text, &Reading::default()).observations(Centering::Center).unwrap();
    let moments = Observations::Joint(joint(merged(&parts(&text, 3), &Reading::default())).into());
    assert_eq!((moments.rows(), moments.columns()), (1200, 6));
    let run = |learning: &Learning, data: &Observations| learning.run(data, &Run::default());
    let named = |name: &str| Learning { score: ScoreChoice::Named(name.into()), ..Learning::default() };
    let pc = Learning { method: LearnMethod::by_name("pc").unwrap(), ..Learning::default() };
    let mut likely = named("dg");
    likely.search.posterior = true;
    for learning in [named("dg"), pc, likely] {
        let (found, expected) = (run(&learning, &moments).unwrap(), run(&learning, &whole).unwrap());
        assert_eq!(found.cpdag, expected.cpdag);
        assert!(found.dag.edge_count() > 3);
        assert_eq!(found.probabilities.is_some(), expected.probabilities.is_some());
        for (a, b) in found.probabilities.iter().flatten().zip(expected.probabilities.iter().flatten()) {
            // Merged moments differ in their last bits, and chains part sooner or later: within their standard errors.
            assert!((a - b).abs() < 0.02, "{a} for {b}");
        }
    }
    for name in ["nal", "bic", "nothing"] {
        let error = run(&named(name), &moments).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("serve dg and cg"), "{error}");
    }
    // What the data choose, and why, is what their rows would have chosen.
    for learning in [Learning::default(), named("cg")] {
        let (found, expected) = (run(&learning, &moments).unwrap(), run(&learning, &whole).unwrap());
        assert_eq!((found.cpdag, found.score_name), (expected.cpdag, expected.score_name));
        // Of equivalent graphs rounding may take another one, so that the two scores are asked about other ones too.
        let why = |choice: Option<String>| choice.map(|why| why.split(", by").next().map(str::to_owned));
        assert_eq!(why(found.score_choice), why(expected.score_choice));
        assert!((found.score.unwrap() / expected.score.unwrap() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn files_of_mixed_statistics_are_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.statistics");
    let text = mixed(800);
    let statistics = merged(&parts(&text, 2), &Reading::default());
    assert_eq!(statistics.kind(), None);
    assert!(statistics.distinct_rows().is_some_and(|count| (2..800).contains(&count)));
    assert_eq!(statistics.scores(), ["dg", "cg"]);
    statistics.save(&path).unwrap();
    // Of the columns, mixed ones, numbers alone, and categories alone, whose distinct rows are known.
    for (columns, kind) in [
        (vec!["grade", "d", "a", "code"], None),
        (vec!["c", "a", "b"], Some(Kind::Numbers)),
        (vec!["code", "grade"], Some(Kind::Categories)),
    ] {
        let reading =
            Reading { columns: Some(columns.into_iter().map(Into::into).collect()), ..Reading::default() };
        let (found, expected) = (Dataset::read(&path, &reading).unwrap(), read(&text, &reading));
        assert_eq!((found.names(), found.kind()), (expected.names(), kind));
        assert!(found.notes()[0].starts_with("statistics of 800 rows"), "{:?}", found.notes());
        assert_eq!(Statistics::of(found.clone()).unwrap().rows(), 800);
        let (found, expected) = (learn(found), learn(expected));
        assert_eq!((found.cpdag, found.score_name), (expected.cpdag, expected.score_name));
        assert!((found.score.unwrap() / expected.score.unwrap() - 1.0).abs() < 1e-9);
    }
    for reading in [
        Reading::all(Kind::Categories),
        Reading::all(Kind::Numbers),
        Reading { weights: Some("a".into()), ..Reading::default() },
        Reading { categorical: vec!["a".into()], ..Reading::default() },
        Reading { numeric: vec!["code".into()], ..Reading::default() },
        Reading { discretize: Some("quantile".parse().unwrap()), ..Reading::default() },
    ] {
        let error = Dataset::read(&path, &reading).unwrap_err();
        assert!(matches!(&error, Error::Misfit { reason, .. } if reason.contains("needs rows")), "{error}");
    }
    let same = Reading {
        categorical: vec!["grade".into(), "code".into()],
        numeric: vec!["a".into()],
        ..Reading::default()
    };
    assert_eq!(Dataset::read(&path, &same).unwrap().rows(), 800);
}

#[test]
fn mixed_parts_that_do_not_fit_are_refused() {
    let part = |text: &str| Statistics::of(read(text, &Reading::default())).unwrap();
    let rows = "x,1.5\ny,2.5\nx,1.7\n";
    let error = part(&format!("a,b\n{rows}")).merge(&part("a,b\n1.5,x\n2.5,y\n1.7,x\n")).unwrap_err();
    assert!(error.to_string().contains("kinds differ"), "{error}");
    let error = part(&format!("a,b\n{rows}")).merge(&part("a,b\nx,1\ny,2\nx,2\n")).unwrap_err();
    assert!(error.to_string().contains("kinds differ"), "{error}");
    let words = |from: usize| {
        (from..from + 200).fold("a,b\n".to_owned(), |text, at| text + &format!("w{at},{at}.5\nw{at},2.5\n"))
    };
    let error = part(&words(0)).merge(&part(&words(100))).unwrap_err().to_string();
    assert!(error.contains("column \"a\"") && error.contains("256 at most"), "{error}");
    let gap = Statistics::of(read("a,b\nx,1.5\nNA,2.5\ny,1.5\n", &Reading::default())).unwrap_err();
    assert!(matches!(gap, Error::Unfit { .. }), "{gap}");
    let reading = Reading { missing: Missing::Em, ..Reading::default() };
    let gap = Statistics::of(read("a,b\nx,1.5\nNA,2.5\ny,1.5\n", &reading)).unwrap_err();
    assert!(gap.to_string().contains("leave out those"), "{gap}");
    let reading = Reading { weights: Some("w".into()), ..Reading::default() };
    let weighted = Statistics::of(read("a,b,w\nx,1.5,1\ny,2.5,2\nx,1.5,1\n", &reading)).unwrap_err();
    assert!(matches!(weighted, Error::Unfit { .. }), "{weighted}");
}

#[test]
fn columns_of_mixed_statistics_that_never_vary_are_nodes_without_edges() {
    let text = mixed(600).lines().fold(String::new(), |text, row| {
        text + row + if row.starts_with("a,") { ",still,same\n" } else { ",1.5,one\n" }
    });
    let reading = Reading { numeric: vec!["still".into()], ..Reading::default() };
    let expected = learn(read(&text, &reading));
    let data = merged(&parts(&text, 2), &reading).into_dataset("d", &Reading::default()).unwrap();
    let texts = finding_texts(&data.warnings(), |_| String::new());
    assert!(texts.iter().any(|text| text.contains("still") && text.contains("same")), "{texts:?}");
    let found = learn(data);
    assert_eq!((&found.cpdag, found.order.len()), (&expected.cpdag, 8));
    assert!(found.dag.edges().all(|(from, to, _)| from < 6 && to < 6));
}

#[test]
fn a_weight_is_a_number_of_rows() {
    for (text, weights) in [(numbers(300), "w"), (categories(300), "w")] {
        let (header, rows) = text.split_once('\n').unwrap();
        let mut weighted = format!("{header},{weights}\n");
        let mut repeated = format!("{header}\n");
        for (at, row) in rows.lines().enumerate() {
            weighted += &format!("{row},{}\n", at % 4);
            repeated += &format!("{row}\n").repeat(at % 4);
        }
        let reading = Reading { weights: Some(weights.into()), ..Reading::default() };
        let data = read(&weighted, &reading);
        assert_eq!(
            (data.rows(), data.notes()),
            (300, &["weights in \"w\", by which n = 450".to_owned()][..])
        );
        let (found, expected) = (learn(data.clone()), learn(read(&repeated, &Reading::default())));
        assert_eq!(found.cpdag, expected.cpdag);
        assert!((found.score.unwrap() / expected.score.unwrap() - 1.0).abs() < 1e-9);
        let statistics = Statistics::of(data).unwrap();
        let again = learn(statistics.into_dataset("d", &Reading::default()).unwrap());
        assert_eq!(again.cpdag, expected.cpdag);
    }
    let reading = Reading { weights: Some("w".into()), ..Reading::default() };
    let faults =
        |text: &str| read(text, &reading).faults().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        faults("a,b,w\n1.5,2,1\n2.5,1,-1\n"),
        ["column \"w\": the weight -1 is negative or not finite"]
    );
    let gap = faults("a,b,w\n1.5,2,1\n2.5,1,\n");
    assert!(gap[0].starts_with("line 3, column \"w\": the value is missing"), "{gap:?}");
    assert_eq!(faults("a,b,w\n1.5,2,1\n2.5,1,no\n"), ["line 3, column \"w\": \"no\" is not a number"]);
    let fractions = read("a,b,w\nx,2,1\ny,1,0.5\nx,1,1\ny,1,1\n", &reading).observations(Centering::Center);
    assert!(fractions.unwrap_err().to_string().contains("scores of categories count rows"));
}

#[test]
fn a_covariance_matrix_is_worth_its_rows() {
    let text = numbers(1000);
    let whole = read(&text, &Reading::default());
    let Observations::Numbers(gram) = whole.clone().observations(Centering::Center).unwrap() else {
        panic!("these are numbers")
    };
    let mut file = format!("{}\n{}\n", gram.rows(), whole.names().join(" "));
    for row in 0..gram.nodes() {
        let entries: Vec<String> = (0..=row).map(|column| format!("{:?}", gram.entry(row, column))).collect();
        file += &format!("{}\n", entries.join("\t"));
    }
    let data = read(&file, &Reading::default());
    assert_eq!(data.rows(), 1000);
    let error = data.clone().observations(Centering::None).unwrap_err().to_string();
    assert!(error.contains("does not tell them"), "{error}");
    let (found, expected) = (learn(data), learn(whole));
    assert_eq!(found.cpdag, expected.cpdag);
    assert!((found.score.unwrap() / expected.score.unwrap() - 1.0).abs() < 1e-9);
    for reading in [
        Reading { weights: Some("x1".into()), ..Reading::default() },
        Reading { categorical: vec!["x2".into()], ..Reading::default() },
        Reading { discretize: Some("quantile".parse().unwrap()), ..Reading::default() },
    ] {
        let error = Dataset::from_reader(file.as_bytes(), "d", &reading).unwrap_err().to_string();
        assert!(error.contains("needs rows"), "{error}");
    }
    let few = read(&file, &Reading { columns: Some(vec!["x5".into(), "x1".into()]), ..Reading::default() });
    assert_eq!(few.names(), ["x5", "x1"]);
}

#[test]
fn batches_may_differ_in_the_order_of_columns_but_not_in_types() {
    let numbers = |name: &str| SourceColumn {
        name: name.into(),
        values: SourceValues::Numbers((0..50).map(|row| f64::from(row * row % 7) + 0.5).collect()),
    };
    let nothing =
        |name: &str| SourceColumn { name: name.into(), values: SourceValues::Numbers(vec![f64::NAN; 50]) };
    let texts = |name: &str, text: &str| SourceColumn {
        name: name.into(),
        values: SourceValues::Texts {
            texts: vec![text.into(), "x".into()],
            codes: (0..50).map(|row| row % 2).collect(),
        },
    };
    let mut builder = DatasetBuilder::new("d", &Reading::default());
    builder.push(vec![texts("a", "y"), nothing("b")]).unwrap();
    builder.push(vec![texts("b", "u"), texts("a", "z")]).unwrap();
    assert!(matches!(builder.push(vec![texts("a", "y")]), Err(Error::ColumnNames { .. })));
    assert!(matches!(builder.push(vec![numbers("a"), texts("b", "u")]), Err(Error::Misfit { .. })));
    let data = builder.finish().unwrap();
    assert_eq!((data.rows(), data.columns()[1].missing), (100, 50));
    assert_eq!(data.categories(0).unwrap().0, ["x", "y", "z"]);
    assert!(DatasetBuilder::new("d", &Reading::default()).finish().is_err());
}

#[test]
fn what_counts_each_row_once_refuses_weights_and_says_what_helps() {
    let rows = |fields: &str| -> String {
        (0..40).map(|row| fields.replace('#', &format!("{}", row * 7 % 31))).collect()
    };
    let weighted = |missing: Missing| Reading { weights: Some("w".into()), missing, ..Reading::default() };
    let mixed = format!("a,b,c,w\n{}", rows("#.5,1#.25,x#,2\n1#.5,#.75,y,1\n"));
    let faults = read(&mixed, &weighted(Missing::Error)).faults();
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    assert!(matches!(&fault.concern, Concern::WeightedMixed { categories, .. } if *categories == ["c"]));
    assert_eq!(fault.remedies(), [Remedy::Drop(vec!["c".into()]), Remedy::NoWeights]);
    assert!(
        read(&mixed, &Reading { drop: vec!["c".into()], ..weighted(Missing::Error) }).faults().is_empty()
    );
    let plain =
        Statistics::of(read(&mixed, &Reading { drop: vec!["w".into()], ..Reading::default() })).unwrap();
    assert_eq!((plain.rows(), plain.scores()), (80, vec!["dg", "cg"]));

    let gaps = format!("a,b,w\n{}NA,2,1\n", rows("#.5,#.25,2\n1#.5,3#,1\n"));
    for missing in [Missing::Error, Missing::Em] {
        let faults = read(&gaps, &weighted(missing)).faults();
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert!(fault.to_string().contains("rows that have weights"), "{fault}");
        assert_eq!(fault.remedies(), [Remedy::DropRows(80), Remedy::Drop(vec!["a".into()])]);
    }
    assert!(read(&gaps, &weighted(Missing::Drop)).faults().is_empty());
}

#[test]
fn what_needs_rows_is_refused_without_them() {
    let text = numbers(9000);
    let small = || Reading { most_bytes: Some(1 << 16), ..Reading::default() };
    for reading in [
        Reading { missing: Missing::Em, ..small() },
        Reading { discretize: Some("quantile".parse().unwrap()), ..small() },
    ] {
        let error = Dataset::from_reader(text.as_bytes(), "d", &reading).unwrap_err().to_string();
        assert!(
            error.contains("need not be held where columns have at most 256 categories, numbers are not cut"),
            "{error}"
        );
    }
    let gaps = read(&with_gaps(&text), &small()).faults();
    assert!(!gaps[0].remedies().iter().any(|remedy| matches!(remedy, Remedy::Em(_))), "{gaps:?}");
    // Incomplete rows have no statistics, whatever would be done about them.
    let em = Reading { missing: Missing::Em, ..Reading::default() };
    for text in [with_gaps(&numbers(300)), with_gaps(&categories(300)), with_gaps(&mixed(300))] {
        let error = Statistics::of(read(&text, &em)).unwrap_err().to_string();
        assert!(error.contains("in which nothing is missing"), "{error}");
    }
    let statistics = Statistics::of(read(&text, &Reading::default())).unwrap();
    let cut = Reading { discretize: Some("quantile".parse().unwrap()), ..Reading::default() };
    assert!(statistics.into_dataset("d", &cut).unwrap_err().to_string().contains("needs rows"));
}
