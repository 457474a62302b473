//! Learning from numbers: which score, and a search on it. Without a wish of the user's the data decide between `ev-l0` and
//! `bic`.

use std::{sync::Arc, time::Instant};

use anyhow::Context;
use plackett_dag::{
    Bic, Cpdag, Dag, FisherZ, Gram, NamedDag, NodeSet, Oracle, SCORES, ScoreSettings, fit_weights,
    score_by_name,
};

use super::{
    Arguments, Learned,
    data::Data,
    equal_variances,
    method::{Found, Status},
    pc,
};
use crate::console::BadInput;

/// What the user wants of the score.
enum Wish {
    /// This one, and why, where the user has not said so in as many words.
    Score(&'static str, Option<String>),
    /// Whichever the data call for.
    Auto,
}

impl Wish {
    fn of(arguments: &Arguments) -> Result<Self, BadInput> {
        let Arguments { score, lambda, sigma2, standardize, .. } = arguments;
        let settings = [("--lambda", lambda.is_some(), "l1"), ("--sigma2", sigma2.is_some(), "ev-l0")];
        let given: Vec<_> = settings.into_iter().filter(|&(_, is_given, _)| is_given).collect();
        let named = SCORES.iter().find(|entry| entry.name == score).map(|entry| entry.name);
        match (named, given.as_slice()) {
            (None, []) if *standardize => {
                let reason = "standardised data no longer show the sizes of the noise, which ev-l0 compares";
                Ok(Self::Score("bic", Some(reason.to_owned())))
            }
            (None, []) => Ok(Self::Auto),
            (None, &[(flag, _, owner)]) => Ok(Self::Score(owner, Some(format!("{flag} belongs to it")))),
            (Some(name), given) => match given.iter().find(|&&(_, _, owner)| owner != name) {
                None => Ok(Self::Score(name, None)),
                Some((flag, _, owner)) => {
                    Err(BadInput(format!("{flag} belongs to --score {owner}, not to --score {name}")))
                }
            },
            (None, _) => {
                Err(BadInput("--lambda belongs to --score l1 and --sigma2 to --score ev-l0".to_owned()))
            }
        }
    }
}

/// In the automatic choice both scores may have to be searched with; the first gets this share of the time.
const FIRST_SHARE: f64 = 0.5;

/// Learns a graph from the moments of the data.
pub(super) fn learn(arguments: &Arguments, data: &Data, gram: &Arc<Gram>) -> anyhow::Result<Learned> {
    check(arguments)?;
    let wish = Wish::of(arguments)?;
    let learner = Learner { arguments, data, gram };
    if arguments.method.is_pc() { learner.by_tests(&wish) } else { learner.learn(&wish) }
}

/// Settings that have no meaning for numbers are refused rather than ignored.
fn check(arguments: &Arguments) -> Result<(), BadInput> {
    let given = [
        ("--ess", arguments.ess.is_some()),
        ("--candidates", arguments.candidates.is_some()),
        ("--max-parents", arguments.max_parents.is_some()),
        ("--posterior", arguments.posterior),
        ("--alpha", arguments.alpha.is_some() && !arguments.method.is_pc()),
        ("--max-conditioning", arguments.max_conditioning.is_some() && !arguments.method.is_pc()),
    ];
    match given.into_iter().find(|&(_, is_given)| is_given) {
        Some((flag, _)) => Err(BadInput(format!("{flag} is for categories, and the data are numbers"))),
        None => Ok(()),
    }
}

struct Learner<'a> {
    arguments: &'a Arguments,
    data: &'a Data,
    gram: &'a Arc<Gram>,
}

impl Learner<'_> {
    fn learn(&self, wish: &Wish) -> anyhow::Result<Learned> {
        let time = self.arguments.time;
        match wish {
            Wish::Score(name, reason) => {
                Ok(Learned { score_choice: reason.clone(), ..self.learn_with(name, time)? })
            }
            Wish::Auto => {
                let start = Instant::now();
                let first = self.learn_with("ev-l0", time.map(|time| FIRST_SHARE * time))?;
                let variances = equal_variances::residual_variances(self.gram, first.graph.dag());
                let (low, high) = (
                    variances.iter().copied().fold(f64::INFINITY, f64::min),
                    variances.iter().copied().fold(0.0, f64::max),
                );
                let range = format!("the noise variances that ev-l0 finds ({low:.3} to {high:.3})");
                if equal_variances::agree(self.gram, first.graph.dag()) {
                    let reason = format!("{range} agree, so that every direction can be told");
                    return Ok(Learned { score_choice: Some(reason), ..first });
                }
                if first.status == Status::Interrupted {
                    let reason = format!("{range} differ, but there was no time for bic");
                    return Ok(Learned { score_choice: Some(reason), ..first });
                }
                let left = time.map(|time| (time - start.elapsed().as_secs_f64()).max(0.0));
                let second = self.learn_with("bic", left)?;
                let doubt = match first.status {
                    Status::Finished => "",
                    _ => ", though its search was cut short",
                };
                let reason = format!("{range} differ{doubt}, and bic allows them to");
                let evaluations = first.evaluations + second.evaluations;
                Ok(Learned { score_choice: Some(reason), evaluations, ..second })
            }
        }
    }

    /// PC-stable's graph, by partial correlations, with the weights of least squares. Where its edges have no direction, or
    /// contradict each other, a DAG close to them is shown.
    fn by_tests(&self, wish: &Wish) -> anyhow::Result<Learned> {
        let Self { arguments, data, gram } = self;
        if let Wish::Score(name, _) = wish
            && *name != "bic"
        {
            let text =
                format!("--method pc has no use for --score {name}: what is shown is the BIC of its graph");
            return Err(BadInput(text).into());
        }
        let test = FisherZ::new(gram, arguments.alpha.unwrap_or(pc::METHOD_ALPHA))?;
        let found = pc::run(&test, arguments.max_conditioning)?;
        let settings = ScoreSettings { penalty_factor: arguments.penalty, ..ScoreSettings::default() };
        let score = Bic::new(Arc::clone(gram), &settings)?;
        let dag = found.to_dag();
        let parents: Vec<NodeSet> =
            (0..dag.nodes()).map(|node| dag.parents(node).iter().copied().collect()).collect();
        let weights = fit_weights(&score, &parents)?.context("the score bic has no weights")?;
        let weighted = Dag::from_adjacency(data.names.len(), &weights)?;
        Ok(Learned {
            score_name: "bic",
            score_choice: None,
            score: parents.iter().enumerate().map(|(node, parents)| score.cost(node, parents)).sum(),
            is_equivalent: true,
            true_score: None,
            order: dag.topological_order().to_vec(),
            graph: NamedDag::new(data.names.clone(), weighted)?,
            probabilities: None,
            evaluations: found.tests,
            status: Status::Finished,
            seconds: 0.0,
            warnings: pc::warnings(&found),
            cpdag: found.pattern,
        })
    }

    fn learn_with(&self, score_name: &'static str, seconds: Option<f64>) -> anyhow::Result<Learned> {
        let Self { arguments, data, gram } = self;
        let mut settings = ScoreSettings {
            noise_variance: arguments.sigma2,
            penalty_factor: arguments.penalty,
            ..ScoreSettings::default()
        };
        if let Some(lambda) = arguments.lambda {
            settings.lambda = lambda;
        }
        let score = score_by_name(score_name, Arc::clone(gram), &settings)?;
        let oracle = Oracle::with_memory(Arc::clone(&score), arguments.memory_bytes());
        // Only the BIC is a log-likelihood; the others are sums of squares per row.
        let temperature = if score_name == "bic" { 1.0 } else { 1.0 / gram.rows() as f64 };
        let search = arguments.search(by_variance(gram), temperature);
        let label = format!("{}, {score_name}", arguments.method);
        let Found { solution, evaluations, status } = arguments.method.run(oracle, search, label, seconds)?;
        let weights = fit_weights(score.as_ref(), &solution.parents)?
            .with_context(|| format!("the score {score_name} has no weights"))?;
        let dag = Dag::from_adjacency(data.names.len(), &weights)?;
        let graph = NamedDag::new(data.names.clone(), dag)?;
        Ok(Learned {
            score_name,
            score_choice: None,
            score: solution.score,
            is_equivalent: is_equivalent(score_name),
            true_score: None,
            order: solution.order,
            cpdag: Cpdag::of(graph.dag()),
            graph,
            probabilities: None,
            evaluations,
            status,
            seconds: 0.0,
            warnings: Vec::new(),
        })
    }
}

/// Whether graphs of one equivalence class are equally good.
fn is_equivalent(score: &str) -> bool {
    score == "bic"
}

/// The nodes by their variances, the smallest first: causes tend to vary less than their effects.
fn by_variance(gram: &Gram) -> Vec<usize> {
    let mut order: Vec<usize> = (0..gram.nodes()).collect();
    order.sort_by(|&a, &b| gram.entry(a, a).total_cmp(&gram.entry(b, b)));
    order
}
