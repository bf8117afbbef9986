//! The commands that the host makes up: writes, appends, reads, flushes and actions, sound or not.

use machine::Stamp;
use nvme::io::UnitAccess;
use nvme::status::Status;
use nvme::zones::{Selected, ZoneAction, ZoneState};

use super::{Deed, Sent, User};
use crate::placed_host::SLOTS;

impl User {
    /// One of a few zones, so that they fill up and are reset; sometimes any.
    fn any_zone(&mut self) -> u32 {
        let all = u64::from(self.host.zones);
        let among = if self.draw.below(8) == 0 { all } else { all.min(7) };
        self.draw.below(among) as u32
    }

    fn free_slot(&self) -> u16 {
        (0..SLOTS).find(|slot| !self.sent.contains_key(slot)).expect("a slot is free")
    }

    /// Stamps of so many blocks of a zone from one on, each of which is written once.
    fn stamps(&mut self, start: u64, count: u64) -> Vec<Stamp> {
        self.version += 1;
        (0..count).map(|nth| Stamp::new(start + nth, self.version)).collect()
    }

    /// Sends a command.
    pub fn send(&mut self) {
        let slot = self.free_slot();
        match self.draw.below(16) {
            0..=6 => self.send_write(slot),
            7..=8 => self.send_append(slot),
            9..=11 => self.send_read(slot),
            12 => self.send_flush(slot),
            _ => self.send_action(slot),
        }
    }

    fn push(&mut self, slot: u16, sent: Sent) {
        self.refused += u32::from(!sent.expected.is_success());
        self.sent.insert(slot, sent);
    }

    /// Blocks of a write: mostly few, now and then as many as a zone still takes, or more.
    fn count(&mut self, left: u64) -> u64 {
        match self.draw.below(6) {
            0 => left.clamp(1, 32),
            1 => 1 + self.draw.below(32),
            _ => 1 + self.draw.below(7),
        }
    }

    fn send_write(&mut self, slot: u16) {
        let zone = self.any_zone();
        let (written, capacity) = (self.model.zone(zone).now().data.len(), self.model.capacity);
        let count = self.count((capacity - written) as u64);
        let block = match self.draw.below(20) {
            0 => self.draw.below(capacity as u64) as usize,
            // Where zones have no gap between them, the next block is another zone's.
            _ => written.min(self.host.namespace.zone_blocks as usize - 1),
        };
        let start = self.host.start(zone) + block as u64;
        let stamps = self.stamps(start, count);
        let forced = self.draw.below(12) == 0;
        let access = if forced { UnitAccess::Forced } else { UnitAccess::Normal };
        let entry = self.host.write_of(slot, start, &stamps, access);
        let size = self.host.namespace.zone_blocks;
        // A write may reach over several small zones.
        let is_out = start + count > size * u64::from(self.host.zones);
        let found = match is_out {
            true => Err(Status::LBA_OUT_OF_RANGE),
            false => self.model.write(zone, Some(block), &stamps),
        };
        let version = self.model.zone(zone).now().number;
        let end = block + stamps.len();
        let deed = Deed::Write { zone, version, end, forced };
        let what = format!("write of {count} blocks at {block} of zone {zone}");
        let expected = found.err().unwrap_or(Status::SUCCESS);
        self.host.submit(&[entry]);
        self.push(slot, Sent { what, deed, expected, result: 0 });
    }

    fn send_append(&mut self, slot: u16) {
        let zone = self.any_zone();
        let written = self.model.zone(zone).now().data.len();
        let count = self.count((self.model.capacity - written) as u64);
        let start = self.host.start(zone);
        let stamps = self.stamps(start + written as u64, count);
        let is_aside = self.draw.below(30) == 0;
        let at = start + u64::from(is_aside);
        let entry = self.host.append_of(slot, at, &stamps);
        let found = match is_aside {
            true => Err(Status::INVALID_FIELD),
            false => self.model.write(zone, None, &stamps),
        };
        let version = self.model.zone(zone).now().number;
        let end = written + stamps.len();
        let deed = Deed::Write { zone, version, end, forced: false };
        let what = format!("append of {count} blocks at {written} of zone {zone}");
        let expected = found.err().unwrap_or(Status::SUCCESS);
        self.host.submit(&[entry]);
        self.push(slot, Sent { what, deed, expected, result: start + written as u64 });
    }

    /// Reads anywhere in a zone, and now and then beyond it.
    fn send_read(&mut self, slot: u16) {
        let zone = self.any_zone();
        let size = self.host.namespace.zone_blocks;
        let written = self.model.zone(zone).now().data.len() as u64;
        let block = match self.draw.below(4) {
            0 => self.draw.below(size),
            _ => self.draw.below(written + 4).min(size - 1),
        };
        let count = 1 + self.draw.below(32);
        let entry = self.host.read_of(slot, self.host.start(zone) + block, count as u32);
        let is_beyond = block + count > size;
        let is_last = is_beyond && zone + 1 == self.host.zones;
        let expected = match (is_last, is_beyond) {
            (true, _) => Status::LBA_OUT_OF_RANGE,
            (_, true) => Status::ZONE_BOUNDARY,
            _ => Status::SUCCESS,
        };
        let now = self.model.zone(zone).now();
        let end = now.end() as u64;
        let may_give = |nth: u64| {
            let stamp = now.data.get(nth as usize).copied().unwrap_or(Stamp::ZERO);
            // What is on its way may be there or not, as of any write that was not acknowledged.
            let is_sure = self.is_acknowledged(zone, nth) || nth >= end.max(written);
            [stamp, if is_sure { stamp } else { Stamp::ZERO }]
        };
        let blocks = (block..block + count).map(may_give).collect();
        let what = format!("read of {count} blocks at {block} of zone {zone}");
        self.host.submit(&[entry]);
        self.push(slot, Sent { what, deed: Deed::Read { blocks }, expected, result: 0 });
    }

    /// Whether no write under way is of a block.
    fn is_acknowledged(&self, zone: u32, block: u64) -> bool {
        let number = self.model.zone(zone).now().number;
        !self.sent.values().any(|sent| match sent.deed {
            Deed::Write { zone: own, version, end, .. } => {
                (own, version) == (zone, number) && block < end as u64 && sent.expected.is_success()
            }
            _ => false,
        })
    }

    fn send_flush(&mut self, slot: u16) {
        let zones = self.model.zones();
        let known = zones.map(|(nth, zone)| (nth, zone.now().number, zone.now().end()));
        let deed = Deed::Flush(known.filter(|(.., end)| *end > 0).collect());
        let entry = self.host.flush_of(slot);
        self.host.submit(&[entry]);
        self.push(
            slot,
            Sent { what: "flush".to_owned(), deed, expected: Status::SUCCESS, result: 0 },
        );
    }

    fn send_action(&mut self, slot: u16) {
        let action = match self.draw.below(12) {
            0..=2 => ZoneAction::Open,
            3..=4 => ZoneAction::Close,
            5..=6 => ZoneAction::Finish,
            11 => ZoneAction::Offline,
            _ => ZoneAction::Reset,
        };
        if self.draw.below(40) == 0 {
            return match action {
                ZoneAction::Open => self.open_all(slot),
                _ => self.send_to_all(slot, action),
            };
        }
        let zone = self.any_zone();
        let entry = self.host.send_of(slot, action, Selected::One(self.host.start(zone)));
        let found = self.model.act(zone, action);
        let version = self.model.zone(zone).now().number;
        let deed = match (action, &found) {
            (ZoneAction::Reset, Ok(())) => Deed::Reset(vec![(zone, version)]),
            (ZoneAction::Finish, Ok(())) => Deed::Finish(vec![(zone, version)]),
            _ => Deed::Other,
        };
        let what = format!("{action:?} of zone {zone}");
        let expected = found.err().unwrap_or(Status::SUCCESS);
        self.host.submit(&[entry]);
        self.push(slot, Sent { what, deed, expected, result: 0 });
    }

    /// Opens all zones that are closed, or none if there is not room for all of them.
    fn open_all(&mut self, slot: u16) {
        let entry = self.host.send_of(slot, ZoneAction::Open, Selected::All);
        let expected = self.model.open_all().err().unwrap_or(Status::SUCCESS);
        self.host.submit(&[entry]);
        let what = "Open of all zones".to_owned();
        self.push(slot, Sent { what, deed: Deed::Other, expected, result: 0 });
    }

    /// Another action on all zones that it is for.
    fn send_to_all(&mut self, slot: u16, action: ZoneAction) {
        let is_meant = |state: ZoneState| match action {
            ZoneAction::Close => state.is_open(),
            ZoneAction::Finish => state.is_active(),
            ZoneAction::Reset => state.is_active() || state == ZoneState::Full,
            _ => false,
        };
        let meant: Vec<u32> =
            self.model.zones().filter(|(_, own)| is_meant(own.state)).map(|(nth, _)| nth).collect();
        let entry = self.host.send_of(slot, action, Selected::All);
        let mut zones = Vec::new();
        for zone in meant {
            self.model.act(zone, action).expect("it is in such a state");
            zones.push((zone, self.model.zone(zone).now().number));
        }
        let deed = match action {
            ZoneAction::Reset => Deed::Reset(zones),
            ZoneAction::Finish => Deed::Finish(zones),
            _ => Deed::Other,
        };
        let what = format!("{action:?} of all zones");
        self.host.submit(&[entry]);
        self.push(slot, Sent { what, deed, expected: Status::SUCCESS, result: 0 });
    }
}
