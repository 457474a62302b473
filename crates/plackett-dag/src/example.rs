//! Data to try things on, whose true graph is known: the embedded networks, and a small linear model.

use crate::{
    BayesNet, Categories, Dataset, NamedDag, Result, Sem, Table,
    dataset::{Kind, Reading, SourceColumn, SourceValues},
    network::EMBEDDED,
    simulate::{GraphKind, Noise, SemSettings, simulate_sem},
};

/// The example that is not an embedded network.
const SEM: (&str, &str) = ("sem", "12 variables of a random linear model");

/// Rows of an example, if the user does not say how many.
const SEM_ROWS: usize = 1000;
const NETWORK_ROWS: usize = 20_000;

/// The examples, each a name and a line on what it is.
///
/// ```
/// assert!(plackett_dag::example::examples().any(|(name, _)| name == "asia"));
/// ```
pub fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once(SEM).chain(EMBEDDED.iter().map(|network| (network.name, network.summary)))
}

/// Rows drawn from a known graph.
#[derive(Clone, Debug)]
pub struct Example {
    /// What it is called in messages.
    pub source: String,
    /// What its columns are.
    pub kind: Kind,
    /// The graph behind the rows.
    pub truth: NamedDag,
    columns: Vec<SourceColumn>,
}

impl Example {
    /// Draws so many rows, or as many as the example usually has.
    ///
    /// # Errors
    /// For a name that is none of [`examples`].
    ///
    /// ```
    /// use plackett_dag::{dataset::Reading, example::Example};
    /// let example = Example::draw("asia", Some(100), 0)?;
    /// let truth = example.truth.clone();
    /// assert_eq!(example.read(&Reading::default())?.names(), truth.names());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn draw(name: &str, rows: Option<usize>, seed: u64) -> Result<Self> {
        let source = format!("the example {name}");
        if name == SEM.0 {
            let sem = small_sem(seed)?;
            let columns = of_numbers(&sem.sample(rows.unwrap_or(SEM_ROWS), Sem::TRAINING));
            return Ok(Self { source, kind: Kind::Numbers, truth: sem.graph().clone(), columns });
        }
        let network = BayesNet::embedded(name)?;
        let rows = network.sample(rows.unwrap_or(NETWORK_ROWS), seed, BayesNet::TRAINING)?;
        let columns = of_categories(&rows);
        Ok(Self { source, kind: Kind::Categories, truth: network.graph().clone(), columns })
    }

    /// The data, read in this way but for their kind, which is known.
    ///
    /// # Errors
    /// Those of [`Dataset::from_columns`].
    pub fn read(self, reading: &Reading) -> Result<Dataset> {
        let told = Reading { kind: Some(self.kind), ..reading.clone() };
        Dataset::from_columns(self.columns, &self.source, &told)
    }
}

/// Twelve nodes with two edges each: small enough to look at, and no longer easy to guess.
fn small_sem(seed: u64) -> Result<Sem> {
    let settings = SemSettings { graph: GraphKind::ErdosRenyi, degree: 2, nodes: 12, noise: Noise::Standard };
    simulate_sem(&settings, seed)
}

fn of_categories(data: &Categories) -> Vec<SourceColumn> {
    let values = |column: usize| SourceValues::Categories {
        labels: data.levels(column).to_vec(),
        codes: data.column(column).iter().map(|&code| u32::from(code)).collect(),
        is_ordered: false,
    };
    named(data.names(), values)
}

fn of_numbers(data: &Table) -> Vec<SourceColumn> {
    named(data.names(), |column| SourceValues::Numbers(data.rows().map(|row| row[column]).collect()))
}

fn named(names: &[String], values: impl Fn(usize) -> SourceValues) -> Vec<SourceColumn> {
    let columns = names.iter().enumerate();
    columns.map(|(column, name)| SourceColumn { name: name.clone(), values: values(column) }).collect()
}
