//! The tables of a sweep: rows as CSV and Parquet, and means over seeds.

use confidence::{Interval, Level};
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
    let rows: Vec<(Point, &Row)> =
        journal.rows().map(|row| (sweep.point(row.point), row)).collect();
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

/// Those of a row, none of which is there after an error.
fn figures(row: &Row) -> impl Iterator<Item = Option<f64>> + '_ {
    (0..FIGURES.len()).map(|nth| row.figures.get(nth).copied().flatten())
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
    let text = |name: &str, repetition| {
        let built = Type::primitive_type_builder(name, Physical::BYTE_ARRAY);
        built.with_repetition(repetition).with_logical_type(Some(LogicalType::String)).build()
    };
    let plain = |name: &str, physical, repetition| {
        Type::primitive_type_builder(name, physical).with_repetition(repetition).build()
    };
    let mut fields = vec![
        plain("point", Physical::INT64, Repetition::REQUIRED)?,
        plain("seed", Physical::INT64, Repetition::REQUIRED)?,
    ];
    let kinds: Vec<Kind> = (0..sweep.keys().len()).map(|nth| Kind::of(sweep, nth)).collect();
    for (key, kind) in sweep.keys().iter().zip(&kinds) {
        fields.push(match kind {
            Kind::Integer => plain(key, Physical::INT64, Repetition::OPTIONAL)?,
            Kind::Number => plain(key, Physical::DOUBLE, Repetition::OPTIONAL)?,
            Kind::Text => text(key, Repetition::OPTIONAL)?,
        });
    }
    fields.push(text("board_sha256", Repetition::REQUIRED)?);
    fields.push(text("error", Repetition::OPTIONAL)?);
    for name in FIGURES {
        fields.push(plain(name, Physical::DOUBLE, Repetition::OPTIONAL)?);
    }
    let fields = fields.into_iter().map(Arc::new).collect();
    let schema = Type::group_type_builder("sweep").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by("firmament".to_owned());
    let mut writer =
        SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))?;
    for part in rows.chunks(ROWS_A_GROUP) {
        let mut group = writer.next_row_group()?;
        let integers = |of: fn(&Point) -> u64| part.iter().map(move |(point, _)| of(point) as i64);
        column::<Int64Type>(&mut group, integers(|point| point.number).map(Some), true)?;
        column::<Int64Type>(&mut group, integers(|point| point.seed).map(Some), true)?;
        for (nth, kind) in kinds.iter().enumerate() {
            let values = part.iter().map(|(point, _)| point.values[nth].as_deref());
            match kind {
                Kind::Integer => {
                    column::<Int64Type>(&mut group, values.map(|value| value?.parse().ok()), false)?
                }
                Kind::Number => column::<DoubleType>(
                    &mut group,
                    values.map(|value| value?.parse().ok()),
                    false,
                )?,
                Kind::Text => column::<ByteArrayType>(
                    &mut group,
                    values.map(|value| Some(value?.into())),
                    false,
                )?,
            }
        }
        let boards = part.iter().map(|(_, row)| Some(ByteArray::from(&*row.board)));
        column::<ByteArrayType>(&mut group, boards, true)?;
        let errors = part.iter().map(|(_, row)| row.error.as_deref().map(ByteArray::from));
        column::<ByteArrayType>(&mut group, errors, false)?;
        for nth in 0..FIGURES.len() {
            let values = part.iter().map(|(_, row)| figures(row).nth(nth).flatten());
            column::<DoubleType>(&mut group, values, false)?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

/// What a key's column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Number,
    Text,
}

impl Kind {
    /// The narrowest that holds every value of a key.
    fn of(sweep: &Sweep, nth: usize) -> Kind {
        let all = |is: fn(&str) -> bool| sweep.grid.values(nth).all(is);
        if all(|value| value.parse::<i64>().is_ok()) {
            Kind::Integer
        } else if all(|value| value.parse::<f64>().is_ok_and(f64::is_finite)) {
            Kind::Number
        } else {
            Kind::Text
        }
    }
}

/// Rows that readers may skip together.
const ROWS_A_GROUP: usize = 1 << 16;

/// Writes the next column of a group.
fn column<T: parquet::data_type::DataType>(
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
