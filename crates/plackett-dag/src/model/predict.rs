//! What a model expects of a column given the others: its parents, its children, and what else these have as parents.

use super::{Distribution, Model};
use crate::dataset::Sample;
use crate::error::Result;
use crate::{NodeSet, parallel};
use plackett::elementary::exp;

/// How far from what its Gaussian part expects a number is looked for where logistic children have a say, in standard deviations, and
/// at how many places.
const REACH: f64 = 8.0;
const PLACES: usize = 257;

/// Rows that one thread works on.
const BLOCK: usize = 1024;

/// What is expected of a column, row by row.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Prediction {
    /// Numbers: what is expected, and its standard deviation.
    Numbers {
        /// Conditional means.
        means: Vec<f64>,
        /// Conditional standard deviations.
        deviations: Vec<f64>,
    },
    /// Categories: the probability of each state.
    Categories {
        /// The states.
        states: Vec<String>,
        /// A probability for each row and state, row by row.
        probabilities: Vec<f64>,
    },
}

impl Model {
    /// What the model expects of a column given all others, of which only the Markov blanket counts: exactly for categories and for numbers
    /// whose children are linear in them, by a sum over a grid where a child is a category.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`](crate::Error::NoSuchColumn) for a column that is no node, or a node of the blanket that is no column;
    /// [`Error::UnknownCategory`](crate::Error::UnknownCategory) and [`Error::Misfit`](crate::Error::Misfit) as
    /// [`log_likelihood`](Self::log_likelihood).
    ///
    /// ```
    /// use plackett_dag::{Dataset, Fitting, NamedDag, dataset::Reading, model::Prediction};
    ///
    /// let read = |text: &str| Dataset::from_reader(text.as_bytes(), "data.csv", &Reading::default())?.sample();
    /// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, 1.0)])?;
    /// let model = Fitting::default().fit(&graph, &read("a,b\n1.0,3.1\n2.0,4.9\n3.0,7.2\n4.0,8.8\n5.0,11.0\n")?)?;
    /// let Prediction::Numbers { means, .. } = model.predict(&read("a,c\n10.0,1\n0.5,2\n")?, "b")? else { unreachable!() };
    /// assert!((means[0] - 20.79).abs() < 1e-9);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn predict(&self, sample: &Sample, column: &str) -> Result<Prediction> {
        let node = self.node(column)?;
        let mut wanted = NodeSet::with_capacity(self.nodes.len());
        self.graph.dag().markov_blanket(node).into_iter().for_each(|other| wanted.insert(other));
        let columns = self.columns_of(sample, &wanted)?;
        let rows = sample.rows();
        let states = self.nodes[node].states.clone();
        let blocks: Vec<Vec<f64>> = parallel::map(0..rows.div_ceil(BLOCK), |block: usize| {
            let mut values = vec![0.0; self.nodes.len()];
            let mut found = Vec::new();
            let rows = block * BLOCK..rows.min((block + 1) * BLOCK);
            for row in rows {
                wanted.iter().for_each(|other| values[other] = columns[other][row]);
                if states.is_empty() {
                    let (mean, deviation) = self.expected_number(node, &mut values);
                    found.extend([mean, deviation]);
                } else {
                    found.extend(self.chances(node, states.len(), &mut values));
                }
            }
            found
        });
        let found = blocks.concat();
        Ok(if states.is_empty() {
            Prediction::Numbers {
                means: found.iter().step_by(2).copied().collect(),
                deviations: found.iter().skip(1).step_by(2).copied().collect(),
            }
        } else {
            Prediction::Categories { states, probabilities: found }
        })
    }

    /// The log-density of a node and its children, as far as it depends on the node.
    fn log_share(&self, node: usize, values: &[f64]) -> f64 {
        let children = self.graph.dag().children(node).iter();
        std::iter::once(&node).chain(children).map(|&member| self.log_density(member, values)).sum()
    }

    fn chances(&self, node: usize, states: usize, values: &mut [f64]) -> Vec<f64> {
        let logs: Vec<f64> = (0..states)
            .map(|state| {
                values[node] = state as f64;
                self.log_share(node, values)
            })
            .collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            // What is known is impossible under the model.
            return vec![1.0 / states as f64; states];
        }
        let shares: Vec<f64> = logs.iter().map(|log| exp(log - most)).collect();
        let sum: f64 = shares.iter().sum();
        shares.iter().map(|share| share / sum).collect()
    }

    /// The mean and the deviation of a number. What parents and linear children say of it is a product of Gaussians.
    fn expected_number(&self, node: usize, values: &mut [f64]) -> (f64, f64) {
        values[node] = 0.0;
        let own = &self.shapes[node];
        let Distribution::Linear(regressions) = &self.nodes[node].distribution else { return (0.0, 0.0) };
        let regression = &regressions[own.configuration(values)];
        let mut precision = 1.0 / regression.variance;
        let mut weighted = own.expected(regression, values) / regression.variance;
        let mut others = Vec::new();
        for &child in self.graph.dag().children(node) {
            let shape = &self.shapes[child];
            let Distribution::Linear(regressions) = &self.nodes[child].distribution else {
                others.push(child);
                continue;
            };
            let regression = &regressions[shape.configuration(values)];
            let place = shape.numbers.iter().position(|&parent| parent == node);
            let slope = place.map_or(0.0, |place| regression.coefficients[place]);
            precision += slope * slope / regression.variance;
            weighted += slope * (values[child] - shape.expected(regression, values)) / regression.variance;
        }
        let (mean, deviation) = (weighted / precision, precision.recip().sqrt());
        if others.is_empty() {
            return (mean, deviation);
        }
        let places = (0..PLACES).map(|place| REACH * (2.0 * place as f64 / (PLACES - 1) as f64 - 1.0));
        let logs: Vec<(f64, f64)> = places
            .map(|place| {
                values[node] = mean + deviation * place;
                let say: f64 = others.iter().map(|&child| self.log_density(child, values)).sum();
                (values[node], say - 0.5 * place * place)
            })
            .collect();
        let most = logs.iter().map(|log| log.1).fold(f64::NEG_INFINITY, f64::max);
        let sum = |power: i32, center: f64| -> f64 {
            logs.iter().map(|&(value, log)| exp(log - most) * (value - center).powi(power)).sum()
        };
        let total = sum(0, 0.0);
        let center = mean + sum(1, mean) / total;
        (center, (sum(2, center) / total).sqrt())
    }
}
