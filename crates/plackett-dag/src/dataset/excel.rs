//! Excel workbooks: the first sheet, as the text that it would be saved as.

use std::io::Cursor;

use calamine::{Data, Reader, open_workbook_auto_from_rs};
use plackett::run::Run;

use super::Dataset;
use super::reading::{Delimiter, Reading};
use crate::error::{Error, Problem, Result};
use crate::text::number_text;

/// Reads the first sheet of a workbook.
pub(super) fn read(bytes: Vec<u8>, file: &str, reading: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let refused = |message: String| Problem::Workbook { message }.in_file(file);
    let mut workbook =
        open_workbook_auto_from_rs(Cursor::new(bytes)).map_err(|error| refused(error.to_string()))?;
    let sheets = workbook.sheet_names();
    let Some(range) = workbook.worksheet_range_at(0) else {
        return Err(refused("it has no sheet".to_owned()));
    };
    let range = range.map_err(|error| refused(error.to_string()))?;
    let failed = |error: csv::Error| Error::Io { file: file.to_owned(), problem: error.into() };
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    for row in range.rows() {
        writer.write_record(row.iter().map(text)).map_err(failed)?;
    }
    let text = writer.into_inner().map_err(|error| Error::Io {
        file: file.to_owned(),
        problem: std::io::Error::other(error.to_string()),
    })?;
    let told =
        Reading { delimiter: Some(Delimiter::Byte(b',')), decimal_comma: Some(false), ..reading.clone() };
    let mut data = Dataset::from_reader_within(text.as_slice(), file, &told, run)?;
    let which = if sheets.len() > 1 { format!(", the first of {}", sheets.len()) } else { String::new() };
    data.notes.insert(0, format!("the sheet \"{}\" of a workbook{which}", crate::text::shown(&sheets[0])));
    Ok(data)
}

/// A cell as it would be written.
fn text(cell: &Data) -> String {
    match cell {
        // What a formula failed to give is missing.
        Data::Empty | Data::Error(_) => String::new(),
        Data::Int(value) => value.to_string(),
        Data::Float(value) => number_text(*value),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.trim().to_owned(),
        Data::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
        Data::DateTime(time) => {
            let (year, month, day, ..) = time.to_ymd_hms_milli();
            format!("{year:04}-{month:02}-{day:02}")
        }
    }
}
