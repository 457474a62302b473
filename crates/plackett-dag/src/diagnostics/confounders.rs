//! Causes that are not among the columns. No score or test here looks for them: it is said what is assumed.

use super::{Diagnostic, Look, Verdict};

/// There is no figure.
#[expect(clippy::unnecessary_wraps, reason = "as all in the list")]
pub(super) fn latent_confounders(_: &Look<'_, '_>) -> Option<Diagnostic> {
    Some(Diagnostic {
        name: "latent confounders",
        value: None,
        verdict: Verdict::Assumed,
        advice: "that no cause of two columns is missing among the columns; where one is, an edge may stand for it".to_owned(),
    })
}
