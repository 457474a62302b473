//! How far a learned graph can be trusted, as far as the data and the graph tell: figures, each with a verdict and with advice. A
//! diagnostic is one file and one line in the list `ALL`.

mod cells;
mod collinearity;
mod confounders;
mod directions;
mod nonlinearity;
mod normality;
mod parameters;
mod residuals;
mod sortability;
mod variances;
mod wide;

use std::fmt;

use plackett::run::Run;
use serde::Serialize;

use crate::{Gram, Learned, Observations};
use residuals::Residuals;

/// The diagnostics: to add one, write its file and add its line here. Each says nothing where it does not apply.
const ALL: &[fn(&Look<'_, '_>) -> Option<Diagnostic>] = &[
    parameters::rows_per_parameter,
    cells::sparse_cells,
    wide::rows_per_category,
    collinearity::collinearity,
    nonlinearity::nonlinearity,
    normality::normality,
    normality::tails,
    variances::equal_variances,
    sortability::varsortability,
    sortability::r2_sortability,
    directions::open_directions,
    confounders::latent_confounders,
];

/// A figure on the data or on the graph, and what to make of it.
///
/// ```
/// use plackett_dag::diagnostics::{Diagnostic, Verdict};
/// let diagnostic = Diagnostic {
///     name: "collinearity",
///     value: Some(1.5),
///     verdict: Verdict::Fine,
///     advice: "nothing to do".to_owned(),
/// };
/// assert_eq!(diagnostic.verdict.to_string(), "fine");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnostic {
    /// What is looked at.
    pub name: &'static str,
    /// The figure, if there is one.
    pub value: Option<f64>,
    /// What to make of it.
    pub verdict: Verdict,
    /// What the figure says and what to do, in a sentence.
    pub advice: String,
}

/// What to make of a figure.
///
/// ```
/// assert_eq!(plackett_dag::diagnostics::Verdict::Caution.to_string(), "caution");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing speaks against what the method assumes.
    Fine,
    /// Something does.
    Caution,
    /// Other scores assume it, and this one does not.
    Unused,
    /// It takes what is not there: rows, or time.
    Unknown,
    /// No data of this kind could tell: it has to be assumed.
    Assumed,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Fine => "fine",
            Self::Caution => "caution",
            Self::Unused => "unused",
            Self::Unknown => "unknown",
            Self::Assumed => "assumed",
        })
    }
}

/// What there is to look at.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{BayesNet, Learning, Observations, diagnostics::{Evidence, Verdict, diagnose}};
///
/// let network = BayesNet::embedded("asia")?;
/// let data = Observations::Categories(network.sample(5000, 0, BayesNet::TRAINING)?.into());
/// let learned = Learning::default().run(&data, &Run::default())?;
/// let evidence = Evidence { data: &data, learned: &learned, names: network.graph().names() };
/// let found = diagnose(&evidence, &Run::default());
/// let rows = found.iter().find(|diagnostic| diagnostic.name == "rows per parameter").unwrap();
/// assert_eq!((rows.value, rows.verdict), (Some(1250.0), Verdict::Fine));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// What the graph was learned from.
    pub data: &'a Observations,
    /// The graph.
    pub learned: &'a Learned,
    /// The names of the columns.
    pub names: &'a [String],
}

/// Looks at everything that applies. It takes about a second on 10,000 rows of 100 columns; what the run leaves no time for is unknown.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, Learning, Observations, diagnostics::{Evidence, Verdict, diagnose}};
///
/// let data = Observations::Numbers(Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?));
/// let learned = Learning::default().run(&data, &Run::default())?;
/// let names = ["a".to_owned(), "b".to_owned()];
/// let found = diagnose(&Evidence { data: &data, learned: &learned, names: &names }, &Run::default());
/// // Moments do not tell whether residuals are normal.
/// assert!(found.iter().any(|diagnostic| diagnostic.name == "normality" && diagnostic.verdict == Verdict::Unknown));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn diagnose(evidence: &Evidence<'_>, run: &Run<'_>) -> Vec<Diagnostic> {
    let gram = match evidence.data {
        Observations::Numbers(gram) => Some(gram.as_ref()),
        _ => None,
    };
    run.begin("diagnostics", None);
    let residuals =
        gram.and_then(|gram| Residuals::of(gram, gram.number_rows()?, &evidence.learned.dag, run));
    let look = Look { evidence, gram, residuals, run };
    ALL.iter().filter_map(|diagnostic| diagnostic(&look)).collect()
}

/// The evidence, with what several diagnostics are made from.
struct Look<'a, 'b> {
    evidence: &'a Evidence<'a>,
    /// The moments, if the data are complete numbers.
    gram: Option<&'a Gram>,
    /// What is left of each column of numbers, if there are rows and was time.
    residuals: Option<Residuals>,
    run: &'a Run<'b>,
}

/// Columns that an advice names.
const MOST_NAMED: usize = 3;

impl Look<'_, '_> {
    /// Whether the graph was learned by the score of this name.
    fn is_by(&self, score: &str) -> bool {
        self.evidence.learned.score_name.as_deref() == Some(score)
    }

    /// Columns by name, the first few.
    fn named(&self, nodes: &[usize]) -> String {
        let name =
            |&node: &usize| format!("\"{}\"", self.evidence.names.get(node).map_or("?", String::as_str));
        let names: Vec<String> = nodes.iter().take(MOST_NAMED).map(name).collect();
        match nodes.len().saturating_sub(MOST_NAMED) {
            0 => names.join(", "),
            rest => format!("{} and {rest} more", names.join(", ")),
        }
    }

    /// What is left of numbers, or the diagnostic that says why it is not known. Nothing for data of another kind.
    fn residuals(&self, name: &'static str) -> Option<Result<&Residuals, Diagnostic>> {
        let is_numeric = match self.evidence.data {
            Observations::Numbers(_) => true,
            Observations::Mixed(data) => data.is_numeric() == Some(true),
            Observations::Joint(_) | Observations::Categories(_) => false,
        };
        if !is_numeric {
            return None;
        }
        let missing = match (&self.residuals, self.gram) {
            (Some(residuals), _) => return Some(Ok(residuals)),
            (None, None) => {
                "it takes complete rows, and values are missing: --missing drop leaves those rows out"
            }
            (None, Some(gram)) if gram.number_rows().is_some() => "there was no time to look at the rows",
            (None, Some(_)) => "it takes the rows, and of these data only the moments are known",
        };
        Some(Err(unknown(name, missing)))
    }
}

/// A figure that is not known.
fn unknown(name: &'static str, why: &str) -> Diagnostic {
    Diagnostic { name, value: None, verdict: Verdict::Unknown, advice: why.to_owned() }
}

/// A figure on what others assume.
fn unused(name: &'static str, value: f64, why: &str) -> Diagnostic {
    let value = value.is_finite().then_some(value);
    Diagnostic { name, value, verdict: Verdict::Unused, advice: why.to_owned() }
}

/// A figure, and what to make of it on either side of a bound.
fn judged(name: &'static str, value: f64, caution: Option<String>, fine: &str) -> Diagnostic {
    let verdict = if caution.is_some() { Verdict::Caution } else { Verdict::Fine };
    let value = value.is_finite().then_some(value);
    Diagnostic { name, value, verdict, advice: caution.unwrap_or_else(|| fine.to_owned()) }
}
