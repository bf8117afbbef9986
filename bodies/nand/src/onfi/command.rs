//! Bytes on the bus, put together into instructions.

use super::Fault;

/// A column and a row, as they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub column: usize,
    pub row: u32,
}

/// How a command is confirmed that other commands may follow at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confirm {
    /// The array works, with all that waits: 30h, 10h, D0h.
    Now,
    /// Waits for another plane, and is busy a little: 32h, 11h, D1h.
    Plane,
    /// As `Now`, while the bus goes on: 31h, 15h.
    Cache,
    /// A copyback read: 35h.
    Copyback,
    /// Waits for the other pages of the word line: 1Ah. Or for another plane, not busy at all: a
    /// second 60h.
    Part,
}

/// What a chip is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    Status,
    StatusEnhanced {
        row: u32,
    },
    Reset,
    ResetLun {
        row: u32,
    },
    ReadMode,
    ReadId {
        address: u8,
    },
    ParameterPage {
        address: u8,
    },
    UniqueId {
        address: u8,
    },
    GetFeatures {
        lun: Option<u8>,
        address: u8,
    },
    SetFeatures {
        lun: Option<u8>,
        address: u8,
    },
    SelectVolume {
        volume: u8,
    },
    ConfigureOdt {
        lun: u8,
    },
    Read {
        at: Address,
        confirm: Confirm,
    },
    ReadNext,
    ReadLast,
    ChangeReadColumn {
        column: usize,
    },
    ChangeReadColumnEnhanced {
        at: Address,
    },
    /// 80h, or 81h for further planes: data follow into a cleared register.
    Load {
        at: Address,
    },
    ChangeWriteColumn {
        column: usize,
    },
    /// 85h within a load.
    ChangeRow {
        at: Address,
    },
    /// 85h that begins a load: the register stays.
    CopybackLoad {
        at: Address,
    },
    Program {
        confirm: Confirm,
    },
    Erase {
        row: u32,
        confirm: Confirm,
    },
}

/// What is complete, but for its confirmation.
#[derive(Clone, Copy)]
enum Held {
    Nothing,
    Read(Address),
    Column { column: usize, plane: Option<u32> },
    Enhanced(Address),
    Load,
    Erase { row: u32 },
}

/// Puts commands and addresses together.
pub(crate) struct Decoder {
    row_cycles: usize,
    /// A command that takes addresses, and those that came.
    opener: Option<u8>,
    addresses: Vec<u8>,
    held: Held,
}

const COLUMN_CYCLES: usize = 2;

impl Decoder {
    pub fn new(row_cycles: usize) -> Self {
        Self { row_cycles, opener: None, addresses: vec![], held: Held::Nothing }
    }

    /// An instruction that is complete only because something else comes.
    pub fn settle(&mut self) -> Option<Instruction> {
        let column = self.opener == Some(0x85) && self.addresses.len() == COLUMN_CYCLES;
        column.then(|| {
            self.opener = None;
            Instruction::ChangeWriteColumn { column: self.column() }
        })
    }

    /// Takes a command byte. Call `settle` first.
    pub fn command(&mut self, byte: u8) -> Result<Option<Instruction>, Fault> {
        if let Some(command) = self.opener.take() {
            let found = self.addresses.len();
            if !(command == 0x00 && found == 0) {
                self.held = Held::Nothing;
                return Err(Fault::AddressCycles {
                    command,
                    found,
                    expected: self.cycles(command),
                });
            }
        }
        if byte == 0x70 {
            return Ok(Some(Instruction::Status));
        }
        let held = std::mem::replace(&mut self.held, Held::Nothing);
        match (byte, held) {
            (0xff | 0xfc, _) => Ok(Some(Instruction::Reset)),
            (0x30, Held::Read(at)) => Ok(Some(Instruction::Read { at, confirm: Confirm::Now })),
            (0x32, Held::Read(at)) => Ok(Some(Instruction::Read { at, confirm: Confirm::Plane })),
            (0x31, Held::Read(at)) => Ok(Some(Instruction::Read { at, confirm: Confirm::Cache })),
            (0x35, Held::Read(at)) => {
                Ok(Some(Instruction::Read { at, confirm: Confirm::Copyback }))
            }
            (0x31, Held::Nothing) => Ok(Some(Instruction::ReadNext)),
            (0x3f, Held::Nothing) => Ok(Some(Instruction::ReadLast)),
            (0x05, Held::Read(at)) => {
                self.open(byte);
                self.held = Held::Column { column: 0, plane: Some(at.row) };
                Ok(None)
            }
            (0xe0, Held::Column { column, plane: None }) => {
                Ok(Some(Instruction::ChangeReadColumn { column }))
            }
            (0xe0, Held::Column { column, plane: Some(row) }) => {
                Ok(Some(Instruction::ChangeReadColumnEnhanced { at: Address { column, row } }))
            }
            (0xe0, Held::Enhanced(at)) => Ok(Some(Instruction::ChangeReadColumnEnhanced { at })),
            (0x10, Held::Load) => Ok(Some(Instruction::Program { confirm: Confirm::Now })),
            (0x11, Held::Load) => Ok(Some(Instruction::Program { confirm: Confirm::Plane })),
            (0x15, Held::Load) => Ok(Some(Instruction::Program { confirm: Confirm::Cache })),
            (0x1a, Held::Load) => Ok(Some(Instruction::Program { confirm: Confirm::Part })),
            (0xd0, Held::Erase { row }) => {
                Ok(Some(Instruction::Erase { row, confirm: Confirm::Now }))
            }
            (0xd1, Held::Erase { row }) => {
                Ok(Some(Instruction::Erase { row, confirm: Confirm::Plane }))
            }
            (0x60, Held::Erase { row }) => {
                self.open(byte);
                Ok(Some(Instruction::Erase { row, confirm: Confirm::Part }))
            }
            (0x00, _) => {
                self.open(byte);
                Ok(Some(Instruction::ReadMode))
            }
            (0x85, Held::Load) => {
                self.open(byte);
                self.held = Held::Load;
                Ok(None)
            }
            (
                0x05 | 0x06 | 0x60 | 0x78 | 0x80 | 0x81 | 0x85 | 0x90 | 0xd4 | 0xd5 | 0xe1 | 0xe2
                | 0xec | 0xed | 0xee | 0xef | 0xfa,
                _,
            ) => {
                self.open(byte);
                Ok(None)
            }
            (0x10 | 0x11 | 0x15 | 0x1a | 0x30..=0x32 | 0x35 | 0x3f | 0xd0 | 0xd1 | 0xe0, _) => {
                Err(Fault::OutOfPlace { command: byte })
            }
            _ => Err(Fault::UnknownCommand { command: byte }),
        }
    }

    /// Takes an address byte.
    pub fn address(&mut self, byte: u8) -> Result<Option<Instruction>, Fault> {
        let Some(command) = self.opener else {
            return Err(Fault::StrayAddress { byte });
        };
        self.addresses.push(byte);
        if self.addresses.len() < self.cycles(command) {
            return Ok(None);
        }
        self.opener = None;
        let first = self.addresses[0];
        let held = self.held;
        Ok(Some(match command {
            0x00 => {
                self.held = Held::Read(self.full());
                return Ok(None);
            }
            0x05 => {
                let plane = match held {
                    Held::Column { plane, .. } => plane,
                    _ => None,
                };
                self.held = Held::Column { column: self.column(), plane };
                return Ok(None);
            }
            0x06 => {
                self.held = Held::Enhanced(self.full());
                return Ok(None);
            }
            0x60 => {
                self.held = Held::Erase { row: self.row(0) };
                return Ok(None);
            }
            0x78 => Instruction::StatusEnhanced { row: self.row(0) },
            0xfa => Instruction::ResetLun { row: self.row(0) },
            0x80 | 0x81 => {
                self.held = Held::Load;
                Instruction::Load { at: self.full() }
            }
            0x85 => {
                self.held = Held::Load;
                let at = self.full();
                match held {
                    Held::Load => Instruction::ChangeRow { at },
                    _ => Instruction::CopybackLoad { at },
                }
            }
            0x90 => Instruction::ReadId { address: first },
            0xec => Instruction::ParameterPage { address: first },
            0xed => Instruction::UniqueId { address: first },
            0xee => Instruction::GetFeatures { lun: None, address: first },
            0xef => Instruction::SetFeatures { lun: None, address: first },
            0xd4 => Instruction::GetFeatures { lun: Some(first), address: self.addresses[1] },
            0xd5 => Instruction::SetFeatures { lun: Some(first), address: self.addresses[1] },
            0xe1 => Instruction::SelectVolume { volume: first },
            _ => Instruction::ConfigureOdt { lun: first },
        }))
    }

    fn open(&mut self, command: u8) {
        self.opener = Some(command);
        self.addresses.clear();
    }

    /// Address cycles behind a command, at most.
    fn cycles(&self, command: u8) -> usize {
        match command {
            0x00 | 0x06 | 0x80 | 0x81 | 0x85 => COLUMN_CYCLES + self.row_cycles,
            0x05 => COLUMN_CYCLES,
            0x60 | 0x78 | 0xfa => self.row_cycles,
            0xd4 | 0xd5 => 2,
            _ => 1,
        }
    }

    fn column(&self) -> usize {
        usize::from(u16::from_le_bytes([self.addresses[0], self.addresses[1]]))
    }

    fn row(&self, skip: usize) -> u32 {
        let bytes = self.addresses[skip..].iter().rev();
        bytes.fold(0, |row, byte| row << 8 | u32::from(*byte))
    }

    fn full(&self) -> Address {
        Address { column: self.column(), row: self.row(COLUMN_CYCLES) }
    }
}
