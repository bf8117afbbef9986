//! Host DMA engine: walks PRPs, moves 4 KiB units over the link.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use contract::{CommandTag, Completer, DmaDirection, DmaMemory, DmaProgress, DmaRequest, Duration};
use machine::{BusMaster, HostMemory, TimeSpan, NEVER};
use nvme::prp::{Segment, Transfer};

use super::pages::Pages;
use super::HostInterface;
use crate::ledger::Ledger;
use crate::memory::{BufferMemory, Extent};
use crate::processor::DmaInSight;

/// Bytes of a DMA unit (Cosmos+ section 3.1).
pub(crate) const UNIT_BYTES: u32 = 4096;

/// One direction of the engine.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct Engine {
    /// Requests that it holds.
    requests: usize,
    pub(super) ps_per_kib: u64,
    /// Between link and memory. Memory may take longer than the link.
    through_ps_per_kib: u64,
    unit_overhead: u64,
    /// Of a unit that still arrives as the engine begins to pass it on.
    arriving_overhead: u64,
    pub(super) latency: u64,
    /// The part of it after which the engine has room for another unit.
    leaving: u64,
    free: u64,
    /// When the requests under way end, in order, and the commands that the interface completes with them.
    ends: VecDeque<(u64, Option<CommandTag>)>,
    last_end: u64,
    finished: u32,
    asked: Asked,
    /// When each transfer that is under way or still to come moves, and its bytes. Kept only where somebody asks for turns between
    /// units of a transfer.
    moves: Option<VecDeque<(TimeSpan, u64)>>,
}

/// A unit of data that was asked of the host. Times on the link are told without the time that an access takes there and back.
/// An access that begins at such a time therefore reaches the link directly behind the unit.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Unit {
    asked: u64,
    /// The link has carried it.
    carried: u64,
    /// The engine has passed it on, and has room for another.
    left: u64,
}

/// Units that were asked for and have not left the engine, in their order.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
struct Asked {
    /// Most units at a time; none, if nobody waits behind data.
    most: usize,
    units: VecDeque<Unit>,
}

impl Asked {
    /// Asks for a unit whose page is known from `known` on, as soon as there is room for it. The link has it for `on_link`.
    /// `left` says when the engine has passed it on, by when the link has carried it.
    fn ask(&mut self, known: u64, on_link: u64, left: impl FnOnce(u64) -> u64) {
        let room = self.units.len().checked_sub(self.most).map_or(0, |nth| self.units[nth].left);
        let last = self.units.back().map_or((0, 0), |unit| (unit.asked, unit.carried));
        let asked = known.max(room).max(last.0);
        let carried = asked.max(last.1) + on_link;
        self.units.push_back(Unit { asked, carried, left: left(carried) });
    }

    /// Forgets what has left.
    fn forget(&mut self, now: u64) {
        while self.units.front().is_some_and(|unit| unit.left <= now) {
            self.units.pop_front();
        }
    }

    /// How long the link still carries what was asked for up to `now`.
    fn ahead(&mut self, now: u64) -> u64 {
        self.forget(now);
        let before = self.units.partition_point(|unit| unit.asked <= now);
        before.checked_sub(1).map_or(0, |last| self.units[last].carried.saturating_sub(now))
    }
}

impl Engine {
    /// One that holds so many requests, takes so long for a unit beyond its data, and asks for up to `ahead` bytes before it
    /// has passed others on.
    pub(super) fn new(
        host: &board::HostInterface,
        (latency, unit_overhead): (Duration, Duration),
        (requests, ahead): (u32, u64),
    ) -> Self {
        let most = (ahead / u64::from(UNIT_BYTES)) as usize;
        let ps_per_kib = host.link.ps_per_kib().max(host.bus.ps_per_kib());
        Engine {
            requests: requests as usize,
            ps_per_kib,
            through_ps_per_kib: ps_per_kib,
            unit_overhead: unit_overhead.as_ps(),
            arriving_overhead: 0,
            latency: latency.as_ps(),
            leaving: latency.as_ps(),
            free: 0,
            ends: VecDeque::with_capacity(requests as usize),
            last_end: 0,
            finished: 0,
            asked: Asked { most, units: VecDeque::new() },
            moves: None,
        }
    }

    /// The same, between whose units something else may have the link.
    pub(super) fn dividing(self) -> Engine {
        Engine { moves: Some(VecDeque::new()), ..self }
    }

    /// The same, which takes longer to pass a unit on to memory than the link does, and longer still while the unit arrives. It has
    /// room for another before memory has answered.
    pub(super) fn passing_on(self, host: &board::HostInterface) -> Engine {
        let unit_kib = u64::from(UNIT_BYTES) / 1024;
        Engine {
            through_ps_per_kib: self.ps_per_kib
                + host.dma_unit_overhead_from_host.as_ps() / unit_kib,
            arriving_overhead: host.dma_unit_overhead_arriving.as_ps(),
            leaving: self.latency.saturating_sub(host.dma_answer_latency.as_ps()),
            ..self
        }
    }

    /// How long so many bytes of a command that runs without firmware are on the link.
    pub(super) fn link_time(&self, length: u64) -> u64 {
        let units = length.div_ceil(UNIT_BYTES.into());
        (length * self.ps_per_kib).div_ceil(1024) + units * self.unit_overhead
    }

    /// Carries data for a command that runs without firmware: from `earliest` on, for `time`; returns when
    /// they begin and end to move.
    pub(super) fn carry(&mut self, earliest: u64, time: u64) -> (u64, u64) {
        let start = earliest.max(self.free);
        self.free = start + time;
        (start, self.free)
    }

    /// Notes when each unit of some data is asked for, whose first page is known from the first of two times on, and the
    /// others from the second one on. Returns how much later than `end` the data have moved, since some of them still arrived
    /// when their turn came.
    pub(super) fn ask(
        &mut self,
        now: u64,
        [first, others]: [u64; 2],
        (start, end): (u64, u64),
        bytes: u64,
    ) -> u64 {
        if self.asked.most == 0 || bytes == 0 {
            return 0;
        }
        let units = bytes.div_ceil(UNIT_BYTES.into());
        let on_link = self.link_time(bytes) / units;
        let Engine { asked, arriving_overhead, unit_overhead, leaving, .. } = self;
        asked.forget(now);
        let mut later = 0;
        for unit in 0..units {
            let known = if unit == 0 { first } else { others };
            let turn = |nth| start + (end - start) * nth / units;
            asked.ask(known, on_link, |carried| {
                // The link goes on to the next unit so long behind the last byte.
                if carried - *unit_overhead > turn(unit) + later {
                    later += *arriving_overhead;
                }
                turn(unit + 1) + later + *leaving
            });
        }
        later
    }

    /// How long an access comes later that goes behind the data that were asked for before `now`.
    pub(super) fn data_ahead(&mut self, now: u64) -> u64 {
        self.asked.ahead(now)
    }

    /// When something else has the link that comes there at `at`: between two units of so many bytes that move then.
    pub(super) fn between_units(&self, at: u64, bytes: u64) -> u64 {
        let moving = self.moves.iter().flatten().find(|(span, _)| span.start < at && at < span.end);
        moving.map_or(at, |(TimeSpan { start, end }, moved)| {
            let unit = (end - start) / moved.div_ceil(bytes);
            (start + (at - start).div_ceil(unit) * unit).min(*end)
        })
    }

    /// Takes a request of `length` bytes; returns when its data begin and end to move.
    fn begin(&mut self, now: u64, length: u32, List { first, others }: List) -> (u64, u64) {
        let start = (now + first).max(self.free);
        let units = u64::from(length.div_ceil(UNIT_BYTES));
        let moving = (u64::from(length) * self.through_ps_per_kib).div_ceil(1024);
        let time = units * self.unit_overhead + moving;
        let behind_first = time - time / units.max(1);
        self.free = (start + time).max(now + others + behind_first);
        self.free += self.ask(now, [now + first, now + others], (start, self.free), length.into());
        if let Some(moves) = &mut self.moves {
            while moves.front().is_some_and(|(span, _)| span.end + self.latency <= now) {
                moves.pop_front();
            }
            moves.push_back((TimeSpan { start, end: self.free }, length.into()));
        }
        (start, self.free)
    }

    /// A request's data have moved at `at`; `completes` is the command that the interface completes with
    /// it. Returns when its end can be seen.
    fn end(&mut self, at: u64, completes: Option<CommandTag>) -> u64 {
        self.last_end = self.last_end.max(at + self.latency);
        self.ends.push_back((self.last_end, completes));
        self.last_end
    }

    /// When there is room for a request, once those under way have ended and been seen.
    fn room(&self) -> u64 {
        let beyond = (self.ends.len() + 1).saturating_sub(self.requests);
        beyond.checked_sub(1).map_or(0, |nth| self.ends[nth].0)
    }

    /// Counts the requests that have ended; `seen` is called with commands that the interface completes.
    fn finished(&mut self, now: u64, mut seen: impl FnMut(CommandTag)) -> u32 {
        while self.ends.front().is_some_and(|&(end, _)| end <= now) {
            if let Some((_, Some(tag))) = self.ends.pop_front() {
                seen(tag);
            }
            self.finished = self.finished.wrapping_add(1);
        }
        self.finished
    }

    /// Requests that have not ended by now, and whether some have that were not counted yet.
    fn in_sight(&self, now: u64) -> (u32, bool) {
        let ended = self.ends.partition_point(|&(end, _)| end <= now);
        ((self.ends.len() - ended) as u32, ended > 0)
    }

    /// None of the requests under way ends.
    pub(super) fn stop(&mut self) {
        self.ends.clear();
    }

    pub(super) fn change(&self) -> u64 {
        self.ends.front().map_or(NEVER, |&(end, _)| end)
    }
}

/// How long the pages of a request are waited for, while others move: its first one, and those behind it.
#[derive(Clone, Copy, Debug)]
struct List {
    first: u64,
    others: u64,
}

/// Times of a DMA request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DmaTimes {
    /// When the link carries its data.
    pub link: TimeSpan,
    /// When they are in DRAM, or have left it.
    pub moved: u64,
    /// When that is known to the drive, were it not for requests before it.
    pub known: u64,
    /// When the firmware can see the end.
    pub seen: u64,
    /// The interface completes the command then.
    pub completes: bool,
}

/// What the engine moves data between.
pub(crate) struct DmaContext<'a> {
    /// Host memory.
    pub host: &'a mut dyn HostMemory,
    /// The data buffer.
    pub buffer: &'a mut BufferMemory,
    /// The control page.
    pub control: &'a mut [u8; 4096],
    /// The bus to DRAM.
    pub dram: &'a mut Ledger,
    /// Picoseconds a KiB of it.
    pub dram_ps_per_kib: u64,
    /// Where segments are listed; empty between requests.
    pub segments: &'a mut Vec<Segment>,
}

impl HostInterface {
    /// Takes a DMA request. The data move at once: the buffer entry is the request's until its end
    /// is seen, and the host may not touch its memory either.
    pub(crate) fn issue_dma(
        &mut self,
        now: u64,
        request: DmaRequest,
        mut context: DmaContext<'_>,
    ) -> DmaTimes {
        let list = self.list_latency(now, &request);
        let (start, end) = self.engine(request.direction).begin(now, request.length, list);
        let dram = (u64::from(request.length) * context.dram_ps_per_kib).div_ceil(1024);
        let moved_at = end.max(context.dram.book(now, start, dram));
        let moved = match self.data_of(request.tag) {
            Some(_) if self.master == BusMaster::Disabled => false,
            Some(data) => {
                let length = request.command_length;
                let transfer = Transfer { data, length, page_bytes: UNIT_BYTES };
                let pages = &mut self.pages[usize::from(request.tag.0)];
                pages.read(&transfer, context.host);
                move_data((transfer, pages), request, &mut context)
            }
            // Nothing comes from a host that reset the controller, and whoever waits has to know.
            None => request.direction == DmaDirection::ToHost,
        };
        let slot = &mut self.slots[usize::from(request.tag.0)];
        if moved {
            slot.moved += request.length;
        } else {
            self.faults += u32::from(!std::mem::replace(&mut slot.fault, true));
        }
        let by_itself = request.completer == Completer::Interface;
        let completes = by_itself && slot.moved == request.command_length;
        let engine = self.engine(request.direction);
        let seen = engine.end(moved_at, completes.then_some(request.tag));
        let known = moved_at + engine.latency;
        let room = engine.room();
        self.congestion.note(now, room);
        DmaTimes { link: TimeSpan { start, end }, moved: moved_at, known, seen, completes }
    }

    /// What a request waits for the list of pages, which comes behind data that were asked for before it. Its first page does
    /// not stand there if it is that of the command.
    fn list_latency(&mut self, now: u64, request: &DmaRequest) -> List {
        let length = request.command_length;
        let has_list = self
            .data_of(request.tag)
            .is_some_and(|data| (Transfer { data, length, page_bytes: UNIT_BYTES }).has_list());
        let others = match has_list {
            true => self.latencies.list + self.from_host.data_ahead(now),
            false => 0,
        };
        let first = if request.host_offset >= UNIT_BYTES { others } else { 0 };
        List { first, others }
    }

    fn engine(&mut self, direction: DmaDirection) -> &mut Engine {
        match direction {
            DmaDirection::FromHost => &mut self.from_host,
            DmaDirection::ToHost => &mut self.to_host,
        }
    }

    /// What a look at the engine finds.
    pub(crate) fn dma_in_sight(&self, now: u64) -> DmaInSight {
        let [(from, from_ended), (to, to_ended)] =
            [&self.from_host, &self.to_host].map(|engine| engine.in_sight(now));
        DmaInSight { under_way: from + to, ended: u32::from(from_ended) + u32::from(to_ended) }
    }

    pub(crate) fn dma_progress(&mut self, now: u64) -> DmaProgress {
        let HostInterface { from_host, to_host, slots, free_slots, .. } = self;
        let free = free_slots.len();
        let mut seen = |tag: CommandTag| slots[usize::from(tag.0)].is_seen(free_slots, tag);
        let from_host = from_host.finished(now, &mut seen);
        let to_host = to_host.finished(now, &mut seen);
        if self.free_slots.len() > free {
            self.resume_fetch(now);
        }
        DmaProgress { from_host, to_host, fault: self.faults > 0 }
    }

    pub(crate) fn dma_fault(&self, tag: CommandTag) -> bool {
        self.slots[usize::from(tag.0)].fault
    }
}

/// Moves the bytes of a request, to or from pages that were read. False when an address or a PRP entry was
/// bad.
pub(super) fn move_data(
    (transfer, pages): (Transfer, &Pages),
    request: DmaRequest,
    context: &mut DmaContext<'_>,
) -> bool {
    let DmaContext { host, buffer, control, segments, .. } = context;
    segments.clear();
    let range = request.host_offset..request.host_offset + request.length;
    for segment in transfer.segments_of(range, |page| pages.page(page)) {
        let Ok(segment) = segment else { return false };
        segments.push(segment);
    }
    match (request.memory, request.direction) {
        (DmaMemory::Buffer { entry, offset }, direction) => {
            let extent = Extent { entry, offset, length: request.length };
            match direction {
                DmaDirection::ToHost => buffer.send(extent, segments, *host),
                DmaDirection::FromHost => buffer.receive(extent, segments, *host),
            }
        }
        (DmaMemory::Control, direction) => {
            let mut bytes = &mut control[..request.length as usize];
            segments.iter().all(|segment| {
                let (now, rest) = std::mem::take(&mut bytes).split_at_mut(segment.length as usize);
                bytes = rest;
                match direction {
                    DmaDirection::ToHost => host.write(segment.address, now),
                    DmaDirection::FromHost => host.read(segment.address, now),
                }
            })
        }
    }
}
