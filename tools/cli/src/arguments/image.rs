//! What `image` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::run::{PayloadKind, PreconditionKind};
use super::values::{assignment, seed};

const IMAGE_EXAMPLES: &str = "\
Examples:
  firmament image new drive.img cosmos-plus-log --set geometry.blocks_per_way=1024
  firmament image info drive.img
  firmament image check drive.img
  firmament image convert disk.raw drive.img cosmos-plus-log
  firmament image convert drive.img disk.raw

convert powers the drive of an image on, and so counts a power cycle of it.";

/// What `image` is to do with drives in files.
#[derive(Args, Debug)]
#[command(display_name = "firmament", after_help = IMAGE_EXAMPLES)]
pub struct ImageArguments {
    /// What to do.
    #[command(subcommand)]
    pub action: ImageAction,
}

/// A command of `image`.
#[derive(Debug, Subcommand)]
pub enum ImageAction {
    /// Prints what drive a file holds; also while the drive is in use
    #[command(display_name = "firmament")]
    Info {
        /// The image
        file: PathBuf,
    },
    /// Looks at every checksum of an image
    #[command(display_name = "firmament")]
    Check {
        /// The image
        file: PathBuf,
    },
    /// Makes a new drive
    #[command(display_name = "firmament")]
    New(NewArguments),
    /// Reads a drive into a raw disk image, or writes a raw disk image to a new drive; the raw image is the one
    /// that is no drive image
    #[command(display_name = "firmament")]
    Convert {
        /// What is there
        #[arg(value_name = "FROM")]
        from: PathBuf,
        /// The new drive, if FROM is raw; else the raw image
        #[command(flatten)]
        to: NewArguments,
    },
}

/// A new drive in a file.
#[derive(Args, Debug)]
pub struct NewArguments {
    /// The file that is written
    pub file: PathBuf,
    /// A name that `firmament boards` lists, or a path that ends in .toml; of a board with a log
    pub board: Option<String>,
    /// Replaces a value of the board; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub overrides: Vec<(String, String)>,
    /// Seed of the drive's chips; 1 if absent
    #[arg(long, value_parser = seed)]
    pub seed: Option<u64>,
    /// What stands for user data; full if absent
    #[arg(long, value_enum, value_name = "KIND")]
    pub payload: Option<PayloadKind>,
    /// What the drive holds; none if absent
    #[arg(long, value_enum, value_name = "STATE")]
    pub precondition: Option<PreconditionKind>,
}
