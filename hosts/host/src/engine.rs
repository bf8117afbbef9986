//! The host while jobs run: all workers, their queues, and the interrupts that wake them.

use machine::{Accounts, CommandTimes, Wake, NEVER};
use report::{Cut, JobResult, Series, Served, Split};
use runs::confidence::{Collector, Observation};

use crate::flows::share_flows;
use crate::ftl::Broken;
use crate::job::{JobSpec, OnEnd};
use crate::lane::{Lane, Stray};
use crate::log::JobLog;
use crate::measure::Measure;
use crate::memory::Memory;
use crate::oracle::{Mismatch, Oracle};
use crate::queue::{QueuePair, Ring};
use crate::steady::{Verdict, Watches};
use crate::timers::Timers;
use crate::worker::{Desk, Finished, Needs, Start, Terms, Wait, Worker};
use crate::zone_book::ZoneBook;

/// What an engine is made of.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The jobs.
    pub specs: &'a [JobSpec],
    /// Seed of the run.
    pub seed: u64,
    /// What all workers share.
    pub terms: Terms,
    /// I/O queue pairs that were created, identifiers from 1.
    pub pairs: Vec<QueuePair>,
    /// What is known of the LBAs that jobs touch.
    pub oracle: Oracle,
    /// What is known of the drive's zones, if it has some.
    pub zones: Option<ZoneBook>,
}

/// What stops all jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Wrong data.
    Data {
        /// Index of the worker that read it.
        worker: usize,
        /// The block.
        mismatch: Box<Mismatch>,
        /// First byte of it that is wrong.
        byte: u32,
        /// When the completion was seen.
        time_ps: u64,
    },
    /// A completion of nothing.
    Stray {
        /// What it named.
        stray: Stray,
        /// When it was seen.
        time_ps: u64,
    },
    /// The FTL in the host cannot go on.
    Broken {
        /// Why.
        broken: Broken,
        /// When.
        time_ps: u64,
    },
}

/// Sums over all jobs, measured or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Completed requests, flushes included.
    pub requests: u64,
    /// Completed bytes by [`report::Direction`].
    pub bytes: [u64; 3],
    /// Completed requests by [`report::Direction`].
    pub ios: [u64; 3],
    /// Sums of their latencies.
    pub latency_ps: [u64; 3],
    /// Where they went.
    pub splits: [Split; 3],
}

/// The outside at one moment.
pub(crate) struct Port<'a, R> {
    /// Time in picoseconds.
    pub now: u64,
    /// Host memory.
    pub memory: &'a mut Memory,
    /// Rings a doorbell.
    pub ring: R,
}

/// All jobs and their queues.
#[derive(Debug)]
pub struct Engine {
    workers: Vec<Worker>,
    lanes: Vec<Lane>,
    /// Index of each worker's lane.
    lane_of: Vec<usize>,
    watches: Watches,
    /// Collects the requests of the stage, if they are to be known well.
    collector: Option<Box<Collector>>,
    timers: Timers,
    oracle: Oracle,
    zones: Option<ZoneBook>,
    terms: Terms,
    origin_ps: u64,
    stage: u32,
    /// When the stage began, from the start of the run.
    stage_ps: u64,
    /// Workers that wait for others of their flow.
    held: Vec<usize>,
    /// Workers of the stage that are not over.
    left: usize,
    /// Starts of stages and ends of workers so far.
    milestones: u64,
    series: Series,
    totals: Totals,
    end_ps: u64,
    failure: Option<Failure>,
    cut: Option<Cut>,
}

/// Which lane each job has: its number among the jobs of its stage, as far as lanes reach.
pub fn lanes(specs: &[JobSpec], lanes: usize) -> Vec<usize> {
    let mut seen = vec![0; specs.len()];
    let place = |spec: &JobSpec| {
        let nth: &mut usize = &mut seen[spec.stage as usize];
        *nth += 1;
        (*nth - 1) % lanes
    };
    specs.iter().map(place).collect()
}

/// Host memory that jobs and lanes take beside the rings.
pub fn memory_bytes(needs: &[Needs], pairs: usize, entries: u32) -> u128 {
    let buffers: u128 = needs.iter().map(|needs| needs.buffers.memory_bytes()).sum();
    buffers + pairs as u128 * u128::from(Lane::memory_bytes(entries))
}

impl Engine {
    /// Jobs that have not begun, their memory allocated.
    pub(crate) fn new(plan: Plan<'_>, memory: &mut Memory) -> Self {
        let Plan { specs, seed, terms, pairs, oracle, zones } = plan;
        let entries = pairs.iter().map(QueuePair::entries).max().unwrap_or(2);
        let lane_of = lanes(specs, pairs.len());
        let worker = |spec| {
            let needs = Needs::new(spec, &terms, entries);
            Worker::new(&Start { spec, seed, needs, terms }, memory)
        };
        let mut workers = specs.iter().map(worker).collect::<Vec<_>>();
        share_flows(specs, &mut workers);
        Engine {
            lanes: pairs.into_iter().map(|pair| Lane::new(pair, specs.len(), memory)).collect(),
            lane_of,
            watches: Watches::new(specs),
            collector: None,
            timers: Timers::new(workers.len()),
            workers,
            oracle,
            zones,
            terms,
            origin_ps: 0,
            stage: 0,
            stage_ps: 0,
            held: Vec::with_capacity(specs.len()),
            left: 0,
            milestones: 0,
            series: Series::new(),
            totals: Totals::default(),
            end_ps: 0,
            failure: None,
            cut: None,
        }
    }

    /// Starts the first stage at `now`; the host has to be woken then.
    pub fn start(&mut self, now: u64) {
        self.origin_ps = now;
        self.end_ps = now;
        self.start_stage(0, now);
    }

    /// Whether all jobs are over, or one met wrong data.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.left == 0 || self.failure.is_some()
    }

    /// What stopped all jobs.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Lets no job begin anything from `now` on: those that run end with what they have under way. The
    /// host has to be woken then.
    pub fn cut(&mut self, now: u64, signal: u32) {
        self.cut = Some(Cut { signal, at_ps: now - self.origin_ps });
        self.wind_up(now, |_| true);
    }

    /// Collects requests from now on, or no more.
    pub fn set_collector(&mut self, collector: Option<Box<Collector>>) -> Option<Box<Collector>> {
        std::mem::replace(&mut self.collector, collector)
    }

    /// What collects the requests of the stage.
    pub fn collector(&mut self) -> Option<&mut Collector> {
        self.collector.as_deref_mut()
    }

    /// Whether a batch of requests is to be closed.
    #[inline]
    pub fn is_batch_full(&self) -> bool {
        self.collector.as_ref().is_some_and(|collector| collector.is_full())
    }

    /// Lets no job of the stage begin anything from `now` on: enough is known. The host has to be woken then.
    pub fn end_stage(&mut self, now: u64) {
        self.wind_up(now, |_| true);
    }

    /// What ended the jobs before they were done.
    pub fn was_cut(&self) -> Option<Cut> {
        self.cut
    }

    /// Sums over all jobs so far.
    #[inline]
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Commands that were handed out and whose completions were not taken.
    pub fn outstanding(&self) -> u64 {
        self.lanes.iter().map(Lane::outstanding).sum()
    }

    /// From the start of the first job to the end of the last that ended.
    pub fn elapsed_ps(&self) -> u64 {
        self.end_ps - self.origin_ps
    }

    /// When the first job started.
    pub fn origin_ps(&self) -> u64 {
        self.origin_ps
    }

    /// The stage that runs, and when it began, from the start of the run.
    pub fn stage(&self) -> (u32, u64) {
        (self.stage, self.stage_ps)
    }

    /// How often a stage has started or a worker has ended.
    #[inline]
    pub fn milestones(&self) -> u64 {
        self.milestones
    }

    /// The workers, in the order of the jobs.
    pub fn workers(&self) -> &[Worker] {
        &self.workers
    }

    /// The number of the lane of each worker, in the order of the jobs.
    pub fn lane_of(&self) -> &[usize] {
        &self.lane_of
    }

    /// Gives a job its logs.
    pub fn set_log(&mut self, worker: usize, log: Option<Box<JobLog>>) {
        self.workers[worker].set_log(log);
    }

    /// Results by job, throughput over time, and what is known of the data.
    pub fn into_results(self) -> (Vec<JobResult>, Series, Oracle) {
        let Engine { workers, watches, series, oracle, .. } = self;
        let results = workers.into_iter().map(Worker::into_measure).map(Measure::into_result);
        (watches.tell(results.collect()), series, oracle)
    }

    /// Results by job, and throughput over time, of jobs that still run.
    pub fn results_so_far(&self, now: u64) -> (Vec<JobResult>, Series) {
        let now_ps = now - self.origin_ps;
        let results = self.workers.iter().map(|worker| worker.result_so_far(now_ps));
        (self.watches.tell(results.collect()), self.series.clone())
    }

    /// Lets jobs act. Returns when they want to be woken next without an interrupt.
    pub(crate) fn wake(&mut self, wake: Wake, port: &mut Port<'_, impl FnMut(Ring)>) -> u64 {
        if let Wake::Interrupt(vector) = wake {
            // Vector 0 is the admin queue's, and the first lane's too where there is no other.
            let lane = usize::from(vector).saturating_sub(1);
            if lane < self.lanes.len() {
                self.interrupt(lane, port);
            }
        }
        while self.failure.is_none() {
            let Some(worker) = self.timers.due(port.now) else { return self.timers.first() };
            self.serve(worker, port);
        }
        NEVER
    }

    /// Notes where the time of a command of a lane went; there may be no such lane.
    pub(crate) fn set_times(&mut self, lane: usize, cid: u16, times: &CommandTimes) {
        let user = self.lanes.get(lane).and_then(|lane| lane.user_of(cid));
        if let (Some((worker, slot)), Accounts::Kept) = (user, self.terms.accounts) {
            self.workers[worker].set_times(slot, times);
        }
    }

    /// The FTL below the jobs cannot go on, and so cannot they.
    pub(crate) fn break_down(&mut self, broken: Broken, time_ps: u64) {
        self.failure.get_or_insert(Failure::Broken { broken, time_ps });
    }

    /// Takes all completions of a lane.
    fn interrupt(&mut self, lane: usize, port: &mut Port<'_, impl FnMut(Ring)>) {
        let now = port.now;
        let mut popped = false;
        loop {
            let (worker, cid, status) = match self.lanes[lane].pop(port.memory) {
                Ok(Some(completion)) => completion,
                Ok(None) => break,
                Err(stray) => {
                    self.failure = Some(Failure::Stray { stray, time_ps: now });
                    return;
                }
            };
            popped = true;
            let (owner, mut desk) = self.desk(worker, port.memory);
            if let Err(mismatch) = owner.end_command((cid, status), &mut desk) {
                let expected = mismatch.permitted.last().copied().unwrap_or_default();
                let byte = owner.first_difference((cid, mismatch.index), expected, &mut desk);
                self.failure = Some(Failure::Data { worker, mismatch, byte, time_ps: now });
                return;
            }
            self.rouse(worker, now);
        }
        if popped {
            (port.ring)(self.lanes[lane].pair.ring_head());
            while let Some(worker) = self.lanes[lane].next_starved() {
                self.rouse(worker, now);
            }
        }
    }

    /// Lets a worker go on as soon as it can, unless it waits for its doorbell and will anyway.
    #[inline]
    fn rouse(&mut self, worker: usize, now: u64) {
        let state = &self.workers[worker];
        if !state.is_busy() && !state.is_over() {
            self.timers.set(worker, state.free_ps().max(now));
        }
    }

    /// Lets a worker ring its doorbell and do what comes next.
    fn serve(&mut self, worker: usize, port: &mut Port<'_, impl FnMut(Ring)>) {
        let Engine { series, totals, collector, .. } = self;
        let mut watch = self.watches.of(worker);
        let start_ps = self.workers[worker].start_ps();
        let mut settled = false;
        let lane = &mut self.lanes[self.lane_of[worker]];
        let state = &mut self.workers[worker];
        let (oracle, terms, origin_ps) = (&mut self.oracle, self.terms, self.origin_ps);
        let zones = self.zones.as_mut();
        let mut desk = Desk { lane, memory: port.memory, oracle, zones, terms, origin_ps };
        if state.is_busy() {
            (port.ring)(state.hand_over(&mut desk));
        }
        let wait = state.work(port.now, &mut desk, |finished, split| {
            let Finished { at_ps, direction, bytes, latency_ps, is_measured } = finished;
            totals.requests += 1;
            if let Some(direction) = direction {
                let nth = direction as usize;
                totals.bytes[nth] += bytes;
                totals.ios[nth] += 1;
                totals.latency_ps[nth] += latency_ps;
                split.into_iter().for_each(|split| totals.splits[nth].merge(split));
                if let (Some(collector), true) = (&mut *collector, is_measured) {
                    collector.record(Observation { kind: nth, latency: latency_ps });
                }
                if let Some(watch) = &mut watch {
                    settled |= watch.record(start_ps, at_ps, bytes) == Verdict::Settled;
                }
                series.record(at_ps, Served { direction, bytes, latency_ps });
            }
        });
        let until = match wait {
            Wait::Until(time) | Wait::Held(time) => time,
            Wait::Completion | Wait::Nothing => NEVER,
            Wait::Room => {
                self.lanes[self.lane_of[worker]].starve(worker);
                NEVER
            }
        };
        self.timers.set(worker, until);
        if let Wait::Held(_) = wait {
            self.hold(worker);
        } else if !self.held.is_empty() {
            self.release(port.now);
        }
        if settled {
            self.settle(worker, port.now);
        }
        if wait == Wait::Nothing {
            self.finish(worker);
        }
    }

    /// A worker waits for others of its flow.
    #[cold]
    fn hold(&mut self, worker: usize) {
        if !self.held.contains(&worker) {
            self.held.push(worker);
        }
    }

    /// A worker has done something: those that are held ask again.
    #[cold]
    fn release(&mut self, now: u64) {
        while let Some(other) = self.held.pop() {
            self.rouse(other, now);
        }
    }

    /// The rate of a worker, and of those watched with it, has settled: they end.
    fn settle(&mut self, worker: usize, now: u64) {
        for other in 0..self.workers.len() {
            if self.watches.are_shared(worker, other) {
                self.workers[other].wind_up();
                self.rouse(other, now);
            }
        }
    }

    /// A worker is over: others of its group may have to end, or the next stage begins.
    fn finish(&mut self, worker: usize) {
        let now = self.workers[worker].free_ps();
        self.end_ps = self.end_ps.max(now);
        self.left -= 1;
        self.milestones += 1;
        if self.workers[worker].on_end() == OnEnd::EndGroup {
            let group = self.workers[worker].group();
            self.wind_up(now, |other| other.group() == group);
        }
        if self.left == 0 && self.cut.is_none() {
            self.start_stage(self.stage + 1, self.end_ps);
        }
    }

    /// Those workers of the stage begin nothing more.
    fn wind_up(&mut self, now: u64, which: impl Fn(&Worker) -> bool) {
        for other in 0..self.workers.len() {
            let state = &mut self.workers[other];
            if state.stage() == self.stage && which(state) {
                state.wind_up();
                self.rouse(other, now);
            }
        }
    }

    fn start_stage(&mut self, stage: u32, now: u64) {
        (self.stage, self.stage_ps) = (stage, now - self.origin_ps);
        self.milestones += 1;
        for (worker, state) in self.workers.iter().enumerate() {
            if state.stage() == stage {
                self.timers.set(worker, now);
                self.left += 1;
            }
        }
    }

    #[inline]
    fn desk<'a>(&'a mut self, worker: usize, memory: &'a mut Memory) -> (&'a mut Worker, Desk<'a>) {
        let lane = &mut self.lanes[self.lane_of[worker]];
        let (oracle, terms, origin_ps) = (&mut self.oracle, self.terms, self.origin_ps);
        let zones = self.zones.as_mut();
        let desk = Desk { lane, memory, oracle, zones, terms, origin_ps };
        (&mut self.workers[worker], desk)
    }
}
