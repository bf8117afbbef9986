//! PCI configuration space (PCI Express Base 3.0 section 7.5): an NVMe controller with power
//! management, PCI Express and MSI-X capabilities.

use machine::BusMaster;

use contract::CommandSet;
use firmware::nvme::pci_identity;

use crate::layout::BarLayout;
use crate::link::Link;

/// Bytes of configuration space. Beyond the first 256 no extended capability is there.
pub const CONFIG_BYTES: usize = 4096;

const REVISION: u8 = 1;
/// Mass storage, non-volatile memory, NVM Express (NVM Express 1.4 section 2.1.5).
const CLASS: [u8; 3] = [0x02, 0x08, 0x01];

/// Offsets of registers.
mod at {
    pub const COMMAND: usize = 0x04;
    pub const STATUS: usize = 0x06;
    pub const REVISION: usize = 0x08;
    pub const CLASS: usize = 0x09;
    pub const CACHE_LINE: usize = 0x0c;
    pub const BAR_0: usize = 0x10;
    pub const SUBSYSTEM_VENDOR: usize = 0x2c;
    pub const SUBSYSTEM: usize = 0x2e;
    pub const CAPABILITIES: usize = 0x34;
    pub const INTERRUPT_LINE: usize = 0x3c;
    pub const POWER: usize = 0x40;
    pub const EXPRESS: usize = 0x50;
    pub const DEVICE_CONTROL: usize = EXPRESS + 0x08;
    pub const LINK_CAPABILITIES: usize = EXPRESS + 0x0c;
    pub const LINK_STATUS: usize = EXPRESS + 0x12;
    pub const DEVICE_CONTROL_2: usize = EXPRESS + 0x28;
    pub const LINK_CAPABILITIES_2: usize = EXPRESS + 0x2c;
    pub const MSIX: usize = 0x90;
}

/// Bus Master Enable.
const COMMAND_MASTER: u8 = 1 << 2;
/// Memory space, bus master, parity errors, SERR, interrupts disabled.
const COMMAND_WRITABLE: u16 = 0x0546;
const STATUS_CAPABILITIES: u16 = 1 << 4;
/// A 64-bit memory BAR.
const BAR_64_BIT: u32 = 0x4;
/// Power management 1.2; no power state but D0 and D3hot is there.
const POWER_VERSION: u16 = 3;
/// Leaving D3hot resets nothing.
const NO_SOFT_RESET: u16 = 1 << 3;
const POWER_STATE: u16 = 3;
/// PCI Express capability, version 2, of an endpoint. A client that puts the drive into the root complex
/// itself changes the type and hides the link.
const EXPRESS_KIND: u16 = 2;
/// 256 bytes of payload; errors by role; function level reset.
const DEVICE_CAPABILITIES: u32 = 1 | 1 << 15 | 1 << 28;
/// 512 bytes of read request, relaxed order, no snoop.
const DEVICE_CONTROL_RESET: u16 = 0x2810;
const FUNCTION_LEVEL_RESET: u16 = 1 << 15;
/// Completion time-outs can be disabled.
const DEVICE_CAPABILITIES_2: u32 = 1 << 4;
const DEVICE_CONTROL_2_WRITABLE: u16 = 1 << 4;
/// MSI-X enable, and the mask of all vectors.
const MSIX_WRITABLE: u16 = 0xc000;

/// What follows from a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing beyond the register.
    None,
    /// The function has to be reset.
    FunctionReset,
}

/// The numbers by which hosts find a driver for a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    vendor: u16,
    device: u16,
}

impl Identity {
    /// That of a drive with such a namespace.
    pub const fn of(command_set: CommandSet) -> Self {
        let (vendor, device) = pci_identity(command_set);
        Identity { vendor, device }
    }
}

/// The registers.
#[derive(Debug)]
pub struct ConfigSpace {
    bytes: Box<[u8; CONFIG_BYTES]>,
    /// Bits that a write changes.
    writable: Box<[u8; CONFIG_BYTES]>,
    reset: Box<[u8; CONFIG_BYTES]>,
}

impl ConfigSpace {
    /// The space of a function with this BAR and these numbers, as it is after a reset.
    pub fn new((layout, identity): (&BarLayout, Identity), link: Link) -> Self {
        let (reset, writable) = (filled((layout, identity), link), masks(layout));
        ConfigSpace { bytes: reset.clone(), writable, reset }
    }

    /// Reads from `offset` on. What is not there reads as zero.
    pub fn read(&self, offset: usize, into: &mut [u8]) {
        for (nth, byte) in into.iter_mut().enumerate() {
            *byte = self.bytes.get(offset + nth).copied().unwrap_or(0);
        }
    }

    /// Writes from `offset` on; bits that cannot be written stay.
    pub fn write(&mut self, offset: usize, from: &[u8]) -> Effect {
        let mut effect = Effect::None;
        for (at, &new) in (offset..).zip(from) {
            let (Some(byte), Some(mask)) = (self.bytes.get_mut(at), self.writable.get(at)) else {
                continue;
            };
            *byte = *byte & !mask | new & mask;
            if at == at::DEVICE_CONTROL + 1 && u16::from(new) << 8 & FUNCTION_LEVEL_RESET != 0 {
                effect = Effect::FunctionReset;
            }
        }
        effect
    }

    /// Whether the function may issue requests (Bus Master Enable).
    pub fn bus_master(&self) -> BusMaster {
        match self.bytes[at::COMMAND] & COMMAND_MASTER {
            0 => BusMaster::Disabled,
            _ => BusMaster::Enabled,
        }
    }

    /// Puts every register back to what it is after a reset.
    pub fn reset(&mut self) {
        self.bytes.clone_from(&self.reset);
    }
}

fn put16(bytes: &mut [u8; CONFIG_BYTES], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
}

fn put32(bytes: &mut [u8; CONFIG_BYTES], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// All registers after a reset.
fn filled((layout, identity): (&BarLayout, Identity), link: Link) -> Box<[u8; CONFIG_BYTES]> {
    let mut bytes = Box::new([0; CONFIG_BYTES]);
    let b = &mut *bytes;
    let Identity { vendor, device } = identity;
    put16(b, 0, vendor);
    put16(b, 2, device);
    put16(b, at::STATUS, STATUS_CAPABILITIES);
    b[at::REVISION] = REVISION;
    b[at::CLASS..at::CLASS + 3].copy_from_slice(&CLASS);
    put32(b, at::BAR_0, BAR_64_BIT);
    put16(b, at::SUBSYSTEM_VENDOR, vendor);
    put16(b, at::SUBSYSTEM, device);
    b[at::CAPABILITIES] = at::POWER as u8;
    b[at::POWER] = 0x01;
    b[at::POWER + 1] = at::EXPRESS as u8;
    put16(b, at::POWER + 2, POWER_VERSION);
    put16(b, at::POWER + 4, NO_SOFT_RESET);
    b[at::EXPRESS] = 0x10;
    b[at::EXPRESS + 1] = at::MSIX as u8;
    put16(b, at::EXPRESS + 2, EXPRESS_KIND);
    put32(b, at::EXPRESS + 4, DEVICE_CAPABILITIES);
    put16(b, at::DEVICE_CONTROL, DEVICE_CONTROL_RESET);
    put32(b, at::LINK_CAPABILITIES, link.capabilities());
    put16(b, at::LINK_STATUS, link.status());
    put32(b, at::EXPRESS + 0x24, DEVICE_CAPABILITIES_2);
    put32(b, at::LINK_CAPABILITIES_2, link.speeds());
    b[at::MSIX] = 0x11;
    put16(b, at::MSIX + 2, (layout.vectors - 1) as u16);
    // Both are in BAR 0, whose number stands in the low bits.
    put32(b, at::MSIX + 4, layout.table as u32);
    put32(b, at::MSIX + 8, layout.pending as u32);
    bytes
}

/// The bits of each register that a write changes.
fn masks(layout: &BarLayout) -> Box<[u8; CONFIG_BYTES]> {
    let mut bytes = Box::new([0; CONFIG_BYTES]);
    let b = &mut *bytes;
    put16(b, at::COMMAND, COMMAND_WRITABLE);
    b[at::CACHE_LINE] = 0xff;
    put32(b, at::BAR_0, !(layout.size as u32 - 1));
    put32(b, at::BAR_0 + 4, u32::MAX);
    b[at::INTERRUPT_LINE] = 0xff;
    put16(b, at::POWER + 4, POWER_STATE);
    put16(b, at::DEVICE_CONTROL, !FUNCTION_LEVEL_RESET);
    put16(b, at::DEVICE_CONTROL_2, DEVICE_CONTROL_2_WRITABLE);
    put16(b, at::MSIX + 2, MSIX_WRITABLE);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::Board;

    fn space() -> ConfigSpace {
        let board = Board::resolve("small", &[]).unwrap();
        ConfigSpace::new(
            (&BarLayout::new(&board.firmware), Identity::of(CommandSet::Block)),
            Link::carrying(board.host.link),
        )
    }

    fn dword(space: &ConfigSpace, at: usize) -> u32 {
        let mut bytes = [0; 4];
        space.read(at, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    #[test]
    fn it_is_an_nvme_controller() {
        let space = space();
        assert_eq!(dword(&space, 0x00), 0x0001_f1de);
        assert_eq!(dword(&space, 0x08), 0x0108_0201);
    }

    #[test]
    fn the_list_of_capabilities_ends_and_holds_three() {
        let space = space();
        let mut found = Vec::new();
        let mut at = dword(&space, 0x34) as usize & 0xff;
        while at != 0 && found.len() < 10 {
            let head = dword(&space, at);
            found.push(head as u8);
            at = (head >> 8) as usize & 0xff;
        }
        assert_eq!(found, [0x01, 0x10, 0x11]);
    }

    #[test]
    fn an_endpoint_tells_speed_and_width_of_its_link() {
        let space = space();
        assert_eq!(dword(&space, 0x50) >> 16, 0x0002, "version 2, an endpoint");
        // Gen2 x8, as Cosmos+ has it.
        assert_eq!(dword(&space, 0x5c), 0x82);
        assert_eq!(dword(&space, 0x60) >> 16, 0x82);
        assert_eq!(dword(&space, 0x7c), 0b110);
    }

    #[test]
    fn the_size_of_the_bar_can_be_found_out() {
        let mut space = space();
        space.write(0x10, &[0xff; 8]);
        assert_eq!((dword(&space, 0x10), dword(&space, 0x14)), (0xffff_c004, 0xffff_ffff));
        space.write(0x14, &[0; 4]);
        space.write(0x10, &0xfe00_1234u32.to_le_bytes());
        assert_eq!(dword(&space, 0x10), 0xfe00_0004);
        assert_eq!(dword(&space, 0x18), 0);
    }

    #[test]
    fn what_is_read_only_stays_and_a_reset_restores_the_rest() {
        let mut space = space();
        let before: Vec<u32> = (0..64).map(|n| dword(&space, n * 4)).collect();
        // All but the register with the function level reset.
        space.write(0, &[0xff; 0x58]);
        space.write(0x5a, &[0xff; 0x100]);
        space.write(CONFIG_BYTES - 2, &[0xff; 8]);
        for at in [0x00, 0x08, 0x2c, 0x34, 0x40, 0x50, 0x54, 0x5c, 0x60, 0x7c, 0x94, 0x98] {
            assert_eq!(dword(&space, at), before[at / 4], "{at:#x}");
        }
        assert_eq!(dword(&space, 0x04) & 0xffff, 0x0546);
        assert_eq!(space.bus_master(), BusMaster::Enabled);
        space.reset();
        let after: Vec<u32> = (0..64).map(|n| dword(&space, n * 4)).collect();
        assert_eq!(before, after);
        assert_eq!(space.bus_master(), BusMaster::Disabled);
    }

    #[test]
    fn a_function_level_reset_is_asked_for_by_one_bit() {
        let mut space = space();
        assert_eq!(space.write(at::DEVICE_CONTROL, &0x7fffu16.to_le_bytes()), Effect::None);
        let asked = space.write(at::DEVICE_CONTROL, &0xffffu16.to_le_bytes());
        assert_eq!(asked, Effect::FunctionReset);
        assert_eq!(dword(&space, at::DEVICE_CONTROL) & 0xffff, 0x7fff);
    }
}
