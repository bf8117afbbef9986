//! Whole drives, driven by a plain host.

mod automated;
mod completers;
mod history;
mod hostile;
mod paths;
mod plain;
mod polling;
mod precondition;
mod queues;
mod storm;
mod torture;
