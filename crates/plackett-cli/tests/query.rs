//! `plackett query` and `plackett convert`: networks asked for probabilities, and graphs from one format to another.

mod common;

use common::{Folder, complaint, json, text};
use serde_json::Value;

fn probability(document: &Value, node: &str, state: &str) -> f64 {
    let nodes = document["nodes"].as_array().unwrap();
    let found = nodes.iter().find(|found| found["name"] == node).unwrap();
    let states = found["states"].as_array().unwrap();
    states.iter().find(|found| found["state"] == state).unwrap()["probability"].as_f64().unwrap()
}

#[test]
fn a_network_tells_probabilities_of_what_is_seen_and_what_is_done() {
    // By hand: P(smoke | bronc) = 0.5·0.6 / (0.5·0.6 + 0.5·0.3).
    let seen = json(&["query", "asia", "--of", "smoke", "--given", "bronc=yes"]);
    assert!((probability(&seen, "smoke", "yes") - 2.0 / 3.0).abs() < 1e-12);
    assert!((seen["evidence_log_probability"].as_f64().unwrap() - 0.45_f64.ln()).abs() < 1e-12);
    let done = json(&["query", "asia", "--of", "smoke", "--do", "bronc=yes"]);
    assert!((probability(&done, "smoke", "yes") - 0.5).abs() < 1e-12);
    // P(lung | do(smoke)) is the table's, whatever else is told of what does not follow from it.
    let both = json(&["query", "asia", "--of", "lung", "--do", "smoke=yes", "--given", "asia=yes"]);
    assert!((probability(&both, "lung", "yes") - 0.1).abs() < 1e-12);
    assert_eq!((both["do"]["smoke"].as_str(), both["given"]["asia"].as_str()), (Some("yes"), Some("yes")));
    // All that is not told, by default.
    assert_eq!(json(&["query", "asia", "--given", "xray=yes"])["nodes"].as_array().unwrap().len(), 7);
    let shown = text(&["query", "asia", "--of", "dysp", "--given", "smoke=yes", "--do", "bronc=no"]);
    assert!(shown.starts_with("Probabilities given smoke = yes, do(bronc = no)\n"), "{shown}");
}

#[test]
fn fitted_models_are_asked_as_networks_are() {
    let folder = Folder::new();
    json(&["simulate", "network", "asia", "--samples", "3000", "--out", &folder.path("asia")]);
    let (graph, data) = (folder.path("asia/graph.csv"), folder.path("asia/data.csv"));
    let [model, bif] = ["model.json", "model.bif"].map(|name| folder.path(name));
    text(&["fit", &graph, &data, "--out", &model]);
    text(&["fit", &graph, &data, "--out", &bif]);
    let ask =
        |model: &str| json(&["query", model, "--of", "dysp", "--do", "bronc=yes", "--given", "smoke=no"]);
    let (of_json, of_bif) = (ask(&model), ask(&bif));
    assert!((probability(&of_json, "dysp", "yes") - probability(&of_bif, "dysp", "yes")).abs() < 1e-9);
    assert!((probability(&of_json, "dysp", "yes") - 0.8).abs() < 0.05);
    // A model is a graph too, and what BIF holds.
    let again = folder.path("again.bif");
    assert_eq!(json(&["convert", &model, &again])["format"], "bif");
    assert_eq!(json(&["evaluate", &graph, &again])["shd"], 0);
    let dot = folder.path("model.dot");
    text(&["convert", &model, &dot]);
    assert_eq!(json(&["evaluate", &graph, &dot])["shd"], 0);
}

#[test]
fn all_that_is_wrong_with_a_query_is_told_at_once() {
    let told = complaint(
        &[
            "query",
            "asia",
            "--of",
            "smok",
            "--given",
            "lung=maybe",
            "--given",
            "tub=yes",
            "--do",
            "tub=yes",
            "--do",
            "gene=yes",
        ],
        2,
    );
    for part in ["\"smok\"", "\"gene\"", "\"maybe\"", "\"tub\" is both observed"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(complaint(&["query", "asia", "--given", "smoke"], 2).contains("NAME=STATE"));
    assert!(complaint(&["query", "atlantis"], 2).contains("asia"));
    assert!(complaint(&["query", "alarm", "--memory", "0"], 2).contains("--memory"));
    // Either is certain once tub is.
    assert!(
        complaint(&["query", "asia", "--given", "tub=yes", "--given", "either=no"], 2)
            .contains("probability zero")
    );
    let folder = Folder::new();
    let data = folder.write("data.csv", "a,b\n1.5,2.5\n0.5,1.5\n2.5,0.5\n1.1,1.3\n3.5,2.0\n0.2,0.4\n");
    let graph = folder.write("graph.csv", "a,b\n0,1\n0,0\n");
    let model = folder.path("model.json");
    text(&["fit", &graph, &data, "--out", &model]);
    assert!(complaint(&["query", &model], 2).contains("it has numbers: a, b"));
    assert!(complaint(&["convert", &model, &folder.path("model.bif")], 2).contains("it has numbers"));
}

/// Where open directions have a place, they come back; where not, a warning says so.
#[test]
fn graphs_go_to_every_format_and_back() {
    let folder = Folder::new();
    let graph = folder.write("graph.dagitty", "pdag { a -- b; b -> c; d -> c; e }");
    for (ending, holds) in [
        ("csv", false),
        ("json", true),
        ("dot", true),
        ("gv", true),
        ("graphml", true),
        ("gml", true),
        ("dagitty", true),
        ("tetrad", true),
        ("txt", true),
        ("bnlearn", false),
    ] {
        let out = folder.path(&format!("out.{ending}"));
        let said = json(&["convert", &graph, &out]);
        assert_eq!(
            (said["nodes"].as_u64(), said["edges"].as_u64(), said["open"].as_u64()),
            (Some(5), Some(3), Some(1))
        );
        assert_eq!(said["warnings"].as_array().unwrap().len(), usize::from(!holds), "{ending}");
        assert_eq!(json(&["evaluate", &graph, &out])["shd"], 0, "{ending}");
        let back = json(&["convert", &out, &folder.path("back.dagitty")]);
        assert_eq!(back["open"].as_u64(), Some(u64::from(holds)), "{ending}");
        assert_eq!(back["nodes"].as_u64(), Some(5), "{ending}");
    }
    let shown = text(&["convert", &graph, "-", "--format", "dagitty"]);
    assert!(shown.starts_with("pdag {") && shown.contains("\"a\" -- \"b\""), "{shown}");
    let refused = |arguments: &[&str]| complaint(&[&["convert", &graph], arguments].concat(), 2);
    assert!(refused(&[&folder.path("graph.xyz")]).contains(".graphml"));
    assert!(refused(&["-"]).contains("--format"));
    assert!(refused(&[&folder.path("graph.bif")]).contains("plackett fit"));
    let odd = folder.write("odd.dot", "digraph { \"two words\" -> b }");
    assert!(complaint(&["convert", &odd, &folder.path("odd.tetrad")], 2).contains("two words"));
}
