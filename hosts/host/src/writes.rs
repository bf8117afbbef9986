//! What host and drive wrote while each job ran.

use machine::Machine;
use report::{Direction, WriteMark, WriteWindow};

use crate::engine::Engine;
use crate::fio_host::FioHost;

/// Windows of jobs that have started.
#[derive(Debug, Default)]
pub struct Writes {
    /// By job: its window, of which the end is known once the job has ended.
    windows: Vec<Window>,
    /// What was noted last.
    last: WriteMark,
}

#[derive(Clone, Copy, Debug)]
enum Window {
    Ahead,
    Open(WriteMark),
    Closed(WriteWindow),
}

impl Writes {
    /// Notes `now` as the start of jobs whose stage has begun, and as the end of those that are over.
    pub fn note(&mut self, now: WriteMark, engine: &Engine) {
        self.last = now;
        let workers = engine.workers();
        self.windows.resize(workers.len(), Window::Ahead);
        let (stage, _) = engine.stage();
        for (window, worker) in self.windows.iter_mut().zip(workers) {
            if let (Window::Ahead, true) = (*window, worker.stage() <= stage) {
                *window = Window::Open(now);
            }
            if let (Window::Open(from), true) = (*window, worker.is_over()) {
                *window = Window::Closed(WriteWindow { from, to: now });
            }
        }
    }

    /// The windows, in the order of the jobs.
    pub fn into_windows(self) -> Vec<WriteWindow> {
        let window = |window: Window| match window {
            Window::Closed(window) => window,
            Window::Open(from) => WriteWindow { from, to: self.last },
            Window::Ahead => WriteWindow::default(),
        };
        self.windows.into_iter().map(window).collect()
    }
}

/// What was written by now.
pub fn mark(drive: &impl Machine<FioHost>) -> WriteMark {
    let (engine, firmware) = (drive.host().engine(), drive.inspect());
    let counters = firmware.counters();
    WriteMark {
        at_ps: drive.now_ps() - engine.origin_ps(),
        host_bytes: engine.totals().bytes[Direction::Write as usize],
        pages_programmed: counters.programs + counters.moves,
        dirty_pages: u64::from(firmware.pages_to_program()),
    }
}
