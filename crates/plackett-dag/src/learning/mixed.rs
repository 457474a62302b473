//! Learning from numbers and categories side by side, and from incomplete data of any kind. Mixed data have scores of their own, of
//! which the data choose one. What is missing is dealt with by moments (EM), which numbers and mixed data are learned from as if they had
//! been complete; or, for categories alone, by drawing it from the graph learned before until that stays the same.

use std::sync::Arc;

use plackett::{
    elementary::ln,
    run::{Ending, Limits, Run},
};

use super::{
    CANDIDATE_ALPHA, Learned, Learning, METHOD_ALPHA, NO_TESTS, Observations, ScoreChoice, SearchSettings,
    SearchTask,
    method::INSERTION,
    numbers, patterned,
    price::{Fitted, fitting},
    refuse, unscored,
};
use crate::{
    Error, Interventions, JointMoments, LocalScore, Mixed, NodeSet, Oracle, OrderSolution, Result,
    completion::Completion,
    em::{Em, Estimation},
    gram::RowSource,
    independence::BlockTest,
    metrics::shd_cpdag,
    mixed::{Blocks, Layout, MixedColumn},
    score::{
        Completed, DISCRETE_SCORES, MIXED_SCORES, SCORES,
        degenerate::DegenerateGaussian,
        family::{Family, FamilyLocal},
        mixed::{Price, conditional_gaussian, conditional_gaussian_of_moments, node_average, own_gaussians},
        weigh_by_cost,
    },
    search::Insertion,
};

/// Learns a graph from mixed or incomplete data.
pub(super) fn learn(learning: &Learning, data: &Arc<Mixed>, run: &Run<'_>) -> Result<Learned> {
    let nodes = data.columns().len();
    if let Some(told) = data.interventions() {
        check_kept(learning, data, told)?;
    }
    if data.is_numeric() == Some(true) {
        let (blocks, estimation) = estimate(data, run)?;
        let mut gram = blocks.gram;
        if let Some(told) = data.interventions() {
            let values = |row: usize, target: &mut [f64]| {
                for (value, column) in target.iter_mut().zip(data.columns()) {
                    if let MixedColumn::Numbers(numbers) = column {
                        *value = numbers[row];
                    }
                }
            };
            let rows = RowSource { values, weight: |row| (data.weight(row), 1) };
            gram = gram.intervened(told, data.rows(), &rows, data.centering())?;
        }
        let learned = numbers::learn(learning, &Arc::new(gram), run)?;
        return Ok(Learned { estimation, ..learned });
    }
    check(learning)?;
    let source = Source::Rows(data);
    if learning.method.is_pc() {
        return by_block_tests(learning, &source, run);
    }
    let (wanted, choice) = score_name(learning, data)?;
    refuse(
        &[("posterior", learning.search.posterior && !["dg", "cg", AUTO].contains(&wanted))],
        "needs a score of all rows, and values of categories are missing: leave out the incomplete rows, or take dg",
    )?;
    let found = match wanted {
        "qnml" => by_completion(learning, data, run)?,
        name => by_name(name, learning, &source, run)?,
    };
    let Some(found) = found else { return Ok(nothing(learning, Some(wanted), nodes, run)) };
    Ok(Learned { score_choice: found.score_choice.or(choice), ..found })
}

/// Learns a graph from the moments of mixed data, as from their rows, by what they serve: the score `dg`, the tests of blocks, and the
/// score `cg` if the combinations of categories are few.
pub(super) fn learn_joint(learning: &Learning, data: &Arc<JointMoments>, run: &Run<'_>) -> Result<Learned> {
    let nodes = data.columns();
    if (0..nodes).all(|column| data.is_numeric(column)) {
        return numbers::learn(learning, &Arc::new(data.gram()?), run);
    }
    check(learning)?;
    let source = Source::Moments(data);
    if learning.method.is_pc() {
        return by_block_tests(learning, &source, run);
    }
    let has_cells = data.cells().is_some();
    let (wanted, choice) = match &learning.score {
        ScoreChoice::Named(name) if name == "dg" => ("dg", None),
        ScoreChoice::Named(name) if name == "cg" && has_cells => ("cg", None),
        ScoreChoice::Named(name) => {
            let reason = if has_cells {
                "these serve dg and cg"
            } else {
                "these serve dg alone, the combinations of categories being too many for cg"
            };
            let reason = format!(
                "{name} does not fit: of statistics and of rows beyond memory the moments are known, and where numbers and categories stand side by side {reason}"
            );
            return Err(Error::Misfit { setting: "score", reason });
        }
        _ if has_cells => (AUTO, None),
        _ => ("dg", Some("the data are mixed, and moments are what is known of them".to_owned())),
    };
    let found = by_name(wanted, learning, &source, run)?;
    let Some(found) = found else { return Ok(nothing(learning, Some(wanted), nodes, run)) };
    Ok(Learned { score_choice: found.score_choice.or(choice), ..found })
}

/// Where scores of mixed data come from.
enum Source<'a> {
    Rows(&'a Arc<Mixed>),
    Moments(&'a Arc<JointMoments>),
}

impl Source<'_> {
    fn observations(&self) -> Observations {
        match *self {
            Self::Rows(data) => Observations::Mixed(Arc::clone(data)),
            Self::Moments(data) => Observations::Joint(Arc::clone(data)),
        }
    }

    fn nodes(&self) -> usize {
        self.observations().columns()
    }

    fn is_numeric(&self, node: usize) -> bool {
        match self {
            Self::Rows(data) => data.columns()[node].is_numeric(),
            Self::Moments(data) => data.is_numeric(node),
        }
    }

    /// What all rows together stand for.
    fn total(&self) -> f64 {
        match self {
            Self::Rows(data) => data.total(),
            Self::Moments(data) => data.rows() as f64,
        }
    }

    /// The degenerate Gaussian of the data; nothing if the run is over before it is known.
    fn gaussian(&self, learning: &Learning, run: &Run<'_>) -> Result<Option<Estimated>> {
        let found = match self {
            Self::Rows(data) => blocks(learning, data, run)?,
            Self::Moments(data) => {
                check_memory(learning, data.width())?;
                Some((data.blocks()?, None))
            }
        };
        let Some((blocks, estimation)) = found else { return Ok(None) };
        let price = Price::new(blocks.rows, learning.numbers.penalty)?;
        Ok(Some((Arc::new(DegenerateGaussian::new(blocks, price)?), estimation)))
    }

    /// The score of this name, with a price that fits; none if the run is over before it is made.
    fn score(&self, name: &str, learning: &Learning, run: &Run<'_>) -> Result<Option<Scored>> {
        let factor = learning.numbers.penalty;
        let plain = (None, None);
        let score = match (name, self) {
            ("cg", Self::Rows(data)) => {
                scored(conditional_gaussian(data, factor)?, self.total(), plain, factor, run)
            }
            ("cg", Self::Moments(data)) => {
                let Some(score) = conditional_gaussian_of_moments(data, factor)? else { return Ok(None) };
                scored(score, self.total(), plain, factor, run)
            }
            ("nal", Self::Rows(data)) => {
                scored(node_average(data, factor)?, self.total(), plain, factor, run)
            }
            _ => {
                let own = match self {
                    Self::Rows(data) => own_gaussians(data, factor, run)?,
                    Self::Moments(_) => Some(Vec::new()),
                };
                let (Some(own), Some((gaussian, estimation))) = (own, self.gaussian(learning, run)?) else {
                    return Ok(None);
                };
                let score = FamilyLocal::sharing(Arc::clone(&gaussian), self.nodes()).with_own(own);
                let rows = estimation.map_or(self.total(), |estimation| estimation.effective_rows);
                scored(score, rows, (Some(gaussian), estimation), factor, run)
            }
        };
        score.map(Some)
    }
}

/// The graph by one score, or by that which the data choose; nothing if the run is over before there is one.
fn by_name(name: &str, learning: &Learning, source: &Source<'_>, run: &Run<'_>) -> Result<Option<Learned>> {
    match name {
        AUTO => chosen(learning, source, run),
        name => Ok(by_score(name, learning, source, None, run)?.map(|(found, _)| found)),
    }
}

/// The graph by one score, from an order to begin with if there is one, and the score; nothing if the run is over before there is
/// one.
fn by_score(
    name: &str,
    learning: &Learning,
    source: &Source<'_>,
    start: Option<&[usize]>,
    run: &Run<'_>,
) -> Result<Option<(Learned, Scored)>> {
    let Some(scored) = source.score(name, learning, run)? else { return Ok(None) };
    let found = searched(learning, &source.observations(), &scored.score, start, scored.met.as_ref(), run)?;
    let gaussian = match &scored.gaussian {
        Some(own) => Some(Arc::clone(own)),
        None if learning.search.posterior && !run.is_over() => {
            source.gaussian(learning, run)?.map(|(gaussian, _)| gaussian)
        }
        None => None,
    };
    let found = with_posterior(learning, found, &scored.score, gaussian.as_deref(), run)?;
    Ok(Some((Learned { estimation: scored.estimation, price: Some(scored.price), ..found }, scored)))
}

/// The graph by `dg` or by `cg`, whichever describes the numbers better: both say how likely a number is given its parents, one
/// with one linear model for all rows, one with a model for each combination of categories. Both are asked about both graphs.
fn chosen(learning: &Learning, source: &Source<'_>, run: &Run<'_>) -> Result<Option<Learned>> {
    // Probabilities of edges, and graphs by methods that take long, are found once it is known by which score.
    let search = SearchSettings { posterior: false, ..learning.search };
    let plain = Learning { method: &INSERTION, search, ..learning.clone() };
    let Some((by_dg, dg)) = by_score("dg", &plain, source, None, run)? else { return Ok(None) };
    let other = if run.is_over() { None } else { by_score("cg", &plain, source, Some(&by_dg.order), run)? };
    let Some((by_cg, cg)) = other.filter(|_| !run.is_over()) else { return Ok(Some(by_dg)) };
    let mut saved = 0.0;
    for dag in [&by_dg.dag, &by_cg.dag] {
        for node in (0..dag.nodes()).filter(|&node| source.is_numeric(node)) {
            let parents: NodeSet = dag.parents(node).iter().copied().collect();
            let costs = dg.plain.cost(node, &parents).zip(cg.plain.cost(node, &parents));
            // A linear model has a mean and a variance too, which dg does not charge for as all graphs have them.
            saved += costs.map_or(0.0, |(one, each)| one + ln(source.total()) - each);
        }
    }
    let (found, scored, reason) = if saved > 0.0 {
        (
            by_cg,
            cg,
            "the data are mixed, and numbers are told better by a model for each combination of categories",
        )
    } else {
        (by_dg, dg, "the data are mixed, and numbers are told better by one linear model")
    };
    let choice = Some(format!("{reason}, by {:.0} nats", 0.5 * saved.abs()));
    if learning.method.name != INSERTION.name {
        let name = found.score_name.as_deref().unwrap_or("dg");
        let found = by_score(name, learning, source, None, run)?;
        return Ok(found.map(|(found, _)| Learned { score_choice: choice, ..found }));
    }
    let gaussian = if learning.search.posterior { source.gaussian(learning, run)? } else { None };
    let gaussian = gaussian.map(|(gaussian, _)| gaussian);
    let found = with_posterior(learning, found, &scored.score, gaussian.as_deref(), run)?;
    Ok(Some(Learned { score_choice: choice, ..found }))
}

/// The graph by qNML of categories with missing values, which are drawn from the graph before until it stays the same; nothing if
/// the run is over before there is one.
fn by_completion(learning: &Learning, data: &Arc<Mixed>, run: &Run<'_>) -> Result<Option<Learned>> {
    let nodes = data.columns().len();
    let mut completion = Completion::new(data, learning.seed)?;
    let effective_rows = data.effective_rows();
    let quick = Insertion { starts: Some(1), kicks: Some(0), seed: learning.seed };
    // What is drawn without an edge speaks against it, so the first graph has rather too many: a parameter costs 1, as in the AIC.
    let first = node_average(data, Some(2.0 / ln(effective_rows.max(2.0))))?;
    let mut oracle = Oracle::new(Arc::new(first)).within(learning.bounds_of(nodes))?;
    let mut known = quick.run(&mut oracle, run);
    let mut estimation =
        Estimation { iterations: 0, change: f64::INFINITY, is_converged: false, effective_rows };
    let mut score = None;
    while !estimation.is_converged && estimation.iterations < MOST_ROUNDS {
        if completion.draw(&known.parents, run).is_none() {
            break;
        }
        let weights = completion.weights().map(<[u32]>::to_vec);
        let completed = Completed::new(completion.columns().to_vec(), weights, effective_rows);
        let drawn: Arc<dyn LocalScore> = Arc::new(FamilyLocal::new(completed, nodes));
        let mut oracle = Oracle::new(Arc::clone(&drawn)).within(learning.bounds_of(nodes))?;
        let found = quick.improve(&mut oracle, &known.order, run)?;
        score = Some(drawn);
        let edges = known.parents.iter().map(NodeSet::len).sum::<usize>().max(1);
        estimation.change = shd_cpdag(&known.dag()?, &found.dag()?)? as f64 / edges as f64;
        estimation.is_converged = estimation.change == 0.0;
        estimation.iterations += 1;
        known = found;
    }
    let Some(score) = score else { return Ok(None) };
    let data = Observations::Mixed(Arc::clone(data));
    let found = searched(learning, &data, &score, Some(&known.order), Some(&known), run)?;
    Ok(Some(Learned { estimation: Some(estimation), ..found }))
}

/// Rounds in which a graph is learned from what was drawn from the one before.
const MOST_ROUNDS: usize = 8;

/// Whether the rows in which columns were not set from outside can serve: complete ones, unless they are categories, which take a
/// copy for each column that was.
fn check_kept(learning: &Learning, data: &Mixed, told: &Interventions) -> Result<()> {
    let misfit = |setting: &'static str, reason: String| Err(Error::Misfit { setting, reason });
    if !data.is_complete() && data.is_numeric() != Some(false) {
        let reason =
            "need rows in which nothing is missing: leave out those in which something is".to_owned();
        return misfit("interventions", reason);
    }
    let values = data.rows() * data.columns().len() * told.targets().len();
    let needed = values * size_of::<f64>();
    if data.is_numeric().is_none() && needed > learning.search.memory_bytes {
        let reason = format!(
            "is too small: the rows of {} columns that were set need {} MiB",
            told.targets().len(),
            needed >> 20
        );
        return misfit("memory", reason);
    }
    Ok(())
}

/// Refuses the settings that are for other data, or for another method.
fn check(learning: &Learning) -> Result<()> {
    let (numbers, categories) = (&learning.numbers, &learning.categories);
    refuse(
        &[("lambda", numbers.lambda.is_some()), ("noise_variance", numbers.noise_variance.is_some())],
        "is for columns of numbers alone",
    )?;
    refuse(&categories.given(), "is for complete columns of categories alone")?;
    if learning.method.is_pc() {
        return refuse(
            &[
                ("score", matches!(learning.score, ScoreChoice::Named(_))),
                ("penalty", numbers.penalty.is_some()),
                ("posterior", learning.search.posterior),
            ],
            "is for searches over orders, and pc tests independences instead",
        );
    }
    refuse(&learning.tests.given(), NO_TESTS)
}

/// The best graph that is found by orders, that given to begin with among them, each edge with what the score would lose without it.
fn searched(
    learning: &Learning,
    data: &Observations,
    score: &Arc<dyn LocalScore>,
    start: Option<&[usize]>,
    met: Option<&OrderSolution>,
    run: &Run<'_>,
) -> Result<Learned> {
    let task = learning.task(data);
    let first: Vec<usize> = start.map_or_else(|| (0..data.columns()).collect(), <[usize]>::to_vec);
    let start = task.start.or_else(|| start.map(<[usize]>::to_vec));
    let found = learning.by_orders(score, &SearchTask { first, start, ..task }, met, run)?;
    let dag = found.strengths.clone().unwrap_or(found.dag);
    Ok(Learned { dag, ..found })
}

/// The same graph with the probabilities of edges, if they are wanted and there is time for them.
fn with_posterior(
    learning: &Learning,
    found: Learned,
    score: &Arc<dyn LocalScore>,
    gaussian: Option<&DegenerateGaussian>,
    run: &Run<'_>,
) -> Result<Learned> {
    let is_wanted = learning.search.posterior && !run.is_over();
    let posterior = match gaussian.filter(|_| is_wanted) {
        Some(gaussian) => {
            let test = BlockTest::new(gaussian, CANDIDATE_ALPHA)?;
            learning.posterior_of(score, &test, &found.dag, run)?
        }
        None => None,
    };
    let found = found.with_posterior(posterior);
    Ok(Learned { ending: run.ending().unwrap_or(Ending::Finished), ..found })
}

/// The score's name, and why it is this one if it was not asked for.
fn score_name(learning: &Learning, data: &Mixed) -> Result<(&'static str, Option<String>)> {
    let has_numbers = data.columns().iter().any(MixedColumn::is_numeric);
    let can_be_drawn = learning.numbers.penalty.is_none() && data.interventions().is_none();
    let ScoreChoice::Named(wanted) = &learning.score else {
        return Ok(match (has_numbers, data.is_complete()) {
            (true, true) => (AUTO, Some("the data are mixed".to_owned())),
            (true, false) => {
                ("dg", Some("the data are mixed, and moments are what is known of them".to_owned()))
            }
            (false, true) => ("nal", Some("no column of numbers varies".to_owned())),
            (false, false) if can_be_drawn => {
                ("qnml", Some("the data are categories, of which those missing are drawn".to_owned()))
            }
            (false, false) => ("nal", Some("the data are categories with missing values".to_owned())),
        });
    };
    let misfit = |reason: String| Err(Error::Misfit { setting: "score", reason });
    let fits: Vec<&str> = match (has_numbers, data.is_complete()) {
        (true, true) => vec!["dg", "cg"],
        (true, false) => vec!["dg"],
        (false, true) => vec!["dg", "cg", "nal"],
        (false, false) if can_be_drawn => vec!["qnml", "nal", "dg"],
        (false, false) => vec!["nal", "dg"],
    };
    if wanted == "qnml" && fits.contains(&"qnml") {
        return Ok(("qnml", None));
    }
    match MIXED_SCORES.iter().find(|entry| entry.name == wanted) {
        Some(entry) if fits.contains(&entry.name) => Ok((entry.name, None)),
        Some(_) if has_numbers && wanted == "nal" => {
            misfit("nal does not fit: it counts categories, and there are columns of numbers".to_owned())
        }
        Some(_) => misfit(format!(
            "{wanted} does not fit: it needs complete rows, and values are missing; of incomplete data there are {}",
            fits.join(", ")
        )),
        None => {
            let is_known = SCORES.iter().any(|entry| entry.name == wanted)
                || DISCRETE_SCORES.iter().any(|entry| entry.name == wanted);
            let what = match (is_known, has_numbers) {
                (false, _) => format!("there is no score {wanted}"),
                (true, true) => format!("{wanted} is a score of numbers alone or of categories alone"),
                (true, false) => format!("{wanted} needs complete rows, and values are missing"),
            };
            misfit(format!("{wanted} does not fit: {what}; for these data there are {}", fits.join(", ")))
        }
    }
}

/// Where the score is chosen by the data.
const AUTO: &str = "auto";

/// A score with what it was made of.
struct Scored {
    score: Arc<dyn LocalScore>,
    /// The same without prices of edges.
    plain: Arc<dyn LocalScore>,
    /// Of a parent with one parameter.
    price: f64,
    /// The graph met while the price was sought.
    met: Option<OrderSolution>,
    /// The score's own, if it is dg.
    gaussian: Option<Arc<DegenerateGaussian>>,
    estimation: Option<Estimation>,
}

fn scored<F: Family>(
    score: FamilyLocal<F>,
    rows: f64,
    (gaussian, estimation): (Option<Arc<DegenerateGaussian>>, Option<Estimation>),
    factor: Option<f64>,
    run: &Run<'_>,
) -> Result<Scored> {
    let plain = Arc::new(score.priced(0.0));
    let Fitted { value: score, met } = fitting(score, factor, run)?;
    let price = Price::new(rows, factor)?.parameters(1.0) + score.edge_price();
    Ok(Scored { score: Arc::new(score), plain, price, met, gaussian, estimation })
}

type Estimated = (Arc<DegenerateGaussian>, Option<Estimation>);

/// The moments of the columns and indicators; nothing if the run is over before they are known.
fn blocks(learning: &Learning, data: &Mixed, run: &Run<'_>) -> Result<Option<(Blocks, Option<Estimation>)>> {
    check_memory(learning, Layout::of(data).width())?;
    if data.is_complete() {
        return Ok(Blocks::of(data, run)?.map(|blocks| (blocks, None)));
    }
    estimate(data, run).map(Some)
}

/// Whether there is memory for the moments of so many columns and indicators.
fn check_memory(learning: &Learning, columns: usize) -> Result<()> {
    let needed = Blocks::bytes(columns);
    if needed > learning.search.memory_bytes as u128 {
        let reason = format!(
            "is too small: {columns} columns of indicators need {} MiB; leave out columns of many categories, or give more",
            needed >> 20
        );
        return Err(Error::Misfit { setting: "memory", reason });
    }
    Ok(())
}

/// The moments by EM, which gets at most half of the time, if values are missing.
fn estimate(data: &Mixed, run: &Run<'_>) -> Result<(Blocks, Option<Estimation>)> {
    let half = run.time_left().map(|time| time / 2);
    let part = run.part(Limits { time: half, ..Limits::default() });
    let (blocks, estimation) = Em::default().moments(data, data.centering(), &part)?;
    Ok((blocks, (!data.is_complete()).then_some(estimation)))
}

/// The graph without edges but those that must be there, where there was no time to score any.
fn nothing(learning: &Learning, name: Option<&str>, nodes: usize, run: &Run<'_>) -> Learned {
    let bounds = learning.bounds_of(nodes);
    let dag = bounds.least();
    let ending = run.ending().unwrap_or(Ending::Finished);
    Learned {
        score_name: name.map(|name| if name == AUTO { "dg" } else { name }.to_owned()),
        ..unscored(learning, dag.clone(), bounds.orient(&dag), 0, ending)
    }
}

/// PC-stable's graph, by likelihood ratios of the degenerate Gaussian.
fn by_block_tests(learning: &Learning, source: &Source<'_>, run: &Run<'_>) -> Result<Learned> {
    let Some((gaussian, estimation)) = source.gaussian(learning, run)? else {
        return Ok(nothing(learning, None, source.nodes(), run));
    };
    let test = BlockTest::new(&gaussian, learning.tests.alpha.unwrap_or(METHOD_ALPHA))?;
    let found = learning.test(&test, run);
    let (tests, ending) = (found.tests, found.ending);
    let (pattern, dag, p_values) = patterned(found, &learning.bounds_of(gaussian.nodes()))?;
    let order = dag.topological_order().to_vec();
    let dag = weigh_by_cost(&FamilyLocal::sharing(Arc::clone(&gaussian), gaussian.nodes()), &dag)?;
    let p_values = Some(p_values);
    Ok(Learned { p_values, order, estimation, ..unscored(learning, dag, pattern, tests, ending) })
}
