//! What lets the map outlive the power: lists of what was stored where, in blocks of the FTL's own among the data.
//!
//! A list names units of the ring in their order: position and place of each, and the logical blocks in it. It is written when
//! these units are stored, so that whatever a list names is there; and after the list before it is stored, so that what all lists
//! name together is what came up to some position of the ring, without a hole. It is the last block of its own unit, where a
//! start looks for it ([`super::recover`]).
//!
//! Positions, which count blocks of the ring, go on from one start to the next: of two that name a logical block the later one
//! counts. Lists stand in the line that is open when they are written, so those of a line may name units of lines before it. What
//! is still valid of these is named again before the line is given back.

use std::collections::{BTreeMap, VecDeque};

use super::lines::Lines;
use super::list_form::{most_units, record_words, BLOCK_BYTES, HEAD_BYTES};
use super::shape::{LineId, Shape};

/// What a list begins with.
const MAGIC: [u8; 8] = *b"placed-1";

/// A list, as it stands in its block. All numbers are little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// Where it is itself, bytes 12 to 15. Nothing that stands elsewhere is a list.
    pub place: u32,
    /// Lists that were written before it, bytes 16 to 23.
    pub number: u64,
    /// Position up to which it and those before it name everything, bytes 24 to 31.
    pub end: u64,
    /// Logical blocks that jobs have, bytes 32 to 39.
    pub blocks: u64,
    /// Blocks of a unit, bytes 40 to 43.
    pub write_blocks: u32,
    /// For each unit, from byte 48 on, position in two words, the lower first, and place of its first block, and for each of
    /// its blocks 0 or one more than the logical block. How many units there are stands in bytes 44 to 47.
    pub words: Vec<u32>,
}

impl List {
    /// Reads a block; `None` if it is no list of this place.
    pub fn parse(block: &[u8], place: u32) -> Option<Self> {
        let word = |at: usize| u32::from_le_bytes(*block[at..].first_chunk().expect("4 bytes"));
        let wide = |at: usize| u64::from_le_bytes(*block[at..].first_chunk().expect("8 bytes"));
        if block[..8] != MAGIC || word(12) != place || word(8) != checksum(block) {
            return None;
        }
        let (write_blocks, units) = (word(40), word(44) as usize);
        let count = units.checked_mul(record_words(write_blocks))?;
        let words = block[HEAD_BYTES..].chunks_exact(4).take(count);
        let words: Vec<_> =
            words.map(|own| u32::from_le_bytes([own[0], own[1], own[2], own[3]])).collect();
        let (number, end, blocks) = (wide(16), wide(24), wide(32));
        (words.len() == count).then_some(List { place, number, end, blocks, write_blocks, words })
    }

    /// Its units: the position of the first block of each, its place, and words of the logical blocks.
    pub fn units(&self) -> impl Iterator<Item = (u64, u32, &[u32])> {
        let units = self.words.chunks_exact(record_words(self.write_blocks));
        units.map(|unit| (u64::from(unit[1]) << 32 | u64::from(unit[0]), unit[2], &unit[3..]))
    }
}

/// Checks all but itself, bytes 8 to 11.
fn checksum(block: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&block[..8]);
    hasher.update(&block[12..BLOCK_BYTES]);
    hasher.finalize()
}

/// Says in a list where it is.
pub fn put_place(block: &mut [u8], place: u32) {
    block[12..16].copy_from_slice(&place.to_le_bytes());
    let sum = checksum(block);
    block[8..12].copy_from_slice(&sum.to_le_bytes());
}

/// Puts the words of a unit behind others.
fn put_unit(
    words: &mut VecDeque<u32>,
    (position, place): (u64, u32),
    lbas: impl Iterator<Item = Option<u32>>,
) {
    words.extend([position as u32, (position >> 32) as u32, place]);
    words.extend(lbas.map(|lba| lba.map_or(0, |lba| lba + 1)));
}

/// Where lists of former starts end.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// Position behind the last block that they name.
    pub position: u64,
    /// Lists so far.
    pub lists: u64,
    /// By line: units in other lines that lists in it name.
    pub elsewhere: BTreeMap<LineId, Vec<Elsewhere>>,
}

/// A unit that is named by a list in another line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// Place of its first block, as [`super::shape`] counts places.
    pub place: u32,
    /// Position of its first block.
    pub position: u64,
    /// Lines that were opened before its own. Another number tells that its line was opened again.
    pub opened: u64,
}

/// A list that is not stored yet.
#[derive(Debug)]
struct UnderWay {
    /// Its unit of the ring.
    unit: u32,
    /// Position up to which all is listed with it.
    end: u64,
}

/// What is to be listed, and what is.
#[derive(Debug)]
pub struct Journal {
    past: Past,
    /// Logical blocks that jobs have.
    blocks: u64,
    write_blocks: u32,
    /// Units that are stored and in no list that is: the words of each, as a list has them.
    unlisted: VecDeque<u32>,
    /// The same of units that are to be named again.
    again: VecDeque<u32>,
    /// Position behind the last unit that was stored.
    stored: u64,
    /// Position up to which all is in lists that are stored. This and the others count from the start of the run.
    listed: u64,
    /// Position up to which all is to be listed though it fills no list.
    wanted: u64,
    under_way: Option<UnderWay>,
    /// Units that the list under way names: position and place.
    named: Vec<(u64, u32)>,
}

impl Journal {
    /// One of a drive, whose jobs have so many blocks, that goes on behind former starts.
    pub fn new(shape: &Shape, blocks: u64, past: Past) -> Self {
        let most = most_units(shape.write_blocks);
        Journal {
            past,
            blocks,
            write_blocks: shape.write_blocks,
            unlisted: VecDeque::with_capacity(4 * most * record_words(shape.write_blocks)),
            again: VecDeque::new(),
            stored: 0,
            listed: 0,
            wanted: 0,
            under_way: None,
            named: Vec::with_capacity(most),
        }
    }

    /// Position up to which all outlives the power.
    pub fn listed(&self) -> u64 {
        self.listed
    }

    /// Everything up to a position is to outlive the power soon.
    pub fn want(&mut self, position: u64) {
        self.wanted = self.wanted.max(position);
    }

    /// All units before this one are stored, and now it is: its place, and its logical blocks.
    pub fn add(&mut self, place: u32, lbas: impl Iterator<Item = Option<u32>>) {
        put_unit(&mut self.unlisted, (self.past.position + self.stored, place), lbas);
        self.stored += u64::from(self.write_blocks);
    }

    /// A unit is to be named again: where it is, and its logical blocks.
    pub fn add_again(&mut self, unit: Elsewhere, lbas: impl Iterator<Item = Option<u32>>) {
        put_unit(&mut self.again, (unit.position, unit.place), lbas);
    }

    /// Whether all that was to be named again is in lists that are stored.
    pub fn has_named_again(&self) -> bool {
        self.again.is_empty() && self.under_way.is_none()
    }

    /// Whether a list is to be written now, though its unit has to be filled up for it. All up to `synced` is stored.
    pub fn is_urgent(&self, synced: u64) -> bool {
        let is_wanted = self.listed < self.wanted && self.wanted <= synced;
        self.under_way.is_none() && (is_wanted || !self.again.is_empty())
    }

    /// Whether a list is to be written with the next unit.
    pub fn is_due(&self, synced: u64) -> bool {
        let is_full = self.unlisted_units() >= most_units(self.write_blocks);
        self.is_urgent(synced) || self.under_way.is_none() && is_full
    }

    fn unlisted_units(&self) -> usize {
        self.unlisted.len() / record_words(self.write_blocks)
    }

    /// Makes the next list, as the last block of a unit of the ring.
    pub fn emit(&mut self, unit: u32, block: &mut [u8]) {
        let record = record_words(self.write_blocks);
        let most = most_units(self.write_blocks);
        let again = (self.again.len() / record).min(most);
        let units = self.unlisted_units().min(most - again);
        let end = self.listed + units as u64 * u64::from(self.write_blocks);
        block[..BLOCK_BYTES].fill(0);
        block[..8].copy_from_slice(&MAGIC);
        let wides = [self.past.lists, self.past.position + end, self.blocks];
        for (at, wide) in (16..).step_by(8).zip(wides) {
            block[at..at + 8].copy_from_slice(&wide.to_le_bytes());
        }
        block[40..44].copy_from_slice(&self.write_blocks.to_le_bytes());
        block[44..48].copy_from_slice(&((again + units) as u32).to_le_bytes());
        self.named.clear();
        let words = self.again.drain(..again * record);
        let words = words.chain(self.unlisted.drain(..units * record));
        let mut position = 0;
        for (nth, word) in words.enumerate() {
            block[HEAD_BYTES + nth * 4..][..4].copy_from_slice(&word.to_le_bytes());
            match nth % record {
                0 => position = u64::from(word),
                1 => position |= u64::from(word) << 32,
                2 => self.named.push((position, word)),
                _ => {}
            }
        }
        self.under_way = Some(UnderWay { unit, end });
        self.past.lists += 1;
    }

    /// Whether a unit of the ring has the list that is under way.
    #[inline]
    pub fn is_in(&self, unit: u32) -> bool {
        self.under_way.as_ref().is_some_and(|own| own.unit == unit)
    }

    /// The list that was under way is stored in a line.
    pub fn stored(&mut self, (shape, lines): (&Shape, &Lines), line: LineId) {
        let UnderWay { end, .. } = self.under_way.take().expect("a list was under way");
        self.listed = end;
        let others = self.named.iter().filter(|&&(_, place)| shape.line_of(place) != line);
        let elsewhere = others.map(|&(position, place)| Elsewhere {
            place,
            position,
            opened: lines.of(shape.line_of(place)).opened,
        });
        let mut elsewhere = elsewhere.peekable();
        if elsewhere.peek().is_some() {
            self.past.elsewhere.entry(line).or_default().extend(elsewhere);
        }
    }

    /// Units in other lines that lists in this one name, which is to be given back.
    pub fn take_elsewhere(&mut self, line: LineId) -> Vec<Elsewhere> {
        self.past.elsewhere.remove(&line).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::shape::tests::geometry;

    fn journal(past: Past) -> Journal {
        Journal::new(&Shape::new(&geometry()).unwrap(), 700, past)
    }

    fn add(journal: &mut Journal, place: u32) {
        journal.add(place, (0..8).map(|nth| (nth % 3 > 0).then_some(place + nth)));
    }

    #[test]
    fn a_list_is_read_at_its_place_alone_and_as_it_was_written() {
        let past = Past { position: 1600, lists: 9, ..Past::default() };
        let mut journal = journal(past);
        for place in [96, 112] {
            add(&mut journal, place);
        }
        let mut block = [7; 4096];
        journal.emit(3, &mut block);
        put_place(&mut block, 135);
        let list = List::parse(&block, 135).expect("a list");
        assert_eq!((list.number, list.blocks, list.end), (9, 700, 1616));
        let units: Vec<_> = list.units().collect();
        assert_eq!(
            (units[1].0, units[1].1, units[1].2),
            (1608, 112, &[0, 114, 115, 0, 117, 118, 0, 120][..])
        );
        assert_eq!(List::parse(&block, 134), None);
        for at in [0, 9, 20, 60, 4095] {
            let mut bad = block;
            bad[at] ^= 1;
            assert_eq!(List::parse(&bad, 135), None, "byte {at}");
        }
    }

    #[test]
    fn one_list_is_written_after_the_other_and_when_it_is_full_or_wanted() {
        let mut journal = journal(Past::default());
        let most = most_units(8);
        assert_eq!(most, 92);
        for nth in 0..most as u32 - 1 {
            add(&mut journal, nth * 8);
        }
        let synced = (most as u64 - 1) * 8;
        assert!(!journal.is_due(synced));
        journal.want(synced + 8);
        assert!(!journal.is_due(synced), "not all that is wanted is stored");
        add(&mut journal, 1600);
        add(&mut journal, 1608);
        assert!(journal.is_urgent(synced + 16) && journal.has_named_again());
        let mut block = [0; 4096];
        journal.emit(0, &mut block);
        assert!(journal.is_in(0) && !journal.is_due(synced + 16), "one is under way");
        // The line of places 1536 to 1631: it names units of others, which line 0 has, and one of its own.
        let shape = Shape::new(&geometry()).unwrap();
        journal.stored((&shape, &Lines::new(&shape, |_, _| true)), 16);
        assert_eq!(journal.listed(), most as u64 * 8);
        assert!(!journal.is_due(synced + 16), "all that was wanted is listed");
        let elsewhere = journal.take_elsewhere(16);
        assert_eq!(
            (elsewhere.len(), elsewhere[5].position, elsewhere[5].place),
            (most - 1, 40, 40)
        );
        assert!(journal.take_elsewhere(16).is_empty());
        journal.add_again(elsewhere[5], (0..8).map(Some));
        assert!(journal.is_urgent(synced + 16) && !journal.has_named_again());
        journal.emit(1, &mut block);
        put_place(&mut block, 7);
        let list = List::parse(&block, 7).expect("a list");
        let units: Vec<_> = list.units().map(|(position, place, _)| (position, place)).collect();
        assert_eq!((units, list.end), (vec![(40, 40), (736, 1608)], 744));
        assert!(!journal.has_named_again(), "it is under way");
    }
}
