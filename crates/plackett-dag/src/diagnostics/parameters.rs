//! Rows per parameter: how many rows there are for each coefficient or free probability of the family that has most of them.

use super::{Diagnostic, Look, judged};
use crate::{Observations, mixed::MixedColumn};

/// Fewer rows for a coefficient are too few by the usual rule.
const FEW: f64 = 10.0;

/// The least of all families.
pub(super) fn rows_per_parameter(look: &Look<'_, '_>) -> Option<Diagnostic> {
    let (data, dag) = (look.evidence.data, &look.evidence.learned.dag);
    // Categories beside numbers are so many indicators.
    let indicators = |levels: usize| levels.saturating_sub(1).max(1) as f64;
    let width = |node: usize| -> f64 {
        match data {
            Observations::Numbers(_) => 1.0,
            Observations::Categories(categories) => categories.arity(node) as f64,
            Observations::Mixed(data) => match &data.columns()[node] {
                MixedColumn::Numbers(_) => 1.0,
                MixedColumn::Categories { levels, .. } => indicators(*levels),
            },
            Observations::Joint(moments) => moments.levels(node).map_or(1.0, indicators),
        }
    };
    let parameters = |node: usize| -> f64 {
        let parents = dag.parents(node).iter().map(|&parent| width(parent));
        match data {
            // An intercept, the slopes and the noise.
            Observations::Numbers(_) => 2.0 + parents.sum::<f64>(),
            // A probability less than categories, for each combination of parents.
            Observations::Categories(_) => (width(node) - 1.0) * parents.product::<f64>(),
            // Categories as indicators in linear models.
            Observations::Mixed(_) | Observations::Joint(_) => width(node) * (1.0 + parents.sum::<f64>()),
        }
    };
    let most = (0..dag.nodes()).max_by(|&a, &b| parameters(a).total_cmp(&parameters(b)))?;
    let value = data.rows() as f64 / parameters(most).max(1.0);
    let caution = (value < FEW).then(|| {
        format!(
            "{} has {:.0} parameters for {} rows: its parents may be chance; more rows, fewer columns or coarser categories would help",
            look.named(&[most]),
            parameters(most),
            data.rows()
        )
    });
    Some(judged("rows per parameter", value, caution, "rows enough for every family"))
}
