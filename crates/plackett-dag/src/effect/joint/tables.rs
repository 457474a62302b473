//! Joint effects where all columns concerned are categories: the tables of the outcome and of all that it descends from, once the causes are
//! set, and exact inference with them. The variance is that of Dirichlet posteriors by the delta method: for the rows of a table with
//! probabilities θ that rest on N rows, (Σ θ·g² − (Σ θ·g)²) / (N + 1) with g the derivative of what is asked in θ.

use super::super::{Expected, estimate::quantile};
use super::{Asked, JointLevel, JointValue, Part};
use crate::graph::NamedDag;
use crate::model::fit::table_counts;
use crate::network::Inference;
use crate::{BayesNet, Error, Result, parallel};

/// The equivalent sample size of the prior, as of fitted models.
const ESS: f64 = 1.0;

/// The most combinations of states that are all listed.
const MOST_LEVELS: usize = 64;

/// The network of what matters once the causes are set.
struct Tables {
    network: BayesNet,
    /// For each configuration of a node's parents the rows that have it.
    rows: Vec<Vec<f64>>,
    causes: Vec<usize>,
    outcome: usize,
}

/// What follows from setting the causes to some states.
struct After {
    /// The probabilities of the outcome's states.
    probabilities: Vec<f64>,
    /// For each node, by configuration, state and state of the outcome: the derivative of the outcome's probability in the table's entry.
    slopes: Vec<Vec<f64>>,
    unsupported: f64,
}

pub(super) fn answer(asked: &Asked<'_>) -> Result<JointValue> {
    let tables = Tables::of(asked)?;
    let outcomes = tables.network.states(tables.outcome).len();
    let (from, to): (Vec<usize>, Vec<usize>) =
        asked.changes.iter().map(|change| change.unwrap_or_default()).unzip();
    let state = asked.state.unwrap_or_default();
    let (before, after) = (tables.after(&from)?, tables.after(&to)?);
    let reach = quantile(asked.level, f64::INFINITY);
    let contrast = |later: &After, earlier: &After| {
        let standard_error = tables.variance(state, later, Some(earlier)).sqrt();
        let effect = later.probabilities[state] - earlier.probabilities[state];
        let (low, high) = (effect - reach * standard_error, effect + reach * standard_error);
        Part { effect, standard_error, low: low.max(-1.0), high: high.min(1.0) }
    };
    let part = |place: usize| {
        let mut alone = from.clone();
        alone[place] = to[place];
        Ok(contrast(&tables.after(&alone)?, &before))
    };
    let parts = (0..from.len()).map(part).collect::<Result<Vec<Part>>>()?;
    let expected = |after: &After, outcome: usize| {
        let (value, deviation) =
            (after.probabilities[outcome], reach * tables.variance(outcome, after, None).sqrt());
        let state = Some(tables.network.states(tables.outcome)[outcome].clone());
        Expected { state, value, low: (value - deviation).max(0.0), high: (value + deviation).min(1.0) }
    };
    let level = |states: Vec<usize>| {
        let after = tables.after(&states)?;
        let names = tables.causes.iter().zip(&states);
        Ok(JointLevel {
            causes: names.map(|(&cause, &state)| tables.network.states(cause)[state].clone()).collect(),
            expected: (0..outcomes).map(|outcome| expected(&after, outcome)).collect(),
        })
    };
    let levels = tables.settings().into_iter().map(level).collect::<Result<_>>()?;
    let rows = tables.rows[tables.outcome].iter().sum();
    let unsupported = before.unsupported.max(after.unsupported);
    Ok(JointValue { unsupported, levels, ..JointValue::new(parts, contrast(&after, &before), rows) })
}

impl Tables {
    fn of(asked: &Asked<'_>) -> Result<Self> {
        let mut nodes = asked.cut.ancestors(asked.outcome);
        nodes.extend(asked.causes.iter().chain([&asked.outcome]));
        nodes.sort_unstable();
        nodes.dedup();
        let place = |node: &usize| nodes.binary_search(node).unwrap_or(0);
        let names = nodes.iter().map(|&node| asked.name(node).to_owned()).collect();
        let edges: Vec<(usize, usize, f64)> = nodes
            .iter()
            .flat_map(|node| asked.cut.parents(*node).iter().map(|parent| (place(parent), place(node), 1.0)))
            .collect();
        let graph = NamedDag::from_edges(names, edges)?;
        let mut tables = Vec::with_capacity(nodes.len());
        let mut rows = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let arity = asked.labels(*node).len();
            let mut counts = if asked.causes.contains(node) {
                vec![1.0; arity]
            } else {
                table_counts(&graph, asked.sample, at)
                    .map_err(|problem| Error::Fit { node: asked.name(*node).to_owned(), problem })?
            };
            let cells = counts.len() as f64;
            rows.push(counts.chunks_exact(arity).map(|counts| counts.iter().sum()).collect::<Vec<f64>>());
            for counts in counts.chunks_exact_mut(arity) {
                counts.iter_mut().for_each(|count| *count += ESS / cells);
                let sum: f64 = counts.iter().sum();
                counts.iter_mut().for_each(|count| *count /= sum);
            }
            tables.push(counts);
        }
        let states = nodes.iter().map(|&node| asked.labels(node).to_vec()).collect();
        Ok(Self {
            network: BayesNet::new(graph, states, tables)?,
            rows,
            causes: asked.causes.iter().map(place).collect(),
            outcome: place(&asked.outcome),
        })
    }

    fn arity(&self, node: usize) -> usize {
        self.network.states(node).len()
    }

    /// All combinations of states of the causes, unless they are too many.
    fn settings(&self) -> Vec<Vec<usize>> {
        let arities: Vec<usize> = self.causes.iter().map(|&cause| self.arity(cause)).collect();
        let count = arities.iter().fold(1_usize, |count, &arity| count.saturating_mul(arity));
        if count > MOST_LEVELS {
            return Vec::new();
        }
        let digits = |mut code: usize| {
            let mut states = vec![0; arities.len()];
            for (state, &arity) in states.iter_mut().zip(&arities).rev() {
                *state = code % arity;
                code /= arity;
            }
            states
        };
        (0..count).map(digits).collect()
    }

    fn after(&self, setting: &[usize]) -> Result<After> {
        let name = |node: usize| self.network.names()[node].clone();
        let set = self.causes.iter().zip(setting);
        let set = set.map(|(&cause, &state)| (name(cause), self.network.states(cause)[state].clone()));
        let inference = Inference { set: set.collect(), ..Inference::default() };
        let probabilities = inference.marginal(&self.network, &name(self.outcome))?;
        let one = |node: usize| {
            if self.causes.contains(&node) {
                Ok((Vec::new(), 0.0))
            } else {
                self.slopes(&inference, setting, node)
            }
        };
        let found: Vec<(Vec<f64>, f64)> =
            parallel::map::<_, _, Result<_>>(0..self.network.dag().nodes(), one)?;
        let unsupported = found.iter().map(|found| found.1).fold(0.0, f64::max);
        Ok(After { probabilities, slopes: found.into_iter().map(|found| found.0).collect(), unsupported })
    }

    /// The derivatives in the entries of a node's table, P(node, parents, outcome) / θ, and how probable it is that its parents are as in no row.
    fn slopes(&self, inference: &Inference, setting: &[usize], node: usize) -> Result<(Vec<f64>, f64)> {
        let family: Vec<usize> = self.network.dag().parents(node).iter().copied().chain([node]).collect();
        let fixed =
            |member: usize| self.causes.iter().position(|&cause| cause == member).map(|at| setting[at]);
        let mut free: Vec<usize> = family.iter().copied().filter(|&member| fixed(member).is_none()).collect();
        free.push(self.outcome);
        free.sort_unstable();
        free.dedup();
        let names: Vec<&str> = free.iter().map(|&member| self.network.names()[member].as_str()).collect();
        let joint = inference.joint(&self.network, &names)?;
        let outcomes = self.arity(self.outcome);
        let table = self.network.table(node);
        let mut slopes = vec![0.0; table.len() * outcomes];
        let mut unsupported = 0.0;
        let mut states = vec![0; self.network.dag().nodes()];
        for (mut cell, mass) in joint.into_iter().enumerate() {
            for &member in free.iter().rev() {
                states[member] = cell % self.arity(member);
                cell /= self.arity(member);
            }
            let place = family.iter().fold(0, |place, &member| {
                place * self.arity(member) + fixed(member).unwrap_or(states[member])
            });
            slopes[place * outcomes + states[self.outcome]] += mass / table[place].max(f64::MIN_POSITIVE);
            if self.rows[node][place / self.arity(node)] <= 0.0 {
                unsupported += mass;
            }
        }
        Ok((slopes, unsupported))
    }

    /// The variance of the probability of the outcome's state, or of its difference to what it was.
    fn variance(&self, outcome: usize, after: &After, before: Option<&After>) -> f64 {
        let outcomes = self.arity(self.outcome);
        let mut variance = 0.0;
        for node in (0..self.network.dag().nodes()).filter(|node| !self.causes.contains(node)) {
            let arity = self.arity(node);
            for (configuration, shares) in self.network.table(node).chunks_exact(arity).enumerate() {
                let (mut mean, mut square) = (0.0, 0.0);
                for (state, share) in shares.iter().enumerate() {
                    let place = (configuration * arity + state) * outcomes + outcome;
                    let slope =
                        after.slopes[node][place] - before.map_or(0.0, |before| before.slopes[node][place]);
                    mean += share * slope;
                    square += share * slope * slope;
                }
                variance += (square - mean * mean).max(0.0) / (self.rows[node][configuration] + 1.0);
            }
        }
        variance
    }
}
