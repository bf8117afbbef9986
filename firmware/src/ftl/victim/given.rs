//! Victims that something outside of the firmware chooses: a function in Python, in a simulator. No board names it, and
//! no snapshot has it.

use alloc::boxed::Box;
use core::fmt::Debug;

use super::Way;

/// Chooses what is collected, in place of the policy of a board.
pub trait Chooser: Debug + Send + Sync {
    /// As [`super::Policy::choose`].
    fn choose(&mut self, way: &Way<'_>) -> u32;

    /// Another one that begins anew: for a copy of the drive.
    fn anew(&self) -> Box<dyn Chooser>;
}

/// What was given to a drive.
#[derive(Debug)]
pub struct Given(pub Box<dyn Chooser>);

impl Clone for Given {
    fn clone(&self) -> Self {
        Given(self.0.anew())
    }
}
