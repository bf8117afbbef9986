//! Operations that move several mapping units of a page, each from or to a buffer entry of its own.

use contract::{BufferId, Hardware, Lpn, Lpns, Metadata, PageKind, Programming, Span, UnitState};

use super::{Action, Flash, Joined, OpId, Place, Pool, Station, Task};
use crate::planted::{is_planted, Bug};

/// The smallest span that holds two parts of a page, with the bytes between them.
pub const fn hull(a: Span, b: Span) -> Span {
    let offset = if a.offset < b.offset { a.offset } else { b.offset };
    let (end, other) = (a.offset + a.length, b.offset + b.length);
    Span { offset, length: if end > other { end } else { other } - offset }
}

/// A mapping unit that an operation on the flash moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// What stands for it in the chain of its entry: the operation itself for the first one.
    pub id: OpId,
    /// Entry of the data buffer that it comes from or goes to.
    pub entry: BufferId,
    /// The logical page.
    pub lpn: Lpn,
    /// Which unit of the page.
    pub unit: u8,
    /// Its data are lost.
    pub lost: bool,
    /// It is programmed for the host, and not moved by collection.
    pub of_host: bool,
    /// By how much it was planned before the operation.
    pub age: u32,
}

/// What of the entry of a mapping unit an operation on a part of its page reads or fills, if units have so many bytes.
#[inline]
pub fn span_of_unit(unit: u8, part: Span, unit_bytes: u32) -> Span {
    let first = u32::from(unit) * unit_bytes;
    let begin = part.offset.max(first);
    let end = (part.offset + part.length).min(first + unit_bytes);
    Span { offset: begin - first, length: end - begin }
}

impl Pool {
    /// The mapping unit that an operation moves itself, if it is a read or a program of data, or joined with one.
    pub fn own_unit(&self, id: OpId) -> Option<Moved> {
        match self[id].action {
            Action::Flash(Flash { task: Task::Read { entry, lpn, unit, lost, .. }, .. }) => {
                Some(Moved { id, entry, lpn, unit, lost, of_host: false, age: 0 })
            }
            Action::Flash(Flash {
                task: Task::Program { entry, lpn, lost, epoch, .. }, ..
            }) => Some(Moved { id, entry, lpn, unit: 0, lost, of_host: epoch.is_some(), age: 0 }),
            Action::Joined(Joined { entry, lpn, unit, lost, moved, age, .. }) => {
                Some(Moved { id, entry, lpn, unit, lost, of_host: !moved, age })
            }
            _ => None,
        }
    }

    /// All mapping units that an operation moves.
    #[inline]
    pub fn moved(&self, id: OpId) -> impl Iterator<Item = Moved> + '_ {
        let next = |own: &Moved| self.own_unit(self.next_joined(own.id)?);
        core::iter::successors(self.own_unit(id), next)
    }

    /// Notes of the units that an operation moves whether their data are lost.
    pub fn note_lost(&mut self, id: OpId, mut is_lost: impl FnMut(&Moved) -> bool) {
        let mut next = self.own_unit(id);
        while let Some(own) = next {
            let now = is_lost(&own);
            if let Action::Flash(Flash {
                task: Task::Read { lost, .. } | Task::Program { lost, .. },
                ..
            })
            | Action::Joined(Joined { lost, .. }) = &mut self[own.id].action
            {
                *lost = now;
            }
            next = self.next_joined(own.id).and_then(|id| self.own_unit(id));
        }
    }
}

impl Station {
    /// The span of a page that is read for a part of one of its mapping units: a multiple of the unit that channels move.
    pub fn read_part(&self, unit: u8, part: Span) -> Span {
        let step = self.read_unit_bytes;
        let first = u32::from(unit) * self.unit().length + part.offset;
        let offset = first / step * step;
        Span { offset, length: (first + part.length).next_multiple_of(step) - offset }
    }

    /// What of a page a task reads or programs.
    pub fn part_of(&self, task: &Task) -> Span {
        match *task {
            Task::Read { part, .. } => part,
            Task::Mark { .. } => Span { offset: 0, length: self.read_unit_bytes },
            _ => self.page(),
        }
    }

    /// Mapping units of a flash page.
    #[inline]
    pub fn units_per_flash_page(&self) -> u8 {
        (self.flash_page_bytes() / self.unit().length) as u8
    }

    /// How often an operation on a page moves a flash page: a read each one that has a part of what is read, a program
    /// all of them in each pass.
    #[inline]
    pub fn turns_of(&self, task: &Task) -> u8 {
        let Programming { flash_pages, passes } = self.programming;
        if flash_pages == 1 || matches!(task, Task::Erase | Task::Wipe) {
            return 1;
        }
        let part = self.part_of(task);
        let last = (part.offset + part.length - 1) / self.flash_page_bytes();
        let of_pass = 1 + last - part.offset / self.flash_page_bytes();
        (of_pass * if task.reads() { 1 } else { passes }) as u8
    }

    /// Flash pages that an operation is not done with.
    #[inline]
    pub fn turns_left(&self, id: OpId) -> u8 {
        match self.pool[id].on_flash() {
            Some(flash) if self.programming.flash_pages > 1 => {
                self.turns_of(&flash.task) - flash.turns.done
            }
            _ => 1,
        }
    }

    /// What an operation reads or programs in its next turn: what it wants of a flash page.
    #[inline]
    pub fn part_of_turn(&self, flash: &Flash) -> Span {
        let (part, flash_pages) = (self.part_of(&flash.task), self.programming.flash_pages);
        if flash_pages == 1 {
            return part;
        }
        let bytes = self.flash_page_bytes();
        let nth = part.offset / bytes + u32::from(flash.turns.done) % flash_pages;
        let begin = part.offset.max(nth * bytes);
        let end = (part.offset + part.length).min((nth + 1) * bytes);
        Span { offset: begin, length: end - begin }
    }

    /// Bytes that the array reads at once.
    #[inline]
    pub fn flash_page_bytes(&self) -> u32 {
        self.page().length / self.programming.flash_pages
    }

    /// A unit turned out to be lost when it was programmed: what was to be read of it can only fail. Reads behind the next erase
    /// of its block are of what comes there later.
    pub fn doom_reads(&mut self, place: Place) {
        let block = self.geometry.block_of(place.page.row);
        let [waiting, handed] = self.queues(place.page.die);
        for queue in [handed, waiting] {
            let mut next = queue.head();
            while let Some(id) = next {
                next = self.pool.behind(id);
                let op = &self.pool[id];
                if self.erases(op, block) && !is_planted(Bug::DoomedBehindErase) {
                    return;
                }
                let is_read = matches!(
                    op.on_flash(),
                    Some(Flash { task: Task::Read { .. }, page, .. }) if *page == place.page
                );
                if is_read && self.pool.moved(id).any(|own| own.unit == place.unit) {
                    self.doom(id, place.unit);
                }
            }
        }
    }

    /// A unit that a read was to bring is lost.
    fn doom(&mut self, id: OpId, unit: u8) {
        self.pool.note_lost(id, |own| own.lost || own.unit == unit);
        let all = self.pool.moved(id).all(|own| own.lost);
        if let Some(flash) = self.pool[id].on_flash_mut() {
            flash.doomed |= all;
        }
    }

    /// Tells the hardware what it has to know of an operation that is about to begin: where the units of its page go or
    /// come from, and what is to stand behind a page of data. Metadata of a page of the log are there.
    #[inline(always)]
    pub fn describe(&self, hw: &mut impl Hardware, id: OpId) {
        let Some(Flash { task, .. }) = self.pool[id].on_flash() else { return };
        if self.unit() != self.page() {
            self.list_units(hw, id);
        }
        if let Task::Program { entry, sequence, .. } = *task {
            let state = |lost| if lost { UnitState::Lost } else { UnitState::Kept };
            let lpns: Lpns = self.pool.moved(id).map(|own| (own.lpn, state(own.lost))).collect();
            let is_aged =
                self.pool.next_joined(id).is_some() && self.pool.moved(id).any(|own| own.age > 0);
            let (kind, lpns) = match is_aged {
                false => (PageKind::Data, lpns),
                true => (PageKind::Saved, lpns.with_ages(self.pool.moved(id).map(|own| own.age))),
            };
            let (epoch, sequence) = (self.epoch, sequence.get());
            hw.set_metadata(entry, Metadata { kind, epoch, sequence, lpns });
        }
    }

    /// Tells the hardware where the units of a page go or come from.
    fn list_units(&self, hw: &mut impl Hardware, id: OpId) {
        let mut units = [None; Metadata::MOST_UNITS];
        let (mut first, mut count) = (None, 0);
        for own in self.pool.moved(id) {
            first = first.or(Some(own.entry));
            units[usize::from(own.unit)] = Some(own.entry);
            count = count.max(usize::from(own.unit) + 1);
        }
        if let Some(entry) = first {
            hw.set_units(entry, &units[..count]);
        }
    }
}

/// The logical page that an operation programs to `place`, if it does.
pub fn programs(pool: &Pool, id: OpId, place: Place) -> Option<Lpn> {
    match pool[id].on_flash()? {
        Flash { page, task: Task::Program { .. }, .. } if *page == place.page => {
            pool.moved(id).find(|own| own.unit == place.unit).map(|own| own.lpn)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use contract::Geometry;

    use super::*;
    use crate::nvme::tests::mock::{configuration, MockHardware};
    use crate::operations::{Operation, Owner, Page};

    const GEOMETRY: Geometry =
        Geometry { channels: 1, ways: 1, blocks_per_way: 4, pages_per_block: 4, page_bytes: 4096 };

    /// Of the reads of a page that wait for a way, those before the erase of its block are of the data that were lost.
    #[test]
    fn what_comes_to_a_page_behind_an_erase_is_not_what_was_lost_there() {
        for handed in 0..=4 {
            let mut hw = MockHardware::new(&configuration());
            let mut station = Station::new(GEOMETRY, 8);
            let page = Page { die: 0, row: 5 };
            let read = |lpn| {
                let place = Place { page, unit: 0 };
                Operation::read(Owner::Drive, place, (BufferId(0), Lpn(lpn), GEOMETRY.page()))
            };
            let erase = |row| Operation::flash(Owner::Drive, Page { die: 0, row }, Task::Erase);
            let planned = [read(1), erase(8), read(1), erase(4), read(2)];
            let ids = planned.map(|op| station.reserve(&mut hw, op));
            (0..handed).for_each(|_| station.hand_over(&mut hw, 0));
            station.doom_reads(Place { page, unit: 0 });
            let doomed =
                ids.map(|id| station.pool[id].on_flash().expect("it is for the flash").doomed);
            assert_eq!(doomed, [true, false, true, false, false], "{handed} were handed over");
        }
    }
}
