//! What to know before trusting the graph, beside what the data themselves gave reason to say.

use plackett_dag::{Learned, Observations, learning::residual_variances};

use crate::{console::counted, learn::data::Data};

/// Columns of a relation that are named, and relations that are told one by one.
const MOST_NAMED: usize = 8;
const MOST_ALIKE: usize = 5;
/// A residual variance below this share of the variable's own is rounding: the variable is a function of its parents.
const RESIDUAL_TOLERANCE: f64 = 1e-10;

/// All warnings; `wants_posterior` says whether probabilities of edges were asked for.
pub(super) fn warnings(data: &Data, learned: &Learned, wants_posterior: bool) -> Vec<String> {
    let mut warnings = data.warnings.clone();
    for &(node, limit) in &learned.lowered_limits {
        warnings.push(format!(
            "column \"{}\" has too many candidates for all their sets: at most {} were tried together",
            data.names[node],
            counted(limit, "parent")
        ));
    }
    if wants_posterior && learned.probabilities.is_none() {
        warnings.push("the run ended before the probabilities of the edges were known".to_owned());
    }
    warnings.extend(learned.convergence.and_then(|found| found.warning(&data.names)));
    if let Some(estimation) = learned.estimation.filter(|estimation| !estimation.is_converged) {
        warnings.push(format!(
            "EM had not converged after {}: the last one still made a change of {:.1e}",
            counted(estimation.iterations, "step"),
            estimation.change
        ));
    }
    warnings.extend(exact_relations(data, learned));
    warnings
}

/// Variables that are linear functions of their parents: no noise, and so no direction that noise could tell.
fn exact_relations(data: &Data, learned: &Learned) -> Vec<String> {
    let Observations::Numbers(gram) = &data.values else { return Vec::new() };
    let dag = &learned.dag;
    let variances = residual_variances(gram, dag);
    // One of a single column is a copy, of which the data have been said to hold one.
    let exact = |&node: &usize| {
        dag.parents(node).len() > 1 && variances[node] <= RESIDUAL_TOLERANCE * gram.entry(node, node)
    };
    let warning = |node: &usize| {
        let parents = dag.parents(*node);
        let names: Vec<String> =
            parents.iter().take(MOST_NAMED).map(|&parent| format!("\"{}\"", data.names[parent])).collect();
        let rest = parents.len().saturating_sub(MOST_NAMED);
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        format!(
            "column \"{}\" is an exact linear function of {}{rest}: directions among them mean nothing",
            data.names[*node],
            names.join(", ")
        )
    };
    let nodes: Vec<usize> = (0..dag.nodes()).filter(exact).collect();
    let mut warnings: Vec<String> = nodes.iter().take(MOST_ALIKE).map(warning).collect();
    if nodes.len() > MOST_ALIKE {
        warnings.push(format!("and {} more of that kind", nodes.len() - MOST_ALIKE));
    }
    warnings
}
