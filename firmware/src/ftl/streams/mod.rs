//! Which data share superblocks. Each way has an open superblock for new data, and may have another one for what
//! collection moves. Each policy is a file here and a row in `drive/contract/src/policies.rs`; docs/extending.md walks
//! through one.

mod room;

use contract::{Configuration, Lpn, PolicyKey, Settings};

use super::blocks::Stream;
use crate::chosen_policy::chosen_policy;

/// Chooses the superblock that new data go to.
pub trait Policy: Sized {
    /// Keys of boards that are its own.
    const KEYS: &'static [PolicyKey] = &[];

    /// Whether a way has a second open superblock, which what collection moves goes to.
    const APART: bool;

    /// The policy of a drive, with the values of its keys.
    fn new(config: &Configuration, settings: &Settings) -> Self;

    /// Where new data of a logical page, which are about to be placed, would best go. Called once for each page of
    /// flash, with the first of the logical pages that share it. Those that are for a superblock
    /// which has no page left go to the other one. `handle` is the placement handle that the host has said for them, 0 where it has
    /// said none.
    fn of_new(&mut self, lpn: Lpn, handle: u8) -> Stream;

    /// New data of these logical pages were placed in this order before, in the state that a drive starts from.
    fn came_before(&mut self, _lpns: impl Iterator<Item = Lpn>) {}
}

macro_rules! dispatch_policies {
    ($($module:ident, $policy:ident, $word:literal, $what:literal;)*) => {
        chosen_policy! { streams, StreamPolicy; $($module, $policy;)* }

        impl Chosen {
            /// Whether a drive of this configuration has two open superblocks a way.
            pub const fn is_apart_in(config: &Configuration) -> bool {
                match config.policies.streams.policy {
                    $(contract::StreamPolicy::$policy => $module::$policy::APART,)*
                }
            }

            /// Whether a way has two open superblocks.
            #[inline]
            pub const fn is_apart(&self) -> bool {
                match self {
                    $(Chosen::$policy(_) => $module::$policy::APART,)*
                }
            }

            /// As [`Policy::of_new`].
            #[inline]
            pub fn of_new(&mut self, lpn: Lpn, handle: u8) -> Stream {
                match self {
                    $(Chosen::$policy(policy) => policy.of_new(lpn, handle),)*
                }
            }

            /// As [`Policy::came_before`].
            pub fn came_before(&mut self, lpns: impl Iterator<Item = Lpn>) {
                match self {
                    $(Chosen::$policy(policy) => policy.came_before(lpns),)*
                }
            }
        }
    };
}

contract::with_stream_policies!(dispatch_policies);

pub(super) use room::{left_in_all, make_room_apart, stream_of_moves};
