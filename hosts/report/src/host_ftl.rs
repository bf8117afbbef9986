//! What the FTL in the host did, where the drive leaves the placing of data to it.

use crate::json::{moments, percentiles};
use crate::latency::Latency;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use std::io::{self, Write};

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

impl HostFtl {
    /// Its place in the JSON report.
    pub(crate) fn json(&self) -> Value {
        let times = |latency: &Latency| {
            let mut object = moments(latency.moments_ps());
            object["percentile"] = percentiles(latency);
            object
        };
        json!({
            "user_blocks": self.user_blocks,
            "collector_blocks": self.collector_blocks,
            "pad_blocks": self.pad_blocks,
            "list_blocks": self.list_blocks,
            "buffer_blocks": self.buffer_blocks,
            "flash_blocks": self.flash_blocks,
            "write_commands": self.write_commands,
            "read_commands": self.read_commands,
            "collect_commands": self.collect_commands,
            "resets": self.resets,
            "failed_writes": self.failed_writes,
            "bad_chunks": self.bad_chunks,
            "lost_blocks": self.lost_blocks,
            "collected_lines": self.collected_lines,
            "write_ns": times(&self.write_times),
            "read_ns": times(&self.read_times),
        })
    }

    /// Its lines of the text report.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "  Host FTL: blocks written by jobs={}, by the collector={}, to fill up={}, lists={}; lines collected={}",
            self.user_blocks, self.collector_blocks, self.pad_blocks, self.list_blocks, self.collected_lines
        )?;
        writeln!(
            out,
            "    blocks read from the write buffer={}, from the flash={}, lost={}",
            self.buffer_blocks, self.flash_blocks, self.lost_blocks
        )?;
        writeln!(
            out,
            "    writes failed={}; chunks reset={}, bad={}",
            self.failed_writes, self.resets, self.bad_chunks
        )?;
        for (what, count, times) in [
            ("writes", self.write_commands, &self.write_times),
            ("reads", self.read_commands, &self.read_times),
        ] {
            if times.count() > 0 {
                let us = |percentile| times.percentile_ns(percentile) as f64 / 1e3;
                writeln!(
                    out,
                    "    {what} to the drive={count}, usec: avg={:.2}, p50={:.2}, p99={:.2}",
                    times.mean_ns() / 1e3,
                    us(50.0),
                    us(99.0)
                )?;
            }
        }
        Ok(())
    }
}
