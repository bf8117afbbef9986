//! How much a host of a round has and asks for at once.

/// Logical blocks of a command at most.
pub const LONGEST: u64 = 24;
/// I/O queue pairs: entries of submission and completion queue. The third's completions wait for room.
pub const PAIRS: [(u32, u32); 3] = [(128, 128), (17, 17), (24, 3)];

/// Commands in flight at most.
pub const SLOTS: usize = 48;
/// Bytes of a logical block.
pub const BLOCK: u64 = 4096;
