//! What each kind of policy is made from: a policy of the repository with its tests, and what a study of it runs.

use crate::arguments::PolicyKind;

/// What a new policy of a kind is made from.
pub struct Shape {
    /// The folder of its kind.
    pub folder: &'static str,
    /// The macro with the rows of its kind.
    pub table: &'static str,
    /// The key by which boards name it.
    pub key: &'static str,
    /// The policy that boards have otherwise.
    pub usual: &'static str,
    /// The policy that it is a copy of.
    pub model: Model,
    /// What a study of it runs.
    pub load: Load,
}

/// A policy of the repository.
pub struct Model {
    /// Module of the policy in the firmware, and the name of its file without `.rs`.
    pub module: &'static str,
    /// Name of the struct that is the policy.
    pub type_name: &'static str,
    /// What boards call it.
    pub word: &'static str,
    /// Its file.
    pub policy: &'static str,
    /// The file of its tests.
    pub tests: &'static str,
}

/// What is run, and what is measured.
pub struct Load {
    /// Values of the board.
    pub set: &'static str,
    /// State of the drive.
    pub precondition: &'static str,
    /// Options of the job.
    pub job: &'static str,
    /// What a study measures of each run, by its name in `study.toml`.
    pub metric: &'static str,
    /// What it is called on the axis.
    pub label: &'static str,
}

/// Overwrites that are skewed, of a drive in its steady state.
const OVERWRITES: Load = Load {
    set: r#""geometry.blocks_per_way" = 128, "ftl.overprovision_percent" = 15"#,
    precondition: "steady",
    job: r#"rw = "randwrite", bs = "16k", iodepth = 8, io_size = "128m", random_distribution = "zoned:80/20:20/80""#,
    metric: "write_amplification",
    label: "write amplification",
};

/// Reads and writes of a drive that was written once.
const MIX: Load = Load {
    set: r#""geometry.blocks_per_way" = 128"#,
    precondition: "sequential",
    job: r#"rw = "randrw", bs = "16k", iodepth = 16, number_ios = 6000, random_distribution = "zoned:80/20:20/80""#,
    metric: "iops",
    label: "requests a second",
};

macro_rules! model {
    ($folder:literal, $module:literal, $type_name:literal, $word:literal) => {
        Model {
            module: $module,
            type_name: $type_name,
            word: $word,
            policy: include_str!(concat!("../../../../", $folder, "/", $module, ".rs")),
            tests: include_str!(concat!("../../../../", $folder, "/", $module, "_tests.rs")),
        }
    };
}

impl Shape {
    /// That of a kind.
    pub const fn of(kind: PolicyKind) -> Shape {
        match kind {
            PolicyKind::Victim => Shape {
                folder: "firmware/src/ftl/victim",
                table: "with_victim_policies",
                key: "ftl.victim",
                usual: "greedy",
                model: model!("firmware/src/ftl/victim", "d_choices", "DChoices", "d-choices"),
                load: OVERWRITES,
            },
            PolicyKind::Streams => Shape {
                folder: "firmware/src/ftl/streams",
                table: "with_stream_policies",
                key: "ftl.streams",
                usual: "together",
                model: model!("firmware/src/ftl/streams", "by_writes", "ByWrites", "by-writes"),
                load: OVERWRITES,
            },
            PolicyKind::Wear => Shape {
                folder: "firmware/src/ftl/wear",
                table: "with_wear_policies",
                key: "ftl.wear_levelling",
                usual: "none",
                model: model!("firmware/src/ftl/wear", "threshold", "Threshold", "static"),
                load: OVERWRITES,
            },
            PolicyKind::Placement => Shape {
                folder: "firmware/src/ftl/placement",
                table: "with_placement_policies",
                key: "ftl.placement",
                usual: "channel-first",
                model: model!(
                    "firmware/src/ftl/placement",
                    "idle_first",
                    "IdleFirst",
                    "idle-first"
                ),
                load: MIX,
            },
            PolicyKind::Priority => Shape {
                folder: "firmware/src/sched/priority",
                table: "with_priority_policies",
                key: "ftl.priority",
                usual: "by-class",
                model: model!(
                    "firmware/src/sched/priority",
                    "reads_first",
                    "ReadsFirst",
                    "reads-first"
                ),
                load: Load {
                    metric: "latency_p99_us",
                    label: "99th percentile of latency, us",
                    ..MIX
                },
            },
            PolicyKind::Replacement => Shape {
                folder: "firmware/src/ftl/replacement",
                table: "with_replacement_policies",
                key: "ftl.replacement",
                usual: "lru",
                model: model!(
                    "firmware/src/ftl/replacement",
                    "clean_first",
                    "CleanFirst",
                    "clean-first"
                ),
                load: MIX,
            },
        }
    }
}
