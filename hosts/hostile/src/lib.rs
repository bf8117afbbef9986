//! A hostile host, made of bytes. Each target reads bytes as what a host does, lets a small drive in virtual
//! time bear it, and then asks for what must hold whatever was done:
//!
//! - nothing panics, and the drive comes to rest within a bounded number of turns;
//! - it touches no memory but what the host gave, and none at all while the controller is disabled;
//! - what it could not reach is told: by a status, or by CSTS.CFS;
//! - a controller reset brings a drive that writes and reads right.
//!
//! The same functions are called by the fuzzer (`fuzz/`), by the replay of its corpus and by proptest.

mod bits;
mod commands;
mod doorbells;
mod house;
mod input;
mod kept;
#[cfg(test)]
mod kept_tests;
mod memory;
#[cfg(target_os = "linux")]
mod next_client;
#[cfg(test)]
mod planted;
mod prps;
#[cfg(test)]
mod reach_tests;
mod registers;
#[cfg(target_os = "linux")]
mod vfio_user;

pub use house::{Body, House};
pub use memory::{Gate, Memory};

/// What a hostile host does with a drive of any body; bytes say what in particular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hostility {
    /// Writes and reads registers.
    Registers,
    /// Rings doorbells over queues that come and go.
    Doorbells,
    /// Sends commands.
    Commands,
}

impl Hostility {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Registers, Self::Doorbells, Self::Commands];

    /// Has a host do what the bytes say.
    ///
    /// # Panics
    /// When the drive does not come to rest.
    pub fn act<B: Body>(self, house: &mut House<B>, bytes: &[u8]) {
        match self {
            Self::Registers => registers::act(house, bytes),
            Self::Doorbells => doorbells::act(house, bytes),
            Self::Commands => commands::act(house, bytes),
        }
    }
}

/// A target: any bytes will do.
pub type Target = fn(&[u8]);

/// All targets by name; the folders of the corpus have the same names.
pub const TARGETS: &[(&str, Target)] = &[
    ("registers", registers::survives),
    ("doorbells", doorbells::survives),
    ("commands", commands::survives),
    ("prps", prps::survives),
    #[cfg(target_os = "linux")]
    ("vfio_user", vfio_user::survives),
];

/// The target of a name.
///
/// # Panics
/// When there is none.
pub fn target(name: &str) -> Target {
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    found.map(|&(_, target)| target).expect("the name of a target")
}
