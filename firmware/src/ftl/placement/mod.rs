//! Which way new data go to. Each policy is a file here and a row in `drive/contract/src/policies.rs`;
//! docs/extending.md walks through one.

use contract::{Configuration, Geometry, PolicyKey, Settings};

use super::moves::Moves;
use crate::chosen_policy::chosen_policy;

/// Chooses the way that takes new data.
pub trait Policy: Sized {
    /// Keys of boards that are its own.
    const KEYS: &'static [PolicyKey] = &[];

    /// The order in which ways come if nothing but their number decides: a drive that is filled before a run needs no
    /// writes then. `None` where it is another one.
    const ORDER: Option<Order> = None;

    /// The policy of a drive, with the values of its keys.
    fn new(config: &Configuration, settings: &Settings) -> Self;

    /// The way (die index) for a page of new data. Called once for each page. A way in which no page can be gained is
    /// passed over, and the ones behind it are asked in turn.
    fn next<M: Moves>(&mut self, ways: &Ways<'_, M>) -> u32;

    /// So many pages were placed before, in the state that a drive starts from.
    fn came_before(&mut self, _pages: u64) {}
}

/// An order of ways by their number alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Order {
    /// The channel counts up first, then the way.
    ChannelFirst,
    /// The way counts up first, then the channel.
    WayFirst,
}

impl Order {
    /// The way of the nth placement.
    #[inline]
    pub const fn way(self, g: &Geometry, nth: u64) -> u32 {
        let n = (nth % g.dies() as u64) as u32;
        match self {
            Order::ChannelFirst => n,
            Order::WayFirst => (n % g.ways) * g.channels + n / g.ways,
        }
    }

    /// The inverse of [`Order::way`] within one turn over all ways.
    #[inline]
    pub const fn turn_of(self, g: &Geometry, die: u32) -> u32 {
        match self {
            Order::ChannelFirst => die,
            Order::WayFirst => (die % g.channels) * g.ways + die / g.channels,
        }
    }
}

/// What a policy sees of the ways of a drive.
#[derive(Debug)]
pub struct Ways<'a, M> {
    geometry: &'a Geometry,
    moves: &'a M,
}

impl<'a, M: Moves> Ways<'a, M> {
    /// All ways, whose queues these moves go to.
    pub(super) fn new(geometry: &'a Geometry, moves: &'a M) -> Self {
        Ways { geometry, moves }
    }

    /// The array that they make up.
    pub fn geometry(&self) -> &Geometry {
        self.geometry
    }

    /// Ways of a channel that have nothing to do, a bit a way.
    pub fn idle(&self, channel: u32) -> u64 {
        self.moves.idle_ways(channel as usize) & (u64::MAX >> (64 - self.geometry.ways))
    }
}

macro_rules! dispatch_policies {
    ($($module:ident, $policy:ident, $word:literal, $what:literal;)*) => {
        chosen_policy! { placement, PlacementPolicy; $($module, $policy;)* }

        impl Chosen {
            /// As [`Policy::ORDER`].
            pub fn order(&self) -> Option<Order> {
                match self {
                    $(Chosen::$policy(_) => $module::$policy::ORDER,)*
                }
            }

            /// As [`Policy::next`].
            #[inline]
            pub fn next<M: Moves>(&mut self, ways: &Ways<'_, M>) -> u32 {
                match self {
                    $(Chosen::$policy(policy) => policy.next(ways),)*
                }
            }

            /// As [`Policy::came_before`].
            pub fn came_before(&mut self, pages: u64) {
                match self {
                    $(Chosen::$policy(policy) => policy.came_before(pages),)*
                }
            }
        }
    };
}

contract::with_placement_policies!(dispatch_policies);
