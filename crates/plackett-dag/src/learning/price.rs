//! The price of a parent in the BIC that fits how dense the graph is: ½ log n + γ·max(0, log(β(1 − π)/π)), π the share of all
//! pairs that are joined. The logarithm is what a graph's prior charges for an edge if each pair is joined with
//! probability π; where edges are many each is cheap, and where they are few a false one has to be unlikely.

use std::sync::Arc;

use plackett::{
    elementary::ln,
    run::{Limits, Run},
};

use crate::{
    Gram, LocalScore, NodeSet, Oracle, Result,
    score::{
        Bic, ScoreSettings,
        family::{Family, FamilyLocal},
        mixed::first_edge_price,
    },
    search::Insertion,
};

/// γ. Of 0.5, 1, 1.5 and 2 it has the least mean distance over 90 kinds of data (10 to 100 nodes, 200 to 5,000 rows, degrees 0
/// to 8, strong and weak effects): 6.1, against 7.0 with ½ log n + (3/2) log d and 33 with ½ log n.
const GAMMA: f64 = 1.5;

/// β: a false edge counts for so many missed ones. With 1 the worst of the sparse kinds of data loses 1.0 of its distance to
/// ½ log n + (3/2) log d, with 1.5 0.3, at the same mean.
const BETA: f64 = 1.5;

/// Rounds in which the density decides on the price and the price on the density; they seldom need more than two.
const ROUNDS: usize = 3;

/// A price closer than this to the one before is the same.
const CLOSE: f64 = 0.05;

/// What an edge of a graph of this density costs beside its parameters.
fn edge_price(gamma: f64, density: f64) -> f64 {
    gamma * ln(BETA * (1.0 - density) / density).max(0.0)
}

/// The price of an edge at which a quick search finds the density that the price is made from. It takes a quarter of the time at
/// most.
fn fitted(
    gamma: f64,
    first: f64,
    run: &Run<'_>,
    score_at: impl Fn(f64) -> Result<Arc<dyn LocalScore>>,
) -> Result<f64> {
    let quarter = run.time_left().map(|time| time / 4);
    let run = run.part(Limits { time: quarter, ..Limits::default() }).unsketched();
    let mut price = first;
    for _ in 0..ROUNDS {
        run.begin("the price of a parent", None);
        let score = score_at(price)?;
        let nodes = score.nodes() as f64;
        let mut oracle = Oracle::new(score);
        let quick = Insertion { starts: Some(1), kicks: Some(0), seed: 0 };
        let found = quick.run(&mut oracle, &run);
        if run.is_over() {
            break;
        }
        let edges: usize = found.parents.iter().map(NodeSet::len).sum();
        let density = (edges as f64 + 1.0) / (nodes * (nodes - 1.0) / 2.0 + 2.0);
        let before = price;
        price = edge_price(gamma, density);
        if (price - before).abs() < CLOSE {
            break;
        }
    }
    Ok(price)
}

/// The price of a parent in the BIC of numbers, the first guess being that of the score itself.
pub(super) fn fitting_price(gram: &Arc<Gram>, run: &Run<'_>) -> Result<f64> {
    let half_log_rows = 0.5 * ln(gram.rows() as f64);
    let first = Bic::new(Arc::clone(gram), &ScoreSettings::default())?.price() - half_log_rows;
    let score_at = |edge: f64| -> Result<Arc<dyn LocalScore>> {
        Ok(Arc::new(Bic::new(Arc::clone(gram), &ScoreSettings::priced(half_log_rows + edge))?))
    };
    Ok(half_log_rows + fitted(GAMMA, first, run, score_at)?)
}

/// The same score of families with a price of an edge that fits, unless a factor of the prices of parameters is given and edges have none.
pub(super) fn fitting<F: Family>(
    score: FamilyLocal<F>,
    factor: Option<f64>,
    run: &Run<'_>,
) -> Result<FamilyLocal<F>> {
    if factor.is_some() {
        return Ok(score);
    }
    let first = first_edge_price(score.nodes());
    let score_at = |edge: f64| -> Result<Arc<dyn LocalScore>> { Ok(Arc::new(score.priced(edge))) };
    Ok(score.priced(fitted(F::GAMMA, first, run, score_at)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(nodes: usize, correlation: f64) -> Arc<Gram> {
        let power = |steps: usize| (0..steps).map(|_| correlation).product::<f64>();
        let entries = (0..nodes * nodes).map(|at| power((at / nodes).abs_diff(at % nodes)));
        Arc::new(Gram::from_matrix(1000, nodes, entries.collect()).unwrap())
    }

    #[test]
    fn the_price_is_that_of_the_density_found_with_it() {
        // A chain of ten: nine of 45 pairs are joined.
        let gram = chain(10, 0.8);
        let price = fitting_price(&gram, &Run::default()).unwrap();
        let density: f64 = 10.0 / 47.0;
        let expected = 0.5 * 1000_f64.ln() + 1.5 * (1.5 * (1.0 - density) / density).ln();
        assert!((price - expected).abs() < 1e-12, "{price} for {expected}");
        // Without edges it is dearer, and never below that of the BIC proper.
        let dear = fitting_price(&chain(10, 0.0), &Run::default()).unwrap();
        assert!(dear > price && price > 0.5 * 1000_f64.ln());
        assert_eq!(fitting_price(&chain(2, 0.9), &Run::default()).unwrap(), 0.5 * 1000_f64.ln());
    }
}
