//! Pages of the log that flash should hold and does not: a chip lost them and reported success, or nothing of them can be read.
//!
//! Each journal page tells where the journal page before it is. One that is told of and was not found is missed. What it
//! recorded is not known, so each part of the map whose newest snapshot is older counts as lost, but for what records tell
//! that are younger than all of the missed page. Where it may have told of superblocks or blocks that no snapshot of the block
//! table tells of, no part of the map is known.
//!
//! A part of which there is no snapshot once the log has gone round counts as lost as well. The last journal page of the log is not
//! missed: no page tells of it.

use alloc::vec::Vec;

use super::page::{Link, Time};
use super::record::Record;
use super::recover::Recover;
use crate::ftl::map::Map;
use crate::ftl::translate::Translator;
use crate::planted::{is_planted, Bug};

impl Recover {
    /// A journal page was found at a position.
    pub(super) fn note_link(&mut self, position: u64, time: Time) {
        let Time { sequence, position: before, .. } = time;
        self.links.push(Link { position, before, sequence });
    }

    /// Those behind which one is missed.
    fn behind_missed(&self) -> Vec<Link> {
        let mut found: Vec<u64> = self.links.iter().map(|link| link.position + 1).collect();
        found.sort_unstable();
        let is_behind =
            |link: &&Link| link.before > 0 && found.binary_search(&link.before).is_err();
        self.links.iter().filter(is_behind).copied().collect()
    }

    /// Gives up the parts of the map that are not known because pages of the log are missed: tells which they are. What is known
    /// of them is younger than these pages.
    pub(super) fn give_up_doubted(&mut self, map: &mut Map) -> Vec<bool> {
        let behind = self.behind_missed();
        let of_map = self.parts.of_map as usize;
        // No stripe is erased before there is a snapshot of each part.
        let went_round = !self.stripes.is_empty() && self.bases[0] != 1;
        let since = |part: usize| {
            let (known, Time { sequence, position, .. }) = self.newest[part];
            if known == 0 && went_round {
                return Some(u64::MAX);
            }
            let is_needed = |link: &&Link| link.before > position && link.sequence > sequence;
            let needed = behind.iter().filter(is_needed);
            needed.map(|link| link.sequence).max().filter(|_| !is_planted(Bug::MissedLogIgnored))
        };
        let of_blocks = (of_map..self.newest.len()).any(|part| since(part).is_some());
        let known: Vec<Option<u64>> =
            (0..of_map).map(|part| if of_blocks { Some(u64::MAX) } else { since(part) }).collect();
        self.highest = behind.iter().map(|link| link.sequence).fold(self.highest, u64::max);
        for (part, known) in known.iter().enumerate() {
            let &Some(sequence) = known else { continue };
            self.newest[part].1.sequence = sequence;
            let first = part as u32 * self.parts.map_entries;
            for lpn in first..map.pages().min(first + self.parts.map_entries) {
                map.restore_lost(lpn);
            }
        }
        known.iter().map(Option::is_some).collect()
    }

    /// Pages of open superblocks that hold data, as the map says, were programmed, whether anything is there or not: they
    /// are not programmed once more.
    pub(super) fn note_claimed(&mut self, translator: &Translator) {
        let open: Vec<(u32, u32)> =
            self.open.iter().map(|open| (open.die, open.superblock)).collect();
        for (open, used) in self.open.iter_mut().zip(translator.claimed(&open)) {
            open.used = open.used.max(used);
        }
    }

    /// When the place of a logical page is known from: its last record, of these, or else the snapshot of its part.
    pub(super) fn known_at(&self, lpn: u32, records: &[Record]) -> (u64, bool) {
        let of_page =
            |record: &&Record| matches!(record, Record::Placed { lpn: own, .. } if *own == lpn);
        match records.iter().rev().find(of_page) {
            Some(record) => (record.sequence(), true),
            None => (self.newest[self.parts.of_page(lpn) as usize].1.sequence, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::Lpn;

    use super::super::recover::tests::drive;
    use super::*;

    /// When and where the snapshots of two parts of the map were taken, and all of the block table.
    type Snapshots = ([(u64, u64); 2], (u64, u64));

    /// What a drive of two parts of the map and more of the block table gives up: the first logical pages of both parts, placed
    /// by records of these sequence numbers. Snapshots have a sequence number and a position each.
    fn given_up(links: &[Link], snapshots: Snapshots, placed: [u64; 2]) -> [bool; 2] {
        let (map, blocks) = snapshots;
        let (config, mut recover, mut translator) = drive();
        let time = |(sequence, position)| Time { sequence, block_bytes: 512, position };
        recover.newest.iter_mut().for_each(|newest| *newest = (1, time(blocks)));
        (0..2).for_each(|part| recover.newest[part] = (1, time(map[part])));
        for link in links {
            let Link { position, before, sequence } = *link;
            recover.note_link(position, Time { sequence, block_bytes: 512, position: before });
        }
        let entries = recover.parts.map_entries;
        translator.map.restore_at(0, 7);
        translator.map.restore_at(entries, 8);
        let doubted = recover.give_up_doubted(&mut translator.map);
        let is_lost = [0, entries].map(|lpn| translator.map.is_lost(Lpn(lpn)));
        assert_eq!([doubted[0], doubted[1]], is_lost);
        for (lpn, sequence) in [0, entries].into_iter().zip(placed) {
            let record = Record::Placed { lpn, ppn: 9, sequence };
            if recover.is_needed(&record, &config.geometry) {
                recover.apply(&record, &mut translator);
            }
        }
        [0, entries].map(|lpn| translator.map.is_lost(Lpn(lpn)))
    }

    fn link(position: u64, before: u64, sequence: u64) -> Link {
        Link { position, before, sequence }
    }

    /// Journal pages at 3, 6 and 9, made when 30, 60 and 90 were to come.
    fn all() -> [Link; 3] {
        [link(3, 0, 30), link(6, 4, 60), link(9, 7, 90)]
    }

    const OLD: (u64, u64) = (10, 1);
    const NEW: (u64, u64) = (85, 8);

    #[test]
    fn parts_whose_snapshots_are_older_than_a_page_that_is_missed_are_lost() {
        let [first, second, third] = all();
        let none = [0, 0];
        for found in [&[first, second, third][..], &[first, second], &[first], &[]] {
            assert_eq!(given_up(found, ([OLD, OLD], OLD), none), [false, false], "{found:?}");
        }
        let missed = [first, third];
        assert_eq!(given_up(&missed, ([OLD, NEW], NEW), none), [true, false]);
        assert_eq!(given_up(&missed, ([NEW, OLD], NEW), none), [false, true]);
        assert_eq!(given_up(&missed, ([NEW, NEW], NEW), none), [false, false]);
        // Of a snapshot that was taken behind the page, or when all that the page tells was known, nothing is missed.
        assert_eq!(given_up(&missed, ([(10, 6), (10, 7)], NEW), none), [true, false]);
        assert_eq!(given_up(&missed, ([(89, 1), (90, 1)], NEW), none), [true, false]);
        // In whatever order they are read, and where the first of all is missed.
        assert_eq!(given_up(&[third, first], ([OLD, NEW], NEW), none), [true, false]);
        assert_eq!(given_up(&[second, third], ([(0, 0), NEW], NEW), none), [true, false]);
    }

    #[test]
    fn what_is_younger_than_the_page_that_is_missed_is_known() {
        let missed = [all()[0], all()[2]];
        assert_eq!(given_up(&missed, ([OLD, OLD], NEW), [89, 90]), [true, false]);
    }

    /// A superblock that the page told of may hold what is younger than any record.
    #[test]
    fn nothing_is_known_where_the_block_table_is_not() {
        let missed = [all()[0], all()[2]];
        assert_eq!(given_up(&missed, ([NEW, NEW], OLD), [100, 100]), [true, true]);
        assert_eq!(given_up(&all(), ([NEW, NEW], OLD), [100, 100]), [false, false]);
    }

    #[test]
    fn a_part_without_a_snapshot_is_lost_once_the_log_has_gone_round() {
        for (stripes, base, is_lost) in [(0, 0, false), (1, 1, false), (1, 129, true), (2, 0, true)]
        {
            let (_, mut recover, mut translator) = drive();
            recover.newest.iter_mut().for_each(|newest| newest.0 = 1);
            recover.newest[1].0 = 0;
            recover.stripes = (0..stripes).collect();
            recover.bases[0] = base;
            let doubted = recover.give_up_doubted(&mut translator.map);
            assert!(!doubted[0] && doubted[1] == is_lost, "{stripes} {base}: {doubted:?}");
        }
    }

    #[test]
    fn the_next_sequence_number_is_one_of_a_page_that_is_missed_too() {
        let (_, mut recover, mut translator) = drive();
        let links: Vec<Link> = all().into_iter().filter(|link| link.position != 6).collect();
        recover.links = links;
        recover.give_up_doubted(&mut translator.map);
        assert_eq!(recover.highest, 90);
    }

    #[test]
    fn a_record_tells_more_of_a_place_than_the_snapshot_before_it() {
        let (_, mut recover, _) = drive();
        recover.newest[0] = (1, Time { sequence: 40, ..Time::default() });
        let records = [
            Record::Placed { lpn: 3, ppn: 1, sequence: 40 },
            Record::Placed { lpn: 3, ppn: 2, sequence: 50 },
            Record::Placed { lpn: 4, ppn: 2, sequence: 40 },
        ];
        let known = [3, 4, 5].map(|lpn| recover.known_at(lpn, &records));
        assert_eq!(known, [(50, true), (40, true), (40, false)]);
        assert!(known[2] < known[1] && known[1] < known[0]);
    }
}
