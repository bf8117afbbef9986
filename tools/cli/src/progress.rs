//! Progress of a run, on standard error only: a bar on a terminal, or lines if they are asked for.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use foreign::one_line;
use host::{Preconditioned, Progress};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::arguments::{EtaArguments, EtaKind};
use crate::tell;

/// Steps of the bar.
const STEPS: u64 = 1000;
const PS_PER_MS: f64 = 1e9;
/// What stands in the line: bar, percent, and the message.
const TEMPLATE: &str = "{bar:30} {percent:>3} %  {msg}";

/// The line that shows how far a run has come; it vanishes when dropped.
pub struct ProgressLine {
    line: Line,
    /// It shows the preconditioning.
    preparing: bool,
}

impl ProgressLine {
    /// A line, as the arguments have it: if absent, on a terminal only.
    pub fn new(eta: EtaArguments) -> Self {
        let terminal = io::stderr().is_terminal();
        let every = match (eta.eta, terminal) {
            (EtaKind::Never, _) => return ProgressLine { line: Line::hidden(), preparing: false },
            (EtaKind::Auto, false) => None,
            (EtaKind::Auto | EtaKind::Always, true) => eta.eta_newline,
            (EtaKind::Always, false) => Some(eta.eta_newline.unwrap_or(eta.eta_interval)),
        };
        let line = Line { bar: bar(), kept: every.map(KeptLines::new) };
        ProgressLine { line, preparing: false }
    }

    /// A line on a terminal, nothing otherwise.
    pub fn on_terminal() -> Self {
        ProgressLine { line: Line::new(), preparing: false }
    }

    /// Shows how far preconditioning is, and how long it takes at most.
    pub fn prepare(&mut self, Preconditioned { written, most, whole }: Preconditioned) {
        self.preparing = true;
        let what = whole.map_or(String::new(), |why| format!(" the whole drive: {why}"));
        self.line.show(written as f64 / most.max(1) as f64, |eta| {
            format!("preconditioning{what}, {} left at most", HumanDuration(eta))
        });
    }

    /// Shows how far the run is.
    pub fn show(&mut self, progress: &Progress) {
        if std::mem::take(&mut self.preparing) {
            self.line.restart();
        }
        self.line.show(progress.fraction, |_| message(progress));
    }
}

/// The line that shows how far the runs of a study have come; it vanishes when dropped.
pub struct StudyLine {
    name: String,
    line: Line,
}

impl StudyLine {
    /// A line on a terminal, nothing otherwise; `name` tells the study and what is done with it.
    pub fn new(name: &str) -> Self {
        StudyLine { name: one_line(name), line: Line::new() }
    }

    /// Shows how far the runs are.
    pub fn show(&mut self, progress: &study::Progress) {
        let study::Progress { done, runs, fraction } = progress;
        self.line.show(*fraction, |_| format!("{}: {done} of {runs} runs", self.name));
    }
}

/// The line that shows how many of something are done; it vanishes when dropped.
pub struct CountLine {
    what: &'static str,
    all: u64,
    line: Line,
}

impl CountLine {
    /// A line on a terminal, nothing otherwise; `all` of `what` are to be done.
    pub fn new(what: &'static str, all: u64) -> Self {
        CountLine { what, all, line: Line::new() }
    }

    /// Shows how many are done.
    pub fn show(&mut self, done: u64) {
        let CountLine { what, all, line } = self;
        let fraction = done as f64 / (*all).max(1) as f64;
        line.show(fraction, |left| format!("{done} of {all} {what}, {} left", HumanDuration(left)));
    }
}

/// A bar with a message, and lines that stay.
struct Line {
    bar: Option<ProgressBar>,
    kept: Option<KeptLines>,
}

impl Line {
    /// A bar if standard error is a terminal, nothing otherwise.
    fn new() -> Self {
        Line { bar: bar(), kept: None }
    }

    /// Neither.
    fn hidden() -> Self {
        Line { bar: None, kept: None }
    }

    /// Moves the bar; the message may tell the time that is left.
    fn show(&mut self, fraction: f64, message: impl Fn(Duration) -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position((fraction * STEPS as f64) as u64);
            bar.set_message(message(bar.eta()));
        }
        let Some(line) = self.kept.as_mut().and_then(|kept| kept.line(fraction, message)) else {
            return;
        };
        match &self.bar {
            Some(bar) => bar.println(line),
            None => tell(&line),
        }
    }

    /// Begins anew, with something else to show.
    fn restart(&mut self) {
        if let Some(bar) = &self.bar {
            bar.reset();
        }
        if let Some(kept) = &mut self.kept {
            kept.started = Instant::now();
        }
    }
}

/// A bar if standard error is a terminal.
fn bar() -> Option<ProgressBar> {
    io::stderr().is_terminal().then(|| {
        let style = ProgressStyle::with_template(TEMPLATE).expect("the template is well formed");
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
        bar.set_style(style);
        bar
    })
}

/// Lines that stay, one each time some time has passed.
struct KeptLines {
    every: Duration,
    started: Instant,
    last: Instant,
}

impl KeptLines {
    fn new(every: Duration) -> Self {
        let now = Instant::now();
        KeptLines { every, started: now, last: now }
    }

    /// The line, if it is time for one.
    fn line(&mut self, fraction: f64, message: impl Fn(Duration) -> String) -> Option<String> {
        let now = Instant::now();
        if now - self.last < self.every {
            return None;
        }
        self.last = now;
        let passed_s = (now - self.started).as_secs_f64();
        let left = Duration::try_from_secs_f64(passed_s * (1.0 - fraction) / fraction).ok()?;
        let left_s = left.as_secs();
        Some(format!("{:.1} %, {}, {left_s} s left", 100.0 * fraction, message(left)))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn message(progress: &Progress) -> String {
    let elapsed_ms = progress.elapsed_ps as f64 / PS_PER_MS;
    format!("{elapsed_ms:.1} ms of virtual time, {:.0} IOPS", progress.iops)
}
