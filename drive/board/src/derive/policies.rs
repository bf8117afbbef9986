//! From leaves to the policies that the firmware is to have.

use contract::{
    Chosen, PlacementPolicy, Policies, PriorityPolicy, ReplacementPolicy, Settings, StreamPolicy,
    VictimPolicy, WearPolicy,
};
use firmware::policies::KINDS;

use super::Derivation;

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
