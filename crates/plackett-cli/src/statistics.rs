//! `plackett statistics`: what learning needs of data, summed up in a file. Files of statistics are data like others, so that
//! parts merge.

use std::path::{Path, PathBuf};

use clap::Args;
use plackett::run::Run;
use plackett_dag::{
    Dataset, Statistics,
    dataset::{Kind, Reading},
};
use serde::Serialize;

use crate::{
    console::{self, counted},
    files::OutFile,
    learn::data::{ReadingArguments, open, refused, unfit},
};

/// Memory for rows that wait to be summed up.
const MOST_BYTES: usize = 1 << 26;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The data: files of rows as for `plackett learn`, or of statistics; - is standard input
    #[arg(value_name = "DATA", required = true)]
    data: Vec<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    version: &'static str,
    out: String,
    kind: &'static str,
    rows: usize,
    distinct_rows: Option<usize>,
    columns: &'a [String],
    scores: Vec<&'static str>,
    warnings: Vec<String>,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    OutFile::tried(&arguments.out)?;
    let mut reading = arguments.reading.reading(false, None, MOST_BYTES)?;
    let mut whole: Option<Statistics> = None;
    for path in &arguments.data {
        let part = part(path, &reading)?;
        if let Some(whole) = &mut whole {
            whole.merge(&part).map_err(|error| {
                anyhow::Error::new(error).context(format!("{} with the data before it", path.display()))
            })?;
        } else {
            // The first data settle what the columns are.
            reading.kind = part.kind();
            if reading.kind.is_none() {
                (reading.categorical, reading.numeric) =
                    (names_of(&part, Kind::Categories), names_of(&part, Kind::Numbers));
            }
            whole = Some(part);
        }
    }
    let Some(whole) = whole else { return Ok(()) };
    whole.save(&arguments.out)?;
    let out = arguments.out.display().to_string();
    let data = whole.clone().into_dataset(&out, &Reading::default())?;
    let document = Document {
        version: env!("CARGO_PKG_VERSION"),
        out,
        kind: whole.kind().map_or("mixed", Kind::name),
        rows: whole.rows(),
        distinct_rows: whole.distinct_rows(),
        columns: whole.names(),
        scores: whole.scores(),
        warnings: plackett_report::data_warnings(&data),
    };
    if arguments.json { console::say_json(&document) } else { console::say(&text(&document)) }
}

/// The names of the columns of a kind.
fn names_of(part: &Statistics, wanted: Kind) -> Vec<String> {
    let columns = part.names().iter().zip(part.kinds());
    columns.filter(|(_, kind)| *kind == wanted).map(|(name, _)| name.clone()).collect()
}

fn part(path: &Path, reading: &Reading) -> anyhow::Result<Statistics> {
    let source =
        if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() };
    let data: Dataset = open(path, reading, &Run::default())?;
    // The complaint shows the columns, which are gone once the data are summed up.
    let complaint = refused(&data, &source);
    Statistics::of(data).map_err(|error| unfit(error, complaint))
}

fn text(document: &Document) -> String {
    let distinct = match document.distinct_rows {
        Some(rows) if document.kind == "mixed" => {
            format!(" of {} combinations of categories", console::thousands(rows as u64))
        }
        Some(rows) => format!(", {} of them distinct", console::thousands(rows as u64)),
        None => String::new(),
    };
    let kept = match document.kind {
        "mixed" => "moments of numbers and categories",
        kind if kind == Kind::Numbers.name() => "moments of numbers",
        _ => "counts of categories",
    };
    let mut text = format!(
        "Written to {}: {kept}, {}{distinct}, {}\n",
        document.out,
        counted(document.rows, "row"),
        counted(document.columns.len(), "column"),
    );
    for warning in &document.warnings {
        text += &format!("Warning: {warning}\n");
    }
    text + &format!("plackett learn {} serves the scores {}", document.out, document.scores.join(", "))
}
