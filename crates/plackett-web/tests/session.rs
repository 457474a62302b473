//! What the page asks for, asked without a page: the answers are those of the libraries.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use plackett::run::Run;
use plackett_dag::{
    BayesNet, Dataset, Learning, Observations,
    dataset::Reading,
    format::parse_claim,
    gram::Centering,
    simulate::{SemSettings, simulate_sem},
};
use plackett_web::{Alone, Outside, Session};
use serde_json::{Value, json};

fn ask(session: &mut Session, request: &Value, bytes: &str) -> Value {
    serde_json::from_str(&session.answer(&request.to_string(), bytes.as_bytes(), &Alone)).unwrap()
}

/// Rows of a random linear model as a file.
fn numbers() -> String {
    let table = simulate_sem(&SemSettings::default(), 3).unwrap().sample(300, plackett_dag::Sem::TRAINING);
    let mut text = table.names().join(",");
    for row in table.rows() {
        let fields: Vec<String> = row.iter().map(f64::to_string).collect();
        _ = write!(text, "\n{}", fields.join(","));
    }
    text
}

#[test]
fn a_file_is_read_and_learned_as_by_the_library() {
    let text = numbers();
    let mut session = Session::default();
    let read = ask(&mut session, &json!({ "do": "read", "file": "x.csv" }), &text);
    let data = Dataset::from_reader(text.as_bytes(), "x.csv", &Reading::default()).unwrap();
    assert_eq!(read["rows"], 300);
    assert_eq!(read["fingerprint"], data.fingerprint());
    assert_eq!(read["columns"][0]["kind"], "numbers");
    let answer = ask(&mut session, &json!({ "do": "learn", "settings": { "seed": 4, "score": "bic" } }), "");
    let learning = Learning { seed: 4, score: "bic".into(), ..Learning::default() };
    let names = data.names().to_vec();
    let learned = learning.run(&data.observations(Centering::Center).unwrap(), &Run::default()).unwrap();
    assert_eq!(answer["result"]["score"].as_f64(), learned.score);
    let edges: Vec<Value> = learned
        .edges()
        .map(|edge| json!({ "from": names[edge.from], "to": names[edge.to], "weight": edge.weight }))
        .collect();
    assert_eq!(answer["result"]["edges"], json!(edges));
    assert_eq!(answer["command"], "plackett learn x.csv --score bic --seed 4");
    assert_eq!(answer["graph"]["nodes"].as_array().unwrap().len(), names.len());
    let sections: Vec<&str> = answer["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| section["name"].as_str().unwrap())
        .collect();
    assert!(sections.contains(&"edges") && sections.contains(&"diagnostics") && !sections.contains(&"graph"));
}

#[test]
fn an_example_knows_its_truth_and_is_saved_in_every_form() {
    let mut session = Session::default();
    ask(&mut session, &json!({ "do": "read", "example": "asia", "samples": 2000 }), "");
    let answer = ask(&mut session, &json!({ "do": "learn" }), "");
    let network = BayesNet::embedded("asia").unwrap();
    let data = Observations::Categories(network.sample(2000, 0, BayesNet::TRAINING).unwrap().into());
    let learned = Learning::default().run(&data, &Run::default()).unwrap();
    assert_eq!(answer["result"]["score"].as_f64(), learned.score);
    assert_eq!(answer["command"], "plackett learn --example asia --samples 2000");
    assert!(answer["sections"].as_array().unwrap().iter().any(|section| section["name"] == "truth"));
    for format in plackett_dag::format::GraphFormat::NAMES {
        let saved = ask(&mut session, &json!({ "do": "save", "format": format }), "");
        let claim =
            parse_claim(saved["text"].as_str().unwrap().as_bytes(), &format!("graph.{format}")).unwrap();
        assert_eq!(claim.graph.dag().edge_count(), learned.dag.edge_count(), "{format}");
    }
    let report = ask(&mut session, &json!({ "do": "save", "format": "report" }), "");
    assert!(report["text"].as_str().unwrap().starts_with("<!doctype html>"));
    let unknown = ask(&mut session, &json!({ "do": "save", "format": "poem" }), "");
    assert!(unknown["error"].as_str().unwrap().contains("poem"));
}

#[test]
fn faults_come_with_settings_that_mend_them() {
    let text = "a,b,c\n1.5,2,3\n2.5,,1\n0.1,1.5,2.5\n7.5,3.5,9.5\n";
    let mut session = Session::default();
    let read = ask(&mut session, &json!({ "do": "read", "file": "x.csv" }), text);
    assert!(read["complaint"].as_str().unwrap().starts_with("x.csv"));
    let remedies = read["faults"][0]["remedies"].as_array().unwrap().clone();
    assert!(remedies.iter().any(|remedy| remedy["change"] == json!({ "missing": "drop" })));
    for remedy in remedies {
        let settings = &remedy["change"];
        let read = ask(&mut session, &json!({ "do": "read", "file": "x.csv", "settings": settings }), text);
        assert!(read["complaint"].is_null(), "{settings}: {}", read["complaint"]);
    }
    let refused = ask(&mut session, &json!({ "do": "read", "file": "x.csv" }), "a,b\n1,2\n3\n");
    let error = refused["error"].as_str().unwrap();
    assert!(error.starts_with("x.csv, line 3"), "{error}");
    // What was before is gone.
    assert!(ask(&mut session, &json!({ "do": "learn" }), "")["error"].is_string());
}

#[test]
fn what_is_known_is_kept_and_what_cannot_be_is_refused() {
    let text = numbers();
    let mut session = Session::default();
    ask(&mut session, &json!({ "do": "read", "file": "x.csv" }), &text);
    let free = ask(&mut session, &json!({ "do": "learn" }), "");
    let edge = &free["result"]["edges"][0];
    let (from, to) = (edge["from"].clone(), edge["to"].clone());
    let settings = json!({ "knowledge": { "forbidden": [[from, to], [to, from]] } });
    let bound = ask(&mut session, &json!({ "do": "learn", "settings": settings }), "");
    let pairs = bound["result"]["edges"].as_array().unwrap();
    assert!(!pairs.iter().any(|edge| [&edge["from"], &edge["to"]] == [&from, &to]));
    assert!(bound["sections"].as_array().unwrap().iter().any(|section| section["name"] == "knowledge"));
    let settings = json!({ "knowledge": { "required": [[from, to], [to, from]] } });
    let refused = ask(&mut session, &json!({ "do": "learn", "settings": settings }), "");
    assert!(refused["error"].as_str().unwrap().starts_with("what is known cannot be so:"));
    let refused = ask(&mut session, &json!({ "do": "learn", "settings": { "scorre": "bic" } }), "");
    assert!(refused["error"].as_str().unwrap().contains("scorre"));
}

#[test]
fn effects_and_resamples_follow_the_graph() {
    let text = numbers();
    let mut session = Session::default();
    assert!(ask(&mut session, &json!({ "do": "bootstrap", "resamples": 5 }), "")["error"].is_string());
    ask(&mut session, &json!({ "do": "read", "file": "x.csv" }), &text);
    let learned = ask(&mut session, &json!({ "do": "learn" }), "");
    let edge = &learned["result"]["edges"][0];
    let answer = ask(&mut session, &json!({ "do": "effect", "from": edge["from"], "to": edge["to"] }), "");
    assert!(answer["effect"]["values"][0]["effect"].is_f64());
    assert!(answer["command"].as_str().unwrap().starts_with("plackett effect graph.json x.csv --from"));
    let few = ask(&mut session, &json!({ "do": "bootstrap", "resamples": 3 }), "");
    assert_eq!(few["result"]["replicates"], 3);
    let more = ask(&mut session, &json!({ "do": "bootstrap", "resamples": 8 }), "");
    assert_eq!(more["result"]["replicates"], 8);
    assert!(more["command"].as_str().unwrap().contains("--bootstrap 8"));
}

/// Every look at this clock takes a while, and after so many looks of the run it is to end.
struct Impatient {
    time: AtomicU64,
    looks: AtomicU64,
    most: u64,
    sketches: AtomicU64,
}

impl Outside for Impatient {
    fn now(&self) -> Duration {
        Duration::from_millis(30 * self.time.fetch_add(1, Ordering::Relaxed))
    }

    fn goes_on(&self, progress: &str) -> bool {
        let told: Value = serde_json::from_str(progress).unwrap();
        if !told["sketch"].is_null() {
            self.sketches.fetch_add(1, Ordering::Relaxed);
        }
        self.looks.fetch_add(1, Ordering::Relaxed) < self.most
    }
}

#[test]
fn a_run_shows_its_best_so_far_and_ends_when_it_is_told() {
    let request = json!({ "do": "learn", "settings": { "method": "insertion", "score": "bic" } }).to_string();
    let learn = |most: u64| {
        let mut session = Session::default();
        ask(&mut session, &json!({ "do": "read", "file": "x.csv" }), &numbers());
        let (time, looks, sketches) = Default::default();
        let outside = Impatient { time, looks, most, sketches };
        let answer: Value = serde_json::from_str(&session.answer(&request, &[], &outside)).unwrap();
        (answer["result"].clone(), outside.sketches.into_inner())
    };
    let (stopped, _) = learn(0);
    assert_eq!(stopped["status"], "interrupted");
    let (whole, sketches) = learn(u64::MAX);
    assert_eq!(whole["status"], "finished");
    assert!(sketches > 0, "the best so far was never drawn");
    // Whoever looks on changes nothing.
    let mut session = Session::default();
    ask(&mut session, &json!({ "do": "read", "file": "x.csv" }), &numbers());
    let alone: Value = serde_json::from_str(&session.answer(&request, &[], &Alone)).unwrap();
    assert_eq!((&alone["result"]["edges"], &alone["result"]["score"]), (&whole["edges"], &whole["score"]));
}

#[test]
fn a_race_is_a_function_of_its_settings() {
    let settings = json!({ "items": 5, "offset": 0.1, "learning_rate": 0.02 });
    let race = || {
        let mut session = Session::default();
        let first = ask(&mut session, &json!({ "do": "race", "settings": settings }), "");
        assert_eq!(first["racers"].as_array().unwrap().len(), 5);
        ask(&mut session, &json!({ "do": "advance", "steps": 300 }), "")
    };
    let last = race();
    assert_eq!(last, race());
    assert!(last["racers"].as_array().unwrap().iter().all(|racer| racer["measured"]["step"] == 300));
    let mut session = Session::default();
    let refused = ask(
        &mut session,
        &json!({ "do": "race", "settings": { "items": 0, "offset": 0.1, "learning_rate": 0.1 } }),
        "",
    );
    assert!(refused["error"].is_string());
}

#[test]
fn there_is_something_to_choose_from() {
    let choices = ask(&mut Session::default(), &json!({ "do": "choices" }), "");
    assert!(choices["examples"].as_array().unwrap().iter().any(|example| example["name"] == "alarm"));
    assert!(!choices["methods"].as_array().unwrap().is_empty());
    assert!(choices["scores"]["mixed"].as_array().unwrap().iter().any(|score| score["name"] == "dg"));
}
