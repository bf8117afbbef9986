//! What a drive has been through before it was powered on: the part of the SMART log that outlasts power.

use contract::Duration;

/// Counts of the SMART log (NVMe 1.4 section 5.14.1.2) that are kept over power cycles. Whoever recovers a
/// drive reads them from where they were kept last and gives them to [`Manager::set_past`]; until then a
/// drive is as new.
///
/// [`Manager::set_past`]: super::Manager::set_past
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Lifetime {
    /// Times that power came, this one included.
    pub power_cycles: u64,
    /// Times that it went without a shutdown before.
    pub unsafe_shutdowns: u64,
    /// Minutes with power.
    pub powered_minutes: u64,
    /// Minutes with I/O commands under way.
    pub busy_minutes: u64,
    /// Sectors of 512 bytes that the host has read.
    pub sectors_read: u64,
    /// Sectors of 512 bytes that the host has written.
    pub sectors_written: u64,
    /// Read and Compare commands.
    pub reads: u64,
    /// Write commands.
    pub writes: u64,
}

/// How power went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum PowerOff {
    /// After a shutdown that was complete.
    AfterShutdown,
    /// Without one.
    Sudden,
}

impl Lifetime {
    /// A drive that has power for the first time.
    pub const NEW: Lifetime = Lifetime {
        power_cycles: 1,
        unsafe_shutdowns: 0,
        powered_minutes: 0,
        busy_minutes: 0,
        sectors_read: 0,
        sectors_written: 0,
        reads: 0,
        writes: 0,
    };

    /// Power has come again. `self` is what was kept last, which may be older than the end.
    pub fn powered_on(self, last: PowerOff) -> Self {
        let sudden = u64::from(last == PowerOff::Sudden);
        Lifetime {
            power_cycles: self.power_cycles.saturating_add(1),
            unsafe_shutdowns: self.unsafe_shutdowns.saturating_add(sudden),
            ..self
        }
    }

    /// What has been by now, with what came since power-on. What was kept came from flash: its sums are
    /// not trusted to stay below a limit.
    pub(super) fn with(self, since: &Since) -> Self {
        let minutes = |time: Duration| time.as_ps() / MINUTE.as_ps();
        Lifetime {
            powered_minutes: self.powered_minutes.saturating_add(minutes(since.powered)),
            busy_minutes: self.busy_minutes.saturating_add(minutes(since.busy)),
            sectors_read: self.sectors_read.saturating_add(since.sectors_read),
            sectors_written: self.sectors_written.saturating_add(since.sectors_written),
            reads: self.reads.saturating_add(since.reads),
            writes: self.writes.saturating_add(since.writes),
            ..self
        }
    }
}

const MINUTE: Duration = Duration::from_us(60_000_000);

/// What came since power-on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Since {
    pub powered: Duration,
    pub busy: Duration,
    pub sectors_read: u64,
    pub sectors_written: u64,
    pub reads: u64,
    pub writes: u64,
}
