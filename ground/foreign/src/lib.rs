//! What comes from outside: files that are read up to a limit, and strings of them that people see.
//!
//! A file that somebody names may be a device without an end, and a string in it may hold what moves a terminal's cursor, asks
//! it for answers or turns a line around. Each file is therefore read by [`input`], and each text is written by [`Shown`] or
//! as [`one_line`].

pub mod input;
mod shown;

pub use shown::{error_line, one_line, whole_line, Shown};
