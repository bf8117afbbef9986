//! Pages between buffer and bus, against `crates/ecc`.

mod bus;
mod golden;
mod mixes;
mod pages;
mod rig;
mod stalls;
