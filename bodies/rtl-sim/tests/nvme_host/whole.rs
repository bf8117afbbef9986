//! The whole controller with flash chips on its pins, under the real firmware: what is written is there.

use crate::nvme_host::buffers::Shape;
use crate::nvme_host::deletions::full_queue_goes;
use crate::nvme_host::traffic::Load;
use crate::nvme_host::world::World;
use contract::Duration;
use driver::{Controller, Layout};
use firmware::sched::Scheduling;
use machine::Device;
use nand::onfi::{Defect, Errors};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::status::Status;
use rtl_sim::axi::{Behaviour, Mishap};
use rtl_sim::nvme::{Card, CardDevice, Ssd, SsdSetup, SsdTop, Surroundings};
use rtl_sim::{seed, Pace, Random};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Chips whose wrong bits are well within what is corrected: three a page on average.
const FAIR: Errors = Errors {
    wrong_bits_per_1000_pages: 3000,
    retry_percent: 50,
    program_failures_per_billion: 0,
    erase_failures_per_billion: 0,
    factory_bad_per_million: 0,
};

fn setup(around: Surroundings, errors: Errors, random: &mut Random) -> SsdSetup {
    SsdSetup { around, errors, seed: random.below(1 << 32), controller: SsdTop::OneClock }
}

/// One clock for all, clocks of the host interface and of the channels that are none of the controller's, and narrow buses.
const OTHER_TOPS: [SsdTop; 2] =
    [SsdTop::OwnClocks([Duration::from_ps(4_001), Duration::from_ps(13_006)]), SsdTop::Narrow];

/// A drive that is prompt, ready, with a queue pair.
pub fn prompt<S>(
    make: impl FnOnce(SsdSetup, &mut Random) -> Ssd<S>,
    controller: SsdTop,
) -> World<Ssd<S>>
where
    Ssd<S>: CardDevice,
{
    let random = &mut Random::new(1);
    let setup = setup(Surroundings::prompt(), Errors::default(), random);
    let setup = SsdSetup { controller, ..setup };
    let mut world = World::of(make(setup, random), random);
    world.create_queue(16);
    world
}

/// Reads, writes, flushes and write zeroes, in any mixture, against a model of all bytes.
fn every_byte<D: CardDevice>(device: D, random: &mut Random) -> Load<D> {
    let mut load = Load::new(World::of(device, random), random);
    load.run(60);
    for chips in &load.world.device.card().chips {
        chips.assert_clean();
    }
    load
}

#[test]
fn every_byte_is_where_it_belongs_when_the_firmware_schedules() {
    seed::each(1, |random| {
        let setup = setup(Surroundings::any(random), FAIR, random);
        every_byte(Ssd::of_phases(setup, random), random);
    });
}

/// As a memory may that is late with its addresses (AXI4 section A3.3.1).
#[test]
fn every_byte_is_where_it_belongs_when_memory_takes_data_before_addresses() {
    seed::each(1, |random| {
        let mut around = Surroundings::any(random);
        around.memories.iter_mut().for_each(|memory| memory.data_first = true);
        let setup = setup(around, FAIR, random);
        every_byte(Ssd::of_operations(setup, random), random);
    });
}

#[test]
fn every_byte_is_where_it_belongs_when_channels_schedule() {
    seed::each(1, |random| {
        let setup = setup(Surroundings::any(random), FAIR, random);
        every_byte(Ssd::of_operations(setup, random), random);
    });
}

#[test]
fn every_byte_is_where_it_belongs_between_unrelated_clocks() {
    seed::each(1, |random| {
        let mut setup = setup(Surroundings::any(random), FAIR, random);
        // The chips take 100 MHz at most.
        let mut clock = |from, to| Duration::from_ps(from + random.below(to - from));
        let clocks = [clock(3_000, 25_000), clock(10_000, 25_000)];
        setup.controller = SsdTop::OwnClocks(clocks);
        every_byte(Ssd::of_operations(setup, random), random);
    });
}

#[test]
fn every_byte_is_where_it_belongs_when_blocks_go_bad() {
    let errors = Errors { program_failures_per_billion: 10_000_000, ..FAIR };
    let bad_blocks = AtomicU64::new(0);
    seed::each(2, |random| {
        let setup = setup(Surroundings::prompt(), errors, random);
        let load = every_byte(Ssd::of_operations(setup, random), random);
        bad_blocks.fetch_add(load.world.device.counters().bad_blocks, Ordering::Relaxed);
    });
    assert!(bad_blocks.into_inner() > 0, "no block went bad");
}

#[test]
fn every_byte_is_there_after_the_controller_lost_power() {
    seed::each(1, |random| {
        let setup = setup(Surroundings::prompt(), FAIR, random);
        let load = every_byte(Ssd::of_operations(setup, random), random);
        let mut load = load.power_cycle(|device, random| device.power_cycle(random));
        load.check_all();
    });
}

/// A command over the first blocks, with these bytes in host memory; how it ended.
pub fn run<D: CardDevice>(
    world: &mut World<D>,
    command: fn(BlockRange, UnitAccess) -> IoCommand,
    range: BlockRange,
    bytes: &[u8],
) -> (Status, Vec<u8>) {
    let buffer = world.buffer(bytes.len() as u64);
    buffer.fill(world.memory(), bytes);
    let header = world.header(&buffer);
    let status = world.io(&command(range, UnitAccess::Normal).emit(header));
    let found = buffer.bytes(world.memory());
    world.pages.release(buffer);
    (status, found)
}

#[test]
fn the_memory_engine_compares_and_fills() {
    engine_compares_and_fills(SsdTop::OneClock);
}

fn engine_compares_and_fills(controller: SsdTop) {
    let mut world = prompt(Ssd::of_operations, controller);
    let blocks = 3;
    let range = BlockRange { start: 5, blocks };
    let mut bytes = world.random.bytes(blocks as usize * 512);
    assert!(run(&mut world, IoCommand::Write, range, &bytes).0.is_success());
    assert!(run(&mut world, IoCommand::Compare, range, &bytes).0.is_success());
    // Blocks before and behind were never written.
    let around = BlockRange { start: 4, blocks: 5 };
    let mut expected = vec![0; 512];
    expected.extend_from_slice(&bytes);
    expected.resize(5 * 512, 0);
    let (status, found) = run(&mut world, IoCommand::Read, around, &vec![0xa5; 5 * 512]);
    assert!(status.is_success() && found == expected);
    for at in [0, 511, 512, 3 * 512 - 1] {
        bytes[at] ^= 1;
        let (status, _) = run(&mut world, IoCommand::Compare, range, &bytes);
        assert!(status.is(Status::COMPARE_FAILURE), "byte {at} differs");
        bytes[at] ^= 1;
    }
    let header = world.bare_header();
    let zeroes = IoCommand::WriteZeroes(BlockRange { start: 6, blocks: 1 }, UnitAccess::Normal);
    assert!(world.io(&zeroes.emit(header)).is_success());
    bytes[512..1024].fill(0);
    assert!(run(&mut world, IoCommand::Compare, range, &bytes).0.is_success());
}

#[test]
fn a_host_that_reads_no_completions_can_delete_its_queues() {
    let mut world = prompt(Ssd::of_operations, SsdTop::OneClock);
    world.create_queue(16);
    full_queue_goes(&mut world);
}

/// Entries of the buffer that hold data of the host.
const CACHED_ENTRIES: u64 = 32;
/// Bytes that one memory channel has in a row (`fm_transfer_pkg::StripeBytes`).
const STRIPE_BYTES: u64 = 512;
/// Cycles between two ticks of the models' time-outs; a pause of two to three ticks is one (TickBits of `ssd_bench`).
const TICK_CYCLES: u64 = 1 << 13;

/// Memory that refuses every access of the host's data in its first channel, but none of metadata and of the log.
fn refusing(layout: &Layout) -> Behaviour {
    refusing_entries(layout, 0..CACHED_ENTRIES)
}

/// The same for the data of these entries.
fn refusing_entries(layout: &Layout, entries: Range<u64>) -> Behaviour {
    let units_per_entry = layout.stride / 512;
    let is_data = |unit: &u64| unit % units_per_entry < layout.page_bytes / 512;
    let units = entries.start * units_per_entry..entries.end * units_per_entry;
    // Of the units of 512 bytes the first channel has every second.
    let units = units.filter(|unit| unit % 2 == 0).filter(is_data);
    let refused = units.map(|unit| (unit / 2 * 512..unit / 2 * 512 + 512, Mishap::Error));
    Behaviour { mishaps: refused.collect(), ..Behaviour::prompt() }
}

#[test]
fn a_page_that_memory_does_not_take_is_an_error() {
    page_is_not_taken(SsdTop::OneClock);
}

fn page_is_not_taken(controller: SsdTop) {
    let mut world = prompt(Ssd::of_operations, controller);
    let range = BlockRange { start: 0, blocks: 8 };
    let bytes = world.random.bytes(8 * 512);
    assert!(run(&mut world, IoCommand::Write, range, &bytes).0.is_success());
    // The page leaves the buffer for others.
    for start in (8..400).step_by(8) {
        let other = world.random.bytes(8 * 512);
        let range = BlockRange { start, blocks: 8 };
        assert!(run(&mut world, IoCommand::Write, range, &other).0.is_success());
    }
    let flush = IoCommand::Flush.emit(world.bare_header());
    assert!(world.io(&flush).is_success());
    let behaviour = refusing(&world.device.layout());
    world.device.card().memories[0].set_behaviour(behaviour);
    let (status, _) = run(&mut world, IoCommand::Read, range, &bytes);
    assert!(status.is(Status::UNRECOVERED_READ), "{status}");
    world.device.card().memories[0].set_behaviour(Behaviour::prompt());
    assert!(run(&mut world, IoCommand::Write, range, &bytes).0.is_success());
    let (status, found) = run(&mut world, IoCommand::Read, range, &vec![0; 8 * 512]);
    assert!(status.is_success() && found == bytes, "{status}");
}

#[test]
fn a_page_that_memory_does_not_take_is_no_error_of_another() {
    seed::each(2, |random| {
        let setup = |random: &mut Random| {
            // A firmware that is slow finds several answers at a time.
            let bus = [(); 5].map(|()| Pace::any(random));
            setup(Surroundings { bus, ..Surroundings::prompt() }, Errors::default(), random)
        };
        refusals_stay_apart(Ssd::of_operations(setup(random), random), random);
        refusals_stay_apart(Ssd::of_phases(setup(random), random), random);
    });
}

/// Reads at once of which some go to an entry whose data memory refuses: those fail, and all others have their bytes.
fn refusals_stay_apart<S: Scheduling<Controller<Card>>>(device: Ssd<S>, random: &mut Random) {
    const PAGES: usize = 64;
    let mut world = World::of(device, random);
    world.create_queue(16);
    let range = |page: usize| BlockRange { start: 8 * page as u64, blocks: 8 };
    let pages: Vec<Vec<u8>> = (0..PAGES).map(|_| world.random.bytes(8 * 512)).collect();
    for (nth, bytes) in pages.iter().enumerate() {
        assert!(run(&mut world, IoCommand::Write, range(nth), bytes).0.is_success());
    }
    let flush = IoCommand::Flush.emit(world.bare_header());
    assert!(world.io(&flush).is_success());
    let entry = world.random.below(CACHED_ENTRIES);
    let behaviour = refusing_entries(&world.device.layout(), entry..entry + 1);
    world.device.card().memories[0].set_behaviour(behaviour);
    let mut refused = 0;
    for first in (0..PAGES).step_by(PAGES / 8) {
        let mut reads = Vec::new();
        for page in first..first + PAGES / 8 {
            let buffer = world.buffer(8 * 512);
            let header = world.header(&buffer);
            world.push(0, &IoCommand::Read(range(page), UnitAccess::Normal).emit(header));
            reads.push((header.cid, page, buffer));
        }
        while !reads.is_empty() {
            let mut completion = None;
            world.until("a read", |world| {
                completion = world.pop(0);
                completion.is_some()
            });
            let completion = completion.expect("it is there");
            let nth = reads.iter().position(|(cid, ..)| *cid == completion.cid);
            let (_, page, buffer) = reads.swap_remove(nth.expect("a read that was asked for"));
            if completion.status.is_success() {
                assert!(buffer.bytes(world.memory()) == pages[page], "page {page}");
            } else {
                assert!(completion.status.is(Status::UNRECOVERED_READ), "{}", completion.status);
                refused += 1;
            }
            world.pages.release(buffer);
        }
    }
    assert!((1..8).contains(&refused), "{refused} reads failed");
}

#[test]
fn a_block_whose_data_the_host_does_not_give_is_old_or_new() {
    data_of_the_host_end(SsdTop::OneClock);
}

/// Writes of two pages, of which host memory refuses a beat: the command fails, and of each block all is old or all is new. Both the
/// page in the buffer and the page in flash are asked.
fn data_of_the_host_end(controller: SsdTop) {
    const BYTES: usize = 8192;
    let mut world = prompt(Ssd::of_operations, controller);
    let range = BlockRange { start: 8, blocks: 16 };
    let mut seen = [0; 2];
    for round in 0..24 {
        let old = world.random.bytes(BYTES);
        assert!(run(&mut world, IoCommand::Write, range, &old).0.is_success());
        if round % 2 == 0 {
            let flush = IoCommand::Flush.emit(world.bare_header());
            assert!(world.io(&flush).is_success());
        }
        let new = world.random.bytes(BYTES);
        let buffer = world.pages.buffer(Shape::plain(BYTES as u64), world.device.memory());
        buffer.fill(world.memory(), &new);
        let page = [buffer.pointer.prp1, buffer.pointer.prp2][world.random.below(2) as usize];
        let refused = page + 4 * world.random.below(1024);
        let mishaps = vec![(refused / 32 * 32..refused / 32 * 32 + 32, Mishap::Error)];
        world.device.card().host.set_behaviour(Behaviour { mishaps, ..Behaviour::prompt() });
        let header = world.header(&buffer);
        let status = world.io(&IoCommand::Write(range, UnitAccess::Normal).emit(header));
        assert!(status.is(Status::DATA_TRANSFER_ERROR), "{status}");
        world.device.card().host.set_behaviour(Behaviour::prompt());
        world.pages.release(buffer);
        let (status, found) = run(&mut world, IoCommand::Read, range, &[0; BYTES]);
        assert!(status.is_success(), "{status}");
        for (nth, found) in found.chunks_exact(512).enumerate() {
            let block = nth * 512..nth * 512 + 512;
            let is_new = found == &new[block.clone()];
            assert!(is_new || found == &old[block], "block {nth} of round {round} is torn");
            seen[usize::from(is_new)] += 1;
        }
    }
    assert!(seen.iter().all(|&blocks| blocks > 20), "{seen:?} blocks were old and new");
}

#[test]
fn data_that_memory_does_not_give_are_programmed_elsewhere() {
    data_are_not_given(SsdTop::OneClock);
}

fn data_are_not_given(controller: SsdTop) {
    let mut world = prompt(Ssd::of_operations, controller);
    let range = BlockRange { start: 0, blocks: 8 };
    let bytes = world.random.bytes(8 * 512);
    assert!(run(&mut world, IoCommand::Write, range, &bytes).0.is_success());
    let behaviour = refusing(&world.device.layout());
    world.device.card().memories[0].set_behaviour(behaviour);
    let flush = IoCommand::Flush.emit(world.bare_header());
    world.push(0, &flush);
    world.until("a program that fails", |world| world.device.counters().bad_blocks > 0);
    world.device.card().memories[0].set_behaviour(Behaviour::prompt());
    let mut completion = None;
    world.until("the flush", |world| {
        completion = world.pop(0);
        completion.is_some()
    });
    assert!(completion.is_some_and(|completion| completion.status.is_success()));
    let World { device, mut random, .. } = world;
    let mut world = World::of(device.power_cycle(&mut random), &mut random);
    world.create_queue(16);
    let (status, found) = run(&mut world, IoCommand::Read, range, &vec![0; 8 * 512]);
    assert!(status.is_success() && found == bytes, "{status}");
}

#[test]
fn data_of_a_chip_that_does_nothing_are_programmed_elsewhere() {
    chip_does_nothing(prompt(Ssd::of_operations, SsdTop::OneClock));
    chip_does_nothing(prompt(Ssd::of_phases, SsdTop::OneClock));
}

/// One of four chips neither programs nor erases for a while, and calls nothing a failure: its status alone says that it is write
/// protected. What it did not program is programmed in another block.
fn chip_does_nothing<S: Scheduling<Controller<Card>>>(mut world: World<Ssd<S>>) {
    const PAGES: u64 = 12;
    world.device.card().chips[0].chip_mut(1).set_defect(Some(Defect::Protected));
    let range = |page| BlockRange { start: 8 * page, blocks: 8 };
    let pages: Vec<Vec<u8>> = (0..PAGES).map(|_| world.random.bytes(8 * 512)).collect();
    for (page, bytes) in (0..).zip(&pages) {
        assert!(run(&mut world, IoCommand::Write, range(page), bytes).0.is_success());
    }
    let flush = IoCommand::Flush.emit(world.bare_header());
    world.push(0, &flush);
    world.until("a program that fails", |world| world.device.counters().bad_blocks > 0);
    world.device.card().chips[0].chip_mut(1).set_defect(None);
    let mut completion = None;
    world.until("the flush", |world| {
        completion = world.pop(0);
        completion.is_some()
    });
    assert!(completion.is_some_and(|completion| completion.status.is_success()));
    // What was written later takes the place of the pages in the buffer.
    for page in PAGES..PAGES + 2 * CACHED_ENTRIES {
        let other = world.random.bytes(8 * 512);
        assert!(run(&mut world, IoCommand::Write, range(page), &other).0.is_success());
    }
    for (page, bytes) in (0..).zip(&pages) {
        let (status, found) = run(&mut world, IoCommand::Read, range(page), &[0; 8 * 512]);
        assert!(status.is_success() && found == *bytes, "page {page}: {status}");
    }
}

/// The host gives the first page of a write, half of the second one and then nothing. Meanwhile a page comes from a chip, goes through
/// memory and to the host.
#[test]
fn processor_and_flash_go_on_while_the_host_stalls_in_the_middle_of_a_page() {
    const PAGES: u64 = 2 * CACHED_ENTRIES;
    let mut world = prompt(Ssd::of_operations, SsdTop::OneClock);
    let range = |page: u64| BlockRange { start: 8 * page, blocks: 8 };
    let pages: Vec<Vec<u8>> = (0..PAGES).map(|_| world.random.bytes(8 * 512)).collect();
    for (page, bytes) in (0..).zip(&pages) {
        assert!(run(&mut world, IoCommand::Write, range(page), bytes).0.is_success());
    }
    let flush = IoCommand::Flush.emit(world.bare_header());
    assert!(world.io(&flush).is_success());
    // Host memory answers in order: behind what it does not give, no entry of a queue is fetched.
    let old = world.pages.buffer(Shape::plain(8 * 512), world.device.memory());
    let read_header = world.header(&old);
    world.push(0, &IoCommand::Read(range(0), UnitAccess::Normal).emit(read_header));
    let two = BlockRange { start: 8 * PAGES, blocks: 16 };
    let bytes = world.random.bytes(16 * 512);
    let new = world.pages.buffer(Shape::plain(16 * 512), world.device.memory());
    new.fill(world.memory(), &bytes);
    // In the middle of what goes to memory as one burst.
    let silent = new.pointer.prp2 + 2048 + STRIPE_BYTES / 2..new.pointer.prp2 + 4096;
    let mishaps = vec![(silent, Mishap::Silence)];
    world.device.card().host.set_behaviour(Behaviour { mishaps, ..Behaviour::prompt() });
    let write_header = world.header(&new);
    world.push(0, &IoCommand::Write(two, UnitAccess::Normal).emit(write_header));
    world.until("a stall", |world| world.device.card().host.under_way().silent > 0);
    let stalled = world.device.card().cycles();
    let mut statuses = vec![next_completion(&mut world)];
    let cycles = world.device.card().cycles() - stalled;
    assert!(cycles < TICK_CYCLES, "{cycles} cycles, as if the time-out of the host had to end");
    assert!(world.device.card().host.under_way().silent > 0, "the host has gone on before");
    world.device.card().host.set_behaviour(Behaviour::prompt());
    world.device.card().host.speak();
    statuses.push(next_completion(&mut world));
    for (cid, status) in statuses {
        // A stall that is longer than the time-out of the host's DMA ends the write.
        let is_refused = cid == write_header.cid && status.is(Status::DATA_TRANSFER_ERROR);
        assert!(status.is_success() || is_refused, "{cid}: {status}");
    }
    assert!(old.bytes(world.memory()) == pages[0]);
    world.pages.release(old);
    world.pages.release(new);
    assert!(run(&mut world, IoCommand::Write, two, &bytes).0.is_success());
    let (status, found) = run(&mut world, IoCommand::Read, two, &[0; 16 * 512]);
    assert!(status.is_success() && found == bytes, "{status}");
}

/// Waits for a completion, and tells whose it is.
fn next_completion<D: CardDevice>(world: &mut World<D>) -> (u16, Status) {
    let mut completion = None;
    world.until("a completion", |world| {
        completion = world.pop(0);
        completion.is_some()
    });
    let completion = completion.expect("it is there");
    (completion.cid, completion.status)
}

/// What `make test-all` does beside `make test`.
mod long {
    use super::*;

    #[test]
    fn the_memory_engine_of_other_controllers_compares_and_fills() {
        OTHER_TOPS.into_iter().for_each(engine_compares_and_fills);
    }

    #[test]
    fn a_page_that_memory_does_not_take_is_an_error_of_other_controllers() {
        OTHER_TOPS.into_iter().for_each(page_is_not_taken);
    }

    #[test]
    fn data_that_memory_does_not_give_are_programmed_elsewhere_by_other_controllers() {
        OTHER_TOPS.into_iter().for_each(data_are_not_given);
    }

    #[test]
    fn every_byte_is_where_it_belongs_over_buses_of_64_bits() {
        seed::each(1, |random| {
            let narrow = |random: &mut Random| SsdSetup {
                controller: SsdTop::Narrow,
                ..setup(Surroundings::any(random), FAIR, random)
            };
            every_byte(Ssd::of_phases(narrow(random), random), random);
            let load = every_byte(Ssd::of_operations(narrow(random), random), random);
            let mut load = load.power_cycle(|device, random| device.power_cycle(random));
            load.check_all();
        });
    }
}
