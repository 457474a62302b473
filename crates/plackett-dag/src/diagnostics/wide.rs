//! Rows per category: a column of many categories is too large a parent for few rows. What depends on it then looks as if it depended on
//! something else: columns that have it as their common cause are joined to each other instead.

use super::{Diagnostic, Look, judged};
use crate::Observations;

/// Columns of so many categories and fewer are never too wide for data that anything can be learned from.
const NARROW: usize = 10;

/// With fewer rows in each category, a child of four values has fewer than five in each of its cells.
const ENOUGH: f64 = 20.0;

/// The fewest rows per category among the columns of many categories.
pub(super) fn rows_per_category(look: &Look<'_, '_>) -> Option<Diagnostic> {
    let Observations::Categories(data) = look.evidence.data else { return None };
    let rows = data.total() as f64;
    let mut wide: Vec<(usize, f64)> = (0..data.columns())
        .map(|node| (node, data.arity(node)))
        .filter(|&(_, arity)| arity > NARROW)
        .map(|(node, arity)| (node, rows / arity as f64))
        .collect();
    wide.sort_by(|a, b| a.1.total_cmp(&b.1));
    let &(_, least) = wide.first()?;
    let thin: Vec<usize> = wide.iter().filter(|(_, rows)| *rows < ENOUGH).map(|&(node, _)| node).collect();
    let caution = (!thin.is_empty()).then(|| {
        format!(
            "{}: too many categories for these rows, so that their effects may not be seen, and columns with such a cause in common may be joined to each other instead; join categories, or bring more rows",
            look.named(&thin)
        )
    });
    Some(judged("rows per category", least, caution, "columns of many categories have rows enough in each"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plackett::run::Run;

    use crate::{
        Categories, Learning, Observations,
        diagnostics::{Evidence, Verdict, diagnose},
    };

    /// The figure on `rows` rows of a column of `arity` categories and one of two.
    fn figure(rows: usize, arity: u8) -> Option<(f64, Verdict, String)> {
        let labels = |count: u8| (0..count).map(|label| label.to_string()).collect::<Vec<_>>();
        let many = (0..rows).map(|row| (row % usize::from(arity)) as u8).collect();
        let two = (0..rows).map(|row| (row / 3 % 2) as u8).collect();
        let names = vec!["kind".into(), "side".into()];
        let data = Categories::new(names, vec![labels(arity), labels(2)], vec![many, two]).unwrap();
        let data = Observations::Categories(Arc::new(data));
        let learned = Learning::default().run(&data, &Run::default()).unwrap();
        let names = ["kind".to_owned(), "side".to_owned()];
        let evidence = Evidence { data: &data, learned: &learned, names: &names };
        let all = diagnose(&evidence, &Run::default());
        all.into_iter()
            .find(|found| found.name == "rows per category")
            .map(|found| (found.value.unwrap(), found.verdict, found.advice))
    }

    #[test]
    fn many_categories_want_many_rows() {
        assert_eq!(figure(300, 10), None, "ten are not many");
        let (rows, verdict, advice) = figure(300, 30).unwrap();
        assert_eq!((rows, verdict), (10.0, Verdict::Caution));
        assert!(advice.starts_with("\"kind\":"), "{advice}");
        let (rows, verdict, _) = figure(900, 30).unwrap();
        assert_eq!((rows, verdict), (30.0, Verdict::Fine));
    }
}
