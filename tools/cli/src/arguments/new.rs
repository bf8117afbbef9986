//! What `new` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

const NEW_EXAMPLES: &str = "\
Works in a clone of Firmament's repository. The new policy is a copy of one that is there, with tests, and
is the drive's as soon as a board names it; docs/extending.md goes on from there.

Examples:
  firmament new policy oldest --kind victim
  firmament new policy my-cache --kind replacement --dir ~/firmament";

/// What `new` is to make.
#[derive(Args, Debug)]
#[command(display_name = "firmament", after_help = NEW_EXAMPLES)]
pub struct MakeNewArguments {
    /// What to make.
    #[command(subcommand)]
    pub action: NewAction,
}

/// What `new` makes.
#[derive(Debug, Subcommand)]
pub enum NewAction {
    /// Makes a policy of the firmware: its file, its row, its tests, and a study that compares it
    #[command(display_name = "firmament", after_help = NEW_EXAMPLES)]
    Policy(NewPolicyArguments),
}

/// What kind of policy `new policy` makes, under which name, and where.
#[derive(Args, Debug)]
pub struct NewPolicyArguments {
    /// The name that boards use: small letters and digits, words joined by -
    pub name: String,
    /// What it decides
    #[arg(long, value_enum)]
    pub kind: PolicyKind,
    /// The clone of the repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// What a policy decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PolicyKind {
    /// Which superblock is collected next
    Victim,
    /// Which superblock of a way data go to
    Streams,
    /// Which superblock is emptied for the sake of wear
    Wear,
    /// Which way new data go to
    Placement,
    /// Which phase is issued next
    Priority,
    /// Which entry of the data buffer is given away next
    #[value(alias = "cache")]
    Replacement,
}
