//! While there is power: no more waits in the data buffer than can be saved, and data come to it all at once.

use contract::{BufferId, Hardware, Reserve};

use super::{Phase, Save};
use crate::ftl::depend::Adder;
use crate::ftl::program::Sake;
use crate::ftl::slice::{Slice, SLICES_A_TURN};
use crate::ftl::{Ftl, Ports};
use crate::nvme::backend::{IoKind, Protection};
use crate::operations::{Action, Deed, Dma, Operation, Owner, Page, Touch};
use crate::planted::{is_planted, Bug};

impl Ftl {
    /// Whether what is in the data buffer outlasts the power.
    pub fn protection(&self) -> Protection {
        self.save.as_ref().map_or(Protection::None, Save::protection)
    }

    /// Whether a command may make another mapping unit wait for the flash. Where it may not, some that wait are
    /// programmed. They are saved packed, whatever shares a page now.
    pub(in crate::ftl) fn has_room_to_save(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        kind: IoKind,
    ) -> bool {
        let Some(pages) = self.save.as_ref().map(|save| save.pages) else { return true };
        if pages == 0 || !matches!(kind, IoKind::Write | IoKind::WriteZeroes) {
            return true;
        }
        let most = pages * self.translator.units_per_page();
        let mut begun = 0;
        // Half of them may wait, so that the others are on their way.
        while self.buffer.dirty() > most / 2
            && begun < SLICES_A_TURN[0]
            && ports.station.pool.free_count() >= 2 * self.slice_operations
            && self.flush_oldest(ports)
        {
            begun += 1;
        }
        self.units_to_program() < most || is_planted(Bug::ReserveIgnored)
    }

    /// Whether data of a slice are to replace older ones of a complete entry all at once.
    pub(in crate::ftl) fn is_staged(&self, entry: BufferId) -> bool {
        self.save.is_some() && self.buffer.is_complete(entry) && !is_planted(Bug::StagingSkipped)
    }

    /// Brings the host's data into a staging entry, and from there to theirs when all have arrived.
    pub(in crate::ftl) fn stage(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        entry: BufferId,
        slice: &Slice,
    ) {
        let save = self.save.as_mut().expect("a drive with staging entries");
        let from = self.buffer.staging_entry(save.staging);
        save.staging = (save.staging + 1) % Reserve::STAGING_ENTRIES;
        let data = self.data(from, slice);
        let action = Action::Dma(Dma::FromHost { data, replaced: None });
        let op = Operation { owner: Owner::Step(slice.tag), action };
        Adder { ports, buffer: &mut self.buffer, log: &mut self.log }.add(op);
        let touch = Touch { entry, span: slice.span, deed: Deed::Copy { from } };
        self.change(ports, (entry, Action::Touch(touch)), slice);
    }

    /// Goes on with what is to be done before commands are taken. True when something was done.
    pub(in crate::ftl) fn advance_save(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some(save) = &mut self.save else { return false };
        match save.phase {
            Phase::Gather(_) => self.gather(ports),
            Phase::PutBack(_) => self.put_back(ports),
            Phase::Settle => self.settle_saved(),
            Phase::Erase { .. } => self.erase_area(ports),
            Phase::Ready => self.note_dead(ports) || self.catch_up(ports),
            Phase::Lost(_) => false,
        }
    }

    /// Nothing is to be saved to a chip that no reset brings back. True when one is new.
    fn note_dead(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some(die) = ports.station.next_dead() else { return false };
        if let Some(save) = &mut self.save {
            save.area.lose_way(die);
            save.pages = save.pages_to_save();
            save.is_behind = true;
        }
        true
    }

    /// What waits beyond what can be saved since a chip has died is programmed now: a flush may have told the host that it is safe.
    /// True when something was done.
    fn catch_up(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some(pages) = self.save.as_ref().filter(|save| save.is_behind).map(|save| save.pages)
        else {
            return false;
        };
        let is_behind = self.units_to_program() > pages * self.translator.units_per_page();
        if let Some(save) = &mut self.save {
            save.is_behind = is_behind && !self.read_only;
        }
        let has_room = ports.station.pool.free_count() >= 2 * self.slice_operations;
        let at_rest = |&entry: &BufferId| self.buffer.tail(entry).is_none();
        let next = self.buffer.dirty_from_oldest().find(at_rest);
        match next.filter(|_| is_behind && !self.read_only && has_room) {
            Some(entry) => {
                self.program(ports, &[entry], Sake::Ahead);
                true
            }
            None => false,
        }
    }

    /// Whether the area is still to be read, before which the log does nothing.
    pub(in crate::ftl) fn is_gathering(&self) -> bool {
        self.save.as_ref().is_some_and(|save| matches!(save.phase, Phase::Gather(_)))
    }

    /// Whether a page is of the save area.
    #[inline]
    pub(in crate::ftl) fn is_saved_at(&self, page: Page) -> bool {
        self.save.as_ref().is_some_and(|save| save.area.has(page))
    }
}
