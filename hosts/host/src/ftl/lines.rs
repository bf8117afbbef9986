//! Lines: what becomes of the chunks with the same number in all parallel units.

use std::collections::VecDeque;

use super::shape::{LineId, Shape, Unit};

/// What a line is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineState {
    /// It can be written; its chunks may have to be reset before.
    Free,
    /// It is the next to be written, and its chunks are reset.
    Next,
    /// It is written.
    Open,
    /// It is written to its end.
    Closed,
    /// What is valid of it is moved away.
    Collected,
    /// None of its chunks is of use any more.
    Retired,
}

/// What the FTL knows of a line: the chunks with one number in all parallel units.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// What it is at.
    pub state: LineState,
    /// Whether its chunks have to be reset before they are written.
    pub is_used: bool,
    /// Blocks of it that the map names, or will when the buffer lets go of them.
    pub valid: u32,
    /// Writes to it that are under way.
    pub pending: u32,
    /// How many lines were opened before it.
    pub opened: u64,
}

/// All lines.
#[derive(Debug)]
pub struct Lines {
    lines: Vec<Line>,
    /// Chunks that are of use: a bit for each parallel unit, `words` of 64 a line.
    good: Vec<u64>,
    words: usize,
    free: VecDeque<LineId>,
    chunk_blocks: u32,
    good_chunks: u64,
    opened: u64,
}

impl Lines {
    /// The lines of a drive whose chunks are free; `is_good` says of each whether it is of use.
    pub fn new(shape: &Shape, is_good: impl Fn(LineId, Unit) -> bool) -> Self {
        let words = shape.units().div_ceil(64) as usize;
        let new = Line { state: LineState::Free, is_used: false, valid: 0, pending: 0, opened: 0 };
        let mut lines = Lines {
            lines: vec![new; shape.lines as usize],
            good: vec![0; words * shape.lines as usize],
            words,
            free: VecDeque::with_capacity(shape.lines as usize),
            chunk_blocks: shape.chunk_blocks,
            good_chunks: 0,
            opened: 0,
        };
        for line in 0..shape.lines {
            for unit in (0..shape.units()).filter(|&unit| is_good(line, unit)) {
                lines.good[line as usize * words + unit as usize / 64] |= 1 << (unit % 64);
                lines.good_chunks += 1;
            }
            match lines.blocks(line) {
                0 => lines.lines[line as usize].state = LineState::Retired,
                _ => lines.free.push_back(line),
            }
        }
        lines
    }

    /// A line.
    #[inline]
    pub fn of(&self, line: LineId) -> &Line {
        &self.lines[line as usize]
    }

    /// A line, to be changed.
    #[inline]
    pub fn of_mut(&mut self, line: LineId) -> &mut Line {
        &mut self.lines[line as usize]
    }

    /// Blocks of all chunks that are of use.
    pub fn good_blocks(&self) -> u64 {
        self.good_chunks * u64::from(self.chunk_blocks)
    }

    /// Lines that are free.
    pub fn free(&self) -> u32 {
        self.free.len() as u32
    }

    /// Whether a chunk is of use.
    pub fn is_good(&self, line: LineId, unit: Unit) -> bool {
        self.good[line as usize * self.words + unit as usize / 64] >> (unit % 64) & 1 == 1
    }

    /// Blocks of the chunks of a line that are of use.
    pub fn blocks(&self, line: LineId) -> u32 {
        let own = &self.good[line as usize * self.words..][..self.words];
        own.iter().map(|word| word.count_ones()).sum::<u32>() * self.chunk_blocks
    }

    /// Parallel units whose chunk of a line is of use, in the order in which they are written.
    pub fn good_units(&self, line: LineId) -> impl Iterator<Item = Unit> + '_ {
        let units = self.words as u32 * 64;
        (0..units).filter(move |&unit| self.is_good(line, unit))
    }

    /// A chunk is of no use any more.
    pub fn drop_chunk(&mut self, line: LineId, unit: Unit) {
        if self.is_good(line, unit) {
            self.good[line as usize * self.words + unit as usize / 64] &= !(1 << (unit % 64));
            self.good_chunks -= 1;
        }
    }

    /// Takes the line that was free for longest, to be reset and written next.
    pub fn take_free(&mut self) -> Option<LineId> {
        let line = self.free.pop_front()?;
        self.lines[line as usize].state = LineState::Next;
        Some(line)
    }

    /// A line was written before the start, after those of which this was said before. It is closed, or can be written.
    pub fn found(&mut self, line: LineId, (state, valid): (LineState, u32)) {
        self.free.retain(|&own| own != line);
        self.open(line);
        let own = &mut self.lines[line as usize];
        (own.state, own.valid) = (state, valid);
        if state == LineState::Free {
            self.free.push_back(line);
        }
    }

    /// A line whose chunks are free is written from now on.
    pub fn open(&mut self, line: LineId) {
        let own = &mut self.lines[line as usize];
        (own.state, own.opened, own.is_used) = (LineState::Open, self.opened, true);
        self.opened += 1;
    }

    /// Nothing of a line is needed any more.
    pub fn free_line(&mut self, line: LineId) {
        let own = &mut self.lines[line as usize];
        assert_eq!(
            (own.valid, own.pending),
            (0, 0),
            "nothing is left of a line that is given back"
        );
        own.state = LineState::Free;
        self.free.push_back(line);
    }

    /// The line that brings most when it is collected, if one brings more blocks than `least`: of those the one that was
    /// opened first.
    pub fn victim(&self, least: u32) -> Option<LineId> {
        let closed = (0..)
            .zip(&self.lines)
            .filter(|(_, line)| line.state == LineState::Closed && line.pending == 0);
        let gains =
            closed.map(|(id, line)| (self.blocks(id).saturating_sub(line.valid), line.opened, id));
        let best = gains.filter(|&(gain, ..)| gain > least);
        best.min_by_key(|&(gain, opened, _)| (std::cmp::Reverse(gain), opened)).map(|(.., id)| id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::shape::tests::geometry;

    #[test]
    fn bad_chunks_are_left_out_and_lines_without_others_retired() {
        let shape = Shape::new(&geometry()).unwrap();
        let bad = |line, unit| line == 3 || line == 5 && unit == 4;
        let mut lines = Lines::new(&shape, |line, unit| !bad(line, unit));
        assert_eq!((lines.free(), lines.of(3).state), (19, LineState::Retired));
        assert_eq!(lines.good_blocks(), (19 * 6 - 1) * 16);
        assert_eq!(lines.good_units(5).collect::<Vec<_>>(), [0, 1, 2, 3, 5]);
        assert_eq!((lines.blocks(5), lines.blocks(6)), (80, 96));
        lines.drop_chunk(6, 0);
        lines.drop_chunk(6, 0);
        assert_eq!(lines.good_blocks(), (19 * 6 - 2) * 16);
        assert!((0..6).all(|line| line == 3 || lines.take_free() == Some(line)));
    }

    #[test]
    fn the_line_with_the_fewest_valid_blocks_is_collected_and_the_older_of_two() {
        let shape = Shape::new(&geometry()).unwrap();
        let mut lines = Lines::new(&shape, |_, _| true);
        for (line, valid) in [(2, 50), (1, 40), (0, 40), (4, 96), (3, 7)] {
            lines.open(line);
            let own = lines.of_mut(line);
            (own.valid, own.state) = (valid, LineState::Closed);
        }
        lines.of_mut(3).pending = 1;
        assert_eq!(lines.victim(0), Some(1), "what is still written is not collected");
        lines.of_mut(1).state = LineState::Collected;
        assert_eq!(lines.victim(0), Some(0));
        lines.of_mut(0).valid = 96;
        lines.of_mut(2).valid = 96;
        assert_eq!(lines.victim(0), None, "all of them are valid as a whole");
    }
}
