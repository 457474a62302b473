//! Effects of several causes that are set together, E(outcome | do(a, b, …)). One set to adjust for need not exist there, as what one cause
//! leads to may be what another must be adjusted for; so all regressions, or all tables, between the causes and the outcome are put together.
//! Where directions are open, the graphs of the class are told apart by the parents of all causes together (joint IDA: Nandy, Maathuis and
//! Richardson 2017); graphs that agree on these give the same value, as equivalent models fit the same distribution.

mod linear;
mod tables;

use serde::Serialize;

use super::{Expected, Resampling, Spread, asked};
use crate::dataset::Sample;
use crate::{Cpdag, Dag, Error, Result};

/// Values whose figures all agree to this share are one: graphs that fit the same distribution differ by rounding only.
const SAME: f64 = 1e-9;

/// A question for the effect of several columns on another, all of them set at once.
///
/// - Numbers, and categories beside them: linear models of every column between the causes and the outcome, in which categories are
///   indicators, multiplied along the paths that no other cause lies on.
/// - Categories alone: P(outcome | do(causes)) by exact inference in the fitted network.
///
/// ```
/// use plackett_dag::{Cpdag, Dag, Gram, Observations, Sample, effect::JointQuery};
///
/// // b = 0.5·a + noise, c = 2·a + b + noise: what a does by way of b does not count once b is set too.
/// let moments = vec![1.0, 0.5, 2.5, 0.5, 1.25, 2.25, 2.5, 2.25, 8.25];
/// let names = ["a", "b", "c"].map(String::from).to_vec();
/// let sample = Sample::new(names.clone(), vec![vec![]; 3], Observations::Numbers(Gram::from_matrix(1000, 3, moments)?.into()))?;
/// let graph = Dag::from_parents(vec![vec![], vec![0], vec![0, 1]])?;
/// let found = JointQuery::new(["a", "b"], "c").answer(&names, &Cpdag::of_known(&graph, |_, _| true), &sample)?;
/// let parts: Vec<f64> = found.values[0].parts.iter().map(|part| part.effect).collect();
/// assert!((parts[0] - 2.0).abs() < 1e-12 && (parts[1] - 1.0).abs() < 1e-12);
/// assert!((found.effect.unwrap() - 3.0).abs() < 1e-12);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointQuery {
    /// The columns that are set.
    pub causes: Vec<String>,
    /// The column that is looked at.
    pub outcome: String,
    /// For causes that are categories, the states that they are changed from and to, as (cause, from, to); from the first to the last for
    /// those that are not listed.
    pub changes: Vec<(String, String, String)>,
    /// The state of the outcome whose probability is looked at, if it is a category; the last if not given.
    pub state: Option<String>,
    /// The level of intervals.
    pub level: f64,
}

/// The effect of several columns on another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct JointEffect {
    /// The columns that are set.
    pub causes: Vec<String>,
    /// The column that is looked at.
    pub outcome: String,
    /// What the effect is, in words.
    pub meaning: String,
    /// The effect of changing all causes together, if all graphs of the class have the same.
    pub effect: Option<f64>,
    /// The lower end of the interval: of several values, the lowest of theirs.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// The level of intervals.
    pub level: f64,
    /// For each cause the states that it goes from and to, if it is a category.
    pub changes: Vec<Option<[String; 2]>>,
    /// The state of the outcome whose probability is looked at, if it is a category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The distinct values that graphs of the class give, ascending.
    pub values: Vec<JointValue>,
    /// What resamples say, if they were asked; the interval is then theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resampling: Option<Resampling>,
}

/// A value that a joint effect has in some graphs of a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct JointValue {
    /// The effect of changing all causes together.
    #[serde(flatten)]
    pub whole: Part,
    /// The effect of changing each cause alone while the others are held: numbers wherever they are, categories at the states that they
    /// would be changed from.
    pub parts: Vec<Part>,
    /// The parents that each cause has in these graphs.
    pub parents: Vec<Vec<String>>,
    /// Whether it is zero because no cause leads to the outcome in these graphs.
    pub is_absent: bool,
    /// The rows that the outcome's own regression or table rests on.
    pub rows: f64,
    /// The largest share of cases, once the causes are set, in which a column's parents are as they are in no row: nothing but the prior
    /// speaks there.
    #[serde(skip_serializing_if = "super::is_zero")]
    pub unsupported: f64,
    /// What is expected of the outcome for each combination of states, if all columns concerned are categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<JointLevel>,
}

impl JointValue {
    fn new(parts: Vec<Part>, whole: Part, rows: f64) -> Self {
        let (parents, levels) = (Vec::new(), Vec::new());
        Self { whole, parts, parents, is_absent: false, rows, unsupported: 0.0, levels }
    }
}

/// An effect with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Part {
    /// The effect.
    pub effect: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What is expected of the outcome once the causes are set to states.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointLevel {
    /// The state of each cause.
    pub causes: Vec<String>,
    /// The probability of each state of the outcome.
    pub expected: Vec<Expected>,
}

/// What is asked of one graph, by the numbers of its nodes.
struct Asked<'a> {
    sample: &'a Sample,
    /// The column of each node.
    places: &'a [usize],
    /// The graph without the arrows that point to causes.
    cut: &'a Dag,
    causes: &'a [usize],
    outcome: usize,
    /// For each cause the codes that it goes from and to, if it is a category.
    changes: &'a [Option<(usize, usize)>],
    state: Option<usize>,
    level: f64,
    /// The nodes between the causes and the outcome, and this, in topological order.
    between: &'a [usize],
}

impl Asked<'_> {
    fn labels(&self, node: usize) -> &[String] {
        self.sample.labels(self.places[node])
    }

    fn name(&self, node: usize) -> &str {
        &self.sample.names()[self.places[node]]
    }

    /// The columns of a node's parents, and its own as the last.
    fn family(&self, node: usize) -> Vec<usize> {
        self.cut.parents(node).iter().chain([&node]).map(|&member| self.places[member]).collect()
    }

    fn answer(&self) -> Result<JointValue> {
        if self.between.is_empty() {
            let none = Part { effect: 0.0, standard_error: 0.0, low: 0.0, high: 0.0 };
            let value = JointValue::new(vec![none; self.causes.len()], none, self.sample.total() as f64);
            return Ok(JointValue { is_absent: true, ..value });
        }
        let mut concerned = self.between.iter().flat_map(|&node| self.family(node));
        if concerned.all(|column| !self.sample.is_numeric(column)) {
            tables::answer(self)
        } else {
            linear::answer(self)
        }
    }
}

impl JointQuery {
    /// The effect of `causes` on `outcome`, with intervals of 95 %.
    pub fn new<S: Into<String>>(causes: impl IntoIterator<Item = S>, outcome: impl Into<String>) -> Self {
        Self {
            causes: causes.into_iter().map(Into::into).collect(),
            outcome: outcome.into(),
            changes: Vec::new(),
            state: None,
            level: super::LEVEL,
        }
    }

    /// The effect in the graphs of a class whose nodes have these names; columns of the data are matched by name.
    ///
    /// # Errors
    /// As [`EffectQuery::answer`](super::EffectQuery::answer), and [`Error::Question`] for no cause, for one that is named twice, and where the
    /// class has too many ways to direct the edges at the causes.
    pub fn answer(&self, names: &[String], class: &Cpdag, sample: &Sample) -> Result<JointEffect> {
        asked::check_level(self.level)?;
        let places = sample.places(names)?;
        let (causes, outcome) = asked::nodes(&self.causes, &self.outcome, names)?;
        let changes = self.codes(&causes, &places, sample)?;
        let outcomes = sample.labels(places[outcome]);
        let state = asked::state(self.state.as_deref(), &self.outcome, outcomes)?;
        let mut values: Vec<JointValue> = Vec::new();
        for dag in class.orientations(&causes)? {
            let cut = without_arrows_to(&dag, &causes)?;
            let between: Vec<usize> = cut
                .topological_order()
                .iter()
                .copied()
                .filter(|&node| node == outcome || cut.descendants(node).contains(&outcome))
                .filter(|&node| cut.ancestors(node).iter().any(|before| causes.contains(before)))
                .collect();
            let asked = Asked {
                sample,
                places: &places,
                cut: &cut,
                causes: &causes,
                outcome,
                changes: &changes,
                state,
                level: self.level,
                between: &between,
            };
            let value = asked.answer()?;
            if values.iter().any(|known| is_same(known, &value)) {
                continue;
            }
            let named = |nodes: &[usize]| nodes.iter().map(|&node| names[node].clone()).collect();
            let parents = causes.iter().map(|&cause| named(dag.parents(cause))).collect();
            values.push(JointValue { parents, ..value });
        }
        values.sort_by(|a, b| a.whole.effect.total_cmp(&b.whole.effect));
        let changes: Vec<Option<[String; 2]>> = causes
            .iter()
            .zip(&changes)
            .map(|(&cause, change)| {
                let labels = sample.labels(places[cause]);
                change.map(|(from, to)| [labels[from].clone(), labels[to].clone()])
            })
            .collect();
        let state = state.map(|state| outcomes[state].clone());
        Ok(JointEffect {
            meaning: self.meaning(&changes, state.as_deref()),
            causes: self.causes.clone(),
            outcome: self.outcome.clone(),
            effect: if let [only] = &values[..] { Some(only.whole.effect) } else { None },
            low: values.iter().map(|value| value.whole.low).fold(f64::INFINITY, f64::min),
            high: values.iter().map(|value| value.whole.high).fold(f64::NEG_INFINITY, f64::max),
            level: self.level,
            changes,
            state,
            values,
            resampling: None,
        })
    }

    /// The change of each cause, by codes.
    fn codes(
        &self,
        causes: &[usize],
        places: &[usize],
        sample: &Sample,
    ) -> Result<Vec<Option<(usize, usize)>>> {
        let strangers = self.changes.iter().filter(|change| !self.causes.contains(&change.0));
        let strangers: Vec<String> = strangers.map(|change| change.0.clone()).collect();
        if !strangers.is_empty() {
            return Err(Error::NoSuchColumn { names: strangers, known: self.causes.clone() });
        }
        let one = |(name, &cause): (&String, &usize)| {
            let listed = self.changes.iter().find(|change| &change.0 == name);
            let change = listed.map(|(_, from, to)| (from.as_str(), to.as_str()));
            asked::change(change, name, sample.labels(places[cause]))
        };
        self.causes.iter().zip(causes).map(one).collect()
    }

    fn meaning(&self, changes: &[Option<[String; 2]>], state: Option<&str>) -> String {
        let ways = self.causes.iter().zip(changes).map(|(cause, change)| asked::way(cause, change.as_ref()));
        let ways: Vec<String> = ways.collect();
        format!("{} when {}", asked::what(&self.outcome, state), ways.join(" and "))
    }
}

impl Spread for JointEffect {
    fn extremes(&self) -> (f64, f64) {
        (self.values[0].whole.effect, self.values[self.values.len() - 1].whole.effect)
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

/// Whether all effects agree; their errors may not, as they rest on other regressions.
fn is_same(a: &JointValue, b: &JointValue) -> bool {
    let close = |x: f64, y: f64| (x - y).abs() <= SAME * x.abs().max(y.abs()).max(SAME);
    let mut pairs = a.parts.iter().chain([&a.whole]).zip(b.parts.iter().chain([&b.whole]));
    a.is_absent == b.is_absent && pairs.all(|(a, b)| close(a.effect, b.effect))
}

/// The graph after the causes are set: they no longer follow their parents.
fn without_arrows_to(dag: &Dag, causes: &[usize]) -> Result<Dag> {
    let parents = (0..dag.nodes())
        .map(|node| if causes.contains(&node) { Vec::new() } else { dag.parents(node).to_vec() });
    Dag::from_parents(parents.collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::tests::{covariance, regress, sample_of, weighted};
    use super::*;
    use crate::testing::{Rng, all_dags};
    use crate::{BayesNet, Fitting, NamedDag, Observations};

    /// The effects of each cause in a graph fitted to a covariance, with the others held: sums over the directed paths that no other
    /// cause lies on.
    fn by_paths(dag: &Dag, covariance: &[f64], causes: &[usize], outcome: usize) -> Vec<f64> {
        let d = dag.nodes();
        let effect = |cause: usize| {
            let mut total = vec![0.0; d];
            total[cause] = 1.0;
            for &node in dag.topological_order().iter().filter(|node| !causes.contains(node)) {
                let (slopes, _) = regress(covariance, d, node, dag.parents(node));
                total[node] =
                    dag.parents(node).iter().zip(slopes).map(|(&parent, slope)| slope * total[parent]).sum();
            }
            total[outcome]
        };
        causes.iter().map(|&cause| effect(cause)).collect()
    }

    /// Vectors that differ by more than rounding.
    fn distinct(values: impl IntoIterator<Item = Vec<f64>>) -> Vec<Vec<f64>> {
        let mut found: Vec<Vec<f64>> = Vec::new();
        for value in values {
            let close = |known: &Vec<f64>| known.iter().zip(&value).all(|(a, b)| (a - b).abs() < 1e-9);
            if !found.iter().any(close) {
                found.push(value);
            }
        }
        found
    }

    /// Whether the same vectors are in both, up to rounding.
    fn agree(a: &[Vec<f64>], b: &[Vec<f64>]) -> bool {
        let close = |x: &Vec<f64>, y: &Vec<f64>| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-9);
        a.len() == b.len() && a.iter().all(|x| b.iter().any(|y| close(x, y)))
    }

    fn classes(nodes: usize) -> Vec<Vec<Dag>> {
        let mut classes: BTreeMap<String, Vec<Dag>> = BTreeMap::new();
        for dag in all_dags(nodes) {
            classes.entry(format!("{:?}", Cpdag::of(&dag))).or_default().push(dag);
        }
        classes.into_values().collect()
    }

    /// Every class of up to four nodes and some of five, with and without edges that are known, two causes and three: the values are those
    /// of all its graphs.
    #[test]
    fn values_are_those_of_all_graphs_of_the_class() {
        let mut rng = Rng::new(11);
        let (mut several, mut unadjustable) = (0, 0);
        for nodes in [3, 4, 5] {
            let share = if nodes == 5 { 0.01 } else { 0.6 };
            for members in classes(nodes) {
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
                    for code in 1_usize..1 << nodes {
                        let causes: Vec<usize> = (0..nodes).filter(|node| code >> node & 1 == 1).collect();
                        if !(2..=3).contains(&causes.len()) {
                            continue;
                        }
                        for outcome in (0..nodes).filter(|node| !causes.contains(node)) {
                            let wanted = distinct(
                                members.iter().map(|dag| by_paths(dag, &covariance, &causes, outcome)),
                            );
                            let asked = causes.iter().map(|cause| format!("x{cause}"));
                            let query = JointQuery::new(asked, format!("x{outcome}"));
                            let found = query.answer(&names, &class, &sample).unwrap();
                            let parts =
                                |value: &JointValue| value.parts.iter().map(|part| part.effect).collect();
                            let values = distinct(found.values.iter().map(parts));
                            assert_eq!(
                                values.len(),
                                found.values.len(),
                                "{truth:?} {known:?} {causes:?} {outcome}"
                            );
                            assert!(
                                agree(&values, &wanted),
                                "{truth:?} {causes:?} {outcome}: {values:?} {wanted:?}"
                            );
                            for value in &found.values {
                                let sum: f64 = value.parts.iter().map(|part| part.effect).sum();
                                assert!((value.whole.effect - sum).abs() < 1e-9);
                            }
                            several += usize::from(wanted.len() > 1);
                            // What one cause leads to is what another must be adjusted for: no set adjusts for both.
                            let between = |&node: &usize| {
                                causes.iter().any(|&cause| {
                                    truth.has_edge(cause, node)
                                        && causes.iter().any(|&other| truth.has_edge(node, other))
                                }) && truth.has_edge(node, outcome)
                            };
                            unadjustable +=
                                usize::from((0..nodes).any(|node| between(&node) && !causes.contains(&node)));
                        }
                    }
                }
            }
        }
        assert!(several > 500 && unadjustable > 50, "{several} {unadjustable}");
    }

    /// P(outcome | do(causes)) of a network by summing over all states.
    fn by_sum(network: &BayesNet, set: &[(usize, usize)], outcome: usize) -> Vec<f64> {
        let nodes = network.dag().nodes();
        let mut found = vec![0.0; network.states(outcome).len()];
        let arities: Vec<usize> = (0..nodes).map(|node| network.states(node).len()).collect();
        for code in 0..arities.iter().product::<usize>() {
            let mut rest = code;
            let states: Vec<usize> = arities
                .iter()
                .map(|arity| {
                    let state = rest % arity;
                    rest /= arity;
                    state
                })
                .collect();
            if set.iter().any(|&(node, state)| states[node] != state) {
                continue;
            }
            let free = (0..nodes).filter(|node| set.iter().all(|pair| pair.0 != *node));
            let factor = |node: usize| {
                let parents = network.dag().parents(node);
                let configuration =
                    parents.iter().fold(0, |place, &parent| place * arities[parent] + states[parent]);
                network.row(node, configuration)[states[node]]
            };
            found[states[outcome]] += free.map(factor).product::<f64>();
        }
        found
    }

    /// Categories of three and two states from a random network: the values are those of every graph of the class, fitted and summed over.
    #[test]
    fn probabilities_are_those_of_all_graphs_of_the_class() {
        let mut rng = Rng::new(3);
        let arities = [2, 3, 2, 2];
        let names: Vec<String> = (0..4).map(|node| format!("x{node}")).collect();
        let states: Vec<Vec<String>> =
            arities.map(|arity| (0..arity).map(|state| format!("s{state}")).collect()).to_vec();
        let mut several = 0;
        for members in classes(4) {
            if rng.uniform() > 0.4 {
                continue;
            }
            let Some(truth) = members.iter().max_by_key(|_| rng.uniform().to_bits()) else { continue };
            let tables = (0..4).map(|node| {
                let rows: usize = truth.parents(node).iter().map(|&parent| arities[parent]).product();
                let table: Vec<f64> = (0..rows * arities[node]).map(|_| 0.1 + rng.uniform()).collect();
                let normed = table.chunks_exact(arities[node]).flat_map(|row| {
                    let sum: f64 = row.iter().sum();
                    row.iter().map(move |entry| entry / sum)
                });
                normed.collect()
            });
            let tables = tables.collect();
            let graph = NamedDag::new(names.clone(), truth.clone()).unwrap();
            let network = BayesNet::new(graph, states.clone(), tables).unwrap();
            let rows = network.sample(400, 1, BayesNet::TRAINING).unwrap();
            let sample =
                Sample::new(names.clone(), states.clone(), Observations::Categories(rows.into())).unwrap();
            for (causes, outcome) in [([0, 1], 2), ([2, 0], 3), ([1, 3], 0)] {
                let value = |dag: &Dag| {
                    let graph = NamedDag::new(names.clone(), dag.clone()).unwrap();
                    let fitted = Fitting::default().fit(&graph, &sample).unwrap().to_network().unwrap();
                    let at = |codes: [usize; 2]| {
                        let set = [(causes[0], codes[0]), (causes[1], codes[1])];
                        by_sum(&fitted, &set, outcome)[arities[outcome] - 1]
                    };
                    let last = causes.map(|cause| arities[cause] - 1);
                    let start = at([0, 0]);
                    vec![at([last[0], 0]) - start, at([0, last[1]]) - start, at(last) - start]
                };
                let wanted = distinct(members.iter().map(value));
                let query = JointQuery::new(causes.map(|cause| format!("x{cause}")), format!("x{outcome}"));
                let found = query.answer(&names, &Cpdag::of(truth), &sample).unwrap();
                let parts = |value: &JointValue| {
                    value.parts.iter().chain([&value.whole]).map(|part| part.effect).collect()
                };
                let values = distinct(found.values.iter().map(parts));
                assert!(agree(&values, &wanted), "{truth:?} {causes:?} {outcome}: {values:?} {wanted:?}");
                several += usize::from(wanted.len() > 1);
            }
        }
        assert!(several > 20, "{several}");
    }
}
