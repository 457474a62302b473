//! The cost of a whole graph on categorical data: the sum of its families' costs. Table 4's Val Q̂ − Q̂* compares the
//! learned graph's with the true graph's, both on validation data.

use super::{FamilyScore, MOST_CONFIGURATIONS};
use crate::counts::{FamilyCounts, Partition};
use crate::{Categories, Dag, Error, Result};

/// The negative log score of `dag` on the data in nats, lower being better. O(rows) for each node and each edge.
///
/// # Errors
/// [`Error::Size`] unless the graph has a node for each column; [`Error::Empty`] if there are no rows.
///
/// ```
/// use plackett_dag::{Categories, Dag, Qnml, graph_cost};
/// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 2];
/// let column: Vec<u8> = (0..40).map(|row| row % 2).collect();
/// let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![column.clone(), column])?;
/// let linked = Dag::from_parents(vec![vec![], vec![0]])?;
/// assert!(graph_cost(&data, &Qnml, &linked)? < graph_cost(&data, &Qnml, &Dag::empty(2))?);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn graph_cost(data: &Categories, score: &dyn FamilyScore, dag: &Dag) -> Result<f64> {
    if dag.nodes() != data.columns() {
        return Err(Error::Size { what: "the graph", expected: data.columns(), found: dag.nodes() });
    }
    let rows = data.row_count();
    if rows == 0 {
        return Err(Error::Empty);
    }
    let score = score.on_rows(rows);
    let (mut groups, mut finer) = (Partition::default(), Partition::default());
    let (mut map, mut counts) = (Vec::new(), FamilyCounts::default());
    let mut total = 0.0;
    for node in 0..dag.nodes() {
        groups.start(rows);
        let mut configurations = 1.0_f64;
        for &parent in dag.parents(node) {
            finer.refine(&groups, data.column(parent), data.arity(parent), &mut map);
            std::mem::swap(&mut groups, &mut finer);
            configurations = (configurations * data.arity(parent) as f64).min(MOST_CONFIGURATIONS);
        }
        counts.count(&groups, data.column(node), data.arity(node), None);
        total += counts.cost(&*score, configurations, data.arity(node));
    }
    Ok(total)
}
