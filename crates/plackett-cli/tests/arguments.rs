//! Every option of every command with values that nobody should give it: an answer or a sentence, never a panic, more memory than there
//! is, or a run without end.

#![cfg(target_os = "linux")]

mod common;

use std::{process::Command, sync::Mutex, thread};

use common::{Folder, text};

/// What an option that takes a value is given: nothing, numbers at their ends, what is no number, a place that is there, another's control
/// sequence.
const VALUES: [&str; 8] =
    ["", "-1", "NaN", "1e308", "18446744073709551615", "4294967295", "/", "\u{1b}[2J,é"];

/// More than any of these calls may take, in KiB, and the seconds after which one is taken to have no end.
const CONFINED: &str = r#"ulimit -v 8000000; exec timeout --kill-after=1 120 "$0" "$@""#;

/// The options of a command that take a value, by its help.
fn options(command: &[&str]) -> Vec<String> {
    let help = text(&[command, &["--help"]].concat());
    let option = |line: &str| {
        let (name, _) = line.trim_start().strip_prefix("--")?.split_once(" <")?;
        name.chars().all(|sign| sign.is_ascii_lowercase() || sign == '-').then(|| format!("--{name}"))
    };
    let mut found: Vec<String> = help.lines().filter_map(option).collect();
    found.dedup();
    assert!(!found.is_empty(), "{help}");
    found
}

#[test]
fn every_option_takes_any_value_or_says_why_not() {
    let folder = Folder::new();
    let rows: Vec<String> =
        (0..40).map(|row| format!("{},{},{}", row % 7, row % 7 + row % 3, (row * row) % 11)).collect();
    let data = folder.write("data.csv", &format!("a,b,c\n{}\n", rows.join("\n")));
    let matrix = folder.write("a.mat", "4\n0 1 2 3\n3 0 4 1\n5 6 0 2\n1 2 3 0\n");
    let graph = folder.write("graph.dot", "digraph { a -> b; b -> c }\n");
    let script = "while read -r line; do id=${line#*:}; id=${id%%,*}; echo \"{\\\"id\\\": $id, \\\"value\\\": $id}\"; done\n";
    let worker = format!("sh {}", folder.write("worker.sh", script));
    let (out, file) = (folder.path("out"), folder.path("file"));
    let limits = ["--time", "0.3", "--evaluations", "20"];
    // How many words are the command, and what makes it a call that ends.
    let calls: Vec<(usize, Vec<&str>)> = vec![
        (1, vec!["learn", &data, "--time", "0.3"]),
        (1, [&["optimize", &matrix, "--kind", "lop"][..], &limits].concat()),
        (1, [&["optimize", "--items", "4", "--command", &worker][..], &limits].concat()),
        (1, vec!["toy", "--steps", "50", "--time", "0.3"]),
        (1, vec!["reproduce", "figure1", "--quick", "--time", "0.1", "--out", &out]),
        (2, vec!["simulate", "sem", "--out", &out]),
        (2, vec!["simulate", "network", "asia", "--out", &out]),
        (1, vec!["statistics", &data, "--out", &file]),
        (1, vec!["fit", &graph, &data, "--out", &file]),
        (1, vec!["effect", &graph, &data, "--from", "a", "--to", "c", "--time", "0.3"]),
        (1, vec!["query", "asia", "--given", "smoke=yes"]),
        (1, vec!["convert", &graph, "-"]),
    ];
    let mut all = Vec::new();
    for (words, call) in &calls {
        for option in options(&call[..*words]) {
            // In place of the usual value, if there is one.
            let mut call: Vec<String> = call.iter().map(|&word| word.to_owned()).collect();
            if let Some(at) = call.iter().position(|word| *word == option) {
                call.drain(at..at + 2);
            }
            all.extend(VALUES.map(|value| [&call[..], &[format!("{option}={value}")]].concat()));
        }
    }
    assert!(all.len() > 1000, "{}", all.len());
    let (waiting, wrong) = (Mutex::new(all), Mutex::new(Vec::new()));
    let work = || {
        let next = || waiting.lock().unwrap().pop();
        while let Some(call) = next() {
            let program = env!("CARGO_BIN_EXE_plackett");
            let output = Command::new("sh")
                .args(["-c", CONFINED, program])
                .args(&call)
                .current_dir(folder.path(""))
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let shown = String::from_utf8_lossy(&output.stdout);
            let is_told = match output.status.code() {
                Some(0) => true,
                Some(1 | 2) => said.contains("error: "),
                _ => false,
            };
            if !is_told || said.contains("panicked") || (said.clone() + &shown).contains("\u{1b}[2J") {
                wrong.lock().unwrap().push(format!("{call:?}: {}: {said:.300}", output.status));
            }
        }
    };
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
