//! Models to draw data from: linear ones with a random graph, and discrete networks.

use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use plackett_dag::{
    BayesNet, Categories, NamedDag, Sem,
    network::{EMBEDDED, Inference},
    simulate::{GraphKind, Noise, SemSettings},
};
use pyo3::prelude::*;

use crate::{
    arrays::{Rows, matrix, room},
    error::Failure,
    graph,
};

/// Rows, and what was set from outside in each.
type Experiments<'py> = (Bound<'py, PyArray2<f64>>, Vec<Vec<usize>>);

/// A linear Gaussian structural equation model.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct LinearModel {
    sem: Sem,
}

#[pymethods]
impl LinearModel {
    /// Draws a graph and its weights.
    #[staticmethod]
    fn simulate(
        graph: &str,
        degree: usize,
        nodes: usize,
        noise: Option<(f64, f64)>,
        seed: u64,
    ) -> Result<Self, Failure> {
        let graph = match graph {
            "er" => GraphKind::ErdosRenyi,
            "sf" => GraphKind::ScaleFree,
            other => return Err(Failure::new(format!("graph is \"{other}\": it must be er or sf"))),
        };
        room::<f64>(nodes, nodes)?;
        let noise = noise.map_or(Noise::Standard, |(low, high)| Noise::Unequal { low, high });
        let sem = plackett_dag::simulate::simulate_sem(&SemSettings { graph, degree, nodes, noise }, seed)?;
        Ok(Self { sem })
    }

    /// The names of the nodes.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.sem.graph().names().to_vec()
    }

    /// The weights of the edges.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        graph::adjacency(py, self.sem.dag())
    }

    /// The standard deviation of each node's noise.
    #[getter]
    fn noise_deviations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.sem.noise_deviations())
    }

    /// The covariance matrix of the model.
    fn covariance<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        let nodes = self.sem.dag().nodes();
        matrix(py, self.sem.covariance(), nodes, nodes)
    }

    /// Rows of one of the model's random streams.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
        stream: u64,
    ) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        let columns = self.sem.dag().nodes();
        let mut values = room(rows, columns)?;
        py.detach(|| self.sem.sample_each(rows, stream, |row| values.extend_from_slice(row)));
        matrix(py, values, rows, columns)
    }

    /// So many nodes to intervene on.
    fn random_targets(&self, count: usize) -> Vec<usize> {
        self.sem.random_targets(count)
    }

    /// Rows that are observed and rows of experiments, and what was set in each.
    fn sample_experiments<'py>(
        &self,
        py: Python<'py>,
        observed: usize,
        experiments: Vec<Vec<usize>>,
        rows_each: usize,
        stream: u64,
    ) -> Result<Experiments<'py>, Failure> {
        let columns = self.sem.dag().nodes();
        let rows = observed.saturating_add(experiments.len().saturating_mul(rows_each));
        room::<f64>(rows, columns)?;
        let (table, told) =
            py.detach(|| self.sem.sample_experiments(observed, &experiments, rows_each, stream))?;
        let targets = told.row_targets().map(<[usize]>::to_vec).collect();
        Ok((matrix(py, table.values().to_vec(), rows, columns)?, targets))
    }
}

/// A discrete Bayesian network.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct Network {
    pub(crate) network: BayesNet,
}

#[pymethods]
impl Network {
    /// The names of the networks that are brought along.
    #[staticmethod]
    fn known() -> Vec<&'static str> {
        EMBEDDED.iter().map(|network| network.name).collect()
    }

    /// A network that is brought along.
    #[staticmethod]
    fn embedded(name: &str) -> Result<Self, Failure> {
        Ok(Self { network: BayesNet::embedded(name)? })
    }

    /// The network of a BIF text; `file` is what errors call it.
    #[staticmethod]
    fn from_bif(text: &str, file: &str) -> Result<Self, Failure> {
        Ok(Self { network: BayesNet::from_bif(text, file)? })
    }

    /// The network with these states, edges, and tables: rows by the configurations of ascending parents.
    #[staticmethod]
    fn from_tables(
        names: Vec<String>,
        states: Vec<Vec<String>>,
        edges: graph::Pairs,
        tables: Vec<Vec<f64>>,
    ) -> Result<Self, Failure> {
        let graph = NamedDag::from_edges(names, edges.into_iter().map(|(from, to)| (from, to, 1.0)))?;
        Ok(Self { network: BayesNet::new(graph, states, tables)? })
    }

    /// The probabilities of the states of one node or of all, given what is observed and what is set.
    fn marginals(
        &self,
        py: Python<'_>,
        node: Option<String>,
        evidence: Vec<(String, String)>,
        set: Vec<(String, String)>,
        memory: usize,
    ) -> Result<Vec<Vec<f64>>, Failure> {
        let inference = Inference { evidence, set, memory_bytes: memory.saturating_mul(1 << 20) };
        py.detach(|| match node {
            Some(node) => Ok(vec![inference.marginal(&self.network, &node)?]),
            None => Ok(inference.marginals(&self.network)?),
        })
    }

    /// The logarithm of the probability of evidence, given what is set.
    fn log_probability(
        &self,
        py: Python<'_>,
        evidence: Vec<(String, String)>,
        set: Vec<(String, String)>,
    ) -> Result<f64, Failure> {
        let inference = Inference { evidence, set, ..Inference::default() };
        py.detach(|| Ok(inference.log_probability(&self.network)?))
    }

    /// The names of the nodes.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.network.names().to_vec()
    }

    /// The names of the states of each node.
    #[getter]
    fn states(&self) -> Vec<Vec<String>> {
        (0..self.network.dag().nodes()).map(|node| self.network.states(node).to_vec()).collect()
    }

    /// The adjacency matrix.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        graph::adjacency(py, self.network.dag())
    }

    /// Probabilities that can be chosen freely.
    #[getter]
    fn free_parameters(&self) -> usize {
        self.network.free_parameters()
    }

    /// A node's table, one row per configuration of its parents, the last parent changing fastest.
    fn table<'py>(&self, py: Python<'py>, node: usize) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.network.table(node))
    }

    /// Rows of one of a seed's random streams, as codes that index the states; one row of the answer per node.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
        seed: u64,
    ) -> Result<Bound<'py, PyArray2<u8>>, Failure> {
        room::<u8>(rows, self.network.dag().nodes())?;
        let data = py.detach(|| self.network.sample(rows, seed, BayesNet::TRAINING))?;
        let mut codes = Vec::with_capacity(rows * data.columns());
        (0..data.columns()).for_each(|column| codes.extend_from_slice(data.column(column)));
        matrix(py, codes, data.columns(), rows)
    }

    /// The log-probability of data, codes as [`Network::sample`] gives them.
    fn log_likelihood(&self, py: Python<'_>, codes: PyReadonlyArray2<'_, u8>) -> Result<f64, Failure> {
        let data = categories(self.names(), self.states(), &codes)?;
        py.detach(|| Ok(self.network.log_likelihood(&data)?))
    }

    /// The network as a BIF text.
    fn to_bif(&self) -> String {
        self.network.to_bif()
    }
}

/// Categorical data from codes with a row per column of the data.
pub(crate) fn categories(
    names: Vec<String>,
    levels: Vec<Vec<String>>,
    codes: &PyReadonlyArray2<'_, u8>,
) -> Result<Categories, Failure> {
    let codes = Rows::of(codes, "codes")?;
    Ok(Categories::new(names, levels, codes.iter().map(<[u8]>::to_vec).collect())?)
}
