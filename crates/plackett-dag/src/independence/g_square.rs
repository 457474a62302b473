//! The answer for categories: the likelihood-ratio test G² on tables of counts, one per stratum of the given nodes.

use std::sync::Arc;

use super::{IndependenceTest, check_alpha};
use crate::categories::Categories;
use crate::counts::Partition;
use crate::tails::chi_square_tail;
use crate::{Error, Result};
use plackett::elementary::{exp2, ln, log2};

/// The G² test of independence within strata: G² = 2 Σ N_abs ln(N_abs N_s / (N_as N_bs)) over the categories of a and b
/// and over the strata s, the combinations of categories of the given nodes, against the χ² distribution.
///
/// Only what occurs is counted: the degrees of freedom are Σ_s (r_a|s − 1)(r_b|s − 1) over the strata that occur, with
/// the numbers of categories of a and b that occur in the stratum. Where one of the two does not vary in any stratum
/// there is no freedom, nothing can be shown, and the p-value is 1; so is a constant column independent of all others.
///
/// Tables with few rows per degree of freedom are tested like all others. To call a and b independent there unseen
/// loses many true edges (on ALARM with 2000 rows 14 of 46 are missing rather than 7 if ten rows are asked for), and
/// to call them dependent keeps all edges of columns of many categories (on mildew with 1000 rows the distance of the class is 86 rather than 34 if tests
/// with less than one row per degree of freedom part nothing, and 33 to 34 at a fifth of a row). Only if there would be more cells than 16 per
/// row and than 2²² in all is the answer independence, so that memory is bounded.
///
/// Counts of logarithms are added as whole numbers: the p-value is the same to the last bit whatever the order of the
/// rows, of the columns and of the categories.
///
/// ```
/// use plackett_dag::{BayesNet, independence::{GSquare, IndependenceTest}};
///
/// let asia = BayesNet::embedded("asia")?; // smoke → lung → either → xray
/// let data = asia.sample(5000, 1, BayesNet::TRAINING)?;
/// let node = |name: &str| data.names().iter().position(|other| other == name).unwrap();
/// let mut test = GSquare::new(&data, 0.01)?;
/// assert!(!test.is_independent(node("smoke"), node("xray"), &[]));
/// assert!(test.is_independent(node("smoke"), node("xray"), &[node("either")]));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GSquare<'a> {
    data: &'a Categories,
    alpha: f64,
    entropy: Arc<Entropy>,
    focus: Focus,
    /// `strata[k]` groups the rows by the first k of `given`, once the first question has been asked.
    strata: Vec<Partition>,
    given: Vec<usize>,
    is_started: bool,
    /// For each row its stratum, among the `occurring` ones, and its category of `first`, as one number.
    keys: Vec<u32>,
    occurring: usize,
    first: Option<usize>,
    map: Vec<u32>,
    counts: Vec<u32>,
    margin: Vec<u32>,
}

impl<'a> GSquare<'a> {
    /// Tests at level `alpha` on these data.
    ///
    /// # Errors
    /// [`Error::Setting`] unless 0 < α < 1; [`Error::Size`] if rows and categories are more than 32 bits can number
    /// together (16 million rows with columns of 256 categories, 1000 million with four).
    ///
    /// ```
    /// use plackett_dag::{Categories, independence::GSquare};
    /// let data = Categories::new(vec![], vec![], vec![])?;
    /// assert!(GSquare::new(&data, 0.05).is_ok() && GSquare::new(&data, 0.0).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(data: &'a Categories, alpha: f64) -> Result<Self> {
        check_alpha(alpha)?;
        let arity = (0..data.columns()).map(|column| data.arity(column)).max().unwrap_or(1).max(1);
        let (rows, most) = (data.row_count(), u32::MAX as usize / arity);
        if rows > most {
            return Err(Error::Size { what: "the list of rows", expected: most, found: rows });
        }
        Ok(Self {
            data,
            alpha,
            entropy: Arc::new(Entropy::new(data.total())),
            focus: Focus::default(),
            strata: Vec::new(),
            given: Vec::new(),
            is_started: false,
            keys: Vec::new(),
            occurring: 0,
            first: None,
            map: Vec::new(),
            counts: Vec::new(),
            margin: Vec::new(),
        })
    }

    /// Groups the rows by the given columns. What the last question has in common with this one stays.
    fn stratify(&mut self, given: &[usize]) {
        self.strata.resize_with(self.strata.len().max(given.len() + 1), Partition::default);
        if !self.is_started {
            self.strata[0].start(self.focus.rows(self.data));
            self.given.clear();
            self.first = None;
            self.is_started = true;
        }
        if self.given == given {
            return;
        }
        self.first = None;
        let common = self.given.iter().zip(given).take_while(|(old, new)| old == new).count();
        self.given.truncate(common);
        for &node in &given[common..] {
            let (coarse, fine) = self.strata.split_at_mut(self.given.len() + 1);
            let (last, next) = (&coarse[coarse.len() - 1], &mut fine[0]);
            next.refine(last, self.focus.column(self.data, node), self.data.arity(node), &mut self.map);
            self.given.push(node);
        }
    }

    /// Numbers the strata that occur and notes each row's, together with its category of `node`.
    fn take_first(&mut self, node: usize) {
        let strata = &self.strata[self.given.len()];
        let column = self.focus.column(self.data, node);
        let arity = self.data.arity(node) as u32;
        self.map.clear();
        self.map.resize(strata.groups(), u32::MAX);
        self.keys.clear();
        let mut next = 0;
        self.keys.extend(strata.ids().iter().zip(column).map(|(&id, &code)| {
            let stratum = &mut self.map[id as usize];
            if *stratum == u32::MAX {
                *stratum = next;
                next += 1;
            }
            *stratum * arity + u32::from(code)
        }));
        self.occurring = next as usize;
        self.first = Some(node);
    }

    /// Counts the rows by stratum, category of `first` and category of `node`.
    fn count(&mut self, cells: usize, node: usize) {
        let arity = self.data.arity(node);
        self.counts.clear();
        self.counts.resize(cells, 0);
        let column = self.focus.column(self.data, node);
        let cells =
            self.keys.iter().zip(column).map(|(&key, &code)| key as usize * arity + usize::from(code));
        match self.focus.weights(self.data) {
            Some(weights) => cells.zip(weights).for_each(|(cell, weight)| self.counts[cell] += weight),
            None => cells.for_each(|cell| self.counts[cell] += 1),
        }
    }

    /// G² and its degrees of freedom, from the counts.
    fn statistic(&mut self, arity_a: usize, arity_b: usize) -> (f64, u64) {
        let entropy = self.entropy.as_ref();
        let (mut half, mut freedom) = (0, 0);
        for table in self.counts.chunks_exact((arity_a * arity_b).max(1)) {
            self.margin.clear();
            self.margin.resize(arity_b, 0);
            let (mut total, mut seen_a, mut seen_b) = (0, 0, 0);
            for row in table.chunks_exact(arity_b) {
                let mut sum = 0;
                for (margin, &count) in self.margin.iter_mut().zip(row) {
                    *margin += count;
                    sum += count;
                    half += entropy.of(count);
                }
                half -= entropy.of(sum);
                total += sum;
                seen_a += u64::from(sum > 0);
            }
            for &sum in &self.margin {
                half -= entropy.of(sum);
                seen_b += u64::from(sum > 0);
            }
            half += entropy.of(total);
            freedom += (seen_a - 1) * (seen_b - 1);
        }
        (2.0 * entropy.value(half), freedom)
    }
}

impl IndependenceTest for GSquare<'_> {
    fn nodes(&self) -> usize {
        self.data.columns()
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    /// O(rows) for each given node that the last question did not begin with as well, for `a` if it is another one, and
    /// for `b`; rows are the distinct ones after [`focus`](IndependenceTest::focus).
    fn p_value(&mut self, a: usize, b: usize, given: &[usize]) -> f64 {
        const CELLS: usize = 1 << 22;
        const CELLS_PER_ROW: usize = 16;
        if !given.iter().chain([&a, &b]).all(|&node| self.focus.covers(node)) {
            self.focus.clear();
            self.is_started = false;
        }
        self.stratify(given);
        if self.first != Some(a) {
            self.take_first(a);
        }
        let (arity_a, arity_b) = (self.data.arity(a), self.data.arity(b));
        let cells = self.occurring * arity_a * arity_b;
        if cells > CELLS.max(CELLS_PER_ROW * self.data.total().min(Categories::MOST_ROWS)) {
            return 1.0;
        }
        self.count(cells, b);
        let (g_square, freedom) = self.statistic(arity_a, arity_b);
        chi_square_tail(g_square, freedom as f64)
    }

    /// Rows that agree in all these columns are counted together from now on. O(rows · nodes).
    fn focus(&mut self, nodes: &[usize]) {
        self.is_started = false;
        self.strata.resize_with(self.strata.len().max(2), Partition::default);
        self.focus.gather(self.data, nodes, &mut self.strata, &mut self.map);
    }
}

/// The distinct rows of some columns, each with the number of times it occurs; without columns, all rows of all.
#[derive(Clone, Debug, Default)]
struct Focus {
    nodes: Vec<usize>,
    columns: Vec<Vec<u8>>,
    weights: Vec<u32>,
}

impl Focus {
    fn clear(&mut self) {
        self.nodes.clear();
    }

    fn covers(&self, node: usize) -> bool {
        self.nodes.is_empty() || self.nodes.contains(&node)
    }

    fn rows(&self, data: &Categories) -> usize {
        if self.nodes.is_empty() { data.row_count() } else { self.weights.len() }
    }

    fn weights<'b>(&'b self, data: &'b Categories) -> Option<&'b [u32]> {
        if self.nodes.is_empty() { data.counts() } else { Some(&self.weights) }
    }

    fn column<'b>(&'b self, data: &'b Categories, node: usize) -> &'b [u8] {
        match self.nodes.iter().position(|&other| other == node) {
            Some(at) => &self.columns[at],
            None => data.column(node),
        }
    }

    /// Takes the distinct rows of these columns, or all rows if more than half of them are distinct.
    fn gather(&mut self, data: &Categories, nodes: &[usize], work: &mut [Partition], map: &mut Vec<u32>) {
        /// Up to here a partition may count groups that do not occur.
        const DENSE: usize = 1 << 12;
        self.clear();
        let most = data.row_count() / 2;
        work[0].start(data.row_count());
        for &node in nodes {
            let (coarse, fine) = work.split_at_mut(1);
            fine[0].refine(&coarse[0], data.column(node), data.arity(node), map);
            work.swap(0, 1);
            if work[0].groups() > most.max(DENSE) {
                return;
            }
        }
        map.clear();
        map.resize(work[0].groups(), u32::MAX);
        self.weights.clear();
        self.columns.resize_with(self.columns.len().max(nodes.len()), Vec::new);
        self.columns.iter_mut().for_each(Vec::clear);
        for (row, &group) in work[0].ids().iter().enumerate() {
            let place = &mut map[group as usize];
            if *place == u32::MAX {
                if self.weights.len() == most {
                    return;
                }
                *place = self.weights.len() as u32;
                self.weights.push(0);
                for (column, &node) in self.columns.iter_mut().zip(nodes) {
                    column.push(data.column(node)[row]);
                }
            }
            self.weights[*place as usize] += data.counts().map_or(1, |counts| counts[row]);
        }
        self.nodes.extend_from_slice(nodes);
    }
}

/// n ln n for whole n, in whole multiples of a power of two, so that sums do not depend on the order of their terms.
#[derive(Debug)]
struct Entropy {
    table: Vec<i64>,
    scale: f64,
}

impl Entropy {
    /// Larger counts are rare and are computed when they occur.
    const TABLE: usize = 1 << 16;

    /// For counts that add up to `rows`.
    fn new(rows: usize) -> Self {
        let most = rows.max(2) as f64;
        // On the way to G² / 2 the sum stays within ± 2 N ln N: a bit for the 2, one for the sign, one to spare.
        let scale = exp2(61.0 - log2(most * ln(most)).ceil());
        let table = (0..=rows.min(Self::TABLE)).map(|count| Self::compute(count as f64, scale)).collect();
        Self { table, scale }
    }

    fn compute(count: f64, scale: f64) -> i64 {
        (count * ln(count.max(1.0)) * scale).round() as i64
    }

    #[inline]
    fn of(&self, count: u32) -> i64 {
        match self.table.get(count as usize) {
            Some(&value) => value,
            None => Self::compute(f64::from(count), self.scale),
        }
    }

    fn value(&self, sum: i64) -> f64 {
        sum as f64 / self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;
    use std::collections::{HashMap, HashSet};

    fn categories(arities: &[usize], codes: Vec<Vec<u8>>) -> Categories {
        let names = (0..arities.len()).map(|column| format!("x{column}")).collect();
        let levels =
            arities.iter().map(|&arity| (0..arity).map(|level| level.to_string()).collect()).collect();
        Categories::new(names, levels, codes).unwrap()
    }

    fn draw(rng: &mut Rng, arity: usize) -> u8 {
        let place = rng.uniform() * arity as f64;
        (1..arity).filter(|&code| place >= code as f64).count() as u8
    }

    /// Columns of which each leans towards the one before it.
    fn chain(arities: &[usize], rows: usize, seed: u64) -> Categories {
        let mut rng = Rng::new(seed);
        let mut codes: Vec<Vec<u8>> = Vec::new();
        for &arity in arities {
            let column = (0..rows)
                .map(|row| match codes.last() {
                    Some(before) if rng.uniform() < 0.6 => before[row] % arity as u8,
                    _ => draw(&mut rng, arity),
                })
                .collect();
            codes.push(column);
        }
        categories(arities, codes)
    }

    /// G² and the degrees of freedom by their definition.
    fn definition(data: &Categories, a: usize, b: usize, given: &[usize]) -> (f64, f64) {
        let (mut cells, mut by_a, mut by_b, mut by_s) =
            (HashMap::new(), HashMap::new(), HashMap::new(), HashMap::new());
        for row in 0..data.row_count() {
            let stratum: Vec<u8> = given.iter().map(|&node| data.column(node)[row]).collect();
            let (x, y) = (data.column(a)[row], data.column(b)[row]);
            *cells.entry((stratum.clone(), x, y)).or_insert(0.0) += 1.0;
            *by_a.entry((stratum.clone(), x)).or_insert(0.0) += 1.0;
            *by_b.entry((stratum.clone(), y)).or_insert(0.0) += 1.0;
            *by_s.entry(stratum).or_insert(0.0) += 1.0;
        }
        let mut g_square = 0.0;
        for ((stratum, x, y), count) in &cells {
            let expected: f64 = by_a[&(stratum.clone(), *x)] * by_b[&(stratum.clone(), *y)] / by_s[stratum];
            g_square += 2.0 * count * f64::ln(count / expected);
        }
        let freedom = by_s
            .keys()
            .map(|stratum| {
                let seen_a: HashSet<u8> =
                    by_a.keys().filter(|key| key.0 == *stratum).map(|key| key.1).collect();
                let seen_b: HashSet<u8> =
                    by_b.keys().filter(|key| key.0 == *stratum).map(|key| key.1).collect();
                ((seen_a.len() - 1) * (seen_b.len() - 1)) as f64
            })
            .sum();
        (g_square, freedom)
    }

    #[test]
    fn equals_a_table_computed_by_hand() {
        // 10 rows each of (0, 0), (1, 1); 5 each of (0, 1), (1, 0): G² = 2 (20 ln(10 / 7.5) + 10 ln(5 / 7.5)).
        let cells = [(0, 0, 10), (1, 1, 10), (0, 1, 5), (1, 0, 5)];
        let column = |pick: fn(&(u8, u8, usize)) -> u8| {
            cells.iter().flat_map(|cell| std::iter::repeat_n(pick(cell), cell.2)).collect::<Vec<u8>>()
        };
        let data = categories(&[2, 2, 3], vec![column(|cell| cell.0), column(|cell| cell.1), vec![2; 30]]);
        let mut test = GSquare::new(&data, 0.05).unwrap();
        let g_square = 2.0 * (20.0 * f64::ln(4.0 / 3.0) + 10.0 * f64::ln(2.0 / 3.0));
        assert!((g_square - 3.397_980_735_907_930_8).abs() < 1e-12);
        // The tail of χ² with one degree of freedom there.
        let expected = 0.065_275_7;
        assert!((test.p_value(0, 1, &[]) - expected).abs() < 1e-6, "{}", test.p_value(0, 1, &[]));
        assert_eq!(test.p_value(0, 1, &[2]), test.p_value(1, 0, &[]));
        // A constant column is independent of all.
        assert_eq!((test.p_value(0, 2, &[]), test.p_value(2, 1, &[0])), (1.0, 1.0));
    }

    /// Any sequence of questions, with and without focus, gets the answers of the definition.
    #[test]
    fn equals_the_definition_in_any_sequence_of_questions() {
        let data = chain(&[2, 3, 4, 2, 5, 3], 400, 1);
        let mut test = GSquare::new(&data, 0.05).unwrap();
        let mut rng = Rng::new(2);
        for question in 0..300 {
            if question % 7 == 0 {
                let nodes: Vec<usize> = (0..6).filter(|_| rng.uniform() < 0.6).collect();
                test.focus(&nodes);
            }
            let a = draw(&mut rng, 6) as usize;
            let b = (a + 1 + draw(&mut rng, 5) as usize) % 6;
            let given: Vec<usize> =
                (0..6).filter(|&node| node != a && node != b && rng.uniform() < 0.4).collect();
            let (g_square, freedom) = definition(&data, a, b, &given);
            let p_value = test.p_value(a, b, &given);
            let expected = chi_square_tail(g_square, freedom);
            assert!((p_value - expected).abs() < 1e-9, "{a} {b} {given:?}: {p_value} {expected}");
            assert_eq!(p_value, GSquare::new(&data, 0.05).unwrap().p_value(b, a, &given));
        }
    }

    #[test]
    fn focus_gathers_rows_only_where_many_agree() {
        let mut rng = Rng::new(3);
        let arities = [2, 3, 4, 100, 100];
        let codes = arities.map(|arity| (0..5000).map(|_| draw(&mut rng, arity)).collect());
        let data = categories(&arities, codes.to_vec());
        let mut test = GSquare::new(&data, 0.05).unwrap();
        test.focus(&[0, 1, 2]);
        assert_eq!((test.focus.rows(&data), test.focus.weights(&data).unwrap().iter().sum()), (24, 5000));
        test.focus(&[2, 3, 4]);
        assert_eq!((test.focus.rows(&data), test.focus.weights(&data)), (5000, None));
    }

    #[test]
    fn answers_do_not_depend_on_the_order_of_rows_columns_or_categories() {
        let arities = [3, 2, 4, 3];
        let data = chain(&arities, 1000, 4);
        let p_value = GSquare::new(&data, 0.05).unwrap().p_value(0, 3, &[1, 2]);
        let turned = |column: usize| -> Vec<u8> {
            data.column(column).iter().rev().map(|&code| arities[column] as u8 - 1 - code).collect()
        };
        let other = categories(&[4, 3, 2, 3], vec![turned(2), turned(3), turned(1), turned(0)]);
        assert_eq!(GSquare::new(&other, 0.05).unwrap().p_value(1, 3, &[0, 2]), p_value);
    }

    /// Where independence holds, p-values are uniform: Kolmogorov and Smirnov's distance stays below its bound.
    #[test]
    fn p_values_under_independence_are_uniform() {
        let mut rng = Rng::new(5);
        let mut values: Vec<f64> = (0..1000)
            .map(|_| {
                let rows = 1500;
                let s: Vec<u8> = (0..rows).map(|_| draw(&mut rng, 3)).collect();
                // Both lean towards the stratum, and on nothing else.
                let mut leaning = |arity: usize| -> Vec<u8> {
                    s.iter()
                        .map(
                            |&code| {
                                if rng.uniform() < 0.4 { code % arity as u8 } else { draw(&mut rng, arity) }
                            },
                        )
                        .collect()
                };
                let codes = vec![leaning(3), leaning(2), s.clone()];
                GSquare::new(&categories(&[3, 2, 3], codes), 0.05).unwrap().p_value(0, 1, &[2])
            })
            .collect();
        values.sort_by(f64::total_cmp);
        let n = values.len() as f64;
        let distance = values
            .iter()
            .enumerate()
            .map(|(rank, value)| (value - rank as f64 / n).abs().max((value - (rank + 1) as f64 / n).abs()))
            .fold(0.0, f64::max);
        assert!(distance * n.sqrt() < 1.95, "distance {distance}"); // exceeded with probability 0.001
    }

    #[test]
    fn tables_beyond_all_rows_are_not_made() {
        let mut rng = Rng::new(6);
        let codes: Vec<Vec<u8>> = (0..5).map(|_| (0..200).map(|_| draw(&mut rng, 250)).collect()).collect();
        let data = categories(&[250; 5], codes);
        let mut test = GSquare::new(&data, 0.05).unwrap();
        assert_eq!(test.p_value(0, 1, &[2, 3, 4]), 1.0);
        assert!(test.counts.capacity() <= 1 << 22);
    }

    #[test]
    fn fixed_point_holds_n_ln_n() {
        for rows in [0, 1, 30, 20_000, 1_000_000, u32::MAX as usize] {
            let entropy = Entropy::new(rows);
            for count in [0, 1, 2, 1000, 70_000, rows].into_iter().filter(|&count| count <= rows) {
                let exact = count as f64 * (count as f64).max(1.0).ln();
                let error = (entropy.value(entropy.of(count as u32)) - exact).abs();
                assert!(error <= 1.0 / entropy.scale + 1e-15 * exact, "{count} of {rows}: {error}");
                assert!(entropy.of(count as u32).checked_mul(2).is_some());
            }
        }
    }
}
