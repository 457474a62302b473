//! `--interventions`: what tells which columns were set from outside, as it is typed.

use std::path::Path;

use anyhow::Context;
use plackett_dag::{
    Interventions,
    dataset::{Indicator, RowTargets, Targets},
};
use serde::Serialize;

use crate::console::BadInput;

/// Reads the option: a file of row ranges, `TARGET=COLUMN` pairs, columns that are called `do(TARGET)`, or the column of names.
pub(super) fn targets(text: &str, names: &[String]) -> anyhow::Result<Targets> {
    if Path::new(text).is_file() {
        return rows(Path::new(text)).map(Targets::Rows);
    }
    let pair = |name: &String| -> Option<Indicator> {
        if let Some((target, column)) = name.split_once('=') {
            return Some(Indicator { column: column.trim().to_owned(), target: target.trim().to_owned() });
        }
        let target = name.strip_prefix("do(")?.strip_suffix(')')?;
        Some(Indicator { column: name.clone(), target: target.to_owned() })
    };
    match names {
        [only] if pair(only).is_none() => Ok(Targets::Named(only.clone())),
        names => {
            let open: Vec<&str> =
                names.iter().filter(|name| pair(name).is_none()).map(String::as_str).collect();
            if open.is_empty() {
                return Ok(Targets::Indicators(names.iter().filter_map(pair).collect()));
            }
            Err(BadInput(format!(
                "--interventions: of {} it is not said which column they set: write TARGET={} and so on, or call the columns \
                 do(TARGET)",
                open.join(", "),
                open[0]
            ))
            .into())
        }
    }
}

/// The rows of a file with the columns first, last and targets; rows count from 1, and an empty last is the first.
fn rows(path: &Path) -> anyhow::Result<Vec<RowTargets>> {
    let wrong = |line: u64, text: String| BadInput(format!("{}, line {line}: {text}", path.display()));
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_path(path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let header: Vec<String> =
        reader.headers().map(|names| names.iter().map(str::to_owned).collect()).unwrap_or_default();
    if header != ["first", "last", "targets"] {
        let text = "the columns must be first,last,targets: rows from 1, and the names of the columns that were set in them";
        return Err(wrong(1, text.to_owned()).into());
    }
    let mut ranges = Vec::new();
    for (at, record) in reader.records().enumerate() {
        let line = record
            .as_ref()
            .ok()
            .and_then(csv::StringRecord::position)
            .map_or(at as u64 + 2, csv::Position::line);
        let record = record.map_err(|problem| wrong(line, problem.to_string()))?;
        let number = |field: &str| {
            field.parse::<usize>().map_err(|_| wrong(line, format!("\"{field}\" is not the number of a row")))
        };
        let first = number(&record[0])?;
        let last = if record[1].is_empty() { first } else { number(&record[1])? };
        ranges.push(RowTargets { first, last, targets: vec![record[2].to_owned()] });
    }
    Ok(ranges)
}

/// What was set, as `--json` shows it.
#[derive(Serialize)]
pub(crate) struct InterventionsDocument {
    /// Rows in which nothing was set.
    observed_rows: usize,
    /// The columns that were set, with the rows in which they were.
    targets: Vec<TargetDocument>,
}

#[derive(Serialize)]
struct TargetDocument {
    name: String,
    rows: usize,
}

impl InterventionsDocument {
    pub(super) fn new(interventions: &Interventions, names: &[String]) -> Self {
        let target = |target: usize| TargetDocument {
            name: names[target].clone(),
            rows: interventions.rows() - interventions.kept_rows(target),
        };
        Self {
            observed_rows: interventions.row_targets().filter(|targets| targets.is_empty()).count(),
            targets: interventions.targets().into_iter().map(target).collect(),
        }
    }
}
