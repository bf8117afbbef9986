//! The commands that a worker's requests are made of: their entries, their data, their ends.

use machine::Stamp;
use nvme::command::{DataPointer, Entry, Header};
use nvme::dataset::Range;
use nvme::io::{BlockRange, DatasetUse, IoCommand};
use nvme::status::Status;

use super::{Desk, Terms, Worker};
use crate::job::{Proof, RequestKind};
use crate::lane::Part;
use crate::oracle::{stamp, Mismatch, Outcome};
use crate::payload;

/// Whether a block holds what somebody has written there.
fn is_written(found: Option<Stamp>, lba: u64) -> bool {
    found.is_some_and(|stamp| !stamp.is_zero() && stamp.lba() == lba && stamp.version() != 0)
}

impl Worker {
    /// Takes commands for what is left of a request. False when the queue has no room for all.
    #[inline]
    pub(super) fn stage_commands(&mut self, slot: u32, desk: &mut Desk<'_>) -> bool {
        let state = &mut self.slots[slot as usize];
        let block_bytes = desk.terms.block_bytes;
        let most = match state.request.kind {
            RequestKind::Trim | RequestKind::ZoneReset => u64::from(u32::MAX) * block_bytes,
            _ => desk.terms.transfer_bytes,
        };
        loop {
            let bytes = (state.request.length_bytes - state.taken_bytes).min(most);
            let part = Part {
                worker: self.index,
                slot,
                first: state.taken_bytes / block_bytes,
                blocks: (bytes / block_bytes) as u32,
            };
            let Some(cid) = desk.lane.take(part) else { return false };
            self.staged.push(cid);
            state.outstanding += 1;
            state.taken_bytes += bytes;
            if state.taken_bytes == state.request.length_bytes {
                return true;
            }
        }
    }

    /// A command begins: its entry, its data, and what the oracle is told.
    #[inline]
    pub(super) fn begin(&mut self, cid: u16, desk: &mut Desk<'_>) -> Entry {
        let Terms { payload, block_bytes, .. } = desk.terms;
        let command = desk.lane.command(cid);
        let (slot, first, blocks) = (command.slot, command.first, command.blocks);
        let request = self.slots[slot as usize].request;
        let in_namespace = request.offset_bytes / block_bytes + first;
        let start = self.namespace.first_block + in_namespace;
        let range = BlockRange { start: in_namespace, blocks };
        let (offset, length) = (first * block_bytes, u64::from(blocks) * block_bytes);
        let words = self.words_per_slot * slot as usize + first as usize;
        let (io, data) = match request.kind {
            RequestKind::Read => {
                let words = &mut self.words[words..][..blocks as usize];
                desk.oracle.begin_read(start, words, &mut command.watch);
                let address = self.buffers.address(slot, offset);
                payload::poison(payload, desk.memory.at_mut(address, length as usize));
                let data = self.buffers.pointer(slot, offset, length);
                (IoCommand::Read(range, self.unit_access.read), data)
            }
            RequestKind::Write => {
                let versions = &mut self.words[words..][..blocks as usize];
                desk.oracle.begin_write(start, versions);
                let address = self.buffers.address(slot, offset);
                let data = desk.memory.at_mut(address, length as usize);
                for ((lba, version), block) in
                    (start..).zip(&*versions).zip(data.chunks_exact_mut(block_bytes as usize))
                {
                    payload::put(payload, stamp(lba, *version), block);
                }
                let data = self.buffers.pointer(slot, offset, length);
                (IoCommand::Write(range, self.unit_access.write), data)
            }
            RequestKind::Trim => {
                desk.oracle.begin_deallocate(start, u64::from(blocks));
                let address = desk.lane.range_address(cid);
                let mut bytes = [0; Range::BYTES];
                Range { attributes: 0, blocks, start: in_namespace }.emit(&mut bytes);
                desk.memory.at_mut(address, Range::BYTES).copy_from_slice(&bytes);
                let purpose = DatasetUse::Deallocate;
                let data = DataPointer { prp1: address, prp2: 0 };
                (IoCommand::DatasetManagement { ranges: 1, purpose }, data)
            }
            RequestKind::Flush => (IoCommand::Flush, DataPointer::default()),
            RequestKind::ZoneReset => return self.begin_reset(cid, &request, desk),
        };
        let entry = io.emit(Header { cid, nsid: self.namespace.id, data });
        match &mut self.placing {
            Some(placing) if request.kind == RequestKind::Write => {
                placing.place(entry, &mut self.slots[slot as usize], first == 0)
            }
            _ if request.kind == RequestKind::Write => self.append(entry, &request, desk),
            _ => entry,
        }
    }

    /// A command has completed: checks what it read and tells the oracle.
    ///
    /// # Errors
    /// Data that the order of writes does not permit.
    #[inline]
    pub fn end_command(
        &mut self,
        (cid, status): (u16, Status),
        desk: &mut Desk<'_>,
    ) -> Result<(), Box<Mismatch>> {
        let Terms { payload, block_bytes, .. } = desk.terms;
        let command = desk.lane.command(cid);
        let slot = command.slot;
        let state = &mut self.slots[slot as usize];
        let in_namespace = state.request.offset_bytes / block_bytes + command.first;
        let start = self.namespace.first_block + in_namespace;
        let blocks = command.blocks as usize;
        let words = self.words_per_slot * slot as usize + command.first as usize;
        let outcome = if status.is_success() { Outcome::Done } else { Outcome::Failed };
        match (state.request.kind, outcome) {
            (RequestKind::Read, Outcome::Done) => {
                let address = self.buffers.address(slot, command.first * block_bytes);
                let data = desk.memory.at(address, blocks * block_bytes as usize);
                let words = &self.words[words..][..blocks];
                if self.faults.proof == Proof::Written && state.unproven_lba.is_none() {
                    state.unproven_lba = (start..)
                        .zip(data.chunks_exact(block_bytes as usize))
                        .find(|&(lba, block)| !is_written(payload::get(payload, block), lba))
                        .map(|(lba, _)| lba);
                }
                desk.oracle.end_read(start, (words, &command.watch), |index| {
                    payload::get(payload, &data[index * block_bytes as usize..])
                })?;
            }
            (RequestKind::Read, Outcome::Failed) => desk.oracle.abandon_read(&command.watch),
            (RequestKind::Write, outcome) => {
                desk.oracle.end_write(start, &self.words[words..][..blocks], outcome);
            }
            (RequestKind::Trim, _) => desk.oracle.end_deallocate(start, blocks as u64),
            (RequestKind::ZoneReset, outcome) => {
                if let Some(book) = &mut desk.zones {
                    let tickets = book.tickets(&state.request, blocks as u64);
                    desk.oracle.end_zeroes(start, tickets, outcome);
                }
            }
            (RequestKind::Flush, _) => {}
        }
        if outcome == Outcome::Failed && state.status.is_success() {
            (state.status, state.failed_lba) = (status, in_namespace);
        }
        state.outstanding -= 1;
        if state.outstanding == 0 && state.taken_bytes == state.request.length_bytes {
            if let Some(book) = &mut desk.zones {
                book.completed(&state.request);
            }
            self.ready.push(slot);
        }
        desk.lane.give(cid);
        Ok(())
    }

    /// The first byte of a block of a command's data that differs from `expected`.
    pub fn first_difference(
        &self,
        (cid, index): (u16, u32),
        expected: machine::Stamp,
        desk: &mut Desk<'_>,
    ) -> u32 {
        let Terms { payload, block_bytes, .. } = desk.terms;
        let command = desk.lane.command(cid);
        let offset = (command.first + u64::from(index)) * block_bytes;
        let address = self.buffers.address(command.slot, offset);
        payload::first_difference(payload, desk.memory.at(address, block_bytes as usize), expected)
    }
}
