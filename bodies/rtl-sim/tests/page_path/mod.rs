//! Pages between buffer and bus, against `drive/ecc`.

mod bus;
pub mod golden;
mod mixes;
mod pages;
mod rig;
mod stalls;
