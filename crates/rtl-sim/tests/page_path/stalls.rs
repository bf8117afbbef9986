//! A buffer that stands still.
