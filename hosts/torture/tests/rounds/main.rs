//! Rounds of torture on boards that are known to be hard, and with planted bugs.

mod boards;
mod capacitor;
mod cores;
mod hangs;
mod histories;
mod paged;
mod parts;
mod planes;
mod planted;
mod power;
mod random;
mod seldom;
mod shipped;
mod storms;
mod strays;
mod units;
mod word_lines;
mod zoned;
