//! Arrow IPC files, which Feather files are too: flat columns of numbers, truth values, texts and dictionaries, read a batch at a
//! time. What is a dictionary in the file is a column of categories, in an order that means something if the file says so.

use std::collections::HashMap;
use std::fs::File;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_schema::{ArrowError, DataType, Field};
use plackett::run::Run;

use super::Dataset;
use super::builder::DatasetBuilder;
use super::parquet::places;
use super::reading::Reading;
use super::source::{SourceColumn, SourceValues};
use crate::error::{Problem, Result};
use crate::text::number_text;

/// Reads a file in the memory of one batch, as far as its columns need not be held.
pub(super) fn read(file: File, name: &str, reading: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let failed = |error: ArrowError| Problem::Arrow { message: error.to_string() }.in_file(name);
    let reader = FileReader::try_new_buffered(file, None).map_err(failed)?;
    let schema = reader.schema();
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let (places, columns) = places(&names, reading)?;
    let is_readable = |at: &usize| is_readable(schema.field(*at).data_type());
    let unreadable: Vec<String> =
        columns.iter().filter(|at| !is_readable(at)).map(|&at| names[at].clone()).collect();
    if !unreadable.is_empty() {
        return Err(Problem::ColumnTypes { columns: unreadable }.in_file(name));
    }
    let told = Reading { columns: Some(places), drop: Vec::new(), ..reading.clone() };
    let mut builder = DatasetBuilder::new(name, &told);
    for batch in reader {
        let batch: RecordBatch = batch.map_err(failed)?;
        let column = |&at: &usize| {
            let values = values(batch.column(at).as_ref(), schema.field(at));
            let other =
                || failed(ArrowError::SchemaError(format!("column \"{}\" has another type", names[at])));
            Ok(SourceColumn { name: names[at].clone(), values: values.ok_or_else(other)? })
        };
        if run.is_over() {
            return Err(builder.out_of_time());
        }
        builder.push_within(columns.iter().map(column).collect::<Result<_>>()?, run)?;
    }
    if builder.rows() == 0 {
        return Err(Problem::NoRows.in_file(name));
    }
    builder.settled(&[], vec!["Arrow".to_owned()], run)
}

/// Whether a column holds numbers, truth values, texts or a dictionary of these.
fn is_readable(kind: &DataType) -> bool {
    let is_text = matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    match kind {
        DataType::Dictionary(_, values) => is_readable(values),
        _ => {
            is_text
                || kind.is_integer()
                || kind.is_floating()
                || matches!(kind, DataType::Boolean | DataType::Null)
        }
    }
}

fn values(array: &dyn Array, field: &Field) -> Option<SourceValues> {
    match array.data_type() {
        DataType::Null => Some(SourceValues::Numbers(vec![f64::NAN; array.len()])),
        DataType::Boolean => {
            let codes = array.as_boolean().iter().map(|value| value.map_or(SourceValues::MISSING, u32::from));
            let labels = ["False", "True"].map(str::to_owned).to_vec();
            Some(SourceValues::Categories { labels, codes: codes.collect(), is_ordered: false })
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let labels = labels(dictionary.values().as_ref())?;
            let keys = if labels.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
            let code = |(row, &key): (usize, &usize)| {
                let is_there =
                    !dictionary.keys().is_null(row) && labels.get(key).is_some_and(Option::is_some);
                if is_there { key as u32 } else { SourceValues::MISSING }
            };
            let codes = keys.iter().enumerate().map(code).collect();
            let labels = labels.into_iter().map(Option::unwrap_or_default).collect();
            let is_ordered = field.dict_is_ordered() == Some(true);
            Some(SourceValues::Categories { labels, codes, is_ordered })
        }
        _ => numbers(array).map(SourceValues::Numbers).or_else(|| {
            let (mut texts, mut places) = (Vec::new(), HashMap::new());
            let code = |text: Option<&str>| {
                let Some(text) = text else { return SourceValues::MISSING };
                let next = texts.len() as u32;
                *places.entry(text.to_owned()).or_insert_with(|| {
                    texts.push(text.trim().to_owned());
                    next
                })
            };
            let codes = texts_of(array)?.into_iter().map(code).collect();
            Some(SourceValues::Texts { texts, codes })
        }),
    }
}

/// The values of a dictionary as labels.
fn labels(values: &dyn Array) -> Option<Vec<Option<String>>> {
    let number = |number: f64| (!number.is_nan()).then(|| number_text(number));
    let of_numbers = numbers(values).map(|numbers| numbers.into_iter().map(number).collect());
    of_numbers.or_else(|| Some(texts_of(values)?.into_iter().map(|text| text.map(str::to_owned)).collect()))
}

fn texts_of(array: &dyn Array) -> Option<Vec<Option<&str>>> {
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().iter().collect()),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().iter().collect()),
        DataType::Utf8View => Some(array.as_string_view().iter().collect()),
        _ => None,
    }
}

/// Numbers of any width, NaN where they are missing.
fn numbers(array: &dyn Array) -> Option<Vec<f64>> {
    fn of<T: ArrowPrimitiveType>(array: &dyn Array, convert: impl Fn(T::Native) -> f64) -> Option<Vec<f64>> {
        let values = array.as_primitive_opt::<T>()?;
        Some(values.iter().map(|value| value.map_or(f64::NAN, &convert)).collect())
    }
    match array.data_type() {
        DataType::Int8 => of::<Int8Type>(array, f64::from),
        DataType::Int16 => of::<Int16Type>(array, f64::from),
        DataType::Int32 => of::<Int32Type>(array, f64::from),
        DataType::Int64 => of::<Int64Type>(array, |value| value as f64),
        DataType::UInt8 => of::<UInt8Type>(array, f64::from),
        DataType::UInt16 => of::<UInt16Type>(array, f64::from),
        DataType::UInt32 => of::<UInt32Type>(array, f64::from),
        DataType::UInt64 => of::<UInt64Type>(array, |value| value as f64),
        DataType::Float16 => of::<Float16Type>(array, f64::from),
        DataType::Float32 => of::<Float32Type>(array, f64::from),
        DataType::Float64 => of::<Float64Type>(array, |value| value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float32Array, Int64Array, StringArray,
    };
    use arrow_ipc::writer::FileWriter;
    use arrow_schema::Schema;

    use super::super::Kind;
    use super::*;

    fn file(columns: Vec<(Field, ArrayRef)>) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
        let mut writer = FileWriter::try_new(file.as_file(), &batch.schema()).unwrap();
        // Two batches make no difference.
        writer.write(&batch.slice(0, 3)).unwrap();
        writer.write(&batch.slice(3, batch.num_rows() - 3)).unwrap();
        writer.finish().unwrap();
        drop(writer);
        file
    }

    fn column(name: &str, array: impl Array + 'static) -> (Field, ArrayRef) {
        (Field::new(name, array.data_type().clone(), true), Arc::new(array))
    }

    #[test]
    fn types_are_honored_and_gaps_are_gaps() {
        let grades: DictionaryArray<Int8Type> =
            [Some("low"), Some("high"), None, Some("low"), Some("high")].into_iter().collect();
        let (grade, grades) = column("grade", grades);
        let file = file(vec![
            column("size", Float32Array::from(vec![0.5, 1.5, 2.5, 3.5, 4.0])),
            column("count", Int64Array::from(vec![Some(3), None, Some(1), Some(2), Some(2)])),
            column("is_old", BooleanArray::from(vec![true, false, true, true, false])),
            column("city", StringArray::from(vec!["x", "y", "x", "x", "y"])),
            (grade.with_dict_is_ordered(true), grades),
            column("__index_level_0__", Int64Array::from(vec![0, 1, 2, 3, 4])),
        ]);
        let data = Dataset::read(file.path(), &Reading::default()).unwrap();
        assert_eq!((data.rows(), data.notes()), (5, ["Arrow".to_owned()].as_slice()));
        let found: Vec<_> = data
            .columns()
            .iter()
            .map(|column| (column.name.as_str(), column.kind, column.missing, column.is_ordered))
            .collect();
        let (n, c) = (Kind::Numbers, Kind::Categories);
        assert_eq!(
            found,
            [
                ("size", n, 0, false),
                ("count", n, 1, false),
                ("is_old", c, 0, false),
                ("city", c, 0, false),
                ("grade", c, 1, true)
            ]
        );
        assert_eq!(data.categories(4).unwrap(), (&["low".into(), "high".into()][..], &[0, 1, 0, 0, 1][..]));
        assert!(data.is_missing(4, 2) && data.is_missing(1, 1));
        let reading = Reading { columns: Some(vec!["city".into(), "size".into()]), ..Reading::default() };
        assert_eq!(Dataset::read(file.path(), &reading).unwrap().names(), ["city", "size"]);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let dates = file(vec![
            column("day", Date32Array::from(vec![1, 2, 3, 4])),
            column("size", Float32Array::from(vec![0.5, 1.5, 2.5, 3.5])),
        ]);
        let error = Dataset::read(dates.path(), &Reading::default()).unwrap_err().to_string();
        assert!(error.contains("\"day\" is of a type that is neither numbers"), "{error}");
        let mut broken = tempfile::NamedTempFile::new().unwrap();
        broken.write_all(b"ARROW1\0\0 and then nothing").unwrap();
        let error = Dataset::read(broken.path(), &Reading::default()).unwrap_err().to_string();
        assert!(error.contains("the Arrow file cannot be read"), "{error}");
    }
}
