//! Which block is collected next: the policies that a board can choose from, by name.

/// Calls a macro with one row for each policy: the module of the firmware that holds it
/// (`firmware/src/ftl/victim/`), its type there, the word that boards use, and what it does. A row is all
/// that a new policy needs beside its file.
#[macro_export]
macro_rules! with_victim_policies {
    ($then:ident) => {
        $then! {
            greedy, Greedy, "greedy", "The most invalid pages.";
            cost_benefit, CostBenefit, "cost-benefit", "Most age times invalid by valid pages.";
            d_choices, DChoices, "d-choices", "The most invalid pages of some drawn at random.";
            random, Random, "random", "Any with an invalid page, at random.";
        }
    };
}

macro_rules! name_policies {
    ($($module:ident, $policy:ident, $word:literal, $what:literal;)*) => {
        /// How a way chooses what it collects.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
        pub enum VictimPolicy {
            $(#[doc = $what] $policy,)*
        }

        impl VictimPolicy {
            /// All of them, in the order of [`VictimPolicy::WORDS`].
            pub const ALL: &'static [VictimPolicy] = &[$(VictimPolicy::$policy),*];
            /// What boards call them.
            pub const WORDS: &'static [&'static str] = &[$($word),*];
        }
    };
}

with_victim_policies!(name_policies);

/// The choice of victims, as a board states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Victim {
    /// The policy.
    pub policy: VictimPolicy,
    /// Blocks that `d-choices` draws, 1 and up.
    pub choices: u32,
    /// Seed of policies that draw.
    pub seed: u64,
}

impl Victim {
    /// The block with the most invalid pages.
    pub const GREEDY: Victim = Victim { policy: VictimPolicy::Greedy, choices: 1, seed: 0 };
}
