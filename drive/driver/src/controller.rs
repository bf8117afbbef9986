//! Registers of the controller as a whole: time, entries, the memory engine.

use crate::memory::{Layout, UNIT_BYTES};
use crate::{get, outlast, packed, Bus};
use ::registers::controller as registers;
use ::registers::controller::Deed;
use ::registers::map;

/// Channels and ways of the controller.
///
/// # Panics
/// If the registers are not those that this driver knows.
pub fn sizes(bus: &mut impl Bus) -> (u32, u32) {
    let identity = bus.read(map::CONTROLLER + registers::identity::REGISTER.offset);
    assert_eq!(identity, registers::identity::REGISTER.reset, "identity of the controller");
    let sizes = bus.read(map::CONTROLLER + registers::sizes::REGISTER.offset);
    (get(registers::sizes::CHANNELS, sizes), get(registers::sizes::WAYS, sizes))
}

/// Tells the channels where the slots are, which they call entries.
pub fn place_entries(bus: &mut impl Bus, layout: &Layout) {
    let stride = (layout.stride / UNIT_BYTES) as u32;
    let word = packed(&[(registers::entries::STRIDE, stride)]);
    bus.write(map::CONTROLLER + registers::entries::REGISTER.offset, word);
    bus.write(map::CONTROLLER + registers::entry_base::REGISTER.offset, 0);
}

/// Cycles since reset.
pub fn cycles(bus: &mut impl Bus) -> u64 {
    let low = bus.read(map::CONTROLLER + registers::time_low::REGISTER.offset);
    let high = bus.read(map::CONTROLLER + registers::time_high::REGISTER.offset);
    u64::from(high) << 32 | u64::from(low)
}

/// Has the memory engine do something with as many bytes at two addresses, and waits for it. Addresses and `length`
/// are multiples of 512. Returns whether what was compared differs.
///
/// # Panics
/// If an access of memory was refused.
pub fn engine(bus: &mut impl Bus, deed: Deed, (from, target): (u64, u64), length: u32) -> bool {
    let unit = |address| (address / UNIT_BYTES) as u32;
    let units = length / UNIT_BYTES as u32;
    if units == 0 {
        return false;
    }
    bus.write(map::CONTROLLER + registers::source::REGISTER.offset, unit(from));
    bus.write(map::CONTROLLER + registers::target::REGISTER.offset, unit(target));
    let order =
        packed(&[(registers::engine::UNITS, units), (registers::engine::DEED, deed as u32)]);
    bus.write(map::CONTROLLER + registers::engine::REGISTER.offset, order);
    let status = registers::engine_status::REGISTER;
    outlast(bus, map::CONTROLLER, status, |word| get(registers::engine_status::BUSY, word) == 0);
    let word = bus.read(map::CONTROLLER + status.offset);
    assert_eq!(
        get(registers::engine_status::FAILED, word),
        0,
        "memory refused the engine's access"
    );
    get(registers::engine_status::DIFFERS, word) == 1
}
