//! From leaves to the policies that the firmware is to have.

use contract::{
    Chosen, PlacementPolicy, Policies, PriorityPolicy, ReplacementPolicy, Settings, StreamPolicy,
    VictimPolicy, WearPolicy,
};
use firmware::policies::KINDS;

use super::Derivation;
use crate::BoardError;

impl Derivation<'_> {
    /// What the board has chosen of each kind.
    pub(super) fn policies(&self) -> Policies {
        Policies {
            victim: self.policy("victim", VictimPolicy::ALL),
            streams: self.policy("streams", StreamPolicy::ALL),
            wear: self.policy("wear", WearPolicy::ALL),
            placement: self.policy("placement", PlacementPolicy::ALL),
            priority: self.policy("priority", PriorityPolicy::ALL),
            replacement: self.policy("replacement", ReplacementPolicy::ALL),
        }
    }

    /// Each placement handle has an open superblock in every way, and so has what collection moves. A way has to have as many superblocks
    /// `for_data` beyond those of its share of the logical pages.
    pub(super) fn check_handles(&self, for_data: u64, logical: u64) -> Result<(), BoardError> {
        let Chosen { policy, settings } = self.policy("streams", StreamPolicy::ALL);
        let most = for_data.saturating_sub(logical).saturating_sub(1);
        if policy != StreamPolicy::ByHandle || settings.0[0] <= most {
            return Ok(());
        }
        let expected = format!(
            "at most {most}, as a way has {} superblocks beyond those of its logical pages, and one is for what collection moves",
            most + 1
        );
        Err(self.contradiction("ftl.streams_handles", expected))
    }

    /// The policy of a kind, with the values of its own keys.
    fn policy<P: Copy>(&self, name: &str, all: &[P]) -> Chosen<P> {
        let kind = KINDS.iter().find(|kind| kind.name == name).expect("a kind of policy");
        let number = self.u64(kind.key) as usize;
        let mut settings = Settings::of([]);
        for (key, value) in kind.keys[number].iter().zip(&mut settings.0) {
            *value = self.u64(&format!("{}{}", kind.prefix, key.name));
        }
        Chosen { policy: all[number], settings }
    }
}
