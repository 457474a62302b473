//! The page of `--report`.

use plackett_report::{Column, Input, Recipe, Resampling, Source};

use super::{Ends, Report};
use crate::learn::Arguments;

impl Report<'_> {
    pub(super) fn page(
        &self,
        arguments: &Arguments,
        warnings: &[String],
        ends: Ends<'_>,
    ) -> anyhow::Result<String> {
        let (summary, data) = (&self.summary, self.data);
        let path = arguments.data.as_ref().map(|path| path.display().to_string());
        let source = match (&arguments.example, &path) {
            (Some(name), _) => Source::Example(name, arguments.samples.map(|rows| rows as usize)),
            (None, path) => Source::File(path.as_deref().unwrap_or("-")),
        };
        let columns = &data.input.columns;
        let page = plackett_report::Report {
            source: &data.source,
            names: &data.names,
            input: Input {
                rows: data.input.rows,
                fingerprint: &data.input.fingerprint,
                notes: &data.input.notes,
                columns: columns
                    .iter()
                    .map(|column| Column { kind: column.kind, missing: column.missing })
                    .collect(),
            },
            data: &data.values,
            kind: data.kind,
            kind_choice: data.kind_choice.as_deref(),
            learned: summary.learned,
            warnings,
            known: summary.known,
            support: self.support.map(|found| &found.support),
            path: summary.path,
            diagnostics: summary.diagnostics,
            truth: summary.truth.map(|truth| truth.graph),
            recipe: Recipe {
                source,
                reading: ends.reading,
                centering: self.settings.centering,
                learning: self.settings.learning,
                knowledge: (!ends.knowledge.is_empty()).then_some(ends.knowledge),
                resampling: self
                    .support
                    .map(|found| Resampling { wanted: found.wanted, is_warm: found.is_warm }),
                has_path: arguments.path,
                time: self.settings.time,
            },
        };
        Ok(page.html()?)
    }
}
