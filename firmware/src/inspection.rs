//! What reports and tests may know of a drive's firmware.

use crate::ftl::translate::Translator;
use crate::ftl::{Counters, Ftl};
use crate::operations::Station;

/// A look into a firmware, whatever its scheduler.
#[derive(Clone, Copy, Debug)]
pub struct Inspection<'a> {
    pub(crate) ftl: &'a Ftl,
    pub(crate) station: &'a Station,
    pub(crate) unit_bytes: u32,
}

impl<'a> Inspection<'a> {
    /// Counters since power-on.
    pub fn counters(&self) -> Counters {
        let met = self.station.met;
        let (corrected_bits, read_retries) = (met.corrected_bits, met.read_retries);
        Counters { corrected_bits, read_retries, ..self.ftl.counters }
    }

    /// Bytes of a flash page.
    pub fn page_bytes(&self) -> u64 {
        u64::from(self.unit_bytes)
    }

    /// Bytes of a logical block in the format in use.
    pub fn block_bytes(&self) -> u32 {
        self.ftl.block_bytes()
    }

    /// Entries of the data buffer that are newer than flash.
    pub fn dirty_entries(&self) -> u32 {
        self.ftl.buffer.dirty()
    }

    /// Pages of host data that flash has still to take: dirty entries, and programs under way.
    pub fn pages_to_program(&self) -> u32 {
        self.ftl.pages_to_program()
    }

    /// The address translator's state, for reports and for tests that compare drives.
    pub fn translator(&self) -> &'a Translator {
        &self.ftl.translator
    }
}
