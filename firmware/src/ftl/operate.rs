//! From slices to operations: the data buffer manager and the address translator at work on one
//! slice (Cosmos+ figures 8 and 13).

use contract::{BufferId, CachePolicy, CommandTag, Hardware, Lpn, Work};

use super::buffer::Freshness;
use super::depend::Adder;
use super::slice::Slice;
use super::{Ftl, Ports};
use crate::nvme::backend::{Durability, IoKind, IoOutcome};
use crate::operations::{Former, Kind, Meaning, Operation, Span};

/// What a slice needs of its entry's former contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contents {
    /// The page as it is in flash.
    Loaded,
    /// Nothing: all of it is about to be replaced.
    Replaced,
}

/// For whose sake an entry is programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sake {
    /// Nobody's yet: the entry is wanted clean before it is needed.
    Ahead,
    /// A command needs the entry, or is a flush.
    Step(CommandTag),
    /// A command waits until its data are in flash.
    Counts(CommandTag),
}

impl Ftl {
    /// Generates the operations of one slice.
    pub(super) fn operate(&mut self, ports: &mut Ports<'_, impl Hardware>, slice: Slice) {
        let whole = slice.span.length == self.geometry.page_bytes;
        match slice.kind {
            IoKind::Read => {
                let entry = self.entry_to_read(ports, &slice);
                let op = Operation::new(Kind::ToHost, entry, slice.lpn);
                self.add_counted(ports, op, &slice);
            }
            IoKind::Compare => self.compare(ports, &slice),
            _ if self.read_only => self.commands.fail(slice.tag, IoOutcome::ReadOnly),
            IoKind::Write => {
                let contents = if whole { Contents::Replaced } else { Contents::Loaded };
                let held = self.buffer.find(slice.lpn);
                let entry = self.entry_for(ports, &slice, contents);
                self.counters.host_pages += 1;
                let replaces = held.is_none() && whole;
                let former = if replaces { self.former(slice.lpn) } else { Former::Kept };
                let op = Operation { former, ..Operation::new(Kind::FromHost, entry, slice.lpn) };
                self.change(ports, op, &slice);
            }
            IoKind::WriteZeroes | IoKind::Deallocate if whole => self.free(ports, &slice),
            IoKind::WriteZeroes => {
                let entry = self.entry_for(ports, &slice, Contents::Loaded);
                let op = Operation::new(Kind::Zero, entry, slice.lpn);
                self.change(ports, op, &slice);
            }
            // Part of a mapping unit: to keep the data is what the specification allows.
            IoKind::Deallocate => {}
            IoKind::Flush => unreachable!("a flush has no slices"),
        }
    }

    /// The entry that holds the slice's page, recycling one if none does.
    fn entry_for(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        slice: &Slice,
        contents: Contents,
    ) -> BufferId {
        ports.hw.work(Work::Lookup);
        if let Some(entry) = self.buffer.find(slice.lpn) {
            self.counters.buffer_hits += 1;
            self.buffer.touch(entry);
            return entry;
        }
        self.counters.buffer_misses += 1;
        ports.hw.work(Work::Allocate);
        let entry = self.buffer.oldest();
        if self.buffer.freshness(entry) == Freshness::Dirty {
            self.program(ports, entry, Sake::Step(slice.tag));
        }
        self.buffer.recycle(entry, slice.lpn);
        if contents == Contents::Loaded {
            self.load(ports, entry, slice);
        }
        entry
    }

    /// Fills an entry with its page as it is in flash, or with zeroes where there is none.
    fn load(&mut self, ports: &mut Ports<'_, impl Hardware>, entry: BufferId, slice: &Slice) {
        ports.hw.work(Work::Translate);
        let whole = Span { offset: 0, length: self.geometry.page_bytes };
        let op = match self.translator.lookup(slice.lpn) {
            Some(page) => Operation { page, ..Operation::new(Kind::Read, entry, slice.lpn) },
            None if self.translator.map.is_lost(slice.lpn) => {
                Operation { doomed: true, ..Operation::new(Kind::Read, entry, slice.lpn) }
            }
            None => Operation { span: whole, ..Operation::new(Kind::Zero, entry, slice.lpn) },
        };
        let op = Operation { command: Some(slice.tag), ..op };
        Adder { ports, buffer: &mut self.buffer }.add(op);
    }

    /// Changes an entry's bytes, and flash too where the change is to be durable at once.
    fn change(&mut self, ports: &mut Ports<'_, impl Hardware>, op: Operation, slice: &Slice) {
        self.buffer.set_freshness(op.entry, Freshness::Dirty);
        self.add_counted(ports, op, slice);
        if self.cache == CachePolicy::WriteThrough || slice.durability == Durability::Durable {
            self.program(ports, op.entry, Sake::Counts(slice.tag));
        }
    }

    /// The entry with the page that a read or compare uses. With forced unit access a cached page is
    /// brought to flash where it is dirty, and read from there (NVMe 1.4 section 6.9).
    fn entry_to_read(&mut self, ports: &mut Ports<'_, impl Hardware>, slice: &Slice) -> BufferId {
        let cached = self.buffer.find(slice.lpn).is_some();
        let entry = self.entry_for(ports, slice, Contents::Loaded);
        if cached && slice.durability == Durability::Durable {
            if self.buffer.freshness(entry) == Freshness::Dirty {
                self.program(ports, entry, Sake::Counts(slice.tag));
            }
            self.load(ports, entry, slice);
        }
        entry
    }

    /// Frees a whole mapping unit.
    fn free(&mut self, ports: &mut Ports<'_, impl Hardware>, slice: &Slice) {
        ports.hw.work(Work::Lookup);
        self.translator.unmap(slice.lpn);
        if let Some(entry) = self.buffer.find(slice.lpn) {
            self.buffer.set_freshness(entry, Freshness::Clean);
            let op = Operation::new(Kind::Zero, entry, slice.lpn);
            self.add_counted(ports, op, slice);
        }
    }

    /// Brings the host's bytes into the compare entry and checks them there.
    fn compare(&mut self, ports: &mut Ports<'_, impl Hardware>, slice: &Slice) {
        let entry = self.entry_to_read(ports, slice);
        let host_entry = self.buffer.compare_entry();
        let op = Operation {
            span: slice.span,
            host_offset: slice.host_offset,
            command_bytes: self.commands.bytes(slice.tag),
            command: Some(slice.tag),
            ..Operation::new(Kind::FromHost, host_entry, slice.lpn)
        };
        Adder { ports, buffer: &mut self.buffer }.add(op);
        let op = Operation::new(Kind::Compare, entry, slice.lpn);
        self.add_counted(ports, op, slice);
    }

    /// Adds an operation on the slice's bytes that its command waits for.
    fn add_counted(&mut self, ports: &mut Ports<'_, impl Hardware>, op: Operation, slice: &Slice) {
        let op = Operation {
            span: slice.span,
            host_offset: slice.host_offset,
            command_bytes: self.commands.bytes(slice.tag),
            command: Some(slice.tag),
            meaning: Meaning::Counts,
            ..op
        };
        self.commands.expect(slice.tag);
        Adder { ports, buffer: &mut self.buffer }.add(op);
    }

    /// Programs a dirty entry to a new place. The map changes now; the data follow.
    pub(super) fn program(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        entry: BufferId,
        sake: Sake,
    ) {
        ports.hw.work(Work::Place);
        self.buffer.set_freshness(entry, Freshness::Clean);
        let lpn: Lpn = self.buffer.lpn(entry).expect("a dirty entry has a page");
        let mut adder = Adder { ports, buffer: &mut self.buffer };
        let Some(page) = self.translator.place(lpn, &mut adder) else {
            self.translator.lose(lpn);
            self.flushes.lose();
            self.read_only = true;
            self.counters.lost_writes += 1;
            if let Sake::Counts(tag) = sake {
                self.commands.fail(tag, IoOutcome::WriteFault);
            }
            return;
        };
        let epoch = Some(self.flushes.begin());
        let (command, meaning) = match sake {
            Sake::Ahead => (None, Meaning::Step),
            Sake::Step(tag) => (Some(tag), Meaning::Step),
            Sake::Counts(tag) => (Some(tag), Meaning::Counts),
        };
        let op = Operation {
            page,
            command,
            meaning,
            epoch,
            ..Operation::new(Kind::Program, entry, lpn)
        };
        if let Sake::Counts(tag) = sake {
            self.commands.expect(tag);
        }
        adder.add(op);
    }
}
