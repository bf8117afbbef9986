//! Drives whose host places its data, and the handles that its writes name.

use board::Board;
use nvme::command::Entry;
use nvme::io::opcode;
use nvme::placement;

use crate::draw::Draw;

/// The policy of drives whose host places its data, the last of its kind.
pub const BY_HANDLE: &str = "by-handle";

/// Placement handles, as many as the drive has room for.
pub fn handles(seed: u64, plain: &str, values: &[(String, String)]) -> Vec<(String, String)> {
    // Numbers of its own, so that what else is drawn stays what it is.
    let mut draw = Draw(seed ^ 0x5be0_cd19_137e_2179);
    let has_flash = values.iter().all(|(key, _)| key != "storage.medium");
    if !has_flash || !draw.once_in(4) {
        return Vec::new();
    }
    let wanted = 2 + draw.below(4);
    let with = |handles: u64| -> Vec<(String, String)> {
        let own =
            [("ftl.streams", BY_HANDLE.to_owned()), ("ftl.streams_handles", handles.to_string())];
        own.map(|(key, value)| (key.to_owned(), value)).to_vec()
    };
    let fits = |own: &Vec<(String, String)>| {
        let all: Vec<_> = values.iter().chain(own).cloned().collect();
        Board::resolve(plain, &all).is_ok()
    };
    (1..=wanted).rev().map(with).find(fits).unwrap_or_default()
}

/// Has a write name a placement handle where the host places its data: data of a place mostly have the same, and some name a
/// handle that there is not.
pub fn placed(entry: Entry, slot: usize, board: &Board) -> Entry {
    let handles = u64::from(board.firmware.placement_handles());
    if handles == 0 || entry.opcode() != opcode::WRITE || slot % 7 == 0 {
        return entry;
    }
    let place = entry.wide(10) / 32 + u64::from(slot % 5 == 0);
    placement::with_identifier(entry, (place % (handles + 1)) as u16)
}
