//! Turns a job into requests, one call at a time, in virtual time.

mod passes;
mod steered;

use super::direction::{Direction, PerDirection};
use super::extent::Extent;
use super::file_turns::Files;
use super::history::{Back, History};
use super::holds::{Hold, Holds, Moment};
use super::overlaps::{Overlaps, Released};
use super::pace::{RateLimit, Turn};
use super::pacing::PausesInRates;
use super::random::Prng;
use super::request::{Next, Request, RequestKind};
use super::sequence::{clone_seed, Cursor, Plan};
use super::spec::{Flushing, JobSpec, Mix, Passes, Stop, Timing, Verify};

/// The requests of one clone of a job.
///
/// The caller keeps at most `iodepth` requests in flight, calls [`next`](Self::next) when there is
/// room and [`completed`](Self::completed) for each completion, with times that never run back.
/// The first call of `next` is the start of the job's stage. Nothing is allocated after `new`, and
/// memory does not depend on the number of requests, unless the job keeps a [`History`].
#[derive(Clone, Debug)]
pub struct Workload {
    plan: Plan,
    cursor: Cursor,
    /// Where the first pass began, and the running one.
    first_pass: Cursor,
    pass_start: Cursor,
    /// Where the read-back stands.
    replay: Cursor,
    mix: Mix,
    stop: Stop,
    flush: Flushing,
    verify: Verify,
    passes: Passes,
    timing: Timing,
    delay_ps: u64,
    clock: Option<Clock>,
    rate: RateLimit,
    /// What may hold it back beside its rates.
    holds: Option<Box<Holds>>,
    pauses: PausesInRates,
    phase: Phase,
    /// A direction that was drawn but has to wait for its rate.
    drawn: Option<Direction>,
    /// The write that follows a trim of the same bytes.
    follow_up: Option<Extent>,
    /// Starts of the last trim and the last write, where these differ in length.
    pairing: Option<Pairing>,
    /// What is to be read back or trimmed, if a list of it is kept.
    history: Option<Box<History>>,
    /// The files of a job that has several.
    files: Option<Box<Files>>,
    /// What is in flight, if a request waits for those that it overlaps.
    overlaps: Option<Box<Overlaps>>,
    in_flight: u32,
    /// A flush, or a trim before its write: nothing else goes until it completes.
    barrier: bool,
    flush_due: bool,
    issued: Issued,
}

/// Times of a started job, in virtual picoseconds.
#[derive(Clone, Copy, Debug)]
struct Clock {
    start: u64,
    measure: u64,
    end: u64,
}

impl Clock {
    fn moment(self, now_ps: u64) -> Moment {
        Moment { start_ps: self.start, measure_ps: self.measure, now_ps }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Requests of the job are issued.
    Issue,
    /// A pass is over; its last requests complete, and what it wrote is flushed if the job wants that.
    Settle,
    /// Writes of the pass are read back; so many are left.
    ReadBack { left: u64 },
    /// The last reads complete.
    SettleReads,
    /// Nothing more is issued.
    Over,
}

/// Trims and writes of different lengths: the one whose last request began further ahead waits for the other.
#[derive(Clone, Copy, Debug, Default)]
struct Pairing {
    trimmed: Option<u64>,
    written: Option<u64>,
}

impl Pairing {
    fn direction(self) -> Direction {
        if self.trimmed == self.written {
            Direction::Trim
        } else {
            Direction::Write
        }
    }
}

/// What was issued, in fio's terms: of a trim and its write, only the write's bytes count.
#[derive(Clone, Copy, Debug, Default)]
struct Issued {
    bytes: u64,
    pass_bytes: u64,
    pass_writes: u64,
    requests: u64,
    writes: u64,
    /// Writes since the last flush.
    unflushed: u64,
    /// Ends of the range that a walk with gaps came to.
    sweeps: u64,
    /// Passes that were read back, the bytes that were, and the requests behind passes.
    passes: u64,
    back_bytes: u64,
    back_requests: u64,
}

impl Workload {
    /// The requests of `spec` for one run. `seed` is the seed of the run; clones of one job differ.
    pub fn new(spec: &JobSpec, seed: u64) -> Self {
        let (plan, cursor) = Plan::new(spec, seed);
        let timing = spec.timing;
        // Streams more than the plan uses.
        let mut random = Prng::new(clone_seed(spec, seed), u64::MAX);
        let distances = Prng::new(clone_seed(spec, seed), u64::MAX - 1);
        let stream = |nth: u64| Prng::new(clone_seed(spec, seed), u64::MAX - nth);
        let min_bytes = PerDirection {
            read: spec.lengths.read.min_bytes(),
            write: spec.lengths.write.min_bytes(),
            trim: spec.lengths.trim.min_bytes(),
        };
        let span = timing.delay_max_ps - timing.delay_min_ps;
        Self {
            plan,
            cursor,
            first_pass: cursor,
            pass_start: cursor,
            replay: cursor,
            mix: spec.mix,
            stop: spec.stop,
            flush: spec.flush,
            verify: spec.verify,
            passes: spec.seeding.passes,
            timing,
            delay_ps: timing.delay_min_ps + random.below(span + 1),
            clock: None,
            rate: RateLimit::new(&spec.pacing, min_bytes, distances),
            holds: Holds::of(spec),
            pauses: spec.pacing.pauses,
            phase: Phase::Issue,
            drawn: None,
            follow_up: None,
            pairing: (spec.mix == Mix::TrimThenWrite && spec.lengths.write != spec.lengths.trim)
                .then(Pairing::default),
            history: spec.going_back.map(|rules| Box::new(History::new(rules, stream(2)))),
            files: spec.parts.as_ref().map(|parts| Box::new(Files::new(spec, parts, stream(3)))),
            overlaps: Overlaps::of(spec).map(Box::new),
            in_flight: 0,
            barrier: false,
            flush_due: false,
            issued: Issued::default(),
        }
    }

    /// What to do at `now_ps`. A request that is returned counts as issued.
    pub fn next(&mut self, now_ps: u64) -> Next {
        let clock = self.started(now_ps);
        if now_ps < clock.start && self.phase != Phase::Over {
            return Next::Wait { until_ps: clock.start };
        }
        if now_ps >= clock.end {
            self.phase = Phase::Over;
        }
        if self.barrier {
            return Next::Drain;
        }
        loop {
            match self.phase {
                Phase::Issue => {
                    if self.may_issue() {
                        if let Some(next) = self.issue(now_ps, clock) {
                            return next;
                        }
                    } else if self.history.as_ref().is_some_and(|history| history.owes_trims()) {
                        if let Some(next) = self.go_back(now_ps, clock) {
                            return next;
                        }
                    }
                    self.phase = Phase::Settle;
                }
                Phase::ReadBack { left: 0 } => self.phase = Phase::SettleReads,
                Phase::ReadBack { left } => return self.read_back(left),
                Phase::Settle | Phase::SettleReads | Phase::Over if self.in_flight > 0 => {
                    return Next::Drain
                }
                Phase::Settle | Phase::Over if self.owes_flush() => return self.send_flush(),
                Phase::Settle => self.end_pass(),
                Phase::SettleReads => self.begin_pass(),
                Phase::Over => return Next::Done,
            }
        }
    }

    /// Lets the job end: nothing more is issued but the flush that it may end with.
    pub fn stop(&mut self) {
        self.phase = Phase::Over;
        self.follow_up = None;
    }

    /// Takes note that `request` completed at `now_ps`.
    ///
    /// # Panics
    /// If nothing is in flight.
    pub fn completed(&mut self, request: &Request, now_ps: u64) {
        assert!(self.in_flight > 0, "a completion without a request in flight");
        self.in_flight -= 1;
        let ends_barrier = match request.kind {
            RequestKind::Flush | RequestKind::ZoneReset => true,
            RequestKind::Trim => self.mix == Mix::TrimThenWrite,
            RequestKind::Read | RequestKind::Write => false,
        };
        if ends_barrier {
            self.barrier = false;
        }
        if self.history.is_some() || self.overlaps.is_some() {
            self.note_completion(request);
        }
        if let (Some(holds), false) = (&mut self.holds, request.kind == RequestKind::Flush) {
            let clock = self.clock.unwrap_or(Clock { start: now_ps, measure: now_ps, end: now_ps });
            holds.completed(request, clock.moment(now_ps));
            if holds.failure().is_some() {
                self.stop();
            }
        }
    }

    /// Whether requests that complete at `now_ps` count in the results: the job has started and its
    /// ramp is over.
    pub fn measuring(&self, now_ps: u64) -> bool {
        self.clock.is_some_and(|clock| now_ps >= clock.measure)
    }

    /// Requests issued and not yet completed.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Tells those who keep lists of a completion.
    #[cold]
    fn note_completion(&mut self, request: &Request) {
        let &Request { kind, offset_bytes, length_bytes } = request;
        let extent = Extent { offset_bytes, length_bytes };
        let direction = match kind {
            RequestKind::Read => Direction::Read,
            RequestKind::Write => Direction::Write,
            RequestKind::Trim => Direction::Trim,
            RequestKind::Flush | RequestKind::ZoneReset => return,
        };
        if let Some(history) = &mut self.history {
            history.completed(direction, extent);
        }
        if let Some(overlaps) = &mut self.overlaps {
            overlaps.completed(extent);
        }
    }

    fn started(&mut self, now_ps: u64) -> Clock {
        if let Some(clock) = self.clock {
            return clock;
        }
        let start = now_ps.saturating_add(self.delay_ps);
        let measure = start.saturating_add(self.timing.ramp_ps);
        *self.clock.insert(Clock { start, ..self.clock_from(measure) })
    }

    /// Times of a job that is measured from then on.
    fn clock_from(&self, measure: u64) -> Clock {
        let end = self.stop.runtime_ps.map_or(u64::MAX, |ps| measure.saturating_add(ps));
        Clock { start: measure, measure, end }
    }

    /// What the pass asks for; nothing if there is no place left for a request.
    fn issue(&mut self, now_ps: u64, clock: Clock) -> Option<Next> {
        if let Some(overlaps) = &mut self.overlaps {
            match overlaps.release() {
                Released::Nothing => {}
                Released::Blocked => return Some(Next::Drain),
                Released::Request(kind, extent) => return Some(self.send(kind, extent)),
            }
        }
        if let Some(extent) = self.follow_up.take() {
            return Some(self.send_clear(RequestKind::Write, extent));
        }
        if self.history.is_some() {
            if let Some(next) = self.go_back(now_ps, clock) {
                return Some(next);
            }
        }
        if std::mem::take(&mut self.flush_due) {
            return Some(self.send_flush());
        }
        if let Some(next) = self.hold(now_ps, clock) {
            return Some(next);
        }
        let turn = self.turn(now_ps - clock.start);
        let due_ps = clock.start.saturating_add(turn.due_ps);
        if due_ps > now_ps {
            self.drawn = Some(turn.direction);
            return Some(Next::Wait { until_ps: due_ps.min(clock.end) });
        }
        if self.pairing.is_some() {
            return Some(self.issue_of_pair());
        }
        let extent = match &mut self.files {
            None => self.plan.draw_extent(&mut self.cursor, turn.direction),
            Some(files) => files.draw(turn.direction)?,
        };
        Some(match (self.mix, turn.direction) {
            (Mix::TrimThenWrite, _) => {
                self.follow_up = Some(extent);
                self.barrier = true;
                self.send(RequestKind::Trim, extent)
            }
            (_, Direction::Read) => self.send_clear(RequestKind::Read, extent),
            (_, Direction::Write) => self.send_clear(RequestKind::Write, extent),
            (_, Direction::Trim) => self.send_clear(RequestKind::Trim, extent),
        })
    }

    /// The next trim or write where these have different lengths.
    fn issue_of_pair(&mut self) -> Next {
        let pairing = self.pairing.get_or_insert_with(Pairing::default);
        let direction = pairing.direction();
        let extent = self.plan.draw_extent(&mut self.cursor, direction);
        if direction == Direction::Trim {
            pairing.trimmed = Some(extent.offset_bytes);
            self.barrier = true;
            self.send(RequestKind::Trim, extent)
        } else {
            pairing.written = Some(extent.offset_bytes);
            self.send(RequestKind::Write, extent)
        }
    }

    /// What holds the job back.
    fn hold(&mut self, now_ps: u64, clock: Clock) -> Option<Next> {
        let until = |until_ps: u64| Some(Next::Wait { until_ps: until_ps.min(clock.end) });
        match self.holds.as_mut()?.ask(clock.moment(now_ps), self.in_flight) {
            Hold::None => None,
            Hold::Drain => Some(Next::Drain),
            Hold::Begin(until_ps) => {
                if self.pauses == PausesInRates::LeftOut {
                    self.rate.leave_out(until_ps.saturating_sub(now_ps));
                }
                until(until_ps)
            }
            Hold::Until(until_ps) => until(until_ps),
            Hold::Held => Some(Next::Held { until_ps: clock.end }),
            Hold::Remeasure => {
                // As in fio, the time of the job counts anew.
                self.clock = Some(Clock { start: clock.start, ..self.clock_from(now_ps) });
                Some(Next::Remeasure)
            }
            Hold::Over => {
                self.stop();
                Some(self.next(now_ps))
            }
        }
    }

    /// A read or a trim of what was written before, if it is time for one. As in fio, such reads count as
    /// requests of the job, but not as bytes of it.
    fn go_back(&mut self, now_ps: u64, clock: Clock) -> Option<Next> {
        if let Some(next) = self.hold(now_ps, clock) {
            return Some(next);
        }
        let (kind, extent) = match self.history.as_mut()?.ask()? {
            Back::Verify(extent) => (RequestKind::Read, extent),
            Back::Trim(extent) => (RequestKind::Trim, extent),
        };
        self.in_flight += 1;
        self.issued.requests += 1;
        self.issued.back_bytes += extent.length_bytes;
        if let Some(holds) = &mut self.holds {
            holds.issued();
        }
        if let Some(overlaps) = &mut self.overlaps {
            overlaps.issue(extent);
        }
        Some(Next::Io(extent.request(kind)))
    }

    /// Which direction goes next, and when. A job that reads back keeps to the drawn order even
    /// where a rate would have the directions change places: only then can it be walked again.
    fn turn(&mut self, at_ps: u64) -> Turn {
        let drawn = match self.drawn.take() {
            Some(direction) => direction,
            None => self.plan.draw_direction(&mut self.cursor),
        };
        match (self.mix, drawn) {
            (Mix::ReadWrite { read_percent: 1..=99 }, Direction::Read)
                if self.verify == Verify::Off =>
            {
                self.rate.turn_of_either(Direction::Read, Direction::Write, at_ps)
            }
            (Mix::ReadWrite { read_percent: 1..=99 }, Direction::Write)
                if self.verify == Verify::Off =>
            {
                self.rate.turn_of_either(Direction::Write, Direction::Read, at_ps)
            }
            _ => self.rate.turn(drawn),
        }
    }

    fn send_flush(&mut self) -> Next {
        self.barrier = true;
        self.issued.unflushed = 0;
        self.send(RequestKind::Flush, Extent { offset_bytes: 0, length_bytes: 0 })
    }

    /// Sends a request once it overlaps nothing in flight, if the job wants that.
    fn send_clear(&mut self, kind: RequestKind, extent: Extent) -> Next {
        if let Some(overlaps) = &mut self.overlaps {
            if !overlaps.is_clear(kind, extent) {
                return Next::Drain;
            }
        }
        self.send(kind, extent)
    }

    fn send(&mut self, kind: RequestKind, extent: Extent) -> Next {
        self.in_flight += 1;
        let length = extent.length_bytes;
        let issued = &mut self.issued;
        let direction = match kind {
            RequestKind::Flush | RequestKind::ZoneReset => return Next::Io(extent.request(kind)),
            RequestKind::Read => Direction::Read,
            RequestKind::Write => Direction::Write,
            RequestKind::Trim => Direction::Trim,
        };
        issued.requests += 1;
        if let Some(holds) = &mut self.holds {
            holds.issued();
        }
        if let Some(overlaps) = &mut self.overlaps {
            overlaps.issue(extent);
        }
        if kind == RequestKind::Write {
            if let Some(history) = &mut self.history {
                history.write(extent);
            }
            issued.writes += 1;
            issued.unflushed += 1;
            issued.pass_writes += 1;
            let divides = |every: Option<u64>| every.is_some_and(|n| issued.writes % n == 0);
            self.flush_due =
                divides(self.flush.fsync_writes) || divides(self.flush.fdatasync_writes);
        }
        if (self.mix, kind) != (Mix::TrimThenWrite, RequestKind::Trim) {
            issued.bytes += length;
            issued.pass_bytes += length;
        }
        self.rate.issue(direction, length);
        Next::Io(extent.request(kind))
    }
}

impl Extent {
    fn request(self, kind: RequestKind) -> Request {
        Request { kind, offset_bytes: self.offset_bytes, length_bytes: self.length_bytes }
    }
}
