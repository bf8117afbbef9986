//! A namespace whose host places its data: the flash in chunks, which are written in order and reset as a whole
//! (Open-Channel SSD 2.0; Cosmos+ section 7.5).
//!
//! A chunk is a block of a way, a parallel unit a way, a group a channel. There is no map and no collection: an address is
//! turned into a place by arithmetic ([`address`]), and what the drive knows of a chunk is its state and how far it is
//! written ([`table`]), which it finds again on its chips after a power loss ([`scan`]). A write is done once its pages
//! are programmed, so that nothing is volatile. Commands go first in, first out: what a command does to its chunks holds for those
//! behind it as soon as it is accepted ([`accept`]), and is carried out page by page ([`plan`], [`finish`]) in the queues of the ways.

mod accept;
pub mod address;
mod finish;
mod plan;
mod report;
mod scan;
#[cfg(feature = "state")]
mod sound;
pub mod table;

use contract::{CachePolicy, CommandTag, Completer, Configuration, Hardware, Lpn, Start};
use nvme::open_channel::{ChunkDescriptor, ChunkState, Geometry};

use self::address::Addresses;
use self::report::Stated;
use self::scan::Scan;
use self::table::Table;
use crate::ftl::buffer::Buffer;
use crate::ftl::Counters;
use crate::nvme::backend::{Chunked, Health, IoCommand, IoKind, NoZones, Refused, VectorIo};
use crate::operations::{Ended, OpId, Page};
use crate::placed::commands::{Blocks, Kind};
use crate::placed::layers::{Layer, PlacedLayers};
use crate::placed::{Placed, Ports};

/// Pages of commands that a turn of the main loop begins.
const PAGES_A_TURN: u32 = 64;

/// The layers below the NVMe manager; `S` is how operations get to the hardware.
pub type ChunkLayers<S> = PlacedLayers<Chunks, S>;

/// The layer between the manager of commands and the operations: chunks, and commands that are under way on them.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Chunks {
    addresses: Addresses,
    table: Table,
    placed: Placed,
    scan: Option<Scan>,
    stated: Stated,
}

impl Chunks {
    fn new(config: &Configuration, hw: &mut impl Hardware, start: Start) -> Self {
        let g = config.geometry;
        let addresses = Addresses::new(config);
        let mut table = Table::new(&addresses);
        for chunk in 0..addresses.chunks() {
            let (die, block) = addresses.block_of(chunk);
            if hw.factory_bad((die % g.channels) as u8, (die / g.channels) as u8, block) {
                table.take_offline(chunk);
            }
        }
        Chunks {
            scan: (start == Start::Again).then(|| Scan::new(&addresses)),
            addresses,
            table,
            placed: Placed::new(config),
            stated: Stated::new(config),
        }
    }

    /// Operations that wait or are under way at most: two for each entry of the data buffer, and as many erases and
    /// probes as there may be beside them.
    pub const fn operations_needed(config: &Configuration) -> u32 {
        config.buffer_entries * 2 + config.geometry.dies() * ERASES_A_WAY + OTHERS
    }

    /// Entries of the data buffer that the body has.
    pub fn entries_needed(config: &Configuration) -> u32 {
        Buffer::entries_needed(config)
    }

    /// Bytes of a logical block.
    pub(crate) fn block_bytes(&self) -> u32 {
        self.placed.block_bytes
    }

    /// Counters since power-on.
    pub(crate) fn counters(&self) -> Counters {
        self.placed.counters
    }

    /// The table of chunks, with the state of each.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Erases of the flash block with this number, those of a way one after the other, if it is of use.
    pub(crate) fn erases(&self, block: u32) -> Option<u32> {
        let [_, _, per_way] = self.addresses.counts();
        let page = Page { die: block / per_way, row: block % per_way * self.addresses.pages() };
        let chunk = self.table.of(self.addresses.chunk_of(page));
        (chunk.state != ChunkState::Offline).then_some(chunk.erases)
    }
}

/// Erases for each way that the pool has room for.
const ERASES_A_WAY: u32 = 8;
/// Operations beside erases: of the control page, and the most that one page takes.
const OTHERS: u32 = 64;

impl Chunked for Chunks {
    fn geometry(&self) -> Geometry {
        self.stated.geometry(&self.addresses)
    }

    fn chunks(&self) -> u32 {
        self.addresses.chunks()
    }

    fn describe(&self, chunk: u32) -> ChunkDescriptor {
        self.stated.describe(&self.addresses, (chunk, self.table.of(chunk)))
    }

    fn submit(
        &mut self,
        hw: &mut impl Hardware,
        command: VectorIo<'_>,
    ) -> Result<Completer, Refused> {
        self.accept(hw, command)
    }

    fn failed(&self, tag: CommandTag) -> u64 {
        self.placed.commands.failed(tag)
    }
}

impl Layer for Chunks {
    type Chunks = Chunks;
    type Zones = NoZones;

    fn power_on(config: &Configuration, start: Start, hw: &mut impl Hardware) -> Self {
        Chunks::new(config, hw, start)
    }

    fn operations_needed(config: &Configuration) -> u32 {
        Chunks::operations_needed(config)
    }

    fn placed(&self) -> &Placed {
        &self.placed
    }

    fn placed_mut(&mut self) -> &mut Placed {
        &mut self.placed
    }

    fn is_found(&self) -> bool {
        self.scan.is_none()
    }

    fn chunked(&mut self) -> Option<&mut Chunks> {
        Some(self)
    }

    /// The end of the addresses, not all of which name a block.
    fn blocks(&self) -> u64 {
        self.addresses.end()
    }

    fn blocks_in_use(&self) -> u64 {
        self.table.written_blocks()
    }

    fn submit(&mut self, command: IoCommand) -> Completer {
        self.accept_range(command)
    }

    /// Data are in flash when a write ends, with or without a write cache.
    fn set_cache(&mut self, _cache: CachePolicy) {}

    fn health(&self) -> Health {
        let Chunks { table, addresses, stated, placed, .. } = self;
        let rated = u64::from(addresses.chunks()) * u64::from(stated.rated_cycles);
        let usable = u64::from(addresses.chunks() - table.offline());
        Health {
            available_spare_percent: (usable * 100).div_ceil(u64::from(addresses.chunks())) as u8,
            percentage_used: (table.erases() * 100 / rated.max(1)).min(255) as u8,
            media_errors: placed.counters.unreadable_pages + placed.counters.lost_writes,
            read_only: false,
            backup_failed: false,
        }
    }

    fn ended(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId, ended: Ended) {
        self.finish(ports, id, ended);
    }

    fn halted(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) {
        self.mend(ports, die);
    }

    fn plan(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        self.advance(ports)
    }
}

impl Chunks {
    /// Takes in a command about consecutive addresses.
    fn accept_range(&mut self, command: IoCommand) -> Completer {
        let IoCommand { tag, kind, start, blocks, .. } = command;
        let (kind, accepted) = match kind {
            IoKind::Read => (Kind::Read, self.readable(start, blocks)),
            IoKind::Write => (Kind::Write, self.accept_writes(start, blocks)),
            IoKind::Deallocate => return self.accept_deallocation((tag, start, blocks)),
            IoKind::Flush => {
                // All that was acknowledged is in flash.
                self.placed.commands.submit(
                    tag,
                    (Kind::Flush, Blocks::none()),
                    Completer::Firmware,
                );
                self.placed.commands.end(tag);
                return Completer::Firmware;
            }
            IoKind::Compare | IoKind::WriteZeroes | IoKind::Verify => {
                unreachable!("a drive with chunks has no such command")
            }
        };
        match accepted {
            Ok(Lpn(first)) => {
                let blocks = Blocks::range(first, blocks);
                let completer = self.placed.completer_of(kind);
                self.placed.commands.submit(tag, (kind, blocks), completer);
                self.placed.commands.queue(tag);
                completer
            }
            Err(outcome) => {
                self.placed.commands.submit(tag, (kind, Blocks::none()), Completer::Firmware);
                self.placed.commands.fail(tag, outcome);
                self.placed.commands.end(tag);
                Completer::Firmware
            }
        }
    }
}
