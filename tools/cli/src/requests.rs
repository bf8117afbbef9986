//! The file of all requests of a run: a row each, as Parquet or as comma-separated values.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use host::RequestColumns;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use recipe::Failure;
use report::{Cause, Direction};

use crate::output::Destination;

/// Rows that readers of Parquet may skip together.
const ROWS_A_GROUP: usize = 1 << 20;
/// Columns of words, which stand first.
const WORDS: [&str; 2] = ["job", "direction"];

/// How requests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Parquet,
    Csv,
}

/// A file of requests that is to be written.
#[derive(Debug)]
pub struct RequestsFile {
    file: Destination,
    form: Form,
}

impl RequestsFile {
    /// Checks that `path` can be written, and that its end says how.
    ///
    /// # Errors
    /// When it does not, or cannot be written.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let form = match path.extension().and_then(|end| end.to_str()) {
            Some("parquet") => Form::Parquet,
            Some("csv") => Form::Csv,
            _ => {
                let expected = "a file that ends in .parquet or .csv";
                return Err(Failure::unexpected("--requests", path.display(), expected));
            }
        };
        Ok(RequestsFile { file: Destination::new(path)?, form })
    }

    /// Where it is written to.
    pub fn file(&self) -> &Destination {
        &self.file
    }

    /// Writes the requests.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, requests: &RequestColumns) -> Result<(), Failure> {
        self.file.write_bytes(|out| match self.form {
            Form::Csv => write_csv(requests, out),
            Form::Parquet => out.write_all(&parquet(requests).map_err(io::Error::other)?),
        })
    }
}

/// Names and values of the columns of numbers.
fn numbers(requests: &RequestColumns) -> Vec<(String, &[u64])> {
    let RequestColumns { end_ps, offset_bytes, length_bytes, .. } = requests;
    let RequestColumns { submission_ps, completion_ps, causes_ps, .. } = requests;
    let plain = [
        ("end_ps", end_ps),
        ("offset_bytes", offset_bytes),
        ("length_bytes", length_bytes),
        ("slat_ps", submission_ps),
        ("clat_ps", completion_ps),
    ];
    let plain = plain.into_iter().map(|(name, values)| (name.to_owned(), &**values));
    let causes = Cause::ALL.iter().zip(causes_ps).filter(|(_, values)| !values.is_empty());
    plain.chain(causes.map(|(cause, values)| (format!("{}_ps", cause.key()), &**values))).collect()
}

/// The words of a row: job and direction.
fn words(requests: &RequestColumns, row: usize) -> [&str; 2] {
    let job = &requests.jobs[usize::from(requests.job[row])];
    [job, Direction::ALL[usize::from(requests.direction[row])].name()]
}

fn write_csv(requests: &RequestColumns, out: &mut impl Write) -> io::Result<()> {
    let columns = numbers(requests);
    let names = WORDS.into_iter().chain(columns.iter().map(|(name, _)| name.as_str()));
    writeln!(out, "{}", names.collect::<Vec<_>>().join(","))?;
    for row in 0..requests.job.len() {
        let [job, direction] = words(requests, row);
        match job.contains([',', '"', '\n', '\r']) {
            true => write!(out, "\"{}\",{direction}", job.replace('"', "\"\""))?,
            false => write!(out, "{job},{direction}")?,
        }
        columns.iter().try_for_each(|(_, values)| write!(out, ",{}", values[row]))?;
        writeln!(out)?;
    }
    Ok(())
}

fn parquet(requests: &RequestColumns) -> Result<Vec<u8>, ParquetError> {
    let columns = numbers(requests);
    let field = |name: &str, physical, logical| {
        let field = Type::primitive_type_builder(name, physical).with_logical_type(Some(logical));
        field.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
    };
    let whole = LogicalType::integer(64, false);
    let texts = WORDS.iter().map(|name| field(name, Physical::BYTE_ARRAY, LogicalType::String));
    let counts = columns.iter().map(|(name, _)| field(name, Physical::INT64, whole.clone()));
    let fields = texts.chain(counts).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("requests").with_fields(fields).build()?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by("firmament".to_owned());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties.build()))?;
    let rows = requests.job.len();
    for begin in (0..rows).step_by(ROWS_A_GROUP) {
        let part = begin..rows.min(begin + ROWS_A_GROUP);
        let mut group = writer.next_row_group()?;
        for nth in 0..WORDS.len() {
            let texts = part.clone().map(|row| ByteArray::from(words(requests, row)[nth]));
            let texts: Vec<_> = texts.collect();
            write_column::<ByteArrayType>(&mut group, &texts)?;
        }
        for (_, values) in &columns {
            // As Parquet has it: whole numbers without a sign have the bits of those with one.
            let bits: Vec<i64> = values[part.clone()].iter().map(|&value| value as i64).collect();
            write_column::<Int64Type>(&mut group, &bits)?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(bytes)
}

/// Writes the next column of a group.
fn write_column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.expect("the schema has the column");
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}
