//! What one run needs to be told: board, job, state of the drive, seed.

use std::collections::BTreeMap;

use host::Preconditioning;
use toml::Table;

use crate::definition::scalar;
use crate::error::{one_of, Fault};

/// Everything that decides a run. Equal setups give equal results, so each is run once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Setup {
    /// Name or path of the board.
    pub board: String,
    /// What replaces values of the board, by dotted key.
    pub set: BTreeMap<String, String>,
    /// fio's options of the job.
    pub job: BTreeMap<String, String>,
    /// Options of a flash load, which there is in place of a job.
    pub flash: BTreeMap<String, String>,
    /// Options of a load of cells, which there is in place of either.
    pub cells: BTreeMap<String, String>,
    /// Which decoders' look-up tables are read, in place of all of these.
    pub area: BTreeMap<String, String>,
    /// fio's options of a job that runs before the job, and is not measured; nothing if there is none.
    pub before: BTreeMap<String, String>,
    /// fio's options of jobs that run at the same time and are not measured, by name of the job, dot and option.
    pub beside: BTreeMap<String, String>,
    /// State of the drive at the start.
    pub precondition: Precondition,
    /// Seed of every random stream.
    pub seed: u64,
}

impl Setup {
    /// Names of the job that runs before the one that is measured, and of that one.
    pub const BEFORE: &'static str = "before";
    pub const MEASURED: &'static str = "job";

    /// fio's options of all jobs, each behind its name if there are several; none if there is no job.
    pub fn jobs(&self) -> Vec<(String, String)> {
        let pairs = |map: &BTreeMap<String, String>| map.clone().into_iter();
        if self.job.is_empty() || self.is_alone() {
            return pairs(&self.job).collect();
        }
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let mut all = Vec::new();
        if !self.before.is_empty() {
            all.push(pair("name", Self::BEFORE));
            all.extend(pairs(&self.before));
        }
        all.push(pair("name", Self::MEASURED));
        // Whoever comes behind a job that waits for those before it runs with that job.
        all.extend((!self.before.is_empty()).then(|| pair("stonewall", "1")));
        all.extend(pairs(&self.job));
        let mut last = "";
        for (key, value) in &self.beside {
            let (job, option) = key.split_once('.').expect("job and option");
            if job != last {
                all.push(pair("name", job));
                last = job;
            }
            all.push(pair(option, value));
        }
        all
    }

    /// Whether no job runs but the one that is measured.
    pub fn is_alone(&self) -> bool {
        self.before.is_empty() && self.beside.is_empty()
    }
}

/// State of the drive at the start of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precondition {
    /// Never written.
    None,
    /// Written once, in order.
    Sequential,
    /// Written once, in random order.
    Random,
    /// As after what follows, drawn where that is possible.
    Steady,
    /// Written and overwritten until write amplification settled.
    SteadyRun,
}

impl Precondition {
    const NAMES: [(&'static str, Precondition); 5] = [
        ("none", Precondition::None),
        ("sequential", Precondition::Sequential),
        ("random", Precondition::Random),
        ("steady", Precondition::Steady),
        ("steady-run", Precondition::SteadyRun),
    ];

    /// The state of this name.
    pub fn named(name: &str) -> Result<Precondition, Fault> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, state)| *state).ok_or_else(|| {
            let names = one_of(Self::NAMES.iter().map(|(name, _)| *name));
            Fault::new("precondition", format!("{name:?}"), names)
        })
    }

    /// The same for the crate that runs jobs.
    pub fn for_host(self) -> Preconditioning {
        match self {
            Precondition::None => Preconditioning::None,
            Precondition::Sequential => Preconditioning::Sequential,
            Precondition::Random => Preconditioning::Random,
            Precondition::Steady => Preconditioning::Steady,
            Precondition::SteadyRun => Preconditioning::SteadyRun,
        }
    }
}

/// A part of a setup, laid over others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layer {
    pub board: Option<String>,
    pub set: BTreeMap<String, String>,
    pub job: BTreeMap<String, String>,
    pub flash: BTreeMap<String, String>,
    pub cells: BTreeMap<String, String>,
    pub area: BTreeMap<String, String>,
    pub before: BTreeMap<String, String>,
    pub beside: BTreeMap<String, String>,
    /// What of the run is looked at, which does not change it.
    pub look: BTreeMap<String, String>,
    pub precondition: Option<Precondition>,
    pub seed: Option<u64>,
}

/// The keys of a layer as they are written.
pub(crate) struct WrittenLayer<'a> {
    pub board: &'a Option<String>,
    pub set: &'a Table,
    pub job: &'a Table,
    pub flash: &'a Table,
    pub cells: &'a Table,
    pub area: &'a Table,
    pub before: &'a Table,
    pub beside: &'a Table,
    pub precondition: &'a Option<String>,
    pub seed: Option<u64>,
}

impl Layer {
    /// Checks a written layer.
    pub fn read(written: WrittenLayer<'_>) -> Result<Layer, Fault> {
        Ok(Layer {
            board: written.board.clone(),
            set: scalar::overrides(written.set)?,
            job: scalar::options(written.job)?,
            flash: scalar::values("flash", written.flash)?,
            cells: scalar::values("cells", written.cells)?,
            area: scalar::values("area", written.area)?,
            before: scalar::options(written.before)?,
            beside: scalar::jobs(written.beside, &[Setup::BEFORE, Setup::MEASURED])?,
            look: BTreeMap::new(),
            precondition: written.precondition.as_deref().map(Precondition::named).transpose()?,
            seed: written.seed,
        })
    }

    /// Lays `upper` over this layer.
    pub fn lay(&mut self, upper: &Layer) {
        if upper.board.is_some() {
            self.board.clone_from(&upper.board);
        }
        let pairs = |map: &BTreeMap<String, String>| map.clone().into_iter();
        self.set.extend(pairs(&upper.set));
        self.job.extend(pairs(&upper.job));
        self.flash.extend(pairs(&upper.flash));
        self.cells.extend(pairs(&upper.cells));
        self.area.extend(pairs(&upper.area));
        self.before.extend(pairs(&upper.before));
        self.beside.extend(pairs(&upper.beside));
        self.look.extend(pairs(&upper.look));
        self.precondition = upper.precondition.or(self.precondition);
        self.seed = upper.seed.or(self.seed);
    }

    /// The setup that all layers together make: the drive is never written and the seed is 1
    /// unless a layer says otherwise.
    pub fn setup(self) -> Result<Setup, Fault> {
        let board = self.board.ok_or_else(|| {
            Fault::new("board", "nothing", "a board, of the experiment or of the point")
        })?;
        Ok(Setup {
            board,
            set: self.set,
            job: self.job,
            flash: self.flash,
            cells: self.cells,
            area: self.area,
            before: self.before,
            beside: self.beside,
            precondition: self.precondition.unwrap_or(Precondition::None),
            seed: self.seed.unwrap_or(1),
        })
    }
}
