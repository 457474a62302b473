//! Reading ends with its run: by a clock of the test's own, at every moment there is.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plackett::run::{Limits, Run};
use plackett_dag::{
    Dataset, Error,
    dataset::Reading,
    error::{Place, Problem},
};

const ROWS: usize = 600;

fn text() -> String {
    let mut text = "a,b,c\n".to_owned();
    for row in 0..ROWS {
        let value = |step: f64| (row as f64 * step).sin();
        let _ = writeln!(text, "{},{},{}", value(0.3), value(0.7), value(1.9));
    }
    text
}

/// Reads with a run that is over when it is asked so many times.
fn read(text: &str, questions: u64, reading: &Reading) -> Result<Dataset, Error> {
    let looks = AtomicU64::new(0);
    let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
    let run = Run::by(&clock, Limits::time(Duration::from_secs(questions)));
    Dataset::from_reader_within(text.as_bytes(), "data.csv", reading, &run)
}

#[test]
fn the_error_says_how_far_it_came() {
    let text = text();
    let out_of_time = |questions: u64, reading: &Reading| match read(&text, questions, reading) {
        Err(Error::Content { place: Place { file, .. }, problem: Problem::OutOfTime { rows, are_all } }) => {
            assert_eq!(file, "data.csv");
            Some((rows, are_all))
        }
        Err(error) => panic!("{error}"),
        Ok(_) => None,
    };
    // It is asked before each row, and before each block of 256 rows that is summed up.
    let reading = Reading::default();
    for row in [1, 17, ROWS as u64] {
        assert_eq!(out_of_time(row, &reading), Some((row as usize - 1, false)));
    }
    for block in 1..=3 {
        assert_eq!(out_of_time(ROWS as u64 + block, &reading), Some((ROWS, true)));
    }
    assert_eq!(out_of_time(ROWS as u64 + 4, &reading), None);
    let error = read(&text, 18, &reading).unwrap_err().to_string();
    assert_eq!(
        error,
        "data.csv: there was no time for more than 17 rows: allow more, as nothing is learned from a part of the data"
    );
}

#[test]
fn a_covariance_matrix_is_looked_at_in_the_time_there_is() {
    let nodes = 60;
    let names: Vec<String> = (0..nodes).map(|node| format!("x{node}")).collect();
    let mut text = format!("100\n{}\n", names.join(" "));
    for row in 0..nodes {
        let entries: Vec<&str> = (0..=row).map(|column| if column == row { "1" } else { "0" }).collect();
        text += &(entries.join(" ") + "\n");
    }
    let reading = Reading::default();
    let rows = |questions| read(&text, questions, &reading).map(|data| data.rows());
    assert!(rows(5).unwrap_err().to_string().contains("there was no time for more than 4 rows"));
    assert!(rows(nodes + 1).unwrap_err().to_string().contains("too large to be looked at in the time"));
    assert_eq!(rows(10_000).unwrap(), 100);
}
