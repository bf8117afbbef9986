//! What whoever simulates decides, where a board has nothing to say.

use machine::Polling;
use nand::Payload;

/// How to simulate.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What stands for user data.
    pub payload: Payload,
    /// Decides every draw of the flash chips.
    pub seed: u64,
    /// Idle polls.
    pub polling: Polling,
}
