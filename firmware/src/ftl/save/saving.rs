//! What is saved, and where, while the capacitor lasts.
//!
//! Each way that has ended what it had begun takes pages: those of programs that had not begun, then dirty entries, and
//! beside them the journal's records of what was freed. Nobody knows how long a chip may take. But when nothing else is
//! left to be saved and all that was not answered was given to one way, or to one channel where that keeps an order, its
//! chip counts as one that hangs, and what it had been given goes to other ways. So nobody waits for a time-out.

use contract::{BufferId, Hardware, Lpns, Metadata, OperationStep, PageKind, Reserve, Work};

use super::{Phase, Saving, ToSave, Way};
use crate::ftl::buffer::Freshness;
use crate::ftl::log::page::Time;
use crate::ftl::{Ftl, Ports};
use crate::operations::{
    Ended, Flash, Joined, OpId, Operation, Owner, Page, Pool, Sequence, Stage, Task,
};
use crate::planted::{is_planted, Bug};

/// Where nothing is done: the page of what is saved is chosen last.
const NO_PAGE: Page = Page { die: 0, row: 0 };

/// Units that share a page.
#[derive(Clone, Copy, Debug)]
struct Packed {
    units: [Option<ToSave>; Metadata::MOST_UNITS],
    count: usize,
}

/// The operation whose data are saved next, on a page that is still to be chosen.
enum Next {
    /// A program that failed on another page.
    Again(OpId),
    /// A program that was made for it.
    New(OpId),
}

impl Ftl {
    /// Takes what has ended without power.
    pub(crate) fn settle_loss(&mut self, ports: &mut Ports<'_, impl Hardware>) {
        while let Some((id, ended)) = ports.station.next_ended() {
            let op = ports.station.pool[id];
            let Some(&Flash { page, task, .. }) = op.on_flash() else { continue };
            if self.is_saved_at(page) && is_of_saving(&task) {
                self.answered(page.die);
                if let (Task::Log { position, .. }, Some(saving)) = (task, self.saving()) {
                    saving.journal &= position.get() != saving.journal_pages;
                }
            } else if ended != Ended::Well && self.is_to_be_saved(&ports.station.pool, id) {
                self.save_units(ports, id);
            }
            ports.station.pool.remove(id);
        }
        while let Some(die) = ports.station.next_halted() {
            self.redirect_saved(ports, die);
            ports.station.resume(die);
        }
    }

    /// A program of a way has failed: what was to be saved there goes elsewhere, and so does what follows. Behind pages
    /// that stay erased nobody would look for it.
    fn redirect_saved(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) {
        let mut is_first = true;
        while let Some(id) = ports.station.first(die) {
            ports.station.retire(ports.hw, die);
            let flash = ports.station.pool[id].on_flash_mut().expect("it is for the flash");
            let Flash { page, task, stage, .. } = *flash;
            let has_failed = core::mem::take(&mut is_first) || stage == Stage::Failed;
            flash.stage = Stage::New;
            if is_of_saving(&task) && self.is_saved_at(page) {
                self.answered(die);
                let leaves = has_failed || !is_planted(Bug::SavedBehindErased);
                if let Some(save) = self.save.as_mut().filter(|_| leaves) {
                    save.area.fail(page);
                }
                if let Some(saving) = self.saving() {
                    ports.station.pool.push(&mut saving.again, id);
                    continue;
                }
            } else if self.is_to_be_saved(&ports.station.pool, id) {
                self.save_units(ports, id);
            }
            ports.station.pool.remove(id);
        }
    }

    fn saving(&mut self) -> Option<&mut Saving> {
        match &mut self.save.as_mut()?.phase {
            Phase::Lost(saving) => Some(saving),
            _ => None,
        }
    }

    /// A way has answered a page that was given to it.
    fn answered(&mut self, die: u32) {
        if let Some(save) = &mut self.save {
            save.ways[die as usize].pages -= 1;
        }
    }

    /// Saves what is to be saved, as much as the flash takes for now. True when something was begun.
    pub(crate) fn save(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let mut busy = false;
        while self.saving().is_some_and(|saving| saving.wanted) {
            let Some(die) = self.ready_way(ports) else { break };
            match self.next_to_save(ports) {
                Some(next) => self.save_one(ports, next, die),
                None if self.give_up(ports) => {}
                None => break,
            }
            busy = true;
        }
        busy
    }

    /// The next way that takes a page: one that has ended what it had begun, and has few.
    fn ready_way(&mut self, ports: &Ports<'_, impl Hardware>) -> Option<u32> {
        let dies = self.geometry.dies();
        let save = self.save.as_ref()?;
        let Phase::Lost(Saving { die: first, .. }) = save.phase else { return None };
        let is_ready = |&die: &u32| {
            let Way { pages, given_up } = save.ways[die as usize];
            let takes = pages > 0 || ports.station.is_idle(die);
            let is_sound = !given_up && !ports.station.is_dead(die);
            is_sound && takes && pages < Reserve::PAGES_A_WAY && save.area.has_page(die)
        };
        (0..dies).map(|nth| (first + nth) % dies).find(is_ready)
    }

    /// Nothing is left to be given to ways. If one chip that hangs would explain all that was not answered, its ways are
    /// given up, once, and what they had been given is to be saved by others, too. True when that is so.
    ///
    /// They may be sound and slow, and end it: then it is saved twice, unless the chip that hangs is one of the others.
    fn give_up(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some(save) = &mut self.save else { return false };
        if save.reserve.costs.hung_ways == 0 || is_planted(Bug::HungPageNotSaved) {
            return false;
        }
        if save.ways.iter().any(|way| way.given_up) {
            return false;
        }
        let geometry = save.geometry;
        let together = |die| save.reserve.hung_together(die, &geometry);
        let is_awaited =
            |&die: &u32| save.ways[die as usize].pages > 0 || !ports.station.is_idle(die);
        let mut awaited = (0..geometry.dies()).filter(is_awaited);
        let Some(first) = awaited.next() else { return false };
        if awaited.any(|die| together(die) != together(first)) {
            return false;
        }
        for die in (0..geometry.dies()).filter(|&die| together(die) == together(first)) {
            save.ways[die as usize].given_up = true;
        }
        for slot in 0..ports.station.pool.slots() {
            let Some(id) = ports.station.pool.in_slot(slot) else { continue };
            self.take_given_up(ports, id);
        }
        true
    }

    /// What an operation of a way that is given up was to bring to the flash is saved elsewhere, if it is wanted.
    fn take_given_up(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId) {
        let Some(save) = &self.save else { return };
        let op = ports.station.pool[id];
        let Some(&Flash { page, task, .. }) = op.on_flash() else { return };
        // What is saved again has no page yet.
        if page == NO_PAGE || !save.ways[page.die as usize].given_up {
            return;
        }
        let of_saving = save.area.has(page) && is_of_saving(&task);
        match task {
            Task::Log { .. } if of_saving => {
                if let Some(saving) = self.saving() {
                    saving.late_journal = Some(task);
                }
            }
            _ if of_saving || self.is_to_be_saved(&ports.station.pool, id) => {
                self.save_again(ports, id)
            }
            _ => {}
        }
    }

    /// What a program brings to the flash of the host's data.
    fn units_of(&self, pool: &Pool, id: OpId) -> Packed {
        let mut packed = Packed { units: [None; Metadata::MOST_UNITS], count: 0 };
        let Some(&Flash { task: Task::Program { epoch, sequence, .. }, .. }) = pool[id].on_flash()
        else {
            return packed;
        };
        for own in pool.moved(id) {
            let is_first = own.id == id;
            let is_forgotten = !is_first && is_planted(Bug::SaveForgetsJoined);
            if is_forgotten || epoch.is_some() && !self.may_be_known(&own) {
                continue;
            }
            packed.units[packed.count] = Some(ToSave {
                entry: own.entry,
                lpn: own.lpn,
                lost: self.buffer.has_lost(own.entry),
                sequence: match is_planted(Bug::JoinedAgesIgnored) {
                    true => sequence.get(),
                    false => sequence.get() - u64::from(own.age),
                },
            });
            packed.count += 1;
        }
        packed
    }

    /// What a program was to bring to the flash is to be saved.
    fn save_units(&mut self, ports: &Ports<'_, impl Hardware>, id: OpId) {
        let packed = self.units_of(&ports.station.pool, id);
        let Some(save) = &mut self.save else { return };
        save.next.extend(packed.units.into_iter().flatten());
    }

    /// What a program brings to a chip that hangs is saved elsewhere, too. The chip may be slow and take the program later: so the other
    /// one is of the same units, and the metadata of their first entry are those of both.
    fn save_again(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId) {
        if is_planted(Bug::HungPageSavedWithOthers) {
            return self.save_units(ports, id);
        }
        let packed = self.units_of(&ports.station.pool, id);
        if packed.count > 0 {
            let again = packed.plan(ports);
            if let Some(saving) = self.saving() {
                ports.station.pool.push(&mut saving.late, again);
            }
        }
    }

    fn next_to_save(&mut self, ports: &mut Ports<'_, impl Hardware>) -> Option<Next> {
        let saving = self.saving()?;
        if let Some(id) = ports.station.pool.pop(&mut saving.again) {
            return Some(Next::Again(id));
        }
        if let Some(task) = saving.late_journal.take() {
            return Some(Next::New(plan(ports, task)));
        }
        if let Some(id) = ports.station.pool.pop(&mut saving.late) {
            return Some(Next::New(id));
        }
        let idle = !core::mem::replace(&mut saving.journal, true);
        if idle && !is_planted(Bug::SaveForgetsJournal) {
            if let Some(task) = self.next_journal_page(ports) {
                return Some(Next::New(plan(ports, task)));
            }
        }
        let mut packed = Packed { units: [None; Metadata::MOST_UNITS], count: 0 };
        while packed.count < self.translator.units_per_page() as usize {
            let Some(unit) = self.next_unit(ports) else { break };
            if !packed.goes_with(&unit) {
                self.save.as_mut()?.next.push(unit);
                break;
            }
            packed.units[packed.count] = Some(unit);
            packed.count += 1;
        }
        (packed.count > 0).then(|| Next::New(packed.plan(ports)))
    }

    /// The next page of the journal, one after the other.
    fn next_journal_page(&mut self, ports: &mut Ports<'_, impl Hardware>) -> Option<Task> {
        let sequence = self.translator.sequence;
        let time = Time { sequence: sequence + 1, block_bytes: self.block_bytes, position: 0 };
        let entry = self.log.as_mut()?.journal.to_save(ports.hw, time)?;
        let (kind, epoch, lpns) = (PageKind::Journal, ports.station.epoch, Lpns::NONE);
        ports.hw.set_metadata(entry, Metadata { kind, epoch, sequence, lpns });
        let saving = self.saving()?;
        saving.journal_pages += 1;
        Some(Task::Log { entry, position: Sequence::new(saving.journal_pages) })
    }

    /// The next unit of data that is to be saved: of programs that were planned and have not begun, and of the buffer.
    fn next_unit(&mut self, ports: &mut Ports<'_, impl Hardware>) -> Option<ToSave> {
        loop {
            if let Some(unit) = self.save.as_mut()?.next.pop() {
                return Some(unit);
            }
            let slot = self.saving()?.slot;
            if slot == ports.station.pool.slots() {
                break;
            }
            self.saving()?.slot += 1;
            let Some(id) = ports.station.pool.in_slot(slot) else { continue };
            if self.is_to_be_saved(&ports.station.pool, id) && !ports.station.may_have_begun(id) {
                self.save_units(ports, id);
                ports.station.pool.remove(id);
            }
        }
        while self.saving()?.entry < self.buffer.cached() {
            let entry = BufferId(self.saving()?.entry);
            self.saving()?.entry += 1;
            if !holds_new_data(self, entry) {
                continue;
            }
            let lpn = self.buffer.lpn(entry)?;
            let lost = self.buffer.has_lost(entry);
            return Some(ToSave { entry, lpn, lost, sequence: self.translator.next_sequence() });
        }
        None
    }

    /// Saves something to a way that has a page for it.
    fn save_one(&mut self, ports: &mut Ports<'_, impl Hardware>, next: Next, die: u32) {
        let Some(save) = &mut self.save else { return };
        let Some(page) = save.area.take(die) else { return };
        save.ways[die as usize].pages += 1;
        if let Phase::Lost(saving) = &mut save.phase {
            saving.die = (die + 1) % save.geometry.dies();
        }
        ports.hw.work(Work::Place);
        let (Next::Again(id) | Next::New(id)) = next;
        if let Some(flash) = ports.station.pool[id].on_flash_mut() {
            flash.page = page;
        }
        if let Next::New(id) = next {
            let needs = ports.station.pool[id].needs();
            id.step(ports.hw, OperationStep::Planned { command: None, needs });
            id.released(ports.hw, None);
        }
        ports.station.put(ports.hw, id);
    }
}

/// Whether an entry holds data that no program was planned for, as they are to be.
pub(super) fn holds_new_data(ftl: &Ftl, entry: BufferId) -> bool {
    ftl.buffer.freshness(entry) == Freshness::Dirty && ftl.buffer.filling(entry).is_none()
}

/// An operation that saves something.
fn plan(ports: &mut Ports<'_, impl Hardware>, task: Task) -> OpId {
    ports.station.pool.add(Operation::flash(Owner::Drive, NO_PAGE, task))
}

impl Packed {
    /// Whether a page can tell when a unit was planned beside those that it has.
    fn goes_with(&self, unit: &ToSave) -> bool {
        let all = self.units.iter().flatten();
        all.map(|own| own.sequence.abs_diff(unit.sequence)).all(|age| age <= u64::from(u32::MAX))
    }

    /// The program of a page of the area.
    fn plan(mut self, ports: &mut Ports<'_, impl Hardware>) -> OpId {
        let units = &mut self.units[..self.count];
        if let ([Some(first), Some(second), ..], true) =
            (&mut *units, is_planted(Bug::SavedUnitsSwapped))
        {
            core::mem::swap(&mut first.lpn, &mut second.lpn);
        }
        units.sort_unstable_by_key(|unit| core::cmp::Reverse(unit.map(|unit| unit.sequence)));
        let mut units = units.iter().flatten().zip(0..);
        let (first, _) = units.next().expect("a page of data has some");
        let ToSave { entry, lpn, lost, sequence } = *first;
        let sequence = Sequence::new(sequence);
        let task = Task::Program { entry, lpn, epoch: None, lost, sequence };
        let id = plan(ports, task);
        let pool = &mut ports.station.pool;
        for (&ToSave { entry, lpn, lost, sequence: own }, unit) in units {
            let is_forgotten = is_planted(Bug::PackedAgesIgnored);
            let age = if is_forgotten { 0 } else { (sequence.get() - own) as u32 };
            let joined = Joined { with: id, entry, lpn, unit, lost, moved: true, age };
            pool.join(Owner::Drive, joined);
            pool.let_go(id);
        }
        id
    }
}

/// Whether it brings a page to the save area.
fn is_of_saving(task: &Task) -> bool {
    matches!(task, Task::Program { epoch: None, .. } | Task::Log { .. })
}

#[cfg(test)]
#[path = "saving_tests.rs"]
mod tests;
