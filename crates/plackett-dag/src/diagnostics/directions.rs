//! How many directions the class leaves open.

use super::{Diagnostic, Look, judged};

/// A larger share is most of the graph.
const MANY: f64 = 0.5;

/// The share of edges whose direction is open in the class.
pub(super) fn open_directions(look: &Look<'_, '_>) -> Option<Diagnostic> {
    let learned = look.evidence.learned;
    let (compelled, open) = (learned.cpdag.directed().len(), learned.cpdag.undirected().len());
    if compelled + open == 0 {
        return None;
    }
    let share = open as f64 / (compelled + open) as f64;
    let caution = (share > MANY).then(|| match &learned.basis {
        None => format!(
            "{open} of {} edges could as well point the other way: do not read their arrows; what is known of tiers or of interventions \
             would direct them",
            compelled + open
        ),
        Some(basis) => format!(
            "{open} of {} arrows rest on {} alone: without it they could as well point the other way",
            compelled + open,
            basis.name
        ),
    });
    Some(judged("open directions", share, caution, "the class tells most directions, if it is the right one"))
}
