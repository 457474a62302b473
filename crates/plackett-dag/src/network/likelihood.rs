//! How probable data are under a network.

use rayon::prelude::*;

use super::BayesNet;
use crate::categories::Categories;
use crate::error::Result;

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
    /// use plackett_dag::{BayesNet, Categories};
    ///
    /// let text = "Smoker,Pollution,Cancer,Xray,Dyspnoea\nTrue,low,True,positive,False\n";
    /// let data = Categories::from_reader(text.as_bytes(), "data.csv")?;
    /// let found = BayesNet::embedded("cancer")?.log_likelihood(&data)?;
    /// assert!((found - (0.3 * 0.9 * 0.03 * 0.9 * 0.35_f64).ln()).abs() < 1e-12);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn log_likelihood(&self, data: &Categories) -> Result<f64> {
        let codes = data.codes_under(self.names(), &self.states)?;
        let nodes: Vec<f64> =
            (0..self.dag().nodes()).into_par_iter().map(|node| self.node_likelihood(node, &codes)).collect();
        Ok(nodes.iter().sum())
    }

    fn node_likelihood(&self, node: usize, codes: &[Vec<u8>]) -> f64 {
        let mut cells = vec![0_usize; codes[node].len()];
        let parents = self.dag().parents(node).iter();
        for &column in parents.chain([&node]) {
            let arity = self.states(column).len();
            for (cell, &code) in cells.iter_mut().zip(&codes[column]) {
                *cell = *cell * arity + usize::from(code);
            }
        }
        let mut counts = vec![0_u32; self.table(node).len()];
        cells.iter().for_each(|&cell| counts[cell] += 1);
        let terms = counts.iter().zip(self.table(node)).filter(|&(&count, _)| count > 0);
        terms.map(|(&count, probability)| f64::from(count) * probability.ln()).sum()
    }
}
