//! A worker: one clone of a job as a thread of the host. Its steps follow each other in time.
//!
//! A worker decides on requests one after another, each taking the host's submission latency, and
//! hands the whole batch over with one doorbell when it is through. Only then are the entries
//! written and the oracle told, so that host memory never runs ahead of virtual time. A job may want
//! smaller batches, and completions taken in batches too ([`Batching`]).

mod commands;
mod faults;
mod needs;
mod placing;
mod slot;
mod zoned;

use machine::CommandTimes;
use nvme::io::UnitAccess;
use report::{Completion, Direction, JobResult, Split};

pub use self::needs::{Needs, Terms};
use self::placing::Placing;
use self::slot::Slot;
use crate::job::{
    Batching, Faults, JobSpec, Namespace, Next, OnEnd, PerDirection, Request, RequestKind, Zoned,
};
use crate::lane::Lane;
use crate::log::JobLog;
use crate::measure::Measure;
use crate::memory::Memory;
use crate::oracle::Oracle;
use crate::prp::{BufferShape, Buffers};
use crate::queue::Ring;
use crate::source::{Seen, Source};
use crate::zone_book::ZoneBook;

/// What a worker works on beside itself.
pub struct Desk<'a> {
    /// Its queue.
    pub lane: &'a mut Lane,
    /// Host memory.
    pub memory: &'a mut Memory,
    /// What reads may return, by LBA.
    pub oracle: &'a mut Oracle,
    /// What is known of the drive's zones, if it has some.
    pub zones: Option<&'a mut ZoneBook>,
    /// What all share.
    pub terms: Terms,
    /// Time at which the run began: reports count from it.
    pub origin_ps: u64,
}

/// A completed request, for those who add all jobs up.
#[derive(Clone, Copy, Debug)]
pub struct Finished {
    /// When the job saw it.
    pub at_ps: u64,
    /// Which way; none for a flush.
    pub direction: Option<Direction>,
    /// Bytes moved.
    pub bytes: u64,
    /// From the doorbell to the job's sight of the completion.
    pub latency_ps: u64,
    /// Whether it counts: not while the job ramps up.
    pub is_measured: bool,
}

/// What a worker waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Its own doorbell, or a time that its job names.
    Until(u64),
    /// A completion of one of its requests.
    Completion,
    /// A free command in its queue.
    Room,
    /// What another job does, a completion, or this time.
    Held(u64),
    /// Nothing: the job is over.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Running,
    /// Issues nothing new.
    Ending,
    Over,
}

/// One clone of a job, running.
#[derive(Debug)]
pub struct Worker {
    name: String,
    index: u32,
    stage: u32,
    group: u32,
    on_end: OnEnd,
    namespace: Namespace,
    workload: Source,
    unit_access: PerDirection<UnitAccess>,
    /// How it uses zones, on a drive that has some.
    zoned: Option<Zoned>,
    /// A request that waits for a zone.
    unplaced: Option<Request>,
    /// The placement identifiers of its writes, if they name any.
    placing: Option<Box<Placing>>,
    faults: Faults,
    /// The shortest latency that is more than the job takes, or searches a queue depth for.
    bound_ps: PerDirection<u64>,
    life: Life,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Slots whose commands have all completed.
    ready: Vec<u32>,
    /// Commands that the next doorbell hands over.
    staged: Vec<u16>,
    /// Requests among them.
    staged_requests: usize,
    batching: Batching,
    /// Whether a queue that was full drains to the job's low mark.
    draining: bool,
    /// A request for which the queue had no room to the end.
    partial: Option<u32>,
    buffers: Buffers,
    /// For each block of each slot what the oracle said when its command began.
    words: Vec<u32>,
    words_per_slot: usize,
    /// When it is through with what it does.
    free_ps: u64,
    /// Bytes completed, for the progress shown.
    done_bytes: u64,
    measure: Measure,
}

/// A worker to make.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Its job.
    pub spec: &'a JobSpec,
    /// Seed of the run.
    pub seed: u64,
    /// What the job needs.
    pub needs: Needs,
    /// What all workers share.
    pub terms: Terms,
}

impl Worker {
    /// A worker that has not begun. Its memory is allocated.
    pub fn new(start: &Start<'_>, memory: &mut Memory) -> Self {
        let Start { spec, seed, needs, terms } = *start;
        let BufferShape { slots, bytes, .. } = needs.buffers;
        let words_per_slot = (bytes / terms.block_bytes) as usize;
        Worker {
            name: spec.name.clone(),
            index: spec.index,
            stage: spec.stage,
            group: spec.group,
            on_end: spec.on_end,
            namespace: spec.namespace,
            workload: Source::new(spec, seed),
            unit_access: spec.unit_access,
            zoned: spec.zoned,
            unplaced: None,
            placing: Placing::of(spec, seed),
            faults: spec.faults,
            bound_ps: faults::bound(spec),
            life: Life::Running,
            slots: vec![Slot::NOTHING; slots as usize],
            free: (0..slots).rev().collect(),
            ready: Vec::with_capacity(slots as usize),
            staged: Vec::with_capacity(needs.commands.min(1 << 16) as usize),
            staged_requests: 0,
            batching: spec.batching,
            draining: false,
            partial: None,
            buffers: Buffers::new(needs.buffers, memory),
            words: vec![0; slots as usize * words_per_slot],
            words_per_slot,
            free_ps: 0,
            done_bytes: 0,
            measure: Measure::new(spec),
        }
    }

    /// Name of its job.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Notes where the time of a request went whose last command so far is posted.
    #[inline]
    pub fn set_times(&mut self, slot: u32, times: &CommandTimes) {
        self.slots[slot as usize].times = *times;
    }

    /// Stage that it runs in.
    pub fn stage(&self) -> u32 {
        self.stage
    }

    /// Its reporting group.
    pub fn group(&self) -> u32 {
        self.group
    }

    /// What its end means to others of its group.
    pub fn on_end(&self) -> OnEnd {
        self.on_end
    }

    /// Requests decided on and not seen completed.
    pub fn in_flight(&self) -> u32 {
        self.workload.in_flight()
    }

    /// Bytes completed.
    pub fn done_bytes(&self) -> u64 {
        self.done_bytes
    }

    /// When its job started, from the start of the run; the end of time before that.
    pub fn start_ps(&self) -> u64 {
        self.measure.start_ps()
    }

    /// Whether its job is over.
    pub fn is_over(&self) -> bool {
        self.life == Life::Over
    }

    /// Whether it waits for its own doorbell, and cannot be interrupted.
    #[inline]
    pub fn is_busy(&self) -> bool {
        !self.staged.is_empty()
    }

    /// The earliest time at which it can do something new.
    #[inline]
    pub fn free_ps(&self) -> u64 {
        self.free_ps
    }

    /// Issues nothing new from now on.
    pub fn wind_up(&mut self) {
        self.workload.stop();
    }

    /// Gives it logs to write.
    pub fn set_log(&mut self, log: Option<Box<JobLog>>) {
        self.measure.set_log(log);
    }

    /// What it measured until `now_ps` from the start of the run, or until its end.
    pub fn result_so_far(&self, now_ps: u64) -> JobResult {
        match self.is_over() {
            true => self.measure.result().clone(),
            false => JobResult {
                latency_search: self.latency_search(),
                ..self.measure.result_at(now_ps)
            },
        }
    }

    /// The measurements, once it is over.
    pub fn into_measure(self) -> Measure {
        self.measure
    }

    /// Writes the staged commands into the queue. Returns the doorbell that hands them over.
    #[inline]
    pub fn hand_over(&mut self, desk: &mut Desk<'_>) -> Ring {
        for nth in 0..self.staged.len() {
            let entry = self.begin(self.staged[nth], desk);
            desk.lane.pair.push(desk.memory, &entry);
        }
        self.staged.clear();
        let requests = std::mem::take(&mut self.staged_requests);
        if requests > 0 {
            self.measure.submit(requests);
        }
        desk.lane.pair.ring_tail()
    }

    /// Sees what has completed, then decides on what comes next, from `now` on.
    #[inline]
    pub fn work(
        &mut self,
        now: u64,
        desk: &mut Desk<'_>,
        mut tell: impl FnMut(Finished, Option<&Split>),
    ) -> Wait {
        let mut time = now;
        let wait = loop {
            if self.may_reap() {
                self.reap(&mut time, desk, &mut tell);
            }
            let wait = self.decide(&mut time, desk);
            if self.is_busy() || !self.may_reap() {
                break wait;
            }
        };
        self.free_ps = time;
        match wait {
            _ if self.is_busy() => Wait::Until(time),
            Wait::Nothing => {
                self.life = Life::Over;
                self.leave_search_and_flow();
                if let Some(error) = self.workload.failure() {
                    self.measure.fail(error);
                }
                self.measure.end(time - desk.origin_ps);
                Wait::Nothing
            }
            wait => wait,
        }
    }

    /// Whether so many requests have completed that the job takes completions.
    #[inline]
    fn may_reap(&self) -> bool {
        let least = self.batching.complete_min.min(self.workload.in_flight());
        !self.ready.is_empty() && self.ready.len() >= least as usize
    }

    /// Takes completions, in the order in which they came.
    #[inline]
    fn reap(
        &mut self,
        time: &mut u64,
        desk: &Desk<'_>,
        tell: &mut impl FnMut(Finished, Option<&Split>),
    ) {
        let count = self.ready.len().min(self.batching.complete_max as usize);
        *time += desk.terms.reap_ps;
        if self.workload.measuring(*time) {
            self.measure.reap(count);
        }
        for nth in 0..count {
            let slot = self.ready[nth];
            let finished = self.see(slot, *time, desk);
            tell(finished, self.slots[slot as usize].split(desk.terms.accounts));
        }
        self.ready.drain(..count);
    }

    /// Decides on requests until there is a reason to wait.
    #[inline]
    fn decide(&mut self, time: &mut u64, desk: &mut Desk<'_>) -> Wait {
        loop {
            if let Some(slot) = self.partial {
                if !self.stage_commands(slot, desk) {
                    return Wait::Room;
                }
                self.partial = None;
            }
            if self.staged_requests as u64 >= u64::from(self.batching.submit) {
                return Wait::Until(*time);
            }
            if self.life == Life::Ending {
                return match self.workload.in_flight() {
                    0 => Wait::Nothing,
                    _ => Wait::Completion,
                };
            }
            if self.draining && self.workload.in_flight() > self.batching.low {
                return Wait::Completion;
            }
            let Some(&slot) = self.free.last() else {
                self.draining = true;
                return Wait::Completion;
            };
            self.draining = false;
            if !desk.lane.has_room() {
                return Wait::Room;
            }
            let next = match self.unplaced() {
                Some(request) => Next::Io(request),
                None => self.workload.next(*time, slot),
            };
            if !self.measure.has_started() && next != Next::Done {
                self.measure.start(self.workload.start_ps(*time, next) - desk.origin_ps);
            }
            match next {
                Next::Io(mut request) => {
                    if self.zoned.is_some() {
                        match self.place(&mut request, *time, slot, desk) {
                            Ok(()) => {}
                            Err(Some(wait)) => return wait,
                            Err(None) => continue,
                        }
                    }
                    self.free.pop();
                    let submitted_ps = self.workload.due_ps(*time) + desk.terms.submit_ps;
                    *time += desk.terms.submit_ps;
                    self.open(slot, request, submitted_ps, desk);
                    self.partial = Some(slot);
                }
                Next::Wait { until_ps } => return Wait::Until(until_ps),
                Next::Held { until_ps } => return Wait::Held(until_ps),
                Next::Remeasure => self.measure.restart(*time - desk.origin_ps),
                Next::Drain => return Wait::Completion,
                Next::Done => return Wait::Nothing,
            }
        }
    }

    fn open(&mut self, slot: u32, request: Request, submitted_ps: u64, desk: &Desk<'_>) {
        let at_ps = submitted_ps - desk.origin_ps;
        self.measure.trace(at_ps, &request);
        if self.workload.measuring(submitted_ps) {
            self.measure.issue(at_ps, direction(request.kind), self.workload.in_flight());
        }
        self.staged_requests += 1;
        self.slots[slot as usize].open(request, submitted_ps);
    }

    /// The job sees that a request has completed.
    #[inline]
    fn see(&mut self, slot: u32, now: u64, desk: &Desk<'_>) -> Finished {
        let state = &mut self.slots[slot as usize];
        state.see(now, desk.terms.accounts);
        let Slot { request, submitted_ps, status, failed_lba, unproven_lba, .. } = *state;
        self.free.push(slot);
        if request.kind == RequestKind::ZoneReset {
            return self.see_reset(slot, now, desk);
        }
        self.workload.completed(&request, Seen { slot, now_ps: now, submitted_ps, status });
        let direction = direction(request.kind);
        let at_ps = now - desk.origin_ps;
        let latency_ps = now - submitted_ps;
        if !status.is_success() {
            if !self.workload.hears() {
                self.fail(request.kind, (status, failed_lba));
            }
            return Finished { at_ps, direction: None, bytes: 0, latency_ps, is_measured: false };
        }
        if let Some(lba) = unproven_lba {
            self.fail_proof(lba);
        }
        let bytes = request.length_bytes;
        self.done_bytes += bytes;
        let is_measured = self.workload.measuring(now);
        if is_measured {
            let completion_ps = latency_ps;
            let submission_ps = desk.terms.submit_ps;
            match direction {
                Some(direction) => {
                    self.check_latency(direction, submission_ps + completion_ps);
                    let completion = Completion { at_ps, bytes, submission_ps, completion_ps };
                    let split = self.slots[slot as usize].split(desk.terms.accounts);
                    self.measure.record(direction, &completion, split);
                    self.measure.log((direction, request.offset_bytes), &completion, split);
                }
                None => self.measure.record_flush(submission_ps + completion_ps),
            }
        }
        Finished { at_ps, direction, bytes, latency_ps, is_measured }
    }
}

fn direction(kind: RequestKind) -> Option<Direction> {
    match kind {
        RequestKind::Read => Some(Direction::Read),
        RequestKind::Write => Some(Direction::Write),
        RequestKind::Trim => Some(Direction::Trim),
        RequestKind::Flush | RequestKind::ZoneReset => None,
    }
}
