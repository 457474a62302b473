//! What the diagnostics say, in a few lines: what calls for caution in full, all others in passing.

use plackett_dag::diagnostics::{Diagnostic, Verdict};

use super::{Summary, text::LINE};
use crate::console;

/// Where the text of a line begins, after its label.
const INDENT: usize = 8;

impl Summary<'_> {
    pub(super) fn diagnostics(&self) -> Option<String> {
        let with = |verdict: Verdict| self.diagnostics.iter().filter(move |found| found.verdict == verdict);
        let mut lines = vec!["Diagnostics".to_owned()];
        lines.extend(with(Verdict::Caution).map(|found| {
            format!(
                "Caution {}",
                console::filled(&format!("{}: {}", figure(found), found.advice), LINE, INDENT)
            )
        }));
        let passing = |label: &str, verdict: Verdict| {
            let figures: Vec<String> = with(verdict).map(figure).collect();
            let figures: Vec<&str> = figures.iter().map(String::as_str).collect();
            (!figures.is_empty())
                .then(|| format!("{label:<INDENT$}{}", console::wrapped(&figures, LINE, INDENT)))
        };
        lines.extend(passing("Fine", Verdict::Fine));
        lines.extend(passing("Unused", Verdict::Unused));
        let mut unknown: Vec<&Diagnostic> = with(Verdict::Unknown).collect();
        // Several have the same reason.
        while let Some(first) = unknown.first().copied() {
            let (same, others): (Vec<_>, Vec<_>) =
                unknown.into_iter().partition(|found| found.advice == first.advice);
            let names: Vec<&str> = same.iter().map(|found| found.name).collect();
            let text = format!("{}: {}", names.join(", "), first.advice);
            lines.push(format!("Unknown {}", console::filled(&text, LINE, INDENT)));
            unknown = others;
        }
        lines.extend(
            with(Verdict::Assumed)
                .map(|found| format!("Assumed {}", console::filled(&found.advice, LINE, INDENT))),
        );
        (lines.len() > 1).then(|| lines.join("\n"))
    }
}

/// The name with the figure, of which three digits say enough.
fn figure(found: &Diagnostic) -> String {
    let Some(value) = found.value else { return found.name.to_owned() };
    let value = match value.abs() {
        0.0 => "0".to_owned(),
        size if !(1e-2..1e5).contains(&size) => format!("{value:.1e}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    format!("{} {value}", found.name)
}
