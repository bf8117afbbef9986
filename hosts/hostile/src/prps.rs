//! Commands whose data pointers and lists are any graph: each ends as a plain walk of the graph says, and
//! touches what that walk names.

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use nvme::admin::{AdminCommand, IdentifyStructure};
use nvme::command::{DataPointer, Entry, Header};
use nvme::io::{opcode, BlockRange, IoCommand, UnitAccess};
use nvme::prp::Segment;

use crate::house::{board, submission, House, BLOCK, DATA, LIST, PAIRS};
use crate::input::{acts, Address};
use crate::kept::Copied;
use crate::memory::{Memory, BASE, PAGE, PAGES, WRITABLE_PAGES};

const ENTRY: u64 = 8;
/// Pages that hold lists.
const LIST_PAGES: u64 = 4;
/// Entries of lists.
const LIST_SLOTS: u64 = LIST_PAGES * PAGE / ENTRY;
/// Blocks of a command at most: the longest transfer of the board.
const MOST_BLOCKS: u32 = 16;

/// A command and its graph.
#[derive(Arbitrary, Debug)]
struct Case {
    deed: Deed,
    /// Blocks less one.
    blocks: u8,
    prp1: Address,
    prp2: Second,
    /// Entries of lists that are not as they should be: where, and what.
    odd: [Option<(u16, Address)>; 3],
}

#[derive(Arbitrary, Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Read,
    Write,
    Deallocate,
    Identify,
}

/// The second pointer.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Second {
    /// Anything.
    Any(Address),
    /// An entry of a list.
    List(u16),
}

/// Commands with any graph end as they should.
pub fn survives(bytes: &[u8]) {
    let mut house = Copied::with_bytes();
    act(&mut house, bytes);
    house.assert_recovers();
}

/// Sends the commands that the bytes say.
pub fn act(house: &mut House, bytes: &[u8]) {
    for case in acts::<Case>(bytes) {
        try_case(house, &case);
    }
}

fn try_case(house: &mut House, case: &Case) {
    let blocks = u32::from(case.blocks) % MOST_BLOCKS + 1;
    let prp2 = match case.prp2 {
        Second::Any(Address(prp2)) => prp2,
        Second::List(slot) => LIST + u64::from(slot) * ENTRY % (LIST_PAGES * PAGE),
    };
    let data = DataPointer { prp1: case.prp1.0, prp2 };
    fill_lists(house.memory(), case);
    let header = Header { cid: 5, nsid: 1, data };
    let range = BlockRange { start: 0, blocks };
    let (queue, entry, length) = match case.deed {
        Deed::Read => (1, IoCommand::Read(range, UnitAccess::Normal).emit(header), blocks * 4096),
        Deed::Write => (1, IoCommand::Write(range, UnitAccess::Normal).emit(header), blocks * 4096),
        Deed::Deallocate => {
            let ranges = (blocks - 1).min(255);
            let entry = Entry::new(opcode::DATASET_MANAGEMENT, header).with(10, ranges).with(11, 4);
            (1, entry, (ranges + 1) * 16)
        }
        Deed::Identify => {
            let command = AdminCommand::Identify(IdentifyStructure::Controller);
            (0, command.emit(Header { nsid: 0, ..header }), 4096)
        }
    };
    house.memory().refresh();
    let graph = Graph::of(house.memory(), data, length.into());
    let to_host = matches!(case.deed, Deed::Read | Deed::Identify);
    let queues = BASE..submission(PAIRS);
    if graph.touches().any(|segment| queues.contains(&segment.address)) {
        // The host's own queues would be overwritten, or lists made of them: `commands` does that.
        return;
    }
    let given = if to_host { WRITABLE_PAGES } else { PAGES };
    let sound = graph.is_whole
        && graph.data.iter().all(|&segment| house.memory().gives(segment, given))
        && (case.deed != Deed::Deallocate || ranges_are_there(house, &graph.data));
    let status = house.finish(queue, &entry);
    assert_eq!(status.is_success(), sound, "{case:?}: {status}");
    let memory = house.memory();
    for &access in &memory.written {
        let by_data = to_host && graph.data.iter().any(|segment| holds(*segment, access));
        let completions = Segment { address: submission(queue) + PAGE, length: PAGE as u32 };
        let sound = by_data || holds(completions, access);
        assert!(sound, "{case:?}: {access:x?} was written and not named");
    }
    if graph.names_nothing_twice() {
        assert_eq!(memory.read_again, 0, "{case:?}: bytes that were read twice");
    }
}

/// Dataset Management frees what its ranges name, which are the bytes that the host gave it: only ranges of
/// blocks that are there are right.
fn ranges_are_there(house: &mut House, segments: &[Segment]) -> bool {
    let mut bytes = Vec::new();
    for segment in segments {
        bytes.extend_from_slice(house.memory().at(segment.address, segment.length as usize));
    }
    let firmware = &board().firmware;
    let blocks =
        u64::from(firmware.logical_pages) * u64::from(firmware.geometry.page_bytes) / BLOCK;
    bytes.chunks_exact(16).all(|range| {
        let count = u32::from_le_bytes(range[4..8].try_into().expect("4 bytes"));
        let start = u64::from_le_bytes(range[8..16].try_into().expect("8 bytes"));
        start.checked_add(count.into()).is_some_and(|end| end <= blocks)
    })
}

/// Sound lists in all list pages, each leading to the next.
static SOUND_LISTS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let entry = |slot: u64| {
        let last = slot % (PAGE / ENTRY) == PAGE / ENTRY - 1;
        if last {
            LIST + (slot + 1) * ENTRY % (LIST_PAGES * PAGE)
        } else {
            DATA + slot % 32 * PAGE
        }
    };
    (0..LIST_SLOTS).flat_map(|slot| entry(slot).to_le_bytes()).collect()
});

/// Puts sound lists but for the odd entries.
fn fill_lists(memory: &mut Memory, case: &Case) {
    memory.put(LIST, &SOUND_LISTS);
    for (slot, Address(entry)) in case.odd.iter().flatten() {
        memory.put(LIST + u64::from(*slot) % LIST_SLOTS * ENTRY, &entry.to_le_bytes());
    }
}

/// What a pointer names (NVMe 1.4 section 4.3), as the host's memory is when the command is sent.
struct Graph {
    /// The data, up to the entry that is wrong.
    data: Vec<Segment>,
    /// The entries of lists that lead there.
    entries: Vec<Segment>,
    /// No entry is wrong.
    is_whole: bool,
}

impl Graph {
    fn of(memory: &Memory, data: DataPointer, length: u64) -> Self {
        let (mut pages, mut entries) = (Vec::new(), Vec::new());
        let is_whole = walk(memory, (data, length), (&mut pages, &mut entries)).is_some();
        let (mut offset, mut left) = (data.prp1 % PAGE, length);
        let mut segments = Vec::new();
        for &page in &pages {
            let here = left.min(PAGE - offset);
            segments.push(Segment { address: page + offset, length: here as u32 });
            (offset, left) = (0, left - here);
        }
        let entries = entries.into_iter().map(|address| Segment { address, length: 8 }).collect();
        Graph { data: segments, entries, is_whole }
    }

    /// All that is touched.
    fn touches(&self) -> impl Iterator<Item = &Segment> {
        self.data.iter().chain(&self.entries)
    }

    fn names_nothing_twice(&self) -> bool {
        let mut all: Vec<Segment> = self.touches().copied().collect();
        all.sort_by_key(|segment| segment.address);
        all.windows(2).all(|pair| end(pair[0]) <= u128::from(pair[1].address))
    }
}

/// Walks from entry to entry; none when one is wrong or not there.
fn walk(
    memory: &Memory,
    (data, length): (DataPointer, u64),
    (pages, entries): (&mut Vec<u64>, &mut Vec<u64>),
) -> Option<()> {
    let offset = data.prp1 % PAGE;
    if offset % 4 != 0 {
        return None;
    }
    pages.push(data.prp1 - offset);
    let wanted = (offset + length).div_ceil(PAGE) as usize;
    let aligned = |entry: u64| (entry % PAGE == 0).then_some(entry);
    if wanted == 2 {
        pages.push(aligned(data.prp2)?);
    }
    let mut at = data.prp2;
    if wanted > 2 && at % ENTRY != 0 {
        return None;
    }
    while pages.len() < wanted {
        let entry = memory.entry(at)?;
        entries.push(at);
        let entry = aligned(entry)?;
        if at % PAGE == PAGE - ENTRY && pages.len() + 1 < wanted {
            at = entry;
        } else {
            pages.push(entry);
            at = at.wrapping_add(ENTRY);
        }
    }
    Some(())
}

fn end(segment: Segment) -> u128 {
    u128::from(segment.address) + u128::from(segment.length)
}

fn holds(segment: Segment, part: Segment) -> bool {
    segment.address <= part.address && end(part) <= end(segment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::Board;

    const OFFSET: u64 = 0xa00;
    const WHOLE_PAGES: u64 = 20;

    /// The memory changes behind every read, so that what is checked and what is used afterwards are the same
    /// only where they are one read. Slices of a command share pages and the list, whose first page is
    /// almost full.
    #[test]
    fn every_byte_of_a_command_is_read_once() {
        for name in ["small", "ocowfc", "openexpress"] {
            let mut house = House::built_with_bytes(&Board::resolve(name, &[]).unwrap());
            let block_bytes = house.drive.firmware().block_bytes();
            let blocks = (WHOLE_PAGES * PAGE) as u32 / block_bytes;
            let range = BlockRange { start: 3, blocks };
            let list = LIST + PAGE - 3 * ENTRY;
            let page = |nth: u64| DATA + nth * PAGE;
            let data = DataPointer { prp1: page(0) + OFFSET, prp2: list };
            let list_to = |house: &mut House| {
                let pages: Vec<u64> = (1..=WHOLE_PAGES).map(page).collect();
                let slots = [&pages[..2], &[LIST + 3 * PAGE], &pages[2..]].concat();
                for (nth, entry) in (0..).zip(&slots) {
                    let at = if nth < 3 {
                        list + nth * ENTRY
                    } else {
                        LIST + 3 * PAGE + (nth - 3) * ENTRY
                    };
                    house.memory().put(at, &entry.to_le_bytes());
                }
            };
            let written: Vec<u8> =
                (0..WHOLE_PAGES * PAGE).map(|nth| (nth * 31 % 251) as u8).collect();
            let header = Header { cid: 4, nsid: 1, data };
            list_to(&mut house);
            house.memory().put(page(0) + OFFSET, &written);
            house.memory().refresh();
            for access in [UnitAccess::Normal, UnitAccess::Forced] {
                let status = house.finish(1, &IoCommand::Write(range, access).emit(header));
                assert!(status.is_success(), "{name}: {status}");
                assert_eq!(house.memory().read_again, 0, "{name}: bytes read twice by a write");
                list_to(&mut house);
                house.memory().refresh();
                let status = house.finish(1, &IoCommand::Read(range, access).emit(header));
                assert!(status.is_success(), "{name}: {status}");
                assert_eq!(house.memory().read_again, 0, "{name}: bytes read twice by a read");
                let found = house.memory().at(page(0) + OFFSET, written.len());
                assert!(*found == written[..], "{name}: not what stood there when it was read");
                list_to(&mut house);
                house.memory().refresh();
            }
            house.assert_recovers();
        }
    }
}
