//! Studies: published figures beside those of this drive.

use std::path::PathBuf;
use std::sync::Arc;

use ::study::outcome::{Row, StudyOutcome};
use ::study::{output, Plan, Study as Definition, StudyError};
use arrow_array::{ArrayRef, Float64Array, StringArray};
use pyo3::prelude::*;
use recipe::Failure;

use crate::failure::{raised, unexpected};
use crate::table::Table;

/// What came out of a study.
#[pyclass(frozen, module = "firmament._native")]
pub struct Study(StudyOutcome);

/// Names and titles of the studies that are built in, or in a folder.
#[pyfunction]
pub fn studies(folder: Option<PathBuf>) -> PyResult<Vec<(String, String)>> {
    let titled = |name: String| {
        let study = loaded(&name, folder.as_ref())?;
        Ok((name, study.title().to_owned()))
    };
    names(folder.as_ref())?.into_iter().map(titled).collect()
}

/// Runs a study, with so many seeds for each run at the most, on so many threads. `watch` is called with the share that is done.
#[pyfunction]
pub fn study(
    py: Python<'_>,
    which: (String, Option<PathBuf>),
    how: (bool, usize),
    threads: Option<usize>,
    watch: Py<PyAny>,
) -> PyResult<Study> {
    let ((name, folder), (is_quick, seeds)) = (which, how);
    let threads = threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let mut heard = Ok(());
    let ran = py.detach(|| {
        let study = loaded(&name, folder.as_ref())?;
        let study = if is_quick { study.quick() } else { study };
        let plan = Plan::new(&study).map_err(failed)?;
        let mut show = |progress: ::study::Progress| {
            if heard.is_ok() {
                heard = Python::attach(|py| {
                    py.check_signals()?;
                    watch.call1(py, (progress.fraction,)).map(drop)
                });
            }
            heard.is_ok()
        };
        plan.repeated_while(if is_quick { 1 } else { seeds }, threads, &mut show).map_err(failed)
    });
    heard?;
    Ok(Study(ran?.expect("nobody ended it")))
}

#[pymethods]
impl Study {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    #[getter]
    fn paper(&self) -> &str {
        &self.0.paper
    }

    /// What the program prints.
    fn text(&self) -> String {
        output::table(&self.0)
    }

    /// Writes the files that the program writes into a folder.
    fn write(&self, folder: PathBuf) -> PyResult<()> {
        let written = output::write(std::slice::from_ref(&self.0), &folder);
        written.map_err(|error| raised(Failure::Input(error.to_string())))
    }

    /// A row a published value, claim or summary.
    fn table(&self) -> Table {
        let rows: Vec<(&str, &Row)> = self
            .0
            .experiments
            .iter()
            .flat_map(|one| one.rows.iter().map(|row| (one.id.as_str(), row)))
            .collect();
        let texts = |of: fn(&Row) -> &str| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(rows.iter().map(|(_, row)| of(row))))
        };
        let numbers = |of: fn(&Row) -> Option<f64>| -> ArrayRef {
            Arc::new(Float64Array::from_iter(rows.iter().map(|(_, row)| of(row))))
        };
        let experiments = rows.iter().map(|(experiment, _)| *experiment);
        let reasons = rows.iter().map(|(_, row)| row.reason.as_deref());
        Table::new(vec![
            ("experiment", Arc::new(StringArray::from_iter_values(experiments))),
            ("id", texts(|row| &row.id)),
            ("conditions", texts(|row| &row.conditions)),
            ("relation", texts(|row| output::relation(row.relation).unwrap_or("equals"))),
            ("published", numbers(|row| Some(row.published))),
            ("measured", numbers(|row| Some(row.measured))),
            ("interval", numbers(|row| row.interval)),
            ("unit", texts(|row| &row.unit)),
            ("error_percent", numbers(|row| Some(row.error_percent))),
            ("tolerance_percent", numbers(|row| row.tolerance_percent)),
            ("evidence", texts(|row| output::evidence(row.evidence))),
            ("role", texts(|row| output::role(row.role))),
            ("status", texts(|row| output::status(row.status))),
            ("reason", Arc::new(StringArray::from_iter(reasons))),
        ])
    }
}

fn names(folder: Option<&PathBuf>) -> PyResult<Vec<String>> {
    match folder {
        None => Ok(::study::built_in_names().into_iter().map(str::to_owned).collect()),
        Some(folder) => ::study::names(folder).map_err(failed),
    }
}

fn loaded(name: &str, folder: Option<&PathBuf>) -> PyResult<Definition> {
    let found = match folder {
        None => Definition::built_in(name),
        Some(folder) => folder.join(name).is_dir().then(|| Definition::load(&folder.join(name))),
    };
    match found {
        Some(study) => study.map_err(failed),
        None => {
            let expected = format!("one of {}", names(folder)?.join(", "));
            Err(unexpected("study", format!("{name:?}"), &expected))
        }
    }
}

fn failed(error: StudyError) -> PyErr {
    raised(match error.is_fault_of_drive() {
        true => Failure::Drive(error.to_string()),
        false => Failure::Input(error.to_string()),
    })
}
