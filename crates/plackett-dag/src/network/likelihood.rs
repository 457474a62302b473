//! How probable data are under a network.

use super::BayesNet;
use crate::categories::Categories;
use crate::error::Result;
use crate::parallel;
use plackett::elementary::ln;

impl BayesNet {
    /// The natural logarithm of the probability of the data, Σ over rows and nodes of log P(xᵢ | parents of i); −∞ if
    /// a row is impossible. Columns are matched with nodes by name, categories with states by their text.
    ///
    /// O(rows · (nodes + edges)); the result does not depend on the number of threads.
    ///
    /// # Errors
    /// [`Error::ColumnNames`](crate::Error::ColumnNames) unless the columns are the nodes, in any order, and
    /// [`Error::UnknownCategory`](crate::Error::UnknownCategory) if a category occurs that is no state of its node.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{BayesNet, Dataset, dataset::{Kind, Reading}};
    ///
    /// let text = "Smoker,Pollution,Cancer,Xray,Dyspnoea\nTrue,low,True,positive,False\n";
    /// let data = Dataset::from_reader(text.as_bytes(), "data.csv", &Reading::all(Kind::Categories))?.into_categories()?;
    /// let found = BayesNet::embedded("cancer")?.log_likelihood(&data)?;
    /// assert!((found - (0.3 * 0.9 * 0.03 * 0.9 * 0.35_f64).ln()).abs() < 1e-12);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn log_likelihood(&self, data: &Categories) -> Result<f64> {
        let codes = data.codes_under(self.names(), &self.states)?;
        let nodes: Vec<f64> =
            parallel::map(0..self.dag().nodes(), |node| self.node_likelihood(node, &codes, data.counts()));
        Ok(nodes.iter().sum())
    }

    fn node_likelihood(&self, node: usize, codes: &[Vec<u8>], weights: Option<&[u32]>) -> f64 {
        let mut cells = vec![0_usize; codes[node].len()];
        let parents = self.dag().parents(node).iter();
        for &column in parents.chain([&node]) {
            let arity = self.states(column).len();
            for (cell, &code) in cells.iter_mut().zip(&codes[column]) {
                *cell = *cell * arity + usize::from(code);
            }
        }
        let mut counts = vec![0_u32; self.table(node).len()];
        let weight = |row: usize| weights.map_or(1, |weights| weights[row]);
        cells.iter().enumerate().for_each(|(row, &cell)| counts[cell] += weight(row));
        let terms = counts.iter().zip(self.table(node)).filter(|&(&count, _)| count > 0);
        terms.map(|(&count, &probability)| f64::from(count) * ln(probability)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::{
        Dataset,
        dataset::{Kind, Reading},
    };

    #[test]
    fn the_probabilities_of_all_rows_sum_to_one() {
        for name in ["asia", "survey", "cancer"] {
            let net = BayesNet::embedded(name).unwrap();
            let arity: Vec<usize> = (0..net.dag().nodes()).map(|node| net.states(node).len()).collect();
            let rows: usize = arity.iter().product();
            let mut total = 0.0;
            for row in 0..rows {
                let mut rest = row;
                let mut codes = Vec::new();
                for arity in &arity {
                    codes.push(vec![(rest % arity) as u8]);
                    rest /= arity;
                }
                let data = Categories::new(net.names().to_vec(), net.states.clone(), codes).unwrap();
                total += net.log_likelihood(&data).unwrap().exp();
            }
            assert!((total - 1.0).abs() < 1e-12, "{name}: {total}");
        }
    }

    fn read(text: &str) -> Categories {
        let reading = Reading { header: Some(true), ..Reading::all(Kind::Categories) };
        Dataset::from_reader(text.as_bytes(), "d.csv", &reading).unwrap().into_categories().unwrap()
    }

    #[test]
    fn many_rows_are_the_sum_of_single_ones_and_reading_changes_nothing() {
        let net = BayesNet::embedded("insurance").unwrap();
        let data = net.sample(200, 5, BayesNet::TRAINING).unwrap();
        let found = net.log_likelihood(&data).unwrap();
        let mut expected = 0.0;
        for row in 0..200 {
            for node in 0..net.dag().nodes() {
                let configuration = net.dag().parents(node).iter().fold(0, |configuration, &parent| {
                    configuration * net.states(parent).len() + usize::from(data.column(parent)[row])
                });
                expected += net.row(node, configuration)[usize::from(data.column(node)[row])].ln();
            }
        }
        assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found} {expected}");
        let mut text = Vec::new();
        data.write_csv(&mut text, "d.csv").unwrap();
        let read = read(std::str::from_utf8(&text).unwrap());
        assert_ne!(read, data, "the file's categories are sorted, the network's are not");
        assert_eq!(net.log_likelihood(&read).unwrap(), found);
    }

    #[test]
    fn impossible_rows_and_data_of_another_network_are_told() {
        let net = BayesNet::embedded("asia").unwrap();
        let header = "asia,tub,smoke,lung,bronc,either,xray,dysp\n";
        assert_eq!(
            net.log_likelihood(&read(&format!("{header}no,yes,no,no,no,no,no,no\n"))).unwrap(),
            f64::NEG_INFINITY
        );
        let error = net.log_likelihood(&read(&format!("{header}no,no,no,no,no,no,no,maybe\n"))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "column \"dysp\" has the category \"maybe\", which is none of \"yes\", \"no\""
        );
        let error = net.log_likelihood(&read("asia,tub\nno,no\n")).unwrap_err();
        assert!(
            matches!(error, Error::ColumnNames { missing, extra } if missing.len() == 6 && extra.is_empty())
        );
    }
}
