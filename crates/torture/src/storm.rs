//! A plan as it is run: a host that sends commands, many at once on several queues, against a history that knows
//! every permitted value. A promise that is broken is a panic, as an assertion of the drive is.

use board::Board;
use firmware::ftl::precondition::Precondition;
use nvme::admin::{AdminCommand, Retention, SetFeatures};
use nvme::command::{Entry, Header};
use nvme::completion::CompletionEntry;
use nvme::feature::{Setting, Switch};
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use nvme::status::Status;
use sim::{Polling, Stamp, Stopped};

use contract::{CachePolicy, CommandSet, Medium};

use crate::bench::Bench;
use crate::chunk_user;
use crate::history::{Ended, Extent, History, Moment, Power};
use crate::plan::{logical_blocks, Act, Command, Data, Malformation, Plan, Start, Step};
use crate::slots::{self, payload, BLOCK, SLOTS};

/// Logical blocks of a command at most.
pub const LONGEST: u64 = 24;
/// I/O queue pairs: entries of submission and completion queue. The third's completions wait for room.
pub const PAIRS: [(u32, u32); 3] = [(128, 128), (17, 17), (24, 3)];

/// What is known about a command in flight.
enum Expected {
    /// A read, since when.
    Values(Moment),
    /// A write or zeroes.
    Change(Moment, Change),
    /// A deallocation: whole mapping units read as zeroes, and parts of them perhaps.
    Deallocation(Moment),
    /// Whether the data given are those that the blocks hold, and since when.
    Comparison(Moment, bool),
    /// A flush, since when.
    Flush(Moment),
    /// It has to fail, and changes nothing.
    Refusal,
}

/// What is known of a change that has ended well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// It was done.
    Done,
    /// The same, and durable unless the write cache was switched meanwhile: so many switches there were.
    Through(u64),
    /// The same, and no power loss takes it back.
    Durable,
}

struct Flight {
    queue: u16,
    extent: Extent,
    expected: Expected,
    /// Its data cannot be moved, so that it has to fail.
    bad_pointer: bool,
}

/// What a round came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Power losses.
    pub cuts: u64,
    /// Commands that ended well.
    pub done: u64,
    /// Compares among them that found a difference.
    pub differed: u64,
    /// Commands that were refused as they had to be.
    pub refused: u64,
    /// Commands that failed because data are lost.
    pub lost: u64,
    /// Commands whose data were to change and that a drive refused which has no spare blocks left.
    pub read_only: u64,
    /// Commands that ran without firmware.
    pub automated: u64,
    /// Pages moved by collection.
    pub moves: u64,
    /// Blocks gone bad in use.
    pub bad_blocks: u64,
    /// Programs and erases given up.
    pub lost_writes: u64,
    /// Reads repeated.
    pub read_retries: u64,
    /// Chips reset that stayed busy.
    pub chip_resets: u64,
    /// Superblocks refreshed.
    pub refreshes: u64,
    /// Journal pages written.
    pub journal_pages: u64,
    /// Pages that recovery read.
    pub recovery_reads: u64,
}

impl Outcome {
    /// Both together.
    pub fn and(self, other: Outcome) -> Outcome {
        Outcome {
            cuts: self.cuts + other.cuts,
            done: self.done + other.done,
            differed: self.differed + other.differed,
            refused: self.refused + other.refused,
            lost: self.lost + other.lost,
            read_only: self.read_only + other.read_only,
            automated: self.automated + other.automated,
            moves: self.moves + other.moves,
            bad_blocks: self.bad_blocks + other.bad_blocks,
            lost_writes: self.lost_writes + other.lost_writes,
            read_retries: self.read_retries + other.read_retries,
            chip_resets: self.chip_resets + other.chip_resets,
            refreshes: self.refreshes + other.refreshes,
            journal_pages: self.journal_pages + other.journal_pages,
            recovery_reads: self.recovery_reads + other.recovery_reads,
        }
    }
}

/// Keys that rounds are given where reads may have more wrong bits than the decoder corrects.
const MAY_LOSE: [&str; 2] =
    ["errors.raw_bits_per_terabit", "errors.disturb_bits_per_terabit_per_kiloread"];

/// A host that does what a plan says, and knows what each block may read as.
pub struct Storm {
    bench: Bench,
    history: History,
    flights: Vec<Option<Flight>>,
    cache: Switch,
    /// Whether the drive writes through, so that what has completed is in flash.
    is_through: bool,
    /// How often the write cache was switched.
    switches: u64,
    board: Board,
    data: Data,
    /// Reads have more wrong bits than the decoder corrects.
    may_lose: bool,
    outcome: Outcome,
}

impl Storm {
    /// Runs a plan; `at` is told the number of each step before it is run.
    ///
    /// # Panics
    /// When a promise is broken, or an assertion of the drive fails.
    pub fn run(plan: &Plan, mut at: impl FnMut(usize)) -> Outcome {
        let board = Board::resolve(&plan.board, &plan.values).unwrap_or_else(|e| panic!("{e}"));
        if board.firmware.command_set == CommandSet::OpenChannel {
            return chunk_user::run(&board, &plan.steps, at);
        }
        let mut storm = Storm::new(plan, board);
        for (nth, step) in plan.steps.iter().enumerate() {
            at(nth);
            storm = storm.step(step);
            storm.reap();
        }
        at(plan.steps.len());
        storm.finish();
        storm.count();
        storm.outcome
    }

    fn new(plan: &Plan, board: Board) -> Self {
        let mut bench = Bench::new(&board, payload(plan.data), Polling::Skip);
        if plan.start == Start::Full {
            bench.drive.precondition(Precondition::Sequential);
        }
        let blocks = logical_blocks(&board);
        let initial: fn(u64) -> Stamp = match plan.start {
            Start::Full => |lba| Stamp::new(lba, 1),
            Start::Empty => |_| Stamp::ZERO,
        };
        let cut = |step: &Step| matches!(step, Step::CutPower { .. });
        let power = if plan.steps.iter().any(cut) { Power::MayFail } else { Power::Steady };
        let mut storm = Storm {
            bench,
            history: History::new(blocks, initial).with_power(power),
            flights: (0..SLOTS).map(|_| None).collect(),
            cache: Switch::On,
            is_through: false,
            switches: 0,
            board,
            data: plan.data,
            may_lose: plan.values.iter().any(|(key, _)| MAY_LOSE.contains(&key.as_str())),
            outcome: Outcome::default(),
        };
        storm.start();
        storm
    }
}

impl Storm {
    /// Brings the controller up, with all queue pairs.
    fn start(&mut self) {
        self.bench.start_once();
        for id in 2..=PAIRS.len() as u16 {
            self.bench.create_pair(id, self.pair(id));
        }
        self.cache = Switch::On;
        self.is_through = self.board.firmware.cache == CachePolicy::WriteThrough;
        self.switches += 1;
    }

    /// Entries of the queues of a pair, as many as the drive takes.
    fn pair(&self, id: u16) -> (u32, u32) {
        let most = self.board.firmware.queue_entries;
        let (submission, completion) = PAIRS[usize::from(id) - 1];
        (submission.min(most), completion.min(most))
    }

    fn step(mut self, step: &Step) -> Self {
        match step {
            Step::Submit { queue, commands } => self.submit(*queue, commands),
            &Step::Abort { queue, cid } => {
                self.bench.admin(AdminCommand::Abort { queue, cid }, 0);
            }
            &Step::RingWrongly { doorbell, value } => self.bench.ring(doorbell, value),
            Step::Reset => self.reset(),
            Step::DeleteQueue { queue } => self.delete_queue(*queue),
            Step::SwitchCache => self.switch_cache(),
            Step::Run { ps } => {
                let due = self.bench.drive.now() + ps;
                self.bench.drive.run_to(due, |_| false);
            }
            Step::RunUntilQuiet => drop(self.bench.drive.run(|_| false)),
            Step::CutPower { again_after_ps } => return self.cut_power(again_after_ps),
            // Of another command set.
            Step::UseChunks { .. } => {}
        }
        self
    }

    /// Sends commands on one queue, as far as there is room.
    fn submit(&mut self, queue: u16, commands: &[Command]) {
        let on_queue = |flight: &&Flight| flight.queue == queue;
        let waiting = self.flights.iter().flatten().filter(on_queue).count();
        let room = (self.pair(queue).0 as usize - 1).saturating_sub(waiting);
        let free = (0..SLOTS).filter(|&slot| self.flights[slot].is_none());
        let slots: Vec<usize> = free.take(commands.len().min(room)).collect();
        let mut entries = Vec::new();
        for (&slot, command) in slots.iter().zip(commands) {
            let extent = self.extent(command);
            let command = Command { lba: extent.lba, blocks: extent.blocks, ..*command };
            let memory = &mut self.bench.drive.host_mut().memory;
            let data = slots::point(memory, (slot, extent.blocks), command.pointer);
            let header = Header { cid: slot as u16, nsid: 1, data };
            let (sent, expected) = self.prepare(slot, &command);
            let bad_pointer = slots::is_bad(&sent, extent.blocks, command.pointer);
            let entry = match command.act {
                Act::Malformed(how) => spoil(sent.emit(header), how, self.history.logical_blocks()),
                _ => sent.emit(header),
            };
            entries.push(entry);
            self.flights[slot] = Some(Flight { queue, extent, expected, bad_pointer });
        }
        self.bench.submit(usize::from(queue), &entries);
    }

    /// The blocks of a command, on this drive.
    fn extent(&self, command: &Command) -> Extent {
        let blocks = command.blocks.clamp(1, self.longest());
        Extent { lba: command.lba.min(self.history.logical_blocks() - blocks), blocks }
    }

    /// Blocks of a command at most.
    fn longest(&self) -> u64 {
        LONGEST.min(u64::from(self.board.firmware.max_transfer_bytes) / BLOCK)
    }

    /// What is sent for a command, its data in host memory.
    fn prepare(&mut self, slot: usize, command: &Command) -> (IoCommand, Expected) {
        let &Command { act, lba, blocks, fua, .. } = command;
        let extent = Extent { lba, blocks };
        let range = BlockRange { start: lba, blocks: blocks as u32 };
        let access = if fua { UnitAccess::Forced } else { UnitAccess::Normal };
        let data = self.data;
        // What is in the buffer of a drive with a capacitor is not lost with the power.
        let durable = fua || self.board.firmware.reserve.is_some();
        let change = match (durable, self.is_through) {
            (true, _) => Change::Durable,
            // A command under way when the cache is switched may be taken in before or after.
            (false, true) => Change::Through(self.switches),
            (false, false) => Change::Done,
        };
        let memory = &mut self.bench.drive.host_mut().memory;
        match act {
            Act::Write => {
                let (begun, stamps) = self.history.begin_write(extent);
                slots::put(memory, (slot, data), &stamps);
                (IoCommand::Write(range, access), Expected::Change(begun, change))
            }
            Act::Read => {
                // What no block holds, so that data which never arrived are seen.
                slots::poison(memory, slot, blocks);
                let begun = self.history.begin_read();
                (IoCommand::Read(range, access), Expected::Values(begun))
            }
            Act::Malformed(_) => (IoCommand::Read(range, access), Expected::Refusal),
            Act::WriteZeroes => {
                let begun = self.history.begin_zeroes(extent);
                (IoCommand::WriteZeroes(range, access), Expected::Change(begun, change))
            }
            Act::Deallocate => {
                slots::put_range(memory, slot, extent);
                let begun = self.history.begin_zeroes(extent);
                let purpose = DatasetUse::Deallocate;
                let command = IoCommand::DatasetManagement { ranges: 1, purpose };
                (command, Expected::Deallocation(begun))
            }
            Act::Flush => (IoCommand::Flush, Expected::Flush(self.history.begin_flush())),
            Act::Compare(difference) => {
                let Some(mut stamps) = self.history.settled(extent) else {
                    return (IoCommand::Flush, Expected::Flush(self.history.begin_flush()));
                };
                let difference = difference.map(|nth| nth.min(blocks - 1));
                if let Some(nth) = difference {
                    stamps[nth as usize] = Stamp::new(lba + nth + 1, 77);
                }
                slots::put(memory, (slot, data), &stamps);
                let expected =
                    Expected::Comparison(self.history.begin_read(), difference.is_none());
                (IoCommand::Compare(range, access), expected)
            }
        }
    }

    /// Takes what has completed.
    fn reap(&mut self) {
        while let Some((_, entry)) = self.bench.drive.host_mut().seen.pop_front() {
            let slot = usize::from(entry.cid);
            let flight = self.flights[slot].take().expect("a completion of a command in flight");
            assert_eq!(entry.submission_queue, flight.queue, "slot {slot}");
            let compared = matches!(flight.expected, Expected::Comparison(..));
            if entry.status.is_success() || compared && entry.status.is(Status::COMPARE_FAILURE) {
                self.succeeded(slot, &entry, flight);
            } else {
                self.failed(entry.status, flight);
            }
        }
        // What ends before the next look may have ended before the drive gives up anything more.
        self.history.gave_up(self.given_up());
    }

    fn succeeded(&mut self, slot: usize, entry: &CompletionEntry, flight: Flight) {
        let Flight { extent, expected, bad_pointer, .. } = flight;
        // A compare may find a difference before it comes to what cannot be moved.
        let is_difference = !entry.status.is_success();
        assert!(
            !bad_pointer || is_difference,
            "{extent:?}: a command succeeded whose data cannot be moved"
        );
        self.outcome.done += 1;
        match expected {
            Expected::Values(begun) => {
                let memory = &mut self.bench.drive.host_mut().memory;
                let found = slots::get(memory, (slot, self.data), extent.blocks);
                if let Err(wrong) = self.history.end_read(extent, begun, &found) {
                    panic!("{wrong}");
                }
            }
            Expected::Change(begun, change) => {
                self.history.end(extent, begun, Ended::Well);
                if [Change::Durable, Change::Through(self.switches)].contains(&change) {
                    self.history.keep(extent, begun);
                }
            }
            Expected::Deallocation(begun) => self.deallocated(extent, begun),
            Expected::Comparison(begun, equal) => {
                self.history.abandon_read(begun);
                let found = entry.status.is_success();
                let open = self.history.changed_since(extent, begun);
                assert!(open || found == equal, "compare of {extent:?}: {}", entry.status);
                self.outcome.differed += u64::from(!found);
            }
            Expected::Flush(begun) => self.history.end_flush(begun),
            Expected::Refusal => panic!("{extent:?}: a command succeeded that no drive may take"),
        }
    }

    /// A deallocation has ended well. NVMe 1.4 section 6.7.1.1 lets a drive keep what is no whole mapping unit.
    fn deallocated(&mut self, extent: Extent, begun: Moment) {
        let unit = self.unit();
        let end = extent.lba + extent.blocks;
        let first = extent.lba.next_multiple_of(unit).min(end);
        let last = (end / unit * unit).max(first);
        let parts = [
            (extent.lba..first, Ended::Perhaps),
            (first..last, Ended::Well),
            (last..end, Ended::Perhaps),
        ];
        for (blocks, ended) in parts {
            if !blocks.is_empty() {
                let part = Extent { lba: blocks.start, blocks: blocks.end - blocks.start };
                self.history.end(part, begun, ended);
            }
        }
    }

    fn failed(&mut self, status: Status, flight: Flight) {
        let one_of = |some: &[Status]| some.iter().any(|&one| status.is(one));
        if matches!(flight.expected, Expected::Refusal) {
            self.outcome.refused += 1;
        } else if one_of(&[Status::UNRECOVERED_READ]) {
            self.lose(flight.extent);
        } else if one_of(&[Status::WRITE_FAULT, Status::WRITE_TO_READ_ONLY]) {
            self.outcome.read_only += 1;
        } else if flight.bad_pointer {
            let expected = [Status::DATA_TRANSFER_ERROR, Status::INVALID_PRP_OFFSET];
            assert!(one_of(&expected) || one_of(&[Status::ABORTED_SQ_DELETION]), "{status}");
            self.outcome.refused += 1;
        } else {
            assert!(one_of(&[Status::ABORTED_SQ_DELETION, Status::ABORT_REQUESTED]), "{status}");
        }
        self.abandon(flight);
    }

    /// Nothing is known of a command's end but that it is over.
    fn abandon(&mut self, Flight { extent, expected, .. }: Flight) {
        match expected {
            Expected::Values(begun) | Expected::Comparison(begun, _) => {
                self.history.abandon_read(begun);
            }
            Expected::Change(begun, _) | Expected::Deallocation(begun) => {
                self.history.end(extent, begun, Ended::Perhaps);
            }
            Expected::Flush(_) | Expected::Refusal => {}
        }
    }

    /// Commands that match will not complete any more.
    fn abandon_all(&mut self, of: impl Fn(&Flight) -> bool) {
        for slot in 0..SLOTS {
            if let Some(flight) = self.flights[slot].take_if(|flight| of(flight)) {
                self.abandon(flight);
            }
        }
    }

    /// A command failed because data are lost.
    fn lose(&mut self, extent: Extent) {
        let no_spares = self.history.may_be_lost(self.units(extent), self.given_up());
        // Without a log an erase does not wait for programs: a write that a reset overtakes may have lost its page.
        let no_log = self.board.firmware.recovery.is_none();
        let may_lose = self.may_lose || no_spares || no_log;
        assert!(may_lose, "{extent:?}: data are lost, and nothing explains it");
        self.outcome.lost += 1;
    }

    /// Programs and erases that the drive has given up.
    fn given_up(&self) -> u64 {
        self.outcome.lost_writes + self.bench.drive.firmware().counters().lost_writes
    }

    /// The mapping units of some blocks, whole.
    fn units(&self, Extent { lba, blocks }: Extent) -> Extent {
        let unit = self.unit();
        let first = lba / unit * unit;
        let end = (lba + blocks).next_multiple_of(unit).min(self.history.logical_blocks());
        Extent { lba: first, blocks: end - first }
    }

    /// Blocks of a mapping unit.
    fn unit(&self) -> u64 {
        let bytes = match self.board.firmware.medium {
            Medium::Flash => self.board.firmware.unit_bytes,
            Medium::Memory => self.board.firmware.geometry.page_bytes,
        };
        u64::from(bytes) / BLOCK
    }

    fn reset(&mut self) {
        self.reap();
        self.bench.restart();
        self.abandon_all(|_| true);
        self.start();
    }

    fn delete_queue(&mut self, id: u16) {
        self.bench.delete_pair(id);
        self.reap();
        self.abandon_all(|flight| flight.queue == id);
        self.bench.create_pair(id, self.pair(id));
    }

    /// A drive with a capacitor has no volatile cache to be switched.
    fn switch_cache(&mut self) {
        if self.board.firmware.reserve.is_some() {
            return;
        }
        self.cache = if self.cache == Switch::On { Switch::Off } else { Switch::On };
        let setting = Setting::VolatileWriteCache(self.cache);
        let set = SetFeatures { setting, retention: Retention::UntilReset };
        self.bench.admin(AdminCommand::SetFeatures(set), 0);
        self.switches += 1;
        self.is_through = self.cache == Switch::Off;
    }

    /// The power goes away, perhaps again while the drive looks for its map, and comes back.
    fn cut_power(mut self, again_after_ps: &[u64]) -> Self {
        self.bench.let_chips_go(&self.board);
        self.reap();
        self.count();
        let setup = (&self.board, payload(self.data));
        let mut bench = self.bench.cut_power(setup);
        for ps in again_after_ps {
            bench.enable();
            let due = bench.drive.now() + ps;
            bench.drive.run_to(due, |_| false);
            bench.let_chips_go(&self.board);
            bench = bench.cut_power(setup);
        }
        self.bench = bench;
        self.outcome.cuts += 1 + again_after_ps.len() as u64;
        self.flights.iter_mut().for_each(|flight| *flight = None);
        self.history.lose_power();
        self.start();
        self
    }

    /// Adds what the firmware counted since power-on.
    fn count(&mut self) {
        let contract::AutomatedTraffic { reads, writes, .. } = self.bench.drive.automated();
        let firmware = self.bench.drive.firmware();
        let (counters, log) = (firmware.counters(), firmware.log());
        self.outcome = self.outcome.and(Outcome {
            automated: reads + writes,
            moves: counters.moves,
            bad_blocks: counters.bad_blocks,
            lost_writes: counters.lost_writes,
            read_retries: counters.read_retries,
            chip_resets: counters.chip_resets,
            refreshes: counters.refreshes,
            journal_pages: log.journal_pages,
            recovery_reads: log.recovery_reads,
            ..Outcome::default()
        });
    }

    /// Waits for all, flushes, and reads the whole drive.
    fn finish(&mut self) {
        assert_eq!(self.bench.drive.run(|_| false), Stopped::Quiet);
        self.reap();
        assert!(self.flights.iter().all(Option::is_none), "a command never completed");
        let flush = IoCommand::Flush.emit(Header { cid: 0, nsid: 1, ..Header::default() });
        let flushed = self.bench.io(&[flush])[0].1.status;
        let dirty = self.bench.drive.firmware().dirty_entries();
        // Where a capacitor keeps the buffer there is nothing to flush.
        let kept = self.board.firmware.reserve.is_some();
        assert!(kept || dirty == 0 || !flushed.is_success(), "{dirty} dirty entries after a flush");
        let longest = self.longest();
        for lba in (0..self.history.logical_blocks()).step_by(longest as usize) {
            let extent = Extent { lba, blocks: longest.min(self.history.logical_blocks() - lba) };
            let begun = self.history.begin_read();
            match self.bench.read(lba, extent.blocks as usize) {
                Ok(_) => {
                    let memory = &mut self.bench.drive.host_mut().memory;
                    // The bench reads to where the first slot is.
                    let found = slots::get(memory, (0, self.data), extent.blocks);
                    if let Err(wrong) = self.history.end_read(extent, begun, &found) {
                        panic!("at the end: {wrong}");
                    }
                }
                Err(status) => {
                    assert!(status.is(Status::UNRECOVERED_READ), "at the end: {status}");
                    self.history.abandon_read(begun);
                    self.lose(extent);
                }
            }
        }
    }
}

/// An entry that no drive of so many logical blocks may take, made of one that is sound.
fn spoil(entry: Entry, how: Malformation, blocks: u64) -> Entry {
    let dword = entry.dword(0);
    match how {
        Malformation::Opcode => entry.with(0, dword & !0xff | 0x7f),
        Malformation::Namespace => entry.with(1, 2),
        Malformation::Range => entry.with(10, blocks as u32),
        Malformation::Overflow => entry.with(10, u32::MAX).with(11, u32::MAX),
        Malformation::Fused => entry.with(0, dword | 1 << 8),
        Malformation::Sgl => entry.with(0, dword | 1 << 14),
        Malformation::TooLong => entry.with(12, 0xffff),
    }
}
