//! What decides a run, from what somebody asked for or from a report, and the run itself.
//!
//! The program and the Python package ask for runs in the same words, [`Asked`]: a [`Recipe`] is what they come to, with
//! everything that a report has to say of them. What cannot be used, and a drive that fails, is a [`Failure`] of one line.

mod asked;
mod body;
mod drive;
mod failure;
mod jobs;
mod kept;
mod paired;
mod recipe;
mod replay;
mod seeds;
mod settings;

pub use asked::{Asked, AskedVictims, BESIDE_IMAGE};
pub use body::{Body, Processor};
pub use drive::{
    check_at_rest, check_drawn, number_of, open_snapshot, resolve, unused_values, Drive, Said,
    DEFAULT_BOARD,
};
pub use failure::{job_errors, Failure, INTERNAL_ERROR, STOPPED};
pub use jobs::{compose, from_options, from_text, name, parse, read_file, variable};
pub use kept::Kept;
pub use paired::paired;
pub use recipe::{board_origin, enough, kind, Keep, Program, Recipe};
pub use replay::{chosen_traces, open_traces, traces, traces_again};
pub use seeds::{figures_of_one, over_seeds, OtherSeeds, MOST_SEEDS};
pub use settings::settings;
