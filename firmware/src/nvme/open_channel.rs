//! Commands of open-channel drives (Open-Channel SSD 2.0): geometry, the log of chunks, and the commands that name blocks
//! by lists of addresses. A list is fetched before the layers below know of its command, and the processor waits for
//! it, as in Cosmos+ section 7.5.

use contract::{AddressesOf, CommandTag, DmaDirection, Hardware, ListOf, Work};
use nvme::admin::opcode as admin;
use nvme::admin::GetLogPage;
use nvme::command::Entry;
use nvme::effects::effect;
use nvme::io::opcode as io;
use nvme::open_channel::{
    opcode, AddressList, ChunkDescriptor, VectorCommand, VectorKind, MOST_ADDRESSES,
};
use nvme::status::{Fault, Status};

use super::backend::{Chunked, IoKind, Storage, VectorIo};
use super::command::{Answer, Job, Page, Reply};
use super::io::failure;
use super::manager::Manager;
use super::ports::Ports;
use crate::operations::ControlTransfer;

/// Bytes of the control page.
const PAGE_BYTES: u64 = 4096;

/// Admin commands that an open-channel drive has beside those of all drives, with their effects.
pub(super) const ADMIN_EFFECTS: [(u8, u32); 1] = [(admin::GEOMETRY, effect::SUPPORTED)];
/// Its I/O commands.
pub(super) const IO_EFFECTS: [(u8, u32); 8] = [
    (io::FLUSH, effect::SUPPORTED),
    (io::WRITE, effect::SUPPORTED | effect::BLOCK_CONTENT),
    (io::READ, effect::SUPPORTED),
    (io::DATASET_MANAGEMENT, effect::SUPPORTED | effect::BLOCK_CONTENT),
    (opcode::RESET, effect::SUPPORTED | effect::BLOCK_CONTENT),
    (opcode::WRITE, effect::SUPPORTED | effect::BLOCK_CONTENT),
    (opcode::READ, effect::SUPPORTED),
    (opcode::COPY, effect::SUPPORTED | effect::BLOCK_CONTENT),
];

/// As what a command counts.
const fn counted(kind: VectorKind) -> IoKind {
    match kind {
        VectorKind::Read => IoKind::Read,
        VectorKind::Write => IoKind::Write,
        // They move no data of the host.
        VectorKind::Reset | VectorKind::Copy => IoKind::Deallocate,
    }
}

/// The addresses of a command, fetched where they stand in host memory.
fn fetch<'a>(
    hw: &mut impl Hardware,
    (tag, addresses, list): (CommandTag, AddressList, ListOf),
    room: &'a mut [u64],
) -> Result<&'a [u64], Fault> {
    match addresses {
        AddressList::Single(address) => room[0] = address,
        AddressList::At(address) => {
            if !hw.fetch_addresses(AddressesOf { tag, list, address }, room) {
                let dword = match list {
                    ListOf::Blocks => 10,
                    ListOf::Destinations => 14,
                };
                return Err(Fault::at(Status::DATA_TRANSFER_ERROR, dword, 0));
            }
        }
    }
    Ok(room)
}

impl Manager {
    /// A command that names blocks by their addresses.
    pub(super) fn vector(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        (tag, command): (CommandTag, VectorCommand),
        entry: &Entry,
    ) -> Answer {
        self.identity.namespaces.check(entry.nsid())?;
        let VectorCommand { kind, count, .. } = command;
        match kind {
            VectorKind::Read | VectorKind::Write => {
                self.check_data(ports.storage, count.into(), entry)?;
            }
            VectorKind::Copy | VectorKind::Reset => {}
        }
        let mut room = [[0; MOST_ADDRESSES]; 2];
        let [addresses, destinations] = &mut room;
        let blocks = (tag, command.addresses, ListOf::Blocks);
        let addresses = fetch(ports.hw, blocks, &mut addresses[..count.into()])?;
        let destinations = match kind {
            VectorKind::Copy => {
                let to = (tag, command.destinations, ListOf::Destinations);
                fetch(ports.hw, to, &mut destinations[..count.into()])?
            }
            _ => &[],
        };
        let slot = self.commands.get_mut(tag);
        (slot.start, slot.blocks) = (addresses[0], count.into());
        let command = VectorIo { tag, kind, addresses, destinations };
        let chunks = ports.storage.chunked().expect("it was asked for");
        match chunks.submit(ports.hw, command) {
            Ok(completer) => {
                self.counters.io_begins(ports.hw);
                self.commands.get_mut(tag).job = Job::Storage(counted(kind), completer);
                Ok(Reply::Later)
            }
            Err(refused) => {
                let status = failure(refused.outcome).expect("it is refused");
                self.fail_for(ports.hw, tag, (Fault::whole(status), refused.addresses));
                Ok(Reply::Later)
            }
        }
    }

    /// Refuses Geometry where the drive is no open-channel drive, and for a wrong namespace.
    pub(super) fn check_geometry(
        &self,
        storage: &mut impl Storage,
        nsid: u32,
    ) -> Result<(), Fault> {
        match storage.chunked() {
            None => Err(Fault::at(Status::INVALID_OPCODE, 0, 0)),
            Some(_) => self.identity.namespaces.check(nsid),
        }
    }

    /// Writes the geometry into the control page.
    pub(super) fn emit_geometry(&self, ports: &mut Ports<impl Hardware, impl Storage>) {
        let chunks = ports.storage.chunked().expect("it was asked for");
        chunks.geometry().emit(ports.hw.control_page());
    }

    /// Checks Get Log Page for the chunks of a namespace.
    pub(super) fn check_chunk_log(
        &self,
        storage: &mut impl Storage,
        log: GetLogPage,
        nsid: u32,
    ) -> Result<(), Fault> {
        let Some(chunks) = storage.chunked() else {
            return Err(Fault::at(Status::INVALID_LOG_PAGE, 10, 0));
        };
        self.identity.namespaces.check(nsid)?;
        if log.offset >= log_bytes(chunks) {
            return Err(Fault::at(Status::INVALID_FIELD, 12, 0));
        }
        Ok(())
    }

    /// Writes the next part of the log of chunks into the control page; tells what of it is to be sent. Nothing is
    /// sent of what lies behind its end.
    pub(super) fn emit_chunks(
        &self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        log: GetLogPage,
    ) -> ControlTransfer {
        let chunks = ports.storage.chunked().expect("it was asked for");
        let sent = self.control.sent;
        let (mut at, end) = (log.offset + sent, log_end(chunks, log));
        let length = (end - at).min(PAGE_BYTES);
        let page = &mut ports.hw.control_page()[..length as usize];
        let mut left = &mut page[..];
        while !left.is_empty() {
            let each = ChunkDescriptor::BYTES as u64;
            let mut bytes = [0; ChunkDescriptor::BYTES];
            chunks.describe((at / each) as u32).emit(&mut bytes);
            let part = &bytes[(at % each) as usize..];
            let part = &part[..part.len().min(left.len())];
            let (now, rest) = left.split_at_mut(part.len());
            now.copy_from_slice(part);
            (left, at) = (rest, at + part.len() as u64);
        }
        ports.hw.work(Work::Touch);
        ControlTransfer {
            direction: DmaDirection::ToHost,
            length: length as u32,
            host_offset: sent as u32,
            command_bytes: log.length as u32,
        }
    }

    /// A part of a data structure was sent. True if another follows, which is under way then.
    pub(super) fn sends_more(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        (tag, job): (CommandTag, Job),
    ) -> bool {
        if let Job::Page(Page::Zones(report)) = job {
            return self.reports_more(ports, tag, report);
        }
        let (Job::Page(Page::Log(log)), Some(chunks)) = (job, ports.storage.chunked()) else {
            return false;
        };
        let sent = self.control.sent + PAGE_BYTES;
        if log.page != nvme::admin::LogPage::ChunkInformation
            || log.offset + sent >= log_end(chunks, log)
        {
            return false;
        }
        self.control.sent = sent;
        self.move_page(ports, tag);
        true
    }
}

/// Bytes of the log of chunks.
fn log_bytes(chunks: &impl Chunked) -> u64 {
    u64::from(chunks.chunks()) * ChunkDescriptor::BYTES as u64
}

/// Where what is asked of the log of chunks ends.
fn log_end(chunks: &impl Chunked, log: GetLogPage) -> u64 {
    log_bytes(chunks).min(log.offset + log.length)
}
