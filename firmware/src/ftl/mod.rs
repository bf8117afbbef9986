//! Flash translation layer (Cosmos+ section 3.3.2): slices, data buffer, address translator,
//! dependency checker, garbage collection, bad blocks.

pub mod ahead;
pub mod badblock;
pub mod blocks;
pub mod buffer;
mod changes;
mod closed;
pub mod collect;
mod counters;
pub mod depend;
mod dirty;
pub mod draw;
pub mod drawn;
pub mod fill;
mod finish;
mod fixed;
pub mod flush;
mod gathered;
pub mod handles;
mod known;
mod layout;
pub mod log;
pub mod map;
mod moved;
pub mod moves;
pub mod operate;
pub mod origin;
mod paged;
mod patrol;
pub mod placement;
mod ports;
pub mod precondition;
mod program;
pub mod rebuild;
mod recorded;
mod refresh;
pub mod replacement;
mod restore;
mod sample;
pub mod save;
mod scan;
#[cfg(target_pointer_width = "64")]
mod scattered;
mod shifted;
pub mod sizes;
pub mod slice;
pub mod streams;
mod superblocks;
mod table;
mod taken;
pub mod translate;
mod turn;
pub mod units;
pub mod victim;
mod wanted;
pub mod wear;

use contract::{BadBlocks, CachePolicy, CommandTag, Completer, Configuration, Geometry, Hardware};

use sparse::Clones;

pub use self::counters::Counters;
pub use self::ports::Ports;

use self::buffer::Buffer;
use self::flush::Flushes;
use self::layout::{Known, Layout};
use self::log::Log;
use self::patrol::Patrol;
use self::save::Save;
use self::scan::Scan;
use self::slice::Commands;
use self::translate::Translator;
use self::wanted::Wanted;
use crate::nvme::backend::{Durability, IoCommand, IoKind, IoOutcome, Protection};
use crate::operations::{Action, ControlTransfer, Dma, Ended, Flash, OpId, Operation, Owner, Task};
use crate::planted::{is_planted, Bug};

/// The flash translation layer.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Ftl {
    geometry: Geometry,
    block_bytes: u32,
    cache: CachePolicy,
    /// Who completes commands that are over once their data have moved.
    completer: Completer,
    commands: Commands,
    pub(crate) buffer: Buffer,
    pub(crate) translator: Translator,
    flushes: Flushes,
    /// How the map survives a power loss, where it does.
    pub(crate) log: Option<Log>,
    /// What it has for the end of power, where it has a capacitor.
    save: Option<Save>,
    /// The look for bad blocks, and what it has found, where there is no table of them.
    scan: Option<Scan>,
    control: Option<IoOutcome>,
    /// Operations that one slice can need at most.
    slice_operations: u32,
    /// Entries that are kept clean ahead of need.
    clean_entries_kept: u32,
    /// Changes of the map beside its parts that are kept free for blocks that fail.
    changes_kept: u32,
    patrol: Patrol,
    read_only: bool,
    /// What the command that is cut wants in flash at once.
    wanted: Wanted,
    /// Slices to come of the command that is cut whose data were read with one before.
    fetched: u32,
    pub(crate) counters: Counters,
}

impl Ftl {
    /// An FTL over an empty drive. Blocks with a factory mark are left out, once it knows them.
    pub fn new(config: &Configuration, hw: &mut impl Hardware) -> Self {
        let g = config.geometry;
        let (layout, scan) = match config.bad_blocks {
            BadBlocks::Table => {
                let bad = |die: u32, block| {
                    hw.factory_bad((die % g.channels) as u8, (die / g.channels) as u8, block)
                };
                (Layout::new(config, Known::All, bad), None)
            }
            BadBlocks::Scan => {
                (Layout::new(config, Known::Areas, |_, _| false), Some(Scan::new(config)))
            }
        };
        let Layout { log, save, translator } = layout;
        Ftl {
            geometry: g,
            block_bytes: config.block_formats[usize::from(config.block_format)],
            cache: config.cache,
            completer: config.completer,
            // One tag more for the NVMe manager's own flush.
            commands: Commands::new(config.command_slots + 1, config.unit_bytes),
            buffer: Buffer::new(config),
            translator,
            flushes: Flushes::new(config.command_slots + 1),
            log,
            save,
            scan,
            control: None,
            slice_operations: sizes::slice_operations(config),
            clean_entries_kept: config.clean_entries_kept,
            changes_kept: g.dies()
                * g.pages_per_block
                * config.units_per_page()
                * config.joined_planes,
            patrol: Patrol::new(config),
            read_only: false,
            wanted: Wanted::NONE,
            fetched: 0,
            counters: Counters::default(),
        }
    }

    /// States what clones are of those tables that grow with the drive.
    pub(crate) fn set_clones(&mut self, are: Clones) {
        self.translator.map.set_clones(are);
        self.translator.blocks.set_clones(are);
    }

    /// Pages of data that a drive has room for whose `bad(die, block)` blocks are bad from the factory.
    pub fn room(config: &Configuration, bad: impl FnMut(u32, u32) -> bool) -> u64 {
        Layout::new(config, Known::All, bad).translator.room()
    }

    /// Logical blocks of the namespace.
    pub fn blocks(&self) -> u64 {
        u64::from(self.translator.map.pages()) * u64::from(self.blocks_per_unit())
    }

    fn blocks_per_unit(&self) -> u32 {
        self.geometry.page_bytes / self.translator.units_per_page() / self.block_bytes
    }

    /// Logical blocks that hold data, by mapping units.
    pub fn blocks_in_use(&self) -> u64 {
        u64::from(self.translator.map.mapped()) * u64::from(self.blocks_per_unit())
    }

    /// Pages of host data that flash has still to take: those that dirty entries fill, and programs under way.
    pub fn pages_to_program(&self) -> u32 {
        let dirty = self.buffer.dirty().div_ceil(self.translator.units_per_page());
        dirty + self.flushes.under_way()
    }

    /// Mapping units of host data that flash has still to take: dirty entries, and those of programs under way.
    fn units_to_program(&self) -> u32 {
        self.buffer.dirty() + self.flushes.units_under_way()
    }

    /// Bytes of data of a page.
    pub(crate) fn page_bytes(&self) -> u32 {
        self.geometry.page_bytes
    }

    /// Bytes a logical block.
    pub fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    /// Whether the drive takes no more writes.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Sets the cache policy for commands to come.
    pub fn set_cache(&mut self, cache: CachePolicy) {
        self.cache = cache;
    }

    /// Takes an I/O command in; tells who completes it if nothing fails.
    #[inline]
    pub fn submit(&mut self, command: IoCommand) -> Completer {
        let changes = matches!(command.kind, IoKind::Write | IoKind::WriteZeroes);
        let protection = self.protection();
        let durability = match self.cache {
            CachePolicy::WriteThrough if changes && !is_planted(Bug::WriteThroughIgnored) => {
                Durability::Durable
            }
            _ if is_planted(Bug::ForcedAccessIgnored) => Durability::Cached,
            // What is in the buffer stays as if it were in flash, or the host was told so.
            _ if protection == Protection::Holds => Durability::Cached,
            _ if protection == Protection::Failed && changes => Durability::Durable,
            _ => command.durability,
        };
        let moves = matches!(command.kind, IoKind::Read | IoKind::Write);
        let staged = self.save.is_some() && command.kind == IoKind::Write;
        let completer = match durability {
            // They have moved before they are where they are safe.
            _ if staged => Completer::Firmware,
            Durability::Cached if moves => self.completer,
            _ => Completer::Firmware,
        };
        self.commands.submit(IoCommand { durability, ..command }, completer, self.block_bytes);
        completer
    }

    /// Forgets a command, as [`Commands::abort`] says.
    pub fn abort(&mut self, tag: CommandTag) -> bool {
        self.commands.abort(tag)
    }

    /// Takes the next finished I/O command.
    #[inline]
    pub fn next_done(&mut self) -> Option<(CommandTag, IoOutcome)> {
        self.commands.next_done()
    }

    /// Whether no command is under way and every entry is clean.
    pub fn is_quiet(&self) -> bool {
        let quiet = self.commands.under_way() == 0 && self.buffer.dirty() == 0;
        quiet && self.log.as_ref().is_none_or(Log::is_quiet)
    }

    /// Starts a transfer of the control page for an admin or dataset management command.
    pub fn start_control(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        transfer: ControlTransfer,
    ) {
        let action = Action::Dma(Dma::Control(transfer));
        let op = Operation { owner: Owner::Step(tag), action };
        let id = ports.station.reserve(ports.hw, op);
        id.released(ports.hw, None);
        ports.station.release(id);
        self.control = None;
    }

    /// A transfer of the control page has ended.
    pub(crate) fn end_control(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId) {
        let ended = ports.station.pool.ended(id);
        self.finish(ports, id, ended);
    }

    /// How the control transfer ended, once.
    pub fn control_done(&mut self) -> Option<IoOutcome> {
        self.control.take()
    }

    /// Frees every logical page and changes the block size.
    ///
    /// # Panics
    /// When a command is under way or an entry is dirty.
    pub fn format(&mut self, block_bytes: u32) {
        assert!(self.is_quiet(), "a format waits until the drive is quiet");
        for entry in 0..self.buffer.cached() {
            self.buffer.forget(contract::BufferId(entry));
        }
        self.translator.map.clear();
        self.translator.blocks.invalidate_all();
        self.block_bytes = block_bytes;
        self.note_cleared();
    }

    /// Takes what the scheduler has ended, and sees to the ways that halt.
    #[inline]
    pub fn settle(&mut self, ports: &mut Ports<'_, impl Hardware>) {
        while ports.station.has_news() {
            while let Some((id, ended)) = ports.station.next_ended() {
                let ended = judge(&ports.station.pool[id], ended);
                if self.reads_apart(ports, id, ended) {
                    continue;
                }
                self.count(&ports.station.pool[id], ended);
                self.finish(ports, id, ended);
            }
            while let Some(die) = ports.station.next_halted() {
                self.repair(ports, die);
            }
            self.let_go_waiting(ports);
        }
    }
}

/// How an operation ended: a read of a page that turned out to be lost while it was under way failed,
/// whatever came of it.
fn judge(op: &Operation, ended: Ended) -> Ended {
    match op.on_flash() {
        Some(Flash { task: Task::Read { .. }, doomed: true, .. }) => {
            Ended::Failed(IoOutcome::UnrecoveredRead)
        }
        _ => ended,
    }
}
