//! The line that is written: its parallel units in turn, a write each.

use super::shape::{LineId, Shape, Unit};

/// Where the next write goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Its parallel unit.
    pub unit: Unit,
    /// Its first block.
    pub place: u32,
}

/// The line that is open, if one is.
#[derive(Debug)]
pub struct Stripe {
    line: Option<LineId>,
    /// Parallel units that are written, in turn.
    units: Vec<Unit>,
    /// Index of the next of them.
    next: usize,
    /// Block in their chunks that they are at.
    block: u32,
}

impl Stripe {
    /// Nothing is open.
    pub fn new(shape: &Shape) -> Self {
        let units = Vec::with_capacity(shape.units() as usize);
        Stripe { line: None, units, next: 0, block: 0 }
    }

    /// The line that is open.
    pub fn line(&self) -> Option<LineId> {
        self.line
    }

    /// Opens a line.
    pub fn open(&mut self, line: LineId, units: impl Iterator<Item = Unit>) {
        self.units.clear();
        self.units.extend(units);
        (self.line, self.next, self.block) = (Some(line), 0, 0);
    }

    /// Where the next write goes; none if no line is open.
    pub fn spot(&self, shape: &Shape) -> Option<Spot> {
        let unit = *self.units.get(self.next)?;
        Some(Spot { unit, place: shape.place(self.line?, unit, self.block) })
    }

    /// The next write is sent. Returns the line if it was the last of it.
    pub fn advance(&mut self, shape: &Shape) -> Option<LineId> {
        self.next += 1;
        if self.next >= self.units.len() {
            self.next = 0;
            self.block += shape.write_blocks;
        }
        self.close_if_full(shape)
    }

    /// A chunk of the open line takes no more writes. Returns the line if none does.
    pub fn drop_unit(&mut self, shape: &Shape, unit: Unit) -> Option<LineId> {
        let at = self.units.iter().position(|&own| own == unit)?;
        self.units.remove(at);
        if at < self.next {
            self.next -= 1;
        } else if self.next >= self.units.len() {
            self.next = 0;
            self.block += shape.write_blocks;
        }
        self.close_if_full(shape)
    }

    fn close_if_full(&mut self, shape: &Shape) -> Option<LineId> {
        let is_full = self.units.is_empty() || self.block >= shape.chunk_blocks;
        if !is_full {
            return None;
        }
        self.units.clear();
        self.line.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::shape::tests::geometry;

    #[test]
    fn parallel_units_take_turns_and_one_that_drops_out_is_left_out() {
        let shape = Shape::new(&geometry()).unwrap();
        let mut stripe = Stripe::new(&shape);
        assert_eq!(stripe.spot(&shape), None);
        stripe.open(2, [0, 1, 3, 5].into_iter());
        let mut units = Vec::new();
        for _ in 0..3 {
            units.push(stripe.spot(&shape).unwrap().unit);
            assert_eq!(stripe.advance(&shape), None);
        }
        // One that was written in this turn, then the one whose turn it is, which ends the turn.
        assert_eq!(stripe.drop_unit(&shape, 1), None);
        assert_eq!(stripe.drop_unit(&shape, 4), None);
        assert_eq!(stripe.spot(&shape).unwrap().unit, 5);
        assert_eq!(stripe.drop_unit(&shape, 5), None);
        for unit in [0, 3] {
            let spot = Spot { unit, place: shape.place(2, unit, 8) };
            assert_eq!(stripe.spot(&shape), Some(spot));
            units.push(unit);
            let ended = stripe.advance(&shape);
            assert_eq!(ended, (unit == 3).then_some(2));
        }
        assert_eq!(units, [0, 1, 3, 0, 3]);
        assert_eq!((stripe.line(), stripe.spot(&shape)), (None, None));
    }

    #[test]
    fn a_line_of_which_every_chunk_drops_out_is_over() {
        let shape = Shape::new(&geometry()).unwrap();
        let mut stripe = Stripe::new(&shape);
        stripe.open(9, [2, 4].into_iter());
        assert_eq!(stripe.drop_unit(&shape, 4), None);
        assert_eq!(stripe.drop_unit(&shape, 2), Some(9));
        assert_eq!(stripe.drop_unit(&shape, 2), None);
    }
}
