//! The map: what can be read and written, and where it goes.

use crate::registers::setup::{Setup, WAYS};
use ::registers::flash::{self as registers, REGISTERS};
use ::registers::{Field, Register};
use contract::packet::{Operation, Request};
use contract::Metadata;
use rtl_sim::{seed, Access, Pace};

#[test]
fn registers_start_as_the_source_says() {
    let mut setup = Setup::willing();
    for register in REGISTERS {
        let known = register.constant | register.storage | register.sticky;
        let found = setup.read(register.offset);
        assert_eq!(found & known, register.reset, "{}", register.name);
    }
    let sizes = setup.read(registers::sizes::REGISTER.offset);
    assert_eq!(registers::sizes::WAYS.get(&[sizes]), WAYS);
    assert_eq!(registers::sizes::STREAMS.get(&[sizes]), 8);
    assert_eq!(registers::sizes::DEPTH.get(&[sizes]), 32);
    assert_eq!(registers::sizes::METADATA.get(&[sizes]), Metadata::bytes(1) as u32);
}

#[test]
fn storage_keeps_what_was_written_and_nothing_else_changes() {
    seed::each(5, |random| {
        let mut setup = Setup::at_any_pace(random);
        let mut expected = REGISTERS.map(|register| register.reset);
        for _ in 0..40 {
            let written = random.below(REGISTERS.len() as u64) as usize;
            let (register, data) = (REGISTERS[written], random.next() as u32);
            setup.write(register.offset, data);
            expected[written] = (expected[written] & !register.storage) | (data & register.storage);
            let looked_at = random.below(REGISTERS.len() as u64) as usize;
            for index in [written, looked_at] {
                let register = REGISTERS[index];
                let known = register.constant | register.storage;
                let found = setup.read(register.offset) & known;
                assert_eq!(found, expected[index], "{}", register.name);
            }
        }
    });
}

#[test]
fn writes_and_reads_do_not_mix_at_any_pace() {
    seed::each(5, |random| {
        let mut setup = Setup::at_any_pace(random);
        let timeouts = registers::timeouts::REGISTER.offset;
        let identity = registers::identity::REGISTER;
        for _ in 0..50 {
            setup.master.write(timeouts, random.next() as u32);
            setup.master.read(identity.offset);
            setup.master.read(registers::bus::REGISTER.offset);
        }
        setup.run(4_000);
        assert_eq!(setup.master.take_written(), [Access::Okay; 50]);
        let expected = [(identity.reset, Access::Okay), (0, Access::Okay)].repeat(50);
        assert_eq!(setup.master.take_read(), expected);
    });
}

#[test]
fn accesses_that_cannot_be_done_end_in_an_error_and_change_nothing() {
    let mut setup = Setup::willing();
    let bus = registers::bus::REGISTER.offset;
    let last_monitor = registers::monitors::OFFSET + registers::monitors::SIZE - 4;
    let known = |address: u32| {
        REGISTERS.iter().any(|register| register.offset == address)
            || registers::request::WORD.contains(&address)
            || registers::response::WORD.contains(&address)
            || (registers::monitors::OFFSET..=last_monitor).contains(&address)
    };
    for address in (0..0x200).step_by(4) {
        let expected = if known(address) { Access::Okay } else { Access::SlaveError };
        assert_eq!(setup.access(address).1, expected, "read of {address:#05x}");
        let found = setup.write_bytes(address, 0, 0xf);
        assert_eq!(found, expected, "write of {address:#05x}");
    }
    setup.run(10);
    setup.requests.take();
    for strobes in 0..0xf {
        assert_eq!(setup.write_bytes(bus, u32::MAX, strobes), Access::SlaveError);
        for address in registers::request::WORD {
            assert_eq!(setup.write_bytes(address, u32::MAX, strobes), Access::SlaveError);
        }
    }
    assert_eq!(setup.read(bus), 0);
    assert_eq!(setup.received(), []);
}

#[test]
fn ways_and_room_are_as_the_channel_says() {
    seed::each(10, |random| {
        let mut setup = Setup::willing();
        let [ready, pending, occupied] = [0; 3].map(|_| random.below(1 << WAYS));
        let room = random.below(1 << (2 * WAYS));
        setup.set("ready_i", ready);
        setup.set("pending_i", pending);
        setup.set("occupied_i", occupied);
        setup.set("room_i", room);
        let (ways, status) = (registers::ways::REGISTER, registers::status::REGISTER);
        assert_eq!(u64::from(setup.field(ways, registers::ways::READY)), ready);
        assert_eq!(u64::from(setup.field(ways, registers::ways::OCCUPIED)), occupied);
        assert_eq!(u64::from(setup.read(registers::room::REGISTER.offset)), room);
        let idle = setup.field(status, registers::status::IDLE);
        assert_eq!(u64::from(idle), ready & !pending);
        // A request that waits in the window counts for its way.
        setup.requests.set_pace(Pace::Never);
        let way = random.below(u64::from(WAYS)) as u8;
        setup.send(&Request::new(Operation::Reset, way, 0));
        let idle = setup.field(status, registers::status::IDLE);
        assert_eq!(u64::from(idle), ready & !pending & !(1 << way));
    });
}

/// The fields of a packed struct, the highest first.
type Layout<'a> = &'a [(Register, Field)];

#[test]
fn fields_reach_the_choices_of_their_names() {
    use registers::*;
    let scheduler: Layout = &[
        (scheduler::REGISTER, scheduler::MODEL),
        (scheduler::REGISTER, scheduler::MERGE_PLANES),
        (scheduler::REGISTER, scheduler::MERGE_CACHE_READ),
        (scheduler::REGISTER, scheduler::MERGE_CACHE_PROGRAM),
        (scheduler::REGISTER, scheduler::JEDEC),
        (scheduler::REGISTER, scheduler::PLANE_BITS),
        (scheduler::REGISTER, scheduler::PLANE_SHIFT),
        (scheduler::REGISTER, scheduler::LUN_SHIFT),
        (scheduler::REGISTER, scheduler::HALT_ON_FAILURE),
        (scheduler::REGISTER, scheduler::FULL_GIVES_BACK),
        (scheduler::REGISTER, scheduler::LOW_WAYS),
        (scheduler::REGISTER, scheduler::AGE),
        (timeouts::REGISTER, timeouts::BUSY_TIMEOUT),
    ];
    let bus: Layout = &[
        (bus::REGISTER, bus::DDR),
        (bus::REGISTER, bus::LONG_ROW),
        (command_waits::REGISTER, command_waits::CE_SETUP),
        (command_waits::REGISTER, command_waits::CE_HOLD),
        (command_waits::REGISTER, command_waits::WE_LOW),
        (command_waits::REGISTER, command_waits::WE_HIGH),
        (phase_waits::REGISTER, phase_waits::ADL),
        (phase_waits::REGISTER, phase_waits::CCS),
        (phase_waits::REGISTER, phase_waits::WHR),
        (phase_waits::REGISTER, phase_waits::RHW),
        (chip_waits::REGISTER, chip_waits::WB),
        (chip_waits::REGISTER, chip_waits::RR),
        (chip_waits::REGISTER, chip_waits::RE_LOW),
        (chip_waits::REGISTER, chip_waits::RE_HIGH),
        (data_waits::REGISTER, data_waits::READ_PREAMBLE),
        (data_waits::REGISTER, data_waits::READ_POSTAMBLE),
        (data_waits::REGISTER, data_waits::WRITE_PREAMBLE),
        (data_waits::REGISTER, data_waits::WRITE_POSTAMBLE),
        (bus::REGISTER, bus::SAMPLE_DELAY),
        (timeouts::REGISTER, timeouts::DATA_TIMEOUT),
    ];
    for (port, layout) in [("scheduler_config_o", scheduler), ("bus_config_o", bus)] {
        let mut setup = Setup::willing();
        for register in REGISTERS.iter().filter(|register| register.storage != 0) {
            setup.write(register.offset, 0);
        }
        let width: u32 = layout.iter().map(|(_, field)| field.max().count_ones()).sum();
        let port = setup.bench.output(port);
        let mut low = width;
        for (register, field) in layout {
            low -= field.max().count_ones();
            setup.write(register.offset, field.mask());
            let ones = low..low + field.max().count_ones();
            for bit in 0..width {
                let found = setup.bench.get(port.lane(bit, width));
                assert_eq!(found == 1, ones.contains(&bit), "{} {field:?}", register.name);
            }
            setup.write(register.offset, 0);
        }
    }
}

#[test]
fn ways_are_told_once_for_each_write() {
    use registers::*;
    let told = [
        (halt::REGISTER, 48),
        (resume::REGISTER, 32),
        (give_back::REGISTER, 16),
        (abort_ways::REGISTER, 0),
    ];
    seed::each(5, |random| {
        let mut setup = Setup::at_any_pace(random);
        let orders = setup.bench.output("orders_o");
        for (register, low) in told {
            let ways = 1 + random.below(255);
            setup.master.write(register.offset, ways as u32);
            let mut seen = vec![];
            for _ in 0..200 {
                setup.cycle();
                seen.push(setup.bench.get(orders));
            }
            seen.retain(|orders| *orders != 0);
            assert_eq!(seen, [ways << low], "{}", register.name);
            setup.master.take_written();
        }
        let [halted, giving] = [0; 2].map(|_| random.below(1 << WAYS));
        setup.set("halted_i", halted);
        setup.set("giving_i", giving);
        assert_eq!(u64::from(setup.field(halts::REGISTER, halts::HALTED)), halted);
        assert_eq!(u64::from(setup.field(halts::REGISTER, halts::GIVING_BACK)), giving);
    });
}
