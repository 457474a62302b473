//! Whether the noise variances are equal, which the directions of `ev-l0` rest on.

use super::{Diagnostic, Look, judged, unused};
use crate::learning::NoiseVariances;

/// The upper 95 % bound of the largest noise variance over the smallest.
pub(super) fn equal_variances(look: &Look<'_, '_>) -> Option<Diagnostic> {
    const NAME: &str = "equal variances";
    let learned = look.evidence.learned;
    let variances = NoiseVariances::of(look.gram?, &learned.dag);
    let rests_on_them = learned.basis.as_ref().is_some_and(|basis| basis.name == NAME);
    if !rests_on_them {
        return Some(unused(NAME, variances.bound(), "directions do not rest on equal noise variances"));
    }
    let caution = (!variances.are_equal()).then(|| {
        "directions rest on equal noise variances, and these may differ: take --score bic, whose directions do not".to_owned()
    });
    let fine = "noise variances are as equal as the directions take them to be";
    Some(judged(NAME, variances.bound(), caution, fine))
}
