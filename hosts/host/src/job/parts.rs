//! Several files of one job: each is a part of the drive with a sequence of its own.

use super::extent::ByteRange;
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

pub(super) fn read_service(text: &str) -> Reading<FileService> {
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
