//! Chips on their pins: each command, each rule, and what happens when a rule is broken.

mod caches;
mod commands;
mod faults;
mod host;
mod protocol;
mod registers;
mod shared_bus;
mod timing;
