//! What the chips hold, taken together: which blocks are whose, where write pointers stand, and which zones have a page in the log.

use alloc::vec;
use alloc::vec::Vec;
use contract::{Hardware, Lpn, Metadata};
use nvme::zones::ZoneState;

use super::blocks::{Split, Use};
use super::label::Label;
use super::log::{parse_sequence, Record};
use super::scan::{LogPage, Scan, ZoneBlock};
use super::shape::{state_of, InZone};
use super::verify::{Mixed, Verify};
use super::{ZoneData, Zones};
use crate::operations::{Ended, OpId, Owner, Page, Place};
use crate::placed::{Block, Placed, Ports};

impl Zones {
    /// Where a page is that a label is of: its zone, slot and row; none if a drive with these zones has no such page.
    fn spot(&self, label: &Label) -> Option<(u32, u32, u32)> {
        let InZone { zone, block } = self.shape.in_zone(Lpn(label.lpn));
        let is_there = zone < self.shape.zones() && block < self.shape.capacity();
        let (slot, row) = self.shape.slot_of(block / self.shape.units());
        (is_there && block % self.shape.units() == 0).then_some((zone, slot, row))
    }

    /// All blocks were looked at: each goes to its zone, or is to be erased.
    pub(super) fn all_looked_at(&mut self, ports: &mut Ports<'_, impl Hardware>, mut scan: Scan) {
        let floors = self.floors(&scan.log_pages);
        let is_above = |own: &LogPage| {
            parse_sequence(own.label.sequence)
                .is_some_and(|(serial, _)| serial >= floors[own.page.die as usize])
        };
        let all: Vec<LogPage> = scan.log_pages.clone();
        scan.log_pages.retain(is_above);
        self.note_numbers(ports, &scan);
        let newest = self.newest(&scan);
        let mut chains = vec![Vec::new(); (self.shape.zones() * self.shape.slots()) as usize];
        for own in &scan.zone_blocks {
            match self.spot(&own.first) {
                Some((zone, slot, row))
                    if self.shape.die(zone, slot) == own.die
                        && own.first.sequence == u64::from(newest[zone as usize]) =>
                {
                    chains[(zone * self.shape.slots() + slot) as usize].push((row, *own));
                }
                _ => scan.garbage.push((own.die, own.block)),
            }
        }
        let mut mixed = Vec::new();
        for zone in 0..self.shape.zones() {
            self.data[zone as usize].generation = newest[zone as usize];
            let first = (zone * self.shape.slots()) as usize;
            let own = &mut chains[first..first + self.shape.slots() as usize];
            mixed.extend(self.take_chains(&mut scan, zone, own));
        }
        self.take_log_blocks(&all);
        scan.verify = Some(Verify::new(mixed));
        self.scan = Some(scan);
    }

    /// From which number on pages of each way's log count.
    fn floors(&mut self, pages: &[LogPage]) -> Vec<u32> {
        let mut floors = vec![0; self.shape.dies() as usize];
        for LogPage { page, label } in pages {
            if let Some((_, 0)) = parse_sequence(label.sequence) {
                let floor = &mut floors[page.die as usize];
                *floor = label.lpn.max(*floor);
                self.log.found_floor(page.die, label.lpn);
            }
        }
        floors
    }

    /// Goes on to count where the drive stopped.
    fn note_numbers(&mut self, ports: &mut Ports<'_, impl Hardware>, scan: &Scan) {
        let of_zones = scan.zone_blocks.iter().flat_map(|own| [own.first, own.last]);
        let labels = of_zones.chain(scan.log_pages.iter().map(|own| own.label));
        let mut epoch = None;
        for label in labels {
            epoch = epoch.max(Some(label.epoch));
            let generation = match parse_sequence(label.sequence) {
                Some((serial, generation)) => {
                    self.log.found_serial(serial);
                    generation
                }
                None => label.sequence as u32,
            };
            self.generations = self.generations.max(generation);
        }
        ports.station.epoch = epoch.map_or(0, |epoch: u32| epoch + 1);
    }

    /// The generation of each zone's last data, or of the mark that says that they are gone.
    fn newest(&self, scan: &Scan) -> Vec<u32> {
        let mut newest = vec![0; self.shape.zones() as usize];
        let of_zones = scan.zone_blocks.iter().map(|own| (own.first, own.first.sequence as u32));
        let of_log = scan.log_pages.iter().filter_map(|own| {
            parse_sequence(own.label.sequence).map(|(_, generation)| (own.label, generation))
        });
        for (label, generation) in of_zones.chain(of_log.filter(|(_, generation)| *generation > 0))
        {
            if let Some((zone, ..)) = self.spot(&label) {
                newest[zone as usize] = generation.max(newest[zone as usize]);
            }
        }
        newest
    }

    /// Gives a zone its blocks. Where they follow each other without a gap, they are its slots; pages behind the first that is missing do
    /// not count. Returns the zone if its blocks are of several epochs.
    fn take_chains(
        &mut self,
        scan: &mut Scan,
        zone: u32,
        chains: &mut [Vec<(u32, ZoneBlock)>],
    ) -> Option<Mixed> {
        let (mut end, mut epochs) = (self.shape.pages(), None);
        let mut is_mixed = false;
        for (slot, chain) in (0..).zip(&mut *chains) {
            // Of two that begin with one row, the later one counts.
            chain.sort_by_key(|(row, own)| (*row, own.first.epoch));
            let mut rows = 0;
            let mut kept: Vec<(u32, ZoneBlock)> = Vec::new();
            for &(from, own) in chain.iter() {
                while kept.last().is_some_and(|(row, _)| *row == from) {
                    let (_, old) = kept.pop().expect("there is one");
                    scan.garbage.push((old.die, old.block));
                    rows = kept.last().map_or(0, |(row, own)| row + own.rows);
                }
                // What an earlier power loss cut off may still be there.
                let is_older = kept.last().is_some_and(|(_, old)| own.first.epoch < old.last.epoch);
                if from > rows || is_older {
                    scan.garbage.push((own.die, own.block));
                    continue;
                }
                rows = from + own.rows;
                kept.push((from, own));
            }
            for &(from, own) in &kept {
                for epoch in [own.first.epoch, own.last.epoch] {
                    is_mixed |= *epochs.get_or_insert(epoch) != epoch;
                }
                self.blocks.take_written(own.die, own.block, Use::Zone(zone));
                match from {
                    0 => self.blocks.assign(zone, slot, own.block),
                    from => self.blocks.split(Split { zone, slot, from, block: own.block }),
                }
            }
            end = end.min(rows * self.shape.slots() + slot);
            *chain = kept;
        }
        let data = &mut self.data[zone as usize];
        (data.stored, data.filled) = (end, end);
        // That of the page before the end, if there is one: what stands behind a first page that is missing says nothing.
        scan.epochs.push(epochs.filter(|_| end > 0).unwrap_or(0));
        for own in chains.iter().flatten() {
            scan.kept.push((zone, *own));
        }
        let window = self.placed.free.len() as u32 / self.shape.units() + 1 + self.shape.slots();
        is_mixed.then(|| Mixed { zone, from: end.saturating_sub(window), end })
    }

    /// Blocks that hold the log, the oldest of each way first.
    fn take_log_blocks(&mut self, pages: &[LogPage]) {
        let mut blocks: Vec<(u64, u32, u32)> = Vec::new();
        for LogPage { page, label } in pages {
            let (block, row) = self.shape.block_of(*page);
            if row == 0 {
                blocks.push((label.sequence, page.die, block));
            }
        }
        blocks.sort_unstable();
        for (_, die, block) in blocks {
            self.log.found(die, block, 0);
        }
    }

    /// How far each zone is written is known.
    pub(super) fn zones_found(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        mut scan: Scan,
        ends: &[(u32, u32, u32)],
    ) {
        for &(zone, end, epoch) in ends {
            let data = &mut self.data[zone as usize];
            (data.stored, data.filled) = (end, end);
            scan.epochs[zone as usize] = epoch;
        }
        let log_pages = core::mem::take(&mut scan.log_pages);
        let kept = core::mem::take(&mut scan.kept);
        let mut first = 0;
        for zone in 0..self.shape.zones() {
            let count = kept[first..].iter().take_while(|(own, _)| *own == zone).count();
            let own: Vec<(u32, ZoneBlock)> =
                kept[first..first + count].iter().map(|(_, own)| *own).collect();
            first += count;
            let epoch = scan.epochs[zone as usize];
            self.zone_found(zone, epoch, &own, &log_pages);
        }
        for (die, block) in core::mem::take(&mut scan.garbage) {
            self.blocks.doom(die, block, None);
        }
        self.log.is_held = self.blocks.any_doomed();
        self.take_short_sets_offline();
        for zone in 0..self.shape.zones() {
            if let [Some(record), _] = self.data[zone as usize].records {
                self.restore(ports, zone, record);
                scan.restoring += 1;
            }
        }
        if !self.log.is_held {
            (0..self.shape.dies()).for_each(|die| self.drop_log_blocks(die));
        }
        scan.verify = None;
        self.scan = (scan.restoring > 0).then_some(scan);
    }

    /// The state of a zone of whose blocks, by row, and of whose pages in the log all is known.
    fn zone_found(&mut self, zone: u32, epoch: u32, blocks: &[(u32, ZoneBlock)], log: &[LogPage]) {
        let (units, slots, capacity) =
            (self.shape.units(), self.shape.slots(), self.shape.capacity());
        let data = self.data[zone as usize];
        let end = data.stored;
        let is_last = |own: &ZoneBlock, row: u32| {
            self.spot(&own.last)
                .is_some_and(|(_, slot, own)| own * slots + slot + 1 == end && row <= own)
        };
        // Of blocks of a slot the last one counts: what stands in another one behind its first row was cut off.
        let short =
            blocks.iter().rev().find(|(row, own)| is_last(own, *row)).map(|(_, own)| own.last);
        let short = short.filter(|last| last.count < units || last.is_blank);
        let mut written = end * units;
        if let Some(last) = short {
            let kept = if last.is_blank { 0 } else { last.count };
            written = (end - 1) * units + kept;
        }
        let first = self.shape.start(zone) as u32 + end * units;
        let is_of = |own: &&LogPage| {
            let number = parse_sequence(own.label.sequence);
            number.is_some_and(|(_, g)| g == data.generation) && !own.label.is_blank
        };
        let start = self.shape.start(zone) as u32;
        let first_logged = log.iter().any(|own| is_of(&own) && own.label.lpn == start);
        let is_next = |own: &&LogPage| own.label.lpn == first && own.label.epoch >= epoch;
        let record = log.iter().filter(is_of).filter(is_next);
        let record = record.max_by_key(|own| own.label.sequence).filter(|_| short.is_none());
        let record = record.filter(|_| end < self.shape.pages()).map(|own| {
            written += own.label.count;
            let (block, _) = self.shape.block_of(own.page);
            let Page { die, row } = own.page;
            Record { die, block, row, page: end, end: written }
        });
        let state = match short {
            Some(_) => ZoneState::Full,
            None => state_of(written, capacity),
        };
        self.data[zone as usize] = ZoneData {
            generation: if written == 0 && short.is_none() { 0 } else { data.generation },
            planned: written,
            filled: end,
            stored: end,
            is_sealed: short.is_some(),
            first_logged,
            records: [record, None],
            wanted: 0,
            ..ZoneData::EMPTY
        };
        if let Some(record) = record {
            self.log.count(record.die, record.block, 1);
        }
        self.states.found(zone, state, written);
        if state != ZoneState::Full {
            self.leave_spoilt(zone, blocks);
        }
    }

    /// Where something stands behind the pages of a zone that count, the zone goes on in other blocks: flash takes a page once.
    fn leave_spoilt(&mut self, zone: u32, blocks: &[(u32, ZoneBlock)]) {
        let (slots, end) = (self.shape.slots(), self.data[zone as usize].stored);
        for slot in 0..slots {
            let die = self.shape.die(zone, slot);
            // Rows of the slot that count.
            let rows = (end + slots - 1 - slot) / slots;
            let own = blocks.iter().filter(|(_, own)| own.die == die);
            let next = own.clone().rfind(|(from, _)| *from <= rows);
            let is_spoilt = next.is_some_and(|(from, own)| {
                from + own.rows > rows || own.is_torn && from + own.rows == rows
            });
            let is_behind = own.clone().any(|(from, _)| *from > rows);
            if is_spoilt || is_behind {
                // Blocks of which nothing counts are erased, whatever else is in them.
                self.blocks.cut(zone, slot, rows);
            }
            if !is_spoilt || rows == 0 || rows == self.shape.rows() {
                continue;
            }
            match self.blocks.take(die, Use::Zone(zone)).filter(|_| self.blocks.can_split()) {
                Some(block) => self.blocks.split(Split { zone, slot, from: rows, block }),
                None => self.states.take_read_only(zone, self.data[zone as usize].planned),
            }
        }
    }

    /// Reads the last page of a zone from the log into the data buffer, where it goes on to be filled.
    fn restore(&mut self, ports: &mut Ports<'_, impl Hardware>, zone: u32, record: Record) {
        let units = self.shape.units();
        let held = self.held.add(zone, record.page);
        let first = self.shape.start(zone) as u32 + record.page * units;
        let count = record.end - record.page * units;
        let mut blocks = [None; Metadata::MOST_BLOCKS];
        for unit in 0..count {
            let entry =
                self.placed.free.pop().expect("the buffer has room for the last page of each zone");
            self.held.push(held, entry);
            blocks[unit as usize] = Some(Block { lpn: Lpn(first + unit), nth: 0, entry, id: None });
        }
        let mut list: Vec<Block> = blocks.into_iter().flatten().collect();
        let page = Page { die: record.die, row: record.row };
        let place_of = |lpn: Lpn| Some(Place { page, unit: (lpn.0 - first) as u8 });
        let id = self.placed.read(ports, (Owner::Drive, &mut list), place_of);
        self.held.of_mut(held).pending = 1;
        self.placed.begin(ports, id.expect("it has a block"));
    }

    /// The last page of a zone was read from the log, or could not be: then it is lost.
    pub(super) fn restored(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        id: OpId,
        ended: Ended,
    ) {
        let all = Placed::units(ports, id);
        let mut is_there = ended == Ended::Well;
        for own in all.iter().flatten() {
            is_there &= !own.lost;
        }
        let first = all[0].expect("a page is read");
        let (held, _) = self.held.by_entry(first.entry).expect("it is read to where it is held");
        let own = self.held.of_mut(held);
        own.pending = 0;
        own.arrived = ((1_u32 << own.count) - 1) as u16;
        let (zone, page) = (own.zone, own.page);
        if !is_there {
            self.placed.counters.unreadable_pages += 1;
            self.lose(zone, page);
        }
        self.go_on(ports, zone);
        if let Some(scan) = &mut self.scan {
            scan.restoring -= 1;
            if scan.restoring == 0 {
                self.scan = None;
            }
        }
    }
}
