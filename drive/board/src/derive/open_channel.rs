//! What boards of open-channel drives have to be like.

use contract::{BadBlocks, CommandSet, FlashTimes, Geometry, Medium, Metadata};

use super::Derivation;
use crate::board::Ecc;
use crate::flash::Flash;
use crate::BoardError;

/// How long the chips take, typically and at most.
pub(super) fn flash_times(flash: &Flash) -> FlashTimes {
    let die = flash.die_deviation;
    let read = flash.t_read[0].max(flash.t_read[1]);
    let program = flash.t_program[0].max(flash.t_program[1]);
    FlashTimes {
        read: [read, read + flash.read_deviation + die],
        program: [program, program + flash.program_deviation + die],
        erase: [flash.t_erase, flash.t_erase + flash.erase_deviation + die],
    }
}

impl Derivation<'_> {
    /// What the namespace is to the host. Chunks and zones are of flash, and no map is kept of them.
    pub(super) fn command_set(&self, medium: Medium) -> Result<CommandSet, BoardError> {
        let key = "nvme.command_set";
        let chosen =
            self.choice(key, [CommandSet::Block, CommandSet::OpenChannel, CommandSet::Zoned]);
        if chosen == CommandSet::Block {
            return Ok(chosen);
        }
        let bad_blocks = self.choice("ftl.bad_blocks", [BadBlocks::Table, BadBlocks::Scan]);
        let has_zones = self.sheet.leaf("zones.channels").is_stated();
        let contradicted = [
            (chosen == CommandSet::Zoned && !has_zones, "there is no section [zones]"),
            (medium == Medium::Memory, "storage.medium is memory"),
            (self.u64("recovery.log_entries") > 0, "recovery.log_entries is above 0"),
            (bad_blocks == BadBlocks::Scan, "ftl.bad_blocks is scan"),
        ];
        match contradicted.into_iter().find(|&(is_so, _)| is_so) {
            Some((_, why)) => Err(self.contradiction(key, format!("block, as {why}"))),
            None => Ok(chosen),
        }
    }

    /// The formats on offer: drives with chunks or zones have the one in use alone.
    pub(super) fn formats_of(&self, command_set: CommandSet) -> Result<([u32; 4], u8), BoardError> {
        let (formats, in_use) = self.block_formats()?;
        Ok(match command_set {
            CommandSet::Block => (formats, in_use),
            CommandSet::OpenChannel | CommandSet::Zoned => {
                ([formats[usize::from(in_use)], 0, 0, 0], 0)
            }
        })
    }

    /// Drives with chunks or zones place logical blocks, each in a buffer entry of its own.
    pub(super) fn block_unit(
        &self,
        geometry: &Geometry,
        (ecc, block): (&Ecc, u32),
    ) -> Result<u32, BoardError> {
        let kind = self.sheet.leaf("nvme.command_set").written.trim_matches('"');
        let stated = self.u32("ftl.mapping_unit_bytes");
        if stated != 0 && stated != block {
            let expected =
                format!("0, or namespace.block_bytes, {block}, as nvme.command_set is {kind}");
            return Err(self.contradiction("ftl.mapping_unit_bytes", expected));
        }
        let units = geometry.page_bytes / block;
        let fits = geometry.pages() * u64::from(units) < u64::from(u32::MAX);
        if units == 0 || units > Metadata::MOST_BLOCKS as u32 || !fits {
            let most = Metadata::MOST_BLOCKS;
            let expected = format!(
                "a size of which a page of {} bytes holds 1 to {most}, and the flash no more than 32 bits count, as nvme.command_set is {kind}",
                geometry.page_bytes
            );
            return Err(self.contradiction("namespace.block_bytes", expected));
        }
        let needed = Metadata::bytes(units as usize) as u32;
        if ecc.metadata_bytes < needed {
            let expected = format!("at least {needed}, for the {units} blocks of a page");
            return Err(self.contradiction("flash.metadata_bytes", expected));
        }
        Ok(block)
    }
}
