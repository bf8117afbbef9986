//! What somebody asks for.

use std::num::NonZeroU32;
use std::path::PathBuf;

use host::job::JobFile;
use host::{PayloadForm, Preconditioning, Victims};
use machine::{Accounts, Polling};
use report::{FunctionOrigin, JobSource};
use runs::confidence::Asked as Enough;

use crate::body::{Body, Processor};
use crate::failure::Failure;

/// What is expected of a snapshot beside an image.
pub const BESIDE_IMAGE: &str = "none beside --image, which keeps the drive itself";

/// A function that chooses the victims of collection.
#[derive(Clone, Debug)]
pub struct AskedVictims {
    /// What a report says of it.
    pub origin: FunctionOrigin,
    /// What asks it.
    pub victims: Victims,
}

/// A run as it is asked for; `None` where nothing is said.
#[derive(Debug)]
pub struct Asked<'a> {
    /// Name or path of the board.
    pub board: Option<&'a str>,
    /// Values of the board that are replaced.
    pub overrides: &'a [(String, String)],
    /// The load.
    pub jobs: JobFile,
    /// Where it came from.
    pub source: JobSource,
    /// Seed of every random stream.
    pub seed: u64,
    /// With how many seeds it is run.
    pub seeds: Option<NonZeroU32>,
    /// What is to be known before jobs are ended.
    pub until: Option<Enough>,
    /// What stands for user data.
    pub payload: Option<PayloadForm>,
    /// The state of a new drive.
    pub precondition: Option<Preconditioning>,
    /// The image that the drive is in.
    pub image: Option<PathBuf>,
    /// The snapshot that the drive comes from.
    pub from: Option<PathBuf>,
    /// What the drive is made of.
    pub body: Body,
    /// What its firmware runs on.
    pub processor: Processor,
    /// How idle turns of the firmware are run.
    pub polling: Polling,
    /// Whether the drive tells where the time of requests goes.
    pub accounts: Accounts,
    /// What chooses the victims of collection in place of the board's policy.
    pub victims: Option<AskedVictims>,
    /// Virtual time between two readings of the operation monitor, if it is on.
    pub monitor_interval_ps: Option<u64>,
}

impl Asked<'_> {
    /// Looks whether nothing is asked for beside an image that does not go with one.
    ///
    /// # Errors
    /// When something is.
    pub(crate) fn check_image(&self) -> Result<(), Failure> {
        if self.image.is_none() {
            return Ok(());
        }
        if let Some(seeds) = self.seeds {
            let expected = "1, as an image is not what it was before after the first";
            return Err(Failure::unexpected("--seeds", seeds, expected));
        }
        match &self.from {
            None => Ok(()),
            Some(path) => Err(Failure::unexpected("--from", path.display(), BESIDE_IMAGE)),
        }
    }
}
