//! Whole drives, driven by a plain host.

mod aging;
mod automated;
mod bad_blocks;
mod completers;
mod copies;
mod cores;
mod drawn;
mod ends;
mod hostile;
mod open_channel;
mod own_times;
mod parts;
mod paths;
mod polling;
mod precondition;
mod queues;
mod recovery;
mod smart;
mod status_polls;
mod suspension;
mod units;
mod word_lines;
mod zoned;
