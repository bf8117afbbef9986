//! What the firmware decides by a policy that a board names: a table of the policies for each kind of decision, and
//! what a board has chosen.
//!
//! Each table is a macro that calls another one with its rows: the module of the firmware that holds the policy, its
//! type there, the word that boards use, and what it does. A row is all that a new policy needs beside its file
//! (docs/extending.md).

/// Which superblock of a way is collected next: `firmware/src/ftl/victim/`.
#[macro_export]
macro_rules! with_victim_policies {
    ($then:ident $($argument:tt)*) => {
        $then! { $($argument)*
            greedy, Greedy, "greedy", "The most invalid pages.";
            cost_benefit, CostBenefit, "cost-benefit", "Most age times invalid by valid pages.";
            d_choices, DChoices, "d-choices", "The most invalid pages of some drawn at random.";
            random, Random, "random", "Any with an invalid page, at random.";
        }
    };
}

/// Which open superblock of a way takes new data, and which takes what collection moves: `firmware/src/ftl/streams/`.
#[macro_export]
macro_rules! with_stream_policies {
    ($then:ident $($argument:tt)*) => {
        $then! { $($argument)*
            together, Together, "together", "All data go to the same superblock.";
            apart, Apart, "apart", "What collection moves has a superblock of its own.";
            by_writes, ByWrites, "by-writes", "The same, and new data that are seldom written go there as well.";
            by_handle, ByHandle, "by-handle", "The host says which new data belong together (Flexible Data Placement); what collection moves is apart.";
        }
    };
}

/// How blocks are worn evenly: `firmware/src/ftl/wear/`.
#[macro_export]
macro_rules! with_wear_policies {
    ($then:ident $($argument:tt)*) => {
        $then! { $($argument)*
            unlevelled, Unlevelled, "none", "Free blocks are opened in the order in which they were erased.";
            dynamic, Dynamic, "dynamic", "The free block with the fewest erases is opened first.";
            threshold, Threshold, "static", "The same, and blocks that fall behind are emptied.";
        }
    };
}

/// Which way new data go to: `firmware/src/ftl/placement/`.
#[macro_export]
macro_rules! with_placement_policies {
    ($then:ident $($argument:tt)*) => {
        $then! { $($argument)*
            channel_first, ChannelFirst, "channel-first", "ChPrev: the channel counts up first, then the way.";
            way_first, WayFirst, "way-first", "WayPrev: the way counts up first, then the channel.";
            random, Random, "random", "Channel and way are drawn at random.";
            idle_first, IdleFirst, "idle-first", "A way that has nothing to do; channel first otherwise.";
        }
    };
}

/// Which of the phases that wait on a channel is issued next: `firmware/src/sched/priority/`.
#[macro_export]
macro_rules! with_priority_policies {
    ($then:ident $($argument:tt)*) => {
        $then! { $($argument)*
            by_class, ByClass, "by-class", "In the order of Table 2 of the Cosmos+ paper.";
            reads_first, ReadsFirst, "reads-first", "The same, but data of reads before programs and erases.";
        }
    };
}

/// Which entry of the data buffer is given away next: `firmware/src/ftl/replacement/`.
#[macro_export]
macro_rules! with_replacement_policies {
    ($then:ident $($argument:tt)*) => {
        $then! { $($argument)*
            lru, Lru, "lru", "The least recently used one.";
            fifo, Fifo, "fifo", "The one whose data came first.";
            second_chance, SecondChance, "second-chance", "The same, but one that was read is let off once.";
            clean_first, CleanFirst, "clean-first", "The least recently used clean one of the oldest.";
        }
    };
}

macro_rules! name_policies {
    (
        $(#[$doc:meta])* $name:ident
        $($module:ident, $policy:ident, $word:literal, $what:literal;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
        pub enum $name {
            $(#[doc = $what] $policy,)*
        }

        impl $name {
            #[doc = concat!("All of them, in the order of [`", stringify!($name), "::WORDS`].")]
            pub const ALL: &'static [$name] = &[$($name::$policy),*];
            /// What boards call them.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The choice of it, with values for its own keys in the order in which it declares them.
            pub const fn with<const N: usize>(self, values: [u64; N]) -> Chosen<$name> {
                Chosen { policy: self, settings: Settings::of(values) }
            }
        }
    };
}

with_victim_policies!(name_policies
    /// How a way chooses what it collects.
    VictimPolicy);
with_stream_policies!(name_policies
    /// How data are told apart.
    StreamPolicy);
with_wear_policies!(name_policies
    /// Keeps blocks evenly worn.
    WearPolicy);
with_placement_policies!(name_policies
    /// How new data are spread over ways (Cosmos+ section 6.5).
    PlacementPolicy);
with_priority_policies!(name_policies
    /// In which order phases are issued.
    PriorityPolicy);
with_replacement_policies!(name_policies
    /// In which order entries of the data buffer are given away.
    ReplacementPolicy);

/// Most keys that a policy has of its own.
pub const MOST_SETTINGS: usize = 4;

/// The values of a policy's own keys, in the order in which it declares them; zeroes behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Settings(pub [u64; MOST_SETTINGS]);

impl Settings {
    /// Values of so many keys.
    ///
    /// # Panics
    /// If they are more than a policy has.
    pub const fn of<const N: usize>(values: [u64; N]) -> Settings {
        let mut all = [0; MOST_SETTINGS];
        let mut nth = 0;
        while nth < N {
            all[nth] = values[nth];
            nth += 1;
        }
        Settings(all)
    }
}

/// A key that a policy has of its own: a whole number that a board gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyKey {
    /// Name of the key, behind the name of the kind of policy: `choices` of a victim is `ftl.victim_choices`.
    pub name: &'static str,
    /// The smallest value.
    pub least: u64,
    /// The largest value.
    pub most: u64,
    /// The value of boards that state none.
    pub default: u64,
    /// Name of the unit of the values.
    pub unit: &'static str,
    /// The meaning of the key, in a sentence.
    pub what: &'static str,
}

impl PolicyKey {
    /// The key of a policy that draws at random.
    pub const SEED: PolicyKey = PolicyKey {
        name: "seed",
        least: 0,
        most: i64::MAX as u64,
        default: 1,
        unit: "any number",
        what: "Seed of what is drawn.",
    };
}

/// A policy, and the values of its own keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Chosen<P> {
    /// Which policy.
    pub policy: P,
    /// How it is set.
    pub settings: Settings,
}

/// What a board has chosen of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Policies {
    /// Chooses the superblock that is collected next.
    pub victim: Chosen<VictimPolicy>,
    /// Chooses the superblock of a way that data go to.
    pub streams: Chosen<StreamPolicy>,
    /// Keeps blocks evenly worn.
    pub wear: Chosen<WearPolicy>,
    /// Chooses the way that new data go to.
    pub placement: Chosen<PlacementPolicy>,
    /// Chooses the operation that is issued next.
    pub priority: Chosen<PriorityPolicy>,
    /// Chooses the entry that leaves the data buffer next.
    pub replacement: Chosen<ReplacementPolicy>,
}

impl Policies {
    /// What the published firmware of Cosmos+ does.
    pub const PUBLISHED: Policies = Policies {
        victim: VictimPolicy::Greedy.with([]),
        streams: StreamPolicy::Together.with([]),
        wear: WearPolicy::Unlevelled.with([]),
        placement: PlacementPolicy::ChannelFirst.with([]),
        priority: PriorityPolicy::ByClass.with([]),
        replacement: ReplacementPolicy::Lru.with([]),
    };
}
