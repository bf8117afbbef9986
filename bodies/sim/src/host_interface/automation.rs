//! Commands that run without firmware, in stages that each have another command at a time (OpenExpress
//! section 2): fetched and checked, their data handed over to the memory channels, moved over the link,
//! completed. When a command is fetched, all that follows is a matter of time, and is worked out at once.
//!
//! What breaks a rule is not for this mode, whenever that turns out: the firmware gets it like any other
//! command, and finds the mistake again.

use std::collections::VecDeque;

use board::{Board, Movers};
use borsh::{BorshDeserialize, BorshSerialize};
use contract::{
    AutomatedNamespace, AutomatedTraffic, BufferId, Cause, CommandTag, Completer, Completion,
    DmaDirection, DmaMemory, DmaRequest, Duration, HostCommand, HostEvent, Part, Split,
};
use machine::{DmaTransfer, TimeSpan};
use nvme::command::Entry;
use nvme::io::IoCommand;
use nvme::prp::Transfer;
use nvme::status::Status;

use super::dma::{move_data, DmaContext, UNIT_BYTES};
use super::pages::Pages;
use super::HostInterface;

/// Pages of data that a command names without a list.
const PAGES_WITHOUT_LIST: u64 = 2;

/// Who runs a fetched command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) enum Runner {
    /// The firmware, or nobody any more.
    Firmware,
    /// The host interface.
    Interface,
}

/// A read or write that breaks no rule that its entry can break.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(super) direction: DmaDirection,
    /// First byte in the namespace.
    start: u64,
    length: u32,
}

/// A channel of the memory that is the medium.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct MemoryChannel {
    /// When each mover's port to it is free.
    free: [u64; 2],
    busy: u64,
}

/// The stages, and what runs in them. Times are picoseconds.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct Automated {
    namespace: Option<AutomatedNamespace>,
    entry_bytes: u32,
    /// Commands that run, by submission queue.
    running: Vec<u32>,
    /// Of all queues.
    under_way: u32,
    /// Since when there are some.
    busy_since: u64,
    traffic: AutomatedTraffic,
    fetch: u64,
    task: u64,
    completion: u64,
    path_ps_per_kib: u64,
    /// Of a chunk from the host, beyond the link.
    chunk: u64,
    chunk_bytes: u64,
    chunk_latency: u64,
    movers: Movers,
    /// When the stage of data takes another command for each mover.
    stage_free: [u64; 2],
    /// When the link carries data to the host, command by command.
    to_host: VecDeque<TimeSpan>,
    channels: Vec<MemoryChannel>,
}

/// When a command is in which stage.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// Its entry is there.
    arrived: u64,
    /// It is found sound, and its list is there.
    ready: u64,
    /// The stage of data takes it.
    start: u64,
    /// Its data begin to move.
    begun: u64,
    /// The link carries them.
    link: TimeSpan,
    /// They are all where they belong.
    moved: u64,
    /// Its completion begins.
    ended: u64,
}

impl Automated {
    pub(super) fn new(board: &Board) -> Self {
        let medium = board.memory.medium;
        Automated {
            namespace: None,
            entry_bytes: board.firmware.geometry.page_bytes,
            running: vec![0; board.firmware.io_queues as usize + 1],
            under_way: 0,
            busy_since: 0,
            traffic: AutomatedTraffic::default(),
            fetch: board.automation.fetch.as_ps(),
            task: board.automation.task.as_ps(),
            completion: board.automation.completion.as_ps(),
            path_ps_per_kib: board.automation.path.ps_per_kib(),
            chunk: board.automation.chunk.as_ps(),
            chunk_bytes: medium.chunk_bytes.into(),
            chunk_latency: medium.chunk_latency.as_ps(),
            movers: board.automation.movers,
            stage_free: [0; 2],
            to_host: VecDeque::new(),
            channels: vec![MemoryChannel::default(); medium.channels as usize],
        }
    }

    /// What is to be done for a command, if it is one for this mode.
    pub(super) fn task_of(&self, queue: u16, entry: &Entry) -> Option<Task> {
        let namespace = self.namespace.filter(|_| queue != 0)?;
        let (direction, range) = match IoCommand::parse(entry) {
            Ok(IoCommand::Read(range, _)) => (DmaDirection::ToHost, range),
            Ok(IoCommand::Write(range, _)) => (DmaDirection::FromHost, range),
            _ => return None,
        };
        let block_bytes = u64::from(namespace.block_bytes);
        let length = u64::from(range.blocks) * block_bytes;
        let end = range.start.checked_add(range.blocks.into())?;
        let fits = end <= namespace.blocks && length <= namespace.max_transfer_bytes.into();
        let sound = entry.nsid() == namespace.id && entry.data().prp1 & 3 == 0;
        (fits && sound).then(|| Task {
            direction,
            start: range.start * block_bytes,
            length: length as u32,
        })
    }

    /// Who moves the data of a task.
    fn mover(&self, task: &Task) -> usize {
        match self.movers {
            Movers::One => 0,
            Movers::EachWay => task.direction as usize,
        }
    }

    /// Books the memory channels for a task from `from` on; returns when the last of it is through.
    fn book_channels(&mut self, from: u64, task: &Task) -> u64 {
        let mover = self.mover(task);
        let first = task.start / self.chunk_bytes;
        let chunks = (task.start + u64::from(task.length)).div_ceil(self.chunk_bytes) - first;
        let count = self.channels.len() as u64;
        let mut last = from;
        for nth in 0..count.min(chunks) {
            let channel = &mut self.channels[((first + nth) % count) as usize];
            let time = (chunks - nth).div_ceil(count) * self.chunk_latency;
            channel.free[mover] = channel.free[mover].max(from) + time;
            channel.busy += time;
            last = last.max(channel.free[mover]);
        }
        last
    }

    /// When something else has the link to the host that comes there at `at`: between two units of the data that go there,
    /// each of which takes so long.
    pub(super) fn between_units(&self, at: u64, unit: u64) -> u64 {
        let carried = self.to_host.iter().find(|span| span.start <= at && at < span.end);
        carried.map_or(at, |span| {
            let units = (at - span.start) / unit + 1;
            span.end.min(span.start + units * unit)
        })
    }

    /// A controller reset: nothing runs any more.
    pub(super) fn reset(&mut self, now: u64) {
        self.namespace = None;
        self.running.fill(0);
        if std::mem::take(&mut self.under_way) > 0 {
            self.traffic.busy += Duration::from_ps(now - self.busy_since);
        }
    }
}

impl HostInterface {
    pub(crate) fn automate(&mut self, namespace: Option<AutomatedNamespace>) {
        if let Some(automated) = &mut self.automated {
            automated.namespace = namespace;
        }
    }

    /// Commands of a submission queue that run without firmware.
    pub(crate) fn automated_commands(&self, queue: u16) -> u32 {
        self.automated.as_ref().map_or(0, |automated| automated.running[usize::from(queue)])
    }

    /// A command that ran without firmware has got its completion.
    pub(super) fn automated_ended(&mut self, now: u64, queue: u16) {
        if let Some(automated) = &mut self.automated {
            for count in [&mut automated.running[usize::from(queue)], &mut automated.under_way] {
                *count = count.checked_sub(1).expect("a command ends once");
            }
            if automated.under_way == 0 {
                automated.traffic.busy += Duration::from_ps(now - automated.busy_since);
            }
        }
    }

    /// What ran without firmware; its time is up to the last moment at which nothing did.
    pub(crate) fn automated_traffic(&self) -> AutomatedTraffic {
        self.automated.as_ref().map_or(AutomatedTraffic::default(), |automated| automated.traffic)
    }

    /// The same, its time up to `now`.
    pub(crate) fn automated_until(&self, now: u64) -> AutomatedTraffic {
        let Some(automated) = &self.automated else { return AutomatedTraffic::default() };
        let mut traffic = automated.traffic;
        if automated.under_way > 0 {
            traffic.busy += Duration::from_ps(now - automated.busy_since);
        }
        traffic
    }

    /// Time that the memory channels were in use, in all, and how many there are.
    pub(crate) fn memory_use(&self) -> Option<(u64, u64)> {
        let channels = &self.automated.as_ref()?.channels;
        Some((channels.iter().map(|channel| channel.busy).sum(), channels.len() as u64))
    }

    /// Time that each memory channel was in use, where the interface reaches them without firmware.
    pub(crate) fn memory_channels_busy(&self) -> Option<Vec<u64>> {
        let automated = self.automated.as_ref()?;
        Some(automated.channels.iter().map(|channel| channel.busy).collect())
    }

    /// Runs a command that was fetched at `now`: moves its data, and sees to its completion. Returns what
    /// moved, and the time from when its entry is there until the completion begins; nothing where its data pointer is bad or leads nowhere, and then the firmware gets it.
    pub(crate) fn run_automated(
        &mut self,
        now: u64,
        (command, task): (HostCommand, &Task),
        mut context: DmaContext<'_>,
    ) -> Option<(DmaTransfer, TimeSpan)> {
        let tag = command.tag;
        let slot = self.slots[usize::from(tag.0)];
        let transfer = Transfer { data: slot.data, length: task.length, page_bytes: UNIT_BYTES };
        let entry_bytes = self.automated.as_ref()?.entry_bytes;
        let pages = &mut self.pages[usize::from(tag.0)];
        pages.read(&transfer, context.host);
        if !leads_somewhere(transfer, pages)
            || !move_all((tag, task), (transfer, pages), (entry_bytes, &mut context))
        {
            let arrival = now + self.latencies.fetch;
            self.slots[usize::from(tag.0)].times.1 =
                self.tell(arrival, HostEvent::Command(command));
            return None;
        }
        let first_byte = slot.data.prp1 % u64::from(UNIT_BYTES);
        let pages = (first_byte + u64::from(task.length)).div_ceil(UNIT_BYTES.into());
        let times = self.stages(now, pages, task)?;
        self.slots[usize::from(tag.0)].runner = Runner::Interface;
        self.automated.as_mut()?.begin_one(now, slot.queue, task);
        let completion = Completion { tag, status: Status::SUCCESS.bits(), result: 0 };
        times.tell(now, self.told(tag));
        self.complete(times.ended, completion);
        let (bytes, direction) = (task.length, task.direction);
        let moved = DmaTransfer { command: tag, direction, bytes, span: times.link };
        Some((moved, TimeSpan { start: times.arrived, end: times.ended }))
    }

    /// When a command of so many pages of host memory is where.
    fn stages(&mut self, now: u64, pages: u64, task: &Task) -> Option<Times> {
        let arrived = now + self.from_host.data_ahead(now) + self.latencies.fetch;
        let automated = self.automated.as_mut()?;
        let mut ready = arrived + automated.fetch;
        if pages > PAGES_WITHOUT_LIST {
            ready += self.latencies.list;
        }
        let mover = automated.mover(task);
        let start = ready.max(automated.stage_free[mover]);
        let begun = start + automated.task;
        let through = automated.book_channels(begun, task);
        automated.stage_free[mover] = through;
        let engine = match task.direction {
            DmaDirection::FromHost => &mut self.from_host,
            DmaDirection::ToHost => &mut self.to_host,
        };
        let length = u64::from(task.length);
        let on_link = engine.link_time(length);
        let on_path = (length * automated.path_ps_per_kib).div_ceil(1024);
        let (link, moved, ended) = match task.direction {
            DmaDirection::ToHost => {
                let time = on_link.max(on_path);
                let (start, end) = engine.carry(begun + automated.chunk_latency, time);
                automated.to_host.retain(|span| span.end > now);
                automated.to_host.push_back(TimeSpan { start, end });
                let moved = end.max(through);
                (TimeSpan { start, end }, moved, moved + engine.latency)
            }
            DmaDirection::FromHost => {
                let steps = length.div_ceil(automated.chunk_bytes) * automated.chunk;
                let time = (on_link + steps).max(on_path);
                let (start, end) = engine.carry(begun + engine.latency, time);
                let known = ready + automated.task;
                engine.ask(now, [known; 2], (start - engine.latency, end - engine.latency), length);
                let moved = through.max(end + automated.chunk_latency);
                (TimeSpan { start, end }, moved, moved)
            }
        };
        Some(Times {
            arrived,
            ready,
            start,
            begun,
            link,
            moved,
            ended: ended + automated.completion,
        })
    }
}

impl Automated {
    fn begin_one(&mut self, now: u64, queue: u16, task: &Task) {
        if self.under_way == 0 {
            self.busy_since = now;
        }
        self.under_way += 1;
        self.running[usize::from(queue)] += 1;
        let traffic = &mut self.traffic;
        let (commands, bytes) = match task.direction {
            DmaDirection::ToHost => (&mut traffic.reads, &mut traffic.bytes_read),
            DmaDirection::FromHost => (&mut traffic.writes, &mut traffic.bytes_written),
        };
        *commands += 1;
        *bytes += u64::from(task.length);
    }
}

impl Times {
    /// Where the time since the fetch goes.
    fn tell(&self, fetched: u64, told: &mut Split) {
        let mut last = fetched;
        *told = Split::default();
        for (cause, until) in [
            (Cause::HostLink, self.ready),
            (Cause::DmaEngine, self.start),
            (Cause::HostLink, self.begun),
            (Cause::DmaEngine, self.link.start),
            (Cause::HostLink, self.link.end),
            (Cause::Memory, self.moved),
            (Cause::HostLink, self.ended),
        ] {
            told.add(Part::HostInterface, cause, until - last);
            last = until;
        }
    }
}

/// Whether every entry of a data pointer could be read and is one.
fn leads_somewhere(transfer: Transfer, pages: &Pages) -> bool {
    let mut segments = transfer.segments_of(0..transfer.length, |page| pages.page(page));
    segments.all(|segment| segment.is_ok())
}

/// Moves all data of a command, entry by entry of the medium. False when the host did not give its memory.
fn move_all(
    (tag, task): (CommandTag, &Task),
    data: (Transfer, &Pages),
    (entry_bytes, context): (u32, &mut DmaContext<'_>),
) -> bool {
    let unit = u64::from(entry_bytes);
    let mut host_offset = 0;
    while host_offset < task.length {
        let at = task.start + u64::from(host_offset);
        let offset = (at % unit) as u32;
        let length = (entry_bytes - offset).min(task.length - host_offset);
        let memory = DmaMemory::Buffer { entry: BufferId((at / unit) as u32), offset };
        let (direction, command_length) = (task.direction, task.length);
        let completer = Completer::Interface;
        let request =
            DmaRequest { tag, direction, host_offset, length, command_length, completer, memory };
        if !move_data(data, request, context) {
            return false;
        }
        host_offset += length;
    }
    true
}
