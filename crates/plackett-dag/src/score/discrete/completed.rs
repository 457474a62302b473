//! qNML of categories with missing values that were drawn several times over: the drawn rows are counted together, each for a share of
//! a row, and what they say is weighed as what so many complete rows would say.

use super::regret::Regret;
use crate::counts::{FamilyCounts, Partition};
use crate::score::family::Family;

/// The score on rows drawn several times over.
#[derive(Debug)]
pub(crate) struct Completed {
    /// Codes and the number of levels.
    columns: Vec<(Vec<u8>, usize)>,
    /// How many rows each stands for, if not one.
    weights: Option<Vec<u32>>,
    /// What a drawn row counts for.
    share: f64,
    regret: Regret,
}

/// Workspace of a cost.
#[derive(Debug, Default)]
pub(crate) struct Space {
    groups: Partition,
    finer: Partition,
    map: Vec<u32>,
    counts: FamilyCounts,
}

impl Completed {
    /// On drawn rows that are worth as much as `worth` complete ones.
    #[expect(clippy::cast_sign_loss, reason = "a number of rows")]
    pub(crate) fn new(columns: Vec<(Vec<u8>, usize)>, weights: Option<Vec<u32>>, worth: f64) -> Self {
        let rows = match &weights {
            Some(weights) => weights.iter().map(|&weight| f64::from(weight)).sum(),
            None => columns.first().map_or(0, |(codes, _)| codes.len()) as f64,
        };
        let regret = Regret::new((worth.round() as usize).max(1));
        Self { columns, weights, share: worth / rows.max(1.0), regret }
    }

    /// The rows in the groups that the parents make, and how many groups there may be.
    fn group(&self, parents: &[usize], space: &mut Space) -> f64 {
        let Space { groups, finer, map, .. } = space;
        groups.start(self.columns[0].0.len());
        let mut configurations = 1.0_f64;
        for &parent in parents {
            let (codes, levels) = &self.columns[parent];
            finer.refine(groups, codes, *levels, map);
            std::mem::swap(groups, finer);
            configurations = (configurations * *levels as f64).min(super::MOST_CONFIGURATIONS);
        }
        configurations
    }

    fn total(&self, node: usize, configurations: f64, counts: &FamilyCounts) -> f64 {
        let levels = self.columns[node].1 as f64;
        let price = self.regret.of(configurations * levels) - self.regret.of(configurations);
        price - self.share * counts.log_likelihood()
    }
}

impl Family for Completed {
    type Space = Space;

    const NAME: &'static str = super::qnml::ENTRY.name;
    const EFFORT: (usize, usize) = (2, 10);

    fn price_of_parent(&self, node: usize) -> f64 {
        self.regret.of(2.0 * self.columns[node].1 as f64)
    }

    fn work(&self) -> usize {
        4 * self.columns.first().map_or(0, |(codes, _)| codes.len())
    }

    fn cost(&self, node: usize, parents: &[usize], space: &mut Space) -> f64 {
        let configurations = self.group(parents, space);
        let (codes, levels) = &self.columns[node];
        space.counts.count(&space.groups, codes, *levels, self.weights.as_deref());
        self.total(node, configurations, &space.counts)
    }

    /// The groups of the parents are made once.
    fn costs_with(
        &self,
        node: usize,
        parents: &[usize],
        candidates: &[usize],
        space: &mut Space,
        costs: &mut Vec<f64>,
    ) {
        costs.clear();
        let configurations = self.group(parents, space);
        let (codes, levels) = &self.columns[node];
        for &candidate in candidates {
            let (more, more_levels) = &self.columns[candidate];
            let Space { groups, counts, .. } = &mut *space;
            counts.count_with(groups, (more, *more_levels), (codes, *levels), self.weights.as_deref());
            let configurations = (configurations * *more_levels as f64).min(super::MOST_CONFIGURATIONS);
            costs.push(self.total(node, configurations, counts));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Qnml, graph_cost};
    use crate::{Categories, Dag};

    #[test]
    fn rows_drawn_twice_alike_cost_what_they_do_once() {
        let once: Vec<Vec<u8>> = vec![
            (0..60).map(|row| row % 3).collect(),
            (0..60).map(|row| u8::from(row % 3 == 0 || row % 7 == 1)).collect(),
            (0..60).map(|row| row / 7 % 4).collect(),
        ];
        let arities = [3, 2, 4];
        let names = (0..3).map(|column| format!("x{column}")).collect();
        let levels =
            arities.iter().map(|&arity| (0..arity).map(|level| level.to_string()).collect()).collect();
        let data = Categories::new(names, levels, once.clone()).unwrap();
        let twice = once.iter().zip(arities).map(|(codes, arity)| (codes.repeat(2), arity)).collect();
        let score = Completed::new(twice, None, 60.0);
        let parents: [&[usize]; 3] = [&[], &[0], &[0, 1]];
        let dag = Dag::from_parents(parents.iter().map(|set| set.to_vec()).collect()).unwrap();
        let mut space = Space::default();
        let cost: f64 = (0..3).map(|node| score.cost(node, parents[node], &mut space)).sum();
        assert!((cost - graph_cost(&data, &Qnml, &dag).unwrap()).abs() < 1e-9);
        let mut costs = Vec::new();
        score.costs_with(2, &[1], &[0], &mut space, &mut costs);
        assert!((costs[0] - score.cost(2, &[0, 1], &mut space)).abs() < 1e-12);
    }

    #[test]
    fn a_parent_costs_about_the_regret_of_twice_the_levels_and_rows_are_work() {
        let score = |rows: usize| {
            Completed::new(vec![((0..rows).map(|row| (row % 3) as u8).collect(), 3)], None, rows as f64)
        };
        let regret = super::super::regret::log_normalizer(50, 6);
        assert!((score(50).price_of_parent(0) - regret).abs() < 1e-12);
        assert_eq!(score(100).work(), 2 * score(50).work());
        assert!(score(50).work() >= 50);
    }

    #[test]
    fn rows_that_stand_for_several_count_as_often() {
        let codes: [Vec<u8>; 2] = [vec![0, 1, 2, 0, 1], vec![1, 0, 1, 1, 1]];
        let weights = [3_u32, 1, 2, 1, 4];
        let times = |codes: &Vec<u8>| -> Vec<u8> {
            codes.iter().zip(weights).flat_map(|(&code, weight)| vec![code; weight as usize]).collect()
        };
        let of = |columns: [Vec<u8>; 2], weights| {
            Completed::new(columns.into_iter().zip([3, 2]).collect(), weights, 5.5)
        };
        let (all, some) = (of([times(&codes[0]), times(&codes[1])], None), of(codes, Some(weights.to_vec())));
        for (node, parents) in [(0, &[][..]), (0, &[1]), (1, &[0])] {
            let costs = [&all, &some].map(|score| score.cost(node, parents, &mut Space::default()));
            assert!((costs[0] - costs[1]).abs() < 1e-12, "{costs:?}");
        }
    }
}
