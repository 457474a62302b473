//! Reports as whole files: what is in them, that nothing of a user's becomes markup, and that they are the same every time.

use plackett::run::Run;
use plackett_dag::{
    BayesNet, Bootstrap, Dataset, Gram, Knowledge, Learned, Learning, NamedDag, Observations, Support,
    dataset::{Kind, Reading},
    diagnostics::{Evidence, diagnose},
    gram::Centering,
    knowledge::Resolved,
    learning::KnowledgeCost,
};
use plackett_report::{Column, Input, Recipe, Report, Resampling, Source};
use serde_json::Value;

const NUMBERS: &str = include_str!("numbers.csv");

/// A report of which a test looks at one part.
struct Example {
    names: Vec<String>,
    data: Observations,
    kind: Kind,
    learning: Learning,
    learned: Learned,
    support: Option<Support>,
    known: Option<(Knowledge, Resolved, KnowledgeCost)>,
    truth: Option<NamedDag>,
}

impl Example {
    fn of_numbers(names: &[&str]) -> Self {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let reading = Reading::all(Kind::Numbers);
        let data = Dataset::from_reader(NUMBERS.as_bytes(), "numbers.csv", &reading).unwrap();
        let rows = data.resampler(Centering::Center).unwrap();
        let learning = Learning { score: "bic".into(), ..Learning::default() };
        let learned = learning.run(rows.observations(), &Run::default()).unwrap();
        let mut support = Support::new(names.len());
        let bootstrap = Bootstrap { learning: &learning, rows: &rows, start: Some(&learned.order) };
        bootstrap.extend(&mut support, 0..6, &mut |_| {}, &Run::default()).unwrap();
        let data = rows.observations().clone();
        Self {
            names,
            data,
            kind: Kind::Numbers,
            learning,
            learned,
            support: Some(support),
            known: None,
            truth: None,
        }
    }

    fn of_categories() -> Self {
        let network = BayesNet::embedded("asia").unwrap();
        let data = Observations::Categories(network.sample(1000, 0, BayesNet::TRAINING).unwrap().into());
        let learning = Learning::default();
        let learned = learning.run(&data, &Run::default()).unwrap();
        let (names, truth) = (network.graph().names().to_vec(), Some(network.graph().clone()));
        Self { names, data, kind: Kind::Categories, learning, learned, support: None, known: None, truth }
    }

    fn html(&self) -> String {
        let evidence = Evidence { data: &self.data, learned: &self.learned, names: &self.names };
        let diagnostics = diagnose(&evidence, &Run::default());
        let kind = if self.kind == Kind::Numbers { "numbers" } else { "categories" };
        let report = Report {
            source: "folder/numbers.csv",
            names: &self.names,
            input: Input {
                rows: self.data.rows(),
                fingerprint: "f00d",
                notes: &[],
                columns: vec![Column { kind, missing: 0 }; self.names.len()],
            },
            data: &self.data,
            kind: Some(self.kind),
            kind_choice: None,
            learned: &self.learned,
            warnings: &["<b>beware</b>".to_owned()],
            known: self.known.as_ref().map(|(_, resolved, cost)| (resolved, cost)),
            support: self.support.as_ref(),
            path: None,
            diagnostics: &diagnostics,
            truth: self.truth.as_ref(),
            recipe: Recipe {
                source: Source::File("folder/numbers.csv"),
                reading: &Reading::default(),
                centering: Centering::Center,
                learning: &self.learning,
                knowledge: self.known.as_ref().map(|(knowledge, _, _)| knowledge),
                resampling: self.support.as_ref().map(|_| Resampling { wanted: 10, is_warm: true }),
                has_path: false,
                time: None,
            },
        };
        report.html().unwrap()
    }

    /// What the viewer draws.
    fn document(&self) -> Value {
        let html = self.html();
        let (_, rest) = html.split_once("id=\"graph-data\">").unwrap();
        serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
    }
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

#[test]
fn every_part_is_there() {
    let html = Example::of_numbers(&NAMES).html();
    for part in [
        "<title>Causal graph of numbers.csv</title>",
        "f00d",
        "60 rows of folder/numbers.csv",
        "plackett learn folder/numbers.csv --score bic --bootstrap 10",
        "the run ended after 6 of 10 resamples",
        "&lt;b&gt;beware&lt;/b&gt;",
        "variance explained",
        "latent confounders",
        "Markov blanket",
        "consensus",
    ] {
        assert!(html.contains(part), "no {part}");
    }
    assert!(!html.contains("<b>beware") && !html.contains("Against the true graph"));
}

#[test]
fn the_same_result_is_the_same_file() {
    assert_eq!(Example::of_numbers(&NAMES).html(), Example::of_numbers(&NAMES).html());
}

#[test]
fn the_viewer_gets_what_the_graph_has() {
    let example = Example::of_numbers(&NAMES);
    let document = example.document();
    let (dag, class) = (&example.learned.dag, &example.learned.cpdag);
    let edges = document["edges"].as_array().unwrap();
    let marked = |view: &str, sign: &str| edges.iter().filter(|edge| edge[view] == sign).count();
    assert_eq!(marked("dag", ">"), dag.edge_count());
    assert_eq!(marked("class", "-"), class.undirected().len());
    assert_eq!(marked("class", ">") + marked("class", "<"), class.directed().len());
    let support = example.support.as_ref().unwrap();
    for edge in edges {
        let (a, b) = (edge["a"].as_u64().unwrap() as usize, edge["b"].as_u64().unwrap() as usize);
        assert_eq!(edge["support"][1], support.of(a, b).forward);
        if edge["dag"] == ">" {
            assert_eq!(edge["weight"], dag.weight(a, b));
        }
    }
    let nodes = document["nodes"].as_array().unwrap();
    assert!(
        nodes.iter().all(|node| node["x"].is_number() && node["y"].is_number() && node["fit"].is_array())
    );
    assert_eq!(document["views"].as_array().unwrap().len(), 3);
}

#[test]
fn a_truth_marks_what_is_right_and_what_is_missing() {
    let example = Example::of_categories();
    let (html, document) = (example.html(), example.document());
    let truth = example.truth.as_ref().unwrap().dag();
    let edges = document["edges"].as_array().unwrap();
    assert_eq!(edges.iter().filter(|edge| edge["truth"].is_string()).count(), truth.edge_count());
    assert!(html.contains("Against the true graph") && html.contains("entropy explained"));
    let missing = edges.iter().any(|edge| edge["truth"].is_string() && edge["dag"].is_null());
    assert_eq!(html.contains("Missing, in the true graph only"), missing);
}

#[test]
fn names_are_only_text() {
    let html = Example::of_numbers(&[
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "</script>",
        "&",
    ])
    .html();
    assert_eq!(html.matches("<script").count(), 2, "the data and the program");
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(!html.contains("<img") && html.contains("&lt;script&gt;alert(1)"));
}

#[test]
fn knowledge_comes_with_the_file_that_says_it_again() {
    let mut example = Example::of_numbers(&NAMES);
    let knowledge = Knowledge { exogenous: vec!["a".into()], ..Knowledge::default() };
    let resolved = knowledge.resolve(&example.names).unwrap();
    example.learning.bounds = Some(resolved.bounds().clone());
    example.learned = example.learning.run(&example.data, &Run::default()).unwrap();
    let cost =
        example.learning.knowledge_cost(&example.data, &resolved, &example.learned, &Run::default()).unwrap();
    example.known = Some((knowledge, resolved, cost));
    let html = example.html();
    assert!(
        html.contains("a is exogenous")
            && html.contains("--knowledge knowledge.json")
            && html.contains("&quot;exogenous&quot;")
    );
}

#[test]
fn a_graph_without_edges_is_told_of_too() {
    let mut example = Example::of_numbers(&NAMES);
    example.data = Observations::Numbers(Gram::from_matrix(50, 2, vec![1.0, 0.0, 0.0, 1.0]).unwrap().into());
    example.names.truncate(2);
    example.support = None;
    example.learned = example.learning.run(&example.data, &Run::default()).unwrap();
    assert!(example.html().contains("There are no edges"));
}
