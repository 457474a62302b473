//! What nobody should feed to the program, and somebody will: it refuses with a sentence and code 2, and never panics or takes the machine's
//! memory.

mod common;

use common::{Folder, complaint, text};

#[test]
fn what_cannot_fit_into_memory_is_refused_with_both_figures() {
    let folder = Folder::new();
    let out = folder.path("out");
    let refused = [
        vec!["optimize", "--items", "4000000000", "--command", "cat"],
        vec!["toy", "--items", "1000000000"],
        vec!["reproduce", "table1", "--seeds", "4000000000000", "--out", &out],
    ];
    for arguments in refused {
        let said = complaint(&arguments, 2);
        assert!(said.contains(" needs ") && said.contains(" MiB to give"), "{said}");
    }
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
    for scale in ["e-300", "e-200"] {
        let rows: Vec<String> =
            (0..40).map(|row| format!("{}{scale},{}{scale},{}", row % 7, row % 5, row % 3)).collect();
        let file = folder.write("fine.csv", &format!("a,b,c\n{}\n", rows.join("\n")));
        let said = text(&["learn", &file, "--continuous"]);
        assert!(said.contains("columns \"a\", \"b\": the values differ by less than"), "{said}");
        assert!(!said.contains("constant, so"), "{said}");
    }
}
