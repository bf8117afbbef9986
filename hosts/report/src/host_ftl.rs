//! What the FTL in the host did, where the drive leaves the placing of data to it.

use crate::latency::Latency;
use serde::{Deserialize, Serialize};

/// Counters since the first job began. Blocks are of 4 KiB.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostFtl {
    /// Blocks that jobs put into its write buffer.
    pub user_blocks: u64,
    /// Blocks that the collector put there.
    pub collector_blocks: u64,
    /// Blocks that filled writes up.
    pub pad_blocks: u64,
    /// Lists of what is where.
    pub list_blocks: u64,
    /// Blocks of reads that were in the write buffer.
    pub buffer_blocks: u64,
    /// Blocks of reads that were on the flash.
    pub flash_blocks: u64,
    /// Commands to the drive: writes.
    pub write_commands: u64,
    /// Reads for jobs.
    pub read_commands: u64,
    /// Reads for the collector.
    pub collect_commands: u64,
    /// Resets of chunks.
    pub resets: u64,
    /// Writes that failed and were done again elsewhere.
    pub failed_writes: u64,
    /// Chunks that could not be reset.
    pub bad_chunks: u64,
    /// Blocks that could not be read when they were to be moved.
    pub lost_blocks: u64,
    /// Lines that were collected.
    pub collected_lines: u64,
    /// Writes to the drive: from the doorbell to the host's sight of the completion.
    pub write_times: Latency,
    /// The same of reads for jobs.
    pub read_times: Latency,
}
