//! Columns of numbers that never vary: no edge can lead from or to them. The graph is learned from the others, and they are
//! nodes of it without edges.

use std::sync::Arc;

use plackett::run::{Ending, Run};

use super::{Learned, Learning, by_tests, numbers};
use crate::{Cpdag, Dag, Gram, Result};

/// A column whose standard deviation is below this share of its mean's size is constant: a double has 16 digits, so that what
/// is left is rounding.
const CONSTANT_TOLERANCE: f64 = 1e-14;

/// The columns that vary.
fn varying(gram: &Gram) -> Vec<usize> {
    let varies = |&node: &usize| {
        let (deviation, mean) = (gram.entry(node, node).max(0.0).sqrt(), gram.means()[node]);
        deviation > CONSTANT_TOLERANCE * mean.abs()
    };
    (0..gram.nodes()).filter(varies).collect()
}

/// Learns a graph from moments, of whatever columns.
pub(super) fn learn(learning: &Learning, gram: &Arc<Gram>, run: &Run<'_>) -> Result<Learned> {
    let nodes = varying(gram);
    if nodes.len() == gram.nodes() {
        return numbers::learn(learning, gram, run);
    }
    let total = gram.nodes();
    if nodes.is_empty() {
        let dag = Dag::empty(total);
        return Ok(by_tests(dag.clone(), Cpdag::of(&dag), 0, run.ending().unwrap_or(Ending::Finished)));
    }
    let learned = numbers::learn(learning, &Arc::new(gram.of_nodes(&nodes)), run)?;
    let edges = learned.dag.edges().map(|(from, to, weight)| (nodes[from], nodes[to], weight));
    let pairs =
        |pairs: &[(usize, usize)]| pairs.iter().map(|&(a, b)| (nodes[a], nodes[b])).collect::<Vec<_>>();
    let constant = (0..total).filter(|node| !nodes.contains(node));
    Ok(Learned {
        dag: Dag::from_edges(total, edges)?,
        order: learned.order.iter().map(|&node| nodes[node]).chain(constant).collect(),
        cpdag: Cpdag::from_edges(total, pairs(learned.cpdag.directed()), pairs(learned.cpdag.undirected()))?,
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

    #[test]
    fn nothing_but_constants_is_a_graph_without_edges() {
        let mut builder = GramBuilder::new(2).unwrap();
        (0..5).for_each(|_| builder.push_row(&[1.0, 2.0]).unwrap());
        let gram = Observations::Numbers(builder.finish(Centering::Center).unwrap().into());
        assert_eq!(Learning::default().run(&gram, &Run::default()).unwrap().dag.edge_count(), 0);
    }
}
