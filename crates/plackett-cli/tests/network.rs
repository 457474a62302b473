//! `plackett simulate network` from outside: its files, JSON, exit codes and complaints.

mod common;

use std::fs;

use plackett_dag::{
    BayesNet, Dataset,
    dataset::{Kind, Reading},
    format::read_graph,
};

use common::{Folder, document, plackett};

const COMMAND: [&str; 2] = ["simulate", "network"];

fn text(arguments: &[&str]) -> String {
    common::text(&[&COMMAND, arguments].concat())
}

fn complaint(arguments: &[&str]) -> String {
    common::complaint(&[&COMMAND, arguments].concat(), 2)
}

#[test]
fn files_hold_the_data_the_graph_and_the_network() {
    let folder = Folder::new();
    let out = folder.path("alarm");
    let text = text(&["alarm", "--samples", "2000", "--validation", "50", "--seed", "3", "--out", &out]);
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
    let mut call = plackett(&COMMAND);
    call.args(["insurance", "--samples", "9000", "--out", &first]);
    let document = document(call.env("RAYON_NUM_THREADS", "1"));
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
    text(&[&folder.path("first/network.bif"), "--samples", "9000", "--out", &second]);
    for file in ["data.csv", "validation.csv", "graph.csv", "network.bif"] {
        assert!(folder.read(&format!("first/{file}")) == folder.read(&format!("second/{file}")), "{file}");
    }
    assert_ne!(folder.read("first/data.csv"), folder.read("first/validation.csv"));
    let third = folder.path("third");
    text(&["insurance", "--samples", "9000", "--seed", "1", "--out", &third]);
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
    assert_eq!(
        text,
        "error: data.csv, column \"a\": the category \"NA\" would be read as a missing value; it can be a category where something else is said \
         to stand for missing values (--na), in writing and in reading\n"
    );
    assert!(!fs::exists(&out).unwrap());
}
