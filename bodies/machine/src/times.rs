//! What a drive tells of each command's time.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::{Cause, Part, Split};

/// Whether a drive keeps accounts of where each command's time goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accounts {
    /// It does.
    #[default]
    Kept,
    /// Nobody asks for them: [`CommandTimes::inside`] says nothing.
    None,
}

/// Where a command's time went, as far as the drive knows. Times are picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct CommandTimes {
    /// When its entry was fetched.
    pub fetched_ps: u64,
    /// When its completion was posted.
    pub posted_ps: u64,
    /// The time between both, unless nobody asks for it ([`Accounts`]).
    pub inside: Split,
    /// What a doorbell takes to the controller, and an interrupt to the host.
    pub latencies_ps: [u64; 2],
}

impl CommandTimes {
    /// Of a command of which nothing is told.
    pub const NONE: Self =
        CommandTimes { fetched_ps: 0, posted_ps: 0, inside: Split::NONE, latencies_ps: [0; 2] };

    /// All time that is not told yet, until `until_ps`, goes to a cause in the host interface.
    ///
    /// # Panics
    /// When more is told already.
    #[inline]
    pub fn charge(&mut self, cause: Cause, until_ps: u64) {
        assert!(until_ps >= self.posted_ps, "times are charged in their order");
        self.inside.add(Part::HostInterface, cause, until_ps - self.posted_ps);
        self.posted_ps = until_ps;
    }

    /// The whole time of a command that was submitted, and whose completion was seen, at these times:
    /// its causes add up to what lies between them. [`CommandTimes::inside`] has it from then on.
    ///
    /// # Panics
    /// When it was fetched before it was submitted, or seen before it was posted.
    #[inline]
    pub fn split(&mut self, submitted_ps: u64, seen_ps: u64) -> &Split {
        let [doorbell, interrupt] = self.latencies_ps;
        let (part, split) = (Part::HostInterface, &mut self.inside);
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
