//! The BCH codec of `rtl/ecc` against the golden model of `drive/ecc`, bit for bit.

mod chunk;
mod decoder;
mod encoder;
mod statistics;
mod strengths;
mod throughput;
mod vectors;
