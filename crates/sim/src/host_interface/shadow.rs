//! I/O doorbells in host memory (NVMe 1.4 section 7.13): the host writes there, and to registers only
//! where the event indexes say that nobody looks.

use nvme::register::{offset, Doorbell};

use super::HostInterface;
use crate::memory::HostMemory;

/// Bytes of a queue's pair of doorbells, with CAP.DSTRD 0: tail, then head.
const PAIR_BYTES: usize = 8;
const HALF_BYTES: usize = 4;

/// Where the host keeps its doorbells, and what was last found there.
#[derive(Debug)]
pub(super) struct Shadow {
    doorbells: u64,
    events: u64,
    /// Values by queue as they were found last.
    heard: Vec<[u32; 2]>,
    /// The page as it is read.
    page: Vec<u8>,
}

impl HostInterface {
    pub(crate) fn set_doorbell_buffers(&mut self, doorbells: u64, events: u64) {
        let queues = self.queues.count();
        let (heard, page) = (vec![[0; 2]; queues], vec![0; queues * PAIR_BYTES]);
        self.shadow = Some(Shadow { doorbells, events, heard, page });
    }

    /// Whether the host keeps I/O doorbells in its memory.
    pub(crate) fn has_doorbell_buffers(&self) -> bool {
        self.shadow.is_some()
    }

    /// Looks at the host's doorbells; calls `rung` with offset and value of each that has changed.
    pub(crate) fn look_at_doorbells<M: HostMemory>(
        &mut self,
        memory: &mut M,
        mut rung: impl FnMut(u64, u32),
    ) {
        let Some(shadow) = &mut self.shadow else { return };
        if !memory.read(shadow.doorbells, &mut shadow.page) {
            // The host has taken its memory away, be it for a moment: nobody rings.
            return;
        }
        let pairs = shadow.page.chunks_exact(PAIR_BYTES).zip(&mut shadow.heard).zip(0..);
        for ((pair, heard), queue) in pairs.skip(1) {
            let doorbells = [Doorbell::SubmissionTail(queue), Doorbell::CompletionHead(queue)];
            let halves = pair.chunks_exact(HALF_BYTES).zip(heard).zip(doorbells);
            for ((bytes, heard), doorbell) in halves {
                let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
                if *heard != value {
                    *heard = value;
                    rung(doorbell.offset(0), value);
                }
            }
        }
    }

    /// Asks the host to write registers from now on, since nobody will look at its memory: tails of
    /// queues that are there, and heads where a completion waits for room.
    pub(crate) fn ask_for_doorbells<M: HostMemory>(&mut self, memory: &mut M) {
        let Some(shadow) = &self.shadow else { return };
        let full = !self.blocked.is_empty();
        for (heard, queue) in shadow.heard.iter().zip(0..).skip(1) {
            if self.queues.submission(queue).is_none() {
                continue;
            }
            let at = Doorbell::SubmissionTail(queue).offset(0) - offset::DOORBELLS + shadow.events;
            let [tail, head] = heard.map(u32::to_le_bytes);
            // Where it fails, looking fails too.
            memory.write(at, &tail);
            if full {
                memory.write(at + HALF_BYTES as u64, &head);
            }
        }
    }
}
