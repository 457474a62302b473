//! `plackett learn --interventions` and `simulate sem --interventions` from outside.

mod common;

use std::fs;

use common::{Folder, complaint, json, text};

/// Data of experiments with their column of targets, and the true weights.
fn simulate(folder: &Folder) -> (String, String) {
    let out = folder.path("lab");
    let sizes = ["--nodes", "8", "--degree", "2", "--samples", "400"];
    let experiments = ["--interventions", "0.4", "--intervention-rows", "100", "--seed", "4"];
    text(&[&["simulate", "sem", "--out", &out][..], &sizes, &experiments].concat());
    (folder.path("lab/data.csv"), folder.path("lab/weights.csv"))
}

#[test]
fn names_indicators_and_rows_tell_the_same() {
    let folder = Folder::new();
    let (data, weights) = simulate(&folder);
    let content = fs::read_to_string(&data).unwrap();
    let rows: Vec<Vec<&str>> = content.lines().map(|line| line.split(',').collect()).collect();
    let (width, targets) = (rows[0].len() - 1, rows[1..].iter().map(|row| row[row.len() - 1]));
    let mut names: Vec<&str> = targets.filter(|name| !name.is_empty()).collect();
    names.dedup();
    assert_eq!((rows.len(), width, names.len()), (1 + 400 + 300, 8, 3));

    let learned = json(&["learn", &data, "--interventions", "target", "--score", "bic", "--truth", &weights]);
    assert_eq!(learned["nodes"], 8);
    let told = &learned["input"]["interventions"];
    assert_eq!((&told["observed_rows"], told["targets"].as_array().unwrap().len()), (&400.into(), 3));
    assert_eq!(told["targets"][0]["rows"], 100);
    let class = &learned["cpdag"];
    let edges = learned["edges"].as_array().unwrap();
    for edge in edges.iter().filter(|edge| names.contains(&edge["from"].as_str().unwrap())) {
        let is_directed = |pair: &serde_json::Value| pair[0] == edge["from"] && pair[1] == edge["to"];
        let is_set = names.contains(&edge["to"].as_str().unwrap());
        assert!(is_set || class["directed"].as_array().unwrap().iter().any(is_directed), "{edge}");
    }

    // A column for each target, by mapping and by name.
    let flags = |header: &dyn Fn(&str) -> String| {
        let mut lines = vec![
            [
                &rows[0][..width].join(","),
                &names.iter().map(|name| header(name)).collect::<Vec<_>>().join(","),
            ]
            .map(String::as_str)
            .join(","),
        ];
        for row in &rows[1..] {
            let marks =
                names.iter().map(|name| if row[width] == *name { "1" } else { "0" }).collect::<Vec<_>>();
            lines.push(format!("{},{}", row[..width].join(","), marks.join(",")));
        }
        lines.join("\n") + "\n"
    };
    let (mapped, called) = (folder.path("mapped.csv"), folder.path("called.csv"));
    fs::write(&mapped, flags(&|name| format!("flag_{name}"))).unwrap();
    fs::write(&called, flags(&|name| format!("do({name})"))).unwrap();
    let mapping = names.iter().map(|name| format!("{name}=flag_{name}")).collect::<Vec<_>>().join(",");
    let calling = names.iter().map(|name| format!("do({name})")).collect::<Vec<_>>().join(",");
    // The numbers of rows.
    let (plain, ranges) = (folder.path("plain.csv"), folder.path("ranges.csv"));
    let cut = rows.iter().map(|row| row[..width].join(",")).collect::<Vec<_>>().join("\n") + "\n";
    fs::write(&plain, cut).unwrap();
    let mut lines = vec!["first,last,targets".to_owned()];
    lines.extend(
        names.iter().enumerate().map(|(at, name)| format!("{},{},{name}", 401 + 100 * at, 500 + 100 * at)),
    );
    fs::write(&ranges, lines.join("\n")).unwrap();
    for (file, told) in [(&mapped, &mapping), (&called, &calling), (&plain, &ranges)] {
        let other = json(&["learn", file, "--interventions", told, "--score", "bic", "--truth", &weights]);
        for field in ["edges", "cpdag", "score", "comparison"] {
            assert_eq!(other[field], learned[field], "{field} by {told}");
        }
        assert_eq!(other["input"]["fingerprint"], learned["input"]["fingerprint"]);
    }
    let shown = text(&["learn", &data, "--interventions", "target", "--score", "bic"]);
    assert!(shown.contains("interventions on 3 columns, in 300 of 700 rows"), "{shown}");
    assert!(shown.contains("(the interventional class)"), "{shown}");
    let pooled = json(&["learn", &plain, "--score", "bic", "--truth", &weights]);
    assert!(pooled["comparison"]["shd"].as_u64() > learned["comparison"]["shd"].as_u64());
}

#[test]
fn resamples_and_probabilities_are_of_experiments_too() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder);
    let told = ["learn", &data, "--interventions", "target"];
    let found = json(&[&told[..], &["--score", "bic", "--bootstrap", "10"]].concat());
    assert_eq!(found["bootstrap"]["replicates"], 10);
    assert!(found["support"].as_array().unwrap().iter().any(|pair| pair["adjacent"] == 1.0));
    let likely = json(&[&told[..], &["--posterior", "--steps", "2000"]].concat());
    assert_eq!(likely["score_name"], "bge");
    assert!(
        likely["probabilities"]
            .as_array()
            .unwrap()
            .iter()
            .any(|edge| edge["probability"].as_f64() > Some(0.5))
    );
    // What looks at residuals has rows to look at.
    let unknown = |found: &serde_json::Value| found["verdict"] == "unknown";
    assert!(!found["diagnostics"].as_array().unwrap().iter().any(unknown));
}

#[test]
fn slips_are_told_with_their_places() {
    let folder = Folder::new();
    let (data, _) = simulate(&folder);
    let refused = |told: &str, rest: &[&str]| {
        complaint(&[&["learn", &data, "--interventions", told][..], rest].concat(), 2)
    };
    assert!(refused("nowhere", &[]).contains("nowhere"));
    let open = refused("x1,x2", &[]);
    assert!(open.contains("it is not said which column they set") && open.contains("TARGET=x1"), "{open}");
    assert!(refused("q=target", &[]).contains("\"q\" is no column that is learned from"));
    assert!(refused("x1=target", &[]).contains("does not say whether \"x1\" was set"));
    assert!(
        refused("target", &["--method", "pc"])
            .contains("--method pc tests independences on all rows together")
    );
    let ranges = folder.path("ranges.csv");
    fs::write(&ranges, "from,to,what\n1,2,x1\n").unwrap();
    assert!(refused(&ranges, &["--drop", "target"]).contains("first,last,targets"));
    fs::write(&ranges, "first,last,targets\n1,2,x1\nsome,3,x2\n").unwrap();
    assert!(refused(&ranges, &["--drop", "target"]).contains("line 3: \"some\" is not the number of a row"));
    fs::write(&ranges, "first,last,targets\n600,900,x1\n").unwrap();
    assert!(refused(&ranges, &["--drop", "target"]).contains("rows 600 to 900"));
    let always = folder.path("always.csv");
    fs::write(&always, "a,b,set\n1.5,2,a\n2.5,1,a\n0.5,7,a\n3,2,\n").unwrap();
    let text = complaint(&["learn", &always, "--interventions", "set"], 2);
    assert!(text.contains("column \"a\" was set in all rows but 1"), "{text}");
    let statistics =
        complaint(&["statistics", &data, "--interventions", "target", "--out", &folder.path("s")], 2);
    assert!(statistics.contains("interventions are told of rows"), "{statistics}");
}

#[test]
fn categories_and_mixed_data_have_interventions_too() {
    let folder = Folder::new();
    let mut lines = vec!["cause,effect,level,set".to_owned()];
    let mut state = 7_u32;
    let mut draw = |sides: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % sides
    };
    for row in 0..600 {
        let cause = draw(3);
        let is_set = row % 3 == 0;
        let effect = if is_set || draw(5) == 0 { draw(3) } else { cause };
        let level = f64::from(effect) + f64::from(draw(100)) / 50.0;
        lines.push(format!("c{cause},e{effect},{level},{}", if is_set { "effect" } else { "" }));
    }
    let data = folder.path("data.csv");
    fs::write(&data, lines.join("\n") + "\n").unwrap();
    let mixed = json(&["learn", &data, "--interventions", "set"]);
    assert_eq!((&mixed["data"], &mixed["score_name"]), (&"mixed".into(), &"dg".into()));
    let words = json(&["learn", &data, "--interventions", "set", "--drop", "level", "--score", "bdeu"]);
    for learned in [mixed, words] {
        let arrow = serde_json::json!(["cause", "effect"]);
        assert!(learned["cpdag"]["directed"].as_array().unwrap().contains(&arrow), "{learned}");
    }
}
