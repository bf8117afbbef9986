//! Random mixes.
