//! The first thing that can fail does, then the second, and so on until the command comes through: writes, flushes, renames, new files
//! and folders, locks, processes, prints, and memory of a size that the input tells. Whatever fails, there is no panic, a word about it,
//! no file that is half of one, and no result that is lost when only its saving failed.
//!
//! `cargo test -p plackett-cli --test faults -- --nocapture` prints the table.

#![cfg(all(unix, debug_assertions))]

mod common;

use std::{collections::BTreeMap, fs, path::Path};

use common::{Folder, plackett};

/// What a command leaves behind.
struct Case {
    name: &'static str,
    arguments: Vec<String>,
    /// Its files within the folder, each of which stands there from an earlier run.
    files: &'static [&'static str],
    /// Whether it prints what it found, besides writing it.
    shows: bool,
    /// Places that may fail without harm: lines to a worker, of which another is told.
    harmless: usize,
}

fn case(name: &'static str, arguments: &[&str], files: &'static [&'static str], shows: bool) -> Case {
    let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
    Case { name, arguments, files, shows, harmless: 0 }
}

const EARLIER: &str = "what an earlier run wrote";

/// Whether the bytes of a file are all of it.
fn is_whole(path: &Path, bytes: &[u8]) -> bool {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("json") => serde_json::from_slice::<serde_json::Value>(bytes).is_ok(),
        Some("svg") => bytes.trim_ascii_end().ends_with(b"</svg>"),
        Some("html") => bytes.trim_ascii_end().ends_with(b"</html>"),
        Some("png") => bytes.ends_with(b"IEND\xaeB`\x82"),
        _ => bytes.ends_with(b"\n"),
    }
}

/// Where the fault was, by what was said of it.
fn place(said: &str) -> String {
    let made = said.split_once("a fault made for a test (").and_then(|(_, rest)| rest.split_once(')'));
    if let Some((place, _)) = made {
        return place.to_owned();
    }
    assert!(said.contains("of memory, and the machine has 0 MiB to give"), "{said}");
    "allocation".to_owned()
}

/// What is given to the commands, and where they write.
fn cases(folder: &Folder) -> Vec<Case> {
    let numbers: Vec<String> =
        (0..40).map(|row| format!("{},{},{}", row % 7, row % 7 + row % 3, (row * row) % 11)).collect();
    let data = folder.write("data.csv", &format!("a,b,c\n{}\n", numbers.join("\n")));
    let matrix = folder.write("a.mat", "4\n0 1 2 3\n3 0 4 1\n5 6 0 2\n1 2 3 0\n");
    let graph = folder.write("graph.dot", "digraph { a -> b; b -> c }\n");
    let script = "while read -r line; do id=${line#*:}; id=${id%%,*}; echo \"{\\\"id\\\": $id, \\\"value\\\": $id}\"; done\n";
    let worker = format!("sh {}", folder.write("worker.sh", script));
    let out = folder.path("out");
    let at = |name: &str| folder.path(&format!("out/{name}"));
    let ends = ["--json", "--out", &out, "--report", &at("page.html"), "--state", &at("state.json")];
    let command = ["optimize", "--items", "4", "--command", &worker, "--json"];
    let sem = ["simulate", "sem", "--graph", "er", "--degree", "1", "--nodes", "4", "--samples", "5"];
    vec![
        case(
            "optimize FILE",
            &[&["optimize", &matrix, "--kind", "lop", "--evaluations", "200"][..], &ends].concat(),
            &["result.json", "trace.csv", "page.html"],
            true,
        ),
        Case {
            harmless: 5,
            ..case(
                "optimize --command",
                &[&command[..], &["--evaluations", "5", "--out", &out, "--state", &at("state.json")]]
                    .concat(),
                &["result.json", "trace.csv"],
                true,
            )
        },
        Case {
            harmless: 3,
            ..case(
                "optimize --journal",
                &[&command[..], &["--evaluations", "3", "--journal", &at("journal")]].concat(),
                &[],
                false,
            )
        },
        case(
            "learn",
            &[&["learn", &data, "--continuous", "--bootstrap", "2"][..], &ends].concat(),
            &["graph.json", "graph.csv", "graph.dot", "graph.svg", "graph.png", "support.csv", "page.html"],
            true,
        ),
        case(
            "toy",
            &["toy", "--steps", "50", "--json", "--out", &out],
            &["toy.csv", "toy.svg", "toy.png"],
            true,
        ),
        case(
            "statistics",
            &["statistics", &data, "--json", "--out", &at("data.stat")],
            &["data.stat"],
            false,
        ),
        case("fit", &["fit", &graph, &data, "--json", "--out", &at("model.json")], &["model.json"], true),
        case("effect", &["effect", &graph, &data, "--from", "a", "--to", "c", "--json"], &[], false),
        case("query", &["query", "asia", "--given", "smoke=yes", "--json"], &[], false),
        case(
            "reproduce",
            &[&["reproduce", "figure1", "--quick", "--seeds", "1", "--json"][..], &ends[1..5]].concat(),
            &[
                "figure1.json",
                "figure1.md",
                "figure1.csv",
                "figure1.svg",
                "figure1-categorical.png",
                "page.html",
            ],
            true,
        ),
        case("convert", &["convert", &graph, &at("graph.gml"), "--json"], &["graph.gml"], false),
        case(
            "simulate sem",
            &[&sem[..], &["--json", "--out", &out]].concat(),
            &["data.csv", "validation.csv", "weights.csv"],
            false,
        ),
    ]
}

/// Runs a command whose so-many-th place fails. Where it was and whether the result was printed; nothing if it came through.
fn fail(folder: &Folder, case: &Case, number: usize) -> Option<(String, bool)> {
    let at = |name: &str| folder.path(&format!("out/{name}"));
    fs::remove_dir_all(folder.path("out")).ok();
    fs::create_dir(folder.path("out")).unwrap();
    case.files.iter().for_each(|file| fs::write(at(file), EARLIER).unwrap());
    let words: Vec<&str> = case.arguments.iter().map(String::as_str).collect();
    let output = plackett(&words).env("PLACKETT_FAULT", number.to_string()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let what = format!("{}, fault {number}: {said}", case.name);
    let left = folder.files("out");
    assert!(!left.iter().any(|name| name.starts_with(".plackett-")), "{what} leaves {left:?}");
    let mut new = 0;
    for file in case.files {
        let bytes = fs::read(at(file)).unwrap();
        let is_new = bytes != EARLIER.as_bytes();
        assert!(!is_new || is_whole(Path::new(file), &bytes), "{what} leaves half of {file}");
        new += usize::from(is_new);
    }
    if output.status.success() {
        assert!(said.is_empty(), "{what}");
        assert_eq!(new, case.files.len(), "{what}");
        return None;
    }
    assert!(matches!(output.status.code(), Some(1 | 2)) && said.starts_with("error: "), "{what}");
    let place = place(&said);
    let is_shown = serde_json::from_slice::<serde_json::Value>(&output.stdout).is_ok();
    if case.shows && ["write", "sync", "rename"].contains(&place.as_str()) {
        assert!(is_shown, "{what} loses the result");
    }
    if case.shows && place == "print" {
        assert_eq!(new, case.files.len(), "{what} loses the files");
    }
    Some((place, is_shown))
}

#[expect(clippy::print_stdout, reason = "it prints its table")]
#[test]
fn nothing_is_lost_whatever_fails() {
    let folder = Folder::new();
    let mut table: BTreeMap<(&str, String), [usize; 3]> = BTreeMap::new();
    for case in cases(&folder) {
        let (mut failed, mut passed) = (0, 0);
        // The last time there are not so many places.
        while passed <= case.harmless {
            match fail(&folder, &case, failed + passed + 1) {
                Some((place, is_shown)) => {
                    table.entry((case.name, place)).or_default()[usize::from(is_shown)] += 1;
                    failed += 1;
                }
                None if passed < case.harmless => {
                    table.entry((case.name, "tell".to_owned())).or_default()[2] += 1;
                    passed += 1;
                }
                None => passed += 1,
            }
            assert!(failed < 500, "{} has no end", case.name);
        }
        assert!(failed > 0, "{} has no places to fail", case.name);
    }
    println!("command | place | error alone | error and result printed | no harm");
    for ((command, place), [alone, shown, harmless]) in &table {
        println!("{command} | {place} | {alone} | {shown} | {harmless}");
    }
}

/// A worker that was not told what to value, and that stays nonetheless, is replaced.
#[test]
fn whoever_cannot_be_told_is_not_waited_for() {
    let folder = Folder::new();
    let script = "while read -r line; do id=${line#*:}; id=${id%%,*}; echo \"{\\\"id\\\": $id, \\\"value\\\": $id}\"; done; sleep 1000000\n";
    let command = format!("sh {}", folder.write("worker.sh", script));
    let call = ["optimize", "--items", "4", "--command", &command, "--evaluations", "3", "--json"];
    let whole = plackett(&call).output().unwrap().stdout;
    let value = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).unwrap()["value"].clone();
    let mut survived = 0;
    for number in 1..12 {
        let output = plackett(&call).env("PLACKETT_FAULT", number.to_string()).output().unwrap();
        if output.status.success() {
            assert_eq!(value(&output.stdout), value(&whole));
            survived += 1;
        }
    }
    assert!(survived >= 3, "{survived}");
}
