//! What a drive holds before its jobs, and in which form.

use firmware::ftl::precondition::Precondition;

/// What stands for user data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadForm {
    /// A stamp of LBA and version for each logical block.
    Stamps,
    /// All bytes.
    Bytes,
}

impl PayloadForm {
    /// Both.
    pub const ALL: [PayloadForm; 2] = [PayloadForm::Stamps, PayloadForm::Bytes];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PayloadForm::Stamps => "stamp",
            PayloadForm::Bytes => "full",
        }
    }
}

/// What the drive went through before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preconditioning {
    /// Nothing.
    None,
    /// It was written once, in order.
    Sequential,
    /// It was written once, in random order.
    Random,
    /// As after what follows, drawn where that is possible.
    Steady,
    /// It was written once, then overwritten at random until write amplification settled.
    SteadyRun,
}

impl Preconditioning {
    /// All of them.
    pub const ALL: [Preconditioning; 5] = [
        Preconditioning::None,
        Preconditioning::Sequential,
        Preconditioning::Random,
        Preconditioning::Steady,
        Preconditioning::SteadyRun,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Preconditioning::None => "none",
            Preconditioning::Sequential => "sequential",
            Preconditioning::Random => "random",
            Preconditioning::Steady => "steady",
            Preconditioning::SteadyRun => "steady-run",
        }
    }

    /// The one of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Preconditioning::ALL.into_iter().find(|state| state.name() == name)
    }

    /// The firmware's name of it, with the seed of what is random.
    pub fn state(self, seed: u64) -> Precondition {
        match self {
            Preconditioning::None => Precondition::None,
            Preconditioning::Sequential => Precondition::Sequential,
            Preconditioning::Random => Precondition::Random(seed),
            Preconditioning::Steady => Precondition::Steady(seed),
            Preconditioning::SteadyRun => Precondition::SteadyRun(seed),
        }
    }
}
