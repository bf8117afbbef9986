//! Controllers whose medium is memory, and which run commands by themselves.

use super::Processor;
use board::Board;
use contract::Configuration;
use driver::Layout;
use firmware::memory::MemoryLayers;

/// The whole controller that runs commands by itself.
const TOP: &str = "ssd_automated";

/// Channels of its memory, and bytes that lie on one before the next one's turn. Source: `ssd_ports.svh` and
/// `fm_transfer_pkg::StripeBytes`.
const CHANNELS: u32 = 2;
const STRIPE_BYTES: u32 = 512;

/// The name of the top of its hardware.
///
/// # Errors
/// A line, when there is none.
pub fn top(board: &Board, processor: Processor) -> Result<&'static str, String> {
    if processor == Processor::Ibex {
        return Err(format!(
            "{}: storage.medium: found memory, expected flash of a controller in hardware with a processor in it",
            board.name
        ));
    }
    Ok(TOP)
}

/// What has to be so of a board: key, what was found, what is expected.
pub fn expected(board: &Board) -> [(&'static str, u32, u32); 3] {
    let (medium, automation) = (board.memory.medium, board.automation);
    [
        ("memory.channels", medium.channels, CHANNELS),
        ("memory.chunk_bytes", medium.chunk_bytes, STRIPE_BYTES),
        ("automation.beat_bytes", automation.beat_bytes, super::BUS_BITS / 8),
    ]
}

/// Where things are: the pages of the namespace, one behind the other, as the hardware reaches them, and the entry that
/// is compared with.
pub fn layout(config: &Configuration) -> Layout {
    Layout::new(MemoryLayers::entries_needed(config), config.geometry.page_bytes, 0)
}
