//! The controller registers and the MSI-X table as the host reads and writes them.

use crate::host_control::bar::Access;
use crate::host_control::processor::Event;
use crate::host_control::system::{System, MESSAGES, MSIX_PENDING, MSIX_TABLE, QUEUES};
use nvme::register::{
    offset, Capabilities, ControllerConfiguration, Doorbell, OptionalArbitration, VERSION,
};
use rtl_sim::{seed, Random};

const FATAL: u32 = 2;

#[test]
fn registers_read_as_the_specification_has_them() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        let capabilities = Capabilities {
            queue_entries: 64,
            arbitration: OptionalArbitration::WeightedRoundRobin,
            timeout: 60,
            doorbell_stride: 0,
            page_size_max: 0,
            command_sets: nvme::register::CommandSets::Nvm,
        };
        let cap = capabilities.emit();
        assert_eq!(system.read(offset::CAP, 3), [cap as u32, (cap >> 32) as u32, VERSION]);
        assert_eq!(system.read(offset::CC, 7), [0; 7]);
        system.write(offset::INTMS, &[0xf0f0_00ff]);
        system.write(offset::INTMC, &[0x0000_000f]);
        assert_eq!(system.read32(offset::INTMS), 0xf0f0_00f0);
        assert_eq!(system.read32(offset::INTMC), 0xf0f0_00f0);
        // A burst over AQA, ASQ and ACQ; reserved bits of AQA stay zero.
        let written = [0xffff_ffff, 0x1234_5678, 0x9abc_def0, 0x0fed_cba9, 0x8765_4321];
        system.write(offset::AQA, &written);
        let mut expected = written;
        expected[0] = 0x0fff_0fff;
        assert_eq!(system.read(offset::AQA, 5), expected);
        // Read-only and unknown ones.
        system.write(offset::CAP, &[0, 0, 0]);
        system.write(offset::NSSR, &[0x4e56_4d65]);
        system.write(0x38, &[7]);
        assert_eq!(system.read32(offset::VS), VERSION);
        assert_eq!(system.read(offset::NSSR, 1), [0]);
        assert_eq!(system.read(0x38, 6), [0; 6]);
        assert_eq!(system.read32(0xffc), 0);
        assert_eq!(system.read32(Doorbell::SubmissionTail(0).offset(0)), 0);
        assert!(system.events.is_empty());
    });
}

#[test]
fn a_start_that_capabilities_do_not_allow_is_fatal_and_can_be_mended() {
    seed::each(2, |random| {
        let good = ControllerConfiguration::started(1).0;
        let bad = [
            (offset::CC, good | 1 << 4),
            (offset::CC, good | 1 << 7),
            (offset::CC, good | 2 << 11),
            (offset::AQA, 0x0000_001f),
            (offset::AQA, 0x001f_0000),
            (offset::ASQ, 0x0000_0800),
            (offset::ACQ, 0x0000_0001),
        ];
        let mut system = System::new(random);
        for (address, value) in bad {
            system.start(32, 1);
            system.expect(Event::Enable);
            system.write(offset::CC, &[0]);
            system.expect(Event::Disable);
            system.write(address, &[value]);
            if address != offset::CC {
                system.write(offset::CC, &[good]);
            }
            assert_eq!(system.read32(offset::CSTS), FATAL, "{address:#x}: {value:#x}");
            system.write(offset::CC, &[0]);
            assert_eq!(system.read32(offset::CSTS), 0);
            assert!(system.events.is_empty(), "{:?}", system.events);
        }
    });
}

#[test]
fn shutdown_is_told_once_and_its_end_shows() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        system.bring_up(4, 0);
        let started = ControllerConfiguration::started(0);
        system.write(offset::CC, &[started.shut_down().0]);
        system.write(offset::CC, &[started.shut_down().0]);
        system.expect(Event::Shutdown);
        assert_eq!(system.read32(offset::CSTS), 0b0101);
        system.pulse("shutdown_done_i", &[]);
        assert_eq!(system.read32(offset::CSTS), 0b1001);
        // Only a start ends it.
        system.write(offset::CC, &[0]);
        system.expect(Event::Disable);
        system.set_ready(0);
        system.cycles(100);
        assert_eq!(system.read32(offset::CSTS), 0b1000);
        system.start(4, 0);
        system.expect(Event::Enable);
        assert_eq!(system.read32(offset::CSTS), 0);
        // The end of a shutdown that nobody waits for.
        system.pulse("shutdown_done_i", &[]);
        assert_eq!(system.read32(offset::CSTS), 0);
        assert!(system.events.is_empty());
    });
}

#[test]
fn a_function_reset_clears_registers_and_stops() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        system.bring_up(4, 0);
        system.pulse("function_reset_i", &[]);
        system.expect(Event::Disable);
        system.set_ready(0);
        system.cycles(100);
        assert_eq!(system.read(offset::CC, 9), [0; 9]);
        system.pulse("function_reset_i", &[]);
        system.cycles(10);
        assert!(system.events.is_empty());
        system.bring_up(4, 0);
    });
}

#[test]
fn toggling_the_enable_fills_no_queue_of_events() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        system.processor.set_pace(rtl_sim::Pace::Never);
        for _ in 0..40 {
            system.start(4, 0);
            system.write(offset::CC, &[0]);
        }
        system.start(4, 0);
        system.processor.set_pace(rtl_sim::Pace::Always);
        system.cycles(20);
        // The first enabling may have been on its way already.
        let events: Vec<Event> = system.events.drain(..).collect();
        let short = [Event::Enable];
        let long = [Event::Enable, Event::Disable, Event::Enable];
        assert!(events == short || events == long, "{events:?}");
    });
}

#[test]
fn the_table_of_vectors_reads_back_and_has_an_end() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        assert_eq!(system.read(MSIX_TABLE + 12, 1), [1], "vectors start masked");
        let vector = |n: u64| [(MESSAGES + 4 * n) as u32, (MESSAGES >> 32) as u32, 7 + n as u32, 0];
        for n in 0..QUEUES {
            system.write(MSIX_TABLE + 16 * n, &vector(n));
        }
        // Behind the end, and where the number would be the same in fewer bits.
        for beyond in [QUEUES, 8, 16, 255] {
            system.write(MSIX_TABLE + 16 * beyond, &[5, 5, 5, 1]);
            assert_eq!(system.read(MSIX_TABLE + 16 * beyond, 4), [0; 4]);
        }
        for n in 0..QUEUES {
            assert_eq!(system.read(MSIX_TABLE + 16 * n, 4), vector(n));
        }
        system.write(MSIX_PENDING, &[0xffff_ffff]);
        assert_eq!(system.read(MSIX_PENDING, 8), [0; 8]);
        // An address is aligned, whatever the host writes.
        system.write(MSIX_TABLE, &[MESSAGES as u32 + 0xfff]);
        assert_eq!(system.read32(MSIX_TABLE), MESSAGES as u32 + 0xffc);
    });
}

/// A posted write waits for no completion of a read, or host and bridge could wait for each other.
#[test]
fn writes_go_on_while_the_answer_of_a_read_is_not_taken() {
    seed::each(4, |random| {
        let mut system = System::new(random);
        system.bar.hold_answers(true);
        system.bar.push(Access::Read(offset::CAP, 3));
        system.until("a read", |system| system.bar.holds_a_read());
        system.cycles(random.below(30));
        for bit in 0..4 {
            system.write(offset::INTMS, &[1 << bit]);
            system.write(MSIX_TABLE + 16 * bit, &[bit as u32 * 64, 0, 1, 0]);
        }
        system.bar.hold_answers(false);
        system.until("the answer", |system| system.bar.is_idle() && !system.bar.holds_a_read());
        assert_eq!(system.bar.take().map(|dwords| dwords[2]), Some(VERSION));
        assert_eq!(system.read32(offset::INTMS), 0xf);
        assert_eq!(system.read32(MSIX_TABLE + 16 * 3), 192);
    });
}

/// A read passes no write that was taken before it, however late the write's data come.
#[test]
fn a_read_waits_for_the_writes_before_it() {
    let mut system = System::new(&mut Random::new(1));
    let place = [("aw_address_i", offset::INTMS), ("ar_address_i", offset::INTMS)];
    let sizes = [("aw_size_i", 2), ("ar_size_i", 2), ("ar_length_i", 0), ("aw_valid_i", 1)];
    place.into_iter().chain(sizes).for_each(|(name, value)| system.set(name, value));
    system.bench.cycle(&mut []);
    system.set("aw_valid_i", 0);
    system.set("ar_valid_i", 1);
    for _ in 0..20 {
        assert_eq!(system.get("ar_ready_o"), 0, "the write is not done");
        system.bench.cycle(&mut []);
    }
    let lane = (offset::INTMS % 32 / 4) as u32;
    for (name, value) in [("w_data_i", 0x55), ("w_strobe_i", 0xf)] {
        let port = system.bench.input(name).lane(lane, 8);
        system.bench.set(port, value);
    }
    for name in ["w_valid_i", "w_last_i", "b_ready_i", "r_ready_i"] {
        system.set(name, 1);
    }
    let data = system.bench.output("r_data_o").lane(lane, 8);
    let mut written = false;
    for _ in 0..40 {
        written |= system.get("w_ready_o") == 1;
        let taken = system.get("ar_ready_o");
        if system.get("r_valid_o") == 1 {
            assert_eq!(system.bench.get(data), 0x55);
            return;
        }
        system.bench.cycle(&mut []);
        system.set("w_valid_i", u64::from(!written));
        if taken == 1 {
            system.set("ar_valid_i", 0);
        }
    }
    panic!("no answer");
}
