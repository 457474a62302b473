//! `plackett learn --bootstrap` from outside: its numbers, files, saved states and refusals.

mod common;

use serde_json::Value;

use common::{Folder, complaint, json, text};

/// Some rows of a linear model.
fn simulate(folder: &Folder) -> String {
    text(&[
        "simulate",
        "sem",
        "--graph",
        "er",
        "--degree",
        "1",
        "--nodes",
        "6",
        "--samples",
        "150",
        "--out",
        &folder.path("sem"),
    ]);
    folder.path("sem/data.csv")
}

fn share(pair: &Value, field: &str) -> f64 {
    pair[field].as_f64().unwrap()
}

#[test]
fn shares_add_up_and_are_in_the_table_the_document_the_file_and_the_picture() {
    let folder = Folder::new();
    let (data, out) = (simulate(&folder), folder.path("out"));
    let learned = json(&["learn", &data, "--score", "bic", "--bootstrap", "20", "--out", &out]);
    let bootstrap = &learned["bootstrap"];
    assert_eq!(
        (&bootstrap["replicates"], &bootstrap["wanted"], &bootstrap["warm"]),
        (&20.into(), &20.into(), &true.into())
    );
    let pairs = learned["support"].as_array().unwrap();
    let mut last = 1.0;
    for pair in pairs {
        let directions = share(pair, "forward") + share(pair, "backward") + share(pair, "undirected");
        assert!((share(pair, "adjacent") - directions).abs() < 1e-12, "{pair}");
        assert!(share(pair, "adjacent") <= last && share(pair, "adjacent") > 0.0);
        last = share(pair, "adjacent");
    }
    // Every edge of the graph is there, the way that it has.
    for edge in learned["edges"].as_array().unwrap() {
        assert!(pairs.iter().any(|pair| pair["from"] == edge["from"] && pair["to"] == edge["to"]), "{edge}");
    }
    let joined = pairs.iter().filter(|pair| share(pair, "adjacent") > 0.5).count();
    let consensus = &bootstrap["consensus"];
    let size = |field: &str| consensus[field].as_array().unwrap().len();
    assert_eq!(size("directed") + size("undirected"), joined);
    let csv = folder.read("out/support.csv");
    assert!(csv.starts_with("from,to,adjacent,forward,backward,undirected\n"), "{csv}");
    assert_eq!(csv.lines().count(), pairs.len() + 1);
    let svg = folder.read("out/graph.svg");
    assert!(svg.contains("% of resamples"), "{svg}");
    let shown = text(&["learn", &data, "--score", "bic", "--bootstrap", "20"]);
    for part in ["support", "this way", "20 resamples", "Consensus"] {
        assert!(shown.contains(part), "no {part}: {shown}");
    }
    // With an order to begin with, or without: up to 16 columns of numbers the search is exact.
    let cold = json(&["learn", &data, "--score", "bic", "--bootstrap", "20", "--cold"]);
    assert_eq!(cold["support"], learned["support"]);
}

#[test]
fn a_saved_state_is_gone_on_with_and_not_taken_for_another() {
    let folder = Folder::new();
    let (data, state) = (simulate(&folder), folder.path("state.json"));
    let whole = json(&["learn", &data, "--bootstrap", "12"]);
    json(&["learn", &data, "--bootstrap", "5", "--state", &state]);
    let gone_on = json(&["learn", &data, "--bootstrap", "12", "--state", &state]);
    assert_eq!(gone_on["support"], whole["support"]);
    assert_eq!(gone_on["bootstrap"]["replicates"], 12);
    let before = folder.read("state.json");
    let refused = complaint(&["learn", &data, "--bootstrap", "12", "--state", &state, "--seed", "1"], 2);
    assert!(refused.contains("--state is of other data, settings or another seed"), "{refused}");
    assert_eq!(folder.read("state.json"), before);
}

#[test]
fn what_has_no_rows_is_refused_with_the_remedy() {
    let folder = Folder::new();
    let data = simulate(&folder);
    let statistics = folder.path("statistics");
    text(&["statistics", &data, "--out", &statistics]);
    let refused = complaint(&["learn", &statistics, "--bootstrap", "5"], 2);
    assert!(
        refused.contains("--bootstrap draws rows anew") && refused.contains("give the rows"),
        "{refused}"
    );
    let refused = complaint(&["learn", &data, "--cold"], 2);
    assert!(refused.contains("--bootstrap"), "{refused}");
    // Counts of distinct rows are rows.
    let asia = ["learn", "--example", "asia", "--samples", "300", "--bootstrap", "3"];
    assert_eq!(json(&asia)["bootstrap"]["replicates"], 3);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_support_by_what_is_done() {
    let folder = Folder::new();
    let (data, state) = (simulate(&folder), folder.path("state.json"));
    let ended = common::interrupted(&["learn", &data, "--bootstrap", "1000000", "--state", &state]);
    let done = ended["bootstrap"]["replicates"].as_u64().unwrap();
    assert!(done < 1_000_000);
    assert_eq!(ended["bootstrap"]["status"], "interrupted");
    let warnings = ended["warnings"].as_array().unwrap();
    assert!(
        warnings.iter().any(|warning| warning.as_str().unwrap().contains("the run ended")),
        "{warnings:?}"
    );
    for pair in ended["support"].as_array().unwrap() {
        let replicates = share(pair, "adjacent") * done as f64;
        assert!((replicates - replicates.round()).abs() < 1e-6);
    }
}
