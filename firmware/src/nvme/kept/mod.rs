//! What the NVMe manager keeps of the controller from command to command. What it does with it stands in the files beside this folder.

pub(super) mod control;
pub(super) mod events;
pub(super) mod features;
pub(super) mod format;
pub(super) mod lifecycle;
pub(super) mod logs;
pub(super) mod placement;
