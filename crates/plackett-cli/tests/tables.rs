//! `plackett reproduce table1`: its cells, its files, and going on where a run was stopped.

mod common;

use serde_json::Value;

use common::{Folder, document, plackett};

fn table1(folder: &Folder, threads: &str) -> Value {
    let page = folder.path("page.html");
    let mut call = plackett(&[
        "reproduce",
        "table1",
        "--quick",
        "--seeds",
        "1",
        "--out",
        &folder.path(""),
        "--report",
        &page,
    ]);
    document(call.env("RAYON_NUM_THREADS", threads))
}

/// All cells but the times, which are never the same twice.
fn figures(document: &Value) -> Vec<&Value> {
    document["cells"].as_array().unwrap().iter().filter(|cell| cell["metric"] != "seconds").collect()
}

#[test]
fn the_table_has_every_method_beside_the_paper_and_goes_on_where_it_stopped() {
    let folder = Folder::new();
    let document = table1(&folder, "1");
    let cell = |graph: &str, method: &str, metric: &str| {
        let is_it =
            |cell: &&&Value| cell["graph"] == graph && cell["method"] == method && cell["metric"] == metric;
        let all = figures(&document);
        (*all.iter().find(is_it).unwrap_or_else(|| panic!("no {metric} of {method} on {graph}"))).clone()
    };
    let page = folder.read("page.html");
    for part in
        ["Table 1", "PL-RELAX", "SHD, paper", "ER4, 10 nodes, raw", "<svg", "reproduce table1 --seeds 1"]
    {
        assert!(page.contains(part), "no {part}");
    }
    for graph in ["ER1", "ER4", "SF1", "SF4"] {
        for method in ["PL-RELAX", "SINKHORN_ECP", "URS_ECP", "SINKHORN", "URS", "GREEDY-SP", "RANDOM"] {
            for metric in ["shd", "shd_cpdag", "sid"] {
                let cell = cell(graph, method, metric);
                assert!(cell["mean"].is_number() && cell["paper_mean"].is_number());
                assert_eq!((&cell["table"], &cell["data"]), (&"table1".into(), &"raw".into()));
            }
        }
        // The exact optimum is reached by insertion, and is below the objective of the true weights.
        let objective = |method: &str| cell(graph, method, "val_q_diff")["mean"].as_f64().unwrap();
        assert_eq!(objective("INSERTION"), objective("EXACT"));
        assert!(objective("EXACT") < 0.0 && objective("RANDOM") > 0.0);
        assert!(cell(graph, "EV-L0", "shd")["mean"].as_f64().unwrap() <= 1.0);
    }
    let files = ["jobs", "page.html", "table1.csv", "table1.json", "table1.md", "table1.png", "table1.svg"];
    assert_eq!(folder.files(""), files);

    // A finished job is not run again: what stands in its file is taken.
    let kept = "jobs/10-ER1-raw-0-EV-L0.json";
    let mut job: Value = serde_json::from_str(&folder.read(kept)).unwrap();
    job["shd"] = 1234.0.into();
    folder.write(kept, &job.to_string());
    let changed = table1(&folder, "1");
    assert!(figures(&changed).iter().any(|cell| cell["mean"] == 1234.0));

    // A job whose file is broken or gone is run again, and the number of threads does not matter.
    folder.write(kept, "{ broken");
    std::fs::remove_file(folder.path("jobs/10-SF4-raw-0-URS.json")).unwrap();
    assert_eq!(figures(&table1(&folder, "2")), figures(&document));
}

/// What was stopped says so, in its code, in its files and by where they are, and a table that was whole stays.
#[cfg(unix)]
#[test]
fn an_interrupted_table_is_not_taken_for_a_whole_one() {
    let folder = Folder::new();
    folder.write("figure1.md", "a whole one");
    let output = common::stopped(&["reproduce", "figure1", "--seeds", "2", "--out", &folder.path("")]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("interrupted") && said.contains("partial"), "{said}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["interrupted"], true);
    assert_eq!(folder.read("figure1.md"), "a whole one");
    assert!(folder.read("partial/figure1.md").starts_with("> Interrupted: "));
}
