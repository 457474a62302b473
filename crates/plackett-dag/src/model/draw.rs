//! Rows drawn from a model: each node after its parents, from a random stream of its own.

use plackett::elementary::exp;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::{Distribution, Model};
use crate::dataset::{SourceColumn, SourceValues};
use crate::error::Result;
use crate::normal::standard_normal;

/// Sets these streams apart from those of simulated models and networks.
const PURPOSE: u8 = 17;

impl Model {
    /// Draws rows, as columns with the names of the nodes. The same seed gives the same rows, and more rows begin with the fewer.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`](crate::Error::NoSuchColumn) if `set` names no node, and
    /// [`Error::UnknownCategory`](crate::Error::UnknownCategory) if a category is set to what is none of its states.
    ///
    /// What is `set` does not follow its parents but has the value given, as after do(name = value).
    ///
    /// ```
    /// use plackett_dag::{Dataset, Fitting, NamedDag, dataset::{Reading, SourceValues}};
    ///
    /// let text = "a,b\n1.0,3.1\n2.0,4.9\n3.0,7.2\n4.0,8.8\n5.0,11.0\n";
    /// let sample = Dataset::from_reader(text.as_bytes(), "data.csv", &Reading::default())?.sample()?;
    /// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, 1.0)])?;
    /// let drawn = Fitting::default().fit(&graph, &sample)?.draw(1000, 7, &[("a", "10")])?;
    /// let SourceValues::Numbers(b) = &drawn[1].values else { unreachable!() };
    /// assert!((b.iter().sum::<f64>() / 1000.0 - 20.79).abs() < 0.1);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn draw(&self, rows: usize, seed: u64, set: &[(&str, &str)]) -> Result<Vec<SourceColumn>> {
        let mut fixed = vec![None; self.nodes.len()];
        for (name, value) in set {
            let node = self.node(name)?;
            fixed[node] = Some(self.value_of(node, value)?);
        }
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); self.nodes.len()];
        for &node in self.graph.dag().topological_order() {
            columns[node] = match fixed[node] {
                Some(value) => vec![value; rows],
                None => self.draw_node(node, rows, seed, &columns),
            };
        }
        let named = self.graph.names().iter().zip(&self.nodes).zip(columns);
        Ok(named
            .map(|((name, node), values)| SourceColumn {
                name: name.clone(),
                values: if node.states.is_empty() {
                    SourceValues::Numbers(values)
                } else {
                    #[expect(clippy::cast_sign_loss, reason = "codes")]
                    let codes = values.into_iter().map(|code| code as u32).collect();
                    SourceValues::Categories { labels: node.states.clone(), codes, is_ordered: false }
                },
            })
            .collect())
    }

    /// A text as a value of a node: a number, or the code of a state as one.
    pub(super) fn value_of(&self, node: usize, text: &str) -> Result<f64> {
        let states = &self.nodes[node].states;
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        let found = if states.is_empty() {
            number
        } else {
            states.iter().position(|state| state == text).map(|place| place as f64)
        };
        found.ok_or_else(|| crate::Error::UnknownCategory {
            column: self.graph.names()[node].clone(),
            category: text.to_owned(),
            known: if states.is_empty() { vec!["a number".to_owned()] } else { states.clone() },
        })
    }

    fn draw_node(&self, node: usize, rows: usize, seed: u64, columns: &[Vec<f64>]) -> Vec<f64> {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8] = PURPOSE;
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(node as u64);
        let shape = &self.shapes[node];
        let mut values = vec![0.0; self.nodes.len()];
        let mut predictors = Vec::new();
        let draw = |row: usize| {
            self.graph.dag().parents(node).iter().for_each(|&parent| values[parent] = columns[parent][row]);
            match &self.nodes[node].distribution {
                Distribution::Table(table) => {
                    let arity = self.nodes[node].states.len();
                    let cells = &table[shape.configuration(&values) * arity..][..arity];
                    pick(cells.iter().copied(), rng.random())
                }
                Distribution::Linear(regressions) => {
                    let regression = &regressions[shape.configuration(&values)];
                    let noise = standard_normal(&mut rng);
                    shape.expected(regression, &values) + regression.variance.sqrt() * noise
                }
                Distribution::Logistic(logistic) => {
                    predictors.clear();
                    shape.predictors(&values, &mut predictors);
                    let chances = logistic.log_probabilities(&predictors);
                    pick(chances.into_iter().map(exp), rng.random())
                }
            }
        };
        (0..rows).map(draw).collect()
    }
}

/// The state whose share of the line from zero to one holds a uniform number; rounding leaves nothing beyond the last possible one.
fn pick(chances: impl Iterator<Item = f64>, uniform: f64) -> f64 {
    let (mut sum, mut last) = (0.0, 0);
    for (state, chance) in chances.enumerate() {
        if chance > 0.0 {
            (sum, last) = (sum + chance, state);
            if uniform < sum {
                break;
            }
        }
    }
    last as f64
}
