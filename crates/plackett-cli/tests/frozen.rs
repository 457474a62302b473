//! Frozen outputs: what commands with fixed seeds have answered before, they answer again, to the last bit.
//!
//! Seconds are left out, and new fields may join the old ones. To freeze anew after a change that is meant, run
//! `FREEZE=1 cargo test -p plackett-cli --test frozen` and say in the commit why the answers changed.
//!
//! Debug and release builds answer alike: `PLACKETT_PROGRAM=FILE cargo test -p plackett-cli --test frozen` asks another build, `FILE` being
//! its whole path.
//!
//! They hold on every system: the libraries bring functions such as logarithms along (`plackett::elementary`).

mod common;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use common::{document, plackett};

const METHODS: [&str; 10] = [
    "insertion",
    "pl-relax --steps 300",
    "pl-reinforce --steps 300",
    "pl --steps 300",
    "pl-surrogate --steps 300",
    "pl-relax+insertion --steps 300",
    "order-mcmc --steps 3000",
    "random",
    "exact",
    "pc",
];

/// What a machine's load decides, and what says how a thing was computed rather than what came out.
const LEFT_OUT: [&str; 3] = ["second", "version", "settings"];

/// Runs one command in `folder`, with `--json`, and returns what it printed.
fn answer(folder: &Path, command: &str) -> Value {
    let words: Vec<&str> = command.split(' ').collect();
    let mut answer = document(plackett(&words).current_dir(folder));
    leave_out(&mut answer);
    answer
}

fn leave_out(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !LEFT_OUT.iter().any(|word| name.contains(word)));
            // A table has its seconds as cells.
            fields.values_mut().for_each(leave_out);
        }
        Value::Array(values) => {
            values.retain(|value| !value["metric"].as_str().is_some_and(|metric| metric.contains("seconds")));
            values.iter_mut().for_each(leave_out);
        }
        _ => {}
    }
}

/// Where `now` lacks what was frozen or has it otherwise.
fn differences(place: &str, frozen: &Value, now: &Value, found: &mut String) {
    match (frozen, now) {
        (Value::Object(frozen), Value::Object(now)) => {
            for (name, value) in frozen {
                differences(&format!("{place}.{name}"), value, now.get(name).unwrap_or(&Value::Null), found);
            }
        }
        (Value::Array(frozen), Value::Array(now)) if frozen.len() == now.len() => {
            for (at, (frozen, now)) in frozen.iter().zip(now).enumerate() {
                differences(&format!("{place}[{at}]"), frozen, now, found);
            }
        }
        _ if frozen == now => {}
        _ => writeln!(found, "{place}: {frozen:.200} became {now:.200}").unwrap(),
    }
}

/// Compares the answers to `commands`, made in `folder`, with the frozen ones.
fn check(name: &str, folder: &Path, commands: impl IntoIterator<Item = String>) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/frozen").join(format!("{name}.json"));
    let answers: Map<String, Value> =
        commands.into_iter().map(|command| (command.clone(), answer(folder, &command))).collect();
    let answers = Value::Object(answers);
    if std::env::var_os("FREEZE").is_some() {
        let lines: Vec<String> = answers
            .as_object()
            .unwrap()
            .iter()
            .map(|(command, answer)| format!("{}:\n{answer}", Value::from(command.as_str())))
            .collect();
        std::fs::write(&path, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
    }
    let frozen: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let asked: Vec<&String> = answers.as_object().unwrap().keys().collect();
    assert_eq!(asked, frozen.as_object().unwrap().keys().collect::<Vec<_>>(), "other commands");
    let mut found = String::new();
    differences("", &frozen, &answers, &mut found);
    assert!(found.is_empty(), "{found}");
}

#[test]
fn learning_from_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let mut commands: Vec<String> =
        METHODS.iter().map(|method| format!("learn --example sem --samples 200 --method {method}")).collect();
    for score in ["l1", "ev-l0", "bic"] {
        for method in ["insertion", "exact"] {
            commands.push(format!(
                "learn --example sem --samples 100 --standardize --score {score} --method {method} --seed 3"
            ));
        }
    }
    check("learn-numbers", folder.path(), commands);
}

#[test]
fn learning_from_categories() {
    let folder = tempfile::tempdir().unwrap();
    let mut commands: Vec<String> = METHODS
        .iter()
        .map(|method| format!("learn --example asia --samples 500 --method {method}"))
        .collect();
    for score in ["qnml", "bdeu", "bic", "k2", "fnml"] {
        commands.push(format!("learn --example survey --samples 300 --score {score} --method exact"));
        commands.push(format!("learn --example child --samples 500 --score {score} --seed 1"));
    }
    commands.push("learn --example alarm --samples 2000".to_owned());
    commands.push("learn --example asia --samples 500 --posterior --steps 5000".to_owned());
    commands.push("learn --example sachs --samples 1000 --candidates all".to_owned());
    check("learn-categories", folder.path(), commands);
}

#[test]
fn training_on_the_toy() {
    let folder = tempfile::tempdir().unwrap();
    let commands = ["reinforce", "rebar", "relax", "exact"]
        .map(|estimator| format!("toy --estimator {estimator} --items 5 --steps 300 --samples 2 --seed 1"));
    check("toy", folder.path(), commands);
}

/// A matrix of small whole numbers, the same every time.
fn matrix(rows: usize, columns: usize, salt: usize) -> String {
    let entry = |row: usize, column: usize| (row * 31 + column * 17 + row * column * 7 + salt * 13) % 23;
    let line =
        |row: usize| (0..columns).map(|column| entry(row, column).to_string()).collect::<Vec<_>>().join(" ");
    (0..rows).map(|row| line(row) + "\n").collect()
}

#[test]
fn optimizing_every_kind_of_problem() {
    let folder = tempfile::tempdir().unwrap();
    let city = |city| format!("{city} {} {}\n", city * 37 % 101, city * 59 % 89);
    let cities = (1..=15).map(city).collect::<Vec<_>>().concat();
    let tour = format!(
        "NAME: small\nTYPE: TSP\nDIMENSION: 15\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n{cities}EOF\n"
    );
    let files = [
        ("lop", format!("12\n{}", matrix(12, 12, 1))),
        ("qap", format!("9\n{}{}", matrix(9, 9, 2), matrix(9, 9, 3))),
        ("tsp", tour),
        ("pfsp", format!("10 4\n{}", matrix(10, 4, 4))),
        ("assignment", format!("11\n{}", matrix(11, 11, 5))),
    ];
    let methods = ["default", "insertion", "pl-relax", "pl-reinforce", "pl", "pl-relax+insertion"];
    let mut commands = Vec::new();
    for (kind, text) in files {
        std::fs::write(folder.path().join(kind), text).unwrap();
        for method in methods {
            commands
                .push(format!("optimize {kind} --kind {kind} --method {method} --evaluations 1000 --seed 2"));
        }
    }
    commands
        .push("optimize lop --kind lop --evaluations 3000 --before 3,7 --before 7,1 --pin 5,0".to_owned());
    check("optimize", folder.path(), commands);
}

#[test]
fn simulating_and_evaluating() {
    let folder = tempfile::tempdir().unwrap();
    let made =
        ["simulate sem --nodes 6 --degree 2 --graph er", "simulate sem --nodes 6 --degree 2 --graph sf"].map(
            |command| {
                format!(
                    "{command} --samples 5 --validation 3 --seed 4 --out {}",
                    &command[command.len() - 2..]
                )
            },
        );
    let network = "simulate network asia --samples 5 --validation 3 --seed 4 --out asia".to_owned();
    let compared = ["evaluate er/weights.csv sf/weights.csv", "evaluate sf/weights.csv er/weights.csv"];
    let commands = made.into_iter().chain([network]).chain(compared.map(str::to_owned));
    check("simulate", folder.path(), commands);
    for file in ["er/data.csv", "er/validation.csv", "er/weights.csv", "sf/weights.csv", "asia/data.csv"] {
        let name =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/frozen").join(file.replace('/', "-"));
        let now = std::fs::read_to_string(folder.path().join(file)).unwrap();
        if std::env::var_os("FREEZE").is_some() {
            std::fs::write(&name, &now).unwrap();
        }
        assert_eq!(now, std::fs::read_to_string(&name).unwrap(), "{file}");
    }
}

#[test]
fn reproducing_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let commands =
        ["figure1", "table1"].map(|what| format!("reproduce {what} --quick --seeds 1 --out {what}"));
    check("reproduce", folder.path(), commands);
}
