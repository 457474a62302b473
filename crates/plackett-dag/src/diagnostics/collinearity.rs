//! Whether parents of one column say the same: the variance inflation factor of a parent, 1 / (1 − R²) on the other parents of that column.

use super::{Diagnostic, Look, judged};
use crate::cholesky::Cholesky;

/// The usual bound: a parent of which the others explain nine tenths.
const INFLATED: f64 = 10.0;

/// The largest factor.
pub(super) fn collinearity(look: &Look<'_, '_>) -> Option<Diagnostic> {
    let gram = look.gram?;
    let dag = &look.evidence.learned.dag;
    let balanced = gram.balanced();
    let gram = balanced.as_ref().map_or(gram, |(balanced, _)| balanced);
    let mut factor = Cholesky::default();
    let (mut diagonal, mut column) = (Vec::new(), Vec::new());
    let mut largest = 1.0_f64;
    let mut inflated: Vec<(usize, f64)> = Vec::new();
    for node in 0..dag.nodes() {
        let parents = dag.parents(node);
        factor.reset(parents.len());
        let mut active = Vec::with_capacity(parents.len());
        for &parent in parents {
            if factor.push(gram.pooled(), &active, parent) {
                active.push(parent);
            } else {
                inflated.push((parent, f64::INFINITY));
            }
        }
        factor.inverse_diagonal_of_gram(&mut diagonal, &mut column);
        for (&parent, inverse) in active.iter().zip(&diagonal) {
            let vif = gram.entry(parent, parent) * inverse;
            largest = largest.max(vif);
            if vif > INFLATED {
                inflated.push((parent, vif));
            }
        }
    }
    inflated.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    largest = inflated.first().map_or(largest, |&(_, vif)| vif.max(largest));
    let mut nodes: Vec<usize> = Vec::new();
    for (node, _) in inflated {
        if !nodes.contains(&node) {
            nodes.push(node);
        }
    }
    let caution = (!nodes.is_empty()).then(|| {
        format!(
            "{} are told almost whole by other parents of the same column: their weights are unsure, and which of them is a parent is \
             nearly a toss; leave out columns that measure the same",
            look.named(&nodes)
        )
    });
    Some(judged("collinearity", largest, caution, "no two parents of a column say the same"))
}
