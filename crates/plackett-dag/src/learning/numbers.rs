//! Learning from numbers: which score, and a search on it. Unless a score is asked for, the data decide between `ev-l0` and
//! `bic`.

use std::sync::Arc;

use plackett::run::{Limits, Run};

use super::{
    Learned, Learning, METHOD_ALPHA, Observations, ScoreChoice, SearchTask, by_tests, equal_variances,
    patterned, refuse,
};
use crate::{
    Dag, Error, Gram, NodeSet, Result,
    independence::FisherZ,
    score::{Bic, SCORES, ScoreSettings, estimate_noise_variance, fit_weights, score_by_name},
};

/// The score that the data are tried with first.
const EV_L0: &str = "ev-l0";

/// What the user wants of the score.
enum Wish {
    /// This one, and why, where the user has not said so in as many words.
    Score(&'static str, Option<String>),
    /// Whichever the data call for.
    Auto,
}

impl Wish {
    fn of(learning: &Learning, gram: &Gram) -> Result<Self> {
        let settings = [
            ("lambda", learning.numbers.lambda.is_some(), "l1"),
            ("noise_variance", learning.numbers.noise_variance.is_some(), EV_L0),
        ];
        let given: Vec<_> = settings.into_iter().filter(|&(_, is_given, _)| is_given).collect();
        let ScoreChoice::Named(wanted) = &learning.score else {
            return match given.as_slice() {
                [] if is_standardized(gram) => {
                    let reason =
                        "standardized data no longer show the sizes of the noise, which ev-l0 compares";
                    Ok(Self::Score("bic", Some(reason.to_owned())))
                }
                [] => Ok(Self::Auto),
                &[(_, _, owner)] => Ok(Self::Score(owner, Some("a setting of its own is given".to_owned()))),
                [(setting, _, owner), (_, _, other), ..] => {
                    let reason =
                        format!("belongs to the score {owner}, and what is given besides to {other}");
                    Err(Error::Misfit { setting, reason })
                }
            };
        };
        let Some(entry) = SCORES.iter().find(|entry| entry.name == wanted) else {
            let known = SCORES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
            let reason = format!(
                "{wanted} does not fit: there is no score {wanted} of numbers; for columns of numbers there are {known}"
            );
            return Err(Error::Misfit { setting: "score", reason });
        };
        match given.iter().find(|&&(_, _, owner)| owner != entry.name) {
            None => Ok(Self::Score(entry.name, None)),
            Some(&(setting, _, owner)) => {
                let reason = format!("belongs to the score {owner}, not to the score {wanted}");
                Err(Error::Misfit { setting, reason })
            }
        }
    }
}

/// Whether all columns have the same variance, which can only have been done to them.
fn is_standardized(gram: &Gram) -> bool {
    const TOLERANCE: f64 = 1e-9;
    let first = gram.entry(0, 0);
    gram.nodes() > 1 && (1..gram.nodes()).all(|node| (gram.entry(node, node) / first - 1.0).abs() < TOLERANCE)
}

/// Learns a graph from the moments of the data.
pub(super) fn learn(learning: &Learning, gram: &Arc<Gram>, run: &Run<'_>) -> Result<Learned> {
    let categories = &learning.categories;
    refuse(
        &[
            ("equivalent_sample_size", categories.equivalent_sample_size.is_some()),
            ("space", categories.space.is_some()),
            ("max_parents", categories.max_parents.is_some()),
            ("posterior", categories.posterior),
            ("keep_order", categories.keep_order),
        ],
        "is for columns of categories, and these are numbers",
    )?;
    let numbers = &learning.numbers;
    let learner = Learner { learning, gram };
    if learning.method.is_pc() {
        refuse(
            &[
                ("score", matches!(learning.score, ScoreChoice::Named(_))),
                ("lambda", numbers.lambda.is_some()),
                ("noise_variance", numbers.noise_variance.is_some()),
                ("penalty", numbers.penalty.is_some()),
            ],
            "is for searches over orders, and pc tests independences instead",
        )?;
        return learner.by_tests(run);
    }
    refuse(
        &[
            ("alpha", learning.tests.alpha.is_some()),
            ("max_conditioning", learning.tests.max_conditioning.is_some()),
        ],
        "is for tests, which bound the parents of categories and which the method pc makes",
    )?;
    match Wish::of(learning, gram)? {
        Wish::Score(name, reason) => Ok(Learned { score_choice: reason, ..learner.by_score(name, run)? }),
        Wish::Auto => learner.by_either(run),
    }
}

struct Learner<'a> {
    learning: &'a Learning,
    gram: &'a Arc<Gram>,
}

impl Learner<'_> {
    /// By `ev-l0` if the noise variances that it finds agree, else by `bic`. The first gets half of the time.
    fn by_either(&self, run: &Run<'_>) -> Result<Learned> {
        let half = run.time_left().map(|time| time / 2);
        let first = self.by_score(EV_L0, &run.part(Limits { time: half, ..Limits::default() }))?;
        let variances = equal_variances::residual_variances(self.gram, &first.dag);
        let (low, high) = (
            variances.iter().copied().fold(f64::INFINITY, f64::min),
            variances.iter().copied().fold(0.0, f64::max),
        );
        let range = format!("the noise variances that ev-l0 finds ({low:.3} to {high:.3})");
        if equal_variances::agree(self.gram, &first.dag) {
            let reason = format!("{range} agree, so that every direction can be told");
            return Ok(Learned { score_choice: Some(reason), ..first });
        }
        if run.is_over() {
            let reason = format!("{range} differ, but there was no time for bic");
            return Ok(Learned { score_choice: Some(reason), ..first });
        }
        let second = self.by_score("bic", run)?;
        let doubt = if first.ending.is_early() { ", though its search was cut short" } else { "" };
        let reason = format!("{range} differ{doubt}, and bic allows them to");
        let evaluations = first.evaluations + second.evaluations;
        Ok(Learned { score_choice: Some(reason), evaluations, ..second })
    }

    fn by_score(&self, name: &str, run: &Run<'_>) -> Result<Learned> {
        let Self { learning, gram } = self;
        let defaults = ScoreSettings::default();
        // The score would make the same estimate by itself, but not stop when told.
        let estimate = || (name == EV_L0).then(|| estimate_noise_variance(gram, run));
        let settings = ScoreSettings {
            lambda: learning.numbers.lambda.unwrap_or(defaults.lambda),
            noise_variance: learning.numbers.noise_variance.or_else(estimate),
            penalty_factor: learning.numbers.penalty,
            ..defaults
        };
        let score = score_by_name(name, Arc::clone(gram), &settings)?;
        let task = learning.task(&Observations::Numbers(Arc::clone(gram)));
        learning.by_orders(&score, &SearchTask { first: by_variance(gram), ..task }, run)
    }

    /// PC-stable's graph, by partial correlations, with the weights of least squares. Where its edges have no direction, or
    /// contradict each other, a DAG close to them is given.
    fn by_tests(&self, run: &Run<'_>) -> Result<Learned> {
        let Self { learning, gram } = self;
        let test = FisherZ::new(gram, learning.tests.alpha.unwrap_or(METHOD_ALPHA))?;
        let found = learning.test(&test, run);
        let (tests, ending) = (found.tests, found.ending);
        let (pattern, dag) = patterned(found);
        let score = Bic::new(Arc::clone(gram), &ScoreSettings::default())?;
        let parents: Vec<NodeSet> =
            (0..dag.nodes()).map(|node| dag.parents(node).iter().copied().collect()).collect();
        let weights = fit_weights(&score, &parents)?.unwrap_or_default();
        let order = dag.topological_order().to_vec();
        let dag = Dag::from_adjacency(gram.nodes(), &weights)?;
        Ok(Learned { order, ..by_tests(dag, pattern, tests, ending) })
    }
}

/// The nodes by their variances, the smallest first: causes tend to vary less than their effects.
fn by_variance(gram: &Gram) -> Vec<usize> {
    let mut order: Vec<usize> = (0..gram.nodes()).collect();
    order.sort_by(|&a, &b| gram.entry(a, a).total_cmp(&gram.entry(b, b)));
    order
}
