//! What a timeline is to show, told before the run and chosen after it.
//!
//! Board, jobs and seed decide everything that a drive does. So a run can be done once to learn which request was the
//! slowest, and once more to record what the drive did around it.

use std::fmt;
use std::str::FromStr;

use contract::FlashOperation;
use machine::{FlashPhase, Observer, TimeSpan, NEVER};

use crate::window::{time_ps, Window};

/// Share of the window that lies before and behind the request, and bounds of it in picoseconds.
const MARGIN: u64 = 20;
const LEAST_MARGIN_PS: u64 = 10_000_000;
const MOST_MARGIN_PS: u64 = 1_000_000_000;
/// Percentiles are read to a millionth.
const PERCENT: u64 = 1_000_000;

/// What a timeline is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// The request that took longest.
    Slowest,
    /// The request that so many of all others took no longer than, in millionths of a percent.
    Percentile(u64),
    /// The first block that the drive erased on its own behalf.
    Collection,
    /// The longest request under way at so many picoseconds from the start of the first job.
    At(u64),
}

/// A text that says nothing that a timeline can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AroundError;

impl fmt::Display for AroundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("slowest, a percentile such as p99.9, collection, or a time such as 1.5ms")
    }
}

impl std::error::Error for AroundError {}

impl fmt::Display for Around {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Around::Slowest => f.write_str("slowest"),
            Around::Percentile(millionths) => {
                write!(f, "p{}", millionths as f64 / PERCENT as f64)
            }
            Around::Collection => f.write_str("collection"),
            Around::At(ps) => write!(f, "{}us", ps as f64 / 1e6),
        }
    }
}

impl FromStr for Around {
    type Err = AroundError;

    fn from_str(text: &str) -> Result<Self, AroundError> {
        match text {
            "slowest" => return Ok(Around::Slowest),
            "collection" => return Ok(Around::Collection),
            _ => {}
        }
        let percentile = |text: &str| {
            // A number with the unit whose power of ten is that of a percentile.
            let millionths = time_ps(&format!("{text}us"))?;
            (1..=100 * PERCENT).contains(&millionths).then_some(Around::Percentile(millionths))
        };
        match text.strip_prefix('p') {
            Some(number) => percentile(number),
            None => time_ps(text).map(Around::At),
        }
        .ok_or(AroundError)
    }
}

/// A request of a run, in picoseconds from the start of the first job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The moment at which the host submitted it.
    pub start_ps: u64,
    /// The moment at which the host saw its completion.
    pub end_ps: u64,
}

impl Request {
    fn length(&self) -> u64 {
        self.end_ps - self.start_ps
    }

    fn is_under_way(&self, at: u64) -> bool {
        self.start_ps <= at && at < self.end_ps
    }
}

/// What is to be recorded when a run is done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// When.
    pub window: Window,
    /// What is to be marked in it.
    pub(crate) subject: Subject,
}

/// Whose critical path is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A request's.
    Request(Request),
    /// That of the request which waits longest for what the drive does on its own behalf while it erases a block.
    Behind(Request),
    /// Nobody's.
    Nobody,
}

impl Around {
    /// What to record of a run with these requests; none if the run had nothing of the kind. `erase` is what a [`FirstErase`]
    /// has seen, and only asked for where it is what a timeline is to show.
    pub fn sight(self, requests: &[Request], erase: Option<Request>) -> Option<Sight> {
        let longest = |of: &mut dyn Iterator<Item = &Request>| {
            // The first one of equals.
            of.copied().reduce(|best, next| if next.length() > best.length() { next } else { best })
        };
        match self {
            Around::Slowest => longest(&mut requests.iter()).map(Sight::of),
            Around::Percentile(millionths) => percentile(requests, millionths).map(Sight::of),
            Around::At(at) => {
                let found = longest(&mut requests.iter().filter(|one| one.is_under_way(at)));
                found.map(Sight::of).or_else(|| {
                    let moment = Request { start_ps: at, end_ps: at };
                    Some(Sight { subject: Subject::Nobody, ..Sight::of(moment) })
                })
            }
            Around::Collection => {
                let erase = erase?;
                let met = requests
                    .iter()
                    .filter(|one| one.start_ps < erase.end_ps && one.end_ps > erase.start_ps);
                let all = met.fold(erase, |all, one| Request {
                    start_ps: all.start_ps.min(one.start_ps),
                    end_ps: all.end_ps.max(one.end_ps),
                });
                Some(Sight { subject: Subject::Behind(erase), ..Sight::of(all) })
            }
        }
    }
}

/// The request at a percentile's rank: the shortest one that no more than the others' share take longer than.
fn percentile(requests: &[Request], millionths: u64) -> Option<Request> {
    let mut all = requests.to_vec();
    let whole = 100 * u128::from(PERCENT);
    let rank = (all.len() as u128 * u128::from(millionths)).div_ceil(whole);
    let nth = usize::try_from(rank).ok()?.checked_sub(1)?;
    let by = |one: &Request| (one.length(), one.start_ps, one.end_ps);
    Some(*all.select_nth_unstable_by_key(nth, by).1)
}

impl Sight {
    /// A request, with a little of what was before and behind it.
    fn of(request: Request) -> Self {
        let margin = (request.length() / MARGIN).clamp(LEAST_MARGIN_PS, MOST_MARGIN_PS);
        let (start, end) =
            (request.start_ps.saturating_sub(margin), request.end_ps.saturating_add(margin));
        let window = Window::between(start, end).expect("a margin is some time");
        Sight { window, subject: Subject::Request(request) }
    }
}

/// Looks for the first block that a drive erases on its own behalf while jobs run.
#[derive(Debug)]
pub struct FirstErase {
    origin: u64,
    found: Option<TimeSpan>,
}

impl Default for FirstErase {
    fn default() -> Self {
        FirstErase { origin: NEVER, found: None }
    }
}

impl FirstErase {
    /// When it was, in time from the start of the first job.
    pub fn found(&self) -> Option<Request> {
        let span = self.found?;
        Some(Request { start_ps: span.start - self.origin, end_ps: span.end - self.origin })
    }
}

impl Observer for FirstErase {
    fn jobs_begin(&mut self, now: u64) {
        self.origin = now;
    }

    fn chip(&mut self, phase: FlashPhase) {
        let is_own = phase.operation == FlashOperation::Erase && phase.command.is_none();
        if is_own && self.found.is_none() && phase.span.start >= self.origin {
            self.found = Some(phase.span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(start_ps: u64, end_ps: u64) -> Request {
        Request { start_ps, end_ps }
    }

    #[test]
    fn words_are_read_and_anything_else_is_refused() {
        let rows = [
            ("slowest", Around::Slowest),
            ("p99.9", Around::Percentile(99_900_000)),
            ("p100", Around::Percentile(100_000_000)),
            ("collection", Around::Collection),
            ("1.5ms", Around::At(1_500_000_000)),
        ];
        for (text, expected) in rows {
            assert_eq!(text.parse(), Ok(expected), "{text}");
            assert_eq!(expected.to_string().parse(), Ok(expected), "{text}");
        }
        for text in
            ["", "p", "p0", "p101", "p-1", "pp9", "fastest", "1.5", "0..2ms", "p99.99999991"]
        {
            assert_eq!(text.parse::<Around>(), Err(AroundError), "{text}");
        }
    }

    #[test]
    fn the_request_that_is_meant_is_found() {
        let requests: Vec<Request> = (1..=1000).map(|n| request(5 * n, 5 * n + n)).collect();
        let of = |around: Around| match around.sight(&requests, None)?.subject {
            Subject::Request(request) => Some(request.length()),
            _ => None,
        };
        assert_eq!(of(Around::Slowest), Some(1000));
        assert_eq!(of(Around::Percentile(99_900_000)), Some(999));
        assert_eq!(of(Around::Percentile(50_000_000)), Some(500));
        assert_eq!(of(Around::Percentile(1)), Some(1));
        // Of those under way at 3000 the longest one began there.
        assert_eq!(of(Around::At(3000)), Some(600));
        assert_eq!(of(Around::At(9000)), None);
        assert!(Around::At(9000).sight(&requests, None).is_some());
        assert_eq!(Around::Slowest.sight(&[], None), None);
        assert_eq!(Around::Percentile(1).sight(&[], None), None);
        assert_eq!(Around::Collection.sight(&requests, None), None);
    }

    #[test]
    fn a_window_holds_all_requests_that_an_erase_meets_and_a_margin() {
        let ms = 1_000_000_000;
        let requests = [request(0, ms), request(2 * ms, 4 * ms), request(9 * ms, 12 * ms)];
        let sight = Around::Collection.sight(&requests, Some(request(3 * ms, 10 * ms))).unwrap();
        let margin = 10 * ms / MARGIN;
        let edges = (sight.window.start_ps(), sight.window.end_ps());
        assert_eq!(edges, (2 * ms - margin, 12 * ms + margin));
        let first = Around::At(ms / 2).sight(&requests, None).unwrap();
        assert_eq!(first.window.start_ps(), 0);
    }

    #[test]
    fn only_the_first_erase_of_its_own_while_jobs_run_counts() {
        let phase = |operation, command, start| FlashPhase {
            operation,
            channel: 0,
            way: 0,
            row: 0,
            command,
            span: TimeSpan { start, end: start + 100 },
        };
        let mut first = FirstErase::default();
        first.chip(phase(FlashOperation::Erase, None, 500));
        first.jobs_begin(1000);
        first.chip(phase(FlashOperation::Program, None, 1100));
        first.chip(phase(FlashOperation::Erase, Some(contract::CommandTag(3)), 1200));
        assert_eq!(first.found(), None);
        first.chip(phase(FlashOperation::Erase, None, 1300));
        first.chip(phase(FlashOperation::Erase, None, 1400));
        assert_eq!(first.found(), Some(request(300, 400)));
    }
}
