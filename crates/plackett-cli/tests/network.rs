//! `plackett simulate network` from outside: its files, JSON, exit codes and complaints.

use std::{
    fs,
    process::{Command, Output},
};

use plackett_dag::{
    BayesNet, Dataset,
    dataset::{Kind, Reading},
    format::read_graph,
};
use serde_json::Value;
use tempfile::TempDir;

fn run(arguments: &[&str], threads: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plackett"))
        .args(["simulate", "network"])
        .args(arguments)
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .unwrap()
}

fn shown(arguments: &[&str], threads: &str) -> String {
    let output = run(arguments, threads);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap()
}

/// The complaint of a call that must fail as bad input and print nothing else.
fn complaint(arguments: &[&str]) -> String {
    let output = run(arguments, "2");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(output.stdout.is_empty());
    text
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

#[test]
fn files_hold_the_data_the_graph_and_the_network() {
    let folder = Folder::new();
    let out = folder.path("alarm");
    let text =
        shown(&["alarm", "--samples", "2000", "--validation", "50", "--seed", "3", "--out", &out], "2");
    for part in [
        "37 nodes, 46 edges and 509 free parameters",
        "data.csv: 2,000 rows",
        "validation.csv: 50 rows",
        "graph.csv",
        "network.bif",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let net = BayesNet::embedded("alarm").unwrap();
    assert_eq!(BayesNet::read_bif(folder.path("alarm/network.bif")).unwrap(), net);
    assert_eq!(&read_graph(folder.path("alarm/graph.csv")).unwrap(), net.graph());
    for (file, rows, stream) in
        [("alarm/data.csv", 2000, BayesNet::TRAINING), ("alarm/validation.csv", 50, BayesNet::VALIDATION)]
    {
        let data = Dataset::read(folder.path(file), &Reading::all(Kind::Categories))
            .unwrap()
            .into_categories()
            .unwrap();
        assert_eq!((data.row_count(), data.names()), (rows, net.names()));
        let drawn = net.sample(rows, 3, stream).unwrap();
        assert_eq!(data.aligned_to(&drawn).unwrap(), drawn, "what is read is what was drawn");
    }
}

#[test]
fn a_file_gives_the_same_as_the_name_and_threads_change_nothing() {
    let folder = Folder::new();
    let (first, second) = (folder.path("first"), folder.path("second"));
    let document: Value =
        serde_json::from_str(&shown(&["insurance", "--samples", "9000", "--json", "--out", &first], "1"))
            .unwrap();
    assert_eq!(document["network"], "insurance");
    for (field, wanted) in [
        ("nodes", 27),
        ("edges", 52),
        ("free_parameters", 1008),
        ("samples", 9000),
        ("validation", 9000),
        ("seed", 0),
    ] {
        assert_eq!(document[field], wanted, "{field}");
    }
    assert_eq!(document["files"].as_array().unwrap().len(), 4);
    shown(&[&folder.path("first/network.bif"), "--samples", "9000", "--out", &second], "3");
    for file in ["data.csv", "validation.csv", "graph.csv", "network.bif"] {
        assert!(folder.read(&format!("first/{file}")) == folder.read(&format!("second/{file}")), "{file}");
    }
    assert_ne!(folder.read("first/data.csv"), folder.read("first/validation.csv"));
    let third = folder.path("third");
    shown(&["insurance", "--samples", "9000", "--seed", "1", "--out", &third], "2");
    assert_ne!(folder.read("first/data.csv"), folder.read("third/data.csv"));
}

#[test]
fn names_that_are_not_known_are_answered_with_those_that_are() {
    let folder = Folder::new();
    let out = folder.path("out");
    let text = complaint(&["alram", "--out", &out]);
    assert!(
        text.contains("there is no network named \"alram\"; known are alarm, asia, cancer, child"),
        "{text}"
    );
    let text = complaint(&["alram.bif", "--out", &out]);
    assert!(text.starts_with("error: alram.bif: "), "{text}");
    let text = complaint(&["alarm", "--samples", "20000000", "--out", &out]);
    assert!(text.contains("20000000 rows are more than the 16777216"), "{text}");
    assert!(complaint(&["alarm", "--samples", "0", "--out", &out]).contains("at least 1 row"));
    assert!(!fs::exists(&out).unwrap());
}

#[test]
fn files_at_fault_are_named_by_line() {
    let folder = Folder::new();
    let out = folder.path("out");
    let variables = "network n {\n}\nvariable a { type discrete [2] { n, y }; }\nvariable b { type discrete [2] { n, y }; }\n";
    for (blocks, wanted) in [
        (
            "probability (a | b) { (n) 1, 0; (y) 0, 1; }\nprobability (b | a) { (n) 1, 0; (y) 0, 1; }\n",
            ", line 5: the graph has a cycle: a -> b -> a",
        ),
        (
            "probability (a) { table 0.5, 0.5; }\nprobability (b | a) {\n (n) 1, 0;\n (y) 0.2, 0.7; }\n",
            ", line 8: \"b\": the probabilities sum to 0.9, not 1, given a = y",
        ),
        (
            "probability (a) { table 0.5, 0.5; }\nprobability (b | c) { (n) 1, 0; }\n",
            ", line 6: \"b\": the parent \"c\" is not declared as a variable",
        ),
        (
            "probability (a) { table 0.5, 0.5; }\n",
            ", line 4: \"b\": there is no block with its probabilities",
        ),
        ("probability (a) { table 0.5, 0.5\n}\n", ", line 6: expected a number or ';', but found '}'"),
    ] {
        let file = folder.write("net.bif", &format!("{variables}{blocks}"));
        assert_eq!(complaint(&[&file, "--out", &out]), format!("error: {file}{wanted}\n"));
    }
    let file = folder
        .write("net.bif", "variable a { type discrete [2] { y, NA }; } probability (a) { table 0.5, 0.5; }");
    let text = complaint(&[&file, "--out", &out]);
    assert_eq!(text, "error: data.csv, column \"a\": the category \"NA\" would be read as a missing value\n");
    assert!(!fs::exists(&out).unwrap());
}
