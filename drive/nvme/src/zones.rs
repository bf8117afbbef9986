//! Zoned namespaces (NVM Express Zoned Namespace Command Set Specification, revision 1.1): the commands, structures and states that a
//! namespace has beside those of the NVM command set.
//!
//! A *zone* is a range of logical blocks that is written in order, from its start to its capacity, and reset as a whole. Blocks between
//! the capacity and the size of a zone do not exist for a host.

use crate::command::{Entry, Header};
use crate::io::{BlockRange, UnitAccess};
use crate::layout::layout;
use crate::status::{Fault, Status};

/// Opcodes (section 3.4).
pub mod opcode {
    /// Zone Management Send.
    pub const SEND: u8 = 0x79;
    /// Zone Management Receive.
    pub const RECEIVE: u8 = 0x7a;
    /// Zone Append.
    pub const APPEND: u8 = 0x7d;
}

/// Command set identifiers (base specification 2.0, figure 274).
pub mod set {
    /// The NVM command set.
    pub const NVM: u8 = 0;
    /// The zoned namespace command set.
    pub const ZONED: u8 = 2;
    /// A combination of command sets as Identify tells it (CNS 1Ch): both.
    pub const COMBINED: u64 = 1 << NVM | 1 << ZONED;
}

/// Feature identifier of the I/O command set profile.
pub const PROFILE_FEATURE: u8 = 0x19;

/// What a zone can be used for (section 2.1.1.2, figure 4). The numbers are those of the zone descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
#[cfg_attr(feature = "state", borsh(use_discriminant = false))]
pub enum ZoneState {
    /// ZSE: nothing is written.
    Empty = 0x1,
    /// ZSIO: opened by a write.
    ImplicitlyOpened = 0x2,
    /// ZSEO: opened by the host.
    ExplicitlyOpened = 0x3,
    /// ZSC: written in part, and not open.
    Closed = 0x4,
    /// ZSRO: it can be read alone.
    ReadOnly = 0xd,
    /// ZSF: it takes nothing more.
    Full = 0xe,
    /// ZSO: it is of no use any more.
    Offline = 0xf,
}

impl ZoneState {
    /// All of them.
    pub const ALL: [ZoneState; 7] = [
        ZoneState::Empty,
        ZoneState::ImplicitlyOpened,
        ZoneState::ExplicitlyOpened,
        ZoneState::Closed,
        ZoneState::ReadOnly,
        ZoneState::Full,
        ZoneState::Offline,
    ];

    /// The state with a number.
    pub fn parse(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&state| state as u8 == number)
    }

    /// Whether it takes an open resource (MOR).
    pub const fn is_open(self) -> bool {
        matches!(self, ZoneState::ImplicitlyOpened | ZoneState::ExplicitlyOpened)
    }

    /// Whether it takes an active resource (MAR).
    pub const fn is_active(self) -> bool {
        self.is_open() || matches!(self, ZoneState::Closed)
    }
}

/// What a host does with a zone (ZSA, section 3.4.3). The numbers are those of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
#[cfg_attr(feature = "state", borsh(use_discriminant = false))]
pub enum ZoneAction {
    /// Close Zone.
    Close = 0x01,
    /// Finish Zone.
    Finish = 0x02,
    /// Open Zone.
    Open = 0x03,
    /// Reset Zone.
    Reset = 0x04,
    /// Offline Zone.
    Offline = 0x05,
}

impl ZoneAction {
    /// All of them.
    pub const ALL: [ZoneAction; 5] = [
        ZoneAction::Close,
        ZoneAction::Finish,
        ZoneAction::Open,
        ZoneAction::Reset,
        ZoneAction::Offline,
    ];
}

/// Which zones an action is for (Select All, section 3.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selected {
    /// The zone that begins with this block.
    One(u64),
    /// All zones in the states that the action is for.
    All,
}

/// Which zones a report lists (ZRASF, section 3.4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Listed {
    /// All zones.
    All,
    /// Zones in this state.
    In(ZoneState),
}

impl Listed {
    fn parse(number: u8) -> Option<Self> {
        use ZoneState::{
            Closed, Empty, ExplicitlyOpened, Full, ImplicitlyOpened, Offline, ReadOnly,
        };
        Some(match number {
            0 => Listed::All,
            1 => Listed::In(Empty),
            2 => Listed::In(ImplicitlyOpened),
            3 => Listed::In(ExplicitlyOpened),
            4 => Listed::In(Closed),
            5 => Listed::In(Full),
            6 => Listed::In(ReadOnly),
            7 => Listed::In(Offline),
            _ => return None,
        })
    }

    fn number(self) -> u8 {
        (0..=7).find(|&number| Self::parse(number) == Some(self)).expect("each has a number")
    }

    /// Whether a zone in this state is listed.
    pub fn has(self, state: ZoneState) -> bool {
        match self {
            Listed::All => true,
            Listed::In(own) => own == state,
        }
    }
}

/// What the number of zones in a report's header counts (Partial Report).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Counted {
    /// All zones that would be listed, whether there is room for them or not.
    Matching,
    /// Zones whose descriptors are transferred as a whole.
    Transferred,
}

/// Report Zones (section 3.4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Report {
    /// A block of the first zone that may be listed.
    pub start: u64,
    /// Bytes to return, a multiple of 4, at least 4.
    pub bytes: u64,
    /// Which zones are listed.
    pub listed: Listed,
    /// What the header counts.
    pub counted: Counted,
}

/// A legal command of the zoned command set that is none of the NVM command set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneCommand {
    /// Zone Management Send (section 3.4.3).
    Send(ZoneAction, Selected),
    /// Zone Management Receive (section 3.4.2): Report Zones.
    Receive(Report),
    /// Zone Append (section 3.4.1): the range begins with the first block of a zone.
    Append(BlockRange, UnitAccess),
}

const SELECT_ALL: u32 = 1 << 8;
pub(crate) const RANDOM_WRITE_AREA: u32 = 1 << 9;
const PARTIAL_REPORT: u32 = 1 << 16;
const REPORT: u8 = 0x00;
const FORCE_UNIT_ACCESS: u32 = 1 << 30;
pub(crate) const REMAPPED_TAG: u32 = 1 << 25;

impl ZoneCommand {
    /// Checks an entry; `None` if it is no command of zones.
    ///
    /// # Errors
    /// Invalid Field in Command for FUSE or PSDT, for an action or a report that there is not, and for what belongs to zone descriptor
    /// extensions, to a random write area, or to protection information: namespaces have none of the three.
    pub fn parse(entry: &Entry) -> Option<Result<Self, Fault>> {
        let known: fn(&Entry) -> Result<Self, Fault> = match entry.opcode() {
            opcode::SEND => parse_send,
            opcode::RECEIVE => parse_receive,
            opcode::APPEND => parse_append,
            _ => return None,
        };
        Some(entry.check_plain().and_then(|()| known(entry)))
    }

    /// The entry of the command.
    pub fn emit(&self, header: Header) -> Entry {
        let at =
            |entry: Entry, block: u64| entry.with(10, block as u32).with(11, (block >> 32) as u32);
        match *self {
            ZoneCommand::Send(action, selected) => {
                let (start, all) = match selected {
                    Selected::One(start) => (start, 0),
                    Selected::All => (0, SELECT_ALL),
                };
                at(Entry::new(opcode::SEND, header), start).with(13, action as u32 | all)
            }
            ZoneCommand::Receive(Report { start, bytes, listed, counted }) => {
                let partial = match counted {
                    Counted::Matching => 0,
                    Counted::Transferred => PARTIAL_REPORT,
                };
                at(Entry::new(opcode::RECEIVE, header), start)
                    .with(12, (bytes / 4 - 1) as u32)
                    .with(13, u32::from(REPORT) | u32::from(listed.number()) << 8 | partial)
            }
            ZoneCommand::Append(range, access) => {
                let forced = match access {
                    UnitAccess::Normal => 0,
                    UnitAccess::Forced => FORCE_UNIT_ACCESS,
                };
                at(Entry::new(opcode::APPEND, header), range.start)
                    .with(12, (range.blocks - 1) | forced)
            }
        }
    }
}

fn parse_send(entry: &Entry) -> Result<ZoneCommand, Fault> {
    let dword = entry.dword(13);
    let found = ZoneAction::ALL.into_iter().find(|&action| action as u8 == dword as u8);
    // Set Zone Descriptor Extension (10h) and Flush ZRWA (11h) are among the actions that are not there.
    let action = found.ok_or(Fault::at(Status::INVALID_FIELD, 13, 0))?;
    if dword & RANDOM_WRITE_AREA != 0 {
        return Err(Fault::at(Status::INVALID_FIELD, 13, 9));
    }
    // With Select All, the starting block is ignored.
    let selected = match dword & SELECT_ALL {
        0 => Selected::One(entry.wide(10)),
        _ => Selected::All,
    };
    Ok(ZoneCommand::Send(action, selected))
}

fn parse_receive(entry: &Entry) -> Result<ZoneCommand, Fault> {
    let dword = entry.dword(13);
    // An extended report (01h) has extensions of descriptors, of which there are none.
    if dword as u8 != REPORT {
        return Err(Fault::at(Status::INVALID_FIELD, 13, 0));
    }
    let listed =
        Listed::parse((dword >> 8) as u8).ok_or(Fault::at(Status::INVALID_FIELD, 13, 8))?;
    Ok(ZoneCommand::Receive(Report {
        start: entry.wide(10),
        bytes: (u64::from(entry.dword(12)) + 1) * 4,
        listed,
        counted: match dword & PARTIAL_REPORT {
            0 => Counted::Matching,
            _ => Counted::Transferred,
        },
    }))
}

fn parse_append(entry: &Entry) -> Result<ZoneCommand, Fault> {
    let dword = entry.dword(12);
    // PIREMAP is for protection information of types 1 and 3, which namespaces have not (section 3.4.1).
    if dword & REMAPPED_TAG != 0 {
        return Err(Fault::at(Status::INVALID_FIELD, 12, 25));
    }
    let access = match dword & FORCE_UNIT_ACCESS {
        0 => UnitAccess::Normal,
        _ => UnitAccess::Forced,
    };
    let range = BlockRange { start: entry.wide(10), blocks: (dword & 0xffff) + 1 };
    Ok(ZoneCommand::Append(range, access))
}

layout! {
    /// A zone in a report (section 3.4.2.2.3).
    ZoneDescriptor [64] {
        /// ZT: 2, a zone that is written in order.
        kind: u8 = 0,
        /// ZS: the [`ZoneState`] in bits 7:4.
        state: u8 = 1,
        /// ZA: attributes.
        attributes: u8 = 2,
        /// ZAI: more of the attributes.
        attribute_information: u8 = 3,
        /// ZCAP: blocks that can be written.
        capacity: u64 = 8,
        /// ZSLBA: its first block.
        start: u64 = 16,
        /// WP: the block that is written next; without meaning of zones that take no writes.
        pointer: u64 = 24,
    }
}

/// The type of a zone that is written in order.
pub const SEQUENTIAL: u8 = 2;
/// WP of a zone that has no write pointer (section 2.1.1.2.2 leaves it open).
pub const NO_POINTER: u64 = u64::MAX;

layout! {
    /// What stands before the descriptors of a report.
    ReportHeader [64] {
        /// Zones, as [`Counted`] says.
        zones: u64 = 0,
    }
}

layout! {
    /// The zoned command set's Identify Namespace data structure (CNS 05h, section 4.1.5.1). Fields that are not named here are zero.
    ZonedNamespace [4096] {
        /// ZOC: nothing about zones changes unless the host makes it.
        characteristics: u16 = 0,
        /// OZCS: see [`READS_ACROSS_ZONES`].
        optional: u16 = 2,
        /// MAR: most active zones, zero-based.
        most_active: u32 = 4,
        /// MOR: most open zones, zero-based.
        most_open: u32 = 8,
        /// ZSZE of the first LBA format extension: blocks of a zone.
        zone_blocks: u64 = 2816,
        /// ZDES of it: bytes of a zone descriptor extension, in 64.
        extension: u8 = 2824,
    }
}

/// OZCS: a read may begin in one zone and end in another.
pub const READS_ACROSS_ZONES: u16 = 1 << 0;

layout! {
    /// The zoned command set's Identify Controller data structure (CNS 06h, section 4.1.5.2).
    ZonedController [4096] {
        /// ZASL: most data of an append, as MDTS tells them; 0 for as much as other commands.
        append_limit: u8 = 0,
    }
}

/// What Identify tells of command sets (CNS, base specification 2.0 section 5.17). The numbers are those of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
#[cfg_attr(feature = "state", borsh(use_discriminant = false))]
pub enum SetStructure {
    /// Of a namespace, as its command set tells it.
    Namespace = 0x05,
    /// Of the controller, as a command set tells it.
    Controller = 0x06,
    /// Active namespaces of a command set.
    ActiveNamespaces = 0x07,
    /// Of a namespace, whatever its command set.
    IndependentNamespace = 0x08,
    /// Combinations of command sets.
    CommandSets = 0x1c,
}

/// An Identify command about command sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct SetInquiry {
    /// What is asked for.
    pub structure: SetStructure,
    /// CSI: of which command set.
    pub set: u8,
}

impl SetInquiry {
    /// The inquiry of an Identify command, if it is one about command sets.
    pub fn parse(entry: &Entry) -> Option<Self> {
        let structure = match entry.dword(10) as u8 {
            0x05 => SetStructure::Namespace,
            0x06 => SetStructure::Controller,
            0x07 => SetStructure::ActiveNamespaces,
            0x08 => SetStructure::IndependentNamespace,
            0x1c => SetStructure::CommandSets,
            _ => return None,
        };
        Some(SetInquiry { structure, set: (entry.dword(11) >> 24) as u8 })
    }

    /// The entry of the command.
    pub fn emit(&self, header: Header) -> Entry {
        Entry::new(crate::admin::opcode::IDENTIFY, header)
            .with(10, self.structure as u32)
            .with(11, u32::from(self.set) << 24)
    }
}

layout! {
    /// What Identify tells of a namespace whatever its command set (CNS 08h, base specification 2.0 figure 280).
    IndependentNamespace [4096] {
        /// NSTAT: bit 0, the namespace is ready.
        status: u8 = 14,
    }
}

/// The namespace is ready (NRDY).
pub const NAMESPACE_READY: u8 = 1 << 0;

/// Zones that the log of changed zones names at most (section 4.1.5.1).
pub const CHANGED_ZONES: usize = 511;
/// What the log says in place of a number where more zones have changed.
const TOO_MANY_CHANGED: u16 = 0xffff;

/// Writes the log of zones that have changed, by their first blocks in ascending order.
pub fn emit_changed(starts: impl Iterator<Item = u64>, page: &mut [u8; 4096]) {
    page.fill(0);
    let (count, zones) = page.split_at_mut(8);
    let mut changed = 0_usize;
    for start in starts {
        if changed == CHANGED_ZONES {
            zones.fill(0);
            count[..2].copy_from_slice(&TOO_MANY_CHANGED.to_le_bytes());
            return;
        }
        zones[changed * 8..][..8].copy_from_slice(&start.to_le_bytes());
        changed += 1;
    }
    count[..2].copy_from_slice(&(changed as u16).to_le_bytes());
}

/// Reads the log of changed zones: their first blocks, or `None` if more have changed than it names.
pub fn parse_changed(page: &[u8; 4096]) -> Option<impl Iterator<Item = u64> + '_> {
    let count = u16::from_le_bytes([page[0], page[1]]);
    let zones = page[8..].chunks_exact(8).take(count.into());
    let start = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    (count != TOO_MANY_CHANGED).then(|| zones.map(start))
}
