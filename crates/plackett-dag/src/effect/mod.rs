//! Effects: how much an outcome changes when a cause is set from outside, from a graph, or a class of graphs, and data. Where the class leaves
//! open what causes what, all values that its graphs give are listed, never one of them.

mod adjustment;
mod any;
mod asked;
mod estimate;
mod joint;
mod orientations;
mod resampled;

pub use adjustment::Adjustment;
pub use any::{AnyEffect, AnyQuery};
pub use joint::{JointEffect, JointLevel, JointQuery, JointValue, Part};
pub use resampled::Resampling;

use serde::Serialize;

use crate::dataset::Sample;
use crate::{Cpdag, Dag, Result};
use estimate::Question;
use resampled::Spread;

/// A question for the effect of one column on another.
///
/// - Numbers: how much the mean of the outcome changes when the cause is raised by one, by a linear model of the outcome on the cause and the
///   adjustment set.
/// - Categories: how much the probability of a state of the outcome changes when the cause goes from one state to another, and all
///   P(outcome | do(cause)), by standardization over the strata of the adjustment set.
/// - Both side by side: the same by a linear model in which categories are indicators; of an outcome that is a category, it is one of the
///   probability of its state, with errors that allow for unequal variances.
///
/// ```
/// use plackett_dag::{Cpdag, Dag, Gram, Observations, Sample, effect::EffectQuery};
///
/// // b = 0.5·a + noise, c = 2·a + b + noise
/// let moments = vec![1.0, 0.5, 2.5, 0.5, 1.25, 2.25, 2.5, 2.25, 8.25];
/// let names = ["a", "b", "c"].map(String::from).to_vec();
/// let sample = Sample::new(names, vec![vec![]; 3], Observations::Numbers(Gram::from_matrix(1000, 3, moments)?.into()))?;
/// let graph = Dag::from_parents(vec![vec![], vec![0], vec![0, 1]])?;
/// let known = Cpdag::of_known(&graph, |_, _| true);
/// let found = EffectQuery::new("b", "c").answer(&["a", "b", "c"].map(String::from), &known, &sample)?;
/// assert!((found.effect.unwrap() - 1.0).abs() < 1e-12 && found.adjustment.unwrap() == ["a"]);
/// // If nothing but the class is known, b may have a for a parent, c, both, or neither.
/// let open = EffectQuery::new("b", "c").answer(&["a", "b", "c"].map(String::from), &Cpdag::of(&graph), &sample)?;
/// assert_eq!((open.effect, open.values.len()), (None, 3));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EffectQuery {
    /// The column that is set.
    pub cause: String,
    /// The column that is looked at.
    pub outcome: String,
    /// The states that a category is changed from and to; the first and the last if not given.
    pub change: Option<(String, String)>,
    /// The state of the outcome whose probability is looked at, if it is a category; the last if not given.
    pub state: Option<String>,
    /// Which adjustment set to take.
    pub adjustment: Adjustment,
    /// The level of intervals.
    pub level: f64,
}

/// The default level of intervals.
const LEVEL: f64 = 0.95;

/// The effect of one column on another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Effect {
    /// The column that is set.
    pub cause: String,
    /// The column that is looked at.
    pub outcome: String,
    /// What the effect is, in words.
    pub meaning: String,
    /// The effect, if all graphs of the class have the same.
    pub effect: Option<f64>,
    /// The lower end of the interval: of several values, the lowest of theirs.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// The level of intervals.
    pub level: f64,
    /// What was adjusted for, if it is the same in all graphs of the class.
    pub adjustment: Option<Vec<String>>,
    /// The states that the cause goes from and to, if it is a category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<[String; 2]>,
    /// The state of the outcome whose probability is looked at, if it is a category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The distinct values that graphs of the class give, ascending.
    pub values: Vec<EffectValue>,
    /// What resamples say, if they were asked; the interval is then theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resampling: Option<Resampling>,
}

/// A value that an effect has in some graphs of a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EffectValue {
    /// The effect.
    pub effect: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// What was adjusted for.
    pub adjustment: Vec<String>,
    /// Whether it is zero because the cause does not lead to the outcome in these graphs.
    pub is_absent: bool,
    /// The rows that it rests on.
    pub rows: f64,
    /// The share of rows whose stratum never has one of the two states of the cause: the data say nothing there, and the effect without
    /// adjustment stands in.
    #[serde(skip_serializing_if = "is_zero")]
    pub unsupported: f64,
    /// What is expected of the outcome for each state of a category that is the cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// What is expected of the outcome once the cause is set to a state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Level {
    /// The state.
    pub cause: String,
    /// The mean of numbers, or the probability of each state.
    pub expected: Vec<Expected>,
}

/// The mean of an outcome, or the probability of one of its states.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// The state, if it is a category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The mean, or the probability.
    pub value: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Which change of which state is looked at, by codes.
#[derive(Clone, Copy, Debug)]
struct Shown {
    change: Option<(usize, usize)>,
    state: Option<usize>,
}

impl EffectQuery {
    /// The effect of `cause` on `outcome`, with the optimal adjustment set and intervals of 95 %.
    pub fn new(cause: impl Into<String>, outcome: impl Into<String>) -> Self {
        Self {
            cause: cause.into(),
            outcome: outcome.into(),
            change: None,
            state: None,
            adjustment: Adjustment::default(),
            level: LEVEL,
        }
    }

    /// The effect in the graphs of a class whose nodes have these names; columns of the data are matched by name. A graph whose
    /// directions are all known is a class of its own: [`Cpdag::of_known`].
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`](crate::Error::NoSuchColumn) for nodes that are no columns, and for a cause or an outcome that is no node; [`Error::UnknownCategory`](crate::Error::UnknownCategory) for
    /// states that are none; [`Error::Setting`](crate::Error::Setting) for a level that is not between 0 and 1; [`Error::Question`](crate::Error::Question) where cause and outcome are
    /// the same, where the graph stands for no DAG, and where the data cannot tell.
    pub fn answer(&self, names: &[String], class: &Cpdag, sample: &Sample) -> Result<Effect> {
        asked::check_level(self.level)?;
        let places = sample.places(names)?;
        let (causes, outcome) = asked::nodes(std::slice::from_ref(&self.cause), &self.outcome, names)?;
        let cause = causes[0];
        let change = self.change.as_ref().map(|(from, to)| (from.as_str(), to.as_str()));
        let shown = Shown {
            change: asked::change(change, &self.cause, sample.labels(places[cause]))?,
            state: asked::state(self.state.as_deref(), &self.outcome, sample.labels(places[outcome]))?,
        };
        let mut sets: Vec<Option<Vec<usize>>> = Vec::new();
        let mut values = Vec::new();
        for dag in class.orientations(&causes)? {
            let is_absent = dag.causal_nodes(cause, outcome).is_empty();
            let set =
                (!is_absent).then(|| dag.adjustment_set(cause, outcome, self.adjustment)).transpose()?;
            if sets.contains(&set) {
                continue;
            }
            let columns: Vec<usize> = set.iter().flatten().map(|&node| places[node]).collect();
            let followers = followers(&dag, cause, outcome, set.as_deref().unwrap_or(&[]));
            let followers: Vec<usize> = followers.into_iter().map(|node| places[node]).collect();
            let question = Question {
                sample,
                cause: places[cause],
                outcome: places[outcome],
                set: &columns,
                followers: &followers,
                shown: &shown,
                level: self.level,
            };
            values.push(if is_absent { question.absent() } else { question.answer()? });
            sets.push(set);
        }
        values.sort_by(|a, b| a.effect.total_cmp(&b.effect));
        let only = (values.len() == 1).then(|| values[0].clone());
        let text = |labels: &[String], code: usize| labels[code].clone();
        let (causes, outcomes) = (sample.labels(places[cause]), sample.labels(places[outcome]));
        let change = shown.change.map(|(from, to)| [text(causes, from), text(causes, to)]);
        let state = shown.state.map(|state| text(outcomes, state));
        Ok(Effect {
            meaning: self.meaning(change.as_ref(), state.as_deref()),
            cause: self.cause.clone(),
            outcome: self.outcome.clone(),
            effect: only.as_ref().map(|value| value.effect),
            low: values.iter().map(|value| value.low).fold(f64::INFINITY, f64::min),
            high: values.iter().map(|value| value.high).fold(f64::NEG_INFINITY, f64::max),
            level: self.level,
            adjustment: only.map(|value| value.adjustment),
            change,
            state,
            values,
            resampling: None,
        })
    }

    fn meaning(&self, change: Option<&[String; 2]>, state: Option<&str>) -> String {
        format!("{} when {}", asked::what(&self.outcome, state), asked::way(&self.cause, change))
    }
}

impl Spread for Effect {
    fn extremes(&self) -> (f64, f64) {
        (self.values[0].effect, self.values[self.values.len() - 1].effect)
    }

    fn is_absent(&self) -> bool {
        self.values.iter().all(|value| value.is_absent)
    }

    fn is_open(&self) -> bool {
        self.values.len() > 1
    }

    fn resampled(self, resampling: Resampling) -> Self {
        Self { low: resampling.low, high: resampling.high, resampling: Some(resampling), ..self }
    }
}

/// The nodes that must follow their parents lest a set no longer adjust: all that cause one of those concerned, and these, but for the
/// cause itself.
fn followers(dag: &Dag, cause: usize, outcome: usize, set: &[usize]) -> Vec<usize> {
    let concerned = set.iter().copied().chain([cause, outcome]);
    let mut found: Vec<usize> =
        concerned.flat_map(|node| dag.ancestors(node).into_iter().chain([node])).collect();
    found.sort_unstable();
    found.dedup();
    found.retain(|&node| node != cause);
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::testing::{Rng, all_dags, random_dag};
    use crate::{Gram, Observations};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    /// The covariance of a linear model whose weights are the graph's and whose noise has these variances.
    pub(super) fn covariance(dag: &Dag, noise: &[f64]) -> Vec<f64> {
        let d = dag.nodes();
        // How each node is made of the noises.
        let mut made = vec![vec![0.0; d]; d];
        for &node in dag.topological_order() {
            let mut own = vec![0.0; d];
            own[node] = noise[node].sqrt();
            for (&parent, weight) in dag.parents(node).iter().zip(dag.parent_weights(node)) {
                own.iter_mut().zip(&made[parent]).for_each(|(own, from)| *own += weight * from);
            }
            made[node] = own;
        }
        let product = |a: &Vec<f64>, b: &Vec<f64>| a.iter().zip(b).map(|(x, y)| x * y).sum();
        made.iter().flat_map(|a| made.iter().map(move |b| product(a, b))).collect()
    }

    /// Regression coefficients by elimination on the normal equations, and the residual variance.
    pub(super) fn regress(covariance: &[f64], d: usize, node: usize, on: &[usize]) -> (Vec<f64>, f64) {
        let size = on.len();
        let mut rows: Vec<Vec<f64>> = on
            .iter()
            .map(|&a| on.iter().map(|&b| covariance[a * d + b]).chain([covariance[a * d + node]]).collect())
            .collect();
        for at in 0..size {
            let pivot = rows[at].clone();
            for (other, row) in rows.iter_mut().enumerate() {
                if other != at {
                    let factor = row[at] / pivot[at];
                    row.iter_mut().zip(&pivot).for_each(|(x, y)| *x -= factor * y);
                }
            }
        }
        let slopes: Vec<f64> = (0..size).map(|at| rows[at][size] / rows[at][at]).collect();
        let explained: f64 = on.iter().zip(&slopes).map(|(&a, slope)| slope * covariance[a * d + node]).sum();
        (slopes, covariance[node * d + node] - explained)
    }

    /// The total effect in a graph fitted to a covariance: the sum over directed paths of the products of coefficients.
    fn by_paths(dag: &Dag, covariance: &[f64], cause: usize, outcome: usize) -> f64 {
        let d = dag.nodes();
        let mut total = vec![0.0; d];
        total[cause] = 1.0;
        for &node in dag.topological_order() {
            if node != cause {
                let (slopes, _) = regress(covariance, d, node, dag.parents(node));
                total[node] =
                    dag.parents(node).iter().zip(slopes).map(|(&parent, slope)| slope * total[parent]).sum();
            }
        }
        total[outcome]
    }

    pub(super) fn weighted(dag: &Dag, rng: &mut Rng) -> (Dag, Vec<f64>) {
        let mut weight = || if rng.uniform() < 0.5 { 0.3 + rng.uniform() } else { -0.3 - rng.uniform() };
        let edges: Vec<_> = dag.edges().map(|(from, to, _)| (from, to, weight())).collect();
        let noise = (0..dag.nodes()).map(|_| 0.5 + rng.uniform()).collect();
        (Dag::from_edges(dag.nodes(), edges).unwrap(), noise)
    }

    pub(super) fn sample_of(covariance: Vec<f64>, d: usize) -> (Vec<String>, Sample) {
        let names: Vec<String> = (0..d).map(|node| format!("x{node}")).collect();
        let gram = Gram::from_matrix(1000, d, covariance).unwrap();
        let sample =
            Sample::new(names.clone(), vec![Vec::new(); d], Observations::Numbers(Arc::new(gram))).unwrap();
        (names, sample)
    }

    /// Values that differ by more than rounding, ascending.
    fn distinct(mut values: Vec<f64>) -> Vec<f64> {
        values.sort_by(f64::total_cmp);
        values.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        values
    }

    /// Every class of up to four nodes and some of five, with and without edges that are known: the values are those of all its graphs.
    #[test]
    fn values_are_those_of_all_graphs_of_the_class() {
        let mut rng = Rng::new(5);
        let (mut several, mut known_ones) = (0, 0);
        for nodes in 2..=5 {
            let mut classes: BTreeMap<Vec<_>, Vec<Dag>> = BTreeMap::new();
            for dag in all_dags(nodes) {
                let class = Cpdag::of(&dag);
                let key = [class.directed(), &[(nodes, nodes)], class.undirected()].concat();
                classes.entry(key).or_default().push(dag);
            }
            let share = if nodes == 5 { 0.03 } else { 1.0 };
            for members in classes.values() {
                if rng.uniform() > share {
                    continue;
                }
                let Some(member) = members.iter().max_by_key(|_| rng.uniform().to_bits()) else { continue };
                let (truth, noise) = weighted(member, &mut rng);
                let covariance = covariance(&truth, &noise);
                let (names, sample) = sample_of(covariance.clone(), nodes);
                for known_share in [0.0, 0.4] {
                    let known: Vec<(usize, usize)> = truth
                        .edges()
                        .map(|(from, to, _)| (from, to))
                        .filter(|_| rng.uniform() < known_share)
                        .collect();
                    let class = Cpdag::of_known(&truth, |from, to| known.contains(&(from, to)));
                    let agrees = |dag: &&Dag| known.iter().all(|&(from, to)| dag.has_edge(from, to));
                    let members: Vec<&Dag> = members.iter().filter(agrees).collect();
                    for cause in 0..nodes {
                        for outcome in (0..nodes).filter(|&outcome| outcome != cause) {
                            let wanted = members.iter().map(|dag| by_paths(dag, &covariance, cause, outcome));
                            let wanted = distinct(wanted.collect());
                            for adjustment in [Adjustment::Optimal, Adjustment::Parents, Adjustment::Minimal]
                            {
                                let query = EffectQuery {
                                    adjustment,
                                    ..EffectQuery::new(format!("x{cause}"), format!("x{outcome}"))
                                };
                                let found = query.answer(&names, &class, &sample).unwrap();
                                let values =
                                    distinct(found.values.iter().map(|value| value.effect).collect());
                                assert_eq!(
                                    values.len(),
                                    wanted.len(),
                                    "{truth:?} {known:?} {cause} {outcome}"
                                );
                                for (value, wanted) in values.iter().zip(&wanted) {
                                    assert!((value - wanted).abs() < 1e-9, "{truth:?} {value} {wanted}");
                                }
                                assert_eq!(found.effect.is_some(), found.values.len() == 1);
                            }
                            several += usize::from(wanted.len() > 1);
                            known_ones += usize::from(wanted.len() > 1 && !known.is_empty());
                        }
                    }
                }
            }
        }
        assert!(several > 1000 && known_ones > 100, "{several} {known_ones}");
    }

    /// For weights at random a set adjusts exactly if the coefficient given it is the effect; of the sets that do, the optimal one has
    /// the smallest variance, and of the minimal one nothing can be left out.
    #[test]
    fn adjustment_sets_are_those_that_give_the_effect() {
        let mut rng = Rng::new(6);
        let mut generator = ChaCha8Rng::seed_from_u64(1);
        let mut dags = all_dags(4);
        dags.extend((0..60).map(|_| random_dag(6, 0.4, &mut generator)));
        let mut valid = 0;
        for dag in &dags {
            let d = dag.nodes();
            let (dag, noise) = weighted(dag, &mut rng);
            let covariance = covariance(&dag, &noise);
            for cause in 0..d {
                for outcome in dag.descendants(cause) {
                    let effect = by_paths(&dag, &covariance, cause, outcome);
                    let variance = |set: &[usize]| {
                        let on: Vec<usize> = [cause].into_iter().chain(set.iter().copied()).collect();
                        let (slopes, rest) = regress(&covariance, d, outcome, &on);
                        (slopes[0], rest / regress(&covariance, d, cause, set).1)
                    };
                    let optimal = dag.adjustment_set(cause, outcome, Adjustment::Optimal).unwrap();
                    let (value, least) = variance(&optimal);
                    assert!((value - effect).abs() < 1e-9);
                    for code in 0..1_usize << d {
                        if code >> cause & 1 == 1 || code >> outcome & 1 == 1 {
                            continue;
                        }
                        let set: Vec<usize> = (0..d).filter(|node| code >> node & 1 == 1).collect();
                        let is_valid = dag.is_adjustment_set(cause, outcome, &set).unwrap();
                        let (value, variance) = variance(&set);
                        if is_valid {
                            assert!((value - effect).abs() < 1e-9, "{dag:?} {cause} {outcome} {set:?}");
                            assert!(variance > least - 1e-9, "{dag:?} {cause} {outcome} {set:?}");
                            valid += 1;
                        } else {
                            // What the effect leads to may be given by chance of the graph without harm, if it is no bridge.
                            let harmless = set.iter().any(|node| dag.descendants(cause).contains(node));
                            assert!(
                                harmless || (value - effect).abs() > 1e-9,
                                "{dag:?} {cause} {outcome} {set:?}"
                            );
                        }
                    }
                    let minimal = dag.adjustment_set(cause, outcome, Adjustment::Minimal).unwrap();
                    assert!(dag.is_adjustment_set(cause, outcome, &minimal).unwrap());
                    for code in 0..(1_usize << minimal.len()) - 1 {
                        let part: Vec<usize> = (0..minimal.len())
                            .filter(|at| code >> at & 1 == 1)
                            .map(|at| minimal[at])
                            .collect();
                        assert!(
                            !dag.is_adjustment_set(cause, outcome, &part).unwrap(),
                            "{dag:?} {minimal:?} {part:?}"
                        );
                    }
                }
            }
        }
        assert!(valid > 5000, "{valid}");
    }
}
