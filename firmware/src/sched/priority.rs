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
    /// Beyond the table: a program or an erase makes room for a read.
    Suspend,
    /// Priority 2.
    ReadTrigger,
    /// Priority 3.
    Erase,
    /// Priority 4.
    Program,
    /// Priority 5.
    ReadTransfer,
    /// Beyond the table: it goes on when its channel has nothing else to do.
    Resume,
}

impl Class {
    /// Number of classes.
    pub const COUNT: usize = 8;

    /// Every class, in the order of their discriminants.
    pub const ALL: [Class; Class::COUNT] = [
        Class::Reset,
        Class::StatusCheck,
        Class::Suspend,
        Class::ReadTrigger,
        Class::Erase,
        Class::Program,
        Class::ReadTransfer,
        Class::Resume,
    ];

    const OPERATIONS: [FlashOperation; Class::COUNT] = [
        FlashOperation::Reset,
        FlashOperation::StatusCheck,
        FlashOperation::Suspend,
        FlashOperation::ReadTrigger,
        FlashOperation::Erase,
        FlashOperation::Program,
        FlashOperation::ReadTransfer,
        FlashOperation::Resume,
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
            FlashOperation::Suspend => Class::Suspend,
            FlashOperation::Resume => Class::Resume,
        }
    }
}

/// Classes of which a phase may still be issued in this look at a channel.
///
/// As in the public firmware of Cosmos+, a look issues one phase of each class at most: while a channel's
/// requests run, the processor has others to see to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Classes(u8);

impl Classes {
    /// All of them.
    pub const fn all() -> Classes {
        Classes(u8::MAX >> (8 - Class::COUNT))
    }
}

/// Ways of a channel for which a phase waits to be issued, a bit each, by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Waiting {
    ways: [u64; Class::COUNT],
    /// Classes with a way, a bit each.
    classes: u8,
}

impl Waiting {
    /// A phase of a class waits for these ways.
    #[inline]
    pub fn add(&mut self, class: Class, ways: u64) {
        self.ways[class as usize] |= ways;
        self.classes |= u8::from(ways != 0) << class as u8;
    }

    /// None of a class waits for these ways any more.
    #[inline]
    pub fn remove(&mut self, class: Class, ways: u64) {
        let left = &mut self.ways[class as usize];
        *left &= !ways;
        self.classes &= !(u8::from(*left == 0) << class as u8);
    }

    /// The ways that a phase of a class waits for.
    pub fn of(&self, class: Class) -> u64 {
        self.ways[class as usize]
    }

    /// Whether no phase waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.classes == 0
    }
}

/// The phase to issue next on a channel, and its way; the turn moves on, and its class is done with.
pub fn select(channel: &mut ChannelState, left: &mut Classes) -> Option<(u32, FlashOperation)> {
    let classes = channel.waiting.classes & left.0;
    if classes == 0 {
        return None;
    }
    let class = classes.trailing_zeros() as usize;
    left.0 &= !(1 << class);
    let ways = channel.waiting.ways[class];
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
        Class::ALL.iter().for_each(|&class| c.waiting.add(class, 0b1));
        let mut order = alloc::vec::Vec::new();
        while let Some((way, operation)) = select(&mut c, &mut Classes::all()) {
            c.waiting.remove(Class::of(operation), 1 << way);
            order.push(operation);
        }
        assert_eq!(order, Class::OPERATIONS);
        assert!(c.waiting.is_empty());
    }

    #[test]
    fn a_look_issues_one_of_each_class_at_most() {
        let mut c = channel();
        c.waiting.add(Class::ReadTrigger, 0b110);
        c.waiting.add(Class::ReadTransfer, 0b1001);
        let mut left = Classes::all();
        assert_eq!(select(&mut c, &mut left), Some((1, FlashOperation::ReadTrigger)));
        assert_eq!(select(&mut c, &mut left), Some((0, FlashOperation::ReadTransfer)));
        assert_eq!(select(&mut c, &mut left), None, "ways wait, and have had their turn");
        assert_eq!(select(&mut c, &mut Classes::all()), Some((2, FlashOperation::ReadTrigger)));
    }

    #[test]
    fn equals_of_every_class_take_turns() {
        for class in Class::ALL {
            let mut c = channel();
            c.waiting.add(class, 0b1000_0101);
            let ways: [u32; 5] =
                core::array::from_fn(|_| select(&mut c, &mut Classes::all()).expect("ways wait").0);
            assert_eq!(ways, [0, 2, 7, 0, 2], "{class:?}");
        }
    }

    #[test]
    fn the_turn_goes_from_the_last_of_64_ways_to_the_first() {
        let mut c = channel();
        c.waiting.add(Class::ReadTransfer, 1 << 63 | 1);
        let ways: [u32; 4] =
            core::array::from_fn(|_| select(&mut c, &mut Classes::all()).expect("ways wait").0);
        assert_eq!(ways, [0, 63, 0, 63]);
    }
}
