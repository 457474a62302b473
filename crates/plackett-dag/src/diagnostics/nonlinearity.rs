//! Whether effects are linear: what squares of a column's parents explain of its residual, beside the parents themselves. n times that
//! share is χ² with as many degrees of freedom as there are squares if they are.

use super::{Diagnostic, Look, judged, unknown, unused};
use crate::tails::chi_square_tail;

/// The level of a verdict over all columns together.
const LEVEL: f64 = 0.01;
/// A smaller share of the residual variance matters little, however surely it is there.
const SHARE: f64 = 0.02;
/// With fewer rows beyond the coefficients the χ² distribution does not hold.
const LEAST_FREEDOM: f64 = 20.0;

/// The largest share.
pub(super) fn nonlinearity(look: &Look<'_, '_>) -> Option<Diagnostic> {
    const NAME: &str = "nonlinearity";
    let residuals = match look.residuals(NAME)? {
        Ok(residuals) => residuals,
        Err(unknown) => return Some(unknown),
    };
    let tested: Vec<_> = residuals
        .columns
        .iter()
        .enumerate()
        .filter_map(|(node, found)| Some((node, found.as_ref()?.squares.as_ref()?)))
        .filter(|(_, squares)| squares.freedom >= LEAST_FREEDOM)
        .collect();
    if tested.is_empty() {
        return Some(unknown(NAME, "no column has parents, and rows enough to test for squares of them"));
    }
    let count = tested.len() as f64;
    let mut bent: Vec<(usize, f64)> = Vec::new();
    let mut largest = 0.0_f64;
    for (node, squares) in tested {
        let share = squares.share;
        largest = largest.max(share);
        // The F statistic times its first degrees of freedom.
        let statistic = share / (1.0 - share).max(f64::MIN_POSITIVE) * squares.freedom;
        if share >= SHARE && count * chi_square_tail(statistic, squares.count as f64) < LEVEL {
            bent.push((node, share));
        }
    }
    bent.sort_by(|a, b| b.1.total_cmp(&a.1));
    let nodes: Vec<usize> = bent.iter().map(|&(node, _)| node).collect();
    if look.is_by("additive") {
        return Some(unused(
            NAME,
            largest,
            "the score follows bends: this is what squares explain beside straight lines",
        ));
    }
    let caution = (!nodes.is_empty()).then(|| {
        format!(
            "squares of the causes explain up to {:.0} % of what is left of {}: take the score additive, or a logarithm or a root \
             that makes the effects straight; until then edges may stand for bends, or be missing",
            100.0 * largest,
            look.named(&nodes)
        )
    });
    Some(judged(NAME, largest, caution, "squares of the causes explain next to nothing beside them"))
}
