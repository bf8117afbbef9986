//! Namespaces, and the LBA formats that they have in common.

use contract::{CommandSet, Medium};

use super::Derivation;
use crate::BoardError;

impl Derivation<'_> {
    /// How many namespaces there are. Those of chunks, and those whose commands hardware runs, are alone.
    pub(super) fn namespaces(
        &self,
        medium: Medium,
        command_set: CommandSet,
        logical_pages: u32,
    ) -> Result<u32, BoardError> {
        let count = self.u32("namespace.count");
        let (most, reason) = match (medium, command_set) {
            _ if count == 1 => return Ok(1),
            (Medium::Memory, _) => (1, "storage.medium is memory"),
            (_, CommandSet::OpenChannel) => (1, "nvme.command_set is open-channel"),
            (_, CommandSet::Zoned) => (1, "nvme.command_set is zoned"),
            _ if count > logical_pages => (logical_pages, "the drive has no more pages"),
            _ => return Ok(count),
        };
        Err(self.contradiction("namespace.count", format!("at most {most}, as {reason}")))
    }

    /// The formats on offer, 0 after the last, and the place of the one in use.
    pub(super) fn block_formats(&self) -> Result<([u32; 4], u8), BoardError> {
        let mut formats = [0; 4];
        let listed = self.sheet.sizes("namespace.block_formats_bytes");
        formats[..listed.len()].copy_from_slice(listed);
        let block_bytes = self.u32("namespace.block_bytes");
        match listed.iter().position(|&size| size == block_bytes) {
            Some(index) => Ok((formats, index as u8)),
            None => {
                let expected = "one of namespace.block_formats_bytes".to_owned();
                Err(self.contradiction("namespace.block_bytes", expected))
            }
        }
    }
}
