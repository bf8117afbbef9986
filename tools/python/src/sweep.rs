//! Sweeps: all of them is `tools/sweep`. Points may run here, or wherever Python hands them out to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use ::sweep::{Column, Origin, Row, Source, SweepError, Values};
use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use recipe::Failure;

use crate::failure::{raised, unexpected};
use crate::table::Table;
use crate::PROGRAM;

fn refused(error: SweepError) -> PyErr {
    raised(Failure::Input(error.to_string()))
}

/// A sweep whose keys all exist.
fn checked(sweep: Result<::sweep::Sweep, ::sweep::SweepError>) -> PyResult<Sweep> {
    let sweep = sweep.map_err(refused)?;
    ::sweep::check_keys(&sweep).map_err(refused)?;
    Ok(Sweep(sweep))
}

/// A sweep: its points by number.
#[pyclass(frozen, module = "firmament._native")]
pub struct Sweep(::sweep::Sweep);

#[pymethods]
impl Sweep {
    /// The sweep of a file.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Self> {
        checked(::sweep::Sweep::read(&path))
    }

    /// A sweep of a text. Files that it names are where `places` says, or else where they are named.
    #[staticmethod]
    fn parse(name: &str, text: &str, places: HashMap<PathBuf, PathBuf>) -> PyResult<Self> {
        let place = |named: &Path| places.get(named).map_or(named, |place| place).to_owned();
        let source = Source { file: name, name, text, place: &place };
        checked(::sweep::Sweep::parse(source))
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn text(&self) -> &str {
        self.0.text()
    }

    #[getter]
    fn points(&self) -> u64 {
        self.0.points()
    }

    #[getter]
    fn keys(&self) -> Vec<String> {
        self.0.keys().to_vec()
    }

    /// Files that the text names, and where they are.
    #[getter]
    fn files(&self) -> Vec<(PathBuf, PathBuf)> {
        self.0.files().to_vec()
    }

    /// Boards of its points, by name or path.
    #[getter]
    fn boards(&self) -> Vec<String> {
        self.0.boards().into_iter().map(str::to_owned).collect()
    }
}

/// A text of TOML that says what a text of JSON says.
#[pyfunction]
pub fn toml_of(json: &str) -> PyResult<String> {
    let table: toml::Table = serde_json::from_str(json)
        .map_err(|error| unexpected("sweep", error, "texts, numbers, and lists of them"))?;
    toml::to_string(&table).map_err(|error| unexpected("sweep", error, "what TOML can hold"))
}

/// Runs points for whoever hands them out.
#[pyclass(frozen, module = "firmament._native")]
pub struct Worker(::sweep::Worker);

#[pymethods]
impl Worker {
    #[new]
    fn new(sweep: &Sweep) -> Self {
        Worker(::sweep::Worker::new(sweep.0.clone()))
    }

    /// Rows of points, a line of JSON each, and the seconds that they took.
    fn run(&self, py: Python<'_>, points: Vec<u64>) -> (Vec<String>, f64) {
        let (rows, took) = py.detach(|| self.0.run(&points));
        (rows.iter().map(Row::line).collect(), took.as_secs_f64())
    }
}

/// The rows of a sweep in a folder.
#[pyclass(frozen, module = "firmament._native")]
pub struct Journal {
    sweep: Py<Sweep>,
    folder: PathBuf,
    rows: Mutex<::sweep::Journal>,
}

#[pymethods]
impl Journal {
    /// Opens the journal in a folder, or makes it.
    #[new]
    fn new(py: Python<'_>, folder: PathBuf, sweep: Py<Sweep>) -> PyResult<Self> {
        let origin = Origin::new(&sweep.get().0, PROGRAM.version, PROGRAM.commit);
        let rows = py.detach(|| ::sweep::Journal::open(&folder, &sweep.get().0, &origin));
        Ok(Journal { rows: Mutex::new(rows.map_err(refused)?), sweep, folder })
    }

    /// Points that have a row.
    #[getter]
    fn done(&self) -> PyResult<u64> {
        Ok(self.rows()?.done())
    }

    /// Rows that have an error.
    #[getter]
    fn failed(&self) -> PyResult<usize> {
        Ok(self.rows()?.rows().filter(|row| row.error.is_some()).count())
    }

    /// Points that have no row, in the order in which they are best run.
    fn left(&self) -> PyResult<Vec<u64>> {
        Ok(self.sweep.get().0.in_order(self.rows()?.left()))
    }

    /// Takes rows that a worker has made.
    fn take(&self, lines: Vec<String>) -> PyResult<()> {
        let row = |line: &String| {
            Row::of_line(line)
                .ok_or_else(|| unexpected("row", format!("{line:?}"), "one of a worker"))
        };
        let rows = lines.iter().map(row).collect::<PyResult<_>>()?;
        self.rows()?.take(rows).map_err(refused)
    }

    /// Runs all points that have no row on so many threads, and calls `watch` with points that are done and failed ones.
    /// Returns the seconds that it took, and those in points.
    fn run(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        watch: Py<PyAny>,
    ) -> PyResult<(f64, f64)> {
        let threads = threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        });
        let sweep = &self.sweep.get().0;
        let ended = Arc::new(AtomicBool::new(false));
        let asked = || ended.load(Ordering::Relaxed);
        let mut heard = Ok(());
        let ran = py.detach(|| {
            let mut rows = self.rows()?;
            let mut show = |progress: ::sweep::Progress| {
                if heard.is_err() {
                    return;
                }
                heard = Python::attach(|py| {
                    py.check_signals()?;
                    watch.call1(py, (progress.done, progress.failed)).map(drop)
                });
                if heard.is_err() {
                    ended.store(true, Ordering::Relaxed);
                }
            };
            let points = sweep.points_of(None);
            let what = ::sweep::What { sweep, points: &points, threads, stop: &asked };
            ::sweep::run(&what, &mut rows, &mut show).map_err(refused)
        });
        heard?;
        let time = ran?;
        Ok((time.wall.as_secs_f64(), time.in_points.as_secs_f64()))
    }

    /// Writes the tables that the program writes into the folder.
    fn write(&self) -> PyResult<()> {
        ::sweep::write(&self.sweep.get().0, &*self.rows()?, &self.folder).map(drop).map_err(refused)
    }

    /// The table, with the columns of the tables that are written.
    fn table(&self) -> PyResult<Table> {
        let (sweep, journal) = (&self.sweep.get().0, self.rows()?);
        let rows = journal.with_points(sweep);
        let (fields, columns) = ::sweep::columns(sweep, &rows).into_iter().map(column).unzip();
        let fields: Vec<Field> = fields;
        Ok(Table::of(Arc::new(Schema::new(fields)), columns))
    }
}

impl Journal {
    /// The rows. Nobody waits for them: who runs points needs Python now and then, and would wait for whoever holds it.
    fn rows(&self) -> PyResult<MutexGuard<'_, ::sweep::Journal>> {
        match self.rows.try_lock() {
            Ok(rows) => Ok(rows),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(unexpected("journal", "its points running", "nobody else to use it meanwhile"))
            }
        }
    }
}

fn column(Column { name, values, is_required }: Column<'_>) -> (Field, ArrayRef) {
    let (kind, values): (_, ArrayRef) = match values {
        Values::Integers(values) => (DataType::Int64, Arc::new(Int64Array::from(values))),
        Values::Numbers(values) => (DataType::Float64, Arc::new(Float64Array::from(values))),
        Values::Texts(values) => (DataType::Utf8, Arc::new(StringArray::from(values))),
    };
    (Field::new(name, kind, !is_required), values)
}
