//! From slices to operations: the data buffer manager and the address translator at work on one
//! slice (Cosmos+ figures 8 and 13).

use contract::{BufferId, Hardware, Lpn, Span, Work};

use super::buffer::Freshness;
use super::depend::Adder;
use super::gathered::{Gathered, Unit};
use super::program::Sake;
use super::slice::Slice;
use super::units::Units;
use super::{Ftl, Ports};
use crate::nvme::backend::{Durability, IoKind, IoOutcome};
use crate::operations::moved::{hull, span_of_unit};
use crate::operations::{
    Action, Data, Deed, Dma, OpId, Operation, Owner, Page, Place, Replaced, Touch,
};
use crate::planted::{is_planted, Bug};

impl Ftl {
    /// Generates the operations of one slice.
    pub(super) fn operate(&mut self, ports: &mut Ports<'_, impl Hardware>, slice: Slice) {
        let whole = slice.span.length == ports.station.unit().length;
        match slice.kind {
            IoKind::Read => {
                let entry = self.entry_to_read(ports, &slice);
                let data = self.data(entry, &slice);
                self.add_counted(ports, Action::Dma(Dma::ToHost(data)), &slice);
            }
            IoKind::Compare => self.compare(ports, &slice),
            IoKind::Verify => self.verify(ports, &slice),
            _ if self.read_only => self.commands.fail(slice.tag, IoOutcome::ReadOnly),
            IoKind::Write => {
                let all = self.buffer.division().all();
                let needed = if whole { Units::NONE } else { all };
                let entry = self.entry_for(ports, &slice, needed);
                self.buffer.set_handle(entry, slice.handle);
                self.counters.host_pages += 1;
                if self.is_staged(entry) {
                    return self.stage(ports, entry, &slice);
                }
                let replaces = !self.buffer.is_complete(entry);
                let replaced =
                    replaces.then(|| Replaced { lpn: slice.lpn, former: self.former(slice.lpn) });
                self.buffer.expect(entry, all);
                let data = self.data(entry, &slice);
                let action = Action::Dma(Dma::FromHost { data, replaced });
                self.change(ports, (entry, action), &slice);
            }
            IoKind::Deallocate if is_planted(Bug::DeallocationSkipped) => {}
            IoKind::WriteZeroes | IoKind::Deallocate if whole => self.free(ports, &slice),
            IoKind::WriteZeroes => {
                let entry = self.entry_for(ports, &slice, self.buffer.division().all());
                let action = touch(entry, slice.span, Deed::Zero);
                self.change(ports, (entry, action), &slice);
            }
            // Part of a mapping unit: to keep the data is what the specification allows.
            IoKind::Deallocate => {}
            IoKind::Flush => unreachable!("a flush has no slices"),
        }
    }

    /// The entry that holds the slice's page, recycling one if none does. What is needed of the page and
    /// is not there is loaded.
    fn entry_for(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        slice: &Slice,
        needed: Units,
    ) -> BufferId {
        ports.hw.work(Work::Lookup);
        let held = self.buffer.find(slice.lpn);
        let entry = match held {
            Some(entry) => {
                if slice.kind.reads() {
                    self.buffer.note_read(entry);
                } else {
                    self.buffer.touch(entry);
                }
                entry
            }
            None => self.recycle(ports, slice),
        };
        let missing = self.buffer.missing(entry, needed);
        // What was read for the slice before was not there.
        let fetched = self.fetched > 0 && held.is_some() && missing.is_empty();
        self.fetched -= u32::from(fetched);
        if held.is_some() && missing.is_empty() && !fetched {
            self.counters.buffer_hits += 1;
        } else {
            self.counters.buffer_misses += 1;
        }
        if !missing.is_empty() {
            self.load(ports, (entry, missing), slice);
        }
        entry
    }

    /// Gives the next entry to the slice's page.
    fn recycle(&mut self, ports: &mut Ports<'_, impl Hardware>, slice: &Slice) -> BufferId {
        ports.hw.work(Work::Allocate);
        let entry = self.buffer.next_out();
        if self.buffer.freshness(entry) == Freshness::Dirty {
            self.clean(ports, entry, slice.tag);
        }
        self.buffer.recycle(entry, slice.lpn);
        entry
    }

    /// Fills units of an entry with its page as it is in flash, and what lies between them, or all of it
    /// with zeroes where there is none. The entry is clean, or about to be programmed.
    fn load(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (entry, units): (BufferId, Units),
        slice: &Slice,
    ) {
        ports.hw.work(Work::Translate);
        let part = self.buffer.division().span(units);
        if let Some(place) = self.translator.lookup(slice.lpn) {
            return self.read(ports, (entry, place, part), slice);
        }
        let owner = Owner::Step(slice.tag);
        let whole = ports.station.unit();
        let op = if self.translator.map.is_lost(slice.lpn) {
            let nowhere = Place { page: Page { die: 0, row: 0 }, unit: 0 };
            let mut op = Operation::read(owner, nowhere, (entry, slice.lpn, part));
            op.on_flash_mut().expect("a read").doomed = true;
            self.buffer.expect(entry, self.buffer.division().covered(part));
            op
        } else {
            self.buffer.expect(entry, self.buffer.division().all());
            Operation { owner, action: touch(entry, whole, Deed::Zero) }
        };
        Adder { ports, buffer: &mut self.buffer, log: &mut self.log }.add(op);
    }

    /// Reads a part of a slice's mapping unit, and with it those that its command wants next, as far as they lie in the
    /// same flash page, are not in the buffer, and find a clean entry.
    fn read(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (entry, place, part): (BufferId, Place, Span),
        slice: &Slice,
    ) {
        let owner = Owner::Step(slice.tag);
        let mut all = ports.station.read_part(place.unit, part);
        let whole = ports.station.unit();
        let mut rest = if slice.wants_more() { slice.rest } else { 0 };
        let units_read = ports.station.units_per_flash_page();
        if rest == 0 || units_read == 1 {
            // A list of units is long to make, and most reads have but one.
            self.fetched = 0;
            let there = span_of_unit(place.unit, all, whole.length);
            self.buffer.expect(entry, self.buffer.division().covered(there));
            let op = Operation::read(owner, place, (entry, slice.lpn, all));
            Adder { ports, buffer: &mut self.buffer, log: &mut self.log }.add(op);
            return;
        }
        let own = |entry, lpn, unit| (owner, Unit { entry, lpn, unit, moved: false });
        let mut units = Gathered::of(own(entry, slice.lpn, place.unit));
        while rest > 0 && units.len() < usize::from(units_read) {
            let lpn = Lpn(slice.lpn.0 + units.len() as u32);
            let known = self.translator.map.knows(lpn).then(|| self.translator.lookup(lpn));
            // What the array reads at once.
            let beside = |next: &Place| {
                next.page == place.page && next.unit / units_read == place.unit / units_read
            };
            let next = known.flatten().filter(beside);
            let entry = self.buffer.next_out();
            let dirty = self.buffer.freshness(entry) == Freshness::Dirty;
            // An entry of this read may be the only clean one that a policy finds.
            let gathered = slice.lpn.0..lpn.0;
            let taken = self.buffer.lpn(entry).is_some_and(|held| gathered.contains(&held.0));
            let taken = taken && !is_planted(Bug::EntryGivenAwayTwice);
            let is_free = !dirty && !taken && self.buffer.find(lpn).is_none();
            let Some(next) = next.filter(|_| is_free) else {
                break;
            };
            ports.hw.work(Work::Lookup);
            ports.hw.work(Work::Allocate);
            self.buffer.recycle(entry, lpn);
            let wanted = Span { length: rest.min(whole.length), ..whole };
            let division = self.buffer.division();
            let part = division.span(division.touched(wanted));
            all = hull(all, ports.station.read_part(next.unit, part));
            units.push(own(entry, lpn, next.unit));
            rest -= wanted.length;
        }
        self.fetched = units.len() as u32 - 1;
        for (_, unit) in units.iter() {
            let there = span_of_unit(unit.unit, all, whole.length);
            self.buffer.expect(unit.entry, self.buffer.division().covered(there));
        }
        let op = Operation::read(owner, place, (entry, slice.lpn, all));
        let mut adder = Adder { ports, buffer: &mut self.buffer, log: &mut self.log };
        adder.add_with(op, units.others());
    }

    /// Changes an entry's bytes, and flash too where the change is to be durable at once.
    pub(super) fn change(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (entry, action): (BufferId, Action),
        slice: &Slice,
    ) {
        let was_clean = self.buffer.freshness(entry) == Freshness::Clean;
        self.set_freshness(entry, slice.lpn, Freshness::Dirty);
        let id = self.add_counted(ports, action, slice);
        if was_clean {
            self.buffer.set_filling(entry, id);
        }
        if let Action::Dma(Dma::FromHost { replaced: Some(_), .. }) = action {
            self.buffer.set_replacing(entry, id);
            self.translator.map.pin(slice.lpn);
        }
        if slice.durability == Durability::Durable {
            self.program_with_command(ports, entry, slice.tag);
        }
    }

    /// The entry with the page that a read or compare uses. With forced unit access a cached page is
    /// brought to flash where it is dirty, and read from there (NVMe 1.4 section 6.9).
    fn entry_to_read(&mut self, ports: &mut Ports<'_, impl Hardware>, slice: &Slice) -> BufferId {
        let touched = self.buffer.division().touched(slice.span);
        let cached = self.buffer.find(slice.lpn).is_some();
        let forced = cached && slice.durability == Durability::Durable;
        let entry = self.entry_for(ports, slice, if forced { Units::NONE } else { touched });
        if forced {
            if self.buffer.freshness(entry) == Freshness::Dirty {
                self.program(ports, &[entry], Sake::Counts(slice.tag));
            }
            self.load(ports, (entry, touched), slice);
        }
        entry
    }

    /// Frees a whole mapping unit.
    fn free(&mut self, ports: &mut Ports<'_, impl Hardware>, slice: &Slice) {
        ports.hw.work(Work::Lookup);
        let freed = self.translator.unmap(slice.lpn);
        self.note_freed(ports, slice, freed);
        if let Some(entry) = self.buffer.find(slice.lpn) {
            self.set_freshness(entry, slice.lpn, Freshness::Clean);
            self.buffer.expect(entry, self.buffer.division().all());
            self.add_counted(ports, touch(entry, slice.span, Deed::Zero), slice);
        }
    }

    /// Brings the host's bytes into the compare entry and checks them there.
    fn compare(&mut self, ports: &mut Ports<'_, impl Hardware>, slice: &Slice) {
        let entry = self.entry_to_read(ports, slice);
        let data = self.data(self.buffer.compare_entry(), slice);
        let action = Action::Dma(Dma::FromHost { data, replaced: None });
        let op = Operation { owner: Owner::Step(slice.tag), action };
        Adder { ports, buffer: &mut self.buffer, log: &mut self.log }.add(op);
        self.add_counted(ports, touch(entry, slice.span, Deed::Compare), slice);
    }

    /// Brings what is stored into the buffer, where a failure is seen. What holds no data has nothing to be read.
    fn verify(&mut self, ports: &mut Ports<'_, impl Hardware>, slice: &Slice) {
        let lpn = slice.lpn;
        let is_stored = self.buffer.find(lpn).is_some()
            || self.translator.lookup(lpn).is_some()
            || self.translator.map.is_lost(lpn);
        if is_stored {
            let entry = self.entry_to_read(ports, slice);
            self.add_counted(ports, touch(entry, slice.span, Deed::Look), slice);
        }
    }

    /// A slice's data, to or from an entry.
    pub(super) fn data(&self, entry: BufferId, slice: &Slice) -> Data {
        let Slice { tag, span, host_offset, .. } = *slice;
        let (command_bytes, completer) = self.commands.data(tag);
        Data { entry, span, host_offset, command_bytes, completer }
    }

    /// Adds an operation that the slice's command waits for.
    fn add_counted(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        action: Action,
        slice: &Slice,
    ) -> OpId {
        self.commands.expect(slice.tag);
        let op = Operation { owner: Owner::Counts(slice.tag), action };
        Adder { ports, buffer: &mut self.buffer, log: &mut self.log }.add(op)
    }
}

fn touch(entry: BufferId, span: Span, deed: Deed) -> Action {
    Action::Touch(Touch { entry, span, deed })
}
