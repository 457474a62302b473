//! Learning from numbers: which score, and a search on it. Unless a score is asked for, the data decide between `bic`, `ev-l0`,
//! `non-gaussian` and `additive`.

use std::sync::Arc;

use plackett::{
    elementary::ln,
    run::{Ending, Run},
};

use super::{
    Basis, CANDIDATE_ALPHA, Learned, Learning, METHOD_ALPHA, NO_TESTS, Observations, ScoreChoice, SearchTask,
    equal_variances::NoiseVariances,
    patterned,
    price::{Fitted, fitting, fitting_price},
    refuse, unscored, weighted,
};
use crate::{
    Dag, Error, Gram, LocalScore, NodeSet, OrderSolution, Result,
    independence::FisherZ,
    score::{
        Bge, Bic, SCORES, ScoreSettings, additive, additive_bytes, estimate_noise_variance, score_by_name,
    },
};

/// The scores that `auto` chooses from.
const BIC: &str = "bic";
const EV_L0: &str = "ev-l0";
const NON_GAUSSIAN: &str = "non-gaussian";
const ADDITIVE: &str = "additive";

/// By how many nats a model with more than straight lines and Gaussian noise has to be better than the BIC's.
const CLEARLY: f64 = 10.0;

/// More products than this are not made to see whether effects are bent, unless the score is asked for: about two seconds.
const MOST_PRODUCTS: f64 = 4e9;

/// The score that `auto` takes where the probabilities of edges are wanted.
const BGE: &str = "bge";

/// What the user wants of the score.
enum Wish {
    /// This one, and why, where the user has not said so in as many words.
    Score(&'static str, Option<String>),
    /// Whichever the data call for.
    Auto,
}

impl Wish {
    fn of(learning: &Learning) -> Result<Self> {
        let settings = [
            ("lambda", learning.numbers.lambda.is_some(), "l1"),
            ("noise_variance", learning.numbers.noise_variance.is_some(), EV_L0),
        ];
        let given: Vec<_> = settings.into_iter().filter(|&(_, is_given, _)| is_given).collect();
        let ScoreChoice::Named(wanted) = &learning.score else {
            return match given.as_slice() {
                [] if learning.search.posterior => {
                    let reason = "the probabilities of edges are asked for, and it is a marginal likelihood";
                    Ok(Self::Score(BGE, Some(reason.to_owned())))
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

/// Whether all columns have the same variance up to rounding of their numbers, which can only have been done to them.
fn is_standardized(gram: &Gram) -> bool {
    const TOLERANCE: f64 = 2e-3;
    let first = gram.entry(0, 0);
    gram.nodes() > 1 && (1..gram.nodes()).all(|node| (gram.entry(node, node) / first - 1.0).abs() < TOLERANCE)
}

/// Learns a graph from the moments of the data.
pub(super) fn learn(learning: &Learning, gram: &Arc<Gram>, run: &Run<'_>) -> Result<Learned> {
    refuse(&learning.categories.given(), "is for columns of categories, and these are numbers")?;
    let numbers = &learning.numbers;
    let learner = Learner { learning, gram };
    let deviations = Some((0..gram.nodes()).map(|node| gram.entry(node, node).max(0.0).sqrt()).collect());
    if learning.method.is_pc() {
        refuse(
            &[
                ("score", matches!(learning.score, ScoreChoice::Named(_))),
                ("lambda", numbers.lambda.is_some()),
                ("noise_variance", numbers.noise_variance.is_some()),
                ("penalty", numbers.penalty.is_some()),
                ("posterior", learning.search.posterior),
            ],
            "is for searches over orders, and pc tests independences instead",
        )?;
        return Ok(Learned { deviations, ..learner.by_tests(run)? });
    }
    refuse(&learning.tests.given(), NO_TESTS)?;
    let learned = match Wish::of(learning)? {
        Wish::Score(name, reason) => {
            refuse(
                &[("posterior", learning.search.posterior && name == "l1")],
                "needs a score that says what a set of parents costs, and l1 weighs them: take bge, bic or ev-l0",
            )?;
            refuse(
                &[("penalty", numbers.penalty.is_some() && name == BGE)],
                "is for the other scores: bge has a prior on graphs in its place",
            )?;
            Learned { score_choice: reason, ..learner.by_score(name, run)? }
        }
        Wish::Auto => learner.by_the_data(run)?,
    };
    Ok(Learned { deviations, ..learned })
}

type ScoreAndMet = (Arc<dyn LocalScore>, Option<OrderSolution>);

struct Learner<'a> {
    learning: &'a Learning,
    gram: &'a Arc<Gram>,
}

impl Learner<'_> {
    /// By `bic`, unless a score that tells directions has earned its choice.
    fn by_the_data(&self, run: &Run<'_>) -> Result<Learned> {
        let found = self.by_bic_or_better(run)?;
        // Whoever sums rows up should know what the rows might have said.
        let unseen =
            "; shapes of noise and bends of effects were not looked at, since that needs complete rows";
        match found.score_choice {
            Some(reason) if self.gram.number_rows().is_none() => {
                Ok(Learned { score_choice: Some(reason + unseen), ..found })
            }
            _ => Ok(found),
        }
    }

    fn by_bic_or_better(&self, run: &Run<'_>) -> Result<Learned> {
        let best = self.by_score(BIC, run)?;
        let with = |reason: String, learned: Learned| Ok(Learned { score_choice: Some(reason), ..learned });
        let (rows, nodes) = (self.gram.rows(), self.gram.nodes());
        if rows <= 2 * nodes {
            return with(
                format!("{rows} rows of {nodes} columns are too few to compare noise variances"),
                best,
            );
        }
        if let Some(richer) = self.by_richer_models(&best, run)? {
            return Ok(richer);
        }
        if is_standardized(self.gram) {
            let reason = "standardized data no longer show the sizes of the noise, which ev-l0 compares";
            return with(reason.to_owned(), best);
        }
        self.by_either(best, run)
    }

    /// By `non-gaussian` or `additive`, if the likelihood with the prices of all parameters is clearly better than that of the best
    /// graph by the BIC.
    fn by_richer_models(&self, best: &Learned, run: &Run<'_>) -> Result<Option<Learned>> {
        let price = best.price.unwrap_or_default();
        let base = self.bic_of(&best.dag, price)?;
        let mut winner: Option<Learned> = None;
        for name in [NON_GAUSSIAN, ADDITIVE] {
            if self.gram.number_rows().is_none() || run.is_over() || !self.is_affordable(name) {
                continue;
            }
            let Some((score, _)) = self.score_of(name, Some(price), run)? else { continue };
            // What it makes of the same graph is a lower bound of what it gains.
            let parents = |node: usize| best.dag.parents(node).iter().copied().collect::<NodeSet>();
            let same: Option<f64> = (0..best.dag.nodes()).map(|node| score.cost(node, &parents(node))).sum();
            if same.is_none_or(|same| same > base - CLEARLY) {
                continue;
            }
            let found = self.search(&score, None, run)?;
            let value = found.score.unwrap_or(f64::INFINITY);
            let least = winner.as_ref().and_then(|winner| winner.score).unwrap_or(base - CLEARLY);
            if value < least && !found.ending.is_early() {
                let gain = base - value;
                let what = match name {
                    NON_GAUSSIAN => "the noise is not Gaussian: its shape",
                    _ => "effects are bent: curves",
                };
                let reason =
                    format!("{what} explains {gain:.0} nats more than the bic can, all parameters paid for");
                let evaluations = best.evaluations + found.evaluations;
                winner = Some(Learned { score_choice: Some(reason), evaluations, ..found });
            }
        }
        Ok(winner)
    }

    /// Whether a score is quickly made.
    fn is_affordable(&self, name: &str) -> bool {
        let (rows, nodes) = (self.gram.rows(), self.gram.nodes());
        let width = 8.0 * nodes as f64;
        let is_small = additive_bytes(nodes, rows) <= self.learning.search.memory_bytes as u128;
        name != ADDITIVE || (0.5 * width * width * rows as f64 <= MOST_PRODUCTS && is_small)
    }

    /// By `bic`, unless `ev-l0` has earned its choice: the noise variances that it finds are equal within a stated ratio, causes explain
    /// more than a typical two of them may be apart, and by the BIC its graph is within a parent's price of the best, or within what it
    /// saves to have one variance.
    fn by_either(&self, best: Learned, run: &Run<'_>) -> Result<Learned> {
        let with = |reason: String, learned: Learned| Ok(Learned { score_choice: Some(reason), ..learned });
        if run.is_over() {
            return with("there was no time to see whether the noise variances are equal".to_owned(), best);
        }
        let other = self.by_score(EV_L0, run)?;
        if other.ending.is_early() {
            return with("there was no time to see whether the noise variances are equal".to_owned(), best);
        }
        let variances = NoiseVariances::of(self.gram, &other.dag);
        let price = best.price.unwrap_or_default();
        let gap = self.bic_of(&other.dag, price)? - best.score.unwrap_or_default();
        let evaluations = best.evaluations + other.evaluations;
        let range = format!("noise variances under ev-l0 {variances}");
        if !variances.are_equal() {
            return with(format!("{range}, so that they may differ"), Learned { evaluations, ..best });
        }
        if let Some(explained) = variances.too_little() {
            let reason = format!(
                "{range}, and causes explain too little for them to tell directions: the middle effect varies {explained:.1} \
                 times as much as its noise"
            );
            return with(reason, Learned { evaluations, ..best });
        }
        if gap > price.max(variances.saving()) {
            let reason = format!("{range}, but by the bic the graph of ev-l0 is {gap:.1} worse");
            return with(reason, Learned { evaluations, ..best });
        }
        let reason =
            format!("{range}, and its graph is as good by the bic: directions rest on equal variances");
        with(reason, Learned { evaluations, ..other })
    }

    /// The score `bge`, if there is memory for it.
    fn marginal_likelihood(&self, run: &Run<'_>) -> Result<Arc<dyn LocalScore>> {
        let needed = Bge::bytes_needed(self.gram);
        if needed > self.learning.search.memory_bytes as u128 {
            let reason = format!(
                "is too small: bge needs {} MiB, a matrix for each column that was set",
                1 + (needed >> 20)
            );
            return Err(Error::Misfit { setting: "memory", reason });
        }
        Bge::local(self.gram, run)
    }

    /// What the BIC says of a graph at a price of a parent.
    fn bic_of(&self, dag: &Dag, price: f64) -> Result<f64> {
        let score = Bic::new(Arc::clone(self.gram), &ScoreSettings::priced(price))?;
        let parents = |node: usize| dag.parents(node).iter().copied().collect::<NodeSet>();
        Ok((0..dag.nodes()).map(|node| score.cost(node, &parents(node))).sum())
    }

    fn by_score(&self, name: &str, run: &Run<'_>) -> Result<Learned> {
        let Self { learning, gram } = self;
        let mut met = None;
        let price = match learning.numbers.penalty {
            _ if ![BIC, NON_GAUSSIAN].contains(&name) => None,
            Some(factor) => Some(0.5 * factor * ln(gram.rows() as f64)),
            None => {
                let fitted = fitting_price(gram, run)?;
                met = fitted.met;
                Some(fitted.value)
            }
        };
        let Some((score, own)) = self.score_of(name, price, run)? else {
            let ending = run.ending().unwrap_or(Ending::Finished);
            let bounds = learning.bounds_of(gram.nodes());
            let dag = bounds.least();
            return Ok(unscored(learning, dag.clone(), bounds.orient(&dag), 0, ending));
        };
        let found = self.search(&score, own.or(met).as_ref(), run)?;
        let found = self.with_posterior(found, &score, run)?;
        let basis = match name {
            EV_L0 => Some(Basis::equal_variances(&NoiseVariances::of(gram, &found.dag))),
            _ => found.basis,
        };
        Ok(Learned { price, basis, ..found })
    }

    /// A search over orders on a score, with what was met before in case it ends early. Where it has no lines of its own, weights are
    /// those of least squares.
    fn search(
        &self,
        score: &Arc<dyn LocalScore>,
        met: Option<&OrderSolution>,
        run: &Run<'_>,
    ) -> Result<Learned> {
        let Self { learning, gram } = self;
        let task = learning.task(&Observations::Numbers(Arc::clone(gram)));
        let found = learning.by_orders(score, &SearchTask { first: by_variance(gram), ..task }, met, run)?;
        if score.weights(0, &NodeSet::default()).is_some() {
            return Ok(found);
        }
        let lines = Bic::new(Arc::clone(gram), &ScoreSettings::default())?;
        Ok(Learned { dag: weighted(&lines, &found.dag, &learning.bounds_of(gram.nodes()))?, ..found })
    }

    /// The score of this name, its parents at a price, and the graph met while one was sought; none if the run is over before it is made.
    fn score_of(&self, name: &str, price: Option<f64>, run: &Run<'_>) -> Result<Option<ScoreAndMet>> {
        let settings = self.settings(name, price, run);
        match name {
            ADDITIVE => {
                self.check_memory()?;
                let factor = self.learning.numbers.penalty;
                let Some(score) = additive(self.gram, factor, run)? else { return Ok(None) };
                // Beside the BIC, edges cost what they cost there.
                let usual = 0.5 * ln(self.gram.rows() as f64);
                if let Some(price) = price {
                    return Ok(Some((Arc::new(score.priced((price - usual).max(0.0))), None)));
                }
                let Fitted { value, met } = fitting(score, factor, run)?;
                Ok(Some((Arc::new(value), met)))
            }
            BGE => Ok(Some((self.marginal_likelihood(run)?, None))),
            _ => Ok(Some((score_by_name(name, Arc::clone(self.gram), &settings)?, None))),
        }
    }

    fn settings(&self, name: &str, price: Option<f64>, run: &Run<'_>) -> ScoreSettings {
        let Self { learning, gram } = self;
        let defaults = ScoreSettings::default();
        // The score would make the same estimate by itself, but not stop when told.
        let estimate = || (name == EV_L0).then(|| estimate_noise_variance(gram, run));
        ScoreSettings {
            lambda: learning.numbers.lambda.unwrap_or(defaults.lambda),
            noise_variance: learning.numbers.noise_variance.or_else(estimate),
            penalty_factor: learning.numbers.penalty,
            price,
            ..defaults
        }
    }

    /// Whether there is memory for the functions of additive models.
    fn check_memory(&self) -> Result<()> {
        let needed = additive_bytes(self.gram.nodes(), self.gram.rows());
        if needed > self.learning.search.memory_bytes as u128 {
            let reason = format!(
                "is too small: the functions of these columns need {} MiB; give more, or fewer rows",
                needed >> 20
            );
            return Err(Error::Misfit { setting: "memory", reason });
        }
        Ok(())
    }

    /// The same graph with the probabilities of edges, if they are wanted and there is time for them.
    fn with_posterior(&self, found: Learned, score: &Arc<dyn LocalScore>, run: &Run<'_>) -> Result<Learned> {
        let Self { learning, gram } = self;
        if !learning.search.posterior || run.is_over() {
            return Ok(found);
        }
        let test = FisherZ::new(gram, CANDIDATE_ALPHA)?;
        let posterior = learning.posterior_of(score, &test, &found.dag, run)?;
        let found = found.with_posterior(posterior);
        Ok(Learned { ending: run.ending().unwrap_or(Ending::Finished), ..found })
    }

    /// PC-stable's graph, by partial correlations, with the weights of least squares. Where its edges have no direction, or
    /// contradict each other, a DAG close to them is given.
    fn by_tests(&self, run: &Run<'_>) -> Result<Learned> {
        let Self { learning, gram } = self;
        let test = FisherZ::new(gram, learning.tests.alpha.unwrap_or(METHOD_ALPHA))?;
        let found = learning.test(&test, run);
        let (tests, ending) = (found.tests, found.ending);
        let bounds = learning.bounds_of(gram.nodes());
        let (pattern, dag, p_values) = patterned(found, &bounds)?;
        let score = Bic::new(Arc::clone(gram), &ScoreSettings::default())?;
        let order = dag.topological_order().to_vec();
        let dag = weighted(&score, &dag, &bounds)?;
        Ok(Learned { order, p_values: Some(p_values), ..unscored(learning, dag, pattern, tests, ending) })
    }
}

/// The nodes by their variances, the smallest first: causes tend to vary less than their effects.
fn by_variance(gram: &Gram) -> Vec<usize> {
    let mut order: Vec<usize> = (0..gram.nodes()).collect();
    let variance = |node: usize| gram.of(node).variance(node);
    order.sort_by(|&a, &b| variance(a).total_cmp(&variance(b)));
    order
}
