//! Priority manager: which phase of those that wait on a channel is issued next, and for which way. Host DMA, the
//! highest priority of Table 2 of the Cosmos+ paper, has an engine of its own and is issued first. Each policy is a file
//! here and a row in `drive/contract/src/policies.rs`; docs/extending.md walks through one.

mod classes;

use contract::{Configuration, FlashOperation, PolicyKey, Settings};

pub use classes::{Class, Classes, Waiting};

use super::state::ChannelState;
use crate::chosen_policy::chosen_policy;

/// Chooses between classes of phases.
pub trait Policy: Sized {
    /// Keys of boards that are its own.
    const KEYS: &'static [PolicyKey] = &[];

    /// The policy of a drive, with the values of its keys.
    fn new(config: &Configuration, settings: &Settings) -> Self;

    /// Of some classes, at least one, of which a phase waits on a channel, the one that goes next. Called once for each
    /// phase. Ways for which one of the same class waits take turns.
    fn next(&mut self, waiting: Classes) -> Class;
}

macro_rules! dispatch_policies {
    ($($module:ident, $policy:ident, $word:literal, $what:literal;)*) => {
        chosen_policy! { priority, PriorityPolicy; $($module, $policy;)* }

        impl Chosen {
            /// As [`Policy::next`].
            #[inline]
            fn next(&mut self, waiting: Classes) -> Class {
                match self {
                    $(Chosen::$policy(policy) => policy.next(waiting),)*
                }
            }
        }
    };
}

contract::with_priority_policies!(dispatch_policies);

impl Chosen {
    /// The phase to issue next on a channel, and its way; the turn moves on, and its class is done with.
    #[inline]
    pub fn select(
        &mut self,
        channel: &mut ChannelState,
        left: &mut Classes,
    ) -> Option<(u32, FlashOperation)> {
        let classes = channel.waiting.classes().among(*left);
        if classes.is_empty() {
            return None;
        }
        let class = self.next(classes);
        left.remove(class);
        let ways = channel.waiting.of(class);
        let turn = u32::from(channel.turn[class as usize]);
        let from_turn = ways >> turn << turn;
        let way = if from_turn == 0 { ways } else { from_turn }.trailing_zeros();
        channel.turn[class as usize] = ((way + 1) & 63) as u8;
        Some((way, Class::OPERATIONS[class as usize]))
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
