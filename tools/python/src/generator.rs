//! A generator in Python as a load: what it yields becomes requests, and it is sent what has completed.
//!
//! It goes on when something has completed, or when the time has come that it waits for. Python is needed then only: while
//! nothing is to be said, the run does not ask for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use host::job::{Request, RequestKind};
use host::program::{Begin, Completion, Program, Setting, Step};
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::failure::InputError;
use crate::tags::Tags;

const PS_PER_NS: u64 = 1000;

/// The function that gives the generator, and the classes that it is spoken to with.
struct Words {
    function: Py<PyAny>,
    drive: Py<PyAny>,
    completion: Py<PyAny>,
    request: Py<PyAny>,
    wait: Py<PyAny>,
}

/// What is left when a run is over.
#[derive(Default)]
struct Left {
    generator: Option<Py<PyAny>>,
    raised: Option<PyErr>,
}

/// Whoever begins a generator, and ends it.
#[derive(Clone)]
pub struct Talk {
    words: Arc<Words>,
    left: Arc<Mutex<Left>>,
}

impl Talk {
    /// A talk with what a function gives.
    ///
    /// # Errors
    /// When the package is not whole.
    pub fn new(py: Python<'_>, function: Py<PyAny>) -> PyResult<Self> {
        let module = py.import("firmament._host")?;
        let class = |name: &str| module.getattr(name).map(Bound::unbind);
        let words = Words {
            function,
            drive: class("DriveView")?,
            completion: class("Completion")?,
            request: class("Request")?,
            wait: class("Wait")?,
        };
        Ok(Talk { words: Arc::new(words), left: Arc::default() })
    }

    /// Begins the generator with a run.
    pub fn begin(&self) -> Begin {
        let talk = self.clone();
        Arc::new(move |setting| -> Box<dyn Program> {
            Box::new(Generator {
                talk: talk.clone(),
                setting,
                drive: None,
                unheard: Vec::new(),
                wanted: VecDeque::new(),
                tags: Tags::default(),
                wait_ps: None,
                is_over: false,
            })
        })
    }

    /// Closes the generator, after the run.
    ///
    /// # Errors
    /// What it has raised, in the run or now.
    pub fn end(&self, py: Python<'_>) -> PyResult<()> {
        let Left { generator, raised } = std::mem::take(&mut *self.left());
        if let Some(error) = raised {
            return Err(error);
        }
        generator.map_or(Ok(()), |generator| generator.call_method0(py, "close").map(drop))
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A generator.
struct Generator {
    talk: Talk,
    setting: Setting,
    /// What it sees of the drive, once it has begun.
    drive: Option<Py<PyAny>>,
    /// What has completed since it went on.
    unheard: Vec<Completion>,
    /// What it wants, and what was not issued yet.
    wanted: VecDeque<(u64, Request)>,
    tags: Tags,
    /// When it wants to go on at the latest.
    wait_ps: Option<u64>,
    is_over: bool,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generator").field("is_over", &self.is_over).finish_non_exhaustive()
    }
}

impl Program for Generator {
    fn next(&mut self, now_ps: u64) -> Step {
        loop {
            if self.is_to_go_on(now_ps) {
                self.go_on(now_ps);
                continue;
            }
            if let Some((tag, request)) = self.wanted.pop_front() {
                return Step::Request { tag, request };
            }
            return match self.wait_ps {
                _ if self.is_over => Step::End,
                Some(until_ps) => Step::WaitUntil(until_ps),
                // Where nothing is under way, this is the end.
                None => Step::Wait,
            };
        }
    }

    fn completed(&mut self, completion: &Completion) {
        self.unheard.push(*completion);
    }

    fn hears(&self) -> bool {
        !self.is_over
    }
}

impl Generator {
    fn is_to_go_on(&self, now_ps: u64) -> bool {
        if self.is_over {
            return false;
        }
        let has_waited = self.wait_ps.is_some_and(|until_ps| until_ps <= now_ps);
        self.drive.is_none() || !self.unheard.is_empty() || has_waited && self.wanted.is_empty()
    }

    /// Lets it go on to its next yield. What it raises, and its end, end the load.
    fn go_on(&mut self, now_ps: u64) {
        self.wait_ps = None;
        let went = Python::attach(|py| self.go_on_in(py, now_ps));
        if let Err(error) = went {
            self.is_over = true;
            // After a return, what it has yielded is still issued.
            let is_return = Python::attach(|py| error.is_instance_of::<PyStopIteration>(py));
            if !is_return {
                self.wanted.clear();
                self.talk.left().raised = Some(error);
            }
        }
    }

    fn go_on_in(&mut self, py: Python<'_>, now_ps: u64) -> PyResult<()> {
        let (generator, mut answer) = match &self.drive {
            None => {
                let generator = self.started(py)?;
                let answer = generator.call_method0("__next__");
                (generator, answer)
            }
            Some(drive) => {
                drive.setattr(py, "now_ns", now_ps / PS_PER_NS)?;
                let generator = self.talk.left().generator.as_ref().map(|one| one.clone_ref(py));
                let generator = generator.expect("it has begun").into_bound(py);
                let answer = generator.call_method1("send", (self.heard(py)?,));
                (generator, answer)
            }
        };
        // What cannot be used is raised where it was yielded; whoever catches it there may yield something else.
        loop {
            match self.take(&answer?)? {
                Ok(()) => return Ok(()),
                Err(line) => {
                    let error = InputError::new_err(line).into_value(py);
                    answer = generator.call_method1("throw", (error,));
                }
            }
        }
    }

    /// The generator that the function gives.
    fn started<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Setting { limits, depth, seed } = self.setting;
        let words = &self.talk.words;
        let told = (limits.capacity_bytes, limits.block_bytes, limits.most_bytes, depth, seed);
        let drive = words.drive.call1(py, told)?;
        let generator = words.function.call1(py, (&drive,))?.into_bound(py);
        self.drive = Some(drive);
        if !generator.hasattr("send")? || !generator.hasattr("throw")? {
            let found = generator.get_type().name()?;
            let expected = "a generator: a function with a yield in it";
            let line = format!("program: found a function that gives {found}, expected {expected}");
            return Err(InputError::new_err(line));
        }
        self.talk.left().generator = Some(generator.clone().unbind());
        Ok(generator)
    }

    /// The completions that it is sent.
    fn heard<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let heard = PyList::empty(py);
        for completion in std::mem::take(&mut self.unheard) {
            let Completion { tag, request, submitted_ps, completed_ps, status } = completion;
            let Request { kind, offset_bytes, length_bytes } = request;
            let told = match status.is_success() {
                true => "success".to_owned(),
                false => status.to_string(),
            };
            let times = [submitted_ps, completed_ps, completion.latency_ps()];
            let [submitted_ns, completed_ns, latency_ns] = times.map(|ps| ps / PS_PER_NS);
            let tag = self.tags.take(tag);
            let times = (submitted_ns, completed_ns, latency_ns);
            let told =
                (tag, kind.name(), offset_bytes, length_bytes, times.0, times.1, times.2, told);
            heard.append(self.talk.words.completion.call1(py, told)?)?;
        }
        Ok(heard)
    }

    /// Takes what it has yielded, or tells why that cannot be used: then nothing of it is taken.
    fn take(&mut self, yielded: &Bound<'_, PyAny>) -> PyResult<Result<(), String>> {
        let expected = "a list of requests";
        if !yielded.is_instance_of::<PyList>() && !yielded.is_instance_of::<PyTuple>() {
            let found = yielded.get_type().name()?;
            return Ok(Err(format!("yield: found {found}, expected {expected}")));
        }
        let (mut requests, mut wait_ps) = (Vec::new(), None);
        for (nth, item) in yielded.try_iter()?.enumerate() {
            let item = item?;
            let refused = match Wanted::read(&item, &self.talk.words)? {
                Ok(Wanted::Request(tag, request)) => match self.setting.limits.check(&request) {
                    Ok(()) => {
                        requests.push((tag, request));
                        continue;
                    }
                    Err(refused) => refused.to_string(),
                },
                Ok(Wanted::Wait(until_ps)) if wait_ps.is_none() => {
                    wait_ps = Some(until_ps);
                    continue;
                }
                Ok(Wanted::Wait(_)) => "wait: found a second one, expected one at most".to_owned(),
                Err(line) => line,
            };
            return Ok(Err(format!("yield: item {}: {refused}", nth + 1)));
        }
        self.wait_ps = wait_ps;
        let tags = &mut self.tags;
        self.wanted.extend(requests.into_iter().map(|(tag, request)| (tags.keep(tag), request)));
        Ok(Ok(()))
    }
}

/// An item of a list that was yielded.
enum Wanted {
    Request(Py<PyAny>, Request),
    /// Until a time in picoseconds.
    Wait(u64),
}

impl Wanted {
    /// Reads an item, or tells why it is none.
    fn read(item: &Bound<'_, PyAny>, words: &Words) -> PyResult<Result<Self, String>> {
        let py = item.py();
        if item.is_instance(words.wait.bind(py))? {
            let until = number(item, ("wait", "until", "nanoseconds"))?;
            return Ok(until.map(|ns| Wanted::Wait(ns.saturating_mul(PS_PER_NS))));
        }
        if !item.is_instance(words.request.bind(py))? {
            let found = item.get_type().name()?;
            let expected = "a request such as fm.read(0, 4096), or fm.wait(until=...)";
            return Ok(Err(format!("found {found}, expected {expected}")));
        }
        let name: String = item.getattr("kind")?.extract()?;
        let kinds = [RequestKind::Read, RequestKind::Write, RequestKind::Trim, RequestKind::Flush];
        let Some(kind) = kinds.into_iter().find(|kind| kind.name() == name) else {
            return Ok(Err(format!("kind: found {name:?}, expected read, write, trim or flush")));
        };
        let offset = number(item, (kind.name(), "offset", "bytes"))?;
        let length = number(item, (kind.name(), "size", "bytes"))?;
        let tag = item.getattr("tag")?.unbind();
        Ok(offset.and_then(|offset_bytes| {
            let length_bytes = length?;
            Ok(Wanted::Request(tag, Request { kind, offset_bytes, length_bytes }))
        }))
    }
}

/// A whole number among the attributes of an item, or why it is none.
fn number(
    item: &Bound<'_, PyAny>,
    (what, key, unit): (&str, &str, &str),
) -> PyResult<Result<u64, String>> {
    let value = item.getattr(key)?;
    if let Ok(number) = value.extract() {
        return Ok(Ok(number));
    }
    let found = value.repr()?;
    Ok(Err(format!("{what}: {key}: found {found}, expected a whole number of {unit}")))
}
