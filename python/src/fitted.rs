//! Models fitted to data.

use numpy::PyReadonlyArray2;
use plackett_dag::{Fitting, Model, NamedDag, dataset::SourceValues, model::Prediction};
use pyo3::{IntoPyObjectExt as _, prelude::*, types::PyList};

use crate::{data::Data, error::Failure, graph, model::Network};

/// States, none for numbers, and arrays of what is expected.
type Predicted<'py> = (Option<Vec<String>>, Vec<Bound<'py, numpy::PyArray1<f64>>>);

/// A graph with a distribution for each node.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct FittedModel {
    model: Model,
}

#[pymethods]
impl FittedModel {
    /// Fits a graph to data.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        names: Vec<String>,
        graph: PyReadonlyArray2<'_, f64>,
        data: &Data,
        ess: f64,
    ) -> Result<Self, Failure> {
        let graph = NamedDag::new(names, graph::dag(&graph)?)?;
        py.detach(|| Ok(Self { model: Fitting { ess }.fit(&graph, &data.sample()?)? }))
    }

    /// The model of a JSON document; `file` is what errors call it.
    #[staticmethod]
    fn from_json(text: &str, file: &str) -> Result<Self, Failure> {
        Ok(Self { model: Model::from_json(text.as_bytes(), file)? })
    }

    /// The JSON document.
    fn to_json(&self) -> String {
        self.model.to_json()
    }

    /// The same as a network, if all columns are categories.
    fn to_network(&self) -> Option<Network> {
        self.model.to_network().map(|network| Network { network })
    }

    /// The log-density of data.
    fn log_likelihood(&self, py: Python<'_>, data: &Data) -> Result<f64, Failure> {
        py.detach(|| Ok(self.model.log_likelihood(&data.sample()?)?))
    }

    /// Rows drawn from the model: of each column its states, none for numbers, and its values or codes.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
        seed: u64,
        set: Vec<(String, String)>,
    ) -> Result<Bound<'py, PyList>, Failure> {
        crate::arrays::room::<f64>(rows, self.model.nodes().len())?;
        let set: Vec<(&str, &str)> =
            set.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let drawn = py.detach(|| self.model.draw(rows, seed, &set))?;
        let list = PyList::empty(py);
        for column in drawn {
            let pair = match column.values {
                SourceValues::Numbers(values) => {
                    (None::<Vec<String>>, numpy::PyArray1::from_vec(py, values).into_bound_py_any(py)?)
                }
                SourceValues::Categories { labels, codes, .. } => {
                    (Some(labels), numpy::PyArray1::from_vec(py, codes).into_bound_py_any(py)?)
                }
                SourceValues::Texts { texts, codes } => {
                    (Some(texts), numpy::PyArray1::from_vec(py, codes).into_bound_py_any(py)?)
                }
            };
            list.append(pair)?;
        }
        Ok(list)
    }

    /// What is expected of a column: means and deviations, or probabilities row by row.
    fn predict<'py>(&self, py: Python<'py>, data: &Data, column: &str) -> Result<Predicted<'py>, Failure> {
        let found = py.detach(|| Ok::<_, Failure>(self.model.predict(&data.sample()?, column)?))?;
        let array = |values: Vec<f64>| numpy::PyArray1::from_vec(py, values);
        Ok(match found {
            Prediction::Numbers { means, deviations } => (None, vec![array(means), array(deviations)]),
            Prediction::Categories { states, probabilities } => (Some(states), vec![array(probabilities)]),
            _ => return Err(Failure::new("this prediction is of a kind that is not known here")),
        })
    }
}
