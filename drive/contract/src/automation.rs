//! Commands that a host interface runs by itself, as hardware that automates NVMe does.

use crate::Duration;

/// What a host interface can run without firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Automation {
    /// Nothing.
    None,
    /// Reads and writes of a namespace that lies in the data buffer.
    ReadsAndWrites,
}

/// Where a drive keeps the data of its namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Medium {
    /// On flash; the data buffer holds some of them for a while.
    Flash,
    /// In the data buffer itself: entry n is logical page n.
    Memory,
}

/// A namespace whose reads and writes the host interface runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct AutomatedNamespace {
    /// Its identifier.
    pub id: u32,
    /// Logical blocks.
    pub blocks: u64,
    /// Bytes of a logical block.
    pub block_bytes: u32,
    /// Most data of a command, in bytes.
    pub max_transfer_bytes: u32,
}

/// Reads and writes that a host interface ran by itself since power-on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct AutomatedTraffic {
    /// Number of reads that the host interface ran.
    pub reads: u64,
    /// Number of writes that the host interface ran.
    pub writes: u64,
    /// Bytes that reads moved.
    pub bytes_read: u64,
    /// Bytes that writes moved.
    pub bytes_written: u64,
    /// Time with any of them under way.
    pub busy: Duration,
}
