//! Whether a simple sort gives the causal order of the graph: of all pairs of a cause and an effect, by the lengths of the paths between
//! them, the share in which the effect has the larger variance (varsortability; Reisach, Seiler and Weichwald 2021) or is the better
//! predicted by all other columns (R²-sortability; Reisach, Tami, Seiler, Chambaz and Weichwald 2023). One half is what chance gives.

use super::{Diagnostic, Look, judged, unknown, unused};
use crate::{Dag, Gram, NodeSet, cholesky::Cholesky};

/// A share from which on the sort gives nearly the whole order.
const SORTED: f64 = 0.9;
/// Fewer pairs are in order by chance too often.
const LEAST_PAIRS: usize = 10;
/// Values as close as this, relative to their size, are equal.
const TIE: f64 = 1e-9;
/// R² of more columns takes seconds: the time grows with their third power.
const MOST_COLUMNS: usize = 1000;

/// By variances.
pub(super) fn varsortability(look: &Look<'_, '_>) -> Option<Diagnostic> {
    const NAME: &str = "varsortability";
    let gram = look.gram?;
    let learned = look.evidence.learned;
    let variances: Vec<f64> = (0..gram.nodes()).map(|node| gram.entry(node, node)).collect();
    let (share, pairs) = sortability(&learned.dag, &variances)?;
    if learned.is_equivalent {
        return Some(unused(NAME, share, "the score looks at correlations, not at variances"));
    }
    let caution = (pairs >= LEAST_PAIRS && share >= SORTED).then(|| {
        "sorting the columns by variance gives nearly this order, and the score compares variances: if the units of the columns are \
         arbitrary, so are the directions; compare with --score bic"
            .to_owned()
    });
    Some(judged(NAME, share, caution, "the order is not that of the variances"))
}

/// By how well each column is predicted by all others.
pub(super) fn r2_sortability(look: &Look<'_, '_>) -> Option<Diagnostic> {
    const NAME: &str = "R2-sortability";
    let gram = look.gram?;
    let learned = look.evidence.learned;
    if learned.dag.edge_count() == 0 {
        return None;
    }
    if gram.nodes() > MOST_COLUMNS {
        return Some(unknown(NAME, "more than 1,000 columns: it would take long"));
    }
    if gram.rows() <= gram.nodes() + 1 {
        return Some(unknown(
            NAME,
            "with no more rows than columns, all columns are predicted by the others",
        ));
    }
    let Some(shares) = predicted_shares(gram, || look.run.is_over()) else {
        return Some(unknown(NAME, "there was no time"));
    };
    let (share, pairs) = sortability(&learned.dag, &shares)?;
    let caution = (pairs >= LEAST_PAIRS && share >= SORTED).then(|| {
        "sorting the columns by how well the others predict them gives nearly this order, as in much simulated data: success on such \
         data says little of other data"
            .to_owned()
    });
    Some(judged(NAME, share, caution, "the order is not that of how well columns are predicted"))
}

/// The share of pairs in which the value grows from cause to effect, ties counting half, over the pairs that are joined by a path of each
/// length; and their number. Nothing without edges. O(edges · nodes / 64) for each length of a path.
fn sortability(dag: &Dag, values: &[f64]) -> Option<(f64, usize)> {
    let nodes = dag.nodes();
    // The nodes from which so many steps lead to each.
    let mut above: Vec<NodeSet> =
        (0..nodes).map(|node| dag.parents(node).iter().copied().collect()).collect();
    let (mut pairs, mut sorted) = (0, 0.0);
    while above.iter().any(|set| !set.is_empty()) {
        for (node, set) in above.iter().enumerate() {
            for cause in set {
                let gap = values[node] - values[cause];
                let is_tie = gap.abs() <= TIE * values[node].abs().max(values[cause].abs());
                sorted += if is_tie { 0.5 } else { f64::from(u8::from(gap > 0.0)) };
                pairs += 1;
            }
        }
        above = (0..nodes)
            .map(|node| {
                let mut reached = NodeSet::default();
                dag.parents(node)
                    .iter()
                    .flat_map(|&parent| above[parent].iter())
                    .for_each(|cause| reached.insert(cause));
                reached
            })
            .collect();
    }
    (pairs > 0).then(|| (sorted / f64::from(u32::try_from(pairs).unwrap_or(u32::MAX)), pairs))
}

/// The share of each column's variance that all others explain: 1 − 1 / (G_jj (G⁻¹)_jj). Nothing if it is over first.
fn predicted_shares(gram: &Gram, is_over: impl Fn() -> bool) -> Option<Vec<f64>> {
    let balanced = gram.balanced();
    let gram = balanced.as_ref().map_or(gram, |(balanced, _)| balanced);
    let mut factor = Cholesky::default();
    factor.reset(gram.nodes());
    let mut active = Vec::with_capacity(gram.nodes());
    for node in 0..gram.nodes() {
        if is_over() {
            return None;
        }
        if factor.push(gram.pooled(), &active, node) {
            active.push(node);
        }
    }
    let (mut diagonal, mut column) = (Vec::new(), Vec::new());
    factor.inverse_diagonal_of_gram(&mut diagonal, &mut column);
    // One that adds nothing to the others is told by them, and so are those that tell it; for these the rest is an approximation.
    let mut shares = vec![1.0; gram.nodes()];
    for (&node, inverse) in active.iter().zip(&diagonal) {
        shares[node] = 1.0 - 1.0 / (gram.entry(node, node) * inverse);
    }
    Some(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_sorted_pairs_by_hand() {
        // 0 → 1 → 2 and 0 → 2: pairs (0, 1), (1, 2), (0, 2) by one step and (0, 2) by two.
        let dag = Dag::from_parents(vec![vec![], vec![0], vec![0, 1]]).unwrap();
        assert_eq!(sortability(&dag, &[1.0, 2.0, 3.0]), Some((1.0, 4)));
        assert_eq!(sortability(&dag, &[3.0, 2.0, 1.0]), Some((0.0, 4)));
        assert_eq!(sortability(&dag, &[1.0, 1.0, 1.0]), Some((0.5, 4)));
        assert_eq!(sortability(&dag, &[2.0, 1.0, 3.0]), Some((0.75, 4)));
        assert_eq!(sortability(&Dag::empty(3), &[1.0, 2.0, 3.0]), None);
    }

    #[test]
    fn predicted_shares_are_those_of_regression() {
        // x₁ = x₀ + e, x₂ = x₁ + e, all noise of variance 1, by hand: Var(x₀ | x₁, x₂) = ½, Var(x₁ | x₀, x₂) = ½, Var(x₂ | x₁) = 1.
        let gram = Gram::from_matrix(100, 3, vec![1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 1.0, 2.0, 3.0]).unwrap();
        let shares = predicted_shares(&gram, || false).unwrap();
        for (found, expected) in shares.iter().zip([0.5, 0.75, 2.0 / 3.0]) {
            assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
        }
    }
}
