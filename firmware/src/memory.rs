//! Storage without flash: the namespace lies in the data buffer, entry by entry.
//!
//! Commands are cut into slices of an entry as for flash, and a slice of data is one DMA. There is no
//! map, nothing is written back, and what a command wrote is in the medium when it completes. So a flush
//! has nothing to wait for.

#[cfg(feature = "state")]
mod sound;

use contract::{
    BufferId, CachePolicy, Cause, CommandTag, Completer, Configuration, Geometry, Hardware, Lpn,
    OperationStep, Start, Work,
};

use crate::ftl::slice::{Commands, Lane, Slice, Stop, SLICES_A_TURN};
use crate::layers::{Layers, OwnWork};
use crate::nvme::backend::{Health, IoCommand, IoKind, IoOutcome, NoChunks, NoZones, Storage};
use crate::operations::{Action, ControlTransfer, Data, Dma, Ended, Operation, Owner, Station};
use crate::sched::dma::DmaQueue;

/// The layers of a drive whose medium is memory.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct MemoryLayers {
    commands: Commands,
    station: Station,
    dma: DmaQueue,
    pages: u32,
    geometry: Geometry,
    block_bytes: u32,
    /// The entry that is compared with what is on its way to the compare entry.
    compared: Option<Slice>,
    /// The next entry that a format has to fill with zeroes.
    erasing: Option<u32>,
    control: Option<IoOutcome>,
}

impl MemoryLayers {
    /// Over memory of zeroes.
    pub fn new(config: &Configuration) -> Self {
        let commands = config.command_slots + 1;
        MemoryLayers {
            commands: Commands::new(commands, config.geometry.page_bytes),
            station: Station::new(config.geometry, Self::operations_needed(config)),
            dma: DmaQueue::new(config.dma_requests),
            pages: config.logical_pages,
            geometry: config.geometry,
            block_bytes: config.block_formats[usize::from(config.block_format)],
            compared: None,
            erasing: None,
            control: None,
        }
    }

    /// Buffer entries that a drive of this configuration has: one for each logical page, and the compare
    /// entry, which is the last.
    pub const fn entries_needed(config: &Configuration) -> u32 {
        config.logical_pages + 1
    }

    /// Operations that wait or are under way at most.
    pub const fn operations_needed(config: &Configuration) -> u32 {
        let slices = config.max_transfer_bytes / config.geometry.page_bytes + 1;
        // One for the control page.
        config.command_slots * slices + 1
    }

    fn compare_entry(&self) -> BufferId {
        BufferId(self.pages)
    }

    /// Cuts slices off commands. True when there was any.
    fn cut(&mut self, hw: &mut impl Hardware) -> bool {
        let mut busy = false;
        for lane in Lane::ALL {
            let (mut left, mut stop) = (SLICES_A_TURN[lane as usize], Stop::Budget);
            while let (1.., Some((tag, kind, waited))) = (left, self.commands.front(lane)) {
                if kind == IoKind::Compare && self.compared.is_some() {
                    stop = Stop::Full;
                    break;
                }
                (busy, left) = (true, left - 1);
                if waited {
                    hw.waited(tag, Cause::Order);
                }
                hw.attend(Some(tag));
                if kind == IoKind::Flush {
                    self.commands.pop(lane);
                } else if let Some(slice) = self.commands.cut(lane) {
                    hw.work(Work::Slice);
                    self.begin(hw, slice);
                    if self.commands.front_is_cut(lane) {
                        self.commands.pop(lane);
                    }
                }
            }
            self.commands.rest(lane, stop);
        }
        busy
    }

    fn begin(&mut self, hw: &mut impl Hardware, slice: Slice) {
        let Slice { tag, kind, lpn: Lpn(page), span, host_offset, .. } = slice;
        let whole = span.length == self.geometry.page_bytes;
        let (command_bytes, completer) = self.commands.data(tag);
        let data = |entry| Data { entry, span, host_offset, command_bytes, completer };
        let dma = match kind {
            IoKind::Read => Dma::ToHost(data(BufferId(page))),
            IoKind::Write => Dma::FromHost { data: data(BufferId(page)), replaced: None },
            IoKind::Compare => {
                self.compared = Some(slice);
                Dma::FromHost { data: data(self.compare_entry()), replaced: None }
            }
            IoKind::WriteZeroes => return self.zero(hw, slice),
            IoKind::Deallocate if whole => return self.zero(hw, slice),
            // Part of a mapping unit stays as it is, and memory always has its data.
            IoKind::Deallocate | IoKind::Flush | IoKind::Verify => return,
        };
        self.commands.expect(tag);
        self.move_data(hw, Operation { owner: Owner::Counts(tag), action: Action::Dma(dma) });
    }

    fn zero(&mut self, hw: &mut impl Hardware, slice: Slice) {
        let Slice { lpn, span, .. } = slice;
        hw.work_times(Work::Touch, span.length.div_ceil(4096));
        hw.zero_buffer(BufferId(lpn.0), span.offset, span.length);
    }

    fn move_data(&mut self, hw: &mut impl Hardware, op: Operation) {
        let id = self.station.reserve(hw, op);
        id.released(hw, None);
        self.station.release(id);
    }

    /// Fills entries with zeroes for a format. True while there is one.
    fn erase(&mut self, hw: &mut impl Hardware) -> bool {
        let Some(first) = self.erasing else { return false };
        let end = self.pages.min(first + SLICES_A_TURN[Lane::Bulk as usize]);
        let page_bytes = self.geometry.page_bytes;
        for entry in first..end {
            hw.work_times(Work::Touch, page_bytes.div_ceil(4096));
            hw.zero_buffer(BufferId(entry), 0, page_bytes);
        }
        self.erasing = (end < self.pages).then_some(end);
        true
    }

    /// Takes the transfers that have ended.
    fn settle(&mut self, hw: &mut impl Hardware) {
        while let Some((id, ended)) = self.station.next_ended() {
            id.step(hw, OperationStep::Ended);
            let op = self.station.pool[id];
            self.station.pool.remove(id);
            let ended = match (op.action, ended) {
                (Action::Dma(Dma::Control(_)), _) => {
                    self.control = Some(match ended {
                        Ended::Well => IoOutcome::Success,
                        Ended::Failed(outcome) => outcome,
                    });
                    continue;
                }
                (Action::Dma(Dma::FromHost { data, .. }), _)
                    if data.entry == self.compare_entry() =>
                {
                    self.compare(hw, ended)
                }
                _ => ended,
            };
            let tag = op.owner.command().expect("all is done for commands");
            if let Ended::Failed(outcome) = ended {
                self.commands.fail(tag, outcome);
            }
            self.commands.finish_one(tag);
        }
    }

    /// The host's data are in the compare entry, unless they did not arrive.
    fn compare(&mut self, hw: &mut impl Hardware, ended: Ended) -> Ended {
        let Slice { lpn, span, .. } = self.compared.take().expect("one compare at a time");
        if ended != Ended::Well {
            return ended;
        }
        hw.work_times(Work::Touch, span.length.div_ceil(4096));
        let host = self.compare_entry();
        if hw.equal_buffers(BufferId(lpn.0), host, span.offset, span.length) {
            Ended::Well
        } else {
            Ended::Failed(IoOutcome::CompareFailure)
        }
    }
}

impl<H: Hardware> Layers<H> for MemoryLayers {
    fn power_on(config: &Configuration, _start: Start, _hw: &mut H) -> Self {
        MemoryLayers::new(config)
    }

    fn check_dma(&mut self, hw: &mut H) -> bool {
        let busy = self.dma.check(hw, &mut self.station);
        self.settle(hw);
        busy
    }

    fn advance(&mut self, hw: &mut H, _own_work: OwnWork) -> bool {
        let mut busy = self.cut(hw);
        busy |= self.erase(hw);
        busy |= self.dma.issue(hw, &mut self.station);
        busy
    }

    /// The data in memory are lost: a drive over memory has no capacitor.
    fn lose_power(&mut self, _hw: &mut H) {}

    fn save(&mut self, _hw: &mut H) -> bool {
        false
    }
}

impl Storage for MemoryLayers {
    type Chunks = NoChunks;
    type Zones = NoZones;

    fn blocks(&self) -> u64 {
        u64::from(self.pages) * u64::from(self.geometry.page_bytes / self.block_bytes)
    }

    /// All of the memory is there from the start.
    fn blocks_in_use(&self) -> u64 {
        self.blocks()
    }

    fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    fn unit_bytes(&self) -> u32 {
        self.geometry.page_bytes
    }

    fn submit(&mut self, _hw: &mut impl Hardware, command: IoCommand) -> Completer {
        self.commands.submit(command, Completer::Firmware, self.block_bytes);
        Completer::Firmware
    }

    fn abort(&mut self, tag: CommandTag) -> bool {
        self.commands.abort(tag)
    }

    fn next_done(&mut self) -> Option<(CommandTag, IoOutcome)> {
        self.commands.next_done()
    }

    fn is_quiet(&self) -> bool {
        self.commands.under_way() == 0 && self.station.is_empty() && self.erasing.is_none()
    }

    fn format(&mut self, block_bytes: u32) {
        self.block_bytes = block_bytes;
        self.erasing = Some(0);
    }

    /// With or without a write cache, data are in the medium at once.
    fn set_cache(&mut self, _cache: CachePolicy) {}

    fn start_control(
        &mut self,
        hw: &mut impl Hardware,
        tag: CommandTag,
        transfer: ControlTransfer,
    ) {
        let action = Action::Dma(Dma::Control(transfer));
        self.move_data(hw, Operation { owner: Owner::Step(tag), action });
        self.control = None;
    }

    fn control_done(&mut self) -> Option<IoOutcome> {
        self.control.take()
    }

    fn health(&self) -> Health {
        Health { available_spare_percent: 100, ..Health::default() }
    }
}
