//! The array, and chips on their pins. One program: it is linked once.

mod cells;
mod chips;
mod contents;
mod faults;
mod image;
mod onfi;
mod planes;
mod power;
mod rules;
mod strays;
mod timing;
mod word_lines;
