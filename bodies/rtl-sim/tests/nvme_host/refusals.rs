//! Commands that no drive may carry out: the status of the specification, and nothing else.

use crate::nvme_host::buffers::{write_entry, Shape, PAGE};
use crate::nvme_host::world::{World, BOTH};
use machine::Device;
use nvme::command::Entry;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::status::Status;
use rtl_sim::nvme::{CardDevice, Mode};
use rtl_sim::seed;

const RANGE: BlockRange = BlockRange { start: 100, blocks: 64 };

/// A read of so many bytes, and the pieces of its data.
fn read(world: &mut World, range: BlockRange) -> (Entry, Vec<(u64, u64)>) {
    let length = u64::from(range.blocks) * u64::from(world.identity.block_bytes);
    let buffer = world.buffer(length);
    let header = world.header(&buffer);
    (IoCommand::Read(range, UnitAccess::Normal).emit(header), buffer.pieces().to_vec())
}

/// The command ends so, and changes nothing but completions.
fn refused(world: &mut World, what: &str, entry: &Entry, expected: &[Status]) {
    let ring = world.queues[0].completion_address();
    let ring = (ring, u64::from(world.queues[0].entries()) * 16);
    world.settle();
    let before = world.snapshot();
    let status = world.io(entry);
    assert!(expected.iter().any(|&one| status.is(one)), "{what}: {status}");
    world.settle();
    let submission = (world.queues[0].submission_address(), PAGE);
    before.assert_kept(world, &[ring, submission]);
}

#[test]
fn what_breaks_a_rule_is_refused() {
    type Spoil = fn(&World, Entry) -> Entry;
    let table: [(&str, Status, Spoil); 9] = [
        ("an opcode", Status::INVALID_OPCODE, |_, entry| entry.with(0, entry.dword(0) | 0xf0)),
        ("a fused command", Status::INVALID_FIELD, |_, entry| {
            entry.with(0, entry.dword(0) | 0x100)
        }),
        ("an SGL", Status::INVALID_FIELD, |_, entry| entry.with(0, entry.dword(0) | 0x4000)),
        ("a namespace", Status::INVALID_NAMESPACE, |_, entry| entry.with(1, 2)),
        ("all namespaces", Status::INVALID_NAMESPACE, |_, entry| entry.with(1, u32::MAX)),
        ("one block too far", Status::LBA_OUT_OF_RANGE, |world, entry| {
            entry.with(10, (world.identity.blocks - 63) as u32)
        }),
        ("blocks around zero", Status::LBA_OUT_OF_RANGE, |_, entry| {
            entry.with(10, u32::MAX).with(11, u32::MAX)
        }),
        ("more than MDTS", Status::INVALID_FIELD, |_, entry| entry.with(12, 256)),
        ("a PRP offset", Status::INVALID_PRP_OFFSET, |_, entry| entry.with(6, entry.dword(6) | 2)),
    ];
    for mode in BOTH {
        seed::each(1, |random| {
            let mut world = World::any(mode, random);
            for (what, status, spoil) in table {
                let (entry, _) = read(&mut world, RANGE);
                let entry = spoil(&world, entry);
                refused(&mut world, what, &entry, &[status]);
            }
            let by_hardware = world.device.interface().monitors().automated;
            assert_eq!(
                by_hardware.reads + by_hardware.writes,
                0,
                "the hardware refuses nothing by itself"
            );
            // As large as is allowed, and as far.
            let range = BlockRange { start: world.identity.blocks - 256, blocks: 256 };
            let (entry, _) = read(&mut world, range);
            assert!(world.io(&entry).is_success());
            world.works();
        });
    }
}

#[test]
fn what_an_entry_names_wrongly_ends_with_an_error() {
    let expected = [Status::INVALID_PRP_OFFSET, Status::DATA_TRANSFER_ERROR];
    for mode in BOTH {
        let mut world = World::prompt(mode);
        for (what, slot, at, value) in [
            ("an entry with an offset", 0, 3, 8),
            ("an entry that leads nowhere", 0, 3, 0x7000),
            ("a chain with an offset", 509, 2, 8),
            ("a chain that leads nowhere", 509, 2, 0x7000),
        ] {
            for is_write in [false, true] {
                let buffer = world
                    .pages
                    .buffer(Shape { length: 8 * PAGE, offset: 0, slot }, world.device.memory());
                let prp2 = buffer.pointer.prp2;
                let found = u64::from_le_bytes(*world.memory().array(prp2 + at * 8));
                let wrong = if value < PAGE { found | value } else { value };
                write_entry(world.memory(), prp2 + at * 8, wrong);
                let range = BlockRange { start: 0, blocks: 64 };
                let header = world.header(&buffer);
                let access = UnitAccess::Normal;
                let command = if is_write {
                    IoCommand::Write(range, access)
                } else {
                    IoCommand::Read(range, access)
                };
                world.settle();
                let before = world.snapshot();
                let status = world.io(&command.emit(header));
                assert!(expected.iter().any(|&one| status.is(one)), "{what}: {status}");
                // In automated mode the status tells both apart.
                if mode == Mode::Automated {
                    let offset = value < PAGE;
                    assert_eq!(status.is(Status::INVALID_PRP_OFFSET), offset, "{what}: {status}");
                }
                world.settle();
                let mut allowed = buffer.pieces().to_vec();
                let pair = world.queues[0];
                allowed
                    .extend([(pair.completion_address(), PAGE), (pair.submission_address(), PAGE)]);
                before.assert_kept(&mut world, &allowed);
                world.pages.release(buffer);
            }
        }
        world.works();
    }
}

#[test]
fn a_list_that_leads_back_to_itself_ends() {
    for mode in BOTH {
        let mut world = World::prompt(mode);
        let longest = BlockRange { start: 0, blocks: 256 };
        let length = 256 * u64::from(world.identity.block_bytes);
        // The last entry of its page leads to the page itself, whose entries all name it.
        let page = world.pages.take();
        for slot in 0..512 {
            write_entry(world.memory(), page + slot * 8, page);
        }
        for slot in [0, 500, 511] {
            let buffer = world.pages.buffer(Shape::plain(length), world.device.memory());
            let mut header = world.header(&buffer);
            header.data.prp2 = page + slot * 8;
            let write = IoCommand::Write(longest, UnitAccess::Normal).emit(header);
            let status = world.io(&write);
            assert!(status.is_success(), "all that it names exists: {status}");
            world.pages.release(buffer);
        }
        // What is read goes over the list itself, which then leads anywhere.
        let buffer = world.pages.buffer(Shape::plain(length), world.device.memory());
        let bytes = world.random.bytes(length as usize);
        buffer.fill(world.memory(), &bytes);
        let header = world.header(&buffer);
        let write = IoCommand::Write(longest, UnitAccess::Normal).emit(header);
        assert!(world.io(&write).is_success());
        let mut header = world.header(&buffer);
        header.data.prp2 = page + 511 * 8;
        let read = IoCommand::Read(longest, UnitAccess::Normal).emit(header);
        let before = world.snapshot();
        world.io(&read);
        world.settle();
        let pair = world.queues[0];
        let mut allowed = vec![(page, PAGE), buffer.pieces()[0]];
        allowed.extend([(pair.completion_address(), PAGE), (pair.submission_address(), PAGE)]);
        before.assert_kept(&mut world, &allowed);
        world.works();
    }
}
