//! The data of `plackett learn`: a CSV file of numbers, streamed into its Gram matrix, or of categories, kept as small codes;
//! or an example that needs no file.

use std::{path::Path, sync::Arc};

use anyhow::Context;
use plackett_dag::{
    BayesNet, Categories, Centering, DataKind, EMBEDDED, Error, Gram, GramBuilder, GraphKind, NamedDag,
    Noise, Observations, RowReader, Sem, SemSettings, detect_kind, diagnose_moments, simulate_sem,
};

use crate::console::{BadInput, counted};

/// What there is to learn from.
pub(super) struct Data {
    /// The file, or what stands for it.
    pub source: String,
    /// The same without its folders, for the head of a picture.
    pub title: String,
    pub names: Vec<String>,
    pub values: Observations,
    /// What was done to the columns.
    pub preparation: &'static str,
    /// Why the columns were taken for numbers or for categories, where the program decided.
    pub kind_choice: Option<String>,
    /// What the user should know before trusting a graph from these data.
    pub warnings: Vec<String>,
}

/// How to take the columns.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// What the user said they are, if anything.
    pub kind: Option<DataKind>,
    pub centering: Centering,
}

/// An example that is not an embedded network.
pub(super) const SEM: (&str, &str) = ("sem", "12 variables of a random linear model");

/// Rows of an example, if the user does not say how many.
const SEM_ROWS: usize = 1000;
const NETWORK_ROWS: usize = 20_000;

/// The examples, each a name and a line on what it is.
pub(super) fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once(SEM).chain(EMBEDDED.iter().map(|network| (network.name, network.summary)))
}

/// Reads a file of numbers in one pass, whatever its length, or a file of categories into its codes.
pub(super) fn read(path: &Path, reading: Reading) -> anyhow::Result<Data> {
    let source = path.display().to_string();
    let (kind, reason) = match reading.kind {
        Some(kind) => (kind, None),
        None => detect_kind(path).map(|(kind, reason)| (kind, Some(reason)))?,
    };
    let data = match kind {
        DataKind::Discrete => of_categories(Categories::read(path)?, &source),
        DataKind::Continuous => {
            let reader = RowReader::open(path)?;
            let names = reader.names().to_vec();
            let mut builder = GramBuilder::new(names.len())?;
            let mut taken = Ok(());
            reader.for_each(|row| {
                if taken.is_ok() {
                    taken = builder.push_row(row);
                }
            })?;
            taken?;
            of_numbers(builder, names, reading.centering, &source)
        }
    };
    Ok(Data { kind_choice: reason, ..data.context(source)? })
}

/// The data of an example, and the graph behind them.
pub(super) fn example(
    name: &str,
    rows: Option<usize>,
    seed: u64,
    reading: Reading,
) -> anyhow::Result<(Data, NamedDag)> {
    let source = format!("the example {name}");
    if name != SEM.0 {
        if reading.kind == Some(DataKind::Continuous) {
            return Err(BadInput(format!(
                "the example {name} has categories; --continuous and settings of numbers do not fit"
            ))
            .into());
        }
        let network = BayesNet::embedded(name)?;
        let categories = network.sample(rows.unwrap_or(NETWORK_ROWS), seed, BayesNet::TRAINING)?;
        return Ok((of_categories(categories, &source)?, network.graph().clone()));
    }
    if reading.kind == Some(DataKind::Discrete) {
        return Err(BadInput(format!("the example {name} has numbers; --discrete does not fit")).into());
    }
    let sem = small_sem(seed)?;
    let mut builder = GramBuilder::new(sem.dag().nodes())?;
    for row in sem.sample(rows.unwrap_or(SEM_ROWS), Sem::TRAINING).rows() {
        builder.push_row(row)?;
    }
    let names = sem.graph().names().to_vec();
    Ok((of_numbers(builder, names, reading.centering, &source)?, sem.graph().clone()))
}

/// Twelve nodes with two edges each: small enough to look at, and no longer easy to guess.
fn small_sem(seed: u64) -> Result<Sem, Error> {
    let settings = SemSettings { graph: GraphKind::ErdosRenyi, degree: 2, nodes: 12, noise: Noise::Standard };
    simulate_sem(&settings, seed)
}

fn of_numbers(
    builder: GramBuilder,
    names: Vec<String>,
    centering: Centering,
    source: &str,
) -> anyhow::Result<Data> {
    check_shape(&names, builder.rows())?;
    let centered = builder.clone().finish(Centering::Center)?;
    check_size(&names, &centered)?;
    let faults = diagnose_moments(&names, centered.means(), centered.matrix());
    if !faults.is_empty() {
        return Err(Error::Columns { faults }.into());
    }
    let gram = builder.finish(centering)?;
    check_size(&names, &gram)?;
    let (rows, columns) = (gram.rows(), gram.nodes());
    let mut warnings = Vec::new();
    if rows <= columns {
        warnings.push(format!(
            "{} for {}: too few to tell causes from chance; take the graph as a list of suspicions",
            counted(rows, "row"),
            counted(columns, "column")
        ));
    }
    Ok(Data {
        source: source.to_owned(),
        title: title(source),
        names,
        values: Observations::Numbers(Arc::new(gram)),
        preparation: match centering {
            Centering::None => "not centered",
            Centering::Center => "centered",
            Centering::Standardize => "standardized",
        },
        kind_choice: None,
        warnings,
    })
}

fn of_categories(categories: Categories, source: &str) -> anyhow::Result<Data> {
    check_shape(categories.names(), categories.row_count())?;
    categories.check_columns()?;
    let name = |column: usize| &categories.names()[column];
    let mut warnings = Vec::new();
    for (copy, original) in categories.copies() {
        warnings.push(format!(
            "column \"{}\" tells the same as column \"{}\": directions among them mean nothing",
            name(copy),
            name(original)
        ));
    }
    for column in categories.crowded_columns() {
        warnings.push(format!(
            "column \"{}\" has {} categories in {} rows: too many for it to show parents or children",
            name(column),
            categories.arity(column),
            categories.row_count()
        ));
    }
    Ok(Data {
        source: source.to_owned(),
        title: title(source),
        names: categories.names().to_vec(),
        preparation: "categories",
        kind_choice: None,
        warnings,
        values: Observations::Categories(Arc::new(categories)),
    })
}

fn title(source: &str) -> String {
    Path::new(source).file_name().map_or(source.into(), |name| name.to_string_lossy()).into_owned()
}

fn check_shape(names: &[String], rows: usize) -> Result<(), BadInput> {
    if let [only] = names {
        return Err(BadInput(format!("\"{only}\" is the only column; a graph needs at least two")));
    }
    if rows == 1 {
        return Err(BadInput("there is only one row; nothing can be learned from it".to_owned()));
    }
    Ok(())
}

/// Finite values may have squares that are not.
fn check_size(names: &[String], gram: &Gram) -> Result<(), BadInput> {
    let is_too_large =
        |&column: &usize| !(0..gram.nodes()).all(|other| gram.entry(column, other).is_finite());
    match (0..gram.nodes()).find(is_too_large) {
        Some(column) => Err(BadInput(format!(
            "column \"{}\": the values are too large for their squares to be finite",
            names[column]
        ))),
        None => Ok(()),
    }
}
