//! Arguments of `reference`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Which tables `reference` prints or writes.
#[derive(Args, Debug)]
#[command(display_name = "firmament")]
pub struct ReferenceArguments {
    /// Of what.
    #[command(subcommand)]
    pub subject: Subject,
}

/// What there is a reference of.
#[derive(Debug, Subcommand)]
pub enum Subject {
    /// Keys of board files
    BoardKeys {
        /// A section; or KEY.. for those from a key to the end of its section, or ..KEY for those up to it
        section: String,
    },
    /// Options of fio, by what becomes of them
    FioOptions {
        /// What becomes of them
        state: OptionState,
    },
    /// Fields of JSON reports
    ReportFields,
    /// Writes what these commands print into pages, between the lines that name them
    Into {
        /// Pages of the documentation
        #[arg(value_name = "PAGE.md", required = true)]
        pages: Vec<PathBuf>,
    },
}

/// What becomes of an option of fio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OptionState {
    /// The run acts on it
    Honoured,
    /// It changes nothing here
    Ignored,
    /// It ends the run, but for some values
    Refused,
}
