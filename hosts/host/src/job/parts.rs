//! Several files of one job: each is a part of the drive with a sequence of its own.

use super::apply::Applied;
use super::random::Prng;
use super::sequence::{Cursor, Extent, Plan};
use super::settings::Settings;
use super::spec::{ByteRange, Direction, JobSpec, Passes};
use super::units::{self, Reading};

/// Most files of a job.
pub(super) const MAX_FILES: u64 = 65_536;

/// The files of a job that has more than one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Where each lies.
    pub ranges: Vec<ByteRange>,
    /// Which file is next (`file_service_type`).
    pub service: FileService,
    /// Files that are open at once, at least 1 (`openfiles`).
    pub open: u32,
}

impl Parts {
    /// From the start of the first file to the end of the last.
    pub(super) fn hull(&self) -> ByteRange {
        let start = self.ranges.iter().map(|range| range.start).min().unwrap_or(0);
        let end = self.ranges.iter().map(|range| range.start + range.len).max().unwrap_or(0);
        ByteRange { start, len: end - start }
    }
}

/// Which file a request goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileService {
    /// How it is chosen.
    pub order: ServiceOrder,
    /// Requests until another is chosen, at least 1.
    pub requests: u64,
}

/// How a file is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceOrder {
    /// One after the other, around.
    RoundRobin,
    /// At random.
    Random,
    /// The next when this one is done.
    Sequential,
}

/// What is said of files.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileSettings {
    pub(super) count: Option<u64>,
    pub(super) service: FileService,
    pub(super) open: u32,
}

impl Default for FileSettings {
    fn default() -> Self {
        let service = FileService { order: ServiceOrder::RoundRobin, requests: 1 };
        FileSettings { count: None, service, open: u32::MAX }
    }
}

impl Settings {
    /// Acts on one option if it is about the files of a job.
    pub(super) fn apply_files(&mut self, key: &str, value: &str) -> Reading<Applied> {
        match key {
            "nrfiles" => self.files.count = Some(units::count(value, 1, MAX_FILES)?),
            "openfiles" => {
                let open = units::count(value, 0, MAX_FILES)? as u32;
                self.files.open = if open == 0 { u32::MAX } else { open };
            }
            "file_service_type" => self.files.service = read_service(value)?,
            // As in fio, names decide how many there are, unless a number comes after them.
            "filename" => self.files.count = Some(names(value).len() as u64),
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }
}

/// The names in a value of `filename`: they are parted by colons, and `\:` is a colon of a name.
pub(super) fn names(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&':') => {
                letters.next();
                names.last_mut().expect("one name at least").push(':');
            }
            ':' => names.push(String::new()),
            letter => names.last_mut().expect("one name at least").push(letter),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn read_service(text: &str) -> Reading<FileService> {
    let wrong = || "roundrobin, random or sequential, also as roundrobin:8".to_string();
    let (name, requests) = match text.split_once(':') {
        Some((name, requests)) => (name, units::count(requests, 1, u64::MAX).map_err(|_| wrong())?),
        None => (text, 1),
    };
    let order = match name {
        "roundrobin" => ServiceOrder::RoundRobin,
        "random" => ServiceOrder::Random,
        "sequential" => ServiceOrder::Sequential,
        _ => return Err(wrong()),
    };
    Ok(FileService { order, requests })
}

/// The files of a job, at work.
#[derive(Clone, Debug)]
pub(super) struct Files {
    parts: Vec<Part>,
    service: FileService,
    most_open: u32,
    open: u32,
    next: usize,
    current: Option<usize>,
    /// Requests left to the current file.
    left: u64,
    random: Prng,
    /// Whether a file that is done starts anew.
    endless: Endless,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Endless {
    Yes,
    No,
}

#[derive(Clone, Debug)]
struct Part {
    plan: Plan,
    cursor: Cursor,
    start: Cursor,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Open,
    Done,
}

impl Files {
    /// The files of `spec`; `random` is for the choice of one, and gives each its seed.
    pub(super) fn new(spec: &JobSpec, parts: &Parts, mut random: Prng) -> Self {
        let part = |&range: &ByteRange| {
            let spec = JobSpec { range, ..spec.clone() };
            let (plan, cursor) = Plan::new(&spec, random.bits());
            Part { plan, cursor, start: cursor, state: State::Closed }
        };
        Files {
            parts: parts.ranges.iter().map(part).collect(),
            service: parts.service,
            most_open: parts.open.min(parts.ranges.len() as u32),
            open: 0,
            next: 0,
            current: None,
            left: 0,
            random,
            endless: match spec.stop.total_bytes {
                None => Endless::Yes,
                Some(_) => Endless::No,
            },
        }
    }

    /// The next request of `direction`; none if all files are done.
    pub(super) fn draw(&mut self, direction: Direction) -> Option<Extent> {
        loop {
            let nth = self.choose()?;
            let part = &mut self.parts[nth];
            let ends = self.endless == Endless::No && part.plan.is_through(&part.cursor, direction);
            if !ends {
                return Some(part.plan.draw_extent(&mut part.cursor, direction));
            }
            part.state = State::Done;
            self.open -= 1;
            self.current = None;
        }
    }

    fn choose(&mut self) -> Option<usize> {
        if let Some(nth) = self.current {
            if self.service.order == ServiceOrder::Sequential {
                return Some(nth);
            }
            if self.left > 0 {
                self.left -= 1;
                return Some(nth);
            }
        }
        if self.parts.iter().all(|part| part.state == State::Done) {
            return None;
        }
        loop {
            let nth = match self.service.order {
                ServiceOrder::Random => self.random.below(self.parts.len() as u64) as usize,
                ServiceOrder::RoundRobin | ServiceOrder::Sequential => {
                    let nth = self.next;
                    self.next = (nth + 1) % self.parts.len();
                    nth
                }
            };
            match self.parts[nth].state {
                State::Done => continue,
                State::Closed if self.open >= self.most_open => continue,
                State::Closed => {
                    self.parts[nth].state = State::Open;
                    self.open += 1;
                }
                State::Open => {}
            }
            self.current = Some(nth);
            self.left = self.service.requests - 1;
            return Some(nth);
        }
    }

    /// Begins another pass.
    pub(super) fn restart(&mut self, passes: Passes) {
        for part in &mut self.parts {
            part.state = State::Closed;
            match passes {
                Passes::Alike => part.cursor = part.start,
                Passes::Different => part.plan.restart(&mut part.cursor),
            }
        }
        self.open = 0;
        self.current = None;
    }
}
