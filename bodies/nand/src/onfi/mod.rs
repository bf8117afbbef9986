//! Flash chips on their pins: the golden model that the hardware of a channel is tested against.
//!
//! A [`Chip`] is all LUNs behind one CE#, with the commands of ONFI 4.0 (and a few of JEDEC and of
//! makers, named where they are). It is told the levels of its pins whenever they change, and says
//! which ones it drives. It holds the host to the protocol and to the timing, and keeps a list of
//! [`Violation`]s.
//!
//! A [`SharedBus`] is several chips with a CE# and an R/B# each, and everything else in common.
//!
//! [`Array`](crate::Array) is not used: it knows pages as `contract` does, whole and without a
//! register in between.

mod cells;
mod chip;
mod command;
mod config;
mod execute;
mod identity;
mod lun;
mod operate;
mod pins;
mod reader;
mod row;
mod shared_bus;
mod silicon;
mod strobes;
mod timing;
mod transfer;
mod violation;
mod wires;

pub use chip::{Chip, Defect};
pub use config::{Config, Deviations, Errors, Identity, Times};
pub use pins::{Inputs, Outputs};
pub use row::{Row, RowLayout};
pub use shared_bus::{BusInputs, BusOutputs, SharedBus};
pub use timing::{Interface, Parameter, Timing};
pub use violation::{Fault, Violation};
