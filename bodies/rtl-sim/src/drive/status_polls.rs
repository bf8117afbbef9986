//! How a board's channels learn that chips are ready.

use board::Board;
use contract::Duration;

/// Cycles of such a length between statuses of a way that is busy.
pub fn poll_cycles(board: &Board, period: Duration) -> u64 {
    board.channel.status_poll.as_ps().div_ceil(period.as_ps())
}

/// The beginning of a line about how a board's channels learn that chips are ready.
pub fn status_poll(board: &Board) -> String {
    let found = us(board.channel.status_poll.as_ps());
    format!("{}: channel.status_poll_us: found {found}", board.name)
}

/// Picoseconds in microseconds.
pub fn us(ps: u64) -> String {
    (ps as f64 / 1e6).to_string()
}
