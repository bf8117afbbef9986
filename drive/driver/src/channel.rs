//! Registers of a flash channel: its windows, its status, its orders.

use ::registers::flash as registers;
use contract::packet::{Request, ResponseWords};
use contract::WayOrder;

use crate::{get, outlast, Bus};
use ::registers::map;

/// What the registers of a channel are set to at start, word by word
/// (docs/spec/flash-registers.md).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelWords {
    /// Word of SCHEDULER: policies of the scheduler.
    pub scheduler: u32,
    /// Word of TIMEOUTS: the longest waits.
    pub timeouts: u32,
    /// Word of BUS: the interface, the length of rows, and when SDR samples its data.
    pub bus: u32,
    /// Word of COMMAND_WAITS: waits around commands, in cycles.
    pub command_waits: u32,
    /// Word of PHASE_WAITS: waits between phases, in cycles.
    pub phase_waits: u32,
    /// Word of CHIP_WAITS: waits for the chip, and the pulses of reads in SDR, in cycles.
    pub chip_waits: u32,
    /// Word of DATA_WAITS: ends of data transfers in DDR, in cycles.
    pub data_waits: u32,
}

impl ChannelWords {
    /// Each register with its value.
    pub fn registers(&self) -> [(::registers::Register, u32); 7] {
        [
            (registers::scheduler::REGISTER, self.scheduler),
            (registers::timeouts::REGISTER, self.timeouts),
            (registers::bus::REGISTER, self.bus),
            (registers::command_waits::REGISTER, self.command_waits),
            (registers::phase_waits::REGISTER, self.phase_waits),
            (registers::chip_waits::REGISTER, self.chip_waits),
            (registers::data_waits::REGISTER, self.data_waits),
        ]
    }
}

/// Configures a channel.
///
/// # Panics
/// If the registers are not those that this driver knows, or do not keep what is written.
pub fn configure(bus: &mut impl Bus, channel: u8, words: &ChannelWords) {
    let base = map::channel(channel);
    let identity = bus.read(base + registers::identity::REGISTER.offset);
    assert_eq!(identity, registers::identity::REGISTER.reset, "identity of channel {channel}");
    for (register, word) in words.registers() {
        bus.write(base + register.offset, word);
        let kept = bus.read(base + register.offset);
        assert_eq!(kept, word, "{} of channel {channel}", register.name);
    }
}

/// STATUS of a channel.
pub fn status(bus: &mut impl Bus, channel: u8) -> u32 {
    bus.read(map::channel(channel) + registers::status::REGISTER.offset)
}

/// Whether a status says that a response waits.
pub fn has_response(status: u32) -> bool {
    get(registers::status::RESPONSE, status) == 1
}

/// The ways of which the channel holds nothing and whose chips are ready.
pub fn idle(status: u32) -> u64 {
    get(registers::status::IDLE, status).into()
}

/// Takes the oldest response, which the status said is there.
pub fn take_response(bus: &mut impl Bus, channel: u8) -> ResponseWords {
    registers::response::WORD.map(|offset| bus.read(map::channel(channel) + offset))
}

/// Puts a request into its window, once the one before it has left.
pub fn send(bus: &mut impl Bus, channel: u8, request: &Request) {
    let base = map::channel(channel);
    outlast(bus, base, registers::status::REGISTER, |status| {
        get(registers::status::FREE, status) == 1
    });
    for (offset, word) in registers::request::WORD.into_iter().zip(request.emit()) {
        bus.write(base + offset, word);
    }
}

/// Tells a way something.
pub fn order(bus: &mut impl Bus, channel: u8, way: u8, order: WayOrder) {
    let register = match order {
        WayOrder::Halt => registers::halt::REGISTER,
        WayOrder::Resume => registers::resume::REGISTER,
        WayOrder::GiveBack => registers::give_back::REGISTER,
        WayOrder::Abort => registers::abort_ways::REGISTER,
    };
    bus.write(map::channel(channel) + register.offset, 1 << way);
}
