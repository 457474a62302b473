//! `plackett fit` and `plackett effect`, and graphs in the formats of other programs.

mod common;

use common::{Folder, complaint, json, text};

fn folder() -> Folder {
    let folder = Folder::new();
    json(&[
        "simulate",
        "sem",
        "--nodes",
        "6",
        "--degree",
        "2",
        "--samples",
        "800",
        "--seed",
        "3",
        "--out",
        &folder.path("sem"),
    ]);
    folder
}

#[test]
fn a_graph_is_fitted_and_asked_for_an_effect() {
    let folder = folder();
    let (graph, data, model) =
        (folder.path("sem/weights.csv"), folder.path("sem/data.csv"), folder.path("model.json"));
    let fitted = json(&["fit", &graph, &data, "--out", &model]);
    assert_eq!(fitted["rows"], 800);
    let saved: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&model).unwrap()).unwrap();
    assert_eq!((saved["format"].as_str(), saved["version"].as_u64()), (Some("plackett-model"), Some(1)));
    // The coefficients are near the weights that the data were made with, and an edge is an effect where no other path leads.
    let learned = folder.path("learned");
    json(&["learn", &data, "--score", "bic", "--out", &learned]);
    let learned = folder.path("learned/graph.json");
    let mut open = 0;
    for (from, to) in [("x1", "x2"), ("x2", "x1"), ("x3", "x5"), ("x5", "x3"), ("x4", "x6"), ("x6", "x4")] {
        let known = json(&["effect", &graph, &data, "--from", from, "--to", to]);
        assert!(known["effect"].is_number() && known["adjustment"].is_array());
        assert_eq!(known["values"].as_array().unwrap().len(), 1);
        assert!(
            known["low"].as_f64() <= known["effect"].as_f64()
                && known["effect"].as_f64() <= known["high"].as_f64()
        );
        // The class holds the graph, so that its values hold the graph's.
        let class = json(&["effect", &graph, &data, "--from", from, "--to", to, "--class"]);
        let values: Vec<f64> = class["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value["effect"].as_f64().unwrap())
            .collect();
        let effect = known["effect"].as_f64().unwrap();
        assert!(values.iter().any(|value| (value - effect).abs() < 1e-9), "{values:?} {effect}");
        open += usize::from(class["effect"].is_null());
        json(&["effect", &learned, &data, "--from", from, "--to", to]);
    }
    assert!(open > 0);
    let shown = text(&["effect", &graph, &data, "--from", "x1", "--to", "x2", "--level", "0.9"]);
    assert!(
        shown.starts_with("Effect of x1 on x2: change of the mean of x2 when x1 is raised by one"),
        "{shown}"
    );
}

#[test]
fn effects_of_categories_come_with_all_probabilities() {
    let folder = Folder::new();
    json(&["simulate", "network", "asia", "--samples", "2000", "--out", &folder.path("asia")]);
    let (graph, data) = (folder.path("asia/graph.csv"), folder.path("asia/data.csv"));
    let found = json(&[
        "effect", &graph, &data, "--from", "bronc", "--to", "dysp", "--change", "no,yes", "--state", "yes",
    ]);
    assert!(found["effect"].as_f64().unwrap() > 0.4, "{found}");
    assert_eq!(found["values"][0]["levels"].as_array().unwrap().len(), 2);
    let shown = text(&["effect", &graph, &data, "--from", "bronc", "--to", "dysp"]);
    assert!(shown.contains("do(bronc = yes)"), "{shown}");
    let model = folder.path("asia.bif");
    text(&["fit", &graph, &data, "--out", &model, "--ess", "5"]);
    // What was fitted can be simulated from, and is a graph.
    json(&["simulate", "network", &model, "--samples", "10", "--out", &folder.path("again")]);
    assert_eq!(json(&["evaluate", &graph, &model])["shd"], 0);
}

#[test]
fn resamples_bring_the_doubt_of_the_graph() {
    let folder = folder();
    let (graph, data) = (folder.path("sem/weights.csv"), folder.path("sem/data.csv"));
    let found =
        json(&["effect", &graph, &data, "--from", "x1", "--to", "x2", "--bootstrap", "10", "--score", "bic"]);
    assert_eq!(found["resampling"]["replicates"], 10);
    assert_eq!(found["low"], found["resampling"]["low"]);
}

#[test]
fn several_causes_are_set_together() {
    let folder = folder();
    let (graph, data) = (folder.path("sem/weights.csv"), folder.path("sem/data.csv"));
    // x5 leads to x3 by itself, and by way of x6.
    let asked = ["effect", &graph, &data, "--from", "x5", "--from", "x6", "--to", "x3"];
    let found = json(&asked);
    let parts = found["values"][0]["parts"].as_array().unwrap();
    let sum: f64 = parts.iter().map(|part| part["effect"].as_f64().unwrap()).sum();
    assert!(parts.len() == 2 && (found["effect"].as_f64().unwrap() - sum).abs() < 1e-9, "{found}");
    let class = json(&[&asked[..], &["--class"]].concat());
    assert!(class["low"].as_f64() <= found["low"].as_f64(), "{class}");
    let shown = text(&asked);
    assert!(shown.contains("together on") && shown.contains("alone, the others held"), "{shown}");
    let resampled = json(&[&asked[..], &["--bootstrap", "5", "--score", "bic"]].concat());
    assert_eq!(resampled["resampling"]["replicates"], 5);
    assert!(complaint(&[&asked[..], &["--adjustment", "parents"]].concat(), 2).contains("for one cause"));
    assert!(complaint(&[&asked[..], &["--change", "a,b"]].concat(), 2).contains("--change is given 1 time"));

    json(&["simulate", "network", "asia", "--samples", "2000", "--out", &folder.path("asia")]);
    let (graph, data) = (folder.path("asia/graph.csv"), folder.path("asia/data.csv"));
    let asked =
        ["effect", &graph, &data, "--from", "smoke", "--from", "bronc", "--to", "dysp", "--state", "yes"];
    let found = json(&[&asked[..], &["--change", "no,yes", "--change", "no,yes"]].concat());
    assert!(found["effect"].as_f64().unwrap() > 0.5, "{found}");
    assert_eq!(found["values"][0]["levels"].as_array().unwrap().len(), 4);
    assert!(text(&asked).contains("do(smoke = yes, bronc = yes)"));
}

#[test]
fn bad_questions_are_refused() {
    let folder = folder();
    let (graph, data) = (folder.path("sem/weights.csv"), folder.path("sem/data.csv"));
    let effect = |more: &[&str]| complaint(&[&["effect", &graph, &data], more].concat(), 2);
    assert!(effect(&["--from", "x1", "--to", "x1"]).contains("the same column"));
    assert!(effect(&["--from", "x1", "--to", "y"]).contains("\"y\""));
    assert!(effect(&["--from", "x1", "--to", "x2", "--level", "2"]).contains("level is 2"));
    assert!(
        effect(&["--from", "x1", "--to", "x2", "--change", "a,b"]).contains("--change is for categories")
    );
    assert!(effect(&["--from", "x1", "--to", "x2", "--require", "x1,x2"]).contains("--bootstrap"));
    let other = folder.write("other.csv", "a,b\n0,1\n0,0\n");
    assert!(complaint(&["fit", &other, &data, "--out", &folder.path("m.json")], 2).contains("\"a\""));
    assert!(complaint(&["fit", &graph, &data, "--out", &folder.path("m.bif")], 2).contains(".bif"));
    let cyclic = folder.write("cyclic.dot", "digraph { x1 -> x2 -> x1 }");
    assert!(
        complaint(&["effect", &cyclic, &data, "--from", "x1", "--to", "x2"], 2)
            .contains("the graph has a cycle")
    );
    assert!(
        complaint(&["fit", &graph, &data, "--out", &folder.path("m.json"), "--ess", "-1"], 2)
            .contains("ess is -1")
    );
}

#[test]
fn the_truth_may_be_in_any_format() {
    let folder = Folder::new();
    folder.write("truth.csv", "a,b,c\n0,0,1\n0,0,1\n0,0,0\n");
    for (name, content) in [
        ("g.dot", "digraph { a -> c; b -> c }"),
        ("g.txt", "Graph Nodes:\na;b;c\n\nGraph Edges:\n1. a --> c\n2. b --> c\n"),
        ("g.dagitty", "dag { a -> c <- b }"),
        ("g.bn", "[a][b][c|a:b]"),
        (
            "g.gml",
            "graph [ directed 1 node [ id 0 label \"a\" ] node [ id 1 label \"b\" ] node [ id 2 label \"c\" ] edge [ source 0 target 2 ] edge [ source 1 target 2 ] ]",
        ),
        (
            "g.graphml",
            "<graphml><graph edgedefault=\"directed\"><node id=\"a\"/><node id=\"b\"/><node id=\"c\"/><edge source=\"a\" target=\"c\"/><edge source=\"b\" target=\"c\"/></graph></graphml>",
        ),
    ] {
        let path = folder.write(name, content);
        assert_eq!(json(&["evaluate", &folder.path("truth.csv"), &path])["shd"], 0, "{name}");
    }
    let data = folder.write(
        "data.csv",
        "a,b,c\n1.5,2.5,4.1\n0.5,1.5,2.2\n2.5,0.5,2.9\n1.0,1.0,2.3\n3.5,2.0,5.4\n0.2,0.4,0.8\n",
    );
    let truth = folder.write("truth.dagitty", "dag { a -> c <- b }");
    assert!(json(&["learn", &data, "--truth", &truth])["comparison"].is_object());
}
