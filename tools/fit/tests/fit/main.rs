//! A known drive is measured, and its keys are found again from another board.

mod drive;
mod errors;
mod recovery;
mod reports;
mod steered;
mod verdicts;
