//! A host in a storm: random commands of every kind, many at once on several queues, against a history that
//! knows every permitted value; with resets, deleted queues, switches of the write cache and power losses in
//! between.

use board::Board;
use firmware::ftl::precondition::Precondition;
use nvme::admin::{AdminCommand, Retention, SetFeatures};
use nvme::command::{DataPointer, Header};
use nvme::completion::CompletionEntry;
use nvme::dataset::Range;
use nvme::feature::{Setting, Switch};
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use nvme::status::Status;
use sim::{HostMemory, Payload, Polling, Stamp, Stopped};

use crate::history::{Ended, Extent, History, Moment, Power};
use crate::plain::{Bench, DATA};
use crate::torture::Draw;

/// Commands in flight at most.
const SLOTS: usize = 48;
/// Blocks of a command at most.
const LONGEST: u64 = 24;
const BLOCK: u64 = 4096;
/// Where the PRP list of each slot stands, 256 bytes each, so that none crosses a page.
const LISTS: u64 = 0x8_0000;
/// I/O queue pairs: entries of submission and completion queue. The third's completions wait for room.
const PAIRS: [(u32, u32); 3] = [(128, 128), (17, 17), (24, 3)];

/// What a command in flight does.
enum Act {
    Read(Moment),
    /// A write, zeroes or a deallocation.
    Change(Moment, Change),
    /// Whether the data given are those that the blocks hold, and since when.
    Compare(Moment, bool),
    Flush(Moment),
}

/// What is known of a change that has ended well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// It may have been left undone.
    Perhaps,
    /// It was done.
    Done,
    /// The same, and no power loss takes it back.
    Durable,
}

struct Flight {
    queue: u16,
    extent: Extent,
    act: Act,
}

/// A host that sends random commands, and knows what each block may read as.
pub struct Storm {
    pub bench: Bench,
    history: History,
    draw: Draw,
    flights: Vec<Option<Flight>>,
    cache: Switch,
    setup: (Board, Payload),
    /// Power losses so far.
    pub cuts: u32,
    /// Whether it resets the controller now and then.
    pub resets: bool,
    /// Commands that failed because their page is lost.
    pub lost: u32,
    /// Commands that ended well, and of these compares that found a difference.
    pub done: u32,
    pub differed: u32,
}

impl Storm {
    pub fn new(board: &Board, (seed, power): (u64, Power)) -> Self {
        let payload = Payload::Stamps { block_bytes: BLOCK as u32 };
        let mut bench = Bench::new(board, payload, Polling::Skip);
        let full = seed % 2 == 0;
        if full {
            bench.drive.precondition(Precondition::Sequential);
        }
        let blocks = u64::from(board.firmware.logical_pages) * 4;
        let initial = |lba| if full { Stamp::new(lba, 1) } else { Stamp::ZERO };
        let mut storm = Storm {
            bench,
            history: History::new(blocks, initial).with_power(power),
            draw: Draw(seed),
            flights: (0..SLOTS).map(|_| None).collect(),
            cache: Switch::On,
            setup: (board.clone(), payload),
            cuts: 0,
            resets: true,
            lost: 0,
            done: 0,
            differed: 0,
        };
        storm.start();
        storm
    }

    /// Brings the controller up, with all queue pairs.
    fn start(&mut self) {
        self.bench.start_once();
        for id in 2..=PAIRS.len() as u16 {
            self.bench.create_pair(id, PAIRS[usize::from(id) - 1]);
        }
        self.cache = Switch::On;
    }

    pub fn step(&mut self) {
        match self.draw.below(100) {
            0 if self.resets => self.reset(),
            1 => self.delete_queue(),
            2 => self.switch_cache(),
            _ => self.submit(),
        }
        match self.draw.below(8) {
            0 => drop(self.bench.drive.run(|_| false)),
            1..=4 => {
                let due = self.bench.drive.now() + self.draw.below(400_000_000);
                self.bench.drive.run_to(due, |_| false);
            }
            _ => {}
        }
        self.reap();
    }

    /// Sends some commands on one queue.
    fn submit(&mut self) {
        let queue = self.draw.below(PAIRS.len() as u64) as usize;
        let on_queue = |flight: &&Flight| usize::from(flight.queue) == queue + 1;
        let waiting = self.flights.iter().flatten().filter(on_queue).count();
        let room = PAIRS[queue].0 as usize - 1 - waiting;
        let most = if self.draw.below(4) == 0 { 24 } else { 4 };
        let wanted = 1 + self.draw.below(most) as usize;
        let free = (0..SLOTS).filter(|&slot| self.flights[slot].is_none());
        let slots: Vec<usize> = free.take(wanted.min(room)).collect();
        let mut commands = Vec::new();
        for slot in slots {
            let (command, extent, act) = self.command(slot);
            let data = self.pointer(slot, extent.blocks);
            commands.push(command.emit(Header { cid: slot as u16, nsid: 1, data }));
            self.flights[slot] = Some(Flight { queue: queue as u16 + 1, extent, act });
        }
        self.bench.submit(queue + 1, &commands);
    }

    /// A random command, its data in host memory.
    fn command(&mut self, slot: usize) -> (IoCommand, Extent, Act) {
        let blocks = self.history.len();
        // Mostly a hot part, so that commands meet and blocks with many invalid pages exist.
        let area = match self.draw.below(8) {
            0 => blocks,
            1..=4 => blocks / 4,
            _ => 64,
        };
        let longest = if self.draw.below(3) == 0 { LONGEST } else { 5 };
        let count = 1 + self.draw.below(longest);
        let extent = Extent { lba: self.draw.below(area - count), blocks: count };
        let range = BlockRange { start: extent.lba, blocks: count as u32 };
        let access = if self.draw.below(4) == 0 { UnitAccess::Forced } else { UnitAccess::Normal };
        let (command, act) = match self.draw.below(24) {
            0..=8 => {
                let (begun, stamps) = self.history.begin_write(extent);
                self.put(slot, &stamps);
                (IoCommand::Write(range, access), Act::Change(begun, self.change(access)))
            }
            9..=15 => {
                // What no block holds, so that data which never arrived are seen.
                self.put(slot, &vec![Stamp::from_bits(u64::MAX); count as usize]);
                (IoCommand::Read(range, access), Act::Read(self.history.begin_read()))
            }
            16..=17 => {
                let begun = self.history.begin_zeroes(extent);
                let act = Act::Change(begun, self.change(access));
                (IoCommand::WriteZeroes(range, access), act)
            }
            18..=19 => {
                self.put_range(slot, extent);
                let act = Act::Change(self.history.begin_zeroes(extent), Change::Perhaps);
                let purpose = DatasetUse::Deallocate;
                (IoCommand::DatasetManagement { ranges: 1, purpose }, act)
            }
            20 => (IoCommand::Flush, Act::Flush(self.history.begin_flush())),
            _ => return self.compare(slot, extent, access),
        };
        (command, extent, act)
    }

    /// A compare with what the blocks hold, half of them with a difference, mostly a late one. Where it
    /// is open what they hold, a flush.
    fn compare(
        &mut self,
        slot: usize,
        extent: Extent,
        access: UnitAccess,
    ) -> (IoCommand, Extent, Act) {
        let Some(mut stamps) = self.history.settled(extent) else {
            let begun = self.history.begin_flush();
            return (IoCommand::Flush, extent, Act::Flush(begun));
        };
        let equal = self.draw.below(2) == 0;
        if !equal {
            let first = if self.draw.below(3) == 0 { 0 } else { extent.blocks - 1 };
            let nth = first + self.draw.below(extent.blocks - first);
            stamps[nth as usize] = Stamp::new(extent.lba + nth + 1, 77);
        }
        self.put(slot, &stamps);
        let range = BlockRange { start: extent.lba, blocks: extent.blocks as u32 };
        let begun = self.history.begin_read();
        (IoCommand::Compare(range, access), extent, Act::Compare(begun, equal))
    }

    fn buffer(slot: usize) -> u64 {
        DATA + slot as u64 * LONGEST * BLOCK
    }

    fn put(&mut self, slot: usize, stamps: &[Stamp]) {
        let memory = &mut self.bench.drive.host_mut().memory;
        for (nth, stamp) in (0..).zip(stamps) {
            let at = Self::buffer(slot) + nth * BLOCK;
            assert!(memory.write(at, &stamp.to_bits().to_le_bytes()));
        }
    }

    fn get(&mut self, slot: usize, blocks: u64) -> Vec<Stamp> {
        let memory = &mut self.bench.drive.host_mut().memory;
        let stamp = |nth| {
            let mut bytes = [0; 8];
            assert!(memory.read(Self::buffer(slot) + nth * BLOCK, &mut bytes));
            Stamp::from_bits(u64::from_le_bytes(bytes))
        };
        (0..blocks).map(stamp).collect()
    }

    fn put_range(&mut self, slot: usize, extent: Extent) {
        let mut bytes = [0; Range::BYTES];
        Range { attributes: 0, blocks: extent.blocks as u32, start: extent.lba }.emit(&mut bytes);
        assert!(self.bench.drive.host_mut().memory.write(Self::buffer(slot), &bytes));
    }

    /// The data pointer of a slot, with a list where it takes more than two pages.
    fn pointer(&mut self, slot: usize, blocks: u64) -> DataPointer {
        let (prp1, list) = (Self::buffer(slot), LISTS + slot as u64 * 256);
        let memory = &mut self.bench.drive.host_mut().memory;
        for nth in 1..blocks {
            let page = (prp1 + nth * BLOCK).to_le_bytes();
            assert!(memory.write(list + (nth - 1) * 8, &page));
        }
        let prp2 = if blocks == 2 { prp1 + BLOCK } else { list };
        DataPointer { prp1, prp2 }
    }

    /// Takes what has completed.
    fn reap(&mut self) {
        while let Some((_, entry)) = self.bench.drive.host_mut().seen.pop_front() {
            self.completed(&entry);
        }
    }

    fn completed(&mut self, entry: &CompletionEntry) {
        let slot = usize::from(entry.cid);
        let flight = self.flights[slot].take().expect("a completion of a command in flight");
        assert_eq!(entry.submission_queue, flight.queue, "slot {slot}");
        if !entry.status.is_success() {
            let compared = matches!(flight.act, Act::Compare(..));
            if !(compared && entry.status.is(Status::COMPARE_FAILURE)) {
                let expected = [Status::UNRECOVERED_READ, Status::ABORTED_SQ_DELETION];
                assert!(expected.iter().any(|&one| entry.status.is(one)), "{}", entry.status);
                self.lost += u32::from(entry.status.is(Status::UNRECOVERED_READ));
                return self.abandon(flight);
            }
        }
        self.done += 1;
        let Flight { extent, act, .. } = flight;
        match act {
            Act::Read(begun) => {
                let found = self.get(slot, extent.blocks);
                if let Err(wrong) = self.history.end_read(extent, begun, &found) {
                    panic!("{wrong}");
                }
            }
            Act::Change(begun, change) => {
                let outcome = if change == Change::Perhaps { Ended::Perhaps } else { Ended::Well };
                self.history.end(extent, begun, outcome);
                if change == Change::Durable {
                    self.history.keep(extent, begun);
                }
            }
            Act::Compare(begun, equal) => {
                self.history.abandon_read(begun);
                let found = entry.status.is_success();
                let open = self.history.changed_since(extent, begun);
                assert!(open || found == equal, "compare of {extent:?}: {}", entry.status);
                self.differed += u32::from(!found);
            }
            Act::Flush(begun) => self.history.end_flush(begun),
        }
    }

    /// Nothing is known of a command's end but that it is over.
    fn abandon(&mut self, Flight { extent, act, .. }: Flight) {
        match act {
            Act::Read(begun) | Act::Compare(begun, _) => self.history.abandon_read(begun),
            Act::Change(begun, _) => self.history.end(extent, begun, Ended::Perhaps),
            Act::Flush(_) => {}
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

    /// What is known of a write of this access when it has ended well.
    fn change(&self, access: UnitAccess) -> Change {
        // Commands under way when the cache is switched may be taken in before or after.
        if access == UnitAccess::Forced {
            Change::Durable
        } else {
            Change::Done
        }
    }

    /// The power goes away, perhaps again while the drive looks for its map, and comes back.
    pub fn cut_power(mut self) -> Self {
        self.reap();
        let setup = &self.setup;
        let mut bench = self.bench.cut_power((&setup.0, setup.1));
        while self.draw.below(3) == 0 {
            bench.enable();
            let due = bench.drive.now() + self.draw.below(8_000_000_000);
            bench.drive.run_to(due, |_| false);
            bench = bench.cut_power((&setup.0, setup.1));
            self.cuts += 1;
        }
        self.bench = bench;
        self.cuts += 1;
        self.flights.iter_mut().for_each(|flight| *flight = None);
        self.history.lose_power();
        self.start();
        self
    }

    fn reset(&mut self) {
        self.reap();
        self.bench.restart();
        self.abandon_all(|_| true);
        self.start();
    }

    fn delete_queue(&mut self) {
        let id = 2 + self.draw.below(PAIRS.len() as u64 - 1) as u16;
        self.bench.delete_pair(id);
        self.reap();
        self.abandon_all(|flight| flight.queue == id);
        self.bench.create_pair(id, PAIRS[usize::from(id) - 1]);
    }

    fn switch_cache(&mut self) {
        self.cache = if self.cache == Switch::On { Switch::Off } else { Switch::On };
        let setting = Setting::VolatileWriteCache(self.cache);
        let set = SetFeatures { setting, retention: Retention::UntilReset };
        self.bench.admin(AdminCommand::SetFeatures(set), 0);
    }

    /// Waits for all, flushes, and reads the whole drive.
    pub fn finish(&mut self) {
        assert_eq!(self.bench.drive.run(|_| false), Stopped::Quiet);
        self.reap();
        assert!(self.flights.iter().all(Option::is_none), "a command never completed");
        self.bench.io(&[IoCommand::Flush.emit(Header { cid: 0, nsid: 1, ..Header::default() })]);
        assert_eq!(self.bench.drive.firmware().dirty_entries(), 0, "after a flush");
        for lba in (0..self.history.len()).step_by(LONGEST as usize) {
            let extent = Extent { lba, blocks: LONGEST.min(self.history.len() - lba) };
            let begun = self.history.begin_read();
            match self.bench.read(lba, extent.blocks as usize) {
                Ok(found) => {
                    if let Err(wrong) = self.history.end_read(extent, begun, &found) {
                        panic!("at the end: {wrong}");
                    }
                }
                Err(status) => {
                    assert!(status.is(Status::UNRECOVERED_READ), "{status}");
                    self.history.abandon_read(begun);
                    self.lost += 1;
                }
            }
        }
    }
}
