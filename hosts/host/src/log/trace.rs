//! fio's trace of what jobs issue (`write_iolog`), in its version 3.

use std::cell::RefCell;
use std::rc::Rc;

use super::file::LogFile;
use crate::job::{Request, RequestKind};

const PS_PER_US: u64 = 1_000_000;

/// A trace. Clones write into the same file, in the order of time.
#[derive(Clone, Debug)]
pub(super) struct Trace(Rc<RefCell<Shared>>);

#[derive(Debug)]
struct Shared {
    file: LogFile,
    /// What the trace calls the drive.
    drive: String,
    /// When the first request was issued; times count from it.
    origin_ps: Option<u64>,
    /// Jobs that have not ended.
    jobs: u32,
}

impl Trace {
    /// A trace that no job writes yet.
    pub(super) fn new(file: LogFile, drive: &str) -> Self {
        let drive = drive.to_string();
        Trace(Rc::new(RefCell::new(Shared { file, drive, origin_ps: None, jobs: 0 })))
    }

    /// Whether it is written to this file.
    pub(super) fn is_at(&self, path: &str) -> bool {
        self.0.borrow().file.is_at(path)
    }

    /// The trace for one more job.
    pub(super) fn join(&self) -> Self {
        self.0.borrow_mut().jobs += 1;
        self.clone()
    }

    /// A request is issued.
    #[inline]
    pub(super) fn issue(&self, at_ps: u64, request: &Request) {
        let Shared { file, drive, origin_ps, .. } = &mut *self.0.borrow_mut();
        let origin_ps = *origin_ps.get_or_insert_with(|| {
            file.write(format_args!("fio version 3 iolog\n0 {drive} add\n0 {drive} open\n"));
            at_ps
        });
        let action = match request.kind {
            RequestKind::Read => "read",
            RequestKind::Write => "write",
            RequestKind::Trim => "trim",
            RequestKind::Flush => "sync",
            RequestKind::ZoneReset => "reset",
        };
        let at_us = at_ps.saturating_sub(origin_ps) / PS_PER_US;
        let Request { offset_bytes, length_bytes, .. } = request;
        file.write(format_args!("{at_us} {drive} {action} {offset_bytes} {length_bytes}\n"));
    }

    /// A job ends; the last closes the drive.
    pub(super) fn end(&self, at_ps: u64) {
        let Shared { file, drive, origin_ps, jobs } = &mut *self.0.borrow_mut();
        *jobs = jobs.saturating_sub(1);
        if let (0, Some(origin_ps)) = (*jobs, *origin_ps) {
            let at_us = at_ps.saturating_sub(origin_ps) / PS_PER_US;
            file.write(format_args!("{at_us} {drive} close\n"));
        }
    }
}
