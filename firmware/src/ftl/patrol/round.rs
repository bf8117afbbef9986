//! What the patrol has done: reads, and data written anew of blocks that failed.

use contract::{BufferId, Hardware, Instant, Lpn};

use crate::ftl::blocks::Role;
use crate::ftl::buffer::{Buffer, Freshness};
use crate::ftl::collect::next_valid_in_failed;
use crate::ftl::depend::Adder;
use crate::ftl::program::Sake;
use crate::ftl::sizes::SLICES_KEPT_AHEAD;
use crate::ftl::{Ftl, Ports};
use crate::nvme::backend::IoKind;
use crate::operations::{Operation, Owner, Page, Place, Pool, Task};

/// Pages that the patrol reads for each snapshot that it has taken: a drive that holds little is around in no time.
const READS_A_SNAPSHOT: u64 = 8;

impl Ftl {
    /// Takes in what reads found, and goes on with what follows from it, and with the patrol. True when something was done.
    pub(in crate::ftl) fn keep_fresh(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
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
    pub(in crate::ftl) fn write_anew(
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
    pub(in crate::ftl) fn bring_anew(
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
