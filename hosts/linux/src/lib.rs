//! Linux in user mode on the drive, in the drive's virtual time.
//!
//! An unmodified Linux boots as a process of this machine. Its clock is the drive's, and its NVMe driver meets the drive's own PCI
//! function: [`run`] powers a drive on, starts the process and lets both live until the guest powers off. The same
//! board, script and seed give the same bytes on any machine.
//!
//! [`TimeLink`] shares the clock, [`VirtioLink`] carries the driver's accesses to a [`Port`], [`PciFunction`] answers them, and [`Guest`] is
//! the host that the drive's body wakes; further drives are part of it. A module of the guest's kernel tells of its programs in a [`Page`], of which [`Accounts`] are kept.
#![cfg(target_os = "linux")]

mod accounts;
mod calibration;
mod charges;
mod driver_times;
mod end;
mod function;
mod further;
mod guest;
mod kernel;
mod measures;
mod page;
mod pinned;
mod port;
mod process;
mod ring;
mod run;
mod time_link;
mod vhost;
mod waiting;
mod watch;

pub use accounts::{Accounts, WalkedCall};
pub use calibration::{Calibration, Partner};
pub use charges::Charges;
pub use driver_times::DriverTimes;
pub use end::End;
pub use function::{Answer, PciFunction};
pub use guest::Guest;
pub use kernel::Kernel;
pub use measures::Measures;
pub use page::{Call, Page, Task};
pub use pinned::Pinned;
pub use port::Port;
pub use process::{check_root, Process, Told, World};
pub use ring::{Part, Ring};
pub use run::{run, run_on, Asked, Cut, Fault, Outcome, Setup};
pub use time_link::{Clock, Scheduling, TimeLink};
pub use vhost::{Notice, VirtioLink};
pub use watch::{CommandTrace, Watchers};
