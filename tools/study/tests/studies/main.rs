//! Studies from their folder to their outcome, on the board `small`.

mod area;
mod beside;
mod calibration;
mod ceilings;
mod cells;
mod course;
mod exhibits;
mod faults;
mod fidelity_page;
mod flash;
mod folder;
mod patterns;
mod runs;
mod timelines;
