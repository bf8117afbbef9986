//! Boards of open-channel drives.

use board::Board;

/// A board, with some keys changed: 2 x 2 ways of 32 chunks of 32 pages.
pub fn small(changes: &[(&str, &str)]) -> Board {
    let open_channel = [("nvme.command_set", "open-channel"), ("flash.metadata_bytes", "36")];
    let all = open_channel.iter().chain(changes);
    let all: Vec<_> = all.map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    Board::resolve("small", &all).expect("a board")
}
