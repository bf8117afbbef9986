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
