//! `plackett learn` with what the user knows: files and flags, what comes out, what it cost, and what is refused.

mod common;

use common::{Folder, complaint, json, text};
use serde_json::Value;

/// 500 rows of a, b = a + noise, c = b + noise, and "d e" on its own.
fn chain(folder: &Folder) -> String {
    let mut rows = "a,b,c,d e\n".to_owned();
    let mut state = 1_u64;
    let mut noise = || {
        let mut sum = 0.0;
        for _ in 0..6 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sum += (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
        }
        sum
    };
    for _ in 0..500 {
        let a = 3.0 * noise();
        let b = a + noise();
        let c = b + 2.0 * noise();
        rows += &format!("{a},{b},{c},{}\n", noise());
    }
    folder.write("data.csv", &rows)
}

fn has_edge(learned: &Value, from: &str, to: &str) -> bool {
    learned["edges"].as_array().unwrap().iter().any(|edge| edge["from"] == from && edge["to"] == to)
}

#[test]
fn flags_and_files_say_the_same() {
    let folder = Folder::new();
    let data = chain(&folder);
    let ours = r#"{"tiers": [["c"], {"columns": ["b", "d e"], "within": false}, ["a"]], "required": [["c", "d e"]]}"#;
    let ours = folder.write("known.json", ours);
    let theirs =
        "/knowledge\naddtemporal\n\n1 c\n2* b \"d e\"\n3 a\n\nforbiddirect\n\nrequiredirect\nc \"d e\"\n";
    let theirs = folder.write("known.txt", theirs);
    let flags = ["--tiers", "c; [b \"d e\"]; a", "--require", "c,d e"];
    let by_flags = json(&[&["learn", &data, "--score", "bic"], &flags[..]].concat());
    for file in [&ours, &theirs] {
        let by_file = json(&["learn", &data, "--score", "bic", "--knowledge", file]);
        for field in ["edges", "cpdag", "order", "score", "knowledge"] {
            assert_eq!(by_file[field], by_flags[field], "{field}");
        }
    }
    assert!(
        has_edge(&by_flags, "c", "b") && has_edge(&by_flags, "b", "a") && has_edge(&by_flags, "c", "d e")
    );
    assert!(by_flags["cpdag"]["undirected"].as_array().unwrap().is_empty());
    let knowledge = &by_flags["knowledge"];
    assert_eq!(knowledge["cpdag"], "maximally oriented under the knowledge");
    assert_eq!(knowledge["statements"].as_array().unwrap().len(), 4);
}

#[test]
fn a_wrong_statement_shows_in_its_cost() {
    let folder = Folder::new();
    let data = chain(&folder);
    let right = json(&["learn", &data, "--score", "bic", "--tiers", "a; b; c"]);
    assert!(right["knowledge"]["cost"].as_f64().unwrap().abs() < 1e-6);
    assert_eq!(right["knowledge"]["decisive"], Value::Array(Vec::new()));
    let wrong =
        json(&["learn", &data, "--score", "bic", "--require", "d e,b", "--forbid", "a,b", "--forbid", "b,a"]);
    let knowledge = &wrong["knowledge"];
    let decisive = knowledge["decisive"].as_array().unwrap();
    let statement = |at: usize| decisive[at]["statement"].as_str().unwrap();
    assert!(knowledge["cost"].as_f64().unwrap() > 50.0, "{knowledge}");
    assert!(decisive.iter().any(|one| one["statement"] == "d e -> b is required"), "{knowledge}");
    assert!(statement(0).contains("is forbidden"), "{knowledge}");
    let difference = wrong["score"].as_f64().unwrap() - knowledge["free_score"].as_f64().unwrap();
    assert!((difference - knowledge["cost"].as_f64().unwrap()).abs() < 1e-9);
    let shown = text(&["learn", &data, "--score", "bic", "--require", "d e,b"]);
    assert!(shown.contains("d e -> b is required") && shown.contains("maximally oriented"), "{shown}");
}

#[test]
fn every_method_keeps_it() {
    let folder = Folder::new();
    let data = chain(&folder);
    for method in ["auto", "insertion", "pl-relax", "pl", "order-mcmc", "random", "exact", "pc"] {
        let learned = json(&["learn", &data, "--method", method, "--tiers", "c; b; a", "--forbid", "c,a"]);
        assert!(
            has_edge(&learned, "c", "b") && has_edge(&learned, "b", "a"),
            "{method}: {}",
            learned["edges"]
        );
        assert!(!has_edge(&learned, "c", "a"), "{method}");
    }
}

#[test]
fn what_cannot_be_is_refused_with_all_that_is_wrong() {
    let folder = Folder::new();
    let data = chain(&folder);
    let refused = complaint(
        &[
            "learn",
            &data,
            "--require",
            "a,b",
            "--require",
            "b,a",
            "--forbid",
            "bb,c",
            "--forbid",
            "c,a",
            "--require",
            "c,a",
        ],
        2,
    );
    for part in ["a -> b -> a", "\"bb\"", "\"c -> a is required\" contradicts \"c -> a is forbidden\""] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    let file = folder.write("known.txt", "/knowledge\nrequiredirect\na b c\n");
    assert!(complaint(&["learn", &data, "--knowledge", &file], 2).contains("line 3"));
    assert!(complaint(&["learn", &file], 2).contains("what is known of a graph"));
    assert!(complaint(&["learn", &data, "--knowledge", &data], 2).contains("no knowledge"));
    assert!(complaint(&["learn", &data, "--require", "a"], 2).contains("A,B"));
    let tiers = folder.write("tiers.json", r#"{"tiers": [["a"]]}"#);
    assert!(complaint(&["learn", &data, "--knowledge", &tiers, "--tiers", "a; b"], 2).contains("twice"));
    assert!(complaint(&["learn", &tiers], 2).contains("what is known of a graph"));
}
