//! How Python follows a run, and ends it.

use host::{Preconditioned, Progress, Stop};
use pyo3::prelude::*;

/// Number of the signal that Python's KeyboardInterrupt stands for.
pub const SIGINT: usize = 2;

/// Tells Python how far a run has come. What Python raises then, or because of a signal, ends the run.
pub struct Watch {
    /// Called with what is done, the share of it, virtual time in picoseconds, and requests a second.
    call: Option<Py<PyAny>>,
    stop: Stop,
    raised: Option<PyErr>,
}

impl Watch {
    /// Calls what Python gave, if it gave something; looks for signals in any case.
    pub fn new(call: Option<Py<PyAny>>) -> Self {
        Watch { call, stop: Stop::default(), raised: None }
    }

    /// What ends the run.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// What Python raised.
    pub fn raised(self) -> Option<PyErr> {
        self.raised
    }

    /// The drive is brought into its state.
    pub fn prepare(&mut self, Preconditioned { written, most, .. }: Preconditioned) {
        self.tell(("preconditioning", written as f64 / most.max(1) as f64, 0, 0.0));
    }

    /// Jobs run.
    pub fn show(&mut self, progress: &Progress) {
        let Progress { fraction, elapsed_ps, iops, .. } = *progress;
        self.tell(("running", fraction, elapsed_ps, iops));
    }

    /// Looks for signals only.
    pub fn look(&mut self) {
        self.heed(|_, _| Ok(()));
    }

    fn tell(&mut self, told: (&str, f64, u64, f64)) {
        self.heed(|call, py| call.map_or(Ok(()), |call| call.call1(py, told).map(drop)));
    }

    /// Ends the run with what Python raises because of a signal, or `then`.
    fn heed(&mut self, then: impl FnOnce(Option<&Py<PyAny>>, Python<'_>) -> PyResult<()>) {
        if self.raised.is_some() {
            return;
        }
        let heard = Python::attach(|py| {
            py.check_signals()?;
            then(self.call.as_ref(), py)
        });
        if let Err(error) = heard {
            self.stop.flag().store(SIGINT, std::sync::atomic::Ordering::Relaxed);
            self.raised = Some(error);
        }
    }
}
