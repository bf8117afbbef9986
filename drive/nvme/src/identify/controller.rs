//! Identify Controller (NVMe 1.4 section 5.15.2.2, figure 247).

use crate::layout::{layout, Field};

/// Bits of OACS: admin commands that are optional.
pub mod admin_capability {
    /// Format NVM.
    pub const FORMAT: u16 = 1 << 1;
    /// Doorbell Buffer Config.
    pub const DOORBELL_BUFFERS: u16 = 1 << 8;
}

/// Bits of ONCS: NVM commands that are optional.
pub mod io_capability {
    /// Bit 0: the command Compare.
    pub const COMPARE: u16 = 1 << 0;
    /// Bit 2: the command Dataset Management.
    pub const DATASET_MANAGEMENT: u16 = 1 << 2;
    /// Bit 3: the command Write Zeroes.
    pub const WRITE_ZEROES: u16 = 1 << 3;
    /// Bit 7: the command Verify.
    pub const VERIFY: u16 = 1 << 7;
    /// The Save and Select fields of Set and Get Features.
    pub const SAVE_AND_SELECT: u16 = 1 << 4;
}

/// Bits of LPA: log page attributes.
pub mod log_attribute {
    /// There is the log of commands and their effects.
    pub const COMMAND_EFFECTS: u8 = 1 << 1;
    /// The upper half of the length and the offset of Get Log Page are used.
    pub const EXTENDED_DATA: u8 = 1 << 2;
}

/// Bits of CTRATT: what a controller is about.
pub mod controller_attribute {
    /// There are endurance groups.
    pub const ENDURANCE_GROUPS: u32 = 1 << 4;
    /// The host places its data (FDPS, TP4146).
    pub const DATA_PLACEMENT: u32 = 1 << 19;
}

/// Bits of FNA: what Format NVM is about.
pub mod format_attribute {
    /// Any namespace's format is that of all of them.
    pub const ALL_FORMATTED: u8 = 1 << 0;
    /// A secure erase of a namespace erases all of them.
    pub const ALL_ERASED: u8 = 1 << 1;
}

/// Bits of VWC: the volatile write cache.
pub mod cache {
    /// There is one.
    pub const PRESENT: u8 = 1 << 0;
    /// Flush may name all namespaces at once.
    pub const FLUSH_ALL_SUPPORTED: u8 = 3 << 1;
}

/// Start of a subsystem's qualified name that is made from a UUID (NVMe 1.4 section 7.9).
pub const NQN_PREFIX: &str = "nqn.2014-08.org.nvmexpress:uuid:";

layout! {
    /// A power state descriptor (NVMe 1.4 section 5.15.2.2), as far as it is used here.
    PowerState [32] {
        /// Most power drawn, in 10 mW.
        max_power: u16 = 0,
        /// Entry latency in microseconds.
        entry_latency_us: u32 = 4,
        /// Exit latency in microseconds.
        exit_latency_us: u32 = 8,
    }
}

impl Field for PowerState {
    const BYTES: usize = PowerState::BYTES;
    fn put(&self, bytes: &mut [u8]) {
        let mut own = [0; PowerState::BYTES];
        self.emit(&mut own);
        own.put(bytes);
    }
    fn get(bytes: &[u8]) -> Self {
        PowerState::parse(&Field::get(bytes))
    }
}

layout! {
    /// The Identify Controller data structure. Fields that are not named here are zero.
    Controller [4096] {
        /// VID: PCI vendor.
        vendor: u16 = 0,
        /// SSVID: PCI subsystem vendor.
        subsystem_vendor: u16 = 2,
        /// SN: serial number.
        serial: [u8; 20] = 4,
        /// MN: model number.
        model: [u8; 40] = 24,
        /// FR: firmware revision.
        firmware: [u8; 8] = 64,
        /// RAB: recommended arbitration burst, a power of two.
        arbitration_burst: u8 = 72,
        /// IEEE: OUI of the vendor, least significant byte first.
        oui: [u8; 3] = 73,
        /// MDTS: largest transfer in pages of CAP.MPSMIN as a power of two; 0 is no limit.
        max_transfer: u8 = 77,
        /// CNTLID.
        id: u16 = 78,
        /// VER, as the register VS.
        version: u32 = 80,
        /// OAES: notices that may be reported, see [`crate::log::notice`].
        notices: u32 = 92,
        /// CTRATT: see [`controller_attribute`].
        attributes: u32 = 96,
        /// CNTRLTYPE: 1 is an I/O controller.
        kind: u8 = 111,
        /// OACS: see [`admin_capability`].
        admin_commands: u16 = 256,
        /// ACL: concurrent Abort commands, zero-based.
        abort_limit: u8 = 258,
        /// AERL: concurrent Asynchronous Event Requests, zero-based.
        event_limit: u8 = 259,
        /// FRMW: firmware slots.
        firmware_slots: u8 = 260,
        /// LPA: see [`log_attribute`].
        log_attributes: u8 = 261,
        /// ELPE: entries of the error log, zero-based.
        error_entries: u8 = 262,
        /// NPSS: power states, zero-based.
        power_states: u8 = 263,
        /// WCTEMP: warning temperature in kelvin.
        warning_kelvin: u16 = 266,
        /// CCTEMP: critical temperature in kelvin.
        critical_kelvin: u16 = 268,
        /// TNVMCAP: bytes of the whole drive.
        total_capacity: u128 = 280,
        /// ENDGIDMAX: the highest endurance group; 0 for none.
        endurance_groups: u16 = 340,
        /// SQES: required (low nibble) and largest entry size, as powers of two.
        submission_entry: u8 = 512,
        /// CQES: as SQES.
        completion_entry: u8 = 513,
        /// NN: namespaces.
        namespaces: u32 = 516,
        /// ONCS: see [`io_capability`].
        io_commands: u16 = 520,
        /// FUSES: fused operations.
        fused: u16 = 522,
        /// FNA: reach of Format NVM.
        format_attributes: u8 = 524,
        /// VWC: see [`cache`].
        cache: u8 = 525,
        /// AWUN: blocks written atomically, zero-based.
        atomic_blocks: u16 = 526,
        /// AWUPF: as AWUN, when power fails.
        atomic_blocks_power_fail: u16 = 528,
        /// SGLS: 0 is none.
        sgl: u32 = 536,
        /// SUBNQN: qualified name of the subsystem, ended by a zero byte.
        subsystem_name: [u8; 256] = 768,
        /// PSD0: power state 0.
        power_state_0: PowerState = 2048,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identify::text;

    #[test]
    fn fields_stand_at_their_bytes() {
        let controller = Controller {
            vendor: 0x1122,
            serial: text("S1"),
            model: text("Model"),
            firmware: text("1.0"),
            max_transfer: 5,
            version: 0x0001_0400,
            admin_commands: admin_capability::FORMAT,
            warning_kelvin: 0x0157,
            total_capacity: 1 << 40,
            submission_entry: 0x66,
            namespaces: 1,
            io_commands: 0x1d,
            cache: cache::PRESENT | cache::FLUSH_ALL_SUPPORTED,
            power_state_0: PowerState { max_power: 0x0304, ..PowerState::zeroed() },
            ..Controller::zeroed()
        };
        let mut page = [0xff; Controller::BYTES];
        controller.emit(&mut page);
        assert_eq!(page[0..4], [0x22, 0x11, 0, 0]);
        assert_eq!(page[4..24], *b"S1                  ");
        assert_eq!(page[24..32], *b"Model   ");
        assert_eq!(page[64..72], *b"1.0     ");
        assert_eq!((page[77], page[512], page[525]), (5, 0x66, 7));
        assert_eq!(page[80..84], [0, 4, 1, 0]);
        assert_eq!(page[256..258], [2, 0]);
        assert_eq!(page[266..268], [0x57, 0x01]);
        assert_eq!(page[280..288], [0, 0, 0, 0, 0, 1, 0, 0]);
        assert_eq!(page[516..522], [1, 0, 0, 0, 0x1d, 0]);
        assert_eq!(page[2048..2050], [4, 3]);
        assert_eq!(page.iter().filter(|byte| **byte == 0xff).count(), 0);
        assert_eq!(Controller::parse(&page), controller);
    }
}
