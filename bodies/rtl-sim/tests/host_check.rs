//! The check of commands against the formats of `nvme`: what breaks no rule is run by hardware.

use nvme::command::{DataPointer, Entry, Header};
use nvme::io::{opcode, BlockRange, IoCommand, UnitAccess};
use rtl_sim::{seed, tops, Bench, Pace, Random, Sink, Source, StreamPorts};

const BLOCKS: u64 = 0x1_0000_1000;
const TRANSFER_BLOCKS: u64 = 256;

/// What leaves for a command that the hardware runs: kind, forced, start, blocks, PRP entries. None is
/// for the processor.
fn expected(entry: &Entry, queue: u64) -> Option<[u64; 6]> {
    let command = IoCommand::parse(entry).ok()?;
    let all = command == IoCommand::Flush && entry.nsid() == u32::MAX;
    if queue == 0 || entry.nsid() != 1 && !all {
        return None;
    }
    // A flush has no range; what its dwords say does not matter.
    let (kind, range, access) = match command {
        IoCommand::Flush => (0, BlockRange { start: 0, blocks: 0 }, UnitAccess::Normal),
        IoCommand::Write(range, access) => (1, range, access),
        IoCommand::Read(range, access) => (2, range, access),
        IoCommand::WriteZeroes(range, access) => (3, range, access),
        _ => return None,
    };
    let moves = kind == 1 || kind == 2;
    let DataPointer { prp1, prp2 } = entry.data();
    let too_long = moves && u64::from(range.blocks) > TRANSFER_BLOCKS;
    let end = range.start.checked_add(u64::from(range.blocks))?;
    if too_long || moves && prp1 % 4 != 0 || end > BLOCKS {
        return None;
    }
    let forced = u64::from(access == UnitAccess::Forced);
    Some([kind, forced, range.start, u64::from(range.blocks), prp1, prp2])
}

/// Mostly legal, with one thing or another wrong, at the very border if there is one.
fn entry(random: &mut Random) -> Entry {
    let pick =
        |random: &mut Random, choices: &[u64]| choices[random.below(choices.len() as u64) as usize];
    let opcodes = [opcode::FLUSH, opcode::WRITE, opcode::READ, opcode::WRITE_ZEROES];
    let any = [opcode::COMPARE, opcode::DATASET_MANAGEMENT, 0x03, 0x0a, 0x82, 0xff];
    let known = random.percent(85);
    let from: &[u8] = if known { &opcodes } else { &any };
    let code = from[random.below(from.len() as u64) as usize];
    let nsid = if random.percent(80) { 1 } else { pick(random, &[0, 2, 0xffff_ffff, 0x0100_0001]) };
    let prp1 = random.next() & if random.percent(80) { !3 } else { !0 };
    let data = DataPointer { prp1, prp2: random.next() };
    let blocks = pick(random, &[1, 8, 255, 256, 257, 65_535, 65_536]);
    let blocks = if random.percent(60) { 1 + random.below(TRANSFER_BLOCKS) } else { blocks };
    let last = BLOCKS - blocks;
    let start = pick(random, &[0, last, last + 1, BLOCKS, u64::MAX, u64::MAX - 4]);
    let start = if random.percent(60) { random.below(last) } else { start };
    let mut entry = Entry::new(code, Header { cid: random.next() as u16, nsid: nsid as u32, data })
        .with(10, start as u32)
        .with(11, (start >> 32) as u32)
        .with(12, (blocks - 1) as u32 | (random.next() as u32 & 0xffff_0000));
    if random.percent(10) {
        entry = entry.with(0, entry.dword(0) | 1 << pick(random, &[8, 9, 14, 15]));
    }
    for dword in [2, 3, 4, 5, 13, 14, 15] {
        entry = entry.with(dword, random.next() as u32);
    }
    entry
}

fn store(bench: &mut Bench, tag: u64, entry: &Entry) {
    let ports = ["store_write_i", "store_tag_i", "store_beat_i", "store_data_i"];
    let [write, tag_port, beat_port, data] = ports.map(|name| bench.input(name));
    bench.set(write, 1);
    bench.set(tag_port, tag);
    for beat in 0..2 {
        bench.set(beat_port, beat);
        for dword in 0..8 {
            bench
                .set(data.lane(dword, 8), entry.dword((beat * 8) as usize + dword as usize).into());
        }
        bench.cycle(&mut []);
    }
    bench.set(write, 0);
}

#[test]
fn hardware_runs_what_breaks_no_rule_and_nothing_else() {
    seed::each(4, |random| {
        let mut bench = Bench::new(&tops::HOST_CHECK);
        for (name, value) in [("blocks_i", BLOCKS), ("transfer_blocks_i", TRANSFER_BLOCKS)] {
            let port = bench.input(name);
            bench.set(port, value);
        }
        let ports = |prefix, fields| StreamPorts { prefix, fields, lane: (0, 1) };
        let command = ports("command", &["tag", "queue", "failed"]);
        let mut commands = Source::new(bench.model(), command, Pace::any(random));
        let mut other = Sink::new(
            bench.model(),
            ports("other", &["tag", "queue", "failed"]),
            Pace::any(random),
        );
        let fields = ["tag", "kind", "forced", "start", "blocks", "prp1", "prp2"];
        let mut io = Sink::new(bench.model(), ports("io", &fields), Pace::any(random));
        let automated_port = bench.input("automated_i");
        let mut counts = [0; 2];
        for _ in 0..400 {
            let automated = random.percent(90);
            let (tag, queue) = (random.below(32), random.below(5));
            let failed = random.percent(5);
            let entry = entry(random);
            bench.set(automated_port, automated.into());
            store(&mut bench, tag, &entry);
            commands.push(vec![tag, queue, failed.into()]);
            while other.received().is_empty() && io.received().is_empty() {
                bench.cycle(&mut [&mut commands, &mut other, &mut io]);
            }
            match expected(&entry, queue).filter(|_| automated && !failed) {
                Some(mut fields) => {
                    let mut found = io.take().pop().expect("the hardware runs it");
                    if fields[0] == 0 {
                        fields = [0; 6];
                        fields[4..].copy_from_slice(&found[5..]);
                        found[2..5].fill(0);
                    }
                    assert_eq!((found[0], &found[1..]), (tag, &fields[..]), "{entry:x?}");
                    counts[0] += 1;
                }
                None => {
                    let found = other.take().pop().expect("the processor has it");
                    assert_eq!(found, [tag, queue, failed.into()], "{entry:x?}");
                    counts[1] += 1;
                }
            }
            assert!(other.take().is_empty() && io.take().is_empty());
        }
        assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
    });
}
