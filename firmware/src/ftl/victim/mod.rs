//! Which superblock of a way is collected next. Each policy is a file here and a row in
//! `drive/contract/src/policies.rs`; docs/extending.md walks through one.

mod draws;
#[cfg(feature = "given-victims")]
mod given;

use contract::{Configuration, PolicyKey, Settings};

use super::blocks::Blocks;
use crate::chosen_policy::chosen_policy;

#[cfg(feature = "given-victims")]
pub use self::given::Chooser;

/// Chooses what is collected.
pub trait Policy: Sized {
    /// Keys of boards that are its own.
    const KEYS: &'static [PolicyKey] = &[];

    /// The policy of a drive, with the values of these keys.
    fn new(config: &Configuration, settings: &Settings) -> Self;

    /// The superblock of a way that is collected next: a closed one with an invalid mapping unit, of which the way
    /// has at least one. Called once for each collection. What it draws or counts is by way, since nothing
    /// else keeps the order in which ways come.
    fn choose(&mut self, way: &Way<'_>) -> u32;
}

/// What a policy sees of the way that is to be collected.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    blocks: &'a Blocks,
    die: u32,
    most_invalid: u32,
}

impl<'a> Way<'a> {
    /// A way whose closed superblocks have so many invalid mapping units at most.
    pub(super) fn new(blocks: &'a Blocks, die: u32, most_invalid: u32) -> Self {
        Way { blocks, die, most_invalid }
    }

    /// Its number in the drive, from 0.
    pub fn number(&self) -> u32 {
        self.die
    }

    /// Mapping units of a superblock.
    pub fn units(&self) -> u32 {
        self.blocks.superblock_units()
    }

    /// How many superblocks the way can have, of any role; their numbers are below.
    pub fn superblocks(&self) -> u32 {
        self.blocks.superblocks_per_way()
    }

    /// Most invalid mapping units of a closed superblock, 1 and up.
    pub fn most_invalid(&self) -> u32 {
        self.most_invalid
    }

    /// Of the closed superblocks with so many invalid mapping units, 1 and up, the one that did not change for the
    /// longest time: that lost none and took none.
    pub fn unchanged_longest(&self, invalid: u32) -> Option<u32> {
        self.blocks.unchanged_longest(self.die, invalid)
    }

    /// Invalid mapping units of a superblock; `None` if it is not closed.
    pub fn invalid(&self, superblock: u32) -> Option<u32> {
        self.blocks.invalid_of_closed(self.die, superblock)
    }

    /// How long ago a superblock last changed, in mapping units of the way that became invalid since.
    pub fn age(&self, superblock: u32) -> u64 {
        self.blocks.age(self.die, superblock)
    }

    /// Most erases of a block of a superblock.
    pub fn erases(&self, superblock: u32) -> u32 {
        self.blocks.worn(self.die, superblock)
    }

    /// The superblocks that can be chosen, at least one: those with the most invalid mapping units first, and of equals those
    /// that did not change for the longest time. It takes a look at each of them.
    pub fn choices(&self) -> impl Iterator<Item = u32> + '_ {
        let counts = (1..=self.most_invalid).rev();
        counts.flat_map(|invalid| self.blocks.with_invalid(self.die, invalid))
    }
}

macro_rules! dispatch_policies {
    ($($module:ident, $policy:ident, $word:literal, $what:literal;)*) => {
        chosen_policy! { victim, VictimPolicy; $($module, $policy;)* }

        impl Chosen {
            /// As [`Policy::choose`].
            pub fn choose(&mut self, way: &Way<'_>) -> u32 {
                match self {
                    $(Chosen::$policy(policy) => policy.choose(way),)*
                }
            }
        }
    };
}

contract::with_victim_policies!(dispatch_policies);

/// What chooses the victims of a drive. The state of a drive has the board's policy only, as no drive between two runs has
/// another.
#[derive(Clone, Debug)]
pub(crate) enum Victims {
    /// The policy that the board has chosen.
    Board(Chosen),
    /// Something outside of the firmware.
    #[cfg(feature = "given-victims")]
    Given(given::Given),
}

impl Victims {
    /// The policy that a board's configuration has chosen.
    pub fn new(config: &Configuration) -> Self {
        Victims::Board(Chosen::new(config))
    }

    /// This, in place of the board's policy.
    #[cfg(feature = "given-victims")]
    pub fn given(chooser: alloc::boxed::Box<dyn Chooser>) -> Self {
        Victims::Given(given::Given(chooser))
    }

    /// Whether victims are chosen outside of the firmware.
    pub fn are_given(&self) -> bool {
        !matches!(self, Victims::Board(_))
    }

    /// As [`Policy::choose`].
    pub fn choose(&mut self, way: &Way<'_>) -> u32 {
        match self {
            Victims::Board(chosen) => chosen.choose(way),
            #[cfg(feature = "given-victims")]
            Victims::Given(given) => given.0.choose(way),
        }
    }
}

#[cfg(feature = "state")]
impl borsh::BorshSerialize for Victims {
    fn serialize<W: borsh::io::Write>(&self, to: &mut W) -> borsh::io::Result<()> {
        match self {
            Victims::Board(chosen) => chosen.serialize(to),
            #[cfg(feature = "given-victims")]
            Victims::Given(_) => {
                let found = "victims that are chosen outside of the firmware";
                Err(borsh::io::Error::new(borsh::io::ErrorKind::InvalidInput, found))
            }
        }
    }
}

#[cfg(feature = "state")]
impl borsh::BorshDeserialize for Victims {
    fn deserialize_reader<R: borsh::io::Read>(from: &mut R) -> borsh::io::Result<Self> {
        Chosen::deserialize_reader(from).map(Victims::Board)
    }
}

pub(super) use greedy::emptiest;

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
