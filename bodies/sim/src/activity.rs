//! What the hardware has done by a moment, for the operation monitor.
//!
//! An operation is booked when it starts, up to its end. Here only what lies before the moment
//! counts, so that the differences between two moments are what happened between them.

use contract::Module;

use crate::channel::Channel;
use crate::scheduled::Scheduled;

/// Counters since power-on, and levels at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The processor's time, in picoseconds.
    pub now_ps: u64,
    /// Channels, in order.
    pub channels: Vec<ChannelActivity>,
    /// Time spent by each module of the firmware but for idle polls, in the order of [`Module::ALL`]; of several cores,
    /// their mean.
    pub module_ps: [u64; Module::ALL.len()],
    /// Time of idle polls, turns of the main loop that found nothing; of several cores, their mean.
    pub idle_ps: u64,
    /// MSI-X messages sent.
    pub interrupts: u64,
    /// Commands in the drive: fetched, and their completion not posted.
    pub commands: u32,
}

/// What one channel has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelActivity {
    /// Time that its bus was in use, in picoseconds.
    pub bus_ps: u64,
    /// Time that each way's chip was busy, in picoseconds.
    pub ways_ps: Vec<u64>,
    /// Pages transferred from chips.
    pub pages_read: u64,
    /// Pages transferred to chips.
    pub pages_programmed: u64,
}

impl ChannelActivity {
    /// All channels, whichever of both they are.
    pub(crate) fn all(channels: &[Channel], scheduled: Option<&Scheduled>, now: u64) -> Vec<Self> {
        match scheduled {
            Some(scheduled) => scheduled.activity(now),
            None => channels.iter().map(|channel| ChannelActivity::of(channel, now)).collect(),
        }
    }

    fn of(channel: &Channel, now: u64) -> Self {
        let [pages_read, pages_programmed] = channel.pages;
        ChannelActivity {
            bus_ps: channel.bus_used(now),
            ways_ps: channel.way_used(now),
            pages_read,
            pages_programmed,
        }
    }
}
