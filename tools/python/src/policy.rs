//! A function in Python that chooses the victims of collection.
//!
//! The firmware cannot be told that a function has failed. From then on the block with the most invalid pages is taken, the
//! run is ended, and what the function has raised is raised when the run is over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use firmware::ftl::victim::{Chooser, Way};
use host::{Stop, Victims};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use recipe::AskedVictims;
use report::FunctionOrigin;

use crate::watch::SIGINT;

/// What Python says of a policy: attributes of `firmament._policy.Told`.
#[derive(FromPyObject)]
pub struct Told {
    name: String,
    text: String,
    begin: Py<PyAny>,
}

/// The policy of a run, or of a run with several seeds.
#[derive(Clone, Debug)]
pub struct Policy {
    origin: FunctionOrigin,
    talk: Arc<Talk>,
}

/// What the seeds of a run have in common.
#[derive(Debug)]
struct Talk {
    /// Called with the seed of a run. What it gives is called for each victim.
    begin: Py<PyAny>,
    stop: Stop,
    is_over: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Policy {
    /// A policy for a run that `stop` ends.
    pub fn new(py: Python<'_>, told: &Told, stop: Stop) -> Self {
        let origin = FunctionOrigin { name: told.name.clone(), text: told.text.clone() };
        let (is_over, raised) = (AtomicBool::new(false), Mutex::new(None));
        let talk = Talk { begin: told.begin.clone_ref(py), stop, is_over, raised };
        Policy { origin, talk: Arc::new(talk) }
    }

    /// What is asked for of a run.
    pub fn asked(&self) -> AskedVictims {
        let talk = self.talk.clone();
        let begin = move |seed| -> Box<dyn Chooser> {
            Box::new(Asker { talk: talk.clone(), seed, own: None })
        };
        AskedVictims { origin: self.origin.clone(), victims: Victims::new(begin) }
    }

    /// Whether the function has failed, so that what the run has measured since is not its doing.
    pub fn has_failed(&self) -> bool {
        self.talk.with(|raised| {
            let is_interrupt = |error: &PyErr| {
                Python::attach(|py| error.is_instance_of::<PyKeyboardInterrupt>(py))
            };
            raised.as_ref().is_some_and(|error| !is_interrupt(error))
        })
    }

    /// What the function has raised.
    pub fn raised(&self) -> Option<PyErr> {
        self.talk.with(Option::take)
    }
}

impl Talk {
    fn with<T>(&self, of: impl FnOnce(&mut Option<PyErr>) -> T) -> T {
        of(&mut self.raised.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends the run because of what the function has raised.
    fn end(&self, error: PyErr) {
        self.is_over.store(true, Ordering::Relaxed);
        self.stop.flag().store(SIGINT, Ordering::Relaxed);
        // Several seeds may fail at once: the first is told.
        self.with(|raised| {
            raised.get_or_insert(error);
        });
    }
}

/// Asks the function in one run.
#[derive(Debug)]
struct Asker {
    talk: Arc<Talk>,
    seed: u64,
    /// What is called for each victim, once there was one.
    own: Option<Py<PyAny>>,
}

impl Chooser for Asker {
    fn choose(&mut self, way: &Way<'_>) -> u32 {
        if !self.talk.is_over.load(Ordering::Relaxed) {
            match Python::attach(|py| self.ask(py, way)) {
                Ok(chosen) => return chosen,
                Err(error) => self.talk.end(error),
            }
        }
        way.choices().next().expect("a way that is collected has an invalid page")
    }

    fn anew(&self) -> Box<dyn Chooser> {
        Box::new(Asker { talk: self.talk.clone(), seed: self.seed, own: None })
    }
}

impl Asker {
    fn ask(&mut self, py: Python<'_>, way: &Way<'_>) -> PyResult<u32> {
        if self.own.is_none() {
            self.own = Some(self.talk.begin.call1(py, (self.seed,))?);
        }
        let own = self.own.as_ref().expect("it was just made");
        let row = |superblock: u32| {
            let invalid = way.invalid(superblock).unwrap_or(0);
            let (valid, age) = (way.units() - invalid, way.age(superblock));
            (superblock, valid, invalid, age, way.erases(superblock))
        };
        let rows: Vec<_> = way.choices().map(row).collect();
        own.call1(py, (way.number(), way.units(), rows))?.extract(py)
    }
}
