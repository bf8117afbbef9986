//! Finds the map of a drive that was written before.
//!
//! The last block of every unit that is written is looked at, and those that are lists ([`super::journal`]) are put into their
//! order. What they name makes the map, the later the position the better, and blocks of [`super::gaps`] take out what
//! was deallocated. Everything else on the drive was never durable. Lines from which nothing is needed are reset; of others
//! the chunks that are not full are filled up, since a chunk can be reset no sooner.

use std::collections::BTreeMap;

use nvme::open_channel::{ChunkDescriptor, ChunkState, MOST_ADDRESSES};

use super::gaps;
use super::journal::{Elsewhere, List, Past};
use super::lines::{LineState, Lines};
use super::map::{Map, Where};
use super::shape::{LineId, Shape, Unit};
use crate::driver::DriverError;

/// The blocks of a drive at a start, one command after the other.
pub trait Flash {
    /// Reads up to 64 blocks; `take` gets each with its number among them, unless it cannot be read.
    ///
    /// # Errors
    /// When the drive does not answer, or refuses it.
    fn read(
        &mut self,
        addresses: &[u64],
        take: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), DriverError>;

    /// Writes zeroes to up to 64 blocks. Returns a bit for each that could not be written.
    ///
    /// # Errors
    /// As those of [`Flash::read`].
    fn fill(&mut self, addresses: &[u64]) -> Result<u64, DriverError>;

    /// Resets a chunk. Returns whether it can be written again.
    ///
    /// # Errors
    /// As those of [`Flash::read`].
    fn reset(&mut self, address: u64) -> Result<bool, DriverError>;
}

/// What was found.
#[derive(Debug)]
pub struct Recovered {
    /// Where each logical block is.
    pub map: Map,
    /// Logical blocks that jobs have.
    pub blocks: u64,
    /// Where lists of former starts end.
    pub past: Past,
}

/// What is known of a drive before its blocks are looked at.
struct Looker<'a, F> {
    flash: &'a mut F,
    shape: &'a Shape,
    chunks: &'a [ChunkDescriptor],
}

/// Finds the map of a drive with these chunks, and brings its lines into order. None if nothing that was durable is there.
///
/// # Errors
/// When a command fails, or what is found cannot be right.
pub fn recover(
    flash: &mut impl Flash,
    (shape, chunks): (&Shape, &[ChunkDescriptor]),
    lines: &mut Lines,
) -> Result<Option<Recovered>, DriverError> {
    let mut looker = Looker { flash, shape, chunks };
    let lists = looker.lists()?;
    let mut recovered = match past_of(&lists) {
        None => None,
        Some(past) => {
            looker.check(&lists)?;
            let blocks = lists[0].blocks;
            let map = looker.map(&lists, blocks)?;
            Some(Recovered { map, blocks, past })
        }
    };
    let valid = looker.valid(recovered.as_ref())?;
    let named = looker.elsewhere(&lists, recovered.as_ref());
    looker.order(lines, &lists, (&valid, &named))?;
    if let Some(Recovered { past, .. }) = &mut recovered {
        past.elsewhere = named;
        for unit in past.elsewhere.values_mut().flatten() {
            unit.opened = lines.of(shape.line_of(unit.place)).opened;
        }
    }
    Ok(recovered)
}

/// Where the lists of former starts end, in the order of their numbers.
fn past_of(lists: &[List]) -> Option<Past> {
    let last = lists.last()?;
    Some(Past { position: last.end, lists: last.number + 1, ..Past::default() })
}

/// All units that lists name, by their positions.
fn in_order(lists: &[List]) -> Vec<(u64, u32, &[u32])> {
    let mut units: Vec<_> = lists.iter().flat_map(List::units).collect();
    units.sort_by_key(|&(position, ..)| position);
    units
}

fn wrong<T>(field: &'static str, found: u64, expected: &'static str) -> Result<T, DriverError> {
    Err(DriverError::Unusable { field, found, expected })
}

impl<F: Flash> Looker<'_, F> {
    fn chunk(&self, line: LineId, unit: Unit) -> &ChunkDescriptor {
        &self.chunks[self.shape.chunk_index(line, unit)]
    }

    /// Blocks of a chunk that hold something.
    fn written(&self, line: LineId, unit: Unit) -> u32 {
        let own = self.chunk(line, unit);
        if own.state == ChunkState::Offline as u8 {
            0
        } else {
            own.written as u32
        }
    }

    /// All lists that there are, in the order in which they were written.
    fn lists(&mut self) -> Result<Vec<List>, DriverError> {
        let each = self.shape.write_blocks;
        let mut lists = Vec::new();
        let mut places = Vec::with_capacity(MOST_ADDRESSES);
        for line in 0..self.shape.lines {
            for end in (each..=self.shape.chunk_blocks).step_by(each as usize) {
                for unit in 0..self.shape.units() {
                    if self.written(line, unit) >= end {
                        places.push(self.shape.place(line, unit, end - 1));
                    }
                    if places.len() == MOST_ADDRESSES {
                        self.look(&mut places, &mut lists)?;
                    }
                }
            }
        }
        self.look(&mut places, &mut lists)?;
        lists.sort_by_key(|list| list.number);
        Ok(lists)
    }

    /// Takes the lists out of some blocks.
    fn look(&mut self, places: &mut Vec<u32>, lists: &mut Vec<List>) -> Result<(), DriverError> {
        self.read(places, &mut |nth, block| lists.extend(List::parse(block, places[nth])))?;
        places.clear();
        Ok(())
    }

    fn read(
        &mut self,
        places: &[u32],
        take: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), DriverError> {
        if places.is_empty() {
            return Ok(());
        }
        let addresses: Vec<_> = places.iter().map(|&place| self.shape.address(place)).collect();
        self.flash.read(&addresses, take)
    }

    /// Whether lists name only what this drive has.
    fn check(&self, lists: &[List]) -> Result<(), DriverError> {
        let blocks = lists[0].blocks;
        let all = blocks + gaps::blocks_for(blocks);
        if blocks == 0 || all > self.shape.places() {
            let expected = "at least one, and no more than the drive has";
            return wrong("logical blocks of a list", blocks, expected);
        }
        for list in lists {
            if list.blocks != blocks {
                return wrong(
                    "logical blocks of a list",
                    list.blocks,
                    "as many as other lists have",
                );
            }
            if list.write_blocks != self.shape.write_blocks {
                let expected = "the blocks of a write to this drive";
                return wrong("blocks of a unit of a list", list.write_blocks.into(), expected);
            }
            for (_, place, words) in list.units() {
                let end = u64::from(place) + u64::from(list.write_blocks);
                if end > self.shape.places() {
                    return wrong("place in a list", place.into(), "one that the drive has");
                }
                if let Some(&word) = words.iter().find(|&&word| u64::from(word) > all) {
                    let expected = "one that jobs have";
                    return wrong("logical block in a list", u64::from(word) - 1, expected);
                }
            }
        }
        Ok(())
    }

    /// What lists say, the later the better.
    fn map(&mut self, lists: &[List], blocks: u64) -> Result<Map, DriverError> {
        let mut map = Map::new(blocks + gaps::blocks_for(blocks), self.shape.places());
        let own = gaps::Gaps::new(blocks);
        let told = self.gaps(lists, &own)?;
        let mut before = None;
        for (position, place, words) in in_order(lists) {
            let is_again = before.replace((position, place)) == Some((position, place));
            for (nth, &word) in (0..).zip(words) {
                // Who names a unit again leaves out what something newer counts against.
                if word > 0 || !is_again {
                    map.note(place + nth, word.checked_sub(1));
                }
                let Some(lba) = word.checked_sub(1) else { continue };
                map.put(lba, Where::Flash(place + nth));
                if let Some(number) = own.own(lba) {
                    let (at, block) = &told[&number];
                    if *at == position + u64::from(nth) {
                        gaps::apply(&mut map, (number, blocks), block);
                    }
                }
            }
        }
        Ok(map)
    }

    /// The last of each of the blocks of gaps: its position, and what it says.
    fn gaps(
        &mut self,
        lists: &[List],
        own: &gaps::Gaps,
    ) -> Result<BTreeMap<u32, (u64, Vec<u8>)>, DriverError> {
        let mut last = BTreeMap::new();
        for (position, place, words) in in_order(lists) {
            for (nth, &word) in (0..).zip(words) {
                if let Some(number) = word.checked_sub(1).and_then(|lba| own.own(lba)) {
                    last.insert(number, (position + u64::from(nth), place + nth));
                }
            }
        }
        let last: Vec<_> = last.into_iter().collect();
        let mut told = BTreeMap::new();
        for some in last.chunks(MOST_ADDRESSES) {
            let places: Vec<_> = some.iter().map(|&(_, (_, place))| place).collect();
            self.read(&places, &mut |nth, block| {
                let (number, (position, _)) = some[nth];
                told.insert(number, (position, block.to_vec()));
            })?;
        }
        match last.iter().find(|(number, _)| !told.contains_key(number)) {
            None => Ok(told),
            Some(&(_, (_, place))) => {
                let expected = "one that can be read, as it says what was deallocated";
                wrong("place of a block", place.into(), expected)
            }
        }
    }

    /// Units of which something is valid, and that lists in other lines name, by line of these.
    fn elsewhere(
        &self,
        lists: &[List],
        recovered: Option<&Recovered>,
    ) -> BTreeMap<LineId, Vec<Elsewhere>> {
        let mut elsewhere = BTreeMap::<_, Vec<_>>::new();
        let Some(Recovered { map, .. }) = recovered else { return elsewhere };
        let is_valid =
            |place| map.block_at(place).is_some_and(|lba| map.find(lba) == Where::Flash(place));
        // Lists of before may still name what their places held then.
        let newest: BTreeMap<u32, u64> =
            in_order(lists).iter().map(|&(position, place, _)| (place, position)).collect();
        for list in lists {
            let line = self.shape.line_of(list.place);
            for (position, place, words) in list.units() {
                let is_other = self.shape.line_of(place) != line && newest[&place] == position;
                if is_other && (place..).take(words.len()).any(is_valid) {
                    elsewhere.entry(line).or_default().push(Elsewhere {
                        place,
                        position,
                        opened: 0,
                    });
                }
            }
        }
        elsewhere
    }

    /// Blocks of each line that the map names.
    fn valid(&self, recovered: Option<&Recovered>) -> Result<Vec<u32>, DriverError> {
        let mut valid = vec![0; self.shape.lines as usize];
        let Some(Recovered { map, .. }) = recovered else { return Ok(valid) };
        for lba in 0..map.blocks() as u32 {
            let Where::Flash(place) = map.find(lba) else { continue };
            let line = self.shape.line_of(place);
            if place % self.shape.chunk_blocks >= self.written(line, self.shape.unit_of(place)) {
                return wrong("place of a block", place.into(), "one that is written");
            }
            valid[line as usize] += 1;
        }
        Ok(valid)
    }

    /// Brings all lines that were written into order.
    fn order(
        &mut self,
        lines: &mut Lines,
        lists: &[List],
        (valid, named): (&[u32], &BTreeMap<LineId, Vec<Elsewhere>>),
    ) -> Result<(), DriverError> {
        // Those count as opened first whose last block came first.
        let mut ages = BTreeMap::<LineId, u64>::new();
        for (position, place, _) in in_order(lists) {
            ages.insert(self.shape.line_of(place), position);
        }
        let units = self.shape.units();
        let is_used = |line, unit| {
            let state = self.chunk(line, unit).state;
            state != ChunkState::Free as u8 && state != ChunkState::Offline as u8
        };
        let is_used = |&line: &LineId| (0..units).any(|unit| is_used(line, unit));
        let mut used: Vec<_> = (0..self.shape.lines).filter(is_used).collect();
        used.sort_by_key(|line| (ages.get(line).copied().unwrap_or_default(), *line));
        for line in used {
            if valid[line as usize] > 0 || named.contains_key(&line) {
                self.fill(lines, line, &[ChunkState::Open, ChunkState::Free])?;
                lines.found(line, (LineState::Closed, valid[line as usize]));
            } else {
                self.free(lines, line)?;
            }
        }
        Ok(())
    }

    /// Fills up the chunks of a line that are in one of these states.
    fn fill(
        &mut self,
        lines: &Lines,
        line: LineId,
        states: &[ChunkState],
    ) -> Result<(), DriverError> {
        let is_meant = |unit: &Unit| {
            let own = self.chunk(line, *unit).state;
            states.iter().any(|&state| state as u8 == own)
        };
        let mut open: Vec<_> = lines
            .good_units(line)
            .filter(is_meant)
            .map(|unit| (unit, self.written(line, unit)))
            .collect();
        let (end, each) = (self.shape.chunk_blocks, self.shape.write_blocks);
        while !open.is_empty() {
            open.sort_by_key(|&(_, block)| block);
            let mut addresses = Vec::with_capacity(MOST_ADDRESSES);
            let mut asked = Vec::new();
            for (nth, &(unit, block)) in open.iter().enumerate() {
                let blocks = each.min(end - block);
                if addresses.len() + blocks as usize > MOST_ADDRESSES {
                    break;
                }
                addresses.extend(
                    (block..block + blocks)
                        .map(|own| self.shape.address(self.shape.place(line, unit, own))),
                );
                asked.push((nth, blocks, addresses.len()));
            }
            let failed = self.flash.fill(&addresses)?;
            for (nth, blocks, to) in asked {
                let own = (to - blocks as usize..to).any(|bit| failed >> bit & 1 == 1);
                open[nth].1 = if own { end } else { open[nth].1 + blocks };
            }
            open.retain(|&(_, block)| block < end);
        }
        Ok(())
    }

    /// Gives back a line of which nothing is needed: its chunks are all full, or all reset.
    fn free(&mut self, lines: &mut Lines, line: LineId) -> Result<(), DriverError> {
        let is_full = |unit| self.chunk(line, unit).state == ChunkState::Closed as u8;
        if lines.good_units(line).all(is_full) {
            lines.found(line, (LineState::Free, 0));
            return Ok(());
        }
        self.fill(lines, line, &[ChunkState::Open])?;
        let free = ChunkState::Free as u8;
        let used: Vec<_> =
            lines.good_units(line).filter(|&unit| self.chunk(line, unit).state != free).collect();
        for unit in used {
            if !self.flash.reset(self.shape.address(self.shape.place(line, unit, 0)))? {
                lines.drop_chunk(line, unit);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "recover_tests.rs"]
mod tests;
