//! Commands are accepted or refused by what the commands before them leave of their zones.

use contract::{CachePolicy, CommandTag, Completer};
use nvme::zones::{ZoneAction, ZoneState};

use super::states::Deed;
use super::Zones;
use crate::nvme::backend::{AppendIo, Durability, IoCommand, IoKind, IoOutcome};
use crate::placed::commands::{Blocks, Kind};

impl Zones {
    /// Takes in a command of the NVM command set.
    pub(super) fn accept(&mut self, command: IoCommand) -> Completer {
        let IoCommand { tag, kind, start, blocks, durability, .. } = command;
        let range = Blocks::range(start as u32, blocks);
        let (kind, accepted) = match kind {
            IoKind::Read => (Kind::Read, self.check_read(start, blocks).map(|()| range)),
            IoKind::Write => {
                let (zone, block) = self.shape.locate(start);
                let accepted = self.states.accept_write(zone, Some(block), blocks);
                (Kind::Write, accepted.map(|_| range))
            }
            IoKind::Flush => (Kind::Flush, Ok(Blocks::none())),
            IoKind::Deallocate | IoKind::Compare | IoKind::WriteZeroes | IoKind::Verify => {
                unreachable!("a drive with zones has no such command")
            }
        };
        self.enter(tag, kind, accepted, durability)
    }

    /// A command waits to be planned, or ends at once with the reason why not.
    fn enter(
        &mut self,
        tag: CommandTag,
        kind: Kind,
        accepted: Result<Blocks, IoOutcome>,
        durability: Durability,
    ) -> Completer {
        match accepted {
            Ok(blocks) => {
                let is_through = self.cache == CachePolicy::WriteThrough;
                self.is_durable[usize::from(tag.0)] =
                    durability == Durability::Durable || is_through;
                let completer = self.placed.completer_of(kind);
                self.placed.commands.submit(tag, (kind, blocks), completer);
                self.placed.commands.queue(tag);
                completer
            }
            Err(outcome) => {
                self.placed.commands.submit(tag, (kind, Blocks::none()), Completer::Firmware);
                self.placed.commands.fail(tag, outcome);
                self.placed.commands.end(tag);
                Completer::Firmware
            }
        }
    }

    /// A read begins and ends in one zone, as Identify does not say that it may do otherwise (OZCS, section 3.4 of the command set: Zone
    /// Boundary Error).
    fn check_read(&self, start: u64, blocks: u32) -> Result<(), IoOutcome> {
        let (zone, block) = self.shape.locate(start);
        if block + u64::from(blocks) > self.shape.size() {
            return Err(IoOutcome::ZoneBoundary);
        }
        self.states.check_read(zone)
    }

    /// Takes in Zone Append. Returns the first of its blocks; none if it is refused.
    pub(super) fn accept_append(&mut self, command: AppendIo) -> Option<u64> {
        let AppendIo { tag, start, blocks, durability } = command;
        let (zone, block) = self.shape.locate(start);
        let accepted = match block {
            0 => self.states.accept_write(zone, None, blocks),
            // Section 3.4.1: it names the first block of a zone.
            _ => Err(IoOutcome::Misaligned),
        };
        let first = accepted.map(|written| start + u64::from(written));
        let range = first.map(|first| Blocks::range(first as u32, blocks));
        self.enter(tag, Kind::Write, range, durability);
        first.ok()
    }

    /// Takes in an action on a zone, or on all zones.
    pub(super) fn accept_action(&mut self, tag: CommandTag, action: ZoneAction, zone: Option<u32>) {
        let zones = match zone {
            Some(zone) => Blocks::range(zone, 1),
            None => Blocks::range(0, self.shape.zones()),
        };
        let accepted = match zone {
            Some(zone) => self.states.accept(zone, action),
            None => self.states.accept_all(action).map(|()| match action {
                ZoneAction::Reset => Deed::Erase,
                ZoneAction::Finish => Deed::Seal,
                _ => Deed::None,
            }),
        };
        let (kind, blocks) = match accepted {
            Ok(Deed::Erase) => {
                let (first, count) = (zone.unwrap_or(0), zones.count);
                (first..first + count).for_each(|zone| self.note_reset(zone));
                (Kind::Reset, Ok(zones))
            }
            Ok(Deed::Seal) => (Kind::Finish, Ok(zones)),
            Ok(Deed::None) => (Kind::Flush, Err(IoOutcome::Success)),
            Err(outcome) => (Kind::Flush, Err(outcome)),
        };
        self.enter(tag, kind, blocks, Durability::Cached);
    }

    /// A reset of a zone was accepted. One of all zones is counted of each, whether it changes the zone or not.
    fn note_reset(&mut self, zone: u32) {
        self.data[zone as usize].resets[0] += 1;
    }

    /// Zones of sets in which a way has fewer usable blocks than zones are offline from the start, the last ones.
    pub(super) fn take_short_sets_offline(&mut self) {
        let shape = self.shape;
        let per_set = shape.zones() / shape.sets();
        for set in 0..shape.sets() {
            let dies = (0..shape.slots()).map(|slot| shape.die(set, slot));
            let fewest = dies.map(|die| self.usable(die)).min().unwrap_or(0);
            let short = (per_set + super::log::BLOCKS_A_WAY).saturating_sub(fewest);
            for nth in 0..short.min(per_set) {
                let zone = (per_set - 1 - nth) * shape.sets() + set;
                if self.states.of(zone).state == ZoneState::Empty {
                    self.states.take_offline(zone);
                }
            }
        }
    }

    /// Blocks of a way that are of use.
    fn usable(&self, die: u32) -> u32 {
        let per_way = self.shape.blocks_per_way();
        let all = die * per_way..(die + 1) * per_way;
        all.filter(|&block| self.blocks.erases_of(block).is_some()).count() as u32
    }
}
