//! A model as JSON: versioned, complete, and read back to the last bit.

use serde::{Deserialize, Serialize};

use super::{Distribution, Model, NodeModel};
use crate::error::{Error, Problem, Result};
use crate::graph::NamedDag;

/// What a document says it is.
const FORMAT: &str = "plackett-model";

/// The version of the format that is written, and the only one that is read.
const VERSION: u64 = 1;

/// What can be told of any version.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u64,
    program: String,
    ess: f64,
    nodes: Vec<Node>,
}

#[derive(Serialize, Deserialize)]
struct Node {
    name: String,
    rows: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    states: Vec<String>,
    parents: Vec<Parent>,
    #[serde(flatten)]
    distribution: Distribution,
}

#[derive(Serialize, Deserialize)]
struct Parent {
    name: String,
    weight: f64,
}

impl Model {
    /// The model as a JSON document.
    ///
    /// ```
    /// use plackett_dag::{Dataset, Fitting, Model, NamedDag, dataset::Reading};
    ///
    /// let text = "a,b\n1.0,3.1\n2.0,4.9\n3.0,7.2\n4.0,8.8\n5.0,11.0\n";
    /// let sample = Dataset::from_reader(text.as_bytes(), "data.csv", &Reading::default())?.sample()?;
    /// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, 1.0)])?;
    /// let text = Fitting::default().fit(&graph, &sample)?.to_json();
    /// let later = text.replace("\"version\": 1", "\"version\": 2");
    /// assert_eq!(
    ///     Model::from_json(later.as_bytes(), "model.json").unwrap_err().to_string(),
    ///     "model.json: this is no model that can be read: it is of version 2, and this program reads version 1"
    /// );
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        let names = self.graph.names();
        let parent = |node: usize| {
            move |&from: &usize| Parent {
                name: names[from].clone(),
                weight: self.graph.dag().weight(from, node),
            }
        };
        let node = |(node, model): (usize, &NodeModel)| Node {
            name: names[node].clone(),
            rows: model.rows,
            states: model.states.clone(),
            parents: self.graph.dag().parents(node).iter().map(parent(node)).collect(),
            distribution: model.distribution.clone(),
        };
        let document = Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            ess: self.ess,
            nodes: self.nodes.iter().enumerate().map(node).collect(),
        };
        // Neither keys that are no texts nor values that refuse.
        serde_json::to_string_pretty(&document).unwrap_or_default()
    }

    /// Whether a text says that it is a model, of whichever version.
    ///
    /// ```
    /// use plackett_dag::Model;
    /// assert!(Model::is_document(br#"{"format": "plackett-model", "version": 7}"#) && !Model::is_document(b"{}"));
    /// ```
    pub fn is_document(text: &[u8]) -> bool {
        serde_json::from_slice::<Head>(text).is_ok_and(|head| head.format.as_deref() == Some(FORMAT))
    }

    /// Reads a model from its JSON document; `file` is what errors call it.
    ///
    /// # Errors
    /// [`Error::Content`] for what is no such document, is of another version, or does not fit together; [`Error::GraphFile`] where
    /// its edges make no graph.
    pub fn from_json(text: &[u8], file: &str) -> Result<Self> {
        let refused = |message: String| Problem::Model { message }.in_file(file);
        let unread = |error: serde_json::Error| refused(error.to_string());
        let head: Head = serde_json::from_slice(text).map_err(unread)?;
        if head.format.as_deref() != Some(FORMAT) {
            return Err(refused(format!("it does not say that its format is \"{FORMAT}\"")));
        }
        if head.version != Some(VERSION) {
            let found = head.version.map_or("none".to_owned(), |version| version.to_string());
            return Err(refused(format!(
                "it is of version {found}, and this program reads version {VERSION}"
            )));
        }
        let document: Document = serde_json::from_slice(text).map_err(unread)?;
        let names: Vec<String> = document.nodes.iter().map(|node| node.name.clone()).collect();
        let mut edges = Vec::new();
        for (to, node) in document.nodes.iter().enumerate() {
            for parent in &node.parents {
                let from = names.iter().position(|name| *name == parent.name);
                let unknown = || {
                    refused(format!("\"{}\" has the parent \"{}\", which is no node", node.name, parent.name))
                };
                edges.push((from.ok_or_else(unknown)?, to, parent.weight));
            }
        }
        let graph = NamedDag::from_edges(names, edges)
            .map_err(|problem| Error::GraphFile { file: file.to_owned(), problem: Box::new(problem) })?;
        let nodes: Vec<NodeModel> = document
            .nodes
            .into_iter()
            .map(|node| NodeModel { states: node.states, distribution: node.distribution, rows: node.rows })
            .collect();
        let model = Self::assemble(graph, nodes, document.ess);
        model.check().map_err(refused)?;
        Ok(model)
    }

    /// What does not fit together, if anything.
    fn check(&self) -> std::result::Result<(), String> {
        for ((node, shape), name) in self.nodes.iter().zip(&self.shapes).zip(self.graph.names()) {
            let arity = node.states.len();
            let is_number = |value: &f64| value.is_finite();
            let configurations = shape.configurations();
            let fits = match &node.distribution {
                Distribution::Table(table) => {
                    let sums = || {
                        table
                            .chunks_exact(arity.max(1))
                            .all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-6)
                    };
                    arity > 0
                        && shape.numbers.is_empty()
                        && Some(table.len()) == configurations.checked_mul(arity)
                        && table.iter().all(|value| is_number(value) && *value >= 0.0)
                        && sums()
                }
                Distribution::Linear(regressions) => {
                    let fits = |regression: &super::Regression| {
                        let size = shape.numbers.len();
                        (regression.coefficients.len(), regression.errors.len()) == (size, size)
                            && regression.coefficients.iter().chain([&regression.intercept]).all(is_number)
                            && is_number(&regression.variance)
                            && regression.variance > 0.0
                    };
                    arity == 0 && regressions.len() == configurations && regressions.iter().all(fits)
                }
                Distribution::Logistic(logistic) => {
                    let fits =
                        |slopes: &Vec<f64>| slopes.len() == shape.width() + 1 && slopes.iter().all(is_number);
                    arity == logistic.coefficients.len() + 1 && logistic.coefficients.iter().all(fits)
                }
            };
            if !fits {
                return Err(format!("the figures of \"{name}\" do not fit its states and its parents"));
            }
        }
        Ok(())
    }
}
