//! Write amplification against published models of it: how much more than the host writes is programmed in the long
//! run, under each policy of collection.

mod drawn;
mod drive;
mod longest;
mod models;
mod published;
mod streams;
