//! Hosts that send anything.

use machine::Stamp;
use nvme::command::Entry;
use nvme::io::{opcode as io, UnitAccess};
use nvme::zones::{opcode, Selected, ZoneAction};
use torture::draw::Draw;
use torture::placed_host::SLOTS;
use torture::zone_host::ZoneHost;

use crate::zoned::small;

/// A number that means something to a zone, or any.
fn number(draw: &mut Draw, host: &ZoneHost) -> u64 {
    let size = host.namespace.zone_blocks;
    let zone = draw.below(u64::from(host.zones) + 2) * size;
    match draw.below(6) {
        0 => zone,
        1 => zone + draw.below(size),
        2 => zone + size - 1,
        3 => draw.below(1 << 31) << draw.below(40),
        4 => u64::MAX - draw.below(3),
        _ => draw.below(600),
    }
}

/// An entry whose fields are anything, most often of a command that there is.
fn entry(draw: &mut Draw, host: &mut ZoneHost, slot: u16) -> Entry {
    let opcodes = [opcode::SEND, opcode::RECEIVE, opcode::APPEND, io::READ, io::WRITE, io::FLUSH];
    let mut entry = host.write_of(slot, 0, &[Stamp::ZERO; 4], UnitAccess::Normal);
    let opcode = match draw.below(10) {
        0 => draw.below(256) as u8,
        _ => draw.one_of(&opcodes),
    };
    entry.0[0] = u32::from(slot) << 16 | u32::from(opcode);
    if draw.once_in(12) {
        entry.0[0] |= (draw.below(256) as u32) << 8;
    }
    if draw.once_in(12) {
        entry.0[1] = number(draw, host) as u32;
    }
    if draw.once_in(8) {
        // Far behind the host's memory.
        let at = draw.one_of(&[7, 9]);
        entry.0[at] = 1 + draw.below(1 << 20) as u32;
    }
    let block = number(draw, host);
    entry.0[10] = block as u32;
    entry.0[11] = (block >> 32) as u32;
    entry.0[12] = match draw.below(3) {
        0 => draw.below(1 << 33) as u32,
        _ => draw.below(40) as u32,
    };
    let action = draw.below(8) as u32 | (draw.below(9) as u32) << 8;
    entry.0[13] = if draw.once_in(4) { draw.below(1 << 33) as u32 } else { action };
    entry
}

#[test]
fn whatever_entries_hold_each_is_answered_and_zones_go_on() {
    for seed in 0..12 {
        let board = small(&[]);
        let mut host = ZoneHost::new(&board);
        let mut draw = Draw(seed);
        let mut left = 0;
        for _ in 0..60 {
            let entries: Vec<Entry> =
                (0..SLOTS).map(|slot| entry(&mut draw, &mut host, slot)).collect();
            host.submit(&entries);
            left += entries.len();
            while left > 0 {
                left -= host.wait().len();
            }
            if draw.once_in(20) {
                host = host.cut_power(&board);
            }
        }
        let all = host.send_of(0, ZoneAction::Reset, Selected::All);
        assert!(host.run(all).status.is_success());
        let start = host.start(5);
        let data: Vec<Stamp> = (0..32).map(|nth| Stamp::new(start + nth, 1)).collect();
        assert!(host.write(start, &data).status.is_success());
        assert!(host.flush().status.is_success());
        host = host.cut_power(&board);
        assert_eq!(host.read(start, 32).1, data, "seed {seed}");
    }
}
