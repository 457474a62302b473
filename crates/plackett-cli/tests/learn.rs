//! `plackett learn`, `simulate` and `evaluate` from outside: their JSON, files, exit codes and complaints.

mod common;

use std::{fs, path::Path};

use serde_json::Value;

use common::{Folder, complaint, document, json, names, plackett, text};

/// Data and true weights of a simulated model.
fn simulate(folder: &Folder, arguments: &[&str]) -> (String, String) {
    text(&[&["simulate", "sem", "--out", &folder.path("sem")], arguments].concat());
    (folder.path("sem/data.csv"), folder.path("sem/weights.csv"))
}

#[test]
fn learn_prints_the_fields_of_its_contract() {
    let folder = Folder::new();
    let (data, weights) = simulate(&folder, &["--nodes", "8", "--samples", "500", "--seed", "5"]);
    let learned = json(&["learn", &data, "--truth", &weights]);
    assert_eq!(learned["method"], "exact");
    assert_eq!(learned["score_name"], "ev-l0");
    assert!(learned["score_choice"].as_str().unwrap().contains("its graph is as good by the bic"));
    assert_eq!(
        (&learned["status"], &learned["preprocessing"]),
        (&Value::from("finished"), &Value::from("centered"))
    );
    assert_eq!((&learned["nodes"], &learned["rows"]), (&Value::from(8), &Value::from(500)));
    assert!(learned["score"].is_f64() && learned["seconds"].as_f64().unwrap() > 0.0);
    assert!(learned["evaluations"].as_u64().unwrap() > 0);
    assert_eq!(learned["warnings"], serde_json::json!([]));
    let order = names(&learned["order"]);
    let rank = |name: &Value| order.iter().position(|other| name == other).unwrap();
    let edges = learned["edges"].as_array().unwrap();
    assert!(!edges.is_empty());
    for edge in edges {
        assert!(rank(&edge["from"]) < rank(&edge["to"]), "the order lists causes first");
        assert!(edge["weight"].as_f64().unwrap() != 0.0);
    }
    let cpdag = &learned["cpdag"];
    let pairs = [&cpdag["directed"], &cpdag["undirected"]].map(|list| list.as_array().unwrap());
    assert_eq!(pairs[0].len() + pairs[1].len(), edges.len());
    assert!(pairs.into_iter().flatten().all(|pair| names(pair).len() == 2));
    let comparison = &learned["comparison"];
    for field in ["shd", "shd_cpdag", "sid", "edges_true", "edges_est", "missing", "extra", "reversed"] {
        assert!(comparison[field].is_u64(), "no {field}");
    }
    assert!(json(&["learn", &data])["comparison"].is_null());
}

#[test]
fn simulate_then_learn_then_evaluate_finds_the_graph() {
    let folder = Folder::new();
    let (data, weights) = simulate(
        &folder,
        &[
            "--graph",
            "er",
            "--degree",
            "1",
            "--nodes",
            "10",
            "--samples",
            "1000",
            "--validation",
            "20",
            "--seed",
            "1",
        ],
    );
    let lines = |name: &str| folder.read(name).lines().count();
    assert_eq!(
        (lines("sem/data.csv"), lines("sem/validation.csv"), lines("sem/weights.csv")),
        (1001, 21, 11)
    );
    let out = folder.path("learned");
    let shown = text(&["learn", &data, "--score", "ev-l0", "--truth", &weights, "--out", &out]);
    assert!(shown.contains(" -> ") && shown.contains("Order ") && shown.contains("SHD"), "{shown}");
    for estimate in ["graph.json", "graph.csv"] {
        let estimate = format!("{out}/{estimate}");
        let result = json(&["evaluate", &weights, &estimate]);
        assert_eq!((&result["shd"], &result["sid"]), (&Value::from(0), &Value::from(0)), "{estimate}");
        assert_eq!(result["edges_true"], result["edges_est"]);
    }
    assert_eq!(folder.files("learned"), ["graph.csv", "graph.dot", "graph.json", "graph.png", "graph.svg"]);
    let read = |name: &str| fs::read(Path::new(&out).join(name)).unwrap();
    assert!(read("graph.png").starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(read("graph.svg").starts_with(b"<svg "));
    assert!(read("graph.dot").starts_with(b"digraph {"));
    assert!(shown.contains("graph.json, graph.csv, graph.dot, graph.svg, graph.png"));
}

#[test]
fn simulate_is_a_function_of_its_seed_and_says_what_it_made() {
    let make = |seed: &str| {
        let folder = Folder::new();
        let out = folder.path("sem");
        let document = json(&[
            "simulate",
            "sem",
            "--graph",
            "sf",
            "--nodes",
            "6",
            "--samples",
            "9",
            "--seed",
            seed,
            "--out",
            &out,
        ]);
        assert_eq!((&document["edges"], &document["validation"]), (&Value::from(5), &Value::from(9)));
        assert_eq!(document["files"].as_array().unwrap().len(), 3);
        ["data.csv", "validation.csv", "weights.csv"].map(|name| folder.read(&format!("sem/{name}")))
    };
    let first = make("1");
    assert_eq!(first, make("1"));
    assert_ne!(first, make("2"));
    assert_ne!(first[0], first[1], "validation data are drawn independently");
    let folder = Folder::new();
    let out = folder.path("sem");
    let shown = text(&["simulate", "sem", "--out", &out]);
    for part in ["10 nodes", "data.csv: 1,000 rows", "validation.csv", "weights.csv", "row i, column j"] {
        assert!(shown.contains(part), "no {part} in {shown}");
    }
}

#[test]
fn simulate_refuses_what_makes_no_sense() {
    let folder = Folder::new();
    let out = folder.path("sem");
    for (arguments, expected) in [
        (["--nodes", "0"], "nodes is 0"),
        (["--samples", "0"], "at least 1 row"),
        (["--degree", "11"], "degree is 11"),
        (["--graph", "tree"], "possible values: er, sf"),
    ] {
        let text = complaint(&[&["simulate", "sem", "--out", &out], &arguments[..]].concat(), 2);
        assert!(text.contains(expected), "{text}");
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn evaluate_says_which_is_which_and_matches_by_name() {
    let folder = Folder::new();
    let truth = folder.write("truth.csv", "a,b,c\n0,1,1\n0,0,0\n0,0,0\n");
    // The same nodes in another order: c -> a, a -> b.
    let estimate = folder.write("estimate.csv", "c,b,a\n0,0,1\n0,0,0\n0,1,0\n");
    let result = json(&["evaluate", &truth, &estimate]);
    let fields = ["shd", "shd_cpdag", "edges_true", "edges_est", "missing", "extra", "reversed"];
    assert_eq!(fields.map(|field| result[field].as_u64().unwrap()), [1, 0, 2, 2, 0, 0, 1]);
    let shown = text(&["evaluate", &truth, &estimate, "--seed", "3"]);
    let expected = format!("True graph  {truth}\nEstimate    {estimate}\n");
    assert!(shown.starts_with(&expected), "{shown}");
    assert!(shown.contains("Row i, column j non-zero means i -> j"));
}

#[test]
fn evaluate_names_the_file_at_fault() {
    let folder = Folder::new();
    let good = folder.write("good.csv", "a,b\n0,1\n0,0\n");
    for (name, content, expected) in [
        ("cycle.csv", "a,b\n0,1\n1,0\n", "cycle.csv: the graph has a cycle: a -> b -> a"),
        ("square.csv", "a,b\n0,1\n", "square.csv: the adjacency matrix has 2 columns and 1 rows"),
        ("word.csv", "a,b\n0,x\n0,0\n", "word.csv, line 2, column \"b\": \"x\" is not a number"),
        ("graph.json", "{\"order\": []", "graph.json, line 1"),
        ("other.csv", "a,z\n0,1\n0,0\n", "only the true graph has \"b\"; only the estimate has \"z\""),
    ] {
        let bad = folder.write(name, content);
        let text = complaint(&["evaluate", &good, &bad], 2);
        assert!(text.contains(expected), "{text}");
    }
    let text = complaint(&["evaluate", &good, &folder.path("none.csv")], 2);
    assert!(text.contains("none.csv: "), "{text}");
}

#[test]
fn bad_data_are_named_by_file_line_and_column() {
    let folder = Folder::new();
    for (content, expected) in [
        ("a,b\n1,2\nNaN,3\n5,4\n", ", line 3, column \"a\": the value is missing (NaN)"),
        ("a,b\n1,2\n3,inf\n4,1\n", ", line 3, column \"b\": inf is not a finite number"),
        ("a,b\n1,2\n3\n", ", line 3: the row has 1 field, the header has 2"),
        ("a,b\n1,2\n3,\n4,5\n", ", line 3, column \"b\": the value is missing (empty field)"),
        (
            "a,b\n1,2\n3,four\n",
            ", line 3, column \"b\": \"four\" is not a number (--categorical b; or --drop b)",
        ),
        ("a,b,a\n1,2,3\n", ", line 1, column \"a\": two columns have this name"),
        ("a\n1\n2\n", ": \"a\" is the only column; a graph needs at least two"),
        ("a,b\n1,2\n", ": there is only one row"),
        ("a,b\n1e200,2\n-1e200,3\n1,4\n", ": column \"a\": the values are too large"),
        ("a,b\n", ": the file has a header and no rows"),
        ("", ": the file is empty"),
        ("a,b\n1;2\n", "separated by ';'"),
    ] {
        let data = folder.write("data.csv", content);
        for numbers in ["--continuous", "--standardize"] {
            let text = complaint(&["learn", &data, "--json", numbers], 2);
            assert!(text.starts_with(&format!("error: {data}")) && text.contains(expected), "{text}");
        }
    }
    let missing = folder.path("nowhere.csv");
    assert!(complaint(&["learn", &missing], 2).starts_with(&format!("error: {missing}: ")));
    assert!(complaint(&["learn"], 2).contains("DATA"));
}

#[test]
fn wrong_truth_files_are_refused_before_the_search() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder, &["--nodes", "3", "--samples", "50"]);
    let out = folder.path("out");
    let cycle = folder.write("cycle.csv", "x1,x2,x3\n0,1,0\n0,0,1\n1,0,0\n");
    let text = complaint(&["learn", &data, "--truth", &cycle, "--out", &out], 2);
    assert!(text.contains("cycle.csv: the graph has a cycle: x1 -> x2 -> x3 -> x1"), "{text}");
    let other = folder.write("other.csv", "x1,x2,y\n0,1,0\n0,0,1\n0,0,0\n");
    let text = complaint(&["learn", &data, "--truth", &other, "--out", &out], 2);
    assert!(text.contains("other.csv") && text.contains("data.csv"), "{text}");
    assert!(text.contains("only the true graph has \"y\"") && text.contains("has \"x3\""), "{text}");
    assert!(!Path::new(&out).exists());
}

#[test]
fn few_rows_and_exact_relations_are_warned_about() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder, &["--nodes", "12", "--samples", "10"]);
    for score in ["l1", "ev-l0", "bic", "auto"] {
        let learned = json(&["learn", &data, "--score", score]);
        assert!(learned["score"].is_f64(), "{score}: {}", learned["score"]);
        assert!(names(&learned["warnings"])[0].contains("10 rows for 12 columns"), "{score}");
    }
    let mut rows = "a,b,total\n".to_owned();
    for row in 0..60_i32 {
        let (a, b) = ((row * 37 % 61) - 30, (row * 23 % 59) - 29);
        rows += &format!("{a},{b},{}\n", a + b);
    }
    let data = folder.write("sum.csv", &rows);
    for score in ["ev-l0", "bic"] {
        let learned = json(&["learn", &data, "--score", score]);
        assert!(learned["score"].is_f64(), "{score}");
        assert!(names(&learned["warnings"])[0].contains("is an exact linear function of"), "{score}");
    }
}

#[test]
fn copies_and_names_are_warned_about_and_mixed_data_have_a_posterior() {
    let folder = Folder::new();
    let mut rows = "name,size,inches,dose,cured\n".to_owned();
    for row in 0..600_i32 {
        let (size, dose) = (row * 37 % 61, row * 23 % 59);
        let cured = if dose + row * 7 % 20 > 35 { "yes" } else { "no" };
        rows += &format!("w{row},{size},{},{dose},{cured}\n", 2 * size + 1);
    }
    let data = folder.write("trial.csv", &rows);
    let learned = json(&["learn", &data, "--posterior", "--steps", "2000"]);
    let warnings = names(&learned["warnings"]);
    for expected in [
        "column \"inches\" is a copy of column \"size\" up to shift and scale (correlation 1): directions among them mean \
         nothing (--drop inches)",
        "column \"name\" holds 600 different values, as names do, none of them twice: no edge leads there or from there \
         (--drop name)",
    ] {
        assert!(warnings.contains(&expected), "{warnings:?}");
    }
    let mut pairs: Vec<[&str; 2]> = learned["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| ["from", "to"].map(|end| edge[end].as_str().unwrap()))
        .collect();
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
    assert_eq!(pairs, [["cured", "dose"], ["inches", "size"]]);
    for [one, other] in pairs {
        let likely = learned["probabilities"].as_array().unwrap().iter().filter(|edge| {
            let ends = ["from", "to"].map(|end| edge[end].as_str().unwrap());
            ends == [one, other] || ends == [other, one]
        });
        let sum: f64 = likely.map(|edge| edge["probability"].as_f64().unwrap()).sum();
        assert!(sum > 0.99, "{one} {other}: {sum}");
    }
}

#[test]
fn numbers_have_a_posterior_and_the_chains_are_told_of() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder, &["--nodes", "5", "--degree", "1", "--samples", "300", "--seed", "4"]);
    let learned = json(&["learn", &data, "--posterior"]);
    assert_eq!(learned["score_name"], "bge");
    let found = &learned["convergence"];
    assert!(found["r_hat"].as_f64().unwrap() <= 1.05 && found["effective_size"].as_f64().unwrap() > 100.0);
    assert_eq!((&found["chains"], &found["agrees"]), (&Value::from(4), &Value::from(true)));
    let likely = learned["probabilities"].as_array().unwrap();
    for edge in learned["edges"].as_array().unwrap() {
        let is_it = |other: &&Value| {
            [(&other["from"], &other["to"]), (&other["to"], &other["from"])]
                .contains(&(&edge["from"], &edge["to"]))
        };
        let joined: f64 = likely.iter().filter(is_it).map(|edge| edge["probability"].as_f64().unwrap()).sum();
        assert!(joined > 0.5, "{edge}: {joined}");
    }
    assert!(text(&["learn", &data, "--posterior"]).contains("Chains  4 of "));
    // Chains too short to tell say so, with what to do.
    let hasty = json(&["learn", &data, "--posterior", "--steps", "2"]);
    assert!(names(&hasty["warnings"]).iter().any(|warning| warning.contains("try more than 2 steps")));
    for (given, expected) in [
        (
            &["--posterior", "--score", "l1"][..],
            "--posterior needs a score that says what a set of parents costs",
        ),
        (&["--score", "bge", "--penalty", "2"], "--penalty is for the other scores"),
        (&["--posterior", "--method", "pc"], "--posterior is for searches over orders"),
    ] {
        let complaint = complaint(&[&["learn", data.as_str()], given].concat(), 2);
        assert!(complaint.contains(expected), "{complaint}");
    }
    for score in ["bic", "ev-l0"] {
        let learned = json(&["learn", &data, "--posterior", "--score", score]);
        assert_eq!(
            (&learned["score_name"], &learned["convergence"]["agrees"]),
            (&score.into(), &true.into())
        );
    }
}

#[test]
fn weights_below_a_threshold_are_left_out_and_said_to_be() {
    let l1 = ["learn", "--example", "sem", "--score", "l1"];
    let weight = |edge: &Value| edge["weight"].as_f64().unwrap().abs();
    let (whole, thinned) = (json(&l1), json(&[&l1[..], &["--threshold", "0.3"]].concat()));
    let edges = |document: &Value, field: &str| document[field].as_array().unwrap().clone();
    let (kept, dropped) = (edges(&thinned, "edges"), edges(&thinned, "dropped"));
    assert!(!dropped.is_empty() && dropped.iter().all(|edge| weight(edge) < 0.3));
    assert!(!kept.is_empty() && kept.iter().all(|edge| weight(edge) >= 0.3));
    let mut all: Vec<f64> = edges(&whole, "edges").iter().map(weight).collect();
    let mut both: Vec<f64> = kept.iter().chain(&dropped).map(weight).collect();
    all.sort_by(f64::total_cmp);
    both.sort_by(f64::total_cmp);
    assert_eq!(all, both);
    assert_eq!((&whole["dropped"], &whole["score"]), (&Value::Null, &thinned["score"]));
    assert_eq!(thinned["settings"]["numbers"]["threshold"], 0.3);
    let count = format!("threshold: {} edge", dropped.len());
    assert!(text(&[&l1[..], &["--threshold", "0.3"]].concat()).contains(&count));
    // What is known to be there stays, however light.
    let (from, to) = (dropped[0]["from"].as_str().unwrap(), dropped[0]["to"].as_str().unwrap());
    let pair = format!("{from},{to}");
    let known = json(&[&l1[..], &["--threshold", "0.3", "--require", &pair]].concat());
    assert!(edges(&known, "edges").iter().any(|edge| edge["from"] == from && edge["to"] == to));
    for (given, expected) in [
        (&["--example", "asia", "--threshold", "0.3"][..], "--threshold is for the weights of linear models"),
        (
            &["--example", "sem", "--method", "pc", "--threshold", "0.3"],
            "--threshold is for graphs by a score",
        ),
        (&["--example", "sem", "--threshold", "-1"], "threshold"),
    ] {
        let complaint = complaint(&[&["learn"], given].concat(), 2);
        assert!(complaint.contains(expected), "{complaint}");
    }
}

#[test]
fn the_answer_does_not_depend_on_threads_and_every_method_gives_one() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder, &["--nodes", "9", "--degree", "2", "--samples", "200", "--seed", "3"]);
    for method in ["insertion", "exact"] {
        for score in ["l1", "ev-l0", "bic"] {
            let answer = |threads: &str| {
                let call = ["learn", &data, "--method", method, "--score", score, "--seed", "7"];
                let mut answer = document(plackett(&call).env("RAYON_NUM_THREADS", threads));
                assert_eq!(
                    (&answer["method"], &answer["score_name"]),
                    (&Value::from(method), &Value::from(score))
                );
                answer.as_object_mut().unwrap().remove("seconds");
                answer
            };
            assert_eq!(answer("1"), answer("2"), "{method}, {score}");
        }
    }
    let best = |method: &str| {
        json(&["learn", &data, "--method", method, "--score", "l1"])["score"].as_f64().unwrap()
    };
    assert!((best("insertion") - best("exact")).abs() < 1e-9, "nine nodes are easy");
}

#[test]
fn exact_refuses_what_does_not_fit_and_says_how_much_it_needs() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder, &["--nodes", "30", "--samples", "50"]);
    let text = complaint(&["learn", &data, "--method", "exact"], 2);
    assert!(text.contains("30 nodes need ") && text.contains("--memory"), "{text}");
    let (data, _) = simulate(&folder, &["--nodes", "18", "--samples", "50"]);
    assert!(complaint(&["learn", &data, "--method", "exact", "--memory", "1"], 2).contains("18 nodes need "));
}

#[test]
fn the_score_is_chosen_by_the_data_and_by_what_is_given() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder, &["--nodes", "8", "--samples", "1000", "--seed", "2"]);
    let score = |arguments: &[&str]| {
        let learned = json(&[&["learn", &data], arguments].concat());
        learned["score_name"].as_str().unwrap().to_owned()
    };
    assert_eq!(score(&[]), "ev-l0");
    assert_eq!(score(&["--standardize"]), "bic");
    assert_eq!(score(&["--lambda", "0.1"]), "l1");
    assert_eq!(score(&["--sigma2", "1"]), "ev-l0");
    assert_eq!(score(&["--score", "bic"]), "bic");
    // The same data with columns in other units: the variances no longer agree.
    let rows = fs::read_to_string(&data).unwrap();
    let scaled = rows.lines().enumerate().map(|(line, row)| {
        let scale = |(column, field): (usize, &str)| match field.parse::<f64>() {
            Ok(value) if line > 0 => (value * [1.0, 10.0, 0.1][column % 3]).to_string(),
            _ => field.to_owned(),
        };
        row.split(',').enumerate().map(scale).collect::<Vec<_>>().join(",") + "\n"
    });
    let scaled = folder.write("scaled.csv", &scaled.collect::<String>());
    let learned = json(&["learn", &scaled]);
    assert_eq!(learned["score_name"], "bic");
    assert!(learned["score_choice"].as_str().unwrap().contains("differ"));
    // The class that bic finds does not depend on the units.
    assert_eq!(learned["cpdag"], json(&["learn", &data, "--score", "bic"])["cpdag"]);
    assert!(text(&["learn", &scaled]).contains("Score   bic: noise variances under ev-l0"));
    for (arguments, expected) in [
        (vec!["--score", "bic", "--lambda", "1"], "lambda belongs to the score l1, not to the score bic"),
        (
            vec!["--lambda", "1", "--sigma2", "1"],
            "--lambda belongs to the score l1, and what is given besides to ev-l0",
        ),
        (vec!["--lambda", "0"], "lambda"),
        (vec!["--sigma2", "-1"], "noise variance"),
        (
            vec!["--score", "aic"],
            "[possible values: auto, l1, ev-l0, bic, bge, non-gaussian, additive, qnml, bdeu, k2, fnml, dg, cg, nal]",
        ),
        (
            vec!["--method", "magic"],
            "[possible values: auto, insertion, pl-relax, pl-reinforce, pl, pl-surrogate, pl-relax+insertion, order-mcmc, random, exact, pc]",
        ),
        (vec!["--restarts", "0"], "--restarts"),
        (vec!["--score", "bic", "--penalty", "nan"], "NaN"),
        (vec!["--memory", "0"], "--memory"),
        (vec!["--time", "-1"], "--time"),
        (vec!["--standardize", "--no-center"], "cannot be used with"),
    ] {
        let text = complaint(&[vec!["learn", &data], arguments].concat(), 2);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn means_count_only_when_they_are_left_in() {
    let folder = Folder::new();
    let mut rows = "a,b\n".to_owned();
    for row in 0..200_i32 {
        // Unrelated but for their means.
        rows += &format!("{},{}\n", 100 + row * 37 % 101 / 50, 50 + row * 59 % 97 / 48);
    }
    let data = folder.write("data.csv", &rows);
    let edges = |arguments: &[&str]| {
        let learned = json(&[&["learn", &data, "--score", "bic", "--continuous"], arguments].concat());
        learned["edges"].as_array().unwrap().len()
    };
    assert_eq!((edges(&[]), edges(&["--no-center"])), (0, 1));
    assert!(text(&["learn", &data, "--score", "bic", "--continuous"]).contains("No edges"));
}

#[test]
fn the_example_needs_no_file_and_unknown_ones_list_the_known() {
    let learned = json(&["learn", "--example", "sem"]);
    assert_eq!(learned["nodes"], 12);
    assert_eq!(learned["comparison"]["shd"], 0);
    let shown = text(&["learn", "--example", "sem"]);
    assert!(shown.contains("Learned from the example sem") && shown.contains("SHD"), "{shown}");
    assert!(
        complaint(&["learn", "--example", "nothing"], 2).contains("[possible values: sem, alarm, asia, ")
    );
    assert!(complaint(&["learn", "data.csv", "--example", "sem"], 2).contains("cannot be used with"));
}

#[test]
fn names_with_commas_and_signs_survive_the_round_trip() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder, &["--nodes", "3", "--samples", "300", "--seed", "4"]);
    let rows =
        fs::read_to_string(&data).unwrap().replacen("x1,x2,x3", "\"a, b\",\"say \"\"hi\"\"\",größe <&>", 1);
    let data = folder.write("odd.csv", &rows);
    let out = folder.path("out");
    let learned = json(&["learn", &data, "--out", &out]);
    let mut order = names(&learned["order"]);
    order.sort_unstable();
    assert_eq!(order, ["a, b", "größe <&>", "say \"hi\""]);
    let (csv, document) = (format!("{out}/graph.csv"), format!("{out}/graph.json"));
    assert_eq!(json(&["evaluate", &csv, &document])["shd"], 0);
}

#[test]
fn the_time_limit_ends_with_the_best_so_far() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder, &["--nodes", "20", "--degree", "4", "--samples", "500"]);
    let learned = json(&["learn", &data, "--score", "l1", "--restarts", "60000", "--time", "0.2"]);
    assert_eq!(learned["status"], "time");
    assert_eq!(learned["order"].as_array().unwrap().len(), 20);
}

/// Ctrl-C ends the search and shows what it has.
#[cfg(unix)]
#[test]
fn an_interrupted_search_shows_its_best_graph() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder, &["--nodes", "20", "--degree", "4", "--samples", "500"]);
    let learned = common::interrupted(&["learn", &data, "--score", "ev-l0", "--restarts", "60000"]);
    assert_eq!(learned["order"].as_array().unwrap().len(), 20);
}

#[test]
fn files_are_read_as_people_have_them_from_pipes_too() {
    let folder = Folder::new();
    let rows: Vec<(f64, f64)> =
        (0..80_i32).map(|row| (f64::from(row * 37 % 61), f64::from(row * 23 % 59) / 4.0)).collect();
    let plain: Vec<String> = rows.iter().map(|(a, b)| format!("{a},{b},{}\n", a + b * b)).collect();
    let plain = folder.write("plain.csv", &format!("a,b,c\n{}", plain.concat()));
    let other: String = rows
        .iter()
        .enumerate()
        .map(|(row, (a, b))| format!("{row};{a};{b};{}\r\n", a + b * b).replace('.', ","))
        .collect();
    let other = folder.write("other.txt", &format!("# by hand\r\n;a;b;c\r\n{other}"));
    let (first, second) = (json(&["learn", &plain]), json(&["learn", &other]));
    assert_eq!(first["edges"], second["edges"]);
    assert_eq!(first["input"]["fingerprint"], second["input"]["fingerprint"]);
    assert_eq!(
        first["input"]["columns"][1],
        serde_json::json!({"name": "b", "kind": "numbers", "missing": 0, "is_ordered": false})
    );
    assert_eq!((&first["input"]["rows"], &first["input"]["notes"]), (&80.into(), &serde_json::json!([])));
    let shown = text(&["learn", &other]);
    assert!(
        shown
            .contains("Read    semicolons, decimal commas, comment lines, an unnamed first column, left out"),
        "{shown}"
    );
    let piped = document(plackett(&["learn", "-"]).stdin(fs::File::open(&other).unwrap()));
    assert_eq!(piped["input"], second["input"]);
    let dropped = json(&["learn", &plain, "--drop", "a"]);
    assert_eq!(names(&dropped["order"]).len(), 2);
    assert_eq!(json(&["learn", &plain, "--columns", "c,a"])["input"]["columns"][0]["name"], "c");
    assert!(complaint(&["learn", &plain, "--drop", "z"], 2).contains("there is no column \"z\""));
}

#[test]
fn statistics_are_learned_from_and_merged() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder, &["--nodes", "6", "--samples", "600", "--seed", "3"]);
    let rows = fs::read_to_string(&data).unwrap();
    let (header, rows) = rows.split_once('\n').unwrap();
    let lines: Vec<&str> = rows.lines().collect();
    let part = |name: &str, lines: &[&str]| folder.write(name, &format!("{header}\n{}\n", lines.join("\n")));
    let (first, second) = (part("first.csv", &lines[..250]), part("second.csv", &lines[250..]));
    let (half, whole) = (folder.path("half"), folder.path("whole"));
    let said = json(&["statistics", &first, "--out", &half]);
    assert_eq!((&said["rows"], &said["kind"]), (&250.into(), &"numbers".into()));
    assert!(text(&["statistics", &half, &second, "--out", &whole]).contains("serves the scores"));
    let (found, expected) = (json(&["learn", &whole]), json(&["learn", &data]));
    assert_eq!((&found["cpdag"], &found["rows"]), (&expected["cpdag"], &600.into()));
    assert_eq!(found["input"]["notes"][0], "statistics of 600 rows");
    let refused = complaint(&["learn", &whole, "--discrete"], 2);
    assert!(refused.contains("needs rows"), "{refused}");
    let words = folder.write("words.csv", "a,b\nx,1\ny,2\nx,2\n");
    let refused = complaint(&["statistics", &whole, &words, "--out", &half], 2);
    assert!(refused.contains("words.csv"), "{refused}");
    let mut bytes = fs::read(&whole).unwrap();
    bytes[200] ^= 1;
    fs::write(&whole, bytes).unwrap();
    assert!(complaint(&["learn", &whole], 2).contains("checksum"));
}

#[test]
fn statistics_of_mixed_data_are_learned_from_and_merged() {
    let folder = Folder::new();
    let rows = |range: std::ops::Range<u32>| -> String {
        let row = |row: u32| {
            let size = f64::from(row * 37 % 101) / 10.0;
            let group = if row > 290 { "late" } else { ["few", "many"][usize::from(size > 5.0)] };
            format!("{size},{group},{}\n", size * 2.0 + f64::from(row * 53 % 29) + 0.5)
        };
        format!("a,b,c\n{}", range.map(row).collect::<String>())
    };
    let data = folder.write("data.csv", &rows(0..300));
    let (first, second) =
        (folder.write("first.csv", &rows(0..120)), folder.write("second.csv", &rows(120..300)));
    let (half, whole) = (folder.path("half"), folder.path("whole"));
    let said = json(&["statistics", &first, "--out", &half]);
    assert_eq!(
        (&said["rows"], &said["kind"], &said["scores"]),
        (&120.into(), &"mixed".into(), &["dg", "cg"][..].into())
    );
    let said = text(&["statistics", &half, &second, "--out", &whole]);
    assert!(
        said.contains(
            "moments of numbers and categories, 300 rows of 3 combinations of categories, 3 columns"
        ),
        "{said}"
    );
    for score in ["auto", "dg", "cg"] {
        let (found, expected) = (["learn", &whole, "--score", score], ["learn", &data, "--score", score]);
        let (found, expected) = (json(&found), json(&expected));
        assert_eq!((&found["cpdag"], &found["rows"]), (&expected["cpdag"], &300.into()));
        assert_eq!(found["score_name"], expected["score_name"]);
    }
    let refused = complaint(&["learn", &whole, "--score", "bic"], 2);
    assert!(refused.contains("serve dg and cg"), "{refused}");
    let other = folder.write("other.csv", "a,b,c\nx,1.5,2.5\ny,2.5,3.5\n");
    let refused = complaint(&["statistics", &whole, &other, "--out", &half], 2);
    assert!(refused.contains("other.csv") && refused.contains("\"x\" is not a number"), "{refused}");
}

#[test]
fn covariances_weights_and_constant_columns() {
    let folder = Folder::new();
    let cov = folder.write("d.cov.txt", "200\na b c\n1\n.8 1\n.1 .3 1\n");
    let found = json(&["learn", &cov]);
    assert_eq!((&found["rows"], &found["score_name"]), (&200.into(), &"bic".into()));
    assert!(complaint(&["learn", &cov, "--no-center"], 2).contains("--no-center needs the means"));
    assert!(complaint(&["learn", &cov, "--weights", "a"], 2).contains("--weights needs rows"));
    let told = folder.write("d.txt", "a b c\n1\n.8 1\n.1 .3 1\n");
    assert_eq!(json(&["learn", &told, "--covariance", "200"])["cpdag"], found["cpdag"]);
    assert!(complaint(&["learn", &told, "--covariance"], 2).contains("number of rows"));
    let rows: Vec<String> =
        (0..60).map(|row| format!("{}.5,{},7,{}\n", row * 7 % 31, row * 11 % 37, row % 3)).collect();
    let data = folder.write("data.csv", &format!("a,b,c,w\n{}", rows.concat()));
    let found = json(&["learn", &data, "--weights", "w"]);
    assert_eq!(
        (&found["rows"], &found["nodes"], &found["input"]["rows"]),
        (&60.into(), &3.into(), &60.into())
    );
    assert!(found["input"]["notes"][0].as_str().unwrap().contains("by which n = 60"));
    assert!(found["warnings"][0].as_str().unwrap().contains("\"c\" is constant"));
    assert!(names(&found["order"]).contains(&"c"));
    // Beside categories and where values are missing, constant columns are nodes without edges too, and weights are refused.
    let mixed = folder.write(
        "mixed.csv",
        &format!("still,weight,{}", groups(true).replace('\n', "\n7,2,").trim_end_matches("7,2,")),
    );
    let found = json(&["learn", &mixed, "--drop", "weight", "--missing", "em"]);
    assert_eq!((found["data"].as_str(), found["edges"].as_array().unwrap().len()), (Some("mixed"), 2));
    assert!(names(&found["order"]).contains(&"still"), "{found}");
    let said = complaint(&["learn", &mixed, "--weights", "weight", "--missing", "drop"], 2);
    assert!(said.contains("\"weight\" weighs the rows") && said.contains("without --weights"), "{said}");
    let said = complaint(&["learn", &mixed, "--weights", "weight", "--missing", "em", "--drop", "group"], 2);
    assert!(said.contains("rows that have weights") && !said.contains("--missing em"), "{said}");
}

#[test]
fn all_that_stands_in_the_way_is_said_at_once_with_its_remedies() {
    let folder = Folder::new();
    let rows: Vec<String> = (0..30)
        .map(|row| {
            format!(
                "{}.5\t{}\t7\t{}\n",
                row * 7 % 31,
                ["x", "y"][row % 2],
                if row == 3 { "*" } else { "2.5" }
            )
        })
        .collect();
    let data = folder.write("data.txt", &format!("a\tb\tc\td e\n{}", rows.concat()));
    let text = complaint(&["learn", &data], 2);
    for part in [
        "line 5, column \"d e\": the value is missing (*)",
        "--missing drop keeps 29 rows; or --drop 'd e'",
        "constant",
        "because it",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let learned = json(&["learn", &data, "--missing", "drop", "--discrete", "--drop", "c,d e"]);
    assert_eq!(learned["rows"], 30, "nothing is missing in what is left");
}

/// A column that two groups differ in, and one that follows it; with every seventh value missing, if so wanted.
fn groups(has_gaps: bool) -> String {
    let mut text = "group,x,y\n".to_owned();
    for row in 0..210_u32 {
        let noise = |factor: u32| f64::from(row * factor % 101) / 101.0 - 0.5;
        let x = f64::from(row % 3) + noise(37);
        let mut fields = [
            ["a", "b", "c"][row as usize % 3].to_owned(),
            format!("{x:.4}"),
            format!("{:.4}", 2.0 * x + noise(53)),
        ];
        if has_gaps && row % 7 == 0 {
            "NA".clone_into(&mut fields[row as usize / 7 % 3]);
        }
        text += &(fields.join(",") + "\n");
    }
    text
}

#[test]
fn mixed_data_are_learned_from_without_a_word() {
    let folder = Folder::new();
    let file = folder.write("mixed.csv", &groups(false));
    for score in ["auto", "dg", "cg"] {
        let learned = json(&["learn", &file, "--score", score]);
        assert_eq!(learned["data"], "mixed");
        assert_eq!(learned["score_name"], if score == "auto" { "dg" } else { score });
        assert_eq!(
            (learned["missing"].clone(), learned["edges"].as_array().unwrap().len()),
            (Value::Null, 2)
        );
        assert_eq!(learned["input"]["columns"][0]["kind"], "categories");
    }
    let out = folder.path("out");
    let shown = text(&["learn", &file, "--out", &out]);
    assert!(shown.contains("numbers and categories") && shown.contains("strength"), "{shown}");
    assert!(Path::new(&out).join("graph.svg").exists());
    let tested = json(&["learn", &file, "--method", "pc"]);
    assert_eq!(tested["score_name"], Value::Null);
    let cut = json(&["learn", &file, "--discretize", "quantile", "--bins", "4"]);
    assert_eq!((cut["data"].as_str(), cut["score_name"].as_str()), (Some("discrete"), Some("bdeu")));
    for (arguments, wanted) in [
        (&["--lambda", "0.5"][..], "column \"group\": \"a\" is not a number"),
        (&["--lambda", "0.5", "--categorical", "group"], "--lambda is for columns of numbers alone"),
        (
            &["--standardize", "--categorical", "group"],
            "are for columns of numbers, and some of these are categories",
        ),
        (&["--posterior", "--method", "pc"], "--posterior is for searches over orders, and pc tests"),
        (
            &["--score", "qnml"],
            "qnml is a score of numbers alone or of categories alone; for these data there are dg, cg",
        ),
        (&["--score", "nal"], "nal does not fit: it counts categories, and there are columns of numbers"),
    ] {
        let said = complaint(&[&["learn", &file], arguments].concat(), 2);
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn what_is_missing_is_said_and_so_is_what_each_remedy_keeps_and_assumes() {
    let folder = Folder::new();
    let file = folder.write("gaps.csv", &groups(true));
    let said = complaint(&["learn", &file], 2);
    for wanted in [
        "values are missing in 30 of 210 rows and 3 columns",
        "--missing em keeps all 210; or --missing drop keeps 180 rows; or --drop group,x,y",
        "keeps rows",
        "210 of 210",
        "180 of 210",
    ] {
        assert!(said.contains(wanted), "{wanted:?} is not in {said}");
    }
    let learned = json(&["learn", &file, "--missing", "em"]);
    let missing = &learned["missing"];
    assert_eq!((missing["method"].as_str(), missing["values"].as_u64()), (Some("em"), Some(30)));
    assert_eq!((missing["complete_rows"].as_u64(), missing["converged"].as_bool()), (Some(180), Some(true)));
    assert!((missing["effective_rows"].as_f64().unwrap() - 190.0).abs() < 1e-9, "{missing}");
    assert_eq!(learned["edges"].as_array().unwrap().len(), 2);
    assert!(
        learned["warnings"][0].as_str().unwrap().contains("which assumes that whether a value is missing")
    );
    assert!(text(&["learn", &file, "--missing", "em"]).contains("worth 190 complete rows"));
    // Numbers alone have their own scores, on the same moments; of categories alone those missing are drawn.
    let numbers = json(&["learn", &file, "--missing", "em", "--drop", "group"]);
    assert_eq!(
        (numbers["data"].as_str(), numbers["missing"]["method"].as_str()),
        (Some("continuous"), Some("em"))
    );
    let counted = json(&["learn", &file, "--missing", "em", "--discretize", "equal-width"]);
    assert_eq!((counted["data"].as_str(), counted["score_name"].as_str()), (Some("discrete"), Some("qnml")));
    let own = json(&["learn", &file, "--missing", "category", "--discretize", "quantile"]);
    assert_eq!((own["rows"].as_u64(), own["missing"]["method"].as_str()), (Some(210), Some("category")));
    let refused = complaint(&["learn", &file, "--missing", "category"], 2);
    assert!(refused.contains("--missing em keeps all 210"), "{refused}");
}
