//! What the FTL in the host did.

use report::{HostFtl, Latency};

/// Counters since the start.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Blocks that came into the ring: of jobs, of the collector, and to fill units up.
    pub come: [u64; 3],
    /// Blocks of reads that were in the ring.
    pub buffer_blocks: u64,
    /// Blocks of reads that were on the flash.
    pub flash_blocks: u64,
    /// Commands to the drive: reads for jobs.
    pub read_commands: u64,
    /// Writes.
    pub write_commands: u64,
    /// Reads for the collector.
    pub collect_commands: u64,
    /// Resets.
    pub resets: u64,
    /// Writes that failed and were done again elsewhere.
    pub failed_writes: u64,
    /// Chunks that could not be reset.
    pub bad_chunks: u64,
    /// Blocks that could not be read when they were to be moved.
    pub lost_blocks: u64,
    /// Lines that were collected.
    pub collected_lines: u64,
    /// From the doorbell of each write to its completion.
    pub write_times: Latency,
    /// The same of reads for jobs.
    pub read_times: Latency,
}

impl Counts {
    /// The same for the report.
    pub fn told(&self) -> HostFtl {
        let [user_blocks, collector_blocks, pad_blocks] = self.come;
        HostFtl {
            user_blocks,
            collector_blocks,
            pad_blocks,
            buffer_blocks: self.buffer_blocks,
            flash_blocks: self.flash_blocks,
            write_commands: self.write_commands,
            read_commands: self.read_commands,
            collect_commands: self.collect_commands,
            resets: self.resets,
            failed_writes: self.failed_writes,
            bad_chunks: self.bad_chunks,
            lost_blocks: self.lost_blocks,
            collected_lines: self.collected_lines,
            write_times: self.write_times.clone(),
            read_times: self.read_times.clone(),
        }
    }
}
