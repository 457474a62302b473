//! Columns that never vary, of numbers or beside them: data can show no edge from or to them. The graph is learned from the others, and
//! they are nodes of it without edges, but for those that must be there.

use std::sync::Arc;

use plackett::run::{Ending, Run};

use super::{Basis, Learned, Learning, mixed, numbers, unscored};
use crate::{
    Bounds, Cpdag, Dag, Gram, JointMoments, Mixed, Result,
    gram::CONSTANT_TOLERANCE,
    mixed::MixedColumn,
    search::{Convergence, WorstEdge},
};

/// The columns that vary.
fn varying(gram: &Gram) -> Vec<usize> {
    (0..gram.nodes()).filter(|&node| gram.varies(node)).collect()
}

/// Learns a graph from moments, of whatever columns.
pub(super) fn learn(learning: &Learning, gram: &Arc<Gram>, run: &Run<'_>) -> Result<Learned> {
    let nodes = varying(gram);
    if nodes.len() == gram.nodes() {
        return numbers::learn(learning, gram, run);
    }
    if nodes.is_empty() {
        return Ok(nothing(learning, gram.nodes(), run));
    }
    let found = numbers::learn(&learning.on(&nodes), &Arc::new(gram.of_nodes(&nodes)), run)?;
    placed(found, &nodes, &learning.bounds_of(gram.nodes()))
}

/// Learns a graph from mixed or incomplete data, of whatever columns.
pub(super) fn learn_mixed(learning: &Learning, data: &Arc<Mixed>, run: &Run<'_>) -> Result<Learned> {
    let total = data.columns().len();
    let nodes: Vec<usize> = (0..total).filter(|&node| varies(&data.columns()[node])).collect();
    match nodes.len() {
        all if all == total => mixed::learn(learning, data, run),
        0 | 1 => Ok(nothing(learning, total, run)),
        _ => {
            let found = mixed::learn(&learning.on(&nodes), &Arc::new(data.of_columns(&nodes)), run)?;
            placed(found, &nodes, &learning.bounds_of(total))
        }
    }
}

/// Learns a graph from the moments of mixed data, of whatever columns.
pub(super) fn learn_joint(learning: &Learning, data: &Arc<JointMoments>, run: &Run<'_>) -> Result<Learned> {
    let total = data.columns();
    let (ranges, counts) = (data.ranges(), data.counts());
    let varies = |&node: &usize| match (&ranges[node], &counts[node]) {
        (Some((low, high)), _) => is_wide(*low, *high),
        (None, counts) => counts.iter().flatten().filter(|&&count| count > 0).count() > 1,
    };
    let nodes: Vec<usize> = (0..total).filter(varies).collect();
    match nodes.len() {
        all if all == total => mixed::learn_joint(learning, data, run),
        0 | 1 => Ok(nothing(learning, total, run)),
        _ => {
            let found = mixed::learn_joint(&learning.on(&nodes), &Arc::new(data.of_columns(&nodes)), run)?;
            placed(found, &nodes, &learning.bounds_of(total))
        }
    }
}

/// Whether there is more between two numbers than rounding.
fn is_wide(low: f64, high: f64) -> bool {
    // Halves, because the whole range may not be finite.
    high / 2.0 - low / 2.0 > CONSTANT_TOLERANCE * (high / 2.0).abs().max((low / 2.0).abs())
}

/// Whether two values that are there differ.
fn varies(column: &MixedColumn) -> bool {
    match column {
        MixedColumn::Numbers(numbers) => {
            let there = || numbers.iter().copied().filter(|number| !number.is_nan());
            is_wide(there().fold(f64::INFINITY, f64::min), there().fold(f64::NEG_INFINITY, f64::max))
        }
        MixedColumn::Categories { codes, levels } => {
            let mut there = codes.iter().filter(|&&code| usize::from(code) < *levels);
            let first = there.next();
            there.any(|code| Some(code) != first)
        }
    }
}

impl Learning {
    /// The same for some of the columns.
    fn on(&self, columns: &[usize]) -> Self {
        let place = |node: &usize| columns.binary_search(node).ok();
        Self {
            bounds: self.bounds.as_ref().map(|bounds| bounds.of_nodes(columns)),
            start: self.start.as_ref().map(|order| order.iter().filter_map(place).collect()),
            ..self.clone()
        }
    }
}

/// The graph without edges but those that must be there.
fn nothing(learning: &Learning, nodes: usize, run: &Run<'_>) -> Learned {
    let bounds = learning.bounds_of(nodes);
    let dag = bounds.least();
    let ending = run.ending().unwrap_or(Ending::Finished);
    unscored(learning, dag.clone(), bounds.orient(&dag), 0, ending)
}

/// A graph of some nodes as one of all.
fn placed(learned: Learned, nodes: &[usize], bounds: &Bounds) -> Result<Learned> {
    let total = bounds.nodes();
    let moved = |dag: &Dag| -> Vec<(usize, usize, f64)> {
        dag.edges().map(|(from, to, weight)| (nodes[from], nodes[to], weight)).collect()
    };
    let edges = moved(&learned.dag).into_iter();
    let figures = |dag: &Option<Dag>| dag.as_ref().map(|dag| Dag::from_edges(total, moved(dag))).transpose();
    let deviations = learned.deviations.as_ref().map(|known| {
        let mut all = vec![0.0; total];
        known.iter().zip(nodes).for_each(|(&deviation, &node)| all[node] = deviation);
        all
    });
    let pairs =
        |pairs: &[(usize, usize)]| pairs.iter().map(|&(a, b)| (nodes[a], nodes[b])).collect::<Vec<_>>();
    let mut order: Vec<usize> = learned.order.iter().map(|&node| nodes[node]).collect();
    (0..total).filter(|node| !nodes.contains(node)).for_each(|node| bounds.insert(node, &mut order));
    // They weigh nothing, but zero would be no edge.
    let is_still = |&(from, to): &(usize, usize)| !nodes.contains(&from) || !nodes.contains(&to);
    let still: Vec<(usize, usize)> = bounds.required_in(&order).into_iter().filter(is_still).collect();
    let (one_way, open): (Vec<_>, Vec<_>) = still.iter().partition(|&&(from, to)| !bounds.permits(to, from));
    let edges = edges.chain(still.iter().map(|&(from, to)| (from, to, f64::MIN_POSITIVE)));
    let probabilities = learned.probabilities.as_ref().map(|known| {
        let mut all = vec![0.0; total * total];
        for (at, &probability) in known.iter().enumerate() {
            all[nodes[at / nodes.len()] * total + nodes[at % nodes.len()]] = probability;
        }
        all
    });
    Ok(Learned {
        dag: Dag::from_edges(total, edges)?,
        strengths: figures(&learned.strengths)?,
        p_values: figures(&learned.p_values)?,
        deviations,
        order,
        cpdag: Cpdag::from_edges(
            total,
            pairs(learned.cpdag.directed()).into_iter().chain(one_way),
            pairs(learned.cpdag.undirected()).into_iter().chain(open),
        )?,
        basis: learned.basis.map(|basis| Basis { undecided: pairs(&basis.undecided), ..basis }),
        bounds: bounds.clone(),
        probabilities,
        convergence: learned.convergence.map(|found| Convergence {
            worst_edge: found.worst_edge.map(|edge| WorstEdge {
                from: nodes[edge.from],
                to: nodes[edge.to],
                ..edge
            }),
            ..found
        }),
        ..learned
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        LearnMethod, Observations, Sem,
        gram::{Centering, GramBuilder},
        simulate::{SemSettings, simulate_sem},
    };

    #[test]
    fn a_constant_column_changes_nothing_among_the_others() {
        let sem = simulate_sem(&SemSettings { nodes: 6, ..SemSettings::default() }, 3).unwrap();
        for (method, centering) in [
            ("insertion", Centering::Center),
            ("insertion", Centering::Standardize),
            ("pc", Centering::Center),
        ] {
            let learning = Learning { method: LearnMethod::by_name(method).unwrap(), ..Learning::default() };
            let (mut plain, mut wider) = (GramBuilder::new(6).unwrap(), GramBuilder::new(7).unwrap());
            sem.sample_each(500, Sem::TRAINING, |row| {
                plain.push_row(row).unwrap();
                wider.push_row(&[&row[..2], &[0.1], &row[2..]].concat()).unwrap();
            });
            let learn = |builder: GramBuilder| {
                let gram = Observations::Numbers(builder.finish(centering).unwrap().into());
                learning.run(&gram, &Run::default()).unwrap()
            };
            let (expected, found) = (learn(plain), learn(wider));
            let place = |node: usize| if node < 2 { node } else { node + 1 };
            let moved: Vec<_> =
                expected.dag.edges().map(|(from, to, weight)| (place(from), place(to), weight)).collect();
            assert_eq!(found.dag.edges().collect::<Vec<_>>(), moved, "{method}");
            assert_eq!((found.order.len(), found.score), (7, expected.score));
            assert_eq!(found.cpdag.undirected().len(), expected.cpdag.undirected().len());
        }
    }

    /// Times in nanoseconds are some 10¹⁸ and differ by far less, by far more than rounding.
    #[test]
    fn a_column_far_from_zero_is_not_constant() {
        let sem = simulate_sem(&SemSettings { nodes: 4, ..SemSettings::default() }, 3).unwrap();
        let learn = |scale: f64, shift: f64, centering| {
            let mut builder = GramBuilder::new(4).unwrap();
            sem.sample_each(500, Sem::TRAINING, |row| {
                builder.push_row(&row.iter().map(|value| value * scale + shift).collect::<Vec<_>>()).unwrap();
            });
            let gram = Observations::Numbers(builder.finish(centering).unwrap().into());
            Learning { score: "bic".into(), ..Learning::default() }.run(&gram, &Run::default()).unwrap().cpdag
        };
        for centering in [Centering::Center, Centering::Standardize] {
            let plain = learn(1.0, 0.0, centering);
            assert!(!plain.directed().is_empty() || !plain.undirected().is_empty());
            assert_eq!(learn(1e14, 1.7e18, centering), plain, "{centering:?}");
        }
    }

    #[test]
    fn nothing_but_constants_is_a_graph_without_edges() {
        let mut builder = GramBuilder::new(2).unwrap();
        (0..5).for_each(|_| builder.push_row(&[1.0, 2.0]).unwrap());
        let gram = Observations::Numbers(builder.finish(Centering::Center).unwrap().into());
        assert_eq!(Learning::default().run(&gram, &Run::default()).unwrap().dag.edge_count(), 0);
    }

    #[test]
    fn constant_columns_change_nothing_among_mixed_and_incomplete_ones() {
        let cause: Vec<f64> = (0..300).map(|row| f64::from(row * 37 % 101)).collect();
        let mut effect: Vec<f64> = (0..300).map(|row| cause[row] + f64::from(row as u32 * 53 % 29)).collect();
        let group = MixedColumn::Categories {
            codes: cause.iter().map(|&value| u8::from(value > 50.0)).collect(),
            levels: 2,
        };
        for has_gaps in [false, true] {
            if has_gaps {
                effect.iter_mut().step_by(7).for_each(|value| *value = f64::NAN);
            }
            let columns =
                [MixedColumn::Numbers(cause.clone()), group.clone(), MixedColumn::Numbers(effect.clone())];
            let still = [
                MixedColumn::Numbers((0..300).map(|row| if row % 5 == 0 { f64::NAN } else { 0.1 }).collect()),
                MixedColumn::Categories { codes: vec![1; 300], levels: 2 },
            ];
            let learn = |columns: Vec<MixedColumn>| {
                let data = Observations::Mixed(Mixed::new(columns).unwrap().into());
                Learning::default().run(&data, &Run::default()).unwrap()
            };
            let expected = learn(columns.to_vec());
            let [cause, group, effect] = columns;
            let [number, category] = still;
            let found = learn(vec![cause, number, group, category, effect]);
            let moved: Vec<_> =
                expected.dag.edges().map(|(from, to, weight)| (2 * from, 2 * to, weight)).collect();
            assert!(!moved.is_empty());
            assert_eq!(found.dag.edges().collect::<Vec<_>>(), moved);
            assert_eq!((found.order.len(), found.score), (5, expected.score));
        }
    }
}
