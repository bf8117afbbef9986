//! Drives that stay between runs.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use host::Control;
use machine::Polling;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use recipe::{Failure, Kept};

use crate::board::Board;
use crate::failure::raised;
use crate::run::Settings;
use crate::watch::Watch;
use crate::PROGRAM;

/// A drive that runs go on with.
#[pyclass(frozen, module = "firmament._native")]
pub struct Drive(Mutex<Kept>);

/// A new drive in the state that is asked for.
#[pyfunction]
pub fn precondition(
    py: Python<'_>,
    board: Option<PyRef<'_, Board>>,
    settings: Settings,
    watch: Option<Py<PyAny>>,
) -> PyResult<Drive> {
    let said = board.map(|board| (board.given().to_owned(), board.overrides().to_vec()));
    let mut watch = Watch::new(watch);
    let made = py.detach(|| {
        let stop = watch.stop();
        let mut prepare = |state| watch.prepare(state);
        let mut control = Control { stop, preparing: Some(&mut prepare) };
        // Jobs are left out: any that are there do for a drive that is only made.
        let options = [("rw".to_owned(), "read".to_owned())];
        let source = recipe::from_options(&options)?;
        let jobs = recipe::parse(&source).expect("options are jobs")?;
        Kept::new(settings.asked(said.as_ref(), (jobs, source), None)?, PROGRAM, &mut control)
    });
    if let Some(error) = watch.raised() {
        return Err(error);
    }
    made.map(|kept| Drive(Mutex::new(kept))).map_err(raised)
}

#[pymethods]
impl Drive {
    /// The drive of a snapshot.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let kept = py.detach(|| Kept::open(&path, Polling::Skip));
        kept.map(|kept| Drive(Mutex::new(kept))).map_err(raised)
    }

    /// Another drive in the same state.
    fn copied(&self, py: Python<'_>) -> PyResult<Self> {
        py.detach(|| Ok(Drive(Mutex::new(self.kept()?.copied()))))
    }

    /// A snapshot of the drive, as bytes of a file.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let write = || {
            let mut bytes = Vec::new();
            self.kept()?.write(&mut bytes).map_err(raised)?;
            Ok::<_, PyErr>(bytes)
        };
        Ok(PyBytes::new(py, &py.detach(write)?))
    }

    #[getter]
    fn board(&self) -> PyResult<String> {
        Ok(self.kept()?.board().name.clone())
    }

    #[getter]
    fn toml(&self) -> PyResult<String> {
        Ok(self.kept()?.board().to_toml())
    }

    #[getter]
    fn capacity_bytes(&self) -> PyResult<u64> {
        Ok(self.kept()?.board().capacity().host_bytes)
    }

    #[getter]
    fn seed(&self) -> PyResult<u64> {
        Ok(self.kept()?.seed())
    }

    #[getter]
    fn precondition(&self) -> PyResult<&'static str> {
        Ok(self.kept()?.precondition().name())
    }

    #[getter]
    fn runs(&self) -> PyResult<u64> {
        Ok(self.kept()?.runs())
    }

    #[getter]
    fn now_ps(&self) -> PyResult<u64> {
        Ok(self.kept()?.now_ps())
    }
}

impl Drive {
    /// The drive, for one at a time. Nobody waits for it: who runs on it needs Python now and then.
    pub fn kept(&self) -> PyResult<MutexGuard<'_, Kept>> {
        self.locked().map_err(raised)
    }

    /// The same, with the failure of a run.
    pub fn locked(&self) -> Result<MutexGuard<'_, Kept>, Failure> {
        match self.0.try_lock() {
            Ok(kept) => Ok(kept),
            Err(TryLockError::Poisoned(poisoned)) => Ok(PoisonError::into_inner(poisoned)),
            Err(TryLockError::WouldBlock) => {
                let expected = "one at a time: a copy of the drive runs beside it";
                Err(Failure::unexpected("drive", "a run on it under way", expected))
            }
        }
    }
}
