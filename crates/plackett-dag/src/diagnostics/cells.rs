//! Sparse cells: the share of all cells of the families' tables in which fewer than five rows would be expected if the column did not
//! depend on its parents.

use std::collections::HashMap;

use super::{Diagnostic, Look, judged, unknown};
use crate::{Categories, Observations};

/// The rule of Cochran (1954): at most a fifth of the cells may expect fewer than five.
const EXPECTED: f64 = 5.0;
const MOST_SPARSE: f64 = 0.2;

/// The share of cells.
pub(super) fn sparse_cells(look: &Look<'_, '_>) -> Option<Diagnostic> {
    const NAME: &str = "sparse cells";
    let Observations::Categories(data) = look.evidence.data else { return None };
    let dag = &look.evidence.learned.dag;
    let (mut cells, mut sparse) = (0.0, 0.0);
    let mut worst: Vec<(usize, f64)> = Vec::new();
    for node in (0..dag.nodes()).filter(|&node| !dag.parents(node).is_empty()) {
        if look.run.is_over() {
            return Some(unknown(NAME, "there was no time to count"));
        }
        let (all, few) = family(data, node, dag.parents(node));
        (cells, sparse) = (cells + all, sparse + few);
        worst.push((node, few / all));
    }
    if worst.is_empty() {
        return None;
    }
    worst.sort_by(|a, b| b.1.total_cmp(&a.1));
    let share = sparse / cells;
    let nodes: Vec<usize> =
        worst.iter().filter(|(_, share)| *share > MOST_SPARSE).map(|&(node, _)| node).collect();
    let caution = (share > MOST_SPARSE).then(|| {
        format!(
            "most of the sparse cells belong to {}: counts there are chance; join rare categories, or allow fewer parents (--max-parents)",
            look.named(&nodes)
        )
    });
    Some(judged(NAME, share, caution, "nearly all cells have rows enough"))
}

/// The cells of a family, and those that expect too few rows.
fn family(data: &Categories, node: usize, parents: &[usize]) -> (f64, f64) {
    let count = |row: usize| data.counts().map_or(1, |counts| counts[row]);
    let mut values = vec![0_u64; data.arity(node)];
    for (row, &code) in data.column(node).iter().enumerate() {
        values[usize::from(code)] += u64::from(count(row));
    }
    let mut configurations: HashMap<Vec<u8>, u64> = HashMap::new();
    let mut key = Vec::new();
    for row in 0..data.column(node).len() {
        key.clear();
        key.extend(parents.iter().map(|&parent| data.column(parent)[row]));
        match configurations.get_mut(&key) {
            Some(rows) => *rows += u64::from(count(row)),
            None => {
                configurations.insert(key.clone(), u64::from(count(row)));
            }
        }
    }
    let total = data.total() as f64;
    let all =
        parents.iter().map(|&parent| data.arity(parent) as f64).product::<f64>() * data.arity(node) as f64;
    let expects_enough = |rows: u64, value: u64| rows as f64 * value as f64 >= EXPECTED * total;
    let dense = configurations
        .values()
        .map(|&rows| values.iter().filter(|&&value| expects_enough(rows, value)).count())
        .sum::<usize>() as f64;
    (all, all - dense)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_by_hand() {
        // 40 rows: the parent is 0 in 36 and 1 in 4, the child evenly 0 and 1; of three values of the parent one never occurs.
        let parent: Vec<u8> = (0..40).map(|row| u8::from(row % 10 == 9)).collect();
        let child: Vec<u8> = (0..40).map(|row| u8::from(row >= 20)).collect();
        let labels = |count: usize| (0..count).map(|label| label.to_string()).collect::<Vec<_>>();
        let data =
            Categories::new(vec!["a".into(), "b".into()], vec![labels(3), labels(2)], vec![parent, child])
                .unwrap();
        // Expected are 18 and 18, 2 and 2, 0 and 0.
        assert_eq!(family(&data, 1, &[0]), (6.0, 4.0));
    }
}
