//! What the drive says of itself (NVMe 1.4 section 5.15).

use contract::{CommandSet, Configuration, DoorbellBuffers};
use nvme::admin::IdentifyStructure;
use nvme::identify::{
    admin_capability, cache, controller_attribute, emit_command_set, emit_descriptors,
    emit_namespaces, format_attribute, io_capability, log_attribute, text, BlockFormat, Controller,
    Identifiers, Namespace, PowerState, ATOMIC_SIZES_VALID, DEALLOCATED_READ_ZEROES, NQN_PREFIX,
    OPTIMAL_SIZES_VALID,
};
use nvme::log::notice;
use nvme::open_channel::{NAMESPACE_MARK, PCI_DEVICE, PCI_VENDOR};
use nvme::placement;
use nvme::register::VERSION;
use nvme::status::{Fault, Status};
use nvme::zones::set;
use nvme::ALL_NAMESPACES;

use super::backend::{OptionalCommands, Storage};
use super::namespaces::{Namespaces, Place};

/// Asynchronous Event Requests that may be outstanding.
pub(super) const EVENT_REQUESTS: u8 = 4;
/// Entries of the error information log: what fits into one control page.
pub(super) const ERROR_ENTRIES: u8 = 64;
/// Warning temperature, 70 degrees Celsius.
pub(super) const WARNING_KELVIN: u16 = 343;
/// Firmware revision.
pub(super) const REVISION: [u8; 8] = text(env!("CARGO_PKG_VERSION"));

const CRITICAL_KELVIN: u16 = 353;
/// Abort is carried out at once, so any limit is kept; the specification recommends four.
const ABORT_COMMANDS: u8 = 4;
/// PCI vendor: the SIG had assigned this number to nobody when it was chosen.
const VENDOR: u16 = 0xf1de;
/// PCI device of a drive of logical blocks.
const DEVICE: u16 = 0x0001;
const IO_CONTROLLER: u8 = 1;
/// One slot, which the host cannot write.
const ONE_FIRMWARE_SLOT: u8 = 0x03;
/// Maximum power of state 0, in 10 mW: the 25 W that a PCIe slot gives before negotiation.
const SLOT_POWER: u16 = 2500;
/// Identifies the first namespace of drive 1, and its subsystem in its qualified name; drawn at random once.
/// Other drives have their number in the last four bytes.
const UUID: [u8; 16] = [
    0x5b, 0x0e, 0x5c, 0x93, 0x61, 0x2f, 0x4d, 0x7a, 0x9e, 0x08, 0x3c, 0xd1, 0x47, 0xb2, 0xf0, 0x6a,
];

/// An OUI that anybody may use locally: bit 1 of its first byte is set (IEEE 802).
const LOCAL_OUI: [u8; 3] = [0x02, 0xf1, 0xde];

/// PCI vendor and device, by which the host's drivers know what a drive is.
pub const fn pci_identity(command_set: CommandSet) -> (u16, u16) {
    match command_set {
        CommandSet::Block | CommandSet::Zoned => (VENDOR, DEVICE),
        CommandSet::OpenChannel => (PCI_VENDOR, PCI_DEVICE),
    }
}

/// What an Identify command asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Inquiry {
    pub structure: IdentifyStructure,
    pub nsid: u32,
    /// The first endurance group of a list of them (CDW 11).
    pub group: u16,
}

impl Inquiry {
    /// Checks the namespace, and whether there is such a structure.
    ///
    /// # Errors
    /// Invalid Namespace or Format, or Invalid Field in Command.
    pub fn check(self, of: &Identity) -> Result<(), Fault> {
        let namespaces = &of.namespaces;
        let legal = match self.structure {
            IdentifyStructure::EnduranceGroups if !of.is_placed => {
                return Err(Fault::at(Status::INVALID_FIELD, 10, 0));
            }
            IdentifyStructure::Controller | IdentifyStructure::EnduranceGroups => true,
            IdentifyStructure::Namespace | IdentifyStructure::NamespaceDescriptors => {
                namespaces.has(self.nsid)
            }
            IdentifyStructure::ActiveNamespaces => self.nsid < ALL_NAMESPACES - 1,
        };
        if legal {
            Ok(())
        } else {
            Err(Fault::at(Status::INVALID_NAMESPACE, 1, 0))
        }
    }
}

/// What stays the same as long as the drive is powered.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Identity {
    serial: u32,
    uuid: [u8; 16],
    pub doorbell_buffers: DoorbellBuffers,
    pub command_set: CommandSet,
    total_bytes: u64,
    max_transfer: u8,
    block_formats: [u32; 4],
    pub namespaces: Namespaces,
    /// A capacitor keeps what is in the data buffer.
    is_protected: bool,
    /// The host places its data.
    is_placed: bool,
}

impl Identity {
    /// Of a drive with this configuration.
    pub fn new(config: &Configuration) -> Self {
        Identity {
            serial: config.serial,
            uuid: uuid(config.serial),
            doorbell_buffers: config.doorbell_buffers,
            command_set: config.command_set,
            total_bytes: u64::from(config.logical_pages) * u64::from(config.geometry.page_bytes),
            max_transfer: (config.max_transfer_bytes / 4096).ilog2() as u8,
            block_formats: config.block_formats,
            namespaces: Namespaces::new(config),
            is_protected: config.reserve.is_some(),
            is_placed: config.placement_handles() > 0,
        }
    }

    /// Block size of an LBA format, where the drive has it.
    pub fn block_bytes(&self, format: u8) -> Option<u32> {
        self.formats().nth(usize::from(format))
    }

    fn formats(&self) -> impl Iterator<Item = u32> + '_ {
        self.block_formats.iter().copied().take_while(|bytes| *bytes != 0)
    }

    /// Writes the structure that a checked inquiry asks for.
    pub fn emit(&self, inquiry: Inquiry, storage: &impl Storage, page: &mut [u8; 4096]) {
        let Inquiry { structure, nsid, group } = inquiry;
        match structure {
            IdentifyStructure::Namespace => self.namespace(storage, nsid).emit(page),
            IdentifyStructure::Controller => self.controller(storage).emit(page),
            IdentifyStructure::ActiveNamespaces => {
                emit_namespaces(self.namespaces.ids().filter(|id| *id > nsid), page);
            }
            IdentifyStructure::NamespaceDescriptors => {
                emit_descriptors(&self.identifiers(nsid), page);
                if self.command_set == CommandSet::Zoned {
                    emit_command_set(set::ZONED, page);
                }
            }
            IdentifyStructure::EnduranceGroups => {
                page.fill(0);
                let list = [1_u16.to_le_bytes(), placement::GROUP.to_le_bytes()];
                if group <= placement::GROUP {
                    page[..4].copy_from_slice(list.as_flattened());
                }
            }
        }
    }

    /// Notices that the drive may report (OAES).
    pub fn notices(&self) -> u32 {
        match self.command_set {
            CommandSet::Zoned => notice::NAMESPACE | notice::ZONE,
            CommandSet::Block | CommandSet::OpenChannel => notice::NAMESPACE,
        }
    }

    fn controller(&self, storage: &impl Storage) -> Controller {
        let namespaces = self.namespaces.count();
        Controller {
            vendor: pci_identity(self.command_set).0,
            subsystem_vendor: pci_identity(self.command_set).0,
            serial: serial_number(self.serial),
            model: text("Firmament open SSD"),
            firmware: REVISION,
            max_transfer: self.max_transfer,
            id: 1,
            version: VERSION,
            notices: self.notices(),
            attributes: if self.is_placed {
                controller_attribute::ENDURANCE_GROUPS | controller_attribute::DATA_PLACEMENT
            } else {
                0
            },
            endurance_groups: self.endurance_group(),
            kind: IO_CONTROLLER,
            admin_commands: self.format_bit() | self.doorbell_bit(),
            abort_limit: ABORT_COMMANDS - 1,
            event_limit: EVENT_REQUESTS - 1,
            firmware_slots: ONE_FIRMWARE_SLOT,
            log_attributes: log_attribute::COMMAND_EFFECTS | log_attribute::EXTENDED_DATA,
            error_entries: ERROR_ENTRIES - 1,
            warning_kelvin: WARNING_KELVIN,
            critical_kelvin: CRITICAL_KELVIN,
            total_capacity: u128::from(self.total_bytes),
            submission_entry: 0x66,
            completion_entry: 0x44,
            namespaces,
            format_attributes: if namespaces == 1 {
                0
            } else {
                format_attribute::ALL_FORMATTED | format_attribute::ALL_ERASED
            },
            io_commands: io_capability::SAVE_AND_SELECT
                | match (self.command_set, storage.optional_commands()) {
                    (CommandSet::Block, OptionalCommands::Offered) => {
                        io_capability::COMPARE
                            | io_capability::WRITE_ZEROES
                            | io_capability::DATASET_MANAGEMENT
                            | io_capability::VERIFY
                    }
                    (CommandSet::Block, OptionalCommands::Absent) => 0,
                    (CommandSet::OpenChannel, _) => io_capability::DATASET_MANAGEMENT,
                    (CommandSet::Zoned, _) => 0,
                },
            // What a capacitor keeps is not volatile.
            cache: match self.command_set {
                CommandSet::Block | CommandSet::Zoned if !self.is_protected => {
                    cache::PRESENT | cache::FLUSH_ALL_SUPPORTED
                }
                // Nor is what is in flash when a write ends.
                CommandSet::Block | CommandSet::OpenChannel | CommandSet::Zoned => 0,
            },
            subsystem_name: subsystem_name(&self.uuid),
            power_state_0: PowerState { max_power: SLOT_POWER, ..PowerState::zeroed() },
            ..Controller::zeroed()
        }
    }

    /// The only group of a drive whose host places its data; other drives have none.
    fn endurance_group(&self) -> u16 {
        if self.is_placed {
            placement::GROUP
        } else {
            0
        }
    }

    fn format_bit(&self) -> u16 {
        match self.command_set {
            CommandSet::Block => admin_capability::FORMAT,
            CommandSet::OpenChannel | CommandSet::Zoned => 0,
        }
    }

    fn doorbell_bit(&self) -> u16 {
        match self.doorbell_buffers {
            DoorbellBuffers::Absent => 0,
            DoorbellBuffers::Offered => admin_capability::DOORBELL_BUFFERS,
        }
    }

    fn namespace(&self, storage: &impl Storage, nsid: u32) -> Namespace {
        let Place { blocks, .. } = self.namespaces.place(nsid, storage);
        let bytes = storage.block_bytes();
        let identifiers = self.identifiers(nsid);
        let unit = (storage.unit_bytes() / bytes).max(1) as u16 - 1;
        // Where data of the host replace older ones all at once, that is by mapping units.
        let atomic = if self.is_protected { unit } else { 0 };
        let mut block_formats = [BlockFormat::zeroed(); 16];
        for (format, bytes) in block_formats.iter_mut().zip(self.formats()) {
            format.block_size = bytes.ilog2() as u8;
        }
        let in_use = self.formats().position(|format| format == bytes);
        Namespace {
            size: blocks,
            capacity: blocks,
            // Storage counts those of all namespaces.
            in_use: if self.namespaces.count() == 1 { storage.blocks_in_use() } else { blocks },
            features: OPTIMAL_SIZES_VALID | if self.is_protected { ATOMIC_SIZES_VALID } else { 0 },
            atomic_blocks: atomic,
            atomic_blocks_power_fail: atomic,
            atomic_boundary: atomic,
            atomic_boundary_offset: 0,
            atomic_boundary_power_fail: atomic,
            formats: self.formats().count().saturating_sub(1) as u8,
            format_in_use: in_use.unwrap_or(0) as u8,
            deallocate_features: DEALLOCATED_READ_ZEROES,
            byte_capacity: u128::from(blocks) * u128::from(bytes),
            write_granularity: unit,
            write_alignment: unit,
            deallocate_granularity: unit,
            deallocate_alignment: unit,
            optimal_write: unit,
            endurance_group: self.endurance_group(),
            guid: identifiers.guid,
            eui64: identifiers.eui64,
            block_formats,
            vendor_mark: match self.command_set {
                CommandSet::Block | CommandSet::Zoned => 0,
                CommandSet::OpenChannel => NAMESPACE_MARK,
            },
        }
    }

    /// Drives differ in their numbers only. Nobody has given the project an OUI, so that of the EUI64 and
    /// of the NGUID is one for local use.
    fn identifiers(&self, nsid: u32) -> Identifiers {
        let mut uuid = self.uuid;
        // Namespaces of a drive differ in the byte before those that tell drives apart.
        uuid[11] ^= (nsid - 1) as u8;
        let mut guid = uuid;
        guid[8..11].copy_from_slice(&LOCAL_OUI);
        let mut eui64 = [0; 8];
        eui64.copy_from_slice(&guid[8..]);
        Identifiers { eui64, guid, uuid }
    }
}

/// `FIRMAMENT-` and the number, in four digits or as many as it takes.
fn serial_number(serial: u32) -> [u8; 20] {
    const DIGITS: u32 = 4;
    let mut text: [u8; 20] = text("FIRMAMENT-");
    let digits = serial.checked_ilog10().map_or(1, |log| log + 1).max(DIGITS);
    let mut rest = serial;
    for place in text[10..].iter_mut().take(digits as usize).rev() {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    text
}

fn uuid(serial: u32) -> [u8; 16] {
    let mut uuid = UUID;
    let number = serial.wrapping_sub(1).to_be_bytes();
    uuid[12..].iter_mut().zip(number).for_each(|(byte, number)| *byte ^= number);
    uuid
}

/// The subsystem's qualified name, ended by zeroes.
fn subsystem_name(uuid: &[u8; 16]) -> [u8; 256] {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut name = [0; 256];
    let (prefix, rest) = name.split_at_mut(NQN_PREFIX.len());
    prefix.copy_from_slice(NQN_PREFIX.as_bytes());
    let mut at = 0;
    for (index, byte) in uuid.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            rest[at] = b'-';
            at += 1;
        }
        rest[at] = HEX[usize::from(byte >> 4)];
        rest[at + 1] = HEX[usize::from(byte & 15)];
        at += 2;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_of_one_kind_differ_in_serial_number_uuid_and_name() {
        for (serial, expected) in [
            (0, "FIRMAMENT-0000      "),
            (1, "FIRMAMENT-0001      "),
            (12_345, "FIRMAMENT-12345     "),
            (u32::MAX, "FIRMAMENT-4294967295"),
        ] {
            assert_eq!(serial_number(serial), expected.as_bytes(), "{serial}");
        }
        assert_eq!(uuid(1), UUID);
        assert_ne!(uuid(2), uuid(3));
        assert_ne!(subsystem_name(&uuid(1)), subsystem_name(&uuid(2)));
    }
}
