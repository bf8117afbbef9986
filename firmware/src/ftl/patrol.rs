//! Data that nobody reads are read by the *patrol* while commands are under way, so that those whose bits go wrong are found: one page of one
//! superblock at a time, superblock after superblock, since all pages of a block have been there for about as long and are disturbed alike.
//!
//! Blocks in which a program failed are never collected. What they hold goes through the data buffer to where new data go.
//! Pages of the log are read by nobody before the power goes away: when it has been around, the patrol has all snapshots taken
//! anew, which makes all older pages of the log needless.

use contract::{BufferId, Configuration, Hardware, Instant, Lpn};

use super::blocks::Role;
use super::buffer::{Buffer, Freshness};
use super::collect::{next_valid, next_valid_in_failed};
use super::depend::Adder;
use super::program::Sake;
use super::translate::Translator;
use super::turn::SLICES_KEPT_AHEAD;
use super::{Ftl, Ports};
use crate::nvme::backend::IoKind;
use crate::operations::{Operation, Owner, Page, Place, Pool, Task};

/// Superblocks that a step of the patrol passes over at most: they hold no data.
const PASSED_OVER: u32 = 16;

/// Pages that the patrol reads for each snapshot that it has taken: a drive that holds little is around in no time.
const READS_A_SNAPSHOT: u64 = 8;

/// Reads what nobody else reads.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Patrol {
    /// From one page to the next; zero where there is no patrol.
    interval_ps: u64,
    next_at: Instant,
    /// The superblock whose turn it is: the same of all ways, then the next.
    superblock: u32,
    /// How many of its blocks had their turn after it, as they may have failed and hold data still; the superblock itself
    /// counts as the first.
    step: u32,
    /// Whether it has been around since the log was written anew, and pages that it has read since.
    is_around: bool,
    reads: u64,
    /// A block that failed and whose data are written anew: its way, itself, and the mapping unit to be looked at next.
    failed: Option<(u32, u32, u32)>,
}

impl Patrol {
    /// The patrol of a board.
    pub fn new(config: &Configuration) -> Self {
        let interval_ps = config.refresh.patrol_interval.as_ps();
        let next_at = Instant::from_ps(interval_ps);
        Patrol {
            interval_ps,
            next_at,
            superblock: 0,
            step: 0,
            is_around: false,
            reads: 0,
            failed: None,
        }
    }

    /// The way whose turn it is.
    fn die(&self, translator: &Translator) -> u32 {
        self.superblock % translator.geometry().dies()
    }

    /// The first data of the next superblock that has any, or of the next block that failed and has. None if that is of a
    /// way that is busy, or if there is none soon.
    fn next(
        &mut self,
        translator: &Translator,
        is_busy: impl Fn(u32) -> bool,
    ) -> Option<(Lpn, Place)> {
        let blocks = translator.blocks();
        let (dies, planes) = (translator.geometry().dies(), blocks.planes());
        let all = blocks.superblocks_per_way() * dies;
        for _ in 0..PASSED_OVER.min(all) * (planes + 1) {
            let (die, superblock) = (self.die(translator), self.superblock / dies);
            if is_busy(die) {
                break;
            }
            let step = self.step;
            self.step = (step + 1) % (planes + 1);
            if self.step == 0 {
                self.superblock = (self.superblock + 1) % all;
                self.is_around |= self.superblock == 0;
            }
            let found = match step.checked_sub(1) {
                None => {
                    let role = blocks.of(die, superblock).role;
                    let is_used = matches!(role, Role::Open | Role::Closed);
                    let holds_data = is_used && blocks.valid(die, superblock) > 0;
                    holds_data.then(|| next_valid(translator, die, (superblock, 0)))
                }
                Some(plane) => {
                    let block = superblock * planes + plane;
                    let failed = blocks.role(die, block) == Role::Failed;
                    let next = || next_valid_in_failed(translator, die, (block, 0));
                    failed.then(next).flatten()
                }
            };
            if let Some((lpn, place, _)) = found {
                return Some((lpn, place));
            }
        }
        None
    }
}

impl Ftl {
    /// Takes in what reads found, and goes on with what follows from it, and with the patrol. True when something was done.
    pub(super) fn keep_fresh(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        while let Some(page) = ports.station.met.next_weak() {
            self.note_weak(page);
        }
        let busy = self.empty_failed(ports);
        busy | self.read_for_patrol(ports)
    }

    /// A read of a page had to correct so many bits that what is beside it is to be written anew.
    fn note_weak(&mut self, page: Page) {
        let Page { die, row } = page;
        let block = self.geometry.block_of(row);
        if self.translator.blocks.role(die, block) == Role::Failed {
            self.patrol.failed.get_or_insert((die, block, 0));
        } else {
            self.translator.note_weak(page);
        }
    }

    /// Has the next data of the block that failed written anew. True when that was done.
    fn empty_failed(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some((die, block, first)) = self.patrol.failed else { return false };
        let room = ports.station.pool.free_count() >= SLICES_KEPT_AHEAD * self.slice_operations;
        let has_log = self.log.as_ref().is_none_or(|log| log.has_room() && log.is_ready());
        let room = room && self.has_room_for_changes();
        if self.read_only || !room || !has_log || !self.has_room_to_save(ports, IoKind::Write) {
            return false;
        }
        let next = next_valid_in_failed(&self.translator, die, (block, first));
        self.patrol.failed = next.map(|(_, _, behind)| (die, block, behind));
        match next {
            Some((lpn, place, _)) => self.write_anew(ports, lpn, place),
            None => self.translator.refresh.done += 1,
        }
        true
    }

    /// Has a mapping unit that is in flash written to another place, unless that is about to happen anyway, or it was found
    /// to be lost.
    pub(super) fn write_anew(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        lpn: Lpn,
        place: Place,
    ) {
        if let Some(entry) = self.bring_anew(ports, lpn, place) {
            self.program(ports, &[entry], Sake::Ahead);
        }
    }

    /// The same, but for the program: the entry is dirty, and to be programmed at once.
    pub(super) fn bring_anew(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        lpn: Lpn,
        place: Place,
    ) -> Option<BufferId> {
        let entry = match self.buffer.find(lpn) {
            Some(entry) if self.buffer.has_lost(entry) => return None,
            Some(entry) if self.buffer.freshness(entry) == Freshness::Dirty => return None,
            Some(entry) => {
                self.buffer.touch(entry);
                entry
            }
            None => {
                let entry = self.buffer.next_out();
                if self.buffer.freshness(entry) == Freshness::Dirty {
                    self.program(ports, &[entry], Sake::Ahead);
                }
                self.buffer.recycle(entry, lpn);
                entry
            }
        };
        let all = self.buffer.division().all();
        if !self.buffer.missing(entry, all).is_empty() {
            self.buffer.expect(entry, all);
            let part = ports.station.read_part(place.unit, ports.station.unit());
            let read = Operation::read(Owner::Drive, place, (entry, lpn, part));
            Adder { ports, buffer: &mut self.buffer, log: &mut self.log }.add(read);
        }
        self.translator.map.pin_at(lpn, self.translator.ppn(place));
        self.buffer.set_freshness(entry, Freshness::Dirty);
        Some(entry)
    }

    /// Reads the patrol's next page if its time has come. True when that was done.
    fn read_for_patrol(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        // A drive at rest would never come to rest: the patrol waits for a command to come.
        if self.patrol.interval_ps == 0 || self.commands.under_way() == 0 {
            return false;
        }
        let now = ports.hw.now();
        let room = ports.station.pool.free_count() >= SLICES_KEPT_AHEAD * self.slice_operations;
        if now < self.patrol.next_at || !room {
            return false;
        }
        let (buffer, pool) = (&self.buffer, &ports.station.pool);
        let is_busy = |die| is_read_for_patrol(buffer, pool, die);
        if is_busy(self.patrol.die(&self.translator)) {
            return false;
        }
        self.patrol.next_at = Instant::from_ps(now.as_ps() + self.patrol.interval_ps);
        let next = self.patrol.next(&self.translator, is_busy);
        let Some((lpn, place)) = next else { return false };
        self.patrol.reads += 1;
        if let Some(log) = &mut self.log {
            let enough = READS_A_SNAPSHOT * u64::from(log.parts.count);
            if self.patrol.is_around && self.patrol.reads >= enough {
                (self.patrol.is_around, self.patrol.reads) = (false, 0);
                log.renew();
            }
        }
        let entry = self.buffer.move_entry(place.page.die, 0);
        let part = ports.station.read_part(place.unit, ports.station.unit());
        let read = Operation::read(Owner::Drive, place, (entry, lpn, part));
        Adder { ports, buffer: &mut self.buffer, log: &mut self.log }.add(read);
        self.counters.patrol_reads += 1;
        true
    }
}

/// Whether the patrol's last read of a way is still to end. A way that takes longer for a page than the patrol's interval would
/// have ever more of them in its queue, in front of what the host waits for. Moves use the same entry; behind their reads
/// there is a program.
fn is_read_for_patrol(buffer: &Buffer, pool: &Pool, die: u32) -> bool {
    let last = buffer.tail(buffer.move_entry(die, 0));
    let task = last.and_then(|id| pool[id].on_flash()).map(|flash| flash.task);
    matches!(task, Some(Task::Read { .. }))
}
