//! The whole firmware, from commands to flash, in a body without time.

mod ahead;
mod arrival;
mod bench;
mod body;
mod buffer;
mod channels;
mod durability;
mod hand_over;
mod hangs;
mod levels;
mod lost;
mod parts;
mod planes;
mod scheduling;
mod sizes;
mod turns;
mod wear;
