//! The whole controller with memory as the medium, whose real firmware lets the hardware run what it can.

use crate::nvme_host::deletions::{full_queue_goes, reads};
use crate::nvme_host::traffic::Load;
use crate::nvme_host::world::World;
use ::registers::host::automation;
use contract::AutomatedTraffic;
use host::NAMESPACE;
use machine::Device;
use nvme::admin::{AdminCommand, FormatNvm, SecureErase};
use nvme::command::Header;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::{offset, ShutdownStatus};
use nvme::status::Status;
use rtl_sim::axi::Behaviour;
use rtl_sim::nvme::{CardDevice, MemorySsd, Surroundings};
use rtl_sim::{seed, Random};

/// Blocks of the namespace, of 512 bytes.
const BLOCKS: u64 = 4096;

/// CC.SHN of a shutdown that waits for what is under way.
const NORMAL_SHUTDOWN: u32 = 1 << 14;

type Command = fn(BlockRange, UnitAccess) -> IoCommand;

/// A drive that is ready, if its model was made.
fn drive(around: Surroundings, random: &mut Random) -> Option<World<MemorySsd>> {
    let device = MemorySsd::new(around, random);
    if device.is_none() {
        eprintln!("skipped: no model of the controller in automated mode is in this program");
    }
    Some(World::of(device?, random))
}

/// The same, prompt, with two queue pairs.
fn prompt() -> Option<World<MemorySsd>> {
    let mut world = drive(Surroundings::prompt(), &mut Random::new(1))?;
    (0..2).for_each(|_| world.create_queue(16));
    Some(world)
}

/// Whether the hardware may begin commands by itself.
fn is_automated(world: &mut World<MemorySsd>) -> bool {
    let word = world.device.card().read_register(automation::REGISTER.offset);
    automation::ENABLE.get(&[word]) == 1
}

/// Hands over a command for blocks, with this byte in its buffer.
fn push(
    world: &mut World<MemorySsd>,
    queue: usize,
    command: Command,
    (range, byte): (BlockRange, u8),
) {
    let bytes = u64::from(range.blocks) * u64::from(world.identity.block_bytes);
    let buffer = world.buffer(bytes);
    buffer.fill(world.memory(), &vec![byte; bytes as usize]);
    let header = world.header(&buffer);
    world.push(queue, &command(range, UnitAccess::Normal).emit(header));
}

/// Runs a command to its end.
fn run(world: &mut World<MemorySsd>, command: Command, range: BlockRange) -> Status {
    let bytes = u64::from(range.blocks.min(256)) * u64::from(world.identity.block_bytes);
    let buffer = world.buffer(bytes);
    let header = world.header(&buffer);
    let status = world.io(&command(range, UnitAccess::Normal).emit(header));
    world.pages.release(buffer);
    status
}

/// Commands of both directions, some of them under way in every place.
fn crowd(world: &mut World<MemorySsd>) {
    reads(world, 0, 12);
    for nth in 0..12 {
        let range = BlockRange { start: 200 + nth * 40, blocks: 40 };
        push(world, 1, IoCommand::Write, (range, 0x77));
    }
    let cycles = world.random.below(2500);
    world.device.run(cycles);
}

/// A crowd, an end, and everything works again.
fn ends(random: &mut Random, end: fn(&mut World<MemorySsd>)) {
    let Some(mut world) = drive(Surroundings::any(random), random) else { return };
    (0..2).for_each(|_| world.create_queue(16));
    for _ in 0..2 {
        crowd(&mut world);
        assert!(is_automated(&mut world));
        end(&mut world);
        world.until("CSTS.RDY 0", |world| !world.status().ready);
        world.until("idle", |world| world.device.card().is_idle());
        assert!(!is_automated(&mut world), "automation outlives what it was for");
        // From here on the host may use its memory for something else.
        let moved = world.device.card().host.moved();
        let kept = world.snapshot();
        world.device.run(3000);
        world.settle();
        assert_eq!(world.device.card().host.moved(), moved, "accesses after RDY fell");
        kept.assert_kept(&mut world, &[]);
        world.restart();
        assert!(is_automated(&mut world));
        let before = world.device.traffic();
        world.works();
        let after = world.device.traffic();
        assert_eq!((after.reads - before.reads, after.writes - before.writes), (3, 3));
        world.create_queue(16);
    }
}

/// A host that takes its time, so that all that was begun is under way for long.
fn slow() -> Option<World<MemorySsd>> {
    let host = Behaviour { latency: 3_000..=3_000, ..Behaviour::prompt() };
    let mut world = drive(Surroundings { host, ..Surroundings::prompt() }, &mut Random::new(1))?;
    world.create_queue(16);
    Some(world)
}

/// Writes to a host that is slow, of a page each: few enough for the hardware to begin all of them at once.
const SLOW_WRITES: u64 = 5;

/// Writes that the hardware has begun, and none of which is complete.
fn begun_writes(world: &mut World<MemorySsd>) {
    let before = world.device.traffic().writes;
    for nth in 0..SLOW_WRITES {
        let range = BlockRange { start: nth * 8, blocks: 8 };
        push(world, 0, IoCommand::Write, (range, 0x55));
    }
    world.until("commands that run", |world| world.device.traffic().writes == before + SLOW_WRITES);
    assert!(world.pop(0).is_none(), "one is complete before all have begun");
}

/// What `make test-all` does beside `make test`, which makes no model of this controller.
mod long {
    use super::*;

    #[test]
    fn every_byte_is_where_it_belongs_in_memory() {
        seed::each(3, |random| {
            let Some(world) = drive(Surroundings::any(random), random) else { return };
            assert_eq!(world.identity.blocks, BLOCKS);
            let mut load = Load::new(world, random);
            load.run(120);
            // The medium begins where the drive's memory does.
            let length = load.bytes().len();
            let found = load.world.device.card().load(0, length);
            let differ = found.iter().zip(load.bytes()).position(|(a, b)| a != b);
            assert_eq!(differ, None, "the drive's memory");
            let AutomatedTraffic { reads, writes, .. } = load.world.device.traffic();
            assert!(reads + writes > 60, "{reads} reads and {writes} writes without firmware");
            load.check_all();
            assert_eq!(load.world.device.interface().dropped(), 0);
        });
    }

    #[test]
    fn what_ran_without_firmware_is_counted() {
        let Some(mut world) = prompt() else { return };
        let mut expected = AutomatedTraffic::default();
        for (start, blocks) in [(0, 1), (100, 3), (BLOCKS - 256, 256)] {
            let range = BlockRange { start, blocks };
            assert!(run(&mut world, IoCommand::Write, range).is_success());
            (0..2).for_each(|_| assert!(run(&mut world, IoCommand::Read, range).is_success()));
            expected.reads += 2;
            expected.writes += 1;
            expected.bytes_read += 1024 * u64::from(blocks);
            expected.bytes_written += 512 * u64::from(blocks);
        }
        // Neither reads nor writes, or not of the hardware.
        let range = BlockRange { start: 7, blocks: 9 };
        assert!(run(&mut world, IoCommand::WriteZeroes, range).is_success());
        assert!(run(&mut world, IoCommand::Compare, range).is_success());
        let flush = IoCommand::Flush.emit(world.bare_header());
        assert!(world.io(&flush).is_success());
        let beyond = BlockRange { start: BLOCKS - 3, blocks: 4 };
        assert!(run(&mut world, IoCommand::Read, beyond).is(Status::LBA_OUT_OF_RANGE));
        let other = Header { nsid: 2, ..world.bare_header() };
        let read = IoCommand::Read(range, UnitAccess::Normal).emit(other);
        assert!(world.io(&read).is(Status::INVALID_NAMESPACE));
        let counted = world.device.traffic();
        let busy = counted.busy;
        assert_eq!(AutomatedTraffic { busy, ..expected }, counted);
        // 260 sectors three times over a bus of 32 bytes a cycle, one command after the other, and what each takes besides.
        let cycles = busy.as_ps() / 10_000;
        assert!((3 * 260 * 16..15_000).contains(&cycles), "{cycles} cycles");
        world.device.run(5_000);
        assert_eq!(world.device.traffic().busy, busy, "nothing runs");
    }

    #[test]
    fn a_disable_in_the_middle_ends_automation_with_all_of_it() {
        seed::each(3, |random| {
            ends(random, |world| world.device.card().bar.write(offset::CC, 0));
        });
    }

    #[test]
    fn a_function_reset_in_the_middle_ends_automation_with_all_of_it() {
        seed::each(3, |random| {
            ends(random, |world| {
                world.device.card().reset_function();
                world.until("idle", |world| world.device.card().is_idle());
            });
        });
    }

    #[test]
    fn a_format_waits_for_what_runs_and_goes_on_with_other_blocks() {
        let Some(mut world) = slow() else { return };
        begun_writes(&mut world);
        let format = FormatNvm { format: 1, protection: 0, erase: SecureErase::None };
        let header = Header { nsid: NAMESPACE, ..Header::default() };
        world.driver.send(&mut world.device, AdminCommand::FormatNvm(format), header);
        assert!(world.receive().status.is_success());
        let bytes = world.device.card().load(0, SLOW_WRITES as usize * 4096);
        assert!(bytes.iter().all(|byte| *byte == 0), "the format does not erase all");
        (0..SLOW_WRITES).for_each(|_| {
            assert!(world.pop(0).expect("they completed before").status.is_success())
        });
        // From now on the hardware counts in blocks of 4 KiB.
        world.identity = world.driver.identify(&mut world.device).expect("it says what it is");
        assert_eq!((world.identity.block_bytes, world.identity.blocks), (4096, BLOCKS / 8));
        let before = world.device.traffic();
        world.works();
        let after = world.device.traffic();
        assert_eq!((after.reads - before.reads, after.writes - before.writes), (3, 3));
        assert_eq!(after.bytes_read - before.bytes_read, (1 + 24 + 8) * 4096);
    }

    #[test]
    fn a_shutdown_waits_for_what_runs_and_ends_automation() {
        let Some(mut world) = slow() else { return };
        begun_writes(&mut world);
        let normal = world.device.read32(offset::CC) | NORMAL_SHUTDOWN;
        world.device.card().bar.write(offset::CC, normal);
        world.until("CSTS.SHST 2", |world| world.status().shutdown == ShutdownStatus::Complete);
        let bytes = world.device.card().load(0, SLOW_WRITES as usize * 4096);
        assert!(!is_automated(&mut world));
        assert!(
            bytes.iter().all(|byte| *byte == 0x55),
            "the shutdown is over before the writes are"
        );
    }

    /// What waits for room would wait for this host for ever, and the hardware counts it among what runs.
    #[test]
    fn a_host_that_reads_no_completions_can_delete_its_queues() {
        let Some(mut world) = prompt() else { return };
        full_queue_goes(&mut world);
    }
}
