//! What work and accesses cost.

use super::*;

/// A step may be named for every way at once, and time must stand it for many turns.
#[test]
fn the_slowest_processor_of_a_board_does_not_run_out_of_time() {
    let set = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let slow = [
        ("processor.clock_mhz", "1"),
        ("processor.cycles_per_100_instructions", "100000"),
        ("work_instructions.scan", "1000"),
    ];
    let light =
        Work::ALL.map(|work| (format!("work_instructions.{}", work.name()), "1".to_owned()));
    let overrides = [light.to_vec(), slow.map(set).to_vec()].concat();
    let board = board::Board::resolve("cosmos-plus", &overrides).expect("a second is allowed");
    let mut processor = Processor::new(&board.processor, board.memory.engine_access);
    for _ in 0..1_000 {
        processor.work(Work::Scan, 64 * 64);
    }
    assert_eq!(processor.now, 4_096_000 * 1_000_000_000_000);
    let longer = [overrides, vec![set(("work_instructions.scan", "1001"))]].concat();
    let refusal = board::Board::resolve("cosmos-plus", &longer).expect_err("over a second");
    assert!(refusal.to_string().contains("expected at most 1000"), "{refusal}");
}

/// Registers as the public source of Cosmos+ has them, at 1 ns a read and 100 a write.
#[test]
fn requests_take_the_registers_of_their_phase_and_transfers_those_of_each_unit() {
    let set = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let costs = [
        ("processor.register_read_ns", "1"),
        ("processor.register_write_ns", "100"),
        ("processor.register_cycles", "0"),
    ];
    let board = board::Board::resolve("cosmos-plus", &costs.map(set)).expect("the board");
    let rows = [
        (Access::Flash(FlashOperation::ReadTrigger), 301),
        (Access::Flash(FlashOperation::ReadTransfer), 701),
        (Access::Flash(FlashOperation::Program), 501),
        (Access::Flash(FlashOperation::Erase), 301),
        (Access::Flash(FlashOperation::StatusCheck), 301),
        (Access::Flash(FlashOperation::Reset), 301),
        (Access::Request, 401),
        (Access::Response, 3),
        (Access::PhaseResponse, 1),
        (Access::Completion, 100),
        (Access::Engine(32), 0),
        (Access::Dma(1), 300),
        (Access::Dma(4), 1200),
        (Access::Command, 16),
        // A read for each request under way, and for the first one of a direction that has ended.
        (Access::DmaPoll(DmaInSight { under_way: 3, ended: 0 }), 3),
        (Access::DmaPoll(DmaInSight { under_way: 3, ended: 2 }), 5),
        (Access::DmaPoll(DmaInSight { under_way: 0, ended: 0 }), 1),
    ];
    for (access, ns) in rows {
        let mut processor = Processor::new(&board.processor, board.memory.engine_access);
        processor.access(access);
        assert_eq!(processor.now, ns * 1000, "{access:?}");
        assert_eq!(processor.spent()[access.module() as usize], ns * 1000, "{access:?}");
    }
}

/// Section 7.1 of Cosmos+: the interconnect is clocked with the processor, so that a part of an access are cycles.
#[test]
fn a_part_of_a_register_access_grows_with_the_period_of_the_clock() {
    for (clock_mhz, ns) in [("1000", 150), ("500", 200), ("200", 350)] {
        let costs = [
            ("processor.register_read_ns", "100"),
            ("processor.register_cycles", "50"),
            ("processor.clock_mhz", clock_mhz),
        ];
        let set = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        let board = board::Board::resolve("cosmos-plus", &costs.map(set)).expect("the board");
        let mut processor = Processor::new(&board.processor, board.memory.engine_access);
        processor.access(Access::PhaseResponse);
        assert_eq!(processor.now, ns * 1000, "{clock_mhz} MHz");
    }
}

/// Section 3.3.3 of Cosmos+: the status checker sends the checks, the issuer the rest. DMA is issued outside the scheduler.
#[test]
fn registers_are_charged_to_the_module_that_accesses_them() {
    for (access, module) in [
        (Access::Flash(FlashOperation::ReadTrigger), Module::Issuer),
        (Access::Flash(FlashOperation::Program), Module::Issuer),
        (Access::Flash(FlashOperation::StatusCheck), Module::StatusChecker),
        (Access::DmaPoll(DmaInSight { under_way: 1, ended: 0 }), Module::StatusChecker),
        (Access::Dma(4), Module::DependencyChecker),
    ] {
        assert_eq!(access.module(), module, "{access:?}");
    }
}

#[test]
fn a_controller_with_windows_and_an_engine_takes_the_registers_of_those() {
    let set = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let costs = [
        ("processor.register_read_ns", "10"),
        ("processor.register_write_ns", "100"),
        ("processor.register_cycles", "0"),
        ("processor.response_registers", "4"),
        ("processor.dma_registers", "0"),
        ("processor.dma_request_registers", "7"),
        ("processor.completion_registers", "3"),
        ("processor.store_registers", "1"),
        ("processor.time_registers", "2"),
        ("processor.dma_poll_registers", "0"),
        ("memory.engine_access_ns", "28"),
    ];
    let board = board::Board::resolve("cosmos-plus", &costs.map(set)).expect("the board");
    let rows = [
        (Access::PhaseResponse, 40),
        (Access::Dma(1), 700),
        (Access::Dma(4), 700),
        (Access::Completion, 300),
        (Access::Store, 10),
        (Access::Time, 20),
        // One read tells of all.
        (Access::DmaPoll(DmaInSight { under_way: 3, ended: 2 }), 10),
        // Three writes, six reads until 56 ns are over, and one that tells what came of it.
        (Access::Engine(2), 370),
    ];
    for (access, ns) in rows {
        let mut processor = Processor::new(&board.processor, board.memory.engine_access);
        processor.access(access);
        assert_eq!(processor.now, ns * 1000, "{access:?}");
    }
}
