//! The cost of a whole graph on categorical data: the sum of its families' costs. Table 4's Val Q̂ − Q̂* compares the
//! learned graph's with the true graph's, both on validation data.

use std::collections::HashMap;

use super::{CountScore, FamilyScore, MOST_CONFIGURATIONS};
use crate::counts::{FamilyCounts, Partition};
use crate::{Categories, Dag, Error, Result};

/// The negative log score of `dag` on the data in nats, lower being better. O(rows) for each node and each edge.
///
/// # Errors
/// [`Error::Size`] unless the graph has a node for each column; [`Error::Empty`] if there are no rows.
///
/// ```
/// use plackett_dag::{Categories, Dag, score::{Qnml, graph_cost}};
/// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 2];
/// let column: Vec<u8> = (0..40).map(|row| row % 2).collect();
/// let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![column.clone(), column])?;
/// let linked = Dag::from_parents(vec![vec![], vec![0]])?;
/// assert!(graph_cost(&data, &Qnml, &linked)? < graph_cost(&data, &Qnml, &Dag::empty(2))?);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn graph_cost(data: &Categories, score: &dyn FamilyScore, dag: &Dag) -> Result<f64> {
    let mut families = Families::new(data, score, dag)?;
    Ok((0..dag.nodes()).map(|node| families.cost(node, dag.parents(node))).sum())
}

/// The same graph with each edge's weight set to what the score would lose without the edge, in nats: how strongly the data
/// speak for it. Zero, which is no weight, is replaced by the smallest positive number. O(rows) for each node and for each
/// pair of parents of a node.
///
/// # Errors
/// Those of [`graph_cost`].
///
/// ```
/// use plackett_dag::{Categories, Dag, score::{Qnml, graph_cost, weigh_edges}};
/// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 2];
/// let column: Vec<u8> = (0..40).map(|row| row % 2).collect();
/// let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![column.clone(), column])?;
/// let linked = Dag::from_parents(vec![vec![], vec![0]])?;
/// let loss = graph_cost(&data, &Qnml, &Dag::empty(2))? - graph_cost(&data, &Qnml, &linked)?;
/// assert!((weigh_edges(&data, &Qnml, &linked)?.weight(0, 1) - loss).abs() < 1e-9);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn weigh_edges(data: &Categories, score: &dyn FamilyScore, dag: &Dag) -> Result<Dag> {
    let mut families = Families::new(data, score, dag)?;
    let mut edges = Vec::with_capacity(dag.edge_count());
    for node in 0..dag.nodes() {
        let parents = dag.parents(node);
        let cost = families.cost(node, parents);
        for &parent in parents {
            let rest: Vec<usize> = parents.iter().copied().filter(|&other| other != parent).collect();
            let loss = families.cost(node, &rest) - cost;
            edges.push((parent, node, if loss == 0.0 { f64::MIN_POSITIVE } else { loss }));
        }
    }
    Dag::from_edges(dag.nodes(), edges)
}

/// The costs of families on data, one by one.
pub(crate) struct Families<'a> {
    data: &'a Categories,
    family: &'a dyn FamilyScore,
    score: Box<dyn CountScore>,
    /// For nodes that were set from outside in some rows: how often the rows count for them, and the score of so many.
    own: HashMap<usize, (Vec<u32>, Box<dyn CountScore>)>,
    groups: Partition,
    finer: Partition,
    map: Vec<u32>,
    counts: FamilyCounts,
}

impl<'a> Families<'a> {
    pub(crate) fn new(data: &'a Categories, score: &'a dyn FamilyScore, dag: &Dag) -> Result<Self> {
        if dag.nodes() != data.columns() {
            return Err(Error::Size { what: "the graph", expected: data.columns(), found: dag.nodes() });
        }
        if data.total() == 0 {
            return Err(Error::Empty);
        }
        let own = |node: usize| {
            let counts = data.kept_counts(node)?;
            let total = counts.iter().map(|&count| count as usize).sum();
            Some((node, (counts, score.on_rows(total))))
        };
        Ok(Self {
            data,
            family: score,
            own: (0..data.columns()).filter_map(own).collect(),
            score: score.on_rows(data.total()),
            groups: Partition::default(),
            finer: Partition::default(),
            map: Vec::new(),
            counts: FamilyCounts::default(),
        })
    }

    pub(crate) fn cost(&mut self, node: usize, parents: &[usize]) -> f64 {
        let data = self.data;
        self.groups.start(data.row_count());
        let mut configurations = 1.0_f64;
        for &parent in parents {
            self.finer.refine(&self.groups, data.column(parent), data.arity(parent), &mut self.map);
            std::mem::swap(&mut self.groups, &mut self.finer);
            configurations = (configurations * data.arity(parent) as f64).min(MOST_CONFIGURATIONS);
        }
        let (counts, score) = match self.own.get(&node) {
            Some((counts, score)) => (Some(&counts[..]), score),
            None => (data.counts(), &self.score),
        };
        self.counts.count(&self.groups, data.column(node), data.arity(node), counts);
        self.counts.cost(&**score, configurations, data.arity(node)) + self.family.price(parents.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Qnml;

    #[test]
    fn the_weight_of_an_edge_is_what_the_graph_loses_without_it() {
        let columns: Vec<Vec<u8>> = vec![
            (0..50).map(|row| row % 3).collect(),
            (0..50).map(|row| row / 5 % 2).collect(),
            // It is the same in all rows, and tells nothing.
            vec![0; 50],
            (0..50)
                .map(|row| u8::from(row % 3 == 0) ^ u8::from(row / 5 % 2 == 0) ^ u8::from(row % 11 == 0))
                .collect(),
        ];
        let levels = [3, 2, 1, 2].map(|arity| (0..arity).map(|level| level.to_string()).collect()).to_vec();
        let names = (0..4).map(|column| format!("x{column}")).collect();
        let data = Categories::new(names, levels, columns).unwrap();
        let parents = vec![vec![], vec![0], vec![], vec![0, 1, 2]];
        let dag = Dag::from_parents(parents.clone()).unwrap();
        let cost = graph_cost(&data, &Qnml, &dag).unwrap();
        let weighed = weigh_edges(&data, &Qnml, &dag).unwrap();
        assert_eq!(weighed.edge_count(), 4);
        for (from, to, weight) in weighed.edges() {
            let mut without = parents.clone();
            without[to].retain(|&parent| parent != from);
            let loss = graph_cost(&data, &Qnml, &Dag::from_parents(without).unwrap()).unwrap() - cost;
            assert!((weight - loss).abs() < 1e-9, "{from} → {to}: {weight} for {loss}");
        }
        assert_eq!(weighed.weight(2, 3), f64::MIN_POSITIVE);
        assert!(weighed.weight(0, 3) > 1.0);
    }
}
