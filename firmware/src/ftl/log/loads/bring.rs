//! How parts of the map come to memory, and the log's own part in it.

use contract::{BufferId, Hardware, PageKind, Work};

use crate::ftl::log::{page, Log, Tables};
use crate::ftl::map::Map;
use crate::ftl::Ports;
use crate::operations::{Ended, Operation, Owner, Task};
use crate::planted::{is_planted, Bug};

impl Log {
    /// Has a part brought to memory, if it is not there and an entry and a slot can be had. True when that was begun.
    pub(in crate::ftl) fn want(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        map: &mut Map,
        part: u32,
    ) -> bool {
        let Some(nth) = self.loads.parts.iter().position(Option::is_none) else { return false };
        if !map.paged().is_some_and(|paged| paged.claim(part)) {
            return false;
        }
        let is_void = map.paged().is_some_and(|paged| paged.is_void(part));
        let Some(position) = self.snapshots.newest(part).filter(|_| !is_void) else {
            ports.hw.work_times(Work::Touch, self.geometry.page_bytes.div_ceil(4096));
            map.arrive(part, Some(core::iter::empty()));
            return true;
        };
        let entry = BufferId(self.loads.first_entry + nth as u32);
        self.loads.parts[nth] = Some(part);
        ports.hw.work(Work::Translate);
        let task = Task::Probe { entry, retries: 0 };
        let op = Operation::flash(Owner::Drive, self.area.page(position), task);
        ports.station.reserve_log(ports.hw, op);
        true
    }

    /// A part was read, or cannot be.
    pub(in crate::ftl) fn loaded(
        &mut self,
        hw: &mut impl Hardware,
        map: &mut Map,
        (entry, ended): (BufferId, Ended),
    ) {
        let nth = (entry.0 - self.loads.first_entry) as usize;
        let part = self.loads.parts[nth].take().expect("an entry that a part was read to");
        self.counters.parts_read += 1;
        hw.work_times(Work::Touch, self.geometry.page_bytes.div_ceil(4096));
        let is_it = hw.metadata(entry).is_some_and(|metadata| {
            let lpn = metadata.lpns.iter().next().map(|(lpn, _)| lpn.0);
            let newest = Some(metadata.sequence) == self.snapshots.newest(part);
            metadata.kind == PageKind::Snapshot && lpn == Some(part) && newest
        });
        let whole =
            (ended == Ended::Well && is_it).then(|| page::map(hw.log_page(entry))).flatten();
        map.arrive(part, whole.map(|(codes, _)| codes));
    }

    /// A map that is not to be in memory as a whole is there after recovery: when flash holds what it has changed, only
    /// parts are kept. True when that was done.
    pub(in crate::ftl::log) fn settle(&mut self, tables: &mut Tables<'_>) -> bool {
        let is_settled = self.settles && self.snapshots.is_idle();
        if let (true, Some(cache)) = (is_settled, self.cache) {
            self.settles = false;
            let map = &mut *tables.map;
            let is_void = |part| self.parts.is_void(map, part);
            let void = (0..self.parts.of_map).map(is_void).collect();
            map.page_out((cache, self.parts.map_entries), void);
        }
        is_settled
    }

    /// Recovery is over: parts that are not as their newest snapshots say are to be written before the rest of the map
    /// leaves memory.
    pub(in crate::ftl::log) fn begin_to_settle(&mut self, map: &Map, changed: &[bool]) {
        if self.cache.is_none() {
            return;
        }
        self.settles = true;
        for part in 0..self.parts.of_map {
            let is_new = self.snapshots.newest(part).is_none();
            let skipped = is_planted(Bug::RecordsOfPartsForgotten);
            if (is_new || changed[part as usize] && !skipped) && !self.parts.is_void(map, part) {
                self.snapshots.force(part);
            }
        }
    }
}
