//! A plan as it is run: a host that sends commands, many at once on several queues, against a history that knows
//! every permitted value. A promise that is broken is a panic, as an assertion of the drive is.

use std::collections::BTreeSet;

use board::Board;
use firmware::ftl::precondition::Precondition;
use machine::{Polling, Stamp, Stopped};
use nvme::admin::{AdminCommand, Retention, SetFeatures};
use nvme::command::{Entry, Header};
use nvme::feature::{Setting, Switch};
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use nvme::status::Status;
use sim::{Astray, FaultsOfPage};

use contract::{CachePolicy, CommandSet};

use crate::bench::Bench;
use crate::history::{Extent, History, Moment, Power};
use crate::namespaces::Namespaces;
use crate::placing;
use crate::plan::{
    logical_blocks, unit_blocks, Act, Command, Data, Malformation, Plan, Start, Step, Stray,
};
use crate::sizes::{BLOCK, LONGEST, PAIRS, SLOTS};
use crate::slots::{self, payload};
use crate::{chunk_user, zone_user};

mod ends;
mod seldom;

pub use crate::outcome::Outcome;

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
    /// Blocks that can be read, since when.
    Verified(Moment),
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
    namespaces: Namespaces,
    data: Data,
    /// Reads have more wrong bits than the decoder corrects.
    may_lose: bool,
    /// Hours without power.
    hours: u64,
    /// A format under way, since when.
    format: Option<Moment>,
    /// Mapping units that programs gone astray had hit when the power went away for the last time.
    hit: usize,
    /// Pages of the log that chips have lost, and how many journal pages flash holds once it tells of them.
    log_lost: (u64, u64),
    /// The power is to go away, and nothing in flash tells of a page of the log that was lost: the round ends.
    is_over: bool,
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
        if board.firmware.command_set == CommandSet::Zoned {
            return zone_user::run(&board, &plan.steps, at);
        }
        let mut storm = Storm::new(plan, board);
        for (nth, step) in plan.steps.iter().enumerate() {
            at(nth);
            storm = storm.step(step);
            storm.reap();
            storm.is_log_told();
            if storm.is_over {
                break;
            }
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
        let cuts = plan.steps.iter().any(Step::takes_power);
        let power = if cuts { Power::MayFail } else { Power::Steady };
        let history = History::new(blocks, initial).with_power(power);
        let history = match board.firmware.reserve {
            // So NAWUN and NAWUPF of its namespaces say.
            Some(_) => history.with_atomic_units(unit_blocks(&board)),
            None => history,
        };
        let mut storm = Storm {
            bench,
            history,
            flights: (0..SLOTS).map(|_| None).collect(),
            cache: Switch::On,
            is_through: false,
            switches: 0,
            namespaces: Namespaces::of(&board),
            board,
            data: plan.data,
            may_lose: plan.values.iter().any(|(key, _)| MAY_LOSE.contains(&key.as_str())),
            hours: 0,
            format: None,
            hit: 0,
            log_lost: (0, 0),
            is_over: false,
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
        if step.is_admin() {
            self.await_format();
        }
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
            Step::CutPower { again_after_ps } => return self.cut_power(0, again_after_ps),
            &Step::Shelve { hours } => return self.shelve(hours.into()),
            Step::Format => self.format(),
            Step::SaveAndRestore => self.save_and_restore(),
            &Step::SendAstray { die, to } => self.send_astray(die, to),
            // Of another command set.
            Step::UseChunks { .. } => {}
        }
        self
    }

    /// A program is to go astray, where chips can be told so. A part of a page comes without metadata, so that nothing tells
    /// it from what came to a page whose own program was lost: such a drive has one fault a page. Where the log is read in
    /// the middle of a round, no page of data goes there, and where parts of a map are in it alone, it stays whole.
    fn send_astray(&mut self, die: u32, to: Stray) {
        let config = &self.board.firmware;
        let Some(recovery) = config.recovery.filter(|_| config.programming.passes == 1) else {
            return;
        };
        let log_is_not_read = recovery.map_cache_parts.is_none() && !self.history.power_may_fail();
        let to = match to {
            Stray::Page(further) => Astray::Page(further),
            Stray::Block(further) if log_is_not_read => Astray::Block(further),
            Stray::Block(_) | Stray::Nowhere => Astray::Nowhere,
            Stray::Log if recovery.map_cache_parts.is_none() => {
                return self.bench.drive.lose_log_page(die % config.geometry.dies());
            }
            Stray::Log => return,
        };
        let in_parts = config.read_unit_bytes < config.geometry.page_bytes;
        let faults = if in_parts { FaultsOfPage::One } else { FaultsOfPage::Any };
        self.bench.drive.send_astray(die % config.geometry.dies(), to, faults);
        self.outcome.astray += 1;
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
            let (nsid, _) = self.namespaces.locate(extent.lba);
            let header = Header { cid: slot as u16, nsid, data };
            let (sent, expected) = self.prepare(slot, &command);
            let bad_pointer = slots::is_bad(&sent, extent.blocks, command.pointer);
            let entry = match command.act {
                Act::Malformed(how) => spoil(sent.emit(header), how, &self.namespaces),
                _ => placing::placed(sent.emit(header), slot, &self.board),
            };
            entries.push(entry);
            self.flights[slot] = Some(Flight { queue, extent, expected, bad_pointer });
        }
        self.bench.submit(usize::from(queue), &entries);
    }

    /// The blocks of a command, on this drive.
    fn extent(&self, command: &Command) -> Extent {
        let blocks = command.blocks.clamp(1, self.longest());
        let lba = command.lba.min(self.history.logical_blocks() - blocks);
        self.namespaces.clip(Extent { lba, blocks })
    }

    /// Blocks of a command at most.
    fn longest(&self) -> u64 {
        LONGEST.min(u64::from(self.board.firmware.max_transfer_bytes) / BLOCK)
    }

    /// What is sent for a command, its data in host memory.
    fn prepare(&mut self, slot: usize, command: &Command) -> (IoCommand, Expected) {
        let &Command { act, lba, blocks, fua, .. } = command;
        let extent = Extent { lba, blocks };
        let start = lba - self.namespaces.locate(lba).1;
        let range = BlockRange { start, blocks: blocks as u32 };
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
                slots::put_range(memory, slot, Extent { lba: start, blocks });
                let begun = self.history.begin_zeroes(extent);
                let purpose = DatasetUse::Deallocate;
                let command = IoCommand::DatasetManagement { ranges: 1, purpose };
                (command, Expected::Deallocation(begun))
            }
            Act::Verify => {
                let begun = self.history.begin_read();
                (IoCommand::Verify(range, access), Expected::Verified(begun))
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

    fn reset(&mut self) {
        self.reap();
        self.bench.restart();
        self.abandon_all(|_| true);
        self.abandon_format();
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

    /// The power goes away, perhaps again while the drive looks for its map, and comes back, so many hours later. A drive that
    /// loses a journal page while it saves its buffer cannot notice that: data of before may come back.
    fn cut_power(mut self, hours: u64, again_after_ps: &[u64]) -> Self {
        self.bench.let_chips_go(&self.board);
        self.reap();
        if !self.is_log_told() {
            self.is_over = true;
            return self;
        }
        self.count();
        let setup = (&self.board, payload(self.data));
        let log_lost = |bench: &Bench| bench.drive.log_pages_lost();
        let mut before = log_lost(&self.bench);
        let mut bench = self.bench.shelve(setup, hours);
        let mut is_journal_lost = log_lost(&bench) > before;
        for ps in again_after_ps {
            bench.enable();
            let due = bench.drive.now() + ps;
            bench.drive.run_to(due, |_| false);
            bench.let_chips_go(&self.board);
            before = log_lost(&bench);
            if before > self.log_lost.0 {
                break;
            }
            bench = bench.cut_power(setup);
            is_journal_lost |= log_lost(&bench) > before;
            self.outcome.cuts += 1;
        }
        self.bench = bench;
        self.log_lost.1 = 0;
        self.outcome.cuts += 1;
        self.flights.iter_mut().for_each(|flight| *flight = None);
        self.format = None;
        let hit = self.bench.drive.hit_by_strays();
        let units: BTreeSet<u64> = hit[self.hit..].iter().map(|lpn| u64::from(lpn.0)).collect();
        (self.hit, self.outcome.hit) = (hit.len(), self.outcome.hit + units.len() as u64);
        let unit = self.unit();
        self.history.lose_power(|lba| is_journal_lost || units.contains(&(lba / unit)));
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
        let all = self.history.logical_blocks();
        let mut lba = 0;
        while lba < all {
            let blocks = self.longest().min(all - lba);
            let extent = self.namespaces.clip(Extent { lba, blocks });
            lba += extent.blocks;
            let begun = self.history.begin_read();
            match self.read(extent) {
                Ok(()) => {
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

    /// Reads blocks of one namespace, or tells the status that says why not.
    fn read(&mut self, Extent { lba, blocks }: Extent) -> Result<(), Status> {
        let (nsid, first) = self.namespaces.locate(lba);
        let range = BlockRange { start: lba - first, blocks: blocks as u32 };
        let header = Header { nsid, ..self.bench.data(blocks as usize) };
        let command = IoCommand::Read(range, UnitAccess::Normal).emit(header);
        let status = self.bench.io(&[command])[0].1.status;
        status.is_success().then_some(()).ok_or(status)
    }
}

/// An entry that no drive of so many logical blocks may take, made of one that is sound.
fn spoil(entry: Entry, how: Malformation, namespaces: &Namespaces) -> Entry {
    let dword = entry.dword(0);
    match how {
        Malformation::Opcode => entry.with(0, dword & !0xff | 0x7f),
        Malformation::Namespace => entry.with(1, namespaces.count() + 1),
        Malformation::Range => entry.with(10, namespaces.all_blocks() as u32),
        Malformation::Overflow => entry.with(10, u32::MAX).with(11, u32::MAX),
        Malformation::Fused => entry.with(0, dword | 1 << 8),
        Malformation::Sgl => entry.with(0, dword | 1 << 14),
        Malformation::TooLong => entry.with(12, 0xffff),
    }
}
