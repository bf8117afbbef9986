//! A drive that was brought up for jobs, and the host that runs them.

mod failures;
mod placed;
mod progress;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use board::Arbitration;
use contract::CommandSet;
use machine::{Accounts, Machine, Payload, Stopped, NEVER};
use monitor::Sampler;
use nvme::admin::{AdminCommand, Priority, Retention, SetFeatures};
use nvme::command::Header;
use report::{OverTime, Precision, QueueResult, WriteWindow};
use sim::{Audience, Drive};

use crate::control::Control;
use crate::convergence::Convergence;
use crate::drive_state::Preconditioning;
use crate::driver::{queues_memory_bytes, Driver, Identity, QueueRequest};
use crate::engine::{self, Engine, Plan};
use crate::error::RunError;
use crate::fio_host::FioHost;
use crate::ftl::Found;
use crate::job::{ByteRange, DriveShape, JobError, JobSpec, ZoneLayout};
use crate::log::{JobLogs, LogFiles, RequestLog};
use crate::looks::Looks;
use crate::monitoring::{header, load_of, run_table, Subject};
use crate::oracle::{Before, Oracle, Scope};
use crate::power_on::{cause, Known, Powered};
use crate::queue::QueuePair;
use crate::replay::Classes;
use crate::request::{Outcome, Progress, RunRequest};
use crate::sampled::{run_sampled, Watched};
use crate::stop::Stop;
use crate::worker::{Needs, Terms};
use crate::writes::{mark, Writes};
use crate::zone_book::ZoneBook;

/// Most bytes of host memory for data. It is taken as it is touched, but no system hands out any
/// amount.
const MOST_MEMORY: u128 = 4 << 30;
/// Requests after which progress is told at the latest.
const PROGRESS_REQUESTS: u64 = 1 << 16;
/// When progress is told: looks at the host between two looks at the wall clock, and wall time that has passed.
const PROGRESS_WALL: (u32, Duration) = (1 << 6, Duration::from_millis(50));

/// A drive and its host, ready for the jobs.
pub struct Session<'a, D> {
    request: RunRequest<'a>,
    payload: Payload,
    /// What is known of its data.
    known: Known,
    drive: D,
    driver: Driver,
    identity: Identity,
    specs: Vec<JobSpec>,
    writes: Writes,
    convergence: Convergence,
    looks: Looks,
    /// When jobs are interrupted to tell their progress, as [`PROGRESS_WALL`]. It changes nothing of a run.
    interrupted: (u32, Duration),
    warnings: Vec<String>,
}

/// Who looks at a session again and again while jobs run.
pub struct Ticks<'t, 'a, D> {
    /// Virtual time between two looks, from the start of the first job.
    pub interval_ps: u64,
    /// The look.
    pub tell: &'t mut dyn FnMut(&Session<'a, D>),
}

/// What is left when the jobs have run and the drive is down.
pub struct Ended<D> {
    /// The drive, shut down.
    pub drive: D,
    /// What stands for user data on it.
    pub payload: Payload,
    /// Logical blocks of its namespace.
    pub blocks: u64,
    /// The jobs with their measurements.
    pub engine: Engine,
    /// The jobs as they were resolved.
    pub specs: Vec<JobSpec>,
    /// What was written while each of them ran, in their order.
    pub writes: Vec<WriteWindow>,
    /// How well figures are known, by stage.
    pub precision: Vec<Precision>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl<'a, O: Audience> Session<'a, Drive<FioHost, O>> {
    /// Powers a drive on, brings it into the wanted state and up, fits the jobs to it and creates
    /// their queues.
    ///
    /// # Errors
    /// When board and jobs do not go together, the drive does not come up, or preconditioning was
    /// ended.
    pub fn open(
        request: RunRequest<'a>,
        observer: O,
        control: &mut Control<'_>,
    ) -> Result<Self, RunError> {
        Session::over(request, request.power().power_on(observer, control)?)
    }
}

impl<'a, D: Machine<FioHost>> Session<'a, D> {
    /// Brings a drive up that has power, fits the jobs to it and creates their queues.
    ///
    /// # Errors
    /// When board and jobs do not go together, or the drive does not come up.
    pub fn over(request: RunRequest<'a>, powered: Powered<D>) -> Result<Self, RunError> {
        let Powered { mut drive, payload, known } = powered;
        let up = Driver::start(&mut drive)
            .and_then(|mut driver| Ok((driver.identify_all(&mut drive)?, driver)));
        let (mut namespaces, mut driver) = up.map_err(|error| cause(&drive, error.into()))?;
        let identity = &mut namespaces[0];
        let placed = match request.board.firmware.command_set {
            CommandSet::Block | CommandSet::Zoned => None,
            CommandSet::OpenChannel => {
                let data = (identity.block_bytes, payload);
                let found = Found::ask((&mut driver, &mut drive), data, request.board);
                let (found, back) = found.map_err(|error| cause(&drive, error.into()))?;
                identity.blocks = found.blocks()?;
                Some((found, back))
            }
        };
        // Behind an FTL in the host, times of requests are made of those of commands.
        let accounts = if placed.is_some() { Accounts::Kept } else { request.accounts };
        let request = RunRequest { accounts, ..request };
        drive.set_accounts(accounts);
        let zones = ZoneLayout::of(request.board);
        let shape = |identity: &Identity| DriveShape {
            capacity_bytes: zones.map_or_else(
                || identity.blocks * u64::from(identity.block_bytes),
                |zones| zones.usable_bytes(),
            ),
            block_bytes: identity.block_bytes,
            placement_handles: identity.placement_handles,
            zones,
        };
        let specs = request.jobs.resolve(namespaces.iter().map(shape).collect::<Vec<_>>())?;
        // Blocks of all namespaces: what else differs between them no drive of this repository has.
        let blocks = namespaces.iter().map(|namespace| namespace.blocks).sum();
        let identity = Identity { blocks, ..namespaces[0] };
        let mut warnings = request.jobs.warnings.clone();
        let replays = specs.iter().filter_map(|spec| spec.load.trace());
        warnings.extend(replays.filter_map(|trace| trace.warning(identity.block_bytes)));
        let writes = Writes::default();
        let page_bytes = request.board.firmware.geometry.page_bytes;
        let convergence = Convergence::new(request.until, page_bytes);
        let mut session = Session {
            request,
            payload,
            known,
            drive,
            driver,
            identity,
            specs,
            writes,
            convergence,
            looks: Looks::new(),
            interrupted: PROGRESS_WALL,
            warnings,
        };
        let made = match placed {
            None => session.create_queues(),
            Some(found) => session.create_ftl(found),
        };
        match made {
            Ok(()) => Ok(session),
            Err(error) => Err(cause(&session.drive, error)),
        }
    }

    /// The drive under the jobs, to be looked at.
    pub fn drive(&self) -> &D {
        &self.drive
    }

    /// What all workers share.
    fn terms(&self) -> Terms {
        let host = &self.request.board.host;
        Terms {
            payload: self.payload,
            block_bytes: u64::from(self.identity.block_bytes),
            transfer_bytes: self.identity.transfer_bytes,
            submit_ps: host.submit_latency.as_ps(),
            reap_ps: host.reap_latency.as_ps(),
            accounts: self.request.accounts,
        }
    }

    /// Makes room in host memory for so many queues of jobs, their buffers, and `more` bytes. Returns the entries of each queue.
    fn reserve(&mut self, terms: &Terms, count: u16, more: u64) -> Result<u32, RunError> {
        let entries = self.queue_entries(terms, usize::from(count));
        let needs: Vec<_> =
            self.specs.iter().map(|spec| Needs::new(spec, terms, entries)).collect();
        let rings = queues_memory_bytes(count, entries);
        let others = engine::memory_bytes(&needs, usize::from(count), entries);
        if others > MOST_MEMORY {
            return Err(RunError::Memory { needed: others, most: MOST_MEMORY });
        }
        self.drive.memory().reserve(rings + others as u64 + more);
        Ok(entries)
    }

    /// Most queues that jobs are worth, where there are vectors for them.
    fn wanted_queues(&self) -> u16 {
        // One vector is the admin queue's; where there is no other, it is shared.
        let vectors = self.request.board.firmware.vectors.saturating_sub(1).max(1);
        let wanted = most_together(&self.specs).min(vectors as usize);
        wanted.min(usize::from(u16::MAX) - 1) as u16
    }

    /// Hands the jobs over, with their queues.
    fn hand_over(&mut self, terms: Terms, pairs: Vec<QueuePair>) {
        let (oracle, seed) = (self.oracle(), self.request.seed);
        let zones = ZoneLayout::of(self.request.board).map(ZoneBook::new);
        let plan = Plan { specs: &self.specs, seed, terms, pairs, oracle, zones };
        self.drive.host_mut().set_engine(plan);
    }

    /// Creates as many queues as jobs run together, or the drive gives, and hands the jobs over.
    fn create_queues(&mut self) -> Result<(), RunError> {
        let (terms, board) = (self.terms(), self.request.board);
        let wanted = self.wanted_queues();
        let count = self.driver.set_queue_count(&mut self.drive, wanted)?;
        let entries = self.reserve(&terms, count, 0)?;
        let classes = self.set_weights(count)?;
        let mut pairs = Vec::new();
        for id in 1..=count {
            let vector = if board.firmware.vectors == 1 { 0 } else { id };
            let priority = classes
                .as_ref()
                .map_or(Priority::Medium, |classes| classes.priorities[usize::from(id) - 1]);
            let request = QueueRequest { id, entries, vector, priority };
            pairs.push(self.driver.create_queue(&mut self.drive, request)?);
        }
        self.hand_over(terms, pairs);
        Ok(())
    }

    /// Tells the drive the weights of the jobs, if they have some; returns the classes of the queues.
    fn set_weights(&mut self, queues: u16) -> Result<Option<Classes>, RunError> {
        let Some(classes) = Classes::of_jobs(&self.specs) else { return Ok(None) };
        let refuse = |found: String, expected: &str| {
            Err(JobError::Trace(format!("--weights: found {found}, expected {expected}")).into())
        };
        if self.request.board.host.arbitration != Arbitration::Weighted {
            let expected = "--set host.arbitration=weighted, which offers weighted round robin";
            return refuse("a drive with plain round robin".to_owned(), expected);
        }
        if usize::from(queues) < self.specs.len() {
            let found = format!("{} traces and {queues} queues", self.specs.len());
            let expected = "a queue for each trace, as nvme.io_queues and nvme.vectors say";
            return refuse(found, expected);
        }
        let setting = SetFeatures { setting: classes.setting(), retention: Retention::UntilReset };
        let command = (AdminCommand::SetFeatures(setting), Header::default());
        self.driver.execute(&mut self.drive, command, "Set Features, Arbitration")?;
        Ok(Some(classes))
    }

    /// Entries that each queue is to have: enough for all that its jobs may have outstanding, as
    /// far as the drive goes. Jobs that are held back by that are named.
    fn queue_entries(&mut self, terms: &Terms, lanes: usize) -> u32 {
        let most = self.driver.queue_entries();
        let mut loads = BTreeMap::new();
        for (spec, lane) in self.specs.iter().zip(engine::lanes(&self.specs, lanes)) {
            let commands = Needs::new(spec, terms, most).commands;
            *loads.entry((spec.stage, lane)).or_insert(1) += commands;
            if commands >= u64::from(most) {
                self.warnings.push(format!(
                    "{}: iodepth: {} requests take {commands} commands, but a queue of this drive \
                     holds {}",
                    spec.name,
                    spec.iodepth,
                    most - 1
                ));
            }
        }
        let wanted = loads.into_values().max().unwrap_or(2);
        wanted.clamp(2, u64::from(most)) as u32
    }

    /// What is known of the LBAs that jobs touch.
    fn oracle(&self) -> Oracle {
        let block_bytes = u64::from(self.identity.block_bytes);
        // Offsets of jobs leave the gaps between zones out.
        if ZoneLayout::of(self.request.board).is_some() {
            let blocks = self.identity.blocks;
            return Oracle::new(Scope { first: 0, blocks, before: Before::Filled(0) });
        }
        let ranges = || {
            self.specs.iter().map(|spec| {
                let start = spec.range.start + spec.namespace.first_block * block_bytes;
                ByteRange { start, ..spec.range }
            })
        };
        let first = ranges().map(|range| range.start).min().unwrap_or(0) / block_bytes;
        let end = ranges().map(|range| range.start + range.len).max().unwrap_or(0);
        let blocks = end.div_ceil(block_bytes) - first;
        let before = match (&self.known, self.request.precondition) {
            (Known::Past(past), _) => return Oracle::after(past.clone(), (first, blocks)),
            (Known::Nothing, _) => Before::Unknown,
            (Known::State, Preconditioning::None) => Before::Filled(0),
            (Known::State, _) => Before::Filled(self.identity.blocks),
        };
        Oracle::new(Scope { first, blocks, before })
    }

    /// Opens the logs of the jobs, if they are to be written or requests are to be kept.
    ///
    /// # Errors
    /// When a file cannot be created.
    pub fn open_logs(
        &mut self,
        logs: JobLogs,
        requests: Option<RequestLog>,
    ) -> Result<LogFiles, RunError> {
        let mut files = LogFiles::new(requests);
        for (nth, spec) in self.specs.iter().enumerate() {
            let log = files.open(spec, logs)?;
            self.drive.host_mut().engine_mut().set_log(nth, log);
        }
        Ok(files)
    }

    /// Lets the first stage of jobs begin.
    fn start(&mut self) {
        let now = self.drive.now_ps();
        self.drive.jobs_begin();
        self.drive.host_mut().engine_mut().start(now);
        self.drive.wake_host();
    }

    /// Looks begin, and so does the operation monitor, if there is one.
    fn start_watching(&mut self, monitor: Option<&mut Sampler>) {
        self.looks.start(self.request.course, &self.drive, load_of(&self.drive));
        let Some(sampler) = monitor else { return };
        let RunRequest { board, job_file, seed, .. } = self.request;
        let subject = Subject { board, job_file, seed };
        let header = header(subject, sampler.period(), self.drive.now_ps());
        sampler.start(&header, run_table(&self.drive));
    }

    /// Runs all stages to their end, or until it is asked to stop: what is under way then is awaited.
    ///
    /// # Errors
    /// When the drive returns wrong data, or nothing any more.
    pub fn run_jobs(
        &mut self,
        progress: &mut dyn FnMut(Progress),
        (mut monitor, mut ticks): (Option<&mut Sampler>, Option<Ticks<'_, 'a, D>>),
        stop: &Stop,
    ) -> Result<(), RunError> {
        self.start();
        self.start_watching(monitor.as_deref_mut());
        self.note_writes();
        self.convergence.look(&mut self.drive);
        let now_ps = self.drive.now_ps();
        let mut due_ps =
            ticks.as_ref().map_or(NEVER, |ticks| now_ps.saturating_add(ticks.interval_ps));
        let (looks_apart, wall) = self.interrupted;
        let mut shown = Progress { fraction: 0.0, elapsed_ps: 0, requests: 0, iops: 0.0 };
        loop {
            let mut looks = 0;
            let told = Instant::now();
            let mark = shown.requests + PROGRESS_REQUESTS;
            let milestones = self.engine().milestones();
            let until = |host: &FioHost| {
                let engine = host.engine();
                looks += 1;
                engine.is_over()
                    || engine.milestones() != milestones
                    || engine.totals().requests >= mark
                    || engine.is_batch_full()
                    || looks % looks_apart == 0 && told.elapsed() >= wall
            };
            let monitor_now = monitor.as_deref_mut();
            let watched = Watched { monitor: monitor_now, looks: &mut self.looks, due_ps };
            let stopped = run_sampled(&mut self.drive, watched, until);
            if let Some(error) = self.failure() {
                return Err(error);
            }
            if self.engine().milestones() != milestones {
                self.note_writes();
            }
            let is_batch = self.engine().is_batch_full();
            self.convergence.look(&mut self.drive);
            // Batches may be short: nobody wants to be told of each.
            if !is_batch || self.engine().totals().requests >= mark || self.engine().is_over() {
                shown = self.advanced(&shown);
                progress(shown);
            }
            self.heed(stop);
            if self.engine().is_over() {
                self.looks.end(&self.drive, load_of(&self.drive));
                if let Some(sampler) = monitor {
                    sampler.end(&run_table(&self.drive));
                }
                return Ok(());
            }
            match (stopped, &mut ticks) {
                (Stopped::Quiet | Stopped::Lost, _) => {
                    return Err(cause(&self.drive, self.stalled()));
                }
                (Stopped::Due, Some(Ticks { interval_ps, tell })) => {
                    tell(self);
                    due_ps = due_ps.saturating_add(*interval_ps);
                }
                _ => {}
            }
        }
    }

    /// Ends the jobs if somebody asks for it.
    fn heed(&mut self, stop: &Stop) {
        let (Some(signal), None) = (stop.signal(), self.engine().was_cut()) else { return };
        if !self.engine().is_over() {
            let now = self.drive.now_ps();
            self.drive.host_mut().engine_mut().cut(now, signal);
            self.drive.wake_host();
        }
    }

    /// Shuts the drive down, so that all data is durable.
    ///
    /// # Errors
    /// When the drive does not go down.
    pub fn close(mut self) -> Result<Ended<D>, RunError> {
        self.close_ftl()?;
        let down = self.driver.shut_down(&mut self.drive);
        down.map_err(|error| cause(&self.drive, error.into()))?;
        self.drive.sync_image().map_err(RunError::Image)?;
        let engine = self.drive.host_mut().take_engine();
        let Session { drive, payload, identity, specs, warnings, writes, convergence, .. } = self;
        let writes = writes.into_windows();
        let precision = convergence.into_known();
        let blocks = identity.blocks;
        Ok(Ended { drive, payload, blocks, engine, specs, writes, precision, warnings })
    }

    /// Notes what was written by now for the jobs that have just started or ended.
    fn note_writes(&mut self) {
        let now = mark(&self.drive);
        self.writes.note(now, self.drive.host().engine());
    }

    /// What the jobs did until now.
    pub fn so_far(&self) -> Outcome<'_> {
        let now = self.drive.now_ps();
        let engine = self.engine();
        let (jobs, series) = engine.results_so_far(now);
        let queues = QueueResult::of(jobs.iter().zip(engine.lane_of().iter().copied()));
        Outcome {
            jobs,
            series,
            totals: engine.totals(),
            elapsed_ps: now - engine.origin_ps(),
            specs: &self.specs,
            warnings: self.warnings.clone(),
            host_ftl: self.host_ftl(),
            over_time: self.over_time(),
            queues,
        }
    }

    /// The course of the run until now.
    pub fn over_time(&self) -> OverTime {
        self.looks.over_time()
    }

    fn engine(&self) -> &Engine {
        self.drive.host().engine()
    }
}

/// The most jobs that any stage has.
fn most_together(specs: &[JobSpec]) -> usize {
    let mut stages = BTreeMap::new();
    for spec in specs {
        *stages.entry(spec.stage).or_insert(0) += 1;
    }
    stages.into_values().max().unwrap_or(1)
}

#[cfg(test)]
#[path = "interrupted_tests.rs"]
mod interrupted_tests;
#[cfg(test)]
#[path = "sabotage_tests.rs"]
mod tests;
