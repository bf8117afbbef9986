//! Drives that have no block left where a chip fails: what hosts are told of data that are lost, and what is kept of the others.

use std::collections::{BTreeMap, BTreeSet};

use board::Board;
use machine::Stamp;
use nvme::admin::{AdminCommand, EventAfterRead, GetLogPage, LogPage};
use nvme::command::Entry;
use nvme::io::UnitAccess;
use nvme::log::{notice, AsyncEvent};
use nvme::status::Status;
use nvme::zones::{parse_changed, Selected, ZoneAction, ZoneState};
use torture::zone_host::ZoneHost;

use crate::zoned::small;

/// Zones that are used.
const ZONES: u64 = 6;

/// A board whose programs fail until no block is left for them.
fn failing(changes: &[(&str, &str)]) -> Board {
    let failures = [
        ("errors.program_failures_per_billion", "250000000"),
        ("zones.open", "6"),
        ("zones.active", "6"),
    ];
    small(&[&failures, changes].concat())
}

/// Uses a drive, and knows which blocks it may still ask for.
struct User {
    host: ZoneHost,
    draw: u64,
    version: u32,
    /// Blocks whose write was acknowledged and that no flush told to be lost.
    kept: BTreeMap<u64, Stamp>,
    /// Those that were there behind a flush that succeeded.
    durable: BTreeMap<u64, Stamp>,
    /// Flushes and durable writes that told of a loss, and zones that are read only.
    told: [u32; 2],
    read_only: BTreeSet<u32>,
}

impl User {
    fn new(board: &Board, seed: u64) -> Self {
        let host = ZoneHost::new(board);
        let [kept, durable] = [BTreeMap::new(), BTreeMap::new()];
        let draw = random::mix(seed);
        User { host, draw, version: 0, kept, durable, told: [0; 2], read_only: BTreeSet::new() }
    }

    fn below(&mut self, end: u64) -> u64 {
        random::below(&mut self.draw, end)
    }

    /// Writes some blocks behind the pointer of a zone, or resets the zone where it is full.
    fn write(&mut self) {
        let zone = self.below(ZONES) as u32;
        let found = self.host.zone(zone);
        let refused = match found.state {
            ZoneState::ReadOnly => Status::ZONE_READ_ONLY,
            ZoneState::Offline => Status::ZONE_OFFLINE,
            ZoneState::Full => return self.reset(zone),
            _ => Status::SUCCESS,
        };
        let room = (found.start + found.capacity).saturating_sub(found.pointer).max(1);
        let blocks = (1 + self.below(12)).min(room);
        self.version += 1;
        let at = if refused == Status::SUCCESS { found.pointer } else { found.start };
        let stamps: Vec<Stamp> =
            (0..blocks).map(|nth| Stamp::new(at + nth, self.version)).collect();
        let access = match self.below(4) {
            0 => UnitAccess::Forced,
            _ => UnitAccess::Normal,
        };
        let entry = self.host.write_of(0, at, &stamps, access);
        let status = self.host.run(entry).status;
        if refused != Status::SUCCESS {
            self.read_only.insert(zone);
            assert!(status.is(refused), "zone {zone}: {status}");
        } else if status.is_success() {
            self.kept.extend((at..).zip(stamps));
        } else {
            // Of a loss in this zone a flush is to tell, too.
            assert!(
                status.is(Status::WRITE_FAULT) || status.is(Status::ZONE_READ_ONLY),
                "{status}"
            );
            self.told[1] += u32::from(access == UnitAccess::Forced);
        }
    }

    fn reset(&mut self, zone: u32) {
        let (start, size) = (self.host.start(zone), self.host.namespace.zone_blocks);
        if self.host.send(ZoneAction::Reset, zone).status.is_success() {
            self.kept.retain(|at, _| !(start..start + size).contains(at));
        }
        // A reset that fails may have begun.
        self.durable.retain(|at, _| !(start..start + size).contains(at));
    }

    /// Whether a block reads as it was written.
    fn is_there(&mut self, at: u64, stamp: Stamp) -> bool {
        let (ended, found) = self.host.read(at, 1);
        ended.status.is_success() && found == [stamp]
    }

    /// Flushes until one succeeds and everything is there that was acknowledged. Each loss is told by the next flush that ends behind it: when
    /// a flush succeeds, something may be lost since, and then the next one fails. What was durable stays, in its zone or in the log.
    fn flush(&mut self) {
        let mut is_owed = false;
        for _ in 0..40 {
            let status = self.host.flush().status;
            let all = self.kept.clone().into_iter();
            let lost: Vec<u64> =
                all.filter(|&(at, stamp)| !self.is_there(at, stamp)).map(|(at, _)| at).collect();
            let was_durable = |at: &&u64| self.durable.contains_key(at);
            if let Some(&at) = lost.iter().find(was_durable) {
                let zone = (at / self.host.namespace.zone_blocks) as u32;
                panic!("block {at}, which was durable, is lost: {:?}", self.host.zone(zone));
            }
            if status.is_success() {
                assert!(!is_owed, "no flush tells of blocks {lost:?}");
                if lost.is_empty() {
                    self.durable.clone_from(&self.kept);
                    return;
                }
            } else {
                assert!(status.is(Status::WRITE_FAULT), "{status}");
                self.told[0] += 1;
                self.kept.retain(|at, _| !lost.contains(at));
            }
            is_owed = status.is_success();
        }
        panic!("losses are told again and again");
    }

    fn check_all(&mut self) {
        for (at, stamp) in self.kept.clone() {
            assert!(self.is_there(at, stamp), "block {at} is lost behind a flush");
        }
    }
}

#[test]
fn a_flush_tells_of_each_loss_and_makes_the_rest_durable() {
    let boards: [&[(&str, &str)]; 3] = [
        &[],
        &[("channel.scheduler", "controller"), ("channel.execution", "out-of-order")],
        &[("zones.ways", "2"), ("ftl.buffer_kib", "512")],
    ];
    let (mut told, mut read_only, mut cuts) = ([0; 2], 0, 0);
    for (nth, changes) in (0..).zip(boards) {
        let board = failing(changes);
        for seed in 0..7 {
            let mut user = User::new(&board, 100 * nth + seed);
            for _ in 0..300 {
                if user.below(7) > 0 {
                    user.write();
                    continue;
                }
                user.flush();
                // Whatever the flush told: what it did not tell to be lost outlasts the power.
                if user.below(12) == 0 {
                    user.host = user.host.cut_power(&board);
                    user.check_all();
                    cuts += 1;
                }
            }
            told = [told[0] + user.told[0], told[1] + user.told[1]];
            read_only += user.read_only.len();
        }
    }
    println!("{told:?} flushes and durable writes told of losses, {read_only} zones, {cuts} cuts");
    assert!(told[0] > 20 && told[1] > 10 && read_only > 20 && cuts > 50);
}

/// Two resets of all zones that overlap leave alone what one of them does.
#[test]
fn a_zone_that_is_read_only_outlasts_resets_of_all_zones() {
    let board = failing(&[]);
    let mut seen = 0;
    for seed in 0..7 {
        let mut user = User::new(&board, 5000 + seed);
        for nth in 0..200 {
            user.write();
            if nth % 8 == 7 {
                user.flush();
            }
        }
        let resets = [0, 1].map(|slot| user.host.send_of(slot, ZoneAction::Reset, Selected::All));
        let ended = user.host.bench.io(&resets);
        assert!(ended.iter().all(|(_, entry)| entry.status.is_success()));
        for zone in 0..ZONES as u32 {
            let found = user.host.zone(zone);
            let of_zone: Vec<(u64, Stamp)> = user
                .kept
                .range(found.start..found.start + user.host.namespace.zone_blocks)
                .map(|(&at, &stamp)| (at, stamp))
                .collect();
            for &(at, stamp) in &of_zone {
                match found.state {
                    ZoneState::ReadOnly => assert!(user.is_there(at, stamp), "block {at}"),
                    _ => assert!(!user.is_there(at, stamp), "block {at} of {:?}", found.state),
                }
            }
            seen += u32::from(found.state == ZoneState::ReadOnly && !of_zone.is_empty());
        }
    }
    assert!(seen > 5, "{seen} zones were read only and held data");
}

/// Asks for notices.
fn choose_notices(host: &mut ZoneHost, notices: u32) -> Status {
    let header = host.admin_header(0);
    host.admin(Entry::new(0x09, header).with(10, 0x0b).with(11, notices)).status
}

/// The zones that the drive says to have changed.
fn changed(host: &mut ZoneHost, event: EventAfterRead) -> Vec<u64> {
    let log = GetLogPage { page: LogPage::ChangedZones, event, offset: 0, length: 4096 };
    let header = host.admin_header(1);
    assert_eq!(host.admin(AdminCommand::GetLogPage(log).emit(header)).status, Status::SUCCESS);
    parse_changed(&host.page()).expect("few have changed").collect()
}

/// The first blocks of zones that take no writes any more.
fn unwritable(host: &mut ZoneHost) -> BTreeSet<u64> {
    let zones: Vec<_> = (0..ZONES as u32).map(|zone| host.zone(zone)).collect();
    let lost = zones.iter().filter(|zone| zone.state == ZoneState::ReadOnly);
    lost.map(|zone| zone.start).collect()
}

/// Writes until one more zone takes no writes. Returns all that take none.
fn lose_a_zone(user: &mut User) -> BTreeSet<u64> {
    let before = unwritable(&mut user.host).len();
    for _ in 0..2000 {
        user.write();
        let lost = unwritable(&mut user.host);
        if lost.len() > before {
            return lost;
        }
    }
    panic!("no zone was lost");
}

#[test]
fn hosts_are_told_which_zones_the_drive_has_changed() {
    let board = failing(&[]);
    for seed in 0..4 {
        let mut user = User::new(&board, 9000 + seed);
        assert!(choose_notices(&mut user.host, notice::ZONE << 1).is(Status::INVALID_FIELD));
        assert_eq!(choose_notices(&mut user.host, notice::ZONE), Status::SUCCESS);
        let mut known = BTreeSet::new();
        for _ in 0..2 {
            assert!(changed(&mut user.host, EventAfterRead::Retained).is_empty());
            let unwritable = lose_a_zone(&mut user);
            let header = user.host.admin_header(0);
            let told = user.host.admin(AdminCommand::AsyncEventRequest.emit(header));
            assert_eq!(AsyncEvent::parse(told.result as u32), Some(AsyncEvent::ZoneChanged));
            let host = &mut user.host;
            let fresh: Vec<u64> = unwritable.difference(&known).copied().collect();
            assert_eq!(changed(host, EventAfterRead::Retained), fresh);
            assert_eq!(changed(host, EventAfterRead::Cleared), fresh);
            known = unwritable;
        }
    }
}

#[test]
fn a_host_that_asks_for_no_notices_finds_changed_zones_in_the_log() {
    let board = failing(&[]);
    let mut user = User::new(&board, 9100);
    let lost: Vec<u64> = lose_a_zone(&mut user).into_iter().collect();
    let header = user.host.admin_header(0);
    user.host.bench.submit(0, &[AdminCommand::AsyncEventRequest.emit(header)]);
    // Each of these commands finds no other one that has ended.
    assert_eq!(changed(&mut user.host, EventAfterRead::Retained), lost);
    assert_eq!(changed(&mut user.host, EventAfterRead::Cleared), lost);
    // What the host takes offline itself is no news.
    let zone = (lost[0] / user.host.namespace.zone_blocks) as u32;
    assert!(user.host.send(ZoneAction::Offline, zone).status.is_success());
    assert!(changed(&mut user.host, EventAfterRead::Retained).is_empty());
}
