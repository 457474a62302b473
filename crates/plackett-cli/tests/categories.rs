//! `plackett learn` on categories from outside: its JSON, files, exit codes and complaints; and `plackett reproduce table4`.

mod common;

use std::fs;

use serde_json::Value;

use common::{Folder, complaint, document, json, plackett, text};

/// Data of a network, and its graph.
fn simulate(folder: &Folder, network: &str, rows: &str) -> (String, String) {
    text(&["simulate", "network", network, "--samples", rows, "--out", &folder.path(network)]);
    (folder.path(&format!("{network}/data.csv")), folder.path(&format!("{network}/graph.csv")))
}

#[test]
fn the_alarm_example_finds_the_class_of_the_true_graph_but_for_what_the_data_cannot_show() {
    let folder = Folder::new();
    let out = folder.path("out");
    let learned = json(&["learn", "--example", "alarm", "--out", &out]);
    assert_eq!((&learned["method"], &learned["score_name"]), (&"insertion".into(), &"bdeu".into()));
    assert_eq!((&learned["data"], &learned["rows"]), (&"discrete".into(), &20_000.into()));
    let comparison = |field: &str| learned["comparison"][field].as_u64().unwrap();
    assert!(comparison("shd_cpdag") <= 3);
    // The best graph found costs no more than the true one.
    assert!(learned["score"].as_f64().unwrap() <= learned["true_score"].as_f64().unwrap());
    let edges = learned["edges"].as_array().unwrap();
    assert!(edges.iter().all(|edge| edge["weight"].as_f64().unwrap() > 0.0), "no edge is worth nothing");
    let order: Vec<&Value> = learned["order"].as_array().unwrap().iter().collect();
    let rank = |name: &Value| order.iter().position(|other| *other == name).unwrap();
    assert!(edges.iter().all(|edge| rank(&edge["from"]) < rank(&edge["to"])));
    for file in ["graph.json", "graph.csv", "graph.dot", "graph.svg", "graph.png"] {
        assert!(!fs::read(folder.path(&format!("out/{file}"))).unwrap().is_empty(), "{file}");
    }
    let shown = text(&["learn", "--example", "alarm"]);
    assert!(shown.contains("strength") && shown.contains("open") && shown.contains("SHD-CPDAG"), "{shown}");
}

#[test]
fn a_file_of_categories_is_known_for_one_and_can_be_taken_for_numbers() {
    let folder = Folder::new();
    let (data, graph) = simulate(&folder, "asia", "5000");
    let learned = json(&["learn", &data, "--truth", &graph]);
    assert_eq!(learned["data"], "discrete");
    assert!(learned["data_choice"].as_str().unwrap().contains("words"));
    assert!(learned["comparison"]["shd_cpdag"].as_u64().unwrap() <= 2);
    // The same categories as numbers: the graph is the same, and numbers can be told to be measurements.
    let rows = fs::read_to_string(&data).unwrap();
    let mut lines = rows.lines();
    let mut coded = lines.next().unwrap().to_owned() + "\n";
    for line in lines {
        let codes: Vec<&str> = line.split(',').map(|word| if word == "yes" { "1" } else { "0" }).collect();
        coded += &(codes.join(",") + "\n");
    }
    let coded = folder.write("coded.csv", &coded);
    let again = json(&["learn", &coded]);
    assert_eq!(again["cpdag"], learned["cpdag"]);
    let numbers = json(&["learn", &coded, "--continuous"]);
    assert_eq!((&numbers["data"], &numbers["data_choice"]), (&"continuous".into(), &Value::Null));
    assert_eq!(json(&["learn", &coded, "--standardize"])["data"], "continuous");
    assert!(complaint(&["learn", &data, "--continuous"], 2).contains("is not a number"));
    assert!(text(&["learn", &data]).contains("Data    every column holds words"));
}

#[test]
fn every_method_and_space_and_score_learns_and_threads_do_not_matter() {
    let folder = Folder::new();
    let (data, graph) = simulate(&folder, "cancer", "2000");
    let methods = [
        "insertion",
        "pl-relax",
        "pl-reinforce",
        "pl",
        "pl-relax+insertion",
        "order-mcmc",
        "random",
        "exact",
        "pc",
    ];
    let mut scores = Vec::new();
    for method in methods {
        let arguments = ["learn", &data, "--truth", &graph, "--method", method, "--steps", "2000"];
        let learned = json(&arguments);
        // Tests have no score.
        scores.push(learned["score"].as_f64().unwrap_or(f64::INFINITY));
        let one = document(plackett(&arguments).env("RAYON_NUM_THREADS", "1"));
        for field in ["order", "edges", "cpdag", "score", "evaluations"] {
            assert_eq!(one[field], learned[field], "{method} {field}");
        }
    }
    let exact = scores[7];
    assert!(scores.iter().take(8).all(|score| *score >= exact - 1e-9), "{scores:?}");
    assert!((scores[0] - exact).abs() < 1e-9, "insertion finds the best of five nodes");
    for space in ["plus-one", "pc", "all"] {
        assert!(json(&["learn", &data, "--candidates", space])["edges"].as_array().unwrap().len() > 1);
    }
    for score in ["qnml", "bdeu", "bic", "k2", "fnml"] {
        assert_eq!(json(&["learn", &data, "--score", score])["score_name"], score);
    }
    assert_eq!(json(&["learn", &data, "--ess", "10"])["score_name"], "bdeu");
}

#[test]
fn the_posterior_gives_every_edge_a_probability() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder, "asia", "1000");
    let out = folder.path("out");
    let learned =
        json(&["learn", &data, "--posterior", "--score", "bdeu", "--steps", "20000", "--out", &out]);
    let likely = learned["probabilities"].as_array().unwrap();
    assert!(!likely.is_empty());
    assert!(likely.iter().all(|edge| (0.01..=1.0 + 1e-9).contains(&edge["probability"].as_f64().unwrap())));
    let joined = |a: &str, b: &str| -> f64 {
        let is_it =
            |edge: &&Value| (edge["from"] == a && edge["to"] == b) || (edge["from"] == b && edge["to"] == a);
        likely.iter().filter(is_it).map(|edge| edge["probability"].as_f64().unwrap()).sum()
    };
    assert!(joined("bronc", "dysp") > 0.99 && joined("asia", "bronc") < 0.5);
    let matrix = folder.read("out/probabilities.csv");
    assert_eq!(matrix.lines().count(), 9);
    assert!(text(&["learn", &data, "--posterior", "--steps", "2000"]).contains("probability"));
    // One move is enough to have seen a partition.
    let hasty = json(&["learn", &data, "--posterior", "--steps", "1"]);
    assert!(!hasty["probabilities"].as_array().unwrap().is_empty());
    assert!(text(&["learn", &data, "--method", "pc"]).contains(" tests in "));
}

#[test]
fn bad_categories_are_refused_by_name() {
    let folder = Folder::new();
    for (content, expected) in [
        ("a,b\nx,y\n,z\nw,y\n".to_owned(), ", line 3, column \"a\": the value is missing (empty field)"),
        ("a,b\nx,y\nx,NA\nw,z\n".to_owned(), ", line 3, column \"b\": the value is missing (NA)"),
        ("a,b\nx,y\nx\n".to_owned(), ", line 3: the row has 1 field, the header has 2"),
        ("a\nx\ny\n".to_owned(), ": \"a\" is the only column"),
        ("a,b\nx,y\n".to_owned(), ": there is only one row"),
    ] {
        let data = folder.write("data.csv", &content);
        let complaint = complaint(&["learn", &data], 2);
        assert!(
            complaint.starts_with(&format!("error: {data}")) && complaint.contains(expected),
            "{complaint}"
        );
    }
    let (data, _) = simulate(&folder, "cancer", "1000");
    for (arguments, expected) in [
        (vec!["--score", "l1"], "for columns of categories there are qnml, bdeu, bic, k2, fnml"),
        (vec!["--discrete", "--lambda", "1"], "lambda is for columns of numbers"),
        (vec!["--discrete", "--standardize"], "--standardize and --no-center are for columns of numbers"),
        (vec!["--score", "qnml", "--ess", "1"], "ess belongs to the score bdeu"),
        (vec!["--ess", "0"], "0"),
        (vec!["--candidates", "pc", "--alpha", "2"], "alpha is 2"),
        (vec!["--method", "pc", "--posterior"], "posterior is for searches over orders"),
        (vec!["--method", "pc", "--max-parents", "2"], "max-parents is for searches over orders"),
        (vec!["--candidates", "all", "--alpha", "0.1"], "alpha is for tests that bound the parents"),
        (vec!["--max-parents", "0"], "--max-parents"),
        (vec!["--discrete", "--continuous"], "cannot be used with"),
    ] {
        let text = complaint(&[vec!["learn", &data], arguments].concat(), 2);
        assert!(text.contains(expected), "{text}");
    }
    assert!(complaint(&["learn", "--example", "alarms"], 2).contains("possible values: sem, alarm"));
    for given in [&["--continuous"][..], &["--lambda", "0.3"], &["--standardize"]] {
        let text = complaint(&[&["learn", "--example", "asia"], given].concat(), 2);
        assert!(text.contains("--continuous and settings of numbers do not fit"), "{text}");
    }
}

#[test]
fn copies_and_crowded_columns_are_warned_about() {
    let folder = Folder::new();
    let mut rows = "a,b,same,many\n".to_owned();
    for row in 0..300_u32 {
        let (a, b) = (row * 7 % 13 % 2, row * 5 % 11 % 3);
        rows += &format!("x{a},y{b},z{a},w{}\n", row % 70);
    }
    let learned = json(&["learn", &folder.write("data.csv", &rows)]);
    let warnings: Vec<&str> =
        learned["warnings"].as_array().unwrap().iter().map(|warning| warning.as_str().unwrap()).collect();
    assert!(warnings[0].contains("\"same\" tells the same as column \"a\""), "{warnings:?}");
    assert!(warnings[1].contains("\"many\" has 70 categories"), "{warnings:?}");
}

#[test]
fn table4_has_every_method_beside_the_paper() {
    let folder = Folder::new();
    let out = folder.path("out");
    let document = json(&["reproduce", "table4", "--quick", "--seeds", "1", "--out", &out]);
    let mean = |method: &str, metric: &str, field: &str| {
        let cells = document["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["method"] == method && cell["metric"] == metric).unwrap();
        assert_eq!(
            (&cell["table"], &cell["graph"], &cell["nodes"]),
            (&"table4".into(), &"ALARM".into(), &37.into())
        );
        cell[field].as_f64().unwrap()
    };
    for method in ["PL-RELAX", "ORDER-MCMC", "RANDOM"] {
        for metric in ["val_q_diff", "shd", "shd_cpdag", "sid"] {
            mean(method, metric, "paper_mean");
        }
    }
    assert_eq!(mean("RANDOM", "sid", "paper_mean"), 478.8);
    // The paper's last is the last here, and ours is before them all.
    for method in ["PL-RELAX", "ORDER-MCMC"] {
        assert!(mean(method, "sid", "mean") < mean("RANDOM", "sid", "mean"), "{method}");
        assert!(mean(method, "sid", "mean") > mean("LEARN", "sid", "mean"), "{method}");
    }
    assert!(mean("LEARN", "train_q_diff", "mean") >= 0.0);
    assert!(mean("LEARN", "train_q_diff", "mean") >= mean("ORDER-MCMC", "train_q_diff", "mean"));
    for file in ["table4.csv", "table4.json", "table4.md"] {
        assert!(fs::exists(folder.path(&format!("out/{file}"))).unwrap(), "{file} is missing");
    }
}
