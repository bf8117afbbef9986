//! The drive with the firmware of the tutorial. One program: it is compiled once.

mod exercises;
mod hostile;
mod jobs;
mod power;
mod solutions;
mod tutorial;
