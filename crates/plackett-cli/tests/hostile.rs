//! What nobody should feed to the program, and somebody will: it refuses with a sentence and code 2, and never panics or takes the machine's
//! memory.

mod common;

use common::{Folder, complaint, run, text};

#[test]
fn what_cannot_fit_into_memory_is_refused_with_both_figures() {
    let folder = Folder::new();
    let out = folder.path("out");
    let refused = [
        vec!["optimize", "--items", "4000000000", "--command", "cat"],
        vec!["toy", "--items", "1000000000"],
        vec!["reproduce", "table1", "--seeds", "4000000000000", "--out", &out],
        vec!["simulate", "sem", "--nodes", "10000000", "--samples", "1", "--out", &out],
        vec!["simulate", "sem", "--nodes", "18446744073709551615", "--out", &out],
        vec!["simulate", "sem", "--nodes", "5", "--samples", "4000000000000", "--out", &out],
        vec![
            "simulate",
            "sem",
            "--interventions",
            "1",
            "--intervention-rows",
            "4000000000000",
            "--out",
            &out,
        ],
    ];
    for arguments in refused {
        let said = complaint(&arguments, 2);
        assert!(said.contains(" needs ") && said.contains(" MiB to give"), "{said}");
    }
    let nodes: Vec<String> = (0..300_000).map(|node| format!("n{node};")).collect();
    let graph = folder.write("many.dot", &format!("digraph {{ {} n0 -> n1 }}", nodes.concat()));
    let said = complaint(&["convert", &graph, &folder.path("many.csv")], 2);
    assert!(said.contains("the adjacency matrix needs 171,662 MiB"), "{said}");
    // 0.3 TB of second moments, and three such tables.
    let names: Vec<String> = (0..200_000).map(|column| format!("c{column}")).collect();
    let rows = ["1", "2", "4"].map(|value| vec![value; names.len()].join(","));
    let wide = folder.write("wide.csv", &format!("{}\n{}\n", names.join(","), rows.join("\n")));
    let said = complaint(&["learn", &wide, "--continuous"], 2);
    assert!(said.contains("the table of second moments needs 916,700 MiB"), "{said}");
}

#[test]
fn a_problem_file_without_problems_is_refused() {
    let folder = Folder::new();
    let file = folder.write("flow.txt", "processing times\n");
    let said = complaint(&["optimize", &file], 2);
    assert!(said.contains("the list of problems is empty"), "{said}");
}

#[test]
fn names_do_not_control_the_terminal() {
    let folder = Folder::new();
    let rows: Vec<String> =
        (0..50).map(|row| format!("{},{}", row % 7, (row * row) % 11 + row % 7)).collect();
    let file = folder.write("data.csv", &format!("a\u{1b}[31mred,b\u{7}\n{}\n", rows.join("\n")));
    let said = text(&["learn", &file, "--continuous"]);
    assert!(!said.contains('\u{1b}') && !said.contains('\u{7}'), "{said:?}");
    assert!(said.contains("\\u{1b}[31mred"), "{said}");
    let said = complaint(&["learn", &folder.path("no\u{1b}[2Jsuch.csv")], 2);
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn numbers_too_fine_for_their_squares_are_not_called_constant() {
    let folder = Folder::new();
    for scale in ["e-300", "e-200", "e-160"] {
        let rows: Vec<String> =
            (0..40).map(|row| format!("{}{scale},{}{scale},{}", row % 7, row % 5, row % 3)).collect();
        let file = folder.write("fine.csv", &format!("a,b,c\n{}\n", rows.join("\n")));
        let said = text(&["learn", &file, "--continuous"]);
        assert!(said.contains("columns \"a\", \"b\": the values differ by less than"), "{said}");
        assert!(!said.contains("constant, so"), "{said}");
    }
}

/// A source that never ends is refused by every reader.
#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_refused() {
    let folder = Folder::new();
    let data = folder.write("data.csv", "a,b\n1,2\n3,5\n2,2\n5,1\n");
    let graph = folder.write("graph.dot", "digraph { a -> b }");
    let link = |name: &str| {
        std::os::unix::fs::symlink("/dev/zero", folder.path(name)).unwrap();
        folder.path(name)
    };
    let (zero, bif, json) = ("/dev/zero", link("net.bif"), link("model.json"));
    let matrix = folder.write("a.mat", "2\n0 1\n2 0\n");
    let calls = [
        vec!["learn", zero],
        vec!["learn", &data, "--knowledge", zero],
        vec!["learn", &data, "--truth", zero],
        vec!["statistics", zero, "--out", "/dev/null"],
        vec!["optimize", zero],
        vec!["optimize", zero, "--kind", "pfsp", "--instance", "2"],
        vec!["optimize", &matrix, "--kind", "lop", "--state", &json],
        vec!["evaluate", zero, &graph],
        vec!["simulate", "network", &bif, "--samples", "3", "--out", "/dev/null/x"],
        vec!["query", &json, "a"],
        vec!["convert", zero, "-", "--format", "dot"],
    ];
    for arguments in calls {
        let output = run(&arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {said}");
        assert!(said.starts_with("error: "), "{arguments:?}: {said}");
    }
}

/// A state that names more items than it could hold is refused before anything is made of them.
#[test]
fn counts_in_a_state_are_not_believed() {
    let folder = Folder::new();
    let matrix = folder.write("a.mat", "3\n0 1 2\n2 0 1\n1 1 0\n");
    let state = folder.path("state.json");
    for method in ["default", "pl-relax"] {
        let call = ["optimize", &matrix, "--kind", "lop", "--method", method, "--state", &state];
        text(&[&call[..], &["--evaluations", "50"]].concat());
        let saved = folder.read("state.json");
        assert!(saved.contains("\"items\":3"), "{saved}");
        folder.write("state.json", &saved.replace("\"items\":3", "\"items\":40000000"));
        let said = complaint(&call, 2);
        assert!(said.contains("contradict"), "{said}");
        std::fs::remove_file(&state).unwrap();
    }
}

/// The look at the columns takes as long as there are columns, not as long as there are pairs of them.
#[test]
fn many_columns_are_looked_at_one_by_one() {
    const COLUMNS: usize = 60_000;
    let folder = Folder::new();
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("c{column}")).collect();
    let table = |value: &dyn Fn(usize, usize) -> String| {
        let rows: Vec<String> = (0..12)
            .map(|row| (0..COLUMNS).map(|column| value(row, column)).collect::<Vec<_>>().join(","))
            .collect();
        format!("{}\n{}\n", names.join(","), rows.join("\n"))
    };
    let words = table(&|row, column| ["x", "y", "z"][(column >> (row % 9)) % 3].to_owned());
    text(&["statistics", &folder.write("words.csv", &words), "--out", &folder.path("words.stat")]);
    let gaps = table(&|row, column| {
        if (row + column) % 12 == 0 {
            String::new()
        } else {
            ((row * row * 7919 + 13) * column % 10007).to_string()
        }
    });
    let said = complaint(
        &["statistics", &folder.write("gaps.csv", &gaps), "--continuous", "--out", &folder.path("gaps.stat")],
        2,
    );
    assert!(said.contains("missing"), "{said}");
}

/// However many steps are asked for, the time ends them.
#[test]
fn steps_without_end_are_ended_by_the_time() {
    let said = text(&["toy", "--steps", &u64::MAX.to_string(), "--time", "0.1"]);
    assert!(said.contains("time up"), "{said}");
    let folder = Folder::new();
    let output = run(&["reproduce", "figure1", "--time", "0.1", "--out", &folder.path("")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("interrupted"));
    // Runs that were cut short, or never begun, are not counted.
    let table = folder.read("partial/figure1.md");
    assert!(!table.contains("NaN") && !table.contains("inf"), "{table}");
}

#[test]
fn a_file_is_no_folder() {
    let folder = Folder::new();
    let file = folder.write("data.csv", "a,b\n1,2\n2,4\n3,5\n");
    let said = complaint(&["learn", &file, "--out", &file], 2);
    assert!(said.contains("is no folder"), "{said}");
}

#[test]
fn the_help_tells_of_the_shell() {
    assert!(text(&["optimize", "--help"]).contains("sh -c"));
}
