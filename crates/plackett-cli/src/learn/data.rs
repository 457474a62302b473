//! The data of `plackett learn`: a CSV file streamed into its Gram matrix, or an example that needs no file.

use std::{path::Path, sync::Arc};

use anyhow::Context;
use plackett_dag::{
    Centring, Error, Gram, GramBuilder, GraphKind, NamedDag, Noise, RowReader, Sem, SemSettings,
    diagnose_moments, simulate_sem,
};

use crate::console::{BadInput, counted};

/// What there is to learn from.
pub(super) struct Data {
    /// The file, or what stands for it.
    pub source: String,
    /// The same without its folders, for the head of a picture.
    pub title: String,
    pub names: Vec<String>,
    pub gram: Arc<Gram>,
    /// What the user should know before trusting a graph from these data.
    pub warnings: Vec<String>,
}

/// Data that the program brings along.
pub(super) struct Example {
    pub name: &'static str,
    pub summary: &'static str,
    make: fn(u64) -> Result<Sem, Error>,
}

/// The examples by name: a new one is one line here.
pub(super) const EXAMPLES: &[Example] =
    &[Example { name: "sem", summary: "12 variables of a random linear model, 1000 rows", make: small_sem }];

const EXAMPLE_ROWS: usize = 1000;

/// Twelve nodes with two edges each: small enough to look at, and no longer easy to guess.
fn small_sem(seed: u64) -> Result<Sem, Error> {
    let settings = SemSettings { graph: GraphKind::ErdosRenyi, degree: 2, nodes: 12, noise: Noise::Standard };
    simulate_sem(&settings, seed)
}

/// Reads a file in one pass, whatever its length.
pub(super) fn read(path: &Path, centring: Centring) -> anyhow::Result<Data> {
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
    let source = path.display().to_string();
    finish(builder, names, centring, &source).context(source)
}

/// The data of an example, and the graph behind them.
pub(super) fn example(name: &str, seed: u64, centring: Centring) -> anyhow::Result<(Data, NamedDag)> {
    let example = EXAMPLES.iter().find(|example| example.name == name);
    let example = example.ok_or_else(|| BadInput(format!("there is no example {name}")))?;
    let sem = (example.make)(seed)?;
    let mut builder = GramBuilder::new(sem.dag().nodes())?;
    for row in sem.sample(EXAMPLE_ROWS, Sem::TRAINING).rows() {
        builder.push_row(row)?;
    }
    let names = sem.graph().names().to_vec();
    Ok((finish(builder, names, centring, &format!("the example {name}"))?, sem.graph().clone()))
}

fn finish(
    builder: GramBuilder,
    names: Vec<String>,
    centring: Centring,
    source: &str,
) -> anyhow::Result<Data> {
    if let [only] = names.as_slice() {
        let text = format!("\"{only}\" is the only column; a graph needs at least two");
        return Err(BadInput(text).into());
    }
    if builder.rows() == 1 {
        return Err(BadInput("there is only one row; nothing can be learned from it".to_owned()).into());
    }
    let centred = builder.clone().finish(Centring::Centre)?;
    check_size(&names, &centred)?;
    let faults = diagnose_moments(&names, centred.means(), centred.matrix());
    if !faults.is_empty() {
        return Err(Error::Columns { faults }.into());
    }
    let gram = builder.finish(centring)?;
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
    let title = Path::new(source).file_name().map_or(source.into(), |name| name.to_string_lossy());
    Ok(Data { source: source.to_owned(), title: title.into_owned(), names, gram: Arc::new(gram), warnings })
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
