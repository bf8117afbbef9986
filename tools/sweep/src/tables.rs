//! The tables of a sweep: rows as CSV and Parquet, and means over seeds.

use runs::confidence::{Interval, Level};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use crate::columns::{columns, figures, Column, Values};
use crate::definition::Sweep;
use crate::error::SweepError;
use crate::figures::FIGURES;
use crate::grid::Point;
use crate::journal::{Journal, Row};

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// A row a point.
    pub csv: PathBuf,
    /// The same.
    pub parquet: PathBuf,
    /// Means over seeds, where there are several.
    pub summary: Option<PathBuf>,
}

/// Writes the tables of the rows that there are into a folder.
///
/// # Errors
/// If one cannot be written.
pub fn write(sweep: &Sweep, journal: &Journal, folder: &Path) -> Result<Tables, SweepError> {
    let rows = journal.with_points(sweep);
    let csv = folder.join("results.csv");
    whole(&csv, |file| write_csv(sweep, &rows, file))?;
    let parquet = folder.join("results.parquet");
    whole(&parquet, |file| write_parquet(sweep, &rows, file).map_err(io::Error::other))?;
    let has_seeds = rows.iter().any(|(point, _)| point.setup != point.number);
    let summary = has_seeds.then(|| folder.join("summary.csv"));
    if let Some(path) = &summary {
        whole(path, |file| write_summary(sweep, &rows, file))?;
    }
    Ok(Tables { csv, parquet, summary })
}

/// Writes a file that takes its place when all of it is there.
fn whole(path: &Path, write: impl FnOnce(File) -> io::Result<()>) -> Result<(), SweepError> {
    let new = path.with_extension("new");
    for file in [path, &new] {
        SweepError::if_read(file)?;
    }
    let written = File::create(&new).and_then(write).and_then(|()| fs::rename(&new, path));
    written.map_err(|error| SweepError::file(path, &error, "a table to be written"))
}

fn write_csv(sweep: &Sweep, rows: &[(Point, &Row)], file: File) -> io::Result<()> {
    let mut out = csv::Writer::from_writer(io::BufWriter::new(file));
    let keys = sweep.keys().iter().map(String::as_str);
    out.write_record(
        ["point", "seed"].into_iter().chain(keys).chain(["board_sha256", "error"]).chain(FIGURES),
    )?;
    for (point, row) in rows {
        let (number, seed) = (point.number.to_string(), point.seed.to_string());
        let values = point.values.iter().map(|value| value.as_deref().unwrap_or(""));
        let figures: Vec<String> = figures(row).map(shown).collect();
        out.write_record(
            [&*number, &*seed]
                .into_iter()
                .chain(values)
                .chain([&*row.board, row.error.as_deref().unwrap_or("")])
                .chain(figures.iter().map(String::as_str)),
        )?;
    }
    out.flush()
}

fn shown(figure: Option<f64>) -> String {
    figure.map_or(String::new(), |figure| figure.to_string())
}

/// A row for all seeds of a point: how many have figures, and mean and 95 % interval of each figure.
fn write_summary(sweep: &Sweep, rows: &[(Point, &Row)], file: File) -> io::Result<()> {
    let mut out = csv::Writer::from_writer(io::BufWriter::new(file));
    let names = FIGURES.iter().flat_map(|name| [name.to_string(), format!("{name}_ci95")]);
    let keys = sweep.keys().iter().cloned();
    let first = ["setup", "seeds", "failed"].map(str::to_owned);
    out.write_record(first.into_iter().chain(keys).chain(names))?;
    for group in rows.chunk_by(|(a, _), (b, _)| a.setup == b.setup) {
        let failed = group.iter().filter(|(_, row)| row.error.is_some()).count();
        let point = &group[0].0;
        let counts = [point.setup, (group.len() - failed) as u64, failed as u64];
        let values = point.values.iter().map(|value| value.clone().unwrap_or_default());
        let intervals = (0..FIGURES.len()).flat_map(|nth| {
            let of: Vec<f64> = group.iter().filter_map(|(_, row)| figures(row).nth(nth)?).collect();
            let interval = Interval::of(&of, Level::USUAL);
            [
                interval.map(|interval| interval.mean),
                interval.and_then(|interval| interval.half_width),
            ]
        });
        out.write_record(
            counts
                .map(|count| count.to_string())
                .into_iter()
                .chain(values)
                .chain(intervals.map(shown)),
        )?;
    }
    out.flush()
}

fn write_parquet(sweep: &Sweep, rows: &[(Point, &Row)], file: File) -> Result<(), ParquetError> {
    let fields: Result<Vec<_>, _> = columns(sweep, &[]).iter().map(field).collect();
    let fields = fields?.into_iter().map(Arc::new).collect();
    let schema = Type::group_type_builder("sweep").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by("firmament".to_owned());
    let mut writer =
        SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))?;
    for part in rows.chunks(ROWS_A_GROUP) {
        let mut group = writer.next_row_group()?;
        for Column { values, is_required, .. } in columns(sweep, part) {
            match values {
                Values::Integers(values) => {
                    write_column::<Int64Type>(&mut group, values.into_iter(), is_required)?
                }
                Values::Numbers(values) => {
                    write_column::<DoubleType>(&mut group, values.into_iter(), is_required)?
                }
                Values::Texts(values) => {
                    let texts = values.into_iter().map(|text| text.map(ByteArray::from));
                    write_column::<ByteArrayType>(&mut group, texts, is_required)?
                }
            }
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

/// What Parquet is told of a column.
fn field(column: &Column<'_>) -> Result<Type, ParquetError> {
    let Column { name, values, is_required } = column;
    let (physical, logical) = match values {
        Values::Integers(_) => (Physical::INT64, None),
        Values::Numbers(_) => (Physical::DOUBLE, None),
        Values::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let repetition = if *is_required { Repetition::REQUIRED } else { Repetition::OPTIONAL };
    let field = Type::primitive_type_builder(name, physical).with_repetition(repetition);
    field.with_logical_type(logical).build()
}

/// Rows that readers may skip together.
const ROWS_A_GROUP: usize = 1 << 16;

/// Writes the next column of a group.
fn write_column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: impl Iterator<Item = Option<T::T>>,
    is_required: bool,
) -> Result<(), ParquetError> {
    let mut present = Vec::new();
    let mut levels = Vec::new();
    for value in values {
        levels.push(i16::from(value.is_some()));
        present.extend(value);
    }
    let mut column = group.next_column()?.expect("the schema has the column");
    let levels = (!is_required).then_some(&*levels);
    column.typed::<T>().write_batch(&present, levels, None)?;
    column.close()
}
