//! How far a learned graph can be trusted: what is learned from rows drawn anew.

use plackett::run::{Progress, Run};
use plackett_dag::{Bootstrap, Support as Inner};
use pyo3::{exceptions::PyKeyboardInterrupt, prelude::*};

use crate::{
    arrays::room,
    data::Data,
    error::Failure,
    graph::Pairs,
    interrupt::interruptible,
    learn::{Settings, explained},
};

/// How often two columns were joined in the replicates of a bootstrap, and which way.
#[pyclass(module = "plackett._plackett")]
pub(crate) struct Support {
    inner: Inner,
}

impl Support {
    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }
}

#[pymethods]
impl Support {
    #[new]
    fn new(nodes: usize) -> Self {
        Self { inner: Inner::new(nodes) }
    }

    /// A saved one, of what the subject says.
    #[staticmethod]
    fn from_json(text: &str, subject: &str) -> Result<Self, Failure> {
        Ok(Self { inner: Inner::from_json(text, subject).map_err(explained)? })
    }

    fn to_json(&self, subject: &str) -> String {
        self.inner.to_json(subject)
    }

    #[getter]
    fn replicates(&self) -> usize {
        self.inner.replicates()
    }

    /// Those of these replicates that are not in it.
    fn missing(&self, wanted: u64) -> Result<Vec<u64>, Failure> {
        // As Python lists them, a number takes about as much, and parts of the list once more.
        room::<[u64; 8]>(usize::try_from(wanted).unwrap_or(usize::MAX), 1)?;
        Ok((0..wanted).filter(|&number| !self.inner.has(number)).collect())
    }

    /// Takes in the replicates of another.
    fn merge(&mut self, other: &Self) -> Result<(), Failure> {
        Ok(self.inner.merge(&other.inner)?)
    }

    /// Pairs that were ever joined, with the shares in any way, forward, backward and without a direction.
    #[getter]
    fn pairs(&self) -> Vec<(usize, usize, f64, f64, f64, f64)> {
        let pairs = self.inner.pairs();
        pairs
            .map(|(a, b, pair)| (a, b, pair.adjacent, pair.forward, pair.backward, pair.undirected))
            .collect()
    }

    fn consensus(&self, threshold: f64) -> (Pairs, Pairs) {
        let consensus = self.inner.consensus(threshold);
        (consensus.directed().to_vec(), consensus.undirected().to_vec())
    }
}

/// Makes the replicates of these numbers, as many as there is time for. `progress`, if given, is called as that of `learn`, and ends
/// the run by raising.
#[pyfunction]
pub(crate) fn bootstrap(
    py: Python<'_>,
    data: &Data,
    settings: Settings,
    start: Option<Vec<usize>>,
    numbers: Vec<u64>,
    progress: Option<Bound<'_, PyAny>>,
) -> Result<Support, Failure> {
    let (mut learning, limits) = (settings.learning()?, settings.limits());
    learning.bounds = settings.known(data)?.map(|known| known.bounds().clone());
    let Some(rows) = &data.rows_held else {
        return Err(Failure::new("bootstrap needs rows, and these data have none".to_owned()));
    };
    let tell = |news: &Progress| match &progress {
        Some(progress) => progress.call1((&news.stage, news.done, news.total)).map(drop),
        None => Ok(()),
    };
    let mut support = Inner::new(data.observations.columns());
    let (outcome, raised) = interruptible(py, tell, |observer| {
        let run = Run::new(limits).observed(observer);
        let bootstrap = Bootstrap { learning: &learning, rows, start: start.as_deref() };
        bootstrap.extend(&mut support, numbers, &mut |_| (), &run)
    });
    match raised {
        // Ctrl-C asks for the replicates so far.
        Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error.into()),
        _ => outcome.map(|()| Support { inner: support }).map_err(explained),
    }
}
