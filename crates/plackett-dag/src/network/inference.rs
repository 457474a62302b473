//! Exact inference by variable elimination: P(node | evidence, do(set)). Nodes that neither the question nor the evidence descends from are
//! left out, the others are summed out one by one, the cheapest next; what the largest tables take is known before they are made.

use super::BayesNet;
use crate::error::{Error, Result};
use crate::{NodeSet, parallel};
use plackett::elementary::ln;

/// Bytes that tables may take unless another limit is given.
const MEMORY: usize = 1 << 30;

/// A question for the probabilities of states: what is observed, what is set from outside, and how much memory it may take.
///
/// ```
/// use plackett_dag::{BayesNet, network::Inference};
///
/// let asia = BayesNet::embedded("asia")?;
/// let text = |pairs: &[(&str, &str)]| pairs.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect::<Vec<_>>();
/// let seen = Inference { evidence: text(&[("bronc", "yes")]), ..Inference::default() };
/// let done = Inference { set: text(&[("bronc", "yes")]), ..Inference::default() };
/// // Who has bronchitis smokes more often; giving it to people does not make them smoke.
/// assert!((seen.marginal(&asia, "smoke")?[0] - 0.6667).abs() < 1e-4);
/// assert_eq!(done.marginal(&asia, "smoke")?, [0.5, 0.5]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// Nodes whose states were observed.
    pub evidence: Vec<(String, String)>,
    /// Nodes that are set to states from outside, so that these say nothing of their parents.
    pub set: Vec<(String, String)>,
    /// Bytes that tables may take at a time.
    pub memory_bytes: usize,
}

impl Default for Inference {
    fn default() -> Self {
        Self { evidence: Vec::new(), set: Vec::new(), memory_bytes: MEMORY }
    }
}

impl Inference {
    /// The probabilities of a node's states.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`] for names that are no nodes, [`Error::UnknownCategory`] for states that are none, [`Error::Question`] for
    /// evidence that is impossible or that contradicts what is set, and [`Error::Inference`] if tables take too much memory.
    pub fn marginal(&self, network: &BayesNet, node: &str) -> Result<Vec<f64>> {
        let given = self.given(network)?;
        given.marginal(find(network, node)?)
    }

    /// The same for every node.
    ///
    /// # Errors
    /// As [`marginal`](Self::marginal).
    pub fn marginals(&self, network: &BayesNet) -> Result<Vec<Vec<f64>>> {
        let given = self.given(network)?;
        parallel::map(0..network.dag().nodes(), |node: usize| given.marginal(node))
    }

    /// The probabilities of all combinations of states of some nodes, none of which is observed or set: the nodes in the order of the
    /// network, the states of the last changing fastest.
    ///
    /// # Errors
    /// As [`marginal`](Self::marginal), and [`Error::Question`] for a node that is observed or set.
    ///
    /// ```
    /// use plackett_dag::{BayesNet, network::Inference};
    /// let asia = BayesNet::embedded("asia")?;
    /// let joint = Inference::default().joint(&asia, &["smoke", "bronc"])?;
    /// assert!((joint[0] - 0.5 * 0.6).abs() < 1e-12 && joint.len() == 4);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn joint(&self, network: &BayesNet, nodes: &[&str]) -> Result<Vec<f64>> {
        let given = self.given(network)?;
        let mut targets = nodes.iter().map(|node| find(network, node)).collect::<Result<Vec<usize>>>()?;
        targets.sort_unstable();
        targets.dedup();
        if let Some(&node) = targets.iter().find(|&&node| given.observed[node].is_some()) {
            let reason = format!("\"{}\" is asked for, and its state is given", network.names()[node]);
            return Err(Error::Question { reason });
        }
        given.distribution(&targets)
    }

    /// The logarithm of the probability of the evidence, given what is set.
    ///
    /// # Errors
    /// As [`marginal`](Self::marginal).
    ///
    /// ```
    /// use plackett_dag::{BayesNet, network::Inference};
    /// let asia = BayesNet::embedded("asia")?;
    /// let seen = Inference { evidence: vec![("smoke".into(), "yes".into())], ..Inference::default() };
    /// assert!((seen.log_probability(&asia)?.exp() - 0.5).abs() < 1e-12);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn log_probability(&self, network: &BayesNet) -> Result<f64> {
        let given = self.given(network)?;
        let (_, log) = given.eliminate(&[])?;
        if log == f64::NEG_INFINITY { Err(impossible()) } else { Ok(log) }
    }

    fn given<'a>(&self, network: &'a BayesNet) -> Result<Given<'a>> {
        let nodes = network.dag().nodes();
        let mut given = Given {
            network,
            observed: vec![None; nodes],
            is_set: NodeSet::with_capacity(nodes),
            memory_bytes: self.memory_bytes,
        };
        for (pairs, is_set) in [(&self.set, true), (&self.evidence, false)] {
            for (name, state) in pairs {
                let node = find(network, name)?;
                let code = network.states(node).iter().position(|known| known == state);
                let unknown = || Error::UnknownCategory {
                    column: name.clone(),
                    category: state.clone(),
                    known: network.states(node).to_vec(),
                };
                let code = code.ok_or_else(unknown)?;
                if given.observed[node].is_some_and(|known| known != code) {
                    let reason = format!("\"{name}\" is given two states");
                    return Err(Error::Question { reason });
                }
                given.observed[node] = Some(code);
                if is_set {
                    given.is_set.insert(node);
                }
            }
        }
        Ok(given)
    }
}

fn find(network: &BayesNet, name: &str) -> Result<usize> {
    let known = || Error::NoSuchColumn { names: vec![name.to_owned()], known: network.names().to_vec() };
    network.names().iter().position(|own| own == name).ok_or_else(known)
}

fn impossible() -> Error {
    Error::Question { reason: "the evidence has probability zero".to_owned() }
}

/// A question by the numbers of nodes and states.
struct Given<'a> {
    network: &'a BayesNet,
    observed: Vec<Option<usize>>,
    is_set: NodeSet,
    memory_bytes: usize,
}

/// A table over some nodes, ascending, the states of the last changing fastest.
struct Factor {
    nodes: Vec<usize>,
    values: Vec<f64>,
}

impl Given<'_> {
    fn marginal(&self, node: usize) -> Result<Vec<f64>> {
        if let Some(state) = self.observed[node] {
            // What is known is known, if it is possible at all.
            if self.eliminate(&[])?.1 == f64::NEG_INFINITY {
                return Err(impossible());
            }
            let states = 0..self.network.states(node).len();
            return Ok(states.map(|other| f64::from(u8::from(other == state))).collect());
        }
        self.distribution(&[node])
    }

    /// The probabilities of all combinations of states of nodes that are not observed, ascending.
    fn distribution(&self, targets: &[usize]) -> Result<Vec<f64>> {
        let (values, _) = self.eliminate(targets)?;
        let sum: f64 = values.iter().sum();
        if sum <= 0.0 || sum.is_nan() {
            return Err(impossible());
        }
        Ok(values.into_iter().map(|value| value / sum).collect())
    }

    /// The probabilities of the states of nodes together with the evidence, up to a factor, and the logarithm of their sum.
    fn eliminate(&self, targets: &[usize]) -> Result<(Vec<f64>, f64)> {
        let mut factors = self.factors(targets);
        let order = self.order(&factors, targets)?;
        let mut log: f64 = factors.iter_mut().map(|factor| scale(&mut factor.values)).sum();
        for node in order {
            let (own, others): (Vec<Factor>, Vec<Factor>) =
                factors.into_iter().partition(|factor| factor.nodes.contains(&node));
            factors = others;
            let mut factor = self.sum_out(&own, Some(node));
            log += scale(&mut factor.values);
            factors.push(factor);
        }
        let mut last = self.sum_out(&factors, None);
        log += scale(&mut last.values);
        let sum: f64 = last.values.iter().sum();
        Ok((last.values, log + ln(sum)))
    }

    fn arity(&self, node: usize) -> usize {
        self.network.states(node).len()
    }

    /// The tables of the nodes that matter, with what is observed taken out.
    fn factors(&self, targets: &[usize]) -> Vec<Factor> {
        let dag = self.network.dag();
        // Nodes that the targets and the evidence descend from; what is set descends from nothing.
        let mut matters = NodeSet::with_capacity(dag.nodes());
        let evidence =
            (0..dag.nodes()).filter(|&node| self.observed[node].is_some() && !self.is_set.contains(node));
        let mut waiting: Vec<usize> = targets.iter().copied().chain(evidence).collect();
        while let Some(node) = waiting.pop() {
            if !matters.contains(node) && !self.is_set.contains(node) {
                matters.insert(node);
                waiting.extend(dag.parents(node));
            }
        }
        matters.iter().map(|node| self.table(node)).collect()
    }

    /// The table of a node over those of its family that are not observed.
    fn table(&self, node: usize) -> Factor {
        let family: Vec<usize> = self.network.dag().parents(node).iter().copied().chain([node]).collect();
        let steps = steps(&family.iter().map(|&member| self.arity(member)).collect::<Vec<_>>());
        let mut start = 0;
        let mut free: Vec<(usize, usize)> = Vec::new();
        for (&member, step) in family.iter().zip(steps) {
            match self.observed[member] {
                Some(state) => start += state * step,
                None => free.push((member, step)),
            }
        }
        free.sort_unstable();
        let (nodes, steps): (Vec<usize>, Vec<usize>) = free.into_iter().unzip();
        let arities: Vec<usize> = nodes.iter().map(|&member| self.arity(member)).collect();
        let table = self.network.table(node);
        let mut values = Vec::with_capacity(arities.iter().product());
        walk(&arities, &[steps], &mut |places| values.push(table[start + places[0]]));
        Factor { nodes, values }
    }

    /// The order in which nodes are summed out: always the one whose table would be smallest. Tables that are too large are refused.
    fn order(&self, factors: &[Factor], targets: &[usize]) -> Result<Vec<usize>> {
        let mut scopes: Vec<Vec<usize>> = factors.iter().map(|factor| factor.nodes.clone()).collect();
        let mut left: Vec<usize> = scopes.concat();
        left.sort_unstable();
        left.dedup();
        left.retain(|node| !targets.contains(node));
        let size = |scope: &[usize]| {
            scope.iter().map(|&node| self.arity(node) as u128).fold(1, u128::saturating_mul)
        };
        let merged = |scopes: &[Vec<usize>], node: usize| {
            let mut scope: Vec<usize> =
                scopes.iter().filter(|scope| scope.contains(&node)).flatten().copied().collect();
            scope.sort_unstable();
            scope.dedup();
            scope.retain(|&other| other != node);
            scope
        };
        let mut order = Vec::with_capacity(left.len());
        let mut held: u128 = scopes.iter().map(|scope| size(scope)).fold(0, u128::saturating_add);
        let mut most = held;
        while !left.is_empty() {
            let cost = |&(_, &node): &(usize, &usize)| (size(&merged(&scopes, node)), node);
            let Some((at, &node)) = left.iter().enumerate().min_by_key(cost) else { break };
            let scope = merged(&scopes, node);
            left.remove(at);
            let gone: u128 =
                scopes.iter().filter(|scope| scope.contains(&node)).map(|scope| size(scope)).sum();
            scopes.retain(|scope| !scope.contains(&node));
            most = most.max(held.saturating_add(size(&scope)));
            held = held.saturating_add(size(&scope)).saturating_sub(gone);
            scopes.push(scope);
            order.push(node);
        }
        most = most.max(held.saturating_add(size(targets)));
        let needed_bytes = most.saturating_mul(8);
        if needed_bytes > self.memory_bytes as u128 {
            return Err(Error::Inference { needed_bytes, allowed_bytes: self.memory_bytes });
        }
        Ok(order)
    }

    /// The product of tables, summed over a node.
    fn sum_out(&self, factors: &[Factor], node: Option<usize>) -> Factor {
        let mut nodes: Vec<usize> = factors.iter().flat_map(|factor| factor.nodes.iter().copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.retain(|&other| Some(other) != node);
        let arities: Vec<usize> = nodes.iter().map(|&node| self.arity(node)).collect();
        let mut along = Vec::with_capacity(factors.len());
        let mut across = Vec::with_capacity(factors.len());
        for factor in factors {
            let own = steps(&factor.nodes.iter().map(|&member| self.arity(member)).collect::<Vec<_>>());
            let step =
                |node: usize| factor.nodes.iter().position(|&member| member == node).map_or(0, |at| own[at]);
            along.push(nodes.iter().map(|&node| step(node)).collect::<Vec<_>>());
            across.push(node.map_or(0, step));
        }
        let states = node.map_or(1, |node| self.arity(node));
        let mut values = Vec::with_capacity(arities.iter().product());
        walk(&arities, &along, &mut |places| {
            let term = |state: usize| -> f64 {
                let cells = factors.iter().zip(places).zip(&across);
                cells.map(|((factor, place), step)| factor.values[place + state * step]).product()
            };
            values.push((0..states).map(term).sum());
        });
        Factor { nodes, values }
    }
}

/// How far apart two cells are that differ by one in each place.
fn steps(arities: &[usize]) -> Vec<usize> {
    let mut steps = vec![1; arities.len()];
    for at in (1..arities.len()).rev() {
        steps[at - 1] = steps[at] * arities[at];
    }
    steps
}

/// Visits all cells of a table, the last place changing fastest, with where they are in other tables that have these steps.
fn walk(arities: &[usize], steps: &[Vec<usize>], visit: &mut dyn FnMut(&[usize])) {
    let mut state = vec![0; arities.len()];
    let mut places = vec![0; steps.len()];
    loop {
        visit(&places);
        let mut at = arities.len();
        loop {
            if at == 0 {
                return;
            }
            at -= 1;
            state[at] += 1;
            if state[at] < arities[at] {
                places.iter_mut().zip(steps).for_each(|(place, steps)| *place += steps[at]);
                break;
            }
            places.iter_mut().zip(steps).for_each(|(place, steps)| *place -= steps[at] * (arities[at] - 1));
            state[at] = 0;
        }
    }
}

/// Divides values by the largest, so that products of many stay within what doubles hold, and gives its logarithm.
fn scale(values: &mut [f64]) -> f64 {
    let most = values.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return f64::NEG_INFINITY;
    }
    values.iter_mut().for_each(|value| *value /= most);
    ln(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect()
    }

    /// The probability of every state together with the evidence, by summing over all configurations of all nodes.
    fn by_enumeration(
        network: &BayesNet,
        evidence: &[(&str, &str)],
        set: &[(&str, &str)],
    ) -> (Vec<Vec<f64>>, f64) {
        let nodes = network.dag().nodes();
        let code = |(name, state): &(&str, &str)| {
            let node = find(network, name).unwrap();
            (node, network.states(node).iter().position(|known| known == state).unwrap())
        };
        let (evidence, set): (Vec<_>, Vec<_>) =
            (evidence.iter().map(code).collect(), set.iter().map(code).collect());
        let mut sums: Vec<Vec<f64>> = (0..nodes).map(|node| vec![0.0; network.states(node).len()]).collect();
        let mut total = 0.0;
        let cells: usize = (0..nodes).map(|node| network.states(node).len()).product();
        for mut cell in 0..cells {
            let states: Vec<usize> = (0..nodes)
                .map(|node| {
                    let arity = network.states(node).len();
                    let state = cell % arity;
                    cell /= arity;
                    state
                })
                .collect();
            if evidence.iter().chain(&set).any(|&(node, state)| states[node] != state) {
                continue;
            }
            let probability: f64 = (0..nodes)
                .filter(|node| set.iter().all(|(other, _)| other != node))
                .map(|node| {
                    let parents = network.dag().parents(node).iter();
                    let row =
                        parents.fold(0, |row, &parent| row * network.states(parent).len() + states[parent]);
                    network.row(node, row)[states[node]]
                })
                .product();
            total += probability;
            (0..nodes).for_each(|node| sums[node][states[node]] += probability);
        }
        (sums, total)
    }

    type Pairs<'a> = &'a [(&'a str, &'a str)];

    #[test]
    fn equals_enumeration_with_evidence_and_interventions() {
        let questions: [(&str, Pairs, Pairs); 8] = [
            ("asia", &[], &[]),
            ("asia", &[("xray", "yes"), ("dysp", "no")], &[]),
            ("asia", &[("dysp", "yes")], &[("either", "yes")]),
            ("asia", &[], &[("smoke", "yes"), ("tub", "no")]),
            ("asia", &[("lung", "yes")], &[("xray", "no")]),
            ("survey", &[("T", "car"), ("R", "big")], &[("E", "uni")]),
            ("cancer", &[("Cancer", "True")], &[("Smoker", "False")]),
            ("earthquake", &[("JohnCalls", "True"), ("MaryCalls", "True")], &[]),
        ];
        for (name, evidence, set) in questions {
            let network = BayesNet::embedded(name).unwrap();
            let (sums, total) = by_enumeration(&network, evidence, set);
            let inference = Inference { evidence: pairs(evidence), set: pairs(set), ..Inference::default() };
            let found = inference.marginals(&network).unwrap();
            for (node, (found, sums)) in found.iter().zip(&sums).enumerate() {
                for (state, (found, sum)) in found.iter().zip(sums).enumerate() {
                    assert!(
                        (found - sum / total).abs() < 1e-12,
                        "{name} {node} {state}: {found} {}",
                        sum / total
                    );
                }
            }
            let log = inference.log_probability(&network).unwrap();
            assert!((log - total.ln()).abs() < 1e-12, "{name}: {log} {}", total.ln());
        }
    }

    /// A chain of a thousand nodes with evidence at all but two: its probability is far below the smallest double.
    #[test]
    fn long_chains_do_not_underflow() {
        let nodes = 3000;
        let names: Vec<String> = (0..nodes).map(|node| format!("x{node}")).collect();
        let graph =
            crate::NamedDag::from_edges(names.clone(), (1..nodes).map(|node| (node - 1, node, 1.0))).unwrap();
        let states = vec![vec!["0".to_owned(), "1".to_owned()]; nodes];
        let mut tables = vec![vec![0.5, 0.5]];
        tables.resize(nodes, vec![0.9, 0.1, 0.2, 0.8]);
        let network = BayesNet::new(graph, states, tables).unwrap();
        let evidence = (2..nodes).map(|node| (names[node].clone(), (node % 2).to_string())).collect();
        let inference = Inference { evidence, ..Inference::default() };
        let found = inference.marginal(&network, "x1").unwrap();
        let (zero, one) = ((0.5 * 0.9 + 0.5 * 0.2) * 0.9, (0.5 * 0.1 + 0.5 * 0.8) * 0.2);
        assert!((found[0] - zero / (zero + one)).abs() < 1e-12, "{found:?}");
        let log = inference.log_probability(&network).unwrap();
        let turns: f64 = (3..nodes).map(|node| if node % 2 == 1 { 0.1_f64.ln() } else { 0.2_f64.ln() }).sum();
        assert!((log / (turns + (zero + one).ln()) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_answered_is_told() {
        let asia = BayesNet::embedded("asia").unwrap();
        let ask = |evidence: &[(&str, &str)], set: &[(&str, &str)], memory_bytes: usize, node: &str| {
            let inference = Inference { evidence: pairs(evidence), set: pairs(set), memory_bytes };
            inference.marginal(&asia, node).unwrap_err().to_string()
        };
        assert_eq!(
            ask(&[("tub", "yes"), ("either", "no")], &[], MEMORY, "dysp"),
            "the evidence has probability zero"
        );
        assert_eq!(ask(&[("tub", "yes"), ("tub", "no")], &[], MEMORY, "dysp"), "\"tub\" is given two states");
        assert!(
            ask(&[("tub", "maybe")], &[], MEMORY, "dysp")
                .contains("\"maybe\", which is none of \"yes\", \"no\"")
        );
        assert!(ask(&[("tuberculosis", "yes")], &[], MEMORY, "dysp").contains("tuberculosis"));
        assert!(ask(&[], &[], 100, "dysp").contains("more than the 100 allowed"));
    }
}
