//! Priority manager: which way of a channel goes next (Cosmos+ table 2), round robin among equals.
//! Host DMA, the highest priority of the table, has an engine of its own and is issued first.

use contract::FlashOperation;

use super::state::ChannelState;

/// Priority classes of flash operations, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Beyond the table: a chip that hung is reset.
    Reset,
    /// Priority 1.
    StatusCheck,
    /// Priority 2.
    ReadTrigger,
    /// Priority 3.
    Erase,
    /// Priority 4.
    Program,
    /// Priority 5.
    ReadTransfer,
}

impl Class {
    /// Number of classes.
    pub const COUNT: usize = 6;

    const OPERATIONS: [FlashOperation; Class::COUNT] = [
        FlashOperation::Reset,
        FlashOperation::StatusCheck,
        FlashOperation::ReadTrigger,
        FlashOperation::Erase,
        FlashOperation::Program,
        FlashOperation::ReadTransfer,
    ];

    /// The class of an operation.
    pub const fn of(operation: FlashOperation) -> Class {
        match operation {
            FlashOperation::Reset => Class::Reset,
            FlashOperation::StatusCheck => Class::StatusCheck,
            FlashOperation::ReadTrigger | FlashOperation::SetLevel => Class::ReadTrigger,
            FlashOperation::Erase => Class::Erase,
            FlashOperation::Program => Class::Program,
            FlashOperation::ReadTransfer => Class::ReadTransfer,
        }
    }
}

/// Classes of which a phase may still be issued in this look at a channel.
///
/// As in the public firmware of Cosmos+, a look issues one phase of each class at most: while a channel's
/// requests run, the processor has others to see to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classes(u8);

impl Classes {
    /// All of them.
    pub const fn all() -> Classes {
        Classes((1 << Class::COUNT) - 1)
    }

    const fn has(self, class: usize) -> bool {
        self.0 >> class & 1 == 1
    }
}

/// The phase to issue next on a channel, and its way; the turn moves on, and its class is done with.
pub fn select(channel: &mut ChannelState, left: &mut Classes) -> Option<(u32, FlashOperation)> {
    let waits = |class: &usize| left.has(*class) && channel.waiting[*class] != 0;
    let class = (0..Class::COUNT).find(waits)?;
    left.0 &= !(1 << class);
    let ways = channel.waiting[class];
    let turn = u32::from(channel.turn[class]);
    let from_turn = ways >> turn << turn;
    let way = if from_turn == 0 { ways } else { from_turn }.trailing_zeros();
    channel.turn[class] = ((way + 1) & 63) as u8;
    Some((way, Class::OPERATIONS[class]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sched::state::States;
    use contract::Geometry;

    fn channel() -> ChannelState {
        let geometry = Geometry {
            channels: 1,
            ways: 8,
            blocks_per_way: 4,
            pages_per_block: 4,
            page_bytes: 4096,
        };
        States::new(geometry).channels[0]
    }

    #[test]
    fn classes_go_in_the_order_of_table_2() {
        let mut c = channel();
        for ways in &mut c.waiting {
            *ways = 0b1;
        }
        let mut order = alloc::vec::Vec::new();
        while let Some((way, operation)) = select(&mut c, &mut Classes::all()) {
            c.waiting[Class::of(operation) as usize] &= !(1 << way);
            order.push(operation);
        }
        assert_eq!(order, Class::OPERATIONS);
    }

    #[test]
    fn a_look_issues_one_of_each_class_at_most() {
        let mut c = channel();
        c.waiting[Class::ReadTrigger as usize] = 0b110;
        c.waiting[Class::ReadTransfer as usize] = 0b1001;
        let mut left = Classes::all();
        assert_eq!(select(&mut c, &mut left), Some((1, FlashOperation::ReadTrigger)));
        assert_eq!(select(&mut c, &mut left), Some((0, FlashOperation::ReadTransfer)));
        assert_eq!(select(&mut c, &mut left), None, "ways wait, and have had their turn");
        assert_eq!(select(&mut c, &mut Classes::all()), Some((2, FlashOperation::ReadTrigger)));
    }

    #[test]
    fn equals_of_every_class_take_turns() {
        for class in 0..Class::COUNT {
            let mut c = channel();
            c.waiting[class] = 0b1000_0101;
            let ways: [u32; 5] =
                core::array::from_fn(|_| select(&mut c, &mut Classes::all()).expect("ways wait").0);
            assert_eq!(ways, [0, 2, 7, 0, 2], "{:?}", Class::OPERATIONS[class]);
        }
    }

    #[test]
    fn the_turn_goes_from_the_last_of_64_ways_to_the_first() {
        let mut c = channel();
        c.waiting[Class::ReadTransfer as usize] = 1 << 63 | 1;
        let ways: [u32; 4] =
            core::array::from_fn(|_| select(&mut c, &mut Classes::all()).expect("ways wait").0);
        assert_eq!(ways, [0, 63, 0, 63]);
    }
}
