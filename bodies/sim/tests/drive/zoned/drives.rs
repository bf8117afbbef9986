//! Boards of zoned drives.

use board::Board;

/// A board, with some keys changed: 2 x 2 ways of 32 blocks of 32 pages, zones of 2 ways, 256 blocks and 1 MiB.
pub fn small(changes: &[(&str, &str)]) -> Board {
    let zoned = [
        ("nvme.command_set", "zoned"),
        ("flash.metadata_bytes", "36"),
        ("zones.channels", "2"),
        ("zones.ways", "1"),
        ("zones.open", "3"),
        ("zones.active", "5"),
    ];
    let all = zoned.iter().chain(changes);
    let all: Vec<_> = all.map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    Board::resolve("small", &all).expect("a board")
}
