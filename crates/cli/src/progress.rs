//! The progress bar: on a terminal only, and on standard error only.

use std::io::{self, IsTerminal};
use std::time::Duration;

use host::{Preconditioned, Progress};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

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
    /// A line if standard error is a terminal, nothing otherwise.
    pub fn new() -> Self {
        ProgressLine { line: Line::new(), preparing: false }
    }

    /// Shows how far preconditioning is, and how long it takes at most.
    pub fn prepare(&mut self, Preconditioned { written, most }: Preconditioned) {
        self.preparing = true;
        self.line.show(written as f64 / most.max(1) as f64, |eta| {
            format!("preconditioning, {} left at most", HumanDuration(eta))
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
    /// As [`ProgressLine::new`]; `name` tells the study and what is done with it.
    pub fn new(name: &str) -> Self {
        StudyLine { name: name.to_owned(), line: Line::new() }
    }

    /// Shows how far the runs are.
    pub fn show(&mut self, progress: &study::Progress) {
        let study::Progress { done, runs, fraction } = progress;
        self.line.show(*fraction, |_| format!("{}: {done} of {runs} runs", self.name));
    }
}

/// A bar with a message.
struct Line {
    bar: Option<ProgressBar>,
}

impl Line {
    fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let style =
                ProgressStyle::with_template(TEMPLATE).expect("the template is well formed");
            let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
            bar.set_style(style);
            bar
        });
        Line { bar }
    }

    /// Moves the bar; the message may tell the time that is left.
    fn show(&self, fraction: f64, message: impl FnOnce(Duration) -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position((fraction * STEPS as f64) as u64);
            bar.set_message(message(bar.eta()));
        }
    }

    /// Begins anew, with something else to show.
    fn restart(&self) {
        if let Some(bar) = &self.bar {
            bar.reset();
        }
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
