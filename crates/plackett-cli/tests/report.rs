//! `--report`: a page beside the result, which is never lost with it.

mod common;

use std::fs;

use common::{complaint, json, text};
use tempfile::TempDir;

const ROWS: &str = "a,b,c\n0.1,0.3,1.1\n1.2,1.1,0.3\n-0.4,-0.1,0.2\n0.9,1.3,-0.7\n-1.1,-0.8,0.4\n0.3,0.2,-1.2\n-0.6,-0.9,0.8\n1.6,1.2,0.1\n";

fn folder() -> (TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, page) = (place("data.csv"), place("new/page.html"));
    fs::write(&data, ROWS).unwrap();
    (folder, data, page)
}

#[test]
fn learn_writes_a_page_after_what_it_prints() {
    let (_folder, data, page) = folder();
    let shown = text(&["learn", &data, "--report", &page]);
    assert!(shown.trim_end().ends_with(&format!("Report in {page}")));
    let html = fs::read_to_string(&page).unwrap();
    assert!(
        html.starts_with("<!doctype html>")
            && html.contains("plackett learn")
            && html.contains("Content-Security-Policy")
    );
    // The document is all that --json prints.
    let document = json(&["learn", &data, "--report", &page]);
    assert_eq!(document["nodes"], 3);
    assert_eq!(fs::read_to_string(&page).unwrap(), html);
}

#[test]
fn a_place_that_cannot_be_written_to_is_refused_before_anything_is_done() {
    let (folder, data, _) = folder();
    let root = folder.path().to_str().unwrap();
    assert!(complaint(&["learn", &data, "--report", root], 2).contains("is a folder"));
    let below = format!("{data}/page.html");
    assert!(complaint(&["learn", &data, "--report", &below], 2).contains("data.csv"));
    assert!(complaint(&["optimize", &data, "--report", root], 2).contains("is a folder"));
}

#[test]
fn optimize_writes_its_order_trace_and_command() {
    let (folder, _, page) = folder();
    let problem = folder.path().join("four.dat");
    fs::write(&problem, "4\n0 1 2 3\n1 0 5 4\n2 5 0 6\n3 4 6 0\n\n0 9 1 2\n9 0 3 1\n1 3 0 4\n2 1 4 0\n")
        .unwrap();
    let problem = problem.to_str().unwrap();
    let words = ["optimize", problem, "--evaluations", "500", "--seed", "3", "--report", &page];
    text(&words);
    let html = fs::read_to_string(&page).unwrap();
    for part in ["has the value 110", "<svg", "--evaluations 500 --seed 3", "Items are counted from 0"] {
        assert!(html.contains(part), "no {part}");
    }
    text(&words);
    assert_eq!(fs::read_to_string(&page).unwrap(), html, "the same run is the same file");
}
