//! A namespace of zones (Zoned Namespace Command Set 1.1): ranges of blocks that are written in order, at a write pointer, and reset as a whole.
//!
//! A zone is a flash block in each way of a set of ways ([`shape`]). There is no page map: the place of a block follows from its address
//! and from the flash blocks of its zone ([`blocks`]). What hosts may do with a zone is a matter of its state ([`states`]), which an accepted
//! command changes at once ([`accept`]). Commands are carried out first in, first out ([`plan`]): blocks come into the data buffer, where
//! pages wait until they are full ([`held`]), and go to flash in the order of the zone ([`store`]). A page written in part that a flush is to
//! make durable goes to a log beside the zones ([`log`], [`logging`]). After a power loss, write pointers are found on the chips ([`looking`], [`scan`], [`found`], [`verify`]).

mod accept;
mod blocks;
mod erase;
mod finish;
mod found;
mod held;
mod label;
mod log;
mod logging;
mod looking;
mod mend;
mod plan;
mod scan;
pub mod shape;
#[cfg(feature = "state")]
mod sound;
pub mod states;
mod store;
mod verify;

use alloc::vec;
use alloc::vec::Vec;
use contract::{CachePolicy, CommandTag, Completer, Configuration, Hardware, Start, Work};
use nvme::zones::{ZoneAction, ZoneState};

use self::blocks::Blocks;
use self::held::HeldPages;
use self::log::{Log, Record};
use self::scan::Scan;
use self::shape::Shape;
use self::states::States;
use crate::ftl::buffer::Buffer;
use crate::ftl::Counters;
use crate::nvme::backend::{AppendIo, Health, IoCommand, NoChunks, ZoneShape, ZoneTold, Zoned};
use crate::operations::{Ended, OpId};
use crate::placed::layers::{Layer, PlacedLayers};
use crate::placed::{Placed, Ports};

/// The layers below the NVMe manager; `S` is how operations get to the hardware.
pub type ZoneLayers<S> = PlacedLayers<Zones, S>;

/// What of a zone's data is where, as commands that were planned leave it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct ZoneData {
    /// Tells the data of the zone from those before its last reset; counted over all zones.
    generation: u32,
    /// Blocks whose transfers from the host were planned.
    planned: u32,
    /// Pages whose programs were planned.
    filled: u32,
    /// Pages from the first on that flash holds.
    stored: u32,
    /// The first block that is lost.
    lost: u32,
    /// Its last page is, or will be, programmed as it is.
    is_sealed: bool,
    /// Resets that were accepted, and those of them that were planned.
    resets: [u32; 2],
    /// Flash blocks of its last data that are not erased yet.
    erasing: u32,
    /// Marks in the log that are still to say that it was reset.
    marks: u32,
    /// The log may hold its first page, whether that counts there or not.
    first_logged: bool,
    /// The log holds its last page, and the page before it as long as that is not stored: were its program to fail, the log would have
    /// what is durable of it.
    records: [Option<Record>; 2],
    /// Blocks that something waits for to be durable.
    wanted: u32,
}

impl ZoneData {
    const EMPTY: ZoneData = ZoneData {
        generation: 0,
        planned: 0,
        filled: 0,
        stored: 0,
        lost: u32::MAX,
        is_sealed: false,
        resets: [0; 2],
        erasing: 0,
        marks: 0,
        first_logged: false,
        records: [None; 2],
        wanted: 0,
    };

    /// What the log has of a page.
    fn record_of(&self, page: u32) -> Option<Record> {
        self.records.into_iter().flatten().find(|record| record.page == page)
    }

    /// Whether all resets that were accepted were planned, so that its state is about these data.
    const fn is_current(&self) -> bool {
        self.resets[0] == self.resets[1]
    }
}

/// What a command waits for beside its own operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum Awaited {
    /// That so many blocks of the zone are durable.
    Durable(u32),
    /// That nothing is left of what the zone held before its reset.
    Clean,
    /// The same of a reset that was accepted and is still to be planned.
    Reset,
}

/// A command that waits for a zone.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Waiter {
    tag: CommandTag,
    zone: u32,
    awaited: Awaited,
}

/// The layer between the manager of commands and the operations.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Zones {
    shape: Shape,
    states: States,
    data: Vec<ZoneData>,
    blocks: Blocks,
    held: HeldPages,
    log: Log,
    placed: Placed,
    scan: Option<Scan>,
    waiters: Vec<Waiter>,
    /// Commands, by tag, whose data are to be durable when they end.
    is_durable: Vec<bool>,
    cache: CachePolicy,
    generations: u32,
    /// Transfers to the host of blocks that are held.
    held_reads: u32,
    /// Erases of each way that stand in its queue.
    erases: Vec<u32>,
    rated_cycles: u32,
}

/// Erases of a way that stand in its queue at most.
const ERASES_A_WAY: u32 = 4;
/// Most transfers to the host of blocks that are held.
const HELD_READS: u32 = 256;
/// Operations beside all others: of the control page.
const OTHERS: u32 = 64;

impl Zones {
    fn new(config: &Configuration, hw: &mut impl Hardware, start: Start) -> Self {
        let shape = Shape::new(config);
        let g = config.geometry;
        let mut zones = Zones {
            shape,
            states: States::new(shape.zones(), shape.capacity(), shape.limits()),
            data: vec![ZoneData::EMPTY; shape.zones() as usize],
            blocks: Blocks::new(&shape),
            held: HeldPages::new(shape.zones(), config.buffer_entries),
            log: Log::new(g.dies()),
            placed: Placed::new(config),
            scan: (start == Start::Again).then(|| Scan::new(&shape)),
            // A flush waits for each zone of which something is held, other commands for one each.
            waiters: Vec::with_capacity((config.command_slots + config.buffer_entries) as usize),
            is_durable: vec![false; config.command_slots as usize + 1],
            cache: config.cache,
            generations: 0,
            held_reads: 0,
            erases: vec![0; g.dies() as usize],
            rated_cycles: config.rated_cycles,
        };
        for die in 0..g.dies() {
            for block in 0..g.blocks_per_way {
                if hw.factory_bad((die % g.channels) as u8, (die / g.channels) as u8, block) {
                    zones.blocks.take_bad(die, block);
                }
            }
        }
        if start != Start::Again {
            zones.take_short_sets_offline();
        }
        zones
    }

    /// Operations that wait or are under way at most: two for each entry of the data buffer, transfers of what is held, and erases.
    pub const fn operations_needed(config: &Configuration) -> u32 {
        config.buffer_entries * 2 + HELD_READS + config.geometry.dies() * ERASES_A_WAY + OTHERS
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

    /// Flash blocks of the drive, what they were erased, and how often all of them were.
    pub(crate) fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Pages of host data that flash has still to take.
    pub(crate) fn pages_to_program(&self) -> u32 {
        self.held.to_program()
    }

    /// Entries of the data buffer that hold what flash does not.
    pub(crate) fn held_entries(&self) -> u32 {
        self.held.in_use()
    }
}

impl Zoned for Zones {
    fn shape(&self) -> ZoneShape {
        self.shape.told()
    }

    fn zone(&self, nth: u32) -> ZoneTold {
        let own = self.states.of(nth);
        ZoneTold { state: own.state, start: self.shape.start(nth), written: own.written.into() }
    }

    fn send(&mut self, tag: CommandTag, action: ZoneAction, zone: Option<u32>) {
        self.accept_action(tag, action, zone);
    }

    fn append(&mut self, hw: &mut impl Hardware, command: AppendIo) -> Option<u64> {
        hw.work(Work::Translate);
        self.accept_append(command)
    }

    fn controller_starts(&mut self) {
        self.states.close_all();
        self.states.forget_changes();
    }

    fn take_news(&mut self) -> bool {
        self.states.take_news()
    }

    fn tell_changes(&mut self) -> impl Iterator<Item = u64> + '_ {
        let shape = self.shape;
        self.states.tell_changes().map(move |zone| shape.start(zone))
    }

    fn forget_told(&mut self) {
        self.states.forget_told();
    }
}

impl Layer for Zones {
    type Chunks = NoChunks;
    type Zones = Zones;

    fn power_on(config: &Configuration, start: Start, hw: &mut impl Hardware) -> Self {
        Zones::new(config, hw, start)
    }

    fn operations_needed(config: &Configuration) -> u32 {
        Zones::operations_needed(config)
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

    fn zoned(&mut self) -> Option<&mut Zones> {
        Some(self)
    }

    fn blocks(&self) -> u64 {
        u64::from(self.shape.zones()) * self.shape.size()
    }

    fn blocks_in_use(&self) -> u64 {
        self.states.written()
    }

    fn submit(&mut self, command: IoCommand) -> Completer {
        self.accept(command)
    }

    fn set_cache(&mut self, cache: CachePolicy) {
        self.cache = cache;
    }

    fn health(&self) -> Health {
        let Zones { blocks, states, shape, placed, rated_cycles, .. } = self;
        let all = u64::from(blocks.count());
        let usable = all - u64::from(blocks.bad());
        let rated = all * u64::from(*rated_cycles);
        let unwritable = states.count(ZoneState::ReadOnly) + states.count(ZoneState::Offline);
        Health {
            available_spare_percent: (usable * 100).div_ceil(all) as u8,
            percentage_used: (blocks.erases() * 100 / rated.max(1)).min(255) as u8,
            media_errors: placed.counters.unreadable_pages + placed.counters.lost_writes,
            read_only: unwritable == shape.zones(),
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
