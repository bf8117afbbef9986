//! Commands are accepted or refused as a whole, by what the commands before them leave of their chunks.

use contract::{CommandTag, Completer, Hardware, Lpn, Work};
use nvme::open_channel::{VectorKind, MOST_ADDRESSES};

use super::Chunks;
use crate::nvme::backend::{IoOutcome, Refused, VectorIo};
use crate::placed::commands::{Blocks, Kind};
use crate::placed::NOTHING;

/// What became of the addresses of a list, one after the other.
struct Verdict {
    /// A bit for each that is wrong, and the first reason.
    wrong: u64,
    outcome: Option<IoOutcome>,
    /// A bit for each that was accepted.
    accepted: u64,
}

impl Verdict {
    const fn new() -> Self {
        Verdict { wrong: 0, outcome: None, accepted: 0 }
    }

    fn take(&mut self, nth: usize, found: Result<(), IoOutcome>) {
        match found {
            Ok(()) => self.accepted |= 1 << nth,
            Err(outcome) => {
                self.wrong |= 1 << nth;
                self.outcome.get_or_insert(outcome);
            }
        }
    }

    fn refused(&self) -> Result<(), Refused> {
        match self.outcome {
            None => Ok(()),
            Some(outcome) => Err(Refused { outcome, addresses: self.wrong }),
        }
    }

    /// Addresses that were accepted, the last first.
    fn accepted(&self) -> impl Iterator<Item = usize> {
        let accepted = self.accepted;
        (0..MOST_ADDRESSES).rev().filter(move |nth| accepted >> nth & 1 == 1)
    }
}

impl Chunks {
    /// Takes in a command with lists of addresses.
    pub(super) fn accept(
        &mut self,
        hw: &mut impl Hardware,
        command: VectorIo<'_>,
    ) -> Result<Completer, Refused> {
        let VectorIo { tag, kind, addresses, destinations, .. } = command;
        hw.work_times(Work::Translate, (addresses.len() + destinations.len()) as u32);
        let mut numbers = [[Lpn(0); MOST_ADDRESSES]; 2];
        let count = addresses.len();
        for (list, numbers) in [addresses, destinations].into_iter().zip(&mut numbers) {
            self.parse(list, numbers)?;
        }
        let kind = match kind {
            VectorKind::Read => Kind::Read,
            VectorKind::Write => {
                self.accept_list(&numbers[0][..count])?;
                Kind::Write
            }
            VectorKind::Copy => {
                self.drop_unwritten(&mut numbers[0][..count]);
                self.accept_list(&numbers[1][..count])?;
                Kind::Copy
            }
            VectorKind::Reset => {
                self.accept_resets(&numbers[0][..count])?;
                Kind::Reset
            }
        };
        *self.placed.commands.lists_mut(tag) = numbers;
        let completer = self.placed.completer_of(kind);
        self.placed.commands.submit(tag, (kind, Blocks::list(count as u32)), completer);
        self.placed.commands.queue(tag);
        Ok(completer)
    }

    /// The numbers of the blocks at some addresses.
    fn parse(&self, addresses: &[u64], numbers: &mut [Lpn]) -> Result<(), Refused> {
        let mut verdict = Verdict::new();
        for (nth, (&address, number)) in addresses.iter().zip(numbers).enumerate() {
            let found = self.addresses.parse(address);
            *number = found.unwrap_or(Lpn(0));
            verdict.take(nth, found.map(drop).ok_or(IoOutcome::OutOfRange));
        }
        verdict.refused()
    }

    /// Blocks that nothing is written to are copied as zeroes, whatever the copy itself writes there.
    fn drop_unwritten(&self, numbers: &mut [Lpn]) {
        for number in numbers {
            let (chunk, block) = self.addresses.in_chunk(*number);
            if block >= self.table.of(chunk).accepted {
                *number = NOTHING;
            }
        }
    }

    /// Accepts writes of all these blocks, or of none.
    fn accept_list(&mut self, numbers: &[Lpn]) -> Result<(), Refused> {
        let mut verdict = Verdict::new();
        for (nth, &number) in numbers.iter().enumerate() {
            let (chunk, block) = self.addresses.in_chunk(number);
            verdict.take(nth, self.table.accept_write(chunk, block));
        }
        if verdict.outcome.is_none() {
            for (nth, &number) in numbers.iter().enumerate() {
                let (chunk, _) = self.addresses.in_chunk(number);
                if !self.table.ends_with_page(chunk) {
                    verdict.wrong |= 1 << nth;
                    verdict.outcome = Some(IoOutcome::Misaligned);
                }
            }
        }
        if verdict.outcome.is_some() {
            for nth in verdict.accepted() {
                self.table.take_back_write(self.addresses.in_chunk(numbers[nth]).0);
            }
        }
        verdict.refused()
    }

    /// Accepts resets of all these chunks, or of none.
    fn accept_resets(&mut self, numbers: &[Lpn]) -> Result<(), Refused> {
        let (mut verdict, mut written) = (Verdict::new(), [0; MOST_ADDRESSES]);
        for (nth, &number) in numbers.iter().enumerate() {
            let found = match self.addresses.in_chunk(number) {
                (chunk, 0) => self.table.accept_reset(chunk),
                _ => Err(IoOutcome::Misaligned),
            };
            written[nth] = found.unwrap_or(0);
            verdict.take(nth, found.map(drop));
        }
        if verdict.outcome.is_some() {
            for nth in verdict.accepted() {
                let (chunk, _) = self.addresses.in_chunk(numbers[nth]);
                self.table.take_back_reset(chunk, written[nth]);
            }
        }
        verdict.refused()
    }

    /// The number of the first of some blocks at consecutive addresses, all of which are there.
    pub(super) fn readable(&self, start: u64, blocks: u32) -> Result<Lpn, IoOutcome> {
        let first = self.addresses.parse(start);
        let last = self.addresses.parse(start + u64::from(blocks) - 1);
        match (first, last) {
            // Where numbers are as dense as addresses, no address between the two names nothing.
            (Some(first), Some(last)) if last.0 - first.0 == blocks - 1 => Ok(first),
            _ => Err(IoOutcome::OutOfRange),
        }
    }

    /// Accepts writes of blocks at consecutive addresses, or of none of them.
    pub(super) fn accept_writes(&mut self, start: u64, blocks: u32) -> Result<Lpn, IoOutcome> {
        let Lpn(first) = self.readable(start, blocks)?;
        let chunks = |addresses: &super::Addresses, nth| addresses.in_chunk(Lpn(first + nth));
        let mut accepted = 0;
        let refused = (0..blocks).find_map(|nth| {
            let (chunk, block) = chunks(&self.addresses, nth);
            let refused = self.table.accept_write(chunk, block).err();
            accepted = if refused.is_none() { nth + 1 } else { accepted };
            refused
        });
        let (last, _) = chunks(&self.addresses, blocks - 1);
        let is_part = refused.is_none() && !self.table.ends_with_page(last);
        match refused.or(is_part.then_some(IoOutcome::Misaligned)) {
            None => Ok(Lpn(first)),
            Some(outcome) => {
                for nth in (0..accepted).rev() {
                    let (chunk, _) = chunks(&self.addresses, nth);
                    self.table.take_back_write(chunk);
                }
                Err(outcome)
            }
        }
    }

    /// Takes in a Deallocate of a range of blocks. It resets the chunk that the range is, if that can be reset; no other
    /// range is of any consequence.
    pub(super) fn accept_deallocation(
        &mut self,
        (tag, start, blocks): (CommandTag, u64, u32),
    ) -> Completer {
        let number = self.addresses.parse(start);
        let is_whole = number.is_some_and(|number| self.addresses.in_chunk(number).1 == 0)
            && blocks == self.addresses.chunk_blocks();
        let number = number.filter(|_| is_whole).filter(|&number| {
            let (chunk, _) = self.addresses.in_chunk(number);
            self.table.accept_reset(chunk).is_ok()
        });
        let blocks = number.map_or(Blocks::none(), |Lpn(first)| Blocks::range(first, 1));
        self.placed.commands.submit(tag, (Kind::Reset, blocks), Completer::Firmware);
        match number {
            Some(_) => self.placed.commands.queue(tag),
            None => self.placed.commands.end(tag),
        }
        Completer::Firmware
    }
}
