//! What a drive tells of each command's time.

use contract::{Cause, Part, Split};

/// Where a command's time went, as far as the drive knows. Times are picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandTimes {
    /// When its entry was fetched.
    pub fetched_ps: u64,
    /// When its completion was posted.
    pub posted_ps: u64,
    /// The time between both.
    pub inside: Split,
    /// What a doorbell takes to the controller, and an interrupt to the host.
    pub latencies_ps: [u64; 2],
}

impl CommandTimes {
    /// The whole time of a command that was submitted, and whose completion was seen, at these times:
    /// its causes add up to what lies between them.
    ///
    /// # Panics
    /// When it was fetched before it was submitted, or seen before it was posted.
    pub fn split(&self, submitted_ps: u64, seen_ps: u64) -> Split {
        let [doorbell, interrupt] = self.latencies_ps;
        let (part, mut split) = (Part::HostInterface, self.inside);
        let before = self.fetched_ps - submitted_ps;
        split.add(part, Cause::HostLink, before.min(doorbell));
        split.add(part, Cause::Fetch, before.saturating_sub(doorbell));
        let after = seen_ps - self.posted_ps;
        split.add(part, Cause::HostLink, after.min(interrupt));
        split.add(part, Cause::Host, after.saturating_sub(interrupt));
        assert_eq!(split.total(), seen_ps - submitted_ps, "the causes of a command's time add up");
        split
    }
}
