//! Learning from numbers and categories side by side, and from incomplete data of any kind. Mixed data have scores of their own.
//! What is missing is dealt with by moments (EM), which numbers and mixed data are learned from as if they had been complete; or,
//! for categories alone, by counting each family on the rows in which it is complete.

use std::sync::Arc;

use plackett::run::{Ending, Limits, Run};

use super::{
    CANDIDATE_ALPHA, Learned, Learning, METHOD_ALPHA, NO_TESTS, Observations, ScoreChoice, SearchTask,
    numbers, patterned, refuse, unscored,
};
use crate::{
    Error, Interventions, LocalScore, Mixed, Result,
    em::{Em, Estimation},
    gram::RowSource,
    independence::BlockTest,
    mixed::{Blocks, Layout, MixedColumn},
    score::{
        DISCRETE_SCORES, MIXED_SCORES, SCORES,
        degenerate::DegenerateGaussian,
        family::FamilyLocal,
        mixed::{Price, conditional_gaussian, node_average, own_gaussians},
        weigh_by_cost,
    },
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
    if learning.method.is_pc() {
        let Some((gaussian, estimation)) = gaussian(learning, data, run)? else {
            return Ok(nothing(learning, None, nodes, run));
        };
        return Ok(Learned { estimation, ..by_block_tests(learning, &gaussian, run)? });
    }
    let (name, choice) = score_name(learning, data)?;
    let wants_posterior = learning.search.posterior;
    refuse(
        &[("posterior", wants_posterior && name == "nal")],
        "needs a score of all rows, and nal counts each family on rows of its own: leave out the incomplete rows, or take dg",
    )?;
    let Some(scored) = score(name, learning, data, run)? else {
        return Ok(nothing(learning, Some(name), nodes, run));
    };
    let found = searched(learning, &Observations::Mixed(Arc::clone(data)), &scored.score, run)?;
    let gaussian = match &scored.gaussian {
        Some(own) => Some(Arc::clone(own)),
        None if wants_posterior && !run.is_over() => {
            gaussian(learning, data, run)?.map(|(gaussian, _)| gaussian)
        }
        None => None,
    };
    let found = with_posterior(learning, found, &scored.score, gaussian.as_deref(), run)?;
    Ok(Learned { score_choice: choice, estimation: scored.estimation, ..found })
}

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
pub(super) fn check(learning: &Learning) -> Result<()> {
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

/// The best graph that is found by orders, each edge with what the score would lose without it.
pub(super) fn searched(
    learning: &Learning,
    data: &Observations,
    score: &Arc<dyn LocalScore>,
    run: &Run<'_>,
) -> Result<Learned> {
    let first: Vec<usize> = (0..data.columns()).collect();
    let found = learning.by_orders(score, &SearchTask { first, ..learning.task(data) }, run)?;
    let dag = found.strengths.clone().unwrap_or(found.dag);
    Ok(Learned { dag, ..found })
}

/// The same graph with the probabilities of edges, if they are wanted and there is time for them.
pub(super) fn with_posterior(
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
    let ScoreChoice::Named(wanted) = &learning.score else {
        return Ok(match (has_numbers, data.is_complete()) {
            (true, true) => (MIXED_SCORES[0].name, Some("the data are mixed".to_owned())),
            (true, false) => {
                ("dg", Some("the data are mixed, and moments are what is known of them".to_owned()))
            }
            (false, true) => ("nal", Some("no column of numbers varies".to_owned())),
            (false, false) => ("nal", Some("the data are categories with missing values".to_owned())),
        });
    };
    let misfit = |reason: String| Err(Error::Misfit { setting: "score", reason });
    let fits: Vec<&str> = match (has_numbers, data.is_complete()) {
        (true, true) => vec!["dg", "cg"],
        (true, false) => vec!["dg"],
        (false, true) => vec!["dg", "cg", "nal"],
        (false, false) => vec!["nal", "dg"],
    };
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

/// A score with what it was made of.
struct Scored {
    score: Arc<dyn LocalScore>,
    /// The score's own, if it is dg.
    gaussian: Option<Arc<DegenerateGaussian>>,
    estimation: Option<Estimation>,
}

/// The score on the data; none if the run is over before it is made.
fn score(name: &str, learning: &Learning, data: &Arc<Mixed>, run: &Run<'_>) -> Result<Option<Scored>> {
    let nodes = data.columns().len();
    let factor = learning.numbers.penalty;
    let price = Price::new(data.total(), nodes, factor)?;
    let score: Arc<dyn LocalScore> = match name {
        "cg" => conditional_gaussian(data, price, factor)?,
        "nal" => node_average(data, price, factor)?,
        _ => {
            let found = gaussian(learning, data, run)?;
            let Some(own) = own_gaussians(data, factor, run)? else { return Ok(None) };
            return Ok(found.map(|(gaussian, estimation)| Scored {
                score: Arc::new(FamilyLocal::sharing(Arc::clone(&gaussian), nodes).with_own(own)),
                gaussian: Some(gaussian),
                estimation,
            }));
        }
    };
    Ok(Some(Scored { score, gaussian: None, estimation: None }))
}

type Estimated = (Arc<DegenerateGaussian>, Option<Estimation>);

/// The degenerate Gaussian of the data; nothing if the run is over before it is known.
fn gaussian(learning: &Learning, data: &Mixed, run: &Run<'_>) -> Result<Option<Estimated>> {
    let Some((blocks, estimation)) = blocks(learning, data, run)? else { return Ok(None) };
    let price = Price::new(blocks.rows, data.columns().len(), learning.numbers.penalty)?;
    Ok(Some((Arc::new(DegenerateGaussian::new(blocks, price)?), estimation)))
}

/// The moments of the columns and indicators; nothing if the run is over before they are known.
fn blocks(learning: &Learning, data: &Mixed, run: &Run<'_>) -> Result<Option<(Blocks, Option<Estimation>)>> {
    check_memory(learning, Layout::of(data).width())?;
    if data.is_complete() {
        return Ok(Blocks::of(data, run)?.map(|blocks| (blocks, None)));
    }
    estimate(data, run).map(Some)
}

/// Whether there is memory for the moments of so many columns and indicators.
pub(super) fn check_memory(learning: &Learning, columns: usize) -> Result<()> {
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
        score_name: name.map(str::to_owned),
        ..unscored(learning, dag.clone(), bounds.orient(&dag), 0, ending)
    }
}

/// PC-stable's graph, by likelihood ratios of the degenerate Gaussian.
pub(super) fn by_block_tests(
    learning: &Learning,
    gaussian: &Arc<DegenerateGaussian>,
    run: &Run<'_>,
) -> Result<Learned> {
    let test = BlockTest::new(gaussian, learning.tests.alpha.unwrap_or(METHOD_ALPHA))?;
    let found = learning.test(&test, run);
    let (tests, ending) = (found.tests, found.ending);
    let (pattern, dag, p_values) = patterned(found, &learning.bounds_of(gaussian.nodes()))?;
    let order = dag.topological_order().to_vec();
    let dag = weigh_by_cost(&FamilyLocal::sharing(Arc::clone(gaussian), gaussian.nodes()), &dag)?;
    Ok(Learned { order, p_values: Some(p_values), ..unscored(learning, dag, pattern, tests, ending) })
}
