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
    search::{Insertion, OrderSolution, cost_of},
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

/// A price, and the best graph met while it was sought: what there is to show if the run ends before another is found.
pub(super) struct Fitted<T> {
    pub(super) value: T,
    pub(super) met: Option<OrderSolution>,
}

/// The price of an edge at which a quick search finds the density that the price is made from. It takes a quarter of the time at
/// most.
fn fitted(
    gamma: f64,
    first: f64,
    run: &Run<'_>,
    score_at: impl Fn(f64) -> Result<Arc<dyn LocalScore>>,
) -> Result<Fitted<f64>> {
    let quarter = run.time_left().map(|time| time / 4);
    let run = run.part(Limits { time: quarter, ..Limits::default() }).unsketched();
    let (mut price, mut met) = (first, None);
    for _ in 0..ROUNDS {
        run.begin("the price of a parent", None);
        let score = score_at(price)?;
        let nodes = score.nodes() as f64;
        let mut oracle = Oracle::new(Arc::clone(&score));
        let quick = Insertion { starts: Some(1), kicks: Some(0), seed: 0 };
        let found = quick.run(&mut oracle, &run);
        let edges: usize = found.parents.iter().map(NodeSet::len).sum();
        let is_over = run.is_over();
        // Cut short it may be worse than the graph of another price.
        let cost = |of: &OrderSolution| cost_of(score.as_ref(), &of.parents).unwrap_or(f64::INFINITY);
        met = met.filter(|met| is_over && cost(met) < cost(&found)).or(Some(found));
        if is_over {
            break;
        }
        let density = (edges as f64 + 1.0) / (nodes * (nodes - 1.0) / 2.0 + 2.0);
        let before = price;
        price = edge_price(gamma, density);
        if (price - before).abs() < CLOSE {
            break;
        }
    }
    Ok(Fitted { value: price, met })
}

/// The price of a parent in the BIC of numbers, the first guess being that of the score itself.
pub(super) fn fitting_price(gram: &Arc<Gram>, run: &Run<'_>) -> Result<Fitted<f64>> {
    let half_log_rows = 0.5 * ln(gram.rows() as f64);
    let first = Bic::new(Arc::clone(gram), &ScoreSettings::default())?.price() - half_log_rows;
    let score_at = |edge: f64| -> Result<Arc<dyn LocalScore>> {
        Ok(Arc::new(Bic::new(Arc::clone(gram), &ScoreSettings::priced(half_log_rows + edge))?))
    };
    let Fitted { value, met } = fitted(GAMMA, first, run, score_at)?;
    Ok(Fitted { value: half_log_rows + value, met })
}

/// The same score of families with a price of an edge that fits, unless a factor of the prices of parameters is given and edges have none.
pub(super) fn fitting<F: Family>(
    score: FamilyLocal<F>,
    factor: Option<f64>,
    run: &Run<'_>,
) -> Result<Fitted<FamilyLocal<F>>> {
    if factor.is_some() {
        return Ok(Fitted { value: score, met: None });
    }
    let first = first_edge_price(score.nodes());
    let score_at = |edge: f64| -> Result<Arc<dyn LocalScore>> { Ok(Arc::new(score.priced(edge))) };
    let Fitted { value, met } = fitted(F::GAMMA, first, run, score_at)?;
    Ok(Fitted { value: score.priced(value), met })
}

#[cfg(test)]
mod tests {
    use std::{
        ops::ControlFlow,
        sync::atomic::{AtomicU64, Ordering},
        time::Duration,
    };

    use plackett::run::{Ending, Progress};

    use super::*;
    use crate::{Bounds, Learned, Learning, Observations};

    fn chain(nodes: usize, correlation: f64) -> Arc<Gram> {
        let power = |steps: usize| (0..steps).map(|_| correlation).product::<f64>();
        let entries = (0..nodes * nodes).map(|at| power((at / nodes).abs_diff(at % nodes)));
        Arc::new(Gram::from_matrix(1000, nodes, entries.collect()).unwrap())
    }

    #[test]
    fn the_price_is_that_of_the_density_found_with_it() {
        // A chain of ten: nine of 45 pairs are joined.
        let gram = chain(10, 0.8);
        let price = fitting_price(&gram, &Run::default()).unwrap().value;
        let density: f64 = 10.0 / 47.0;
        let expected = 0.5 * 1000_f64.ln() + 1.5 * (1.5 * (1.0 - density) / density).ln();
        assert!((price - expected).abs() < 1e-12, "{price} for {expected}");
        // Without edges it is dearer, and never below that of the BIC proper.
        let dear = fitting_price(&chain(10, 0.0), &Run::default()).unwrap().value;
        assert!(dear > price && price > 0.5 * 1000_f64.ln());
        assert_eq!(fitting_price(&chain(2, 0.9), &Run::default()).unwrap().value, 0.5 * 1000_f64.ln());
    }

    /// Learns, interrupted when the quick search of the price has come to its end. Each look at the clock takes a second.
    fn interrupted(learning: &Learning, data: &Observations) -> Learned {
        let looks = AtomicU64::new(0);
        let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
        let mut end = |progress: &Progress| match progress.stage.as_str() {
            "the price of a parent" if progress.done >= 1 => ControlFlow::Break(()),
            "the price of a parent" | "" => ControlFlow::Continue(()),
            stage => panic!("{stage} has begun"),
        };
        let run = Run::by(&clock, Limits::default()).observed(&mut end);
        let learned = learning.run(data, &run).unwrap();
        assert_eq!(learned.ending, Ending::Interrupted);
        learned
    }

    #[test]
    fn whoever_ends_the_look_for_a_price_gets_the_graph_it_has_found() {
        // Of so few columns all orders are searched, of so many some; the graph is the same chain.
        for nodes in [10, 30] {
            let data = Observations::Numbers(chain(nodes, 0.8));
            let learned = interrupted(&Learning::default(), &data);
            let whole = Learning::default().run(&data, &Run::default()).unwrap();
            assert_eq!((learned.cpdag, learned.dag.edge_count()), (whole.cpdag, nodes - 1));
            assert!(learned.price.is_some() && learned.dag.edges().all(|(_, _, weight)| weight > 0.7));

            // What is known holds for it as well.
            let bounds = Bounds::new(nodes, &[(0, 1), (1, 0)], &[(9, 0)], &[]).unwrap();
            let told = Learning { bounds: Some(bounds.clone()), ..Learning::default() };
            let learned = interrupted(&told, &data);
            assert!(bounds.hold(&learned.dag) && learned.dag.edge_count() > nodes / 2);
        }
    }
}
