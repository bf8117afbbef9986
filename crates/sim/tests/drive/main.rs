//! Whole drives, driven by a plain host.

mod automated;
mod completers;
mod history;
mod hostile;
mod parts;
mod paths;
mod plain;
mod polling;
mod power;
mod precondition;
mod queues;
mod recovery;
mod smart;
mod storm;
mod storms;
mod torture;
