//! What all workers share, and what a job needs of host memory by it.

use machine::{Accounts, Payload};

use crate::job::JobSpec;
use crate::prp::BufferShape;

/// What all workers share and nothing changes.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// What stands for data.
    pub payload: Payload,
    /// Bytes of a logical block.
    pub block_bytes: u64,
    /// Most bytes of a command with data, a power of two.
    pub transfer_bytes: u64,
    /// From the decision to submit to the doorbell.
    pub submit_ps: u64,
    /// From the interrupt until the job sees the completion.
    pub reap_ps: u64,
    /// Whether the drive tells where the time of requests goes.
    pub accounts: Accounts,
}

/// Host memory and slots that a job needs.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Data buffers.
    pub buffers: BufferShape,
    /// Commands that all slots together may have outstanding.
    pub commands: u64,
}

impl Needs {
    /// Needs of a job on queues with at most `queue_entries` entries.
    pub fn new(spec: &JobSpec, terms: &Terms, queue_entries: u32) -> Self {
        let data = [&spec.lengths.read, &spec.lengths.write];
        let moved = spec.mix.directions().iter().any(|&d| d != crate::job::Direction::Trim);
        let bytes = match moved {
            true => data.iter().map(|lengths| lengths.max_bytes()).max().unwrap_or(0),
            false => 0,
        };
        let slots = spec.iodepth.min(queue_entries - 1);
        let each = bytes.div_ceil(terms.transfer_bytes).max(1);
        Needs {
            buffers: BufferShape { slots, bytes, stretch_bytes: terms.transfer_bytes },
            commands: u64::from(spec.iodepth) * each,
        }
    }
}
