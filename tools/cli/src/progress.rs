//! Progress of a run, on standard error only: a bar on a terminal, or lines if they are asked for.

use std::fmt::Display;
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
/// Pages that are overwritten in a second, about, while nothing has been measured yet. Half a million were measured on the board
/// `small` with 30,000 blocks a way.
const USUAL_PAGES_A_SECOND: f64 = 5e5;
/// Real time after which it is measured how long preconditioning takes, and seconds that are long.
const LOOK: Duration = Duration::from_secs(1);
const LONG_S: f64 = 10.0;
/// What stands in the line: bar, percent, and the message.
const TEMPLATE: &str = "{bar:30} {percent:>3} %  {msg}";

/// The line that shows how far a run has come; it vanishes when dropped.
pub struct ProgressLine {
    line: Line,
    /// Since when it shows the preconditioning.
    preparing: Option<Instant>,
    long: LongPreparation,
}

impl Left {
    fn text(self, time: impl Display) -> String {
        match self {
            Left::About => format!("{time} left"),
            Left::AtMost => format!("{time} left at most"),
        }
    }
}

/// How much time is left.
#[derive(Clone, Copy)]
enum Left {
    /// About as much as it looks like.
    About,
    /// So much at most.
    AtMost,
}

/// Preconditioning that takes long, which is told before it does.
#[derive(Default)]
struct LongPreparation {
    is_told: bool,
}

impl LongPreparation {
    /// What to tell, once, after `written` of at most `most` pages have taken so long; nothing unless all of them take long. At the
    /// beginning that is an estimate; after a second it is what these pages have taken.
    fn told(&mut self, passed: Duration, written: u64, most: u64) -> Option<String> {
        let (is_measured, fraction) = (passed >= LOOK, written as f64 / most.max(1) as f64);
        let all_s = match is_measured {
            false => most as f64 / USUAL_PAGES_A_SECOND,
            true if written > 0 => passed.as_secs_f64() / fraction,
            true => 0.0,
        };
        if self.is_told || all_s < LONG_S {
            return None;
        }
        self.is_told = true;
        let about = if is_measured { "" } else { "about " };
        Some(format!(
            "firmament: preconditioning writes up to {most} pages, which takes up to {about}{all_s:.0} s. Quicker: --save FILE keeps the \
             drive for runs with --from FILE; --precondition random or sequential writes the drive once, and steady draws the \
             steady state of boards with one mapping unit a page; a board with fewer blocks (--set geometry.blocks_per_way=N)"
        ))
    }
}

impl ProgressLine {
    /// A line, as the arguments have it: if absent, on a terminal only.
    pub fn new(eta: EtaArguments) -> Self {
        let terminal = io::stderr().is_terminal();
        let every = match (eta.eta, terminal) {
            (EtaKind::Never, _) => return ProgressLine::of(Line::hidden()),
            (EtaKind::Auto, false) => None,
            (EtaKind::Auto | EtaKind::Always, true) => eta.eta_newline,
            (EtaKind::Always, false) => Some(eta.eta_newline.unwrap_or(eta.eta_interval)),
        };
        let line = Line { bar: bar(), kept: every.map(KeptLines::new) };
        ProgressLine::of(line)
    }

    /// A line on a terminal, nothing otherwise.
    pub fn on_terminal() -> Self {
        ProgressLine::of(Line::new())
    }

    fn of(line: Line) -> Self {
        ProgressLine { line, preparing: None, long: LongPreparation::default() }
    }

    /// Shows how far preconditioning is, and how long it takes at most.
    pub fn prepare(&mut self, Preconditioned { written, most, whole }: Preconditioned) {
        let fraction = written as f64 / most.max(1) as f64;
        let began = *self.preparing.get_or_insert_with(Instant::now);
        if let Some(line) = self.long.told(began.elapsed(), written, most) {
            self.line.tell(&line);
        }
        let what = whole.map_or(String::new(), |why| format!(" the whole drive: {why}"));
        self.line.show(fraction, &format!("preconditioning{what}"), Left::AtMost);
    }

    /// Shows how far the run is.
    pub fn show(&mut self, progress: &Progress) {
        if self.preparing.take().is_some() {
            self.line.restart();
        }
        self.line.show(progress.fraction, &message(progress), Left::About);
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
        self.line.show(*fraction, &format!("{}: {done} of {runs} runs", self.name), Left::About);
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
        line.show(fraction, &format!("{done} of {all} {what}"), Left::About);
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

    /// Moves the bar, with a message and the time that is left: once, whichever line it stands in.
    fn show(&mut self, fraction: f64, message: &str, left: Left) {
        if let Some(bar) = &self.bar {
            bar.set_position((fraction * STEPS as f64) as u64);
            bar.set_message(format!("{message}, {}", left.text(HumanDuration(bar.eta()))));
        }
        let line = self.kept.as_mut().and_then(|kept| kept.line(fraction, message, left));
        line.iter().for_each(|line| self.tell(line));
    }

    /// Writes a line that stays, above the bar if there is one.
    fn tell(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => tell(line),
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
    fn line(&mut self, fraction: f64, message: &str, left: Left) -> Option<String> {
        let now = Instant::now();
        if now - self.last < self.every {
            return None;
        }
        self.last = now;
        let passed_s = (now - self.started).as_secs_f64();
        let time = Duration::try_from_secs_f64(passed_s * (1.0 - fraction) / fraction).ok()?;
        let time = left.text(format_args!("{} s", time.as_secs()));
        Some(format!("{:.1} %, {message}, {time}", 100.0 * fraction))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_is_left_is_told_once() {
        let mut kept = KeptLines::new(Duration::ZERO);
        let line = kept.line(0.5, "preconditioning", Left::AtMost).unwrap();
        assert_eq!(line, "50.0 %, preconditioning, 0 s left at most");
        let line = kept.line(0.25, "3 of 12 points", Left::About).unwrap();
        assert_eq!(line, "25.0 %, 3 of 12 points, 0 s left");
    }

    /// With what is written first, before it has taken any time to speak of.
    #[test]
    fn preconditioning_that_takes_long_is_told_before_it_does_and_once() {
        let (soon, second) = (Duration::from_millis(2), Duration::from_secs(1));
        let mut long = LongPreparation::default();
        let line = long.told(soon, 4_096, 1_000_000_000).unwrap();
        assert!(line.contains("up to 1000000000 pages, which takes up to about 2000 s"), "{line}");
        assert!(line.contains("--save"), "{line}");
        assert_eq!(long.told(second, 2_000_000, 1_000_000_000), None);
        // A processor that is slower than most.
        let mut long = LongPreparation::default();
        assert_eq!(long.told(soon, 4_096, 4_000_000), None, "eight seconds are not long");
        assert_eq!(long.told(second, 0, 4_000_000), None);
        assert_eq!(long.told(second, 2_000_000, 4_000_000), None);
        let line = long.told(second, 200_000, 4_000_000).unwrap();
        assert!(line.contains("takes up to 20 s"), "{line}");
    }
}
