//! The program from outside: its JSON, its files, its exit codes and its complaints.

mod common;

use serde_json::Value;

use common::{Folder, complaint, json, text};

#[test]
fn toy_prints_the_fields_of_its_contract() {
    let run = json(&["toy", "--items", "5", "--offset", "0.1", "--steps", "2000"]);
    assert_eq!(run["estimator"], "relax");
    assert_eq!(run["items"], 5);
    assert_eq!(run["steps"], 2000);
    assert_eq!(run["status"], "finished");
    assert!(run["seconds"].as_f64().unwrap() > 0.0);
    assert!(run["steps_per_second"].as_f64().unwrap() > 0.0);
    let optimum = run["optimum"].as_f64().unwrap();
    assert!(run["final_mode_objective"].as_f64().unwrap() >= optimum);
    let curve = run["curve"].as_array().unwrap();
    assert_eq!(curve.len(), 101);
    let field = |at: usize, name: &str| curve[at][name].as_f64().unwrap();
    assert_eq!((field(0, "step"), field(100, "step")), (0.0, 2000.0));
    assert!(field(100, "mean_objective") < field(0, "mean_objective"));
    assert!(field(100, "log_grad_variance") < field(0, "log_grad_variance"));
    assert!(field(0, "mode_objective") >= optimum);
}

#[test]
fn every_estimator_runs_and_the_same_seed_gives_the_same_curve() {
    for estimator in ["reinforce", "rebar", "relax", "exact"] {
        let call = ["toy", "--estimator", estimator, "--items", "4", "--steps", "300", "--seed", "7"];
        let (first, second) = (json(&call), json(&call));
        assert_eq!(first["curve"], second["curve"]);
        assert_eq!(first["estimator"], estimator);
        assert_eq!(first["curve"][0]["log_grad_variance"].is_null(), estimator == "exact");
    }
}

#[test]
fn toy_writes_its_curve_and_pictures() {
    let folder = Folder::new();
    let text = text(&["toy", "--items", "3", "--steps", "50", "--out", &folder.path("new/folder")]);
    assert!(text.contains("mean objective") && text.contains("Mode [") && text.contains("toy.csv"), "{text}");
    assert_eq!(folder.files("new/folder"), ["toy.csv", "toy.png", "toy.svg"]);
    let csv = folder.read("new/folder/toy.csv");
    assert_eq!(csv.lines().next(), Some("step,mean_objective,mode_objective,log_grad_variance"));
    assert_eq!(csv.lines().count(), 52);
    assert!(std::fs::read(folder.path("new/folder/toy.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn larger_problems_and_single_items_work() {
    let large = json(&["toy", "--items", "20", "--estimator", "rebar", "--steps", "20", "--samples", "3"]);
    assert!(large["curve"][0]["mean_objective"].as_f64().unwrap() > large["optimum"].as_f64().unwrap());
    let single = json(&["toy", "--items", "1", "--steps", "10"]);
    assert_eq!(single["mode"], serde_json::json!([0]));
}

#[test]
fn bad_input_is_one_clear_line_and_code_2() {
    for (arguments, expected) in [
        (vec!["--items", "0"], "error: the toy problem is empty: at least one entry is needed\n"),
        (vec!["--steps", "0"], "error: steps is 0: at least 1 is needed\n"),
        (vec!["--samples", "0"], "error: samples is 0: at least 1 is needed\n"),
        (vec!["--offset", "nan"], "error: offset is NaN: it must be finite\n"),
        (vec!["--offset", "inf"], "error: offset is inf: it must be finite\n"),
    ] {
        assert_eq!(complaint(&[vec!["toy"], arguments].concat(), 2), expected);
    }
    assert!(
        complaint(&["toy", "--estimator", "magic"], 2)
            .contains("[possible values: reinforce, rebar, relax, surrogate, exact]")
    );
    assert!(complaint(&["reproduce", "figure1", "--seeds", "0", "--out", "x"], 2).contains("--seeds"));
    assert!(complaint(&["reproduce", "figure9", "--out", "x"], 2).contains("figure9"));
}

#[test]
fn the_version_has_the_programs_name() {
    assert_eq!(text(&["--version"]), concat!("plackett ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn wrong_usage_is_code_2_and_help_is_not() {
    assert!(complaint(&[], 2).contains("Usage: plackett <COMMAND>"));
    assert!(complaint(&["levitate"], 2).contains("unrecognized subcommand 'levitate'"));
    assert!(text(&["learn", "--help"]).contains("Usage: plackett learn"));
}

#[test]
fn a_folder_that_cannot_be_made_is_named_before_any_work() {
    let folder = Folder::new();
    folder.write("file", "in the way");
    let inside = folder.path("file/out");
    let text = complaint(&["toy", "--steps", "1000000000", "--out", &inside], 2);
    assert!(text.contains(&inside), "{text}");
    assert_eq!(folder.read("file"), "in the way");
}

#[test]
fn figure1_has_cells_for_every_curve_and_writes_its_files() {
    let folder = Folder::new();
    let document = json(&["reproduce", "figure1", "--quick", "--seeds", "1", "--out", &folder.path("")]);
    let cells = document["cells"].as_array().unwrap();
    for (graph, nodes, methods) in [
        ("Plackett-Luce", 8, ["EXACT", "REINFORCE", "PL-REBAR", "PL-RELAX"]),
        ("categorical", 2, ["EXACT", "REINFORCE", "REBAR", "RELAX"]),
        ("categorical", 8, ["EXACT", "REINFORCE", "REBAR", "RELAX"]),
    ] {
        for method in methods {
            let is_it = |cell: &&Value| {
                cell["table"] == "figure1"
                    && cell["graph"] == graph
                    && cell["nodes"] == nodes
                    && cell["method"] == method
                    && cell["metric"] == "final_mean_objective"
            };
            let cell =
                cells.iter().find(is_it).unwrap_or_else(|| panic!("no cell of {method} on {graph} {nodes}"));
            assert!(cell["mean"].is_number() && cell["std"].is_number());
            assert!(cell["paper_mean"].is_null() && cell["paper_std"].is_null());
        }
    }
    let files = [
        "figure1-categorical.png",
        "figure1-categorical.svg",
        "figure1.csv",
        "figure1.json",
        "figure1.md",
        "figure1.png",
        "figure1.svg",
    ];
    assert_eq!(folder.files(""), files);
    let svg = folder.read("figure1.svg");
    for label in ["EXACT", "REINFORCE", "PL-REBAR", "PL-RELAX", "optimum", "mean objective"] {
        assert!(svg.contains(label), "no {label} in the figure");
    }
}

/// Ctrl-C ends the run and shows what it has.
#[cfg(unix)]
#[test]
fn an_interrupted_run_shows_its_result() {
    let run = common::interrupted(&["toy", "--steps", "2000000000"]);
    assert_eq!(run["curve"].as_array().unwrap().last().unwrap()["step"], run["steps"]);
    assert!(run["final_mode_objective"].as_f64().unwrap() >= run["optimum"].as_f64().unwrap());
}
