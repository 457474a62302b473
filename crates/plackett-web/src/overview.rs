//! What was read, for the page: the columns, what to know of them, and what stands in the way with ways out of it.

use plackett_dag::{
    Dataset,
    dataset::Column,
    finding::{Finding, Remedy, faults_text, finding_texts},
};
use plackett_report::{data_warnings, flag};
use serde::Serialize;
use serde_json::{Value, json};

/// Categories of a column that are shown.
const MOST_LABELS: usize = 40;

#[derive(Serialize)]
pub(crate) struct Overview<'a> {
    source: &'a str,
    rows: usize,
    fingerprint: &'a str,
    notes: &'a [String],
    choice: Option<String>,
    columns: Vec<ColumnView<'a>>,
    warnings: Vec<String>,
    /// What stands in the way, as the program says it.
    complaint: Option<String>,
    faults: Vec<Fault>,
}

#[derive(Serialize)]
struct ColumnView<'a> {
    name: &'a str,
    kind: &'static str,
    why: String,
    missing: usize,
    distinct: Option<usize>,
    labels: Vec<String>,
}

#[derive(Serialize)]
struct Fault {
    text: String,
    remedies: Vec<RemedyView>,
}

/// A way out: what it is called, and the settings that it changes.
#[derive(Serialize)]
struct RemedyView {
    text: String,
    change: Value,
}

impl<'a> Overview<'a> {
    pub(crate) fn new(source: &'a str, data: &'a Dataset) -> Self {
        let labels = data.labels();
        let view = |(column, labels): (&'a Column, &Vec<String>)| ColumnView {
            name: &column.name,
            kind: column.kind.name(),
            why: column.why.to_string(),
            missing: column.missing,
            distinct: column.distinct,
            labels: labels.iter().take(MOST_LABELS).cloned().collect(),
        };
        let faults = data.faults();
        Self {
            source,
            rows: data.rows(),
            fingerprint: data.fingerprint(),
            notes: data.notes(),
            choice: data.choice(),
            columns: data.columns().iter().zip(&labels).map(view).collect(),
            warnings: data_warnings(data),
            complaint: (!faults.is_empty()).then(|| faults_text(source, &faults, flag)),
            faults: faults.iter().map(fault).collect(),
        }
    }
}

fn fault(finding: &Finding) -> Fault {
    let text = finding_texts(std::slice::from_ref(finding), flag).concat();
    Fault { text, remedies: finding.remedies().iter().filter_map(remedy).collect() }
}

fn remedy(remedy: &Remedy) -> Option<RemedyView> {
    let (text, change) = match remedy {
        Remedy::Drop(names) => (format!("Leave out {}", listed(names)), json!({ "drop": names })),
        Remedy::DropRows(rows) => {
            (format!("Leave those rows out, keep {rows}"), json!({ "missing": "drop" }))
        }
        Remedy::Em(_) => ("Use all rows (EM)".to_owned(), json!({ "missing": "em" })),
        Remedy::OwnCategory(_) => {
            ("Take missing as a category of its own".to_owned(), json!({ "missing": "category" }))
        }
        Remedy::Categorical(names) => {
            (format!("Take {} as categories", listed(names)), json!({ "categorical": names }))
        }
        Remedy::MissingMark(mark) => (format!("Take \"{mark}\" as missing"), json!({ "na": [mark] })),
        Remedy::NoWeights => ("Without weights".to_owned(), json!({ "weights": null })),
        _ => return None,
    };
    Some(RemedyView { text, change })
}

/// Names on a button.
fn listed(names: &[String]) -> String {
    const MOST: usize = 3;
    let shown = names.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        rest => format!("{shown} and {rest} more"),
    }
}
