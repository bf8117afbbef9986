//! Classes of phases, and the ways of a channel for which one waits.

use contract::FlashOperation;

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

    pub(super) const OPERATIONS: [FlashOperation; Class::COUNT] = [
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Classes(u8);

impl Classes {
    /// All of them.
    pub const fn all() -> Classes {
        Classes(u8::MAX >> (8 - Class::COUNT))
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a class is among them.
    #[inline]
    pub const fn has(self, class: Class) -> bool {
        self.0 >> class as u8 & 1 != 0
    }

    /// The first of them in the order of Table 2, if there is any.
    #[inline]
    pub const fn first(self) -> Option<Class> {
        if self.0 == 0 {
            return None;
        }
        Some(Class::ALL[self.0.trailing_zeros() as usize])
    }

    /// The classes of this set that are in `others` as well.
    #[inline]
    pub const fn among(self, others: Classes) -> Classes {
        Classes(self.0 & others.0)
    }

    /// One less.
    #[inline]
    pub fn remove(&mut self, class: Class) {
        self.0 &= !(1 << class as u8);
    }
}

/// Ways of a channel for which a phase waits to be issued, a bit each, by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Waiting {
    ways: [u64; Class::COUNT],
    /// Classes with a way.
    classes: Classes,
}

impl Waiting {
    /// A phase of a class waits for these ways.
    #[inline]
    pub fn add(&mut self, class: Class, ways: u64) {
        self.ways[class as usize] |= ways;
        self.classes.0 |= u8::from(ways != 0) << class as u8;
    }

    /// None of a class waits for these ways any more.
    #[inline]
    pub fn remove(&mut self, class: Class, ways: u64) {
        let left = &mut self.ways[class as usize];
        *left &= !ways;
        self.classes.0 &= !(u8::from(*left == 0) << class as u8);
    }

    /// The ways that a phase of a class waits for.
    pub fn of(&self, class: Class) -> u64 {
        self.ways[class as usize]
    }

    /// Classes of which a phase waits.
    #[inline]
    pub fn classes(&self) -> Classes {
        self.classes
    }

    /// Whether no phase waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }
}
