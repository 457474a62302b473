//! What `plackett optimize` shows: a JSON document, or a table with the order; and files.

use plackett::{
    problem::Sense,
    run::{Ending, Trace, TracePoint},
    solver::Method,
};
use plackett_problems::BestKnown;
use serde::Serialize;

use super::Arguments;
use crate::{
    console::{self, thousands},
    files::OutDir,
};

/// Items of an order on a line.
const LINE: usize = 90;
/// Points of the trace in the text.
const MOST_POINTS: usize = 60;

/// What a run found.
pub(super) struct Found {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) items: usize,
    pub(super) sense: Sense,
    pub(super) method: Method,
    pub(super) value: Option<f64>,
    /// The standard error of the value, if it is a mean of noisy ones.
    pub(super) error: Option<f64>,
    pub(super) order: Option<Vec<usize>>,
    pub(super) evaluations: u64,
    pub(super) failures: u64,
    pub(super) ending: Ending,
    pub(super) best_known: Option<BestKnown>,
    pub(super) trace: Trace,
    /// Why the run could not go on or be saved, if it could not.
    pub(super) unsaved: Option<anyhow::Error>,
}

impl Found {
    /// How much worse than the best known value, as a share of it.
    pub(super) fn gap(&self) -> Option<f64> {
        let (value, best) = (self.value?, self.best_known?.value);
        let worse = self.sense.cost(value) - self.sense.cost(best);
        match (worse == 0.0, best == 0.0) {
            (true, _) => Some(0.0),
            (false, true) => None,
            (false, false) => Some(worse / best.abs()),
        }
    }
}

/// The document that `--json` prints and `result.json` holds.
#[derive(Serialize)]
struct Document<'a> {
    kind: &'static str,
    name: &'a str,
    items: usize,
    sense: Sense,
    method: &'static str,
    seed: u64,
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    order: Option<&'a [usize]>,
    evaluations: u64,
    failures: u64,
    seconds: f64,
    status: Ending,
    best_known: Option<f64>,
    best_known_is_optimal: Option<bool>,
    gap: Option<f64>,
    trace: &'a [TracePoint],
}

/// Prints the result, and then writes the files, if there is a folder for them: neither is lost if the other cannot be.
pub(super) fn give(arguments: &Arguments, found: &Found, out: Option<&OutDir>) -> anyhow::Result<()> {
    let document = Document {
        kind: found.kind,
        name: &found.name,
        items: found.items,
        sense: found.sense,
        method: found.method.name(),
        seed: arguments.common.seed,
        value: found.value,
        error: found.error,
        order: found.order.as_deref(),
        evaluations: found.evaluations,
        failures: found.failures,
        seconds: found.trace.seconds(),
        status: found.ending,
        best_known: found.best_known.map(|best| best.value),
        best_known_is_optimal: found.best_known.map(|best| best.is_optimal),
        gap: found.gap(),
        trace: found.trace.points(),
    };
    let is_json = arguments.common.json;
    let shown = if is_json { console::say_json(&document) } else { console::say(&text(arguments, found)) };
    let written = out.map_or(Ok(()), |out| {
        out.write("result.json", serde_json::to_string_pretty(&document)?.as_bytes())?;
        let mut csv = "evaluations,seconds,best\n".to_owned();
        for TracePoint { evaluations, seconds, best } in found.trace.points() {
            csv += &format!("{evaluations},{seconds},{best}\n");
        }
        out.write("trace.csv", csv.as_bytes())?;
        let note = || format!("Written to {}: result.json, trace.csv", out.path().display());
        if is_json { Ok(()) } else { console::say(&note()) }
    });
    shown.and(written)
}

fn text(arguments: &Arguments, found: &Found) -> String {
    let mut rows = vec![
        row("problem", format!("{} {}, {} items, {}", found.kind, found.name, found.items, found.sense)),
        row("method", format!("{}, seed {}", found.method, arguments.common.seed)),
        row("value", found.value.map_or("none".to_owned(), |value| value.to_string())),
    ];
    if let Some(error) = found.error {
        rows.push(row("standard error", format!("{error:.3}")));
    }
    if let Some(best) = found.best_known {
        let proof = if best.is_optimal { "optimal" } else { "not proven" };
        rows.push(row("best known", format!("{} ({proof})", best.value)));
    }
    if let Some(gap) = found.gap() {
        rows.push(row("gap", format!("{:.3} %", 100.0 * gap)));
    }
    rows.push(row("evaluations", thousands(found.evaluations)));
    if found.failures > 0 {
        rows.push(row("failures", thousands(found.failures)));
    }
    rows.push(row("seconds", format!("{:.2}", found.trace.seconds())));
    rows.push(row("status", found.ending.to_string()));
    let mut text = console::table(&["", "result"], rows);
    let values: Vec<f64> = found.trace.points().iter().map(|point| point.best).collect();
    if values.len() > 1 {
        text += &format!("\nTrace {}", console::sparkline(&values, MOST_POINTS));
    }
    if let Some(order) = &found.order {
        let names: Vec<String> = order.iter().map(usize::to_string).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        text += &format!("\nOrder {}", console::wrapped(&names, LINE, 6));
    }
    text
}

fn row(name: &str, value: String) -> Vec<String> {
    vec![name.to_owned(), value]
}
