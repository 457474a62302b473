//! Parquet files: flat columns of numbers, truth values and texts, read a few thousand rows at a time.

use std::collections::HashMap;
use std::fs::File;

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use plackett::run::Run;

use super::Dataset;
use super::builder::DatasetBuilder;
use super::reading::Reading;
use super::source::{SourceColumn, SourceValues, wanted};
use crate::error::{Problem, Result};

/// Rows that are read at once.
const BATCH_ROWS: usize = 8192;

/// What pandas calls an index that had no name.
const INDEX: &str = "__index_level_";

/// Reads a file in constant memory, as far as its columns need not be held.
pub(super) fn read(file: File, name: &str, reading: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let failed = |error: ParquetError| Problem::Parquet { message: error.to_string() }.in_file(name);
    let reader = SerializedFileReader::new(file).map_err(failed)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let names: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let (wanted, columns) = places(&names, reading)?;
    let unreadable: Vec<String> =
        columns.iter().filter(|&&at| !is_readable(&schema.column(at))).map(|&at| names[at].clone()).collect();
    if !unreadable.is_empty() {
        return Err(Problem::ColumnTypes { columns: unreadable }.in_file(name));
    }
    let told = Reading { columns: Some(wanted), drop: Vec::new(), ..reading.clone() };
    let mut builder = DatasetBuilder::new(name, &told);
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(failed)?;
        let mut readers: Vec<ColumnReader> = columns
            .iter()
            .map(|&at| group.get_column_reader(at))
            .collect::<parquet::errors::Result<_>>()
            .map_err(failed)?;
        let mut left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        while left > 0 {
            let rows = left.min(BATCH_ROWS);
            let mut batch = Vec::with_capacity(columns.len());
            for (&at, reader) in columns.iter().zip(&mut readers) {
                if run.is_over() {
                    return Err(builder.out_of_time());
                }
                let values = values(reader, &schema.column(at), rows).map_err(failed)?;
                batch.push(SourceColumn { name: names[at].clone(), values });
            }
            builder.push_within(batch, run)?;
            left -= rows;
        }
    }
    if builder.rows() == 0 {
        return Err(Problem::NoRows.in_file(name));
    }
    builder.settled(&[], vec!["Parquet".to_owned()], run)
}

/// The names of the columns to learn from, without an index of pandas that nobody asked for, and the places of all columns to
/// read: these, and then the weights and what tells of interventions.
pub(super) fn places(names: &[String], reading: &Reading) -> Result<(Vec<String>, Vec<usize>)> {
    let is_asked_for = |name: &String| reading.columns.as_ref().is_some_and(|columns| columns.contains(name));
    let is_index = |name: &String| name.starts_with(INDEX) && !is_asked_for(name);
    let places: Vec<usize> =
        wanted(names, reading)?.into_iter().filter(|&at| !is_index(&names[at])).collect();
    let weights_at = names.iter().position(|name| reading.weights.as_ref() == Some(name));
    let targets = reading.target_columns();
    let targets_at = targets.iter().filter_map(|column| names.iter().position(|name| name == column));
    let columns = places.iter().copied().chain(weights_at).chain(targets_at).collect();
    Ok((places.iter().map(|&at| names[at].clone()).collect(), columns))
}

/// Whether a column holds numbers, truth values or texts, one per row.
fn is_readable(column: &ColumnDescriptor) -> bool {
    let is_time = matches!(
        column.logical_type_ref(),
        Some(LogicalType::Timestamp { .. } | LogicalType::Time { .. } | LogicalType::Date)
    ) || matches!(
        column.converted_type(),
        ConvertedType::DATE
            | ConvertedType::TIME_MILLIS
            | ConvertedType::TIME_MICROS
            | ConvertedType::TIMESTAMP_MILLIS
            | ConvertedType::TIMESTAMP_MICROS
    );
    let is_plain = match column.physical_type() {
        Type::BOOLEAN | Type::FLOAT | Type::DOUBLE | Type::INT32 | Type::INT64 => !is_time,
        Type::BYTE_ARRAY => column.converted_type() != ConvertedType::DECIMAL,
        Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY => false,
    };
    is_plain && column.max_rep_level() == 0 && column.max_def_level() <= 1
}

/// The values of some rows of a column.
fn values(
    reader: &mut ColumnReader,
    column: &ColumnDescriptor,
    rows: usize,
) -> parquet::errors::Result<SourceValues> {
    let scale = if column.converted_type() == ConvertedType::DECIMAL {
        0.1_f64.powi(column.type_scale())
    } else {
        1.0
    };
    let is_unsigned = matches!(column.converted_type(), ConvertedType::UINT_32 | ConvertedType::UINT_64);
    let optional = column.max_def_level() == 1;
    let numbers = SourceValues::Numbers;
    match reader {
        ColumnReader::DoubleColumnReader(reader) => {
            Ok(numbers(filled(records(reader, optional, rows)?, f64::NAN, |&value| value)))
        }
        ColumnReader::FloatColumnReader(reader) => {
            Ok(numbers(filled(records(reader, optional, rows)?, f64::NAN, |&value| f64::from(value))))
        }
        ColumnReader::Int32ColumnReader(reader) => {
            Ok(numbers(filled(records(reader, optional, rows)?, f64::NAN, |&value| {
                scale * if is_unsigned { f64::from(value.cast_unsigned()) } else { f64::from(value) }
            })))
        }
        ColumnReader::Int64ColumnReader(reader) => {
            Ok(numbers(filled(records(reader, optional, rows)?, f64::NAN, |&value| {
                scale * if is_unsigned { value.cast_unsigned() as f64 } else { value as f64 }
            })))
        }
        ColumnReader::BoolColumnReader(reader) => {
            let codes =
                filled(records(reader, optional, rows)?, SourceValues::MISSING, |&value| u32::from(value));
            let labels = ["False", "True"].map(str::to_owned).to_vec();
            Ok(SourceValues::Categories { labels, codes, is_ordered: false })
        }
        ColumnReader::ByteArrayColumnReader(reader) => {
            let mut texts = Vec::new();
            let mut places: HashMap<Vec<u8>, u32> = HashMap::new();
            let codes = filled(records(reader, optional, rows)?, SourceValues::MISSING, |value| {
                let next = texts.len() as u32;
                *places.entry(value.data().to_vec()).or_insert_with_key(|bytes| {
                    texts.push(crate::records::decoded(bytes).trim().to_owned());
                    next
                })
            });
            Ok(SourceValues::Texts { texts, codes })
        }
        _ => Err(ParquetError::General("a type that is not read".to_owned())),
    }
}

/// Values that are there, and for each row whether it has one.
type Found<T> = (Vec<T>, Option<Vec<i16>>);

fn records<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    optional: bool,
    rows: usize,
) -> parquet::errors::Result<Found<T::T>> {
    let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::new());
    let mut read = 0;
    while read < rows {
        let (records, ..) =
            reader.read_records(rows - read, optional.then_some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(ParquetError::EOF("a column is shorter than its file says".to_owned()));
        }
        read += records;
    }
    Ok((values, optional.then_some(levels)))
}

/// One value for each row.
fn filled<T, U: Clone>((values, levels): Found<T>, missing: U, mut convert: impl FnMut(&T) -> U) -> Vec<U> {
    match levels {
        None => values.iter().map(convert).collect(),
        Some(levels) => {
            let mut values = values.iter();
            let value = |&level: &i16| match level {
                0 => missing.clone(),
                _ => values.next().map_or_else(|| missing.clone(), &mut convert),
            };
            levels.iter().map(value).collect()
        }
    }
}
