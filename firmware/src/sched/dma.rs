//! Host DMA: issued before flash, and finished in the order of issue within a direction.

use alloc::collections::VecDeque;
use contract::{DmaDirection, DmaMemory, DmaRequest, Hardware, OperationStep, Work};

use crate::nvme::backend::IoOutcome;
use crate::operations::{Action, Data, Dma, Ended, OpId, Operation, Station};

/// Requests in the DMA engine, by direction.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct DmaQueue {
    from_host: Direction,
    to_host: Direction,
    room: usize,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Direction {
    issued: VecDeque<OpId>,
    finished: u32,
}

impl DmaQueue {
    /// An engine that holds `room` requests of each direction.
    pub fn new(room: u32) -> Self {
        let empty = || Direction { issued: VecDeque::with_capacity(room as usize), finished: 0 };
        DmaQueue { from_host: empty(), to_host: empty(), room: room as usize }
    }

    /// Takes in what the engine finished.
    pub fn check(&mut self, hw: &mut impl Hardware, station: &mut Station) -> bool {
        if self.from_host.issued.is_empty() && self.to_host.issued.is_empty() {
            return false;
        }
        hw.work(Work::PollDma);
        let progress = hw.dma_progress();
        let mut busy = false;
        for (direction, finished) in
            [(&mut self.from_host, progress.from_host), (&mut self.to_host, progress.to_host)]
        {
            while direction.finished != finished {
                direction.finished = direction.finished.wrapping_add(1);
                let id = direction.issued.pop_front().expect("only what was issued can finish");
                let tag = station.pool[id].owner.command().expect("DMA is done for a command");
                let ended = if progress.fault && hw.dma_fault(tag) {
                    Ended::Failed(IoOutcome::TransferError)
                } else {
                    Ended::Well
                };
                station.end(id, ended);
                busy = true;
            }
        }
        busy
    }

    /// Hands requests to the engine while it has room.
    pub fn issue(&mut self, hw: &mut impl Hardware, station: &mut Station) -> bool {
        let mut busy = false;
        while let Some(id) = station.dma.head() {
            let request = request(&station.pool[id]);
            let direction = match request.direction {
                DmaDirection::FromHost => &mut self.from_host,
                DmaDirection::ToHost => &mut self.to_host,
            };
            if direction.issued.len() == self.room {
                break;
            }
            direction.issued.push_back(id);
            let Station { pool, dma, .. } = station;
            pool.pop(dma);
            id.step(hw, OperationStep::Picked);
            hw.work_times(Work::IssueDma, request.length.div_ceil(4096));
            id.step(hw, OperationStep::Begun);
            hw.issue_dma(request);
            busy = true;
        }
        busy
    }
}

#[inline]
fn request(op: &Operation) -> DmaRequest {
    let tag = op.owner.command().expect("DMA is done for a command");
    let Action::Dma(dma) = op.action else { unreachable!("{op:?} is not for the DMA engine") };
    let (direction, data) = match dma {
        Dma::Control(transfer) => return transfer.request(tag),
        Dma::ToHost(data) => (DmaDirection::ToHost, data),
        Dma::FromHost { data, .. } => (DmaDirection::FromHost, data),
    };
    let Data { entry, span, host_offset, command_bytes: command_length, completer } = data;
    let memory = DmaMemory::Buffer { entry, offset: span.offset };
    let length = span.length;
    DmaRequest { tag, direction, host_offset, length, command_length, completer, memory }
}
