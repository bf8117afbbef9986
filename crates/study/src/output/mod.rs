//! What a study prints and writes.
