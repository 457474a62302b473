//! Learning from numbers: which score, and a search on it. Without a wish of the user's the data decide between `ev-l0` and
//! `bic`.

use std::sync::Arc;
use std::time::Instant;

use super::method::{Found, Settings};
use super::{LearnObserver, LearnStatus, Learned, Learning, METHOD_ALPHA, equal_variances, refuse};
use crate::{
    Bic, Cpdag, Dag, Error, FisherZ, Gram, NodeSet, Oracle, PlSearch, Result, SCORES, ScoreSettings,
    fit_weights, score_by_name,
};

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
            ("lambda", learning.lambda.is_some(), "l1"),
            ("sigma2", learning.noise_variance.is_some(), "ev-l0"),
        ];
        let given: Vec<_> = settings.into_iter().filter(|&(_, is_given, _)| is_given).collect();
        let Some(wanted) = &learning.score else {
            return match given.as_slice() {
                [] if is_standardized(gram) => {
                    let reason =
                        "standardized data no longer show the sizes of the noise, which ev-l0 compares";
                    Ok(Self::Score("bic", Some(reason.to_owned())))
                }
                [] => Ok(Self::Auto),
                &[(setting, _, owner)] => Ok(Self::Score(owner, Some(format!("{setting} belongs to it")))),
                _ => Err(Error::Misfit(
                    "lambda belongs to the score l1 and sigma2 to the score ev-l0".to_owned(),
                )),
            };
        };
        let Some(entry) = SCORES.iter().find(|entry| entry.name == wanted) else {
            let known = SCORES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
            return Err(Error::Misfit(format!(
                "there is no score {wanted} of numbers; for columns of numbers there are {known}"
            )));
        };
        match given.iter().find(|&&(_, _, owner)| owner != entry.name) {
            None => Ok(Self::Score(entry.name, None)),
            Some((setting, _, owner)) => Err(Error::Misfit(format!(
                "{setting} belongs to the score {owner}, not to the score {wanted}"
            ))),
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
pub(super) fn learn(
    learning: &Learning,
    gram: &Arc<Gram>,
    deadline: Option<Instant>,
    observe: LearnObserver,
) -> Result<Learned> {
    let for_tests = !learning.method.is_pc();
    refuse(
        &[
            ("ess", learning.equivalent_sample_size.is_some()),
            ("candidates", learning.space.is_some()),
            ("max-parents", learning.max_parents.is_some()),
            ("posterior", learning.posterior),
            ("alpha", learning.alpha.is_some() && for_tests),
            ("max-conditioning", learning.max_conditioning.is_some() && for_tests),
        ],
        "is for columns of categories, and these are numbers",
    )?;
    let wish = Wish::of(learning, gram)?;
    let learner = Learner { learning, gram };
    match wish {
        _ if learning.method.is_pc() => learner.by_tests(&wish, observe),
        Wish::Score(name, reason) => {
            Ok(Learned { score_choice: reason, ..learner.by_orders(name, deadline, observe)? })
        }
        Wish::Auto => learner.by_either(deadline, observe),
    }
}

struct Learner<'a> {
    learning: &'a Learning,
    gram: &'a Arc<Gram>,
}

impl Learner<'_> {
    /// By `ev-l0` if the noise variances that it finds agree, else by `bic`. The first gets half of the time.
    fn by_either(&self, deadline: Option<Instant>, observe: LearnObserver) -> Result<Learned> {
        let now = Instant::now();
        let half = deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2);
        let first = self.by_orders("ev-l0", half, observe)?;
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
        if first.status == LearnStatus::Interrupted {
            let reason = format!("{range} differ, but there was no time for bic");
            return Ok(Learned { score_choice: Some(reason), ..first });
        }
        let second = self.by_orders("bic", deadline, observe)?;
        let doubt = match first.status {
            LearnStatus::Finished => "",
            _ => ", though its search was cut short",
        };
        let reason = format!("{range} differ{doubt}, and bic allows them to");
        let evaluations = first.evaluations + second.evaluations;
        Ok(Learned { score_choice: Some(reason), evaluations, ..second })
    }

    fn by_orders(
        &self,
        score_name: &'static str,
        deadline: Option<Instant>,
        observe: LearnObserver,
    ) -> Result<Learned> {
        let Self { learning, gram } = self;
        let mut settings = ScoreSettings {
            noise_variance: learning.noise_variance,
            penalty_factor: learning.penalty,
            ..ScoreSettings::default()
        };
        if let Some(lambda) = learning.lambda {
            settings.lambda = lambda;
        }
        let score = score_by_name(score_name, Arc::clone(gram), &settings)?;
        let oracle = Oracle::with_memory(Arc::clone(&score), learning.memory_bytes);
        let search = Settings {
            first: by_variance(gram),
            start: None,
            restarts: learning.restarts(gram.nodes()),
            steps: learning.steps,
            descent: PlSearch::default(),
            // Only the BIC is a log-likelihood; the others are sums of squares per row.
            temperature: if score_name == "bic" { 1.0 } else { 1.0 / gram.rows() as f64 },
            seed: learning.seed,
            memory_bytes: learning.memory_bytes,
        };
        let stage = format!("{}, {score_name}", learning.method.name);
        let Found { solution, evaluations, status } =
            learning.method.run(oracle, search, &stage, deadline, observe)?;
        let weights = fit_weights(score.as_ref(), &solution.parents)?.unwrap_or_default();
        let dag = Dag::from_adjacency(gram.nodes(), &weights)?;
        Ok(Learned {
            cpdag: Cpdag::of(&dag),
            dag,
            order: solution.order,
            score_name,
            score_choice: None,
            score: solution.score,
            is_equivalent: score_name == "bic",
            probabilities: None,
            evaluations,
            status,
            lowered_limits: Vec::new(),
        })
    }

    /// PC-stable's graph, by partial correlations, with the weights of least squares. Where its edges have no direction, or
    /// contradict each other, a DAG close to them is given.
    fn by_tests(&self, wish: &Wish, observe: LearnObserver) -> Result<Learned> {
        let Self { learning, gram } = self;
        if let Wish::Score(name, _) = wish
            && *name != "bic"
        {
            let text = format!(
                "the method pc has no use for the score {name}: what is shown is the BIC of its graph"
            );
            return Err(Error::Misfit(text));
        }
        let test = FisherZ::new(gram, learning.alpha.unwrap_or(METHOD_ALPHA))?;
        let found = learning.test(&test, observe)?;
        let settings = ScoreSettings { penalty_factor: learning.penalty, ..ScoreSettings::default() };
        let score = Bic::new(Arc::clone(gram), &settings)?;
        let dag = found.to_dag();
        let parents: Vec<NodeSet> =
            (0..dag.nodes()).map(|node| dag.parents(node).iter().copied().collect()).collect();
        let weights = fit_weights(&score, &parents)?.unwrap_or_default();
        Ok(Learned {
            order: dag.topological_order().to_vec(),
            dag: Dag::from_adjacency(gram.nodes(), &weights)?,
            score_name: "bic",
            score_choice: None,
            score: parents.iter().enumerate().map(|(node, parents)| score.cost(node, parents)).sum(),
            is_equivalent: true,
            probabilities: None,
            evaluations: found.tests,
            status: LearnStatus::Finished,
            lowered_limits: Vec::new(),
            cpdag: found.pattern,
        })
    }
}

/// The nodes by their variances, the smallest first: causes tend to vary less than their effects.
fn by_variance(gram: &Gram) -> Vec<usize> {
    let mut order: Vec<usize> = (0..gram.nodes()).collect();
    order.sort_by(|&a, &b| gram.entry(a, a).total_cmp(&gram.entry(b, b)));
    order
}
