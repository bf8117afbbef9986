//! The map: what can be read and written, and where it goes.

use crate::host_processor::setup::{Setup, TAGS};
use ::registers::host::{self as registers, REGISTERS};
use ::registers::{Field, Register};
use rtl_sim::{seed, Access};

#[test]
fn registers_start_as_the_source_says() {
    let mut setup = Setup::willing();
    for register in REGISTERS {
        let known = register.constant | register.storage | register.sticky;
        let found = setup.read(register);
        assert_eq!(found & known, register.reset & known, "{}", register.name);
    }
    let sizes = setup.read(registers::sizes::REGISTER);
    assert_eq!(u64::from(registers::sizes::TAGS.get(&[sizes])), TAGS);
    assert_eq!(registers::sizes::AUTOMATED.get(&[sizes]), 1);
    assert_eq!(registers::sizes::MONITORED.get(&[sizes]), 1);
    assert_eq!(registers::sizes::MEMORIES.get(&[sizes]), 2);
    assert_eq!(registers::sizes::BYTES.get(&[sizes]), 32);
    let queues = setup.read(registers::queues::REGISTER);
    assert_eq!(registers::queues::PAIRS.get(&[queues]), 17);
    assert_eq!(registers::queues::LARGEST_SIZE.get(&[queues]), 1023);
}

#[test]
fn storage_keeps_what_was_written_and_nothing_else_changes() {
    seed::each(5, |random| {
        let mut setup = Setup::at_any_pace(random);
        let mut expected = REGISTERS.map(|register| register.reset & register.storage);
        for _ in 0..60 {
            let written = random.below(REGISTERS.len() as u64) as usize;
            let (register, data) = (REGISTERS[written], random.next() as u32);
            setup.write(register, data);
            expected[written] = data & register.storage;
            let looked_at = random.below(REGISTERS.len() as u64) as usize;
            for index in [written, looked_at] {
                let found = setup.read(REGISTERS[index]) & REGISTERS[index].storage;
                assert_eq!(found, expected[index], "{}", REGISTERS[index].name);
            }
        }
    });
}

#[test]
fn what_can_only_be_written_reads_as_zero() {
    use registers::*;
    let mut setup = Setup::willing();
    for register in [completion_result::REGISTER, dma_length::REGISTER, blocks_high::REGISTER] {
        setup.write(register, u32::MAX);
        assert_eq!(setup.read(register), 0, "{}", register.name);
    }
}

#[test]
fn accesses_that_cannot_be_done_end_in_an_error_and_change_nothing() {
    use registers::{commands, faults, monitors};
    let mut setup = Setup::willing();
    let windows = [
        (commands::OFFSET, commands::SIZE),
        (faults::OFFSET, faults::SIZE),
        (monitors::OFFSET, monitors::SIZE),
    ];
    let known = |address: u32| {
        REGISTERS.iter().any(|register| register.offset == address)
            || windows.iter().any(|(first, size)| (*first..first + size).contains(&address))
    };
    // All of the first registers, and what is around each border behind them.
    let borders = windows.iter().flat_map(|(first, size)| [*first, first + size]);
    let around = borders.flat_map(|border| [border - 4, border % 0x8000]);
    for address in (0..0xa0).step_by(4).chain(around) {
        let expected = if known(address) { Access::Okay } else { Access::SlaveError };
        assert_eq!(setup.access(address).1, expected, "read of {address:#05x}");
        let found = setup.write_bytes(address, 0, 0xf);
        assert_eq!(found, expected, "write of {address:#05x}");
    }
    setup.run(20);
    setup.completions.take();
    setup.requests.take();
    setup.ready.take();
    for strobes in 0..0xf {
        for register in REGISTERS {
            let found = setup.write_bytes(register.offset, u32::MAX, strobes);
            assert_eq!(found, Access::SlaveError, "{}", register.name);
        }
    }
    setup.run(20);
    assert_eq!((setup.completions.take(), setup.requests.take()), (vec![], vec![]));
    assert_eq!(setup.ready.take(), Vec::<Vec<u64>>::new());
    assert_eq!(setup.get("blocks_o"), 0);
}

#[test]
fn choices_reach_the_ports_of_their_names() {
    use registers::*;
    seed::each(5, |random| {
        let mut setup = Setup::willing();
        // A port is made of these fields, the lowest first.
        let ports: [(&str, &[(Register, Field)]); 6] = [
            ("automated_o", &[(automation::REGISTER, automation::ENABLE)]),
            ("block_shift_o", &[(automation::REGISTER, automation::BLOCK_SHIFT)]),
            ("transfer_blocks_o", &[(transfer_blocks::REGISTER, transfer_blocks::BLOCKS)]),
            (
                "blocks_o",
                &[
                    (blocks_low::REGISTER, blocks_low::BLOCKS),
                    (blocks_high::REGISTER, blocks_high::BLOCKS),
                ],
            ),
            (
                "memory_base_o",
                &[
                    (memory_base_low::REGISTER, memory_base_low::ADDRESS),
                    (memory_base_high::REGISTER, memory_base_high::ADDRESS),
                ],
            ),
            ("unread_queue_o", &[(counted_queue::REGISTER, counted_queue::ID)]),
        ];
        for (port, fields) in ports {
            let (mut expected, mut low) = (0, 0);
            for (register, field) in fields {
                // The top has 32 places for queues.
                let bound = if port == "unread_queue_o" { 32 } else { u64::from(field.max()) + 1 };
                let value = random.below(bound);
                setup.write_fields(*register, &[(*field, value as u32)]);
                expected |= value << low;
                low += 32;
            }
            assert_eq!(setup.get(port), expected, "{port}");
        }
    });
}

#[test]
fn counts_of_the_selected_queue_are_told() {
    use registers::queue_commands::{REGISTER, RUNNING, UNREAD};
    seed::each(5, |random| {
        let mut setup = Setup::willing();
        let [unread, running] = [0; 2].map(|_| random.below(TAGS + 1));
        setup.set("unread_count_i", unread);
        setup.set("running_count_i", running);
        let found = [setup.read(REGISTER)];
        assert_eq!(u64::from(UNREAD.get(&found)), unread);
        assert_eq!(u64::from(RUNNING.get(&found)), running);
    });
}
