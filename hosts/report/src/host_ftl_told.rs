//! What the FTL in the host did, in JSON and in text.

use crate::host_ftl::HostFtl;
use crate::json_values::{moments, percentiles};
use crate::latency::Latency;
use serde_json::{json, Value};
use std::io::{self, Write};

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
