//! Flash translation layer (Cosmos+ section 3.3.2): slices, data buffer, address translator,
//! dependency checker, garbage collection, bad blocks.

pub mod ahead;
pub mod badblock;
pub mod blocks;
pub mod buffer;
mod changes;
mod closed;
pub mod collect;
pub mod depend;
mod dirty;
pub mod draw;
pub mod drawn;
pub mod fill;
mod fixed;
pub mod flush;
mod gathered;
mod known;
mod layout;
pub mod log;
pub mod map;
mod moved;
pub mod operate;
pub mod origin;
mod paged;
pub mod placement;
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
pub mod slice;
pub mod streams;
mod superblocks;
mod table;
mod taken;
pub mod translate;
mod turn;
pub mod units;
pub mod victim;
pub mod wear;

use contract::{
    BadBlocks, CachePolicy, CommandTag, Completer, Configuration, Geometry, Hardware,
    OperationStep, Work,
};

use sparse::Clones;

use self::buffer::{Buffer, Lost};
use self::depend::Adder;
use self::flush::{Flushes, Kept};
use self::layout::{Known, Layout};
use self::log::Log;
use self::program::Wanted;
use self::refresh::Patrol;
use self::restore::Restored;
use self::save::Save;
use self::scan::Scan;
use self::slice::Commands;
use self::translate::Translator;
use crate::nvme::backend::{Durability, IoCommand, IoKind, IoOutcome, Protection};
use crate::operations::{
    Action, ControlTransfer, Data, Deed, Dma, Ended, Flash, OpId, Operation, Owner, Station, Task,
    Touch,
};
use crate::planted::{is_planted, Bug};

/// Counters of the firmware, for reports and the SMART log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Counters {
    /// Slices that found their page in the data buffer.
    pub buffer_hits: u64,
    /// Slices that did not.
    pub buffer_misses: u64,
    /// Slices that found their entry of the map in memory, where not all of it is.
    pub map_hits: u64,
    /// Slices that waited for it.
    pub map_misses: u64,
    /// Pages that the host wrote, in mapping units touched.
    pub host_pages: u64,
    /// Pages read from flash, for the host and for collection.
    pub reads: u64,
    /// Pages programmed for host data.
    pub programs: u64,
    /// Pages programmed by collection.
    pub moves: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Reads repeated.
    pub read_retries: u64,
    /// Bits that ECC corrected.
    pub corrected_bits: u64,
    /// Chips reset that did not turn ready in time.
    pub chip_resets: u64,
    /// Superblocks collected because their bits went wrong.
    pub refreshes: u64,
    /// Pages read to see whether their bits go wrong.
    pub patrol_reads: u64,
    /// Pages that stayed uncorrectable, or held another page's data.
    pub unreadable_pages: u64,
    /// Blocks gone bad in use.
    pub bad_blocks: u64,
    /// Programs and erases given up.
    pub lost_writes: u64,
    /// Blocks that were looked at for the factory's mark.
    pub marks_read: u64,
}

impl Counters {
    /// Each of them, in the order of their declaration.
    pub fn each(&mut self) -> [&mut u64; 18] {
        let Counters {
            buffer_hits,
            buffer_misses,
            map_hits,
            map_misses,
            host_pages,
            reads,
            programs,
            moves,
            erases,
            read_retries,
            corrected_bits,
            chip_resets,
            refreshes,
            patrol_reads,
            unreadable_pages,
            bad_blocks,
            lost_writes,
            marks_read,
        } = self;
        [
            buffer_hits,
            buffer_misses,
            map_hits,
            map_misses,
            host_pages,
            reads,
            programs,
            moves,
            erases,
            read_retries,
            corrected_bits,
            chip_resets,
            refreshes,
            patrol_reads,
            unreadable_pages,
            bad_blocks,
            lost_writes,
            marks_read,
        ]
    }
}

/// What the FTL works with: the body, and the operations of which the scheduler does those that need
/// flash or DMA.
#[derive(Debug)]
pub struct Ports<'a, H> {
    /// The body.
    pub hw: &'a mut H,
    /// The operations.
    pub station: &'a mut Station,
}

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
            slice_operations: Self::slice_operations(config),
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

    /// Operations that the station has to have room for.
    pub fn operations_needed(config: &Configuration) -> u32 {
        // Three operations for every slice of a full command table are more than are ever under
        // way with a buffer of this size; three slices' collections come on top.
        let slices = config.max_transfer_bytes / config.unit_bytes + 1;
        let commands = (config.command_slots * slices * 3).min(config.buffer_entries * 16);
        let of_log = config.recovery.map_or(0, |r| r.log_entries + config.geometry.dies());
        commands.max(4096) + turn::SLICES_KEPT_AHEAD * Self::slice_operations(config) + of_log
    }

    /// A slice places a page for the entry that it takes, and at most one for each mapping unit of those that its command
    /// wants in flash at once. Each may start one collection a way: every valid mapping unit
    /// of a victim is read and programmed, and its blocks are erased. Where ways are collected before they
    /// are in need, a victim that was begun may have to be finished before.
    fn slice_operations(config: &Configuration) -> u32 {
        let units = config.units_per_page();
        let collection = (2 * config.geometry.pages_per_block * units + 1) * config.joined_planes;
        let refill = if config.recovery.is_some() { 1 } else { 0 };
        // One that levels wear, or that refreshes, may gain nothing, and another follows it.
        let level = u32::from(wear::Chosen::empties_in(config))
            + u32::from(config.refresh.corrected_bits > 0);
        let goes_on = config.free_pages_kept > 0 || streams::Chosen::is_apart_in(config);
        let collections = refill + level + if goes_on { 2 } else { 1 };
        (1 + units) * collections * collection + 8 * units
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
    pub fn submit(&mut self, command: IoCommand) -> Completer {
        let changes = matches!(command.kind, IoKind::Write | IoKind::WriteZeroes);
        let protection = self.protection();
        let durability = match self.cache {
            CachePolicy::WriteThrough if changes => Durability::Durable,
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

    /// Takes the next finished I/O command.
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

    /// Counts an operation that has ended.
    fn count(&mut self, op: &Operation, ended: Ended) {
        let Some(Flash { task, doomed, .. }) = op.on_flash() else { return };
        match (task, ended) {
            (Task::Read { .. }, Ended::Well) => self.counters.reads += 1,
            (Task::Read { .. }, _) if !doomed => self.counters.unreadable_pages += 1,
            (Task::Program { epoch: Some(_), .. }, Ended::Well) => self.counters.programs += 1,
            (Task::Program { .. }, Ended::Well) => self.counters.moves += 1,
            (Task::Erase, Ended::Well) => self.counters.erases += 1,
            _ => {}
        }
    }

    /// An operation is done: tells its command, its flush and what waits for its entry.
    fn finish(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId, ended: Ended) {
        id.step(ports.hw, OperationStep::Ended);
        ports.hw.work(Work::Depend);
        let op = ports.station.pool[id];
        if let Some(&Flash { page, task, .. }) = op.on_flash() {
            if self.log_ended(ports, (page, task), ended) {
                ports.station.pool.remove(id);
                return;
            }
        }
        if let Action::Dma(Dma::FromHost { data, replaced: Some(_) }) = op.action {
            self.buffer.take_replacing(data.entry);
        }
        let replaced = match op.action {
            Action::Dma(Dma::FromHost { replaced, .. }) => replaced,
            _ => None,
        };
        match (op.action, ended) {
            (
                Action::Dma(Dma::FromHost { data, replaced: Some(replaced) }),
                Ended::Failed(outcome),
            ) => {
                let restored = self.restore(ports, (id, outcome), (data.entry, replaced));
                self.translator.map.unpin(replaced.lpn);
                if restored == Restored::InTime {
                    return;
                }
            }
            (Action::Flash(Flash { page, task: Task::Program { epoch, .. }, .. }), _) => {
                if epoch.is_some() {
                    let of_host = ports.station.pool.moved(id).filter(|own| own.of_host);
                    self.flushes.end_units(of_host.count() as u32);
                }
                self.note_lost_units(ports, (id, page));
            }
            (Action::Flash(Flash { task: Task::Read { part, .. }, .. }), _) => {
                self.take_units(ports, (id, part), ended);
            }
            (
                Action::Dma(Dma::FromHost { data: Data { entry, .. }, .. })
                | Action::Touch(Touch { entry, deed: Deed::Zero | Deed::Copy { .. }, .. }),
                Ended::Well,
            ) => {
                self.buffer.set_lost(entry, self.buffer.replaced(&op), Lost::No);
                if let Some(replaced) = replaced {
                    self.translator.map.unpin(replaced.lpn);
                }
            }
            (Action::Dma(Dma::Control(_)), _) => {
                self.control = Some(match ended {
                    Ended::Well => IoOutcome::Success,
                    Ended::Failed(outcome) => outcome,
                });
                ports.station.pool.remove(id);
                return;
            }
            _ => {}
        }
        if let Some(entry) = op.entry() {
            self.buffer.filled(entry, id);
        }
        let mut adder = Adder { ports, buffer: &mut self.buffer, log: &mut self.log };
        adder.unchain(id, id);
        self.tell(&op, ended);
        self.end_joined(ports, id, ended);
        if let Some(&Flash { page, task, .. }) = op.on_flash() {
            self.note_programmed(ports, (id, page, task), ended);
        }
        ports.station.pool.remove(id);
    }

    /// Tells flush and command of an operation that has ended.
    #[inline]
    fn tell(&mut self, op: &Operation, ended: Ended) {
        let program = match op.on_flash() {
            Some(&Flash { task: Task::Program { epoch, .. }, .. }) => Some(epoch),
            _ => None,
        };
        if let Some(Some(epoch)) = program {
            self.flushes.end(epoch, if ended == Ended::Well { Kept::All } else { Kept::NotAll });
        }
        match (op.owner, ended) {
            // A former page that could not be written is not this command's fault. What could not be read fails what
            // uses it, if anything does: a write that replaces it goes on.
            (Owner::Step(_), Ended::Failed(_)) if op.is_for_flash() => {}
            (Owner::Step(tag) | Owner::Counts(tag), Ended::Failed(outcome)) => {
                self.commands.fail(tag, outcome);
            }
            _ => {}
        }
        if let Owner::Counts(tag) = op.owner {
            self.commands.finish_one(tag);
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
