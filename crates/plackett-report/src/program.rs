//! Words of the command line: the options that settings are given by, remedies as flags, and what to know before trusting a graph. The
//! program, the page in the browser and Python say the same.

use plackett_dag::{
    Dataset, Learned, Learning, Observations,
    finding::{Remedy, finding_texts},
    learning::residual_variances,
};

use crate::learned::counted;

/// Characters of a remedy's names that are spelled out; more are not to be typed.
const MOST_SPELLED: usize = 500;
/// Columns of a relation that are named, and relations that are told one by one.
const MOST_NAMED: usize = 8;
const MOST_ALIKE: usize = 5;
/// A residual variance below this share of the variable's own is rounding: the variable is a function of its parents.
const RESIDUAL_TOLERANCE: f64 = 1e-10;

/// The option that a setting of the library is given by.
///
/// ```
/// assert_eq!(plackett_report::option("noise_variance"), "--sigma2");
/// ```
pub fn option(setting: &str) -> String {
    let name = match setting {
        "noise_variance" => "sigma2",
        "equivalent_sample_size" => "ess",
        "space" => "candidates",
        "kinds" => return "--categorical and --numeric".to_owned(),
        other => other,
    };
    format!("--{}", name.replace('_', "-"))
}

/// A remedy as a flag.
///
/// ```
/// use plackett_dag::finding::Remedy;
/// assert_eq!(plackett_report::flag(&Remedy::Drop(vec!["a day".into()])), "--drop 'a day'");
/// ```
pub fn flag(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Drop(names) => format!("--drop {}", argument(names)),
        Remedy::DropRows(rows) => format!("--missing drop keeps {}", counted(*rows, "row")),
        Remedy::Em(rows) => format!("--missing em keeps all {rows}"),
        Remedy::OwnCategory(rows) => format!("--missing category keeps all {rows}"),
        Remedy::Categorical(names) => format!("--categorical {}", argument(names)),
        Remedy::MissingMark(text) => format!("--na {}", argument(std::slice::from_ref(text))),
        Remedy::NoWeights => "without --weights".to_owned(),
        _ => String::new(),
    }
}

/// Names as they are typed in a shell.
fn argument(names: &[String]) -> String {
    let name = |name: &String| {
        if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.clone() }
    };
    let mut text = String::new();
    for (at, next) in names.iter().map(name).enumerate() {
        if text.len() + next.len() > MOST_SPELLED {
            text += if at > 0 { ",..." } else { "..." };
            break;
        }
        text += if at > 0 { "," } else { "" };
        text += &next;
    }
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_-.,".contains(character);
    let text: String =
        text.chars().map(|character| if character.is_control() { '?' } else { character }).collect();
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// What to know before trusting a graph that is learned from the data, in the words of the command line.
///
/// ```
/// use plackett_dag::{Dataset, dataset::Reading};
/// let text = "a,b\n1,2\n2,1\n3,5\n";
/// let data = Dataset::from_reader(text.as_bytes(), "data.csv", &Reading::default())?;
/// assert!(plackett_report::data_warnings(&data).iter().all(|warning| !warning.is_empty()));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn data_warnings(data: &Dataset) -> Vec<String> {
    finding_texts(&data.warnings(), flag)
}

/// What to know before trusting a graph: what the data gave reason to say, and what the search did.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{Gram, Learning, Observations};
/// // The third column is the sum of the others.
/// let data = Observations::Numbers(Gram::from_matrix(100, 3, vec![1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0])?.into());
/// let learning = Learning { score: "bic".into(), ..Learning::default() };
/// let learned = learning.run(&data, &Run::default())?;
/// let warnings = plackett_report::warnings(&[], &["a", "b", "c"].map(str::to_owned), &data, &learned, &learning);
/// assert!(warnings[0].contains("is an exact linear function of"));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn warnings(
    of_data: &[String],
    names: &[String],
    data: &Observations,
    learned: &Learned,
    learning: &Learning,
) -> Vec<String> {
    let mut warnings = of_data.to_vec();
    for &(node, limit) in &learned.lowered_limits {
        warnings.push(format!(
            "column \"{}\" has too many candidates for all their sets: at most {} were tried together",
            names[node],
            counted(limit, "parent")
        ));
    }
    for &node in &learned.bound_by_limit {
        warnings.push(format!(
            "column \"{}\" has as many parents as --max-parents allows, and one more would better the score",
            names[node]
        ));
    }
    if learning.search.posterior && learned.probabilities.is_none() {
        warnings.push("the run ended before the probabilities of the edges were known".to_owned());
    }
    warnings.extend(learned.convergence.and_then(|found| found.warning(names)));
    if let Some(estimation) = learned.estimation.filter(|estimation| !estimation.is_converged) {
        warnings.push(format!(
            "EM had not converged after {}: the last one still made a change of {:.1e}",
            counted(estimation.iterations, "step"),
            estimation.change
        ));
    }
    warnings.extend(exact_relations(names, data, learned));
    warnings
}

/// Variables that are linear functions of their parents: no noise, and so no direction that noise could tell.
fn exact_relations(names: &[String], data: &Observations, learned: &Learned) -> Vec<String> {
    let Observations::Numbers(gram) = data else { return Vec::new() };
    let dag = &learned.dag;
    let variances = residual_variances(gram, dag);
    // One of a single column is a copy, of which the data have been said to hold one.
    let exact = |&node: &usize| {
        dag.parents(node).len() > 1 && variances[node] <= RESIDUAL_TOLERANCE * gram.entry(node, node)
    };
    let warning = |node: &usize| {
        let parents = dag.parents(*node);
        let known: Vec<String> =
            parents.iter().take(MOST_NAMED).map(|&parent| format!("\"{}\"", names[parent])).collect();
        let rest = parents.len().saturating_sub(MOST_NAMED);
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        format!(
            "column \"{}\" is an exact linear function of {}{rest}: directions among them mean nothing",
            names[*node],
            known.join(", ")
        )
    };
    let nodes: Vec<usize> = (0..dag.nodes()).filter(exact).collect();
    let mut warnings: Vec<String> = nodes.iter().take(MOST_ALIKE).map(warning).collect();
    if nodes.len() > MOST_ALIKE {
        warnings.push(format!("and {} more of that kind", nodes.len() - MOST_ALIKE));
    }
    warnings
}
